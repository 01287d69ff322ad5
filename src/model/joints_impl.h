// joints_impl.h: what a joint is while it is read.
#ifndef ZWANG_MODEL_JOINTS_IMPL_H
#define ZWANG_MODEL_JOINTS_IMPL_H

#include "model/model_impl.h"

typedef enum {
    JOINT_FIXED,
    JOINT_HINGE,
    JOINT_SLIDER,
    JOINT_CYLINDER,
    JOINT_UNIVERSAL,
    JOINT_BALL,
    JOINT_PLANAR,
    JOINT_FREE,
    JOINT_COUNT
} JointKind;

enum { MOST_COORDINATES = 7 };

typedef struct Joint {
    JointKind kind;
    const char *label, *word;
    Place place; // of what it is called, or of its word
    Value a, b;  // bodies, or a frame
    bool b_placed;
    Value at; // P
    Expr q[MOST_COORDINATES];
    Expr held[3]; // where it rubs: displacements that conditions hold
    Vector u, w;  // its axes, where it has some
    Place places[MOST_COORDINATES];
} Joint;

// The name of the joint for its members; once, where coordinates of its own need it.
bool joint_declare_label(Elaborator *e, const Joint *joint);
Vec joint_unit(Elaborator *e, int axis);
// Two unit vectors across an axis and each other, right-handed with it.
void joint_across(Elaborator *e, Vec axis, Vec out[2]);

// ---- joint_friction.c
// Whether its clauses of friction are right.
bool joint_may_rub(Elaborator *e, const Joint *joint);
// A joint that places a body and rubs: the body may move otherwise too, and conditions hold it
// there; their reactions are the force of the joint. And by how much it moves so, along u.
bool joint_hold(Elaborator *e, Joint *joint);
Vector joint_held_way(Elaborator *e, const Joint *joint, Vec u);
// Its friction, if it has some, by the reactions of the conditions from `first` on; q is the
// place of the body that is joined.
bool joint_rub(Elaborator *e, const Joint *joint, size_t first, Vector q);

#endif

// vectors_impl.h: the vector graph from inside. Never leaves the room.
#ifndef ZWANG_MODEL_VECTORS_IMPL_H
#define ZWANG_MODEL_VECTORS_IMPL_H

#include "expr/expr.h"
#include "model/vectors.h"

typedef struct {
    Vector vector;
    Expr factor;
} Term;

// A part (count 0, its components are its first view) or a sum of terms.
typedef struct {
    Frame home;
    uint32_t first, count; // terms
    uint32_t view;         // the newest view; 0 ends the list
    Vector rate;           // none until it was asked for
    const char *name;      // of an arbitrary vector; NULL: it is none
} VectorNode;

typedef struct {
    Vec components;
    Frame frame;
    uint32_t next;
} View;

typedef enum { TURN_X, TURN_Y, TURN_Z, TURN_MATRIX } TurnKind;

typedef struct {
    Frame parent;
    TurnKind turn;
    Expr angle, cosine, sine; // for turns about an axis
    Vec columns[3];           // the axes of the frame in its parent, for TURN_MATRIX
    Vec relative;             // the angular velocity in the parent, along the frame's own axes
    Vector omega;
    const char *name; // NULL where it has none
} FrameNode;

typedef struct {
    Vector vector;
    Frame frame;
} Request;

struct Vectors {
    ExprPool *pool;
    ExprRates *dt;
    ARRAY(VectorNode) nodes; // [0] is none
    ARRAY(Term) terms;
    ARRAY(View) views;       // [0] is none
    ARRAY(FrameNode) frames; // [0] is world
    ARRAY(Request) stack;
    size_t turns;
};

void vectors_remember(Vectors *vectors, Vector v, Frame frame, Vec components);

// ---- frames.c
// Components along `from` as components along `to`, step by step through the tree.
Vec frame_turn(Vectors *vectors, Vec v, Frame from, Frame to);

#endif

// definitions.h: accelerations as they are defined, one from another, and what inertia, forces and
// conditions say of them. Nothing is expanded into q''.
//
// The acceleration of a frame follows from that of its parent, that of a point from its base point
// and its frame:
//
//     α_F = α_A + Σ (∂ω_r/∂q'_ν) q''_ν + bias,        ω_r the frame's ω in its parent A,
//     a_P = a_B + α_F × r + Σ (∂r/∂q_ν) q''_ν + bias,  P = B + r, r along the axes of F.
#ifndef ZWANG_MOTION_DEFINITIONS_H
#define ZWANG_MOTION_DEFINITIONS_H

#include "base/memory.h"
#include "model/vector_types.h"

typedef struct Motion Motion; // motion_types.h
typedef struct MotionRow MotionRow;

typedef struct {
    size_t coordinate;
    Expr factor;
} DefinitionTerm;

// A component, along the axes of the frame: of r, or of ω_r, whose derivative has no second one.
typedef struct {
    Expr value, rate; // itself, and its derivative
    Expr still;       // the derivative that holds accelerations, for q'' = 0
    DefinitionTerm *terms;
    size_t term_count; // what that has of q''
} DefinitionPart;

typedef struct {
    DefinitionPart parts[3]; // of ω_r
} DefinedFrame;

typedef struct {
    size_t base; // a point
    Frame frame;
    DefinitionPart parts[3]; // of r
} DefinedPoint;

// All masses that stand still in a frame about one base point: mass, first moments, and inertia
// about the base (xx, yy, zz, xy, yz, zx), along the axes of the frame.
typedef struct {
    size_t base;
    Frame frame;
    Expr mass, first[3], second[6];
} DefinedBody;

// On the displacement of a point, or on the rotation of a frame (point 0).
typedef struct {
    size_t point;
    Frame frame;
    Vector along;
} DefinedForce;

typedef struct {
    size_t row, column; // coordinates, row ≤ column
    Expr value;
} DefinedEntry;

// What an active force does for λ = 1, on points and frames or on coordinates.
typedef struct {
    DefinedForce *forces;
    DefinitionTerm *terms;
    size_t force_count, term_count;
} DefinedLoad;

// A condition b·q'' + γ = 0 on coordinates; and, where it is about velocities of points and frames,
// on these: forces and couples for λ = 1, and what is left on coordinates.
typedef struct {
    const MotionRow *row;
    DefinitionTerm *terms;
    size_t term_count;
    DefinedForce *forces;
    size_t force_count; // 0: it is not
    DefinitionTerm *rest;
    size_t rest_count;
    Expr by_velocities;      // the condition in those velocities, q' and q; and what it is
    Expr without;            // where those are 0
    const Expr **velocities; // of each force: three symbols, along world's axes
    DefinedLoad *servo;      // what keeps the condition, where that is no reaction λ·b; else NULL
} DefinedRow;

typedef struct Definitions {
    Arena *arena;
    Motion *motion;
    DefinedFrame *frames; // as the model counts them; 0 is world
    size_t frame_count;
    ARRAY(DefinedPoint) points; // [0] is the origin
    ARRAY(DefinedBody) bodies;
    ARRAY(DefinedForce) forces;
    ARRAY(DefinedEntry) entries; // inertia that energies give on coordinates
    Expr *bias;                  // n: what they and loads on coordinates give for q'' = 0
    DefinedRow *rows;            // m
    Vec field;                   // of gravity, along world's axes
    // In the making: points and coordinates that are known by an index.
    size_t *slots, slot_count; // hash table of points
    ARRAY(size_t) point_of;    // of every vector, + 1
    uint32_t *coordinate_of;   // of every velocity's symbol, + 1
    size_t symbol_count;
} Definitions;

// Adds a mass with first moments and inertia about a point at r from the body's base.
void defined_body_add(ExprPool *pool, DefinedBody *body, Expr mass, const Expr first[3],
                      const Expr r[3], const Expr second[6]);

// ---- rows.c: a short form of what is small, and 0 where it vanishes.
Expr motion_shortened(Motion *motion, Expr e);

// NULL where some part is not of this kind, and *why says which.
Definitions *definitions_new(Motion *motion, const char **why);
void definitions_free(Definitions *definitions);
// Whether a condition on velocities of points or frames holds many coordinates.
bool definitions_have_long_rows(const Definitions *definitions);

#endif

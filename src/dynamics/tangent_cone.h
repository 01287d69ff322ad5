// tangent_cone.h: in which directions motions leave a position at which conditions are dependent.
#ifndef ZWANG_DYNAMICS_TANGENT_CONE_H
#define ZWANG_DYNAMICS_TANGENT_CONE_H

#include "base/memory.h"

typedef struct Equations Equations; // dynamics.h
typedef struct State State;

typedef struct TangentCone {
    size_t before, at; // the rank of the conditions: elsewhere, and at the position
    size_t dimension;  // of the cone; where its branches are not known, of it beside the first one
    size_t found;      // branches
    double most;       // how many there are; above `found`: at most; infinite: not known
    double *branches;  // found × n: their velocities, first that of the motion which was given
} TangentCone;
// At the state's t and q, for a motion that comes with v (n): `longest` are the sizes that rows
// have elsewhere, first those of the needed ones, so many; others have those that they have here;
// `spares` are those of conditions that were set aside.
void tangent_cone_find(const Equations *eq, State *state, const double *v, const double *longest,
                       size_t count, const double *spares, Arena *arena, TangentCone *cone);

#endif

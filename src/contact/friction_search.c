// friction_search.c: one motion under Coulomb's law, where a guess does not lead to it.
//
// Where rows depend on each other, a little is added to A's diagonal, so that nothing is singular;
// what belongs to the forces found is taken off the rates, and again, until they do not change (the
// proximal point method). Then forces that fit the modes are asked for as such
// (friction_statics.c).
#include "contact/friction_impl.h"

#include <assert.h>

// Modes to begin with: all that touch act, and stick where they may.
static void begin(const Friction *friction, FrictionPiece *pieces)
{
    for (size_t l = 0; l < friction->count; l++) {
        const FrictionPart *part = &friction->parts[l];
        bool stick = part->tangents > 0 && !part->slides;
        pieces[l] = (FrictionPiece){.mode = stick ? FRICTION_STICKS : FRICTION_SLIPS,
                                    .d = {part->direction[0], part->direction[1]},
                                    .e = {1, 0, 0}};
        if (part->law == FRICTION_ONE_SIDED && !(friction->free[part->row] < 0))
            pieces[l].mode = FRICTION_OPEN;
    }
}

// ---- Dependent rows.

static bool try_statics(Friction *friction, const FrictionPiece *pieces, FrictionStatics *statics)
{
    *statics = friction_statics(friction, pieces);
    return statics->feasible;
}

// With something added, from the pieces at hand; *change is by how much the forces still move.
static bool soften(Friction *friction, FrictionPiece *pieces, double *former, double *change)
{
    friction->added = TOL_REGULARIZATION;
    friction->former = former;
    bool found = friction_newton(friction, pieces, LIMIT_SEARCH) == FRICTION_FITS;
    friction->added = 0;
    *change = 0;
    for (size_t i = 0; i < friction->rows; i++) {
        *change = real_max(*change, fabs(friction->forces[i] - former[i]));
        former[i] = friction->forces[i];
    }
    return found;
}

static bool search_softly(Friction *friction, FrictionPiece *pieces, FrictionStatics *statics)
{
    Arena *arena = arena_new();
    double *former = real_alloc(arena, friction->rows), change = INFINITY;
    bool found = false, going = true;
    for (size_t step = 0; step < LIMIT_STEPS && going && !found; step++) {
        going = soften(friction, pieces, former, &change);
        found = going && (friction_newton(friction, pieces, 1) == FRICTION_FITS ||
                          try_statics(friction, pieces, statics));
    }
    arena_free(arena);
    return found;
}

bool friction_search(Friction *friction, FrictionPiece *pieces, FrictionStatics *statics)
{
    *statics = (FrictionStatics){0};
    FrictionSearch end = friction_newton(friction, pieces, LIMIT_STEPS);
    if (end == FRICTION_FITS)
        return true;
    if (end == FRICTION_SINGULAR && try_statics(friction, pieces, statics))
        return true;
    begin(friction, pieces);
    if (friction_newton(friction, pieces, LIMIT_SEARCH) == FRICTION_FITS)
        return true;
    begin(friction, pieces);
    return search_softly(friction, pieces, statics);
}

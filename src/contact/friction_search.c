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
        pieces[l] = (FrictionPiece){.mode = stick ? FRICTION_STICKS : FRICTION_SLIPS, .e = {1}};
        memcpy(pieces[l].d, part->direction, sizeof pieces[l].d);
        if (part->law == FRICTION_ONE_SIDED && !(friction->free[part->row] < 0)) {
            pieces[l].held = part->least > 0 && part->tangents > 0;
            pieces[l].mode = pieces[l].held ? pieces[l].mode : FRICTION_OPEN;
        }
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

// ---- Relaxation.

// One contact's forces follow its rates, and are put back into its cone; `rates` follow.
static void relax(Friction *friction, size_t l, double *rates)
{
    const FrictionPart *part = &friction->parts[l];
    size_t i = part->row, m = part->normals, t = part->tangents, rows = friction->rows;
    double *p = friction->forces + i, old[3 + FRICTION_TANGENTS], part_of = 1;
    memcpy(old, p, (m + t) * sizeof *old);
    double step = 1 / (double)(m + t); // rows are of length 1
    for (size_t k = 0; k < m; k++) {
        p[k] -= step * rates[i + k];
        p[k] = part->law == FRICTION_ONE_SIDED ? real_max(p[k], part->least) : p[k];
    }
    double bound = friction_bound(friction, l, friction->forces, true);
    for (size_t k = m; k < m + t; k++)
        p[k] -= step * rates[i + k];
    double length = real_length(p + m, t);
    for (size_t k = 0; k < t && part->slides; k++)
        p[m + k] = -bound * part->direction[k];
    if (length > bound && !part->slides)
        part_of = bound / length;
    for (size_t k = 0; k < m + t; k++) {
        p[k] *= k >= m ? part_of : 1;
        real_add_times(p[k] - old[k], friction->matrix + (i + k) * rows, rows, rates);
    }
}

// The mode that the forces of a contact show.
static FrictionPiece mode_of(const Friction *friction, size_t l)
{
    const FrictionPart *part = &friction->parts[l];
    size_t m = part->normals, t = part->tangents;
    const double *p = friction->forces + part->row, *F = p + m;
    double normal = real_length(p, m), bound = friction_bound(friction, l, friction->forces, true);
    double length = real_length(F, t);
    FrictionPiece piece = {.mode = FRICTION_SLIPS, .d = {1}, .e = {1}};
    piece.held = part->least > 0 && t > 0 && p[0] <= part->least;
    if (part->law == FRICTION_ONE_SIDED && p[0] <= part->least && !piece.held)
        piece.mode = FRICTION_OPEN;
    else if (t > 0 && !part->slides && length < (1 - TOL_SMALL) * bound)
        piece.mode = FRICTION_STICKS;
    for (size_t k = 0; k < t; k++)
        piece.d[k] = part->slides ? part->direction[k] : length > 0 ? -F[k] / length : piece.d[k];
    for (size_t k = 0; k < m && normal > 0; k++)
        piece.e[k] = p[k] / normal;
    return piece;
}

static bool search_by_relaxing(Friction *friction, FrictionPiece *pieces)
{
    Arena *arena = arena_new();
    double *rates, *forces;
    real_alloc_each(arena, friction->rows, &rates, &forces);
    bool found = false;
    for (size_t sweep = 1; sweep <= LIMIT_EVENTS && !found; sweep++) {
        memcpy(friction->forces, forces, friction->rows * sizeof *forces);
        friction_system_rates(friction);
        memcpy(rates, friction->rates, friction->rows * sizeof *rates);
        for (size_t l = 0; l < friction->count; l++)
            relax(friction, l, rates);
        memcpy(forces, friction->forces, friction->rows * sizeof *forces);
        if (sweep % LIMIT_STEPS != 0)
            continue;
        for (size_t l = 0; l < friction->count; l++)
            pieces[l] = mode_of(friction, l);
        found = friction_newton(friction, pieces, LIMIT_STEPS) == FRICTION_FITS;
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
    return search_softly(friction, pieces, statics) || search_by_relaxing(friction, pieces);
}

// instant_judgement.c: Gauss's function, redundancy and conditioning at one state, island by
// island: what neither inertia nor a condition ties together.
//
// Velocities are measured by their inertia (x̂ = √𝓜_νν·x), so that units do not matter. With the
// reactions r = 𝓜a − K of all conditions, 𝓜(a − a°) = r: Gauss's function is ½ r·𝓜⁺·r. Where 𝓜 is
// singular (a quaternion's length) that is still so as long as the reactions do not push where
// there is no inertia; else there is no motion without reactions.
#include "dynamics/dynamics.h"
#include "linalg/dense.h"
#include "linalg/islands.h"
#include "linalg/kkt_problem.h"
#include "linalg/lapack.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/instant.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    size_t n, m, rank;
    const uint32_t *coordinates; // n of them
    size_t *which;               // m rows
    double *scale;               // n: 1/√𝓜_νν
    double *inertia;             // n × n, scaled
    double *rows;                // m × n, scaled to unit length
    double *axes;                // n × n: right singular vectors of the rows, one after the other
} IslandState;

// The largest and the smallest of some numbers, of none before the first.
typedef struct {
    double most, least;
} Spread;

static double ratio_of(Spread spread)
{
    if (spread.most < spread.least)
        return 1;
    return spread.least > 0 ? spread.most / spread.least : INFINITY;
}

// What the islands give together.
typedef struct {
    Spread conditions, inertia;
    double size, beside; // squares: of the forces, and of what of them meets no inertia
} Sums;

static size_t first_entry(const double *row, size_t n)
{
    size_t at = 0;
    while (at < n && row[at] == 0)
        at++;
    return at;
}

static void tie_rows(Islands *islands, const double *rows, size_t count, size_t n)
{
    for (size_t i = 0; i < count; i++)
        for (size_t first = first_entry(rows + i * n, n), j = first; j < n; j++)
            if (rows[i * n + j] != 0)
                islands_tie(islands, first, j);
}

// The largest inertia of a coordinate, which one without any counts with.
static double largest_inertia(const Equations *eq, const State *state)
{
    double most = 0;
    for (size_t i = 0; i < eq->n; i++)
        most = fmax(most, fabs(state->forces.out[i * (eq->n + 1)]));
    return most > 0 ? most : 1;
}

// A row that vanishes at the state is in no island.
static IslandState make_island(const Equations *eq, const State *state, const Islands *islands,
                               size_t island, Arena *arena)
{
    size_t all = eq->n, n = islands->first[island + 1] - islands->first[island];
    const double *inertia = state->forces.out, *rows = state->velocities.out;
    const uint32_t *at = islands->members + islands->first[island];
    assert(island < islands->islands);
    IslandState part = {.n = n,
                        .coordinates = at,
                        .which = arena_array(arena, size_t, eq->m + 1),
                        .scale = real_alloc(arena, n),
                        .inertia = real_alloc(arena, n * n),
                        .axes = real_alloc(arena, n * n)};
    double most = largest_inertia(eq, state);
    for (size_t i = 0; i < n; i++) {
        double moment = fabs(inertia[at[i] * (all + 1)]);
        part.scale[i] = 1 / sqrt(moment > DBL_EPSILON * most ? moment : most);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            part.inertia[i * n + j] = inertia[at[i] * all + at[j]] * part.scale[i] * part.scale[j];
    for (size_t i = 0; i < eq->m; i++) {
        size_t first = first_entry(rows + i * all, all);
        if (first < all && islands->of[first] == island)
            part.which[part.m++] = i;
    }
    part.rows = real_alloc(arena, part.m * n);
    for (size_t i = 0; i < part.m; i++) {
        double *row = part.rows + i * n;
        for (size_t j = 0; j < n; j++)
            row[j] = rows[part.which[i] * all + at[j]] * part.scale[j];
        double length = real_length(row, n);
        for (size_t j = 0; j < n; j++)
            row[j] /= length;
    }
    return part;
}

// Which rows stand off the ones before them; the others are redundant at this state.
static void find_redundant(const IslandState *part, Arena *arena, bool *redundant)
{
    Basis basis;
    basis_init(&basis, arena, part->n, part->n);
    for (size_t i = 0; i < part->m; i++)
        redundant[part->which[i]] = !basis_take(&basis, part->rows + i * part->n, TOL_RATE);
}

// Singular values of some rows of n numbers, which are overwritten, the largest first; how many are
// not 0 against it. `axes` (may be NULL) become the directions, n × n.
static size_t find_singular_values(Arena *arena, double *rows, size_t count, size_t n, double *axes,
                                   Spread *spread)
{
    size_t least = n < count ? n : count, rank = 0;
    assert(least > 0);
    double *values = real_alloc(arena, least);
    // Column after column, LAPACK sees the transpose.
    bool found = lapack_singular_values(n, count, rows, values, axes);
    while (found && rank < least && values[rank] > (axes ? TOL_RATE * values[0] : -1))
        rank++;
    if (rank > 0) {
        spread->most = fmax(spread->most, values[0]);
        spread->least = fmin(spread->least, values[rank - 1]);
    }
    return rank;
}

// Rank and condition of the rows, and of the inertia on the velocities that they leave free.
static void judge_condition(IslandState *part, Arena *arena, Sums *sums)
{
    size_t n = part->n;
    for (size_t i = 0; i < n && part->m == 0; i++)
        part->axes[i * n + i] = 1;
    if (part->m > 0)
        part->rank =
            find_singular_values(arena, part->rows, part->m, n, part->axes, &sums->conditions);
    size_t k = n - part->rank;
    const double *free = part->axes + part->rank * n;
    double *half = real_alloc(arena, n), *reduced = real_alloc(arena, k * k);
    for (size_t a = 0; a < k; a++) {
        for (size_t i = 0; i < n; i++)
            half[i] = real_dot(part->inertia + i * n, free + a * n, n);
        for (size_t b = 0; b < k; b++)
            reduced[a * k + b] = real_dot(half, free + b * n, n);
    }
    if (k > 0)
        find_singular_values(arena, reduced, k, k, NULL, &sums->inertia);
}

// What the conditions do to every coordinate. What keeps a quaternion's length is no force.
static void find_reactions(const Equations *eq, const State *state, double *reaction)
{
    size_t n = eq->n;
    const double *directions = dynamics_directions(eq, state->forces.out);
    if (!directions)
        directions = state->velocities.out;
    for (size_t j = 0; j < n; j++) {
        const double *inertia = state->forces.out + j * n;
        double sum = -state->force[j], terms = fabs(sum);
        for (size_t i = 0; i < n; i++) {
            sum += inertia[i] * state->a[i];
            terms += fabs(inertia[i] * state->a[i]);
        }
        for (size_t i = 0; i < eq->m; i++)
            if (eq->motion->rows[i].constraint->silent)
                sum -= state->lambda[i] * directions[i * n + j];
        reaction[j] = fabs(sum) <= TOL_SUM * terms ? 0 : sum;
    }
}

// a − a° = 𝓜⁺r, and ½ r·𝓜⁺·r.
static void find_free(const State *state, const double *reactions, Arena *arena, IslandState *part,
                      Sums *sums, double *free, double *constraint)
{
    size_t n = part->n;
    double *reaction = real_alloc(arena, n), *change = real_alloc(arena, n);
    double *inertia = real_alloc(arena, n * n);
    for (size_t j = 0; j < n; j++) {
        double given = state->force[part->coordinates[j]] * part->scale[j];
        change[j] = reaction[j] = reactions[part->coordinates[j]] * part->scale[j];
        sums->size += reaction[j] * reaction[j] + given * given;
    }
    memcpy(inertia, part->inertia, n * n * sizeof *inertia);
    least_squares(inertia, n, n, TOL_RATE, change);
    *constraint += real_dot(reaction, change, n) / 2;
    for (size_t j = 0; j < n; j++) {
        uint32_t at = part->coordinates[j];
        double missed = reaction[j] - real_dot(part->inertia + j * n, change, n);
        sums->beside += missed * missed;
        free[at] = state->a[at] - part->scale[j] * change[j];
    }
}

void instant_judge(const Equations *eq, State *state, Arena *arena, RunInstant *instant)
{
    assert(state->force);
    if (eq->direct.program)
        dynamics_problem(eq, state);
    Islands islands = {0};
    Spread empty = {.most = 0, .least = INFINITY};
    Sums sums = {.conditions = empty, .inertia = empty};
    bool *redundant = arena_array(arena, bool, eq->m + 1);
    double *free = real_alloc(arena, eq->n), *reactions = real_alloc(arena, eq->n);
    find_reactions(eq, state, reactions);
    islands_part(&islands, eq->n);
    tie_rows(&islands, state->forces.out, eq->n, eq->n);
    tie_rows(&islands, state->velocities.out, eq->m, eq->n);
    islands_number(&islands);
    memset(redundant, true, eq->m * sizeof *redundant);
    for (size_t k = 0; k < islands.islands; k++) {
        IslandState part = make_island(eq, state, &islands, k, arena);
        find_redundant(&part, arena, redundant);
        judge_condition(&part, arena, &sums);
        find_free(state, reactions, arena, &part, &sums, free, &instant->constraint);
        instant->rank += part.rank;
    }
    islands_clear(&islands);
    instant->redundant = redundant;
    instant->conditions = ratio_of(sums.conditions);
    instant->inertia = ratio_of(sums.inertia);
    instant->free = free;
    instant->has_free = sqrt(sums.beside) <= TOL_CONDITION * sqrt(sums.size);
}

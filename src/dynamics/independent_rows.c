// independent_rows.c: rows that are independent as functions, but not where the motion goes.
//
// A loop closed twice (a parallelogram with a third bar, a planar loop in space) gives rows that
// depend on each other at every position that meets the conditions, and at no other: no algebra of
// functions sees that, numbers at the state do. What follows from the rows before it is left out of
// every solve, so that nothing singular is ever solved; what it would have carried is shared out
// afterwards, so that all multipliers together are the least.
//
// With d = C·b for the rows d that are left out, the reaction bᵀμ of the others is that of λ and
// ν = C·λ too, where (1 + CᵀC)·λ = μ: and these are the least that give it.
#include "dynamics/independent_rows.h"
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/projection.h"
#include "dynamics/workspace_impl.h"
#include "linalg/kkt_problem.h"
#include "linalg/least_norm.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double *scaled_row(const Equations *eq, State *state, const double *row)
{
    for (size_t j = 0; j < eq->n; j++)
        state->work->kept[j] = row[j] * state->scale[j];
    return state->work->kept;
}

static int by_index(const void *a, const void *b)
{
    const size_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

// The same question of all of them, where few entries are filled.
static bool all_stand_off(const Equations *eq, State *state)
{
    Echelon echelon;
    echelon_init(&echelon, eq->n);
    bool all = true;
    double miss = 0;
    for (size_t i = 0; i < eq->m && all; i++)
        all = echelon_take(&echelon, scaled_row(eq, state, state->velocities.out + i * eq->n), 0,
                           &miss);
    echelon_clear(&echelon);
    return all;
}

static size_t all_rows(const Equations *eq, size_t *rows)
{
    for (size_t i = 0; i < eq->m; i++)
        rows[i] = i;
    return eq->m;
}

// The rows, in order, that stand off those before them at the state's position.
static size_t find(const Equations *eq, State *state, size_t *rows)
{
    evaluator_run(&state->velocities, state->inputs);
    if (eq->sparse_velocities && all_stand_off(eq, state))
        return all_rows(eq, rows);
    state_need_dense(eq, state);
    state->work->basis.count = 0;
    size_t count = 0;
    // What both an ideal condition and a servo ask for is kept by the former.
    for (int servos = 0; servos < 2; servos++)
        for (size_t i = 0; i < eq->m; i++)
            if ((eq->motion->rows[i].servo != NULL) == (servos == 1) &&
                basis_take(&state->work->basis,
                           scaled_row(eq, state, state->velocities.out + i * eq->n), TOL_RANK))
                rows[count++] = i;
    qsort(rows, count, sizeof *rows, by_index);
    return count;
}

// ---- Whether they stay dependent.

// A position beside this one, along the free directions and back onto the finite conditions; nearer
// where there is none.
static bool step_aside(const Equations *eq, State *state, const double *from,
                       const double *direction)
{
    size_t n = eq->n;
    double size = real_largest(from, n), length = TOL_POOR * (size > 0 ? size : 1);
    for (size_t i = 0; i < LIMIT_PATIENCE; i++, length /= 8) {
        for (size_t j = 0; j < n; j++)
            state->q[j] = from[j] + length * direction[j];
        if (positions_project(eq, state, LIMIT_STEPS) <= TOL_ZERO)
            return true;
    }
    return false;
}

// A different mixture of the free directions each time, and the same in each run.
static void mix_directions(const Equations *eq, const State *state, size_t first, size_t round,
                           double *direction)
{
    size_t n = eq->n;
    const Basis *basis = &state->work->basis;
    memset(direction, 0, n * sizeof *direction);
    for (size_t i = first; i < basis->count; i++) {
        double weight = cos((double)((round + 1) * (i - first + 1)));
        for (size_t j = 0; j < n; j++)
            direction[j] += weight * state->scale[j] * basis->units[i * n + j];
    }
}

// Whether no more rows are independent beside this position than at it.
static bool lasts(const Equations *eq, State *state, size_t count)
{
    size_t n = eq->n;
    if (count == n)
        return true;
    Arena *arena = arena_new();
    double *from = real_alloc(arena, n), *direction = real_alloc(arena, n);
    size_t *rows = arena_array(arena, size_t, eq->m + 1);
    memcpy(from, state->q, n * sizeof *from);
    bool same = true;
    for (size_t round = 0; round < LIMIT_PATIENCE && same; round++) {
        memcpy(state->q, from, n * sizeof *from);
        find(eq, state, rows);
        // What comes after the rows are directions that these leave free.
        basis_complete(&state->work->basis);
        mix_directions(eq, state, count, round, direction);
        same = step_aside(eq, state, from, direction) && find(eq, state, rows) == count;
    }
    memcpy(state->q, from, n * sizeof *from);
    positions_evaluate(state);
    evaluator_run(&state->velocities, state->inputs);
    arena_free(arena);
    return same;
}

// ---- At the start.

static bool is_needed(const Equations *eq, size_t row)
{
    return eq->independent.place[row] < eq->m;
}

// The first so many of the list are the needed ones.
static void take_rows(Equations *eq, size_t count)
{
    eq->independent.count = count;
    for (size_t i = 0; i < eq->m; i++)
        eq->independent.place[i] = eq->m;
    for (size_t i = 0; i < eq->independent.count; i++)
        eq->independent.place[eq->independent.rows[i]] = i;
}

static void say(const Equations *eq, Diag *diag)
{
    const Motion *motion = eq->motion;
    Text names = {0};
    size_t count = eq->m - eq->independent.count;
    Place place = place_none();
    for (size_t i = 0; i < eq->m; i++) {
        if (is_needed(eq, i))
            continue;
        if (names.length == 0)
            place = motion->rows[i].constraint->place;
        text_addf(&names, "%s'%s'", names.length > 0 ? ", " : "", motion->rows[i].constraint->name);
    }
    diag_add(diag, DIAG_NOTE, place,
             "at the positions that the constraints allow, %s follow%s from the ones before %s: "
             "the motion is the same without %s, and of all multipliers that give it those of "
             "least norm are told",
             names.at, count > 1 ? "" : "s", count > 1 ? "them" : "it", count > 1 ? "them" : "it");
    text_clear(&names);
}

static Status only_here(const Equations *eq, Diag *diag)
{
    assert(eq->independent.count < eq->m);
    size_t first = 0;
    while (is_needed(eq, first))
        first++;
    const ModelConstraint *constraint = eq->motion->rows[first].constraint;
    return diag_error(diag, constraint->place,
                      "at the initial position the constraint '%s' depends on the constraints "
                      "before it, though elsewhere it does not: the motion has no unique "
                      "direction there; start beside this position",
                      constraint->name);
}

Status independent_rows_find(Equations *eq, State *state, bool instant, Diag *diag)
{
    evaluator_run(&state->velocities, state->inputs);
    if (!real_all_finite(state->velocities.out, eq->n * (eq->m + 1)))
        return STATUS_OK;
    take_rows(eq, find(eq, state, eq->independent.rows));
    if (eq->independent.count == eq->m)
        return STATUS_OK;
    if (eq->nonlinear || !lasts(eq, state, eq->independent.count)) {
        Status status = instant ? STATUS_OK : only_here(eq, diag);
        take_rows(eq, all_rows(eq, eq->independent.rows));
        return status;
    }
    if (!eq->all_velocities)
        eq->k = eq->n - eq->independent.count;
    state->speeds.own = false;
    positions_leave_out(eq, state);
    say(eq, diag);
    return STATUS_OK;
}

// ---- Along the way.

// A servo's row is kept by another direction.
bool independent_rows_choose(Equations *eq, State *state, State *at, const double *sizes)
{
    size_t n = eq->n, count = eq->independent.count, bytes = eq->m * n * sizeof(double);
    if (count == eq->m || eq->nonlinear || eq->motion->servos > 0)
        return false;
    size_t *rows = base_alloc((count + 1) * sizeof *rows);
    double *matrix = base_alloc(bytes + 1);
    evaluator_run(&at->velocities, at->inputs);
    for (size_t i = 0; i < eq->m; i++)
        memcpy(matrix + i * n, scaled_row(eq, at, at->velocities.out + i * n), n * sizeof *matrix);
    bool others = rows_choose(matrix, eq->m, n, sizes, count, TOL_COARSE, rows) &&
                  memcmp(rows, eq->independent.rows, count * sizeof *rows) != 0 &&
                  positions_choose(eq, state, at);
    if (others && !eq->independent.changed)
        memcpy(eq->independent.first, eq->independent.rows, count * sizeof *rows);
    if (others) {
        memcpy(eq->independent.rows, rows, count * sizeof *rows);
        take_rows(eq, count);
    }
    eq->independent.changed |= others;
    base_free(matrix);
    base_free(rows);
    return others;
}

void independent_rows_choose_first(Equations *eq, State *state)
{
    size_t count = eq->independent.count;
    if (!eq->independent.changed)
        return;
    memcpy(eq->independent.rows, eq->independent.first, count * sizeof *eq->independent.rows);
    take_rows(eq, count);
    positions_choose_first(state);
    eq->independent.changed = false;
}

static const double *needed_row(const Equations *eq, State *state, size_t i)
{
    return scaled_row(eq, state, state->velocities.out + eq->independent.rows[i] * eq->n);
}

static const char *needed_name(const Equations *eq, size_t i)
{
    return eq->motion->rows[eq->independent.rows[i]].constraint->name;
}

DependentRow independent_rows_nearest(const Equations *eq, State *state, size_t count, size_t all,
                                      double *longest, size_t *pivots, double *left)
{
    Echelon *echelon = &state->work->echelon;
    DependentRow nearest = {.distance = INFINITY};
    double miss;
    assert(longest && pivots && left);
    evaluator_run(&state->velocities, state->inputs);
    if (!echelon->pivots)
        echelon_init(echelon, eq->n);
    echelon_truncate(echelon, 0);
    echelon->usual = pivots;
    for (size_t i = 0; i < count && i < eq->independent.count; i++) {
        const double *row = needed_row(eq, state, i);
        longest[i] = fmax(longest[i], real_largest(row, eq->n));
        echelon_take(echelon, row, 0, &miss);
        left[i] = copysign(real_largest(echelon->work, eq->n), echelon->work[pivots[i] - 1]);
        double apart = fabs(left[i]) / longest[i];
        if (!(apart >= nearest.distance))
            nearest = (DependentRow){i, apart, longest[i]};
    }
    echelon->usual = NULL;
    for (size_t i = 0, next = eq->independent.count; i < eq->m && next < all; i++) {
        if (is_needed(eq, i))
            continue;
        const double *row = scaled_row(eq, state, state->velocities.out + i * eq->n);
        longest[next] = fmax(longest[next], real_largest(row, eq->n));
        next++;
    }
    return nearest;
}

double finite_rows_measure(const Equations *eq, State *state, double *sizes, double *lengths)
{
    double largest = 0;
    positions_evaluate(state);
    for (size_t i = 0; i < eq->finite; i++) {
        const double *row = scaled_row(eq, state, positions_jacobian(eq, state) + i * eq->n);
        sizes[i] = positions_scale(eq, state, i);
        lengths[i] = real_largest(row, eq->n);
        largest = fmax(largest, sizes[i]);
    }
    return largest;
}

double finite_rows_gap(const Equations *eq, State *state, const double *sizes,
                       const double *lengths)
{
    Echelon echelon;
    double gap = 0, miss, *here = base_alloc((2 * eq->finite + 1) * sizeof *here);
    double noise = TOL_STATE * finite_rows_measure(eq, state, here, here + eq->finite);
    assert(sizes && lengths);
    base_free(here);
    echelon_init(&echelon, eq->n);
    for (size_t i = 0; i < eq->finite; i++) {
        size_t taken = echelon.count;
        const double *row = scaled_row(eq, state, positions_jacobian(eq, state) + i * eq->n);
        echelon_take(&echelon, row, positions_f(state)[i], &miss);
        if (real_largest(echelon.work, eq->n) > TOL_COARSE * lengths[i])
            continue;
        echelon_truncate(&echelon, taken);
        if (fabs(miss) > noise)
            gap = fmax(gap, sqrt(fabs(miss) / sizes[i]));
    }
    echelon_clear(&echelon);
    return gap;
}

void independent_rows_add_names(const Equations *eq, State *state, const DependentRow *dependent,
                                Text *text)
{
    Basis *basis = &state->work->basis;
    size_t *taken = base_alloc((eq->m + 1) * sizeof *taken);
    assert(dependent->row < eq->independent.count);
    state_need_dense(eq, state);
    basis->count = 0;
    // Those that it is made of; in large systems that is too long a question.
    for (size_t i = 0; i < dependent->row && !eq->sparse_velocities; i++)
        if (basis_take(basis, needed_row(eq, state, i), TOL_RANK))
            taken[basis->count - 1] = i;
    basis_examine(basis, needed_row(eq, state, dependent->row));
    for (size_t l = 0; l < basis->count; l++) {
        double part = fabs(basis->parts[l]) * real_largest(needed_row(eq, state, taken[l]), eq->n);
        if (part > TOL_SMALL * dependent->size)
            text_addf(text, "'%s', ", needed_name(eq, taken[l]));
    }
    text_addf(text, "'%s'", needed_name(eq, dependent->row));
    base_free(taken);
}

// The needed rows, then the affine ones on accelerations.
static const double *gather(const Equations *eq, const double *rows, const double *affine, size_t n,
                            double *packed)
{
    size_t count = eq->independent.count;
    for (size_t i = 0; i < count; i++)
        memcpy(packed + i * n, rows + eq->independent.rows[i] * n, n * sizeof *rows);
    memcpy(packed + count * n, affine, eq->motion->affine_count * n * sizeof *rows);
    return packed;
}

void independent_rows_pack(const Equations *eq, State *state, KktProblem *problem)
{
    size_t n = eq->n, affine = eq->motion->affine_count, all = eq->independent.count + affine;
    double *packed = state->work->packed;
    const double *rows = dynamics_affine_rows(eq, state->forces.out);
    assert(packed && eq->independent.count <= eq->m);
    problem->row_count = all;
    problem->rows = gather(eq, problem->rows, rows, n, packed);
    problem->drift = gather(eq, problem->drift, rows + affine * n, 1, packed + all * n);
    // Those on accelerations are ideal, whatever keeps the others.
    if (problem->directions)
        problem->directions = gather(eq, problem->directions, rows, n, packed + all * (n + 1));
}

// C, a row for each row left out; how far these stand off the others is kept.
static void find_shares(const Equations *eq, State *state, double *shares)
{
    size_t n = eq->n, needed = eq->independent.count;
    const double *rows = state->velocities.out;
    Basis *basis = &state->work->basis;
    basis->count = 0;
    for (size_t i = 0; i < needed; i++)
        basis_take(basis, scaled_row(eq, state, rows + eq->independent.rows[i] * n), 0);
    state->failure.apart = 0;
    for (size_t i = 0; i < eq->m; i++) {
        if (is_needed(eq, i))
            continue;
        double apart = basis_examine(basis, scaled_row(eq, state, rows + i * n));
        if (!(apart <= state->failure.apart)) {
            state->failure.apart = apart;
            state->failure.apart_row = i;
        }
        memcpy(shares, basis->parts, needed * sizeof *shares);
        shares += needed;
    }
}

void independent_rows_share(const Equations *eq, State *state)
{
    assert(eq->independent.count < eq->m);
    size_t needed = eq->independent.count, left = eq->m - needed;
    double *C = state->work->shares, *least = C + left * needed;
    find_shares(eq, state, C);
    memcpy(least, state->lambda, needed * sizeof *least);
    // A servo's force is no combination of reactions.
    if (eq->motion->servos)
        memset(C, 0, left * needed * sizeof *C);
    least_norm_share(C, left, needed, least, least + needed);
    for (size_t i = 0, at = 0, d = 0; i < eq->m; i++) {
        if (at < needed && eq->independent.rows[at] == i) {
            state->lambda[i] = least[at++];
            continue;
        }
        state->lambda[i] = real_dot(C + d++ * needed, least, needed);
    }
}

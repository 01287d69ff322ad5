// system_matrices.c: the inertia, the forces and the equations of a motion as sparse numbers.
//
// What vanishes as an expression is not there; the rest keeps its place from state to state. The
// numbers are those of dynamics_problem: nothing is evaluated by another program.
#include "dynamics/system_matrices.h"
#include "dynamics/dense_forces.h"
#include "dynamics/dynamics.h"
#include "dynamics/pattern.h"
#include "linalg/kkt_problem.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Which equations, in which order.

static const MotionRow *row_of(const SystemMatrices *matrices, size_t i)
{
    return dynamics_row(matrices->eq, matrices->which[i]);
}

static bool is_second(const SystemMatrices *matrices, size_t i)
{
    return matrices->which[i] >= matrices->eq->independent.count;
}

// In which order: ideal ones, those whose reaction has another direction, servos.
static int rank_of(const MotionRow *row)
{
    return row->servo ? 2 : row->d != row->b;
}

static void choose_rows(SystemMatrices *matrices)
{
    const Equations *eq = matrices->eq;
    size_t all = eq->independent.count + eq->motion->affine_count;
    matrices->which = arena_alloc(matrices->arena, (all + 1) * sizeof *matrices->which);
    for (int rank = 0; rank < 3; rank++) {
        for (size_t i = 0; i < all; i++) {
            matrices->which[matrices->m] = i;
            matrices->m += rank_of(row_of(matrices, matrices->m)) == rank;
        }
        matrices->plain = rank == 0 ? matrices->m : matrices->plain;
        matrices->ideal = rank <= 1 ? matrices->m : matrices->ideal;
    }
}

const ModelConstraint *matrices_condition(const SystemMatrices *matrices, size_t row)
{
    assert(row < matrices->m);
    return row_of(matrices, row)->constraint;
}

static void find_bent(SystemMatrices *matrices)
{
    const Equations *eq = matrices->eq;
    matrices->bent_rows = arena_alloc(matrices->arena, matrices->m + 1);
    matrices->bent = eq->patterns->inertia_holds_velocities;
    for (size_t i = 0; i < matrices->m; i++) {
        const MotionRow *row = row_of(matrices, i);
        // What a state does in a jump changes nothing else.
        matrices->bent_rows[i] =
            !row->linear && !row->constraint->rated &&
            equations_hold_any(eq->motion->pool, row->b, matrices->n, eq->motion->v, eq->n);
        matrices->bent = matrices->bent || (i < matrices->ideal && matrices->bent_rows[i]);
    }
}

// ---- Their places and numbers.

// Rows of these places, and where their numbers go.
static SparseRows sparse_rows(const SystemMatrices *matrices, const Pattern *filled,
                              double **values)
{
    *values = real_alloc(matrices->arena, pattern_count(filled));
    return (SparseRows){filled->rows, filled->begins, filled->places, *values};
}

// The places of the rows b, or d.
static Pattern find_places(const SystemMatrices *matrices, bool directions)
{
    size_t m = matrices->m, n = matrices->n;
    Expr *rows = base_alloc((m * n + 1) * sizeof *rows);
    for (size_t i = 0; i < m; i++) {
        const MotionRow *row = row_of(matrices, i);
        memcpy(rows + i * n, directions ? row->d : row->b, n * sizeof *rows);
    }
    Pattern filled;
    pattern_init(&filled, matrices->arena, matrices->eq->motion->pool, rows, m, n);
    base_free(rows);
    return filled;
}

// Nothing is made of matrices that nobody asks for.
static void prepare(SystemMatrices *matrices)
{
    const Equations *eq = matrices->eq;
    if (matrices->inertia.first)
        return;
    state_need_forces(eq, matrices->state);
    choose_rows(matrices);
    find_bent(matrices);
    Pattern rows = find_places(matrices, false);
    matrices->inertia = sparse_rows(matrices, &eq->patterns->inertia, &matrices->inertia_values);
    matrices->rows = sparse_rows(matrices, &rows, &matrices->row_values);
    if (matrices->plain < matrices->m) {
        rows = find_places(matrices, true);
        matrices->directions = sparse_rows(matrices, &rows, &matrices->direction_values);
    }
    matrices->c = real_alloc(matrices->arena, matrices->m);
    matrices->gamma = real_alloc(matrices->arena, matrices->m);
}

void matrices_init(SystemMatrices *matrices, const Equations *eq, State *state)
{
    assert(state->velocities.program);
    *matrices = (SystemMatrices){.eq = eq, .state = state, .n = eq->n, .arena = arena_new()};
    if (state->forces.program)
        prepare(matrices);
}

bool matrices_do_work(SystemMatrices *matrices)
{
    prepare(matrices);
    bool works = matrices->bent;
    for (size_t i = 0; i < matrices->m; i++)
        works = works || is_second(matrices, i);
    return works;
}

void matrices_clear(SystemMatrices *matrices)
{
    arena_free(matrices->arena);
    *matrices = (SystemMatrices){0};
}

// The numbers of a row, out of all n of them.
static void take(const SparseRows *rows, size_t row, const double *dense, double *values)
{
    for (uint32_t at = rows->first[row]; at < rows->first[row + 1]; at++)
        values[at] = dense[rows->column[at]];
}

void matrices_evaluate(SystemMatrices *matrices)
{
    assert(matrices->eq && matrices->state);
    const Equations *eq = matrices->eq;
    State *state = matrices->state;
    size_t n = matrices->n;
    prepare(matrices);
    evaluator_run(&state->velocities, state->inputs);
    KktProblem problem = dynamics_problem(eq, state);
    matrices->force = problem.force;
    for (size_t i = 0; i < n; i++)
        take(&matrices->inertia, i, problem.inertia + i * n, matrices->inertia_values);
    for (size_t i = 0; i < matrices->m; i++) {
        size_t row = matrices->which[i];
        take(&matrices->rows, i, problem.rows + row * n, matrices->row_values);
        if (matrices->directions.first)
            take(&matrices->directions, i, problem.directions + row * n,
                 matrices->direction_values);
        matrices->gamma[i] = problem.drift[row];
        matrices->c[i] = is_second(matrices, i)
                             ? -sparse_row_times(&matrices->rows, i, state->v, 0, NULL)
                             : state->velocities.out[n * n + eq->independent.rows[row]];
    }
}

void matrices_add_momentum(const SystemMatrices *matrices, const double *v, double *sum)
{
    for (size_t i = 0; i < matrices->n; i++)
        sum[i] = sparse_row_times(&matrices->inertia, i, v, sum[i], NULL);
}

// stationary_points.c: all stationary points of Gauss's function at a state (Hamel 252).
//
// Where the conditions are polynomials in the accelerations the question goes to the algebra room,
// with the numbers of the state, and the answer is certified; else it is searched for. The list is
// in the order of Gauss's function, mirror points the greater acceleration first.
#include "algebra/stationary.h"
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "linalg/dense.h"
#include "linalg/kkt.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *word, *meaning;
} kinds[] = {
#define BRANCH(NAME, word, meaning) {word, meaning},
#include "dynamics/branch_kinds.def"
#undef BRANCH
};

const char *run_branch_word(RunBranchKind kind)
{
    assert(kind < BRANCH_KIND_COUNT);
    return kinds[kind].word;
}

const char *run_branch_meaning(RunBranchKind kind)
{
    assert(kind < BRANCH_KIND_COUNT);
    return kinds[kind].meaning;
}

// ---- Polynomials.

static Answer ask_exactly(SecondClass *second_class, Stationary *stationary)
{
    const KktProblem *problem = &second_class->problem;
    const SecondClassPrograms *programs = second_class->eq->second_class;
    size_t n = second_class->eq->n, at = 0;
    *stationary = (Stationary){0};
    if (!programs->polynomial)
        return ANSWER_UNKNOWN;
    evaluator_run(&second_class->coefficients, second_class->given);
    AlgebraPolynomial *conditions = base_alloc((second_class->curved + 1) * sizeof *conditions);
    for (size_t i = 0; i < second_class->curved; i++) {
        conditions[i] = (AlgebraPolynomial){.count = programs->term_counts[i],
                                            .exponents = programs->exponents + at * n,
                                            .coefficients = second_class->coefficients.out + at};
        at += programs->term_counts[i];
    }
    StationaryProblem exact = {.unknowns = n,
                               .inertia = problem->inertia,
                               .force = problem->force,
                               .row_count = problem->row_count,
                               .rows = problem->rows,
                               .drift = problem->drift,
                               .condition_count = second_class->curved,
                               .conditions = conditions};
    Answer answer = algebra_stationary(&exact, stationary);
    base_free(conditions);
    return answer;
}

// ---- What kind of point it is.

// basisᵀ·matrix·basis, for symmetric matrices.
static void project(const double *matrix, const double *basis, size_t n, size_t count, double *out)
{
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    sum += basis[a * n + i] * matrix[i * n + j] * basis[b * n + j];
            out[a * count + b] = sum;
        }
}

RunBranchKind branch_kind(SecondClass *second_class, const double *x, double *least)
{
    const KktProblem *problem = &second_class->problem;
    size_t n = second_class->eq->n, s = second_class->curved, down = 0, up = 0;
    second_class_evaluate(second_class, x);
    const double *H = second_class->local.out + s + s * n;
    Arena *arena = arena_new();
    double *curvature = real_alloc(arena, n * n), *reduced = real_alloc(arena, n * n);
    double *inertia = real_alloc(arena, n * n), *moments = real_alloc(arena, n);
    Basis basis;
    basis_init(&basis, n);
    for (size_t i = 0; i < problem->row_count + s; i++)
        basis_take(&basis, second_class_row(second_class, i), TOL_RANK);
    // What comes after the rows is free.
    size_t count = n - basis.count;
    const double *free = basis.units + basis.count * n;
    basis_complete(&basis);
    for (size_t i = 0; i < n * n; i++)
        curvature[i] = problem->inertia[i] - H[i];
    project(curvature, free, n, count, reduced);
    project(problem->inertia, free, n, count, inertia);
    *least = 1;
    lapack_int size = (lapack_int)count;
    // In units of the inertia: that is 1 where nothing is curved.
    bool told = count == 0 || LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', size, reduced, size,
                                            inertia, size, moments) == 0;
    for (size_t i = 0; i < count && told; i++) {
        *least = i == 0 ? moments[i] : fmin(*least, moments[i]);
        down += moments[i] < -TOL_RANK;
        up += moments[i] > TOL_RANK;
    }
    basis_clear(&basis);
    arena_free(arena);
    if (!told || down + up < count)
        return BRANCH_DEGENERATE;
    return down == 0 ? BRANCH_MINIMUM : up == 0 ? BRANCH_MAXIMUM : BRANCH_SADDLE;
}

// ---- The list.

static const double *in_order_of_conditions(const SecondClass *second_class, Arena *arena,
                                            const double *x)
{
    const Equations *eq = second_class->eq;
    const Motion *motion = eq->motion;
    double *lambda = real_alloc(arena, motion->in_force_count);
    for (size_t i = 0; i < second_class_size(second_class) - eq->n; i++) {
        const ModelConstraint *own = dynamics_row(eq, i)->constraint;
        for (size_t j = 0; j < motion->in_force_count; j++)
            if (motion->in_force[j] == own)
                lambda[j] = x[eq->n + i];
    }
    return lambda;
}

// In the order that the exact answer has.
static bool is_after(const RunBranch *branch, const RunBranch *other, size_t n)
{
    return stationary_order(&(StationaryPoint){.a = branch->a, .measure = branch->constraint},
                            &(StationaryPoint){.a = other->a, .measure = other->constraint}, n) > 0;
}

static void add_branch(SecondClass *second_class, RunBranches *branches, RunBranch branch,
                       const double *a)
{
    size_t n = second_class->eq->n, at = branches->count;
    double least;
    branch.a = real_alloc(branches->arena, second_class_size(second_class));
    memcpy(branch.a, a, n * sizeof *a);
    second_class_multipliers(second_class, branch.a);
    if (branch.kind == BRANCH_MINIMUM) {
        branch.kind = branch_kind(second_class, branch.a, &least);
        branch.lambda = in_order_of_conditions(second_class, branches->arena, branch.a);
    }
    array_push(branches, branch);
    for (; at > 0 && !branches->certified && is_after(&branches->at[at - 1], &branch, n); at--)
        branches->at[at] = branches->at[at - 1];
    branches->at[at] = branch;
}

static void list_exactly(SecondClass *second_class, RunBranches *branches,
                         const Stationary *stationary)
{
    for (size_t i = 0; i < stationary->count; i++) {
        const StationaryPoint *point = &stationary->at[i];
        RunBranch branch = {.kind = point->kind == STATIONARY_REGULAR    ? BRANCH_MINIMUM
                                    : point->kind == STATIONARY_SINGULAR ? BRANCH_SINGULAR
                                                                         : BRANCH_CONTINUUM,
                            .constraint = branches->offset + point->measure,
                            .error = point->error,
                            .freedom = point->freedom};
        add_branch(second_class, branches, branch, point->a);
    }
}

void branches_add(SecondClass *second_class, RunBranches *branches, bool singular, const double *x)
{
    // Newton's method leaves those that are the same apart by less.
    for (size_t i = 0; i < branches->count; i++)
        if (second_class_distance(second_class, x, branches->at[i].a) <= TOL_SMALL)
            return;
    RunBranch branch = {.kind = singular ? BRANCH_SINGULAR : BRANCH_MINIMUM,
                        .constraint = branches->offset + second_class_measure(second_class, x),
                        .error = NAN};
    add_branch(second_class, branches, branch, x);
}

bool branches_find(SecondClass *second_class, RunBranches *branches)
{
    assert(second_class->curved > 0);
    *branches = (RunBranches){.arena = arena_new()};
    if (!second_class_look(second_class))
        return false;
    if (!kkt_gauss_measure(second_class->state->kkt, &second_class->problem, second_class->free,
                           &branches->offset))
        branches->offset = 0;
    Stationary stationary;
    branches->certified = ask_exactly(second_class, &stationary) == ANSWER_YES;
    if (branches->certified)
        list_exactly(second_class, branches, &stationary);
    else
        branch_search(second_class, branches);
    stationary_clear(&stationary);
    return true;
}

void branches_clear(RunBranches *branches)
{
    arena_free(branches->arena);
    base_free(branches->at);
    *branches = (RunBranches){0};
}

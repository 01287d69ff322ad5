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

static Answer ask_exactly(SecondClass *second_class, const KktProblem *problem,
                          const double *inputs, Stationary *stationary)
{
    const SecondClassPrograms *programs = second_class->eq->second_class;
    size_t n = second_class->eq->n, at = 0;
    *stationary = (Stationary){0};
    if (!programs->polynomial)
        return ANSWER_UNKNOWN;
    evaluator_run(&second_class->coefficients, inputs);
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

RunBranchKind branch_kind(SecondClass *second_class, const KktProblem *problem,
                          const double *inputs, const double *x, double *least)
{
    size_t n = second_class->eq->n, s = second_class->curved, down = 0, up = 0;
    second_class_evaluate(second_class, problem, inputs, x);
    const double *H = second_class->local.out + s + s * n;
    Arena *arena = arena_new();
    double *curvature = real_alloc(arena, n * n), *reduced = real_alloc(arena, n * n);
    double *inertia = real_alloc(arena, n * n), *moments = real_alloc(arena, n);
    Basis basis;
    basis_init(&basis, n);
    for (size_t i = 0; i < problem->row_count + s; i++)
        basis_take(&basis, second_class_row(second_class, problem, i), TOL_RANK);
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

typedef struct {
    SecondClass *second_class;
    const KktProblem *problem;
    const double *inputs;
    Branches *branches;
    double offset; // what Gauss's function is without the curved conditions
    double *free;  // accelerations without them
} Listing;

// ½(a − a₀)·𝓜(a − a₀)
static double measure_of(const Listing *listing, const double *a)
{
    size_t n = listing->second_class->eq->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += (a[i] - listing->free[i]) * listing->problem->inertia[i * n + j] *
                   (a[j] - listing->free[j]);
    return fmax(sum / 2, 0);
}

static const double *in_order_of_conditions(const Listing *listing, const double *x)
{
    const Equations *eq = listing->second_class->eq;
    const Motion *motion = eq->motion;
    double *lambda =
        arena_alloc(listing->branches->arena, (motion->in_force_count + 1) * sizeof *lambda);
    size_t rows = listing->problem->row_count + listing->second_class->curved;
    for (size_t i = 0; i < rows; i++) {
        const ModelConstraint *own = dynamics_row(eq, i)->constraint;
        for (size_t j = 0; j < motion->in_force_count; j++)
            if (motion->in_force[j] == own)
                lambda[j] = x[eq->n + i];
    }
    return lambda;
}

// In the order that the exact answer has.
static bool is_after(const Branches *branches, size_t index, const StationaryPoint *other, size_t n)
{
    StationaryPoint own = {.a = branches->x[index], .measure = branches->at[index].constraint};
    return stationary_order(&own, other, n) > 0;
}

static void add_branch(Listing *listing, RunBranch branch, const double *a)
{
    Branches *branches = listing->branches;
    SecondClass *second_class = listing->second_class;
    size_t n = second_class->eq->n, size = second_class_size(second_class, listing->problem);
    double *x = arena_alloc(branches->arena, (size + 1) * sizeof *x), least;
    memcpy(x, a, n * sizeof *x);
    second_class_multipliers(second_class, listing->problem, listing->inputs, x);
    if (branch.kind == BRANCH_MINIMUM) {
        branch.kind = branch_kind(second_class, listing->problem, listing->inputs, x, &least);
        branch.lambda = in_order_of_conditions(listing, x);
    }
    branch.a = x;
    StationaryPoint point = {.a = x, .measure = branch.constraint};
    size_t at = branches->count++;
    branches->at = base_realloc(branches->at, branches->count * sizeof *branches->at);
    branches->x = base_realloc(branches->x, branches->count * sizeof *branches->x);
    for (; at > 0 && !branches->certified && is_after(branches, at - 1, &point, n); at--) {
        branches->at[at] = branches->at[at - 1];
        branches->x[at] = branches->x[at - 1];
    }
    branches->at[at] = branch;
    branches->x[at] = x;
}

static void list_exactly(Listing *listing, const Stationary *stationary)
{
    for (size_t i = 0; i < stationary->count; i++) {
        const StationaryPoint *point = &stationary->at[i];
        RunBranch branch = {.kind = point->kind == STATIONARY_REGULAR    ? BRANCH_MINIMUM
                                    : point->kind == STATIONARY_SINGULAR ? BRANCH_SINGULAR
                                                                         : BRANCH_CONTINUUM,
                            .constraint = listing->offset + point->measure,
                            .error = point->error,
                            .freedom = point->freedom};
        add_branch(listing, branch, point->a);
    }
}

// ---- What a search tells.

static bool is_known(const Listing *listing, const double *a)
{
    size_t n = listing->second_class->eq->n;
    for (size_t i = 0; i < listing->branches->count; i++) {
        double apart = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            double other = listing->branches->at[i].a[j];
            apart = fmax(apart, fabs(a[j] - other));
            size = fmax(size, fmax(fabs(other), fabs(a[j] - listing->free[j])));
        }
        // Newton's method leaves them apart by less.
        if (apart <= TOL_SMALL * size)
            return true;
    }
    return false;
}

static void hear(void *context, bool singular, const double *x)
{
    Listing *listing = context;
    if (is_known(listing, x))
        return;
    RunBranch branch = {.kind = singular ? BRANCH_SINGULAR : BRANCH_MINIMUM,
                        .constraint = listing->offset + measure_of(listing, x),
                        .error = NAN};
    add_branch(listing, branch, x);
}

void branches_find(SecondClass *second_class, const KktProblem *problem, const double *inputs,
                   Branches *branches)
{
    Kkt *kkt = second_class->state->kkt;
    size_t n = second_class->eq->n;
    assert(kkt && second_class->curved > 0);
    *branches = (Branches){.arena = arena_new()};
    Listing listing = {.second_class = second_class,
                       .problem = problem,
                       .inputs = inputs,
                       .branches = branches,
                       .free = real_alloc(branches->arena, n)};
    double *unused = real_alloc(branches->arena, problem->row_count);
    if (kkt_solve(kkt, problem, listing.free, unused).outcome != SOLVE_DONE)
        return;
    if (!kkt_gauss_measure(kkt, problem, listing.free, &listing.offset))
        listing.offset = 0;
    Stationary stationary;
    branches->certified = ask_exactly(second_class, problem, inputs, &stationary) == ANSWER_YES;
    if (branches->certified)
        list_exactly(&listing, &stationary);
    else
        branch_search(second_class, problem, inputs, hear, &listing);
    stationary_clear(&stationary);
}

void branches_clear(Branches *branches)
{
    arena_free(branches->arena);
    base_free(branches->at);
    base_free(branches->x);
    *branches = (Branches){0};
}

// stationary_points.c: all stationary points of Gauss's function at a state (Hamel 252).
//
// Where the conditions are polynomials in the accelerations the question goes to the algebra room,
// with the numbers of the state, and the answer is certified; else it is searched for. The list is
// in the order of Gauss's function, mirror points the greater acceleration first.
//
// The search begins from many places, the same in every run: Halton's points in boxes of several
// sizes about the accelerations without the conditions. From each the nearest point of f = 0 is
// looked for first, there the multipliers are fitted, then Newton decides. What is found is there;
// that it is all is not known.
#include "algebra/stationary.h"
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "expr/arithmetic.h"
#include "linalg/dense.h"
#include "linalg/kkt.h"
#include "linalg/lapack.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const RunBranchWords run_branch_words[] = {
#define BRANCH(NAME, word, meaning) {word, meaning},
#include "dynamics/branch_kinds.def"
#undef BRANCH
};

// ---- The points of polynomials.

static Answer ask_exactly(SecondClass *second_class, Stationary *stationary)
{
    const KktProblem *problem = &second_class->problem;
    const SecondClassPrograms *programs = second_class->eq->second_class;
    size_t n = second_class->eq->n, at = 0;
    *stationary = (Stationary){0};
    if (!programs->polynomial)
        return ANSWER_UNKNOWN;
    evaluator_run(&second_class->coefficients, second_class->given);
    size_t s = second_class->curved;
    AlgebraPolynomial *conditions = base_alloc((s + 1) * sizeof *conditions);
    for (size_t i = 0; i < s + second_class->energy; i++) {
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
                               .condition_count = s,
                               .conditions = conditions,
                               .energy = second_class->energy ? conditions + s : NULL};
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
    assert(x && least);
    KktProblem linear = second_class_linearize(second_class, x);
    size_t n = second_class->eq->n, down = 0, up = 0;
    Arena *arena = arena_new();
    double *reduced = real_alloc(arena, n * n), *inertia = real_alloc(arena, n * n);
    double *moments = real_alloc(arena, n);
    Basis basis;
    basis_init(&basis, arena, n, n);
    for (size_t i = 0; i < linear.row_count; i++)
        basis_take(&basis, linear.rows + i * n, TOL_RANK);
    // What comes after the rows is free.
    size_t count = n - basis.count;
    const double *free = basis.units + basis.count * n;
    basis_complete(&basis);
    project(linear.inertia, free, n, count, reduced);
    project(second_class->problem.inertia, free, n, count, inertia);
    // With σ the inertia is none by itself: then in units of the second derivatives.
    for (size_t i = 0; i < count * count && second_class->energy; i++)
        inertia[i] = i % (count + 1) == 0 ? real_largest(reduced, count * count) : 0;
    *least = 1;
    // In units of the inertia: that is 1 where nothing is curved.
    bool told = lapack_symmetric_pencil(count, reduced, inertia, moments);
    for (size_t i = 0; i < count && told; i++) {
        *least = i == 0 ? moments[i] : fmin(*least, moments[i]);
        down += moments[i] < -TOL_RANK;
        up += moments[i] > TOL_RANK;
    }
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

static void list(SecondClass *second_class, RunBranches *branches, const Stationary *stationary)
{
    for (size_t i = 0; i < stationary->count; i++) {
        const StationaryPoint *point = &stationary->at[i];
        bool regular = point->kind == STATIONARY_REGULAR;
        RunBranch branch = {.kind = point->kind == STATIONARY_CONTINUUM ? BRANCH_CONTINUUM
                                                                        : BRANCH_SINGULAR,
                            .a = real_alloc(branches->arena, second_class_size(second_class)),
                            .constraint = branches->offset + point->measure,
                            .error = point->error,
                            .freedom = point->freedom};
        double least;
        memcpy(branch.a, point->a, second_class->eq->n * sizeof *branch.a);
        second_class_multipliers(second_class, branch.a);
        if (regular) {
            branch.kind = branch_kind(second_class, branch.a, &least);
            branch.lambda = in_order_of_conditions(second_class, branches->arena, branch.a);
        }
        array_push(branches, branch);
    }
}

// ---- A search.

static const unsigned primes[] = {2, 3, 5, 7, 11, 13, 17, 19};

// Halton's sequence in a dimension, within −1 … 1.
static double halton(size_t index, size_t dimension)
{
    unsigned base = primes[dimension % (sizeof primes / sizeof *primes)];
    double value = 0, part = 1;
    for (size_t rest = index + 1; rest > 0; rest /= base) {
        part /= base;
        value += part * (double)(rest % base);
    }
    return 2 * value - 1;
}

typedef struct {
    SecondClass *second_class;
    Stationary *found; // in the order of the exact answer
    size_t n, m, s;
    double size;            // of the accelerations
    double *x;              // where it is
    double *matrix, *right; // of a step
    bool *occurs;           // n: of each acceleration, whether a condition holds it
} Search;

// One of the `total` equations of a step.
static void put(Search *search, size_t total, size_t i, const double *row, double right)
{
    for (size_t j = 0; j < search->n; j++)
        search->matrix[j * total + i] = row[j];
    search->right[i] = right;
}

// The least change of a towards f = 0, or towards f = 0 and ∂f/∂q'' = 0 together (Gauss and
// Newton's method; for one condition, whose second derivatives are H for λ = 1). Returns its size;
// infinite where there is none.
static double step(Search *search, bool singular)
{
    size_t n = search->n, m = search->m, s = search->s, total = m + s + (singular ? n : 0);
    assert(!singular || s == 1);
    search->x[n + m] = singular;
    KktProblem linear = second_class_linearize(search->second_class, search->x);
    const double *g = search->second_class->local.out + s, *H = g + s * n;
    for (size_t i = 0; i < m + s; i++) {
        const double *row = linear.rows + i * n;
        put(search, total, i, row, -linear.drift[i] - real_dot(row, search->x, n));
    }
    for (size_t i = 0; i < n && singular; i++)
        put(search, total, m + s + i, H + i * n, -g[i]);
    if (!second_class_least_squares(search->matrix, total, n, search->right))
        return INFINITY;
    real_add_times(1, search->right, n, search->x);
    return real_largest(search->right, n);
}

// Near f = 0, where there is one, or near a point where ∂f/∂q'' vanishes too, by steps until they
// are rounding; false where it is not met.
static bool approach(Search *search, bool singular)
{
    size_t n = search->n, s = search->s;
    const double *f = search->second_class->local.out, *g = f + s, *H = g + s * n;
    double change = INFINITY, size = search->size, first = 0;
    if (search->m + s == 0)
        return true;
    for (size_t i = 0; i < LIMIT_STEPS && change > TOL_SUM * size; i++) {
        change = step(search, singular);
        if (!isfinite(change))
            return false;
        if (i == 0)
            first = real_largest(f, s);
        size = real_max(size, real_largest(search->x, n));
    }
    second_class_evaluate(search->second_class, search->x);
    if (!singular)
        return s == 0 || real_largest(f, s) <= TOL_COARSE * first;
    size = real_max(search->size, real_largest(search->x, n));
    double most = TOL_RANK * real_largest(H, n * n) * size;
    return real_largest(g, n) <= most && fabs(f[0]) <= most * size;
}

// Where the search is, unless that is known.
static void add_found(const Search *search, StationaryKind kind)
{
    Stationary *found = search->found;
    size_t n = search->n, at = found->count;
    // Newton's method leaves those that are the same apart by less.
    for (size_t i = 0; i < found->count; i++)
        if (second_class_distance(search->second_class, search->x, found->at[i].a) <= TOL_SMALL)
            return;
    StationaryPoint point = {.kind = kind,
                             .a = real_alloc(found->arena, n),
                             .error = NAN,
                             .measure = second_class_measure(search->second_class, search->x)};
    memcpy(point.a, search->x, n * sizeof *point.a);
    for (; at > 0 && stationary_order(&found->at[at - 1], &point, n) > 0; at--)
        found->at[at] = found->at[at - 1];
    found->at[at] = point;
    found->count++;
}

static void place(Search *search, size_t index, double box)
{
    memcpy(search->x, search->second_class->free, search->n * sizeof(double));
    memset(search->x + search->n, 0, (search->m + search->s) * sizeof(double));
    for (size_t i = 0, dimension = 0; i < search->n; i++)
        if (search->occurs[i])
            search->x[i] += box * search->size * halton(index, dimension++);
}

static void search_box(Search *search, double box)
{
    for (size_t i = 0; i < LIMIT_SEARCH / 2; i++) {
        place(search, i, box);
        if (approach(search, false)) {
            second_class_multipliers(search->second_class, search->x);
            if (second_class_newton(search->second_class, search->x))
                add_found(search, STATIONARY_REGULAR);
        }
        place(search, i, box);
        if (search->s == 1 && i % 4 == 0 && approach(search, true))
            add_found(search, STATIONARY_SINGULAR);
    }
}

static void search_points(SecondClass *second_class, Stationary *found)
{
    static const double boxes[] = {1, 0.1, 10, 100};
    size_t n = second_class->eq->n, m = second_class->problem.row_count, s = second_class->curved;
    double size = real_largest(second_class->free, n);
    assert(s > 0 || second_class->energy);
    Arena *arena = found->arena = arena_new();
    // A place leads to one of each kind at most.
    found->at = arena_array(arena, StationaryPoint, 4 * LIMIT_SEARCH);
    Search search = {.second_class = second_class,
                     .found = found,
                     .n = n,
                     .m = m,
                     .s = s,
                     .size = size > 0 ? size : 1,
                     .x = real_alloc(arena, n + m + s),
                     .matrix = real_alloc(arena, (m + s + n) * n),
                     .right = real_alloc(arena, m + s + n),
                     .occurs = arena_array(arena, bool, n)};
    const Motion *motion = second_class->eq->motion;
    for (size_t i = 0; i < n * s; i++)
        if (expr_holds(motion->pool, motion->seconds[motion->affine_count + i / n].f,
                       motion->a[i % n]))
            search.occurs[i % n] = true;
    for (size_t i = 0; i < n && second_class->energy; i++)
        search.occurs[i] =
            search.occurs[i] ||
            expr_holds(motion->pool, second_class->eq->second_class->sigma, motion->a[i]);
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        search_box(&search, boxes[i]);
}

// ---- All of them.

// With σ the value is that of S − Σ Q q'' (Appell 17), of which no free motion is known beforehand.
static double offset_of(SecondClass *second_class)
{
    const KktProblem *problem = &second_class->problem;
    size_t n = second_class->eq->n;
    const double *free = second_class->free;
    double offset = 0;
    if (!second_class->energy)
        return kkt_gauss_measure(second_class->state->kkt, problem, free, &offset) ? offset : 0;
    for (size_t i = 0; i < n; i++)
        offset += free[i] * (real_dot(problem->inertia + i * n, free, n) / 2 - problem->force[i]);
    return offset;
}

bool branches_find(SecondClass *second_class, RunBranches *branches)
{
    assert(second_class->curved > 0 || second_class->energy);
    *branches = (RunBranches){.arena = arena_new()};
    if (!second_class_look(second_class))
        return false;
    branches->offset = offset_of(second_class);
    Stationary stationary;
    branches->certified = ask_exactly(second_class, &stationary) == ANSWER_YES;
    if (!branches->certified) {
        stationary_clear(&stationary);
        search_points(second_class, &stationary);
    }
    list(second_class, branches, &stationary);
    stationary_clear(&stationary);
    return true;
}

void branches_clear(RunBranches *branches)
{
    arena_free(branches->arena);
    base_free(branches->at);
    *branches = (RunBranches){0};
}

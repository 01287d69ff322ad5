// stationary_search.c: stationary points of Gauss's function by Newton's method from many places.
//
// For conditions that are no polynomials, or too large ones. The places are the same in every run:
// Halton's points in boxes of several sizes about the accelerations without the conditions. From
// each the nearest point of f = 0 is looked for first, there the multipliers are fitted, then
// Newton decides. What is found is there; that it is all is not known.
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
    RunBranches *branches; // what was found
    size_t n, m, s;
    double size;              // of the accelerations
    double *x;                // where it is
    double *matrix, *right;   // of a step
    size_t *occurring, count; // the accelerations that the conditions hold
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
    const KktProblem *problem = &search->second_class->problem;
    assert(!singular || s == 1);
    search->x[n + m] = singular;
    second_class_evaluate(search->second_class, search->x);
    const double *f = search->second_class->local.out, *g = f + s, *H = g + s * n;
    for (size_t i = 0; i < m; i++) {
        const double *row = problem->rows + i * n;
        put(search, total, i, row, -problem->drift[i] - real_dot(row, search->x, n));
    }
    for (size_t i = 0; i < s; i++)
        put(search, total, m + i, g + i * n, -f[i]);
    for (size_t i = 0; i < n && singular; i++)
        put(search, total, m + s + i, H + i * n, -g[i]);
    if (!second_class_least_squares(search->matrix, total, n, search->right))
        return INFINITY;
    real_add_times(1, search->right, n, search->x);
    return real_largest(search->right, n);
}

// Steps until they are rounding; false where one is missing. f and its derivatives are then those
// at x, *first is what f was before.
static bool iterate(Search *search, bool singular, double *first)
{
    double change = INFINITY, size = search->size;
    for (size_t i = 0; i < LIMIT_STEPS && change > TOL_SUM * size; i++) {
        change = step(search, singular);
        if (!isfinite(change))
            return false;
        if (i == 0)
            *first = real_largest(search->second_class->local.out, search->s);
        size = real_max(size, real_largest(search->x, search->n));
    }
    second_class_evaluate(search->second_class, search->x);
    return true;
}

// Near f = 0; false where it is not met.
static bool approach(Search *search)
{
    double first = 0;
    return iterate(search, false, &first) &&
           real_largest(search->second_class->local.out, search->s) <= TOL_COARSE * first;
}

static bool approach_singular(Search *search)
{
    size_t n = search->n;
    double first = 0;
    if (!iterate(search, true, &first))
        return false;
    const double *f = search->second_class->local.out, *g = f + 1, *H = g + n;
    double size = real_max(search->size, real_largest(search->x, n));
    double most = TOL_RANK * real_largest(H, n * n) * size;
    return real_largest(g, n) <= most && fabs(f[0]) <= most * size;
}

static void find_occurring(Search *search)
{
    const Motion *motion = search->second_class->eq->motion;
    for (size_t i = 0; i < search->n; i++) {
        bool occurs = false;
        for (size_t j = 0; j < search->s && !occurs; j++)
            occurs = expr_holds(motion->pool, motion->seconds[search->second_class->affine + j].f,
                                motion->a[i]);
        if (occurs)
            search->occurring[search->count++] = i;
    }
}

static void place(Search *search, size_t index, double box)
{
    memcpy(search->x, search->second_class->free, search->n * sizeof(double));
    memset(search->x + search->n, 0, (search->m + search->s) * sizeof(double));
    for (size_t i = 0; i < search->count; i++)
        search->x[search->occurring[i]] += box * search->size * halton(index, i);
}

static void search_box(Search *search, double box)
{
    for (size_t i = 0; i < LIMIT_SEARCH / 2; i++) {
        place(search, i, box);
        if (approach(search)) {
            second_class_multipliers(search->second_class, search->x);
            if (second_class_newton(search->second_class, search->x))
                branches_add(search->second_class, search->branches, false, search->x);
        }
        place(search, i, box);
        if (search->s == 1 && i % 4 == 0 && approach_singular(search))
            branches_add(search->second_class, search->branches, true, search->x);
    }
}

void branch_search(SecondClass *second_class, RunBranches *branches)
{
    static const double boxes[] = {1, 0.1, 10, 100};
    size_t n = second_class->eq->n, m = second_class->problem.row_count, s = second_class->curved;
    double size = real_largest(second_class->free, n);
    assert(s > 0);
    Arena *arena = arena_new();
    Search search = {.second_class = second_class,
                     .branches = branches,
                     .n = n,
                     .m = m,
                     .s = s,
                     .size = size > 0 ? size : 1,
                     .x = real_alloc(arena, n + m + s),
                     .matrix = real_alloc(arena, (m + s + n) * n),
                     .right = real_alloc(arena, m + s + n),
                     .occurring = arena_array(arena, size_t, n + 1)};
    find_occurring(&search);
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        search_box(&search, boxes[i]);
    arena_free(arena);
}

// stationary_search.c: stationary points of Gauss's function by Newton's method from many places.
//
// For conditions that are no polynomials, or too large ones. The places are the same in every run:
// Halton's points in boxes of several sizes about the accelerations without the conditions. From
// each the nearest point of f = 0 is looked for first, there the multipliers are fitted, then
// Newton decides. What is found is there; that it is all is not known.
#include "dynamics/second_class/second_class.h"
#include "expr/expr.h"
#include "linalg/dense.h"
#include "linalg/kkt.h"
#include "motion/motion_types.h"

#include <math.h>
#include <string.h>

enum { PLACES = 160, BOXES = 4, MOST_APPROACH = 30, MOST_SINGULAR = 60 };
// How well f must be met before Newton begins, of its size at first; a singular point's f and
// ∂f/∂q''.
#define MET      1e-3
#define SINGULAR 1e-10

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
    const KktProblem *problem;
    const double *inputs;
    BranchTell tell;
    void *context;
    size_t n, m, s;
    double size;      // of the accelerations
    double *free, *x; // without the conditions; where the search is
    double *matrix, *right, *singular;
    size_t *occurring, count; // the accelerations that the conditions hold
} Search;

// A least change of a towards [rows; lines]·da = −[misses]; lines stand behind the rows already in
// matrix, `total` in all. False where there is none.
static bool least_change(Search *search, size_t total)
{
    size_t n = search->n, longer = n > total ? n : total;
    lapack_int rank;
    if (!real_all_finite(search->matrix, total * n) || !real_all_finite(search->right, total))
        return false;
    return LAPACKE_dgelsd(LAPACK_ROW_MAJOR, (lapack_int)total, (lapack_int)n, 1, search->matrix,
                          (lapack_int)n, search->right, 1, search->singular, 1e-10, &rank) == 0 &&
           real_all_finite(search->right, longer < n ? longer : n);
}

static double put_rows(Search *search)
{
    size_t n = search->n, m = search->m, s = search->s;
    const double *f = search->second_class->local.out, *g = f + s;
    double miss = 0;
    memcpy(search->matrix, search->problem->rows, m * n * sizeof(double));
    memcpy(search->matrix + m * n, g, s * n * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        search->right[i] = -search->problem->drift[i];
        for (size_t j = 0; j < n; j++)
            search->right[i] -= search->problem->rows[i * n + j] * search->x[j];
    }
    for (size_t i = 0; i < s; i++) {
        search->right[m + i] = -f[i];
        miss = fmax(miss, fabs(f[i]));
    }
    return miss;
}

// Towards f = 0 by least changes; false where it is not met.
static bool approach(Search *search)
{
    double first = 0, miss = 0;
    for (int round = 0; round < MOST_APPROACH; round++) {
        second_class_evaluate(search->second_class, search->problem, search->inputs, search->x);
        miss = put_rows(search);
        first = round == 0 ? miss : first;
        if (!isfinite(miss) || miss <= 1e-12 * first ||
            !least_change(search, search->m + search->s))
            break;
        for (size_t j = 0; j < search->n; j++)
            search->x[j] += search->right[j];
    }
    return miss <= MET * first;
}

// Towards f = 0 and ∂f/∂q'' = 0 together, for one condition: Gauss and Newton's method. The second
// derivatives are H for λ = 1.
static bool approach_singular(Search *search)
{
    size_t n = search->n, m = search->m, total = m + 1 + n;
    double change = INFINITY, size = search->size;
    for (int round = 0; round < MOST_SINGULAR && change > 1e-13 * size; round++) {
        search->x[n + m] = 1;
        second_class_evaluate(search->second_class, search->problem, search->inputs, search->x);
        const double *f = search->second_class->local.out, *g = f + 1, *H = g + n;
        put_rows(search);
        memcpy(search->matrix + (m + 1) * n, H, n * n * sizeof(double));
        for (size_t i = 0; i < n; i++)
            search->right[m + 1 + i] = -g[i];
        if (!least_change(search, total))
            return false;
        change = 0;
        for (size_t j = 0; j < n; j++) {
            search->x[j] += search->right[j];
            change = fmax(change, fabs(search->right[j]));
            size = fmax(size, fabs(search->x[j]));
        }
    }
    second_class_evaluate(search->second_class, search->problem, search->inputs, search->x);
    const double *f = search->second_class->local.out, *g = f + 1, *H = g + n;
    double slope = 0, curve = 0;
    for (size_t i = 0; i < n; i++)
        slope = fmax(slope, fabs(g[i]));
    for (size_t i = 0; i < n * n; i++)
        curve = fmax(curve, fabs(H[i]));
    return slope <= SINGULAR * curve * size && fabs(f[0]) <= SINGULAR * curve * size * size;
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
    memcpy(search->x, search->free, search->n * sizeof(double));
    memset(search->x + search->n, 0, (search->m + search->s) * sizeof(double));
    for (size_t i = 0; i < search->count; i++)
        search->x[search->occurring[i]] += box * search->size * halton(index, i);
}

static void search_box(Search *search, double box)
{
    for (size_t i = 0; i < PLACES; i++) {
        place(search, i, box);
        if (approach(search)) {
            second_class_multipliers(search->second_class, search->problem, search->inputs,
                                     search->x);
            if (second_class_newton(search->second_class, search->problem, search->inputs,
                                    search->x))
                search->tell(search->context, false, search->x);
        }
        place(search, i, box);
        if (search->s == 1 && i % 4 == 0 && approach_singular(search))
            search->tell(search->context, true, search->x);
    }
}

void branch_search(SecondClass *second_class, const KktProblem *problem, const double *inputs,
                   BranchTell tell, void *context)
{
    static const double boxes[BOXES] = {1, 0.1, 10, 100};
    size_t n = second_class->eq->n, m = problem->row_count, s = second_class->curved;
    size_t rows = m + s + n, longer = rows + n;
    Search search = {.second_class = second_class,
                     .problem = problem,
                     .inputs = inputs,
                     .tell = tell,
                     .context = context,
                     .n = n,
                     .m = m,
                     .s = s};
    search.free = base_alloc((n + m + 1) * sizeof(double));
    search.x = base_alloc((n + m + s + 1) * sizeof(double));
    search.matrix = base_alloc((rows * n + 1) * sizeof(double));
    search.right = base_alloc((longer + 1) * sizeof(double));
    search.singular = base_alloc((longer + 1) * sizeof(double));
    search.occurring = base_alloc((n + 1) * sizeof *search.occurring);
    KktReport report = kkt_solve(second_class->state->kkt, problem, search.free, search.free + n);
    for (size_t i = 0; i < n; i++)
        search.size = fmax(search.size, fabs(search.free[i]));
    search.size = fmax(search.size, 1);
    find_occurring(&search);
    for (size_t i = 0; i < BOXES && report.outcome == SOLVE_DONE; i++)
        search_box(&search, boxes[i]);
    base_free(search.free);
    base_free(search.x);
    base_free(search.matrix);
    base_free(search.right);
    base_free(search.singular);
    base_free(search.occurring);
}

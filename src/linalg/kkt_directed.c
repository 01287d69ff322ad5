// kkt_directed.c: rows that active forces of given directions keep (servo conditions).
//
//     𝓜a − dᵀλ = K − h,   g·a = −γ
//
// Coordinates are scaled by their inertia and rows to unit length, by powers of two. With
// orthonormal axes for each, gᵀ = Q_g R_g and dᵀ = Q_d R_d, the rows fix the part of a that lies
// along them; the rest is found on the displacements on which the forces do no work,
// Z_dᵀ𝓜Z_g z = …, which is regular just where the forces can keep the rows; then λ by back
// substitution.
#include "linalg/dense.h"
#include "linalg/kkt_impl.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

// Of a unit row, and of Z_dᵀ𝓜Z_g against the inertia, what counts as nothing.
#define DEPENDENT 1e-11
#define POWERLESS 1e-12

// Axes of a set of rows: Q whole, the first m columns along the rows, then R.
typedef struct {
    double *axes;   // n × n, column after column
    double *factor; // n × m: R above, column after column
    double *tau;    // m
    double *size;   // m: unit row = size · scaled row
} RowAxes;

struct Directed {
    size_t n;
    double *scale;   // n
    double *inertia; // n × n, scaled
    double *force;   // n, scaled
    double *a;       // n, scaled
    double *along;   // n: a in the axes of g
    double *rest;    // n
    double *half;    // n × n: 𝓜·Q_g
    double *mixed;   // n × n: Z_dᵀ𝓜Z_g
    RowAxes of_rows, of_directions;
    double *work;
    lapack_int *pivots, *whole, work_size;
};

static double *numbers_for(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

static void axes_init(RowAxes *axes, size_t n, size_t rows)
{
    axes->axes = numbers_for(n * n);
    axes->factor = numbers_for(n * rows);
    axes->tau = numbers_for(rows);
    axes->size = numbers_for(rows);
}

static void axes_clear(RowAxes *axes)
{
    base_free(axes->axes);
    base_free(axes->factor);
    base_free(axes->tau);
    base_free(axes->size);
}

Directed *directed_new(size_t n, size_t most_rows)
{
    Directed *directed = base_alloc(sizeof *directed);
    // Blocks of 64 are more than LAPACK asks for; dgecon wants 4n.
    *directed = (Directed){.n = n, .work_size = (lapack_int)(64 * (n + 1))};
    directed->scale = numbers_for(n);
    directed->inertia = numbers_for(n * n);
    directed->force = numbers_for(n);
    directed->a = numbers_for(n);
    directed->along = numbers_for(n);
    directed->rest = numbers_for(n);
    directed->half = numbers_for(n * n);
    directed->mixed = numbers_for(n * n);
    axes_init(&directed->of_rows, n, most_rows);
    axes_init(&directed->of_directions, n, most_rows);
    directed->work = numbers_for((size_t)directed->work_size);
    directed->pivots = base_alloc((2 * n + 1) * sizeof *directed->pivots);
    directed->whole = directed->pivots + n;
    return directed;
}

void directed_free(Directed *directed)
{
    if (!directed)
        return;
    base_free(directed->scale);
    base_free(directed->inertia);
    base_free(directed->force);
    base_free(directed->a);
    base_free(directed->along);
    base_free(directed->rest);
    base_free(directed->half);
    base_free(directed->mixed);
    axes_clear(&directed->of_rows);
    axes_clear(&directed->of_directions);
    base_free(directed->work);
    base_free(directed->pivots);
    base_free(directed);
}

// ---- The steps.

static void scale_inertia(Directed *directed, const KktProblem *problem)
{
    size_t n = directed->n;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = real_max(most, fabs(problem->inertia[i * n + i]));
    for (size_t i = 0; i < n; i++) {
        double own = fabs(problem->inertia[i * n + i]);
        own = own > DEPENDENT * most ? own : most > 0 ? most : 1;
        directed->scale[i] = ldexp(1, -ilogb(own) / 2);
    }
    for (size_t i = 0; i < n; i++) {
        directed->force[i] = directed->scale[i] * problem->force[i];
        for (size_t j = 0; j < n; j++)
            directed->inertia[j * n + i] =
                directed->scale[i] * problem->inertia[i * n + j] * directed->scale[j];
    }
}

// Q and R of the rows, scaled; false where one depends on the ones before it.
static bool find_axes(const Directed *directed, const double *rows, size_t m, RowAxes *axes)
{
    size_t n = directed->n;
    lapack_int size = (lapack_int)n, count = (lapack_int)m, leading = size > 0 ? size : 1;
    if (m > n)
        return false;
    for (size_t i = 0; i < m; i++) {
        double *column = axes->factor + i * n;
        for (size_t j = 0; j < n; j++)
            column[j] = rows[i * n + j] * directed->scale[j];
        double length = sqrt(real_dot(column, column, n));
        if (!(length > 0))
            return false;
        axes->size[i] = ldexp(1, -ilogb(length));
        for (size_t j = 0; j < n; j++)
            column[j] *= axes->size[i];
    }
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, size, count, axes->factor, leading, axes->tau,
                        directed->work, directed->work_size);
    for (size_t i = 0; i < m; i++)
        if (!(fabs(axes->factor[i * n + i]) > DEPENDENT))
            return false;
    memset(axes->axes, 0, n * n * sizeof *axes->axes);
    for (size_t j = 0; j < n; j++)
        axes->axes[j * n + j] = 1;
    if (m > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', size, size, count, axes->factor, leading,
                            axes->tau, axes->axes, leading, directed->work, directed->work_size);
    return true;
}

// Rx = x or Rᵀx = x.
static void back_substitute(const Directed *directed, const RowAxes *axes, char transposed,
                            size_t m, double *x)
{
    lapack_int size = (lapack_int)directed->n;
    if (m > 0)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed, 'N', (lapack_int)m, 1, axes->factor,
                            size > 0 ? size : 1, x, (lapack_int)m);
}

// Z_dᵀ𝓜Z_g z = Z_dᵀ(F − 𝓜·what the rows fix); false where it is singular.
static bool solve_free(Directed *directed, size_t m, double *power)
{
    size_t n = directed->n, k = n - m;
    lapack_int size = (lapack_int)k;
    const double *g = directed->of_rows.axes, *d = directed->of_directions.axes;
    double *z = directed->along + m;
    // What is left of the inertia is measured by the whole of it, all of whose parts are about 1.
    double norm = 1;
    *power = k == 0;
    if (k == 0)
        return true;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            directed->half[j * n + i] = real_dot(directed->inertia + i * n, g + j * n, n);
    memcpy(directed->rest, directed->force, n * sizeof *directed->rest);
    for (size_t j = 0; j < m; j++)
        real_add_times(-directed->along[j], directed->half + j * n, n, directed->rest);
    for (size_t a = 0; a < k; a++) {
        double sum = 0;
        z[a] = real_dot(d + (m + a) * n, directed->rest, n);
        for (size_t b = 0; b < k; b++) {
            double entry = real_dot(d + (m + b) * n, directed->half + (m + a) * n, n);
            directed->mixed[a * k + b] = entry;
            sum += fabs(entry);
        }
        norm = real_max(norm, sum);
    }
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, directed->mixed, size,
                            directed->pivots) != 0)
        return false;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', size, directed->mixed, size, norm, power,
                        directed->work, directed->whole);
    if (!(*power > POWERLESS))
        return false;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', size, 1, directed->mixed, size, directed->pivots, z,
                        size);
    return true;
}

SolveOutcome directed_solve(Directed *directed, const KktProblem *problem, double *accelerations,
                            double *multipliers, double *power)
{
    size_t n = directed->n, m = problem->row_count;
    *power = 0;
    scale_inertia(directed, problem);
    if (!find_axes(directed, problem->rows, m, &directed->of_rows) ||
        !find_axes(directed, problem->directions, m, &directed->of_directions))
        return SOLVE_UNCONTROLLABLE;
    for (size_t i = 0; i < m; i++)
        directed->along[i] = -directed->of_rows.size[i] * problem->drift[i];
    back_substitute(directed, &directed->of_rows, 'T', m, directed->along);
    if (!solve_free(directed, m, power))
        return SOLVE_UNCONTROLLABLE;
    memset(directed->a, 0, n * sizeof *directed->a);
    for (size_t j = 0; j < n; j++)
        real_add_times(directed->along[j], directed->of_rows.axes + j * n, n, directed->a);
    // What the forces must give: R_d λ = Q_dᵀ(𝓜a − F).
    for (size_t i = 0; i < n; i++) {
        directed->rest[i] =
            real_dot(directed->inertia + i * n, directed->a, n) - directed->force[i];
        accelerations[i] = directed->scale[i] * directed->a[i];
    }
    for (size_t i = 0; i < m; i++)
        multipliers[i] = real_dot(directed->of_directions.axes + i * n, directed->rest, n);
    back_substitute(directed, &directed->of_directions, 'N', m, multipliers);
    for (size_t i = 0; i < m; i++)
        multipliers[i] *= directed->of_directions.size[i];
    return SOLVE_DONE;
}

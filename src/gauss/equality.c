// equality.c: least constraint under equations, by the null-space method.
//
// Coordinates and rows are first scaled by powers of two (units then matter little and no digit
// is lost). With the pivoted factorization gᵀP = Q(R₁₁ R₁₂; 0 0) everything is said in the axes
// Q: the first `rank` parts of the acceleration follow from the rows, the others from the
// inertia that is left, T₂₂ = (Qᵀ𝓜Q)₂₂, and the multipliers by back substitution.
// Source of the method: Gill, Murray, Wright, Practical Optimization (1981), 5.1.
#include "gauss/gauss_impl.h"

#include <assert.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// A row is dependent where, of its unit length, no more than this stands off the rows before it.
// Larger: states near a singular one are called singular. Smaller: rounding passes for a row.
#define RANK_TOLERANCE 1e-11
// A row this much shorter than the longest one (in the metric of inertia) is no row but rounding.
#define SHORT_ROW 1e-13
// Inertia of a free velocity, against the largest part of its scaled matrix, that counts as none.
#define INERTIA_TOLERANCE 1e-13
// Scales of coordinates differ at most as the square root of this ratio of inertias does; beyond
// it, scaling for inertia would hide that rows are independent.
#define INERTIA_SPAN 1e-12
// Up to this many numbers plain loops are quicker than LAPACK.
#define FEW 24
// A pivot of a small block, against the largest, above which no other order would be better.
#define SAFE_PIVOT 1e-6
// Dependent rows may disagree by this part of the accelerations at hand, and by this much alone.
#define AGREEMENT       1e-8
#define AGREEMENT_FLOOR 1e-13

struct Gauss {
    size_t n, most_rows;
    double *scale;     // n: coordinate = scale · scaled coordinate
    double *row_scale; // rows: scaled row = row_scale · row
    double *inertia;   // n × n: scaled 𝓜, then Qᵀ𝓜Q
    double *diagonal;  // n: what Cholesky's factors overwrite
    bool is_diagonal;  // these factors are
    double *axes;      // n × rows: the scaled gᵀ, then its factors
    double *tau;       // min(n, rows): factors of the reflectors
    double *along;     // n: the acceleration in the axes Q
    double *force;     // n: the force in the axes Q
    double *asked;     // rows: −γ scaled, in the order of the pivots
    double *dependent; // rows × rows: R₁₁⁻¹R₁₂, and then what least norm needs
    double *normal;    // rows × rows: I + VVᵀ
    double *witness;   // max(n, rows)
    double *work;
    lapack_int *pivots;  // rows, from 1
    lapack_int *pivots2; // n, from 1
    lapack_int work_size;
    Directed *directed; // made when it is first needed
};

static lapack_int lapack(size_t size)
{
    return (lapack_int)size;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// The leading dimension of a matrix with this many rows.
static lapack_int leading(size_t rows)
{
    return lapack(larger(rows, 1));
}

// LAPACK's own wish for work space, the largest over what a solve calls.
static size_t work_wanted(size_t n, size_t m)
{
    double none[1] = {0}, wish[4] = {0};
    lapack_int pivot[1] = {0}, reflectors = lapack(n < m ? n : m);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, lapack(n), lapack(m), none, leading(n), pivot, none,
                        &wish[0], -1);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', lapack(n), lapack(n), reflectors, none,
                        leading(n), none, none, leading(n), &wish[1], -1);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'R', 'N', lapack(n), lapack(n), reflectors, none,
                        leading(n), none, none, leading(n), &wish[2], -1);
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', lapack(n), none, leading(n), none, &wish[3], -1);
    // dpstrf wants 2n, dgeqp3 at least 3m + 1.
    size_t most = larger(2 * n, 3 * m + 1);
    for (size_t i = 0; i < 4; i++)
        most = larger(most, (size_t)wish[i]);
    return larger(most, 1);
}

static double *numbers(size_t count)
{
    return base_alloc(larger(count, 1) * sizeof(double));
}

Gauss *gauss_new(size_t coordinates, size_t most_rows)
{
    size_t n = coordinates, m = most_rows;
    Gauss *gauss = base_alloc(sizeof *gauss);
    gauss->n = n;
    gauss->most_rows = m;
    gauss->scale = numbers(n);
    gauss->row_scale = numbers(m);
    gauss->inertia = numbers(n * n);
    gauss->diagonal = numbers(n);
    gauss->axes = numbers(n * m);
    gauss->tau = numbers(n < m ? n : m);
    gauss->along = numbers(n);
    gauss->force = numbers(n);
    gauss->asked = numbers(m);
    gauss->dependent = numbers(m * m);
    gauss->normal = numbers(m * m);
    gauss->witness = numbers(larger(n, m));
    gauss->pivots = base_alloc(larger(m, 1) * sizeof *gauss->pivots);
    gauss->pivots2 = base_alloc(larger(n, 1) * sizeof *gauss->pivots2);
    size_t wanted = work_wanted(n, m);
    gauss->work_size = lapack(wanted);
    gauss->work = numbers(wanted);
    return gauss;
}

void gauss_free(Gauss *gauss)
{
    if (gauss == NULL)
        return;
    directed_free(gauss->directed);
    double *owned[] = {gauss->scale, gauss->row_scale, gauss->inertia, gauss->diagonal,
                       gauss->axes,  gauss->tau,       gauss->along,   gauss->force,
                       gauss->asked, gauss->dependent, gauss->normal,  gauss->witness,
                       gauss->work};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(gauss->pivots);
    base_free(gauss->pivots2);
    base_free(gauss);
}

const double *gauss_witness(const Gauss *gauss)
{
    return gauss->witness;
}

// ---- Scaling.

// A power of two near 1/x, by the exponent in its digits: the library's functions for that take
// longer than all else that is done to a coordinate.
static double near_inverse(double x)
{
    if (!(x >= DBL_MIN && x <= 1 / DBL_MIN))
        return x > 0 ? ldexp(1, -ilogb(x)) : 1;
    uint64_t digits;
    memcpy(&digits, &x, sizeof digits);
    digits = (2046 - (digits >> 52)) << 52;
    memcpy(&x, &digits, sizeof x);
    return x;
}

static double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = more(most, fabs(values[i]));
    return most;
}

// Measures each coordinate so that its inertia is near 1.
static void scale_inertia(Gauss *gauss, const GaussProblem *problem)
{
    size_t n = gauss->n;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = more(most, fabs(problem->inertia[i * n + i]));
    for (size_t i = 0; i < n; i++) {
        double own = fabs(problem->inertia[i * n + i]);
        own = own > 0 ? more(own, INERTIA_SPAN * most) : most;
        gauss->scale[i] = near_inverse(sqrt(own));
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            gauss->inertia[i * n + j] =
                gauss->scale[i] * problem->inertia[i * n + j] * gauss->scale[j];
    for (size_t i = 0; i < n; i++)
        gauss->force[i] = gauss->scale[i] * problem->force[i];
}

// The rows in scaled coordinates, each of a length near 1; a row after the other is gᵀ to LAPACK.
static void scale_rows(Gauss *gauss, const GaussProblem *problem)
{
    size_t n = gauss->n, m = problem->row_count;
    double most = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++)
            gauss->axes[i * n + j] = problem->rows[i * n + j] * gauss->scale[j];
        gauss->row_scale[i] = largest(gauss->axes + i * n, n);
        most = more(most, gauss->row_scale[i]);
    }
    for (size_t i = 0; i < m; i++) {
        double length = gauss->row_scale[i];
        bool vanishes = length <= SHORT_ROW * most;
        gauss->row_scale[i] = near_inverse(vanishes ? most : length);
        for (size_t j = 0; j < n; j++)
            gauss->axes[i * n + j] *= vanishes ? 0 : gauss->row_scale[i];
    }
}

// ---- Rows.

// The row that stands at a place in the order of the pivots.
static size_t row_at(const Gauss *gauss, size_t place)
{
    return gauss->n > 0 ? (size_t)gauss->pivots[place] - 1 : place;
}

// Factors the scaled rows and returns their rank; `asked` is −γ in the order of the pivots.
static size_t factor_rows(Gauss *gauss, const GaussProblem *problem)
{
    size_t n = gauss->n, m = problem->row_count, rank = 0;
    if (m == 0)
        return 0;
    memset(gauss->pivots, 0, m * sizeof *gauss->pivots);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, lapack(n), lapack(m), gauss->axes, leading(n),
                        gauss->pivots, gauss->tau, gauss->work, gauss->work_size);
    while (rank < n && rank < m && gauss->axes[0] != 0 &&
           fabs(gauss->axes[rank * n + rank]) > RANK_TOLERANCE * fabs(gauss->axes[0]))
        rank++;
    for (size_t k = 0; k < m; k++) {
        size_t row = row_at(gauss, k);
        gauss->asked[k] = -gauss->row_scale[row] * problem->drift[row];
    }
    return rank;
}

// Solves R₁₁x = x or R₁₁ᵀx = x for several columns of `count` numbers.
static void back_substitute(const Gauss *gauss, char transposed, size_t rank, double *columns,
                            size_t count)
{
    if (rank > 0 && count > 0)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed, 'N', lapack(rank), lapack(count),
                            gauss->axes, leading(gauss->n), columns, lapack(rank));
}

// How each dependent row is combined of the independent ones: W = R₁₁⁻¹R₁₂.
static void combine_dependent(Gauss *gauss, size_t rank, size_t m)
{
    for (size_t k = rank; k < m; k++)
        for (size_t i = 0; i < rank; i++)
            gauss->dependent[(k - rank) * rank + i] = gauss->axes[k * gauss->n + i];
    back_substitute(gauss, 'N', rank, gauss->dependent, m - rank);
}

// Do the dependent rows ask for what they then get? If not, *row is the last of the rows that
// disagree, and the witness their combination.
static bool rows_agree(Gauss *gauss, size_t rank, size_t m, size_t *row)
{
    double scale =
        largest(gauss->asked, m) + largest(gauss->along, rank) + largest(gauss->force, gauss->n);
    double worst = AGREEMENT * scale + AGREEMENT_FLOOR;
    size_t worst_at = m;
    for (size_t k = rank; k < m; k++) {
        double miss = gauss->asked[k];
        for (size_t i = 0; i < rank; i++)
            miss -= gauss->axes[k * gauss->n + i] * gauss->along[i];
        if (fabs(miss) > worst) {
            worst = fabs(miss);
            worst_at = k;
        }
    }
    if (worst_at == m)
        return true;

    const double *weights = gauss->dependent + (worst_at - rank) * rank;
    double own_scale = gauss->row_scale[row_at(gauss, worst_at)];
    memset(gauss->witness, 0, m * sizeof *gauss->witness);
    *row = row_at(gauss, worst_at);
    gauss->witness[*row] = 1;
    for (size_t i = 0; i < rank; i++) {
        size_t other = row_at(gauss, i);
        if (fabs(weights[i]) <= AGREEMENT)
            continue;
        gauss->witness[other] = -weights[i] * gauss->row_scale[other] / own_scale;
        *row = larger(*row, other);
    }
    return false;
}

// The multipliers of least norm that give the same reactions as `sigma` on the independent rows
// alone, in unscaled rows: λ₁ + Vλ₂ = σ, so λ₁ = κ, λ₂ = Vᵀκ with (I + VVᵀ)κ = σ.
static void spread_multipliers(Gauss *gauss, size_t rank, size_t m, double *sigma,
                               double *multipliers)
{
    size_t rest = m - rank;
    for (size_t k = 0; k < rest; k++)
        for (size_t i = 0; i < rank; i++)
            gauss->dependent[k * rank + i] *=
                gauss->row_scale[row_at(gauss, i)] / gauss->row_scale[row_at(gauss, rank + k)];
    for (size_t i = 0; i < rank; i++)
        for (size_t j = 0; j < rank; j++) {
            double sum = i == j;
            for (size_t k = 0; k < rest; k++)
                sum += gauss->dependent[k * rank + i] * gauss->dependent[k * rank + j];
            gauss->normal[i * rank + j] = sum;
        }
    if (rest > 0 && rank > 0)
        LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', lapack(rank), 1, gauss->normal, lapack(rank),
                           sigma, lapack(rank));
    for (size_t i = 0; i < rank; i++)
        multipliers[row_at(gauss, i)] = sigma[i];
    for (size_t k = 0; k < rest; k++) {
        double sum = 0;
        for (size_t i = 0; i < rank; i++)
            sum += gauss->dependent[k * rank + i] * sigma[i];
        multipliers[row_at(gauss, rank + k)] = sum;
    }
}

// ---- Inertia.

// Multiplies by Q ('N') or Qᵀ ('T') from the left or right, in place.
static void turn(Gauss *gauss, char side, char transposed, size_t rank, double *matrix,
                 size_t columns)
{
    if (rank > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, side, transposed, lapack(gauss->n), lapack(columns),
                            lapack(rank), gauss->axes, leading(gauss->n), gauss->tau, matrix,
                            leading(gauss->n), gauss->work, gauss->work_size);
}

// Uᵀx = x for four columns: their sums do not wait for each other.
static void solve_four(const double *root, size_t n, size_t size, double *columns)
{
    double *a = columns, *b = a + size, *c = b + size, *d = c + size;
    for (size_t i = 0; i < size; i++) {
        const double *above = root + i * n;
        double inverse = 1 / above[i], of_a = a[i], of_b = b[i], of_c = c[i], of_d = d[i];
        for (size_t k = 0; k < i; k++) {
            of_a -= above[k] * a[k];
            of_b -= above[k] * b[k];
            of_c -= above[k] * c[k];
            of_d -= above[k] * d[k];
        }
        a[i] = of_a * inverse;
        b[i] = of_b * inverse;
        c[i] = of_c * inverse;
        d[i] = of_d * inverse;
    }
}

// Solves Ux = x or Uᵀx = x for several columns of `size` numbers, U being Cholesky's factor of the
// block of that size at the end of the inertia's diagonal.
static void solve_root(const Gauss *gauss, char transposed, size_t size, double *columns,
                       size_t count)
{
    size_t n = gauss->n;
    const double *root = gauss->inertia + (n - size) * (n + 1);
    if (gauss->is_diagonal) {
        for (double *x = columns; x < columns + count * size; x += size)
            for (size_t i = 0; i < size; i++)
                x[i] /= root[i * n + i];
        return;
    }
    if (size > FEW) {
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed, 'N', lapack(size), lapack(count),
                            root, leading(n), columns, lapack(size));
        return;
    }
    if (transposed == 'T') {
        size_t done = 0;
        for (; done + 4 <= count; done += 4)
            solve_four(root, n, size, columns + done * size);
        for (double *x = columns + done * size; x < columns + count * size; x += size)
            for (size_t i = 0; i < size; i++)
                x[i] = (x[i] - dot(root + i * n, x, i)) / root[i * n + i];
        return;
    }
    for (double *x = columns; x < columns + count * size; x += size)
        for (size_t i = size; i-- > 0;) {
            x[i] /= root[i * n + i];
            add_times(-x[i], root + i * n, i, x);
        }
}

// Cholesky's factors of a small block that is far from singular, without a choice of pivots: its
// upper half is overwritten. False, with that half put back, where LAPACK has to look.
static bool factor_few(Gauss *gauss, size_t size, double most)
{
    size_t n = gauss->n;
    double *block = gauss->inertia + (n - size) * (n + 1);
    bool safe = true, coupled = false;
    for (size_t j = 0; j < size && safe; j++) {
        double *column = block + j * n, pivot = column[j];
        for (size_t i = 0; i < j; i++) {
            if (column[i] == 0 && !coupled)
                continue;
            const double *other = block + i * n;
            coupled = true;
            column[i] = (column[i] - dot(other, column, i)) / other[i];
            pivot -= column[i] * column[i];
        }
        safe = pivot > SAFE_PIVOT * most;
        column[j] = safe ? sqrt(pivot) : column[j];
        gauss->pivots2[j] = lapack(j + 1);
    }
    gauss->is_diagonal = safe && !coupled;
    for (size_t j = 0; j < size && !safe; j++)
        for (size_t i = 0; i <= j; i++)
            block[j * n + i] = i == j ? gauss->diagonal[i] : block[i * n + j];
    return safe;
}

// Solves block·x = x for the symmetric block of `size` at the end of the inertia's diagonal.
// False, with the diagonal put back, where the block is not safely positive.
static bool solve_positive(Gauss *gauss, size_t size, double most, double *x)
{
    size_t n = gauss->n;
    double *block = gauss->inertia + (n - size) * (n + 1);
    for (size_t i = 0; i < size; i++)
        gauss->diagonal[i] = block[i * (n + 1)];
    lapack_int rank = lapack(size);
    gauss->is_diagonal = false;
    if (size > FEW || !factor_few(gauss, size, most))
        LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'U', lapack(size), block, leading(n), gauss->pivots2,
                            &rank, INERTIA_TOLERANCE * most, gauss->work);
    // LAPACK asks the first pivot, which is the largest, only to be positive.
    if ((size_t)rank < size || block[0] * block[0] <= INERTIA_TOLERANCE * most) {
        for (size_t i = 0; i < size; i++)
            block[i * (n + 1)] = gauss->diagonal[i];
        return false;
    }
    for (size_t i = 0; i < size; i++)
        gauss->work[i] = x[gauss->pivots2[i] - 1];
    solve_root(gauss, 'T', size, gauss->work, 1);
    solve_root(gauss, 'N', size, gauss->work, 1);
    for (size_t i = 0; i < size; i++)
        x[gauss->pivots2[i] - 1] = gauss->work[i];
    return true;
}

// The same for a block that is not positive, by its principal axes. False where it is singular;
// *null is then the column of the axis with the least inertia.
static bool solve_by_axes(Gauss *gauss, size_t size, double most, double *x, size_t *null)
{
    size_t n = gauss->n;
    double *block = gauss->inertia + (n - size) * (n + 1), *moments = gauss->diagonal;
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', lapack(size), block, leading(n), moments,
                       gauss->work, gauss->work_size);
    *null = 0;
    for (size_t k = 1; k < size; k++)
        if (fabs(moments[k]) < fabs(moments[*null]))
            *null = k;
    if (fabs(moments[*null]) <= INERTIA_TOLERANCE * most)
        return false;
    memset(gauss->work, 0, size * sizeof *gauss->work);
    for (size_t k = 0; k < size; k++) {
        double along = 0;
        for (size_t i = 0; i < size; i++)
            along += block[k * n + i] * x[i];
        for (size_t i = 0; i < size; i++)
            gauss->work[i] += block[k * n + i] * along / moments[k];
    }
    memcpy(x, gauss->work, size * sizeof *x);
    return true;
}

// From the axes Q back to the coordinates of the caller.
static void unscale(Gauss *gauss, size_t rank, double *vector, double *out)
{
    turn(gauss, 'L', 'N', rank, vector, 1);
    for (size_t i = 0; i < gauss->n; i++)
        out[i] = gauss->scale[i] * vector[i];
}

// The velocity without inertia, from a column of principal axes.
static void keep_null_velocity(Gauss *gauss, size_t rank, size_t column)
{
    size_t n = gauss->n, at = 0;
    memset(gauss->along, 0, n * sizeof *gauss->along);
    memcpy(gauss->along + rank, gauss->inertia + (rank + column) * n + rank,
           (n - rank) * sizeof *gauss->along);
    unscale(gauss, rank, gauss->along, gauss->witness);
    for (size_t i = 1; i < n; i++)
        if (fabs(gauss->witness[i]) > fabs(gauss->witness[at]))
            at = i;
    double most = gauss->witness[at];
    for (size_t i = 0; i < n; i++)
        gauss->witness[i] /= most;
}

// ---- The steps of a solve.

GaussReport equality_move(Gauss *gauss, const GaussProblem *problem)
{
    size_t n = gauss->n, m = problem->row_count;
    assert(m <= gauss->most_rows);
    GaussReport report = {.outcome = GAUSS_SOLVED, .positive = true};
    if (!all_finite(problem->inertia, n * n) || !all_finite(problem->force, n) ||
        !all_finite(problem->rows, m * n) || !all_finite(problem->drift, m)) {
        report.outcome = GAUSS_NOT_FINITE;
        return report;
    }

    // What the rows fix: y = R₁₁⁻ᵀ(−γ).
    scale_inertia(gauss, problem);
    scale_rows(gauss, problem);
    size_t rank = report.rank = factor_rows(gauss, problem);
    double *along = gauss->along, *inertia = gauss->inertia;
    memcpy(along, gauss->asked, rank * sizeof *along);
    back_substitute(gauss, 'T', rank, along, 1);
    combine_dependent(gauss, rank, m);
    if (!rows_agree(gauss, rank, m, &report.row)) {
        report.outcome = GAUSS_CONTRADICTION;
        return report;
    }

    // What the inertia decides: T₂₂z = f₂ − T₂₁y.
    size_t size = n - rank, null = 0;
    double most = largest(inertia, n * n);
    turn(gauss, 'L', 'T', rank, inertia, n);
    turn(gauss, 'R', 'N', rank, inertia, n);
    turn(gauss, 'L', 'T', rank, gauss->force, 1);
    for (size_t k = rank; k < n; k++) {
        along[k] = gauss->force[k];
        for (size_t i = 0; i < rank; i++)
            along[k] -= inertia[k * n + i] * along[i];
    }
    if (size > 0 && !solve_positive(gauss, size, most, along + rank)) {
        report.positive = false;
        if (!solve_by_axes(gauss, size, most, along + rank, &null)) {
            report.outcome = GAUSS_SINGULAR;
            keep_null_velocity(gauss, rank, null);
        }
    }
    return report;
}

void equality_accelerations(Gauss *gauss, size_t rank, double *accelerations)
{
    memcpy(gauss->diagonal, gauss->along, gauss->n * sizeof *gauss->diagonal);
    unscale(gauss, rank, gauss->diagonal, accelerations);
}

void equality_terms(const Gauss *gauss, const double *rows, size_t count, double *sizes)
{
    size_t n = gauss->n;
    double most = largest(gauss->along, n) + largest(gauss->force, n);
    for (size_t l = 0; l < count; l++) {
        double size = 0;
        for (size_t j = 0; j < n; j++)
            size += fabs(rows[l * n + j]) * gauss->scale[j];
        sizes[l] = size * most;
    }
}

void equality_normals(Gauss *gauss, size_t rank, const double *rows, size_t count, double *work,
                      double *normals)
{
    size_t n = gauss->n, size = n - rank;
    double most = 0;
    for (size_t l = 0; l < count; l++) {
        for (size_t j = 0; j < n; j++)
            work[l * n + j] = rows[l * n + j] * gauss->scale[j];
        most = more(most, largest(work + l * n, n));
    }
    for (size_t l = 0; l < count; l++) {
        double *row = work + l * n, length = largest(row, n);
        turn(gauss, 'L', 'T', rank, row, 1);
        bool depends = length <= SHORT_ROW * most ||
                       (rank > 0 && largest(row + rank, size) <= RANK_TOLERANCE * length);
        for (size_t i = 0; i < size; i++)
            normals[l * size + i] = depends ? 0 : row[rank + (size_t)gauss->pivots2[i] - 1];
    }
    solve_root(gauss, 'T', size, normals, count);
}

void equality_depart(Gauss *gauss, size_t rank, double *y, const double *pull)
{
    size_t n = gauss->n, size = n - rank;
    solve_root(gauss, 'N', size, y, 1);
    for (size_t i = 0; i < size; i++)
        gauss->along[rank + (size_t)gauss->pivots2[i] - 1] += y[i];
    for (size_t i = 0; i < n; i++)
        gauss->diagonal[i] = gauss->scale[i] * pull[i];
    turn(gauss, 'L', 'T', rank, gauss->diagonal, 1);
    for (size_t i = 0; i < n; i++)
        gauss->force[i] -= gauss->diagonal[i];
}

// R₁₁σ = T₁₁y + T₁₂z − f₁.
void equality_multipliers(Gauss *gauss, size_t rank, size_t row_count, double *multipliers)
{
    size_t n = gauss->n;
    double *reaction = gauss->asked;
    for (size_t i = 0; i < rank; i++) {
        reaction[i] = -gauss->force[i];
        for (size_t k = 0; k < n; k++)
            reaction[i] += gauss->inertia[k * n + i] * gauss->along[k];
    }
    back_substitute(gauss, 'N', rank, reaction, 1);
    for (size_t i = 0; i < rank; i++)
        reaction[i] *= gauss->row_scale[row_at(gauss, i)];
    spread_multipliers(gauss, rank, row_count, reaction, multipliers);
}

// ---- The whole.

// What ideal reactions could not do either is no fault of the directions.
static GaussReport solve_directed(Gauss *gauss, const GaussProblem *problem, double *accelerations,
                                  double *multipliers)
{
    GaussReport report = equality_move(gauss, problem);
    if (report.outcome != GAUSS_SOLVED)
        return report;
    if (!all_finite(problem->directions, problem->row_count * gauss->n)) {
        report.outcome = GAUSS_NOT_FINITE;
        return report;
    }
    if (!gauss->directed)
        gauss->directed = directed_new(gauss->n, gauss->most_rows);
    report.outcome =
        directed_solve(gauss->directed, problem, accelerations, multipliers, &report.power);
    return report;
}

GaussReport gauss_solve(Gauss *gauss, const GaussProblem *problem, double *accelerations,
                        double *multipliers)
{
    if (problem->directions)
        return solve_directed(gauss, problem, accelerations, multipliers);
    GaussReport report = equality_move(gauss, problem);
    if (report.outcome == GAUSS_SOLVED) {
        equality_multipliers(gauss, report.rank, problem->row_count, multipliers);
        equality_accelerations(gauss, report.rank, accelerations);
    }
    return report;
}

bool gauss_constraint(Gauss *gauss, const GaussProblem *problem, const double *accelerations,
                      double *measure, double *free_accelerations)
{
    size_t n = gauss->n;
    scale_inertia(gauss, problem);
    memcpy(gauss->along, gauss->force, n * sizeof *gauss->along);
    if (n > 0 && !solve_positive(gauss, n, largest(gauss->inertia, n * n), gauss->along))
        return false;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        gauss->along[i] *= gauss->scale[i];
        gauss->force[i] = accelerations[i] - gauss->along[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += gauss->force[i] * problem->inertia[i * n + j] * gauss->force[j];
    *measure = sum / 2;
    if (free_accelerations != NULL)
        memcpy(free_accelerations, gauss->along, n * sizeof *free_accelerations);
    return true;
}

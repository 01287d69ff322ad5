// kkt.c: least constraint under equations, by the null-space method.
//
// Coordinates and rows are first scaled by powers of two (units then matter little and no digit
// is lost). With the pivoted factorization gᵀP = Q(R₁₁ R₁₂; 0 0) everything is said in the axes
// Q: the first `rank` parts of the acceleration follow from the rows, the others from the
// inertia that is left, T₂₂ = (Qᵀ𝓜Q)₂₂, and the multipliers by back substitution.
// Source of the method: Gill, Murray, Wright, Practical Optimization (1981), 5.1.
#include "linalg/dense.h"
#include "linalg/kkt_impl.h"

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

struct Kkt {
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

Kkt *kkt_new(size_t coordinates, size_t most_rows)
{
    size_t n = coordinates, m = most_rows;
    Kkt *kkt = base_alloc(sizeof *kkt);
    kkt->n = n;
    kkt->most_rows = m;
    kkt->scale = numbers(n);
    kkt->row_scale = numbers(m);
    kkt->inertia = numbers(n * n);
    kkt->diagonal = numbers(n);
    kkt->axes = numbers(n * m);
    kkt->tau = numbers(n < m ? n : m);
    kkt->along = numbers(n);
    kkt->force = numbers(n);
    kkt->asked = numbers(m);
    kkt->dependent = numbers(m * m);
    kkt->normal = numbers(m * m);
    kkt->witness = numbers(larger(n, m));
    kkt->pivots = base_alloc(larger(m, 1) * sizeof *kkt->pivots);
    kkt->pivots2 = base_alloc(larger(n, 1) * sizeof *kkt->pivots2);
    size_t wanted = work_wanted(n, m);
    kkt->work_size = lapack(wanted);
    kkt->work = numbers(wanted);
    return kkt;
}

void kkt_free(Kkt *kkt)
{
    if (kkt == NULL)
        return;
    directed_free(kkt->directed);
    double *owned[] = {kkt->scale,  kkt->row_scale, kkt->inertia, kkt->diagonal, kkt->axes,
                       kkt->tau,    kkt->along,     kkt->force,   kkt->asked,    kkt->dependent,
                       kkt->normal, kkt->witness,   kkt->work};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(kkt->pivots);
    base_free(kkt->pivots2);
    base_free(kkt);
}

const double *kkt_witness(const Kkt *kkt)
{
    return kkt->witness;
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
        most = real_max(most, fabs(values[i]));
    return most;
}

// Measures each coordinate so that its inertia is near 1.
static void scale_inertia(Kkt *kkt, const KktProblem *problem)
{
    size_t n = kkt->n;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = real_max(most, fabs(problem->inertia[i * n + i]));
    for (size_t i = 0; i < n; i++) {
        double own = fabs(problem->inertia[i * n + i]);
        own = own > 0 ? real_max(own, INERTIA_SPAN * most) : most;
        kkt->scale[i] = near_inverse(sqrt(own));
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            kkt->inertia[i * n + j] = kkt->scale[i] * problem->inertia[i * n + j] * kkt->scale[j];
    for (size_t i = 0; i < n; i++)
        kkt->force[i] = kkt->scale[i] * problem->force[i];
}

// The rows in scaled coordinates, each of a length near 1; a row after the other is gᵀ to LAPACK.
static void scale_rows(Kkt *kkt, const KktProblem *problem)
{
    size_t n = kkt->n, m = problem->row_count;
    double most = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++)
            kkt->axes[i * n + j] = problem->rows[i * n + j] * kkt->scale[j];
        kkt->row_scale[i] = largest(kkt->axes + i * n, n);
        most = real_max(most, kkt->row_scale[i]);
    }
    for (size_t i = 0; i < m; i++) {
        double length = kkt->row_scale[i];
        bool vanishes = length <= SHORT_ROW * most;
        kkt->row_scale[i] = near_inverse(vanishes ? most : length);
        for (size_t j = 0; j < n; j++)
            kkt->axes[i * n + j] *= vanishes ? 0 : kkt->row_scale[i];
    }
}

// ---- Rows.

// The row that stands at a place in the order of the pivots.
static size_t row_at(const Kkt *kkt, size_t place)
{
    return kkt->n > 0 ? (size_t)kkt->pivots[place] - 1 : place;
}

// Factors the scaled rows and returns their rank; `asked` is −γ in the order of the pivots.
static size_t factor_rows(Kkt *kkt, const KktProblem *problem)
{
    size_t n = kkt->n, m = problem->row_count, rank = 0;
    if (m == 0)
        return 0;
    memset(kkt->pivots, 0, m * sizeof *kkt->pivots);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, lapack(n), lapack(m), kkt->axes, leading(n), kkt->pivots,
                        kkt->tau, kkt->work, kkt->work_size);
    while (rank < n && rank < m && kkt->axes[0] != 0 &&
           fabs(kkt->axes[rank * n + rank]) > RANK_TOLERANCE * fabs(kkt->axes[0]))
        rank++;
    for (size_t k = 0; k < m; k++) {
        size_t row = row_at(kkt, k);
        kkt->asked[k] = -kkt->row_scale[row] * problem->drift[row];
    }
    return rank;
}

// Solves R₁₁x = x or R₁₁ᵀx = x for several columns of `count` numbers.
static void back_substitute(const Kkt *kkt, char transposed, size_t rank, double *columns,
                            size_t count)
{
    if (rank > 0 && count > 0)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed, 'N', lapack(rank), lapack(count),
                            kkt->axes, leading(kkt->n), columns, lapack(rank));
}

// How each dependent row is combined of the independent ones: W = R₁₁⁻¹R₁₂.
static void combine_dependent(Kkt *kkt, size_t rank, size_t m)
{
    for (size_t k = rank; k < m; k++)
        for (size_t i = 0; i < rank; i++)
            kkt->dependent[(k - rank) * rank + i] = kkt->axes[k * kkt->n + i];
    back_substitute(kkt, 'N', rank, kkt->dependent, m - rank);
}

// Do the dependent rows ask for what they then get? If not, *row is the last of the rows that
// disagree, and the witness their combination.
static bool rows_agree(Kkt *kkt, size_t rank, size_t m, size_t *row)
{
    double scale = largest(kkt->asked, m) + largest(kkt->along, rank) + largest(kkt->force, kkt->n);
    double worst = AGREEMENT * scale + AGREEMENT_FLOOR;
    size_t worst_at = m;
    for (size_t k = rank; k < m; k++) {
        double miss = kkt->asked[k];
        for (size_t i = 0; i < rank; i++)
            miss -= kkt->axes[k * kkt->n + i] * kkt->along[i];
        if (fabs(miss) > worst) {
            worst = fabs(miss);
            worst_at = k;
        }
    }
    if (worst_at == m)
        return true;

    const double *weights = kkt->dependent + (worst_at - rank) * rank;
    double own_scale = kkt->row_scale[row_at(kkt, worst_at)];
    memset(kkt->witness, 0, m * sizeof *kkt->witness);
    *row = row_at(kkt, worst_at);
    kkt->witness[*row] = 1;
    for (size_t i = 0; i < rank; i++) {
        size_t other = row_at(kkt, i);
        if (fabs(weights[i]) <= AGREEMENT)
            continue;
        kkt->witness[other] = -weights[i] * kkt->row_scale[other] / own_scale;
        *row = larger(*row, other);
    }
    return false;
}

// The multipliers of least norm that give the same reactions as `sigma` on the independent rows
// alone, in unscaled rows: λ₁ + Vλ₂ = σ, so λ₁ = κ, λ₂ = Vᵀκ with (I + VVᵀ)κ = σ.
static void spread_multipliers(Kkt *kkt, size_t rank, size_t m, double *sigma, double *multipliers)
{
    size_t rest = m - rank;
    for (size_t k = 0; k < rest; k++)
        for (size_t i = 0; i < rank; i++)
            kkt->dependent[k * rank + i] *=
                kkt->row_scale[row_at(kkt, i)] / kkt->row_scale[row_at(kkt, rank + k)];
    for (size_t i = 0; i < rank; i++)
        for (size_t j = 0; j < rank; j++) {
            double sum = i == j;
            for (size_t k = 0; k < rest; k++)
                sum += kkt->dependent[k * rank + i] * kkt->dependent[k * rank + j];
            kkt->normal[i * rank + j] = sum;
        }
    if (rest > 0 && rank > 0)
        LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', lapack(rank), 1, kkt->normal, lapack(rank), sigma,
                           lapack(rank));
    for (size_t i = 0; i < rank; i++)
        multipliers[row_at(kkt, i)] = sigma[i];
    for (size_t k = 0; k < rest; k++) {
        double sum = 0;
        for (size_t i = 0; i < rank; i++)
            sum += kkt->dependent[k * rank + i] * sigma[i];
        multipliers[row_at(kkt, rank + k)] = sum;
    }
}

// ---- Inertia.

// Multiplies by Q ('N') or Qᵀ ('T') from the left or right, in place.
static void turn(Kkt *kkt, char side, char transposed, size_t rank, double *matrix, size_t columns)
{
    if (rank > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, side, transposed, lapack(kkt->n), lapack(columns),
                            lapack(rank), kkt->axes, leading(kkt->n), kkt->tau, matrix,
                            leading(kkt->n), kkt->work, kkt->work_size);
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
static void solve_root(const Kkt *kkt, char transposed, size_t size, double *columns, size_t count)
{
    size_t n = kkt->n;
    const double *root = kkt->inertia + (n - size) * (n + 1);
    if (kkt->is_diagonal) {
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
                x[i] = (x[i] - real_dot(root + i * n, x, i)) / root[i * n + i];
        return;
    }
    for (double *x = columns; x < columns + count * size; x += size)
        for (size_t i = size; i-- > 0;) {
            x[i] /= root[i * n + i];
            real_add_times(-x[i], root + i * n, i, x);
        }
}

// Cholesky's factors of a small block that is far from singular, without a choice of pivots: its
// upper half is overwritten. False, with that half put back, where LAPACK has to look.
static bool factor_few(Kkt *kkt, size_t size, double most)
{
    size_t n = kkt->n;
    double *block = kkt->inertia + (n - size) * (n + 1);
    bool safe = true, coupled = false;
    for (size_t j = 0; j < size && safe; j++) {
        double *column = block + j * n, pivot = column[j];
        for (size_t i = 0; i < j; i++) {
            if (column[i] == 0 && !coupled)
                continue;
            const double *other = block + i * n;
            coupled = true;
            column[i] = (column[i] - real_dot(other, column, i)) / other[i];
            pivot -= column[i] * column[i];
        }
        safe = pivot > SAFE_PIVOT * most;
        column[j] = safe ? sqrt(pivot) : column[j];
        kkt->pivots2[j] = lapack(j + 1);
    }
    kkt->is_diagonal = safe && !coupled;
    for (size_t j = 0; j < size && !safe; j++)
        for (size_t i = 0; i <= j; i++)
            block[j * n + i] = i == j ? kkt->diagonal[i] : block[i * n + j];
    return safe;
}

// Solves block·x = x for the symmetric block of `size` at the end of the inertia's diagonal.
// False, with the diagonal put back, where the block is not safely positive.
static bool solve_positive(Kkt *kkt, size_t size, double most, double *x)
{
    size_t n = kkt->n;
    double *block = kkt->inertia + (n - size) * (n + 1);
    for (size_t i = 0; i < size; i++)
        kkt->diagonal[i] = block[i * (n + 1)];
    lapack_int rank = lapack(size);
    kkt->is_diagonal = false;
    if (size > FEW || !factor_few(kkt, size, most))
        LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'U', lapack(size), block, leading(n), kkt->pivots2,
                            &rank, INERTIA_TOLERANCE * most, kkt->work);
    // LAPACK asks the first pivot, which is the largest, only to be positive.
    if ((size_t)rank < size || block[0] * block[0] <= INERTIA_TOLERANCE * most) {
        for (size_t i = 0; i < size; i++)
            block[i * (n + 1)] = kkt->diagonal[i];
        return false;
    }
    for (size_t i = 0; i < size; i++)
        kkt->work[i] = x[kkt->pivots2[i] - 1];
    solve_root(kkt, 'T', size, kkt->work, 1);
    solve_root(kkt, 'N', size, kkt->work, 1);
    for (size_t i = 0; i < size; i++)
        x[kkt->pivots2[i] - 1] = kkt->work[i];
    return true;
}

// The same for a block that is not positive, by its principal axes. False where it is singular;
// *null is then the column of the axis with the least inertia.
static bool solve_by_axes(Kkt *kkt, size_t size, double most, double *x, size_t *null)
{
    size_t n = kkt->n;
    double *block = kkt->inertia + (n - size) * (n + 1), *moments = kkt->diagonal;
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', lapack(size), block, leading(n), moments,
                       kkt->work, kkt->work_size);
    *null = 0;
    for (size_t k = 1; k < size; k++)
        if (fabs(moments[k]) < fabs(moments[*null]))
            *null = k;
    if (fabs(moments[*null]) <= INERTIA_TOLERANCE * most)
        return false;
    memset(kkt->work, 0, size * sizeof *kkt->work);
    for (size_t k = 0; k < size; k++) {
        double along = 0;
        for (size_t i = 0; i < size; i++)
            along += block[k * n + i] * x[i];
        for (size_t i = 0; i < size; i++)
            kkt->work[i] += block[k * n + i] * along / moments[k];
    }
    memcpy(x, kkt->work, size * sizeof *x);
    return true;
}

// From the axes Q back to the coordinates of the caller.
static void unscale(Kkt *kkt, size_t rank, double *vector, double *out)
{
    turn(kkt, 'L', 'N', rank, vector, 1);
    for (size_t i = 0; i < kkt->n; i++)
        out[i] = kkt->scale[i] * vector[i];
}

// The velocity without inertia, from a column of principal axes.
static void keep_null_velocity(Kkt *kkt, size_t rank, size_t column)
{
    size_t n = kkt->n, at = 0;
    memset(kkt->along, 0, n * sizeof *kkt->along);
    memcpy(kkt->along + rank, kkt->inertia + (rank + column) * n + rank,
           (n - rank) * sizeof *kkt->along);
    unscale(kkt, rank, kkt->along, kkt->witness);
    for (size_t i = 1; i < n; i++)
        if (fabs(kkt->witness[i]) > fabs(kkt->witness[at]))
            at = i;
    double most = kkt->witness[at];
    for (size_t i = 0; i < n; i++)
        kkt->witness[i] /= most;
}

// ---- The steps of a solve.

KktReport kkt_move(Kkt *kkt, const KktProblem *problem)
{
    size_t n = kkt->n, m = problem->row_count;
    assert(m <= kkt->most_rows);
    KktReport report = {.outcome = SOLVE_DONE, .positive = true};
    if (!real_all_finite(problem->inertia, n * n) || !real_all_finite(problem->force, n) ||
        !real_all_finite(problem->rows, m * n) || !real_all_finite(problem->drift, m)) {
        report.outcome = SOLVE_NOT_FINITE;
        return report;
    }

    // What the rows fix: y = R₁₁⁻ᵀ(−γ).
    scale_inertia(kkt, problem);
    scale_rows(kkt, problem);
    size_t rank = report.rank = factor_rows(kkt, problem);
    double *along = kkt->along, *inertia = kkt->inertia;
    memcpy(along, kkt->asked, rank * sizeof *along);
    back_substitute(kkt, 'T', rank, along, 1);
    combine_dependent(kkt, rank, m);
    if (!rows_agree(kkt, rank, m, &report.row)) {
        report.outcome = SOLVE_CONTRADICTION;
        return report;
    }

    // What the inertia decides: T₂₂z = f₂ − T₂₁y.
    size_t size = n - rank, null = 0;
    double most = largest(inertia, n * n);
    turn(kkt, 'L', 'T', rank, inertia, n);
    turn(kkt, 'R', 'N', rank, inertia, n);
    turn(kkt, 'L', 'T', rank, kkt->force, 1);
    for (size_t k = rank; k < n; k++) {
        along[k] = kkt->force[k];
        for (size_t i = 0; i < rank; i++)
            along[k] -= inertia[k * n + i] * along[i];
    }
    if (size > 0 && !solve_positive(kkt, size, most, along + rank)) {
        report.positive = false;
        if (!solve_by_axes(kkt, size, most, along + rank, &null)) {
            report.outcome = SOLVE_SINGULAR;
            keep_null_velocity(kkt, rank, null);
        }
    }
    return report;
}

void kkt_accelerations(Kkt *kkt, size_t rank, double *accelerations)
{
    memcpy(kkt->diagonal, kkt->along, kkt->n * sizeof *kkt->diagonal);
    unscale(kkt, rank, kkt->diagonal, accelerations);
}

void kkt_terms(const Kkt *kkt, const double *rows, size_t count, double *sizes)
{
    size_t n = kkt->n;
    double most = largest(kkt->along, n) + largest(kkt->force, n);
    for (size_t l = 0; l < count; l++) {
        double size = 0;
        for (size_t j = 0; j < n; j++)
            size += fabs(rows[l * n + j]) * kkt->scale[j];
        sizes[l] = size * most;
    }
}

void kkt_normals(Kkt *kkt, size_t rank, const double *rows, size_t count, double *work,
                 double *normals)
{
    size_t n = kkt->n, size = n - rank;
    double most = 0;
    for (size_t l = 0; l < count; l++) {
        for (size_t j = 0; j < n; j++)
            work[l * n + j] = rows[l * n + j] * kkt->scale[j];
        most = real_max(most, largest(work + l * n, n));
    }
    for (size_t l = 0; l < count; l++) {
        double *row = work + l * n, length = largest(row, n);
        turn(kkt, 'L', 'T', rank, row, 1);
        bool depends = length <= SHORT_ROW * most ||
                       (rank > 0 && largest(row + rank, size) <= RANK_TOLERANCE * length);
        for (size_t i = 0; i < size; i++)
            normals[l * size + i] = depends ? 0 : row[rank + (size_t)kkt->pivots2[i] - 1];
    }
    solve_root(kkt, 'T', size, normals, count);
}

void kkt_depart(Kkt *kkt, size_t rank, double *y, const double *pull)
{
    size_t n = kkt->n, size = n - rank;
    solve_root(kkt, 'N', size, y, 1);
    for (size_t i = 0; i < size; i++)
        kkt->along[rank + (size_t)kkt->pivots2[i] - 1] += y[i];
    for (size_t i = 0; i < n; i++)
        kkt->diagonal[i] = kkt->scale[i] * pull[i];
    turn(kkt, 'L', 'T', rank, kkt->diagonal, 1);
    for (size_t i = 0; i < n; i++)
        kkt->force[i] -= kkt->diagonal[i];
}

// R₁₁σ = T₁₁y + T₁₂z − f₁.
void kkt_multipliers(Kkt *kkt, size_t rank, size_t row_count, double *multipliers)
{
    size_t n = kkt->n;
    double *reaction = kkt->asked;
    for (size_t i = 0; i < rank; i++) {
        reaction[i] = -kkt->force[i];
        for (size_t k = 0; k < n; k++)
            reaction[i] += kkt->inertia[k * n + i] * kkt->along[k];
    }
    back_substitute(kkt, 'N', rank, reaction, 1);
    for (size_t i = 0; i < rank; i++)
        reaction[i] *= kkt->row_scale[row_at(kkt, i)];
    spread_multipliers(kkt, rank, row_count, reaction, multipliers);
}

// ---- The whole.

// What ideal reactions could not do either is no fault of the directions.
static KktReport solve_directed(Kkt *kkt, const KktProblem *problem, double *accelerations,
                                double *multipliers)
{
    KktReport report = kkt_move(kkt, problem);
    if (report.outcome != SOLVE_DONE)
        return report;
    if (!real_all_finite(problem->directions, problem->row_count * kkt->n)) {
        report.outcome = SOLVE_NOT_FINITE;
        return report;
    }
    if (!kkt->directed)
        kkt->directed = directed_new(kkt->n, kkt->most_rows);
    report.outcome =
        directed_solve(kkt->directed, problem, accelerations, multipliers, &report.power);
    return report;
}

KktReport kkt_solve(Kkt *kkt, const KktProblem *problem, double *accelerations, double *multipliers)
{
    if (problem->directions)
        return solve_directed(kkt, problem, accelerations, multipliers);
    KktReport report = kkt_move(kkt, problem);
    if (report.outcome == SOLVE_DONE) {
        kkt_multipliers(kkt, report.rank, problem->row_count, multipliers);
        kkt_accelerations(kkt, report.rank, accelerations);
    }
    return report;
}

bool kkt_gauss_measure(Kkt *kkt, const KktProblem *problem, const double *accelerations,
                       double *measure, double *free_accelerations)
{
    size_t n = kkt->n;
    scale_inertia(kkt, problem);
    memcpy(kkt->along, kkt->force, n * sizeof *kkt->along);
    if (n > 0 && !solve_positive(kkt, n, largest(kkt->inertia, n * n), kkt->along))
        return false;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        kkt->along[i] *= kkt->scale[i];
        kkt->force[i] = accelerations[i] - kkt->along[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += kkt->force[i] * problem->inertia[i * n + j] * kkt->force[j];
    *measure = sum / 2;
    if (free_accelerations != NULL)
        memcpy(free_accelerations, kkt->along, n * sizeof *free_accelerations);
    return true;
}

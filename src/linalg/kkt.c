// kkt.c: least constraint under equations, by the null-space method.
//
// Coordinates and rows are first scaled by powers of two (units then matter little and no digit
// is lost). With the pivoted factorization gᵀP = Q(R₁₁ R₁₂; 0 0) everything is said in the axes
// Q: the first `rank` parts of the acceleration follow from the rows, the others from the
// inertia that is left, T₂₂ = (Qᵀ𝓜Q)₂₂, and the multipliers by back substitution.
// Source of the method: Gill, Murray, Wright, Practical Optimization (1981), 5.1.
#include "linalg/kkt.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>
#include <lapacke.h>
#include <string.h>

// gᵀP = Q(R₁₁ R₁₂; 0 0) of scaled rows.
typedef struct {
    double *axes;       // n × rows: the scaled gᵀ, then its factors
    double *tau;        // min(n, rows): factors of the reflectors
    double *scale;      // rows: scaled row = scale · row
    lapack_int *pivots; // rows, from 1
} RowFactors;

struct Kkt {
    size_t n, most_n, most_rows;
    Arena *arena;
    double *scale;        // n: coordinate = scale · scaled coordinate
    double *inertia;      // n × n: scaled 𝓜, then Qᵀ𝓜Q
    double *diagonal;     // n: what Cholesky's factors overwrite
    bool is_diagonal;     // these factors are
    lapack_int *order;    // n, from 1: in which they were made
    RowFactors rows;      // g
    RowFactors reactions; // d, made on first need
    double *along;        // n: the acceleration in the axes Q
    double *force;        // n: the force in the axes Q
    double *asked;        // rows: −γ scaled, in the order of the pivots
    double *dependent;    // rows × rows: R₁₁⁻¹R₁₂, and then what least norm needs
    double *normal;       // rows × (rows + 1)
    double *witness;      // max(n, rows)
    double *work;
    lapack_int work_size;
};

static lapack_int lapack(size_t size)
{
    return (lapack_int)size;
}

// The leading dimension of a matrix with this many rows.
static lapack_int leading(size_t rows)
{
    return lapack(rows > 0 ? rows : 1);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

Kkt *kkt_new(size_t coordinates, size_t most_rows)
{
    Kkt *kkt = base_alloc(sizeof *kkt);
    kkt_reserve(kkt, coordinates, most_rows);
    return kkt;
}

void kkt_free(Kkt *kkt)
{
    if (kkt)
        arena_free(kkt->arena);
    base_free(kkt);
}

static void alloc_factors(Kkt *kkt, RowFactors *factors)
{
    size_t n = kkt->most_n, m = kkt->most_rows;
    factors->axes = real_alloc(kkt->arena, n * m);
    factors->tau = real_alloc(kkt->arena, m);
    factors->scale = real_alloc(kkt->arena, m);
    factors->pivots = arena_alloc(kkt->arena, (m + 1) * sizeof *factors->pivots);
}

void kkt_reserve(Kkt *kkt, size_t coordinates, size_t most_rows)
{
    kkt->n = coordinates;
    if (kkt->arena && coordinates <= kkt->most_n && most_rows <= kkt->most_rows)
        return;
    size_t n = larger(coordinates, kkt->most_n), m = larger(most_rows, kkt->most_rows);
    arena_free(kkt->arena);
    Arena *arena = arena_new();
    *kkt = (Kkt){.n = coordinates, .most_n = n, .most_rows = m, .arena = arena};
    kkt->scale = real_alloc(arena, n);
    kkt->inertia = real_alloc(arena, n * n);
    kkt->diagonal = real_alloc(arena, n);
    kkt->along = real_alloc(arena, n);
    kkt->force = real_alloc(arena, n);
    kkt->order = arena_alloc(arena, (2 * n + 1) * sizeof *kkt->order);
    alloc_factors(kkt, &kkt->rows);
    kkt->asked = real_alloc(arena, m);
    kkt->dependent = real_alloc(arena, m * m);
    kkt->normal = real_alloc(arena, m * (m + 1));
    kkt->witness = real_alloc(arena, larger(n, m));
    // More than LAPACK wishes for: blocks of 64, and dormqr's own 65 × 64.
    size_t wanted = 64 * (n + m + 66);
    kkt->work = real_alloc(arena, wanted);
    kkt->work_size = lapack(wanted);
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

// Measures each coordinate so that its inertia is near 1: the scaled inertia and force.
static void scale_inertia(Kkt *kkt, const KktProblem *problem)
{
    size_t n = kkt->n;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = real_max(most, fabs(problem->inertia[i * n + i]));
    // Beyond this span scaling for inertia would hide that rows are independent.
    for (size_t i = 0; i < n; i++) {
        double own = fabs(problem->inertia[i * n + i]);
        own = own > 0 ? real_max(own, TOL_ZERO * most) : most;
        kkt->scale[i] = near_inverse(sqrt(own));
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            kkt->inertia[i * n + j] = kkt->scale[i] * problem->inertia[i * n + j] * kkt->scale[j];
    for (size_t i = 0; i < n; i++)
        kkt->force[i] = kkt->scale[i] * problem->force[i];
}

// The rows in scaled coordinates, each of a length near 1; a row after the other is gᵀ to LAPACK.
// One that is rounding beside the longest is none.
static void scale_rows(const Kkt *kkt, RowFactors *factors, const double *rows, size_t m)
{
    size_t n = kkt->n;
    double most = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++)
            factors->axes[i * n + j] = rows[i * n + j] * kkt->scale[j];
        factors->scale[i] = real_largest(factors->axes + i * n, n);
        most = real_max(most, factors->scale[i]);
    }
    for (size_t i = 0; i < m; i++) {
        double length = factors->scale[i];
        bool vanishes = length <= TOL_ZERO * most;
        factors->scale[i] = near_inverse(vanishes ? most : length);
        for (size_t j = 0; j < n; j++)
            factors->axes[i * n + j] *= vanishes ? 0 : factors->scale[i];
    }
}

// ---- Rows.

// The row that stands at a place in the order of the pivots.
static size_t row_at(const Kkt *kkt, const RowFactors *factors, size_t place)
{
    return kkt->n > 0 ? (size_t)factors->pivots[place] - 1 : place;
}

// Factors the rows in scaled coordinates; returns their rank.
static size_t factor_rows(Kkt *kkt, RowFactors *factors, const double *rows, size_t count)
{
    size_t n = kkt->n, m = count, rank = 0;
    scale_rows(kkt, factors, rows, m);
    if (m == 0)
        return 0;
    memset(factors->pivots, 0, m * sizeof *factors->pivots);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, lapack(n), lapack(m), factors->axes, leading(n),
                        factors->pivots, factors->tau, kkt->work, kkt->work_size);
    while (rank < n && rank < m && factors->axes[0] != 0 &&
           fabs(factors->axes[rank * n + rank]) > TOL_RANK * fabs(factors->axes[0]))
        rank++;
    return rank;
}

// Solves R₁₁x = x or R₁₁ᵀx = x for several columns of `rank` numbers.
static void back_substitute(const Kkt *kkt, const RowFactors *factors, char transposed, size_t rank,
                            double *columns, size_t count)
{
    if (rank > 0 && count > 0)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed, 'N', lapack(rank), lapack(count),
                            factors->axes, leading(kkt->n), columns, lapack(rank));
}

// What the rows fix, R₁₁ᵀy = −γ, and how each dependent row is combined of the independent ones,
// R₁₁⁻¹R₁₂; `asked` is −γ in the order of the pivots.
static void fix_along(Kkt *kkt, const double *drift, size_t rank, size_t m)
{
    const RowFactors *rows = &kkt->rows;
    for (size_t k = 0; k < m; k++) {
        size_t row = row_at(kkt, rows, k);
        kkt->asked[k] = -rows->scale[row] * drift[row];
    }
    memcpy(kkt->along, kkt->asked, rank * sizeof *kkt->along);
    back_substitute(kkt, rows, 'T', rank, kkt->along, 1);
    for (size_t k = rank; k < m; k++)
        for (size_t i = 0; i < rank; i++)
            kkt->dependent[(k - rank) * rank + i] = rows->axes[k * kkt->n + i];
    back_substitute(kkt, rows, 'N', rank, kkt->dependent, m - rank);
}

// Do the dependent rows ask for what they then get? If not, *row is the last of the rows that
// disagree, and the witness their combination.
static bool rows_agree(Kkt *kkt, size_t rank, size_t m, size_t *row)
{
    const RowFactors *rows = &kkt->rows;
    double scale = real_largest(kkt->asked, m) + real_largest(kkt->along, rank) +
                   real_largest(kkt->force, kkt->n);
    double worst = TOL_AGREEMENT * scale + TOL_SUM;
    size_t worst_at = m;
    for (size_t k = rank; k < m; k++) {
        double miss = kkt->asked[k] - real_dot(rows->axes + k * kkt->n, kkt->along, rank);
        if (fabs(miss) > worst) {
            worst = fabs(miss);
            worst_at = k;
        }
    }
    if (worst_at == m)
        return true;

    const double *weights = kkt->dependent + (worst_at - rank) * rank;
    memset(kkt->witness, 0, m * sizeof *kkt->witness);
    *row = row_at(kkt, rows, worst_at);
    double own_scale = rows->scale[*row];
    kkt->witness[*row] = 1;
    for (size_t i = 0; i < rank; i++) {
        size_t other = row_at(kkt, rows, i);
        if (fabs(weights[i]) <= TOL_AGREEMENT)
            continue;
        kkt->witness[other] = -weights[i] * rows->scale[other] / own_scale;
        *row = larger(*row, other);
    }
    return false;
}

// The multipliers of least norm that give the same reactions as `sigma` on the independent rows
// alone, in unscaled rows.
static void spread_multipliers(Kkt *kkt, size_t rank, size_t m, double *sigma, double *multipliers)
{
    const RowFactors *rows = &kkt->rows;
    size_t rest = m - rank;
    for (size_t k = 0; k < rest; k++)
        for (size_t i = 0; i < rank; i++)
            kkt->dependent[k * rank + i] *=
                rows->scale[row_at(kkt, rows, i)] / rows->scale[row_at(kkt, rows, rank + k)];
    if (rest > 0)
        least_norm_share(kkt->dependent, rest, rank, sigma, kkt->normal);
    for (size_t i = 0; i < rank; i++)
        multipliers[row_at(kkt, rows, i)] = sigma[i];
    for (size_t k = 0; k < rest; k++)
        multipliers[row_at(kkt, rows, rank + k)] = real_dot(kkt->dependent + k * rank, sigma, rank);
}

// ---- Inertia.

// Multiplies n × columns numbers by Q ('N') or Qᵀ ('T') from the left or right, in place.
static void turn(Kkt *kkt, const RowFactors *factors, char side, char transposed, size_t rank,
                 double *matrix, size_t columns)
{
    if (rank > 0)
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, side, transposed, lapack(kkt->n), lapack(columns),
                            lapack(rank), factors->axes, leading(kkt->n), factors->tau, matrix,
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
    bool diagonal = kkt->is_diagonal;
    const double *root = kkt->inertia + (n - size) * (n + 1), *end = columns + count * size;
    if (size > SIZE_SMALL && !diagonal) {
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed, 'N', lapack(size), lapack(count),
                            root, leading(n), columns, lapack(size));
        return;
    }
    double *x = columns;
    for (; x + 4 * size <= end && x < end && transposed == 'T' && !diagonal; x += 4 * size)
        solve_four(root, n, size, x);
    for (; x < end; x += size) {
        for (size_t i = 0; i < size && transposed == 'T'; i++)
            x[i] = (x[i] - real_dot(root + i * n, x, diagonal ? 0 : i)) / root[i * n + i];
        for (size_t i = transposed == 'T' ? 0 : size; i-- > 0;) {
            x[i] /= root[i * n + i];
            real_add_times(-x[i], root + i * n, diagonal ? 0 : i, x);
        }
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
        safe = pivot > TOL_RANK * most;
        column[j] = safe ? sqrt(pivot) : column[j];
        kkt->order[j] = lapack(j + 1);
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
    if (size > SIZE_SMALL || !factor_few(kkt, size, most))
        LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'U', lapack(size), block, leading(n), kkt->order,
                            &rank, TOL_ZERO * most, kkt->work);
    // LAPACK asks the first pivot, which is the largest, only to be positive.
    if ((size_t)rank < size || block[0] * block[0] <= TOL_ZERO * most) {
        for (size_t i = 0; i < size; i++)
            block[i * (n + 1)] = kkt->diagonal[i];
        return false;
    }
    for (size_t i = 0; i < size; i++)
        kkt->work[i] = x[kkt->order[i] - 1];
    solve_root(kkt, 'T', size, kkt->work, 1);
    solve_root(kkt, 'N', size, kkt->work, 1);
    for (size_t i = 0; i < size; i++)
        x[kkt->order[i] - 1] = kkt->work[i];
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
    if (fabs(moments[*null]) <= TOL_ZERO * most)
        return false;
    memset(kkt->work, 0, size * sizeof *kkt->work);
    for (size_t k = 0; k < size; k++) {
        double along = real_dot(block + k * n, x, size);
        for (size_t i = 0; i < size; i++)
            kkt->work[i] += block[k * n + i] * along / moments[k];
    }
    memcpy(x, kkt->work, size * sizeof *x);
    return true;
}

// From the axes Q back to the coordinates of the caller.
static void unscale(Kkt *kkt, size_t rank, double *vector, double *out)
{
    turn(kkt, &kkt->rows, 'L', 'N', rank, vector, 1);
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
    size_t rank = report.rank = factor_rows(kkt, &kkt->rows, problem->rows, m);
    fix_along(kkt, problem->drift, rank, m);
    if (!rows_agree(kkt, rank, m, &report.row)) {
        report.outcome = SOLVE_CONTRADICTION;
        return report;
    }

    // What the inertia decides: T₂₂z = f₂ − T₂₁y.
    size_t size = n - rank, null = 0;
    double *along = kkt->along, *inertia = kkt->inertia, most = real_largest(inertia, n * n);
    turn(kkt, &kkt->rows, 'L', 'T', rank, inertia, n);
    turn(kkt, &kkt->rows, 'R', 'N', rank, inertia, n);
    turn(kkt, &kkt->rows, 'L', 'T', rank, kkt->force, 1);
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
    double most = real_largest(kkt->along, n) + real_largest(kkt->force, n);
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
    if (size == 0)
        return;
    for (size_t l = 0; l < count; l++) {
        for (size_t j = 0; j < n; j++)
            work[l * n + j] = rows[l * n + j] * kkt->scale[j];
        normals[l * size] = real_largest(work + l * n, n); // for now
        most = real_max(most, normals[l * size]);
    }
    for (size_t l = 0; l < count; l++) {
        double *row = work + l * n, length = normals[l * size];
        turn(kkt, &kkt->rows, 'L', 'T', rank, row, 1);
        bool depends = length <= TOL_ZERO * most ||
                       (rank > 0 && real_largest(row + rank, size) <= TOL_RANK * length);
        for (size_t i = 0; i < size; i++)
            normals[l * size + i] = depends ? 0 : row[rank + (size_t)kkt->order[i] - 1];
    }
    solve_root(kkt, 'T', size, normals, count);
}

void kkt_depart(Kkt *kkt, size_t rank, double *y, const double *pull)
{
    size_t n = kkt->n, size = n - rank;
    solve_root(kkt, 'N', size, y, 1);
    for (size_t i = 0; i < size; i++)
        kkt->along[rank + (size_t)kkt->order[i] - 1] += y[i];
    for (size_t i = 0; i < n; i++)
        kkt->diagonal[i] = kkt->scale[i] * pull[i];
    turn(kkt, &kkt->rows, 'L', 'T', rank, kkt->diagonal, 1);
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
    back_substitute(kkt, &kkt->rows, 'N', rank, reaction, 1);
    for (size_t i = 0; i < rank; i++)
        reaction[i] *= kkt->rows.scale[row_at(kkt, &kkt->rows, i)];
    spread_multipliers(kkt, rank, row_count, reaction, multipliers);
}

// ---- Rows that active forces of given directions keep (servo conditions).
//
//     𝓜a − dᵀλ = K − h,   g·a = −γ
//
// With orthonormal axes for each, gᵀ = Q_g R_g and dᵀ = Q_d R_d, the rows fix the part of a that
// lies along them; the rest is found on the displacements on which the forces do no work,
// Z_dᵀ𝓜Z_g z = …, which is regular just where the forces can keep the rows; then λ by back
// substitution.

// Z_dᵀ𝓜Z_g z = z, the block at the end of Q_dᵀ𝓜Q_g; false where it is singular.
static bool solve_free(Kkt *kkt, size_t rank, double *z, double *power)
{
    size_t n = kkt->n, size = n - rank;
    lapack_int *pivots = kkt->order;
    double *block = kkt->inertia + rank * (n + 1);
    // What is left of the inertia is measured by the whole of it, all of whose parts are about 1.
    double norm = 1;
    *power = size == 0;
    if (size == 0)
        return true;
    for (size_t k = 0; k < size; k++) {
        double sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += fabs(block[k * n + i]);
        norm = real_max(norm, sum);
    }
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, lapack(size), lapack(size), block, leading(n),
                            pivots) != 0)
        return false;
    lapack_int *whole = pivots + n;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', lapack(size), block, leading(n), norm, power,
                        kkt->work, whole);
    if (!(*power > TOL_ZERO))
        return false;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', lapack(size), 1, block, leading(n), pivots, z,
                        lapack(size));
    return true;
}

// SOLVE_DONE, or SOLVE_UNCONTROLLABLE where the rows or the directions depend on each other, or the
// directions cannot keep the rows. The inputs are finite.
static SolveOutcome solve_directed(Kkt *kkt, const KktProblem *problem, size_t rank,
                                   double *accelerations, double *multipliers, double *power)
{
    size_t n = kkt->n, m = problem->row_count;
    RowFactors *of_rows = &kkt->rows, *of_reactions = &kkt->reactions;
    double *along = kkt->along, *force = kkt->force;
    *power = 0;
    if (!of_reactions->axes)
        alloc_factors(kkt, of_reactions);
    if (rank < m || factor_rows(kkt, of_reactions, problem->directions, m) < m)
        return SOLVE_UNCONTROLLABLE;
    // Q_dᵀ𝓜Q_g, and Q_dᵀ(F − 𝓜·what the rows fix).
    scale_inertia(kkt, problem);
    turn(kkt, of_rows, 'R', 'N', m, kkt->inertia, n);
    for (size_t j = 0; j < m; j++)
        real_add_times(-along[j], kkt->inertia + j * n, n, force);
    turn(kkt, of_reactions, 'L', 'T', m, kkt->inertia, n);
    turn(kkt, of_reactions, 'L', 'T', m, force, 1);
    memcpy(along + m, force + m, (n - m) * sizeof *along);
    if (!solve_free(kkt, m, along + m, power))
        return SOLVE_UNCONTROLLABLE;
    // What the forces must give: R_d λ = Q_dᵀ(𝓜a − F).
    double *reaction = kkt->asked;
    for (size_t i = 0; i < m; i++)
        reaction[i] = -force[i];
    for (size_t k = m; k < n; k++)
        real_add_times(along[k], kkt->inertia + k * n, m, reaction);
    back_substitute(kkt, of_reactions, 'N', m, reaction, 1);
    for (size_t i = 0; i < m; i++) {
        size_t row = row_at(kkt, of_reactions, i);
        multipliers[row] = of_reactions->scale[row] * reaction[i];
    }
    kkt_accelerations(kkt, m, accelerations);
    return SOLVE_DONE;
}

// ---- The whole.

KktReport kkt_solve(Kkt *kkt, const KktProblem *problem, double *accelerations, double *multipliers)
{
    // What ideal reactions could not do either is no fault of the directions.
    KktReport report = kkt_move(kkt, problem);
    if (report.outcome != SOLVE_DONE)
        return report;
    if (!problem->directions) {
        kkt_multipliers(kkt, report.rank, problem->row_count, multipliers);
        kkt_accelerations(kkt, report.rank, accelerations);
    } else if (!real_all_finite(problem->directions, problem->row_count * kkt->n)) {
        report.outcome = SOLVE_NOT_FINITE;
    } else {
        report.outcome =
            solve_directed(kkt, problem, report.rank, accelerations, multipliers, &report.power);
    }
    return report;
}

bool kkt_gauss_measure(Kkt *kkt, const KktProblem *problem, const double *accelerations,
                       double *measure, double *free_accelerations)
{
    size_t n = kkt->n;
    scale_inertia(kkt, problem);
    memcpy(kkt->along, kkt->force, n * sizeof *kkt->along);
    if (n > 0 && !solve_positive(kkt, n, real_largest(kkt->inertia, n * n), kkt->along))
        return false;
    *measure = 0;
    for (size_t i = 0; i < n; i++) {
        kkt->along[i] *= kkt->scale[i];
        kkt->force[i] = accelerations[i] - kkt->along[i];
        if (free_accelerations)
            free_accelerations[i] = kkt->along[i];
    }
    for (size_t i = 0; i < n; i++)
        *measure += kkt->force[i] * real_dot(problem->inertia + i * n, kkt->force, n) / 2;
    return true;
}

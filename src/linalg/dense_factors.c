// dense_factors.c: LU and pivoted QR factors. The calls of LAPACK cost as much as the arithmetic of
// some tens of unknowns, and loading it as much as a short run.
//
// Sources: Golub, Van Loan, Matrix Computations (2013), 3.4 (LU), 5.1 (reflectors), 5.4.2 (pivoted
// QR); Drmač, Bujanović, ACM TOMS 35 (2008) for the norms of what is left of a column.
#include "linalg/dense_factors.h"
#include "linalg/lapack.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>

_Static_assert(sizeof(lapack_int) == sizeof(int), "LAPACK counts in ints");

static bool is_small(size_t rows, size_t columns)
{
    return rows <= SIZE_SMALL && columns <= SIZE_SMALL;
}

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

// ---- LU.

static size_t largest_at(const double *values, size_t from, size_t to)
{
    size_t at = from;
    for (size_t i = from + 1; i < to; i++)
        at = fabs(values[i]) > fabs(values[at]) ? i : at;
    return at;
}

static bool factor_small(size_t size, double *matrix, size_t lead, int *pivots)
{
    bool regular = true;
    for (size_t k = 0; k < size; k++) {
        double *column = matrix + k * lead;
        size_t pivot = largest_at(column, k, size);
        pivots[k] = (int)pivot + 1;
        if (column[pivot] == 0) {
            regular = false;
            continue;
        }
        for (size_t j = 0; j < size && pivot != k; j++)
            swap(&matrix[j * lead + k], &matrix[j * lead + pivot]);
        double inverse = 1 / column[k];
        for (size_t i = k + 1; i < size; i++)
            column[i] *= inverse;
        for (size_t j = k + 1; j < size; j++) {
            double *other = matrix + j * lead;
            real_add_times(-other[k], column + k + 1, size - k - 1, other + k + 1);
        }
    }
    return regular;
}

bool lu_factor(size_t size, double *matrix, size_t lead, int *pivots)
{
    assert(lead >= size);
    if (is_small(size, size))
        return factor_small(size, matrix, lead, pivots);
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (lapack_int)size, (lapack_int)size, matrix,
                               (lapack_int)lead, pivots) == 0;
}

static void solve_small(size_t size, const double *factors, size_t lead, const int *pivots,
                        double *x)
{
    for (size_t i = 0; i < size; i++)
        swap(&x[i], &x[pivots[i] - 1]);
    for (size_t k = 0; k < size; k++)
        real_add_times(-x[k], factors + k * lead + k + 1, size - k - 1, x + k + 1);
    for (size_t k = size; k-- > 0;) {
        x[k] /= factors[k * (lead + 1)];
        real_add_times(-x[k], factors + k * lead, k, x);
    }
}

static void solve_small_transposed(size_t size, const double *factors, size_t lead,
                                   const int *pivots, double *x)
{
    for (size_t k = 0; k < size; k++)
        x[k] = (x[k] - real_dot(factors + k * lead, x, k)) / factors[k * (lead + 1)];
    for (size_t k = size; k-- > 0;)
        x[k] -= real_dot(factors + k * lead + k + 1, x + k + 1, size - k - 1);
    for (size_t i = size; i-- > 0;)
        swap(&x[i], &x[pivots[i] - 1]);
}

void lu_solve(bool transposed, size_t size, const double *factors, size_t lead, const int *pivots,
              double *x)
{
    assert(lead >= size);
    if (!is_small(size, size))
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', (lapack_int)size, 1, factors,
                            (lapack_int)lead, pivots, x, (lapack_int)size);
    else if (transposed)
        solve_small_transposed(size, factors, lead, pivots, x);
    else
        solve_small(size, factors, lead, pivots, x);
}

// Without exchanges of rows, which do not change the norm.
static double solve_unordered(bool transposed, size_t size, const double *factors, size_t lead,
                              double *x)
{
    static const int in_order[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                   13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    _Static_assert(sizeof in_order / sizeof *in_order == SIZE_SMALL, "one for each row");
    lu_solve(transposed, size, factors, lead, in_order, x);
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += fabs(x[i]);
    return sum;
}

// x becomes its signs; whether they were these before.
static bool take_signs(size_t size, double *x, double *signs)
{
    bool same = true;
    for (size_t i = 0; i < size; i++) {
        double sign = x[i] >= 0 ? 1 : -1;
        same = same && sign == signs[i];
        x[i] = signs[i] = sign;
    }
    return same;
}

// |A⁻¹|₁ from below, most often exactly: Hager's ascent over columns, with Higham's last try (ACM
// TOMS 14 (1988), 381).
static double estimate_inverse(size_t size, const double *factors, size_t lead, double *x)
{
    double signs[SIZE_SMALL] = {0}, most = 0;
    size_t column = size, before;
    for (size_t i = 0; i < size; i++)
        x[i] = 1 / (double)size;
    most = solve_unordered(false, size, factors, lead, x);
    take_signs(size, x, signs);
    for (int round = 2; round <= 5 && size > 1 && isfinite(most); round++) {
        solve_unordered(true, size, factors, lead, x);
        before = column;
        column = largest_at(x, 0, size);
        if (before < size && x[before] == fabs(x[column]))
            break;
        for (size_t i = 0; i < size; i++)
            x[i] = i == column;
        double sum = solve_unordered(false, size, factors, lead, x);
        bool grows = !(sum <= most);
        most = grows ? sum : most;
        if (take_signs(size, x, signs) || !grows)
            break;
    }
    for (size_t i = 0; i < size && size > 1; i++)
        x[i] = (i % 2 ? -1 : 1) * (1 + (double)i / (double)(size - 1));
    double last = size > 1 ? solve_unordered(false, size, factors, lead, x) : 0;
    return real_max(2 * last / (3 * (double)size), most);
}

double lu_reciprocal_condition(size_t size, const double *factors, size_t lead, double norm,
                               double *work, int *order)
{
    assert(norm > 0);
    double reciprocal = 0;
    if (!is_small(size, size))
        LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', (lapack_int)size, factors, (lapack_int)lead,
                            norm, &reciprocal, work, order);
    else if (size > 0)
        reciprocal = 1 / estimate_inverse(size, factors, lead, work) / norm;
    return isfinite(reciprocal) ? reciprocal : 0;
}

// The inverse of a triangle is at most that of the triangle whose entries beside the diagonal are
// all below 0 and as large (Higham, Accuracy and Stability of Numerical Algorithms (2002), 8.2);
// its row sums are a solve. A⁻ᵀ is the product of those of Lᵀ and Uᵀ.
double lu_inverse_bound(size_t size, const double *factors, size_t lead, double *work)
{
    assert(lead >= size && work);
    for (size_t k = 0; k < size; k++) {
        const double *column = factors + k * lead;
        double sum = 1;
        for (size_t i = 0; i < k; i++)
            sum += fabs(column[i]) * work[i];
        work[k] = sum / fabs(column[k]);
    }
    double most = 0;
    for (size_t k = size; k-- > 0;) {
        const double *column = factors + k * lead;
        for (size_t i = k + 1; i < size; i++)
            work[k] += fabs(column[i]) * work[i];
        most = real_max(most, work[k]);
    }
    return most;
}

// ---- QR.

size_t qr_workspace(size_t rows, size_t columns)
{
    lapack_int n = (lapack_int)rows, m = (lapack_int)columns, least = n < m ? n : m, order = 0;
    lapack_int lead = n > 0 ? n : 1;
    double x = 0, factor = 0, turn = 0;
    if (is_small(rows, columns))
        return 0;
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, &x, lead, &order, &x, &factor, -1);
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, n, least, &x, lead, &x, &x, lead, &turn, -1);
    return (size_t)real_max(factor, turn);
}

// The reflector 1 − τ·(1; v)(1; v)ᵀ that takes x to a multiple of the first axis: that multiple in
// the place of x₀, v in that of the others. Returns τ, 0 where x is one already.
static double reflect(double *x, size_t size)
{
    if (size <= 1 || real_dot(x + 1, x + 1, size - 1) == 0)
        return 0;
    double length = -copysign(real_length(x, size), x[0]), tau = (length - x[0]) / length;
    double inverse = 1 / (x[0] - length);
    for (size_t i = 1; i < size; i++)
        x[i] *= inverse;
    x[0] = length;
    return tau;
}

// The same done to one vector.
static void apply(const double *v, double tau, size_t size, double *x)
{
    double part = tau * (x[0] + real_dot(v + 1, x + 1, size - 1));
    x[0] -= part;
    real_add_times(-part, v + 1, size - 1, x + 1);
}

// What is left of a column's norm; computed anew where little is left, which subtraction spoils.
static void update_norm(const double *column, size_t k, size_t rows, double *norm, double *exact)
{
    if (*norm == 0)
        return;
    double part = fabs(column[k]) / *norm, left = real_max((1 - part) * (1 + part), 0);
    double since = *norm / *exact;
    if (left * since * since > sqrt(DBL_EPSILON))
        *norm *= sqrt(left);
    else
        *norm = *exact = real_length(column + k + 1, rows - k - 1);
}

static void factor_columns(size_t rows, size_t columns, double *matrix, size_t lead, int *order,
                           double *tau)
{
    double norms[SIZE_SMALL], exact[SIZE_SMALL];
    for (size_t j = 0; j < columns; j++) {
        order[j] = (int)j + 1;
        norms[j] = exact[j] = real_length(matrix + j * lead, rows);
    }
    for (size_t k = 0; k < rows && k < columns; k++) {
        double *column = matrix + k * lead;
        size_t pivot = largest_at(norms, k, columns);
        if (pivot != k) {
            for (size_t i = 0; i < rows; i++)
                swap(&column[i], &matrix[pivot * lead + i]);
            int kept = order[pivot];
            order[pivot] = order[k];
            order[k] = kept;
            norms[pivot] = norms[k];
            exact[pivot] = exact[k];
        }
        tau[k] = reflect(column + k, rows - k);
        for (size_t j = k + 1; j < columns; j++) {
            if (tau[k] != 0)
                apply(column + k, tau[k], rows - k, matrix + j * lead + k);
            update_norm(matrix + j * lead, k, rows, &norms[j], &exact[j]);
        }
    }
}

void qr_factor(size_t rows, size_t columns, double *matrix, size_t lead, int *order, double *tau,
               double *work, size_t work_size)
{
    assert(lead >= rows);
    if (is_small(rows, columns)) {
        factor_columns(rows, columns, matrix, lead, order, tau);
        return;
    }
    for (size_t j = 0; j < columns; j++)
        order[j] = 0;
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, matrix,
                        (lapack_int)(lead > 0 ? lead : 1), order, tau, work, (lapack_int)work_size);
}

// From the right, to all rows of the columns from k on.
static void apply_right(const QrFactors *qr, size_t k, size_t rows, size_t columns, double *matrix)
{
    const double *v = qr->factors + k * (qr->lead + 1);
    double parts[SIZE_SMALL];
    for (size_t i = 0; i < rows; i++)
        parts[i] = matrix[k * qr->lead + i];
    for (size_t j = k + 1; j < columns; j++)
        real_add_times(v[j - k], matrix + j * qr->lead, rows, parts);
    real_add_times(-qr->tau[k], parts, rows, matrix + k * qr->lead);
    for (size_t j = k + 1; j < columns; j++)
        real_add_times(-qr->tau[k] * v[j - k], parts, rows, matrix + j * qr->lead);
}

void qr_times(const QrFactors *qr, bool left, bool transposed, size_t rows, size_t columns,
              double *matrix, double *work, size_t work_size)
{
    assert(qr->lead >= rows && qr->rank <= (left ? rows : columns));
    if (!is_small(rows, columns)) {
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, left ? 'L' : 'R', transposed ? 'T' : 'N',
                            (lapack_int)rows, (lapack_int)columns, (lapack_int)qr->rank,
                            qr->factors, (lapack_int)qr->lead, qr->tau, matrix,
                            (lapack_int)qr->lead, work, (lapack_int)work_size);
        return;
    }
    for (size_t step = 0; step < qr->rank; step++) {
        size_t k = left == transposed ? step : qr->rank - 1 - step;
        if (!left)
            apply_right(qr, k, rows, columns, matrix);
        for (size_t j = 0; j < columns && left; j++)
            apply(qr->factors + k * (qr->lead + 1), qr->tau[k], rows - k,
                  matrix + j * qr->lead + k);
    }
}

void qr_solve_upper(const QrFactors *qr, bool transposed, double *x, size_t columns)
{
    size_t size = qr->rank, lead = qr->lead;
    const double *R = qr->factors;
    assert(lead >= size);
    if (!is_small(size, columns)) {
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', transposed ? 'T' : 'N', 'N', (lapack_int)size,
                            (lapack_int)columns, R, (lapack_int)lead, x, (lapack_int)size);
        return;
    }
    for (size_t j = 0; j < columns; j++, x += size) {
        for (size_t k = 0; k < size && transposed; k++)
            x[k] = (x[k] - real_dot(R + k * lead, x, k)) / R[k * (lead + 1)];
        for (size_t k = size; k-- > 0 && !transposed;) {
            x[k] /= R[k * (lead + 1)];
            real_add_times(-x[k], R + k * lead, k, x);
        }
    }
}

// ---- Eigenvalues, by Jacobi's rotations (Golub, Van Loan, 8.5).

// Rotates rows and columns p, q until the entry between them is 0.
static void rotate(size_t size, double *matrix, size_t p, size_t q)
{
    double apart = (matrix[q * (size + 1)] - matrix[p * (size + 1)]) / (2 * matrix[p * size + q]);
    double t = copysign(1 / (fabs(apart) + hypot(1, apart)), apart), c = 1 / hypot(1, t), s = t * c;
    for (size_t i = 0; i < size; i++) {
        double a = matrix[i * size + p], b = matrix[i * size + q];
        matrix[i * size + p] = c * a - s * b;
        matrix[i * size + q] = s * a + c * b;
    }
    for (size_t i = 0; i < size; i++) {
        double a = matrix[p * size + i], b = matrix[q * size + i];
        matrix[p * size + i] = c * a - s * b;
        matrix[q * size + i] = s * a + c * b;
    }
    matrix[p * size + q] = matrix[q * size + p] = 0;
}

// One round of all pairs; whether one of them was rotated.
static bool rotate_all(size_t size, double *matrix)
{
    bool rotated = false;
    for (size_t p = 0; p < size; p++)
        for (size_t q = p + 1; q < size; q++) {
            double least = fmin(fabs(matrix[p * (size + 1)]), fabs(matrix[q * (size + 1)]));
            if (least + fabs(matrix[p * size + q]) == least)
                continue;
            rotate(size, matrix, p, q);
            rotated = true;
        }
    return rotated;
}

void symmetric_eigenvalues(size_t size, double *matrix, double *values)
{
    assert(size <= SIZE_SMALL && real_all_finite(matrix, size * size));
    // A handful of rounds do; roundings may let a hopelessly small entry come back.
    for (size_t rounds = 0; rounds < LIMIT_STEPS && rotate_all(size, matrix); rounds++)
        ;
    for (size_t i = 0; i < size; i++) {
        size_t place = i;
        for (; place > 0 && values[place - 1] > matrix[i * (size + 1)]; place--)
            values[place] = values[place - 1];
        values[place] = matrix[i * (size + 1)];
    }
}

// LU and QR factors, small and large, by what they promise: products, residuals, LAPACK's numbers.
#include "base/strings.h"
#include "linalg/dense_factors.h"
#include "linalg/real.h"

#include <float.h>
#include <lapacke.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 32 }; // beyond the small ones

static double uniform(Random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-52 - 1;
}

static void draw(Random *random, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = random_below(random, 5) == 0 ? 0 : uniform(random);
}

// |A·x − b| of a matrix, column after column, or of its transpose.
static double residual(bool transposed, size_t size, const double *A, size_t lead, const double *x,
                       const double *b)
{
    double worst = 0;
    for (size_t i = 0; i < size; i++) {
        double sum = -b[i];
        for (size_t j = 0; j < size; j++)
            sum += A[transposed ? i * lead + j : j * lead + i] * x[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void lu_solves(void **state)
{
    (void)state;
    Random random = random_seed(3);
    for (int round = 0; round < 400; round++) {
        size_t size = 1 + random_below(&random, MOST), lead = size + random_below(&random, 3);
        double A[MOST * (MOST + 3)], factors[MOST * (MOST + 3)], b[MOST], x[MOST], work[4 * MOST];
        int pivots[MOST], order[MOST];
        draw(&random, size * lead, A);
        for (size_t i = 0; i < size; i++)
            A[i * (lead + 1)] += 0.5;
        draw(&random, size, b);
        memcpy(factors, A, size * lead * sizeof *A);
        if (!lu_factor(size, factors, lead, pivots))
            continue;
        double reciprocal = lu_reciprocal_condition(size, factors, lead, 1, work, order), told = 0;
        LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', (lapack_int)size, factors, (lapack_int)lead, 1,
                       &told);
        assert_true(fabs(reciprocal - told) <= 1e-9 * told);
        for (int transposed = 0; transposed < 2; transposed++) {
            memcpy(x, b, size * sizeof *x);
            lu_solve(transposed, size, factors, lead, pivots, x);
            double allowed = 1e-14 * (double)size * (1 + real_largest(x, size));
            assert_true(residual(transposed, size, A, lead, x, b) <= allowed * (double)size);
        }
    }
}

static void lu_sees_singular_matrices(void **state)
{
    (void)state;
    int pivots[3];
    double A[] = {1, 2, 3, 2, 4, 6, 1, 0, 1}, work[12];
    assert_false(lu_factor(3, A, 3, pivots));
    assert_true(lu_reciprocal_condition(3, A, 3, 1, work, pivots) == 0);
}

// QR of rank-deficient and of plain matrices: R = QᵀAP is upper, its diagonal falls, Q is
// orthogonal, and right products are those of the transpose from the left.
static void qr_factors_are_orthogonal(void **state)
{
    (void)state;
    Random random = random_seed(4);
    for (int round = 0; round < 300; round++) {
        size_t n = 1 + random_below(&random, MOST), m = 1 + random_below(&random, MOST);
        size_t least = n < m ? n : m, rank = 1 + random_below(&random, least), size = n * m;
        double A[MOST * MOST], factors[MOST * MOST], tau[MOST], QtAP[MOST * MOST];
        int order[MOST];
        draw(&random, size, A);
        for (size_t j = rank; j < m; j++) // dependent columns
            for (size_t i = 0; i < n; i++)
                A[j * n + i] = A[(j - rank) * n + i] - 2 * A[(j - 1) * n + i];
        size_t work_size = qr_workspace(n, m) + 4 * MOST;
        double *work = base_alloc(work_size * sizeof *work);
        memcpy(factors, A, size * sizeof *A);
        qr_factor(n, m, factors, n, order, tau, work, work_size);
        QrFactors qr = {factors, tau, n, least};
        for (size_t j = 0; j < m; j++)
            memcpy(QtAP + j * n, A + (size_t)(order[j] - 1) * n, n * sizeof *A);
        qr_times(&qr, true, true, n, m, QtAP, work, work_size);
        double scale = 1e-14 * (1 + real_largest(A, size)) * (double)(n + m);
        for (size_t j = 0; j < m; j++)
            for (size_t i = 0; i < n; i++)
                assert_true(fabs(QtAP[j * n + i] - (i <= j ? factors[j * n + i] : 0)) <= scale);
        for (size_t k = 1; k < least; k++)
            assert_true(fabs(factors[k * (n + 1)]) <=
                        fabs(factors[(k - 1) * (n + 1)]) * (1 + 1e-7) + scale);
        // Qᵀ·Q = 1, from the identity; Q from the right.
        double Q[MOST * MOST] = {0}, product[MOST * MOST] = {0};
        for (size_t i = 0; i < n; i++)
            Q[i * (n + 1)] = product[i * (n + 1)] = 1;
        qr_times(&qr, true, false, n, n, Q, work, work_size);
        qr_times(&qr, false, false, n, n, product, work, work_size);
        for (size_t i = 0; i < n * n; i++)
            assert_true(fabs(Q[i] - product[i]) <= 1e-14 * (double)n);
        qr_times(&qr, true, true, n, n, Q, work, work_size);
        for (size_t i = 0; i < n * n; i++)
            assert_true(fabs(Q[i] - (i % (n + 1) == 0)) <= 1e-14 * (double)n);
        base_free(work);
    }
}

static void upper_triangles_are_solved(void **state)
{
    (void)state;
    Random random = random_seed(5);
    for (int round = 0; round < 200; round++) {
        size_t rank = 1 + random_below(&random, MOST), columns = 1 + random_below(&random, 4);
        double R[MOST * MOST], x[4 * MOST], b[4 * MOST];
        draw(&random, rank * rank, R);
        for (size_t j = 0; j < rank; j++) {
            R[j * (rank + 1)] = 2 + uniform(&random);
            for (size_t i = 0; i < j; i++)
                R[j * rank + i] /= (double)rank;
        }
        draw(&random, rank * columns, b);
        QrFactors qr = {R, NULL, rank, rank};
        for (int transposed = 0; transposed < 2; transposed++) {
            memcpy(x, b, rank * columns * sizeof *x);
            qr_solve_upper(&qr, transposed, x, columns);
            double upper[MOST * MOST] = {0};
            for (size_t j = 0; j < rank; j++)
                memcpy(upper + j * rank, R + j * rank, (j + 1) * sizeof *R);
            for (size_t j = 0; j < columns; j++)
                assert_true(residual(transposed, rank, upper, rank, x + j * rank, b + j * rank) <=
                            1e-13);
        }
    }
}

static void eigenvalues_are_those_of_lapack(void **state)
{
    (void)state;
    Random random = random_seed(6);
    for (int round = 0; round < 300; round++) {
        size_t size = 1 + random_below(&random, 8);
        double A[64], B[64], values[8], expected[8];
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j <= i; j++)
                A[i * size + j] = A[j * size + i] = round % 3 ? uniform(&random) : round % 2;
        memcpy(B, A, sizeof B);
        symmetric_eigenvalues(size, A, values);
        LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', (lapack_int)size, B, (lapack_int)size, expected);
        for (size_t i = 0; i < size; i++)
            assert_true(fabs(values[i] - expected[i]) <= 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lu_solves),
        cmocka_unit_test(lu_sees_singular_matrices),
        cmocka_unit_test(qr_factors_are_orthogonal),
        cmocka_unit_test(upper_triangles_are_solved),
        cmocka_unit_test(eigenvalues_are_those_of_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_lapack_drivers.c: what the drivers promise, by its definition, on matrices drawn at random:
// normal equations and shortest solutions, A·v = σ·u, A·x = λ·x, A·x = λ·B·x; and NaN is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "linalg/lapack.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { MOST = 12, TIMES = 200 };
typedef double Matrix[MOST * MOST];

static Random source;

static void draw(size_t count, double *numbers)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)random_below(&source, 2001) / 1000 - 1;
}

static void expect_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-9);
}

static double times(const double *row, size_t count, const double *x, size_t stride)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += row[i] * x[i * stride];
    return sum;
}

// Rows of rank `rank`: A = L·R.
static void draw_of_rank(size_t rows, size_t columns, size_t rank, double *A)
{
    Matrix left, right;
    draw(rows * rank, left);
    draw(rank * columns, right);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            A[i * columns + j] = times(left + i * rank, rank, right + j, columns);
}

// Aᵀ(A·x − b) = 0, and x is a combination of A's rows: orthogonal to what A maps to 0.
static void solves_shortest(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        size_t rows = 1 + random_below(&source, MOST), columns = 1 + random_below(&source, MOST);
        size_t least = rows < columns ? rows : columns, most = rows + columns - least, rank;
        size_t wanted = 1 + random_below(&source, least);
        Matrix A, used, axes, tall = {0};
        double b[MOST], x[MOST], rest[MOST], values[MOST];
        draw_of_rank(rows, columns, wanted, A);
        draw(rows, b);
        memcpy(x, b, sizeof x);
        memcpy(used, A, sizeof used);
        assert_true(lapack_least_norm(rows, columns, used, x, 1e-9, &rank));
        memcpy(tall, A, rows * columns * sizeof *tall);
        assert_true(lapack_axes(most > columns ? most : columns, columns, tall, values, axes));
        // A product of random factors may itself be nearly of less rank.
        if (values[wanted - 1] < 1e-4 * values[0])
            continue;
        assert_int_equal(rank, wanted);
        for (size_t k = 0; k < rows; k++)
            rest[k] = times(A + k * columns, columns, x, 1) - b[k];
        for (size_t j = 0; j < columns; j++)
            expect_near(times(rest, rows, A + j, columns), 0);
        for (size_t k = wanted; k < columns; k++) {
            expect_near(times(axes + k * columns, columns, x, 1), 0);
            for (size_t l = 0; l < rows; l++)
                expect_near(times(A + l * columns, columns, axes + k * columns, 1), 0);
        }
        // |A·v| = σ.
        for (size_t k = 0; k < wanted; k++) {
            double sum = 0;
            for (size_t l = 0; l < rows; l++)
                sum += pow(times(A + l * columns, columns, axes + k * columns, 1), 2);
            expect_near(sqrt(sum), values[k]);
        }
    }
}

static void solves_regular(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        size_t n = 1 + random_below(&source, MOST), columns = 1 + random_below(&source, MOST);
        Matrix A, used, b, x;
        draw(n * n, A);
        draw(n * columns, b);
        memcpy(used, A, sizeof used);
        memcpy(x, b, sizeof x);
        if (!lapack_solve(n, columns, used, x, 1e-5))
            continue;
        for (size_t k = 0; k < n * columns; k++)
            expect_near(times(A + k / columns * n, n, x + k % columns, columns), b[k]);
    }
    Matrix singular = {1, 2, 2, 4}, b = {1, 1};
    assert_false(lapack_solve(2, 1, singular, b, 1e-14));
}

static void finds_singular_values(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        size_t rows = 1 + random_below(&source, MOST), columns = 1 + random_below(&source, MOST);
        size_t least = rows < columns ? rows : columns;
        Matrix A, used, axes; // column by column
        double values[MOST];
        draw(rows * columns, A);
        memcpy(used, A, sizeof used);
        assert_true(lapack_singular_values(rows, columns, used, values, axes));
        // |Aᵀ·u| = σ, and 0 beyond.
        for (size_t k = 0; k < rows; k++) {
            double sum = 0;
            for (size_t j = 0; j < columns; j++)
                sum += pow(times(A + j * rows, rows, axes + k * rows, 1), 2);
            expect_near(sqrt(sum), k < least ? values[k] : 0);
        }
        double again[MOST];
        memcpy(used, A, sizeof used);
        assert_true(lapack_singular_values(rows, columns, used, again, NULL));
        for (size_t k = 0; k < least; k++)
            expect_near(again[k], values[k]);
    }
}

static void finds_eigenvalues(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        size_t n = 1 + random_below(&source, MOST);
        Matrix A, used, vectors;
        double re[MOST], im[MOST], values[MOST];
        draw(n * n, A);
        memcpy(used, A, sizeof used);
        assert_true(lapack_eigenvalues(n, used, re, im, vectors));
        for (size_t k = 0; k < n; k++) {
            if (im[k] < 0)
                continue;
            lapack_complex_double shifted[MOST * MOST], axes[MOST * MOST];
            for (size_t l = 0; l < n; l++) {
                double x = times(A + l * n, n, vectors + k, n);
                double y = im[k] > 0 ? times(A + l * n, n, vectors + k + 1, n) : 0;
                double a = vectors[l * n + k], b = im[k] > 0 ? vectors[l * n + k + 1] : 0;
                expect_near(x, re[k] * a - im[k] * b);
                expect_near(y, re[k] * b + im[k] * a);
                for (size_t j = 0; j < n; j++)
                    shifted[l * n + j] = A[l * n + j] - (l == j ? re[k] + im[k] * I : 0);
            }
            // A − λ is singular, and the last row of V* is what it maps to 0.
            assert_true(lapack_complex_axes(n, shifted, values, axes));
            expect_near(values[n - 1], 0);
            for (size_t l = 0; l < n; l++) {
                double _Complex sum = -(re[k] + im[k] * I) * conj(axes[(n - 1) * n + l]);
                for (size_t j = 0; j < n; j++)
                    sum += A[l * n + j] * conj(axes[(n - 1) * n + j]);
                expect_near(cabs(sum), 0);
            }
        }
    }
}

// By the eigenvalues of B⁻¹A, where B is diagonal.
static void finds_pencils(void **state)
{
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        size_t n = 1 + random_below(&source, MOST);
        Matrix A, B = {0}, whole;
        double values[MOST], re[MOST], im[MOST], sum = 0, other = 0;
        draw(n * n, A);
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < k; l++)
                A[k * n + l] = A[l * n + k];
        for (size_t k = 0; k < n; k++)
            B[k * n + k] = 1 + (double)random_below(&source, 100) / 50;
        for (size_t k = 0; k < n * n; k++)
            whole[k] = A[k] / B[k / n * (n + 1)];
        assert_true(lapack_symmetric_pencil(n, A, B, values));
        assert_true(lapack_eigenvalues(n, whole, re, im, NULL));
        for (size_t k = 0; k < n; k++) {
            size_t below = 0;
            for (size_t l = 0; l < n; l++)
                below += re[l] < values[k] - 1e-9;
            assert_true(below <= k);
            sum += values[k];
            other += re[k];
        }
        expect_near(sum, other);
    }
}

static void refuses_nan(void **state)
{
    (void)state;
    Matrix A = {1, NAN, 2, 3}, B = {1, 0, 0, 1}, axes;
    double values[2], b[2] = {1, 1};
    size_t rank = 7;
    assert_false(lapack_least_norm(2, 2, A, b, 1e-9, &rank));
    assert_int_equal(rank, 0);
    assert_false(lapack_axes(2, 2, A, values, axes));
    assert_false(lapack_singular_values(2, 2, A, values, NULL));
    assert_false(lapack_eigenvalues(2, A, values, b, NULL));
    assert_false(lapack_symmetric_pencil(2, A, B, values));
}

int main(void)
{
    source = random_seed(17);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_shortest),       cmocka_unit_test(solves_regular),
        cmocka_unit_test(finds_singular_values), cmocka_unit_test(finds_eigenvalues),
        cmocka_unit_test(finds_pencils),         cmocka_unit_test(refuses_nan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

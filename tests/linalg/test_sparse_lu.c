// test_sparse_lu.c: sparse factors and elimination one after the other, against whole matrices.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "linalg/echelon.h"
#include "linalg/sparse_lu.h"

#include <math.h>
#include <string.h>

#define assert_near(value, expected, tolerance)                                                    \
    assert_true(fabs((value) - (expected)) <= (tolerance))

enum { SYSTEMS = 40 };

static double number(Random *random)
{
    return (double)random_below(random, 2001) / 1000 - 1;
}

// A few entries a row, one of them on a diagonal that was shuffled.
static void fill(Random *random, size_t size, double *matrix)
{
    size_t turn = random_below(random, size);
    memset(matrix, 0, size * size * sizeof *matrix);
    for (size_t i = 0; i < size; i++) {
        matrix[i * size + (i + turn) % size] = 2 + number(random);
        for (int l = 0; l < 3; l++)
            matrix[i * size + random_below(random, size)] += number(random);
    }
}

static void take(SparseLu *sparse, size_t size, const double *matrix)
{
    sparse_store_begin(&sparse->matrix);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++)
            if (matrix[i * size + j] != 0)
                sparse_store_push(&sparse->matrix, j, matrix[i * size + j]);
        sparse_store_end_row(&sparse->matrix);
    }
}

static double residual(const double *matrix, size_t size, const double *x, const double *right)
{
    double worst = 0;
    for (size_t i = 0; i < size; i++) {
        double sum = -right[i];
        for (size_t j = 0; j < size; j++)
            sum += matrix[i * size + j] * x[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

// Again with other values, with the same ones, and with other places.
static void factors_solve(void **state)
{
    (void)state;
    Random random = random_seed(7);
    for (int system = 0; system < SYSTEMS; system++) {
        size_t size = 5 + random_below(&random, 60);
        double *matrix = base_alloc(size * (size + 2) * sizeof *matrix);
        double *right = matrix + size * size, *x = right + size;
        SparseLu sparse;
        sparse_lu_init(&sparse, size);
        for (int turn = 0; turn < 4; turn++) {
            if (turn % 3 == 0)
                fill(&random, size, matrix);
            for (size_t i = 0; i < size * size && turn == 2; i++)
                matrix[i] *= 1 + number(&random) / 10;
            for (size_t i = 0; i < size; i++)
                x[i] = right[i] = number(&random);
            take(&sparse, size, matrix);
            if (!sparse_lu_factor(&sparse, 1e-6))
                continue;
            sparse_lu_solve(&sparse, x);
            assert_near(residual(matrix, size, x, right), 0, 1e-8);
        }
        sparse_lu_clear(&sparse);
        base_free(matrix);
    }
}

static void singular_ones_are_seen(void **state)
{
    (void)state;
    const double matrix[] = {1, 2, 0, 2, 4, 0, 0, 1, 1};
    SparseLu sparse;
    sparse_lu_init(&sparse, 3);
    take(&sparse, 3, matrix);
    assert_false(sparse_lu_factor(&sparse, 1e-12));
    const double regular[] = {1, 2, 0, 2, 3, 0, 0, 1, 1};
    double x[] = {3, 5, 2};
    take(&sparse, 3, regular);
    assert_true(sparse_lu_factor(&sparse, 0));
    sparse_lu_solve(&sparse, x);
    for (int i = 0; i < 3; i++)
        assert_near(x[i], 1, 1e-14);
    sparse_lu_clear(&sparse);
}

// Rows with combinations of earlier ones among them: those are found, and what they ask for.
static void rows_one_after_the_other(void **state)
{
    (void)state;
    Random random = random_seed(11);
    for (int system = 0; system < SYSTEMS; system++) {
        size_t n = 4 + random_below(&random, 30), taken = 0;
        double *matrix = base_alloc((n * n + 3 * n) * sizeof *matrix);
        double *expected = matrix + n * n, *x = expected + n, *sum = x + n, miss = 0;
        fill(&random, n, matrix);
        for (size_t j = 0; j < n; j++)
            expected[j] = number(&random);
        Echelon echelon;
        echelon_init(&echelon, n);
        for (size_t i = 0; i < n; i++) {
            const double *row = matrix + i * n;
            double right = 0, of_sum = 0;
            for (size_t j = 0; j < n; j++)
                right += row[j] * expected[j];
            taken += echelon_take(&echelon, row, right, &miss);
            // This row and the first together add nothing; asked for one more they clash by that.
            for (size_t j = 0; j < n; j++) {
                sum[j] = row[j] + 2 * matrix[j];
                of_sum += sum[j] * expected[j];
            }
            assert_false(echelon_take(&echelon, sum, of_sum, &miss));
            assert_near(miss, 0, 1e-8);
            assert_false(echelon_take(&echelon, sum, of_sum + 1, &miss));
            assert_near(miss, 1, 1e-8);
        }
        if (taken == n) {
            echelon_solve(&echelon, x);
            for (size_t j = 0; j < n; j++)
                assert_near(x[j], expected[j], 1e-6);
        }
        echelon_clear(&echelon);
        base_free(matrix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_solve),
        cmocka_unit_test(singular_ones_are_seen),
        cmocka_unit_test(rows_one_after_the_other),
    };
    return cmocka_run_group_tests_name("linalg/sparse_lu", tests, NULL, NULL);
}

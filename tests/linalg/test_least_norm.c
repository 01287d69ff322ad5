// test_least_norm.c: the shortest solution by sparse factors and by whole ones, against singular
// values: independent rows, copies and combinations of rows, residuals that agree with each
// other and ones that do not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "linalg/least_norm.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#define assert_near(value, expected, tolerance)                                                    \
    assert_true(fabs((value) - (expected)) <= (tolerance))

enum { SYSTEMS = 60 };

static double number(Random *random)
{
    return (double)random_below(random, 2001) / 1000 - 1;
}

// Rows of a few entries: a chain, each row with some of the columns of the one before it.
static void fill(Random *random, size_t rows, size_t columns, double *matrix)
{
    memset(matrix, 0, rows * columns * sizeof *matrix);
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < 4; l++)
            matrix[i * columns + (2 * i + l + random_below(random, 2)) % columns] = number(random);
}

static void combine(Random *random, size_t row, size_t columns, double *matrix)
{
    size_t from = random_below(random, row), other = random_below(random, row);
    double a = 1 + (double)random_below(random, 3),
           b = random_below(random, 2) ? number(random) : 0;
    for (size_t j = 0; j < columns; j++)
        matrix[row * columns + j] =
            a * matrix[from * columns + j] + b * matrix[other * columns + j];
}

static void unit(double *row, size_t columns)
{
    double largest = 0;
    for (size_t j = 0; j < columns; j++)
        largest = fmax(largest, fabs(row[j]));
    for (size_t j = 0; j < columns; j++)
        row[j] = ldexp(row[j], -ilogb(largest));
}

// By LAPACK's singular values; rank is how many count.
static size_t by_singular_values(const double *matrix, size_t rows, size_t columns,
                                 const double *right, double *x)
{
    size_t most = rows > columns ? rows : columns;
    double *copy = base_alloc((rows * columns + 2 * most) * sizeof *copy);
    double *values = copy + rows * columns, *both = values + most;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            copy[j * rows + i] = matrix[i * columns + j];
    memcpy(both, right, rows * sizeof *both);
    lapack_int rank = 0;
    assert_int_equal(LAPACKE_dgelss(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, 1,
                                    copy, (lapack_int)rows, both, (lapack_int)most, values, 1e-9,
                                    &rank),
                     0);
    memcpy(x, both, columns * sizeof *x);
    base_free(copy);
    return (size_t)rank;
}

static bool shortest(LeastNorm *change, const double *matrix, size_t rows, size_t columns,
                     const double *right, bool few, double *x)
{
    least_norm_begin(change, columns, few);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            if (matrix[i * columns + j] != 0)
                least_norm_push(change, j, matrix[i * columns + j]);
        least_norm_end_row(change, right[i]);
    }
    return least_norm_solve(change, x);
}

// Every row may be longer than another, which changes nothing.
static void check(Random *random, LeastNorm *change, size_t dependent, bool agree)
{
    size_t columns = 12 + random_below(random, 40),
           rows = 4 + random_below(random, columns / 2 - 4);
    double *matrix = base_alloc((rows * columns + rows + 3 * columns) * sizeof *matrix);
    double *right = matrix + rows * columns, *x = right + rows, *expected = x + columns;
    double *target = expected + columns;
    fill(random, rows, columns, matrix);
    for (size_t i = rows - dependent; i < rows; i++)
        combine(random, i, columns, matrix);
    for (size_t j = 0; j < columns; j++)
        target[j] = number(random);
    for (size_t i = 0; i < rows; i++) {
        unit(matrix + i * columns, columns);
        right[i] = agree ? 0 : number(random);
        for (size_t j = 0; j < columns; j++)
            right[i] += matrix[i * columns + j] * target[j];
    }
    size_t rank = by_singular_values(matrix, rows, columns, right, expected);
    assert_true(rank <= rows - dependent);
    for (size_t i = 0; i < rows; i++) {
        double longer = ldexp(1, (int)random_below(random, 9));
        for (size_t j = 0; j < columns; j++)
            matrix[i * columns + j] *= longer;
        right[i] *= longer;
    }
    for (int few = 0; few < 2; few++) {
        assert_true(shortest(change, matrix, rows, columns, right, few, x));
        for (size_t j = 0; j < columns; j++)
            assert_near(x[j], expected[j], 1e-7);
    }
    base_free(matrix);
}

static void against_singular_values(void **state)
{
    (void)state;
    Random random = random_seed(23);
    LeastNorm change = {0};
    for (size_t system = 0; system < SYSTEMS; system++)
        check(&random, &change, system % 4, system % 8 < 4);
    least_norm_clear(&change);
}

// A row of no length asks for nothing that can be given; opposite rows that ask for the same.
static void rows_of_no_length(void **state)
{
    (void)state;
    const double matrix[] = {3, 4, 0, 0, 0, 0, -3, -4, 0, 0, 0, 2}, right[] = {5, 7, -5, 6};
    double x[3];
    LeastNorm change = {0};
    assert_true(shortest(&change, matrix, 4, 3, right, true, x));
    assert_near(x[0], 0.6, 1e-13);
    assert_near(x[1], 0.8, 1e-13);
    assert_near(x[2], 3, 1e-13);
    // And where they do not, the mean of both.
    const double apart[] = {5, 7, 0, 6};
    assert_true(shortest(&change, matrix, 4, 3, apart, true, x));
    assert_near(x[0], 0.3, 1e-8);
    assert_near(x[1], 0.4, 1e-8);
    const double none[] = {5, 7, NAN, 6};
    assert_false(shortest(&change, matrix, 4, 3, none, true, x));
    least_norm_clear(&change);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_singular_values),
        cmocka_unit_test(rows_of_no_length),
    };
    return cmocka_run_group_tests_name("linalg/least_norm", tests, NULL, NULL);
}

// test_echelon.c: equations x_j = r that stand apart from all others are taken at once. What comes
// out is what it is where every row is reduced by all before it, to the last bit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "linalg/echelon.h"

#include <string.h>

enum { MOST = 12 };

// A row of few entries, or of one that is 1; its column then, else n.
static size_t draw_row(Random *random, size_t n, double *row)
{
    memset(row, 0, n * sizeof *row);
    size_t column = random_below(random, n), kind = random_below(random, 3);
    row[column] = 1;
    if (kind > 0)
        return column;
    for (size_t i = 0; i < 3; i++)
        row[random_below(random, n)] = (double)random_below(random, 9) - 4;
    return n;
}

// Both take or leave the same, and are short of the same.
static void take_both(Echelon *quick, Echelon *plain, size_t column, const double *row,
                      double right)
{
    double miss = right, other = right;
    bool taken = plain->count < plain->n && echelon_take(plain, row, right, &other);
    if (column < quick->n && echelon_take_apart(quick, column, right)) {
        assert_true(taken);
        return;
    }
    assert_true((quick->count < quick->n && echelon_take(quick, row, right, &miss)) == taken);
    assert_true(miss == other);
}

static void check(uint64_t seed)
{
    Random random = random_seed(seed);
    size_t n = 2 + random_below(&random, MOST - 2);
    double row[MOST], x[2][MOST];
    Echelon quick, plain;
    echelon_init(&quick, n);
    echelon_init(&plain, n);
    for (size_t i = 0; i < 3 * n; i++) {
        size_t column = draw_row(&random, n, row);
        take_both(&quick, &plain, column, row, (double)random_below(&random, 7) - 3);
        assert_int_equal(quick.count, plain.count);
        // Now and then the last ones are let go.
        if (random_below(&random, 6) == 0) {
            size_t kept = random_below(&random, quick.count + 1);
            echelon_truncate(&quick, kept);
            echelon_truncate(&plain, kept);
        }
    }
    for (size_t j = 0; j < n; j++)
        x[0][j] = x[1][j] = 1 + (double)j;
    echelon_solve(&quick, x[0]);
    echelon_solve(&plain, x[1]);
    if (memcmp(x[0], x[1], n * sizeof **x) != 0)
        fail_msg("seed %llu: other solutions", (unsigned long long)seed);
    echelon_clear(&quick);
    echelon_clear(&plain);
}

static void test_apart(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++)
        check(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

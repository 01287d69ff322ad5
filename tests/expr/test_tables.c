// Tables: splines have the properties that define them, and pieces are those that their knots say.
#include "check.h"
#include "expr/tables.h"
#include "near.h"
#include "uniform.h"

#include <math.h>

enum { MOST = 40 };

typedef struct {
    ExprPool *pool;
    double knots[MOST], values[MOST];
    ExprTable given;
} TableCase;

static TableCase draw(Random *random, int kind, int beyond)
{
    TableCase made = {.pool = expr_pool_new()};
    size_t count = 2 + random_below(random, MOST - 2);
    made.given.numbers.kind = kind;
    made.given.numbers.beyond = beyond;
    made.given.numbers.count = count;
    for (size_t i = 0; i < count; i++) {
        double gap = random_below(random, 5) == 0 ? 1e-3 : uniform(random, 0.1, 2);
        made.knots[i] = i == 0 ? uniform(random, -5, 5) : made.knots[i - 1] + gap;
        made.values[i] = uniform(random, -3, 3);
    }
    return made;
}

static const ExprTable *table_of(TableCase *made)
{
    made->given.numbers.knots = made->knots;
    made->given.values = made->values;
    return expr_table_new(made->pool, &made->given);
}

// Derivative `order` at u by the polynomial of a piece.
static double derivative(const ExprTable *table, double piece, double u, int order)
{
    double past = u - expr_table_start(table, piece), sum = 0;
    for (int j = TABLE_MOST_DEGREE; j >= order; j--) {
        double factor = 1;
        for (int k = 0; k < order; k++)
            factor *= j - k;
        sum = sum * past + factor * expr_table_column(table, piece, j);
    }
    return sum;
}

// A spline takes the values, has two continuous derivatives, and a third one at the second knot and
// at the last but one: there is only one such.
static void test_splines(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        Random random = random_seed(seed);
        TableCase made = draw(&random, TABLE_CUBIC, TABLE_ENDS);
        const ExprTable *table = table_of(&made);
        size_t last = table->numbers.count - 1;
        for (size_t i = 0; i <= last; i++) {
            double u = made.knots[i], piece = (double)(i < last ? i : last - 1);
            assert_near(derivative(table, piece, u, 0), made.values[i], 1e-9);
            if (i == 0 || i == last)
                continue;
            bool third = i == 1 || i == last - 1;
            for (int order = 0; order <= (third ? 3 : 2); order++) {
                double before = derivative(table, (double)(i - 1), u, order);
                double after = derivative(table, (double)i, u, order);
                double size = fmax(fabs(before), 1);
                for (int k = 1; k < 4; k++) // what the short pieces make of roundings
                    size = fmax(size, fabs(expr_table_column(table, (double)i, k)) * 1e-3);
                CHECK(seed, fabs(before - after) <= 1e-7 * size * pow(1e3, order));
            }
        }
        expr_pool_free(made.pool);
    }
}

// The piece of an argument, by going through all knots.
static void test_pieces(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        Random random = random_seed(seed);
        TableCase made = draw(&random, TABLE_LINEAR, (int)(seed % 3));
        const ExprTable *table = table_of(&made);
        size_t last = table->numbers.count - 1;
        double width = made.knots[last] - made.knots[0];
        for (int k = 0; k < 50; k++) {
            double u = made.knots[0] + width * uniform(&random, -2, 3);
            if (k % 5 == 0)
                u = made.knots[random_below(&random, last + 1)];
            double piece = expr_table_piece(table, u);
            bool outside = u < made.knots[0] || u > made.knots[last];
            CHECK(seed, isnan(piece) == (outside && table->numbers.beyond == TABLE_ENDS));
            if (isnan(piece))
                continue;
            CHECK(seed, expr_table_start(table, piece) <= u);
            CHECK(seed, u < expr_table_end(table, piece) ||
                            (u == made.knots[last] && table->numbers.beyond == TABLE_ENDS));
            if (outside && table->numbers.beyond == TABLE_HOLDS)
                assert_near(
                    derivative(table, piece < 0 ? 0 : piece, piece < 0 ? made.knots[0] : u, 0),
                    made.values[u > made.knots[last] ? last : 0], 1e-12);
        }
        expr_pool_free(made.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_splines),
                                       cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

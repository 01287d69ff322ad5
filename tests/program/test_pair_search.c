// Pairs that are near, against brute force over all of them: random elements of any size, and
// shapes of many kinds, distances and others. Every pair that reaches the level at some sampled
// point of its boxes must be among those found; and where boxes are points, those found are
// exactly the ones that reach it, but for rounding.
#include "base/strings.h"
#include "expr/expr.h"
#include "program/pair_search.h"
#include "program/program.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SEEDS = 40, MOST_ELEMENTS = 90, SHARED = 2, OWN = 3, INPUTS = SHARED + 2 * OWN };

// f of t, a parameter, and x, z, r of both; all of them are to be at most 0.
typedef struct {
    ExprPool *pool;
    Expr t, w, x[2], z[2], r[2];
    Expr symbols[INPUTS];
} Inputs;

static Inputs inputs_new(void)
{
    static const char *const names[] = {"t", "w", "xi", "zi", "ri", "xj", "zj", "rj"};
    Inputs in = {.pool = expr_pool_new()};
    for (size_t i = 0; i < INPUTS; i++)
        in.symbols[i] = expr_symbol(in.pool, names[i]);
    in.t = in.symbols[0], in.w = in.symbols[1];
    for (size_t k = 0; k < 2; k++) {
        in.x[k] = in.symbols[SHARED + k * OWN];
        in.z[k] = in.symbols[SHARED + k * OWN + 1];
        in.r[k] = in.symbols[SHARED + k * OWN + 2];
    }
    return in;
}

static Expr square(ExprPool *pool, Expr a)
{
    return expr_pow_int(pool, a, 2);
}

static Expr distance_square(Inputs *in)
{
    ExprPool *pool = in->pool;
    return expr_add(pool, square(pool, expr_sub(pool, in->x[0], in->x[1])),
                    square(pool, expr_sub(pool, in->z[0], in->z[1])));
}

enum { SHAPES = 7 };
static Expr shape(Inputs *in, size_t which)
{
    ExprPool *p = in->pool;
    Expr reach = expr_add(p, in->r[0], in->r[1]);
    switch (which) {
    case 0: return expr_sub(p, square(p, reach), distance_square(in)); // balls
    case 1: return expr_sub(p, reach, expr_sqrt(p, distance_square(in)));
    case 2: return expr_sub(p, in->w, expr_sub(p, in->x[1], in->x[0])); // x[j] - x[i] >= w
    case 3:                                                             // balls that grow with time
        return expr_sub(p, square(p, expr_mul(p, reach, expr_add(p, expr_int(p, 1), in->t))),
                        distance_square(in));
    case 4: // not symmetric, with functions
        return expr_sub(p, expr_call(p, EXPR_SIN, expr_mul(p, in->x[0], in->z[1]), (Expr){0}),
                        expr_call(p, EXPR_EXP, expr_sub(p, in->z[0], in->x[1]), (Expr){0}));
    case 5: // with min and abs
        return expr_sub(
            p, reach,
            expr_call(p, EXPR_MAX,
                      expr_call(p, EXPR_ABS, expr_sub(p, in->x[0], in->x[1]), (Expr){0}),
                      expr_call(p, EXPR_ABS, expr_sub(p, in->z[0], in->z[1]), (Expr){0})));
    default: // a quotient without a value for some
        return expr_sub(p, expr_div(p, in->w, expr_sub(p, in->x[0], in->z[1])), in->x[1]);
    }
}

static Interval around(Random *random, double at, double size)
{
    return (Interval){at - uniform(random, 0, size), at + uniform(random, 0, size)};
}

static double inside(Random *random, Interval box)
{
    double x = uniform(random, 0, 1);
    return x < 0.2 ? box.low : x > 0.8 ? box.high : box.low + (box.high - box.low) * x;
}

static bool is_found(const ElementPairs *pairs, size_t i, size_t j)
{
    for (size_t k = 0; k < pairs->count; k++)
        if (pairs->at[k].first == i && pairs->at[k].second == j)
            return true;
    return false;
}

static void fill(PairSearch *search, Random *random, size_t count, double size, Interval *shared)
{
    bool line = random_below(random, 4) == 0; // all on one line, many at one place
    shared[0] = around(random, uniform(random, 0, 1), size);
    shared[1] = around(random, uniform(random, -1, 1), size);
    for (size_t i = 0; i < count; i++) {
        Interval *box = pair_search_boxes(search, i);
        box[0] =
            around(random, line ? (double)random_below(random, 5) : uniform(random, -5, 5), size);
        box[1] = around(random, line ? 1 : uniform(random, -5, 5), size);
        box[2] = around(random, uniform(random, 0, 0.5), size);
        for (size_t k = 0; k < OWN; k++)
            box[OWN + k] = box[k];
    }
}

// The most that f is at some points of the boxes; not a number where it has no value there.
static double sampled(const Program *f, Random *random, const Interval *shared,
                      const Interval *first, const Interval *second, double *work)
{
    double most = -INFINITY;
    for (size_t k = 0; k < 6; k++) {
        double inputs[INPUTS], value;
        for (size_t i = 0; i < SHARED; i++)
            inputs[i] = inside(random, shared[i]);
        for (size_t i = 0; i < OWN; i++) {
            inputs[SHARED + i] = inside(random, first[i]);
            inputs[SHARED + OWN + i] = inside(random, second[OWN + i]);
        }
        program_run_real(f, inputs, &value, work);
        if (isnan(value))
            return value;
        most = fmax(most, value);
    }
    return most;
}

static void compare(const Program *f, uint64_t seed, double size, bool exact, bool symmetric)
{
    Random random = random_seed(seed);
    size_t count = random_below(&random, MOST_ELEMENTS), missed = 0, extra = 0;
    double level = uniform(&random, -1, 0.2);
    PairSearch *search = pair_search_new(f, SHARED, OWN, OWN, count, symmetric);
    Interval shared[SHARED];
    fill(search, &random, count, size, shared);
    ElementPairs pairs = pair_search_find(search, shared, level);
    double *work = base_alloc((program_registers(f) + 1) * sizeof *work);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            double most = sampled(f, &random, shared, pair_search_boxes(search, i),
                                  pair_search_boxes(search, j), work);
            bool found = is_found(&pairs, i, j);
            missed += !found && !(most < level - 1e-12);
            extra += exact && found && most < level - 1e-9;
        }
    for (size_t k = 1; k < pairs.count; k++)
        assert_true(pairs.at[k - 1].first < pairs.at[k].first ||
                    (pairs.at[k - 1].first == pairs.at[k].first &&
                     pairs.at[k - 1].second < pairs.at[k].second));
    if (missed || extra)
        print_message("seed %llu: %zu missed, %zu too many\n", (unsigned long long)seed, missed,
                      extra);
    assert_int_equal(missed + extra, 0);
    base_free(work);
    pair_search_free(search);
}

static void none_is_missed(void **state)
{
    (void)state;
    Inputs in = inputs_new();
    for (size_t which = 0; which < SHAPES; which++) {
        Expr f = shape(&in, which);
        Program *program = program_new(in.pool, in.symbols, INPUTS, &f, 1, NULL);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            bool symmetric = which < 2 || which == 3 || which == 5;
            double size = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0.1 : 2;
            bool exact = seed % 3 == 0 && which != 6;
            compare(program, 1000 * which + seed, size, exact, false);
            if (symmetric)
                compare(program, 1000 * which + seed, size, exact, true);
        }
        program_free(program);
    }
    expr_pool_free(in.pool);
}

// For balls of one size the work grows with the number of balls, and not with its square.
static void work_is_near_linear(void **state)
{
    (void)state;
    Inputs in = inputs_new();
    Expr f = shape(&in, 0);
    Program *program = program_new(in.pool, in.symbols, INPUTS, &f, 1, NULL);
    double looked[2];
    for (size_t k = 0; k < 2; k++) {
        size_t side = k == 0 ? 30 : 90, count = side * side;
        PairSearch *search = pair_search_new(program, SHARED, OWN, OWN, count, true);
        Interval shared[SHARED] = {{0, 0}, {0, 0}};
        for (size_t i = 0; i < count; i++) {
            Interval *box = pair_search_boxes(search, i);
            double at[OWN] = {(double)(i % side), (double)(i / side), 0.505};
            for (size_t m = 0; m < 2 * OWN; m++)
                box[m] = (Interval){at[m % OWN], at[m % OWN]};
        }
        ElementPairs pairs = pair_search_find(search, shared, 0);
        assert_int_equal(pairs.count, 2 * side * (side - 1));
        looked[k] = (double)pairs.looked / (double)count;
        pair_search_free(search);
    }
    assert_true(looked[1] < 1.3 * looked[0] && looked[1] < 60);
    program_free(program);
    expr_pool_free(in.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_is_missed),
                                       cmocka_unit_test(work_is_near_linear)};
    return cmocka_run_group_tests_name("program/pair_search", tests, NULL, NULL);
}

// Derivatives against three other roads: dual numbers over exact rationals, forward against
// backward, and difference quotients in balls of 300 bits.
#include "expr/expr.h"

#include "../random_expr.h"
#include "ball_value.h"
#include "check.h"
#include "exact_value.h"

enum { SEEDS = 400, STEPS = 10 };
enum { EXACT_KINDS = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS };
enum { ALL_KINDS = EXACT_KINDS | RANDOM_ROOTS };

static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};

static void take_symbols(ExprPool *pool, Expr symbols[RANDOM_SYMBOLS])
{
    for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
        symbols[i] = expr_symbol(pool, names[i]);
}

// ---- Dual numbers.

// Whether the value of `derivative` is the slope of e along the moving symbols.
static bool is_slope(const ExactPoint *point, Expr e, Expr derivative, size_t *poles)
{
    fmpq_t value, slope, found;
    fmpq_init(value);
    fmpq_init(slope);
    fmpq_init(found);
    bool known = exact_dual(point, e, value, slope) &&
                 exact_value(point->pool, point->seed, derivative, found);
    bool same = !known || fmpq_equal(slope, found);
    *poles += !known;
    fmpq_clear(found);
    fmpq_clear(slope);
    fmpq_clear(value);
    return same;
}

static void partial_derivatives_are_slopes(void **state)
{
    (void)state;
    size_t poles = 0;
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, EXACT_KINDS, STEPS);
        Expr x = random_symbol(pool, &random);
        ExactPoint point = {pool, seed, &x, one, 1};
        CHECK(seed, is_slope(&point, e, expr_diff(pool, e, x), &poles));
        expr_pool_free(pool);
    }
    fmpq_clear(one);
    assert_true(poles < SEEDS / 10);
}

// Wide sums and long products, above the merge limit, with bases that come several times.
static void derivatives_of_wide_nodes_are_slopes(void **state)
{
    (void)state;
    enum { WIDE = 12 };
    size_t poles = 0;
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr parts[WIDE];
        for (size_t i = 0; i < WIDE; i++)
            parts[i] = random_expr(pool, &random, EXACT_KINDS, 2);
        Expr sum = expr_sum(pool, parts, WIDE), product = expr_product(pool, parts, WIDE);
        Expr e = expr_div(pool, expr_mul(pool, product, sum), expr_add(pool, product, parts[0]));
        Expr x = random_symbol(pool, &random);
        ExactPoint point = {pool, seed, &x, one, 1};
        CHECK(seed, is_slope(&point, e, expr_diff(pool, e, x), &poles));
        expr_pool_free(pool);
    }
    fmpq_clear(one);
    assert_true(poles < SEEDS / 20);
}

// ---- Forward and backward.

static void gradient_is_all_partial_derivatives(void **state)
{
    (void)state;
    size_t poles = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, EXACT_KINDS, STEPS);
        Expr symbols[RANDOM_SYMBOLS + 1], partials[RANDOM_SYMBOLS + 1];
        take_symbols(pool, symbols);
        symbols[RANDOM_SYMBOLS] = expr_symbol(pool, "absent");
        expr_gradient(pool, e, symbols, RANDOM_SYMBOLS + 1, partials);
        CHECK(seed, expr_is_zero(pool, partials[RANDOM_SYMBOLS]));
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++) {
            Expr forward = expr_diff(pool, e, symbols[i]);
            CHECK(seed, exact_agree(pool, seed, partials[i], forward, &poles));
        }
        expr_pool_free(pool);
    }
    assert_true(poles < SEEDS * RANDOM_SYMBOLS / 10);
}

static void gradient_of_leaves(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr symbols[RANDOM_SYMBOLS], partials[RANDOM_SYMBOLS];
    take_symbols(pool, symbols);
    expr_gradient(pool, symbols[1], symbols, RANDOM_SYMBOLS, partials);
    for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
        assert_same(partials[i], expr_int(pool, i == 1));
    expr_gradient(pool, expr_pi(pool), symbols, RANDOM_SYMBOLS, partials);
    for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
        assert_true(expr_is_zero(pool, partials[i]));
    expr_gradient(pool, symbols[0], NULL, 0, NULL);
    expr_pool_free(pool);
}

// ---- Total derivatives along a chain of rates: q → q' → q'', and t → 1.

typedef struct {
    Expr moving[2 * RANDOM_SYMBOLS + 1], rate[2 * RANDOM_SYMBOLS + 1];
    ExprRates *rates;
} Chain;

static Chain chain_new(ExprPool *pool)
{
    Chain chain = {.rates = expr_rates_new(pool)};
    for (size_t i = 0; i < RANDOM_SYMBOLS; i++) {
        Expr velocity = expr_symbol_new(pool, "q'"), acceleration = expr_symbol_new(pool, "q''");
        chain.moving[2 * i] = expr_symbol(pool, names[i]);
        chain.rate[2 * i] = chain.moving[2 * i + 1] = velocity;
        chain.rate[2 * i + 1] = acceleration;
    }
    chain.moving[2 * RANDOM_SYMBOLS] = expr_symbol(pool, "t");
    chain.rate[2 * RANDOM_SYMBOLS] = expr_int(pool, 1);
    for (size_t i = 0; i <= 2 * RANDOM_SYMBOLS; i++)
        expr_rates_set(chain.rates, chain.moving[i], chain.rate[i]);
    return chain;
}

// d²/dt² of an expression in q and t: each derivative is the slope of the one before it.
static void total_derivatives_are_slopes(void **state)
{
    (void)state;
    enum { MOVING = 2 * RANDOM_SYMBOLS + 1 };
    size_t poles = 0;
    for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Chain chain = chain_new(pool);
        Expr e = random_expr(pool, &random, EXACT_KINDS, 6);
        e = expr_add(pool, expr_mul(pool, e, chain.moving[MOVING - 1]), e);
        Expr velocity = expr_rate(chain.rates, e), acceleration = expr_rate(chain.rates, velocity);
        fmpq *slopes = base_alloc(MOVING * sizeof *slopes);
        for (size_t i = 0; i < MOVING; i++) {
            fmpq_init(slopes + i);
            exact_value(pool, seed, chain.rate[i], slopes + i);
        }
        ExactPoint point = {pool, seed, chain.moving, slopes, MOVING};
        CHECK(seed, is_slope(&point, e, velocity, &poles));
        CHECK(seed, is_slope(&point, velocity, acceleration, &poles));
        for (size_t i = 0; i < MOVING; i++)
            fmpq_clear(slopes + i);
        base_free(slopes);
        expr_rates_free(chain.rates);
        expr_pool_free(pool);
    }
    assert_true(poles < SEEDS / 10);
}

// A rate that is set to none is 0, as one that is not set.
static void missing_rates_are_zero(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), v = expr_symbol(pool, "v");
    ExprRates *rates = expr_rates_new(pool);
    expr_rates_set(rates, x, v);
    expr_rates_set(rates, y, (Expr){0});
    assert_same(expr_rate(rates, expr_mul(pool, x, y)), expr_mul(pool, v, y));
    assert_true(expr_is_zero(pool, expr_rate(rates, expr_add(pool, y, v))));
    expr_rates_free(rates);
    expr_rates_free(NULL);
    expr_pool_free(pool);
}

// Differentiating in one order or the other.
static void mixed_derivatives_agree(void **state)
{
    (void)state;
    size_t poles = 0;
    for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr e = random_expr(pool, &random, EXACT_KINDS, 6);
        Expr x = expr_symbol(pool, "x"), theta = expr_symbol(pool, "theta");
        Expr one = expr_diff(pool, expr_diff(pool, e, x), theta);
        Expr other = expr_diff(pool, expr_diff(pool, e, theta), x);
        CHECK(seed, exact_agree(pool, seed, one, other, &poles));
        expr_pool_free(pool);
    }
    assert_true(poles < SEEDS / 10);
}

// ---- Difference quotients: (f(x + h) − f(x − h))/2h with h = 2^-80 is off by about 2^-160.

static void difference_quotient(const ExprPool *pool, Expr e, const Expr *symbols, arb_ptr at,
                                size_t count, size_t by, arb_t quotient)
{
    arb_t h, there, middle;
    arb_init(h);
    arb_init(there);
    arb_init(middle);
    arb_one(h);
    arb_mul_2exp_si(h, h, -80);
    arb_set(middle, at + by);
    arb_add(at + by, middle, h, BALL_BITS);
    ball_value(pool, e, symbols, at, count, there);
    arb_sub(at + by, middle, h, BALL_BITS);
    ball_value(pool, e, symbols, at, count, quotient);
    arb_set(at + by, middle);
    arb_sub(quotient, there, quotient, BALL_BITS);
    arb_mul_2exp_si(quotient, quotient, 79);
    arb_clear(middle);
    arb_clear(there);
    arb_clear(h);
}

static bool derivative_is_quotient(ExprPool *pool, Expr e, const Expr *symbols, arb_ptr at,
                                   size_t count, size_t by)
{
    arb_t quotient, derivative;
    arb_init(quotient);
    arb_init(derivative);
    difference_quotient(pool, e, symbols, at, count, by, quotient);
    ball_value(pool, expr_diff(pool, e, symbols[by]), symbols, at, count, derivative);
    // Relative to the size of the derivative: some are large.
    arb_t scale;
    arb_init(scale);
    arb_abs(scale, derivative);
    arb_add_ui(scale, scale, 1, BALL_BITS);
    arb_div(quotient, quotient, scale, BALL_BITS);
    arb_div(derivative, derivative, scale, BALL_BITS);
    bool near = balls_are_near(quotient, derivative, -100);
    arb_clear(scale);
    arb_clear(derivative);
    arb_clear(quotient);
    return near;
}

// A point between 1/10 and 9/10 in size, negative where the operation allows that.
static void draw_argument(arb_t at, Random *random, bool may_be_negative)
{
    arb_set_ui(at, 100000 + random_below(random, 800000));
    arb_div_ui(at, at, 1000000, BALL_BITS);
    if (may_be_negative && random_below(random, 2))
        arb_neg(at, at);
}

// Every row of ops.def, by each of its arguments.
static void every_rule_is_a_difference_quotient(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr symbols[] = {expr_symbol(pool, "a"), expr_symbol(pool, "b")};
    arb_ptr at = _arb_vec_init(2);
    Random random = random_seed(3);
    for (ExprOp op = EXPR_POW; op < EXPR_OPEN; op++) {
        size_t arity = (size_t)expr_op_arity(op);
        Expr e = expr_call(pool, op, symbols[0], arity == 2 ? symbols[1] : (Expr){0});
        for (int turn = 0; turn < 20; turn++) {
            draw_argument(at, &random, op != EXPR_LOG && op != EXPR_POW);
            draw_argument(at + 1, &random, true);
            for (size_t by = 0; by < arity; by++)
                if (!derivative_is_quotient(pool, e, symbols, at, 2, by))
                    fail_msg("%s by argument %zu", expr_op_name(op), by + 1);
        }
    }
    _arb_vec_clear(at, 2);
    expr_pool_free(pool);
}

static void powers_are_differentiated(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x");
    arb_ptr at = _arb_vec_init(1);
    Random random = random_seed(4);
    for (int64_t p = -9; p <= 9; p++)
        for (int64_t q = 1; q <= 4; q++) {
            draw_argument(at, &random, q == 1);
            Expr e = expr_pow(pool, x, expr_ratio(pool, p, q));
            assert_true(derivative_is_quotient(pool, e, &x, at, 1, 0));
        }
    _arb_vec_clear(at, 1);
    expr_pool_free(pool);
}

// Random expressions with roots and all functions.
static void random_derivatives_are_difference_quotients(void **state)
{
    (void)state;
    arb_ptr at = _arb_vec_init(RANDOM_SYMBOLS);
    for (uint64_t seed = 1; seed <= SEEDS / 2; seed++) {
        ExprPool *pool = expr_pool_new();
        Random random = random_seed(seed);
        Expr symbols[RANDOM_SYMBOLS];
        take_symbols(pool, symbols);
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
            draw_argument(at + i, &random, true);
        // Functions or roots: random_join takes one of them.
        unsigned kinds = seed % 2 ? ALL_KINDS : ALL_KINDS & ~(unsigned)RANDOM_FUNCTIONS;
        Expr e = random_expr(pool, &random, kinds, 8);
        for (size_t by = 0; by < RANDOM_SYMBOLS; by++)
            CHECK(seed, derivative_is_quotient(pool, e, symbols, at, RANDOM_SYMBOLS, by));
        expr_pool_free(pool);
    }
    _arb_vec_clear(at, RANDOM_SYMBOLS);
}

// ---- Cost: a derivative visits a node once, so that what it makes grows with what is there.

// e ← e·sin(x_k) + x_k + cos(e), n times: everything is used twice.
static Expr shared_chain(ExprPool *pool, size_t n, Expr *symbols)
{
    Expr e = expr_int(pool, 1);
    for (size_t k = 0; k < n; k++) {
        symbols[k] = expr_symbol_new(pool, "x");
        Expr product = expr_mul(pool, e, call(pool, EXPR_SIN, symbols[k]));
        Expr cosine = call(pool, EXPR_COS, e);
        e = expr_sum(pool, (Expr[]){product, symbols[k], cosine}, 3);
    }
    return e;
}

// Nodes made by differentiating the chain of n, forward by the first symbol or backward by all.
static size_t derivative_cost(size_t n, bool backward)
{
    ExprPool *pool = expr_pool_new();
    Expr *symbols = base_alloc(n * sizeof *symbols), *partials = base_alloc(n * sizeof *partials);
    Expr e = shared_chain(pool, n, symbols);
    size_t before = expr_pool_size(pool);
    if (backward)
        expr_gradient(pool, e, symbols, n, partials);
    else
        expr_diff(pool, e, symbols[0]);
    size_t cost = expr_pool_size(pool) - before;
    base_free(symbols);
    base_free(partials);
    expr_pool_free(pool);
    return cost;
}

static void derivatives_cost_no_more_than_the_graph(void **state)
{
    (void)state;
    for (int backward = 0; backward < 2; backward++) {
        size_t small = derivative_cost(200, backward), middle = derivative_cost(400, backward);
        size_t large = derivative_cost(800, backward);
        assert_true(large - middle < 2 * (middle - small) + 20);
        assert_true(large < 800 * 12);
    }
}

// What does not hold the symbols is not looked into: the derivative of x·f(y…) by x is f itself.
static void free_parts_cost_nothing(void **state)
{
    (void)state;
    enum { LENGTH = 300 };
    ExprPool *pool = expr_pool_new();
    Expr symbols[LENGTH], x = expr_symbol(pool, "x"), partial;
    Expr free = shared_chain(pool, LENGTH, symbols), e = expr_mul(pool, x, free);
    size_t size = expr_pool_size(pool);
    assert_same(expr_diff(pool, e, x), free);
    expr_gradient(pool, e, &x, 1, &partial);
    assert_same(partial, free);
    assert_true(expr_pool_size(pool) < size + 10);
    expr_pool_free(pool);
}

// One object remembers: asking again, and for parts, makes nothing new.
static void rates_are_remembered(void **state)
{
    (void)state;
    enum { LENGTH = 300 };
    ExprPool *pool = expr_pool_new();
    Expr symbols[LENGTH];
    Expr e = shared_chain(pool, LENGTH, symbols);
    ExprRates *rates = expr_rates_new(pool);
    expr_rates_set(rates, symbols[0], expr_symbol(pool, "v"));
    Expr rate = expr_rate(rates, e);
    size_t size = expr_pool_size(pool);
    assert_same(expr_rate(rates, e), rate);
    ExprList nodes = expr_nodes(pool, &e, 1);
    for (size_t i = 0; i < nodes.count; i++)
        expr_rate(rates, (Expr){nodes.at[i]});
    assert_int_equal(expr_pool_size(pool), size);
    expr_list_free(&nodes);
    expr_rates_free(rates);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partial_derivatives_are_slopes),
        cmocka_unit_test(derivatives_of_wide_nodes_are_slopes),
        cmocka_unit_test(gradient_is_all_partial_derivatives),
        cmocka_unit_test(gradient_of_leaves),
        cmocka_unit_test(total_derivatives_are_slopes),
        cmocka_unit_test(missing_rates_are_zero),
        cmocka_unit_test(mixed_derivatives_agree),
        cmocka_unit_test(every_rule_is_a_difference_quotient),
        cmocka_unit_test(powers_are_differentiated),
        cmocka_unit_test(random_derivatives_are_difference_quotients),
        cmocka_unit_test(derivatives_cost_no_more_than_the_graph),
        cmocka_unit_test(free_parts_cost_nothing),
        cmocka_unit_test(rates_are_remembered),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

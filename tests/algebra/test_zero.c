// The zero test by both of its roads, against rewriting that keeps values, planted errors and
// cases where one road must not be trusted.
#include "algebra/algebra.h"
#include "expr/open_functions.h"

#include "rewriting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 120 };

typedef struct {
    ExprPool *pool;
    Algebra *algebra;
    Expr x, y;
} Desk;

static Desk desk_new(void)
{
    Desk desk = {.pool = expr_pool_new()};
    desk.algebra = algebra_new(desk.pool);
    desk.x = expr_symbol(desk.pool, "x");
    desk.y = expr_symbol(desk.pool, "y");
    return desk;
}

static void desk_free(Desk *desk)
{
    algebra_free(desk->algebra);
    expr_pool_free(desk->pool);
}

typedef Verdict (*Road)(Algebra *algebra, Expr e);

static Answer answer_of(Desk *desk, Road road, Expr e)
{
    Verdict verdict = road(desk->algebra, e);
    if (verdict.answer == ANSWER_UNKNOWN)
        assert_non_null(verdict.reason);
    if (verdict.answer == ANSWER_NO)
        assert_non_null(verdict.witness);
    if (verdict.answer == ANSWER_YES && verdict.proof == PROOF_MODULAR)
        assert_true(verdict.log2_error <= -100);
    Answer answer = verdict.answer;
    verdict_clear(&verdict);
    return answer;
}

static void rewritten_expressions_are_equal(void **state)
{
    (void)state;
    size_t by_form = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Desk desk = desk_new();
        Random random = random_seed(seed);
        unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | (seed % 4 ? 0 : RANDOM_ROOTS);
        Expr e = random_expr(desk.pool, &random, kinds, 8);
        Expr other = rewriting_apply(desk.pool, &random, e);
        Expr difference = expr_sub(desk.pool, e, other);
        if (answer_of(&desk, algebra_is_zero, difference) != ANSWER_YES)
            fail_msg("equal expressions not found equal, seed %llu", (unsigned long long)seed);
        if (answer_of(&desk, algebra_is_zero_modular, difference) != ANSWER_YES)
            fail_msg("not equal in prime fields, seed %llu", (unsigned long long)seed);
        Answer form = answer_of(&desk, algebra_is_zero_canonical, difference);
        if (form == ANSWER_NO)
            fail_msg("not equal by canonical form, seed %llu", (unsigned long long)seed);
        by_form += form == ANSWER_YES;
        desk_free(&desk);
    }
    assert_true(by_form > SEEDS * 3 / 4);
}

static void planted_sign_errors_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Desk desk = desk_new();
        Random random = random_seed(seed + 5000);
        unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY;
        Expr a = random_expr(desk.pool, &random, kinds, 6);
        Expr b = random_expr(desk.pool, &random, kinds, 6);
        Expr right = expr_add(desk.pool, a, b);
        Expr wrong = expr_sub(desk.pool, rewriting_apply(desk.pool, &random, a),
                              rewriting_apply(desk.pool, &random, b));
        Expr difference = expr_sub(desk.pool, right, wrong);
        Answer expected =
            answer_of(&desk, algebra_is_zero, b) == ANSWER_YES ? ANSWER_YES : ANSWER_NO;
        static const Road roads[] = {algebra_is_zero, algebra_is_zero_modular};
        for (size_t i = 0; i < 2; i++)
            if (answer_of(&desk, roads[i], difference) != expected)
                fail_msg("planted error not found, road %zu, seed %llu", i,
                         (unsigned long long)seed);
        desk_free(&desk);
    }
}

static void roots_have_signs(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr root = expr_sqrt(pool, expr_mul(pool, desk.x, desk.x));
    Verdict verdict = algebra_is_zero(desk.algebra, expr_sub(pool, root, desk.x));
    assert_int_equal(verdict.answer, ANSWER_NO);
    assert_non_null(strstr(verdict.witness, "x = -"));
    verdict_clear(&verdict);
    // By neither road is √2·√3 − √6 a NO.
    Expr six = expr_sub(
        pool,
        expr_mul(pool, expr_sqrt(pool, expr_int(pool, 2)), expr_sqrt(pool, expr_int(pool, 3))),
        expr_sqrt(pool, expr_int(pool, 6)));
    assert_int_not_equal(answer_of(&desk, algebra_is_zero_modular, six), ANSWER_NO);
    assert_int_equal(answer_of(&desk, algebra_is_zero, six), ANSWER_YES);
    // 1/√a = √a/a, both ways; √a·√b − √(a·b) is a NO to nobody.
    Expr a = expr_add(pool, desk.x, desk.y), ra = expr_sqrt(pool, a);
    Expr e = expr_sub(pool, expr_div(pool, expr_int(pool, 1), ra), expr_div(pool, ra, a));
    assert_int_equal(answer_of(&desk, algebra_is_zero_canonical, e), ANSWER_YES);
    Expr split = expr_sub(pool, expr_mul(pool, expr_sqrt(pool, desk.x), expr_sqrt(pool, a)),
                          expr_sqrt(pool, expr_mul(pool, desk.x, a)));
    assert_int_equal(answer_of(&desk, algebra_is_zero, split), ANSWER_UNKNOWN);
    // √(x²+1)² − x² − 1.
    Expr under = expr_add(pool, expr_mul(pool, desk.x, desk.x), expr_int(pool, 1));
    Expr r = expr_sqrt(pool, under);
    Expr product = expr_mul(pool, expr_add(pool, r, desk.x), expr_sub(pool, r, desk.x));
    e = expr_sub(pool, product, expr_int(pool, 1));
    assert_int_equal(answer_of(&desk, algebra_is_zero_canonical, e), ANSWER_YES);
    assert_int_equal(answer_of(&desk, algebra_is_zero_modular, e), ANSWER_YES);
    desk_free(&desk);
}

static void parts_of_pi_are_constants(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr pi = expr_pi(pool);
    // cos(x + π/3) = cos x/2 − √3/2·sin x.
    Expr third = expr_mul(pool, expr_ratio(pool, 1, 3), pi);
    Expr left = rewriting_call(pool, EXPR_COS, expr_add(pool, desk.x, third));
    Expr right = expr_mul(pool, expr_ratio(pool, 1, 2),
                          expr_sub(pool, rewriting_call(pool, EXPR_COS, desk.x),
                                   expr_mul(pool, expr_sqrt(pool, expr_int(pool, 3)),
                                            rewriting_call(pool, EXPR_SIN, desk.x))));
    assert_int_equal(answer_of(&desk, algebra_is_zero, expr_sub(pool, left, right)), ANSWER_YES);
    // 2·sin(π/12)·cos(π/12) = 1/2.
    Expr twelfth = expr_mul(pool, expr_ratio(pool, 1, 12), pi);
    Expr product = expr_mul(pool, rewriting_call(pool, EXPR_SIN, twelfth),
                            rewriting_call(pool, EXPR_COS, twelfth));
    Expr e = expr_sub(pool, product, expr_ratio(pool, 1, 4));
    assert_int_equal(answer_of(&desk, algebra_is_zero, e), ANSWER_YES);
    // sin(π/10) = (√5 − 1)/4 is true and is not known to the room; close to it is a NO.
    Expr tenth = rewriting_call(pool, EXPR_SIN, expr_mul(pool, expr_ratio(pool, 1, 10), pi));
    Expr root = expr_sub(pool, expr_sqrt(pool, expr_int(pool, 5)), expr_int(pool, 1));
    e = expr_sub(pool, tenth, expr_mul(pool, expr_ratio(pool, 1, 4), root));
    assert_int_equal(answer_of(&desk, algebra_is_zero, e), ANSWER_UNKNOWN);
    Expr tiny = expr_pow_int(pool, expr_int(pool, 10), -60);
    assert_int_equal(answer_of(&desk, algebra_is_zero, expr_add(pool, e, tiny)), ANSWER_NO);
    // π is no rational number and no root of one.
    e = expr_sub(pool, expr_mul(pool, pi, pi), expr_int(pool, 10));
    assert_int_equal(answer_of(&desk, algebra_is_zero, e), ANSWER_NO);
    desk_free(&desk);
}

// sin(x − p/q) of numbers that are no small multiple of a common angle, and of 100·y.
static void parts_of_angles_that_are_alone(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Desk desk = desk_new();
        ExprPool *pool = desk.pool;
        Random random = random_seed(seed + 9000);
        int64_t whole = 65 + (int64_t)random_below(&random, 99999);
        Expr b = random_below(&random, 2) ? expr_ratio(pool, whole, 10000)
                                          : expr_mul(pool, expr_int(pool, whole), desk.y);
        if (random_below(&random, 2))
            b = expr_neg(pool, b);
        Expr left = rewriting_call(pool, EXPR_SIN, expr_sub(pool, desk.x, b));
        Expr right = expr_sub(pool,
                              expr_mul(pool, rewriting_call(pool, EXPR_SIN, desk.x),
                                       rewriting_call(pool, EXPR_COS, b)),
                              expr_mul(pool, rewriting_call(pool, EXPR_COS, desk.x),
                                       rewriting_call(pool, EXPR_SIN, b)));
        Answer answer = answer_of(&desk, algebra_is_zero, expr_sub(pool, left, right));
        if (answer != ANSWER_YES)
            fail_msg("the theorem of addition is not seen, seed %llu", (unsigned long long)seed);
        desk_free(&desk);
    }
}

static void degrees_are_minded(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr base = expr_add(pool, desk.x, desk.y);
    // (x+y)^n·2(x+y) − 2(x+y)^(n+1) written so that the pool does not see it.
    for (int bits = 20; bits <= 70; bits += 10) {
        fmpq_t n, next;
        fmpq_init(n);
        fmpq_init(next);
        fmpz_one(fmpq_numref(n));
        fmpz_mul_2exp(fmpq_numref(n), fmpq_numref(n), (ulong)bits);
        fmpz_add_ui(fmpq_numref(next), fmpq_numref(n), 1);
        Expr hidden = expr_add(pool, expr_mul(pool, expr_int(pool, 2), desk.x),
                               expr_mul(pool, expr_int(pool, 2), desk.y));
        Expr left = expr_mul(pool, expr_pow(pool, base, expr_number(pool, n)), hidden);
        Expr right =
            expr_mul(pool, expr_int(pool, 2), expr_pow(pool, base, expr_number(pool, next)));
        Expr e = expr_sub(pool, left, right);
        Answer answer = answer_of(&desk, algebra_is_zero, e);
        if (!expr_is_zero(pool, e))
            assert_int_equal(answer, bits <= 50 ? ANSWER_YES : ANSWER_UNKNOWN);
        fmpq_clear(n);
        fmpq_clear(next);
    }
    // A multiple of a prime near 2^61 is no zero.
    Expr prime = expr_int(pool, 2305843009213693951);
    Verdict verdict = algebra_is_zero_modular(desk.algebra, expr_mul(pool, prime, desk.x));
    assert_int_equal(verdict.answer, ANSWER_NO);
    verdict_clear(&verdict);
    desk_free(&desk);
}

static void free_functions_are_free(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr sum = expr_add(pool, desk.x, desk.y), square = expr_mul(pool, sum, sum);
    Expr expanded =
        expr_sum(pool,
                 (Expr[]){expr_mul(pool, desk.x, desk.x), expr_mul(pool, desk.y, desk.y),
                          expr_product(pool, (Expr[]){expr_int(pool, 2), desk.x, desk.y}, 3)},
                 3);
    static const ExprOp ops[] = {EXPR_SIN, EXPR_COS, EXPR_TAN, EXPR_EXP, EXPR_ATAN, EXPR_ABS};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        Expr e = expr_sub(pool, rewriting_call(pool, ops[i], square),
                          rewriting_call(pool, ops[i], expanded));
        assert_int_equal(answer_of(&desk, algebra_is_zero_canonical, e), ANSWER_YES);
        assert_int_equal(answer_of(&desk, algebra_is_zero_modular, e), ANSWER_YES);
    }
    // exp(2x) − exp(x)² is zero, which the room does not know; it must not say NO.
    Expr e = expr_sub(pool, rewriting_call(pool, EXPR_EXP, expr_add(pool, desk.x, desk.x)),
                      expr_pow_int(pool, rewriting_call(pool, EXPR_EXP, desk.x), 2));
    assert_int_equal(answer_of(&desk, algebra_is_zero, e), ANSWER_UNKNOWN);
    // Division by a hidden zero has no value.
    Expr one = expr_add(pool, expr_pow_int(pool, rewriting_call(pool, EXPR_SIN, desk.x), 2),
                        expr_pow_int(pool, rewriting_call(pool, EXPR_COS, desk.x), 2));
    e = expr_div(pool, desk.y, expr_sub(pool, one, expr_int(pool, 1)));
    assert_int_equal(answer_of(&desk, algebra_is_zero, e), ANSWER_UNKNOWN);
    desk_free(&desk);
}

// A sine in a sine in a sine …: depth costs no stack.
static void depth_is_no_danger(void **state)
{
    (void)state;
    Desk desk = desk_new();
    Expr e = desk.x;
    for (int i = 0; i < 3000; i++)
        e = rewriting_call(desk.pool, EXPR_SIN, expr_add(desk.pool, e, desk.y));
    Expr f = expr_sub(desk.pool, expr_mul(desk.pool, e, e), expr_int(desk.pool, 2));
    assert_int_equal(answer_of(&desk, algebra_is_zero_modular, f), ANSWER_NO);
    desk_free(&desk);
}

static Expr open_at(Desk *desk, const char *name, Expr argument)
{
    return expr_open(desk->pool, name, NULL, 0, &argument, 1);
}

static Expr called(Desk *desk, ExprOp op, Expr a)
{
    return expr_call(desk->pool, op, a, (Expr){0});
}

// f(a) = f(b) where a = b, whatever f is.
static void open_functions_of_equal_arguments_are_equal(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr sine = called(&desk, EXPR_SIN, desk.x), cosine = called(&desk, EXPR_COS, desk.x);
    Expr one = expr_add(pool, expr_pow_int(pool, sine, 2), expr_pow_int(pool, cosine, 2));
    Expr sum = expr_add(pool, desk.x, desk.y), square = expr_pow_int(pool, sum, 2);
    Expr terms[] = {expr_pow_int(pool, desk.x, 2),
                    expr_mul(pool, expr_int(pool, 2), expr_mul(pool, desk.x, desk.y)),
                    expr_pow_int(pool, desk.y, 2)};
    Expr pairs[][2] = {
        {one, expr_int(pool, 1)},
        {square, expr_sum(pool, terms, 3)},
        {open_at(&desk, "g", square), open_at(&desk, "g", expr_sum(pool, terms, 3))},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Expr f = open_at(&desk, "f", pairs[i][0]), same = open_at(&desk, "f", pairs[i][1]);
        Expr zero = expr_mul(pool, desk.y, expr_sub(pool, f, same));
        assert_int_equal(answer_of(&desk, algebra_is_zero, zero), ANSWER_YES);
        assert_int_equal(answer_of(&desk, algebra_is_zero_modular, zero), ANSWER_YES);
    }
    desk_free(&desk);
}

// Where the arguments differ somewhere, so do the values of some function.
static void open_functions_of_other_arguments_differ(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr f = open_at(&desk, "f", desk.x);
    uint32_t first = 0;
    Expr others[] = {
        open_at(&desk, "f", desk.y),
        open_at(&desk, "g", desk.x),
        expr_open(pool, "f", &first, 1, &desk.x, 1),
        open_at(&desk, "f", called(&desk, EXPR_ABS, desk.x)), // equal where x is positive
        open_at(&desk, "f", f),
        expr_int(pool, 0),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Expr difference = expr_sub(pool, f, others[i]);
        assert_int_equal(answer_of(&desk, algebra_is_zero, difference), ANSWER_NO);
        assert_int_not_equal(answer_of(&desk, algebra_is_zero_modular, difference), ANSWER_YES);
    }
    desk_free(&desk);
}

// What atoms do not know about arguments may not become a NO.
static void open_functions_of_disguised_arguments_are_unknown(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr quotient =
        expr_div(pool, called(&desk, EXPR_SINH, desk.x), called(&desk, EXPR_COSH, desk.x));
    Expr difference = expr_sub(pool, open_at(&desk, "f", called(&desk, EXPR_TANH, desk.x)),
                               open_at(&desk, "f", quotient));
    assert_int_equal(answer_of(&desk, algebra_is_zero, difference), ANSWER_UNKNOWN);
    assert_int_equal(answer_of(&desk, algebra_is_zero_modular, difference), ANSWER_UNKNOWN);
    assert_int_equal(answer_of(&desk, algebra_is_zero_canonical, difference), ANSWER_UNKNOWN);
    desk_free(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_functions_of_equal_arguments_are_equal),
        cmocka_unit_test(open_functions_of_other_arguments_differ),
        cmocka_unit_test(open_functions_of_disguised_arguments_are_unknown),
        cmocka_unit_test(rewritten_expressions_are_equal),
        cmocka_unit_test(planted_sign_errors_are_found),
        cmocka_unit_test(roots_have_signs),
        cmocka_unit_test(parts_of_pi_are_constants),
        cmocka_unit_test(parts_of_angles_that_are_alone),
        cmocka_unit_test(degrees_are_minded),
        cmocka_unit_test(free_functions_are_free),
        cmocka_unit_test(depth_is_no_danger),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

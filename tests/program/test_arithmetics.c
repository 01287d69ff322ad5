// One program, three arithmetics: doubles lie in the balls, the prime field agrees with exact
// rational numbers worked out node by node.
#include "program/balls.h"
#include "program/program.h"
#include "test_size.h"

#include "../random_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 300, OUTPUTS = 3 };

static const uint64_t prime = 2305843009213693951u; // 2^61 − 1

typedef struct {
    ExprPool *pool;
    Expr inputs[RANDOM_SYMBOLS];
    Expr outputs[OUTPUTS];
    Program *program;
} Case;

static Case case_new(uint64_t seed, unsigned kinds, size_t steps)
{
    Case c = {.pool = expr_pool_new()};
    Random random = random_seed(seed);
    static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
    for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
        c.inputs[i] = expr_symbol(c.pool, names[i]);
    for (size_t i = 0; i < OUTPUTS; i++)
        c.outputs[i] = random_expr(c.pool, &random, kinds, steps);
    c.program = program_new(c.pool, c.inputs, RANDOM_SYMBOLS, c.outputs, OUTPUTS, NULL);
    assert_non_null(c.program);
    return c;
}

static void case_free(Case *c)
{
    program_free(c->program);
    expr_pool_free(c->pool);
}

// The value of e with fmpq arithmetic, node by node. False where a divisor is zero.
static bool exact_value(const ExprPool *pool, Expr root, const Expr *inputs, const slong *at,
                        fmpq_t value)
{
    ExprList nodes = expr_nodes(pool, &root, 1);
    fmpq *values = base_alloc((expr_pool_size(pool) + 1) * sizeof *values);
    for (size_t i = 0; i <= expr_pool_size(pool); i++)
        fmpq_init(values + i);
    fmpq_t part;
    fmpq_init(part);
    bool fine = true;
    for (size_t i = 0; i < nodes.count && fine; i++) {
        Expr e = {nodes.at[i]};
        fmpq *v = values + e.at;
        ExprOp op = expr_op(pool, e);
        if (op == EXPR_SYMBOL) {
            for (size_t k = 0; k < RANDOM_SYMBOLS; k++)
                if (expr_same(inputs[k], e))
                    fmpq_set_si(v, at[k], 1);
            continue;
        }
        fmpq_set(v, expr_value(pool, e));
        for (size_t k = 0; k < expr_arg_count(pool, e) && fine; k++) {
            const fmpq *arg = values + expr_arg(pool, e, k).at;
            const fmpq *weight = expr_arg_weight(pool, e, k);
            if (op == EXPR_SUM) {
                fmpq_mul(part, arg, weight);
                fmpq_add(v, v, part);
            } else if (fmpq_is_zero(arg) && fmpq_sgn(weight) < 0) {
                fine = false;
            } else {
                assert_true(fmpz_is_one(fmpq_denref(weight)));
                fmpq_pow_fmpz(part, arg, fmpq_numref(weight));
                fmpq_mul(v, v, part);
            }
        }
    }
    fmpq_set(value, values + root.at);
    fmpq_clear(part);
    for (size_t i = 0; i <= expr_pool_size(pool); i++)
        fmpq_clear(values + i);
    base_free(values);
    expr_list_free(&nodes);
    return fine;
}

static uint64_t in_field(const fmpq_t value)
{
    fmpz_t result, modulus;
    fmpz_init(result);
    fmpz_init_set_ui(modulus, prime);
    assert_true(fmpq_mod_fmpz(result, value, modulus));
    uint64_t residue = fmpz_get_ui(result);
    fmpz_clear(result);
    fmpz_clear(modulus);
    return residue;
}

static void field_agrees_with_exact_numbers(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Case c = case_new(seed, RANDOM_DIVISION, 12);
        assert_true(program_is_rational(c.program));
        assert_false(program_has_roots(c.program));
        slong at[RANDOM_SYMBOLS];
        uint64_t inputs[RANDOM_SYMBOLS], outputs[OUTPUTS];
        Random random = random_seed(seed + 1000);
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++) {
            at[i] = (slong)random_below(&random, 40) - 20;
            inputs[i] = at[i] < 0 ? prime - (uint64_t)-at[i] : (uint64_t)at[i];
        }
        uint64_t *work = base_alloc((program_registers(c.program) + 1) * sizeof *work);
        bool ran = program_run_field(c.program, prime, &random, inputs, outputs, work);
        for (size_t i = 0; i < OUTPUTS; i++) {
            fmpq_t value;
            fmpq_init(value);
            bool fine = exact_value(c.pool, c.outputs[i], c.inputs, at, value);
            if (!fine)
                assert_false(ran);
            if (ran && in_field(value) != outputs[i])
                fail_msg("field and exact value differ, seed %llu", (unsigned long long)seed);
            fmpq_clear(value);
        }
        base_free(work);
        case_free(&c);
    }
}

// A double computed in n steps lies near a narrow ball: compared with what n roundings can do.
static void doubles_lie_near_balls(void **state)
{
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Case c = case_new(seed, RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS, 14);
        Random random = random_seed(seed + 2000);
        double inputs[RANDOM_SYMBOLS], outputs[OUTPUTS];
        arb_ptr points = _arb_vec_init(RANDOM_SYMBOLS), balls = _arb_vec_init(OUTPUTS);
        for (size_t i = 0; i < RANDOM_SYMBOLS; i++) {
            inputs[i] = (double)((int64_t)random_below(&random, 4096) - 2048) / 1024;
            arb_set_d(points + i, inputs[i]);
        }
        double *work = base_alloc((program_registers(c.program) + 1) * sizeof *work);
        program_run_real(c.program, inputs, outputs, work);
        program_run_ball(c.program, 256, points, balls);
        for (size_t i = 0; i < OUTPUTS; i++) {
            double middle = arf_get_d(arb_midref(balls + i), ARF_RND_NEAR);
            if (!arb_is_finite(balls + i) || arb_rel_accuracy_bits(balls + i) < 60)
                continue;
            compared++;
            // Cancellation may cost digits; a wrong operation costs all of them.
            if (fabs(outputs[i] - middle) > 1e-6 * (1 + fabs(middle)))
                fail_msg("double %.17g, ball %.17g, seed %llu", outputs[i], middle,
                         (unsigned long long)seed);
        }
        base_free(work);
        _arb_vec_clear(points, RANDOM_SYMBOLS);
        _arb_vec_clear(balls, OUTPUTS);
        case_free(&c);
    }
    assert_true(compared > SEEDS);
}

// Many inputs at once give the numbers of each alone, bit for bit.
static void lanes_agree_with_doubles(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Case c = case_new(seed, RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_FUNCTIONS, 14);
        Random random = random_seed(seed + 3000);
        double lanes[RANDOM_SYMBOLS * PROGRAM_LANES], found[OUTPUTS * PROGRAM_LANES];
        double inputs[RANDOM_SYMBOLS], outputs[OUTPUTS];
        size_t registers = program_registers(c.program) + 1;
        double *work = base_alloc(registers * PROGRAM_LANES * sizeof *work);
        for (size_t i = 0; i < RANDOM_SYMBOLS * PROGRAM_LANES; i++)
            lanes[i] = (double)((int64_t)random_below(&random, 4096) - 2048) / 1024;
        program_run_lanes(c.program, lanes, found, work);
        for (size_t lane = 0; lane < PROGRAM_LANES; lane++) {
            for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
                inputs[i] = lanes[i * PROGRAM_LANES + lane];
            program_run_real(c.program, inputs, outputs, work);
            for (size_t i = 0; i < OUTPUTS; i++) {
                double other = found[i * PROGRAM_LANES + lane];
                if (outputs[i] != other && !(isnan(outputs[i]) && isnan(other)))
                    fail_msg("lane %zu has %.17g, not %.17g, seed %llu", lane, other, outputs[i],
                             (unsigned long long)seed);
            }
        }
        base_free(work);
        case_free(&c);
    }
}

static void every_function_agrees_in_doubles_and_balls(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr inputs[2] = {expr_symbol(pool, "x"), expr_symbol(pool, "y")};
    for (int op = 0; op < EXPR_OPEN; op++) {
        int arity = expr_op_arity((ExprOp)op);
        if (arity < 1)
            continue;
        Expr e = expr_call(pool, (ExprOp)op, inputs[0], arity == 2 ? inputs[1] : (Expr){0});
        Program *program = program_new(pool, inputs, 2, &e, 1, NULL);
        assert_false(program_is_rational(program));
        double at[2] = {0.625, 0.375}, value, *work;
        work = base_alloc(program_registers(program) * sizeof *work);
        program_run_real(program, at, &value, work);
        arb_ptr points = _arb_vec_init(2);
        arb_t ball;
        arb_init(ball);
        arb_set_d(points, at[0]);
        arb_set_d(points + 1, at[1]);
        program_run_ball(program, 128, points, ball);
        double middle = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
        if (!(fabs(value - middle) <= 4e-16 * fabs(middle)))
            fail_msg("%s: double %.17g, ball %.17g", expr_op_name((ExprOp)op), value, middle);
        arb_clear(ball);
        _arb_vec_clear(points, 2);
        base_free(work);
        program_free(program);
    }
    expr_pool_free(pool);
}

static void roots_square_to_their_argument(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x");
    Expr outputs[3] = {expr_sqrt(pool, x), expr_pow(pool, x, expr_ratio(pool, -3, 2)),
                       expr_pow(pool, x, expr_ratio(pool, 5, 2))};
    Program *program = program_new(pool, &x, 1, outputs, 3, NULL);
    assert_true(program_has_roots(program));
    uint64_t *work = base_alloc(program_registers(program) * sizeof *work);
    Random random = random_seed(5);
    size_t existing = 0, first_sign = 0;
    for (int i = 0; i < 200; i++) {
        uint64_t at = random_below(&random, prime), value[3];
        if (!program_run_field(program, prime, &random, &at, value, work))
            continue;
        existing++;
        first_sign += value[0] % 2;
        fmpz_t r, p;
        fmpz_init_set_ui(r, value[0]);
        fmpz_init_set_ui(p, prime);
        fmpz_powm_ui(r, r, 2, p);
        assert_true(fmpz_equal_ui(r, at));
        // x^(5/2)·x^(-3/2) = x whatever sign the root has.
        fmpz_set_ui(r, value[1]);
        fmpz_mul_ui(r, r, value[2]);
        fmpz_mod(r, r, p);
        assert_true(fmpz_equal_ui(r, at));
        fmpz_clear(r);
        fmpz_clear(p);
    }
    assert_true(existing > 50 && existing < 150);
    assert_true(first_sign > 0 && first_sign < existing);
    base_free(work);
    program_free(program);
    expr_pool_free(pool);
}

static void numbers_round_to_the_nearest_double(void **state)
{
    (void)state;
    static const double samples[] = {
        0.1, 1.0 / 3, 1e300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -123.456};
    fmpq_t value, tiny;
    fmpq_init(value);
    fmpq_init(tiny);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        arf_t exact;
        arf_init(exact);
        arf_set_d(exact, samples[i]);
        arf_get_fmpq(value, exact);
        assert_true(program_nearest_real(value) == samples[i]);
        // Moved by less than half of the last place, it is the same double.
        fmpq_set_si(tiny, 1, 1);
        fmpq_div_2exp(tiny, tiny, 1200);
        fmpq_add(value, value, tiny);
        assert_true(program_nearest_real(value) == samples[i]);
        arf_clear(exact);
    }
    // Halfway goes to the even neighbour: 2^53 + 1 and 2^53 + 3.
    fmpq_set_si(value, 9007199254740993, 1);
    assert_true(program_nearest_real(value) == 9007199254740992.0);
    fmpq_set_si(value, 9007199254740995, 1);
    assert_true(program_nearest_real(value) == 9007199254740996.0);
    // Half of the smallest double is 0, three quarters are the smallest.
    fmpq_set_si(value, 1, 1);
    fmpq_div_2exp(value, value, 1075);
    assert_true(program_nearest_real(value) == 0.0);
    fmpq_set_si(value, 3, 1);
    fmpq_div_2exp(value, value, 1076);
    assert_true(program_nearest_real(value) == 5e-324);
    fmpq_clear(value);
    fmpq_clear(tiny);
}

static void shared_work_is_done_once(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), in[2] = {x, y};
    Expr square = expr_mul(pool, x, x);
    Expr outputs[2] = {expr_mul(pool, square, y), expr_mul(pool, square, expr_mul(pool, y, y))};
    Program *program = program_new(pool, in, 2, outputs, 2, NULL);
    // x², x²·y, y², x²·y².
    assert_int_equal(program_operations(program), 4);
    program_free(program);
    // One division for a·x⁻¹·y⁻²: x·y·y and the quotient.
    Expr a = expr_symbol(pool, "a"), all[3] = {x, y, a};
    Expr quotient = expr_div(pool, a, expr_mul(pool, x, expr_mul(pool, y, y)));
    program = program_new(pool, all, 3, &quotient, 1, NULL);
    assert_int_equal(program_operations(program), 3);
    program_free(program);
    // A symbol that is no input is named.
    Expr missing = {0};
    assert_null(program_new(pool, in, 2, &quotient, 1, &missing));
    assert_true(expr_same(missing, a));
    expr_pool_free(pool);
}

// Whatever two of four factors three products share, in whatever order the factors have names, they
// are multiplied once.
static void pairs_are_multiplied_once(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < i; j++) {
            ExprPool *pool = expr_pool_new();
            Expr in[5], outputs[3];
            size_t made = 0;
            for (size_t k = 0; k < 5; k++)
                in[k] = expr_symbol(pool, names[k]);
            for (size_t k = 0; k < 5; k++)
                if (k != i && k != j)
                    outputs[made++] = expr_mul(pool, in[i], expr_mul(pool, in[k], in[j]));
            Program *program = program_new(pool, in, 5, outputs, 3, NULL);
            assert_int_equal(program_operations(program), 1 + 3);
            program_free(program);
            expr_pool_free(pool);
        }
}

// A long chain keeps few numbers alive.
static void registers_are_used_again(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), e = x;
    for (int i = 0; i < 20000; i++)
        e = expr_call(pool, EXPR_SIN, expr_add(pool, e, x), (Expr){0});
    Program *program = program_new(pool, &x, 1, &e, 1, NULL);
    assert_int_equal(program_operations(program), 39999 + 1);
    assert_true(program_registers(program) < 8);
    program_free(program);
    expr_pool_free(pool);
}

// Sines and cosines of inputs are free points of the circle; of sums of inputs they are not.
static void functions_that_are_not_zero(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr x = expr_symbol(pool, "x"), y = expr_symbol(pool, "y"), inputs[] = {x, y}, none = {0};
    Expr sine = expr_call(pool, EXPR_SIN, x, none), cosine = expr_call(pool, EXPR_COS, x, none);
    Expr circle = expr_add(pool, expr_pow_int(pool, sine, 2), expr_pow_int(pool, cosine, 2));
    Expr zero = expr_sub(pool, circle, expr_int(pool, 1));
    Expr other = expr_sub(pool, circle, expr_int(pool, 2));
    Expr sum = expr_call(pool, EXPR_SIN, expr_add(pool, x, y), none);
    struct {
        Expr e;
        bool shown;
    } cases[] = {{zero, false},
                 {other, true},
                 {expr_sub(pool, sine, cosine), true},
                 {expr_sub(pool, sine, x), true},
                 {expr_mul(pool, zero, y), false},
                 {sum, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Program *program = program_new(pool, inputs, 2, &cases[i].e, 1, NULL);
        assert_non_null(program);
        assert_int_equal(program_outputs_are_not_zero(program), cases[i].shown);
        program_free(program);
    }
    expr_pool_free(pool);
}

// How many operations number·y·(number·sin x + number·cos y + c) + e take, its own parts as they
// are written; at x = y = e = 0.5 its value is checked.
static size_t scaled_operations(int64_t number, int64_t below, bool inner)
{
    Case c = case_new(1, 0, 1);
    program_free(c.program);
    ExprPool *pool = c.pool;
    Expr half = expr_ratio(pool, inner ? 1 : below, inner ? below : 1);
    Expr sine = expr_call(pool, EXPR_SIN, c.inputs[0], (Expr){0});
    Expr cosine = expr_call(pool, EXPR_COS, c.inputs[1], (Expr){0});
    Expr parts[] = {expr_mul(pool, half, sine), expr_mul(pool, half, cosine),
                    expr_ratio(pool, 3, 2)};
    Expr sum = expr_sum(pool, parts, 3);
    Expr product = expr_mul(pool, expr_int(pool, number), expr_mul(pool, c.inputs[1], sum));
    Expr whole = expr_add(pool, product, c.inputs[2]);
    c.program = program_new(pool, c.inputs, RANDOM_SYMBOLS, &whole, 1, NULL);
    size_t count = program_operations(c.program);
    double at[RANDOM_SYMBOLS] = {0.5, 0.5, 0.5, 0.5}, got;
    double *work = base_alloc((program_registers(c.program) + 1) * sizeof *work);
    program_run_real(c.program, at, &got, work);
    double scale = inner ? 1.0 / (double)below : (double)below;
    double expected = (double)number * 0.5 * (scale * (sin(0.5) + cos(0.5)) + 1.5) + 0.5;
    assert_true(fabs(got - expected) <= 1e-14 * (1 + fabs(expected)));
    base_free(work);
    case_free(&c);
    return count;
}

// −2·y·(a/2 + b/2 + c) takes as long as y·(−a − b − 2·c), and 3·y·(a/3 + b/3 + c) too; no digit is
// lost: of 3·y·(a + b + c) the number stays outside.
static void sums_take_numbers_over(void **state)
{
    (void)state;
    size_t plain = scaled_operations(1, 1, true);
    assert_int_equal(scaled_operations(-2, 2, true), plain);
    assert_int_equal(scaled_operations(3, 3, true), plain);
    assert_int_equal(scaled_operations(8, 8, true), plain);
    assert_true(scaled_operations(3, 1, true) > plain);
    assert_true(scaled_operations(3, 5, false) > plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_agrees_with_exact_numbers),
        cmocka_unit_test(doubles_lie_near_balls),
        cmocka_unit_test(lanes_agree_with_doubles),
        cmocka_unit_test(every_function_agrees_in_doubles_and_balls),
        cmocka_unit_test(roots_square_to_their_argument),
        cmocka_unit_test(numbers_round_to_the_nearest_double),
        cmocka_unit_test(shared_work_is_done_once),
        cmocka_unit_test(pairs_are_multiplied_once),
        cmocka_unit_test(sums_take_numbers_over),
        cmocka_unit_test(registers_are_used_again),
        cmocka_unit_test(functions_that_are_not_zero),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

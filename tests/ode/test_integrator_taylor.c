// test_integrator_taylor.c: Taylor's method on rates that are a program: its order, series with
// gaps, and steps onto a switch.
#include "expr/expr.h"
#include "ode_case.h"

#include "program/program.h"

// ---- q'' = f(t, q, u) as a program of t | q | u.
typedef struct {
    ExprPool *pool;
    Expr t, q, u;
    Program *program;
    ProgramSeries *series;
    double scale; // of the errors
} Hand;

static Hand hand_new(double scale)
{
    Hand hand = {.pool = expr_pool_new(), .scale = scale};
    hand.t = expr_symbol(hand.pool, "t");
    hand.q = expr_symbol(hand.pool, "q");
    hand.u = expr_symbol(hand.pool, "u");
    return hand;
}

static void hand_free(Hand *hand)
{
    program_series_free(hand->series);
    program_free(hand->program);
    expr_pool_free(hand->pool);
}

static bool hand_series(void *context, size_t k, const double *ty, double *rate)
{
    program_series_next(((Hand *)context)->series, k, ty, rate);
    return isfinite(rate[0]) && isfinite(rate[1]);
}

static double hand_switch_distance(void *context, size_t order, double most)
{
    return program_series_clear(((const Hand *)context)->series, order, most);
}

static void hand_error_scale(void *context, const double *y, double *scale)
{
    (void)y;
    scale[0] = scale[1] = ((const Hand *)context)->scale;
}

static OdeIntegrator *hand_integrator(Hand *hand, Expr q_rate, Expr u_rate, size_t order)
{
    Expr inputs[3] = {hand->t, hand->q, hand->u}, outputs[2] = {q_rate, u_rate};
    hand->program = program_new(hand->pool, inputs, 3, outputs, 2, NULL);
    assert_non_null(hand->program);
    hand->series = program_series_new(hand->program, 0, order);
    OdeProblem problem = {.count = 2,
                          .tolerance = 1e-13,
                          .context = hand,
                          .program = hand,
                          .series = hand_series,
                          .order = order,
                          .switch_distance = hand_switch_distance,
                          .error_scale = hand_error_scale};
    OdeIntegrator *integrator = ode_integrator_new(ODE_TAYLOR, &problem);
    assert_non_null(integrator);
    return integrator;
}

static Expr call(ExprPool *pool, ExprOp op, Expr a)
{
    return expr_call(pool, op, a, (Expr){0});
}

// The pendulum that just reaches its top: q'' = −sin q, q = 4 atan(e^t) − π. Its error at t = 1,
// with a scale that is large beyond measure: steps end where they are told to.
static double pendulum_error(size_t order, size_t steps)
{
    Hand hand = hand_new(1e30);
    Expr fall = expr_neg(hand.pool, call(hand.pool, EXPR_SIN, hand.q));
    OdeIntegrator *integrator = hand_integrator(&hand, hand.u, fall, order);
    double y[2] = {0, 2}, t = 0;
    ode_integrator_start(integrator, 0, y, 0);
    for (size_t i = 1; i <= steps; i++)
        assert_int_equal(ode_integrator_step(integrator, (double)i / (double)steps, &t, y),
                         ODE_STEPPED);
    assert_int_equal(ode_integrator_statistics(integrator).steps, steps);
    ode_integrator_free(integrator);
    hand_free(&hand);
    return fabs(y[0] - (4 * atan(exp(1)) - 4 * atan(1)));
}

static void order_is_what_it_says(void **state)
{
    (void)state;
    static const size_t steps[] = {16, 12, 8, 6};
    for (size_t i = 0; i < 4; i++) {
        size_t order = 4 + 2 * i;
        double ratio = pendulum_error(order, steps[i]) / pendulum_error(order, 2 * steps[i]);
        // Halving the steps divides the error by 2^p.
        assert_near(log2(ratio), (double)order, 0.5);
    }
}

// Series in every fourth power: the terms that a step is measured by vanish.
static void gaps_in_the_series(void **state)
{
    (void)state;
    Hand hand = hand_new(1e-13);
    Expr grow = expr_mul(hand.pool, expr_pow_int(hand.pool, hand.t, 3), hand.u);
    OdeIntegrator *integrator = hand_integrator(&hand, expr_int(hand.pool, 0), grow, 22);
    double y[2] = {0, 1}, t = 0;
    ode_integrator_start(integrator, 0, y, 0);
    while (t < 2)
        assert_int_equal(ode_integrator_step(integrator, 2, &t, y), ODE_STEPPED);
    assert_near(y[1], exp(4), 1e-11);
    ode_integrator_free(integrator);
    hand_free(&hand);
}

// u' = |t − 1|: a step ends just beyond the switch, and none passes it.
static void steps_onto_a_switch(void **state)
{
    (void)state;
    Hand hand = hand_new(1e-13);
    Expr slope = call(hand.pool, EXPR_ABS, expr_sub(hand.pool, hand.t, expr_int(hand.pool, 1)));
    OdeIntegrator *integrator = hand_integrator(&hand, hand.u, slope, 12);
    double y[2] = {0}, t = 0, end = 0;
    ode_integrator_start(integrator, 0, y, 0);
    while (t < 3) {
        double from = t;
        assert_int_equal(ode_integrator_step(integrator, 3, &t, y), ODE_STEPPED);
        if (from < 1 && t >= 1)
            end = t;
    }
    assert_near(end, 1, 1e-12);
    assert_near(y[1], 2.5, 1e-13);
    // q'' = 1 − t, then t − 1 from u = 1/2.
    assert_near(y[0], 1.0 / 3 + 2 * 0.5 + 8.0 / 6, 1e-12);
    ode_integrator_free(integrator);
    hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_what_it_says),
        cmocka_unit_test(gaps_in_the_series),
        cmocka_unit_test(steps_onto_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

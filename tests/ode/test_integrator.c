// test_integrator.c: all methods behind the one interface: solutions and dense output against
// closed forms, restarts, projections, what ends an integration, and signs of stiffness.
#include "linalg/tolerances.h"
#include "ode/step_polynomial.h"
#include "ode_case.h"

static OdeIntegrator *start_two(OdeMethod method, Two *two)
{
    OdeProblem problem = two_problem(two);
    OdeIntegrator *integrator = ode_integrator_new(method, &problem);
    double y[] = {1, 1};
    assert_non_null(integrator);
    assert_true(ode_integrator_start(integrator, 0, y, 0));
    return integrator;
}

// What the error may be: multistep methods add their errors up.
static double within(OdeMethod method)
{
    return method == ODE_TAYLOR || method == ODE_ERK ? 1e-8 : 1e-6;
}

// The polynomial over the second half of a step is dense output.
static void check_polynomial(OdeIntegrator *integrator, double from, double t)
{
    double rows[(ODE_MAX_ORDER + 1) * TWO], inside[TWO], rate[TWO];
    double middle = from + (t - from) / 2;
    size_t degree = ode_integrator_polynomial(integrator, middle, t - middle, rows);
    for (int i = 0; i <= 4; i++) {
        double x = i / 4.0, sums[TWO] = {0};
        for (size_t k = degree + 1; k-- > 0;)
            for (size_t j = 0; j < TWO; j++)
                sums[j] = sums[j] * x + rows[k * TWO + j];
        ode_integrator_interpolate(integrator, fmin(middle + x * (t - middle), t), inside, rate);
        assert_near(sums[0], inside[0], 1e-13);
        assert_near(sums[1], inside[1], 1e-12);
    }
}

static void solutions_and_dense_output(void **state)
{
    (void)state;
    for (OdeMethod method = 0; method < ODE_METHOD_COUNT; method++) {
        Two two = {.scale = 1e-10};
        OdeIntegrator *integrator = start_two(method, &two);
        double t = 0, y[TWO] = {1, 1}, inside[TWO], rate[TWO], exact[TWO];
        while (t < 2) {
            double from = t;
            assert_int_equal(ode_integrator_step(integrator, 2, &t, y), ODE_STEPPED);
            for (int i = 0; i <= 4; i++) {
                double at = from + (t - from) * i / 4;
                ode_integrator_interpolate(integrator, at, inside, rate);
                two_exact(at, exact);
                assert_near(inside[0], exact[0], within(method));
                assert_near(inside[1], exact[1], within(method));
                assert_near(rate[0], -exact[0] * exact[0], 10 * within(method));
            }
            check_polynomial(integrator, from, t);
        }
        assert_true(t == 2);
        two_exact(2, exact);
        assert_near(y[1], exact[1], within(method));
        OdeStatistics made = ode_integrator_statistics(integrator);
        assert_true(made.steps > 0 && made.order > 0 && !made.stiff);
        assert_string_equal(ode_integrator_message(integrator), "");
        ode_integrator_free(integrator);
    }
}

// From the exact state at another time; steps are counted on.
static void restarts(void **state)
{
    (void)state;
    for (OdeMethod method = 0; method < ODE_METHOD_COUNT; method++) {
        Two two = {.scale = 1e-10};
        OdeIntegrator *integrator = start_two(method, &two);
        double t = 0, y[TWO] = {1, 1}, exact[TWO];
        assert_int_equal(ode_integrator_step(integrator, 2, &t, y), ODE_STEPPED);
        size_t before = ode_integrator_statistics(integrator).steps;
        t = 1;
        two_exact(t, y);
        assert_true(ode_integrator_start(integrator, t, y, 0));
        while (t < 1.5)
            assert_int_equal(ode_integrator_step(integrator, 1.5, &t, y), ODE_STEPPED);
        two_exact(1.5, exact);
        assert_near(y[0], exact[0], within(method));
        assert_true(ode_integrator_statistics(integrator).steps > before);
        // What is left is rounding: the time is reached and the state is kept.
        assert_int_equal(ode_integrator_step(integrator, nextafter(t, 2), &t, y), ODE_STEPPED);
        assert_true(t == nextafter(1.5, 2));
        ode_integrator_free(integrator);
    }
}

// Rates end at t = 0.7, and the solution is followed up to there.
static void ends_where_rates_end(void **state)
{
    (void)state;
    for (OdeMethod method = 0; method < ODE_METHOD_COUNT; method++) {
        Two two = {.scale = 1e-8, .gap = {0.7, INFINITY}};
        OdeIntegrator *integrator = start_two(method, &two);
        double t = 0, y[TWO] = {1, 1};
        OdeOutcome outcome = ODE_STEPPED;
        for (int i = 0; i < 100000 && outcome == ODE_STEPPED; i++)
            outcome = ode_integrator_step(integrator, 2, &t, y);
        assert_true(outcome == ODE_NO_RATE || outcome == ODE_STEP_UNDERFLOW);
        assert_near(t, 0.7, 1e-3);
        ode_integrator_free(integrator);
    }
}

// ---- A point that goes round: y' = (−y₁, y₀), projected onto the circle.

static bool circle_rate(void *context, double t, const double *y, double *rate)
{
    (void)context, (void)t;
    rate[0] = -y[1];
    rate[1] = y[0];
    return true;
}

static bool circle_series(void *context, size_t k, const double *ty, double *rate)
{
    (void)k;
    return circle_rate(context, 0, ty + 1, rate);
}

static bool circle_jacobian(void *context, double t, const double *y, double *columns)
{
    (void)context, (void)t, (void)y;
    columns[0] = columns[3] = 0;
    columns[1] = 1;
    columns[2] = -1;
    return true;
}

static bool circle_project(void *context, double t, double *y)
{
    (void)t;
    double radius = hypot(y[0], y[1]);
    ++*(size_t *)context;
    y[0] /= radius;
    y[1] /= radius;
    return radius > 0.5;
}

static void circle_error_scale(void *context, const double *y, double *scale)
{
    (void)context, (void)y;
    scale[0] = scale[1] = 1e-6;
}

static void states_are_projected(void **state)
{
    (void)state;
    for (OdeMethod method = 0; method < ODE_METHOD_COUNT; method++) {
        size_t projections = 0;
        OdeProblem problem = {.count = 2,
                              .tolerance = 1e-6,
                              .max_step = 0.5,
                              .context = &projections,
                              .rate = circle_rate,
                              .series = circle_series,
                              .order = 8,
                              .switch_distance = two_switch_distance,
                              .jacobian = circle_jacobian,
                              .project = circle_project,
                              .error_scale = circle_error_scale};
        OdeIntegrator *integrator = ode_integrator_new(method, &problem);
        double t = 0, y[] = {1, 0};
        assert_true(ode_integrator_start(integrator, 0, y, 0));
        while (t < 10) {
            assert_int_equal(ode_integrator_step(integrator, 10, &t, y), ODE_STEPPED);
            assert_near(hypot(y[0], y[1]), 1, 1e-15);
        }
        assert_true(projections > 0);
        assert_near(y[0], cos(10), 1e-3);
        ode_integrator_free(integrator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_and_dense_output),
        cmocka_unit_test(restarts),
        cmocka_unit_test(ends_where_rates_end),
        cmocka_unit_test(states_are_projected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

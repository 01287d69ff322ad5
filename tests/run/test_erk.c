// test_erk.c: the explicit Runge–Kutta method: states inside its steps, of the order of the steps;
// rows that shorten nothing; what it may not step over. Switches by all methods.
#include "event_case.h"

#include "run/run_impl.h"

#include <flint/flint.h>

// ---- States inside a step.

// y₀' = −y₀² and y₁' = y₁ + cos t: y₀ = 1/(1 + t), y₁ = (sin t − cos t)/2 + 3/2·e^t.
static bool rate(void *context, double t, const double *y, double *out)
{
    const bool *fails = context;
    out[0] = -y[0] * y[0];
    out[1] = y[1] + cos(t);
    return !(fails && *fails && t > 0.2 && t < 0.3);
}

static void exact(double t, double *y)
{
    y[0] = 1 / (1 + t);
    y[1] = (sin(t) - cos(t)) / 2 + 1.5 * exp(t);
}

static double error_inside(double length, bool fails)
{
    enum { POINTS = 40 };
    IntegratorProblem problem = {.count = 2, .context = &fails, .rate = rate};
    Inside inside;
    double begin[2], end[2], y[2], expected[2], worst = 0;
    exact(0.1, begin);
    exact(0.1 + length, end);
    inside_init(&inside, &problem);
    inside_begin(&inside, 0.1, begin);
    inside_end(&inside, 0.1 + length, end);
    for (int i = 0; i <= POINTS; i++) {
        double t = 0.1 + length * i / POINTS;
        inside_state(&inside, t, y);
        exact(t, expected);
        worst = fmax(worst, fmax(fabs(y[0] - expected[0]), fabs(y[1] - expected[1])));
    }
    inside_clear(&inside);
    return worst;
}

// The error of a step of order 8 goes with the power 9.
static void order_inside(void **state)
{
    (void)state;
    double errors[3];
    for (int i = 0; i < 3; i++)
        errors[i] = error_inside(ldexp(0.4, -i), false);
    for (int i = 0; i < 2; i++)
        assert_true(log2(errors[i] / errors[i + 1]) > 8);
    assert_true(errors[0] < 1e-8 && errors[2] < 1e-13);
    // Without rates inside there is still a line between the ends, or better.
    assert_true(error_inside(0.4, true) < 1e-2);
}

// What the slope misses is seen, and is nothing where the polynomial is the solution.
static void defect_is_seen(void **state)
{
    (void)state;
    IntegratorProblem problem = {.count = 2, .rate = rate};
    Inside inside;
    double begin[2], end[2], allowance[] = {1e-6, 1e-6};
    exact(0.1, begin);
    exact(0.5, end);
    inside_init(&inside, &problem);
    inside_begin(&inside, 0.1, begin);
    inside_end(&inside, 0.5, end);
    assert_true(inside_defect(&inside, 31, allowance) < 1);
    end[0] += 1e-3;
    inside_end(&inside, 0.5, end);
    assert_true(inside_defect(&inside, 31, allowance) > 100);
    inside_clear(&inside);
}

// ---- Rows.

static RunCase go(const char *text, RunMethod method, double every, double tolerance)
{
    RunOptions options = run_options();
    options.method = method;
    options.every = every;
    options.tolerance = tolerance;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

static const char rod[] = "coord x, y\nmass 1 at [x, y, 0]\ngravity [0, -9.81, 0]\n"
                          "constraint rod: x^2 + y^2 = 1\ninitial x = 0.6, y = -0.8\nrun to 4\n";

static void rows_shorten_nothing(void **state)
{
    (void)state;
    RunCase coarse = go(rod, RUN_ERK, 1, 1e-10), fine = go(rod, RUN_ERK, 0.002, 1e-10);
    RunCase taylor = go(rod, RUN_TAYLOR, 0.002, 1e-13);
    assert_int_equal(case_row_count(&fine), 2001);
    assert_true(fine.summary.steps < 2 * coarse.summary.steps + 20);
    assert_true(fine.summary.steps < 600);
    assert_true(fine.summary.largest_residual < 1e-13);
    for (size_t i = 0; i < fine.rows.count; i++)
        assert_near(fine.rows.at[i], taylor.rows.at[i], 1e-8);
    case_free(&coarse);
    case_free(&fine);
    case_free(&taylor);
}

// A force that is 0 to the last digit at the start is not stepped over, however few rows there are:
// of energy ½, the point turns back before a hill of height 3.
static void hill_on_the_way(void **state)
{
    (void)state;
    RunCase kase = go("coord x\nkinetic x'^2/2\npotential 3*exp(-50*(x - 10)^2)\n"
                      "initial x' = 1\nrun to 40\n",
                      RUN_ERK, 40, 1e-10);
    assert_near(case_last(&kase, "x'"), -1, 1e-8);
    case_free(&kase);
}

// ---- Switches. Between two of them the oscillator swings about ±0.03, each time half a period.

static void switches_by_all_methods(void **state)
{
    (void)state;
    const double half = 3.14159265358979323846 / sqrt(10);
    for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        double within = method == RUN_TAYLOR || method == RUN_ERK ? 1e-9 : 1e-7;
        RunOptions options = run_options();
        options.method = method;
        options.tolerance = 1e-10;
        EventCase kase = event_case_with("coord x\nkinetic x'^2/2\npotential 5*x^2\n"
                                         "force -0.3*sign(x') along x\ninitial x = 1\n"
                                         "run to 3 every 0.5\n",
                                         options);
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 3);
        for (size_t i = 0; i < 3; i++)
            event_is(&kase, i, RUN_SWITCH, "", (double)(i + 1) * half, within);
        // Each half swing ends 0.06 before where it began; rows are there before and after.
        assert_int_equal(case_row_count(&kase.run), 7 + 6);
        double x = -0.03 - (1 - 3 * 0.06 - 0.03) * cos(sqrt(10) * (3 - 3 * half));
        assert_near(case_last(&kase.run, "x"), x, within);
        event_case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_inside),
        cmocka_unit_test(defect_is_seen),
        cmocka_unit_test(rows_shorten_nothing),
        cmocka_unit_test(hill_on_the_way),
        cmocka_unit_test(switches_by_all_methods),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

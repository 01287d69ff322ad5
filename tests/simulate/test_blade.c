// The blade on ice against Hamel's closed form (229): with I about the contact point and
// a = I/(m·s), v = v₀ tanh τ, ϑ' = ±v₀ √(m/I)/cosh τ, τ = τ₀ + v₀t/a, v₀² = v² + (I/m)ϑ'².
#include "run_case.h"

#define M 1.0
#define S 0.3
#define I 0.2

static const char body[] =
    "param m = 1, s = 0.3, I = 0.2\n"
    "coord x, y, theta\n"
    "kinetic m*(x'^2 + y'^2)/2 + m*s*theta'*(y'*cos(theta) - x'*sin(theta)) + I*theta'^2/2\n"
    "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n";

typedef struct {
    double theta, v, w;
} Blade;

// The state a time t after `start`.
static Blade closed_form(Blade start, double t)
{
    double v0 = sqrt(start.v * start.v + I / M * start.w * start.w);
    double tau0 = asinh(start.v / (sqrt(I / M) * fabs(start.w))), tau = tau0 + v0 * t * M * S / I;
    double turn = copysign(sqrt(I / M) / S, start.w);
    return (Blade){.v = v0 * tanh(tau),
                   .w = copysign(v0 * sqrt(M / I) / cosh(tau), start.w),
                   .theta = start.theta + turn * 2 * (atan(tanh(tau / 2)) - atan(tanh(tau0 / 2)))};
}

// ∫ v cos ϑ dt and ∫ v sin ϑ dt of the closed form, by Simpson's rule.
static void path(Blade start, double t, double *x, double *y)
{
    const int parts = 20000;
    double h = t / parts;
    *x = *y = 0;
    for (int i = 0; i <= parts; i++) {
        Blade at = closed_form(start, i * h);
        double weight = (i == 0 || i == parts ? 1 : i % 2 ? 4 : 2) * h / 3;
        *x += weight * at.v * cos(at.theta);
        *y += weight * at.v * sin(at.theta);
    }
}

static void check_blade(const char *speeds, Blade start, double tolerance)
{
    Text text = {0};
    text_add(&text, body);
    text_addf(&text, "%s\ninitial theta = %.17g, %s = %.17g, theta' = %.17g\n", speeds, start.theta,
              strstr(speeds, "speed v") ? "v" : "x'",
              strstr(speeds, "speed v") ? start.v : start.v * cos(start.theta), start.w);
    text_add(&text, "run to 10 every 0.05 tolerance 1e-11\n");
    RunOptions options = run_options();
    options.residuals = true;
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_int_equal(case_row_count(&kase), 201);
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        Blade at = closed_form(start, case_value(&kase, i, "t"));
        assert_near(case_value(&kase, i, "theta"), at.theta, tolerance);
        assert_near(case_value(&kase, i, "theta'"), at.w, tolerance);
        assert_near(case_value(&kase, i, "x'"), at.v * cos(at.theta), tolerance);
        assert_near(case_value(&kase, i, "y'"), at.v * sin(at.theta), tolerance);
        // The reaction across the edge: m(v·ϑ' + s·ϑ'') with ϑ'' = −m·s·v·ϑ'/I.
        assert_near(case_value(&kase, i, "lambda.edge"), M * at.v * at.w * (1 - M * S * S / I),
                    tolerance);
    }
    double x = 0, y = 0;
    path(start, 10, &x, &y);
    assert_near(case_last(&kase, "x"), x, tolerance);
    assert_near(case_last(&kase, "y"), y, tolerance);
    assert_true(kase.summary.energy_drift <= 1e-10);
    assert_true(kase.summary.largest_residual <= 1e-12);
    assert_near(case_largest(&kase, "residual.edge"), kase.summary.largest_residual, 0);
    case_free(&kase);
    text_clear(&text);
}

static const char hamel_speeds[] = "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'";

static void test_closed_form(void **state)
{
    (void)state;
    // The first turns at a cusp on its way (v changes sign), the second has it behind.
    check_blade(hamel_speeds, (Blade){0.1, -1, 0.5}, 1e-10);
    check_blade(hamel_speeds, (Blade){0.1, 1, 0.5}, 1e-10);
    check_blade(hamel_speeds, (Blade){-2, -0.3, -1.7}, 1e-10);
    check_blade(hamel_speeds, (Blade){0.7, 0, 2}, 1e-10);
    check_blade(hamel_speeds, (Blade){1.2, -2, 1e-3}, 1e-9);
}

// Independent velocities that become singular on the way are changed, without trace.
static void test_change_of_speeds(void **state)
{
    (void)state;
    check_blade("independent x, theta", (Blade){0.1, -1, 0.5}, 1e-10);
    check_blade("independent theta, x", (Blade){-2, -0.3, -1.7}, 1e-10);
    check_blade("speed u = x'", (Blade){0.7, 0, 2}, 1e-10);
    check_blade("", (Blade){0.1, -1, 0.5}, 1e-10);
}

// Short steps see the poor speeds on their way; a series may step over them.
static void test_changes_are_counted(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_ERK, RUN_TAYLOR, RUN_BDF};
    for (size_t i = 0; i < 3; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        RunCase kase = case_start("coord x, y, theta\n"
                                  "kinetic (x'^2 + y'^2 + theta'^2)/2\n"
                                  "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
                                  "independent x, theta\n"
                                  "initial x' = 1, theta' = 1\n"
                                  "run to 2*pi every pi/50\n",
                                  options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        assert_true(kase.summary.speed_changes >= 2 || methods[i] == RUN_TAYLOR);
        // Only where they are poor, and not to and fro.
        assert_true(kase.summary.speed_changes <= 6);
        // Round the unit circle and back.
        double tolerance = methods[i] == RUN_BDF ? 1e-7 : 1e-9;
        assert_near(case_last(&kase, "x"), 0, tolerance);
        assert_near(case_last(&kase, "y"), 0, tolerance);
        assert_near(case_last(&kase, "x'"), 1, tolerance);
        assert_near(case_value(&kase, 50, "y"), 2, tolerance);
        case_free(&kase);
    }
}

// A four-bar linkage by its joints: whichever velocity is independent, it vanishes twice a turn. No
// trace of the changes is left beyond the tolerance, against speeds that never change.
#define LINKAGE                                                                                    \
    "param a = 0.2, b = 0.6, c = 0.4, l = 0.5\ncoord px, py, qx, qy\n"                             \
    "kinetic (px'^2 + py'^2)/6 + (qx'^2 + qy'^2)/3\n"                                              \
    "kinetic (px'^2 + py'^2 + px'*qx' + py'*qy' + qx'^2 + qy'^2)/2\n"                              \
    "potential 9.81*(2*py + 2.5*qy)\n"                                                             \
    "constraint crank: px^2 + py^2 = a^2\n"                                                        \
    "constraint coupler: (qx - px)^2 + (qy - py)^2 = b^2\n"                                        \
    "constraint rocker: (qx - l)^2 + qy^2 = c^2\n"                                                 \
    "initial approx qx = l + c*cos(1.2), qy = c*sin(1.2)\n"                                        \
    "initial px = a*cos(1), py = a*sin(1)\nrun to 2 every 0.01\n"

static void test_no_trace_of_changes(void **state)
{
    (void)state;
    static const char *const names[] = {"px", "py", "qx", "qy", "px'", "py'", "qx'", "qy'"};
    RunOptions options = run_options();
    options.tolerance = 1e-13;
    RunCase steady =
        case_start(LINKAGE "speed turn = (px*py' - py*px')/a^2\ninitial turn = 12\n", options);
    options.tolerance = 1e-11;
    RunCase changing = case_start(LINKAGE "initial py' = 12*a*cos(1)\n", options);
    case_go(&steady);
    case_go(&changing);
    case_expect(&steady, STATUS_OK);
    case_expect(&changing, STATUS_OK);
    assert_int_equal(steady.summary.speed_changes, 0);
    assert_true(changing.summary.speed_changes > 5);
    for (size_t row = 0; row < case_row_count(&steady); row++)
        for (size_t i = 0; i < 8; i++)
            assert_near(case_value(&changing, row, names[i]), case_value(&steady, row, names[i]),
                        3e-11);
    case_free(&steady);
    case_free(&changing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_change_of_speeds),
        cmocka_unit_test(test_changes_are_counted),
        cmocka_unit_test(test_no_trace_of_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

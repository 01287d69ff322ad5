// test_servos.c: conditions that active forces keep, run against closed forms.
#include "run_case.h"
#include "uniform.h"

// A pendulum on a cart whose angle is led by the force on the cart.
#define CART(angle, start)                                                                         \
    "param M = 2, m = 0.5, l = 0.8, g = 9.81\ncoord x, theta\n"                                    \
    "point C = [x, 0, 0]\npoint P = C + [l*sin(theta), 0, -l*cos(theta)]\n"                        \
    "mass M at C\nmass m at P\ngravity [0, 0, -g]\n"                                               \
    "servo hold: theta = " angle " by force [1, 0, 0] at C\n"                                      \
    "initial " start "\nrun to 2 every 0.1 tolerance 1e-11\n"

// m l cos β x'' + m l² β'' = −m g l sin β, and the force is what the whole system takes.
static void angle_is_led(const RunCase *kase, double tolerance)
{
    const double M = 2, m = 0.5, l = 0.8, g = 9.81;
    for (size_t i = 0; i < case_row_count(kase); i++) {
        double t = case_value(kase, i, "t"), b = 0.4 * sin(3 * t), b1 = 1.2 * cos(3 * t),
               b2 = -3.6 * sin(3 * t);
        double a = -(l * b2 + g * sin(b)) / cos(b);
        double force = (M + m) * a + m * l * (cos(b) * b2 - sin(b) * b1 * b1);
        assert_near(case_value(kase, i, "theta"), b, 1e-12);
        assert_near(case_value(kase, i, "theta'"), b1, 1e-12);
        assert_near(case_value(kase, i, "lambda.hold"), force, tolerance);
    }
}

static void cart_is_driven_by_every_form(void **state)
{
    (void)state;
    const char *text = CART("0.4*sin(3*t)", "x' = 0.3");
    const FormKind forms[] = {FORM_MULTIPLIERS, FORM_KORTEWEG, FORM_MAGGI,
                              FORM_APPELL,      FORM_KANE,     FORM_GAUSS};
    double x = NAN;
    for (size_t i = 0; i <= sizeof forms / sizeof *forms; i++) {
        RunOptions options = run_options();
        options.driven = i > 0;
        if (options.driven)
            options.form = forms[i - 1];
        RunCase kase = case_start(text, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        angle_is_led(&kase, 1e-9);
        if (i > 0)
            assert_near(case_last(&kase, "x"), x, 1e-10);
        x = case_last(&kase, "x");
        case_free(&kase);
    }
}

static void every_method_goes(void **state)
{
    (void)state;
    double x = NAN;
    for (int method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        RunOptions options = run_options();
        options.method = (RunMethod)method;
        RunCase kase = case_start(CART("0.4*sin(3*t)", "x' = 0.3"), options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        angle_is_led(&kase, 1e-6);
        if (method > 0)
            assert_near(case_last(&kase, "x"), x, 1e-7);
        x = case_last(&kase, "x");
        case_free(&kase);
    }
}

// A speed kept by a push along x, under a weight: y falls freely, x' makes up for it, m x'' = λ.
static void a_speed_is_kept(void **state)
{
    (void)state;
    RunCase kase = case_run("param m = 2, g = 1\ncoord x, y\npoint P = [x, y, 0]\nmass m at P\n"
                            "gravity [0, -g, 0]\n"
                            "servo keep: x'^2 + y'^2 = 1 by force [1, 0, 0] at P\n"
                            "initial x' = 0.8, y' = 0.6\nrun to 1.2 every 0.1 tolerance 1e-12\n");
    case_expect(&kase, STATUS_OK);
    for (size_t row = 0; row < kase.rows.count / kase.columns; row++) {
        double fall = 0.6 - case_value(&kase, row, "t"), along = sqrt(1 - fall * fall);
        assert_near(case_value(&kase, row, "y'"), fall, 1e-10);
        assert_near(case_value(&kase, row, "x'"), along, 1e-10);
        assert_near(case_value(&kase, row, "lambda.keep"), 2 * fall / along, 1e-9);
    }
    case_free(&kase);
}

// A blade that a force across it, at the end of an arm h, turns as it should: the edge takes the
// force itself, I θ'' = h λ.
static void beside_an_ideal_condition(void **state)
{
    (void)state;
    RunCase kase = case_run("param m = 1, I = 0.2, h = 0.5, w = 2\ncoord x, y, theta\n"
                            "frame F = world rotate theta about z\npoint G = [x, y, 0]\n"
                            "body blade frame F mass m at G inertia [0, 0, I]\n"
                            "constraint edge: dot(velocity(G), F.y) = 0\n"
                            "servo turn: theta' = w*cos(t) by force F.y at G + h*F.x\n"
                            "speed v = dot(velocity(G), F.x)\n"
                            "initial v = 1.5\nrun to 3 every 0.1\n"
                            "output across = lambda.edge + lambda.turn\n");
    case_expect(&kase, STATUS_OK);
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        double t = case_value(&kase, i, "t"), turning = 2 * cos(t);
        assert_near(case_value(&kase, i, "theta"), 2 * sin(t), 1e-9);
        assert_near(case_value(&kase, i, "v"), 1.5, 1e-10);
        assert_near(case_value(&kase, i, "lambda.turn"), -0.2 * 2 * sin(t) / 0.5, 1e-9);
        assert_near(case_value(&kase, i, "across"), 1.5 * turning, 1e-9);
        // What the servo gives is the energy of turning, and no more.
        assert_near(case_value(&kase, i, "energy"), (1.5 * 1.5 + 0.2 * turning * turning) / 2,
                    1e-9);
    }
    case_free(&kase);
}

static void power_is_told(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.instant = true;
    RunCase kase = case_start(CART("0.3", "x' = 0.4"), options);
    case_expect(&kase, STATUS_OK);
    RunInstantRoom *room;
    RunInstant instant;
    assert_int_equal(run_instant(kase.run, kase.diag, &room, &instant), STATUS_OK);
    double force = -2.5 * 9.81 * tan(0.3);
    assert_near(run_start(kase.run).lambda[0], force, 1e-12);
    assert_near(instant.powers[0], 0.4 * force, 1e-12);
    assert_near(instant.at[0].force[0], force, 1e-12);
    run_instant_free(room);
    case_free(&kase);
}

static void energy_balances(void **state)
{
    (void)state;
    RunCase kase = case_start(CART("0.4*sin(3*t)", "x' = 0.3"), run_options());
    RunAudit *audit;
    assert_int_equal(run_audit_new(kase.run, kase.diag, &audit), STATUS_OK);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    RunListener silent = {0};
    assert_int_equal(run_audit_compare(audit, &silent, &kase.summary, kase.diag), STATUS_OK);
    RunAuditReport report = run_audit_report(audit);
    assert_true(report.has_balance && report.is_followed);
    double change = case_last(&kase, "energy") - case_value(&kase, 0, "energy");
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        least = fmin(least, case_value(&kase, i, "energy"));
        most = fmax(most, case_value(&kase, i, "energy"));
    }
    assert_true(most - least > 0.1);
    assert_near(report.work, change, 1e-10);
    assert_true(report.energy.drift < 1e-10);
    run_audit_free(audit);
    case_free(&kase);
}

// ---- Where the force cannot do it.

static void start_is_singular(void **state)
{
    (void)state;
    RunCase kase = case_run(CART("pi/2", "x = 1"));
    case_expect(&kase, STATUS_WRONG);
    assert_true(
        case_says(&kase, DIAG_ERROR,
                  "at the start the servo 'hold' cannot keep its condition at x = 1, "
                  "theta = 1.5708: the acceleration that it is asked for is one that the force "
                  "cannot give there, the other conditions being respected (g·M⁻¹·d is "
                  "singular); start elsewhere, or give the force another direction or "
                  "place"));
    case_free(&kase);
}

static void way_ends_before_a_singular_state(void **state)
{
    (void)state;
    RunCase kase = case_run(CART("t", "x = 0"));
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(kase.summary.reached > 1.4 && kase.summary.reached < 1.5708);
    assert_true(case_says(&kase, DIAG_ERROR,
                          "a servo can hardly keep its condition there: its force grows without "
                          "bound (g·M⁻¹·d becomes singular)"));
    case_free(&kase);
}

static void wrong(const char *text, const char *message)
{
    RunOptions options = run_options();
    options.instant = true;
    RunCase kase = case_start(text, options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, message));
    case_free(&kase);
}

#define POINTS "coord x, y\nmass 1 at [x, y, 0]\nmass 2 at [x, 0, 0]\n"

static void servos_that_cannot_act(void **state)
{
    (void)state;
    wrong(POINTS "servo s: x = sin(t) by y\n",
          "the servo 's' cannot keep its condition: its force reaches it in no derivative");
    wrong(POINTS "servo s: x = sin(t) by force [0, 0, 1] at [x, y, 0]\n",
          "the servo 's' cannot act: its force does no work on any displacement");
    wrong(POINTS "servo s: x = sin(t) by x\nservo r: y = cos(t) by force [2, 0, 0] at [x, 0, 0]\n",
          "the reaction of 'r' acts as those of the other conditions do");
    // What a constraint fixes a servo's force cannot move.
    wrong("coord x, y, z\nmass 1 at [x, y, z]\nconstraint c: x = y\n"
          "servo s: z = 0 by force [1, -1, 0] at [x, y, z]\n",
          "the reaction of 's' acts as those of the other conditions do");
}

// What constraints keep already leaves nothing to a servo, wherever it is written.
static void servo_without_work_is_set_aside(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nmass 1 at [x, y, 0]\nservo s: x' = 2*y' by x\n"
                            "constraint c: x = 2*y\nforce 1 along x\nrun to 1\n");
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE,
                          "the servo 's' has nothing to keep: its condition follows from the "
                          "others, and it is set aside"));
    assert_int_equal(kase.motion->m, 1);
    assert_int_equal(kase.motion->servos, 0);
    // 5 y'' = 2.
    assert_near(case_last(&kase, "y"), 0.2, 1e-12);
    case_free(&kase);
}

// Their forces are finite: what a servo keeps cannot make velocities jump, however far its force is
// from it. Where others jump, of which it needs nothing, it goes on: y has a mass that becomes d
// times as large, beside what the servo keeps.
static void jumps(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const kept[] = {
        "servo s: x + b*sin(a) = r*abs(t - c) by force [1, 0, 0] at C\n",
        "servo s: x = r*max(t, c) by x\n",
        "servo s: x' + b*a' = r*sign(t - c) by x\n",
        "servo s: a = r*max(0, t - c)*t by force [1, 0, 0] at C\n",
        "servo s: x = r*sin(t) by x\n",
    };
    Random random = random_seed(59);
    for (size_t seed = 0; seed < 20 * test_size(); seed++) {
        double c = uniform(&random, 0.5, 1.5), d = uniform(&random, 0.3, 3);
        size_t kind = seed % 5;
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "param b = %.9f, c = %.9f, r = %.9f, d = %.9f\ncoord x, a, y\n"
                  "point C = [x, 0, 0]\nmass 2 at C\nmass 0.5 at C + [sin(a), 0, -cos(a)]\n"
                  "gravity [0, 0, -9.81]\nkinetic (1 + (d - 1)*(1 + sign(t - c))/2)*y'^2/2\n"
                  "%sinitial y' = 1\nrun to 2 every 0.5\n",
                  uniform(&random, 0.1, 0.4), c, uniform(&random, 0.1, 0.3), d, kept[kind]);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, kind == 4 ? STATUS_OK : STATUS_NEGATIVE);
        if (kind == 4) {
            assert_near(case_last(&kase, "y'"), 1 / d, 1e-9);
            assert_near(case_last(&kase, "y"), c + (2 - c) / d, 1e-9);
        } else {
            assert_true(case_says(&kase, DIAG_ERROR, "servo 's'"));
            assert_near(kase.summary.reached, c, 1e-6);
        }
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cart_is_driven_by_every_form),
        cmocka_unit_test(every_method_goes),
        cmocka_unit_test(a_speed_is_kept),
        cmocka_unit_test(beside_an_ideal_condition),
        cmocka_unit_test(power_is_told),
        cmocka_unit_test(energy_balances),
        cmocka_unit_test(start_is_singular),
        cmocka_unit_test(way_ends_before_a_singular_state),
        cmocka_unit_test(servos_that_cannot_act),
        cmocka_unit_test(servo_without_work_is_set_aside),
        cmocka_unit_test(jumps),
    };
    return cmocka_run_group_tests_name("simulate/servos", tests, NULL, NULL);
}

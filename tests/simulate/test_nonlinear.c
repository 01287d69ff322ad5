// test_curved.c: motions under conditions that are not linear in the velocities: against closed
// forms, against a Runge–Kutta method of the test's own, and one form against the other at random
// states; starts that are completed by them; places where they are singular.
#include "random_curved.h"
#include "run_case.h"

#include <flint/flint.h>

#define CONE                                                                                       \
    "param k = 0.5, Z = 2\ncoord x, y, z\nmass 1 at [x, y, z]\nforce [0, 0, Z] at [x, y, z]\n"     \
    "constraint cone: z'^2 = k^2*(x'^2 + y'^2)\n"

// ---- Closed forms.

// z'' = Z/(1 + 1/k²), straight on (Hamel 249, Appell 22).
static void test_cone(void **state)
{
    (void)state;
    const double c = 2 / (1 + 4.0);
    for (int method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        RunOptions options = run_options();
        options.method = (RunMethod)method;
        options.residuals = true;
        options.tolerance = 1e-11;
        RunCase kase =
            case_start(CONE "initial x' = 0.6, y' = 0.8, z' = 0.5\nrun to 3 every 0.1\n", options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "z"), 1.5 + 4.5 * c, 1e-8);
        assert_near(case_last(&kase, "z'"), 0.5 + 3 * c, 1e-9);
        assert_near(case_last(&kase, "y'") / case_last(&kase, "x'"), 4.0 / 3, 1e-9);
        // m·z'' = Z + 2·λ·z'
        assert_near(case_last(&kase, "lambda.cone"), (c - 2) / (2 * (0.5 + 3 * c)), 1e-9);
        assert_true(case_largest(&kase, "residual.cone") < 1e-14);
        case_free(&kase);
    }
}

// ---- Another road: the classical Runge–Kutta method for q'' = K/m + λ b/m, by hand.

// z'⁵ + z' x'² + x y'³ = 1, mass 2, force (z, 1, x y'): no closed form for any velocity.
static void hand_rate(const double *s, double *rate)
{
    const double x = s[0], z = s[2], vx = s[3], vy = s[4], vz = s[5];
    const double force[3] = {z, 1, x * vy};
    const double b[3] = {2 * vz * vx, 3 * x * vy * vy, 5 * pow(vz, 4) + vx * vx};
    const double gamma = vx * vy * vy * vy;
    double square = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        square += b[i] * b[i] / 2;
        along += b[i] * force[i] / 2;
    }
    double lambda = -(gamma + along) / square;
    for (int i = 0; i < 3; i++) {
        rate[i] = s[3 + i];
        rate[3 + i] = (force[i] + lambda * b[i]) / 2;
    }
}

static void hand_step(double *s, double h)
{
    double k[4][6], at[6];
    for (int stage = 0; stage < 4; stage++) {
        double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
        for (int i = 0; i < 6; i++)
            at[i] = s[i] + (stage ? part * k[stage - 1][i] : 0);
        hand_rate(at, k[stage]);
    }
    for (int i = 0; i < 6; i++)
        s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static void test_against_another_method(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.residuals = true;
    RunCase kase = case_start("coord x, y, z\nmass 2 at [x, y, z]\n"
                              "force [z, 1, x*y'] at [x, y, z]\n"
                              "constraint c: z'^5 + z'*x'^2 + x*y'^3 = 1\n"
                              "initial x = 0.3, y' = 0.2, x' = 0.4\nrun to 2 every 0.1\n",
                              options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    double s[6];
    static const char *const names[] = {"x", "y", "z", "x'", "y'", "z'"};
    for (int i = 0; i < 6; i++)
        s[i] = case_value(&kase, 0, names[i]);
    enum { STEPS = 4000 };
    for (int i = 0; i < STEPS; i++)
        hand_step(s, 2.0 / STEPS);
    for (int i = 0; i < 6; i++)
        assert_near(case_last(&kase, names[i]), s[i], 1e-10);
    assert_true(case_largest(&kase, "residual.c") < 1e-13);
    case_free(&kase);
}

// ---- Every form at random states, where no closed form is at hand and where one is.

static void forms_agree_at(const char *model, uint64_t seed, size_t *met, size_t *open)
{
    RunCase plain = case_start(model, run_options());
    if (plain.status == STATUS_OK) {
        (*met)++;
        *open += !plain.motion->state.closed;
    }
    for (int i = 0; i < FORM_COUNT && plain.status == STATUS_OK; i++) {
        RunOptions options = run_options();
        options.driven = true;
        options.form = (FormKind)i;
        Form *form = form_derive_in(options.form, plain.motion, FORM_TO_RUN);
        bool applies = form->reason == NULL;
        form_free(form);
        Simulation *run = NULL;
        if (!applies || run_new(plain.motion, &options, plain.diag, &run) != STATUS_OK)
            continue;
        RunStart usual = run_start(plain.run), driven = run_start(run);
        for (size_t nu = 0; nu < usual.n; nu++) {
            double miss = fabs(usual.a[nu] - driven.a[nu]);
            if (!(miss <= 1e-11 * fmax(1, fabs(usual.a[nu]))))
                print_message("seed %llu, %s: off by %g\n%s", (unsigned long long)seed,
                              form_name(options.form), miss, model);
            assert_true(miss <= 1e-11 * fmax(1, fabs(usual.a[nu])));
        }
        run_free(run);
    }
    case_free(&plain);
}

static void test_forms_at_random_states(void **state)
{
    (void)state;
    size_t met = 0, open = 0;
    for (uint64_t seed = 1; seed <= 25 * test_size(); seed++) {
        Text text = write_curved(seed);
        forms_agree_at(text.at, seed, &met, &open);
        text_clear(&text);
    }
    assert_true(met >= 12);
    assert_true(open >= 6);
}

// ---- Starts.

static void test_starts(void **state)
{
    (void)state;
    // Given velocities are kept, the rest follows; which root is said to be a guess.
    RunCase kase = case_start(CONE "initial x' = 3, y' = 4\n", run_options());
    case_expect(&kase, STATUS_OK);
    assert_near(run_start(kase.run).v[0], 3, 0);
    assert_near(run_start(kase.run).v[2], 2.5, 1e-15);
    assert_true(case_says(&kase, DIAG_NOTE, "nearest to a guess"));
    case_free(&kase);
    // An approximate value chooses the other one.
    kase = case_start(CONE "initial x' = 3, y' = 4\ninitial approx z' = -1\n", run_options());
    case_expect(&kase, STATUS_OK);
    assert_near(run_start(kase.run).v[2], -2.5, 1e-15);
    case_free(&kase);
    // What misses by little is moved onto the condition.
    kase = case_start(CONE "initial x' = 3, y' = 4, z' = 2.5000000001\n", run_options());
    case_expect(&kase, STATUS_OK);
    const double *v = run_start(kase.run).v;
    assert_near(v[2] * v[2], 0.25 * (v[0] * v[0] + v[1] * v[1]), 1e-14);
    case_free(&kase);
    // No velocities meet this with y' = 0; some near a guess do.
    kase = case_start("coord y, x\nmass 1 at [x, y, 0]\nconstraint c: y'*x' = 1\n"
                      "independent y\n",
                      run_options());
    case_expect(&kase, STATUS_OK);
    v = run_start(kase.run).v;
    assert_near(v[0] * v[1], 1, 1e-15);
    case_free(&kase);
    // Speeds that are no linear functions.
    kase = case_start("coord x, y\nmass 1 at [x, y, 0]\nspeed r = x'^2 + y'^2\n"
                      "speed w = atan2(y', x')\ninitial r = 4, w = 2.5\n",
                      run_options());
    case_expect(&kase, STATUS_OK);
    assert_near(run_start(kase.run).v[0], 2 * cos(2.5), 1e-14);
    assert_near(run_start(kase.run).v[1], 2 * sin(2.5), 1e-14);
    assert_near(run_start(kase.run).u[0], 4, 1e-14);
    case_free(&kase);
}

static void assert_wrong(const char *model, const char *says)
{
    RunCase kase = case_start(model, run_options());
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, says));
    case_free(&kase);
}

static void test_wrong_starts(void **state)
{
    (void)state;
    assert_wrong(CONE "initial x' = 3, y' = 4, z' = 1\n",
                 "the initial value z' = 1 contradicts the constraint 'cone' together with x' = 3, "
                 "y' = 4");
    assert_wrong(CONE, "at the start the constraint 'cone' is singular: its derivatives by the "
                       "velocities vanish (x' = 0, y' = 0, z' = 0)");
    assert_wrong("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x'^2 + y'^2 = -1\n",
                 "no velocities were found that meet the constraint 'c'");
    assert_wrong("coord x, y\nmass 1 at [x, y, 0]\nspeed w = x'^2\ninitial w = -1\n",
                 "no velocities were found that give the declared speeds their initial values");
}

// A speed that says nothing of the velocities at the start: said, and in the way of a form only.
static void test_singular_speed(void **state)
{
    (void)state;
    static const char model[] = "coord x, y\nmass 1 at [x, y, 0]\nforce [1, 1, 0] at [x, y, 0]\n"
                                "speed w = x'^2 + y\ninitial x' = 0, y' = 1\nrun to 1\n";
    RunCase kase = case_start(model, run_options());
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE,
                          "at the start the speed w cannot be inverted: it does not change there "
                          "with the velocities that the constraints and the speeds before it leave "
                          "free (x' = 0)"));
    assert_near(case_last(&kase, "x"), 0.5, 1e-13);
    assert_near(case_last(&kase, "w"), 1 + 1.5, 1e-12);
    case_free(&kase);
    RunOptions options = run_options();
    options.driven = true;
    options.form = FORM_APPELL;
    kase = case_start(model, options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "at the start the speed w cannot be inverted"));
    case_free(&kase);
}

// ---- Where a condition is singular on the way.

// Thrown upwards on the cone it comes to rest at t = z'(0)·(1 + 1/k²)/|Z|, at the vertex.
static void test_vertex(void **state)
{
    (void)state;
    for (int method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        RunOptions options = run_options();
        options.method = (RunMethod)method;
        RunCase kase = case_start(CONE "initial x' = 0.6, y' = 0.8, z' = 0.5\nrun to 3 every 0.1\n"
                                       "force [0, 0, -4] at [x, y, z]\n",
                                  options);
        case_go(&kase);
        case_expect(&kase, STATUS_NEGATIVE);
        assert_near(kase.summary.reached, 0.5 * 5 / 2, 1e-6);
        assert_true(case_says(&kase, DIAG_ERROR,
                              "the constraint 'cone' becomes singular there, its derivatives by "
                              "the velocities vanish (x' = "));
        case_free(&kase);
    }
}

// ---- Work.

// A motor keeps the speed: the reaction gives what the weight takes, m·g·y'.
static void test_work(void **state)
{
    (void)state;
    static const char model[] = "param g = 9.81\ncoord x, y\nmass 3 at [x, y, 0]\n"
                                "gravity [0, -g, 0]\nconstraint c: x'^2 + y'^2 = 4\n"
                                "initial x' = 1.2, y' = 1.6\nrun to 2 every 0.1\n";
    RunOptions options = run_options();
    options.instant = true;
    RunCase kase = case_start(model, options);
    RunInstantRoom *room;
    RunInstant instant;
    case_expect(&kase, STATUS_OK);
    assert_int_equal(run_instant(kase.run, kase.diag, &room, &instant), STATUS_OK);
    assert_near(instant.powers[0], 3 * 9.81 * 1.6, 1e-12);
    run_instant_free(room);
    case_free(&kase);
    // The balance of an audit closes with it.
    kase = case_start(model, run_options());
    case_expect(&kase, STATUS_OK);
    RunAudit *audit;
    assert_int_equal(run_audit_new(kase.run, kase.diag, &audit), STATUS_OK);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_int_equal(run_audit_compare(audit, &(RunListener){0}, &kase.summary, kase.diag),
                     STATUS_OK);
    RunAuditReport report = run_audit_report(audit);
    assert_true(report.has_balance && report.is_followed);
    assert_near(report.work, 3 * 9.81 * case_last(&kase, "y"), 1e-9);
    assert_true(report.energy.drift < 1e-10);
    run_audit_free(audit);
    case_free(&kase);
}

// One-sided conditions act beside them; test_beside.c has the shocks.
static void test_sides(void **state)
{
    (void)state;
    static const char floor[] = CONE "constraint floor: x >= 0\n";
    RunOptions options = run_options();
    options.instant = true;
    Text text = {0};
    text_addf(&text, "%sforce [-3, 0, 0] at [x, y, z]\ninitial x' = 0, y' = 1, z' = 0.5\n", floor);
    RunCase kase = case_start(text.at, options);
    case_expect(&kase, STATUS_OK);
    // x'' = 0 on the wall; along y and z as on the cone without it.
    assert_near(run_start(kase.run).a[0], 0, 1e-14);
    assert_near(run_start(kase.run).a[2], 0.4, 1e-14);
    case_free(&kase);
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cone),
        cmocka_unit_test(test_against_another_method),
        cmocka_unit_test(test_forms_at_random_states),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_wrong_starts),
        cmocka_unit_test(test_singular_speed),
        cmocka_unit_test(test_vertex),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_sides),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

// Rows: which columns, at which times, with which options, and where a run ends early.
#include "base/strings.h"
#include "run_case.h"
#include "uniform.h"

#define FREE "coord x\nkinetic x'^2/2\ninitial x' = 1\n"

static RunCase run_with(const char *text, double to, double every)
{
    RunOptions options = run_options();
    options.to = to;
    options.every = every;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    return kase;
}

// ---- Columns.

static void test_names_and_order(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "t",      "x",           "theta",        "x'",  "theta'", "u",   "w",   "lambda.c1",
        "energy", "residual.c1", "residual.two", "P.x", "P.y",    "P.z", "push"};
    RunOptions options = run_options();
    options.residuals = true;
    RunCase kase = case_start("coord x, theta\nkinetic (x'^2 + theta'^2)/2\n"
                              "constraint x = 2*theta\nconstraint two: x' = 2*theta'\n"
                              "speed u = x'\nspeed w = x' + theta'\n"
                              "output P = [x, theta, 0]\noutput push = lambda.c1 + theta''\n",
                              options);
    case_expect(&kase, STATUS_OK);
    assert_int_equal(kase.columns, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < kase.columns; i++)
        assert_string_equal(run_column_name(kase.run, i), expected[i]);
    case_free(&kase);
}

static void test_outputs_hold_accelerations_and_multipliers(void **state)
{
    (void)state;
    // Two masses on a rigid rod along x, one pushed: a = F/(m₁ + m₂), rod force m₂·a.
    RunCase kase =
        case_run("param F = 6\ncoord x, y\nkinetic x'^2/2 + 2*y'^2/2\n"
                 "force F along x\nconstraint rod: y = x + 1\n"
                 "initial x = 0\noutput a = y''\noutput push = 2*lambda.rod\nrun to 1\n");
    case_expect(&kase, STATUS_OK);
    assert_near(case_last(&kase, "a"), 2, 1e-14);
    assert_near(case_last(&kase, "lambda.rod"), 4, 1e-13);
    assert_near(case_last(&kase, "push"), 8, 1e-13);
    assert_near(case_last(&kase, "y"), 2, 1e-12);
    RunStart start = run_start(kase.run);
    assert_int_equal(start.m, 1);
    assert_near(start.a[0], 2, 1e-14);
    assert_near(start.lambda[0], 4, 1e-13);
    case_free(&kase);
}

// ---- Times.

static void test_row_times(void **state)
{
    (void)state;
    RunCase kase = run_with(FREE, 1, 0.1);
    case_expect(&kase, STATUS_OK);
    assert_int_equal(case_row_count(&kase), 11);
    for (size_t i = 0; i < 10; i++)
        assert_near(case_value(&kase, i, "t"), (double)i / 10, 0);
    assert_near(case_last(&kase, "t"), 1, 0);
    case_free(&kase);

    // The end between two rows is a row.
    kase = run_with(FREE, 1, 0.3);
    assert_int_equal(case_row_count(&kase), 5);
    assert_near(case_value(&kase, 3, "t"), 0.9, 0);
    assert_near(case_last(&kase, "t"), 1, 0);
    assert_near(case_last(&kase, "x"), 1, 1e-12);
    case_free(&kase);

    // Rows further apart than the end.
    kase = run_with(FREE, 1, 7);
    assert_int_equal(case_row_count(&kase), 2);
    assert_near(case_last(&kase, "t"), 1, 0);
    case_free(&kase);

    // A row within 1e-12 of the end, relatively, is the row at the end.
    kase = run_with(FREE, 1 + 5e-13, 0.5);
    assert_int_equal(case_row_count(&kase), 3);
    assert_near(case_last(&kase, "t"), 1 + 5e-13, 0);
    case_free(&kase);

    kase = run_with(FREE, 1e6, 1e5 / 3);
    assert_int_equal(case_row_count(&kase), 31);
    case_free(&kase);
}

// The times between rows drawn as decimals and fractions: each row's t is the double nearest to the
// exact multiple, by every method.
static void test_row_times_are_decimals(void **state)
{
    (void)state;
    char number[64];
    for (uint64_t seed = 1; seed <= 40 * test_size(); seed++) {
        Random draw = random_seed(seed);
        long digits = 1 + (long)uniform(&draw, 0, pow(10, uniform(&draw, 1, 9)));
        int power = (int)random_below(&draw, 9) - 2;
        bool fraction = random_below(&draw, 5) == 0;
        long divisor = 2 + (long)random_below(&draw, 998);
        snprintf(number, sizeof number, "%lde%d", digits, -power);
        double every = fraction ? (double)digits / (double)divisor : strtod(number, NULL);
        RunOptions options = run_options();
        options.method = (RunMethod)(seed % RUN_METHOD_COUNT);
        options.to = 30 * every;
        options.every = every;
        RunCase kase = case_start(FREE, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        for (size_t i = 0; i + 1 < case_row_count(&kase); i++) {
            snprintf(number, sizeof number, "%lde%d", (long)i * digits, -power);
            double t =
                fraction ? (double)((long)i * digits) / (double)divisor : strtod(number, NULL);
            if (case_value(&kase, i, "t") != t)
                fail_msg("seed %zu: row %zu at %.17g, not %.17g", (size_t)seed, i,
                         case_value(&kase, i, "t"), t);
        }
        case_free(&kase);
    }
}

static void test_settings(void **state)
{
    (void)state;
    RunCase kase = case_start(FREE, run_options());
    RunOptions settings = run_settings(kase.run);
    assert_near(settings.to, 10, 0);
    assert_near(settings.every, 0.05, 1e-17);
    assert_near(settings.tolerance, 1e-10, 0);
    case_free(&kase);

    kase = case_start("param T = 4\n" FREE "run to T/2 tolerance 1e-6\n", run_options());
    settings = run_settings(kase.run);
    assert_near(settings.to, 2, 0);
    assert_near(settings.every, 0.01, 1e-17);
    assert_near(settings.tolerance, 1e-6, 0);
    case_free(&kase);

    RunOptions options = run_options();
    options.to = 3;
    kase = case_start(FREE "run to 4 every 0.5\n", options);
    settings = run_settings(kase.run);
    assert_near(settings.to, 3, 0);
    assert_near(settings.every, 0.5, 0);
    case_free(&kase);
}

static void check_wrong(double to, double every, double tolerance, const char *message)
{
    RunOptions options = {.to = to, .every = every, .tolerance = tolerance};
    RunCase kase = case_start(FREE, options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, message));
    case_free(&kase);
}

static void test_wrong_options(void **state)
{
    (void)state;
    check_wrong(-1, NAN, NAN, "the end time must be positive and finite, not -1");
    check_wrong(0, NAN, NAN, "the end time must be positive");
    check_wrong(INFINITY, NAN, NAN, "the end time must be positive and finite, not inf");
    check_wrong(1, 0, NAN, "the time between rows must be positive");
    check_wrong(1, -3, NAN, "the time between rows must be positive and finite, not -3");
    check_wrong(1, 1e-15, NAN, "rows");
    check_wrong(1, NAN, 0, "the tolerance must lie between 1e-15 and 0.1, not 0");
    check_wrong(1, NAN, 0.5, "the tolerance must lie between");
    check_wrong(1, NAN, -1, "the tolerance must lie between");
    RunCase kase = case_start(FREE "run to -2\n", run_options());
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "the end time must be positive and finite, not -2"));
    case_free(&kase);
}

// ---- Ends.

static bool stop_at_third(void *context, const double *row)
{
    (void)row;
    return ++*(int *)context < 3;
}

static void test_listener_stops(void **state)
{
    (void)state;
    RunCase kase = case_start(FREE, run_options());
    int rows = 0;
    RunSummary summary;
    RunListener listener = {.row = stop_at_third, .context = &rows};
    assert_int_equal(run_go(kase.run, &listener, kase.diag, &summary), STATUS_NEGATIVE);
    assert_int_equal(summary.end, RUN_ASKED);
    assert_int_equal(summary.rows, 3);
    assert_int_equal(diag_count(kase.diag, DIAG_ERROR), 0);
    // And again, whole, from the start.
    assert_int_equal(run_go(kase.run, NULL, kase.diag, &summary), STATUS_OK);
    assert_int_equal(summary.end, RUN_WHOLE);
    assert_int_equal(summary.rows, 201);
    case_free(&kase);
}

static void test_same_bytes(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x*y - cos(x)\n"
                            "constraint rod: x^2 + y^2 = 2\ninitial x = 1\n"
                            "initial approx y = 1\ninitial x' = 1\n");
    size_t count = kase.rows.count;
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_int_equal(kase.rows.count, 2 * count);
    assert_memory_equal(kase.rows.at, kase.rows.at + count, count * sizeof(double));
    case_free(&kase);
}

static void test_collision(void **state)
{
    (void)state;
    // A fall into the centre from rest at 1: it takes π/(2√2).
    RunCase kase = case_run("coord x\nkinetic x'^2/2\npotential -1/x\ninitial x = 1\nrun to 3\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_int_equal(kase.summary.end, RUN_STRANDED);
    assert_near(kase.summary.reached, 1.1107207345395915, 1e-9);
    assert_int_equal(case_row_count(&kase), 75);
    assert_true(case_says(&kase, DIAG_ERROR, "cannot be followed beyond t = 1.11072073"));
    assert_true(case_says(&kase, DIAG_ERROR, "75 rows up to there are given"));
    case_free(&kase);
}

static void test_domain_is_left(void **state)
{
    (void)state;
    // √(1 − x) ends where x' is still 1.
    RunCase kase = case_run("coord x\nkinetic x'^2/2\nforce 1e-3*sqrt(1 - x) along x\n"
                            "initial x' = 1\nrun to 3\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_near(kase.summary.reached, 1, 1e-3);
    assert_true(case_says(&kase, DIAG_ERROR, "no finite values beyond it"));
    case_free(&kase);
}

static void test_inertia_becomes_singular(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nkinetic x'^2/2 + max(1 - x, 0)*y'^2/2\n"
                            "initial x' = 1\nrun to 3 every 0.3\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_near(kase.summary.reached, 1, 1e-9);
    assert_int_equal(case_row_count(&kase), 4);
    assert_true(case_says(&kase, DIAG_ERROR,
                          "beyond t = 1: the inertia becomes singular there: nothing determines "
                          "how y' changes. 4 rows up to there are given"));
    case_free(&kase);
}

static void test_constraint_ends(void **state)
{
    (void)state;
    // The sphere has shrunk to nothing at t = ½.
    RunCase kase = case_run("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                            "constraint shrinks: x^2 + y^2 = 1 - 4*t^2\n"
                            "initial x = 1, y' = 0.1\nrun to 2 every 0.1\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_int_equal(kase.summary.end, RUN_STRANDED);
    assert_near(kase.summary.reached, 0.5, 1e-3);
    assert_true(case_says(&kase, DIAG_ERROR, "the motion cannot be followed beyond t = 0."));
    case_free(&kase);
}

// ---- Rows at which something is singular: the limit of both sides, or it is told.

enum { SEEDS = 40 };

// A point passes the place p, exactly at a row; what is singular there, and what it is worth.
static void add_singular(Text *text, uint64_t kind, double p, double k, double *expected)
{
    text_add(text, "output s = ");
    switch (kind) {
    case 0: text_addf(text, "sin(%.17g*(x - %.17g))/(x - %.17g)", k, p, p); break;
    case 1: text_addf(text, "(exp(%.17g*(x - %.17g)) - 1)/(x - %.17g)", k, p, p); break;
    case 2: text_addf(text, "tan(%.17g*(x - %.17g))/(x - %.17g)", k, p, p); break;
    case 3: text_addf(text, "%.17g/((x - %.17g)*(x - %.17g))", k, p, p); break;
    default: text_addf(text, "%.17g*(x - %.17g)/sqrt((x - %.17g)^2)", k, p, p); break;
    }
    *expected = kind < 3 ? k : NAN;
}

static void test_singular_outputs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        // Dyadic, so that the row lies on p.
        double p = ldexp(floor(uniform(&random, 1, 64)), -5), k = uniform(&random, 0.5, 2), value;
        Text text = {0};
        text_addf(&text, "coord x\nkinetic x'^2/2\ninitial x' = 1\nrun to %.17g every %.17g\n",
                  2 * p, p / 2);
        add_singular(&text, seed % 5, p, k, &value);
        text_add(&text, "\n");
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        double found = case_value(&kase, 2, "s");
        assert_true(case_value(&kase, 2, "t") == p);
        if (isnan(value) ? !isnan(found) && !isinf(found) : !(fabs(found - value) < 1e-9))
            fail_msg("seed %d: %.17g for %.17g\n%s", (int)seed, found, value, text.at);
        assert_true(case_says(&kase, DIAG_WARNING, "s is not defined at t = ") == isnan(value));
        text_clear(&text);
        case_free(&kase);
    }
}

// The same at a row that misses the place by roundings, or by little: what cancels above the small
// divisor has its digits by every method.
static void test_nearly_singular_outputs(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF, RUN_TIMESTEPPING};
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        RunOptions options = run_options();
        options.method = methods[seed % 5];
        double p = uniform(&random, 0.3, 2), k = uniform(&random, 0.5, 2);
        double off = pow(10, -uniform(&random, 4, 17));
        Text text = {0};
        text_addf(&text, "coord x\nkinetic x'^2/2\ninitial x = %.17g, x' = 1\nrun to 2 every 0.5\n",
                  p - 1 + off);
        text_addf(&text, "let d = %.17g*(x - %.17g)\noutput place = d\n", k, p);
        text_add(&text, "output c = (1 - cos(d))/d^2\noutput e = (exp(d) - 1)/d\n"
                        "output l = log(1 + d)/d\noutput s = (d - sin(d))/d^3\n");
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        double d = case_value(&kase, 2, "place");
        const char *const names[] = {"c", "e", "l", "s"};
        double expected[] = {1. / 2 - d * d / 24, 1 + d / 2 + d * d / 6, 1 - d / 2 + d * d / 3,
                             1. / 6 - d * d / 120};
        for (size_t i = 0; i < 4; i++)
            if (!(fabs(case_value(&kase, 2, names[i]) - expected[i]) < 1e-10))
                fail_msg("seed %d, method %d: %s = %.17g for %.17g\n%s", (int)seed,
                         (int)options.method, names[i], case_value(&kase, 2, names[i]), expected[i],
                         text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// A straight way through the pole of polar coordinates, where φ has no inertia.
static void test_pole(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        double v = uniform(&random, 0.5, 2), T = ldexp(floor(uniform(&random, 1, 64)), -5);
        double phi = uniform(&random, -3, 3);
        Text text = {0};
        text_addf(&text,
                  "coord r, phi\nkinetic (r'^2 + r^2*phi'^2)/2\noutput x = r*cos(phi)\n"
                  "initial r = %.17g, r' = %.17g, phi = %.17g\nrun to %.17g every %.17g\n",
                  v * T, -v, phi, 2 * T, T / 4);
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        for (size_t row = 0; row < case_row_count(&kase); row++) {
            double x = v * (T - case_value(&kase, row, "t")) * cos(phi);
            if (!(fabs(case_value(&kase, row, "x") - x) < 1e-10))
                fail_msg("seed %d, row %d: %.17g\n%s", (int)seed, (int)row,
                         case_value(&kase, row, "x"), text.at);
        }
        text_clear(&text);
        case_free(&kase);
    }
}

// An oscillator passes a place where a declared speed tells nothing of its velocity, or is
// infinite: by every method the motion goes on, also where no energy is known to be constant.
static void test_speeds_without_inverse(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const speeds[] = {"(x - %.17g)*x'", "sin(x - %.17g)*x'", "x'/(x - %.17g)",
                                         "(x - %.17g)^3*x'"};
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        double w = uniform(&random, 0.5, 2), a = uniform(&random, 0.5, 1.3);
        double p = a * uniform(&random, -0.6, 0.6), c = uniform(&random, -1, 1);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_add(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\nspeed u = ");
        text_addf(&text, speeds[seed / 4 % 4], p);
        text_addf(&text,
                  "\nspeed v = y' + %.17g*x'\nforce -%.17g*x along x\n"
                  "initial x = %.17g, x' = 0, y' = 1\nrun to 4 every %.17g\n",
                  c, w * w, a, acos(p / a) / w);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        for (size_t row = 0; row < case_row_count(&kase); row++) {
            double t = case_value(&kase, row, "t"), v = case_value(&kase, row, "x'");
            double off = fabs(case_value(&kase, row, "x") - a * cos(w * t)) +
                         fabs(v + a * w * sin(w * t)) + fabs(case_value(&kase, row, "y'") - 1);
            if (!(off < 1e-6))
                fail_msg("seed %d: off by %.3g at t = %.17g\n%s", (int)seed, off, t, text.at);
        }
        text_clear(&text);
        case_free(&kase);
    }
}

// A force along a coordinate that a condition holds switches with the place or the time, or the
// condition has a kink: two rows at one time show what jumps, in every method.
static void test_rows_at_a_switch(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const models[] = {
        "force h*sign(x - a) along y\nconstraint c: y = 0\n",
        "force h*sign(t - a) along y\nconstraint c: y = 0\n",
        "constraint c: y = h*abs(x - a)\n",
    };
    static const char *const jumps[] = {"lambda.c", "lambda.c", "y'"};
    for (uint64_t seed = 0; seed < 36 * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t kind = seed % 3, pairs = 0;
        double a = (double)(100 + random_below(&random, 800)) / 1024;
        double h = (double)(1 + random_below(&random, 9)) / 10;
        RunOptions options = run_options();
        options.method = methods[seed / 3 % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nparam a = %.17g, h = %.17g\nkinetic (x'^2 + y'^2)/2\n"
                  "initial x = 0, x' = 1\nrun to 1 every 0.5\n%s",
                  a, h, models[kind]);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        for (size_t row = 1; row < case_row_count(&kase); row++) {
            double t = case_value(&kase, row, "t");
            if (case_value(&kase, row - 1, "t") != t)
                continue;
            pairs++;
            double jump =
                case_value(&kase, row, jumps[kind]) - case_value(&kase, row - 1, jumps[kind]);
            if (fabs(t - a) > 1e-9 || fabs(jump - (kind == 2 ? 2 * h : -2 * h)) > 1e-8)
                fail_msg("seed %d: %s jumps by %g at t = %.12g\n%s", (int)seed, jumps[kind], jump,
                         t, text.at);
        }
        assert_int_equal(pairs, 1);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_order),
        cmocka_unit_test(test_outputs_hold_accelerations_and_multipliers),
        cmocka_unit_test(test_row_times),
        cmocka_unit_test(test_row_times_are_decimals),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_listener_stops),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_collision),
        cmocka_unit_test(test_domain_is_left),
        cmocka_unit_test(test_inertia_becomes_singular),
        cmocka_unit_test(test_constraint_ends),
        cmocka_unit_test(test_singular_outputs),
        cmocka_unit_test(test_nearly_singular_outputs),
        cmocka_unit_test(test_pole),
        cmocka_unit_test(test_speeds_without_inverse),
        cmocka_unit_test(test_rows_at_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

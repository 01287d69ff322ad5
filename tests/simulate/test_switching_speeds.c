// Declared speeds that switch, jump or are narrow, while the velocities go on: places, times, kinds
// and methods are drawn at random, x' falls like e^(-c·t) by drag. Beside a condition, too.
#include "event_case.h"
#include "uniform.h"

static const char *const factors[] = {"(2 + sign(x - a))",
                                      "(1 + abs(x - a))",
                                      "(2 + sign(t - a))",
                                      "(3 + sign(x - a)*sign(y))",
                                      "(1 + exp(-((t - a)/w)^2))",
                                      "(1.5 + tanh((x - a)/w))",
                                      "(2 + max(sign(x - a), sign(t - a)))",
                                      "(1 + 3*exp(-((x - a)/w)^2))"};
enum { FACTORS = sizeof factors / sizeof *factors };

static void test_velocities_go_on(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 64 * test_size(); seed++) {
        Random random = random_seed(seed);
        const char *factor = factors[seed % FACTORS];
        bool bound = seed / 2 % 3 == 0;
        double c = uniform(&random, 0.1, 0.5), v = uniform(&random, 0.8, 2);
        Text text = {0};
        text_addf(&text,
                  "param c = %.17g, w = %.17g, a = %.17g\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                  "force -c*x' along x\nforce -c*y' along y\n%s"
                  "speed p = x'*%s\n%sinitial y = 0.7, x' = %.17g%s\nrun to 3 every 0.5\n",
                  c, pow(10, uniform(&random, -5, -1)), uniform(&random, 0.4, 1.2),
                  bound ? "constraint roll: y' = x'/2\n" : "", factor,
                  bound ? "" : "speed r = y' + p/3\n", v, bound ? "" : ", y' = 0.3");
        RunOptions options = run_options();
        options.method = methods[seed / FACTORS % 4];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double x = v / c * (1 - exp(-3 * c));
        double found = kase.status == STATUS_OK ? case_last(&kase, "x") : NAN;
        if (!(fabs(found - x) < 1e-6))
            fail_msg("seed %d, method %d, status %d: x = %.12g for %.12g\n%s", (int)seed,
                     (int)options.method, (int)kase.status, found, x, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// Speeds that are infinite at times that are known, in a harmonic motion: others are taken there.
static void test_poles_in_time(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const speeds[] = {"x'/(t - a)", "x'/sin(w*(t - a))", "(x' + y')/(t - a)^2",
                                         "x'*cos(t)/cos(w*t)", "x'/(t^2 - a^2) + y'/(t - a/2)"};
    for (uint64_t seed = 0; seed < 20 * test_size(); seed++) {
        Random random = random_seed(seed);
        Text text = {0};
        text_addf(&text,
                  "param a = %.17g, w = %.17g\ncoord x, y\nmass 1 at [x, y, 0]\n"
                  "potential x^2/2 + y^2\nspeed u = %s\ninitial x = 1, y' = 0.3\n"
                  "run to 3 every 0.5\n",
                  uniform(&random, 0.4, 2.8), uniform(&random, 1, 3), speeds[seed / 4 % 5]);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double x = kase.status == STATUS_OK ? case_last(&kase, "x") : NAN;
        double y = kase.status == STATUS_OK ? case_last(&kase, "y") : NAN, root = sqrt(2);
        if (!(fabs(x - cos(3)) < 1e-7 && fabs(y - 0.3 * sin(3 * root) / root) < 1e-7))
            fail_msg("seed %d, status %d: %.12g, %.12g\n%s", (int)seed, (int)kase.status, x, y,
                     text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// A table that jumps.
static void test_tables(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t i = 0; i < 4; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        RunCase kase = case_start("function f(s) = table(\"u.csv\", previous)\n"
                                  "coord x\nkinetic x'^2/2\nforce -x'/5 along x\n"
                                  "speed p = x'*f(x)\ninitial x' = 1\nrun to 2 every 0.5\n"
                                  "\n#= table \"u.csv\"\n#|s,u\n#|0,1\n#|0.5,3\n#|1,2\n#|3,2\n",
                                  options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "x"), 5 * (1 - exp(-0.4)), 1e-8);
        case_free(&kase);
    }
}

// A declared speed becomes singular behind a switch of the forces: others are taken in time.
static void test_singular_behind_a_switch(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_ERK, RUN_TAYLOR, RUN_ADAMS, RUN_BDF};
    static const char *const speeds[] = {"(a - x)", "(a - x)*(1 + x^2)", "sin(a - x)",
                                         "(a - x)*(3 - x)"};
    for (uint64_t seed = 0; seed < 16 * test_size(); seed++) {
        Random random = random_seed(seed);
        Text text = {0};
        text_addf(&text,
                  "param a = %.17g\ncoord x\nkinetic x'^2/2\nforce -x'/5 along x\n"
                  "force 1e-13*abs(x - a + %.17g) along x\nspeed p = x'*%s\n"
                  "initial x' = 1\nrun to 2 every 0.5\n",
                  uniform(&random, 0.3, 1.4), uniform(&random, 0.05, 0.3), speeds[seed % 4]);
        RunOptions options = run_options();
        options.method = methods[seed / 4 % 4];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        double x = 5 * (1 - exp(-0.4));
        if (!(fabs(case_last(&kase, "x") - x) < 2e-8))
            fail_msg("seed %d: x = %.12g for %.12g\n%s", (int)seed, case_last(&kase, "x"), x,
                     text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocities_go_on),
        cmocka_unit_test(test_poles_in_time),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_singular_behind_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

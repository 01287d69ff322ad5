// What conditions on velocities and the rates of states ask for switches at a place: drawn at
// random, by every method, against closed forms. A point moves evenly between the switches.
#include "event_case.h"
#include "uniform.h"

static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};

static RunCase run_by(const char *text, RunMethod method)
{
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    return kase;
}

// Rates of a state that a place of x = v·t switches, T = 4, and what is gathered: c is the place, w
// the half of a width. Before the first switch most rates are 0, and so is the state.
static const char *const rates[] = {"sign(x - c)",
                                    "1 + sign(x - c)",
                                    "x'*sign(x - c)",
                                    "x'^2*(1 - sign(x - c))",
                                    "max(0, x - c)",
                                    "(sign(1 - abs((x - c)/w)) + 1)/2",
                                    "max(0, 1 - abs((x - c)/w))",
                                    "abs(x - c)*x'",
                                    "1 + sign(y - c)",
                                    "sqrt(1 + x'^2)*(1 + sign(x - c))"};
enum { RATES = sizeof rates / sizeof *rates };

static double gathered(size_t which, double v, double c, double w)
{
    double rest = 4 - c / v;
    const double all[RATES] = {rest - c / v,
                               2 * rest,
                               v * (rest - c / v),
                               2 * v * c,
                               v * rest * rest / 2,
                               2 * w / v,
                               w / v,
                               (c * c + v * v * rest * rest) / 2,
                               2 * rest,
                               2 * rest * sqrt(1 + v * v)};
    return all[which];
}

static void test_states(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4 * RATES * test_size(); seed++) {
        Random random = random_seed(seed);
        double v = uniform(&random, 0.5, 2), c = v * uniform(&random, 0.5, 3.5);
        double w = v * pow(10, uniform(&random, -5, -1)), size = pow(10, uniform(&random, -2, 2));
        Text text = {0};
        text_addf(&text,
                  "param c = %.17g, w = %.17g\ncoord x, y\nmass 1 at [x, y, 0]\n"
                  "state s' = %.17g*(%s)\nstate r' = s - r\n%sinitial x' = %.17g, y' = %.17g\n"
                  "run to 4 every 1\n",
                  c, w, size, rates[seed % RATES],
                  seed % 3 ? "" : "potential sign(y - x - 1)\nforce s/1e9 along y\n", v, v);
        RunCase kase = run_by(text.at, methods[seed / RATES % 4]);
        double truth = size * gathered(seed % RATES, v, c, w);
        double s = kase.status == STATUS_OK ? case_last(&kase, "s") : NAN;
        if (!(fabs(s - truth) < 1e-7 * (size + fabs(truth))))
            fail_msg("seed %d, status %d: %.12g for %.12g\n%s", (int)seed, (int)kase.status, s,
                     truth, text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

// A potential steps down where a state gathers x'^2: what is not linear there is no condition.
static void test_states_beside_jumps(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        RunCase kase = run_by("coord x\nmass 2 at [x, 0, 0]\nstate s' = x'^2\n"
                              "potential -3*sign(x - 1)\ninitial x' = 1\nrun to 2 every 0.5\n",
                              methods[i]);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "s"), 8, 1e-9); // 1 + (1 + 2·6/2)
        case_free(&kase);
    }
}

// With T = (m x'^2 + 2 b x' y' + k y'^2)/2 and h·x' + y' = d·sign(x − c) the momenta change along
// (h, 1) alone. Where x' turned its sign no motion crosses: that is told. So it is where a method
// without series, which keeps y' within a step, comes back from each short step across.
static void test_conditions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60 * test_size(); seed++) {
        Random random = random_seed(seed);
        double m = uniform(&random, 1, 3), k = uniform(&random, 1, 3),
               b = uniform(&random, -0.9, 0.9);
        double h = uniform(&random, -1, 1), d = uniform(&random, -1, 1);
        double v = uniform(&random, 0.5, 2), c = v * uniform(&random, 0.5, 2.5);
        double det = m * k - b * b, along_x = (k * h - b) / det, along_y = (m - b * h) / det;
        double behind = v + along_x * 2 * d / (h * along_x + along_y);
        double x = c + behind * (3 - c / v);
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic %.17g*x'^2/2 + %.17g*x'*y' + %.17g*y'^2/2\n"
                  "constraint go: %.17g*x' + y' = %.17g*sign(x - %.17g)\ninitial x' = %.17g\n"
                  "run to 3 every 0.5\n",
                  m, b, k, h, d, c, v);
        RunMethod method = methods[seed % 4];
        RunCase kase = run_by(text.at, method);
        if (behind < 0) {
            case_expect(&kase, STATUS_NEGATIVE);
            assert_true(case_says(&kase, DIAG_ERROR, "those that it asks for beyond lead back"));
        } else if (kase.status == STATUS_NEGATIVE && method != RUN_TAYLOR) {
            assert_true(case_says(&kase, DIAG_ERROR, "the motion cannot be followed beyond t"));
        } else if (kase.status != STATUS_OK || !(fabs(case_last(&kase, "x") - x) < 1e-7)) {
            fail_msg("seed %d, status %d: not %.12g\n%s", (int)seed, (int)kase.status, x, text.at);
        }
        case_free(&kase);
        text_clear(&text);
    }
}

// Where all that a step changes is 0 up to a switch, its error has nothing to be measured by.
static void test_from_rest(void **state)
{
    (void)state;
    static const char *const pushes[] = {"coord y\nmass 1 at [0, y, 0]\nforce %.17g*(1 + sign(x - "
                                         "%.17g)) along y\n",
                                         "coord y\nmass 1 at [0, y, 0]\nconstraint y' = %.17g*(1 + "
                                         "sign(x - %.17g))\n",
                                         "state y' = %.17g*(1 + sign(x - %.17g))\n"};
    for (uint64_t seed = 0; seed < 45 * test_size(); seed++) {
        Random random = random_seed(seed);
        double v = uniform(&random, 0.5, 2), at = uniform(&random, 6, 9.9);
        double size = pow(10, uniform(&random, -1, 5)), rest = 10 - at;
        Text text = {0}, push = {0};
        text_add(&text, "coord x\nmass 1 at [x, 0, 0]\n");
        if (seed % 3 == 0)
            text_addf(&push, pushes[0], size, v * at);
        else
            text_addf(&push, seed % 3 == 1 ? pushes[1] : pushes[2], size, v * at);
        text_addf(&text, "%sinitial x' = %.17g\nrun to 10 every 2.5\n", push.at, v);
        RunCase kase = run_by(text.at, seed % 5 == 4 ? methods[seed % 4] : RUN_ERK);
        double truth = seed % 3 == 0 ? size * rest * rest : 2 * size * rest;
        double y = kase.status == STATUS_OK ? case_last(&kase, "y") : NAN;
        if (!(fabs(y - truth) < 1e-7 * size))
            fail_msg("seed %d, status %d: %.12g for %.12g\n%s", (int)seed, (int)kase.status, y,
                     truth, text.at);
        case_free(&kase);
        text_clear(&push);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states), cmocka_unit_test(test_states_beside_jumps),
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_from_rest)};
    return cmocka_run_group_tests_name("simulate/switches_of_rates", tests, NULL, NULL);
}

// Multistep methods take the rates inside a step for smooth: where a force switches there, against
// the closed form.
#include "run_case.h"
#include "uniform.h"

static const RunMethod methods[] = {RUN_ADAMS, RUN_BDF};

static RunCase run_by(const char *text, uint64_t seed)
{
    RunOptions options = run_options();
    options.method = methods[seed % 2];
    options.tolerance = 1e-9;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

// x″ = −w²·(x + b·sign x) from rest at x = X: by arcs of cosines, four to a turn.
static double kinked_place(double w, double b, double X, double t)
{
    double quarter = acos(b / (X + b)) / w, whole = 4 * quarter, sign = 1;
    t -= floor(t / whole) * whole;
    if (t > whole / 2)
        t = whole - t;
    if (t > quarter) {
        t = whole / 2 - t;
        sign = -1;
    }
    return sign * ((X + b) * cos(w * t) - b);
}

static void test_kinks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double w = pow(10, uniform(&random, -2, 2)), b = pow(10, uniform(&random, -3, -0.5));
        double X = uniform(&random, 0.5, 2), turns = uniform(&random, 20, 40);
        double time = turns * 4 * acos(b / (X + b)) / w;
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\npotential %.17g*(x^2/2 + %.17g*abs(x))\n"
                  "initial x = %.17g\nrun to %.17g every %.17g\n",
                  w * w, b, X, time, time / 7);
        RunCase kase = run_by(text.at, seed);
        double miss = case_last(&kase, "x") - kinked_place(w, b, X, time);
        if (!(fabs(miss) <= 5e-7))
            fail_msg("seed %zu: off by %g\n%s", (size_t)seed, miss, text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

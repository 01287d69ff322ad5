// Multistep methods take the rates inside a step for smooth, and add up the time: where a force
// switches there, and where it changes within few roundings of the time, against closed forms.
// Beside smooth forces of the time, which never stop them, against own steps.
#include "run_case.h"
#include "switched_motion.h"
#include "uniform.h"

static const RunMethod methods[] = {RUN_ADAMS, RUN_BDF};

static RunCase run_by(const char *text, uint64_t seed, double tolerance)
{
    RunOptions options = run_options();
    options.method = methods[seed % 2];
    options.tolerance = tolerance;
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
        RunCase kase = run_by(text.at, seed, 1e-9);
        double miss = case_last(&kase, "x") - kinked_place(w, b, X, time);
        if (!(fabs(miss) <= 5e-7))
            fail_msg("seed %zu: off by %g\n%s", (size_t)seed, miss, text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

// x and y on a·sqrt(1 + y²) − b·x² + 0.2·sin t = c, driven along x: in x alone.
typedef struct {
    double a, b, c, size, w;
} Driven;

static void driven_rates(const SwitchedMotion *motion, double t, const double *s, double *rate)
{
    const Driven *own = motion->model;
    double root = (own->c + own->b * s[0] * s[0] - 0.2 * sin(t)) / own->a,
           y = sqrt(root * root - 1), A = own->a * y / root, bent = own->a / pow(root, 3),
           lean = 2 * own->b * s[0], rises = (lean * s[1] - 0.2 * cos(t)) / A,
           rest = 2 * own->b * s[1] * s[1] + 0.2 * sin(t) - bent * rises * rises;
    rate[0] = s[1];
    rate[1] = (own->size * sin(own->w * t) - lean * rest / (A * A)) / (1 + lean * lean / (A * A));
}

static void test_driven_on_conditions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double x = uniform(&random, -0.5, 0.5), y = uniform(&random, 0.3, 0.6),
               v = uniform(&random, -1, 1);
        Driven own = {.a = uniform(&random, 1, 2),
                      .b = uniform(&random, 0.1, 0.3),
                      .size = uniform(&random, 0.1, 1),
                      .w = uniform(&random, 1, 4)};
        own.c = own.a * sqrt(1 + y * y) - own.b * x * x;
        SwitchedMotion motion = {2, 0, &own, driven_rates, NULL, {0}};
        double s[2] = {x, v}, h = 3.0 / 3000, least = y;
        for (size_t i = 0; i < 3000; i++) {
            double after[SWITCHED_SIZE];
            switched_advance(&motion, (double)i * h, s, h, after);
            memcpy(s, after, sizeof s);
            double root = (own.c + own.b * s[0] * s[0] - 0.2 * sin((double)(i + 1) * h)) / own.a;
            least = fmin(least, sqrt(root * root - 1));
        }
        // x tells y no more where y comes to 0.
        if (!isfinite(s[0]) || !(least > 0.01))
            continue;
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nmass 1 at [x, y, 0]\n"
                  "constraint k: %.17g*sqrt(1 + y^2) - %.17g*x^2 + 0.2*sin(t) = %.17g\n"
                  "force %.17g*sin(%.17g*t) along x\n"
                  "initial x = %.17g, y = %.17g, x' = %.17g\nrun to 3\n",
                  own.a, own.b, own.c, own.size, own.w, x, y, v);
        RunCase kase = run_by(text.at, seed, 1e-10);
        double miss = case_last(&kase, "x") - s[0];
        if (!(fabs(miss) <= 1e-6))
            fail_msg("seed %zu: off by %g\n%s", (size_t)seed, miss, text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

// A pulse that gives a velocity of 1, long after the start.
static void test_pulses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double time = pow(10, uniform(&random, 0, 4)), at = time * uniform(&random, 0.6, 0.9);
        double width = at * pow(10, uniform(&random, -8.5, -6));
        Text text = {0};
        text_addf(&text,
                  "param c = %.17g, w = %.17g\ncoord x\nkinetic x'^2/2\n"
                  "force exp(-((t - c)/w)^2)/(w*sqrt(pi)) along x\nrun to %.17g every %.17g\n",
                  at, width, time, time / 3);
        RunCase kase = run_by(text.at, seed, 1e-9);
        double miss = case_last(&kase, "x'") - 1;
        if (!(fabs(miss) <= 3e-8))
            fail_msg("seed %zu: off by %g\n%s", (size_t)seed, miss, text.at);
        case_free(&kase);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_driven_on_conditions),
        cmocka_unit_test(test_pulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Roots, logarithms and inverse sines that simplifying removes: the text has no value where their
// arguments leave their domains, and a run ends there.
#include "run_case.h"
#include "uniform.h"

// Each is u where it has a value, and keeps nothing of what it is written with.
static const char *const forms[] = {
    "sqrt(U)^2",
    "(U)^(1/3)*(U)^(2/3)",
    "exp(log(U))",
    "sqrt(U)*sqrt(U)",
    "(U)^(3/2)/sqrt(U)",
    "U + 0*log(U)",
    "U + log(U) - log(U)",
    "sqrt(U)^4/(U)",
    "((U)^(1/4))^2*sqrt(U)",
    "f(U)",
    "f(U)^(1/2)*f(U)^(1/2)",
    "r^2",
    "U + 0*asin(1 - (U))*acos(1 - (U))/100",
};
enum { FORMS = sizeof forms / sizeof *forms, ARCS = FORMS - 1 };
static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF, RUN_TIMESTEPPING};

static void add_form(Text *text, const char *form, const char *u)
{
    for (const char *at = form; *at; at++)
        if (*at == 'U')
            text_add(text, u);
        else
            text_addf(text, "%c", *at);
}

// Where it may stand without a part in how x and y move, or as the force on y.
enum { STANDS_FORCE, STANDS_MASS, STANDS_POTENTIAL, STANDS_WAYS };

typedef struct {
    double a, b, c, x, v; // u = a + b·x + c·t along x + v·t
    size_t form;
    uint64_t way;
} Draw;

static RunCase run_draw(const Draw *draw, RunMethod method, double end)
{
    Text text = {0}, u = {0};
    text_addf(&u, "(%.17g + %.17g*x + %.17g*t)", draw->a, draw->b, draw->c);
    text_addf(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\nfunction f(w) = sqrt(w)^2\n");
    text_addf(&text, "let r = sqrt%s\nlet unused = sqrt(-1 - t)^2\n", u.at);
    text_add(&text, draw->way == STANDS_FORCE  ? "force "
                    : draw->way == STANDS_MASS ? "mass 1 at [0, y, "
                                               : "potential 0*y*(");
    if (draw->way == STANDS_MASS)
        text_add(&text, "7*(t + x)*0 + 0*(");
    add_form(&text, forms[draw->form], u.at);
    text_add(&text, draw->way == STANDS_FORCE  ? " along y\n"
                    : draw->way == STANDS_MASS ? ")]\n"
                                               : ")\n");
    text_addf(&text, "initial x = %.17g, x' = %.17g, y = 0, y' = 0\n", draw->x, draw->v);
    text_addf(&text, "run to %.17g every %.17g\n", end, end / 8);
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    text_clear(&u);
    text_clear(&text);
    return kase;
}

// u goes down to 0 at a known time, or stays above 0: then y″ is u, or 0.
static void test_ends(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 130 * test_size(); seed++) {
        Random random = random_seed(seed);
        Draw draw = {.form = seed % FORMS, .way = random_below(&random, STANDS_WAYS)};
        RunMethod method = methods[random_below(&random, 5)];
        bool timed = random_below(&random, 3) == 0, leaves = random_below(&random, 3) > 0;
        draw.x = uniform(&random, -1, 1);
        draw.v = uniform(&random, 0.2, 2);
        draw.b = timed ? 0 : uniform(&random, -1, 1);
        draw.c = timed || random_below(&random, 2) ? uniform(&random, -1, 1) : 0;
        double first = uniform(&random, 0.1, 1.9), rate = draw.b * draw.v + draw.c;
        if (rate > 0 && (leaves || draw.form == ARCS)) {
            draw.b = -draw.b;
            draw.c = -draw.c;
            rate = -rate;
        }
        draw.a = first - draw.b * draw.x;
        double zero = rate < 0 ? -first / rate : INFINITY;
        double end = zero < 1e3 ? zero * (leaves ? 1.7 : 0.8) : 2;
        leaves = leaves && zero < 1e3;
        RunCase kase = run_draw(&draw, method, end);
        bool fixed = method == RUN_TIMESTEPPING;
        if ((kase.status == STATUS_OK) == leaves)
            fail_msg("seed %llu: %s, 0 at %g of %g", (unsigned long long)seed, forms[draw.form],
                     zero, end);
        if (leaves) {
            assert_near(kase.summary.reached, zero, fixed ? 0.02 * end : 1e-6 * end);
            assert_true(case_says(&kase, DIAG_ERROR, "has no value"));
        } else {
            double force = draw.way == STANDS_FORCE;
            double y = force * (first / 2 + rate * end / 6) * end * end;
            assert_near(case_last(&kase, "y"), y, (fixed ? 0.02 : 1e-6) * (1 + fabs(y)));
        }
        case_free(&kase);
    }
}

// A start where the text has no value, or from which the motion leads there at once.
static void test_starts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40 * test_size(); seed++) {
        Random random = random_seed(seed);
        Draw draw = {.form = random_below(&random, FORMS),
                     .way = random_below(&random, STANDS_WAYS),
                     .x = uniform(&random, -1, 1),
                     .v = uniform(&random, 0.2, 2),
                     .b = -uniform(&random, 0.2, 1)};
        draw.a = -draw.b * draw.x - (seed % 2 ? uniform(&random, 0.01, 1) : 0);
        RunCase kase = run_draw(&draw, methods[seed % 5], 1);
        assert_int_equal(kase.status, STATUS_WRONG);
        assert_true(case_says(&kase, DIAG_ERROR, "no value at the start"));
        case_free(&kase);
    }
}

// What comes to the end of its domain and goes back has a value all the time.
static void test_touches(void **state)
{
    (void)state;
    static const char *const squares[] = {"sqrt(t^2 - 2*t + 1)^2", "sqrt(1 - sin(x))^4",
                                          "sqrt(x^2 - 2*x*t + t^2)^2", "sqrt(1 + cos(3*t))^2",
                                          "sqrt((x - 1)^2 + (t - 2)^2)^2"};
    for (size_t i = 0; i < 5 * sizeof squares / sizeof *squares; i++) {
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\nforce 0*%s along x\ninitial x = 0.1, x' = 1\n"
                  "run to 5 every 1\n",
                  squares[i / 5]);
        RunOptions options = run_options();
        options.method = methods[i % 5];
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "x"), 5.1, 1e-9);
        text_clear(&text);
        case_free(&kase);
    }
}

// An output has no value where the text has none, and the run goes on.
static void test_outputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARCS; i++) {
        Text text = {0};
        text_add(&text, "coord x\nkinetic x'^2/2\nfunction f(w) = sqrt(w)^2\nlet r = sqrt(x)\n"
                        "initial x = 1, x' = -1\noutput w = ");
        add_form(&text, forms[i], "x");
        text_add(&text, "\nrun to 2 every 0.4\n");
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        assert_int_equal(case_row_count(&kase), 6);
        for (size_t row = 0; row < 6; row++) {
            double x = case_value(&kase, row, "x"), w = case_value(&kase, row, "w");
            assert_true(x < 0 ? isnan(w) : fabs(w - x) <= 1e-12);
        }
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_touches),
        cmocka_unit_test(test_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

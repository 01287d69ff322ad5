// test_method_choice.c: which method a run takes by itself, and that its motion is that of series.
#include "run_case.h"
#include "uniform.h"

#include <flint/flint.h>

// A chain of N links in the plane, relative angles; `more` are further lines.
static Text chain(size_t n, const char *more)
{
    Text text = {0};
    text_addf(&text, "coord q[%zu]\n", n);
    for (size_t i = 1; i <= n; i++) {
        text_addf(&text,
                  i == 1 ? "frame F1 = world rotate q[1] about z\npoint P1 = [0, 0, 0]\n"
                         : "frame F%zu = F%zu rotate q[%zu] about z\npoint P%zu = P%zu + "
                           "0.7*F%zu.x\n",
                  i, i - 1, i, i, i - 1, i - 1);
        text_addf(&text, "body B%zu frame F%zu mass 1 at P%zu + 0.4*F%zu.x inertia [0, 0, 0.1]\n",
                  i, i, i, i);
        text_addf(&text, "initial q[%zu] = %g\n", i, i == 1 ? -1.4 : 0.02 * (double)i);
    }
    text_addf(&text, "gravity [0, -9.81, 0]\n%srun to 2 every 0.5\n", more);
    return text;
}

static RunCase start(const char *text, double tolerance, bool chooses, RunEngine engine)
{
    RunOptions options = run_options();
    options.tolerance = tolerance;
    options.chooses_method = chooses;
    options.engine = engine;
    RunCase kase = case_start(text, options);
    case_expect(&kase, STATUS_OK);
    return kase;
}

// Large smooth systems at loose tolerances go by Runge–Kutta; what it cannot see as well does not.
static void test_choice(void **state)
{
    (void)state;
    static const struct {
        size_t links;
        const char *more;
        double tolerance;
        RunMethod method;
    } cases[] = {
        {8, "", 1e-4, RUN_ERK},
        {8, "", 1e-9, RUN_ERK},
        {8, "", 1e-12, RUN_TAYLOR},
        {2, "", 1e-4, RUN_TAYLOR},
        {2, "", 1e-12, RUN_TAYLOR},
        {8, "force sin(t) along q[1]\n", 1e-4, RUN_TAYLOR},
        {8, "force -abs(q[1]') along q[1]\n", 1e-4, RUN_TAYLOR},
        {8, "potential exp(-100*q[1]^2)\n", 1e-4, RUN_TAYLOR},
        {8, "constraint stop: q[1] <= 3\n", 1e-4, RUN_TAYLOR},
        {8, "constraint held: q[1] + q[2] = -1.36\n", 1e-4, RUN_TAYLOR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = chain(cases[i].links, cases[i].more);
        RunCase asked = start(text.at, cases[i].tolerance, false, RUN_INTERPRET);
        RunCase free = start(text.at, cases[i].tolerance, true, RUN_INTERPRET);
        assert_int_equal(run_settings(asked.run).method, RUN_TAYLOR);
        assert_int_equal(run_settings(free.run).method, cases[i].method);
        assert_int_equal(run_settings(free.run).chooses_method, cases[i].method != RUN_TAYLOR);
        case_free(&asked);
        case_free(&free);
        text_clear(&text);
    }
}

// Where the inertia is the same everywhere series have hardly more products than the rates.
static void test_few_products(void **state)
{
    (void)state;
    static const struct {
        const char *spring, *more;
        RunMethod method;
    } cases[] = {
        {"(x[i] - x[i+1])^2", "", RUN_TAYLOR},
        {"(x[i] - x[i+1])^4", "", RUN_TAYLOR},
        {"sin(x[i])*(x[i] - x[i+1])^2", "", RUN_TAYLOR},
        {"(x[i] - x[i+1])^4", "kinetic sin(x[1])^2*x[2]'^2/8\n", RUN_ERK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_addf(&text,
                  "coord x[20]\nfor i in 1..20 { mass 1 at [x[i], 0, 0] }\ninitial x[1] = 1\n"
                  "for i in 1..19 { potential %s }\n%srun to 2 every 0.5\n",
                  cases[i].spring, cases[i].more);
        RunCase free = start(text.at, 1e-6, true, RUN_INTERPRET);
        if (run_settings(free.run).method != cases[i].method)
            fail_msg("case %zu takes method %d", i, (int)run_settings(free.run).method);
        case_free(&free);
        text_clear(&text);
    }
}

// Its rows are those of series at a far tighter tolerance, and the same bytes by every engine.
static void test_rows(void **state)
{
    (void)state;
    Text text = chain(8, "");
    RunCase truth = start(text.at, 1e-13, false, RUN_INTERPRET);
    case_go(&truth);
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    for (size_t i = 0; i < 3; i++) {
        RunCase one = start(text.at, tolerances[i], true, RUN_INTERPRET);
        RunCase two = start(text.at, tolerances[i], true, RUN_NATIVE);
        case_go(&one);
        case_go(&two);
        case_expect(&one, STATUS_OK);
        assert_int_equal(run_settings(one.run).method, RUN_ERK);
        assert_int_equal(one.rows.count, truth.rows.count);
        for (size_t j = 0; j < one.rows.count; j++) {
            assert_true(one.rows.at[j] == two.rows.at[j]);
            assert_near(one.rows.at[j], truth.rows.at[j], 1e3 * tolerances[i]);
        }
        case_free(&one);
        case_free(&two);
    }
    case_free(&truth);
    text_clear(&text);
}

// ---- Forces of coordinates alone, with poles.

// A point that flies past small masses, fixed at random places beside its way.
static Text masses(uint64_t seed, size_t count, const char *more)
{
    Random random = random_seed(seed);
    Text text = {0};
    text_addf(&text,
              "coord x, y\nmass 1 at [x, y, 0]\ninitial x = 0, y = 0, x' = 1\n"
              "run to 10 every 1\n%s",
              more);
    for (size_t i = 0; i < count; i++) {
        double place = uniform(&random, 0.5, 9.5), beside = pow(10, uniform(&random, -6, 0));
        double strength = beside * pow(10, uniform(&random, -6, -3));
        text_addf(&text, "potential -%.9e/sqrt((x - %.9f)^2 + (y - %.12f)^2)\n", strength, place,
                  random_below(&random, 2) ? beside : -beside);
    }
    return text;
}

// None is passed over by the steps that are chosen, however small it is and however near.
static void test_poles(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        double tolerance = seed % 2 ? 1e-4 : 1e-6;
        Text text = masses(seed, 40, "");
        RunCase truth = start(text.at, 1e-13, false, RUN_INTERPRET);
        RunCase one = start(text.at, tolerance, true, RUN_INTERPRET);
        RunCase two = start(text.at, tolerance, true, seed < 2 ? RUN_NATIVE : RUN_INTERPRET);
        case_go(&truth);
        case_go(&one);
        case_go(&two);
        case_expect(&one, STATUS_OK);
        assert_int_equal(run_settings(one.run).method, RUN_ERK);
        assert_int_equal(one.rows.count, truth.rows.count);
        for (size_t j = 0; j < one.rows.count; j++) {
            assert_true(one.rows.at[j] == two.rows.at[j]);
            // What is off when a mass is passed grows afterwards.
            if (!(fabs(one.rows.at[j] - truth.rows.at[j]) < 1e3 * tolerance))
                fail_msg("seed %d: %.12g, not %.12g", (int)seed, one.rows.at[j], truth.rows.at[j]);
        }
        case_free(&one);
        case_free(&two);
        case_free(&truth);
        text_clear(&text);
    }
}

// Not where velocities enter, where a power is neither a pole nor natural, for few operations, and
// for tight tolerances.
static void test_choice_of_poles(void **state)
{
    (void)state;
    static const struct {
        size_t masses;
        const char *more;
        double tolerance;
        RunMethod method;
    } cases[] = {
        {40, "", 1e-4, RUN_ERK},
        {40, "potential sin(x)*y^2\n", 1e-4, RUN_ERK},
        {40, "", 1e-10, RUN_TAYLOR},
        {4, "", 1e-4, RUN_TAYLOR},
        {40, "force [-0.1*x', 0, 0] at [x, y, 0]\n", 1e-4, RUN_TAYLOR},
        {40, "kinetic y^2*x'^2\n", 1e-4, RUN_TAYLOR},
        {40, "potential sqrt(1 + y^2)\n", 1e-4, RUN_TAYLOR},
        {40, "potential cos(t)*x\n", 1e-4, RUN_TAYLOR},
        {40, "constraint wall: y >= -5\n", 1e-4, RUN_TAYLOR},
        {40, "speed w = x' + y*y'\n", 1e-4, RUN_TAYLOR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = masses(i, cases[i].masses, cases[i].more);
        RunCase free = start(text.at, cases[i].tolerance, true, RUN_INTERPRET);
        if (run_settings(free.run).method != cases[i].method)
            fail_msg("case %zu takes method %d", i, (int)run_settings(free.run).method);
        case_free(&free);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_few_products),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_poles),
        cmocka_unit_test(test_choice_of_poles),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

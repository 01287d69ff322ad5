// test_cvode.c: multistep methods: stiff motions in few steps, agreement with the others, finite
// conditions kept, the Jacobian by three roads; what no method may pass over.
#include "files.h"
#include "run_case.h"

#include "dynamics/dynamics.h"
#include "dynamics/rate_strategy.h"
#include "dynamics/rates.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include "support.h"
#include "test_size.h"
#include "uniform.h"

#include <flint/flint.h>

static RunCase go_by(const char *text, RunMethod method, double tolerance)
{
    RunOptions options = run_options();
    options.method = method;
    options.tolerance = tolerance;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

// A pendulum whose rod is a stiff spring that is damped far more than it swings.
static const char stiff[] = "param k = 1e6, c = 2e4\n"
                            "coord r, phi\n"
                            "kinetic (r'^2 + r^2*phi'^2)/2\n"
                            "potential k*(r - 1)^2/2 - 9.81*r*cos(phi)\n"
                            "dissipation c*r'^2/2\n"
                            "initial r = 1, phi = 1\n"
                            "run to 2 every 0.5\n";

static void test_stiff(void **state)
{
    (void)state;
    RunCase bdf = go_by(stiff, RUN_BDF, 1e-8), erk = go_by(stiff, RUN_ERK, 1e-8);
    RunCase adams = go_by(stiff, RUN_ADAMS, 1e-6);
    assert_true(bdf.summary.steps < 1000);
    assert_true(5 * bdf.summary.steps < erk.summary.steps);
    static const char *names[] = {"r", "phi", "phi'"};
    for (size_t i = 0; i < 3; i++) {
        assert_near(case_last(&bdf, names[i]), case_last(&erk, names[i]), 2e-6);
        assert_near(case_last(&adams, names[i]), case_last(&erk, names[i]), 1e-3);
    }
    assert_true(case_says(&erk, DIAG_WARNING, "the method 'bdf'"));
    assert_true(case_says(&adams, DIAG_WARNING, "the method 'bdf'"));
    assert_int_equal(diag_count(bdf.diag, DIAG_WARNING), 0);
    case_free(&bdf);
    case_free(&erk);
    case_free(&adams);
}

// A pendulum in Cartesian coordinates, its length a finite condition.
static const char rod[] = "coord x, y\n"
                          "mass 1 at [x, y, 0]\n"
                          "gravity [0, -9.81, 0]\n"
                          "constraint rod: x^2 + y^2 = 1\n"
                          "initial x = 0.6, y = -0.8\n"
                          "run to 10 every 0.5\n";

static void test_finite_conditions(void **state)
{
    (void)state;
    RunCase taylor = go_by(rod, RUN_TAYLOR, 1e-12);
    static const RunMethod methods[] = {RUN_BDF, RUN_ADAMS};
    for (size_t i = 0; i < 2; i++) {
        RunCase kase = go_by(rod, methods[i], 1e-9);
        assert_true(kase.summary.largest_residual < 1e-12);
        assert_near(case_last(&kase, "x"), case_last(&taylor, "x"), 1e-5);
        assert_near(case_last(&kase, "y'"), case_last(&taylor, "y'"), 1e-5);
        // Nothing decays here: BDF is not the method for it, and says so.
        if (methods[i] == RUN_BDF)
            assert_true(case_says(&kase, DIAG_NOTE, "the method 'taylor'"));
        case_free(&kase);
    }
    case_free(&taylor);
}

// The error follows the tolerance.
static void test_tolerance(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_BDF, RUN_ADAMS};
    RunCase taylor = go_by(rod, RUN_TAYLOR, 1e-13);
    for (size_t i = 0; i < 2; i++) {
        for (double tolerance = 1e-5; tolerance > 1e-12; tolerance *= 1e-2) {
            RunCase kase = go_by(rod, methods[i], tolerance);
            double error = fabs(case_last(&kase, "x") - case_last(&taylor, "x"));
            assert_true(error < 100 * tolerance);
            case_free(&kase);
        }
    }
    case_free(&taylor);
}

// Ten revolutions on Kepler's ellipses, whose closed form is x = cos E - e, E - e sin E = t: the
// errors of thousands of steps do not add up to a thousand tolerances.
static void test_long_motions(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_BDF, RUN_ADAMS};
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double e = uniform(&random, 0, 0.6), to = uniform(&random, 60, 66), E = to;
        double tolerance = pow(10, -uniform(&random, 6, 11));
        for (int i = 0; i < 50; i++)
            E -= (E - e * sin(E) - to) / (1 - e * cos(E));
        char text[400];
        snprintf(text, sizeof text,
                 "coord x, y\nmass 1 at [x, y, 0]\npotential -1/sqrt(x^2 + y^2)\n"
                 "initial x = %.17g, y' = %.17g\nrun to %.17g every 1\n",
                 1 - e, sqrt((1 + e) / (1 - e)), to);
        RunCase kase = go_by(text, methods[seed % 2], tolerance);
        double x = cos(E) - e, y = sqrt(1 - e * e) * sin(E);
        double error = hypot(case_last(&kase, "x") - x, case_last(&kase, "y") - y);
        if (!(error < 1000 * tolerance))
            fail_msg("seed %d: %g tolerances off", (int)seed, error / tolerance);
        case_free(&kase);
    }
}

// A linkage, whose slow angles may be off by less than projections round them: what BDF knows of
// the steps before becomes rounding, and it has to begin anew.
static void test_slow_angles(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-6, 1e-9, 1.2e-11, 1e-11, 8e-12, 1e-12};
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", "squeezer", ".zw");
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        RunCase kase = go_by(text.at, RUN_BDF, tolerances[i]);
        assert_near(case_last(&kase, "t"), 0.03, 0);
        case_free(&kase);
    }
    text_clear(&text);
}

// A rate that ends: the run says where, whatever the method.
static void test_stranding(void **state)
{
    (void)state;
    static const char text[] = "coord x\nmass 1 at [x, 0, 0]\nforce -1/sqrt(x) along x\n"
                               "initial x = 1\nrun to 5 every 1\n";
    static const RunMethod methods[] = {RUN_BDF, RUN_ADAMS};
    for (size_t i = 0; i < 2; i++) {
        RunOptions options = run_options();
        options.method = methods[i];
        RunCase kase = case_start(text, options);
        case_go(&kase);
        case_expect(&kase, STATUS_NEGATIVE);
        assert_true(case_says(&kase, DIAG_ERROR, "cannot be followed beyond t = 1."));
        case_free(&kase);
    }
}

// ---- The Jacobian: by series through linear solves, by series through the one program of the
// rates, and by differences.

static void by_differences(Simulation *run, double t, const double *y, double *columns)
{
    const Equations *eq = run->base->eq;
    State *state = run->base->state;
    size_t n = eq->n, count = n + eq->k;
    double *at = base_alloc(3 * count * sizeof *at), *up = at + count, *down = up + count;
    for (size_t j = 0; j < count; j++) {
        double step = 1e-5 * (1 + fabs(y[j]));
        memcpy(at, y, count * sizeof *at);
        at[j] = y[j] + step;
        assert_int_equal(dynamics_velocities(eq, state, t, at, at + n), DYNAMICS_FOUND);
        assert_int_equal(dynamics_accelerations(eq, state, up + n), DYNAMICS_FOUND);
        memcpy(up, state->v, n * sizeof *up);
        at[j] = y[j] - step;
        assert_int_equal(dynamics_velocities(eq, state, t, at, at + n), DYNAMICS_FOUND);
        assert_int_equal(dynamics_accelerations(eq, state, down + n), DYNAMICS_FOUND);
        memcpy(down, state->v, n * sizeof *down);
        for (size_t i = 0; i < count; i++)
            columns[j * count + i] = (up[i] - down[i]) / (2 * step);
    }
    base_free(at);
}

static void by_rates(Simulation *run, double t, const double *y, double *columns)
{
    size_t count = run->base->eq->n + run->base->eq->k;
    Rates rates;
    double *ty = base_alloc(2 * (1 + count) * sizeof *ty), *rate = ty + 1 + count;
    dynamics_velocities(run->base->eq, run->base->state, t, y, y + run->base->eq->n);
    assert_true(rates_init(&rates, run->base->eq, run->base->state, run->motion));
    rates_open_series(&rates, 1, 0);
    ty[0] = t;
    memcpy(ty + 1, y, count * sizeof *ty);
    assert_true(rates_next(&rates, 0, ty, rate));
    for (size_t j = 0; j < count; j++) {
        memset(ty, 0, (1 + count) * sizeof *ty);
        ty[1 + j] = 1;
        assert_true(rates_next(&rates, 1, ty, columns + j * count));
    }
    rates_clear(&rates);
    base_free(ty);
}

static void compare_jacobians(const char *name)
{
    Loaded loaded = load_model(name);
    RunOptions options = run_options();
    Simulation *run;
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &run), STATUS_OK);
    size_t n = run->base->eq->n, count = n + run->base->eq->k;
    double *y = base_alloc((count + 3 * count * count) * sizeof *y);
    double *exact = y + count, *rates = exact + count * count, *near = rates + count * count;
    Random random = random_seed(11);
    for (size_t i = 0; i < count; i++) {
        double start = i < n ? run->start.q[i] : run->start.u[i - n];
        y[i] = start + 0.2 * ldexp((double)(random_next(&random) >> 11), -53);
    }
    RateOptions by_solves = {.order = 1, .compilation = run->base->compilation};
    RateStrategy *strategy = strategy_new(run->base->eq, run->base->state, run->motion, by_solves);
    assert_true(strategy_jacobian(strategy, 0.1, y, exact));
    strategy_free(strategy);
    by_rates(run, 0.1, y, rates);
    by_differences(run, 0.1, y, near);
    double most = 1;
    for (size_t i = 0; i < count * count; i++)
        most = fmax(most, fabs(exact[i]));
    for (size_t i = 0; i < count * count; i++) {
        if (!(fabs(exact[i] - rates[i]) < 1e-10 * most && fabs(exact[i] - near[i]) < 1e-6 * most))
            print_message("%s: entry %zu: %g, %g, %g\n", name, i, exact[i], rates[i], near[i]);
        assert_true(fabs(exact[i] - rates[i]) < 1e-10 * most);
        assert_true(fabs(exact[i] - near[i]) < 1e-6 * most);
    }
    base_free(y);
    run_free(run);
    unload(&loaded);
}

static void test_jacobians(void **state)
{
    (void)state;
    static const char *models[] = {"blade",         "hoop",       "cart",           "bicycle",
                                   "snakeboard",    "rattleback", "cylinder",       "trailers",
                                   "polar_area",    "barlow",     "pendulum_space", "fast_particle",
                                   "top_quaternion"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        compare_jacobians(models[i]);
}

// A force that is 0 to the last digit at the start is not passed over: of energy ½, the point
// turns back before a hill of height 3.
static void test_hill_on_the_way(void **state)
{
    (void)state;
    static const char hill[] = "coord x\nkinetic x'^2/2\npotential 3*exp(-50*(x - 10)^2)\n"
                               "initial x' = 1\nrun to 20 every 0.1\n";
    static const RunMethod methods[] = {RUN_BDF, RUN_ADAMS};
    for (size_t i = 0; i < 2; i++) {
        RunCase kase = go_by(hill, methods[i], 1e-10);
        assert_near(case_last(&kase, "x'"), -1, 1e-6);
        case_free(&kase);
    }
}

// The run stops where dry friction holds, and says that it does.
static void test_sticking_is_said(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x\nkinetic x'^2/2\npotential 5*x^2\n"
                            "force -3*sign(x') along x\ninitial x = 1\nrun to 10 every 0.1\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "as dry friction does where it sticks"));
    case_free(&kase);
}

// Steps that become too short where a wave begins late are told as that, and name the wave.
static void test_short_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        RunOptions options = run_options();
        options.method = i == 0 ? RUN_ADAMS : RUN_BDF;
        RunCase kase = case_start("param c = 123456.789\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                                  "force cos(700*(t - c)) along x while t >= c\n"
                                  "run to c + 3 every c/4\n",
                                  options);
        case_go(&kase);
        if (kase.status != STATUS_OK) {
            case_expect(&kase, STATUS_NEGATIVE);
            assert_true(case_says(&kase, DIAG_ERROR, "cos("));
            assert_near(kase.summary.reached, 123456.789, 1e-3);
        }
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_steps),       cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_finite_conditions), cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_slow_angles),       cmocka_unit_test(test_stranding),
        cmocka_unit_test(test_jacobians),         cmocka_unit_test(test_hill_on_the_way),
        cmocka_unit_test(test_sticking_is_said),  cmocka_unit_test(test_long_motions),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

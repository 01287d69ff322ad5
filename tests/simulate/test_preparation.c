// test_preparation.c: a run of a long chain forms no n² entries: what it makes grows linearly with
// the number of links, and whoever wants it to end is asked often, also before the first step.
#include "chain_text.h"
#include "dynamics/dynamics.h"
#include "expr/expr.h"
#include "run_case.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

// As the program does: a large system is not solved for its velocities.
static RunCase start(const char *text, RunOptions options)
{
    RunCase kase = {.diag = diag_new()};
    kase.source = source_new("test.zw", text, strlen(text));
    kase.status = model_read(kase.source, NULL, 0, kase.diag, &kase.model);
    if (kase.status != STATUS_OK)
        print_messages(kase.diag);
    assert_int_equal(kase.status, STATUS_OK);
    assert_int_equal(motion_new_to_run(kase.model, kase.diag, &kase.motion), STATUS_OK);
    kase.status = run_new(kase.motion, &options, kase.diag, &kase.run);
    assert_int_equal(kase.status, STATUS_OK);
    kase.columns = run_column_count(kase.run);
    return kase;
}

// ---- Growth.

// How many expressions it makes.
static double run_first_step(const char *name, int links, bool eliminated)
{
    char words[64];
    snprintf(words, sizeof words, "%s %d", name, links);
    Text text = chain_text(words);
    RunOptions options = run_options();
    options.to = options.every = options.tolerance = 1e-6;
    RunCase kase = start(text.at, options);
    case_go(&kase);
    assert_int_equal(kase.status, STATUS_OK);
    double nodes = (double)expr_pool_size(kase.model->pool);
    // Where elimination serves the dense inertia was never asked for.
    assert_true(eliminated == !kase.run->base->state->forces.program);
    case_free(&kase);
    text_clear(&text);
    return nodes;
}

static void assert_linear(const char *name, int first, int last, bool eliminated)
{
    double few = run_first_step(name, first, eliminated);
    double many = run_first_step(name, last, eliminated);
    double exponent = log(many / few) / log((double)last / (double)first);
    if (exponent > 1.1)
        fail_msg("%s, %d to %d links: expressions grow with the exponent %.2f", name, first, last,
                 exponent);
}

static void test_growth(void **state)
{
    (void)state;
    assert_linear("planar", 100, 800, true);
    assert_linear("absolute", 100, 800, true);
    assert_linear("spatial", 40, 160, true);
    assert_linear("full", 40, 160, true);
    assert_linear("ladder", 32, 128, true);
    // The conditions hold n² entries, the dense inertia nobody asks for.
    run_first_step("trailers", 48, true);
    // By sparse factors.
    assert_linear("points", 100, 400, false);
}

// Balls over a floor by steps of fixed length: how many expressions; no n × n matrix of them.
static double drop_balls(int count)
{
    Text text = {0};
    text_addf(&text,
              "const N = %d\ncoord x[N], z[N]\nfor i in 1..N {\n  mass 1 at [x[i], 0, z[i]]\n"
              "  constraint floor[i]: z[i] >= 0\n  initial x[i] = i, z[i] = 1\n}\n"
              "gravity [0, 0, -9.81]\n",
              count);
    RunOptions options = run_options();
    options.to = options.every = 1e-3;
    options.method = RUN_TIMESTEPPING;
    options.chooses_method = false;
    RunCase kase = start(text.at, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    double nodes = (double)expr_pool_size(kase.model->pool);
    const Evaluator *forces = &kase.run->base->state->forces;
    assert_true(forces->places && forces->count <= 4 * (size_t)count);
    assert_null(kase.motion->state.B);
    case_free(&kase);
    text_clear(&text);
    return nodes;
}

static void test_balls(void **state)
{
    (void)state;
    double exponent = log(drop_balls(1600) / drop_balls(200)) / log(8);
    if (exponent > 1.1)
        fail_msg("balls: expressions grow with the exponent %.2f", exponent);
}

// ---- Asked whether to end.

enum { MOST_ASKED = 6 };

static bool ask(void *context, double t)
{
    size_t *asked = context;
    *asked += t == 0;
    return *asked < MOST_ASKED;
}

// While the programs of a long chain are made, before the first step: so that a run that is to end
// there ends there.
static void test_asked_often(void **state)
{
    (void)state;
    Text text = chain_text("planar 1000");
    RunCase kase = start(text.at, run_options());
    size_t asked = 0;
    RunListener listener = {.progress = ask, .context = &asked};
    kase.status = run_go(kase.run, &listener, kase.diag, &kase.summary);
    assert_int_equal(asked, MOST_ASKED);
    assert_int_equal(kase.status, STATUS_NEGATIVE);
    case_free(&kase);
    text_clear(&text);
}

// ---- A pivot that falls to a ten-thousandth.

// A particle that passes the pole of its polar angles at a hundredth of its way, beside a chain
// that elimination is taken for. Its fall is known.
static void test_pole(void **state)
{
    (void)state;
    const double g = 9.81, near = 0.01, x = -0.5, y = near, z = 1, vx = 1, vy = g / 4;
    double r = sqrt(x * x + y * y + z * z), rho = hypot(x, y), rho_rate = (x * vx + y * vy) / rho;
    Text text = chain_text("planar 26");
    text_add(&text, "coord r, theta, phi\nframe A = world rotate phi about z\n"
                    "frame D = A rotate theta about y\npoint X = r*D.z\nmass 2 at X\n"
                    "output px = dot(X - origin, world.x)\noutput py = dot(X - origin, world.y)\n"
                    "output pz = dot(X - origin, world.z)\n");
    text_addf(&text, "initial r = %.17g, r' = %.17g\n", r, rho * rho_rate / r);
    text_addf(&text, "initial theta = %.17g, theta' = %.17g\n", atan2(rho, z),
              rho_rate * z / (r * r));
    text_addf(&text, "initial phi = %.17g, phi' = %.17g\n", atan2(y, x),
              (x * vy - y * vx) / (rho * rho));
    static const char *const methods[] = {"taylor", "erk"};
    for (size_t i = 0; i < 2; i++) {
        RunOptions options = run_options();
        assert_true(run_method_find(str_of(methods[i]), &options.method));
        options.chooses_method = false;
        RunCase kase = start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        double t = case_last(&kase, "t");
        assert_true(fabs(case_last(&kase, "px") - (x + vx * t)) < 1e-6);
        assert_true(fabs(case_last(&kase, "py") - (y + vy * t - g * t * t / 2)) < 1e-6);
        assert_true(fabs(case_last(&kase, "pz") - z) < 1e-6);
        case_free(&kase);
    }
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_asked_often),
        cmocka_unit_test(test_pole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// test_rates.c: the rates in one program are those that least constraint gives by numbers, for
// every model of the gallery, at random states, in the model's own speeds and in others.
#include "files.h"
#include "support.h"

#include "dynamics/dynamics.h"
#include "dynamics/hidden/hidden_conditions.h"
#include "dynamics/rates.h"
#include "dynamics/speed_choice.h"
#include "program/program.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <flint/flint.h>
#include <lapacke.h>
#include <math.h>

enum { STATES = 8 };

typedef struct {
    const char *name;
    Motion *motion;
    Simulation *run;
    Random random;
    const double *q0, *u0; // the start
    size_t compared;
} Case;

static double random_unit(Random *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

static double around(Random *random, double value, double size)
{
    return value + size * (2 * random_unit(random) - 1);
}

// The rates of the program, its linear equations solved where it left them.
static void run_rates(const Rates *rates, double t, const double *q, const double *u, double *out)
{
    size_t n = rates->n, k = rates->k, s = rates->unsolved;
    double *in = base_alloc((1 + n + k) * sizeof *in);
    double *all = base_alloc((program_outputs(rates->program.program) + 1) * sizeof *all);
    double *work = base_alloc((program_registers(rates->program.program) + 1) * sizeof *work);
    in[0] = t;
    memcpy(in + 1, q, n * sizeof *in);
    memcpy(in + 1 + n, u, k * sizeof *in);
    assert_int_equal(program_outputs(rates->program.program), n + (s ? s * s + s : k));
    program_run_real(rates->program.program, in, all, work);
    memcpy(out, all, n * sizeof *out);
    if (s) {
        assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (lapack_int)s, 1, all + n,
                                       (lapack_int)s, all + n + s * s, (lapack_int)s),
                         0);
        memcpy(out + n, all + n + s * s, s * sizeof *out);
    } else {
        memcpy(out + n, all + n, k * sizeof *out);
    }
    base_free(in);
    base_free(all);
    base_free(work);
}

// Compares at one state of numbers; false where numbers has no motion there.
static bool compare(Case *kase, const Rates *rates, double t, const double *q, const double *u,
                    double within)
{
    const Equations *eq = kase->run->base->eq;
    State *state = kase->run->base->state;
    size_t n = eq->n, k = eq->k;
    double *out = base_alloc((2 * (n + k) + 1) * sizeof *out), *expected = out + n + k;
    bool found = dynamics_velocities(eq, state, t, q, u) == DYNAMICS_FOUND &&
                 dynamics_accelerations(eq, state, expected + n) == DYNAMICS_FOUND;
    if (found) {
        memcpy(expected, state->v, n * sizeof *expected);
        run_rates(rates, t, q, u, out);
        double most_v = 1, most_a = 1;
        for (size_t i = 0; i < n; i++) {
            most_v = fmax(most_v, fabs(expected[i]));
            most_a = fmax(most_a, fabs(state->a[i]));
        }
        for (size_t i = 0; i < n + k; i++) {
            double miss = fabs(out[i] - expected[i]) / (i < n ? most_v : most_a + most_v * most_v);
            if (!(miss <= within))
                print_message("%s: part %zu is %.17g, not %.17g\n", kase->name, i, out[i],
                              expected[i]);
            assert_true(miss <= within);
        }
        kase->compared++;
    }
    base_free(out);
    return found;
}

// At a state at random, with rates made there and then used nearby.
static void compare_at_random(Case *kase, bool other_speeds)
{
    const Equations *eq = kase->run->base->eq;
    State *state = kase->run->base->state;
    size_t n = eq->n, k = eq->k;
    double *q = base_alloc((n + k + 1) * sizeof *q), *u = q + n;
    double t = random_unit(&kase->random);
    state->speeds.own = true;
    for (size_t i = 0; i < n; i++)
        q[i] = around(&kase->random, kase->q0[i], 0.3);
    for (size_t i = 0; i < k; i++)
        u[i] = around(&kase->random, kase->u0[i], 1);
    if (dynamics_velocities(eq, state, t, q, u) == DYNAMICS_FOUND &&
        conditioning_now(eq, state) > 1e-3) {
        if (other_speeds && conditioning_improve(eq, state, 0)) {
            assert_int_equal(dynamics_velocities(eq, state, t, q, u), DYNAMICS_FOUND);
        }
        Rates rates;
        assert_true(rates_init(&rates, eq, state, kase->motion));
        compare(kase, &rates, t, q, u, 1e-10);
        for (size_t i = 0; i < n + k; i++)
            q[i] = around(&kase->random, q[i], 0.02);
        compare(kase, &rates, t, q, u, 1e-9);
        rates_clear(&rates);
    }
    base_free(q);
}

// False for a model with one-sided conditions, which cannot be run, and for one with conditions
// that are not linear in the velocities or with servos, whose rates are no program.
static bool compare_model(const char *name)
{
    Loaded loaded = load_model(name);
    motion_free(loaded.motion);
    assert_int_equal(hidden_motion_new(loaded.model, false, loaded.diag, &loaded.motion),
                     STATUS_OK);
    if (loaded.motion->side_count > 0 || loaded.motion->second_count > 0 || loaded.motion->curved ||
        loaded.motion->servos > 0) {
        unload(&loaded);
        return false;
    }
    RunOptions options = run_options();
    Case kase = {.name = name, .motion = loaded.motion, .random = random_seed(5)};
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &kase.run), STATUS_OK);
    kase.q0 = kase.run->start.q;
    kase.u0 = kase.run->start.u;
    for (size_t i = 0; i < STATES; i++)
        compare_at_random(&kase, i % 2 == 1);
    if (kase.compared < STATES)
        print_message("%s: only %zu states\n", name, kase.compared);
    assert_true(kase.compared >= STATES / 2);
    run_free(kase.run);
    unload(&loaded);
    return true;
}

static void test_gallery(void **state)
{
    (void)state;
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models");
    size_t compared = 0;
    for (size_t i = 0; i < models->count; i++)
        compared += compare_model(models->at[i]);
    assert_true(compared > 20);
}

// Chains of bodies, more than are solved on the graph: turned about skew axes, sliding, branched,
// with points that hang on them.
static const char chain[] =
    "const N = 11\n"
    "param m[N] = 1.5, l[N] = 0.3, g = 9.81\n"
    "coord q[N], s\n"
    "frame F[1] = world rotate q[1] about [1, 2, 2]\n"
    "frame F[2] = F[1] rotate q[2] about z\n"
    "for i in 3..N { frame F[i] = F[i-1] rotate q[i] about [2, -1, 2] }\n"
    "point J[0] = origin\n"
    "for i in 1..N {\n"
    "    point J[i] = J[i-1] + l[i]*F[i].x\n"
    "    body L[i] frame F[i] mass m[i] at J[i-1] + [l[i]/2, 0.1, 0] in F[i] "
    "inertia [0.01, 0.02, 0.015, 0.001, 0, 0.002]\n"
    "}\n"
    "mass 0.7 at J[4] + (0.2 + s)*F[3].y\n"
    "mass 0.4 at J[2] + [s, 0, 0]\n"
    "body R frame F[2] mass 1 at J[7] inertia [0.1, 0.1, 0.2]\n"
    "gravity [0, -g, 0]\n"
    "potential s^2/2\n"
    "force -0.3*q[2]' along q[2]\n"
    "initial q = 0.2, s = 0.1\n";

static void test_chain(void **state)
{
    (void)state;
    Loaded loaded = load_good("chain", chain);
    RunOptions options = run_options();
    Case kase = {.name = "chain", .motion = loaded.motion, .random = random_seed(7)};
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &kase.run), STATUS_OK);
    kase.q0 = kase.run->start.q;
    kase.u0 = kase.run->start.u;
    for (size_t i = 0; i < 3; i++)
        compare_at_random(&kase, false);
    assert_int_equal(kase.compared, 6);
    run_free(kase.run);
    unload(&loaded);
}

// A Lagrangian whose inertia is not positive: the equations are left to the caller.
static void test_indefinite(void **state)
{
    (void)state;
    Loaded loaded = load_good("light", "coord x, y\nlagrangian x'*y' - x*y\n"
                                       "initial x = 1, y' = 1\n");
    RunOptions options = run_options();
    Simulation *run;
    Rates rates;
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &run), STATUS_OK);
    assert_true(rates_init(&rates, run->base->eq, run->base->state, loaded.motion));
    assert_int_equal(rates.unsolved, 2);
    rates_clear(&rates);
    run_free(run);
    unload(&loaded);
}

// Pivots that were good at one state are seen to become poor at another.
static void test_watch(void **state)
{
    (void)state;
    Loaded loaded = load_good("blade", "coord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\n"
                                       "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
                                       "independent x, theta\ninitial theta = 0.1, x' = 1\n");
    RunOptions options = run_options();
    Simulation *run;
    Rates rates;
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &run), STATUS_OK);
    // Velocities of chosen coordinates are always eliminated.
    run->base->state->speeds.own = false;
    run->base->state->speeds.chosen[0] = 0;
    run->base->state->speeds.chosen[1] = 2;
    assert_true(rates_init(&rates, run->base->eq, run->base->state, loaded.motion));
    double in[6] = {0, 0, 0, 0.1, 1, 0};
    assert_true(rates_least_pivot(&rates, in) > 0.5);
    in[3] = 1.57;
    assert_true(rates_least_pivot(&rates, in) < 1e-2);
    rates_clear(&rates);
    run_free(run);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_watch),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

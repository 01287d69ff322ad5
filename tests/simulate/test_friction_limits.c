// Shocks with both laws at once, percussions on what rests with friction, the impact without
// collision along the way, and sliding that comes to Painlevé's singularity.
#include "event_case.h"
#include "uniform.h"

#include <stdio.h>

// Uniform rods at 45° that strike the floor at one instant, far from each other: each by its own
// law (Φ = 5/2, Ψ = −3/2, Θ = 5/2 for m = l = 1).
static void two_laws_at_once(void **state)
{
    (void)state;
    EventCase kase = event_case_with(
        "param J = 1/3, a = pi/4\ncoord x, z, th, X, Z, TH\nframe B = world rotate -th about y\n"
        "frame D = world rotate -TH about y\npoint C = [x, 0, z]\npoint E = [X, 0, Z]\n"
        "body rod frame B mass 1 at C + B.x inertia [0, J, J]\n"
        "body bar frame D mass 1 at E + D.x inertia [0, J, J]\n"
        "constraint f: C.z >= 0 restitution 0.9 friction 0.5 at C on rod law newton\n"
        "constraint h: E.z >= 0 restitution 0.9 friction 0.5 at E on bar law poisson\n"
        "initial th = a, z' = -1, x' = -1.5, TH = a, X = 5, Z' = -1, X' = 0.5\n"
        "run to 0.01 every 0.01\n",
        run_options());
    case_expect(&kase.run, STATUS_OK);
    const double *after = kase.events.at[0].after;
    assert_near(after[0], -1.771428571428571, 1e-12);
    assert_near(after[1], 0.9, 1e-12);
    assert_near(after[3], -0.1519480519480519, 1e-12);
    assert_near(after[4], 0.6545454545454545, 1e-12);
    event_case_free(&kase);
}

// A ball on another one falls on the floor, which follows Newton's law: it leaves with e₁v, the
// upper one by Poisson's with e₂v, or together with it.
static void stacks_by_two_laws(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double e1 = uniform(&random, 0, 1), e2 = uniform(&random, 0, 1), v = uniform(&random, 1, 5);
        char text[512];
        snprintf(text, sizeof text,
                 "coord z, y\nmass %.17g at [0, 0, z]\nmass %.17g at [0, 0, y]\n"
                 "constraint floor: z >= 0 restitution %.17g law newton\n"
                 "constraint ball: y - z >= 0 restitution %.17g law poisson\n"
                 "initial z' = -%.17g, y' = -%.17g\nrun to 0.001 every 0.001\n",
                 uniform(&random, 0.1, 10), uniform(&random, 0.1, 10), e1, e2, v, v);
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        assert_near(kase.events.at[0].after[0], e1 * v, 1e-11 * v);
        assert_near(kase.events.at[0].after[1], fmax(e1, e2) * v, 1e-11 * v);
        event_case_free(&kase);
    }
}

// A blow on a block at rest, down and along: P(1 + e), and at most μ times that along.
static void blows_on_resting_blocks(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 8 * test_size(); seed++) {
        Random random = random_seed(100 + seed);
        double m = uniform(&random, 0.2, 5), e = uniform(&random, 0, 0.9),
               mu = uniform(&random, 0.1, 0.9), down = uniform(&random, 0.5, 3),
               along = uniform(&random, -4, 4), most = mu * down * (1 + e);
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, z\npoint P = [x, 0, z]\nmass %.17g at P\ngravity [0, 0, -9.81]\n"
                 "constraint floor: z >= 0 restitution %.17g friction %.17g at P on P\n"
                 "impulse [%.17g, 0, -%.17g] at P when t = 0.5\nrun to 0.501 every 0.25\n",
                 m, e, mu, along, down);
        EventCase kase = event_case_with(text, run_options());
        case_expect(&kase.run, STATUS_OK);
        const double *after = kase.events.at[0].after;
        double left = fabs(along) > most ? along - copysign(most, along) : 0;
        assert_int_equal(kase.events.at[0].kind, RUN_IMPULSE);
        assert_near(after[0], left / m, 1e-10);
        assert_near(after[1], e * down / m, 1e-10);
        event_case_free(&kase);
    }
}

#define ROD                                                                                        \
    "param J = 1/3, a = %.17g, w = %.17g, u = %.17g\ncoord x, z, th\n"                             \
    "frame B = world rotate -th about y\npoint C = [x, 0, z]\n"                                    \
    "body rod frame B mass 1 at C + B.x inertia [0, J, J]\ngravity [0, 0, -9.81]\n"                \
    "constraint floor: C.z >= 0 restitution 0 friction %s at C on rod\n"                           \
    "initial th = a, th' = w, x' = u\nrun to 1 every 0.01\n"

// The coefficient grows at 0.02 s to where no force exists: by choice it stops sliding by a shock.
static void shocks_without_collision_on_the_way(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text, ROD, atan(2), 0.0, -3.0, "(0.3 + 0.75*(1 + sign(t - 0.02)))");
    RunCase ends = case_run(text);
    assert_true(ends.status != STATUS_OK);
    assert_true(
        case_says(&ends, DIAG_ERROR, "no consistent contact forces exist (Painlevé): 0 of"));
    case_free(&ends);
    RunOptions options = run_options();
    options.jumps = true;
    EventCase kase = event_case_with(text, options);
    case_expect(&kase.run, STATUS_OK);
    bool found = false;
    for (size_t i = 0; i < kase.events.count; i++)
        if (kase.events.at[i].kind == RUN_PERCUSSION) {
            assert_near(kase.events.at[i].t, 0.02, 1e-9);
            assert_near(kase.events.at[i].after[0], 0, 1e-12);
            assert_near(kase.events.at[i].after[1], 0, 1e-12);
            assert_true(kase.events.at[i].energy_lost > 0);
            found = true;
        }
    assert_true(found);
    event_case_free(&kase);
}

// Rods whose Φ̂ = 1 + 3 cos θ (cos θ − μ sin θ) is above 0 at the start: a run that ends does so
// where it is 0, and says so.
static void slides_to_the_singularity(void **state)
{
    (void)state;
    size_t ended = 0;
    for (size_t seed = 1; seed <= 60 * test_size(); seed++) {
        Random random = random_seed(200 + seed);
        double a = uniform(&random, 0.5, 1), w = uniform(&random, 0, 3),
               mu = uniform(&random, 1.6, 2);
        double phi = 1 + 3 * cos(a) * (cos(a) - mu * sin(a));
        if (phi < 0.02 || phi > 0.6 || w * w * sin(a) > 9)
            continue;
        char text[1024], coefficient[32];
        snprintf(coefficient, sizeof coefficient, "%.17g", mu);
        snprintf(text, sizeof text, ROD, a, w, uniform(&random, -12, -6), coefficient);
        RunCase kase = case_run(text);
        if (kase.status != STATUS_OK && case_says(&kase, DIAG_ERROR, "grows without bound while")) {
            size_t last = case_row_count(&kase) - 1;
            double th = case_value(&kase, last, "th"), rate = fabs(case_value(&kase, last, "th'"));
            double left = 1 + 3 * cos(th) * (cos(th) - mu * sin(th));
            // The last row is at most 0.01 s before the end.
            if (!(left > -1e-6 && left < 0.05 * (rate + 1)))
                fail_msg("seed %zu: it ends at %g", seed, left);
            ended++;
        } else if (kase.status != STATUS_OK) {
            assert_true(case_says(&kase, DIAG_ERROR, "Painlevé"));
        }
        case_free(&kase);
    }
    assert_true(ended > 0);
}

// A force that switches with the place of one mass and that a friction holds, which sticks: the
// rates do not feel it, and yet it is met where it switches.
static void switches_that_friction_holds(void **state)
{
    (void)state;
    static const char *const forces[] = {"max(0, a - %.17g)", "abs(a - %.17g)", "sign(a - %.17g)/2",
                                         "min(0, a - %.17g)"};
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (size_t seed = 1; seed <= 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        double c = uniform(&random, -0.3, 0.3), v = uniform(&random, 0.4, 1),
               w = uniform(&random, -0.5, 0.5), k = uniform(&random, -0.8, 0.8);
        Text force = {0}, text = {0};
        text_addf(&force, forces[seed % 4], c);
        text_addf(&text,
                  "coord a, b\nkinetic a'^2/2 + b'^2/2 + %.17g*a'*b'\n"
                  "friction f: 2 against b' - (%.17g)\nforce (%.17g)*%s along b\n%s"
                  "initial a = -0.5, a' = %.17g, b' = %.17g\nrun to 2 every 0.5\n",
                  uniform(&random, -0.5, 0.5), w, k, force.at,
                  seed % 3 ? "" : "speed p = (2 + sin(a))*b'\n", v, w);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            RunOptions options = run_options();
            options.method = methods[m];
            EventCase kase = event_case_with(text.at, options);
            double off = methods[m] <= RUN_ERK ? 1e-10 : 1e-6;
            case_expect(&kase.run, STATUS_OK);
            assert_int_equal(kase.events.count, 1);
            assert_near(kase.events.at[0].t, (c + 0.5) / v, off);
            for (size_t i = 0; i < case_row_count(&kase.run); i++) {
                double t = case_value(&kase.run, i, "t");
                assert_near(case_value(&kase.run, i, "a"), v * t - 0.5, off);
                assert_near(case_value(&kase.run, i, "a'"), v, off);
                assert_near(case_value(&kase.run, i, "b"), w * t, off);
            }
            event_case_free(&kase);
        }
        text_clear(&force);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_laws_at_once),
                                       cmocka_unit_test(stacks_by_two_laws),
                                       cmocka_unit_test(blows_on_resting_blocks),
                                       cmocka_unit_test(shocks_without_collision_on_the_way),
                                       cmocka_unit_test(slides_to_the_singularity),
                                       cmocka_unit_test(switches_that_friction_holds)};
    return cmocka_run_group_tests_name("simulate/friction limits", tests, NULL, NULL);
}

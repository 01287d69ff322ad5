// Friction in cylinders, universal and ball joints: by closed forms where a body turns about its
// centre, and against the same joint without friction, with the force written out in its reactions
// (dynamics/curved_reactions.c), in trees and in loops.
#include "event_case.h"
#include "uniform.h"

#include <stdio.h>

static double last_of(const RunCase *kase, const char *column)
{
    return case_value(kase, case_row_count(kase) - 1, column);
}

// A body of equal moments about its centre at the joint: the sliding keeps its direction, and ends
// when its speed is used up; then nothing moves any more.
static void bodies_come_to_rest(void **state)
{
    (void)state;
    static const char *const kinds[] = {"ball", "universal", "cylinder"};
    static const char *const axes[] = {"", "axis x and y", "axis x"};
    for (size_t kind = 0; kind < 3; kind++) {
        Random random = random_seed(40 + kind);
        double m = uniform(&random, 1, 3), r = uniform(&random, 0.02, 0.1);
        double I = kind == 2 ? m * r * r : uniform(&random, 0.02, 0.1);
        double mu = uniform(&random, 0.1, 0.5), g = uniform(&random, 5, 10), w[3], square = 0;
        char text[1024], start[256];
        for (size_t i = 0; i < 3; i++) {
            w[i] = uniform(&random, 1, 2) * (kind == 2 && i == 0 ? 1 / r : 1);
            w[i] *= kind > 0 && i == 2 ? 0 : 1;
            square += kind == 2 && i == 0 ? r * r * w[i] * w[i] : w[i] * w[i];
        }
        snprintf(start, sizeof start,
                 kind == 0   ? "j.e1' = %.17g/2, j.e2' = %.17g/2, j.e3' = %.17g/2"
                 : kind == 1 ? "j.angle1' = %.17g, j.angle2' = %.17g"
                             : "j.angle' = %.17g, j.distance' = %.17g",
                 w[0], w[1], w[2]);
        // |u|' = −μg in a cylinder with I = mr², else |ω|' = −μrmg/I.
        double end = sqrt(square) / (kind == 2 ? mu * g : mu * r * m * g / I);
        snprintf(text, sizeof text,
                 "gravity [0, 0, -%.17g]\nbody b center [0, 0, 0] mass %.17g inertia [%.17g, "
                 "%.17g, %.17g]\njoint j: %s between world and b %s friction %.17g radius %.17g\n"
                 "initial %s\nrun to %.17g every %.17g\n",
                 g, m, I, I, I, kinds[kind], axes[kind], mu, r, start, 2 * end, end / 4);
        EventCase kase = event_case(text);
        case_expect(&kase.run, STATUS_OK);
        // About two axes that turn the second speed does not stay: only the end is told of it.
        if (kind != 1)
            assert_near(kase.events.at[0].t, end, 1e-9 * end);
        assert_int_equal(kase.events.count, 1);
        assert_true(last_of(&kase.run, "mode.j") == 1 && last_of(&kase.run, "slip.j") == 0);
        event_case_free(&kase);
    }
}

// The force written out: −μ|λ|s and what it does.
static const char *const written[] = {
    // a ball, and a universal joint
    "torque -mu*r*sqrt(lambda.j.x^2 + lambda.j.y^2 + lambda.j.z^2)*omega(b)/norm(omega(b)) on b\n",
    "torque -mu*r*sqrt(lambda.j.x^2 + lambda.j.y^2 + lambda.j.z^2)*omega(b)/norm(omega(b)) on b\n",
    "let s = sqrt((r*omega(b).x)^2 + k.distance1'^2)\n"
    "torque -mu*r*sqrt(lambda.j.across1^2 + lambda.j.across2^2)*r*omega(b).x/s*world.x on b\n"
    "force -mu*sqrt(lambda.j.across1^2 + lambda.j.across2^2)*k.distance1'/s*world.x at b.center "
    "on b\n"};

static void bodies_swing(void **state)
{
    (void)state;
    static const char *const kinds[] = {"ball", "universal", "cylinder"};
    static const char *const axes[] = {"", "axis x and y", "axis x"};
    static const char *const columns[] = {"w.x", "w.y", "w.z", "P.x", "P.y", "P.z"};
    for (size_t seed = 0; seed < 3 * test_size(); seed++) {
        size_t kind = seed % 3;
        Random random = random_seed(50 + seed);
        char head[512], text[3][2048];
        double w[3], x = kind == 2 ? uniform(&random, 1, 2) : 0;
        double m = uniform(&random, 1, 3), mu = uniform(&random, 0.1, 0.3),
               r = uniform(&random, 0.02, 0.08);
        double c[3], I[3];
        for (size_t i = 0; i < 3; i++) {
            c[i] = uniform(&random, -0.2, 0.2);
            I[i] = uniform(&random, 0.05, 0.09);
            w[i] = uniform(&random, 2, 4);
        }
        w[2] *= kind == 0;
        w[1] *= kind < 2;
        snprintf(head, sizeof head,
                 "param mu = %.17g, r = %.17g\ngravity [0, 0, -9.81]\nbody b center [%.17g, %.17g, "
                 "%.17g] mass %.17g inertia [%.17g, %.17g, %.17g]\noutput w = omega(b)\noutput P = "
                 "b.center\nrun to 0.3 every 0.1\n",
                 mu, r, c[0], c[1], c[2], m, I[0], I[1], I[2]);
        const char *starts = kind == 0   ? "j.e1' = %.17g/2, j.e2' = %.17g/2, j.e3' = %.17g/2"
                             : kind == 1 ? "j.angle1' = %.17g, j.angle2' = %.17g"
                                         : "j.angle' = %.17g, j.distance' = %.17g";
        char start[256], loop[512];
        snprintf(start, sizeof start, starts, w[0], kind == 2 ? x : w[1], w[2]);
        snprintf(loop, sizeof loop,
                 "joint k: free between world and b\ninitial k.e1' = %.17g/2, k.e2' = %.17g/2, "
                 "k.e3' = %.17g/2, k.distance1' = %.17g\njoint j: %s between world and b at origin "
                 "and b.origin %s",
                 w[0], w[1], w[2], x, kinds[kind], axes[kind]);
        // The places of bodies come first in a text.
        char *output = strstr(head, "output");
        snprintf(text[0], sizeof text[0],
                 "%.*sjoint j: %s between world and b %s friction mu radius r\ninitial %s\n%s",
                 (int)(output - head), head, kinds[kind], axes[kind], start, output);
        snprintf(text[1], sizeof text[1], "%.*s%s friction mu radius r\n%s", (int)(output - head),
                 head, loop, output);
        snprintf(text[2], sizeof text[2], "%.*s%s\n%s%s", (int)(output - head), head, loop,
                 written[kind], output);
        RunCase runs[3];
        for (size_t i = 0; i < 3; i++) {
            runs[i] = case_run(text[i]);
            if (runs[i].status != STATUS_OK)
                print_error("seed %zu:\n%s", seed, text[i]);
            case_expect(&runs[i], STATUS_OK);
        }
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < 6; k++)
                assert_near(last_of(&runs[i], columns[k]), last_of(&runs[2], columns[k]), 1e-7);
        for (size_t i = 0; i < 3; i++)
            case_free(&runs[i]);
    }
}

// A particle that a given friction takes hold of in all directions.
static void particles_stop(void **state)
{
    (void)state;
    EventCase kase =
        event_case("coord x, y, z\npoint P = [x, y, z]\nmass 2 at P\nfriction f: 3 at P on P\n"
                   "initial x' = 1, y' = -2, z' = 2\nrun to 4 every 1\n");
    case_expect(&kase.run, STATUS_OK);
    assert_near(kase.events.at[0].t, 2, 1e-9);
    assert_near(last_of(&kase.run, "x"), 1, 1e-9);
    assert_near(last_of(&kase.run, "z"), 2, 1e-9);
    assert_true(last_of(&kase.run, "x'") == 0 && last_of(&kase.run, "y'") == 0);
    event_case_free(&kase);
}

// A force that grows along a diagonal of space: it begins to slide where that is 3, and then has
// the acceleration 3(t − 1)/2.
static void particles_begin(void **state)
{
    (void)state;
    EventCase kase =
        event_case("coord x, y, z\npoint P = [x, y, z]\nmass 2 at P\nfriction f: 3 at P on P\n"
                   "force t*[1, 2, 2] at P\nrun to 3 every 1\n");
    case_expect(&kase.run, STATUS_OK);
    assert_near(kase.events.at[0].t, 1, 1e-9);
    assert_near(last_of(&kase.run, "x"), 2.0 / 3, 1e-8);
    assert_near(last_of(&kase.run, "z"), 4.0 / 3, 1e-8);
    event_case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_come_to_rest), cmocka_unit_test(bodies_swing),
        cmocka_unit_test(particles_stop), cmocka_unit_test(particles_begin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

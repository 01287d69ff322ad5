// Velocities that jump beside conditions that move, and soon after each other, against closed
// forms. By every method.
#include "event_case.h"
#include "uniform.h"

typedef struct {
    Text text;
    double after[2]; // the velocities at the end
} JumpedMotion;

// A kink that moves, beside a condition whose inertia is coupled with it and that moves otherwise:
// what is seen from the kink is the same as without.
static void write_beside(JumpedMotion *kase, Random *random)
{
    double m = uniform(random, 0.5, 2), mz = uniform(random, 0.5, 2), mw = uniform(random, 0.5, 2);
    double b = uniform(random, 0.3, 2), e = uniform(random, -2, 2), c = uniform(random, -1, 1);
    double one = uniform(random, -2, 2), two = uniform(random, -2, 2), v = uniform(random, 0.5, 3);
    text_addf(&kase->text,
              "coord x, z, w\nkinetic %.17g*x'^2/2 + %.17g*z'^2/2 + %.17g*w'^2/2\n"
              "let X = x - %.17g*t - 0.4\nconstraint wire: z = %.17g*X + %.17g*abs(X)\n"
              "constraint rod: w = %.17g*x + %.17g*t\ninitial x = 0, x' = %.17g\n"
              "run to 1.7 every 0.173\n",
              m, mz, mw, c, (one + two) / 2, (two - one) / 2, b, e, v + c);
    double inertia = m + mw * b * b;
    double behind = v * sqrt((inertia + mz * one * one) / (inertia + mz * two * two));
    kase->after[0] = behind + c;
    kase->after[1] = behind * two;
}

// On a spring from the origin, so much later.
static void swing(const double *from, double t, double *to)
{
    for (size_t i = 0; i < 2; i++) {
        to[i] = from[i] * cos(t) + from[2 + i] * sin(t);
        to[2 + i] = from[2 + i] * cos(t) - from[i] * sin(t);
    }
}

static double outside(const double *state, const double *disc)
{
    return pow(state[0] - disc[0], 2) + pow(state[1] - disc[1], 2) - disc[2] * disc[2];
}

// When the swing comes to the edge of the disc, before `to`.
static double edge(const double *state, const double *disc, bool inside, double to)
{
    double there[4], from = 1e-6, until;
    for (;; from = until) {
        until = from + 1e-3;
        swing(state, until, there);
        if (until > to)
            return INFINITY;
        if ((outside(there, disc) < 0) != inside)
            break;
    }
    for (int i = 0; i < 60; i++) {
        double middle = from + (until - from) / 2;
        swing(state, middle, there);
        *((outside(there, disc) < 0) != inside ? &until : &from) = middle;
    }
    return until;
}

// On a spring through a disc on which the potential is higher by h: a step that begins on its edge
// ends beyond the other side. False where the motion nearly grazes it, or nearly stops.
static bool write_disc(JumpedMotion *kase, Random *random)
{
    double disc[3], state[4], there[4], to = uniform(random, 1, 4), left = to,
                                        h = uniform(random, -1, 1);
    bool inside = false;
    for (size_t i = 0; i < 4; i++)
        state[i] = i == 0 ? uniform(random, -2, -1.6) : uniform(random, i == 2 ? 0.5 : -1, 1);
    for (size_t i = 0; i < 3; i++)
        disc[i] = i == 2 ? uniform(random, 0.4, 1) : uniform(random, -0.5, 0.5);
    text_addf(&kase->text,
              "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2 - %.17g*sign((x - "
              "%.17g)^2 + (y - %.17g)^2 - %.17g^2)\ninitial x = %.17g, y = %.17g, x' = %.17g, "
              "y' = %.17g\nrun to %.17g every %.17g\n",
              h / 2, disc[0], disc[1], disc[2], state[0], state[1], state[2], state[3], to, to);
    for (double t = edge(state, disc, inside, left); t < left;
         t = edge(state, disc, inside, left)) {
        swing(state, t, there);
        left -= t;
        double x = (there[0] - disc[0]) / disc[2], y = (there[1] - disc[1]) / disc[2];
        double way = there[2] * x + there[3] * y, rest = way * way - 2 * (inside ? -h : h);
        if (fabs(way) < 0.1 || fabs(rest) < 0.05)
            return false;
        double behind = rest > 0 ? copysign(sqrt(rest), way) : -way;
        inside = rest > 0 ? !inside : inside;
        there[2] += (behind - way) * x;
        there[3] += (behind - way) * y;
        memcpy(state, there, sizeof there);
    }
    swing(state, left, there);
    memcpy(kase->after, there + 2, sizeof kase->after);
    return left < to;
}

static void test_beside_and_discs(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 64 * test_size(); seed++) {
        Random random = random_seed(seed);
        JumpedMotion drawn = {0};
        bool disc = seed % 2;
        if (disc)
            while (!write_disc(&drawn, &random))
                text_clear(&drawn.text);
        else
            write_beside(&drawn, &random);
        RunOptions options = run_options();
        options.method = seed % 8 < 2 ? methods[1 + seed / 8 % 3] : RUN_TAYLOR;
        EventCase kase = event_case_with(drawn.text.at, options);
        case_expect(&kase.run, STATUS_OK);
        for (size_t i = 0; i < 2; i++) {
            const char *name = i == 0 ? "x'" : disc ? "y'" : "z'";
            if (!(fabs(case_last(&kase.run, name) - drawn.after[i]) < 1e-7))
                fail_msg("seed %d, method %d: %s is %.12g for %.12g\n%s", (int)seed,
                         (int)options.method, name, case_last(&kase.run, name), drawn.after[i],
                         drawn.text.at);
        }
        text_clear(&drawn.text);
        event_case_free(&kase);
    }
}

// An event that sets a state on the other side of a switch has not passed it: the law on that side
// holds, and nothing else happens.
static void test_set_beyond_a_switch(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 16 * test_size(); seed++) {
        Random random = random_seed(seed);
        double f = uniform(&random, 0.05, 0.2), v = uniform(&random, 2, 3), T = 1;
        double at = uniform(&random, 0.3, 0.5);
        JumpedMotion drawn = {0};
        text_addf(&drawn.text,
                  "coord x\nkinetic x'^2/2\nforce -%.17g*sign(%s) along x\n"
                  "event turn: t = %.17g { set %s }\ninitial x = 0, x' = %.17g\nrun to 1\n",
                  f, seed % 2 ? "x'" : "x - 20", at, seed % 2 ? "x' = -x'" : "x = x + 40", v);
        double before = seed % 2 ? v - f * at : v + f * at;
        double behind = seed % 2 ? f * (T - at) - before : before - f * (T - at);
        RunOptions options = run_options();
        options.method = methods[seed / 2 % 4];
        EventCase kase = event_case_with(drawn.text.at, options);
        case_expect(&kase.run, STATUS_OK);
        assert_int_equal(kase.events.count, 1);
        assert_near(case_last(&kase.run, "x'"), behind, 1e-8);
        text_clear(&drawn.text);
        event_case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside_and_discs),
        cmocka_unit_test(test_set_beyond_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

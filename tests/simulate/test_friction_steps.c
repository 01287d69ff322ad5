// Steps of fixed length with dry friction: they come to the motion from event to event as they get
// shorter, every step obeys Coulomb's cone, what holds does not creep, and energy never grows.
#include "run_case.h"
#include "uniform.h"

#include <stdio.h>

static RunCase go(const char *text, RunMethod method, double step, double every)
{
    RunOptions options = run_options();
    options.method = method;
    options.step = step;
    options.unwatched = method == RUN_TIMESTEPPING;
    if (every > 0)
        options.every = every;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    return kase;
}

// ---- Models, drawn at random.

typedef struct {
    const char *name;
    size_t coordinates;
    double end;
    size_t frictions;
    struct {
        const char *name, *lambda; // NULL: the bound is given
        double mu, stick;
    } friction[2];
    bool driven;   // something gives energy
    double within; // of its bound, what a force is off by at the end of a step
} Drawn;

static Drawn draw_slope(Random *random, char *text, size_t size)
{
    double mu = uniform(random, 0.1, 0.6), stick = mu + uniform(random, 0, 0.2);
    snprintf(text, size,
             "param mu = %.17g, mus = %.17g, alpha = %.17g, a = %.17g\ncoord s, n\n"
             "frame F = world rotate -alpha about y\npoint P = [s, 0, n] in F\nmass 2 at P\n"
             "gravity [0, 0, -9.81]\nforce a*sin(3*t)*F.x at P\n"
             "constraint floor: n >= 0 friction mu static mus at P on P\ninitial s' = %.17g\n"
             "run to 2 every 0.1\n",
             mu, stick, uniform(random, 0, 0.7), uniform(random, 0, 15), uniform(random, -2, 2));
    return (Drawn){"slope", 2, 2, 1, {{"floor", "lambda.floor", mu, stick}}, true, 1e-9};
}

static Drawn draw_puck(Random *random, char *text, size_t size)
{
    double mu = uniform(random, 0.3, 0.7), alpha = uniform(random, 0, 0.25);
    snprintf(text, size,
             "param mu = %.17g, alpha = %.17g\ncoord x, y, n\n"
             "frame F = world rotate -alpha about y\npoint P = [x, y, n] in F\nmass 2 at P\n"
             "gravity [0, 0, -9.81]\nconstraint floor: n >= 0 friction mu at P on P\n"
             "initial x' = %.17g, y' = %.17g\nrun to 2 every 0.1\n",
             mu, alpha, uniform(random, 0.5, 3), uniform(random, -3, -0.5));
    return (Drawn){"puck", 3, 2, 1, {{"floor", "lambda.floor", mu, mu}}, false, 1e-9};
}

static Drawn draw_belt(Random *random, char *text, size_t size)
{
    double bound = uniform(random, 1, 4), stick = bound * uniform(random, 1.2, 2);
    snprintf(text, size,
             "param k = %.17g, V = %.17g\ncoord x\nmass 1 at [x, 0, 0]\npotential k*x^2/2\n"
             "friction belt: %.17g static %.17g against x' - V\ninitial x = %.17g\n"
             "run to 3 every 0.1\n",
             uniform(random, 5, 30), uniform(random, 0.1, 1), bound, stick,
             uniform(random, -0.2, 0.2));
    return (Drawn){"belt", 1, 3, 1, {{"belt", NULL, bound, stick}}, true, 1e-9};
}

static Drawn draw_wire(Random *random, char *text, size_t size)
{
    double mu = uniform(random, 0.05, 0.3);
    snprintf(text, size,
             "param mu = %.17g\ncoord x, z\npoint P = [x, 0, z]\nmass 1 at P\n"
             "gravity [0, 0, -9.81]\nconstraint wire: x^2 + z^2 = 1 friction mu at P on P\n"
             "initial x = 0, z = -1, x' = %.17g\nrun to 2 every 0.1\n",
             mu, uniform(random, 1, 6));
    // |∂f/∂r| = 2 at the point.
    return (Drawn){"wire", 2, 2, 1, {{"wire", "lambda.wire", 2 * mu, 2 * mu}}, false, 1e-4};
}

static Drawn draw_disc(Random *random, char *text, size_t size)
{
    double mu = uniform(random, 0.05, 0.6);
    bool newton = random_below(random, 2) == 0;
    snprintf(text, size,
             "param mu = %.17g, r = 0.1, J = 0.004\ncoord x, z, phi\n"
             "frame F = world rotate phi about y\npoint G = [x, 0, z]\npoint K = G - r*world.z\n"
             "body disc frame F mass 1 at G inertia [J, J, J]\ngravity [0, 0, -9.81]\n"
             "constraint floor: z >= r restitution %.17g friction mu at K on disc %s\n"
             "initial x' = %.17g, z = r + %.17g, phi' = %.17g\nrun to 1 every 0.1\n",
             mu, uniform(random, 0, 0.6), newton ? "law newton" : "", uniform(random, -2, 2),
             uniform(random, 0, 0.5), uniform(random, -30, 30));
    return (Drawn){"disc", 3, 1, 1, {{"floor", "lambda.floor", mu, mu}}, false, 1e-9};
}

static Drawn draw_box(Random *random, char *text, size_t size)
{
    double mu = uniform(random, 0.2, 0.6);
    snprintf(text, size,
             "param mu = %.17g, m = 2, J = 0.2\ncoord x, z, th\nframe B = world rotate th about y\n"
             "point G = [x, 0, z]\npoint A = G - 0.3*B.x - 0.2*B.z\n"
             "point C = G + 0.3*B.x - 0.2*B.z\nbody box frame B mass m at G inertia [J, J, J]\n"
             "gravity [%.17g, 0, -9.81]\nconstraint rear: A.z >= 0 friction mu at A on box\n"
             "constraint front: C.z >= 0 friction mu at C on box\ninitial x' = %.17g, z = 0.2\n"
             "run to 1 every 0.1\n",
             mu, uniform(random, -1.5, 1.5), uniform(random, -2, 2));
    return (Drawn){
        "box", 3,   1, 2, {{"rear", "lambda.rear", mu, mu}, {"front", "lambda.front", mu, mu}},
        true,  1e-9};
}

typedef Drawn (*Draw)(Random *random, char *text, size_t size);
static const Draw families[] = {draw_slope, draw_puck, draw_belt, draw_wire, draw_disc, draw_box};
enum { FAMILIES = sizeof families / sizeof *families };

// ---- Against the motion from event to event.

static double difference(const RunCase *truth, const RunCase *kase, size_t coordinates)
{
    double worst = 0;
    size_t last = case_row_count(truth) - 1, own = case_row_count(kase) - 1;
    for (size_t i = 1; i <= coordinates; i++)
        worst = fmax(worst, fabs(truth->rows.at[last * truth->columns + i] -
                                 kase->rows.at[own * kase->columns + i]));
    return worst;
}

static void test_convergence(void **state)
{
    (void)state;
    for (size_t family = 0; family < FAMILIES; family++) {
        double coarse = 0, fine = 0;
        const char *name = "";
        for (size_t seed = 1; seed <= 5 * test_size(); seed++) {
            Random random = random_seed(1000 * family + seed);
            char text[2048];
            Drawn drawn = families[family](&random, text, sizeof text);
            name = drawn.name;
            RunCase truth = go(text, RUN_TAYLOR, NAN, 0);
            case_expect(&truth, STATUS_OK);
            double steps[] = {drawn.end / 300, drawn.end / 4800}, found[2];
            for (size_t i = 0; i < 2; i++) {
                RunCase kase = go(text, RUN_TIMESTEPPING, steps[i], 0);
                case_expect(&kase, STATUS_OK);
                found[i] = difference(&truth, &kase, drawn.coordinates);
                case_free(&kase);
            }
            if (!(found[0] < 0.3 && found[1] < 0.03))
                fail_msg("%s, seed %zu: off by %g and %g", name, seed, found[0], found[1]);
            coarse += found[0];
            fine += found[1];
            case_free(&truth);
        }
        // Sixteen times as many steps: first order where events are, else better.
        if (!(fine < coarse / 6))
            fail_msg("%s: %g and, with steps 16 times as short, %g", name, coarse, fine);
    }
}

// ---- Every step.

static double force_of(const RunCase *kase, size_t row, const char *name, bool law)
{
    char column[64];
    double square = 0;
    snprintf(column, sizeof column, "friction.%s", name);
    if (law)
        return fabs(case_value(kase, row, column));
    for (const char *axis = "xyz"; *axis; axis++) {
        snprintf(column, sizeof column, "friction.%s.%c", name, *axis);
        square += pow(case_value(kase, row, column), 2);
    }
    return sqrt(square);
}

static void check_cones(const RunCase *kase, const Drawn *drawn, size_t row, size_t seed)
{
    for (size_t i = 0; i < drawn->frictions; i++) {
        const char *name = drawn->friction[i].name, *lambda = drawn->friction[i].lambda;
        char column[64];
        snprintf(column, sizeof column, "mode.%s", name);
        double mode = case_value(kase, row, column), force = force_of(kase, row, name, !lambda);
        double normal = lambda ? fabs(case_value(kase, row, lambda)) : 1;
        double slides = drawn->friction[i].mu * normal, holds = drawn->friction[i].stick * normal;
        double size = drawn->within * (1 + holds);
        if (mode == 0)
            assert_true(force == 0);
        if (!(force <= (mode == 1 ? holds : slides) + size) || (mode == 2 && force < slides - size))
            fail_msg("%s, seed %zu, row %zu: mode %g has |F| = %.12g of %.12g", drawn->name, seed,
                     row, mode, force, mode == 1 ? holds : slides);
        snprintf(column, sizeof column, "slip.%s", name);
        // At the end of the step, to first order in its length.
        if (mode == 1)
            assert_near(case_value(kase, row, column), 0, 1e-4);
    }
}

static void test_every_step(void **state)
{
    (void)state;
    for (size_t family = 0; family < FAMILIES; family++)
        for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
            Random random = random_seed(1000 * family + seed);
            char text[2048];
            Drawn drawn = families[family](&random, text, sizeof text);
            double step = drawn.end / 500, energy = INFINITY;
            RunCase kase = go(text, RUN_TIMESTEPPING, step, step);
            case_expect(&kase, STATUS_OK);
            for (size_t row = 1; row < case_row_count(&kase); row++) {
                check_cones(&kase, &drawn, row, seed);
                double now = case_value(&kase, row, "energy");
                // Gravity in the first half of a step may lift by what it gives within one.
                if (!drawn.driven && now > energy + 100 * step * step)
                    fail_msg("%s, seed %zu: energy %.12g after %.12g", drawn.name, seed, now,
                             energy);
                energy = now;
            }
            case_free(&kase);
        }
}

// ---- What holds: not the least velocity.

static void test_no_creep(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 10 * test_size(); seed++) {
        Random random = random_seed(seed);
        double alpha = uniform(&random, 0, 0.5), mu = tan(alpha) + uniform(&random, 0.001, 0.3);
        bool space = random_below(&random, 2) == 0, feet = !space && random_below(&random, 2) == 0;
        char text[2048];
        if (feet)
            snprintf(text, sizeof text,
                     "param mu = %.17g, a = %.17g\ncoord x, z, th\nframe S = world rotate -a about "
                     "y\nframe B = S rotate th about y\npoint G = [x, 0, z]\n"
                     "point A = G - 0.3*B.x - 0.05*B.z\npoint C = G + 0.3*B.x - 0.05*B.z\n"
                     "body box frame B mass 2 at G inertia [1, 1, 1]\ngravity [0, 0, -9.81]\n"
                     "constraint rear: dot(A - origin, S.z) >= 0 friction mu at A on box\n"
                     "constraint front: dot(C - origin, S.z) >= 0 friction mu at C on box\n"
                     "initial x = -0.05*sin(a), z = 0.05*cos(a)\nrun to 20 every 1\n",
                     mu, alpha);
        else
            snprintf(text, sizeof text,
                     "param mu = %.17g, a = %.17g\ncoord x, %sz\n"
                     "point P = [x, %s, z]\nmass 3 at P\ngravity [0, 0, -9.81]\n"
                     "constraint floor: z*cos(a) - x*sin(a) >= 0 friction mu at P on P\n"
                     "run to 20 every 1\n",
                     mu, alpha, space ? "y, " : "", space ? "y" : "0");
        RunCase kase = go(text, RUN_TIMESTEPPING, 0.01, 0);
        case_expect(&kase, STATUS_OK);
        size_t n = space || feet ? 3 : 2;
        for (size_t row = 0; row < case_row_count(&kase); row++)
            for (size_t i = 1; i <= n; i++) {
                double v = kase.rows.at[row * kase.columns + n + i];
                double q = kase.rows.at[row * kase.columns + i];
                if (v != 0 || q != kase.rows.at[i])
                    fail_msg("seed %zu, row %zu: v = %g, q moved by %g", seed, row, v,
                             q - kase.rows.at[i]);
            }
        case_free(&kase);
    }
}

// A ball that skids and then rolls, with 5/7 of its velocity: steps know that without an error.
static void test_skid(void **state)
{
    (void)state;
    RunCase kase = go("param r = 0.1, m = 7, I = 2*m*r^2/5\ncoord x, z, phi\n"
                      "frame F = world rotate phi about y\npoint G = [x, 0, z]\n"
                      "point K = G - r*world.z\nbody ball frame F mass m at G inertia [I, I, I]\n"
                      "gravity [0, 0, -9.81]\n"
                      "constraint lane: K.z >= 0 friction 0.15 at K on ball\n"
                      "initial x' = 7, z = r\nrun to 2 every 0.1\n",
                      RUN_TIMESTEPPING, 0.01, 0);
    case_expect(&kase, STATUS_OK);
    size_t last = case_row_count(&kase) - 1;
    assert_near(case_value(&kase, last, "x'"), 5, 1e-12);
    assert_near(case_value(&kase, last, "phi'"), 50, 1e-10);
    assert_near(case_value(&kase, last, "x"), 8.154943934760449 + 5 * (2 - 1.359157322460075),
                1e-3);
    case_free(&kase);
}

// ---- Discs that fall into a box and come to rest, with more contacts than are solved exactly.

#define HEAP                                                                                       \
    "const C = 6, N = 24\nparam m = 0.2, r = 0.05, e = %.17g, mu = %.17g, W = C*0.11, J = 2e-4\n"  \
    "coord x[N], z[N], phi[N]\nfor i in 1..N {\n"                                                  \
    "  frame F[i] = world rotate phi[i] about y\n  point P[i] = [x[i], 0, z[i]]\n"                 \
    "  body ball[i] frame F[i] mass m at P[i] inertia [J, J, J]\n"                                 \
    "  constraint floor[i]: z[i] >= r restitution e friction mu at P[i] - r*world.z on ball[i]\n"  \
    "  constraint left[i]: x[i] >= r restitution e friction mu at P[i] - r*world.x on ball[i]\n"   \
    "  constraint right[i]: x[i] <= W - r restitution e friction mu at P[i] + r*world.x on "       \
    "ball[i]\n"                                                                                    \
    "  initial x[i] = 0.11*(mod(i - 1, C) + 1/2) + 0.003*sin(%.17g*i)\n"                           \
    "  initial z[i] = r + 0.11*div(i - 1, C)\n}\n"                                                 \
    "for i, j in pairs(1..N) {\n"                                                                  \
    "  constraint touch[i,j]: (x[i] - x[j])^2 + (z[i] - z[j])^2 >= 4*r^2 restitution e friction "  \
    "mu at P[i] + (P[j] - P[i])/2 on ball[i] and ball[j]\n}\n"                                     \
    "gravity [0, 0, -9.81]\noutput ground = sum(i in 1..N, lambda.floor[i])\nrun to 1 every "      \
    "0.05\n"

static void test_heap(void **state)
{
    (void)state;
    for (size_t seed = 1; seed <= 2 * test_size(); seed++) {
        Random random = random_seed(seed);
        double mu = uniform(&random, 0.1, 0.6), e = seed % 2 ? 0 : uniform(&random, 0, 0.5);
        char text[2048];
        snprintf(text, sizeof text, HEAP, e, mu, uniform(&random, 2, 4));
        RunCase kase = go(text, RUN_TIMESTEPPING, 0.0025, 0);
        case_expect(&kase, STATUS_OK);
        assert_true(kase.summary.friction_missed > 0 && kase.summary.friction_missed <= 1e-3);
        size_t last = case_row_count(&kase) - 1, frictions = 0;
        for (size_t row = 1; row <= last; row++) {
            double before = case_value(&kase, row - 1, "energy");
            if (!(case_value(&kase, row, "energy") <= before + 1e-5))
                fail_msg("seed %zu, row %zu: energy %.10g after %.10g", seed, row,
                         case_value(&kase, row, "energy"), before);
        }
        for (size_t i = 0; i + 2 < kase.columns; i++) {
            const char *name = run_column_name(kase.run, i);
            if (strncmp(name, "friction.", 9) != 0 || name[strlen(name) - 1] != 'x')
                continue;
            char lambda[64] = "lambda.";
            strncat(lambda, name + 9, strlen(name) - 11);
            const double *force = kase.rows.at + last * kase.columns + i;
            double most = mu * case_value(&kase, last, lambda) *
                          (strncmp(lambda, "lambda.touch", 12) == 0 ? 0.2 : 1);
            if (hypot(force[0], force[2]) > most * 1.01 + 1e-9)
                fail_msg("seed %zu: %s has %g of %g", seed, name, hypot(force[0], force[2]), most);
            frictions++;
        }
        assert_true(frictions > 300);
        case_free(&kase);
    }
}

// The end of a rod that skids and turns so fast that steps without contact lie between those with:
// what the last contact gave is no part of them.
static void test_steps_between_contacts(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "z", "th", "x'", "z'", "th'"};
    for (size_t seed = 1; seed <= 4 * test_size(); seed++) {
        Random random = random_seed(seed);
        double mu = uniform(&random, 0.1, 0.4), l = uniform(&random, 0.2, 0.3),
               turn = uniform(&random, 0.6, 0.9) * sqrt(10 / l);
        char text[640];
        snprintf(text, sizeof text,
                 "param l = %.17g\ncoord x, z, th\nframe F = world rotate th about y\n"
                 "point G = [x, 0, z]\npoint K = G - l*F.z\n"
                 "body B frame F mass 1 at G inertia [0.1, 0.1, 0.1]\ngravity [0, 0, -10]\n"
                 "constraint floor: K.z >= 0 friction %.17g at K on B\n"
                 "initial x' = %.17g, z = l, th' = %.17g\nrun to 0.3\n",
                 l, mu, uniform(&random, -0.1, 0.1), seed % 2 ? turn : -turn);
        RunCase exact = go(text, RUN_ERK, NAN, 0.3), kase = go(text, RUN_TIMESTEPPING, 1e-4, 0.3);
        case_expect(&exact, STATUS_OK);
        case_expect(&kase, STATUS_OK);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            double truth = case_last(&exact, names[i]), off = case_last(&kase, names[i]) - truth;
            if (!(fabs(off) < 2e-3 * (1 + fabs(truth))))
                fail_msg("seed %zu: %s is off by %g\n%s", seed, names[i], off, text);
        }
        case_free(&exact);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convergence), cmocka_unit_test(test_every_step),
        cmocka_unit_test(test_no_creep),    cmocka_unit_test(test_skid),
        cmocka_unit_test(test_heap),        cmocka_unit_test(test_steps_between_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

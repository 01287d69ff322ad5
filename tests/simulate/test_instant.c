// The instant against closed forms, and against the laws of Newton and Euler in numbers.
#include "instant_case.h"
#include "motion/reactions.h"

static void assert_triple(const double *v, double x, double y, double z)
{
    assert_near(v[0], x, 1e-11);
    assert_near(v[1], y, 1e-11);
    assert_near(v[2], z, 1e-11);
}

// ---- Closed forms.

#define PARTICLE                                                                                   \
    "param m = 2, g = 9.81, L = 1.25\ncoord x, y, z\npoint P = [x, y, z]\nmass m at P\n"           \
    "gravity [0, 0, -g]\n"

// A conical pendulum: tan α = 3/4, ω² = g/(L cos α), tension m g/cos α along the string.
static void test_conical_pendulum(void **state)
{
    (void)state;
    Instant at = instant_of(PARTICLE "constraint string: x^2 + y^2 + z^2 = L^2\n"
                                     "initial x = 0.75, y = 0, z = -1, x' = 0, y' = "
                                     "0.75*sqrt(g), z' = 0\n");
    double tension = 2 * 9.81 / 0.8;
    assert_int_equal(at.instant.reactions->at.count, 1);
    assert_triple(at.instant.at[0].force, -0.6 * tension, 0, 0.8 * tension);
    assert_triple(at.instant.at[0].position, 0.75, 0, -1);
    assert_triple(at.instant.totals[0].force, -0.6 * tension, 0, 0.8 * tension);
    // Gauss's function of one particle is ½R²/m; without the string it would fall.
    assert_true(at.instant.has_free);
    assert_near(at.instant.constraint, tension * tension / 4, 1e-10);
    assert_near(at.instant.free[0], 0, 1e-12);
    assert_near(at.instant.free[2], -9.81, 1e-12);
    assert_near(at.instant.T, 0.75 * 0.75 * 9.81, 1e-12);
    assert_near(at.instant.U, -2 * 9.81, 1e-12);
    instant_free(&at);
}

// A heavy bead at the bottom of the parabola z = x²/2 pushes with m(g + v²): the radius is 1.
static void test_heavy_bead(void **state)
{
    (void)state;
    Instant at = instant_of(PARTICLE "constraint wire: P.z = x^2/2\nconstraint flat: y = 0\n"
                                     "initial x = 0, x' = 3\n");
    const MotionReactions *reactions = at.instant.reactions;
    double sum[3] = {0};
    for (size_t i = 0; i < reactions->at.count; i++)
        for (int j = 0; j < 3; j++)
            sum[j] += at.instant.at[i].force[j];
    assert_triple(sum, 0, 0, 2 * (9.81 + 9));
    instant_free(&at);
}

// Routh's ball in the cylinder: the wall pushes with m n²(R − a), friction carries
// m g J/(J + m a²). At y = 0 the condition roll.x degenerates, and another takes its place.
#define CYLINDER(start)                                                                            \
    "param m = 0.1, a = 0.05, R = 0.25, J = 2*m*a^2/5, g = 9.81, n = 8\n"                          \
    "coord x, y, z, e0, e1, e2, e3\nframe F = world quaternion (e0, e1, e2, e3)\n"                 \
    "point G = [x, y, z]\npoint K = G + a/(R - a)*[x, y, 0]\n"                                     \
    "body ball frame F mass m at G inertia [J, J, J]\ngravity [0, 0, -g]\n"                        \
    "constraint wall: x^2 + y^2 = (R - a)^2\nconstraint roll: velocity(K on ball) = 0\n"           \
    "speed turn = (x*y' - y*x')/(R - a)^2\nspeed rise = z'\n"                                      \
    "speed drill = dot(omega(ball), [x, y, 0])/(R - a)\n"                                          \
    "initial " start ", turn = n, rise = 0.1, drill = 0\nrun to 1 every 0.1 tolerance 1e-11\n"

static void test_ball_in_cylinder(void **state)
{
    (void)state;
    static const char *const starts[] = {CYLINDER("x = 0.6*(R - a), y = 0.8*(R - a)"),
                                         CYLINDER("x = R - a, y = 0"),
                                         CYLINDER("x = 0, y = R - a")};
    static const double directions[][2] = {{0.6, 0.8}, {1, 0}, {0, 1}};
    for (size_t i = 0; i < 3; i++) {
        Instant at = instant_of(starts[i]);
        double push = 0.1 * 64 * 0.2, friction = 0.1 * 9.81 * 2 / 7;
        assert_int_equal(at.instant.rank, 4);
        assert_triple(at.instant.totals[0].force, -push * directions[i][0],
                      -push * directions[i][1], friction);
        double sum[3] = {0};
        for (size_t j = 0; j < at.instant.reactions->at.count; j++)
            for (int k = 0; k < 3; k++)
                sum[k] += at.instant.at[j].force[k];
        assert_triple(sum, -push * directions[i][0], -push * directions[i][1], friction);
        instant_free(&at);
        // The height is the same wherever it starts (k² = 2n²/7, s = −m g a²/(J n²)).
        RunCase kase = case_run(starts[i]);
        case_expect(&kase, STATUS_OK);
        double k = 8 * sqrt(2.0 / 7), s = -9.81 * 2.5 / 64;
        assert_near(case_last(&kase, "z"), s * (1 - cos(k)) + 0.1 * sin(k) / k, 1e-8);
        case_free(&kase);
    }
}

// ---- Newton and Euler at odd states of the hoop: the floor's force at K is all that acts on it.

static const char hoop[] =
    "param m = 2, r = 0.35, g = 9.81, A = m*r^2/2, C = m*r^2\ncoord x, y, theta, psi, phi\n"
    "frame yaw = world rotate theta about z\nframe lean = yaw rotate -psi about x\n"
    "frame wheel = lean rotate phi about y\npoint K = [x, y, 0]\npoint G = K + r*lean.z\n"
    "body hoop frame wheel mass m at G inertia [A, C, A] in lean\n"
    "constraint roll: velocity(K on hoop) = 0\ngravity [0, 0, -g]\n";

static void test_hoop(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        Text text = {0};
        text_addf(&text,
                  "%sinitial x = %d, y = 0.3, theta = %d/3, psi = 0.%d, phi = %d, phi' = %d, "
                  "theta' = 0.4, psi' = -0.%d\n",
                  hoop, i, 2 * i + 1, 2 * i + 1, i, 7 - 3 * i, i + 2);
        Instant at = instant_of(text.at);
        const RunWrench *floor = &at.instant.at[0], *total = &at.instant.totals[0];
        assert_int_equal(at.instant.reactions->at.count, 1);
        assert_true(at.instant.reactions->at.at[0].balanced);
        assert_triple(total->force, floor->force[0], floor->force[1], floor->force[2]);
        double arm[3], moment[3];
        for (int j = 0; j < 3; j++)
            arm[j] = floor->position[j] - total->position[j];
        for (int j = 0; j < 3; j++)
            moment[j] = arm[(j + 1) % 3] * floor->force[(j + 2) % 3] -
                        arm[(j + 2) % 3] * floor->force[(j + 1) % 3];
        assert_triple(total->couple, moment[0], moment[1], moment[2]);
        instant_free(&at);
        text_clear(&text);
    }
}

// ---- Without inertia.

static void test_without_inertia(void **state)
{
    (void)state;
    // A quaternion's length has none, and asks for nothing.
    Instant at = instant_of("coord e0, e1, e2, e3\nframe F = world quaternion (e0, e1, e2, e3)\n"
                            "body b frame F mass 1 at [0, 0, 0] inertia [1, 2, 3]\n"
                            "initial e1' = 1, e2' = 0.5\n");
    assert_true(at.instant.has_free);
    assert_near(at.instant.constraint, 0, 1e-20);
    instant_free(&at);
    // A force along a coordinate without inertia goes through the condition.
    at = instant_of("coord x, s\nmass 1 at [x, 0, 0]\nforce 3 along s\nconstraint tie: s = 2*x\n");
    assert_false(at.instant.has_free);
    assert_near(at.start.a[0], 6, 1e-13);
    instant_free(&at);
}

// ---- Redundancy.

static void test_redundant_at_the_state(void **state)
{
    (void)state;
    // Both conditions ask for z' = 0 at x = 0; elsewhere they differ.
    const char *text = "coord x, y, z\nmass 1 at [x, y, z]\ngravity [0, -3, -8]\n"
                       "constraint flat: z = 0\nconstraint bent: z = x^2*y\ninitial y' = 1\n";
    Instant at = instant_of(text);
    assert_int_equal(at.instant.rank, 1);
    assert_false(at.instant.redundant[0]);
    assert_true(at.instant.redundant[1]);
    assert_near(at.start.a[0], 0, 1e-13);
    assert_near(at.start.a[1], -3, 1e-13);
    assert_near(at.start.a[2], 0, 1e-13);
    // Of all multipliers with the sum 8 these are the shortest.
    assert_near(at.start.lambda[0], 4, 1e-12);
    assert_near(at.start.lambda[1], 4, 1e-12);
    instant_free(&at);
    // A run has no unique direction there.
    RunCase kase = case_run(text);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "'bent' depends on the constraints before it"));
    case_free(&kase);
    // With x' = 1 they ask for different accelerations.
    RunOptions options = run_options();
    options.instant = true;
    kase = case_start("coord x, y, z\nmass 1 at [x, y, z]\nconstraint flat: z = 0\n"
                      "constraint bent: z = x^2\ninitial x' = 1\n",
                      options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "asks for another acceleration"));
    case_free(&kase);
}

// A table on four legs: three carry it, and the fourth is said to follow.
static void test_four_legs(void **state)
{
    (void)state;
    Instant at = instant_of("coord z, a, b\nframe F = world rotate a about x rotate b about y\n"
                            "point G = [0, 0, z]\nbody top frame F mass 4 at G inertia [1, 1, 1]\n"
                            "gravity [0, 0, -10]\n"
                            "constraint leg1: (G + [1, 1, 0] in F).z = 0\n"
                            "constraint leg2: (G + [-1, 1, 0] in F).z = 0\n"
                            "constraint leg3: (G + [-1, -1, 0] in F).z = 0\n"
                            "constraint leg4: (G + [1, -1, 0] in F).z = 0\n");
    assert_true(case_says(&at.kase, DIAG_NOTE, "set aside: leg4 (follows from the others)"));
    assert_near(at.start.lambda[0], 20, 1e-11);
    assert_near(at.start.lambda[1], 0, 1e-11);
    assert_near(at.start.lambda[2], 20, 1e-11);
    assert_int_equal(at.instant.reactions->untold.count, 1);
    instant_free(&at);
}

// ---- Choices that fail at the state.

#define BLADE                                                                                      \
    "coord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\n"                                      \
    "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"

static void test_singular_choices(void **state)
{
    (void)state;
    RunCase kase = case_run(BLADE "independent x, theta\ninitial theta = pi/2, y' = 1\nrun to 1\n");
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE,
                          "x' cannot be independent: at this state the constraint "
                          "'edge' fixes it; the independent velocities there are y', theta'"));
    assert_near(case_last(&kase, "y"), 1, 1e-9);
    case_free(&kase);
    kase =
        case_run(BLADE "speed u = x'\nspeed w = theta'\ninitial theta = pi/2, y' = 1\nrun to 1\n");
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE, "u cannot be independent"));
    case_free(&kase);
    // Two speeds that are one at the state.
    kase = case_run("coord x, y\nmass 1 at [x, y, 0]\nspeed u = x'\nspeed w = x' + y*y'\n"
                    "initial y' = 1\nrun to 1\n");
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE,
                          "w cannot be independent of u: at this state the speeds say "
                          "the same; the independent velocities there are x', y'"));
    case_free(&kase);
}

// Beside a small divisor, as in a row.
static void test_outputs_that_cancel(void **state)
{
    (void)state;
    for (int k = 1; k < 12; k++) {
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\noutput o = (1 - cos(x))/x^2\n"
                  "initial x = 1e-%d, x' = 1\n",
                  k);
        Instant at = instant_of(text.at);
        assert_near(at.instant.outputs[0], 1. / 2 - pow(10, -2 * k) / 24,
                    1e-4 * pow(10, -2 * k) + 1e-15);
        instant_free(&at);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs_that_cancel),
        cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_heavy_bead),
        cmocka_unit_test(test_ball_in_cylinder),
        cmocka_unit_test(test_hoop),
        cmocka_unit_test(test_without_inertia),
        cmocka_unit_test(test_redundant_at_the_state),
        cmocka_unit_test(test_four_legs),
        cmocka_unit_test(test_singular_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

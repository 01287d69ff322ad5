// One-sided conditions at the start, against closed forms; shocks and percussions there.
#include "instant_case.h"

#define POINT                                                                                      \
    "param m = 2, g = 10\ncoord x, z\npoint P = [x, 0, z]\nmass m at P\ngravity [0, 0, -g]\n"

// The reaction of a <= b is −λ·∂(a − b)/∂q, and a >= b counts as b <= a.
static void test_signs(void **state)
{
    (void)state;
    const char *const floors[] = {"constraint c: z >= 0\n", "constraint c: 0 <= z\n",
                                  "constraint c: -2*z <= 0\n", "constraint c: P.z >= 0\n"};
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        char text[400];
        snprintf(text, sizeof text, POINT "%soutput pushes = lambda.c\n", floors[i]);
        Instant at = instant_of(text);
        const RunSide *side = &at.instant.sides.at[0];
        assert_true(side->touches && side->kept && side->acts);
        assert_near(side->lambda, i == 2 ? 10 : 20, 1e-12);
        assert_near(side->phi0, i == 2 ? 20 : 10, 1e-12);
        assert_near(at.start.row[at.kase.columns - 1], side->lambda, 0);
        assert_near(at.start.a[1], 0, 1e-12);
        assert_near(at.instant.at[0].force[2], 20, 1e-12);
        assert_near(at.instant.constraint, 100, 1e-10);
        assert_near(at.instant.free[1], -10, 1e-12);
        assert_false(at.instant.sides.rule_differs);
        instant_free(&at);
    }
}

// What is 0 but for rounding is in contact; what is further off is not, however small the whole is.
static void test_touching(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool touches;
    } cases[] = {
        {POINT "constraint c: z >= 0\ninitial x = 1, z = 1e-15\n", true},
        {POINT "constraint c: z >= 0\ninitial x = 1, z = -1e-15\n", true},
        {POINT "constraint c: z >= 0\ninitial x = 1, z = 1e-12\n", false},
        {POINT "constraint c: z >= 0\ninitial z = 1e-15\n", false},
        {POINT "constraint c: x^2 + z^2 <= 1e-12\ninitial x = 1e-6\n", true},
        {POINT "constraint c: x^2 + z^2 <= 1e-12\ninitial x = 0.9e-6\n", false},
        {POINT "constraint c: 1e-12 >= x^2 + z^2\ninitial x = 0.9e-6\n", false},
        {POINT "constraint c: x^2 + z^2 <= 25e12\ninitial x = 3e6, z = -4e6\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Instant at = instant_of(cases[i].text);
        assert_int_equal(at.instant.sides.at[0].touches, cases[i].touches);
        assert_false(at.instant.sides.shock);
        instant_free(&at);
    }
}

// A rod falls on its end without turning: impulse (1 + e)·m·V/(1 + 3 sin²φ), and the energy lost is
// ½λ(f'⁻ + f'⁺).
static void test_rod_strikes_floor(void **state)
{
    (void)state;
    for (int i = 0; i <= 4; i++) {
        double e = i / 4.0, phi = 0.5, V = 2, m = 3;
        char text[400];
        snprintf(text, sizeof text,
                 "param l = 1, m = 3\ncoord z, th\nmass m at [0, 0, z]\nkinetic m*l^2/6*th'^2\n"
                 "constraint f: z - l*cos(th) >= 0 restitution %g\n"
                 "initial th = 0.5, z = l*cos(0.5), z' = -2\n",
                 e);
        Instant at = instant_of(text);
        const RunSides *sides = &at.instant.sides;
        double impulse = (1 + e) * m * V / (1 + 3 * sin(phi) * sin(phi));
        double T = m * at.start.v[0] * at.start.v[0] / 2 + m * at.start.v[1] * at.start.v[1] / 6;
        assert_true(sides->shock && sides->struck && !sides->repeated);
        assert_near(sides->at[0].before, V, 1e-12);
        assert_near(sides->at[0].rate, -e * V, 1e-12);
        assert_near(sides->at[0].impulse, impulse, 1e-12);
        assert_near(at.start.v[0], impulse / m - V, 1e-12);
        assert_near(at.start.v[1], 3 * impulse * sin(phi) / m, 1e-11);
        assert_near(sides->energy_lost, m * V * V / 2 - T, 1e-12);
        assert_int_equal(sides->at[0].kept, e == 0);
        // Without weight the end then goes round the centre, away from the floor.
        if (e == 0) {
            double turning = at.start.v[1];
            assert_false(sides->at[0].acts);
            assert_near(sides->at[0].acceleration, -cos(phi) * turning * turning, 1e-11);
        }
        instant_free(&at);
    }
}

// A blade on ice runs into a wall: the edge is kept in the shock (Appell 23), and only the way
// along it stops.
static void test_blade_meets_wall(void **state)
{
    (void)state;
    Instant at =
        instant_of("param m = 2, J = 0.5\ncoord x, y, th\nspeed v = x'*cos(th) + y'*sin(th)\n"
                   "mass m at [x, y, 0]\nkinetic J/2*th'^2\n"
                   "constraint edge: y'*cos(th) - x'*sin(th) = 0\n"
                   "constraint wall: x <= 0 restitution 0.5\n"
                   "initial x = 0, y = 0, th = 0.4, v = 3, th' = 1\n");
    assert_near(at.start.v[0], -1.5 * cos(0.4), 1e-12);
    assert_near(at.start.v[1], -1.5 * sin(0.4), 1e-12);
    assert_near(at.start.v[2], 1, 1e-12);
    assert_near(at.instant.speeds[0], -1.5, 1e-12);
    assert_near(at.instant.sides.at[0].impulse, 2 * 4.5 / cos(0.4), 1e-12);
    assert_near(at.instant.sides.energy_lost, 9 - 2.25, 1e-12);
    // After it the edge turns the way: x'' = −v θ' sin θ and so on.
    assert_near(at.start.a[0], 1.5 * sin(0.4), 1e-12);
    assert_near(at.start.a[1], -1.5 * cos(0.4), 1e-12);
    instant_free(&at);
}

// A percussion at t = 0 on the blade: only what goes along the edge, and turns, has an effect.
static void test_percussion(void **state)
{
    (void)state;
    Instant at =
        instant_of("param m = 2, J = 0.5\ncoord x, y, th\nspeed v = x'*cos(th) + y'*sin(th)\n"
                   "mass m at [x, y, 0]\nkinetic J/2*th'^2\n"
                   "constraint edge: y'*cos(th) - x'*sin(th) = 0\n"
                   "impulse [1, 2, 0] at [x - sin(th), y + cos(th), 0] when t = 0\n"
                   "impulse 3 along th when t = 0\nimpulse 4 along v when t = 0\n"
                   "impulse 100 along x when t = 1\n"
                   "initial th = 0.4, v = 3, th' = 1\n");
    double along = cos(0.4) + 2 * sin(0.4);
    assert_true(at.instant.sides.shock);
    assert_false(at.instant.sides.struck);
    assert_near(at.instant.speeds[0], 3 + (along + 4) / 2, 1e-12);
    assert_near(at.start.v[2], 1 + (3 - along) / 0.5, 1e-12);
    instant_free(&at);
}

// A percussion drives the bob against its string, which answers at once.
static void test_percussion_against_condition(void **state)
{
    (void)state;
    Instant at = instant_of(POINT "constraint c: x^2 + z^2 <= 1\n"
                                  "impulse [6, 0, -8] at P when t = 0\ninitial z = -1\n");
    assert_near(at.start.v[0], 3, 1e-12);
    assert_near(at.start.v[1], 0, 1e-12);
    assert_near(at.instant.sides.at[0].impulse, 4, 1e-12);
    assert_near(at.instant.sides.energy_lost, 16, 1e-12);
    assert_near(at.instant.sides.at[0].lambda, 2 * (9 + 10) / 2.0, 1e-11);
    instant_free(&at);
}

// With an equation beside them.
static void test_with_equations(void **state)
{
    (void)state;
    Instant at = instant_of("param m = 2, g = 10\ncoord x, y, z\nmass m at [x, y, z]\n"
                            "gravity [0, 0, -g]\nconstraint plane: x = y\n"
                            "constraint floor: z + x >= 0\nconstraint wall: x >= 0\n"
                            "initial x = 0, z = 0\n");
    // In the plane s = √2 x: floor's normal (1/√2, 1). Falling it is pushed along +x, off the wall.
    const RunSides *sides = &at.instant.sides;
    double lambda = 20 / 1.5;
    assert_near(sides->at[0].lambda, lambda, 1e-12);
    assert_near(sides->at[1].lambda, 0, 0);
    assert_near(at.start.a[0], lambda / 4, 1e-12);
    assert_near(at.start.a[1], lambda / 4, 1e-12);
    assert_near(at.start.a[2], lambda / 2 - 10, 1e-12);
    assert_near(sides->at[1].acceleration, -lambda / 4, 1e-12);
    // Along y the plane alone pushes: λ·∂(x − y)/∂y = m y''.
    assert_near(at.start.lambda[0], -lambda / 2, 1e-12);
    instant_free(&at);
}

// Equations that depend on each other wherever they hold: z = 0 makes the third follow.
#define CIRCLE_THRICE                                                                              \
    "param m = 2, g = 10\ncoord x, y, z\nmass m at [x, y, z]\ngravity [0, -g, 0]\n"                \
    "constraint a: x^2 + y^2 + z^2 = 1\nconstraint b: z = 0\nconstraint c: x^2 + y^2 + z*x = 1\n"  \
    "constraint stop: y >= 0 restitution 0.5\ninitial x = 1, y = 0, z = 0\n"

static void test_with_dependent_equations(void **state)
{
    (void)state;
    Instant at = instant_of(CIRCLE_THRICE);
    assert_near(at.instant.sides.at[0].lambda, 20, 1e-11);
    for (int i = 0; i < 3; i++)
        assert_near(at.start.a[i], 0, 1e-11);
    instant_free(&at);
    at = instant_of(CIRCLE_THRICE "initial y' = -2\n");
    assert_near(at.start.v[0], 0, 1e-12);
    assert_near(at.start.v[1], 1, 1e-12);
    assert_near(at.instant.sides.at[0].impulse, 2 * 3, 1e-11);
    assert_near(at.start.a[0], -1, 1e-11);
    assert_near(at.start.a[1], -10, 1e-11);
    assert_near(at.start.a[2], 0, 1e-11);
    instant_free(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_rod_strikes_floor),
        cmocka_unit_test(test_blade_meets_wall),
        cmocka_unit_test(test_percussion),
        cmocka_unit_test(test_percussion_against_condition),
        cmocka_unit_test(test_with_equations),
        cmocka_unit_test(test_with_dependent_equations),
    };
    return cmocka_run_group_tests_name("simulate/sides", tests, NULL, NULL);
}

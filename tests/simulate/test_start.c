// Starts: each rule of the `initial` row of the language, and what is said where they clash.
#include "run_case.h"

#include "../support.h"

static double start_q(const RunCase *kase, size_t i)
{
    return run_start(kase->run).q[i];
}

static double start_v(const RunCase *kase, size_t i)
{
    return run_start(kase->run).v[i];
}

static RunCase start_of(const char *text)
{
    RunCase kase = case_start(text, run_options());
    case_expect(&kase, STATUS_OK);
    return kase;
}

static void check_wrong(const char *text, const char *message)
{
    RunCase kase = case_start(text, run_options());
    case_expect(&kase, STATUS_WRONG);
    assert_null(kase.run);
    assert_true(case_says(&kase, DIAG_ERROR, message));
    case_free(&kase);
}

#define PLANE "coord x, y\nkinetic (x'^2 + y'^2)/2\n"

// ---- Positions.

static void test_given_is_kept_and_the_rest_found(void **state)
{
    (void)state;
    RunCase kase = start_of(PLANE "param L = 5\nconstraint rod: x^2 + y^2 = L^2\n"
                                  "initial x = 3\ninitial approx y = -1\n");
    assert_near(start_q(&kase, 0), 3, 0);
    assert_near(start_q(&kase, 1), -4, 1e-14);
    assert_true(case_says(&kase, DIAG_NOTE, "start: not given, so 0:"));
    assert_true(case_says(&kase, DIAG_NOTE, "found from the rest: y = -4"));
    case_free(&kase);
}

static void test_approx_goes_to_the_nearest_point(void **state)
{
    (void)state;
    // On a circle the nearest point lies on the ray.
    RunCase kase = start_of(PLANE "constraint rod: x^2 + y^2 = 25\ninitial approx x = 6, y = 8\n");
    assert_near(start_q(&kase, 0), 3, 1e-9);
    assert_near(start_q(&kase, 1), 4, 1e-9);
    case_free(&kase);
    kase = start_of(PLANE "constraint rod: x^2 + y^2 = 25\ninitial approx x = 0.3, y = -0.4\n");
    assert_near(start_q(&kase, 0), 3, 1e-9);
    assert_near(start_q(&kase, 1), -4, 1e-9);
    case_free(&kase);
    // On an ellipse the way there stands upright on it: (x − 3, y − 2) ∥ (x, 4y).
    kase = start_of(PLANE "constraint oval: x^2 + 4*y^2 = 4\ninitial approx x = 3, y = 2\n");
    double x = start_q(&kase, 0), y = start_q(&kase, 1);
    assert_near(x * x + 4 * y * y, 4, 1e-13);
    assert_near((x - 3) * 4 * y - (y - 2) * x, 0, 1e-8);
    assert_true(x > 0 && y > 0);
    case_free(&kase);
}

static void test_middle_of_a_circle(void **state)
{
    (void)state;
    // From 0 no direction is nearer than another, but some point must come out.
    RunCase kase = start_of(PLANE "constraint rod: x^2 + y^2 = 4\n");
    assert_near(hypot(start_q(&kase, 0), start_q(&kase, 1)), 2, 1e-13);
    case_free(&kase);
}

static void test_small_miss_is_moved(void **state)
{
    (void)state;
    RunCase kase =
        start_of(PLANE "constraint rod: x^2 + y^2 = 1\ninitial x = 0.6, y = 0.8 + 3e-10\n");
    assert_near(hypot(start_q(&kase, 0), start_q(&kase, 1)), 1, 1e-15);
    assert_near(start_q(&kase, 1), 0.8, 3e-10);
    case_free(&kase);
    check_wrong(PLANE "constraint rod: x^2 + y^2 = 1\ninitial x = 0.6, y = 0.8 + 3e-9\n",
                "the initial values x = 0.6, y = 0.800000003 contradict the constraint 'rod': its "
                "residual is 4.8e-09; change a value, or let it move with 'initial approx'");
}

static void test_positions_that_clash(void **state)
{
    (void)state;
    check_wrong(PLANE "constraint rod: x^2 + y^2 = 1\ninitial x = 1, y = 1\n",
                "the initial values x = 1, y = 1 contradict the constraint 'rod': its residual is "
                "1;");
    check_wrong(PLANE "constraint rod: x^2 + y^2 = 1\ninitial x = 2\n",
                "the initial value x = 2 contradicts the constraint 'rod': its residual is 3 and "
                "cannot be brought to 0 by moving y;");
    check_wrong(PLANE "constraint one: x^2 + y^2 = 1\nconstraint two: (x - 5)^2 + y^2 = 1\n",
                "no start was found that meets the constraint");
    check_wrong(PLANE "constraint rod: x^2 + y^2 = -1\n", "no start was found");
}

// Starts far off, where Newton's steps alone do not arrive: turned round many times; where the
// conditions have no values; with sizes far apart.
static void test_far_starts(void **state)
{
    (void)state;
    RunCase kase = start_of("coord a, b, c\nkinetic a'^2 + b'^2 + c'^2\n"
                            "constraint X: cos(a) + 3*cos(b) = 3 + 2*cos(c)\n"
                            "constraint Y: sin(a) + 3*sin(b) = 2*sin(c)\n"
                            "initial a = 1\ninitial approx b = 40, c = -77\n");
    double b = start_q(&kase, 1), c = start_q(&kase, 2);
    assert_near(cos(1) + 3 * cos(b) - 3 - 2 * cos(c), 0, 1e-13);
    assert_near(sin(1) + 3 * sin(b) - 2 * sin(c), 0, 1e-13);
    case_free(&kase);
    kase = start_of(PLANE "constraint a: sqrt(x - 1) = 2 + y\n");
    assert_near(sqrt(start_q(&kase, 0) - 1), 2 + start_q(&kase, 1), 1e-14);
    case_free(&kase);
    kase = start_of(PLANE "constraint a: x^2 + y^2 = 1e12\nconstraint b: y = 1e-6*x\n");
    assert_near(fabs(start_q(&kase, 0)), 1e6 / sqrt(1 + 1e-12), 1e-8);
    case_free(&kase);
}

// ---- Velocities.

static void test_velocities_follow_from_conditions(void **state)
{
    (void)state;
    RunCase kase = start_of(PLANE "constraint rod: x^2 + y^2 = 25\ninitial x = 3, x' = 8\n"
                                  "initial approx y = 4\n");
    assert_near(start_v(&kase, 0), 8, 1e-14);
    assert_near(start_v(&kase, 1), -6, 1e-13);
    case_free(&kase);
    // Rheonomic: the floor rises.
    kase = start_of(PLANE "constraint floor: y = 3*t\ninitial x' = 1\n");
    assert_near(start_q(&kase, 1), 0, 0);
    assert_near(start_v(&kase, 1), 3, 1e-15);
    case_free(&kase);
}

#define SPACE "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"

static void test_zeros(void **state)
{
    (void)state;
    // Equal masses share what a condition asks for; `independent` has no say.
    RunCase kase = start_of(SPACE "constraint c: x' + y' + z' = 6\nindependent y, z\n");
    for (size_t i = 0; i < 3; i++)
        assert_near(start_v(&kase, i), 2, 1e-14);
    case_free(&kase);
    // Written for one of them, it follows.
    kase = start_of(SPACE "constraint c: x' = 6 - y' - z'\n");
    assert_near(start_v(&kase, 0), 6, 1e-14);
    assert_near(start_v(&kase, 1), 0, 0);
    assert_true(case_says(&kase, DIAG_NOTE,
                          "not given, so 0: x, y, z, y', z'; found from the "
                          "rest: x' = 6"));
    case_free(&kase);
    // A long list is cut short.
    kase = start_of("coord q[9]\nkinetic sum(i in 1..9, q[i]'^2)\n");
    assert_true(case_says(&kase, DIAG_NOTE, "q[9], q[1]', q[2]', q[3]' and 6 more"));
    case_free(&kase);
    // A given velocity counts before any of them.
    kase = start_of(SPACE "constraint c: z' = 6 - x' - y'\ninitial x' = 1\n");
    assert_near(start_v(&kase, 0), 1, 1e-14);
    assert_near(start_v(&kase, 1), 0, 1e-14);
    assert_near(start_v(&kase, 2), 5, 1e-14);
    case_free(&kase);
    // A surplus speed is a value like any other.
    kase = start_of("coord x\nkinetic x'^2/2\nspeed u = x'\nspeed w = 2*x'\ninitial w = 5\n");
    assert_near(start_v(&kase, 0), 2.5, 1e-15);
    assert_near(run_start(kase.run).u[0], 2.5, 1e-15);
    case_free(&kase);
}

static void test_velocities_that_clash(void **state)
{
    (void)state;
    check_wrong(PLANE "constraint edge: y' - 2*x' = 0\ninitial x' = 1, y' = 5\n",
                "the initial value y' = 5 contradicts the constraint 'edge' together with x' = 1: "
                "with them the residual of 'edge' is 3; change or remove a value");
    check_wrong(PLANE "constraint floor: y = 3*t\ninitial y' = 5\n",
                "the initial value y' = 5 contradicts the constraint 'floor': with it the "
                "derivative of the residual of 'floor' is 2;");
    check_wrong(PLANE "speed u = x' + y'\ninitial x' = 1, y' = 1, u = 3\n",
                "the initial value u = 3 contradicts x' = 1, y' = 1, from which 2 follows;");
    check_wrong(PLANE "speed u = x*y'\ninitial u = 3\n",
                "the initial value u = 3 is impossible: at the initial position it is 0, whatever "
                "the velocities are");
    // Small misses are moved here, too.
    RunCase kase =
        start_of(PLANE "constraint edge: y' - 2*x' = 0\ninitial x' = 1, y' = 2 + 1e-10\n");
    assert_near(start_v(&kase, 1) - 2 * start_v(&kase, 0), 0, 1e-15);
    case_free(&kase);
}

// No unit of velocity is better than another; but what rounding makes of an angle is no velocity.
static void test_velocities_in_any_units(void **state)
{
    (void)state;
    check_wrong(PLANE "constraint x' = y'\ninitial x' = 1e-12, y' = 3e-12\n", "contradicts");
    check_wrong(PLANE "constraint x' = y'\ninitial x' = 1, y' = 1 + 1e-8\n", "contradicts");
    RunCase kase = start_of(PLANE "constraint x' = y'\ninitial x' = 1, y' = 1 + 1e-10\n");
    assert_near(start_v(&kase, 1), 1, 1e-15);
    case_free(&kase);
    kase = start_of("coord x, phi\nkinetic (x'^2 + phi'^2)/2\nparam quarter = acos(0)\n"
                    "constraint x' = 5*cos(phi)\ninitial phi = quarter, x' = 0\n");
    assert_near(start_v(&kase, 0), 0, 1e-15);
    case_free(&kase);
}

static void test_place_of_a_clash(void **state)
{
    (void)state;
    RunCase kase =
        case_start(PLANE "constraint edge: y' - 2*x' = 0\ninitial x' = 1, y' = 5\n", run_options());
    Place place = place_none();
    DiagKind kind = DIAG_NOTE;
    diag_message(kase.diag, diag_total(kase.diag) - 1, &kind, &place);
    uint32_t line = 0, column = 0;
    assert_int_equal(kind, DIAG_ERROR);
    assert_non_null(place.source);
    place_position(place, &line, &column);
    assert_int_equal(line, 4);
    assert_int_equal(column, 17);
    case_free(&kase);
}

// ---- What the start must allow.

static void test_singular_speeds_are_no_mistake(void **state)
{
    (void)state;
    // At θ = 90° the blade's x' says nothing; the run takes other speeds at once.
    RunCase kase = case_run("coord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\n"
                            "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
                            "independent x, theta\n"
                            "initial theta = pi/2, y' = 1, theta' = 1\nrun to 1\n");
    case_expect(&kase, STATUS_OK);
    assert_near(case_last(&kase, "y"), sin(1), 1e-9);
    assert_near(case_last(&kase, "x"), cos(1) - 1, 1e-9);
    case_free(&kase);
}

static void test_singular_inertia(void **state)
{
    (void)state;
    // Regular in general, singular where this start is.
    check_wrong("coord r, phi\nkinetic (r'^2 + r^2*phi'^2)/2\n",
                "at the start nothing determines how phi' changes");
    // Singular everywhere, and named by the exact check.
    check_wrong("coord x, y\nkinetic x'^2/2\n", "nothing determines how y' changes");
    // Not where a constraint fixes the rate.
    RunCase kase = case_run("coord x, sum\nkinetic x'^2/2\npotential x^2/2\n"
                            "constraint controller: sum' = x\ninitial x = 1\nrun to 2\n");
    case_expect(&kase, STATUS_OK);
    assert_near(case_last(&kase, "sum"), sin(2), 1e-9);
    case_free(&kase);
}

// A sign is a slip more often than a wish; the run goes on.
static void test_negative_masses(void **state)
{
    (void)state;
    RunCase kase = start_of("param m = -1\ncoord x\nmass m at [x, 0, 0]\n");
    assert_true(case_says(&kase, DIAG_WARNING, "this mass is -1, below 0"));
    case_free(&kase);
    kase = start_of("coord x, a\nframe F = world rotate a about z\npoint P = [x, 0, 0]\n"
                    "body B frame F mass 2 at P inertia [1, 1, -3]\n");
    assert_true(case_says(&kase, DIAG_WARNING, "this body's moment of inertia is -3, below 0"));
    case_free(&kase);
    kase = start_of("coord x\nmass 1 at [x, 0, 0]\n");
    assert_false(case_says(&kase, DIAG_WARNING, "below 0"));
    case_free(&kase);
}

static void test_values_that_are_no_numbers(void **state)
{
    (void)state;
    check_wrong("param a\ncoord x\nkinetic x'^2/2\ninitial x = a\n", "a");
    check_wrong("param a = 0\ncoord x\nkinetic x'^2/2\ninitial x = 1/a\n", "finite");
    check_wrong("coord x\nkinetic x'^2/2\npotential log(x)\n",
                "at the start the equations of motion have no finite values");
}

// Speeds that the program has made have no place in the text: where they are singular at the start,
// the note has none.
static void test_singular_orthonormal_speeds(void **state)
{
    (void)state;
    Loaded loaded = load_model("snakeboard");
    RunOptions options = run_options();
    Simulation *run = NULL;
    assert_int_equal(motion_orthonormal(loaded.motion, loaded.diag), STATUS_OK);
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &run), STATUS_OK);
    run_free(run);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_is_kept_and_the_rest_found),
        cmocka_unit_test(test_singular_orthonormal_speeds),
        cmocka_unit_test(test_approx_goes_to_the_nearest_point),
        cmocka_unit_test(test_middle_of_a_circle),
        cmocka_unit_test(test_small_miss_is_moved),
        cmocka_unit_test(test_positions_that_clash),
        cmocka_unit_test(test_far_starts),
        cmocka_unit_test(test_velocities_follow_from_conditions),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_velocities_that_clash),
        cmocka_unit_test(test_velocities_in_any_units),
        cmocka_unit_test(test_place_of_a_clash),
        cmocka_unit_test(test_singular_speeds_are_no_mistake),
        cmocka_unit_test(test_singular_inertia),
        cmocka_unit_test(test_negative_masses),
        cmocka_unit_test(test_values_that_are_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Conditions that depend on each other wherever the motion goes, though not as functions: the
// motion is that of a model without them, and the multipliers are the least.
#include "run_case.h"

#define ENDS "run to 3 every 0.25 tolerance 1e-11\n"

// Three parallel cranks on one coupler: the third one follows from the others.
#define CRANKS                                                                                     \
    "param m = 1, g = 9.81, K = 2\ncoord a, b, c, d\n"                                             \
    "point P = [cos(a), 0, sin(a)]\npoint Q = [3 + cos(b), 0, sin(b)]\n"                           \
    "point R = [1.5 + cos(c), 0, sin(c)]\nmass m at P\nmass 2*m at Q\nmass 3*m at R\n"             \
    "gravity [0, 0, -g]\nforce K along c\n"                                                        \
    "constraint close: P + 3*[cos(d), 0, sin(d)] = Q\n"                                            \
    "constraint middle: P + 1.5*[cos(d), 0, sin(d)] = R\n"                                         \
    "initial a = -1, a' = 0.5\ninitial approx b = -1, c = -1\n" ENDS
#define CRANK                                                                                      \
    "param m = 1, g = 9.81, K = 2\ncoord a\nmass 6*m at [cos(a), 0, sin(a)]\n"                     \
    "gravity [0, 0, -g]\nforce K along a\ninitial a = -1, a' = 0.5\n" ENDS

// With s, c of the cranks' angle the rows close.x, close.z, middle.x, middle.z add up to nothing in
// the ratio c : s : −2c : −2s. Multipliers are least where they are orthogonal to that.
static double share_of_nothing(const RunCase *kase, size_t row)
{
    double s = sin(case_value(kase, row, "a")), c = cos(case_value(kase, row, "a"));
    return c * case_value(kase, row, "lambda.close.x") +
           s * case_value(kase, row, "lambda.close.z") -
           2 * c * case_value(kase, row, "lambda.middle.x") -
           2 * s * case_value(kase, row, "lambda.middle.z");
}

static void check_cranks(RunMethod method, double tolerance)
{
    RunOptions options = run_options();
    options.method = method;
    RunCase one = case_run(CRANK), three = case_start(CRANKS, options);
    case_go(&three);
    case_expect(&one, STATUS_OK);
    case_expect(&three, STATUS_OK);
    assert_true(case_says(&three, DIAG_NOTE,
                          "at the positions that the constraints allow, 'middle.z' follows from "
                          "the ones before it: the motion is the same without it, and of all "
                          "multipliers that give it those of least norm are told"));
    assert_true(three.summary.largest_residual < 1e-14);
    for (size_t i = 0; i < case_row_count(&one); i++) {
        assert_near(case_value(&three, i, "a"), case_value(&one, i, "a"), tolerance);
        assert_near(case_value(&three, i, "b'"), case_value(&one, i, "a'"), tolerance);
        assert_near(share_of_nothing(&three, i), 0, 1e-11);
        // K works on the third crank, which has half of the mass: half of it goes on to the others.
        double s = sin(case_value(&three, i, "c")), c = cos(case_value(&three, i, "c"));
        double on_c = s * case_value(&three, i, "lambda.middle.x") -
                      c * case_value(&three, i, "lambda.middle.z");
        assert_near(on_c, -2 + 2.0 * 3 / 6, 1e-10);
    }
    case_free(&three);
    case_free(&one);
}

static void test_cranks(void **state)
{
    (void)state;
    check_cranks(RUN_TAYLOR, 1e-9);
    check_cranks(RUN_ERK, 1e-8);
    check_cranks(RUN_ADAMS, 1e-6);
    check_cranks(RUN_BDF, 1e-6);
}

// A planar four-bar linkage as three bodies in space with four hinges: eighteen coordinates and
// twenty conditions, seventeen of them independent; against three angles.
static const char spatial[] =
    "param m = 1, J = 0.1, g = 9.81, l1 = 1, l2 = 3, l3 = 2, e = 3\n"
    "coord x[3], y[3], z[3], a[3], b[3], c[3]\n"
    "for i in 1..3 {\n"
    "  frame F[i] = world rotate a[i] about z rotate b[i] about x rotate c[i] about y\n"
    "  point G[i] = [x[i], y[i], z[i]]\n"
    "  body L[i] frame F[i] mass m at G[i] inertia [J, 2*J, 3*J]\n"
    "}\n"
    "gravity [0, 0, -g]\n"
    "constraint h1: G[1] - l1/2*F[1].x = origin\n"
    "constraint h1a: F[1].y.x = 0\nconstraint h1b: F[1].y.z = 0\n"
    "constraint h2: G[2] - l2/2*F[2].x = G[1] + l1/2*F[1].x\n"
    "constraint h2a: dot(F[2].y, F[1].x) = 0\nconstraint h2b: dot(F[2].y, F[1].z) = 0\n"
    "constraint h3: G[3] + l3/2*F[3].x = G[2] + l2/2*F[2].x\n"
    "constraint h3a: dot(F[3].y, F[2].x) = 0\nconstraint h3b: dot(F[3].y, F[2].z) = 0\n"
    "constraint h4: G[3] - l3/2*F[3].x = [e, 0, 0]\n"
    "constraint h4a: F[3].y.x = 0\nconstraint h4b: F[3].y.z = 0\n"
    "initial c[1] = -1, c[1]' = 2\n"
    "initial approx c[2] = -0.3, c[3] = -1.5\n"
    "initial approx x[1] = 0.3, z[1] = 0.4, x[2] = 2, z[2] = 1, x[3] = 3.1, z[3] = 1\n" ENDS;
static const char planar[] =
    "param m = 1, J = 0.1, g = 9.81, l1 = 1, l2 = 3, l3 = 2, e = 3\n"
    "coord c[3]\n"
    "for i in 1..3 { frame F[i] = world rotate c[i] about y }\n"
    "point P = l1*F[1].x\npoint Q = [e, 0, 0]\n"
    "body L1 frame F[1] mass m at l1/2*F[1].x inertia [J, 2*J, 3*J]\n"
    "body L2 frame F[2] mass m at P + l2/2*F[2].x inertia [J, 2*J, 3*J]\n"
    "body L3 frame F[3] mass m at Q + l3/2*F[3].x inertia [J, 2*J, 3*J]\n"
    "gravity [0, 0, -g]\nconstraint close: P + l2*F[2].x = Q + l3*F[3].x\n"
    "initial c[1] = -1, c[1]' = 2\ninitial approx c[2] = -0.3, c[3] = -1.5\n" ENDS;

static void test_planar_in_space(void **state)
{
    (void)state;
    RunCase flat = case_run(planar), space = case_run(spatial);
    case_expect(&flat, STATUS_OK);
    case_expect(&space, STATUS_OK);
    assert_true(case_says(&space, DIAG_NOTE, "h4.y"));
    assert_true(space.summary.largest_residual < 1e-14);
    for (size_t i = 0; i < case_row_count(&flat); i++)
        for (size_t j = 0; j < 3; j++) {
            static const char *const names[] = {"c[1]", "c[2]", "c[3]"};
            assert_near(case_value(&space, i, names[j]), case_value(&flat, i, names[j]), 1e-9);
        }
    case_free(&space);
    case_free(&flat);
}

// Four legs on a floor: the fourth one follows as a function, already.
static void test_four_legs(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y, z, a, b, c\n"
                            "frame F = world rotate a about x rotate b about y rotate c about z\n"
                            "point G = [x, y, z]\nbody box frame F mass 3 at G inertia [1, 2, 3]\n"
                            "gravity [0, 0, -9.81]\nforce [6, 0, 0] at G\n"
                            "constraint l1: (G + [1, 1, -1] in F).z = 0\n"
                            "constraint l2: (G + [-1, 1, -1] in F).z = 0\n"
                            "constraint l3: (G + [-1, -1, -1] in F).z = 0\n"
                            "constraint l4: (G + [1, -1, -1] in F).z = 0\n"
                            "initial c' = 0.3\nrun to 2\n");
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE, "set aside: l4 (follows from the others)"));
    assert_near(case_last(&kase, "x"), 4, 1e-12);
    assert_near(case_last(&kase, "c"), 0.6, 1e-12);
    case_free(&kase);
}

static void test_a_condition_that_stops_following(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nmass 1 at [x, y, 0]\ngravity [0, -9.81, 0]\n"
                            "constraint a: x^2 + y^2 = 1\n"
                            "constraint b: x^2 + y^2 + max(0, x - 0.3)^3 = 1\n"
                            "initial x = -0.6\ninitial approx y = -1\n");
    case_expect(&kase, STATUS_NEGATIVE);
    assert_int_equal(kase.summary.end, RUN_STRANDED);
    assert_true(case_says(&kase, DIAG_ERROR,
                          "the constraint 'b', which followed from the constraints before it so "
                          "far, no longer does"));
    assert_true(case_last(&kase, "x") < 0.31);
    case_free(&kase);
}

static void check_wrong(const char *text, RunOptions options, const char *message)
{
    RunCase kase = case_start(text, options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, message));
    case_free(&kase);
}

static void test_forms_want_independent_conditions(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.driven = true;
    options.form = FORM_APPELL;
    check_wrong(CRANKS, options,
                "the form 'appell' wants constraints that are independent, which these are not; "
                "a run without a form takes them");
}

static void test_contradictions(void **state)
{
    (void)state;
    check_wrong("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x^2 + y^2 = 1\n"
                "constraint b: sqrt(x^2 + y^2) = 1.1\ninitial x = 0.6\n",
                run_options(),
                "no start was found that meets the constraints 'a', 'b' together: the residual of "
                "'a' stays ");
    check_wrong("coord a, b, c\nkinetic a'^2 + b'^2 + c'^2\n"
                "constraint X: cos(a) + 3*cos(b) = 3 + 2*cos(c)\n"
                "constraint Y: sin(a) + 3*sin(b) = 2*sin(c)\n"
                "initial a = 1, b = 1, c = 1\n",
                run_options(),
                "the initial values a = 1, b = 1, c = 1 contradict the constraints 'X', 'Y': the "
                "residual of 'Y' is 1.68; change a value, or let it move with 'initial approx'");
    check_wrong("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x' = y'\n"
                "constraint b: x' = cos(x - y)*y' + 1\ninitial x = 0, y = 0\n",
                run_options(),
                "at the initial position the constraint 'b' cannot be met by any velocities "
                "together with the constraints before it: its residual is -1");
}

// The cranks swing against a stop. With it there are more conditions than coordinates.
static void test_cranks_against_a_stop(void **state)
{
    (void)state;
#define STOP "constraint stop: sin(a) >= -0.98 restitution 0.5\n"
    RunCase one = case_run(CRANK STOP), three = case_run(CRANKS STOP);
    case_expect(&one, STATUS_OK);
    case_expect(&three, STATUS_OK);
    assert_true(one.summary.events[RUN_IMPACT].count > 10);
    assert_int_equal(three.summary.events[RUN_REST].count, 1);
    assert_near(three.summary.events[RUN_REST].first, one.summary.events[RUN_REST].first, 1e-8);
    assert_near(three.summary.energy_lost, one.summary.energy_lost, 1e-10);
    assert_near(case_last(&three, "a"), case_last(&one, "a"), 1e-12);
    assert_near(case_last(&three, "c"), case_last(&one, "a"), 1e-12);
    assert_near(case_last(&three, "lambda.stop"), case_last(&one, "lambda.stop"), 1e-10);
    case_free(&one);
    case_free(&three);
}

// Conditions that are all 0 up to x = 1 or t = 1: free until then, and loud from then on.
static void test_conditions_of_nothing(void **state)
{
    (void)state;
    static const char *const conditions[] = {"(1 + sign(x - 1))*x'", "max(x - 1, 0)*(x' - y')",
                                             "max(x - 1, 0)^2*y'", "max(t - 1, 0)*(x' - y')"};
    for (size_t i = 0; i < 4; i++)
        for (int beyond = 0; beyond < 2; beyond++) {
            Text text = {0};
            text_addf(&text,
                      "coord x, y\nmass 1 at [x, y, 0]\nconstraint none: %s = 0\n"
                      "initial x = 0.5, x' = 0.5, y' = 0.25\nrun to %s every 0.3\n",
                      conditions[i], beyond ? "3" : "0.9");
            RunCase kase = case_run(text.at);
            case_expect(&kase, beyond ? STATUS_NEGATIVE : STATUS_OK);
            size_t last = case_row_count(&kase) - 1;
            double t = case_value(&kase, last, "t");
            assert_true(t <= 1);
            assert_near(case_value(&kase, last, "x"), 0.5 + 0.5 * t, 1e-12);
            case_free(&kase);
            text_clear(&text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cranks),
        cmocka_unit_test(test_cranks_against_a_stop),
        cmocka_unit_test(test_planar_in_space),
        cmocka_unit_test(test_four_legs),
        cmocka_unit_test(test_a_condition_that_stops_following),
        cmocka_unit_test(test_forms_want_independent_conditions),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_conditions_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

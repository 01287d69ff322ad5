// Conditions of the second class (Hamel 252): affine ones against closed forms and against the same
// condition on velocities; others against the affine ones that they equal, against closed forms,
// and by every method and form that can drive a run.
#include "instant_case.h"

#define HAMEL                                                                                      \
    "param K = 2\ncoord x1, x2, x3\nkinetic (x1'^2 + x2'^2 + x3'^2)/2\nforce K along x3\n"         \
    "constraint c: x3'' = x1''*x2''\n"

// x'' = −x beside a force and a mass: the reaction supplies what the force does not.
static void affine_condition_in_closed_form(void **state)
{
    (void)state;
    for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        RunOptions options = run_options();
        options.method = method;
        RunCase kase = case_start("coord x, y\nmass 2 at [x, y, 0]\nforce 3*t along x\n"
                                  "gravity [0, -10, 0]\nconstraint c: x'' = -x\n"
                                  "initial x = 1, y' = 4\nrun to 6 every 0.5 tolerance 1e-12\n",
                                  options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        double within = method == RUN_TAYLOR || method == RUN_ERK ? 1e-11 : 1e-8;
        for (size_t i = 0; i < case_row_count(&kase); i++) {
            double t = case_value(&kase, i, "t");
            assert_near(case_value(&kase, i, "x"), cos(t), within);
            assert_near(case_value(&kase, i, "x'"), -sin(t), within);
            assert_near(case_value(&kase, i, "y"), 4 * t - 5 * t * t, 100 * within);
            assert_near(case_value(&kase, i, "lambda.c"), -2 * cos(t) - 3 * t, 2 * within);
        }
        case_free(&kase);
    }
}

// A rolling disc on an incline with a spring, once by a condition on velocities, once by the same
// differentiated: the same motion, the same multiplier, whatever form drives it.
#define CART                                                                                       \
    "coord x, y, phi, psi\nkinetic x'^2 + y'^2/2 + (1 + x^2)*phi'^2/2 + psi'^2/4 + "               \
    "x'*psi'*cos(phi)/3\npotential x^2 + sin(y) - psi/5\n"                                         \
    "constraint a: psi' = x'*cos(phi) + y'*sin(phi)\n"
#define CART_START "initial x = 0.4, phi' = 1.3, x' = 0.7, y = 0.2, phi = 0.3\n"

static void assert_same(const RunCase *a, const RunCase *b, const char *name, double within)
{
    for (size_t i = 0; i < case_row_count(a); i++)
        assert_near(case_value(a, i, name), case_value(b, i, name), within);
}

// NULL where the form holds for affine conditions on accelerations.
static const char *why_not(int form)
{
    switch (form) {
    case FORM_KORTEWEG:
    case FORM_CANONICAL: return "binds accelerations and no velocities";
    case FORM_ACTION: return "binds accelerations and no displacements";
    case FORM_JOHNSEN1:
    case FORM_JOHNSEN2: return "all conditions and speeds are linear in the velocities";
    default: return NULL;
    }
}

static void differentiated_condition_gives_the_same_motion(void **state)
{
    (void)state;
    const char *run = "run to 2 every 0.25 tolerance 1e-12\n";
    char first[1024], second[1024];
    snprintf(first, sizeof first, "%sconstraint b: y' = x*phi' + sin(t)\n%s%s", CART, CART_START,
             run);
    snprintf(second, sizeof second,
             "%sconstraint b: (y' - x*phi' - sin(t))' = 0\n%s%sinitial y' = 0.52\n", CART,
             CART_START, run);
    RunCase known = case_run(first);
    case_expect(&known, STATUS_OK);
    for (int form = -1; form < FORM_COUNT; form++) {
        RunOptions options = run_options();
        options.driven = form >= 0;
        options.form = form >= 0 ? (FormKind)form : FORM_APPELL;
        RunCase kase = case_start(second, options);
        const char *reason = why_not(form);
        if (reason) {
            case_expect(&kase, STATUS_WRONG);
            assert_true(case_says(&kase, DIAG_ERROR, reason));
            case_free(&kase);
            continue;
        }
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        static const char *const names[] = {"x",  "y",    "phi",      "psi",
                                            "x'", "phi'", "lambda.a", "lambda.b"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_same(&known, &kase, names[i], 1e-9);
        case_free(&kase);
    }
    case_free(&known);
}

// (x'' + x)(1 + x''²) = 0 has one real root: the same motion as x'' = −x, found by Newton's method
// and by implicit series.
static void curved_condition_that_is_affine_in_disguise(void **state)
{
    (void)state;
    const char *model = "coord x, y\nkinetic x'^2 + x'*y'/2 + y'^2\npotential y^2*x^2/3 + y\n"
                        "constraint c: %s = 0\ninitial x = 1, y = 0.3, y' = -0.5\n"
                        "run to 4 every 0.25 tolerance 1e-12\n";
    char plain[512], disguised[512];
    snprintf(plain, sizeof plain, model, "x'' + x");
    snprintf(disguised, sizeof disguised, model, "(x'' + x)*(1 + x''^2)");
    RunCase known = case_run(plain);
    case_expect(&known, STATUS_OK);
    for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        RunOptions options = run_options();
        options.method = method;
        RunCase kase = case_start(disguised, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        assert_same(&known, &kase, "x", method == RUN_TAYLOR ? 1e-11 : 1e-7);
        assert_same(&known, &kase, "y", method == RUN_TAYLOR ? 1e-11 : 1e-7);
        // λ counts by ∂f/∂x'' = 1 + x''² here.
        for (size_t i = 0; i < case_row_count(&kase) && method == RUN_TAYLOR; i++) {
            double x = case_value(&kase, i, "x");
            assert_near(case_value(&kase, i, "lambda.c") * (1 + x * x),
                        case_value(&known, i, "lambda.c"), 1e-10);
        }
        case_free(&kase);
    }
    case_free(&known);
}

// Energy: its change is the work of the reaction, which Taylor's series and erk agree upon.
static void curved_motion_by_two_methods(void **state)
{
    (void)state;
    const char *text = "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                       "potential x^2/2 + y^2 + z^2/2\n"
                       "constraint c: z'' = x''*y'' + 0.2*x'*sin(t)\n"
                       "output work = lambda.c*(z' - y''*x' - x''*y')\n"
                       "initial x = 1, y = 0.5, z = 0.3, x' = 0.2\n"
                       "run to 5 every 0.01 tolerance 1e-12\n";
    RunOptions options = run_options();
    RunCase taylor = case_start(text, options);
    options.method = RUN_ERK;
    RunCase erk = case_start(text, options);
    case_go(&taylor);
    case_go(&erk);
    case_expect(&taylor, STATUS_OK);
    case_expect(&erk, STATUS_OK);
    assert_same(&taylor, &erk, "x", 1e-10);
    assert_same(&taylor, &erk, "z'", 1e-10);
    assert_true(taylor.summary.largest_residual < 1e-14);
    // Simpson's rule over the rows.
    size_t count = case_row_count(&taylor);
    double sum = 0, first = case_value(&taylor, 0, "energy");
    for (size_t i = 0; i + 2 < count; i += 2)
        sum += (case_value(&taylor, i, "work") + 4 * case_value(&taylor, i + 1, "work") +
                case_value(&taylor, i + 2, "work")) *
               0.01 / 3;
    assert_near(case_last(&taylor, "energy"), first + sum, 1e-8);
    assert_true(fabs(sum) > 1e-4);
    case_free(&taylor);
    case_free(&erk);
}

// ---- The instant.

static void hamel_lists_one_or_three(void **state)
{
    (void)state;
    Instant at = instant_of(HAMEL);
    const RunBranches *branches = &at.instant.branches;
    assert_int_equal(branches->count, 3);
    assert_true(branches->certified);
    assert_int_equal(branches->tied, 2);
    assert_int_equal(branches->taken, 0);
    assert_int_equal(branches->at[0].kind, BRANCH_MINIMUM);
    assert_int_equal(branches->at[1].kind, BRANCH_MINIMUM);
    assert_int_equal(branches->at[2].kind, BRANCH_SADDLE);
    assert_near(branches->at[1].constraint, 1.5, 1e-15);
    assert_near(branches->at[2].constraint, 2, 1e-15);
    assert_near(branches->at[1].a[0], -1, 1e-15);
    assert_near(branches->at[1].lambda[0], -1, 1e-15);
    assert_true(
        case_says(&at.kase, DIAG_WARNING, "2 accelerations have the least constraint, 1.5"));
    instant_free(&at);
}

static void branch_is_chosen_by_number(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.branch = 2;
    RunCase kase = case_start(HAMEL "run to 2\n", options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_near(case_last(&kase, "x1"), -2, 1e-14);
    assert_near(case_last(&kase, "x3"), 2, 1e-14);
    case_free(&kase);
    // One that is not the least is followed all the same, and that is said.
    options.branch = 3;
    kase = case_start(HAMEL "run to 2\n", options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_WARNING, "it is not the motion by Gauss's principle"));
    assert_near(case_last(&kase, "x3"), 0, 0);
    case_free(&kase);
    options.branch = 4;
    kase = case_start(HAMEL, options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "there are only 3 stationary points"));
    case_free(&kase);
    kase = case_start("coord x\nmass 1 at [x, 0, 0]\n", options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "here is only one"));
    case_free(&kase);
}

// The same condition, as a polynomial and as none: the search finds what is certified.
static void search_finds_what_is_certified(void **state)
{
    (void)state;
    const char *model = "coord x, y\nmass 1 at [x, y, 0]\ngravity [0.5, -3, 0]\n"
                        "constraint c: %s\n";
    char exact[256], other[256];
    snprintf(exact, sizeof exact, model, "x''^2/4 + y''^2 = 1 + x''*y''/3");
    snprintf(other, sizeof other, model, "exp(x''^2/4 + y''^2 - x''*y''/3 - 1) = 1");
    Instant a = instant_of(exact), b = instant_of(other);
    assert_true(a.instant.branches.certified);
    assert_false(b.instant.branches.certified);
    assert_int_equal(a.instant.branches.count, b.instant.branches.count);
    for (size_t i = 0; i < a.instant.branches.count; i++) {
        const RunBranch *known = &a.instant.branches.at[i], *found = &b.instant.branches.at[i];
        assert_int_equal(known->kind, found->kind);
        assert_near(found->constraint, known->constraint, 1e-10);
        assert_near(found->a[0], known->a[0], 1e-10);
    }
    assert_true(case_says(&b.kase, DIAG_WARNING, "does not prove that these are all"));
    instant_free(&a);
    instant_free(&b);
}

// Gauss's function counts from the motion without any reaction, finite conditions included.
static void other_conditions_count(void **state)
{
    (void)state;
    Instant at = instant_of("coord x, y, z\nmass 2 at [x, y, z]\ngravity [0, 0, -5]\n"
                            "constraint plane: z = x\nconstraint c: x''*y'' = 1\n");
    // On the plane: a₀ = (−5/2, 0, −5/2), x″ = z″; twice the mass along x: 4/2·(x″ + 5/2)² + y″²
    // with y″ = 1/x″.
    const RunBranches *branches = &at.instant.branches;
    assert_true(branches->certified);
    for (size_t i = 0; i < branches->count; i++) {
        const double *a = branches->at[i].a;
        assert_near(a[0] * a[1], 1, 1e-14);
        assert_near(a[2], a[0], 1e-14);
        assert_near(4 * (a[0] + 2.5) - 2 / (a[0] * a[0] * a[0]), 0, 1e-12);
        double measure = a[0] * a[0] + a[1] * a[1] + (a[2] + 5) * (a[2] + 5);
        assert_near(branches->at[i].constraint, measure, 1e-12);
    }
    assert_near(at.instant.constraint, branches->at[0].constraint, 0);
    assert_near(at.instant.free[2], -5, 1e-12);
    instant_free(&at);
}

// On the cone x'² + y'² = z'², where z'z″ = x'x″ + y'y″, with x″ = y: the least of y″² + (z″ + 9)².
static void conditions_not_linear_in_velocities_count(void **state)
{
    (void)state;
    Instant at = instant_of("coord x, y, z\nmass 1 at [x, y, z]\ngravity [0, 0, -9]\n"
                            "constraint cone: x'^2 + y'^2 = z'^2\nconstraint c: x'' = y\n"
                            "initial y = 0.2, x' = 3, y' = 4, z' = 5\n");
    assert_near(at.start.a[0], 0.2, 1e-14);
    assert_near(at.start.a[1], (5 * -141.0 / 41 - 0.6) / 4, 1e-13);
    assert_near(at.start.a[2], -141.0 / 41, 1e-13);
    instant_free(&at);
}

// The speed in the plane stays 1, by a condition on velocities or by one on accelerations; another
// one turns its direction with the velocity 1, and the force along z is free.
static void speed_kept_in_either_way(void **state)
{
    (void)state;
    static const char *const ways[] = {"x'^2 + y'^2 = 1", "x'*x'' + y'*y'' = 0"};
    for (size_t way = 0; way < 2; way++) {
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y, z\nmass 2 at [x, y, z]\nforce 3 along z\nconstraint v: %s\n"
                 "constraint turn: x'' = -y'\ninitial x' = cos(0.3), y' = sin(0.3)\n"
                 "run to 2 every 0.25 tolerance 1e-12\n",
                 ways[way]);
        RunCase kase = case_run(text);
        case_expect(&kase, STATUS_OK);
        for (size_t i = 0; i < case_row_count(&kase); i++) {
            double t = case_value(&kase, i, "t"), angle = 0.3 + t;
            assert_near(case_value(&kase, i, "x"), sin(angle) - sin(0.3), 1e-10);
            assert_near(case_value(&kase, i, "y"), cos(0.3) - cos(angle), 1e-10);
            assert_near(case_value(&kase, i, "z"), 0.75 * t * t, 1e-10);
        }
        case_free(&kase);
    }
}

// ---- What cannot be.

static void assert_no_start(const char *text, const char *piece)
{
    RunCase kase = case_start(text, run_options());
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, piece));
    case_free(&kase);
}

static void wrong_ones_are_named(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    RunCase kase = case_start("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x'' = -x\n", options);
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR, "another method takes these"));
    case_free(&kase);
    assert_no_start("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x''^2 + y''^2 = -x\n"
                    "initial x = 1\n",
                    "no accelerations meet the constraint 'c': it has no real solution there "
                    "(x = 1)");
    assert_no_start("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: exp(x''^2) = sin(y)\n",
                    "no accelerations were found that meet the constraint 'c' (y = 0)");
    assert_no_start("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x''^2 + y''^2 = 4\n",
                    "a whole continuum of accelerations has the least constraint");
    assert_no_start("coord x, y\nmass 1 at [x, y, 0]\ngravity [-2, 0.25, 0]\n"
                    "constraint c: y''^2 = x''^3\n",
                    "the least constraint is at a singular point of the constraint");
    assert_no_start("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x = t\n"
                    "constraint b: x'' = 1\n",
                    "the constraint 'b' contradicts the ones before it");
}

// What follows from others is set aside.
static void dependent_ones_are_set_aside(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x = y\n"
                            "constraint b: x'' = y''\nconstraint c: 2*x'' = t\nrun to 1\n");
    case_expect(&kase, STATUS_OK);
    assert_true(case_says(&kase, DIAG_NOTE, "set aside: b (follows from the others)"));
    assert_near(case_last(&kase, "y"), 1.0 / 12, 1e-14);
    case_free(&kase);
}

// What has no mass may be moved by a condition on its acceleration.
static void condition_replaces_inertia(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x, y\nmass 1 at [x, 0, 0]\npotential x^2/2\n"
                            "constraint c: y'' = x\ninitial x = 1, y = -1\nrun to 3\n");
    case_expect(&kase, STATUS_OK);
    assert_near(case_last(&kase, "y"), -cos(3), 1e-9);
    assert_near(case_last(&kase, "lambda.c"), 0, 1e-12);
    case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_condition_in_closed_form),
        cmocka_unit_test(differentiated_condition_gives_the_same_motion),
        cmocka_unit_test(curved_condition_that_is_affine_in_disguise),
        cmocka_unit_test(curved_motion_by_two_methods),
        cmocka_unit_test(hamel_lists_one_or_three),
        cmocka_unit_test(branch_is_chosen_by_number),
        cmocka_unit_test(search_finds_what_is_certified),
        cmocka_unit_test(other_conditions_count),
        cmocka_unit_test(conditions_not_linear_in_velocities_count),
        cmocka_unit_test(speed_kept_in_either_way),
        cmocka_unit_test(wrong_ones_are_named),
        cmocka_unit_test(dependent_ones_are_set_aside),
        cmocka_unit_test(condition_replaces_inertia),
    };
    return cmocka_run_group_tests_name("simulate/seconds", tests, NULL, NULL);
}

// Changes from one stationary point of Gauss's function to another along a run (Hamel 252), against
// closed forms: two that part from a third, two that exchange, one that ends.
#include "run_case.h"

typedef struct {
    size_t count;
    double t[8];
    RunEventKind kind[8];
    RunCase kase;
} Watched;

static bool keep_row(void *context, const double *row)
{
    return case_keep_row(&((Watched *)context)->kase, row);
}

static void keep_event(void *context, const RunEvent *event)
{
    Watched *watched = context;
    assert_true(watched->count < 8);
    watched->kind[watched->count] = event->kind;
    assert_string_equal(event->constraint->name, "c");
    watched->t[watched->count++] = event->t;
}

static void watch(Watched *watched, const char *text, RunMethod method, size_t branch)
{
    RunOptions options = run_options();
    options.method = method;
    options.branch = branch;
    *watched = (Watched){.kase = case_start(text, options)};
    RunListener listener = {.row = keep_row, .event = keep_event, .context = watched};
    case_expect(&watched->kase, STATUS_OK);
    watched->kase.status =
        run_go(watched->kase.run, &listener, watched->kase.diag, &watched->kase.summary);
}

// A force t along x₃: nothing moves until t = 1, then x₁″ = x₂″ = ±√(t − 1): a tie.
#define GROWING                                                                                    \
    "coord x1, x2, x3\nkinetic (x1'^2 + x2'^2 + x3'^2)/2\nforce t along x3\n"                      \
    "constraint c: x3'' = x1''*x2''\nrun to 2 every 0.1 tolerance 1e-11\n"

static void two_part_from_one(void **state)
{
    (void)state;
    Watched watched;
    watch(&watched, GROWING, RUN_TAYLOR, 0);
    case_expect(&watched.kase, STATUS_OK);
    assert_int_equal(watched.count, 1);
    assert_int_equal(watched.kind[0], RUN_BRANCH);
    assert_near(watched.t[0], 1, 1e-7);
    assert_true(case_says(&watched.kase, DIAG_NOTE, "2 accelerations have the least constraint"));
    for (size_t i = 0; i < case_row_count(&watched.kase); i++) {
        double s = fmax(case_value(&watched.kase, i, "t") - 1, 0);
        assert_near(case_value(&watched.kase, i, "x1'"), pow(s, 1.5) * 2 / 3, 1e-10);
        assert_near(case_value(&watched.kase, i, "x2"), pow(s, 2.5) * 4 / 15, 1e-10);
        assert_near(case_value(&watched.kase, i, "x3'"), s * s / 2, 1e-10);
    }
    case_free(&watched.kase);
}

// x″² = 1 has two points, and the nearer to the force changes at t = 1: exactly, by every method.
static void two_exchange(void **state)
{
    (void)state;
    for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue;
        Watched watched;
        watch(&watched,
              "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce t - 1 along x\nforce y along y\n"
              "constraint c: x''^2 = 1\ninitial y = 1\nrun to 2 every 0.25 tolerance 1e-11\n",
              method, 0);
        case_expect(&watched.kase, STATUS_OK);
        assert_int_equal(watched.count, 1);
        assert_near(watched.t[0], 1, 1e-11);
        assert_near(case_last(&watched.kase, "x'"), 0, 1e-9);
        assert_near(case_last(&watched.kase, "x"), -1, 1e-9);
        assert_near(case_last(&watched.kase, "lambda.c"), (1 - 1) / 2.0, 1e-9);
        assert_near(case_last(&watched.kase, "y"), cosh(2), method == RUN_TAYLOR ? 1e-9 : 1e-5);
        case_free(&watched.kase);
    }
}

// A number that was asked for is followed though another becomes less.
static void chosen_one_is_kept(void **state)
{
    (void)state;
    Watched watched;
    watch(&watched,
          "coord x\nmass 1 at [x, 0, 0]\nforce t - 3 along x\nconstraint c: x''^2 = 1\n"
          "run to 2\n",
          RUN_TAYLOR, 2);
    case_expect(&watched.kase, STATUS_OK);
    assert_int_equal(watched.count, 0);
    assert_near(case_last(&watched.kase, "x"), 2, 1e-13);
    case_free(&watched.kase);
}

// x″³ − 3x″ = 2 − 4t beside y: from x″ = 2 the root falls to 1 at t = 1, where it meets another and
// both end; x″ = −2 is left.
static void one_ends(void **state)
{
    (void)state;
    Watched watched;
    watch(&watched,
          "coord x\nmass 1 at [x, 0, 0]\nforce 5 along x\nconstraint c: x''^3 - 3*x'' = 2 - 4*t\n"
          "initial x = 0\nrun to 1.5 every 0.25 tolerance 1e-9\n",
          RUN_TAYLOR, 0);
    case_expect(&watched.kase, STATUS_OK);
    assert_int_equal(watched.count, 1);
    assert_near(watched.t[0], 1, 1e-6);
    // t = (2 + 3a − a³)/4 on both: v = ∫ a dt = ∫ a(3 − 3a²)/4 da, from 2 to 1, then from −2 on.
    double end = case_last(&watched.kase, "x'"), a = -2;
    for (int i = 0; i < 60; i++)
        a -= (a * a * a - 3 * a - 2 + 4 * 1.5) / (3 * a * a - 3);
    double before = (3 * (1 - 4) / 2.0 - 3 * (1 - 16) / 4.0) / 4;
    double after = (3 * (a * a - 4) / 2 - 3 * (a * a * a * a - 16) / 4) / 4;
    assert_near(end, before + after, 1e-6);
    case_free(&watched.kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_part_from_one),
        cmocka_unit_test(two_exchange),
        cmocka_unit_test(chosen_one_is_kept),
        cmocka_unit_test(one_ends),
    };
    return cmocka_run_group_tests_name("simulate/branches", tests, NULL, NULL);
}

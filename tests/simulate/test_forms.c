// test_forms.c: any form can drive a run, and the motion is the same.
#include "simulate/run_report.h"
#include "support.h"
#include "test_size.h"
#include "uniform.h"

#include "forms/forms.h"

#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <flint/flint.h>
#include <math.h>

enum { MOST_COLUMNS = 64 };

typedef struct {
    double row[MOST_COLUMNS]; // the last one
    size_t count;
} Last;

static bool keep_row(void *context, const double *row)
{
    Last *last = context;
    memcpy(last->row, row, last->count * sizeof *row);
    return true;
}

static Last end_of(Motion *motion, Diag *diag, const RunOptions *options)
{
    Simulation *run;
    Last last = {0};
    RunSummary summary;
    assert_int_equal(run_new(motion, options, diag, &run), STATUS_OK);
    last.count = run_column_count(run);
    assert_true(last.count <= MOST_COLUMNS);
    RunListener listener = {.row = keep_row, .context = &last};
    assert_int_equal(run_go(run, &listener, diag, &summary), STATUS_OK);
    run_free(run);
    return last;
}

static void forms_move_loaded(Loaded loaded, const char *model, double to, RunMethod method)
{
    RunOptions options = run_options();
    options.to = options.every = to;
    options.tolerance = 1e-12;
    options.method = method;
    Last usual = end_of(loaded.motion, loaded.diag, &options);
    options.driven = true;
    for (int i = 0; i < FORM_COUNT; i++) {
        options.form = (FormKind)i;
        Form *form = form_derive_in(options.form, loaded.motion, FORM_TO_RUN);
        bool applies = form->reason == NULL;
        form_free(form);
        // All but those for conditions that are linear, or that are not.
        bool curved = i == FORM_JOHNSEN1 || i == FORM_JOHNSEN2;
        bool linear =
            i == FORM_HAMEL || i == FORM_VORONETS || i == FORM_CANONICAL || i == FORM_ACTION;
        assert_int_equal(applies, loaded.motion->curved ? !linear : !curved);
        if (!applies)
            continue;
        Last driven = end_of(loaded.motion, loaded.diag, &options);
        for (size_t j = 0; j < usual.count; j++) {
            double miss = fabs(driven.row[j] - usual.row[j]) / (1 + fabs(usual.row[j]));
            if (!(miss < 1e-9))
                print_message("%s by %s: column %zu is off by %g\n", model, form_name((FormKind)i),
                              j, miss);
            assert_true(miss < 1e-9);
        }
    }
    unload(&loaded);
}

static void forms_move_alike(const char *model, double to)
{
    forms_move_loaded(load_model(model), model, to, RUN_TAYLOR);
}

static void test_every_form_drives(void **state)
{
    (void)state;
    forms_move_alike("blade", 1.5);
    forms_move_alike("hoop", 2);
    forms_move_alike("cart", 2);
    forms_move_alike("polar_area", 3);
    forms_move_alike("cone", 2);
    forms_move_alike("climb", 2);
    forms_move_alike("caster_ideal", 2);
}

// Where the speeds of a form become singular it is derived in others: quaternions that turn, a ball
// inside a cylinder, whose formulas are 0/0 at the start or on the way, strings that become taut, a
// wall that turns the velocities to another root of a condition.
static void test_every_form_goes_on(void **state)
{
    (void)state;
    forms_move_alike("bead", 2.5);
    forms_move_alike("table", 0.8);
    forms_move_alike("cylinder", 0.6);
    forms_move_alike("strings", 1);
    forms_move_alike("cone_wall", 1.2);
}

// A particle goes round a tilted ellipse on a cylinder: the velocity of each coordinate vanishes
// somewhere. Declared speeds, where there are some, are singular somewhere too.
static void test_forms_go_round(void **state)
{
    (void)state;
    static const char *const speeds[] = {"", "speed u = x'\n", "speed u = x*y' - y*x' + 0.3*z'\n"};
    for (uint64_t seed = 1; seed <= 3 * test_size(); seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, 0.5, 2), b = uniform(&random, 0.5, 2);
        double tilt = uniform(&random, -1, 1), angle = uniform(&random, 0, 6.28);
        double x = a * cos(angle), y = b * sin(angle), pace = uniform(&random, 2, 4);
        char text[1024];
        snprintf(text, sizeof text,
                 "coord x, y, z\nkinetic (x'^2 + y'^2 + 2*z'^2)/2\npotential 0.5*z + 0.2*x\n"
                 "constraint (x/%.17g)^2 + (y/%.17g)^2 = 1\nconstraint z = %.17g*x + 0.2*y\n%s"
                 "initial x = %.17g, y = %.17g, x' = %.17g, y' = %.17g\n",
                 a, b, tilt, speeds[seed % 3], x, y, -pace * a * sin(angle), pace * b * cos(angle));
        RunMethod method = seed % 2 ? RUN_TAYLOR : RUN_ERK;
        forms_move_loaded(load_good("round", text), text, 3, method);
    }
}

// Points coupled by factors that vanish at the start: solving for a velocity by such a factor,
// shorter than the inertias beside it, gives formulas that are 0/0 there.
static void test_couplings_that_vanish(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        int n = 3 + (int)random_below(&random, 2);
        Text text = {0};
        text_addf(&text, "coord q[%d]\nfor i in 1..%d { kinetic q[i]'^2 }\n", n, n);
        for (int i = 1; i <= n; i++) {
            int j = 1 + (i + (int)random_below(&random, (uint32_t)n - 1)) % n;
            int k = 1 + (int)random_below(&random, (uint32_t)n);
            text_addf(&text, "mass %.4f at [q[%d]*q[%d]/2 + q[%d], q[%d]^2/3, %.4f*sin(q[%d])]\n",
                      uniform(&random, 0.5, 2), i, k, j, i, uniform(&random, 0.5, 2), j);
            text_addf(&text, "potential q[%d]^2\ninitial q[%d]' = %.4f\n", i, i,
                      uniform(&random, -1, 1));
        }
        RunMethod method = seed % 2 ? RUN_TAYLOR : RUN_ERK;
        forms_move_loaded(load_good("coupled", text.at), text.at, 1, method);
        text_clear(&text);
    }
}

// A form that does not apply says why.
static void test_a_form_that_does_not_apply(void **state)
{
    (void)state;
    Loaded loaded =
        load_good("wheel", "coord x\nacceleration_energy x''^2/2 + x'*x''\nforce -x along x\n");
    RunOptions options = run_options();
    options.driven = true;
    options.form = FORM_HAMEL;
    Simulation *run;
    assert_int_equal(run_new(loaded.motion, &options, loaded.diag, &run), STATUS_WRONG);
    assert_non_null(strstr(diag_message(loaded.diag, 0, NULL, NULL), "cannot drive this run"));
    run_free(run);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form_drives),
        cmocka_unit_test(test_every_form_goes_on),
        cmocka_unit_test(test_forms_go_round),
        cmocka_unit_test(test_couplings_that_vanish),
        cmocka_unit_test(test_a_form_that_does_not_apply),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}

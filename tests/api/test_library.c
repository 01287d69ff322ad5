// The library as a caller sees it: defaults, a run that its listener stops, and wrong input.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "zwang.h"

static zw_model *model_of(const char *text)
{
    zw_model *model;
    (void)zw_model_read("m", text, strlen(text), NULL, &model);
    return model;
}

#define SPRING                                                                                     \
    "coord x\nmass 1 at [x, 0, 0]\npotential x^2/2\ninitial x = 1\nrun to 3 every 1 "              \
    "tolerance 1e-8\n"

// Nothing, zeros and zeros with their size ask for the same.
static void zero_is_the_default(void **state)
{
    (void)state;
    zw_model *model = model_of(SPRING);
    zw_run_options zeros = {0}, sized = {.size = sizeof sized};
    const zw_run_options *const all[] = {NULL, &zeros, &sized};
    char first[1000] = "";
    for (size_t i = 0; i < 3; i++) {
        zw_result *result;
        assert_int_equal(zw_run(model, all[i], &result), ZW_DONE);
        if (i == 0)
            snprintf(first, sizeof first, "%s", zw_result_text(result));
        assert_string_equal(zw_result_text(result), first);
        assert_true(zw_result_run(result)->reached == 3);
        zw_result_free(result);
        assert_int_equal(zw_run_columns(model, all[i], &result), ZW_DONE);
        assert_int_equal(zw_result_run(result)->columns, 4);
        assert_string_equal(zw_result_column_name(result, 3), "energy");
        assert_int_equal(zw_result_find_column(result, "x'"), 2);
        assert_int_equal(zw_result_find_column(result, "y"), 4);
        assert_null(zw_result_column_name(result, 4));
        zw_result_free(result);
    }
    zw_model_free(model);
}

// The rows of a harmonic motion, cos t and −sin t, as columns.
static void runs_keep_columns(void **state)
{
    (void)state;
    zw_model *model = model_of(SPRING);
    zw_result *result;
    assert_int_equal(zw_run(model, &(zw_run_options){.every = 0.01, .keep = true}, &result),
                     ZW_DONE);
    const zw_run_facts *facts = zw_result_run(result);
    assert_int_equal(facts->rows, 301);
    assert_true(facts->complete && facts->energy_drift < 1e-7);
    const double *t = zw_result_column(result, 0), *x = zw_result_column(result, 1);
    const double *v = zw_result_column(result, 2);
    for (size_t i = 0; i < facts->rows; i++) {
        assert_true(fabs(x[i] - cos(t[i])) < 1e-7);
        assert_true(fabs(v[i] + sin(t[i])) < 1e-7);
    }
    assert_null(zw_result_event(result, 0));
    zw_result_free(result);
    zw_model_free(model);
}

// A ball that falls from 1 with g = 2 strikes the floor at t = 1 and leaves it at half its speed.
static void runs_keep_events(void **state)
{
    (void)state;
    zw_model *model = model_of("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -2]\ninitial z = 1\n"
                               "constraint floor: z >= 0 restitution 1/2\nrun to 1.5 every 1\n");
    zw_result *result;
    assert_int_equal(zw_run(model, &(zw_run_options){.keep = true}, &result), ZW_DONE);
    assert_int_equal(zw_result_run(result)->events, 1);
    const zw_event *event = zw_result_event(result, 0);
    assert_string_equal(event->kind, "impact");
    assert_string_equal(event->constraint, "floor");
    assert_true(fabs(event->t - 1) < 1e-9);
    assert_true(fabs(event->before[0] + 2) < 1e-9 && fabs(event->after[0] - 1) < 1e-9);
    assert_true(fabs(event->impulse - 3) < 1e-9);
    zw_result_free(result);
    zw_model_free(model);
}

// A mass on a slope of 3:4 beside a floor that it does not touch.
static void instants_are_numbers(void **state)
{
    (void)state;
    zw_model *model = model_of("coord x, z\nmass 2 at [x, 0, z]\ngravity [0, 0, -10]\n"
                               "constraint slope: 3*x + 4*z = 4\nconstraint floor: z >= 0\n"
                               "initial z = 1\noutput w = x + 2*z\n");
    zw_result *result;
    assert_int_equal(zw_at(model, NULL, &result), ZW_DONE);
    const zw_instant *at = zw_result_instant(result);
    assert_int_equal(at->coordinate_count, 2);
    assert_string_equal(at->coordinates[1], "z");
    assert_true(fabs(at->a[0] - 4.8) < 1e-12 && fabs(at->a[1] + 3.6) < 1e-12);
    assert_true(fabs(at->free[0]) < 1e-12 && fabs(at->free[1] + 10) < 1e-12);
    assert_int_equal(at->condition_count, 1);
    assert_true(fabs(fabs(at->multipliers[0]) - 3.2) < 1e-12);
    assert_true(fabs(at->gauss - 0.5 * 2 * 64) < 1e-9);
    assert_int_equal(at->side_count, 1);
    assert_true(at->side_values[0] == -1 && !at->side_acts[0]);
    assert_true(at->outputs[0] == 2 && at->kinetic == 0 && fabs(at->potential - 20) < 1e-12);
    assert_null(zw_result_check(result));
    zw_result_free(result);
    zw_model_free(model);
}

static void checks_are_verdicts(void **state)
{
    (void)state;
    const char *text = zw_gallery_text("blade");
    zw_model *model = model_of(text);
    zw_result *result;
    assert_int_equal(zw_check(model, NULL, &result), ZW_DONE);
    const zw_check_answers *check = zw_result_check(result);
    assert_int_equal(check->forms_agree, ZW_YES);
    assert_true(check->form_count > 8 && check->form_applies[0]);
    for (size_t i = 1; i < check->form_count; i++)
        if (check->form_applies[i])
            assert_true(check->form_answers[i] == ZW_YES && check->form_proofs[i] != ZW_PROOF_NONE);
    assert_int_equal(check->holonomic, ZW_NO);
    assert_int_equal(check->freedoms, 2);
    assert_true(check->integral_count >= 1);
    assert_string_equal(check->integral_names[0], "energy");
    zw_result_free(result);
    // Only what was asked is answered.
    assert_int_equal(zw_check(model, &(zw_check_options){.only = "kind"}, &result), ZW_DONE);
    assert_int_equal(zw_result_check(result)->forms_agree, ZW_UNKNOWN);
    assert_int_equal(zw_result_check(result)->holonomic, ZW_NO);
    zw_result_free(result);
    const char *equations[] = {"x'*sin(theta) = y'*cos(theta)", "x' = 0"};
    zw_equation_options asked = {.equations = equations, .count = 2};
    assert_int_equal(zw_equations(model, &asked, &result), ZW_NEGATIVE);
    const zw_equation_answers *answers = zw_result_equations(result);
    assert_int_equal(answers->count, 2);
    assert_true(answers->follow[0] == ZW_YES && answers->proofs[0] == ZW_PROOF_EXACT);
    assert_int_equal(answers->follow[1], ZW_NO);
    zw_result_free(result);
    zw_model_free(model);
}

// x″ = −c·x′ − k·x: eigenvalues −1 ± 2i for c = 2, k = 5, and a pair on the axis at c = 0.
static void stability_is_numbers(void **state)
{
    (void)state;
    zw_model *model = model_of("param c = 2, k = 5, F = 0\ncoord x\nmass 1 at [x, 0, 0]\n"
                               "force F - c*x' - k*x along x\n");
    zw_result *result;
    zw_stability_options asked = {.vary = "c=-1:1:20", .inputs = "F"};
    assert_int_equal(zw_stability(model, &asked, &result), ZW_DONE);
    const zw_steady_motion *steady = zw_result_stability(result);
    assert_int_equal(steady->verdict, ZW_ASYMPTOTICALLY_STABLE);
    assert_int_equal(steady->size, 2);
    assert_true(fabs(steady->re[0] + 1) < 1e-12 && fabs(steady->im[0] - 2) < 1e-12);
    assert_true(steady->A[1] == 1 && steady->A[2] == -5 && steady->A[3] == -2);
    assert_true(steady->B[0] == 0 && steady->B[1] == 1);
    assert_int_equal(steady->critical_count, 1);
    assert_true(fabs(steady->critical_values[0]) < 1e-9);
    assert_true(fabs(steady->critical_frequencies[0] - sqrt(5)) < 1e-9);
    assert_int_equal(steady->crossings[0], ZW_PAIR_CROSSES);
    zw_result_free(result);
    zw_model_free(model);
}

static bool until_two(void *context, const double *values, size_t count)
{
    assert_int_equal(count, 4);
    ++*(size_t *)context;
    return values[0] < 2;
}

static void a_listener_stops_a_run(void **state)
{
    (void)state;
    zw_model *model = model_of(SPRING);
    size_t rows = 0;
    zw_run_options options = {.row = until_two, .context = &rows};
    assert_int_equal(zw_run(model, &options, NULL), ZW_NEGATIVE);
    assert_int_equal(rows, 3);
    zw_model_free(model);
}

// A wrong model answers every question, with what is wrong with it said once.
static void wrong_models_answer(void **state)
{
    (void)state;
    zw_model *model = model_of("coord x\nkinetic m*x'^2/2\n");
    const zw_message *message = zw_message_at(model, 0);
    assert_string_equal(message->text, "unknown name 'm'");
    assert_string_equal(message->file, "m");
    assert_true(message->level == ZW_ERROR && message->line == 2 && message->column == 9);
    assert_null(zw_message_at(model, 1));
    char *messages = zw_messages(model, ZW_NOTE);
    assert_non_null(strstr(messages, "m:2:9: error: unknown name 'm'"));
    zw_free(messages);
    zw_result *report;
    assert_int_equal(zw_run(model, NULL, &report), ZW_WRONG);
    assert_null(report);
    assert_int_equal(zw_derive(model, NULL, &report), ZW_WRONG);
    assert_int_equal(zw_check(model, NULL, &report), ZW_WRONG);
    assert_int_equal(zw_at(model, NULL, &report), ZW_WRONG);
    assert_null(report);
    zw_model_free(model);
    zw_model_free(NULL);
    zw_free(NULL);
}

static void expect_message(zw_model *model, const char *part)
{
    char *messages = zw_messages(model, ZW_ERROR);
    assert_non_null(messages);
    if (!strstr(messages, part))
        fail_msg("'%s' is not in: %s", part, messages);
    zw_free(messages);
}

// What may not be NULL, sizes that are none, and numbers that are none: a status and a message.
static void misuse_is_answered(void **state)
{
    (void)state;
    zw_model *model = model_of(SPRING);
    zw_result *result = NULL;
    assert_int_equal(zw_check(NULL, NULL, &result), ZW_WRONG);
    assert_int_equal(zw_run(NULL, NULL, NULL), ZW_WRONG);
    assert_int_equal(zw_derive(model, NULL, NULL), ZW_WRONG);
    expect_message(model, "no place for the result");
    assert_int_equal(zw_run(model, &(zw_run_options){.size = 3}, NULL), ZW_WRONG);
    expect_message(model, "the size of these options is 3");
    assert_int_equal(zw_run(model, &(zw_run_options){.size = (size_t)-1}, NULL), ZW_WRONG);
    expect_message(model, "the size of these options");
    assert_int_equal(zw_run(model, &(zw_run_options){.to = NAN}, NULL), ZW_WRONG);
    expect_message(model, "the end time must be positive");
    assert_int_equal(zw_run(model, &(zw_run_options){.to = -1}, NULL), ZW_WRONG);
    expect_message(model, "the end time must be positive");
    assert_int_equal(zw_run(model, &(zw_run_options){.plot_count = 1}, NULL), ZW_WRONG);
    expect_message(model, "plot 1 is NULL");
    assert_int_equal(zw_equations(model, &(zw_equation_options){.count = 1}, &result), ZW_WRONG);
    expect_message(model, "equation 1 is NULL");
    assert_int_equal(zw_fit(model, &(zw_fit_options){.initial = "x", .data_count = 2}, &result),
                     ZW_WRONG);
    expect_message(model, "file of data 1 is NULL");
    assert_int_equal(zw_sweep(model, &(zw_sweep_options){.vary_count = 1}, &result), ZW_WRONG);
    expect_message(model, "axis 1 is NULL");
    assert_int_equal(zw_view(model, NULL, &result), ZW_WRONG);
    expect_message(model, "needs a file");
    assert_int_equal(zw_export(model, NULL, &result), ZW_WRONG);
    expect_message(model, "say what to export to");
    assert_int_equal(zw_model_set(model, NULL, 1), ZW_WRONG);
    expect_message(model, "setting 1 is NULL");
    assert_null(result);
    assert_int_equal(zw_model_set(NULL, NULL, 0), ZW_WRONG);
    assert_null(zw_messages(NULL, ZW_NOTE));
    assert_string_equal(zw_result_text(NULL), "");
    assert_null(zw_result_run(NULL));
    assert_null(zw_nearest(NULL, NULL, 3));
    zw_model_free(model);
    assert_int_equal(zw_model_read(NULL, NULL, 5, NULL, &model), ZW_WRONG);
    expect_message(model, "no model was given");
    zw_model_free(model);
    assert_int_equal(zw_model_open(NULL, NULL, &model), ZW_WRONG);
    expect_message(model, "no model was given");
    assert_int_equal(zw_at(model, NULL, &result), ZW_WRONG);
    assert_int_equal(zw_model_set(model, NULL, 0), ZW_WRONG);
    zw_model_free(model);
    assert_int_equal(zw_model_open("x", NULL, NULL), ZW_WRONG);
}

// A report is told in a format that it has, or not at all.
// A ladder that sticks at both ends has more conditions than coordinates.
static void more_sticks_than_coordinates_are_told(void **state)
{
    (void)state;
    static const char *const targets[] = {"c", "python", "julia", "matlab"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        zw_model *model =
            model_of("coord x, z, q\nframe F = world rotate -q about y\npoint G = [x, 0, z]\n"
                     "point A = G - 2*F.x\npoint B = G + 2*F.x\n"
                     "body ladder frame F mass 10 at G inertia [0, 13, 13]\ngravity [0, 0, -9.81]\n"
                     "constraint floor: A.z >= 0 friction 0.6 at A on ladder\n"
                     "constraint wall: B.x <= 0 friction 0.6 at B on ladder\n"
                     "initial q = 1, x = -2*cos(q), z = 2*sin(q)\nrun to 0.5\n");
        zw_result *result;
        zw_export_options options = {.to = targets[i], .smooth = true};
        assert_int_equal(zw_export(model, &options, &result), ZW_WRONG);
        expect_message(model, "sticks beside others that depend on it");
        zw_model_free(model);
    }
}

static void formats_are_checked(void **state)
{
    (void)state;
    zw_model *model = model_of("param k = 1\ncoord x\nmass 1 at [x, 0, 0]\npotential k*x^2/2\n");
    for (int i = -1; i <= 6; i++) {
        zw_format as = (zw_format)i;
        zw_status said[5];
        zw_result *result[5] = {NULL};
        const char *equation = "x'' = 0";
        said[0] = zw_at(model, &(zw_at_options){.as = as}, &result[0]);
        said[1] = zw_check(model, &(zw_check_options){.as = as, .only = "kind"}, &result[1]);
        said[2] = zw_equations(model,
                               &(zw_equation_options){.as = as, .equations = &equation, .count = 1},
                               &result[2]);
        said[3] = zw_derive(model, &(zw_derive_options){.as = as, .forms = "appell"}, &result[3]);
        said[4] =
            zw_stability(model, &(zw_stability_options){.as = as, .vary = "k=1:2:3"}, &result[4]);
        for (int call = 0; call < 5; call++) {
            bool has = as == ZW_TEXT || as == ZW_JSON || (call == 3 && as == ZW_LATEX) ||
                       (call == 4 && as == ZW_CSV);
            if ((said[call] == ZW_WRONG) == has || (result[call] != NULL) != has)
                fail_msg("call %d in format %d: %d", call, i, said[call]);
            zw_result_free(result[call]);
        }
        if (as != ZW_TEXT && as != ZW_JSON)
            expect_message(model, "this cannot be told as");
        zw_free(zw_messages(model, ZW_NOTE));
    }
    zw_model_free(model);
}

// Options of a later version: fields that are not set do no harm, others are not ignored.
static void later_options_are_told(void **state)
{
    (void)state;
    struct {
        zw_check_options known;
        double later;
    } options = {.known = {.size = sizeof options, .only = "kind"}};
    zw_model *model = model_of(SPRING);
    zw_result *result;
    assert_int_equal(zw_check(model, &options.known, &result), ZW_DONE);
    zw_result_free(result);
    options.later = 1;
    assert_int_equal(zw_check(model, &options.known, &result), ZW_WRONG);
    expect_message(model, "use a later one");
    zw_model_free(model);
}

// The first row of a run, of two coordinates x and z, one of which may be an output.
typedef struct {
    size_t x, z;
    double first[2];
    bool known;
} FirstRow;

static bool keep_first(void *context, const double *values, size_t count)
{
    FirstRow *row = context;
    (void)count;
    if (!row->known) {
        row->first[0] = values[row->x];
        row->first[1] = values[row->z];
    }
    row->known = true;
    return true;
}

static FirstRow first_row(const char *text, bool reduce)
{
    zw_model *model;
    zw_model_options chosen = {.reduce = reduce};
    assert_int_equal(zw_model_read("m", text, strlen(text), &chosen, &model), ZW_DONE);
    FirstRow row = {0};
    zw_run_options options = {.row = keep_first, .context = &row};
    zw_result *names;
    assert_int_equal(zw_run_columns(model, NULL, &names), ZW_DONE);
    row.x = zw_result_find_column(names, "x");
    row.z = zw_result_find_column(names, "z");
    zw_result_free(names);
    assert_int_equal(zw_run(model, &options, NULL), ZW_DONE);
    zw_model_free(model);
    return row;
}

static void fewer_coordinates_start_alike(void **state)
{
    (void)state;
    const char *const ends[] = {"constraint c: z = x + 1\ninitial z = 3\n",
                                "constraint c: z = x + 1\n",
                                "constraint c: z = x + 1\ninitial approx z = 5\n",
                                "constraint c: z = x + 1\ninitial z = 3, y = 2*z\n",
                                "constraint c: 2*x + z = 4*t + 1\ninitial y' = 1\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y, z\nkinetic (x'^2 + 3*y'^2 + 2*z'^2)/2\nrun to 1 every 1\n%s",
                 ends[i]);
        FirstRow whole = first_row(text, false), fewer = first_row(text, true);
        for (size_t j = 0; j < 2; j++)
            assert_true(fabs(whole.first[j] - fewer.first[j]) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_the_default),
        cmocka_unit_test(runs_keep_columns),
        cmocka_unit_test(runs_keep_events),
        cmocka_unit_test(instants_are_numbers),
        cmocka_unit_test(checks_are_verdicts),
        cmocka_unit_test(stability_is_numbers),
        cmocka_unit_test(a_listener_stops_a_run),
        cmocka_unit_test(fewer_coordinates_start_alike),
        cmocka_unit_test(wrong_models_answer),
        cmocka_unit_test(misuse_is_answered),
        cmocka_unit_test(later_options_are_told),
        cmocka_unit_test(formats_are_checked),
        cmocka_unit_test(more_sticks_than_coordinates_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// run_making.c: a simulation as the options of a run ask for.
#include "api/branch_choices_impl.h"
#include "forms/forms.h"
#include "inquiry/inquiry.h"
#include "motion/start_numbers.h"
#include "simulate/simulate.h"

#include <math.h>
#include <string.h>

// 0 is what was not given; within, that is NAN. A NAN that was given is refused like a 0 of old.
static double given_number(double value)
{
    return value == 0 ? NAN : isnan(value) ? 0 : value;
}

// First integrals are outputs that nobody had to write down. The energy has its column already.
static void add_integrals(zw_model *model)
{
    Model *of = model->model;
    InquiryIntegrals *found = inquiry_integrals(model->motion, INQUIRY_BETWEEN_EVENTS);
    for (size_t i = 0; i < found->at.count; i++) {
        Text name = {0};
        text_addf(&name, "integral.%s", found->at.at[i].label);
        bool known = expr_same(found->at.at[i].value, model->motion->energy);
        for (size_t j = 0; j < of->outputs.count; j++)
            known = known || strcmp(of->outputs.at[j].name, name.at) == 0;
        ModelOutput output = {.name = arena_copy_text(of->arena, name.at, name.length),
                              .value = found->at.at[i].value};
        if (!known)
            array_push(&of->outputs, output);
        text_clear(&name);
    }
    inquiry_integrals_free(found);
}

static Status make_motion(zw_model *model, const zw_run_options *options)
{
    // Steps of fixed length take conditions over pairs together; all else knows them one by one.
    const char *method = api_method(model, options);
    bool together = method && strcmp(method, "timestepping") == 0 && !options->integrals;
    bool plain = !options->integrals && !options->form;
    TRY(together ? api_motion_of_pairs(model)
        : plain  ? api_motion_to_run(model)
                 : api_motion(model));
    if (!plain)
        TRY(motion_solve(model->motion, model->diag));
    if (options->integrals)
        add_integrals(model);
    return STATUS_OK;
}

Status api_run_options(const zw_model *model, const zw_run_options *options, RunOptions *wanted)
{
    *wanted = run_options();
    wanted->to = given_number(options->to);
    wanted->every = given_number(options->every);
    wanted->tolerance = given_number(options->tolerance);
    wanted->step = given_number(options->step);
    wanted->residuals = options->residuals;
    wanted->unwatched = options->no_watch;
    wanted->fixed = options->fixed;
    bool jumps = options->paradox && str_is(str_of(options->paradox), "impact");
    if (options->paradox && !jumps && !str_is(str_of(options->paradox), "stop"))
        return diag_error(model->diag, place_hint(HINT_PARADOX),
                          "'%s' is none of the ways out of a paradox; there are stop and impact",
                          options->paradox);
    wanted->jumps = options->paradox ? jumps : model->model->run.paradox_impact;
    wanted->sensitivity = options->sensitivity;
    wanted->branch = model->branch;
    wanted->uses = model->uses;
    wanted->from = model->begin ? model->begin->t : 0;
    wanted->length = model->begin ? model->begin->length : 0;
    wanted->driven = options->form != NULL;
    wanted->repeats = !options->audit && !options->fixed && !options->form && !options->sensitivity;
    if (options->engine && !run_engine_find(str_of(options->engine), &wanted->engine))
        return diag_error(model->diag, place_none(),
                          "unknown engine '%s'; there are interpret, native and auto",
                          options->engine);
    if (wanted->driven && !form_find(str_of(options->form), &wanted->form))
        return api_unknown_form(str_of(options->form), model->diag);
    const char *method = api_method(model, options);
    wanted->chooses_method = !method;
    if (method && !run_method_find(str_of(method), &wanted->method))
        return api_unknown_method(str_of(method), place_none(), model->diag);
    if (wanted->chooses_method)
        wanted->method = RUN_TAYLOR;
    return STATUS_OK;
}

void api_put_begin(const zw_model *model)
{
    Model *of = model->model;
    const RunBegin *begin = model->begin;
    if (!begin)
        return;
    of->starts.count = 0;
    for (size_t i = 0; i < 2 * of->coords.count; i++) {
        size_t target = i / 2;
        bool velocity = i % 2;
        if (velocity && of->coords.at[target].is_state)
            continue;
        ModelStart start = {
            .of = velocity ? START_VELOCITY : START_COORD,
            .target = target,
            .value = expr_double(of->pool, velocity ? begin->v[target] : begin->q[target]),
            .approx = !begin->given && !of->coords.at[target].is_state,
            .place = of->coords.at[target].place};
        array_push(&of->starts, start);
    }
    if (of->whiles.count > 0)
        model_start_whiles(of, begin->t);
}

// What the caller has said of the end of the run.
static Status read_until(zw_model *model, const zw_run_options *options, RunOptions *wanted)
{
    if (!options->until)
        return STATUS_OK;
    Source *source = source_new("until", options->until, strlen(options->until));
    array_push(&model->asked, source);
    wanted->until = model_read_until(model->model, source, model->diag);
    return wanted->until ? STATUS_OK : STATUS_WRONG;
}

static Status make_new(zw_model *model, const zw_run_options *options, Simulation **run)
{
    RunOptions wanted;
    api_put_begin(model);
    size_t messages = diag_total(model->diag);
    TRY(make_motion(model, options));
    diag_free(model->motion_notes);
    model->motion_notes = diag_new();
    diag_copy(model->motion_notes, model->diag, messages);
    TRY(api_run_options(model, options, &wanted));
    TRY(read_until(model, options, &wanted));
    TRY(api_branch_choices(model, options, &wanted));
    model->derived = true;
    model->kept_integrals = options->integrals;
    api_stage(model, "preparing the run");
    return run_new(model->motion, &wanted, model->diag, run);
}

typedef struct {
    const zw_run_options *options;
    Simulation **run;
} NewRun;

static Status make_by(zw_model *model, void *context)
{
    NewRun *wanted = context;
    return make_new(model, wanted->options, wanted->run);
}

Status api_make_new_run(zw_model *model, const zw_run_options *options, Simulation **run)
{
    if (model->derived)
        TRY(api_read_again(model, model->diag));
    return api_with_zeros(model, make_by, &(NewRun){options, run});
}

// With the equations of the run before, where there are such; *run is NULL where these do not
// serve.
static Status make_again(zw_model *model, const zw_run_options *options, Simulation **run)
{
    RunOptions wanted;
    Simulation *kept = model->kept;
    *run = NULL;
    TRY(api_run_options(model, options, &wanted));
    if (!kept || !wanted.repeats || options->branches || options->until || options->sensitivity ||
        options->integrals != model->kept_integrals || !run_can_repeat(kept))
        return STATUS_OK;
    api_put_begin(model);
    if (model->begin && !motion_start_stands(model->motion))
        return STATUS_OK;
    model->kept = NULL;
    diag_copy(model->diag, model->motion_notes, 0);
    Status status = run_repeat(kept, &wanted, model->diag, run);
    // An inertia that is 0 now needs other equations, if it is that.
    if (status != STATUS_NEGATIVE && !(status == STATUS_WRONG && api_has_zeros(model)))
        return status;
    diag_free(model->diag);
    model->diag = diag_new();
    return STATUS_OK;
}

// *again: whether it is one that may turn out not to be served by what was derived before.
Status api_make_run(zw_model *model, const zw_run_options *options, bool *again, Simulation **run)
{
    *run = NULL;
    TRY(model->status);
    TRY(make_again(model, options, run));
    *again = *run != NULL;
    return *run ? STATUS_OK : api_make_new_run(model, options, run);
}

// What the next run may take over.
void api_keep_run(zw_model *model, Simulation *run)
{
    if (!run_can_repeat(run) || !run_is_served(run)) {
        run_free(run);
        return;
    }
    run_free(model->kept);
    model->kept = run;
}

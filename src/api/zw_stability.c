// zw_stability.c: a steady motion, linearized, over a range where one is given.
//
// What is held is read as a setting, so that it replaces starts, and is known by its place.
#include "api/call_impl.h"
#include "api/numbers_impl.h"
#include "api/outputs_impl.h"
#include "api/result_impl.h"
#include "dynamics/equations.h"
#include "dynamics/hidden/hidden_conditions.h"
#include "linalg/tolerances.h"
#include "model/model_equation.h"
#include "motion/frictions.h"
#include "program/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1000000, MOST_DIGITS = 60 };

typedef struct {
    char *name;
    double a, b;
    size_t count;
} Range;

typedef struct {
    const zw_stability_options *options;
    Diag *diag;
    Source *held;   // what is held; NULL
    Model *model;   // with it; else NULL
    Motion *motion; // of either model, with friction in its mode
    Motion *base;   // without that
    double *start;  // with friction: coordinates and velocities there; else NULL
    Range range;
    double *position;
    double *reactions; // where forces hold them not linearly; else NULL
} Question;

// ---- NAME=a:b:n

static Status bad_range(const char *vary, Diag *diag)
{
    return diag_error(diag, place_hint(HINT_VARY),
                      "'%s' is no range of values: write NAME=FROM:TO:COUNT with numbers, as in "
                      "v=0:10:200; COUNT is a whole number from 2 to %d",
                      vary, MOST_POINTS);
}

// A value of what is varied, up to the next colon; with its unit where the model has some.
static Status read_end(zw_model *model, const char *vary, const Range *range, const char **at,
                       double *value)
{
    const char *begin = *at, *colon = strchr(begin, ':');
    char *end;
    if (!colon)
        return bad_range(vary, model->diag);
    *at = colon + 1;
    *value = strtod(begin, &end);
    bool plain = end == colon && end != begin;
    if (!model_has_units(model->model))
        return plain ? STATUS_OK : bad_range(vary, model->diag);
    Source *source = source_new("vary", begin, (size_t)(colon - begin));
    array_push(&model->asked, source);
    return model_read_value(model->model, source, str_of(range->name), model->diag, value);
}

static Status read_range(zw_model *model, const char *vary, Range *range)
{
    const char *equals = strchr(vary, '=');
    if (!equals || equals == vary)
        return bad_range(vary, model->diag);
    size_t length = (size_t)(equals - vary);
    while (length > 0 && vary[length - 1] == ' ')
        length--;
    range->name = base_alloc(length + 1);
    memcpy(range->name, vary, length);
    const char *at = equals + 1;
    TRY(read_end(model, vary, range, &at, &range->a));
    TRY(read_end(model, vary, range, &at, &range->b));
    char *end;
    long count = strtol(at, &end, 10);
    if (end == at || *end || count < 2 || count > MOST_POINTS || !isfinite(range->a) ||
        !isfinite(range->b) || range->a == range->b)
        return bad_range(vary, model->diag);
    range->count = (size_t)count;
    return STATUS_OK;
}

// ---- What is held.

static Status read_held(zw_model *model, Question *question)
{
    const char *at = question->options->at;
    question->held = source_new("held", at, strlen(at));
    array_push(&model->asked, question->held);
    size_t opened = model->setting_count, count = opened + model->set_count;
    ModelSetting *settings = base_alloc((count + 1) * sizeof *settings);
    for (size_t i = 0; i < count; i++)
        settings[i].source =
            i < opened ? model->setting_sources[i] : model->set_sources[i - opened];
    settings[count].source = question->held;
    Status status = model_read_replacing(model->source, settings, count + 1, NULL, 0, model->inputs,
                                         question->diag, &question->model);
    base_free(settings);
    TRY(status);
    Model *with = question->model;
    for (size_t i = 0; i < with->params.count; i++)
        if (with->params.at[i].place.source == question->held)
            status = diag_error(
                question->diag, place_with_hint(with->params.at[i].place, HINT_SET),
                "a steady motion holds coordinates, velocities and speeds, and '%s' is a "
                "parameter; give it as a setting",
                with->params.at[i].name);
    with->independent.count = 0;
    for (size_t i = 0; i < model->model->independent.count; i++)
        array_push(&with->independent, model->model->independent.at[i]);
    return status;
}

static Status make_motion(zw_model *model, Question *question)
{
    if (!question->options->at) {
        TRY(api_motion(model));
        question->motion = model->motion;
        return STATUS_OK;
    }
    TRY(model->status);
    TRY(read_held(model, question));
    TRY(hidden_motion_new(question->model, false, question->diag, &question->motion));
    return model->orthonormal ? motion_orthonormal(question->motion, question->diag) : STATUS_OK;
}

// ---- Where the search begins.

static bool has_finite(const Motion *motion)
{
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position))
            return true;
    return false;
}

// A run from these starts, in the place of the model's.
static Status run_from(Question *question, ModelStart *starts, size_t count, Simulation **run)
{
    Motion *motion = question->base;
    Model *model = question->model ? question->model : (Model *)motion->model;
    RunOptions options = run_options();
    options.instant = true;
    Diag *unheard = diag_new();
    ModelStart *kept = model->starts.at;
    size_t kept_count = model->starts.count;
    model->starts.at = starts;
    model->starts.count = count;
    *run = NULL;
    Status status = run_new(motion, &options, unheard, run);
    model->starts.at = kept;
    model->starts.count = kept_count;
    if (status != STATUS_OK)
        api_pass_errors(unheard, question->diag);
    diag_free(unheard);
    return status;
}

// The coordinates of the start, moved onto the finite conditions where these ask for it; what is
// not held may move. Velocities do not matter for that, and need not fit to what is held.
static Status find_position(Question *question)
{
    Motion *motion = question->base;
    const Model *model = motion->model;
    ModelStart *starts = base_alloc((model->starts.count + 1) * sizeof *starts);
    size_t count = 0;
    for (size_t i = 0; i < model->starts.count; i++)
        if (model->starts.at[i].of == START_COORD) {
            ModelStart start = model->starts.at[i];
            start.approx = start.approx || (question->held && start.place.source != question->held);
            starts[count++] = start;
        }
    Simulation *run;
    Status status = run_from(question, starts, count, &run);
    if (status == STATUS_OK)
        memcpy(question->position, run_start(run).q, motion->n * sizeof *question->position);
    run_free(run);
    base_free(starts);
    return status;
}

// Without finite conditions the coordinates of the start are as they are given.
static Status take_position(Question *question)
{
    const Motion *motion = question->motion;
    const Model *model = motion->model;
    size_t params = model->params.count, count = model->starts.count;
    double *values = base_alloc((params + 1) * sizeof *values);
    Expr *symbols = base_alloc((params + 1) * sizeof *symbols);
    Expr *exprs = base_alloc((count + 1) * sizeof *exprs);
    Status status = model_param_values(model, question->diag, values);
    for (size_t i = 0; i < params; i++)
        symbols[i] = model->params.at[i].symbol;
    for (size_t i = 0; i < count; i++)
        exprs[i] = model->starts.at[i].value;
    Program *program =
        status == STATUS_OK ? program_new(model->pool, symbols, params, exprs, count, NULL) : NULL;
    double *out = base_alloc((count + 1) * sizeof *out);
    bool found = program_run_once(program, values, out);
    for (size_t i = 0; i < count && found; i++) {
        const ModelStart *start = &model->starts.at[i];
        if (start->of != START_COORD)
            continue;
        question->position[start->target] = out[i];
        if (!isfinite(out[i]))
            status = diag_error(question->diag, start->place,
                                "this initial value is not a finite number");
    }
    base_free(out);
    base_free(values);
    base_free(symbols);
    base_free(exprs);
    return status;
}

// As a run does.
static Status warn_of_inertia(const Question *question)
{
    const Motion *motion = question->motion;
    size_t params = motion->model->params.count;
    double *inputs = base_alloc((params + 1 + motion->n) * sizeof *inputs);
    Status status = model_param_values(motion->model, question->diag, inputs);
    inputs[params] = 0;
    memcpy(inputs + params + 1, question->position, motion->n * sizeof *inputs);
    if (status == STATUS_OK)
        inertia_check_at(motion, inputs, question->diag);
    base_free(inputs);
    return status;
}

// ---- The mode of friction.

// With friction: the motion in which what sticks at the start goes on sticking, and what slides
// goes on sliding.
static Status take_mode(Question *question)
{
    Motion *base = question->base = question->motion;
    if (base->bends && question->options->vary)
        return diag_error(question->diag, place_hint(HINT_VARY),
                          "forces that hold reactions not linearly (abs, lengths, powers of them) "
                          "are linearized about the reactions of one steady motion; leave out the "
                          "range");
    if (base->friction_count == 0)
        return STATUS_OK;
    if (question->options->vary)
        return diag_error(question->diag, place_hint(HINT_VARY),
                          "with friction the linearization is that of the mode at the start, which "
                          "is known of one steady motion alone; leave out the range");
    question->start = base_alloc((2 * base->n + 1) * sizeof *question->start);
    question->motion = NULL;
    TRY(api_steady_mode(base, question->diag, question->start, &question->motion));
    return STATUS_OK;
}

// Elsewhere the mode need not be the one of the start.
static Status check_start(const Question *question, const InquiryLinear *linear)
{
    size_t n = question->motion->n;
    double apart = 0, size = 0;
    Text found = {0};
    for (size_t i = 0; i < 2 * n && question->start; i++) {
        double value = i < n ? linear->q[i] : linear->v[i - n], start = question->start[i];
        size = fmax(size, fabs(start));
        apart = fmax(apart, fabs(value - start));
        Expr symbol = i < n ? question->motion->q[i] : question->motion->v[i - n];
        if (fabs(value - start) > TOL_SMALL * fmax(fabs(start), fabs(value)))
            text_addf(&found, "%s%s = %.10g", found.length ? ", " : "",
                      expr_name(question->motion->pool, symbol), value);
    }
    Status status = STATUS_OK;
    if (apart > TOL_SMALL * size && apart > TOL_ZERO && found.length > 0)
        status = diag_error(question->diag, place_hint(HINT_AT),
                            "with friction the steady motion has to be the start, whose mode is "
                            "taken; the one found near it has %s: start there",
                            found.at);
    text_clear(&found);
    return status;
}

// ---- Forces that hold reactions not linearly.

// The reactions at a state, of the conditions in force.
static Status reactions_at(Question *question, const double *q, const double *v, double *reactions)
{
    const Motion *motion = question->base;
    size_t n = motion->n;
    ModelStart *starts = base_alloc((2 * n + 1) * sizeof *starts);
    for (size_t i = 0; i < 2 * n; i++)
        starts[i] = (ModelStart){.of = i < n ? START_COORD : START_VELOCITY,
                                 .target = i % n,
                                 .value = expr_double(motion->pool, i < n ? q[i] : v[i - n]),
                                 .approx = true};
    Simulation *run;
    Status status = run_from(question, starts, 2 * n, &run);
    if (status == STATUS_OK)
        memcpy(reactions, run_start(run).lambda, motion->in_force_count * sizeof *reactions);
    run_free(run);
    base_free(starts);
    return status;
}

// In a mode of friction the steady motion is the start. Only lengths of reactions of equations are
// not linear then: others count as 0.
static Status take_start_reactions(Question *question, double *reactions)
{
    const Motion *motion = question->motion, *base = question->base;
    double *all = base_alloc((base->in_force_count + 1) * sizeof *all);
    Status status = reactions_at(question, question->start, question->start + base->n, all);
    for (size_t i = 0; i < motion->in_force_count; i++)
        for (size_t k = 0; k < base->in_force_count; k++)
            if (motion->in_force[i] == base->in_force[k])
                reactions[i] = all[k];
    base_free(all);
    return status;
}

// Linearized about reactions at hand, the forces give a steady motion, and this other reactions:
// Newton's method. The first ones are those of the coordinates where the search begins, at rest.
static Status find_reactions(Question *question, InquirySmallOptions *wanted)
{
    const Motion *motion = question->motion;
    size_t count = motion->in_force_count;
    double *now = question->reactions = base_alloc((2 * count + 1) * sizeof *now);
    if (motion != question->base) {
        wanted->multipliers = now;
        return take_start_reactions(question, now);
    }
    double *next = now + count, apart = INFINITY, size = 0;
    double *still = base_alloc((motion->n + 1) * sizeof *still);
    Status status = reactions_at(question, question->position, still, now);
    base_free(still);
    wanted->multipliers = now;
    for (int step = 0; status == STATUS_OK && step < LIMIT_STEPS && apart > TOL_ZERO * size;
         step++) {
        InquirySmall *small;
        InquiryLinear linear;
        TRY(inquiry_small_new(question->motion, wanted, question->diag, &small));
        status = inquiry_small_find(small, question->diag, &linear);
        if (status == STATUS_OK)
            status = reactions_at(question, linear.q, linear.v, next);
        apart = size = 0;
        for (size_t i = 0; i < count && status == STATUS_OK; i++) {
            apart = fmax(apart, fabs(next[i] - now[i]));
            size = fmax(size, fabs(next[i]));
            now[i] = next[i];
        }
        inquiry_small_free(small);
    }
    if (status == STATUS_OK && apart > TOL_ZERO * size)
        return diag_error(question->diag, place_none(),
                          "the reactions at the steady motion, which forces hold, were not found "
                          "from this start; begin nearer");
    return status;
}

// ---- The answer.

static Status write_answer(const Question *question, const Show *show,
                           const ShowStability *stability, Text *text)
{
    const zw_stability_options *options = question->options;
    ShowPlotStyle style;
    TRY(api_plot_style(options->plot_style, question->diag, &style));
    if (options->plot)
        TRY(show_stability_plot(show, stability, options->plot, &style, question->diag));
    if (options->as == ZW_JSON) {
        show_stability_json(show, stability, text);
        api_sign_json(text);
    } else if (options->as == ZW_CSV)
        show_stability_csv(stability, text);
    else
        show_stability_text(show, stability, text);
    return STATUS_OK;
}

static void clear_enclosed(InquiryEnclosed *enclosed, size_t count)
{
    for (size_t i = 0; i < count && enclosed; i++) {
        text_clear(&enclosed[i].re);
        text_clear(&enclosed[i].im);
    }
    base_free(enclosed);
}

static void note_intervals(const Model *model, const InquiryIntervals *told, Diag *diag)
{
    if (told)
        diag_add(diag, DIAG_NOTE, place_none(),
                 "interval data: matrices and eigenvalues are those of the midpoint");
    else if (model_has_intervals(model))
        diag_add(diag, DIAG_NOTE, place_none(), "interval data: the midpoint was linearized");
}

static Status find(const Question *question, const InquirySmallOptions *wanted, InquirySmall *small,
                   zw_result *result)
{
    const zw_stability_options *options = question->options;
    Motion *motion = question->motion;
    InquiryLinear linear;
    InquiryCurve curve;
    TRY(inquiry_small_find(small, question->diag, &linear));
    TRY(check_start(question, &linear));
    api_find_free_spin(motion, wanted, &linear);
    ShowStability stability = {.linear = &linear, .digits = options->digits};
    if (options->vary) {
        TRY(inquiry_small_follow(small, question->range.a, question->range.b, question->range.count,
                                 question->diag, &curve));
        stability.root_locus = options->root_locus;
        stability.curve = &curve;
        stability.varied = question->range.name;
    }
    if (options->as != ZW_CSV) {
        stability.form = inquiry_small_form(small);
        stability.frequency_count =
            inquiry_small_frequencies(small, &linear, stability.frequencies);
    }
    InquiryEnclosed *enclosed = NULL;
    if (options->digits > 0) {
        enclosed = base_alloc((linear.size + 1) * sizeof *enclosed);
        if (inquiry_small_enclose(small, options->digits, enclosed))
            stability.enclosed = enclosed;
        else
            diag_add(question->diag, DIAG_WARNING, place_hint(HINT_DIGITS),
                     "these eigenvalues cannot be enclosed so well, because some coincide or the "
                     "motion cannot be; they are given in doubles");
    }
    InquiryIntervals intervals;
    if (inquiry_small_intervals(small, &intervals))
        stability.intervals = &intervals;
    note_intervals(motion->model, stability.intervals, question->diag);
    size_t k = motion->k;
    Expr *slow = base_alloc((k * k + k + 1) * sizeof *slow);
    if (options->slow && inquiry_slow(motion, slow, slow + k * k)) {
        stability.slow_matrix = slow;
        stability.slow_right = slow + k * k;
    } else if (options->slow) {
        diag_add(question->diag, DIAG_WARNING, place_hint(HINT_SLOW),
                 "the conditions hold the time, so that slow motions have no equations of "
                 "their own");
    }
    Show *show = show_new(motion);
    Text text = {0};
    Status status = write_answer(question, show, &stability, &text);
    if (status == STATUS_OK) {
        result_put_text(result, &text, options->as, options->width);
        result_put_steady(&linear, stability.curve, result);
    }
    text_clear(&text);
    show_free(show);
    base_free(slow);
    clear_enclosed(enclosed, linear.size);
    return status;
}

static Status check_options(zw_model *model, Question *question)
{
    const zw_stability_options *options = question->options;
    TRY(api_check_format(options->as, ZW_CSV, question->diag));
    if (options->vary)
        TRY(read_range(model, options->vary, &question->range));
    else if (options->as == ZW_CSV)
        return diag_error(question->diag, place_hint(HINT_VARY),
                          "CSV holds a curve; say over what, as NAME=FROM:TO:COUNT");
    else if (options->plot)
        return diag_error(question->diag, place_hint(HINT_VARY),
                          "a plot shows a curve; say over what, as NAME=FROM:TO:COUNT");
    if (options->root_locus && !options->plot)
        return diag_error(question->diag, place_hint(HINT_PLOT),
                          "the root locus is a picture; name a file for it, as locus.svg");
    if (options->digits > MOST_DIGITS)
        return diag_error(question->diag, place_hint(HINT_DIGITS),
                          "no more than %d digits can be enclosed", MOST_DIGITS);
    return STATUS_OK;
}

static Status check_conditions(const Motion *motion, Diag *diag)
{
    if (motion->second_count == 0)
        return STATUS_OK;
    const ModelConstraint *constraint = motion->seconds[0].row.constraint;
    return diag_error(diag, constraint->place,
                      "the constraint '%s' holds accelerations; this version cannot linearize "
                      "about motions that it binds",
                      constraint->name);
}

// Whether functions given by tables hold the time; all else that holds it is refused.
static bool tables_hold_time(const Motion *motion)
{
    const Model *model = motion->model;
    Expr t = model->t;
    bool found = expr_holds(motion->pool, motion->U, t) || expr_holds(motion->pool, motion->T, t);
    for (size_t nu = 0; nu < motion->n; nu++)
        found = found || expr_holds(motion->pool, motion->K[nu], t);
    for (size_t i = 0; i < motion->m; i++)
        found = found || expr_holds(motion->pool, motion->rows[i].velocity, t);
    return found && model->tables.count > 0;
}

// Inputs are parameters here, with their values at t = 0.
static void note_signals(const zw_model *model, const Motion *motion)
{
    const Model *read = model->model;
    size_t at = 0, count = read->params.count;
    while (at < count && (expr_is_none(read->params.at[at].signal) ||
                          !expr_holds(read->pool, read->params.at[at].signal, read->t)))
        at++;
    if (at < count || tables_hold_time(motion))
        diag_add(model->diag, DIAG_NOTE,
                 at < count ? read->params.at[at].place : read->tables.at[0].place,
                 "inputs and tables in t are held at t = 0");
}

static Status ask(zw_model *model, Question *question, zw_result *result)
{
    const char *outputs[] = {NULL, question->options->plot};
    TRY(check_options(model, question));
    TRY(api_check_outputs(model, outputs, 2));
    TRY(make_motion(model, question));
    TRY(check_conditions(question->motion, question->diag));
    TRY(take_mode(question));
    for (size_t i = 0; i < model->model->events.count; i++)
        if (model->model->events.at[i].sampling)
            return diag_error(model->diag, model->model->events.at[i].place,
                              "the sample '%s' acts at instants, so that no linearization in "
                              "time has it; write its law as a force for the linearization",
                              model->model->events.at[i].name);
    note_signals(model, question->motion);
    api_note_impulses(model, "is not part of the linearization");
    api_note_events(model, "is held off: it is not part of the linearization");
    Motion *motion = question->motion;
    question->position = base_alloc((motion->n + 1) * sizeof *question->position);
    TRY(has_finite(motion) ? find_position(question) : take_position(question));
    TRY(warn_of_inertia(question));
    InquirySmallOptions wanted = {.held = question->held,
                                  .position = question->position,
                                  .vary = question->range.name,
                                  .inputs = question->options->inputs,
                                  .hold_tables = motion->model->tables.count > 0};
    InquirySmall *small;
    api_stage(model, "linearizing");
    if (motion->bends)
        TRY(find_reactions(question, &wanted));
    TRY(inquiry_small_new(motion, &wanted, question->diag, &small));
    Status status = find(question, &wanted, small, result);
    inquiry_small_free(small);
    return status;
}

bool api_small_at_start(zw_model *model, InquirySmall **small, InquiryLinear *linear)
{
    Motion *motion = model->motion;
    *small = NULL;
    if (motion->second_count > 0 || motion->k == 0)
        return false;
    zw_stability_options options = {0};
    Question question = {.options = &options, .diag = diag_new(), .motion = motion, .base = motion};
    question.position = base_alloc((motion->n + 1) * sizeof *question.position);
    InquirySmallOptions wanted = {.position = question.position};
    bool found =
        (has_finite(motion) ? find_position(&question) : take_position(&question)) == STATUS_OK &&
        inquiry_small_new(motion, &wanted, question.diag, small) == STATUS_OK &&
        inquiry_small_find(*small, question.diag, linear) == STATUS_OK;
    base_free(question.position);
    diag_free(question.diag);
    return found;
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    Question question = {.options = given, .diag = model->diag};
    TRY(model->status);
    Status status = api_read_inputs(model, MODEL_HOLD_INPUTS);
    if (status == STATUS_OK)
        status = ask(model, &question, result);
    base_free(question.range.name);
    base_free(question.position);
    base_free(question.reactions);
    base_free(question.start);
    if (question.base && question.motion != question.base)
        motion_free(question.motion);
    if (question.model) {
        motion_free(question.base ? question.base : question.motion);
        model_free(question.model);
    }
    Status again = api_read_inputs(model, 0);
    return status == STATUS_OK ? again : status;
}

zw_status zw_stability(zw_model *model, const zw_stability_options *given, zw_result **result)
{
    zw_stability_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}

// run_options.c: what was asked for, else what the model's `run` line says, else the defaults.
#include "base/decimal.h"
#include "base/diag.h"
#include "base/strings.h"
#include "base/text_builder.h"
#include "dynamics/evaluator.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/events.h"
#include "model/friction.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/frictions.h"
#include "ode/ode.h"
#include "simulate/method_choice_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <math.h>

// Where nothing is said, a run ends at this time; the other defaults are made of it: two hundred
// rows, ten steps of timestepping from a row to the next. So are the limits of a tolerance.
#define DEFAULT_TO 10.0

RunOptions run_options(void)
{
    return (RunOptions){.to = NAN, .every = NAN, .tolerance = NAN, .step = NAN};
}

double run_options_steps(const RunOptions *options, double span)
{
    assert(options->step > 0 && span >= 0);
    return fmax(ceil(span / options->step * (1 - TOL_SMALL)), 1);
}

const char *run_method_name(RunMethod method)
{
    assert(method < RUN_METHOD_COUNT);
    return method == RUN_TIMESTEPPING ? "timestepping" : ode_method_name((OdeMethod)method);
}

bool run_method_find(Str name, RunMethod *method)
{
    for (*method = 0; *method < RUN_METHOD_COUNT; ++*method)
        if (str_is(name, run_method_name(*method)))
            return true;
    return false;
}

bool run_engine_find(Str name, RunEngine *engine)
{
    static const char *const names[] = {
        [RUN_AUTO] = "auto", [RUN_INTERPRET] = "interpret", [RUN_NATIVE] = "native"};
    for (*engine = 0; *engine < sizeof names / sizeof *names; ++*engine)
        if (str_is(name, names[*engine]))
            return true;
    return false;
}

// The number of one part of the `run` line; false where it is not given.
static bool evaluate(const Motion *motion, Expr e, const double *params, double *value)
{
    const Model *model = motion->model;
    if (expr_is_none(e))
        return false;
    Expr *symbols = base_alloc((model->params.count + 1) * sizeof *symbols);
    for (size_t i = 0; i < model->params.count; i++)
        symbols[i] = model->params.at[i].symbol;
    Evaluator evaluator = {0};
    bool known = evaluator_init(&evaluator, model->pool, symbols, model->params.count, &e, 1, NULL);
    if (known) {
        evaluator_run(&evaluator, params);
        *value = evaluator.out[0];
    }
    evaluator_clear(&evaluator);
    base_free(symbols);
    return known;
}

// One option from its three sources, the first of which is given; the place is that of a wrong one.
static Place pick(const Motion *motion, Expr line, const double *params, double otherwise,
                  Hint hint, double *value)
{
    if (!isnan(*value))
        return place_hint(hint);
    *value = otherwise;
    return evaluate(motion, line, params, value) ? motion->model->run.place : place_hint(hint);
}

static bool is_positive(double value)
{
    return value > 0 && isfinite(value);
}

double run_options_row_time(const RunOptions *options, size_t row)
{
    return decimal_multiple(options->every, options->denominator, row);
}

// Times that cannot be told from each other are a slip of the keyboard.
static bool are_too_many(double to, double every)
{
    return TOL_ZERO * to > every;
}

// Whether an inertia, a potential or a condition jumps where a function switches, so that
// velocities may.
static bool velocities_may_jump(const Motion *motion)
{
    size_t count = 0;
    Expr *roots = base_alloc((2 + 2 * motion->m) * sizeof *roots);
    roots[count++] = motion->T;
    roots[count++] = expr_is_none(motion->U) ? motion->T : motion->U;
    for (size_t i = 0; i < motion->m; i++) {
        Expr position = motion->rows[i].position;
        roots[count++] = motion->rows[i].velocity;
        roots[count++] = expr_is_none(position) ? motion->T : position;
    }
    ExprList nodes = expr_nodes(motion->pool, roots, count);
    bool found = false;
    for (size_t i = 0; i < nodes.count; i++)
        found = found || expr_op(motion->pool, (Expr){nodes.at[i]}) == EXPR_SIGN;
    expr_list_free(&nodes);
    base_free(roots);
    return found;
}

// The step of timestepping.
static Status resolve_step(const Motion *motion, RunOptions *settings, Diag *diag)
{
    bool given = !isnan(settings->step);
    if (settings->method != RUN_TIMESTEPPING)
        return given ? diag_error(diag, place_hint(HINT_STEP),
                                  "a step is for the method 'timestepping'; the other methods "
                                  "choose their steps by the tolerance")
                     : STATUS_OK;
    if (settings->driven)
        return diag_error(diag, place_hint(HINT_FORM),
                          "the method 'timestepping' goes by least constraint; it takes no form");
    if (modules_apply(motion))
        return diag_error(diag, place_hint(HINT_METHOD),
                          "the method 'timestepping' takes conditions that are linear in the "
                          "velocities and kept by ideal reactions; another method takes these");
    if (velocities_may_jump(motion))
        return diag_error(diag, place_hint(HINT_METHOD),
                          "the method 'timestepping' does not see where an inertia, a potential or "
                          "a condition switches; another method does");
    settings->chooses_step = !given;
    if (!given)
        settings->step = settings->every / DEFAULT_TO;
    if (!is_positive(settings->step))
        return diag_error(diag, place_hint(HINT_STEP),
                          "the step must be positive and finite, not %g", settings->step);
    if (are_too_many(settings->to, settings->step))
        return diag_error(diag, place_hint(HINT_STEP), "steps of %g up to %g are more than %.0e",
                          settings->step, settings->to, 1 / TOL_ZERO);
    return STATUS_OK;
}

// What holds reactions not linearly in a motion: the bound of a friction, or (NULL) a force.
static bool bends_reactions(const Motion *motion, const MotionFriction **friction)
{
    *friction = NULL;
    for (size_t i = 0; i < motion->friction_count && !*friction; i++)
        if (motion_friction_has_length(&motion->frictions[i]))
            *friction = &motion->frictions[i];
    return *friction || motion->bends || motion->sides_bend;
}

// Whether a root of reactions stands in an expression.
static bool holds_length(const Model *model, Expr e)
{
    ExprPool *pool = model->pool;
    ExprList nodes = expr_nodes(pool, &e, 1);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++) {
        Expr node = {nodes.at[i]};
        for (size_t k = 0; k < expr_arg_count(pool, node) && !found; k++)
            for (size_t c = 0; c < model->constraints.count && !found; c++)
                found = expr_op(pool, node) == EXPR_PRODUCT && expr_arg_is_rooted(pool, node, k) &&
                        expr_holds(pool, expr_arg(pool, node, k), model->constraints.at[c].lambda);
    }
    expr_list_free(&nodes);
    return found;
}

// The same of friction that begins later, by `while`.
static const ModelFriction *later_length(const Model *model)
{
    for (size_t i = 0; i < model->frictions.count; i++) {
        const ModelFriction *friction = &model->frictions.at[i];
        if (friction->waits > 0 &&
            (holds_length(model, friction->bound) || holds_length(model, friction->hold)))
            return friction;
    }
    return NULL;
}

bool options_follow(const Motion *motion, const RunOptions *settings)
{
    const MotionFriction *friction;
    return !bends_reactions(motion, &friction) || settings->method == RUN_ERK ||
           settings->method == RUN_ADAMS || (friction && settings->method == RUN_TIMESTEPPING);
}

// Series and implicit steps know no forces by the length of several reactions, or others that hold
// reactions not linearly: 'erk' takes the place of series. Steps of fixed length know no forces
// that hold reactions at all.
static Status method_suits_reactions(const Motion *motion, RunOptions *settings, Diag *diag)
{
    const MotionFriction *friction;
    Text what = {0};
    if (settings->method == RUN_TIMESTEPPING && motion->sides_act)
        return diag_error(diag, place_hint(HINT_METHOD),
                          "a force holds the reaction of a one-sided condition, which the method "
                          "'timestepping' cannot follow; another method can");
    for (size_t i = 0; i < motion->friction_count && settings->method == RUN_TIMESTEPPING; i++)
        if (motion_friction_is_massless(&motion->frictions[i]))
            return diag_error(diag, place_hint(HINT_METHOD),
                              "the friction '%s' acts on what has no inertia, which the method "
                              "'timestepping' cannot follow; another method can",
                              motion->frictions[i].friction->name);
    const ModelFriction *later =
                            settings->method == RUN_TAYLOR ? later_length(motion->model) : NULL,
                        *own = later;
    if (options_follow(motion, settings) && !later)
        return STATUS_OK;
    bends_reactions(motion, &friction);
    if (friction)
        own = friction->friction;
    if (own)
        text_addf(&what, "the bound of '%s' holds the length of several reactions", own->name);
    else
        text_add(&what, "a force holds reactions not linearly");
    Status status = STATUS_OK;
    if (settings->method != RUN_TAYLOR)
        status = diag_error(diag, place_hint(HINT_METHOD),
                            "%s, which the method '%s' cannot follow; 'erk' and 'adams' can",
                            what.at, run_method_name(settings->method));
    else
        diag_add(diag, DIAG_NOTE, place_hint(HINT_METHOD),
                 "%s, which series cannot follow; the method 'erk' is taken", what.at);
    if (settings->method == RUN_TAYLOR) {
        settings->method = RUN_ERK;
        settings->chooses_method = false;
        settings->instead =
            own ? "friction by the length of several reactions" : "forces not linear in reactions";
    }
    text_clear(&what);
    return status;
}

// What acts at times inside of steps that nobody knows before: events; and samples that make
// velocities jump. Its word, and its place; NULL where there is nothing of the kind.
static const char *acts_inside(const Model *model, Place *place)
{
    for (size_t i = 0; i < model->events.count; i++) {
        *place = model->events.at[i].place;
        if (!model_event_is_quiet(&model->events.at[i]))
            return model->events.at[i].trigger == TRIGGER_SAMPLE ? "sample" : "event";
    }
    return NULL;
}

// Steps of fixed length do not end where something happens.
static Status check_fixed_steps(const Model *model, const RunOptions *settings, Diag *diag)
{
    Place place = place_none();
    const char *word = acts_inside(model, &place);
    if (settings->method != RUN_TIMESTEPPING || (!word && !settings->until))
        return STATUS_OK;
    return diag_error(diag, place_with_hint(word ? place : place_none(), HINT_METHOD),
                      "the method 'timestepping' takes steps of fixed length and finds no events, "
                      "and so no '%s'; another method does",
                      word ? word : "until");
}

Status options_resolve(const Motion *motion, const RunOptions *given, Diag *diag,
                       RunOptions *settings)
{
    assert(given && diag && settings);
    const ModelRun *line = &motion->model->run;
    double *params = base_alloc((motion->model->params.count + 1) * sizeof *params);
    Status status = model_param_values(motion->model, diag, params);
    *settings = *given;
    Place to = pick(motion, line->to, params, DEFAULT_TO, HINT_TO, &settings->to);
    Place every = pick(motion, line->every, params, settings->to / (2 * DEFAULT_TO * DEFAULT_TO),
                       HINT_EVERY, &settings->every);
    Place tolerance = pick(motion, line->tolerance, params, EVENT_MARGIN * TOL_ZERO, HINT_TOLERANCE,
                           &settings->tolerance);
    base_free(params);
    TRY(status);
    if (!settings->until)
        settings->until = line->until;
    settings->smooth = motion_is_smooth(motion, &settings->operations);
    if (!is_positive(settings->to))
        status =
            diag_error(diag, to, "the end time must be positive and finite, not %g", settings->to);
    else if (!is_positive(settings->every))
        status =
            diag_error(diag, every, "the time between rows must be positive and finite, not %g",
                       settings->every);
    else if (are_too_many(settings->to, settings->every))
        status = diag_error(diag, every, "a row every %g up to %g makes more than %.0e rows",
                            settings->every, settings->to, 1 / TOL_ZERO);
    double least = TOL_ROUNDING / DEFAULT_TO, most = 1 / DEFAULT_TO;
    if (!(settings->tolerance >= least && settings->tolerance <= most))
        status = diag_error(diag, tolerance, "the tolerance must lie between %g and %g, not %g",
                            least, most, settings->tolerance);
    if (check_fixed_steps(motion->model, settings, diag) != STATUS_OK)
        status = STATUS_WRONG;
    if (given->branch > 0 && motion_is_affine(motion))
        status = diag_error(diag, place_hint(HINT_BRANCH),
                            "there is only one stationary point to choose: no constraint is of the "
                            "second class and not affine in the accelerations, and no energy of "
                            "acceleration is more than quadratic");
    TRY(status);
    settings->denominator = decimal_denominator(settings->every);
    settings->chooses_method = given->chooses_method && method_choose(motion, settings);
    TRY(method_suits_reactions(motion, settings, diag));
    return resolve_step(motion, settings, diag);
}

// run_options.c: what was asked for, else what the model's `run` line says, else the defaults.
#include "dynamics/evaluator.h"
#include "ode/ode.h"
#include "simulate/run_options_impl.h"

#include <float.h>
#include <math.h>

#define DEFAULT_TO        10.0
#define DEFAULT_ROWS      200.0
#define DEFAULT_TOLERANCE 1e-10
#define LEAST_TOLERANCE   1e-15
#define MOST_TOLERANCE    0.1
// More rows than any disk holds are a slip of the keyboard.
#define MOST_ROWS 1e12
// Timestepping: so many steps from a row to the next.
#define STEPS_A_ROW 10.0

RunOptions run_options(void)
{
    return (RunOptions){.to = NAN, .every = NAN, .tolerance = NAN, .step = NAN};
}

const char *run_method_name(RunMethod method)
{
    return method == RUN_TIMESTEPPING ? "timestepping" : ode_method_name((OdeMethod)method);
}

bool run_method_find(Str name, RunMethod *method)
{
    for (RunMethod each = 0; each < RUN_METHOD_COUNT; each++) {
        if (str_is(name, run_method_name(each))) {
            *method = each;
            return true;
        }
    }
    return false;
}

bool run_engine_find(Str name, RunEngine *engine)
{
    static const char *const names[] = {
        [RUN_AUTO] = "auto", [RUN_INTERPRET] = "interpret", [RUN_NATIVE] = "native"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_is(name, names[i])) {
            *engine = (RunEngine)i;
            return true;
        }
    }
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

// One option from its three sources; *place says where a wrong one is.
static double pick(const Motion *motion, double given, Expr line, const double *params,
                   double otherwise, Place *place)
{
    double value = otherwise;
    *place = place_none();
    if (!isnan(given))
        return given;
    if (evaluate(motion, line, params, &value))
        *place = motion->model->run.place;
    return value;
}

bool options_can_step(const Motion *motion)
{
    return !motion->curved && !motion->servos && motion->second_count == 0;
}

// The step of timestepping.
static Status resolve_step(const Motion *motion, RunOptions *settings, Diag *diag)
{
    bool given = !isnan(settings->step);
    if (settings->method != RUN_TIMESTEPPING)
        return given ? diag_error(diag, place_none(),
                                  "'--step' is for '--method timestepping'; the other methods "
                                  "choose their steps by '--tolerance'")
                     : STATUS_OK;
    if (settings->driven)
        return diag_error(diag, place_none(),
                          "'--method timestepping' goes by least constraint and by no other form; "
                          "leave --form out");
    if (!options_can_step(motion))
        return diag_error(diag, place_none(),
                          "'--method timestepping' takes conditions that are linear in the "
                          "velocities and kept by ideal reactions; another method takes these");
    if (!given)
        settings->step = settings->every / STEPS_A_ROW;
    if (!(settings->step > 0 && isfinite(settings->step)))
        return diag_error(diag, place_none(),
                          "the step must be positive and finite, not %g ('--step H')",
                          settings->step);
    if (settings->to / settings->step > MOST_ROWS)
        return diag_error(diag, place_none(),
                          "steps of %g up to %g are more than %.0e ('--step H')", settings->step,
                          settings->to, MOST_ROWS);
    return STATUS_OK;
}

static Status resolve(const Motion *motion, const RunOptions *given, const double *params,
                      Diag *diag, RunOptions *settings)
{
    const ModelRun *line = &motion->model->run;
    Place place = {0};
    Status status = STATUS_OK;
    *settings = *given;

    settings->to = pick(motion, given->to, line->to, params, DEFAULT_TO, &place);
    bool ends = settings->to > 0 && isfinite(settings->to);
    if (!ends)
        status = diag_error(diag, place,
                            "the end time must be positive and finite, not %g ('--to T', or 'run "
                            "to T' in the model)",
                            settings->to);
    settings->every =
        pick(motion, given->every, line->every, params, settings->to / DEFAULT_ROWS, &place);
    if (ends && !(settings->every > 0 && isfinite(settings->every)))
        status = diag_error(diag, place,
                            "the time between rows must be positive and finite, not %g "
                            "('--every DT', or 'run every DT' in the model)",
                            settings->every);
    else if (ends && settings->to / settings->every > MOST_ROWS)
        status = diag_error(diag, place,
                            "a row every %g up to %g makes more than %.0e rows ('--every DT', or "
                            "'run every DT' in the model)",
                            settings->every, settings->to, MOST_ROWS);
    settings->tolerance =
        pick(motion, given->tolerance, line->tolerance, params, DEFAULT_TOLERANCE, &place);
    if (!(settings->tolerance >= LEAST_TOLERANCE && settings->tolerance <= MOST_TOLERANCE))
        status = diag_error(diag, place,
                            "the tolerance must lie between %g and %g, not %g ('--tolerance E', "
                            "or 'run tolerance E' in the model)",
                            LEAST_TOLERANCE, MOST_TOLERANCE, settings->tolerance);
    return status == STATUS_OK ? resolve_step(motion, settings, diag) : status;
}

Status options_resolve(const Motion *motion, const RunOptions *given, Diag *diag,
                       RunOptions *settings)
{
    double *params = base_alloc((motion->model->params.count + 1) * sizeof *params);
    Status status = model_param_values(motion->model, diag, params);
    if (status == STATUS_OK)
        status = resolve(motion, given, params, diag, settings);
    base_free(params);
    return status;
}

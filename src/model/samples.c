// samples.c: when sampled controllers act.
#include "model/events.h"
#include "model/model_impl.h"
#include "program/program.h"

#include <math.h>

// ---- Reading.

static const struct {
    PartRole role;
    const char *what;
} clauses[SAMPLE_TIMES] = {[SAMPLE_PERIOD] = {PART_LEFT, "a sampling time"},
                           [SAMPLE_FROM] = {PART_FROM, "the first time of a sample"},
                           [SAMPLE_DELAY] = {PART_DELAY, "the delay of a sample"}};

bool elaborate_sampling(Elaborator *e, ModelEvent *event)
{
    bool good = true;
    event->sampling = arena_array(e->arena, ModelSampling, 1);
    for (size_t i = 0; i < SAMPLE_TIMES; i++) {
        const Part *part = statement_part(e, clauses[i].role);
        event->sampling->times[i] = expr_int(e->pool, 0);
        event->sampling->places[i] = event->place;
        if (!part)
            continue;
        Place place = event->sampling->places[i] = syntax_part_place(e->syntax, part);
        Value value = value_as_scalar(e, elaborate_span(e, part->span), place, clauses[i].what);
        if (value.kind != VALUE_BAD && (value.order >= 0 || value.timed || value.multiplier))
            good =
                elaborate_fail(e, place, "%s is made of numbers and parameters", clauses[i].what);
        good = good && value.kind != VALUE_BAD &&
               dim_check(e, value.dim, dim_of(0, 0, 1), place, clauses[i].what);
        event->sampling->times[i] = value.scalar;
    }
    return good;
}

// ---- Numbers.

Status model_sample_times(const Model *model, const ModelEvent *sample, const double *params,
                          Diag *diag, double times[SAMPLE_TIMES])
{
    const ModelSampling *sampling = sample->sampling;
    size_t count = model->params.count;
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    for (size_t i = 0; i < count; i++)
        symbols[i] = model->params.at[i].symbol;
    bool known = program_run_once(
        program_new(model->pool, symbols, count, sampling->times, SAMPLE_TIMES, NULL), params,
        times);
    base_free(symbols);
    double period = times[SAMPLE_PERIOD], delay = times[SAMPLE_DELAY];
    if (!known || !(period > 0 && isfinite(period)))
        return diag_error(diag, sampling->places[SAMPLE_PERIOD],
                          "a sampling time is positive, and this is %.6g", period);
    if (!isfinite(times[SAMPLE_FROM]))
        return diag_error(diag, sampling->places[SAMPLE_FROM],
                          "the first time of a sample is no finite number");
    if (!(delay >= 0))
        return diag_error(diag, sampling->places[SAMPLE_DELAY],
                          "a delay is 0 or more, and this is %.6g", delay);
    if (!(delay < period))
        return diag_error(diag, sampling->places[SAMPLE_DELAY],
                          "the delay must be shorter than the sampling time %.6g", period);
    return STATUS_OK;
}

void check_samples(Elaborator *e)
{
    const Model *model = e->model;
    Diag *unheard = diag_new();
    double *params = base_alloc((model->params.count + 1) * sizeof *params), times[SAMPLE_TIMES];
    // Where a parameter has no value, a run will tell.
    bool known = model_param_numbers(model, unheard, params) == STATUS_OK;
    for (size_t i = 0; i < model->events.count && known; i++)
        if (model->events.at[i].sampling &&
            model_sample_times(model, &model->events.at[i], params, e->diag, times) != STATUS_OK)
            e->errors++;
    base_free(params);
    diag_free(unheard);
}

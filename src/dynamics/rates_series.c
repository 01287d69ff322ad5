// rates_series.c: the rates of a motion that are one program, as power series. What the program
// leaves unsolved is solved order by order.
#include "dynamics/motion_series.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// ---- Engines.

static void next_interpreted(void *context, size_t k, const double *inputs, double *outputs)
{
    program_series_next(context, k, inputs, outputs);
}

static double clear_interpreted(void *context, size_t order, double most)
{
    return program_series_clear(context, order, most);
}

static void release_interpreted(void *context)
{
    program_series_free(context);
}

void series_engine_open(SeriesEngine *engine, const Program *program, size_t most_order)
{
    engine->context = program_series_new(program, most_order);
    engine->next = next_interpreted;
    engine->clear = program_has_switches(program) ? clear_interpreted : NULL;
    engine->release = release_interpreted;
}

void series_engine_open_evaluator(SeriesEngine *engine, const Evaluator *evaluator,
                                  size_t most_order)
{
    series_engine_open(engine, evaluator->program, most_order);
    engine->evaluator = evaluator;
    if (evaluator->places)
        engine->given = base_alloc((evaluator->count + 1) * sizeof(double));
}

void series_engine_next(const SeriesEngine *engine, size_t k, const double *inputs, double *outputs)
{
    engine->next(engine->context, k, inputs, engine->given ? engine->given : outputs);
    if (engine->given)
        evaluator_scatter(engine->evaluator, engine->given, outputs);
}

void series_engine_close(SeriesEngine *engine)
{
    base_free(engine->given);
    if (engine->release)
        engine->release(engine->context);
    *engine = (SeriesEngine){0};
}

double series_engine_clear(const SeriesEngine *engine, size_t order, double most)
{
    return engine->clear ? engine->clear(engine->context, order, most) : INFINITY;
}

// ---- Rates.

void rates_series_init(RatesSeries *series, const Rates *rates, size_t most_order)
{
    *series = (RatesSeries){.rates = rates, .most_order = most_order};
    series_engine_open(&series->engine, rates->program, most_order);
    linear_series_init(&series->system, rates->unsolved, most_order, false);
    series->out = base_alloc((program_outputs(rates->program) + 1) * sizeof(double));
    series->right = base_alloc((rates->unsolved + 1) * sizeof(double));
    series->work = base_alloc((program_registers(rates->program) + 1) * sizeof(double));
    series->flow_at = base_alloc((1 + rates->n + rates->k) * sizeof(double));
}

void rates_series_clear(RatesSeries *series)
{
    series_engine_close(&series->engine);
    program_native_free(series->native);
    program_flow_free(series->flow);
    linear_series_clear(&series->system);
    base_free(series->out);
    base_free(series->right);
    base_free(series->work);
    base_free(series->flow_at);
    *series = (RatesSeries){0};
}

// Coefficient k of the rates from that of the program's outputs.
static bool finish(RatesSeries *series, size_t k, double *rate)
{
    const Rates *rates = series->rates;
    size_t n = rates->n, s = rates->unsolved;
    memcpy(rate, series->out, (s > 0 ? n : n + rates->k) * sizeof *rate);
    if (s > 0) {
        const double *matrix = series->out + n;
        memcpy(linear_series_matrix(&series->system, k), matrix, s * s * sizeof *matrix);
        memcpy(series->right, matrix + s * s, s * sizeof *matrix);
        if (!linear_series_next(&series->system, k, series->right))
            return false;
        memcpy(rate + n, series->right, rates->k * sizeof *rate);
    }
    return real_all_finite(rate, n + rates->k);
}

static size_t width_of(const RatesSeries *series)
{
    return 1 + series->rates->n + series->rates->k;
}

// The compiled series begin at this state.
static void begin_flow(RatesSeries *series, const double *ty, double *rate)
{
    memcpy(series->flow_at, ty, width_of(series) * sizeof *ty);
    program_flow_begin(series->flow, ty, rate);
}

bool rates_series_rate(RatesSeries *series, const double *ty, double *rate)
{
    series->begun = false;
    if (series->flow) {
        begin_flow(series, ty, rate);
        return real_all_finite(rate, series->rates->n + series->rates->k);
    }
    if (series->native)
        program_native_run(series->native, 0, ty, series->out);
    else
        program_run_real(series->rates->program, ty, series->out, series->work);
    return finish(series, 0, rate);
}

bool rates_series_next(RatesSeries *series, size_t k, const double *ty, double *rate)
{
    if (k == 0 && series->flow)
        return rates_series_rate(series, ty, rate);
    series->begun = series->begun || k == 0;
    if (!series->begun)
        return false;
    series->engine.next(series->engine.context, k, ty, series->out);
    return finish(series, k, rate);
}

// ---- Compiled.

// Their series, where the program gives all of them and nothing switches.
static void compile_flow(RatesSeries *series, size_t order, Text *why)
{
    const Rates *rates = series->rates;
    size_t count = rates->n + rates->k;
    int *rate_of = base_alloc((count + 1) * sizeof *rate_of);
    rate_of[0] = PROGRAM_RATE_ONE;
    for (size_t i = 0; i < count; i++)
        rate_of[1 + i] = (int)i;
    series->flow = program_flow_new(rates->program, rate_of, order, why);
    series->flow_at[0] = NAN; // begun nowhere yet
    base_free(rate_of);
}

bool rates_series_compile(RatesSeries *series, size_t flow_order, Text *why)
{
    const Rates *rates = series->rates;
    const Program *programs[] = {rates->program, rates->pivots.program};
    if (series->native)
        return true;
    series->native = program_native_new(programs, rates->pivots.program ? 2 : 1, why);
    if (series->native && rates_series_can_flow(rates) && flow_order > 0)
        compile_flow(series, flow_order, why);
    return series->native != NULL;
}

bool rates_series_can_flow(const Rates *rates)
{
    return rates->unsolved == 0 && !program_has_switches(rates->program);
}

size_t rates_series_expand(RatesSeries *series, size_t order, double *ty)
{
    size_t width = width_of(series), usable = 0;
    if (!series->flow)
        return 0;
    // The end of a step is where its defect was seen: order 0 is known there.
    if (memcmp(series->flow_at, ty, width * sizeof *ty) != 0)
        begin_flow(series, ty, series->out);
    if (program_flow_run(series->flow, order, ty))
        return order;
    while (usable < order && real_all_finite(ty + (usable + 1) * width, width))
        usable++;
    return usable;
}

bool rates_series_sum(const RatesSeries *series, size_t order, const double *ty, double s,
                      double *sums, double *slopes)
{
    if (!series->flow)
        return false;
    program_flow_sum(series->flow, ty, order, s, sums, slopes);
    return true;
}

// rates_series.c: the rates of a motion that are one program, as power series. What the program
// leaves unsolved is solved order by order.
#include "run/run_impl.h"

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

void series_engine_close(SeriesEngine *engine)
{
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
    *series = (RatesSeries){.rates = rates};
    series_engine_open(&series->engine, rates->program, most_order);
    linear_series_init(&series->system, rates->unsolved, most_order);
    series->out = base_alloc((program_outputs(rates->program) + 1) * sizeof(double));
    series->right = base_alloc((rates->unsolved + 1) * sizeof(double));
}

void rates_series_clear(RatesSeries *series)
{
    series_engine_close(&series->engine);
    linear_series_clear(&series->system);
    base_free(series->out);
    base_free(series->right);
    *series = (RatesSeries){0};
}

bool rates_series_next(RatesSeries *series, size_t k, const double *ty, double *rate)
{
    const Rates *rates = series->rates;
    size_t n = rates->n, s = rates->unsolved;
    series->engine.next(series->engine.context, k, ty, series->out);
    memcpy(rate, series->out, (s > 0 ? n : n + rates->k) * sizeof *rate);
    if (s > 0) {
        const double *matrix = series->out + n;
        memcpy(linear_series_matrix(&series->system, k), matrix, s * s * sizeof *matrix);
        memcpy(series->right, matrix + s * s, s * sizeof *matrix);
        if (!linear_series_next(&series->system, k, series->right))
            return false;
        memcpy(rate + n, series->right, rates->k * sizeof *rate);
    }
    return all_finite(rate, n + rates->k);
}

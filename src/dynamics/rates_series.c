// rates_series.c: the rates of a motion that are one program, as power series. What the program
// leaves unsolved is solved order by order.
#include "dynamics/motion_series.h"
#include "dynamics/rates.h"
#include "linalg/real.h"
#include "program/native.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void rates_series_init(RatesSeries *series, const Rates *rates, size_t most_order)
{
    assert(rates->program && most_order > 0);
    Arena *arena = arena_new();
    *series = (RatesSeries){.arena = arena, .rates = rates};
    series->series = program_series_new(rates->program, most_order);
    series->switches = program_has_switches(rates->program);
    linear_series_init(&series->system, rates->unsolved, most_order, false);
    series->out = arena_array(arena, double, program_outputs(rates->program));
    series->right = arena_array(arena, double, rates->unsolved);
    series->work = arena_array(arena, double, program_registers(rates->program));
    series->flow_at = arena_array(arena, double, 1 + rates->n + rates->k);
}

void rates_series_clear(RatesSeries *series)
{
    program_series_free(series->series);
    program_native_free(series->native);
    program_flow_free(series->flow);
    linear_series_clear(&series->system);
    arena_free(series->arena);
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

// The compiled series begin at this state.
static void begin_flow(RatesSeries *series, const double *ty, double *rate)
{
    memcpy(series->flow_at, ty, (1 + series->rates->n + series->rates->k) * sizeof *ty);
    program_flow_begin(series->flow, ty, rate);
}

bool rates_series_rate(RatesSeries *series, const double *ty, double *rate)
{
    assert(series->rates);
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
    assert(series->rates);
    if (k == 0 && series->flow)
        return rates_series_rate(series, ty, rate);
    series->begun = series->begun || k == 0;
    if (!series->begun)
        return false;
    program_series_next(series->series, k, ty, series->out);
    return finish(series, k, rate);
}

double rates_series_switch_distance(const RatesSeries *series, size_t order, double most)
{
    return series->switches ? program_series_clear(series->series, order, most) : INFINITY;
}

// ---- Compiled.

// Their series, where the program gives all of them and nothing switches.
static void compile_flow(RatesSeries *series, size_t order, Text *why)
{
    const Rates *rates = series->rates;
    size_t count = rates->n + rates->k;
    int *rate_of = arena_array(series->arena, int, count + 1);
    rate_of[0] = PROGRAM_RATE_ONE;
    for (size_t i = 0; i < count; i++)
        rate_of[1 + i] = (int)i;
    series->flow = program_flow_new(rates->program, rate_of, order, why);
    series->flow_at[0] = NAN; // begun nowhere yet
}

bool rates_series_compile(RatesSeries *series, size_t flow_order, Text *why)
{
    assert(series->rates);
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
    size_t width = 1 + series->rates->n + series->rates->k, usable = 0;
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

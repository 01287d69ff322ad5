// rates_series.c: the rates of a motion that are one program, at a state and as power series. What
// the program leaves unsolved is solved order by order.
#include "dynamics/evaluators_native.h"
#include "dynamics/rates.h"
#include "linalg/linear_series.h"
#include "linalg/real.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Their series by a program that solves all and does not switch.
static void open_flow(Rates *rates, size_t order)
{
    const Program *program = rates->solving ? rates->solving : rates->program.program;
    size_t count = rates->n + rates->k, all = count + rates->guesses;
    int *rate_of = arena_array(rates->program.arena, int, all + 1);
    rate_of[0] = PROGRAM_RATE_ONE;
    for (size_t i = 0; i < all; i++)
        rate_of[1 + i] = i < count ? (int)i : PROGRAM_RATE_SOLVED - (int)i;
    rates->flow = program_flow_new(program, rate_of, order);
    rates->flow_at = arena_array(rates->program.arena, double, 1 + count);
    rates->flow_out = arena_array(rates->program.arena, double, all + 1);
    rates->flow_at[0] = NAN; // begun nowhere yet
}

void rates_open_series(Rates *rates, size_t most_order, size_t flow_order)
{
    assert(rates->program.program && most_order > 0);
    rates->most_order = most_order;
    rates->switches = program_has_switches(rates->program.program);
    rates->system = arena_alloc(rates->program.arena, sizeof *rates->system);
    linear_series_init(rates->system, rates->unsolved, most_order, false);
    rates->right = arena_array(rates->program.arena, double, rates->unsolved);
    if (rates_can_flow(rates) && flow_order > 0)
        open_flow(rates, flow_order);
    else
        evaluator_open_series(&rates->program, 0, most_order);
}

void rates_close_series(Rates *rates)
{
    program_flow_free(rates->flow);
    rates->flow = NULL;
    if (rates->system)
        linear_series_clear(rates->system);
    rates->system = NULL;
}

void rates_renew_series(Rates *rates)
{
    if (!rates->flow)
        return;
    program_flow_renew(rates->flow);
    rates->flow_at[0] = NAN;
}

bool rates_have_velocities(const Rates *rates)
{
    bool have = rates->k == rates->n;
    for (size_t i = 0; i < rates->n && have; i++)
        have = program_passes(rates->program.program, 1 + rates->n + i, i);
    return have;
}

bool rates_hold_velocities(const Rates *rates)
{
    const Program *program = rates->program.program;
    size_t count = program_outputs(program);
    size_t *begins = base_alloc((count + 1) * sizeof *begins);
    size_t *inputs = program_depends(program, begins);
    bool hold = false;
    for (size_t i = begins[rates->n]; i < begins[count] && !hold; i++)
        hold = inputs[i] > rates->n;
    base_free(inputs);
    base_free(begins);
    return hold;
}

void rates_shorten(Rates *rates)
{
    assert(rates->program.program && !rates->native && !rates->flow);
    Program *program = rates->program.program;
    rates->program.program = NULL;
    evaluator_clear(&rates->program);
    evaluator_adopt(&rates->program, program_share_quotients(program));
    program_batch_waves(rates->program.program);
    if (rates->pivots.program)
        program_batch_waves(rates->pivots.program);
}

// Coefficient k of the rates from that of the program's outputs.
static bool finish(Rates *rates, size_t k, double *rate)
{
    size_t n = rates->n, s = rates->unsolved;
    const double *out = rates->program.out, *matrix = out + n;
    memcpy(rate, out, (s > 0 ? n : n + rates->k) * sizeof *rate);
    if (s > 0) {
        memcpy(linear_series_matrix(rates->system, k), matrix, s * s * sizeof *matrix);
        memcpy(rates->right, matrix + s * s, s * sizeof *matrix);
        if (!linear_series_next(rates->system, k, rates->right))
            return false;
        memcpy(rate + n, rates->right, rates->k * sizeof *rate);
    }
    return real_all_finite(rate, n + rates->k);
}

// The series begin at this state.
static void begin_flow(Rates *rates, const double *ty, double *rate)
{
    memcpy(rates->flow_at, ty, (1 + rates->n + rates->k) * sizeof *ty);
    program_flow_begin(rates->flow, ty, rates->flow_out);
    memcpy(rate, rates->flow_out, (rates->n + rates->k) * sizeof *rate);
}

bool rates_at(Rates *rates, const double *ty, double *rate)
{
    if (!rates->flow)
        return rates_aside(rates, ty, rate);
    begin_flow(rates, ty, rate);
    return real_all_finite(rate, rates->n + rates->k);
}

bool rates_aside(Rates *rates, const double *ty, double *rate)
{
    if (rates->native && rates->unsolved == 0) {
        program_native_run(rates->native, rates->program.which, ty, rate);
        return real_all_finite(rate, rates->n + rates->k);
    }
    evaluator_run(&rates->program, ty);
    return finish(rates, 0, rate);
}

bool rates_next(Rates *rates, size_t k, const double *ty, double *rate)
{
    if (!rates->program.series)
        evaluator_open_series(&rates->program, 0, rates->most_order);
    evaluator_next(&rates->program, k, ty);
    return finish(rates, k, rate);
}

double rates_switch_distance(const Rates *rates, size_t order, double most)
{
    return rates->switches ? program_series_clear(rates->program.series, order, most) : INFINITY;
}

// ---- Compiled.

// The rates and their pivots.
static size_t programs_of(const Rates *rates, Evaluator *programs[2])
{
    programs[0] = (Evaluator *)&rates->program;
    programs[1] = (Evaluator *)&rates->pivots;
    return rates->pivots.program ? 2 : 1;
}

bool rates_start(const Rates *rates, NativeJobs *jobs)
{
    Evaluator *programs[2];
    size_t count = programs_of(rates, programs);
    return (rates->native || evaluators_start(programs, count, jobs)) &&
           (!rates->flow || program_flow_start(rates->flow, jobs));
}

bool rates_compile(Rates *rates, bool find, Text *why)
{
    Evaluator *programs[2];
    size_t count = programs_of(rates, programs);
    NativeHow how = find ? NATIVE_FIND : NATIVE_COMPILE;
    if (!rates->native)
        rates->native = evaluators_compile(programs, count, how, why);
    if (!rates->native || !rates->flow)
        return rates->native;
    rates->flow_at[0] = NAN; // a series is to be begun anew
    return program_flow_compile(rates->flow, how, why);
}

bool rates_can_flow(const Rates *rates)
{
    return rates->unsolved == 0 && !rates->switches;
}

size_t rates_expand(Rates *rates, size_t order, double unit, double *ty)
{
    size_t width = 1 + rates->n + rates->k;
    if (!rates->flow)
        return 0;
    // The end of a step is where its defect was seen: order 0 is known there.
    if (memcmp(rates->flow_at, ty, width * sizeof *ty) != 0)
        begin_flow(rates, ty, rates->program.out);
    // They are used up, and begun anew for another unit.
    rates->flow_at[0] = NAN;
    return program_flow_run(rates->flow, order, unit, ty);
}

bool rates_sum(const Rates *rates, size_t order, const double *ty, double s, double *sums,
               double *slopes)
{
    if (!rates->flow)
        return false;
    program_flow_sum(rates->flow, ty, order, s, sums, slopes);
    return true;
}

// keep_state.c: listens to a run for what is kept of it.
#include "ensemble/keeps_impl.h"
#include "model/constraint.h"
#include "program/program.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct KeepState {
    const KeepPlan *plan;
    void *owner;
    Arena *arena;
    double *inputs; // parameters, then the columns of a row
    double *row;    // its columns
    double *end;    // those of the last row that was told
    double *work;
    size_t *places; // where a column stands in the run's rows; beyond them: nowhere
    size_t run_columns;
    bool same;    // each in its own place
    RowPart part; // what functions read of a row
    PieceSamples *samples;
    FunctionRange *ranges; // of each function
    double *values;        // of the functions
    double *former;        // the same at the row before, where there are no pieces
    double first, last;    // times
    bool by_rows;          // the motion is known at rows alone
    bool began;
    double *numbers;
    size_t *counts; // of each number that counts
    ARRAY(double) * lists;
    bool *waits; // a section, for the row behind its event
};

KeepState *keep_state_new(const KeepPlan *plan, void *owner)
{
    Arena *arena = arena_new();
    KeepState *state = arena_alloc(arena, sizeof *state);
    size_t columns = plan->column_count, functions = plan->functions.count, registers = 1;
    for (size_t i = 0; i < plan->guides.count; i++)
        if (program_registers(plan->guides.at[i].program) > registers)
            registers = program_registers(plan->guides.at[i].program);
    for (size_t i = 0; i < functions; i++)
        if (plan->functions.at[i].program &&
            program_registers(plan->functions.at[i].program) > registers)
            registers = program_registers(plan->functions.at[i].program);
    state->plan = plan;
    state->owner = owner;
    state->arena = arena;
    state->inputs = arena_array(arena, double, plan->param_count + columns + 1);
    state->row = state->inputs + plan->param_count;
    state->end = arena_array(arena, double, columns + 1);
    state->work = arena_array(arena, double, registers + 1);
    state->places = arena_array(arena, size_t, columns + 1);
    state->ranges = arena_array(arena, FunctionRange, functions + 1);
    state->values = arena_array(arena, double, functions + 1);
    state->former = arena_array(arena, double, functions + 1);
    state->numbers = arena_array(arena, double, plan->numbers.count + 1);
    state->counts = arena_array(arena, size_t, plan->numbers.count + 1);
    state->lists = arena_alloc(arena, (plan->lists.count + 1) * sizeof *state->lists);
    state->waits = arena_array(arena, bool, plan->lists.count + 1);
    if (plan->pieces)
        state->samples = piece_samples_new(arena, functions, plan->guides.at, plan->guides.count);
    return state;
}

void keep_state_free(KeepState *state)
{
    if (!state)
        return;
    for (size_t i = 0; i < state->plan->lists.count; i++)
        array_clear(&state->lists[i]);
    arena_free(state->arena);
}

void *keep_owner(const KeepState *state)
{
    return state->owner;
}

void keep_clear(KeepState *state)
{
    const KeepPlan *plan = state->plan;
    for (size_t i = 0; i < plan->functions.count; i++)
        state->ranges[i] = (FunctionRange){NAN, NAN, NAN, NAN, 0, false};
    for (size_t i = 0; i < plan->numbers.count; i++) {
        state->numbers[i] = NAN;
        state->counts[i] = 0;
    }
    for (size_t i = 0; i < plan->lists.count; i++) {
        state->lists[i].count = 0;
        state->waits[i] = false;
    }
    state->began = false;
    state->first = state->last = NAN;
}

// ---- Rows.

// Another choice of conditions may have other columns: those that are missing have no value.
static void find_places(KeepState *state, const Simulation *run)
{
    const KeepPlan *plan = state->plan;
    size_t count = run_column_count(run);
    state->same = count == plan->column_count;
    for (size_t i = 0; i < plan->column_count; i++) {
        size_t place = i;
        if (i >= count || strcmp(run_column_name(run, i), plan->columns[i]) != 0)
            for (place = 0; place < count; place++)
                if (strcmp(run_column_name(run, place), plan->columns[i]) == 0)
                    break;
        state->places[i] = place;
        state->same = state->same && place == i;
    }
    state->run_columns = count;
}

// How much of a row is worked out for the functions.
static void find_part(KeepState *state, const Simulation *run)
{
    const KeepPlan *plan = state->plan;
    state->part = ROW_COORDINATES;
    for (size_t i = 0; i < plan->column_count; i++) {
        RowPart part = state->places[i] < state->run_columns
                           ? run_column_part(run, state->places[i])
                           : ROW_WHOLE;
        if (plan->read[i] && part > state->part)
            state->part = part;
    }
}

static void take_columns(KeepState *state, const double *row)
{
    size_t count = state->plan->column_count;
    if (state->same)
        memcpy(state->row, row, count * sizeof *row);
    for (size_t i = 0; i < count && !state->same; i++)
        state->row[i] = state->places[i] < state->run_columns ? row[state->places[i]] : NAN;
}

static void evaluate(KeepState *state, double *values)
{
    const KeepPlan *plan = state->plan;
    for (size_t i = 0; i < plan->functions.count; i++) {
        const KeepFunction *function = &plan->functions.at[i];
        if (function->program)
            program_run_real(function->program, state->inputs, &values[i], state->work);
        else
            values[i] = state->row[function->column];
    }
}

// ---- Listening.

typedef struct {
    KeepState *state;
    SimulationRun *run;
} Sampled;

static bool sample(void *context, double t, double *values)
{
    const Sampled *sampled = context;
    const double *row = run_row_inside(sampled->run, t, sampled->state->part);
    if (!row)
        return false;
    take_columns(sampled->state, row);
    evaluate(sampled->state, values);
    const KeepPlan *plan = sampled->state->plan;
    for (size_t i = 0; i < plan->guides.count; i++)
        program_run_real(plan->guides.at[i].program, sampled->state->inputs,
                         &values[plan->functions.count + i], sampled->state->work);
    return true;
}

static void take_piece(void *context, SimulationRun *run, double from, double to)
{
    KeepState *state = context;
    piece_samples_add(state->samples, from, to, sample, &(Sampled){state, run}, state->ranges);
}

static void add_row(KeepState *state, size_t list)
{
    for (size_t i = 0; i < state->plan->column_count; i++)
        array_push(&state->lists[list], state->row[i]);
}

// Steps of fixed length have no motion between rows: the line between two of them.
static void add_to_ranges(KeepState *state)
{
    double t = state->row[0];
    evaluate(state, state->values);
    for (size_t i = 0; i < state->plan->functions.count; i++) {
        function_range_add(&state->ranges[i], t, state->values[i]);
        if (state->began)
            state->ranges[i].integral +=
                (t - state->last) * (state->values[i] + state->former[i]) / 2;
        state->former[i] = state->values[i];
    }
}

static bool take_row(void *context, const double *row)
{
    KeepState *state = context;
    const KeepPlan *plan = state->plan;
    take_columns(state, row);
    for (size_t i = 0; i < plan->lists.count; i++) {
        bool wanted = plan->lists.at[i].kind == KEEP_ROWS || state->waits[i];
        state->waits[i] = false;
        if (wanted)
            add_row(state, i);
    }
    if (state->by_rows)
        add_to_ranges(state);
    if (!state->began)
        state->first = state->row[0];
    state->last = state->row[0];
    state->began = true;
    memcpy(state->end, state->row, plan->column_count * sizeof *state->end);
    return true;
}

static bool is_meant(const RunEvent *event, const char *name)
{
    return strcmp(run_event_name(event->kind), name) == 0 ||
           (event->constraint && strcmp(event->constraint->name, name) == 0) ||
           (event->event && strcmp(event->event, name) == 0);
}

static double label_of(const KeepPlan *plan, const RunEvent *event)
{
    const char *name = event->event        ? event->event
                       : event->constraint ? event->constraint->name
                                           : "";
    for (size_t i = 0; i < plan->label_count; i++)
        if (strcmp(plan->labels[i], name) == 0)
            return (double)(i + 1);
    return 0;
}

static void take_event(void *context, const RunEvent *event)
{
    KeepState *state = context;
    const KeepPlan *plan = state->plan;
    for (size_t i = 0; i < plan->numbers.count; i++)
        if (plan->numbers.at[i].kind == KEEP_COUNT)
            state->counts[i] += is_meant(event, plan->numbers.at[i].event);
    for (size_t i = 0; i < plan->lists.count; i++) {
        const KeepList *list = &plan->lists.at[i];
        const double numbers[KEEP_EVENT_WIDTH] = {event->t, (double)event->kind,
                                                  label_of(plan, event), event->impulse,
                                                  event->energy_lost};
        for (size_t k = 0; k < list->width && list->kind == KEEP_EVENTS; k++) {
            size_t diff = k - KEEP_EVENT_WIDTH;
            array_push(&state->lists[i], k < KEEP_EVENT_WIDTH       ? numbers[k]
                                         : diff < event->diff_count ? event->diffs[diff]
                                                                    : NAN);
        }
        bool meant = list->kind == KEEP_SECTION && is_meant(event, list->event);
        if (meant && event->state) {
            take_columns(state, event->state);
            add_row(state, i);
        }
        state->waits[i] = state->waits[i] || (meant && !event->state);
    }
}

void keep_begin(KeepState *state, const Simulation *run, const double *params,
                RunListener *listener)
{
    const KeepPlan *plan = state->plan;
    assert(run && listener);
    find_places(state, run);
    find_part(state, run);
    if (plan->param_count > 0)
        memcpy(state->inputs, params, plan->param_count * sizeof *params);
    keep_clear(state);
    bool sections = false, listed = plan->lists.count > 0;
    for (size_t i = 0; i < plan->lists.count; i++)
        sections = sections || plan->lists.at[i].kind == KEEP_SECTION;
    for (size_t i = 0; i < plan->numbers.count; i++)
        listed = listed || plan->numbers.at[i].kind == KEEP_COUNT;
    listener->row = take_row;
    listener->event = listed ? take_event : NULL;
    listener->states = sections;
    state->by_rows = plan->pieces && run_settings(run).method == RUN_TIMESTEPPING;
    listener->ends = !plan->rows && !state->by_rows;
    listener->piece = plan->pieces ? take_piece : NULL;
    listener->context = state;
}

// ---- The end.

static double number_of(const KeepState *state, const KeepNumber *number, size_t at)
{
    static const FunctionRange none = {NAN, NAN, NAN, NAN, NAN, true};
    const FunctionRange *range = &none;
    if (number->of < state->plan->functions.count && !state->ranges[number->of].open)
        range = &state->ranges[number->of];
    switch (number->kind) {
    case KEEP_FINAL: return state->end[number->of];
    case KEEP_AT_EVENT: break;
    case KEEP_LAST: return state->values[number->of];
    case KEEP_MAX: return range->max;
    case KEEP_MIN: return range->min;
    case KEEP_TIME_MAX: return range->max_time;
    case KEEP_TIME_MIN: return range->min_time;
    case KEEP_MEAN: return range->integral / (state->last - state->first);
    case KEEP_COUNT: return (double)state->counts[at];
    }
    return NAN;
}

const double *keep_end(KeepState *state, bool whole)
{
    const KeepPlan *plan = state->plan;
    // Samples were taken since.
    memcpy(state->row, state->end, plan->column_count * sizeof *state->end);
    if (whole && state->began)
        evaluate(state, state->values);
    for (size_t i = 0; i < plan->numbers.count; i++)
        state->numbers[i] = whole && state->began ? number_of(state, &plan->numbers.at[i], i) : NAN;
    return state->numbers;
}

const char *keep_open(const KeepState *state)
{
    const KeepPlan *plan = state->plan;
    for (size_t i = 0; i < plan->numbers.count; i++) {
        const KeepNumber *number = &plan->numbers.at[i];
        bool ranged = number->kind >= KEEP_MAX && number->kind <= KEEP_MEAN;
        if (ranged && state->ranges[number->of].open)
            return number->name;
    }
    return NULL;
}

double keep_last_time(const KeepState *state)
{
    return state->last;
}

const double *keep_items(const KeepState *state, size_t list, size_t *count)
{
    *count = state->lists[list].count / state->plan->lists.at[list].width;
    return state->lists[list].at;
}

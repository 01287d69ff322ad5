// recording.c: rows and events, as the listener gets them.
#include "linalg/tolerances.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/watch_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static const char *const names[][2] = {
#define EVENT(NAME, word, several) {word, several},
#include "simulate/events.def"
#undef EVENT
};

const char *run_event_name(RunEventKind kind)
{
    assert(kind < RUN_EVENT_COUNT);
    return names[kind][0];
}

const char *run_event_names(RunEventKind kind)
{
    assert(kind < RUN_EVENT_COUNT);
    return names[kind][1];
}

RunResult record_row(SimulationRun *run, bool at_event)
{
    event_share_reactions(run->event, run->mode);
    RunSummary *summary = run->summary;
    Columns *columns = run->mode->columns;
    ColumnsCheck check = columns_fill(columns, run->mode->eq, run->mode->state);
    run->sim->told = run->mode->state;
    turns_give_back(run->mode->turns, columns->row + 1);
    if (run->switches)
        columns->row[0] = switches_shown_time(run->switches, columns->row[0]);
    if (summary->rows == 0)
        run->energy = check.energy;
    summary->rows++;
    summary->largest_residual = fmax(summary->largest_residual, check.residual);
    summary->deepest = fmax(summary->deepest, check.depth);
    summary->energy_drift = fmax(summary->energy_drift, fabs(check.energy - run->energy));
    // Two runs meet an event at times that differ in their last digits.
    if (run->sim->audit && !at_event)
        audit_row(run->sim->audit, run->mode->eq, run->mode->state, columns->row);
    const RunListener *listener = run->listener;
    if (!watch_row(run->watch, run->mode->state))
        return failure_of_constant(run, columns->row[0]);
    // Steps of fixed length have no tolerance.
    bool free = at_event || run->sim->settings.method == RUN_TIMESTEPPING || check.depth <= 0;
    if (!free && !event_gaps_hold(run->event, run->mode))
        return failure_of_gap(run, columns->row[0]);
    bool more = !listener->row || (at_event && listener->regular) ||
                listener->row(listener->context, columns->row);
    return more ? RESULT_CONTINUE : RESULT_STOPPED;
}

bool record_progress(const SimulationRun *run, double t)
{
    const RunListener *listener = run->listener;
    return !listener->progress || listener->progress(listener->context, t);
}

void record_event(SimulationRun *run, const RunEvent *record)
{
    assert(record->kind < RUN_EVENT_COUNT && record->before && record->after);
    RunEventTally *tally = &run->summary->events[record->kind];
    if (tally->count++ == 0)
        tally->first = record->t;
    tally->last = record->t;
    if (run->listener->event)
        run->listener->event(run->listener->context, record);
}

// ---- Rows.

double record_next_row(const SimulationRun *run, bool *last)
{
    const RunOptions *settings = &run->sim->settings;
    double time = (double)run->row * settings->every;
    *last = time >= settings->to * (1 - TOL_ZERO);
    return *last ? settings->to : time;
}

bool record_is_row(const SimulationRun *run, double t)
{
    bool last;
    // But for a few roundings.
    return (record_next_row(run, &last) - t) / 4 <= DBL_EPSILON * fabs(t);
}

// For an audit.
static void add_work(SimulationRun *run, double until)
{
    if (run->sim->audit)
        invariants_add_work(run->sim->audit, run->mode, until);
}

RunResult record_rows(SimulationRun *run, bool before_event)
{
    bool last;
    ContactMode *mode = run->mode;
    assert(mode->from <= mode->t);
    for (double time; time = record_next_row(run, &last), time <= mode->t; run->row++) {
        if (before_event && (mode->t - time) / 4 <= DBL_EPSILON * mode->t)
            break;
        add_work(run, time);
        if (!mode_evaluate(mode, time))
            return RESULT_FAILED;
        RunResult result = record_row(run, false);
        if (result == RESULT_UNDECIDED || last)
            return last && result != RESULT_UNDECIDED ? RESULT_FINISHED : result;
        // A step may hold many rows: whoever has had enough need not wait for its end.
        if (result != RESULT_CONTINUE || (time < mode->t && !record_progress(run, time))) {
            run->summary->reached = time;
            return RESULT_STOPPED;
        }
    }
    add_work(run, mode->t);
    return RESULT_CONTINUE;
}

RunResult record_after_event(SimulationRun *run)
{
    bool last;
    RunResult result = record_row(run, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!record_is_row(run, run->mode->t))
        return RESULT_CONTINUE;
    record_next_row(run, &last);
    run->row++;
    return last ? RESULT_FINISHED : RESULT_CONTINUE;
}

double record_energy(const SimulationRun *run)
{
    return columns_fill(run->mode->columns, run->mode->eq, run->mode->state).energy;
}

void record_energy_change(SimulationRun *run, double change)
{
    run->energy += change;
    watch_event(run->watch, change);
    if (run->sim->audit)
        run->sim->audit->report.work += change;
}

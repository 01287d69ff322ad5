// recording.c: rows and events, as the listener gets them.
#include "base/diag.h"
#include "linalg/tolerances.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/energy_balance_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/run_report.h"
#include "simulate/sensitivity/sensitivity_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/watch_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

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

// The numbers of the present state.
static ColumnsCheck fill(SimulationRun *run)
{
    event_share_reactions(run->event, run->mode);
    Columns *columns = run->mode->columns;
    ColumnsCheck check = columns_fill(columns, run->mode->eq, run->mode->state);
    if (run->sim->settings.method == RUN_TIMESTEPPING)
        friction_fill_columns(run->event, run->mode->state, columns->row + columns->frictions_at);
    turns_give_back(run->mode->turns, columns->row + 1);
    sensitivity_fill(run);
    return check;
}

static size_t first_undefined(const Columns *columns)
{
    size_t i = 0;
    while (i < columns->count && isfinite(columns->row[i]))
        i++;
    return i;
}

// The first time that a column has no value.
static void tell_undefined(SimulationRun *run)
{
    const Columns *columns = run->mode->columns;
    size_t which = first_undefined(columns);
    if (which == columns->count || run->rows.told_undefined)
        return;
    run->rows.told_undefined = true;
    diag_add(run->diag, DIAG_WARNING, place_none(), "%s is not defined at t = %.10g",
             columns->names[which], columns->row[0]);
}

// What the summary keeps of a row at t.
static void count_row(SimulationRun *run, double t, const ColumnsCheck *check, bool has_energy)
{
    RunSummary *summary = run->summary;
    summary->rows++;
    summary->largest_residual = fmax(summary->largest_residual, check->residual);
    summary->deepest = fmax(summary->deepest, check->depth);
    if (!has_energy)
        return;
    if (isnan(run->energy))
        run->energy = check->energy;
    summary->energy_drift = fmax(summary->energy_drift, fabs(check->energy - run->energy));
    balance_row(run->balance, t, check->energy);
}

// What was filled, as a row.
static RunResult give_row(SimulationRun *run, ColumnsCheck check, bool at_event)
{
    Columns *columns = run->mode->columns;
    RunResult result;
    if (sensitivity_fails(run, &result))
        return result;
    run->sim->told = run->mode->state;
    if (run->switches)
        columns->row[0] = switches_shown_time(run->switches, columns->row[0]);
    SwitchTouch touch =
        run->switches ? switches_touch_newly(run->switches, run->mode->state) : TOUCHES_NONE;
    count_row(run, columns->row[0], &check, touch < TOUCHES_ENERGY);
    // Two runs meet an event at times that differ in their last digits.
    if (run->sim->audit && !at_event)
        audit_row(run->sim->audit, run->mode->eq, run->mode->state, columns->row);
    const RunListener *listener = run->listener;
    if (touch == TOUCHES_NONE && !watch_row(run->watch, run->mode->state))
        return failure_of_constant(run, columns->row[0]);
    const RunOptions *settings = &run->sim->settings;
    bool unwatched = settings->method == RUN_TIMESTEPPING && settings->unwatched;
    bool free = at_event || unwatched || check.depth <= 0;
    if (!free && !event_gaps_hold(run->event, run->mode))
        return failure_of_gap(run, columns->row[0]);
    tell_undefined(run);
    bool more = !listener->row || (at_event && listener->regular) ||
                listener->row(listener->context, columns->row);
    return more ? RESULT_CONTINUE : RESULT_STOPPED;
}

RunResult record_row(SimulationRun *run, bool at_event)
{
    return give_row(run, fill(run), at_event);
}

bool record_progress(const SimulationRun *run, double t)
{
    const RunListener *listener = run->listener;
    return !listener->progress || listener->progress(listener->context, t);
}

void record_event(SimulationRun *run, const RunEvent *told)
{
    RunEvent whole = *told;
    const RunEvent *record = &whole;
    sensitivity_record(run, &whole);
    assert(record->kind < RUN_EVENT_COUNT && record->before && record->after);
    RunEventTally *tally = &run->summary->events[record->kind];
    if (tally->count++ == 0)
        tally->first = record->t;
    tally->last = record->t;
    if (run->sim->audit)
        audit_jump(run->sim->audit, record->t);
    if (run->detector && run->detector->triggers)
        triggers_note(run->detector->triggers, record);
    if (run->listener->event)
        run->listener->event(run->listener->context, record);
}

// ---- Rows.

double record_next_row(const SimulationRun *run, bool *last)
{
    const RunOptions *settings = &run->sim->settings;
    double time = run_options_row_time(settings, run->rows.next);
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
        audit_add_work(run->sim->audit, run->mode, until);
}

// ---- What has no value at an instant, but before and behind it.

// The limit in the middle of four values at −2h, −h, h, 2h; NAN where they show a pole or a jump.
static double limit(const double *f, size_t stride)
{
    double before = f[stride], behind = f[2 * stride], first = f[0], last = f[3 * stride];
    double size = fmax(fmax(fabs(first), fabs(before)), fmax(fabs(behind), fabs(last)));
    double near = fabs(behind - before), far = fabs(last - first);
    bool meets = 4 * near <= 3 * far || near <= TOL_SMALL * size;
    bool bounded = fabs(before + behind - first - last) <= TOL_COARSE * size;
    return meets && bounded ? (4 * (before + behind) - first - last) / 6 : NAN;
}

// The row at a time at which the equations (then not `found`) or some columns have no value: a
// singular choice of speeds or coordinates, 0/0 in an output. It has the limits from both sides.
static ColumnsCheck fill_limits(SimulationRun *run, double time, bool found)
{
    static const int places[] = {-2, -1, 1, 2};
    ContactMode *mode = run->mode;
    Columns *columns = mode->columns;
    size_t count = columns->count;
    double h = TOL_COARSE / 4 * (mode->t - mode->from);
    double *rows = base_alloc(5 * count * sizeof *rows), *own = rows + 4 * count;
    ColumnsCheck check = {0};
    for (size_t i = 0; i < count; i++)
        own[i] = found ? columns->row[i] : NAN;
    bool inside = time - 2 * h > mode->from && time + 2 * h < mode->t;
    for (size_t k = 0; k < 4 && inside; k++) {
        inside = mode_evaluate(mode, time + places[k] * h);
        check = fill(run);
        memcpy(rows + k * count, columns->row, count * sizeof *rows);
    }
    for (size_t i = 0; i < count && inside; i++)
        if (!isfinite(own[i]))
            own[i] = limit(rows + i, count);
    if (found && mode_evaluate(mode, time))
        check = fill(run);
    memcpy(columns->row, own, count * sizeof *own);
    columns->row[0] = time;
    mode_set_time(mode, time);
    base_free(rows);
    return check;
}

// The state for a row. So near a switch that roundings decide on which side it is, before the
// switch: that a little earlier.
static bool evaluate_row(SimulationRun *run, double time)
{
    ContactMode *mode = run->mode;
    // A jump at this instant may have been some roundings behind it.
    time = fmax(time, mode->from);
    if (!mode_evaluate_row(mode, time))
        return false;
    double length = mode->t - mode->from, back = DBL_EPSILON * fmax(time, length);
    bool passed = mode->stepped && switches_are_passed(run->switches, mode->state);
    if (!passed)
        return true;
    for (; passed && back <= TOL_ZERO * length && time - back > mode->from; back *= 4)
        passed =
            !mode_evaluate(mode, time - back) || switches_are_passed(run->switches, mode->state);
    if (passed && !mode_evaluate(mode, time))
        return false;
    mode_set_time(mode, time);
    return true;
}

// The numbers at a time inside the last step.
static ColumnsCheck fill_inside(SimulationRun *run, double time)
{
    const Columns *columns = run->mode->columns;
    bool found = evaluate_row(run, time);
    ColumnsCheck check = {0};
    if (found)
        check = fill(run);
    if (found && (first_undefined(columns) == columns->count || !run->mode->stepped))
        return check;
    return fill_limits(run, time, found);
}

static RunResult record_inside(SimulationRun *run, double time)
{
    const Columns *columns = run->mode->columns;
    ColumnsCheck check = fill_inside(run, time);
    bool all = !run->mode->stepped || first_undefined(columns) >= columns->speeds_at;
    return all ? give_row(run, check, false) : failure_of_row(run, time);
}

const double *record_state(SimulationRun *run)
{
    if (!run->listener->states)
        return NULL;
    fill(run);
    return run->mode->columns->row;
}

const double *record_state_at(SimulationRun *run, double t)
{
    assert(run->mode->stepped && t <= run->mode->t);
    if (!run->listener->states)
        return NULL;
    fill_inside(run, t);
    return run->mode->columns->row;
}

// Whether rows inside a step need no reactions where nobody reads these: positions and velocities
// do.
static bool rows_may_be_parts(const SimulationRun *run)
{
    const ContactMode *mode = run->mode;
    bool switches = run->switches && run->switches->count > 0;
    return !run->sim->audit && !switches && !run->sim->sensitivity && mode->stepped &&
           !mode->inside.across && mode->columns->may_be_unread;
}

static bool rows_are_unread(const SimulationRun *run)
{
    return (!run->listener->row || run->listener->ends) && rows_may_be_parts(run);
}

// Such a row; whole where something in it has no value.
static RunResult record_unread(SimulationRun *run, double time)
{
    ContactMode *mode = run->mode;
    ColumnsCheck check = {0};
    if (mode_evaluate_velocities(mode, time))
        check = columns_fill(mode->columns, mode->eq, mode->state);
    if (!check.finite)
        return record_inside(run, time);
    count_row(run, time, &check, true);
    if (!watch_row(run->watch, mode->state))
        return failure_of_constant(run, time);
    return RESULT_CONTINUE;
}

// Of rows that nobody wants the last one before a time does: it shows whether constants are kept.
static void skip_rows(SimulationRun *run, double time)
{
    const RunOptions *settings = &run->sim->settings;
    double row = floor(fmin(time, settings->to) / settings->every);
    if (row > (double)run->rows.next)
        run->rows.next = (size_t)row;
}

// What the listener wants to see between rows, up to a time inside the last step.
static void record_between(SimulationRun *run, double until)
{
    const RunListener *listener = run->listener;
    size_t parts = listener->between_count + 1;
    for (; listener->between && parts > 1; run->rows.between++) {
        double part = (double)(run->rows.between % parts) / (double)parts;
        double time = ((double)(run->rows.between / parts) + part) * run->sim->settings.every;
        if (time >= until || time >= run->sim->settings.to)
            return;
        if (part == 0 || time < run->mode->from)
            continue;
        fill_inside(run, time);
        run->sim->told = run->mode->state;
        listener->between(listener->context, run->mode->columns->row);
    }
}

// Part of a row inside the last step; false where that does not do.
static bool fill_part(SimulationRun *run, double t, RowPart part)
{
    ContactMode *mode = run->mode;
    Columns *columns = mode->columns;
    if (!(part == ROW_COORDINATES ? mode_evaluate_coordinates(mode, t)
                                  : mode_evaluate_velocities(mode, t)))
        return false;
    if (part == ROW_KINEMATIC)
        columns_fill(columns, mode->eq, mode->state);
    else
        columns_fill_given(columns, mode->eq, mode->state);
    turns_give_back(mode->turns, columns->row + 1);
    for (size_t i = 0; i < columns->count; i++)
        if ((part == ROW_KINEMATIC ? columns->kinematic[i] : i < columns->speeds_at) &&
            !isfinite(columns->row[i]))
            return false;
    return true;
}

const double *run_row_inside(SimulationRun *run, double t, RowPart part)
{
    const Columns *columns = run->mode->columns;
    if (part != ROW_WHOLE && rows_may_be_parts(run) && fill_part(run, t, part))
        return columns->row;
    fill_inside(run, t);
    return first_undefined(columns) >= columns->speeds_at ? columns->row : NULL;
}

// After the last row of a step, or up to an event in it.
static RunResult end_rows(SimulationRun *run, double t, RunResult result)
{
    const RunListener *listener = run->listener;
    double from = fmax(run->mode->from, run->rows.pieces);
    if (listener->piece && run->mode->stepped && from < t) {
        listener->piece(listener->context, run, from, t);
        run->rows.pieces = t;
    }
    sensitivity_advance(run, t);
    balance_step(run->balance, run->mode, t);
    return result;
}

RunResult record_rows(SimulationRun *run, double event)
{
    bool last;
    ContactMode *mode = run->mode;
    bool unread = rows_are_unread(run);
    assert(mode->from <= mode->t);
    if (unread && run->listener->ends && !run->listener->between)
        skip_rows(run, fmin(event, mode->t));
    for (double time; time = record_next_row(run, &last), time <= mode->t; run->rows.next++) {
        if (time > event || (event - time) / 4 <= DBL_EPSILON * mode->t)
            break;
        record_between(run, time);
        add_work(run, time);
        // The last one is whole: somebody may ask for what is known there. So is one at the end of
        // the step, where an event may end the run.
        bool ends = last || (mode->t - time) / 4 <= DBL_EPSILON * fabs(mode->t);
        RunResult result = unread && !ends ? record_unread(run, time) : record_inside(run, time);
        if (result == RESULT_UNDECIDED || last)
            return end_rows(run, time,
                            last && result != RESULT_UNDECIDED ? RESULT_FINISHED : result);
        // A step may hold many rows: whoever has had enough need not wait for its end.
        if (result != RESULT_CONTINUE || (time < mode->t && !record_progress(run, time))) {
            run->summary->reached = time;
            return end_rows(run, time, RESULT_STOPPED);
        }
    }
    record_between(run, mode->t);
    add_work(run, mode->t);
    return end_rows(run, mode->t, RESULT_CONTINUE);
}

const double *record_fill(SimulationRun *run)
{
    fill(run);
    return run->mode->columns->row;
}

RunResult record_end(SimulationRun *run)
{
    double t = run->mode->t, former = -1;
    if (run->rows.next > 0)
        former = run_options_row_time(&run->sim->settings, run->rows.next - 1);
    if (fabs(former - t) <= 4 * DBL_EPSILON * fabs(t))
        return RESULT_FINISHED;
    RunResult result = record_row(run, true);
    return result == RESULT_CONTINUE ? RESULT_FINISHED : result;
}

// Whether events of the model follow: then theirs is the row.
static bool are_events_due(SimulationRun *run)
{
    EventTriggers *triggers = run->detector ? run->detector->triggers : NULL;
    if (!triggers || triggers->acting)
        return triggers;
    triggers_look(triggers, run->mode, true);
    return triggers->row_waits = triggers_are_due(triggers);
}

// The row in hand was one that was asked for, if it is at its time.
static RunResult pass_row(SimulationRun *run)
{
    bool last;
    if (!record_is_row(run, run->mode->t))
        return RESULT_CONTINUE;
    record_next_row(run, &last);
    run->rows.next++;
    return last ? RESULT_FINISHED : RESULT_CONTINUE;
}

RunResult record_after_event(SimulationRun *run)
{
    if (are_events_due(run))
        return RESULT_CONTINUE;
    RunResult result = record_row(run, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (run->sim->audit)
        invariants_begin(run->sim->audit, run->mode->state, run->mode->columns->row);
    return pass_row(run);
}

RunResult record_after_sample(SimulationRun *run)
{
    if (run->sim->audit)
        invariants_begin(run->sim->audit, run->mode->state, record_fill(run));
    if (!record_is_row(run, run->mode->t))
        return RESULT_CONTINUE;
    RunResult result = record_row(run, false);
    return result == RESULT_CONTINUE ? pass_row(run) : result;
}

double record_energy(const SimulationRun *run)
{
    return columns_fill(run->mode->columns, run->mode->eq, run->mode->state).energy;
}

void record_energy_change(SimulationRun *run, double change)
{
    run->energy += change;
    watch_event(run->watch, change);
    balance_event(run->balance, change);
    if (run->sim->audit)
        run->sim->audit->report.work += change;
}

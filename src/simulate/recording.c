// recording.c: rows and events, as the listener gets them.
#include "motion/motion.h"
#include "simulate/angle_turns_impl.h"
#include "simulate/columns_impl.h"
#include "simulate/journey_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/simulation_impl.h"

#include <float.h>
#include <math.h>

// A row this near to the end is the row at the end.
#define NEAR_END 1e-12
// Times that differ by so many roundings are the same.
#define ROUNDINGS 4

static const char *const names[][2] = {
#define EVENT(NAME, word, several) {word, several},
#include "simulate/events.def"
#undef EVENT
};

const char *run_event_name(RunEventKind kind)
{
    return names[kind][0];
}

const char *run_event_names(RunEventKind kind)
{
    return names[kind][1];
}

// Where more conditions act than are independent, the leg knows the reactions of some alone: of all
// that give its motion those of least norm are told.
static void share_reactions(Journey *journey)
{
    ContactEvent *aside = &journey->aside;
    State *state = journey->mode->state;
    const Motion *motion = journey->run->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    if (journey->sharers.count == 0 || journey->mode->is_base)
        return;
    event_begin(aside, *state->t, state->q, state->v);
    for (size_t i = 0; i < journey->sharers.count; i++)
        event_add(aside, journey->sharers.at[i]);
    aside->keep_all = true;
    if (!contact_event(aside, false, NULL))
        return;
    for (size_t i = 0; i < aside->at.count; i++) {
        const TouchingContact *contact = &aside->at.at[i];
        state->multipliers[motion->sides[contact->index].constraint - first] = contact->lambda;
    }
}

bool record_row(Journey *journey, bool at_event)
{
    share_reactions(journey);
    RunSummary *summary = journey->summary;
    Columns *columns = journey->mode->columns;
    ColumnsCheck check = columns_fill(columns, journey->mode->eq, journey->mode->state);
    journey->run->told = journey->mode->state;
    turns_give_back(journey->mode->turns, columns->row + 1);
    if (summary->rows == 0)
        journey->energy = check.energy;
    summary->rows++;
    summary->largest_residual = fmax(summary->largest_residual, check.residual);
    summary->deepest = fmax(summary->deepest, check.depth);
    summary->energy_drift = fmax(summary->energy_drift, fabs(check.energy - journey->energy));
    // Two runs meet an event at times that differ in their last digits.
    if (journey->run->audit && !at_event)
        audit_row(journey->run->audit, journey->mode->eq, journey->mode->state, columns->row);
    const RunListener *listener = journey->listener;
    return !listener->row || (at_event && listener->regular) ||
           listener->row(listener->context, columns->row);
}

bool record_progress(const Journey *journey, double t)
{
    const RunListener *listener = journey->listener;
    return !listener->progress || listener->progress(listener->context, t);
}

void record_event(Journey *journey, const RunEvent *record)
{
    RunEventTally *tally = &journey->summary->events[record->kind];
    if (tally->count++ == 0)
        tally->first = record->t;
    tally->last = record->t;
    if (journey->listener->event)
        journey->listener->event(journey->listener->context, record);
}

// ---- Rows.

double record_next_row(const Journey *journey, bool *last)
{
    const RunOptions *settings = &journey->run->settings;
    double time = (double)journey->row * settings->every;
    *last = time >= settings->to - fmax(NEAR_END, 4 * DBL_EPSILON * settings->to);
    return *last ? settings->to : time;
}

bool record_is_row(const Journey *journey, double t)
{
    bool last;
    return record_next_row(journey, &last) <= t + ROUNDINGS * DBL_EPSILON * t;
}

bool record_skip_row(Journey *journey)
{
    bool last;
    record_next_row(journey, &last);
    journey->row++;
    return last;
}

// Integrates the power along the last step up to a time, for an audit: the run itself is not to
// notice.
static void add_work(Journey *journey, double until)
{
    Invariants *invariants = journey->run->audit ? &journey->run->audit->invariants : NULL;
    if (!invariants || !invariants->follows || until <= invariants->until)
        return;
    ContactMode *mode = journey->mode;
    for (size_t i = 0; i < INVARIANT_NODES && invariants->follows; i++) {
        invariants->follows = mode_evaluate_uncounted(mode, invariants_node(invariants, until, i));
        invariants_add(invariants, until, i, mode->state);
    }
    invariants->until = until;
}

RunResult record_rows(Journey *journey, bool before_event)
{
    bool last;
    ContactMode *mode = journey->mode;
    for (double time; time = record_next_row(journey, &last), time <= mode->t; journey->row++) {
        if (before_event && mode->t - time <= ROUNDINGS * DBL_EPSILON * mode->t)
            break;
        add_work(journey, time);
        if (!mode_evaluate(mode, time))
            return RESULT_FAILED;
        bool more = record_row(journey, false);
        if (last)
            return RESULT_FINISHED;
        // A step may hold many rows: whoever has had enough need not wait for its end.
        if (!more || (time < mode->t && !record_progress(journey, time))) {
            journey->summary->reached = time;
            return RESULT_STOPPED;
        }
    }
    add_work(journey, mode->t);
    return RESULT_CONTINUE;
}

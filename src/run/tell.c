// tell.c: rows and events, as the listener gets them.
#include "run/journey_impl.h"

#include <float.h>
#include <math.h>

// A row this near to the end is the row at the end.
#define NEAR_END 1e-12
// Times that differ by so many roundings are the same.
#define ROUNDINGS 4

static const char *const names[][2] = {
#define EVENT(NAME, word, several) {word, several},
#include "run/events.def"
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
    Meeting *aside = &journey->aside;
    State *state = journey->leg->state;
    const Motion *motion = journey->run->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    if (journey->sharers.count == 0 || journey->leg->is_base)
        return;
    meeting_begin(aside, *state->t, state->q, state->v);
    for (size_t i = 0; i < journey->sharers.count; i++)
        meeting_add(aside, journey->sharers.at[i]);
    if (!meeting_decide(aside, true))
        return;
    for (size_t i = 0; i < aside->at.count; i++) {
        const Touch *touch = &aside->at.at[i];
        state->multipliers[motion->sides[touch->index].constraint - first] = touch->lambda;
    }
}

bool tell_row(Journey *journey, bool at_event)
{
    share_reactions(journey);
    RunSummary *summary = journey->summary;
    Columns *columns = &journey->leg->run->columns;
    ColumnsCheck check = columns_fill(columns, journey->leg->eq, journey->leg->state);
    journey->run->told = journey->leg->state;
    turns_give_back(&journey->leg->turns, columns->row + 1);
    if (summary->rows == 0)
        journey->energy = check.energy;
    summary->rows++;
    summary->largest_residual = fmax(summary->largest_residual, check.residual);
    summary->deepest = fmax(summary->deepest, check.depth);
    summary->energy_drift = fmax(summary->energy_drift, fabs(check.energy - journey->energy));
    // Two runs meet an event at times that differ in their last digits.
    if (journey->run->audit && !at_event)
        audit_row(journey->run->audit, journey->leg->eq, journey->leg->state, columns->row);
    const RunListener *listener = journey->listener;
    return !listener->row || (at_event && listener->regular) ||
           listener->row(listener->context, columns->row);
}

bool tell_progress(const Journey *journey, double t)
{
    const RunListener *listener = journey->listener;
    return !listener->progress || listener->progress(listener->context, t);
}

void tell_event(Journey *journey, const RunEvent *event)
{
    RunEventTally *tally = &journey->summary->events[event->kind];
    if (tally->count++ == 0)
        tally->first = event->t;
    tally->last = event->t;
    if (journey->listener->event)
        journey->listener->event(journey->listener->context, event);
}

// ---- Rows.

double tell_next_row(const Journey *journey, bool *last)
{
    const RunOptions *settings = &journey->run->settings;
    double time = (double)journey->row * settings->every;
    *last = time >= settings->to - fmax(NEAR_END, 4 * DBL_EPSILON * settings->to);
    return *last ? settings->to : time;
}

bool tell_is_row(const Journey *journey, double t)
{
    bool last;
    return tell_next_row(journey, &last) <= t + ROUNDINGS * DBL_EPSILON * t;
}

bool tell_skip_row(Journey *journey)
{
    bool last;
    tell_next_row(journey, &last);
    journey->row++;
    return last;
}

// Integrates the power along the last step up to a time, for an audit: the run itself is not to
// notice.
static void add_work(Journey *journey, double until)
{
    Ledger *ledger = journey->run->audit ? &journey->run->audit->ledger : NULL;
    if (!ledger || !ledger->follows || until <= ledger->until)
        return;
    Leg *leg = journey->leg;
    NumbersOutcome why = leg->why;
    size_t evaluations = leg->state->evaluations, rates = leg->course.evaluations;
    for (size_t i = 0; i < LEDGER_NODES && ledger->follows; i++) {
        ledger->follows = leg_evaluate(leg, ledger_node(ledger, until, i));
        ledger_add(ledger, until, i, leg->state);
    }
    ledger->until = until;
    leg->state->evaluations = evaluations;
    leg->course.evaluations = rates;
    leg->why = why;
}

Arrival tell_rows(Journey *journey, bool event)
{
    bool last;
    Leg *leg = journey->leg;
    for (double time; time = tell_next_row(journey, &last), time <= leg->t; journey->row++) {
        if (event && leg->t - time <= ROUNDINGS * DBL_EPSILON * leg->t)
            break;
        add_work(journey, time);
        if (!leg_evaluate(leg, time))
            return STRANDED;
        bool more = tell_row(journey, false);
        if (last)
            return ARRIVED;
        // A step may hold many rows: whoever has had enough need not wait for its end.
        if (!more || (time < leg->t && !tell_progress(journey, time))) {
            journey->summary->reached = time;
            return ENOUGH;
        }
    }
    add_work(journey, leg->t);
    return ON_THE_WAY;
}

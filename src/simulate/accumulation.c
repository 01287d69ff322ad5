// accumulation.c: bounces that accumulate.
//
// A condition struck with f'⁺ = −v and f'' = a > 0 in flight comes back after 2v/a, from a depth of
// v²/2a, and with restitution e all flights together take 2v/(a(1 − e)). Once the next flight is no
// deeper than what counts as 0, the impact is solved again with e = 0, and that time is when the
// condition has come to rest.
//
// In a heap the flight of one depends on those of others: what lies on a ball that bounces is not
// pressed while both fly. So the impact is solved with e = 0 for all that touch, and what
// acts after it; where λ > 0 then, the condition alone would be pressed by a = λΦ. Where no flight
// of those that are coupled by contact is deeper than what counts as 0, all of them are over.
//
// When it has come to rest is estimated twice: by that sum, and by the times of the impacts
// themselves, whose limit is t + d²/(d' − d) for the last two distances d' > d where they fall like
// a geometric series (Aitken 1926). The sum is right where a flight is a parabola of its own; in a
// wedge, where the ball goes from wall to wall, only the limit is: motions there differ in nothing
// but their size, and whole rounds of some impacts are repeated. So the distances are taken over
// one, two, … impacts. The estimate that has changed least since the impact before is taken, with
// that change.
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// How long the flights take together, by the speed after an impact, what presses, and the part of
// the speed that is left.
static double flights(double speed, double a, double e)
{
    return 2 * speed / (a * (1 - e));
}

// Whether a flight is no deeper than what counts as 0.
static bool is_shallow(const SimulationRun *run, const TouchingContact *contact, double a)
{
    double speed = -contact->after;
    return speed * speed <= 2 * a * run->gaps.band[contact->index];
}

// An e next to 1 loses nothing, so that its bounces do not accumulate.
static bool loses(const TouchingContact *contact)
{
    return contact->before > 0 && -contact->after < (1 - TOL_CONDITION) * contact->before;
}

// ---- When.

// The limit of the impacts' times, by rounds of so many, as it was `ago` impacts before.
static double limit_of(const BounceHistory *bounces, size_t round, size_t ago)
{
    const double *last = bounces->times + bounces->count - 1 - ago;
    double gap = last[0] - last[-(ptrdiff_t)round];
    double before = last[-(ptrdiff_t)round] - last[-2 * (ptrdiff_t)round];
    return gap < before ? last[0] + gap * gap / (before - gap) : NAN;
}

static void keep_better(AccumulationEstimate *best, double now, double before)
{
    double error = fabs(now - before);
    if (error < best->error)
        *best = (AccumulationEstimate){now, error};
}

// An impact that came back with the speed `speed`, under what then presses.
static void note_impact(BounceHistory *bounces, double t, double speed, double a, double e)
{
    if (bounces->count == BOUNCES) {
        bounces->count--;
        memmove(bounces->times, bounces->times + 1, bounces->count * sizeof *bounces->times);
    }
    bounces->times[bounces->count++] = t;
    double sum = a > 0 && e < 1 ? t + flights(speed, a, e) : NAN;
    bounces->best = (AccumulationEstimate){NAN, INFINITY};
    keep_better(&bounces->best, sum, bounces->sum);
    bounces->sum = sum;
    for (size_t round = 1; 2 * round + 2 <= bounces->count; round++)
        keep_better(&bounces->best, limit_of(bounces, round, 0), limit_of(bounces, round, 1));
}

static void note_impacts(SimulationRun *run)
{
    ContactEvent *event = &run->event;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        BounceHistory *bounces = &run->bounces[contact->index];
        if (contact->before > 0 && contact->after < 0)
            note_impact(bounces, event->t, -contact->after,
                        event_gap_acceleration(event, i, run->mode->state->a),
                        -contact->after / contact->before);
    }
}

void accumulation_set_time(SimulationRun *run, size_t side, double t, double error)
{
    // A step leads there.
    double now = run->event.t, least = TOL_ZERO * fmax(now, run->sim->settings.every);
    run->rest_times[side] = fmax(t, now + least);
    run->rest_errors[side] = error;
}

// Its impact is to be solved again, without rebound; bounces end after `time`, unless their history
// knows better, or what follows from here.
static void let_rest(SimulationRun *run, size_t i, double time)
{
    ContactEvent *event = &run->event;
    size_t index = event->at.at[i].index;
    const BounceHistory *bounces = &run->bounces[index];
    AccumulationEstimate known = {event->t + time, time};
    event->touching.restitution.at[i] = 0;
    if (bounces->best.t >= event->t && bounces->best.error < known.error)
        known = bounces->best;
    // Of bounces from one to another the first to rest has found when all do.
    if (bounces->followed.t >= event->t - time && bounces->followed.error < known.error)
        known = bounces->followed;
    if (isfinite(known.t))
        accumulation_set_time(run, index, known.t, known.error);
}

// ---- One by itself, the present mode being that of the flight.

static bool rest_alone(SimulationRun *run)
{
    ContactEvent *event = &run->event;
    bool any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        if (!(loses(contact) && contact->after < 0))
            continue;
        double a = event_gap_acceleration(event, i, run->mode->state->a);
        if (!(a > 0 && is_shallow(run, contact, a)))
            continue;
        let_rest(run, i, flights(-contact->after, a, -contact->after / contact->before));
        any = true;
    }
    return any;
}

// ---- Several together.

// Whether it is worth asking.
static bool may_rest(const SimulationRun *run)
{
    const ContactEvent *event = &run->event;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        if (contact->after < 0 && contact->before > 0 && is_shallow(run, contact, contact->terms))
            return true;
    }
    return false;
}

// All that touch, without rebounds, in `aside`.
static bool ask_all_at_rest(SimulationRun *run, const double *impulse)
{
    const ContactEvent *event = &run->event;
    ContactEvent *aside = &run->aside;
    event_begin(aside, event->t, event->q, event->before);
    for (size_t i = 0; i < event->at.count; i++) {
        event_add(aside, event->at.at[i].index);
        aside->touching.restitution.at[i] = 0;
    }
    return contact_event(aside, true, impulse);
}

static uint32_t island_of(const ContactEvent *aside, size_t i)
{
    return aside->islands.of[aside->touching.column.at[aside->touching.first.at[i]]];
}

// What would press a condition that flies alone while all others are at rest; 0 where nothing does.
static double pressing(const TouchingContact *at_rest)
{
    bool presses = at_rest->kept && !at_rest->degenerate && at_rest->lambda > 0;
    return presses ? at_rest->lambda * at_rest->phi : 0;
}

static bool rest_together(SimulationRun *run, const double *impulse)
{
    const ContactEvent *event = &run->event;
    const ContactEvent *aside = &run->aside;
    if (!ask_all_at_rest(run, impulse))
        return false;
    bool *deep = base_alloc((run->sim->motion->n + 1) * sizeof *deep), any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        double a = pressing(&aside->at.at[i]);
        bool bounces = a > 0 && contact->after < 0;
        if (bounces && !(is_shallow(run, contact, a) && (loses(contact) || contact->before <= 0)))
            deep[island_of(aside, i)] = true;
    }
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        double a = pressing(&aside->at.at[i]), e = -contact->after / contact->before;
        if (!(a > 0 && contact->after < 0) || deep[island_of(aside, i)])
            continue;
        let_rest(run, i, contact->before > 0 ? flights(-contact->after, a, e) : INFINITY);
        any = true;
    }
    base_free(deep);
    return any;
}

// Whether their end is known since others that they depend on have come to rest.
static bool is_followed(const SimulationRun *run)
{
    const ContactEvent *event = &run->event;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        double followed = run->bounces[contact->index].followed.t;
        double time = flights(-contact->after, contact->terms, 0);
        if (contact->before > 0 && contact->after < 0 && !(followed >= event->t - time))
            return false;
    }
    return true;
}

bool accumulation_ends(SimulationRun *run, const double *impulse)
{
    note_impacts(run);
    bool may = may_rest(run);
    if (may && !is_followed(run))
        bounce_sequence_follow(run);
    return (may && rest_together(run, impulse)) || rest_alone(run);
}

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
// When it has come to rest is what following the bounces to their end tells (bounce_sequence.c):
// that sum is right where a flight is a parabola of its own, but not in a wedge, where the ball
// goes from wall to wall.
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>
#include <math.h>

double accumulation_flights(double speed, double acceleration, double restitution)
{
    return 2 * speed / (acceleration * (1 - restitution));
}

// ---- When.

void accumulation_set_time(SimulationRun *run, size_t side, RestTime rest)
{
    assert(side < run->gaps->count && isfinite(rest.t));
    // A step leads there.
    double now = run->event->t, least = TOL_ZERO * fmax(now, run->sim->settings.every);
    run->rests[side] = (RestTime){fmax(rest.t, now + least), rest.error};
}

// Its impact is to be solved again, without rebound; bounces end after `time`, unless following
// them has told better. Of bounces from one to another the first to rest has found when all do.
static void let_rest(SimulationRun *run, size_t i, double time)
{
    ContactEvent *event = run->event;
    assert(i < event->at.count && time >= 0);
    size_t index = event->at.at[i].index;
    RestTime known = {event->t + time, time}, followed = run->followed[index];
    event->touching.restitution.at[i] = 0;
    if (isfinite(followed.t) && followed.t >= event->t - time && followed.error < known.error)
        known = followed;
    if (isfinite(known.t))
        accumulation_set_time(run, index, known);
}

// ---- Which.

// It was struck, and comes back.
static bool rebounds(const TouchingContact *contact)
{
    return contact->before > 0 && contact->after < 0;
}

// Whether a flight is no deeper than what counts as 0.
static bool is_shallow(const SimulationRun *run, const TouchingContact *contact, double a)
{
    double speed = -contact->after;
    return speed * speed <= 2 * a * run->gaps->band[contact->index];
}

// An e next to 1 loses nothing, so that its bounces do not accumulate.
static bool loses(const TouchingContact *contact)
{
    return contact->before <= 0 || -contact->after < (1 - TOL_CONDITION) * contact->before;
}

// Whether it is worth asking; *followed where their end is known since others that they depend on
// have come to rest.
static bool may_rest(const SimulationRun *run, bool *followed)
{
    const ContactEvent *event = run->event;
    bool may = false;
    *followed = true;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        if (!rebounds(contact))
            continue;
        double known = run->followed[contact->index].t;
        double time = accumulation_flights(-contact->after, contact->terms, 0);
        may = may || is_shallow(run, contact, contact->terms);
        *followed = *followed && isfinite(known) && known >= event->t - time;
    }
    return may;
}

// All that touch, without rebounds, in `aside`.
static bool solve_at_rest(SimulationRun *run, const double *impulse)
{
    const ContactEvent *event = run->event;
    ContactEvent *aside = run->aside;
    event_begin(aside, event->t, event->q, event->before);
    for (size_t i = 0; i < event->at.count; i++) {
        event_add(aside, event->at.at[i].index);
        aside->touching.restitution.at[i] = 0;
    }
    return contact_event(aside, true, impulse);
}

// What would press a condition that comes back, alone, while all others are at rest; 0 where
// nothing does.
static double pressing(const SimulationRun *run, size_t i)
{
    const TouchingContact *at_rest = &run->aside->at.at[i];
    bool presses = at_rest->kept && !at_rest->degenerate && at_rest->lambda > 0;
    return presses && run->event->at.at[i].after < 0 ? at_rest->lambda * at_rest->phi : 0;
}

static bool rest_together(SimulationRun *run)
{
    const ContactEvent *event = run->event;
    bool *deep = base_alloc((run->sim->start.n + 1) * sizeof *deep), any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        double a = pressing(run, i);
        if (a > 0 && !(is_shallow(run, contact, a) && loses(contact)))
            deep[event_island(run->aside, i)] = true;
    }
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        double a = pressing(run, i), e = -contact->after / contact->before;
        if (!(a > 0) || deep[event_island(run->aside, i)])
            continue;
        bool struck = contact->before > 0;
        let_rest(run, i, struck ? accumulation_flights(-contact->after, a, e) : INFINITY);
        any = true;
    }
    base_free(deep);
    return any;
}

bool accumulation_ends(SimulationRun *run, const double *impulse)
{
    assert(run->event->impact);
    bool followed;
    if (!may_rest(run, &followed))
        return false;
    if (!followed)
        bounce_sequence_follow(run);
    return solve_at_rest(run, impulse) && rest_together(run);
}

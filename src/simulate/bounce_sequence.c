// bounce_sequence.c: bounces that accumulate, and bounces followed to their end.
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
// When it has come to rest is what following the bounces to their end tells (below):
// that sum is right where a flight is a parabola of its own, but not in a wedge, where the ball
// goes from wall to wall.
//
// Where the flights that are left are no deeper than what counts as 0, nothing else changes in the
// time that they take: forces and rows are what they are, and each f is a parabola between impacts.
// So the next impact is a root of a quadratic equation, it is solved as ever, and the whole
// sequence, from wall to wall where there are several, is followed until it is a part of what it
// was that no digit shows. A ball in a wedge moves so exactly: its motions differ in nothing but
// their size.
//
// The same where impacts follow each other faster than the time has digits, though they are not
// small: a ball that is driven into a wedge goes from wall to wall infinitely often in the end, and
// loses all of its velocity there, which one impact with all walls would throw back. So does a mass
// between a wall and a heavier one: where forces part both masses behind an impact, by a gap that
// the next one squares, no digit shows the gap, but it goes away, and is struck by itself.
#include "contact/contact.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_event_parts_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- When bounces are over.

// How long the flights take together, by the speed after an impact, what presses, and the part of
// the speed that is left.
static double all_flights(double speed, double acceleration, double restitution)
{
    return 2 * speed / (acceleration * (1 - restitution));
}

// Its bounces are over at that time, but for an error.
static void set_rest_time(SimulationRun *run, size_t side, RestTime rest)
{
    assert(side < run->gaps->count && isfinite(rest.t));
    // A step leads there.
    double now = run->event->t, least = TOL_ZERO * fmax(now, run->sim->settings.every);
    run->rests[side] = (RestTime){fmax(rest.t, now + least), rest.error};
}

// ---- A sequence of bounces.

// A condition that takes part.
typedef struct {
    const TouchingContact *contact; // where it touches at the event, else NULL
    double f, rate, second;         // f'' is that of the present flight
    double depth;                   // how far it was since it was last struck
    bool rests;
    bool there;     // it takes part in the impact at hand
    bool flies;     // since it was struck or let go: it is away, though no digit of f may show it
    RestTime over;  // when it came to rest, since the beginning
    double impulse; // of all impacts
} Bouncing;

typedef struct {
    ContactEvent *aside; // `touching`: all that take part; `kept`: those that are asked; velocities
    ARRAY(Bouncing) at;
    double t, slow; // since the beginning; a rate that counts as 0
} Sequence;

// From these velocities, with the conditions that touch, and those nearby where asked.
static Sequence sequence_begin(const SimulationRun *run, const double *v, bool nearby)
{
    const ContactEvent *event = run->event;
    const GapFunctions *gaps = run->gaps;
    Sequence sequence = {.aside = run->aside};
    event_begin(run->aside, event->t, event->q, v);
    for (size_t i = 0, k = 0; i < gaps->count; i++) {
        bool touches = k < event->at.count && event->at.at[k].index == i;
        if (!touches && !(nearby && gaps->f[i] >= -EVENT_MARGIN * gaps->band[i]))
            continue;
        event_add(run->aside, i);
        double f = fmin(gaps->f[i], 0), terms;
        double rate = contact_set_rate(&run->aside->touching, sequence.at.count, v, &terms);
        const TouchingContact *contact = touches ? &event->at.at[k++] : NULL;
        array_push(&sequence.at, ((Bouncing){contact, .f = f, .depth = -f, .rate = rate}));
        // An impact leaves so much of the velocities.
        sequence.slow = fmax(sequence.slow, 4 * TOL_RATE * terms);
    }
    return sequence;
}

// ---- A flight.

// Those at rest are asked.
static void ask_resting(Sequence *sequence)
{
    ContactEvent *aside = sequence->aside;
    contact_set_begin(&aside->kept);
    for (size_t i = 0; i < sequence->at.count; i++)
        if (sequence->at.at[i].rests)
            contact_set_copy(&aside->kept, &aside->touching, i);
}

// Accelerations, and f'' of all; what is at rest and does not stay there flies.
static bool find_accelerations(Sequence *sequence)
{
    ContactEvent *aside = sequence->aside;
    ask_resting(sequence);
    if (!event_solve_kept(aside))
        return false;
    for (size_t i = 0, k = 0; i < sequence->at.count; i++) {
        Bouncing *own = &sequence->at.at[i];
        double terms;
        own->second =
            contact_set_acceleration(&aside->touching, i, aside->answer->accelerations, &terms);
        if (own->rests) {
            own->rests = aside->answer->rates[k++] >= -TOL_CONDITION * terms;
            own->flies = !own->rests;
        }
    }
    return true;
}

// When f + rate·τ + second·τ²/2 comes up to 0 from below.
static double time_to_impact(const Bouncing *own)
{
    double rate = own->rate, second = own->second, square = rate * rate - 2 * second * own->f;
    if (square < 0 || (rate <= 0 && second <= 0))
        return INFINITY;
    return rate > 0 ? -2 * own->f / (rate + sqrt(square)) : (sqrt(square) - rate) / second;
}

static double next_impact(const Sequence *sequence, size_t *which)
{
    double first = INFINITY;
    for (size_t i = 0; i < sequence->at.count; i++) {
        const Bouncing *one = &sequence->at.at[i];
        double own = one->rests ? INFINITY : time_to_impact(one);
        if (own < first) {
            first = own;
            *which = i;
        }
    }
    return first;
}

static void fly(Sequence *sequence, double time)
{
    assert(time >= 0 && isfinite(time));
    sequence->t += time;
    real_add_times(time, sequence->aside->answer->accelerations,
                   sequence->aside->contacts->matrices->n, sequence->aside->before);
    for (size_t i = 0; i < sequence->at.count; i++) {
        Bouncing *own = &sequence->at.at[i];
        double turn = fmin(-own->rate / own->second, time);
        double step = time * (own->rate + time * own->second / 2);
        if (own->rate < 0 && turn > 0)
            own->depth = fmax(own->depth, -own->f - turn * own->rate / 2);
        own->f = own->rests ? 0 : fmin(own->f + step, 0);
        own->depth = fmax(own->depth, -own->f);
        own->rate = own->rests ? 0 : own->rate + time * own->second;
    }
}

// ---- An impact.

// What rests now would bounce on, unseen: a last part of its flights that counts as 0.
static RestTime end_of_flights(const Sequence *sequence, size_t i)
{
    const Bouncing *own = &sequence->at.at[i];
    double e = sequence->aside->touching.restitution.at[i],
           speed = own->rate > 0 ? e * own->rate : -own->rate;
    double left = own->second > 0 && e < 1 ? all_flights(speed, own->second, e) : 0;
    return (RestTime){sequence->t + left, TOL_CONDITION * sequence->t + left};
}

// With the condition `which`, and those that are there at once with it.
static bool strike(Sequence *sequence, size_t which)
{
    ContactEvent *aside = sequence->aside;
    assert(which < sequence->at.count);
    contact_set_begin(&aside->kept);
    sequence->at.at[which].f = 0;
    for (size_t i = 0; i < sequence->at.count; i++) {
        Bouncing *own = &sequence->at.at[i];
        bool left = own->flies && own->depth == 0;
        own->there = i == which || !(left || own->f < -TOL_CONDITION * own->depth);
        if (!own->there)
            continue;
        contact_set_copy(&aside->kept, &aside->touching, i);
        own->f = own->depth = 0;
    }
    if (impact_plain(aside, &aside->kept, NULL).contact.outcome != SOLVE_DONE)
        return false;
    memcpy(aside->before, aside->after, aside->contacts->matrices->n * sizeof(double));
    for (size_t i = 0, k = 0; i < sequence->at.count; i++) {
        Bouncing *own = &sequence->at.at[i];
        bool there = own->there;
        own->impulse += there ? aside->answer->lambda[k++] : 0;
        double terms, came = own->rate;
        own->rate = contact_set_rate(&aside->touching, i, aside->after, &terms);
        // What strikes so still counts as 0. Behind a fast impact it is small by its restitution,
        // and of the size of what others do next.
        bool still = came <= sequence->slow || own->rate >= -TOL_ROUNDING * terms;
        bool rests = there && still && own->rate >= -sequence->slow;
        if (rests && !own->rests)
            own->over = end_of_flights(sequence, i);
        own->rests = rests;
        own->flies = there ? !rests : own->flies;
        own->rate = rests ? 0 : own->rate;
    }
    return true;
}

// Whether nothing is faster any more, or will be when it strikes, than what counts as 0.
static bool is_calm(const Sequence *sequence)
{
    double slow = sequence->slow;
    bool calm = true;
    for (size_t i = 0; i < sequence->at.count; i++) {
        const Bouncing *own = &sequence->at.at[i];
        double falls = fmax(-2 * own->second * own->f, 0);
        calm = calm && (own->rests || own->rate * own->rate + falls <= slow * slow);
    }
    return calm;
}

// Where impacts have brought some to rest, what is as slow rests too: the next of them would say
// so.
static bool settle(Sequence *sequence)
{
    double slow = EVENT_MARGIN * sequence->slow;
    bool calm = is_calm(sequence), any = calm;
    for (size_t i = 0; i < sequence->at.count; i++)
        any = any || sequence->at.at[i].rests;
    for (size_t i = 0; i < sequence->at.count && any; i++) {
        Bouncing *own = &sequence->at.at[i];
        if (own->rests || !(fabs(own->rate) <= slow))
            continue;
        own->rests = true;
        own->over = calm ? end_of_flights(sequence, i)
                         : (RestTime){sequence->t, TOL_CONDITION * sequence->t};
    }
    return find_accelerations(sequence);
}

// From impact to impact, until the next one is far away or never; false where no end is seen.
// `struck`: one has been made; `least` is a time that no digit shows.
static bool follow(Sequence *sequence, bool struck, double least)
{
    // The work grows with the conditions; bounces are followed again and again.
    size_t patience = struck ? LIMIT_STEPS : 2, which = 0;
    size_t most = patience * LIMIT_EVENTS / (sequence->at.count + 1);
    for (; most > 0 && find_accelerations(sequence); most--, struck = true) {
        double time = next_impact(sequence, &which);
        if (struck && (is_calm(sequence) || !(time <= EVENT_MARGIN * fmax(sequence->t, least))))
            return settle(sequence);
        if (isinf(time))
            return false;
        fly(sequence, time);
        if (!strike(sequence, which))
            return false;
    }
    return false;
}

// ---- Bounces that are left after an impact.

// What just has been struck, or was at rest, is at 0.
static void begin_bounces(Sequence *sequence)
{
    for (size_t i = 0; i < sequence->at.count; i++) {
        Bouncing *own = &sequence->at.at[i];
        const TouchingContact *contact = own->contact;
        if (!contact)
            continue;
        own->rests = contact->kept && !(contact->before > 0) && contact->after >= -sequence->slow;
        if (contact->impulse > 0 || own->rests)
            own->f = 0;
    }
}

// When those that take part have come to rest, where an end is seen.
static void follow_bounces(SimulationRun *run)
{
    assert(run->event->impact);
    Sequence sequence = sequence_begin(run, run->event->after, true);
    begin_bounces(&sequence);
    bool over = follow(&sequence, false, 0);
    for (size_t i = 0; i < sequence.at.count && over; i++) {
        const Bouncing *own = &sequence.at.at[i];
        if (own->rests && own->over.t > 0)
            run->followed[run->aside->at.at[i].index] =
                (RestTime){run->event->t + own->over.t, own->over.error};
    }
    array_clear(&sequence.at);
}

// ---- Impacts in turn, at one time.

static bool is_there(const SimulationRun *run, size_t side, double rate)
{
    return gaps_are_closed(run->gaps, side, rate, run->event->t);
}

static bool is_loose(const SimulationRun *run, const TouchingContact *contact)
{
    return contact->acted && run->detector->sides[contact->index].loose;
}

// Whether it is going away, by more than roundings: then it was left or struck so short a time ago
// that its gap is one.
static bool departs(const ContactEvent *event, size_t k)
{
    double terms;
    contact_set_rate(&event->touching, k, event->before, &terms);
    return event->at.at[k].before < -TOL_ROUNDING * terms;
}

// Whether some condition is near but not there, not yet or no more; the law of impacts being the
// same all the way.
static bool come_in_turn(const SimulationRun *run)
{
    const ContactEvent *event = run->event;
    if (!impact_is_plain(event->contacts->matrices))
        return false;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        if (!contact->acted &&
            (departs(event, i) || !is_there(run, contact->index, contact->before)))
            return true;
    }
    return false;
}

// What is there strikes first.
static bool strike_first(Sequence *sequence, const SimulationRun *run)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < sequence->at.count; i++) {
        Bouncing *own = &sequence->at.at[i];
        bool loose = is_loose(run, own->contact);
        own->rests = own->contact->acted && !loose;
        own->flies = loose || (!own->rests && departs(run->event, i));
        own->rate = loose ? 0 : own->rate;
        if (!own->rests && !loose && !is_there(run, own->contact->index, own->rate))
            continue;
        own->f = own->depth = 0;
        if (!own->rests && own->rate > 0 && first == SIZE_MAX)
            first = i;
    }
    return first != SIZE_MAX && strike(sequence, first);
}

// What the sequence leaves of the velocities, exactly at rest where it has come to rest. The run
// goes on from the sequence's beginning, so that what moves on has not yet the velocity of its end.
static bool end_at_rest(Sequence *sequence)
{
    ContactEvent *aside = sequence->aside;
    ContactSet *resting = &aside->kept;
    real_add_times(-sequence->t, aside->answer->accelerations, aside->contacts->matrices->n,
                   aside->before);
    ask_resting(sequence);
    for (size_t i = 0; i < resting->which.count; i++)
        resting->restitution.at[i] = 0;
    return impact_plain(aside, resting, NULL).contact.outcome == SOLVE_DONE;
}

// Whether what is left of the velocities moves nothing by much from a row to the next.
static bool is_slow(const Sequence *sequence, const GapFunctions *gaps)
{
    bool slow = true;
    for (size_t i = 0; i < sequence->at.count; i++) {
        const Bouncing *own = &sequence->at.at[i];
        double size = gaps->sizes[own->contact->index];
        slow = slow && fabs(own->rate) * gaps->interval <= TOL_SMALL * size;
    }
    return slow;
}

RunResult bounce_sequence_resolve(SimulationRun *run, bool *resolved)
{
    ContactEvent *event = run->event;
    *resolved = false;
    if (!come_in_turn(run))
        return RESULT_CONTINUE;
    event_evaluate(event, event->before);
    Sequence sequence = sequence_begin(run, event->before, false);
    double least = TOL_ROUNDING * fmax(event->t, run->sim->settings.every);
    bool struck = strike_first(&sequence, run);
    *resolved = struck && follow(&sequence, true, least) && end_at_rest(&sequence);
    for (size_t i = 0; i < sequence.at.count && *resolved; i++) {
        const Bouncing *own = &sequence.at.at[i];
        TouchingContact *contact = &event->at.at[i];
        contact->impulse = own->impulse;
        contact->stays = own->rests;
        if (own->rests && !contact->acted)
            set_rest_time(run, contact->index, (RestTime){event->t + own->over.t, own->over.error});
    }
    if (*resolved)
        event_set_after(event, run->aside->after);
    bool lost = struck && !*resolved && !is_slow(&sequence, run->gaps);
    array_clear(&sequence.at);
    return lost ? failure_of_turns(run, event->t, true) : RESULT_CONTINUE;
}

bool bounce_sequence_differs(SimulationRun *run)
{
    ContactEvent *event = run->event;
    size_t n = event->contacts->matrices->n;
    bool any = false, strikes = false;
    for (size_t i = 0; i < event->at.count; i++) {
        any = any || is_loose(run, &event->at.at[i]);
        strikes = strikes || (event->at.at[i].before > 0 && !event->at.at[i].acted);
    }
    if (!any || !strikes || !impact_is_plain(event->contacts->matrices) ||
        !impact_solve(event, NULL))
        return false;
    event_evaluate(event, event->before);
    Sequence sequence = sequence_begin(run, event->before, false);
    double least = TOL_ROUNDING * fmax(event->t, run->sim->settings.every);
    bool differs = strike_first(&sequence, run) && !follow(&sequence, true, least);
    double most = TOL_SMALL * real_largest(event->before, n);
    for (size_t j = 0; j < n; j++)
        differs = differs || fabs(run->aside->before[j] - event->after[j]) > most;
    array_clear(&sequence.at);
    return differs;
}

// ---- A step of fixed length.

// From its beginning: f where the middle is known, with these velocities until there.
static void go_back(Sequence *sequence, const SimulationRun *run, double half)
{
    for (size_t i = 0; i < sequence->at.count; i++) {
        Bouncing *own = &sequence->at.at[i];
        own->flies = departs(run->event, i);
        own->rests = own->contact->acted && !own->flies;
        own->f = own->rests ? 0 : fmin(run->gaps->f[own->contact->index] - half * own->rate, 0);
        own->depth = -own->f;
    }
}

// The impacts that come in turn within a time; false where no end of them is seen.
static bool follow_within(Sequence *sequence, double length)
{
    size_t most = 2 * LIMIT_EVENTS / (sequence->at.count + 1), which = 0;
    for (size_t impacts = 0; impacts < most && find_accelerations(sequence); impacts++) {
        double time = next_impact(sequence, &which), left = length - sequence->t;
        if (!(time <= left)) {
            fly(sequence, left);
            return true;
        }
        fly(sequence, time);
        if (!strike(sequence, which))
            return false;
    }
    return false;
}

bool bounce_sequence_agrees(SimulationRun *run, double length, const double *sizes)
{
    const ContactEvent *event = run->event;
    size_t n = event->contacts->matrices->n;
    bool struck = false;
    for (size_t i = 0; i < event->at.count; i++)
        struck = struck || (event->at.at[i].before > 0 && !event->at.at[i].acted);
    if (!struck || event->at.count < 2 || event->friction ||
        !impact_is_plain(event->contacts->matrices))
        return true;
    Sequence sequence = sequence_begin(run, event->before, false);
    go_back(&sequence, run, length / 2);
    bool agrees = follow_within(&sequence, length);
    double most = TOL_POOR * real_largest(sizes, n);
    for (size_t j = 0; j < n && agrees; j++)
        agrees = fabs(run->aside->before[j] - event->after[j]) <= most;
    array_clear(&sequence.at);
    return agrees;
}

// ---- Bounces that accumulate.

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
        set_rest_time(run, index, known);
}

// ---- Which bounces are over.

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
        // It was struck, and comes back.
        if (!(contact->before > 0 && contact->after < 0))
            continue;
        double known = run->followed[contact->index].t;
        double time = all_flights(-contact->after, contact->terms, 0);
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
    bool presses = at_rest->outcome == CONTACT_PUSHES;
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
        let_rest(run, i, struck ? all_flights(-contact->after, a, e) : INFINITY);
        any = true;
    }
    base_free(deep);
    return any;
}

// What the bounces that are left do to the velocities of all, where following them tells: those
// that end may be struck by others that go on.
static bool take_followed(SimulationRun *run)
{
    ContactEvent *event = run->event;
    if (!impact_is_plain(event->contacts->matrices))
        return false;
    event_evaluate(event, event->after);
    Sequence sequence = sequence_begin(run, event->after, true);
    begin_bounces(&sequence);
    bool over = follow(&sequence, false, 0) && end_at_rest(&sequence);
    // What does not touch yet cannot be held.
    for (size_t i = 0; i < sequence.at.count && over; i++)
        over = sequence.at.at[i].contact || !sequence.at.at[i].rests;
    for (size_t i = 0, k = 0; i < sequence.at.count && over; i++) {
        Bouncing *own = &sequence.at.at[i];
        if (!own->contact)
            continue;
        TouchingContact *contact = &event->at.at[k++];
        contact->impulse += own->impulse;
        contact->stays = own->rests;
    }
    if (over)
        event_set_after(event, run->aside->after);
    array_clear(&sequence.at);
    return over;
}

bool accumulation_ends(SimulationRun *run, const double *impulse, bool *solved)
{
    assert(run->event->impact);
    bool followed;
    *solved = false;
    if (!may_rest(run, &followed))
        return false;
    if (!followed)
        follow_bounces(run);
    if (!solve_at_rest(run, impulse) || !rest_together(run))
        return false;
    *solved = !impulse && take_followed(run);
    return true;
}

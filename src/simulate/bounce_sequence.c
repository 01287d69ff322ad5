// bounce_sequence.c: bounces that become ever smaller, followed to their end.
//
// Where the flights that are left are no deeper than what counts as 0, nothing else changes in the
// time that they take: forces and rows are what they are, and each f is a parabola between impacts.
// So the next impact is a root of a quadratic equation, the shock there is asked as ever, and the
// whole sequence, from wall to wall where there are several, is followed until it is a part of what
// it was that no digit shows. A ball in a wedge moves so exactly: its motions differ in nothing but
// their size.
//
// The same where impacts follow each other faster than the time has digits, though they are not
// small: a ball that is driven into a wedge goes from wall to wall infinitely often in the end, and
// loses all of its velocity there, which one shock with all walls would throw back.
#include "simulate/journey_impl.h"
#include "simulate/simulation_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Conditions that are no farther than so many bands take part.
#define NEARBY 100
// A condition that is struck by no more than this part of the first velocities has come to rest.
#define OVER 1e-8
// What is farther away than so many times the time gone is no part of the sequence.
#define LATER 100
// A condition is struck at once with others up to this part of how far it was since it was last.
#define AT_ONCE 1e-9
// So many impacts are followed, of one condition; of several fewer.
#define MOST_IMPACTS 4000
// What touches touches at once with others up to so many roundings of f, and of the time.
#define ROUNDINGS 16

typedef struct {
    const SystemMatrices *matrices;
    ContactSolver *gauss;
    ContactSet rows, some; // of all that take part; of those that are asked
    size_t n, count;       // coordinates, conditions
    double *v, *a, *w;     // n each: velocities, accelerations, room
    // Of each condition; `depth`: how far it was since it was last struck, `second`: f'' in the
    // present flight, `over`: when it came to rest.
    double *f, *depth, *rate, *second, *over, *lambda, *rates, *impulses;
    bool *rests, *acting;
    double t, size; // since the beginning; of the first velocities
} Sequence;

// ---- Making.

static void add(Sequence *sequence, const ContactEvent *event, size_t side, const double *v)
{
    contact_set_add(&sequence->rows, &event->contacts->unilaterals, side, event->t, event->q, v);
}

// With nobody yet.
static void sequence_begin(Sequence *sequence, const Journey *journey)
{
    const ContactEvent *event = &journey->event;
    *sequence = (Sequence){.matrices = &event->contacts->matrices,
                           .gauss = event->contacts->gauss,
                           .n = journey->run->motion->n};
    contact_set_begin(&sequence->rows);
}

// With those that were added, from these velocities.
static void sequence_start(Sequence *sequence, const GapFunctions *gaps, const double *v)
{
    size_t n = sequence->n, count = sequence->count = sequence->rows.which.count;
    sequence->v = base_alloc((3 * n + 8 * count + 1) * sizeof(double));
    sequence->a = sequence->v + n;
    sequence->w = sequence->a + n;
    sequence->f = sequence->w + n;
    sequence->rate = sequence->f + count;
    sequence->second = sequence->rate + count;
    sequence->over = sequence->second + count;
    sequence->lambda = sequence->over + count;
    sequence->rates = sequence->lambda + count;
    sequence->impulses = sequence->rates + count;
    sequence->depth = sequence->impulses + count;
    sequence->rests = base_alloc((2 * count + 1) * sizeof(bool));
    sequence->acting = sequence->rests + count;
    memcpy(sequence->v, v, n * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        sequence->f[i] = fmin(gaps->f[sequence->rows.which.at[i]], 0);
        sequence->rate[i] = sequence->rows.rate.at[i];
        sequence->size = fmax(sequence->size, fabs(sequence->rate[i]));
        sequence->depth[i] = -sequence->f[i];
    }
}

// After the shock, with all that is near. What just has been struck, or was at rest, is at 0.
static void start_after(Sequence *sequence, const Journey *journey)
{
    const ContactEvent *event = &journey->event;
    const GapFunctions *gaps = &journey->gaps;
    sequence_begin(sequence, journey);
    for (size_t i = 0; i < gaps->count; i++)
        if (gaps->f[i] >= -NEARBY * gaps->band[i])
            add(sequence, event, i, event->after);
    sequence_start(sequence, gaps, event->after);
    for (size_t i = 0, k = 0; i < sequence->count && k < event->at.count; i++)
        if (event->at.at[k].index == sequence->rows.which.at[i]) {
            const TouchingContact *contact = &event->at.at[k++];
            bool still = contact->kept && contact->after >= -OVER * sequence->size;
            sequence->rests[i] = still && !(contact->before > 0);
            if (contact->impulse > 0 || sequence->rests[i])
                sequence->f[i] = 0;
        }
}

static void sequence_clear(Sequence *sequence)
{
    contact_set_clear(&sequence->rows);
    contact_set_clear(&sequence->some);
    base_free(sequence->v);
    base_free(sequence->rests);
}

// ---- A flight.

// Accelerations, and f'' of all; what is at rest and not pressed flies.
static bool find_accelerations(Sequence *sequence)
{
    contact_set_begin(&sequence->some);
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->rests[i])
            contact_set_copy(&sequence->some, &sequence->rows, i);
    memset(sequence->acting, 0, sequence->count * sizeof(bool));
    ContactProblem problem = contact_set_problem(&sequence->some, sequence->matrices);
    ContactAnswer answer = {
        .accelerations = sequence->a, .rates = sequence->rates, .acting = sequence->acting};
    if (contact_accelerations(sequence->gauss, &problem, &answer).outcome != SOLVE_DONE)
        return false;
    for (size_t i = 0, k = 0; i < sequence->count; i++) {
        double terms;
        sequence->second[i] =
            contact_set_rate(&sequence->rows, i, sequence->a, sequence->rows.gamma.at[i], &terms);
        if (sequence->rests[i])
            sequence->rests[i] = sequence->rates[k++] >= 0;
    }
    return true;
}

// When f + rate·τ + second·τ²/2 comes up to 0 from below.
static double time_to_strike(double f, double rate, double second)
{
    double square = rate * rate - 2 * second * f;
    if (square < 0 || (rate <= 0 && second <= 0))
        return INFINITY;
    return rate > 0 ? -2 * f / (rate + sqrt(square)) : (sqrt(square) - rate) / second;
}

static double next_impact(const Sequence *sequence, size_t *which)
{
    double first = INFINITY;
    for (size_t i = 0; i < sequence->count; i++) {
        if (sequence->rests[i])
            continue;
        double own = time_to_strike(sequence->f[i], sequence->rate[i], sequence->second[i]);
        if (own < first) {
            first = own;
            *which = i;
        }
    }
    return first;
}

static void fly(Sequence *sequence, double time)
{
    sequence->t += time;
    for (size_t j = 0; j < sequence->n; j++)
        sequence->v[j] += time * sequence->a[j];
    for (size_t i = 0; i < sequence->count; i++) {
        double rate = sequence->rate[i], turn = fmin(-rate / sequence->second[i], time);
        double step = time * (rate + time * sequence->second[i] / 2);
        if (rate < 0 && turn > 0)
            sequence->depth[i] = fmax(sequence->depth[i], -sequence->f[i] - turn * rate / 2);
        sequence->f[i] = sequence->rests[i] ? 0 : fmin(sequence->f[i] + step, 0);
        sequence->depth[i] = fmax(sequence->depth[i], -sequence->f[i]);
        sequence->rate[i] = sequence->rests[i] ? 0 : sequence->rate[i] + time * sequence->second[i];
    }
}

// ---- An impact.

static bool strike(Sequence *sequence, size_t which)
{
    contact_set_begin(&sequence->some);
    sequence->f[which] = 0;
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->f[i] >= -AT_ONCE * sequence->depth[i]) {
            contact_set_copy(&sequence->some, &sequence->rows, i);
            sequence->f[i] = sequence->depth[i] = 0;
        }
    ImpactAnswer answer = {.velocities = sequence->w, .lambda = sequence->lambda};
    if (contact_set_impact(&sequence->some, sequence->matrices, sequence->gauss, sequence->v, NULL,
                           &answer)
            .contact.outcome != SOLVE_DONE)
        return false;
    memcpy(sequence->v, sequence->w, sequence->n * sizeof(double));
    for (size_t i = 0, k = 0; i < sequence->count; i++) {
        double terms, partial_t = sequence->rows.partial_t.at[i];
        bool there = sequence->f[i] == 0;
        sequence->impulses[i] += there ? sequence->lambda[k++] : 0;
        sequence->rate[i] = contact_set_rate(&sequence->rows, i, sequence->v, partial_t, &terms);
        bool rests = there && fabs(sequence->rate[i]) <= OVER * sequence->size;
        if (rests && !sequence->rests[i])
            sequence->over[i] = sequence->t;
        sequence->rests[i] = rests;
    }
    return true;
}

// From impact to impact, until the next one is far away or never; false where no end is seen.
static bool follow(Sequence *sequence)
{
    size_t most = MOST_IMPACTS / (sequence->count + 1), which = 0;
    for (size_t impacts = 0; impacts < most && find_accelerations(sequence); impacts++) {
        double time = next_impact(sequence, &which);
        if (impacts > 0 && !(time <= LATER * sequence->t))
            return true;
        if (isinf(time))
            return false;
        fly(sequence, time);
        if (!strike(sequence, which))
            return false;
    }
    return false;
}

void bounce_sequence_follow(Journey *journey)
{
    Sequence sequence;
    start_after(&sequence, journey);
    bool over = follow(&sequence);
    for (size_t i = 0; i < sequence.count && over; i++)
        if (sequence.rests[i] && sequence.over[i] > 0)
            journey->bounces[sequence.rows.which.at[i]].followed = (AccumulationEstimate){
                journey->event.t + sequence.over[i], OVER * sequence.over[i]};
    sequence_clear(&sequence);
}

// ---- Impacts in turn, at one time.

// Whether f is 0 but for roundings.
static bool is_there(const Journey *journey, size_t side, double rate)
{
    const GapFunctions *gaps = &journey->gaps;
    double size = gaps->sizes[side] + fabs(rate) * journey->event.t;
    return gaps->f[side] >= -ROUNDINGS * DBL_EPSILON * size;
}

// Whether somebody is near who is not there, not yet or no more; the rules of a shock being the
// same all the way, and no servo there that might not outlast it.
static bool come_in_turn(const Journey *journey)
{
    const ContactEvent *event = &journey->event;
    const SystemMatrices *matrices = &event->contacts->matrices;
    bool in_turn = false, plain = !matrices->bent && matrices->ideal == matrices->m;
    for (size_t i = 0; i < event->at.count && plain; i++) {
        const TouchingContact *contact = &event->at.at[i];
        in_turn = in_turn || (!event->acts[contact->index] &&
                              !is_there(journey, contact->index, contact->before));
    }
    return in_turn;
}

// Before the shock, with all that touch. What is there strikes first.
static bool start_before(Sequence *sequence, const Journey *journey)
{
    const ContactEvent *event = &journey->event;
    size_t first = SIZE_MAX;
    sequence_begin(sequence, journey);
    for (size_t i = 0; i < event->at.count; i++)
        add(sequence, event, event->at.at[i].index, event->before);
    sequence_start(sequence, &journey->gaps, event->before);
    for (size_t i = 0; i < sequence->count; i++) {
        size_t side = event->at.at[i].index;
        sequence->rests[i] = event->acts[side];
        if (!sequence->rests[i] && !is_there(journey, side, sequence->rate[i]))
            continue;
        sequence->f[i] = 0;
        if (!sequence->rests[i] && sequence->rate[i] > 0 && first == SIZE_MAX)
            first = i;
    }
    return first != SIZE_MAX && strike(sequence, first);
}

// What the sequence leaves of the velocities, exactly at rest where it has come to rest.
static bool end_at_rest(Sequence *sequence)
{
    contact_set_begin(&sequence->some);
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->rests[i]) {
            contact_set_copy(&sequence->some, &sequence->rows, i);
            sequence->some.restitution.at[sequence->some.which.count - 1] = 0;
        }
    ImpactAnswer answer = {.velocities = sequence->w};
    return contact_set_impact(&sequence->some, sequence->matrices, sequence->gauss, sequence->v,
                              NULL, &answer)
               .contact.outcome == SOLVE_DONE;
}

bool bounce_sequence_resolve(Journey *journey)
{
    ContactEvent *event = &journey->event;
    Sequence sequence;
    if (!come_in_turn(journey))
        return false;
    event_evaluate_before(event);
    bool over = start_before(&sequence, journey) && follow(&sequence) && end_at_rest(&sequence);
    if (over) {
        for (size_t i = 0; i < sequence.count; i++) {
            size_t side = event->at.at[i].index;
            event->at.at[i].impulse = sequence.impulses[i];
            if (sequence.rests[i] && !event->acts[side])
                accumulation_set_time(journey, side, event->t + sequence.over[i],
                                      OVER * sequence.over[i]);
        }
        event_jump_to(event, sequence.w);
    }
    sequence_clear(&sequence);
    return over;
}

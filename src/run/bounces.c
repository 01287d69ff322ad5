// bounces.c: bounces that become ever smaller, followed to their end.
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
#include "run/journey_impl.h"

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
    const Many *many;
    ContactSolver *gauss;
    Asked rows, some;  // of all that take part; of those that are asked
    size_t n, count;   // coordinates, conditions
    double *v, *a, *w; // n each: velocities, accelerations, room
    // Of each condition; `depth`: how far it was since it was last struck, `second`: f'' in the
    // present flight, `over`: when it came to rest.
    double *f, *depth, *rate, *second, *over, *lambda, *rates, *impulses;
    bool *rests, *acting;
    double t, size; // since the beginning; of the first velocities
} Sequence;

// ---- Making.

static void add(Sequence *sequence, const Meeting *meeting, size_t side, const double *v)
{
    asked_add(&sequence->rows, &meeting->sides->shapes, side, meeting->t, meeting->q, v);
}

// With nobody yet.
static void sequence_begin(Sequence *sequence, const Journey *journey)
{
    const Meeting *meeting = &journey->meeting;
    *sequence = (Sequence){.many = &meeting->sides->many,
                           .gauss = meeting->sides->gauss,
                           .n = journey->run->numbers.n};
    asked_begin(&sequence->rows);
}

// With those that were added, from these velocities.
static void sequence_start(Sequence *sequence, const Contacts *contacts, const double *v)
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
        sequence->f[i] = fmin(contacts->f[sequence->rows.which.at[i]], 0);
        sequence->rate[i] = sequence->rows.rate.at[i];
        sequence->size = fmax(sequence->size, fabs(sequence->rate[i]));
        sequence->depth[i] = -sequence->f[i];
    }
}

// After the shock, with all that is near. What just has been struck, or was at rest, is at 0.
static void start_after(Sequence *sequence, const Journey *journey)
{
    const Meeting *meeting = &journey->meeting;
    const Contacts *contacts = &journey->contacts;
    sequence_begin(sequence, journey);
    for (size_t i = 0; i < contacts->count; i++)
        if (contacts->f[i] >= -NEARBY * contacts->band[i])
            add(sequence, meeting, i, meeting->after);
    sequence_start(sequence, contacts, meeting->after);
    for (size_t i = 0, k = 0; i < sequence->count && k < meeting->at.count; i++)
        if (meeting->at.at[k].index == sequence->rows.which.at[i]) {
            const Touch *touch = &meeting->at.at[k++];
            bool still = touch->kept && touch->after >= -OVER * sequence->size;
            sequence->rests[i] = still && !(touch->before > 0);
            if (touch->impulse > 0 || sequence->rests[i])
                sequence->f[i] = 0;
        }
}

static void sequence_clear(Sequence *sequence)
{
    asked_clear(&sequence->rows);
    asked_clear(&sequence->some);
    base_free(sequence->v);
    base_free(sequence->rests);
}

// ---- A flight.

// Accelerations, and f'' of all; what is at rest and not pressed flies.
static bool find_accelerations(Sequence *sequence)
{
    asked_begin(&sequence->some);
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->rests[i])
            asked_take(&sequence->some, &sequence->rows, i);
    memset(sequence->acting, 0, sequence->count * sizeof(bool));
    ContactProblem problem = asked_problem(&sequence->some, sequence->many);
    ContactAnswer answer = {
        .accelerations = sequence->a, .rates = sequence->rates, .acting = sequence->acting};
    if (contact_accelerations(sequence->gauss, &problem, &answer).outcome != SOLVE_DONE)
        return false;
    for (size_t i = 0, k = 0; i < sequence->count; i++) {
        double terms;
        sequence->second[i] =
            asked_along(&sequence->rows, i, sequence->a, sequence->rows.gamma.at[i], &terms);
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
    asked_begin(&sequence->some);
    sequence->f[which] = 0;
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->f[i] >= -AT_ONCE * sequence->depth[i]) {
            asked_take(&sequence->some, &sequence->rows, i);
            sequence->f[i] = sequence->depth[i] = 0;
        }
    ImpactAnswer answer = {.velocities = sequence->w, .lambda = sequence->lambda};
    if (asked_shock(&sequence->some, sequence->many, sequence->gauss, sequence->v, NULL, &answer)
            .contact.outcome != SOLVE_DONE)
        return false;
    memcpy(sequence->v, sequence->w, sequence->n * sizeof(double));
    for (size_t i = 0, k = 0; i < sequence->count; i++) {
        double terms, partial_t = sequence->rows.partial_t.at[i];
        bool there = sequence->f[i] == 0;
        sequence->impulses[i] += there ? sequence->lambda[k++] : 0;
        sequence->rate[i] = asked_along(&sequence->rows, i, sequence->v, partial_t, &terms);
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

void bounces_follow(Journey *journey)
{
    Sequence sequence;
    start_after(&sequence, journey);
    bool over = follow(&sequence);
    for (size_t i = 0; i < sequence.count && over; i++)
        if (sequence.rests[i] && sequence.over[i] > 0)
            journey->bounces[sequence.rows.which.at[i]].followed =
                (RestEstimate){journey->meeting.t + sequence.over[i], OVER * sequence.over[i]};
    sequence_clear(&sequence);
}

// ---- Impacts in turn, at one time.

// Whether f is 0 but for roundings.
static bool is_there(const Journey *journey, size_t side, double rate)
{
    const Contacts *contacts = &journey->contacts;
    double size = contacts->sizes[side] + fabs(rate) * journey->meeting.t;
    return contacts->f[side] >= -ROUNDINGS * DBL_EPSILON * size;
}

// Whether somebody is near who is not there, not yet or no more; the rules of a shock being the
// same all the way, and no servo there that might not outlast it.
static bool come_in_turn(const Journey *journey)
{
    const Meeting *meeting = &journey->meeting;
    const Many *many = &meeting->sides->many;
    bool in_turn = false, plain = !many->bent && many->ideal == many->m;
    for (size_t i = 0; i < meeting->at.count && plain; i++) {
        const Touch *touch = &meeting->at.at[i];
        in_turn = in_turn ||
                  (!meeting->acts[touch->index] && !is_there(journey, touch->index, touch->before));
    }
    return in_turn;
}

// Before the shock, with all that touch. What is there strikes first.
static bool start_before(Sequence *sequence, const Journey *journey)
{
    const Meeting *meeting = &journey->meeting;
    size_t first = SIZE_MAX;
    sequence_begin(sequence, journey);
    for (size_t i = 0; i < meeting->at.count; i++)
        add(sequence, meeting, meeting->at.at[i].index, meeting->before);
    sequence_start(sequence, &journey->contacts, meeting->before);
    for (size_t i = 0; i < sequence->count; i++) {
        size_t side = meeting->at.at[i].index;
        sequence->rests[i] = meeting->acts[side];
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
    asked_begin(&sequence->some);
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->rests[i]) {
            asked_take(&sequence->some, &sequence->rows, i);
            sequence->some.restitution.at[sequence->some.which.count - 1] = 0;
        }
    ImpactAnswer answer = {.velocities = sequence->w};
    return asked_shock(&sequence->some, sequence->many, sequence->gauss, sequence->v, NULL, &answer)
               .contact.outcome == SOLVE_DONE;
}

bool bounces_in_turn(Journey *journey)
{
    Meeting *meeting = &journey->meeting;
    Sequence sequence;
    if (!come_in_turn(journey))
        return false;
    meeting_go_before(meeting);
    bool over = start_before(&sequence, journey) && follow(&sequence) && end_at_rest(&sequence);
    if (over) {
        for (size_t i = 0; i < sequence.count; i++) {
            size_t side = meeting->at.at[i].index;
            meeting->at.at[i].impulse = sequence.impulses[i];
            if (sequence.rests[i] && !meeting->acts[side])
                rest_is_at(journey, side, meeting->t + sequence.over[i], OVER * sequence.over[i]);
        }
        meeting_jump_to(meeting, sequence.w);
    }
    sequence_clear(&sequence);
    return over;
}

// bounces.c: bounces that become ever smaller, followed to their end.
//
// Where the flights that are left are no deeper than what counts as 0, nothing else changes in the
// time that they take: forces and rows are what they are, and each f is a parabola between impacts.
// So the next impact is a root of a quadratic equation, the shock there is asked as ever, and the
// whole sequence, from wall to wall where there are several, is followed until it is a part of what
// it was that no digit shows. A ball in a wedge moves so exactly: its motions differ in nothing but
// their size.
#include "run/journey_impl.h"

#include <math.h>
#include <string.h>

// Conditions that are no farther than so many bands take part.
#define NEARBY 100
// A condition that is struck by no more than this part of the first velocities has come to rest.
#define OVER 1e-8
// What is farther away than so many times the time gone is no part of the sequence.
#define LATER 100
// Distances are the same within this part of the first ones.
#define AT_ONCE 1e-9
// So many impacts are followed, of one condition; of several fewer.
#define MOST_IMPACTS 4000

typedef struct {
    const Many *many;
    GaussMany *gauss;
    Asked rows, some;  // of all that take part; of those that are asked
    size_t n, count;   // coordinates, conditions
    double *v, *a, *w; // n each: velocities, accelerations, room
    // Of each condition; `second`: f'' in the present flight, `over`: when it came to rest.
    double *f, *rate, *second, *over, *lambda, *rates;
    bool *rests, *acting;
    double t, size, depth; // since the beginning; of the first velocities and distances
} Sequence;

// ---- Making.

static void sequence_init(Sequence *sequence, Journey *journey)
{
    const Meeting *meeting = &journey->meeting;
    const Contacts *contacts = &journey->contacts;
    size_t n = journey->run->numbers.n;
    *sequence = (Sequence){.many = &meeting->sides->many, .gauss = meeting->sides->gauss, .n = n};
    asked_begin(&sequence->rows);
    for (size_t i = 0; i < contacts->count; i++)
        if (contacts->f[i] >= -NEARBY * contacts->band[i])
            asked_add(&sequence->rows, &meeting->sides->shapes, i, meeting->t, meeting->q,
                      meeting->after);
    size_t count = sequence->count = sequence->rows.which.count;
    sequence->v = base_alloc((3 * n + 6 * count + 1) * sizeof(double));
    sequence->a = sequence->v + n;
    sequence->w = sequence->a + n;
    sequence->f = sequence->w + n;
    sequence->rate = sequence->f + count;
    sequence->second = sequence->rate + count;
    sequence->over = sequence->second + count;
    sequence->lambda = sequence->over + count;
    sequence->rates = sequence->lambda + count;
    sequence->rests = base_alloc((2 * count + 1) * sizeof(bool));
    sequence->acting = sequence->rests + count;
    memcpy(sequence->v, meeting->after, n * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        sequence->f[i] = fmin(contacts->f[sequence->rows.which.at[i]], 0);
        sequence->rate[i] = sequence->rows.rate.at[i];
        sequence->size = fmax(sequence->size, fabs(sequence->rate[i]));
        sequence->depth = fmax(sequence->depth, -sequence->f[i]);
    }
    // What just has been struck, or was at rest, is at 0.
    for (size_t i = 0, k = 0; i < count && k < meeting->at.count; i++)
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
    GaussManyProblem problem = asked_problem(&sequence->some, sequence->many);
    GaussInstantAnswer answer = {
        .accelerations = sequence->a, .rates = sequence->rates, .acting = sequence->acting};
    if (gauss_many_solve(sequence->gauss, &problem, &answer).outcome != GAUSS_SOLVED)
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
        double step = time * (sequence->rate[i] + time * sequence->second[i] / 2);
        sequence->f[i] = sequence->rests[i] ? 0 : fmin(sequence->f[i] + step, 0);
        sequence->rate[i] = sequence->rests[i] ? 0 : sequence->rate[i] + time * sequence->second[i];
    }
}

// ---- An impact.

static bool strike(Sequence *sequence, size_t which)
{
    asked_begin(&sequence->some);
    sequence->f[which] = 0;
    for (size_t i = 0; i < sequence->count; i++)
        if (sequence->f[i] >= -AT_ONCE * sequence->depth)
            asked_take(&sequence->some, &sequence->rows, i);
    GaussShockAnswer answer = {.velocities = sequence->w};
    if (asked_shock(&sequence->some, sequence->many, sequence->gauss, sequence->v, NULL, &answer)
            .sides.outcome != GAUSS_SOLVED)
        return false;
    memcpy(sequence->v, sequence->w, sequence->n * sizeof(double));
    for (size_t i = 0; i < sequence->count; i++) {
        double terms, partial_t = sequence->rows.partial_t.at[i];
        bool there = sequence->f[i] >= -AT_ONCE * sequence->depth;
        sequence->rate[i] = asked_along(&sequence->rows, i, sequence->v, partial_t, &terms);
        bool rests = there && fabs(sequence->rate[i]) <= OVER * sequence->size;
        if (rests && !sequence->rests[i])
            sequence->over[i] = sequence->t;
        sequence->rests[i] = rests;
    }
    return true;
}

void bounces_follow(Journey *journey)
{
    Sequence sequence;
    sequence_init(&sequence, journey);
    bool over = false, going = true;
    size_t most = MOST_IMPACTS / (sequence.count + 1);
    for (size_t impacts = 0; going && impacts < most; impacts++) {
        size_t which = 0;
        going = find_accelerations(&sequence);
        double time = going ? next_impact(&sequence, &which) : INFINITY;
        over = going && impacts > 0 && !(time <= LATER * sequence.t);
        if (!going || over || isinf(time))
            break;
        fly(&sequence, time);
        going = strike(&sequence, which);
    }
    for (size_t i = 0; i < sequence.count && over; i++)
        if (sequence.rests[i] && sequence.over[i] > 0)
            journey->bounces[sequence.rows.which.at[i]].followed =
                (RestEstimate){journey->meeting.t + sequence.over[i], OVER * sequence.over[i]};
    sequence_clear(&sequence);
}

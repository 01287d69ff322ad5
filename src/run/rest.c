// rest.c: bounces that accumulate.
//
// A condition struck with f'⁺ = −v and f'' = a > 0 in flight comes back after 2v/a, from a depth of
// v²/2a, and with restitution e all flights together take 2v/(a(1 − e)). Once the next flight is no
// deeper than what counts as 0, the shock is asked again with e = 0, and that time is when the
// condition has come to rest.
//
// In a heap the flight of one depends on those of others: what lies on a ball that bounces is not
// pressed while both fly. So the shock is asked with e = 0 for all that touch, and the instant
// after it; where λ > 0 then, the condition alone would be pressed by a = λΦ. Where no flight of
// those that are tied together by touching is deeper than what counts as 0, all of them are over.
#include "run/journey_impl.h"

#include <math.h>

// An e this near to 1 loses nothing, so that its bounces do not accumulate.
#define NO_LOSS 1e-9

// How long the flights take together, by the speed after an impact, what presses, and the part of
// the speed that is left.
static double flights(double speed, double a, double e)
{
    return 2 * speed / (a * (1 - e));
}

// Whether a flight is no deeper than what counts as 0.
static bool is_shallow(const Journey *journey, const Touch *touch, double a)
{
    double speed = -touch->after;
    return speed * speed <= 2 * a * journey->contacts.band[touch->index];
}

static bool loses(const Touch *touch)
{
    return touch->before > 0 && -touch->after < (1 - NO_LOSS) * touch->before;
}

// Its shock is to be asked again, without rebound; bounces end after `time`.
static void let_rest(Journey *journey, size_t i, double time)
{
    Meeting *meeting = &journey->meeting;
    meeting->asked.restitution.at[i] = 0;
    if (isfinite(time))
        journey->rest_times[meeting->at.at[i].index] = meeting->t + time;
}

// ---- One by itself, the present leg being that of the flight.

static bool rest_alone(Journey *journey)
{
    Meeting *meeting = &journey->meeting;
    bool any = false;
    for (size_t i = 0; i < meeting->at.count; i++) {
        const Touch *touch = &meeting->at.at[i];
        if (!(loses(touch) && touch->after < 0))
            continue;
        double a = meeting_second_rate(meeting, i, journey->leg->numbers->a);
        if (!(a > 0 && is_shallow(journey, touch, a)))
            continue;
        let_rest(journey, i, flights(-touch->after, a, -touch->after / touch->before));
        any = true;
    }
    return any;
}

// ---- Several together.

// Whether it is worth asking.
static bool may_rest(const Journey *journey)
{
    const Meeting *meeting = &journey->meeting;
    for (size_t i = 0; i < meeting->at.count; i++) {
        const Touch *touch = &meeting->at.at[i];
        if (touch->after < 0 && touch->before > 0 && is_shallow(journey, touch, touch->terms))
            return true;
    }
    return false;
}

// All that touch, without rebounds, in `aside`.
static bool ask_all_at_rest(Journey *journey, const double *impulse)
{
    const Meeting *meeting = &journey->meeting;
    Meeting *aside = &journey->aside;
    meeting_begin(aside, meeting->t, meeting->q, meeting->before);
    for (size_t i = 0; i < meeting->at.count; i++) {
        meeting_add(aside, meeting->at.at[i].index);
        aside->asked.restitution.at[i] = 0;
    }
    return meeting_shock(aside, impulse) && meeting_decide(aside, false);
}

static uint32_t island_of(const Meeting *aside, size_t i)
{
    return aside->ties.of[aside->asked.column.at[aside->asked.first.at[i]]];
}

// What would press a condition that flies alone while all others are at rest; 0 where nothing does.
static double pressing(const Touch *at_rest)
{
    bool presses = at_rest->kept && !at_rest->tie && at_rest->lambda > 0;
    return presses ? at_rest->lambda * at_rest->phi : 0;
}

static bool rest_together(Journey *journey, const double *impulse)
{
    const Meeting *meeting = &journey->meeting;
    const Meeting *aside = &journey->aside;
    if (!may_rest(journey) || !ask_all_at_rest(journey, impulse))
        return false;
    bool *deep = base_alloc((journey->run->numbers.n + 1) * sizeof *deep), any = false;
    for (size_t i = 0; i < meeting->at.count; i++) {
        const Touch *touch = &meeting->at.at[i];
        double a = pressing(&aside->at.at[i]);
        bool bounces = a > 0 && touch->after < 0;
        if (bounces && !(is_shallow(journey, touch, a) && (loses(touch) || touch->before <= 0)))
            deep[island_of(aside, i)] = true;
    }
    for (size_t i = 0; i < meeting->at.count; i++) {
        const Touch *touch = &meeting->at.at[i];
        double a = pressing(&aside->at.at[i]), e = -touch->after / touch->before;
        if (!(a > 0 && touch->after < 0) || deep[island_of(aside, i)])
            continue;
        let_rest(journey, i, touch->before > 0 ? flights(-touch->after, a, e) : INFINITY);
        any = true;
    }
    base_free(deep);
    return any;
}

bool rest_comes(Journey *journey, const double *impulse)
{
    return rest_together(journey, impulse) || rest_alone(journey);
}

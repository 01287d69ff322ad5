// events.c: a run goes from event to event (Mayer 1899, § 4).
//
// At an event the state is told, the conditions that touch are asked together (meet.c), what
// happened to each is told, and the run goes on by the leg of those that act.
//
// Bounces that accumulate: a condition struck with f'⁺ = −v and f'' = a > 0 in flight comes back
// after 2v/a, from a depth of v²/2a, and with restitution e all flights together take
// 2v/(a(1 − e)). Once the next flight is no deeper than what counts as 0, the condition is held
// from then on, and that time is when it has come to rest.
#include "run/journey_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What touches within this part of its band touches at once.
#define AT_ONCE 0.1
// Where a tie is decided by what comes next: so far ahead, in rows. f'' counts above this part of
// its terms.
#define AHEAD 1e-3
#define STILL 1e-9
// An e this near to 1 loses nothing, so that its bounces do not accumulate.
#define NO_LOSS 1e-9
// So many events in a row within so many roundings of the time lead nowhere.
#define MOST_CROWD 2000
#define CROWD      64

// ---- Making.

Status events_init(Journey *journey)
{
    Run *run = journey->run;
    size_t n = run->numbers.n, count = run->motion->side_count;
    journey->eventful = count > 0 || run->motion->model->impulses.count > 0;
    switches_init(&journey->switches, run);
    if (!journey->eventful)
        return STATUS_OK;
    TRY(contacts_init(&journey->contacts, run, journey->diag));
    TRY(percussions_init(&journey->percussions, &run->numbers, run->motion, journey->diag));
    journey->legs.sizes = journey->contacts.sizes;
    watch_init(&journey->watch, &journey->contacts);
    meeting_init(&journey->meeting, &journey->contacts, &run->numbers);
    meeting_init(&journey->sharing, &journey->contacts, &run->numbers);
    journey->impulse = base_alloc((n + 1) * sizeof(double));
    journey->rest_times = base_alloc((count + 1) * sizeof(double));
    journey->also = base_alloc((count + 1) * sizeof *journey->also);
    for (size_t i = 0; i < count; i++)
        journey->rest_times[i] = INFINITY;
    return STATUS_OK;
}

void events_clear(Journey *journey)
{
    contacts_clear(&journey->contacts);
    percussions_clear(&journey->percussions);
    switches_clear(&journey->switches);
    if (journey->meeting.numbers) {
        meeting_clear(&journey->meeting);
        meeting_clear(&journey->sharing);
    }
    array_clear(&journey->sharers);
    watch_clear(&journey->watch);
    base_free(journey->impulse);
    base_free(journey->rest_times);
    base_free(journey->also);
}

static double rest_time(const Journey *journey)
{
    double first = INFINITY;
    for (size_t i = 0; i < journey->contacts.count; i++)
        first = fmin(first, journey->rest_times[i]);
    return first;
}

double events_next(const Journey *journey)
{
    return journey->eventful ? fmin(percussions_time(&journey->percussions), rest_time(journey))
                             : INFINITY;
}

// ---- Going on.

static Arrival no_answer(Journey *journey)
{
    Text reason = {0};
    meeting_add_reason(&journey->meeting, &reason);
    diag_error(journey->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. What came before it is given",
               journey->meeting.t, reason.at);
    text_clear(&reason);
    return UNDECIDED;
}

// The leg of the conditions to hold, from the state of the meeting.
static Arrival set_out(Journey *journey, double t, const double *q, const double *v)
{
    const bool nothing = false;
    const bool *held = journey->eventful ? journey->meeting.held : &nothing;
    Leg *leg = legs_get(&journey->legs, held, t, q);
    if (!leg)
        return BROKEN;
    journey->leg = leg;
    double step = leg->made ? integrator_next_step(leg->integrator) : 0;
    return leg_begin(leg, t, q, v, step) ? ON_THE_WAY : STRANDED;
}

// f'' of a condition a little later, along the present leg, against its terms.
static double later_rate(Journey *journey, size_t side)
{
    Leg *leg = journey->leg;
    const Meeting *meeting = &journey->meeting;
    const RunOptions *settings = &journey->run->settings;
    size_t n = journey->run->numbers.n;
    double ahead = AHEAD * fmin(settings->every, settings->to), sum;
    double *q = base_alloc((3 * n + 1) * sizeof *q), *v = q + n, *row = v + n;
    for (size_t j = 0; j < n; j++) {
        double a = leg->numbers->a[j];
        q[j] = meeting->q[j] + ahead * (meeting->after[j] + ahead * a / 2);
        v[j] = meeting->after[j] + ahead * a;
    }
    sum = NAN;
    if (leg_begin(leg, meeting->t + ahead, q, v, 0)) {
        ContactNumbers found = contacts_row(&journey->contacts, side, meeting->t + ahead,
                                            leg->numbers->q, leg->numbers->v, row);
        double terms = fabs(found.gamma);
        sum = found.gamma;
        for (size_t j = 0; j < n; j++) {
            sum += row[j] * leg->numbers->a[j];
            terms += fabs(row[j] * leg->numbers->a[j]);
        }
        sum = fabs(sum) <= STILL * terms ? 0 : sum;
    }
    base_free(q);
    return sum;
}

// Neither λ nor f'' tells whether a tie acts: what comes next does. One that is known to let go is
// no tie.
static Arrival break_ties(Journey *journey, size_t released)
{
    Meeting *meeting = &journey->meeting;
    bool any = false;
    memset(journey->also, 0, journey->contacts.count * sizeof *journey->also);
    for (size_t i = 0; i < meeting->count; i++) {
        const Touch *touch = &meeting->at[i];
        if (!touch->kept || !touch->tie || touch->index == released)
            continue;
        bool presses = later_rate(journey, touch->index) > 0;
        any = any || presses;
        journey->also[touch->index] = presses;
        Arrival back = set_out(journey, meeting->t, meeting->q, meeting->after);
        if (back != ON_THE_WAY)
            return back;
    }
    if (!any)
        return ON_THE_WAY;
    meeting_hold(meeting, journey->also);
    return set_out(journey, meeting->t, meeting->q, meeting->after);
}

// Which conditions act from now on, and the leg of these.
static Arrival go_on(Journey *journey, size_t released)
{
    Meeting *meeting = &journey->meeting;
    if (!meeting_decide(meeting))
        return no_answer(journey);
    meeting_hold(meeting, NULL);
    Arrival arrival = set_out(journey, meeting->t, meeting->q, meeting->after);
    return arrival == ON_THE_WAY ? break_ties(journey, released) : arrival;
}

// ---- Accumulated bounces.

// How long the flights of a condition that bounced take together, where the next is no deeper than
// what counts as 0; infinite else. The present leg is the one of the flight.
static double time_to_rest(Journey *journey, size_t touch_at)
{
    Meeting *meeting = &journey->meeting;
    const Touch *touch = &meeting->at[touch_at];
    const double *row = meeting->rows + touch_at * journey->run->numbers.n;
    double *gradient = base_alloc((journey->run->numbers.n + 1) * sizeof *gradient);
    double speed = -touch->after, e = speed / touch->numbers.rate;
    double a = contacts_row(&journey->contacts, touch->index, meeting->t, meeting->q,
                            meeting->after, gradient)
                   .gamma;
    base_free(gradient);
    for (size_t j = 0; j < journey->run->numbers.n; j++)
        a += row[j] * journey->leg->numbers->a[j];
    if (!(touch->numbers.rate > 0 && speed > 0 && a > 0 && e < 1 - NO_LOSS))
        return INFINITY;
    double depth = speed * speed / (2 * a);
    return depth <= journey->contacts.band[touch->index] ? 2 * speed / (a * (1 - e)) : INFINITY;
}

// Lets those come to rest whose bounces are over, so that the shock is asked once more. True where
// there are such.
static bool come_to_rest(Journey *journey)
{
    Meeting *meeting = &journey->meeting;
    bool any = false;
    for (size_t i = 0; i < meeting->count; i++) {
        Touch *touch = &meeting->at[i];
        double time = time_to_rest(journey, i);
        if (isinf(time))
            continue;
        any = true;
        touch->numbers.restitution = 0;
        journey->rest_times[touch->index] = meeting->t + time;
    }
    return any;
}

// ---- What happened, in records.

typedef struct {
    bool percussion;
    const Occasion *occasion; // NULL where it was no condition's
    const bool *held;         // before
    bool at_start;
} Happened;

static bool was_touching(const Journey *journey, const Happened *happened, size_t side)
{
    return (happened->held && happened->held[side]) || journey->watch.touching[side];
}

static void tell(Journey *journey, RunEventKind kind, const Touch *touch, bool doubtful)
{
    const Meeting *meeting = &journey->meeting;
    RunEvent event = {.t = meeting->t,
                      .kind = kind,
                      .before = meeting->before,
                      .after = meeting->after,
                      .energy_lost = meeting->energy_lost,
                      .doubtful = doubtful};
    if (touch) {
        event.constraint = journey->run->motion->sides[touch->index].constraint;
        event.impulse = touch->impulse;
    }
    tell_event(journey, &event);
}

static void tell_touch(Journey *journey, const Happened *happened, const Touch *touch)
{
    const Occasion *occasion = happened->occasion;
    bool held = journey->meeting.held[touch->index];
    bool own = occasion && occasion->index == touch->index;
    bool before = was_touching(journey, happened, touch->index);
    bool struck = journey->meeting.shock && touch->impulse > 0;
    if (happened->held && happened->held[touch->index]) {
        if (!held && !(journey->meeting.shared && touch->kept && touch->lambda > 0))
            tell(journey, RUN_RELEASE, touch, false);
    } else if (struck && (own || !before || happened->percussion || touch->numbers.rate > 0)) {
        tell(journey, RUN_IMPACT, touch, false);
    } else if (own || (held && !happened->at_start) || (!before && touch->kept && occasion)) {
        tell(journey, RUN_CONTACT, touch, own && occasion->what == GRAZES);
    }
}

static void tell_all(Journey *journey, const Happened *happened)
{
    if (happened->percussion)
        tell(journey, RUN_IMPULSE, NULL, false);
    for (size_t i = 0; i < journey->meeting.count; i++)
        tell_touch(journey, happened, &journey->meeting.at[i]);
}

// What is watched from now on.
static void see_touching(Journey *journey)
{
    Watch *watch = &journey->watch;
    memset(watch->touching, 0, journey->contacts.count * sizeof *watch->touching);
    for (size_t i = 0; i < journey->meeting.count; i++) {
        const Touch *touch = &journey->meeting.at[i];
        watch->touching[touch->index] = !journey->meeting.held[touch->index];
        watch->reaction[touch->index] = touch->kept ? touch->lambda : 0;
    }
    for (size_t i = 0; i < journey->contacts.count; i++)
        if (!journey->meeting.held[i])
            journey->rest_times[i] = INFINITY;
    journey->sharers.count = 0;
    for (size_t i = 0; i < journey->meeting.count && journey->meeting.shared; i++)
        if (journey->meeting.at[i].kept)
            array_push(&journey->sharers, journey->meeting.at[i].index);
}

// ---- The event itself.

static double energy_now(const Journey *journey)
{
    return columns_fill(&journey->leg->run->columns, journey->leg->numbers).energy;
}

// From the conditions that touch to the next leg.
static Arrival pass(Journey *journey, const Happened *happened, bool strikes)
{
    Meeting *meeting = &journey->meeting;
    const double *impulse = happened->percussion ? journey->impulse : NULL;
    size_t released = happened->occasion && happened->occasion->what == LETS_GO
                          ? happened->occasion->index
                          : SIZE_MAX;
    if (strikes && !meeting_shock(meeting, impulse))
        return no_answer(journey);
    Arrival arrival = go_on(journey, released);
    if (arrival != ON_THE_WAY || !strikes || !come_to_rest(journey))
        return arrival;
    if (!meeting_shock(meeting, impulse))
        return no_answer(journey);
    return go_on(journey, released);
}

// Whether time goes on at all.
static bool is_crowded(Journey *journey, double t)
{
    if (t - journey->crowd_t > CROWD * DBL_EPSILON * fmax(t, journey->run->settings.every)) {
        journey->crowd_t = t;
        journey->crowd = 0;
    }
    return ++journey->crowd > MOST_CROWD;
}

static Arrival crowded(Journey *journey)
{
    diag_error(journey->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: events follow each other ever "
               "faster there and do not come to rest; '--method timestepping' goes over them. What "
               "came before it is given",
               journey->meeting.t);
    return UNDECIDED;
}

// The records and the second row; then the next row is behind the event.
static Arrival finish(Journey *journey, const Happened *happened, double energy)
{
    Meeting *meeting = &journey->meeting;
    tell_all(journey, happened);
    see_touching(journey);
    if (!leg_evaluate(journey->leg, meeting->t))
        return STRANDED;
    journey->summary->energy_lost += meeting->energy_lost;
    double change = happened->percussion ? energy_now(journey) - energy : -meeting->energy_lost;
    journey->energy += change;
    if (journey->run->audit)
        journey->run->audit->ledger.work += change;
    if (!tell_row(journey, true))
        return ENOUGH;
    if (tell_is_row(journey, meeting->t) && tell_skip_row(journey))
        return ARRIVED;
    return is_crowded(journey, meeting->t) ? crowded(journey) : ON_THE_WAY;
}

// Everyone who touches at the state that the leg is cut to.
static void gather(Journey *journey, const Occasion *occasion)
{
    Meeting *meeting = &journey->meeting;
    const Contacts *contacts = &journey->contacts;
    const Leg *leg = journey->leg;
    meeting_begin(meeting, leg->t, leg->numbers->q, leg->numbers->v);
    if (contacts->count > 0)
        contacts_positions(&journey->contacts, leg->t, leg->numbers->q);
    for (size_t i = 0; i < contacts->count; i++) {
        bool own = occasion && occasion->index == i;
        bool near = contacts->f[i] >= -AT_ONCE * contacts->band[i];
        if (own || leg->held[i] || near ||
            (journey->watch.touching[i] && contacts->f[i] >= -contacts->band[i]))
            meeting_add(meeting, i);
    }
}

// At the state that the leg was cut to.
static Arrival happen(Journey *journey, const Occasion *occasion, bool percussion)
{
    Leg *leg = journey->leg;
    Arrival arrival = tell_rows(journey, true);
    if (arrival != ON_THE_WAY)
        return arrival;
    if (!leg_evaluate(leg, leg->t))
        return STRANDED;
    gather(journey, occasion);
    if (!tell_row(journey, !tell_is_row(journey, leg->t)))
        return ENOUGH;
    double energy = energy_now(journey);
    if (percussion)
        percussions_take(&journey->percussions, leg->numbers, journey->impulse);
    Happened happened = {.percussion = percussion, .occasion = occasion, .held = leg->held};
    bool strikes = percussion || (occasion && occasion->what == STRIKES);
    arrival = pass(journey, &happened, strikes);
    return arrival == ON_THE_WAY ? finish(journey, &happened, energy) : arrival;
}

// Infinitely many impacts have accumulated; the leg stays.
static Arrival have_rested(Journey *journey, double t)
{
    Leg *leg = journey->leg;
    Arrival arrival = tell_rows(journey, true);
    if (arrival != ON_THE_WAY)
        return arrival;
    if (!leg_evaluate(leg, leg->t))
        return STRANDED;
    meeting_begin(&journey->meeting, leg->t, leg->numbers->q, leg->numbers->v);
    if (!tell_row(journey, !tell_is_row(journey, leg->t)))
        return ENOUGH;
    for (size_t i = 0; i < journey->contacts.count; i++)
        if (journey->rest_times[i] <= t) {
            journey->rest_times[i] = INFINITY;
            tell(journey, RUN_REST, &(Touch){.index = i}, false);
        }
    if (!leg_evaluate(leg, leg->t))
        return STRANDED;
    if (!tell_row(journey, true))
        return ENOUGH;
    bool over = tell_is_row(journey, leg->t) && tell_skip_row(journey);
    return over ? ARRIVED : ON_THE_WAY;
}

// ---- Switches.

// The state just before a switch is that of the last step's own series.
#define JUST_BEFORE 1e-12

// Something has switched at the end of the step: the motion goes on by another law.
static Arrival have_switched(Journey *journey, size_t which)
{
    Leg *leg = journey->leg;
    double before = leg->t - JUST_BEFORE * (leg->t - leg->from);
    Arrival arrival = tell_rows(journey, true);
    if (arrival != ON_THE_WAY)
        return arrival;
    if (!leg_evaluate(leg, before))
        return STRANDED;
    *leg->numbers->t = leg->t;
    size_t bytes = leg->numbers->n * sizeof(double);
    double *velocities = base_alloc(2 * bytes + 1);
    memcpy(velocities, leg->numbers->v, bytes);
    bool more = tell_row(journey, !tell_is_row(journey, leg->t)) && leg_evaluate(leg, leg->t);
    memcpy(velocities + leg->numbers->n, leg->numbers->v, bytes);
    Text what = {0};
    expr_print(journey->run->motion->pool, journey->switches.functions[which], &what);
    RunEvent event = {.t = leg->t,
                      .kind = RUN_SWITCH,
                      .what = what.at,
                      .before = velocities,
                      .after = velocities + leg->numbers->n};
    tell_event(journey, &event);
    text_clear(&what);
    base_free(velocities);
    if (!more || !tell_row(journey, true))
        return ENOUGH;
    return tell_is_row(journey, leg->t) && tell_skip_row(journey) ? ARRIVED : ON_THE_WAY;
}

// A series ends its step just beyond a switch; the step of another method is cut there, and the
// next one sets out anew, since none goes on smoothly from before.
static Arrival look_for_switches(Journey *journey)
{
    size_t which;
    Leg *leg = journey->leg;
    double t;
    bool cut = journey->switches.count > 0 && journey->run->settings.method != RUN_TAYLOR &&
               switches_find(&journey->switches, leg, &t);
    const double *y = cut ? leg_state(leg, t) : NULL;
    if (cut && !y)
        return STRANDED;
    if (cut) {
        leg_cut(leg, t, y);
        journey->summary->reached = t;
    }
    if (journey->switches.count == 0 || !leg_evaluate(leg, leg->t) ||
        !switches_look(&journey->switches, leg->numbers, &which))
        return tell_rows(journey, false);
    Arrival arrival = have_switched(journey, which);
    if (arrival == ON_THE_WAY && cut && !leg_set_out_again(leg))
        return STRANDED;
    return arrival;
}

// What jumps at an event switches there.
static Arrival after_event(Journey *journey, Arrival arrival)
{
    size_t unread;
    if (arrival == ON_THE_WAY)
        switches_look(&journey->switches, journey->leg->numbers, &unread);
    return arrival;
}

Arrival events_meet(Journey *journey)
{
    Arrival arrival;
    if (branches_meet(journey, &arrival))
        return arrival;
    if (!journey->eventful)
        return look_for_switches(journey);
    Leg *leg = journey->leg;
    Occasion occasion;
    bool failed = false;
    if (journey->contacts.count > 0 && watch_step(&journey->watch, leg, &occasion, &failed)) {
        const double *y = leg_state(leg, occasion.t);
        if (!y)
            return STRANDED;
        leg_cut(leg, occasion.t, y);
        journey->summary->reached = leg->t;
        return after_event(journey, happen(journey, &occasion, false));
    }
    if (failed)
        return STRANDED;
    if (leg->t >= percussions_time(&journey->percussions))
        return after_event(journey, happen(journey, NULL, true));
    if (leg->t >= rest_time(journey))
        return have_rested(journey, leg->t);
    return look_for_switches(journey);
}

// ---- The start.

// The conditions that touch at the start, as it was judged there.
static void gather_at_start(Journey *journey)
{
    Run *run = journey->run;
    const RunSides *sides = &run->sides.told;
    meeting_begin(&journey->meeting, 0, run->q, sides->before ? sides->before : run->v);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].touches)
            meeting_add(&journey->meeting, i);
}

static Arrival begin(Journey *journey)
{
    Run *run = journey->run;
    if (!journey->eventful)
        return set_out(journey, 0, run->q, run->v);
    gather_at_start(journey);
    Meeting *meeting = &journey->meeting;
    bool percussion = percussions_time(&journey->percussions) == 0;
    bool strikes = percussion || run->sides.told.struck;
    Happened happened = {.percussion = percussion, .at_start = true};
    if (!strikes) {
        Arrival arrival = go_on(journey, SIZE_MAX);
        see_touching(journey);
        return arrival;
    }
    // The state as it was given, without one-sided reactions.
    Arrival arrival = set_out(journey, 0, meeting->q, meeting->before);
    if (arrival != ON_THE_WAY)
        return arrival;
    if (!leg_evaluate(journey->leg, 0))
        return STRANDED;
    if (!tell_row(journey, false))
        return ENOUGH;
    double energy = energy_now(journey);
    if (percussion)
        percussions_take(&journey->percussions, journey->leg->numbers, journey->impulse);
    arrival = pass(journey, &happened, true);
    return arrival == ON_THE_WAY ? finish(journey, &happened, energy) : arrival;
}

Arrival events_begin(Journey *journey)
{
    return after_event(journey, begin(journey));
}

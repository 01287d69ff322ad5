// events.c: a run goes from event to event (Mayer 1899, § 4).
//
// At an event the state is told, the conditions that touch are asked together (meet.c), what
// happened to each is told, and the run goes on by the leg of those that act.
#include "run/journey_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What touches within this part of its band touches at once.
#define AT_ONCE 0.1
// What of the largest λ is left where it was seen to let go.
#define LET_GO 1e-9
// Where ties are decided by what comes next: so far ahead, in rows.
#define AHEAD 1e-3
// So many events in a row within so many roundings of the time lead nowhere; from the first number
// on nothing rebounds.
#define CALM_CROWD 200
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
    meeting_init(&journey->meeting, &journey->contacts, run);
    meeting_init(&journey->aside, &journey->contacts, run);
    watch_init(&journey->watch, &journey->contacts, journey->meeting.acts);
    journey->impulse = base_alloc((n + 1) * sizeof(double));
    journey->rest_times = base_alloc((3 * count + 1) * sizeof(double));
    journey->rest_errors = journey->rest_times + count;
    journey->let_go = journey->rest_errors + count;
    journey->bounces = base_alloc((count + 1) * sizeof *journey->bounces);
    journey->acted = base_alloc((count + 1) * sizeof *journey->acted);
    for (size_t i = 0; i < count; i++) {
        journey->rest_times[i] = INFINITY;
        journey->let_go[i] = -INFINITY;
    }
    return STATUS_OK;
}

void events_clear(Journey *journey)
{
    contacts_clear(&journey->contacts);
    percussions_clear(&journey->percussions);
    switches_clear(&journey->switches);
    if (journey->meeting.numbers) {
        meeting_clear(&journey->meeting);
        meeting_clear(&journey->aside);
    }
    array_clear(&journey->sharers);
    watch_clear(&journey->watch);
    base_free(journey->impulse);
    base_free(journey->rest_times);
    base_free(journey->bounces);
    base_free(journey->acted);
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
    double step = leg->made ? ode_integrator_next_step(leg->integrator) : 0;
    return leg_begin(leg, t, q, v, step) ? ON_THE_WAY : STRANDED;
}

// Whether two times are the same but for roundings.
static bool is_same_time(const Journey *journey, double earlier, double t)
{
    return t - earlier <= CROWD * DBL_EPSILON * fmax(t, journey->run->settings.every);
}

// The leg holds all ties. Where it leads in a little while they are asked again.
static void look_ahead(Journey *journey)
{
    Leg *leg = journey->leg;
    Meeting *meeting = &journey->meeting, *aside = &journey->aside;
    const RunOptions *settings = &journey->run->settings;
    size_t n = journey->run->numbers.n;
    double ahead = AHEAD * fmin(settings->every, settings->to);
    double *q = base_alloc((2 * n + 1) * sizeof *q), *v = q + n;
    for (size_t j = 0; j < n; j++) {
        double a = leg->numbers->a[j];
        q[j] = meeting->q[j] + ahead * (meeting->after[j] + ahead * a / 2);
        v[j] = meeting->after[j] + ahead * a;
    }
    bool there = leg_begin(leg, meeting->t + ahead, q, v, 0);
    base_free(q);
    if (!there)
        return;
    meeting_begin(aside, meeting->t + ahead, leg->numbers->q, leg->numbers->v);
    for (size_t i = 0; i < meeting->at.count; i++)
        if (meeting->at.at[i].will_rest || meeting->acts[meeting->at.at[i].index])
            meeting_add(aside, meeting->at.at[i].index);
    if (!meeting_decide(aside, true))
        return;
    for (size_t i = 0, k = 0; i < meeting->at.count; i++) {
        Touch *touch = &meeting->at.at[i];
        if (!(touch->will_rest || meeting->acts[touch->index]))
            continue;
        const Touch *later = &aside->at.at[k++];
        touch->will_push = touch->will_rest && !later->tie && later->lambda > 0;
        touch->will_rest = touch->will_rest && later->tie;
    }
}

// Neither λ nor f'' tells whether a tie acts: what comes next does. One that is known to let go is
// no tie. What stays a tie stays where it is: it is held, until its λ says otherwise.
static Arrival settle_ties(Journey *journey)
{
    Meeting *meeting = &journey->meeting;
    bool any = false;
    for (size_t i = 0; i < meeting->at.count; i++) {
        Touch *touch = &meeting->at.at[i];
        bool lets_go = is_same_time(journey, journey->let_go[touch->index], meeting->t);
        // Where all forces are about to vanish, only what it was before tells that λ is 0.
        double largest = journey->watch.reaction[touch->index];
        touch->tie = touch->tie || (lets_go && touch->lambda <= LET_GO * largest);
        touch->will_push = false;
        touch->will_rest = touch->kept && touch->tie && !touch->fleeting && !lets_go;
        any = any || touch->will_rest;
    }
    meeting_hold(meeting);
    if (any) {
        Arrival arrival = set_out(journey, meeting->t, meeting->q, meeting->after);
        if (arrival != ON_THE_WAY)
            return arrival;
        look_ahead(journey);
        meeting_hold(meeting);
    }
    if (!meeting_still(meeting))
        return no_answer(journey);
    return set_out(journey, meeting->t, meeting->q, meeting->after);
}

// Which conditions act from now on, and the leg of these.
static Arrival go_on(Journey *journey)
{
    return meeting_decide(&journey->meeting, false) ? settle_ties(journey) : no_answer(journey);
}

// ---- What happened, in records.

typedef struct {
    bool percussion;
    const Occasion *occasion; // NULL where it was no condition's
    bool at_start;
} Happened;

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
        event.uncertainty = kind == RUN_REST ? journey->rest_errors[touch->index] : 0;
    }
    tell_event(journey, &event);
}

static void tell_touch(Journey *journey, const Happened *happened, const Touch *touch)
{
    const Occasion *occasion = happened->occasion;
    bool acts = journey->meeting.acts[touch->index], acted = journey->acted[touch->index];
    bool own = occasion && occasion->index == touch->index;
    bool before = acted || journey->watch.touching[touch->index];
    bool struck = journey->meeting.shock && touch->impulse > 0;
    if (acted) {
        if (!acts)
            tell(journey, RUN_RELEASE, touch, false);
    } else if (struck && (own || !before || happened->percussion || touch->before > 0)) {
        tell(journey, RUN_IMPACT, touch, false);
    } else if (own || (acts && !happened->at_start) || (!before && touch->kept && occasion)) {
        tell(journey, RUN_CONTACT, touch, own && occasion->what == GRAZES);
    }
}

static void tell_all(Journey *journey, const Happened *happened)
{
    if (happened->percussion)
        tell(journey, RUN_IMPULSE, NULL, false);
    for (size_t i = 0; i < journey->meeting.at.count; i++)
        tell_touch(journey, happened, &journey->meeting.at.at[i]);
}

// What is watched from now on.
static void see_touching(Journey *journey)
{
    Watch *watch = &journey->watch;
    const Meeting *meeting = &journey->meeting;
    memset(watch->touching, 0, journey->contacts.count * sizeof *watch->touching);
    journey->sharers.count = 0;
    for (size_t i = 0; i < meeting->at.count; i++) {
        const Touch *touch = &meeting->at.at[i];
        watch->touching[touch->index] = !meeting->acts[touch->index];
        double size = fmax(touch->lambda, meeting_reaction_size(meeting, touch));
        watch->reaction[touch->index] = touch->kept ? size : 0;
        watch->noise[touch->index] = 0;
        if (meeting->shared && touch->kept)
            array_push(&journey->sharers, touch->index);
    }
    share_begin(&watch->share, meeting);
    for (size_t i = 0; i < journey->contacts.count; i++)
        if (!meeting->acts[i])
            journey->rest_times[i] = INFINITY;
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
    const Occasion *occasion = happened->occasion;
    if (occasion && occasion->what == LETS_GO)
        journey->let_go[occasion->index] = meeting->t;
    for (size_t i = 0; i < meeting->at.count && journey->crowd > CALM_CROWD; i++)
        meeting->asked.restitution.at[i] = 0;
    bool in_turn = strikes && !impulse && journey->crowd <= CALM_CROWD && bounces_in_turn(journey);
    if (strikes && !in_turn && !meeting_shock(meeting, impulse))
        return no_answer(journey);
    Arrival arrival = go_on(journey);
    if (arrival != ON_THE_WAY || !strikes || in_turn || !rest_comes(journey, impulse))
        return arrival;
    if (!meeting_shock(meeting, impulse))
        return no_answer(journey);
    return go_on(journey);
}

// Whether time goes on at all.
static bool is_crowded(Journey *journey, double t)
{
    if (!is_same_time(journey, journey->crowd_t, t)) {
        journey->crowd_t = t;
        journey->crowd = 0;
    }
    return ++journey->crowd > MOST_CROWD;
}

static Arrival crowded(Journey *journey)
{
    bool steps = options_can_step(journey->run->motion);
    diag_error(journey->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: events follow each other ever "
               "faster there and do not come to rest%s. What came before it is given",
               journey->meeting.t, steps ? "; '--method timestepping' goes over them" : "");
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
    bool counted = happened->percussion || many_works(&journey->run->sides.many);
    double change = counted ? energy_now(journey) - energy : -meeting->energy_lost;
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
    meeting->inner = occasion && occasion->inner;
    if (contacts->count > 0)
        contacts_positions(&journey->contacts, leg->t, leg->numbers->q);
    for (size_t i = 0; i < contacts->count; i++) {
        bool own = occasion && occasion->index == i;
        bool near = contacts->f[i] >= -AT_ONCE * contacts->band[i];
        if (own || meeting->acts[i] || near ||
            (journey->watch.touching[i] && contacts->f[i] >= -contacts->band[i]))
            meeting_add(meeting, i);
        if (own) {
            Touch *last = &meeting->at.at[meeting->at.count - 1];
            last->stays = occasion->turns && last->before <= 0;
        }
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
    memcpy(journey->acted, journey->meeting.acts, journey->contacts.count * sizeof(bool));
    gather(journey, occasion);
    if (!tell_row(journey, !tell_is_row(journey, leg->t)))
        return ENOUGH;
    double energy = energy_now(journey);
    if (percussion)
        percussions_take(&journey->percussions, leg->numbers, journey->impulse);
    Happened happened = {.percussion = percussion, .occasion = occasion};
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
        Arrival arrival = go_on(journey);
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

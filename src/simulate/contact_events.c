// contact_events.c: a run goes from event to event (Mayer 1899, § 4).
//
// At an event the state is told, the conditions that touch are asked together (meet.c), what
// happened to each is told, and the run goes on by the leg of those that act.
#include "simulate/columns_impl.h"
#include "simulate/journey_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/run_options_impl.h"
#include "simulate/simulation_impl.h"

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
    size_t n = run->motion->n, count = run->motion->side_count;
    journey->eventful = count > 0 || run->motion->model->impulses.count > 0;
    switches_init(&journey->switches, run);
    if (!journey->eventful)
        return STATUS_OK;
    TRY(gaps_init(&journey->gaps, run, journey->diag));
    TRY(impulses_init(&journey->impulses, run->base->eq, run->base->state, run->motion,
                      journey->diag));
    journey->modes.sizes = journey->gaps.sizes;
    event_init(&journey->event, &journey->gaps, run);
    event_init(&journey->aside, &journey->gaps, run);
    detector_init(&journey->detector, &journey->gaps, journey->event.acts);
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
    gaps_clear(&journey->gaps);
    impulses_clear(&journey->impulses);
    switches_clear(&journey->switches);
    if (journey->event.eq) {
        event_clear(&journey->event);
        event_clear(&journey->aside);
    }
    array_clear(&journey->sharers);
    detector_clear(&journey->detector);
    base_free(journey->impulse);
    base_free(journey->rest_times);
    base_free(journey->bounces);
    base_free(journey->acted);
}

static double rest_time(const Journey *journey)
{
    double first = INFINITY;
    for (size_t i = 0; i < journey->gaps.count; i++)
        first = fmin(first, journey->rest_times[i]);
    return first;
}

double events_next(const Journey *journey)
{
    return journey->eventful ? fmin(impulses_time(&journey->impulses), rest_time(journey))
                             : INFINITY;
}

// ---- Going on.

static RunResult no_answer(Journey *journey)
{
    Text reason = {0};
    event_add_reason(&journey->event, &reason);
    diag_error(journey->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. What came before it is given",
               journey->event.t, reason.at);
    text_clear(&reason);
    return RESULT_UNDECIDED;
}

// The leg of the conditions to hold, from the state of the meeting.
static RunResult set_out(Journey *journey, double t, const double *q, const double *v)
{
    const bool nothing = false;
    const bool *held = journey->eventful ? journey->event.held : &nothing;
    ContactMode *mode = modes_get(&journey->modes, held, t, q);
    if (!mode)
        return RESULT_BROKEN;
    journey->mode = mode;
    double step = mode->begun ? ode_integrator_next_step(mode->integrator) : 0;
    return mode_begin(mode, t, q, v, step) ? RESULT_CONTINUE : RESULT_FAILED;
}

// Whether two times are the same but for roundings.
static bool is_same_time(const Journey *journey, double earlier, double t)
{
    return t - earlier <= CROWD * DBL_EPSILON * fmax(t, journey->run->settings.every);
}

// The leg holds all ties. Where it leads in a little while they are asked again.
static void look_ahead(Journey *journey)
{
    ContactMode *mode = journey->mode;
    ContactEvent *event = &journey->event, *aside = &journey->aside;
    const RunOptions *settings = &journey->run->settings;
    size_t n = journey->run->motion->n;
    double ahead = AHEAD * fmin(settings->every, settings->to);
    double *q = base_alloc((2 * n + 1) * sizeof *q), *v = q + n;
    for (size_t j = 0; j < n; j++) {
        double a = mode->state->a[j];
        q[j] = event->q[j] + ahead * (event->after[j] + ahead * a / 2);
        v[j] = event->after[j] + ahead * a;
    }
    bool there = mode_begin(mode, event->t + ahead, q, v, 0);
    base_free(q);
    if (!there)
        return;
    event_begin(aside, event->t + ahead, mode->state->q, mode->state->v);
    for (size_t i = 0; i < event->at.count; i++)
        if (event->at.at[i].will_rest || event->acts[event->at.at[i].index])
            event_add(aside, event->at.at[i].index);
    if (!event_decide(aside, true))
        return;
    for (size_t i = 0, k = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        if (!(contact->will_rest || event->acts[contact->index]))
            continue;
        const TouchingContact *later = &aside->at.at[k++];
        contact->will_push = contact->will_rest && !later->tie && later->lambda > 0;
        contact->will_rest = contact->will_rest && later->tie;
    }
}

// Neither λ nor f'' tells whether a tie acts: what comes next does. One that is known to let go is
// no tie. What stays a tie stays where it is: it is held, until its λ says otherwise.
static RunResult settle_ties(Journey *journey)
{
    ContactEvent *event = &journey->event;
    bool any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        bool lets_go = is_same_time(journey, journey->let_go[contact->index], event->t);
        // Where all forces are about to vanish, only what it was before tells that λ is 0.
        double largest = journey->detector.reaction[contact->index];
        contact->tie = contact->tie || (lets_go && contact->lambda <= LET_GO * largest);
        contact->will_push = false;
        contact->will_rest = contact->kept && contact->tie && !contact->fleeting && !lets_go;
        any = any || contact->will_rest;
    }
    event_hold(event);
    if (any) {
        RunResult result = set_out(journey, event->t, event->q, event->after);
        if (result != RESULT_CONTINUE)
            return result;
        look_ahead(journey);
        event_hold(event);
    }
    if (!event_stop_held(event))
        return no_answer(journey);
    return set_out(journey, event->t, event->q, event->after);
}

// Which conditions act from now on, and the leg of these.
static RunResult go_on(Journey *journey)
{
    return event_decide(&journey->event, false) ? settle_ties(journey) : no_answer(journey);
}

// ---- What happened, in records.

typedef struct {
    bool percussion;
    const DetectedEvent *detected; // NULL where it was no condition's
    bool at_start;
} EventCause;

static void tell(Journey *journey, RunEventKind kind, const TouchingContact *contact, bool doubtful)
{
    const ContactEvent *event = &journey->event;
    RunEvent record = {.t = event->t,
                       .kind = kind,
                       .before = event->before,
                       .after = event->after,
                       .energy_lost = event->energy_lost,
                       .doubtful = doubtful};
    if (contact) {
        record.constraint = journey->run->motion->sides[contact->index].constraint;
        record.impulse = contact->impulse;
        record.uncertainty = kind == RUN_REST ? journey->rest_errors[contact->index] : 0;
    }
    record_event(journey, &record);
}

static void tell_touch(Journey *journey, const EventCause *cause, const TouchingContact *contact)
{
    const DetectedEvent *detected = cause->detected;
    bool acts = journey->event.acts[contact->index], acted = journey->acted[contact->index];
    bool own = detected && detected->index == contact->index;
    bool before = acted || journey->detector.touching[contact->index];
    bool struck = journey->event.shock && contact->impulse > 0;
    if (acted) {
        if (!acts)
            tell(journey, RUN_RELEASE, contact, false);
    } else if (struck && (own || !before || cause->percussion || contact->before > 0)) {
        tell(journey, RUN_IMPACT, contact, false);
    } else if (own || (acts && !cause->at_start) || (!before && contact->kept && detected)) {
        tell(journey, RUN_CONTACT, contact, own && detected->what == DETECTED_GRAZE);
    }
}

static void tell_all(Journey *journey, const EventCause *cause)
{
    if (cause->percussion)
        tell(journey, RUN_IMPULSE, NULL, false);
    for (size_t i = 0; i < journey->event.at.count; i++)
        tell_touch(journey, cause, &journey->event.at.at[i]);
}

// What is watched from now on.
static void see_touching(Journey *journey)
{
    EventDetector *detector = &journey->detector;
    const ContactEvent *event = &journey->event;
    memset(detector->touching, 0, journey->gaps.count * sizeof *detector->touching);
    journey->sharers.count = 0;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        detector->touching[contact->index] = !event->acts[contact->index];
        double size = fmax(contact->lambda, event_reaction_size(event, contact));
        detector->reaction[contact->index] = contact->kept ? size : 0;
        detector->noise[contact->index] = 0;
        if (event->shared && contact->kept)
            array_push(&journey->sharers, contact->index);
    }
    reaction_sharing_begin(&detector->share, event);
    for (size_t i = 0; i < journey->gaps.count; i++)
        if (!event->acts[i])
            journey->rest_times[i] = INFINITY;
}

// ---- The event itself.

static double energy_now(const Journey *journey)
{
    return columns_fill(journey->mode->columns, journey->mode->eq, journey->mode->state).energy;
}

// From the conditions that touch to the next leg.
static RunResult pass(Journey *journey, const EventCause *cause, bool strikes)
{
    ContactEvent *event = &journey->event;
    const double *impulse = cause->percussion ? journey->impulse : NULL;
    const DetectedEvent *detected = cause->detected;
    if (detected && detected->what == DETECTED_RELEASE)
        journey->let_go[detected->index] = event->t;
    for (size_t i = 0; i < event->at.count && journey->crowd > CALM_CROWD; i++)
        event->candidates.restitution.at[i] = 0;
    bool in_turn =
        strikes && !impulse && journey->crowd <= CALM_CROWD && bounce_sequence_resolve(journey);
    if (strikes && !in_turn && !event_impact(event, impulse))
        return no_answer(journey);
    RunResult result = go_on(journey);
    if (result != RESULT_CONTINUE || !strikes || in_turn || !accumulation_ends(journey, impulse))
        return result;
    if (!event_impact(event, impulse))
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

static RunResult crowded(Journey *journey)
{
    bool steps = options_can_step(journey->run->motion);
    diag_error(journey->diag, steps ? place_hint(HINT_METHOD) : place_none(),
               "the motion cannot be followed beyond t = %.10g: events follow each other ever "
               "faster there and do not come to rest%s. What came before it is given",
               journey->event.t, steps ? "; the method 'timestepping' goes over them" : "");
    return RESULT_UNDECIDED;
}

// The records and the second row; then the next row is behind the event.
static RunResult finish(Journey *journey, const EventCause *cause, double energy)
{
    ContactEvent *event = &journey->event;
    tell_all(journey, cause);
    see_touching(journey);
    if (!mode_evaluate(journey->mode, event->t))
        return RESULT_FAILED;
    journey->summary->energy_lost += event->energy_lost;
    bool counted = cause->percussion || matrices_do_work(&journey->run->contacts->matrices);
    double change = counted ? energy_now(journey) - energy : -event->energy_lost;
    journey->energy += change;
    if (journey->run->audit)
        journey->run->audit->invariants.work += change;
    if (!record_row(journey, true))
        return RESULT_STOPPED;
    if (record_is_row(journey, event->t) && record_skip_row(journey))
        return RESULT_FINISHED;
    return is_crowded(journey, event->t) ? crowded(journey) : RESULT_CONTINUE;
}

// What the condition added last has come to, before the event.
static void note_motion(Journey *journey, size_t side)
{
    const ContactSet *candidates = &journey->event.candidates;
    size_t last = candidates->which.count - 1;
    double unread, second = contact_set_rate(candidates, last, journey->mode->state->a,
                                             candidates->gamma.at[last], &unread);
    gaps_note_motion(&journey->gaps, side, candidates->rate.at[last], second);
}

// Everyone who touches at the state that the leg is cut to.
static void gather(Journey *journey, const DetectedEvent *detected)
{
    ContactEvent *event = &journey->event;
    const GapFunctions *gaps = &journey->gaps;
    const ContactMode *mode = journey->mode;
    event_begin(event, mode->t, mode->state->q, mode->state->v);
    event->inner = detected && detected->inner;
    if (gaps->count > 0)
        gaps_evaluate(&journey->gaps, mode->t, mode->state->q);
    for (size_t i = 0; i < gaps->count; i++) {
        bool own = detected && detected->index == i;
        bool near = gaps->f[i] >= -AT_ONCE * gaps->band[i];
        if (own || event->acts[i] || near ||
            (journey->detector.touching[i] && gaps->f[i] >= -gaps->band[i]))
            event_add(event, i);
        else
            continue;
        note_motion(journey, i);
        if (own) {
            TouchingContact *last = &event->at.at[event->at.count - 1];
            last->stays = detected->turns && last->before <= 0;
        }
    }
}

// At the state that the leg was cut to.
static RunResult happen(Journey *journey, const DetectedEvent *detected, bool percussion)
{
    ContactMode *mode = journey->mode;
    RunResult result = record_rows(journey, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    memcpy(journey->acted, journey->event.acts, journey->gaps.count * sizeof(bool));
    gather(journey, detected);
    if (!record_row(journey, !record_is_row(journey, mode->t)))
        return RESULT_STOPPED;
    double energy = energy_now(journey);
    if (percussion)
        impulses_take(&journey->impulses, mode->eq, mode->state, journey->impulse);
    EventCause cause = {.percussion = percussion, .detected = detected};
    bool strikes = percussion || (detected && detected->what == DETECTED_IMPACT);
    result = pass(journey, &cause, strikes);
    return result == RESULT_CONTINUE ? finish(journey, &cause, energy) : result;
}

// Infinitely many impacts have accumulated; the leg stays.
static RunResult have_rested(Journey *journey, double t)
{
    ContactMode *mode = journey->mode;
    RunResult result = record_rows(journey, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    event_begin(&journey->event, mode->t, mode->state->q, mode->state->v);
    if (!record_row(journey, !record_is_row(journey, mode->t)))
        return RESULT_STOPPED;
    for (size_t i = 0; i < journey->gaps.count; i++)
        if (journey->rest_times[i] <= t) {
            journey->rest_times[i] = INFINITY;
            tell(journey, RUN_REST, &(TouchingContact){.index = i}, false);
        }
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    if (!record_row(journey, true))
        return RESULT_STOPPED;
    bool over = record_is_row(journey, mode->t) && record_skip_row(journey);
    return over ? RESULT_FINISHED : RESULT_CONTINUE;
}

// ---- Switches.

// The state just before a switch is that of the last step's own series.
#define JUST_BEFORE 1e-12

// Something has switched at the end of the step: the motion goes on by another law.
static RunResult have_switched(Journey *journey, size_t which)
{
    ContactMode *mode = journey->mode;
    double before = mode->t - JUST_BEFORE * (mode->t - mode->from);
    RunResult result = record_rows(journey, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, before))
        return RESULT_FAILED;
    *mode->state->t = mode->t;
    size_t bytes = mode->eq->n * sizeof(double);
    double *velocities = base_alloc(2 * bytes + 1);
    memcpy(velocities, mode->state->v, bytes);
    bool more =
        record_row(journey, !record_is_row(journey, mode->t)) && mode_evaluate(mode, mode->t);
    memcpy(velocities + mode->eq->n, mode->state->v, bytes);
    Text what = {0};
    expr_print(journey->run->motion->pool, journey->switches.functions[which], &what);
    RunEvent record = {.t = mode->t,
                       .kind = RUN_SWITCH,
                       .what = what.at,
                       .before = velocities,
                       .after = velocities + mode->eq->n};
    record_event(journey, &record);
    text_clear(&what);
    base_free(velocities);
    if (!more || !record_row(journey, true))
        return RESULT_STOPPED;
    return record_is_row(journey, mode->t) && record_skip_row(journey) ? RESULT_FINISHED
                                                                       : RESULT_CONTINUE;
}

// A series ends its step just beyond a switch; the step of another method is cut there, and the
// next one sets out anew, since none goes on smoothly from before.
static RunResult look_for_switches(Journey *journey)
{
    size_t which;
    ContactMode *mode = journey->mode;
    double t;
    bool cut = journey->switches.count > 0 && journey->run->settings.method != RUN_TAYLOR &&
               switches_find(&journey->switches, mode, &t);
    const double *y = cut ? mode_state(mode, t) : NULL;
    if (cut && !y)
        return RESULT_FAILED;
    if (cut) {
        mode_cut(mode, t, y);
        journey->summary->reached = t;
    }
    if (journey->switches.count == 0 || !mode_evaluate(mode, mode->t) ||
        !switches_look(&journey->switches, mode->state, &which))
        return record_rows(journey, false);
    RunResult result = have_switched(journey, which);
    if (result == RESULT_CONTINUE && cut && !mode_restart(mode))
        return RESULT_FAILED;
    return result;
}

// What jumps at an event switches there.
static RunResult after_event(Journey *journey, RunResult result)
{
    size_t unread;
    if (result == RESULT_CONTINUE)
        switches_look(&journey->switches, journey->mode->state, &unread);
    return result;
}

RunResult events_process(Journey *journey)
{
    if (!journey->eventful)
        return look_for_switches(journey);
    ContactMode *mode = journey->mode;
    DetectedEvent detected;
    bool failed = false;
    if (journey->gaps.count > 0 && detector_step(&journey->detector, mode, &detected, &failed)) {
        const double *y = mode_state(mode, detected.t);
        if (!y)
            return RESULT_FAILED;
        mode_cut(mode, detected.t, y);
        journey->summary->reached = mode->t;
        return after_event(journey, happen(journey, &detected, false));
    }
    if (failed)
        return RESULT_FAILED;
    if (mode->t >= impulses_time(&journey->impulses))
        return after_event(journey, happen(journey, NULL, true));
    if (mode->t >= rest_time(journey))
        return have_rested(journey, mode->t);
    return look_for_switches(journey);
}

// ---- The start.

// The conditions that touch at the start, as it was judged there.
static void gather_at_start(Journey *journey)
{
    Run *run = journey->run;
    const RunSides *sides = &run->contacts->told;
    event_begin(&journey->event, 0, run->start.q, sides->before ? sides->before : run->start.v);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].touches)
            event_add(&journey->event, i);
}

static RunResult begin(Journey *journey)
{
    Run *run = journey->run;
    if (!journey->eventful)
        return set_out(journey, 0, run->start.q, run->start.v);
    gather_at_start(journey);
    ContactEvent *event = &journey->event;
    bool percussion = impulses_time(&journey->impulses) == 0;
    bool strikes = percussion || run->contacts->told.struck;
    EventCause cause = {.percussion = percussion, .at_start = true};
    if (!strikes) {
        RunResult result = go_on(journey);
        see_touching(journey);
        return result;
    }
    // The state as it was given, without one-sided reactions.
    RunResult result = set_out(journey, 0, event->q, event->before);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(journey->mode, 0))
        return RESULT_FAILED;
    if (!record_row(journey, false))
        return RESULT_STOPPED;
    double energy = energy_now(journey);
    if (percussion)
        impulses_take(&journey->impulses, journey->mode->eq, journey->mode->state,
                      journey->impulse);
    result = pass(journey, &cause, true);
    return result == RESULT_CONTINUE ? finish(journey, &cause, energy) : result;
}

RunResult events_begin(Journey *journey)
{
    return after_event(journey, begin(journey));
}

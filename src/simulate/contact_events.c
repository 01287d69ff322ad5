// contact_events.c: a run from event to event (Mayer 1899, § 4).
//
// At an event the state is recorded, the conditions that touch are solved together
// (contact_event.c), what happened to each is recorded, and the run continues in the contact mode
// of those that act.
#include "linalg/tolerances.h"
#include "motion/motion.h"
#include "simulate/columns_impl.h"
#include "simulate/journey_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/run_options_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void events_init(Journey *journey)
{
    Run *run = journey->run;
    size_t n = run->motion->n, count = run->motion->side_count;
    Arena *arena = journey->arena = arena_new();
    StartContacts *contacts = run->contacts;
    bool series = run->settings.method == RUN_TAYLOR;
    journey->eventful = contacts->arena != NULL;
    switches_init(&journey->switches, arena, run);
    if (journey->eventful) {
        gaps_copy(&journey->gaps, arena, &contacts->gaps);
        event_init(&journey->event, arena, contacts, &journey->gaps);
        event_init(&journey->aside, arena, contacts, &journey->gaps);
        journey->impulses = contacts->impulses;
        journey->modes.sizes = journey->gaps.sizes;
    }
    detector_init(&journey->detector, arena, &journey->gaps, journey->event.acts,
                  series ? NULL : &journey->switches);
    journey->impulse = arena_array(arena, double, n);
    journey->rest_times = arena_array(arena, double, 3 * count + 1);
    journey->rest_errors = journey->rest_times + count;
    journey->let_go = journey->rest_errors + count;
    journey->bounces = arena_array(arena, BounceHistory, count + 1);
    journey->acted = arena_array(arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        journey->rest_times[i] = INFINITY;
        journey->let_go[i] = -INFINITY;
    }
}

void events_clear(Journey *journey)
{
    switches_clear(&journey->switches);
    event_clear(&journey->event);
    event_clear(&journey->aside);
    array_clear(&journey->sharers);
    detector_clear(&journey->detector);
    if (journey->arena)
        arena_free(journey->arena);
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
    return fmin(impulses_time(&journey->impulses), rest_time(journey));
}

// ---- The contact mode after an event.

static RunResult no_solution(Journey *journey)
{
    Text reason = {0};
    event_add_reason(&journey->event, &reason);
    diag_error(journey->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. What came before it is given",
               journey->event.t, reason.at);
    text_clear(&reason);
    return RESULT_UNDECIDED;
}

// The mode of the conditions to hold, from a state.
static RunResult enter_mode(Journey *journey, double t, const double *q, const double *v)
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
    return t - earlier <= TOL_ROUNDING * fmax(t, journey->run->settings.every);
}

// The mode holds all degenerate contacts. What they do a little later is solved where it leads.
static void look_ahead(Journey *journey)
{
    ContactMode *mode = journey->mode;
    ContactEvent *event = &journey->event, *aside = &journey->aside;
    size_t n = journey->run->motion->n;
    double ahead = TOL_COARSE * journey->gaps.interval;
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
    aside->keep_all = true;
    for (size_t i = 0; i < event->at.count; i++)
        if (event->at.at[i].rests_later || event->acts[event->at.at[i].index])
            event_add(aside, event->at.at[i].index);
    if (!contact_event(aside, false, NULL))
        return;
    for (size_t i = 0, k = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        if (!(contact->rests_later || event->acts[contact->index]))
            continue;
        const TouchingContact *later = &aside->at.at[k++];
        contact->pushes_later = contact->rests_later && !later->degenerate && later->lambda > 0;
        contact->rests_later = contact->rests_later && later->degenerate;
    }
}

// Which conditions act from now on, and their mode. Neither λ nor f'' tells whether a degenerate
// one acts: what comes next does. One whose λ was seen to go through 0 does not act. What stays
// degenerate stays where it is: it is held, until its λ says otherwise.
static RunResult enter_next_mode(Journey *journey)
{
    ContactEvent *event = &journey->event;
    bool any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        bool lets_go = is_same_time(journey, journey->let_go[contact->index], event->t);
        // Where all forces are about to vanish, only what it was before tells that λ is 0.
        double largest = journey->detector.reaction[contact->index];
        contact->degenerate =
            contact->degenerate || (lets_go && contact->lambda <= TOL_CONDITION * largest);
        contact->pushes_later = false;
        contact->rests_later =
            contact->kept && contact->degenerate && !contact->fleeting && !lets_go;
        any = any || contact->rests_later;
    }
    event_hold(event);
    if (any) {
        RunResult result = enter_mode(journey, event->t, event->q, event->after);
        if (result != RESULT_CONTINUE)
            return result;
        look_ahead(journey);
        event_hold(event);
    }
    if (!event_stop_held(event))
        return no_solution(journey);
    return enter_mode(journey, event->t, event->q, event->after);
}

// The impact, who acts after it, and their mode.
static RunResult solve(Journey *journey, bool strikes, const double *impulse)
{
    return contact_event(&journey->event, strikes, impulse) ? enter_next_mode(journey)
                                                            : no_solution(journey);
}

// ---- Records of what happened.

typedef struct {
    bool impulse;
    const DetectedEvent *detected; // NULL where it was no condition's
    bool at_start;
} EventCause;

static void record(Journey *journey, RunEventKind kind, const TouchingContact *contact,
                   bool doubtful)
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

static void record_contact(Journey *journey, const EventCause *cause,
                           const TouchingContact *contact)
{
    const DetectedEvent *detected = cause->detected;
    bool acts = journey->event.acts[contact->index], acted = journey->acted[contact->index];
    bool own = detected && detected->index == contact->index;
    bool before = acted || journey->detector.touching[contact->index];
    bool struck = journey->event.impact && contact->impulse > 0;
    if (acted) {
        if (!acts)
            record(journey, RUN_RELEASE, contact, false);
    } else if (struck && (own || !before || cause->impulse || contact->before > 0)) {
        record(journey, RUN_IMPACT, contact, false);
    } else if (own || (acts && !cause->at_start) || (!before && contact->kept && detected)) {
        record(journey, RUN_CONTACT, contact, own && detected->what == DETECTED_GRAZE);
    }
}

// What is watched from now on.
static void watch_contacts(Journey *journey)
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

// ---- One event.

static double energy_now(const Journey *journey)
{
    return columns_fill(journey->mode->columns, journey->mode->eq, journey->mode->state).energy;
}

// Events in a row without progress of time: from some number on nothing rebounds.
static bool is_calm(const Journey *journey)
{
    return journey->crowd > LIMIT_SEARCH;
}

// From the conditions that touch to the next mode.
static RunResult process(Journey *journey, const EventCause *cause, bool strikes)
{
    ContactEvent *event = &journey->event;
    const double *impulse = cause->impulse ? journey->impulse : NULL;
    const DetectedEvent *detected = cause->detected;
    if (detected && detected->what == DETECTED_RELEASE)
        journey->let_go[detected->index] = event->t;
    for (size_t i = 0; i < event->at.count && is_calm(journey); i++)
        event->touching.restitution.at[i] = 0;
    bool in_turn = strikes && !impulse && !is_calm(journey) && bounce_sequence_resolve(journey);
    RunResult result = solve(journey, strikes && !in_turn, impulse);
    if (result != RESULT_CONTINUE || !strikes || in_turn || !accumulation_ends(journey, impulse))
        return result;
    return solve(journey, true, impulse);
}

// Whether time goes on at all.
static RunResult check_progress(Journey *journey)
{
    double t = journey->event.t;
    if (!is_same_time(journey, journey->crowd_t, t)) {
        journey->crowd_t = t;
        journey->crowd = 0;
    }
    if (++journey->crowd <= LIMIT_EVENTS)
        return RESULT_CONTINUE;
    bool steps = options_can_step(journey->run->motion);
    diag_error(journey->diag, steps ? place_hint(HINT_METHOD) : place_none(),
               "the motion cannot be followed beyond t = %.10g: events follow each other ever "
               "faster there and do not come to rest%s. What came before it is given",
               t, steps ? "; the method 'timestepping' goes over them" : "");
    return RESULT_UNDECIDED;
}

// The records and the second row; then the next row is behind the event.
static RunResult finish(Journey *journey, const EventCause *cause, double energy)
{
    ContactEvent *event = &journey->event;
    if (cause->impulse)
        record(journey, RUN_IMPULSE, NULL, false);
    for (size_t i = 0; i < event->at.count; i++)
        record_contact(journey, cause, &event->at.at[i]);
    watch_contacts(journey);
    if (!mode_evaluate(journey->mode, event->t))
        return RESULT_FAILED;
    journey->summary->energy_lost += event->energy_lost;
    bool counted = cause->impulse || matrices_do_work(&journey->run->contacts->matrices);
    double change = counted ? energy_now(journey) - energy : -event->energy_lost;
    journey->energy += change;
    if (journey->run->audit)
        journey->run->audit->invariants.work += change;
    if (!record_row(journey, true))
        return RESULT_STOPPED;
    if (record_is_row(journey, event->t) && record_skip_row(journey))
        return RESULT_FINISHED;
    return check_progress(journey);
}

// The event at the state of the mode, which was evaluated: its first row, what happens, the rest.
static RunResult process_and_record(Journey *journey, const EventCause *cause, bool strikes)
{
    ContactMode *mode = journey->mode;
    if (!record_row(journey, !cause->at_start && !record_is_row(journey, mode->t)))
        return RESULT_STOPPED;
    double energy = energy_now(journey);
    if (cause->impulse)
        impulses_take(&journey->impulses, mode->eq, mode->state, journey->impulse);
    RunResult result = process(journey, cause, strikes);
    return result == RESULT_CONTINUE ? finish(journey, cause, energy) : result;
}

// ---- Events along the run.

// The rows before an event at the end of the step, whose state is then evaluated.
static RunResult arrive(Journey *journey)
{
    RunResult result = record_rows(journey, true);
    bool continues = result == RESULT_CONTINUE;
    return continues && !mode_evaluate(journey->mode, journey->mode->t) ? RESULT_FAILED : result;
}

// What the condition added last has come to, before the event.
static void note_motion(Journey *journey, size_t side)
{
    const ContactSet *touching = &journey->event.touching;
    size_t last = touching->which.count - 1;
    double terms, second = contact_set_rate(touching, last, journey->mode->state->a,
                                            touching->gamma.at[last], &terms);
    gaps_note_motion(&journey->gaps, side, touching->rate.at[last], second);
}

// All conditions that touch at the state of the mode.
static void find_touching(Journey *journey, const DetectedEvent *detected)
{
    ContactEvent *event = &journey->event;
    const GapFunctions *gaps = &journey->gaps;
    const State *state = journey->mode->state;
    event_begin(event, journey->mode->t, state->q, state->v);
    event->inner = detected && detected->inner;
    gaps_evaluate(&journey->gaps, event->t, state->q);
    for (size_t i = 0; i < gaps->count; i++) {
        bool own = detected && detected->index == i;
        // What was away before the event touches only well within its band.
        double band = journey->detector.touching[i] ? gaps->band[i] : TOL_POOR * gaps->band[i];
        if (!own && !event->acts[i] && !(gaps->f[i] >= -band))
            continue;
        event_add(event, i);
        note_motion(journey, i);
        TouchingContact *last = &event->at.at[event->at.count - 1];
        last->stays = own && detected->turns && last->before <= 0;
    }
}

static RunResult process_event(Journey *journey, const DetectedEvent *detected, bool impulse)
{
    RunResult result = arrive(journey);
    if (result != RESULT_CONTINUE)
        return result;
    memcpy(journey->acted, journey->event.acts, journey->gaps.count * sizeof(bool));
    find_touching(journey, detected);
    bool strikes = impulse || (detected && detected->what == DETECTED_IMPACT);
    return process_and_record(journey, &(EventCause){.impulse = impulse, .detected = detected},
                              strikes);
}

// Infinitely many impacts have accumulated; the mode stays.
static RunResult process_rest(Journey *journey)
{
    ContactMode *mode = journey->mode;
    RunResult result = arrive(journey);
    if (result != RESULT_CONTINUE)
        return result;
    event_begin(&journey->event, mode->t, mode->state->q, mode->state->v);
    if (!record_row(journey, !record_is_row(journey, mode->t)))
        return RESULT_STOPPED;
    for (size_t i = 0; i < journey->gaps.count; i++)
        if (journey->rest_times[i] <= mode->t) {
            journey->rest_times[i] = INFINITY;
            record(journey, RUN_REST, &(TouchingContact){.index = i}, false);
        }
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    if (!record_row(journey, true))
        return RESULT_STOPPED;
    bool over = record_is_row(journey, mode->t) && record_skip_row(journey);
    return over ? RESULT_FINISHED : RESULT_CONTINUE;
}

// Something has switched at the end of the step: the motion goes on by another law.
static RunResult process_switch(Journey *journey, size_t which)
{
    ContactMode *mode = journey->mode;
    // The state just before is that of the last step's own dense output.
    double before = mode->t - TOL_ZERO * (mode->t - mode->from);
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
    RunEvent switched = {.t = mode->t,
                         .kind = RUN_SWITCH,
                         .what = what.at,
                         .before = velocities,
                         .after = velocities + mode->eq->n};
    record_event(journey, &switched);
    text_clear(&what);
    base_free(velocities);
    if (!more || !record_row(journey, true))
        return RESULT_STOPPED;
    bool over = record_is_row(journey, mode->t) && record_skip_row(journey);
    return over ? RESULT_FINISHED : RESULT_CONTINUE;
}

// The first step of a mode after what switched inside a step sets out anew, since no method goes on
// smoothly from before.
static RunResult process_inner_switch(Journey *journey, size_t which)
{
    journey->switches.signs[which] = -journey->switches.signs[which];
    RunResult result = process_switch(journey, which);
    return result == RESULT_CONTINUE && !mode_restart(journey->mode) ? RESULT_FAILED : result;
}

// What jumps at an event switches there.
static RunResult after_event(Journey *journey, RunResult result)
{
    size_t unread;
    if (result == RESULT_CONTINUE)
        switches_look(&journey->switches, journey->mode->state, &unread);
    return result;
}

// At the end of a step without events in it. A series ends its step just beyond a switch; for other
// methods, what was 0 until now may have a sign.
static RunResult process_step_end(Journey *journey)
{
    size_t which;
    ContactMode *mode = journey->mode;
    Switches *switches = &journey->switches;
    bool series = journey->run->settings.method == RUN_TAYLOR;
    if ((series ? switches->count > 0 : switches_are_unknown(switches)) &&
        mode_evaluate(mode, mode->t) && switches_look(switches, mode->state, &which) && series)
        return process_switch(journey, which);
    return record_rows(journey, false);
}

RunResult events_process(Journey *journey)
{
    ContactMode *mode = journey->mode;
    DetectedEvent detected;
    bool failed;
    if (detector_step(&journey->detector, mode, &detected, &failed)) {
        const double *y = mode_state(mode, detected.t);
        if (!y)
            return RESULT_FAILED;
        mode_cut(mode, detected.t, y);
        journey->summary->reached = mode->t;
        return detected.what == DETECTED_SWITCH
                   ? process_inner_switch(journey, detected.index)
                   : after_event(journey, process_event(journey, &detected, false));
    }
    if (failed)
        return RESULT_FAILED;
    if (mode->t >= impulses_time(&journey->impulses))
        return after_event(journey, process_event(journey, NULL, true));
    return mode->t >= rest_time(journey) ? process_rest(journey) : process_step_end(journey);
}

// ---- The start.

static RunResult begin(Journey *journey)
{
    const RunStart *start = &journey->run->start;
    if (!journey->eventful)
        return enter_mode(journey, 0, start->q, start->v);
    // The conditions that touch, as they were found for the start.
    ContactEvent *event = &journey->event;
    const RunSides *sides = &journey->run->contacts->told;
    event_begin(event, 0, start->q, sides->before ? sides->before : start->v);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].touches)
            event_add(event, i);
    EventCause cause = {.impulse = impulses_time(&journey->impulses) == 0, .at_start = true};
    if (!sides->shock) {
        RunResult result = solve(journey, false, NULL);
        watch_contacts(journey);
        return result;
    }
    // The state as it was given, without reactions of contacts.
    RunResult result = enter_mode(journey, 0, event->q, event->before);
    if (result != RESULT_CONTINUE)
        return result;
    return mode_evaluate(journey->mode, 0) ? process_and_record(journey, &cause, true)
                                           : RESULT_FAILED;
}

RunResult events_begin(Journey *journey)
{
    return after_event(journey, begin(journey));
}

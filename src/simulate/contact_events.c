// contact_events.c: a run from event to event (Mayer 1899, § 4).
//
// At an event the state is recorded, the conditions that touch are solved together
// (contact_event.c), what happened to each is recorded, and the run continues in the contact mode
// of those that act.
#include "base/base.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/run_options_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void events_init(SimulationRun *run)
{
    Simulation *sim = run->sim;
    size_t n = sim->motion->n, count = sim->motion->side_count;
    Arena *arena = run->arena = arena_new();
    StartContacts *contacts = sim->contacts;
    bool series = sim->settings.method == RUN_TAYLOR;
    run->eventful = contacts->arena != NULL;
    switches_init(&run->switches, arena, sim);
    if (run->eventful) {
        gaps_copy(&run->gaps, arena, &contacts->gaps);
        event_init(&run->event, arena, contacts, &run->gaps);
        event_init(&run->aside, arena, contacts, &run->gaps);
        run->impulses = contacts->impulses;
        run->modes.sizes = run->gaps.sizes;
    }
    detector_init(&run->detector, arena, &run->gaps, run->event.acts,
                  series ? NULL : &run->switches);
    run->impulse = arena_array(arena, double, n);
    run->rest_times = arena_array(arena, double, 3 * count + 1);
    run->rest_errors = run->rest_times + count;
    run->let_go = run->rest_errors + count;
    run->bounces = arena_array(arena, BounceHistory, count + 1);
    run->acted = arena_array(arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        run->rest_times[i] = INFINITY;
        run->let_go[i] = -INFINITY;
    }
}

void events_clear(SimulationRun *run)
{
    switches_clear(&run->switches);
    event_clear(&run->event);
    event_clear(&run->aside);
    array_clear(&run->sharers);
    detector_clear(&run->detector);
    if (run->arena)
        arena_free(run->arena);
}

static double rest_time(const SimulationRun *run)
{
    double first = INFINITY;
    for (size_t i = 0; i < run->gaps.count; i++)
        first = fmin(first, run->rest_times[i]);
    return first;
}

double events_next(const SimulationRun *run)
{
    return fmin(impulses_time(&run->impulses), rest_time(run));
}

// ---- The contact mode after an event.

static RunResult no_solution(SimulationRun *run)
{
    Text reason = {0};
    event_add_reason(&run->event, &reason);
    diag_error(run->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. What came before it is given",
               run->event.t, reason.at);
    text_clear(&reason);
    return RESULT_UNDECIDED;
}

// The mode of the conditions to hold, from a state.
static RunResult enter_mode(SimulationRun *run, double t, const double *q, const double *v)
{
    const bool nothing = false;
    const bool *held = run->eventful ? run->event.held : &nothing;
    ContactMode *mode = modes_get(&run->modes, held, t, q);
    if (!mode)
        return RESULT_BROKEN;
    run->mode = mode;
    double step = mode->begun ? ode_integrator_next_step(mode->integrator) : 0;
    return mode_begin(mode, t, q, v, step) ? RESULT_CONTINUE : RESULT_FAILED;
}

// Whether two times are the same but for roundings.
static bool is_same_time(const SimulationRun *run, double earlier, double t)
{
    return t - earlier <= TOL_ROUNDING * fmax(t, run->sim->settings.every);
}

// The mode holds all degenerate contacts. What they do a little later is solved where it leads.
static void look_ahead(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    ContactEvent *event = &run->event, *aside = &run->aside;
    size_t n = run->sim->motion->n;
    double ahead = TOL_COARSE * run->gaps.interval;
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
static RunResult enter_next_mode(SimulationRun *run)
{
    ContactEvent *event = &run->event;
    bool any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        bool lets_go = is_same_time(run, run->let_go[contact->index], event->t);
        // Where all forces are about to vanish, only what it was before tells that λ is 0.
        double largest = run->detector.reaction[contact->index];
        contact->degenerate =
            contact->degenerate || (lets_go && contact->lambda <= TOL_CONDITION * largest);
        contact->pushes_later = false;
        contact->rests_later =
            contact->kept && contact->degenerate && !contact->fleeting && !lets_go;
        any = any || contact->rests_later;
    }
    event_hold(event);
    if (any) {
        RunResult result = enter_mode(run, event->t, event->q, event->after);
        if (result != RESULT_CONTINUE)
            return result;
        look_ahead(run);
        event_hold(event);
    }
    if (!event_stop_held(event))
        return no_solution(run);
    return enter_mode(run, event->t, event->q, event->after);
}

// The impact, who acts after it, and their mode.
static RunResult solve(SimulationRun *run, bool strikes, const double *impulse)
{
    return contact_event(&run->event, strikes, impulse) ? enter_next_mode(run) : no_solution(run);
}

// ---- Records of what happened.

typedef struct {
    bool impulse;
    const DetectedEvent *detected; // NULL where it was no condition's
    bool at_start;
} EventCause;

static void record(SimulationRun *run, RunEventKind kind, const TouchingContact *contact,
                   bool doubtful)
{
    const ContactEvent *event = &run->event;
    RunEvent record = {.t = event->t,
                       .kind = kind,
                       .before = event->before,
                       .after = event->after,
                       .energy_lost = event->energy_lost,
                       .doubtful = doubtful};
    if (contact) {
        record.constraint = run->sim->motion->sides[contact->index].constraint;
        record.impulse = contact->impulse;
        record.uncertainty = kind == RUN_REST ? run->rest_errors[contact->index] : 0;
    }
    record_event(run, &record);
}

static void record_contact(SimulationRun *run, const EventCause *cause,
                           const TouchingContact *contact)
{
    const DetectedEvent *detected = cause->detected;
    bool acts = run->event.acts[contact->index], acted = run->acted[contact->index];
    bool own = detected && detected->index == contact->index;
    bool before = acted || run->detector.touching[contact->index];
    bool struck = run->event.impact && contact->impulse > 0;
    if (acted) {
        if (!acts)
            record(run, RUN_RELEASE, contact, false);
    } else if (struck && (own || !before || cause->impulse || contact->before > 0)) {
        record(run, RUN_IMPACT, contact, false);
    } else if (own || (acts && !cause->at_start) || (!before && contact->kept && detected)) {
        record(run, RUN_CONTACT, contact, own && detected->what == DETECTED_GRAZE);
    }
}

// What is watched from now on.
static void watch_contacts(SimulationRun *run)
{
    EventDetector *detector = &run->detector;
    const ContactEvent *event = &run->event;
    memset(detector->touching, 0, run->gaps.count * sizeof *detector->touching);
    run->sharers.count = 0;
    for (size_t i = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        detector->touching[contact->index] = !event->acts[contact->index];
        double size = fmax(contact->lambda, event_reaction_size(event, contact));
        detector->reaction[contact->index] = contact->kept ? size : 0;
        detector->noise[contact->index] = 0;
        if (event->shared && contact->kept)
            array_push(&run->sharers, contact->index);
    }
    reaction_sharing_begin(&detector->share, event);
    for (size_t i = 0; i < run->gaps.count; i++)
        if (!event->acts[i])
            run->rest_times[i] = INFINITY;
}

// ---- One event.

static double energy_now(const SimulationRun *run)
{
    return columns_fill(run->mode->columns, run->mode->eq, run->mode->state).energy;
}

// Events in a row without progress of time: from some number on nothing rebounds.
static bool is_calm(const SimulationRun *run)
{
    return run->crowd > LIMIT_SEARCH;
}

// From the conditions that touch to the next mode.
static RunResult process(SimulationRun *run, const EventCause *cause, bool strikes)
{
    ContactEvent *event = &run->event;
    const double *impulse = cause->impulse ? run->impulse : NULL;
    const DetectedEvent *detected = cause->detected;
    if (detected && detected->what == DETECTED_RELEASE)
        run->let_go[detected->index] = event->t;
    for (size_t i = 0; i < event->at.count && is_calm(run); i++)
        event->touching.restitution.at[i] = 0;
    bool in_turn = strikes && !impulse && !is_calm(run) && bounce_sequence_resolve(run);
    RunResult result = solve(run, strikes && !in_turn, impulse);
    if (result != RESULT_CONTINUE || !strikes || in_turn || !accumulation_ends(run, impulse))
        return result;
    return solve(run, true, impulse);
}

// Whether time goes on at all.
static RunResult check_progress(SimulationRun *run)
{
    double t = run->event.t;
    if (!is_same_time(run, run->crowd_t, t)) {
        run->crowd_t = t;
        run->crowd = 0;
    }
    if (++run->crowd <= LIMIT_EVENTS)
        return RESULT_CONTINUE;
    bool steps = options_can_step(run->sim->motion);
    diag_error(run->diag, steps ? place_hint(HINT_METHOD) : place_none(),
               "the motion cannot be followed beyond t = %.10g: events follow each other ever "
               "faster there and do not come to rest%s. What came before it is given",
               t, steps ? "; the method 'timestepping' goes over them" : "");
    return RESULT_UNDECIDED;
}

// The records and the second row; then the next row is behind the event.
static RunResult finish(SimulationRun *run, const EventCause *cause, double energy)
{
    ContactEvent *event = &run->event;
    if (cause->impulse)
        record(run, RUN_IMPULSE, NULL, false);
    for (size_t i = 0; i < event->at.count; i++)
        record_contact(run, cause, &event->at.at[i]);
    watch_contacts(run);
    if (!mode_evaluate(run->mode, event->t))
        return RESULT_FAILED;
    run->summary->energy_lost += event->energy_lost;
    bool counted = cause->impulse || matrices_do_work(&run->sim->contacts->matrices);
    double change = counted ? energy_now(run) - energy : -event->energy_lost;
    run->energy += change;
    if (run->sim->audit)
        run->sim->audit->invariants.work += change;
    if (!record_row(run, true))
        return RESULT_STOPPED;
    if (record_is_row(run, event->t) && record_skip_row(run))
        return RESULT_FINISHED;
    return check_progress(run);
}

// The event at the state of the mode, which was evaluated: its first row, what happens, the rest.
static RunResult process_and_record(SimulationRun *run, const EventCause *cause, bool strikes)
{
    ContactMode *mode = run->mode;
    if (!record_row(run, !cause->at_start && !record_is_row(run, mode->t)))
        return RESULT_STOPPED;
    double energy = energy_now(run);
    if (cause->impulse)
        impulses_take(&run->impulses, mode->eq, mode->state, run->impulse);
    RunResult result = process(run, cause, strikes);
    return result == RESULT_CONTINUE ? finish(run, cause, energy) : result;
}

// ---- Events along the run.

// The rows before an event at the end of the step, whose state is then evaluated.
static RunResult arrive(SimulationRun *run)
{
    RunResult result = record_rows(run, true);
    bool continues = result == RESULT_CONTINUE;
    return continues && !mode_evaluate(run->mode, run->mode->t) ? RESULT_FAILED : result;
}

// What the condition added last has come to, before the event.
static void note_motion(SimulationRun *run, size_t side)
{
    const ContactSet *touching = &run->event.touching;
    size_t last = touching->which.count - 1;
    double terms, second = contact_set_rate(touching, last, run->mode->state->a,
                                            touching->gamma.at[last], &terms);
    gaps_note_motion(&run->gaps, side, touching->rate.at[last], second);
}

// All conditions that touch at the state of the mode.
static void find_touching(SimulationRun *run, const DetectedEvent *detected)
{
    ContactEvent *event = &run->event;
    const GapFunctions *gaps = &run->gaps;
    const State *state = run->mode->state;
    event_begin(event, run->mode->t, state->q, state->v);
    event->inner = detected && detected->inner;
    gaps_evaluate(&run->gaps, event->t, state->q);
    for (size_t i = 0; i < gaps->count; i++) {
        bool own = detected && detected->index == i;
        // What was away before the event touches only well within its band.
        double band = run->detector.touching[i] ? gaps->band[i] : TOL_POOR * gaps->band[i];
        if (!own && !event->acts[i] && !(gaps->f[i] >= -band))
            continue;
        event_add(event, i);
        note_motion(run, i);
        TouchingContact *last = &event->at.at[event->at.count - 1];
        last->stays = own && detected->turns && last->before <= 0;
    }
}

static RunResult process_event(SimulationRun *run, const DetectedEvent *detected, bool impulse)
{
    RunResult result = arrive(run);
    if (result != RESULT_CONTINUE)
        return result;
    memcpy(run->acted, run->event.acts, run->gaps.count * sizeof(bool));
    find_touching(run, detected);
    bool strikes = impulse || (detected && detected->what == DETECTED_IMPACT);
    return process_and_record(run, &(EventCause){.impulse = impulse, .detected = detected},
                              strikes);
}

// Infinitely many impacts have accumulated; the mode stays.
static RunResult process_rest(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    RunResult result = arrive(run);
    if (result != RESULT_CONTINUE)
        return result;
    event_begin(&run->event, mode->t, mode->state->q, mode->state->v);
    if (!record_row(run, !record_is_row(run, mode->t)))
        return RESULT_STOPPED;
    for (size_t i = 0; i < run->gaps.count; i++)
        if (run->rest_times[i] <= mode->t) {
            run->rest_times[i] = INFINITY;
            record(run, RUN_REST, &(TouchingContact){.index = i}, false);
        }
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    if (!record_row(run, true))
        return RESULT_STOPPED;
    bool over = record_is_row(run, mode->t) && record_skip_row(run);
    return over ? RESULT_FINISHED : RESULT_CONTINUE;
}

// Something has switched at the end of the step: the motion goes on by another law.
static RunResult process_switch(SimulationRun *run, size_t which)
{
    ContactMode *mode = run->mode;
    // The state just before is that of the last step's own dense output.
    double before = mode->t - TOL_ZERO * (mode->t - mode->from);
    RunResult result = record_rows(run, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, before))
        return RESULT_FAILED;
    *mode->state->t = mode->t;
    size_t bytes = mode->eq->n * sizeof(double);
    double *velocities = base_alloc(2 * bytes + 1);
    memcpy(velocities, mode->state->v, bytes);
    bool more = record_row(run, !record_is_row(run, mode->t)) && mode_evaluate(mode, mode->t);
    memcpy(velocities + mode->eq->n, mode->state->v, bytes);
    Text what = {0};
    expr_print(run->sim->motion->pool, run->switches.functions[which], &what);
    RunEvent switched = {.t = mode->t,
                         .kind = RUN_SWITCH,
                         .what = what.at,
                         .before = velocities,
                         .after = velocities + mode->eq->n};
    record_event(run, &switched);
    text_clear(&what);
    base_free(velocities);
    if (!more || !record_row(run, true))
        return RESULT_STOPPED;
    bool over = record_is_row(run, mode->t) && record_skip_row(run);
    return over ? RESULT_FINISHED : RESULT_CONTINUE;
}

// The first step of a mode after what switched inside a step sets out anew, since no method goes on
// smoothly from before.
static RunResult process_inner_switch(SimulationRun *run, size_t which)
{
    run->switches.signs[which] = -run->switches.signs[which];
    RunResult result = process_switch(run, which);
    return result == RESULT_CONTINUE && !mode_restart(run->mode) ? RESULT_FAILED : result;
}

// What jumps at an event switches there.
static RunResult after_event(SimulationRun *run, RunResult result)
{
    size_t unread;
    if (result == RESULT_CONTINUE)
        switches_look(&run->switches, run->mode->state, &unread);
    return result;
}

// At the end of a step without events in it. A series ends its step just beyond a switch; for other
// methods, what was 0 until now may have a sign.
static RunResult process_step_end(SimulationRun *run)
{
    size_t which;
    ContactMode *mode = run->mode;
    Switches *switches = &run->switches;
    bool series = run->sim->settings.method == RUN_TAYLOR;
    if ((series ? switches->count > 0 : switches_are_unknown(switches)) &&
        mode_evaluate(mode, mode->t) && switches_look(switches, mode->state, &which) && series)
        return process_switch(run, which);
    return record_rows(run, false);
}

RunResult events_process(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    DetectedEvent detected;
    bool failed;
    if (detector_step(&run->detector, mode, &detected, &failed)) {
        const double *y = mode_state(mode, detected.t);
        if (!y)
            return RESULT_FAILED;
        mode_cut(mode, detected.t, y);
        run->summary->reached = mode->t;
        return detected.what == DETECTED_SWITCH
                   ? process_inner_switch(run, detected.index)
                   : after_event(run, process_event(run, &detected, false));
    }
    if (failed)
        return RESULT_FAILED;
    if (mode->t >= impulses_time(&run->impulses))
        return after_event(run, process_event(run, NULL, true));
    return mode->t >= rest_time(run) ? process_rest(run) : process_step_end(run);
}

// ---- The start.

static RunResult begin(SimulationRun *run)
{
    const RunStart *start = &run->sim->start;
    if (!run->eventful)
        return enter_mode(run, 0, start->q, start->v);
    // The conditions that touch, as they were found for the start.
    ContactEvent *event = &run->event;
    const RunSides *sides = &run->sim->contacts->told;
    event_begin(event, 0, start->q, sides->before ? sides->before : start->v);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].touches)
            event_add(event, i);
    EventCause cause = {.impulse = impulses_time(&run->impulses) == 0, .at_start = true};
    if (!sides->shock) {
        RunResult result = solve(run, false, NULL);
        watch_contacts(run);
        return result;
    }
    // The state as it was given, without reactions of contacts.
    RunResult result = enter_mode(run, 0, event->q, event->before);
    if (result != RESULT_CONTINUE)
        return result;
    return mode_evaluate(run->mode, 0) ? process_and_record(run, &cause, true) : RESULT_FAILED;
}

RunResult events_begin(SimulationRun *run)
{
    return after_event(run, begin(run));
}

// contact_events.c: a run from event to event (Mayer 1899, § 4).
//
// At an event the state is recorded, the conditions that touch are solved together
// (contact_event.c), what happened to each is recorded, and the run continues in the contact mode
// of those that act.
#include "dynamics/dynamics.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/switch_events_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void events_init(SimulationRun *run)
{
    assert(!run->arena);
    Simulation *sim = run->sim;
    StartContacts *contacts = sim->contacts;
    Arena *arena = run->arena = arena_new();
    run->switches = switches_new(arena, sim);
    run->impulses = arena_array(arena, GivenImpulses, 1);
    run->vector = arena_array(arena, double, 4 * sim->start.n);
    size_t count = contacts->told.count;
    GapFunctions *gaps = run->gaps = gaps_copy(arena, contacts->gaps);
    run->event = event_new(arena, contacts, gaps);
    run->aside = event_new(arena, contacts, gaps);
    *run->impulses = *contacts->impulses;
    run->modes->sizes = gaps->sizes;
    run->rests = arena_array(arena, RestTime, 2 * count + 1);
    run->followed = run->rests + count;
    for (size_t i = 0; i < 2 * count; i++)
        run->rests[i] = (RestTime){INFINITY, INFINITY};
    run->detector = detector_new(arena, run->event, run->switches);
}

void events_clear(SimulationRun *run)
{
    switches_clear(run->switches);
    event_clear(run->event);
    event_clear(run->aside);
    arena_free(run->arena);
}

static double rest_time(const SimulationRun *run)
{
    double first = INFINITY;
    for (size_t i = 0; i < run->gaps->count; i++)
        first = fmin(first, run->rests[i].t);
    return first;
}

double events_next(const SimulationRun *run)
{
    double known = fmin(impulses_time(run->impulses), rest_time(run));
    return fmin(known, run->switches->next.before);
}

// ---- The contact mode after an event.

// The mode of the conditions to hold, from a state.
static RunResult enter_mode(SimulationRun *run, double t, const double *q, const double *v)
{
    assert(isfinite(t) && q && v);
    ContactMode *mode = modes_get(run->modes, run->event->held, t, q);
    if (!mode)
        return RESULT_BROKEN;
    run->mode = mode;
    return mode_begin(mode, t, q, v, mode_next_step(mode)) ? RESULT_CONTINUE : RESULT_FAILED;
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
    ContactEvent *event = run->event, *aside = run->aside;
    size_t n = mode->eq->n;
    double ahead = TOL_COARSE * run->gaps->interval;
    double *q = run->vector + n, *v = q + n;
    for (size_t j = 0; j < n; j++) {
        double a = mode->state->a[j];
        q[j] = event->q[j] + ahead * (event->after[j] + ahead * a / 2);
        v[j] = event->after[j] + ahead * a;
    }
    if (!mode_begin(mode, event->t + ahead, q, v, 0))
        return;
    event_begin(aside, event->t + ahead, mode->state->q, mode->state->v);
    aside->keep_all = true;
    for (size_t i = 0; i < event->at.count; i++)
        if (event->at.at[i].outcome != CONTACT_OPENS)
            event_add(aside, event->at.at[i].index);
    if (!contact_event(aside, false, NULL))
        return;
    for (size_t i = 0, k = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        if (contact->outcome == CONTACT_OPENS)
            continue;
        const TouchingContact *later = &aside->at.at[k++];
        contact->outcome = contact->outcome == CONTACT_RESTS ? later->outcome : CONTACT_PUSHES;
    }
}

// Which conditions act from now on, and their mode. Neither λ nor f'' tells whether a degenerate
// one acts: what comes next does. One whose λ was seen to go through 0 does not act. What stays
// degenerate stays where it is: it is held, until its λ says otherwise.
static RunResult enter_next_mode(SimulationRun *run)
{
    ContactEvent *event = run->event;
    bool any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        bool lets_go = is_same_time(run, run->detector->sides[contact->index].let_go, event->t);
        // Where all forces are about to vanish, only what it was before tells that λ is 0.
        double largest = run->detector->sides[contact->index].reaction;
        bool rests = contact->outcome == CONTACT_RESTS;
        if (lets_go ? rests || contact->lambda <= TOL_CONDITION * largest
                    : rests && contact->fleeting)
            contact->outcome = CONTACT_OPENS;
        any = any || contact->outcome == CONTACT_RESTS;
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
        return events_no_solution(run, run->event->t);
    return enter_mode(run, event->t, event->q, event->after);
}

// The impact, who acts after it, and their mode.
static RunResult solve(SimulationRun *run, bool strikes, const double *impulse)
{
    return contact_event(run->event, strikes, impulse) ? enter_next_mode(run)
                                                       : events_no_solution(run, run->event->t);
}

// ---- Records of what happened.

// `contact` is NULL where it is nobody's.
static void record(SimulationRun *run, RunEventKind kind, const TouchingContact *contact,
                   bool doubtful)
{
    const ContactEvent *event = run->event;
    const RunSide *sides = run->sim->contacts->at;
    record_event(run, &(RunEvent){.t = event->t,
                                  .kind = kind,
                                  .constraint = contact ? sides[contact->index].constraint : NULL,
                                  .before = event->before,
                                  .after = event->after,
                                  .impulse = contact ? contact->impulse : 0,
                                  .energy_lost = event->energy_lost,
                                  .doubtful = doubtful});
}

static void record_contact(SimulationRun *run, const DetectedEvent *found, bool impulse,
                           const TouchingContact *contact)
{
    bool at_start = found->what == DETECTED_START;
    bool acts = run->event->acts[contact->index], own = found->index == contact->index;
    bool before = contact->acted || run->detector->sides[contact->index].touching;
    bool struck = run->event->impact && contact->impulse > 0;
    if (contact->acted) {
        if (!acts)
            record(run, RUN_RELEASE, contact, false);
    } else if (struck && (own || !before || impulse || contact->before > 0)) {
        record(run, RUN_IMPACT, contact, false);
    } else if (own || (acts && !at_start) ||
               (!before && contact->kept && found->index != SIZE_MAX)) {
        record(run, RUN_CONTACT, contact, own && found->what == DETECTED_GRAZE && !found->turns);
    }
}

static void record_contacts(SimulationRun *run, const DetectedEvent *found, const double *impulse)
{
    const ContactEvent *event = run->event;
    if (impulse)
        record(run, RUN_IMPULSE, NULL, false);
    for (size_t i = 0; i < event->at.count; i++)
        record_contact(run, found, impulse, &event->at.at[i]);
}

// ---- An event of unilateral conditions, or an impulse.

// All conditions that touch at the state of the mode.
static void find_touching(SimulationRun *run, const DetectedEvent *found)
{
    ContactEvent *event = run->event;
    GapFunctions *gaps = run->gaps;
    const State *state = run->mode->state;
    event_begin(event, run->mode->t, state->q, state->v);
    event->inner = found->inner;
    gaps_evaluate(gaps, event->t, state->q, gaps->f);
    for (size_t i = 0; i < gaps->count; i++) {
        bool own = found->index == i;
        // What was away before the event touches only well within its band.
        double band = run->detector->sides[i].touching ? gaps->band[i] : TOL_POOR * gaps->band[i];
        if (!own && !event->acts[i] && !(gaps->f[i] >= -band))
            continue;
        size_t k = event->at.count;
        event_add(event, i);
        TouchingContact *last = &event->at.at[k];
        double second = contact_set_acceleration(&event->touching, k, state->a, NULL), terms;
        contact_set_rate(&event->touching, k, state->q, &terms);
        gaps_note_motion(gaps, i, last->before, second, terms);
        last->stays = own && found->turns && (last->before <= 0 || found->what == DETECTED_GRAZE);
    }
}

// What is watched from now on.
static void watch_contacts(SimulationRun *run)
{
    detector_begin(run->detector);
    for (size_t i = 0; i < run->gaps->count; i++)
        if (!run->event->acts[i])
            run->rests[i].t = INFINITY;
}

// From the conditions that touch to the next mode. Where many events follow each other without
// progress of time, nothing rebounds any more.
static RunResult solve_rebounds(SimulationRun *run, bool strikes, const double *impulse)
{
    ContactEvent *event = run->event;
    bool calm = run->crowd.count > LIMIT_SEARCH;
    for (size_t i = 0; i < event->at.count && calm; i++)
        event->touching.restitution.at[i] = 0;
    bool in_turn = strikes && !impulse && !calm && bounce_sequence_resolve(run);
    RunResult result = solve(run, strikes && !in_turn, impulse);
    if (result != RESULT_CONTINUE || !strikes || in_turn || !accumulation_ends(run, impulse))
        return result;
    return solve(run, true, impulse);
}

size_t events_crowd(SimulationRun *run, double t)
{
    if (!is_same_time(run, run->crowd.t, t)) {
        run->crowd.t = t;
        run->crowd.count = 0;
    }
    return ++run->crowd.count;
}

// Whether time goes on at all.
static RunResult check_progress(SimulationRun *run)
{
    if (events_crowd(run, run->event->t) <= LIMIT_EVENTS)
        return RESULT_CONTINUE;
    return failure_of_crowd(run, run->event->t);
}

static bool is_flat(const SimulationRun *run, const DetectedEvent *found)
{
    const State *state = run->mode->state;
    bool touches = found->what == DETECTED_IMPACT || found->what == DETECTED_GRAZE;
    return touches && gaps_are_flat(run->gaps, found->index, run->mode->t, state->q, state->v,
                                    run->mode->eq->n);
}

// From the state before, of which a row was recorded, to the row after.
RunResult contacts_process(SimulationRun *run, const DetectedEvent *found)
{
    bool known = found->what == DETECTED_IMPULSE || found->what == DETECTED_START;
    const double *impulse = NULL;
    RunResult result;
    if (known && impulses_time(run->impulses) <= run->mode->t) {
        if (switch_meets_impulse(run, &result))
            return result;
        impulses_take(run->impulses, run->mode->eq, run->mode->state, run->vector);
        impulse = run->vector;
    }
    // The energy may change by more than the event says.
    bool counted = impulse || event_may_do_work(run->event);
    double energy = counted ? record_energy(run) : 0;
    if (found->what == DETECTED_RELEASE)
        run->detector->sides[found->index].let_go = run->mode->t;
    if (found->what != DETECTED_START)
        find_touching(run, found);
    if (is_flat(run, found))
        return failure_of_flat(run, run->sim->contacts->at[found->index].constraint);
    result = solve_rebounds(run, known || found->what == DETECTED_IMPACT, impulse);
    if (result != RESULT_CONTINUE)
        return result;
    record_contacts(run, found, impulse);
    watch_contacts(run);
    if (!mode_evaluate(run->mode, run->event->t))
        return RESULT_FAILED;
    run->summary->energy_lost += run->event->energy_lost;
    record_energy_change(run, counted ? record_energy(run) - energy : -run->event->energy_lost);
    result = record_after_event(run);
    return result == RESULT_CONTINUE ? check_progress(run) : result;
}

// ---- Other events.

// Infinitely many impacts have accumulated; the mode stays.
static RunResult process_rests(SimulationRun *run)
{
    const ContactMode *mode = run->mode;
    for (size_t i = 0; i < run->gaps->count; i++) {
        RestTime *rest = &run->rests[i];
        if (rest->t > mode->t)
            continue;
        rest->t = INFINITY;
        record_event(run, &(RunEvent){.t = mode->t,
                                      .kind = RUN_REST,
                                      .constraint = run->sim->contacts->at[i].constraint,
                                      .before = mode->state->v,
                                      .after = mode->state->v,
                                      .uncertainty = rest->error});
    }
    return mode_evaluate(run->mode, mode->t) ? record_after_event(run) : RESULT_FAILED;
}

// ---- Along the run.

// The event at the end of the step: the rows up to there, the row before it, what happens.
static RunResult process(SimulationRun *run, const DetectedEvent *found)
{
    ContactMode *mode = run->mode;
    bool switches = found->what == DETECTED_SWITCH;
    assert(found->t == mode->t);
    RunResult result = record_rows(run, true);
    if (result != RESULT_CONTINUE)
        return result;
    bool timed = switches && mode->t == run->switches->last.after;
    double before = switches ? switch_before(run, found->index) : mode->t;
    if (!mode_evaluate(mode, before))
        return RESULT_FAILED;
    if (!timed)
        *mode->state->t = mode->t;
    result = record_row(run, !record_is_row(run, mode->t));
    if (result != RESULT_CONTINUE)
        return result;
    if (switches)
        return switch_process(run, found->index, before);
    if (found->what == DETECTED_REST)
        return process_rests(run);
    result = contacts_process(run, found);
    // What jumps at an event switches there.
    if (result == RESULT_CONTINUE)
        switches_look(run->switches, run->mode->state, NULL);
    return result;
}

// What happens at the end of a step without events in it. A series ends its step just beyond a
// switch, and another method may do so too, or exactly there.
static bool find_at_end(SimulationRun *run, DetectedEvent *found)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    *found = (DetectedEvent){.t = mode->t, .index = SIZE_MAX, .what = DETECTED_IMPULSE};
    if (mode->t >= impulses_time(run->impulses))
        return true;
    found->what = DETECTED_REST;
    if (mode->t >= rest_time(run))
        return true;
    found->what = DETECTED_SWITCH;
    return switches->count > 0 && mode_evaluate(mode, mode->t) && switch_leave_end(run) &&
           switches_look(switches, mode->state, &found->index);
}

// A function of the time alone switches: the step has ended just before, and the next one begins
// just after.
static RunResult process_time_switch(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    DetectedEvent found = {.what = DETECTED_SWITCH};
    switches_advance(switches);
    mode->t = found.t = switches->last.after;
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    RunResult result = switches_look(switches, mode->state, &found.index) ? process(run, &found)
                                                                          : record_rows(run, false);
    bool fails = result == RESULT_CONTINUE && !mode_restart_after_jump(mode, switches->next.before);
    return fails ? RESULT_FAILED : result;
}

RunResult events_process(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    assert(mode && mode->stepped);
    DetectedEvent found;
    RunResult result;
    bool failed;
    switches_begin_step(run->switches);
    bool happens = detector_step(run->detector, mode, &found, &failed);
    run->summary->bounded = run->detector->bounded;
    if (happens) {
        const double *y = mode_state(mode, found.t);
        if (!y)
            return RESULT_FAILED;
        mode_cut(mode, found.t, y);
        run->summary->reached = mode->t;
        if (singular_passes(run, &result))
            return result;
        if (found.what == DETECTED_SWITCH && !switch_pass(run, found.index))
            return RESULT_FAILED;
        return process(run, &found);
    }
    const DetectedEvent *undecided = &run->detector->undecided;
    if (failed && undecided->t > 0)
        return failure_of_bounds(run, run->sim->contacts->at[undecided->index].constraint,
                                 undecided->t);
    if (failed)
        return RESULT_FAILED;
    if (singular_passes(run, &result))
        return result;
    while (mode->t >= run->switches->next.before) {
        result = process_time_switch(run);
        if (result != RESULT_CONTINUE)
            return result;
    }
    return find_at_end(run, &found) ? process(run, &found) : record_rows(run, false);
}

// ---- The start.

// The conditions that touch as they were found for the start, and the first mode; after a jump of
// the velocities there, from the state as it was given, without reactions of contacts.
RunResult events_begin(SimulationRun *run)
{
    assert(run->arena && !run->mode);
    const RunStart *start = &run->sim->start;
    const RunSides *sides = &run->sim->contacts->told;
    const double *before = sides->before ? sides->before : start->v;
    event_begin(run->event, 0, start->q, before);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].touches)
            event_add(run->event, i);
    bool solves = run->event->at.count > 0 && !sides->shock;
    RunResult result = solves ? solve(run, false, NULL) : enter_mode(run, 0, start->q, before);
    if (solves)
        watch_contacts(run);
    if (result == RESULT_CONTINUE && sides->shock)
        return process(run, &(DetectedEvent){.index = SIZE_MAX, .what = DETECTED_START});
    if (result == RESULT_CONTINUE)
        switches_look(run->switches, run->mode->state, NULL);
    return result;
}

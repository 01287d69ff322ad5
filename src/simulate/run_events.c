// run_events.c: a run from event to event: what comes next, what has happened within a step, and
// who deals with it. At an event the state is recorded before and after.
#include "dynamics/equations_types.h"
#include "linalg/tolerances.h"
#include "simulate/careful_steps_impl.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_events_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_samples_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_options.h"
#include "simulate/run_report.h"
#include "simulate/run_sides.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/singular_positions_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/switch_events_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>

void events_init(SimulationRun *run)
{
    assert(!run->arena);
    Simulation *sim = run->sim;
    StartContacts *contacts = sim->contacts;
    Arena *arena = run->arena = arena_new();
    run->switches = switches_new(arena, sim);
    run->impulses = arena_array(arena, GivenImpulses, 1);
    run->vector = arena_array(arena, double, 4 * sim->start.n);
    size_t count = contacts->told->count;
    GapFunctions *gaps = run->gaps = gaps_copy(arena, contacts->gaps);
    run->event = event_new(arena, contacts, gaps);
    run->aside = event_new(arena, contacts, gaps);
    *run->impulses = *contacts->impulses;
    // A simulation in steps that begins anew has had those before.
    double from = sim->settings.from;
    while (from > 0 && impulses_time(run->impulses) <= from)
        run->impulses->next++;
    run->modes->sizes = gaps->sizes;
    run->rests = arena_array(arena, RestTime, 2 * count + 1);
    run->followed = run->rests + count;
    for (size_t i = 0; i < 2 * count; i++)
        run->rests[i] = (RestTime){INFINITY, INFINITY};
    EventTriggers *triggers = sim->triggers ? sim->triggers : triggers_new(sim);
    sim->triggers = NULL;
    run->detector = detector_new(arena, run->event, run->switches, triggers);
}

void events_clear(SimulationRun *run)
{
    triggers_clear(run->detector->triggers);
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

bool events_are_none(const SimulationRun *run)
{
    const EventDetector *detector = run->detector;
    return run->gaps->count == 0 && run->switches->count == 0 &&
           isinf(run->switches->next.before) && !detector->triggers && !run->event->friction &&
           isinf(impulses_time(run->impulses)) && !run->singular &&
           !modules_apply(run->sim->motion);
}

double events_next(const SimulationRun *run)
{
    if (run->uneventful)
        return INFINITY;
    double known = fmin(impulses_time(run->impulses), rest_time(run));
    known = fmin(known, triggers_next_time(run->detector->triggers));
    if (run->mode->t < run->pace.switch_at)
        known = fmin(known, run->pace.switch_at);
    return fmin(known, run->switches->next.before);
}

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
                                      .constraint = event_constraint(run->event, i),
                                      .before = mode->state->v,
                                      .after = mode->state->v,
                                      .uncertainty = rest->error});
    }
    return mode_evaluate(run->mode, mode->t) ? record_after_event(run) : RESULT_FAILED;
}

// ---- Along the run.

// An event of the model at the end of the step, which leaves the motion as it is: no row of its
// own.
static RunResult pass_event(SimulationRun *run)
{
    // A row at the time of a sample shows what it has set.
    bool timed = run->detector->triggers && run->detector->triggers->timed;
    RunResult result = record_rows(run, timed ? run->mode->t : INFINITY);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(run->mode, run->mode->t))
        return RESULT_FAILED;
    if (run->detector->triggers)
        triggers_look(run->detector->triggers, run->mode, false);
    return RESULT_CONTINUE;
}

// The event at the end of the step: the rows up to there, the row before it, what happens.
static RunResult process(SimulationRun *run, const DetectedEvent *found)
{
    ContactMode *mode = run->mode;
    bool switches = found->what == DETECTED_SWITCH;
    assert(found->t == mode->t);
    if (found->what == DETECTED_EVENT && !triggers_jump(run->detector->triggers))
        return pass_event(run);
    if (switches && switches_is_smooth(run->switches, found->index)) {
        RunResult passed = pass_event(run);
        if (passed == RESULT_CONTINUE && run->sim->sensitivity)
            passed = switch_pass_derivatives(run, found->index);
        return switch_go_on(run, found->index, passed);
    }
    bool timed = switches && mode->t == run->switches->last.after;
    double before = switches ? switch_before(run, found->index) : mode->t;
    RunResult result = record_rows(run, fmax(before, mode->t * (1 - TOL_ZERO)));
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, before))
        return RESULT_FAILED;
    if (!timed)
        *mode->state->t = mode->t;
    result = record_row(run, !record_is_row(run, mode->t));
    if (result != RESULT_CONTINUE)
        return result;
    if (run->detector->triggers)
        triggers_look(run->detector->triggers, mode, false);
    if (found->what == DETECTED_EVENT)
        return RESULT_CONTINUE;
    if (switches) {
        result = switch_process(run, found->index, before);
        return result == RESULT_CONTINUE ? switch_catch_up(run) : result;
    }
    if (found->what == DETECTED_REST)
        return process_rests(run);
    result = contacts_process(run, found);
    return result == RESULT_CONTINUE ? switch_catch_up(run) : result;
}

static bool switches_at_end(SimulationRun *run, size_t *which)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    return switches->count > 0 && mode_evaluate(mode, mode->t) && switch_leave_end(run) &&
           switches_look(switches, mode->state, which);
}

// What has switched at the end of a step at which something else happens is passed before that: the
// velocities behind it are others.
static RunResult pass_switches(SimulationRun *run)
{
    DetectedEvent own = {.t = run->mode->t, .what = DETECTED_SWITCH};
    bool more = run->mode->t >= fmin(impulses_time(run->impulses), rest_time(run));
    return more && switches_at_end(run, &own.index) ? process(run, &own) : RESULT_CONTINUE;
}

// What happens at the end of a step without events in it. A series ends its step just beyond a
// switch, and another method may do so too, or exactly there.
static bool find_at_end(SimulationRun *run, DetectedEvent *found)
{
    ContactMode *mode = run->mode;
    *found = (DetectedEvent){.t = mode->t, .index = SIZE_MAX, .what = DETECTED_IMPULSE};
    if (mode->t >= impulses_time(run->impulses))
        return true;
    found->what = DETECTED_REST;
    if (mode->t >= rest_time(run))
        return true;
    found->what = DETECTED_SWITCH;
    return switches_at_end(run, &found->index);
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
    bool timed = triggers_take_timed(run->detector->triggers, mode->t);
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    RunResult result = switches_look(switches, mode->state, &found.index)
                           ? process(run, &found)
                           : record_rows(run, timed ? mode->t : INFINITY);
    if (result == RESULT_CONTINUE && run->gaps->count > 0 && contacts_are_pressed(run, &found))
        return contacts_process(run, &found);
    bool fails = result == RESULT_CONTINUE && !mode_restart_after_jump(mode, switches->next.before);
    return fails ? RESULT_FAILED : result;
}

// Events whose time was known before.
static RunResult process_timed(SimulationRun *run)
{
    return process(run,
                   &(DetectedEvent){.t = run->mode->t, .index = SIZE_MAX, .what = DETECTED_EVENT});
}

// Of a step of Runge–Kutta that goes beyond a switch all stages but the first may lie there, where
// what was between two switches is over; and the polynomial of a multistep method, whose error
// estimate takes the rates for smooth, is no motion before the switch when the rate at its end is
// one behind it. It is taken again, to end at the switch. Not where this lies within the last
// digits of its beginning or its end.
static bool goes_beyond(const ContactMode *mode, const DetectedEvent *found)
{
    double digits = TOL_STATE * fmax(mode->t, mode->t - mode->from);
    return found->what == DETECTED_SWITCH && mode->settings->method != RUN_TAYLOR &&
           !mode->inside.start && found->t - mode->from > digits && mode->t - found->t > digits;
}

// The first event within the step.
static bool find_inside(SimulationRun *run, DetectedEvent *found, bool *failed)
{
    ContactMode *mode = run->mode;
    bool happens = detector_step(run->detector, mode, found, failed);
    for (size_t tries = 0; tries < LIMIT_STEPS && happens && goes_beyond(mode, found); tries++) {
        bool input;
        run->pace.switch_at = found->t;
        *failed =
            !mode_go_back_before_switch(mode) || careful_step(run, found->t, &input) != ODE_STEPPED;
        happens = !*failed && detector_step(run->detector, mode, found, failed);
    }
    triggers_tell_ended(run->detector->triggers, happens ? found->t : mode->t, run->diag);
    return happens;
}

static RunResult process_step(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    assert(mode && mode->stepped);
    DetectedEvent found;
    EventTriggers *triggers = run->detector->triggers;
    RunResult result;
    bool failed;
    switches_begin_step(run->switches);
    bool happens = find_inside(run, &found, &failed);
    run->summary->bounded = run->detector->bounded;
    if (happens) {
        if (triggers)
            found.t = samples_snap(triggers->samples, found.t, mode->t - mode->from);
        const double *y = mode_state(mode, found.t);
        if (!y)
            return RESULT_FAILED;
        mode_cut(mode, found.t, y);
        run->summary->reached = mode->t;
        triggers_take_timed(triggers, mode->t);
        if (triggers && found.what != DETECTED_EVENT && found.what != DETECTED_SWITCH)
            triggers_take_end(triggers);
        if (singular_passes(run, &result))
            return result;
        if (found.what == DETECTED_SWITCH && !switch_pass(run, found.index))
            return RESULT_FAILED;
        return process(run, &found);
    }
    const DetectedEvent *undecided = &run->detector->undecided;
    if (failed && undecided->t > 0)
        return failure_of_bounds(run, event_constraint(run->event, undecided->index), undecided->t);
    const ModelEvent *lost = triggers_lost(triggers);
    if (failed && lost)
        return failure_of_lost_event(run, lost, mode->from);
    if (failed)
        return switch_ends_steps(run, &result) ? result : RESULT_FAILED;
    if (singular_passes(run, &result))
        return result;
    while (mode->t >= run->switches->next.before) {
        result = process_time_switch(run);
        if (result != RESULT_CONTINUE)
            return result;
    }
    result = pass_switches(run);
    if (result != RESULT_CONTINUE)
        return result;
    bool timed = triggers_take_timed(triggers, mode->t), ends = find_at_end(run, &found);
    bool last = mode->t >= run->sim->settings.to;
    if (triggers && (timed || last || (ends && found.what != DETECTED_SWITCH)))
        triggers_take_end(triggers);
    if (ends)
        return process(run, &found);
    // The last row shows what they have set.
    if (last && triggers && triggers_are_due(triggers))
        triggers->timed = true;
    return triggers && triggers->timed ? process_timed(run) : record_rows(run, INFINITY);
}

RunResult events_process(SimulationRun *run)
{
    if (run->uneventful)
        return record_rows(run, INFINITY);
    RunResult result = process_step(run);
    return result == RESULT_CONTINUE ? actions_perform(run) : result;
}

// ---- The start.

// After a jump of the velocities there, from the state as it was given, without reactions of
// contacts.
RunResult events_resume(SimulationRun *run)
{
    RunResult result = contacts_begin(run);
    DetectedEvent start = {.t = run->sim->settings.from, .index = SIZE_MAX, .what = DETECTED_START};
    if (result == RESULT_CONTINUE && run->sim->contacts->told->shock)
        result = contacts_process(run, &start);
    if (result == RESULT_CONTINUE && !mode_evaluate(run->mode, run->mode->t))
        return RESULT_FAILED;
    switches_look(run->switches, run->mode->state, NULL);
    return result;
}

RunResult events_begin(SimulationRun *run)
{
    RunResult result = contacts_begin(run);
    if (result != RESULT_CONTINUE)
        return result;
    if (run->detector->triggers)
        triggers_start(run->detector->triggers, run->mode);
    if (run->detector->triggers && run->sim->settings.from == 0)
        triggers_tell_undefined(run->detector->triggers, run->mode, run->diag);
    if (run->sim->contacts->told->shock) {
        result = process(run, &(DetectedEvent){.t = run->sim->settings.from,
                                               .index = SIZE_MAX,
                                               .what = DETECTED_START});
        return result == RESULT_CONTINUE ? actions_perform(run) : result;
    }
    switches_look(run->switches, run->mode->state, NULL);
    if (triggers_take_timed(run->detector->triggers, run->mode->t))
        result = process_timed(run);
    return result == RESULT_CONTINUE ? actions_perform(run) : result;
}

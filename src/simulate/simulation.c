// simulation.c: a run: the motion from its start to its end.
//
//     begin   the contacts and impulses at t = 0 give the first contact mode
//     step    one step of its integrator, not beyond an event whose time is known
//     events  the first event in the step ends it: an impact, a contact, a release, an impulse, a
//             switch; the motion continues with other velocities, or in another mode
//     rows    at the times asked for, by dense output
//     review  other independent speeds, other rates, compiled programs where these are better
//
// Timestepping takes steps of fixed length instead, and searches for no events.
#include "base/diag.h"
#include "dynamics/compilation.h"
#include "dynamics/stop_request.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "ode/ode.h"
#include "simulate/careful_steps_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/energy_balance_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_states_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/sensitivity/sensitivity_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/singular_positions_impl.h"
#include "simulate/step_error_impl.h"
#include "simulate/switch_events_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/timestepping_impl.h"
#include "simulate/watch_impl.h"

#include <assert.h>
#include <math.h>

// ---- One step and what follows from it.

// One accepted step. RESULT_CONTINUE without a step where the run continues in another way.
static RunResult step(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    double until = real_min(real_min(run->sim->settings.to, run->pace.until), events_next(run));
    RunResult result;
    assert(until >= mode->t);
    events_tell_speeds(run);
    bool input;
    OdeOutcome outcome = careful_step(run, until, &input);
    if (input)
        return failure_of_input(run);
    if (outcome == ODE_FAILED)
        return RESULT_BROKEN;
    // A series ends before a pole; roundings can lead other methods past it.
    bool passes = outcome == ODE_STEPPED && run->sim->settings.method != RUN_TAYLOR &&
                  narrow_passes_pole(run->switches->narrow, mode);
    if (passes)
        outcome = mode_go_back(mode) ? ODE_STEP_UNDERFLOW : ODE_NO_RATE;
    if (outcome != ODE_STEPPED && run->sim->stop->stopped)
        return RESULT_STOPPED;
    if (outcome != ODE_STEPPED && singular_fails(run, false, &result))
        return result;
    if (outcome != ODE_STEPPED && switch_ends_steps(run, &result))
        return result;
    // The rates in one program may have no value where the motion has one.
    if (outcome != ODE_STEPPED && mode_continue_otherwise(mode))
        return step(run);
    if (outcome != ODE_STEPPED && modules_event(run, false, &result))
        return result;
    if (outcome != ODE_STEPPED && singular_fails(run, true, &result))
        return result;
    if (outcome != ODE_STEPPED) {
        run->outcome = outcome;
        return RESULT_FAILED;
    }
    watch_step(run->watch);
    run->summary->reached = run->sim->stop->t = real_min(mode->t, run->sim->settings.to);
    return RESULT_CONTINUE;
}

// After a step without an event that begins another one.
static RunResult review(SimulationRun *run, size_t steps)
{
    if (!mode_review(run->mode))
        return RESULT_FAILED;
    mode_consider(run->mode, steps);
    return record_progress(run, run->mode->t) ? RESULT_CONTINUE : RESULT_STOPPED;
}

// ---- From the start to the end.

// Whether the run hardly moves: very many steps in one mode that cover a small part of the time
// from a row to the next lead nowhere, for the motion changes so fast that its rounding errors
// cannot meet the tolerance. In a pulse it is a part of what of it is one smooth curve.
static bool is_stalled(const SimulationRun *run, const ContactMode *former, double former_t)
{
    const RunOptions *settings = &run->sim->settings;
    const ContactMode *mode = run->mode;
    double until = fmin(mode->t + fmin(settings->every, settings->to), settings->to);
    // Steps end at samples, however short the motion makes them.
    until = fmin(until, fmax(triggers_next_time(run->detector->triggers), mode->t));
    double smooth = switches_step_end(run->switches, mode, fmax(until, mode->t)) - mode->t;
    return mode == former && mode->t - former_t < TOL_COARSE * smooth;
}

// Whether ever more steps lead to a time before the end and never beyond: twice as many cover less
// and less, as waves that follow each other ever faster make them, sin(1/(t - 1)). Waves whose
// frequency rises, but not beyond all numbers, cover as much at least.
static bool steps_accumulate(StepDoublings *doublings, double t, double end)
{
    doublings->looks++;
    if ((doublings->looks & (doublings->looks - 1)) != 0)
        return false;
    double covered = t - doublings->t, part = covered / doublings->covered;
    bool falls = doublings->looks > 2 && part < STEPS_FALL;
    doublings->falling = falls ? doublings->falling + 1 : 0;
    doublings->covered = covered;
    doublings->t = t;
    // What is left is as a geometric series.
    return doublings->falling >= LIMIT_PATIENCE && t + covered * part / (1 - part) < end;
}

// After every so many steps: a run that does not come forward ends.
static RunResult look_at_pace(SimulationRun *run)
{
    StepPace *pace = &run->pace;
    const ContactMode *mode = run->mode;
    double end = run->sim->settings.to;
    RunResult result = RESULT_CONTINUE;
    if (mode != pace->former)
        pace->doublings = (StepDoublings){.t = mode->t};
    if (is_stalled(run, pace->former, pace->former_t) && !mode_relax(run->mode)) {
        run->outcome = ODE_STALLED;
        result = RESULT_FAILED;
    } else if (mode == pace->former && steps_accumulate(&pace->doublings, mode->t, end)) {
        bool input = switches_stop_steps(run->switches, mode);
        run->outcome = ODE_STALLED;
        result = input ? failure_of_input(run) : RESULT_FAILED;
    }
    pace->former = mode;
    pace->former_t = mode->t;
    return result;
}

RunResult pass_begin(SimulationRun *run)
{
    const RunOptions *settings = &run->sim->settings;
    while (settings->from > 0 && run_options_row_time(settings, run->rows.next) <= settings->from)
        run->rows.next++;
    if (settings->method == RUN_TIMESTEPPING)
        return timestepping_begin(run);
    sensitivity_begin(run);
    RunResult result = events_begin(run);
    if (result == RESULT_CONTINUE)
        switches_measure_unit(run->switches, run->mode);
    run->uneventful = events_are_none(run);
    if (result == RESULT_CONTINUE)
        result = record_rows(run, INFINITY);
    run->pace.former = run->mode;
    run->pace.former_t = run->pace.doublings.t = settings->from;
    return result;
}

RunResult pass_step(SimulationRun *run)
{
    StepPace *pace = &run->pace;
    pace->steps++;
    if (run->sim->settings.method == RUN_TIMESTEPPING)
        return timestepping_step(run);
    RunResult result = step(run);
    // The first event in the step, and the rows up to there.
    if (result == RESULT_CONTINUE && run->mode->stepped &&
        (run->uneventful || !modules_event(run, true, &result)))
        result = events_process(run);
    // After an event the mode begins anew.
    if (result == RESULT_CONTINUE && run->mode->stepped)
        result = review(run, pace->steps);
    if (result != RESULT_CONTINUE || pace->steps % LIMIT_EVENTS != 0)
        return result;
    return look_at_pace(run);
}

static RunResult follow_motion(SimulationRun *run)
{
    RunResult result = pass_begin(run);
    while (result == RESULT_CONTINUE)
        result = pass_step(run);
    return result;
}

// Another method that would need fewer steps.
static void advise(const SimulationRun *run)
{
    RunMethod method = run->sim->settings.method;
    if (!run->mode || !run->mode->integrator)
        return;
    OdeStatistics made = ode_integrator_statistics(run->mode->integrator);
    if (made.stiff && method != RUN_BDF)
        diag_add(run->diag, DIAG_WARNING, place_hint(HINT_METHOD),
                 "the motion is stiff: what decays within %.2g keeps the steps short, though "
                 "nothing changes as fast; the method 'bdf' may need far fewer steps",
                 1 / made.fastest_decay);
    // A few checks that find none are enough.
    if (method == RUN_BDF && !made.stiff && made.stiffness_checks > LIMIT_PATIENCE)
        diag_add(run->diag, DIAG_NOTE, place_hint(HINT_METHOD),
                 "no stiffness was found: the method 'taylor' needs fewer steps here");
}

static Status end_status(SimulationRun *run, RunResult result)
{
    RunSummary *summary = run->summary;
    // A stop breaks off whatever is evaluated at that moment.
    bool failed = result == RESULT_FAILED || result == RESULT_UNDECIDED;
    if (failed && run->sim->stop->stopped)
        result = RESULT_STOPPED;
    if (result == RESULT_FAILED)
        result = failure_of_mode(run);
    switch (result) {
    case RESULT_FINISHED: return STATUS_OK;
    case RESULT_STOPPED: summary->end = RUN_ASKED; return STATUS_NEGATIVE;
    case RESULT_UNDECIDED: summary->end = RUN_STRANDED; return STATUS_NEGATIVE;
    case RESULT_CONTINUE:
    case RESULT_FAILED: assert(!"the run is over"); break;
    case RESULT_BROKEN: break;
    }
    if (run->mode && run->mode->integrator)
        diag_error(run->diag, place_none(), "the integrator failed at t = %.10g: %s", run->mode->t,
                   ode_integrator_message(run->mode->integrator));
    return STATUS_FAILED;
}

Status pass_end(SimulationRun *run, RunResult result)
{
    Status status = end_status(run, result);
    advise(run);
    switches_add_counts(run->switches, run->summary);
    return status;
}

void pass_open(SimulationRun *run, ContactModes *modes, StopRequest *stop)
{
    Simulation *sim = run->sim;
    assert(sim && run->diag);
    if (sim->origin && !sim->triggers)
        states_restore(sim, run->diag);
    run->energy = NAN;
    run->outcome = ODE_NO_RATE;
    run->pace.until = INFINITY;
    *run->summary = (RunSummary){.end = RUN_WHOLE, .step_error = NAN};
    run->modes = modes;
    *modes = (ContactModes){.sim = sim, .diag = run->diag, .summary = run->summary};
    *stop = (StopRequest){.progress = run->listener->progress, .context = run->listener->context};
    sim->stop = stop;
    compilation_wait(sim->stop);
    modules_begin(run);
    events_init(run);
    run->singular = singular_new(run->arena, sim);
    run->watch = watch_new(run->arena, sim, run->summary);
    run->balance = balance_new(run->arena, sim, run->summary);
}

void pass_close(SimulationRun *run)
{
    run->sim->told = NULL;
    modules_end(run);
    modes_clear(run->modes);
    watch_clear(run->watch);
    balance_clear(run->balance);
    singular_clear(run->singular);
    events_clear(run);
    run->sim->stop = NULL;
    compilation_wait(NULL);
}

Status run_pass(Simulation *sim, const RunListener *listener, Diag *diag, RunSummary *summary)
{
    RunListener nobody = {0};
    RunSummary unread = {0};
    SimulationRun run = {.sim = sim,
                         .listener = listener ? listener : &nobody,
                         .summary = summary ? summary : &unread,
                         .diag = diag};
    pass_open(&run, &(ContactModes){0}, &(StopRequest){0});
    Status status = pass_end(&run, follow_motion(&run));
    pass_close(&run);
    return status;
}

Status run_go(Simulation *sim, const RunListener *listener, Diag *diag, RunSummary *summary)
{
    bool compares = step_error_compares(sim);
    return (compares ? step_error_go : run_pass)(sim, listener, diag, summary);
}

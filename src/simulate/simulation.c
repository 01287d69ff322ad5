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
#include "program/native.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/journey_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_module_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>

// So many steps that cover less than this part of the time from a row to the next lead nowhere: the
// motion changes so fast that its rounding errors cannot meet the tolerance.
#define STALL_STEPS 5000
#define STALL_PART  1e-3
// Where so many checks find no stiffness there is none.
#define MANY_STIFFNESS_CHECKS 5

// ---- One step and what follows from it.

// One accepted step. RESULT_CONTINUE without a step where the run continues in another way.
static RunResult step(Journey *journey)
{
    ContactMode *mode = journey->mode;
    double until = fmin(journey->run->settings.to, events_next(journey));
    RunResult result;
    OdeOutcome outcome = mode_step(mode, until);
    if (outcome == ODE_FAILED)
        return RESULT_BROKEN;
    if (outcome != ODE_STEPPED && journey->stop.stopped)
        return RESULT_STOPPED;
    // The rates in one program may have no value where the motion has one.
    if (outcome != ODE_STEPPED && mode_continue_by_solves(mode))
        return step(journey);
    if (outcome != ODE_STEPPED && modules_no_step(journey, &result))
        return result;
    if (outcome != ODE_STEPPED) {
        journey->outcome = outcome;
        return RESULT_FAILED;
    }
    journey->summary->reached = journey->stop.t = mode->t;
    return RESULT_CONTINUE;
}

// The first event in the last step, and the rows up to there.
static RunResult process_events(Journey *journey)
{
    RunResult result;
    return modules_event(journey, &result) ? result : events_process(journey);
}

// After a step without an event that begins another one.
static RunResult review(Journey *journey, size_t steps)
{
    ContactMode *mode = journey->mode;
    if (!mode_review(mode))
        return RESULT_FAILED;
    mode_check_stiffness(mode, steps);
    if (!record_progress(journey, mode->t))
        return RESULT_STOPPED;
    mode_consider_compiling(mode, steps);
    return RESULT_CONTINUE;
}

// ---- From the start to the end.

// Whether the run hardly moves; looked at every STALL_STEPS steps.
typedef struct {
    const ContactMode *mode;
    double t; // when last looked at
} Stall;

static bool is_stalled(Journey *journey, Stall *stall)
{
    const RunOptions *settings = &journey->run->settings;
    const ContactMode *mode = journey->mode;
    double least = STALL_PART * fmin(settings->every, settings->to);
    bool stalled = mode->t - stall->t < least && mode == stall->mode;
    *stall = (Stall){mode, mode->t};
    return stalled;
}

static RunResult follow_motion(Journey *journey)
{
    RunResult result = events_begin(journey);
    if (result == RESULT_CONTINUE)
        result = record_rows(journey, false);
    Stall stall = {.mode = journey->mode};
    for (size_t steps = 1; result == RESULT_CONTINUE; steps++) {
        result = step(journey);
        if (result == RESULT_CONTINUE && journey->mode->stepped)
            result = process_events(journey);
        // After an event the mode begins anew.
        if (result == RESULT_CONTINUE && journey->mode->stepped)
            result = review(journey, steps);
        if (result == RESULT_CONTINUE && steps % STALL_STEPS == 0 && is_stalled(journey, &stall)) {
            journey->outcome = ODE_STALLED;
            result = RESULT_FAILED;
        }
    }
    return result;
}

// Another method that would need fewer steps.
static void advise(const Journey *journey)
{
    RunMethod method = journey->run->settings.method;
    if (!journey->mode || !journey->mode->integrator)
        return;
    OdeStatistics made = ode_integrator_statistics(journey->mode->integrator);
    if (made.stiff && method != RUN_BDF)
        diag_add(journey->diag, DIAG_WARNING, place_hint(HINT_METHOD),
                 "the motion is stiff: what decays within %.2g keeps the steps short, though "
                 "nothing changes as fast; the method 'bdf' may need far fewer steps",
                 1 / made.fastest_decay);
    if (method == RUN_BDF && !made.stiff && made.stiffness_checks >= MANY_STIFFNESS_CHECKS)
        diag_add(journey->diag, DIAG_NOTE, place_hint(HINT_METHOD),
                 "no stiffness was found: the method 'taylor' needs fewer steps here");
}

static Status end_status(Journey *journey, RunResult result)
{
    RunSummary *summary = journey->summary;
    // A stop breaks off whatever is evaluated at that moment.
    bool failed = result == RESULT_FAILED || result == RESULT_UNDECIDED;
    if (failed && journey->stop.stopped)
        result = RESULT_STOPPED;
    if (result == RESULT_FAILED)
        result = failure_of_mode(journey);
    switch (result) {
    case RESULT_FINISHED: return STATUS_OK;
    case RESULT_STOPPED: summary->end = RUN_ASKED; return STATUS_NEGATIVE;
    case RESULT_UNDECIDED: summary->end = RUN_STRANDED; return STATUS_NEGATIVE;
    case RESULT_CONTINUE:
    case RESULT_FAILED: assert(!"the run is over"); break;
    case RESULT_BROKEN: break;
    }
    if (journey->mode && journey->mode->integrator)
        diag_error(journey->diag, place_none(), "the integrator failed at t = %.10g: %s",
                   journey->mode->t, ode_integrator_message(journey->mode->integrator));
    return STATUS_FAILED;
}

static Status go(Journey *journey)
{
    Run *run = journey->run;
    bool timestepping = run->settings.method == RUN_TIMESTEPPING;
    if (run->audit)
        invariants_begin(&run->audit->invariants, !timestepping);
    events_init(journey);
    RunResult result = timestepping ? timestepping_run(journey) : follow_motion(journey);
    return end_status(journey, result);
}

Status run_go(Run *run, const RunListener *listener, Diag *diag, RunSummary *summary)
{
    RunListener nobody = {0};
    RunSummary unread = {0};
    Journey journey = {.run = run,
                       .listener = listener ? listener : &nobody,
                       .summary = summary ? summary : &unread,
                       .diag = diag,
                       .outcome = ODE_NO_RATE};
    assert(run && diag);
    *journey.summary = (RunSummary){.end = RUN_WHOLE};
    journey.modes = (ContactModes){.run = run, .diag = diag, .summary = journey.summary};
    journey.stop =
        (StopRequest){.progress = journey.listener->progress, .context = journey.listener->context};
    run->stop = &journey.stop;
    program_native_wait(stop_not_requested, run->stop);
    modules_begin(&journey);
    Status status = go(&journey);
    advise(&journey);
    run->told = NULL;
    modules_end(&journey);
    modes_clear(&journey.modes);
    events_clear(&journey);
    run->stop = NULL;
    program_native_wait(NULL, NULL);
    return status;
}

// simulation.c: from the start to the end: steps, rows, events, and where a run strands.
#include "program/native.h"
#include "simulate/failure_impl.h"
#include "simulate/journey_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/timestepping_impl.h"

#include <math.h>

// Up to so many parts of the state the spectrum is looked at in any case.
#define MOST_SPECTRUM 128
// After so many looks for stiffness, none seen, there is none.
#define MANY_LOOKS 5

static void look_for_stiffness(ContactMode *mode, size_t steps)
{
    size_t count = mode->eq->n + mode->eq->k;
    const Equations *eq = mode->eq;
    bool few =
        strategy_sparse_jacobian(&mode->strategy) || (eq->sparse_velocities && eq->sparse_forces);
    // A large spectrum costs far more than steps with few entries do.
    if (few && count > MOST_SPECTRUM)
        return;
    ode_integrator_check_stiffness(mode->integrator, steps, mode->t, mode->y);
}

// What to do better next time.
static void advise(const Journey *journey)
{
    RunMethod method = journey->run->settings.method;
    if (!journey->mode)
        return;
    OdeStatistics made = ode_integrator_statistics(journey->mode->integrator);
    if (made.stiff && method != RUN_BDF)
        diag_add(journey->diag, DIAG_WARNING, place_none(),
                 "the motion is stiff: what dies away within %.2g keeps the steps short, though "
                 "nothing changes as fast; '--method bdf' may need far fewer",
                 1 / made.fastest_decay);
    if (method == RUN_BDF && !made.stiff && made.stiffness_checks >= MANY_LOOKS)
        diag_add(journey->diag, DIAG_NOTE, place_none(),
                 "nothing stiff was seen: '--method taylor' needs fewer steps here");
}

// So many steps that cover less than this part of the way from a row to the next lead nowhere: a
// runaway whose rounding errors no tolerance can meet.
#define STALL_STEPS 5000
#define STALL_PART  1e-3

// How far a step may go: not beyond an event that is known before.
static double step_end(const Journey *journey)
{
    return fmin(journey->run->settings.to, events_next(journey));
}

static RunResult travel(Journey *journey, OdeOutcome *outcome)
{
    const RunOptions *settings = &journey->run->settings;
    double mark = 0, way = fmin(settings->every, settings->to);
    *outcome = ODE_NO_RATE;
    RunResult result = events_begin(journey);
    if (result == RESULT_CONTINUE)
        result = record_rows(journey, false);
    const ContactMode *former = journey->mode;
    for (size_t steps = 1; result == RESULT_CONTINUE; steps++) {
        ContactMode *mode = journey->mode;
        *outcome = mode_step(mode, step_end(journey));
        if (*outcome == ODE_FAILED)
            return RESULT_BROKEN;
        if (*outcome != ODE_STEPPED && journey->stop.stopped)
            return RESULT_STOPPED;
        // What one program cannot pass, the motion itself may.
        if (*outcome != ODE_STEPPED && strategy_give_up(&mode->strategy) &&
            ode_integrator_start(mode->integrator, mode->t, mode->y, 0))
            continue;
        if (*outcome != ODE_STEPPED && branches_continue(journey, &result)) {
            *outcome = ODE_NO_RATE;
            continue;
        }
        if (*outcome != ODE_STEPPED)
            return RESULT_FAILED;
        journey->summary->reached = journey->stop.t = mode->t;
        *outcome = ODE_NO_RATE;
        result = events_process(journey);
        // After an event the leg has just set out.
        if (result != RESULT_CONTINUE || !journey->mode->stepped)
            continue;
        if (!mode_review(mode))
            return RESULT_FAILED;
        look_for_stiffness(mode, steps);
        if (!record_progress(journey, mode->t))
            return RESULT_STOPPED;
        compilation_consider(&mode->run->compilation, mode->state->evaluations, steps, mode->t);
        strategy_consider_compiling(&mode->strategy, mode->t);
        if (steps % STALL_STEPS == 0) {
            *outcome = ODE_STALLED;
            if (mode->t - mark < STALL_PART * way && mode == former)
                return RESULT_FAILED;
            mark = mode->t;
            former = mode;
        }
    }
    return result;
}

static Status strand(Journey *journey, OdeOutcome outcome)
{
    Text reason = {0};
    ContactMode *mode = journey->mode;
    RunSummary *summary = journey->summary;
    // However short the step, it would pass over a place where a condition vanishes.
    if (mode->eq->nonlinear && mode_is_singular(mode))
        outcome = ODE_NO_RATE;
    if (outcome == ODE_NO_RATE)
        failure_add_reason(mode->eq, mode->state, mode->why, &reason);
    else
        text_add(&reason, failure_why_short(mode->eq, mode->state, outcome));
    if (outcome != ODE_NO_RATE && mode_evaluate(mode, mode->t))
        failure_add_runaway(mode->eq, mode->state, &reason);
    diag_error(journey->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. %zu row%s up to there %s given",
               mode->t, reason.at, summary->rows, summary->rows == 1 ? "" : "s",
               summary->rows == 1 ? "is" : "are");
    text_clear(&reason);
    summary->end = RUN_STRANDED;
    return STATUS_NEGATIVE;
}

// ---- The whole way.

static Status go(Journey *journey)
{
    OdeOutcome outcome = ODE_NO_RATE;
    RunResult result = travel(journey, &outcome);
    // Whatever was broken off.
    if (journey->stop.stopped && (result == RESULT_FAILED || result == RESULT_UNDECIDED))
        result = RESULT_STOPPED;
    switch (result) {
    case RESULT_FINISHED: return STATUS_OK;
    case RESULT_CONTINUE:
    case RESULT_STOPPED: journey->summary->end = RUN_ASKED; return STATUS_NEGATIVE;
    case RESULT_FAILED: return strand(journey, outcome);
    case RESULT_UNDECIDED: journey->summary->end = RUN_STRANDED; return STATUS_NEGATIVE;
    case RESULT_BROKEN: break;
    }
    if (journey->mode)
        diag_error(journey->diag, place_none(), "the integrator failed at t = %.10g: %s",
                   journey->mode->t, ode_integrator_message(journey->mode->integrator));
    return STATUS_FAILED;
}

static Status leave(Run *run, Status status)
{
    run->stop = run->compilation.options.stop = NULL;
    program_native_wait(NULL, NULL);
    return status;
}

Status run_go(Run *run, const RunListener *listener, Diag *diag, RunSummary *summary)
{
    RunListener deaf = {0};
    RunSummary unread = {0};
    Journey journey = {.run = run,
                       .listener = listener ? listener : &deaf,
                       .summary = summary ? summary : &unread,
                       .diag = diag,
                       .modes = {.run = run, .diag = diag}};
    *journey.summary = (RunSummary){.end = RUN_WHOLE};
    journey.stop.progress = journey.listener->progress;
    journey.stop.context = journey.listener->context;
    run->stop = &journey.stop;
    program_native_wait(stop_not_requested, run->stop);
    if (run->settings.method == RUN_TIMESTEPPING)
        return leave(run, timestepping_go(run, journey.listener, diag, journey.summary));
    if (run->audit)
        invariants_begin(&run->audit->invariants, true);
    branch_monitor_init(&journey.branches, run);
    Status status = events_init(&journey);
    if (status == STATUS_OK)
        status = go(&journey);
    advise(&journey);
    modes_count(&journey.modes, journey.summary);
    modes_clear(&journey.modes);
    run->told = NULL;
    events_clear(&journey);
    branch_monitor_clear(&journey.branches);
    return leave(run, status);
}

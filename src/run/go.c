// go.c: from the start to the end: steps, rows, events, and where a run strands.
#include "run/journey_impl.h"

#include <math.h>

// Up to so many parts of the state the spectrum is looked at in any case.
#define MOST_SPECTRUM 128
// After so many looks for stiffness, none seen, there is none.
#define MANY_LOOKS 5

static void look_for_stiffness(Leg *leg, size_t steps)
{
    size_t count = leg->numbers->n + leg->numbers->k;
    const Numbers *numbers = leg->numbers;
    bool few =
        course_newton(&leg->course) || (numbers->few_in_velocities && numbers->few_in_forces);
    // A large spectrum costs far more than steps with few entries do.
    if (few && count > MOST_SPECTRUM)
        return;
    ode_integrator_check_stiffness(leg->integrator, steps, leg->t, leg->y);
}

// What to do better next time.
static void advise(const Journey *journey)
{
    RunMethod method = journey->run->settings.method;
    if (!journey->leg)
        return;
    OdeStatistics made = ode_integrator_statistics(journey->leg->integrator);
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

static Arrival travel(Journey *journey, OdeOutcome *outcome)
{
    const RunOptions *settings = &journey->run->settings;
    double mark = 0, way = fmin(settings->every, settings->to);
    *outcome = ODE_NO_RATE;
    Arrival arrival = events_begin(journey);
    if (arrival == ON_THE_WAY)
        arrival = tell_rows(journey, false);
    const Leg *former = journey->leg;
    for (size_t steps = 1; arrival == ON_THE_WAY; steps++) {
        Leg *leg = journey->leg;
        *outcome = leg_step(leg, step_end(journey));
        if (*outcome == ODE_FAILED)
            return BROKEN;
        if (*outcome != ODE_STEPPED && journey->asker.stopped)
            return ENOUGH;
        // What one program cannot pass, the motion itself may.
        if (*outcome != ODE_STEPPED && course_give_up(&leg->course) &&
            ode_integrator_start(leg->integrator, leg->t, leg->y, 0))
            continue;
        if (*outcome != ODE_STEPPED && branches_go_on(journey, &arrival)) {
            *outcome = ODE_NO_RATE;
            continue;
        }
        if (*outcome != ODE_STEPPED)
            return STRANDED;
        journey->summary->reached = journey->asker.t = leg->t;
        *outcome = ODE_NO_RATE;
        arrival = events_meet(journey);
        // After an event the leg has just set out.
        if (arrival != ON_THE_WAY || !journey->leg->stepped)
            continue;
        if (!leg_look_around(leg))
            return STRANDED;
        look_for_stiffness(leg, steps);
        if (!tell_progress(journey, leg->t))
            return ENOUGH;
        engine_consider(leg->run, steps, leg->t, journey->diag);
        course_consider(&leg->course, leg->t);
        if (steps % STALL_STEPS == 0) {
            *outcome = ODE_STALLED;
            if (leg->t - mark < STALL_PART * way && leg == former)
                return STRANDED;
            mark = leg->t;
            former = leg;
        }
    }
    return arrival;
}

static Status strand(Journey *journey, OdeOutcome outcome)
{
    Text reason = {0};
    Leg *leg = journey->leg;
    RunSummary *summary = journey->summary;
    // However short the step, it would pass over a place where a condition vanishes.
    if (leg->numbers->curved && leg_vanishes(leg))
        outcome = ODE_NO_RATE;
    if (outcome == ODE_NO_RATE)
        strand_add_reason(leg->numbers, leg->why, &reason);
    else
        text_add(&reason, strand_why_short(leg->numbers, outcome));
    if (outcome != ODE_NO_RATE && leg_evaluate(leg, leg->t))
        strand_add_runaway(leg->numbers, &reason);
    diag_error(journey->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. %zu row%s up to there %s given",
               leg->t, reason.at, summary->rows, summary->rows == 1 ? "" : "s",
               summary->rows == 1 ? "is" : "are");
    text_clear(&reason);
    summary->end = RUN_STRANDED;
    return STATUS_NEGATIVE;
}

// ---- The whole way.

static Status go(Journey *journey)
{
    OdeOutcome outcome = ODE_NO_RATE;
    Arrival arrival = travel(journey, &outcome);
    // Whatever was broken off.
    if (journey->asker.stopped && (arrival == STRANDED || arrival == UNDECIDED))
        arrival = ENOUGH;
    switch (arrival) {
    case ARRIVED: return STATUS_OK;
    case ON_THE_WAY:
    case ENOUGH: journey->summary->end = RUN_ASKED; return STATUS_NEGATIVE;
    case STRANDED: return strand(journey, outcome);
    case UNDECIDED: journey->summary->end = RUN_STRANDED; return STATUS_NEGATIVE;
    case BROKEN: break;
    }
    if (journey->leg)
        diag_error(journey->diag, place_none(), "the integrator failed at t = %.10g: %s",
                   journey->leg->t, ode_integrator_message(journey->leg->integrator));
    return STATUS_FAILED;
}

static Status leave(Run *run, Status status)
{
    run->asker = NULL;
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
                       .legs = {.run = run, .diag = diag}};
    *journey.summary = (RunSummary){.end = RUN_WHOLE};
    journey.asker.listener = journey.listener;
    run->asker = &journey.asker;
    program_native_wait(asker_goes_on, run->asker);
    if (run->settings.method == RUN_TIMESTEPPING)
        return leave(run, timestepping_go(run, journey.listener, diag, journey.summary));
    if (run->audit)
        ledger_begin(&run->audit->ledger, true);
    branch_watch_init(&journey.branches, run);
    Status status = events_init(&journey);
    if (status == STATUS_OK)
        status = go(&journey);
    advise(&journey);
    legs_count(&journey.legs, journey.summary);
    legs_clear(&journey.legs);
    run->told = NULL;
    events_clear(&journey);
    branch_watch_clear(&journey.branches);
    return leave(run, status);
}

// careful_steps.c: a step that passes over nothing.
#include "linalg/tolerances.h"
#include "simulate/careful_steps_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/run_options.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/singular_positions_impl.h"
#include "simulate/switch_events_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>

// As far as nothing is narrow in it, and no singular position lies in it.
static OdeOutcome clear_step(SimulationRun *run, double last)
{
    ContactMode *mode = run->mode;
    NarrowFunctions *narrow = run->switches->narrow;
    bool series = mode->settings->method == RUN_TAYLOR;
    double end;
    OdeOutcome outcome = singular_step(run->singular, mode, last);
    while (outcome == ODE_STEPPED && ((end = narrow_step_end(narrow, mode, series)) < mode->t ||
                                      singular_lies_ahead(run->singular, mode)))
        outcome =
            mode_go_back(mode) ? singular_step(run->singular, mode, fmin(end, last)) : ODE_NO_RATE;
    return outcome;
}

OdeOutcome careful_step(SimulationRun *run, double until, bool *input)
{
    ContactMode *mode = run->mode;
    NarrowFunctions *narrow = run->switches->narrow;
    assert(until >= mode->t);
    double last = switches_step_end(run->switches, mode, until);
    *input = last == mode->t && until > last;
    if (*input)
        return ODE_NO_RATE;
    mode->inside.narrow = narrow;
    mode->inside.watched = true;
    narrow_begin_step(narrow, mode->y);
    OdeOutcome outcome = clear_step(run, last);
    double end = last;
    for (size_t tries = 0; outcome == ODE_STEPPED && tries < LIMIT_PATIENCE &&
                           !singular_is_seen(run->singular) && mode_passes_poor_speeds(mode);
         tries++) {
        outcome = mode_retake_step(mode, &end) ? ODE_STEPPED : ODE_NO_RATE;
        events_tell_speeds(run);
        if (outcome == ODE_STEPPED)
            outcome = clear_step(run, fmin(end, last));
    }
    bool stepped = outcome == ODE_STEPPED;
    *input = outcome == ODE_STEP_UNDERFLOW && switches_stop_steps(run->switches, mode);
    return stepped && singular_is_met(run) ? ODE_NO_RATE : outcome;
}

RunResult timestepping_step_end(SimulationRun *run, double until, double *end)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    assert(until > mode->t);
    while (mode->t >= switches->next.before) {
        switches_advance(switches);
        mode->t = fmax(mode->t, switches->last.after);
    }
    *end = mode->t;
    if (mode->t >= until)
        return RESULT_CONTINUE;
    *end = switches_step_end(switches, mode, fmin(until, switches->next.before));
    if (*end > mode->t)
        return RESULT_CONTINUE;
    step_error_give_up(run->sim->step_error);
    return failure_of_input(run);
}

RunResult timestepping_look(SimulationRun *run, const double *q, double from, double h)
{
    ContactMode *mode = run->mode;
    double t = mode->t;
    assert(h > 0);
    // No way is left in a step of a few last digits.
    if (from + h <= from)
        return RESULT_CONTINUE;
    mode->from = from;
    mode->t = from + h;
    double found = narrow_on_way(run->switches->narrow, mode, q);
    mode->t = t;
    return isinf(found) ? RESULT_CONTINUE : failure_of_place(run, found);
}

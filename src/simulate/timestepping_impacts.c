// timestepping_impacts.c: steps of fixed length that are divided where something strikes.
//
// A step makes its impacts in its middle, early or late by a part of its length, and with the
// velocities of its beginning. How far that leads a motion astray shows beside one whose steps are
// as long, but end just before an impact; a short one takes it. Its errors are of second order
// where impacts stand apart. Only what step_error.c compares with is made so.
#include "dynamics/equations_types.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/timestepping_impl.h"

#include <math.h>
#include <string.h>

// From the mode's time and state.
typedef struct {
    SimulationRun *run;
    size_t n;
    double *q, *v; // at the beginning
    double *at;    // coordinates of a place on the way
} DividedStep;

static const double *place(DividedStep *step, const double *q, const double *v, double h)
{
    for (size_t j = 0; j < step->n; j++)
        step->at[j] = q[j] + h * v[j];
    return step->at;
}

// Whether something may be reached, by the velocities of the beginning and, behind the middle, by
// the accelerations of the last step.
static bool may_strike(DividedStep *step, double end)
{
    SimulationRun *run = step->run;
    double t = run->mode->t, h = end - t;
    const double *a = run->mode->state->a;
    if (timestepping_strikes(run, t + h / 2, place(step, step->q, step->v, h / 2), step->v))
        return true;
    place(step, step->q, step->v, h);
    return timestepping_strikes(run, end, place(step, step->at, a, h * h / 2), step->v);
}

// Whether something is struck in the middle of a step, or reached at its end.
static bool strikes(DividedStep *step, double end)
{
    SimulationRun *run = step->run;
    const ContactEvent *event = run->event;
    State *state = run->mode->state;
    double t = run->mode->t, h = end - t;
    if (!timestepping_try(run, t + h / 2, place(step, step->q, step->v, h / 2), step->v, h,
                          LIMIT_STEPS))
        return true;
    for (size_t k = 0; k < event->at.count; k++)
        if (!event->at.at[k].acted && event->at.at[k].before > 0)
            return true;
    timestepping_set_state(run, end, place(step, event->q, event->after, h / 2), event->after);
    return !timestepping_project(run) || timestepping_strikes(run, end, state->q, state->v);
}

// Just before the first impact, or where that is at hand, just behind it.
static double divided_end(DividedStep *step, double end, double near)
{
    double t = step->run->mode->t, low = t, high = end;
    while (high - low > near) {
        double middle = low + (high - low) / 2;
        *(strikes(step, middle) ? &high : &low) = middle;
    }
    return low > t + near ? low : fmin(t + 4 * near, end);
}

double timestepping_impact_end(SimulationRun *run, double end)
{
    const State *state = run->mode->state;
    StepError *error = run->sim->step_error;
    size_t n = run->mode->eq->n, bytes = n * sizeof(double);
    double t = run->mode->t, near = fmax(TOL_SMALL * run->sim->settings.step, TOL_STATE * t);
    if (!step_error_divides(error) || !(end - t > 4 * near))
        return end;
    DividedStep step = {.run = run, .n = n, .q = base_alloc(3 * bytes)};
    step.v = step.q + n;
    step.at = step.v + n;
    memcpy(step.q, state->q, bytes);
    memcpy(step.v, state->v, bytes);
    if (may_strike(&step, end) && strikes(&step, end)) {
        end = divided_end(&step, end, near);
        step_error_note_division(error);
    }
    timestepping_set_state(run, t, step.q, step.v);
    base_free(step.q);
    return end;
}

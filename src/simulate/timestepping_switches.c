// timestepping_switches.c: steps of fixed length end where a function of the state switches.
//
// The forces of a step are those of its middle. Where they jump inside it, which side the middle
// lies on is chance, and the velocities would be off by a jump times a part of the step. So a step
// is tried first. It is made so short that its middle lies on the side of its beginning; then, if
// its end does not, so short that the end lies just behind the switch. What follows begins on the
// other side: errors are of second order again.
#include "dynamics/equations_types.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/friction_events_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Whether steps end where it switches. They do not follow gaps; times are known beforehand.
static bool ends_step(const Switches *switches, size_t which)
{
    return !switches->of_time[which] && !switches->of_gaps[which];
}

// ---- Steps that are tried.

// From the mode's time.
typedef struct {
    SimulationRun *run;
    size_t n;
    double *q, *v; // at the beginning
} TrialStep;

void timestepping_set_state(SimulationRun *run, double t, const double *q, const double *v)
{
    State *state = run->mode->state;
    size_t bytes = run->mode->eq->n * sizeof *q;
    *state->t = t;
    memcpy(state->q, q, bytes);
    memcpy(state->v, v, bytes);
}

bool timestepping_try(SimulationRun *run, double t, const double *q, const double *v, double h,
                      size_t passes)
{
    ContactEvent *event = run->event;
    double change;
    event_begin(event, t, q, v);
    if (event->friction)
        friction_begin(event, SIZE_MAX);
    timestepping_find_reached(run);
    return timestepping_find_velocities(run, h, passes, &change) && change <= TOL_COARSE;
}

// The first function that is on the other side at the state than at the beginning of the step.
static size_t first_passed(const TrialStep *trial)
{
    Switches *switches = trial->run->switches;
    const double *values = switches_values(switches, trial->run->mode->state);
    for (size_t i = 0; i < switches->count; i++)
        if (ends_step(switches, i) && switches->signs[i] * values[i] < 0)
            return i;
    return SIZE_MAX;
}

// Tries a step. Whether its middle lies on the side of its beginning, and which function has
// switched at its end.
static bool try_step(TrialStep *trial, double end, size_t *which)
{
    SimulationRun *run = trial->run;
    ContactEvent *event = run->event;
    double t = run->mode->t, h = end - t, *mean = run->vector, *q = mean + trial->n;
    for (size_t j = 0; j < trial->n; j++)
        q[j] = trial->q[j] + h / 2 * trial->v[j];
    *which = SIZE_MAX;
    if (!timestepping_try(run, t + h / 2, q, trial->v, h, LIMIT_STEPS))
        return false;
    for (size_t j = 0; j < trial->n; j++) {
        mean[j] = (trial->v[j] + event->after[j]) / 2;
        q[j] = event->q[j] + h / 2 * event->after[j];
    }
    timestepping_set_state(run, event->t, event->q, mean);
    bool clear = first_passed(trial) == SIZE_MAX;
    timestepping_set_state(run, end, q, event->after);
    if (!timestepping_project(run))
        return false;
    *which = first_passed(trial);
    return clear;
}

// The end of the longest step whose middle lies on the side of its beginning, however near to each
// other functions switch. Where not even a step of the last digits is one, velocities jump by an
// impact: a short one takes it.
static double clear_end(TrialStep *trial, double end, size_t *which)
{
    double from = trial->run->mode->t, low = from, high = end, brief = end;
    size_t passed, first = SIZE_MAX;
    if (try_step(trial, end, which))
        return end;
    for (int i = 0; i < LIMIT_SETS || (low == from && i < LIMIT_STEPS); i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        bool clear = try_step(trial, middle, &passed);
        *(clear ? &low : &high) = middle;
        *which = clear || low == from ? passed : *which;
        if (i < LIMIT_SETS) {
            brief = high;
            first = *which;
        }
    }
    if (low == from)
        *which = first;
    return low > from ? low : brief;
}

double timestepping_switch_end(SimulationRun *run, double end, size_t *which)
{
    State *state = run->mode->state;
    size_t n = run->mode->eq->n, passed;
    double t = run->mode->t, low = t, middle;
    *which = SIZE_MAX;
    if (run->switches->count == 0 || end == t)
        return end;
    TrialStep trial = {.run = run, .n = n, .q = base_alloc(2 * n * sizeof *trial.q)};
    trial.v = trial.q + n;
    memcpy(trial.q, state->q, n * sizeof *trial.q);
    memcpy(trial.v, state->v, n * sizeof *trial.v);
    end = clear_end(&trial, end, which);
    while (*which != SIZE_MAX && (middle = low + (end - low) / 2) > low && middle < end) {
        try_step(&trial, middle, &passed);
        *(passed == SIZE_MAX ? &low : &end) = middle;
        *which = passed == SIZE_MAX ? *which : passed;
    }
    timestepping_set_state(run, t, trial.q, trial.v);
    base_free(trial.q);
    return end;
}

// ---- At a switch.

// Brings the velocities of the state to the new side of a function that holds them, where rounding
// has left them on the other one.
static void leave_behind(Switches *switches, State *state, size_t which)
{
    size_t n = switches->eq->n;
    const double *slopes = switches_slopes(switches, state, which), *by = slopes + 1 + n;
    double size = fabs(slopes[0] * *state->t), square = real_dot(by, by, n);
    for (size_t j = 0; j < n; j++)
        size += fabs(slopes[1 + j] * state->q[j]) + fabs(by[j] * state->v[j]);
    double side = switches->signs[which];
    double missing = TOL_ZERO * size - side * switches_values(switches, state)[which];
    if (square > 0 && missing > 0)
        real_add_times(side * missing / square, by, n, state->v);
}

// Whether forces lead back on both sides, and keep it there.
static bool turns_back(SimulationRun *run, size_t which)
{
    State *state = run->mode->state;
    const ContactEvent *event = run->event;
    size_t n = run->mode->eq->n, bytes = n * sizeof *state->a;
    double h = TOL_COARSE * run->sim->settings.step, t = run->mode->t;
    double *kept = base_alloc(5 * bytes), *q = kept + n, *v = q + n, *behind = v + n,
           *middle = behind + n;
    memcpy(kept, state->a, bytes);
    memcpy(q, state->q, bytes);
    memcpy(v, state->v, bytes);
    leave_behind(run->switches, state, which);
    memcpy(behind, state->v, bytes);
    memcpy(middle, q, bytes);
    real_add_times(h / 2, behind, n, middle);
    bool back = timestepping_try(run, t + h / 2, middle, behind, h, 0);
    timestepping_set_state(run, t, q, v);
    for (size_t j = 0; j < n; j++)
        state->a[j] = (event->after[j] - behind[j]) / h;
    back = back && switches_turn_back(run->switches, state, which);
    memcpy(state->a, kept, bytes);
    base_free(kept);
    return back;
}

RunResult timestepping_pass_switch(SimulationRun *run, size_t which, size_t *parts)
{
    Switches *switches = run->switches;
    const State *state = run->mode->state;
    double t = run->mode->t;
    size_t first;
    int sign = which == SIZE_MAX ? 0 : -switches->signs[which];
    bool passed = switches_look(switches, state, &first);
    if (which != SIZE_MAX) // also where rounding has left the state before it
        switches->signs[which] = sign;
    else if (passed)
        which = first;
    if (which != SIZE_MAX && switches_is_domain(switches, which))
        return failure_of_domain(run, switches->found.domains[which],
                                 switches->of_time[which] ? fmin(switches->last.at, t) : t);
    if (which == SIZE_MAX || !ends_step(switches, which))
        return RESULT_CONTINUE;
    // Knots of tables are no events.
    if (switches->found.tables[which])
        return RESULT_CONTINUE;
    record_event(run, &(RunEvent){.t = t,
                                  .kind = RUN_SWITCH,
                                  .state = record_state(run),
                                  .what = switches->found.names[which],
                                  .before = state->v,
                                  .after = state->v});
    bool endless = ++*parts > LIMIT_SEARCH || turns_back(run, which);
    return endless ? failure_of_chatter(run, t) : RESULT_CONTINUE;
}

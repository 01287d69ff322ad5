// timestepping_velocities.c: the velocities after a step of fixed length (timestepping.c).
#include "base/text_builder.h"
#include "contact/contact.h"
#include "dynamics/equations_types.h"
#include "dynamics/pattern.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_event_parts_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/energy_balance_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// f' of the old velocities at the beginning of the step, and of the new ones at its end. In the
// place of γ stands what f'⁺ + e f'⁻ is beside g·v⁺.
static void set_drifts(const ContactEvent *event, ContactSet *reached, double h)
{
    for (size_t k = 0; k < event->at.count; k++) {
        bool acted = event->answer->acting[k] = event->at.at[k].acted;
        // With friction what is struck has rebounded before.
        bool rebounded = event->friction && !friction_is_heap(event);
        double e = rebounded ? 0 : reached->restitution.at[k];
        event->answer->lambda[k] = event->gaps->pushes[event->at.at[k].index];
        double turn = acted ? h / 2 * reached->gamma.at[k] : 0;
        reached->gamma.at[k] =
            reached->partial_t.at[k] + turn + e * (event->at.at[k].before - turn);
    }
}

// The velocities after the change, with the forces where the matrices were evaluated, and the
// impulses of the conditions; `drift` is b·v⁺ without its sign. False where there are none.
static bool change_velocities(SimulationRun *run, double h, const double *drift)
{
    ContactEvent *event = run->event;
    const SystemMatrices *matrices = event->contacts->matrices;
    double *force = run->vector;
    matrices->state->evaluations++;
    event->asked = &event->touching;
    if (event->friction)
        return friction_timestep(event, h, drift);
    for (size_t i = 0; i < matrices->n; i++)
        force[i] = h * matrices->force[i];
    matrices_add_momentum(matrices, event->before, force);
    ContactProblem problem = contact_set_problem(&event->touching, matrices);
    problem.force = force;
    problem.equation_drift = drift;
    problem.any_lambda = problem.guessed = true;
    ContactAnswer answer = *event->answer;
    answer.accelerations = event->after;
    answer.rates = NULL;
    *event->report = contact_accelerations(event->contacts->solver, &problem, &answer);
    return event->report->outcome == SOLVE_DONE;
}

static RunResult no_velocities(SimulationRun *run)
{
    if (run->event->report->outcome != SOLVE_NOT_FINITE)
        return events_no_solution(run, run->mode->t);
    run->mode->why = DYNAMICS_NOT_FINITE;
    return RESULT_FAILED;
}

static RunResult too_long(SimulationRun *run, double h)
{
    Text reason = {0};
    text_addf(&reason,
              "the forces change so fast with the velocities that a step of %.2g is too long", h);
    return failure_report(run, run->mode->t, &reason);
}

// γ is that of the old velocities: the projection that follows has the same result, also where
// conditions are close to dependent.
bool timestepping_find_velocities(SimulationRun *run, double h, size_t passes, double *change)
{
    ContactEvent *event = run->event;
    const SystemMatrices *matrices = event->contacts->matrices;
    size_t n = run->mode->eq->n;
    double *mean = run->vector + n, *former = mean + n, *drift = former + n;
    *change = 0;
    set_drifts(event, &event->touching, h);
    event_evaluate(event, event->before);
    assert(matrices->m <= n);
    memcpy(drift, matrices->c, matrices->m * sizeof *drift);
    real_add_times(h / 2, matrices->gamma, matrices->m, drift);
    if (!change_velocities(run, h, drift))
        return false;
    for (size_t pass = 0; pass < passes && run->mode->eq->patterns->forces_hold_velocities;
         pass++) {
        memcpy(former, event->after, n * sizeof *former);
        for (size_t j = 0; j < n; j++)
            mean[j] = (event->before[j] + event->after[j]) / 2;
        event_evaluate(event, mean);
        if (!change_velocities(run, h, drift))
            return false;
        real_add_times(-1, event->after, n, former);
        *change = real_largest(former, n) / fmax(real_largest(mean, n), DBL_MIN);
        if (!(*change > TOL_SMALL))
            break;
    }
    return true;
}

RunResult timestepping_velocities(SimulationRun *run, double h)
{
    const ContactEvent *event = run->event;
    double change;
    if (!timestepping_find_velocities(run, h, LIMIT_STEPS, &change))
        return no_velocities(run);
    if (change > TOL_COARSE)
        return too_long(run, h);
    balance_fixed_step(run->balance, run->mode, event->t, event->q, event->before, event->after, h);
    return RESULT_CONTINUE;
}

bool timestepping_project(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    SystemMatrices *matrices = run->event->contacts->matrices;
    if (mode->eq->m == 0)
        return true;
    if (mode->eq->finite > 0 && !mode_project_position(mode))
        return false;
    matrices_evaluate(matrices);
    return event_project(run->event, &matrices->rows, matrices->c, mode->state->v);
}

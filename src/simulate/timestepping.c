// timestepping.c: very many impacts, without searching for their times (Moreau 1988; Jean 1999).
//
// A step of fixed length h: half of it with the old velocities, to the middle; there the forces,
// and the conditions that are reached, change the velocities once; the other half with the new
// ones. The change obeys, as an impact does,
//
//     𝓜(v⁺ − v⁻) = h·F − gᵀλ + bᵀμ,   b·v⁺ + c = 0,   0 ≤ λ ⊥ f'⁺ + e f'⁻ ≤ 0   where f ≥ 0,
//
// so that impacts of any number within a step are one. Where a condition acts since the step
// before, and for equations, f'⁻ and f'⁺ are those of the beginning and the end of the step, to
// first order: between these f' changes by γ = f'' − g·q'' even if the velocities do not. Errors
// are of first order in h where there is an impact, of second order between.
#include "base/text_builder.h"
#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/real.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_set_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct {
    SimulationRun *run;
    Arena *arena;
    ContactMode *mode; // the base mode
    const Equations *eq;
    State *state;
    SystemMatrices matrices;
    Unilaterals *unilaterals; // NULL for none
    ContactSolver *gauss;
    double impulse_time; // of the last given impulse in this step; 0: none
    // n each: velocities before and after the change, forces, given impulses.
    double *before, *after, *force, *impulse;
    double *mu, *drift; // of the equations
    // Of each unilateral condition: its impulse in the last step, and f.
    double *last_impulse, *gaps;
    // Those that are reached in a step, with the old velocities; of each of them, in their order:
    ContactSet reached;
    double *rest;   // what f'⁺ + e f'⁻ is beside g·v⁺
    double *lambda; // the impulse
    bool *acted, *acting;
} Stepping;

static void stepping_init(Stepping *stepping, SimulationRun *run)
{
    const Simulation *sim = run->sim;
    ContactMode *mode = sim->base;
    size_t n = mode->eq->n, m = mode->eq->m, sides = sim->contacts->told.count;
    Arena *arena = arena_new();
    *stepping = (Stepping){.run = run,
                           .arena = arena,
                           .mode = mode,
                           .eq = mode->eq,
                           .state = mode->state,
                           .unilaterals = sim->contacts->unilaterals,
                           .gauss = contact_solver_new(n),
                           .before = real_alloc(arena, n),
                           .after = real_alloc(arena, n),
                           .force = real_alloc(arena, n),
                           .impulse = real_alloc(arena, n),
                           .mu = real_alloc(arena, m),
                           .drift = real_alloc(arena, m),
                           .last_impulse = real_alloc(arena, sides),
                           .gaps = real_alloc(arena, sides),
                           .rest = real_alloc(arena, sides),
                           .lambda = real_alloc(arena, sides),
                           .acted = arena_array(arena, bool, sides + 1),
                           .acting = arena_array(arena, bool, sides + 1)};
    matrices_init(&stepping->matrices, mode->eq, mode->state);
}

// The multipliers of all conditions: of equations λ, of unilateral ones what their impulse is over
// h.
static void keep_multipliers(Stepping *stepping, double h)
{
    State *state = stepping->state;
    dynamics_put_multipliers(stepping->eq, state);
    for (size_t i = 0; i < stepping->run->sim->contacts->told.count; i++)
        *dynamics_side_multiplier(stepping->eq, state, i) = stepping->last_impulse[i] / h;
}

// The start, with accelerations and multipliers.
static void begin(Stepping *stepping)
{
    const Simulation *sim = stepping->run->sim;
    State *state = stepping->state;
    size_t bytes = stepping->eq->n * sizeof(double);
    state->evaluations = 0;
    *state->t = stepping->mode->t = 0;
    memcpy(state->q, sim->start.q, bytes);
    memcpy(state->v, sim->start.v, bytes);
    memcpy(state->a, sim->start.a, bytes);
    memcpy(state->lambda, sim->start.lambda, stepping->eq->m * sizeof(double));
    for (size_t i = 0; i < sim->contacts->told.count; i++)
        stepping->last_impulse[i] = sim->contacts->at[i].lambda;
    keep_multipliers(stepping, 1);
}

// ---- The change of velocities.

// Lists the conditions that are reached at the state's position, with their rows.
static void find_reached(Stepping *stepping, double h)
{
    State *state = stepping->state;
    Unilaterals *unilaterals = stepping->unilaterals;
    contact_set_begin(&stepping->reached);
    if (!unilaterals)
        return;
    unilaterals_gaps(unilaterals, *state->t, state->q, stepping->gaps);
    for (size_t i = 0, k = 0; i < unilaterals->count; i++) {
        bool acted = stepping->last_impulse[i] > 0;
        stepping->last_impulse[i] = 0;
        // What is not a number is included, so that the solver finds it.
        if (stepping->gaps[i] < 0)
            continue;
        UnilateralRow side =
            contact_set_add(&stepping->reached, unilaterals, i, *state->t, state->q, state->v);
        // f' of the old velocities at the beginning of the step, and of the new ones at its end.
        double turn = acted ? h / 2 * side.gamma : 0;
        stepping->rest[k] = side.partial_t + turn + side.restitution * (side.rate - turn);
        stepping->acted[k] = stepping->acting[k] = acted;
        k++;
    }
}

// Given impulses of this step, together; those of the start have acted.
static void add_impulses(Stepping *stepping, double until)
{
    assert(until > stepping->mode->t);
    GivenImpulses *impulses = stepping->run->impulses;
    double t;
    while ((t = impulses_time(impulses)) <= until) {
        impulses_take(impulses, stepping->eq, stepping->state, stepping->impulse);
        for (size_t i = 0; i < stepping->eq->n && t > 0; i++)
            stepping->force[i] += stepping->impulse[i];
        stepping->impulse_time = fmax(stepping->impulse_time, t);
    }
}

// The velocities after the change; impulses of the conditions in `last_impulse` and `mu`.
static ContactReport change_velocities(Stepping *stepping, double h)
{
    State *state = stepping->state;
    SystemMatrices *matrices = &stepping->matrices;
    matrices_evaluate(matrices);
    state->evaluations++;
    find_reached(stepping, h);
    for (size_t i = 0; i < matrices->n; i++)
        stepping->force[i] = h * matrices->force[i];
    matrices_add_momentum(matrices, state->v, stepping->force);
    stepping->impulse_time = 0;
    add_impulses(stepping, stepping->mode->t + h);
    for (size_t i = 0; i < matrices->m; i++)
        stepping->drift[i] = matrices->c[i] + h / 2 * matrices->gamma[i];
    ContactProblem problem = contact_set_problem(&stepping->reached, matrices);
    problem.force = stepping->force;
    problem.equation_drift = stepping->drift;
    problem.unilateral_drift = stepping->rest;
    problem.any_lambda = true;
    ContactAnswer answer = {.accelerations = stepping->after,
                            .multipliers = stepping->mu,
                            .lambda = stepping->lambda,
                            .acting = stepping->acting};
    ContactReport report = contact_accelerations(stepping->gauss, &problem, &answer);
    for (size_t k = 0; k < stepping->reached.which.count && report.outcome == SOLVE_DONE; k++)
        stepping->last_impulse[stepping->reached.which.at[k]] = stepping->lambda[k];
    return report;
}

// Onto the finite equations, and the velocities onto all equations by the least change in their
// inertia, at the end of the step.
static bool project(Stepping *stepping)
{
    State *state = stepping->state;
    SystemMatrices *matrices = &stepping->matrices;
    if (stepping->eq->m == 0)
        return true;
    if (stepping->eq->finite > 0 && !mode_project_position(stepping->mode))
        return false;
    matrices_evaluate(matrices);
    memset(stepping->force, 0, matrices->n * sizeof *stepping->force);
    matrices_add_momentum(matrices, state->v, stepping->force);
    return contact_set_project(&matrices->rows, matrices->c, matrices, stepping->gauss,
                               stepping->force, state->v)
               .outcome == SOLVE_DONE;
}

// ---- What a step gives to the rows.

// Accelerations and reactions, as means over the step.
static void keep_reactions(Stepping *stepping, double h)
{
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    memset(state->lambda, 0, eq->m * sizeof *state->lambda);
    for (size_t i = 0; i < stepping->matrices.m; i++)
        state->lambda[eq->independent.rows[i]] = stepping->mu[i] / h;
    keep_multipliers(stepping, h);
    for (size_t i = 0; i < eq->n; i++)
        state->a[i] = (state->v[i] - stepping->before[i]) / h;
}

// What all impulses of conditions take of the energy: ½ Σ λ(f'⁻ + f'⁺ − 2 ∂f/∂t).
static double energy_lost(const Stepping *stepping)
{
    const ContactSet *reached = &stepping->reached;
    double lost = 0;
    for (size_t k = 0; k < reached->which.count; k++) {
        double partial_t = reached->partial_t.at[k], terms;
        double after = contact_set_rate(reached, k, stepping->after, partial_t, &terms);
        lost += stepping->lambda[k] * ((reached->rate.at[k] + after) / 2 - partial_t);
    }
    return lost;
}

// Impacts are what is reached with f' > 0 and did not act before.
static void record_step(Stepping *stepping, double h)
{
    SimulationRun *run = stepping->run;
    const ContactSet *reached = &stepping->reached;
    RunEvent record = {.t = stepping->mode->t + h / 2,
                       .kind = RUN_IMPACT,
                       .before = stepping->before,
                       .after = stepping->after,
                       .energy_lost = energy_lost(stepping)};
    run->summary->energy_lost += record.energy_lost;
    run->energy -= record.energy_lost;
    for (size_t k = 0; k < reached->which.count; k++) {
        if (stepping->acted[k] || !(stepping->lambda[k] > 0) || !(reached->rate.at[k] > 0))
            continue;
        record.constraint = run->sim->contacts->at[reached->which.at[k]].constraint;
        record.impulse = stepping->lambda[k];
        record_event(run, &record);
    }
    if (stepping->impulse_time > 0)
        record_event(run, &(RunEvent){.t = stepping->impulse_time,
                                      .kind = RUN_IMPULSE,
                                      .before = stepping->before,
                                      .after = stepping->after});
}

// ---- Steps.

static RunResult no_velocities(Stepping *stepping, const ContactReport *report)
{
    Text reason = {0};
    if (report->outcome == SOLVE_NOT_FINITE)
        failure_add_reason(stepping->eq, stepping->state, DYNAMICS_NOT_FINITE, &reason);
    else
        contact_set_add_reason(&stepping->reached, &stepping->matrices, report, stepping->lambda,
                               &reason);
    return failure_report(stepping->run, stepping->mode->t, &reason);
}

// From the mode's state to that after `h`.
static RunResult step(Stepping *stepping, double h)
{
    State *state = stepping->state;
    size_t n = stepping->eq->n, bytes = n * sizeof(double);
    double t = stepping->mode->t;
    assert(h > 0);
    *state->t = t + h / 2;
    real_add_times(h / 2, state->v, n, state->q);
    memcpy(stepping->before, state->v, bytes);
    ContactReport report = change_velocities(stepping, h);
    if (report.outcome != SOLVE_DONE)
        return no_velocities(stepping, &report);
    record_step(stepping, h);
    real_add_times(h / 2, stepping->after, n, state->q);
    memcpy(state->v, stepping->after, bytes);
    *state->t = t + h;
    if (!project(stepping)) {
        stepping->mode->why = DYNAMICS_POSITION;
        return RESULT_FAILED;
    }
    keep_reactions(stepping, h);
    return RESULT_CONTINUE;
}

// To the next row, in equal steps no longer than asked for.
static RunResult step_until(Stepping *stepping, double until)
{
    SimulationRun *run = stepping->run;
    ContactMode *mode = stepping->mode;
    double from = mode->t, span = until - from;
    double steps = run_options_steps(&run->sim->settings, span);
    for (double k = 1; k <= steps; k++) {
        RunResult result = step(stepping, span / steps);
        if (result != RESULT_CONTINUE)
            return result;
        mode->t = *mode->state->t = k < steps ? from + span * (k / steps) : until;
        run->summary->steps++;
        run->summary->reached = mode->t;
        if (!record_progress(run, mode->t))
            return RESULT_STOPPED;
    }
    return RESULT_CONTINUE;
}

RunResult timestepping_run(SimulationRun *run)
{
    Stepping stepping;
    RunResult result = RESULT_CONTINUE;
    assert(run->sim->settings.step > 0);
    stepping_init(&stepping, run);
    run->mode = stepping.mode;
    run->summary->order = 1;
    begin(&stepping);
    for (bool last = false; result == RESULT_CONTINUE;) {
        bool more = record_row(run, false);
        run->row++;
        if (last || !more)
            result = last ? RESULT_FINISHED : RESULT_STOPPED;
        else
            result = step_until(&stepping, record_next_row(run, &last));
    }
    run->summary->evaluations = stepping.state->evaluations;
    matrices_clear(&stepping.matrices);
    contact_solver_free(stepping.gauss);
    contact_set_clear(&stepping.reached);
    arena_free(stepping.arena);
    return result;
}

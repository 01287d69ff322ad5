// timestepping.c: very many impacts, without searching for their times (Moreau 1988; Jean 1999).
//
// A step of fixed length h, or a part of it where an input changes inside: half of it with the old
// velocities, to the middle; there the forces, and the conditions that are reached, change the
// velocities once; the other half with the new ones. The change obeys, as an impact does,
//
//     𝓜(v⁺ − v⁻) = h·F − gᵀλ + bᵀμ,   b·v⁺ + c = 0,   0 ≤ λ ⊥ f'⁺ + e f'⁻ ≤ 0   where f ≥ 0,
//
// so that impacts of any number within a step are one. Where a condition acts since the step
// before, and for equations, f'⁻ and f'⁺ are those of the beginning and the end of the step, to
// first order: between these f' changes by γ = f'' − g·q'' even if the velocities do not. F is that
// of the mean of v⁻ and v⁺. Errors are of first order in h where there is an impact, of second
// order between. A given impulse acts before, by the impact law of all methods.
#include "dynamics/condition_multipliers.h"
#include "linalg/real.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_states_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/friction_events_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// In the base mode. The change of a step is the run's event: those that touch there are the
// conditions that are reached, with the old velocities, and those that act have an impulse.

// The start, with accelerations; multipliers are those of the start too.
static void begin(SimulationRun *run)
{
    const Simulation *sim = run->sim;
    ContactMode *mode = run->mode = sim->base;
    State *state = mode->state;
    size_t bytes = mode->eq->n * sizeof(double);
    run->event->answer->multipliers = real_alloc(run->arena, mode->eq->m);
    state->evaluations = run->summary->evaluations; // of a pass before, too
    *state->t = mode->t = sim->settings.from;
    memcpy(state->q, sim->start.q, bytes);
    memcpy(state->v, sim->start.v, bytes);
    memcpy(state->a, sim->start.a, bytes);
    for (size_t i = 0; i < sim->start.m; i++)
        *dynamics_multiplier(mode->eq, state, i) = sim->start.lambda[i];
    switches_look(run->switches, state, NULL);
    timestepping_begin_contacts(run);
    run->gaps->way = way_new(run);
}

// ---- The change of velocities.

// Impacts are what is reached with f' > 0 and did not act before.
static void record_impacts(SimulationRun *run, RunEvent record)
{
    const ContactEvent *event = run->event;
    record.kind = RUN_IMPACT;
    run->summary->energy_lost += record.energy_lost;
    for (size_t k = 0; k < event->at.count; k++) {
        const TouchingContact *contact = &event->at.at[k];
        record.impulse = event->answer->lambda[k];
        if (contact->acted || !(record.impulse > 0) || !(contact->before > 0))
            continue;
        record.state = record.state ? record.state : record_state(run);
        record.constraint = timestepping_condition(run, contact->index);
        record_event(run, &record);
    }
}

// Given impulses of this step; those of the start have acted. What they drive into a condition that
// is reached is an impact, by the law that holds from event to event.
static bool take_impulses(SimulationRun *run, double until)
{
    assert(until > run->mode->t);
    ContactEvent *event = run->event;
    State *state = run->mode->state;
    size_t n = run->mode->eq->n;
    double t;
    while ((t = impulses_time(run->impulses)) <= until) {
        *state->t = t;
        impulses_take(run->impulses, run->mode->eq, state, run->vector);
        if (t == 0)
            continue;
        timestepping_find_reached(run);
        if (!impact_solve(event, run->vector))
            return false;
        memcpy(state->v, event->after, n * sizeof *state->v);
        RunEvent record = {.t = t,
                           .kind = RUN_IMPULSE,
                           .state = record_state(run),
                           .before = event->before,
                           .after = event->after,
                           .energy_lost = event->energy_lost};
        record_event(run, &record);
        record_impacts(run, record);
        event_set_after(event, state->v);
        record_energy_change(run, -event->energy_lost);
        event_begin(event, event->t, event->q, state->v);
    }
    return true;
}

// With friction what is struck rebounds by the law of all methods, which knows percussions of
// friction; the step that follows is without rebound.
static bool strike(SimulationRun *run)
{
    ContactEvent *event = run->event;
    bool struck = false;
    bool takes = event->friction && !friction_is_heap(event);
    for (size_t k = 0; k < event->at.count && takes; k++)
        struck = struck || (event->at.at[k].before > 0 && !event->at.at[k].acted);
    if (!struck)
        return true;
    if (!impact_solve(event, NULL))
        return false;
    RunEvent record = {.t = event->t,
                       .before = event->before,
                       .after = event->after,
                       .energy_lost = event->energy_lost};
    record_impacts(run, record);
    record_energy_change(run, -event->energy_lost);
    event_begin(event, event->t, event->q, event->after);
    timestepping_find_reached(run);
    return true;
}

// ---- What a step gives to the rows.

// Accelerations and reactions, as means over the step; who acts.
static void keep_reactions(SimulationRun *run, double h)
{
    ContactEvent *event = run->event;
    State *state = run->mode->state;
    event_keep_multipliers(event, h);
    timestepping_keep_contacts(run);
    for (size_t i = 0; i < run->mode->eq->n; i++)
        state->a[i] = (state->v[i] - event->before[i]) / h;
}

// What all impulses of conditions take of the energy: ½ Σ λ(f'⁻ + f'⁺ − 2 ∂f/∂t).
static double energy_lost(const ContactEvent *event)
{
    const ContactSet *reached = &event->touching;
    double lost = 0;
    for (size_t k = 0; k < event->at.count; k++) {
        double partial_t = reached->partial_t.at[k];
        double after = contact_set_rate(reached, k, event->after, NULL);
        lost += event->answer->lambda[k] * ((event->at.at[k].before + after) / 2 - partial_t);
    }
    return lost;
}

static void record_step(SimulationRun *run)
{
    const ContactEvent *event = run->event;
    double lost = energy_lost(event);
    record_energy_change(run, -lost);
    record_impacts(run, (RunEvent){.t = event->t,
                                   .before = event->before,
                                   .after = event->after,
                                   .energy_lost = lost});
}

// ---- Steps.

// From the mode's state to that after `h`.
static RunResult step(SimulationRun *run, double h)
{
    ContactMode *mode = run->mode;
    ContactEvent *event = run->event;
    State *state = mode->state;
    size_t n = mode->eq->n;
    assert(h > 0);
    narrow_begin_step(run->switches->narrow, state->q);
    real_add_times(h / 2, state->v, n, state->q);
    RunResult result = timestepping_look(run, state->q, mode->t, h / 2);
    if (result != RESULT_CONTINUE)
        return result;
    event_begin(event, mode->t + h / 2, state->q, state->v);
    if (event->friction)
        friction_begin(event, SIZE_MAX);
    if (!take_impulses(run, mode->t + h))
        return events_no_solution(run, mode->t);
    timestepping_find_reached(run);
    result = timestepping_check_slopes(run);
    if (result == RESULT_CONTINUE)
        result = way_look(run, event->t, event->q);
    if (result == RESULT_CONTINUE && !strike(run))
        return events_no_solution(run, mode->t);
    if (result == RESULT_CONTINUE)
        result = timestepping_velocities(run, h);
    if (result == RESULT_CONTINUE)
        result = way_look_at_order(run, h);
    if (result != RESULT_CONTINUE)
        return result;
    real_add_times(h / 2, event->after, n, state->q);
    result = timestepping_look(run, state->q, mode->t + h / 2, h / 2);
    if (result != RESULT_CONTINUE)
        return result;
    memcpy(state->v, event->after, n * sizeof *state->v);
    *state->t = mode->t + h;
    if (!timestepping_project(run)) {
        mode->why = DYNAMICS_POSITION;
        return RESULT_FAILED;
    }
    way_set(run->gaps->way, 1, *state->t, state->q);
    keep_reactions(run, h);
    record_step(run);
    if (event->friction) {
        friction_record(run);
        friction_warn(event, run->diag);
        run->summary->friction_missed = fmax(run->summary->friction_missed, friction_missed(event));
    }
    return RESULT_CONTINUE;
}

// What the time begins or ends where the last step has ended: rows there have the reactions of that
// step.
static RunResult begin_and_end(SimulationRun *run)
{
    const ContactMode *mode = run->mode;
    const Switches *switches = run->switches;
    bool due = mode->t >= switches->next.before || mode->t == switches->last.after;
    return due && states_switch(run) ? states_renew(run, mode->state->q, mode->state->v)
                                     : RESULT_CONTINUE;
}

// What lies between two switches of one step is far narrower than steps that are chosen for the
// rest: it is made in some steps of this length.
static void divide_part(const ContactMode *mode, double until, double *piece, double *end,
                        size_t *which)
{
    double length = *end - mode->t;
    if (*piece == 0 && *end < until)
        *piece = length / (2 * SIZE_UNROLLED);
    if (*piece == 0 || length <= 2 * *piece || mode->t + *piece == mode->t)
        return;
    *end = mode->t + *piece;
    *which = SIZE_MAX;
}

// To the end of a step of this length, in shorter ones where an input changes or a function of the
// state switches inside it.
static RunResult step_to(SimulationRun *run, double until, double h)
{
    ContactMode *mode = run->mode;
    double from = mode->t, end, piece = 0;
    size_t which, parts = 0;
    while (mode->t < until) {
        RunResult result = begin_and_end(run);
        mode = run->mode;
        if (result == RESULT_CONTINUE)
            result = timestepping_step_end(run, until, &end);
        if (result != RESULT_CONTINUE)
            return result;
        end = fmin(end, triggers_next_time(run->detector->triggers));
        double whole = end;
        end = timestepping_switch_end(run, end, &which);
        if (parts > 0)
            divide_part(mode, whole, &piece, &end, &which);
        double divided = timestepping_impact_end(run, end);
        which = divided < end ? SIZE_MAX : which;
        end = divided;
        if (end > mode->t)
            result = step(run, mode->t == from && end == until ? h : end - mode->t);
        if (result != RESULT_CONTINUE)
            return result;
        mode->t = end;
        run->summary->steps++;
        piece = which == SIZE_MAX ? piece : 0;
        result = timestepping_pass_switch(run, which, &parts);
        if (result == RESULT_CONTINUE)
            result = actions_perform_samples(run);
        if (result != RESULT_CONTINUE)
            return result;
        mode = run->mode;
        // No way is left behind a switch that comes with the end.
        if (mode->t == run->switches->next.before && run->switches->next.after >= until)
            mode->t = until;
    }
    *mode->state->t = until;
    return RESULT_CONTINUE;
}

// At the last row: what lies behind the middle of the last step.
static RunResult finish(SimulationRun *run)
{
    const State *state = run->mode->state;
    gaps_evaluate(run->gaps, *state->t, state->q, run->gaps->f);
    RunResult result = way_look(run, *state->t, state->q);
    return result == RESULT_CONTINUE ? RESULT_FINISHED : result;
}

// ---- From row to row.

// To the next row, in equal steps no longer than asked for.
static void begin_span(SimulationRun *run)
{
    FixedSpan *span = &run->pace.span;
    span->from = run->mode->t;
    span->until = record_next_row(run, &span->last);
    span->steps = run_options_steps(&run->sim->settings, span->until - span->from);
    span->done = 0;
}

static RunResult give_row(SimulationRun *run, bool last)
{
    const State *state = run->mode->state;
    bool good = step_error_row(run->sim->step_error, state->q, state->v);
    timestepping_note_depth(run);
    RunResult result = good ? record_row(run, false) : step_error_fails(run, *state->t);
    run->rows.next++;
    if (result != RESULT_CONTINUE)
        return result;
    if (last)
        return finish(run);
    begin_span(run);
    return RESULT_CONTINUE;
}

RunResult timestepping_begin(SimulationRun *run)
{
    const RunOptions *settings = &run->sim->settings;
    assert(settings->step > 0);
    run->summary->order = 1;
    run->summary->step = settings->step;
    begin(run);
    RunResult result = actions_perform_samples(run);
    if (settings->from == 0)
        return result == RESULT_CONTINUE ? give_row(run, false) : result;
    begin_span(run);
    return RESULT_CONTINUE;
}

RunResult timestepping_resume(SimulationRun *run, const ActingContacts *acting)
{
    begin(run);
    timestepping_take_acting(run, acting);
    return RESULT_CONTINUE;
}

RunResult timestepping_step(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    FixedSpan *span = &run->pace.span;
    double length = span->until - span->from, part = ++span->done / span->steps;
    double end = part < 1 ? span->from + length * part : span->until;
    bool cut = run->pace.until < end;
    RunResult result = cut ? step_to(run, run->pace.until, run->pace.until - mode->t)
                           : step_to(run, end, length / span->steps);
    mode = run->mode;
    if (!mode)
        return result;
    run->summary->evaluations = mode->state->evaluations;
    if (result != RESULT_CONTINUE)
        return result;
    step_error_step(run->sim->step_error, mode->state->q, mode->state->v);
    run->summary->reached = mode->t;
    if (!record_progress(run, mode->t))
        return RESULT_STOPPED;
    if (cut)
        begin_span(run);
    return !cut && part >= 1 ? give_row(run, span->last) : RESULT_CONTINUE;
}

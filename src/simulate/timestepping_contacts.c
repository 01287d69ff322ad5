// timestepping_contacts.c: which conditions are reached in a step of fixed length.
//
// Of conditions over pairs only near ones are known. These are looked for once in several steps:
// those that may be reached while every coordinate stays within an interval about where it is. As
// long as all do, no other pair can be reached; where one has left its interval, they are looked
// for again. So none is ever missed, however long the intervals are, which are as long as some
// steps with the present velocities.
#include "contact/contact.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/unilateral_pairs.h"
#include "dynamics/unilaterals.h"
#include "linalg/tolerances.h"
#include "program/intervals.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/run_report.h"
#include "simulate/run_sides.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Room for conditions that become known.

static void *moved(Arena *arena, const void *from, size_t count, size_t room, size_t size)
{
    void *to = arena_alloc(arena, (room + 1) * size);
    if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

static void make_room(SimulationRun *run)
{
    GapFunctions *gaps = run->gaps;
    ContactEvent *event = run->event;
    Arena *arena = run->arena;
    size_t had = gaps->count, count = gaps->unilaterals->count;
    assert(count >= had);
    gaps->count = count;
    if (count <= gaps->room)
        return;
    size_t room = gaps->room = 2 * count;
    gaps->by_motion = moved(arena, gaps->by_motion, had, room, sizeof *gaps->by_motion);
    gaps->sizes = moved(arena, gaps->sizes, had, room, sizeof *gaps->sizes);
    gaps->band = moved(arena, gaps->band, had, room, sizeof *gaps->band);
    gaps->f = moved(arena, gaps->f, had, room, sizeof *gaps->f);
    gaps->pushes = moved(arena, gaps->pushes, had, room, sizeof *gaps->pushes);
    event->acts = moved(arena, event->acts, had, room, sizeof *event->acts);
    event->held = moved(arena, event->held, had, room, sizeof *event->held);
    ContactAnswer *answer = event->answer;
    answer->lambda = moved(arena, answer->lambda, had, room, sizeof *answer->lambda);
    answer->acting = moved(arena, answer->acting, had, room, sizeof *answer->acting);
    answer->rates = moved(arena, answer->rates, 2 * had, 2 * room, sizeof *answer->rates);
}

// ---- The search.

static void search(SimulationRun *run, double t, const double *q, const double *v)
{
    size_t n = run->mode->eq->n;
    Interval *boxes = base_alloc((n + 1) * sizeof *boxes);
    double while_near = LIMIT_STEPS * run->sim->settings.step, mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += fabs(v[i]) / (double)n;
    for (size_t i = 0; i < n; i++) {
        double way = while_near * (fabs(v[i]) + mean);
        boxes[i] = (Interval){q[i] - way, q[i] + way};
    }
    unilaterals_find_near(run->gaps->unilaterals, (Interval){t, t + while_near}, boxes);
    base_free(boxes);
    make_room(run);
}

static const uint32_t *find_near(SimulationRun *run, double t, const double *q, const double *v,
                                 size_t *count)
{
    const Unilaterals *unilaterals = run->gaps->unilaterals;
    if (!unilaterals_are_near(unilaterals, t, q))
        search(run, t, q, v);
    return unilaterals_near(unilaterals, count);
}

// Of conditions over pairs the next step finds what acts.
ActingContacts timestepping_acting(const SimulationRun *run, Arena *arena)
{
    size_t count = run->gaps->unilaterals->single;
    ActingContacts acting = {.at = arena_array(arena, const ModelConstraint *, count + 1),
                             .pushes = arena_array(arena, double, count + 1)};
    for (size_t i = 0; i < count; i++)
        if (run->event->acts[i]) {
            acting.pushes[acting.count] = run->gaps->pushes[i];
            acting.at[acting.count++] = timestepping_condition(run, i);
        }
    return acting;
}

void timestepping_take_acting(SimulationRun *run, const ActingContacts *acting)
{
    for (size_t i = 0; i < run->gaps->unilaterals->single; i++)
        for (size_t k = 0; k < acting->count; k++)
            if (acting->at[k] == timestepping_condition(run, i)) {
                run->event->acts[i] = true;
                run->gaps->pushes[i] = acting->pushes[k];
            }
}

void timestepping_begin_contacts(SimulationRun *run)
{
    const Equations *eq = run->mode->eq;
    const StartContacts *contacts = run->sim->contacts;
    make_room(run);
    for (size_t i = 0; i < contacts->told->count; i++) {
        double lambda = contacts->at[i].lambda;
        if (i < run->gaps->unilaterals->single)
            *dynamics_side_multiplier(eq, run->mode->state, i) = lambda;
        run->event->acts[i] = lambda > 0;
        run->gaps->pushes[i] = lambda * run->sim->settings.step;
    }
    if (run->event->friction)
        friction_begin_steps(run->event, contacts->event,
                             fmin(TOL_COARSE, 10 * sqrt(run->sim->settings.tolerance)));
}

// One that acted in the step before is not released by rounding: a column whose gaps are 0 would
// else fall for a step.
static bool is_reached(const SimulationRun *run, size_t i)
{
    const GapFunctions *gaps = run->gaps;
    return !(gaps->f[i] < (run->event->acts[i] ? -gaps->band[i] : 0));
}

void timestepping_find_reached(SimulationRun *run)
{
    ContactEvent *event = run->event;
    size_t count;
    const uint32_t *near = find_near(run, event->t, event->q, event->before, &count);
    gaps_evaluate(run->gaps, event->t, event->q, run->gaps->f);
    for (size_t i = 0; i < run->gaps->unilaterals->single; i++)
        if (is_reached(run, i))
            event_add(event, i);
    for (size_t k = 0; k < count; k++)
        if (is_reached(run, near[k]))
            event_add(event, near[k]);
}

bool timestepping_strikes(SimulationRun *run, double t, const double *q, const double *v)
{
    GapFunctions *gaps = run->gaps;
    size_t count;
    const uint32_t *near = find_near(run, t, q, v, &count);
    const bool *acts = run->event->acts;
    bool any = false;
    gaps_evaluate(gaps, t, q, gaps->f);
    for (size_t i = 0; i < gaps->unilaterals->single; i++)
        any = any || (!acts[i] && gaps->f[i] >= 0);
    for (size_t k = 0; k < count; k++)
        any = any || (!acts[near[k]] && gaps->f[near[k]] >= 0);
    return any;
}

RunResult timestepping_check_slopes(SimulationRun *run)
{
    const ContactEvent *event = run->event;
    size_t n = run->mode->eq->n;
    for (size_t k = 0; k < event->at.count; k++) {
        size_t i = event->at.at[k].index;
        if (i < run->gaps->unilaterals->single && !event->acts[i] &&
            !gaps_have_slope(run->gaps, i, event->t, event->q, event->before, n))
            return failure_of_flat(run, event_constraint(event, i));
    }
    return RESULT_CONTINUE;
}

// Whether it was struck and thrown back.
static bool departs(const ContactEvent *event, size_t k)
{
    double terms, rate = contact_set_rate(&event->touching, k, event->after, &terms);
    return !event->at.at[k].acted && rate < -TOL_CONDITION * terms;
}

void timestepping_keep_contacts(SimulationRun *run)
{
    const ContactEvent *event = run->event;
    GapFunctions *gaps = run->gaps;
    bool divided = step_error_divides(run->sim->step_error);
    memset(event->acts, 0, gaps->count * sizeof *event->acts);
    memset(gaps->pushes, 0, gaps->count * sizeof *gaps->pushes);
    for (size_t k = 0; k < event->at.count; k++) {
        size_t i = event->at.at[k].index;
        gaps->pushes[i] = event->answer->lambda[k];
        event->acts[i] = event->answer->lambda[k] > 0 && !(divided && departs(event, k));
    }
}

const ModelConstraint *timestepping_condition(const SimulationRun *run, size_t index)
{
    return unilaterals_condition(run->gaps->unilaterals, index);
}

void timestepping_note_depth(SimulationRun *run)
{
    const State *state = run->mode->state;
    size_t count;
    if (!run->gaps->unilaterals->pairs)
        return;
    const uint32_t *near = find_near(run, *state->t, state->q, state->v, &count);
    unilaterals_gaps(run->gaps->unilaterals, *state->t, state->q, run->gaps->f);
    for (size_t k = 0; k < count; k++)
        run->summary->deepest = fmax(run->summary->deepest, run->gaps->f[near[k]]);
}

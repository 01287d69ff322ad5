// branches.c: a run along a stationary point of Gauss's function (Hamel 252).
//
// The one that is followed, at first that of the start (branch_start.c), is left where another has
// less constraint, where it is no longer a minimum (there two mirror points may part from it, which
// are a tie), or where it ends.
//
// The others are followed too, by Newton's method from where they were; now and then all are
// searched for, since new ones appear in pairs. Positions and velocities stay at a change, the
// accelerations jump. Which conditions act is not asked: all do.
#include "algebra/stationary.h"
#include "base/diag.h"
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "linalg/tolerances.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/module_hooks_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/second_class/branch_start_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- A run.

typedef struct BranchMonitor {
    ContactMode *mode;
    SecondClass *second_class; // of its state
    Arena *arena;
    bool keeps; // which is followed was chosen by number: it is followed as long as it is there
    // All points, when last searched for; lambda is NULL for what is followed or cannot be.
    RunBranches all;
    size_t unasked; // steps since then
    double *x;      // workspace for a point
} Monitor;

// None where all conditions are affine in the accelerations.
static void begin(SimulationRun *run)
{
    const RunBranches *told = run->sim->branches;
    if (!told)
        return;
    ContactMode *mode = run->sim->base;
    SecondClass *second_class = mode->state->second_class;
    Arena *arena = arena_new();
    Monitor *monitor = arena_alloc(arena, sizeof *monitor);
    size_t size = second_class->size;
    *monitor = (Monitor){.mode = mode,
                         .second_class = second_class,
                         .arena = arena,
                         .keeps = run->sim->settings.branch > told->tied,
                         .all = {.certified = told->certified},
                         .x = arena_array(arena, double, size)};
    memcpy(second_class->x, told->at[told->taken].a, size * sizeof(double));
    run->branches = monitor;
}

static void end(SimulationRun *run)
{
    Monitor *monitor = run->branches;
    if (!monitor)
        return;
    branches_clear(&monitor->all);
    arena_free(monitor->arena);
}

// ---- Points at the present state.

static bool is_minimum(const Monitor *monitor, const double *x)
{
    double least = 1;
    branch_kind(monitor->second_class, x, &least);
    return least >= -TOL_AGREEMENT;
}

static void copy_point(const Monitor *monitor, const double *from, double *to)
{
    memcpy(to, from, second_class_size(monitor->second_class) * sizeof *to);
}

static void find_all(Monitor *monitor)
{
    branches_clear(&monitor->all);
    branches_find(monitor->second_class, &monitor->all);
    monitor->unasked = 0;
}

// Which of all are the others, as seen from what is followed; true where one that cannot be
// followed is less.
static bool compare(Monitor *monitor, const double *followed)
{
    assert(followed && !monitor->keeps);
    SecondClass *second_class = monitor->second_class;
    double own = second_class_measure(second_class, followed);
    bool less = false;
    for (size_t i = 0; i < monitor->all.count; i++) {
        RunBranch *other = &monitor->all.at[i];
        double value = second_class_measure(second_class, other->a);
        other->tied = stationary_ties(value, own);
        less = less || (!other->lambda && value < own - TOL_CONDITION * fabs(own));
        if (second_class_distance(second_class, other->a, followed) <= TOL_SMALL)
            other->lambda = NULL;
    }
    return less;
}

// Whether one of the others is less.
static bool is_beaten(Monitor *monitor, double own)
{
    for (size_t i = 0; i < monitor->all.count; i++) {
        const RunBranch *other = &monitor->all.at[i];
        if (!other->lambda)
            continue;
        copy_point(monitor, other->a, monitor->x);
        if (!second_class_newton(monitor->second_class, monitor->x))
            continue;
        double value = second_class_measure(monitor->second_class, monitor->x);
        double margin = other->tied ? TOL_CONDITION : TOL_SUM;
        if (value < own - margin * fmax(fabs(own), fabs(value)))
            return true;
    }
    return false;
}

// Whether what is followed is the least at the state, accelerations included. At the end of a step
// all are searched for: each time where the answer is certified, which is cheap, else now and then.
static bool holds(Monitor *monitor, bool at_end)
{
    const double *followed = monitor->second_class->trial;
    size_t steps = monitor->all.certified ? 1 : LIMIT_STEPS;
    if (monitor->keeps)
        return true;
    if (!second_class_look(monitor->second_class))
        return false;
    if (at_end && ++monitor->unasked >= steps) {
        find_all(monitor);
        if (compare(monitor, followed))
            return false;
    }
    return !is_beaten(monitor, second_class_measure(monitor->second_class, followed)) &&
           is_minimum(monitor, followed);
}

// The state was accepted: Newton's method begins from here.
static void accept(Monitor *monitor)
{
    SecondClass *second_class = monitor->second_class;
    assert(second_class->follows);
    copy_point(monitor, second_class->trial, second_class->x);
    if (monitor->keeps || !second_class_look(second_class))
        return;
    double own = second_class_measure(second_class, second_class->x);
    for (size_t i = 0; i < monitor->all.count; i++) {
        RunBranch *other = &monitor->all.at[i];
        if (other->lambda && second_class_newton(second_class, other->a))
            other->tied = stationary_ties(second_class_measure(second_class, other->a), own);
    }
}

// ---- A change.

// Whether there is nothing near what is followed a little later than the state, to first order.
static bool ends(const Monitor *monitor)
{
    const Equations *eq = monitor->mode->eq;
    const State *state = monitor->mode->state;
    State *ahead = mode_probe(monitor->mode);
    double later = TOL_REGULARIZATION * fmax(fabs(*state->t), 1);
    *ahead->t = *state->t + later;
    for (size_t i = 0; i < eq->n; i++) {
        ahead->q[i] = state->q[i] + later * state->v[i];
        ahead->v[i] = state->v[i] + later * state->a[i];
    }
    evaluator_run(&ahead->velocities, ahead->inputs);
    RunBranches all;
    bool ended = branches_find(ahead->second_class, &all);
    for (size_t i = 0; i < all.count; i++)
        ended = ended && !(all.at[i].lambda &&
                           second_class_distance(monitor->second_class, all.at[i].a,
                                                 monitor->second_class->trial) <= TOL_POOR);
    branches_clear(&all);
    return ended;
}

// Of all, the least minimum beside what was followed, of several the one nearest to it; the number
// of all where there is none. What is as near as `near` is that itself: where it has ended, nothing
// to go on with. *tied is how many have the least constraint.
static size_t choose(const Monitor *monitor, const double *followed, double near, size_t *tied)
{
    const RunBranches *all = &monitor->all;
    size_t best = all->count, first = all->count;
    double nearest = INFINITY;
    *tied = 0;
    for (size_t i = 0; i < all->count; i++) {
        double apart = second_class_distance(monitor->second_class, all->at[i].a, followed);
        if (!all->at[i].lambda || all->at[i].kind != BRANCH_MINIMUM || apart <= near)
            continue;
        if (first == all->count)
            first = i;
        if (!stationary_ties(all->at[i].constraint, all->at[first].constraint))
            break;
        if (apart < nearest - TOL_SMALL) {
            nearest = apart;
            best = i;
        }
        ++*tied;
    }
    return best;
}

// Whether a point that cannot be followed is less than the one to go on with; what has ended may be
// one for an instant.
static bool is_blocked(const Monitor *monitor, size_t best, const double *ended)
{
    const RunBranch *at = monitor->all.at;
    for (size_t i = 0; i < best; i++)
        if (!at[i].lambda && !stationary_ties(at[i].constraint, at[best].constraint) &&
            !(ended && second_class_distance(monitor->second_class, at[i].a, ended) <= TOL_POOR))
            return true;
    return false;
}

// At the state: follows the least, of several the one nearest to what was followed; `ended` where
// that is no more. False where the least cannot be followed: a singular point, a continuum, or
// none. *tied is how many have the least constraint; 0 where nothing changes.
static bool choose_other(Monitor *monitor, bool ended, size_t *tied)
{
    SecondClass *second_class = monitor->second_class;
    const double *followed = second_class->trial;
    if (monitor->keeps)
        return false;
    find_all(monitor);
    size_t best = choose(monitor, followed, ended ? TOL_POOR : TOL_SMALL, tied);
    if (best == monitor->all.count || is_blocked(monitor, best, ended ? followed : NULL))
        return false;
    const double *other = monitor->all.at[best].a;
    double own = second_class_measure(second_class, followed),
           value = second_class_measure(second_class, other);
    bool better =
        ended || value <= own || stationary_ties(value, own) || !is_minimum(monitor, followed);
    if (!better)
        *tied = 0;
    copy_point(monitor, better ? other : followed, second_class->x);
    compare(monitor, second_class->x);
    return true;
}

// The first time of the last step at which what is followed is no longer the least: it was at the
// step's beginning.
static double locate(Monitor *monitor)
{
    ContactMode *mode = monitor->mode;
    double before = mode->from, after = mode->t, middle;
    assert(before < after);
    while (middle = before + (after - before) / 2, middle > before && middle < after)
        if (mode_evaluate(mode, middle) && holds(monitor, false))
            before = middle;
        else
            after = middle;
    return after;
}

static void record_change(SimulationRun *run, size_t tied)
{
    const ContactMode *mode = run->mode;
    const ModelConstraint *constraint = second_class_condition(mode->state->second_class);
    record_event(run, &(RunEvent){.t = mode->t,
                                  .kind = RUN_BRANCH,
                                  .constraint = constraint,
                                  .before = mode->state->v,
                                  .after = mode->state->v});
    if (tied > 1)
        diag_add(run->diag, DIAG_NOTE, second_class_place(mode->state->second_class),
                 "at t = %.10g %zu accelerations have the least constraint: a tie. The run takes "
                 "the one nearest to the last, the first in order of those as near",
                 mode->t, tied);
}

// At the state where the step was cut: the motion goes on from there.
static RunResult change(SimulationRun *run, Monitor *monitor, bool ended)
{
    ContactMode *mode = run->mode;
    size_t tied;
    assert(mode == monitor->mode);
    RunResult result = record_rows(run, run->mode->t);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    // Many changes in a row lead nowhere.
    if (!choose_other(monitor, ended, &tied) || events_crowd(run, mode->t) > LIMIT_PATIENCE) {
        mode->why = DYNAMICS_BRANCH;
        return RESULT_FAILED;
    }
    if (tied > 0 && !record_row(run, !record_is_row(run, mode->t)))
        return RESULT_STOPPED;
    if (tied > 0)
        record_change(run, tied);
    memcpy(run->vector, mode->state->v, mode->eq->n * sizeof *run->vector);
    if (!mode_begin(mode, mode->t, mode->state->q, run->vector, 0) ||
        (tied > 0 && !mode_evaluate(mode, mode->t)))
        return RESULT_FAILED;
    return tied > 0 ? record_after_event(run) : RESULT_CONTINUE;
}

// ---- Hooks.

static void clear(Simulation *sim)
{
    if (sim->branches)
        branches_clear(sim->branches);
}

static bool event(SimulationRun *run, bool stepped, RunResult *result)
{
    Monitor *monitor = run->branches;
    ContactMode *mode = run->mode;
    if (!monitor)
        return false;
    assert(mode == monitor->mode);
    *result = RESULT_FAILED;
    if (!mode_evaluate(mode, mode->t))
        return stepped;
    if (!stepped) {
        bool ended = ends(monitor);
        if (ended)
            *result = change(run, monitor, true);
        return ended;
    }
    if (holds(monitor, true)) {
        accept(monitor);
        return false;
    }
    double t = locate(monitor);
    const double *y = mode_state(mode, t);
    if (!y)
        return true;
    mode_cut(mode, t, y);
    run->summary->reached = mode->t;
    *result = change(run, monitor, false);
    return true;
}

const SimulationModule module_second_class = {.applies = second_class_applies,
                                              .start = {[START_ACCELERATED] = second_class_start},
                                              .clear = clear,
                                              .begin = begin,
                                              .end = end,
                                              .event = event,
                                              .add_reason = second_class_add_reason};

// branch_events.c: a run along a stationary point of Gauss's function (Hamel 252): it is left where
// another has less constraint, where it is no longer a minimum (there two mirror points may part
// from it, which are a tie), or where it ends.
//
// The others are followed too, by Newton's method from where they were; now and then all are
// searched for, since new ones appear in pairs. Positions and velocities stay at a change, the
// accelerations jump. Which conditions act is not asked: all do.
#include "algebra/stationary.h"
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/module_hooks_impl.h"
#include "simulate/run_report.h"
#include "simulate/second_class/branches_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct {
    ContactMode *mode;
    const Equations *eq;
    State *state; // of the mode
    State later;  // the one a little later
    SecondClass *second_class;
    Arena *arena;
    bool keeps; // which is followed was chosen by number: it is followed as long as it is there
    // The others, when last searched for; lambda is NULL for what is followed or cannot be.
    Branches rivals;
    bool *tied;        // of each: at the last accepted state it had the same constraint
    size_t unasked;    // steps since then
    double *x;         // room for a point or for velocities
    double changed_at; // when what is followed was changed last, and how often about there
    size_t crowd;
} Monitor;

// NULL where all conditions are affine in the accelerations.
static void *begin(SimulationRun *run)
{
    const Simulation *sim = run->sim;
    if (!sim->branches)
        return NULL;
    const RunBranches *told = &sim->branches->told;
    ContactMode *mode = sim->base;
    SecondClass *second_class = mode->state->second_class;
    Arena *arena = arena_new();
    Monitor *monitor = arena_alloc(arena, sizeof *monitor);
    size_t size = second_class->size;
    *monitor = (Monitor){.mode = mode,
                         .eq = mode->eq,
                         .state = mode->state,
                         .second_class = second_class,
                         .arena = arena,
                         .keeps = sim->settings.branch > told->tied,
                         .rivals = {.certified = told->certified},
                         .x = arena_array(arena, double, size),
                         .changed_at = -INFINITY};
    memcpy(second_class->x, told->at[told->taken].a, size * sizeof(double));
    return monitor;
}

static void end(void *data)
{
    Monitor *monitor = data;
    if (!monitor)
        return;
    branches_clear(&monitor->rivals);
    state_clear(&monitor->later);
    arena_free(monitor->arena);
}

// ---- Points and their values at a state.

// The problem at a state, without the conditions that are not affine; false where it has no
// solution.
static bool look(const Monitor *monitor, State *state)
{
    dynamics_problem(monitor->eq, state);
    return second_class_solve_affine(state->second_class);
}

static bool is_minimum(Monitor *monitor, const double *x)
{
    double least = 1;
    branch_kind(monitor->second_class, x, &least);
    return least >= -TOL_AGREEMENT;
}

static void copy_point(const Monitor *monitor, const double *from, double *to)
{
    memcpy(to, from, second_class_size(monitor->second_class) * sizeof *to);
}

// ---- The others.

// All points at the state become the others, but what is followed; true where one that cannot be
// followed is less.
static bool find_rivals(Monitor *monitor, const double *followed)
{
    Branches *all = &monitor->rivals;
    assert(followed && !monitor->keeps);
    double own = second_class_measure(monitor->second_class, followed);
    bool less = false;
    branches_clear(all);
    branches_find(monitor->second_class, all);
    monitor->tied = arena_array(all->arena, bool, all->count + 1);
    monitor->unasked = 0;
    for (size_t i = 0; i < all->count; i++) {
        RunBranch *other = &all->at[i];
        double value = second_class_measure(monitor->second_class, other->a);
        monitor->tied[i] = stationary_ties(value, own);
        less = less || (!other->lambda && value < own * (1 - TOL_CONDITION));
        if (second_class_distance(monitor->second_class, other->a, followed) <= TOL_SMALL)
            other->lambda = NULL;
    }
    return less;
}

// Whether one of the others is less at the state.
static bool is_beaten(Monitor *monitor, double own)
{
    for (size_t i = 0; i < monitor->rivals.count; i++) {
        if (!monitor->rivals.at[i].lambda)
            continue;
        copy_point(monitor, monitor->rivals.at[i].a, monitor->x);
        if (!second_class_newton(monitor->second_class, monitor->x))
            continue;
        double value = second_class_measure(monitor->second_class, monitor->x);
        double margin = monitor->tied[i] ? TOL_CONDITION : TOL_SUM;
        if (value < own - margin * fmax(own, value))
            return true;
    }
    return false;
}

// Whether what is followed is the least at the state, accelerations included. At the end of a step
// all are searched for: each time where the answer is certified, which is cheap, else now and then.
static bool holds(Monitor *monitor, bool at_end)
{
    const double *followed = monitor->second_class->trial;
    if (monitor->keeps)
        return true;
    if (!look(monitor, monitor->state))
        return false;
    size_t steps = monitor->rivals.certified ? 1 : LIMIT_STEPS;
    if (at_end && ++monitor->unasked >= steps && find_rivals(monitor, followed))
        return false;
    return !is_beaten(monitor, second_class_measure(monitor->second_class, followed)) &&
           is_minimum(monitor, followed);
}

// The state was accepted: Newton's method begins from here.
static void accept(Monitor *monitor)
{
    SecondClass *second_class = monitor->second_class;
    assert(second_class->follows);
    bool found = look(monitor, monitor->state);
    copy_point(monitor, second_class->trial, second_class->x);
    if (monitor->keeps || !found)
        return;
    double own = second_class_measure(monitor->second_class, second_class->x);
    for (size_t i = 0; i < monitor->rivals.count; i++) {
        const RunBranch *other = &monitor->rivals.at[i];
        if (other->lambda && second_class_newton(second_class, other->a))
            monitor->tied[i] = stationary_ties(second_class_measure(second_class, other->a), own);
    }
}

// ---- A change.

// Whether there is nothing near what is followed a little later than the state, to first order.
static bool ends(Monitor *monitor)
{
    const State *state = monitor->state;
    State *ahead = &monitor->later;
    double later = TOL_REGULARIZATION * fmax(fabs(*state->t), 1);
    if (!ahead->arena) {
        state_init(ahead, monitor->eq);
        state_need_dense(monitor->eq, ahead);
    }
    *ahead->t = *state->t + later;
    for (size_t i = 0; i < monitor->eq->n; i++) {
        ahead->q[i] = state->q[i] + later * state->v[i];
        ahead->v[i] = state->v[i] + later * state->a[i];
    }
    evaluator_run(&ahead->velocities, ahead->inputs);
    if (!look(monitor, ahead))
        return false;
    Branches all;
    bool ended = true;
    branches_find(ahead->second_class, &all);
    for (size_t i = 0; i < all.count; i++)
        ended = ended && !(all.at[i].lambda &&
                           second_class_distance(monitor->second_class, all.at[i].a,
                                                 monitor->second_class->trial) <= TOL_POOR);
    branches_clear(&all);
    return ended;
}

// The least minimum beside what was followed, of several the one nearest to it; all->count where
// there is none. What is as near as `near` is that itself: where it has ended, nothing to go on
// with. *tied is how many have the least constraint.
static size_t choose(const Monitor *monitor, const Branches *all, const double *followed,
                     double near, size_t *tied)
{
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
static bool is_blocked(const Monitor *monitor, const Branches *all, size_t best,
                       const double *ended)
{
    for (size_t i = 0; i < best; i++)
        if (!all->at[i].lambda &&
            !stationary_ties(all->at[i].constraint, all->at[best].constraint) &&
            !(ended &&
              second_class_distance(monitor->second_class, all->at[i].a, ended) <= TOL_POOR))
            return true;
    return false;
}

typedef enum {
    BRANCH_SAME,    // none is better
    BRANCH_CHANGED, // another is followed from now on
    BRANCH_LOST     // the least cannot be followed: a singular point, a continuum, or none
} BranchChange;

// At the state: the least, of several the one nearest to what was followed; `ended` where that is
// no more.
static BranchChange choose_other(Monitor *monitor, bool ended, size_t *tied)
{
    SecondClass *second_class = monitor->second_class;
    *tied = 0;
    if (monitor->keeps || !look(monitor, monitor->state))
        return BRANCH_LOST;
    Branches all;
    double *followed = monitor->x;
    copy_point(monitor, ended ? second_class->x : second_class->trial, followed);
    branches_find(second_class, &all);
    size_t best = choose(monitor, &all, followed, ended ? TOL_POOR : TOL_SMALL, tied);
    BranchChange change = BRANCH_LOST;
    if (best < all.count && !is_blocked(monitor, &all, best, ended ? followed : NULL)) {
        double own = second_class_measure(monitor->second_class, followed),
               value = second_class_measure(monitor->second_class, all.at[best].a);
        bool better =
            ended || value <= own || stationary_ties(value, own) || !is_minimum(monitor, followed);
        change = better ? BRANCH_CHANGED : BRANCH_SAME;
    }
    if (change == BRANCH_CHANGED) {
        copy_point(monitor, all.at[best].a, second_class->x);
        find_rivals(monitor, second_class->x);
    }
    branches_clear(&all);
    return change;
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
        diag_add(run->diag, DIAG_NOTE, constraint->place,
                 "at t = %.10g %zu accelerations have the least constraint: a tie. The run takes "
                 "the one nearest to the last, the first in order of those as near",
                 mode->t, tied);
}

// False after many changes in a row that lead nowhere.
static bool moves_on(Monitor *monitor, double t)
{
    bool stays = t - monitor->changed_at <= TOL_ROUNDING * fabs(t);
    monitor->crowd = stays ? monitor->crowd + 1 : 0;
    monitor->changed_at = t;
    return monitor->crowd < LIMIT_PATIENCE;
}

// From the same state; the step was cut there.
static bool begin_again(Monitor *monitor)
{
    ContactMode *mode = monitor->mode;
    memcpy(monitor->x, mode->state->v, monitor->eq->n * sizeof *monitor->x);
    return mode_begin(mode, mode->t, mode->state->q, monitor->x, 0);
}

// At the state where the step was cut.
static RunResult change(SimulationRun *run, Monitor *monitor, bool ended)
{
    ContactMode *mode = run->mode;
    size_t tied;
    assert(mode == monitor->mode);
    RunResult result = record_rows(run, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    BranchChange how = choose_other(monitor, ended, &tied);
    if (how == BRANCH_LOST || !moves_on(monitor, mode->t)) {
        mode->why = DYNAMICS_BRANCH;
        return RESULT_FAILED;
    }
    if (how == BRANCH_SAME) {
        accept(monitor);
        return begin_again(monitor) ? RESULT_CONTINUE : RESULT_FAILED;
    }
    if (!record_row(run, !record_is_row(run, mode->t)))
        return RESULT_STOPPED;
    record_change(run, tied);
    if (!begin_again(monitor) || !mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    return record_after_event(run);
}

// ---- Hooks.

static bool event(SimulationRun *run, void *data, bool stepped, RunResult *result)
{
    Monitor *monitor = data;
    ContactMode *mode = run->mode;
    if (!monitor)
        return false;
    assert(mode == monitor->mode);
    *result = RESULT_FAILED;
    if (!mode_evaluate(mode, mode->t))
        return stepped;
    if (!stepped) {
        if (!ends(monitor))
            return false;
        accept(monitor);
        *result = change(run, monitor, true);
        return true;
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

static bool add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    (void)eq;
    if (why != DYNAMICS_BRANCH)
        return false;
    text_addf(text,
              "the acceleration of least constraint that was followed ends there, and no other "
              "is found near it that meets the constraint '%s'",
              second_class_condition(state->second_class)->name);
    return true;
}

const SimulationModule module_second_class = {.applies = branches_apply,
                                              .start = {[START_ACCELERATED] = branches_start},
                                              .clear = branches_free,
                                              .begin = begin,
                                              .end = end,
                                              .event = event,
                                              .add_reason = add_reason};

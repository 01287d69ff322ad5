// branch_events.c: a run goes over from one stationary point of Gauss's function to another (Hamel
// 252): where another becomes less, where it stops being a minimum, or where it ends.
//
// Positions and velocities stay, the accelerations jump. Which conditions act is not asked: all do.
#include "base/base.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/second_class/branches_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_module_impl.h"
#include "simulate/simulation_run_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// How much later than where no step is possible it is looked for what was followed.
#define LATER 1e-7
// So many changes in a row within so many roundings of the time lead nowhere.
#define MOST_CROWD 8
#define CROWD      64

// The first time of the last step at which what is followed is no longer the least: it was at the
// step's beginning.
static double locate(ContactMode *mode, BranchMonitor *monitor)
{
    double holds = mode->from, over = mode->t;
    while (over - holds > 2 * DBL_EPSILON * fabs(over)) {
        double middle = holds + (over - holds) / 2;
        if (!(middle > holds && middle < over))
            break;
        if (mode_evaluate(mode, middle) && branch_monitor_holds(monitor, false))
            holds = middle;
        else
            over = middle;
    }
    return over;
}

static void record_change(SimulationRun *run, size_t tied)
{
    const ContactMode *mode = run->mode;
    const Motion *motion = run->sim->motion;
    const ModelConstraint *constraint = motion->seconds[motion->affine_count].row.constraint;
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
static bool moves_on(BranchMonitor *monitor, double t)
{
    bool stays = t - monitor->changed_at <= CROWD * DBL_EPSILON * fabs(t);
    monitor->crowd = stays ? monitor->crowd + 1 : 0;
    monitor->changed_at = t;
    return monitor->crowd < MOST_CROWD;
}

// From the same state; the step was cut there.
static bool begin_again(ContactMode *mode)
{
    size_t n = mode->eq->n;
    double *q = base_alloc((2 * n + 1) * sizeof *q), *v = q + n;
    memcpy(q, mode->state->q, n * sizeof *q);
    memcpy(v, mode->state->v, n * sizeof *v);
    bool begun = mode_begin(mode, mode->t, q, v, 0);
    base_free(q);
    return begun;
}

// At the state where the step was cut.
static RunResult change(SimulationRun *run, BranchMonitor *monitor, bool ended)
{
    ContactMode *mode = run->mode;
    size_t tied;
    RunResult result = record_rows(run, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    BranchChange how = branch_monitor_change(monitor, ended, &tied);
    if (how == BRANCH_LOST || !moves_on(monitor, mode->t)) {
        mode->why = DYNAMICS_BRANCH;
        return RESULT_FAILED;
    }
    if (how == BRANCH_SAME) {
        branch_monitor_accept(monitor);
        return begin_again(mode) ? RESULT_CONTINUE : RESULT_FAILED;
    }
    if (!record_row(run, !record_is_row(run, mode->t)))
        return RESULT_STOPPED;
    record_change(run, tied);
    if (!begin_again(mode) || !mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    if (!record_row(run, true))
        return RESULT_STOPPED;
    bool over = record_is_row(run, mode->t) && record_skip_row(run);
    return over ? RESULT_FINISHED : RESULT_CONTINUE;
}

// ---- Hooks.

static bool applies(const Motion *motion)
{
    return motion->second_count > 0;
}

static void *begin(SimulationRun *run)
{
    return branch_monitor_new(run->sim);
}

static void end(void *data)
{
    branch_monitor_free(data);
}

static bool event(SimulationRun *run, void *data, RunResult *result)
{
    BranchMonitor *monitor = data;
    ContactMode *mode = run->mode;
    if (!monitor)
        return false;
    *result = RESULT_FAILED;
    if (!mode_evaluate(mode, mode->t))
        return true;
    if (branch_monitor_holds(monitor, true)) {
        branch_monitor_accept(monitor);
        return false;
    }
    double t = locate(mode, monitor);
    const double *y = mode_state(mode, t);
    if (!y)
        return true;
    mode_cut(mode, t, y);
    run->summary->reached = mode->t;
    *result = change(run, monitor, false);
    return true;
}

static bool no_step(SimulationRun *run, void *data, RunResult *result)
{
    BranchMonitor *monitor = data;
    ContactMode *mode = run->mode;
    if (!monitor || !mode_evaluate(mode, mode->t) ||
        !branch_monitor_ends(monitor, LATER * fmax(fabs(mode->t), 1)))
        return false;
    branch_monitor_accept(monitor);
    *result = change(run, monitor, true);
    return true;
}

static bool add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    (void)state;
    if (why != DYNAMICS_BRANCH)
        return false;
    const Motion *motion = eq->motion;
    text_addf(text,
              "the acceleration of least constraint that was followed ends there, and no other "
              "is found near it that meets the constraint '%s'",
              motion->seconds[motion->affine_count].row.constraint->name);
    return true;
}

const SimulationModule module_second_class = {.applies = applies,
                                              .start = branches_start,
                                              .clear = branches_free,
                                              .begin = begin,
                                              .end = end,
                                              .event = event,
                                              .no_step = no_step,
                                              .add_reason = add_reason};

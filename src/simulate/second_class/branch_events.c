// branch_events.c: a run goes over from one stationary point of Gauss's function to another (Hamel
// 252): where another becomes less, where it stops being a minimum, or where it ends.
//
// Positions and velocities stay, the accelerations jump. Which conditions act is not asked: all do.
#include "simulate/journey_impl.h"
#include "simulate/simulation_impl.h"

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
static double locate(Journey *journey)
{
    ContactMode *mode = journey->mode;
    double holds = mode->from, over = mode->t;
    while (over - holds > 2 * DBL_EPSILON * fabs(over)) {
        double middle = holds + (over - holds) / 2;
        if (!(middle > holds && middle < over))
            break;
        if (mode_evaluate(mode, middle) && branch_monitor_holds(&journey->branches, false))
            holds = middle;
        else
            over = middle;
    }
    return over;
}

static void tell_change(Journey *journey, size_t tied)
{
    const ContactMode *mode = journey->mode;
    const Motion *motion = journey->run->motion;
    const ModelConstraint *constraint = motion->seconds[motion->affine_count].row.constraint;
    record_event(journey, &(RunEvent){.t = mode->t,
                                      .kind = RUN_BRANCH,
                                      .constraint = constraint,
                                      .before = mode->state->v,
                                      .after = mode->state->v});
    if (tied > 1)
        diag_add(journey->diag, DIAG_NOTE, constraint->place,
                 "at t = %.10g %zu accelerations have the least constraint: a tie. The run takes "
                 "the one nearest to the last, the first in order of those as near",
                 mode->t, tied);
}

// False after many changes in a row that lead nowhere.
static bool moves_on(Journey *journey)
{
    double t = journey->mode->t;
    bool stays = t - journey->branches.changed_at <= CROWD * DBL_EPSILON * fabs(t);
    journey->branches.crowd = stays ? journey->branches.crowd + 1 : 0;
    journey->branches.changed_at = t;
    return journey->branches.crowd < MOST_CROWD;
}

// From the same state; the integrator was cut there.
static bool set_out(ContactMode *mode)
{
    size_t n = mode->eq->n;
    double *q = base_alloc((2 * n + 1) * sizeof *q), *v = q + n;
    memcpy(q, mode->state->q, n * sizeof *q);
    memcpy(v, mode->state->v, n * sizeof *v);
    bool out = mode_begin(mode, mode->t, q, v, 0);
    base_free(q);
    return out;
}

// At the state where the leg was cut.
static RunResult change(Journey *journey, bool ended)
{
    ContactMode *mode = journey->mode;
    size_t tied;
    RunResult result = record_rows(journey, true);
    if (result != RESULT_CONTINUE)
        return result;
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    BranchChange how = branch_monitor_change(&journey->branches, ended, &tied);
    if (how == BRANCH_LOST || !moves_on(journey)) {
        mode->why = DYNAMICS_BRANCH;
        return RESULT_FAILED;
    }
    if (how == BRANCH_SAME) {
        branch_monitor_accept(&journey->branches);
        return set_out(mode) ? RESULT_CONTINUE : RESULT_FAILED;
    }
    if (!record_row(journey, !record_is_row(journey, mode->t)))
        return RESULT_STOPPED;
    tell_change(journey, tied);
    if (!set_out(mode) || !mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    if (!record_row(journey, true))
        return RESULT_STOPPED;
    bool over = record_is_row(journey, mode->t) && record_skip_row(journey);
    return over ? RESULT_FINISHED : RESULT_CONTINUE;
}

bool branches_process(Journey *journey, RunResult *result)
{
    ContactMode *mode = journey->mode;
    if (!branch_monitor_is_on(&journey->branches))
        return false;
    *result = RESULT_FAILED;
    if (!mode_evaluate(mode, mode->t))
        return true;
    if (branch_monitor_holds(&journey->branches, true)) {
        branch_monitor_accept(&journey->branches);
        return false;
    }
    double t = locate(journey);
    const double *y = mode_state(mode, t);
    if (!y)
        return true;
    mode_cut(mode, t, y);
    journey->summary->reached = mode->t;
    *result = change(journey, false);
    return true;
}

bool branches_continue(Journey *journey, RunResult *result)
{
    ContactMode *mode = journey->mode;
    if (!branch_monitor_is_on(&journey->branches) || !mode_evaluate(mode, mode->t) ||
        !branch_monitor_ends(&journey->branches, LATER * fmax(fabs(mode->t), 1)))
        return false;
    branch_monitor_accept(&journey->branches);
    *result = change(journey, true);
    return true;
}

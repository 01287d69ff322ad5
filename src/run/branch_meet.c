// branch_meet.c: a run goes over from one stationary point of Gauss's function to another (Hamel
// 252): where another becomes less, where it stops being a minimum, or where it ends.
//
// Positions and velocities stay, the accelerations jump. Which conditions act is not asked: all do.
#include "run/journey_impl.h"

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
    Leg *leg = journey->leg;
    double holds = leg->from, over = leg->t;
    while (over - holds > 2 * DBL_EPSILON * fabs(over)) {
        double middle = holds + (over - holds) / 2;
        if (!(middle > holds && middle < over))
            break;
        if (leg_evaluate(leg, middle) && branch_watch_holds(&journey->branches, false))
            holds = middle;
        else
            over = middle;
    }
    return over;
}

static void tell_change(Journey *journey, size_t tied)
{
    const Leg *leg = journey->leg;
    const Motion *motion = journey->run->motion;
    const ModelConstraint *constraint = motion->seconds[motion->affine_count].row.constraint;
    tell_event(journey, &(RunEvent){.t = leg->t,
                                    .kind = RUN_BRANCH,
                                    .constraint = constraint,
                                    .before = leg->state->v,
                                    .after = leg->state->v});
    if (tied > 1)
        diag_add(journey->diag, DIAG_NOTE, constraint->place,
                 "at t = %.10g %zu accelerations have the least constraint: a tie. The run takes "
                 "the one nearest to the last, the first in order of those as near",
                 leg->t, tied);
}

// False after many changes in a row that lead nowhere.
static bool moves_on(Journey *journey)
{
    double t = journey->leg->t;
    bool stays = t - journey->branches.changed_at <= CROWD * DBL_EPSILON * fabs(t);
    journey->branches.crowd = stays ? journey->branches.crowd + 1 : 0;
    journey->branches.changed_at = t;
    return journey->branches.crowd < MOST_CROWD;
}

// From the same state; the integrator was cut there.
static bool set_out(Leg *leg)
{
    size_t n = leg->eq->n;
    double *q = base_alloc((2 * n + 1) * sizeof *q), *v = q + n;
    memcpy(q, leg->state->q, n * sizeof *q);
    memcpy(v, leg->state->v, n * sizeof *v);
    bool out = leg_begin(leg, leg->t, q, v, 0);
    base_free(q);
    return out;
}

// At the state where the leg was cut.
static Arrival change(Journey *journey, bool ended)
{
    Leg *leg = journey->leg;
    size_t tied;
    Arrival arrival = tell_rows(journey, true);
    if (arrival != ON_THE_WAY)
        return arrival;
    if (!leg_evaluate(leg, leg->t))
        return STRANDED;
    BranchChange how = branch_watch_change(&journey->branches, ended, &tied);
    if (how == BRANCH_LOST || !moves_on(journey)) {
        leg->why = NUMBERS_BRANCH;
        return STRANDED;
    }
    if (how == BRANCH_SAME) {
        branch_watch_accept(&journey->branches);
        return set_out(leg) ? ON_THE_WAY : STRANDED;
    }
    if (!tell_row(journey, !tell_is_row(journey, leg->t)))
        return ENOUGH;
    tell_change(journey, tied);
    if (!set_out(leg) || !leg_evaluate(leg, leg->t))
        return STRANDED;
    if (!tell_row(journey, true))
        return ENOUGH;
    bool over = tell_is_row(journey, leg->t) && tell_skip_row(journey);
    return over ? ARRIVED : ON_THE_WAY;
}

bool branches_meet(Journey *journey, Arrival *arrival)
{
    Leg *leg = journey->leg;
    if (!branch_watch_is_on(&journey->branches))
        return false;
    *arrival = STRANDED;
    if (!leg_evaluate(leg, leg->t))
        return true;
    if (branch_watch_holds(&journey->branches, true)) {
        branch_watch_accept(&journey->branches);
        return false;
    }
    double t = locate(journey);
    const double *y = leg_state(leg, t);
    if (!y)
        return true;
    leg_cut(leg, t, y);
    journey->summary->reached = leg->t;
    *arrival = change(journey, false);
    return true;
}

bool branches_go_on(Journey *journey, Arrival *arrival)
{
    Leg *leg = journey->leg;
    if (!branch_watch_is_on(&journey->branches) || !leg_evaluate(leg, leg->t) ||
        !branch_watch_ends(&journey->branches, LATER * fmax(fabs(leg->t), 1)))
        return false;
    branch_watch_accept(&journey->branches);
    *arrival = change(journey, true);
    return true;
}

// branches_impl.h: what the conditions hold of the state, in words.
#ifndef ZWANG_SIMULATE_SECOND_CLASS_BRANCHES_IMPL_H
#define ZWANG_SIMULATE_SECOND_CLASS_BRANCHES_IMPL_H

#include "base/base.h"
#include "dynamics/branches.h"
#include "dynamics/dynamics.h"
#include "simulate/simulate.h"

// ---- branch_start.c: what the conditions hold of the state, in words.
void branch_add_state(const Equations *eq, const State *state, Text *text);

// ---- branch_monitor.c: along a run: whether the stationary point that is followed stays the
// least.
typedef struct {
    double *x;
    bool tied; // at the last accepted state it had the same constraint
} BranchRival;
typedef struct {
    const Equations *eq;
    State *state;
    bool keeps; // which is followed was chosen by number: it is followed as long as it is there
    ARRAY(BranchRival) rivals;
    size_t unasked; // steps since all were asked for
    bool certified;
    double *free;      // accelerations without the conditions
    double changed_at; // when what is followed was changed last, and how often about there
    size_t crowd;
} BranchMonitor;
typedef enum {
    BRANCH_SAME,    // none is better
    BRANCH_CHANGED, // another is followed from now on
    BRANCH_LOST     // the least cannot be followed: a singular point, a continuum, or none
} BranchChange;
// At the start; nothing is watched where no condition is curved.
void branch_monitor_init(BranchMonitor *monitor, Run *run);
void branch_monitor_clear(BranchMonitor *monitor);
bool branch_monitor_is_on(const BranchMonitor *monitor);
// Whether what is followed is the least at numbers' state, accelerations included. At the end of a
// step all are asked for now and then, which finds those that have come up.
bool branch_monitor_holds(BranchMonitor *monitor, bool at_end);
// Whether there is nothing near what is followed a little later than numbers' state.
bool branch_monitor_ends(BranchMonitor *monitor, double later);
// The state was accepted: Newton begins from here.
void branch_monitor_accept(BranchMonitor *monitor);
// At numbers' state: the least, of several the one nearest to what was followed; `ended` where that
// is no more. *tied is how many have the least constraint.
BranchChange branch_monitor_change(BranchMonitor *monitor, bool ended, size_t *tied);

// ---- branch_start.c: the stationary points at the start, and which of them is the motion: after
// the accelerations without the conditions that have them.
BASE_MUST_USE Status branches_begin(Run *run, bool instant, Diag *diag);

#endif

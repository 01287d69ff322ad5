// branches_impl.h: stationary points of Gauss's function, where a condition is not affine in the
// accelerations: which of them is the motion.
#ifndef ZWANG_SIMULATE_SECOND_CLASS_BRANCHES_IMPL_H
#define ZWANG_SIMULATE_SECOND_CLASS_BRANCHES_IMPL_H

#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "simulate/simulate.h"

// ---- branch_start.c: the stationary points at the start, and which of them is the motion.
struct StartBranches {
    Branches found;
    RunBranches told;
};
// After the accelerations without the conditions that are not affine.
BASE_MUST_USE Status branches_start(Simulation *sim, Diag *diag);
void branches_free(Simulation *sim);

// ---- branch_monitor.c: along a run: whether the stationary point that is followed stays the
// least.
typedef struct {
    double *x;
    bool tied; // at the last accepted state it had the same constraint
} BranchRival;
typedef struct {
    const Equations *eq;
    State *state; // of the mode
    State later;  // the one a little later
    bool keeps;   // which is followed was chosen by number: it is followed as long as it is there
    ARRAY(BranchRival) rivals;
    size_t unasked; // steps since all were searched for
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
// From the start; NULL where all conditions are affine in the accelerations.
BranchMonitor *branch_monitor_new(Simulation *sim);
void branch_monitor_free(BranchMonitor *monitor);
// Whether what is followed is the least at the state, accelerations included. At the end of a step
// all are searched for now and then, which finds new ones.
bool branch_monitor_holds(BranchMonitor *monitor, bool at_end);
// Whether there is nothing near what is followed a little later than the state.
bool branch_monitor_ends(BranchMonitor *monitor, double later);
// The state was accepted: Newton's method begins from here.
void branch_monitor_accept(BranchMonitor *monitor);
// At the state: the least, of several the one nearest to what was followed; `ended` where that is
// no more. *tied is how many have the least constraint.
BranchChange branch_monitor_change(BranchMonitor *monitor, bool ended, size_t *tied);

#endif

// seconds_impl.h: conditions of the second class as numbers (Hamel 252). Never leaves the room.
#ifndef ZWANG_RUN_SECONDS_IMPL_H
#define ZWANG_RUN_SECONDS_IMPL_H

#include "run/numbers_impl.h"

// ---- seconds.c: their rows at a state, and the stationary point that is followed.
//
// Affine ones are rows g·q'' + γ = 0, and stand behind the rows of the other conditions. With
// curved ones, those that are not affine, the accelerations are a stationary point of Gauss's
// function on f = 0; Newton's method finds it from one nearby. x is then a | μ of all rows | λ of
// the curved.
struct SecondClass {
    const Equations *eq;
    const State *state;
    size_t affine, curved;
    Evaluator rows; // g, then γ, of the affine ones: in t, q, v
    Evaluator local; // f, then g, of the curved ones, then H = Σ λ ∂²f/∂q''²: in t, q, v, q'', λ
    Evaluator implicit; // f of the curved ones, then Σ λg
    double *packed;     // all rows, then their drifts, then their directions
    double *inputs;     // as numbers has them, of the last look
    size_t size;        // of x, at most
    double *x;          // what is followed
    bool follows;
    double *matrix, *step, *trial; // room for Newton
    lapack_int *pivots;
    BranchQuestion *question; // NULL where nothing is curved
};
BASE_MUST_USE Status second_class_new(const Equations *eq, State *state, Diag *diag);
void second_class_free(SecondClass *second_class);

// Puts the affine ones behind the rows of a problem, at the state of `inputs`.
void second_class_append(SecondClass *second_class, const double *inputs, KktProblem *problem);

// What they do on a coordinate for these multipliers, after accelerations were found.
double second_class_reaction(const SecondClass *second_class, const double *lambda, size_t nu);

// The rest is about curved ones, for a problem that has the affine ones already; `inputs` are
// numbers': of them parameters, t, q and v count.
size_t second_class_size(const SecondClass *second_class, const KktProblem *problem);
// f, g and H for the accelerations and multipliers of x.
void second_class_evaluate(SecondClass *second_class, const KktProblem *problem,
                           const double *inputs, const double *x);
// After a look: the derivatives by x of all equations, [𝓜 − H −bᵀ −gᵀ; b 0 0; g 0 0].
void second_class_matrix(const SecondClass *second_class, const KktProblem *problem,
                         double *matrix);
// Newton's method from x; false where it does not arrive. The last look is at what was found.
bool second_class_newton(SecondClass *second_class, const KktProblem *problem,
                         const double *inputs, double *x);
// Given the accelerations in x: the multipliers that fit best, behind them.
void second_class_multipliers(SecondClass *second_class, const KktProblem *problem,
                              const double *inputs, double *x);

// ---- branches.c: all stationary points at a state.
typedef struct {
    Arena *arena;
    RunBranch *at;
    double **x; // of each
    size_t count;
    bool certified;
} Branches;
void branch_question_new(SecondClass *second_class, Motion *motion);
void branch_question_free(BranchQuestion *question);
// At the state of `inputs`. The multipliers of a branch are in the order of the conditions in
// force.
void branches_find(SecondClass *second_class, const KktProblem *problem, const double *inputs,
                   Branches *branches);
void branches_clear(Branches *branches);
// What kind of point x is.
RunBranchKind branch_kind(SecondClass *second_class, const KktProblem *problem,
                          const double *inputs, const double *x, double *least);

// ---- branch_start.c: what the conditions hold of the state, in words.
void branch_add_state(const Equations *eq, const State *state, Text *text);

// ---- branch_watch.c: along a run: whether the stationary point that is followed stays the least.
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

// ---- branch_search.c: the same by searching from many places, always the same ones, where it
// cannot be asked exactly. Points are told one after the other, each at least once.
typedef void (*BranchTell)(void *context, bool singular, const double *x);
void branch_search(SecondClass *second_class, const KktProblem *problem, const double *inputs,
                   BranchTell tell, void *context);

#endif

// branches.h: stationary points of Gauss's function on conditions of the second class, as users see
// them.
#ifndef ZWANG_DYNAMICS_BRANCHES_H
#define ZWANG_DYNAMICS_BRANCHES_H

#include "base/memory.h"

// ---- Conditions that are not affine in the accelerations (Hamel 252): the stationary points of
// Gauss's function at the start, the least first.
typedef enum {
#define BRANCH(NAME, word, meaning) BRANCH_##NAME,
#include "dynamics/branch_kinds.def"
#undef BRANCH
    BRANCH_KIND_COUNT
} RunBranchKind;
typedef struct {
    const char *word, *meaning; // "minimum", as in JSON; what it is in a table
} RunBranchWords;
extern const RunBranchWords run_branch_words[BRANCH_KIND_COUNT];

typedef struct {
    RunBranchKind kind;
    double *a;            // n; of a continuum: one of them
    const double *lambda; // of the conditions in force; NULL where they are not determined
    double constraint;    // Gauss's function
    double error;         // no part of a is further from the exact one; NAN where that is not known
    size_t freedom;       // of a continuum: its dimension
    bool tied;            // in a run: the constraint is that of the motion
} RunBranch;

typedef struct RunBranches {
    Arena *arena;           // owns them
    RunBranch *at;          // a of each is a stationary point with all multipliers
    size_t count, capacity; // 0: there is no such condition
    bool certified; // these are all, for the numbers at the start; else they were searched for
    double offset;  // what Gauss's function is without the conditions
    size_t taken;   // which is the motion
    size_t tied;    // how many have the least constraint
} RunBranches;

#endif

// condition_multipliers.h: where the multipliers of conditions stand at a state.
#ifndef ZWANG_DYNAMICS_CONDITION_MULTIPLIERS_H
#define ZWANG_DYNAMICS_CONDITION_MULTIPLIERS_H

#include "dynamics/equations_types.h"

// From λ in the order of dynamics_row: every multiplier to its condition; those of rows left out
// get their share where `shared`.
void dynamics_hand_out_multipliers(const Equations *eq, State *state, bool shared);
// After that: λ of the conditions on accelerations back behind the independent rows.
void dynamics_collect_multipliers(const Equations *eq, State *state);
// Where the multiplier of a condition stands among those of all.
size_t dynamics_multiplier_index(const Equations *eq, const ModelConstraint *constraint);
// The multiplier of a condition in force, counted as the motion counts them.
double *dynamics_multiplier(const Equations *eq, const State *state, size_t condition);
// A unilateral condition, and its multiplier; what does not act has none.
const ModelConstraint *dynamics_side_condition(const Equations *eq, size_t side);
double *dynamics_side_multiplier(const Equations *eq, const State *state, size_t side);
void dynamics_clear_reactions(const Equations *eq, State *state);

#endif

// condition_multipliers.c: the multipliers of conditions: from the solved equations to the
// conditions' own places, and back.
#include "dynamics/condition_multipliers.h"
#include "dynamics/independent_rows.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <string.h>

size_t dynamics_multiplier_index(const Equations *eq, const ModelConstraint *constraint)
{
    const Model *model = eq->motion->model;
    const ModelConstraint *sticks = model->sticks.at;
    if (model->sticks.count > 0 && constraint >= sticks &&
        constraint < sticks + model->sticks.count)
        return model->constraints.count + (size_t)(constraint - sticks);
    return (size_t)(constraint - model->constraints.at);
}

void dynamics_collect_multipliers(const Equations *eq, State *state)
{
    memmove(state->lambda + eq->independent.count, state->lambda + eq->m,
            eq->motion->second_count * sizeof *state->lambda);
}

void dynamics_hand_out_multipliers(const Equations *eq, State *state, bool shared)
{
    assert(eq->independent.count <= eq->m);
    const Motion *motion = eq->motion;
    size_t m = eq->m, needed = eq->independent.count;
    memmove(state->lambda + m, state->lambda + needed,
            motion->second_count * sizeof *state->lambda);
    if (needed < m && shared)
        independent_rows_share(eq, state);
    for (size_t i = 0; i < m; i++)
        state->multipliers[dynamics_multiplier_index(eq, motion->rows[i].constraint)] =
            state->lambda[i];
    for (size_t i = 0; i < motion->second_count; i++)
        state->multipliers[dynamics_multiplier_index(eq, motion->seconds[i].row.constraint)] =
            state->lambda[m + i];
}

double *dynamics_multiplier(const Equations *eq, const State *state, size_t condition)
{
    assert(condition < eq->motion->in_force_count);
    return state->multipliers + dynamics_multiplier_index(eq, eq->motion->in_force[condition]);
}

const ModelConstraint *dynamics_side_condition(const Equations *eq, size_t side)
{
    assert(side < eq->motion->side_count);
    return eq->motion->sides[side].constraint;
}

double *dynamics_side_multiplier(const Equations *eq, const State *state, size_t side)
{
    return state->multipliers + dynamics_multiplier_index(eq, dynamics_side_condition(eq, side));
}

void dynamics_clear_reactions(const Equations *eq, State *state)
{
    for (size_t i = 0; i < eq->motion->side_count; i++)
        *dynamics_side_multiplier(eq, state, i) = 0;
    const Model *model = eq->motion->model;
    memset(state->multipliers + model->constraints.count, 0,
           model->sticks.count * sizeof *state->multipliers);
}

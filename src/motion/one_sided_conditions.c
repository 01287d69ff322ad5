// one_sided_conditions.c: one-sided conditions as rows f, f' = b·q' + c, f'' = b·q'' + γ, with f ≤
// 0 allowed (Mayer 1899, (1)–(5)).
//
// All of them are rows, also those that depend on others: which of them act is a question to the
// state, and there dependence does no harm. There may be very many, of which few ever touch.
#include "model/whiles.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

// f alone; the rest is derived when somebody asks for it.
static MotionRow make_side(Motion *motion, const ModelConstraint *constraint)
{
    MotionRow row = {.constraint = constraint, .position = constraint->residual};
    if (constraint->at_least)
        row.position = expr_sub(motion->pool, constraint->right, constraint->left);
    return row;
}

const MotionRow *motion_side(const Motion *motion, size_t index)
{
    MotionRow *row = &motion->sides[index];
    if (row->b)
        return row;
    row->velocity = expr_rate(motion->dt_still, row->position);
    row->b = row->d = arena_alloc(motion->side_arena, motion->n * sizeof(Expr));
    row->linear = expr_linear(motion->pool, row->velocity, motion->v, motion->n, row->b, &row->c);
    assert(row->linear && "it holds coordinates and t alone");
    row->gamma = expr_rate(motion->dt_still, row->velocity);
    return row;
}

Status motion_make_sides(Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    size_t most = model->constraints.count;
    motion->side_arena = motion->arena;
    motion->sides = arena_alloc(motion->arena, (most + 1) * sizeof *motion->sides);
    for (size_t i = 0; i < most; i++)
        if (model->constraints.at[i].kind == CONSTRAINT_ONE_SIDED &&
            model_acts(model, model->constraints.at[i].waits))
            motion->sides[motion->side_count++] = make_side(motion, &model->constraints.at[i]);
    for (size_t i = 0; i < most; i++)
        if (model_is_switched_row(model, &model->constraints.at[i]))
            TRY(motion_make_row(motion, &model->constraints.at[i], diag,
                                &motion->sides[motion->side_count++]));
    return STATUS_OK;
}

Expr motion_multiplier(const Motion *motion, const ModelConstraint *constraint)
{
    bool pushes_back = constraint->kind == CONSTRAINT_ONE_SIDED && !constraint->at_least;
    return pushes_back ? expr_neg(motion->pool, constraint->lambda) : constraint->lambda;
}

// elimination_sample.c: some state and numbers for the parameters.
#include "base/diag.h"
#include "dynamics/elimination.h"
#include "expr/arithmetic.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>

// The numbers are what doubles are, exactly.
static void choose_state(const Motion *motion, Arena *arena, EliminationSample *sample)
{
    sample->count = 1 + 2 * motion->n;
    sample->inputs = arena_array(arena, Expr, sample->count);
    sample->state = arena_array(arena, double, sample->count);
    sample->inputs[0] = motion->model->t;
    for (size_t i = 0; i < 2 * motion->n; i++)
        sample->inputs[1 + i] = i < motion->n ? motion->q[i] : motion->v[i - motion->n];
    // Sines of whole numbers lie all over their interval, in no simple pattern.
    for (size_t i = 0; i < sample->count; i++)
        sample->state[i] = (2 + sin((double)i)) / 4;
}

bool elimination_sample(const Motion *motion, Arena *arena, EliminationSample *sample)
{
    assert(motion && arena);
    const Model *model = motion->model;
    Diag *unheard = diag_new();
    double *numbers = arena_array(arena, double, model->params.count + 1);
    bool known = model_param_values(model, unheard, numbers) == STATUS_OK;
    choose_state(motion, arena, sample);
    sample->fixed = expr_subst_new(motion->pool);
    for (size_t i = 0; i < model->params.count && known; i++)
        expr_subst_set(sample->fixed, model->params.at[i].symbol,
                       expr_double(motion->pool, numbers[i]));
    diag_free(unheard);
    return known;
}

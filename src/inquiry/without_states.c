// without_states.c: the motion of the coordinates alone, beside continuous states.
//
// States are the last coordinates, and the conditions that give their rates are theirs alone. Where
// no other condition, no speed and no T holds one, the conditions on the coordinates have a kind of
// their own, as though the states were functions of the time.
#include "inquiry/inquiry_impl.h"

#include <string.h>

static bool holds_states(const Motion *motion, Expr e)
{
    size_t states = motion->model->rated_count, first = motion->n - states;
    return !expr_is_none(e) && (expr_holds_any(motion->pool, e, motion->q + first, states) ||
                                expr_holds_any(motion->pool, e, motion->v + first, states));
}

static bool is_apart(const Motion *motion)
{
    bool apart = !holds_states(motion, motion->T) && motion->second_count == 0;
    for (size_t i = 0; i < motion->m && apart; i++)
        apart = motion->rows[i].constraint->rated > 0 ||
                !(holds_states(motion, motion->rows[i].velocity) ||
                  holds_states(motion, motion->rows[i].position));
    for (size_t i = 0; i < motion->k && apart; i++)
        apart = !holds_states(motion, motion->state.speeds[i].value);
    return apart;
}

Motion *inquiry_without_states(Motion *motion)
{
    if (motion->model->rated_count == 0)
        return motion;
    if (!is_apart(motion))
        return NULL;
    Motion *part = base_alloc(sizeof *part);
    *part = *motion;
    part->power_facts = NULL; // those are of the whole
    part->n -= motion->model->rated_count;
    part->m = 0;
    part->rows = base_alloc((motion->m + 1) * sizeof *part->rows);
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].constraint->rated == 0)
            part->rows[part->m++] = motion->rows[i];
    return part;
}

void inquiry_part_free(Motion *part, const Motion *motion)
{
    if (!part || part == motion)
        return;
    const MotionReduction *own[] = {&part->state, &part->velocities};
    const MotionReduction *whole[] = {&motion->state, &motion->velocities};
    for (int i = 0; i < 2; i++) {
        if (own[i]->subst != whole[i]->subst)
            expr_subst_free(own[i]->subst);
        if (own[i]->along != whole[i]->along)
            expr_rates_free(own[i]->along);
    }
    base_free(part->rows);
    base_free(part);
}

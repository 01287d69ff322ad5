// switch_functions.c: abs, sign, min and max in the equations, and whether one of them has
// switched.
//
// A step of a series ends just beyond the first switch, so that whatever has another sign at the
// end of a step than before has switched there. Other methods step over it; the event detector
// finds it inside the step.
#include "dynamics/dynamics.h"
#include "expr/expr.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <string.h>

// What decides a function's branch: its argument, or the difference of both; none where it has no
// branches.
static Expr decides(ExprPool *pool, Expr e)
{
    switch (expr_op(pool, e)) {
    case EXPR_ABS:
    case EXPR_SIGN: return expr_arg(pool, e, 0);
    case EXPR_MIN:
    case EXPR_MAX: return expr_sub(pool, expr_arg(pool, e, 0), expr_arg(pool, e, 1));
    default: return (Expr){0};
    }
}

static bool is_known(const Expr *all, size_t count, Expr e)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].at == e.at)
            return true;
    return false;
}

static ExprList all_nodes(const Motion *motion)
{
    size_t count = 0;
    Expr *roots = base_alloc((motion->n + 1 + motion->m + motion->side_count) * sizeof *roots);
    for (size_t i = 0; i < motion->n; i++)
        roots[count++] = motion->K[i];
    roots[count++] = motion->T;
    for (size_t i = 0; i < motion->m; i++)
        roots[count++] = motion->rows[i].velocity;
    for (size_t i = 0; i < motion->side_count; i++)
        roots[count++] = motion->sides[i].position;
    ExprList nodes = expr_nodes(motion->pool, roots, count);
    base_free(roots);
    return nodes;
}

static const char *name_of(Arena *arena, const ExprPool *pool, Expr e)
{
    Text text = {0};
    expr_print(pool, e, &text);
    const char *name = arena_copy_text(arena, text.at, text.length);
    text_clear(&text);
    return name;
}

Switches *switches_new(Arena *arena, const Simulation *sim)
{
    assert(arena && sim->base);
    const Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    Switches *switches = arena_array(arena, Switches, 1);
    ExprList nodes = all_nodes(motion);
    Expr *arguments = base_alloc((nodes.count + 1) * sizeof *arguments), missing;
    switches->names = arena_array(arena, const char *, nodes.count + 1);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr argument = decides(motion->pool, (Expr){nodes.at[i]});
        if (expr_is_none(argument) || is_known(arguments, switches->count, argument))
            continue;
        switches->names[switches->count] = name_of(arena, motion->pool, (Expr){nodes.at[i]});
        arguments[switches->count++] = argument;
    }
    expr_list_free(&nodes);
    switches->arguments = arena_array(arena, Evaluator, 1);
    if (switches->count > 0 &&
        !evaluator_init(switches->arguments, motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n,
                        arguments, switches->count, &missing))
        switches->count = 0;
    switches->signs = arena_array(arena, int, switches->count + 1);
    base_free(arguments);
    return switches;
}

void switches_clear(Switches *switches)
{
    evaluator_clear(switches->arguments);
}

bool switches_look(Switches *switches, const State *state, size_t *which)
{
    bool found = false;
    if (switches->count == 0)
        return false;
    evaluator_run(switches->arguments, state->inputs);
    for (size_t i = 0; i < switches->count; i++) {
        double value = switches->arguments->out[i];
        int sign = (value > 0) - (value < 0);
        if (sign == 0 || sign == switches->signs[i])
            continue;
        if (!found && switches->signs[i] != 0) {
            found = true;
            if (which)
                *which = i;
        }
        switches->signs[i] = sign;
    }
    return found;
}

bool switches_are_unknown(const Switches *switches)
{
    for (size_t i = 0; i < switches->count; i++)
        if (switches->signs[i] == 0)
            return true;
    return false;
}

bool switches_sample(Switches *switches, ContactMode *mode, double t, double *values)
{
    assert(switches->count > 0);
    if (!mode_evaluate(mode, t))
        return false;
    evaluator_run(switches->arguments, mode->state->inputs);
    memcpy(values, switches->arguments->out, switches->count * sizeof *values);
    return true;
}

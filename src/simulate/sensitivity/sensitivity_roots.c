// sensitivity_roots.c: kinks that no switch tells: a root of what goes through 0, as sqrt(x^2) or
// the length of a spring on a line.
//
// Runs pass them by short steps, over a jump of the force at which Y would have to jump too. There
// r = sqrt(s) comes to 0 in a straight line and leaves it so: r/|r'| before and behind the kink add
// up to the length of the step. What passes 0 at a distance d takes longer by (d/r)², and steps are
// not longer than about d/|r'| there.
#include "simulate/sensitivity/sensitivity_impl.h"

#include "base/text_builder.h"
#include "dynamics/equations.h"
#include "dynamics/switch_arguments.h"
#include "dynamics/system_functions.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <math.h>
#include <string.h>

static void add_root(Sensitivity *own, Expr base, Expr *found, size_t *count)
{
    const Motion *motion = own->sim->motion;
    for (size_t i = 0; i < *count; i++)
        if (found[i].at == base.at)
            return;
    if (!expr_holds_any(motion->pool, base, motion->q, motion->n) &&
        !expr_holds_any(motion->pool, base, motion->v, motion->n))
        return;
    Text text = {0};
    expr_print(motion->pool, base, &text);
    own->root_names[*count] = arena_copy_text(own->arena, text.at, text.length);
    text_clear(&text);
    found[(*count)++] = base;
}

Status sensitivity_find_roots(Sensitivity *own, Diag *diag)
{
    const Motion *motion = own->sim->motion;
    const Equations *eq = own->sim->base->eq;
    size_t forces, root_count, count = 0, most = 0;
    Expr *roots = motion_roots(own->arena, motion, &forces, &root_count);
    ExprList nodes = expr_nodes(motion->pool, roots, root_count);
    for (size_t i = 0; i < nodes.count; i++)
        most += expr_arg_count(motion->pool, (Expr){nodes.at[i]});
    Expr *found = arena_array(own->arena, Expr, most + 1);
    own->root_names = arena_array(own->arena, const char *, most + 1);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        for (size_t k = 0; k < expr_arg_count(motion->pool, node); k++)
            if (expr_arg_is_rooted(motion->pool, node, k))
                add_root(own, expr_arg(motion->pool, node, k), found, &count);
    }
    expr_list_free(&nodes);
    return count == 0 ? STATUS_OK
                      : equations_lower(eq, "a root holds", found, count,
                                        eq->params + 1 + 2 * eq->n, diag, &own->roots);
}

// The values at a time within the step, and how they change with it.
static bool values_at(SimulationRun *run, double t, double *values, double *changes)
{
    Sensitivity *own = run->sim->sensitivity;
    const State *state = run->mode->state;
    size_t n = own->n, params = own->params;
    double *inputs = base_alloc(2 * (params + 1 + 2 * n) * sizeof *inputs);
    double *direction = inputs + params + 1 + 2 * n;
    memcpy(inputs, state->inputs, params * sizeof *inputs);
    inputs[params] = t;
    mode_interpolate(run->mode, t, inputs + params + 1, inputs + params + 1 + n);
    memset(direction, 0, params * sizeof *direction);
    direction[params] = 1;
    bool known = functions_rates(own->functions, own->workspace,
                                 sensitivity_point_at(own, state, t, inputs + params + 1),
                                 direction + params + 1);
    if (known)
        sensitivity_along(&own->roots, inputs, direction, values, changes);
    base_free(inputs);
    return known;
}

void sensitivity_check_roots(SimulationRun *run, double from, double to)
{
    Sensitivity *own = run->sim->sensitivity;
    size_t count = own->roots.outputs;
    if (count == 0)
        return;
    double *values = base_alloc(4 * count * sizeof *values), *changes = values + count;
    double *later = changes + count, *later_changes = later + count;
    bool known = values_at(run, from, values, changes) && values_at(run, to, later, later_changes);
    for (size_t i = 0; i < count && known; i++) {
        double through = 2 * later[i] / later_changes[i] - 2 * values[i] / changes[i];
        if (changes[i] < 0 && later_changes[i] > 0 &&
            fabs(through - (to - from)) <= TOL_COARSE * (to - from))
            sensitivity_refuse(
                own, to,
                "a root of %s goes through 0, and derivatives beyond such a kink are "
                "not known to this version; write abs(...) where it is a square",
                own->root_names[i]);
    }
    base_free(values);
}

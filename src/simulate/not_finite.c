// not_finite.c: which expression of the equations has no finite value at a state.
#include "base/strings.h"
#include "dynamics/equations_types.h"
#include "expr/expr.h"
#include "motion/motion_types.h"
#include "simulate/failure_impl.h"

#include <assert.h>
#include <math.h>

// Everything that accelerations are made of.
static void add_roots(const Motion *motion, Expr *roots, size_t *count)
{
    size_t n = motion->n, at = 0;
    for (size_t i = 0; i < n; i++) {
        roots[at++] = motion->K[i];
        roots[at++] = motion->p[i];
        roots[at++] = motion->dT_dq[i];
    }
    for (size_t i = 0; i < motion->m; i++) {
        roots[at++] = motion->rows[i].velocity;
        roots[at++] = motion->rows[i].gamma;
    }
    *count = at;
}

// A node comes after those that it is made of: the first one without a value is the cause.
bool failure_add_expression(const Equations *eq, const State *state, Text *text)
{
    const Motion *motion = eq->motion;
    size_t count, found = 0, inputs = eq->params + 1 + 2 * eq->n;
    assert(state->inputs && text);
    Expr *roots = base_alloc((3 * motion->n + 2 * motion->m + 1) * sizeof *roots), missing;
    add_roots(motion, roots, &count);
    ExprList nodes = expr_nodes(motion->pool, roots, count);
    Expr *all = base_alloc((nodes.count + 1) * sizeof *all);
    for (size_t i = 0; i < nodes.count; i++)
        all[i] = (Expr){nodes.at[i]};
    Evaluator values = {0};
    if (evaluator_init(&values, motion->pool, eq->symbols, inputs, all, nodes.count, &missing)) {
        evaluator_run(&values, state->inputs);
        while (found < nodes.count && isfinite(values.out[found]))
            found++;
        if (found < nodes.count)
            expr_print(motion->pool, all[found], text);
    }
    bool any = found < nodes.count && values.program;
    evaluator_clear(&values);
    expr_list_free(&nodes);
    base_free(all);
    base_free(roots);
    return any;
}

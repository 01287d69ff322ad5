// exact_outputs.c: outputs that divide by something that moves, to their last digit.
//
// (1 - cos(x))/x^2 is 1/2 at x = 1e-9 and 0 in doubles: what cancels above a small divisor leaves
// no digit. These outputs are what their formula is worth at the numbers of the row.
#include "dynamics/equations.h"
#include "expr/expr.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "program/program.h"
#include "simulate/columns_impl.h"

#include <math.h>

static bool moves(const Motion *motion, Expr e)
{
    const ExprPool *pool = motion->pool;
    return expr_holds(pool, e, motion->model->t) || expr_holds_any(pool, e, motion->q, motion->n) ||
           expr_holds_any(pool, e, motion->v, motion->n);
}

static bool divides(const Motion *motion, Expr value)
{
    const ExprPool *pool = motion->pool;
    ExprList nodes = expr_nodes(pool, &value, 1);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++) {
        Expr node = {nodes.at[i]};
        for (size_t k = 0;
             expr_op(pool, node) == EXPR_PRODUCT && k < expr_arg_count(pool, node) && !found; k++)
            found = fmpq_sgn(expr_arg_weight(pool, node, k)) < 0 &&
                    moves(motion, expr_arg(pool, node, k));
    }
    expr_list_free(&nodes);
    return found;
}

Status columns_make_exact(Columns *columns, const Equations *eq, const Expr *outputs, Diag *diag)
{
    size_t count = columns->diffs_at - columns->outputs_at, found = 0;
    Expr *values = arena_array(columns->arena, Expr, count + 1);
    columns->exact_values = arena_array(columns->arena, double, count + 1);
    columns->exact_at = arena_array(columns->arena, size_t, count + 1);
    for (size_t i = columns->outputs_at; i < columns->diffs_at; i++) {
        if (!divides(eq->motion, outputs[i]))
            continue;
        columns->exact_at[found] = i;
        values[found++] = outputs[i];
    }
    if (found == 0)
        return STATUS_OK;
    return equations_lower(eq, "an output holds", values, found, eq->input_count, diag,
                           &columns->exact);
}

void columns_fill_exact(Columns *columns, const double *inputs)
{
    const Evaluator *exact = &columns->exact;
    if (exact->outputs == 0)
        return;
    program_run_exactly(exact->program, inputs, columns->exact_values);
    for (size_t i = 0; i < exact->outputs; i++) {
        double *told = &columns->row[columns->exact_at[i]];
        // What has no value in doubles keeps none: it may be a pole.
        if (isfinite(*told) && isfinite(columns->exact_values[i]))
            *told = columns->exact_values[i];
    }
}

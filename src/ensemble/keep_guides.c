// keep_guides.c: what tells of functions along a motion where samples may not show what they are.
//
// The arguments of abs and sign, and what min and max compare, are 0 at jumps and kinks. Arguments
// of exp, tanh and powers tell where functions are narrow (program/narrow_levels.h): their maxima
// may lie between all samples.
#include "ensemble/keeps_impl.h"
#include "expr/arithmetic.h"
#include "expr/expr.h"
#include "program/program.h"

static void add(KeepPlan *plan, ExprPool *pool, const Expr *inputs, size_t count, Expr argument,
                const NarrowFunction *level)
{
    Expr missing;
    KeepGuide guide = {.function = plan->functions.count,
                       .program = program_new(pool, inputs, count, &argument, 1, &missing)};
    if (level) {
        guide.has_level = true;
        guide.level = *level;
    }
    if (guide.program)
        array_push(&plan->guides, guide);
}

void keep_guides_add(KeepPlan *plan, ExprPool *pool, const Expr *inputs, size_t count, Expr value)
{
    ExprList nodes = expr_nodes(pool, &value, 1);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        ExprOp op = expr_op(pool, node);
        Expr a = expr_arg_count(pool, node) > 0 ? expr_arg(pool, node, 0) : (Expr){0};
        if (op == EXPR_ABS || op == EXPR_SIGN)
            add(plan, pool, inputs, count, a, NULL);
        else if (op == EXPR_MIN || op == EXPR_MAX)
            add(plan, pool, inputs, count, expr_sub(pool, a, expr_arg(pool, node, 1)), NULL);
    }
    expr_list_free(&nodes);
    NarrowSearch search = {
        .pool = pool, .symbols = inputs, .still = plan->param_count, .count = count};
    narrow_search(&search, &value, 1, 0);
    for (size_t i = 0; i < search.arguments.count; i++)
        add(plan, pool, inputs, count, search.arguments.at[i], &search.functions.at[i]);
    narrow_search_clear(&search);
}

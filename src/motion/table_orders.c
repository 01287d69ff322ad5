// table_orders.c: which derivatives of a table energies and rows of conditions need: where these
// jump at one of its rows, velocities do.
#include "base/memory.h"
#include "expr/expr.h"
#include "expr/open_functions.h"
#include "expr/tables.h"
#include "motion/motion.h"

// The highest derivative of a table at an argument in energies and in rows of conditions.
static int order_in(const Motion *motion, const Expr *roots, size_t count, Expr argument,
                    const ExprTable *table)
{
    ExprList nodes = expr_nodes(motion->pool, roots, count);
    int highest = -1;
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        const ExprTable *own = expr_table_of(motion->pool, node);
        if (own && own->pieces == table->pieces &&
            expr_same(expr_arg(motion->pool, node, 0), argument)) {
            int order = (int)expr_open_of(motion->pool, node)->order;
            highest = order > highest ? order : highest;
        }
    }
    expr_list_free(&nodes);
    return highest;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

// The rows of conditions are the derivatives of their positions.
static int order_of_row(const Motion *motion, Expr position, Expr argument, const ExprTable *table)
{
    int order = expr_is_none(position) ? -1 : order_in(motion, &position, 1, argument, table);
    return order < 0 ? -1 : order + 1;
}

int motion_table_order(const Motion *motion, Expr argument, const ExprTable *table)
{
    if (!table)
        return -1;
    int highest = order_in(motion, &motion->T, 1, argument, table);
    if (!expr_is_none(motion->U))
        highest = larger(highest, order_in(motion, &motion->U, 1, argument, table));
    for (size_t i = 0; i < motion->m; i++) {
        const MotionRow *row = &motion->rows[i];
        highest = larger(highest, order_in(motion, &row->velocity, 1, argument, table));
        highest = larger(highest, order_of_row(motion, row->position, argument, table));
    }
    for (size_t i = 0; i < motion->side_count; i++)
        highest = larger(highest, order_of_row(motion, motion->sides[i].position, argument, table));
    for (size_t i = 0; i < motion->k && motion->state.speeds; i++)
        highest =
            larger(highest, order_in(motion, &motion->state.speeds[i].value, 1, argument, table));
    return highest;
}

// holds.c: which expressions hold which symbols. Most of what many particles could do to each other
// is nothing, and need not be differentiated to be known as 0.
#include "motion/motion_impl.h"

bool *motion_holds(const Motion *motion, const Expr *exprs, size_t count, const Expr *symbols,
                   size_t symbol_count)
{
    size_t nodes = expr_pool_size(motion->pool) + 1;
    uint32_t *index = base_alloc(nodes * sizeof *index);
    bool *holds = base_alloc(count * symbol_count + 1);
    for (size_t i = 0; i < symbol_count; i++)
        index[symbols[i].at] = (uint32_t)i + 1;
    for (size_t i = 0; i < count; i++) {
        ExprList found = expr_symbols(motion->pool, &exprs[i], 1);
        for (size_t k = 0; k < found.count; k++)
            if (index[found.at[k]] > 0)
                holds[i * symbol_count + index[found.at[k]] - 1] = true;
        expr_list_free(&found);
    }
    base_free(index);
    return holds;
}

// audit_integrals.c: the first integrals that an audit follows.
#include "dynamics/equations_types.h"
#include "expr/arithmetic.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/run_audit.h"
#include "simulate/run_audit_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <string.h>

void run_audit_follow(RunAudit *audit, const RunIntegral *integrals, size_t count, ExprPool *pool)
{
    const Equations *eq = audit->sim->base->eq;
    ARRAY(Expr) outputs = {0};
    Expr *inputs = arena_array(audit->arena, Expr, eq->input_count);
    size_t found = 0;
    assert(pool && !audit->integrals);
    audit->integrals = arena_array(audit->arena, RunDrift, count + 1);
    for (size_t i = 0; i < eq->input_count; i++)
        inputs[i] = expr_symbol(pool, expr_name(eq->motion->pool, eq->symbols[i]));
    for (size_t i = 0; i < count; i++) {
        // T + U is followed already.
        if (strcmp(integrals[i].name, "energy") == 0)
            continue;
        audit->integrals[found++].name = integrals[i].name;
        array_push(&outputs, integrals[i].value);
        for (size_t j = 0; j < 2 * eq->n; j++)
            array_push(&outputs, expr_diff(pool, integrals[i].value, inputs[eq->params + 1 + j]));
    }
    if (found > 0 && evaluator_init(&audit->constants, pool, inputs, eq->input_count, outputs.at,
                                    outputs.count, NULL))
        audit->report.integral_count = found;
    audit->report.integrals = audit->integrals;
    array_clear(&outputs);
}

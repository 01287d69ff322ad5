// inertia_check.c: masses and moments of inertia that no body has. A sign is a slip more often than
// a wish, so it is said, and the run goes on.
#include "base/base.h"
#include "dynamics/start.h"
#include "expr/expr.h"
#include "model/model.h"
#include "motion/motion_types.h"

// The values of these at numbers' present state; NULL where one of them has none there.
static double *values_of(const Equations *eq, const State *state, const Expr *exprs, size_t count)
{
    Evaluator evaluator = {0};
    double *values = NULL;
    if (evaluator_init(&evaluator, eq->motion->pool, eq->symbols, eq->params + 1 + eq->n, exprs,
                       count, NULL)) {
        evaluator_run(&evaluator, state->inputs);
        values = base_alloc((count + 1) * sizeof *values);
        for (size_t i = 0; i < count; i++)
            values[i] = evaluator.out[i];
    }
    evaluator_clear(&evaluator);
    return values;
}

static void warn(Diag *diag, Place place, const char *what, double value)
{
    if (value < 0)
        diag_add(diag, DIAG_WARNING, place, "this %s is %.6g, below 0", what, value);
}

void inertia_check(const Equations *eq, const State *state, Diag *diag)
{
    const Model *model = eq->motion->model;
    size_t count = model->masses.count + 4 * model->bodies.count, at = 0;
    Expr *exprs = base_alloc((count + 1) * sizeof *exprs);
    for (size_t i = 0; i < model->masses.count; i++)
        exprs[at++] = model->masses.at[i].mass;
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        exprs[at++] = body->mass;
        for (size_t k = 0; k < 3; k++)
            exprs[at++] = body->has_inertia ? body->inertia[k] : expr_int(model->pool, 0);
    }
    double *values = values_of(eq, state, exprs, count);
    at = 0;
    for (size_t i = 0; i < model->masses.count && values; i++)
        warn(diag, model->masses.at[i].place, "mass", values[at++]);
    for (size_t i = 0; i < model->bodies.count && values; i++) {
        warn(diag, model->bodies.at[i].place, "body's mass", values[at++]);
        for (size_t k = 0; k < 3; k++)
            warn(diag, model->bodies.at[i].place, "body's moment of inertia", values[at++]);
    }
    base_free(values);
    base_free(exprs);
}

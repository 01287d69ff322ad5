// inertia_check.c: masses and moments of inertia that no body has. A sign is a slip more often than
// a wish, so it is said, and the run goes on.
#include "base/base.h"
#include "dynamics/start.h"
#include "dynamics/start_impl.h"
#include "expr/expr.h"
#include "model/model.h"
#include "motion/motion_types.h"

#include <assert.h>

// The values are the masses, then of each body its mass and its three moments of inertia.
static void warn(const Model *model, size_t index, double value, Diag *diag)
{
    size_t masses = model->masses.count;
    bool is_body = index >= masses, is_mass = !is_body || (index - masses) % 4 == 0;
    diag_add(diag, DIAG_WARNING,
             is_body ? model->bodies.at[(index - masses) / 4].place : model->masses.at[index].place,
             "this %s%s is %.6g, below 0", is_body ? "body's " : "",
             is_mass ? "mass" : "moment of inertia", value);
}

void inertia_check(const Equations *eq, const State *state, Diag *diag)
{
    const Model *model = eq->motion->model;
    assert(eq->params == model->params.count);
    ARRAY(Expr) exprs = {0};
    for (size_t i = 0; i < model->masses.count; i++)
        array_push(&exprs, model->masses.at[i].mass);
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        array_push(&exprs, body->mass);
        for (size_t k = 0; k < 3; k++)
            array_push(&exprs, body->has_inertia ? body->inertia[k] : expr_int(model->pool, 0));
    }
    double *values = base_alloc((exprs.count + 1) * sizeof *values);
    bool known =
        start_evaluate(eq, state, exprs.at, exprs.count, eq->params + 1 + eq->n, values, NULL);
    for (size_t i = 0; i < exprs.count && known; i++)
        if (values[i] < 0)
            warn(model, i, values[i], diag);
    base_free(values);
    array_clear(&exprs);
}

// zero_inertia.c: parameters that are 0 and are the inertia of something: the model is read with
// them as numbers, so that its equations are those of a system without that inertia.
#include "api/api_impl.h"
#include "model/model.h"
#include "model/system.h"

#include <string.h>

// Whether one stands in a mass, a moment of inertia or a kinetic energy, or in what does.
static bool is_inertia(const Model *model, Expr symbol)
{
    const ExprPool *pool = model->pool;
    bool held = !expr_is_none(model->kinetic) && expr_holds(pool, model->kinetic, symbol);
    for (size_t i = 0; i < model->masses.count && !held; i++)
        held = expr_holds(pool, model->masses.at[i].mass, symbol);
    for (size_t i = 0; i < model->bodies.count && !held; i++) {
        const ModelBody *body = &model->bodies.at[i];
        held = !expr_is_none(body->mass) && expr_holds(pool, body->mass, symbol);
        for (size_t k = 0; k < 6 && body->has_inertia && !held; k++)
            held = expr_holds(pool, body->inertia[k], symbol);
    }
    for (size_t i = 0; i < model->params.count && !held; i++)
        held = !expr_is_none(model->params.at[i].value) &&
               expr_holds(pool, model->params.at[i].value, symbol) &&
               is_inertia(model, model->params.at[i].symbol);
    return held;
}

// Those of them that the model is to be read with as numbers; how many.
static size_t find_zeros(const zw_model *model, const char **names)
{
    const Model *of = model->model;
    Diag *unheard = diag_new();
    double *values = base_alloc((of->params.count + 1) * sizeof *values);
    size_t count = 0;
    if (model_param_values(of, unheard, values) == STATUS_OK)
        for (size_t i = 0; i < of->params.count; i++)
            if (values[i] == 0 && is_inertia(of, of->params.at[i].symbol))
                names[count++] = of->params.at[i].name;
    base_free(values);
    diag_free(unheard);
    return count;
}

bool api_has_zeros(const zw_model *model)
{
    const char **names = base_alloc((model->model->params.count + 1) * sizeof *names);
    size_t count = find_zeros(model, names);
    base_free(names);
    return count > 0;
}

void api_take_names(zw_model *model, const char *const *names, size_t count)
{
    size_t former = model->replacement_count + model->zero_count;
    ModelReplacement *all = arena_alloc(model->arena, (former + count + 1) * sizeof *all);
    memcpy(all, model->replacements, former * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[former + i] =
            (ModelReplacement){.name = arena_copy_text(model->arena, names[i], strlen(names[i]))};
    model->replacements = all;
    model->zero_count += count;
}

Status api_with_zeros(zw_model *model, Status (*work)(zw_model *model, void *context),
                      void *context)
{
    if (model->status != STATUS_OK || !api_has_zeros(model))
        return work(model, context);
    const char **names = base_alloc((model->model->params.count + 1) * sizeof *names);
    size_t count = find_zeros(model, names);
    Diag *told = model->diag;
    model->diag = diag_new();
    size_t former = model->zero_count;
    Status status = work(model, context);
    bool again = status == STATUS_WRONG && model->zero_count == former;
    if (again)
        api_take_names(model, names, count);
    else
        diag_copy(told, model->diag, 0);
    diag_free(model->diag);
    model->diag = told;
    base_free(names);
    if (!again)
        return status;
    TRY(api_read_again(model, model->diag));
    return work(model, context);
}

// zero_inertia.c: parameters that are 0 and are the inertia of something, or all where the
// equations of motion hide conditions: what is hidden changes with a damper that is not there. The
// model is read with them as numbers, so that its equations are those of a system without these
// parts.
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

// Whether the equations of motion hide conditions, or may: those of balances are known once they
// are derived.
static bool hides(const Model *model)
{
    bool hidden = model->servos.count > 0;
    for (size_t i = 0; i < model->constraints.count && !hidden; i++)
        hidden = model->constraints.at[i].hidden;
    return hidden;
}

// Parameters that are 0 and that the model is to be read with as numbers; how many. `all`: whatever
// they are.
static size_t find_zeros(const zw_model *model, bool all, const char **names)
{
    const Model *of = model->model;
    Diag *unheard = diag_new();
    double *values = base_alloc((of->params.count + 1) * sizeof *values);
    size_t count = 0;
    if (model_param_values(of, unheard, values) == STATUS_OK)
        for (size_t i = 0; i < of->params.count; i++)
            if (values[i] == 0 && !of->params.at[i].is_state &&
                expr_is_none(of->params.at[i].signal) &&
                (all || is_inertia(of, of->params.at[i].symbol)))
                names[count++] = of->params.at[i].name;
    base_free(values);
    diag_free(unheard);
    return count;
}

static bool has_zeros(const zw_model *model, bool all)
{
    const char **names = base_alloc((model->model->params.count + 1) * sizeof *names);
    size_t count = find_zeros(model, all, names);
    base_free(names);
    return count > 0;
}

bool api_has_zeros(const zw_model *model)
{
    return has_zeros(model, hides(model->model));
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

// Takes what is 0 for numbers where `work` has found something wrong; false where there is nothing
// more to take.
static bool take_zeros(zw_model *model)
{
    if (!model->model)
        return false;
    const char **names = base_alloc((model->model->params.count + 1) * sizeof *names);
    size_t count = find_zeros(model, hides(model->model), names);
    if (count > 0)
        api_take_names(model, names, count);
    base_free(names);
    return count > 0;
}

Status api_with_zeros(zw_model *model, Status (*work)(zw_model *model, void *context),
                      void *context)
{
    if (model->status != STATUS_OK || !has_zeros(model, true))
        return work(model, context);
    Diag *told = model->diag;
    Status status;
    // A balance that one parameter makes may be changed by others.
    for (bool again = true; again;) {
        size_t former = model->zero_count;
        model->diag = diag_new();
        status = work(model, context);
        again = status == STATUS_WRONG && model->zero_count == former && take_zeros(model);
        if (!again)
            diag_copy(told, model->diag, 0);
        diag_free(model->diag);
        model->diag = told;
        if (again)
            TRY(api_read_again(model, model->diag));
    }
    return status;
}

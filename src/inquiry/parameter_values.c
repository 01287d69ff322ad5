// parameter_values.c: the system with the values that its parameters have; names and short forms.
//
// A verdict for all values of the parameters may be wrong for special ones: a body with A = B is
// another kind of body. So the questions about kind and order are also put to the values given.
#include "inquiry/inquiry_impl.h"

#include <string.h>

static ExprSubst *values_of(const Motion *motion, bool numbers)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    ExprSubst *subst = expr_subst_new(pool);
    Expr *symbols = base_alloc((model->params.count + 1) * sizeof *symbols);
    Expr *values = base_alloc((model->params.count + 1) * sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < model->params.count; i++) {
        const ModelParam *param = &model->params.at[i];
        if (expr_is_none(param->value))
            continue;
        Expr value = expr_replace(pool, param->value, symbols, values, count);
        if (numbers && !expr_is_number(pool, value))
            continue;
        symbols[count] = param->symbol;
        values[count++] = value;
        expr_subst_set(subst, param->symbol, value);
    }
    base_free(symbols);
    base_free(values);
    return subst;
}

ExprSubst *inquiry_values(const Motion *motion)
{
    return values_of(motion, true);
}

ExprSubst *inquiry_all_values(const Motion *motion)
{
    return values_of(motion, false);
}

static bool is_taken(const Model *model, const char *name)
{
    for (size_t i = 0; i < model->params.count; i++)
        if (strcmp(model->params.at[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < model->coords.count; i++)
        if (strcmp(model->coords.at[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < model->speeds.count; i++)
        if (strcmp(model->speeds.at[i].name, name) == 0)
            return true;
    return false;
}

Expr inquiry_symbol(const Motion *motion, const char *name)
{
    Text text = {0};
    text_add(&text, name);
    while (is_taken(motion->model, text.at))
        text_add(&text, "_");
    Expr symbol = expr_symbol_new(motion->pool, text.at);
    text_clear(&text);
    return symbol;
}

Expr inquiry_short(Motion *motion, Expr e)
{
    double effort = 1e5;
    return algebra_simplify_within(motion->algebra, e, &effort);
}

const char *inquiry_stranger(const Motion *motion)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->constraints.count; i++) {
        ConstraintKind kind = model->constraints.at[i].kind;
        if (kind == CONSTRAINT_NONLINEAR || kind == CONSTRAINT_SECOND_CLASS ||
            kind == CONSTRAINT_SERVO)
            return model->constraints.at[i].name;
    }
    // Sliding friction, and forces that hold reactions.
    for (size_t i = 0; i < motion->m && motion->servos; i++)
        if (motion->rows[i].d != motion->rows[i].b)
            return motion->rows[i].constraint->name;
    // Speeds of the state may be what is not linear.
    for (size_t alpha = 0; alpha < motion->k && motion->curved; alpha++)
        if (!motion->state.speeds[alpha].linear)
            return motion->state.speeds[alpha].name;
    return NULL;
}

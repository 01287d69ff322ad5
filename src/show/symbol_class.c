// symbol_class.c: what a symbol of a system stands for: parameter, coordinate, velocity, …
#include "show/symbol_class_impl.h"

#include "expr/arithmetic.h"

#include <assert.h>
#include <string.h>

struct SymbolClasses {
    uint8_t *of; // every symbol that the model knows, by node index
    size_t count;
};

static void set(SymbolClasses *classes, Expr symbol, SymbolClass class)
{
    if (symbol.at >= classes->count) {
        size_t count = symbol.at + 256;
        classes->of = base_realloc(classes->of, count);
        memset(classes->of + classes->count, CLASS_PARAMETER, count - classes->count);
        classes->count = count;
    }
    classes->of[symbol.at] = (uint8_t) class;
}

// What a percussion makes of it has the class of what it was: Delta.x', d.x', Lambda.edge.
static void set_jump(SymbolClasses *classes, ExprPool *pool, const char *prefix, const char *name,
                     SymbolClass class)
{
    Text text = {0};
    text_addf(&text, "%s.%s", prefix, name);
    set(classes, expr_symbol(pool, text.at), class);
    text_clear(&text);
}

static void set_jumps(SymbolClasses *classes, const Motion *motion)
{
    const Model *model = motion->model;
    static const char *const prefixes[] = {"Delta", "d"};
    for (int i = 0; i < 2; i++) {
        for (size_t nu = 0; nu < motion->n; nu++)
            set_jump(classes, motion->pool, prefixes[i], expr_name(motion->pool, motion->v[nu]),
                     CLASS_ACCELERATION);
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            set_jump(classes, motion->pool, prefixes[i],
                     expr_name(motion->pool, motion->state.speeds[alpha].u), CLASS_ACCELERATION);
        for (size_t c = 0; c < model->constraints.count; c++)
            set_jump(classes, motion->pool, i ? "d.Lambda" : "Lambda",
                     model->constraints.at[c].name, CLASS_MULTIPLIER);
    }
}

SymbolClasses *symbol_classes_new(const Motion *motion)
{
    assert(motion && motion->model);
    SymbolClasses *classes = base_alloc(sizeof *classes);
    const Model *model = motion->model;
    set(classes, model->t, CLASS_COORDINATE);
    for (size_t i = 0; i < model->coords.count; i++) {
        set(classes, model->coords.at[i].q, CLASS_COORDINATE);
        set(classes, model->coords.at[i].v, CLASS_VELOCITY);
        set(classes, model->coords.at[i].a, CLASS_ACCELERATION);
    }
    for (size_t i = 0; i < model->speeds.count; i++) {
        set(classes, model->speeds.at[i].u, CLASS_VELOCITY);
        set(classes, model->speeds.at[i].rate, CLASS_ACCELERATION);
    }
    for (size_t i = 0; i < motion->k; i++) {
        set(classes, motion->state.speeds[i].u, CLASS_VELOCITY);
        set(classes, motion->state.speeds[i].rate, CLASS_ACCELERATION);
    }
    for (size_t i = 0; i < model->constraints.count; i++)
        set(classes, model->constraints.at[i].lambda, CLASS_MULTIPLIER);
    if (model->impulses.count > 0)
        set_jumps(classes, motion);
    return classes;
}

void symbol_classes_free(SymbolClasses *classes)
{
    base_free(classes->of);
    base_free(classes);
}

SymbolClass symbol_class(const SymbolClasses *classes, Expr symbol)
{
    assert(classes && symbol.at > 0);
    return symbol.at < classes->count ? (SymbolClass)classes->of[symbol.at] : CLASS_PARAMETER;
}

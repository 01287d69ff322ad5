// unit_columns.c: in what the columns of a run are measured.
#include "model/model_equation.h"
#include "model/model_impl.h"

#include <string.h>

// What is known of a column: its dimension, the unit of what it is the derivative of, and whether
// it is an angle, which is in rad where nothing else was said.
typedef struct {
    Dim dim;
    const ModelUnit *unit;
    int primes;
} Measured;

// What columns are called after, one after the other.
static const char *declared_at(const Model *model, size_t index, Measured *found)
{
#define SEEK(list)                                                                                 \
    if (index < model->list.count) {                                                               \
        *found = (Measured){model->list.at[index].dim, model->list.at[index].unit, 0};             \
        return model->list.at[index].name;                                                         \
    }                                                                                              \
    index -= model->list.count;
    SEEK(coords)
    SEEK(speeds)
    SEEK(params)
    SEEK(inputs)
    SEEK(outputs)
#undef SEEK
    return NULL;
}

// Of several by one name the first counts.
static const NameMap *declared_names(const Model *model)
{
    Elaborator *e = model->names;
    size_t count = model->coords.count + model->speeds.count + model->params.count +
                   model->inputs.count + model->outputs.count;
    if (e->columns && e->column_count == count)
        return e->columns;
    name_map_free(e->columns);
    e->columns = name_map_new();
    e->column_count = count;
    for (size_t i = 0; i < count; i++) {
        Measured found;
        name_map_put(e->columns, str_of(declared_at(model, i, &found)), (uint32_t)i);
    }
    return e->columns;
}

static bool find_declared(const Model *model, const char *name, size_t length, Measured *found)
{
    uint32_t index;
    return name_map_get(declared_names(model), (Str){name, length}, &index) &&
           declared_at(model, index, found);
}

static bool begins(const char *column, const char *prefix)
{
    return strncmp(column, prefix, strlen(prefix)) == 0;
}

static bool find_constraint(const Model *model, const char *name, Dim *dim)
{
    for (size_t i = 0; i < model->constraints.count; i++)
        if (strcmp(model->constraints.at[i].name, name) == 0) {
            *dim = model->constraints.at[i].dim;
            return true;
        }
    return false;
}

static bool find_friction(const Model *model, const char *name, Dim *dim)
{
    for (size_t i = 0; i < model->frictions.count; i++) {
        const ModelFriction *friction = &model->frictions.at[i];
        size_t length = strlen(friction->name);
        if (strncmp(friction->name, name, length) == 0 && (!name[length] || name[length] == '.')) {
            *dim = dim_over(dim_of(1, 2, -3), friction->speed);
            return true;
        }
    }
    return false;
}

// What the program itself computes.
static bool find_computed(const Model *model, const char *column, Measured *found)
{
    *found = (Measured){0};
    if (!model->units)
        return false;
    if (strcmp(column, "t") == 0)
        found->dim = dim_of(0, 0, 1);
    else if (strcmp(column, "energy") == 0)
        found->dim = dim_of(1, 2, -2);
    else if (begins(column, "residual."))
        return find_constraint(model, column + strlen("residual."), &found->dim);
    else if (begins(column, "friction."))
        return find_friction(model, column + strlen("friction."), &found->dim);
    else if (begins(column, "lambda.") || begins(column, "slip.") || begins(column, "normal."))
        found->dim = reaction_dim(model->names, column);
    else if (begins(column, "impulse.")) {
        if (!find_constraint(model, column + strlen("impulse."), &found->dim))
            return false;
        found->dim = dim_over(dim_of(1, 2, -1), found->dim);
    } else if (begins(column, "momentum.")) {
        const char *name = column + strlen("momentum.");
        if (!find_declared(model, name, strlen(name), found))
            return false;
        *found = (Measured){.dim = dim_over(dim_of(1, 2, -1), found->dim)};
    } else
        return begins(column, "mode.");
    return !found->dim.any;
}

static bool find_column(const Model *model, const char *column, Measured *found)
{
    size_t length = strlen(column), primes = 0;
    while (length > 1 && column[length - 1] == '\'')
        length--, primes++;
    if (find_declared(model, column, length, found)) {
        found->primes = (int)primes;
        found->dim = dim_over(found->dim, dim_of(0, 0, (int)primes));
        return model->units || found->unit;
    }
    return find_computed(model, column, found);
}

static const char *own_text(const Model *model, Text *text)
{
    const char *own = arena_copy_text(model->arena, text->at ? text->at : "", text->length);
    text_clear(text);
    return own;
}

static void add_rate(int primes, Text *text)
{
    if (primes > 0)
        text_addf(text, primes == 1 ? "/s" : "/s^%d", primes);
}

bool model_column_unit(const Model *model, const char *column, ColumnUnit *unit)
{
    Measured found;
    Text text = {0};
    *unit = (ColumnUnit){.shown.scale = 1};
    if (!find_column(model, column, &found))
        return false;
    Dim whole = dim_times(found.dim, dim_of(0, 0, found.primes));
    bool angle = found.unit && dim_is_pure(whole);
    if (angle) {
        text_add(&text, "rad");
        add_rate(found.primes, &text);
    } else {
        dim_add_unit(found.dim, &text);
    }
    unit->si = own_text(model, &text);
    unit->shown = (ModelUnit){unit->si, 1, found.dim};
    if (!found.unit)
        return true;
    text_add(&text, found.unit->text);
    add_rate(found.primes, &text);
    unit->shown.text = own_text(model, &text);
    unit->shown.scale = found.unit->scale;
    if (unit->shown.scale == 1)
        unit->si = unit->shown.text;
    return true;
}

bool model_has_units(const Model *model)
{
    bool has = model->units;
    for (size_t i = 0; i < model->coords.count && !has; i++)
        has = model->coords.at[i].unit != NULL;
    for (size_t i = 0; i < model->params.count && !has; i++)
        has = model->params.at[i].unit != NULL;
    for (size_t i = 0; i < model->speeds.count && !has; i++)
        has = model->speeds.at[i].unit != NULL;
    return has;
}

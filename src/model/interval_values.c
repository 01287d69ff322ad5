// interval_values.c: values that are known up to a radius, m = 1 +/- 0.01.
#include "model/model_equation.h"
#include "model/model_impl.h"
#include "program/program.h"

static const Part *radius_behind(const Elaborator *e, const Part *name)
{
    const Part *end = e->syntax->parts.at + e->statement->first + e->statement->count;
    for (const Part *part = name + 1;
         part < end &&
         (part->role == PART_VALUE || part->role == PART_UNIT || part->role == PART_INTERVAL);
         part++)
        if (part->role == PART_INTERVAL)
            return part;
    return NULL;
}

// `name` is the part of the name, or of the value, before the radius.
bool elaborate_interval(Elaborator *e, const Part *name, Dim dim, const ModelUnit *unit,
                        Expr *radius)
{
    const Part *part = radius_behind(e, name);
    Dim own;
    *radius = (Expr){0};
    if (!part)
        return true;
    Place place = syntax_part_place(e->syntax, part);
    const char *what = "the radius after '+/-'";
    if (!elaborate_measure(e, part, LEVEL_PARAM, what, dim_any(), radius, &own))
        return false;
    Expr above = expr_call(e->pool, EXPR_MAX, *radius, expr_int(e->pool, 0));
    if (expr_is_number(e->pool, *radius) && !expr_same(above, *radius))
        return elaborate_fail(e, place, "the radius after '+/-' is negative");
    bool bare = !own.any && dim_is_pure(own) && is_bare_number(e, part->span);
    bool scaled = unit && unit->scale != 1;
    if (bare && ((e->units && !dim_is_pure(dim)) || scaled))
        return dim_fail_bare(e, what, dim, place);
    return dim_check(e, own, dim, place, what);
}

// ---- What only the whole model shows.

static const ModelParam *find_param(const Model *model, Expr symbol)
{
    for (size_t i = 0; i < model->params.count; i++)
        if (expr_same(model->params.at[i].symbol, symbol))
            return &model->params.at[i];
    return NULL;
}

// The numbers of an interval; false where it has none, or none yet.
static bool numbers_of(const Model *model, Expr value, Expr radius, double *middle, double *half)
{
    size_t count = model->params.count;
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    double *values = base_alloc((count + 1) * sizeof *values), found[2];
    Diag *unheard = diag_new();
    bool known = !expr_is_none(radius) && !expr_is_none(value) &&
                 model_param_numbers(model, unheard, values) == STATUS_OK;
    for (size_t i = 0; i < count; i++)
        symbols[i] = model->params.at[i].symbol;
    known = known && program_run_once(
                         program_new(model->pool, symbols, count, (Expr[]){value, radius}, 2, NULL),
                         values, found);
    diag_free(unheard);
    base_free(symbols);
    base_free(values);
    *middle = known ? found[0] : 0;
    *half = known ? found[1] : 0;
    return known;
}

static void check_mass(Elaborator *e, Expr mass, Place place)
{
    const ModelParam *param = find_param(e->model, mass);
    double middle, half;
    if (param && numbers_of(e->model, param->value, param->radius, &middle, &half) &&
        middle - half < 0)
        elaborate_fail(e, param->place, "a mass between %g and %g may be negative; narrow it",
                       middle - half, middle + half);
    (void)place;
}

static const ModelStart *find_start(const Model *model, size_t coordinate)
{
    for (size_t i = 0; i < model->starts.count; i++)
        if (model->starts.at[i].of == START_COORD && model->starts.at[i].target == coordinate)
            return &model->starts.at[i];
    return NULL;
}

// Whether a condition of positions leaves nothing free that could follow an interval in it.
static void check_start(Elaborator *e, const ModelConstraint *constraint)
{
    const Model *model = e->model;
    const ModelStart *interval = NULL;
    for (size_t i = 0; i < model->coords.count; i++) {
        if (!expr_holds(e->pool, constraint->residual, model->coords.at[i].q))
            continue;
        const ModelStart *start = find_start(model, i);
        if (!start || start->approx)
            return;
        if (!expr_is_none(start->radius) && !expr_is_zero(e->pool, start->radius))
            interval = start;
    }
    if (interval)
        elaborate_fail(e, interval->place,
                       "the interval of %s contains states off the constraint '%s'; give an "
                       "interval for fewer coordinates",
                       model->coords.at[interval->target].name, constraint->name);
}

void check_intervals(Elaborator *e)
{
    const Model *model = e->model;
    if (!model_has_intervals(model))
        return;
    for (size_t i = 0; i < model->params.count; i++) {
        const ModelParam *param = &model->params.at[i];
        double middle, half;
        if (numbers_of(model, param->value, param->radius, &middle, &half) && half < 0)
            elaborate_fail(e, param->place, "the radius after '+/-' is negative");
    }
    for (size_t i = 0; i < model->masses.count; i++)
        check_mass(e, model->masses.at[i].mass, model->masses.at[i].place);
    for (size_t i = 0; i < model->bodies.count; i++)
        check_mass(e, model->bodies.at[i].mass, model->bodies.at[i].place);
    for (size_t i = 0; i < model->constraints.count; i++)
        if (model->constraints.at[i].kind == CONSTRAINT_FINITE && !model->constraints.at[i].silent)
            check_start(e, &model->constraints.at[i]);
}

bool model_has_intervals(const Model *model)
{
    for (size_t i = 0; i < model->params.count; i++)
        if (!expr_is_none(model->params.at[i].radius))
            return true;
    for (size_t i = 0; i < model->starts.count; i++)
        if (!expr_is_none(model->starts.at[i].radius))
            return true;
    return false;
}

bool model_interval(const Model *model, Str name, double *low, double *high)
{
    Expr value = {0}, radius = {0};
    double middle, half;
    for (size_t i = 0; i < model->params.count; i++)
        if (str_is(name, model->params.at[i].name)) {
            value = model->params.at[i].value;
            radius = model->params.at[i].radius;
        }
    bool primed = name.length > 1 && name.at[name.length - 1] == '\'';
    Str base = {name.at, name.length - primed};
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *start = &model->starts.at[i];
        bool speed = start->of == START_SPEED;
        const char *own =
            speed ? model->speeds.at[start->target].name : model->coords.at[start->target].name;
        if (str_is(base, own) && primed == (start->of == START_VELOCITY)) {
            value = start->value;
            radius = start->radius;
        }
    }
    if (!numbers_of(model, value, radius, &middle, &half))
        return false;
    *low = middle - half;
    *high = middle + half;
    return true;
}

// whiles.c: `while`: what holds as long as relations between discrete states, parameters and t do.
#include "model/whiles.h"
#include "model/events.h"
#include "model/model_impl.h"
#include "program/program.h"

#include <float.h>
#include <math.h>
#include <string.h>

// An energy that is there for a while.
typedef struct {
    EnergyKind kind;
    Expr energy;
    size_t waits;
} SwitchedEnergy;

// All loads, and energies, whether they act or not.
struct ModelWhole {
    ARRAY(ModelForceAt) forces_at;
    ARRAY(ModelForceAlong) forces_along;
    ARRAY(ModelTorque) torques;
    ARRAY(SwitchedEnergy) energies;
    Expr potential, dissipation; // that always act
};

// ---- Reading.

Expr relation_value(ExprPool *pool, Expr left, Expr right, PartRole relation)
{
    Expr one = expr_int(pool, 1), none = {0};
    Expr difference =
        relation == PART_WHILE_AT_LEAST ? expr_sub(pool, right, left) : expr_sub(pool, left, right);
    Expr sign = expr_call(pool, EXPR_SIGN, difference, none);
    Expr fails = relation == PART_WHILE_EQUAL ? expr_call(pool, EXPR_ABS, sign, none)
                                              : expr_call(pool, EXPR_MAX, sign, expr_int(pool, 0));
    return expr_sub(pool, one, fails);
}

static bool read_side(Elaborator *e, const Part *part, Expr *out, Dim *dim)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = value_as_scalar(e, elaborate_span(e, part->span), place, "what 'while' compares");
    *out = value.scalar;
    *dim = value.dim;
    if (value.kind == VALUE_BAD)
        return false;
    if (value.order < 0 && !value.multiplier)
        return true;
    return elaborate_fail(e, place,
                          "'while' is about discrete states, parameters and t, and %s moves; let "
                          "an 'event' set a 'state'",
                          text_shown(syntax_text(e->syntax, place.start, place.length)).at);
}

// Where the time makes a relation true or false.
static bool push_switch(Elaborator *e, const Part *part, Expr left, Expr right, ModelWhile *own)
{
    Expr value = expr_sub(e->pool, left, right);
    Place place =
        place_between(syntax_part_place(e->syntax, part), syntax_part_place(e->syntax, part + 1));
    if (!expr_holds(e->pool, value, e->model->t))
        return true;
    if (part[1].role == PART_WHILE_EQUAL)
        return elaborate_fail(e, place,
                              "an instant is no while; write 't >= a' or 't <= b', or an 'event' "
                              "at that time");
    own->switches[own->switch_count++] = (ModelEvent){.name = "while",
                                                      .text = "while",
                                                      .trigger = TRIGGER_CROSSES,
                                                      .hidden = true,
                                                      .value = value,
                                                      .place = place};
    return true;
}

bool elaborate_while(Elaborator *e)
{
    ModelWhile own = {.value = expr_int(e->pool, 1),
                      .structural = !statement_has_actions(e->statement->kind)};
    bool good = true;
    own.switches = arena_array(e->arena, ModelEvent, e->statement->count + 1);
    e->waits = 0;
    for (uint32_t i = 0; i < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        Expr left, right;
        if (part->role != PART_WHILE)
            continue;
        own.place = syntax_part_place(e->syntax, part);
        Dim dims[2];
        if (!read_side(e, part, &left, &dims[0]) || !read_side(e, part + 1, &right, &dims[1]) ||
            !dim_check_sides(e, dims[0], dims[1], syntax_part_place(e->syntax, part + 1),
                             "a relation") ||
            !push_switch(e, part, left, right, &own))
            good = false;
        else
            own.value =
                expr_mul(e->pool, own.value, relation_value(e->pool, left, right, part[1].role));
    }
    if (!own.place.source || !good)
        return good;
    for (size_t i = 0; i < e->model->whiles.count && e->waits == 0; i++)
        if (expr_same(e->model->whiles.at[i].value, own.value)) {
            e->model->whiles.at[i].structural |= own.structural;
            e->waits = i + 1;
        }
    if (e->waits > 0)
        return true;
    array_push(&e->model->whiles, own);
    e->waits = e->model->whiles.count;
    return true;
}

void push_energy(Elaborator *e, EnergyKind kind, Expr energy)
{
    SwitchedEnergy own = {kind, energy, e->waits};
    if (e->waits == 0)
        array_push(&e->energy_terms[kind], energy);
    else
        array_push(&e->switched->energies, own);
}

ModelWhole *whole_new(Arena *arena)
{
    return arena_array(arena, ModelWhole, 1);
}

void whole_clear(ModelWhole *whole)
{
    array_clear(&whole->forces_at);
    array_clear(&whole->forces_along);
    array_clear(&whole->torques);
    array_clear(&whole->energies);
}

// ---- What acts.

bool model_has_events(const Model *model)
{
    bool has = model->events.count > 0;
    for (size_t i = 0; i < model->whiles.count && !has; i++)
        has = model->whiles.at[i].switch_count > 0;
    return has;
}

bool model_acts(const Model *model, size_t waits)
{
    return waits == 0 || model->whiles.at[waits - 1].acts;
}

bool model_is_switched_row(const Model *model, const ModelConstraint *constraint)
{
    return model->rows_switch && constraint->waits > 0 && constraint->kind != CONSTRAINT_ONE_SIDED;
}

bool model_binds(const Model *model, const ModelConstraint *constraint)
{
    return model_acts(model, constraint->waits) && !model_is_switched_row(model, constraint);
}

bool model_has_switched_rows(const Model *model)
{
    bool has = false;
    for (size_t i = 0; i < model->constraints.count && !has; i++)
        has = model->constraints.at[i].waits > 0;
    for (size_t i = 0; i < model->frictions.count && !has; i++)
        has = model->frictions.at[i].waits > 0;
    return has;
}

void model_switch_rows(Model *model)
{
    bool *acts = base_alloc(model->whiles.count + 1);
    for (size_t i = 0; i < model->whiles.count; i++)
        acts[i] = true;
    model_switch(model, acts);
    model->rows_switch = true;
    base_free(acts);
}

void model_whiles_at(const Model *model, const double *params, double t, bool *acts)
{
    size_t count = model->whiles.count, inputs = model->params.count + 1;
    Expr *symbols = base_alloc((inputs + count) * sizeof *symbols), *values = symbols + inputs;
    double *numbers = base_alloc((inputs + count) * sizeof *numbers), *found = numbers + inputs;
    for (size_t i = 0; i + 1 < inputs; i++) {
        symbols[i] = model->params.at[i].symbol;
        numbers[i] = params[i];
    }
    symbols[inputs - 1] = model->t;
    // What is 0 there is on its other side at once.
    numbers[inputs - 1] = t + fmax(16 * DBL_EPSILON * fabs(t), DBL_MIN);
    for (size_t i = 0; i < count; i++)
        values[i] = model->whiles.at[i].value;
    bool known = program_run_once(program_new(model->pool, symbols, inputs, values, count, NULL),
                                  numbers, found);
    for (size_t i = 0; i < count; i++)
        acts[i] = !known || found[i] != 0;
    base_free(symbols);
    base_free(numbers);
}

void model_switch(Model *model, const bool *acts)
{
    ModelWhole *whole = model->whole;
    for (size_t i = 0; i < model->whiles.count; i++)
        model->whiles.at[i].acts = acts[i];
    model->forces_at.count = model->forces_along.count = model->torques.count = 0;
    for (size_t i = 0; i < whole->forces_at.count; i++)
        if (model_acts(model, whole->forces_at.at[i].waits))
            array_push(&model->forces_at, whole->forces_at.at[i]);
    for (size_t i = 0; i < whole->forces_along.count; i++)
        if (model_acts(model, whole->forces_along.at[i].waits))
            array_push(&model->forces_along, whole->forces_along.at[i]);
    for (size_t i = 0; i < whole->torques.count; i++)
        if (model_acts(model, whole->torques.at[i].waits))
            array_push(&model->torques, whole->torques.at[i]);
    model->potential = whole->potential;
    model->dissipation = whole->dissipation;
    for (size_t i = 0; i < whole->energies.count; i++) {
        const SwitchedEnergy *own = &whole->energies.at[i];
        Expr *sum = own->kind == ENERGY_POTENTIAL ? &model->potential : &model->dissipation;
        if (model_acts(model, own->waits))
            *sum = expr_add(model->pool, *sum, own->energy);
    }
}

// ---- The start.

static void start_acts(const Model *model, double t, bool *acts)
{
    double *params = base_alloc((model->params.count + 1) * sizeof *params);
    Diag *unheard = diag_new();
    // Where some have no value: states are mostly numbers.
    if (model_param_numbers(model, unheard, params) != STATUS_OK)
        for (size_t i = 0; i < model->params.count; i++) {
            Expr value = model->params.at[i].value;
            params[i] = NAN;
            if (!expr_is_none(value) && expr_is_number(model->pool, value))
                program_run_once(program_new(model->pool, NULL, 0, &value, 1, NULL), params,
                                 &params[i]);
        }
    model_whiles_at(model, params, t, acts);
    diag_free(unheard);
    base_free(params);
}

// The sign s, or −s, of a relation with t whose value has max(s, 0); none of others.
static Expr sign_in_time(const Model *model, Expr call)
{
    ExprPool *pool = model->pool;
    bool step = expr_op(pool, call) == EXPR_MAX;
    for (size_t i = 0; i < 2 && step; i++) {
        Expr sign = expr_arg(pool, call, i);
        if (expr_holds(pool, sign, model->t) && expr_is_zero(pool, expr_arg(pool, call, 1 - i)) &&
            (expr_op(pool, sign) == EXPR_SIGN || expr_op(pool, expr_neg(pool, sign)) == EXPR_SIGN))
            return sign;
    }
    return (Expr){0};
}

// Of relations with t the sign alone is left: for an instant they are half true.
static Expr weight_of(const Model *model, size_t waits)
{
    ExprPool *pool = model->pool;
    Expr value = model->whiles.at[waits - 1].value;
    ExprList nodes = expr_nodes(pool, &value, 1);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr call = {nodes.at[i]}, sign = sign_in_time(model, call);
        if (expr_is_none(sign))
            continue;
        Expr half = expr_div(pool, expr_add(pool, sign, expr_int(pool, 1)), expr_int(pool, 2));
        value = expr_replace(pool, value, &call, &half, 1);
    }
    expr_list_free(&nodes);
    return value;
}

static void weigh_loads(Model *model)
{
    ModelWhole *whole = model->whole;
    for (size_t i = 0; i < whole->forces_at.count; i++) {
        ModelForceAt *own = &whole->forces_at.at[i];
        if (own->waits)
            own->force = vector_scaled(model->vectors, weight_of(model, own->waits), own->force);
        own->waits = 0;
    }
    for (size_t i = 0; i < whole->torques.count; i++) {
        ModelTorque *own = &whole->torques.at[i];
        if (own->waits)
            own->torque = vector_scaled(model->vectors, weight_of(model, own->waits), own->torque);
        own->waits = 0;
    }
    for (size_t i = 0; i < whole->forces_along.count; i++) {
        ModelForceAlong *own = &whole->forces_along.at[i];
        if (own->waits)
            own->force = expr_mul(model->pool, weight_of(model, own->waits), own->force);
        own->waits = 0;
    }
    for (size_t i = 0; i < whole->energies.count; i++) {
        SwitchedEnergy *own = &whole->energies.at[i];
        if (own->waits)
            own->energy = expr_mul(model->pool, weight_of(model, own->waits), own->energy);
        own->waits = 0;
    }
}

void whiles_finish(Elaborator *e)
{
    Model *model = e->model;
    ModelWhole *whole = e->switched;
    if (model->whiles.count == 0)
        return;
    model->whole = whole;
    for (size_t i = 0; i < model->forces_at.count; i++)
        array_push(&whole->forces_at, model->forces_at.at[i]);
    for (size_t i = 0; i < model->forces_along.count; i++)
        array_push(&whole->forces_along, model->forces_along.at[i]);
    for (size_t i = 0; i < model->torques.count; i++)
        array_push(&whole->torques, model->torques.at[i]);
    whole->potential = model->potential;
    whole->dissipation = model->dissipation;
    if (e->weigh_loads)
        weigh_loads(model);
    model_start_whiles(model, 0);
}

bool model_start_whiles(Model *model, double t)
{
    bool *acts = base_alloc(model->whiles.count + 1), changed = false;
    start_acts(model, t, acts);
    for (size_t i = 0; i < model->whiles.count; i++)
        changed = changed || (acts[i] != model->whiles.at[i].acts);
    if (model->whole)
        model_switch(model, acts);
    base_free(acts);
    return changed;
}

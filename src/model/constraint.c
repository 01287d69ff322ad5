// constraint.c: conditions, what kind each is, and the multipliers that outputs ask for.
//
// A kind is seen from what the condition holds: accelerations, velocities (linearly or not),
// or coordinates and t alone.
#include "model/model_impl.h"

#include <string.h>

const char *constraint_kind_name(ConstraintKind kind)
{
    static const char *const names[] = {
#define KIND(NAME, name) [CONSTRAINT_##NAME] = name,
#include "model/constraint_kinds.def"
#undef KIND
    };
    return names[kind];
}

// ---- Kinds.

// The velocities (primes 1) or accelerations (primes 2) that e holds, in the order of symbols.
static void gather_symbols(Elaborator *e, Expr value, size_t primes)
{
    ExprList list = expr_symbols(e->pool, &value, 1);
    e->exprs.count = 0;
    for (size_t i = 0; i < list.count; i++) {
        const char *name = expr_name(e->pool, (Expr){list.at[i]});
        size_t length = strlen(name), count = 0;
        while (count < length && name[length - 1 - count] == '\'')
            count++;
        if (count == primes)
            array_push(&e->exprs, ((Expr){list.at[i]}));
    }
    expr_list_free(&list);
}

static ConstraintKind find_kind(Elaborator *e, Expr residual)
{
    gather_symbols(e, residual, 2);
    if (e->exprs.count > 0)
        return CONSTRAINT_SECOND_CLASS;
    gather_symbols(e, residual, 1);
    size_t count = e->exprs.count;
    if (count == 0)
        return CONSTRAINT_FINITE;
    Expr *coefficients = base_alloc(count * sizeof *coefficients);
    Expr rest;
    bool linear = expr_linear(e->pool, residual, e->exprs.at, count, coefficients, &rest);
    base_free(coefficients);
    return linear ? CONSTRAINT_LINEAR : CONSTRAINT_NONLINEAR;
}

static bool is_usable(Elaborator *e, ConstraintKind kind, Place place)
{
    if (kind == CONSTRAINT_SECOND_CLASS)
        return elaborate_fail(e, place,
                              "a condition with second derivatives is part of the language but "
                              "this version cannot use it yet");
    if (kind == CONSTRAINT_NONLINEAR)
        return elaborate_fail(e, place,
                              "a condition that is not linear in the velocities is part of the "
                              "language but this version cannot use it yet");
    return true;
}

// ---- One equation, or three.

typedef struct {
    const char *label;
    Place place; // of the whole condition
    Value left, right;
} Condition;

// Whether any coordinate is left in the condition, so that it can be one.
static bool holds_coordinates(Elaborator *e, Expr residual)
{
    ExprList list = expr_symbols(e->pool, &residual, 1);
    bool holds = false;
    for (size_t i = 0; i < list.count && !holds; i++) {
        Str name = str_of(expr_name(e->pool, (Expr){list.at[i]}));
        while (name.length > 0 && name.at[name.length - 1] == '\'')
            name.length--;
        const NameEntry *entry = names_find(e, name);
        holds = entry && entry->kind == NAME_COORD;
    }
    expr_list_free(&list);
    return holds;
}

static bool push_condition(Elaborator *e, const Condition *condition, const char *member, Expr left,
                           Expr right)
{
    Text name = {0};
    text_addf(&name, "%s%s", condition->label, member);
    ModelConstraint row = {.left = left, .right = right, .place = condition->place};
    row.name = arena_copy_text(e->arena, name.at, name.length);
    row.residual = expr_sub(e->pool, left, right);
    row.kind = find_kind(e, row.residual);
    text_clear(&name);
    // One that holds identically stays: it is set aside where redundant ones are.
    if (!expr_is_zero(e->pool, row.residual) && !holds_coordinates(e, row.residual))
        return elaborate_fail(e, condition->place,
                              "the condition '%s' holds no coordinate and no velocity; nothing in "
                              "it can move",
                              text_shown(str_of(row.name)).at);
    if (!is_usable(e, row.kind, condition->place))
        return false;
    text_addf(&name, "lambda.%s", row.name);
    row.lambda = expr_symbol(e->pool, name.at);
    text_clear(&name);
    array_push(&e->model->constraints, row);
    return true;
}

static bool push_conditions(Elaborator *e, const Condition *condition, bool whole)
{
    Vec a = condition->left.vector, b = condition->right.vector;
    if (!whole)
        return push_condition(e, condition, "", a.x, b.x);
    return push_condition(e, condition, ".x", a.x, b.x) &&
           push_condition(e, condition, ".y", a.y, b.y) &&
           push_condition(e, condition, ".z", a.z, b.z);
}

// Brings both sides to one type: points where one side is a point, else vectors, else scalars.
static bool match_sides(Elaborator *e, Condition *condition, const Place *places, bool *whole)
{
    Value *left = &condition->left, *right = &condition->right;
    if (left->kind == VALUE_BAD || right->kind == VALUE_BAD)
        return false;
    bool point = left->kind == VALUE_POINT || right->kind == VALUE_POINT;
    bool vector = left->kind == VALUE_VECTOR || right->kind == VALUE_VECTOR;
    const char *what = "the other side";
    *whole = point || vector;
    Value (*as)(Elaborator *, Value, Place, const char *) = point    ? value_as_point
                                                            : vector ? value_as_vector
                                                                     : value_as_scalar;
    *left = as(e, *left, places[0], what);
    *right = as(e, *right, places[1], what);
    return left->kind != VALUE_BAD && right->kind != VALUE_BAD;
}

static bool find_label(Elaborator *e, Condition *condition)
{
    const Part *part = statement_part(e, PART_LABEL);
    if (part)
        return elaborate_label(e, part, e->labels, "a constraint", &condition->label);
    Text text = {0};
    text_addf(&text, "c%u", ++e->unnamed);
    Str label = {arena_copy_text(e->arena, text.at, text.length), text.length};
    text_clear(&text);
    condition->label = label.at;
    if (name_map_put(e->labels, label, 1))
        return true;
    return elaborate_fail(e, condition->place,
                          "this constraint would be called '%s', which is another's name; give it "
                          "one",
                          label.at);
}

bool read_constraint(Elaborator *e)
{
    const Part *left = statement_part(e, PART_LEFT);
    const Part *right = statement_part(e, PART_EQUAL);
    if (!right)
        return elaborate_fail(e, syntax_word_place(e->syntax, e->statement),
                              "a one-sided 'constraint' is part of the language but this version "
                              "cannot use it yet");
    Place places[] = {syntax_part_place(e->syntax, left), syntax_part_place(e->syntax, right)};
    Condition condition = {.place = place_between(places[0], places[1])};
    bool named = find_label(e, &condition);
    condition.left = elaborate_span(e, left->span);
    condition.right = elaborate_span(e, right->span);
    bool whole;
    if (!match_sides(e, &condition, places, &whole) || !named) {
        if (named)
            name_map_put(e->lost_labels, str_of(condition.label), 1);
        return false;
    }
    if (condition.left.order < 0 && condition.right.order < 0)
        return elaborate_fail(e, condition.place,
                              "a condition is about coordinates or velocities, and this one holds "
                              "none");
    return push_conditions(e, &condition, whole);
}

// ---- Multipliers in outputs.

static bool is_constraint(const Elaborator *e, Str name)
{
    for (size_t i = 0; i < e->model->constraints.count; i++)
        if (str_is(name, e->model->constraints.at[i].name))
            return true;
    return false;
}

static bool is_lost_label(const Elaborator *e, Str name)
{
    size_t base = 0;
    while (base < name.length && name.at[base] != '[' && name.at[base] != '.')
        base++;
    size_t full = 0;
    while (full < name.length && name.at[full] != '.')
        full++;
    return name_map_get(e->lost_labels, (Str){name.at, base}, NULL) ||
           name_map_get(e->lost_labels, (Str){name.at, full}, NULL);
}

static void fail_lambda(Elaborator *e, const LambdaUse *use)
{
    Str name = str_of(use->name);
    ARRAY(Str) candidates = {0};
    for (size_t i = 0; i < e->model->constraints.count; i++)
        array_push(&candidates, str_of(e->model->constraints.at[i].name));
    ptrdiff_t nearest = str_nearest(name, candidates.at, candidates.count);
    Shown shown = text_shown(name);
    if (name_map_get(e->labels, name, NULL))
        elaborate_fail(e, use->place,
                       "'%s' is three conditions; their multipliers are lambda.%s.x, .y and .z",
                       shown.at, shown.at);
    else if (nearest >= 0)
        elaborate_fail(e, use->place, "unknown constraint '%s'; did you mean '%s'?", shown.at,
                       text_shown(candidates.at[nearest]).at);
    else
        elaborate_fail(e, use->place, "unknown constraint '%s'", shown.at);
    array_clear(&candidates);
}

void check_lambdas(Elaborator *e)
{
    for (size_t i = 0; i < e->lambda_uses.count; i++) {
        const LambdaUse *use = &e->lambda_uses.at[i];
        if (!is_constraint(e, str_of(use->name)) && !is_lost_label(e, str_of(use->name)))
            fail_lambda(e, use);
    }
}

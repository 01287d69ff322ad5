// expression_word.c: what a word stands for that is no name of the model: a reaction (lambda.NAME,
// normal(NAME)), a speed of sliding (slip.NAME), the force of a spring, a quantity of the forms.
#include "model/model_equation.h"
#include "model/model_impl.h"

#include <string.h>

// A word that is none of the model's: a quantity of the forms.
static Value quantity_value(Elaborator *e, Str word, Place place)
{
    ModelQuantity quantity;
    Text why = {0};
    Value value = value_bad();
    if (e->quantities->find(e->quantities->context, word, &quantity, &why)) {
        value = value_scalar(quantity.value);
        value.order = (int8_t)quantity.order;
        value.dim = dim_any();
    } else if (why.length > 0) {
        elaborate_fail(e, place, "%s", why.at);
    } else {
        names_fail_unknown(e, place, word);
    }
    text_clear(&why);
    return value;
}

static Value spring_value(Elaborator *e, const char *label, Place place)
{
    StatementKind kind = e->statement->kind;
    Expr force;
    if (kind != STATEMENT_OUTPUT && kind != STATEMENT_DRAW && kind != STATEMENT_EQUATION) {
        elaborate_fail(e, place, "the force of a spring is known only in 'output'");
        return value_bad();
    }
    if (!spring_force(e, label, place, &force))
        return value_bad();
    Value value = value_scalar(force);
    value.order = 1;
    Text name = {0};
    text_addf(&name, "spring.%s", parts_label(e, label));
    value.dim = reaction_dim(e, name.at);
    text_clear(&name);
    return value;
}

static bool word_begins(Str word, const char *prefix)
{
    size_t length = strlen(prefix);
    return word.length >= length && str_is((Str){word.at, length}, prefix);
}

// Why a reaction may not stand in the statement in hand; NULL where it may.
static const char *refuses_reaction(const Elaborator *e)
{
    switch (e->statement->kind) {
    case STATEMENT_OUTPUT:
    case STATEMENT_EQUATION:
    case STATEMENT_FORCE:
    case STATEMENT_TORQUE:
    case STATEMENT_FRICTION:
    case STATEMENT_DRAW:
    case STATEMENT_EVENT:
    case STATEMENT_ASSIGN:
    case STATEMENT_RUN:
    case STATEMENT_LET: return NULL;
    case STATEMENT_KINETIC:
    case STATEMENT_POTENTIAL:
    case STATEMENT_LAGRANGIAN:
    case STATEMENT_ACCELERATION_ENERGY:
    case STATEMENT_DISSIPATION:
        return "a reaction may stand in forces, events and outputs, not in an energy";
    case STATEMENT_CONSTRAINT:
    case STATEMENT_SERVO:
        return "a reaction may stand in forces, events and outputs, not in a condition";
    default: return "a reaction may stand in forces, events and outputs, not here";
    }
}

// The same of a speed of sliding.
static const char *refuses_slip(const Elaborator *e)
{
    StatementKind kind = e->statement->kind;
    bool good = kind == STATEMENT_CONSTRAINT || kind == STATEMENT_FRICTION ||
                kind == STATEMENT_EVENT || kind == STATEMENT_ASSIGN || kind == STATEMENT_RUN ||
                kind == STATEMENT_OUTPUT || kind == STATEMENT_DRAW || kind == STATEMENT_EQUATION;
    return good ? NULL : "a speed of sliding may stand in coefficients of friction and outputs";
}

// normal(NAME) of a vector condition or a joint that is declared above: the length of its force.
// None where it is neither.
static Value force_length(Elaborator *e, const char *label, Place place)
{
    static const char *const parts[] = {"x", "y", "z", "across1", "across2", "along"};
    enum { PARTS = sizeof parts / sizeof *parts };
    Expr squares[PARTS];
    size_t count = 0, length = strlen(label);
    Value force = value_bad();
    for (size_t i = 0; e->model && i < e->model->constraints.count; i++) {
        const ModelConstraint *row = &e->model->constraints.at[i];
        bool own = strncmp(row->name, label, length) == 0 && row->name[length] == '.', part = false;
        for (size_t k = 0; k < PARTS && own && !part; k++)
            part = strcmp(row->name + length + 1, parts[k]) == 0;
        if (!part || count == PARTS)
            continue;
        Text name = {0};
        text_addf(&name, "lambda.%s", row->name);
        force = value_scalar(row->lambda);
        force.dim = reaction_dim(e, name.at);
        text_clear(&name);
        array_push(&e->lambda_uses, ((LambdaUse){row->name, place, USE_LAMBDA}));
        squares[count++] = expr_pow_int(e->pool, row->lambda, 2);
    }
    force.scalar = count > 0 ? expr_sqrt(e->pool, expr_sum(e->pool, squares, count)) : force.scalar;
    force.multiplier = count > 0;
    return force;
}

Value elaborate_word(Elaborator *e, Value value, Place place)
{
    Str word = str_of(value.word);
    if (e->free_symbols)
        return value_scalar(str_is(word, "pi") ? expr_pi(e->pool)
                                               : expr_symbol(e->pool, value.word));
    static const char spring[] = "spring.";
    if (str_is((Str){word.at, strnlen(word.at, sizeof spring - 1)}, spring))
        return spring_value(e, value.word + sizeof spring - 1, place);
    static const char *const prefixes[] = {
        [USE_LAMBDA] = "lambda.", [USE_NORMAL] = "normal.", [USE_SLIP] = "slip."};
    ReactionUse what = USE_LAMBDA;
    while (what < USE_SLIP && !word_begins(word, prefixes[what]))
        what++;
    const size_t prefix = strlen(prefixes[what]);
    bool reaction = word.length > prefix && word_begins(word, prefixes[what]);
    if (!reaction && e->quantities && !str_is(word, "lambda"))
        return quantity_value(e, word, place);
    if (str_is(word, "slip")) {
        names_fail_unknown(e, place, word);
        return value_bad();
    }
    if (!reaction) {
        elaborate_fail(e, place, "a multiplier is written lambda.NAME, with a constraint's name");
        return value_bad();
    }
    const char *refused = what == USE_SLIP ? refuses_slip(e) : refuses_reaction(e);
    if (refused) {
        elaborate_fail(e, place, "%s", refused);
        return value_bad();
    }
    Text full = {0};
    text_addf(&full, "%s%s", prefixes[what], parts_label(e, value.word + prefix));
    const char *name = arena_copy_text(e->arena, full.at, full.length);
    text_clear(&full);
    Value force = what == USE_NORMAL ? force_length(e, name + prefix, place) : value_bad();
    if (!force.multiplier)
        array_push(&e->lambda_uses, ((LambdaUse){name + prefix, place, what}));
    StatementKind kind = e->statement->kind;
    bool told = kind == STATEMENT_OUTPUT || kind == STATEMENT_EQUATION || kind == STATEMENT_EVENT ||
                kind == STATEMENT_ASSIGN || kind == STATEMENT_RUN;
    if (e->model && !told)
        e->model->reactions_act = true;
    if (force.multiplier)
        return force;
    Value lambda = value_scalar(expr_symbol(e->pool, name));
    lambda.dim = reaction_dim(e, name);
    lambda.multiplier = what != USE_SLIP;
    return lambda;
}

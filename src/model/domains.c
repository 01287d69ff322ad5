// domains.c: the roots, logarithms and inverse sines of the text, and which of them move the
// system.
#include "model/domains.h"
#include "expr/expr.h"
#include "model/model_impl.h"

// What is kept at most.
enum { MOST_DOMAINS = 4096 };

// Adds it unless it is there already; its bit, or 0 where it needs no look.
static uint64_t add_domain(Elaborator *e, ModelDomain domain)
{
    Model *model = e->model;
    if (expr_is_never_negative(e->pool, domain.inside))
        return 0;
    for (size_t i = 0; i < model->domains.count; i++) {
        const ModelDomain *other = &model->domains.at[i];
        if (expr_same(other->inside, domain.inside) && expr_same(other->whole, domain.whole) &&
            other->place.start == domain.place.start && other->place.source == domain.place.source)
            return domain_bit(i);
    }
    if (model->domains.count == MOST_DOMAINS)
        return 0;
    domain.used = false;
    array_push(&model->domains, domain);
    return domain_bit(model->domains.count - 1);
}

static bool is_read(const Elaborator *e)
{
    return e->model && e->statement && !e->free_symbols &&
           (e->statement->kind < STATEMENT_IMPULSE || e->statement->kind == STATEMENT_OUTPUT);
}

// A power of a scalar by a number that is not whole.
static bool is_root(Elaborator *e, const Node *node, ModelDomain *domain)
{
    const Child *children = syntax_children(e->syntax, node);
    Value base = elaborate_child(e, children[0].node), power = elaborate_child(e, children[1].node);
    domain->function = "a power";
    domain->argument = domain->inside = base.scalar;
    return base.kind == VALUE_SCALAR && power.kind == VALUE_SCALAR &&
           expr_is_number(e->pool, power.scalar) &&
           !fmpz_is_one(fmpq_denref(expr_value(e->pool, power.scalar)));
}

// A call of sqrt, log, asin or acos.
static bool is_partial_call(Elaborator *e, const Node *node, Expr whole, ModelDomain *domain)
{
    ExprPool *pool = e->pool;
    Str name = syntax_name(e->syntax, node->name);
    ExprOp op = EXPR_NONE;
    bool root = str_is(name, "sqrt");
    if (node->count != 1 || (!root && !expr_op_find(name, &op)))
        return false;
    Value argument = elaborate_child(e, syntax_children(e->syntax, node)[0].node);
    // The angle of a sine or a cosine is written in another way, and always has a value.
    bool arc = (op == EXPR_ASIN || op == EXPR_ACOS) && expr_op(pool, whole) == op;
    if (argument.kind != VALUE_SCALAR || (!root && op != EXPR_LOG && !arc))
        return false;
    domain->function = root ? "sqrt" : expr_op_name(op);
    domain->argument = domain->inside = argument.scalar;
    if (arc)
        domain->inside =
            expr_sub(pool, expr_int(pool, 1), expr_mul(pool, argument.scalar, argument.scalar));
    return true;
}

void domains_note(Elaborator *e, const Node *node, uint32_t index, Value *value)
{
    ModelDomain domain = {0};
    if (value->kind != VALUE_SCALAR || !is_read(e) ||
        !(node->kind == NODE_POWER  ? is_root(e, node, &domain)
          : node->kind == NODE_CALL ? is_partial_call(e, node, value->scalar, &domain)
                                    : false))
        return;
    domain.whole = value->scalar;
    domain.place = elaborate_place(e, index);
    value->domains |= add_domain(e, domain);
}

uint64_t domains_at(Elaborator *e, uint64_t domains, const Expr *symbols, const Expr *values,
                    size_t count)
{
    uint64_t at = 0;
    size_t before = domains && is_read(e) ? e->model->domains.count : 0;
    for (size_t i = 0; i < before; i++) {
        if (!(domains & domain_bit(i)))
            continue;
        ModelDomain domain = e->model->domains.at[i];
        domain.inside = expr_replace(e->pool, domain.inside, symbols, values, count);
        domain.argument = expr_replace(e->pool, domain.argument, symbols, values, count);
        domain.whole = expr_replace(e->pool, domain.whole, symbols, values, count);
        at |= add_domain(e, domain);
    }
    return at;
}

// Names stand for what they are made of, and have to be used.
static bool only_names(StatementKind kind)
{
    switch (kind) {
    case STATEMENT_CONST:
    case STATEMENT_PARAM:
    case STATEMENT_INPUT:
    case STATEMENT_LET:
    case STATEMENT_FUNCTION:
    case STATEMENT_POINT:
    case STATEMENT_OUTPUT:
    case STATEMENT_FRAME: return true;
    default: return false;
    }
}

void domains_use(Elaborator *e, const Value *value)
{
    // What acts for a while needs no value besides.
    if (value->domains == 0 || !is_read(e) || only_names(e->statement->kind) || e->waits > 0)
        return;
    for (size_t i = 0; i < e->model->domains.count; i++)
        if (value->domains & domain_bit(i))
            e->model->domains.at[i].used = true;
}

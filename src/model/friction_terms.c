// friction_terms.c: a bound that is a sum over reactions, μ|λ_a| + μ|λ_b|: a friction for each of
// them, all against one velocity. They slide together, and hold together up to the sum.
#include "model/model_impl.h"

#include <string.h>

enum { MOST_TERMS = 6 }; // and a constant: as many as share a force that holds (simulate/friction)

typedef struct {
    size_t count;
    Expr atoms[MOST_TERMS]; // |λ|, or λ
    Expr symbols[MOST_TERMS];
} Terms;

static bool is_reaction(const ExprPool *pool, Expr symbol)
{
    const char *name = expr_name(pool, symbol);
    return strncmp(name, "lambda.", 7) == 0 || strncmp(name, "normal.", 7) == 0;
}

static bool holds_reaction(const ExprPool *pool, Expr e)
{
    ExprList symbols = expr_symbols(pool, &e, 1);
    bool found = false;
    for (size_t i = 0; i < symbols.count; i++)
        found = found || is_reaction(pool, (Expr){symbols.at[i]});
    expr_list_free(&symbols);
    return found;
}

// The outermost absolute value with a reaction in it; else a reaction; else none.
static Expr next_atom(const ExprPool *pool, const Expr *bounds)
{
    ExprList nodes = expr_nodes(pool, bounds, 2);
    Expr atom = {0};
    for (int pass = 0; pass < 2 && expr_is_none(atom); pass++)
        for (size_t i = nodes.count; i-- > 0 && expr_is_none(atom);) {
            Expr node = {nodes.at[i]};
            bool whole = expr_op(pool, node) == (pass == 0 ? EXPR_ABS : EXPR_SYMBOL);
            if (whole && holds_reaction(pool, node))
                atom = node;
        }
    expr_list_free(&nodes);
    return atom;
}

// Bounds in symbols for the atoms; false where there are too many.
static bool find_terms(ExprPool *pool, Expr *bounds, Terms *terms)
{
    for (Expr atom; atom = next_atom(pool, bounds), !expr_is_none(atom);) {
        if (terms->count == MOST_TERMS)
            return false;
        Expr symbol = expr_symbol_new(pool, "reaction");
        terms->atoms[terms->count] = atom;
        terms->symbols[terms->count++] = symbol;
        for (size_t i = 0; i < 2; i++)
            bounds[i] = expr_replace(pool, bounds[i], &atom, &symbol, 1);
    }
    return true;
}

// The factors of all terms, and what is left behind them; false where a bound is no sum of them.
static bool split(ExprPool *pool, Expr bound, const Terms *terms, Expr *factors)
{
    size_t count = terms->count;
    if (!expr_linear(pool, bound, terms->symbols, count, factors, &factors[count]))
        return false;
    for (size_t i = 0; i <= count; i++)
        if (expr_holds_any(pool, factors[i], terms->symbols, count))
            return false;
    return true;
}

static const char *term_name(Elaborator *e, const char *name, size_t number)
{
    Text text = {0};
    text_addf(&text, "%s.%zu", name, number);
    const char *own = arena_copy_text(e->arena, text.at, text.length);
    text_clear(&text);
    name_map_put(e->labels, str_of(own), 1);
    return own;
}

void push_friction_terms(Elaborator *e, ModelFriction *friction)
{
    ExprPool *pool = e->pool;
    Terms terms = {0};
    Expr bounds[] = {friction->bound, friction->hold}, slides[MOST_TERMS + 1],
         sticks[MOST_TERMS + 1];
    bool sums = friction->kind == FRICTION_AGAINST && find_terms(pool, bounds, &terms) &&
                terms.count > 0 && split(pool, bounds[0], &terms, slides) &&
                split(pool, bounds[1], &terms, sticks);
    size_t count = terms.count;
    bool rest = sums && !(expr_is_zero(pool, slides[count]) && expr_is_zero(pool, sticks[count]));
    if (!sums || count + rest < 2) {
        push_friction(e, friction);
        return;
    }
    bool same = expr_same(friction->bound, friction->hold);
    for (size_t i = 0; i < count + rest; i++) {
        ModelFriction term = *friction;
        Expr atom = i < count ? terms.atoms[i] : expr_int(pool, 1);
        term.bound = expr_mul(pool, slides[i], atom);
        term.hold = same ? term.bound : expr_mul(pool, sticks[i], atom);
        if (i > 0)
            term.name = term_name(e, friction->name, i + 1);
        push_friction(e, &term);
    }
}

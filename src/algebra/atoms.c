// atoms.c: rewriting over atoms, after which only rational operations and square roots are
// left.
//
// Sines, cosines and tangents become rational in the points of circles (angles.c). Every
// other function of its argument, an open one too, and a root of base and degree q > 2, is one free
// symbol; the same symbol for the same function of arguments with the same canonical form. That
// forgets relations between such functions (exp(2x) = exp(x)²), and so can turn a YES into an
// UNKNOWN; it never invents one.
#include "algebra/algebra_impl.h"

#include <assert.h>

// Arguments of more nodes than this are not made canonical.
enum { LARGEST_ARGUMENT = 150 };

// ---- What symbols stand for.

Circle atoms_circle_at(Algebra *algebra, Expr angle)
{
    uint32_t index;
    if (index_map_get(&algebra->circle_of_angle, angle.at, &index))
        return algebra->circles.at[index];
    index = (uint32_t)algebra->circles.count;
    Circle circle = {angle, expr_symbol_new(algebra->pool, "sine"),
                     expr_symbol_new(algebra->pool, "cosine")};
    array_push(&algebra->circles, circle);
    index_map_put(&algebra->circle_of_angle, angle.at, index);
    index_map_put(&algebra->circle_of_symbol, circle.sine.at, index);
    index_map_put(&algebra->circle_of_symbol, circle.cosine.at, index);
    return circle;
}

const Circle *atoms_circle(const Algebra *algebra, Expr symbol)
{
    uint32_t index;
    if (!index_map_get(&algebra->circle_of_symbol, symbol.at, &index))
        return NULL;
    return &algebra->circles.at[index];
}

Expr atoms_meaning(Algebra *algebra, Expr symbol)
{
    const Circle *circle = atoms_circle(algebra, symbol);
    if (circle) {
        ExprOp op = expr_same(symbol, circle->sine) ? EXPR_SIN : EXPR_COS;
        return expr_call(algebra->pool, op, circle->angle, (Expr){0});
    }
    uint32_t index;
    if (index_map_get(&algebra->atom_of_symbol, symbol.at, &index))
        return algebra->atoms.at[index].meaning;
    return symbol;
}

static Expr free_atom(Algebra *algebra, Expr meaning)
{
    uint32_t index;
    if (index_map_get(&algebra->atom_of_meaning, meaning.at, &index))
        return algebra->atoms.at[index].symbol;
    index = (uint32_t)algebra->atoms.count;
    FreeAtom atom = {expr_symbol_new(algebra->pool, "atom"), meaning};
    array_push(&algebra->atoms, atom);
    index_map_put(&algebra->atom_of_meaning, meaning.at, index);
    index_map_put(&algebra->atom_of_symbol, atom.symbol.at, index);
    return atom.symbol;
}

// ---- Arguments.

static bool is_circular(ExprOp op)
{
    return op == EXPR_SIN || op == EXPR_COS || op == EXPR_TAN;
}

static bool is_function(ExprOp op)
{
    return expr_op_arity(op) > 0;
}

static bool is_plain_term(const ExprPool *pool, Expr e, bool open)
{
    ExprOp op = expr_op(pool, e);
    return op == EXPR_SYMBOL || op == EXPR_PI || op == EXPR_NUMBER || (open && op == EXPR_OPEN);
}

// Rational combinations of symbols are their own canonical form. With `open` the values of open
// functions count as symbols.
static bool is_combination(const ExprPool *pool, Expr e, bool open)
{
    ExprOp op = expr_op(pool, e);
    if (op != EXPR_SUM && op != EXPR_PRODUCT)
        return is_plain_term(pool, e, open);
    size_t count = expr_arg_count(pool, e);
    bool plain = op == EXPR_SUM || (count == 1 && fmpq_is_one(expr_arg_weight(pool, e, 0)));
    for (size_t i = 0; i < count && plain; i++)
        plain = is_plain_term(pool, expr_arg(pool, e, i), open);
    return plain;
}

static bool is_plain(const ExprPool *pool, Expr e)
{
    return is_combination(pool, e, false);
}

bool atoms_are_free(const Algebra *algebra, const Expr *exprs, size_t count, bool with_roots)
{
    const ExprPool *pool = algebra->pool;
    ExprList nodes = expr_nodes(pool, exprs, count);
    bool free = true;
    for (size_t i = 0; i < nodes.count && free; i++) {
        Expr e = {nodes.at[i]};
        ExprOp op = expr_op(pool, e);
        // Open functions of different arguments are related by nothing.
        if (is_function(op))
            free = is_circular(op) || op == EXPR_OPEN;
        for (size_t k = 0; is_function(op) && k < expr_arg_count(pool, e) && free; k++)
            free = is_combination(pool, expr_arg(pool, e, k), true);
        for (size_t k = 0; op == EXPR_PRODUCT && k < expr_arg_count(pool, e) && free; k++)
            free = fmpz_cmp_ui(&expr_arg_weight(pool, e, k)->den, with_roots ? 2 : 1) <= 0;
    }
    expr_list_free(&nodes);
    return free;
}

Expr atoms_argument(Algebra *algebra, Expr argument)
{
    if (is_plain(algebra->pool, argument) || algebra_nodes(algebra, argument) > LARGEST_ARGUMENT)
        return argument;
    Expr form;
    algebra_canonical(algebra, argument, &form);
    return form;
}

// ---- Rewriting.

typedef struct {
    Algebra *algebra;
    AtomMode mode;
    ExprList nodes;
    bool *needed;   // by place in nodes
    Expr *image;    // by place in nodes
    IndexMap place; // node → place in nodes
    Angles *angles;
} Rewriting;

// Whether a power stays in the language of fractions and square roots.
static bool is_simple_power(const fmpq *exponent)
{
    return fmpz_cmp_ui(&exponent->den, 2) <= 0;
}

// Marks what is seen outside of arguments; parents stand behind their children.
static void mark_needed(Rewriting *rewriting, const Expr *roots, size_t count)
{
    const ExprPool *pool = rewriting->algebra->pool;
    uint32_t place;
    for (size_t i = 0; i < rewriting->nodes.count; i++)
        index_map_put(&rewriting->place, rewriting->nodes.at[i], (uint32_t)i);
    for (size_t i = 0; i < count; i++)
        if (index_map_get(&rewriting->place, roots[i].at, &place))
            rewriting->needed[place] = true;
    for (size_t i = rewriting->nodes.count; i-- > 0;) {
        Expr e = {rewriting->nodes.at[i]};
        ExprOp op = expr_op(pool, e);
        if (!rewriting->needed[i] || is_function(op))
            continue;
        for (size_t k = 0; k < expr_arg_count(pool, e); k++) {
            if (op == EXPR_PRODUCT && !is_simple_power(expr_arg_weight(pool, e, k)))
                continue;
            if (index_map_get(&rewriting->place, expr_arg(pool, e, k).at, &place))
                rewriting->needed[place] = true;
        }
    }
}

// Arguments from the inside out, so that the forms of inner ones are known to outer ones and
// nothing recurses on depth; then the angles, all of them before the first is written out.
static void meet_arguments(Rewriting *rewriting)
{
    Algebra *algebra = rewriting->algebra;
    for (size_t i = 0; i < rewriting->nodes.count; i++) {
        Expr e = {rewriting->nodes.at[i]};
        ExprOp op = expr_op(algebra->pool, e);
        if (rewriting->mode == ATOMS_SPLIT && is_function(op))
            for (size_t k = 0; k < expr_arg_count(algebra->pool, e); k++)
                atoms_argument(algebra, expr_arg(algebra->pool, e, k));
        if (rewriting->needed[i] && is_circular(op))
            angles_meet(rewriting->angles, expr_arg(algebra->pool, e, 0));
    }
}

static Expr argument_of(const Rewriting *rewriting, Expr e, size_t index)
{
    Expr argument = expr_arg(rewriting->algebra->pool, e, index);
    return rewriting->mode == ATOMS_SPLIT ? atoms_argument(rewriting->algebra, argument) : argument;
}

static Expr rewrite_circular(Rewriting *rewriting, Expr e)
{
    ExprPool *pool = rewriting->algebra->pool;
    SinePair pair = angles_pair(rewriting->angles, expr_arg(pool, e, 0));
    switch (expr_op(pool, e)) {
    case EXPR_SIN: return pair.sine;
    case EXPR_COS: return pair.cosine;
    default: return expr_div(pool, pair.sine, pair.cosine);
    }
}

static Expr rewrite_function(Rewriting *rewriting, Expr e)
{
    Algebra *algebra = rewriting->algebra;
    ExprPool *pool = algebra->pool;
    ExprOp op = expr_op(pool, e);
    size_t count = expr_arg_count(pool, e);
    Expr *args = base_alloc(count * sizeof *args);
    for (size_t i = 0; i < count; i++)
        args[i] = argument_of(rewriting, e, i);
    fmpq_t factor;
    fmpq_init(factor);
    // With other arguments it may be built as −f(−a), or as something that is no f at all;
    // then it is kept as it was.
    Expr rest = expr_strip(pool, expr_rebuild(pool, e, args), factor);
    base_free(args);
    Expr image;
    if (expr_op(pool, rest) == op)
        image = expr_mul(pool, expr_number(pool, factor), free_atom(algebra, rest));
    else
        image = free_atom(algebra, e);
    fmpq_clear(factor);
    return image;
}

// base^(p/q) with q > 2 is the p-th power of the free symbol base^(1/q).
static Expr rewrite_root(Rewriting *rewriting, Expr product, size_t index)
{
    ExprPool *pool = rewriting->algebra->pool;
    const fmpq *exponent = expr_arg_weight(pool, product, index);
    fmpq_t part;
    fmpq_init(part);
    fmpq_set(part, exponent);
    fmpz_one(fmpq_numref(part));
    Expr degree = expr_number(pool, part);
    fmpz_set(fmpq_numref(part), &exponent->num);
    fmpz_one(fmpq_denref(part));
    Expr power = expr_number(pool, part);
    fmpq_clear(part);
    Expr root = expr_pow(pool, argument_of(rewriting, product, index), degree);
    return expr_pow(pool, free_atom(rewriting->algebra, root), power);
}

static Expr image_of(const Rewriting *rewriting, Expr e)
{
    uint32_t place = 0;
    bool known = index_map_get(&rewriting->place, e.at, &place);
    assert(known);
    (void)known;
    return rewriting->image[place];
}

static Expr rewrite_product(Rewriting *rewriting, Expr e)
{
    ExprPool *pool = rewriting->algebra->pool;
    size_t count = expr_arg_count(pool, e);
    Expr *factors = base_alloc((count + 1) * sizeof *factors);
    for (size_t i = 0; i < count; i++) {
        const fmpq *exponent = expr_arg_weight(pool, e, i);
        if (is_simple_power(exponent))
            factors[i] = expr_pow(pool, image_of(rewriting, expr_arg(pool, e, i)),
                                  expr_number(pool, exponent));
        else
            factors[i] = rewrite_root(rewriting, e, i);
    }
    factors[count] = expr_number(pool, expr_value(pool, e));
    Expr product = expr_product(pool, factors, count + 1);
    base_free(factors);
    return product;
}

static Expr rewrite_sum(Rewriting *rewriting, Expr e)
{
    ExprPool *pool = rewriting->algebra->pool;
    size_t count = expr_arg_count(pool, e);
    Expr *args = base_alloc(count * sizeof *args);
    for (size_t i = 0; i < count; i++)
        args[i] = image_of(rewriting, expr_arg(pool, e, i));
    Expr sum = expr_rebuild(pool, e, args);
    base_free(args);
    return sum;
}

static Expr rewrite_node(Rewriting *rewriting, Expr e)
{
    ExprOp op = expr_op(rewriting->algebra->pool, e);
    switch (op) {
    case EXPR_NUMBER:
    case EXPR_SYMBOL: return e;
    case EXPR_PI: return free_atom(rewriting->algebra, e);
    case EXPR_SUM: return rewrite_sum(rewriting, e);
    case EXPR_PRODUCT: return rewrite_product(rewriting, e);
    default:
        return is_circular(op) ? rewrite_circular(rewriting, e) : rewrite_function(rewriting, e);
    }
}

void atoms_rewrite(Algebra *algebra, AtomMode mode, const Expr *roots, size_t count, Expr *images)
{
    Rewriting rewriting = {.algebra = algebra, .mode = mode};
    rewriting.nodes = expr_nodes(algebra->pool, roots, count);
    rewriting.needed = base_alloc((rewriting.nodes.count + 1) * sizeof *rewriting.needed);
    rewriting.image = base_alloc((rewriting.nodes.count + 1) * sizeof *rewriting.image);
    rewriting.angles = angles_new(algebra, mode);
    mark_needed(&rewriting, roots, count);
    meet_arguments(&rewriting);
    for (size_t i = 0; i < rewriting.nodes.count; i++) {
        Expr e = {rewriting.nodes.at[i]};
        if (rewriting.needed[i])
            rewriting.image[i] = rewrite_node(&rewriting, e);
    }
    for (size_t i = 0; i < count; i++)
        images[i] = image_of(&rewriting, roots[i]);
    angles_free(rewriting.angles);
    index_map_clear(&rewriting.place);
    base_free(rewriting.image);
    base_free(rewriting.needed);
    expr_list_free(&rewriting.nodes);
}

// functions.c: the functions of the language, with what is plain to see worked out: values at
// 0 and at the simple parts of π, odd and even symmetry, turns by right angles.
#include "expr/expr_impl.h"

#include <assert.h>

// Whether the expression is written with a minus in front: then −e is the plainer one.
static bool is_negative(const ExprPool *pool, Expr e)
{
    const Node *node = node_of(pool, e);
    if (node->op == EXPR_NUMBER || node->op == EXPR_PRODUCT)
        return number_sign(pool, node->value) < 0;
    return node->op == EXPR_SUM && number_sign(pool, links_of(pool, e)[0].weight) < 0;
}

static Expr negated(ExprPool *pool, Expr e)
{
    return expr_op(pool, e) == EXPR_SUM ? build_negated_sum(pool, e) : expr_neg(pool, e);
}

// e or −e, whichever is the plainer one; *turned where it is −e. A sum that a minus stands
// before may itself begin with one, so that it takes two turns.
static Expr without_minus(ExprPool *pool, Expr e, bool *turned)
{
    for (*turned = false; is_negative(pool, e); *turned = !*turned)
        e = negated(pool, e);
    return e;
}

static Expr function_node(ExprPool *pool, ExprOp op, Expr a)
{
    Link link = {a.at, 0};
    return node_intern(pool, op, 0, &link, 1);
}

// f(a) for an odd function, its argument without minus.
static Expr odd_node(ExprPool *pool, ExprOp op, Expr a)
{
    bool turned;
    Expr value = function_node(pool, op, without_minus(pool, a, &turned));
    return turned ? expr_neg(pool, value) : value;
}

// ---- Turns. Splits a into rest + turns·π with the rational factor of π in a.
static Expr split_turns(ExprPool *pool, Expr a, fmpq_t turns)
{
    fmpq_zero(turns);
    Expr pi = expr_pi(pool);
    if (expr_same(a, pi)) {
        fmpq_one(turns);
        return expr_int(pool, 0);
    }
    const Node node = *node_of(pool, a);
    const Link *links = links_of(pool, a);
    if (node.op == EXPR_PRODUCT && node.count == 1 && links[0].arg == pi.at &&
        links[0].weight == NUMBER_ONE) {
        fmpq_set(turns, number_value(pool, node.value));
        return expr_int(pool, 0);
    }
    size_t at = 0;
    while (node.op == EXPR_SUM && at < node.count && links[at].arg != pi.at)
        at++;
    if (node.op != EXPR_SUM || at == node.count)
        return a;
    // The sum without its term in π: left out, for taken away it would stay in a long sum.
    fmpq_set(turns, number_value(pool, links[at].weight));
    Link *rest = base_alloc(node.count * sizeof *rest);
    for (size_t i = 0; i < node.count; i++)
        rest[i] = links[i];
    rest[at] = rest[node.count - 1];
    a = build_sum(pool, node.value, rest, node.count - 1);
    base_free(rest);
    return a;
}

// sin(k·π/12) for 0 ≤ k < 24, where it is simple; none otherwise.
static Expr sine_of_twelfths(ExprPool *pool, slong k)
{
    if (k >= 12) {
        Expr below = sine_of_twelfths(pool, k - 12);
        return expr_is_none(below) ? below : expr_neg(pool, below);
    }
    switch (k > 6 ? 12 - k : k) {
    case 0: return expr_int(pool, 0);
    case 2: return expr_ratio(pool, 1, 2);
    case 3: return expr_div(pool, expr_sqrt(pool, expr_int(pool, 2)), expr_int(pool, 2));
    case 4: return expr_div(pool, expr_sqrt(pool, expr_int(pool, 3)), expr_int(pool, 2));
    case 6: return expr_int(pool, 1);
    default: return (Expr){0};
    }
}

static Expr call_sine(ExprPool *pool, Expr a);

// cos(a) as a node, its argument without minus.
static Expr cosine_node(ExprPool *pool, Expr a)
{
    if (expr_is_zero(pool, a))
        return expr_int(pool, 1);
    bool turned;
    return function_node(pool, EXPR_COS, without_minus(pool, a, &turned));
}

static Expr sine_node(ExprPool *pool, Expr a)
{
    return expr_is_zero(pool, a) ? a : odd_node(pool, EXPR_SIN, a);
}

// sin(rest + quarters·π/2), quarters from 0 to 3.
static Expr sine_turned(ExprPool *pool, Expr rest, ulong quarters)
{
    Expr value = quarters % 2 ? cosine_node(pool, rest) : sine_node(pool, rest);
    return quarters >= 2 ? expr_neg(pool, value) : value;
}

// The sine of a + quarters·π/2; cosines come here with one quarter more.
static Expr sine_shifted(ExprPool *pool, Expr a, ulong quarters)
{
    fmpq_t turns;
    fmpq_init(turns);
    Expr rest = split_turns(pool, a, turns);
    Expr result = {0};
    fmpz_t parts;
    fmpz_init(parts);
    fmpq_mul_si(turns, turns, 12);
    if (fmpz_is_one(fmpq_denref(turns))) {
        ulong twelfths = fmpz_fdiv_ui(fmpq_numref(turns), 24);
        twelfths = (twelfths + 6 * quarters) % 24;
        if (expr_is_zero(pool, rest))
            result = sine_of_twelfths(pool, (slong)twelfths);
        if (expr_is_none(result) && twelfths % 6 == 0)
            result = sine_turned(pool, rest, twelfths / 6);
    }
    if (expr_is_none(result))
        result = sine_turned(pool, a, quarters);
    fmpz_clear(parts);
    fmpq_clear(turns);
    return result;
}

static Expr call_sine(ExprPool *pool, Expr a)
{
    return sine_shifted(pool, a, 0);
}

static Expr call_cosine(ExprPool *pool, Expr a)
{
    return sine_shifted(pool, a, 1);
}

static Expr call_tangent(ExprPool *pool, Expr a)
{
    fmpq_t turns;
    fmpq_init(turns);
    Expr rest = split_turns(pool, a, turns);
    bool whole = fmpz_is_one(fmpq_denref(turns));
    bool simple = expr_is_zero(pool, rest) && !whole && fmpz_cmp_ui(fmpq_denref(turns), 12) <= 0;
    fmpq_clear(turns);
    if (simple) {
        Expr sine = call_sine(pool, a), cosine = call_cosine(pool, a);
        if (expr_op(pool, sine) != EXPR_SIN && expr_op(pool, cosine) != EXPR_COS)
            return expr_div(pool, sine, cosine);
    }
    Expr shifted = whole ? rest : a;
    return expr_is_zero(pool, shifted) ? shifted : odd_node(pool, EXPR_TAN, shifted);
}

// ---- The other functions: f(0) where it is rational, and symmetry.

typedef enum { NEITHER, ODD, EVEN } Symmetry;

static Symmetry symmetry_of(ExprOp op)
{
    switch (op) {
    case EXPR_ASIN:
    case EXPR_ATAN:
    case EXPR_SINH:
    case EXPR_TANH:
    case EXPR_SIGN: return ODD;
    case EXPR_COSH:
    case EXPR_ABS: return EVEN;
    default: return NEITHER;
    }
}

// Values at 0 and 1 that are exact; none otherwise.
static Expr special_value(ExprPool *pool, ExprOp op, Expr a)
{
    bool zero = expr_is_zero(pool, a), one = expr_is_one(pool, a);
    switch (op) {
    case EXPR_ASIN:
    case EXPR_ACOS:
        if (zero == one)
            return (Expr){0};
        if (zero == (op == EXPR_ASIN))
            return expr_int(pool, 0);
        return expr_div(pool, expr_pi(pool), expr_int(pool, 2));
    case EXPR_ATAN:
        if (one)
            return expr_div(pool, expr_pi(pool), expr_int(pool, 4));
        return zero ? a : (Expr){0};
    case EXPR_SINH:
    case EXPR_TANH: return zero ? a : (Expr){0};
    case EXPR_COSH:
    case EXPR_EXP: return zero ? expr_int(pool, 1) : (Expr){0};
    case EXPR_LOGISTIC: return zero ? expr_ratio(pool, 1, 2) : (Expr){0};
    case EXPR_LOG: return one ? expr_int(pool, 0) : (Expr){0};
    default: return (Expr){0};
    }
}

static Expr call_of_number(ExprPool *pool, ExprOp op, Expr a)
{
    int sign = number_sign(pool, node_of(pool, a)->value);
    if (op == EXPR_SIGN)
        return expr_int(pool, sign);
    if (op == EXPR_ABS)
        return sign < 0 ? expr_neg(pool, a) : a;
    return (Expr){0};
}

// asin or acos of a sine, a cosine or a fraction whose other side is known, written so that its
// slope is known where it turns.
static Expr angle_of_side(ExprPool *pool, ExprOp op, Expr a)
{
    if (op != EXPR_ASIN && op != EXPR_ACOS)
        return (Expr){0};
    ExprWave wave = expr_wave(pool, a);
    Expr value = a, other = wave.found ? (Expr){0} : expr_other_side(pool, a);
    if (!wave.found && expr_is_none(other))
        return (Expr){0};
    if (wave.found) {
        Expr sine = call_sine(pool, wave.of), cosine = call_cosine(pool, wave.of);
        value = wave.sine ? sine : cosine;
        other = wave.sine ? cosine : sine;
        value = wave.negative ? expr_neg(pool, value) : value;
    }
    other = expr_call(pool, EXPR_ABS, other, (Expr){0});
    return op == EXPR_ASIN ? expr_call(pool, EXPR_ATAN2, value, other)
                           : expr_call(pool, EXPR_ATAN2, other, value);
}

static Expr call_plain(ExprPool *pool, ExprOp op, Expr a)
{
    Expr known = special_value(pool, op, a);
    if (expr_is_none(known) && expr_is_number(pool, a))
        known = call_of_number(pool, op, a);
    if (expr_is_none(known))
        known = angle_of_side(pool, op, a);
    if (!expr_is_none(known))
        return known;
    // exp and log undo each other on the reals: log(exp(x)) = x, exp(log(x)) = x.
    if ((op == EXPR_LOG && expr_op(pool, a) == EXPR_EXP) ||
        (op == EXPR_EXP && expr_op(pool, a) == EXPR_LOG))
        return expr_arg(pool, a, 0);
    Symmetry symmetry = symmetry_of(op);
    if (symmetry == NEITHER || !is_negative(pool, a))
        return function_node(pool, op, a);
    // Built from the start again: −e may have an exact value where e has none.
    bool turned;
    Expr plain = call_plain(pool, op, without_minus(pool, a, &turned));
    return symmetry == ODD && turned ? expr_neg(pool, plain) : plain;
}

static Expr call_of_two(ExprPool *pool, ExprOp op, Expr a, Expr b)
{
    if (op == EXPR_MIN || op == EXPR_MAX) {
        if (expr_same(a, b))
            return a;
        if (expr_is_number(pool, a) && expr_is_number(pool, b)) {
            bool less = fmpq_cmp(expr_value(pool, a), expr_value(pool, b)) < 0;
            return less == (op == EXPR_MIN) ? a : b;
        }
        // min and max do not mind the order: keep one.
        if (a.at > b.at) {
            Expr first = b;
            b = a;
            a = first;
        }
    }
    Link links[] = {{a.at, 0}, {b.at, 0}};
    return node_intern(pool, op, 0, links, 2);
}

Expr expr_call(ExprPool *pool, ExprOp op, Expr a, Expr b)
{
    switch (op) {
    case EXPR_SIN: return call_sine(pool, a);
    case EXPR_COS: return call_cosine(pool, a);
    case EXPR_TAN: return call_tangent(pool, a);
    case EXPR_POW: return expr_pow(pool, a, b);
    default: break;
    }
    assert(expr_op_arity(op) == 1 || expr_op_arity(op) == 2);
    return expr_op_arity(op) == 2 ? call_of_two(pool, op, a, b) : call_plain(pool, op, a);
}

Expr expr_switch_argument(ExprPool *pool, Expr e)
{
    switch (expr_op(pool, e)) {
    case EXPR_ABS:
    case EXPR_SIGN: return expr_arg(pool, e, 0);
    case EXPR_MIN:
    case EXPR_MAX: return expr_sub(pool, expr_arg(pool, e, 0), expr_arg(pool, e, 1));
    default: return (Expr){0};
    }
}

Expr expr_rebuild(ExprPool *pool, Expr e, const Expr *args)
{
    const Node node = *node_of(pool, e);
    if (node.op == EXPR_OPEN)
        return open_rebuild(pool, e, args);
    if (node.op != EXPR_SUM && node.op != EXPR_PRODUCT)
        return node.count == 0 ? e
                               : expr_call(pool, (ExprOp)node.op, args[0],
                                           node.count == 2 ? args[1] : (Expr){0});
    Link *links = base_alloc(node.count * sizeof *links);
    for (size_t i = 0; i < node.count; i++)
        links[i] = (Link){args[i].at, pool->links.at[node.first + i].weight};
    Expr built = node.op == EXPR_SUM ? build_sum(pool, node.value, links, node.count)
                                     : build_product(pool, node.value, links, node.count);
    base_free(links);
    return built;
}

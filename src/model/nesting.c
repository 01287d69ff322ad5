// nesting.c: how deep functions, powers and products stand inside each other.
//
// A chain of functions, sin(sin(…)), is short to write and long to derive: its derivative repeats
// it at every level, and a proof at random points or balls goes through all of them. So a scalar
// of a model nests to a depth that derivations and proofs pass in about a second. Sums cost
// nothing here, and products little: the links of a long chain of bodies are products inside
// products.
#include "expr/expr.h"
#include "model/model_impl.h"
#include "program/program.h"

#include <math.h>

// What a level counts, and what all of them may be together: 128 functions, or 2048 products.
enum { NESTING_PRODUCT = 1, NESTING_FUNCTION = 16, NESTING_MOST = 2048 };
// Bits of an exponent: ((x^2)^2)^2 … doubles it at every step.
enum { NESTING_MOST_BITS = 32 };

static bool is_plain_factor(const ExprPool *pool, Expr product, size_t index)
{
    return fmpq_is_one(expr_arg_weight(pool, product, index)) ||
           expr_arg_count(pool, expr_arg(pool, product, index)) == 0;
}

static uint16_t node_depth(const Nesting *nesting, const ExprPool *pool, Expr e)
{
    ExprOp op = expr_op(pool, e);
    size_t count = expr_arg_count(pool, e);
    uint32_t deepest = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t own = op == EXPR_SUM ? 0 : NESTING_FUNCTION;
        if (op == EXPR_PRODUCT && is_plain_factor(pool, e, i))
            own = count > 1 ? NESTING_PRODUCT : 0;
        uint32_t depth = nesting->depths.at[expr_arg(pool, e, i).at] + own;
        deepest = depth > deepest ? depth : deepest;
    }
    return (uint16_t)(deepest < UINT16_MAX ? deepest : UINT16_MAX);
}

static bool has_large_exponent(const ExprPool *pool, Expr e)
{
    for (size_t i = 0; expr_op(pool, e) == EXPR_PRODUCT && i < expr_arg_count(pool, e); i++) {
        const fmpq *exponent = expr_arg_weight(pool, e, i);
        if (fmpz_bits(fmpq_numref(exponent)) > NESTING_MOST_BITS ||
            fmpz_bits(fmpq_denref(exponent)) > NESTING_MOST_BITS)
            return true;
    }
    return false;
}

// A number that is not 0 and no double is.
static bool is_out_of_range(const ExprPool *pool, Expr e)
{
    if (!expr_is_number(pool, e) || expr_is_zero(pool, e))
        return false;
    double real = program_nearest_real(expr_value(pool, e));
    return real == 0 || !isfinite(real);
}

bool nesting_check(Elaborator *e, Expr scalar, Place place)
{
    Nesting *nesting = &e->nesting;
    for (size_t at = nesting->depths.count; at <= scalar.at; at++)
        array_push(&nesting->depths, at ? node_depth(nesting, e->pool, (Expr){(uint32_t)at}) : 0);
    if (nesting->depths.at[scalar.at] > NESTING_MOST)
        return elaborate_fail(e, place,
                              "more than %d functions or powers, or %d products, stand inside each "
                              "other here; write it with fewer levels",
                              NESTING_MOST / NESTING_FUNCTION, NESTING_MOST / NESTING_PRODUCT);
    if (has_large_exponent(e->pool, scalar))
        return elaborate_fail(e, place,
                              "this exponent, or its denominator, has more than %d bits; write "
                              "powers of powers with smaller exponents",
                              NESTING_MOST_BITS);
    // Expressions and equations that are read back are exact, and never run.
    if (!e->free_symbols && !e->quantities && is_out_of_range(e->pool, scalar)) {
        Text number = {0};
        expr_print(e->pool, scalar, &number);
        elaborate_fail(e, place, "%s is beyond the numbers that a run has, 4.9e-324 to 1.8e308",
                       text_shown(str_of(number.at)).at);
        text_clear(&number);
        return false;
    }
    return true;
}

// one_fraction.c: a sum of fractions over one denominator, for a reader.
//
// The denominators of the terms are products of powers; their least common multiple is taken factor
// by factor, as they stand. Factors that are no sums are then divided out of the numerator where it
// holds them.
#include "algebra/one_fraction.h"
#include "algebra/algebra_impl.h"
#include "algebra/simplify.h"

enum { MOST_TERMS = 40, MOST_FACTORS = 16 };

typedef struct {
    Expr base;
    int64_t power;
} Factor;

typedef struct {
    Factor at[MOST_FACTORS];
    size_t count;
} Denominator;

// Whether it could be told.
static bool put_factor(Denominator *denominator, Expr base, int64_t power)
{
    size_t i = 0;
    while (i < denominator->count && !expr_same(denominator->at[i].base, base))
        i++;
    if (i == MOST_FACTORS)
        return false;
    if (i == denominator->count)
        denominator->at[denominator->count++] = (Factor){base, 0};
    if (power > denominator->at[i].power)
        denominator->at[i].power = power;
    return true;
}

static bool put_denominator(const ExprPool *pool, Expr term, Denominator *denominator)
{
    bool told = true;
    for (size_t i = 0; expr_op(pool, term) == EXPR_PRODUCT && i < expr_arg_count(pool, term); i++) {
        const fmpq *weight = expr_arg_weight(pool, term, i);
        if (fmpq_sgn(weight) >= 0)
            continue;
        told = told && fmpz_is_one(fmpq_denref(weight)) && fmpz_fits_si(fmpq_numref(weight)) &&
               put_factor(denominator, expr_arg(pool, term, i), -fmpz_get_si(fmpq_numref(weight)));
    }
    return told;
}

static Expr product_of(ExprPool *pool, const Denominator *denominator, bool sums)
{
    Expr product = expr_int(pool, 1);
    for (size_t i = 0; i < denominator->count; i++) {
        const Factor *factor = &denominator->at[i];
        if ((expr_op(pool, factor->base) == EXPR_SUM) == sums)
            product = expr_mul(pool, product, expr_pow_int(pool, factor->base, factor->power));
    }
    return product;
}

// Of all terms; false where it could not be told.
static bool find_denominator(const ExprPool *pool, Expr e, Denominator *denominator)
{
    *denominator = (Denominator){.count = 0};
    size_t count = expr_arg_count(pool, e);
    if (expr_op(pool, e) != EXPR_SUM || count > MOST_TERMS)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!put_denominator(pool, expr_arg(pool, e, i), denominator))
            return false;
    return denominator->count > 0;
}

// A sum times this, term by term.
static Expr times(ExprPool *pool, Expr e, Expr factor)
{
    Expr sum = expr_mul(pool, expr_number(pool, expr_value(pool, e)), factor);
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        Expr weight = expr_number(pool, expr_arg_weight(pool, e, i));
        Expr term = expr_mul(pool, weight, expr_mul(pool, expr_arg(pool, e, i), factor));
        sum = expr_add(pool, sum, term);
    }
    return sum;
}

Expr algebra_one_fraction(Algebra *algebra, Expr e)
{
    ExprPool *pool = algebra->pool;
    Denominator denominator;
    if (!find_denominator(pool, e, &denominator))
        return e;
    Expr sums = product_of(pool, &denominator, true), plain = product_of(pool, &denominator, false);
    Expr numerator = times(pool, e, expr_mul(pool, sums, plain));
    Expr over = algebra_simplify(algebra, expr_div(pool, numerator, plain));
    // What is left of the plain factors stands below, and not in single terms.
    Expr below = expr_int(pool, 1);
    if (find_denominator(pool, over, &denominator)) {
        below = product_of(pool, &denominator, false);
        over = times(pool, over, below);
    }
    return expr_div(pool, over, expr_mul(pool, below, sums));
}

Expr algebra_common_denominator(Algebra *algebra, const Expr *parts, size_t count,
                                const Expr *symbols, size_t symbol_count)
{
    ExprPool *pool = algebra->pool;
    Denominator denominator = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        bool sum = expr_op(pool, parts[i]) == EXPR_SUM;
        size_t terms = sum ? expr_arg_count(pool, parts[i]) : 1;
        for (size_t j = 0; j < terms; j++)
            if (!put_denominator(pool, sum ? expr_arg(pool, parts[i], j) : parts[i], &denominator))
                return expr_int(pool, 1);
    }
    Expr product = expr_int(pool, 1);
    for (size_t i = 0; i < denominator.count; i++) {
        const Factor *factor = &denominator.at[i];
        if (expr_holds_any(pool, factor->base, symbols, symbol_count))
            product = expr_mul(pool, product, expr_pow_int(pool, factor->base, factor->power));
    }
    return product;
}

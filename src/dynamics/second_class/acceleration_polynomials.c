// acceleration_polynomials.c: whether curved conditions are polynomials in the accelerations, and
// their terms.
#include "algebra/algebra.h"
#include "dynamics/equations.h"
#include "dynamics/second_class/second_class.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <string.h>

// f = Σ (∂^α f at 0)/α!·a^α: derivatives until nothing is left.
typedef struct {
    Motion *motion;
    ARRAY(Expr) terms;
    ARRAY(uint8_t) exponents;
    Expr *zeros;
    bool polynomial;
} Expansion;

static void push_term(Expansion *expansion, Expr derivative, const uint8_t *exponents)
{
    const Motion *motion = expansion->motion;
    ExprPool *pool = motion->pool;
    Expr at_0 = expr_replace(pool, derivative, motion->a, expansion->zeros, motion->n);
    if (expr_is_zero(pool, at_0))
        return;
    double factorials = 1;
    for (size_t i = 0; i < motion->n; i++)
        for (uint8_t k = 2; k <= exponents[i]; k++)
            factorials *= k;
    array_push(&expansion->terms, expr_div(pool, at_0, expr_double(pool, factorials)));
    for (size_t i = 0; i < motion->n; i++)
        array_push(&expansion->exponents, exponents[i]);
}

// All terms whose first exponents are given, from acceleration `from` on. The depth is the number
// of accelerations and the degree.
static void expand(Expansion *expansion, Expr derivative, uint8_t *exponents, size_t from,
                   size_t degree)
{
    Motion *motion = expansion->motion;
    if (degree > LIMIT_SETS || expansion->terms.count > LIMIT_SEARCH)
        expansion->polynomial = false;
    if (!expansion->polynomial)
        return;
    push_term(expansion, derivative, exponents);
    for (size_t i = from; i < motion->n; i++) {
        Expr next = expr_diff(motion->pool, derivative, motion->a[i]);
        if (expr_is_zero(motion->pool, next))
            continue;
        // What vanishes without looking so would go on for ever.
        if (degree >= 2) {
            Verdict zero = algebra_is_zero_modular(motion->algebra, next);
            bool vanishes = zero.answer == ANSWER_YES;
            verdict_clear(&zero);
            if (vanishes)
                continue;
        }
        exponents[i]++;
        expand(expansion, next, exponents, i, degree + 1);
        exponents[i]--;
    }
}

// Whether the terms from number `first` on add up to e: |q''| has derivatives that vanish, and is
// no polynomial.
static bool adds_up(const Expansion *expansion, size_t first, Expr e)
{
    const Motion *motion = expansion->motion;
    ExprPool *pool = motion->pool;
    Expr rest = e;
    for (size_t k = first; k < expansion->terms.count; k++) {
        Expr term = expansion->terms.at[k];
        for (size_t i = 0; i < motion->n; i++) {
            Expr exponent = expr_int(pool, expansion->exponents.at[k * motion->n + i]);
            term = expr_mul(pool, term, expr_pow(pool, motion->a[i], exponent));
        }
        rest = expr_sub(pool, rest, term);
    }
    if (expr_is_zero(pool, rest))
        return true;
    Verdict zero = algebra_is_zero_modular(motion->algebra, rest);
    bool whole = zero.answer == ANSWER_YES;
    verdict_clear(&zero);
    return whole;
}

void branches_prepare(const Equations *eq, SecondClassPrograms *programs, Motion *motion)
{
    size_t n = motion->n;
    assert(programs->curved > 0 || programs->energy);
    Arena *arena = arena_new();
    Expansion expansion = {
        .motion = motion, .polynomial = true, .zeros = arena_array(arena, Expr, n + 1)};
    for (size_t i = 0; i < n; i++)
        expansion.zeros[i] = expr_int(motion->pool, 0);
    uint8_t *exponents = arena_alloc(arena, n + 1);
    programs->term_counts = arena_array(eq->arena, size_t, programs->curved + 1);
    for (size_t i = 0; i < programs->curved + programs->energy; i++) {
        size_t before = expansion.terms.count;
        bool condition = i < programs->curved;
        Expr e = condition ? motion->seconds[motion->affine_count + i].f : programs->sigma;
        expand(&expansion, e, exponents, 0, 0);
        expansion.polynomial = expansion.polynomial && adds_up(&expansion, before, e);
        programs->term_counts[i] = expansion.terms.count - before;
    }
    programs->polynomial =
        expansion.polynomial &&
        evaluator_init(&programs->coefficients, motion->pool, eq->symbols, eq->params + 1 + 2 * n,
                       expansion.terms.at, expansion.terms.count, NULL);
    programs->exponents = arena_alloc(eq->arena, expansion.exponents.count + 1);
    if (expansion.exponents.count > 0)
        memcpy(programs->exponents, expansion.exponents.at, expansion.exponents.count);
    array_clear(&expansion.terms);
    array_clear(&expansion.exponents);
    arena_free(arena);
}

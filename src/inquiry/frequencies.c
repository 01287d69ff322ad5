// frequencies.c: eigenvalues outside the family as formulas, and the frequencies of oscillations
// (Hamel 244: α² = (BD − AF)/AE).
//
// det(λ − A) without the family's zeros is factored; a factor c₀ + c₂λ² gives α² = c₀/c₂, and where
// α² vanishes for a steady speed, that is its critical value. A formula is kept where its number is
// an eigenvalue that was found.
#include "inquiry/small_impl.h"

#include <math.h>

static const double MATCHES = 1e-9; // of a formula's number and the eigenvalue

// The value of a formula at the steady motion; NAN where it has none.
static double value_of(const InquirySmall *small, Expr e)
{
    SmallProgram program = {0};
    double value = NAN;
    if (small_make_values(small, &e, 1, &program)) {
        small_run(&program, small->state, small->base, small->unknowns);
        value = program.out[0];
    }
    small_clear_program(&program);
    return value;
}

// Whether −α² is the square of an eigenvalue outside the family.
static bool is_found(const InquirySmall *small, const InquiryLinear *linear, Expr square)
{
    double number = value_of(small, square);
    for (size_t i = linear->family; i < linear->size; i++) {
        double own = linear->im[i] * linear->im[i] - linear->re[i] * linear->re[i];
        if (linear->im[i] * linear->re[i] == 0 && own != 0 &&
            fabs(number - own) <= MATCHES * fabs(own))
            return true;
    }
    return false;
}

// Whether steady motions have any value of this unknown, while the others that stand in e stay: e
// holds no other that is not 0, and no equation changes with it.
static bool is_free(InquirySmall *small, Expr e, size_t unknown)
{
    const double nothing = 1e-9;
    size_t unknowns = small->unknowns;
    small_run(&small->program, small->state, small->base, unknowns);
    const double *J = small->program.out + small_jacobian_at(small);
    for (size_t row = 0; row < small->rows - small->held_count; row++)
        if (fabs(J[row * unknowns + unknown]) > nothing * small_scale(small, row))
            return false;
    for (size_t j = 0; j < unknowns; j++)
        if (j != unknown && small->state[j] != 0 && expr_holds(small->motion->pool, e, small->y[j]))
            return false;
    return true;
}

// Where α² vanishes: the first steady speed that is free and whose square it is linear in.
static void find_critical(InquirySmall *small, Expr numerator, InquiryFrequency *found)
{
    Motion *motion = small->motion;
    ExprPool *pool = motion->pool;
    for (size_t j = small->e; j < small->unknowns && expr_is_none(found->speed); j++) {
        AlgebraFactors factors;
        if (small->state[j] == 0 || !expr_holds(pool, numerator, small->y[j]) ||
            !is_free(small, numerator, j) ||
            !algebra_factors(motion->algebra, numerator, small->y[j], &factors))
            continue;
        for (size_t i = 0; i < factors.count; i++) {
            const Expr *c = factors.factors[i].coefficients;
            if (factors.factors[i].degree != 2 || !expr_is_zero(pool, c[1]))
                continue;
            found->speed = small->y[j];
            found->critical =
                algebra_simplify(motion->algebra, expr_neg(pool, expr_div(pool, c[0], c[2])));
        }
        algebra_factors_clear(&factors);
    }
}

size_t inquiry_small_frequencies(InquirySmall *small, const InquiryLinear *linear,
                                 InquiryFrequency *frequencies)
{
    size_t essential = small->size - small->family, count = 0;
    ExprPool *pool = small->motion->pool;
    Expr *coefficients = base_alloc((small->size + 1) * sizeof *coefficients);
    Expr lambda = expr_symbol_new(pool, "lambda"), sum = expr_int(pool, 0);
    AlgebraFactors factors;
    if (essential > 0 && small_polynomial(small, coefficients)) {
        for (size_t i = 0; i <= essential; i++)
            sum = expr_add(pool, sum,
                           expr_mul(pool, coefficients[small->family + i],
                                    expr_pow_int(pool, lambda, (int64_t)i)));
        bool known = algebra_factors(small->motion->algebra, sum, lambda, &factors);
        for (size_t i = 0; known && i < factors.count && count < INQUIRY_FREQUENCIES; i++) {
            const Expr *c = factors.factors[i].coefficients;
            if (factors.factors[i].degree != 2 || !expr_is_zero(pool, c[1]))
                continue;
            InquiryFrequency found = {
                .square = algebra_simplify(small->motion->algebra, expr_div(pool, c[0], c[2]))};
            if (!is_found(small, linear, found.square))
                continue;
            find_critical(small, c[0], &found);
            frequencies[count++] = found;
        }
        if (known)
            algebra_factors_clear(&factors);
    }
    base_free(coefficients);
    return count;
}

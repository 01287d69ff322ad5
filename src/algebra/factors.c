// factors.c: the numerator of an expression as a product of polynomials in one symbol.
#include "algebra/fraction_impl.h"

// Whether x is a generator and nothing else holds it; *generator says which, -1 where nothing does.
static bool find_generator(const Fractions *field, Expr x, slong *generator)
{
    *generator = -1;
    for (slong i = 0; i < field->next_root; i++) {
        if (expr_same(field->symbol[i], x))
            *generator = i;
        else if (expr_holds(field->algebra->pool, field->meaning[i], x))
            return false;
    }
    return true;
}

static AlgebraFactor in_powers(Fractions *field, const fmpz_mpoly_struct *a, slong generator)
{
    AlgebraFactor factor = {.degree = (size_t)fmpz_mpoly_degree_si(a, generator, field->ctx)};
    factor.coefficients = base_alloc((factor.degree + 1) * sizeof *factor.coefficients);
    fmpz_mpoly_t coefficient;
    fmpz_t one;
    fmpz_mpoly_init(coefficient, field->ctx);
    fmpz_init_set_ui(one, 1);
    for (size_t i = 0; i <= factor.degree; i++) {
        slong variable = generator;
        ulong power = (ulong)i;
        fmpz_mpoly_get_coeff_vars_ui(coefficient, a, &variable, &power, 1, field->ctx);
        factor.coefficients[i] = fractions_expr(field, coefficient, one);
    }
    fmpz_clear(one);
    fmpz_mpoly_clear(coefficient, field->ctx);
    return factor;
}

static bool collect(Fractions *field, Fraction *value, slong generator, AlgebraFactors *factors)
{
    fmpz_mpoly_factor_t parts;
    fmpz_mpoly_factor_init(parts, field->ctx);
    bool good = !fraction_is_zero(field, value) &&
                fmpz_mpoly_factor(parts, fmpz_mpoly_q_numref(value), field->ctx);
    slong count = good ? fmpz_mpoly_factor_length(parts, field->ctx) : 0;
    factors->factors = base_alloc(((size_t)count + 1) * sizeof *factors->factors);
    fmpz_mpoly_t base;
    fmpz_mpoly_init(base, field->ctx);
    for (slong i = 0; i < count && generator >= 0; i++) {
        fmpz_mpoly_factor_get_base(base, parts, i, field->ctx);
        if (fmpz_mpoly_degree_si(base, generator, field->ctx) > 0)
            factors->factors[factors->count++] = in_powers(field, base, generator);
    }
    fmpz_mpoly_clear(base, field->ctx);
    fmpz_mpoly_factor_clear(parts, field->ctx);
    return good;
}

bool algebra_factors(Algebra *algebra, Expr e, Expr x, AlgebraFactors *factors)
{
    *factors = (AlgebraFactors){0};
    Expr image;
    atoms_rewrite(algebra, ATOMS_WHOLE, &e, 1, &image);
    Fractions field;
    fractions_init(&field, algebra, &image, 1);
    Fraction *value = fractions_vector(&field, 1);
    slong generator;
    bool good = find_generator(&field, x, &generator) &&
                fractions_evaluate(&field, &image, 1, value) &&
                collect(&field, value, generator, factors);
    fractions_vector_free(&field, value, 1);
    fractions_clear(&field);
    return good;
}

void algebra_factors_clear(AlgebraFactors *factors)
{
    for (size_t i = 0; i < factors->count; i++)
        base_free(factors->factors[i].coefficients);
    base_free(factors->factors);
    *factors = (AlgebraFactors){0};
}

// appell.c: Appell's equations, for true coordinates and for speeds alike.
//
//     ∂S/∂u'_α = Σ_ν K_ν B_να                               (Appell 14; Quanjel 13)
//
// S is the energy of acceleration, reduced: the conditions are put into it before it is
// differentiated, and nothing goes wrong by that, unlike with T.
#include "forms/forms.h"

void form_appell(Motion *motion, Form *form)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    form->variables = FORM_IN_SPEEDS;
    Expr S = motion_in_speeds(motion, motion_acceleration_energy(motion));
    form_add_function(form, "S", S);
    Expr *rates = base_alloc((k + 1) * sizeof *rates);
    Expr *left = base_alloc((k + 1) * sizeof *left);
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t alpha = 0; alpha < k; alpha++)
        rates[alpha] = motion->speeds[alpha].rate;
    expr_gradient(pool, S, rates, k, left);
    for (size_t alpha = 0; alpha < k; alpha++) {
        for (size_t nu = 0; nu < motion->n; nu++)
            terms[nu] = expr_mul(pool, motion_in_speeds(motion, motion->K[nu]),
                                 motion->B[nu * k + alpha]);
        form_add_equation(form, motion->speeds[alpha].name, left[alpha],
                          expr_sum(pool, terms, motion->n));
    }
    base_free(rates);
    base_free(left);
    base_free(terms);
}

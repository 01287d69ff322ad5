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
    form->in_speeds = true;
    Expr S = motion_in_speeds(motion, motion_acceleration_energy(motion));
    form_add_function(form, "S", S);
    Expr *rates = base_alloc((k + 1) * sizeof *rates);
    Expr *left = base_alloc((k + 1) * sizeof *left);
    for (size_t alpha = 0; alpha < k; alpha++)
        rates[alpha] = motion->state.speeds[alpha].rate;
    expr_gradient(pool, S, rates, k, left);
    for (size_t alpha = 0; alpha < k; alpha++)
        form_add_equation(form, motion->state.speeds[alpha].name, left[alpha],
                          motion_force_on(motion, &motion->state, alpha));
    base_free(rates);
    base_free(left);
}

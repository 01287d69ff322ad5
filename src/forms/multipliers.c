// multipliers.c: Lagrange's equations with multipliers.
//
//     d/dt ∂T/∂q'_ν − ∂T/∂q_ν = K_ν + Σ_μ λ_μ b_μν          (Quanjel 9, Vierkandt; Hamel I)
//
// T is unreduced; λ_μ b_μν are the reactions of condition μ. Where a servo keeps it, the direction
// of its force stands in the place of b.
#include "forms/steps_impl.h"

void form_multipliers(Motion *motion, Form *form)
{
    ExprPool *pool = motion->pool;
    form->multipliers = true;
    form_add_energies(form, motion);
    Expr *terms = base_alloc((motion->m + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t mu = 0; mu < motion->m; mu++)
            terms[mu] = expr_mul(pool, motion->rows[mu].constraint->lambda, motion->rows[mu].d[nu]);
        terms[motion->m] = motion->K[nu];
        form_add_equation(form, motion->model->coords.at[nu].name, motion_inertia_force(motion, nu),
                          expr_sum(pool, terms, motion->m + 1));
    }
    base_free(terms);
    step_servos(form, motion);
    step_energy(form, STEP_ENERGY, motion, "T");
    step_inertia(form, motion);
    step_reactions(form, motion);
    step_equations(
        form, motion->servos ? STEP_SERVO_MULTIPLIERS_EQUATIONS : STEP_MULTIPLIERS_EQUATIONS, 0);
}

// maggi.c: Maggi's equations.
//
//     Σ_ν (W_ν − K_ν) A_να = 0,   W_ν = d/dt ∂T/∂q'_ν − ∂T/∂q_ν
//
// A is a basis of the virtual displacements; T is unreduced, and the multipliers fall out.
#include "forms/steps_impl.h"

void form_maggi(Motion *motion, Form *form)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    form_add_energies(form, motion);
    Expr *inertia = base_alloc((n + 1) * sizeof *inertia);
    Expr *left = base_alloc((n + 1) * sizeof *left), *right = base_alloc((n + 1) * sizeof *right);
    for (size_t nu = 0; nu < n; nu++)
        inertia[nu] = motion_inertia_force(motion, nu);
    for (size_t alpha = 0; alpha < k; alpha++) {
        for (size_t nu = 0; nu < n; nu++) {
            Expr A = motion->state.A[nu * k + alpha];
            left[nu] = expr_mul(pool, inertia[nu], A);
            right[nu] = expr_mul(pool, motion->K[nu], A);
        }
        form_add_equation(form, motion->state.varied[alpha].name, expr_sum(pool, left, n),
                          expr_sum(pool, right, n));
    }
    step_energy(form, STEP_ENERGY, motion, "T");
    step_inertia(form, motion);
    step_rest(form, motion);
    step_displacements(form, motion);
    step_equations(form, motion->servos ? STEP_SERVO_MAGGI_EQUATIONS : STEP_MAGGI_EQUATIONS, 0);
    base_free(inertia);
    base_free(left);
    base_free(right);
}

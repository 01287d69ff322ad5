// maggi.c: Maggi's equations.
//
//     Σ_ν (W_ν − K_ν) B_να = 0,   W_ν = d/dt ∂T/∂q'_ν − ∂T/∂q_ν
//
// B is a basis of the virtual displacements; T is unreduced, and the multipliers fall out.
#include "forms/steps_impl.h"

// The B_να that do not vanish.
static void step_displacements(Form *form, const Motion *motion)
{
    if (!form_begin_step(form, STEP_DISPLACEMENTS))
        return;
    for (size_t nu = 0; nu < motion->n; nu++)
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr B = motion->state.B[nu * motion->k + alpha];
            if (!expr_is_zero(motion->pool, B))
                line_named(form, B, "B_{%s,%s}", motion->model->coords.at[nu].name,
                           motion->state.speeds[alpha].name);
        }
}

void form_maggi(Motion *motion, Form *form)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    form_add_function(form, "T", motion->T);
    Expr *inertia = base_alloc((n + 1) * sizeof *inertia);
    Expr *left = base_alloc((n + 1) * sizeof *left), *right = base_alloc((n + 1) * sizeof *right);
    for (size_t nu = 0; nu < n; nu++)
        inertia[nu] = motion_inertia_force(motion, nu);
    for (size_t alpha = 0; alpha < k; alpha++) {
        for (size_t nu = 0; nu < n; nu++) {
            Expr B = motion->state.B[nu * k + alpha];
            left[nu] = expr_mul(pool, inertia[nu], B);
            right[nu] = expr_mul(pool, motion->K[nu], B);
        }
        form_add_equation(form, motion->state.speeds[alpha].name, expr_sum(pool, left, n),
                          expr_sum(pool, right, n));
    }
    step_energy(form, STEP_ENERGY, motion, "T");
    step_inertia(form, motion);
    step_rest(form, motion);
    step_displacements(form, motion);
    step_equations(form, STEP_MAGGI_EQUATIONS, 0);
    base_free(inertia);
    base_free(left);
    base_free(right);
}

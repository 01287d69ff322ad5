// gauss.c: Gauss' principle: among the accelerations that the conditions allow, the one that
// departs least from the free motion (Appell 17–18, Mayer (6)).
//
// The constraint is Z = ½ (q'' − a°)·𝓜(q'' − a°) = ½ q''·𝓜q'' + (h − K)·q'' + terms without q'',
// with W = 𝓜q'' + h. At its least, under b·q'' + γ = 0, ∂Z/∂q''_ν = Σ_μ λ_μ b_μν.
#include "forms/forms.h"

// ½ q''·𝓜q'' + (h − K)·q''
static Expr constraint_of(Motion *motion)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *mass = base_alloc((n * n + 1) * sizeof *mass), *bias = base_alloc((n + 1) * sizeof *bias);
    Expr *terms = base_alloc((n * n + n + 1) * sizeof *terms);
    motion_mass_matrix(motion, mass);
    motion_bias(motion, bias);
    size_t count = 0;
    for (size_t nu = 0; nu < n; nu++) {
        terms[count++] = expr_mul(pool, bias[nu], motion->a[nu]);
        for (size_t mu = 0; mu < n; mu++)
            terms[count++] = expr_product(
                pool,
                (Expr[]){expr_ratio(pool, 1, 2), mass[nu * n + mu], motion->a[nu], motion->a[mu]},
                4);
    }
    Expr Z = expr_sum(pool, terms, count);
    base_free(mass);
    base_free(bias);
    base_free(terms);
    return Z;
}

void form_gauss(Motion *motion, Form *form)
{
    ExprPool *pool = motion->pool;
    form->multipliers = true;
    Expr Z = constraint_of(motion);
    form_add_function(form, "Z", Z);
    Expr *slopes = base_alloc((motion->n + 1) * sizeof *slopes);
    Expr *terms = base_alloc((motion->m + 1) * sizeof *terms);
    expr_gradient(pool, Z, motion->a, motion->n, slopes);
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t mu = 0; mu < motion->m; mu++)
            terms[mu] = expr_mul(pool, motion->rows[mu].constraint->lambda, motion->rows[mu].b[nu]);
        form_add_equation(form, motion->model->coords.at[nu].name, slopes[nu],
                          expr_sum(pool, terms, motion->m));
    }
    base_free(slopes);
    base_free(terms);
}

// gauss.c: Gauss' principle: among the accelerations that the conditions allow, the one that
// departs least from the free motion (Appell 17–18, Mayer (6)).
//
// The constraint is Z = ½ (q'' − a°)·𝓜(q'' − a°) = ½ q''·𝓜q'' + (h − K)·q'' + terms without q'',
// with W = 𝓜q'' + h; for an energy of acceleration that is not quadratic it is S − Σ K q'' (Appell
// 17), whose second derivatives hold q'' and are no 𝓜: then W = 𝓜q'' + h + ∂σ/∂q''. At its least,
// under b·q'' + γ = 0, ∂Z/∂q''_ν = Σ_μ λ_μ b_μν. Where a servo keeps a condition Z is least no
// longer against all that the condition allows, but stationary along the displacements d·δq = 0,
// and d stands in the place of b.
#include "forms/steps_impl.h"

// ½ q''·𝓜q'' + (h − K)·q'' + σ
static Expr constraint_of(Motion *motion)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *mass = base_alloc((n * n + 1) * sizeof *mass), *bias = base_alloc((n + 1) * sizeof *bias);
    Expr *terms = base_alloc((n * n + n + 2) * sizeof *terms);
    motion_mass_matrix(motion, mass);
    motion_bias(motion, bias);
    size_t count = 0;
    for (size_t nu = 0; nu < n; nu++) {
        terms[count++] = expr_mul(pool, bias[nu], motion->a[nu]);
        for (size_t mu = 0; mu < n; mu++)
            if (!expr_is_zero(pool, mass[nu * n + mu]))
                terms[count++] = expr_product(pool,
                                              (Expr[]){expr_ratio(pool, 1, 2), mass[nu * n + mu],
                                                       motion->a[nu], motion->a[mu]},
                                              4);
    }
    terms[count++] = motion_sigma(motion);
    Expr Z = expr_sum(pool, terms, count);
    base_free(mass);
    base_free(bias);
    base_free(terms);
    return Z;
}

// The conditions at the level of accelerations.
static void step_rows(Form *form, const Motion *motion)
{
    if (motion->m == 0 || !form_begin_step(form, STEP_ACCELERATION_ROWS))
        return;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t mu = 0; mu < motion->m; mu++) {
        for (size_t nu = 0; nu < motion->n; nu++)
            terms[nu] = expr_mul(motion->pool, motion->rows[mu].b[nu], motion->a[nu]);
        terms[motion->n] = motion->rows[mu].gamma;
        form_add_line(form, (FormLine){.left = expr_sum(motion->pool, terms, motion->n + 1),
                                       .value = expr_int(motion->pool, 0)});
    }
    base_free(terms);
}

static void record(Form *form, Motion *motion, Expr Z, const Expr *slopes)
{
    step_energy(form, STEP_ENERGY, motion, "T");
    step_inertia(form, motion);
    if (form_begin_step(form, motion_dsigma(motion) ? STEP_CONSTRAINT_OF_S : STEP_CONSTRAINT))
        form_add_line(form, (FormLine){.of = "Z", .value = Z});
    step_rows(form, motion);
    if (form_begin_step(form, STEP_CONSTRAINT_PARTIALS))
        for (size_t nu = 0; nu < motion->n; nu++)
            form_add_line(form, (FormLine){.of = "Z",
                                           .by = expr_name(motion->pool, motion->a[nu]),
                                           .value = slopes[nu]});
    step_reactions(form, motion);
    step_mayer(form, motion);
    step_equations(form, motion->servos ? STEP_SERVO_GAUSS_EQUATIONS : STEP_GAUSS_EQUATIONS, 0);
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
            terms[mu] = expr_mul(pool, motion->rows[mu].constraint->lambda, motion->rows[mu].d[nu]);
        form_add_equation(form, motion->model->coords.at[nu].name, slopes[nu],
                          expr_sum(pool, terms, motion->m));
    }
    step_servos(form, motion);
    record(form, motion, Z, slopes);
    base_free(slopes);
    base_free(terms);
}

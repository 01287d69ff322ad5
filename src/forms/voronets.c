// voronets.c: Voronets' equations, in which the curvature of the conditions shows:
//
//     d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α − Σ_i a_iα ∂T⁺/∂q_{k+i}
//         − Σ_i [∂T₀/∂q'_{k+i}] (Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α) = Q_α         (Tzénoff (12), (13))
//
//     A⁽ⁱ⁾_αj = (∂a_iα/∂q_j + Σ_μ a_μj ∂a_iα/∂q_{k+μ}) − (∂a_ij/∂q_α + Σ_μ a_μα ∂a_ij/∂q_{k+μ})
//     A⁽ⁱ⁾_α  = (∂a_iα/∂t + Σ_μ a_μ ∂a_iα/∂q_{k+μ}) − (∂a_i/∂q_α + Σ_μ a_μα ∂a_i/∂q_{k+μ})
#include "forms/reduction_impl.h"

// ∂e/∂q_j + Σ_μ a_μj ∂e/∂q_{k+μ}: e along the virtual displacement δq_j.
static Expr along(TrueCoordinates *in, Expr e, size_t j)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((motion->m + 1) * sizeof *terms);
    terms[motion->m] = expr_diff(pool, e, motion->q[in->independent[j]]);
    for (size_t mu = 0; mu < motion->m; mu++)
        terms[mu] =
            expr_mul(pool, true_a(in, mu, j), expr_diff(pool, e, motion->q[in->dependent[mu]]));
    Expr sum = expr_sum(pool, terms, motion->m + 1);
    base_free(terms);
    return sum;
}

// ∂e/∂t + Σ_μ a_μ ∂e/∂q_{k+μ}
static Expr along_time(TrueCoordinates *in, Expr e)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((motion->m + 1) * sizeof *terms);
    terms[motion->m] = expr_diff(pool, e, motion->model->t);
    for (size_t mu = 0; mu < motion->m; mu++)
        terms[mu] =
            expr_mul(pool, true_a0(in, mu), expr_diff(pool, e, motion->q[in->dependent[mu]]));
    Expr sum = expr_sum(pool, terms, motion->m + 1);
    base_free(terms);
    return sum;
}

// Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α
static Expr curvature(TrueCoordinates *in, size_t i, size_t alpha)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((motion->k + 1) * sizeof *terms);
    for (size_t j = 0; j < motion->k; j++) {
        Expr A =
            expr_sub(pool, along(in, true_a(in, i, alpha), j), along(in, true_a(in, i, j), alpha));
        terms[j] = expr_mul(pool, A, in->velocity[j]);
    }
    terms[motion->k] =
        expr_sub(pool, along_time(in, true_a(in, i, alpha)), along(in, true_a0(in, i), alpha));
    Expr sum = expr_sum(pool, terms, motion->k + 1);
    base_free(terms);
    return sum;
}

static Expr left_side(TrueCoordinates *in, size_t alpha)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    Expr *terms = base_alloc((2 * m + 1) * sizeof *terms);
    terms[2 * m] = true_lagrange(in, alpha);
    for (size_t i = 0; i < m; i++) {
        size_t nu = in->dependent[i];
        Expr momentum = true_reduced(in, motion->p[nu]);
        terms[i] = expr_neg(pool, expr_mul(pool, true_a(in, i, alpha), in->dT_dq[nu]));
        terms[m + i] = expr_neg(pool, expr_mul(pool, momentum, curvature(in, i, alpha)));
    }
    Expr left = expr_sum(pool, terms, 2 * m + 1);
    base_free(terms);
    return left;
}

void form_voronets(Motion *motion, Form *form)
{
    TrueCoordinates in;
    if (!expr_is_zero(motion->pool, motion->model->acceleration_energy)) {
        form_refuse(form, "an energy of acceleration was given, and this form needs T");
        return;
    }
    if (!true_init(&in, motion, form))
        return;
    form_add_function(form, "T⁺", in.T);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        form_add_equation(form, true_name(&in, alpha), left_side(&in, alpha),
                          true_force(&in, alpha));
    true_clear(&in);
}

// voronets.c: Voronets' equations, in which the curvature of the conditions shows:
//
//     d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α − Σ_i a_iα ∂T⁺/∂q_{k+i}
//         − Σ_i [∂T₀/∂q'_{k+i}] (Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α) = Q_α         (Tzénoff (12), (13))
//
//     A⁽ⁱ⁾_αj = (∂a_iα/∂q_j + Σ_μ a_μj ∂a_iα/∂q_{k+μ}) − (∂a_ij/∂q_α + Σ_μ a_μα ∂a_ij/∂q_{k+μ})
//     A⁽ⁱ⁾_α  = (∂a_iα/∂t + Σ_μ a_μ ∂a_iα/∂q_{k+μ}) − (∂a_i/∂q_α + Σ_μ a_μα ∂a_i/∂q_{k+μ})
#include "forms/reduction_impl.h"

typedef struct {
    TrueCoordinates in;
    Expr *along; // a_iα, and a_i as α = k, along δq_j, and along time as j = k; m × (k+1) × (k+1)
} Voronets;

static Expr *along(const Voronets *voronets, size_t i, size_t alpha, size_t j)
{
    size_t side = voronets->in.motion->k + 1;
    return &voronets->along[(i * side + alpha) * side + j];
}

// ∂e/∂q_j + Σ_μ a_μj ∂e/∂q_{k+μ}, and ∂e/∂t + Σ_μ a_μ ∂e/∂q_{k+μ} for j = k, from the slopes of e
// by the coordinates and by t.
static Expr along_displacement(const TrueCoordinates *in, const Expr *slopes, size_t j, Expr *terms)
{
    const Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t count = 0;
    terms[count++] = slopes[j < motion->k ? in->independent[j] : motion->n];
    for (size_t mu = 0; mu < motion->m; mu++) {
        Expr slope = slopes[in->dependent[mu]];
        if (!expr_is_zero(pool, slope))
            terms[count++] =
                expr_mul(pool, j < motion->k ? true_a(in, mu, j) : true_a0(in, mu), slope);
    }
    return expr_sum(pool, terms, count);
}

static void make_table(Voronets *voronets)
{
    const TrueCoordinates *in = &voronets->in;
    Motion *motion = in->motion;
    size_t n = motion->n, k = motion->k, m = motion->m;
    Expr *by = base_alloc((n + 1) * sizeof *by), *slopes = base_alloc((n + 1) * sizeof *slopes);
    Expr *terms = base_alloc((m + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++)
        by[nu] = motion->q[nu];
    by[n] = motion->model->t;
    voronets->along = base_alloc((m * (k + 1) * (k + 1) + 1) * sizeof(Expr));
    for (size_t i = 0; i < m; i++)
        for (size_t alpha = 0; alpha <= k; alpha++) {
            Expr a = alpha < k ? true_a(in, i, alpha) : true_a0(in, i);
            expr_gradient(motion->pool, a, by, n + 1, slopes);
            for (size_t j = 0; j <= k; j++)
                *along(voronets, i, alpha, j) = along_displacement(in, slopes, j, terms);
        }
    base_free(by);
    base_free(slopes);
    base_free(terms);
}

// Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α; j = k stands for the last.
static Expr curvature(const Voronets *voronets, size_t i, size_t alpha)
{
    const TrueCoordinates *in = &voronets->in;
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((motion->k + 1) * sizeof *terms);
    for (size_t j = 0; j <= motion->k; j++) {
        Expr A = expr_sub(pool, *along(voronets, i, alpha, j), *along(voronets, i, j, alpha));
        terms[j] = j < motion->k ? expr_mul(pool, A, in->velocity[j]) : A;
    }
    Expr sum = expr_sum(pool, terms, motion->k + 1);
    base_free(terms);
    return sum;
}

static Expr left_side(Voronets *voronets, size_t alpha)
{
    TrueCoordinates *in = &voronets->in;
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    Expr *terms = base_alloc((2 * m + 1) * sizeof *terms);
    terms[2 * m] = true_lagrange(in, alpha);
    for (size_t i = 0; i < m; i++) {
        size_t nu = in->dependent[i];
        Expr momentum = true_reduced(in, motion->p[nu]);
        terms[i] = expr_neg(pool, expr_mul(pool, true_a(in, i, alpha), in->dT_dq[nu]));
        terms[m + i] = expr_neg(pool, expr_mul(pool, momentum, curvature(voronets, i, alpha)));
    }
    Expr left = expr_sum(pool, terms, 2 * m + 1);
    base_free(terms);
    return left;
}

void form_voronets(Motion *motion, Form *form)
{
    Voronets voronets = {0};
    TrueCoordinates *in = &voronets.in;
    if (!expr_is_zero(motion->pool, motion->model->acceleration_energy)) {
        form_refuse(form, "an energy of acceleration was given, and this form needs T");
        return;
    }
    if (!true_init(in, motion, form))
        return;
    make_table(&voronets);
    form_add_function(form, "T⁺", in->T);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        form_add_equation(form, true_name(in, alpha), left_side(&voronets, alpha),
                          true_force(in, alpha));
    base_free(voronets.along);
    true_clear(in);
}

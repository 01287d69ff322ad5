// voronets_road.c: how Tzénoff's equations (10) lead to Voronets' (12): his formulas (14)–(16) and
// their sum (end of his § 2).
//
// δ_α e = ∂e/∂q_α + Σ_μ a_μα ∂e/∂q_{k+μ} below, with the independent velocities held fixed.
#include "forms/steps_impl.h"

static Expr momentum(TrueCoordinates *in, size_t i)
{
    return true_reduced(in, in->motion->p[in->dependent[i]]);
}

// ∂q'_{k+i}/∂q_{k+μ}
static Expr dependent_slope(TrueCoordinates *in, size_t i, size_t mu)
{
    return expr_diff(in->motion->pool, true_velocity(in, i), in->motion->q[in->dependent[mu]]);
}

// ∂T⁺/∂q_{k+i} − Σ_μ [∂T₀/∂q'_{k+μ}] ∂q'_{k+μ}/∂q_{k+i}
static Expr chain(TrueCoordinates *in, size_t i)
{
    ExprPool *pool = in->motion->pool;
    Expr sum = in->dT_dq[in->dependent[i]];
    for (size_t mu = 0; mu < in->motion->m; mu++)
        sum = expr_sub(pool, sum, expr_mul(pool, momentum(in, mu), dependent_slope(in, mu, i)));
    return sum;
}

// Σ_μ a_μα ∂q'_{k+i}/∂q_{k+μ}
static Expr along_dependent(TrueCoordinates *in, size_t i, size_t alpha)
{
    ExprPool *pool = in->motion->pool;
    Expr sum = expr_int(pool, 0);
    for (size_t mu = 0; mu < in->motion->m; mu++)
        sum =
            expr_add(pool, sum, expr_mul(pool, true_a(in, mu, alpha), dependent_slope(in, i, mu)));
    return sum;
}

// −Σ_i a_iα ∂T⁺/∂q_{k+i} − Σ_i [∂T₀/∂q'_{k+i}]·(da_iα/dt − Σ_μ a_μα ∂q'_{k+i}/∂q_{k+μ} − ∂q'_{k+i}/
// ∂q_α): with the last term it is the complement, without it (16) less d/dt ∂T₁/∂q'_α.
static Expr complement(TrueCoordinates *in, size_t alpha, bool whole)
{
    ExprPool *pool = in->motion->pool;
    Expr sum = expr_int(pool, 0);
    for (size_t i = 0; i < in->motion->m; i++) {
        Expr a = true_a(in, i, alpha);
        Expr bend = expr_sub(pool, true_rate(in, a), along_dependent(in, i, alpha));
        if (whole)
            bend = expr_sub(pool, bend, true_slope(in, i, alpha));
        sum = expr_sub(pool, sum, expr_mul(pool, a, in->dT_dq[in->dependent[i]]));
        sum = expr_sub(pool, sum, expr_mul(pool, momentum(in, i), bend));
    }
    return sum;
}

// (16)
static Expr S1_by_T(TrueCoordinates *in, size_t alpha)
{
    ExprPool *pool = in->motion->pool;
    Expr sum = expr_int(pool, 0);
    for (size_t i = 0; i < in->motion->m; i++)
        sum = expr_add(pool, sum, expr_mul(pool, momentum(in, i), true_a(in, i, alpha)));
    return expr_add(pool, true_rate(in, sum), complement(in, alpha, false));
}

static void record_parts(Form *form, TrueCoordinates *in)
{
    Motion *motion = in->motion;
    if (form_begin_step(form, STEP_ROAD_S0))
        for (size_t i = 0; i < motion->m; i++) {
            size_t nu = in->dependent[i];
            Expr W =
                expr_sub(motion->pool, expr_rate(motion->dt, motion->p[nu]), motion->dT_dq[nu]);
            form_add_line(form, (FormLine){.of = "S₁",
                                           .by = expr_name(motion->pool, motion->a[nu]),
                                           .brackets = true,
                                           .value = true_reduced(in, W)});
        }
    if (form_begin_step(form, STEP_ROAD_CHAIN))
        for (size_t i = 0; i < motion->m; i++)
            form_add_line(form, (FormLine){.of = "T₀",
                                           .by = motion->model->coords.at[in->dependent[i]].name,
                                           .brackets = true,
                                           .value = chain(in, i)});
}

void step_road_to_voronets(Form *form, TrueCoordinates *in)
{
    const Motion *motion = in->motion;
    if (motion->m == 0 || !in->by->closed || !in->by->linear || form->detail < FORM_IN_STEPS)
        return;
    record_parts(form, in);
    if (form_begin_step(form, STEP_ROAD_16))
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            form_add_line(
                form, (FormLine){.of = "S₁",
                                 .by = expr_name(motion->pool, motion->a[in->independent[alpha]]),
                                 .value = S1_by_T(in, alpha)});
    if (form_begin_step(form, STEP_ROAD_SUM))
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            line_named(form, complement(in, alpha, true), "C_{%s}", true_name(in, alpha));
}

// gyroscopic.c: Appell's correction terms from S alone, and that they do no work (Appell 14–15).
//
// Where nothing holds the time and T⁺ = φ₁ holds no dependent coordinate, S⁺ = φ(q'') + Σ ψ_α q''_α
// gives E = Σ ψ_α q'_α = Σ (∂φ₁/∂q_α) q'_α, (38) and (39), and
//
//     Δ_α = ∂E/∂q'_α − 2 ∂φ₁/∂q_α − ψ_α                                            (41)
//     Σ Δ_α q'_α = 0                                                               (44)
//
// since E is homogeneous of degree three. Δ_α is R_α by another road.
#include "algebra/algebra.h"
#include "forms/steps_impl.h"
#include "model/model.h"

typedef struct {
    TrueCoordinates *in;
    size_t k;
    Expr *rates; // q''_α, symbols
    Expr *psi;
    Expr S, phi, E;
} Split;

// Whether Σ q' ∂T⁺/∂q' = 2T⁺: a `lagrangian` may be another function.
static bool is_quadratic(const TrueCoordinates *in)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr sum = expr_mul(pool, expr_int(pool, -2), in->T);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        sum = expr_add(pool, sum, expr_mul(pool, in->velocity[alpha], in->dT_dv[alpha]));
    return algebra_vanishes(motion->algebra, sum);
}

// Whether the source's assumptions hold.
static bool applies(const TrueCoordinates *in)
{
    const Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    if (!in->by->linear || expr_holds(pool, in->T, motion->model->t))
        return false;
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_zero(pool, true_a0(in, i)) ||
            expr_holds(pool, in->T, motion->q[in->dependent[i]]))
            return false;
    return is_quadratic(in);
}

static Expr without_accelerations(const Split *split, Expr e)
{
    ExprPool *pool = split->in->motion->pool;
    for (size_t alpha = 0; alpha < split->k; alpha++)
        e = expr_replace(pool, e, &split->rates[alpha], (Expr[]){expr_int(pool, 0)}, 1);
    return e;
}

// φ(q'') = ½ Σ (∂S/∂q''_α − ψ_α) q''_α.
static void make(Split *split)
{
    Motion *motion = split->in->motion;
    ExprPool *pool = motion->pool;
    size_t k = split->k;
    Expr *slopes = base_alloc((2 * k + 1) * sizeof *slopes), *terms = slopes + k;
    split->S = true_reduced(split->in, motion_acceleration_energy(motion));
    expr_gradient(pool, split->S, split->rates, k, slopes);
    for (size_t alpha = 0; alpha < k; alpha++) {
        split->psi[alpha] = without_accelerations(split, slopes[alpha]);
        Expr quadratic = expr_sub(pool, slopes[alpha], split->psi[alpha]);
        terms[alpha] = expr_mul(pool, quadratic, split->rates[alpha]);
    }
    split->phi = expr_mul(pool, expr_ratio(pool, 1, 2), expr_sum(pool, terms, k));
    for (size_t alpha = 0; alpha < k; alpha++)
        terms[alpha] = expr_mul(pool, split->psi[alpha], split->in->velocity[alpha]);
    split->E = expr_sum(pool, terms, k);
    base_free(slopes);
}

static Expr delta_of(const Split *split, size_t alpha)
{
    const TrueCoordinates *in = split->in;
    ExprPool *pool = in->motion->pool;
    Expr slope = expr_mul(pool, expr_int(pool, 2), in->dT_dq[in->independent[alpha]]);
    Expr terms[] = {expr_diff(pool, split->E, in->velocity[alpha]), expr_neg(pool, slope),
                    expr_neg(pool, split->psi[alpha])};
    return expr_sum(pool, terms, 3);
}

// Σ Δ_α q'_α, or 0 where that is proved.
static Expr power_of(const Split *split)
{
    Motion *motion = split->in->motion;
    Expr *terms = base_alloc((split->k + 1) * sizeof *terms);
    for (size_t alpha = 0; alpha < split->k; alpha++)
        terms[alpha] = expr_mul(motion->pool, delta_of(split, alpha), split->in->velocity[alpha]);
    Expr power = expr_sum(motion->pool, terms, split->k);
    base_free(terms);
    return algebra_vanishes(motion->algebra, power) ? expr_int(motion->pool, 0) : power;
}

static void record(Form *form, const Split *split)
{
    TrueCoordinates *in = split->in;
    if (form_begin_step(form, STEP_SPLIT_OF_S)) {
        form_add_line(form, (FormLine){.of = "phi_2", .value = split->phi});
        for (size_t alpha = 0; alpha < split->k; alpha++)
            line_named(form, split->psi[alpha], "psi_%s", true_name(in, alpha));
    }
    if (form_begin_step(form, STEP_CUBIC_FORM))
        form_add_line(form, (FormLine){.of = "E", .value = split->E});
    if (form_begin_step(form, STEP_DELTA))
        for (size_t alpha = 0; alpha < split->k; alpha++)
            line_named(form, delta_of(split, alpha), "R_%s", true_name(in, alpha));
    Expr power = power_of(split);
    if (expr_is_zero(in->motion->pool, power) && form_begin_step(form, STEP_GYROSCOPIC))
        form_add_line(form, (FormLine){.of = "power", .value = power});
}

void step_gyroscopic(Form *form, TrueCoordinates *in)
{
    size_t k = in->motion->k;
    if (form->detail != FORM_IN_STEPS || k == 0 || !applies(in))
        return;
    Expr *room = base_alloc((2 * k + 1) * sizeof *room);
    Split split = {.in = in, .k = k, .rates = room, .psi = room + k};
    for (size_t alpha = 0; alpha < k; alpha++)
        split.rates[alpha] = in->by->speeds[alpha].rate;
    make(&split);
    record(form, &split);
    base_free(room);
}

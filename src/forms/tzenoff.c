// tzenoff.c: Tzénoff's two forms. With T₀, S₀ unreduced, T⁺ reduced, and T₁, S₁ those functions
// seen as functions of the dependent velocities or accelerations only:
//
//     (11)  d/dt ∂T₀/∂q'_α − ∂T₀/∂q_α + ∂S₁/∂q''_α = Q_α
//     (10)  d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α + ∂T₁/∂q_α − d/dt ∂T₁/∂q'_α + ∂S₁/∂q''_α = Q_α
//
// ∂S₁/∂q''_α = Σ_i [∂S₀/∂q''_{k+i}] a_iα, ∂T₁/∂q'_α = Σ_i [∂T₀/∂q'_{k+i}] a_iα,
// ∂T₁/∂q_α = Σ_i [∂T₀/∂q'_{k+i}] ∂q'_{k+i}/∂q_α.
#include "forms/reduction_impl.h"

typedef struct {
    TrueCoordinates in;
    Expr *dS_da; // ∂S₀/∂q''_ν, unreduced, n
    Expr *terms; // room for m
} Tzenoff;

static Expr sum_over_dependent(Tzenoff *tzenoff, size_t alpha,
                               Expr (*term)(Tzenoff *, size_t i, size_t alpha))
{
    size_t m = tzenoff->in.motion->m;
    for (size_t i = 0; i < m; i++)
        tzenoff->terms[i] = term(tzenoff, i, alpha);
    return expr_sum(tzenoff->in.motion->pool, tzenoff->terms, m);
}

static Expr momentum(Tzenoff *tzenoff, size_t i)
{
    TrueCoordinates *in = &tzenoff->in;
    return true_reduced(in, in->motion->p[in->dependent[i]]);
}

static Expr term_of_S1(Tzenoff *tzenoff, size_t i, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    return expr_mul(in->motion->pool, true_reduced(in, tzenoff->dS_da[in->dependent[i]]),
                    true_a(in, i, alpha));
}

static Expr term_of_T1_velocity(Tzenoff *tzenoff, size_t i, size_t alpha)
{
    return expr_mul(tzenoff->in.motion->pool, momentum(tzenoff, i), true_a(&tzenoff->in, i, alpha));
}

static Expr term_of_T1_place(Tzenoff *tzenoff, size_t i, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    ExprPool *pool = in->motion->pool;
    Expr q = in->motion->q[in->independent[alpha]];
    return expr_mul(pool, momentum(tzenoff, i), expr_diff(pool, true_velocity(in, i), q));
}

// d/dt ∂T₀/∂q'_α − ∂T₀/∂q_α, unreduced first, the dependent velocities put in afterwards.
static Expr left_of_11(Tzenoff *tzenoff, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    Motion *motion = in->motion;
    size_t nu = in->independent[alpha];
    Expr W = expr_sub(motion->pool, expr_rate(motion->dt, motion->p[nu]), motion->dT_dq[nu]);
    return expr_add(motion->pool, true_reduced(in, W),
                    sum_over_dependent(tzenoff, alpha, term_of_S1));
}

static Expr left_of_10(Tzenoff *tzenoff, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    ExprPool *pool = in->motion->pool;
    Expr velocity = sum_over_dependent(tzenoff, alpha, term_of_T1_velocity);
    Expr terms[] = {true_lagrange(in, alpha), sum_over_dependent(tzenoff, alpha, term_of_T1_place),
                    expr_neg(pool, true_rate(in, velocity)),
                    sum_over_dependent(tzenoff, alpha, term_of_S1)};
    return expr_sum(pool, terms, 4);
}

static void add_set(Tzenoff *tzenoff, Form *form, const char *number,
                    Expr (*left)(Tzenoff *, size_t))
{
    for (size_t alpha = 0; alpha < tzenoff->in.motion->k; alpha++) {
        Text label = {0};
        text_addf(&label, "%s %s", true_name(&tzenoff->in, alpha), number);
        form_add_equation(form, label.at, left(tzenoff, alpha), true_force(&tzenoff->in, alpha));
        text_clear(&label);
    }
}

void form_tzenoff(Motion *motion, Form *form)
{
    Tzenoff tzenoff = {0};
    if (!expr_is_zero(motion->pool, motion->model->acceleration_energy)) {
        form_refuse(form, "an energy of acceleration was given, and this form needs T");
        return;
    }
    if (!true_init(&tzenoff.in, motion, form))
        return;
    Expr S = motion_acceleration_energy(motion);
    tzenoff.dS_da = base_alloc((motion->n + 1) * sizeof(Expr));
    tzenoff.terms = base_alloc((motion->m + 1) * sizeof(Expr));
    expr_gradient(motion->pool, S, motion->a, motion->n, tzenoff.dS_da);
    form->sets = 2;
    form_add_function(form, "T₀", motion->T);
    form_add_function(form, "S₀", S);
    form_add_function(form, "T⁺", tzenoff.in.T);
    add_set(&tzenoff, form, "(11)", left_of_11);
    add_set(&tzenoff, form, "(10)", left_of_10);
    base_free(tzenoff.dS_da);
    base_free(tzenoff.terms);
    true_clear(&tzenoff.in);
}

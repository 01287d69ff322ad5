// least_action.c: what the principle of least action gives where it is taken too lightly, beside
// Hamel's equations (Hamel 246).
//
//     ∫ [δ(T⁺ − U) − Σ_{μ≤m} P_μ β_μ^{τρ} ω_τ δϑ_ρ] dt = 0
//
// is right, with dδq = δdq for every coordinate. Leaving the sum out gives another motion. So does
// asking that the neighbouring paths obey the conditions too, which is the problem of Lagrange in
// the calculus of variations: with multipliers μ_i(t) and f_i = b_i·q' + c_i,
//
//     W_ν − K_ν = Σ_i μ_i' b_iν + Σ_i μ_i (d b_iν/dt − ∂f_i/∂q_ν)
//
// Along the free displacements the first sum falls out, and Σ_ν (d b_iν/dt − ∂f_i/∂q_ν) B_να is
// Σ_τ β_i^{τα} ω_τ, here without any β. Both mistakes are then Hamel's equations with a twist on
// the right side: Σ_i P_i twist_iα too much for the first, Σ_i μ_i twist_iα for the second. What
// the twist vanishes for is integrable, and all three motions are one.
#include "forms/reduction_impl.h"

typedef struct {
    Motion *motion;
    FormLeastAction *action;
    Expr *across; // n × m: q' for each condition's own speed, the others 0
    Expr *bend;   // m × n: d b_iν/dt − ∂f_i/∂q_ν
} LeastAction;

static void make_bends(LeastAction *least)
{
    Motion *motion = least->motion;
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < motion->m; i++) {
        const MotionRow *row = &motion->rows[i];
        Expr *bend = &least->bend[i * motion->n];
        expr_gradient(pool, row->velocity, motion->q, motion->n, bend);
        for (size_t nu = 0; nu < motion->n; nu++)
            bend[nu] = expr_sub(pool, expr_rate(motion->dt, row->b[nu]), bend[nu]);
    }
}

// Σ_ν a_ν·b_ν in speeds, b taken in steps.
static Expr along(LeastAction *least, const Expr *a, const Expr *b, size_t step)
{
    Motion *motion = least->motion;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(motion->pool, a[nu], b[nu * step]);
    Expr sum = motion_in_speeds(motion, expr_sum(motion->pool, terms, motion->n));
    base_free(terms);
    return sum;
}

static void name_multipliers(LeastAction *least)
{
    Motion *motion = least->motion;
    for (size_t i = 0; i < motion->m; i++) {
        Text name = {0};
        text_addf(&name, "mu.%s", motion->rows[i].constraint->name);
        least->action->multipliers[i] = expr_symbol(motion->pool, name.at);
        text_add(&name, "'");
        least->action->rates[i] = expr_symbol(motion->pool, name.at);
        text_clear(&name);
    }
}

static void make_right_sides(LeastAction *least, const Form *form)
{
    Motion *motion = least->motion;
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    FormLeastAction *action = least->action;
    Expr *momenta = base_alloc((m + 1) * sizeof *momenta);
    Expr *left_out = base_alloc((m + 1) * sizeof *left_out);
    Expr *besides = base_alloc((m + 1) * sizeof *besides);
    for (size_t i = 0; i < m; i++)
        momenta[i] = along(least, motion->p, &least->across[i], m);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr right = form->equations.at[alpha].right;
        for (size_t i = 0; i < m; i++) {
            Expr twist =
                along(least, &least->bend[i * motion->n], &motion->state.B[alpha], motion->k);
            left_out[i] = expr_mul(pool, momenta[i], twist);
            besides[i] = expr_mul(pool, action->multipliers[i], twist);
        }
        action->naive[alpha] = expr_add(pool, right, expr_sum(pool, left_out, m));
        action->obeying[alpha] = expr_add(pool, right, expr_sum(pool, besides, m));
    }
    base_free(momenta);
    base_free(left_out);
    base_free(besides);
}

// μ_i' = Σ_ν (W_ν − K_ν − Σ_j μ_j bend_jν) across_νi
static void make_growth(LeastAction *least)
{
    Motion *motion = least->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m;
    Expr *needed = base_alloc((n + 1) * sizeof *needed);
    Expr *terms = base_alloc((m + 2) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t j = 0; j < m; j++)
            terms[j] = expr_neg(
                pool, expr_mul(pool, least->action->multipliers[j], least->bend[j * n + nu]));
        terms[m] = motion_inertia_force(motion, nu);
        terms[m + 1] = expr_neg(pool, motion->K[nu]);
        needed[nu] = expr_sum(pool, terms, m + 2);
    }
    for (size_t i = 0; i < m; i++)
        least->action->growth[i] = along(least, needed, &least->across[i], m);
    base_free(needed);
    base_free(terms);
}

bool form_add_least_action(Motion *motion, Form *form)
{
    size_t n = motion->n, m = motion->m, k = motion->k;
    if (form->reason || (form->kind != FORM_HAMEL && form->kind != FORM_ACTION))
        return false;
    FormLeastAction *action = arena_alloc(form->arena, sizeof *action);
    Expr *room = arena_alloc(form->arena, (2 * k + 3 * m + 1) * sizeof *room);
    *action =
        (FormLeastAction){room, room + k, room + 2 * k, room + 2 * k + m, room + 2 * k + 2 * m};
    Expr *work = base_alloc((2 * n * m + 1) * sizeof *work);
    LeastAction least = {motion, action, work, work + n * m};
    bool solved = conditions_across(motion, least.across);
    if (solved) {
        name_multipliers(&least);
        make_bends(&least);
        make_right_sides(&least, form);
        make_growth(&least);
        form->least_action = action;
    }
    base_free(work);
    return solved;
}

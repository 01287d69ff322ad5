// johnsen1.c: Hamel's first form for speeds that are not linear in the velocities (Hamel (I) of
// no. 247, after Johnsen; as the errata have it):
//
//     dP_μ/dt + Σ_νσ P_ν (d/dt ∂f_ν/∂q'_σ − ∂f_ν/∂q_σ) F_{σ,μ} − Σ_ν (∂𝐓/∂q_ν) F_{ν,μ}
//         = Σ_ν K_ν F_{ν,μ},   μ = m+1…n
#include "forms/johnsen_impl.h"

// d/dt ∂f_ν/∂q'_σ − ∂f_ν/∂q_σ, reduced: n × n.
static void make_turns(const Johnsen *johnsen, Expr *turns)
{
    Motion *motion = johnsen->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *by = base_alloc((2 * n + 1) * sizeof *by), *slopes = by + n;
    for (size_t nu = 0; nu < n; nu++) {
        expr_gradient(pool, johnsen->f[nu], motion->v, n, by);
        expr_gradient(pool, johnsen->f[nu], motion->q, n, slopes);
        for (size_t sigma = 0; sigma < n; sigma++)
            turns[nu * n + sigma] = motion_in_speeds(
                motion, expr_sub(pool, expr_rate(motion->dt, by[sigma]), slopes[sigma]));
    }
    base_free(by);
}

static void make_transitions(const Johnsen *johnsen, const Expr *turns, Expr *transitions)
{
    const Motion *motion = johnsen->motion;
    size_t n = motion->n;
    Expr *terms = base_alloc((n * n + 1) * sizeof *terms);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        for (size_t i = 0; i < n * n; i++)
            terms[i] = expr_product(
                motion->pool,
                (Expr[]){johnsen->P[i / n], turns[i], johnsen_F(johnsen, i % n, alpha)}, 3);
        transitions[alpha] = expr_sum(motion->pool, terms, n * n);
    }
    base_free(terms);
}

static void record_turns(const Johnsen *johnsen, const Expr *turns)
{
    const Motion *motion = johnsen->motion;
    size_t n = motion->n;
    if (!form_begin_step(johnsen->form, STEP_CURVED_TURNS))
        return;
    for (size_t i = 0; i < n * n; i++)
        if (!expr_is_zero(motion->pool, turns[i]))
            line_named(johnsen->form, turns[i], "E_{%zu,%s}", i / n + 1,
                       motion->model->coords.at[i % n].name);
}

void form_johnsen1(Motion *motion, Form *form)
{
    Johnsen johnsen;
    size_t n = motion->n;
    if (!johnsen_init(&johnsen, motion, form))
        return;
    Expr *turns = base_alloc((n * n + motion->k + 1) * sizeof *turns);
    Expr *transitions = turns + n * n;
    make_turns(&johnsen, turns);
    make_transitions(&johnsen, turns, transitions);
    johnsen_add_equations(&johnsen, transitions);
    johnsen_record_speeds(&johnsen);
    record_turns(&johnsen, turns);
    johnsen_record_end(&johnsen, transitions, STEP_JOHNSEN1_TRANSITIONS, STEP_JOHNSEN1_EQUATIONS);
    base_free(turns);
    johnsen_clear(&johnsen);
}

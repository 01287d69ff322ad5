// johnsen2.c: Hamel's second form for speeds that are not linear in the velocities (Hamel (II) of
// no. 248, after Johnsen; as the errata have it):
//
//     dP_μ/dt − Σ_ρν P_ρ f_{ρ,ν} (d/dt F_{ν,μ} − Σ_σ (∂F_ν/∂q_σ) F_{σ,μ}) − Σ_ν (∂𝐓/∂q_ν) F_{ν,μ}
//         = Σ_ν K_ν F_{ν,μ},   μ = m+1…n
#include "forms/johnsen_impl.h"

// d/dt F_{ν,μ} − Σ_σ (∂F_ν/∂q_σ) F_{σ,μ}: n × k.
static void make_turns(const Johnsen *johnsen, Expr *turns)
{
    Motion *motion = johnsen->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    Expr *slopes = base_alloc((2 * n + 1) * sizeof *slopes), *terms = slopes + n;
    for (size_t nu = 0; nu < n; nu++) {
        motion_by_places(motion, &motion->state, motion->state.F[nu], slopes);
        for (size_t alpha = 0; alpha < k; alpha++) {
            for (size_t sigma = 0; sigma < n; sigma++)
                terms[sigma] = expr_mul(pool, slopes[sigma], johnsen_F(johnsen, sigma, alpha));
            Expr rate = motion_rate_along(motion, &motion->state, johnsen_F(johnsen, nu, alpha));
            turns[nu * k + alpha] = expr_sub(pool, rate, expr_sum(pool, terms, n));
        }
    }
    base_free(slopes);
}

static void make_transitions(const Johnsen *johnsen, const Expr *turns, Expr *transitions)
{
    const Motion *motion = johnsen->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    Expr *terms = base_alloc((n * n + 1) * sizeof *terms);
    for (size_t alpha = 0; alpha < k; alpha++) {
        for (size_t i = 0; i < n * n; i++)
            terms[i] =
                expr_product(pool,
                             (Expr[]){expr_int(pool, -1), johnsen->P[i / n],
                                      johnsen_f(johnsen, i / n, i % n), turns[i % n * k + alpha]},
                             4);
        transitions[alpha] = expr_sum(pool, terms, n * n);
    }
    base_free(terms);
}

static void record_turns(const Johnsen *johnsen, const Expr *turns)
{
    const Motion *motion = johnsen->motion;
    size_t n = motion->n, k = motion->k;
    if (form_begin_step(johnsen->form, STEP_CURVED_SPEED_PARTIALS))
        for (size_t rho = 0; rho < n; rho++)
            for (size_t nu = 0; nu < n; nu++) {
                Expr f = johnsen_f(johnsen, rho, nu);
                if (!expr_is_zero(motion->pool, f))
                    line_named(johnsen->form, f, "f_{%zu,%s}", rho + 1,
                               motion->model->coords.at[nu].name);
            }
    if (!form_begin_step(johnsen->form, STEP_CURVED_INVERSE_TURNS))
        return;
    for (size_t i = 0; i < n * k; i++)
        if (!expr_is_zero(motion->pool, turns[i]))
            line_named(johnsen->form, turns[i], "E_{%s,%zu}", motion->model->coords.at[i / k].name,
                       motion->m + i % k + 1);
}

void form_johnsen2(Motion *motion, Form *form)
{
    Johnsen johnsen;
    size_t n = motion->n, k = motion->k;
    if (!johnsen_init(&johnsen, motion, form))
        return;
    Expr *turns = base_alloc((n * k + k + 1) * sizeof *turns), *transitions = turns + n * k;
    make_turns(&johnsen, turns);
    make_transitions(&johnsen, turns, transitions);
    johnsen_add_equations(&johnsen, transitions);
    johnsen_record_speeds(&johnsen);
    record_turns(&johnsen, turns);
    johnsen_record_end(&johnsen, transitions, STEP_JOHNSEN2_TRANSITIONS, STEP_JOHNSEN2_EQUATIONS);
    base_free(turns);
    johnsen_clear(&johnsen);
}

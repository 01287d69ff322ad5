// energy.c: the energy as an integral, and why it is none.
//
// With T⁺ and the state's speeds the function E = Σ u ∂T⁺/∂u − T⁺ + U changes at the rate
// Σ u_α P'_α − Σ (∂T⁺/∂q_ν) q'_ν − ∂T⁺/∂t + dU/dt, P' being the rates of the momenta, in which
// there are no accelerations. For conditions and energies without time E is T + U; else it is
// Jacobi's function, constant by Painlevé's theorem where nothing holds t. What it lacks may be
// the rate of a function of q and t: a constant pull, or Quanjel's φ.
#include "inquiry/inquiry_impl.h"

#include <string.h>

enum { HIGHEST_DEGREE = 2, MOST_FUNCTIONS = 160 };

// Σ u ∂T⁺/∂u − T⁺ + U, and ∂T⁺/∂q.
static Expr energy_of(Motion *motion, Expr T, Expr U)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *terms = base_alloc((k + 2) * sizeof *terms);
    for (size_t alpha = 0; alpha < k; alpha++)
        terms[alpha] = expr_mul(pool, motion->state.speeds[alpha].u,
                                expr_diff(pool, T, motion->state.speeds[alpha].u));
    terms[k] = expr_neg(pool, T);
    terms[k + 1] = U;
    Expr energy = expr_sum(pool, terms, k + 2);
    base_free(terms);
    return energy;
}

static Expr rate_of_energy(const Momenta *momenta, Expr T, Expr U)
{
    Motion *motion = momenta->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    Expr *field = base_alloc((n + 1) * sizeof *field),
         *partials = base_alloc((n + 1) * sizeof(Expr));
    Expr *terms = base_alloc((n + k + 2) * sizeof *terms);
    for (size_t alpha = 0; alpha < k; alpha++) {
        for (size_t nu = 0; nu < n; nu++)
            field[nu] = motion->state.B[nu * k + alpha];
        terms[alpha] = expr_mul(pool, motion->state.speeds[alpha].u, momenta_rate(momenta, field));
    }
    expr_gradient(pool, T, motion->q, n, partials);
    for (size_t nu = 0; nu < n; nu++)
        terms[k + nu] =
            expr_neg(pool, expr_mul(pool, partials[nu], motion_in_speeds(motion, motion->v[nu])));
    terms[k + n] = expr_neg(pool, expr_diff(pool, T, motion->model->t));
    terms[k + n + 1] = motion_rate_along(motion, &motion->state, U);
    Expr rate = expr_sum(pool, terms, n + k + 2);
    base_free(field);
    base_free(partials);
    base_free(terms);
    return setting_put(momenta->setting, rate);
}

// ---- Why there is none.

static const char not_found[] = "the search did not find it";

static void add_reason(Text *text, const char *reason)
{
    text_addf(text, "%s%s", text->length ? "; " : "", reason);
}

static bool holds_time(const Motion *motion, Expr e)
{
    return expr_holds(motion->pool, e, motion->model->t);
}

static void conditions_that_move(Motion *motion, Text *text)
{
    Text names = {0};
    for (size_t i = 0; i < motion->m; i++)
        if (!motion_is_idle(motion, &motion->rows[i]) &&
            !inquiry_vanishes(motion, motion->rows[i].c))
            text_addf(&names, "%s%s", names.length ? ", " : "", motion->rows[i].constraint->name);
    if (names.length) {
        add_reason(text, "conditions move with time and may do work: ");
        text_add(text, names.at);
    }
    text_clear(&names);
}

static const char *why_not(InquiryIntegrals *integrals, Motion *motion)
{
    const Model *model = motion->model;
    Text text = {0};
    conditions_that_move(motion, &text);
    if (holds_time(motion, motion->T))
        add_reason(&text, "T holds the time");
    if (holds_time(motion, motion->U))
        add_reason(&text, "the potential energy holds the time");
    if (!expr_is_zero(motion->pool, model->dissipation))
        add_reason(&text, "the dissipation takes energy away");
    if (motion->friction_count > 0)
        add_reason(&text, "friction takes energy away");
    if (model->forces_at.count + model->forces_along.count + model->torques.count > 0)
        add_reason(&text, "forces without potential do work");
    if (text.length == 0)
        return not_found;
    const char *copy = arena_copy_text(integrals->arena, text.at, text.length);
    text_clear(&text);
    return copy;
}

// ---- A function that makes up for the rate.

// φ(q, t) with E + φ constant; none where it was not found.
static Expr completion(const Momenta *momenta, Expr rate, ProofKind *proof)
{
    Motion *motion = momenta->motion;
    ARRAY(Expr) variables = {0};
    for (size_t nu = 0; nu < motion->n; nu++)
        array_push(&variables, motion->q[nu]);
    array_push(&variables, motion->model->t);
    Ansatz ansatz;
    ansatz_init(&ansatz, motion,
                &(AnsatzWish){.variables = variables.at,
                              .variable_count = variables.count,
                              .exprs = &rate,
                              .expr_count = 1,
                              .degree = HIGHEST_DEGREE,
                              .most = MOST_FUNCTIONS,
                              .setting = momenta->setting});
    Expr *row = base_alloc((ansatz.count + 1) * sizeof *row), phi = {0};
    for (size_t j = 0; j < ansatz.count; j++)
        row[j] =
            setting_put(momenta->setting, motion_rate_along(motion, &motion->state, ansatz.at[j]));
    row[ansatz.count] = rate;
    size_t constant_count;
    Expr *constants = ansatz_constants(motion, &constant_count);
    AlgebraRelations found;
    algebra_relations(motion->algebra, row, 1, ansatz.count + 1, constants, constant_count, &found);
    const Expr *last = found.coefficients + (found.count ? found.count - 1 : 0) * found.columns;
    if (found.count && expr_is_one(motion->pool, last[ansatz.count])) {
        for (size_t j = 0; j < ansatz.count; j++)
            row[j] = expr_mul(motion->pool, last[j], ansatz.at[j]);
        phi = expr_sum(motion->pool, row, ansatz.count);
        *proof = found.proofs[found.count - 1];
    }
    algebra_relations_clear(&found);
    base_free(constants);
    base_free(row);
    ansatz_clear(&ansatz);
    array_clear(&variables);
    return phi;
}

// The value of a function of q, u, t in q, q', t.
static Expr in_velocities(Motion *motion, Expr e)
{
    ExprSubst *subst = expr_subst_new(motion->pool);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        expr_subst_set(subst, motion->state.speeds[alpha].u, motion->state.speeds[alpha].value);
    Expr value = expr_subst(subst, e);
    expr_subst_free(subst);
    return value;
}

void energy_find(Momenta *momenta, InquiryIntegrals *integrals)
{
    Motion *motion = momenta->motion;
    ExprPool *pool = motion->pool;
    if (expr_is_none(motion->energy)) {
        integrals->no_energy = motion_no_T(motion);
        return;
    }
    if (momenta->jumps_move || (motion->friction_count > 0 && !motion->friction_holds)) {
        integrals->no_energy = why_not(integrals, motion);
        return;
    }
    Expr T = motion_in_speeds(motion, motion->T), U = motion->U;
    Expr energy = energy_of(motion, T, U), rate = rate_of_energy(momenta, T, U);
    Verdict still = algebra_is_zero(motion->algebra, rate);
    bool constant = still.answer == ANSWER_YES, changes = still.answer == ANSWER_NO;
    ProofKind proof = still.proof;
    verdict_clear(&still);
    Expr phi = constant ? expr_int(pool, 0) : completion(momenta, rate, &proof);
    integrals->no_energy = constant ? NULL : why_not(integrals, motion);
    integrals->energy_open = !constant && (!changes || integrals->no_energy == not_found);
    if (expr_is_none(phi))
        return;
    Expr total = setting_put(momenta->setting,
                             expr_sub(pool, energy, motion_in_speeds(motion, motion->energy)));
    bool is_total = constant && inquiry_vanishes(motion, total);
    InquiryIntegral integral = {.kind = "energy", .label = "energy", .proof = proof};
    integral.name = is_total ? "energy" : constant ? "Jacobi-Painlevé energy" : "completed energy";
    integral.value = is_total ? motion->energy : in_velocities(motion, expr_add(pool, energy, phi));
    integrals_take(integrals, motion, momenta->setting, integral);
}

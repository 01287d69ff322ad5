// steps_last.h: the last steps of a derivation, put together from its lines.
#ifndef ZWANG_TEST_STEPS_LAST_H
#define ZWANG_TEST_STEPS_LAST_H

#include "steps_lines.h"

static Expr reaction(const Board *board, size_t nu)
{
    return named(board, "Lambda_%s", q(board, nu));
}

static Expr reduced_lagrange(const Board *board, size_t nu)
{
    return minus(board, value(board, "T⁺", v(board, nu), true, false),
                 value(board, "T⁺", q(board, nu), false, false));
}

// Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α; the A's are antisymmetric.
static Expr bend(const Board *board, size_t nu, size_t alpha)
{
    Expr sum = named(board, "A^{(%s)}_{%s}", q(board, nu), q(board, alpha));
    for (size_t j = 0; j < board->motion->n; j++) {
        Expr A = minus(
            board, named(board, "A^{(%s)}_{%s,%s}", q(board, nu), q(board, alpha), q(board, j)),
            named(board, "A^{(%s)}_{%s,%s}", q(board, nu), q(board, j), q(board, alpha)));
        sum = plus(board, sum, times(board, A, board->motion->v[j]));
    }
    return sum;
}

static Expr voronets_rest(const Board *board, size_t alpha)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Expr a_nu = named(board, "a_{%s,%s}", q(board, nu), q(board, alpha));
        sum = plus(board, sum, times(board, a_nu, value(board, "T⁺", q(board, nu), false, false)));
        sum = plus(
            board, sum,
            times(board, value(board, "T₀", v(board, nu), false, true), bend(board, nu, alpha)));
    }
    return sum;
}

// m J or M that belongs to a line v_{…} or omega_{…}.
static Expr inertia_beside(const Board *board, const FormLine *line)
{
    const Model *model = board->motion->model;
    bool spin = line->of[0] == 'o';
    const char *owner = strchr(line->of, '{') + 1;
    Expr vector = named(board, spin ? "M_{%s" : "J_{%s", owner), mass = expr_int(board->pool, 1);
    size_t length = strcspn(owner, ",");
    for (size_t j = 0; j < model->bodies.count && !spin; j++)
        if (str_is((Str){owner, length}, model->bodies.at[j].name))
            mass = model->bodies.at[j].mass;
    if (!spin && strtol(owner, NULL, 10) > 0)
        mass = model->masses.at[strtol(owner, NULL, 10) - 1].mass;
    return times(board, mass, vector);
}

// Σ m J·∂v/∂u + Σ M·∂ω/∂u over all lines v_{…} and omega_{…} that have such a derivative.
static Expr kane_inertia(const Board *board, const char *speed)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t i = 0; i < board->upto; i++) {
        const FormLine *line = &board->form->lines.at[i];
        if (line->by && strcmp(line->by, speed) == 0)
            sum = plus(board, sum, times(board, inertia_beside(board, line), line->value));
    }
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Expr velocity = put_in(board, board->motion->v[nu]);
        sum = plus(board, sum,
                   times(board, named(board, "W_%s", q(board, nu)),
                         expr_diff(board->pool, velocity, expr_symbol(board->pool, speed))));
    }
    return sum;
}

// The same along the displacements on which no servo works.
static Expr displaced_inertia(const Board *board, const char *name)
{
    const Motion *motion = board->motion;
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr work = named(board, "W_%s", q(board, nu));
        for (size_t i = 0; i < board->upto; i++) {
            const FormLine *line = &board->form->lines.at[i];
            if (line->of &&
                (strncmp(line->of, "v_{", 3) == 0 || strncmp(line->of, "omega_{", 7) == 0))
                work = plus(board, work,
                            times(board, inertia_beside(board, line),
                                  expr_diff(board->pool, line->value, motion->v[nu])));
        }
        sum = plus(board, sum, times(board, displacement(board, nu, name), work));
    }
    return sum;
}

// Σ_ρτ β_ρ^{τ,μ} P_ρ ω_τ from the table, ω_0 = 1.
static Expr transition(const Board *board, size_t mu)
{
    size_t n = board->motion->n, m = board->motion->m;
    Expr sum = expr_int(board->pool, 0);
    for (size_t rho = 1; rho <= n; rho++)
        for (size_t tau = 0; tau <= n; tau++) {
            if (tau >= 1 && tau <= m)
                continue;
            Expr beta = tau < mu
                            ? named(board, "β_%zu^{%zu,%zu}", rho, tau, mu)
                            : expr_neg(board->pool, named(board, "β_%zu^{%zu,%zu}", rho, mu, tau));
            Expr omega = tau ? omega_of(board, tau) : expr_int(board->pool, 1);
            sum = plus(board, sum,
                       times(board, beta, times(board, named(board, "P_%zu", rho), omega)));
        }
    return sum;
}

// P_μ = ∂T/∂ω_μ and ∂T/∂ϑ_μ = Σ ∂T/∂q_ν ∂q'_ν/∂ω_μ, the conditions afterwards; Γ_μ by the table.
static void check_hamel(const Board *board)
{
    const Motion *motion = board->motion;
    Expr T = value(board, "T", NULL, false, false);
    static const FormLine shown = {.of = "ω, P, ∂T/∂ϑ or Γ"};
    for (size_t mu = 1; mu <= motion->n; mu++) {
        Expr omega = omega_of(board, mu);
        const FormLine *meaning = find(board, expr_name(board->pool, omega), NULL, false, false);
        if (meaning) // the velocities put into what it means give it back
            assert_zero(board, minus(board, put_in(board, meaning->value), omega), &shown);
        Expr P = on_conditions(board, expr_diff(board->pool, T, omega));
        assert_zero(board, minus(board, P, named(board, "P_%zu", mu)), &shown);
        if (mu <= motion->m)
            continue;
        Expr slope = expr_int(board->pool, 0);
        for (size_t nu = 0; nu < motion->n; nu++)
            slope = plus(board, slope,
                         times(board, expr_diff(board->pool, T, motion->q[nu]),
                               expr_diff(board->pool, put_in(board, motion->v[nu]), omega)));
        char name[32];
        snprintf(name, sizeof name, "ϑ_%zu", mu);
        assert_zero(
            board, minus(board, on_conditions(board, slope), value(board, "T", name, false, false)),
            &shown);
        assert_zero(board, minus(board, transition(board, mu), named(board, "Gamma_%zu", mu)),
                    &shown);
    }
}

// ---- Speeds that are not linear in the velocities.

// f_ν, as the line of its speed says; a velocity is itself.
static Expr speed_meaning(const Board *board, size_t nu)
{
    const Motion *motion = board->motion;
    Expr omega = omega_of(board, nu);
    for (size_t i = 0; i < motion->n; i++)
        if (expr_same(omega, motion->v[i]))
            return omega;
    return named(board, "%s", expr_name(board->pool, omega));
}

// F_{σ,μ} = ∂q'_σ/∂ω_μ, the conditions afterwards.
static Expr inverse_partial(const Board *board, size_t sigma, size_t mu)
{
    return on_conditions(
        board, expr_diff(board->pool, put_in(board, board->motion->v[sigma]), omega_of(board, mu)));
}

// Γ_μ of either form, from f and F taken again.
static Expr johnsen_transition(const Board *board, size_t mu)
{
    const Motion *motion = board->motion;
    bool first = board->form->kind == FORM_JOHNSEN1;
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 1; nu <= motion->n; nu++)
        for (size_t sigma = 0; sigma < motion->n; sigma++) {
            Expr f = speed_meaning(board, nu), P = named(board, "P_%zu", nu);
            Expr by = expr_diff(board->pool, f, motion->v[sigma]);
            Expr turn = minus(board, total(board, by), expr_diff(board->pool, f, motion->q[sigma]));
            Expr F = inverse_partial(board, sigma, mu);
            if (first) {
                sum = plus(board, sum, times(board, P, times(board, turn, F)));
                continue;
            }
            turn = total(board, F);
            for (size_t tau = 0; tau < motion->n; tau++)
                turn = minus(
                    board, turn,
                    times(board,
                          expr_diff(board->pool, put_in(board, motion->v[sigma]), motion->q[tau]),
                          inverse_partial(board, tau, mu)));
            sum = minus(board, sum, times(board, P, times(board, by, turn)));
        }
    return sum;
}

static void check_johnsen(const Board *board)
{
    const Motion *motion = board->motion;
    Expr T = value(board, "T", NULL, false, false);
    static const FormLine shown = {.of = "P, F, ∂T/∂ϑ or Γ"};
    for (size_t mu = 1; mu <= motion->n; mu++) {
        Expr P = on_conditions(board, expr_diff(board->pool, T, omega_of(board, mu)));
        assert_zero(board, minus(board, P, named(board, "P_%zu", mu)), &shown);
        if (mu <= motion->m)
            continue;
        Expr slope = expr_int(board->pool, 0);
        for (size_t nu = 0; nu < motion->n; nu++) {
            Expr F = inverse_partial(board, nu, mu);
            assert_zero(board, minus(board, F, named(board, "F_{%s,%zu}", q(board, nu), mu)),
                        &shown);
            slope = plus(board, slope, times(board, expr_diff(board->pool, T, motion->q[nu]), F));
        }
        char name[32];
        snprintf(name, sizeof name, "ϑ_%zu", mu);
        assert_same(board, slope, value(board, "T", name, false, false), &shown);
        assert_same(board, johnsen_transition(board, mu), named(board, "Gamma_%zu", mu), &shown);
    }
}

static Expr residual_again(const Board *board, const FormEquation *equation, size_t index)
{
    const Motion *motion = board->motion;
    const MotionReduction *by = board->form->in_speeds ? &motion->state : NULL;
    size_t alpha = 0;
    while (!by && alpha + 1 < motion->n &&
           (strncmp(q(board, alpha), equation->label, strlen(q(board, alpha))) != 0 ||
            (equation->label[strlen(q(board, alpha))] != '\0' &&
             equation->label[strlen(q(board, alpha))] != ' ')))
        alpha++;
    const char *name = equation->label;
    Expr Q = named(board, "Q_%s", q(board, alpha)), Qu = named(board, "Q_{%s}", name);
    Expr sum = expr_int(board->pool, 0);
    bool appell = board->form->kind == FORM_APPELL || board->form->kind == FORM_KANE;
    if (by && !appell)
        Qu = plus(board, Qu, speed_force(board, &by->speeds[index], "Δ"));
    switch (board->form->kind) {
    case FORM_MULTIPLIERS:
        return minus(board, inertia(board, index),
                     plus(board, named(board, "K_%s", name), reaction(board, index)));
    case FORM_KORTEWEG:
        for (size_t nu = 0; nu < motion->n; nu++)
            sum = plus(board, sum,
                       times(board, named(board, "D_{%s,%s}", name, q(board, nu)),
                             named(board, "rho_%s", q(board, nu))));
        return sum;
    case FORM_MAGGI:
        for (size_t nu = 0; nu < motion->n; nu++)
            sum = plus(
                board, sum,
                times(board, displacement(board, nu, name), named(board, "rho_%s", q(board, nu))));
        return sum;
    case FORM_LAGRANGE:
        return minus(board, reduced_lagrange(board, alpha),
                     plus(board, Q, named(board, "R_%s", name)));
    case FORM_APPELL:
        for (size_t nu = 0; nu < motion->n && motion->servos; nu++)
            sum = plus(board, sum,
                       times(board, displacement(board, nu, name),
                             value(board, "S₀", a(board, nu), false, false)));
        if (motion->servos)
            return minus(board, sum, Qu);
        return minus(
            board, value(board, "S", expr_name(board->pool, by->speeds[index].rate), false, false),
            Qu);
    case FORM_KANE:
        sum = motion->servos ? displaced_inertia(board, name) : kane_inertia(board, name);
        return minus(board, sum, Qu);
    case FORM_TZENOFF:
        sum = minus(board, value(board, "S₁", a(board, alpha), false, false),
                    plus(board, Q, named(board, "Delta_%s", q(board, alpha))));
        if (strstr(name, "(11)"))
            return plus(board, sum,
                        minus(board, value(board, "T₀", v(board, alpha), true, true),
                              value(board, "T₀", q(board, alpha), false, true)));
        sum = plus(board, sum, reduced_lagrange(board, alpha));
        sum = minus(board, sum, value(board, "T₁", v(board, alpha), true, false));
        return plus(board, sum, value(board, "T₁", q(board, alpha), false, false));
    case FORM_VORONETS:
        return minus(board, reduced_lagrange(board, alpha),
                     plus(board, voronets_rest(board, alpha),
                          plus(board, Q, reduced_apparent(board, alpha))));
    case FORM_JOHNSEN1:
    case FORM_JOHNSEN2:
    case FORM_HAMEL: {
        char by_theta[32], P[32];
        snprintf(by_theta, sizeof by_theta, "ϑ_%zu", motion->m + index + 1);
        snprintf(P, sizeof P, "P_%zu", motion->m + index + 1);
        sum = plus(board, value(board, P, NULL, true, false),
                   named(board, "Gamma_%zu", motion->m + index + 1));
        return minus(board, minus(board, sum, value(board, "T", by_theta, false, false)), Qu);
    }
    case FORM_GAUSS:
        assert_same(board, value(board, "Z", a(board, index), false, false),
                    minus(board, inertia(board, index), named(board, "K_%s", name)),
                    &(FormLine){.of = "∂Z/∂q″"});
        return minus(board, value(board, "Z", a(board, index), false, false),
                     reaction(board, index));
    case FORM_CANONICAL: {
        bool potential = find(board, "H", NULL, false, false);
        char R[64], load[64];
        snprintf(R, sizeof R, "R_%s", name);
        snprintf(load, sizeof load, potential ? "Q*_%s" : "Q_%s", name);
        sum =
            plus(board, value(board, R, NULL, false, true), value(board, load, NULL, false, true));
        sum = minus(board, sum, value(board, potential ? "H" : "𝒦", name, false, false));
        return minus(board, equation->left, sum);
    }
    case FORM_ACTION: {
        Expr I = value(board, "δT", NULL, false, false);
        sum = total(board, expr_diff(board->pool, I, variation(board, index, true)));
        sum = minus(board, sum, expr_diff(board->pool, I, variation(board, index, false)));
        return minus(board, sum, Qu);
    }
    default: fail();
    }
    return sum;
}

// The lines of the last steps are the form's equations, and follow from their parts.
static void check_equations(const Board *board)
{
    const Form *form = board->form;
    size_t index = 0;
    for (size_t i = 0; i < form->lines.count; i++) {
        const FormLine *line = &form->lines.at[i];
        if (expr_is_none(line->left) || !line->of || line->at_most)
            continue;
        const FormEquation *equation = &form->equations.at[index];
        assert_string_equal(line->of, equation->label);
        assert_true(expr_same(line->left, equation->left));
        assert_true(expr_same(line->value, equation->right));
        Expr residual = minus(board, line->left, line->value);
        assert_same(board, residual, residual_again(board, equation, index), line);
        index++;
    }
    assert_int_equal(index, form->equations.count);
}

#endif

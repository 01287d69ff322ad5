// steps_lines.h: each line of a derivation again, from the lines before it.
#ifndef ZWANG_TEST_STEPS_LINES_H
#define ZWANG_TEST_STEPS_LINES_H

#include "steps_board.h"

static bool BASE_PRINTF(2, 3) is_called(const FormLine *line, const char *format, ...)
{
    Text name = {0};
    va_list args;
    va_start(args, format);
    text_addv(&name, format, args);
    va_end(args);
    bool same = strcmp(line->of, name.at) == 0;
    text_clear(&name);
    return same;
}

static Expr inertia(const Board *board, size_t nu)
{
    Expr W = minus(board, value(board, "T", v(board, nu), true, false),
                   value(board, "T", q(board, nu), false, false));
    W = minus(board, W, named(board, "Delta_%s", q(board, nu)));
    return plus(board, W, value(board, "S", a(board, nu), false, false));
}

// Δ_α + Σ_i a_iα Δ_{k+i}.
static Expr reduced_apparent(const Board *board, size_t alpha)
{
    Expr sum = named(board, "Delta_%s", q(board, alpha));
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Expr a_nu = named(board, "a_{%s,%s}", q(board, nu), q(board, alpha));
        sum = plus(board, sum, times(board, a_nu, named(board, "Delta_%s", q(board, nu))));
    }
    return sum;
}

// R from its parts: Σ_i [∂T/∂q'_{k+i}] (d a_iα/dt − ∂q'_{k+i}/∂q_α) + Σ_i [∂T/∂q_{k+i}] a_iα.
static Expr correction(const Board *board, size_t alpha)
{
    Expr sum = reduced_apparent(board, alpha);
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Text name = {0};
        text_addf(&name, "a_{%s,%s}", q(board, nu), q(board, alpha));
        Expr rate = value(board, name.at, NULL, true, false);
        Expr twist = minus(board, rate, value(board, v(board, nu), q(board, alpha), false, false));
        sum = plus(board, sum, times(board, value(board, "T", v(board, nu), false, true), twist));
        sum = plus(board, sum,
                   times(board, value(board, "T", q(board, nu), false, true),
                         value(board, name.at, NULL, false, false)));
        text_clear(&name);
    }
    return sum;
}

// Q_α = K_α + Σ_i a_iα K_{k+i}.
static Expr reduced_force(const Board *board, size_t alpha)
{
    Expr sum = named(board, "K_%s", q(board, alpha));
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Expr a_nu = named(board, "a_{%s,%s}", q(board, nu), q(board, alpha));
        sum = plus(board, sum, times(board, a_nu, named(board, "K_%s", q(board, nu))));
    }
    return sum;
}

// Σ p q' − T⁺.
static Expr poisson(const Board *board)
{
    const Motion *motion = board->motion;
    Expr sum = expr_neg(board->pool, value(board, "T⁺", NULL, false, false));
    for (size_t nu = 0; nu < motion->n; nu++) {
        Text name = {0};
        text_addf(&name, "p_%s", q(board, nu));
        if (find(board, name.at, NULL, false, false))
            sum = plus(board, sum, times(board, expr_symbol(board->pool, name.at), motion->v[nu]));
        text_clear(&name);
    }
    return sum;
}

// Σ name_α q'_α over the independent coordinates, which have such lines.
static Expr along_velocities(const Board *board, const char *name)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++)
        sum = plus(board, sum,
                   times(board, named(board, strcmp(name, "psi") ? "R_%s" : "psi_%s", q(board, nu)),
                         board->motion->v[nu]));
    return sum;
}

// φ₂ + Σ ψ q'' has the derivatives d/dt ∂T⁺/∂q' − ∂T⁺/∂q − R; and E is Σ (∂T⁺/∂q) q'.
static void check_cubic_form(const Board *board, const FormLine *line)
{
    const Motion *motion = board->motion;
    Expr phi = value(board, "phi_2", NULL, false, false), E = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (!find(board, "T⁺", v(board, nu), true, false))
            continue;
        Expr slope = value(board, "T⁺", q(board, nu), false, false);
        Expr W = minus(board, value(board, "T⁺", v(board, nu), true, false), slope);
        W = minus(board, W, named(board, "R_%s", q(board, nu)));
        Expr again = plus(board, expr_diff(board->pool, phi, motion->a[nu]),
                          named(board, "psi_%s", q(board, nu)));
        assert_zero(board, minus(board, W, again), line);
        E = plus(board, E, times(board, slope, motion->v[nu]));
    }
    assert_zero(board, minus(board, E, line->value), line);
}

// What a name with one coordinate in it stands for; none where the line is the definition.
static Expr defined_for(const Board *board, const FormLine *line, size_t nu)
{
    const Motion *motion = board->motion;
    if (is_called(line, "rho_%s", q(board, nu)))
        return minus(board, inertia(board, nu), named(board, "K_%s", q(board, nu)));
    if (is_called(line, "R_%s", q(board, nu)))
        return correction(board, nu);
    if (is_called(line, "Q_%s", q(board, nu)))
        return reduced_force(board, nu);
    // Tzénoff's complement, from (14) to (16); its line has Voronets' terms.
    if (is_called(line, "C_{%s}", q(board, nu)))
        return plus(board,
                    minus(board, value(board, "T₁", q(board, nu), false, false),
                          value(board, "T₁", v(board, nu), true, false)),
                    value(board, "S₁", a(board, nu), false, false));
    if (is_called(line, "p_%s", q(board, nu)))
        return expr_diff(board->pool, value(board, "T⁺", NULL, false, false), motion->v[nu]);
    for (size_t alpha = 0; alpha < motion->n; alpha++)
        if (is_called(line, "a_{%s,%s}", q(board, nu), q(board, alpha)))
            return expr_diff(board->pool, named(board, "%s", v(board, nu)), motion->v[alpha]);
    return (Expr){0};
}

// Σ_ν K_ν ∂q'_ν/∂u, or Δ for K.
static Expr speed_force(const Board *board, const MotionSpeed *speed, const char *format)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++)
        sum =
            plus(board, sum,
                 times(board, named(board, strcmp(format, "K") ? "Delta_%s" : "K_%s", q(board, nu)),
                       expr_diff(board->pool, put_in(board, board->motion->v[nu]), speed->u)));
    return sum;
}

static bool is_johnsen(const Form *form)
{
    return form->kind == FORM_JOHNSEN1 || form->kind == FORM_JOHNSEN2;
}

// A_να, or B_να where all conditions are ideal.
static Expr displacement(const Board *board, size_t nu, const char *name)
{
    return plus(board, named(board, "A_{%s,%s}", q(board, nu), name),
                named(board, "B_{%s,%s}", q(board, nu), name));
}

// Σ_ν K_ν A_να.
static Expr displaced_force(const Board *board, const char *name)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++)
        sum = plus(board, sum,
                   times(board, named(board, "K_%s", q(board, nu)), displacement(board, nu, name)));
    return sum;
}

// δϑ of the speed of this number, or its rate.
static Expr variation(const Board *board, size_t alpha, bool rate)
{
    const MotionSpeed *speed = &board->motion->state.speeds[alpha];
    Text name = {0};
    text_addf(&name, "delta.%s%s", speed->declared ? speed->name : q(board, speed->index),
              rate ? "'" : "");
    Expr symbol = expr_symbol(board->pool, name.at);
    text_clear(&name);
    return symbol;
}

// Least action: Σ p_ν (δq_ν)' + (∂T/∂q_ν) δq_ν of the unreduced T, δq_ν = Σ B_να δϑ_α.
static Expr central(const Board *board)
{
    const Motion *motion = board->motion;
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < motion->n; nu++)
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr B = displacement(board, nu, motion->state.speeds[alpha].name);
            Expr dq = times(board, B, variation(board, alpha, false));
            Expr dv = plus(board, times(board, total(board, B), variation(board, alpha, false)),
                           times(board, B, variation(board, alpha, true)));
            sum = plus(board, sum, times(board, motion->p[nu], dv));
            sum = plus(board, sum, times(board, motion->dT_dq[nu], dq));
        }
    return sum;
}

// What a name stands for, from earlier lines or from the motion itself; none where the line is
// the definition.
static Expr defined(const Board *board, const FormLine *line)
{
    Motion *motion = board->motion;
    bool hamel = board->form->kind == FORM_HAMEL || is_johnsen(board->form);
    if (strcmp(line->of, "T⁺") == 0 || (strcmp(line->of, "T") == 0 && hamel))
        return put_in(board, motion->T);
    if (strcmp(line->of, "S") == 0 && find(board, "S₀", NULL, false, false))
        return value(board, "S₀", NULL, false, false);
    if (strcmp(line->of, "𝒦") == 0)
        return poisson(board);
    if (strcmp(line->of, "U") == 0)
        return motion->U;
    if (strcmp(line->of, "H") == 0)
        return plus(board, named(board, "𝒦"), named(board, "U"));
    if (strcmp(line->of, "E") == 0)
        return along_velocities(board, "psi");
    if (strcmp(line->of, "power") == 0)
        return along_velocities(board, "R");
    if (strcmp(line->of, "δT") == 0)
        return central(board);
    Expr found = {0};
    for (size_t nu = 0; nu < motion->n && expr_is_none(found); nu++)
        found = defined_for(board, line, nu);
    for (size_t alpha = 0; alpha < motion->k && expr_is_none(found); alpha++)
        if (is_called(line, "Q_{%s}", motion->state.varied[alpha].name))
            found = motion->servos ? displaced_force(board, motion->state.varied[alpha].name)
                                   : speed_force(board, &motion->state.speeds[alpha], "K");
    return found;
}

// ∂S₀/∂q''_ν is the inertia force that T gives.
static void check_acceleration_energy(const Board *board, const FormLine *line)
{
    Motion *motion = board->motion;
    for (size_t nu = 0; nu < motion->n; nu++)
        assert_zero(board,
                    minus(board, expr_diff(board->pool, line->value, motion->a[nu]),
                          motion_inertia_force(motion, nu)),
                    line);
}

// What a line with brackets or derivatives starts from: an earlier line, or, for the forces outside
// of H, Q_α and what U gives.
static Expr start_of(const Board *board, const FormLine *line)
{
    const FormLine *base = find(board, line->of, NULL, false, false);
    if (base)
        return base->value;
    for (size_t nu = 0; nu < board->motion->n; nu++)
        if (is_called(line, "Q*_%s", q(board, nu)))
            return plus(board, named(board, "Q_%s", q(board, nu)),
                        expr_diff(board->pool, board->motion->U, board->motion->q[nu]));
    print_message("%s, %s: nothing says what %s is\n", board->model, form_name(board->form->kind),
                  line->of);
    fail();
    return (Expr){0};
}

static void check_line(Board *board, const FormLine *line)
{
    if (!expr_is_none(line->left))
        return;
    if (strncmp(line->by ? line->by : "", "ϑ", strlen("ϑ")) == 0)
        return; // Hamel's: along the displacements, see below
    if (!line->by && !line->rate && !line->brackets) {
        Expr again = defined(board, line);
        if (!expr_is_none(again))
            assert_same(board, again, line->value, line);
        if (strcmp(line->of, "S₀") == 0)
            check_acceleration_energy(board, line);
        if (strcmp(line->of, "E") == 0)
            check_cubic_form(board, line);
        learn_velocity(board, line);
        return;
    }
    Expr again = derivative_again(board, line, start_of(board, line));
    if (line->rate && !line->brackets && line->by)
        again = put_in(board, again);
    if (line->rate)
        again = total(board, again);
    assert_same(board, again, line->value, line);
}

#endif

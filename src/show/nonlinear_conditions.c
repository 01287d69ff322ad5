// nonlinear_conditions.c: what is to be said where conditions or speeds are not linear in the
// velocities: which virtual displacements are meant, whether the velocities were found as functions
// of the speeds, and whether the reactions do work (Appell 21–22, Hamel 247).
#include "show/conditions_impl.h"

#include "show/equation_text_impl.h"
#include "show/latex_impl.h"
#include "show/pretty_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"

#include <assert.h>

// A factor behind the sign that joins it to what stands before; whether that is a minus.
static bool add_term(const Show *show, Expr factor, bool sum, bool first, Text *out)
{
    ExprPool *pool = show->motion->pool;
    fmpq_t number;
    fmpq_init(number);
    expr_strip(pool, factor, number);
    bool minus = !sum && fmpq_sgn(number) < 0;
    fmpq_clear(number);
    const char *sign = show->latex ? "-" : "−";
    if (minus)
        factor = expr_neg(pool, factor);
    if (minus || !first)
        text_addf(out, first ? "%s" : " %s ", minus ? sign : "+");
    text_add(out, sum ? "(" : "");
    if (!expr_is_one(pool, factor))
        show_expr(show, factor, out);
    text_add(out, sum ? ")" : "");
    return minus;
}

// Σ (∂f/∂q'_ν)·δq_ν = 0
static void displacements(const Show *show, const MotionRow *row, Text *out)
{
    const Motion *motion = show->motion;
    bool first = true;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr b = show_short(show, row->d[nu]);
        if (expr_is_zero(motion->pool, b))
            continue;
        bool sum = expr_op(motion->pool, b) == EXPR_SUM, one = expr_is_one(motion->pool, b);
        bool minus = add_term(show, b, sum, first, out);
        one = one || (minus && expr_is_one(motion->pool, expr_neg(motion->pool, b)));
        text_add(out, show->latex ? (one ? "\\delta " : "\\,\\delta ") : (one ? "δ" : "·δ"));
        show_styled_name(show, motion->model->coords.at[nu].name, out);
        first = false;
    }
    text_add(out, " = 0");
}

const MotionRow *show_nonlinear_row(const Show *show, size_t index)
{
    const Motion *motion = show->motion;
    for (size_t i = 0; i < motion->m; i++)
        if (!motion->rows[i].linear && !motion->rows[i].servo &&
            !motion->rows[i].constraint->rated && index-- == 0)
            return &motion->rows[i];
    return NULL;
}

void show_nonlinear_displacements(const Show *show, const MotionRow *row, Text *out)
{
    assert(!row->linear);
    text_addf(out, "%s: ", row->constraint->name);
    displacements(show, row, out);
    text_add(out, "   (Gauss's)");
}

void show_nonlinear_work(const Show *show, const MotionRow *row, Text *out)
{
    assert(!row->linear);
    Expr power = motion_reaction_power(show->motion, row);
    text_addf(out, "%s: ", row->constraint->name);
    if (expr_is_zero(show->motion->pool, power)) {
        text_add(out, "its reaction does no work on the actual motion");
        return;
    }
    text_add(out, "its reaction does work, with the power ");
    show_expr(show, show_short(show, power), out);
}

const char *show_nonlinear_velocities(const Show *show)
{
    const Motion *motion = show->motion;
    bool curved = show_nonlinear_row(show, 0) != NULL;
    for (size_t i = 0; i < motion->k; i++)
        curved = curved || !motion->state.speeds[i].linear;
    if (!motion->curved || !curved)
        return NULL;
    return motion->state.closed
               ? "found in closed form; roots have the signs that the start has"
               : "not found in closed form: they stay in the equations, and a run finds them "
                 "numerically";
}

// ---- LaTeX.

void show_nonlinear_latex(const Show *show, Text *out)
{
    const MotionRow *row;
    if (!show_nonlinear_velocities(show))
        return;
    text_addf(out, "The velocities as functions of the speeds: %s.\n\n",
              show_nonlinear_velocities(show));
    for (size_t i = 0; (row = show_nonlinear_row(show, i)); i++) {
        Text line = {0};
        text_addf(out, "Virtual displacements for ");
        show_latex_escaped(row->constraint->name, out);
        text_add(out, ", which are Gauss's:\n");
        displacements(show, row, &line);
        show_latex_display(line.at, out);
        text_clear(&line);
        Expr power = motion_reaction_power(show->motion, row);
        if (expr_is_zero(show->motion->pool, power)) {
            text_add(out, "Its reaction does no work on the actual motion.\n\n");
            continue;
        }
        show_expr(show, show_short(show, power), &line);
        text_add(out, "Its reaction does work, with the power\n");
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

// ---- JSON.

void show_nonlinear_json(const Show *show, Text *out)
{
    Motion *motion = show->motion;
    const MotionRow *row;
    if (!motion->curved)
        return;
    text_addf(out, ",\"nonlinear\":{\"velocities\":\"%s\",\"conditions\":{",
              motion->state.closed ? "closed" : "numeric");
    for (size_t i = 0; (row = show_nonlinear_row(show, i)); i++) {
        text_add(out, i ? "," : "");
        show_json_string(row->constraint->name, out);
        text_add(out, ":{\"displacements\":\"gauss\",\"row\":{");
        for (size_t nu = 0; nu < motion->n; nu++) {
            text_add(out, nu ? "," : "");
            show_json_string(motion->model->coords.at[nu].name, out);
            text_add(out, ":");
            show_json_expr(show, row->d[nu], out);
        }
        text_add(out, "},\"power\":");
        show_json_expr(show, motion_reaction_power(motion, row), out);
        text_add(out, "}");
    }
    text_add(out, "}}");
}

// equation_text.c: one equation of a form, as text and LaTeX, and expressions in the model's own
// syntax.
#include "show/equation_text_impl.h"

#include "show/latex_impl.h"
#include "show/layout_impl.h"
#include "show/quantities_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>
#include <string.h>

size_t show_unknowns(const Show *show, const Form *form, Expr *unknowns)
{
    const Motion *motion = show->motion;
    size_t count = 0;
    if (form->unknowns.count > 0) {
        memcpy(unknowns, form->unknowns.at, form->unknowns.count * sizeof *unknowns);
        return form->unknowns.count;
    }
    for (size_t i = 0; i < motion->k && form->in_speeds; i++)
        unknowns[count++] = motion->state.speeds[i].rate;
    for (size_t i = 0; i < motion->n && !form->in_speeds; i++)
        unknowns[count++] = motion->a[i];
    for (size_t i = 0; i < motion->in_force_count; i++)
        unknowns[count++] = motion->in_force[i]->lambda;
    return count;
}

FormEquation show_rated(const Motion *motion, FormEquation equation)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->constraints.count && model->rated_count > 0; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        Expr none = expr_int(motion->pool, 0);
        if (!constraint->rated)
            continue;
        // Its reaction acts along the state alone.
        equation.left = expr_replace(motion->pool, equation.left, &constraint->lambda, &none, 1);
        equation.right = expr_replace(motion->pool, equation.right, &constraint->lambda, &none, 1);
        if (strcmp(model->coords.at[constraint->rated - 1].name, equation.label) == 0) {
            equation.left = constraint->left;
            equation.right = constraint->right;
        }
    }
    return equation;
}

void show_equation(const Show *show, const Form *form, const FormEquation *given, Text *left,
                   Text *right)
{
    const Motion *motion = show->motion;
    FormEquation own = show_rated(motion, *given), *equation = &own;
    assert(form && !expr_is_none(equation->left) && !expr_is_none(equation->right));
    Expr *unknowns = base_alloc((motion->n + motion->in_force_count + 1) * sizeof *unknowns);
    size_t count = show_unknowns(show, form, unknowns);
    show_collected(show, equation->left, unknowns, count, left);
    show_collected(show, equation->right, unknowns, count, right);
    base_free(unknowns);
}

void show_equation_text(const char *name, const char *left, const char *right, Text *out)
{
    Text label = {0};
    show_name(name, &label);
    size_t width = text_width(label.at, label.length);
    text_addf(out, "  %s:%*s", label.at, width < 4 ? (int)(5 - width) : 1, "");
    text_addf(out, "%s = %s\n", left, right);
    text_clear(&label);
}

// What an equation belongs to: a name, and perhaps a number behind it, "theta (11)".
static void add_label(const char *label, Text *out)
{
    Text name = {0};
    size_t length = strcspn(label, " ");
    text_add_str(&name, (Str){label, length});
    show_latex_name(name.at, out);
    text_addf(out, "%s%s%s\\colon\\quad ", label[length] ? "\\text{" : "", label + length,
              label[length] ? "}" : "");
    text_clear(&name);
}

void show_equation_latex(const Show *show, const Form *form, const FormEquation *equation,
                         const char *label, Text *out)
{
    assert(show->latex);
    Text line = {0}, left = {0}, right = {0};
    show_equation(show, form, equation, &left, &right);
    add_label(equation->label, &line);
    text_addf(&line, "%s = %s", left.at, right.at);
    if (label)
        show_latex_numbered(line.at, label, out);
    else
        show_latex_display(line.at, out);
    text_clear(&line);
    text_clear(&left);
    text_clear(&right);
}

// ---- Expressions in the model's own syntax.

void show_syntax(const Show *show, Expr e, Text *out)
{
    if (quantities_collect(show, e, show_tree_size(show, e), 1)) {
        text_add(out, "…");
        return;
    }
    quantities_replace(show, &e);
    expr_print(show->pool, e, out);
}

void show_json_expr(const Show *show, Expr e, Text *out)
{
    Text text = {0};
    show_syntax(show, show_short(show, e), &text);
    show_json_string(text.at, out);
    text_clear(&text);
}

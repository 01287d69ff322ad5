// derivation_latex.c: a derivation as a LaTeX document that compiles by itself.
#include "show/conditions_impl.h"
#include "show/derivation_impl.h"
#include "show/equation_text_impl.h"
#include "show/latex_impl.h"
#include "show/pretty_impl.h"
#include "show/quantities_impl.h"
#include "show/reaction_report_impl.h"
#include "show/report_passes_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"

#include <assert.h>
#include <string.h>

static void add_named(const Show *show, const char *name, Expr value, Text *out)
{
    Text line = {0};
    show_latex_name(name, &line);
    text_add(&line, " = ");
    show_expr(show, show_short_function(show, value), &line);
    show_latex_display(line.at, out);
    text_clear(&line);
}

static void add_head(const Model *model, Text *out)
{
    text_add(out,
             "\\documentclass[a4paper,fleqn]{article}\n"
             "\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
             "\\usepackage{amsmath}\n\\usepackage{graphicx}\n"
             "\\usepackage[margin=2.2cm]{geometry}\n"
             "\\setlength{\\parindent}{0pt}\n\\allowdisplaybreaks\n\\begin{document}\n\\section*{");
    show_latex_escaped(*model->title ? model->title : model->name, out);
    text_add(out, "}\n");
}

static void add_coordinates(const Motion *motion, Text *out)
{
    text_add(out, "Coordinates: ");
    for (size_t i = 0; i < motion->n; i++) {
        text_add(out, i ? ", $" : "$");
        show_latex_name(motion->model->coords.at[i].name, out);
        text_add(out, "$");
    }
    text_addf(out, ". Degrees of freedom: %zu.\n\n", motion->k);
}

static void add_conditions(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        Text line = {0};
        text_add(&line, "\\text{");
        show_latex_escaped(constraint->name, &line);
        text_add(&line, "}\\colon\\quad ");
        show_expr(show, show_short(show, constraint->left), &line);
        text_add(&line, constraint->kind != CONSTRAINT_ONE_SIDED ? " = "
                        : constraint->at_least                   ? " \\ge "
                                                                 : " \\le ");
        show_expr(show, show_short(show, constraint->right), &line);
        text_addf(&line, "\\quad\\text{(%s", show_condition_kind(show->motion, constraint));
        if (constraint->kind == CONSTRAINT_ONE_SIDED &&
            !expr_is_zero(show->pool, constraint->restitution)) {
            text_add(&line, "; restitution $");
            show_expr(show, constraint->restitution, &line);
            text_add(&line, "$");
        }
        text_add(&line, ")}");
        text_add(out, i ? "" : "Conditions:\n");
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

// Velocities that are speeds themselves, where there is something to choose.
static void add_independent(const Motion *motion, Text *out)
{
    bool first = true;
    for (size_t i = 0; i < motion->k && motion->m + motion->model->speeds.count > 0; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        if (speed->declared)
            continue;
        text_add(out, first ? "Independent velocities: $" : ", $");
        show_latex_name(speed->name, out);
        text_add(out, speed->chosen ? "$ (chosen by the program)" : "$");
        first = false;
    }
    text_add(out, first ? "" : ".\n\n");
}

static void add_speeds(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    bool orthonormal = show_are_orthonormal(show), first = true;
    for (size_t i = 0; i < motion->k; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        if (!speed->declared)
            continue;
        text_add(out, !first        ? ""
                      : orthonormal ? "Orthonormal speeds (Hamel 236):\n"
                                    : "Speeds:\n");
        add_named(show, speed->name, speed->value, out);
        first = false;
    }
    add_independent(motion, out);
    if (!orthonormal)
        return;
    Text line = {0};
    show_orthonormal(show, &line);
    show_latex_display(line.at, out);
    text_clear(&line);
}

static void add_velocities(const Show *show, Text *out)
{
    Motion *motion = show->motion;
    bool first = true;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr velocity = motion_in_speeds(motion, motion->v[nu]);
        if (expr_same(velocity, motion->v[nu]))
            continue;
        text_add(out, first ? "The velocities in the independent speeds:\n" : "");
        add_named(show, expr_name(motion->pool, motion->v[nu]), velocity, out);
        first = false;
    }
}

// The classical mistake, each equation with what it lacks.
static void add_naive(const Show *show, const Form *form, Text *out)
{
    for (size_t i = 0; i < form->equations.count; i++) {
        FormEquation wrong = form->equations.at[i];
        if (expr_is_none(wrong.naive))
            return;
        Expr missing = show_short(show, expr_sub(show->motion->pool, wrong.right, wrong.naive));
        text_add(out, i ? ""
                        : "The common mistake: the conditions put into $T$ too early, $R$ "
                          "left out (Quanjel no. 10, Hamel 229 and 240):\n");
        wrong.right = wrong.naive;
        show_equation_latex(show, form, &wrong, out);
        if (expr_is_zero(show->pool, missing)) {
            text_add(out, "This one is right: nothing is missing.\n");
            continue;
        }
        Text line = {0};
        show_expr(show, missing, &line);
        text_add(out, "This one is wrong. The right side lacks\n");
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

static void add_notes(const Form *form, Text *out)
{
    for (size_t i = 0; i < form->notes.count; i++) {
        text_add(out, "(");
        show_latex_escaped(form->notes.at[i], out);
        text_add(out, ")\n\n");
    }
}

// The functions and equations of a form, or the steps that lead to them.
static void add_result(const Show *show, const Form *form, WrittenSteps *written, Text *out)
{
    // The last of its steps is the equations.
    show_steps_latex(show, form, written, out);
    bool result = form->steps.count == 0;
    for (size_t i = 0; i < form->functions.count && result; i++)
        add_named(show, form->functions.at[i].name, form->functions.at[i].value, out);
    for (size_t i = 0; i < form->equations.count && result; i++)
        show_equation_latex(show, form, &form->equations.at[i], out);
}

static void add_percussions(const Show *show, const Form *form, WrittenSteps *written, Text *out)
{
    for (size_t i = 0; i < form->percussions.count; i++) {
        const Form *percussion = form->percussions.at[i];
        Text line = {0};
        text_add(&line, "t = ");
        show_expr(show, percussion->when, &line);
        text_add(out, "At the percussion (Appell 23),\n");
        show_latex_display(line.at, out);
        text_clear(&line);
        add_result(show, percussion, written, out);
        for (size_t j = 0; j < percussion->jumps.count && percussion->steps.count == 0; j++) {
            text_add(out, j ? "" : "so that\n");
            add_named(show, percussion->jumps.at[j].name, percussion->jumps.at[j].value, out);
        }
        add_notes(percussion, out);
    }
}

static void add_form(const Show *show, const Form *form, bool naive, WrittenSteps *written,
                     Text *out)
{
    if (form->reason) {
        text_add(out, "Does not apply: ");
        show_latex_escaped(form->reason, out);
        text_add(out, ".\n");
        return;
    }
    add_result(show, form, written, out);
    if (form->kind == FORM_MULTIPLIERS)
        show_reactions_latex(show, form, out);
    add_notes(form, out);
    if (naive)
        add_naive(show, form, out);
    show_least_action_latex(show, form, out);
    add_percussions(show, form, written, out);
}

// A section behind the definitions of the quantities that it uses.
static void add_section(const Show *show, Text *section, Text *out)
{
    ShowQuantity quantity;
    for (bool first = true; quantities_next(show, &quantity); first = false) {
        Text line = {0};
        text_add(out, first ? "With the quantities:\n" : "");
        show_definition(show, &quantity, &line);
        show_latex_display(line.at, out);
        text_clear(&line);
    }
    text_add(out, section->at ? section->at : "");
    text_clear(section);
}

static void latex_report(const Show *show, const ReportForms *about, Text *out)
{
    Text section = {0};
    WrittenSteps written = {0};
    add_head(show->motion->model, out);
    add_coordinates(show->motion, out);
    add_conditions(show, &section);
    add_speeds(show, &section);
    add_velocities(show, &section);
    show_nonlinear_latex(show, &section);
    add_section(show, &section, out);
    for (size_t i = 0; i < about->count; i++) {
        add_form(show, about->forms[i], about->naive, &written, &section);
        text_add(out, "\\subsection*{");
        show_latex_escaped(form_title(about->forms[i]->kind), out);
        text_add(out, "}\n");
        add_section(show, &section, out);
    }
    if (show->reactions_by) {
        show_reactions_latex(show, show->reactions_by, &section);
        text_add(out, "\\subsection*{Multipliers and reactions}\n");
        add_section(show, &section, out);
    }
    text_add(out, "\\end{document}\n");
    written_steps_clear(&written);
}

void show_derivation_latex(Show *show, Form *const *forms, size_t count, bool naive, Text *out)
{
    ReportForms about = {forms, count, naive};
    show->latex = true;
    show_report_write(show, latex_report, &about, false, out);
    show->latex = false;
}

void show_latex_append(const char *title, const char *words, Text *document)
{
    assert(title && words && document);
    static const char end[] = "\\end{document}\n";
    size_t ending = sizeof end - 1;
    if (document->length < ending || strcmp(document->at + document->length - ending, end) != 0)
        return;
    document->length -= ending;
    text_addf(document, "\\section*{%s}\n\\begin{itemize}\n\\raggedright\n", title);
    // The first line is the system's title.
    words += strcspn(words, "\n");
    words += *words == '\n';
    while (*words) {
        Text line = {0};
        size_t length = strcspn(words, "\n"), inner = strspn(words, " ");
        text_add_str(&line, (Str){words + inner, length - inner});
        text_add(document, inner ? "\\\\\\hspace*{1em}" : "\\item ");
        show_latex_escaped(line.at ? line.at : "", document);
        text_add(document, "\n");
        text_clear(&line);
        words += length + (words[length] == '\n');
    }
    text_add(document, "\\end{itemize}\n");
    text_add(document, end);
}

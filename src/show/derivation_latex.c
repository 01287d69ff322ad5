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

// What is for paper alone stands between these; a page on a screen has its own contents.
static const char paper_begin[] = "%<paper>\n", paper_end[] = "%</paper>\n";

static void add_head(const Model *model, Text *out)
{
    text_add(out, "\\documentclass[a4paper,fleqn]{article}\n"
                  "\\IfFileExists{cmap.sty}{\\usepackage{cmap}}{} % text that can be copied\n"
                  "\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
                  "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
                  "\\usepackage{amsmath}\n\\usepackage{graphicx}\n"
                  "\\usepackage[margin=2.2cm]{geometry}\n"
                  "\\newcommand{\\numberthis}{\\addtocounter{equation}{1}\\tag{\\theequation}}\n"
                  "\\setlength{\\parindent}{0pt}\n\\setlength{\\emergencystretch}{8em}\n"
                  "\\allowdisplaybreaks\n\\begin{document}\n\\section*{");
    show_latex_escaped(*model->title ? model->title : model->name, out);
    text_add(out, "}\n");
}

// ---- For paper: contents, where each form's equations are, parameters.

static void add_section_title(const char *title, Text *out)
{
    text_add(out, "\\subsection*{");
    show_latex_escaped(title, out);
    text_addf(out, "}\n%s\\addcontentsline{toc}{subsection}{", paper_begin);
    show_latex_escaped(title, out);
    text_addf(out, "}\n%s", paper_end);
}

static void add_equation_label(const Form *form, size_t index, Text *out)
{
    text_addf(out, "eq:%s:%zu", form_name(form->kind), index + 1);
}

static bool has_labels(const Form *form)
{
    return !form->reason && form->steps.count == 0 && form->equations.count > 0;
}

// Which numbers the equations of each form have.
static void add_references(const ReportForms *about, Text *out)
{
    bool first = true;
    for (size_t i = 0; i < about->count; i++) {
        const Form *form = about->forms[i];
        if (!has_labels(form))
            continue;
        text_addf(out, "%s%s (\\ref{", first ? "The equations of motion: " : ", ",
                  form_name(form->kind));
        add_equation_label(form, 0, out);
        if (form->equations.count > 1) {
            text_add(out, "})--(\\ref{");
            add_equation_label(form, form->equations.count - 1, out);
        }
        text_add(out, "})");
        first = false;
    }
    text_add(out, first ? "" : ".\n\n");
}

enum { PARAMETERS_A_LINE = 3 };

static void add_parameters(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    size_t count = model->params.count;
    if (count == 0)
        return;
    Diag *unheard = diag_new();
    double *values = base_alloc(count * sizeof *values);
    bool known = model_param_values(model, unheard, values) == STATUS_OK;
    diag_free(unheard);
    text_add(out, "Parameters:\\par\\smallskip\n\\begin{tabular}"
                  "{r@{ }l@{\\qquad}r@{ }l@{\\qquad}r@{ }l}\n");
    for (size_t i = 0; i < count; i++) {
        const ModelParam *param = &model->params.at[i];
        text_add(out, "$");
        show_latex_name(param->name, out);
        text_add(out, expr_is_none(param->value) ? "$ & not given" : "$ & $= ");
        bool number = known && expr_op(show->pool, param->value) == EXPR_NUMBER;
        if (number)
            text_addf(out, "%.10g$", values[i]);
        else if (!expr_is_none(param->value))
            show_expr(show, param->value, out), text_add(out, "$");
        bool ends = i + 1 == count || (i + 1) % PARAMETERS_A_LINE == 0;
        text_add(out, ends ? "\\\\\n" : " & ");
    }
    text_add(out, "\\end{tabular}\\par\\medskip\n");
    base_free(values);
}

static void add_for_paper(const Show *show, const ReportForms *about, Text *out)
{
    text_add(out, paper_begin);
    if (about->count > 1) {
        text_add(out, "\\tableofcontents\n\\bigskip\n");
        add_references(about, out);
    }
    add_parameters(show, out);
    text_add(out, paper_end);
}

void show_latex_for_screen(char *document)
{
    char *to = document;
    for (const char *at = document; *at;) {
        const char *end =
            strncmp(at, paper_begin, strlen(paper_begin)) == 0 ? strstr(at, paper_end) : NULL;
        if (end) {
            at = end + strlen(paper_end);
        } else if (strncmp(at, "\\numberthis", strlen("\\numberthis")) == 0) {
            at += strlen("\\numberthis");
            if (strncmp(at, "\\label{", strlen("\\label{")) == 0)
                at = strchr(at, '}') + 1;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

void show_latex_for_paper(const char *what, Text *document)
{
    const char *begin = strstr(document->at, paper_begin);
    assert(begin);
    Text whole = {0};
    text_add_str(&whole, (Str){document->at, (size_t)(begin - document->at) + strlen(paper_begin)});
    text_add(&whole, what);
    text_add(&whole, begin + strlen(paper_begin));
    text_clear(document);
    *document = whole;
}

static void add_coordinates(const Motion *motion, Text *out)
{
    text_add(out, "Coordinates: ");
    for (size_t i = 0; i + motion->model->rated_count < motion->n; i++) {
        text_add(out, i ? ", $" : "$");
        show_latex_name(motion->model->coords.at[i].name, out);
        text_add(out, "$");
    }
    text_addf(out, ". Degrees of freedom: %zu.\n\n", motion->k);
}

static void add_condition(const Show *show, const ModelConstraint *constraint, Text *line)
{
    if (!constraint->rated) {
        text_add(line, "\\text{");
        show_latex_escaped(constraint->name, line);
        text_add(line, "}\\colon\\quad ");
    }
    show_expr(show, show_short(show, constraint->left), line);
    text_add(line, constraint->kind != CONSTRAINT_ONE_SIDED ? " = "
                   : constraint->at_least                   ? " \\ge "
                                                            : " \\le ");
    show_expr(show, show_short(show, constraint->right), line);
    if (constraint->rated)
        return;
    text_addf(line, "\\quad\\text{(%s", show_condition_kind(show->motion, constraint));
    if (constraint->kind == CONSTRAINT_ONE_SIDED &&
        !expr_is_zero(show->pool, constraint->restitution)) {
        text_add(line, "; restitution $");
        show_expr(show, constraint->restitution, line);
        text_add(line, "$");
    }
    if (!model_acts(show->motion->model, constraint->waits))
        text_add(line, "; it does not hold here");
    text_add(line, ")}");
}

// The rates of states, or what else holds.
static void add_conditions(const Show *show, bool rated, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    for (size_t i = 0; i < model->constraints.count; i++) {
        if ((model->constraints.at[i].rated > 0) != rated)
            continue;
        Text line = {0};
        add_condition(show, &model->constraints.at[i], &line);
        text_add(out, !first ? "" : rated ? "States:\n" : "Conditions:\n");
        show_latex_display(line.at, out);
        text_clear(&line);
        first = false;
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
        show_equation_latex(show, form, &wrong, NULL, out);
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

// A function that a form before has shown is not shown again.
static void add_once(const Show *show, const FormFunction *function, WrittenSteps *written,
                     Text *out)
{
    Text line = {0};
    add_named(show, function->name, function->value, &line);
    for (size_t i = 0; i < written->count && show->report->pass == PASS_WRITE; i++)
        if (strcmp(written->at[i].body, line.at) == 0) {
            text_clear(&line);
            return;
        }
    // Without its display, which may be shared with others.
    Text equation = {0};
    show_latex_name(function->name, &equation);
    text_add(&equation, " = ");
    show_expr(show, show_short_function(show, function->value), &equation);
    show_latex_display(equation.at, out);
    text_clear(&equation);
    array_push(written, ((WrittenStep){.body = line.at}));
}

// The functions and equations of a form, or the steps that lead to them.
static void add_result(const Show *show, const Form *form, WrittenSteps *written, Text *out)
{
    // The last of its steps is the equations.
    show_steps_latex(show, form, written, out);
    bool result = form->steps.count == 0;
    for (size_t i = 0; i < form->functions.count && result; i++)
        add_once(show, &form->functions.at[i], written, out);
    for (size_t i = 0; i < form->equations.count && result; i++) {
        Text label = {0};
        add_equation_label(form, i, &label);
        // Of a percussion they have numbers alone.
        bool named = expr_is_none(form->when);
        show_equation_latex(show, form, &form->equations.at[i], named ? label.at : "", out);
        text_clear(&label);
    }
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

// A section, then the definitions of the quantities that it uses.
static void add_section(const Show *show, Text *section, Text *out)
{
    ShowQuantity quantity;
    text_add(out, section->at ? section->at : "");
    text_clear(section);
    for (bool first = true; quantities_next(show, &quantity); first = false) {
        Text line = {0};
        text_add(out, first ? "Here the following quantities stand for:\n" : "");
        show_definition(show, &quantity, &line);
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

static void latex_report(const Show *show, const ReportForms *about, Text *out)
{
    Text section = {0};
    WrittenSteps written = {0};
    add_head(show->motion->model, out);
    add_for_paper(show, about, out);
    add_coordinates(show->motion, out);
    add_conditions(show, true, &section);
    add_conditions(show, false, &section);
    add_speeds(show, &section);
    add_velocities(show, &section);
    show_nonlinear_latex(show, &section);
    // What is long is named late: the quantities of this part follow the first form.
    text_add(out, section.at ? section.at : "");
    text_clear(&section);
    for (size_t i = 0; i < about->count; i++) {
        add_form(show, about->forms[i], about->naive, &written, &section);
        add_section_title(form_title(about->forms[i]->kind), out);
        add_section(show, &section, out);
    }
    if (show->reactions_by) {
        show_reactions_latex(show, show->reactions_by, &section);
        add_section_title("Multipliers and reactions", out);
        add_section(show, &section, out);
    }
    add_section(show, &section, out);
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

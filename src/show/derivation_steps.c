// derivation_steps.c: a derivation as a person would write it out: a sentence, where the source
// says it, the general formula, and what it gives here; as text, LaTeX and JSON.
#include "show/derivation_impl.h"

#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/latex_impl.h"
#include "show/layout_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"

#include <assert.h>
#include <string.h>

enum { STEP_INDENT = 5, LINE_INDENT = 9 };

static const FormLine *line_of(const Form *form, const FormStep *step, size_t index)
{
    return &form->lines.at[step->first + index];
}

static bool is_equation(const FormLine *line)
{
    return !expr_is_none(line->left);
}

// ---- The left side of a line: T⁺, ∂T⁺/∂θ′, d/dt ∂T⁺/∂θ′, [∂T/∂x′].

static void term_text(const FormLine *line, void (*name)(const char *, Text *), Text *out)
{
    text_add(out, line->brackets ? "[" : "");
    text_add(out, line->rate ? "d/dt " : "");
    text_add(out, line->by ? "∂" : "");
    name(line->of, out);
    if (line->by) {
        text_add(out, "/∂");
        name(line->by, out);
    }
    text_add(out, line->brackets ? "]" : "");
}

static void term_latex(const FormLine *line, Text *out)
{
    text_add(out, line->brackets ? "\\left[" : "");
    text_add(out, line->rate ? "\\frac{d}{dt}" : "");
    text_add(out, line->by ? "\\frac{\\partial " : "");
    show_latex_name(line->of, out);
    if (line->by) {
        text_add(out, "}{\\partial ");
        show_latex_name(line->by, out);
        text_add(out, "}");
    }
    text_add(out, line->brackets ? "\\right]" : "");
}

static void add_plain(const char *name, Text *out)
{
    text_add(out, name);
}

// ---- Values. What holds accelerations is collected by them.

static void value_of(const Show *show, const Form *form, const FormLine *line, Text *out)
{
    const Motion *motion = show->motion;
    Expr *unknowns = base_alloc((motion->n + motion->in_force_count + 1) * sizeof *unknowns);
    size_t count = show_unknowns(show, form, unknowns);
    if (line->as_it_is)
        show_expr(show, line->value, out);
    else if (expr_holds_any(show->pool, line->value, unknowns, count))
        show_collected(show, line->value, unknowns, count, out);
    else
        show_expr(show, show_short_function(show, line->value), out);
    base_free(unknowns);
}

// "left = value", with the sides as this form's equations have them.
static void line_written(const Show *show, const Form *form, const FormLine *line, Text *out)
{
    if (!is_equation(line)) {
        if (show->latex)
            term_latex(line, out);
        else
            term_text(line, show_name, out);
        text_add(out, " = ");
        value_of(show, form, line, out);
        return;
    }
    FormEquation equation = {
        .label = line->of ? line->of : "", .left = line->left, .right = line->value};
    Text right = {0};
    show_equation(show, form, &equation, out, &right);
    const char *relation = !line->at_most ? "=" : show->latex ? "\\le" : "≤";
    text_addf(out, " %s %s", relation, right.at);
    text_clear(&right);
}

// ---- Text.

static void step_text(const Show *show, const Form *form, size_t index, Text *out)
{
    const FormStep *step = &form->steps.at[index];
    const char *source = form_step_source(step->kind);
    const char *formula = form_step_formula(step->kind, false);
    text_addf(out, "\n  %zu. ", index + 1);
    text_addf(out, source ? "%s (%s)\n" : "%s\n", form_step_words(step->kind), source);
    if (formula) {
        text_addf(out, "%*s", STEP_INDENT, "");
        show_line(formula, out);
    }
    for (size_t i = 0; i < step->count; i++) {
        const FormLine *line = line_of(form, step, i);
        Text written = {0};
        if (is_equation(line) && line->of) {
            show_name(line->of, &written);
            text_add(&written, ": ");
        }
        line_written(show, form, line, &written);
        text_addf(out, "%*s", STEP_INDENT + 2, "");
        show_line(written.at, out);
        text_clear(&written);
    }
    if (step->count == 0)
        text_addf(out, "%*snone\n", STEP_INDENT + 2, "");
}

void show_steps_text(const Show *show, const Form *form, Text *out)
{
    for (size_t i = 0; i < form->steps.count; i++)
        step_text(show, form, i, out);
}

// ---- LaTeX.

// A step that is longer than this is not written out twice.
enum { WORTH_NAMING = 240 };

// What a step comes to: its rule and its lines.
static void step_body(const Show *show, const Form *form, const FormStep *step, Text *out)
{
    const char *formula = form_step_formula(step->kind, true);
    if (formula)
        show_latex_display(formula, out);
    for (size_t i = 0; i < step->count; i++) {
        Text line = {0};
        const FormLine *own = line_of(form, step, i);
        line_written(show, form, own, &line);
        if (is_equation(own))
            show_latex_numbered(line.at, "", out);
        else
            show_latex_display(line.at, out);
        text_clear(&line);
    }
    if (step->count == 0)
        text_add(out, "\\quad none\n\n");
}

// The step of a form before this one that says the same; NULL where there is none.
static const WrittenStep *find_written(const WrittenSteps *written, const Form *form,
                                       const char *body)
{
    for (size_t i = 0; i < written->count; i++)
        if (written->at[i].form && written->at[i].form != form &&
            strcmp(written->at[i].body, body) == 0)
            return &written->at[i];
    return NULL;
}

static void step_latex(const Show *show, const Form *form, size_t index, WrittenSteps *written,
                       Text *out)
{
    const FormStep *step = &form->steps.at[index];
    const char *source = form_step_source(step->kind);
    Text body = {0};
    text_addf(out, "\\paragraph{%zu.} ", index + 1);
    show_latex_escaped(form_step_words(step->kind), out);
    if (source) {
        text_add(out, " (");
        show_latex_escaped(source, out);
        text_add(out, ")");
    }
    text_add(out, "\n");
    step_body(show, form, step, &body);
    const WrittenStep *same = find_written(written, form, body.at);
    if (same && body.length > WORTH_NAMING) {
        text_add(out, "This is as in ``");
        show_latex_escaped(form_title(same->form->kind), out);
        text_addf(out, "\'\', step %zu.\n\n", same->step + 1);
        text_clear(&body);
        return;
    }
    text_add(out, body.at);
    array_push(written, ((WrittenStep){form, index, body.at}));
}

void written_steps_clear(WrittenSteps *written)
{
    for (size_t i = 0; i < written->count; i++)
        base_free(written->at[i].body);
    array_clear(written);
}

void show_steps_latex(const Show *show, const Form *form, WrittenSteps *written, Text *out)
{
    assert(show->latex && written);
    for (size_t i = 0; i < form->steps.count; i++)
        step_latex(show, form, i, written, out);
}

// ---- JSON.

static void json_text(const char *key, const char *text, Text *out)
{
    text_addf(out, "\"%s\":", key);
    show_json_string_or_null(text, out);
}

static void line_json(const Show *show, const FormLine *line, Text *out)
{
    text_add(out, "{");
    if (is_equation(line)) {
        json_text("for", line->of, out);
        text_add(out, ",\"left\":");
        show_json_expr(show, line->left, out);
    } else {
        Text term = {0};
        term_text(line, add_plain, &term);
        json_text("left", term.at, out);
        text_clear(&term);
    }
    text_add(out, ",\"right\":");
    show_json_expr(show, line->value, out);
    text_add(out, line->at_most ? ",\"relation\":\"<=\"}" : "}");
}

void show_steps_json(const Show *show, const Form *form, Text *out)
{
    if (form->steps.count == 0)
        return;
    text_add(out, ",\"steps\":[");
    for (size_t i = 0; i < form->steps.count; i++) {
        const FormStep *step = &form->steps.at[i];
        text_add(out, i ? ",{" : "{");
        json_text("words", form_step_words(step->kind), out);
        text_add(out, ",");
        json_text("source", form_step_source(step->kind), out);
        text_add(out, ",");
        json_text("formula", form_step_formula(step->kind, false), out);
        text_add(out, ",\"equations\":[");
        for (size_t j = 0; j < step->count; j++) {
            text_add(out, j ? "," : "");
            line_json(show, line_of(form, step, j), out);
        }
        text_add(out, "]}");
    }
    text_add(out, "]");
}

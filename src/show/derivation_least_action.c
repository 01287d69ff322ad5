// derivation_least_action.c: least action done wrong, two ways, beside Hamel's equations; and the
// principle in all its readings (Hamel 245, 246; Tzénoff (23), (24)).
#include "show/derivation_impl.h"

#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/latex_impl.h"
#include "show/layout_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"

typedef struct {
    const char *text, *latex; // what was done, in words
    bool wrong;               // it claims to be the motion
} Mistake;

static const Mistake naive = {
    "The common mistake: ∫(T⁺ − U)dt stationary, the sum Σ P_μ β_μ ω δϑ over the conditions left "
    "out (Hamel 246 has it)",
    "The common mistake: $\\int(T^{+}-U)\\,dt$ stationary, the sum "
    "$\\sum P_\\mu\\beta_\\mu\\omega\\,\\delta\\vartheta$ over the conditions left out (Hamel "
    "246 has it):\n",
    true};
static const Mistake obeying = {
    "Another problem: ∫(T − U)dt stationary among the neighbouring paths that obey the "
    "conditions, with multipliers μ(t)",
    "Another problem: $\\int(T-U)\\,dt$ stationary among the neighbouring paths that obey the "
    "conditions, with multipliers $\\mu(t)$:\n",
    false};

// What the right side has too much.
static Expr excess(const Show *show, const FormEquation *equation, Expr right)
{
    ExprPool *pool = show->motion->pool;
    return show_short(show, expr_sub(pool, right, equation->right));
}

static void mistake_text(const Show *show, const Form *form, const Mistake *mistake,
                         const Expr *rights, Text *out)
{
    text_addf(out, "\n  %s\n", mistake->text);
    for (size_t i = 0; i < form->equations.count; i++) {
        FormEquation other = form->equations.at[i];
        Expr more = excess(show, &other, rights[i]);
        Text left = {0}, right = {0};
        other.right = rights[i];
        show_equation(show, form, &other, &left, &right);
        if (expr_is_zero(show->pool, more)) {
            text_add(&right, "   (right: nothing is different)");
        } else {
            text_add(&right, mistake->wrong ? "   (wrong: the right side has too much: "
                                            : "   (another motion: the right side has besides: ");
            show_expr(show, more, &right);
            text_add(&right, ")");
        }
        show_equation_text(other.label, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
}

// What is to be known of one multiplier, as an equation.
static FormEquation growth_of(const Show *show, const FormLeastAction *action, size_t i)
{
    return (FormEquation){.label = expr_name(show->pool, action->multipliers[i]),
                          .left = action->rates[i],
                          .right = action->growth[i]};
}

// ---- The readings.

static const char *reading_verdict(const FormReading *reading)
{
    if (reading->is_motion == ANSWER_NO)
        return "this is not the motion";
    if (reading->is_motion == ANSWER_UNKNOWN)
        return "it is not decided whether this is the motion";
    return reading->proof == PROOF_EXACT     ? "this is the motion: proved exactly"
           : reading->proof == PROOF_MODULAR ? "this is the motion: proved in a prime field"
                                             : "this is the motion to 1e-12 at random states";
}

static void reading_text(const Show *show, const FormReading *reading, size_t number, Text *out)
{
    Text line = {0};
    text_addf(&line, "%zu. %s   (%s)", number, form_reading_integral(reading->kind, false),
              form_reading_source(reading->kind));
    text_add(out, "\n  ");
    show_line(line.at, out);
    text_clear(&line);
    text_add(out, "     ");
    show_line(form_reading_rule(reading->kind), out);
    for (size_t i = 0; i < reading->form->equations.count; i++) {
        const FormEquation *equation = &reading->form->equations.at[i];
        Text left = {0}, right = {0};
        show_equation(show, reading->form, equation, &left, &right);
        show_equation_text(equation->label, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
    text_addf(out, "     %s\n", reading_verdict(reading));
}

static void readings_text(const Show *show, const Form *form, Text *out)
{
    text_add(out, "\n  The principle in its readings; U is the potential energy, and the work of "
                  "other forces is added\n");
    for (size_t i = 0; i < form->readings.count; i++)
        reading_text(show, &form->readings.at[i], i + 1, out);
}

static void readings_latex(const Show *show, const Form *form, Text *out)
{
    text_add(out, "The principle in its readings; $U$ is the potential energy, and the work of "
                  "other forces is added.\n");
    for (size_t i = 0; i < form->readings.count; i++) {
        const FormReading *reading = &form->readings.at[i];
        text_addf(out, "\\paragraph{Reading %zu} (", i + 1);
        show_latex_escaped(form_reading_source(reading->kind), out);
        text_add(out, ")\n");
        show_latex_display(form_reading_integral(reading->kind, true), out);
        show_latex_escaped(form_reading_rule(reading->kind), out);
        text_add(out, "\n");
        for (size_t j = 0; j < reading->form->equations.count; j++)
            show_equation_latex(show, reading->form, &reading->form->equations.at[j], NULL, out);
        show_latex_escaped(reading_verdict(reading), out);
        text_add(out, ".\n");
    }
}

static void readings_json(const Show *show, const Form *form, Text *out)
{
    text_add(out, form->readings.count ? ",\"readings\":[" : "");
    for (size_t i = 0; i < form->readings.count; i++) {
        const FormReading *reading = &form->readings.at[i];
        text_add(out, i ? ",{\"source\":" : "{\"source\":");
        show_json_string(form_reading_source(reading->kind), out);
        text_add(out, ",\"integral\":");
        show_json_string(form_reading_integral(reading->kind, false), out);
        text_add(out, ",\"rule\":");
        show_json_string(form_reading_rule(reading->kind), out);
        text_add(out, ",\"equations\":[");
        for (size_t j = 0; j < reading->form->equations.count; j++) {
            const FormEquation *equation = &reading->form->equations.at[j];
            text_add(out, j ? ",{\"for\":" : "{\"for\":");
            show_json_string(equation->label, out);
            text_add(out, ",\"left\":");
            show_json_expr(show, equation->left, out);
            text_add(out, ",\"right\":");
            show_json_expr(show, equation->right, out);
            text_add(out, "}");
        }
        text_addf(out, "],\"is_motion\":%s,\"proof\":\"%s\"}", show_json_answer(reading->is_motion),
                  show_proof_name(reading->proof));
    }
    text_add(out, form->readings.count ? "]" : "");
}

void show_least_action_text(const Show *show, const Form *form, Text *out)
{
    const FormLeastAction *action = form->least_action;
    if (!action)
        return;
    if (form->readings.count > 0) {
        readings_text(show, form, out);
    } else {
        mistake_text(show, form, &naive, action->naive, out);
        mistake_text(show, form, &obeying, action->obeying, out);
    }
    for (size_t i = 0; i < show->motion->m; i++) {
        FormEquation growth = growth_of(show, action, i);
        Text left = {0}, right = {0};
        show_equation(show, form, &growth, &left, &right);
        show_equation_text(growth.label, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
}

static void mistake_latex(const Show *show, const Form *form, const Mistake *mistake,
                          const Expr *rights, Text *out)
{
    text_add(out, mistake->latex);
    for (size_t i = 0; i < form->equations.count; i++) {
        FormEquation other = form->equations.at[i];
        other.right = rights[i];
        show_equation_latex(show, form, &other, NULL, out);
        Expr more = excess(show, &form->equations.at[i], rights[i]);
        if (expr_is_zero(show->pool, more)) {
            text_add(out, "Nothing is different in this one.\n");
            continue;
        }
        text_add(out, mistake->wrong ? "The right side has too much:\n"
                                     : "The right side has besides:\n");
        Text line = {0};
        show_expr(show, more, &line);
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

void show_least_action_latex(const Show *show, const Form *form, Text *out)
{
    const FormLeastAction *action = form->least_action;
    if (!action)
        return;
    if (form->readings.count > 0) {
        readings_latex(show, form, out);
    } else {
        mistake_latex(show, form, &naive, action->naive, out);
        mistake_latex(show, form, &obeying, action->obeying, out);
    }
    for (size_t i = 0; i < show->motion->m; i++) {
        FormEquation growth = growth_of(show, action, i);
        show_equation_latex(show, form, &growth, NULL, out);
    }
}

static void json_sides(const Show *show, const char *key, const Form *form, const Expr *rights,
                       Text *out)
{
    text_addf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < form->equations.count; i++) {
        text_add(out, i ? ",{\"for\":" : "{\"for\":");
        show_json_string(form->equations.at[i].label, out);
        text_add(out, ",\"right\":");
        show_json_expr(show, rights[i], out);
        text_add(out, ",\"difference\":");
        show_json_expr(show, excess(show, &form->equations.at[i], rights[i]), out);
        text_add(out, "}");
    }
    text_add(out, "]");
}

// Members of the form's own object, the first comma included.
void show_least_action_json(const Show *show, const Form *form, Text *out)
{
    const FormLeastAction *action = form->least_action;
    if (!action)
        return;
    json_sides(show, "naive", form, action->naive, out);
    json_sides(show, "obeying", form, action->obeying, out);
    text_add(out, ",\"multiplier_rates\":{");
    for (size_t i = 0; i < show->motion->m; i++) {
        text_add(out, i ? "," : "");
        show_json_string(expr_name(show->pool, action->multipliers[i]), out);
        text_add(out, ":");
        show_json_expr(show, action->growth[i], out);
    }
    text_add(out, "}");
    readings_json(show, form, out);
}

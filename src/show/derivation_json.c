// derivation_json.c: the equations of motion as JSON. Expressions are strings in the model's own
// syntax.
#include "show/conditions_impl.h"
#include "show/derivation_impl.h"
#include "show/equation_text_impl.h"
#include "show/event_list_impl.h"
#include "show/json_impl.h"
#include "show/quantities_impl.h"
#include "show/reaction_report_impl.h"
#include "show/report_passes_impl.h"
#include "show/show_impl.h"

static void json_quantities(const Show *show, Text *out)
{
    text_add(out, "\"quantities\":[");
    for (size_t i = 0; i < quantities_count(show); i++) {
        ShowQuantity quantity = quantities_at(show, i);
        Text value = {0};
        expr_print(show->pool, quantity.value, &value);
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(expr_name(show->pool, quantity.symbol), out);
        text_add(out, ",\"value\":");
        show_json_string(value.at, out);
        text_add(out, "}");
        text_clear(&value);
    }
    text_add(out, "]");
}

// In what the numbers of a run are.
static void json_units(const Model *model, Text *out)
{
    bool first = true;
    for (size_t i = 0; i < model->coords.count; i++) {
        show_json_unit(model, model->coords.at[i].name, &first, out);
        show_json_unit(model, expr_name(model->pool, model->coords.at[i].v), &first, out);
    }
    for (size_t i = 0; i < model->speeds.count; i++)
        show_json_unit(model, model->speeds.at[i].name, &first, out);
    for (size_t i = 0; i < model->params.count; i++)
        show_json_unit(model, model->params.at[i].name, &first, out);
    for (size_t i = 0; i < model->outputs.count; i++)
        show_json_unit(model, model->outputs.at[i].name, &first, out);
    show_json_unit(model, "t", &first, out);
    show_json_unit(model, "energy", &first, out);
    text_add(out, first ? "" : "}");
}

static void json_names(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    const Model *model = motion->model;
    text_add(out, "\"coordinates\":[");
    for (size_t i = 0; i + model->rated_count < model->coords.count; i++) {
        text_add(out, i ? "," : "");
        show_json_string(model->coords.at[i].name, out);
    }
    text_add(out, "],\"speeds\":[");
    for (size_t i = 0; i < motion->k && show_are_orthonormal(show); i++) {
        text_add(out, i ? "," : "");
        show_json_string(motion->state.speeds[i].name, out);
    }
    for (size_t i = 0; i < model->speeds.count && !show_are_orthonormal(show); i++) {
        text_add(out, i ? "," : "");
        show_json_string(model->speeds.at[i].name, out);
    }
    text_add(out, "],\"independent\":[");
    for (size_t i = 0; i < motion->k; i++) {
        text_add(out, i ? "," : "");
        show_json_string(motion->state.speeds[i].name, out);
    }
    text_add(out, "]");
    if (show_are_orthonormal(show)) {
        text_add(out, ",\"orthonormal\":{");
        for (size_t i = 0; i < motion->k; i++) {
            text_add(out, i ? "," : "");
            show_json_string(motion->state.speeds[i].name, out);
            text_add(out, ":");
            show_json_expr(show, motion->state.speeds[i].value, out);
        }
        text_add(out, "}");
    }
}

static void json_constraints(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    text_add(out, "\"constraints\":[");
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->rated)
            continue;
        Text equation = {0};
        show_syntax(show, constraint->left, &equation);
        text_add(&equation, constraint->kind != CONSTRAINT_ONE_SIDED ? " = "
                            : constraint->at_least                   ? " >= "
                                                                     : " <= ");
        show_syntax(show, constraint->right, &equation);
        text_add(out, first ? "{\"name\":" : ",{\"name\":");
        first = false;
        show_json_string(constraint->name, out);
        text_addf(out, ",\"kind\":\"%s\",\"equation\":", constraint_kind_name(constraint->kind));
        show_json_string(equation.at, out);
        if (constraint->kind == CONSTRAINT_ONE_SIDED) {
            text_add(out, ",\"restitution\":");
            show_json_expr(show, constraint->restitution, out);
        }
        if (!model_acts(model, constraint->waits))
            text_add(out, ",\"holds\":false");
        text_add(out, "}");
        text_clear(&equation);
    }
    text_add(out, "]");
}

static void json_functions(const Show *show, const char *key, const FormFunction *functions,
                           size_t count, Text *out)
{
    text_addf(out, ",\"%s\":{", key);
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        show_json_string(functions[i].name, out);
        text_add(out, ":");
        show_json_expr(show, functions[i].value, out);
    }
    text_add(out, "}");
}

static void json_equations(const Show *show, const Form *form, bool naive, Text *out)
{
    text_add(out, ",\"equations\":[");
    for (size_t i = 0; i < form->equations.count; i++) {
        FormEquation own = show_rated(show->motion, form->equations.at[i]), *equation = &own;
        text_add(out, i ? ",{\"for\":" : "{\"for\":");
        show_json_string(equation->label, out);
        text_add(out, ",\"left\":");
        show_json_expr(show, equation->left, out);
        text_add(out, ",\"right\":");
        show_json_expr(show, equation->right, out);
        if (naive && !expr_is_none(equation->naive)) {
            text_add(out, ",\"naive\":");
            show_json_expr(show, equation->naive, out);
        }
        text_add(out, "}");
    }
    text_add(out, "]");
    show_steps_json(show, form, out);
}

static void json_percussions(const Show *show, const Form *form, Text *out)
{
    for (size_t i = 0; i < form->percussions.count; i++) {
        const Form *percussion = form->percussions.at[i];
        text_add(out, i ? ",{\"t\":" : ",\"percussions\":[{\"t\":");
        show_json_expr(show, percussion->when, out);
        json_functions(show, "functions", percussion->functions.at, percussion->functions.count,
                       out);
        json_equations(show, percussion, false, out);
        json_functions(show, "jumps", percussion->jumps.at, percussion->jumps.count, out);
        text_add(out, ",\"notes\":[");
        for (size_t j = 0; j < percussion->notes.count; j++) {
            text_add(out, j ? "," : "");
            show_json_string(percussion->notes.at[j], out);
        }
        text_add(out, "]}");
    }
    if (form->percussions.count > 0)
        text_add(out, "]");
}

static void json_form(const Show *show, const Form *form, bool naive, Text *out)
{
    text_addf(out, "\"%s\":{\"applies\":%s,\"reason\":", form_name(form->kind),
              form->reason ? "false" : "true");
    show_json_string_or_null(form->reason, out);
    json_functions(show, "functions", form->functions.at, form->functions.count, out);
    json_equations(show, form, naive, out);
    show_least_action_json(show, form, out);
    json_percussions(show, form, out);
    text_add(out, "}");
}

static const Form *multipliers_among(const ReportForms *about)
{
    for (size_t i = 0; i < about->count; i++)
        if (about->forms[i]->kind == FORM_MULTIPLIERS)
            return about->forms[i];
    return NULL;
}

static void json_report(const Show *show, const ReportForms *about, Text *out)
{
    const Model *model = show->motion->model;
    text_add(out, "{\"system\":");
    show_json_string(model->name, out);
    text_add(out, ",\"title\":");
    show_json_string(model->title, out);
    text_add(out, ",");
    json_names(show, out);
    text_add(out, ",");
    json_quantities(show, out);
    text_add(out, ",");
    json_constraints(show, out);
    show_nonlinear_json(show, out);
    show_states_json(show, out);
    show_events_json(show, out);
    text_add(out, ",\"forms\":{");
    for (size_t i = 0; i < about->count; i++) {
        text_add(out, i ? "," : "");
        json_form(show, about->forms[i], about->naive, out);
    }
    text_add(out, "}");
    const Form *among = multipliers_among(about);
    const Form *multipliers = among ? among : show->reactions_by;
    if (multipliers) {
        text_add(out, ",");
        show_reactions_json(show, multipliers, out);
    }
    json_units(show->motion->model, out);
    text_add(out, "}\n");
}

void show_derivation_json(const Show *show, Form *const *forms, size_t count, bool naive, Text *out)
{
    ReportForms about = {forms, count, naive};
    show_report_write(show, json_report, &about, true, out);
}

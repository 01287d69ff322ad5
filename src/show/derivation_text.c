// derivation_text.c: the equations of motion as a report, for the eye and as JSON.
#include "show/show_impl.h"

#include <string.h>

// ---- Equations.

size_t show_unknowns(const Show *show, const Form *form, Expr *unknowns)
{
    const Motion *motion = show->motion;
    size_t count = 0;
    for (size_t i = 0; i < motion->k && form->in_speeds; i++)
        unknowns[count++] = motion->state.speeds[i].rate;
    for (size_t i = 0; i < motion->n && !form->in_speeds; i++)
        unknowns[count++] = motion->a[i];
    for (size_t i = 0; i < motion->in_force_count; i++)
        unknowns[count++] = motion->in_force[i]->lambda;
    return count;
}

void show_equation(const Show *show, const Form *form, const FormEquation *equation, Text *left,
                   Text *right)
{
    const Motion *motion = show->motion;
    Expr *unknowns = base_alloc((motion->n + motion->in_force_count + 1) * sizeof *unknowns);
    size_t count = show_unknowns(show, form, unknowns);
    show_collected(show, equation->left, unknowns, count, left);
    show_collected(show, equation->right, unknowns, count, right);
    base_free(unknowns);
}

// ---- Text.

enum { LABEL_WIDTH = 14 };

// "label         line", wrapped under the line.
static void labelled(const Show *show, const char *label, const char *line, Text *out)
{
    size_t width = text_width(label, strlen(label));
    text_addf(out, "%s%*s", label, width < LABEL_WIDTH ? (int)(LABEL_WIDTH - width) : 1, "");
    show_wrapped(show, line, LABEL_WIDTH, out);
}

// The quantities that were used and are not defined yet; in a list with labels, or indented.
static void define_quantities(const Show *show, bool in_list, Text *out)
{
    ShowQuantity quantity;
    for (bool first = true; show_next_quantity(show, &quantity); first = false) {
        Text line = {0};
        show_definition(show, &quantity, &line);
        if (in_list) {
            labelled(show, first ? "quantities" : "", line.at, out);
        } else {
            text_add(out, first ? "  with\n  " : "  ");
            show_wrapped(show, line.at, 6, out);
        }
        text_clear(&line);
    }
}

static void list_coordinates(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    Text line = {0};
    for (size_t i = 0; i < motion->n; i++) {
        text_add(&line, i ? ", " : "");
        show_name(motion->model->coords.at[i].name, &line);
    }
    labelled(show, "coordinates", line.at, out);
    text_clear(&line);
}

const char *show_about_condition(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].constraint == constraint)
            return motion->aside.at[i].identity ? "set aside: it holds by itself"
                                                : "set aside: it follows from the ones before it";
    for (size_t i = 0; i < motion->second_count; i++)
        if (motion->seconds[i].row.constraint == constraint)
            return motion->seconds[i].affine ? "second class, affine in the accelerations"
                                             : "second class, not affine in the accelerations";
    if (constraint->kind == CONSTRAINT_ONE_SIDED) {
        for (size_t i = 0; i < motion->m; i++)
            if (motion->rows[i].constraint == constraint)
                return "one-sided; it acts here";
        return "one-sided; it does not act here";
    }
    bool servo = constraint->kind == CONSTRAINT_SERVO;
    switch (constraint->keeps) {
    case CONSTRAINT_FINITE: return servo ? "finite, kept by a servo" : "finite";
    case CONSTRAINT_NONLINEAR:
        return servo ? "not linear in the velocities, kept by a servo"
                     : "not linear in the velocities";
    default:
        return servo ? "linear in the velocities, kept by a servo" : "linear in the velocities";
    }
}

static void list_constraints(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        Text line = {0};
        text_addf(&line, "%s: ", constraint->name);
        show_expr(show, show_short(show, constraint->left), &line);
        text_add(&line, constraint->kind != CONSTRAINT_ONE_SIDED ? " = "
                        : constraint->at_least                   ? " ≥ "
                                                                 : " ≤ ");
        show_expr(show, show_short(show, constraint->right), &line);
        text_addf(&line, "   (%s)", show_about_condition(show->motion, constraint));
        labelled(show, i ? "" : "conditions", line.at, out);
        text_clear(&line);
    }
}

static void list_speeds(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    for (size_t i = 0; i < motion->k; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        Text line = {0};
        show_name(speed->name, &line);
        if (speed->declared) {
            text_add(&line, " = ");
            show_expr(show, speed->orthonormal ? show_short(show, speed->value) : speed->value,
                      &line);
        } else if (motion->m > 0 || motion->model->speeds.count > 0) {
            text_add(&line, speed->chosen ? "   (independent, chosen by the program)"
                                          : "   (independent)");
        }
        labelled(show, i ? "" : "speeds", line.at, out);
        text_clear(&line);
    }
    if (show_are_orthonormal(show)) {
        Text line = {0};
        show_orthonormal(show, &line);
        text_add(&line, "   (orthonormal, found by the program: Hamel 236)");
        labelled(show, "", line.at, out);
        text_clear(&line);
    }
}

// The velocities in the speeds, where they are not the speeds themselves.
static void list_velocities(const Show *show, Text *out)
{
    Motion *motion = show->motion;
    bool first = true;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr velocity = motion_in_speeds(motion, motion->v[nu]);
        if (expr_same(velocity, motion->v[nu]))
            continue;
        Text line = {0};
        show_name(expr_name(motion->pool, motion->v[nu]), &line);
        text_add(&line, " = ");
        show_expr(show, show_short(show, velocity), &line);
        labelled(show, first ? "so that" : "", line.at, out);
        text_clear(&line);
        first = false;
    }
}

// What conditions that are not linear in the velocities call for.
static void list_curved(const Show *show, Text *out)
{
    const MotionRow *row;
    const char *velocities = show_curved_velocities(show);
    if (velocities)
        labelled(show, "velocities", velocities, out);
    for (size_t i = 0; (row = show_curved_row(show, i)); i++) {
        Text line = {0};
        show_curved_displacements(show, row, &line);
        labelled(show, i ? "" : "displacements", line.at, out);
        text_clear(&line);
    }
    for (size_t i = 0; (row = show_curved_row(show, i)); i++) {
        Text line = {0};
        show_curved_work(show, row, &line);
        labelled(show, i ? "" : "work", line.at, out);
        text_clear(&line);
    }
}

void show_equation_text(const Show *show, const char *name, const char *left, const char *right,
                        Text *out)
{
    Text label = {0}, line = {0};
    show_name(name, &label);
    size_t width = text_width(label.at, label.length);
    text_addf(out, "  %s:%*s", label.at, width < 4 ? (int)(5 - width) : 1, "");
    text_addf(&line, "%s = %s", left, right);
    show_wrapped(show, line.at, 10, out);
    text_clear(&label);
    text_clear(&line);
}

static void functions_text(const Show *show, const Form *form, Text *out)
{
    for (size_t i = 0; i < form->functions.count; i++) {
        Text line = {0};
        show_name(form->functions.at[i].name, &line);
        text_add(&line, " = ");
        show_expr(show, show_short_function(show, form->functions.at[i].value), &line);
        text_add(out, "  ");
        show_wrapped(show, line.at, 6, out);
        text_clear(&line);
    }
}

static void form_text(const Show *show, const Form *form, Text *out)
{
    if (form->reason) {
        text_addf(out, "  does not apply: %s\n", form->reason);
        return;
    }
    // The last of its steps is the equations.
    if (form->steps.count > 0) {
        show_steps_text(show, form, out);
        return;
    }
    functions_text(show, form, out);
    for (size_t i = 0; i < form->equations.count; i++) {
        Text left = {0}, right = {0};
        show_equation(show, form, &form->equations.at[i], &left, &right);
        show_equation_text(show, form->equations.at[i].label, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
}

// The multipliers solved for, where that can be read.
static void multipliers_text(const Show *show, const Form *form, const char *lead, Text *out)
{
    Motion *motion = show->motion;
    Expr *lambdas = base_alloc((motion->in_force_count + 1) * sizeof *lambdas);
    if (inquiry_multipliers(motion, form, lambdas)) {
        text_add(out, lead);
        for (size_t mu = 0; mu < motion->in_force_count; mu++) {
            Text line = {0};
            text_add(&line, "  ");
            show_name(expr_name(motion->pool, motion->in_force[mu]->lambda), &line);
            text_add(&line, " = ");
            show_expr(show, show_short(show, lambdas[mu]), &line);
            show_wrapped(show, line.at, 6, out);
            text_clear(&line);
        }
    }
    base_free(lambdas);
}

static void notes_text(const Form *form, Text *out)
{
    for (size_t i = 0; i < form->notes.count; i++)
        text_addf(out, "  (%s)\n", form->notes.at[i]);
}

static bool has_naive(const Form *form)
{
    return form->equations.count > 0 && !expr_is_none(form->equations.at[0].naive);
}

// The classical mistake, next to the right equations: T⁺ without its correction.
static void naive_text(const Show *show, const Form *form, Text *out)
{
    ExprPool *pool = show->motion->pool;
    text_add(out, "\n  The common mistake: the conditions put into T too early, R left out "
                  "(Quanjel no. 10, Hamel 229 and 240)\n");
    for (size_t i = 0; i < form->equations.count; i++) {
        FormEquation wrong = form->equations.at[i];
        Expr missing = expr_sub(pool, wrong.right, wrong.naive);
        missing = show_short(show, missing);
        Text left = {0}, right = {0};
        wrong.right = wrong.naive;
        show_equation(show, form, &wrong, &left, &right);
        if (expr_is_zero(pool, missing)) {
            text_add(&right, "   (right: nothing is missing)");
        } else {
            text_add(&right, "   (wrong: the right side lacks ");
            show_expr(show, missing, &right);
            text_add(&right, ")");
        }
        show_equation_text(show, wrong.label, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
}

static void text_report(const Show *show, Form *const *forms, size_t count, bool naive, Text *out)
{
    const Motion *motion = show->motion;
    const Model *model = motion->model;
    text_addf(out, "%s\n\n", *model->title ? model->title : model->name);
    list_coordinates(show, out);
    Text section = {0};
    list_constraints(show, &section);
    list_speeds(show, &section);
    list_velocities(show, &section);
    list_curved(show, &section);
    define_quantities(show, true, out);
    text_addf(out, "%s%-*s%zu\n", section.at ? section.at : "", LABEL_WIDTH, "freedom", motion->k);
    for (size_t i = 0; i < count; i++) {
        text_clear(&section);
        form_text(show, forms[i], &section);
        if (forms[i]->kind == FORM_MULTIPLIERS)
            multipliers_text(show, forms[i], "  so that\n", &section);
        if (forms[i]->kind == FORM_MULTIPLIERS)
            show_reactions_text(show, &section);
        notes_text(forms[i], &section);
        if (naive && has_naive(forms[i]))
            naive_text(show, forms[i], &section);
        show_least_action_text(show, forms[i], &section);
        text_addf(out, "\n%s: %s\n", form_name(forms[i]->kind), form_title(forms[i]->kind));
        define_quantities(show, false, out);
        text_add(out, section.at ? section.at : "");
    }
    text_clear(&section);
    if (show->reactions_by) {
        multipliers_text(show, show->reactions_by, "", &section);
        show_reactions_text(show, &section);
        text_add(out, "\nmultipliers and reactions\n");
        define_quantities(show, false, out);
        text_add(out, section.at ? section.at : "");
        text_clear(&section);
    }
}

void show_derivation_text(const Show *show, Form *const *forms, size_t count, bool naive, Text *out)
{
    show_in_short(show, text_report, forms, count, naive, out);
}

// ---- JSON. Expressions are strings in the model's own syntax.

// The expression as it stands, with the names of quantities where it is long.
static void spell(const Show *show, Expr e, Text *out)
{
    if (show_hears(show, e, show_tree_size(show, e), 1)) {
        text_add(out, "…");
        return;
    }
    show_named(show, &e);
    expr_print(show->pool, e, out);
}

void show_json_expr(const Show *show, Expr e, Text *out)
{
    Text text = {0};
    spell(show, show_short(show, e), &text);
    show_json_string(text.at, out);
    text_clear(&text);
}

static void json_quantities(const Show *show, Text *out)
{
    text_add(out, "\"quantities\":[");
    for (size_t i = 0; i < show_quantity_count(show); i++) {
        ShowQuantity quantity = show_quantity_at(show, i);
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

static void json_names(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    const Model *model = motion->model;
    text_add(out, "\"coordinates\":[");
    for (size_t i = 0; i < model->coords.count; i++) {
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
    text_add(out, "\"constraints\":[");
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        Text equation = {0};
        spell(show, constraint->left, &equation);
        text_add(&equation, constraint->kind != CONSTRAINT_ONE_SIDED ? " = "
                            : constraint->at_least                   ? " >= "
                                                                     : " <= ");
        spell(show, constraint->right, &equation);
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(constraint->name, out);
        text_addf(out, ",\"kind\":\"%s\",\"equation\":", constraint_kind_name(constraint->kind));
        show_json_string(equation.at, out);
        text_add(out, "}");
        text_clear(&equation);
    }
    text_add(out, "]");
}

static void json_form(const Show *show, const Form *form, bool naive, Text *out)
{
    text_addf(out, "\"%s\":{\"applies\":%s,\"reason\":", form_name(form->kind),
              form->reason ? "false" : "true");
    if (form->reason)
        show_json_string(form->reason, out);
    else
        text_add(out, "null");
    text_add(out, ",\"functions\":{");
    for (size_t i = 0; i < form->functions.count; i++) {
        text_add(out, i ? "," : "");
        show_json_string(form->functions.at[i].name, out);
        text_add(out, ":");
        show_json_expr(show, form->functions.at[i].value, out);
    }
    text_add(out, "},\"equations\":[");
    for (size_t i = 0; i < form->equations.count; i++) {
        const FormEquation *equation = &form->equations.at[i];
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
    show_least_action_json(show, form, out);
    text_add(out, "}");
}

static const Form *multipliers_among(Form *const *forms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (forms[i]->kind == FORM_MULTIPLIERS)
            return forms[i];
    return NULL;
}

static void json_report(const Show *show, Form *const *forms, size_t count, bool naive, Text *out)
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
    show_curved_json(show, out);
    text_add(out, ",\"forms\":{");
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        json_form(show, forms[i], naive, out);
    }
    text_add(out, "}");
    const Form *among = multipliers_among(forms, count);
    const Form *multipliers = among ? among : show->reactions_by;
    if (multipliers) {
        text_add(out, ",");
        show_reactions_json(show, multipliers, out);
    }
    text_add(out, "}\n");
}

void show_derivation_json(const Show *show, Form *const *forms, size_t count, bool naive, Text *out)
{
    quantities_spell(show, true);
    show_in_short(show, json_report, forms, count, naive, out);
    quantities_spell(show, false);
}

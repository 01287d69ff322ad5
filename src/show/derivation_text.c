// derivation_text.c: the equations of motion as a report for the eye.
#include "show/conditions_impl.h"
#include "show/derivation_impl.h"
#include "show/equation_text_impl.h"
#include "show/event_list_impl.h"
#include "show/layout_impl.h"
#include "show/pretty_impl.h"
#include "show/quantities_impl.h"
#include "show/reaction_report_impl.h"
#include "show/report_passes_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"

#include <string.h>

enum { LABEL_WIDTH = 14 };

// "label         line".
static void labelled(const char *label, const char *line, Text *out)
{
    size_t width = text_width(label, strlen(label));
    text_addf(out, "%s%*s", label, width < LABEL_WIDTH ? (int)(LABEL_WIDTH - width) : 1, "");
    show_line(line, out);
}

// The quantities that were used and are not defined yet; in a list with labels, or indented.
static void define_quantities(const Show *show, bool in_list, Text *out)
{
    ShowQuantity quantity;
    for (bool first = true; quantities_next(show, &quantity); first = false) {
        Text line = {0};
        show_definition(show, &quantity, &line);
        if (in_list) {
            labelled(first ? "quantities" : "", line.at, out);
        } else {
            text_add(out, first ? "  with\n  " : "  ");
            show_line(line.at, out);
        }
        text_clear(&line);
    }
}

static void list_coordinates(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    Text line = {0};
    for (size_t i = 0; i + motion->model->rated_count < motion->n; i++) {
        text_add(&line, i ? ", " : "");
        show_name(motion->model->coords.at[i].name, &line);
    }
    labelled("coordinates", line.at, out);
    text_clear(&line);
}

// The rates of continuous states.
static void list_states(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (!constraint->rated)
            continue;
        Text line = {0};
        show_expr(show, constraint->left, &line);
        text_add(&line, " = ");
        show_expr(show, show_short(show, constraint->right), &line);
        labelled(first ? "states" : "", line.at, out);
        text_clear(&line);
        first = false;
    }
}

// Of a condition that springs back.
static void add_restitution(const Show *show, const ModelConstraint *constraint, Text *out)
{
    if (constraint->kind != CONSTRAINT_ONE_SIDED ||
        expr_is_zero(show->pool, constraint->restitution))
        return;
    text_add(out, "; restitution ");
    show_expr(show, constraint->restitution, out);
}

static void list_constraints(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->rated)
            continue;
        Text line = {0};
        text_addf(&line, "%s: ", constraint->name);
        show_expr(show, show_short(show, constraint->left), &line);
        text_add(&line, constraint->kind != CONSTRAINT_ONE_SIDED ? " = "
                        : constraint->at_least                   ? " ≥ "
                                                                 : " ≤ ");
        show_expr(show, show_short(show, constraint->right), &line);
        text_addf(&line, "   (%s", show_condition_kind(show->motion, constraint));
        add_restitution(show, constraint, &line);
        text_add(&line, model_acts(model, constraint->waits) ? ")" : "; it does not hold here)");
        labelled(first ? "conditions" : "", line.at, out);
        text_clear(&line);
        first = false;
    }
}

// Events, then samples.
static void list_events(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    for (int samples = 0; samples < 2; samples++) {
        size_t told = 0;
        for (size_t i = 0; i < model->events.count; i++) {
            Text line = {0};
            if ((model->events.at[i].sampling != NULL) != samples)
                continue;
            show_event_line(show, &model->events.at[i], &line);
            labelled(told++ ? "" : samples ? "samples" : "events", line.at, out);
            text_clear(&line);
        }
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
        } else if (motion->m > motion->model->rated_count || motion->model->speeds.count > 0) {
            text_add(&line, speed->chosen ? "   (independent, chosen by the program)"
                                          : "   (independent)");
        }
        labelled(i ? "" : "speeds", line.at, out);
        text_clear(&line);
    }
    if (show_are_orthonormal(show)) {
        Text line = {0};
        show_orthonormal(show, &line);
        text_add(&line, "   (orthonormal, found by the program: Hamel 236)");
        labelled("", line.at, out);
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
        if (expr_same(velocity, motion->v[nu]) || motion->model->coords.at[nu].is_state)
            continue;
        Text line = {0};
        show_name(expr_name(motion->pool, motion->v[nu]), &line);
        text_add(&line, " = ");
        show_expr(show, show_short(show, velocity), &line);
        labelled(first ? "so that" : "", line.at, out);
        text_clear(&line);
        first = false;
    }
}

// What conditions that are not linear in the velocities call for.
static void list_curved(const Show *show, Text *out)
{
    const MotionRow *row;
    const char *velocities = show_nonlinear_velocities(show);
    if (velocities)
        labelled("velocities", velocities, out);
    for (size_t i = 0; (row = show_nonlinear_row(show, i)); i++) {
        Text line = {0};
        show_nonlinear_displacements(show, row, &line);
        labelled(i ? "" : "displacements", line.at, out);
        text_clear(&line);
    }
    for (size_t i = 0; (row = show_nonlinear_row(show, i)); i++) {
        Text line = {0};
        show_nonlinear_work(show, row, &line);
        labelled(i ? "" : "work", line.at, out);
        text_clear(&line);
    }
}

static void functions_text(const Show *show, const Form *form, Text *out)
{
    for (size_t i = 0; i < form->functions.count; i++) {
        Text line = {0};
        show_name(form->functions.at[i].name, &line);
        text_add(&line, " = ");
        show_expr(show, show_short_function(show, form->functions.at[i].value), &line);
        text_add(out, "  ");
        show_line(line.at, out);
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
        show_equation_text(form->equations.at[i].label, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
}

// The multipliers solved for, where that can be read.
static void multipliers_text(const Show *show, const Form *form, const char *lead, Text *out)
{
    Motion *motion = show->motion;
    Expr *lambdas = base_alloc((motion->in_force_count + 1) * sizeof *lambdas);
    bool any = motion->in_force_count > motion->model->rated_count;
    if (any && inquiry_multipliers(motion, form, lambdas)) {
        text_add(out, lead);
        for (size_t mu = 0; mu < motion->in_force_count; mu++) {
            if (motion->in_force[mu]->rated)
                continue;
            Text line = {0};
            text_add(&line, "  ");
            show_name(expr_name(motion->pool, motion->in_force[mu]->lambda), &line);
            text_add(&line, " = ");
            show_expr(show, show_multiplier(show, lambdas[mu]), &line);
            show_line(line.at, out);
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

// The jumps of a percussion, where they can be read.
static void jumps_text(const Show *show, const Form *form, Text *out)
{
    bool first = true;
    for (size_t i = 0; i < form->jumps.count && form->steps.count == 0; i++) {
        Text line = {0};
        show_name(form->jumps.at[i].name, &line);
        text_add(&line, " = ");
        show_expr(show, show_short(show, form->jumps.at[i].value), &line);
        text_add(out, first ? "  so that\n  " : "  ");
        show_line(line.at, out);
        text_clear(&line);
        first = false;
    }
}

static void percussions_text(const Show *show, const Form *form, Text *out)
{
    for (size_t i = 0; i < form->percussions.count; i++) {
        const Form *percussion = form->percussions.at[i];
        text_add(out, "\n  percussion: t = ");
        show_expr(show, percussion->when, out);
        text_add(out, "   (Appell 23)\n");
        form_text(show, percussion, out);
        jumps_text(show, percussion, out);
        notes_text(percussion, out);
    }
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
        if (expr_is_none(wrong.naive))
            continue;
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
        show_equation_text(wrong.label, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
}

static void text_report(const Show *show, const ReportForms *about, Text *out)
{
    const Motion *motion = show->motion;
    const Model *model = motion->model;
    text_addf(out, "%s\n\n", *model->title ? model->title : model->name);
    list_coordinates(show, out);
    Text section = {0};
    list_states(show, &section);
    list_constraints(show, &section);
    list_events(show, &section);
    list_speeds(show, &section);
    list_velocities(show, &section);
    list_curved(show, &section);
    define_quantities(show, true, out);
    text_addf(out, "%s%-*s%zu\n", section.at ? section.at : "", LABEL_WIDTH, "freedom", motion->k);
    for (size_t i = 0; i < about->count; i++) {
        const Form *form = about->forms[i];
        text_clear(&section);
        form_text(show, form, &section);
        if (form->kind == FORM_MULTIPLIERS)
            multipliers_text(show, form, "  so that\n", &section);
        if (form->kind == FORM_MULTIPLIERS)
            show_reactions_text(show, &section);
        notes_text(form, &section);
        if (about->naive && has_naive(form))
            naive_text(show, form, &section);
        show_least_action_text(show, form, &section);
        percussions_text(show, form, &section);
        text_addf(out, "\n%s: %s\n", form_name(form->kind), form_title(form->kind));
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
    ReportForms about = {forms, count, naive};
    show_report_write(show, text_report, &about, false, out);
}

// reaction_report.c: the reactions of the conditions, as text, as LaTeX and as JSON.
//
// They are written in the multipliers, which stand above them solved where that can be read; what
// the balance of the whole system gives is in accelerations.
#include "show/reaction_report_impl.h"

#include "algebra/one_fraction.h"
#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/latex_impl.h"
#include "show/layout_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>

static const MotionReactions *reactions_of(const Show *show)
{
    if (!*show->reactions)
        *show->reactions = motion_reactions(show->motion, NULL);
    return *show->reactions;
}

// "(X, Y, Z)"
static void add_vec(const Show *show, Vec v, Text *out)
{
    const Expr parts[] = {v.x, v.y, v.z};
    text_add_char(out, '(');
    for (int i = 0; i < 3; i++) {
        text_add(out, i ? ", " : "");
        show_expr(show, show_short(show, parts[i]), out);
    }
    text_add_char(out, ')');
}

static void add_place(const MotionReaction *reaction, Text *out)
{
    text_add(out, reaction->condition);
    if (reaction->at)
        text_addf(out, " at %s", reaction->at);
    if (reaction->on)
        text_addf(out, " on %s", reaction->on);
}

static void reaction_line(const Show *show, const MotionReaction *reaction, Text *out)
{
    Text line = {0};
    add_place(reaction, &line);
    text_add(&line, ": ");
    if (reaction->has_force) {
        text_add(&line, "force ");
        add_vec(show, reaction->force, &line);
    }
    if (reaction->has_couple) {
        text_add(&line, reaction->has_force ? ", couple " : "couple ");
        add_vec(show, reaction->couple, &line);
    }
    text_add(&line, reaction->balanced ? "   (with the balance of the whole system)" : "");
    text_add(out, "    ");
    show_line(line.at, out);
    text_clear(&line);
}

static void generalized_line(const Show *show, const MotionGeneralized *generalized, Text *out)
{
    const Motion *motion = show->motion;
    Text line = {0};
    bool first = true;
    text_addf(&line, "%s: ", generalized->condition);
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (expr_is_zero(motion->pool, generalized->parts[nu]))
            continue;
        text_add(&line, first ? "on " : ", on ");
        show_name(motion->model->coords.at[nu].name, &line);
        text_add_char(&line, ' ');
        show_expr(show, show_short(show, generalized->parts[nu]), &line);
        first = false;
    }
    text_add(&line, "   (it has no place in space)");
    text_add(out, "    ");
    show_line(line.at, out);
    text_clear(&line);
}

void show_reactions_text(const Show *show, Text *out)
{
    const MotionReactions *reactions = reactions_of(show);
    const Motion *motion = show->motion;
    if (motion->in_force_count - motion->model->rated_count + motion->aside.count == 0)
        return;
    text_add(out, "  reactions, along the axes of the world\n");
    for (size_t i = 0; i < reactions->at.count; i++)
        reaction_line(show, &reactions->at.at[i], out);
    for (size_t i = 0; i < reactions->generalized.count; i++)
        generalized_line(show, &reactions->generalized.at[i], out);
    for (size_t i = 0; i < reactions->untold.count; i++)
        text_addf(out, "    %s: %s\n", reactions->untold.at[i].constraint->name,
                  reactions->untold.at[i].why);
}

// ---- Multipliers.

Expr show_multiplier(const Show *show, Expr lambda)
{
    Expr shortest = show_short(show, lambda);
    Expr fraction = algebra_one_fraction(show->motion->algebra, shortest);
    return 2 * show_tree_size(show, fraction) <= 3 * show_tree_size(show, shortest) ? fraction
                                                                                    : shortest;
}

// ---- LaTeX.

static void latex_vec(const Show *show, const char *name, const MotionReaction *reaction, Vec v,
                      Text *out)
{
    const Expr parts[] = {v.x, v.y, v.z};
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        if (expr_is_zero(show->pool, parts[i]))
            continue;
        Text line = {0};
        text_addf(&line, "%s_{%s}^{\\mathrm{", name, axes[i]);
        show_latex_escaped(reaction->condition, &line);
        text_add(&line, "}} = ");
        show_expr(show, show_short(show, parts[i]), &line);
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

static void latex_reaction(const Show *show, const MotionReaction *reaction, Text *out)
{
    Text place = {0};
    add_place(reaction, &place);
    text_add(out, "Reaction of ");
    show_latex_escaped(place.at, out);
    text_add(out, reaction->balanced ? " (with the balance of the whole system):\n" : ":\n");
    text_clear(&place);
    if (reaction->has_force)
        latex_vec(show, "F", reaction, reaction->force, out);
    if (reaction->has_couple)
        latex_vec(show, "L", reaction, reaction->couple, out);
}

static void latex_generalized(const Show *show, const MotionGeneralized *generalized, Text *out)
{
    const Motion *motion = show->motion;
    text_add(out, "Generalized reaction of ");
    show_latex_escaped(generalized->condition, out);
    text_add(out, ", which has no place in space:\n");
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (expr_is_zero(motion->pool, generalized->parts[nu]))
            continue;
        Text line = {0};
        text_add(&line, "K_{");
        show_latex_name(motion->model->coords.at[nu].name, &line);
        text_add(&line, "} = ");
        show_expr(show, show_short(show, generalized->parts[nu]), &line);
        show_latex_display(line.at, out);
        text_clear(&line);
    }
}

static void latex_multipliers(const Show *show, const Form *form, Text *out)
{
    Motion *motion = show->motion;
    Expr *lambdas = base_alloc((motion->in_force_count + 1) * sizeof *lambdas);
    bool solved = inquiry_multipliers(motion, form, lambdas);
    bool any = motion->in_force_count > motion->model->rated_count;
    text_add(out, solved && any ? "So that\n" : "");
    for (size_t mu = 0; mu < motion->in_force_count && solved; mu++) {
        if (motion->in_force[mu]->rated)
            continue;
        Text line = {0};
        show_latex_name(expr_name(motion->pool, motion->in_force[mu]->lambda), &line);
        text_add(&line, " = ");
        show_expr(show, show_multiplier(show, lambdas[mu]), &line);
        show_latex_display(line.at, out);
        text_clear(&line);
    }
    base_free(lambdas);
}

void show_reactions_latex(const Show *show, const Form *form, Text *out)
{
    assert(show->latex);
    const MotionReactions *reactions = reactions_of(show);
    latex_multipliers(show, form, out);
    for (size_t i = 0; i < reactions->at.count; i++)
        latex_reaction(show, &reactions->at.at[i], out);
    for (size_t i = 0; i < reactions->generalized.count; i++)
        latex_generalized(show, &reactions->generalized.at[i], out);
}

// ---- JSON.

static void json_vec(const Show *show, bool there, Vec v, Text *out)
{
    const Expr parts[] = {v.x, v.y, v.z};
    if (!there) {
        text_add(out, "null");
        return;
    }
    for (int i = 0; i < 3; i++) {
        text_add(out, i ? "," : "[");
        show_json_expr(show, parts[i], out);
    }
    text_add(out, "]");
}

void show_json_reaction_head(const MotionReaction *reaction, Text *out)
{
    text_add(out, "{\"condition\":");
    show_json_string(reaction->condition, out);
    text_add(out, ",\"at\":");
    show_json_string_or_null(reaction->at, out);
    text_add(out, ",\"on\":");
    show_json_string_or_null(reaction->on, out);
    text_addf(out, ",\"balanced\":%s", reaction->balanced ? "true" : "false");
}

static void json_multipliers(const Show *show, const Form *form, Text *out)
{
    Motion *motion = show->motion;
    Expr *lambdas = base_alloc((motion->in_force_count + 1) * sizeof *lambdas);
    if (inquiry_multipliers(motion, form, lambdas)) {
        bool first = true;
        text_add(out, "\"multipliers\":{");
        for (size_t mu = 0; mu < motion->in_force_count; mu++) {
            if (motion->in_force[mu]->rated)
                continue;
            text_add(out, first ? "" : ",");
            first = false;
            show_json_string(motion->in_force[mu]->name, out);
            text_add(out, ":");
            show_json_expr(show, lambdas[mu], out);
        }
        text_add(out, "},");
    } else {
        text_add(out, motion->in_force_count ? "\"multipliers\":null," : "\"multipliers\":{},");
    }
    base_free(lambdas);
}

void show_json_generalized(const Show *show, const MotionReactions *reactions,
                           const double *numbers, Text *out)
{
    const Motion *motion = show->motion;
    text_add(out, ",\"generalized\":[");
    for (size_t i = 0; i < reactions->generalized.count; i++) {
        bool first = true;
        text_add(out, i ? ",{\"condition\":" : "{\"condition\":");
        show_json_string(reactions->generalized.at[i].condition, out);
        text_add(out, ",\"forces\":{");
        for (size_t nu = 0; nu < motion->n; nu++) {
            Expr part = reactions->generalized.at[i].parts[nu];
            if (expr_is_zero(motion->pool, part))
                continue;
            text_add(out, first ? "" : ",");
            show_json_string(motion->model->coords.at[nu].name, out);
            text_add(out, ":");
            if (numbers)
                show_json_number(numbers[i * motion->n + nu], out);
            else
                show_json_expr(show, part, out);
            first = false;
        }
        text_add(out, "}}");
    }
    text_add(out, "]");
}

void show_reactions_json(const Show *show, const Form *form, Text *out)
{
    const MotionReactions *reactions = reactions_of(show);
    json_multipliers(show, form, out);
    text_add(out, "\"reactions\":[");
    for (size_t i = 0; i < reactions->at.count; i++) {
        const MotionReaction *reaction = &reactions->at.at[i];
        text_add(out, i ? "," : "");
        show_json_reaction_head(reaction, out);
        text_add(out, ",\"force\":");
        json_vec(show, reaction->has_force, reaction->force, out);
        text_add(out, ",\"couple\":");
        json_vec(show, reaction->has_couple, reaction->couple, out);
        text_add(out, "}");
    }
    text_add(out, "]");
    show_json_generalized(show, reactions, NULL, out);
}

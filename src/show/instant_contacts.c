// instant_contacts.c: Mayer's bookkeeping at an instant: f, f', Φ⁰, λ and f'' of each one-sided
// condition, which of them act, a shock at the start, and what Ostrogradsky's rule would have said.
#include "show/instant_impl.h"

#include "model/friction.h"
#include "motion/frictions.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/show_impl.h"

#include <math.h>

enum {
    NAME_WIDTH = 14,
    COLUMN_WIDTH = 15,
    MOST_APART = 6 // conditions that do not touch and have rows of their own
};

static void add_cell(double value, Text *out)
{
    Text cell = {0};
    text_addf(&cell, "%.8g", value == 0 ? 0 : value);
    show_padded(cell.at, COLUMN_WIDTH, out);
    text_clear(&cell);
}

static void add_name(const char *name, Text *out)
{
    Text shown = {0};
    show_name(name, &shown);
    show_padded(shown.at, NAME_WIDTH, out);
    text_clear(&shown);
}

// ---- A shock.

static void impact_text(const RunSides *sides, Text *out)
{
    for (size_t i = 0; i < sides->count; i++) {
        const RunSide *side = &sides->at[i];
        if (!(side->impulse > 0))
            continue;
        text_addf(out, "  %s: f′ ", side->constraint->name);
        show_number(side->before, out);
        text_add(out, " → ");
        show_number(side->rate, out);
        text_add(out, ", impulse λ = ");
        show_number(side->impulse, out);
        text_add_char(out, '\n');
    }
    if (sides->struck) {
        text_add(out, "  energy lost: ");
        show_number(sides->energy_lost, out);
        text_add_char(out, '\n');
    }
    if (sides->repeated)
        text_add(out, "  the rebounds hinder each other or do not end: the last is without any\n");
}

void show_start_impact_text(const Show *show, const RunStart *start, const RunSides *sides,
                            Text *out)
{
    const Model *model = show->motion->model;
    if (!sides->shock)
        return;
    text_add(out, sides->struck ? "a shock at the start: the velocities jump, and the instant is "
                                  "the one after it\n"
                                : "a percussion at the start: the velocities jump, and the "
                                  "instant is the one after it\n");
    show_padded("", NAME_WIDTH, out);
    show_padded("before", COLUMN_WIDTH, out);
    text_add(out, "after\n");
    for (size_t i = 0; i < start->n; i++) {
        add_name(expr_name(show->pool, model->coords.at[i].v), out);
        add_cell(sides->before[i], out);
        add_cell(start->v[i], out);
        show_end_line(out);
    }
    impact_text(sides, out);
    text_add_char(out, '\n');
}

// ---- Which act.

static const char *in_words(const RunSide *side)
{
    if (!side->touches)
        return "does not touch";
    if (!side->kept)
        return "leaves: f′ < 0";
    if (side->acts)
        return "acts";
    return side->acceleration < 0 ? "leaves: f″ < 0" : "touches, does not push";
}

static void row_text(const RunSides *sides, const RunSide *side, Text *out)
{
    add_name(side->constraint->name, out);
    add_cell(side->touches ? 0 : side->f, out);
    add_cell(side->rate, out);
    if (side->kept) {
        add_cell(side->phi0, out);
        add_cell(side->lambda, out);
        add_cell(side->acceleration, out);
    } else if (sides->kept > 0) {
        show_padded("", 3 * COLUMN_WIDTH, out);
    }
    text_addf(out, "%s\n", in_words(side));
}

// Those that do not touch: a few by name, many by their number and the nearest.
static void others_text(const RunSides *sides, Text *out)
{
    const RunSide *nearest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sides->count; i++) {
        const RunSide *side = &sides->at[i];
        count += !side->touches;
        if (!side->touches && (!nearest || side->f > nearest->f))
            nearest = side;
    }
    for (size_t i = 0; count <= MOST_APART && i < sides->count; i++)
        if (!sides->at[i].touches)
            row_text(sides, &sides->at[i], out);
    if (count <= MOST_APART)
        return;
    text_addf(out, "%zu others do not touch; the nearest is ", count);
    show_name(nearest->constraint->name, out);
    text_addf(out, ", f = %.8g\n", nearest->f);
}

static void table_text(const RunSides *sides, Text *out)
{
    show_padded("one-sided", NAME_WIDTH, out);
    show_padded("f", COLUMN_WIDTH, out);
    show_padded("f′", COLUMN_WIDTH, out);
    if (sides->kept > 0) {
        show_padded("Φ⁰", COLUMN_WIDTH, out);
        show_padded("λ", COLUMN_WIDTH, out);
        show_padded("f″", COLUMN_WIDTH, out);
    }
    show_end_line(out);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].touches)
            row_text(sides, &sides->at[i], out);
    others_text(sides, out);
}

// Which conditions the rule takes, and where that goes wrong.
static void rule_text(const Show *show, const RunSides *sides, Text *out)
{
    size_t named = 0;
    text_add(out, "Ostrogradsky's rule, by which those with Φ⁰ > 0 act, would be wrong here: ");
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].rule_acts)
            text_addf(out, "%s%s", named++ ? ", " : "with ", sides->at[i].constraint->name);
    if (!sides->rule_a) {
        text_add(out, " there is no motion at all\n");
        return;
    }
    for (size_t i = 0; i < sides->count; i++) {
        const RunSide *side = &sides->at[i];
        if (side->rule_acts && side->rule_lambda < 0) {
            text_addf(out, ", λ of %s = ", side->constraint->name);
            show_number(side->rule_lambda, out);
            text_add(out, " < 0");
        }
        if (side->kept && !side->rule_acts && side->rule_acceleration > 0 &&
            !(side->rule_acceleration <= 1e-12 * fabs(side->phi0))) {
            text_addf(out, ", f″ of %s = ", side->constraint->name);
            show_number(side->rule_acceleration, out);
            text_add(out, " > 0");
        }
    }
    double most = show_largest(sides->rule_a, show->motion->n);
    text_add(out, "; it gives ");
    for (size_t i = 0; i < show->motion->n; i++) {
        text_add(out, i ? ", " : "");
        show_name(expr_name(show->pool, show->motion->a[i]), out);
        text_add(out, " = ");
        show_number(show_without_rounding(sides->rule_a[i], most), out);
    }
    text_add_char(out, '\n');
}

// ---- Friction.

static const char *mode_name(const RunFrictionSide *side)
{
    return side->mode == HOLD_OPEN ? "open" : side->mode == HOLD_STICKS ? "sticks" : "slips";
}

// A scalar with its sign, or a vector's length.
static double size_of(const RunFrictionSide *side, const double *vector)
{
    bool scalar = side->friction->friction->kind == FRICTION_AGAINST;
    return scalar ? vector[0]
                  : sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

static void add_parts(const double *vector, Text *out)
{
    text_addf(out, "[%.6g, %.6g, %.6g]", vector[0], vector[1], vector[2]);
}

void show_friction_text(const RunSides *sides, Text *out)
{
    static const char *const head[] = {"mode", "N", "F", "s", "margin"};
    if (sides->friction_count == 0)
        return;
    text_add_char(out, '\n');
    show_padded("friction", NAME_WIDTH, out);
    for (size_t i = 0; i < 5; i++)
        show_padded(head[i], COLUMN_WIDTH, out);
    show_end_line(out);
    for (size_t i = 0; i < sides->friction_count; i++) {
        const RunFrictionSide *side = &sides->frictions[i];
        add_name(side->friction->friction->name, out);
        show_padded(mode_name(side), COLUMN_WIDTH, out);
        add_cell(side->normal, out);
        add_cell(size_of(side, side->force), out);
        add_cell(size_of(side, side->slip), out);
        if (side->mode != HOLD_OPEN)
            add_cell(side->margin, out);
        show_end_line(out);
        if (side->friction->friction->kind == FRICTION_AGAINST || side->mode == HOLD_OPEN)
            continue;
        show_padded("", NAME_WIDTH, out);
        text_add(out, "F = ");
        add_parts(side->force, out);
        if (side->mode != HOLD_STICKS) {
            text_add(out, ", s = ");
            add_parts(side->slip, out);
        }
        text_add_char(out, '\n');
    }
    if (!sides->unique)
        text_add(out, "the motion is unique, the forces are not: these are the least of them\n");
}

static void vector_json(const char *key, const RunFrictionSide *side, const double *vector,
                        Text *out)
{
    bool scalar = side->friction->friction->kind == FRICTION_AGAINST;
    text_addf(out, ",\"%s\":", key);
    for (size_t i = 0; i < (scalar ? 1 : 3); i++) {
        text_add(out, scalar ? "" : i ? "," : "[");
        show_json_number(vector[i], out);
    }
    text_add(out, scalar ? "" : "]");
}

void show_friction_json(const Show *show, const RunSides *sides, Text *out)
{
    const Model *model = show->motion->model;
    if (sides->friction_count == 0)
        return;
    text_add(out, ",\"friction\":[");
    for (size_t i = 0; i < sides->friction_count; i++) {
        const RunFrictionSide *side = &sides->frictions[i];
        const ModelFriction *friction = side->friction->friction;
        bool body = friction->kind != FRICTION_AGAINST && friction->body < model->bodies.count;
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(friction->name, out);
        text_addf(out, ",\"mode\":\"%s\"", mode_name(side));
        show_json_entry(false, "normal", side->normal, out);
        vector_json("force", side, side->force, out);
        vector_json("slip", side, side->slip, out);
        show_json_entry(false, "margin", side->mode == HOLD_OPEN ? NAN : side->margin, out);
        text_add(out, ",\"at\":");
        show_json_string_or_null(friction->point, out);
        text_add(out, ",\"on\":");
        show_json_string_or_null(body ? model->bodies.at[friction->body].name : NULL, out);
        text_add(out, "}");
    }
    text_addf(out, "],\"solutions\":%zu", sides->solutions);
}

void show_contacts_text(const Show *show, const RunSides *sides, Text *out)
{
    if (sides->count == 0)
        return;
    text_add_char(out, '\n');
    table_text(sides, out);
    if (!sides->unique)
        text_add(out, "the acceleration is unique, the multipliers are not: these are of least "
                      "norm\n");
    if (sides->rule_differs)
        rule_text(show, sides, out);
}

// ---- JSON.

void show_contacts_json_active(const RunSides *sides, Text *out)
{
    bool first = true;
    text_add(out, ",\"active\":[");
    for (size_t i = 0; i < sides->count; i++) {
        if (!sides->at[i].acts)
            continue;
        text_add(out, first ? "" : ",");
        show_json_string(sides->at[i].constraint->name, out);
        first = false;
    }
    text_add(out, "]");
}

static void side_json(const RunSide *side, Text *out)
{
    text_add(out, "{\"name\":");
    show_json_string(side->constraint->name, out);
    text_addf(out, ",\"touches\":%s,\"kept\":%s,\"acts\":%s", side->touches ? "true" : "false",
              side->kept ? "true" : "false", side->acts ? "true" : "false");
    show_json_entry(false, "f", side->f, out);
    show_json_entry(false, "f'", side->rate, out);
    show_json_entry(false, "phi0", side->kept ? side->phi0 : NAN, out);
    show_json_entry(false, "lambda", side->lambda, out);
    show_json_entry(false, "f''", side->kept ? side->acceleration : NAN, out);
    show_json_entry(false, "before", side->before, out);
    show_json_entry(false, "impulse", side->impulse, out);
    text_add(out, "}");
}

static void rule_json(const Show *show, const RunSides *sides, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    text_addf(out, ",\"ostrogradsky\":{\"differs\":%s,\"acts\":[",
              sides->rule_differs ? "true" : "false");
    for (size_t i = 0; i < sides->count; i++) {
        if (!sides->at[i].rule_acts)
            continue;
        text_add(out, first ? "" : ",");
        show_json_string(sides->at[i].constraint->name, out);
        first = false;
    }
    text_add(out, "],\"lambda\":");
    text_add(out, sides->rule_a ? "{" : "null,\"a\":null}");
    if (!sides->rule_a)
        return;
    for (size_t i = 0; i < sides->count; i++)
        show_json_entry(i == 0, sides->at[i].constraint->name, sides->at[i].rule_lambda, out);
    text_add(out, "},\"a\":{");
    for (size_t i = 0; i < model->coords.count; i++)
        show_json_entry(i == 0, model->coords.at[i].name, sides->rule_a[i], out);
    text_add(out, "}}");
}

void show_contacts_json(const Show *show, const RunSides *sides, Text *out)
{
    const Model *model = show->motion->model;
    text_add(out, ",\"one_sided\":[");
    for (size_t i = 0; i < sides->count; i++) {
        text_add(out, i ? "," : "");
        side_json(&sides->at[i], out);
    }
    text_addf(out, "],\"unique\":%s", sides->unique ? "true" : "false");
    if (sides->kept > 0)
        rule_json(show, sides, out);
    text_add(out, ",\"shock\":");
    if (!sides->shock) {
        text_add(out, "null");
        return;
    }
    text_add(out, "{\"before\":{");
    for (size_t i = 0; i < model->coords.count; i++)
        show_json_entry(i == 0, model->coords.at[i].name, sides->before[i], out);
    text_add(out, "}");
    show_json_entry(false, "energy_lost", sides->energy_lost, out);
    text_add(out, "}");
}

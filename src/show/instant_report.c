// instant_report.c: one state of a motion, as people read it and as JSON.
#include "base/decimal.h"
#include "motion/reactions.h"
#include "show/conditions_impl.h"
#include "show/event_list_impl.h"
#include "show/instant_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/measured_text_impl.h"
#include "show/reaction_report_impl.h"
#include "show/show_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// From here on many digits are lost, and it is said.
#define POOR 1e8

typedef struct {
    const Show *show;
    const RunStart *start;
    const RunInstant *instant;
} Report;

// ---- Text.

enum { NAME_WIDTH = 14, NUMBER_WIDTH = 19 };

static void add_cell(double value, double most, Text *out)
{
    show_cell(show_without_rounding(value, most), NUMBER_WIDTH, out);
}

static void table_text(const Report *report, Text *out)
{
    const Model *model = report->show->motion->model;
    const RunStart *start = report->start;
    const RunInstant *instant = report->instant;
    double q = show_largest(start->q, start->n), v = show_largest(start->v, start->n);
    double a = fmax(show_largest(start->a, start->n), show_largest(instant->free, start->n));
    bool has_column = instant->has_free && (start->m > 0 || instant->sides.kept > 0);
    show_padded("", NAME_WIDTH, out);
    show_padded("value", NUMBER_WIDTH, out);
    show_padded("velocity", NUMBER_WIDTH, out);
    show_padded("acceleration", NUMBER_WIDTH, out);
    text_add(out, has_column ? "without reactions" : "");
    show_end_line(out);
    for (size_t i = 0; i + model->rated_count < start->n; i++) {
        Text name = {0};
        double scale;
        const char *unit = show_column_unit(model, model->coords.at[i].name, &scale);
        show_name(model->coords.at[i].name, &name);
        show_padded(name.at, NAME_WIDTH, out);
        text_clear(&name);
        add_cell(start->q[i] / scale, q / scale, out);
        add_cell(start->v[i] / scale, v / scale, out);
        add_cell(start->a[i] / scale, a / scale, out);
        if (has_column)
            add_cell(instant->free[i] / scale, a / scale, out);
        if (*unit)
            text_addf(out, "[%s]", unit);
        show_end_line(out);
    }
}

// "label         NAME = value", the label only before the first.
static void named_text(const Model *model, const char *label, bool first, const char *name,
                       double value, Text *out)
{
    show_padded(first ? label : "", NAME_WIDTH, out);
    show_name(name, out);
    text_add(out, " = ");
    show_measured(model, name, value, out);
    text_add_char(out, '\n');
}

// Discrete states, and continuous ones with their rates.
static void states_text(const Report *report, Text *out)
{
    const Model *model = report->show->motion->model;
    const RunStart *start = report->start;
    size_t told = 0;
    for (size_t i = 0; i < model->params.count && model->state_count > 0; i++)
        if (model->params.at[i].is_state)
            named_text(model, "states", told++ == 0, model->params.at[i].name, start->params[i],
                       out);
    for (size_t i = start->n - model->rated_count; i < start->n; i++) {
        named_text(model, "states", told++ == 0, model->coords.at[i].name, start->q[i], out);
        named_text(model, "", false, expr_name(model->pool, model->coords.at[i].v), start->v[i],
                   out);
    }
}

// Events and samples, with what they do.
static void events_text(const Report *report, Text *out)
{
    const Model *model = report->show->motion->model;
    for (size_t i = 0; i < model->events.count; i++) {
        show_padded(i ? "" : "events", NAME_WIDTH, out);
        show_event_line(report->show, &model->events.at[i], out);
        text_add_char(out, '\n');
    }
}

static void values_text(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    states_text(report, out);
    events_text(report, out);
    double most = show_largest(report->start->lambda, motion->in_force_count);
    bool first = true;
    for (size_t i = 0; i < motion->model->speeds.count; i++)
        named_text(motion->model, "speeds", i == 0, motion->model->speeds.at[i].name,
                   report->instant->speeds[i], out);
    for (size_t i = 0; i < motion->in_force_count; i++) {
        const ModelConstraint *constraint = motion->in_force[i];
        if (constraint->silent)
            continue;
        named_text(motion->model, "multipliers", first, expr_name(motion->pool, constraint->lambda),
                   show_without_rounding(report->start->lambda[i], most), out);
        first = false;
    }
    for (size_t i = 0; i < motion->model->outputs.count; i++)
        named_text(motion->model, "outputs", i == 0, motion->model->outputs.at[i].name,
                   report->instant->outputs[i], out);
    for (size_t i = 0; i < motion->model->inputs.count; i++)
        named_text(motion->model, "inputs", i == 0, motion->model->inputs.at[i].name,
                   report->instant->inputs[i], out);
}

static void add_triple(const double *v, const char *unit, Text *out)
{
    double most = show_largest(v, 3);
    text_add_char(out, '(');
    for (int i = 0; i < 3; i++) {
        text_add(out, i ? ", " : "");
        show_number(show_without_rounding(v[i], most), out);
    }
    text_addf(out, ")%s", unit);
}

static void reaction_text(const Model *model, const MotionReaction *reaction,
                          const RunWrench *wrench, Text *out)
{
    text_addf(out, "  %s", reaction->condition);
    if (reaction->has_force) {
        text_addf(out, " at %s%s", reaction->at ? reaction->at : "", reaction->at ? " " : "");
        add_triple(wrench->position, show_si(model, " m"), out);
    }
    if (reaction->on)
        text_addf(out, " on %s", reaction->on);
    text_add_char(out, ':');
    if (reaction->has_force) {
        text_add(out, " force ");
        add_triple(wrench->force, show_si(model, " N"), out);
    }
    if (reaction->has_couple) {
        text_add(out, reaction->has_force ? ", couple " : " couple ");
        add_triple(wrench->couple, show_si(model, " N*m"), out);
    }
    text_add(out, reaction->balanced ? "   (with the balance of the whole system)\n" : "\n");
}

// The unit of a force along a coordinate.
static void add_force_unit(const Model *model, size_t nu, Text *out)
{
    if (!model->units)
        return;
    text_add_char(out, ' ');
    dim_add_unit(dim_over(dim_of(1, 2, -2), model->coords.at[nu].dim), out);
}

static void generalized_text(const Report *report, size_t index, Text *out)
{
    const Motion *motion = report->show->motion;
    const MotionGeneralized *generalized = &report->instant->reactions->generalized.at[index];
    double most = show_largest(report->start->lambda, motion->in_force_count);
    bool first = true;
    text_addf(out, "  %s:", generalized->condition);
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (expr_is_zero(motion->pool, generalized->parts[nu]))
            continue;
        text_add(out, first ? " on " : ", on ");
        show_name(motion->model->coords.at[nu].name, out);
        text_add_char(out, ' ');
        show_number(
            show_without_rounding(report->instant->generalized[index * motion->n + nu], most), out);
        add_force_unit(motion->model, nu, out);
        first = false;
    }
    text_add(out, "   (it has no place in space)\n");
}

static void reactions_text(const Report *report, Text *out)
{
    const RunInstant *instant = report->instant;
    const Model *model = report->show->motion->model;
    const MotionReactions *reactions = instant->reactions;
    if (reactions->at.count + reactions->generalized.count + reactions->untold.count > 0)
        text_add(out, "\nreactions, along the axes of the world\n");
    for (size_t i = 0; i < reactions->at.count; i++)
        reaction_text(model, &reactions->at.at[i], &instant->at[i], out);
    for (size_t i = 0; i < reactions->generalized.count; i++)
        generalized_text(report, i, out);
    for (size_t i = 0; i < reactions->untold.count; i++)
        text_addf(out, "  %s: %s\n", reactions->untold.at[i].constraint->name,
                  reactions->untold.at[i].why);
    if (reactions->totals.count > 0)
        text_addf(out, "\nall that acts on each, beside weight and given forces%s%s%s\n",
                  reactions->unplaced ? " (what " : "",
                  reactions->unplaced ? reactions->unplaced : "",
                  reactions->unplaced ? " gives is in it, for it has no place)" : "");
    for (size_t i = 0; i < reactions->totals.count; i++) {
        text_addf(out, "  %s: force ", reactions->totals.at[i].on);
        add_triple(instant->totals[i].force, show_si(model, " N"), out);
        if (reactions->totals.at[i].turns) {
            text_add(out, ", couple about its centre ");
            add_triple(instant->totals[i].couple, show_si(model, " N*m"), out);
        }
        text_add_char(out, '\n');
    }
}

// What servos give.
static void powers_text(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    size_t written = 0;
    for (size_t i = 0; i < motion->m; i++) {
        if (!motion->rows[i].servo || motion->rows[i].constraint->hidden ||
            motion->rows[i].constraint->rated)
            continue;
        show_padded(written ? "" : "power", NAME_WIDTH, out);
        text_addf(out, "%s gives ", motion->rows[i].constraint->name);
        show_number(report->instant->powers[i], out);
        written++;
        text_addf(out, "%s\n", show_si(motion->model, " W"));
    }
}

static void energies_text(const Report *report, Text *out)
{
    const RunInstant *instant = report->instant;
    const Model *model = report->show->motion->model;
    const char *joule = show_si(model, " J");
    text_add_char(out, '\n');
    if (instant->has_energy) {
        show_padded("energies", NAME_WIDTH, out);
        text_add(out, "T = ");
        show_number(instant->T, out);
        text_addf(out, "%s, U = ", joule);
        show_number(instant->U, out);
        text_addf(out, "%s, T + U = ", joule);
        show_number(instant->T + instant->U, out);
        text_addf(out, "%s\n", joule);
    }
    powers_text(report, out);
    const MotionRow *row;
    for (size_t i = 0; (row = show_nonlinear_row(report->show, i)); i++) {
        show_padded(i ? "" : "work", NAME_WIDTH, out);
        text_addf(out, "%s gives the power ", row->constraint->name);
        show_number(instant->powers[row - report->show->motion->rows], out);
        text_addf(out, "%s\n", show_si(model, " W"));
    }
    show_padded("constraint", NAME_WIDTH, out);
    if (instant->has_free || motion_dsigma(report->show->motion)) {
        show_number(instant->constraint, out);
        text_addf(out, "%s   (Gauss's function%s)\n", show_si(model, " N*m/s^2"),
                  motion_dsigma(report->show->motion) ? " S − Σ Q·q″, Appell 17" : "");
    } else {
        text_add(out, "none: without reactions nothing would move what has no inertia\n");
    }
}

static void poor_text(const char *what, double condition, const char *remedy, Text *out)
{
    if (condition > POOR)
        text_addf(out, "%s %s poorly determined here: about %.0f digits are lost; %s\n", what,
                  strcmp(what, "the multipliers") == 0 ? "are" : "is", log10(condition), remedy);
}

static void conditioning_text(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    const RunInstant *instant = report->instant;
    show_padded("conditioning", NAME_WIDTH, out);
    text_addf(out, "conditions %.3g, inertia %.3g   (1 is best)\n", instant->conditions,
              instant->inertia);
    poor_text("the multipliers", instant->conditions, "some conditions say almost the same", out);
    poor_text("the acceleration", instant->inertia, "some free velocity has almost no inertia",
              out);
    if (instant->rank == motion->m)
        return;
    for (size_t i = 0; i < motion->m; i++)
        if (instant->redundant[i])
            text_addf(out, "%s depends on the conditions before it at this state\n",
                      motion->rows[i].constraint->name);
    text_addf(out,
              "of %zu conditions only %zu are independent here: the acceleration is unique, the "
              "multipliers are those of least norm\n",
              motion->m, instant->rank);
}

void show_instant_text(const Show *show, const RunStart *start, const RunInstant *instant,
                       Text *out)
{
    assert(start->n == show->motion->n);
    const Model *model = show->motion->model;
    Report report = {show, start, instant};
    text_addf(out, "%s, at t = ", *model->title ? model->title : model->name);
    text_add_decimal(out, instant->t);
    text_add(out, "\n\n");
    show_start_impact_text(show, start, &instant->sides, out);
    table_text(&report, out);
    values_text(&report, out);
    show_contacts_text(show, &instant->sides, out);
    show_friction_text(&instant->sides, out);
    show_instant_events_text(show, instant, out);
    show_mayer_text(show, &instant->sides, out);
    show_trials_text(&instant->sides, out);
    show_branches_text(show, &instant->branches, out);
    reactions_text(&report, out);
    energies_text(&report, out);
    conditioning_text(&report, out);
}

// ---- JSON.

static void json_by_coordinate(const Report *report, const char *key, const double *values,
                               Text *out)
{
    const Model *model = report->show->motion->model;
    text_addf(out, ",\"%s\":{", key);
    for (size_t i = 0; i + model->rated_count < model->coords.count; i++)
        show_json_entry(i == 0, model->coords.at[i].name, values[i], out);
    text_add(out, "}");
}

// Of discrete states their values, of continuous ones also their rates.
static void json_states(const Report *report, Text *out)
{
    const Model *model = report->show->motion->model;
    const RunStart *start = report->start;
    size_t told = 0, first = start->n - model->rated_count;
    if (model->state_count + model->rated_count == 0)
        return;
    text_add(out, ",\"states\":{");
    for (size_t i = 0; i < model->params.count; i++)
        if (model->params.at[i].is_state)
            show_json_entry(told++ == 0, model->params.at[i].name, start->params[i], out);
    for (size_t i = first; i < start->n; i++)
        show_json_entry(told++ == 0, model->coords.at[i].name, start->q[i], out);
    text_add(out, "}");
    for (size_t i = first; i < start->n; i++) {
        text_add(out, i > first ? "" : ",\"rates\":{");
        show_json_entry(i == first, model->coords.at[i].name, start->v[i], out);
        text_add(out, i + 1 < start->n ? "" : "}");
    }
}

// The state's speeds, and the declared ones that are more than that.
static void json_speeds(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    bool first = true;
    text_add(out, ",\"u\":{");
    for (size_t i = 0; i < motion->model->speeds.count; i++, first = false)
        show_json_entry(first, motion->model->speeds.at[i].name, report->instant->speeds[i], out);
    for (size_t i = 0; i < motion->k; i++) {
        if (motion->state.speeds[i].declared)
            continue;
        show_json_entry(first, motion->state.speeds[i].name, report->start->u[i], out);
        first = false;
    }
    text_add(out, "}");
}

static void json_outputs(const Report *report, Text *out)
{
    const Model *model = report->show->motion->model;
    if (model->outputs.count == 0)
        return;
    text_add(out, ",\"outputs\":{");
    for (size_t i = 0; i < model->outputs.count; i++)
        show_json_entry(i == 0, model->outputs.at[i].name, report->instant->outputs[i], out);
    text_add(out, "}");
}

// Constant inputs are parameters, and told as these are.
static void json_inputs(const Report *report, Text *out)
{
    const Model *model = report->show->motion->model;
    if (model->inputs.count == 0)
        return;
    text_add(out, ",\"inputs\":{");
    for (size_t i = 0; i < model->inputs.count; i++)
        show_json_entry(i == 0, model->inputs.at[i].name, report->instant->inputs[i], out);
    text_add(out, "}");
}

static void json_multipliers(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    const RunSides *sides = &report->instant->sides;
    bool first = true;
    text_add(out, ",\"lambda\":{");
    for (size_t i = 0; i < motion->in_force_count; i++) {
        if (motion->in_force[i]->silent)
            continue;
        show_json_entry(first, motion->in_force[i]->name, report->start->lambda[i], out);
        first = false;
    }
    for (size_t i = 0; i < sides->count; i++, first = false)
        show_json_entry(first, sides->at[i].constraint->name, sides->at[i].lambda, out);
    text_add(out, "}");
}

static void json_triple(const char *key, bool there, const double *v, Text *out)
{
    text_addf(out, ",\"%s\":", key);
    if (!there) {
        text_add(out, "null");
        return;
    }
    for (int i = 0; i < 3; i++) {
        text_add(out, i ? "," : "[");
        show_json_number(v[i], out);
    }
    text_add(out, "]");
}

static void json_reactions(const Report *report, Text *out)
{
    const RunInstant *instant = report->instant;
    const MotionReactions *reactions = instant->reactions;
    text_add(out, ",\"reactions\":[");
    for (size_t i = 0; i < reactions->at.count; i++) {
        const MotionReaction *reaction = &reactions->at.at[i];
        text_add(out, i ? "," : "");
        show_json_reaction_head(reaction, out);
        json_triple("position", reaction->has_force, instant->at[i].position, out);
        json_triple("force", reaction->has_force, instant->at[i].force, out);
        json_triple("couple", reaction->has_couple, instant->at[i].couple, out);
        text_add(out, "}");
    }
    text_add(out, "],\"totals\":[");
    for (size_t i = 0; i < reactions->totals.count; i++) {
        text_add(out, i ? ",{\"on\":" : "{\"on\":");
        show_json_string(reactions->totals.at[i].on, out);
        json_triple("position", true, instant->totals[i].position, out);
        json_triple("force", true, instant->totals[i].force, out);
        json_triple("couple", reactions->totals.at[i].turns, instant->totals[i].couple, out);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void json_conditions(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    bool first = true;
    text_addf(out, ",\"rank\":%zu,\"redundant\":[",
              report->instant->rank - report->show->motion->model->rated_count);
    for (size_t i = 0; i < motion->m; i++) {
        if (!report->instant->redundant[i])
            continue;
        text_add(out, first ? "" : ",");
        show_json_string(motion->rows[i].constraint->name, out);
        first = false;
    }
    text_add(out, "],\"set_aside\":[");
    for (size_t i = 0; i < motion->aside.count; i++) {
        text_add(out, i ? "," : "");
        show_json_string(motion->aside.at[i].constraint->name, out);
    }
    text_add(out, "],\"conditioning\":{\"conditions\":");
    show_json_number(report->instant->conditions, out);
    text_add(out, ",\"inertia\":");
    show_json_number(report->instant->inertia, out);
    text_add(out, "}");
}

static void json_energies(const RunInstant *instant, Text *out)
{
    text_add(out, ",\"energy\":{\"T\":");
    show_json_number(instant->has_energy ? instant->T : NAN, out);
    text_add(out, ",\"U\":");
    show_json_number(instant->has_energy ? instant->U : NAN, out);
    text_add(out, "},\"constraint\":");
    bool known = instant->has_free || instant->branches.count > 0;
    show_json_number(known ? instant->constraint : NAN, out);
}

// What servos, and the reactions of conditions that are not linear in the velocities, do in a unit
// of time.
static void json_powers(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    size_t written = 0;
    for (size_t i = 0; i < motion->m; i++) {
        const MotionRow *row = &motion->rows[i];
        if ((!row->servo && row->linear) || row->constraint->hidden || row->constraint->rated)
            continue;
        text_add(out, written ? "" : ",\"power\":{");
        show_json_entry(written++ == 0, row->constraint->name, report->instant->powers[i], out);
    }
    text_add(out, written ? "}" : "");
}

// In what the numbers are.
static void json_units(const Report *report, Text *out)
{
    const Motion *motion = report->show->motion;
    const Model *model = motion->model;
    bool first = true;
    show_json_unit(model, "t", &first, out);
    for (size_t i = 0; i < model->coords.count; i++) {
        show_json_unit(model, model->coords.at[i].name, &first, out);
        show_json_unit(model, expr_name(model->pool, model->coords.at[i].v), &first, out);
    }
    for (size_t i = 0; i < model->speeds.count; i++)
        show_json_unit(model, model->speeds.at[i].name, &first, out);
    for (size_t i = 0; i < model->params.count; i++)
        if (model->params.at[i].is_state)
            show_json_unit(model, model->params.at[i].name, &first, out);
    for (size_t i = 0; i < model->inputs.count; i++)
        show_json_unit(model, model->inputs.at[i].name, &first, out);
    for (size_t i = 0; i < motion->in_force_count; i++)
        if (!motion->in_force[i]->silent)
            show_json_unit(model, expr_name(motion->pool, motion->in_force[i]->lambda), &first,
                           out);
    for (size_t i = 0; i < model->outputs.count; i++)
        show_json_unit(model, model->outputs.at[i].name, &first, out);
    show_json_unit(model, "energy", &first, out);
    if (!first && model->units)
        text_add(out, ",\"position\":\"m\",\"force\":\"N\",\"couple\":\"N*m\",\"power\":\"W\"");
    text_add(out, first ? "" : "}");
}

void show_instant_json(const Show *show, const RunStart *start, const RunInstant *instant,
                       Text *out)
{
    assert(start->n == show->motion->n);
    Report report = {show, start, instant};
    text_add(out, "{\"t\":");
    text_add_decimal(out, instant->t);
    json_by_coordinate(&report, "q", start->q, out);
    json_by_coordinate(&report, "v", start->v, out);
    json_speeds(&report, out);
    json_by_coordinate(&report, "a", start->a, out);
    json_multipliers(&report, out);
    show_contacts_json_active(&instant->sides, out);
    json_states(&report, out);
    json_inputs(&report, out);
    show_events_json(report.show, out);
    json_outputs(&report, out);
    json_energies(instant, out);
    json_powers(&report, out);
    if (instant->has_free)
        json_by_coordinate(&report, "free", instant->free, out);
    else
        text_add(out, ",\"free\":null");
    json_reactions(&report, out);
    show_json_generalized(show, instant->reactions, instant->generalized, out);
    json_conditions(&report, out);
    if (instant->sides.count > 0 || instant->sides.shock)
        show_contacts_json(show, &instant->sides, out);
    show_friction_json(show, &instant->sides, out);
    show_instant_events_json(show, instant, out);
    show_mayer_json(&instant->sides, out);
    show_trials_json(&instant->sides, out);
    if (instant->branches.count > 0)
        show_branches_json(show, &instant->branches, out);
    json_units(&report, out);
    text_add(out, "}\n");
}

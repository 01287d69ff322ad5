// run_summary.c: what is said of a run at its end, for a person and in its files.
#include "api/run_summary_impl.h"

#include "linalg/tolerances.h"
#include "simulate/run_energy.h"

#include <math.h>
#include <string.h>

enum { MOST_MOMENTA = 8 }; // that have a line each

// ---- What is constant, and what changes the energy.

static const char *how_watched(const RunSummary *summary)
{
    return summary->is_watched ? "constant, watched" : "constant, not watched";
}

static bool is_given(const RunEnergy *energy)
{
    return energy->has_forces || energy->has_impulses || energy->has_events || energy->is_driven;
}

static double given_by_others(const RunEnergy *energy)
{
    double given = energy->change + energy->shocks + energy->friction + energy->damping;
    return fabs(given) <= TOL_ZERO * energy->largest ? 0 : given;
}

// "0.3 given by forces and impulses"; what they took is told as that.
static void add_given(const RunEnergy *energy, const char *comma, const char *joule, Text *out)
{
    const struct {
        bool there;
        const char *name;
    } givers[] = {{energy->has_forces, "forces"},
                  {energy->has_impulses, "impulses"},
                  {energy->has_events, "events"},
                  {energy->is_driven, "driven parts"}};
    double given = given_by_others(energy);
    text_addf(out, "%s%.6g%s %s by ", comma, fabs(given), joule, given < 0 ? "taken" : "given");
    const char *and = "";
    for (size_t i = 0; i < sizeof givers / sizeof *givers; i++)
        if (givers[i].there) {
            text_addf(out, "%s%s", and, givers[i].name);
            and = " and ";
        }
}

// What is 0 has no part in it, unless all is.
static void report_balance(const RunEnergy *energy, const char *joule, Text *out)
{
    const struct {
        bool there;
        double lost;
        const char *where;
    } losses[] = {{energy->shocks != 0, energy->shocks, "in shocks"},
                  {energy->has_friction, energy->friction, "in dry friction"},
                  {energy->has_damping, energy->damping, "in damping"}};
    const char *comma = "", *lost = " lost";
    bool nothing = energy->shocks == 0 && energy->friction == 0 && energy->damping == 0;
    text_add(out, "energy: ");
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        if (!losses[i].there || (losses[i].lost == 0 && (!nothing || is_given(energy))))
            continue;
        text_addf(out, "%s%.*g%s%s %s", comma, i == 0 ? 10 : 6, losses[i].lost, joule, lost,
                  losses[i].where);
        comma = ", ";
        lost = "";
    }
    if (is_given(energy))
        add_given(energy, comma, joule, out);
    text_add(out, "\n");
}

static void report_integral(const Motion *motion, const RunSummary *summary, const char *name,
                            double change, Text *out)
{
    Text column = {0};
    ColumnUnit unit;
    text_addf(&column, "momentum.%s", name);
    bool known = model_column_unit(motion->model, column.at, &unit);
    text_clear(&column);
    show_spelled(motion->model, name, out);
    text_addf(out, " changes by at most %.1e%s%s (%s)\n", change, known ? " " : "",
              known ? unit.si : "", how_watched(summary));
}

// Of many momenta a few.
static void report_momenta(const Motion *motion, const RunSummary *summary, Text *out)
{
    const RunEnergy *energy = summary->energy;
    size_t shown = energy->momentum_count <= MOST_MOMENTA ? energy->momentum_count : 0;
    double most = 0;
    for (size_t i = 0; i < shown; i++) {
        text_add(out, "momentum of ");
        report_integral(motion, summary, energy->momenta[i].coordinate, energy->momenta[i].change,
                        out);
    }
    for (size_t i = shown; i < energy->momentum_count; i++)
        most = fmax(most, energy->momenta[i].change);
    if (energy->momentum_count > shown)
        text_addf(out, "%zu momenta change by at most %.1e (%s)\n", energy->momentum_count, most,
                  how_watched(summary));
}

// Whether a first integral is a momentum that every run watches.
static bool is_momentum(const RunEnergy *energy, const char *integral)
{
    const char *of = "momentum of ";
    size_t length = strlen(of);
    for (size_t i = 0; i < energy->momentum_count; i++)
        if (strncmp(integral, of, length) == 0 &&
            strcmp(integral + length, energy->momenta[i].coordinate) == 0)
            return true;
    return false;
}

void run_add_energy(const Motion *motion, const RunSummary *summary, const RunAudit *audit,
                    Text *out)
{
    const RunEnergy *energy = summary->energy;
    bool works = energy->has_friction || energy->has_damping || is_given(energy);
    bool has_energy = !expr_is_none(motion->energy);
    const char *joule = show_si(motion->model, " J");
    if (has_energy && summary->is_conservative && energy->is_apart)
        text_addf(out, "energy (Σ q′ ∂T/∂q′ − T + U) changes by at most %.1e%s (%s)\n",
                  energy->apart_change, joule, how_watched(summary));
    else if (has_energy && summary->is_conservative)
        text_addf(out, "energy changes by at most %.1e%s%s (%s)\n", summary->energy_drift, joule,
                  energy->has_events             ? " beside what events change"
                  : works || energy->shocks != 0 ? " beside what shocks take"
                                                 : "",
                  how_watched(summary));
    else if (has_energy && !works)
        text_addf(out, "energy changes by at most %.1e%s\n", summary->energy_drift, joule);
    if (has_energy && (works || energy->shocks != 0))
        report_balance(energy, joule, out);
    report_momenta(motion, summary, out);
    RunAuditReport report = audit ? run_audit_report(audit) : (RunAuditReport){0};
    for (size_t i = 0; i < report.integral_count; i++)
        if (!is_momentum(energy, report.integrals[i].name))
            report_integral(motion, summary, report.integrals[i].name, report.integrals[i].drift,
                            out);
}

// Why the method is another one than by default.
static void add_choice(const Motion *motion, const RunOptions *settings, Text *out)
{
    const char *method = run_method_name(settings->method);
    if (settings->chooses_method && settings->smooth)
        text_addf(out, ", method %s (chosen: a smooth motion of %zu coordinates, tolerance %.3g)",
                  method, motion->n, settings->tolerance);
    else if (settings->chooses_method)
        text_addf(out,
                  ", method %s (chosen: forces of coordinates alone of %zu operations, tolerance "
                  "%.3g)",
                  method, settings->operations, settings->tolerance);
    if (settings->instead)
        text_addf(out, ", method %s (chosen: %s)", method, settings->instead);
}

static void add_stop(const Model *model, const RunSummary *summary, Text *out)
{
    const RunStop *stop = &summary->stop;
    if (stop->event)
        text_addf(out, "stopped by '%s' at t = %.10g%s%s%s\n", stop->event, summary->reached,
                  show_si(model, " s"), *stop->text ? ": " : "", stop->text);
}

void run_add_summary(const Going *going, const RunSummary *summary, const RunAudit *audit,
                     Text *out)
{
    const Motion *motion = going->model->motion;
    const char *file = going->options->out;
    text_addf(out, "%s: t = 0 … %.10g%s, %zu step%s of order %zu", going->model->model->name,
              summary->reached, show_si(motion->model, " s"), summary->steps,
              summary->steps == 1 ? "" : "s", summary->order);
    if (going->settings.method != RUN_TAYLOR)
        text_addf(out, " (%s), %zu evaluations", run_method_name(going->settings.method),
                  summary->evaluations);
    if (summary->speed_changes)
        text_addf(out, ", other independent speeds taken %zu time%s", summary->speed_changes,
                  summary->speed_changes == 1 ? "" : "s");
    add_choice(motion, &going->settings, out);
    text_add(out, "\n");
    add_stop(motion->model, summary, out);
    if (isfinite(summary->step_error))
        text_addf(out, "steps of %.3g; twice as long they differ by at most %.1e of the size\n",
                  summary->step, summary->step_error);
    if (motion->model->constraints.count > motion->side_count)
        text_addf(out, "conditions hold to %.1e\n", summary->largest_residual);
    if (motion->side_count + motion->model->pairs.count > 0)
        text_addf(out,
                  going->settings.method == RUN_TIMESTEPPING
                      ? "one-sided conditions are violated by at most %.1e\n"
                      : "one-sided conditions hold: bounded between rows, at most %.1e beyond\n",
                  fmax(summary->deepest, summary->bounded));
    if (summary->friction_missed > 0)
        text_addf(out, "friction of many contacts: every step meets it to %.1e of the velocities\n",
                  summary->friction_missed);
    run_add_energy(motion, summary, audit, out);
    show_events_summary(going->outputs.events, going->model->model, out);
    if (summary->input_pieces > 0)
        text_addf(
            out,
            "inputs: time subdivided into %zu interval%s, nothing narrower than %.1e was left "
            "out\n",
            summary->input_pieces, summary->input_pieces == 1 ? "" : "s", summary->input_shortest);
    if (file && strcmp(file, "-") != 0)
        text_addf(out, "%zu row%s in %s\n", summary->rows, summary->rows == 1 ? "" : "s", file);
    if (going->options->events && strcmp(going->options->events, "-") != 0)
        text_addf(out, "the events in %s\n", going->options->events);
    for (size_t i = 0; i < going->options->plot_count; i++)
        text_addf(out, "a plot in %s\n", show_plot_path(going->options->plots[i]));
    if (going->options->picture)
        text_addf(out, "a picture in %s\n", show_picture_path(going->options->picture));
}

// What a file in JSON says of the run beside rows and events.
static void add_name(const char *name, bool *first, Text *out)
{
    text_add(out, *first ? "" : ",");
    show_json_string(name, out);
    *first = false;
}

static void add_watched(const RunSummary *summary, const RunAudit *audit, Text *out)
{
    const RunEnergy *energy = summary->energy;
    bool first = true, watched = summary->is_watched;
    if (watched && summary->is_conservative)
        add_name("energy", &first, out);
    for (size_t i = 0; i < energy->momentum_count && watched; i++) {
        Text name = {0};
        text_addf(&name, "momentum of %s", energy->momenta[i].coordinate);
        add_name(name.at, &first, out);
        text_clear(&name);
    }
    RunAuditReport report = audit ? run_audit_report(audit) : (RunAuditReport){0};
    for (size_t i = 0; i < report.integral_count; i++)
        if (!watched || !is_momentum(energy, report.integrals[i].name))
            add_name(report.integrals[i].name, &first, out);
}

static void add_balance(const RunEnergy *energy, Text *out)
{
    text_add(out, ",\"energy_balance\":{");
    show_json_entry(true, "change", energy->change, out);
    show_json_entry(false, "shocks", energy->shocks, out);
    show_json_entry(false, "friction", energy->friction + energy->damping, out);
    show_json_entry(false, "dry_friction", energy->friction, out);
    show_json_entry(false, "given", given_by_others(energy), out);
    text_add(out, "}");
}

static void add_stop_json(const RunSummary *summary, Text *out)
{
    const RunStop *stop = &summary->stop;
    text_add(out, stop->event ? ",\"stopped\":{\"event\":" : ",\"stopped\":null");
    if (!stop->event)
        return;
    show_json_string(stop->event, out);
    show_json_entry(false, "t", summary->reached, out);
    text_add(out, ",\"text\":");
    show_json_string(stop->text, out);
    text_add(out, "}");
}

// In what the columns are, by their names.
static void add_units(const Going *going, Text *out)
{
    bool first = true;
    for (size_t i = 0; i < run_column_count(going->run); i++)
        show_json_unit(going->model->model, run_column_name(going->run, i), &first, out);
    text_add(out, first ? "" : "}");
}

void run_add_facts(Going *going, const RunSummary *summary, const RunAudit *audit)
{
    const Diag *diag = going->model->diag;
    Text facts = {0};
    bool first = true;
    text_add(&facts, ",\"watched\":[");
    add_watched(summary, audit, &facts);
    text_add(&facts, "]");
    if (!expr_is_none(going->model->motion->energy))
        add_balance(summary->energy, &facts);
    add_stop_json(summary, &facts);
    text_add(&facts, ",\"warnings\":[");
    for (size_t i = 0; i < diag_total(diag); i++) {
        DiagKind kind;
        Place place;
        const char *message = diag_message(diag, i, &kind, &place);
        if (kind == DIAG_WARNING)
            add_name(message, &first, &facts);
    }
    text_add(&facts, "]");
    add_units(going, &facts);
    text_addf(&facts, ",\"zwang_version\":\"%s\"", zw_version());
    outputs_facts(&going->outputs, facts.at, going->model->diag);
    text_clear(&facts);
}

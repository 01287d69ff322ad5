// audit_report.c: what an audit found, for a person and as JSON.
#include "show/json_impl.h"
#include "show/show.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Below it, a power of the time is rounding that happens to lie so.
#define LEAST_POWER 0.5

// ---- Text.

static void add_group(const RunGroup *group, Text *out)
{
    text_addf(out, "  %-12s differ by at most %.1e of their size", group->name, group->difference);
    if (group->difference > 0) {
        text_add(out, " (");
        show_name(group->worst, out);
        text_addf(out, " at t = %.6g)", group->t);
    }
    text_addf(out, ", at the end by %.1e\n", group->at_end);
}

static void add_growth(const RunAuditReport *report, double to, Text *out)
{
    if (!isnan(report->horizon))
        text_addf(out, "  from t = %.4g on no digit is sure", report->horizon);
    else if (report->compared < to)
        text_addf(out, "  up to t = %.6g about %.0f digits are sure", report->compared,
                  report->digits);
    else
        text_addf(out, "  about %.0f digits are sure at the end", report->digits);
    if (!isnan(report->e_fold))
        text_addf(out, "; the difference grows e times every %.2g", report->e_fold);
    else if (report->power > LEAST_POWER)
        text_addf(out, "; the difference grows like t^%.1f", report->power);
    if (!isnan(report->expected))
        text_addf(out, ", so that none would be sure from t = %.4g on", report->expected);
    text_add(out, "\n");
}

static void add_comparison(const RunAuditReport *report, double to, Text *out)
{
    text_addf(out, "audit: a second run (%s, tolerance %.1g)", run_method_name(report->method),
              report->tolerance);
    if (report->compared == 0) {
        text_add(out, " was not made\n");
        return;
    }
    if (report->compared < to)
        text_addf(out, " that went no further than t = %.6g", report->compared);
    if (!isnan(report->agreement))
        text_addf(out, ", and a third (%s) that agrees to %.1e", run_method_name(report->opinion),
                  report->agreement);
    text_add(out, "; the error is estimated, not bounded\n");
    for (size_t i = 0; i < RUN_GROUP_COUNT; i++)
        if (report->groups[i].count > 0)
            add_group(&report->groups[i], out);
    add_growth(report, to, out);
}

static void add_energy(const RunAuditReport *report, Text *out)
{
    if (!report->has_energy) {
        text_add(out, report->changes
                          ? ""
                          : "  energy: none is defined: no T belongs to the acceleration_energy\n");
        return;
    }
    text_addf(out, "  energy%s ", report->is_total ? "" : " (Σ q′ ∂T/∂q′ − T + U)");
    if (report->rubs)
        text_addf(out, "changes by at most %.1e, and what dry friction takes is not counted here",
                  report->energy.drift);
    else if (!report->has_balance)
        text_addf(out, "drifts by at most %.1e", report->energy.drift);
    else if (report->is_followed)
        text_addf(out, "less the work done, %.6g: drifts by at most %.1e", report->work,
                  report->energy.drift);
    else
        text_addf(out,
                  "changes by at most %.1e; what changes it could not be followed, since the "
                  "method knows no states inside its steps",
                  report->energy.drift);
    text_addf(out, ", T and U being up to %.3g\n", report->energy.largest);
}

static const char *const levels[RUN_LEVEL_COUNT] = {"positions", "velocities", "accelerations"};

static void add_conditions(const RunAuditReport *report, Text *out)
{
    bool begun = false;
    for (size_t i = 0; i < RUN_LEVEL_COUNT; i++) {
        const RunMiss *worst = &report->misses[i];
        if (!worst->name)
            continue;
        text_addf(out, "%sin %s to %.1e (%s)",
                  begun ? ", " : "  conditions hold, against their largest terms, ", levels[i],
                  worst->part, worst->name);
        begun = true;
    }
    text_add(out, begun ? "\n" : "");
}

void show_audit_text(const RunAuditReport *report, double to, Text *out)
{
    assert(report && out);
    add_comparison(report, to, out);
    add_energy(report, out);
    for (size_t i = 0; i < report->integral_count; i++) {
        const RunDrift *integral = &report->integrals[i];
        const char *space = strrchr(integral->name, ' ');
        const char *of = space ? space + 1 : integral->name;
        text_addf(out, "  %.*s", (int)(of - integral->name), integral->name);
        show_name(of, out);
        text_addf(out, " = %.6g drifts by at most %.1e\n", integral->first, integral->drift);
    }
    add_conditions(report, out);
}

// ---- JSON.

static void add_number(const char *key, double value, Text *out)
{
    text_addf(out, "\"%s\":", key);
    show_json_number(value, out);
}

static void add_text(const char *key, const char *value, Text *out)
{
    text_addf(out, "\"%s\":", key);
    show_json_string_or_null(value, out);
}

static void json_comparison(const RunAuditReport *report, Text *out)
{
    text_add(out, "{");
    add_text("method", run_method_name(report->method), out);
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"tolerance", report->tolerance}, {"compared", report->compared},
                   {"error", report->error},         {"digits", report->digits},
                   {"e_fold", report->e_fold},       {"power", report->power},
                   {"horizon", report->horizon},     {"expected", report->expected}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_add(out, ",");
        add_number(numbers[i].key, numbers[i].value, out);
    }
    text_add(out, ",\"differences\":{");
    bool first = true;
    for (size_t i = 0; i < RUN_GROUP_COUNT; i++) {
        const RunGroup *group = &report->groups[i];
        if (group->count == 0)
            continue;
        text_addf(out, "%s\"%s\":{", first ? "" : ",", group->name);
        add_text("worst", group->worst, out);
        text_add(out, ",");
        add_number("difference", group->difference, out);
        text_add(out, ",");
        add_number("t", group->t, out);
        text_add(out, ",");
        add_number("at_end", group->at_end, out);
        text_add(out, "}");
        first = false;
    }
    text_add(out, "},");
    add_text("opinion", isnan(report->agreement) ? NULL : run_method_name(report->opinion), out);
    text_add(out, ",");
    add_number("agreement", report->agreement, out);
}

static void json_drift(const RunDrift *drift, Text *out)
{
    text_add(out, "{");
    add_text("name", drift->name, out);
    text_add(out, ",");
    add_number("first", drift->first, out);
    text_add(out, ",");
    add_number("largest", drift->largest, out);
    text_add(out, ",");
    add_number("drift", drift->drift, out);
    text_add(out, ",");
    add_number("t", drift->t, out);
}

static void json_condition(const char *key, const RunMiss *worst, Text *out)
{
    text_addf(out, "\"%s\":", key);
    if (!worst->name) {
        text_add(out, "null");
        return;
    }
    text_add(out, "{");
    add_text("worst", worst->name, out);
    text_add(out, ",");
    add_number("miss", worst->part, out);
    text_add(out, "}");
}

void show_audit_json(const RunAuditReport *report, Text *out)
{
    json_comparison(report, out);
    text_add(out, ",\"energy\":");
    if (report->has_energy) {
        json_drift(&report->energy, out);
        text_addf(out, ",\"total\":%s,", report->is_total ? "true" : "false");
        bool known = !report->rubs && (!report->has_balance || report->is_followed);
        add_number("work", known ? report->work : NAN, out);
        text_add(out, "}");
    } else {
        text_add(out, "null");
    }
    text_add(out, ",\"integrals\":[");
    for (size_t i = 0; i < report->integral_count; i++) {
        text_add(out, i ? "," : "");
        json_drift(&report->integrals[i], out);
        text_add(out, "}");
    }
    text_add(out, "]");
    for (size_t i = 0; i < RUN_LEVEL_COUNT; i++) {
        text_add(out, ",");
        json_condition(levels[i], &report->misses[i], out);
    }
    text_add(out, "}");
}

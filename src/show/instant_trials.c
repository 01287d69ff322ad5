// instant_trials.c: the combinations of stick and slip at an instant, each with the quantity that
// rejects it.
#include "contact/friction_trials.h"
#include "show/instant_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/show_impl.h"

#include <math.h>

enum { MOST_LINES = 40 };

static double length_of(const double *values, size_t count)
{
    double square = 0;
    for (size_t i = 0; i < count; i++)
        square += values[i] * values[i];
    return sqrt(square);
}

static void add_value(const char *what, const char *name, double value, Text *out)
{
    text_addf(out, "%s of ", what);
    show_name(name, out);
    text_add(out, " = ");
    show_number(value, out);
}

// What each contact is assumed to do, and the reactions that belong to it.
static void modes_text(const RunSides *sides, const FrictionTrial *trial, Text *out)
{
    for (size_t l = 0; l < sides->contact_count; l++) {
        size_t normals = sides->contact_normals[l], tangents = sides->contact_tangents[l];
        const double *forces = trial->forces + sides->contact_rows[l];
        FrictionMode mode = trial->modes[l];
        text_add(out, l ? ", " : "");
        show_name(sides->contact_names[l], out);
        text_add(out, mode == FRICTION_OPEN     ? " opens"
                      : tangents == 0           ? " acts"
                      : mode == FRICTION_STICKS ? " sticks"
                                                : " slips");
        if (mode == FRICTION_OPEN || trial->verdict == TRIAL_DEPENDENT)
            continue;
        text_add(out, " (");
        if (normals > 0) {
            text_add(out, normals == 1 ? "λ = " : "|λ| = ");
            show_number(normals == 1 ? forces[0] : length_of(forces, normals), out);
        }
        if (tangents > 0) {
            text_add(out, normals ? ", F = " : "F = ");
            show_number(tangents == 1 ? forces[normals] : length_of(forces + normals, tangents),
                        out);
        }
        text_add(out, ")");
    }
}

static void verdict_text(const RunSides *sides, const FrictionTrial *trial, Text *out)
{
    const char *name = sides->contact_names[trial->by];
    switch (trial->verdict) {
    case TRIAL_TRUE: text_add(out, "true"); return;
    case TRIAL_DEPENDENT: text_add(out, "dropped: reactions are not determined"); return;
    case TRIAL_ENTERS:
        add_value("false: f″", name, trial->value, out);
        text_add(out, " > 0");
        return;
    case TRIAL_PULLS:
        add_value("false: λ", name, trial->value, out);
        text_add(out, trial->value < 0 ? " < 0" : " > 0");
        return;
    case TRIAL_LEAVES:
        add_value("false: μ_s N − |F|", name, trial->value, out);
        text_add(out, " < 0");
        return;
    case TRIAL_TURNS:
        add_value("false: the acceleration along its own sliding", name, trial->value, out);
        text_add(out, " < 0");
        return;
    case TRIAL_HOLDS:
        add_value("false: it is held, by μ_s N − |F|", name, trial->value, out);
        return;
    }
}

void show_trials_text(const RunSides *sides, Text *out)
{
    const FrictionTrials *trials = sides->trials;
    if (!trials)
        return;
    if (trials->count == 0) {
        text_add(out,
                 "\nno contact restricts the accelerations: nothing sticks and nothing slips\n");
        return;
    }
    text_addf(out,
              "\n%zu combination%s of stick and slip, each solved as equations: f″ = 0 of what "
              "acts, u′ = 0 of what sticks, F = −μ N u/|u| of what slips\n",
              trials->count, trials->count == 1 ? "" : "s");
    for (size_t i = 0; i < trials->count; i++) {
        Text line = {0};
        const FrictionTrial *trial = &trials->at[i];
        if (i == MOST_LINES && trials->count > MOST_LINES + 1)
            text_addf(out, "    … %zu more\n", trials->count - MOST_LINES);
        if (i >= MOST_LINES && trial->verdict != TRIAL_TRUE)
            continue;
        modes_text(sides, trial, &line);
        text_add(&line, ": ");
        verdict_text(sides, trial, &line);
        text_add(out, "    ");
        show_line(line.at, out);
        text_clear(&line);
    }
}

// ---- JSON.

static void json_names(const RunSides *sides, const FrictionTrial *trial, const char *key,
                       bool (*is)(FrictionMode mode, size_t tangents), Text *out)
{
    bool first = true;
    text_addf(out, "\"%s\":[", key);
    for (size_t l = 0; l < sides->contact_count; l++)
        if (is(trial->modes[l], sides->contact_tangents[l])) {
            text_add(out, first ? "" : ",");
            show_json_string(sides->contact_names[l], out);
            first = false;
        }
    text_add(out, "],");
}

static bool acts(FrictionMode mode, size_t tangents)
{
    return (void)tangents, mode != FRICTION_OPEN;
}

static bool sticks(FrictionMode mode, size_t tangents)
{
    return tangents > 0 && mode == FRICTION_STICKS;
}

static bool slips(FrictionMode mode, size_t tangents)
{
    return tangents > 0 && mode == FRICTION_SLIPS;
}

void show_trials_json(const RunSides *sides, Text *out)
{
    static const char *const quantities[] = {[TRIAL_ENTERS] = "phi.",
                                             [TRIAL_PULLS] = "lambda.",
                                             [TRIAL_LEAVES] = "margin.",
                                             [TRIAL_TURNS] = "slip.",
                                             [TRIAL_HOLDS] = "margin."};
    const FrictionTrials *trials = sides->trials;
    if (!trials)
        return;
    text_add(out, ",\"steps\":[");
    for (size_t i = 0; i < trials->count; i++) {
        const FrictionTrial *trial = &trials->at[i];
        Text quantity = {0};
        text_add(out, i ? ",{" : "{");
        json_names(sides, trial, "acts", acts, out);
        json_names(sides, trial, "sticks", sticks, out);
        json_names(sides, trial, "slips", slips, out);
        if (trial->verdict == TRIAL_DEPENDENT)
            text_add(&quantity, "delta");
        else if (trial->verdict != TRIAL_TRUE)
            text_addf(&quantity, "%s%s", quantities[trial->verdict],
                      sides->contact_names[trial->by]);
        text_add(out, "\"rejected_by\":");
        show_json_string_or_null(trial->verdict == TRIAL_TRUE ? NULL : quantity.at, out);
        show_json_entry(false, "value", trial->verdict == TRIAL_TRUE ? NAN : trial->value, out);
        text_add(out, "}");
        text_clear(&quantity);
    }
    text_add(out, "]");
}

// instant_mayer.c: Mayer's procedure at an instant, with the numbers of his paper (1899): Φ_lh
// (15), Φ⁰_l (16), and each set of conditions that is tried, with the quantity that rejects it.
#include "contact/mayer.h"
#include "show/instant_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/show_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { NAME_WIDTH = 14, COLUMN_WIDTH = 15, MOST_COLUMNS = 6, MOST_LINES = 40 };

// The procedure with the names of its conditions.
typedef struct {
    const Show *show;
    const MayerProcedure *told;
    const char **names; // r
} Procedure;

static Procedure procedure_of(const Show *show, const RunSides *sides)
{
    Procedure procedure = {show, sides->mayer, NULL};
    procedure.names = base_alloc((sides->mayer->r + 1) * sizeof *procedure.names);
    for (size_t i = 0, k = 0; i < sides->count; i++)
        if (sides->at[i].kept)
            procedure.names[k++] = sides->at[i].constraint->name;
    return procedure;
}

static const MayerTrial *last_trial(const Procedure *procedure)
{
    assert(procedure->told->count > 0);
    return &procedure->told->trials[procedure->told->count - 1];
}

// ---- (15) and (16).

static void add_name(const char *name, size_t width, Text *out)
{
    Text shown = {0};
    show_name(name, &shown);
    show_padded(shown.at, width, out);
    text_clear(&shown);
}

static void phi_table(const Procedure *procedure, Text *out)
{
    size_t r = procedure->told->r;
    const double *phi = procedure->told->phi;
    show_padded("", 4 + NAME_WIDTH, out);
    for (size_t h = 0; h < r; h++)
        add_name(procedure->names[h], COLUMN_WIDTH, out);
    text_add(out, "Φ⁰\n");
    for (size_t l = 0; l < r; l++) {
        text_add(out, "    ");
        add_name(procedure->names[l], NAME_WIDTH, out);
        for (size_t h = 0; h < r; h++)
            show_cell(show_without_rounding(phi[l * r + h], show_largest(phi + l * r, r)),
                      COLUMN_WIDTH, out);
        show_cell(procedure->told->phi0[l], COLUMN_WIDTH, out);
        show_end_line(out);
    }
}

// Of many conditions, a line each, what is not 0 alone.
static void phi_lines(const Procedure *procedure, Text *out)
{
    size_t r = procedure->told->r;
    for (size_t l = 0; l < r; l++) {
        const double *phi = procedure->told->phi + l * r;
        Text line = {0};
        show_name(procedure->names[l], &line);
        text_add(&line, ": Φ⁰ = ");
        show_number(procedure->told->phi0[l], &line);
        for (size_t h = 0; h < r; h++) {
            double value = show_without_rounding(phi[h], show_largest(phi, r));
            if (value == 0)
                continue;
            text_add(&line, ", Φ with ");
            show_name(procedure->names[h], &line);
            text_add(&line, " = ");
            show_number(value, &line);
        }
        text_add(out, "    ");
        show_line(line.at, out);
        text_clear(&line);
    }
}

static void phi_text(const Procedure *procedure, Text *out)
{
    text_add(out,
             "  Φ_lh (15), what of f″ of l a unit of λ_h takes away, and Φ⁰_l (16), f″ of l in "
             "the free motion\n");
    (procedure->told->r <= MOST_COLUMNS ? phi_table : phi_lines)(procedure, out);
}

// ---- The sets.

static void list_acting(const Procedure *procedure, const bool *acts, Text *out)
{
    size_t named = 0;
    for (size_t l = 0; l < procedure->told->r; l++)
        if (acts[l]) {
            text_add(out, named++ ? ", " : "");
            show_name(procedure->names[l], out);
        }
    text_add(out, named == 0 ? "none acts" : named == 1 ? " acts" : " act");
}

static void value_text(const char *what, const char *name, double value, Text *out)
{
    text_addf(out, "%s of ", what);
    show_name(name, out);
    text_add(out, " = ");
    show_number(value, out);
}

// "Φ¹ of wall": the upper index is how many act.
static void rate_text(const Procedure *procedure, const MayerTrial *trial, size_t l, Text *out)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    Text mark = {0};
    char number[24];
    snprintf(number, sizeof number, "%zu", trial->k);
    text_add(&mark, "Φ");
    for (const char *at = number; *at; at++)
        text_add(&mark, digits[*at - '0']);
    value_text(mark.at, procedure->names[l], trial->rates[l], out);
    text_clear(&mark);
}

static void verdict_text(const Procedure *procedure, const MayerTrial *trial, Text *out)
{
    switch (trial->verdict) {
    case MAYER_TRUE: text_add(out, "true: no Φ > 0 (19), no λ < 0 (20)"); break;
    case MAYER_DEPENDENT:
        text_add(out, "dropped: an equation is a consequence of the others");
        break;
    case MAYER_BREAKS:
        text_add(out, "false: ");
        rate_text(procedure, trial, trial->by, out);
        text_add(out, " > 0 (19)");
        break;
    case MAYER_PULLS:
        text_add(out, "false: ");
        value_text("λ", procedure->names[trial->by], trial->lambda[trial->by], out);
        text_add(out, " < 0 (20)");
        break;
    }
}

static void trial_text(const Procedure *procedure, const MayerTrial *trial, Text *out)
{
    Text line = {0};
    text_addf(&line, "k = %zu: ", trial->k);
    list_acting(procedure, trial->acts, &line);
    if (trial->k > 0) {
        text_add(&line, ", Δ = ");
        show_number(trial->delta, &line);
    }
    for (size_t l = 0; l < procedure->told->r && trial->verdict != MAYER_DEPENDENT; l++)
        if (trial->acts[l]) {
            text_add(&line, ", ");
            value_text("λ", procedure->names[l], trial->lambda[l], &line);
        }
    text_add(&line, ", ");
    verdict_text(procedure, trial, &line);
    text_add(out, "    ");
    show_line(line.at, out);
    text_clear(&line);
}

// Σ_h Φ_gh·λ_h = Φ⁰_g of the set that acts.
static void system_text(const Procedure *procedure, const MayerTrial *trial, Text *out)
{
    size_t r = procedure->told->r;
    for (size_t g = 0; g < r; g++) {
        if (!trial->acts[g])
            continue;
        Text line = {0};
        bool first = true;
        for (size_t h = 0; h < r; h++) {
            double value = procedure->told->phi[g * r + h];
            if (!trial->acts[h] || value == 0)
                continue;
            text_add(&line, first ? (value < 0 ? "−" : "") : value < 0 ? " − " : " + ");
            show_number(fabs(value), &line);
            text_add(&line, "·λ_");
            show_name(procedure->names[h], &line);
            first = false;
        }
        text_add(&line, " = ");
        show_number(procedure->told->phi0[g], &line);
        text_add(out, "    ");
        show_line(line.at, out);
        text_clear(&line);
    }
}

// ---- § 3: the case, for one and two conditions.

static double rate_with(const MayerProcedure *told, size_t l, size_t alone)
{
    return told->phi0[l] - told->phi0[alone] * told->phi[l * 2 + alone] / told->phi[alone * 3];
}

// The conditions are counted so that Φ⁰ of the first is positive, as he does.
static void case_of_two(const Procedure *procedure, Text *out)
{
    const MayerProcedure *told = procedure->told;
    const bool *acts = last_trial(procedure)->acts;
    const double *free = told->trials[0].rates; // Φ⁰ without rounding
    size_t one = free[0] > 0 || !(free[1] > 0) ? 0 : 1, two = 1 - one;
    text_add(out, "  § 3, r = 2, 1 = ");
    show_name(procedure->names[one], out);
    text_add(out, ", 2 = ");
    show_name(procedure->names[two], out);
    if (!acts[0] && !acts[1]) {
        text_add(out, ": Φ⁰_1 ≤ 0, Φ⁰_2 ≤ 0, the motion is the free one (0)\n");
        return;
    }
    text_add(out, ": Φ⁰_1 > 0, Φ¹_2 = Φ⁰_2 − Φ⁰_1·Φ_12/Φ_11 = ");
    show_number(rate_with(told, two, one), out);
    if (acts[one] && !acts[two]) {
        text_add(out, " ≤ 0, the motion is (1)\n");
        return;
    }
    if (!(free[two] > 0)) {
        text_add(out, " > 0, but Φ⁰_2 ≤ 0, the motion is (1, 2)\n");
        return;
    }
    text_add(out, " > 0, Φ⁰_2 > 0, Φ²_1 = Φ⁰_1 − Φ⁰_2·Φ_12/Φ_22 = ");
    show_number(rate_with(told, one, two), out);
    text_addf(out, "%s\n", acts[one] ? " > 0, the motion is (1, 2)" : " ≤ 0, the motion is (2)");
}

static void case_text(const Procedure *procedure, Text *out)
{
    bool free = last_trial(procedure)->k == 0;
    if (procedure->told->r == 2 && last_trial(procedure)->verdict == MAYER_TRUE)
        case_of_two(procedure, out);
    if (procedure->told->r == 1)
        text_addf(out, "  § 3, r = 1: Φ⁰_1 %s\n",
                  !free ? "> 0, the motion is (1), λ_1 = Φ⁰_1/Φ_11"
                  : procedure->told->trials[0].rates[0] < 0
                      ? "< 0, the motion is the free one (0)"
                      : "= 0, so λ_1 = 0: the motions (0) and (1) "
                        "coincide");
}

// ---- The whole.

static void sets_text(const Procedure *procedure, Text *out)
{
    const MayerProcedure *told = procedure->told;
    const MayerTrial *last = last_trial(procedure);
    double sum = 0;
    text_add(out, "  the sets that may act: λ by (17) Σ_h Φ_gh·λ_h = Φ⁰_g with determinant Δ_k "
                  "(18)\n");
    for (size_t i = 0; i + 1 < told->count && i < MOST_LINES; i++)
        trial_text(procedure, &told->trials[i], out);
    if (told->count > MOST_LINES + 1)
        text_addf(out, "    … %zu more sets, all of them false or dropped\n",
                  told->count - MOST_LINES - 1);
    trial_text(procedure, last, out);
    if (!told->found) {
        text_add(out, "  the conditions depend on each other, and there are too many to try all "
                      "sets\n");
        return;
    }
    if (last->k > 0) {
        text_add(out, "  (17) for the last\n");
        system_text(procedure, last, out);
    }
    case_text(procedure, out);
    for (size_t l = 0; l < told->r; l++)
        sum += last->lambda[l] * told->phi0[l];
    text_add(out, "  2Ω = Σ_gh Φ_gh·λ_g·λ_h = ");
    show_number(sum, out);
    text_add(out, ": his sum (6), which is twice Gauss's function, as far as these conditions "
                  "cause it\n");
}

void show_mayer_text(const Show *show, const RunSides *sides, Text *out)
{
    if (!sides->mayer)
        return;
    if (sides->mayer->r == 0) {
        text_add(out, "\nMayer's procedure (1899, § 1): no condition has f = 0 and f′ = 0, so none "
                      "restricts the accelerations\n");
        return;
    }
    Procedure procedure = procedure_of(show, sides);
    size_t r = procedure.told->r;
    text_addf(out,
              "\nMayer's procedure (1899, §§ 1–3): r = %zu condition%s with f = 0 and f′ = 0, "
              "so f″ ≤ 0 (5)\n",
              r, r == 1 ? "" : "s");
    phi_text(&procedure, out);
    sets_text(&procedure, out);
    base_free(procedure.names);
}

// ---- JSON.

static void json_numbers(const double *values, size_t count, Text *out)
{
    text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        show_json_number(values[i], out);
    }
    text_add(out, "]");
}

static void json_names(const Procedure *procedure, const bool *which, Text *out)
{
    bool first = true;
    text_add(out, "[");
    for (size_t l = 0; l < procedure->told->r; l++) {
        if (which && !which[l])
            continue;
        text_add(out, first ? "" : ",");
        show_json_string(procedure->names[l], out);
        first = false;
    }
    text_add(out, "]");
}

static void trial_json(const Procedure *procedure, const MayerTrial *trial, Text *out)
{
    bool first = true, pulls = trial->verdict == MAYER_PULLS;
    text_add(out, "{\"acts\":");
    json_names(procedure, trial->acts, out);
    text_add(out, ",\"rejected_by\":");
    Text quantity = {0};
    if (trial->verdict == MAYER_DEPENDENT)
        text_add(&quantity, "delta");
    else if (trial->verdict != MAYER_TRUE)
        text_addf(&quantity, "%s.%s", pulls ? "lambda" : "phi", procedure->names[trial->by]);
    show_json_string_or_null(trial->verdict == MAYER_TRUE ? NULL : quantity.at, out);
    text_clear(&quantity);
    show_json_entry(false, "value",
                    trial->verdict == MAYER_TRUE        ? NAN
                    : trial->verdict == MAYER_DEPENDENT ? 0
                    : pulls                             ? trial->lambda[trial->by]
                                                        : trial->rates[trial->by],
                    out);
    show_json_entry(false, "delta", trial->delta, out);
    text_add(out, ",\"lambda\":{");
    for (size_t l = 0; l < procedure->told->r; l++)
        if (trial->acts[l] && trial->verdict != MAYER_DEPENDENT) {
            show_json_entry(first, procedure->names[l], trial->lambda[l], out);
            first = false;
        }
    text_add(out, "}}");
}

void show_mayer_json(const RunSides *sides, Text *out)
{
    if (!sides->mayer)
        return;
    Procedure procedure = procedure_of(NULL, sides);
    const MayerProcedure *told = procedure.told;
    text_add(out, ",\"mayer\":{\"conditions\":");
    json_names(&procedure, NULL, out);
    text_add(out, ",\"phi\":[");
    for (size_t l = 0; l < told->r; l++) {
        text_add(out, l ? "," : "");
        json_numbers(told->phi + l * told->r, told->r, out);
    }
    text_add(out, "],\"phi0\":");
    json_numbers(told->phi0, told->r, out);
    text_add(out, "},\"steps\":[");
    for (size_t i = 0; i < told->count; i++) {
        text_add(out, i ? "," : "");
        trial_json(&procedure, &told->trials[i], out);
    }
    text_add(out, "]");
    base_free(procedure.names);
}

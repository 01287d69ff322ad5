// stability_json.c: a steady motion and what is near it, for other programs.
#include "show/stability_impl.h"

#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/measured_text_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>

enum { MOST_WRITTEN = 5000 }; // nodes of an entry that is written as a formula

Expr show_slow_left(const Show *show, const ShowStability *stability, size_t row)
{
    assert(stability->slow_matrix && row < show->motion->k);
    const Motion *motion = show->motion;
    Expr left = expr_int(motion->pool, 0);
    for (size_t j = 0; j < motion->k; j++)
        left = expr_add(motion->pool, left,
                        expr_mul(motion->pool, stability->slow_matrix[row * motion->k + j],
                                 motion->state.speeds[j].rate));
    return left;
}

static void json_rows(const char *key, const double *entries, size_t rows, size_t columns,
                      Text *out)
{
    text_addf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < rows; i++) {
        text_add(out, i ? ",[" : "[");
        for (size_t j = 0; j < columns; j++) {
            text_add(out, j ? "," : "");
            show_json_number(entries[i * columns + j], out);
        }
        text_add(out, "]");
    }
    text_add(out, "]");
}

static void json_formulas(const Show *show, const char *key, const Expr *entries, size_t rows,
                          size_t columns, Text *out)
{
    text_addf(out, "\"%s\":[", key);
    for (size_t i = 0; i < rows; i++) {
        text_add(out, i ? ",[" : "[");
        for (size_t j = 0; j < columns; j++) {
            text_add(out, j ? "," : "");
            if (show_tree_size(show, entries[i * columns + j]) > MOST_WRITTEN)
                text_add(out, "null");
            else
                show_json_expr(show, entries[i * columns + j], out);
        }
        text_add(out, "]");
    }
    text_add(out, "]");
}

static void json_list(const char *key, const char *const *names, size_t count, Text *out)
{
    text_addf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        show_json_string(names[i], out);
    }
    text_add(out, "]");
}

static void json_pairs(const double *re, const double *im, size_t count, Text *out)
{
    text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? ",[" : "[");
        show_json_number(re[i], out);
        text_add(out, ",");
        show_json_number(im[i], out);
        text_add(out, "]");
    }
    text_add(out, "]");
}

static void json_state(const Show *show, const InquiryLinear *linear, Text *out)
{
    const Motion *motion = show->motion;
    text_add(out, "{\"state\":{\"q\":{");
    for (size_t nu = 0; nu < motion->n; nu++)
        show_json_entry(nu == 0, motion->model->coords.at[nu].name, linear->q[nu], out);
    text_add(out, "},\"v\":{");
    for (size_t nu = 0; nu < motion->n; nu++)
        show_json_entry(nu == 0, motion->model->coords.at[nu].name, linear->v[nu], out);
    text_add(out, "},\"u\":{");
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        show_json_entry(alpha == 0, motion->state.speeds[alpha].name, linear->u[alpha], out);
    text_add(out, "}}");
}

static void json_matrices(const Show *show, const ShowStability *stability, Text *out)
{
    const InquiryLinear *linear = stability->linear;
    const InquiryLinearForm *form = &stability->form;
    size_t k = linear->speeds, free = linear->coordinates, size = linear->size;
    json_rows("A", linear->A, size, size, out);
    json_rows("M", linear->M, k, k, out);
    json_rows("C", linear->C, k, k, out);
    json_rows("K", linear->K, k, free, out);
    if (linear->inputs > 0) {
        json_list("inputs", linear->input_names, linear->inputs, out);
        json_rows("B", linear->B, k, linear->inputs, out);
        json_rows("B_state", linear->B_state, size, linear->inputs, out);
    }
    if (!form->known) {
        text_add(out, ",\"formulas\":null");
        return;
    }
    text_add(out, ",\"formulas\":{");
    json_formulas(show, "M", form->M, k, k, out);
    text_add(out, ",");
    json_formulas(show, "C", form->C, k, k, out);
    text_add(out, ",");
    json_formulas(show, "K", form->K, k, free, out);
    if (linear->inputs > 0) {
        text_add(out, ",");
        json_formulas(show, "B", form->B, k, linear->inputs, out);
    }
    text_add(out, "}");
}

static void json_frequencies(const Show *show, const ShowStability *stability, Text *out)
{
    text_add(out, ",\"frequencies\":[");
    for (size_t i = 0; i < stability->frequency_count; i++) {
        const InquiryFrequency *found = &stability->frequencies[i];
        text_add(out, i ? ",{\"square\":" : "{\"square\":");
        show_json_expr(show, found->square, out);
        text_add(out, ",\"speed\":");
        show_json_string_or_null(
            expr_is_none(found->speed) ? NULL : expr_name(show->pool, found->speed), out);
        text_add(out, ",\"critical_square\":");
        if (expr_is_none(found->speed))
            text_add(out, "null");
        else
            show_json_expr(show, found->critical, out);
        text_add(out, "}");
    }
    text_addf(out, "],\"free_spin\":%s", stability->linear->free_spin ? "true" : "false");
}

static void json_modes(const InquiryLinear *linear, Text *out)
{
    size_t size = linear->size;
    double *re = base_alloc((2 * size + 1) * sizeof *re), *im = re + size;
    text_add(out, ",\"modes\":[");
    for (size_t j = 0; j < size; j++) {
        for (size_t i = 0; i < size; i++) {
            re[i] = linear->mode_re[i * size + j];
            im[i] = linear->mode_im[i * size + j];
        }
        text_add(out, j ? "," : "");
        json_pairs(re, im, size, out);
    }
    text_add(out, "]");
    base_free(re);
}

static void json_curve(const Show *show, const ShowStability *stability, Text *out)
{
    const InquiryCurve *curve = stability->curve;
    static const char *const kinds[] = {"zero", "pair", "meeting"};
    text_add(out, ",\"critical\":[");
    for (size_t i = 0; curve && i < curve->critical_count; i++) {
        const InquiryCritical *critical = &curve->critical[i];
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(stability->varied, out);
        text_add(out, ",\"value\":");
        show_json_number(critical->value, out);
        text_add(out, ",\"formula\":");
        if (expr_is_none(critical->formula))
            text_add(out, "null");
        else
            show_json_expr(show, critical->formula, out);
        text_addf(out, ",\"kind\":\"%s\",\"frequency\":", kinds[critical->kind]);
        show_json_number(critical->frequency, out);
        text_add(out, "}");
    }
    text_add(out, "],\"curve\":[");
    for (size_t i = 0; curve && i < curve->count; i++) {
        text_add(out, i ? ",{\"value\":" : "{\"value\":");
        show_json_number(curve->values[i], out);
        text_add(out, ",\"eigenvalues\":");
        if (curve->found[i])
            json_pairs(curve->re + i * curve->size, curve->im + i * curve->size, curve->size, out);
        else
            text_add(out, "null");
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void json_slow(const Show *show, const ShowStability *stability, Text *out)
{
    const Motion *motion = show->motion;
    text_add(out, ",\"slow\":[");
    for (size_t i = 0; i < motion->k; i++) {
        text_add(out, i ? ",{\"for\":" : "{\"for\":");
        show_json_string(motion->state.speeds[i].name, out);
        text_add(out, ",\"left\":");
        show_json_expr(show, show_short(show, show_slow_left(show, stability, i)), out);
        text_add(out, ",\"right\":");
        show_json_expr(show, show_short(show, stability->slow_right[i]), out);
        text_add(out, "}");
    }
    text_add(out, "]");
}

// What holds for all values of intervals.
static void json_intervals(const Show *show, const InquiryIntervals *intervals, Text *out)
{
    static const char *const words[] = {[INQUIRY_ALL_UNDECIDED] = "undecided",
                                        [INQUIRY_ALL_STABLE] = "asymptotically_stable",
                                        [INQUIRY_ALL_UNSTABLE] = "unstable",
                                        [INQUIRY_ALL_DIFFER] = "differs"};
    text_add(out, ",\"certified\":[");
    for (size_t i = 0; i < intervals->count; i++) {
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(show->motion->model->params.at[intervals->params[i]].name, out);
        show_json_entry(false, "low", intervals->low[i], out);
        show_json_entry(false, "high", intervals->high[i], out);
        text_addf(out, ",\"verdict\":\"%s\"}", words[intervals->verdict]);
    }
    text_add(out, "]");
}

// In what the numbers are.
static void json_units(const Show *show, const ShowStability *stability, Text *out)
{
    const InquiryLinear *linear = stability->linear;
    const Model *model = show->motion->model;
    bool first = true;
    for (size_t i = 0; i < linear->size; i++)
        show_json_unit(model, linear->variables[i], &first, out);
    for (size_t i = 0; i < linear->inputs; i++)
        show_json_unit(model, linear->input_names[i], &first, out);
    if (stability->varied)
        show_json_unit(model, stability->varied, &first, out);
    if (!first && model->units)
        text_add(out, ",\"eigenvalues\":\"1/s\"");
    text_add(out, first ? "" : "}");
}

void show_stability_json(const Show *show, const ShowStability *stability, Text *out)
{
    const InquiryLinear *linear = stability->linear;
    json_state(show, linear, out);
    json_list("variables", linear->variables, linear->size, out);
    json_list("moving", linear->moving, linear->moving_count, out);
    json_matrices(show, stability, out);
    text_add(out, ",\"eigenvalues\":");
    json_pairs(linear->re, linear->im, linear->size, out);
    if (stability->enclosed) {
        text_addf(out, ",\"digits\":%zu,\"enclosed\":[", stability->digits);
        for (size_t i = 0; i < linear->size; i++)
            text_addf(out, "%s[\"%s\",\"%s\"]", i ? "," : "", stability->enclosed[i].re.at,
                      stability->enclosed[i].im.at);
        text_add(out, "]");
    }
    json_modes(linear, out);
    text_addf(out,
              ",\"family\":%zu,\"family_proved\":%s,\"verdict\":\"%s\",\"reason\":", linear->family,
              linear->family_proved ? "true" : "false", inquiry_verdict_name(linear->verdict));
    show_json_string(linear->reason, out);
    json_frequencies(show, stability, out);
    json_curve(show, stability, out);
    if (stability->slow_matrix)
        json_slow(show, stability, out);
    if (stability->intervals)
        json_intervals(show, stability->intervals, out);
    json_units(show, stability, out);
    text_add(out, "}\n");
}

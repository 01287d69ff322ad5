// stability_report.c: a steady motion, its linearized equations and eigenvalues, as people read
// them, and the curve over a range as CSV and as a picture.
#include "base/decimal.h"
#include "show/equation_text_impl.h"
#include "show/file_formats_impl.h"
#include "show/layout_impl.h"
#include "show/measured_text_impl.h"
#include "show/pretty_impl.h"
#include "show/show_impl.h"
#include "show/stability_impl.h"
#include "show/tree_size_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    NAME_WIDTH = 13,
    MOST_READ = 120, // nodes of an entry that is written as a formula in text
    WIDEST = 120,    // columns of a line of formulas where no terminal says
    MOST_SHOWN = 16, // variables whose matrices are written in text
    MOST_PARTS = 4   // of a mode
};

// ---- Text.

static void add_named(const Model *model, const char *name, double value, bool first, Text *out)
{
    text_add(out, first ? "" : ", ");
    show_name(name, out);
    text_add(out, " = ");
    show_measured(model, name, value, out);
}

static void add_names(const char *const *names, size_t count, Text *out)
{
    text_add(out, "(");
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? ", " : "");
        show_name(names[i], out);
    }
    text_add(out, ")");
}

static void state_text(const Show *show, const InquiryLinear *linear, Text *out)
{
    const Model *model = show->motion->model;
    text_addf(out, "%s: a steady motion and what is near it\n\n", model->name);
    for (int speeds = 0; speeds < 2; speeds++) {
        size_t first = speeds ? linear->coordinates : 0;
        size_t end = speeds ? linear->size : linear->coordinates;
        if (first == end)
            continue;
        show_padded(speeds ? "speeds" : "coordinates", NAME_WIDTH, out);
        for (size_t i = first; i < end; i++)
            add_named(model, linear->variables[i], linear->state[i], i == first, out);
        text_add(out, "\n");
    }
    if (linear->moving_count > 0) {
        show_padded("moving", NAME_WIDTH, out);
        for (size_t i = 0; i < linear->moving_count; i++) {
            text_add(out, i ? ", " : "");
            show_name(linear->moving[i], out);
        }
        text_add(out, " (the equations of the speeds do not need them)\n");
    }
}

// Rows of cells, the columns as wide as their widest.
static void rows_text(const char *name, Text *cells, size_t rows, size_t columns, Text *out)
{
    for (size_t i = 0; i < rows; i++) {
        text_addf(out, "  %s", i == 0 ? name : "");
        for (size_t pad = strlen(i == 0 ? name : ""); pad < 5; pad++)
            text_add(out, " ");
        for (size_t j = 0; j < columns; j++) {
            size_t width = 0;
            for (size_t l = 0; l < rows; l++) {
                const Text *cell = &cells[l * columns + j];
                size_t own = text_width(cell->at, cell->length);
                width = own > width ? own : width;
            }
            show_padded(cells[i * columns + j].at, width + 3, out);
        }
        show_end_line(out);
    }
    for (size_t i = 0; i < rows * columns; i++)
        text_clear(&cells[i]);
}

static void numbers_text(const char *name, const double *entries, size_t rows, size_t columns,
                         Text *out)
{
    if (rows * columns == 0)
        return;
    Text *cells = base_alloc(rows * columns * sizeof *cells);
    double most = show_largest(entries, rows * columns);
    for (size_t i = 0; i < rows * columns; i++)
        show_number(show_without_rounding(entries[i], most), &cells[i]);
    rows_text(name, cells, rows, columns, out);
    base_free(cells);
}

// False where the rows are too long to be read.
static bool formulas_text(const Show *show, const char *name, const Expr *entries, size_t rows,
                          size_t columns, Text *out)
{
    bool readable = true;
    for (size_t i = 0; i < rows * columns && readable; i++)
        readable = show_tree_size(show, entries[i]) <= MOST_READ;
    if (rows * columns == 0 || !readable)
        return false;
    Text *cells = base_alloc(rows * columns * sizeof *cells), lines = {0};
    for (size_t i = 0; i < rows * columns; i++)
        show_expr(show, entries[i], &cells[i]);
    rows_text(name, cells, rows, columns, &lines);
    for (const char *at = lines.at, *end; readable && *at; at = end + 1) {
        end = strchr(at, '\n');
        readable = text_width(at, (size_t)(end - at)) <= WIDEST;
    }
    text_add(out, readable ? lines.at : "");
    text_clear(&lines);
    base_free(cells);
    return readable;
}

static void matrices_text(const Show *show, const ShowStability *stability, Text *out)
{
    const InquiryLinear *linear = stability->linear;
    const InquiryLinearForm *form = &stability->form;
    size_t k = linear->speeds, free = linear->coordinates;
    text_add(out, free > 0 ? "\nM·u′ + C·u + K·q = " : "\nM·u′ + C·u = ");
    text_add(out, linear->inputs > 0 ? "B·p" : "0");
    text_add(out, ",  u = ");
    add_names(linear->variables + free, k, out);
    if (free > 0) {
        text_add(out, ",  q = ");
        add_names(linear->variables, free, out);
    }
    if (linear->inputs > 0) {
        text_add(out, ",  p = ");
        add_names(linear->input_names, linear->inputs, out);
    }
    text_addf(out, ",  all counted from the steady motion%s\n",
              show_si(show->motion->model, ", in SI units"));
    if (linear->size > MOST_SHOWN) {
        text_addf(out, "  (matrices of %zu variables: JSON holds them)\n", linear->size);
        return;
    }
    const struct {
        const char *name;
        const Expr *formulas;
        const double *numbers;
        size_t columns;
    } matrices[] = {{"M =", form->M, linear->M, k},
                    {"C =", form->C, linear->C, k},
                    {"K =", form->K, linear->K, free},
                    {"B =", form->B, linear->B, linear->inputs}};
    bool all = true;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        bool any = k * matrices[i].columns > 0;
        if (form->known && formulas_text(show, matrices[i].name, matrices[i].formulas, k,
                                         matrices[i].columns, out))
            numbers_text("  =", matrices[i].numbers, k, matrices[i].columns, out);
        else if (any) {
            numbers_text(matrices[i].name, matrices[i].numbers, k, matrices[i].columns, out);
            all = false;
        }
    }
    if (form->known && !all)
        text_add(out, "  (JSON holds all entries as formulas)\n");
    show_small_motions(show, stability, out);
    text_add(out, "x′ = A·x,  x = ");
    add_names(linear->variables, linear->size, out);
    text_add(out, "\n");
    numbers_text("A =", linear->A, linear->size, linear->size, out);
}

static void complex_text(double re, double im, Text *out)
{
    if (re != 0 || im == 0)
        show_number(re, out);
    if (im != 0) {
        text_add(out, re != 0 ? (im > 0 ? " + " : " − ") : im > 0 ? "" : "−");
        show_number(fabs(im), out);
        text_add(out, " i");
    }
}

// The largest parts of a mode.
static void mode_text(const InquiryLinear *linear, size_t j, Text *out)
{
    size_t size = linear->size;
    bool *listed = base_alloc((size + 1) * sizeof *listed);
    for (size_t part = 0; part < MOST_PARTS && part < size; part++) {
        size_t best = size;
        double most = 1e-9;
        for (size_t i = 0; i < size; i++) {
            double length = hypot(linear->mode_re[i * size + j], linear->mode_im[i * size + j]);
            if (!listed[i] && length > 1.000001 * most) {
                most = length;
                best = i;
            }
        }
        if (best == size)
            break;
        listed[best] = true;
        double re = linear->mode_re[best * size + j], im = linear->mode_im[best * size + j];
        text_add(out, part ? ", " : "");
        show_name(linear->variables[best], out);
        if (im == 0)
            text_addf(out, " %.4g", re);
        else if (re == 0)
            text_addf(out, " %.4gi", im);
        else
            text_addf(out, " %.4g%+.4gi", re, im);
    }
    base_free(listed);
}

static void kind_text(const InquiryLinear *linear, size_t i, Text *out)
{
    if (i < linear->family)
        text_addf(out, "family of steady motions%s", linear->family_proved ? "" : " (in numbers)");
    else if (linear->re[i] > 0)
        text_add(out, linear->im[i] != 0 ? "grows, oscillates" : "grows");
    else if (linear->re[i] < 0)
        text_add(out, linear->im[i] != 0 ? "decays, oscillates" : "decays");
    else
        text_add(out, linear->im[i] != 0  ? "oscillates"
                      : linear->free_spin ? "free spin"
                                          : "undecided");
}

static void eigenvalues_text(const Show *show, const ShowStability *stability, Text *out)
{
    const InquiryLinear *linear = stability->linear;
    text_addf(out, "\neigenvalues%s\n", show_si(show->motion->model, " in 1/s"));
    for (size_t i = 0; i < linear->size; i++) {
        // A pair takes one line.
        bool pair = linear->im[i] > 0 && i + 1 < linear->size && linear->im[i + 1] < 0 &&
                    linear->re[i + 1] == linear->re[i];
        Text value = {0}, kind = {0};
        if (stability->enclosed) {
            const InquiryEnclosed *ball = &stability->enclosed[i];
            text_add(&value, ball->re.at);
            if (strcmp(ball->im.at, "0") != 0)
                text_addf(&value, "%s%s i", pair ? " ± " : " + ", ball->im.at);
        } else if (pair) {
            if (linear->re[i] != 0)
                show_number(linear->re[i], &value);
            text_add(&value, linear->re[i] != 0 ? " ± " : "±");
            show_number(linear->im[i], &value);
            text_add(&value, " i");
        } else {
            complex_text(linear->re[i], linear->im[i], &value);
        }
        kind_text(linear, i, &kind);
        text_add(out, "  ");
        show_padded(value.at, stability->enclosed ? 4 + 2 * stability->digits : 34, out);
        show_padded(kind.at, 26, out);
        mode_text(linear, i, out);
        show_end_line(out);
        text_clear(&value);
        text_clear(&kind);
        i += pair;
    }
    if (stability->enclosed)
        text_addf(out, "  (all %zu digits are certain)\n", stability->digits);
    text_addf(out, "\n%s: %s\n", inquiry_verdict_words(linear->verdict), linear->reason);
}

// What holds for all values of intervals.
static void intervals_text(const Show *show, const InquiryIntervals *intervals, Text *out)
{
    static const char *const words[] = {
        [INQUIRY_ALL_UNDECIDED] = "undecided",
        [INQUIRY_ALL_STABLE] = "asymptotically stable for all values: proved",
        [INQUIRY_ALL_UNSTABLE] = "unstable for all values: proved",
        [INQUIRY_ALL_DIFFER] =
            "asymptotically stable for some values, unstable for others: proved"};
    const Model *model = show->motion->model;
    text_add(out, "\nfor ");
    for (size_t i = 0; i < intervals->count; i++) {
        const char *name = model->params.at[intervals->params[i]].name;
        double scale;
        const char *unit = show_column_unit(model, name, &scale);
        text_add(out, i ? ", " : "");
        show_name(name, out);
        text_addf(out, " in [%.10g, %.10g]%s%s", intervals->low[i] / scale,
                  intervals->high[i] / scale, *unit ? " " : "", unit);
    }
    text_addf(out, ": %s", words[intervals->verdict]);
    if (intervals->boxes > 1)
        text_addf(out, " (in %zu boxes)", intervals->boxes);
    text_add_char(out, '\n');
}

// α² of the modes ±iα where it can be read, and the steady speed at which it vanishes.
static void frequencies_text(const Show *show, const ShowStability *stability, Text *out)
{
    size_t written = 0;
    for (size_t i = 0; i < stability->frequency_count; i++) {
        const InquiryFrequency *found = &stability->frequencies[i];
        if (!show_is_readable(show, found->square))
            continue;
        text_add(out, written++ ? "" : "\nfrequencies as formulas: λ² = −α² (Hamel 244)\n");
        text_add(out, "  α² = ");
        show_expr(show, found->square, out);
        if (!expr_is_none(found->speed)) {
            text_add(out, ", which vanishes at ");
            show_name(expr_name(show->pool, found->speed), out);
            text_add(out, "² = ");
            show_expr(show, found->critical, out);
        }
        text_add_char(out, '\n');
    }
}

static const char *critical_words(InquiryCriticalKind kind)
{
    switch (kind) {
    case INQUIRY_ZERO_CROSSES: return "a real eigenvalue passes 0";
    case INQUIRY_PAIR_CROSSES: return "a pair passes the imaginary axis";
    case INQUIRY_PAIRS_MEET: return "imaginary pairs meet";
    }
    return "";
}

static void curve_text(const Show *show, const ShowStability *stability, Text *out)
{
    const InquiryCurve *curve = stability->curve;
    double scale;
    const char *unit = show_column_unit(show->motion->model, stability->varied, &scale);
    const char *blank = *unit ? " " : "";
    text_addf(out, "\ncritical values between ");
    show_name(stability->varied, out);
    text_addf(out, " = %.10g and %.10g%s%s", curve->values[0] / scale,
              curve->values[curve->count - 1] / scale, blank, unit);
    text_add(out, curve->critical_count > 0 ? "\n" : ": none\n");
    for (size_t i = 0; i < curve->critical_count; i++) {
        const InquiryCritical *critical = &curve->critical[i];
        text_add(out, "  ");
        show_name(stability->varied, out);
        text_addf(out, " = %.13g%s%s", critical->value / scale, blank, unit);
        if (!expr_is_none(critical->formula) && !expr_is_number(show->pool, critical->formula)) {
            text_add(out, " = ");
            show_expr(show, critical->formula, out);
        }
        text_addf(out, "   %s", critical_words(critical->kind));
        if (critical->frequency > 0)
            text_addf(out, " (frequency %.6g%s)", critical->frequency,
                      show_si(show->motion->model, " 1/s"));
        text_addf(out, "; fewer growing modes %s\n", critical->gains ? "above" : "below");
    }
}

static void slow_text(const Show *show, const ShowStability *stability, Text *out)
{
    const Motion *motion = show->motion;
    Expr *rates = base_alloc((motion->k + 1) * sizeof *rates);
    for (size_t j = 0; j < motion->k; j++)
        rates[j] = motion->state.speeds[j].rate;
    text_add(out, "\nvery slow motions (Appell 24): what is of second degree in the velocities is "
                  "left out, and plain Lagrange's equations are right\n");
    for (size_t i = 0; i < motion->k; i++) {
        Text left = {0}, right = {0};
        show_collected(show, show_slow_left(show, stability, i), rates, motion->k, &left);
        show_collected(show, stability->slow_right[i], NULL, 0, &right);
        show_equation_text(motion->state.speeds[i].name, left.at, right.at, out);
        text_clear(&left);
        text_clear(&right);
    }
    base_free(rates);
}

void show_stability_text(const Show *show, const ShowStability *stability, Text *out)
{
    state_text(show, stability->linear, out);
    matrices_text(show, stability, out);
    eigenvalues_text(show, stability, out);
    if (stability->intervals)
        intervals_text(show, stability->intervals, out);
    frequencies_text(show, stability, out);
    if (stability->curve)
        curve_text(show, stability, out);
    if (stability->slow_matrix)
        slow_text(show, stability, out);
}

// ---- The curve as rows, and drawn.

void show_stability_csv(const ShowStability *stability, Text *out)
{
    assert(stability->curve);
    const InquiryCurve *curve = stability->curve;
    show_csv_text(stability->varied, out);
    for (size_t j = 0; j < curve->size; j++)
        text_addf(out, ",re%zu,im%zu", j + 1, j + 1);
    text_add(out, "\n");
    for (size_t i = 0; i < curve->count; i++) {
        text_add_decimal(out, curve->values[i]);
        for (size_t j = i * curve->size; j < (i + 1) * curve->size; j++) {
            text_add_char(out, ',');
            text_add_decimal(out, curve->re[j]);
            text_add_char(out, ',');
            text_add_decimal(out, curve->im[j]);
        }
        text_add(out, "\n");
    }
}

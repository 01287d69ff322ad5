// series.c: a program run in truncated power series, one order after the other.
//
// The program's steps are sorted by the recurrence that each needs (flow.c): coefficient k of a
// result needs those of its operands up to k and its own before k. The recurrences come from the
// product rule: where r' = f·a', k·r_k = Σ i·a_i·f_{k−i} (R. E. Moore, Interval Analysis, 1966, ch.
// 11). Order 0 is the plain program. The others are in series_kernels.h; compiled series
// (print_flow.c) have the same operations in the same order, so that both give the same numbers.
#include "program/series_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The part of two numbers below which their difference is rounding.
#define SAME 1e-14
// Terms of a switch's argument that may be trusted shrink by e to this power from one to the next;
// what is looked for so long is shortened by this at least, and so often at most.
#define TERM_DECAY    1.3
#define LEAST_HORIZON 0.95
#define MOST_HORIZON  60

// ---- Making.

// Gives rows to what later orders read, and to what the operations' own table works on.
static void make_rows(ProgramSeries *series)
{
    const Flow *flow = &series->flow;
    size_t count = flow->values.count, length = series->length, rows = 1, helpers = 0;
    bool *kept = base_alloc((count + 1) * sizeof *kept);
    for (size_t i = 0; i < count; i++)
        kept[i] = flow->values.at[i].stored && flow->values.at[i].moves;
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        if (step->kind != FLOW_OTHER)
            continue;
        kept[step->r] = kept[step->a] = true;
        if (step->b != FLOW_NONE)
            kept[step->b] = true;
        helpers += step->helpers;
    }
    for (size_t i = 0; i < count; i++)
        rows += kept[i];
    series->block = base_alloc((FLOW_BLOCK + (rows + helpers) * length) * sizeof *series->block);
    series->rows = base_alloc((count + 1) * sizeof *series->rows);
    series->helpers = base_alloc((helpers + 1) * sizeof *series->helpers);
    double *at = series->block + FLOW_BLOCK; // a vector may begin before the first row
    series->zero.at = at;
    for (size_t i = 0; i < count; i++)
        if (kept[i])
            series->rows[i].at = at += length;
    for (size_t i = 0; i < helpers; i++)
        series->helpers[i].at = at += length;
    base_free(kept);
}

static Row *row_of(const ProgramSeries *series, uint32_t value)
{
    return value != FLOW_NONE && series->rows[value].at ? series->rows + value : NULL;
}

static const Row *operand_of(const ProgramSeries *series, uint32_t value)
{
    const Row *row = row_of(series, value);
    return row ? row : &series->zero;
}

static uint32_t place_of(const ProgramSeries *series, uint32_t value)
{
    return value == FLOW_NONE ? (uint32_t)series->flow.values.count : value;
}

// A step as the kernels want it; *helpers are used up so far.
static void make_step(ProgramSeries *series, const FlowStep *from, size_t *helpers)
{
    SeriesStep *step = series->steps + (from - series->flow.steps.at);
    uint32_t left, right;
    *step = (SeriesStep){.kind = from->begins ? FLOW_FLAT : from->kind,
                         .kept = from->kept,
                         .below = place_of(series, from->below),
                         .power = from->power,
                         .op = from->op,
                         .a = place_of(series, from->a),
                         .b = place_of(series, from->b),
                         .c = place_of(series, from->c),
                         .r = from->r,
                         .partner = place_of(series, from->partner),
                         .row = row_of(series, from->r),
                         .partner_row = row_of(series, from->partner),
                         .operands = {operand_of(series, from->a), operand_of(series, from->b)},
                         .helpers = series->helpers + *helpers,
                         .helper_count = from->helpers};
    *helpers += from->helpers;
    step->sum = series->totals + (size_t)from->sum * SERIES_SUM;
    for (int which = 0; flow_factors(from, which, &left, &right); which++) {
        size_t place = (size_t)from->sum + (size_t)which;
        const FlowSum *swept = series->flow.sums.at + place; // its factors in the better order
        series->sums[place] = (SeriesSum){series->rows + swept->left, series->rows + swept->right,
                                          series->rows[flow_row_of(&series->flow, left)].at,
                                          series->rows[flow_row_of(&series->flow, right)].at,
                                          series->totals + place * SERIES_SUM};
        if (which > 0)
            continue;
        step->left = left;
        step->right = right;
        step->left_row = series->rows[series->flow.values.at[left].whole].at;
        step->right_row = series->rows[series->flow.values.at[right].whole].at;
    }
}

static int compare_sums(const void *a, const void *b)
{
    const SeriesSum *one = a, *two = b;
    bool first = one->left == one->right, second = two->left == two->right;
    return first != second ? (first ? -1 : 1) : (one->at > two->at) - (one->at < two->at);
}

// In long programs squares come first, and are swept by themselves, as in print_flow_lanes.c.
static void sort_sums(ProgramSeries *series)
{
    if (series->sum_count <= FLOW_MOST_TOGETHER)
        return;
    qsort(series->sums, series->sum_count, sizeof *series->sums, compare_sums);
    for (size_t i = 0; i < series->sum_count; i++)
        series->squares += series->sums[i].left == series->sums[i].right;
}

static void make_steps(ProgramSeries *series)
{
    const Flow *flow = &series->flow;
    size_t helpers = 0, sums = flow->sums.count;
    series->steps = base_alloc((flow->steps.count + 1) * sizeof *series->steps);
    series->sum_count = flow->sums.count;
    series->sums = base_alloc((flow->sums.count + FLOW_BLOCK) * sizeof *series->sums);
    series->totals = base_alloc((flow->sums.count + 1) * SERIES_SUM * sizeof *series->totals);
    for (size_t i = 0; i < flow->steps.count; i++)
        make_step(series, flow->steps.at + i, &helpers);
    sort_sums(series);
    // What fills the last four is swept too, and read by nobody.
    for (size_t i = 0; i < FLOW_BLOCK && sums > 0; i++) {
        series->sums[sums + i] = series->sums[0];
        series->sums[sums + i].at = series->totals + sums * SERIES_SUM;
    }
}

ProgramSeries *series_new(const Program *program, const int *rates, size_t most_order,
                          bool compiles)
{
    ProgramSeries *series = base_alloc(sizeof *series);
    series->program = program;
    series->most_order = most_order;
    flow_init(&series->flow, program, rates, compiles);
    for (size_t i = 0; i < series->flow.steps.count && !compiles; i++)
        if (series->flow.steps.at[i].kind == FLOW_QUOTIENT)
            series->flow.steps.at[i].kind = FLOW_RATIO;
    size_t count = series->flow.values.count + 1;
    series->length = program_flow_rows(most_order) - 1 + FLOW_BLOCK;
    make_rows(series);
    make_steps(series);
    series->now = base_alloc(count * sizeof *series->now);
    series->fixed = base_alloc(count * sizeof *series->fixed);
    series->moved = base_alloc(count * sizeof *series->moved);
    series->difference = base_alloc(series->length * sizeof *series->difference);
    return series;
}

ProgramSeries *program_series_new(const Program *program, size_t constants, size_t most_order)
{
    int *rates = base_alloc((program->input_count + 1) * sizeof *rates);
    for (size_t i = 0; i < constants; i++)
        rates[i] = PROGRAM_RATE_NONE;
    ProgramSeries *series = series_new(program, rates, most_order, false);
    series->flow.rates = NULL;
    base_free(rates);
    return series;
}

void program_series_free(ProgramSeries *series)
{
    if (!series)
        return;
    flow_clear(&series->flow);
    void *const parts[] = {series->block, series->rows,      series->helpers, series->steps,
                           series->sums,  series->totals,    series->now,     series->fixed,
                           series->moved, series->difference};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        base_free(parts[i]);
    base_free(series);
}

// ---- Running.

static void put(Row *row, size_t k, double value)
{
    row->at[k] = value;
    if (value != 0 || k == 0)
        row->last = k;
    else if (row->last >= k) // the order was found before, for other inputs
        row->last = k - 1;
}

static void begin_value(ProgramSeries *series, uint32_t value, double number)
{
    series->now[value] = series->fixed[value] = number;
    if (series->rows[value].at)
        put(series->rows + value, 0, number);
}

// Order 0 of a step; what it gives is what the plain program gives.
static void begin_step(ProgramSeries *series, const SeriesStep *at)
{
    const double *now = series->now;
    const double a = now[at->a], b = now[at->below < series->flow.values.count ? at->below : at->b];
    switch ((FlowKind)at->kind) {
    case FLOW_SLOPE: begin_value(series, at->r, 0); break;
    case FLOW_WAVE:
        begin_value(series, at->r, sin(a));
        begin_value(series, at->partner, cos(a));
        break;
    case FLOW_OTHER: begin_value(series, at->r, series_kernels()->other(series, at, 0)); break;
    case FLOW_POWER:
        begin_value(series, at->r, 1 / b);
        series->fixed[at->r] = 1 / a;
        series->fixed[at->kept] = at->power * now[at->r] * series->fixed[at->r];
        break;
    default:
        begin_value(series, at->r,
                    program_real_value(series->program->tables, at->op, a, b, now[at->c]));
        if (at->kind == FLOW_QUOTIENT || at->kind == FLOW_DIVIDE)
            series->fixed[at->r] = 1 / b;
        if (at->kind == FLOW_RATIO)
            series->fixed[at->r] = b;
        if (at->kind == FLOW_ROOT)
            series->fixed[at->r] = 0.5 / now[at->r];
        break;
    }
    // A number that is none makes a NaN of 0; a ratio to 0 is none.
    series->careful = series->careful || series->fixed[at->r] * 0 != 0 || now[at->r] * 0 != 0;
}

static void begin(ProgramSeries *series, const double *inputs)
{
    const Program *program = series->program;
    series->careful = false;
    for (size_t i = 0; i < program->constant_count; i++)
        begin_value(series, (uint32_t)i, program->real[i]);
    for (size_t i = 0; i < program->input_count; i++)
        begin_value(series, (uint32_t)(program->constant_count + i),
                    i < series->flow.width ? inputs[i] : 0);
    for (size_t i = 0; i < series->flow.steps.count; i++)
        begin_step(series, series->steps + i);
}

// Order k > 0 of what the steps begin with.
static void put_inputs(ProgramSeries *series, size_t k, const double *inputs)
{
    const Program *program = series->program;
    const FlowValue *values = series->flow.values.at;
    for (size_t i = 0; i < series->flow.values.count && k == 1; i++)
        if (!values[i].moves)
            series->now[i] = series->moved[i] = 0;
    for (size_t i = 0, at = program->constant_count; i < program->input_count; i++, at++) {
        if (!values[at].moves)
            continue;
        if (i >= series->flow.width) {
            series->now[at] = 0;
            series->moved[at] = true; // as far as can be known by now
            continue;
        }
        series->now[at] = inputs[i];
        series->moved[at] = (k > 1 && series->moved[at]) || inputs[i] != 0;
        if (series->rows[at].at)
            put(series->rows + at, k, inputs[i]);
    }
}

void series_next(ProgramSeries *series, size_t k, const double *inputs)
{
    if (k == 0) {
        begin(series, inputs);
    } else {
        if (k != series->reached)
            series_kernels()->prepare(series, k);
        put_inputs(series, k, inputs);
        series_kernels()->order(series, k);
    }
    series->reached = k;
}

double series_output(const ProgramSeries *series, size_t output)
{
    return series->now[series->flow.outputs[output]];
}

void program_series_next(ProgramSeries *series, size_t k, const double *inputs, double *outputs)
{
    series_next(series, k, inputs);
    for (size_t i = 0; i < series->program->output_count; i++)
        outputs[i] = series_output(series, i);
}

// ---- Switches.

size_t program_switches(const Program *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->code_count; i++)
        count += program_is_switch(program->code[i].op);
    return count;
}

bool program_has_switches(const Program *program)
{
    return program_switches(program) > 0;
}

static double size_of(const double *c, size_t order, double s)
{
    double sum = 0;
    for (size_t k = order + 1; k-- > 0;)
        sum = sum * s + fabs(c[k]);
    return sum;
}

// How far the last two terms stay small beside the others. A state may be a polynomial, as that of
// a free particle, and its distance from something none: beyond its radius of convergence its
// terms say nothing, and a root there would be missed. The smallness is that of a series at a
// quarter of its radius, which is further than a step of the state itself goes.
static double horizon(const double *c, size_t order, double most)
{
    double small = exp(-TERM_DECAY * (double)order), s = most;
    for (int i = 0; i < MOST_HORIZON && order > 2; i++) {
        double others = size_of(c, order - 2, s);
        double last = (fabs(c[order - 1]) + fabs(c[order]) * s) * pow(s, (double)(order - 1));
        if (!(last > small * others) || others == 0)
            break;
        s *= fmin(pow(small * others / last, 1 / (double)order), LEAST_HORIZON);
    }
    return s;
}

// Where the argument of one step first vanishes, or how far it is known not to.
static double first_switch(const ProgramSeries *series, const SeriesStep *step, size_t order,
                           double most)
{
    // An operand that is unused is the row of zeros.
    const double *a = step->operands[0]->at, *b = step->operands[1]->at;
    double *difference = series->difference;
    for (size_t k = 0; k <= order; k++)
        difference[k] = a[k] - b[k];
    double size = size_of(difference, order, most);
    // Two that are the same but for rounding may be taken for each other.
    if (size <= SAME * (size_of(a, order, most) + size_of(b, order, most)))
        return INFINITY;
    // The sign of 0 is right for the instant only.
    if (step->op == PROGRAM_CALL_SIGN && a[0] == 0)
        return ldexp(most, -PROGRAM_POINT_LEVEL);
    double known = horizon(difference, order, most);
    double root = program_first_root(difference, order, known);
    return known < most ? fmin(root, known) : root;
}

// Where the argument of a table first comes to an end of its piece.
static double first_knot(const ProgramSeries *series, const SeriesStep *step, size_t order,
                         double most)
{
    const ExprTable *table = expr_table_at(series->program->tables, (size_t)series->fixed[step->b]);
    const double *u = step->operands[0]->at;
    double piece = series->fixed[step->r], first = INFINITY;
    if (isnan(piece) || step->operands[0] == &series->zero)
        return INFINITY;
    for (int end = 0; end < 2; end++) {
        double knot = (end ? expr_table_end : expr_table_start)(table, piece);
        double *difference = memcpy(series->difference, u, (order + 1) * sizeof *u);
        difference[0] = u[0] - knot;
        if (!isfinite(knot))
            continue;
        size_t k = 1;
        while (k < order && u[k] == 0)
            k++;
        // It sets out from a knot, away from the piece that begins there.
        if (difference[0] == 0 && (end ? u[k] > 0 : u[k] < 0))
            return ldexp(most, -PROGRAM_POINT_LEVEL);
        double known = horizon(difference, order, most);
        double root = program_first_root(difference, order, known);
        first = fmin(first, known < most ? fmin(root, known) : root);
    }
    return first;
}

double program_series_clear(const ProgramSeries *series, size_t order, double most)
{
    double first = INFINITY;
    for (size_t i = 0; i < series->flow.steps.count; i++) {
        const SeriesStep *step = series->steps + i;
        if (step->op == PROGRAM_PIECE)
            first = fmin(first, first_knot(series, step, order, fmin(first, most)));
        else if (step->kind == FLOW_OTHER && program_is_switch(step->op))
            first = fmin(first, first_switch(series, step, order, fmin(first, most)));
    }
    return first;
}

// series.c: a program run in truncated power series, one order after the other.
//
// Every value has a row of coefficients of its own, c₀ + c₁s + c₂s² + …; coefficient k of a result
// needs those of its operands up to k and its own before k. The recurrences come from the product
// rule: where r' = f·a', k·r_k = Σ i·a_i·f_{k−i} (R. E. Moore, Interval Analysis, 1966, ch. 11).
// A row remembers its last coefficient that is not 0, so that a factor that is constant in time, or
// a polynomial of low degree, costs no more than its own length.
#include "program/program_impl.h"

#include <math.h>

#include "program/series_rows.h"

typedef struct {
    uint32_t op;
    uint32_t a, b, c, result; // rows; NO_ROW where an operand is unused
    uint32_t helpers;         // the first of its helper rows
    uint32_t helper_count;
    uint32_t next_pair; // another step on the same argument that has a partner, or 0
} Step;

enum { NO_ROW = 0 }; // a row of zeros
// The part of two numbers below which their difference is rounding.
#define SAME 1e-14
// Terms of a switch's argument that may be trusted shrink by e to this power from one to the next;
// what is looked for so long is shortened by this at least, and so often at most.
#define TERM_DECAY    1.3
#define LEAST_HORIZON 0.95
#define MOST_HORIZON  60

struct ProgramSeries {
    const Program *program;
    size_t most_order, row_count, step_count;
    Row *rows; // zero | constants | inputs | results and their helpers
    Step *steps;
    uint32_t *outputs;  // the row of each
    double *block;      // all coefficients
    double *difference; // room for one row
};

// ---- Making.

static size_t helper_count(uint32_t op)
{
    static const size_t counts[] = {
#define OP(NAME, word, arity, real, ball, rate_a, rate_b, helpers, ...) helpers,
#include "expr/ops.def"
#undef OP
    };
    return op < PROGRAM_ARITHMETIC_COUNT ? 0 : counts[op - PROGRAM_FUNCTIONS];
}

// The operation whose row is this one's helper; the operation NONE for no partner.
static uint32_t partner_of(uint32_t op)
{
    static const uint32_t partners[] = {
#define OP(NAME, word, arity, real, ball, rate_a, rate_b, helpers, partner, ...)                   \
    PROGRAM_CALL_##partner,
#include "expr/ops.def"
#undef OP
    };
    return op < PROGRAM_ARITHMETIC_COUNT ? PROGRAM_CALL_NONE : partners[op - PROGRAM_FUNCTIONS];
}

typedef struct {
    ProgramSeries *series;
    uint32_t *row_of;     // the row that a register stands for at present
    uint32_t *first_pair; // of every row: the last step with a partner on it, plus 1
} Making;

// The row of this instruction where its partner's step makes it already, else NO_ROW.
static uint32_t row_of_partner(const Making *making, uint32_t op, uint32_t argument)
{
    const ProgramSeries *series = making->series;
    for (uint32_t at = making->first_pair[argument]; at != 0; at = series->steps[at - 1].next_pair)
        if (series->steps[at - 1].op == partner_of(op))
            return series->steps[at - 1].helpers;
    return NO_ROW;
}

static void add_step(Making *making, const Instruction *at)
{
    ProgramSeries *series = making->series;
    int operands = program_operands(at->op);
    Step step = {.op = at->op};
    step.a = operands > 0 ? making->row_of[at->a] : NO_ROW;
    step.b = operands > 1 ? making->row_of[at->b] : NO_ROW;
    step.c = operands > 2 ? making->row_of[at->c] : NO_ROW;
    bool paired = partner_of(at->op) != PROGRAM_CALL_NONE;
    uint32_t known = paired ? row_of_partner(making, at->op, step.a) : NO_ROW;
    if (known != NO_ROW) {
        making->row_of[at->result] = known;
        return;
    }
    step.result = (uint32_t)series->row_count;
    step.helpers = step.result + 1;
    step.helper_count = (uint32_t)helper_count(at->op);
    series->row_count += 1 + step.helper_count;
    if (paired) {
        step.next_pair = making->first_pair[step.a];
        making->first_pair[step.a] = (uint32_t)series->step_count + 1;
    }
    making->row_of[at->result] = step.result;
    series->steps[series->step_count++] = step;
}

// Registers serve several values; here every value has a row.
static void make_steps(ProgramSeries *series)
{
    const Program *program = series->program;
    size_t most_rows = 1 + program->constant_count + program->input_count;
    for (size_t i = 0; i < program->code_count; i++)
        most_rows += 1 + helper_count(program->code[i].op);
    Making making = {.series = series};
    making.row_of = base_alloc((program->register_count + 1) * sizeof *making.row_of);
    making.first_pair = base_alloc(most_rows * sizeof *making.first_pair);
    series->row_count = 1;
    for (size_t i = 0; i < program->constant_count + program->input_count; i++)
        making.row_of[i] = (uint32_t)series->row_count++;
    series->steps = base_alloc((program->code_count + 1) * sizeof *series->steps);
    for (size_t i = 0; i < program->code_count; i++)
        add_step(&making, program->code + i);
    series->outputs = base_alloc((program->output_count + 1) * sizeof *series->outputs);
    for (size_t i = 0; i < program->output_count; i++)
        series->outputs[i] = making.row_of[program->outputs[i]];
    base_free(making.row_of);
    base_free(making.first_pair);
}

ProgramSeries *program_series_new(const Program *program, size_t most_order)
{
    ProgramSeries *series = base_alloc(sizeof *series);
    series->program = program;
    series->most_order = most_order;
    make_steps(series);
    size_t length = most_order + 1;
    series->block = base_alloc(series->row_count * length * sizeof *series->block);
    series->difference = base_alloc(length * sizeof *series->difference);
    series->rows = base_alloc(series->row_count * sizeof *series->rows);
    for (size_t i = 0; i < series->row_count; i++)
        series->rows[i].at = series->block + i * length;
    for (size_t i = 0; i < program->constant_count; i++)
        series->rows[1 + i].at[0] = program->real[i];
    return series;
}

void program_series_free(ProgramSeries *series)
{
    if (!series)
        return;
    base_free(series->block);
    base_free(series->difference);
    base_free(series->rows);
    base_free(series->steps);
    base_free(series->outputs);
    base_free(series);
}

// ---- Running.

static double step_value(const Step *step, Row *rows, size_t k)
{
    const Row *a = rows + step->a, *b = rows + step->b, *c = rows + step->c, *zero = rows + NO_ROW;
    Row *r = rows + step->result, *x = rows + step->helpers;
    // What is constant so far stays so, whatever the function does elsewhere.
    if (k > 0 && is_flat(a) && is_flat(b) && is_flat(c)) {
        for (size_t i = 0; i < step->helper_count; i++)
            put(x + i, k, 0);
        return 0;
    }
    switch ((ProgramOp)step->op) {
#define INSTRUCTION(NAME, operands, real, field, ball, value)                                      \
    case PROGRAM_##NAME:                                                                           \
        return (value);
#include "program/instructions.def"
#undef INSTRUCTION
#define OP(NAME, word, arity, real, ball, rate_a, rate_b, helpers, partner, value)                 \
    case PROGRAM_CALL_##NAME:                                                                      \
        return (value);
#include "expr/ops.def"
#undef OP
    }
    return NAN;
}

void program_series_next(ProgramSeries *series, size_t k, const double *inputs, double *outputs)
{
    const Program *program = series->program;
    Row *rows = series->rows;
    for (size_t i = 0; i < program->input_count; i++)
        put(rows + 1 + program->constant_count + i, k, inputs[i]);
    for (size_t i = 0; i < series->step_count; i++)
        put(rows + series->steps[i].result, k, step_value(series->steps + i, rows, k));
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = rows[series->outputs[i]].at[k];
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
static double first_switch(const ProgramSeries *series, const Step *step, size_t order, double most)
{
    // An operand that is unused is the row of zeros.
    const double *a = series->rows[step->a].at, *b = series->rows[step->b].at;
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

double program_series_clear(const ProgramSeries *series, size_t order, double most)
{
    double first = INFINITY;
    for (size_t i = 0; i < series->step_count; i++)
        if (program_is_switch(series->steps[i].op))
            first = fmin(first, first_switch(series, series->steps + i, order, fmin(first, most)));
    return first;
}

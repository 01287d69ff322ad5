// curve_polynomial.c: a program of sums and products along a polynomial curve, as one polynomial.
//
// Walls, floors and distances are such programs: a polynomial in doubles is bounded some fifty
// times faster than a program in balls. Sizes are carried along: sums and products of the sums of
// absolute coefficients, which bound the roundings.
#include "program/curve_polynomial.h"

#include "program/program_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    ROW = 65,     // room for the coefficients of a polynomial
    ROUNDINGS = 4 // of the curve's place, by which it may be off
};

typedef struct {
    double *at;    // ROW coefficients
    size_t degree; // the others are 0
    double size;   // of what was added up
    bool fixed;    // it holds no coordinate and no time
} Row;

static void set_fixed(Row *row, double value)
{
    row->at[0] = value;
    row->degree = 0;
    row->size = fabs(value);
    row->fixed = true;
}

static bool set_input(Row *row, const double *coefficients, size_t degree)
{
    while (degree > 0 && coefficients[degree] == 0)
        degree--;
    if (degree >= ROW)
        return false;
    memcpy(row->at, coefficients, (degree + 1) * sizeof *coefficients);
    row->degree = degree;
    row->fixed = false;
    row->size = 0;
    for (size_t k = 0; k <= degree; k++)
        row->size += fabs(coefficients[k]);
    return true;
}

// ---- Instructions. r is none of the operands.

// r = a + factor·b.
static void put_sum(Row *r, const Row *a, double factor, const Row *b)
{
    r->degree = a->degree > b->degree ? a->degree : b->degree;
    for (size_t k = 0; k <= r->degree; k++)
        r->at[k] = (k <= a->degree ? a->at[k] : 0) + (k <= b->degree ? factor * b->at[k] : 0);
    r->size = a->size + fabs(factor) * b->size;
    r->fixed = a->fixed && b->fixed;
}

// r = r·factor.
static void scale(Row *r, double factor)
{
    for (size_t k = 0; k <= r->degree; k++)
        r->at[k] *= factor;
    r->size *= fabs(factor);
}

static bool put_product(Row *r, const Row *a, const Row *b)
{
    if (a->degree + b->degree >= ROW)
        return false;
    r->degree = a->degree + b->degree;
    memset(r->at, 0, (r->degree + 1) * sizeof *r->at);
    for (size_t i = 0; i <= a->degree; i++)
        for (size_t j = 0; j <= b->degree; j++)
            r->at[i + j] += a->at[i] * b->at[j];
    r->size = a->size * b->size;
    r->fixed = a->fixed && b->fixed;
    return true;
}

// One instruction, into r; `spare` is another row. False: it is no sum and no product.
static bool put(const ExprTables *tables, uint32_t op, const Row *const *of, Row *r, Row *spare)
{
    const Row *a = of[0], *b = of[1], *c = of[2], zero = {.at = &(double){0}, .fixed = true};
    int operands = program_operands(op);
    bool fixed = a->fixed && (operands < 2 || b->fixed) && (operands < 3 || c->fixed);
    if (fixed) {
        set_fixed(r, program_real_value(tables, op, a->at[0], b->at[0], c->at[0]));
        return true;
    }
    switch (op) {
    case PROGRAM_ADD: put_sum(r, a, 1, b); return true;
    case PROGRAM_SUB: put_sum(r, a, -1, b); return true;
    case PROGRAM_NEG: put_sum(r, &zero, -1, a); return true;
    case PROGRAM_MUL: return put_product(r, a, b);
    case PROGRAM_DIV: put_sum(r, &zero, b->fixed ? 1 / b->at[0] : NAN, a); return b->fixed;
    case PROGRAM_MUL_ADD:
    case PROGRAM_MUL_SUB:
    case PROGRAM_SUB_MUL:
        if (!put_product(spare, a, b))
            return false;
        put_sum(r, spare, op == PROGRAM_MUL_ADD ? 1 : -1, c);
        if (op == PROGRAM_SUB_MUL)
            scale(r, -1);
        return true;
    default: return false;
    }
}

// ---- The whole.

static bool set_inputs(const Program *program, const ProgramCurve *curve, Row *rows)
{
    for (size_t i = 0; i < program->constant_count; i++)
        set_fixed(rows++, program->real[i]);
    for (size_t i = 0; i < curve->constant_count; i++)
        set_fixed(rows++, curve->constants[i]);
    bool fits = true;
    for (size_t i = 0; i < curve->count; i++)
        fits =
            fits && set_input(rows++, curve->coefficients + i * (curve->degree + 1), curve->degree);
    return fits;
}

// The result of an instruction may take the register of an operand: it is made in a row of its own,
// which changes places.
static bool run(const Program *program, Row *rows)
{
    Row *made = rows + program->register_count, *spare = made + 1;
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *code = &program->code[i];
        const Row *of[] = {&rows[code->a], &rows[code->b], &rows[code->c]};
        if (!put(program->tables, code->op, of, made, spare))
            return false;
        Row former = rows[code->result];
        rows[code->result] = *made;
        *made = former;
    }
    return true;
}

bool curve_compose(const Program *program, const ProgramCurve *curve, CurvePolynomial *polynomial)
{
    size_t count = program->register_count + 2;
    assert(curve->constant_count + curve->count == program->input_count);
    Row *rows = base_alloc(count * sizeof *rows);
    double *numbers = base_alloc((count + 1) * ROW * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        rows[i].at = numbers + (1 + i) * ROW;
    bool composed = set_inputs(program, curve, rows) && run(program, rows);
    const Row *output = &rows[program->outputs[0]];
    *polynomial = (CurvePolynomial){0};
    if (composed) {
        memcpy(numbers, output->at, (output->degree + 1) * sizeof *numbers);
        double roundings = ROUNDINGS * (double)(program->code_count + output->degree + 1);
        *polynomial =
            (CurvePolynomial){numbers, output->degree, roundings * DBL_EPSILON * output->size};
    } else {
        base_free(numbers);
    }
    base_free(rows);
    return composed;
}

void curve_polynomial_clear(CurvePolynomial *polynomial)
{
    base_free(polynomial->coefficients);
}

// intervals.c: a program run in intervals of doubles.
//
// Sums, products, quotients, roots and functions that rise or fall have tight intervals; sines and
// cosines have those of their argument's middle and width; of what is left nothing is known. Bounds
// are not rounded outwards: whoever compares them allows for that.
#include "program/intervals.h"

#include "program/program_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const Interval anything = {-INFINITY, INFINITY};

// No number is no bound.
static Interval checked(double low, double high)
{
    return low <= high ? (Interval){low, high} : anything;
}

static Interval add(Interval a, Interval b)
{
    return checked(a.low + b.low, a.high + b.high);
}

static Interval negative(Interval a)
{
    return (Interval){-a.high, -a.low};
}

static Interval hull(double a, double b, double c, double d)
{
    if (isnan(a + b + c + d))
        return anything;
    return (Interval){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

static Interval size_of(Interval a)
{
    double most = fmax(fabs(a.low), fabs(a.high));
    double least = a.low > 0 || a.high < 0 ? fmin(fabs(a.low), fabs(a.high)) : 0;
    return (Interval){least, most};
}

static Interval multiply(Interval a, Interval b, bool same)
{
    if (!same)
        return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
    Interval size = size_of(a);
    return checked(size.low * size.low, size.high * size.high);
}

static Interval divide(Interval a, Interval b)
{
    if (!(b.low > 0 || b.high < 0))
        return anything;
    return multiply(a, (Interval){1 / b.high, 1 / b.low}, false);
}

// A function that rises all over.
static Interval rising(Interval a, double (*f)(double))
{
    return checked(f(a.low), f(a.high));
}

// One that no slope of 1 is left by, and that stays within 1.
static Interval wave(Interval a, double (*f)(double))
{
    double middle = f(a.low + (a.high - a.low) / 2), half = (a.high - a.low) / 2;
    if (!(half < 2))
        return (Interval){-1, 1};
    return (Interval){fmax(middle - half, -1), fmin(middle + half, 1)};
}

static Interval power(Interval a, Interval b)
{
    if (!(a.low > 0))
        return anything;
    return hull(pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low), pow(a.high, b.high));
}

static Interval call(const Instruction *at, Interval a, Interval b)
{
    Interval size;
    switch ((ProgramOp)at->op) {
    case PROGRAM_CALL_SIN: return wave(a, sin);
    case PROGRAM_CALL_COS: return wave(a, cos);
    case PROGRAM_CALL_ASIN: return rising(a, asin);
    case PROGRAM_CALL_ATAN: return rising(a, atan);
    case PROGRAM_CALL_SINH: return rising(a, sinh);
    case PROGRAM_CALL_TANH: return rising(a, tanh);
    case PROGRAM_CALL_EXP: return rising(a, exp);
    case PROGRAM_CALL_LOG: return a.low > 0 ? rising(a, log) : anything;
    case PROGRAM_CALL_COSH: size = size_of(a); return checked(cosh(size.low), cosh(size.high));
    case PROGRAM_CALL_ABS: return size_of(a);
    case PROGRAM_CALL_MIN: return checked(fmin(a.low, b.low), fmin(a.high, b.high));
    case PROGRAM_CALL_MAX: return checked(fmax(a.low, b.low), fmax(a.high, b.high));
    case PROGRAM_CALL_POW: return power(a, b);
    default: return anything;
    }
}

static Interval value_of(const Instruction *at, const Interval *work)
{
    Interval a = work[at->a], b = work[at->b], c = work[at->c];
    bool same = at->a == at->b;
    switch ((ProgramOp)at->op) {
    case PROGRAM_ADD: return add(a, b);
    case PROGRAM_SUB: return add(a, negative(b));
    case PROGRAM_MUL: return multiply(a, b, same);
    case PROGRAM_DIV: return divide(a, b);
    case PROGRAM_NEG: return negative(a);
    case PROGRAM_SQRT: return a.low >= 0 ? rising(a, sqrt) : anything;
    case PROGRAM_MUL_ADD: return add(multiply(a, b, same), c);
    case PROGRAM_MUL_SUB: return add(multiply(a, b, same), negative(c));
    case PROGRAM_SUB_MUL: return add(c, negative(multiply(a, b, same)));
    default: return call(at, a, b);
    }
}

void program_run_intervals(const Program *program, const Interval *inputs, Interval *outputs,
                           Interval *work)
{
    assert(program && inputs != outputs);
    for (size_t i = 0; i < program->constant_count; i++)
        work[i] = (Interval){program->real[i], program->real[i]};
    memcpy(work + program->constant_count, inputs, program->input_count * sizeof *work);
    for (size_t i = 0; i < program->code_count; i++)
        work[program->code[i].result] = value_of(&program->code[i], work);
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = work[program->outputs[i]];
}

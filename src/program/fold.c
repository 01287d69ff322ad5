// fold.c: a program with fewer operations, for running in doubles.
//
// The instructions are read again in order, each with the values that its operands have become,
// and are written anew where they cannot be had for less: constants are worked out and gathered,
// signs move outwards until a sum takes them in, what is 0 or 1 vanishes. One pass opens the way
// for the next; the last one finds nothing.
#include "program/program_impl.h"

#include <math.h>

typedef struct {
    Builder builder;
    const Program *program;
    uint32_t *now; // the value that each register of the program holds
} Folding;

static uint32_t emit(Folding *folding, uint32_t op, uint32_t a, uint32_t b);

static bool is_constant(uint32_t value)
{
    return (value & VALUE_KIND) == VALUE_CONSTANT;
}

static uint32_t number(Folding *folding, double value)
{
    fmpq_t exact;
    fmpq_init(exact);
    int exponent = 0;
    double fraction = frexp(value, &exponent); // ±[½, 1)
    fmpz_set_d(fmpq_numref(exact), ldexp(fraction, 53));
    fmpz_one(fmpq_denref(exact));
    if (exponent > 53)
        fmpq_mul_2exp(exact, exact, (ulong)(exponent - 53));
    else
        fmpq_div_2exp(exact, exact, (ulong)(53 - exponent));
    uint32_t constant = builder_constant(&folding->builder, exact);
    fmpq_clear(exact);
    return constant;
}

static double real_of(const Folding *folding, uint32_t constant)
{
    if ((ptrdiff_t)constant == folding->builder.pi_at)
        return 3.14159265358979323846;
    return program_nearest_real(folding->builder.constants.at + constant);
}

static bool is_number(const Folding *folding, uint32_t value, double wanted)
{
    return is_constant(value) && real_of(folding, value) == wanted;
}

// The instruction behind a value, or NULL; and whether it is one of this operation.
static const Instruction *behind(const Folding *folding, uint32_t value)
{
    bool result = (value & VALUE_KIND) == VALUE_RESULT;
    return result ? folding->builder.code.at + (value & ~(uint32_t)VALUE_KIND) : NULL;
}

static bool is(const Folding *folding, uint32_t value, uint32_t op)
{
    const Instruction *at = behind(folding, value);
    return at && at->op == op;
}

static uint32_t inside(const Folding *folding, uint32_t value)
{
    return behind(folding, value)->a;
}

// constant·w: the constant stands first, for its number is lower than any other value's.
static bool is_scaled(const Folding *folding, uint32_t value)
{
    return is(folding, value, PROGRAM_MUL) && is_constant(behind(folding, value)->a);
}

static uint32_t negated(Folding *folding, uint32_t a)
{
    return emit(folding, PROGRAM_NEG, a, 0);
}

// Where a, a constant, and b multiply.
static uint32_t scale(Folding *folding, uint32_t a, uint32_t b)
{
    double factor = real_of(folding, a);
    if (factor == 0)
        return a;
    if (factor == 1)
        return b;
    if (factor == -1)
        return negated(folding, b);
    if (is(folding, b, PROGRAM_NEG))
        return scale(folding, number(folding, -factor), inside(folding, b));
    if (is_scaled(folding, b)) {
        const Instruction at = *behind(folding, b);
        return scale(folding, number(folding, factor * real_of(folding, at.a)), at.b);
    }
    return builder_emit(&folding->builder, PROGRAM_MUL, a, b);
}

static uint32_t multiply(Folding *folding, uint32_t a, uint32_t b)
{
    if (is_constant(a))
        return scale(folding, a, b);
    if (is_constant(b))
        return scale(folding, b, a);
    if (is(folding, a, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_MUL, inside(folding, a), b));
    if (is(folding, b, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_MUL, a, inside(folding, b)));
    return builder_emit(&folding->builder, PROGRAM_MUL, a, b);
}

static uint32_t divide(Folding *folding, uint32_t a, uint32_t b)
{
    if (is_constant(b) && real_of(folding, b) != 0)
        return multiply(folding, number(folding, 1 / real_of(folding, b)), a);
    if (is_number(folding, a, 0))
        return a;
    if (is(folding, a, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_DIV, inside(folding, a), b));
    if (is(folding, b, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_DIV, a, inside(folding, b)));
    return builder_emit(&folding->builder, PROGRAM_DIV, a, b);
}

static uint32_t negate(Folding *folding, uint32_t a)
{
    const Instruction *at = behind(folding, a);
    if (at && at->op == PROGRAM_NEG)
        return at->a;
    if (at && at->op == PROGRAM_SUB)
        return emit(folding, PROGRAM_SUB, at->b, at->a);
    if (is_scaled(folding, a)) {
        const Instruction scaled = *at;
        return scale(folding, number(folding, -real_of(folding, scaled.a)), scaled.b);
    }
    return builder_emit(&folding->builder, PROGRAM_NEG, a, 0);
}

// c₁·w ± c₂·w, where either constant may be 1.
static bool collect(Folding *folding, uint32_t a, uint32_t b, double sign, uint32_t *sum)
{
    bool left = is_scaled(folding, a), right = is_scaled(folding, b);
    uint32_t w = left ? behind(folding, a)->b : a;
    if ((right ? behind(folding, b)->b : b) != w)
        return false;
    double factor = left ? real_of(folding, behind(folding, a)->a) : 1;
    factor += sign * (right ? real_of(folding, behind(folding, b)->a) : 1);
    *sum = scale(folding, number(folding, factor), w);
    return true;
}

static uint32_t add(Folding *folding, uint32_t a, uint32_t b)
{
    uint32_t sum;
    if (is_number(folding, a, 0))
        return b;
    if (is_number(folding, b, 0))
        return a;
    if (is(folding, b, PROGRAM_NEG))
        return emit(folding, PROGRAM_SUB, a, inside(folding, b));
    if (is(folding, a, PROGRAM_NEG))
        return emit(folding, PROGRAM_SUB, b, inside(folding, a));
    if (collect(folding, a, b, 1, &sum))
        return sum;
    return builder_emit(&folding->builder, PROGRAM_ADD, a, b);
}

static uint32_t subtract(Folding *folding, uint32_t a, uint32_t b)
{
    uint32_t difference;
    if (is_number(folding, a, 0))
        return negated(folding, b);
    if (is_number(folding, b, 0))
        return a;
    if (is(folding, b, PROGRAM_NEG))
        return emit(folding, PROGRAM_ADD, a, inside(folding, b));
    if (collect(folding, a, b, -1, &difference))
        return difference;
    if (is(folding, a, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_ADD, inside(folding, a), b));
    return builder_emit(&folding->builder, PROGRAM_SUB, a, b);
}

static uint32_t emit(Folding *folding, uint32_t op, uint32_t a, uint32_t b)
{
    if (is_constant(a) && (program_operands(op) < 2 || is_constant(b))) {
        double second = program_operands(op) < 2 ? 0 : real_of(folding, b);
        double value = program_real_value(op, real_of(folding, a), second, 0);
        if (isfinite(value))
            return number(folding, value);
    }
    switch (op) {
    case PROGRAM_ADD: return add(folding, a, b);
    case PROGRAM_SUB: return subtract(folding, a, b);
    case PROGRAM_MUL: return multiply(folding, a, b);
    case PROGRAM_DIV: return divide(folding, a, b);
    case PROGRAM_NEG: return negate(folding, a);
    default: return builder_emit(&folding->builder, op, a, b);
    }
}

static uint32_t read_again(Folding *folding, const Instruction *at)
{
    const uint32_t *now = folding->now;
    uint32_t a = now[at->a], b = now[at->b], c = now[at->c];
    switch (at->op) {
    case PROGRAM_MUL_ADD: return emit(folding, PROGRAM_ADD, emit(folding, PROGRAM_MUL, a, b), c);
    case PROGRAM_MUL_SUB: return emit(folding, PROGRAM_SUB, emit(folding, PROGRAM_MUL, a, b), c);
    case PROGRAM_SUB_MUL: return emit(folding, PROGRAM_SUB, c, emit(folding, PROGRAM_MUL, a, b));
    default: return emit(folding, at->op, a, program_operands(at->op) < 2 ? 0 : b);
    }
}

// Constants that an earlier pass has left without a reader are not taken over.
static void hold_constants(Folding *folding)
{
    const Program *program = folding->program;
    bool *read = base_alloc(program->register_count + 1);
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *at = &program->code[i];
        int count = program_operands(at->op);
        read[at->a] = true;
        read[count > 1 ? at->b : at->a] = true;
        read[count > 2 ? at->c : at->a] = true;
    }
    for (size_t i = 0; i < program->output_count; i++)
        read[program->outputs[i]] = true;
    for (size_t i = 0; i < program->constant_count; i++)
        if (read[i])
            folding->now[i] = (ptrdiff_t)i == program->pi_at
                                  ? builder_pi(&folding->builder)
                                  : builder_constant(&folding->builder, program->exact + i);
    base_free(read);
}

// The first `count` inputs are these numbers.
static Program *fold_once(const Program *program, const double *values, size_t count)
{
    Folding folding = {.builder = {.pi_at = -1}, .program = program};
    folding.now = base_alloc((program->register_count + 1) * sizeof *folding.now);
    hold_constants(&folding);
    for (size_t i = 0; i < program->input_count; i++)
        folding.now[program->constant_count + i] =
            i < count ? number(&folding, values[i]) : VALUE_INPUT | (uint32_t)(i - count);
    for (size_t i = 0; i < program->code_count; i++)
        folding.now[program->code[i].result] = read_again(&folding, &program->code[i]);
    uint32_t *outputs = base_alloc((program->output_count + 1) * sizeof *outputs);
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = folding.now[program->outputs[i]];
    Program *folded = builder_finish(&folding.builder, program->input_count - count, outputs,
                                     program->output_count);
    base_free(outputs);
    base_free(folding.now);
    builder_clear(&folding.builder);
    return folded;
}

Program *program_folded(const Program *program)
{
    return program_bound(program, NULL, 0);
}

Program *program_bound(const Program *program, const double *values, size_t count)
{
    Program *folded = fold_once(program, values, count);
    for (;;) {
        Program *next = fold_once(folded, NULL, 0);
        bool better = next->code_count < folded->code_count;
        program_free(folded);
        folded = next;
        if (!better)
            return folded;
    }
}

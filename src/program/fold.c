// fold.c: a program with fewer operations, for running in doubles.
//
// The instructions are read again in order, each with the values that its operands have become,
// and are written anew where they cannot be had for less: constants are worked out and gathered,
// signs move outwards until a sum takes them in, what is 0 or 1 vanishes. One pass opens the way
// for the next; the last one finds nothing.
//
// Parameters are constants too, whose numbers come later: what is worked out of them becomes an
// instruction of the prologue, and its result a constant. No choice here looks at their numbers.
#include "program/program_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NO_CONSTANT = UINT32_MAX };

typedef struct {
    Builder builder, prologue;
    const Program *program;
    uint32_t *now;         // the value that each register of the program holds
    ARRAY(uint32_t) given; // of every constant: its value in the prologue, or PROGRAM_LITERAL
    ARRAY(uint32_t) kept;  // of every result of the prologue: its constant, or NO_CONSTANT
    uint32_t *parameters;  // the same of its inputs
    ARRAY(uint32_t) uses;  // of every result: how often it is read, as far as that is seen
} Folding;

static uint32_t emit(Folding *folding, uint32_t op, uint32_t a, uint32_t b);

static bool is_constant(uint32_t value)
{
    return (value & VALUE_KIND) == VALUE_CONSTANT;
}

// Whether its number is known here.
static bool is_literal(const Folding *folding, uint32_t value)
{
    return is_constant(value) &&
           (value >= folding->given.count || folding->given.at[value] == PROGRAM_LITERAL);
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
    return is_literal(folding, value) && real_of(folding, value) == wanted;
}

// ---- Constants whose numbers come later.

// A new constant of the program.
static uint32_t new_constant(Folding *folding, uint32_t in_prologue)
{
    uint32_t constant = builder_later(&folding->builder);
    while (folding->given.count < constant)
        array_push(&folding->given, (uint32_t)PROGRAM_LITERAL);
    array_push(&folding->given, in_prologue);
    return constant;
}

// The constant that a value of the prologue is.
static uint32_t constant_of(Folding *folding, uint32_t in_prologue)
{
    uint32_t index = in_prologue & ~(uint32_t)VALUE_KIND;
    if (is_constant(in_prologue))
        return (ptrdiff_t)index == folding->prologue.pi_at
                   ? builder_pi(&folding->builder)
                   : builder_constant(&folding->builder, folding->prologue.constants.at + index);
    bool result = (in_prologue & VALUE_KIND) == VALUE_RESULT;
    while (result && folding->kept.count <= index)
        array_push(&folding->kept, (uint32_t)NO_CONSTANT);
    uint32_t *constant = result ? &folding->kept.at[index] : &folding->parameters[index];
    if (*constant == NO_CONSTANT)
        *constant = new_constant(folding, in_prologue);
    return *constant;
}

// The value of a constant in the prologue.
static uint32_t in_prologue(Folding *folding, uint32_t constant)
{
    if (!is_literal(folding, constant))
        return folding->given.at[constant];
    if ((ptrdiff_t)constant == folding->builder.pi_at)
        return builder_pi(&folding->prologue);
    return builder_constant(&folding->prologue, folding->builder.constants.at + constant);
}

// An operation on constants of which one at least has no number yet.
static uint32_t later(Folding *folding, uint32_t op, uint32_t a, uint32_t b)
{
    bool product = op == PROGRAM_MUL, sum = op == PROGRAM_ADD || op == PROGRAM_SUB;
    if ((product && is_number(folding, a, 1)) || (op == PROGRAM_ADD && is_number(folding, a, 0)))
        return b;
    if (((product || op == PROGRAM_DIV) && is_number(folding, b, 1)) ||
        (sum && is_number(folding, b, 0)))
        return a;
    if (product && (is_number(folding, a, 0) || is_number(folding, b, 0)))
        return number(folding, 0);
    if (op == PROGRAM_SUB && a == b)
        return number(folding, 0);
    uint32_t first = in_prologue(folding, a);
    uint32_t second = program_operands(op) < 2 ? 0 : in_prologue(folding, b);
    return constant_of(folding, builder_emit(&folding->prologue, op, first, second));
}

// The value of an operation on constants; false where it is no number.
static bool work_out(Folding *folding, uint32_t op, uint32_t a, uint32_t b, uint32_t *value)
{
    bool one = program_operands(op) < 2;
    if (!is_literal(folding, a) || (!one && !is_literal(folding, b))) {
        *value = later(folding, op, a, b);
        return true;
    }
    double result = program_real_value(folding->program->tables, op, real_of(folding, a),
                                       one ? 0 : real_of(folding, b), 0);
    if (!isfinite(result))
        return false;
    *value = number(folding, result);
    return true;
}

// ---- Instructions.

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

// Whether nobody else reads a value.
static bool is_own(const Folding *folding, uint32_t value)
{
    uint32_t index = value & ~(uint32_t)VALUE_KIND;
    return index >= folding->uses.count || folding->uses.at[index] <= 1;
}

// Whether a value takes a constant factor for nothing: a constant, a constant times something, or a
// sum of such, which nobody else reads. Numbers have gone into sums long before.
static bool takes_factor(const Folding *folding, uint32_t value)
{
    const Instruction *at = behind(folding, value);
    if (is_constant(value))
        return true;
    if (!at || !is_own(folding, value))
        return false;
    return is_scaled(folding, value) ||
           ((at->op == PROGRAM_ADD || at->op == PROGRAM_SUB) && takes_factor(folding, at->a) &&
            takes_factor(folding, at->b));
}

// Where a, a constant, and b multiply.
static uint32_t scale(Folding *folding, uint32_t a, uint32_t b)
{
    uint32_t factor;
    if (is_number(folding, a, 0))
        return a;
    if (is_number(folding, a, 1))
        return b;
    if (is_number(folding, a, -1))
        return negated(folding, b);
    if (is(folding, b, PROGRAM_NEG) && work_out(folding, PROGRAM_NEG, a, 0, &factor))
        return scale(folding, factor, inside(folding, b));
    if (is_scaled(folding, b)) {
        const Instruction at = *behind(folding, b);
        if (work_out(folding, PROGRAM_MUL, a, at.a, &factor))
            return scale(folding, factor, at.b);
    }
    if (!is_literal(folding, a) && takes_factor(folding, b)) {
        const Instruction at = *behind(folding, b);
        uint32_t first = emit(folding, PROGRAM_MUL, a, at.a);
        return emit(folding, at.op, first, emit(folding, PROGRAM_MUL, a, at.b));
    }
    return builder_emit(&folding->builder, PROGRAM_MUL, a, b);
}

// Whether a value is a constant, whose number comes later, times what nobody else reads.
static bool is_scaled_later(const Folding *folding, uint32_t value)
{
    return is_scaled(folding, value) && !is_literal(folding, behind(folding, value)->a) &&
           is_own(folding, value);
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
    if (is_scaled_later(folding, a)) {
        const Instruction at = *behind(folding, a);
        return scale(folding, at.a, emit(folding, PROGRAM_MUL, at.b, b));
    }
    if (is_scaled_later(folding, b)) {
        const Instruction at = *behind(folding, b);
        return scale(folding, at.a, emit(folding, PROGRAM_MUL, a, at.b));
    }
    return builder_emit(&folding->builder, PROGRAM_MUL, a, b);
}

static uint32_t divide(Folding *folding, uint32_t a, uint32_t b)
{
    uint32_t inverse;
    if (is_constant(b) && !is_number(folding, b, 0) &&
        work_out(folding, PROGRAM_DIV, number(folding, 1), b, &inverse))
        return multiply(folding, inverse, a);
    if (is_number(folding, a, 0))
        return a;
    if (is(folding, a, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_DIV, inside(folding, a), b));
    if (is(folding, b, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_DIV, a, inside(folding, b)));
    if (is_scaled_later(folding, a)) {
        const Instruction at = *behind(folding, a);
        return scale(folding, at.a, emit(folding, PROGRAM_DIV, at.b, b));
    }
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
        uint32_t factor;
        if (work_out(folding, PROGRAM_NEG, scaled.a, 0, &factor))
            return scale(folding, factor, scaled.b);
    }
    return builder_emit(&folding->builder, PROGRAM_NEG, a, 0);
}

// c₁·w ± c₂·w, where either constant may be 1.
static bool collect(Folding *folding, uint32_t a, uint32_t b, uint32_t op, uint32_t *sum)
{
    bool left = is_scaled(folding, a), right = is_scaled(folding, b);
    uint32_t w = left ? behind(folding, a)->b : a;
    if ((right ? behind(folding, b)->b : b) != w)
        return false;
    uint32_t first = left ? behind(folding, a)->a : number(folding, 1), factor;
    uint32_t second = right ? behind(folding, b)->a : number(folding, 1);
    if (!work_out(folding, op, first, second, &factor))
        return false;
    *sum = scale(folding, factor, w);
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
    if (collect(folding, a, b, PROGRAM_ADD, &sum))
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
    if (collect(folding, a, b, PROGRAM_SUB, &difference))
        return difference;
    if (is(folding, a, PROGRAM_NEG))
        return negated(folding, emit(folding, PROGRAM_ADD, inside(folding, a), b));
    return builder_emit(&folding->builder, PROGRAM_SUB, a, b);
}

static uint32_t emit(Folding *folding, uint32_t op, uint32_t a, uint32_t b)
{
    uint32_t value;
    if (is_constant(a) && (program_operands(op) < 2 || is_constant(b)) &&
        work_out(folding, op, a, b, &value))
        return value;
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

// ---- Programs.

// The prologue of the program, instruction by instruction; what each of its outputs is.
static uint32_t *take_prologue(Folding *folding, const Program *prologue)
{
    Builder *to = &folding->prologue;
    uint32_t *values =
        base_alloc((prologue->output_count + prologue->register_count + 1) * sizeof *values);
    uint32_t *now = values + prologue->output_count;
    for (size_t i = 0; i < prologue->constant_count; i++)
        now[i] = (ptrdiff_t)i == prologue->pi_at ? builder_pi(to)
                                                 : builder_constant(to, prologue->exact + i);
    for (size_t i = 0; i < prologue->input_count; i++)
        now[prologue->constant_count + i] = VALUE_INPUT | (uint32_t)i;
    for (size_t i = 0; i < prologue->code_count; i++) {
        const Instruction *at = &prologue->code[i];
        int count = program_operands(at->op);
        now[at->result] = builder_emit_whole(to, at->op, now[at->a], count > 1 ? now[at->b] : 0,
                                             count > 2 ? now[at->c] : 0);
    }
    for (size_t i = 0; i < prologue->output_count; i++)
        values[i] = now[prologue->outputs[i]];
    return values;
}

// Constants that an earlier pass has left without a reader are not taken over.
static void hold_constants(Folding *folding)
{
    const Program *program = folding->program;
    bool *read = base_alloc(program->register_count + 1);
    uint32_t *given = program->prologue ? take_prologue(folding, program->prologue) : NULL;
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
        if (read[i] && program->later[i] != PROGRAM_LITERAL)
            folding->now[i] = constant_of(folding, given[program->later[i]]);
        else if (read[i])
            folding->now[i] = (ptrdiff_t)i == program->pi_at
                                  ? builder_pi(&folding->builder)
                                  : builder_constant(&folding->builder, program->exact + i);
    base_free(given);
    base_free(read);
}

// How often every instruction of the program is read; the caller frees it.
static uint32_t *count_uses(const Program *program)
{
    uint32_t *uses = base_alloc((program->code_count + 1) * sizeof *uses);
    size_t *written = base_alloc((program->register_count + 1) * sizeof *written);
    for (size_t i = 0; i < program->register_count; i++)
        written[i] = program->code_count;
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *at = &program->code[i];
        const uint32_t operands[] = {at->a, at->b, at->c};
        for (int j = 0; j < program_operands(at->op); j++)
            uses[written[operands[j]]]++;
        written[at->result] = i;
    }
    for (size_t i = 0; i < program->output_count; i++)
        uses[written[program->outputs[i]]]++;
    base_free(written);
    return uses;
}

static void read_all(Folding *folding)
{
    const Program *program = folding->program;
    uint32_t *uses = count_uses(program);
    for (size_t i = 0; i < program->code_count; i++) {
        uint32_t value = read_again(folding, &program->code[i]);
        uint32_t index = value & ~(uint32_t)VALUE_KIND;
        folding->now[program->code[i].result] = value;
        if ((value & VALUE_KIND) != VALUE_RESULT)
            continue;
        while (folding->uses.count <= index)
            array_push(&folding->uses, 0);
        folding->uses.at[index] += uses[i];
    }
    base_free(uses);
}

// The first inputs are these numbers, or parameters where `values` is NULL.
static void hold_inputs(Folding *folding, const double *values, size_t count)
{
    const Program *program = folding->program;
    uint32_t *inputs = folding->now + program->constant_count;
    for (size_t i = 0; i < program->input_count; i++)
        inputs[i] = i >= count ? VALUE_INPUT | (uint32_t)(i - count)
                    : values   ? number(folding, values[i])
                               : constant_of(folding, VALUE_INPUT | (uint32_t)i);
}

// The program, with the prologue of the constants whose numbers come later.
static Program *finish(Folding *folding, size_t parameters, size_t inputs)
{
    const Program *program = folding->program;
    uint32_t *outputs = base_alloc((program->output_count + 1) * sizeof *outputs);
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = folding->now[program->outputs[i]];
    Program *folded = builder_finish(&folding->builder, inputs, outputs, program->output_count);
    base_free(outputs);
    ARRAY(uint32_t) later = {0};
    for (size_t i = 0; i < folding->given.count; i++)
        if (folding->given.at[i] != PROGRAM_LITERAL) {
            folded->later[i] = (uint32_t)later.count;
            array_push(&later, folding->given.at[i]);
        }
    if (parameters > 0)
        folded->prologue = builder_finish(&folding->prologue, parameters, later.at, later.count);
    array_clear(&later);
    return folded;
}

static Program *fold_once(const Program *program, const double *values, size_t count)
{
    Folding folding = {.builder = {.pi_at = -1, .tables = program->tables},
                       .prologue = {.pi_at = -1, .tables = program->tables},
                       .program = program};
    size_t parameters = program->prologue ? program->prologue->input_count : values ? 0 : count;
    assert(!program->prologue || count == 0);
    folding.now = base_alloc((program->register_count + parameters + 1) * sizeof *folding.now);
    folding.parameters = folding.now + program->register_count + 1;
    memset(folding.parameters, 0xFF, parameters * sizeof *folding.parameters);
    hold_constants(&folding);
    hold_inputs(&folding, values, count);
    read_all(&folding);
    Program *folded = finish(&folding, parameters, program->input_count - count);
    base_free(folding.now);
    array_clear(&folding.given);
    array_clear(&folding.kept);
    array_clear(&folding.uses);
    builder_clear(&folding.builder);
    builder_clear(&folding.prologue);
    return folded;
}

static Program *fold(const Program *program, const double *values, size_t count)
{
    Program *folded = fold_once(program, values, count);
    for (;;) {
        Program *next = fold_once(folded, NULL, 0);
        size_t former = folded->code_count, now = next->code_count;
        program_free(now <= former ? folded : next);
        folded = now <= former ? next : folded;
        if (now >= former)
            return folded;
    }
}

Program *program_folded(const Program *program)
{
    return fold(program, NULL, 0);
}

Program *program_bound(const Program *program, const double *values, size_t count)
{
    assert(values || count == 0);
    return fold(program, values, count);
}

Program *program_parametrized(const Program *program, size_t count)
{
    return fold(program, NULL, count);
}

void program_set_parameters(Program *program, const double *parameters)
{
    const Program *prologue = program->prologue;
    if (!prologue)
        return;
    double *values =
        base_alloc((prologue->output_count + prologue->register_count + 1) * sizeof *values);
    program_run_real(prologue, parameters, values, values + prologue->output_count);
    for (size_t i = 0; i < program->constant_count; i++)
        if (program->later[i] != PROGRAM_LITERAL)
            program->real[i] = values[program->later[i]];
    base_free(values);
}

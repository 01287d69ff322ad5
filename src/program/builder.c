// builder.c: a program in the making: constants and instructions, each kept once.
#include "program/program_impl.h"

#include <math.h>
#include <string.h>

// ---- Constants.

static uint64_t constant_hash(const fmpq *value)
{
    uint64_t hash = fmpz_fdiv_ui(&value->num, 0xFFFFFFFFFFFFFFC5u);
    return hash_mix(hash, fmpz_fdiv_ui(&value->den, 0xFFFFFFFFFFFFFFC5u));
}

// 0/0 is no rational number: no other constant is taken for it.
static bool is_later(const fmpq *value)
{
    return fmpz_is_zero(&value->den);
}

static void constant_slots_grow(Builder *builder)
{
    base_free(builder->constant_slots);
    while (2 * (builder->constants.count + 1) > builder->constant_slot_count)
        builder->constant_slot_count =
            builder->constant_slot_count ? 2 * builder->constant_slot_count : 64;
    builder->constant_slots =
        base_alloc(builder->constant_slot_count * sizeof *builder->constant_slots);
    size_t mask = builder->constant_slot_count - 1;
    for (size_t i = 0; i < builder->constants.count; i++) {
        if ((ptrdiff_t)i == builder->pi_at || is_later(builder->constants.at + i))
            continue;
        size_t slot = (size_t)constant_hash(builder->constants.at + i) & mask;
        while (builder->constant_slots[slot])
            slot = (slot + 1) & mask;
        builder->constant_slots[slot] = (uint32_t)i + 1;
    }
}

uint32_t builder_constant(Builder *builder, const fmpq *value)
{
    if (2 * (builder->constants.count + 1) > builder->constant_slot_count)
        constant_slots_grow(builder);
    size_t mask = builder->constant_slot_count - 1;
    size_t slot = (size_t)constant_hash(value) & mask;
    for (; builder->constant_slots[slot]; slot = (slot + 1) & mask)
        if (fmpq_equal(builder->constants.at + builder->constant_slots[slot] - 1, value))
            return VALUE_CONSTANT | (builder->constant_slots[slot] - 1);
    fmpq kept;
    fmpq_init(&kept);
    fmpq_set(&kept, value);
    array_push(&builder->constants, kept);
    builder->constant_slots[slot] = (uint32_t)builder->constants.count;
    return VALUE_CONSTANT | (uint32_t)(builder->constants.count - 1);
}

uint32_t builder_pi(Builder *builder)
{
    if (builder->pi_at < 0) {
        fmpq place;
        fmpq_init(&place);
        array_push(&builder->constants, place);
        builder->pi_at = (ptrdiff_t)builder->constants.count - 1;
    }
    return VALUE_CONSTANT | (uint32_t)builder->pi_at;
}

uint32_t builder_later(Builder *builder)
{
    fmpq place;
    fmpq_init(&place);
    fmpz_zero(&place.den);
    array_push(&builder->constants, place);
    return VALUE_CONSTANT | (uint32_t)(builder->constants.count - 1);
}

// ---- Instructions.

static uint64_t instruction_hash(const Instruction *at)
{
    return hash_mix(hash_mix(at->op, (uint64_t)at->a << 32 | at->b), at->c);
}

static bool instructions_agree(const Instruction *left, const Instruction *right)
{
    return left->op == right->op && left->a == right->a && left->b == right->b &&
           left->c == right->c;
}

static void code_slots_grow(Builder *builder)
{
    base_free(builder->code_slots);
    builder->code_slot_count = builder->code_slot_count ? 2 * builder->code_slot_count : 256;
    builder->code_slots = base_alloc(builder->code_slot_count * sizeof *builder->code_slots);
    size_t mask = builder->code_slot_count - 1;
    for (size_t i = 0; i < builder->code.count; i++) {
        size_t slot = (size_t)instruction_hash(builder->code.at + i) & mask;
        while (builder->code_slots[slot])
            slot = (slot + 1) & mask;
        builder->code_slots[slot] = (uint32_t)i + 1;
    }
}

uint32_t builder_emit(Builder *builder, uint32_t op, uint32_t a, uint32_t b)
{
    // Sums and products do not mind the order: one is kept, so that equal work is seen.
    if ((op == PROGRAM_ADD || op == PROGRAM_MUL) && a > b) {
        uint32_t first = b;
        b = a;
        a = first;
    }
    if (2 * (builder->code.count + 1) > builder->code_slot_count)
        code_slots_grow(builder);
    Instruction at = {op, VALUE_RESULT | (uint32_t)builder->code.count, a, b, 0};
    size_t mask = builder->code_slot_count - 1;
    size_t slot = (size_t)instruction_hash(&at) & mask;
    for (; builder->code_slots[slot]; slot = (slot + 1) & mask) {
        const Instruction *known = builder->code.at + builder->code_slots[slot] - 1;
        if (instructions_agree(known, &at))
            return known->result;
    }
    array_push(&builder->code, at);
    builder->code_slots[slot] = (uint32_t)builder->code.count;
    return at.result;
}

uint32_t builder_emit_whole(Builder *builder, uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
    switch (op) {
    case PROGRAM_MUL_ADD:
        return builder_emit(builder, PROGRAM_ADD, builder_emit(builder, PROGRAM_MUL, a, b), c);
    case PROGRAM_MUL_SUB:
        return builder_emit(builder, PROGRAM_SUB, builder_emit(builder, PROGRAM_MUL, a, b), c);
    case PROGRAM_SUB_MUL:
        return builder_emit(builder, PROGRAM_SUB, c, builder_emit(builder, PROGRAM_MUL, a, b));
    default: return builder_emit(builder, op, a, b);
    }
}

// ---- Programs.

void builder_clear(Builder *builder)
{
    array_clear(&builder->code);
    for (size_t i = 0; i < builder->constants.count; i++)
        fmpq_clear(builder->constants.at + i);
    array_clear(&builder->constants);
    base_free(builder->code_slots);
    base_free(builder->constant_slots);
}

// What can be said of the finished code.
static void program_note_kinds(Program *program)
{
    program->rational = program->pi_at < 0;
    for (size_t i = 0; i < program->code_count; i++) {
        uint32_t op = program->code[i].op;
        if (op >= PROGRAM_ARITHMETIC_COUNT || op == PROGRAM_PIECE)
            program->rational = false;
        if (op == PROGRAM_SQRT)
            program->has_roots = true;
    }
}

// A number that is not 0, but no double is: as one that is too large, it is none, so that whatever
// holds it says so.
double program_real_of(const fmpq *value)
{
    double real = program_nearest_real(value);
    return real == 0 && !fmpq_is_zero(value) ? NAN : real;
}

Program *builder_finish(Builder *builder, size_t input_count, const uint32_t *outputs,
                        size_t output_count)
{
    Program *program = base_alloc(sizeof *program);
    program->outputs = base_alloc((output_count + 1) * sizeof *program->outputs);
    for (size_t i = 0; i < output_count; i++)
        program->outputs[i] = outputs[i];
    program->constant_count = builder->constants.count;
    program->input_count = input_count;
    program->output_count = output_count;
    program->register_count = program_allot(&builder->code, builder->constants.count, input_count,
                                            program->outputs, output_count);
    program->code = builder->code.at;
    program->code_count = builder->code.count;
    program->exact = builder->constants.at;
    program->pi_at = builder->pi_at;
    program->tables = builder->tables;
    program->real = base_alloc((program->constant_count + 1) * sizeof *program->real);
    program->later = base_alloc((program->constant_count + 1) * sizeof *program->later);
    memset(program->later, 0xFF, program->constant_count * sizeof *program->later);
    for (size_t i = 0; i < program->constant_count; i++)
        program->real[i] = (ptrdiff_t)i == program->pi_at ? 3.14159265358979323846
                                                          : program_real_of(program->exact + i);
    program_note_kinds(program);
    memset(&builder->code, 0, sizeof builder->code);
    memset(&builder->constants, 0, sizeof builder->constants);
    return program;
}

void program_free(Program *program)
{
    if (!program)
        return;
    if (program->shares > 0) {
        program->shares--;
        return;
    }
    for (size_t i = 0; i < program->constant_count; i++)
        fmpq_clear(program->exact + i);
    base_free(program->exact);
    base_free(program->real);
    base_free(program->later);
    program_free(program->prologue);
    base_free(program->code);
    base_free(program->outputs);
    base_free(program);
}

size_t program_inputs(const Program *program)
{
    return program->input_count;
}

size_t program_outputs(const Program *program)
{
    return program->output_count;
}

size_t program_operations(const Program *program)
{
    return program->code_count;
}

size_t program_registers(const Program *program)
{
    return program->register_count;
}

bool program_run_once(Program *program, const double *inputs, double *outputs)
{
    if (!program)
        return false;
    double *work = base_alloc((program->register_count + 1) * sizeof *work);
    program_run_real(program, inputs, outputs, work);
    base_free(work);
    program_free(program);
    return true;
}

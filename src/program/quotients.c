// quotients.c: programs that divide by each divisor once.
//
// A quotient takes a processor as long as several products. Forces between two masses are the
// components of their distance, each over its cube: quotients of one divisor d. They become
// products with one quotient, C·x/d = x·(C/d), where C is the constant that all of them have, or 1.
// It is rounded once more, by half a last digit.
#include "program/program_impl.h"

#include <assert.h>
#include <string.h>

enum { NOBODY = UINT32_MAX };

// The instructions with values in the place of registers.
typedef struct {
    const Program *program;
    Builder builder;
    Instruction *code;
    uint32_t *now;     // the value of each register
    uint32_t *first;   // of every quotient: the first with its divisor, or NOBODY for a single one
    uint32_t *common;  // of the first ones: the constant; later the quotient that they share
    uint32_t *written; // of every instruction: its value in the new program
    bool *needed;
} Sharing;

static bool is_constant(uint32_t value)
{
    return (value & VALUE_KIND) == VALUE_CONSTANT;
}

static bool is_result(uint32_t value)
{
    return (value & VALUE_KIND) == VALUE_RESULT;
}

static uint32_t index_of(uint32_t value)
{
    return value & ~(uint32_t)VALUE_KIND;
}

static void read_code(Sharing *sharing)
{
    const Program *program = sharing->program;
    size_t constants = program->constant_count;
    for (size_t i = 0; i < constants; i++)
        sharing->now[i] = (uint32_t)i;
    for (size_t i = 0; i < program->input_count; i++)
        sharing->now[constants + i] = VALUE_INPUT | (uint32_t)i;
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *at = program->code + i;
        int count = program_operands(at->op);
        sharing->code[i] =
            (Instruction){at->op, VALUE_RESULT | (uint32_t)i, count > 0 ? sharing->now[at->a] : 0,
                          count > 1 ? sharing->now[at->b] : 0, count > 2 ? sharing->now[at->c] : 0};
        sharing->now[at->result] = VALUE_RESULT | (uint32_t)i;
    }
}

// The constant factor of a numerator, and what it multiplies; NOBODY for none.
static uint32_t constant_factor(const Sharing *sharing, uint32_t numerator, uint32_t *other)
{
    *other = numerator;
    if (!is_result(numerator) || sharing->code[index_of(numerator)].op != PROGRAM_MUL)
        return NOBODY;
    const Instruction *product = sharing->code + index_of(numerator);
    bool first = is_constant(product->a), second = is_constant(product->b);
    *other = first ? product->b : second ? product->a : numerator;
    return first ? product->a : second ? product->b : NOBODY;
}

// Which quotients have one divisor, and which constant factor all of these share; whether any do.
static bool find_groups(Sharing *sharing)
{
    const Program *program = sharing->program;
    uint32_t *seen = base_alloc((program->code_count + 1) * sizeof *seen);
    bool any = false;
    memset(seen, 0xFF, program->code_count * sizeof *seen);
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *at = sharing->code + i;
        uint32_t other;
        sharing->first[i] = NOBODY;
        if (at->op != PROGRAM_DIV || !is_result(at->b))
            continue;
        uint32_t *leader = seen + index_of(at->b), factor = constant_factor(sharing, at->a, &other);
        if (*leader == NOBODY) {
            *leader = (uint32_t)i;
            sharing->common[i] = factor;
            continue;
        }
        sharing->first[i] = sharing->first[*leader] = *leader;
        if (sharing->common[*leader] != factor)
            sharing->common[*leader] = NOBODY;
        any = true;
    }
    base_free(seen);
    return any;
}

// What a shared quotient multiplies.
static uint32_t multiplied(const Sharing *sharing, size_t i)
{
    uint32_t other = sharing->code[i].a;
    if (sharing->common[sharing->first[i]] != NOBODY)
        constant_factor(sharing, sharing->code[i].a, &other);
    return other;
}

static void need(Sharing *sharing, uint32_t value)
{
    if (is_result(value))
        sharing->needed[index_of(value)] = true;
}

// Numerators whose constant was taken away may be read by nobody any more.
static void find_needed(Sharing *sharing)
{
    const Program *program = sharing->program;
    for (size_t i = 0; i < program->output_count; i++)
        need(sharing, sharing->now[program->outputs[i]]);
    for (size_t i = program->code_count; i-- > 0;) {
        const Instruction *at = sharing->code + i;
        if (!sharing->needed[i])
            continue;
        need(sharing, sharing->first[i] != NOBODY ? multiplied(sharing, i) : at->a);
        need(sharing, at->b);
        need(sharing, at->c);
    }
}

static uint32_t new_value(const Sharing *sharing, uint32_t value)
{
    return is_result(value) ? sharing->written[index_of(value)] : value;
}

// The constants keep their numbers; 1 comes behind them where it is not among them.
static void write_constants(Sharing *sharing)
{
    const Program *program = sharing->program;
    for (size_t i = 0; i < program->constant_count; i++) {
        uint32_t value = program->later[i] != PROGRAM_LITERAL ? builder_later(&sharing->builder)
                         : (ptrdiff_t)i == program->pi_at
                             ? builder_pi(&sharing->builder)
                             : builder_constant(&sharing->builder, program->exact + i);
        assert(value == i);
        (void)value;
    }
}

static uint32_t one(Sharing *sharing)
{
    fmpq_t value;
    fmpq_init(value);
    fmpq_one(value);
    uint32_t constant = builder_constant(&sharing->builder, value);
    fmpq_clear(value);
    return constant;
}

static void write_code(Sharing *sharing)
{
    for (size_t i = 0; i < sharing->program->code_count; i++) {
        const Instruction *at = sharing->code + i;
        uint32_t leader = sharing->first[i];
        if (!sharing->needed[i])
            continue;
        uint32_t b = new_value(sharing, at->b);
        if (leader == NOBODY) {
            sharing->written[i] = builder_emit_whole(
                &sharing->builder, at->op, new_value(sharing, at->a), b, new_value(sharing, at->c));
            continue;
        }
        uint32_t common = sharing->common[leader];
        uint32_t quotient = builder_emit(&sharing->builder, PROGRAM_DIV,
                                         common == NOBODY ? one(sharing) : common, b);
        sharing->written[i] = builder_emit(&sharing->builder, PROGRAM_MUL,
                                           new_value(sharing, multiplied(sharing, i)), quotient);
    }
}

// With the constants that come later, and their prologue, taken over from the old one.
static Program *finish(Sharing *sharing, Program *program)
{
    uint32_t *outputs = base_alloc((program->output_count + 1) * sizeof *outputs);
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = new_value(sharing, sharing->now[program->outputs[i]]);
    Program *made =
        builder_finish(&sharing->builder, program->input_count, outputs, program->output_count);
    base_free(outputs);
    for (size_t i = 0; i < program->constant_count; i++) {
        made->later[i] = program->later[i];
        made->real[i] = program->real[i];
    }
    made->prologue = program->prologue;
    program->prologue = NULL;
    return made;
}

Program *program_share_quotients(Program *program)
{
    assert(program);
    size_t count = program->code_count + 1;
    Sharing sharing = {.program = program, .builder = {.pi_at = -1, .tables = program->tables}};
    sharing.code = base_alloc(count * sizeof *sharing.code);
    sharing.now = base_alloc((program->register_count + 1) * sizeof *sharing.now);
    sharing.first = base_alloc(3 * count * sizeof *sharing.first);
    sharing.common = sharing.first + count;
    sharing.written = sharing.common + count;
    sharing.needed = base_alloc(count * sizeof *sharing.needed);
    read_code(&sharing);
    Program *made = program;
    if (find_groups(&sharing)) {
        find_needed(&sharing);
        write_constants(&sharing);
        write_code(&sharing);
        made = finish(&sharing, program);
        program_free(program);
    }
    builder_clear(&sharing.builder);
    base_free(sharing.code);
    base_free(sharing.now);
    base_free(sharing.first);
    base_free(sharing.needed);
    return made;
}

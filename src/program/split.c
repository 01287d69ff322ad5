// split.c: a program in two: what some inputs alone determine, and the rest.
//
// For those who run one program often with the same parameters: what depends on these is worked
// out once.
#include "program/program_impl.h"

typedef enum { HOLDS_CONSTANT, HOLDS_FIXED, HOLDS_MOVING } Holds;

typedef struct {
    const Program *program;
    Builder first, rest;
    Holds *holds;                 // of every register
    uint32_t *in_first, *in_rest; // the value that it holds in each of them
    bool *handed;                 // whether a fixed one is an input of the rest already
    ARRAY(uint32_t) outputs;      // of the first
} Splitting;

static uint32_t constant_in(Builder *builder, const Program *program, size_t constant)
{
    return (ptrdiff_t)constant == program->pi_at
               ? builder_pi(builder)
               : builder_constant(builder, program->exact + constant);
}

// The value of a register in the rest; what is fixed comes in from the first.
static uint32_t value_in_rest(Splitting *splitting, uint32_t place)
{
    const Program *program = splitting->program;
    if (splitting->holds[place] == HOLDS_CONSTANT)
        return constant_in(&splitting->rest, program, place);
    if (splitting->holds[place] == HOLDS_FIXED && !splitting->handed[place]) {
        splitting->in_rest[place] =
            VALUE_INPUT | (uint32_t)(program->input_count + splitting->outputs.count);
        splitting->handed[place] = true;
        array_push(&splitting->outputs, splitting->in_first[place]);
    }
    return splitting->in_rest[place];
}

static uint32_t value_in_first(Splitting *splitting, uint32_t place)
{
    return splitting->holds[place] == HOLDS_CONSTANT
               ? constant_in(&splitting->first, splitting->program, place)
               : splitting->in_first[place];
}

static void place_instruction(Splitting *splitting, const Instruction *at)
{
    const uint32_t operands[] = {at->a, at->b, at->c};
    uint32_t values[3] = {0};
    int count = program_operands(at->op);
    bool fixed = true;
    for (int i = 0; i < count; i++)
        fixed = fixed && splitting->holds[operands[i]] != HOLDS_MOVING;
    for (int i = 0; i < count; i++)
        values[i] =
            fixed ? value_in_first(splitting, operands[i]) : value_in_rest(splitting, operands[i]);
    uint32_t value = builder_emit_whole(fixed ? &splitting->first : &splitting->rest, at->op,
                                        values[0], values[1], values[2]);
    splitting->holds[at->result] = fixed ? HOLDS_FIXED : HOLDS_MOVING;
    splitting->handed[at->result] = false;
    (fixed ? splitting->in_first : splitting->in_rest)[at->result] = value;
}

static void splitting_init(Splitting *splitting, const Program *program, size_t fixed)
{
    size_t registers = program->register_count + 1;
    *splitting = (Splitting){.program = program,
                             .first = {.pi_at = -1, .tables = program->tables},
                             .rest = {.pi_at = -1, .tables = program->tables}};
    splitting->holds = base_alloc(registers * sizeof *splitting->holds);
    splitting->in_first = base_alloc(registers * sizeof *splitting->in_first);
    splitting->in_rest = base_alloc(registers * sizeof *splitting->in_rest);
    splitting->handed = base_alloc(registers * sizeof *splitting->handed);
    for (size_t i = 0; i < program->input_count; i++) {
        size_t place = program->constant_count + i;
        splitting->holds[place] = i < fixed ? HOLDS_FIXED : HOLDS_MOVING;
        splitting->in_first[place] = splitting->in_rest[place] = VALUE_INPUT | (uint32_t)i;
        splitting->handed[place] = true;
    }
}

Program *program_split(const Program *program, size_t fixed, Program **rest)
{
    Splitting splitting;
    splitting_init(&splitting, program, fixed);
    for (size_t i = 0; i < program->code_count; i++)
        place_instruction(&splitting, &program->code[i]);
    uint32_t *outputs = base_alloc((program->output_count + 1) * sizeof *outputs);
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = value_in_rest(&splitting, program->outputs[i]);
    size_t handed = splitting.outputs.count;
    Program *first = builder_finish(&splitting.first, fixed, splitting.outputs.at, handed);
    *rest = builder_finish(&splitting.rest, program->input_count + handed, outputs,
                           program->output_count);
    builder_clear(&splitting.first);
    builder_clear(&splitting.rest);
    array_clear(&splitting.outputs);
    base_free(outputs);
    base_free(splitting.holds);
    base_free(splitting.in_first);
    base_free(splitting.in_rest);
    base_free(splitting.handed);
    return first;
}

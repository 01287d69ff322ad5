// registers.c: from values to registers.
//
// Two passes over the instructions. Products that only one sum reads are joined with it; then
// every value gets a register, and gives it back after its last use, so that `work` holds
// what lives at one time and no more.
#include "program/program_impl.h"

#include <assert.h>

int program_operands(uint32_t op)
{
    static const int arithmetic[] = {
#define INSTRUCTION(NAME, operands, ...) operands,
#include "program/instructions.def"
#undef INSTRUCTION
    };
    if (op < PROGRAM_ARITHMETIC_COUNT)
        return arithmetic[op];
    return expr_op_arity((ExprOp)(op - PROGRAM_FUNCTIONS));
}

static bool is_result(uint32_t value)
{
    return (value & VALUE_KIND) == VALUE_RESULT;
}

static uint32_t index_of(uint32_t value)
{
    return value & ~VALUE_KIND;
}

// The operands of an instruction, as places that can be changed.
static int operands_of(Instruction *at, uint32_t *operands[3])
{
    operands[0] = &at->a;
    operands[1] = &at->b;
    operands[2] = &at->c;
    return program_operands(at->op);
}

// How often each result is read, by what leads to an output.
static uint32_t *count_uses(Instructions *code, const uint32_t *outputs, size_t output_count)
{
    uint32_t *uses = base_alloc((code->count + 1) * sizeof *uses);
    for (size_t i = 0; i < output_count; i++)
        if (is_result(outputs[i]))
            uses[index_of(outputs[i])]++;
    for (size_t i = code->count; i-- > 0;) {
        uint32_t *operands[3];
        int count = uses[i] > 0 ? operands_of(code->at + i, operands) : 0;
        for (int k = 0; k < count; k++)
            if (is_result(*operands[k]))
                uses[index_of(*operands[k])]++;
    }
    return uses;
}

// The product behind a value that nothing else reads, or NULL.
static const Instruction *only_product(const Instructions *code, const uint32_t *uses,
                                       uint32_t value)
{
    if (!is_result(value) || uses[index_of(value)] != 1)
        return NULL;
    const Instruction *at = code->at + index_of(value);
    return at->op == PROGRAM_MUL ? at : NULL;
}

static void join_product(Instruction *at, uint32_t op, const Instruction *product, uint32_t other,
                         uint32_t *uses, uint32_t joined)
{
    *at = (Instruction){op, at->result, product->a, product->b, other};
    uses[index_of(joined)] = 0; // read by nobody now, and left out below
}

static void join_products(Instructions *code, uint32_t *uses)
{
    for (size_t i = 0; i < code->count; i++) {
        Instruction *at = code->at + i;
        if (uses[i] == 0 || (at->op != PROGRAM_ADD && at->op != PROGRAM_SUB))
            continue;
        const Instruction *left = only_product(code, uses, at->a);
        const Instruction *right = only_product(code, uses, at->b);
        if (right)
            join_product(at, at->op == PROGRAM_ADD ? PROGRAM_MUL_ADD : PROGRAM_SUB_MUL, right,
                         at->a, uses, at->b);
        else if (left)
            join_product(at, at->op == PROGRAM_ADD ? PROGRAM_MUL_ADD : PROGRAM_MUL_SUB, left, at->b,
                         uses, at->a);
    }
}

typedef struct {
    uint32_t inputs; // where the inputs begin
    uint32_t *place; // register of every value
    ARRAY(uint32_t) idle;
    uint32_t used; // registers handed out so far, with those of constants and inputs
} Allotment;

static uint32_t register_of(const Allotment *allotment, uint32_t value)
{
    switch (value & VALUE_KIND) {
    case VALUE_CONSTANT: return index_of(value);
    case VALUE_INPUT: return allotment->inputs + index_of(value);
    default: return allotment->place[index_of(value)];
    }
}

static void allot_one(Allotment *allotment, Instruction *at, uint32_t *uses)
{
    uint32_t *operands[3];
    int count = operands_of(at, operands);
    for (int k = 0; k < count; k++) {
        uint32_t value = *operands[k];
        *operands[k] = register_of(allotment, value);
        if (is_result(value) && --uses[index_of(value)] == 0)
            array_push(&allotment->idle, *operands[k]);
    }
    uint32_t place;
    if (allotment->idle.count > 0)
        place = allotment->idle.at[--allotment->idle.count];
    else
        place = allotment->used++;
    allotment->place[index_of(at->result)] = place;
    at->result = place;
}

size_t program_allot(Instructions *code, size_t constant_count, size_t input_count,
                     uint32_t *outputs, size_t output_count)
{
    assert(constant_count + input_count + code->count < VALUE_INPUT);
    uint32_t *uses = count_uses(code, outputs, output_count);
    join_products(code, uses);
    Allotment allotment = {.inputs = (uint32_t)constant_count,
                           .used = (uint32_t)(constant_count + input_count)};
    allotment.place = base_alloc((code->count + 1) * sizeof *allotment.place);
    size_t kept = 0;
    for (size_t i = 0; i < code->count; i++) {
        if (uses[i] == 0)
            continue;
        Instruction at = code->at[i];
        allot_one(&allotment, &at, uses);
        code->at[kept++] = at;
    }
    code->count = kept;
    for (size_t i = 0; i < output_count; i++)
        outputs[i] = register_of(&allotment, outputs[i]);
    array_clear(&allotment.idle);
    base_free(allotment.place);
    base_free(uses);
    return allotment.used;
}

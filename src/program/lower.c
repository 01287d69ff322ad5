// lower.c: expressions become instructions.
//
// The nodes are visited children first, each once, so that what outputs share is computed
// once; instructions are interned besides, which shares what nodes do not show (the square
// inside x²·y and x²·z). A sum becomes a chain of additions, its factors multiplied in; a
// product multiplies powers made by repeated squaring and divides once, by everything that
// has a negative exponent.
#include "program/program_impl.h"

#include <string.h>

enum { NO_VALUE = UINT32_MAX };

typedef struct {
    const ExprPool *pool;
    Instructions code;
    uint32_t *code_slots; // interned instructions: hash table of index + 1
    size_t code_slot_count;
    ARRAY(fmpq) constants;
    uint32_t *constant_slots;
    size_t constant_slot_count;
    ptrdiff_t pi_at;
    uint32_t *values; // of every node, by its index
} Lowering;

// ---- Constants.

static uint64_t constant_hash(const fmpq *value)
{
    uint64_t hash = fmpz_fdiv_ui(&value->num, 0xFFFFFFFFFFFFFFC5u);
    return hash_mix(hash, fmpz_fdiv_ui(&value->den, 0xFFFFFFFFFFFFFFC5u));
}

static void constant_slots_grow(Lowering *low)
{
    base_free(low->constant_slots);
    low->constant_slot_count = low->constant_slot_count ? 2 * low->constant_slot_count : 64;
    low->constant_slots = base_alloc(low->constant_slot_count * sizeof *low->constant_slots);
    size_t mask = low->constant_slot_count - 1;
    for (size_t i = 0; i < low->constants.count; i++) {
        if ((ptrdiff_t)i == low->pi_at)
            continue;
        size_t slot = (size_t)constant_hash(low->constants.at + i) & mask;
        while (low->constant_slots[slot])
            slot = (slot + 1) & mask;
        low->constant_slots[slot] = (uint32_t)i + 1;
    }
}

static uint32_t constant(Lowering *low, const fmpq *value)
{
    if (2 * (low->constants.count + 1) > low->constant_slot_count)
        constant_slots_grow(low);
    size_t mask = low->constant_slot_count - 1;
    size_t slot = (size_t)constant_hash(value) & mask;
    for (; low->constant_slots[slot]; slot = (slot + 1) & mask)
        if (fmpq_equal(low->constants.at + low->constant_slots[slot] - 1, value))
            return VALUE_CONSTANT | (low->constant_slots[slot] - 1);
    fmpq kept;
    fmpq_init(&kept);
    fmpq_set(&kept, value);
    array_push(&low->constants, kept);
    low->constant_slots[slot] = (uint32_t)low->constants.count;
    return VALUE_CONSTANT | (uint32_t)(low->constants.count - 1);
}

// The constant |value|.
static uint32_t constant_size(Lowering *low, const fmpq *value)
{
    fmpq_t size;
    fmpq_init(size);
    fmpq_abs(size, value);
    uint32_t result = constant(low, size);
    fmpq_clear(size);
    return result;
}

static uint32_t constant_pi(Lowering *low)
{
    if (low->pi_at < 0) {
        fmpq place;
        fmpq_init(&place);
        array_push(&low->constants, place);
        low->pi_at = (ptrdiff_t)low->constants.count - 1;
    }
    return VALUE_CONSTANT | (uint32_t)low->pi_at;
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

static void code_slots_grow(Lowering *low)
{
    base_free(low->code_slots);
    low->code_slot_count = low->code_slot_count ? 2 * low->code_slot_count : 256;
    low->code_slots = base_alloc(low->code_slot_count * sizeof *low->code_slots);
    size_t mask = low->code_slot_count - 1;
    for (size_t i = 0; i < low->code.count; i++) {
        size_t slot = (size_t)instruction_hash(low->code.at + i) & mask;
        while (low->code_slots[slot])
            slot = (slot + 1) & mask;
        low->code_slots[slot] = (uint32_t)i + 1;
    }
}

static uint32_t emit(Lowering *low, uint32_t op, uint32_t a, uint32_t b)
{
    // Sums and products do not mind the order: one is kept, so that equal work is seen.
    if ((op == PROGRAM_ADD || op == PROGRAM_MUL) && a > b) {
        uint32_t first = b;
        b = a;
        a = first;
    }
    if (2 * (low->code.count + 1) > low->code_slot_count)
        code_slots_grow(low);
    Instruction at = {op, VALUE_RESULT | (uint32_t)low->code.count, a, b, 0};
    size_t mask = low->code_slot_count - 1;
    size_t slot = (size_t)instruction_hash(&at) & mask;
    for (; low->code_slots[slot]; slot = (slot + 1) & mask) {
        const Instruction *known = low->code.at + low->code_slots[slot] - 1;
        if (instructions_agree(known, &at))
            return known->result;
    }
    array_push(&low->code, at);
    low->code_slots[slot] = (uint32_t)low->code.count;
    return at.result;
}

// ---- Sums.

// c + Σ kᵢ·tᵢ. A term without minus goes first, so that no negation is spent.
static uint32_t lower_sum(Lowering *low, Expr e)
{
    size_t count = expr_arg_count(low->pool, e), first = count;
    const fmpq *value = expr_value(low->pool, e);
    uint32_t sum = NO_VALUE;
    if (!fmpq_is_zero(value)) {
        sum = constant(low, value);
    } else {
        for (first = 0; first + 1 < count; first++)
            if (fmpq_sgn(expr_arg_weight(low->pool, e, first)) > 0)
                break;
        const fmpq *weight = expr_arg_weight(low->pool, e, first);
        sum = low->values[expr_arg(low->pool, e, first).at];
        if (!fmpq_is_one(weight))
            sum = emit(low, PROGRAM_MUL, constant(low, weight), sum);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == first)
            continue;
        const fmpq *weight = expr_arg_weight(low->pool, e, i);
        uint32_t term = low->values[expr_arg(low->pool, e, i).at];
        if (!fmpq_is_pm1(weight))
            term = emit(low, PROGRAM_MUL, constant_size(low, weight), term);
        sum = emit(low, fmpq_sgn(weight) < 0 ? PROGRAM_SUB : PROGRAM_ADD, sum, term);
    }
    return sum;
}

// ---- Products.

// base^exponent for exponent > 0, by the binary digits from the top.
static uint32_t lower_power(Lowering *low, uint32_t base, const fmpz_t exponent)
{
    uint32_t power = base;
    for (ulong bit = fmpz_bits(exponent) - 1; bit-- > 0;) {
        power = emit(low, PROGRAM_MUL, power, power);
        if (fmpz_tstbit(exponent, bit))
            power = emit(low, PROGRAM_MUL, power, base);
    }
    return power;
}

// base^|exponent|.
static uint32_t lower_factor(Lowering *low, uint32_t base, const fmpq *exponent)
{
    fmpq_t size;
    fmpq_init(size);
    fmpq_abs(size, exponent);
    uint32_t factor;
    if (fmpz_is_one(fmpq_denref(size))) {
        factor = lower_power(low, base, fmpq_numref(size));
    } else if (fmpz_equal_ui(fmpq_denref(size), 2)) {
        factor = emit(low, PROGRAM_SQRT, base, 0);
        fmpz_fdiv_q_2exp(fmpq_numref(size), fmpq_numref(size), 1);
        if (!fmpz_is_zero(fmpq_numref(size))) {
            uint32_t whole = lower_power(low, base, fmpq_numref(size));
            factor = emit(low, PROGRAM_MUL, whole, factor);
        }
    } else {
        factor = emit(low, PROGRAM_CALL_POW, base, constant(low, size));
    }
    fmpq_clear(size);
    return factor;
}

static uint32_t times(Lowering *low, uint32_t product, uint32_t factor)
{
    return product == NO_VALUE ? factor : emit(low, PROGRAM_MUL, product, factor);
}

// c·Π bᵢ^eᵢ.
static uint32_t lower_product(Lowering *low, Expr e)
{
    uint32_t above = NO_VALUE, below = NO_VALUE;
    size_t count = expr_arg_count(low->pool, e);
    for (size_t i = 0; i < count; i++) {
        const fmpq *exponent = expr_arg_weight(low->pool, e, i);
        uint32_t base = low->values[expr_arg(low->pool, e, i).at];
        uint32_t factor = lower_factor(low, base, exponent);
        if (fmpq_sgn(exponent) > 0)
            above = times(low, above, factor);
        else
            below = times(low, below, factor);
    }
    const fmpq *value = expr_value(low->pool, e);
    if (above == NO_VALUE)
        above = constant(low, value);
    else if (fmpq_is_pm1(value) && fmpq_sgn(value) < 0)
        above = emit(low, PROGRAM_NEG, above, 0);
    else if (!fmpq_is_one(value))
        above = emit(low, PROGRAM_MUL, constant(low, value), above);
    return below == NO_VALUE ? above : emit(low, PROGRAM_DIV, above, below);
}

static uint32_t lower_node(Lowering *low, Expr e)
{
    ExprOp op = expr_op(low->pool, e);
    switch (op) {
    case EXPR_NUMBER: return constant(low, expr_value(low->pool, e));
    case EXPR_PI: return constant_pi(low);
    case EXPR_SUM: return lower_sum(low, e);
    case EXPR_PRODUCT: return lower_product(low, e);
    default: break;
    }
    uint32_t a = low->values[expr_arg(low->pool, e, 0).at];
    uint32_t b = expr_op_arity(op) == 2 ? low->values[expr_arg(low->pool, e, 1).at] : 0;
    return emit(low, (uint32_t)PROGRAM_FUNCTIONS + (uint32_t)op, a, b);
}

// ---- Programs.

// Gives every node a value; false, and which, where a symbol has none.
static bool lower_nodes(Lowering *low, const ExprList *nodes, Expr *missing)
{
    for (size_t i = 0; i < nodes->count; i++) {
        Expr e = {nodes->at[i]};
        if (!expr_is_symbol(low->pool, e)) {
            low->values[e.at] = lower_node(low, e);
        } else if (low->values[e.at] == NO_VALUE) {
            if (missing)
                *missing = e;
            return false;
        }
    }
    return true;
}

static void lowering_clear(Lowering *low)
{
    array_clear(&low->code);
    for (size_t i = 0; i < low->constants.count; i++)
        fmpq_clear(low->constants.at + i);
    array_clear(&low->constants);
    base_free(low->code_slots);
    base_free(low->constant_slots);
    base_free(low->values);
}

// What can be said of the finished code.
static void program_note_kinds(Program *program)
{
    program->rational = program->pi_at < 0;
    for (size_t i = 0; i < program->code_count; i++) {
        if (program->code[i].op >= PROGRAM_ARITHMETIC_COUNT)
            program->rational = false;
        if (program->code[i].op == PROGRAM_SQRT)
            program->has_roots = true;
    }
}

// The code, the constants and the room of a lowering become a program.
static Program *program_finish(Lowering *low, size_t input_count, const Expr *outputs,
                               size_t output_count)
{
    Program *program = base_alloc(sizeof *program);
    program->outputs = base_alloc((output_count + 1) * sizeof *program->outputs);
    for (size_t i = 0; i < output_count; i++)
        program->outputs[i] = low->values[outputs[i].at];
    program->constant_count = low->constants.count;
    program->input_count = input_count;
    program->output_count = output_count;
    program->register_count = program_allot(&low->code, low->constants.count, input_count,
                                            program->outputs, output_count);
    program->code = low->code.at;
    program->code_count = low->code.count;
    program->exact = low->constants.at;
    program->pi_at = low->pi_at;
    program->real = base_alloc((program->constant_count + 1) * sizeof *program->real);
    for (size_t i = 0; i < program->constant_count; i++)
        program->real[i] = (ptrdiff_t)i == program->pi_at
                               ? 3.14159265358979323846
                               : program_nearest_real(program->exact + i);
    program_note_kinds(program);
    memset(&low->code, 0, sizeof low->code);
    memset(&low->constants, 0, sizeof low->constants);
    return program;
}

Program *program_new(const ExprPool *pool, const Expr *inputs, size_t input_count,
                     const Expr *outputs, size_t output_count, Expr *missing)
{
    Lowering low = {.pool = pool, .pi_at = -1};
    size_t node_count = expr_pool_size(pool) + 1;
    low.values = base_alloc(node_count * sizeof *low.values);
    memset(low.values, 0xFF, node_count * sizeof *low.values);
    for (size_t i = 0; i < input_count; i++)
        low.values[inputs[i].at] = VALUE_INPUT | (uint32_t)i;
    ExprList nodes = expr_nodes(pool, outputs, output_count);
    Program *program = NULL;
    if (lower_nodes(&low, &nodes, missing))
        program = program_finish(&low, input_count, outputs, output_count);
    expr_list_free(&nodes);
    lowering_clear(&low);
    return program;
}

void program_free(Program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->constant_count; i++)
        fmpq_clear(program->exact + i);
    base_free(program->exact);
    base_free(program->real);
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

// flow.c: sorts the instructions of y' = f(y) by the recurrence that each needs.
//
// What depends on nothing that moves is constant in time; sine and cosine of one argument are one
// step; so is 1 over a power of half-integers, which the program makes of roots and products; the
// rest is sums, products over all orders, or what the table says.
#include "program/flow_impl.h"

#include <math.h>
#include <string.h>

typedef struct {
    Flow *flow;
    uint32_t *value_of; // the value that a register stands for at present
    bool powers;
} Sorting;

uint32_t flow_add_value(Flow *flow, bool moves)
{
    uint32_t name = (uint32_t)flow->values.count;
    FlowValue value = {.moves = moves,
                       .slope = FLOW_NONE,
                       .sine = FLOW_NONE,
                       .cosine = FLOW_NONE,
                       .base = FLOW_NONE,
                       .inverse = FLOW_NONE,
                       .power = 1,
                       .pack = FLOW_NONE,
                       .whole = name,
                       .like = name};
    array_push(&flow->values, value);
    return name;
}

static bool moves(const Flow *flow, uint32_t value)
{
    return value != FLOW_NONE && flow->values.at[value].moves;
}

static bool is_held(const Flow *flow, uint32_t value)
{
    return value != FLOW_NONE && flow->values.at[value].held;
}

static uint32_t helper_count(uint32_t op)
{
    static const uint32_t counts[] = {
#define OP(NAME, word, arity, real, ball, rate_a, rate_b, helpers, ...) helpers,
#include "expr/ops.def"
#undef OP
    };
    return op < PROGRAM_ARITHMETIC_COUNT ? 0 : counts[op - PROGRAM_FUNCTIONS];
}

// ---- One instruction.

static uint32_t slope_of(Flow *flow, uint32_t argument)
{
    if (flow->values.at[argument].slope == FLOW_NONE) {
        FlowStep step = {.kind = FLOW_SLOPE,
                         .a = argument,
                         .b = FLOW_NONE,
                         .c = FLOW_NONE,
                         .slope = FLOW_NONE,
                         .partner = FLOW_NONE,
                         .below = FLOW_NONE};
        step.r = flow_add_value(flow, true);
        flow->values.at[argument].slope = step.r;
        array_push(&flow->steps, step);
    }
    return flow->values.at[argument].slope;
}

// Sine and cosine of an argument that moves; the value asked for.
static uint32_t wave_of(Flow *flow, bool sine, uint32_t argument)
{
    if (flow->values.at[argument].sine == FLOW_NONE) {
        FlowStep step = {
            .kind = FLOW_WAVE, .a = argument, .b = FLOW_NONE, .c = FLOW_NONE, .below = FLOW_NONE};
        step.slope = slope_of(flow, argument);
        step.r = flow_add_value(flow, true);
        step.partner = flow_add_value(flow, true);
        flow->values.at[argument].sine = step.r;
        flow->values.at[argument].cosine = step.partner;
        array_push(&flow->steps, step);
    }
    const FlowValue *value = flow->values.at + argument;
    return sine ? value->sine : value->cosine;
}

// ---- Powers.

static uint32_t base_of(const Flow *flow, uint32_t value)
{
    uint32_t base = flow->values.at[value].base;
    return base == FLOW_NONE ? value : base;
}

// Of a root and of a product of powers of one base.
static void note_power(Flow *flow, const FlowStep *step)
{
    FlowValue *result = flow->values.at + step->r;
    if (!moves(flow, step->a))
        return;
    if (step->op == PROGRAM_SQRT) {
        result->base = base_of(flow, step->a);
        result->power = flow->values.at[step->a].power / 2;
    }
    if (step->op == PROGRAM_MUL && moves(flow, step->b) &&
        base_of(flow, step->a) == base_of(flow, step->b)) {
        result->base = base_of(flow, step->a);
        result->power = flow->values.at[step->a].power + flow->values.at[step->b].power;
    }
}

// Whether a quotient by it is better a product with its inverse: one step for a root and products.
// Quotients by whole powers keep more digits near to where they have a pole.
static bool inverts(const Sorting *sorting, const FlowStep *step)
{
    const FlowValue *below = sorting->flow->values.at + step->b;
    return sorting->powers && step->kind == FLOW_QUOTIENT && below->base != FLOW_NONE &&
           below->power > 1 && below->power != floor(below->power);
}

// 1 over it.
static uint32_t inverse_of(Flow *flow, uint32_t value)
{
    if (flow->values.at[value].inverse == FLOW_NONE) {
        FlowStep step = {.kind = FLOW_POWER,
                         .op = PROGRAM_DIV,
                         .a = flow->values.at[value].base,
                         .b = FLOW_NONE,
                         .c = FLOW_NONE,
                         .below = value,
                         .partner = FLOW_NONE,
                         .power = -flow->values.at[value].power};
        step.slope = slope_of(flow, step.a);
        step.r = flow_add_value(flow, true);
        step.kept = flow_add_value(flow, false);
        flow->values.at[value].inverse = step.r;
        array_push(&flow->steps, step);
    }
    return flow->values.at[value].inverse;
}

static FlowKind product_kind(const Flow *flow, const FlowStep *step)
{
    static const FlowKind products[] = {[PROGRAM_MUL] = FLOW_PRODUCT,
                                        [PROGRAM_MUL_ADD] = FLOW_PRODUCT_ADD,
                                        [PROGRAM_MUL_SUB] = FLOW_PRODUCT_SUB,
                                        [PROGRAM_SUB_MUL] = FLOW_SUB_PRODUCT};
    static const FlowKind scales[] = {[PROGRAM_MUL] = FLOW_SCALE,
                                      [PROGRAM_MUL_ADD] = FLOW_SCALE_ADD,
                                      [PROGRAM_MUL_SUB] = FLOW_SCALE_SUB,
                                      [PROGRAM_SUB_MUL] = FLOW_SUB_SCALE};
    if (moves(flow, step->a) && moves(flow, step->b))
        return products[step->op];
    if (moves(flow, step->a) || moves(flow, step->b))
        return scales[step->op];
    return step->op == PROGRAM_MUL_SUB ? FLOW_SHIFT_NEG : FLOW_SHIFT;
}

static FlowKind kind_of(const Flow *flow, const FlowStep *step)
{
    if (step->op == PROGRAM_HOLD && moves(flow, step->a))
        return FLOW_HELD;
    if (!moves(flow, step->a) && !moves(flow, step->b) && !moves(flow, step->c))
        return is_held(flow, step->a) || is_held(flow, step->b) || is_held(flow, step->c)
                   ? FLOW_HELD
                   : FLOW_FLAT;
    // Between knots the numbers of a table do not move.
    if (step->op == PROGRAM_PIECE || step->op == PROGRAM_COLUMN)
        return FLOW_FLAT;
    switch (step->op) {
    case PROGRAM_ADD: return moves(flow, step->a) && moves(flow, step->b) ? FLOW_ADD : FLOW_MOVE;
    case PROGRAM_SUB: return moves(flow, step->a) && !moves(flow, step->b) ? FLOW_MOVE : FLOW_SUB;
    case PROGRAM_NEG: return FLOW_NEG;
    case PROGRAM_MISS: return FLOW_SHIFT;
    case PROGRAM_MUL:
    case PROGRAM_MUL_ADD:
    case PROGRAM_MUL_SUB:
    case PROGRAM_SUB_MUL: return product_kind(flow, step);
    case PROGRAM_DIV: return moves(flow, step->b) ? FLOW_QUOTIENT : FLOW_DIVIDE;
    case PROGRAM_SQRT: return FLOW_ROOT;
    case PROGRAM_CALL_EXP: return FLOW_EXP;
    default: return FLOW_OTHER;
    }
}

// The factor that is constant stands first.
static void order_factors(const Flow *flow, FlowStep *step)
{
    bool scales = step->kind >= FLOW_SCALE && step->kind <= FLOW_SUB_SCALE;
    if (scales && moves(flow, step->a)) {
        uint32_t factor = step->b;
        step->b = step->a;
        step->a = factor;
    }
}

static uint32_t sort_one(Sorting *sorting, const Instruction *at)
{
    Flow *flow = sorting->flow;
    int operands = program_operands(at->op);
    FlowStep step = {.op = at->op, .slope = FLOW_NONE, .partner = FLOW_NONE, .below = FLOW_NONE};
    step.a = operands > 0 ? sorting->value_of[at->a] : FLOW_NONE;
    step.b = operands > 1 ? sorting->value_of[at->b] : FLOW_NONE;
    step.c = operands > 2 ? sorting->value_of[at->c] : FLOW_NONE;
    bool sine = at->op == PROGRAM_CALL_SIN || at->op == PROGRAM_SINE;
    bool cosine = at->op == PROGRAM_CALL_COS || at->op == PROGRAM_COSINE;
    if ((sine || cosine) && moves(flow, step.a))
        return wave_of(flow, sine, step.a);
    if (at->op == PROGRAM_MISS)
        step.c = step.a;
    step.kind = kind_of(flow, &step);
    if (at->op == PROGRAM_PIECE) // its argument tells when it passes a knot
        flow->values.at[step.a].stored = true;
    if (inverts(sorting, &step)) {
        step.below = step.b;
        step.b = inverse_of(flow, step.b);
        step.kind = moves(flow, step.a) ? FLOW_PRODUCT : FLOW_SCALE;
    }
    order_factors(flow, &step);
    if (step.kind == FLOW_EXP)
        step.slope = slope_of(flow, step.a);
    if (step.kind == FLOW_MOVE)
        step.c = moves(flow, step.a) ? step.a : step.b;
    step.r = flow_add_value(flow, step.kind != FLOW_FLAT && step.kind != FLOW_HELD);
    flow->values.at[step.r].held = step.kind == FLOW_HELD;
    if (step.kind == FLOW_MOVE)
        flow->values.at[step.r].like = flow->values.at[step.c].like;
    if (step.kind == FLOW_OTHER) {
        step.helpers = helper_count(at->op);
        flow->has_other = true;
    }
    array_push(&flow->steps, step);
    note_power(flow, &step);
    return step.r;
}

// ---- What must be stored.

int flow_ends(const FlowStep *step)
{
    static const int ends[FLOW_OTHER + 1] = {
#define FLOW(NAME, ends, ...) [FLOW_##NAME] = ends,
#include "program/flow_kinds.def"
#undef FLOW
    };
    return ends[step->kind];
}

bool flow_factors(const FlowStep *step, int which, uint32_t *left, uint32_t *right)
{
    bool first = which == 0;
    *left = step->slope;
    if (step->begins)
        return false;
    switch (step->kind) {
    case FLOW_QUOTIENT:
    case FLOW_RATIO: *left = step->b, *right = step->r; return first;
    case FLOW_ROOT: *left = *right = step->r; return first;
    case FLOW_EXP: *right = step->r; return first;
    case FLOW_WAVE: *right = first ? step->partner : step->r; return which <= 1;
    case FLOW_POWER: *left = first ? step->slope : step->a, *right = step->r; return which <= 1;
    default: *left = step->a, *right = step->b; return first && flow_ends(step) > 0;
    }
}

static void read(bool *reads, uint32_t value)
{
    if (value != FLOW_NONE)
        reads[value] = true;
}

// Above order 0 nobody reads what a power was made of, unless somebody else does.
static void find_beginnings(Flow *flow)
{
    bool *reads = base_alloc((flow->values.count + 1) * sizeof *reads);
    for (size_t i = 0; i < flow->program->output_count; i++)
        read(reads, flow->outputs[i]);
    for (size_t i = flow->steps.count; i-- > 0;) {
        FlowStep *step = flow->steps.at + i;
        bool made = step->kind == FLOW_ROOT || step->kind == FLOW_PRODUCT;
        step->begins = made && !reads[step->r];
        if (step->begins)
            continue;
        read(reads, step->a);
        read(reads, step->b);
        read(reads, step->c);
        read(reads, step->slope);
    }
    base_free(reads);
}

uint32_t flow_row_of(const Flow *flow, uint32_t factor)
{
    const FlowValue *values = flow->values.at;
    uint32_t whole = values[factor].whole, like = values[whole].like;
    return flow->merges && values[like].whole == like ? like : whole;
}

// The place of a sum of these factors; that of a new one where there is none.
static uint32_t place_of_sum(const Flow *flow, const FlowSum *sum)
{
    const FlowSum *sums = flow->sums.at;
    uint32_t count = (uint32_t)flow->sums.count, at = flow->merges ? 0 : count;
    while (at < count && !(sums[at].left == sum->left && sums[at].right == sum->right))
        at++;
    return at;
}

// The sums of a step stand one after the other: those of one that has two are its own.
static void find_sums_of(Flow *flow, FlowStep *step)
{
    uint32_t left, right;
    bool alone = !flow_factors(step, 1, &left, &right);
    step->sum = (uint32_t)flow->sums.count;
    for (int which = 0; flow_factors(step, which, &left, &right); which++) {
        FlowSum sum = {flow_row_of(flow, left), flow_row_of(flow, right), step->r};
        const uint32_t stored[] = {flow->values.at[left].whole, flow->values.at[right].whole,
                                   sum.left, sum.right};
        for (size_t i = 0; i < sizeof stored / sizeof *stored; i++)
            flow->values.at[stored[i]].stored = true;
        if (alone)
            step->sum = place_of_sum(flow, &sum);
        if (alone && step->sum < flow->sums.count)
            flow->sums.at[step->sum].last = step->r;
        else
            array_push(&flow->sums, sum);
    }
}

static void find_sums(Flow *flow)
{
    size_t count = 0;
    uint32_t left, right;
    for (size_t i = 0; i < flow->steps.count; i++)
        for (int which = 0; flow_factors(flow->steps.at + i, which, &left, &right); which++)
            count++;
    flow->merges = count <= FLOW_MOST_TOGETHER;
    for (size_t i = 0; i < flow->steps.count; i++)
        find_sums_of(flow, flow->steps.at + i);
}

// ---- The order of sweeps: those that read the same coefficients together.

// Sums of a group before this one that read the value as this factor: no more to load.
static size_t loads_of(const Flow *flow, size_t group, uint32_t left, uint32_t right)
{
    bool has_left = false, has_right = false;
    for (size_t i = group; i < flow->sweeps.count; i++) {
        const FlowSum *sum = flow->sums.at + flow->sweeps.at[i];
        has_left = has_left || sum->left == left;
        has_right = has_right || sum->right == right;
    }
    return (size_t)!has_left + (size_t)!has_right;
}

// Adds the sum that needs the fewest loads, its factors in the better order.
static void add_sweep(Flow *flow, size_t group, bool *taken)
{
    size_t best = 0, least = SIZE_MAX;
    FlowSum better = {0};
    for (size_t i = 0; i < flow->sums.count; i++) {
        FlowSum sum = flow->sums.at[i];
        for (int turned = 0; turned < 2 && !taken[i]; turned++) {
            size_t loads = loads_of(flow, group, sum.left, sum.right);
            if (loads < least) {
                least = loads;
                best = i;
                better = sum;
            }
            sum = (FlowSum){sum.right, sum.left, sum.last};
        }
    }
    taken[best] = true;
    flow->sums.at[best] = better;
    array_push(&flow->sweeps, (uint32_t)best);
}

static void order_sweeps(Flow *flow)
{
    bool *taken = base_alloc((flow->sums.count + 1) * sizeof *taken);
    for (size_t i = 0; i < flow->sums.count; i++)
        if (flow->sums.count <= FLOW_MOST_TOGETHER)
            add_sweep(flow, i / FLOW_SWEEPS * FLOW_SWEEPS, taken);
        else
            array_push(&flow->sweeps, (uint32_t)i);
    base_free(taken);
    for (size_t i = 0; i < flow->sums.count; i++)
        flow->values.at[flow->sums.at[i].right].swept = true;
}

void flow_find_sums(Flow *flow)
{
    flow->sums.count = flow->sweeps.count = 0;
    find_sums(flow);
    order_sweeps(flow);
}

void flow_init(Flow *flow, const Program *program, const int *rates, bool powers)
{
    *flow = (Flow){.program = program,
                   .rates = rates,
                   .width = program_flow_width(rates, program->input_count),
                   .is_linear = true};
    Sorting sorting = {.flow = flow, .powers = powers};
    sorting.value_of = base_alloc((program->register_count + 1) * sizeof *sorting.value_of);
    for (size_t i = 0; i < program->constant_count; i++)
        sorting.value_of[i] = flow_add_value(flow, false);
    for (size_t i = 0; i < program->input_count; i++)
        sorting.value_of[program->constant_count + i] =
            flow_add_value(flow, rates[i] != PROGRAM_RATE_NONE);
    for (size_t i = 0; i < program->code_count; i++) {
        uint32_t value = sort_one(&sorting, program->code + i);
        sorting.value_of[program->code[i].result] = value;
    }
    flow->outputs = base_alloc((program->output_count + 1) * sizeof *flow->outputs);
    for (size_t i = 0; i < program->output_count; i++)
        flow->outputs[i] = sorting.value_of[program->outputs[i]];
    base_free(sorting.value_of);
    if (flow->width < program->input_count)
        flow_solve(flow);
    find_beginnings(flow);
    flow_find_sums(flow);
    // Rates are read again by the next order of their inputs.
    for (size_t i = 0; i < program->output_count; i++)
        flow->values.at[flow->outputs[i]].passed = true;
}

size_t program_flow_width(const int *rates, size_t count)
{
    while (count > 0 && rates[count - 1] <= PROGRAM_RATE_SOLVED)
        count--;
    return count;
}

size_t program_flow_sums(const Program *program, const int *rates)
{
    Flow flow;
    flow_init(&flow, program, rates, true);
    size_t count = flow.is_linear ? flow.sums.count : SIZE_MAX;
    flow_clear(&flow);
    return count;
}

void flow_clear(Flow *flow)
{
    array_clear(&flow->values);
    array_clear(&flow->steps);
    array_clear(&flow->sums);
    array_clear(&flow->sweeps);
    array_clear(&flow->packs);
    base_free(flow->outputs);
    *flow = (Flow){0};
}

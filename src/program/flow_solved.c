// flow_solved.c: inputs that a program solves for, order by order.
//
// Some outputs are what some inputs are, as the accelerations in the equations of motion. What
// depends on such inputs is linear in them, with factors that order 0 has. So each order is first
// worked out with 0 in their place, products with former orders included; the program solves for
// them from what it misses then, with factors that it holds from order 0 on; and what depends on
// them changes by a sum of products with such factors. Products over all orders are therefore only
// those of the equations themselves, and none of the way in which these are solved.
#include "program/flow_impl.h"

#include <string.h>

typedef struct {
    Flow *flow;
    size_t count;     // steps of the program itself
    bool *depends;    // of every value: on solved inputs
    bool *wanted;     // … : somebody reads it with these
    bool *needed;     // … : how it changes must be known
    uint32_t *change; // … : the value that it changes by; FLOW_NONE: it does not
    uint32_t *held;   // … : its order 0; FLOW_NONE before there is one
} Solving;

static bool depends(const Solving *solving, uint32_t value)
{
    return value != FLOW_NONE && solving->depends[value];
}

// ---- Steps.

static uint32_t add_step(Solving *solving, FlowKind kind, uint32_t op, uint32_t a, uint32_t b,
                         uint32_t c)
{
    FlowStep step = {.kind = kind,
                     .op = op,
                     .a = a,
                     .b = b,
                     .c = c,
                     .slope = FLOW_NONE,
                     .partner = FLOW_NONE,
                     .below = FLOW_NONE};
    step.r = flow_add_value(solving->flow, kind != FLOW_HELD);
    solving->flow->values.at[step.r].held = kind == FLOW_HELD;
    array_push(&solving->flow->steps, step);
    return step.r;
}

// What a value was at order 0.
static uint32_t hold(Solving *solving, uint32_t value)
{
    if (!solving->flow->values.at[value].moves)
        return value;
    if (solving->held[value] == FLOW_NONE)
        solving->held[value] =
            add_step(solving, FLOW_HELD, PROGRAM_HOLD, value, FLOW_NONE, FLOW_NONE);
    return solving->held[value];
}

static uint32_t negative(Solving *solving, uint32_t a)
{
    return a == FLOW_NONE ? a : add_step(solving, FLOW_NEG, PROGRAM_NEG, a, FLOW_NONE, FLOW_NONE);
}

static uint32_t sum(Solving *solving, uint32_t a, uint32_t b)
{
    if (a == FLOW_NONE || b == FLOW_NONE)
        return a == FLOW_NONE ? b : a;
    return add_step(solving, FLOW_ADD, PROGRAM_ADD, a, b, FLOW_NONE);
}

static uint32_t difference(Solving *solving, uint32_t a, uint32_t b)
{
    if (a == FLOW_NONE || b == FLOW_NONE)
        return b == FLOW_NONE ? a : negative(solving, b);
    return add_step(solving, FLOW_SUB, PROGRAM_SUB, a, b, FLOW_NONE);
}

static uint32_t scale(Solving *solving, uint32_t factor, uint32_t b)
{
    if (b == FLOW_NONE)
        return b;
    return add_step(solving, FLOW_SCALE, PROGRAM_MUL, hold(solving, factor), b, FLOW_NONE);
}

// ---- Changes.

// Of a·b, of which one at most depends on solved inputs: the other one, and how that one changes.
static uint32_t change_of_product(Solving *solving, const FlowStep *step, uint32_t *factor)
{
    bool first = depends(solving, step->a), second = depends(solving, step->b);
    *factor = first ? step->b : step->a;
    return first ? solving->change[step->a] : second ? solving->change[step->b] : FLOW_NONE;
}

// Of a·b + c, a·b − c and c − a·b.
static uint32_t change_of_sum(Solving *solving, const FlowStep *step)
{
    static const FlowKind kinds[] = {[PROGRAM_MUL_ADD] = FLOW_SCALE_ADD,
                                     [PROGRAM_MUL_SUB] = FLOW_SCALE_SUB,
                                     [PROGRAM_SUB_MUL] = FLOW_SUB_SCALE};
    uint32_t factor, c = depends(solving, step->c) ? solving->change[step->c] : FLOW_NONE;
    uint32_t b = change_of_product(solving, step, &factor);
    if (b == FLOW_NONE)
        return step->op == PROGRAM_MUL_SUB ? negative(solving, c) : c;
    if (c == FLOW_NONE && step->op == PROGRAM_SUB_MUL)
        return negative(solving, scale(solving, factor, b));
    if (c == FLOW_NONE)
        return scale(solving, factor, b);
    return add_step(solving, kinds[step->op], step->op, hold(solving, factor), b, c);
}

static uint32_t change_of(Solving *solving, const FlowStep *step)
{
    const uint32_t *change = solving->change;
    uint32_t a = depends(solving, step->a) ? change[step->a] : FLOW_NONE;
    uint32_t b = depends(solving, step->b) ? change[step->b] : FLOW_NONE, factor;
    switch (step->kind) {
    case FLOW_ADD: return sum(solving, a, b);
    case FLOW_SUB: return difference(solving, a, b);
    case FLOW_NEG: return negative(solving, a);
    case FLOW_MOVE: return solving->change[step->c];
    case FLOW_SCALE:
    case FLOW_PRODUCT:
        b = change_of_product(solving, step, &factor);
        return scale(solving, factor, b);
    case FLOW_SCALE_ADD:
    case FLOW_SCALE_SUB:
    case FLOW_SUB_SCALE:
    case FLOW_PRODUCT_ADD:
    case FLOW_PRODUCT_SUB:
    case FLOW_SUB_PRODUCT:
    case FLOW_SHIFT:
    case FLOW_SHIFT_NEG: return change_of_sum(solving, step);
    case FLOW_DIVIDE:
    case FLOW_QUOTIENT:
        if (a == FLOW_NONE)
            return a;
        return add_step(solving, FLOW_DIVIDE, PROGRAM_DIV, a, hold(solving, step->b), FLOW_NONE);
    default: return FLOW_NONE;
    }
}

// Whether the step is linear in what depends on solved inputs.
static bool is_linear(const Solving *solving, const FlowStep *step)
{
    bool a = depends(solving, step->a), b = depends(solving, step->b);
    switch (step->kind) {
    case FLOW_FLAT:
    case FLOW_HELD: return !a && !b && !depends(solving, step->c);
    case FLOW_ADD:
    case FLOW_SUB:
    case FLOW_NEG:
    case FLOW_MOVE:
    case FLOW_SHIFT:
    case FLOW_SHIFT_NEG: return true;
    case FLOW_DIVIDE:
    case FLOW_QUOTIENT: return !b;
    default: break;
    }
    bool products = step->kind >= FLOW_SCALE && step->kind <= FLOW_SUB_PRODUCT;
    return products ? !(a && b) : !solving->depends[step->r];
}

// ---- All.

// What is solved for is known before what depends on it is set right.
static void find_depending(Solving *solving)
{
    Flow *flow = solving->flow;
    const Program *program = flow->program;
    for (size_t i = flow->width; i < program->input_count; i++) {
        uint32_t input = (uint32_t)(program->constant_count + i);
        uint32_t output = flow->outputs[PROGRAM_RATE_SOLVED - flow->rates[i]];
        solving->depends[input] = true;
        solving->change[input] = flow->values.at[input].whole = output;
    }
    for (size_t i = 0; i < solving->count; i++) {
        const FlowStep *step = flow->steps.at + i;
        bool found = depends(solving, step->a) || depends(solving, step->b) ||
                     depends(solving, step->c) || depends(solving, step->slope);
        solving->depends[step->r] = found && step->op != PROGRAM_MISS;
        if (step->partner != FLOW_NONE)
            solving->depends[step->partner] = found;
        flow->is_linear = flow->is_linear && is_linear(solving, step);
        if (step->op == PROGRAM_HOLD && step->kind == FLOW_HELD)
            solving->held[step->a] = step->r;
    }
}

// What later orders and others read; then what else must change for that.
static void find_needed(Solving *solving)
{
    const Flow *flow = solving->flow;
    uint32_t left, right;
    for (size_t i = 0; i < flow->program->output_count; i++)
        solving->wanted[flow->outputs[i]] = true;
    for (size_t i = 0; i < solving->count; i++)
        for (int which = 0; flow_factors(flow->steps.at + i, which, &left, &right); which++)
            solving->wanted[left] = solving->wanted[right] = true;
    for (size_t i = solving->count; i-- > 0;) {
        const FlowStep *step = flow->steps.at + i;
        const uint32_t operands[] = {step->a, step->b, step->c};
        bool needed = solving->wanted[step->r] || solving->needed[step->r];
        solving->needed[step->r] = needed && solving->depends[step->r];
        for (size_t j = 0; j < sizeof operands / sizeof *operands && needed; j++)
            if (depends(solving, operands[j]))
                solving->needed[operands[j]] = true;
    }
}

static void change_all(Solving *solving)
{
    Flow *flow = solving->flow;
    for (size_t i = 0; i < solving->count; i++) {
        FlowStep step = flow->steps.at[i];
        if (!solving->needed[step.r])
            continue;
        uint32_t change = change_of(solving, &step);
        uint32_t whole = solving->wanted[step.r] ? sum(solving, step.r, change) : step.r;
        solving->change[step.r] = change;
        flow->values.at[step.r].whole = whole;
    }
}

void flow_solve(Flow *flow)
{
    size_t count = flow->values.count + 1;
    Solving solving = {.flow = flow, .count = flow->steps.count};
    solving.depends = base_alloc(count * sizeof *solving.depends);
    solving.wanted = base_alloc(count * sizeof *solving.wanted);
    solving.needed = base_alloc(count * sizeof *solving.needed);
    solving.change = base_alloc(count * sizeof *solving.change);
    solving.held = base_alloc(count * sizeof *solving.held);
    memset(solving.change, 0xFF, count * sizeof *solving.change);
    memset(solving.held, 0xFF, count * sizeof *solving.held);
    find_depending(&solving);
    find_needed(&solving);
    if (flow->is_linear)
        change_all(&solving);
    for (size_t i = 0; i < flow->program->output_count; i++)
        flow->outputs[i] = flow->values.at[flow->outputs[i]].whole;
    void *const parts[] = {solving.depends, solving.wanted, solving.needed, solving.change,
                           solving.held};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        base_free(parts[i]);
}

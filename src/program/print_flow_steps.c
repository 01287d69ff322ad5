// print_flow_steps.c: the recurrence of every step as C text, at one order of a block.
#include "program/flow_impl.h"

// ---- Coefficients.

bool flow_moves(const FlowPrinter *p, uint32_t value)
{
    return p->flow->values.at[value].moves;
}

// What is constant in time, as a number.
void flow_print_flat(const FlowPrinter *p, uint32_t value)
{
    const Program *program = p->flow->program;
    if (value < program->constant_count && program->later[value] == PROGRAM_LITERAL)
        program_print_c_number(program->real[value], p->out);
    else
        text_addf(p->out, "F[%u]", value);
}

// What stays the same for all orders.
void flow_begin_constant(const FlowPrinter *p, uint32_t value)
{
    text_addf(p->out, "    F[%u] = ", value);
}

// Where the last coefficient of a packed value stands.
void flow_print_in_pack(const FlowPrinter *p, uint32_t value)
{
    const FlowValue *at = p->flow->values.at + value;
    text_addf(p->out, "work[%zu]", p->packs + (size_t)FLOW_BLOCK * at->pack + at->lane);
}

// Where a coefficient stands that another function has made.
static void print_in_row(const FlowPrinter *p, uint32_t value, unsigned order)
{
    if (flow_is_packed(p, value)) {
        flow_print_in_pack(p, value);
        return;
    }
    text_addf(p->out, "R%u[", value);
    text_addf(p->out, p->phase == FLOW_ANY ? "1" : p->phase == FLOW_LATER ? "K + %u" : "%u", order);
    text_add(p->out, "]");
}

void flow_print_new(const FlowPrinter *p, uint32_t value, unsigned order)
{
    bool elsewhere = (p->piece_size > 0 && p->flow->values.at[value].piece != p->piece) ||
                     (p->phase == FLOW_FIRST && order == 0);
    if (flow_moves(p, value) && elsewhere)
        print_in_row(p, value, order);
    else if (flow_moves(p, value) && flow_is_packed(p, value))
        text_addf(p->out, "q%u[%u]", p->flow->values.at[value].pack,
                  p->flow->values.at[value].lane);
    else if (flow_moves(p, value))
        text_addf(p->out, "v%u_%u", value, order);
    else if (p->phase == FLOW_BEGIN || (p->phase == FLOW_FIRST && order == 0))
        flow_print_flat(p, value);
    else
        text_add(p->out, "0.0");
}

void flow_print_now(const FlowPrinter *p, uint32_t value)
{
    flow_print_new(p, value, p->order);
}

// The coefficient before the one at hand; not at order 0.
static void print_former(const FlowPrinter *p, uint32_t value)
{
    if (p->order > 0)
        flow_print_new(p, value, p->order - 1);
    else if (flow_is_packed(p, value))
        flow_print_in_pack(p, value);
    else if (flow_moves(p, value))
        text_addf(p->out, p->phase == FLOW_ANY ? "R%u[1]" : "R%u[K - 1]", value);
    else if (p->phase == FLOW_LATER)
        text_add(p->out, "0.0");
    else {
        text_add(p->out, "(N == 1 ? ");
        flow_print_flat(p, value);
        text_add(p->out, " : 0.0)");
    }
}

// k, as an integer.
static void print_k(const FlowPrinter *p)
{
    text_addf(p->out,
              p->phase == FLOW_ANY     ? "N"
              : p->phase == FLOW_LATER ? "K + %u"
                                       : "%u",
              p->order);
}

static void begin(const FlowPrinter *p, uint32_t value)
{
    text_addf(p->out, "    const double v%u_%u = ", value, p->order);
}

// Whether a later order reads this coefficient in its row: of what only the next one reads, the
// last of a block.
static bool is_stored(const FlowPrinter *p, uint32_t value)
{
    const FlowValue *at = p->flow->values.at + value;
    bool last = p->lanes || p->phase == FLOW_BEGIN || p->order == FLOW_BLOCK - 1;
    // What differs at order 0 alone is read there.
    bool own = p->phase == FLOW_BEGIN || at->whole != value || flow_row_of(p->flow, value) == value;
    return (at->stored && own) || (at->passed && last);
}

// Puts the coefficient into its row where later orders need it. A row of a long program has order 0
// and the order at hand: the others are in lanes.
static void store(const FlowPrinter *p, uint32_t value)
{
    if (!is_stored(p, value))
        return;
    if (p->lanes && p->phase == FLOW_BEGIN) {
        text_addf(p->out, "    R%u[0] = ", value);
        if (p->flow->values.at[value].pack != FLOW_NONE) {
            flow_print_in_pack(p, value);
            text_add(p->out, " = ");
        }
    }
    text_addf(p->out, p->lanes ? "R%u[1" : "    R%u[", value);
    if (!p->lanes)
        print_k(p);
    text_add(p->out, "] = ");
    flow_print_now(p, value);
    text_add(p->out, ";\n");
    flow_print_lane_stores(p, value);
}

static void end(const FlowPrinter *p, uint32_t value)
{
    text_add(p->out, ";\n");
    store(p, value);
}

// ---- Steps.

// How the value is found above order 0.
const char *flow_kind_text(FlowKind kind)
{
    static const char *const texts[FLOW_OTHER + 1] = {
#define FLOW(NAME, ends, value) [FLOW_##NAME] = #value,
#include "program/flow_kinds.def"
#undef FLOW
    };
    return texts[kind];
}

// Where pieces may be shared, what differs by a sign reads alike but for that word: a product with
// ±1 is exact (print_flow_shared.c).
static const char *signed_text(const FlowPrinter *p, FlowKind kind)
{
    const char *text = NULL;
    switch (kind) {
    case FLOW_ADD: text = "PLUS(a, b)"; break;
    case FLOW_SUB: text = "LESS(a, b)"; break;
    case FLOW_PRODUCT_ADD: text = "PLUS(c, s)"; break;
    case FLOW_SUB_PRODUCT: text = "LESS(c, s)"; break;
    case FLOW_SCALE_ADD: text = "FMA(SAME f, b, c)"; break;
    case FLOW_SUB_SCALE: text = "FMA(OPPOSITE f, b, c)"; break;
    default: break;
    }
    return p->shares && text ? text : flow_kind_text(kind);
}

// The same of order 0; NULL where that has no other words.
static const char *signed_operation(const FlowPrinter *p, uint32_t op)
{
    if (!p->shares)
        return NULL;
    switch ((ProgramOp)op) {
    case PROGRAM_ADD: return "PLUS(a, b)";
    case PROGRAM_SUB: return "LESS(a, b)";
    case PROGRAM_MUL_ADD: return "PLUS(c, a * b)";
    case PROGRAM_SUB_MUL: return "LESS(c, a * b)";
    default: return NULL;
    }
}

typedef struct {
    const FlowPrinter *printer;
    const FlowStep *step;
    uint32_t result; // the step's, or its partner
} Words;

// What a letter of that text stands for.
static void print_letter(const void *context, int letter)
{
    const Words *words = context;
    const FlowPrinter *p = words->printer;
    const FlowStep *step = words->step;
    switch ('a' + letter) {
    case 'a': flow_print_now(p, step->a); break;
    case 'b': flow_print_now(p, step->b); break;
    case 'c': flow_print_now(p, step->c); break;
    case 'f': flow_print_flat(p, step->a); break;
    case 's':
    case 't': text_addf(p->out, "%c%u_%u", 'a' + letter, words->result, p->order); break;
    case 'w': program_print_c_number(step->power + 1, p->out); break;
    case 'x': text_addf(p->out, "F[%u]", step->r); break;
    case 'y': text_addf(p->out, "F[%u]", step->kept); break;
    case 'k':
        text_add(p->out, "(double)(");
        print_k(p);
        text_add(p->out, ")");
        break;
    default:
        text_add(p->out, "inverse[");
        print_k(p);
        text_add(p->out, "]");
        break;
    }
}

static void print_sum(const FlowPrinter *p, const FlowStep *step, const char *name, uint32_t result,
                      int which)
{
    text_addf(p->out, "    const double %s%u_%u = ", name, result, p->order);
    flow_print_sum(p, step, which);
    text_add(p->out, ";\n");
}

// The sine, or what else the step gives; the cosine is its partner.
static void print_value(const FlowPrinter *p, const FlowStep *step, int which)
{
    Words words = {p, step, which == 0 ? step->r : step->partner};
    if (flow_ends(step) > 0)
        print_sum(p, step, "s", words.result, which);
    if (step->kind == FLOW_POWER)
        print_sum(p, step, "t", words.result, 1);
    begin(p, words.result);
    text_add(p->out, which == 0 ? "" : "-(");
    program_print_c_text(signed_text(p, step->kind), print_letter, &words, p->out);
    text_add(p->out, which == 0 ? "" : ")");
    end(p, words.result);
}

static void print_function(const FlowPrinter *p, const FlowStep *step, const char *function,
                           uint32_t result)
{
    begin(p, result);
    text_addf(p->out, "%s(", function);
    flow_print_now(p, step->a);
    text_add(p->out, ")");
    end(p, result);
}

// What a step keeps of order 0.
static void print_kept(const FlowPrinter *p, const FlowStep *step)
{
    if (step->kind == FLOW_QUOTIENT ||
        (step->kind == FLOW_DIVIDE && p->flow->values.at[step->b].held)) {
        flow_begin_constant(p, step->r);
        text_add(p->out, "1.0 / ");
        flow_print_now(p, step->b);
        text_add(p->out, ";\n");
    }
    if (step->kind == FLOW_ROOT) {
        flow_begin_constant(p, step->r);
        text_addf(p->out, "0.5 / v%u_0;\n", step->r);
    }
    if (step->kind == FLOW_POWER) {
        flow_begin_constant(p, step->r);
        text_add(p->out, "1.0 / ");
        flow_print_now(p, step->a);
        text_add(p->out, ";\n");
        flow_begin_constant(p, step->kept);
        program_print_c_number(step->power, p->out);
        text_addf(p->out, " * v%u_0 * F[%u];\n", step->r, step->r);
    }
}

// What is constant in time and known by now.
static void print_held(const FlowPrinter *p, const FlowStep *step)
{
    flow_begin_constant(p, step->r);
    program_print_c_operation(step->op, print_letter, &(Words){p, step, step->r}, p->out);
    text_add(p->out, ";\n");
}

// Order 0: the plain program's value.
static void print_plain(const FlowPrinter *p, const FlowStep *step)
{
    if (step->kind == FLOW_WAVE) {
        print_function(p, step, "sin", step->r);
        print_function(p, step, "cos", step->partner);
        return;
    }
    begin(p, step->r);
    if (step->kind == FLOW_SLOPE)
        text_add(p->out, "0.0");
    else if (step->below != FLOW_NONE) {
        if (step->kind == FLOW_POWER)
            text_add(p->out, "1.0");
        else
            flow_print_now(p, step->a);
        text_add(p->out, " / ");
        flow_print_now(p, step->below);
    } else {
        const Words words = {p, step, step->r};
        const char *text = signed_operation(p, step->op);
        if (text)
            program_print_c_text(text, print_letter, &words, p->out);
        else
            program_print_c_operation(step->op, print_letter, &words, p->out);
    }
    end(p, step->r);
    if (!step->begins)
        print_kept(p, step);
}

// ---- Steps by the table's own text, on rows.

static const char *series_text(uint32_t op)
{
    static const char *const texts[] = {
#define OP(NAME, word, arity, real, ball, rate_a, rate_b, helpers, partner, series)                \
    [PROGRAM_CALL_##NAME] = #series,
#include "expr/ops.def"
#undef OP
    };
    return texts[op];
}

// Q[at] … : a, b, c, the result, the helpers.
static void print_other(FlowPrinter *p, const FlowStep *step)
{
    const uint32_t operands[] = {step->a, step->b, step->c};
    size_t at = p->series;
    p->series += 4 + step->helpers;
    text_add(p->out, "    double ");
    flow_print_now(p, step->r);
    text_add(p->out, ";\n    {\n        const size_t k = (size_t)(");
    print_k(p);
    text_addf(p->out,
              ");\n        Row *zero = Z, *a = Q + %zu, *b = a + 1, *c = a + 2, *r = a + 3, "
              "*x = a + 4;\n",
              at);
    for (unsigned i = 0; i < 3; i++) {
        if (operands[i] == FLOW_NONE)
            continue;
        text_addf(p->out, "        put(%c, k, ", "abc"[i]);
        flow_print_now(p, operands[i]);
        text_add(p->out, ");\n");
    }
    text_addf(p->out,
              "        if (k > 0 && is_flat(a) && is_flat(b) && is_flat(c)) {\n"
              "            for (size_t i = 0; i < %u; i++)\n"
              "                put(x + i, k, 0);\n            ",
              step->helpers);
    flow_print_now(p, step->r);
    text_add(p->out, " = 0;\n        } else {\n            ");
    flow_print_now(p, step->r);
    text_addf(p->out, " = %s;\n        }\n        put(r, k, ", series_text(step->op));
    flow_print_now(p, step->r);
    text_add(p->out, ");\n    }\n");
    store(p, step->r);
}

static void print_step(FlowPrinter *p, const FlowStep *step)
{
    bool later = p->phase != FLOW_BEGIN;
    if (step->kind == FLOW_FLAT || (step->begins && later) || (step->kind == FLOW_HELD && later))
        return;
    if (step->kind == FLOW_HELD)
        print_held(p, step);
    else if (step->kind == FLOW_OTHER)
        print_other(p, step);
    else if (p->phase == FLOW_BEGIN)
        print_plain(p, step);
    else
        print_value(p, step, 0);
    if (step->kind == FLOW_WAVE && p->phase != FLOW_BEGIN)
        print_value(p, step, 1);
}

// ---- The inputs, whose rates are outputs.

uint32_t flow_input(const FlowPrinter *p, size_t input)
{
    return (uint32_t)(p->flow->program->constant_count + input);
}

static void print_input(const FlowPrinter *p, size_t input)
{
    int rate = p->flow->rates[input];
    uint32_t value = flow_input(p, input);
    begin(p, value);
    if (rate <= PROGRAM_RATE_SOLVED) {
        text_add(p->out, "0.0");
    } else if (p->phase == FLOW_BEGIN) {
        text_addf(p->out, "y[%zu]", input);
    } else if (rate == PROGRAM_RATE_ONE) {
        print_k(p);
        text_add(p->out, " == 1 ? 1.0 : 0.0");
    } else {
        print_former(p, p->flow->outputs[rate]);
        text_add(p->out, " * inverse[");
        print_k(p);
        text_add(p->out, "]");
    }
    end(p, value);
}

static void print_inputs(const FlowPrinter *p)
{
    size_t count = p->flow->width;
    for (size_t i = 0; i < p->flow->program->input_count; i++) {
        if (flow_moves(p, flow_input(p, i)))
            print_input(p, i);
        if (p->phase == FLOW_BEGIN || i >= count)
            continue;
        text_add(p->out, "    y[(");
        print_k(p);
        text_addf(p->out, ") * %zu + %zu] = ", count, i);
        flow_print_now(p, flow_input(p, i));
        text_add(p->out, ";\n");
    }
}

void flow_print_order(FlowPrinter *p)
{
    const Flow *flow = p->flow;
    bool solves = flow->width < flow->program->input_count;
    if (p->piece == 0) {
        print_inputs(p);
        p->series = 0;
    }
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        const FlowValue *value = flow->values.at + step->r;
        if (p->piece_size > 0 && value->piece != p->piece)
            continue;
        if (!flow_is_packed(p, step->r))
            print_step(p, step);
        else if (value->lane == 0)
            flow_print_pack(p, step);
        if (!solves)
            flow_print_share(p, step);
    }
    for (size_t i = 0; i < flow->steps.count && solves; i++)
        flow_print_share(p, flow->steps.at + i);
}

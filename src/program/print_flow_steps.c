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
    if (value < p->flow->program->constant_count)
        program_print_c_number(p->flow->program->real[value], p->out);
    else
        text_addf(p->out, "F[%u]", value);
}

// 1/b_0 of a quotient, 1/(2·r_0) of a root.
static void print_inverse(const FlowPrinter *p, uint32_t value)
{
    text_addf(p->out, "F[%u]", value);
}

// What stays the same for all orders.
void flow_begin_constant(const FlowPrinter *p, uint32_t value)
{
    text_addf(p->out, "    F[%u] = ", value);
}

// Where a coefficient stands that another function has made.
static void print_in_row(const FlowPrinter *p, uint32_t value, unsigned order)
{
    text_addf(p->out, "R%u[", value);
    text_addf(p->out, p->phase == FLOW_ANY ? "N" : p->phase == FLOW_LATER ? "K + %u" : "%u", order);
    text_add(p->out, "]");
}

void flow_print_new(const FlowPrinter *p, uint32_t value, unsigned order)
{
    bool elsewhere = (p->piece_size > 0 && p->flow->values.at[value].piece != p->piece) ||
                     (p->phase == FLOW_FIRST && order == 0);
    if (flow_moves(p, value) && elsewhere)
        print_in_row(p, value, order);
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
    else if (flow_moves(p, value))
        text_addf(p->out, p->phase == FLOW_ANY ? "R%u[N - 1]" : "R%u[K - 1]", value);
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

// Puts the coefficient into its row where later orders need it.
static void store(const FlowPrinter *p, uint32_t value)
{
    if (!p->flow->values.at[value].stored)
        return;
    text_addf(p->out, "    R%u[", value);
    print_k(p);
    text_add(p->out, "] = ");
    flow_print_now(p, value);
    text_add(p->out, ";\n");
}

static void end(const FlowPrinter *p, uint32_t value)
{
    text_add(p->out, ";\n");
    store(p, value);
}

// ---- Steps.

// a·b at this order; at most one of the two moves.
static void print_scaled(const FlowPrinter *p, uint32_t a, uint32_t b)
{
    if (flow_moves(p, a) || flow_moves(p, b)) {
        flow_print_flat(p, flow_moves(p, a) ? b : a);
        text_add(p->out, " * ");
        flow_print_now(p, flow_moves(p, a) ? a : b);
    } else if (p->phase == FLOW_BEGIN) {
        flow_print_flat(p, a);
        text_add(p->out, " * ");
        flow_print_flat(p, b);
    } else {
        text_add(p->out, "0.0");
    }
}

static void print_product_part(const FlowPrinter *p, const FlowStep *step)
{
    if (step->kind == FLOW_PRODUCT)
        flow_print_sum(p, step, 0, true, true);
    else
        print_scaled(p, step->a, step->b);
}

static void print_arithmetic(const FlowPrinter *p, const FlowStep *step)
{
    begin(p, step->r);
    switch (step->op) {
    case PROGRAM_NEG:
        text_add(p->out, "-");
        flow_print_now(p, step->a);
        break;
    case PROGRAM_ADD:
    case PROGRAM_SUB:
        flow_print_now(p, step->a);
        text_add(p->out, step->op == PROGRAM_ADD ? " + " : " - ");
        flow_print_now(p, step->b);
        break;
    case PROGRAM_DIV:
        flow_print_now(p, step->a);
        text_add(p->out, " * ");
        print_inverse(p, step->r);
        break;
    case PROGRAM_SUB_MUL:
        flow_print_now(p, step->c);
        text_add(p->out, " - ");
        print_product_part(p, step);
        break;
    default:
        print_product_part(p, step);
        if (step->c == FLOW_NONE)
            break;
        text_add(p->out, step->op == PROGRAM_MUL_ADD ? " + " : " - ");
        flow_print_now(p, step->c);
        break;
    }
    end(p, step->r);
}

// r_k = (a_k − Σ b_i·r_{k−i})/b_0.
static void print_quotient(const FlowPrinter *p, const FlowStep *step)
{
    if (p->phase == FLOW_BEGIN) {
        flow_begin_constant(p, step->r);
        text_add(p->out, "1.0 / ");
        flow_print_now(p, step->b);
        text_add(p->out, ";\n");
    }
    begin(p, step->r);
    if (p->phase == FLOW_BEGIN) {
        flow_print_now(p, step->a);
        text_add(p->out, " / ");
        flow_print_now(p, step->b);
    } else {
        text_add(p->out, "(");
        flow_print_now(p, step->a);
        text_add(p->out, " - ");
        flow_print_sum(p, step, 0, false, true);
        text_add(p->out, ") * ");
        print_inverse(p, step->r);
    }
    end(p, step->r);
}

// r_k = (a_k − Σ r_i·r_{k−i})/(2·r_0), without the ends; 0 where nothing moves, also at √0.
static void print_root(const FlowPrinter *p, const FlowStep *step)
{
    if (p->phase == FLOW_BEGIN) {
        begin(p, step->r);
        text_add(p->out, "sqrt(");
        flow_print_now(p, step->a);
        text_add(p->out, ")");
        end(p, step->r);
        flow_begin_constant(p, step->r);
        text_addf(p->out, "0.5 / v%u_0;\n", step->r);
        return;
    }
    text_addf(p->out, "    const double s%u_%u = ", step->r, p->order);
    flow_print_now(p, step->a);
    text_add(p->out, " - ");
    flow_print_sum(p, step, 0, false, false);
    text_add(p->out, ";\n");
    begin(p, step->r);
    text_addf(p->out, "s%u_%u == 0 ? 0.0 : s%u_%u * ", step->r, p->order, step->r, p->order);
    print_inverse(p, step->r);
    end(p, step->r);
}

// Of an input that is its rate's coefficient before.
static void print_slope(const FlowPrinter *p, const FlowStep *step)
{
    uint32_t input = step->a - (uint32_t)p->flow->program->constant_count;
    bool is_input = input < p->flow->program->input_count;
    begin(p, step->r);
    if (p->phase == FLOW_BEGIN) {
        text_add(p->out, "0.0");
    } else if (is_input && p->flow->rates[input] >= 0) {
        print_former(p, p->flow->outputs[p->flow->rates[input]]);
    } else {
        text_add(p->out, "(double)(");
        print_k(p);
        text_add(p->out, ") * ");
        flow_print_now(p, step->a);
    }
    end(p, step->r);
}

// k·r_k = ±Σ e_i·f_{k−i}, e being the argument's slope.
static void print_integral(const FlowPrinter *p, const FlowStep *step, int which,
                           const char *function)
{
    uint32_t result = which == 0 ? step->r : step->partner;
    begin(p, result);
    if (p->phase == FLOW_BEGIN) {
        text_addf(p->out, "%s(", function);
        flow_print_now(p, step->a);
        text_add(p->out, ")");
    } else {
        text_add(p->out, which == 0 ? "" : "-");
        flow_print_sum(p, step, which, false, true);
        text_add(p->out, " * inverse[");
        print_k(p);
        text_add(p->out, "]");
    }
    end(p, result);
}

// ---- Steps by the table's own text, on rows.

static const char *series_text(uint32_t op)
{
    static const char *const texts[] = {
#define INSTRUCTION(NAME, operands, real, field, ball, series) [PROGRAM_##NAME] = #series,
#include "program/instructions.def"
#undef INSTRUCTION
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
    switch (step->kind) {
    case FLOW_FLAT: break;
    case FLOW_LINEAR:
    case FLOW_PRODUCT: print_arithmetic(p, step); break;
    case FLOW_QUOTIENT: print_quotient(p, step); break;
    case FLOW_ROOT: print_root(p, step); break;
    case FLOW_SLOPE: print_slope(p, step); break;
    case FLOW_WAVE:
        print_integral(p, step, 0, "sin");
        print_integral(p, step, 1, "cos");
        break;
    case FLOW_EXP: print_integral(p, step, 0, "exp"); break;
    case FLOW_OTHER: print_other(p, step); break;
    }
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
    if (p->phase == FLOW_BEGIN) {
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
    size_t count = p->flow->program->input_count;
    for (size_t i = 0; i < count; i++) {
        if (flow_moves(p, flow_input(p, i)))
            print_input(p, i);
        if (p->phase == FLOW_BEGIN)
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
    size_t begin = p->piece * p->piece_size, end = p->flow->steps.count;
    if (p->piece_size > 0 && begin + p->piece_size < end)
        end = begin + p->piece_size;
    if (begin == 0) {
        print_inputs(p);
        p->series = 0;
    }
    for (size_t i = begin; i < end; i++) {
        print_step(p, p->flow->steps.at + i);
        flow_print_share(p, p->flow->steps.at + i);
    }
}

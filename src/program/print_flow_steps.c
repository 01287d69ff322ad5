// print_flow_steps.c: the recurrence of every step as C text, at one order of a block.
//
// Within the first block all terms of a sum are written out; later only those with a factor of the
// block itself, the others having been swept (print_flow.c).
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
        text_addf(p->out, p->piece_size ? "F[%u]" : "f%u", value);
}

// 1/b_0 of a quotient, 1/(2·r_0) of a root.
static void print_inverse(const FlowPrinter *p, uint32_t value)
{
    text_addf(p->out, p->piece_size ? "F[%u]" : "f%u", value);
}

// What stays the same for all orders: a number of F, or a name.
void flow_begin_constant(const FlowPrinter *p, uint32_t value)
{
    text_addf(p->out, p->piece_size ? "    F[%u] = " : "    const double f%u = ", value);
}

// A coefficient of this block's order `order`.
static void print_new(const FlowPrinter *p, uint32_t value, unsigned order)
{
    bool elsewhere =
        p->piece_size > 0 && (order < p->order || p->flow->values.at[value].piece != p->piece);
    if (flow_moves(p, value) && elsewhere)
        text_addf(p->out, p->first ? "R%u[%u]" : "R%u[K + %u]", value, order);
    else if (flow_moves(p, value))
        text_addf(p->out, "%c%u_%u", p->first ? 'v' : 'w', value, order);
    else if (p->first && order == 0)
        flow_print_flat(p, value);
    else
        text_add(p->out, "0.0");
}

static void print_now(const FlowPrinter *p, uint32_t value)
{
    print_new(p, value, p->order);
}

// k, as an integer.
static void print_k(const FlowPrinter *p)
{
    text_addf(p->out, p->first ? "%u" : "K + %u", p->order);
}

static void begin(const FlowPrinter *p, uint32_t value)
{
    text_add(p->out, "    const double ");
    print_now(p, value);
    text_add(p->out, " = ");
}

// Puts the coefficient into its row where later orders need it.
static void store(const FlowPrinter *p, uint32_t value)
{
    if (!p->flow->values.at[value].stored)
        return;
    text_addf(p->out, "    R%u[", value);
    print_k(p);
    text_add(p->out, "] = ");
    print_now(p, value);
    text_add(p->out, ";\n");
}

static void end(const FlowPrinter *p, uint32_t value)
{
    text_add(p->out, ";\n");
    store(p, value);
}

// ---- Sums over all orders.

// + a_i·b_j, one new and one old where this is not the first block.
static void print_term(const FlowPrinter *p, uint32_t a, unsigned i, uint32_t b, unsigned j)
{
    text_add(p->out, " + ");
    print_new(p, a, i);
    text_add(p->out, " * ");
    if (p->first)
        print_new(p, b, j);
    else
        text_addf(p->out, "R%u[%u]", b, j);
}

// Σ a_i·b_{k−i} without the terms named: a_k·b_0 where !last, a_0·b_k where !first. The newest
// terms stand last, so that the others are summed before these are known.
static void print_products(const FlowPrinter *p, uint32_t a, uint32_t b, bool first, bool last)
{
    unsigned k = p->order;
    if (p->first) {
        text_add(p->out, "0.0");
        for (unsigned i = first ? 0 : 1; i + (last ? 0 : 1) <= k; i++)
            print_term(p, a, i, b, k - i);
        return;
    }
    for (unsigned i = 0; i <= k; i++) {
        if (i < k || last)
            print_term(p, a, i, b, k - i);
        if (i < k || first)
            print_term(p, b, i, a, k - i);
    }
}

// The same for a², ends included or not.
static void print_square(const FlowPrinter *p, uint32_t a, bool ends)
{
    unsigned k = p->order, least = ends ? 0 : 1;
    text_add(p->out, p->first ? "0.0" : " + 2.0 * (0.0");
    if (!p->first) {
        for (unsigned i = 0; i + least <= k; i++)
            print_term(p, a, i, a, k - i);
        text_add(p->out, ")");
        return;
    }
    for (unsigned i = least; i + least <= k; i++)
        print_term(p, a, i, a, k - i);
}

// (Σ …) of a step's pair of factors, with what the block's beginning has summed.
static void print_sum(const FlowPrinter *p, const FlowStep *step, int which, bool first, bool last)
{
    uint32_t left = 0, right = 0;
    flow_factors(step, which, &left, &right);
    text_add(p->out, "(");
    if (!p->first)
        text_addf(p->out, "A[%u][%u]", p->sweeps[step->r] + (unsigned)which, p->order);
    if (left == right)
        print_square(p, left, first);
    else
        print_products(p, left, right, first, last);
    text_add(p->out, ")");
}

// ---- Steps.

// a·b at this order; at most one of the two moves.
static void print_scaled(const FlowPrinter *p, uint32_t a, uint32_t b)
{
    if (flow_moves(p, a) || flow_moves(p, b)) {
        flow_print_flat(p, flow_moves(p, a) ? b : a);
        text_add(p->out, " * ");
        print_now(p, flow_moves(p, a) ? a : b);
    } else if (p->first && p->order == 0) {
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
        print_sum(p, step, 0, true, true);
    else
        print_scaled(p, step->a, step->b);
}

static void print_arithmetic(const FlowPrinter *p, const FlowStep *step)
{
    begin(p, step->r);
    switch (step->op) {
    case PROGRAM_NEG:
        text_add(p->out, "-");
        print_now(p, step->a);
        break;
    case PROGRAM_ADD:
    case PROGRAM_SUB:
        print_now(p, step->a);
        text_add(p->out, step->op == PROGRAM_ADD ? " + " : " - ");
        print_now(p, step->b);
        break;
    case PROGRAM_DIV:
        print_now(p, step->a);
        text_add(p->out, " * ");
        print_inverse(p, step->r);
        break;
    case PROGRAM_SUB_MUL:
        print_now(p, step->c);
        text_add(p->out, " - ");
        print_product_part(p, step);
        break;
    default:
        print_product_part(p, step);
        if (step->c == FLOW_NONE)
            break;
        text_add(p->out, step->op == PROGRAM_MUL_ADD ? " + " : " - ");
        print_now(p, step->c);
        break;
    }
    end(p, step->r);
}

// r_k = (a_k − Σ b_i·r_{k−i})/b_0.
static void print_quotient(const FlowPrinter *p, const FlowStep *step)
{
    if (p->first && p->order == 0) {
        flow_begin_constant(p, step->r);
        text_add(p->out, "1.0 / ");
        print_now(p, step->b);
        text_add(p->out, ";\n");
    }
    begin(p, step->r);
    if (p->first && p->order == 0) {
        print_now(p, step->a);
        text_add(p->out, " / ");
        print_now(p, step->b);
    } else {
        text_add(p->out, "(");
        print_now(p, step->a);
        text_add(p->out, " - ");
        print_sum(p, step, 0, false, true);
        text_add(p->out, ") * ");
        print_inverse(p, step->r);
    }
    end(p, step->r);
}

// r_k = (a_k − Σ r_i·r_{k−i})/(2·r_0), without the ends; 0 where nothing moves, also at √0.
static void print_root(const FlowPrinter *p, const FlowStep *step)
{
    if (p->first && p->order == 0) {
        begin(p, step->r);
        text_add(p->out, "sqrt(");
        print_now(p, step->a);
        text_add(p->out, ")");
        end(p, step->r);
        flow_begin_constant(p, step->r);
        text_addf(p->out, "0.5 / v%u_0;\n", step->r);
        return;
    }
    text_addf(p->out, "    const double %c%u_%u = ", p->first ? 's' : 't', step->r, p->order);
    print_now(p, step->a);
    text_add(p->out, " - ");
    print_sum(p, step, 0, false, false);
    text_add(p->out, ";\n");
    begin(p, step->r);
    const char name = p->first ? 's' : 't';
    text_addf(p->out, "%c%u_%u == 0 ? 0.0 : %c%u_%u * ", name, step->r, p->order, name, step->r,
              p->order);
    print_inverse(p, step->r);
    end(p, step->r);
}

static void print_slope(const FlowPrinter *p, const FlowStep *step)
{
    begin(p, step->r);
    text_add(p->out, "(double)(");
    print_k(p);
    text_add(p->out, ") * ");
    print_now(p, step->a);
    end(p, step->r);
}

// k·r_k = ±Σ e_i·f_{k−i}, e being the argument's slope.
static void print_integral(const FlowPrinter *p, const FlowStep *step, int which,
                           const char *function)
{
    uint32_t result = which == 0 ? step->r : step->partner;
    begin(p, result);
    if (p->first && p->order == 0) {
        text_addf(p->out, "%s(", function);
        print_now(p, step->a);
        text_add(p->out, ")");
    } else {
        text_add(p->out, which == 0 ? "" : "-");
        print_sum(p, step, which, false, true);
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
    print_now(p, step->r);
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
        print_now(p, operands[i]);
        text_add(p->out, ");\n");
    }
    text_addf(p->out,
              "        if (k > 0 && is_flat(a) && is_flat(b) && is_flat(c)) {\n"
              "            for (size_t i = 0; i < %u; i++)\n"
              "                put(x + i, k, 0);\n            ",
              step->helpers);
    print_now(p, step->r);
    text_add(p->out, " = 0;\n        } else {\n            ");
    print_now(p, step->r);
    text_addf(p->out, " = %s;\n        }\n        put(r, k, ", series_text(step->op));
    print_now(p, step->r);
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
    if (p->first && p->order == 0) {
        text_addf(p->out, "y[%zu]", input);
    } else if (rate == PROGRAM_RATE_ONE) {
        text_add(p->out, p->first && p->order == 1 ? "1.0" : "0.0");
    } else {
        uint32_t output = p->flow->outputs[rate];
        if (p->order > 0)
            print_new(p, output, p->order - 1);
        else if (flow_moves(p, output))
            text_addf(p->out, "R%u[K - 1]", output);
        else
            text_add(p->out, "0.0");
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
        if (p->first && p->order == 0)
            continue;
        text_add(p->out, "    y[(");
        print_k(p);
        text_addf(p->out, ") * %zu + %zu] = ", count, i);
        print_now(p, flow_input(p, i));
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
    for (size_t i = begin; i < end; i++)
        print_step(p, p->flow->steps.at + i);
}

// print_flow.c: the power series of y' = f(y) as C text.
//
// Orders come in blocks of four. A product's coefficients are Σ a_i·b_{k−i}; at the beginning of
// a block all terms whose factors are both known are summed for its four orders at once, four
// neighbours of b times one a_i, with no sum across a vector. Inside the block, order after order,
// only the terms with a new factor are left, and these are written out one by one. So the vectors
// are full, trip counts do not depend on the order, and no coefficient is read as part of a vector
// right after it was written. Rows are 0 beyond the block's beginning while they are swept.
//
// A short program is one function. Of a longer one every order within a block is a function of its
// own, because a compiler's time grows faster than what it compiles.
#include "program/flow_impl.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 4 };

// A program with more sums over all orders than this is cut into functions.
enum { MOST_IN_ONE = 24 };

static const char recurrences[] =
#include "program/series_rows.txt"
    ;

typedef struct {
    const Flow *flow;
    Text *out;
    bool pieces;      // every order is a function
    bool first;       // orders 0 … 3; else K … K + 3
    unsigned order;   // within the block
    size_t row_count; // of the work array
    size_t series;    // Row structures used by FLOW_OTHER so far
    uint32_t *sweeps; // of every value: which of the block's sums is its first
} Printer;

// ---- Coefficients.

static bool moves(const Printer *p, uint32_t value)
{
    return p->flow->values.at[value].moves;
}

// What is constant in time, as a number.
static void print_flat(const Printer *p, uint32_t value)
{
    if (value < p->flow->program->constant_count)
        program_print_c_number(p->flow->program->real[value], p->out);
    else
        text_addf(p->out, p->pieces ? "F[%u]" : "f%u", value);
}

// 1/b_0 of a quotient, 1/(2·r_0) of a root.
static void print_inverse(const Printer *p, uint32_t value)
{
    text_addf(p->out, p->pieces ? "F[%u]" : "f%u", value);
}

// What stays the same for all orders: a number of F, or a name.
static void begin_constant(const Printer *p, uint32_t value)
{
    text_addf(p->out, p->pieces ? "    F[%u] = " : "    const double f%u = ", value);
}

// A coefficient of this block's order `order`.
static void print_new(const Printer *p, uint32_t value, unsigned order)
{
    if (moves(p, value) && p->pieces && order < p->order)
        text_addf(p->out, p->first ? "R%u[%u]" : "R%u[K + %u]", value, order);
    else if (moves(p, value))
        text_addf(p->out, "%c%u_%u", p->first ? 'v' : 'w', value, order);
    else if (p->first && order == 0)
        print_flat(p, value);
    else
        text_add(p->out, "0.0");
}

static void print_now(const Printer *p, uint32_t value)
{
    print_new(p, value, p->order);
}

// k, as an integer.
static void print_k(const Printer *p)
{
    text_addf(p->out, p->first ? "%u" : "K + %u", p->order);
}

static void begin(const Printer *p, uint32_t value)
{
    text_add(p->out, "    const double ");
    print_now(p, value);
    text_add(p->out, " = ");
}

// Puts the coefficient into its row where later orders need it.
static void store(const Printer *p, uint32_t value)
{
    if (!p->flow->values.at[value].stored)
        return;
    text_addf(p->out, "    R%u[", value);
    print_k(p);
    text_add(p->out, "] = ");
    print_now(p, value);
    text_add(p->out, ";\n");
}

static void end(const Printer *p, uint32_t value)
{
    text_add(p->out, ";\n");
    store(p, value);
}

// ---- Sums over all orders.

// + a_i·b_j, one new and one old where this is not the first block.
static void print_term(const Printer *p, uint32_t a, unsigned i, uint32_t b, unsigned j)
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
static void print_products(const Printer *p, uint32_t a, uint32_t b, bool first, bool last)
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
static void print_square(const Printer *p, uint32_t a, bool ends)
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
static void print_sum(const Printer *p, const FlowStep *step, int which, bool first, bool last)
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
static void print_scaled(const Printer *p, uint32_t a, uint32_t b)
{
    if (moves(p, a) || moves(p, b)) {
        print_flat(p, moves(p, a) ? b : a);
        text_add(p->out, " * ");
        print_now(p, moves(p, a) ? a : b);
    } else if (p->first && p->order == 0) {
        print_flat(p, a);
        text_add(p->out, " * ");
        print_flat(p, b);
    } else {
        text_add(p->out, "0.0");
    }
}

static void print_product_part(const Printer *p, const FlowStep *step)
{
    if (step->kind == FLOW_PRODUCT)
        print_sum(p, step, 0, true, true);
    else
        print_scaled(p, step->a, step->b);
}

static void print_arithmetic(const Printer *p, const FlowStep *step)
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
static void print_quotient(const Printer *p, const FlowStep *step)
{
    if (p->first && p->order == 0) {
        begin_constant(p, step->r);
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
static void print_root(const Printer *p, const FlowStep *step)
{
    if (p->first && p->order == 0) {
        begin(p, step->r);
        text_add(p->out, "sqrt(");
        print_now(p, step->a);
        text_add(p->out, ")");
        end(p, step->r);
        begin_constant(p, step->r);
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

static void print_slope(const Printer *p, const FlowStep *step)
{
    begin(p, step->r);
    text_add(p->out, "(double)(");
    print_k(p);
    text_add(p->out, ") * ");
    print_now(p, step->a);
    end(p, step->r);
}

// k·r_k = ±Σ e_i·f_{k−i}, e being the argument's slope.
static void print_integral(const Printer *p, const FlowStep *step, int which, const char *function)
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
static void print_other(Printer *p, const FlowStep *step)
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

static void print_step(Printer *p, const FlowStep *step)
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

static uint32_t input_value(const Printer *p, size_t input)
{
    return (uint32_t)(p->flow->program->constant_count + input);
}

static void print_input(const Printer *p, size_t input)
{
    int rate = p->flow->rates[input];
    uint32_t value = input_value(p, input);
    begin(p, value);
    if (p->first && p->order == 0) {
        text_addf(p->out, "y[%zu]", input);
    } else if (rate == PROGRAM_RATE_ONE) {
        text_add(p->out, p->first && p->order == 1 ? "1.0" : "0.0");
    } else {
        uint32_t output = p->flow->outputs[rate];
        if (p->order > 0)
            print_new(p, output, p->order - 1);
        else if (moves(p, output))
            text_addf(p->out, "R%u[K - 1]", output);
        else
            text_add(p->out, "0.0");
        text_add(p->out, " * inverse[");
        print_k(p);
        text_add(p->out, "]");
    }
    end(p, value);
}

static void print_inputs(const Printer *p)
{
    size_t count = p->flow->program->input_count;
    for (size_t i = 0; i < count; i++) {
        if (moves(p, input_value(p, i)))
            print_input(p, i);
        if (p->first && p->order == 0)
            continue;
        text_add(p->out, "    y[(");
        print_k(p);
        text_addf(p->out, ") * %zu + %zu] = ", count, i);
        print_now(p, input_value(p, i));
        text_add(p->out, ";\n");
    }
}

// ---- Blocks.

static const char parameters[] =
    "long K, double *restrict y, double *restrict work, double *restrict F, const Four *A, Row *Q, "
    "Row *Z";

static void print_order(Printer *p)
{
    print_inputs(p);
    p->series = 0;
    for (size_t i = 0; i < p->flow->steps.count; i++)
        print_step(p, p->flow->steps.at + i);
}

static const char *phase(const Printer *p)
{
    return p->first ? "first" : "later";
}

// Where orders are functions, these; the block calls them.
static void print_functions(Printer *p)
{
    for (p->order = 0; p->order < BLOCK; p->order++) {
        text_addf(p->out, "static __attribute__((noinline)) void %s_%u(%s)\n{\n", phase(p),
                  p->order, parameters);
        print_order(p);
        text_add(p->out, "}\n\n");
    }
}

static void print_orders(Printer *p)
{
    for (p->order = 0; p->order < BLOCK; p->order++) {
        if (p->pieces) {
            text_addf(p->out, "    %s_%u(K, y, work, F, A, Q, Z);\n", phase(p), p->order);
        } else {
            text_addf(p->out, "    // Order %s%u.\n", p->first ? "" : "K + ", p->order);
            print_order(p);
        }
    }
}

// What the four orders of a block can know at its beginning.
static void print_sweeps(const Printer *p)
{
    const Flow *flow = p->flow;
    for (size_t i = 0; i < flow->values.count; i++)
        if (flow->values.at[i].swept)
            text_addf(p->out, "    *(Four *)(R%zu + K) = (Four){0, 0, 0, 0};\n", i);
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        uint32_t left, right;
        for (int which = 0; flow_factors(step, which, &left, &right); which++)
            if (left == right)
                text_addf(p->out, "    A[%u] = sweep_square(R%u, K);\n",
                          p->sweeps[step->r] + (unsigned)which, left);
            else
                text_addf(p->out, "    A[%u] = sweep(R%u, R%u, K);\n",
                          p->sweeps[step->r] + (unsigned)which, left, right);
    }
}

// Past the last block one more coefficient of every input is known.
static void print_end(const Printer *p)
{
    size_t count = p->flow->program->input_count;
    for (size_t i = 0; i < count; i++) {
        int rate = p->flow->rates[i];
        if (rate < 0 || !moves(p, p->flow->outputs[rate]))
            text_addf(p->out, "    y[K * %zu + %zu] = 0.0;\n", count, i);
        else
            text_addf(p->out, "    y[K * %zu + %zu] = R%u[K - 1] * inverse[K];\n", count, i,
                      p->flow->outputs[rate]);
    }
}

// ---- What stands before.

static void print_prelude(const Printer *p, size_t most)
{
    Text *out = p->out;
    text_add(out, "#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n\n");
    program_print_c_helpers("double", out);
    text_add(out, p->flow->has_other ? recurrences : "typedef struct Row Row;\n");
    // In a place of their own: written out for every product they take the compiler longer and run
    // no faster.
    const char *manner = "static __attribute__((noinline))";
    text_add(out, "\ntypedef double Four __attribute__((vector_size(32), aligned(8), may_alias));\n"
                  "#define AT(p) (*(const Four *)(p))\n"
                  "#define ALL(x) ((Four){x, x, x, x})\n\n");
    text_addf(out,
              "// Σ a_i·b_{K+j−i} for 0 < i < K, j = 0 … 3.\n"
              "%s Four sweep(const double *a, const double *b, long K)\n{\n"
              "    Four even = ALL(a[1]) * AT(b + K - 1), odd = ALL(0.0);\n"
              "    for (long i = 2; i < K; i += 2) {\n"
              "        even += ALL(a[i]) * AT(b + K - i);\n"
              "        odd += ALL(a[i + 1]) * AT(b + K - i - 1);\n    }\n"
              "    return even + odd;\n}\n\n",
              manner);
    text_addf(out,
              "// The same for b = a: every product but the middle one stands there twice.\n"
              "%s Four sweep_square(const double *a, long K)\n{\n"
              "    const long h = K / 2;\n    Four sum = ALL(a[1]) * AT(a + K - 1);\n"
              "    for (long i = 2; i < h; i++)\n        sum += ALL(a[i]) * AT(a + K - i);\n"
              "    return 2 * sum + ALL(a[h]) * AT(a + h) * (Four){1, 2, 2, 2} +\n"
              "           ALL(a[h + 1]) * AT(a + h - 1) * (Four){0, 0, 1, 2};\n}\n\n",
              manner);
    text_add(out, "static const double inverse[] = {0");
    for (size_t k = 1; k <= most; k++)
        text_addf(out, ", 1.0 / %zu", k);
    text_add(out, "};\n\n");
}

// Names for the rows of the work array.
static void print_names(Printer *p, size_t length)
{
    const Flow *flow = p->flow;
    for (size_t i = 0; i < flow->values.count; i++)
        if (flow->values.at[i].stored && flow->values.at[i].moves)
            text_addf(p->out, "#define R%zu (work + %zu)\n", i, length * p->row_count++);
    text_add(p->out, "\n");
}

typedef struct {
    const Printer *printer;
    const FlowStep *step;
} Operands;

static void print_operand(const void *context, int which)
{
    const Operands *operands = context;
    const uint32_t values[] = {operands->step->a, operands->step->b, operands->step->c};
    print_flat(operands->printer, values[which]);
}

static void print_flat_steps(const Printer *p)
{
    const Flow *flow = p->flow;
    for (size_t i = 0; i < flow->program->input_count; i++)
        if (flow->rates[i] == PROGRAM_RATE_NONE) {
            begin_constant(p, input_value(p, i));
            text_addf(p->out, "y[%zu];\n", i);
        }
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        if (step->kind == FLOW_FLAT) {
            begin_constant(p, step->r);
            program_print_c_operation(step->op, print_operand, &(Operands){p, step}, p->out);
            text_add(p->out, ";\n");
        }
        if (step->kind == FLOW_LINEAR && step->op == PROGRAM_DIV) {
            begin_constant(p, step->r);
            text_add(p->out, "1.0 / ");
            print_flat(p, step->b);
            text_add(p->out, ";\n");
        }
    }
}

// Every step by the table has rows of its own for operands, result and helpers.
static void print_rows(Printer *p, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < p->flow->steps.count; i++)
        if (p->flow->steps.at[i].kind == FLOW_OTHER)
            count += 4 + p->flow->steps.at[i].helpers;
    if (count == 0) {
        text_add(p->out, "    Row *const Z = NULL, *const Q = NULL;\n");
        return;
    }
    text_addf(p->out, "    Row Z[1] = {{work + %zu, 0}}, Q[%zu];\n", length * p->row_count++,
              count);
    text_addf(p->out, "    for (size_t i = 0; i < %zu; i++)\n        Z->at[i] = 0;\n", length);
    text_addf(p->out,
              "    for (size_t i = 0; i < %zu; i++)\n        Q[i] = (Row){work + %zu + i * %zu, "
              "0};\n",
              count, length * p->row_count, length);
    // Operands that are not there rest.
    text_addf(p->out, "    for (size_t i = 0; i < %zu; i++)\n        work[%zu + i] = 0;\n",
              count * length, length * p->row_count);
    p->row_count += count;
}

// Numbers the sums of a block; returns how many there are.
static uint32_t number_sweeps(Printer *p)
{
    uint32_t count = 0, left, right;
    p->sweeps = base_alloc((p->flow->values.count + 1) * sizeof *p->sweeps);
    for (size_t i = 0; i < p->flow->steps.count; i++) {
        const FlowStep *step = p->flow->steps.at + i;
        if (flow_factors(step, 0, &left, &right))
            p->sweeps[step->r] = count;
        for (int which = 0; flow_factors(step, which, &left, &right); which++)
            count++;
    }
    return count;
}

static void print_function(Printer *p, const char *name, size_t length, uint32_t sweeps)
{
    Text *out = p->out;
    text_addf(out, "void %s(double *restrict y, long order, double *restrict work)\n{\n", name);
    text_addf(out, "    Four A[%u];\n    long K = 0;\n", sweeps + 1);
    if (p->pieces)
        text_addf(out, "    double F[%zu];\n", p->flow->values.count);
    p->first = true;
    print_flat_steps(p);
    print_rows(p, length);
    print_orders(p);
    text_addf(out, "    for (K = %d; K < order; K += %d) {\n", BLOCK, BLOCK);
    p->first = false;
    print_sweeps(p);
    print_orders(p);
    text_add(out, "    }\n");
    print_end(p);
    text_add(out, "}\n");
}

size_t program_print_c_flow(const Program *program, const int *rates, size_t most_order,
                            const char *name, Text *out)
{
    Flow flow;
    flow_init(&flow, program, rates);
    Printer p = {.flow = &flow, .out = out, .pieces = flow.products > MOST_IN_ONE};
    // Rows a little longer than needed do not begin at the same place of a page too often.
    size_t most = program_flow_rows(most_order) - 1, length = most + BLOCK;
    uint32_t sweeps = number_sweeps(&p);
    print_prelude(&p, most);
    print_names(&p, length);
    for (int later = 0; later < 2 && p.pieces; later++) {
        p.first = later == 0;
        print_functions(&p);
    }
    print_function(&p, name, length, sweeps);
    base_free(p.sweeps);
    flow_clear(&flow);
    return length * p.row_count + 1;
}

size_t program_flow_rows(size_t order)
{
    return (order + BLOCK - 1) / BLOCK * BLOCK + 1 + (order == 0 ? BLOCK : 0);
}

// print_flow.c: the power series of y' = f(y) as C text.
//
// Orders come in blocks of four. A product's coefficients are Σ a_i·b_{k−i}; at the beginning of
// a block all terms whose factors are both known are summed for its four orders at once, four
// neighbours of b times one a_i, with no sum across a vector. Inside the block, order after order,
// only the terms with a new factor are left, and these are written out one by one. So the vectors
// are full, trip counts do not depend on the order, and no coefficient is read as part of a vector
// right after it was written. Rows are 0 beyond the block's beginning while they are swept.
//
// A short program is one function. Of a longer one every piece of an order within a block is a
// function of its own, because a compiler's time grows faster than what it compiles.
#include "program/flow_impl.h"

// A program with more sums over all orders than this is cut into functions.
enum { MOST_IN_ONE = 64 };
// … of so many steps.
enum { PIECE = 48 };

static const char recurrences[] =
#include "program/series_rows.txt"
    ;

// ---- Blocks.

static const char parameters[] =
    "long K, double *restrict y, double *restrict work, double *restrict F, const Four *A, Row *Q, "
    "Row *Z";

static const char *phase(const FlowPrinter *p)
{
    return p->first ? "first" : "later";
}

static uint32_t piece_count(const FlowPrinter *p)
{
    size_t count = p->flow->steps.count;
    return p->piece_size == 0 ? 1 : (uint32_t)((count + p->piece_size - 1) / p->piece_size);
}

// Where pieces are functions, these; the block calls them.
static void print_functions(FlowPrinter *p)
{
    for (p->order = 0; p->order < FLOW_BLOCK; p->order++)
        for (p->piece = 0; p->piece < piece_count(p); p->piece++) {
            text_addf(p->out, "static __attribute__((noinline)) void %s_%u_%u(%s)\n{\n", phase(p),
                      p->order, p->piece, parameters);
            flow_print_order(p);
            text_add(p->out, "}\n\n");
        }
}

static void print_orders(FlowPrinter *p)
{
    for (p->order = 0; p->order < FLOW_BLOCK; p->order++) {
        for (p->piece = 0; p->piece < piece_count(p) && p->piece_size > 0; p->piece++)
            text_addf(p->out, "    %s_%u_%u(K, y, work, F, A, Q, Z);\n", phase(p), p->order,
                      p->piece);
        if (p->piece_size == 0) {
            text_addf(p->out, "    // Order %s%u.\n", p->first ? "" : "K + ", p->order);
            flow_print_order(p);
        }
    }
}

// What the four orders of a block can know at its beginning.
static void print_sweeps(const FlowPrinter *p)
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
static void print_end(const FlowPrinter *p)
{
    size_t count = p->flow->program->input_count;
    for (size_t i = 0; i < count; i++) {
        int rate = p->flow->rates[i];
        if (rate < 0 || !flow_moves(p, p->flow->outputs[rate]))
            text_addf(p->out, "    y[K * %zu + %zu] = 0.0;\n", count, i);
        else
            text_addf(p->out, "    y[K * %zu + %zu] = R%u[K - 1] * inverse[K];\n", count, i,
                      p->flow->outputs[rate]);
    }
}

// ---- What stands before.

static void print_prelude(const FlowPrinter *p, size_t most)
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
static void print_names(FlowPrinter *p, size_t length)
{
    const Flow *flow = p->flow;
    for (size_t i = 0; i < flow->values.count; i++)
        if (flow->values.at[i].stored && flow->values.at[i].moves)
            text_addf(p->out, "#define R%zu (work + %zu)\n", i, length * p->row_count++);
    text_add(p->out, "\n");
}

typedef struct {
    const FlowPrinter *printer;
    const FlowStep *step;
} Operands;

static void print_operand(const void *context, int which)
{
    const Operands *operands = context;
    const uint32_t values[] = {operands->step->a, operands->step->b, operands->step->c};
    flow_print_flat(operands->printer, values[which]);
}

static void print_flat_steps(const FlowPrinter *p)
{
    const Flow *flow = p->flow;
    for (size_t i = 0; i < flow->program->input_count; i++)
        if (flow->rates[i] == PROGRAM_RATE_NONE) {
            flow_begin_constant(p, flow_input(p, i));
            text_addf(p->out, "y[%zu];\n", i);
        }
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        if (step->kind == FLOW_FLAT) {
            flow_begin_constant(p, step->r);
            program_print_c_operation(step->op, print_operand, &(Operands){p, step}, p->out);
            text_add(p->out, ";\n");
        }
        if (step->kind == FLOW_LINEAR && step->op == PROGRAM_DIV) {
            flow_begin_constant(p, step->r);
            text_add(p->out, "1.0 / ");
            flow_print_flat(p, step->b);
            text_add(p->out, ";\n");
        }
    }
}

// Every step by the table has rows of its own for operands, result and helpers.
static void print_rows(FlowPrinter *p, size_t length)
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
static uint32_t number_sweeps(FlowPrinter *p)
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

static void print_function(FlowPrinter *p, const char *name, size_t length, uint32_t sweeps)
{
    Text *out = p->out;
    text_addf(out, "void %s(double *restrict y, long order, double *restrict work)\n{\n", name);
    text_addf(out, "    Four A[%u];\n    long K = 0;\n", sweeps + 1);
    if (p->piece_size > 0)
        text_addf(out, "    double F[%zu];\n", p->flow->values.count);
    p->first = true;
    print_flat_steps(p);
    print_rows(p, length);
    print_orders(p);
    text_addf(out, "    for (K = %d; K < order; K += %d) {\n", FLOW_BLOCK, FLOW_BLOCK);
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
    FlowPrinter p = {.flow = &flow, .out = out};
    if (flow.products > MOST_IN_ONE) {
        p.piece_size = PIECE;
        flow_cut(&flow, PIECE);
    }
    // Rows a little longer than needed do not begin at the same place of a page too often.
    size_t most = program_flow_rows(most_order) - 1, length = most + FLOW_BLOCK;
    uint32_t sweeps = number_sweeps(&p);
    print_prelude(&p, most);
    print_names(&p, length);
    for (int later = 0; later < 2 && p.piece_size > 0; later++) {
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
    return (order + FLOW_BLOCK - 1) / FLOW_BLOCK * FLOW_BLOCK + 1 + (order == 0 ? FLOW_BLOCK : 0);
}

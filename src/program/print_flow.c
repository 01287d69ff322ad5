// print_flow.c: the power series of y' = f(y) as C text.
//
// Order 0 is a function of its own: it gives the rate too, which a step needs at its end. The other
// orders come in blocks of four (print_flow_sums.c says why). A short program has words of their
// own for each order of a block, all in one function. Of a longer one each piece is one function
// for any order, because a compiler's time grows faster than what it compiles.
#include "program/flow_impl.h"
#include "program/native_impl.h"

// How many steps a piece has; from so many on equal pieces are one function. Below, code of its own
// for each is quicker by a fifth and soon compiled; above, it no longer stays in the caches.
enum { PIECE = 64, SHARED_STEPS = 2000 };

static const char recurrences[] =
#include "program/series_rows.txt"
    ;
static const char vectors[] =
#include "program/series_vectors.txt"
    ;

// ---- What stands before.

static void print_prelude(const FlowPrinter *p)
{
    Text *out = p->out;
    text_add(out, "#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n\n");
    program_print_c_helpers("double", out);
    text_add(out, "typedef struct {\n    double *at;\n    size_t last;\n} Row;\n\n");
    text_add(out, p->flow->has_other ? recurrences : "");
    text_add(out, "#ifdef __FMA__\n#define FUSED\n#endif\n");
    text_add(out, vectors);
    text_add(out, p->shares ? flow_signs : "");
    text_add(out, "static const double inverse[] = {0");
    for (size_t k = 1; k < p->length; k++)
        text_addf(out, ", 1.0 / %zu", k);
    text_add(out, "};\n\n");
}

static size_t take_room(FlowPrinter *p, size_t count)
{
    p->room += count;
    return p->room - count;
}

static size_t series_count(const FlowPrinter *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->flow->steps.count; i++)
        if (p->flow->steps.at[i].kind == FLOW_OTHER)
            count += 4 + p->flow->steps.at[i].helpers;
    return count;
}

// Names for the parts of the work array: rows, constants; sums of a long program; what steps by the
// table need, each with rows of its own for operands, result and helpers.
static void print_names(FlowPrinter *p)
{
    const Flow *flow = p->flow;
    size_t count = series_count(p);
    p->rows = base_alloc((flow->values.count + 1) * sizeof *p->rows);
    take_room(p, FLOW_BLOCK); // a vector may begin before the first row
    for (size_t i = 0; i < flow->values.count; i++)
        if ((flow->values.at[i].stored || flow->values.at[i].passed) && flow->values.at[i].moves) {
            p->rows[i] = (uint32_t)take_room(p, p->lanes ? 2 : p->length);
            text_addf(p->out, "#define R%zu (work + %u)\n", i, p->rows[i]);
        }
    p->flat = take_room(p, flow->values.count);
    text_addf(p->out, "#define F (work + %zu)\n", p->flat);
    if (p->lanes) {
        p->room = (p->room + 7) / 8 * 8; // vectors lie within lines of the cache
        flow_lanes_init(p->lanes, flow, p->length, p->room);
        take_room(p, p->lanes->room);
        text_addf(p->out, "#define A (work + %zu)\n", take_room(p, 16 * p->lanes->groups.count));
        p->packs = take_room(p, FLOW_BLOCK * flow->packs.count);
        p->vectors = take_room(p, FLOW_KEPT * flow->packs.count);
    }
    // A Row is a pointer and a count.
    text_addf(p->out, "#define Q ((Row *)(work + %zu))\n", take_room(p, 2 * count + 2));
    text_addf(p->out, "#define Z (Q + %zu)\n", count);
    text_addf(p->out, "#define SERIES (work + %zu)\n\n", take_room(p, (count + 1) * p->length));
}

// ---- Orders.

static uint32_t piece_count(const FlowPrinter *p)
{
    const Flow *flow = p->flow;
    if (p->piece_size == 0 || flow->steps.count == 0)
        return 1;
    return flow->values.at[flow->steps.at[flow->steps.count - 1].r].piece + 1;
}

// Where pieces are functions, these; `calls` of all of them follow.
static void print_functions(FlowPrinter *p, const char *name, Text *calls)
{
    bool begins = p->phase == FLOW_BEGIN;
    flow_print_pieces(p, piece_count(p), name,
                      begins ? "const double *restrict y, double *restrict work"
                             : "long N, long J, double *restrict y, double *restrict work",
                      begins ? "y, work" : "K + J, J, y, work", calls);
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
        if (step->kind == FLOW_DIVIDE && !flow->values.at[step->b].held) {
            flow_begin_constant(p, step->r);
            text_add(p->out, "1.0 / ");
            flow_print_flat(p, step->b);
            text_add(p->out, ";\n");
        }
    }
}

static void begin_series(FlowPrinter *p)
{
    size_t count = series_count(p);
    if (count == 0)
        return;
    // Operands that are not there rest.
    text_addf(p->out,
              "    for (size_t i = 0; i < %zu; i++)\n        SERIES[i] = 0;\n"
              "    for (size_t i = 0; i < %zu; i++)\n        Q[i] = (Row){SERIES + i * %zu, 0};\n",
              (count + 1) * p->length, count + 1, p->length);
}

static void print_begin(FlowPrinter *p, const char *name)
{
    Text calls = {0};
    p->phase = FLOW_BEGIN;
    p->order = 0;
    if (p->piece_size > 0)
        print_functions(p, "begin", &calls);
    text_addf(p->out,
              "void %s_begin(const double *restrict y, double *restrict work, double *restrict "
              "out)\n{\n",
              name);
    print_flat_steps(p);
    begin_series(p);
    if (p->piece_size == 0)
        flow_print_order(p);
    text_add(p->out, calls.at ? calls.at : "");
    text_clear(&calls);
    flow_print_pack_constants(p);
    for (size_t i = 0; i < p->flow->program->output_count; i++) {
        uint32_t value = p->flow->outputs[i];
        text_addf(p->out, "    out[%zu] = ", i);
        if (flow_moves(p, value))
            text_addf(p->out, "R%u[0]", value);
        else
            flow_print_flat(p, value);
        text_add(p->out, ";\n");
    }
    text_add(p->out, "}\n\n");
}

// Past the last block one more coefficient of every input is known.
static void print_end(const FlowPrinter *p)
{
    size_t count = p->flow->width;
    for (size_t i = 0; i < count; i++) {
        int rate = p->flow->rates[i];
        if (rate < 0 || !flow_moves(p, p->flow->outputs[rate]))
            text_addf(p->out, "    y[K * %zu + %zu] = 0.0;\n", count, i);
        else if (flow_is_packed(p, p->flow->outputs[rate])) {
            text_addf(p->out, "    y[K * %zu + %zu] = ", count, i);
            flow_print_in_pack(p, p->flow->outputs[rate]);
            text_add(p->out, " * inverse[K];\n");
        } else
            text_addf(p->out, "    y[K * %zu + %zu] = R%u[%s] * inverse[K];\n", count, i,
                      p->flow->outputs[rate], p->lanes ? "1" : "K - 1");
    }
    // An infinity or a NaN times 0 is a NaN.
    text_addf(p->out,
              "    Four a = ALL(0.0), b = a, c = a, d = a;\n"
              "    long i = 0, count = order * %zu;\n    y += %zu;\n"
              "    for (; i + 16 <= count; i += 16) {\n"
              "        a += AT(y + i) * 0.0;\n        b += AT(y + i + 4) * 0.0;\n"
              "        c += AT(y + i + 8) * 0.0;\n        d += AT(y + i + 12) * 0.0;\n    }\n"
              "    a += b;\n    c += d;\n    a += c;\n"
              "    double rest = (a[0] + a[1]) + (a[2] + a[3]);\n"
              "    for (; i < count; i++)\n        rest += y[i] * 0.0;\n"
              "    return rest == 0.0;\n}\n\n",
              count, count);
}

static void print_orders(FlowPrinter *p, unsigned from)
{
    for (p->order = from; p->order < FLOW_BLOCK; p->order++) {
        text_addf(p->out, "    // Order %s%u.\n", p->phase == FLOW_FIRST ? "" : "K + ", p->order);
        flow_print_order(p);
    }
}

// Order after order, each by all pieces.
static void print_long(FlowPrinter *p, const Text *calls)
{
    text_add(p->out, "    for (; K < order; K += 4) {\n");
    flow_print_sweeps(p);
    text_add(p->out, "    for (long J = K == 0; J < 4; J++) {\n");
    text_add(p->out, calls->at ? calls->at : "");
    text_add(p->out, "    if (K + J == 1)\n        meet(work);\n"
                     "    else if (J < 3)\n        share(K + J, J, work);\n    }\n    }\n");
}

static void print_short(FlowPrinter *p)
{
    text_addf(p->out, "    Four A[%zu];\n", p->flow->sums.count + 1);
    p->phase = FLOW_FIRST;
    print_orders(p, 1);
    text_addf(p->out, "    for (K = %d; K < order; K += %d) {\n", FLOW_BLOCK, FLOW_BLOCK);
    p->phase = FLOW_LATER;
    flow_print_sweeps(p);
    print_orders(p, 0);
    text_add(p->out, "    }\n");
}

static void print_rest(FlowPrinter *p, const char *name)
{
    Text calls = {0};
    p->phase = FLOW_ANY;
    p->order = 0;
    if (p->piece_size > 0) {
        flow_print_lane_tools(p);
        print_functions(p, "order", &calls);
    }
    text_addf(p->out, "int %s(double *restrict y, long order, double *restrict work)\n{\n", name);
    text_add(p->out, "    long K = 0;\n");
    if (p->piece_size > 0)
        print_long(p, &calls);
    else
        print_short(p);
    text_clear(&calls);
    print_end(p);
}

// ---- Sums of the series.

// So many vectors are summed at once.
enum { VECTORS = 3 };

// Even and odd orders by themselves, so that no term waits for the one before: with u = s² and
// E = Σ y_2m·u^m, O = Σ y_2m+1·u^m the sum is E + s·O without y_0, and its slope 2·s·E' + O +
// 2·u·O'.
static void print_some_sums(const FlowPrinter *p, size_t from, size_t width)
{
    Text *out = p->out;
    size_t at[VECTORS], count = 0;
    for (; count < VECTORS && from < width; from += 4)
        at[count++] = from + 4 <= width ? from : width - 4;
    text_add(out, "    {\n        long k = order - order % 2;\n");
    for (size_t i = 0; i < count; i++)
        text_addf(out,
                  "        Four e%zu = k > 0 ? AT(y + k * %zu + %zu) : ALL(0.0);\n"
                  "        Four f%zu = ALL(0.0), g%zu = ALL(0.0);\n"
                  "        Four o%zu = order %% 2 ? AT(y + order * %zu + %zu) : ALL(0.0);\n",
                  i, width, at[i], i, i, i, width, at[i]);
    text_add(out, "        for (k -= 2; k >= 0; k -= 2) {\n");
    for (size_t i = 0; i < count; i++)
        text_addf(out,
                  "            f%zu = FMA4(f%zu, u, e%zu);\n"
                  "            e%zu = FMA4(e%zu, u, k > 0 ? AT(y + k * %zu + %zu) : ALL(0.0));\n"
                  "            g%zu = FMA4(g%zu, u, o%zu);\n"
                  "            o%zu = FMA4(o%zu, u, AT(y + (k + 1) * %zu + %zu));\n",
                  i, i, i, i, i, width, at[i], i, i, i, i, i, width, at[i]);
    text_add(out, "        }\n");
    for (size_t i = 0; i < count; i++)
        text_addf(
            out,
            "        *(Four *)(slope + %zu) = FMA4(2.0 * u, g%zu, FMA4(2.0 * t, f%zu, o%zu));\n"
            "        *(Four *)(sum + %zu) = FMA4(t, o%zu, e%zu);\n",
            at[i], i, i, i, at[i], i, i);
    text_add(out, "    }\n");
}

static void print_sum(const FlowPrinter *p, const char *name)
{
    size_t width = p->flow->width, first = program_flow_summed(p->flow->rates, width);
    text_addf(p->out,
              "void %s_sum(const double *restrict y, long order, double s, double *restrict sum, "
              "double *restrict slope)\n{\n    const Four t = ALL(s), u = t * t;\n",
              name);
    if (first > 0)
        text_add(p->out, "    *sum = s;\n    *slope = 1;\n");
    for (size_t from = first; width >= 4 && from < width; from += (size_t)4 * VECTORS)
        print_some_sums(p, from, width);
    if (width < 4)
        text_addf(p->out,
                  "    for (long i = 0; i < %zu; i++) {\n"
                  "        double a = y[order * %zu + i], b = 0;\n"
                  "        for (long k = order - 1; k > 0; k--) {\n"
                  "            b = FMA(b, s, a);\n            a = FMA(a, s, y[k * %zu + i]);\n"
                  "        }\n        slope[i] = FMA(b, s, a);\n        sum[i] = a * s;\n    }\n"
                  "    (void)u;\n",
                  width, width, width);
    text_add(p->out, "}\n");
}

// ---- The whole.

size_t program_print_c_flow(const Program *program, const int *rates, size_t most_order,
                            const char *name, size_t *constants, Text *out)
{
    Flow flow;
    flow_init(&flow, program, rates, true);
    FlowLanes lanes = {0};
    FlowPrinter p = {.flow = &flow, .out = out};
    if (flow.sums.count > FLOW_MOST_TOGETHER) {
        p.piece_size = PIECE;
        p.lanes = &lanes;
        flow_pack(&flow);
        p.shares = flow.steps.count > SHARED_STEPS;
        flow_cut(&flow, PIECE, p.shares);
    }
    // Rows a little longer than needed do not begin at the same place of a page too often.
    p.length = program_flow_rows(most_order) - 1 + FLOW_BLOCK;
    print_prelude(&p);
    print_names(&p);
    print_begin(&p, name);
    print_rest(&p, name);
    print_sum(&p, name);
    base_free(p.rows);
    flow_lanes_clear(&lanes);
    flow_clear(&flow);
    *constants = p.flat;
    return p.room + FLOW_BLOCK;
}

size_t program_flow_rows(size_t order)
{
    return (order + FLOW_BLOCK - 1) / FLOW_BLOCK * FLOW_BLOCK + 1 + (order == 0 ? FLOW_BLOCK : 0);
}

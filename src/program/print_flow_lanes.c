// print_flow_lanes.c: sums over all orders of long programs, four of them side by side in a vector.
//
// Every sum has a lane: a group of four has the coefficients of its left factors, order after
// order, and those of its right ones. A coefficient goes to all its lanes when it is found, and all
// else is vectors. Each sum is the same sequence of operations as one that is swept by itself
// (print_flow_sums.c). Squares have groups of their own: they have half as many terms.
#include "program/flow_impl.h"

// Blocks of rows are a line of the cache apart, so that they do not begin at the same place of a
// page.
enum { LANES = FLOW_BLOCK, LINE = 8 };

static const char tools[] =
    "#ifdef __clang__\n#define QUICK\n#else\n#define QUICK __attribute__((optimize(\"O2\")))\n"
    "#endif\n"
    "// Σ a_i·b_{K+j−i} for 0 < i < K, j = 0 … 3, of two groups; b is 0 from K on. Four terms at "
    "a\n"
    "// time have seven b in common.\n"
    "#define TERM(s, x, b0, b1, b2, b3) \\\n"
    "    s##0 = FMA4(x, b0, s##0), s##1 = FMA4(x, b1, s##1), \\\n"
    "    s##2 = FMA4(x, b2, s##2), s##3 = FMA4(x, b3, s##3)\n"
    "#define LOAD(b) \\\n"
    "    const Four b##3 = AT(b + 12), b##4 = AT(b + 16), b##5 = AT(b + 20), b##6 = AT(b + 24)\n"
    "#define KEEP(s, g) \\\n"
    "    *(Four *)(A + 16 * g) = s##0, *(Four *)(A + 16 * g + 4) = s##1, \\\n"
    "    *(Four *)(A + 16 * g + 8) = s##2, *(Four *)(A + 16 * g + 12) = s##3\n"
    "QUICK static void sweep(long g, long h, long K, double *work)\n{\n"
    "    const double *a = work + groups[g].a + 4 * K, *b = work + groups[g].b + 4;\n"
    "    const double *c = work + groups[h].a + 4 * K, *e = work + groups[h].b + 4;\n"
    "    Four s0 = ALL(0.0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;\n"
    "    Four b0 = AT(b), b1 = AT(b + 4), b2 = AT(b + 8);\n"
    "    Four e0 = AT(e), e1 = AT(e + 4), e2 = AT(e + 8);\n"
    "    for (long d = 0; d < K; d += 4, a -= 16, b += 16, c -= 16, e += 16) {\n"
    "        LOAD(b);\n        LOAD(e);\n"
    "        TERM(s, AT(a - 4), b0, b1, b2, b3);\n        TERM(t, AT(c - 4), e0, e1, e2, e3);\n"
    "        TERM(s, AT(a - 8), b1, b2, b3, b4);\n        TERM(t, AT(c - 8), e1, e2, e3, e4);\n"
    "        TERM(s, AT(a - 12), b2, b3, b4, b5);\n        TERM(t, AT(c - 12), e2, e3, e4, e5);\n"
    "        TERM(s, AT(a - 16), b3, b4, b5, b6);\n        TERM(t, AT(c - 16), e3, e4, e5, e6);\n"
    "        b0 = b4, b1 = b5, b2 = b6, e0 = e4, e1 = e5, e2 = e6;\n    }\n"
    "    KEEP(s, g);\n    KEEP(t, h);\n}\n\n"
    "QUICK static void sweep_all(long K, double *work)\n{\n"
    "    for (long g = 0; g < GROUPS && K > 0; g++)\n"
    "        for (long j = 0; j < 16; j += 4)\n"
    "            *(Four *)(work + groups[g].b + 4 * K + j) = ALL(0.0);\n"
    "    for (long g = 0; g < GROUPS; g += 2)\n"
    "        sweep(g, g + 1 < GROUPS ? g + 1 : g, K, work);\n}\n\n"
    "// What the coefficients of order N = K + J give to the block's later orders.\n"
    "QUICK static void share(long N, long J, double *work)\n{\n"
    "    for (long g = 0; g < GROUPS; g++) {\n"
    "        const double *a = work + groups[g].a, *b = work + groups[g].b;\n"
    "        const Four x = AT(a + 4 * N), y = AT(b + 4 * N);\n"
    "        for (long j = J + 1; j < 4; j++) {\n"
    "            const Four s = AT(A + 16 * g + 4 * j);\n"
    "            const long i = 4 * (j - J);\n"
    "            *(Four *)(A + 16 * g + 4 * j) =\n"
    "                g < SQUARES ? FMA4(2.0 * x, AT(b + i), s)\n"
    "                            : FMA4(y, AT(a + i), FMA4(x, AT(b + i), s));\n"
    "        }\n    }\n}\n\n"
    "// After order 1: its products with each other, which both factors would give to order 2.\n"
    "static void meet(double *work)\n{\n"
    "    for (long g = 0; g < GROUPS; g++) {\n"
    "        *(Four *)(A + 16 * g + 8) = AT(work + groups[g].a + 4) * AT(work + groups[g].b + 4);\n"
    "        *(Four *)(A + 16 * g + 12) = ALL(0.0);\n    }\n}\n\n";

static bool is_square(const FlowSum *sum)
{
    return sum->left == sum->right;
}

static size_t groups_of(size_t count)
{
    return (count + LANES - 1) / LANES;
}

static void add_lane(FlowLanes *lanes, uint32_t value, size_t place)
{
    FlowLane lane = {(uint32_t)place, lanes->first[value]};
    array_push(&lanes->all, lane);
    lanes->first[value] = (uint32_t)lanes->all.count;
}

void flow_lanes_init(FlowLanes *lanes, const Flow *flow, size_t length, size_t at)
{
    size_t count = flow->sums.count, block = LANES * length + LINE, squares = 0, used[2] = {0};
    for (size_t i = 0; i < count; i++)
        squares += is_square(flow->sums.at + i);
    *lanes = (FlowLanes){.squares = groups_of(squares), .at = at, .block = block};
    lanes->groups = lanes->squares + groups_of(count - squares);
    lanes->room = block * (lanes->squares + 2 * (lanes->groups - lanes->squares));
    lanes->slots = base_alloc((count + 1) * sizeof *lanes->slots);
    lanes->first = base_alloc((flow->values.count + 1) * sizeof *lanes->first);
    for (size_t i = 0; i < count; i++) {
        const FlowSum *sum = flow->sums.at + i;
        bool square = is_square(sum);
        size_t nth = used[square]++, lane = nth % LANES;
        size_t group = nth / LANES + (square ? 0 : lanes->squares);
        lanes->slots[i] = (uint32_t)(group * LANES * FLOW_BLOCK + lane);
        add_lane(lanes, sum->left, flow_lanes_left(lanes, group) + lane);
        if (!square)
            add_lane(lanes, sum->right, flow_lanes_left(lanes, group) + block + lane);
    }
}

void flow_lanes_clear(FlowLanes *lanes)
{
    base_free(lanes->slots);
    base_free(lanes->first);
    array_clear(&lanes->all);
}

// Where the left factors of a group begin.
size_t flow_lanes_left(const FlowLanes *lanes, size_t group)
{
    size_t squares = group < lanes->squares ? group : lanes->squares;
    return lanes->at + lanes->block * (squares + 2 * (group - squares));
}

void flow_print_lane_tools(const FlowPrinter *p)
{
    const FlowLanes *lanes = p->lanes;
    text_addf(p->out, "enum { GROUPS = %zu, SQUARES = %zu };\n", lanes->groups, lanes->squares);
    text_add(p->out, "static const struct {\n    int a, b;\n} groups[GROUPS] = {");
    for (size_t g = 0; g < lanes->groups; g++) {
        size_t left = flow_lanes_left(lanes, g);
        text_addf(p->out, "%s{%zu, %zu}", g == 0 ? "" : ", ", left,
                  left + (g < lanes->squares ? 0 : lanes->block));
    }
    text_add(p->out, "};\n\n");
    text_add(p->out, tools);
}

void flow_print_lane_stores(const FlowPrinter *p, uint32_t value)
{
    const FlowLanes *lanes = p->lanes;
    for (uint32_t at = lanes ? lanes->first[value] : 0; at > 0; at = lanes->all.at[at - 1].next) {
        text_addf(p->out, "    work[%u", lanes->all.at[at - 1].place);
        text_add(p->out, p->phase == FLOW_BEGIN ? "] = " : " + 4 * N] = ");
        flow_print_now(p, value);
        text_add(p->out, ";\n");
    }
}

// print_flow_lanes.c: sums over all orders of long programs, four of them side by side in a vector.
//
// Every sum has a lane: a group of four has the coefficients of its left factors, order after
// order, and those of its right ones. A coefficient goes to all its lanes when it is found, and all
// else is vectors. Each sum is the same sequence of operations as one that is swept by itself
// (print_flow_sums.c), but squares have groups of their own and half as many terms. The sums of
// a pack are one group; groups whose factors are the same have the same rows.
#include "program/flow_impl.h"

#include <string.h>

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
    "// The same of squares: the products of two different coefficients once, then all twice.\n"
    "#define MIDDLE(s, b, x, y) \\\n"
    "    s##0 = FMA4(x, b##0, s##0), s##1 = FMA4(x, b##1, s##1), \\\n"
    "    s##2 = FMA4(0.5 * x, x, s##2), s##0 = FMA4(0.5 * y, y, s##0), \\\n"
    "    s##0 += s##0, s##1 += s##1, s##2 += s##2, s##3 += s##3\n"
    "QUICK static void sweep_squares(long g, long h, long K, double *work)\n{\n"
    "    const double *a = work + groups[g].a + 4 * K, *b = work + groups[g].a + 4;\n"
    "    const double *c = work + groups[h].a + 4 * K, *e = work + groups[h].a + 4;\n"
    "    Four s0 = ALL(0.0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;\n"
    "    Four b0 = AT(b), b1 = AT(b + 4), b2 = AT(b + 8);\n"
    "    Four e0 = AT(e), e1 = AT(e + 4), e2 = AT(e + 8);\n"
    "    for (long d = 4; d < K; d += 4, a -= 8, b += 8, c -= 8, e += 8) {\n"
    "        const Four b3 = AT(b + 12), b4 = AT(b + 16), e3 = AT(e + 12), e4 = AT(e + 16);\n"
    "        TERM(s, AT(a - 4), b0, b1, b2, b3);\n        TERM(t, AT(c - 4), e0, e1, e2, e3);\n"
    "        TERM(s, AT(a - 8), b1, b2, b3, b4);\n        TERM(t, AT(c - 8), e1, e2, e3, e4);\n"
    "        b0 = b2, b1 = b3, b2 = b4, e0 = e2, e1 = e3, e2 = e4;\n    }\n"
    "    if (K > 0) {\n"
    "        MIDDLE(s, b, AT(a - 4), AT(a - 8));\n        MIDDLE(t, e, AT(c - 4), AT(c - 8));\n"
    "    }\n"
    "    KEEP(s, g);\n    KEEP(t, h);\n}\n\n"
    "QUICK static void sweep_all(long K, double *work)\n{\n"
    "    for (long i = 0; i < ROWS && K > 0; i++)\n"
    "        for (long j = 0; j < 16; j += 4)\n"
    "            *(Four *)(ROW(i) + 4 * K + j) = ALL(0.0);\n"
    "    for (long g = 0; g < SQUARES; g += 2)\n"
    "        sweep_squares(g, g + 1 < SQUARES ? g + 1 : g, K, work);\n"
    "    for (long g = SQUARES; g < GROUPS; g += 2)\n"
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

static void add_lane(FlowLanes *lanes, uint32_t value, size_t place, bool whole)
{
    FlowLane lane = {(uint32_t)place, lanes->first[value], whole};
    array_push(&lanes->all, lane);
    lanes->first[value] = (uint32_t)lanes->all.count;
}

// Whether these are the lanes of a pack.
static bool is_pack(const Flow *flow, const uint32_t *values)
{
    uint32_t pack = flow->values.at[values[0]].pack;
    return pack != FLOW_NONE &&
           memcmp(flow->packs.at[pack].lanes, values, sizeof flow->packs.at[pack].lanes) == 0;
}

// The rows of four values, FLOW_NONE for none; where there are some of them they are these.
static uint32_t rows_of(FlowLanes *lanes, const Flow *flow, const uint32_t *values)
{
    bool whole = is_pack(flow, values);
    for (uint32_t at = values[0] == FLOW_NONE ? 0 : lanes->first[values[0]]; at > 0;
         at = lanes->all.at[at - 1].next) {
        size_t row = (lanes->all.at[at - 1].place - lanes->at) / lanes->block;
        if (memcmp(lanes->rows.at[row].values, values, sizeof lanes->rows.at[row].values) == 0)
            return lanes->rows.at[row].place;
    }
    FlowRows rows = {.place = (uint32_t)(lanes->at + lanes->rows.count * lanes->block)};
    memcpy(rows.values, values, sizeof rows.values);
    array_push(&lanes->rows, rows);
    for (size_t i = 0; i < LANES; i++)
        if (values[i] != FLOW_NONE)
            add_lane(lanes, values[i], rows.place + i, whole);
    return rows.place;
}

// Four sums, of which the first `count` are; their slots.
static void add_group(FlowLanes *lanes, const Flow *flow, const uint32_t *sums, size_t count)
{
    uint32_t left[LANES], right[LANES];
    bool square = is_square(flow->sums.at + sums[0]);
    for (size_t i = 0; i < LANES; i++) {
        bool there = i < count;
        left[i] = there ? flow->sums.at[sums[i]].left : FLOW_NONE;
        right[i] = there ? flow->sums.at[sums[i]].right : FLOW_NONE;
        if (there)
            lanes->slots[sums[i]] = (uint32_t)(lanes->groups.count * LANES * FLOW_BLOCK + i);
    }
    FlowGroup group = {.left = rows_of(lanes, flow, left)};
    group.right = square ? group.left : rows_of(lanes, flow, right);
    array_push(&lanes->groups, group);
}

// The sums of a pack's steps, the first lane's being `sums` + `which` and the others following; a
// lane that fills up is like the last one.
static void add_pack(FlowLanes *lanes, const Flow *flow, uint32_t first, uint32_t apart,
                     uint32_t count)
{
    uint32_t sums[LANES];
    for (uint32_t i = LANES; i-- > 0;)
        sums[i] = first + (i < count ? i : count - 1) * apart;
    add_group(lanes, flow, sums, LANES);
    for (uint32_t i = 0; i < count; i++)
        lanes->slots[sums[i]] = (uint32_t)((lanes->groups.count - 1) * LANES * FLOW_BLOCK + i);
}

// Those of squares, or the others.
static void add_groups(FlowLanes *lanes, const Flow *flow, bool squares)
{
    uint32_t sums[LANES], next = 0, left, right;
    size_t count = 0;
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        const FlowValue *value = flow->values.at + step->r;
        uint32_t first = next, own = 0;
        while (flow_factors(step, (int)own, &left, &right))
            own++;
        next += own;
        for (uint32_t which = 0; which < own; which++) {
            if (is_square(flow->sums.at + first + which) != squares)
                continue;
            if (value->pack == FLOW_NONE) {
                sums[count++] = first + which;
            } else if (value->lane == 0) {
                add_pack(lanes, flow, first + which, own, flow->packs.at[value->pack].count);
            }
            if (count == LANES) {
                add_group(lanes, flow, sums, count);
                count = 0;
            }
        }
    }
    if (count > 0)
        add_group(lanes, flow, sums, count);
}

void flow_lanes_init(FlowLanes *lanes, const Flow *flow, size_t length, size_t at)
{
    *lanes = (FlowLanes){.at = at, .block = LANES * length + LINE};
    lanes->slots = base_alloc((flow->sums.count + 1) * sizeof *lanes->slots);
    lanes->first = base_alloc((flow->values.count + 1) * sizeof *lanes->first);
    add_groups(lanes, flow, true);
    lanes->squares = lanes->groups.count;
    add_groups(lanes, flow, false);
    lanes->room = lanes->block * lanes->rows.count;
}

void flow_lanes_clear(FlowLanes *lanes)
{
    base_free(lanes->slots);
    base_free(lanes->first);
    array_clear(&lanes->groups);
    array_clear(&lanes->rows);
    array_clear(&lanes->all);
}

void flow_print_lane_tools(const FlowPrinter *p)
{
    const FlowLanes *lanes = p->lanes;
    text_addf(p->out, "enum { GROUPS = %zu, SQUARES = %zu, ROWS = %zu };\n", lanes->groups.count,
              lanes->squares, lanes->rows.count);
    text_add(p->out, "static const struct {\n    int a, b;\n} groups[GROUPS] = {");
    for (size_t g = 0; g < lanes->groups.count; g++)
        text_addf(p->out, "%s{%u, %u}", g == 0 ? "" : ", ", lanes->groups.at[g].left,
                  lanes->groups.at[g].right);
    text_add(p->out, "};\n\n");
    text_addf(p->out, "#define ROW(i) (work + %zu + %zu * (i))\n", lanes->at, lanes->block);
    text_add(p->out, tools);
}

void flow_print_lane_stores(const FlowPrinter *p, uint32_t value)
{
    const FlowLanes *lanes = p->lanes;
    for (uint32_t at = lanes ? lanes->first[value] : 0; at > 0; at = lanes->all.at[at - 1].next) {
        if (lanes->all.at[at - 1].whole && p->phase != FLOW_BEGIN)
            continue;
        text_addf(p->out, "    work[%u", lanes->all.at[at - 1].place);
        text_add(p->out, p->phase == FLOW_BEGIN ? "] = " : " + 4 * N] = ");
        flow_print_now(p, value);
        text_add(p->out, ";\n");
    }
}

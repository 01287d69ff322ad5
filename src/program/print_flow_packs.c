// print_flow_packs.c: the steps of a pack as C text: one vector for four coefficients, each the
// same sequence of operations as that of a step by itself.
#include "program/flow_impl.h"

#include <string.h>

// What a pack keeps of order 0: so many vectors, in this order.
enum { KEPT_X, KEPT_Y, KEPT_FACTOR, KEPT, LANES = FLOW_BLOCK };

bool flow_is_packed(const FlowPrinter *p, uint32_t value)
{
    return p->phase == FLOW_ANY && p->flow->values.at[value].pack != FLOW_NONE;
}

// ---- Vectors.

static bool is_pack(const Flow *flow, const uint32_t *values)
{
    uint32_t pack = flow->values.at[values[0]].pack;
    return pack != FLOW_NONE &&
           memcmp(flow->packs.at[pack].lanes, values, sizeof flow->packs.at[pack].lanes) == 0;
}

// The coefficients at hand of four values.
static void print_four(const FlowPrinter *p, const uint32_t *values)
{
    const Flow *flow = p->flow;
    bool same = true, moves = false;
    for (size_t i = 0; i < LANES; i++) {
        same = same && values[i] == values[0];
        moves = moves || flow_moves(p, values[i]);
    }
    const FlowValue *first = flow->values.at + values[0];
    if (moves && is_pack(flow, values) && first->piece == p->piece) {
        text_addf(p->out, "q%u", first->pack);
    } else if (moves && is_pack(flow, values)) {
        text_addf(p->out, "AT(work + %zu)", p->packs + (size_t)LANES * first->pack);
    } else if (same || !moves) {
        text_add(p->out, "ALL(");
        flow_print_now(p, values[0]);
        text_add(p->out, ")");
    } else {
        for (size_t i = 0; i < LANES; i++) {
            text_add(p->out, i == 0 ? "((Four){" : ", ");
            flow_print_now(p, values[i]);
        }
        text_add(p->out, "})");
    }
}

// ---- Sums.

typedef struct {
    const FlowPrinter *printer;
    const FlowStep *lanes[LANES];
} PackedStep;

static PackedStep lanes_of(const FlowPrinter *p, const FlowStep *first)
{
    uint32_t count = p->flow->packs.at[p->flow->values.at[first->r].pack].count;
    PackedStep packed = {.printer = p};
    for (uint32_t i = 0; i < LANES; i++)
        packed.lanes[i] = first + (i < count ? i : count - 1);
    return packed;
}

static void print_end(const FlowPrinter *p, const uint32_t *fresh, uint32_t old, bool twice)
{
    text_add(p->out, twice ? "FMA4(2.0 * " : "FMA4(");
    print_four(p, fresh);
    text_addf(p->out, ", AT(work + %u), ", old);
}

// With the ends that belong to it.
static void print_sum(const PackedStep *packed, char name, int which)
{
    const FlowPrinter *p = packed->printer;
    const FlowStep *first = packed->lanes[0];
    uint32_t left[LANES], right[LANES], slot = p->lanes->slots[first->sum + (uint32_t)which];
    const FlowGroup *group = p->lanes->groups.at + slot / (LANES * FLOW_BLOCK);
    int ends = flow_ends(first), closed = 0;
    for (size_t i = 0; i < LANES; i++)
        flow_factors(packed->lanes[i], which, left + i, right + i);
    bool square = left[0] == right[0];
    text_addf(p->out, "    const Four %c%u = ", name, first->r);
    if (ends > 2 && !square) {
        print_end(p, right, group->left, false);
        closed++;
    }
    if (ends > 1) {
        print_end(p, left, group->right, square);
        closed++;
    }
    text_addf(p->out, "AT(A + %u + 4 * J)", slot);
    text_add(p->out, closed == 2 ? "));\n" : closed == 1 ? ");\n" : ";\n");
}

// ---- Steps.

static void print_kept(const FlowPrinter *p, uint32_t pack, size_t which)
{
    text_addf(p->out, "AT(work + %zu)", p->vectors + LANES * (KEPT * (size_t)pack + which));
}

static void print_operand(const PackedStep *packed, int letter)
{
    uint32_t values[LANES];
    for (size_t i = 0; i < LANES; i++) {
        const FlowStep *step = packed->lanes[i];
        values[i] = letter == 'a' ? step->a : letter == 'b' ? step->b : step->c;
    }
    print_four(packed->printer, values);
}

// What a letter of a kind's text stands for.
static void print_letter(const void *context, int letter)
{
    const PackedStep *packed = context;
    const FlowPrinter *p = packed->printer;
    const FlowStep *first = packed->lanes[0];
    uint32_t pack = p->flow->values.at[first->r].pack;
    switch ('a' + letter) {
    case 'a':
    case 'b':
    case 'c': print_operand(packed, 'a' + letter); break;
    case 'f': print_kept(p, pack, KEPT_FACTOR); break;
    case 's':
    case 't': text_addf(p->out, "%c%u", 'a' + letter, first->r); break;
    case 'w':
        text_add(p->out, "ALL(");
        program_print_c_number(first->power + 1, p->out);
        text_add(p->out, ")");
        break;
    case 'x': print_kept(p, pack, KEPT_X); break;
    case 'y': print_kept(p, pack, KEPT_Y); break;
    case 'k': text_add(p->out, "ALL((double)N)"); break;
    default: text_add(p->out, "ALL(inverse[N])"); break;
    }
}

// The text of a kind, with fused products of vectors.
static void print_value(const PackedStep *packed)
{
    Text *out = packed->printer->out;
    for (const char *text = flow_kind_text(packed->lanes[0]->kind); *text;) {
        char piece[2] = {*text, 0};
        if (strncmp(text, "FMA(", 4) == 0) {
            text_add(out, "FMA4(");
            text += 4;
        } else {
            program_print_c_text(piece, print_letter, packed, out);
            text++;
        }
    }
}

void flow_print_pack(const FlowPrinter *p, const FlowStep *first)
{
    const FlowLanes *lanes = p->lanes;
    PackedStep packed = lanes_of(p, first);
    uint32_t pack = p->flow->values.at[first->r].pack;
    if (flow_ends(first) > 0)
        print_sum(&packed, 's', 0);
    if (first->kind == FLOW_POWER)
        print_sum(&packed, 't', 1);
    text_addf(p->out, "    const Four q%u = ", pack);
    print_value(&packed);
    text_addf(p->out, ";\n    *(Four *)(work + %zu) = q%u;\n", p->packs + (size_t)LANES * pack,
              pack);
    for (uint32_t at = lanes->first[first->r]; at > 0; at = lanes->all.at[at - 1].next)
        if (lanes->all.at[at - 1].whole)
            text_addf(p->out, "    *(Four *)(work + %u + 4 * N) = q%u;\n",
                      lanes->all.at[at - 1].place, pack);
    for (uint32_t i = 0; i < p->flow->packs.at[pack].count; i++)
        flow_print_lane_stores(p, packed.lanes[i]->r);
}

// ---- After order 0.

static void print_constant(const FlowPrinter *p, uint32_t pack, size_t which, size_t lane,
                           uint32_t value)
{
    text_addf(p->out,
              "    work[%zu] = ", p->vectors + LANES * (KEPT * (size_t)pack + which) + lane);
    flow_print_flat(p, value);
    text_add(p->out, ";\n");
}

static void print_lane_constants(const FlowPrinter *p, uint32_t pack, size_t lane,
                                 const FlowStep *step)
{
    bool scales = step->kind >= FLOW_SCALE && step->kind <= FLOW_SUB_SCALE;
    if (step->kind == FLOW_QUOTIENT || step->kind == FLOW_DIVIDE || step->kind == FLOW_POWER)
        print_constant(p, pack, KEPT_X, lane, step->r);
    if (step->kind == FLOW_POWER)
        print_constant(p, pack, KEPT_Y, lane, step->kept);
    if (scales)
        print_constant(p, pack, KEPT_FACTOR, lane, step->a);
}

void flow_print_pack_constants(const FlowPrinter *p)
{
    const Flow *flow = p->flow;
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *first = flow->steps.at + i;
        const FlowValue *value = flow->values.at + first->r;
        if (value->pack == FLOW_NONE || value->lane > 0)
            continue;
        PackedStep packed = lanes_of(p, first);
        for (size_t lane = 0; lane < LANES; lane++)
            print_lane_constants(p, value->pack, lane, packed.lanes[lane]);
    }
}

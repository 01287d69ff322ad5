// flow_packs.c: steps that do the same with different values, four side by side.
//
// A system of many like parts, as bodies that attract each other in pairs, has the same steps again
// and again. Steps of one shape, which is that of all that they are made of, stand side by side in
// a vector where their operands do. One lies as deep in the program as the other, so that none
// depends on the other, and in the order of their depth every pack comes behind what it reads.
//
// The search begins with the steps that have sums over all orders, those that are fewest alike
// first: what they read is packed in their order, and so is what reads them. (S. Larsen, S.
// Amarasinghe, Exploiting superword level parallelism, PLDI 2000.)
#include "program/flow_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 4 };

typedef struct {
    Flow *flow;
    uint32_t *step_of;         // of every value: the step that makes it, or FLOW_NONE
    uint64_t *shapes;          // of every value
    uint32_t *depths;          // of every value
    uint32_t *begins, *users;  // of every value: the steps that read it
    ARRAY(uint32_t) unvisited; // packs whose users were not looked at
} Packing;

static void operands_of(const FlowStep *step, uint32_t *operands)
{
    const uint32_t all[OPERANDS] = {step->a, step->b, step->c, step->slope};
    memcpy(operands, all, sizeof all);
}

// ---- Shapes.

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static void find_shape(Packing *packing, const FlowStep *step)
{
    uint32_t operands[OPERANDS], depth = 0;
    uint64_t shape = mix((uint64_t)step->kind + 3, (uint64_t)(int64_t)(8 * step->power));
    operands_of(step, operands);
    for (size_t i = 0; i < OPERANDS; i++) {
        bool none = operands[i] == FLOW_NONE;
        shape = mix(shape, none ? 0 : packing->shapes[operands[i]]);
        depth = none || packing->depths[operands[i]] < depth ? depth : packing->depths[operands[i]];
    }
    if (step->below != FLOW_NONE && packing->depths[step->below] > depth)
        depth = packing->depths[step->below];
    bool flat = step->kind == FLOW_FLAT;
    packing->shapes[step->r] = flat || step->kind == FLOW_HELD ? 1 : shape;
    packing->depths[step->r] = flat ? 0 : depth + 1;
    if (step->kind == FLOW_WAVE) {
        packing->shapes[step->partner] = mix(shape, 1);
        packing->depths[step->partner] = depth + 1;
    }
}

static void find_users(Packing *packing)
{
    const Flow *flow = packing->flow;
    uint32_t operands[OPERANDS];
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = flow->steps.count; i-- > 0;) {
            operands_of(flow->steps.at + i, operands);
            for (size_t j = 0; j < OPERANDS; j++) {
                if (operands[j] == FLOW_NONE)
                    continue;
                if (fill)
                    packing->users[--packing->begins[operands[j]]] = (uint32_t)i;
                else
                    packing->begins[operands[j]]++;
            }
        }
        // The end of each value's, then, by taking from it, the beginning.
        for (size_t i = 1; i <= flow->values.count && !fill; i++)
            packing->begins[i] += packing->begins[i - 1];
    }
}

static void open(Packing *packing, Flow *flow)
{
    size_t count = flow->values.count + 1;
    *packing = (Packing){.flow = flow};
    packing->step_of = base_alloc(count * sizeof *packing->step_of);
    packing->shapes = base_alloc(count * sizeof *packing->shapes);
    packing->depths = base_alloc(count * sizeof *packing->depths);
    packing->begins = base_alloc(count * sizeof *packing->begins);
    packing->users = base_alloc((OPERANDS * flow->steps.count + 1) * sizeof *packing->users);
    memset(packing->step_of, 0xFF, count * sizeof *packing->step_of);
    for (size_t i = 0; i < flow->values.count; i++)
        packing->shapes[i] = flow->values.at[i].moves ? 2 : 1;
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        packing->step_of[step->r] = (uint32_t)i;
        find_shape(packing, step);
    }
    find_users(packing);
}

static void close(Packing *packing)
{
    void *const parts[] = {packing->step_of, packing->shapes, packing->depths, packing->begins,
                           packing->users};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        base_free(parts[i]);
    array_clear(&packing->unvisited);
}

// ---- Packs.

// Whether the step that makes a value can stand in a pack, and is in none.
static bool is_free(const Packing *packing, uint32_t value)
{
    if (value == FLOW_NONE || packing->step_of[value] == FLOW_NONE ||
        packing->flow->values.at[value].pack != FLOW_NONE)
        return false;
    const FlowStep *step = packing->flow->steps.at + packing->step_of[value];
    switch (step->kind) {
    case FLOW_FLAT:
    case FLOW_HELD:
    case FLOW_WAVE:
    case FLOW_RATIO:
    case FLOW_ROOT:
    case FLOW_OTHER: return false;
    default: return !step->begins;
    }
}

static bool holds(const uint32_t *values, size_t count, uint32_t value)
{
    bool held = false;
    for (size_t i = 0; i < count; i++)
        held = held || values[i] == value;
    return held;
}

// Packs these, and what they read, where that is possible.
static void pack(Packing *packing, const uint32_t *values, size_t count)
{
    Flow *flow = packing->flow;
    FlowPack made = {.count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        if (!is_free(packing, values[i]) || holds(values, i, values[i]) ||
            packing->shapes[values[i]] != packing->shapes[values[0]])
            return;
    for (size_t i = 0; i < FLOW_BLOCK; i++)
        made.lanes[i] = values[i < count ? i : count - 1];
    uint32_t name = (uint32_t)flow->packs.count;
    array_push(&flow->packs, made);
    array_push(&packing->unvisited, name);
    uint32_t operands[FLOW_BLOCK][OPERANDS], read[FLOW_BLOCK];
    for (size_t i = 0; i < count; i++) {
        flow->values.at[values[i]].pack = name;
        flow->values.at[values[i]].lane = (uint32_t)i;
        operands_of(flow->steps.at + packing->step_of[values[i]], operands[i]);
    }
    for (size_t j = 0; j < OPERANDS; j++) {
        for (size_t i = 0; i < count; i++)
            read[i] = operands[i][j];
        pack(packing, read, count);
    }
}

// Whether `other` reads as lane `lane` what `first` reads as lane 0 of the same packs.
static bool reads_alike(const Packing *packing, const FlowStep *first, const FlowStep *other,
                        size_t lane)
{
    uint32_t a[OPERANDS], b[OPERANDS];
    if (packing->shapes[first->r] != packing->shapes[other->r])
        return false;
    operands_of(first, a);
    operands_of(other, b);
    for (size_t i = 0; i < OPERANDS; i++) {
        if (a[i] == b[i])
            continue;
        const FlowValue *one = packing->flow->values.at + a[i];
        const FlowValue *two = packing->flow->values.at + b[i];
        bool packed = one->pack != FLOW_NONE || two->pack != FLOW_NONE;
        if (packed && (one->pack != two->pack || one->lane != 0 || two->lane != lane))
            return false;
    }
    return true;
}

// What reads a pack in the same way in all its lanes.
static void pack_users(Packing *packing, uint32_t name)
{
    const Flow *flow = packing->flow;
    FlowPack of = flow->packs.at[name];
    uint32_t values[FLOW_BLOCK], first = of.lanes[0];
    for (uint32_t i = packing->begins[first]; i < packing->begins[first + 1]; i++) {
        const FlowStep *step = flow->steps.at + packing->users[i];
        size_t count = 1;
        values[0] = step->r;
        if (!is_free(packing, step->r))
            continue;
        for (; count < of.count; count++) {
            uint32_t lane = of.lanes[count], at = packing->begins[lane];
            const FlowStep *other = NULL;
            for (; at < packing->begins[lane + 1]; at++) {
                other = flow->steps.at + packing->users[at];
                if (is_free(packing, other->r) && !holds(values, count, other->r) &&
                    reads_alike(packing, step, other, count))
                    break;
            }
            if (at == packing->begins[lane + 1])
                break;
            values[count] = other->r;
        }
        if (count == of.count)
            pack(packing, values, count);
    }
}

// ---- Where to begin.

typedef struct {
    uint64_t shape;
    uint32_t value, alike, first; // how many there are, and which is the first of them
} Seed;

static int compare_shapes(const void *a, const void *b)
{
    const Seed *one = a, *two = b;
    if (one->shape != two->shape)
        return one->shape < two->shape ? -1 : 1;
    return one->value < two->value ? -1 : one->value > two->value;
}

static int compare_seeds(const void *a, const void *b)
{
    const Seed *one = a, *two = b;
    if (one->alike != two->alike)
        return one->alike < two->alike ? -1 : 1;
    if (one->first != two->first)
        return one->first < two->first ? -1 : 1;
    return one->value < two->value ? -1 : one->value > two->value;
}

static Seed *find_seeds(const Packing *packing, size_t *count)
{
    const Flow *flow = packing->flow;
    Seed *seeds = base_alloc((flow->steps.count + 1) * sizeof *seeds);
    uint32_t left, right;
    *count = 0;
    for (size_t i = 0; i < flow->steps.count; i++)
        if (flow_factors(flow->steps.at + i, 0, &left, &right)) {
            uint32_t value = flow->steps.at[i].r;
            seeds[(*count)++] = (Seed){.shape = packing->shapes[value], .value = value};
        }
    qsort(seeds, *count, sizeof *seeds, compare_shapes);
    for (size_t i = 0, end; i < *count; i = end) {
        for (end = i; end < *count && seeds[end].shape == seeds[i].shape; end++)
            seeds[end].first = seeds[i].value;
        for (size_t j = i; j < end; j++)
            seeds[j].alike = (uint32_t)(end - i);
    }
    qsort(seeds, *count, sizeof *seeds, compare_seeds);
    return seeds;
}

static void find_packs(Packing *packing)
{
    size_t count;
    Seed *seeds = find_seeds(packing, &count);
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t values[FLOW_BLOCK];
        size_t taken = 0;
        for (end = i; end < count && seeds[end].shape == seeds[i].shape; end++) {
            if (is_free(packing, seeds[end].value))
                values[taken++] = seeds[end].value;
            bool last = end + 1 == count || seeds[end + 1].shape != seeds[i].shape;
            if (taken == FLOW_BLOCK || (last && taken > 1)) {
                pack(packing, values, taken);
                taken = 0;
            }
        }
        while (packing->unvisited.count > 0)
            pack_users(packing, packing->unvisited.at[--packing->unvisited.count]);
    }
    base_free(seeds);
}

// ---- The order of steps.

typedef struct {
    uint32_t depth, first, lane, at; // first: of the pack, or the step itself, which is `at`
} SortKey;

static int compare_places(const void *a, const void *b)
{
    const SortKey *one = a, *two = b;
    if (one->depth != two->depth)
        return one->depth < two->depth ? -1 : 1;
    if (one->first != two->first)
        return one->first < two->first ? -1 : 1;
    return one->lane < two->lane ? -1 : one->lane > two->lane;
}

// By their depth, and the lanes of a pack one after the other.
static void sort_steps(const Packing *packing)
{
    Flow *flow = packing->flow;
    size_t count = flow->steps.count;
    FlowStep *former = base_alloc((count + 1) * sizeof *former);
    SortKey *places = base_alloc((count + 1) * sizeof *places);
    memcpy(former, flow->steps.at, count * sizeof *former);
    for (size_t i = 0; i < count; i++) {
        const FlowValue *value = flow->values.at + former[i].r;
        bool packed = value->pack != FLOW_NONE;
        uint32_t first =
            packed ? packing->step_of[flow->packs.at[value->pack].lanes[0]] : (uint32_t)i;
        places[i] =
            (SortKey){packing->depths[former[i].r], first, packed ? value->lane : 0, (uint32_t)i};
    }
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++)
        flow->steps.at[i] = former[places[i].at];
    base_free(places);
    base_free(former);
}

// How many sums stand in packs.
static size_t packed_sums(const Flow *flow)
{
    size_t count = 0;
    uint32_t left, right;
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        for (int which = 0;
             flow->values.at[step->r].pack != FLOW_NONE && flow_factors(step, which, &left, &right);
             which++)
            count++;
    }
    return count;
}

void flow_pack(Flow *flow)
{
    Packing packing;
    assert(flow->packs.count == 0);
    open(&packing, flow);
    find_packs(&packing);
    // Unless most of the work is in packs, steps stay where what they read is at hand.
    if (4 * packed_sums(flow) >= 3 * flow->sums.count) {
        sort_steps(&packing);
        flow_find_sums(flow);
    } else {
        flow->packs.count = 0;
        for (size_t i = 0; i < flow->values.count; i++)
            flow->values.at[i].pack = FLOW_NONE;
    }
    close(&packing);
}

// flow_pieces.c: the steps of a long program in pieces, of which each becomes a function.
//
// The links of a chain have the same steps, pass after pass. Where steps look like those a while
// before, at least twice in a row, a piece is what repeats, so that print_flow_shared.c finds equal
// pieces; elsewhere a piece has so many steps. How steps look is only a guess: what is shared is
// decided by the text.
#include "base/strings.h"
#include "program/flow_impl.h"

// What repeats has so many units; pieces that are shared have at least as many as the third number.
enum { LEAST_PERIOD = 4, MOST_PERIOD = 1024, LEAST_PIECE = 24, NEAR = 64 };

// A step, or the steps of a pack.
typedef struct {
    size_t begin, end;
    uint64_t look;
} Unit;

// Where a sign is the other one a step looks the same.
static FlowKind kind_of(const FlowStep *step)
{
    switch (step->kind) {
    case FLOW_SUB: return FLOW_ADD;
    case FLOW_SUB_PRODUCT: return FLOW_PRODUCT_ADD;
    case FLOW_SUB_SCALE: return FLOW_SCALE_ADD;
    default: return step->kind;
    }
}

static ProgramOp operation_of(const FlowStep *step)
{
    switch ((ProgramOp)step->op) {
    case PROGRAM_SUB: return PROGRAM_ADD;
    case PROGRAM_SUB_MUL: return PROGRAM_MUL_ADD;
    default: return (ProgramOp)step->op;
    }
}

// Operands a few steps before are those of the same part; others are somewhere.
static uint64_t look_of(const Flow *flow, const FlowStep *step)
{
    const uint32_t operands[] = {step->a, step->b, step->c, step->slope};
    uint64_t look = hash_mix((uint64_t)kind_of(step), (uint64_t)operation_of(step));
    look = hash_mix(look, (uint64_t)(int64_t)(8 * step->power));
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        uint32_t value = operands[i];
        if (value == FLOW_NONE)
            look = hash_mix(look, 1);
        else if (!flow->values.at[value].moves)
            look = hash_mix(look, 2);
        else
            look = hash_mix(look,
                            3 + (value < step->r && step->r - value < NEAR ? step->r - value : 0));
    }
    return look;
}

static Unit *find_units(const Flow *flow, size_t *count)
{
    Unit *units = base_alloc((flow->steps.count + 1) * sizeof *units);
    *count = 0;
    for (size_t i = 0; i < flow->steps.count; i++) {
        const FlowStep *step = flow->steps.at + i;
        const FlowValue *value = flow->values.at + step->r;
        if (*count == 0 || value->pack == FLOW_NONE || value->lane == 0)
            units[(*count)++] = (Unit){.begin = i};
        Unit *unit = units + *count - 1;
        unit->end = i + 1;
        unit->look = hash_mix(unit->look, look_of(flow, step));
    }
    return units;
}

// How many units from `at` on look like those so many before, and these; 0 for fewer than three
// times.
static size_t repeated(const Unit *units, size_t count, size_t at, size_t period)
{
    size_t same = 0;
    while (at + period + same < count && units[at + same].look == units[at + period + same].look)
        same++;
    return same >= 2 * period ? (same / period + 1) * period : 0;
}

// The size of pieces from `at` on that repeat, and how many units they are; 0 where none do.
static size_t find_period(const Unit *units, size_t count, size_t at, size_t *covered)
{
    size_t best = 0, most = 0;
    for (size_t period = LEAST_PERIOD; period <= MOST_PERIOD; period++) {
        size_t cover = repeated(units, count, at, period);
        if (cover > most) {
            most = cover;
            best = period;
        }
    }
    size_t size = best;
    while (best > 0 && size < LEAST_PIECE && most / (size + best) >= 3)
        size += best;
    *covered = size > 0 ? most / size * size : 0;
    return size;
}

static void put_unit(Flow *flow, const Unit *unit, uint32_t piece)
{
    for (size_t i = unit->begin; i < unit->end; i++) {
        const FlowStep *step = flow->steps.at + i;
        const uint32_t read[] = {step->a, step->b, step->c, step->slope, step->below};
        flow->values.at[step->r].piece = piece;
        if (step->kind == FLOW_WAVE)
            flow->values.at[step->partner].piece = piece;
        for (size_t j = 0; j < sizeof read / sizeof *read; j++)
            if (read[j] != FLOW_NONE && flow->values.at[read[j]].piece != piece)
                flow->values.at[read[j]].stored = true;
    }
}

void flow_cut(Flow *flow, size_t size, bool shares)
{
    size_t count, covered = 0, own = 0, period = 0;
    Unit *units = find_units(flow, &count);
    uint32_t piece = 0;
    for (size_t i = 0; i < count; i++) {
        if (covered == 0) {
            period = shares ? find_period(units, count, i, &covered) : 0;
            piece += (covered > 0 && own > 0) || own == size;
            own = covered > 0 || own == size ? 0 : own;
        }
        put_unit(flow, units + i, piece);
        own++;
        if (covered > 0 && own == period) {
            piece++;
            own = 0;
        }
        covered -= covered > 0;
    }
    base_free(units);
}

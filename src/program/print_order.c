// print_order.c: the order of a printed program, and what goes through its array.
#include "program/print_order.h"

#include <assert.h>
#include <string.h>

static bool is_wave(const Instruction *at)
{
    return at->op == PROGRAM_SINE || at->op == PROGRAM_COSINE;
}

size_t print_order_pieces(const PrintOrder *order)
{
    return order->count ? (order->count + order->piece - 1) / order->piece : 1;
}

size_t print_order_stretch(size_t count)
{
    return (count + 3) / 4 * 4;
}

// ---- Who wrote what is read.

// Also how many sines of sines lie before each instruction; the most of these.
static uint32_t find_sources(PrintOrder *order, uint32_t *levels)
{
    const Program *program = order->program;
    uint32_t *defined = base_alloc((program->register_count + 1) * sizeof *defined), most = 0;
    memset(defined, 0xFF, program->register_count * sizeof *defined);
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *at = program->code + i;
        const uint32_t operands[PRINT_OPERANDS] = {at->a, at->b, at->c};
        for (int k = 0; k < program_operands(at->op); k++) {
            uint32_t writer = defined[operands[k]];
            order->reads[i][k] = (PrintSource){operands[k], writer};
            uint32_t level =
                writer == PRINT_NONE ? 0 : levels[writer] + is_wave(program->code + writer);
            levels[i] = level > levels[i] ? level : levels[i];
        }
        most = levels[i] > most ? levels[i] : most;
        defined[at->result] = (uint32_t)i;
    }
    for (size_t i = 0; i < program->output_count; i++)
        order->results[i] = (PrintSource){program->outputs[i], defined[program->outputs[i]]};
    base_free(defined);
    return most;
}

// ---- Sines and cosines.

static size_t find_angle(PrintOrder *order, size_t first, PrintSource angle)
{
    size_t k = first;
    for (; k < order->angles.count; k++)
        if (order->angles.at[k].place == angle.place && order->angles.at[k].writer == angle.writer)
            return k - first;
    array_push(&order->angles, angle);
    return k - first;
}

// Those of one level.
static void add_waves(PrintOrder *order, const uint32_t *levels, uint32_t level)
{
    const Program *program = order->program;
    PrintWaves waves = {.at = order->count, .first = order->angles.count, .room = order->room};
    for (size_t i = 0; i < program->code_count; i++)
        if (levels[i] == level && is_wave(program->code + i))
            order->slots[i] = (uint32_t)find_angle(order, waves.first, order->reads[i][0]);
    waves.count = order->angles.count - waves.first;
    if (waves.count == 0)
        return;
    size_t stretch = print_order_stretch(waves.count);
    for (size_t i = 0; i < program->code_count; i++)
        if (levels[i] == level && is_wave(program->code + i)) {
            bool cosine = program->code[i].op == PROGRAM_COSINE;
            order->slots[i] += (uint32_t)(waves.room + (cosine ? 2 : 1) * stretch);
        }
    order->room += 3 * stretch;
    array_push(&order->waves, waves);
}

static void add_level(PrintOrder *order, const uint32_t *levels, uint32_t level)
{
    const Program *program = order->program;
    for (size_t i = 0; i < program->code_count; i++)
        if (levels[i] == level && !is_wave(program->code + i))
            order->order[order->count++] = (uint32_t)i;
    add_waves(order, levels, level);
}

// ---- Roots and quotients.

// How far behind a root or a quotient its partner may stand.
enum { WINDOW = 64 };

// A stretch of the order in which instructions may change places.
typedef struct {
    PrintOrder *order;
    size_t end;
    size_t *place; // of every instruction, in the order as it was
    bool *done;    // of every instruction: it stands in the new order
    uint32_t *old; // the order as it was
    size_t count;  // of the new one
    uint32_t needed[WINDOW];
    size_t needed_count;
} Pairing;

static bool is_slow(const Program *program, uint32_t i)
{
    return program->code[i].op == PROGRAM_SQRT || program->code[i].op == PROGRAM_DIV;
}

// What an instruction needs that does not stand yet; false where another slow one is among it, or
// one before `first`.
static bool add_needed(Pairing *pairing, uint32_t at, size_t first)
{
    const PrintOrder *order = pairing->order;
    const Program *program = order->program;
    for (int k = 0; k < program_operands(program->code[at].op); k++) {
        uint32_t writer = order->reads[at][k].writer;
        bool known =
            writer == PRINT_NONE || is_wave(program->code + writer) || pairing->done[writer];
        for (size_t i = 0; i < pairing->needed_count && !known; i++)
            known = pairing->needed[i] == writer;
        if (known)
            continue;
        if (pairing->place[writer] <= first || is_slow(program, writer) ||
            pairing->needed_count == WINDOW)
            return false;
        pairing->needed[pairing->needed_count++] = writer;
        if (!add_needed(pairing, writer, first))
            return false;
    }
    return true;
}

static void put(Pairing *pairing, uint32_t i)
{
    pairing->order->order[pairing->count++] = i;
    pairing->done[i] = true;
}

// The next one that is like the one at a place, and may come with it; what that needs comes first.
static uint32_t take_partner(Pairing *pairing, size_t at)
{
    const Program *program = pairing->order->program;
    uint32_t first = pairing->old[at];
    for (size_t i = at + 1; i < pairing->end && i <= at + WINDOW; i++) {
        uint32_t other = pairing->old[i];
        pairing->needed_count = 0;
        if (pairing->done[other] || program->code[other].op != program->code[first].op ||
            !add_needed(pairing, other, at))
            continue;
        for (size_t k = at + 1; k < i; k++)
            for (size_t j = 0; j < pairing->needed_count; j++)
                if (pairing->needed[j] == pairing->old[k])
                    put(pairing, pairing->old[k]);
        return other;
    }
    return PRINT_NONE;
}

// Neither passes sines and cosines that are worked out together.
static void pair_stretch(Pairing *pairing, size_t from)
{
    for (size_t at = from; at < pairing->end; at++) {
        uint32_t i = pairing->old[at];
        if (pairing->done[i])
            continue;
        bool slow = is_slow(pairing->order->program, i);
        uint32_t partner = slow ? take_partner(pairing, at) : PRINT_NONE;
        put(pairing, i);
        pairing->order->partners[i] = partner;
        if (partner != PRINT_NONE)
            put(pairing, partner);
    }
}

static void pair_all(PrintOrder *order)
{
    size_t count = order->program->code_count + 1, from = 0;
    Pairing pairing = {.order = order,
                       .place = base_alloc(count * sizeof *pairing.place),
                       .done = base_alloc(count * sizeof *pairing.done),
                       .old = base_alloc(count * sizeof *pairing.old)};
    memcpy(pairing.old, order->order, order->count * sizeof *pairing.old);
    memset(pairing.done, 0, count * sizeof *pairing.done);
    for (size_t at = 0; at < order->count; at++)
        pairing.place[order->order[at]] = at;
    for (size_t i = 0; i <= order->waves.count; i++) {
        pairing.end = i < order->waves.count ? order->waves.at[i].at : order->count;
        pair_stretch(&pairing, from);
        from = pairing.end;
    }
    assert(pairing.count == order->count);
    base_free(pairing.place);
    base_free(pairing.done);
    base_free(pairing.old);
}

// ---- What a later function reads.

static size_t piece_of(const PrintOrder *order, size_t at)
{
    return at < order->count ? at / order->piece : print_order_pieces(order) - 1;
}

static void note_reading(PrintOrder *order, const size_t *pieces, PrintSource source, size_t piece)
{
    uint32_t writer = source.writer;
    if (writer != PRINT_NONE && order->slots[writer] == PRINT_NONE && pieces[writer] != piece)
        order->slots[writer] = (uint32_t)order->room++;
}

// Outputs are written by the last piece.
static void find_crossing(PrintOrder *order)
{
    const Program *program = order->program;
    size_t *pieces = base_alloc((program->code_count + 1) * sizeof *pieces);
    for (size_t at = 0; at < order->count; at++)
        pieces[order->order[at]] = piece_of(order, at);
    for (size_t at = 0; at < order->count; at++) {
        uint32_t index = order->order[at];
        for (int k = 0; k < program_operands(program->code[index].op); k++)
            note_reading(order, pieces, order->reads[index][k], piece_of(order, at));
    }
    for (size_t i = 0; i < order->waves.count; i++) {
        const PrintWaves *waves = order->waves.at + i;
        for (size_t k = 0; k < waves->count; k++)
            note_reading(order, pieces, order->angles.at[waves->first + k],
                         piece_of(order, waves->at));
    }
    for (size_t i = 0; i < program->output_count; i++)
        note_reading(order, pieces, order->results[i], print_order_pieces(order) - 1);
    base_free(pieces);
}

void print_order_init(PrintOrder *order, const Program *program, size_t piece)
{
    size_t count = program->code_count + 1;
    *order = (PrintOrder){.program = program, .piece = piece};
    order->reads = base_alloc(count * sizeof *order->reads);
    order->results = base_alloc((program->output_count + 1) * sizeof *order->results);
    order->order = base_alloc(count * sizeof *order->order);
    order->slots = base_alloc(count * sizeof *order->slots);
    memset(order->slots, 0xFF, count * sizeof *order->slots);
    order->partners = base_alloc(count * sizeof *order->partners);
    memset(order->partners, 0xFF, count * sizeof *order->partners);
    uint32_t *levels = base_alloc(count * sizeof *levels), most = find_sources(order, levels);
    for (uint32_t level = 0; level <= most; level++)
        add_level(order, levels, level);
    base_free(levels);
    pair_all(order);
    find_crossing(order);
}

void print_order_clear(PrintOrder *order)
{
    base_free(order->reads);
    base_free(order->results);
    base_free(order->order);
    base_free(order->slots);
    base_free(order->partners);
    array_clear(&order->waves);
    array_clear(&order->angles);
}

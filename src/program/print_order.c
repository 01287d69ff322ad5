// print_order.c: the order of a printed program, and what goes through its array.
#include "program/print_order.h"

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
    uint32_t *levels = base_alloc(count * sizeof *levels), most = find_sources(order, levels);
    for (uint32_t level = 0; level <= most; level++)
        add_level(order, levels, level);
    base_free(levels);
    find_crossing(order);
}

void print_order_clear(PrintOrder *order)
{
    base_free(order->reads);
    base_free(order->results);
    base_free(order->order);
    base_free(order->slots);
    array_clear(&order->waves);
    array_clear(&order->angles);
}

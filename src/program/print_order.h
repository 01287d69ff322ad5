// print_order.h: in which order a program is printed, and where its values are; only for this room.
//
// Sines and cosines that are worked out together (waves.h) stand together: as many as depend on no
// others, after what gives their angles. So do two roots, or two quotients, of which none needs the
// other: a processor takes two as soon as one. All else keeps its order.
#ifndef ZWANG_PROGRAM_PRINT_ORDER_H
#define ZWANG_PROGRAM_PRINT_ORDER_H

#include "program/program_impl.h"

enum { PRINT_NONE = UINT32_MAX, PRINT_OPERANDS = 3 };

// Where a value comes from.
typedef struct {
    uint32_t place;  // its register
    uint32_t writer; // the instruction; PRINT_NONE for constants and inputs
} PrintSource;

// Sines and cosines of neighbouring angles, before the instruction at a place of the order. Their
// room: angles, sines, cosines, each in whole fours.
typedef struct {
    size_t at, first, count; // their angles
    size_t room;
} PrintWaves;

typedef struct {
    const Program *program;
    size_t piece;                         // instructions in one function
    PrintSource (*reads)[PRINT_OPERANDS]; // of every instruction
    PrintSource *results;                 // of every output
    uint32_t *order;                      // instructions that are neither sine nor cosine
    size_t count;                         // of these
    uint32_t *slots; // of every instruction: where in the array r; PRINT_NONE: a name of its own
    size_t room;     // numbers of r
    // Of every instruction: the next one, which is like it and is worked out with it; or
    // PRINT_NONE.
    uint32_t *partners;
    ARRAY(PrintWaves) waves;
    ARRAY(PrintSource) angles;
} PrintOrder;

void print_order_init(PrintOrder *order, const Program *program, size_t piece);
void print_order_clear(PrintOrder *order);
size_t print_order_pieces(const PrintOrder *order);
// How much room a stretch of so many angles takes.
size_t print_order_stretch(size_t count);

#endif

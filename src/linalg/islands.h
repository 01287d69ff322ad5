// islands.h: the connected components of a graph.
#ifndef ZWANG_LINALG_ISLANDS_H
#define ZWANG_LINALG_ISLANDS_H

#include "linalg/sparse_rows.h"

// ---- islands.c: things that are tied together, directly or through others (the connected
// components of a graph).
typedef struct Islands {
    size_t count, islands;
    uint32_t *of; // each thing's island; islands are numbered in the order of their first members
    uint32_t *place;   // each thing's place among the members of its island
    uint32_t *members; // island after island, in order
    uint32_t *first;   // islands + 1: where an island's members begin
} Islands;
// Up to `count` things, each by itself.
void islands_init(Islands *islands, size_t count);
void islands_clear(Islands *islands);
// Each of `count` things by itself again, no more of them than at first.
void islands_part(Islands *islands, size_t count);
void islands_tie(Islands *islands, size_t a, size_t b);
// Ties the columns in which each row is not 0; to the row's own number where they are a matrix's.
void islands_tie_rows(Islands *islands, const SparseRows *rows, bool matrix);
// After the last tie: from now on the rest is known, until things are parted.
void islands_number(Islands *islands);

#endif

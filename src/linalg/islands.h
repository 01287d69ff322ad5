// islands.h: the connected components of a graph.
#ifndef ZWANG_LINALG_ISLANDS_H
#define ZWANG_LINALG_ISLANDS_H

#include "linalg/sparse_rows.h"

// ---- islands.c: things that are tied together, directly or through others (the connected
// components of a graph).
typedef struct Islands {
    size_t count, most, islands;
    uint32_t *of; // each thing's island; islands are numbered in the order of their first members
    uint32_t *place;   // each thing's place among the members of its island
    uint32_t *members; // island after island, in order
    uint32_t *first;   // islands + 1: where an island's members begin
} Islands;
// `Islands islands = {0}; islands_part(&islands, count);`: each of `count` things by itself.
void islands_part(Islands *islands, size_t count);
void islands_clear(Islands *islands);
void islands_tie(Islands *islands, size_t a, size_t b);
// Ties each row, the things from `first` on, to the columns in which it is not 0.
void islands_tie_rows(Islands *islands, const SparseRows *rows, size_t first);
// After the last tie: from now on the rest is known, until things are parted.
void islands_number(Islands *islands);

#endif

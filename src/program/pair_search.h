// pair_search.h: the pairs of elements that a condition of one shape may be near for, out of all
// N(N − 1)/2, without looking at each of them.
#ifndef ZWANG_PROGRAM_PAIR_SEARCH_H
#define ZWANG_PROGRAM_PAIR_SEARCH_H

#include "base/memory.h"
#include "program/intervals.h"

typedef struct PairSearch PairSearch;

// f(s, a_i, b_j), one output of a program: its inputs are `shared` ones that all pairs have, then
// `first` of the first element and `second` of the other one. `symmetric`: f is the same with both
// elements exchanged, whose boxes are the same in both places. The program outlives the search.
PairSearch *pair_search_new(const Program *f, size_t shared, size_t first, size_t second,
                            size_t elements, bool symmetric);
void pair_search_free(PairSearch *search);

// Where the elements are: `first` intervals, then `second` ones, of each.
Interval *pair_search_boxes(PairSearch *search, size_t element);

typedef struct {
    uint32_t first, second; // first < second
} ElementPair;
typedef struct {
    ElementPair *at;
    size_t count;
    size_t looked; // how many times f was bounded
} ElementPairs;
// All pairs i < j whose f may reach `level` somewhere in their boxes, in order, until the next
// search. A pair that is not among them has f < level at every point of its boxes.
ElementPairs pair_search_find(PairSearch *search, const Interval *shared, double level);

#endif

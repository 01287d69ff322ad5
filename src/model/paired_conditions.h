// paired_conditions.h: one-sided conditions of one shape over all pairs of a range, kept as one.
#ifndef ZWANG_MODEL_PAIRED_CONDITIONS_H
#define ZWANG_MODEL_PAIRED_CONDITIONS_H

#include "base/memory.h"
#include "base/place.h"
#include "expr/expr_types.h"

// The condition of the elements i < j is the template, with what i and j have in the place of its
// own symbols: conditions are N(N − 1)/2, and expressions N. No two elements, and no element and
// the rest of the template, have a coordinate in common.
typedef struct ModelPairs {
    const char *label; // "ball", of ball[i,j]
    bool swapped;      // ball[j,i]
    bool at_least;     // written with >=
    bool named;        // some of them are asked for by their names
    int64_t low;       // the number of the first element
    size_t elements;
    Expr residual, restitution; // of the template
    size_t first, second;       // symbols for what the first element of a pair has, and the second
    Expr *symbols;              // these, in that order
    Expr *values;               // what they stand for, first + second for each element; what an
                                // element is never asked for is none
    Place place;
} ModelPairs;

#endif

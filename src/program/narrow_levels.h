// narrow_levels.h: which functions may change within a small part of a way, and what tells of it.
//
// exp(-(x/w)^2) is 0 in all digits at a distance of 30·w, and so are its derivatives; its argument
// tells all the same that it is 1 at x = 0. The level of a function follows from its argument:
// about the logarithm of how much of it is seen.
#ifndef ZWANG_PROGRAM_NARROW_LEVELS_H
#define ZWANG_PROGRAM_NARROW_LEVELS_H

#include "base/memory.h"
#include "expr/expr.h"

// By how much a level may rise unseen: within a step, between samples.
enum { MOST_RISE = 8 };

typedef struct {
    Expr whole;
    ExprOp op;    // EXPR_POW for powers and logarithms
    double power; // p in the level p·log|u| of these; else 0
    double most;  // by what factor |u| of these may grow in a step
} NarrowFunction;

typedef struct {
    ExprPool *pool;
    const Expr *symbols; // all that functions may hold: `still` ones, of which they may not be made
    size_t still, count; // alone, then those that move
    ARRAY(NarrowFunction) functions;
    ARRAY(Expr) arguments; // one of each function
} NarrowSearch;

// In expressions, as a run writes them, of symbols that the search is given. Of the last ones,
// `speeds`, poles are passed over. The caller clears what is found.
void narrow_search(NarrowSearch *search, const Expr *roots, size_t count, size_t speeds);
void narrow_search_clear(NarrowSearch *search);

// From the argument; and no less than that of the least number, below which nothing is seen.
double narrow_level(const NarrowFunction *function, double u);
double narrow_visible(const NarrowFunction *function, double u);

#endif

// least_norm.h: the shortest x with J·x = f. Knows no expressions and no mechanics.
#ifndef ZWANG_LINALG_LEAST_NORM_H
#define ZWANG_LINALG_LEAST_NORM_H

#include "linalg/sparse_lu.h"

typedef struct {
    size_t columns;
    bool few;         // entries in a large J: the factors are sparse
    SparseStore rows; // their largest entries within 1 and 2
    ARRAY(double) right;
    // Workspace, and the factors of what was solved last.
    SparseStore turned; // the rows' transpose
    SparseLu lu;
} LeastNorm;
void least_norm_clear(LeastNorm *norm);
// A new J of so many columns; its rows one after the other, each entry once; a row of no length is
// none.
void least_norm_begin(LeastNorm *norm, size_t columns, bool few);
void least_norm_push(LeastNorm *norm, size_t column, double value);
void least_norm_end_row(LeastNorm *norm, double right);
// x, or that of the least residuals where rows depend on each other; false where something is not
// finite, and x is 0.
bool least_norm_solve(LeastNorm *norm, double *x);

#endif

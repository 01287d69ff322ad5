// sparse_lu.h: a square matrix of which few entries are filled, and its LU factors. Knows no
// expressions and no mechanics.
#ifndef ZWANG_LINALG_SPARSE_LU_H
#define ZWANG_LINALG_SPARSE_LU_H

#include "linalg/sparse_rows.h"

typedef struct SparseLuFactors SparseLuFactors;
typedef struct {
    size_t size;
    SparseStore matrix; // to be written row after row, each entry once
    SparseLuFactors *factors;
} SparseLu;
void sparse_lu_init(SparseLu *lu, size_t size);
void sparse_lu_clear(SparseLu *lu);
// False where it is singular, or where the smallest pivot against the largest, rows being scaled to
// 1, is not above `least_pivot`. The same matrix again costs nothing, the same places little.
bool sparse_lu_factor(SparseLu *lu, double least_pivot);
// x of matrix·x = x.
void sparse_lu_solve(SparseLu *lu, double *x);

#endif

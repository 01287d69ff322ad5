// sparse_cholesky.h: factors of a positive matrix of which few entries are filled, some of its rows
// and columns left out. Knows no expressions and no mechanics.
#ifndef ZWANG_LINALG_SPARSE_CHOLESKY_H
#define ZWANG_LINALG_SPARSE_CHOLESKY_H

#include "linalg/sparse_rows.h"

typedef struct SparseCholesky SparseCholesky;
SparseCholesky *sparse_cholesky_new(void);
void sparse_cholesky_free(SparseCholesky *cholesky);
// Where to write a matrix: whole rows, both halves, each with its diagonal.
SparseStore *sparse_cholesky_matrix(SparseCholesky *cholesky);
// It is written: finds an order of elimination, unless the last one's places are the same.
void sparse_cholesky_analyse(SparseCholesky *cholesky);
const double *sparse_cholesky_diagonal(const SparseCholesky *cholesky);
// y −= (matrix)·x
void sparse_cholesky_subtract_times(const SparseCholesky *cholesky, const double *x, double *y);
// Factors what is kept, with something added to its diagonal. False where a pivot is not above
// this part of the diagonal that it began as.
bool sparse_cholesky_factor(SparseCholesky *cholesky, const bool *kept, double added,
                            double least_pivot);
// By these factors, in place, the kept ones of x.
void sparse_cholesky_solve(SparseCholesky *cholesky, double *x);

#endif

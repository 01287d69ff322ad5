// sparse.h: factors of matrices of which few entries are filled. Knows no expressions and no
// mechanics.
#ifndef ZWANG_LINALG_SPARSE_H
#define ZWANG_LINALG_SPARSE_H

#include "linalg/sparse_rows.h"

// ---- sparse_lu.c: a square matrix and its LU factors.

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

// ---- least_norm.c: the shortest x with J·x = f.
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

// ---- sparse_cholesky.c: factors of a positive matrix, some of its rows and columns left out.
typedef struct SparseCholesky SparseCholesky;
SparseCholesky *sparse_cholesky_new(void);
void sparse_cholesky_free(SparseCholesky *cholesky);
// Where to write a matrix: whole rows, both halves, each with its diagonal.
SparseStore *sparse_cholesky_matrix(SparseCholesky *cholesky);
// It is written. False where no order of elimination is found.
bool sparse_cholesky_analyse(SparseCholesky *cholesky);
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

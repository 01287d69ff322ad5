// sparse.h: rows and matrices of which few entries are filled. Knows no expressions and no
// mechanics.
#ifndef ZWANG_LINALG_SPARSE_H
#define ZWANG_LINALG_SPARSE_H

#include "base/base.h"

// Rows of few numbers, one after the other.
typedef struct {
    size_t count;
    const uint32_t *first;  // count + 1: where each row begins
    const uint32_t *column; // of each number; no column twice in a row
    const double *value;
} SparseRows;

// ---- islands.c: things that are tied together, directly or through others (the connected
// components of a graph).
typedef struct {
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
// After the last tie: from now on the rest is known, until things are parted.
void islands_number(Islands *islands);

// ---- sparse_lu.c: a square matrix, row after row, and its LU factors.

// Equations with this many unknowns, and no more than this part of the entries filled, are solved
// by what is in them. Below it LAPACK is as quick, and formulas are quicker; but where one-sided
// conditions come and go these would be made anew for each of their sets.
#define SPARSE_UNKNOWNS         128
#define SPARSE_PART             0.05
#define SPARSE_UNKNOWNS_OF_LEGS 16
#define SPARSE_PART_OF_LEGS     0.3
bool sparse_pays(size_t unknowns, size_t filled, bool of_legs);

typedef struct SparseLuFactors SparseLuFactors;
typedef struct {
    size_t size;
    ARRAY(int) begins; // size + 1, once it is whole
    ARRAY(int) places; // columns
    ARRAY(double) values;
    SparseLuFactors *factors;
} SparseLu;
void sparse_lu_init(SparseLu *sparse, size_t size);
void sparse_lu_clear(SparseLu *sparse);
// A new matrix; its rows from the first to the last, each entry once.
void sparse_lu_begin(SparseLu *sparse);
void sparse_lu_push(SparseLu *sparse, size_t column, double value);
void sparse_lu_end_row(SparseLu *sparse);
// False where it is singular. The same matrix again costs nothing, the same places little.
bool sparse_lu_factor(SparseLu *sparse);
// The smallest pivot against the largest, rows being scaled to 1.
double sparse_lu_least_pivot(SparseLu *sparse);
// x of matrix·x = x.
void sparse_lu_solve(SparseLu *sparse, double *x);

// ---- echelon.c: equations row·x = right, one after the other, each reduced by those before it.
typedef struct {
    size_t n, count;
    ARRAY(size_t) begins; // of the rows that were taken; count + 1
    ARRAY(size_t) places;
    ARRAY(double) values; // 1 at the pivot
    size_t *pivots;       // n: their columns
    double *rights;       // n
    double *work;         // n
} Echelon;
void echelon_init(Echelon *echelon, size_t n);
void echelon_clear(Echelon *echelon);
// Whether the row stands off those before it, by more than this part of its largest entry; it is
// taken then. Else *miss is by how much its right side differs from what follows.
bool echelon_take(Echelon *echelon, const double *row, double right, double least, double *miss);
// x, where n equations were taken.
void echelon_solve(const Echelon *echelon, double *x);

// ---- least_norm.c: the shortest x with J·x = f, where J is large and has few entries.
typedef struct {
    size_t columns;
    ARRAY(size_t) begins; // of the rows; one more than there are
    ARRAY(size_t) places;
    ARRAY(double) values; // of unit rows
    ARRAY(double) right;
    // Workspace, and the factors of what was solved last.
    SparseLu sparse;
    ARRAY(double) both;
    ARRAY(double) rest;
    ARRAY(size_t) kept;    // the rows that are solved
    ARRAY(size_t) others;  // those that depend on them
    ARRAY(size_t) turned;  // of the former, by their columns
    ARRAY(size_t) in_rows; // where
} LeastNorm;
void least_norm_clear(LeastNorm *change);
// A new J of so many columns; its rows one after the other, each entry once; a row of no length is
// none.
void least_norm_begin(LeastNorm *change, size_t columns);
void least_norm_push(LeastNorm *change, size_t column, double value);
void least_norm_end_row(LeastNorm *change, double right);
// x, or that of the least residuals where rows depend on each other; false where they do so nearly.
bool least_norm_solve(LeastNorm *change, double *x);

// ---- sparse_cholesky.c: factors of a positive matrix, some of its rows and columns left out.
typedef struct {
    int *first, *column; // where each row begins, order + 1; of each number
    double *value;
} SparseMatrix;
typedef struct SparseCholesky SparseCholesky;
SparseCholesky *sparse_cholesky_new(void);
void sparse_cholesky_free(SparseCholesky *fronts);
// Where to write a matrix: whole rows, both halves, with its diagonal.
SparseMatrix sparse_cholesky_rows(SparseCholesky *fronts, size_t order, size_t entries);
// It is written. False where no order of elimination is found.
bool sparse_cholesky_begin(SparseCholesky *fronts);
double sparse_cholesky_diagonal(const SparseCholesky *fronts, size_t row);
// y −= (matrix)·x
void sparse_cholesky_subtract_times(const SparseCholesky *fronts, const double *x, double *y);
// Factors what is kept, with something added to its diagonal. False where a pivot is not above
// this part of the diagonal that it began as.
bool sparse_cholesky_factor(SparseCholesky *fronts, const bool *kept, double added,
                            double least_pivot);
// By these factors, in place, the kept ones of x.
void sparse_cholesky_solve(SparseCholesky *fronts, double *x);

#endif

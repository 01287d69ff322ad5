// sparse_impl.h: large linear equations with few entries, and rows that are taken one after the
// other. Never leaves the room.
#ifndef ZWANG_RUN_SPARSE_IMPL_H
#define ZWANG_RUN_SPARSE_IMPL_H

#include "base/base.h"

// Equations with this many unknowns, and no more than this part of the entries filled, are solved
// by what is in them. Below it LAPACK is as quick, and formulas are quicker; but where one-sided
// conditions come and go these would be made anew for each of their sets.
#define SPARSE_UNKNOWNS         128
#define SPARSE_PART             0.05
#define SPARSE_UNKNOWNS_OF_LEGS 16
#define SPARSE_PART_OF_LEGS     0.3
bool sparse_pays(size_t unknowns, size_t filled, bool of_legs);

// ---- sparse.c: a square matrix, row after row, and its factors.
typedef struct SparseFactors SparseFactors;
typedef struct {
    size_t size;
    ARRAY(int) begins; // size + 1, once it is whole
    ARRAY(int) places; // columns
    ARRAY(double) values;
    SparseFactors *factors;
} Sparse;
void sparse_init(Sparse *sparse, size_t size);
void sparse_clear(Sparse *sparse);
// A new matrix; its rows from the first to the last, each entry once.
void sparse_begin(Sparse *sparse);
void sparse_push(Sparse *sparse, size_t column, double value);
void sparse_end_row(Sparse *sparse);
// False where it is singular. The same matrix again costs nothing, the same places little.
bool sparse_factor(Sparse *sparse);
// The smallest pivot against the largest, rows being scaled to 1.
double sparse_least_pivot(Sparse *sparse);
// x of matrix·x = x.
void sparse_solve(Sparse *sparse, double *x);

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

#endif

// sparse.h: rows and matrices of which few entries are filled. Knows no expressions and no
// mechanics.
#ifndef ZWANG_LINALG_SPARSE_H
#define ZWANG_LINALG_SPARSE_H

#include "base/base.h"

// ---- sparse_rows.c: rows of few numbers, one after the other.
typedef struct {
    size_t count;
    const uint32_t *first;  // count + 1: where each row begins
    const uint32_t *column; // of each number; no column twice in a row
    const double *value;
} SparseRows;
// start + row·x; *terms (may be NULL) receives the sum of the sizes of all terms.
double sparse_row_times(const SparseRows *rows, size_t row, const double *x, double start,
                        double *terms);
// sum += factor·row
void sparse_row_add(const SparseRows *rows, size_t row, double factor, double *sum);
// The rows from this one on as whole rows of n numbers.
void sparse_rows_expand(const SparseRows *rows, size_t from, size_t count, size_t n, double *dense);

// Rows that grow: `SparseStore s = {0}; sparse_store_begin(&s);` then each row's numbers, then its
// end.
typedef struct {
    ARRAY(uint32_t) first;
    ARRAY(uint32_t) column;
    ARRAY(double) value;
} SparseStore;
void sparse_store_begin(SparseStore *store); // without rows
void sparse_store_clear(SparseStore *store);
static inline void sparse_store_push(SparseStore *store, size_t column, double value)
{
    size_t at = store->column.count;
    if (at == store->column.capacity)
        array_reserve(&store->column, at + 1);
    if (at == store->value.capacity)
        array_reserve(&store->value, at + 1);
    store->column.at[at] = (uint32_t)column;
    store->value.at[at] = value;
    store->column.count = store->value.count = at + 1;
}
static inline void sparse_store_end_row(SparseStore *store)
{
    array_push(&store->first, (uint32_t)store->column.count);
}
// One more row, as another has it.
void sparse_store_take(SparseStore *store, const SparseRows *rows, size_t row);
void sparse_store_copy(SparseStore *store, const SparseStore *from);
// Whether the same entries are filled.
bool sparse_store_has_places_of(const SparseStore *store, const SparseStore *other);
// The rows so far, until there are more.
SparseRows sparse_store_rows(const SparseStore *store);
// The transpose of rows with so many columns.
void sparse_store_transpose(SparseStore *store, const SparseRows *rows, size_t columns);

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
// Ties the columns in which each row is not 0; to the row's own number where they are a matrix's.
void islands_tie_rows(Islands *islands, const SparseRows *rows, bool matrix);
// After the last tie: from now on the rest is known, until things are parted.
void islands_number(Islands *islands);

// ---- sparse_lu.c: a square matrix and its LU factors.

// Whether equations of which so many entries are filled are better solved by these alone. LAPACK is
// as quick for few unknowns, and formulas are quicker; but where unilateral conditions come and go,
// formulas would be made anew for each of their sets.
bool sparse_pays(size_t unknowns, size_t filled, bool changing_sets);

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

// ---- echelon.c: equations row·x = right, one after the other, each reduced by those before it.
typedef struct {
    size_t n, count;
    SparseStore rows; // that were taken, reduced; 1 at the pivot
    size_t *pivots;   // n: their columns
    double *rights;   // n
    double *work;     // n
} Echelon;
void echelon_init(Echelon *echelon, size_t n);
void echelon_clear(Echelon *echelon);
// Whether the row stands off those before it, by more than TOL_RANK of its largest entry; it is
// taken then. *miss is by how much its right side differs from what follows from them.
bool echelon_take(Echelon *echelon, const double *row, double right, double *miss);
// x, where n equations were taken.
void echelon_solve(const Echelon *echelon, double *x);

// ---- least_norm.c: the shortest x with J·x = f, where J is large and has few entries.
typedef struct {
    size_t columns;
    SparseStore rows; // units
    ARRAY(double) right;
    // Workspace, and the factors of what was solved last.
    SparseStore turned; // the rows' transpose
    SparseLu lu;
    ARRAY(double) both;
    ARRAY(double) rest;
} LeastNorm;
void least_norm_clear(LeastNorm *norm);
// A new J of so many columns; its rows one after the other, each entry once; a row of no length is
// none.
void least_norm_begin(LeastNorm *norm, size_t columns);
void least_norm_push(LeastNorm *norm, size_t column, double value);
void least_norm_end_row(LeastNorm *norm, double right);
// x, or that of the least residuals where rows depend on each other; false where they do so nearly.
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

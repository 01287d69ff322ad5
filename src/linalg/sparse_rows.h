// sparse_rows.h: rows of which few entries are filled.
#ifndef ZWANG_LINALG_SPARSE_ROWS_H
#define ZWANG_LINALG_SPARSE_ROWS_H

#include "base/memory.h"

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

// The diagonal of a square matrix, 0 where it is not filled.
void sparse_rows_diagonal(const SparseRows *rows, double *diagonal);
// Whether equations of which so many entries are filled are better solved by these alone. LAPACK is
// as quick for few unknowns, and formulas are quicker; but where unilateral conditions come and go,
// formulas would be made anew for each of their sets.
bool sparse_pays(size_t unknowns, size_t filled, bool changing_sets);

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

#endif

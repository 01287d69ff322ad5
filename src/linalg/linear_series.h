// linear_series.h: A·x = b where A, x and b are power series. Knows no expressions.
#ifndef ZWANG_LINALG_LINEAR_SERIES_H
#define ZWANG_LINALG_LINEAR_SERIES_H

#include "linalg/sparse_lu.h"

// An entry that moves.
typedef struct {
    uint32_t row, column;
    double value;
} SeriesEntry;
typedef ARRAY(SeriesEntry) SeriesEntries;

typedef struct LinearSeries {
    size_t size, most_order;
    bool few;               // entries: they are listed, and the factors are sparse
    SparseLu lu;            // A_0, with few entries
    SeriesEntries *entries; // of A_k, k > 0, with few
    double *matrices;       // A_k one after the other, each row after row; none with few
    bool *moves;            // whether A_k has an entry that is not 0
    double *solutions;      // x_k
    double *factors;        // of A_0
    int *pivots;
    Arena *arena;
} LinearSeries;
void linear_series_init(LinearSeries *series, size_t size, size_t most_order, bool few);
void linear_series_clear(LinearSeries *series);
double *linear_series_matrix(LinearSeries *series, size_t k); // where A_k is to be put
// A new A_k, without entries, and its entries; those of A_0 row after row, each place once.
void linear_series_begin(LinearSeries *series, size_t k);
void linear_series_push(LinearSeries *series, size_t k, size_t row, size_t column, double value);
// Ends the rows of A_0 before this one, with few entries.
static inline void linear_series_end_rows(LinearSeries *series, size_t row)
{
    while (series->lu.matrix.first.count <= row)
        sparse_store_end_row(&series->lu.matrix);
}
static inline void linear_series_put(LinearSeries *series, size_t k, size_t row, size_t column,
                                     double value)
{
    if (!series->few)
        series->matrices[(k * series->size + row) * series->size + column] = value;
    else if (k > 0)
        linear_series_push(series, k, row, column, value);
    else {
        // There a 0 keeps its place, so that the order of elimination stays.
        linear_series_end_rows(series, row);
        sparse_store_push(&series->lu.matrix, column, value);
    }
}
// Adds factor·A_i·x to the sums, from this row on; after A_i was used for x_i.
void linear_series_add(const LinearSeries *series, size_t i, size_t first, double factor,
                       const double *x, double *sums);
// x_k, from A_k put there and from b_k, which it overwrites; false where A_0 is singular. Where few
// entries are filled, an A_0 that is still what was last factored costs nothing.
bool linear_series_next(LinearSeries *series, size_t k, double *right);

#endif

// linear_series.h: A·x = b where A, x and b are power series. Knows no expressions.
#ifndef ZWANG_LINALG_LINEAR_SERIES_H
#define ZWANG_LINALG_LINEAR_SERIES_H

#include "linalg/sparse.h"

// An entry that moves.
typedef struct {
    uint32_t row, column;
    double value;
} SeriesEntry;
typedef ARRAY(SeriesEntry) SeriesEntries;

typedef struct {
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
// With few entries: a new A_k, and its entries; those of A_0 row after row, each place once.
void linear_series_begin(LinearSeries *series, size_t k);
void linear_series_push(LinearSeries *series, size_t k, size_t row, size_t column, double value);
// Adds factor·A_i·x to the sums, from this row on; after A_i was used for x_i.
void linear_series_add(const LinearSeries *series, size_t i, size_t first, double factor,
                       const double *x, double *sums);
// x_k of a matrix that is still what was last factored, few entries being filled.
void linear_series_still(LinearSeries *series, size_t k, double *right);
// x_k, from A_k put there and from b_k, which it overwrites; false where A_0 is singular.
bool linear_series_next(LinearSeries *series, size_t k, double *right);

#endif

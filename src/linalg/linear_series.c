// linear_series.c: A·x = b in power series, one order after the other.
//
// Order k of the product gives A₀·x_k = b_k − Σ A_i·x_{k−i} for 1 ≤ i ≤ k: one factorization of A₀
// serves all orders. It is by partial pivoting, since the equations of most forms are not
// symmetric. Where few entries are filled the factors are sparse, and only those entries are kept
// that move.
#include "linalg/linear_series.h"
#include "linalg/dense_factors.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <string.h>

void linear_series_init(LinearSeries *series, size_t size, size_t most_order, bool few)
{
    size_t orders = most_order + 1, square = few ? 0 : size * size;
    Arena *arena = arena_new();
    *series = (LinearSeries){.size = size, .most_order = most_order, .few = few, .arena = arena};
    series->matrices = real_alloc(arena, orders * square);
    series->factors = real_alloc(arena, square);
    series->solutions = real_alloc(arena, orders * size);
    series->moves = arena_alloc(arena, orders * sizeof *series->moves);
    series->pivots = arena_alloc(arena, (size + 1) * sizeof *series->pivots);
    series->entries = arena_alloc(arena, orders * sizeof *series->entries);
    if (few)
        sparse_lu_init(&series->lu, size);
}

void linear_series_clear(LinearSeries *series)
{
    for (size_t k = 0; k <= series->most_order && series->entries; k++)
        array_clear(&series->entries[k]);
    sparse_lu_clear(&series->lu);
    arena_free(series->arena);
    *series = (LinearSeries){0};
}

double *linear_series_matrix(LinearSeries *series, size_t k)
{
    assert(!series->few && k <= series->most_order);
    return series->matrices + k * series->size * series->size;
}

// ---- Entries.

void linear_series_begin(LinearSeries *series, size_t k)
{
    assert(k <= series->most_order);
    if (!series->few) {
        memset(linear_series_matrix(series, k), 0, series->size * series->size * sizeof(double));
        return;
    }
    series->entries[k].count = 0;
    if (k == 0)
        sparse_store_begin(&series->lu.matrix);
}

void linear_series_push(LinearSeries *series, size_t k, size_t row, size_t column, double value)
{
    assert(series->few && k > 0 && row < series->size && column < series->size);
    if (value != 0)
        array_push(&series->entries[k], ((SeriesEntry){(uint32_t)row, (uint32_t)column, value}));
}

// ---- Products.

void linear_series_add(const LinearSeries *series, size_t i, size_t first, double factor,
                       const double *x, double *sums)
{
    size_t size = series->size;
    assert(i <= series->most_order && (i > 0 || factor == 1));
    for (size_t row = first; row < size && !series->few && series->moves[i]; row++)
        sums[row - first] += factor * real_dot(series->matrices + (i * size + row) * size, x, size);
    if (series->few && i == 0) {
        SparseRows rows = sparse_store_rows(&series->lu.matrix);
        for (size_t row = first; row < size; row++)
            sums[row - first] = sparse_row_times(&rows, row, x, sums[row - first], NULL);
    }
    for (size_t l = 0; series->few && i > 0 && l < series->entries[i].count; l++) {
        const SeriesEntry *entry = &series->entries[i].at[l];
        if (entry->row >= first)
            sums[entry->row - first] += factor * entry->value * x[entry->column];
    }
}

// ---- Solutions.

static bool is_zero(const double *values, size_t count)
{
    size_t i = 0;
    while (i < count && values[i] == 0)
        i++;
    return i == count;
}

static bool factor(LinearSeries *series)
{
    size_t order = series->size;
    if (series->few) {
        linear_series_end_rows(series, series->size);
        return sparse_lu_factor(&series->lu, TOL_ZERO);
    }
    memcpy(series->factors, series->matrices, order * order * sizeof(double));
    // Row after row is the transpose.
    return lu_factor(order, series->factors, order, series->pivots);
}

// x_k = A₀⁻¹·right.
static void solve(LinearSeries *series, size_t k, double *right)
{
    size_t order = series->size;
    if (series->few)
        sparse_lu_solve(&series->lu, right);
    else
        lu_solve(true, order, series->factors, order, series->pivots, right);
    memcpy(series->solutions + k * order, right, order * sizeof(double));
}

bool linear_series_next(LinearSeries *series, size_t k, double *right)
{
    size_t size = series->size;
    assert(k <= series->most_order);
    if (size == 0)
        return true;
    if (!series->few)
        series->moves[k] = !is_zero(linear_series_matrix(series, k), size * size);
    if (k == 0 && !factor(series))
        return false;
    for (size_t i = 1; i <= k; i++)
        linear_series_add(series, i, 0, -1, series->solutions + (k - i) * size, right);
    solve(series, k, right);
    return true;
}

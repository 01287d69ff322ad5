// linear_series.c: A·x = b in power series, one order after the other.
//
// Order k of the product gives A₀·x_k = b_k − Σ A_i·x_{k−i} for 1 ≤ i ≤ k: one factorization of A₀
// serves all orders. It is by partial pivoting, since the equations of most forms are not
// symmetric. Where few entries are filled the factors are sparse, and only those entries are kept
// that move.
#include "linalg/linear_series.h"

#include <lapacke.h>
#include <string.h>

_Static_assert(sizeof(lapack_int) == sizeof(int), "LAPACK counts in int");

void linear_series_init(LinearSeries *series, size_t size, size_t most_order, bool few)
{
    size_t orders = most_order + 1, factors = few ? 0 : size;
    *series = (LinearSeries){.size = size, .most_order = most_order, .few = few};
    series->matrices = base_alloc(((few ? 0 : orders) * size * size + 1) * sizeof(double));
    if (few) {
        series->entries = base_alloc(orders * sizeof *series->entries);
        sparse_lu_init(&series->sparse, size);
    }
    series->moves = base_alloc(orders * sizeof *series->moves);
    series->solutions = base_alloc((orders * size + 1) * sizeof(double));
    series->factors = base_alloc((factors * factors + 1) * sizeof(double));
    series->pivots = base_alloc((size + 1) * sizeof *series->pivots);
}

void linear_series_clear(LinearSeries *series)
{
    for (size_t k = 0; k <= series->most_order && series->entries; k++)
        array_clear(&series->entries[k]);
    base_free(series->entries);
    sparse_lu_clear(&series->sparse);
    base_free(series->matrices);
    base_free(series->moves);
    base_free(series->solutions);
    base_free(series->factors);
    base_free(series->pivots);
    *series = (LinearSeries){0};
}

double *linear_series_matrix(LinearSeries *series, size_t k)
{
    return series->matrices + k * series->size * series->size;
}

static bool is_zero(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

// ---- With few entries.

void linear_series_begin(LinearSeries *series, size_t k)
{
    series->entries[k].count = 0;
    if (k == 0)
        sparse_lu_begin(&series->sparse);
}

// Ends the rows of A_0 before this one.
static void end_rows(LinearSeries *series, size_t row)
{
    while (series->sparse.begins.count <= row)
        sparse_lu_end_row(&series->sparse);
}

void linear_series_push(LinearSeries *series, size_t k, size_t row, size_t column, double value)
{
    if (k > 0 && value != 0)
        array_push(&series->entries[k], ((SeriesEntry){(uint32_t)row, (uint32_t)column, value}));
    // There a 0 keeps its place, so that the order of elimination stays.
    if (k > 0)
        return;
    end_rows(series, row);
    sparse_lu_push(&series->sparse, column, value);
}

static bool next_of_few(LinearSeries *series, size_t k, double *right)
{
    size_t size = series->size;
    if (k == 0) {
        end_rows(series, size);
        if (!sparse_lu_factor(&series->sparse))
            return false;
    }
    for (size_t i = 1; i <= k; i++) {
        const double *x = series->solutions + (k - i) * size;
        for (size_t l = 0; l < series->entries[i].count; l++) {
            const SeriesEntry *entry = &series->entries[i].at[l];
            right[entry->row] -= entry->value * x[entry->column];
        }
    }
    sparse_lu_solve(&series->sparse, right);
    memcpy(series->solutions + k * size, right, size * sizeof(double));
    return true;
}

void linear_series_still(LinearSeries *series, size_t k, double *right)
{
    series->entries[k].count = 0;
    sparse_lu_solve(&series->sparse, right);
    memcpy(series->solutions + k * series->size, right, series->size * sizeof(double));
}

static void add_few(const LinearSeries *series, size_t i, size_t first, const double *x,
                    double *sums)
{
    const SparseLu *sparse = &series->sparse;
    for (size_t row = first; row < series->size && i == 0; row++)
        for (int l = sparse->begins.at[row]; l < sparse->begins.at[row + 1]; l++)
            sums[row - first] += sparse->values.at[l] * x[sparse->places.at[l]];
    for (size_t l = 0; i > 0 && l < series->entries[i].count; l++) {
        const SeriesEntry *entry = &series->entries[i].at[l];
        if (entry->row >= first)
            sums[entry->row - first] += entry->value * x[entry->column];
    }
}

void linear_series_add_rows(const LinearSeries *series, size_t i, size_t first, const double *x,
                            double *sums)
{
    size_t size = series->size;
    if (series->few) {
        add_few(series, i, first, x, sums);
        return;
    }
    if (!series->moves[i])
        return;
    for (size_t row = first; row < size; row++) {
        const double *at = series->matrices + (i * size + row) * size;
        double sum = 0;
        for (size_t j = 0; j < size; j++)
            sum += at[j] * x[j];
        sums[row - first] += sum;
    }
}

bool linear_series_next(LinearSeries *series, size_t k, double *right)
{
    size_t size = series->size;
    lapack_int order = (lapack_int)size;
    if (size == 0)
        return true;
    if (series->few)
        return next_of_few(series, k, right);
    const double *matrix = linear_series_matrix(series, k);
    series->moves[k] = !is_zero(matrix, size * size);
    if (k == 0) {
        memcpy(series->factors, matrix, size * size * sizeof(double));
        // Row after row is the transpose to LAPACK.
        if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, order, order, series->factors, order,
                                series->pivots) != 0)
            return false;
    }
    for (size_t i = 1; i <= k; i++) {
        if (!series->moves[i])
            continue;
        const double *at = linear_series_matrix(series, i);
        const double *x = series->solutions + (k - i) * size;
        for (size_t row = 0; row < size; row++, at += size) {
            double sum = 0;
            for (size_t j = 0; j < size; j++)
                sum += at[j] * x[j];
            right[row] -= sum;
        }
    }
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', order, 1, series->factors, order, series->pivots,
                        right, order);
    memcpy(series->solutions + k * size, right, size * sizeof(double));
    return true;
}

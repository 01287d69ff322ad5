// linear_series.c: A·x = b in power series, one order after the other.
//
// Order k of the product gives A₀·x_k = b_k − Σ A_i·x_{k−i} for 1 ≤ i ≤ k: one factorization of A₀
// serves all orders. It is by partial pivoting, since the equations of most forms are not
// symmetric.
#include "run/run_impl.h"

#include <string.h>

void linear_series_init(LinearSeries *series, size_t size, size_t most_order)
{
    size_t orders = most_order + 1;
    *series = (LinearSeries){.size = size, .most_order = most_order};
    series->matrices = base_alloc((orders * size * size + 1) * sizeof(double));
    series->moves = base_alloc(orders * sizeof *series->moves);
    series->solutions = base_alloc((orders * size + 1) * sizeof(double));
    series->factors = base_alloc((size * size + 1) * sizeof(double));
    series->pivots = base_alloc((size + 1) * sizeof *series->pivots);
}

void linear_series_clear(LinearSeries *series)
{
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

bool linear_series_next(LinearSeries *series, size_t k, double *right)
{
    size_t size = series->size;
    lapack_int order = (lapack_int)size;
    const double *matrix = linear_series_matrix(series, k);
    if (size == 0)
        return true;
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

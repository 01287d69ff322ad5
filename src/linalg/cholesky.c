// cholesky.c: factors of a dense positive matrix.
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <lapacke.h>

static bool factor_small(double *matrix, size_t size, double least_pivot, double *inverse)
{
    for (size_t i = 0; i < size; i++) {
        double *row = matrix + i * size, own = row[i], pivot = own;
        for (size_t j = 0; j < i; j++) {
            const double *other = matrix + j * size;
            row[j] = (row[j] - real_dot(row, other, j)) * inverse[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > least_pivot * own))
            return false;
        row[i] = sqrt(pivot);
        inverse[i] = 1 / row[i];
    }
    return true;
}

bool cholesky_factor(double *matrix, size_t size, double least_pivot, double *inverse)
{
    assert(least_pivot >= 0);
    if (size <= SIZE_SMALL)
        return factor_small(matrix, size, least_pivot, inverse);
    lapack_int order = (lapack_int)size;
    for (size_t i = 0; i < size; i++)
        inverse[i] = matrix[i * size + i];
    // Row after row is the transpose to LAPACK.
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', order, matrix, order) != 0)
        return false;
    for (size_t i = 0; i < size; i++) {
        double pivot = matrix[i * size + i];
        if (!(pivot * pivot > least_pivot * inverse[i]))
            return false;
        inverse[i] = 1 / pivot;
    }
    return true;
}

void cholesky_solve_lower(const double *factor, size_t size, const double *inverse, double *x)
{
    for (size_t i = 0; i < size; i++)
        x[i] = (x[i] - real_dot(factor + i * size, x, i)) * inverse[i];
}

void cholesky_solve(const double *factor, size_t size, const double *inverse, double *x)
{
    cholesky_solve_lower(factor, size, inverse, x);
    for (size_t i = size; i-- > 0;) {
        x[i] *= inverse[i];
        real_add_times(-x[i], factor + i * size, i, x);
    }
}

// least_squares.c: the solutions of least norm: of any equations, and of those that say which share
// of a reaction dependent rows have.
#include "linalg/dense.h"

#include <lapacke.h>
#include <string.h>

size_t least_squares(double *A, size_t rows, size_t columns, double least, double *b)
{
    size_t most = rows > columns ? rows : columns;
    lapack_int rank = 0, *pivots = base_alloc((columns + 1) * sizeof *pivots);
    // A matrix of rounding is none.
    if (!(real_largest(A, rows * columns) > least))
        memset(b, 0, columns * sizeof *b);
    else
        LAPACKE_dgelsy(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)columns, 1, A,
                       (lapack_int)rows, b, (lapack_int)most, pivots, least, &rank);
    base_free(pivots);
    return (size_t)rank;
}

void least_norm_share(const double *C, size_t rows, size_t columns, double *x, double *work)
{
    double *matrix = work, *inverse = work + columns * columns;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j;
            for (size_t d = 0; d < rows; d++)
                sum += C[d * columns + i] * C[d * columns + j];
            matrix[i * columns + j] = sum;
        }
    if (cholesky_factor(matrix, columns, 0, inverse))
        cholesky_solve(matrix, columns, inverse, x);
}

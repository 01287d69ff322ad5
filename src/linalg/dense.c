// dense.c: orthogonal bases (Gram and Schmidt), Cholesky's factors, solutions of least norm.
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <lapacke.h>
#include <string.h>

// ---- Bases: which rows stand off those before them, and how the others are made of them.

double basis_take_off(const double *axes, size_t count, size_t n, double *vector, double *along)
{
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < count; i++) {
            double part = real_dot(axes + i * n, vector, n);
            real_add_times(-part, axes + i * n, n, vector);
            if (along)
                along[i] += part;
        }
    return real_length(vector, n);
}

void basis_init(Basis *basis, size_t n)
{
    double *work = base_alloc((2 * n * n + 3 * n + 1) * sizeof *work);
    *basis = (Basis){.n = n,
                     .units = work,
                     .made_of = work + n * n,
                     .rest = work + 2 * n * n,
                     .parts = work + 2 * n * n + n,
                     .along = work + 2 * n * n + 2 * n};
}

void basis_clear(Basis *basis)
{
    base_free(basis->units);
    *basis = (Basis){0};
}

double basis_examine(Basis *basis, const double *row)
{
    assert(basis->units && basis->count <= basis->n);
    size_t n = basis->n;
    double length = real_length(row, n);
    memcpy(basis->rest, row, n * sizeof *row);
    memset(basis->parts, 0, n * sizeof *row);
    memset(basis->along, 0, n * sizeof *row);
    double off = basis_take_off(basis->units, basis->count, n, basis->rest, basis->along);
    for (size_t i = 0; i < basis->count; i++)
        real_add_times(basis->along[i], basis->made_of + i * n, n, basis->parts);
    return length > 0 ? off / length : 0;
}

bool basis_take(Basis *basis, const double *row, double least)
{
    size_t n = basis->n, at = basis->count;
    if (!(basis_examine(basis, row) > least) || at == n)
        return false;
    double length = real_length(basis->rest, n);
    for (size_t j = 0; j < n; j++) {
        basis->units[at * n + j] = basis->rest[j] / length;
        basis->made_of[at * n + j] = -basis->parts[j] / length;
    }
    basis->made_of[at * n + at] += 1 / length;
    basis->count++;
    return true;
}

void basis_complete(Basis *basis)
{
    double *unit = base_alloc((basis->n + 1) * sizeof *unit);
    for (size_t j = 0; j < basis->n; j++) {
        unit[j] = 1;
        basis_take(basis, unit, TOL_COARSE);
        unit[j] = 0;
    }
    base_free(unit);
}

// ---- Cholesky's factors.

static bool factor_small(double *matrix, size_t size, size_t stride, double least_pivot)
{
    for (size_t i = 0; i < size; i++) {
        double *row = matrix + i * stride, own = row[i], pivot = own;
        for (size_t j = 0; j < i; j++) {
            const double *other = matrix + j * stride;
            row[j] = (row[j] - real_dot(row, other, j)) * other[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > least_pivot * own))
            return false;
        row[i] = 1 / sqrt(pivot);
    }
    return true;
}

bool cholesky_factor(double *matrix, size_t size, size_t stride, double least_pivot)
{
    assert(least_pivot >= 0 && stride >= size);
    if (size <= SIZE_SMALL)
        return factor_small(matrix, size, stride, least_pivot);
    double most = 0;
    for (size_t i = 0; i < size; i++)
        most = real_max(most, matrix[i * (stride + 1)]);
    // Row after row is the transpose to LAPACK.
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)size, matrix, (lapack_int)stride))
        return false;
    for (size_t i = 0; i < size; i++) {
        // A row's square is the diagonal that its pivot began as.
        double *row = matrix + i * stride, pivot = row[i] * row[i];
        if (!(pivot > least_pivot * most) && !(pivot > least_pivot * real_dot(row, row, i + 1)))
            return false;
        row[i] = 1 / row[i];
    }
    return true;
}

void cholesky_solve_lower(const double *factor, size_t size, size_t stride, double *x)
{
    size_t first = 0;
    while (first < size && x[first] == 0)
        first++;
    for (size_t i = first; i < size; i++) {
        const double *row = factor + i * stride;
        x[i] = (x[i] - real_dot(row + first, x + first, i - first)) * row[i];
    }
}

void cholesky_solve_upper(const double *factor, size_t size, size_t stride, double *x)
{
    for (size_t i = size; i-- > 0;) {
        x[i] *= factor[i * (stride + 1)];
        real_add_times(-x[i], factor + i * stride, i, x);
    }
}

void cholesky_solve(const double *factor, size_t size, double *x)
{
    cholesky_solve_lower(factor, size, size, x);
    cholesky_solve_upper(factor, size, size, x);
}

// ---- Least norm.

size_t least_squares(double *A, size_t rows, size_t columns, double least, double *b)
{
    assert(least >= 0 && (rows * columns == 0 || A));
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
    assert(x != work && (rows == 0 || C));
    double *matrix = work;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j;
            for (size_t d = 0; d < rows; d++)
                sum += C[d * columns + i] * C[d * columns + j];
            matrix[i * columns + j] = sum;
        }
    if (cholesky_factor(matrix, columns, columns, 0))
        cholesky_solve(matrix, columns, x);
}

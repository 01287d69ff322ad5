// lapack_drivers.c: LAPACK's drivers with matrices row by row and work arrays of ours. LAPACKE's
// own drivers do the same, but print where they get no memory.
#include "base/base.h"
#include "linalg/lapack.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool any_nan(const double *numbers, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found = found || isnan(numbers[i]);
    return found;
}

static double *copy_transposed(const double *matrix, size_t rows, size_t columns)
{
    double *copy = base_alloc((rows * columns + 1) * sizeof *copy);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            copy[j * rows + i] = matrix[i * columns + j];
    return copy;
}

static void transpose_square(double *matrix, size_t size)
{
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++) {
            double kept = matrix[i * size + j];
            matrix[i * size + j] = matrix[j * size + i];
            matrix[j * size + i] = kept;
        }
}

static double *work_of(double size)
{
    return base_alloc(((size_t)size + 1) * sizeof(double));
}

bool lapack_solve(size_t size, size_t columns, double *A, double *b, double least)
{
    if (size == 0 || columns == 0)
        return true;
    double norm = 0, reciprocal = 0;
    for (size_t j = 0; j < size; j++) {
        double sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += fabs(A[i * size + j]);
        norm = isfinite(sum) ? fmax(norm, sum) : INFINITY;
    }
    if (!isfinite(norm))
        return false;
    lapack_int n = (lapack_int)size, *order = base_alloc(2 * size * sizeof *order);
    double *right = copy_transposed(b, size, columns), *work = work_of(4 * (double)size);
    transpose_square(A, size);
    bool good = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, order) == 0 &&
                LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', n, A, n, norm, &reciprocal, work,
                                    order + size) == 0 &&
                reciprocal > least;
    if (good)
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, (lapack_int)columns, A, n, order, right, n);
    for (size_t i = 0; i < size * columns && good; i++)
        b[i] = right[i % columns * size + i / columns];
    base_free(work);
    base_free(right);
    base_free(order);
    return good;
}

bool lapack_least_norm(size_t rows, size_t columns, double *A, double *b, double part, size_t *rank)
{
    size_t longer = rows > columns ? rows : columns, least = rows + columns - longer;
    assert(least > 0);
    *rank = 0;
    if (any_nan(A, rows * columns) || any_nan(b, rows))
        return false;
    double *matrix = copy_transposed(A, rows, columns), *values = work_of((double)least), size;
    lapack_int m = (lapack_int)rows, n = (lapack_int)columns, found, places;
    LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, matrix, m, b, (lapack_int)longer, values, part,
                        &found, &size, -1, &places);
    double *work = work_of(size);
    lapack_int *order = base_alloc(((size_t)places + 1) * sizeof *order);
    bool good = LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, matrix, m, b, (lapack_int)longer,
                                    values, part, &found, work, (lapack_int)size, order) == 0;
    *rank = good ? (size_t)found : 0;
    base_free(order);
    base_free(work);
    base_free(values);
    base_free(matrix);
    return good;
}

bool lapack_axes(size_t rows, size_t columns, double *A, double *values, double *axes)
{
    assert(rows >= columns);
    if (columns == 0 || any_nan(A, rows * columns))
        return columns == 0;
    lapack_int m = (lapack_int)rows, n = (lapack_int)columns;
    lapack_int *order = base_alloc(8 * columns * sizeof *order);
    double *matrix = copy_transposed(A, rows, columns), unused, size;
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'O', m, n, matrix, m, values, &unused, m, axes, n, &size,
                        -1, order);
    double *work = work_of(size);
    bool good = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'O', m, n, matrix, m, values, &unused, m,
                                    axes, n, work, (lapack_int)size, order) == 0;
    transpose_square(axes, columns);
    base_free(work);
    base_free(matrix);
    base_free(order);
    return good;
}

bool lapack_complex_axes(size_t size, lapack_complex_double *A, double *values,
                         lapack_complex_double *axes)
{
    lapack_int n = (lapack_int)size;
    if (size == 0 || any_nan((double *)A, 2 * size * size))
        return size == 0;
    lapack_complex_double *matrix = base_alloc(size * size * sizeof *matrix), unused, length;
    for (size_t i = 0; i < size * size; i++)
        matrix[i] = A[i % size * size + i / size];
    lapack_int *order = base_alloc(8 * size * sizeof *order);
    // What zgesdd's manual asks for where U overwrites A.
    double *reals = work_of((double)(5 * size * size + 7 * size));
    LAPACKE_zgesdd_work(LAPACK_COL_MAJOR, 'O', n, n, matrix, n, values, &unused, n, axes, n,
                        &length, -1, reals, order);
    lapack_int most = (lapack_int)lapack_complex_double_real(length);
    lapack_complex_double *work = base_alloc(((size_t)most + 1) * sizeof *work);
    bool good = LAPACKE_zgesdd_work(LAPACK_COL_MAJOR, 'O', n, n, matrix, n, values, &unused, n,
                                    axes, n, work, most, reals, order) == 0;
    for (size_t i = 0; i < size * size; i++)
        matrix[i] = axes[i % size * size + i / size];
    memcpy(axes, matrix, size * size * sizeof *axes);
    base_free(work);
    base_free(reals);
    base_free(order);
    base_free(matrix);
    return good;
}

bool lapack_singular_values(size_t rows, size_t columns, double *A, double *values, double *axes)
{
    assert(rows > 0 && columns > 0);
    if (any_nan(A, rows * columns))
        return false;
    lapack_int m = (lapack_int)rows, n = (lapack_int)columns;
    double none, *u = axes ? axes : &none, size;
    LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, axes ? 'A' : 'N', 'N', m, n, A, m, values, u, m, &none, 1,
                        &size, -1);
    double *work = work_of(size);
    bool good = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, axes ? 'A' : 'N', 'N', m, n, A, m, values, u,
                                    m, &none, 1, work, (lapack_int)size) == 0;
    base_free(work);
    return good;
}

bool lapack_eigenvalues(size_t size, double *A, double *re, double *im, double *vectors)
{
    if (size == 0 || any_nan(A, size * size))
        return size == 0;
    lapack_int n = (lapack_int)size;
    double none, *right = vectors ? vectors : &none, length;
    char wanted = vectors ? 'V' : 'N';
    transpose_square(A, size);
    LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', wanted, n, A, n, re, im, &none, n, right, n, &length,
                       -1);
    double *work = work_of(length);
    bool good = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', wanted, n, A, n, re, im, &none, n, right,
                                   n, work, (lapack_int)length) == 0;
    if (vectors)
        transpose_square(vectors, size);
    base_free(work);
    return good;
}

bool lapack_symmetric_pencil(size_t size, double *A, double *B, double *values)
{
    if (size == 0 || any_nan(A, size * size) || any_nan(B, size * size))
        return size == 0;
    lapack_int n = (lapack_int)size;
    double length;
    LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'N', 'L', n, A, n, B, n, values, &length, -1);
    double *work = work_of(length);
    bool good = LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'N', 'L', n, A, n, B, n, values, work,
                                   (lapack_int)length) == 0;
    base_free(work);
    return good;
}

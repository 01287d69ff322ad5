// dense.c: orthogonal bases (Gram and Schmidt), Cholesky's factors, solutions of least norm.
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- Bases: which rows stand off those before them, and how the others are made of them.

void basis_init(Basis *basis, Arena *arena, size_t n, size_t most)
{
    assert(most <= n);
    *basis = (Basis){.n = n,
                     .most = most,
                     .units = real_alloc(arena, most * n),
                     .made_of = real_alloc(arena, most * most),
                     .rest = real_alloc(arena, n),
                     .parts = real_alloc(arena, most),
                     .along = real_alloc(arena, most)};
}

double basis_examine(Basis *basis, const double *row)
{
    assert(basis->units && basis->count <= basis->most);
    size_t n = basis->n, count = basis->count;
    double *rest = basis->rest, length = real_length(row, n);
    memcpy(rest, row, n * sizeof *row);
    memset(basis->parts, 0, basis->most * sizeof *row);
    memset(basis->along, 0, count * sizeof *row);
    // Twice, so that the rest is orthogonal to rounding.
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < count; i++) {
            double part = real_dot(basis->units + i * n, rest, n);
            real_add_times(-part, basis->units + i * n, n, rest);
            basis->along[i] += part;
        }
    for (size_t i = 0; i < count; i++)
        real_add_times(basis->along[i], basis->made_of + i * basis->most, i + 1, basis->parts);
    return length > 0 ? real_length(rest, n) / length : 0;
}

void basis_take_examined(Basis *basis)
{
    size_t n = basis->n, at = basis->count++;
    assert(at < basis->most);
    double *made_of = basis->made_of + at * basis->most, length = real_length(basis->rest, n);
    for (size_t j = 0; j < n; j++)
        basis->units[at * n + j] = basis->rest[j] / length;
    for (size_t j = 0; j < at; j++)
        made_of[j] = -basis->parts[j] / length;
    made_of[at] = 1 / length;
}

bool basis_take(Basis *basis, const double *row, double least)
{
    if (!(basis_examine(basis, row) > least) || basis->count == basis->most)
        return false;
    basis_take_examined(basis);
    return true;
}

// (one, other) becomes (c·one − s·other, s·one + c·other).
static void rotate(double c, double s, size_t count, double *one, double *other)
{
    for (size_t i = 0; i < count; i++) {
        double first = one[i], second = other[i];
        one[i] = c * first - s * second;
        other[i] = s * first + c * second;
    }
}

// Turns the units behind the place until none but the last is made of its row.
void basis_drop(Basis *basis, size_t at)
{
    assert(at < basis->count);
    size_t n = basis->n, most = basis->most, last = --basis->count;
    for (size_t i = at; i < last; i++) {
        double *unit = basis->units + i * n, *made_of = basis->made_of + i * most;
        double a = made_of[at], b = made_of[most + at], length = hypot(a, b);
        made_of[i + 1] = 0;
        rotate(b / length, a / length, n, unit, unit + n);
        rotate(b / length, a / length, i + 2, made_of, made_of + most);
        memmove(made_of + at, made_of + at + 1, (i + 1 - at) * sizeof *made_of);
    }
}

void basis_complete(Basis *basis)
{
    assert(basis->most == basis->n);
    double *unit = base_alloc((basis->n + 1) * sizeof *unit);
    for (size_t j = 0; j < basis->n; j++) {
        unit[j] = 1;
        basis_take(basis, unit, TOL_COARSE);
        unit[j] = 0;
    }
    base_free(unit);
}

static int by_index(const void *a, const void *b)
{
    const size_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

bool rows_choose(double *matrix, size_t rows, size_t n, const double *sizes, size_t count,
                 double least, size_t *chosen)
{
    assert(count <= rows && least > 0);
    for (size_t taken = 0; taken < count; taken++) {
        size_t best = rows;
        double most = least;
        for (size_t i = 0; i < rows; i++) {
            double part = sizes[i] > 0 ? real_length(matrix + i * n, n) / sizes[i] : 0;
            if (part > most) {
                most = part;
                best = i;
            }
        }
        if (best == rows)
            return false;
        double *row = matrix + best * n, square = real_dot(row, row, n);
        for (size_t i = 0; i < rows; i++)
            if (i != best)
                real_add_times(-real_dot(matrix + i * n, row, n) / square, row, n, matrix + i * n);
        memset(row, 0, n * sizeof *row);
        chosen[taken] = best;
    }
    qsort(chosen, count, sizeof *chosen, by_index);
    return true;
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
    // A matrix of rounding is none.
    if (!(real_largest(A, rows * columns) > least)) {
        memset(b, 0, columns * sizeof *b);
        return 0;
    }
    lapack_int rank = 0, *pivots = base_alloc((columns + 1) * sizeof *pivots);
    lapack_int m = (lapack_int)rows, n = (lapack_int)columns, lead = (lapack_int)most;
    double size;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, A, m, b, lead, pivots, least, &rank, &size, -1);
    double *work = base_alloc((size_t)size * sizeof *work);
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, A, m, b, lead, pivots, least, &rank, work,
                        (lapack_int)size);
    base_free(work);
    base_free(pivots);
    return (size_t)rank;
}

void least_norm_share(const double *C, size_t rows, size_t columns, double *x, double *work)
{
    assert((x != work && (rows == 0 || C)) || columns == 0);
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

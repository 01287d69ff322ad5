// basis.c: rows of numbers one after the other: which stand off those before them, and how the
// others are made of them (Gram and Schmidt, twice, so that the units stay orthogonal to rounding).
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

void basis_init(Basis *basis, size_t n)
{
    double *room = base_alloc((2 * n * n + 2 * n + 1) * sizeof *room);
    *basis = (Basis){.n = n,
                     .units = room,
                     .made_of = room + n * n,
                     .rest = room + 2 * n * n,
                     .parts = room + 2 * n * n + n};
}

void basis_clear(Basis *basis)
{
    base_free(basis->units);
    *basis = (Basis){0};
}

static double length_of(const double *row, size_t n)
{
    double square = 0;
    for (size_t j = 0; j < n; j++)
        square += row[j] * row[j];
    return sqrt(square);
}

double basis_examine(Basis *basis, const double *row)
{
    size_t n = basis->n;
    double length = length_of(row, n);
    memcpy(basis->rest, row, n * sizeof *row);
    memset(basis->parts, 0, n * sizeof *row);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < basis->count; i++) {
            const double *unit = basis->units + i * n;
            double along = 0;
            for (size_t j = 0; j < n; j++)
                along += unit[j] * basis->rest[j];
            for (size_t j = 0; j < n; j++) {
                basis->rest[j] -= along * unit[j];
                basis->parts[j] += along * basis->made_of[i * n + j];
            }
        }
    return length > 0 ? length_of(basis->rest, n) / length : 0;
}

bool basis_take(Basis *basis, const double *row, double least)
{
    size_t n = basis->n, at = basis->count;
    if (!(basis_examine(basis, row) > least) || at == n)
        return false;
    double length = length_of(basis->rest, n);
    for (size_t j = 0; j < n; j++) {
        basis->units[at * n + j] = basis->rest[j] / length;
        basis->made_of[at * n + j] = -basis->parts[j] / length;
    }
    basis->made_of[at * n + at] += 1 / length;
    basis->count++;
    return true;
}

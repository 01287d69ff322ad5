// basis.c: rows of numbers one after the other: which stand off those before them, and how the
// others are made of them (Gram and Schmidt, twice, so that the units stay orthogonal to rounding).
#include "linalg/dense.h"

#include <string.h>

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

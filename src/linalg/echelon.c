// echelon.c: equations one after the other, each reduced by those before it: which of them are
// independent, and what they come to. Only what is filled is touched; a row gives its largest entry
// as pivot, so that no multiplier is large for long.
#include "linalg/sparse.h"

#include <math.h>
#include <string.h>

void echelon_init(Echelon *echelon, size_t n)
{
    *echelon = (Echelon){.n = n};
    echelon->pivots = base_alloc((n + 1) * sizeof *echelon->pivots);
    echelon->rights = base_alloc((n + 1) * sizeof *echelon->rights);
    echelon->work = base_alloc((n + 1) * sizeof *echelon->work);
    array_push(&echelon->begins, 0);
}

void echelon_clear(Echelon *echelon)
{
    array_clear(&echelon->begins);
    array_clear(&echelon->places);
    array_clear(&echelon->values);
    base_free(echelon->pivots);
    base_free(echelon->rights);
    base_free(echelon->work);
    *echelon = (Echelon){0};
}

// Puts the work as it is, its pivot made 1, behind the rows taken.
static void keep(Echelon *echelon, size_t pivot, double right, double least)
{
    double *work = echelon->work, factor = 1 / work[pivot];
    for (size_t j = 0; j < echelon->n; j++)
        if (fabs(work[j]) > least) {
            array_push(&echelon->places, j);
            array_push(&echelon->values, j == pivot ? 1 : factor * work[j]);
        }
    echelon->pivots[echelon->count] = pivot;
    echelon->rights[echelon->count++] = factor * right;
    array_push(&echelon->begins, echelon->places.count);
}

bool echelon_take(Echelon *echelon, const double *row, double right, double least, double *miss)
{
    size_t n = echelon->n, pivot = 0;
    double *work = echelon->work, length = 0;
    memcpy(work, row, n * sizeof *work);
    for (size_t j = 0; j < n; j++)
        length = fmax(length, fabs(row[j]));
    for (size_t i = 0; i < echelon->count; i++) {
        double factor = work[echelon->pivots[i]];
        if (factor == 0)
            continue;
        for (size_t l = echelon->begins.at[i]; l < echelon->begins.at[i + 1]; l++)
            work[echelon->places.at[l]] -= factor * echelon->values.at[l];
        work[echelon->pivots[i]] = 0;
        right -= factor * echelon->rights[i];
    }
    for (size_t j = 1; j < n; j++)
        if (fabs(work[j]) > fabs(work[pivot]))
            pivot = j;
    *miss = right;
    if (!(fabs(work[pivot]) > least * length))
        return false;
    // What rounding leaves of entries that cancel is none.
    keep(echelon, pivot, right, 1e-14 * length);
    return true;
}

void echelon_solve(const Echelon *echelon, double *x)
{
    for (size_t i = echelon->count; i-- > 0;) {
        double value = echelon->rights[i];
        for (size_t l = echelon->begins.at[i]; l < echelon->begins.at[i + 1]; l++)
            if (echelon->places.at[l] != echelon->pivots[i])
                value -= echelon->values.at[l] * x[echelon->places.at[l]];
        x[echelon->pivots[i]] = value;
    }
}

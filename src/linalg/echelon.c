// echelon.c: equations one after the other, each reduced by those before it: which of them are
// independent, and what they come to. Only what is filled is touched; a row gives its largest entry
// as pivot, so that no multiplier is large for long.
#include "linalg/echelon.h"
#include "linalg/dense.h"
#include "linalg/real.h"
#include "linalg/sparse_rows.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <string.h>

void echelon_init(Echelon *echelon, size_t n)
{
    *echelon = (Echelon){.n = n};
    echelon->pivots = base_alloc((n + 1) * sizeof *echelon->pivots);
    echelon->rights = base_alloc((2 * n + 1) * sizeof *echelon->rights);
    echelon->work = echelon->rights + n;
    echelon->held = base_alloc((n + 1) * sizeof *echelon->held);
    sparse_store_begin(&echelon->rows);
}

void echelon_clear(Echelon *echelon)
{
    sparse_store_clear(&echelon->rows);
    base_free(echelon->pivots);
    base_free(echelon->rights);
    base_free(echelon->held);
    *echelon = (Echelon){0};
}

static void push(Echelon *echelon, size_t column, double value)
{
    sparse_store_push(&echelon->rows, column, value);
    echelon->held[column]++;
}

static void end_row(Echelon *echelon, size_t pivot, double right)
{
    sparse_store_end_row(&echelon->rows);
    echelon->pivots[echelon->count] = pivot;
    echelon->rights[echelon->count++] = right;
}

// Puts the work as it is, its pivot made 1, behind the rows taken.
static void keep(Echelon *echelon, size_t pivot, double right, double least)
{
    double *work = echelon->work, factor = 1 / work[pivot];
    for (size_t j = 0; j < echelon->n; j++)
        if (fabs(work[j]) > least)
            push(echelon, j, j == pivot ? 1 : factor * work[j]);
    end_row(echelon, pivot, factor * right);
}

static size_t choose_pivot(Echelon *echelon)
{
    const double *work = echelon->work;
    size_t pivot = 0;
    for (size_t j = 1; j < echelon->n; j++)
        if (fabs(work[j]) > fabs(work[pivot]))
            pivot = j;
    if (!echelon->usual)
        return pivot;
    size_t *usual = echelon->usual++;
    if (*usual > 0 && 8 * fabs(work[*usual - 1]) >= fabs(work[pivot]))
        return *usual - 1;
    *usual = pivot + 1;
    return pivot;
}

bool echelon_take(Echelon *echelon, const double *row, double right, double *miss)
{
    assert(echelon->pivots && echelon->count <= echelon->n);
    size_t n = echelon->n;
    double *work = echelon->work, length = real_largest(row, n);
    SparseRows taken = sparse_store_rows(&echelon->rows);
    memcpy(work, row, n * sizeof *work);
    for (size_t i = 0; i < echelon->count; i++) {
        double factor = work[echelon->pivots[i]];
        if (factor == 0)
            continue;
        sparse_row_add(&taken, i, -factor, work);
        work[echelon->pivots[i]] = 0;
        right -= factor * echelon->rights[i];
    }
    size_t pivot = choose_pivot(echelon);
    *miss = right;
    if (!(fabs(work[pivot]) > TOL_RANK * length))
        return false;
    // What rounding leaves of entries that cancel is none.
    keep(echelon, pivot, right, TOL_ROUNDING * length);
    return true;
}

bool echelon_take_apart(Echelon *echelon, size_t column, double right)
{
    assert(column < echelon->n);
    if (echelon->held[column] > 0 || echelon->usual)
        return false;
    push(echelon, column, 1);
    end_row(echelon, column, right);
    return true;
}

void echelon_truncate(Echelon *echelon, size_t count)
{
    SparseStore *rows = &echelon->rows;
    assert(count <= echelon->count);
    for (size_t at = rows->first.at[count]; at < rows->column.count; at++)
        echelon->held[rows->column.at[at]]--;
    echelon->count = count;
    rows->first.count = count + 1;
    rows->column.count = rows->value.count = rows->first.at[count];
}

void echelon_solve(const Echelon *echelon, double *x)
{
    assert(echelon->pivots && echelon->count <= echelon->n);
    SparseRows taken = sparse_store_rows(&echelon->rows);
    for (size_t i = echelon->count; i-- > 0;) {
        size_t pivot = echelon->pivots[i];
        x[pivot] = 0;
        // A sum that is 0 has no sign.
        x[pivot] = 0 - sparse_row_times(&taken, i, x, -echelon->rights[i], NULL);
    }
}

// The entries that no equation has as its pivot are free: row·x is a constant and a sum over these.
void echelon_fit(const Echelon *echelon, const double *rows, const double *weights, size_t count,
                 double *values)
{
    size_t n = echelon->n, taken = echelon->count, free = n - taken;
    assert(count > 0 && free > 0);
    Arena *arena = arena_new();
    double *x = real_alloc(arena, n), *origin = real_alloc(arena, n);
    double *slopes = real_alloc(arena, count * free), *matrix = real_alloc(arena, count * free);
    double *parts = real_alloc(arena, count + free);
    bool *pivot = arena_array(arena, bool, n);
    for (size_t i = 0; i < taken; i++)
        pivot[echelon->pivots[i]] = true;
    echelon_solve(echelon, origin);
    for (size_t j = 0, k = 0; j < n; j++) {
        if (pivot[j])
            continue;
        memset(x, 0, n * sizeof *x);
        x[j] = 1;
        echelon_solve(echelon, x);
        real_add_times(-1, origin, n, x);
        for (size_t i = 0; i < count; i++)
            slopes[k * count + i] = weights[i] * real_dot(rows + i * n, x, n);
        k++;
    }
    memcpy(matrix, slopes, count * free * sizeof *matrix);
    for (size_t i = 0; i < count; i++) {
        double constant = real_dot(rows + i * n, origin, n);
        parts[i] = weights[i] * (values[i] - constant);
        values[i] = constant;
    }
    least_squares(matrix, count, free, TOL_RANK, parts);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < free; k++)
            values[i] += slopes[k * count + i] * parts[k] / weights[i];
    arena_free(arena);
}

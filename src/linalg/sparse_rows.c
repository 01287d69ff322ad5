// sparse_rows.c: rows of few numbers: products, growth, transposition.

#include "linalg/sparse_rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

double sparse_row_times(const SparseRows *rows, size_t row, const double *x, double start,
                        double *terms)
{
    assert(row < rows->count);
    double sum = start, size = fabs(start);
    for (uint32_t at = rows->first[row]; at < rows->first[row + 1]; at++) {
        double term = rows->value[at] * x[rows->column[at]];
        sum += term;
        size += fabs(term);
    }
    if (terms)
        *terms = size;
    return sum;
}

void sparse_row_add(const SparseRows *rows, size_t row, double factor, double *sum)
{
    assert(row < rows->count);
    for (uint32_t at = rows->first[row]; at < rows->first[row + 1]; at++)
        sum[rows->column[at]] += factor * rows->value[at];
}

void sparse_rows_expand(const SparseRows *rows, size_t from, size_t count, size_t n, double *dense)
{
    assert(from + count <= rows->count);
    memset(dense, 0, count * n * sizeof *dense);
    for (size_t i = 0; i < count; i++)
        for (uint32_t at = rows->first[from + i]; at < rows->first[from + i + 1]; at++)
            dense[i * n + rows->column[at]] = rows->value[at];
}

void sparse_rows_diagonal(const SparseRows *rows, double *diagonal)
{
    for (size_t i = 0; i < rows->count; i++) {
        diagonal[i] = 0;
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            if (rows->column[at] == i)
                diagonal[i] = rows->value[at];
    }
}

// ---- Rows that grow.

void sparse_store_begin(SparseStore *store)
{
    store->first.count = store->column.count = store->value.count = 0;
    array_push(&store->first, 0);
}

void sparse_store_clear(SparseStore *store)
{
    array_clear(&store->first);
    array_clear(&store->column);
    array_clear(&store->value);
}

void sparse_store_take(SparseStore *store, const SparseRows *rows, size_t row)
{
    assert(row < rows->count);
    for (uint32_t at = rows->first[row]; at < rows->first[row + 1]; at++)
        sparse_store_push(store, rows->column[at], rows->value[at]);
    sparse_store_end_row(store);
}

SparseRows sparse_store_rows(const SparseStore *store)
{
    assert(store->first.count > 0);
    return (SparseRows){.count = store->first.count - 1,
                        .first = store->first.at,
                        .column = store->column.at,
                        .value = store->value.at};
}

void sparse_store_copy(SparseStore *store, const SparseStore *from)
{
    SparseRows rows = sparse_store_rows(from);
    sparse_store_begin(store);
    for (size_t i = 0; i < rows.count; i++)
        sparse_store_take(store, &rows, i);
}

bool sparse_store_has_places_of(const SparseStore *store, const SparseStore *other)
{
    size_t firsts = other->first.count, columns = other->column.count;
    return store->first.count == firsts && store->column.count == columns &&
           memcmp(store->first.at, other->first.at, firsts * sizeof *other->first.at) == 0 &&
           (columns == 0 ||
            memcmp(store->column.at, other->column.at, columns * sizeof *other->column.at) == 0);
}

void sparse_store_transpose(SparseStore *store, const SparseRows *rows, size_t columns)
{
    size_t entries = rows->first[rows->count];
    array_reserve(&store->first, columns + 2);
    array_reserve(&store->column, entries + 1);
    array_reserve(&store->value, entries + 1);
    store->first.count = columns + 1;
    store->column.count = store->value.count = entries;
    // First how many there are before each column, one place on; then each moves its own end.
    uint32_t *first = store->first.at;
    memset(first, 0, (columns + 2) * sizeof *first);
    for (size_t at = 0; at < entries; at++)
        first[rows->column[at] + 2]++;
    for (size_t j = 2; j <= columns; j++)
        first[j] += first[j - 1];
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++) {
            uint32_t to = first[rows->column[at] + 1]++;
            store->column.at[to] = (uint32_t)i;
            store->value.at[to] = rows->value[at];
        }
}

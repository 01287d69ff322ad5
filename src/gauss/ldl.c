// sparse.c: LDLᵀ of a sparse symmetric matrix, some of its rows and columns left out.
//
// The order of elimination is found once for the whole matrix (approximate minimum degree); what is
// left out of it later can only lessen the fill.
#include "gauss/gauss_impl.h"

#include <amd.h>
#include <ldl.h>
#include <string.h>

struct Sparse {
    size_t order;        // of the whole matrix
    int *first, *column; // its rows, both halves
    double *value, *diagonal;
    int *sequence; // by elimination: which row comes when
    // Of what is kept:
    int kept;
    int *place, *member; // the place of a row in the elimination or −1; which row stands there
    int *upper_first, *upper_row;
    double *upper_value;
    int *lower_first, *lower_row, *parent, *lower_count, *flag, *pattern;
    double *lower_value, *pivots, *work;
    // What the room was made for.
    size_t most_order, most_entries, most_lower;
};

Sparse *ldl_new(void)
{
    return base_alloc(sizeof(Sparse));
}

static void free_rows(Sparse *sparse)
{
    int *owned[] = {sparse->first,       sparse->sequence,    sparse->place,  sparse->member,
                    sparse->upper_first, sparse->lower_first, sparse->parent, sparse->lower_count,
                    sparse->flag,        sparse->pattern};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(sparse->diagonal);
    base_free(sparse->pivots);
    base_free(sparse->work);
}

static void free_entries(Sparse *sparse)
{
    base_free(sparse->column);
    base_free(sparse->value);
    base_free(sparse->upper_row);
    base_free(sparse->upper_value);
}

static void free_lower(Sparse *sparse)
{
    base_free(sparse->lower_row);
    base_free(sparse->lower_value);
}

void ldl_free(Sparse *sparse)
{
    if (!sparse)
        return;
    free_rows(sparse);
    free_entries(sparse);
    free_lower(sparse);
    base_free(sparse);
}

static int *whole_numbers(size_t count)
{
    return base_alloc((count + 1) * sizeof(int));
}

static double *numbers(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

static void reserve(Sparse *sparse, size_t order, size_t entries)
{
    if (order > sparse->most_order) {
        free_rows(sparse);
        int **rows[] = {&sparse->first,  &sparse->sequence,    &sparse->place,
                        &sparse->member, &sparse->upper_first, &sparse->lower_first,
                        &sparse->parent, &sparse->lower_count, &sparse->flag,
                        &sparse->pattern};
        sparse->most_order = 2 * order;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            *rows[i] = whole_numbers(sparse->most_order);
        sparse->diagonal = numbers(sparse->most_order);
        sparse->pivots = numbers(sparse->most_order);
        sparse->work = numbers(sparse->most_order);
    }
    if (entries > sparse->most_entries) {
        free_entries(sparse);
        sparse->most_entries = 2 * entries;
        sparse->column = whole_numbers(sparse->most_entries);
        sparse->value = numbers(sparse->most_entries);
        sparse->upper_row = whole_numbers(sparse->most_entries);
        sparse->upper_value = numbers(sparse->most_entries);
    }
}

// ---- The whole matrix.

SparseRows ldl_rows(Sparse *sparse, size_t order, size_t entries)
{
    reserve(sparse, order, entries);
    sparse->order = order;
    return (SparseRows){sparse->first, sparse->column, sparse->value};
}

bool ldl_begin(Sparse *sparse)
{
    for (size_t i = 0; i < sparse->order; i++)
        for (int at = sparse->first[i]; at < sparse->first[i + 1]; at++)
            if (sparse->column[at] == (int)i)
                sparse->diagonal[i] = sparse->value[at];
    return amd_order((int)sparse->order, sparse->first, sparse->column, sparse->sequence, NULL,
                     NULL) >= AMD_OK;
}

double ldl_diagonal(const Sparse *sparse, size_t row)
{
    return sparse->diagonal[row];
}

void ldl_subtract_times(const Sparse *sparse, const double *x, double *y)
{
    for (size_t i = 0; i < sparse->order; i++)
        if (x[i] != 0)
            for (int at = sparse->first[i]; at < sparse->first[i + 1]; at++)
                y[sparse->column[at]] -= x[i] * sparse->value[at];
}

// ---- The part that is kept.

// Its upper half, column after column, in the order of elimination.
static void gather(Sparse *sparse, const bool *kept, double added)
{
    int count = 0, entries = 0;
    for (size_t i = 0; i < sparse->order; i++) {
        int row = sparse->sequence[i];
        sparse->place[row] = kept[row] ? count : -1;
        if (kept[row])
            sparse->member[count++] = row;
    }
    sparse->kept = count;
    for (int k = 0; k < count; k++) {
        int row = sparse->member[k];
        sparse->upper_first[k] = entries;
        for (int at = sparse->first[row]; at < sparse->first[row + 1]; at++) {
            int other = sparse->place[sparse->column[at]];
            if (other < 0 || other > k)
                continue;
            sparse->upper_row[entries] = other;
            sparse->upper_value[entries++] = sparse->value[at] + (other == k ? added : 0);
        }
    }
    sparse->upper_first[count] = entries;
}

bool ldl_factor(Sparse *sparse, const bool *kept, double added, double least_pivot)
{
    gather(sparse, kept, added);
    int count = sparse->kept;
    ldl_symbolic(count, sparse->upper_first, sparse->upper_row, sparse->lower_first, sparse->parent,
                 sparse->lower_count, sparse->flag, NULL, NULL);
    size_t wanted = (size_t)sparse->lower_first[count];
    if (wanted > sparse->most_lower) {
        free_lower(sparse);
        sparse->most_lower = 2 * wanted;
        sparse->lower_row = whole_numbers(sparse->most_lower);
        sparse->lower_value = numbers(sparse->most_lower);
    }
    int done = ldl_numeric(count, sparse->upper_first, sparse->upper_row, sparse->upper_value,
                           sparse->lower_first, sparse->parent, sparse->lower_count,
                           sparse->lower_row, sparse->lower_value, sparse->pivots, sparse->work,
                           sparse->pattern, sparse->flag, NULL, NULL);
    for (int k = 0; k < done; k++)
        if (!(sparse->pivots[k] > least_pivot * (sparse->diagonal[sparse->member[k]] + added)))
            return false;
    return done == count;
}

void ldl_solve(Sparse *sparse, double *x)
{
    int count = sparse->kept;
    for (int k = 0; k < count; k++)
        sparse->work[k] = x[sparse->member[k]];
    ldl_lsolve(count, sparse->work, sparse->lower_first, sparse->lower_row, sparse->lower_value);
    ldl_dsolve(count, sparse->work, sparse->pivots);
    ldl_ltsolve(count, sparse->work, sparse->lower_first, sparse->lower_row, sparse->lower_value);
    for (int k = 0; k < count; k++)
        x[sparse->member[k]] = sparse->work[k];
}

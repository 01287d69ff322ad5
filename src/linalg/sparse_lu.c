// sparse_lu.c: large linear equations with few entries, by KLU's sparse factors (Davis, Palamadai
// 2010).
//
// Rows are kept one after the other; KLU takes columns, so that it sees the transposed matrix and
// solves the transposed equations.
#include "linalg/sparse.h"

#include <klu.h>
#include <string.h>

// Pivots that were chosen for other values serve as long as their judgement is this part of what it
// was then.
#define STILL_GOOD 0.3

struct SparseLuFactors {
    klu_common common;
    klu_symbolic *order;
    klu_numeric *numeric;
    // When pivots were last chosen: the least of them, and how little they had grown.
    double pivot, growth;
    // What was factored.
    int *begins, *places;
    double *values;
    size_t count;
};

bool sparse_pays(size_t unknowns, size_t filled, bool of_legs)
{
    double part = of_legs ? SPARSE_PART_OF_LEGS : SPARSE_PART;
    return unknowns >= (of_legs ? SPARSE_UNKNOWNS_OF_LEGS : SPARSE_UNKNOWNS) &&
           (double)filled <= part * (double)unknowns * (double)unknowns;
}

void sparse_lu_init(SparseLu *sparse, size_t size)
{
    *sparse = (SparseLu){.size = size};
    sparse->factors = base_alloc(sizeof *sparse->factors);
    klu_defaults(&sparse->factors->common);
}

static void forget(SparseLuFactors *factors, bool order)
{
    klu_free_numeric(&factors->numeric, &factors->common);
    if (!order)
        return;
    klu_free_symbolic(&factors->order, &factors->common);
    base_free(factors->begins);
    base_free(factors->places);
    base_free(factors->values);
    factors->begins = factors->places = NULL;
    factors->values = NULL;
}

void sparse_lu_clear(SparseLu *sparse)
{
    if (sparse->factors)
        forget(sparse->factors, true);
    base_free(sparse->factors);
    array_clear(&sparse->begins);
    array_clear(&sparse->places);
    array_clear(&sparse->values);
    *sparse = (SparseLu){0};
}

// ---- Filling.

void sparse_lu_begin(SparseLu *sparse)
{
    sparse->begins.count = sparse->places.count = sparse->values.count = 0;
    array_push(&sparse->begins, 0);
}

void sparse_lu_push(SparseLu *sparse, size_t column, double value)
{
    array_push(&sparse->places, (int)column);
    array_push(&sparse->values, value);
}

void sparse_lu_end_row(SparseLu *sparse)
{
    array_push(&sparse->begins, (int)sparse->places.count);
}

// ---- Factors.

static bool has_same_places(const SparseLu *sparse)
{
    const SparseLuFactors *factors = sparse->factors;
    return factors->order && factors->count == sparse->places.count &&
           memcmp(factors->begins, sparse->begins.at, (sparse->size + 1) * sizeof(int)) == 0 &&
           memcmp(factors->places, sparse->places.at, factors->count * sizeof(int)) == 0;
}

static bool find_order(SparseLu *sparse)
{
    SparseLuFactors *factors = sparse->factors;
    forget(factors, true);
    factors->count = sparse->places.count;
    factors->begins = base_alloc((sparse->size + 1) * sizeof(int));
    factors->places = base_alloc((factors->count + 1) * sizeof(int));
    factors->values = base_alloc((factors->count + 1) * sizeof(double));
    memcpy(factors->begins, sparse->begins.at, (sparse->size + 1) * sizeof(int));
    memcpy(factors->places, sparse->places.at, factors->count * sizeof(int));
    factors->order =
        klu_analyze((int)sparse->size, factors->begins, factors->places, &factors->common);
    return factors->order != NULL;
}

// The least pivot against the largest, and how little entries have grown in elimination: 1 where
// they have not.
static void judge(SparseLuFactors *factors, double *pivot, double *growth)
{
    klu_rcond(factors->order, factors->numeric, &factors->common);
    *pivot = factors->common.rcond;
    klu_rgrowth(factors->begins, factors->places, factors->values, factors->order, factors->numeric,
                &factors->common);
    *growth = factors->common.rgrowth;
}

// With the pivots that were chosen for other values; false where these are no longer good.
static bool factor_again(SparseLuFactors *factors)
{
    double pivot, growth;
    if (!klu_refactor(factors->begins, factors->places, factors->values, factors->order,
                      factors->numeric, &factors->common) ||
        factors->common.status != KLU_OK)
        return false;
    judge(factors, &pivot, &growth);
    return pivot >= STILL_GOOD * factors->pivot && growth >= STILL_GOOD * factors->growth;
}

bool sparse_lu_factor(SparseLu *sparse)
{
    SparseLuFactors *factors = sparse->factors;
    size_t bytes = sparse->values.count * sizeof(double);
    if (!has_same_places(sparse) && !find_order(sparse))
        return false;
    if (factors->numeric && memcmp(factors->values, sparse->values.at, bytes) == 0)
        return true;
    memcpy(factors->values, sparse->values.at, bytes);
    if (factors->numeric && factor_again(factors))
        return true;
    forget(factors, false);
    factors->numeric = klu_factor(factors->begins, factors->places, factors->values, factors->order,
                                  &factors->common);
    if (factors->numeric)
        judge(factors, &factors->pivot, &factors->growth);
    return factors->numeric != NULL;
}

double sparse_lu_least_pivot(SparseLu *sparse)
{
    SparseLuFactors *factors = sparse->factors;
    klu_rcond(factors->order, factors->numeric, &factors->common);
    return factors->common.rcond;
}

void sparse_lu_solve(SparseLu *sparse, double *x)
{
    SparseLuFactors *factors = sparse->factors;
    klu_tsolve(factors->order, factors->numeric, (int)sparse->size, 1, x, &factors->common);
}

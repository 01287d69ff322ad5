// sparse_lu.c: large linear equations with few entries, by KLU's sparse factors (Davis, Palamadai
// 2010).
//
// Rows are kept one after the other; KLU takes columns, so that it sees the transposed matrix and
// solves the transposed equations.
#include "linalg/sparse_lu.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <klu.h>
#include <string.h>

struct SparseLuFactors {
    klu_common common;
    klu_symbolic *order;
    klu_numeric *numeric;
    // Of the factors at hand, and when pivots were last chosen: the least pivot against the
    // largest, and how little entries had grown in elimination, 1 where they had not.
    double pivot, growth, chosen_pivot, chosen_growth;
    SparseStore matrix; // what was factored; KLU counts in int, and reads the same memory:
    int *begins, *places;
    double *values;
};

bool sparse_pays(size_t unknowns, size_t filled, bool changing_sets)
{
    size_t least = changing_sets ? SIZE_SPARSE / 8 : SIZE_SPARSE;
    double square = (double)unknowns * (double)unknowns;
    return unknowns >= least && (double)filled <= (changing_sets ? square / 3 : TOL_POOR * square);
}

void sparse_lu_init(SparseLu *lu, size_t size)
{
    *lu = (SparseLu){.size = size};
    lu->factors = base_alloc(sizeof *lu->factors);
    klu_defaults(&lu->factors->common);
}

void sparse_lu_clear(SparseLu *lu)
{
    SparseLuFactors *factors = lu->factors;
    if (factors) {
        klu_free_numeric(&factors->numeric, &factors->common);
        klu_free_symbolic(&factors->order, &factors->common);
        sparse_store_clear(&factors->matrix);
    }
    base_free(factors);
    sparse_store_clear(&lu->matrix);
    *lu = (SparseLu){0};
}

static bool find_order(SparseLu *lu)
{
    SparseLuFactors *factors = lu->factors;
    klu_free_numeric(&factors->numeric, &factors->common);
    klu_free_symbolic(&factors->order, &factors->common);
    sparse_store_copy(&factors->matrix, &lu->matrix);
    factors->begins = (int *)factors->matrix.first.at;
    factors->places = (int *)factors->matrix.column.at;
    factors->values = factors->matrix.value.at;
    factors->order = klu_analyze((int)lu->size, factors->begins, factors->places, &factors->common);
    return factors->order != NULL;
}

static void judge(SparseLuFactors *factors)
{
    klu_rcond(factors->order, factors->numeric, &factors->common);
    factors->pivot = factors->common.rcond;
    klu_rgrowth(factors->begins, factors->places, factors->values, factors->order, factors->numeric,
                &factors->common);
    factors->growth = factors->common.rgrowth;
}

// With the pivots that were chosen for other values, as long as their judgement is a third of what
// it was then.
static bool factor_again(SparseLuFactors *factors)
{
    if (!klu_refactor(factors->begins, factors->places, factors->values, factors->order,
                      factors->numeric, &factors->common) ||
        factors->common.status != KLU_OK)
        return false;
    judge(factors);
    return 3 * factors->pivot >= factors->chosen_pivot &&
           3 * factors->growth >= factors->chosen_growth;
}

static bool factor_anew(SparseLuFactors *factors)
{
    klu_free_numeric(&factors->numeric, &factors->common);
    factors->numeric = klu_factor(factors->begins, factors->places, factors->matrix.value.at,
                                  factors->order, &factors->common);
    if (!factors->numeric)
        return false;
    judge(factors);
    factors->chosen_pivot = factors->pivot;
    factors->chosen_growth = factors->growth;
    return true;
}

bool sparse_lu_factor(SparseLu *lu, double least_pivot)
{
    SparseLuFactors *factors = lu->factors;
    assert(lu->matrix.first.count == lu->size + 1);
    bool known = factors->order && sparse_store_has_places_of(&lu->matrix, &factors->matrix);
    if (!known && !find_order(lu))
        return false;
    size_t bytes = lu->matrix.value.count * sizeof(double);
    if (!factors->numeric || memcmp(factors->values, lu->matrix.value.at, bytes) != 0) {
        memcpy(factors->values, lu->matrix.value.at, bytes);
        if (!(factors->numeric && factor_again(factors)) && !factor_anew(factors))
            return false;
    }
    return factors->pivot > least_pivot;
}

void sparse_lu_solve(SparseLu *lu, double *x)
{
    SparseLuFactors *factors = lu->factors;
    assert(factors->numeric);
    klu_tsolve(factors->order, factors->numeric, (int)lu->size, 1, x, &factors->common);
}

// dense_rows.h: whole rows of numbers as the sparse rows that the solvers take.
#ifndef ZWANG_TESTS_CONTACT_DENSE_ROWS_H
#define ZWANG_TESTS_CONTACT_DENSE_ROWS_H

#include "linalg/sparse.h"

// `count` rows of n numbers each; the store owns what is returned.
static inline SparseRows sparse_of(SparseStore *store, const double *rows, size_t count, size_t n)
{
    sparse_store_begin(store);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < n; j++)
            if (rows[i * n + j] != 0)
                sparse_store_push(store, j, rows[i * n + j]);
        sparse_store_end_row(store);
    }
    return sparse_store_rows(store);
}

#endif

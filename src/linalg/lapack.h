// lapack.h: LAPACK and BLAS. Their work arrays are ours: LAPACKE prints where it cannot have its
// own. Where memory ends, the call of the library ends (guard.h), and no equation counts as
// singular.
#ifndef ZWANG_LINALG_LAPACK_H
#define ZWANG_LINALG_LAPACK_H

#include <cblas.h>
#include <lapacke.h>
#include <stdbool.h>
#include <stddef.h>

// lapack.c: OpenBLAS maps 128 MiB at the first call of a thread, and tries for ever where it may
// not: whether it may is tried before.
void lapack_make_ready(void);

// ---- Drivers. Matrices are row by row where nothing else is said, and are used up. False where
// LAPACK finds nothing, or where a number is NaN.

// X = A⁻¹·B in B, size × columns; false where 1/(|A|₁·|A⁻¹|₁) is not above `least`.
bool lapack_solve(size_t size, size_t columns, double *A, double *b, double least);
// The shortest x with |A·x − b| least, in b, which has room for the longer of rows and columns.
// Singular values below this part of the largest count as none.
bool lapack_least_norm(size_t rows, size_t columns, double *A, double *b, double part,
                       size_t *rank);
// Singular values, falling, and the rows of Vᵀ (V* below), columns × columns; rows ≥ columns.
bool lapack_axes(size_t rows, size_t columns, double *A, double *values, double *axes);
bool lapack_complex_axes(size_t size, lapack_complex_double *A, double *values,
                         lapack_complex_double *axes);
// Column by column: singular values, falling, and U where `axes` is not NULL, rows × rows.
bool lapack_singular_values(size_t rows, size_t columns, double *A, double *values, double *axes);
// Eigenvalues; `vectors` may be NULL: in its columns, of a pair the real and the imaginary part.
bool lapack_eigenvalues(size_t size, double *A, double *re, double *im, double *vectors);
// The λ of A·x = λ·B·x, rising, where A is symmetric and B positive.
bool lapack_symmetric_pencil(size_t size, double *A, double *B, double *values);

// ---- Single calls of functions that take no memory.
#define LAPACK_CALL(function, ...) (lapack_make_ready(), (function)(__VA_ARGS__))
#define LAPACKE_dgecon_work(...)   LAPACK_CALL(LAPACKE_dgecon_work, __VA_ARGS__)
#define LAPACKE_dgeev_work(...)    LAPACK_CALL(LAPACKE_dgeev_work, __VA_ARGS__)
#define LAPACKE_dgelsd_work(...)   LAPACK_CALL(LAPACKE_dgelsd_work, __VA_ARGS__)
#define LAPACKE_dgelsy_work(...)   LAPACK_CALL(LAPACKE_dgelsy_work, __VA_ARGS__)
#define LAPACKE_dgeqp3_work(...)   LAPACK_CALL(LAPACKE_dgeqp3_work, __VA_ARGS__)
#define LAPACKE_dgesdd_work(...)   LAPACK_CALL(LAPACKE_dgesdd_work, __VA_ARGS__)
#define LAPACKE_dgesvd_work(...)   LAPACK_CALL(LAPACKE_dgesvd_work, __VA_ARGS__)
#define LAPACKE_dgetrf_work(...)   LAPACK_CALL(LAPACKE_dgetrf_work, __VA_ARGS__)
#define LAPACKE_dgetrs_work(...)   LAPACK_CALL(LAPACKE_dgetrs_work, __VA_ARGS__)
#define LAPACKE_dormqr_work(...)   LAPACK_CALL(LAPACKE_dormqr_work, __VA_ARGS__)
#define LAPACKE_dpotrf_work(...)   LAPACK_CALL(LAPACKE_dpotrf_work, __VA_ARGS__)
#define LAPACKE_dsyev_work(...)    LAPACK_CALL(LAPACKE_dsyev_work, __VA_ARGS__)
#define LAPACKE_dsygv_work(...)    LAPACK_CALL(LAPACKE_dsygv_work, __VA_ARGS__)
#define LAPACKE_dtrtrs_work(...)   LAPACK_CALL(LAPACKE_dtrtrs_work, __VA_ARGS__)
#define LAPACKE_zgesdd_work(...)   LAPACK_CALL(LAPACKE_zgesdd_work, __VA_ARGS__)
#define cblas_dsyrk(...)           (lapack_make_ready(), (cblas_dsyrk)(__VA_ARGS__))
#define cblas_dtrsm(...)           (lapack_make_ready(), (cblas_dtrsm)(__VA_ARGS__))

#endif

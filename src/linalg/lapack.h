// lapack.h: LAPACKE and BLAS, whose functions take memory themselves: where that fails, the call of
// the library ends (guard.h), and no equation counts as singular for it.
#ifndef ZWANG_LINALG_LAPACK_H
#define ZWANG_LINALG_LAPACK_H

#include "base/guard.h"

#include <cblas.h>
#include <lapacke.h>

// lapack.c: OpenBLAS maps 128 MiB at the first call of a thread, and tries for ever where it may
// not: whether it may is tried before.
void lapack_make_ready(void);

static inline lapack_int lapack_checked(lapack_int info)
{
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        base_no_memory(0);
    return info;
}

#define LAPACK_CALL(function, ...) (lapack_make_ready(), lapack_checked((function)(__VA_ARGS__)))
#define LAPACKE_dgecon(...)        LAPACK_CALL(LAPACKE_dgecon, __VA_ARGS__)
#define LAPACKE_dgecon_work(...)   LAPACK_CALL(LAPACKE_dgecon_work, __VA_ARGS__)
#define LAPACKE_dgeev(...)         LAPACK_CALL(LAPACKE_dgeev, __VA_ARGS__)
#define LAPACKE_dgeev_work(...)    LAPACK_CALL(LAPACKE_dgeev_work, __VA_ARGS__)
#define LAPACKE_dgelsd(...)        LAPACK_CALL(LAPACKE_dgelsd, __VA_ARGS__)
#define LAPACKE_dgelsy(...)        LAPACK_CALL(LAPACKE_dgelsy, __VA_ARGS__)
#define LAPACKE_dgeqp3_work(...)   LAPACK_CALL(LAPACKE_dgeqp3_work, __VA_ARGS__)
#define LAPACKE_dgesdd(...)        LAPACK_CALL(LAPACKE_dgesdd, __VA_ARGS__)
#define LAPACKE_dgesv(...)         LAPACK_CALL(LAPACKE_dgesv, __VA_ARGS__)
#define LAPACKE_dgesv_work(...)    LAPACK_CALL(LAPACKE_dgesv_work, __VA_ARGS__)
#define LAPACKE_dgesvd(...)        LAPACK_CALL(LAPACKE_dgesvd, __VA_ARGS__)
#define LAPACKE_dgetrf(...)        LAPACK_CALL(LAPACKE_dgetrf, __VA_ARGS__)
#define LAPACKE_dgetrf_work(...)   LAPACK_CALL(LAPACKE_dgetrf_work, __VA_ARGS__)
#define LAPACKE_dgetrs(...)        LAPACK_CALL(LAPACKE_dgetrs, __VA_ARGS__)
#define LAPACKE_dgetrs_work(...)   LAPACK_CALL(LAPACKE_dgetrs_work, __VA_ARGS__)
#define LAPACKE_dormqr_work(...)   LAPACK_CALL(LAPACKE_dormqr_work, __VA_ARGS__)
#define LAPACKE_dpotrf_work(...)   LAPACK_CALL(LAPACKE_dpotrf_work, __VA_ARGS__)
#define LAPACKE_dsyev_work(...)    LAPACK_CALL(LAPACKE_dsyev_work, __VA_ARGS__)
#define LAPACKE_dsygv(...)         LAPACK_CALL(LAPACKE_dsygv, __VA_ARGS__)
#define LAPACKE_dtrtrs_work(...)   LAPACK_CALL(LAPACKE_dtrtrs_work, __VA_ARGS__)
#define LAPACKE_zgesdd(...)        LAPACK_CALL(LAPACKE_zgesdd, __VA_ARGS__)
#define cblas_dsyrk(...)           (lapack_make_ready(), (cblas_dsyrk)(__VA_ARGS__))
#define cblas_dtrsm(...)           (lapack_make_ready(), (cblas_dtrsm)(__VA_ARGS__))

#endif

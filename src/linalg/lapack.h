// lapack.h: LAPACKE, whose functions take memory themselves: where that fails, the call of the
// library ends (guard.h), and no equation counts as singular for it.
#ifndef ZWANG_LINALG_LAPACK_H
#define ZWANG_LINALG_LAPACK_H

#include "base/guard.h"

#include <lapacke.h>

static inline lapack_int lapack_checked(lapack_int info)
{
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        base_no_memory(0);
    return info;
}

#define LAPACKE_dgecon(...)     lapack_checked((LAPACKE_dgecon)(__VA_ARGS__))
#define LAPACKE_dgeev(...)      lapack_checked((LAPACKE_dgeev)(__VA_ARGS__))
#define LAPACKE_dgelsd(...)     lapack_checked((LAPACKE_dgelsd)(__VA_ARGS__))
#define LAPACKE_dgelsy(...)     lapack_checked((LAPACKE_dgelsy)(__VA_ARGS__))
#define LAPACKE_dgesdd(...)     lapack_checked((LAPACKE_dgesdd)(__VA_ARGS__))
#define LAPACKE_dgesv(...)      lapack_checked((LAPACKE_dgesv)(__VA_ARGS__))
#define LAPACKE_dgesv_work(...) lapack_checked((LAPACKE_dgesv_work)(__VA_ARGS__))
#define LAPACKE_dgesvd(...)     lapack_checked((LAPACKE_dgesvd)(__VA_ARGS__))
#define LAPACKE_dgetrf(...)     lapack_checked((LAPACKE_dgetrf)(__VA_ARGS__))
#define LAPACKE_dgetrs(...)     lapack_checked((LAPACKE_dgetrs)(__VA_ARGS__))
#define LAPACKE_dsygv(...)      lapack_checked((LAPACKE_dsygv)(__VA_ARGS__))
#define LAPACKE_zgesdd(...)     lapack_checked((LAPACKE_zgesdd)(__VA_ARGS__))

#endif

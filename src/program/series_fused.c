// series_fused.c: the same for processors of x86-64 with fused products of four numbers.
#if defined __x86_64__ && !defined __FMA__
#define TARGET __attribute__((target("avx2,fma")))
#define FUSED
#else
#define TARGET
#endif
#define KERNEL(name) name##_fused
#include "program/series_kernels.h"

const SeriesKernels series_fused = {prepare_fused, order_fused, other_value,
                                    sum_fused,     bends_fused, waves_fused};

const SeriesKernels *series_kernels(void)
{
#if defined __x86_64__ && !defined __FMA__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &series_fused
                                                                           : &series_plain;
#else
    return &series_plain;
#endif
}

// series_plain.c: the orders of power series for any processor.
#define TARGET
#define KERNEL(name) name##_plain
#ifdef __FMA__
#define FUSED
#endif
#include "program/series_kernels.h"

const SeriesKernels series_plain = {prepare_plain, order_plain, other_value,
                                    sum_plain,     bends_plain, waves_plain};

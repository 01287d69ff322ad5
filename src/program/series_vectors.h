// series_vectors.h: four numbers at once, and products that are fused with sums.
//
// The text of this file is also part of what is compiled (print_flow.c). FUSED: the processor has
// fused products; without it they are worked out by the C library, to the same bits.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
#define AT(p)        (*(const Four *)(p))
#define ALL(x)       ((Four){x, x, x, x})
#define FMA(a, b, c) __builtin_fma(a, b, c)
#if defined __clang__ && defined __has_builtin
#if __has_builtin(__builtin_elementwise_fma)
#define FMA4(a, b, c) __builtin_elementwise_fma(a, b, c)
#endif
#elif defined FUSED && defined __x86_64__
typedef double Whole __attribute__((vector_size(32)));
#define FMA4(a, b, c) ((Four)__builtin_ia32_vfmaddpd256((Whole)(a), (Whole)(b), (Whole)(c)))
#endif
#ifndef FMA4
#define FMA4(a, b, c)                                                                              \
    ({                                                                                             \
        const Four x_ = (a), y_ = (b), z_ = (c);                                                   \
        (Four){FMA(x_[0], y_[0], z_[0]), FMA(x_[1], y_[1], z_[1]), FMA(x_[2], y_[2], z_[2]),       \
               FMA(x_[3], y_[3], z_[3])};                                                          \
    })
#endif
// Reads a vector once that several products need, and not again in each of them.
#if defined __x86_64__ && defined __AVX__
#define ONCE(x) __asm__("" : "+v"(x))
#else
#define ONCE(x) (void)(x)
#endif

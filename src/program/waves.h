// waves.h: sines and cosines of four angles at once; after series_vectors.h.
//
// The text of this file is also part of what is compiled (print_c.c), so that interpreted and
// compiled programs give the same numbers. The angle less the nearest multiple of π/2, of which
// three doubles have 160 digits, is exact to far below the last digit (Cody and Waite, Software
// Manual for the Elementary Functions, 1980); there polynomials of degree 13 and 14 are within
// 2⁻⁵⁷ (Remez's algorithm in 200 bits). Errors are below 0.8 of the last digit. No angle takes
// another way than its neighbour: a processor guesses wrongly which quadrant comes next.
typedef long long FourBits __attribute__((vector_size(32), aligned(8), may_alias));
#define CHOOSE(bits, a, b) ((Four)(((bits) & (FourBits)(a)) | (~(bits) & (FourBits)(b))))
// Beyond this the multiple of π/2 has too many digits.
#define WAVES_MOST 1e6

// x − k·π/2 as the sum of *rest and *tail; k in the last bits of *bits.
WAVES static inline void KERNEL(waves_reduce)(const double *at, Four *rest, Four *tail,
                                              FourBits *bits)
{
    const Four x = AT(at);
    const Four round = FMA4(x, ALL(0x1.45f306dc9c883p-1), ALL(0x1.8p52)), k = ALL(0x1.8p52) - round;
    // The first difference is exact. Of the others what rounding cuts off is kept.
    const Four coarse = FMA4(k, ALL(0x1.921fb54442d18p+0), x),
               fine = k * ALL(0x1.1a62633145c07p-54);
    const Four sum = coarse + fine, added = sum - coarse;
    *rest = sum;
    *tail = FMA4(k, ALL(0x1.1a62633145c07p-54), -fine);
    *tail = FMA4(k, ALL(-0x1.f1976b7ed8fbcp-110), *tail);
    *tail += (coarse - (sum - added)) + (fine - added);
    *bits = (FourBits)round;
}

WAVES static inline void KERNEL(waves_four)(const double *x, double *sines, double *cosines)
{
    Four r, tail;
    FourBits k;
    KERNEL(waves_reduce)(x, &r, &tail, &k);
    const Four z = r * r, half = z * ALL(0.5), one = ALL(1.0) - half;
    Four s = FMA4(z, ALL(0x1.5d92d26283cdap-33), ALL(-0x1.ae5e659f2b9e0p-26));
    Four c = FMA4(z, ALL(-0x1.8fae697fd5f89p-37), ALL(0x1.1ee9eb8a2c715p-29));
    s = FMA4(z, s, ALL(0x1.71de3576f772ap-19));
    c = FMA4(z, c, ALL(-0x1.27e4f8096a2c0p-22));
    s = FMA4(z, s, ALL(-0x1.a01a019c10c60p-13));
    c = FMA4(z, c, ALL(0x1.a01a019cb10b6p-16));
    s = FMA4(z, s, ALL(0x1.111111110f874p-7));
    c = FMA4(z, c, ALL(-0x1.6c16c16c15177p-10));
    s = FMA4(z, s, ALL(-0x1.5555555555549p-3));
    c = FMA4(z, c, ALL(0x1.555555555554cp-5));
    s = r + FMA4(r * z, s, tail * one);
    c = one + (((ALL(1.0) - one) - half) + FMA4(z * z, c, -(r * tail)));
    const FourBits odd = -(k & 1), two = {2, 2, 2, 2};
    const FourBits low = (k & two) << 62, high = ((k + 1) & two) << 62;
    *(Four *)sines = (Four)((FourBits)CHOOSE(odd, c, s) ^ low);
    *(Four *)cosines = (Four)((FourBits)CHOOSE(odd, s, c) ^ high);
}

// Of `count` angles; the arrays end with the last four.
WAVES static void KERNEL(waves)(const double *x, double *sines, double *cosines, long count)
{
    for (long i = 0; i < count; i += 4) {
        KERNEL(waves_four)(x + i, sines + i, cosines + i);
        for (long j = i; j < i + 4; j++)
            if (!(x[j] <= WAVES_MOST && x[j] >= -WAVES_MOST)) {
                sines[j] = sin(x[j]);
                cosines[j] = cos(x[j]);
            }
    }
}

// counter_random.h: random numbers by their index: draw k depends on the seed, the stream and k
// alone, so that draws can be made in any order and by any thread.
#ifndef ZWANG_BASE_COUNTER_RANDOM_H
#define ZWANG_BASE_COUNTER_RANDOM_H

#include "base/counter_rules.h"

// Philox4x32-10: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. The
// seed is the key, k and the stream are the counter, least words first. Whoever needs several
// independent numbers for one k takes several streams.
CounterBits counter_bits(uint64_t seed, uint64_t stream, uint64_t k);
// The upper 52 of its first 64 bits and a half, over 2^52: equally distributed, never 0 and
// never 1.
double counter_uniform(uint64_t seed, uint64_t stream, uint64_t k);
// Of mean 0 and deviation 1, from both halves of the bits by G. E. P. Box and M. E. Muller (1958):
// √(−2 ln u)·cos 2πv, the same bits on every machine.
double counter_normal(uint64_t seed, uint64_t stream, uint64_t k);

#endif

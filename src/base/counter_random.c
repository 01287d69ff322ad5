// counter_random.c: random numbers by their index.
#include "base/counter_random.h"

CounterBits counter_bits(uint64_t seed, uint64_t stream, uint64_t k)
{
    return counter_bits_of(seed, stream, k);
}

double counter_uniform(uint64_t seed, uint64_t stream, uint64_t k)
{
    return counter_uniform_of(seed, stream, k);
}

double counter_normal(uint64_t seed, uint64_t stream, uint64_t k)
{
    return counter_normal_of(seed, stream, k);
}

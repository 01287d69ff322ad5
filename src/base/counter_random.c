// counter_random.c: random numbers by their index.
#include "base/counter_random.h"

#include <math.h>

// Multipliers and increments of the paper.
enum { ROUNDS = 10 };
static const uint32_t MULTIPLIERS[2] = {0xD2511F53, 0xCD9E8D57};
static const uint32_t INCREMENTS[2] = {0x9E3779B9, 0xBB67AE85};

CounterBits counter_bits(uint64_t seed, uint64_t stream, uint64_t k)
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    CounterBits x = {
        {(uint32_t)k, (uint32_t)(k >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t low = (uint64_t)MULTIPLIERS[0] * x.word[0];
        uint64_t high = (uint64_t)MULTIPLIERS[1] * x.word[2];
        x = (CounterBits){{(uint32_t)(high >> 32) ^ x.word[1] ^ key[0], (uint32_t)high,
                           (uint32_t)(low >> 32) ^ x.word[3] ^ key[1], (uint32_t)low}};
        key[0] += INCREMENTS[0];
        key[1] += INCREMENTS[1];
    }
    return x;
}

static double uniform(const uint32_t *words)
{
    uint64_t bits = (uint64_t)words[1] << 32 | words[0];
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

double counter_uniform(uint64_t seed, uint64_t stream, uint64_t k)
{
    CounterBits bits = counter_bits(seed, stream, k);
    return uniform(bits.word);
}

double counter_normal(uint64_t seed, uint64_t stream, uint64_t k)
{
    CounterBits bits = counter_bits(seed, stream, k);
    const double turn = 6.283185307179586;
    return sqrt(-2 * log(uniform(bits.word))) * cos(turn * uniform(bits.word + 2));
}

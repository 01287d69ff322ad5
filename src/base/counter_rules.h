// counter_rules.h: random numbers by their index, in plain C: a part of counter_random.c, and as
// text of exported code.
#include <math.h>
#include <stdint.h>

typedef struct CounterBits {
    uint32_t word[4];
} CounterBits;

enum { COUNTER_ROUNDS = 10 };

static inline CounterBits counter_bits_of(uint64_t seed, uint64_t stream, uint64_t k)
{
    // Multipliers and increments of the paper.
    static const uint32_t multipliers[2] = {0xD2511F53, 0xCD9E8D57};
    static const uint32_t increments[2] = {0x9E3779B9, 0xBB67AE85};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    CounterBits x = {
        {(uint32_t)k, (uint32_t)(k >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    for (int i = 0; i < COUNTER_ROUNDS; i++) {
        uint64_t low = (uint64_t)multipliers[0] * x.word[0];
        uint64_t high = (uint64_t)multipliers[1] * x.word[2];
        x = (CounterBits){{(uint32_t)(high >> 32) ^ x.word[1] ^ key[0], (uint32_t)high,
                           (uint32_t)(low >> 32) ^ x.word[3] ^ key[1], (uint32_t)low}};
        key[0] += increments[0];
        key[1] += increments[1];
    }
    return x;
}

static inline double counter_unit(const uint32_t *words)
{
    uint64_t bits = (uint64_t)words[1] << 32 | words[0];
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

// ---- Functions that are rounded alike on every machine, which those of a mathematical library are
// not: by sums, products and quotients alone.

// ln x = e·ln 2 + 2·artanh((m − 1)/(m + 1)), x = m·2^e, m between √½ and √2.
static inline double counter_logarithm(double x)
{
    enum { TERMS = 12 };
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m = 2 * m;
        exponent = exponent - 1;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int i = TERMS; i >= 0; i--)
        sum = sum * square + 1.0 / (2 * i + 1);
    return exponent * 0.69314718055994531 + 2 * s * sum;
}

// cos(2π·v) for 0 < v < 1: the argument is brought to an eighth of a turn, which is exact.
static inline double counter_cosine_of_turn(double v)
{
    enum { TERMS = 10 };
    const double turn = 6.283185307179586;
    v = v > 0.5 ? 1 - v : v;
    double sign = v > 0.25 ? -1 : 1;
    v = v > 0.25 ? 0.5 - v : v;
    double sine = v > 0.125, x = turn * (v > 0.125 ? 0.25 - v : v);
    double square = x * x, sum = 0;
    for (int i = TERMS; i >= 0; i--)
        sum = 1 - square * sum / ((2 * i + 1 + sine) * (2 * i + 2 + sine));
    return sign * (sine > 0 ? x * sum : sum);
}

static inline double counter_uniform_of(uint64_t seed, uint64_t stream, uint64_t k)
{
    CounterBits bits = counter_bits_of(seed, stream, k);
    return counter_unit(bits.word);
}

static inline double counter_normal_of(uint64_t seed, uint64_t stream, uint64_t k)
{
    CounterBits bits = counter_bits_of(seed, stream, k);
    return sqrt(-2 * counter_logarithm(counter_unit(bits.word))) *
           counter_cosine_of_turn(counter_unit(bits.word + 2));
}

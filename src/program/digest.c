// digest.c: SHA-256 (FIPS 180-4), by which the cache of compiled programs knows its files.
//
// The constants are not listed but made: the leading fractional bits of the square and cube roots
// of the first primes, as the standard defines them, in exact integer arithmetic.
#include "program/digest.h"

#include <string.h>

typedef struct {
    uint32_t state[8], round[64];
} Sha;

typedef unsigned __int128 Wide;

// The first 32 fractional bits of the root of n of this degree: floor(root(n)·2^32) mod 2^32.
static uint32_t root_bits(uint64_t n, int degree)
{
    uint64_t low = 0, high = (uint64_t)1 << 37; // roots of primes below 312 are below 32
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        // middle^degree <= n·2^(32·degree), both sides cut by 2^32 where cubes would not fit.
        Wide square = (Wide)middle * middle;
        bool below;
        if (degree == 2) {
            below = square <= (Wide)n << 64;
        } else {
            Wide cut = square >> 32, rest = square & 0xFFFFFFFFu;
            Wide cube = cut * middle + ((rest * middle) >> 32);
            below = cube < (Wide)n << 64;
        }
        if (below)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static void sha_init(Sha *sha)
{
    uint64_t candidate = 2;
    for (size_t found = 0; found < 64; candidate++) {
        bool prime = true;
        for (uint64_t d = 2; d * d <= candidate; d++)
            prime = prime && candidate % d != 0;
        if (!prime)
            continue;
        if (found < 8)
            sha->state[found] = root_bits(candidate, 2);
        sha->round[found++] = root_bits(candidate, 3);
    }
}

static uint32_t turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void sha_block(Sha *sha, const unsigned char *block)
{
    uint32_t w[64];
    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (size_t i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    // The standard's names of the working variables, which stay in registers.
    uint32_t a = sha->state[0], b = sha->state[1], c = sha->state[2], d = sha->state[3];
    uint32_t e = sha->state[4], f = sha->state[5], g = sha->state[6], h = sha->state[7];
    for (size_t i = 0; i < 64; i++) {
        uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
        uint32_t one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + sha->round[i] + w[i];
        uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    const uint32_t s[] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++)
        sha->state[i] += s[i];
}

void digest_bytes(const void *bytes, size_t count, unsigned char digest[DIGEST_BYTES])
{
    Sha sha;
    sha_init(&sha);
    const unsigned char *at = bytes;
    size_t left = count;
    for (; left >= 64; left -= 64, at += 64)
        sha_block(&sha, at);
    // The rest, a single bit, zeros, and the length in bits.
    unsigned char last[128] = {0};
    if (left)
        memcpy(last, at, left);
    last[left] = 0x80;
    size_t size = left < 56 ? 64 : 128;
    for (size_t i = 0; i < 8; i++)
        last[size - 1 - i] = (unsigned char)((uint64_t)count * 8 >> 8 * i);
    for (size_t i = 0; i < size; i += 64)
        sha_block(&sha, last + i);
    for (size_t i = 0; i < DIGEST_BYTES; i++)
        digest[i] = (unsigned char)(sha.state[i / 4] >> (24 - 8 * (i % 4)));
}

void digest_print(const unsigned char digest[DIGEST_BYTES], char text[2 * DIGEST_BYTES + 1])
{
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    text[2 * DIGEST_BYTES] = '\0';
}

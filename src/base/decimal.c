// decimal.c: the shortest decimal of a binary number.
//
// R. Giulietti, "The Schubfach way to render doubles", 2020. A number v = c·2^q is read from every
// decimal in the interval between the middles to its neighbours, ends included where c is even.
// With k = floor(log10 of the interval's width) the interval holds one multiple of 10^k at least
// and one of 10^(k+1) at most. That one is the shortest decimal; else the nearest multiple of 10^k
// is. Products with 10^-k to 128 bits, rounded to odd, decide every comparison as exact ones do.
#include "base/decimal.h"
#include "base/strings.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 Wide;

enum { LEAST_POWER = -292 };
static const struct {
    uint64_t high, low;
} powers[] = {
#define POWER(high, low) {high, low},
#include "base/powers_of_ten.def"
#undef POWER
};

// c·2^q; `narrow` where the neighbour below is nearer than the one above.
typedef struct {
    uint64_t c;
    int q;
    bool narrow;
} Binary;

// digits·10^exponent.
typedef struct {
    uint64_t digits;
    int exponent;
} Decimal;

// ---- floor(log10(2^q)), of 3/4 of that, and floor(log2(10^p)), exactly for all that occur.

static int log10_of_power(int q, bool three_quarters)
{
    return (q * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

static int log2_of_power(int p)
{
    return (p * 1741647) >> 19;
}

// ---- The shortest decimal.

// a·10^p·2^…, of which the integer part is the upper 64 bits of the product: rounded to odd, which
// is that part with its last bit set where there is a fraction. The power is above the true one by
// less than 1 in its last place, which cannot be seen beyond the last bit of the middle word.
static uint64_t scale(uint64_t a, size_t power)
{
    Wide low = (Wide)powers[power].low * a, high = (Wide)powers[power].high * a + (low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static Decimal shortest(Binary v)
{
    int k = log10_of_power(v.q, v.narrow), shift = v.q + log2_of_power(-k) + 1;
    size_t power = (size_t)(-k - LEAST_POWER);
    assert(shift >= 1 && shift <= 4 && power < sizeof powers / sizeof *powers);
    // Four times v and the ends of its interval, in units of 10^k. An end that does not count is
    // moved inside by the least that matters.
    uint64_t odd = v.c & 1, middle = scale(4 * v.c << shift, power);
    uint64_t lower = scale((4 * v.c - (v.narrow ? 1 : 2)) << shift, power) + odd;
    uint64_t upper = scale((4 * v.c + 2) << shift, power) - odd;
    uint64_t s = middle / 4, tens = s / 10;
    bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
    if (tens > 0 && below != above)
        return (Decimal){tens + above, k + 1};
    below = lower <= 4 * s;
    above = 4 * s + 4 <= upper;
    if (below == above) // both, or none: the nearer one
        above = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1));
    return (Decimal){s + above, k};
}

// ---- Its digits.

// Most numbers have all the digits that there can be.
static int digit_count(uint64_t digits)
{
    if (digits >= UINT64_C(10000000000000000))
        return 17;
    if (digits >= UINT64_C(1000000000000000))
        return 16;
    int count = 1;
    for (uint64_t power = 10; digits >= power; power *= 10)
        count++;
    return count;
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

static void write_pair(uint32_t digits, char *out)
{
    memcpy(out, pairs + 2 * (size_t)digits, 2);
}

// Eight digits, leading zeros included.
static void write_eight(uint32_t digits, char *out)
{
    uint32_t high = digits / 10000, low = digits % 10000;
    write_pair(high / 100, out);
    write_pair(high % 100, out + 2);
    write_pair(low / 100, out + 4);
    write_pair(low % 100, out + 6);
}

// Seventeen of them, with zeros in front.
enum { ALL_DIGITS = 17 };
static void write_digits(uint64_t digits, char *out)
{
    uint64_t high = digits / 100000000;
    write_eight((uint32_t)(digits % 100000000), out + 9);
    write_eight((uint32_t)(high % 100000000), out + 1);
    out[0] = (char)('0' + high / 100000000);
}

static size_t write_exponent(int exponent, char *out)
{
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    size_t at = 0;
    out[at++] = 'e';
    out[at++] = exponent < 0 ? '-' : '+';
    if (size >= 100)
        out[at++] = (char)('0' + size / 100);
    memcpy(out + at, pairs + 2 * (size_t)(size % 100), 2);
    return at + 2;
}

// Digits with the point after the first `whole` of them; 0 < whole. Copies of one length are no
// calls; what is copied too much is written over, or stands behind the end.
static size_t write_point(const char *digits, size_t count, size_t whole, char *out)
{
    memcpy(out, digits, ALL_DIGITS);
    if (count <= whole) {
        memset(out + count, '0', whole - count);
        return whole;
    }
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, ALL_DIGITS);
    return count + 1;
}

static size_t lay_out(Decimal decimal, char *out)
{
    while (decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    char all[3 * ALL_DIGITS] = {0};
    int length = digit_count(decimal.digits), exponent = decimal.exponent + length - 1;
    size_t count = (size_t)length;
    const char *digits = all + ALL_DIGITS - count;
    write_digits(decimal.digits, all);
    if (exponent < -4 || exponent >= 17) {
        size_t at = write_point(digits, count, 1, out);
        return at + write_exponent(exponent, out + at);
    }
    if (exponent >= 0)
        return write_point(digits, count, (size_t)exponent + 1, out);
    size_t zeros = (size_t)-exponent + 1;
    memcpy(out, "0.000", 5);
    memcpy(out + zeros, digits, ALL_DIGITS);
    return zeros + count;
}

// ---- Values.

// From its parts: `bits` of a fraction, and an exponent, 0 for what is not normal.
static size_t write_binary(bool negative, uint64_t fraction, unsigned exponent, int bits, int least,
                           char *out)
{
    size_t at = 0;
    if (negative)
        out[at++] = '-';
    if (fraction == 0 && exponent == 0) {
        out[at] = '0';
        return at + 1;
    }
    Binary v = {fraction, least, fraction == 0 && exponent > 1};
    if (exponent > 0)
        v = (Binary){fraction | UINT64_C(1) << bits, least + (int)exponent - 1, v.narrow};
    return at + lay_out(shortest(v), out + at);
}

static size_t write_word(bool nan, bool negative, char *out)
{
    const char *word = nan ? "nan" : negative ? "-inf" : "inf";
    size_t length = strlen(word);
    memcpy(out, word, length);
    return length;
}

size_t decimal_write(double value, char *out)
{
    uint64_t bits, one = 1;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite(value))
        return write_word(isnan(value), bits >> 63, out);
    return write_binary(bits >> 63, bits & ((one << 52) - 1), (unsigned)(bits >> 52) & 0x7FF, 52,
                        -1074, out);
}

size_t decimal_write_float(float value, char *out)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite(value))
        return write_word(isnan(value), bits >> 31, out);
    return write_binary(bits >> 31, bits & 0x7FFFFF, bits >> 23 & 0xFF, 23, -149, out);
}

void text_add_decimal(Text *text, double value)
{
    char digits[DECIMAL_ROOM];
    text_add_str(text, (Str){digits, decimal_write(value, digits)});
}

// ---- Fractions.

// Whether a whole number is a double.
static bool is_exact(double whole)
{
    return whole * DBL_EPSILON < 2;
}

// By continued fractions.
double decimal_denominator(double value)
{
    assert(value > 0);
    double part = value, before = 0, next;
    for (double at = 1; is_exact(at * at * value); before = at, at = next) {
        if (rint(value * at) / at == value)
            return at;
        part = 1 / (part - floor(part));
        next = floor(part) * at + before;
    }
    for (double power = 1; is_exact(value * power); power *= 10)
        if (rint(value * power) / power == value)
            return power;
    return 0;
}

double decimal_multiple(double value, double denominator, size_t times)
{
    double numerator = (double)times * rint(value * denominator);
    return denominator > 0 && is_exact(numerator) ? numerator / denominator : (double)times * value;
}

size_t decimal_read(const char *text, size_t length, double *value)
{
    char digits[DECIMAL_ROOM];
    size_t count = 0;
    while (count < length && count + 1 < sizeof digits && text[count] != ' ')
        count++;
    memcpy(digits, text, count);
    digits[count] = '\0';
    char *end;
    *value = strtod(digits, &end);
    return end == digits + count ? count : 0;
}

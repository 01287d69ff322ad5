// small_integers.c: what FLINT does with integers and fractions of one word, without loading it.
//
// Reading a model, deriving its motion and a first step add and multiply small fractions, and
// loading FLINT with the libraries behind it takes longer than all of that. An integer below 2^62
// is one word in FLINT (fmpz: documented in its manual, asserted in
// tests/expr/test_small_integers.c); a larger one is another kind of word. The functions here stand
// in the slots of libraries.c for those of the same names. Where an operand or a result is large
// they load FLINT, and its own function takes their place.
#include "base/loading/small_integers.h"

#include <stdbool.h>

#define LARGEST ((1L << 62) - 1)

static bool is_small(Integer x)
{
    return x >> 62 != 1;
}

// Whether a word as such is a small integer.
static bool fits(Integer x)
{
    return -LARGEST <= x && x <= LARGEST;
}

static Natural size_of(Integer x)
{
    return x < 0 ? -(Natural)x : (Natural)x;
}

static Natural common(Natural a, Natural b)
{
    while (b) {
        Natural rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// a·b, a + b; false where that is large.
static bool multiply(Integer a, Integer b, Integer *out)
{
    return !__builtin_mul_overflow(a, b, out) && fits(*out);
}

static bool add(Integer a, Integer b, Integer *out)
{
    return !__builtin_add_overflow(a, b, out) && fits(*out);
}

static bool power(Integer x, Natural exponent, Integer *out)
{
    Integer result = 1;
    bool small = exponent <= 62;
    for (Natural i = 0; i < exponent && small; i++)
        small = multiply(result, x, &result);
    *out = result;
    return small;
}

// num/den in lowest terms; den > 0.
static Fraction reduced(Integer num, Integer den)
{
    Integer factor = (Integer)common(size_of(num), (Natural)den);
    return (Fraction){num / factor, den / factor};
}

static bool is_small_fraction(const Fraction *x)
{
    return is_small(x->num) && is_small(x->den);
}

// ---- Integers.

int small_fmpz_sgn(const Integer *f)
{
    return is_small(*f) ? (*f > 0) - (*f < 0) : LARGE(fmpz_sgn)(f);
}

int small_fmpz_cmp(const Integer *f, const Integer *g)
{
    return is_small(*f) && is_small(*g) ? (*f > *g) - (*f < *g) : LARGE(fmpz_cmp)(f, g);
}

int small_fmpz_cmp_si(const Integer *f, Integer g)
{
    return is_small(*f) ? (*f > g) - (*f < g) : LARGE(fmpz_cmp_si)(f, g);
}

int small_fmpz_cmp_ui(const Integer *f, Natural g)
{
    if (!is_small(*f))
        return LARGE(fmpz_cmp_ui)(f, g);
    return *f < 0 ? -1 : ((Natural)*f > g) - ((Natural)*f < g);
}

int small_fmpz_equal(const Integer *f, const Integer *g)
{
    return *f == *g || (!is_small(*f) && !is_small(*g) && LARGE(fmpz_equal)(f, g));
}

int small_fmpz_fits_si(const Integer *f)
{
    return is_small(*f) || LARGE(fmpz_fits_si)(f);
}

Integer small_fmpz_get_si(const Integer *f)
{
    return is_small(*f) ? *f : LARGE(fmpz_get_si)(f);
}

Natural small_fmpz_get_ui(const Integer *f)
{
    return is_small(*f) ? size_of(*f) : LARGE(fmpz_get_ui)(f);
}

double small_fmpz_get_d(const Integer *f)
{
    return is_small(*f) && size_of(*f) <= 1UL << 53 ? (double)*f : LARGE(fmpz_get_d)(f);
}

Natural small_fmpz_bits(const Integer *f)
{
    if (!is_small(*f))
        return LARGE(fmpz_bits)(f);
    return *f == 0 ? 0 : 64 - (Natural)__builtin_clzl(size_of(*f));
}

int small_fmpz_tstbit(const Integer *f, Natural i)
{
    if (!is_small(*f))
        return LARGE(fmpz_tstbit)(f, i);
    return i < 63 ? (int)(*f >> i & 1) : *f < 0;
}

void small_fmpz_set(Integer *f, const Integer *g)
{
    if (is_small(*f) && is_small(*g))
        *f = *g;
    else
        LARGE(fmpz_set)(f, g);
}

void small_fmpz_abs(Integer *f, const Integer *g)
{
    if (is_small(*f) && is_small(*g))
        *f = (Integer)size_of(*g);
    else
        LARGE(fmpz_abs)(f, g);
}

void small_fmpz_add_ui(Integer *f, const Integer *g, Natural x)
{
    Integer sum;
    if (is_small(*f) && is_small(*g) && x <= LARGEST && add(*g, (Integer)x, &sum))
        *f = sum;
    else
        LARGE(fmpz_add_ui)(f, g, x);
}

// The quotient of what is small, rounded down; the divisor is not 0.
static Integer floored(Integer g, Integer h)
{
    return g / h - (g % h != 0 && (g < 0) != (h < 0));
}

void small_fmpz_fdiv_q(Integer *f, const Integer *g, const Integer *h)
{
    if (is_small(*f) && is_small(*g) && is_small(*h) && *h != 0)
        *f = floored(*g, *h);
    else
        LARGE(fmpz_fdiv_q)(f, g, h);
}

void small_fmpz_fdiv_qr(Integer *f, Integer *s, const Integer *g, const Integer *h)
{
    if (is_small(*f) && is_small(*s) && is_small(*g) && is_small(*h) && *h != 0) {
        Integer quotient = floored(*g, *h), rest = *g - quotient * *h;
        *f = quotient;
        *s = rest;
    } else
        LARGE(fmpz_fdiv_qr)(f, s, g, h);
}

Natural small_fmpz_fdiv_ui(const Integer *g, Natural h)
{
    if (!is_small(*g) || h == 0)
        return LARGE(fmpz_fdiv_ui)(g, h);
    Natural rest = size_of(*g) % h;
    return *g < 0 && rest > 0 ? h - rest : rest;
}

void small_fmpz_mul_2exp(Integer *f, const Integer *g, Natural e)
{
    Integer product;
    if (is_small(*f) && is_small(*g) && e < 62 && multiply(*g, 1L << e, &product))
        *f = product;
    else
        LARGE(fmpz_mul_2exp)(f, g, e);
}

void small_fmpz_pow_ui(Integer *f, const Integer *g, Natural e)
{
    Integer result;
    if (is_small(*f) && is_small(*g) && power(*g, e, &result))
        *f = result;
    else
        LARGE(fmpz_pow_ui)(f, g, e);
}

// Up to 18 digits.
int small_fmpz_set_str(Integer *f, const char *text, int base)
{
    Integer value = 0;
    size_t length = 0;
    while (length <= 18 && '0' <= text[length] && text[length] <= '9')
        value = 10 * value + (text[length++] - '0');
    if (!is_small(*f) || base != 10 || length == 0 || length > 18 || text[length])
        return LARGE(fmpz_set_str)(f, text, base);
    *f = value;
    return 0;
}

// ---- Fractions.

void small_fmpq_set_si(Fraction *out, Integer p, Natural q)
{
    if (is_small_fraction(out) && fits(p) && 0 < q && q <= LARGEST)
        *out = reduced(p, (Integer)q);
    else
        LARGE(fmpq_set_si)(out, p, q);
}

void small_fmpq_add(Fraction *out, const Fraction *a, const Fraction *b)
{
    Integer first, second, den;
    if (is_small_fraction(out) && is_small_fraction(a) && is_small_fraction(b) &&
        multiply(a->num, b->den, &first) && multiply(b->num, a->den, &second) &&
        add(first, second, &first) && multiply(a->den, b->den, &den))
        *out = reduced(first, den);
    else
        LARGE(fmpq_add)(out, a, b);
}

void small_fmpq_sub_fmpz(Fraction *out, const Fraction *a, const Integer *b)
{
    Integer part, num;
    if (is_small_fraction(out) && is_small_fraction(a) && is_small(*b) &&
        multiply(*b, a->den, &part) && add(a->num, -part, &num))
        *out = (Fraction){num, a->den};
    else
        LARGE(fmpq_sub_fmpz)(out, a, b);
}

static bool multiply_fractions(const Fraction *a, const Fraction *b, Fraction *out)
{
    Integer num, den;
    bool small = is_small_fraction(out) && is_small_fraction(a) && is_small_fraction(b) &&
                 multiply(a->num, b->num, &num) && multiply(a->den, b->den, &den);
    if (small)
        *out = reduced(num, den);
    return small;
}

void small_fmpq_mul(Fraction *out, const Fraction *a, const Fraction *b)
{
    if (!multiply_fractions(a, b, out))
        LARGE(fmpq_mul)(out, a, b);
}

void small_fmpq_mul_si(Fraction *out, const Fraction *a, Integer b)
{
    if (!fits(b) || !multiply_fractions(a, &(Fraction){b, 1}, out))
        LARGE(fmpq_mul_si)(out, a, b);
}

void small_fmpq_mul_fmpz(Fraction *out, const Fraction *a, const Integer *b)
{
    if (!is_small(*b) || !multiply_fractions(a, &(Fraction){*b, 1}, out))
        LARGE(fmpq_mul_fmpz)(out, a, b);
}

void small_fmpq_div_fmpz(Fraction *out, const Fraction *a, const Integer *b)
{
    Integer sign = *b < 0 ? -1 : 1;
    if (!is_small(*b) || *b == 0 ||
        !multiply_fractions(a, &(Fraction){sign, (Integer)size_of(*b)}, out))
        LARGE(fmpq_div_fmpz)(out, a, b);
}

void small_fmpq_pow_si(Fraction *out, const Fraction *a, Integer e)
{
    Natural exponent = size_of(e);
    Integer num, den;
    if (!is_small_fraction(out) || !is_small_fraction(a) || (e < 0 && a->num == 0) ||
        !power(a->num, exponent, &num) || !power(a->den, exponent, &den)) {
        LARGE(fmpq_pow_si)(out, a, e);
        return;
    }
    Integer sign = num < 0 ? -1 : 1;
    *out = e < 0 ? (Fraction){sign * den, sign * num} : (Fraction){num, den};
}

// Where that is exact.
double small_fmpq_get_d(const Fraction *a)
{
    bool exact =
        is_small_fraction(a) && size_of(a->num) <= 1UL << 53 && (a->den & (a->den - 1)) == 0;
    return exact ? (double)a->num / (double)a->den : LARGE(fmpq_get_d)(a);
}

// ---- Remainders.

// The greatest common divisor g of x and y, with *a·x = g modulo y, 0 ≤ *a < y. Only a g of 1 has
// one such *a.
Natural small_n_gcdinv(Natural *a, Natural x, Natural y)
{
    __int128 before = 0, now = 1, next;
    Natural large = y, small = x;
    if (x >= y || y > LARGEST)
        return LARGE(n_gcdinv)(a, x, y);
    while (small > 0) {
        next = before - (__int128)(large / small) * now;
        before = now;
        now = next;
        Natural rest = large % small;
        large = small;
        small = rest;
    }
    if (large != 1)
        return LARGE(n_gcdinv)(a, x, y);
    *a = (Natural)(before < 0 ? before + (__int128)y : before);
    return 1;
}

// An odd modulus, its inverse modulo 2^64, and 2^64 modulo it: a number x stands there as x·2^64
// (Montgomery, Math. Comp. 44 (1985), 519).
typedef struct {
    Natural modulus, inverse, one;
} Residues;

static Residues residues(Natural modulus)
{
    Natural inverse = modulus; // right to 3 bits, and to twice as many after each step
    for (int i = 0; i < 5; i++)
        inverse *= 2 - modulus * inverse;
    return (Residues){modulus, inverse, -modulus % modulus};
}

static Natural times(const Residues *of, Natural a, Natural b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    Natural high = (Natural)(product >> 64), part = (Natural)product * of->inverse;
    Natural off = (Natural)((unsigned __int128)part * of->modulus >> 64);
    return high - off + (high < off ? of->modulus : 0);
}

// Whether an odd modulus passes the test of Miller and Rabin for this base.
static bool passes(const Residues *of, Natural base)
{
    Natural odd = of->modulus - 1, result = of->one, minus = of->modulus - of->one;
    Natural factor = (Natural)((unsigned __int128)base * of->one % of->modulus);
    int twos = __builtin_ctzl(odd);
    for (odd >>= twos; odd; odd /= 2, factor = times(of, factor, factor))
        if (odd % 2)
            result = times(of, result, factor);
    bool found = result == of->one || result == minus;
    for (int i = 1; i < twos && !found; i++) {
        result = times(of, result, result);
        found = result == minus;
    }
    return found;
}

// The first twelve primes as bases decide it for all of one word (Sorenson and Webster, Math. Comp.
// 86 (2017), 985).
int small_n_is_prime(Natural n)
{
    static const Natural bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    enum { COUNT = sizeof bases / sizeof *bases };
    for (size_t i = 0; i < COUNT; i++)
        if (n % bases[i] == 0)
            return n == bases[i];
    if (n <= 1)
        return false;
    Residues of = residues(n);
    bool prime = true;
    for (size_t i = 0; i < COUNT && prime; i++)
        prime = passes(&of, bases[i]);
    return prime;
}

// test_small_integers.c: functions of FLINT for operands of one word, against FLINT's own, with
// operands of all sizes.
#include <flint/fmpq.h>
#include <flint/fmpz.h>
#include <flint/ulong_extras.h>

static size_t large_calls;
#define LARGE(name) (large_calls++, (Large_##name *)(void (*)(void))name)
#include "base/loading/small_integers.c"

#include "support.h"

_Static_assert(sizeof(fmpz) == sizeof(Integer) && sizeof(fmpq) == sizeof(Fraction) &&
                   COEFF_MAX == LARGEST && COEFF_MIN == -LARGEST,
               "an integer below 2^62 is one word in FLINT");

enum { ROUNDS = 20000 };

// Of some bits, up to 70; often a small one, or one at the edge.
static void draw(Random *random, fmpz_t out)
{
    ulong bits = random_below(random, 4) ? random_below(random, 10) : random_below(random, 71);
    fmpz_set_ui(out, random_next(random));
    fmpz_mul_2exp(out, out, 7);
    fmpz_add_ui(out, out, random_below(random, 128));
    fmpz_fdiv_q_2exp(out, out, 71 - bits);
    if (random_below(random, 8) == 0) {
        fmpz_one_2exp(out, 60 + random_below(random, 4));
        fmpz_add_si(out, out, (slong)random_below(random, 3) - 1);
    }
    if (random_below(random, 2))
        fmpz_neg(out, out);
}

static void draw_fraction(Random *random, fmpq_t out)
{
    draw(random, fmpq_numref(out));
    do
        draw(random, fmpq_denref(out));
    while (fmpz_is_zero(fmpq_denref(out)));
    fmpq_canonicalise(out);
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void questions(void **unused)
{
    (void)unused;
    Random random = random_seed(62);
    fmpz_t f, g;
    fmpz_init(f);
    fmpz_init(g);
    for (int i = 0; i < ROUNDS; i++) {
        draw(&random, f);
        draw(&random, g);
        if (i % 5 == 0)
            fmpz_set(g, f);
        ulong u = random_next(&random) >> random_below(&random, 64);
        slong s = (slong)u * (random_below(&random, 2) ? 1 : -1);
        assert_int_equal(small_fmpz_sgn(f), fmpz_sgn(f));
        assert_int_equal(sign(small_fmpz_cmp(f, g)), sign(fmpz_cmp(f, g)));
        assert_int_equal(sign(small_fmpz_cmp_si(f, s)), sign(fmpz_cmp_si(f, s)));
        assert_int_equal(sign(small_fmpz_cmp_ui(f, u)), sign(fmpz_cmp_ui(f, u)));
        assert_int_equal(!small_fmpz_equal(f, g), !fmpz_equal(f, g));
        assert_int_equal(!small_fmpz_fits_si(f), !fmpz_fits_si(f));
        assert_true(!fmpz_fits_si(f) || small_fmpz_get_si(f) == fmpz_get_si(f));
        assert_true(!fmpz_abs_fits_ui(f) || small_fmpz_get_ui(f) == fmpz_get_ui(f));
        assert_true(small_fmpz_get_d(f) == fmpz_get_d(f));
        assert_int_equal(small_fmpz_bits(f), fmpz_bits(f));
        assert_int_equal(small_fmpz_tstbit(f, u % 80), fmpz_tstbit(f, u % 80));
        assert_true(u == 0 || small_fmpz_fdiv_ui(f, u) == fmpz_fdiv_ui(f, u));
        assert_int_equal(!small_n_is_prime(u), !n_is_prime(u));
        ulong one, other, modulus = u | 1, x = random_next(&random) % modulus;
        if (modulus > 1) {
            assert_true(small_n_gcdinv(&one, x, modulus) == n_gcdinv(&other, x, modulus));
            assert_true(one == other);
        }
    }
    fmpz_clear(f);
    fmpz_clear(g);
}

// Small and FLINT's own into two integers that hold the same before.
#define SAME(name, ...)                                                                            \
    do {                                                                                           \
        fmpz_set(one, before);                                                                     \
        fmpz_set(other, before);                                                                   \
        small_##name(one, __VA_ARGS__);                                                            \
        name(other, __VA_ARGS__);                                                                  \
        assert_true(fmpz_equal(one, other) && COEFF_IS_MPZ(*one) == COEFF_IS_MPZ(*other));         \
    } while (0)

static void integers(void **unused)
{
    (void)unused;
    Random random = random_seed(63);
    fmpz_t f, g, before, one, other, rest, other_rest;
    fmpz *const all[] = {f, g, before, one, other, rest, other_rest};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fmpz_init(all[i]);
    for (int i = 0; i < ROUNDS; i++) {
        draw(&random, f);
        draw(&random, g);
        draw(&random, before);
        ulong u = random_next(&random) >> random_below(&random, 64);
        SAME(fmpz_set, f);
        SAME(fmpz_abs, f);
        SAME(fmpz_add_ui, f, u);
        SAME(fmpz_mul_2exp, f, u % 70);
        SAME(fmpz_pow_ui, f, u % 70);
        if (!fmpz_is_zero(g)) {
            SAME(fmpz_fdiv_q, f, g);
            small_fmpz_fdiv_qr(one, rest, f, g);
            fmpz_fdiv_qr(other, other_rest, f, g);
            assert_true(fmpz_equal(one, other) && fmpz_equal(rest, other_rest));
        }
        char *text = fmpz_get_str(NULL, 10, f);
        assert_int_equal(small_fmpz_set_str(one, text, 10), 0);
        assert_true(fmpz_equal(one, f));
        flint_free(text);
    }
    assert_int_not_equal(small_fmpz_set_str(one, "12x", 10), 0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fmpz_clear(all[i]);
}

#define FRACTION(x) ((Fraction *)(x))
#define SAME_FRACTION(name, ...)                                                                   \
    do {                                                                                           \
        fmpq_set(one, before);                                                                     \
        small_##name(FRACTION(one), __VA_ARGS__);                                                  \
        assert_true(fmpq_equal(one, other) && fmpq_is_canonical(one));                             \
    } while (0)

static void fractions(void **unused)
{
    (void)unused;
    Random random = random_seed(64);
    fmpq_t a, b, before, one, other;
    fmpz_t f;
    fmpq *const all[] = {a, b, before, one, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fmpq_init(all[i]);
    fmpz_init(f);
    for (int i = 0; i < ROUNDS; i++) {
        draw_fraction(&random, a);
        draw_fraction(&random, b);
        draw_fraction(&random, before);
        draw(&random, f);
        slong s = (slong)(random_next(&random) >> random_below(&random, 64)), e = s % 7;
        ulong q = 1 + random_below(&random, 1000);
        fmpq_add(other, a, b);
        SAME_FRACTION(fmpq_add, FRACTION(a), FRACTION(b));
        fmpq_mul(other, a, b);
        SAME_FRACTION(fmpq_mul, FRACTION(a), FRACTION(b));
        fmpq_sub_fmpz(other, a, f);
        SAME_FRACTION(fmpq_sub_fmpz, FRACTION(a), f);
        fmpq_mul_fmpz(other, a, f);
        SAME_FRACTION(fmpq_mul_fmpz, FRACTION(a), f);
        fmpq_mul_si(other, a, s);
        SAME_FRACTION(fmpq_mul_si, FRACTION(a), s);
        fmpq_set_si(other, s, q);
        SAME_FRACTION(fmpq_set_si, s, q);
        if (!fmpz_is_zero(f)) {
            fmpq_div_fmpz(other, a, f);
            SAME_FRACTION(fmpq_div_fmpz, FRACTION(a), f);
        }
        if (e >= 0 || !fmpq_is_zero(a)) {
            fmpq_pow_si(other, a, e);
            SAME_FRACTION(fmpq_pow_si, FRACTION(a), e);
        }
        assert_true(small_fmpq_get_d(FRACTION(a)) == fmpq_get_d(a));
        // Into one of the operands.
        fmpq_add(other, a, b);
        small_fmpq_add(FRACTION(a), FRACTION(a), FRACTION(b));
        assert_true(fmpq_equal(a, other));
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fmpq_clear(all[i]);
    fmpz_clear(f);
}

// Most operands are small: then nothing is asked of FLINT.
static void small_ones_need_no_library(void **unused)
{
    (void)unused;
    Fraction a = {3, 4}, b = {-5, 6}, sum = {0, 1};
    large_calls = 0;
    small_fmpq_add(&sum, &a, &b);
    small_fmpq_mul(&sum, &sum, &b);
    small_fmpq_pow_si(&sum, &sum, -3);
    assert_int_equal(large_calls, 0);
    assert_true(sum.num == 373248 && sum.den == 125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(questions), cmocka_unit_test(integers),
                                       cmocka_unit_test(fractions),
                                       cmocka_unit_test(small_ones_need_no_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// constant.c: a rational number as the nearest double.
//
// The bits that the result can hold are known before dividing (53, fewer below the normal
// range), so the quotient is rounded once, half to even, as IEEE 754 asks of a division.
#include "program/program.h"

#include <float.h>
#include <math.h>

// Rounds num/den (both positive) to an integer, half to even.
static void divide_nearest(fmpz_t quotient, const fmpz_t num, const fmpz_t den)
{
    fmpz_t rest;
    fmpz_init(rest);
    fmpz_fdiv_qr(quotient, rest, num, den);
    fmpz_mul_2exp(rest, rest, 1);
    int half = fmpz_cmp(rest, den);
    if (half > 0 || (half == 0 && fmpz_is_odd(quotient)))
        fmpz_add_ui(quotient, quotient, 1);
    fmpz_clear(rest);
}

// The exponent e with 2^(e-1) <= num/den < 2^e.
static slong quotient_exponent(const fmpz_t num, const fmpz_t den)
{
    slong exponent = (slong)fmpz_bits(num) - (slong)fmpz_bits(den);
    fmpz_t shifted;
    fmpz_init(shifted);
    int order;
    if (exponent >= 0) {
        fmpz_mul_2exp(shifted, den, (ulong)exponent);
        order = fmpz_cmp(num, shifted);
    } else {
        fmpz_mul_2exp(shifted, num, (ulong)-exponent);
        order = fmpz_cmp(shifted, den);
    }
    fmpz_clear(shifted);
    return order >= 0 ? exponent + 1 : exponent;
}

double program_nearest_real(const fmpq *value)
{
    if (fmpz_is_zero(&value->num))
        return 0.0;
    // Both are doubles: their quotient is rounded once.
    if (fmpz_bits(&value->num) <= DBL_MANT_DIG && fmpz_bits(&value->den) <= DBL_MANT_DIG)
        return (double)fmpz_get_si(&value->num) / (double)fmpz_get_si(&value->den);
    bool negative = fmpz_sgn(&value->num) < 0;
    fmpz_t num, den;
    fmpz_init(num);
    fmpz_init_set(den, &value->den);
    fmpz_abs(num, &value->num);
    slong exponent = quotient_exponent(num, den);
    double result;
    if (exponent > DBL_MAX_EXP) {
        result = INFINITY;
    } else if (exponent < DBL_MIN_EXP - DBL_MANT_DIG) {
        result = 0.0;
    } else {
        // The last bit that a double of this size holds has the weight 2^unit.
        slong unit = exponent - DBL_MANT_DIG;
        if (unit < DBL_MIN_EXP - DBL_MANT_DIG)
            unit = DBL_MIN_EXP - DBL_MANT_DIG;
        if (unit < 0)
            fmpz_mul_2exp(num, num, (ulong)-unit);
        else
            fmpz_mul_2exp(den, den, (ulong)unit);
        divide_nearest(num, num, den);
        result = ldexp((double)fmpz_get_ui(num), (int)unit);
    }
    fmpz_clear(num);
    fmpz_clear(den);
    return negative ? -result : result;
}

// axes.c: which part of a line of numbers is shown, and what is written at it.
//
// Ticks stand at multiples of 1, 2 or 5 times a power of ten. What is written stays short: a power
// of ten that all share, and a number that they all lie near to, are said once at the axis.
#include "show/show_impl.h"

#include <math.h>

// A range narrower than this part of its numbers is rounding: shown as constant.
#define ROUNDING 1e-13
// Narrower than this part: the numbers are written as differences.
#define NARROW 1e-3
#define LARGE  1e5
#define SMALL  1e-3

// 10^floor(log10(value)) and the exponent; differences of near numbers come with rounding.
static double power_of_ten(double value, int *exponent)
{
    *exponent = (int)floor(log10(value) + 1e-6);
    return pow(10, *exponent);
}

Axis axis_around(CurveRange range, double margin)
{
    double low = range.least, high = range.most;
    if (isnan(low))
        low = 0, high = 1; // nothing is shown, on axes all the same
    double size = fmax(fabs(low), fabs(high));
    if (high - low <= ROUNDING * size || high - low < 1e-290) {
        double middle = low / 2 + high / 2, half = size < 1e-290 ? 1 : 0.05 * size;
        low = middle - half;
        high = middle + half;
    }
    double more = margin * (high - low);
    return (Axis){.low = low - more, .high = high + more};
}

void axis_show(Axis *axis, double low, double high, size_t ticks)
{
    static const double steps[] = {1, 2, 5, 10};
    int exponent;
    double ten = power_of_ten((high - low) / (double)ticks, &exponent);
    *axis = (Axis){.low = low, .high = high};
    for (size_t i = 0; i < 4 && !(axis->step * (double)ticks >= high - low); i++)
        axis->step = steps[i] * ten;
    double size = fmax(fabs(low), fabs(high));
    if (high - low < NARROW * size) {
        double coarse = 100 * axis->step;
        axis->offset = floor(low / coarse) * coarse;
        size = high - axis->offset;
    }
    if (size >= LARGE || size < SMALL)
        power_of_ten(size, &axis->power);
    power_of_ten(axis->step, &exponent);
    axis->decimals = axis->power > exponent ? axis->power - exponent : 0;
}

static double first_multiple(const Axis *axis)
{
    return ceil(axis->low / axis->step - 1e-9);
}

size_t axis_tick_count(const Axis *axis)
{
    return (size_t)(floor(axis->high / axis->step + 1e-9) - first_multiple(axis) + 1);
}

double axis_tick(const Axis *axis, size_t index)
{
    return (first_multiple(axis) + (double)index) * axis->step;
}

// With a minus that is as wide as a plus.
static void add_number(const char *number, Text *out)
{
    text_add(out, *number == '-' ? "−" : "");
    text_add(out, *number == '-' ? number + 1 : number);
}

void axis_tick_text(const Axis *axis, double value, Text *out)
{
    char number[64];
    double shown = (value - axis->offset) / pow(10, axis->power);
    // A zero that rounding has missed is written as one.
    if (fabs(shown) < 0.5 * pow(10, -axis->decimals))
        shown = 0;
    snprintf(number, sizeof number, "%.*f", shown == 0 ? 0 : axis->decimals, shown);
    add_number(number, out);
}

void axis_rest_text(const Axis *axis, Text *out)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char number[32];
    if (axis->power) {
        snprintf(number, sizeof number, "%d", axis->power);
        text_add(out, "×10");
        for (const char *at = number; *at; at++)
            text_add(out, *at == '-' ? "⁻" : raised[*at - '0']);
    }
    if (axis->offset != 0) {
        snprintf(number, sizeof number, "%.15g", fabs(axis->offset));
        text_addf(out, "%s%s %s", axis->power ? " " : "", axis->offset < 0 ? "−" : "+", number);
    }
}

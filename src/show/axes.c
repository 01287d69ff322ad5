// axes.c: which part of a line of numbers is shown, and what is written at it.
//
// Ticks stand at multiples of 1, 2 or 5 times a power of ten. What is written stays short: a power
// of ten that all share, and a number that they all lie near to, are said once at the axis. On a
// logarithmic axis they stand at powers of ten, or, where it shows few of them, at 1, 2 and 5 times
// these; where it shows less than one, where they would on a linear one.
#include "show/axes_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

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

// The number in a narrow range, of this size, that is shortest to write.
static double roundest(double low, double high, double size)
{
    static const double digits[] = {5, 2, 1};
    double from = low - fmax(1e-6 * (high - low), 4e-16 * size); // so that rounding misses none
    int exponent;
    power_of_ten(size, &exponent);
    for (;; exponent--)
        for (size_t i = 0; i < 3; i++) {
            double unit = digits[i] * pow(10, exponent), number = ceil(from / unit) * unit;
            if (number <= high)
                return number;
        }
}

static bool has_two_ticks(double low, double high, double step)
{
    return floor(high / step + 1e-9) > ceil(low / step - 1e-9);
}

void axis_set_range(Axis *axis, double low, double high, size_t ticks)
{
    assert(low < high && ticks > 0);
    static const double steps[] = {10, 5, 2, 1, 0.5, 0.2, 0.1};
    int exponent;
    double ten = power_of_ten((high - low) / (double)ticks, &exponent);
    *axis = (Axis){.scale = AXIS_LINEAR, .low = low, .high = high, .step = 10 * ten};
    // As coarse as gives so many ticks; but one tick alone says nothing.
    for (size_t i = 1; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * ten * (double)ticks >= high - low || !has_two_ticks(low, high, axis->step))
            axis->step = steps[i] * ten;
    double size = fmax(fabs(low), fabs(high));
    if (high - low < NARROW * size) {
        axis->offset = roundest(low, high, size);
        size = fmax(high - axis->offset, axis->offset - low);
    }
    if (size >= LARGE || size < SMALL)
        power_of_ten(size, &axis->power);
    power_of_ten(axis->step, &exponent);
    axis->decimals = axis->power > exponent ? axis->power - exponent : 0;
}

// ---- Logarithms.

// Fewer powers of ten than these have 2 and 5 times them beside them.
#define FEW_DECADES 2.5

// Whether three ticks stand in a decade, at 1, 2 and 5 times a power of ten.
static bool has_thirds(const Axis *axis)
{
    return axis->scale == AXIS_DECADES && axis->step < 1;
}

static double place_of_third(double index)
{
    static const double digits[] = {1, 2, 5};
    double decade = floor(index / 3);
    return decade + log10(digits[(int)(index - 3 * decade)]);
}

// ---- Ticks, counted by the multiples of the step that they are.

static double first_multiple(const Axis *axis)
{
    double low = axis->scale == AXIS_WITHIN ? pow(10, axis->low) : axis->low;
    double first = ceil(low / axis->step - 1e-9);
    if (!has_thirds(axis))
        return first;
    while (place_of_third(first - 1) >= low - 1e-9)
        first--;
    while (place_of_third(first) < low - 1e-9)
        first++;
    return first;
}

static double last_multiple(const Axis *axis)
{
    double high = axis->scale == AXIS_WITHIN ? pow(10, axis->high) : axis->high;
    double last = floor(high / axis->step + 1e-9);
    if (!has_thirds(axis))
        return last;
    while (place_of_third(last + 1) <= high + 1e-9)
        last++;
    while (place_of_third(last) > high + 1e-9)
        last--;
    return last;
}

size_t axis_tick_count(const Axis *axis)
{
    return (size_t)(last_multiple(axis) - first_multiple(axis) + 1);
}

double axis_tick(const Axis *axis, size_t index)
{
    assert(index < axis_tick_count(axis));
    double multiple = first_multiple(axis) + (double)index;
    if (has_thirds(axis))
        return place_of_third(multiple);
    double value = multiple * axis->step;
    return axis->scale == AXIS_WITHIN ? log10(value) : value;
}

void axis_set_log_range(Axis *axis, double low, double high, size_t ticks)
{
    if (high - low < 1) {
        axis_set_range(axis, pow(10, low), pow(10, high), ticks);
        axis->scale = AXIS_WITHIN;
        axis->low = low;
        axis->high = high;
        return;
    }
    bool few = high - low < FEW_DECADES && 3 * (high - low) <= (double)ticks;
    double step = fmax(1, ceil((high - low) / (double)ticks - 1e-9));
    *axis = (Axis){.scale = AXIS_DECADES, .low = low, .high = high, .step = few ? 1.0 / 3 : step};
    while (axis_tick_count(axis) < 2)
        axis->step = axis->step > 1 ? axis->step - 1 : 1.0 / 3;
}

// With a minus that is as wide as a plus.
static void add_number(const char *number, Text *out)
{
    text_add(out, *number == '-' ? "−" : "");
    text_add(out, *number == '-' ? number + 1 : number);
}

static void add_power(int power, Text *out)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char number[32];
    snprintf(number, sizeof number, "%d", power);
    text_add(out, "10");
    for (const char *at = number; *at; at++)
        text_add(out, *at == '-' ? "⁻" : raised[*at - '0']);
}

// 10³, or a number such as 0.2, 50 where these are all.
static void add_decade_text(const Axis *axis, double tick, Text *out)
{
    char number[32];
    int decade = (int)floor(tick + 1e-9), digit = (int)round(pow(10, tick - decade));
    bool plain = axis->low > -3.1 && axis->high < 4.1 && axis->high - axis->low < FEW_DECADES;
    if (plain) {
        snprintf(number, sizeof number, "%.*f", decade < 0 ? -decade : 0, pow(10, tick));
        text_add(out, number);
        return;
    }
    if (digit != 1)
        text_addf(out, "%d·", digit);
    add_power(decade, out);
}

void axis_tick_text(const Axis *axis, double tick, Text *out)
{
    char number[64];
    if (axis->scale == AXIS_DECADES) {
        add_decade_text(axis, tick, out);
        return;
    }
    double value = axis->scale == AXIS_WITHIN ? pow(10, tick) : tick;
    double shown = (value - axis->offset) / pow(10, axis->power);
    // A zero that rounding has missed is written as one.
    if (fabs(shown) < 0.5 * pow(10, -axis->decimals))
        shown = 0;
    snprintf(number, sizeof number, "%.*f", shown == 0 ? 0 : axis->decimals, shown);
    add_number(number, out);
}

void axis_factor_text(const Axis *axis, Text *out)
{
    char number[32];
    if (axis->power) {
        text_add(out, "×");
        add_power(axis->power, out);
    }
    if (axis->offset != 0) {
        snprintf(number, sizeof number, "%.15g", fabs(axis->offset));
        text_addf(out, "%s%s %s", axis->power ? " " : "", axis->offset < 0 ? "−" : "+", number);
    }
}

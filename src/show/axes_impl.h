// axes_impl.h: which part of a line of numbers is shown, and what is written at it.
#ifndef ZWANG_SHOW_AXES_IMPL_H
#define ZWANG_SHOW_AXES_IMPL_H

#include "show/curve_impl.h"

typedef enum {
    AXIS_LINEAR,
    AXIS_DECADES, // of logarithms: ticks at powers of ten
    AXIS_WITHIN   // of logarithms in a small range: ticks as on a linear axis, at their logarithms
} AxisScale;
typedef struct {
    AxisScale scale;
    double low, high; // what is shown; logarithms to the base 10 but on a linear axis
    double step;      // between ticks: 1, 2 or 5 times a power of ten; ticks are its multiples
    double offset;    // is taken from what is written at a tick: 0 but for narrow ranges far away
    int power;        // of ten, by which that is divided
    int decimals;     // that are written
} Axis;
// A range that holds `range`, with `margin` as a part of it on either side.
Axis axis_around(CurveRange range, double margin);
void axis_set_range(Axis *axis, double low, double high, size_t ticks); // with about so many ticks
void axis_set_log_range(Axis *axis, double low, double high, size_t ticks); // of logarithms
size_t axis_tick_count(const Axis *axis);
double axis_tick(const Axis *axis, size_t index);
void axis_tick_text(const Axis *axis, double tick, Text *out);
// What is left to say once at the axis: "×10⁻³ + 0.525", or nothing.
void axis_factor_text(const Axis *axis, Text *out);

#endif

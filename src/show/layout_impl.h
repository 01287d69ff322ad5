// layout_impl.h: lines, numbers and columns of plain text.
#ifndef ZWANG_SHOW_LAYOUT_IMPL_H
#define ZWANG_SHOW_LAYOUT_IMPL_H

#include "base/base.h"

void show_line(const char *line, Text *out);
// The largest absolute value, and a value with what is rounding beside it taken for 0.
double show_largest(const double *values, size_t count);
double show_without_rounding(double value, double largest);
void show_number(double value, Text *out);                   // 10 digits, or "not determined"
void show_padded(const char *text, size_t width, Text *out); // spaces up to this width, at least 1
// A number in a column of this width.
void show_cell(double value, size_t width, Text *out);
void show_end_line(Text *out); // without spaces at its end

#endif

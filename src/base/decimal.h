// decimal.h: numbers as the shortest decimal that reads back to the same bits.
#ifndef ZWANG_BASE_DECIMAL_H
#define ZWANG_BASE_DECIMAL_H

#include "base/text_builder.h"

// So many characters at most: a sign, 17 digits, a point, an exponent, or zeros in their place.
// What follows them, up to so much room in all, is written over.
enum { DECIMAL_MOST = 24, DECIMAL_ROOM = 40 };
// Writes the decimal of fewest digits that reads back to this value, of these the nearest; its
// length. Laid out as %.17g does: 0.02, 1e-05, 1e+17, -0, inf, but nan without a sign. No NUL.
size_t decimal_write(double value, char *out);
// The same for a float: it reads back to this float, as a double it may be another one.
size_t decimal_write_float(float value, char *out);
void text_add_decimal(Text *text, double value);
// Reads the number that a text begins with, up to a space or its end; how many characters that
// takes, 0 where it is none.
size_t decimal_read(const char *text, size_t length, double *value);

// The denominator of the fraction of whole numbers that a positive value is the nearest double to:
// the least one that is so beyond doubt, else a power of ten; 0 where none is known.
double decimal_denominator(double value);
// The double nearest to so many times that fraction; where none is known, times the value.
double decimal_multiple(double value, double denominator, size_t times);

#endif

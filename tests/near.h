// near.h: numbers that are equal but for a tolerance.
#ifndef ZWANG_TESTS_NEAR_H
#define ZWANG_TESTS_NEAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

static inline void near_at(double value, double expected, double tolerance, const char *file,
                           int line)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%.17g is not within %g of %.17g, but %g off\n", value, tolerance, expected,
                    value - expected);
        _fail(file, line);
    }
}
#define assert_near(value, expected, tolerance)                                                    \
    near_at((value), (expected), (tolerance), __FILE__, __LINE__)

#endif

// uniform.h: numbers drawn evenly between two.
#ifndef ZWANG_TESTS_UNIFORM_H
#define ZWANG_TESTS_UNIFORM_H

#include "base/strings.h"

static inline double uniform(Random *random, double low, double high)
{
    return low + (high - low) * (double)random_below(random, 1000001) / 1e6;
}

#endif

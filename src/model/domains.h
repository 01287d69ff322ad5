// domains.h: where what the text of a model writes has a value.
#ifndef ZWANG_MODEL_DOMAINS_H
#define ZWANG_MODEL_DOMAINS_H

#include "base/place.h"
#include "expr/expr_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A root, a logarithm or an inverse sine of the text. Expressions are simplified as they are made,
// sqrt(x)^2 to x, so that nothing else may tell where it has no value.
typedef struct ModelDomain {
    Expr inside;          // it has a value where this is at least 0
    Expr argument, whole; // sqrt(x): x, and sqrt(x) itself
    const char *function; // "sqrt", "log", "a power"
    bool used;            // what moves the system holds it
    Place place;
} ModelDomain;

// Values, and outputs, know theirs by bits: all beyond the first ones share one.
static inline uint64_t domain_bit(size_t index)
{
    return (uint64_t)1 << (index < 64 ? index : 63);
}

#endif

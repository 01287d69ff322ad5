// sensitivity_names_impl.h: by what a motion is differentiated, and the columns that this gives.
#ifndef ZWANG_SIMULATE_SENSITIVITY_NAMES_IMPL_H
#define ZWANG_SIMULATE_SENSITIVITY_NAMES_IMPL_H

#include "base/memory.h"

typedef struct Model Model; // model/system.h

// A parameter with a number of its own, or a start value.
typedef struct {
    bool is_start;
    size_t index;     // among the model's parameters, or its starts
    const char *name; // "m", "x'(0)": as in columns
} SensitivityOf;
typedef struct {
    SensitivityOf *at;
    size_t count;
} SensitivityNames;

// ---- sensitivity_names.c
// "m,x'": an error where one is neither. Names live in the arena.
BASE_MUST_USE Status sensitivity_read(const Model *model, const char *names, Arena *arena,
                                      Diag *diag, SensitivityNames *out);

#endif

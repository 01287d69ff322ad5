// c_impl.h: the parts of exported C. Only for c*.c.
#ifndef ZWANG_EXPORT_C_IMPL_H
#define ZWANG_EXPORT_C_IMPL_H

#include "export/export_impl.h"

// The programs that run often, each in two: what parameters alone determine, and the rest.
typedef struct {
    const Exported *exported;
    Program *rates_prepared, *rates;
    Program *slopes_prepared, *slopes;
    size_t worked_out; // how many numbers the parameters determine, for both
} CPrograms;
void c_programs_init(CPrograms *programs, const Exported *exported);
void c_programs_clear(CPrograms *programs);

// ---- c_functions.c
void c_write_functions(const CPrograms *programs, Text *out);
// Those of the state alone: parameters, start, derivative, drifts and limits.
void c_write_state_functions(const CPrograms *programs, Text *out);
// What functions call that the C library does not have, where `body` calls it.
void c_write_helpers(const Exported *exported, const Text *body, Text *out);
// ---- c.c: sizes, parameters and the state, as types.
void c_write_state_types(const Exported *exported, size_t worked_out, Text *out);
// ---- c_algebra.c
// What the other functions call to solve equations.
void c_write_algebra(const Exported *exported, Text *out);
// The derivative where it is found by iteration, of equations that are written already.
void c_write_iteration(const Exported *exported, Text *out);
// ---- c_main.c: an example that integrates and prints.
void c_write_main(const Exported *exported, Text *out);

#endif

// native.h: programs as C: printed, compiled by the system's compiler, kept in a cache, loaded.
//
// Apart from program.h because few need it. Printing is pure; the rest speaks to the system.
#ifndef ZWANG_PROGRAM_NATIVE_H
#define ZWANG_PROGRAM_NATIVE_H

#include "program/program.h"

// ---- print_c.c: a program as C text. Constants read back bit for bit, every operation is the
// interpreter's own expression, and their order is kept, so that both give the same numbers.

// The statements alone: they read in[…], declare what they need and write out[…]. `real` is the
// name of the type of numbers.
void program_print_c_body(const Program *program, const char *real, Text *out);
// What the statements call and the C library does not have, as static functions.
void program_print_c_helpers(const char *real, Text *out);
// `void NAME(const double *in, double *out)`; a long program is cut into several functions.
void program_print_c(const Program *program, const char *name, Text *out);

// ---- compile.c: C text becomes a loaded object, by way of the cache. The same text, compiler
// and options are compiled once; a damaged or foreign file in the cache is made anew.
typedef struct NativeCode NativeCode;
typedef enum {
    NATIVE_EXACT, // no operation is fused or moved: the interpreter's numbers, bit for bit
    NATIVE_FAST   // for the processor at hand, with fused operations
} NativeKind;
// NULL where there is no such thing to be had; `why` then gets one line.
NativeCode *native_code_new(const char *source, NativeKind kind, Text *why);
void native_code_free(NativeCode *code);
void *native_code_symbol(const NativeCode *code, const char *name); // NULL: not there

// ---- native.c: programs compiled together.
typedef struct ProgramNative ProgramNative;
ProgramNative *program_native_new(const Program *const *programs, size_t count, Text *why);
void program_native_free(ProgramNative *native);
// The `which`-th of them, as program_run_real.
void program_native_run(const ProgramNative *native, size_t which, const double *inputs,
                        double *outputs);

#endif

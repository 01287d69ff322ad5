// compilation_impl.h: interpreted or compiled. Both give the same numbers, so that it does not
// matter.
#ifndef ZWANG_SIMULATE_COMPILATION_IMPL_H
#define ZWANG_SIMULATE_COMPILATION_IMPL_H

#include "program/native.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h

// ---- compilation.c: interpreted or compiled. Both give the same numbers, so that it does not
// matter when a run goes over.
typedef struct Engine {
    ProgramNative *native; // NULL: interpreted
    bool settled;          // nothing is left to decide
    size_t operations;     // of one evaluation
} Engine;
// At the beginning of a run. Where nothing can be compiled a note says so, once.
void engine_begin(ContactMode *mode, Diag *diag);
// After a step to t: compiles where what is left is likely to take longer than compiling does.
// Counts decide and not the clock.
void engine_consider(ContactMode *mode, size_t steps, double t, Diag *diag);
void engine_clear(Engine *engine);

#endif

// evaluators_native.h: the programs of several evaluators compiled together.
#ifndef ZWANG_DYNAMICS_EVALUATORS_NATIVE_H
#define ZWANG_DYNAMICS_EVALUATORS_NATIVE_H

#include "dynamics/evaluator.h"
#include "program/native.h"

// Compiles their programs, or finds them compiled; they run so from now on. NULL where they cannot
// be, and `why` gets one line. The caller frees it after the last evaluation.
ProgramNative *evaluators_compile(Evaluator *const *evaluators, size_t count, NativeHow how,
                                  Text *why);
// Starts what that needs, beside the run; false where it cannot be.
bool evaluators_start(Evaluator *const *evaluators, size_t count, NativeJobs *jobs);

#endif

// run_options_impl.h: the options of a run, all numbers given.
#ifndef ZWANG_SIMULATE_RUN_OPTIONS_IMPL_H
#define ZWANG_SIMULATE_RUN_OPTIONS_IMPL_H

#include "base/memory.h"
#include "simulate/run_options.h"

typedef struct Motion Motion; // motion.h

// ---- run_options.c: what was asked for, else what the model's `run` line says, else the defaults.
BASE_MUST_USE Status options_resolve(const Motion *motion, const RunOptions *given, Diag *diag,
                                     RunOptions *settings);

// Whether timestepping can be the method.
bool options_can_step(const Motion *motion);

#endif

// run_options_impl.h: XXX.
#ifndef ZWANG_SIMULATE_RUN_OPTIONS_IMPL_H
#define ZWANG_SIMULATE_RUN_OPTIONS_IMPL_H

#include "motion/motion.h"
#include "simulate/simulate.h"

// ---- run_options.c
BASE_MUST_USE Status options_resolve(const Motion *motion, const RunOptions *given,
                                     const double *params, Diag *diag, RunOptions *settings);

// Whether timestepping can be the method.
bool options_can_step(const Motion *motion);

#endif

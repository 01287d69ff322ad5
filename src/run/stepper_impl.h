// stepper_impl.h: what the integrators on SUNDIALS have in common.
#ifndef ZWANG_RUN_STEPPER_IMPL_H
#define ZWANG_RUN_STEPPER_IMPL_H

#include "run/run_impl.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>

// What each of them begins with, so that the functions below can be called with either.
typedef struct {
    IntegratorProblem problem;
    SUNContext context;
    char message[256]; // the last one that the library wanted to print
} Stepper;

// The library's context; its messages go to the stepper, from version 7 on.
bool stepper_open(Stepper *stepper);
#if SUNDIALS_VERSION_MAJOR < 7
// Where messages go before that.
void stepper_hear(int code, const char *module, const char *function, char *message,
                  void *user_data);
#endif
// Positive: no rate here.
int stepper_rate(sunrealtype t, N_Vector y, N_Vector rate, void *user_data);
int stepper_allowance(N_Vector y, N_Vector weights, void *user_data);

#endif

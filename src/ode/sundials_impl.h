// sundials_impl.h: what the integrators on SUNDIALS have in common. Never leaves the room.
#ifndef ZWANG_ODE_SUNDIALS_IMPL_H
#define ZWANG_ODE_SUNDIALS_IMPL_H

#include "ode/integrator_impl.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>

// A stepper of the library: functions that each of them has, under its own name, and the values
// that `evolve` returns where it does not return 0.
typedef struct {
    void (*free)(void **memory);
    int (*set_stop_time)(void *memory, sunrealtype t);
    int (*evolve)(void *memory, sunrealtype until, N_Vector y, sunrealtype *t, int task);
    int (*get_steps)(void *memory, long *steps);
    int (*get_rejected)(void *memory, long *rejected);
    int (*get_next_step)(void *memory, sunrealtype *step);
    int one_step, stopped, no_memory;
    int no_rate[8]; // 0: no more
} SundialsStepper;

// What each integrator begins with, so that the functions below can be called with either.
typedef struct {
    OdeIntegrator base;
    const SundialsStepper *stepper;
    SUNContext context;
    void *memory;         // of the stepper
    N_Vector state;       // that it last returned
    OdeStatistics before; // the last start: the stepper counts from there
} Sundials;

// The library's context and state; its messages go to the integrator, from version 7 on.
bool sundials_open(Sundials *sundials, const SundialsStepper *stepper);
// Where messages go before that: `set` is the stepper's function for it. 0: done.
#if SUNDIALS_VERSION_MAJOR >= 7
#define SUNDIALS_SET_MESSAGES(sundials, set) 0
#else
#define SUNDIALS_SET_MESSAGES(sundials, set)                                                       \
    set((sundials)->memory, sundials_keep_message, (sundials))
void sundials_keep_message(int code, const char *module, const char *function, char *message,
                           void *user_data);
#endif
// The first part of a start.
void sundials_begin(Sundials *sundials, const double *y);
// One step of the stepper's own choice, to `state` and *t.
OdeOutcome sundials_evolve(Sundials *sundials, double until, double *t);

// For an IntegratorMethod.
void sundials_clear(OdeIntegrator *integrator);
double sundials_next_step(const OdeIntegrator *integrator);

// What the steppers call; the user data is a Sundials. Positive: not here.
int sundials_rate(sunrealtype t, N_Vector y, N_Vector rate, void *user_data);
int sundials_weights(N_Vector y, N_Vector weights, void *user_data);

#endif

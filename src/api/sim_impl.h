// sim_impl.h: what a zw_sim is. Never leaves the room.
#ifndef ZWANG_API_SIM_IMPL_H
#define ZWANG_API_SIM_IMPL_H

#include "api/api_impl.h"
#include "base/decimal.h"

typedef struct KeptRows KeptRows;     // result_impl.h
typedef struct RunStepper RunStepper; // run_stepper.h

// A parameter that was set: "m=2.5".
typedef struct {
    const char *name;
    char setting[200];
} SimParameter;

struct zw_sim {
    BaseHeap heap; // of all that it points to
    bool spoiled;
    Arena *arena;
    zw_model *model; // its own
    bool anew;       // the next run takes over nothing that was derived for an earlier state
    zw_run_options options;
    size_t n;
    RunBegin begin;  // where it began last, or the state before the last step
    Simulation *run; // NULL where it has ended
    RunStepper *stepper;
    Diag *heard;        // what the present run says
    size_t heard_count; // how much of it was passed on
    KeptRows *events;   // of the last call
    ARRAY(SimParameter) parameters;
};

// Ends its run; what was derived serves the next one.
void sim_stop(zw_sim *sim);
// From the state that `begin` has, or from the start of the text at first.
BASE_MUST_USE Status sim_begin(zw_sim *sim);
// At another state, whose velocities may be NULL: as they are. On an error where it was.
BASE_MUST_USE Status sim_place(zw_sim *sim, double t, const double *q, const double *v, bool given);
// The parameters that were set, as settings of the model; one of them; its value.
BASE_MUST_USE Status sim_put_parameters(zw_sim *sim);
// The discrete states of a row, among the parameters that were set.
void sim_keep_states(zw_sim *sim, const double *row);
// Where it is; each may be NULL.
void sim_state(zw_sim *sim, double *t, double *q, double *v);
SimParameter *sim_parameter(zw_sim *sim, const char *name);
void sim_write_parameter(const zw_sim *sim, SimParameter *parameter, double value);

#endif

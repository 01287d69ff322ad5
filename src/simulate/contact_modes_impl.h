// contact_modes_impl.h: the modes that a run has been in, each made when it is first needed.
#ifndef ZWANG_SIMULATE_CONTACT_MODES_IMPL_H
#define ZWANG_SIMULATE_CONTACT_MODES_IMPL_H

#include "base/memory.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct Motion Motion;           // motion_types.h
typedef struct RunOptions RunOptions;   // run_options.h
typedef struct RunSummary RunSummary;   // run_report.h
typedef struct Simulation Simulation;   // simulation_impl.h

// ---- contact_mode.c
// The equations of a mode. `base` is the simulation's motion, which is also that of the base mode,
// with `held` NULL; the mode owns its motion otherwise. *mode is to be freed in any case.
BASE_MUST_USE Status mode_new(const RunOptions *settings, const Motion *base, Motion *motion,
                              const bool *held, Diag *diag, ContactMode **mode);
void mode_free(ContactMode *mode);
// The same equations for another run; *same as in equations_serve.
BASE_MUST_USE Status mode_renew(ContactMode *mode, const RunOptions *settings, Diag *diag,
                                bool *same);

// The same with the numbers of its parameters that its equations have now; false where these do not
// serve others.
bool mode_refresh(ContactMode *mode);

// ---- contact_modes.c
typedef struct ContactModes {
    Simulation *sim;
    Diag *diag;
    const double *sizes; // of the unilateral conditions
    ContactMode **at;
    size_t count, used;  // how many there are; how often one was entered
    RunSummary *summary; // receives the counts of a mode that is discarded
} ContactModes;
// The mode that holds these of the unilateral conditions, which are independent where the motion
// is; `q` and `t` are there. NULL where the machine or the algebra failed; the diag of the modes
// says why.
// `friction`: how each friction is in it; NULL where there is none.
typedef struct FrictionHold FrictionHold; // motion/frictions.h
ContactMode *modes_get(ContactModes *modes, const bool *held, const FrictionHold *friction,
                       double t, const double *q);
void modes_clear(ContactModes *modes);

#endif

// event_whiles_impl.h: what holds for a while, along a run.
#ifndef ZWANG_SIMULATE_EVENT_WHILES_IMPL_H
#define ZWANG_SIMULATE_EVENT_WHILES_IMPL_H

#include "base/memory.h"

typedef struct Simulation Simulation; // simulation_impl.h

// ---- event_whiles.c
// What acts now, of each `while`; and whether at a time it is something else, which `acts` then
// tells.
bool *whiles_keep(Simulation *sim);
bool whiles_change(const Simulation *sim, double t, bool *acts);
// The simulation has the motion and equations of what acts then; no run is in progress.
BASE_MUST_USE Status whiles_take(Simulation *sim, const bool *acts, Diag *diag);
// The same at the time at which its runs begin.
BASE_MUST_USE Status whiles_begin(Simulation *sim, Diag *diag);
void whiles_clear(Simulation *sim); // as it began
// A state of other equations onto what holds now: its velocities jump, by impulses along the
// coordinates. False, and why, where the positions do not fit.
bool whiles_meet(const Simulation *sim, double t, double *q, double *v, double *impulses,
                 Text *reason);

#endif

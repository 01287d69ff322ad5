// energy_balance_impl.h: what has changed the energy along a run.
#ifndef ZWANG_SIMULATE_ENERGY_BALANCE_IMPL_H
#define ZWANG_SIMULATE_ENERGY_BALANCE_IMPL_H

#include "base/memory.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct RunSummary RunSummary;   // run_report.h
typedef struct Simulation Simulation;   // simulation_impl.h

// ---- energy_balance.c
typedef struct EnergyBalance EnergyBalance;
// Of a run, whose summary has the balance up to the last row.
EnergyBalance *balance_new(Arena *arena, const Simulation *sim, RunSummary *summary);
void balance_clear(EnergyBalance *balance);
// At a row; at an event that has changed the energy.
void balance_row(EnergyBalance *balance, double t, double energy);
void balance_event(EnergyBalance *balance, double change);
// Along the last step of a mode, up to a time in it.
void balance_step(EnergyBalance *balance, ContactMode *mode, double until);
// In a step of fixed length: at the position in its middle, with the mean of two velocities.
void balance_fixed_step(EnergyBalance *balance, ContactMode *mode, double t, const double *q,
                        const double *before, const double *after, double length);

#endif

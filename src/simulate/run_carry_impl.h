// run_carry_impl.h: who has something that goes over to another pass.
#ifndef ZWANG_SIMULATE_RUN_CARRY_IMPL_H
#define ZWANG_SIMULATE_RUN_CARRY_IMPL_H

typedef struct EnergyBalance EnergyBalance; // energy_balance_impl.h
typedef struct RunCarry RunCarry;           // run_carry.h
typedef struct RunSummary RunSummary;       // run_report.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h
typedef struct Watch Watch;                 // watch_impl.h

// ---- run_carry.c
void carry_run(RunCarry *carry, SimulationRun *run); // after pass_open, before pass_close
// After both, for closing a pass counts its steps.
void carry_summary(RunCarry *carry, RunSummary *summary);
// ---- watch.c; it may be NULL
void watch_carry(Watch *watch, RunCarry *carry);
// ---- energy_balance.c
void balance_carry(EnergyBalance *balance, RunCarry *carry);

#endif

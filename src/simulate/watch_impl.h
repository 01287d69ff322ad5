// watch_impl.h: what is known to be constant, watched along a run.
#ifndef ZWANG_SIMULATE_WATCH_IMPL_H
#define ZWANG_SIMULATE_WATCH_IMPL_H

#include "base/memory.h"

typedef struct Simulation Simulation; // simulation_impl.h
typedef struct RunSummary RunSummary; // run_report.h
typedef struct State State;           // dynamics.h

// ---- watch.c
typedef struct Watch Watch;
// Of a run, whose summary says what is watched; NULL where nothing is.
Watch *watch_new(Arena *arena, const Simulation *sim, RunSummary *summary);
void watch_clear(Watch *watch);
// Every one of these takes NULL. After a step.
void watch_step(Watch *watch);
// An event has changed the energy by so much, and the momenta by whatever it has.
void watch_event(Watch *watch, double energy);
// At a row. False where something has changed by more than the tolerance explains.
bool watch_row(Watch *watch, const State *state);
// What that was.
void watch_add_alarm(const Watch *watch, Text *text);

#endif

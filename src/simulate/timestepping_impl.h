// timestepping_impl.h: steps of fixed length.
#ifndef ZWANG_SIMULATE_TIMESTEPPING_IMPL_H
#define ZWANG_SIMULATE_TIMESTEPPING_IMPL_H

#include "base/memory.h"
#include "simulate/run_result_impl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SimulationRun SimulationRun; // simulation_run_impl.h
typedef struct StepError StepError;         // step_error_impl.h
typedef struct PassedWay PassedWay;

// ---- timestepping.c: steps of fixed length, in the base mode: the start, and one step, with the
// row at its end where there is one.
RunResult timestepping_begin(SimulationRun *run);
RunResult timestepping_step(SimulationRun *run);
// Goes on from a state at which conditions have begun or ended: what has acted before still does.
typedef struct {
    const struct ModelConstraint **at;
    double *pushes;
    size_t count;
} ActingContacts;
ActingContacts timestepping_acting(const SimulationRun *run, Arena *arena);
RunResult timestepping_resume(SimulationRun *run, const ActingContacts *acting);
// The velocities after a step, from the conditions that were reached in it, into the event.
RunResult timestepping_velocities(SimulationRun *run, double h);
// The same without a report: with the forces of the old velocities first; where forces hold
// velocities, then with those of the mean of old and new ones, until these stay, at most so many
// times. By how much, of their size, they still change: much where the step is too long. False
// where there are none.
bool timestepping_find_velocities(SimulationRun *run, double h, size_t passes, double *change);
// (timestepping_switches.c) Where a function of the state switches inside a step, the end comes to
// just behind that; `which` is the first that does, SIZE_MAX for none. After such a step: goes on
// to the other branch; the run ends where that leads back at once, or where this is one of too many
// parts of a step.
double timestepping_switch_end(SimulationRun *run, double end, size_t *which);
RunResult timestepping_pass_switch(SimulationRun *run, size_t which, size_t *parts);
// The velocities after a step of h whose middle is given, into the event; false where there are
// none. The state of the mode.
bool timestepping_try(SimulationRun *run, double t, const double *q, const double *v, double h,
                      size_t passes);
void timestepping_set_state(SimulationRun *run, double t, const double *q, const double *v);
// (timestepping_impacts.c) Where steps are divided at impacts, the end comes to just before the
// first, or just behind one that is at hand.
double timestepping_impact_end(SimulationRun *run, double end);
// (timestepping_contacts.c) At the start: who acts, with which reactions.
void timestepping_begin_contacts(SimulationRun *run);
void timestepping_take_acting(SimulationRun *run, const ActingContacts *acting);
// Adds the conditions that are reached at the event. What is not a number is included, so that the
// solver finds it.
void timestepping_find_reached(SimulationRun *run);
// Whether a condition that did not act in the last step is reached at a place.
bool timestepping_strikes(SimulationRun *run, double t, const double *q, const double *v);
// Whether those that were not reached before have a slope on their surface: else the run ends.
RunResult timestepping_check_slopes(SimulationRun *run);
// After a step: who acts, and how strongly.
void timestepping_keep_contacts(SimulationRun *run);
const struct ModelConstraint *timestepping_condition(const SimulationRun *run, size_t index);
// At a row: how far pairs are violated there.
void timestepping_note_depth(SimulationRun *run);
// Onto the finite equations, and the velocities onto all equations by the least change in their
// inertia, at the end of the step.
bool timestepping_project(SimulationRun *run);
// (careful_steps.c) How far a step from the mode's time may go, so that nothing that depends on the
// time alone lies unseen inside it. The time goes over a switch that it has come to.
RunResult timestepping_step_end(SimulationRun *run, double until, double *end);
// Whether the motion has come straight to q, in a time of h, over nothing that changes
// too fast to be seen; else that is reported.
RunResult timestepping_look(SimulationRun *run, const double *q, double from, double h);
// (timestepping_way.c) The way from the middle of a step to that of the next, with the end of the
// first at place 1; NULL where nothing can lie between. At the next middle: ends the run where an
// impact was passed on the way, else begins the next one. f of all conditions was evaluated there.
PassedWay *way_new(SimulationRun *run);
void way_set(PassedWay *way, size_t place, double t, const double *q);
RunResult way_look(SimulationRun *run, double t, const double *q);
// After the change of velocities of a step: ends the run where impacts that come in turn in it lead
// to clearly other ones.
RunResult way_look_at_order(SimulationRun *run, double h);
// (step_error.c; NULL: nothing) After a step; at a row, false where longer steps differ: reported.
void step_error_step(StepError *error, const double *q, const double *v);
bool step_error_row(StepError *error, const double *q, const double *v);
RunResult step_error_fails(SimulationRun *run, double t);
// Shorter steps will not do either.
void step_error_give_up(StepError *error);
// Whether this pass divides its steps at impacts; then each time that one was.
bool step_error_divides(const StepError *error);
void step_error_note_division(StepError *error);

#endif

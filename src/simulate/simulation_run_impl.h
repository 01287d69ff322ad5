// simulation_run_impl.h: a run in progress.
#ifndef ZWANG_SIMULATE_SIMULATION_RUN_IMPL_H
#define ZWANG_SIMULATE_SIMULATION_RUN_IMPL_H

#include "base/memory.h"
#include "dynamics/stop_request.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_module_impl.h"
#include "simulate/switch_functions_impl.h"

// What is known of bounces that may accumulate: when they have, and how much that has changed since
// the impact before.
typedef struct {
    double t, error;
} AccumulationEstimate;
enum { BOUNCES = 12 };
typedef struct {
    double times[BOUNCES]; // of the last impacts
    size_t count;
    double sum;                    // when the flights are over, if each is a parabola of its own
    AccumulationEstimate best;     // by that sum, or by the times
    AccumulationEstimate followed; // by following them to their end; t = 0: not yet
} BounceHistory;

// ---- A run in progress.
typedef struct SimulationRun {
    Arena *arena; // of what belongs to events
    Simulation *sim;
    const RunListener *listener;
    RunSummary *summary;
    Diag *diag;
    StopRequest stop;
    ContactModes modes;
    ContactMode *mode;  // at present
    OdeOutcome outcome; // why the mode cannot be followed; ODE_NO_RATE: it has its own reason
    void *module_data[MODULE_COUNT];
    size_t row;    // which one comes next
    double energy; // what it should be
    // Unilateral conditions and impulses.
    bool eventful;
    GapFunctions gaps;
    EventDetector detector;
    ContactEvent event;
    ContactEvent aside;    // for other questions: a little later, without rebound
    ARRAY(size_t) sharers; // who touches, where more act than are held
    GivenImpulses impulses;
    Switches switches;
    double *rest_times;     // of each condition: when infinitely many impacts will have accumulated
    double *rest_errors;    // and how far that may be off
    BounceHistory *bounces; // of each condition
    bool *acted;            // of each condition: before the present event
    double *let_go;         // of each condition: when its λ was last seen to go through 0
    double *impulse;        // room, n
    size_t crowd;           // events in a row that did not move on
    double crowd_t;
} SimulationRun;

// ---- recording.c: rows and events, as the listener gets them.
// The row of the present leg's numbers; false where the listener has had enough.
bool record_row(SimulationRun *run, bool at_event);
bool record_progress(const SimulationRun *run, double t);
void record_event(SimulationRun *run, const RunEvent *record);
// The time of the next row; *last where it is the one at the end.
double record_next_row(const SimulationRun *run, bool *last);
// Whether that is at this time, which an event has: it is then one of the event's, and is skipped
// afterwards; true where it was the last.
bool record_is_row(const SimulationRun *run, double t);
bool record_skip_row(SimulationRun *run);
// The rows up to the state reached, from the inside of the last step where they lie there; where
// an event is next, without the row at its time.
RunResult record_rows(SimulationRun *run, bool before_event);

// ---- contact_events.c: what happens at an event, in its order.
void events_init(SimulationRun *run);
void events_clear(SimulationRun *run);
// The next event whose time is known before; infinite for none.
double events_next(const SimulationRun *run);
// At the start: the first leg.
RunResult events_begin(SimulationRun *run);
// After a step: what happens in it, up to where the leg is then cut.
RunResult events_process(SimulationRun *run);

// ---- accumulation.c: bounces that accumulate.
// After a shock and what follows it: whether bounces are over, so that it is to be asked again, now
// without rebound where that is so.
bool accumulation_ends(SimulationRun *run, const double *impulse);
// Its bounces are over at that time, but for an error.
void accumulation_set_time(SimulationRun *run, size_t side, double t, double error);

// ---- bounce_sequence.c: bounces that are smaller than what counts as 0, followed to their end.
// After a shock: when those that take part have come to rest, where an end is seen.
void bounce_sequence_follow(SimulationRun *run);
// In the place of a shock, where those that touch strike in turn and not at once: what the whole
// sequence of their impacts does. False where they do not, or no end is seen.
bool bounce_sequence_resolve(SimulationRun *run);

#endif

// simulation_run_impl.h: a run in progress.
#ifndef ZWANG_SIMULATE_SIMULATION_RUN_IMPL_H
#define ZWANG_SIMULATE_SIMULATION_RUN_IMPL_H

#include "base/memory.h"
#include "ode/outcome.h"
#include "simulate/run_result_impl.h"

typedef struct ContactEvent ContactEvent; // contact_event_impl.h
typedef struct ContactMode ContactMode;   // contact_mode_impl.h
typedef struct ContactModes ContactModes;
typedef struct EnergyBalance EnergyBalance; // energy_balance_impl.h
typedef struct EventDetector EventDetector; // event_detector_impl.h
typedef struct GapFunctions GapFunctions;   // contact_event_impl.h
typedef struct GivenImpulses GivenImpulses; // given_impulses_impl.h
typedef struct RunEvent RunEvent;           // run_report.h
typedef struct RunListener RunListener;
typedef struct RunSummary RunSummary;
typedef struct Simulation Simulation;               // simulation_impl.h
typedef struct SingularPositions SingularPositions; // singular_positions_impl.h
typedef struct Switches Switches;                   // switch_functions_impl.h
typedef struct Watch Watch;                         // watch_impl.h

// When infinitely many impacts of a condition will have accumulated, and how far that may be off.
typedef struct {
    double t, error;
} RestTime;

// From a row to the next one in equal steps of fixed length.
typedef struct {
    double from, until;
    double steps, done;
    bool last; // it leads to the last row
} FixedSpan;

// How far the run has come each time that the number of its steps has doubled.
typedef struct {
    size_t looks;   // at equal numbers of steps
    double t;       // at the last doubling
    double covered; // by the steps since the one before
    size_t falling; // doublings in a row that covered much less than the one before
} StepDoublings;

// How far steps go, and whether they lead somewhere.
typedef struct {
    double until;     // the next one ends here at the latest
    double switch_at; // where a step that is taken again met a switch; past: nothing
    size_t steps;
    const ContactMode *former; // many steps ago, and its time
    double former_t;
    StepDoublings doublings;
    FixedSpan span;
} StepPace;

typedef struct { // events in a row that did not move on from a time
    size_t count;
    double t;
} EventCrowd;

// What of the rows was told.
typedef struct {
    size_t next;         // which one comes next
    size_t between;      // and which state between rows
    bool told_undefined; // that a column has no value somewhere
    double pieces;       // up to which time the motion was told piece by piece
} RowProgress;

typedef struct SimulationRun {
    Arena *arena; // of what belongs to events
    Simulation *sim;
    const RunListener *listener;
    RunSummary *summary;
    Diag *diag;
    ContactModes *modes;
    ContactMode *mode;  // at present
    OdeOutcome outcome; // why the mode cannot be followed; ODE_NO_RATE: it has its own reason
    struct BranchMonitor *branches; // where the run follows a stationary point; else NULL
    RowProgress rows;
    double energy; // what it should be
    // Unilateral conditions and impulses.
    GapFunctions *gaps;
    ContactEvent *event; // the last one
    ContactEvent *aside; // for other questions: a little later, without rebound
    GivenImpulses *impulses;
    RestTime *rests;    // of each condition; INFINITY: it does not bounce, or nobody knows
    RestTime *followed; // the same, where its bounces were followed to their end
    EventDetector *detector;
    Switches *switches;
    SingularPositions *singular; // NULL where there are none
    Watch *watch;                // NULL where nothing is watched
    EnergyBalance *balance;
    double *vector;  // workspace, 4n: velocities or an impulse, a state
    bool uneventful; // nothing that the run has can be an event
    EventCrowd crowd;
    StepPace pace;
} SimulationRun;

// ---- run_events.c: what happens at an event, in its order.
void events_init(SimulationRun *run);
void events_clear(SimulationRun *run);
// Whether none can come: no conditions with contacts or branches of their own, no switches, no
// impulses, no events of the model. It is so all along the run.
bool events_are_none(const SimulationRun *run);
// The next event whose time is known before; infinite for none.
double events_next(const SimulationRun *run);
// (speed_events.c) Tells that the mode has taken other independent speeds, where somebody asks for
// that.
void events_tell_speeds(SimulationRun *run);
// (contact_events.c) One more event, at this time: how many in a row did not move on.
size_t events_crowd(SimulationRun *run, double t);
// At the start: the first mode.
RunResult events_begin(SimulationRun *run);
// The same where a run is renewed, without rows.
RunResult events_resume(SimulationRun *run);
// (impact_law.c) Reports that the last event has no solution, so that the run ends at t.
RunResult events_no_solution(SimulationRun *run, double t);
// After a step: what happens in it, up to where the step is then cut.
RunResult events_process(SimulationRun *run);
// (singular_positions.c) Records the position that the last step, as it was cut, has passed. True
// where the motion leaves it by another branch: what follows is done then.
bool singular_passes(SimulationRun *run, RunResult *result);
// (singular_branches.c) Where velocities are about to jump at the end of the step, and a condition
// is dependent there but for the last digits: which of them it holds, to be freed, and the names of
// what it depends on. NULL for none.
bool *singular_at_jump(SimulationRun *run, Text *names);

// ---- bounce_sequence.c: bounces that accumulate, followed to their end.
// After an impact and what follows it: whether bounces are over, so that it is to be solved again,
// now without rebound where that is so. `solved`: it is, and only what acts behind it is not known.
bool accumulation_ends(SimulationRun *run, const double *impulse, bool *solved);
// In the place of an impact, where those that touch strike in turn and not at once: what the whole
// sequence of their impacts does (`resolved`). Where no end of it is seen, and it
// is not slow, the run fails.
RunResult bounce_sequence_resolve(SimulationRun *run, bool *resolved);
// Whether an impact leads to other velocities where conditions that act, but may be open as well,
// are struck one after another.
bool bounce_sequence_differs(SimulationRun *run);
// After a step of fixed length, which strikes at once what is reached in it: whether that leads to
// the velocities that impacts in turn do, up to a part of these sizes.
bool bounce_sequence_agrees(SimulationRun *run, double length, const double *sizes);

// ---- simulation.c: one pass from the start to the end.
// A pass that can be followed step by step: opened, begun, a step with what happens in it as long
// as that gives RESULT_CONTINUE, ended, which says why it did, and closed. `modes` and `stop` are
// the caller's room.
typedef struct StopRequest StopRequest; // stop_request.h
void pass_open(SimulationRun *run, ContactModes *modes, StopRequest *stop);
RunResult pass_begin(SimulationRun *run);
RunResult pass_step(SimulationRun *run);
BASE_MUST_USE Status pass_end(SimulationRun *run, RunResult result);
void pass_close(SimulationRun *run);
BASE_MUST_USE Status run_pass(Simulation *sim, const RunListener *listener, Diag *diag,
                              RunSummary *summary);

#endif

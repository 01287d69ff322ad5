// run_report.h: what a run reports: rows, events and summary.
#ifndef ZWANG_SIMULATE_RUN_REPORT_H
#define ZWANG_SIMULATE_RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ModelConstraint ModelConstraint; // model.h
typedef struct Simulation Simulation;           // simulate.h

// ---- Events: instants at which the motion goes on by another law or with other velocities.
typedef enum {
#define EVENT(NAME, word, several) RUN_##NAME,
#include "simulate/events.def"
#undef EVENT
    RUN_EVENT_COUNT
} RunEventKind;
const char *run_event_name(RunEventKind kind);
const char *run_event_names(RunEventKind kind); // of many

// Of friction, after the event: along the world's axes; of a law against a scalar, one number. The
// modes are "open", "sticks" and "slips".
typedef struct RunFriction {
    size_t parts; // 3 or 1; 0: there is none
    double slip[3], force[3], normal;
    const char *mode_before, *mode_after;
} RunFriction;

// A record a condition; several may share t. The arrays live until the listener returns.
typedef struct RunEvent {
    double t;
    RunEventKind kind;
    const ModelConstraint *constraint; // NULL where it is no condition's
    const char *what; // that which switches, as it is written; the text of a stop; else NULL
    const double *before, *after, *impulses; // n velocities; of a percussion, by n coordinates
    double impulse;                          // of an impact: −impulse·∂f/∂q
    double energy_lost;                      // in all impacts of this t together
    bool doubtful;       // within the tolerance: f may not have reached 0, or have passed it
    double uncertainty;  // of a rest: how far its time may be off
    const double *state; // the row after it, where whoever writes records has it; else NULL
    const struct TangentCone *cone;      // of a singular position (tangent_cone.h); else NULL
    const char *const *from, *const *to; // of other speeds: the names of these, speed_count each
    size_t speed_count;
    RunFriction friction;    // of what sticks, slides or turns round; else without parts
    const char *event;       // of the model, by its label; else NULL
    const char *const *sets; // what it has set, set_count names
    size_t set_count;
    const char *const *diff_names; // by what its time is differentiated, diff_count names
    const double *diffs;           // ∂t by each; NULL where nobody asked
    size_t diff_count;
} RunEvent;

// ---- The listener of a run. It receives a row at t = 0, at every k·DT and at the end, and two
// rows of the same t at an event, before and after it; false stops the run. It receives an event
// before the second of these rows, and the progress after every step and every row inside one,
// which may stop the run too. Each function may be NULL.
typedef bool (*RunRowFn)(void *context, const double *row);
typedef bool (*RunProgressFn)(void *context, double t);
typedef void (*RunEventFn)(void *context, const RunEvent *event);
// A smooth piece of the motion, from a time to another, inside of which rows can be asked for.
typedef struct SimulationRun SimulationRun;
typedef void (*RunPieceFn)(void *context, SimulationRun *run, double from, double to);
// How much of a row somebody reads, which may be all that is worked out: t and coordinates; and
// velocities; and what follows from these; all columns.
typedef enum { ROW_COORDINATES, ROW_VELOCITIES, ROW_KINEMATIC, ROW_WHOLE } RowPart;
// The part that a column is in.
RowPart run_column_part(const Simulation *sim, size_t column);
// Until the next one; NULL: it has none.
const double *run_row_inside(SimulationRun *run, double t, RowPart part);
typedef struct RunListener {
    RunRowFn row;
    RunProgressFn progress;
    void *context;
    RunEventFn event;
    bool regular, states; // without the rows at events; records have the row behind them
    bool speeds;          // records of other independent speeds too, which no summary counts
    // States at so many times between two rows, for pictures; they are no rows and count nowhere.
    // A run in steps of fixed length has none.
    RunRowFn between;
    size_t between_count;
    bool ends; // rows inside of steps are not wanted, but for the last; the summary may count fewer
    // Every piece between two events or steps, in their order; not of steps of fixed length.
    RunPieceFn piece;
} RunListener;

// How often each kind of event was there, and when.
typedef struct {
    size_t count;
    double first, last;
} RunEventTally;

typedef enum {
    RUN_WHOLE,   // the end was reached
    RUN_ASKED,   // the listener stopped it
    RUN_STRANDED // the motion could not be followed further
} RunEnd;

// What has ended a run before its time; without an event where nothing has.
typedef struct {
    const char *event, *text; // its label, or the relation of `until`; "" for no text
} RunStop;

typedef struct RunSummary {
    RunEnd end;
    RunStop stop;
    double reached; // the last time accepted by the integration, or the last row where it stopped
    size_t rows;
    size_t steps, rejected, evaluations;
    size_t order;            // of the method
    double step, step_error; // of timestepping; by how much steps twice as long differ, or NAN
    size_t speed_changes;
    double largest_residual; // over all rows and conditions, as they are written
    double energy_drift; // the largest |E − E at t = 0| over all rows, without impacts' changes
    bool is_conservative, is_watched; // the energy is constant but for impacts; the run sees to it
    double constant_change; // of all that is known to be constant, the largest change in parts of
                            // its size; NAN where nothing is
    bool stiff;
    RunEventTally events[RUN_EVENT_COUNT];
    double energy_lost;       // in impacts
    struct RunEnergy *energy; // and what else changed it; it lives as long as the simulation
    double friction_missed;   // of steps with very many contacts: by how much the law, at most
    double deepest;           // the largest f > 0 of a unilateral condition over all rows,
    double bounded;           // and between them, by proof
    size_t input_pieces;      // intervals of time over which what depends on it alone was bounded,
    double input_shortest;    // and the shortest of them
} RunSummary;

#endif

// event_triggers_impl.h: the events of a model along a run: when they fire, and what they do.
#ifndef ZWANG_SIMULATE_EVENT_TRIGGERS_IMPL_H
#define ZWANG_SIMULATE_EVENT_TRIGGERS_IMPL_H

#include "dynamics/evaluator.h"
#include "ode/interpolant.h"
#include "simulate/run_result_impl.h"

typedef struct ContactMode ContactMode;     // contact_mode_impl.h
typedef struct DetectedEvent DetectedEvent; // event_detector_impl.h
typedef struct EventActions EventActions;   // event_actions.c
typedef struct EventSamples EventSamples;   // event_samples_impl.h
typedef struct ModelEvent ModelEvent;       // model/events.h
typedef struct RunEvent RunEvent;           // run_report.h
typedef struct Simulation Simulation;       // simulation_impl.h
typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// What is known of one event.
typedef struct {
    int sign;             // of its function, when last looked at; 0: it is 0, or nobody has looked
    int inside;           // the same inside the last step, as far as it was looked at
    double size;          // the largest of the function so far, poles left out
    double lasting, last; // of it, what is no way up to a pole; in the interval before
    bool falls;           // it comes down from a pole
    double root;          // where it fires in the last step; infinite for nowhere
    double near;          // what counts as 0 from where it has fired on
    int came;             // the side from which it came when it fired last
    double rate;          // of its function then; behind it that of what is thrown back, else 0
    bool due;             // it fires now
    bool passes;          // it passes 0 where the last step ends
    bool waits;           // it was about 0 before what happens now, and has not fired
    bool fired;           // it has, and nobody has looked since
    bool lost;            // it has fired, turned back and passed 0 again, within what counts as 0
    double ends;          // since when its function has no finite value; infinite where it has
    bool told;            // that it has none
} EventTrigger;

typedef struct EventTriggers {
    Arena *arena;
    const struct Model *model;
    size_t count;
    const ModelEvent **events; // in the order of the text
    EventTrigger *at;
    Evaluator values;      // of their functions; 0 of those that wait for records
    bool reactions;        // some function holds λ
    double touch;          // beyond 0 by this part of its size and back: it has touched 0
    bool acting;           // events are being done
    bool row_waits;        // the row behind what has jumped waits for them
    bool timed;            // some that are due are so by their time
    size_t in_a_row;       // events at the present time
    double now;            // that time
    double behind;         // so much later begins or ends what the time does
    EventSamples *samples; // NULL for none
    EventActions *actions;
} EventTriggers;

// ---- event_triggers.c
// NULL where the model has no events; an error has been reported where *failed.
EventTriggers *triggers_new(const Simulation *sim);
void triggers_clear(EventTriggers *triggers); // may be NULL
// The functions at the state of a mode, which was evaluated, and what roundings make of them.
void triggers_sample(const EventTriggers *triggers, const ContactMode *mode, double *values,
                     double *noise);
bool triggers_is_watched(const EventTriggers *triggers, size_t i);
// What of a function is noise, in an interval in which it is at most so large.
double triggers_noise(const EventTriggers *triggers, size_t i, double most, double rounding);
// Whether one fires within a polynomial, and where.
bool triggers_see(EventTriggers *triggers, size_t i, OdeInterpolant *fit, double noise,
                  DetectedEvent *detected);
// A step is looked at from its beginning; it was passed as a whole.
void triggers_begin_step(EventTriggers *triggers);
void triggers_end_step(EventTriggers *triggers);
// One that has passed 0 again where no root can be told; NULL for none.
const ModelEvent *triggers_lost(const EventTriggers *triggers);
// Those that fire at the time of the first one are due.
void triggers_take(EventTriggers *triggers, double t, double length);
// At the start: what is true there does not fire.
void triggers_start(EventTriggers *triggers, const ContactMode *mode);
// A warning of each trigger that has no finite value at the evaluated state; later of those that
// have lost it up to a time.
void triggers_tell_undefined(EventTriggers *triggers, const ContactMode *mode, Diag *diag);
void triggers_tell_ended(EventTriggers *triggers, double t, Diag *diag);
// Those that are due fire now, and are at 0: how fast they pass it.
void triggers_fire(EventTriggers *triggers, const ContactMode *mode);
// At the evaluated state of a mode, up to which nothing has jumped, or behind a jump: then those
// whose functions have jumped through 0 are due. Those that are due have fired.
void triggers_look(EventTriggers *triggers, const ContactMode *mode, bool jumped);
// A record was written: those that wait for it are due.
void triggers_note(EventTriggers *triggers, const RunEvent *record);
// Whether the function of one came to 0 by the motion, in the last step.
bool triggers_come_to_zero(const EventTriggers *triggers, size_t i);
bool triggers_are_due(const EventTriggers *triggers);
// Whether one that is due changes the motion, so that there are rows before and behind it; and
// whether one sets anything.
bool triggers_jump(const EventTriggers *triggers);
bool triggers_set(const EventTriggers *triggers);
// The next event whose time is known before; infinite for none. `triggers` may be NULL.
double triggers_next_time(const EventTriggers *triggers);
// Those that pass 0 where the step ends are due.
void triggers_take_end(EventTriggers *triggers);
// Those whose known times are up to t are due; whether there are any. `triggers` may be NULL.
bool triggers_take_timed(EventTriggers *triggers, double t);

// ---- event_actions.c
EventActions *actions_new(Arena *arena, const Simulation *sim, const EventTriggers *triggers);
void actions_clear(EventActions *actions);
void actions_forget_state(EventActions *actions); // of equations that are no longer those in use
// All that are due, and those that become so: their actions, records, and the row behind them.
// Else RESULT_CONTINUE.
RunResult actions_perform(SimulationRun *run);
// Samples that are due, where no events are searched for: their actions alone.
RunResult actions_perform_samples(SimulationRun *run);

#endif

// switch_functions_impl.h: abs, sign, min and max in the equations.
#ifndef ZWANG_SIMULATE_SWITCH_FUNCTIONS_IMPL_H
#define ZWANG_SIMULATE_SWITCH_FUNCTIONS_IMPL_H

#include "base/memory.h"
#include "dynamics/switch_arguments.h"
#include "expr/expr_types.h"
#include "program/time_switch.h"

typedef struct ContactMode ContactMode;         // contact_mode_impl.h
typedef struct NarrowFunctions NarrowFunctions; // narrow_functions_impl.h
typedef struct RunSummary RunSummary;           // run_report.h
typedef struct Simulation Simulation;           // simulation_impl.h
typedef struct State State;                     // dynamics.h
typedef struct TimeBounds TimeBounds;           // time_bounds.h

// ---- switch_functions.c
typedef struct Switches {
    size_t count;
    SwitchArguments found;       // what decides their branches
    struct Evaluator *arguments; // the same as a program
    int *orders; // of tables: the highest derivative in energies and conditions, −1 for none
    struct Evaluator *slopes; // of each, by t, q and q'; made when asked for
    const Equations *eq;      // of the base mode
    int *signs;               // of these, when last looked at; 0 for not yet
    int *former;              // at the beginning of the step
    bool *inside;             // it may switch inside a step; else the step ends there
    bool *of_time, mixed;     // without the state; one of these and another switched last
    bool *of_gaps;            // one-sided conditions alone hold it
    bool *of_speeds;          // a declared speed of the state switches with it
    bool *hides_energy;       // where the state passes it the energy jumps; tables: may jump
    bool moved;               // the state was moved beyond the last; its method starts anew
    double jumped;            // when velocities last jumped at one of them; -INFINITY: never
    size_t jumped_at;         // which one did
    double met;               // when a step last failed at one of them; -INFINITY: never
    size_t met_at;            // at which
    TimeBounds *time;         // what the equations hold of the time alone; NULL for nothing
    TimeSwitch last, next;    // of that; infinite for none
    NarrowFunctions *narrow;  // what the equations hold of the state; NULL for nothing
} Switches;
Switches *switches_new(Arena *arena, const Simulation *sim);
void switches_clear(Switches *switches);
// What decides their branches, at a state.
const double *switches_values(Switches *switches, const State *state);
// Whether one of them is a table that passes a knot as smoothly as its derivatives in energies and
// conditions need: no velocities jump there, and nothing is told.
bool switches_is_smooth(const Switches *switches, size_t which);
// Beyond the end of a table without words for that: which one, and what it is asked at.
const struct ExprTable *switches_beyond(Switches *switches, const State *state, double *at);
// Whether the text has no value beyond one of them; whether the state turns back there, so that it
// touches its end only.
bool switches_is_domain(const Switches *switches, size_t which);
bool switches_graze(Switches *switches, const State *state, size_t which);
// Whether one of them has switched at this state since the last look, and the first (may be NULL:
// then what is beyond the domain of the text is still to be found).
bool switches_look(Switches *switches, const State *state, size_t *which);
// One of those in equations, decided by the place, that are on another side than at the last look:
// positions do not jump, so that it has been passed by some last digits. False for none.
bool switches_take_passed(Switches *switches, const State *state, size_t *which);
// A state was set: those that were on their side before, by these values, are on the new one now,
// and have not been passed by a motion.
void switches_carry(Switches *switches, const State *state, const double *before);
// The slopes of what decides one of them, by t, q and q', at a state.
const double *switches_slopes(Switches *switches, const State *state, size_t which);
// Whether roundings along the way may have made the argument of one what it is; of any one.
bool switches_is_rounding(Switches *switches, const State *state, size_t which, double value);
bool switches_are_any_zero(Switches *switches, const State *state);
// Whether a function of the time alone holds a symbol; a parameter has another value from now on.
bool switches_hold(const Switches *switches, const ExprPool *pool, Expr symbol);
void switches_put(Switches *switches, size_t param, double value);
// Whether a state lies on one of them, to the last digits: on which side is not known.
bool switches_touch(Switches *switches, const State *state);
// The same of those on whose side of the last look it is not; and whether velocities or energies
// jump with the state at one of these, so that they have no value.
typedef enum { TOUCHES_NONE, TOUCHES_ANY, TOUCHES_ENERGY } SwitchTouch;
SwitchTouch switches_touch_newly(Switches *switches, const State *state);
// Moves the coordinates of a mode's state beyond those that are exactly 0 or that its step has
// passed, by the coordinates `reached` before they met the conditions, all but one (SIZE_MAX for
// none). False where nothing was moved.
bool switches_leave(Switches *switches, ContactMode *mode, const double *reached, size_t but);
// Whether the velocities and accelerations of a state lead back to where one of them has come from.
bool switches_turn_back(Switches *switches, const State *state, size_t which);
// Whether the state stands before one of them to the last digits, and goes towards it; the first.
bool switches_are_ahead(Switches *switches, const State *state, size_t *which);
void switches_begin_step(Switches *switches); // at the state of the last look
// Whether one of them has another sign at a state inside the step than at its beginning.
bool switches_are_passed(Switches *switches, const State *state);
// How far a step of the mode may go, at most `until`, so that nothing that depends on the time
// alone lies unseen inside it. Its own beginning where no step is so short.
double switches_step_end(Switches *switches, const ContactMode *mode, double until);
// Whether that is what keeps the mode's steps short: hardly longer ones than the last could be
// taken.
bool switches_stop_steps(Switches *switches, const ContactMode *mode);
// At the start, where all is at rest at 0: sizes by what functions of the time will give.
void switches_measure_unit(Switches *switches, ContactMode *mode);
// The function of the time alone that was narrowest.
Expr switches_narrow(const Switches *switches);
// How often what depends on the time alone was subdivided.
void switches_add_counts(const Switches *switches, RunSummary *summary);
// Goes on to the next time at which a function of the time alone switches.
void switches_advance(Switches *switches);
// The time that is shown for one within the last digits of such a switch.
double switches_shown_time(const Switches *switches, double t);

#endif

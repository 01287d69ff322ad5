// journey_impl.h: the way from the start to the end, leg after leg. Never leaves the room.
#ifndef ZWANG_RUN_JOURNEY_IMPL_H
#define ZWANG_RUN_JOURNEY_IMPL_H

#include "run/run_impl.h"

// ---- leg.c: the motion under one set of conditions: equations, and one-sided ones that act.
typedef struct Leg {
    Run *run;
    bool is_base;     // the run itself, which holds no one-sided condition
    const bool *held; // of all one-sided conditions: it is an equation of this leg
    Numbers *numbers;
    Integrator *integrator;
    Course course;
    Stiffness stiffness;
    Sizes sizes;
    Turns turns;
    double t;
    double *y;                // q, then u
    double *y_row, *rate_row; // the same at a row, and its rate there
    double from;              // where the last step began
    bool stepped;             // since it was set out
    size_t *chosen;           // room for the coordinates whose velocities are the speeds
    // The speeds are looked at again where they may have become poor.
    double condition;    // when last looked at; 0 for never
    double pace;         // at which it has changed, a step
    bool changed;        // other speeds were taken on the way
    size_t good, unseen; // for how many steps from then; how many of these were made
    double step;         // when last looked at
    NumbersOutcome why;  // of the last rate that could not be evaluated
    double clear;        // how long the last step may be until something switches
    bool made;           // its rates were made once
    size_t *speed_changes;
    size_t used; // when, counted in legs begun
} Leg;
// False: the machine failed.
bool leg_init(Leg *leg, Run *run, Diag *diag);
void leg_clear(Leg *leg);
// From a state; `step` is a first guess, 0 for none. False where there is no rate.
bool leg_begin(Leg *leg, double t, const double *q, const double *v, double step);
// One accepted step, not beyond `until`.
IntegratorOutcome leg_step(Leg *leg, double until);
// The last step ends here, where the state is y (may be its own).
void leg_cut(Leg *leg, double t, const double *y);
// From the state that it has come to, without what it knew of the way before.
bool leg_set_out_again(Leg *leg);
// After a step: speeds and rates that are better from here on, where the present ones have become
// poor. False where there are none.
bool leg_look_around(Leg *leg);
// The state at a time within the last step, settled; NULL where there is none.
const double *leg_state(Leg *leg, double t);
// Brings numbers to a time within the last step, accelerations included.
bool leg_evaluate(Leg *leg, double t);
// Whether ∂f/∂q' of a condition that is not linear in the velocities vanishes where it has come to.
bool leg_vanishes(Leg *leg);
// ∂(rate)/∂y at the state reached.
bool leg_jacobian(Leg *leg, double *columns);

// ---- legs.c: the legs that a run has gone, each made when it is first needed.
typedef struct {
    Run *run;
    Diag *diag;
    const double *sizes; // of the one-sided conditions
    Leg **at;
    size_t count, used; // how many there are; how often one was begun
    size_t speed_changes;
    RunSummary given_up; // what the legs have done that were
} Legs;
// The leg that holds these of the one-sided conditions, which are independent where the motion is;
// `q` and `t` are there. NULL where the machine or the algebra failed; the diag of legs says why.
Leg *legs_get(Legs *legs, const bool *held, double t, const double *q);
void legs_clear(Legs *legs);
void legs_count(const Legs *legs, RunSummary *summary);

// ---- contacts.c: the one-sided conditions along a run, as numbers.
typedef struct {
    const Numbers *numbers; // of the run itself: for symbols and parameters
    size_t n, count;
    Lowered positions; // f of all
    double *inputs;    // parameters | t | q
    double *sizes;     // what f is measured by: its largest term at the start
    double *band;      // f is 0 within so much
    double *slow;      // and f' where f does not leave its band from a row to the next
    double *f;
} Contacts;
BASE_MUST_USE Status contacts_init(Contacts *contacts, const Run *run, Diag *diag);
void contacts_clear(Contacts *contacts);
// f of all of them, in contacts->f.
void contacts_positions(Contacts *contacts, double t, const double *q);

// ---- proxy.c: a function of time over a stretch, as a polynomial through samples of it.
enum { PROXY_DEGREE = 12, PROXY_NODES = PROXY_DEGREE + 1, PROXY_SAMPLES = PROXY_NODES + 2 };
typedef struct {
    double from, length;              // of the stretch
    double chebyshev[PROXY_NODES];    // its coefficients, and
    double coefficients[PROXY_NODES]; // in powers of (t − from)/length, once they are asked for
    bool expanded;
    bool good;   // it is the function, but for the noise that is allowed
    double miss; // about how much it differs from the function
    double blur; // how much the function changes in the last digits of the time
} Proxy;
typedef struct {
    double at[PROXY_SAMPLES]; // in units of a stretch, in order
    double cosines[PROXY_NODES * PROXY_NODES];
} ProxyBasis;
void proxy_basis_init(ProxyBasis *basis);
// From samples at those times; `noise` is how much they may be off.
Proxy proxy_make(const ProxyBasis *basis, double from, double length, const double *samples,
                 double noise);
// No value of it is larger, or smaller for sign < 0, than this.
double proxy_bound(const Proxy *proxy, int sign);
double proxy_value(Proxy *proxy, double t);
double proxy_slope(Proxy *proxy, double t);
// The first time from `after` on where it reaches `level` from below (sign > 0) or above (< 0);
// infinite where it does not.
double proxy_first(Proxy *proxy, double after, double level, int sign);
// The last time before `until` where it was 0, or its slope; its beginning where there is none.
double proxy_last_zero(Proxy *proxy, double until);
double proxy_last_turn(Proxy *proxy, double until);
// The first time after `after` where its slope is 0; infinite where there is none.
double proxy_first_turn(Proxy *proxy, double after);

// ---- meet.c: what an event does: shocks, and which conditions act from then on.
typedef struct {
    size_t index;                // of the condition
    double before, after;        // f'
    double impulse;              // of the shock
    bool stays;                  // it has turned within the band: f' counts as 0
    bool fleeting;               // f' < 0 after, but where something presses it comes back at once
    bool kept;                   // f' = 0 after: it may act
    double lambda, acceleration; // of those kept
    double phi;                  // Φ of it alone, without couplings
    double terms;                // f'' is no larger where nothing cancels
    bool tie;                    // neither λ nor f'' is more than rounding
    bool will_push, will_rest;   // what a tie does next: neither where it opens
} Touch;
typedef struct {
    Contacts *contacts;
    Numbers *numbers; // of the run itself
    Sides *sides;     // the run's: its shapes, its inertia and its solver
    // Where it happens: conditions that touch, and their ∂f/∂q.
    double t, *q, *before, *after; // n each: velocities
    ARRAY(Touch) at;
    Asked asked; // the same, with the velocities before
    bool shock;
    double energy_lost;
    bool inner;            // what happens is within what counts as 0
    double *accelerations; // n
    bool *acts;            // of all conditions: those that act from then on, and
    bool *held;            // of these the ones to be held: independent ones
    bool shared;           // others push too, which depend on these
    // Room.
    Asked kept;
    ARRAY(double) lambda;
    ARRAY(double) rates;
    ARRAY(bool) acting;
    Islands ties;               // of coordinates, by the inertia, the equations and touching
    double *own, *pull, *sizes; // n each
    JumpReport jump;            // of the shock
    ContactReport report;       // why there is no answer,
    const Asked *asker;         // to these
} Meeting;
void meeting_init(Meeting *meeting, Contacts *contacts, Run *run);
void meeting_clear(Meeting *meeting);
// At a state, with no conditions yet.
void meeting_begin(Meeting *meeting, double t, const double *q, const double *v);
// Adds a condition that touches there, each once only.
void meeting_add(Meeting *meeting, size_t index);
// Lets the velocities jump; `impulse` may be NULL. False where there is no answer.
bool meeting_shock(Meeting *meeting, const double *impulse);
// The same by another road: brings the run's inertia and rows there, and takes what it found.
void meeting_go_before(Meeting *meeting);
void meeting_jump_to(Meeting *meeting, const double *velocities);
// Which of those kept act; `all`: all are kept. False where there is no answer.
bool meeting_decide(Meeting *meeting, bool all);
// f'' of one of them after the shock, with these accelerations.
double meeting_second_rate(Meeting *meeting, size_t i, const double *accelerations);
// How large a reaction of one of them is where nothing cancels.
double meeting_reaction_size(const Meeting *meeting, const Touch *touch);
// Who acts from then on, ties by what they will do, and who of these is held.
void meeting_hold(Meeting *meeting);
// Takes away what f' of the held ones is that counted as 0, by the least change of velocities, and
// counts its energy. False where there is no answer.
bool meeting_still(Meeting *meeting);
// Why there is no answer.
void meeting_add_reason(const Meeting *meeting, Text *text);

// ---- share.c: reactions where more conditions act than are independent.
typedef struct {
    Shapes *shapes;
    ARRAY(uint32_t) which; // those that act and are not held
    // Room.
    ARRAY(double) parts;
    ARRAY(double) normal;
    Basis basis;
    double *row;
} Share;
void share_begin(Share *share, const Meeting *meeting);
void share_clear(Share *share);
// From the λ that the leg has, at the state where it was evaluated, to those of least norm.
void share_out(Share *share, const Leg *leg, double *lambda);

// ---- watch.c: what happens first within a step.
typedef enum { STRIKES, GRAZES, LETS_GO } Happening;
typedef struct {
    double t;
    size_t index; // of the one-sided condition
    Happening what;
    bool turns; // where f' = 0, not f
    bool inner; // it has touched since the last event
} Occasion;
typedef struct {
    Contacts *contacts;
    ProxyBasis basis;
    const bool *acts; // since the last event
    Share share;
    bool *touching;   // since the last event, and has not left since
    double *reaction; // the largest λ since the last event
    double *noise;    // of its λ since then, as it has been seen
    double *samples;  // f, or λ of those that act: PROXY_SAMPLES rows of all conditions
    Proxy *proxies;   // of all conditions
    double spans[2];  // of stretches that are good, of f and of λ; 0 where all were
    bool *touched;    // room: who was touching before the last step
} Watch;
void watch_init(Watch *watch, Contacts *contacts, const bool *acts);
void watch_clear(Watch *watch);
// The first event within the last step of a leg; false where there is none. *failed where a state
// inside the step has no reactions.
bool watch_step(Watch *watch, Leg *leg, Occasion *occasion, bool *failed);

// ---- percussions.c: given impulses, in the order of their times.
typedef struct {
    double t;
    Lowered program; // n parts
} Percussion;
typedef struct {
    Percussion *at;
    size_t count, next; // which comes next
} Percussions;
BASE_MUST_USE Status percussions_init(Percussions *percussions, const Numbers *numbers,
                                      Motion *motion, Diag *diag);
void percussions_clear(Percussions *percussions);
double percussions_time(const Percussions *percussions); // of the next; infinite for none
// All of this time together, n; numbers is at the state where they act.
void percussions_take(Percussions *percussions, const Numbers *numbers, double *impulse);

// ---- switches.c: abs, sign, min and max in the equations.
typedef struct {
    size_t count;
    Expr *functions;   // as they are written
    Lowered arguments; // what decides their branches
    int *signs;        // of these, when last looked at; 0 for not yet
} Switches;
void switches_init(Switches *switches, const Run *run);
void switches_clear(Switches *switches);
// At numbers' state: whether one of them has switched since the last look, and the first.
bool switches_look(Switches *switches, const Numbers *numbers, size_t *which);
// Whether one of them switches within the last step of a leg, and just beyond the first switch.
bool switches_find(Switches *switches, Leg *leg, double *t);

// What is known of bounces that may accumulate: when they have, and how much that has changed since
// the impact before.
typedef struct {
    double t, error;
} RestEstimate;
enum { BOUNCES = 12 };
typedef struct {
    double times[BOUNCES]; // of the last impacts
    size_t count;
    double sum;            // when the flights are over, if each is a parabola of its own
    RestEstimate best;     // by that sum, or by the times
    RestEstimate followed; // by following them to their end; t = 0: not yet
} Bounces;

// ---- The whole way.
typedef struct {
    Run *run;
    const RunListener *listener;
    RunSummary *summary;
    Diag *diag;
    Asker asker;
    Legs legs;
    Leg *leg;      // at present
    size_t row;    // which one comes next
    double energy; // what it should be
    // One-sided conditions and percussions.
    bool eventful;
    Contacts contacts;
    Watch watch;
    Meeting meeting;
    Meeting aside;         // of reactions that are shared, or a little later where there are ties
    ARRAY(size_t) sharers; // who touches, where more act than are held
    Percussions percussions;
    Switches switches;
    double *rest_times;   // of each condition: when infinitely many impacts will have accumulated
    BranchWatch branches; // stationary points of conditions on accelerations
    double *rest_errors;  // and how far that may be off
    Bounces *bounces;     // of each condition
    bool *acted;          // of each condition: before the present event
    double *let_go;       // of each condition: when its λ was last seen to go through 0
    double *impulse;      // room, n
    size_t crowd;         // events in a row that did not move on
    double crowd_t;
} Journey;

// ---- tell.c: rows and events, as the listener gets them.
// The row of the present leg's numbers; false where the listener has had enough.
bool tell_row(Journey *journey, bool at_event);
bool tell_progress(const Journey *journey, double t);
void tell_event(Journey *journey, const RunEvent *event);
// The time of the next row; *last where it is the one at the end.
double tell_next_row(const Journey *journey, bool *last);
// Whether that is at this time, which an event has: it is then one of the event's, and is skipped
// afterwards; true where it was the last.
bool tell_is_row(const Journey *journey, double t);
bool tell_skip_row(Journey *journey);
typedef enum {
    ARRIVED,
    ON_THE_WAY,
    ENOUGH,    // the listener has had enough
    STRANDED,  // the present leg says why
    UNDECIDED, // an event has no answer, which was said
    BROKEN     // the machine failed
} Arrival;
// The rows up to the state reached, from the inside of the last step where they lie there; where
// an event is next, without the row at its time.
Arrival tell_rows(Journey *journey, bool event);

// ---- events.c: what happens at an event, in its order.
BASE_MUST_USE Status events_init(Journey *journey);
void events_clear(Journey *journey);
// The next event whose time is known before; infinite for none.
double events_next(const Journey *journey);
// At the start: the first leg.
Arrival events_begin(Journey *journey);
// After a step: what happens in it, up to where the leg is then cut.
Arrival events_meet(Journey *journey);

// ---- rest.c: bounces that accumulate.
// After a shock and what follows it: whether bounces are over, so that it is to be asked again, now
// without rebound where that is so.
bool rest_comes(Journey *journey, const double *impulse);
// Its bounces are over at that time, but for an error.
void rest_is_at(Journey *journey, size_t side, double t, double error);

// ---- bounces.c: bounces that are smaller than what counts as 0, followed to their end.
// After a shock: when those that take part have come to rest, where an end is seen.
void bounces_follow(Journey *journey);
// In the place of a shock, where those that touch strike in turn and not at once: what the whole
// sequence of their impacts does. False where they do not, or no end is seen.
bool bounces_in_turn(Journey *journey);

// ---- branch_meet.c: changes from one stationary point of Gauss's function to another.
// After a step, before anything else: true where there was one, or the run ends here.
bool branches_meet(Journey *journey, Arrival *arrival);
// Where no step is possible, because what was followed ends: true where another is.
bool branches_go_on(Journey *journey, Arrival *arrival);

#endif

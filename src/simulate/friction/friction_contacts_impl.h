// friction_contacts_impl.h: dry friction in a simulation: its numbers at a state, which of it
// sticks and which slides, and what is watched of it.
#ifndef ZWANG_SIMULATE_FRICTION_CONTACTS_IMPL_H
#define ZWANG_SIMULATE_FRICTION_CONTACTS_IMPL_H

#include "dynamics/evaluator.h"
#include "linalg/kkt_problem.h"
#include "linalg/sparse_rows.h"
#include "motion/frictions.h"

typedef struct ContactEvent ContactEvent;     // contact_event_impl.h
typedef struct ContactMode ContactMode;       // contact_mode_impl.h
typedef struct Echelon Echelon;               // echelon.h
typedef struct Equations Equations;           // equations_types.h
typedef struct FrictionSolver FrictionSolver; // contact/friction.h
typedef struct Kkt Kkt;                       // kkt.h
typedef struct State State;

enum { FRICTION_MOST = 3 }; // rows of one

// One friction at a state.
typedef struct {
    const double *w;              // rows × n
    const double *c, *eta;        // rows each
    double pressure;              // ν
    double sliding, sticking;     // coefficients, or bounds of a law beside its terms
    const double *by;             // of each term: sliding, sticking
    const double *axes;           // 3 a row, along the world's axes; 0 where it has no place
    const double *normal, *place; // likewise
    double u[FRICTION_MOST];      // sliding velocity
    double terms[FRICTION_MOST];  // the sum of the sizes of what each is a sum of
} FrictionNumbers;

// ---- friction_programs.c
typedef struct FrictionPrograms FrictionPrograms;
FrictionPrograms *friction_programs_new(const Equations *eq);
void friction_programs_free(FrictionPrograms *programs);
// The outputs of the next friction, which are changed. An error where one cannot be computed.
BASE_MUST_USE Status friction_programs_add(FrictionPrograms *programs, Expr *outputs, size_t count,
                                           Diag *diag);
// Those of one, from the inputs of a state.
void friction_programs_run(FrictionPrograms *programs, size_t friction, const double *inputs,
                           double *outputs);

// ---- friction_contacts.c: all frictions of a motion, and their numbers.

// What forces make of the reactions of one-sided conditions that they hold.
typedef struct {
    size_t *program;  // of each condition: its program; SIZE_MAX where no force holds its reaction
    double *at;       // n for each condition
    bool any, curved; // some do; and not linearly, or so that what they make holds reactions
} SideShares;

// ---- friction_massless.c: on what has no inertia the friction follows from the state.
typedef struct {
    size_t program;     // SIZE_MAX: it has inertia
    bool finite;        // its balance holds no velocities
    double *out;        // F; then forward and backward: b of the balance, c, γ and b·z
    signed char slides; // what was decided last: 1, −1, or 0 where it sticks
} MasslessFriction;
// Of the balance while it slides so (1 or −1).
typedef struct {
    const double *b;
    double c, gamma, stiffness;
} MasslessRow;

typedef struct FrictionContacts {
    const Motion *motion;
    size_t n, count;
    FrictionPrograms *programs;
    double *out;                // what these gave,
    size_t *first;              // and where that of each begins
    SparseStore rows;           // w of all, as of the last evaluation,
    size_t *row_at;             // where those of each begin,
    double *dense;              // and the same with all entries
    size_t *of_side;            // of each one-sided condition: its friction; SIZE_MAX for none
    SideShares shares;          // of their reactions in forces
    MasslessFriction *massless; // of each friction
    FrictionNumbers *at;        // as of the last evaluation
    FrictionSolver *solver;
    // What presses: frictions, each by its own contact, then terms whose equations press at no such
    // contact. Of each term of each friction (FRICTION_TERMS apart) which that is (SIZE_MAX: a
    // one-sided condition without friction), and of each whose sign is watched its equation.
    size_t *presser;
    size_t presser_count;
    const FrictionTerm **alone; // behind the frictions
    const struct ModelConstraint **signs;
    bool alike;      // all are of one-sided conditions, with as many rows
    bool jumps;      // where no forces exist: by an impact without collision
    size_t wrong;    // a friction whose coefficients were found to be none in the last step
    double *largest; // its largest coefficient or bound so far, of each
} FrictionContacts;
// Whether a motion has friction, or a law of shocks that only this part knows.
bool friction_is_there(const Motion *motion);
// That of a one-sided condition; SIZE_MAX: it has none.
size_t friction_of_side(const FrictionContacts *contacts, size_t side);
// Whether forces hold reactions of one-sided conditions; and how they change with one, n (NULL: not
// at all), as of the last evaluation.
bool friction_turns_sides(const FrictionContacts *contacts);
const double *friction_share_of_side(const FrictionContacts *contacts, size_t side);
// NULL where there are none. An error where one cannot be run.
BASE_MUST_USE Status friction_contacts_new(Arena *arena, const Equations *eq, const Motion *motion,
                                           bool jumps, Diag *diag, FrictionContacts **contacts);
void friction_contacts_clear(FrictionContacts *contacts);
// At the inputs of a state: parameters, t, q, v, multipliers.
void friction_contacts_evaluate(FrictionContacts *contacts, const State *state);
void friction_contacts_evaluate_one(FrictionContacts *contacts, const State *state, size_t i);
// Coefficients at the start: an error where they are none.
BASE_MUST_USE Status friction_contacts_check(FrictionContacts *contacts, const State *state,
                                             Diag *diag);
// Numbers along the axes of its rows, as a vector along the world's axes; a law without a place has
// one number.
void friction_vector(const FrictionNumbers *numbers, const MotionFriction *friction,
                     const double *parts, double *vector);
double friction_speed(const FrictionNumbers *numbers, size_t rows);

MasslessRow massless_row(const FrictionContacts *contacts, size_t i);
// The friction on what has no inertia whose stick row this is; SIZE_MAX for none.
size_t massless_of_row(const FrictionContacts *contacts, const struct ModelConstraint *constraint);
// Whether one of them slides, as was decided last.
bool massless_slides(const FrictionContacts *contacts);
BASE_MUST_USE Status massless_new(FrictionContacts *contacts, Arena *arena, Diag *diag);
void massless_evaluate(FrictionContacts *contacts, const State *state, size_t i);

// ---- What happens to it at an event.
typedef struct FrictionEvent {
    FrictionContacts *contacts;
    size_t count;
    FrictionHold *holds, *before; // of each: from the event on, and before it
    bool *stopped;                // its speed was found to be 0
    bool *crosses;                // of each that presses: λ was found to change its sign
    bool *slips;                  // its force was found to leave the cone
    double *stuck;                // … which it had until then: FRICTION_MOST each, and the normal
    double *began;                // when it began to slide last
    bool *begins;                 // it begins to slide in several rows, from rest:
    double *onset;                // FRICTION_MOST each: how its speed grows, or its direction
    double *accelerations;        // n: there
    double *force, *slip;         // FRICTION_MOST each, after it
    double *course, *fastest;     // its direction where the last step began; its speed so far
    double *normal, *margin;
    bool paradox;                 // the last instant had no forces
    bool jumped;                  // by an impact without collision
    bool shared;                  // forces are not those of the mode alone
    bool *together;               // its margin is that of all whose forces are shared
    bool undetermined;            // the motion was found to depend on which of them they are
    bool warned;                  // of steps in which that was so
    double accuracy, missed;      // of steps with many contacts: asked for, and the worst
    size_t solutions;             // of the last instant
    struct Text *reason;          // why there is none
    struct SlidingSystem *system; // workspace of friction_instant.c
} FrictionEvent;
FrictionEvent *friction_event_new(Arena *arena, FrictionContacts *contacts);
void friction_event_clear(FrictionEvent *friction);

// ---- friction_instant.c
// Which of the kept conditions act, and what of friction sticks: in the place of contact problems
// without friction. The matrices are those after the event. False where no motion, or more than
// one, is possible: the reason is there then.
bool friction_decide(ContactEvent *event);
// Whether a coefficient was found to be none in the step before, or is so at a contact now; the
// reason is there then.
bool friction_is_unlawful(FrictionEvent *friction, const struct SlidingSystem *system);
// (friction_massless.c) What friction does on what has no inertia, and its answer; false, with the
// reason, where it would have to jump.
bool massless_decide(ContactEvent *event);
// Before an event: integrators keep a balance that holds no velocities to their tolerance; what has
// no inertia is put back to it.
void massless_settle(ContactEvent *event);
void massless_keep(ContactEvent *event);
// Of those that stick: which rows are held, beside those in the echelon.
void friction_hold_rows(ContactEvent *event, Echelon *echelon);
// Their rows behind those that are kept, with their c: b·v + c = 0. True where one of them moves.
bool friction_stop_rows(ContactEvent *event);

// ---- friction_coefficients.c
// Whether the coefficients of one are some, as of the last evaluation; and why not.
bool friction_is_lawful(FrictionContacts *contacts, size_t i);
void friction_add_unlawful(const FrictionContacts *contacts, size_t i, struct Text *text);
// Whether those of one turn to none in the last step of a mode, up to a time; since when.
bool friction_turns_unlawful(const ContactEvent *event, ContactMode *mode, double end, double *t);

// ---- friction_shock.c
// Where no contact forces exist and that was asked for: velocities jump by the impact without
// collision. False where there is none.
bool friction_jump(ContactEvent *event);

// ---- friction_timestep.c: steps of fixed length.
// The velocities after one, with the conditions that are reached, whose drifts stand in the place
// of γ; `drift` is that of the equations. The matrices are in the middle of the step. False where
// there are none.
bool friction_timestep(ContactEvent *event, double h, const double *drift);
// (friction_heap.c) Whether those that are reached are so many that the step is solved as a sparse
// problem, with the rebound of what is struck in it; and that step.
bool friction_is_heap(const ContactEvent *event);
SolveOutcome friction_heap_step(ContactEvent *event, double h, const double *drift);
// By how much these steps have missed the law so far, of the largest velocity.
double friction_missed(const ContactEvent *event);
// Once in a run, after a step: that the motion is one of several.
void friction_warn(ContactEvent *event, Diag *diag);
// What friction does at the start; to what part of the largest velocity the law is to be met where
// very many contacts are reached.
void friction_begin_steps(ContactEvent *event, const ContactEvent *start, double accuracy);
// The columns of all frictions in a row at this state, but for the speeds.
void friction_fill_columns(const ContactEvent *event, const State *state, double *row);

// ---- friction_sharing.c
// Where more conditions act than are independent, the mode knows the forces of some alone. Of all
// that give the same motion those become the state's that leave the most to every cone: the least
// of μλ − |F|, which is given. Infinite where the mode knows all forces.
double friction_share(const ContactEvent *event, const ContactMode *mode);
// Whether the motion at the state of the mode is the same with all of them: what slides has the
// same friction then however the normal forces are shared (a table with equal legs that does not
// turn).
bool friction_is_determined(const ContactEvent *event, const ContactMode *mode);

// ---- friction_watch.c: functions of time whose roots are events of friction: of each the speed or
// the margin of the force, and behind these λ of each equation that presses on what slides.
size_t friction_watch_count(const ContactEvent *event);
// The equation whose λ is watched; NULL where it is something of the friction of this number.
const struct ModelConstraint *friction_watched_sign(const ContactEvent *event, size_t index);
bool friction_is_watched(const ContactEvent *event, size_t index);
// Whether it is a speed in several rows, which ends at its level and not below it.
bool friction_is_course(const ContactEvent *event, size_t index);
// At the beginning of a step that is looked at, where the state of the mode is.
void friction_watch_begin(const ContactEvent *event, const ContactMode *mode);
// At the state of the mode, which was evaluated; and by how much each is noise.
void friction_watch(const ContactEvent *event, const ContactMode *mode, double *values,
                    double *noise);
// One of them has reached 0: the next event decides with that.
void friction_found(ContactEvent *event, size_t index);
// Of the largest speed: down to it a sliding in several rows is followed.
double friction_rest(const ContactMode *mode);
// The forces that hold what sticks, as the state of the mode that ends has them.
void friction_keep_stuck(const ContactEvent *event, const ContactMode *mode);
// The index of what nobody watches: the motion is not determined from there on.
size_t friction_undetermined(const ContactEvent *event);

#endif

// start_impl.h: finite conditions, and starts that satisfy all of them. Never leaves the room.
#ifndef ZWANG_RUN_START_IMPL_H
#define ZWANG_RUN_START_IMPL_H

#include "linalg/sparse.h"
#include "run/many_impl.h"
#include "run/numbers_impl.h"

// ---- project.c: finite conditions.
typedef struct {
    double *f, *jacobian, *terms; // where `positions` leaves them
    double *right;                // max(finite, free)
    double *matrix, *work;        // for LAPACK, made on first use: finite × free, and
    lapack_int *pivots, work_size;
    double *kept;      // n, where an iteration stood
    double *residuals; // finite: room for others than f
    size_t *free;      // the coordinates that may move
    size_t *place;     // n: where a coordinate stands among these; room
    size_t free_count;
    bool *left_out; // finite: it follows from the others along the motion
    double *least;  // finite: what its residual is measured by at least; 0 at first
    LeastNorm few;  // of a large system with few entries
} Projector;
void projector_init(Projector *projector, const Numbers *numbers);
void projector_clear(Projector *projector);
void projector_free_all(Projector *projector, const Numbers *numbers);
// From now on by those finite conditions alone that are independent at the present position.
void projector_leave_out(Projector *projector, Numbers *numbers);
// Evaluates the finite conditions at numbers' t and q.
void projector_evaluate(Numbers *numbers);
// The largest term of a condition, by which its residual is measured.
double projector_scale(const Projector *projector, const Numbers *numbers, size_t condition);
// The largest residual in units of its condition's largest term.
double projector_miss(const Projector *projector, const Numbers *numbers, size_t *worst);
// The least change of the free coordinates that the linearized conditions ask for, in `right`.
void projector_least_change(Projector *projector, const Numbers *numbers, const double *residuals);
// Newton's iteration by least changes, from numbers' q; returns the miss that is left.
double projector_newton(Projector *projector, Numbers *numbers, size_t most);

// ---- search.c: from far away, towards the finite conditions; numbers' q is then near them, or as
// near as it can be found.
void projector_search(Projector *projector, Numbers *numbers);

// ---- needed.c: conditions that follow from others where the motion goes.
// At the start. Where conditions depend on each other, there and beside it, the others are taken
// and a note names them; where they do so there alone, it is an error, but for an instant.
BASE_MUST_USE Status needed_begin(Numbers *numbers, Projector *projector, bool instant, Diag *diag);
// The needed ones of all rows and drifts, in `packed`; and of directions, behind them, where there
// are some.
void needed_pack(Numbers *numbers, const double *rows, const double *drift);
const double *needed_directions(Numbers *numbers, const double *directions);
// From the multipliers of the needed rows to the least ones of all.
void needed_share(Numbers *numbers);
// Of a unit row, what may stand off those that it follows from.
#define NEEDED_APART 1e-6

// ---- servos.c: the forces of servos cannot keep their conditions at numbers' state.
void servos_add_reason(const Numbers *numbers, Text *text);
Status servos_fail(const Numbers *numbers, Diag *diag);

// ---- masses.c
// Warns of masses and moments of inertia below 0 at numbers' present state.
void masses_check(const Numbers *numbers, Diag *diag);

// ---- start.c, start_contradiction.c, start_velocity.c: starts that satisfy the constraints.
typedef struct {
    Numbers *numbers;
    Projector *projector;
    const Model *model;
    Diag *diag;
    double *values; // of model->starts
    bool *held;     // n: the coordinates with a given value
    bool *said;     // n: the coordinates whose velocities are spoken of already
    double *asked;  // n: where the coordinates would start without conditions
    Text zeros;     // what was not given and became 0
    size_t zero_count;
    Text follows; // what was found
    size_t follow_count;
    double size; // the largest of the values that are being spoken of
    bool branch; // the velocities are those that were found first, from guesses
} Start;
// Completes numbers' q and v at t = 0.
BASE_MUST_USE Status start_complete(Numbers *numbers, Projector *projector, Diag *diag);
// The second half of it, at the position found.
BASE_MUST_USE Status start_velocities(Start *start);
// Why there is none: an error.
Status start_contradiction(Start *start);
// From numbers' q to the finite conditions, or as near as it goes; the miss that is left.
double start_search(Start *start);
double start_largest(const double *values, size_t count);
void start_say_zero(Start *start, const char *name);
void start_say_follows(Start *start, const char *name, double value);
// "x' = 3", as it was asked for; `index` counts model->starts.
void start_print_given(const Start *start, size_t index, Text *out);

// ---- sides.c: one-sided conditions at the start.
typedef struct {
    Arena *arena; // NULL where there are neither such conditions nor percussions
    RunSides told;
    RunSide *at;
    Shapes shapes;
    Many many;
    ContactSolver *gauss;
    Asked all;       // at the start
    Asked asked;     // those that are asked
    double *impulse; // n; NULL where none acts at t = 0
} Sides;
// What is wrong with them at the completed start is an error: one that is violated, one without a
// gradient where it touches, a restitution outside [0, 1].
BASE_MUST_USE Status sides_init(Sides *sides, Numbers *numbers, Motion *motion, Diag *diag);
void sides_clear(Sides *sides);
// After the accelerations without them: lets the velocities jump, then the acceleration and
// multipliers of numbers are those with the conditions that act; Ostrogradsky's rule too where it
// will be shown.
BASE_MUST_USE Status sides_meet(Sides *sides, Numbers *numbers, bool rule_too, Diag *diag);
// Adds what they do to every coordinate.
void sides_add_reactions(const Sides *sides, double *forces);

#endif

// projection.h: projection of positions and velocities onto the conditions.
#ifndef ZWANG_DYNAMICS_PROJECTION_H
#define ZWANG_DYNAMICS_PROJECTION_H

#include "dynamics/dynamics.h"
#include "linalg/sparse.h"

#include <lapacke.h>

// ---- velocity_projection.c: all velocities, kept to the conditions.
VelocityProjector *velocity_projector_new(const Equations *eq);
void velocity_projector_free(VelocityProjector *velocity_projector);
// Forgets the states that were kept so far.
void velocity_projector_begin(const Equations *eq, State *state);
// Moves numbers' velocities onto the conditions; false where they are too far away.
bool velocity_projector_project(const Equations *eq, State *state);
// Whether a row has turned too far since the last state for which it had not.
bool velocity_projector_row_turned(const Equations *eq, State *state);
// Whether ∂f/∂q' of a condition vanishes at the velocities last evaluated.
bool velocity_projector_find_singular(const Equations *eq, State *state);
// Whether it is on the point of vanishing: where a motion goes no further, that is why.
bool velocity_projector_find_vanishing(const Equations *eq, State *state);
// "x' = 0, y' = 0": what the row of that condition holds.
void velocity_projector_add_state(const Equations *eq, const State *state, Text *text);

// ---- projection.c: finite conditions.
typedef struct Projector {
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
void projector_init(Projector *projector, const Equations *eq, const State *state);
void projector_clear(Projector *projector);
void projector_free_all(Projector *projector, const Equations *eq);
// From now on by those finite conditions alone that are independent at the present position.
void projector_leave_out(Projector *projector, const Equations *eq, State *state);
// Evaluates the finite conditions at numbers' t and q.
void projector_evaluate(State *state);
// The largest term of a condition, by which its residual is measured.
double projector_scale(const Projector *projector, const Equations *eq, const State *state,
                       size_t condition);
// The largest residual in units of its condition's largest term.
double projector_miss(const Projector *projector, const Equations *eq, const State *state,
                      size_t *worst);
// The least change of the free coordinates that the linearized conditions ask for, in `right`.
void projector_least_change(Projector *projector, const Equations *eq, const double *residuals);
// Newton's iteration by least changes, from numbers' q; returns the miss that is left.
double projector_project(Projector *projector, const Equations *eq, State *state, size_t most);

// ---- position_search.c: from far away, towards the finite conditions; numbers' q is then near
// them, or as near as it can be found.
void projector_search(Projector *projector, const Equations *eq, State *state);

// ---- independent_rows.c: conditions that follow from others where the motion goes.
// At the start. Where conditions depend on each other, there and beside it, the others are taken
// and a note names them; where they do so there alone, it is an error, but for an instant.
BASE_MUST_USE Status independent_rows_find(Equations *eq, State *state, Projector *projector,
                                           bool instant, Diag *diag);
// The needed ones of all rows and drifts, in `packed`; and of directions, behind them, where there
// are some.
void independent_rows_pack(const Equations *eq, State *state, const double *rows,
                           const double *drift);
const double *independent_rows_directions(const Equations *eq, State *state,
                                          const double *directions);
// From the multipliers of the needed rows to the least ones of all.
void independent_rows_share(const Equations *eq, State *state);
// Of a unit row, what may stand off those that it follows from.
#define INDEPENDENT_APART 1e-6

#endif

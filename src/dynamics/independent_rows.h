// independent_rows.h: conditions that follow from others where the motion goes.
#ifndef ZWANG_DYNAMICS_INDEPENDENT_ROWS_H
#define ZWANG_DYNAMICS_INDEPENDENT_ROWS_H

#include "dynamics/equations_types.h"

typedef struct KktProblem KktProblem; // kkt_problem.h

// At the start. Where conditions depend on each other, there and beside it, the others are taken
// and a note names them; where they do so there alone, it is an error, but for an instant.
BASE_MUST_USE Status independent_rows_find(Equations *eq, State *state, bool instant, Diag *diag);
// Where others of the rows stand off each other at a state's position, though the needed ones do
// not: these are the needed ones from now on. `sizes` of all rows. False where nothing changes.
bool independent_rows_choose(Equations *eq, State *state, State *at, const double *sizes);
void independent_rows_choose_first(Equations *eq, State *state); // those of the start, again
// ---- spare_rows.c: those of conditions that were set aside, and may stand for others somewhere.
BASE_MUST_USE Status spare_rows_make(Equations *eq, Diag *diag);
// At the state's t, q and v: b, in units of `scale`, c and γ of each, spare_count × (n + 2).
void spare_rows_evaluate(const Equations *eq, State *state, double *rows);
// By how much the state's t, q and v break them, as a part of their largest term.
double spare_rows_miss(const Equations *eq, State *state);
// ---- lasting_rows.c: whether the rows are independent at every position, with the parameters of a
// state; what that is decided by is found once.
void lasting_rows_find(Equations *eq);
bool independent_rows_last(const Equations *eq, State *state);
// The needed row that is nearest to dependence on those before it.
typedef struct {
    size_t row;      // which of the needed ones
    double distance; // what is left of it without those before it, as a part of its size
    double size;     // the largest that it has been
} DependentRow;
// Among the first so many, at the state's t, q and v. `longest` keeps their sizes and `pivots` how
// they were eliminated, 0 at first; `left` gets what is left of each, with a sign that changes
// where a row passes through dependence. Behind the needed rows are the sizes of those left out, up
// to `all`.
DependentRow independent_rows_nearest(const Equations *eq, State *state, size_t count, size_t all,
                                      double *longest, size_t *pivots, double *left);
// What the finite conditions are measured by, and how long their rows are, at the state's t and q;
// the largest size.
double finite_rows_measure(const Equations *eq, State *state, double *sizes, double *lengths);
// How far combinations of them are broken whose rows have vanished at the state's t and q, against
// what they were elsewhere: as a part of the way, the root of what is left of them. 0 within
// rounding.
double finite_rows_gap(const Equations *eq, State *state, const double *sizes,
                       const double *lengths);
// After that: 'a', 'b', the constraints that it is made of and its own.
void independent_rows_add_names(const Equations *eq, State *state, const DependentRow *dependent,
                                Text *text);
// Of a problem with all rows: those that are needed, and the affine ones on accelerations behind
// them, in the state's room.
void independent_rows_pack(const Equations *eq, State *state, KktProblem *problem);
// From the multipliers of the needed rows to the least ones of all.
void independent_rows_share(const Equations *eq, State *state);

#endif

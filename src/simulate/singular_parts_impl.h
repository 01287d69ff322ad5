// singular_parts_impl.h: what the search for singular positions, the step across one and the
// branches behind it share.
#ifndef ZWANG_SIMULATE_SINGULAR_PARTS_IMPL_H
#define ZWANG_SIMULATE_SINGULAR_PARTS_IMPL_H

#include "dynamics/independent_rows.h"
#include "dynamics/tangent_cone.h"
#include "linalg/tolerances.h"
#include "simulate/singular_positions_impl.h"

// Of the distance, in about the length of a step.
enum { SAMPLES = LIMIT_PATIENCE };

struct SingularPositions {
    const ContactMode *mode; // of which all this is known
    double at;               // the next one that is seen; infinite for none
    double length;           // of a step across it
    double seen;             // up to here there is no other
    double sampled;          // the end of the step last looked at, without a series
    double chosen;           // where the step began for which other rows were taken
    size_t tries;            // of such a step
    size_t slow;             // steps in a row that hardly come nearer to one or away from it
    bool crossed, fails;     // the last step went across it; there is no such step
    size_t count;            // of the rows that are looked at: those of no contact
    size_t all;              // and of those left out at the start
    double *longest, *kept;  // of each row
    double *spares;          // the same of rows that were set aside
    size_t *pivots;          // by which the rows are eliminated
    double *left, *paces;    // what is left of it without those before it; how fast that changes
    double *samples;         // of that
    bool *falls;             // whether it did at the last look, without a series
    size_t row;              // which is followed
    double *y, *rate;        // a state on the polynomial
    double *terms;           // of that polynomial, row after row
    Arena *arena;            // of the cone at the position; NULL: it was not asked for
    TangentCone cone;
    const double *branch; // n: the velocities with which the motion leaves it; NULL: its own
};

// ---- singular_search.c
// The row with least left at a time on the polynomial of the last step, or beyond it; the state
// there is that of the mode's probe.
DependentRow singular_nearest(SingularPositions *singular, ContactMode *mode, double t);
// What is left of the row that is followed, as a part of the largest that it has been.
double singular_distance(SingularPositions *singular, ContactMode *mode, double t);
// Where that is least between two times.
double singular_least_at(SingularPositions *singular, ContactMode *mode, double low, double high);
// The first position between two times; infinite for none. At the beginning it is what it is.
double singular_find(SingularPositions *singular, ContactMode *mode, double from, double until);
// The position that the last step, which is not of a series, went over or came near to.
double singular_look_behind(SingularPositions *singular, ContactMode *mode);
// How large the last terms of the series of the last step are at its end, as a part of the
// velocities: what is left out is no larger. Up to when that series says something.
double singular_last_terms(SingularPositions *singular, ContactMode *mode);
double singular_reach(SingularPositions *singular, ContactMode *mode);
// Of how many rows the sizes are known, in this mode.
size_t singular_known(const SingularPositions *singular, const ContactMode *mode);
// What is left of the rows counts as none.
void singular_count_as_none(SingularPositions *singular, double left);

// ---- singular_branches.c
// Whether all conditions are as independent there as elsewhere: those by which the motion goes are
// not, but those left out at the start stand for them.
bool singular_is_only_of_kept(SingularPositions *singular, ContactMode *mode);
const TangentCone *singular_cone(SingularPositions *singular, ContactMode *mode);
// Where it is so, and others of the rows are independent there: the motion goes by these from the
// beginning of the last step on.
bool singular_takes_others(SingularPositions *singular, ContactMode *mode);
// Ends the step across at the position, where another branch was asked for.
void singular_take_branch(SingularPositions *singular, ContactMode *mode);

#endif

// columns_impl.h: names of columns, and their numbers.
#ifndef ZWANG_SIMULATE_COLUMNS_IMPL_H
#define ZWANG_SIMULATE_COLUMNS_IMPL_H

#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"

typedef struct ContactEvent ContactEvent; // contact_event_impl.h
typedef struct ContactMode ContactMode;   // contact_mode_impl.h
typedef struct Motion Motion;             // motion.h
typedef struct RunOptions RunOptions;     // run_options.h

// ---- columns.c: names of columns, and their numbers.
typedef struct Columns {
    Arena *arena;
    size_t count;
    const char **names;
    size_t speeds_at, lambdas_at, frictions_at, energy_at; // where these columns begin
    size_t states_at, rated;                               // continuous states, so many
    size_t rates_at;                                       // behind all columns: their rates
    size_t outputs_at;                                     // those of the model
    size_t diffs_at, diff_count; // derivatives: where they begin, and how many each direction has
    bool has_energy;             // not with an energy of acceleration
    Evaluator quantities; // all columns behind the velocities, then residuals without a column
    size_t *residuals;    // of all conditions: their places in a row
    Evaluator exact;      // outputs that are worked out to their last digit
    size_t *exact_at;     // their places in a row
    double *exact_values;
    bool may_be_unread; // a row has nothing to be looked at but what has q and q' alone
    bool *kinematic;    // of all columns: follows from t, q and q'
    Evaluator *watched; // what is watched at each row (watch.c); NULL for nothing
    double *row;
} Columns;
// The conditions of `base`, which a leg may have left out some of, have a multiplier.
BASE_MUST_USE Status columns_init(Columns *columns, const Equations *eq, const Motion *base,
                                  const RunOptions *settings, Diag *diag);
void columns_clear(Columns *columns);
// Of an expression beside the equations: slip.NAME and normal(NAME) as what they stand for.
Expr columns_resolve(const Motion *motion, Expr value);
// The row of numbers' present state, accelerations and multipliers.
typedef struct {
    double energy, residual; // and the largest residual there, whether it has a column or not
    double depth;            // the largest f > 0 of a one-sided condition
    bool finite;             // these, positions and velocities are numbers
} ColumnsCheck;
// Whether a column behind the velocities has derivatives: speeds, states and outputs.
bool columns_has_diff(const Columns *columns, size_t column);
ColumnsCheck columns_fill(Columns *columns, const Equations *eq, const State *state);
// t, coordinates and velocities alone.
void columns_fill_given(const Columns *columns, const Equations *eq, const State *state);

// ---- exact_outputs.c: outputs that divide by something that moves.
// Finds them among `outputs`, the expressions of all columns.
BASE_MUST_USE Status columns_make_exact(Columns *columns, const Equations *eq, const Expr *outputs,
                                        Diag *diag);
// Puts them into the row, in the place of what doubles make of them.
void columns_fill_exact(Columns *columns, const double *inputs);

// ---- recorded_contacts.c: contacts as a row shows them.
// Where more conditions act since the event than are independent, the mode knows the reactions of
// some alone: their multipliers become those of least norm of all, at the state that was evaluated.
void event_share_reactions(const ContactEvent *event, const ContactMode *mode);
// Whether no gap is violated there by more than the tolerance explains.
bool event_gaps_hold(const ContactEvent *event, const ContactMode *mode);

#endif

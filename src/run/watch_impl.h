// watch_impl.h: what is written down along a run, and how it is judged. Never leaves the room.
#ifndef ZWANG_RUN_WATCH_IMPL_H
#define ZWANG_RUN_WATCH_IMPL_H

#include "run/start_impl.h"

// ---- columns.c: names of columns, and their numbers.
typedef struct {
    Arena *arena;
    size_t count;
    const char **names;
    size_t speeds_at, lambdas_at, energy_at, residuals_at, outputs_at;
    size_t *lambdas;      // of which conditions
    bool has_energy;      // not with an energy of acceleration
    bool residuals;       // whether there are residual columns
    Evaluator quantities; // declared speeds, energy, residuals of all conditions, outputs
    double *row;
} Columns;
// The conditions of `base`, which a leg may have left out some of, have a multiplier.
BASE_MUST_USE Status columns_init(Columns *columns, const Equations *eq, const Motion *base,
                                  bool residuals, Diag *diag);
void columns_clear(Columns *columns);
// The row of numbers' present state, accelerations and multipliers.
typedef struct {
    double energy, residual; // and the largest residual there, whether it has a column or not
    double depth;            // the largest f > 0 of a one-sided condition
} ColumnsCheck;
ColumnsCheck columns_fill(Columns *columns, const Equations *eq, const State *state);

// ---- ledger.c: what should stay as it is, looked at along a run.
typedef enum {
    CHECK_BY_TERMS,  // the largest of the terms that it is a sum of
    CHECK_BY_PARTS,  // the largest of ∂f/∂q'_ν·q'_ν
    CHECK_BY_CHANGE, // how it changes over the size of coordinates, velocities or accelerations
    // The former two with at least a part of the last: where all terms stay 0 but for rounding,
    // nothing can be measured by them.
} InvariantMeasure;
typedef enum { LEVEL_POSITION, LEVEL_VELOCITY, LEVEL_ACCELERATION } InvariantLevel;
typedef struct {
    const ModelConstraint *constraint;
    InvariantLevel level;
    InvariantMeasure measure;
    size_t at, terms;               // among the outputs: its residual, its derivatives, these
    double residual, scale, change; // the largest so far
} InvariantCheck;
typedef struct {
    MotionPower power;
    RunDrift energy;
    RunDrift *integrals; // what is constant besides the energy
    Evaluator constants; // their values
    size_t integral_count;
    InvariantCheck *checks;
    size_t check_count;
    Evaluator quantities; // energy, T, U, checks
    Evaluator rate;       // the power, where it is not 0
    bool follows;         // the power is integrated along
    double until, work;   // up to when, and what it came to
    size_t rows;
} Invariants;
BASE_MUST_USE Status invariants_init(Invariants *invariants, const Equations *eq, Motion *motion,
                                     Diag *diag);
void invariants_clear(Invariants *invariants);
// Takes in what else is constant; the pool may be another one, where symbols have the same names.
void invariants_follow(Invariants *invariants, const Equations *eq,
                       const InquiryIntegrals *integrals, ExprPool *pool);
// A run begins; `dense` where states inside steps can be had.
void invariants_begin(Invariants *invariants, bool dense);
// The power is wanted at these times, one after the other, to integrate it up to `until`.
#define INVARIANT_NODES 8
double invariants_node(const Invariants *invariants, double until, size_t node);
// Its value at a node: the state that numbers has.
void invariants_add(Invariants *invariants, double until, size_t node, const State *state);
void invariants_row(Invariants *invariants, const Equations *eq, const State *state);

// ---- growth.c: how the difference of two runs grows.
typedef struct {
    double t, d; // d > 0, never less than before
} ErrorGrowthPoint;
typedef struct {
    double e_fold; // as exp(t/e_fold); NAN where it does not
    double power;  // else as t^power; NAN where too little is known
} ErrorGrowth;
ErrorGrowth error_growth_fit(const ErrorGrowthPoint *points, size_t count);

// ---- audit.c: the run as asked is watched, and its rows are kept, as many as there is room for,
// to be compared with those of another.
typedef struct {
    double least, most; // over all rows
    double so_far;      // the largest of the rows that were compared
    double difference, at, at_end;
} AuditColumn;
struct RunAudit {
    Run *run;
    Invariants invariants;
    size_t width; // columns that are compared, t first
    AuditColumn *columns;
    ARRAY(double) kept; // every row whose number is a multiple of `stride`
    size_t stride;
    double *last; // row, wherever it is
    double force; // what multipliers are measured by at least; the largest so far
    size_t rows;
    // While a second run goes.
    size_t row;
    ARRAY(ErrorGrowthPoint) points;
    const RunListener *listener;
    RunAuditReport report;
};
// A row of the run as asked.
void audit_row(RunAudit *audit, const Equations *eq, const State *state, const double *row);

// ---- turns.c: whole turns of angles, kept apart from the state.
typedef struct {
    const Run *run;
    size_t n;
    Answer *is_angle; // n: whether whole turns of the coordinate change nothing, once it was asked
    double *counts;   // n: the turns taken from it so far
} Turns;
void turns_init(Turns *turns, const Run *run);
void turns_clear(Turns *turns);
// Takes whole turns from angles that have become large; whether there were any.
bool turns_take(Turns *turns, double *q);
// The coordinates as they would be without that.
void turns_give_back(const Turns *turns, double *q);

#endif

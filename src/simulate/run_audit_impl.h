// run_audit_impl.h: a run as it is watched and compared: invariants, rows, differences.
#ifndef ZWANG_SIMULATE_RUN_AUDIT_IMPL_H
#define ZWANG_SIMULATE_RUN_AUDIT_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"
#include "simulate/run_audit.h"

typedef struct ContactMode ContactMode;         // contact_mode_impl.h
typedef struct ModelConstraint ModelConstraint; // constraint.h

// ---- invariants.c: what should stay as it is, looked at along a run.
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
    Arena *arena;
    bool has_energy, is_total; // of motion_power
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
void invariants_follow(Invariants *invariants, const Equations *eq, const RunIntegral *integrals,
                       size_t count, ExprPool *pool);
// A run begins; `dense` where states inside steps can be had.
void invariants_begin(Invariants *invariants, bool dense);
// Integrates the power along the last step of a mode up to a time; the run itself does not notice.
void invariants_add_work(Invariants *invariants, ContactMode *mode, double until);
void invariants_row(Invariants *invariants, const Equations *eq, const State *state);

// ---- run_audit.c: the run as asked is watched, and its rows are kept, as many as there is room
// for, to be compared with those of another.
typedef struct {
    double least, most; // over all rows
    double so_far;      // the largest of the rows that were compared
    double difference, at, at_end;
} AuditColumn;
typedef struct {
    double t, d; // d > 0, never less than before
} ErrorGrowthPoint;
struct RunAudit {
    Arena *arena;
    Simulation *sim;
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

#endif

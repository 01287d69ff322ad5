// run_audit_impl.h: a run as it is watched and compared: invariants, rows, differences.
#ifndef ZWANG_SIMULATE_RUN_AUDIT_IMPL_H
#define ZWANG_SIMULATE_RUN_AUDIT_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "dynamics/evaluator.h"
#include "simulate/run_audit_report.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct RunAudit RunAudit;       // run_audit.h
typedef struct RunListener RunListener; // run_report.h
typedef struct Simulation Simulation;   // simulate.h

// ---- run_audit.c: the run as asked is watched, and its rows are kept, as many as there is room
// for, to be compared with those of another.
typedef struct AuditColumn AuditColumn;       // run_audit.c
typedef struct InvariantCheck InvariantCheck; // invariants.c
typedef struct {
    double t, d; // d > 0, never less than before
} ErrorGrowthPoint;
struct RunAudit {
    Arena *arena;
    Simulation *sim;
    // What should stay as it is.
    RunDrift *integrals; // what is constant besides the energy
    Evaluator constants; // their values, each with its derivatives by q and v
    bool anew;           // an event lies between the last row and the next: they begin anew
    size_t steps;
    InvariantCheck *checks;
    size_t check_count;
    Evaluator quantities; // energy, T, U, checks
    Evaluator rate;       // the power, where it is not 0
    double until;         // the work is known up to then
    // The rows of the run as asked.
    size_t width; // columns that are compared, t first
    AuditColumn *columns;
    ARRAY(double) kept; // every row whose number is a multiple of `stride`
    size_t stride;
    double *last; // row, wherever it is
    double force; // what multipliers are measured by at least; the largest so far
    size_t rows;
    ARRAY(double) jumps; // times of rows at which something happens, in order
    // While a second run goes.
    size_t row;
    ARRAY(ErrorGrowthPoint) points;
    const RunListener *listener;
    RunAuditReport report;
};

// ---- invariants.c: what should stay as it is, looked at along a run.
BASE_MUST_USE Status invariants_init(RunAudit *audit, Diag *diag);
void invariants_row(RunAudit *audit, const State *state, const double *row);
// Behind an event first integrals begin anew: those of forces that switch jump there.
void invariants_begin(RunAudit *audit, const State *state, const double *row);
void invariants_report(const RunAudit *audit, RunAuditReport *report); // its misses

// ---- audit_work.c: integrates the power along the last step of a mode up to a time; the run
// itself does not notice.
void audit_add_work(RunAudit *audit, ContactMode *mode, double until);

// ---- A row of the run as asked, and a time at which velocities jump in it. A row at that time has
// one side of the jump in one run, perhaps the other side in another.
void audit_row(RunAudit *audit, const Equations *eq, State *state, const double *row);
void audit_jump(RunAudit *audit, double t);

#endif

// run_audit_impl.h: how the difference of two runs grows.
#ifndef ZWANG_SIMULATE_RUN_AUDIT_IMPL_H
#define ZWANG_SIMULATE_RUN_AUDIT_IMPL_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "simulate/invariants_impl.h"
#include "simulate/run_audit.h"

// ---- error_growth.c: how the difference of two runs grows.
typedef struct {
    double t, d; // d > 0, never less than before
} ErrorGrowthPoint;
typedef struct {
    double e_fold; // as exp(t/e_fold); NAN where it does not
    double power;  // else as t^power; NAN where too little is known
} ErrorGrowth;
ErrorGrowth error_growth_fit(const ErrorGrowthPoint *points, size_t count);

// ---- run_audit.c: the run as asked is watched, and its rows are kept, as many as there is room
// for, to be compared with those of another.
typedef struct {
    double least, most; // over all rows
    double so_far;      // the largest of the rows that were compared
    double difference, at, at_end;
} AuditColumn;
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

// run_audit.h: how far the numbers of a run can be trusted.
#ifndef ZWANG_SIMULATE_RUN_AUDIT_H
#define ZWANG_SIMULATE_RUN_AUDIT_H

#include "base/memory.h"
#include "expr/expr_types.h"
#include "simulate/run_audit_report.h"

typedef struct RunListener RunListener; // run_report.h
typedef struct RunSummary RunSummary;   // run_report.h
typedef struct Simulation Simulation;   // simulate.h

typedef struct RunAudit RunAudit;
// Before run_go. The audit must outlive that call, and the run this object.
BASE_MUST_USE Status run_audit_new(Simulation *sim, Diag *diag, RunAudit **audit);
// Follows these first integrals too; their names must outlive the audit. They may be in the pool of
// another reading of the model: a search leaves expressions behind, and in the run's own pool they
// would change the order of sums, so that an audited run would not have the same digits.
typedef struct {
    const char *name;
    Expr value;
} RunIntegral;
void run_audit_follow(RunAudit *audit, const RunIntegral *integrals, size_t count, ExprPool *pool);
void run_audit_free(RunAudit *audit);
// After run_go, which ended so: makes the second run, whose progress alone is told.
// STATUS_NEGATIVE where the listener stopped it. A large error is a warning.
BASE_MUST_USE Status run_audit_compare(RunAudit *audit, const RunListener *listener,
                                       const RunSummary *summary, Diag *diag);
RunAuditReport run_audit_report(const RunAudit *audit);

#endif

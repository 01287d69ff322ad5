// run_audit_report.h: what an audit says of a run.
#ifndef ZWANG_SIMULATE_RUN_AUDIT_REPORT_H
#define ZWANG_SIMULATE_RUN_AUDIT_REPORT_H

#include "simulate/run_options.h"

// ---- Auditing: the run as asked, and a second opinion by another method and a tighter tolerance.
// All numbers are estimates, none is a bound.
typedef struct {
    const char *name;
    double first;   // its value at the start
    double largest; // of what it consists of
    double drift;   // the largest change over all rows; of a balance: what does not close
    double t;       // when
    // Of a first integral: the last time at which it was right, and what its first change is that
    // the tolerance does not explain, which is this; 0 where there is none.
    double since, change, explained;
    size_t unseen; // rows, up to the last one, in which it had no value
} RunDrift;

// Columns of one kind, against their own sizes: the largest values of each.
typedef struct {
    const char *name;  // "coordinates"
    size_t count;      // of columns; 0: there are none, or nothing was compared
    const char *worst; // that which differs most
    double difference; // of it, at
    double t;
    double at_end; // the largest at the end
} RunGroup;

// At each level the condition that is missed most, against its largest term; a name of NULL: there
// is none.
typedef enum { RUN_POSITION, RUN_VELOCITY, RUN_ACCELERATION, RUN_LEVEL_COUNT } RunLevel;
typedef struct {
    const char *name;
    double part;
} RunMiss;

enum { RUN_COORDINATES, RUN_VELOCITIES, RUN_SPEEDS, RUN_MULTIPLIERS, RUN_GROUP_COUNT };

typedef struct {
    // The run that the error is measured by, the most careful one.
    RunMethod method;
    double tolerance;
    RunMethod opinion; // another method, and
    double agreement;  // what the run as asked differs by from it; NAN: that is the error
    double compared;   // up to this time; 0 where there was no second run
    RunGroup groups[RUN_GROUP_COUNT];
    double error;    // the largest difference of coordinates, velocities and speeds
    double digits;   // that are sure at the end
    double e_fold;   // the difference grows e times in this time; NAN where it does not grow so
    double power;    // else as t^power; NAN where too little is known
    double horizon;  // from this time on no digit is sure; NAN where some are to the end
    double expected; // where it grows on so, the horizon is here; NAN where it was reached or is
                     // not seen
    // Along the run as asked.
    bool has_energy;  // not with an energy of acceleration, nor with
    bool changes;     // what holds for a while
    bool is_total;    // it is T + U; else Σ q' ∂T/∂q' − T + U
    bool has_balance; // something changes it, and that is counted
    bool is_followed; // what changes it was integrated along
    bool rubs;        // dry friction takes of it, too, which is not counted
    double work;      // what it came to
    RunDrift energy;
    const RunDrift *integrals; // first integrals that are known
    size_t integral_count;
    RunMiss misses[RUN_LEVEL_COUNT];
} RunAuditReport;

#endif

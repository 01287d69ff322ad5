// run_summary_impl.h: a run as the library makes it, and what is said of it at its end.
#ifndef ZWANG_API_RUN_SUMMARY_IMPL_H
#define ZWANG_API_RUN_SUMMARY_IMPL_H

#include "api/outputs_impl.h"
#include "simulate/run_options.h"
#include "simulate/run_report.h"

typedef struct Going {
    zw_model *model;
    const zw_run_options *options;
    zw_result *result;
    Outputs outputs;
    size_t columns;
    double to;
    RunOptions settings; // of the run, as they are in force
    // Of all that there is to do, where this run begins, and how much it is.
    double done, share;
    bool whole;        // all rows are there
    bool memory_ended; // in the run: what was reached is there, but the model cannot be used again
    const Simulation *run;
    struct Checkpoint *checkpoint; // checkpoint_impl.h; NULL for none
    // Rows and events so far; those that were told by a run before that this one repeats.
    size_t rows, events, known_rows, known_events;
    // Events that wait for the row after them.
    ARRAY(RunEvent) waiting;
    double *velocities; // of these, before and after, and impulses
    size_t room;        // for so many
    Arena *kept;        // what else they hold; NULL for none
} Going;

// For a person. There may be no audit.
void run_add_summary(const Going *going, const RunSummary *summary, const RunAudit *audit,
                     Text *out);
// What the energy, momenta and other first integrals have done, a line each.
void run_add_energy(const Motion *motion, const RunSummary *summary, const RunAudit *audit,
                    Text *out);
// For the files that have rows.
void run_add_facts(Going *going, const RunSummary *summary, const RunAudit *audit);

#endif

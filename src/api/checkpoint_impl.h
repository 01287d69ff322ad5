// checkpoint_impl.h: runs that can be taken up again after the process has ended. Never leaves the
// room.
//
// A run with checkpoints is a chain of passes. After every so many steps it begins anew from its
// time, positions and velocities, with what it has counted (run_carry.h): what a pass knows besides
// is made of these, so that a run that is taken up there goes on with the same bits. Where it
// begins anew depends on its steps alone, and not on the time of day; what that says is which of
// these states are written down.
#ifndef ZWANG_API_CHECKPOINT_IMPL_H
#define ZWANG_API_CHECKPOINT_IMPL_H

#include "api/run_journal_impl.h"
#include "api/run_summary_impl.h"
#include "simulate/run_carry.h"

typedef struct Checkpoint {
    const zw_run_options *options;
    size_t n;
    RunBegin begin;      // where the pass begins; q is NULL before the first one ends
    RunCarry carry;      // from those before
    size_t rows, events; // that were told
    Journal journal;
    Text settings;        // of this run, a line each: "m = 2"
    Text command;         // the run that was broken off was called by
    size_t messages;      // of the model, before the motion
    zw_model *last_model; // of the last pass, whose summary is still to be told
    Simulation *last;
    ARRAY(char *) said; // by the run that was broken off; the first character is the kind
} Checkpoint;

// ---- checkpoint_file.c
// What has to be the same where a run is taken up.
void checkpoint_describe(Checkpoint *checkpoint, const Going *going);
BASE_MUST_USE Status checkpoint_write(Checkpoint *checkpoint, const zw_model *model);
BASE_MUST_USE Status checkpoint_read(Checkpoint *checkpoint, const zw_model *model);

// ---- checkpoint.c
// NULL where the options ask for none. An error where the run cannot be taken up again, or differs
// from the one that is.
BASE_MUST_USE Status checkpoint_new(const Going *going, Checkpoint **checkpoint);
void checkpoint_free(Checkpoint *checkpoint);
// The whole motion, in the place of run_go.
BASE_MUST_USE Status checkpoint_go(Checkpoint *checkpoint, Going *going, Simulation *first,
                                   const RunListener *listener, RunSummary *summary);

#endif

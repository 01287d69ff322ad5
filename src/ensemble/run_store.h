// run_store.h: what the runs of a sweep have left, in a file or in memory.
//
// Every run is one record with a checksum, complete or absent: a file that was broken off anywhere
// has the runs before that, and can be gone on with.
#ifndef ZWANG_ENSEMBLE_RUN_STORE_H
#define ZWANG_ENSEMBLE_RUN_STORE_H

#include "base/memory.h"

typedef enum { SWEEP_OK, SWEEP_STOPPED, SWEEP_FAILED, SWEEP_LIMIT, SWEEP_STATUS_COUNT } SweepStatus;
const char *sweep_status_name(SweepStatus status);

typedef struct {
    size_t run;
    SweepStatus status;
    size_t steps;
    double error, t;
    const char *message; // "" for none
    const double *numbers;
    const double *const *items; // of each list,
    const size_t *counts;       // how many items,
    const size_t *widths;       // of so many numbers
} SweepRecord;

typedef struct RunStore RunStore;
typedef struct {
    const char *path; // NULL: in memory
    bool resume;      // goes on with the file
    // What the runs are made from: a line each, "NAME: VALUE". A file of another sweep is refused
    // with the first line that differs.
    const char *signature;
    size_t runs, numbers, lists;
    const size_t *widths; // of the lists
} RunStoreOptions;
BASE_MUST_USE Status run_store_open(const RunStoreOptions *options, Diag *diag, RunStore **store);
// The file is taken away where the sweep is complete.
void run_store_close(RunStore *store, bool complete);

// The file of a rank: PATH, PATH.1, PATH.2, …
void run_store_rank_path(const char *path, size_t rank, Text *out);
// Takes what other ranks have in their files, of this sweep or of one before with more ranks; again
// what they have written since.
BASE_MUST_USE Status run_store_join(RunStore *store, const char *signature, size_t ranks,
                                    Diag *diag);

// A record as the words of a file; it belongs to no heap, and may be made in any thread.
typedef struct RunWords {
    struct RunWords *next; // for whoever has several of them
    size_t count;
    uint64_t words[];
} RunWords;
RunWords *run_store_words(const RunStore *store, const SweepRecord *record);
// Takes it over.
BASE_MUST_USE Status run_store_add(RunStore *store, RunWords *record, Diag *diag);
// What was added is on the disk.
BASE_MUST_USE Status run_store_sync(RunStore *store, Diag *diag);

size_t run_store_done(const RunStore *store); // runs that are there
bool run_store_has(const RunStore *store, size_t run);
// Whose file has a run that is there: 0 is the store's own, else the number of the rank.
size_t run_store_rank(const RunStore *store, size_t run);
// The first of so many ranks whose file was not joined; 0 where there is none.
size_t run_store_missing(const RunStore *store, size_t ranks);
// One above the largest rank whose file was joined; 0 where none was.
size_t run_store_ranks(const RunStore *store);
// The record of a run that is there; it lives until the next call. False where it cannot be read.
bool run_store_read(RunStore *store, size_t run, SweepRecord *record);

#endif

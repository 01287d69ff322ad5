// run_journal_impl.h: the rows and events of a run, kept beside its checkpoints. Never leaves the
// room.
//
// A record after the other, each with its length; whoever goes on gives those of the time before to
// the outputs again, whatever these are. A checkpoint says how many bytes are good, and their hash.
#ifndef ZWANG_API_RUN_JOURNAL_IMPL_H
#define ZWANG_API_RUN_JOURNAL_IMPL_H

#include "base/guard.h"
#include "base/strings.h"
#include "simulate/run_report.h"

#include <stdio.h>

typedef enum { JOURNAL_ROW = 'R', JOURNAL_BETWEEN = 'B', JOURNAL_EVENT = 'E' } JournalKind;

typedef struct {
    Text path; // that of the checkpoint, with .rows
    FILE *file;
    size_t length;
    uint64_t hash;
    size_t n, columns; // coordinates, and numbers of a row
    Text record;
    int error; // of the system, the first one; 0
    BaseCleanup cleanup;
} Journal;
// To be written, from so many bytes on, which are there.
BASE_MUST_USE Status journal_open(Journal *journal, const char *checkpoint, Diag *diag);
void journal_close(Journal *journal);
void journal_add_row(Journal *journal, JournalKind kind, const double *row);
void journal_add_event(Journal *journal, const RunEvent *event);
// All that was added is on the disk.
BASE_MUST_USE Status journal_write(Journal *journal, Diag *diag);

// Who gets them again: an event's condition has its name alone, in `what` of the function.
typedef struct {
    void *context;
    void (*row)(void *context, JournalKind kind, const double *row);
    void (*event)(void *context, RunEvent *event, const char *constraint);
} JournalReader;
// Those of a checkpoint, so many bytes with this hash; an error where they are others. Without a
// reader they are only looked at.
BASE_MUST_USE Status journal_read(const Journal *journal, const char *checkpoint,
                                  const JournalReader *reader, Diag *diag);

#endif

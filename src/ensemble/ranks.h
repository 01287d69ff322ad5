// ranks.h: one sweep on several processes, as mpirun starts them.
//
// Rank 0 hands out blocks of runs to whoever asks: large ones at first, at last as many runs as a
// rank has threads. A rank asks for its next block before the last runs of the present one are
// taken. Every rank writes its own file; rank 0 reads them all at the end.
#ifndef ZWANG_ENSEMBLE_RANKS_H
#define ZWANG_ENSEMBLE_RANKS_H

#include "ensemble/run_store.h"

typedef struct Ranks Ranks;

// Whether a starter of such processes has started this one, by the variables that it sets.
bool ranks_are_asked_for(void);
// An error where the file that speaks MPI is not there.
BASE_MUST_USE Status ranks_open(Diag *diag, Ranks **ranks);
void ranks_close(Ranks *ranks); // may be NULL
size_t ranks_number(const Ranks *ranks);
size_t ranks_count(const Ranks *ranks);
// The worst status of all ranks, which wait for each other here.
Status ranks_agree(const Ranks *ranks, Status status);
// A rank that has another text than rank 0; 0 where there is none. They wait for each other.
size_t ranks_other(const Ranks *ranks, const char *text);

// Then in every rank: so many runs, of which rank 0 hands out those that its store has not.
void ranks_begin(Ranks *ranks, size_t runs, size_t threads, const RunStore *store);
// Some times a second: answers others, and asks for more runs where `wants`. True where a block of
// runs has come: *from up to below *to.
bool ranks_look(Ranks *ranks, bool wants, size_t done, size_t *from, size_t *to);
bool ranks_have_no_more(const Ranks *ranks); // for this one
// Of rank 0, as far as it has heard: how many runs are made by all. Of another: its own.
size_t ranks_done(const Ranks *ranks, size_t own);
// This one makes no more runs, though there may be some; of rank 0: nobody is to make more.
void ranks_leave(Ranks *ranks);
// Rank 0, after its own runs: whether others still ask, and have to be answered.
bool ranks_are_served(const Ranks *ranks);

#endif

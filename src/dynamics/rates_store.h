// rates_store.h: rates that were derived for one run and serve the next ones, with other parameters
// and from other starts.
//
// The order of what is derived matters, because equal expressions are made once: a run that derives
// after another one in the same pool may find sums in another order, and round otherwise. So a
// store gives what it has in the order in which it was derived, as long as everything that numbers
// decide stands. A run that comes to the end of it, with nothing more in the pool than that, goes
// on deriving; one that wants something else before is to begin anew, in another pool.
#ifndef ZWANG_DYNAMICS_RATES_STORE_H
#define ZWANG_DYNAMICS_RATES_STORE_H

#include "base/memory.h"

typedef struct Equations Equations; // dynamics.h
typedef struct ExprPool ExprPool;   // expr.h
typedef struct Motion Motion;       // motion_types.h
typedef struct Rates Rates;         // rates.h
typedef struct State State;
typedef struct RatesStore RatesStore;

RatesStore *rates_store_new(void);
void rates_store_free(RatesStore *store); // may be NULL
// A run begins, in the pool in which all is derived. The first one fills the store.
void rates_store_begin(RatesStore *store, const ExprPool *pool);
// Something is derived that is no rates: what it is, in some bytes. False where it is not what was
// derived then, so that the store fails.
bool rates_store_mark(RatesStore *store, const void *what, size_t bytes);
// Whether the parameters of a state let equations be derived as for the first run: whichever of
// them were 0 or 1, or given by others, are so.
bool rates_store_serves(RatesStore *store, const Equations *eq, const State *state);
// Rates at a state, as rates_init_as makes them, or as they were made then: *known. False where
// there are none. They are to be given back. `owner` tells apart what has equations of its own.
typedef struct {
    const Equations *eq;
    State *state;
    Motion *motion;
    uint64_t owner;
    bool brief, series; // as in RatesWish
} RatesRequest;
bool rates_store_take(RatesStore *store, const RatesRequest *request, Rates *rates, bool *known);
void rates_store_give_back(RatesStore *store, Rates *rates);
// Whether the run needs what the store does not have: then it is to begin anew, with a model that
// nobody has derived anything of.
bool rates_store_fails(const RatesStore *store);
void rates_store_fail(RatesStore *store);
// Whether the run has derived all in the order of a run in a pool of its own: what the store has,
// and only then more.
bool rates_store_is_sound(const RatesStore *store);

#endif

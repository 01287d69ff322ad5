// rates_store.c: rates that were derived for one run and serve the next ones.
#include "dynamics/rates_store.h"
#include "dynamics/dynamics.h"
#include "dynamics/rates.h"
#include "dynamics/rates_decisions.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <assert.h>
#include <string.h>

typedef struct {
    const void *what; // of a mark
    size_t bytes;     // 0: rates
    uint64_t owner;
    bool made;   // there are such rates
    bool lent;   // to the run in progress
    Rates rates; // while they are not
    RatesDecisions *decisions;
    // For which speeds they are.
    bool own, brief, series;
    size_t k, *chosen;
} StoredRates;

// What of a parameter is part of the structure of equations.
typedef struct {
    Expr given; // by others: an expression in them; else none
    int number; // 0, 1, or −1 for any other
} ParameterKind;

struct RatesStore {
    Arena *arena;
    ARRAY(StoredRates) at;
    const ExprPool *pool;
    size_t next;  // for the run in progress
    size_t size;  // of the pool, when it began
    bool extends; // it derives what comes after all that is here
    bool begun;   // there was a run
    bool fails;
    size_t params; // of `kinds`
    ParameterKind *kinds;
};

RatesStore *rates_store_new(void)
{
    RatesStore *store = base_alloc(sizeof *store);
    store->arena = arena_new();
    return store;
}

void rates_store_free(RatesStore *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->at.count; i++) {
        assert(!store->at.at[i].lent);
        rates_clear(&store->at.at[i].rates);
        decisions_free(store->at.at[i].decisions);
    }
    array_clear(&store->at);
    arena_free(store->arena);
    base_free(store);
}

void rates_store_begin(RatesStore *store, const ExprPool *pool)
{
    store->extends = !store->begun;
    store->begun = true;
    store->next = 0;
    store->pool = pool;
    store->size = expr_pool_size(pool);
}

// What comes next was derived by a run before: else the run goes on deriving, which it may do where
// the pool has nothing but what such a run has made.
static bool is_known(RatesStore *store)
{
    if (store->next < store->at.count)
        return true;
    store->fails = store->fails || !(store->extends || expr_pool_size(store->pool) == store->size);
    store->extends = true;
    return false;
}

bool rates_store_mark(RatesStore *store, const void *what, size_t bytes)
{
    assert(what && bytes > 0);
    if (is_known(store)) {
        const StoredRates *stored = &store->at.at[store->next++];
        bool same = stored->bytes == bytes && memcmp(stored->what, what, bytes) == 0;
        store->fails = store->fails || !same;
    } else if (!store->fails) {
        void *kept = arena_alloc(store->arena, bytes);
        memcpy(kept, what, bytes);
        array_push(&store->at, ((StoredRates){.what = kept, .bytes = bytes}));
        store->next++;
    }
    return !store->fails;
}

bool rates_store_fails(const RatesStore *store)
{
    return store->fails;
}

void rates_store_fail(RatesStore *store)
{
    store->fails = true;
}

bool rates_store_is_sound(const RatesStore *store)
{
    return store->extends || expr_pool_size(store->pool) == store->size;
}

// ---- Parameters.

static ParameterKind kind_of(const Model *model, size_t index, double number)
{
    Expr value = model->params.at[index].value;
    ExprList symbols = expr_symbols(model->pool, &value, 1);
    ParameterKind kind = {.number = number == 0 ? 0 : number == 1 ? 1 : -1};
    if (symbols.count > 0)
        kind.given = value;
    expr_list_free(&symbols);
    return kind;
}

bool rates_store_serves(RatesStore *store, const Equations *eq, const State *state)
{
    const Model *model = eq->motion->model;
    bool first = !store->kinds, same = true;
    if (first)
        store->kinds = arena_array(store->arena, ParameterKind, eq->params + 1);
    for (size_t i = 0; i < eq->params && same; i++) {
        ParameterKind kind = kind_of(model, i, state->inputs[i]), *kept = &store->kinds[i];
        if (first)
            *kept = kind;
        same = kept->number == kind.number && expr_same(kept->given, kind.given);
    }
    return same;
}

// ---- Taking.

static bool is_for(const StoredRates *stored, const RatesRequest *request)
{
    size_t k = request->eq->k;
    const SpeedChoice *speeds = &request->state->speeds;
    return stored->bytes == 0 && stored->owner == request->owner &&
           stored->brief == request->brief && stored->series == request->series &&
           stored->own == speeds->own && stored->k == k &&
           (stored->own || memcmp(stored->chosen, speeds->chosen, k * sizeof *stored->chosen) == 0);
}

// The parameters, with typical sizes of velocities; then t | q | u.
static double *numbers_of(const Equations *eq, State *state)
{
    size_t params = eq->params, n = eq->n;
    double *numbers = base_alloc((params + 2 * n + 1 + eq->k) * sizeof *numbers);
    memcpy(numbers, state->inputs, params * sizeof *numbers);
    memcpy(numbers + params, state->scale, n * sizeof *numbers);
    memcpy(numbers + params + n, state->t, (1 + n) * sizeof *numbers);
    dynamics_speeds(eq, state, numbers + params + 2 * n + 1);
    return numbers;
}

// The next ones with the numbers of this run; false where others would be derived.
static bool renew(StoredRates *stored, const Equations *eq, State *state)
{
    double *numbers = numbers_of(eq, state);
    const double *inputs = numbers + eq->params + eq->n;
    bool same = decisions_stand(stored->decisions, numbers, state->scale, inputs);
    if (same && stored->made) {
        rates_set_parameters(&stored->rates, numbers);
        stored->rates.least = rates_least_pivot(&stored->rates, inputs);
        // Formulas that lose too many digits would have been given up.
        bool formulas = stored->rates.unsolved == 0 && !stored->rates.eliminated;
        same = !formulas || stored->rates.least > TOL_SMALL;
    }
    base_free(numbers);
    return same;
}

static bool derive(RatesStore *store, const RatesRequest *request, Rates *rates)
{
    const Equations *eq = request->eq;
    State *state = request->state;
    StoredRates stored = {.decisions = decisions_new(),
                          .owner = request->owner,
                          .own = state->speeds.own,
                          .brief = request->brief,
                          .series = request->series,
                          .k = eq->k,
                          .chosen = arena_array(store->arena, size_t, eq->k + 1)};
    memcpy(stored.chosen, state->speeds.chosen, eq->k * sizeof *stored.chosen);
    RatesWish wish = {
        .brief = request->brief, .series = request->series, .decisions = stored.decisions};
    stored.lent = stored.made = rates_init_as(rates, eq, state, request->motion, wish);
    array_push(&store->at, stored);
    rates->stored = ++store->next;
    return stored.made;
}

bool rates_store_take(RatesStore *store, const RatesRequest *request, Rates *rates, bool *known)
{
    *known = is_known(store);
    if (!*known)
        return !store->fails && derive(store, request, rates);
    StoredRates *stored = &store->at.at[store->next];
    store->fails = store->fails || stored->lent || !is_for(stored, request) ||
                   !renew(stored, request->eq, request->state);
    if (store->fails)
        return false;
    store->next++;
    if (stored->made)
        *rates = stored->rates;
    stored->lent = stored->made;
    return stored->made;
}

void rates_store_give_back(RatesStore *store, Rates *rates)
{
    assert(rates->stored > 0 && rates->stored <= store->at.count);
    StoredRates *stored = &store->at.at[rates->stored - 1];
    assert(stored->lent);
    stored->rates = *rates;
    stored->lent = false;
    *rates = (Rates){0};
}

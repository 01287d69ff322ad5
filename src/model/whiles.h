// whiles.h: what holds for a while: `while rel { and rel }` behind conditions, loads and events.
//
// Of loads the model has those that act; of conditions and frictions all, and whether they do is
// asked here. What acts is as at the start, until somebody switches.
#ifndef ZWANG_MODEL_WHILES_H
#define ZWANG_MODEL_WHILES_H

#include "base/place.h"
#include "expr/expr_types.h"

typedef struct Model Model;                     // system.h
typedef struct ModelEvent ModelEvent;           // events.h
typedef struct ModelConstraint ModelConstraint; // constraint.h

typedef struct ModelWhile {
    Expr value; // 1 where it holds, else 0; of parameters, discrete states and t
    bool acts;
    bool structural;      // a condition, a load or a friction waits for it
    ModelEvent *switches; // where the time may change it
    size_t switch_count;
    Place place;
} ModelWhile;

// Whether something happens on the way: an event, or a `while` that the time begins or ends.
bool model_has_events(const Model *model);
// Whether what waits so (0: for nothing) holds.
bool model_acts(const Model *model, size_t waits);
// Whether a two-sided condition is an equation now; a one-sided one acts, as a row.
bool model_binds(const Model *model, const ModelConstraint *constraint);
// Whether a condition or a friction waits for something.
bool model_has_switched_rows(const Model *model);
// Of a model whose loads are weighed: motions made from now on have all frictions and all
// one-sided conditions, and two-sided ones with a `while` beside these, as rows that may act.
void model_switch_rows(Model *model);
bool model_is_switched_row(const Model *model, const ModelConstraint *constraint);
// Which of all do, for these numbers of the parameters, at a time and right behind it; true where
// the numbers do not tell.
void model_whiles_at(const Model *model, const double *params, double t, bool *acts);
// As at a start at this time, with the values that states have; whether that is something else.
bool model_start_whiles(Model *model, double t);
// Loads and energies are those that act then.
void model_switch(Model *model, const bool *acts);

#endif

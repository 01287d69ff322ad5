// order_impl.h: between order.c, which asks, and corrections.c, which works out. Never leaves the
// room.
#ifndef ZWANG_ORDER_IMPL_H
#define ZWANG_ORDER_IMPL_H

#include "inquiry/inquiry_impl.h"

// Everything that R is made of for the state's speeds, as outputs that are evaluated together;
// each of these numbers says where its outputs begin.
typedef struct {
    size_t n, k;
    size_t variables; // coordinates, then parameters that are none
    size_t B;         // variables × (k + 1), C in the last column
    size_t dB;        // its derivatives by q and t: (n + 1) × that
    size_t p, T, u;   // ∂T/∂q', ∂T/∂q and the speeds
    size_t rest;      // −Δ of an energy of acceleration that was given
    size_t W;         // directions that can be reached at one time: directions × variables
    size_t directions;
    bool shown; // that all these directions are independent, at a real point
    bool *held; // coordinates that T or the velocities hold
    ExprSubst *values;
    ARRAY(Expr) outputs;
    AlgebraPoints *points;
    uint64_t prime;
    const uint64_t *at; // the values of the outputs at the point in hand
} OrderBase;

// With `parameters` the declared speeds are the rates of further variables. False where nothing
// can be evaluated; clear it in any case.
bool order_base_init(OrderBase *base, Motion *motion, bool parameters, ExprSubst *values);
void order_base_clear(OrderBase *base);

// ---- corrections.c
// R of every parameter of a choice (k variables) at the point in hand. False where the choice is
// not regular there.
bool order_corrections_at(const OrderBase *base, const size_t *choice, uint64_t *R);
// The same as functions, for the state's own speeds. After a point was drawn.
bool order_corrections(Motion *motion, OrderBase *base, const size_t *choice, Expr *R);

#endif

// action_impl.h: coordinates varied along the displacements that the conditions allow, with
// dδq = δdq for every one of them; for the form of least action and its other readings. Never
// leaves the room.
#ifndef ZWANG_FORMS_ACTION_IMPL_H
#define ZWANG_FORMS_ACTION_IMPL_H

#include "forms/reduction_impl.h"

typedef struct {
    Motion *motion;
    bool to_read;
    Expr *theta, *rate; // symbols of δϑ_α and their rates, k each
    Expr *dq, *dv;      // δq_ν and (δq_ν)', n each, in those
    Expr *P, *omega;    // P_μ and δω_μ, m each
    Expr T;             // T⁺, in speeds
    Expr *slope;        // ∂T⁺/∂u_α, k
    Expr slopes_work;   // Σ_ν ∂T⁺/∂q_ν δq_ν
    Expr integrand;     // without the work of the forces
    Expr *room;         // of all these
} Action;

// False where the speeds of the conditions cannot be told apart from the others; the action is to
// be cleared in any case.
bool action_init(Action *action, Motion *motion, bool to_read);
void action_clear(Action *action);
// δu of the state's speed of this number.
Expr action_speed_variation(Action *action, size_t alpha);
// Euler's equations of an integrand that is linear in δϑ and their rates: d/dt ∂I/∂δϑ' − ∂I/∂δϑ =
// Q.
void action_equations(Action *action, Expr integrand, Form *form);

#endif

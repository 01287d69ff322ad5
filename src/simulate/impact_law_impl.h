// impact_law_impl.h: how velocities jump, by a given impulse and by the conditions that are struck.
#ifndef ZWANG_SIMULATE_IMPACT_LAW_IMPL_H
#define ZWANG_SIMULATE_IMPACT_LAW_IMPL_H

#include "contact/contact.h"
#include "dynamics/system_matrices.h"
#include "model/model.h"
#include "simulate/contact_set_impl.h"

// ---- impact_law.c: how velocities jump, by a given impulse and by the conditions that are struck.
typedef enum {
    JUMP_SOLVED,
    JUMP_UNSOLVED, // the shock's report says why
    JUMP_SERVO,    // the condition of a servo, whose force is finite, would be broken
    JUMP_TOGETHER, // several are struck where the order matters
    JUMP_SINGULAR, // ∂f/∂q' of a condition vanishes on the way
    JUMP_FIXED,    // no velocities that the equations allow are slower
    JUMP_LOST,     // the velocities change without bound on the way
    JUMP_SECOND    // a condition that is not affine in the accelerations
} JumpOutcome;
typedef struct {
    JumpOutcome outcome;
    ImpactReport shock;
    const ModelConstraint *condition;      // that stands in the way, where there is one
    const ModelConstraint *struck, *other; // by whom; NULL: by an impulse
} JumpReport;
// At the state where many was evaluated, with the velocities before, and it stays there. `impulse`
// may be NULL, `asked` are those that touch; the answer wants velocities and λ.
JumpReport contact_set_jump(const ContactSet *candidates, SystemMatrices *matrices,
                            ContactSolver *gauss, const double *velocities, const double *impulse,
                            const ImpactAnswer *answer);
// Why there is no answer.
void jump_add_reason(const JumpReport *report, const ContactSet *candidates,
                     const SystemMatrices *matrices, const double *lambda, Text *text);

// ---- impact_path.c: the same where 𝓜 or the equations change with the velocities.
JumpReport contact_set_jump_path(const ContactSet *candidates, SystemMatrices *matrices,
                                 ContactSolver *gauss, const double *velocities,
                                 const double *impulse, const ImpactAnswer *answer);

#endif

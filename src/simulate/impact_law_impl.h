// impact_law_impl.h: how velocities jump, by a given impulse and by the conditions that are struck.
#ifndef ZWANG_SIMULATE_IMPACT_LAW_IMPL_H
#define ZWANG_SIMULATE_IMPACT_LAW_IMPL_H

#include "base/text_builder.h"
#include "contact/contact.h"

typedef struct ContactEvent ContactEvent;       // contact_event_impl.h
typedef struct ModelConstraint ModelConstraint; // constraint.h

typedef struct VelocityJump {
    bool solved;
    ImpactReport impact;
    // Where a module says that it is not solved: why, and because of which condition (may be NULL).
    Text reason;
    const ModelConstraint *condition;
} VelocityJump;

// Physics that few systems have: an impact by constant rows, which the event has, is revised, or
// refused, where velocities jump. The matrices are at the event with the velocities before, and
// stay there.
typedef struct {
    bool (*applies)(const SystemMatrices *matrices);
    void (*revise)(ContactEvent *event, const double *impulse);
} ImpactModule;
extern const ImpactModule impact_nonlinear;      // 𝓜 or the equations change with the velocities
extern const ImpactModule impact_second_class;   // conditions that are not affine in accelerations
extern const ImpactModule impact_servo;          // conditions that servos keep
extern const ImpactModule impact_friction;       // friction, or a law of shocks that was named
extern const ImpactModule impact_held_reactions; // forces hold reactions of equations

// ---- impact_law.c
// By the conditions of an event and a given impulse, which may be NULL: the velocities after, f'
// before and after, the impulses and the energy lost. False, with the event's jump saying why,
// where there is no solution.
bool impact_solve(ContactEvent *event, const double *impulse);
// The impact by the rows as they are (Moreau's law), without impulses of servos, with some of the
// conditions: only velocities, λ and f' before and after in the event's answer.
ImpactReport impact_plain(ContactEvent *event, const ContactSet *struck, const double *impulse);
// Whether no module may revise it.
bool impact_is_plain(const SystemMatrices *matrices);
// For modules: it is not solved, because of this condition. The reason has its beginning, "the
// impact of 'a'" or "the impulse"; a NULL for `struck` is the first condition that rows as they are
// strike.
Text *impact_refuse(ContactEvent *event, const ModelConstraint *condition,
                    const ModelConstraint *struck);

#endif

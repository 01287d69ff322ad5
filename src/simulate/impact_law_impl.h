// impact_law_impl.h: how velocities jump, by a given impulse and by the conditions that are struck.
#ifndef ZWANG_SIMULATE_IMPACT_LAW_IMPL_H
#define ZWANG_SIMULATE_IMPACT_LAW_IMPL_H

#include "contact/contact.h"

typedef struct ContactEvent ContactEvent;       // contact_event_impl.h
typedef struct ModelConstraint ModelConstraint; // constraint.h

typedef struct ImpactModule ImpactModule;
typedef struct VelocityJump {
    bool solved;
    ImpactReport impact;
    // Where it is not solved: the module that says why, NULL for the report of the impact.
    const ImpactModule *module;
    int why;                               // the module's own
    const ModelConstraint *condition;      // because of which; may be NULL
    const ModelConstraint *struck, *other; // by whom; NULL: by an impulse
} VelocityJump;

// Physics that few systems have: an impact by constant rows, which the event has, is revised, or
// refused, where velocities jump. The matrices are at the event with the velocities before, and
// stay there.
struct ImpactModule {
    bool (*applies)(const SystemMatrices *matrices);
    void (*revise)(ContactEvent *event, const double *impulse);
    void (*add_reason)(const VelocityJump *jump, Text *text);
};
extern const ImpactModule impact_nonlinear;    // 𝓜 or the equations change with the velocities
extern const ImpactModule impact_second_class; // conditions that are not affine in accelerations
extern const ImpactModule impact_servo;        // conditions that servos keep

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
// For modules: "the impact of 'a'", "the impulse".
void impact_add_cause(const VelocityJump *jump, Text *text);

#endif

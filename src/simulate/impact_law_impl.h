// impact_law_impl.h: how velocities jump, by a given impulse and by the conditions that are struck.
#ifndef ZWANG_SIMULATE_IMPACT_LAW_IMPL_H
#define ZWANG_SIMULATE_IMPACT_LAW_IMPL_H

#include "contact/contact.h"
#include "simulate/contact_set_impl.h"

typedef struct ModelConstraint ModelConstraint; // constraint.h

// At the state where the matrices were evaluated, with the velocities before; it stays there.
typedef struct {
    const ContactSet *touching;
    SystemMatrices *matrices;
    ContactSolver *solver;
    const double *velocities; // n: before
    const double *impulse;    // n, or NULL
    ImpactAnswer answer;      // wants velocities and λ
} JumpProblem;

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

// Physics that few systems have: an impact by constant rows is revised, or refused, where
// velocities jump.
struct ImpactModule {
    bool (*applies)(const SystemMatrices *matrices);
    void (*revise)(const JumpProblem *problem, VelocityJump *jump);
    void (*add_reason)(const VelocityJump *jump, Text *text);
};
extern const ImpactModule impact_nonlinear;    // 𝓜 or the equations change with the velocities
extern const ImpactModule impact_second_class; // conditions that are not affine in accelerations
extern const ImpactModule impact_servo;        // conditions that servos keep

// ---- impact_law.c
VelocityJump impact_solve(const JumpProblem *problem);
// Whether no module may revise it.
bool impact_is_plain(const SystemMatrices *matrices);
// For modules: "the impact of 'a'", "the impulse".
void impact_add_cause(const VelocityJump *jump, Text *text);

#endif

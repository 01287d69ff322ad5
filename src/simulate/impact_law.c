// impact_law.c: how velocities jump (Mayer 1899, § 4; Appell 1925, 23).
//
// An impact is what finite forces do that grow without bound while their time shrinks: positions
// stay, and what is finite does nothing. So every equation acts as it does in the motion itself, at
// the level of accelerations: b·dv = 0 all the way, for conditions in velocities and for affine
// ones on accelerations alike. Where the rows and the inertia hold no velocities the whole way is
// one step, and that is the law by which the impact is solved here. Modules revise it where
// something else is true.
#include "base/strings.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/impact_law_impl.h"

#include <assert.h>

static const ImpactModule *const modules[] = {&impact_nonlinear, &impact_second_class,
                                              &impact_servo};
enum { MODULES = sizeof modules / sizeof *modules };

// The first condition that is struck; NULL where it is an impulse alone.
static const ModelConstraint *first_struck(const JumpProblem *problem)
{
    const ContactSet *touching = problem->touching;
    for (size_t i = 0; i < touching->which.count; i++)
        if (problem->answer.lambda[i] > 0)
            return problem->matrices->eq->motion->sides[touching->which.at[i]].constraint;
    return NULL;
}

bool impact_is_plain(const SystemMatrices *matrices)
{
    for (size_t i = 0; i < MODULES; i++)
        if (modules[i]->applies(matrices))
            return false;
    return true;
}

VelocityJump impact_solve(const JumpProblem *problem)
{
    assert(problem->answer.velocities && problem->answer.lambda);
    VelocityJump jump = {.impact = contact_set_impact(problem->touching, problem->matrices,
                                                      problem->solver, problem->velocities,
                                                      problem->impulse, &problem->answer)};
    jump.solved = jump.impact.contact.outcome == SOLVE_DONE;
    // Nothing jumps.
    if (jump.solved && !problem->impulse && jump.impact.passes == 0)
        return jump;
    for (size_t i = 0; i < MODULES; i++)
        if (modules[i]->applies(problem->matrices))
            modules[i]->revise(problem, &jump);
    if (!jump.struck)
        jump.struck = first_struck(problem);
    return jump;
}

void impact_add_cause(const VelocityJump *jump, Text *text)
{
    if (jump->struck)
        text_addf(text, "the impact of '%s'", jump->struck->name);
    else
        text_add(text, "the impulse");
}

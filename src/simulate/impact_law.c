// impact_law.c: how velocities jump (Mayer 1899, § 4; Appell 1925, 23).
//
// An impact is what finite forces do that grow without bound while their time shrinks: positions
// stay, and what is finite does nothing. So every equation acts as it does in the motion itself, at
// the level of accelerations: b·dv = 0 all the way, for conditions in velocities and for affine
// ones on accelerations alike. Where the rows and the inertia hold no velocities the whole way is
// one step, and that is the law by which the impact is solved here. Modules revise it where
// something else is true.
#include "dynamics/equations_types.h"
#include "dynamics/projection.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <string.h>

static const ImpactModule *const modules[] = {&impact_nonlinear, &impact_second_class,
                                              &impact_friction, &impact_servo,
                                              &impact_held_reactions};
enum { MODULES = sizeof modules / sizeof *modules };

bool impact_is_plain(const SystemMatrices *matrices)
{
    for (size_t i = 0; i < MODULES; i++)
        if (modules[i]->applies(matrices))
            return false;
    return true;
}

ImpactReport impact_plain(ContactEvent *event, const ContactSet *struck, const double *impulse)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    ContactAnswer *answer = event->answer;
    ImpactProblem problem = {.system = contact_set_problem(struck, matrices),
                             .velocities = event->before,
                             .impulse = impulse,
                             .restitution = struck->restitution.at};
    problem.system.equations.count = matrices->ideal;
    problem.system.directions = (SparseRows){0};
    problem.system.equation_drift = matrices->c;
    problem.system.unilateral_drift = struck->partial_t.at;
    return contact_impact(event->contacts->solver, &problem,
                          &(ImpactAnswer){.velocities = event->after,
                                          .lambda = answer->lambda,
                                          .rates_before = answer->rates,
                                          .rates_after = answer->rates + struck->which.count});
}

bool impact_solve(ContactEvent *event, const double *impulse)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    VelocityJump *jump = event->jump;
    assert(event->at.count == event->touching.which.count);
    text_clear(&jump->reason);
    event->asked = &event->touching;
    event_evaluate(event, event->before);
    jump->impact = impact_plain(event, &event->touching, impulse);
    jump->solved = jump->impact.contact.outcome == SOLVE_DONE;
    for (size_t i = 0; i < event->at.count && jump->solved; i++) {
        event->at.at[i].impulse = event->answer->lambda[i];
        event->at.at[i].before = event->answer->rates[i];
        event->at.at[i].after = event->answer->rates[event->at.count + i];
    }
    bool jumps = !jump->solved || impulse || jump->impact.passes > 0;
    for (size_t i = 0; i < MODULES && jumps; i++)
        if (modules[i]->applies(matrices))
            modules[i]->revise(event, impulse);
    if (jump->solved && jumps && matrices->eq->motion->model->rated_count > 0) {
        event_evaluate(event, event->after);
        velocities_follow_states(matrices->eq, matrices->state);
        memcpy(event->after, matrices->state->v, matrices->n * sizeof(double));
        event_evaluate(event, event->before);
    }
    event->impact = jump->solved;
    event->energy_lost = jump->solved ? jump->impact.energy_lost : 0;
    return jump->solved;
}

Text *impact_refuse(ContactEvent *event, const ModelConstraint *condition,
                    const ModelConstraint *struck)
{
    VelocityJump *jump = event->jump;
    jump->solved = false;
    jump->condition = condition;
    for (size_t i = 0; i < event->at.count && !struck; i++)
        if (event->at.at[i].impulse > 0)
            struck = unilaterals_condition(event->contacts->unilaterals, event->at.at[i].index);
    if (struck)
        text_addf(&jump->reason, "the impact of '%s'", struck->name);
    else
        text_add(&jump->reason, "the impulse");
    return &jump->reason;
}

RunResult events_no_solution(SimulationRun *run, double t)
{
    Text reason = {0};
    event_add_reason(run->event, &reason);
    return failure_at(run, event_hint(run->event), t, &reason);
}

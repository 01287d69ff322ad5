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
#include "simulate/contact_event_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>

static const ImpactModule *const modules[] = {&impact_nonlinear, &impact_second_class,
                                              &impact_servo};
enum { MODULES = sizeof modules / sizeof *modules };

bool impact_is_plain(const SystemMatrices *matrices)
{
    for (size_t i = 0; i < MODULES; i++)
        if (modules[i]->applies(matrices))
            return false;
    return true;
}

// The plain law, into the event; false where it has no solution.
static bool solve_plain(ContactEvent *event, const double *impulse)
{
    const StartContacts *contacts = event->contacts;
    ContactAnswer *answer = event->answer;
    double *before = answer->rates, *after = before + event->at.count;
    ImpactReport *report = &event->jump->impact;
    *report = contact_set_impact(&event->touching, contacts->matrices, contacts->solver,
                                 event->before, impulse,
                                 &(ImpactAnswer){.velocities = event->after,
                                                 .lambda = answer->lambda,
                                                 .rates_before = before,
                                                 .rates_after = after});
    for (size_t i = 0; i < event->at.count && report->contact.outcome == SOLVE_DONE; i++) {
        event->at.at[i].impulse = answer->lambda[i];
        event->at.at[i].before = before[i];
        event->at.at[i].after = after[i];
    }
    return report->contact.outcome == SOLVE_DONE;
}

bool impact_solve(ContactEvent *event, const double *impulse)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    VelocityJump *jump = event->jump;
    *jump = (VelocityJump){0};
    event->asked = &event->touching;
    event_evaluate(event, event->before);
    jump->solved = solve_plain(event, impulse);
    bool jumps = !jump->solved || impulse || jump->impact.passes > 0;
    for (size_t i = 0; i < MODULES && jumps; i++)
        if (modules[i]->applies(matrices))
            modules[i]->revise(event, impulse);
    // The first one that is struck; none where it is an impulse alone.
    for (size_t i = 0; i < event->at.count && !jump->struck; i++)
        if (event->at.at[i].impulse > 0)
            jump->struck = matrices->eq->motion->sides[event->at.at[i].index].constraint;
    event->impact = jump->solved;
    event->energy_lost = jump->solved ? jump->impact.energy_lost : 0;
    return jump->solved;
}

void impact_add_cause(const VelocityJump *jump, Text *text)
{
    if (jump->struck)
        text_addf(text, "the impact of '%s'", jump->struck->name);
    else
        text_add(text, "the impulse");
}

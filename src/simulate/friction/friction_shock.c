// friction_shock.c: how velocities jump where friction acts at what is struck, or where a law of
// shocks was named: percussions with Coulomb's cone (contact/friction.h).
//
// Where nothing of that touches the impact stays as it is without friction.
#include "base/text_builder.h"
#include "contact/friction.h"
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "simulate/contact_event_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/sliding_system_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/start_contacts_impl.h"

#include <math.h>
#include <string.h>

static bool applies(const SystemMatrices *matrices)
{
    return friction_is_there(matrices->eq->motion);
}

// ---- Which law.

typedef struct {
    bool newton, poisson, friction; // said, said, and whether something rubs
    const ModelConstraint *first;
} SaidLaws;

static SaidLaws laws_of(const ContactEvent *event)
{
    const FrictionContacts *contacts = event->friction->contacts;
    SaidLaws said = {0};
    for (size_t i = 0; i < event->at.count; i++) {
        const ModelConstraint *constraint = event_constraint(event, event->at.at[i].index);
        said.newton = said.newton || constraint->law == SHOCK_NEWTON;
        said.poisson = said.poisson || constraint->law == SHOCK_POISSON;
        said.first = said.first ? said.first : constraint;
        said.friction =
            said.friction || friction_of_side(contacts, event->at.at[i].index) != SIZE_MAX;
    }
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        said.friction = said.friction || (own->constraint && own->side == SIZE_MAX);
        for (size_t k = 0; k < own->term_count; k++)
            said.friction = said.friction || own->terms[k].side == SIZE_MAX;
        for (size_t k = 0; k < event->at.count; k++)
            said.friction =
                said.friction ||
                motion_friction_presses(own, event_constraint(event, event->at.at[k].index));
    }
    return said;
}

// ---- The problem.

static void gather(ContactEvent *event, SlidingSystem *system)
{
    const FrictionContacts *contacts = event->friction->contacts;
    SparseRows touching = sparse_store_rows(&event->touching.rows);
    for (size_t k = 0; k < touching.count; k++) {
        size_t i = friction_of_side(contacts, event->touching.which.at[k]);
        FrictionContact contact = {.law = FRICTION_ONE_SIDED, .normals = 1};
        memset(system->row, 0, contacts->n * sizeof *system->row);
        sparse_row_add(&touching, k, 1, system->row);
        sliding_system_add_row(system, system->row, NULL, event->touching.partial_t.at[k]);
        sliding_system_add_friction(system, i, &contact, true);
        sliding_system_add(system, contact, i,
                           event_constraint(event, event->touching.which.at[k]));
    }
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        FrictionContact contact = {0};
        if (own->side != SIZE_MAX || !motion_friction_is_pressed(own))
            continue;
        sliding_system_add_law(system, i, &contact, true);
        sliding_system_add(system, contact, i, own->constraint);
    }
    sliding_system_add_presses(system);
}

// `mixed`: those that say newton follow it, the others poisson.
static FrictionImpactReport solve(ContactEvent *event, FrictionImpactLaw law, bool mixed,
                                  bool without_collision)
{
    SlidingSystem *system = event->friction->system;
    size_t count = system->contacts.count;
    double *restitution = base_alloc((count + 1) * sizeof *restitution);
    memcpy(restitution, event->touching.restitution.at,
           event->touching.which.count * sizeof *restitution);
    bool *newton = base_alloc((count + 1) * sizeof *newton);
    for (size_t i = 0; i < event->at.count && mixed; i++)
        newton[i] = event_constraint(event, event->at.at[i].index)->law == SHOCK_NEWTON;
    FrictionImpact impact = {.system = sliding_system_problem(system),
                             .restitution = restitution,
                             .drift = system->drifts.at,
                             .law = law,
                             .newton = mixed ? newton : NULL,
                             .without_collision = without_collision};
    impact.system.count_all = true;
    FrictionImpactAnswer answer = {.percussions = system->forces.at,
                                   .rates = system->rates.at,
                                   .departure = system->departure.at,
                                   .states = system->states.at};
    FrictionImpactReport report =
        friction_impact(event->friction->contacts->solver, &impact, &answer);
    base_free(restitution);
    base_free(newton);
    return report;
}

// ---- The answer.

static void keep(ContactEvent *event, const FrictionImpactReport *report)
{
    SlidingSystem *system = event->friction->system;
    VelocityJump *jump = event->jump;
    sliding_system_motion(system, event->after, NULL);
    jump->solved = true;
    jump->impact.passes = 1;
    jump->impact.ended = true;
    jump->impact.energy_lost = -report->energy;
    jump->impact.contact.outcome = SOLVE_DONE;
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        contact->impulse = system->forces.at[system->begins.at[i]];
        contact->before = contact_set_rate(&event->touching, i, event->before, NULL);
        contact->after = system->rates.at[system->begins.at[i]];
        event->answer->lambda[i] = contact->impulse;
    }
    // What an impact leaves of a speed may be all that there is.
    for (size_t at = 0; at < system->contacts.count; at++)
        if (system->which.at[at] != SIZE_MAX && system->states.at[at].mode == FRICTION_STICKS)
            event->friction->stopped[system->which.at[at]] = true;
}

static void refuse(ContactEvent *event, const FrictionImpactReport *report)
{
    Text *text = impact_refuse(event, NULL, NULL);
    switch (report->outcome) {
    case SOLVE_NO_SOLUTION:
        text_add(text, " has no solution: no percussions within the cones of friction meet its "
                       "law");
        return;
    case SOLVE_SEVERAL:
        text_addf(text, " has %zu solutions with friction; the motion is not determined",
                  report->solutions);
        return;
    default: text_add(text, " with friction cannot be decided: rounding hides its end"); return;
    }
}

// A force that holds the reaction of what is struck would jump with its percussion.
static bool strikes_forces(const ContactEvent *event)
{
    const FrictionContacts *contacts = event->friction->contacts;
    for (size_t i = 0; i < event->at.count; i++)
        if (event->at.at[i].impulse > 0 && friction_share_of_side(contacts, event->at.at[i].index))
            return true;
    return false;
}

// Whether percussions act along rows that are the same before and after them.
static bool is_linear(const ContactEvent *event)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    return !matrices->bent && matrices->plain >= matrices->ideal &&
           !friction_turns_sides(event->friction->contacts);
}

static void revise(ContactEvent *event, const double *impulse)
{
    FrictionEvent *friction = event->friction;
    SaidLaws said = laws_of(event);
    const SystemMatrices *matrices = event->contacts->matrices;
    if (!friction)
        return;
    if (!said.friction && !said.poisson) {
        if (strikes_forces(event))
            text_add(impact_refuse(event, NULL, NULL),
                     " makes a percussion whose reaction a force holds, and what that force does "
                     "in an impact is not known; let it hold no reaction, or write 'friction'");
        return;
    }
    if (!is_linear(event)) {
        text_add(impact_refuse(event, said.first, NULL),
                 " with friction beside forces that hold reactions, or conditions that hold "
                 "velocities not linearly, cannot be solved by this version");
        return;
    }
    friction_contacts_evaluate(friction->contacts, matrices->state);
    if (sliding_system_begin(friction->system, friction->contacts, matrices, event->before, impulse,
                             NULL) != SOLVE_DONE) {
        text_add(impact_refuse(event, said.first, NULL),
                 " with friction cannot be solved: the inertia is not positive");
        return;
    }
    gather(event, friction->system);
    bool mixed = said.newton && said.poisson;
    FrictionImpactReport report =
        solve(event, said.newton && !mixed ? FRICTION_NEWTON : FRICTION_POISSON, mixed, false);
    if (report.outcome != SOLVE_DONE) {
        refuse(event, &report);
        return;
    }
    double size = 0;
    for (size_t j = 0; j < matrices->n; j++)
        size += fabs(event->before[j] * friction->system->momentum[j]);
    keep(event, &report);
    if (said.newton && report.work > TOL_CONDITION * size)
        text_addf(impact_refuse(event, said.first, said.first),
                  " by Newton's law would add the energy %.6g; 'law poisson' never does",
                  report.work);
}

bool friction_jump(ContactEvent *event)
{
    FrictionEvent *friction = event->friction;
    const SystemMatrices *matrices = event->contacts->matrices;
    size_t rubbing = 0;
    for (size_t i = 0; i < event->at.count; i++)
        rubbing += friction_of_side(friction->contacts, event->at.at[i].index) != SIZE_MAX;
    if (rubbing != 1 || event->at.count != 1 || !is_linear(event))
        return false;
    memcpy(event->before, event->after, matrices->n * sizeof *event->before);
    friction_contacts_evaluate(friction->contacts, matrices->state);
    if (sliding_system_begin(friction->system, friction->contacts, matrices, event->before, NULL,
                             NULL) != SOLVE_DONE)
        return false;
    gather(event, friction->system);
    FrictionImpactReport report = solve(event, FRICTION_POISSON, false, true);
    if (report.outcome != SOLVE_DONE)
        return false;
    keep(event, &report);
    event->impact = true;
    event->energy_lost = -report.energy;
    friction->jumped = true;
    return true;
}

const ImpactModule impact_friction = {.applies = applies, .revise = revise};

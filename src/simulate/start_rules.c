// start_rules.c: the contacts at the start by other ways, for who shows them: Ostrogradsky's rule,
// Mayer's procedure, combinations of stick and slip.
#include "base/diag.h"
#include "contact/contact.h"
#include "contact/friction_trials.h"
#include "contact/mayer.h"
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "simulate/contact_event_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/sliding_system_impl.h"
#include "simulate/run_sides.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void start_contacts_rule(StartContacts *contacts)
{
    RunSides *told = contacts->told;
    // The rule knows no friction.
    if (told->kept == 0 || contacts->friction)
        return;
    const ContactSet *kept = &contacts->event->kept;
    assert(kept->which.count == told->kept);
    matrices_evaluate(contacts->matrices);
    ContactProblem problem = contact_set_problem(kept, contacts->matrices);
    ContactAnswer answer = {.accelerations = real_alloc(contacts->arena, contacts->matrices->n),
                            .lambda = real_alloc(contacts->arena, told->kept),
                            .rates = real_alloc(contacts->arena, told->kept),
                            .acting = arena_array(contacts->arena, bool, told->kept)};
    bool solved = contact_ostrogradsky(contacts->solver, &problem, contacts->matrices->state->a,
                                       &answer, &told->rule_differs)
                      .outcome == SOLVE_DONE;
    told->rule_a = solved ? answer.accelerations : NULL;
    for (size_t i = 0; i < told->kept; i++) {
        RunSide *side = &contacts->at[kept->which.at[i]];
        side->rule_acts = answer.acting[i];
        side->rule_lambda = solved ? answer.lambda[i] : 0;
        side->rule_acceleration = solved ? answer.rates[i] : 0;
    }
}

// With friction: every combination of stick and slip, as the instant was put together.
static Status start_contacts_trials(StartContacts *contacts, Diag *diag)
{
    RunSides *told = contacts->told;
    const FrictionEvent *friction = contacts->event->friction;
    SlidingSystem *system = friction->system;
    Arena *arena = contacts->arena;
    size_t count = told->contact_count = system->contacts.count;
    FrictionTrials *trials = arena_array(arena, FrictionTrials, 1);
    told->trials = trials;
    told->mayer = NULL;
    if (count == 0)
        return STATUS_OK;
    // To put the problem together again empties the answer.
    FrictionState *states = arena_array(arena, FrictionState, count);
    memcpy(states, system->states.at, count * sizeof *states);
    FrictionProblem problem = sliding_system_problem(system);
    *trials = friction_trials(arena, &problem, states, friction->solutions);
    if (trials->count == 0)
        return diag_error(
            diag, place_none(),
            "%zu contacts have more combinations of stick and slip than are tried one "
            "by one; the instant itself is found without them",
            count);
    const char **names = arena_array(arena, const char *, count);
    size_t *rows = arena_array(arena, size_t, count);
    unsigned char *normals = arena_alloc(arena, 2 * count), *tangents = normals + count;
    for (size_t l = 0; l < count; l++) {
        size_t which = system->which.at[l];
        names[l] = which != SIZE_MAX ? friction->contacts->motion->frictions[which].friction->name
                                     : system->by.at[l]->name;
        rows[l] = system->begins.at[l];
        normals[l] = system->contacts.at[l].normals;
        tangents[l] = system->contacts.at[l].tangents;
    }
    told->contact_names = names;
    told->contact_rows = rows;
    told->contact_normals = normals;
    told->contact_tangents = tangents;
    return STATUS_OK;
}

Status start_contacts_mayer(StartContacts *contacts, Diag *diag)
{
    assert(contacts->event && contacts->told);
    static const MayerProcedure none;
    contacts->told->mayer = &none;
    if (contacts->friction)
        return start_contacts_trials(contacts, diag);
    if (contacts->told->kept == 0)
        return STATUS_OK;
    const ContactSet *kept = &contacts->event->kept;
    const double *a = contacts->matrices->state->a;
    size_t n = contacts->matrices->n;
    matrices_evaluate(contacts->matrices);
    ContactProblem problem = contact_set_problem(kept, contacts->matrices);
    const MayerProcedure *mayer = contacts->told->mayer = contact_mayer(contacts->arena, &problem);
    if (!mayer->found && kept->which.count > LIMIT_SETS)
        return STATUS_OK;
    for (size_t i = 0; i < n; i++)
        if (!mayer->found || !(fabs(mayer->accelerations[i] - a[i]) <= TOL_AGREEMENT * mayer->size))
            return diag_error(diag, place_none(),
                              "Mayer's procedure does not come to the accelerations of 'zwang at': "
                              "the conditions that touch are too nearly dependent for it");
    return STATUS_OK;
}

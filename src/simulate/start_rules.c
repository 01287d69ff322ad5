// start_rules.c: the contacts at the start by other ways, for who shows them: Ostrogradsky's rule,
// Mayer's procedure.
#include "base/diag.h"
#include "contact/contact.h"
#include "contact/mayer.h"
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/run_sides.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>

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

Status start_contacts_mayer(StartContacts *contacts, Diag *diag)
{
    assert(contacts->event && contacts->told);
    static const MayerProcedure none;
    contacts->told->mayer = &none;
    if (contacts->friction)
        return diag_error(diag, place_none(),
                          "Mayer's procedure is one of contacts without friction; the instant "
                          "itself is found without it");
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

// second_class_impact.c: impacts of systems with a condition that is not affine in the
// accelerations. It does not say what these are where they grow without bound.
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/start_contacts_impl.h"

static bool applies(const SystemMatrices *matrices)
{
    return !motion_is_affine(matrices->eq->motion);
}

static void refuse(ContactEvent *event, const double *impulse)
{
    (void)impulse;
    const Motion *motion = event->contacts->matrices->eq->motion;
    bool curved = motion->affine_count < motion->second_count;
    const ModelConstraint *condition =
        curved ? motion->seconds[motion->affine_count].row.constraint : NULL;
    if (event->jump->solved && !curved)
        text_add(impact_refuse(event, NULL, NULL),
                 " comes to an energy of acceleration that is not quadratic and does not say what "
                 "the accelerations are where they grow without bound");
    else if (event->jump->solved)
        text_addf(impact_refuse(event, condition, NULL),
                  " comes to '%s', which is not affine in the accelerations and does not say what "
                  "these are where they grow without bound",
                  condition->name);
}

const ImpactModule impact_second_class = {applies, refuse};

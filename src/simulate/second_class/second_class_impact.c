// second_class_impact.c: impacts of systems with a condition that is not affine in the
// accelerations. It does not say what these are where they grow without bound.
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>

static bool applies(const SystemMatrices *matrices)
{
    return !motion_is_affine(matrices->eq->motion);
}

static void refuse(ContactEvent *event, const double *impulse)
{
    (void)impulse;
    const Motion *motion = event->contacts->matrices->eq->motion;
    VelocityJump *jump = event->jump;
    if (!jump->solved)
        return;
    jump->solved = false;
    jump->module = &impact_second_class;
    jump->condition = motion->seconds[motion->affine_count].row.constraint;
}

static void add_reason(const VelocityJump *jump, Text *text)
{
    assert(jump->condition);
    impact_add_cause(jump, text);
    text_addf(text,
              " comes to '%s', which is not affine in the accelerations and does not say what "
              "these are where they grow without bound",
              jump->condition->name);
}

const ImpactModule impact_second_class = {applies, refuse, add_reason};

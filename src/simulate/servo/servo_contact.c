// servo_contact.c: contacts and impacts of systems with servos.
//
// The force of a servo is finite, as no reaction needs to be. It does nothing in an impact, and
// what it keeps has to outlast the impact by itself.
#include "base/text_builder.h"
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_event_parts_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>

// ---- Contacts.

// "while 'a', 'b' touch, "
static void add_touching(const ContactEvent *event, Text *text)
{
    const ContactSet *set = event->asked;
    text_add(text, "while ");
    for (size_t i = 0; i < set->which.count; i++)
        text_addf(text, "%s'%s'", i > 0 ? ", " : "",
                  unilaterals_condition(event->contacts->unilaterals, set->which.at[i])->name);
    text_add(text, set->which.count == 1 ? " touches, " : " touch, ");
}

void servo_add_contact_reason(const ContactEvent *event, const ContactReport *report, Text *text)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    const ContactSet *set = event->asked;
    const Equations *eq = matrices->eq;
    assert(matrices->plain < matrices->m);
    if (report->outcome == SOLVE_UNCONTROLLABLE) {
        modules_add_reason(eq, matrices->state, DYNAMICS_SERVO, text);
        return;
    }
    if (report->outcome == SOLVE_TOO_MANY) {
        text_addf(text,
                  "%zu one-sided conditions touch at once in a system with servos; these are too "
                  "many to try which of them act",
                  set->which.count);
        return;
    }
    add_touching(event, text);
    if (report->outcome == SOLVE_NO_SOLUTION)
        text_add(text, "no consistent contact forces exist: the servos cancel every push, or a "
                       "contact would have to pull");
    else
        text_add(text, "the contact forces are not unique: the servos respond to a push so that "
                       "it sustains itself, and nothing decides whether it is there");
}

// ---- Impacts.

static bool applies(const SystemMatrices *matrices)
{
    return matrices->ideal < matrices->m;
}

// Whether the conditions that servos keep hold with the velocities after the impact.
static void check(ContactEvent *event, const double *impulse)
{
    (void)impulse;
    const SystemMatrices *matrices = event->contacts->matrices;
    if (!event->jump->solved)
        return;
    event_evaluate(event, event->after);
    for (size_t i = matrices->ideal; i < matrices->m && event->jump->solved; i++) {
        double terms;
        double miss = sparse_row_times(&matrices->rows, i, event->after, matrices->c[i], &terms);
        const ModelConstraint *servo = matrices_condition(matrices, i);
        if (servo->hidden && servo->hidden->servo_count > 0)
            servo = &matrices->eq->motion->model->constraints.at[servo->hidden->servos[0]];
        if (!(fabs(miss) <= TOL_CONDITION * terms))
            text_addf(impact_refuse(event, servo, NULL),
                      " breaks what the servo '%s' keeps: its force is finite and does nothing in "
                      "an impact; a constraint in its place would have its part in it",
                      servo->name);
    }
    event_evaluate(event, event->before);
}

const ImpactModule impact_servo = {applies, check};

// servo_failure.c: where the forces of servos cannot keep their conditions, in words.
#include "base/diag.h"
#include "base/strings.h"
#include "dynamics/dynamics.h"
#include "dynamics/start.h"
#include "model/constraint.h"
#include "motion/motion_types.h"

#include <assert.h>

void servos_add_reason(const Equations *eq, const State *state, Text *text)
{
    assert(eq->motion->servos > 0);
    const Motion *motion = eq->motion;
    bool several = motion->servos > 1;
    const char *before = several ? "the servos " : "the servo ";
    for (size_t i = 0; i < eq->m; i++)
        if (motion->rows[i].servo) {
            text_addf(text, "%s'%s'", before, motion->rows[i].constraint->name);
            before = ", ";
        }
    text_addf(text, " cannot keep %s at ", several ? "their conditions" : "its condition");
    state_add_held(eq, state, motion->q, eq->n, text);
    text_addf(text,
              ": the acceleration that %s asked for is one that the force%s cannot give there, the "
              "other conditions being respected (g·M⁻¹·d is singular)",
              several ? "they are" : "it is", several ? "s" : "");
}

Status servos_fail(const Equations *eq, const State *state, Diag *diag)
{
    Text text = {0};
    const MotionRow *first = eq->motion->rows;
    while (!first->servo)
        first++;
    servos_add_reason(eq, state, &text);
    diag_error(diag, first->constraint->place,
               "at the start %s; start elsewhere, or give the force another direction or place",
               text.at);
    text_clear(&text);
    return STATUS_WRONG;
}

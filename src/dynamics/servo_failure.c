// servo_failure.c: where the forces of servos cannot keep their conditions, in words.
#include "base/diag.h"
#include "base/strings.h"
#include "dynamics/dynamics.h"
#include "dynamics/start.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>

static Place name_them(const Equations *eq, Text *text)
{
    assert(eq->motion->servos > 0);
    const Motion *motion = eq->motion;
    Place place = place_none();
    size_t told = 0;
    for (size_t i = 0; i < eq->m; i++) {
        const MotionRow *row = &motion->rows[i];
        if (!row->servo)
            continue;
        if (told == 0)
            place = row->constraint->place;
        text_addf(text, "%s'%s'",
                  told++               ? ", "
                  : motion->servos > 1 ? "the servos "
                                       : "the servo ",
                  row->constraint->name);
    }
    text_add(text,
             motion->servos > 1 ? " cannot keep their conditions" : " cannot keep its condition");
    return place;
}

static void add_state(const Equations *eq, const State *state, Text *text)
{
    size_t count = eq->n < LIMIT_SETS ? eq->n : LIMIT_SETS;
    for (size_t i = 0; i < count; i++)
        text_addf(text, "%s%s = %.6g", i ? ", " : "", eq->motion->model->coords.at[i].name,
                  state->q[i]);
    text_add(text, count < eq->n ? ", …" : "");
}

static void add_why(const Equations *eq, Text *text)
{
    bool several = eq->motion->servos > 1;
    text_addf(text,
              ": the acceleration that %s asked for is one that the force%s cannot give there, the "
              "other conditions being respected (g·M⁻¹·d is singular)",
              several ? "they are" : "it is", several ? "s" : "");
}

void servos_add_reason(const Equations *eq, const State *state, Text *text)
{
    name_them(eq, text);
    text_add(text, " at ");
    add_state(eq, state, text);
    add_why(eq, text);
}

Status servos_fail(const Equations *eq, const State *state, Diag *diag)
{
    Text text = {0};
    text_add(&text, "at the start (");
    add_state(eq, state, &text);
    text_add(&text, ") ");
    Place place = name_them(eq, &text);
    add_why(eq, &text);
    diag_error(diag, place, "%s; start elsewhere, or give the force another direction or place",
               text.at);
    text_clear(&text);
    return STATUS_WRONG;
}

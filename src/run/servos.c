// servos.c: where the forces of servos cannot keep their conditions, in words.
#include "run/run_impl.h"

// Up to so many coordinates a state is told whole.
enum { MOST_TOLD = 8 };

static Place name_them(const Numbers *numbers, Text *text)
{
    const Motion *motion = numbers->motion;
    Place place = place_none();
    size_t told = 0;
    for (size_t i = 0; i < numbers->m; i++) {
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

static void add_state(const Numbers *numbers, Text *text)
{
    size_t count = numbers->n < MOST_TOLD ? numbers->n : MOST_TOLD;
    for (size_t i = 0; i < count; i++)
        text_addf(text, "%s%s = %.6g", i ? ", " : "", numbers->motion->model->coords.at[i].name,
                  numbers->q[i]);
    text_add(text, count < numbers->n ? ", …" : "");
}

static void add_why(const Numbers *numbers, Text *text)
{
    bool several = numbers->motion->servos > 1;
    text_addf(text,
              ": the acceleration that %s asked for is one that the force%s cannot give there, the "
              "other conditions being respected (g·M⁻¹·d is singular)",
              several ? "they are" : "it is", several ? "s" : "");
}

void servos_add_reason(const Numbers *numbers, Text *text)
{
    name_them(numbers, text);
    text_add(text, " at ");
    add_state(numbers, text);
    add_why(numbers, text);
}

Status servos_fail(const Numbers *numbers, Diag *diag)
{
    Text text = {0};
    text_add(&text, "at the start (");
    add_state(numbers, &text);
    text_add(&text, ") ");
    Place place = name_them(numbers, &text);
    add_why(numbers, &text);
    diag_error(diag, place, "%s; start elsewhere, or give the force another direction or place",
               text.at);
    text_clear(&text);
    return STATUS_WRONG;
}

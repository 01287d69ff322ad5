// extras.c: statements that are checked and kept for later: percussions.
#include "model/model_impl.h"

bool elaborate_impulse(Elaborator *e, ModelImpulse *impulse)
{
    *impulse = (ModelImpulse){.place = syntax_statement_place(e->syntax, e->statement)};
    const Part *along = statement_part(e, PART_ALONG), *when = statement_part(e, PART_WHEN);
    bool good = !when || elaborate_measure(e, when, LEVEL_PARAM, "the instant of an impulse",
                                           dim_of(0, 0, 1), &impulse->when, NULL);
    if (along) {
        impulse->along = true;
        const Part *value = statement_part(e, PART_VALUE);
        Dim dim;
        good = elaborate_measure(e, value, LEVEL_VELOCITY, "an impulse", dim_any(),
                                 &impulse->amount, &dim) &&
               good;
        const NameEntry *entry = elaborate_along(e, along, "an impulse", true);
        good = entry && dim_check_along(e, entry, dim, -1, value, "impulse") && good;
        impulse->on_speed = entry && entry->kind == NAME_SPEED;
        impulse->target = entry ? entry->index : 0;
    } else {
        good = elaborate_directed(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "an impulse",
                                  dim_of(1, 1, -1), &impulse->impulse, NULL) &&
               good;
        good = elaborate_load_point(e, "an impulse", &impulse->point) && good;
    }
    return good;
}

bool read_impulse(Elaborator *e)
{
    ModelImpulse impulse;
    bool good = elaborate_impulse(e, &impulse);
    if (good)
        array_push(&e->model->impulses, impulse);
    return good;
}

// extras.c: statements that are checked and kept for later: percussions.
#include "model/model_impl.h"

bool elaborate_impulse(Elaborator *e, ModelImpulse *impulse)
{
    *impulse = (ModelImpulse){.place = syntax_statement_place(e->syntax, e->statement)};
    const Part *along = statement_part(e, PART_ALONG), *when = statement_part(e, PART_WHEN);
    bool good = !when ||
                elaborate_scalar(e, when, LEVEL_PARAM, "the instant of an impulse", &impulse->when);
    if (along) {
        impulse->along = true;
        good = elaborate_scalar(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "an impulse",
                                &impulse->amount) &&
               good;
        const NameEntry *entry = elaborate_along(e, along, "an impulse", true);
        good = good && entry;
        impulse->on_speed = entry && entry->kind == NAME_SPEED;
        impulse->target = entry ? entry->index : 0;
    } else {
        good = elaborate_vector(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "an impulse",
                                &impulse->impulse) &&
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

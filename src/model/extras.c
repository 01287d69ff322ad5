// extras.c: statements that are checked and kept for later: percussions, and lines of a picture.
#include "model/model_impl.h"

// ---- Percussions.

bool read_impulse(Elaborator *e)
{
    ModelImpulse impulse = {.place = syntax_statement_place(e->syntax, e->statement)};
    const Part *along = statement_part(e, PART_ALONG);
    bool good = elaborate_scalar(e, statement_part(e, PART_WHEN), LEVEL_PARAM,
                                 "the instant of an impulse", &impulse.when);
    if (along) {
        impulse.along = true;
        good = elaborate_scalar(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "an impulse",
                                &impulse.amount) &&
               good;
        const NameEntry *entry = elaborate_along(e, along, "an impulse");
        good = good && entry;
        impulse.on_speed = entry && entry->kind == NAME_SPEED;
        impulse.target = entry ? entry->index : 0;
    } else {
        good = elaborate_vector(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "an impulse",
                                &impulse.impulse) &&
               good;
        good = elaborate_point(e, statement_part(e, PART_AT), LEVEL_PLACE,
                               "the point of an impulse", &impulse.position) &&
               good;
    }
    if (good)
        array_push(&e->model->impulses, impulse);
    return good;
}

// ---- Pictures.

static bool read_plane(Elaborator *e, ModelDraw *draw)
{
    const Part *left = statement_part(e, PART_LEFT);
    const Node *node = &e->syntax->nodes.at[left->span.root];
    Str name = node->kind == NODE_NAME ? syntax_name(e->syntax, node->name) : (Str){0};
    draw->plane_axis = str_is(name, "x") ? 0 : str_is(name, "y") ? 1 : str_is(name, "z") ? 2 : -1;
    if (draw->plane_axis < 0)
        return elaborate_fail(e, syntax_part_place(e->syntax, left),
                              "a plane is drawn as x, y or z = a height");
    return elaborate_scalar(e, statement_part(e, PART_EQUAL), LEVEL_TIME, "the height of a plane",
                            &draw->plane);
}

// Points behind `trace` and `line`.
static bool read_ends(Elaborator *e, ModelDraw *draw)
{
    Vector *ends[] = {&draw->first, &draw->second};
    size_t count = 0;
    bool good = true;
    for (uint32_t i = 0; i < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        if (part->role == PART_VALUE && count < 2)
            good = elaborate_point(e, part, LEVEL_PLACE, "what is drawn", ends[count++]) && good;
    }
    return good;
}

static bool read_clauses(Elaborator *e, ModelDraw *draw)
{
    const Part *at = statement_part(e, PART_AT), *axis = statement_part(e, PART_AXIS);
    const Part *radius = statement_part(e, PART_RADIUS), *size = statement_part(e, PART_SIZE);
    const Part *frame = statement_part(e, PART_FRAME);
    Value axes;
    bool good = true;
    if (at)
        good = elaborate_point(e, at, LEVEL_PLACE, "the middle of a shape", &draw->first) && good;
    if (axis)
        good = elaborate_vector(e, axis, LEVEL_PLACE, "the axis of a shape", &draw->axis) && good;
    if (radius)
        good = elaborate_scalar(e, radius, LEVEL_PLACE, "a radius", &draw->radius) && good;
    if (size)
        good = elaborate_vector(e, size, LEVEL_PLACE, "a size", &draw->size) && good;
    if (frame) {
        good = elaborate_frame(e, frame, "the frame of a shape", &axes) && good;
        draw->frame = axes.frame;
    }
    return good;
}

bool read_draw(Elaborator *e)
{
    const Part *shape = statement_part(e, PART_SHAPE);
    Str word = syntax_text(e->syntax, shape->start, shape->length);
    ModelDraw draw = {.place = syntax_statement_place(e->syntax, e->statement)};
    draw.shape = arena_copy_text(e->arena, word.at, word.length);
    bool good = str_is(word, "plane") ? read_plane(e, &draw)
                : str_is(word, "trace") || str_is(word, "line") ? read_ends(e, &draw)
                                                                : read_clauses(e, &draw);
    if (good)
        array_push(&e->model->draws, draw);
    return good;
}

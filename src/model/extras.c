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
        const NameEntry *entry = elaborate_along(e, along, "an impulse", true);
        good = good && entry;
        impulse.on_speed = entry && entry->kind == NAME_SPEED;
        impulse.target = entry ? entry->index : 0;
    } else {
        good = elaborate_vector(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "an impulse",
                                &impulse.impulse) &&
               good;
        good = elaborate_load_point(e, "an impulse", &impulse.point) && good;
    }
    if (good)
        array_push(&e->model->impulses, impulse);
    return good;
}

// ---- Pictures.

static bool read_plane(Elaborator *e, ModelDraw *draw)
{
    const Part *left = statement_part(e, PART_LEFT);
    draw->plane_axis = bare_axis(e, left->span.root);
    if (draw->plane_axis < 0)
        return elaborate_fail(e, syntax_part_place(e->syntax, left),
                              "a plane is drawn by an axis and a height, as in 'draw plane z = 0'");
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

// Which clauses a shape has; each must be there.
static const struct {
    const char *shape;
    PartRole clauses[3]; // PART_NAME ends the list
} shapes[] = {
    {"disc", {PART_AT, PART_AXIS, PART_RADIUS}},
    {"sphere", {PART_AT, PART_RADIUS, PART_NAME}},
    {"box", {PART_AT, PART_FRAME, PART_SIZE}},
};

static bool check_clauses(Elaborator *e, Str shape)
{
    static const struct {
        PartRole role;
        const char *word;
    } words[] = {{PART_AT, "at"},
                 {PART_AXIS, "axis"},
                 {PART_RADIUS, "radius"},
                 {PART_FRAME, "frame"},
                 {PART_SIZE, "size"}};
    size_t row = 0;
    while (!str_is(shape, shapes[row].shape))
        row++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const Part *part = statement_part(e, words[i].role);
        bool wanted = false;
        for (int j = 0; j < 3; j++)
            wanted = wanted || shapes[row].clauses[j] == words[i].role;
        if (wanted && !part)
            return elaborate_fail(e, syntax_statement_place(e->syntax, e->statement),
                                  "'%s' is missing in the drawing of a %s", words[i].word,
                                  shapes[row].shape);
        if (!wanted && part)
            return elaborate_fail(e, syntax_part_place(e->syntax, part), "a %s has no '%s'",
                                  shapes[row].shape, words[i].word);
    }
    return true;
}

static bool read_clauses(Elaborator *e, ModelDraw *draw, Str shape)
{
    const Part *axis = statement_part(e, PART_AXIS), *radius = statement_part(e, PART_RADIUS);
    const Part *size = statement_part(e, PART_SIZE), *frame = statement_part(e, PART_FRAME);
    if (!check_clauses(e, shape))
        return false;
    bool good = elaborate_point(e, statement_part(e, PART_AT), LEVEL_PLACE, "the middle of a shape",
                                &draw->first);
    if (axis)
        good = elaborate_vector(e, axis, LEVEL_PLACE, "the axis of a shape", &draw->axis) && good;
    if (radius)
        good = elaborate_scalar(e, radius, LEVEL_PLACE, "a radius", &draw->radius) && good;
    if (size)
        good = elaborate_vector(e, size, LEVEL_PLACE, "a size", &draw->size) && good;
    if (frame) {
        Value axes;
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
    bool good = str_is(word, "plane")                           ? read_plane(e, &draw)
                : str_is(word, "trace") || str_is(word, "line") ? read_ends(e, &draw)
                                                                : read_clauses(e, &draw, word);
    if (good)
        array_push(&e->model->draws, draw);
    return good;
}

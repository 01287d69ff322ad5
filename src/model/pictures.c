// pictures.c: lines of `draw`, checked and kept. What they show is in show/scene.c.
#include "model/model_impl.h"

#include <string.h>
#include <strings.h>

// ---- Colours.

static const struct {
    const char *word;
    uint32_t value;
} colours[] = {
#define COLOUR(word, value) {word, value},
#include "model/colours.def"
#undef COLOUR
};
enum { COLOURS = sizeof colours / sizeof *colours };

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// #rgb or #rrggbb.
static bool read_hex(Str text, uint32_t *value)
{
    if ((text.length != 4 && text.length != 7) || text.at[0] != '#')
        return false;
    *value = 0;
    for (size_t i = 1; i < text.length; i++) {
        int digit = hex_digit(text.at[i]);
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
        if (text.length == 4)
            *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

static bool find_colour(Str word, uint32_t *value)
{
    for (size_t i = 0; i < COLOURS; i++)
        if (strlen(colours[i].word) == word.length &&
            strncasecmp(colours[i].word, word.at, word.length) == 0) {
            *value = colours[i].value;
            return true;
        }
    return false;
}

static bool read_colour(Elaborator *e, const Part *part, ModelDraw *draw)
{
    Str word = syntax_text(e->syntax, part->start, part->length);
    draw->has_colour = true;
    if (read_hex(word, &draw->colour) || find_colour(word, &draw->colour))
        return true;
    Str candidates[COLOURS];
    for (size_t i = 0; i < COLOURS; i++)
        candidates[i] = str_of(colours[i].word);
    ptrdiff_t nearest = str_nearest(word, candidates, COLOURS);
    Place place = syntax_part_place(e->syntax, part);
    if (nearest >= 0)
        return elaborate_fail(e, place, "unknown colour '%s'; did you mean '%s'?",
                              text_shown(word).at, colours[nearest].word);
    return elaborate_fail(e, place,
                          "unknown colour '%s'; write a name of CSS, such as red, or \"#c00\"",
                          text_shown(word).at);
}

// ---- Heads.

static bool read_plane(Elaborator *e, ModelDraw *draw)
{
    const Part *left = statement_part(e, PART_LEFT);
    const char *word = draw_shape_word(draw->shape);
    draw->plane_axis = bare_axis(e, left->span.root);
    if (draw->plane_axis < 0)
        return elaborate_fail(e, syntax_part_place(e->syntax, left),
                              "a %s is drawn by an axis and a height, as in 'draw %s z = 0'", word,
                              word);
    Text what = {0};
    text_addf(&what, "the height of a %s", word);
    bool good = elaborate_measure(e, statement_part(e, PART_EQUAL), LEVEL_TIME, what.at,
                                  dim_of(0, 1, 0), &draw->plane, NULL);
    text_clear(&what);
    return good;
}

// The points of `trace`, `line`, `spring` and `polygon`.
static bool read_points(Elaborator *e, ModelDraw *draw)
{
    Vector *points = arena_alloc(e->arena, (e->statement->count + 1) * sizeof *points);
    bool good = true;
    for (uint32_t i = 0; i < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        if (part->role != PART_VALUE)
            continue;
        Vector *point = &points[draw->point_count++];
        good = elaborate_point(e, part, LEVEL_VELOCITY, "what is drawn", point) && good;
    }
    draw->points = points;
    draw->first = points[0];
    draw->second = draw->point_count > 1 ? points[1] : (Vector){0};
    return good;
}

static bool read_axes(Elaborator *e, ModelDraw *draw)
{
    Value axes;
    if (!elaborate_frame(e, statement_part(e, PART_VALUE), "what has axes", &axes))
        return false;
    draw->frame = axes.frame;
    draw->has_frame = true;
    return true;
}

static bool read_curve(Elaborator *e, ModelDraw *draw)
{
    const Part *name = statement_part(e, PART_NAME);
    Dim low, dim;
    bool good = elaborate_measure(e, statement_part(e, PART_LOW), LEVEL_PARAM,
                                  "where a curve begins", dim_any(), &draw->low, &low);
    good = elaborate_measure(e, statement_part(e, PART_HIGH), LEVEL_PARAM, "where a curve ends",
                             low, &draw->high, &dim) &&
           good;
    draw->variable = expr_symbol_new(e->pool, "curve");
    Str word = syntax_name(e->syntax, e->syntax->nodes.at[name->span.root].name);
    array_push(&e->arguments, ((Argument){word, draw->variable, dim_either(low, dim)}));
    good = elaborate_point(e, statement_part(e, PART_VALUE), LEVEL_PLACE, "a point of a curve",
                           &draw->first) &&
           good;
    e->arguments.count = 0;
    return good;
}

// An equation in the place's own x, y and z.
static bool read_equation(Elaborator *e, const Part *right, ModelDraw *draw)
{
    static const char *const axes[] = {"x", "y", "z"};
    Expr left, other;
    for (int i = 0; i < 3; i++) {
        draw->xyz[i] = expr_symbol_new(e->pool, axes[i]);
        array_push(&e->arguments, ((Argument){str_of(axes[i]), draw->xyz[i], dim_of(0, 1, 0)}));
    }
    const char *what = "a surface";
    Dim dims[2];
    bool good = elaborate_measure(e, statement_part(e, PART_LEFT), LEVEL_PARAM, what, dim_any(),
                                  &left, &dims[0]);
    good = elaborate_measure(e, right, LEVEL_PARAM, what, dim_any(), &other, &dims[1]) && good;
    good = good &&
           dim_check_sides(e, dims[0], dims[1], syntax_part_place(e->syntax, right), "a surface");
    e->arguments.count = 0;
    if (!good)
        return false;
    draw->residual = expr_sub(e->pool, left, other);
    for (int i = 0; i < 3; i++)
        if (expr_holds(e->pool, draw->residual, draw->xyz[i]))
            return true;
    return elaborate_fail(e, syntax_part_place(e->syntax, statement_part(e, PART_LEFT)),
                          "a surface is an equation in x, y and z, and this one holds none of "
                          "them");
}

static bool read_surface(Elaborator *e, ModelDraw *draw)
{
    static const PartRole sides[] = {PART_EQUAL, PART_AT_MOST, PART_AT_LEAST};
    const Part *left = statement_part(e, PART_LEFT);
    for (int i = 0; i < 3; i++) {
        // The relation of the head stands right behind its left side; others are of `while`.
        const Part *right = left + 1;
        if (left + 1 < e->syntax->parts.at + e->statement->first + e->statement->count &&
            right->role == sides[i])
            return read_equation(e, right, draw);
    }
    NodeKind kind = e->syntax->nodes.at[left->span.root].kind;
    draw->text_place = syntax_part_place(e->syntax, left);
    if (kind != NODE_NAME && kind != NODE_INDEX)
        return elaborate_fail(e, draw->text_place,
                              "a surface is that of a constraint, by its name, or an equation in "
                              "x, y and z");
    Target target;
    if (!elaborate_target(e, left, &target))
        return false;
    draw->text = parts_label(e, names_full(e, target.base, target.low, target.rank).at);
    return true;
}

static bool read_text(Elaborator *e, ModelDraw *draw)
{
    const Part *part = statement_part(e, PART_TITLE);
    Str text = syntax_text(e->syntax, part->start, part->length);
    draw->text = arena_copy_text(e->arena, text.at, text.length);
    draw->text_place = syntax_part_place(e->syntax, part);
    if (draw->shape != DRAW_MESH)
        return true;
    bool known = text.length > 4 && (strcasecmp(draw->text + text.length - 4, ".stl") == 0 ||
                                     strcasecmp(draw->text + text.length - 4, ".obj") == 0);
    return known || elaborate_fail(e, draw->text_place, "a mesh is an .stl or .obj file");
}

static bool read_head(Elaborator *e, ModelDraw *draw)
{
    switch (draw->shape) {
    case DRAW_PLANE:
    case DRAW_GROUND: return read_plane(e, draw);
    case DRAW_TRACE:
    case DRAW_LINE:
    case DRAW_SPRING:
    case DRAW_POLYGON: return read_points(e, draw);
    case DRAW_AXES: return read_axes(e, draw);
    case DRAW_CURVE: return read_curve(e, draw);
    case DRAW_SURFACE: return read_surface(e, draw);
    case DRAW_LABEL:
    case DRAW_MESH: return read_text(e, draw);
    default: return true;
    }
}

// ---- Clauses.

static bool read_shape_clauses(Elaborator *e, ModelDraw *draw)
{
    const Part *at = statement_part(e, PART_AT), *axis = statement_part(e, PART_AXIS);
    const Part *along = statement_part(e, PART_ALONG), *size = statement_part(e, PART_SIZE);
    const Part *frame = statement_part(e, PART_FRAME);
    bool good = true;
    if (at)
        good = elaborate_point(e, at, LEVEL_VELOCITY, "the place of a shape", &draw->first) && good;
    if (axis)
        good = elaborate_vector(e, axis, LEVEL_PLACE, "the axis of a shape", &draw->axis) && good;
    if (along)
        good = elaborate_vector(e, along, LEVEL_ALL, "what an arrow shows", &draw->axis) && good;
    if (size)
        good = elaborate_directed(e, size, LEVEL_PLACE, "a size", dim_of(0, 1, 0), &draw->size,
                                  NULL) &&
               good;
    if (frame) {
        Value axes;
        bool found = elaborate_frame(e, frame, "the frame of a shape", &axes);
        draw->frame = found ? axes.frame : (Frame){0};
        draw->has_frame = true;
        good = found && good;
    }
    return good;
}

static bool read_numbers(Elaborator *e, ModelDraw *draw)
{
    const struct {
        PartRole role;
        Level level;
        const char *what;
        Expr *value;
        bool length; // else a pure number
    } numbers[] = {{PART_RADIUS, LEVEL_PLACE, "a radius", &draw->radius, true},
                   {PART_LENGTH, LEVEL_PLACE, "a length", &draw->length, true},
                   {PART_SCALE, LEVEL_PLACE, "a scale", &draw->scale, false},
                   {PART_TURNS, LEVEL_PARAM, "the number of turns", &draw->turns, false},
                   {PART_OPACITY, LEVEL_PARAM, "an opacity", &draw->opacity, false},
                   {PART_WIDTH, LEVEL_PARAM, "a width", &draw->width, false}};
    bool good = true;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const Part *part = statement_part(e, numbers[i].role);
        if (part)
            good = elaborate_measure(e, part, numbers[i].level, numbers[i].what,
                                     dim_of(0, numbers[i].length, 0), numbers[i].value, NULL) &&
                   good;
    }
    return good;
}

static bool read_while(Elaborator *e, ModelDraw *draw)
{
    bool good = true;
    for (uint32_t i = 0; i < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        Expr left, right;
        if (part->role != PART_WHILE)
            continue;
        const char *what = "what a drawing waits for";
        Dim dims[2];
        if (!elaborate_measure(e, part, LEVEL_VELOCITY, what, dim_any(), &left, &dims[0]) ||
            !elaborate_measure(e, part + 1, LEVEL_VELOCITY, what, dim_any(), &right, &dims[1]) ||
            !dim_check_sides(e, dims[0], dims[1], syntax_part_place(e->syntax, part + 1),
                             "a relation")) {
            good = false;
            continue;
        }
        Expr one = relation_value(e->pool, left, right, part[1].role);
        draw->visible = expr_is_none(draw->visible) ? one : expr_mul(e->pool, draw->visible, one);
    }
    return good;
}

bool read_draw(Elaborator *e)
{
    const Part *shape = statement_part(e, PART_SHAPE), *colour = statement_part(e, PART_COLOUR);
    Str word = syntax_text(e->syntax, shape->start, shape->length);
    ModelDraw draw = {.place = syntax_statement_place(e->syntax, e->statement)};
    while (!str_is(word, draw_shape_word(draw.shape)))
        draw.shape++;
    if (draw.shape == DRAW_NONE) {
        e->model->draws_alone = true;
        return true;
    }
    bool good = read_head(e, &draw);
    good = read_shape_clauses(e, &draw) && good;
    good = read_numbers(e, &draw) && good;
    good = read_while(e, &draw) && good;
    good = (!colour || read_colour(e, colour, &draw)) && good;
    if (good)
        array_push(&e->model->draws, draw);
    return good;
}

void check_draws(Elaborator *e)
{
    for (size_t i = 0; i < e->model->draws.count; i++) {
        const ModelDraw *draw = &e->model->draws.at[i];
        if (draw->shape == DRAW_SURFACE && draw->text)
            elaborate_constraint_name(e, str_of(draw->text), draw->text_place);
    }
}

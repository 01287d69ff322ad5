// picture_forces.c: reactions as arrows where they act, over everything else and in sizes of the
// screen, with a legend of their values; a ring marks a one-sided condition that acts.
#include "linalg/tolerances.h"
#include "show/picture_impl.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef struct {
    const SceneShape *shape;
    ItemStyle style;
    double size;     // of the force
    double from[2];  // where it acts, in pixels
    double along[2]; // a unit of its direction, as it is seen
    double length;   // in pixels
} Arrow;

typedef struct {
    const Camera *camera;
    Items *items;
    ARRAY(Arrow) arrows;
    ARRAY(const char *) names; // of conditions, each once
} Forces;

static ItemStyle style_of(Forces *forces, const char *name)
{
    enum { STYLES = STYLE_FORCE6 - STYLE_FORCE1 + 1 };
    size_t i = 0;
    while (i < forces->names.count && strcmp(forces->names.at[i], name) != 0)
        i++;
    if (i == forces->names.count)
        array_push(&forces->names, name);
    return (ItemStyle)(STYLE_FORCE1 + i % STYLES);
}

static void collect(Forces *forces, const SceneFrames *frames, size_t frame, const SceneView *view)
{
    const Camera *camera = forces->camera;
    double longest = 0.3 * fmin(camera->width, camera->height);
    for (size_t i = 0; i < frames->scene->shapes.count; i++) {
        const SceneShape *shape = &frames->scene->shapes.at[i];
        if (shape->kind != SCENE_FORCE)
            continue;
        // Colours count conditions, whether they act or not.
        Arrow arrow = {.shape = shape, .style = style_of(forces, shape->name)};
        const double *n = scene_numbers(frames, frame, shape);
        arrow.size = hypot(hypot(n[3], n[4]), n[5]);
        // What is less is rounding.
        if (!scene_is_drawn(frames, frame, shape) || !(arrow.size > TOL_SMALL * view->force))
            continue;
        Spot from = camera_see(camera, n);
        arrow.from[0] = from.x;
        arrow.from[1] = from.y;
        for (int j = 0; j < 3; j++) {
            arrow.along[0] += n[3 + j] * camera->right[j] / arrow.size;
            arrow.along[1] -= n[3 + j] * camera->up[j] / arrow.size;
        }
        arrow.length = fmin(arrow.size / view->usual_force, 1.5) * longest;
        array_push(&forces->arrows, arrow);
    }
}

// All are shorter by the same part where one would leave the picture.
static void fit(Forces *forces)
{
    enum { MARGIN = 8 };
    const double sides[] = {forces->camera->width, forces->camera->height}, least = 0.3;
    double part = 1;
    for (size_t i = 0; i < forces->arrows.count; i++)
        for (int j = 0; j < 2; j++) {
            const Arrow *arrow = &forces->arrows.at[i];
            double way = arrow->along[j] * arrow->length;
            double room = way > 0 ? sides[j] - MARGIN - arrow->from[j] : arrow->from[j] - MARGIN;
            if (room < fabs(way) * part)
                part = fmax(room / fabs(way), least);
        }
    for (size_t i = 0; i < forces->arrows.count; i++)
        forces->arrows.at[i].length *= part;
}

static Item *begin(const Forces *forces, ItemKind kind, ItemStyle style, bool halo)
{
    Item *item = items_begin(forces->items, kind, 0);
    item->style = halo ? STYLE_HALO : style;
    item->width = halo ? 5.5 : 2.5;
    item->depth = halo ? 1e30 : 2e30;
    return item;
}

static void add_arrow(const Forces *forces, const Arrow *arrow, bool halo)
{
    enum { HEAD = 11, WIDE = 4, RING = 6 };
    double dx = arrow->along[0], dy = arrow->along[1], seen = hypot(dx, dy);
    double length = arrow->length * seen, head = fmin(HEAD, length);
    double x = arrow->from[0], y = arrow->from[1];
    if (arrow->shape->one_sided) {
        begin(forces, ITEM_RING, arrow->style, halo)->radius = RING;
        items_spot(forces->items, (Spot){x, y, 0});
    }
    if (!(length > 1))
        return;
    dx /= seen;
    dy /= seen;
    begin(forces, ITEM_LINE, arrow->style, halo);
    items_spot(forces->items, (Spot){x, y, 0});
    x += length * dx;
    y += length * dy;
    items_spot(forces->items, (Spot){x - 0.8 * head * dx, y - 0.8 * head * dy, 0});
    // A face has no edge of its own: its halo is a line around it.
    begin(forces, halo ? ITEM_LINE : ITEM_FACE, arrow->style, halo)->closed = true;
    items_spot(forces->items, (Spot){x, y, 0});
    items_spot(forces->items, (Spot){x - head * dx - WIDE * dy, y - head * dy + WIDE * dx, 0});
    items_spot(forces->items, (Spot){x - head * dx + WIDE * dy, y - head * dy - WIDE * dx, 0});
}

BASE_PRINTF(5, 6)
static void add_words(const Forces *forces, Arena *arena, const Arrow *arrow, double y,
                      const char *format, ...)
{
    Text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_addv(&words, format, arguments);
    va_end(arguments);
    Item *item = begin(forces, ITEM_WORDS, arrow ? arrow->style : STYLE_WORDS, false);
    item->words = arena_copy_text(arena, words.at, words.length);
    item->ends = true;
    items_spot(forces->items, (Spot){forces->camera->width - 10, y, 0});
    text_clear(&words);
}

// A line of the legend for each condition, with its largest force.
static void add_legend(const Forces *forces, Arena *arena)
{
    enum { LINE = 17, MOST = 8 };
    size_t lines = 0, left_out = 0;
    for (size_t i = 0; i < forces->arrows.count; i++) {
        const Arrow *arrow = &forces->arrows.at[i];
        bool listed = false;
        double largest = arrow->size;
        for (size_t j = 0; j < forces->arrows.count; j++)
            if (strcmp(forces->arrows.at[j].shape->name, arrow->shape->name) == 0) {
                listed = listed || j < i;
                largest = fmax(largest, forces->arrows.at[j].size);
            }
        if (listed)
            continue;
        left_out += lines == MOST;
        if (lines < MOST)
            add_words(forces, arena, arrow, (double)(++lines * LINE), "%s %.4g%s",
                      arrow->shape->name, largest, arrow->shape->one_sided ? " (acts)" : "");
    }
    if (left_out > 0)
        add_words(forces, arena, NULL, (double)((lines + 1) * LINE), "and %zu more", left_out);
}

void picture_forces(const SceneFrames *frames, size_t frame, const SceneView *view,
                    const Camera *camera, Items *items)
{
    Forces forces = {.camera = camera, .items = items};
    collect(&forces, frames, frame, view);
    fit(&forces);
    for (int halo = 1; halo >= 0; halo--)
        for (size_t i = 0; i < forces.arrows.count; i++)
            add_arrow(&forces, &forces.arrows.at[i], halo == 1);
    if (!items->arena)
        items->arena = arena_new();
    add_legend(&forces, items->arena);
    array_clear(&forces.arrows);
    array_clear(&forces.names);
}

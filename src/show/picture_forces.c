// picture_forces.c: reactions as arrows where they act, over everything else and in sizes of the
// screen, with a legend of their values; a ring marks a one-sided condition that acts. Friction has
// its cone, in one colour where it sticks and in another where it slips.
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

typedef enum { MODE_OPEN, MODE_STICKS, MODE_SLIPS } Mode;

// Of a friction: P, the normal force, the coefficient, the mode, the force of a law.
typedef struct {
    const SceneShape *shape;
    const double *numbers;
    Mode mode;
} Rubbing;

typedef struct {
    const Camera *camera;
    double longest; // of an arrow of the usual size, in pixels
    double part;    // that all are shorter by
    ARRAY(Rubbing) rubbings;
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
        arrow.length = fmin(arrow.size / view->usual_force, 1.5) * forces->longest;
        array_push(&forces->arrows, arrow);
    }
}

static void collect_friction(Forces *forces, const SceneFrames *frames, size_t frame)
{
    for (size_t i = 0; i < frames->scene->shapes.count; i++) {
        const SceneShape *shape = &frames->scene->shapes.at[i];
        if (shape->kind != SCENE_FRICTION || !scene_is_drawn(frames, frame, shape))
            continue;
        const double *n = scene_numbers(frames, frame, shape);
        Mode mode = n[7] == 1 ? MODE_STICKS : n[7] == 2 ? MODE_SLIPS : MODE_OPEN;
        array_push(&forces->rubbings, ((Rubbing){shape, n, mode}));
    }
}

static const Rubbing *rubbing_of(const Forces *forces, const char *name)
{
    for (size_t i = 0; i < forces->rubbings.count; i++)
        if (strcmp(forces->rubbings.at[i].shape->name, name) == 0)
            return &forces->rubbings.at[i];
    return NULL;
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
    forces->part = part;
}

// ---- Cones.

// A unit vector across another one.
static void across(const double a[3], double b[3])
{
    int least = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0
                : fabs(a[1]) <= fabs(a[2])                           ? 1
                                                                     : 2;
    double size = sqrt(1 - a[least] * a[least]);
    for (int j = 0; j < 3; j++)
        b[j] = ((j == least) - a[least] * a[j]) / size;
}

// Which of two spots is further to the left, seen from a third one.
static double turn(const Spot *o, const Spot *a, const Spot *b)
{
    return (a->x - o->x) * (b->y - o->y) - (a->y - o->y) * (b->x - o->x);
}

// The outline of a few spots (Andrew's chain); how many it has.
static size_t outline(Spot *spots, size_t count, Spot *hull)
{
    size_t found = 0;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && (spots[j].x < spots[j - 1].x ||
                                     (spots[j].x == spots[j - 1].x && spots[j].y < spots[j - 1].y));
             j--) {
            Spot swapped = spots[j];
            spots[j] = spots[j - 1];
            spots[j - 1] = swapped;
        }
    for (int back = 0; back < 2; back++) {
        size_t first = found;
        for (size_t i = 0; i < count; i++) {
            const Spot *spot = &spots[back ? count - 1 - i : i];
            while (found >= first + 2 && turn(&hull[found - 2], &hull[found - 1], spot) <= 0)
                found--;
            hull[found++] = *spot;
        }
        found--; // where it ends the other begins
    }
    return found;
}

// As long along the normal as the arrow of the normal force.
static void add_cone(const Forces *forces, const Rubbing *rubbing, const SceneView *view)
{
    enum { SIDES = 24 };
    const Camera *camera = forces->camera;
    const double *n = rubbing->numbers, *force = n + 3, coefficient = n[6];
    double size = hypot(hypot(force[0], force[1]), force[2]), e[3][3];
    double length = fmin(size / view->usual_force, 1.5) * forces->longest * forces->part;
    if (rubbing->mode == MODE_OPEN || !(size > TOL_SMALL * view->force) || !(coefficient > 0))
        return;
    for (int j = 0; j < 3; j++)
        e[0][j] = force[j] / size;
    across(e[0], e[1]);
    for (int j = 0; j < 3; j++)
        e[2][j] = e[0][(j + 1) % 3] * e[1][(j + 2) % 3] - e[0][(j + 2) % 3] * e[1][(j + 1) % 3];
    Spot spots[SIDES + 1], hull[2 * SIDES + 4], foot = camera_see(camera, n);
    for (int i = 0; i < SIDES; i++) {
        double angle = 6.283185307179586 * i / SIDES, x = 0, y = 0;
        for (int j = 0; j < 3; j++) {
            double way = e[0][j] + coefficient * (cos(angle) * e[1][j] + sin(angle) * e[2][j]);
            x += way * camera->right[j];
            y -= way * camera->up[j];
        }
        spots[i] = (Spot){foot.x + length * x, foot.y + length * y, 0};
    }
    spots[SIDES] = (Spot){foot.x, foot.y, 0};
    size_t count = outline(spots, SIDES + 1, hull);
    Item *item = items_begin(forces->items, ITEM_FACE, 0);
    item->style = rubbing->mode == MODE_STICKS ? STYLE_CONE1 : STYLE_CONE2;
    item->depth = 0.9e30;
    for (size_t i = 0; i < count; i++)
        items_spot(forces->items, hull[i]);
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
    const Rubbing *rubbing = rubbing_of(forces, arrow->shape->name);
    ItemStyle ring = !rubbing                       ? arrow->style
                     : rubbing->mode == MODE_STICKS ? STYLE_STICKS
                                                    : STYLE_SLIPS;
    if (arrow->shape->one_sided || rubbing) {
        begin(forces, ITEM_RING, ring, halo)->radius = RING;
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
static void add_words(const Forces *forces, Arena *arena, ItemStyle style, double y,
                      const char *format, ...)
{
    Text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_addv(&words, format, arguments);
    va_end(arguments);
    Item *item = begin(forces, ITEM_WORDS, style, false);
    item->words = arena_copy_text(arena, words.at, words.length);
    item->ends = true;
    items_spot(forces->items, (Spot){forces->camera->width - 10, y, 0});
    text_clear(&words);
}

static const char *mode_words(const Forces *forces, const Arrow *arrow)
{
    const Rubbing *rubbing = rubbing_of(forces, arrow->shape->name);
    if (rubbing && rubbing->mode != MODE_OPEN)
        return rubbing->mode == MODE_STICKS ? " sticks" : " slips";
    return arrow->shape->one_sided ? " (acts)" : "";
}

// A line of the legend for each condition, with its largest force; then one for each law of
// friction.
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
            add_words(forces, arena, arrow->style, (double)(++lines * LINE), "%s %.4g%s",
                      arrow->shape->name, largest, mode_words(forces, arrow));
    }
    for (size_t i = 0; i < forces->rubbings.count; i++) {
        const Rubbing *rubbing = &forces->rubbings.at[i];
        if (rubbing->numbers[8] == 0 && rubbing->shape->one_sided)
            continue;
        left_out += lines == MOST;
        bool sticks = rubbing->mode == MODE_STICKS;
        if (lines < MOST)
            add_words(forces, arena, sticks ? STYLE_STICK_WORDS : STYLE_SLIP_WORDS,
                      (double)(++lines * LINE), "%s %.4g %s", rubbing->shape->name,
                      fabs(rubbing->numbers[8]), sticks ? "sticks" : "slips");
    }
    if (left_out > 0)
        add_words(forces, arena, STYLE_WORDS, (double)((lines + 1) * LINE), "and %zu more",
                  left_out);
}

void picture_forces(const SceneFrames *frames, size_t frame, const SceneView *view,
                    const Camera *camera, Items *items)
{
    Forces forces = {
        .camera = camera, .items = items, .longest = 0.3 * fmin(camera->width, camera->height)};
    collect(&forces, frames, frame, view);
    collect_friction(&forces, frames, frame);
    fit(&forces);
    for (size_t i = 0; i < forces.rubbings.count; i++)
        add_cone(&forces, &forces.rubbings.at[i], view);
    for (int halo = 1; halo >= 0; halo--)
        for (size_t i = 0; i < forces.arrows.count; i++)
            add_arrow(&forces, &forces.arrows.at[i], halo == 1);
    if (!items->arena)
        items->arena = arena_new();
    add_legend(&forces, items->arena);
    array_clear(&forces.arrows);
    array_clear(&forces.rubbings);
    array_clear(&forces.names);
}

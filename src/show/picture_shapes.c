// picture_shapes.c: lines, springs, strings, joints, paths, arrows and words of a scene.
#include "linalg/tolerances.h"
#include "show/picture_impl.h"

#include <math.h>
#include <string.h>

#define TURN (2 * 3.14159265358979323846)

typedef struct {
    const Camera *camera;
    Items *items;
    uint32_t colour;
    double opacity, width; // in parts of the usual ones
} Pen;

double camera_pixels(const Camera *camera, double part)
{
    double small = fmin(camera->width, camera->height);
    return fmin(fmax(part * camera->size * camera->scale, 0.6 * part * small), 1.4 * part * small);
}

static void add_line(const Pen *pen, const double *p, const double *q, double width)
{
    Item *item = items_begin(pen->items, ITEM_LINE, pen->colour);
    item->width = width * pen->width;
    item->opacity = pen->opacity;
    items_spot(pen->items, camera_see(pen->camera, p));
    items_spot(pen->items, camera_see(pen->camera, q));
}

// Several pieces, so that a long rod is behind one thing and in front of another.
static void add_rod(const Pen *pen, const double *p, const double *q)
{
    enum { PIECES = 6 };
    int pieces = pen->camera->planar ? 1 : PIECES;
    for (int i = 0; i < pieces; i++) {
        double a[3], b[3];
        for (int j = 0; j < 3; j++) {
            a[j] = p[j] + (q[j] - p[j]) * i / pieces;
            b[j] = p[j] + (q[j] - p[j]) * (i + 1) / pieces;
        }
        add_line(pen, a, b, camera_pixels(pen->camera, 0.018));
    }
}

static void add_ball(const Pen *pen, const double *at, double radius, double nearer)
{
    Item *item = items_begin(pen->items, ITEM_BALL, pen->colour);
    Spot spot = camera_see(pen->camera, at);
    item->radius = radius;
    item->opacity = pen->opacity;
    item->depth = spot.depth + nearer * pen->camera->size;
    items_spot(pen->items, spot);
}

// ---- Strings and springs.

static void add_string(const Pen *pen, const double *p, const double *q, double length)
{
    const Camera *camera = pen->camera;
    double way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    double distance = hypot(hypot(way[0], way[1]), way[2]);
    double width = camera_pixels(camera, 0.008);
    if (distance >= length * (1 - TOL_SMALL)) {
        add_line(pen, p, q, width);
        return;
    }
    // A parabola has about the length d·(1 + 8/3·(s/d)²) where it sags by s.
    double sag = sqrt(fmax(3.0 / 8 * (length - distance) * fmax(distance, 0.3 * length), 0));
    Item *item = items_begin(pen->items, ITEM_LINE, pen->colour);
    item->width = width * pen->width;
    item->opacity = pen->opacity;
    for (int i = 0; i <= 16; i++) {
        double s = i / 16.0, at[3];
        for (int j = 0; j < 3; j++)
            at[j] = p[j] + s * way[j] - 4 * s * (1 - s) * sag * camera->up[j];
        items_spot(pen->items, camera_see(camera, at));
    }
}

static void add_spring(const Pen *pen, const double *p, const double *q, double radius,
                       double turns)
{
    enum { STEPS = 12, MOST_TURNS = 60 };
    const Camera *camera = pen->camera;
    Spot a = camera_see(camera, p), b = camera_see(camera, q);
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    double wide = radius > 0 ? radius * camera->scale : camera_pixels(camera, 0.03);
    int count = (int)fmin(fmax(turns, 1), MOST_TURNS) * STEPS;
    if (!(length > 0))
        return;
    dx /= length;
    dy /= length;
    Item *item = items_begin(pen->items, ITEM_LINE, pen->colour);
    item->width = camera_pixels(camera, 0.008) * pen->width;
    item->opacity = pen->opacity;
    // A coil as it is seen from the side, with straight ends.
    items_spot(pen->items, a);
    for (int i = 0; i <= count; i++) {
        double s = 0.1 + 0.8 * i / count, phase = TURN * i / STEPS;
        double across = wide * sin(phase), along = s * length + 0.35 * wide * (1 - cos(phase));
        items_spot(pen->items,
                   (Spot){a.x + dx * along - dy * across, a.y + dy * along + dx * across,
                          a.depth + s * (b.depth - a.depth)});
    }
    items_spot(pen->items, b);
}

// ---- Joints.

static void add_pivot(const Pen *pen, const double *at)
{
    Spot spot = camera_see(pen->camera, at);
    double r = camera_pixels(pen->camera, 0.035);
    double depth = spot.depth - 0.01 * pen->camera->size;
    // A triangle on hatched ground. (An item may move when another one begins.)
    Item *face = items_begin(pen->items, ITEM_FACE, 0);
    face->style = STYLE_BASE;
    face->depth = depth;
    items_spot(pen->items, spot);
    items_spot(pen->items, (Spot){spot.x - 0.8 * r, spot.y + 1.3 * r, spot.depth});
    items_spot(pen->items, (Spot){spot.x + 0.8 * r, spot.y + 1.3 * r, spot.depth});
    for (int i = -1; i < 5; i++) {
        Item *line = items_begin(pen->items, ITEM_LINE, 0);
        line->style = STYLE_MARK;
        line->depth = depth;
        line->width = fmax(r / 9, 0.8);
        double x = spot.x + (i * 0.5 - 0.8) * r, y = spot.y + 1.3 * r;
        items_spot(pen->items, (Spot){i < 0 ? spot.x - 1.3 * r : x, y, spot.depth});
        items_spot(pen->items, i < 0 ? (Spot){spot.x + 1.3 * r, y, spot.depth}
                                     : (Spot){x - 0.4 * r, y + 0.45 * r, spot.depth});
    }
    Item *pin = items_begin(pen->items, ITEM_FACE, 0);
    pin->style = STYLE_PIN;
    pin->depth = spot.depth + 0.02 * pen->camera->size;
    for (int i = 0; i < 12; i++)
        items_spot(pen->items, (Spot){spot.x + 0.3 * r * cos(TURN * i / 12),
                                      spot.y + 0.3 * r * sin(TURN * i / 12), spot.depth});
}

static void add_joint(const Pen *pen, const double *at)
{
    Spot spot = camera_see(pen->camera, at);
    double r = camera_pixels(pen->camera, 0.013);
    Item *pin = items_begin(pen->items, ITEM_FACE, 0);
    pin->style = STYLE_PIN;
    pin->depth = spot.depth + 0.02 * pen->camera->size;
    for (int i = 0; i < 12; i++)
        items_spot(pen->items, (Spot){spot.x + r * cos(TURN * i / 12),
                                      spot.y + r * sin(TURN * i / 12), spot.depth});
}

// ---- Paths.

// All of it faintly, and what has been gone so far.
// Of a path, how friction is: 0 where there is none.
static ItemStyle path_style(const SceneFrames *frames, size_t frame, const SceneShape *shape)
{
    static const ItemStyle styles[] = {STYLE_NONE, STYLE_STICKS, STYLE_SLIPS};
    if (shape->mode >= frames->scene->width || shape->has_colour)
        return STYLE_NONE;
    double mode = scene_frame(frames, frame)[shape->mode];
    return mode >= 0 && mode <= 2 ? styles[(int)mode] : STYLE_NONE;
}

static void add_trace(const Pen *pen, const SceneFrames *frames, size_t frame,
                      const SceneShape *shape)
{
    enum { MOST = 300 };
    size_t step = frames->count / MOST + 1;
    for (int part = 0; part < 2; part++) {
        size_t end = part == 0 ? frames->count : frame + 1;
        bool open = false;
        ItemStyle style = STYLE_NONE;
        for (size_t i = 0; i < end; i += step) {
            size_t at = i + step >= end ? end - 1 : i;
            if (!scene_is_drawn(frames, at, shape)) {
                open = false;
                continue;
            }
            Spot spot = camera_see(pen->camera, scene_numbers(frames, at, shape));
            ItemStyle now = path_style(frames, at, shape);
            // Where friction changes the line ends, and another begins.
            if (open && now != style) {
                items_spot(pen->items, spot);
                open = false;
            }
            if (!open) {
                style = now;
                Item *item = items_begin(pen->items, ITEM_LINE, pen->colour);
                item->style = style;
                item->opacity = pen->opacity * (part == 0 ? 0.35 : 0.9);
                item->width = (part == 0 ? 1.1 : 1.6) * pen->width;
            }
            const Spot *before = open ? &pen->items->spots.at[pen->items->spots.count - 1] : NULL;
            // What is no further than a pixel adds nothing.
            if (!before || at + 1 == end || hypot(spot.x - before->x, spot.y - before->y) > 1)
                items_spot(pen->items, spot);
            open = true;
        }
    }
}

static void add_curve(const Pen *pen, const double *n, size_t count)
{
    // In pieces, for the order of depths.
    size_t piece = pen->camera->planar ? count : 12;
    for (size_t i = 0; i + 1 < count; i += piece) {
        Item *item = items_begin(pen->items, ITEM_LINE, pen->colour);
        item->width = camera_pixels(pen->camera, 0.01) * pen->width;
        item->opacity = pen->opacity;
        for (size_t j = i; j <= i + piece && j < count; j++)
            items_spot(pen->items, camera_see(pen->camera, n + 3 * j));
    }
}

static void add_polygon(const Pen *pen, const double *n, size_t count)
{
    Item *item = items_begin(pen->items, ITEM_FACE, pen->colour);
    item->opacity = fmin(pen->opacity, 0.9);
    for (size_t i = 0; i < count; i++)
        items_spot(pen->items, camera_see(pen->camera, n + 3 * i));
}

// ---- Arrows and words.

static void add_arrow(const Pen *pen, const double *p, const double *v)
{
    double tip[3] = {p[0] + v[0], p[1] + v[1], p[2] + v[2]};
    Spot a = camera_see(pen->camera, p), b = camera_see(pen->camera, tip);
    double length = hypot(b.x - a.x, b.y - a.y),
           head = fmin(camera_pixels(pen->camera, 0.05), 0.5 * length);
    if (!(length > 0.5))
        return;
    double dx = (b.x - a.x) / length, dy = (b.y - a.y) / length;
    Item *shaft = items_begin(pen->items, ITEM_LINE, pen->colour);
    shaft->width = fmax(0.22 * head, 1) * pen->width;
    shaft->opacity = pen->opacity;
    items_spot(pen->items, a);
    items_spot(pen->items, (Spot){b.x - 0.8 * head * dx, b.y - 0.8 * head * dy, b.depth});
    Item *face = items_begin(pen->items, ITEM_FACE, pen->colour);
    face->opacity = pen->opacity;
    items_spot(pen->items, b);
    items_spot(pen->items, (Spot){b.x - head * dx - 0.4 * head * dy,
                                  b.y - head * dy + 0.4 * head * dx, b.depth});
    items_spot(pen->items, (Spot){b.x - head * dx + 0.4 * head * dy,
                                  b.y - head * dy - 0.4 * head * dx, b.depth});
}

static void add_words(const Pen *pen, const double *at, const char *words)
{
    Item *item = items_begin(pen->items, ITEM_WORDS, 0);
    item->style = STYLE_WORDS;
    item->words = words;
    Spot spot = camera_see(pen->camera, at);
    item->depth = spot.depth + pen->camera->size;
    items_spot(pen->items, spot);
}

static void add_axes(const Pen *pen, const double *n)
{
    static const uint32_t colours[] = {0xc03030, 0x2f8f3f, 0x3050c0};
    static const char *const names[] = {"x", "y", "z"};
    const double *x = n + 3, *y = n + 6;
    for (int i = 0; i < 3; i++) {
        double v[3], tip[3];
        for (int j = 0; j < 3; j++) {
            double z = x[(j + 1) % 3] * y[(j + 2) % 3] - x[(j + 2) % 3] * y[(j + 1) % 3];
            v[j] = n[9] * (i == 0 ? x[j] : i == 1 ? y[j] : z);
            tip[j] = n[j] + 1.15 * v[j];
        }
        Pen axis = *pen;
        axis.colour = colours[i];
        add_arrow(&axis, n, v);
        add_words(pen, tip, names[i]);
    }
}

void picture_shape(const SceneFrames *frames, size_t frame, const SceneShape *shape,
                   const Camera *camera, Items *items)
{
    const double *n = scene_numbers(frames, frame, shape);
    Pen pen = {camera, items, picture_colour(shape), shape->opacity, shape->width};
    if (shape->kind == SCENE_TRACE) {
        add_trace(&pen, frames, frame, shape);
        return;
    }
    if (!scene_is_drawn(frames, frame, shape))
        return;
    switch (shape->kind) {
    case SCENE_POINT: add_ball(&pen, n, camera_pixels(camera, 0.008), 0.01); break;
    case SCENE_MASS: add_ball(&pen, n, n[3] * camera_pixels(camera, 0.03), 0.03); break;
    case SCENE_PIVOT: add_pivot(&pen, n); break;
    case SCENE_JOINT: add_joint(&pen, n); break;
    case SCENE_LINE: add_rod(&pen, n, n + 3); break;
    case SCENE_STRING: add_string(&pen, n, n + 3, n[6]); break;
    case SCENE_SPRING: add_spring(&pen, n, n + 3, n[6], shape->turns); break;
    case SCENE_POLYGON: add_polygon(&pen, n, shape->count); break;
    case SCENE_CURVE: add_curve(&pen, n, shape->count); break;
    case SCENE_ARROW: add_arrow(&pen, n, n + 3); break;
    case SCENE_AXES: add_axes(&pen, n); break;
    case SCENE_LABEL: add_words(&pen, n, shape->text); break;
    case SCENE_PLANE:
    case SCENE_GROUND:
    case SCENE_WALL: picture_ground(shape, n, camera, items); break;
    case SCENE_FORCE:
    case SCENE_FRICTION:
    case SCENE_MODE:
    case SCENE_GRAVITY:
    case SCENE_KIND_COUNT: break;
    default: picture_solid(frames, shape, n, camera, items);
    }
}

// picture_ground.c: floors, walls and planes: hatched lines where they are seen from the side, else
// grids.
#include "linalg/tolerances.h"
#include "show/picture_impl.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Seen from the side: a line through the picture, hatched beyond it.
static void add_edge(const double *n, double d, const Camera *camera, Items *items)
{
    double nx = dot(n, camera->right), ny = -dot(n, camera->up), size = hypot(nx, ny);
    double away = camera->scale * (d - dot(n, camera->middle));
    double far = hypot(camera->width, camera->height);
    if (!(size > 0))
        return;
    nx /= size;
    ny /= size;
    double x = camera->left + camera->width / 2 + away * nx;
    double y = camera->top + camera->height / 2 + away * ny;
    Item *beyond = items_begin(items, ITEM_FACE, 0);
    beyond->style = STYLE_BEYOND;
    beyond->depth = -1e30;
    const double corners[4][2] = {{-1, 0}, {1, 0}, {1, -1}, {-1, -1}};
    for (int i = 0; i < 4; i++)
        items_spot(items, (Spot){x - corners[i][0] * far * ny + corners[i][1] * far * nx,
                                 y + corners[i][0] * far * nx + corners[i][1] * far * ny, 0});
    Item *line = items_begin(items, ITEM_LINE, 0);
    line->style = STYLE_EDGE;
    line->depth = -1e29;
    line->width = 1.5;
    items_spot(items, (Spot){x - far * ny, y + far * nx, 0});
    items_spot(items, (Spot){x + far * ny, y - far * nx, 0});
    // Marks across, the same distance from each other whatever the picture's size.
    double step = fmin(camera->width, camera->height) / 26;
    Item *marks = items_begin(items, ITEM_PIECES, 0);
    marks->style = STYLE_HATCH;
    marks->depth = -1e29;
    marks->width = 0.8;
    for (double s = -far; s <= far; s += step) {
        double px = x - s * ny, py = y + s * nx;
        if (px < camera->left - step || px > camera->left + camera->width + step ||
            py < camera->top - step || py > camera->top + camera->height + step)
            continue;
        items_spot(items, (Spot){px, py, 0});
        items_spot(items, (Spot){px - 0.6 * step * nx + 0.45 * step * ny,
                                 py - 0.6 * step * ny - 0.45 * step * nx, 0});
    }
}

// 1, 2 or 5 times a power of ten, not below.
static double nice(double x)
{
    double power = pow(10, floor(log10(x))), part = x / power;
    return (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10) * power;
}

// A square of the plane around the middle of the picture, with a grid.
static void add_grid(const double *n, double d, const Camera *camera, Items *items, bool floor)
{
    double middle[3], u[3], v[3], offset = d - dot(n, camera->middle);
    for (int i = 0; i < 3; i++)
        middle[i] = camera->middle[i] + offset * n[i];
    int least = fabs(n[0]) <= fabs(n[1]) && fabs(n[0]) <= fabs(n[2]) ? 0
                : fabs(n[1]) <= fabs(n[2])                           ? 1
                                                                     : 2;
    double other[3] = {least == 0, least == 1, least == 2}, size = 0;
    double along = dot(other, n);
    for (int i = 0; i < 3; i++) {
        u[i] = other[i] - along * n[i];
        size = hypot(size, u[i]);
    }
    for (int i = 0; i < 3; i++)
        u[i] /= size;
    for (int i = 0; i < 3; i++)
        v[i] = n[(i + 1) % 3] * u[(i + 2) % 3] - n[(i + 2) % 3] * u[(i + 1) % 3];
    double half = (floor ? 0.75 : 0.35) * fmax(camera->width, camera->height) / camera->scale;
    double step = nice(half / 8);
    // A floor that is seen from above is behind everything on it.
    double depth = dot(n, camera->towards) > 0 ? -1e29 : 1e29;
    if (!floor)
        depth = dot(n, camera->towards) * (d - dot(n, camera->middle)) - 1e-3 * camera->size;
    Item *face = items_begin(items, ITEM_FACE, 0);
    face->style = floor ? STYLE_FLOOR : STYLE_WALL;
    face->depth = depth - fabs(depth) * TOL_SMALL;
    for (int i = 0; i < 4; i++) {
        double at[3], a = i == 1 || i == 2 ? half : -half, b = i >= 2 ? half : -half;
        for (int j = 0; j < 3; j++)
            at[j] = middle[j] + a * u[j] + b * v[j];
        items_spot(items, camera_see(camera, at));
    }
    double from_u = dot(middle, u), from_v = dot(middle, v);
    Item *lines = items_begin(items, ITEM_PIECES, 0);
    lines->style = STYLE_HATCH;
    lines->depth = depth;
    lines->width = 0.8;
    for (int k = 0; k < 2; k++) {
        double from = k ? from_v : from_u;
        for (double s = ceil((from - half) / step) * step; s <= from + half; s += step) {
            double a[3], b[3];
            for (int j = 0; j < 3; j++) {
                double base = middle[j] + (s - from) * (k ? v[j] : u[j]);
                a[j] = base - half * (k ? u[j] : v[j]);
                b[j] = base + half * (k ? u[j] : v[j]);
            }
            items_spot(items, camera_see(camera, a));
            items_spot(items, camera_see(camera, b));
        }
    }
}

void picture_ground(const SceneShape *shape, const double *n, const Camera *camera, Items *items)
{
    double size = hypot(hypot(n[0], n[1]), n[2]);
    if (!(size > 0))
        return;
    double normal[3] = {n[0] / size, n[1] / size, n[2] / size}, d = n[3] / size;
    if (fabs(dot(normal, camera->towards)) <= TOL_COARSE)
        add_edge(normal, d, camera, items);
    else
        add_grid(normal, d, camera, items, shape->kind != SCENE_WALL);
}

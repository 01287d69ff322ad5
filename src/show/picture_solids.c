// picture_solids.c: solids as faces with light on them, from above on the left.
#include "show/picture_impl.h"

#include <math.h>
#include <string.h>

enum { ROUND = 28, BANDS = 10 };
#define TURN (2 * 3.14159265358979323846)

typedef struct {
    const Camera *camera;
    Items *items;
    uint32_t colour;
    double opacity;
} Solid;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double normalize(double v[3])
{
    double size = hypot(hypot(v[0], v[1]), v[2]);
    for (int i = 0; i < 3 && size > 0; i++)
        v[i] /= size;
    return size;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static uint32_t lit(uint32_t colour, double light)
{
    uint32_t result = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double part = (double)(colour >> shift & 255) * light;
        if (light > 1)
            part = (double)(colour >> shift & 255) +
                   (light - 1) * (255 - (double)(colour >> shift & 255));
        result = result << 8 | (uint32_t)fmin(fmax(part, 0), 255);
    }
    return result;
}

// A face; with `outward` only its front is drawn.
static void add_face(const Solid *solid, const double (*corners)[3], size_t count,
                     const double *outward)
{
    const Camera *camera = solid->camera;
    double a[3], b[3], normal[3];
    for (int i = 0; i < 3; i++) {
        a[i] = corners[1][i] - corners[0][i];
        b[i] = corners[count - 1][i] - corners[0][i];
    }
    cross(a, b, normal);
    if (outward)
        memcpy(normal, outward, sizeof normal);
    if (!(normalize(normal) > 0))
        return;
    double facing = dot(normal, camera->towards);
    if (outward && facing < 0 && solid->opacity >= 1)
        return;
    double sign = facing < 0 ? -1 : 1;
    double light =
        sign * (0.45 * dot(normal, camera->up) - 0.35 * dot(normal, camera->right) + 0.55 * facing);
    Item *item = items_begin(solid->items, ITEM_FACE, lit(solid->colour, 0.62 + 0.5 * light));
    item->opacity = solid->opacity;
    for (size_t i = 0; i < count; i++)
        items_spot(solid->items, camera_see(camera, corners[i]));
}

// Two vectors across an axis: the first of what turns with it, as far as it is across.
static void across(const double axis[3], const double *turn, double x[3], double y[3])
{
    const double *first = turn;
    if (fabs(dot(turn, axis)) > fabs(dot(turn + 3, axis)))
        first = turn + 3;
    double along = dot(first, axis);
    for (int i = 0; i < 3; i++)
        x[i] = first[i] - along * axis[i];
    if (!(normalize(x) > 0.01)) {
        double other[3] = {fabs(axis[0]) < 0.5, fabs(axis[0]) >= 0.5, 0};
        cross(axis, other, x);
        normalize(x);
    }
    cross(axis, x, y);
}

// A body of revolution: rings at heights along its axis.
static void add_revolved(const Solid *solid, const double *middle, const double *axis_given,
                         const double *turn, const double (*rings)[2], size_t count)
{
    double axis[3], x[3], y[3];
    memcpy(axis, axis_given, sizeof axis);
    if (!(normalize(axis) > 0))
        return;
    across(axis, turn, x, y);
    double points[2][ROUND + 1][3];
    for (size_t ring = 0; ring < count; ring++) {
        for (int i = 0; i <= ROUND; i++)
            for (int j = 0; j < 3; j++)
                points[ring % 2][i][j] =
                    middle[j] + rings[ring][1] * axis[j] +
                    rings[ring][0] * (cos(TURN * i / ROUND) * x[j] + sin(TURN * i / ROUND) * y[j]);
        for (int i = 0; i < ROUND && ring > 0; i++) {
            double(*low)[3] = points[(ring + 1) % 2], (*high)[3] = points[ring % 2];
            double face[4][3], out[3], mid = TURN * (i + 0.5) / ROUND;
            memcpy(face[0], low[i], sizeof face[0]);
            memcpy(face[1], low[i + 1], sizeof face[0]);
            memcpy(face[2], high[i + 1], sizeof face[0]);
            memcpy(face[3], high[i], sizeof face[0]);
            double rise = rings[ring][1] - rings[ring - 1][1];
            double widen = rings[ring][0] - rings[ring - 1][0];
            for (int j = 0; j < 3; j++)
                out[j] = rise * (cos(mid) * x[j] + sin(mid) * y[j]) - widen * axis[j];
            add_face(solid, (const double(*)[3])face, 4, out);
        }
    }
}

static void add_cap(const Solid *solid, const double *middle, const double *axis_given,
                    const double *turn, double radius, double height, double side)
{
    double axis[3], x[3], y[3], face[ROUND][3], out[3];
    memcpy(axis, axis_given, sizeof axis);
    if (!(normalize(axis) > 0))
        return;
    across(axis, turn, x, y);
    for (int i = 0; i < ROUND; i++)
        for (int j = 0; j < 3; j++)
            face[i][j] = middle[j] + height * axis[j] +
                         radius * (cos(TURN * i / ROUND) * x[j] + sin(TURN * i / ROUND) * y[j]);
    for (int j = 0; j < 3; j++)
        out[j] = side * axis[j];
    add_face(solid, (const double(*)[3])face, ROUND, out);
}

static void add_cylinder(const Solid *solid, const double *n)
{
    double rings[2][2] = {{n[6], -n[7] / 2}, {n[6], n[7] / 2}};
    add_revolved(solid, n, n + 3, n + 8, (const double(*)[2])rings, 2);
    add_cap(solid, n, n + 3, n + 8, n[6], -n[7] / 2, -1);
    add_cap(solid, n, n + 3, n + 8, n[6], n[7] / 2, 1);
}

static void add_cone(const Solid *solid, const double *n)
{
    double rings[2][2] = {{n[6], 0}, {0, n[7]}};
    add_revolved(solid, n, n + 3, n + 8, (const double(*)[2])rings, 2);
    add_cap(solid, n, n + 3, n + 8, n[6], 0, n[7] > 0 ? -1 : 1);
}

static void add_ellipsoid(const Solid *solid, const double *n)
{
    double z[3], points[BANDS + 1][ROUND + 1][3];
    cross(n + 3, n + 6, z);
    for (int i = 0; i <= BANDS; i++)
        for (int j = 0; j <= ROUND; j++) {
            double polar = TURN / 2 * i / BANDS, turn = TURN * j / ROUND;
            double a = n[9] / 2 * sin(polar) * cos(turn), b = n[10] / 2 * sin(polar) * sin(turn);
            double c = n[11] / 2 * cos(polar);
            for (int k = 0; k < 3; k++)
                points[i][j][k] = n[k] + a * n[3 + k] + b * n[6 + k] + c * z[k];
        }
    for (int i = 0; i < BANDS; i++)
        for (int j = 0; j < ROUND; j++) {
            double face[4][3], out[3], a[3], b[3], away[3];
            memcpy(face[0], points[i][j], sizeof face[0]);
            memcpy(face[1], points[i][j + 1], sizeof face[0]);
            memcpy(face[2], points[i + 1][j + 1], sizeof face[0]);
            memcpy(face[3], points[i + 1][j], sizeof face[0]);
            for (int k = 0; k < 3; k++) {
                a[k] = face[2][k] - face[0][k];
                b[k] = face[3][k] - face[1][k];
                away[k] = face[0][k] + face[2][k] - 2 * n[k];
            }
            cross(a, b, out);
            double sign = dot(out, away) < 0 ? -1 : 1;
            for (int k = 0; k < 3; k++)
                out[k] *= sign;
            // A mark that turns with it: every fourth meridian band is darker.
            Solid band = *solid;
            if (j % 7 == 0)
                band.colour = lit(solid->colour, 0.75);
            add_face(&band, (const double(*)[3])face, 4, out);
        }
}

// A face of a box: in pieces where it is large, for the order of depths.
static void add_side(const Solid *solid, const double corner[3], const double u[3],
                     const double v[3], const double out[3])
{
    enum { MOST = 6 };
    const Camera *camera = solid->camera;
    double part = 0.12 * camera->size;
    bool whole = camera->planar || solid->opacity < 1 || !(part > 0);
    int across = whole ? 1 : (int)fmin(ceil(sqrt(dot(u, u)) / part), MOST);
    int along = whole ? 1 : (int)fmin(ceil(sqrt(dot(v, v)) / part), MOST);
    for (int i = 0; i < across; i++)
        for (int j = 0; j < along; j++) {
            double face[4][3];
            for (int k = 0; k < 4; k++)
                for (int c = 0; c < 3; c++)
                    face[k][c] = corner[c] + u[c] * (i + (k == 1 || k == 2)) / across +
                                 v[c] * (j + (k >= 2)) / along;
            add_face(solid, (const double(*)[3])face, 4, out);
        }
}

static void add_box(const Solid *solid, const double *n)
{
    double axes[3][3];
    memcpy(axes[0], n + 3, sizeof axes[0]);
    memcpy(axes[1], n + 6, sizeof axes[1]);
    cross(axes[0], axes[1], axes[2]);
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            double corner[3], u[3], v[3], out[3];
            int a = (axis + 1) % 3, b = (axis + 2) % 3;
            for (int k = 0; k < 3; k++) {
                u[k] = n[9 + a] * axes[a][k];
                v[k] = n[9 + b] * axes[b][k];
                out[k] = side * axes[axis][k];
                corner[k] = n[k] + side * n[9 + axis] / 2 * axes[axis][k] - u[k] / 2 - v[k] / 2;
            }
            add_side(solid, corner, u, v, out);
        }
}

static void add_disc(const Solid *solid, const double *n)
{
    Solid both = *solid;
    double axis[3], x[3], y[3];
    memcpy(axis, n + 3, sizeof axis);
    if (!(normalize(axis) > 0))
        return;
    double side = dot(axis, solid->camera->towards) < 0 ? -1 : 1, turn[6];
    memcpy(turn, n + 7, sizeof turn);
    add_cap(&both, n, n + 3, turn, n[6], 0, side);
    across(axis, turn, x, y);
    // Spokes that turn with it.
    for (int i = 0; i < 4; i++) {
        double angle = TURN * i / 8, ends[2][3];
        for (int j = 0; j < 3; j++) {
            double way = n[6] * (cos(angle) * x[j] + sin(angle) * y[j]);
            ends[0][j] = n[j] - way;
            ends[1][j] = n[j] + way;
        }
        Item *item = items_begin(solid->items, ITEM_LINE, lit(solid->colour, 0.62));
        item->width = 0.8;
        for (int j = 0; j < 2; j++) {
            Spot spot = camera_see(solid->camera, ends[j]);
            spot.depth += 0.01 * fabs(n[6]);
            items_spot(solid->items, spot);
        }
    }
}

// A rim, with spokes where it is a wheel; a ring has a mark instead.
static void add_rim(const Solid *solid, const double *n, bool spokes)
{
    double axis[3], x[3], y[3];
    memcpy(axis, n + 3, sizeof axis);
    if (!(normalize(axis) > 0))
        return;
    across(axis, n + 7, x, y);
    const Camera *camera = solid->camera;
    double thick = fmax(0.09 * fabs(n[6]) * camera->scale, 1.6);
    // Halves, so that what lies inside is behind one and in front of the other.
    for (int half = 0; half < 8; half++) {
        Item *rim = items_begin(solid->items, ITEM_LINE,
                                lit(solid->colour, half % 8 == 0 && !spokes ? 0.55 : 0.9));
        rim->width = thick;
        for (int i = 0; i <= 8; i++) {
            double angle = TURN * (half + i / 8.0) / 8, at[3];
            for (int j = 0; j < 3; j++)
                at[j] = n[j] + 0.955 * n[6] * (cos(angle) * x[j] + sin(angle) * y[j]);
            items_spot(solid->items, camera_see(camera, at));
        }
    }
    for (int i = 0; i < 8 && spokes; i++) {
        double angle = TURN * i / 8, at[3];
        Item *spoke = items_begin(solid->items, ITEM_LINE, lit(solid->colour, i ? 0.75 : 0.4));
        spoke->width = fmax(thick / 4, 0.8);
        items_spot(solid->items, camera_see(camera, n));
        for (int j = 0; j < 3; j++)
            at[j] = n[j] + 0.92 * n[6] * (cos(angle) * x[j] + sin(angle) * y[j]);
        items_spot(solid->items, camera_see(camera, at));
    }
    if (spokes) {
        items_begin(solid->items, ITEM_BALL, lit(solid->colour, 0.6))->radius = thick * 0.8;
        items_spot(solid->items, camera_see(camera, n));
    }
}

static void add_sphere(const Solid *solid, const double *n)
{
    const Camera *camera = solid->camera;
    double axes[3][3], radius = fabs(n[3]);
    items_begin(solid->items, ITEM_BALL, solid->colour);
    Item *ball = &solid->items->items.at[solid->items->items.count - 1];
    ball->radius = radius * camera->scale;
    ball->opacity = solid->opacity;
    items_spot(solid->items, camera_see(camera, n));
    memcpy(axes[0], n + 4, sizeof axes[0]);
    memcpy(axes[1], n + 7, sizeof axes[1]);
    cross(axes[0], axes[1], axes[2]);
    // The visible halves of three great circles turn with it.
    for (int axis = 0; axis < 3 && radius * camera->scale > 6; axis++) {
        const double *u = axes[(axis + 1) % 3], *v = axes[(axis + 2) % 3];
        bool open = false;
        for (int i = 0; i <= 2 * ROUND; i++) {
            double angle = TURN * i / (2 * ROUND), at[3], out[3];
            for (int j = 0; j < 3; j++) {
                out[j] = cos(angle) * u[j] + sin(angle) * v[j];
                at[j] = n[j] + radius * out[j];
            }
            bool seen = dot(out, camera->towards) > 0;
            if (seen && !open) {
                Item *mark = items_begin(solid->items, ITEM_LINE, lit(solid->colour, 0.6));
                mark->width = 1;
            }
            if (seen) {
                Spot spot = camera_see(camera, at);
                spot.depth = camera_see(camera, n).depth + 0.001 * radius;
                items_spot(solid->items, spot);
            }
            open = seen;
        }
    }
}

static void add_mesh(const Solid *solid, const SceneMesh *mesh, const double *n)
{
    double z[3];
    cross(n + 3, n + 6, z);
    for (size_t i = 0; i + 2 < mesh->corners.count && mesh->corner_count == 3; i += 3) {
        double face[3][3];
        for (int j = 0; j < 3; j++) {
            const double *at = mesh->vertices.at + 3 * (size_t)mesh->corners.at[i + (size_t)j];
            for (int k = 0; k < 3; k++)
                face[j][k] = n[k] + n[9] * (at[0] * n[3 + k] + at[1] * n[6 + k] + at[2] * z[k]);
        }
        add_face(solid, (const double(*)[3])face, 3, NULL);
    }
}

// The pieces of a curve.
static void add_segments(const Solid *solid, const SceneMesh *mesh)
{
    items_begin(solid->items, ITEM_PIECES, solid->colour)->width = 2.2;
    for (size_t i = 0; i < mesh->corners.count; i++)
        items_spot(solid->items,
                   camera_see(solid->camera, mesh->vertices.at + 3 * (size_t)mesh->corners.at[i]));
}

// Where a face crosses the level of a coordinate.
static void add_crossing(const Solid *solid, const SceneMesh *mesh, size_t face, int axis,
                         double level)
{
    Spot spots[2];
    int found = 0;
    for (size_t j = 0; j < 3 && found < 2; j++) {
        const double *p = mesh->vertices.at + 3 * (size_t)mesh->corners.at[face + j];
        const double *q = mesh->vertices.at + 3 * (size_t)mesh->corners.at[face + (j + 1) % 3];
        if ((p[axis] < level) == (q[axis] < level))
            continue;
        double part = (level - p[axis]) / (q[axis] - p[axis]), at[3];
        for (int k = 0; k < 3; k++)
            at[k] = p[k] + part * (q[k] - p[k]);
        spots[found++] = camera_see(solid->camera, at);
    }
    for (int j = 0; j < found && found == 2; j++)
        items_spot(solid->items, spots[j]);
}

// A surface as lines of level along x, y and z.
static void add_levels(const Solid *solid, const SceneMesh *mesh)
{
    enum { LEVELS = 5 };
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = (size_t)axis; i < mesh->vertices.count; i += 3) {
            low = fmin(low, mesh->vertices.at[i]);
            high = fmax(high, mesh->vertices.at[i]);
        }
        Item *lines = items_begin(solid->items, ITEM_PIECES, solid->colour);
        lines->width = 0.9;
        lines->opacity = fmin(solid->opacity, 0.6);
        for (int level = 0; level < LEVELS; level++)
            for (size_t i = 0; i + 2 < mesh->corners.count; i += 3)
                add_crossing(solid, mesh, i, axis, low + (high - low) * (level + 0.5) / LEVELS);
    }
}

void picture_solid(const SceneFrames *frames, const SceneShape *shape, const double *n,
                   const Camera *camera, Items *items)
{
    Solid solid = {camera, items, picture_colour(shape), shape->opacity};
    const SceneMesh *mesh =
        shape->mesh == SCENE_NONE ? NULL : &frames->scene->meshes.at[shape->mesh];
    switch (shape->kind) {
    case SCENE_CYLINDER: add_cylinder(&solid, n); break;
    case SCENE_CONE: add_cone(&solid, n); break;
    case SCENE_ELLIPSOID: add_ellipsoid(&solid, n); break;
    case SCENE_BOX: add_box(&solid, n); break;
    case SCENE_DISC: add_disc(&solid, n); break;
    case SCENE_RING: add_rim(&solid, n, false); break;
    case SCENE_WHEEL: add_rim(&solid, n, true); break;
    case SCENE_SPHERE: add_sphere(&solid, n); break;
    case SCENE_MESH: add_mesh(&solid, mesh, n); break;
    case SCENE_SURFACE:
        if (!mesh)
            break;
        if (mesh->corner_count == 2) {
            add_segments(&solid, mesh);
            break;
        }
        add_levels(&solid, mesh);
        break;
    default: break;
    }
}

// scene_frames.c: the numbers of a scene along a run, and how to look at them.
#include "linalg/tolerances.h"
#include "show/scene_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// More frames than a display shows in minutes are thinned.
enum { MOST_FRAMES = 10000 };

// ---- Frames.

void scene_frames_init(SceneFrames *frames, Scene *scene, size_t columns)
{
    *frames = (SceneFrames){.scene = scene, .columns = columns, .stride = 1, .last_kept = true};
    frames->width = columns + (scene ? scene->width : 0);
    frames->last = base_alloc((frames->width + 1) * sizeof *frames->last);
}

void scene_frames_clear(SceneFrames *frames)
{
    base_free(frames->at);
    base_free(frames->last);
}

static void keep_last(SceneFrames *frames)
{
    if (frames->count == frames->room) {
        frames->room = frames->room ? 2 * frames->room : 256;
        frames->at = base_realloc(frames->at, frames->room * frames->width * sizeof *frames->at);
    }
    memcpy(frames->at + frames->count * frames->width, frames->last,
           frames->width * sizeof *frames->at);
    frames->count++;
    frames->last_kept = true;
}

void scene_frames_add(SceneFrames *frames, const double *row)
{
    memcpy(frames->last, row, frames->columns * sizeof *row);
    if (frames->width > frames->columns)
        scene_evaluate(frames->scene, row, frames->last + frames->columns);
    frames->last_kept = false;
    if (frames->seen++ % frames->stride == 0)
        keep_last(frames);
    if (frames->count <= MOST_FRAMES)
        return;
    for (size_t i = 0; 2 * i < frames->count; i++)
        memmove(frames->at + i * frames->width, frames->at + 2 * i * frames->width,
                frames->width * sizeof *frames->at);
    frames->count = (frames->count + 1) / 2;
    frames->stride *= 2;
}

void scene_frames_end(SceneFrames *frames)
{
    if (!frames->last_kept)
        keep_last(frames);
}

const double *scene_frame(const SceneFrames *frames, size_t frame)
{
    return frames->at + frame * frames->width + frames->columns;
}

static double number_at(const SceneFrames *frames, size_t frame, size_t index)
{
    size_t width = frames->scene->width;
    return index < width ? scene_frame(frames, frame)[index] : frames->scene->still[index - width];
}

const double *scene_numbers(const SceneFrames *frames, size_t frame, const SceneShape *shape)
{
    size_t width = frames->scene->width;
    return shape->from < width ? scene_frame(frames, frame) + shape->from
                               : frames->scene->still + (shape->from - width);
}

bool scene_is_drawn(const SceneFrames *frames, size_t frame, const SceneShape *shape)
{
    const double *numbers = scene_numbers(frames, frame, shape);
    size_t count = shape->count > 0 ? 3 * shape->count : scene_kind_numbers(shape->kind);
    if (shape->visible != SCENE_NONE && !(number_at(frames, frame, shape->visible) > 0))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

// ---- Reach.

static size_t push_point(double *points, size_t count, double x, double y, double z)
{
    if (count == SCENE_REACH)
        return count;
    points[3 * count] = x;
    points[3 * count + 1] = y;
    points[3 * count + 2] = z;
    return count + 1;
}

// The corners of a cube around a place.
static size_t push_around(double *points, size_t count, const double *centre, double radius)
{
    radius = fabs(radius);
    for (int i = 0; i < 8; i++)
        count = push_point(points, count, centre[0] + (i & 1 ? radius : -radius),
                           centre[1] + (i & 2 ? radius : -radius),
                           centre[2] + (i & 4 ? radius : -radius));
    return count;
}

// A circle around an axis: what it reaches along x is r·√(1 − a_x²).
static size_t push_circle(double *points, size_t count, const double *centre, const double *axis,
                          double radius, double along)
{
    double size = hypot(hypot(axis[0], axis[1]), axis[2]), reach[3], middle[3];
    for (int i = 0; i < 3; i++) {
        double part = size > 0 ? axis[i] / size : 0;
        reach[i] = fabs(radius) * sqrt(fmax(1 - part * part, 0));
        middle[i] = centre[i] + along * part;
    }
    for (int i = 0; i < 8; i++)
        count = push_point(points, count, middle[0] + (i & 1 ? reach[0] : -reach[0]),
                           middle[1] + (i & 2 ? reach[1] : -reach[1]),
                           middle[2] + (i & 4 ? reach[2] : -reach[2]));
    return count;
}

static size_t push_corners(double *points, size_t count, const double *n)
{
    const double *x = n + 3, *y = n + 6, *edges = n + 9;
    for (int i = 0; i < 8; i++) {
        double a = (i & 1 ? 0.5 : -0.5) * edges[0], b = (i & 2 ? 0.5 : -0.5) * edges[1];
        double c = (i & 4 ? 0.5 : -0.5) * edges[2], at[3];
        for (int j = 0; j < 3; j++) {
            double z = x[(j + 1) % 3] * y[(j + 2) % 3] - x[(j + 2) % 3] * y[(j + 1) % 3];
            at[j] = n[j] + a * x[j] + b * y[j] + c * z;
        }
        count = push_point(points, count, at[0], at[1], at[2]);
    }
    return count;
}

size_t scene_reach(const SceneShape *shape, const double *n, double *points)
{
    size_t count = 0;
    switch (shape->kind) {
    case SCENE_LINE:
    case SCENE_STRING:
    case SCENE_SPRING:
        count = push_point(points, count, n[0], n[1], n[2]);
        return push_point(points, count, n[3], n[4], n[5]);
    case SCENE_ARROW:
        count = push_point(points, count, n[0], n[1], n[2]);
        return push_point(points, count, n[0] + n[3], n[1] + n[4], n[2] + n[5]);
    case SCENE_DISC:
    case SCENE_RING:
    case SCENE_WHEEL: return push_circle(points, count, n, n + 3, n[6], 0);
    case SCENE_CYLINDER:
        count = push_circle(points, count, n, n + 3, n[6], -n[7] / 2);
        return push_circle(points, count, n, n + 3, n[6], n[7] / 2);
    case SCENE_CONE:
        count = push_circle(points, count, n, n + 3, n[6], 0);
        return push_circle(points, count, n, n + 3, 0, n[7]);
    case SCENE_SPHERE: return push_around(points, count, n, n[3]);
    case SCENE_AXES: return push_around(points, count, n, n[9]);
    case SCENE_BOX:
    case SCENE_ELLIPSOID: return push_corners(points, count, n);
    case SCENE_POLYGON:
    case SCENE_CURVE:
        for (size_t i = 0; i < shape->count; i++)
            count = push_point(points, count, n[3 * i], n[3 * i + 1], n[3 * i + 2]);
        return count;
    case SCENE_PLANE:
    case SCENE_GROUND:
    case SCENE_WALL:
    case SCENE_FORCE:
    case SCENE_FRICTION:
    case SCENE_MODE:
    case SCENE_GRAVITY:
    case SCENE_SURFACE:
    case SCENE_KIND_COUNT: return 0;
    default: return push_point(points, count, n[0], n[1], n[2]);
    }
}

// ---- The view.

static void grow(double low[3], double high[3], const double *point)
{
    for (int i = 0; i < 3; i++) {
        low[i] = fmin(low[i], point[i]);
        high[i] = fmax(high[i], point[i]);
    }
}

static double diagonal(const double low[3], const double high[3])
{
    return low[0] > high[0] ? 0
                            : hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
}

static void grow_mesh(const SceneFrames *frames, size_t frame, const SceneShape *shape,
                      double low[3], double high[3])
{
    const SceneMesh *mesh = &frames->scene->meshes.at[shape->mesh];
    const double *n = scene_numbers(frames, frame, shape);
    double reach = 0;
    for (size_t i = 0; i + 2 < mesh->vertices.count; i += 3)
        reach = fmax(reach, hypot(hypot(mesh->vertices.at[i], mesh->vertices.at[i + 1]),
                                  mesh->vertices.at[i + 2]));
    double points[24];
    size_t count = push_around(points, 0, n, reach * n[9]);
    for (size_t i = 0; i < count; i++)
        grow(low, high, points + 3 * i);
}

static void bound_frame(const SceneFrames *frames, size_t frame, double low[3], double high[3])
{
    const Scene *scene = frames->scene;
    double points[3 * SCENE_REACH];
    for (size_t i = 0; i < scene->shapes.count; i++) {
        const SceneShape *shape = &scene->shapes.at[i];
        if (!scene_is_drawn(frames, frame, shape))
            continue;
        size_t count = scene_reach(shape, scene_numbers(frames, frame, shape), points);
        for (size_t j = 0; j < count; j++)
            grow(low, high, points + 3 * j);
        if (shape->kind == SCENE_MESH)
            grow_mesh(frames, frame, shape, low, high);
    }
}

// Bounds over the run, and the middle one of the sizes at an instant.
static void bound(const SceneFrames *frames, SceneView *view)
{
    enum { LOOKS = 200 };
    size_t step = frames->count / LOOKS + 1, count = 0;
    double sizes[LOOKS + 1];
    for (int i = 0; i < 3; i++) {
        view->low[i] = INFINITY;
        view->high[i] = -INFINITY;
    }
    for (size_t i = 0; i < frames->count; i += step) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        bound_frame(frames, i, low, high);
        if (low[0] > high[0])
            continue;
        grow(view->low, view->high, low);
        grow(view->low, view->high, high);
        double size = diagonal(low, high);
        size_t at = count++;
        for (; at > 0 && sizes[at - 1] > size; at--)
            sizes[at] = sizes[at - 1];
        sizes[at] = size;
    }
    double whole = diagonal(view->low, view->high), now = count > 0 ? sizes[count / 2] : 0;
    if (!(whole > 0) || !isfinite(whole)) {
        for (int i = 0; i < 3; i++) {
            double middle = isfinite(view->low[i]) && isfinite(view->high[i]) ? view->low[i] : 0;
            view->low[i] = middle - 0.5;
            view->high[i] = middle + 0.5;
        }
        whole = diagonal(view->low, view->high);
    }
    // A point has no size: then it is a part of its way, and all of that is seen.
    bool sized = now > TOL_COARSE * whole;
    view->size = sized ? now : whole / 4;
    view->travels = sized && whole > 5 * now;
}

// ---- Planes of motion.

static bool is_along(const double *v, int axis)
{
    double size = hypot(hypot(v[0], v[1]), v[2]);
    return fabs(fabs(v[axis]) - size) <= TOL_SMALL * size;
}

static bool is_flat_turn(const double *e, int axis)
{
    double third[3];
    for (int j = 0; j < 3; j++)
        third[j] = e[(j + 1) % 3] * e[3 + (j + 2) % 3] - e[(j + 2) % 3] * e[3 + (j + 1) % 3];
    return is_along(e, axis) || is_along(e + 3, axis) || is_along(third, axis);
}

static bool is_flat(const double *place, int axis, double level, double scale)
{
    return fabs(place[axis] - level) <= TOL_SMALL * scale;
}

static bool is_flat_shape(const SceneShape *shape, const double *n, int axis, double level,
                          double scale)
{
    switch (shape->kind) {
    case SCENE_PLANE:
    case SCENE_GROUND:
    case SCENE_WALL: return fabs(n[axis]) <= TOL_SMALL;
    case SCENE_GRAVITY: return fabs(n[axis]) <= TOL_SMALL * hypot(hypot(n[0], n[1]), n[2]);
    case SCENE_SURFACE:
    case SCENE_LABEL:
    case SCENE_FRICTION:
    case SCENE_MODE:
    case SCENE_FORCE: return true;
    case SCENE_LINE:
    case SCENE_STRING:
    case SCENE_SPRING: return is_flat(n, axis, level, scale) && is_flat(n + 3, axis, level, scale);
    case SCENE_ARROW: return is_flat(n, axis, level, scale) && is_flat(n + 3, axis, 0, scale);
    case SCENE_DISC:
    case SCENE_RING:
    case SCENE_WHEEL: return is_flat(n, axis, level, scale) && is_along(n + 3, axis);
    case SCENE_CYLINDER:
    case SCENE_CONE:
        return is_flat(n, axis, level, scale) &&
               (is_along(n + 3, axis) || fabs(n[3 + axis]) <= TOL_SMALL);
    case SCENE_BOX:
    case SCENE_ELLIPSOID:
    case SCENE_MESH: return is_flat(n, axis, level, scale) && is_flat_turn(n + 3, axis);
    case SCENE_POLYGON:
    case SCENE_CURVE:
        for (size_t i = 0; i < shape->count; i++)
            if (!is_flat(n + 3 * i, axis, level, scale))
                return false;
        return true;
    default: return is_flat(n, axis, level, scale);
    }
}

static bool is_planar(const SceneFrames *frames, const SceneView *view, int axis)
{
    const Scene *scene = frames->scene;
    size_t step = frames->count / 50 + 1;
    double level = NAN;
    for (size_t i = 0; i < frames->count; i += step)
        for (size_t j = 0; j < scene->shapes.count; j++) {
            const SceneShape *shape = &scene->shapes.at[j];
            if (!scene_is_drawn(frames, i, shape))
                continue;
            const double *n = scene_numbers(frames, i, shape);
            double points[3 * SCENE_REACH];
            if (isnan(level) && scene_reach(shape, n, points) > 0)
                level = n[axis];
            if (!is_flat_shape(shape, n, axis, isnan(level) ? 0 : level, view->size))
                return false;
        }
    return true;
}

static void find_gravity(const SceneFrames *frames, SceneView *view)
{
    const Scene *scene = frames->scene;
    for (size_t i = 0; i < scene->shapes.count; i++) {
        const SceneShape *shape = &scene->shapes.at[i];
        if (shape->kind != SCENE_GRAVITY || frames->count == 0)
            continue;
        const double *g = scene_numbers(frames, 0, shape);
        double size = hypot(hypot(g[0], g[1]), g[2]);
        for (int j = 0; j < 3 && size > 0 && isfinite(size); j++)
            view->up[j] = -g[j] / size;
    }
}

static void choose_direction(const SceneFrames *frames, SceneView *view)
{
    // From the side first: x to the right and z upwards.
    static const struct {
        int axis;
        double normal[3], up[3];
    } sides[] = {{1, {0, -1, 0}, {0, 0, 1}}, {2, {0, 0, 1}, {0, 1, 0}}, {0, {1, 0, 0}, {0, 0, 1}}};
    find_gravity(frames, view);
    bool falls = hypot(hypot(view->up[0], view->up[1]), view->up[2]) > 0;
    for (int k = 0; k < 3 && !view->planar; k++) {
        // Where nothing pulls, x and y are the plane that is meant.
        int i = falls ? k : (k + 1) % 3;
        if (!is_planar(frames, view, sides[i].axis))
            continue;
        view->planar = true;
        memcpy(view->normal, sides[i].normal, sizeof view->normal);
        if (!falls || fabs(view->up[sides[i].axis]) > 0.5)
            memcpy(view->up, sides[i].up, sizeof view->up);
    }
    if (view->planar)
        return;
    if (!falls)
        view->up[2] = 1;
    // From the right, in front and above, as long as up is along an axis.
    double side[] = {0.45, view->up[2] < -0.5 ? 1 : -1, 0};
    if (fabs(view->up[1]) > 0.5) {
        side[1] = 0;
        side[2] = 1;
    }
    double size = 0;
    for (int i = 0; i < 3; i++) {
        view->normal[i] = side[i] + 0.42 * view->up[i];
        size = hypot(size, view->normal[i]);
    }
    for (int i = 0; i < 3; i++)
        view->normal[i] /= size;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The largest one, and what nineteen of twenty are below, or a few times the middle one.
static void find_forces(const SceneFrames *frames, SceneView *view)
{
    enum { LOOKS = 200 };
    const Scene *scene = frames->scene;
    ARRAY(double) sizes = {0};
    size_t step = frames->count / LOOKS + 1;
    for (size_t i = 0; i < scene->shapes.count; i++)
        for (size_t j = 0; scene->shapes.at[i].kind == SCENE_FORCE && j < frames->count; j++) {
            const double *n = scene_numbers(frames, j, &scene->shapes.at[i]);
            double size = hypot(hypot(n[3], n[4]), n[5]);
            if (!isfinite(size))
                continue;
            view->force = fmax(view->force, size);
            if (j % step == 0)
                array_push(&sizes, size);
        }
    if (sizes.count > 0)
        qsort(sizes.at, sizes.count, sizeof *sizes.at, compare_doubles);
    size_t first = 0;
    while (first < sizes.count && sizes.at[first] <= TOL_SMALL * view->force)
        first++;
    size_t last = sizes.count - 1 - first;
    view->usual_force = first < sizes.count
                            ? fmin(sizes.at[first + last * 19 / 20], 4 * sizes.at[first + last / 2])
                            : 1;
    array_clear(&sizes);
}

SceneView scene_view(SceneFrames *frames)
{
    Scene *scene = frames->scene;
    SceneView view = {0};
    bound(frames, &view);
    choose_direction(frames, &view);
    find_forces(frames, &view);
    view.spin = scene->spin;
    for (size_t i = 0; i < scene->surfaces.count; i++) {
        SceneShape *shape = &scene->shapes.at[scene->surfaces.at[i].shape];
        if (shape->mesh != SCENE_NONE)
            continue;
        shape->mesh = scene->meshes.count;
        array_push(&scene->meshes, scene_surface(scene, &scene->surfaces.at[i], &view));
    }
    return view;
}

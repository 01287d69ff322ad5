// scene_data.c: a scene as JSON, for a page. Numbers are base64; places are the model's.
#include "base/decimal.h"
#include "show/base64_impl.h"
#include "show/json_impl.h"
#include "show/scene_impl.h"

#include <math.h>

static void add_number(const char *key, double value, Text *out)
{
    text_addf(out, ",\"%s\":", key);
    text_add_decimal(out, value);
}

static void add_place(const double at[3], Text *out)
{
    for (int i = 0; i < 3; i++) {
        text_add(out, i ? "," : "[");
        text_add_decimal(out, isfinite(at[i]) ? at[i] : 0);
    }
    text_add(out, "]");
}

static void add_shape(const SceneShape *shape, Text *out)
{
    text_addf(out, "{\"kind\":\"%s\",\"name\":", scene_kind_word(shape->kind));
    show_json_string(shape->name, out);
    text_addf(out, ",\"from\":%zu,\"palette\":%zu", shape->from, shape->palette);
    if (shape->guessed)
        text_add(out, ",\"guessed\":true");
    if (shape->has_colour)
        text_addf(out, ",\"colour\":\"#%06x\"", (unsigned)shape->colour);
    if (shape->opacity < 1)
        add_number("opacity", shape->opacity, out);
    if (shape->width != 1)
        add_number("width", shape->width, out);
    if (shape->visible != SCENE_NONE)
        text_addf(out, ",\"while\":%zu", shape->visible);
    if (shape->count > 0)
        text_addf(out, ",\"count\":%zu", shape->count);
    if (shape->kind == SCENE_SPRING)
        add_number("turns", shape->turns, out);
    if (shape->kind == SCENE_LABEL) {
        text_add(out, ",\"text\":");
        show_json_string(shape->text ? shape->text : "", out);
    }
    if (shape->mesh != SCENE_NONE)
        text_addf(out, ",\"mesh\":%zu", shape->mesh);
    if (shape->mode != SCENE_NONE)
        text_addf(out, ",\"mode\":%zu", shape->mode);
    if ((shape->kind == SCENE_FORCE || shape->kind == SCENE_FRICTION) && shape->one_sided)
        text_add(out, ",\"side\":true");
    text_add(out, "}");
}

static void add_mesh(const SceneMesh *mesh, Text *out)
{
    text_add(out, "{\"vertices\":\"");
    base64_add_floats(mesh->vertices.at, mesh->vertices.count, out);
    text_addf(out, "\",\"%s\":\"", mesh->corner_count == 3 ? "triangles" : "segments");
    // Two bytes count the vertices of most.
    base64_add_indices(mesh->corners.at, mesh->corners.count,
                       mesh->vertices.count / 3 <= UINT16_MAX ? 2 : 4, out);
    text_add(out, "\"}");
}

static void add_view(const SceneView *view, Text *out)
{
    text_addf(out, "{\"planar\":%s,\"normal\":", view->planar ? "true" : "false");
    add_place(view->normal, out);
    text_add(out, ",\"up\":");
    add_place(view->up, out);
    text_add(out, ",\"box\":[");
    add_place(view->low, out);
    text_add(out, ",");
    add_place(view->high, out);
    text_add(out, "]");
    add_number("size", view->size, out);
    text_addf(out, ",\"travels\":%s", view->travels ? "true" : "false");
    add_number("force", view->force, out);
    add_number("usual", view->usual_force, out);
    add_number("spin", view->spin, out);
    text_add(out, "}");
}

void scene_json(const Scene *scene, const SceneView *view, Text *out)
{
    text_add(out, "\"shapes\":[");
    for (size_t i = 0; i < scene->shapes.count; i++) {
        text_add(out, i ? "," : "");
        add_shape(&scene->shapes.at[i], out);
    }
    text_add(out, "],\"still\":\"");
    base64_add_floats(scene->still, scene->still_count, out);
    text_add(out, "\",\"meshes\":[");
    for (size_t i = 0; i < scene->meshes.count; i++) {
        text_add(out, i ? "," : "");
        add_mesh(&scene->meshes.at[i], out);
    }
    text_add(out, "],\"view\":");
    add_view(view, out);
}

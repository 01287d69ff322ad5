// picture.c: the system at instants of a run, as an SVG that stands alone: light or dark as the
// reader's screen is, the same bytes for the same run.
#include "show/picture_impl.h"
#include "show/show.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTANTS = 12, WIDTH = 480, HEIGHT = 360 };

struct ShowPicture {
    Scene *scene;
    SceneFrames frames;
    SceneView view;
    bool viewed;
};

Status show_picture_new(Motion *motion, Simulation *run, bool forces, Diag *diag,
                        ShowPicture **made)
{
    Scene *scene;
    *made = NULL;
    TRY(scene_new(motion, run, forces, diag, &scene));
    ShowPicture *picture = base_alloc(sizeof *picture);
    picture->scene = scene;
    scene_frames_init(&picture->frames, scene, 1);
    *made = picture;
    if (show_picture_shapes(picture) == 0)
        diag_add(diag, DIAG_WARNING, place_none(),
                 "there is nothing to draw: the model has no points, masses or bodies in space; "
                 "'draw' lines say what is seen");
    return STATUS_OK;
}

void show_picture_free(ShowPicture *picture)
{
    if (!picture)
        return;
    scene_frames_clear(&picture->frames);
    scene_free(picture->scene);
    base_free(picture);
}

void show_picture_row(ShowPicture *picture, const double *row)
{
    scene_frames_add(&picture->frames, row);
}

size_t show_picture_shapes(const ShowPicture *picture)
{
    size_t count = 0;
    for (size_t i = 0; i < picture->scene->shapes.count; i++) {
        SceneKind kind = picture->scene->shapes.at[i].kind;
        count += kind != SCENE_FORCE && kind != SCENE_FRICTION && kind != SCENE_MODE &&
                 kind != SCENE_GRAVITY;
    }
    return count;
}

// ---- The camera.

static void look(const SceneView *view, Camera *camera)
{
    const double *n = view->normal, *up = view->up;
    double size = 0;
    for (int i = 0; i < 3; i++) {
        camera->right[i] = up[(i + 1) % 3] * n[(i + 2) % 3] - up[(i + 2) % 3] * n[(i + 1) % 3];
        size = hypot(size, camera->right[i]);
    }
    for (int i = 0; i < 3; i++) {
        camera->right[i] /= size;
        camera->towards[i] = n[i];
    }
    for (int i = 0; i < 3; i++)
        camera->up[i] = n[(i + 1) % 3] * camera->right[(i + 2) % 3] -
                        n[(i + 2) % 3] * camera->right[(i + 1) % 3];
    camera->planar = view->planar;
    camera->size = view->size;
}

typedef struct {
    double low[3], high[3]; // right, up, towards
} Extent;

static void reach(const Camera *camera, const double *place, Extent *extent)
{
    const double *axes[] = {camera->right, camera->up, camera->towards};
    for (int i = 0; i < 3; i++) {
        double at = place[0] * axes[i][0] + place[1] * axes[i][1] + place[2] * axes[i][2];
        extent->low[i] = fmin(extent->low[i], at);
        extent->high[i] = fmax(extent->high[i], at);
    }
}

static void reach_frame(const ShowPicture *picture, size_t frame, const Camera *camera,
                        Extent *extent)
{
    double points[3 * SCENE_REACH];
    for (size_t i = 0; i < picture->scene->shapes.count; i++) {
        const SceneShape *shape = &picture->scene->shapes.at[i];
        if (!scene_is_drawn(&picture->frames, frame, shape))
            continue;
        const double *numbers = scene_numbers(&picture->frames, frame, shape);
        size_t count = scene_reach(shape, numbers, points);
        for (size_t j = 0; j < count; j++)
            reach(camera, points + 3 * j, extent);
    }
}

// Surfaces that are seen whole.
static void reach_surfaces(const ShowPicture *picture, const Camera *camera, Extent *extent)
{
    const SceneView *view = &picture->view;
    for (size_t i = 0; i < picture->scene->shapes.count; i++) {
        const SceneShape *shape = &picture->scene->shapes.at[i];
        if (shape->mesh == SCENE_NONE || shape->kind != SCENE_SURFACE)
            continue;
        const SceneMesh *mesh = &picture->scene->meshes.at[shape->mesh];
        bool inside = true;
        for (size_t j = 0; j < mesh->vertices.count && inside; j++)
            inside = mesh->vertices.at[j] >= view->low[j % 3] - 1e-3 * view->size &&
                     mesh->vertices.at[j] <= view->high[j % 3] + 1e-3 * view->size;
        for (size_t j = 0; j + 2 < mesh->vertices.count && inside; j += 3)
            reach(camera, mesh->vertices.at + j, extent);
    }
}

static void frame_picture(const ShowPicture *picture, size_t frame, Camera *camera)
{
    enum { LOOKS = 80 };
    const SceneView *view = &picture->view;
    Extent extent = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    bool follows = view->travels && picture->scene->surfaces.count == 0;
    size_t step = picture->frames.count / LOOKS + 1;
    for (size_t i = 0; i < picture->frames.count && !follows; i += step)
        reach_frame(picture, i, camera, &extent);
    reach_frame(picture, frame, camera, &extent);
    if (!follows)
        reach_surfaces(picture, camera, &extent);
    double axes[3] = {0}, least = (follows ? 1.6 : 0.4) * view->size, middle[3];
    for (int i = 0; i < 3; i++) {
        bool known = isfinite(extent.low[i]) && isfinite(extent.high[i]);
        middle[i] = known ? (extent.low[i] + extent.high[i]) / 2 : 0;
        axes[i] = known ? extent.high[i] - extent.low[i] : least;
    }
    double wide = fmax(axes[0], least), high = fmax(axes[1], 0.6 * least);
    camera->scale = fmin(0.86 * camera->width / wide, 0.82 * camera->height / high);
    for (int i = 0; i < 3; i++)
        camera->middle[i] = middle[0] * camera->right[i] + middle[1] * camera->up[i] +
                            middle[2] * camera->towards[i];
}

// ---- The picture.

static const char style[] =
    ".back{fill:#fff}text{fill:#222;font:14px sans-serif}polyline,polygon{stroke-linecap:round;"
    "stroke-linejoin:round}\n.light{fill:url(#light)}path{fill:none}.f{fill:currentColor;stroke:"
    "currentColor;stroke-width:.8}\n"
    "@media (prefers-color-scheme:dark){.back{fill:#16181c}text{fill:#e4e4e4}}\n";

static const char light[] =
    "<defs><radialGradient id=\"light\" cx=\".35\" cy=\".3\" r=\".75\"><stop offset=\"0\" "
    "stop-color=\"#fff\" stop-opacity=\".55\"/><stop offset=\".5\" stop-color=\"#fff\" "
    "stop-opacity=\"0\"/><stop offset=\"1\" stop-opacity=\".35\"/></radialGradient></defs>\n";

void show_picture_begin(double width, double height, Text *out)
{
    text_addf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
              "height=\"%.0f\">\n<style>\n%s",
              width, height, width, height, style);
    items_write_styles(out);
    text_addf(out, "</style>\n%s<rect class=\"back\" width=\"%.0f\" height=\"%.0f\"/>\n", light,
              width, height);
}

void show_picture_end(Text *out)
{
    text_add(out, "</svg>\n");
}

static size_t frame_at(const ShowPicture *picture, double t)
{
    const SceneFrames *frames = &picture->frames;
    size_t nearest = 0;
    for (size_t i = 1; i < frames->count; i++)
        if (fabs(frames->at[i * frames->width] - t) < fabs(frames->at[nearest * frames->width] - t))
            nearest = i;
    return nearest;
}

// When the row is that is nearest to t.
static double time_at(const ShowPicture *picture, double t)
{
    const SceneFrames *frames = &picture->frames;
    return frames->count > 0 ? frames->at[frame_at(picture, t) * frames->width] : t;
}

double show_picture_finish(ShowPicture *picture)
{
    scene_frames_end(&picture->frames);
    if (!picture->viewed)
        picture->view = scene_view(&picture->frames);
    picture->viewed = true;
    size_t count = picture->frames.count;
    return count > 0 ? picture->frames.at[(count - 1) * picture->frames.width] : 0;
}

// What is seen at t, sorted.
static Items see(ShowPicture *picture, double t, double width, double height)
{
    Items items = {0};
    show_picture_finish(picture);
    if (picture->frames.count == 0)
        return items;
    size_t frame = frame_at(picture, t);
    Camera camera = {.width = width, .height = height};
    look(&picture->view, &camera);
    frame_picture(picture, frame, &camera);
    for (size_t i = 0; i < picture->scene->shapes.count; i++)
        picture_shape(&picture->frames, frame, &picture->scene->shapes.at[i], &camera, &items);
    picture_forces(&picture->frames, frame, &picture->view, &camera, &items);
    items_sort(&items);
    return items;
}

void show_picture_panel(ShowPicture *picture, double t, const ShowPanel *panel, Text *out)
{
    text_addf(out, "<svg x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\">\n", panel->left,
              panel->top, panel->width, panel->height);
    Items items = see(picture, t, panel->width, panel->height);
    items_write(&items, out);
    items_clear(&items);
    if (panel->words) {
        text_addf(out, "<text x=\"6\" y=\"%.0f\">", panel->height - 6);
        show_html_escaped(panel->words, out);
        text_add(out, "</text>\n");
    }
    text_add(out, "</svg>\n");
}

void show_picture_latex(ShowPicture *picture, double t, Text *out)
{
    Items items = see(picture, t, WIDTH, HEIGHT);
    items_write_paper(&items, WIDTH, HEIGHT, out);
    items_clear(&items);
}

// ---- A file.

const char *show_picture_path(const char *wanted)
{
    const char *colon = strchr(wanted, ':');
    return colon ? colon + 1 : wanted;
}

// The numbers before the colon.
static bool read_instants(const char *wanted, double *instants, size_t *count)
{
    const char *end = show_picture_path(wanted);
    *count = 0;
    for (const char *at = wanted; at < end; at++) {
        char *behind;
        if (*count == MOST_INSTANTS)
            return false;
        instants[*count] = strtod(at, &behind);
        bool ends = *behind == (behind + 1 == end ? ':' : ',');
        if (behind == at || !ends || !isfinite(instants[(*count)++]))
            return false;
        at = behind;
    }
    return true;
}

Status show_picture_check(const char *wanted, Diag *diag)
{
    const char *path = show_picture_path(wanted), *dot = strrchr(path, '.');
    double instants[MOST_INSTANTS];
    size_t count;
    if (!dot || strcmp(dot, ".svg") != 0)
        return diag_error(diag, place_none(),
                          "'%s' is no place for a picture: name a file that ends in .svg, as in "
                          "FILE.svg or 0,1,2:FILE.svg",
                          path);
    if (!read_instants(wanted, instants, &count))
        return diag_error(diag, place_none(),
                          "before the colon of '%s' up to %d instants are expected, numbers with "
                          "commas between them, as in 0,1,2:FILE.svg",
                          wanted, MOST_INSTANTS);
    return STATUS_OK;
}

void show_picture_svg(ShowPicture *picture, const char *wanted, Text *out)
{
    double instants[MOST_INSTANTS] = {0};
    size_t count = 0;
    bool read = read_instants(wanted, instants, &count);
    assert(read);
    size_t panels = count > 0 ? count : 1;
    show_picture_finish(picture);
    show_picture_begin(WIDTH * (double)panels, HEIGHT, out);
    for (size_t i = 0; i < panels; i++) {
        Text words = {0};
        text_addf(&words, "t = %.6g", time_at(picture, instants[i]));
        ShowPanel panel = {.left = WIDTH * (double)i,
                           .width = WIDTH,
                           .height = HEIGHT,
                           .words = count > 0 ? words.at : NULL};
        show_picture_panel(picture, instants[i], &panel, out);
        text_clear(&words);
    }
    show_picture_end(out);
}

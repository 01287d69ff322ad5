// scene_parts.c: the parts that scenes are made of: kinds, shapes and their numbers.
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/vectors.h"
#include "program/program.h"
#include "show/scene_impl.h"
#include "show/survey_impl.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *word;
    size_t numbers;
} kinds[] = {
#define KIND(NAME, word, numbers) {word, numbers},
#include "show/scene_kinds.def"
#undef KIND
};

const char *scene_kind_word(SceneKind kind)
{
    return kinds[kind].word;
}

size_t scene_kind_numbers(SceneKind kind)
{
    return kinds[kind].numbers;
}

SceneShape *scene_begin(Scene *scene, SceneKind kind, const char *name)
{
    SceneShape shape = {.kind = kind,
                        .name = name,
                        .from = scene->values.count,
                        .opacity = 1,
                        .width = 1,
                        .visible = SCENE_NONE,
                        .mesh = SCENE_NONE,
                        .mode = SCENE_NONE};
    array_push(&scene->shapes, shape);
    return &scene->shapes.at[scene->shapes.count - 1];
}

void scene_add_expr(Scene *scene, Expr e)
{
    array_push(&scene->values, e);
}

void scene_add_number(Scene *scene, double number)
{
    scene_add_expr(scene, expr_double(scene->motion->pool, number));
}

void scene_add_vec(Scene *scene, Vec v)
{
    scene_add_expr(scene, v.x);
    scene_add_expr(scene, v.y);
    scene_add_expr(scene, v.z);
}

void scene_add_vector(Scene *scene, Vector v)
{
    scene_add_vec(scene, vector_in(scene->motion->model->vectors, v, (Frame){0}));
}

void scene_add_axis(Scene *scene, Frame frame, int axis)
{
    const Model *model = scene->motion->model;
    Expr unit[3];
    for (int i = 0; i < 3; i++)
        unit[i] = expr_int(model->pool, i == axis);
    scene_add_vector(scene, vector_of(model->vectors, frame, (Vec){unit[0], unit[1], unit[2]}));
}

void scene_add_turn(Scene *scene, Frame frame)
{
    scene_add_axis(scene, frame, 0);
    scene_add_axis(scene, frame, 1);
}

double scene_number(const Scene *scene, Expr e, double otherwise)
{
    RunState state = run_state(scene->run);
    double value = otherwise;
    if (expr_is_none(e))
        return otherwise;
    Program *program = program_new(scene->motion->pool, state.symbols, state.count, &e, 1, NULL);
    bool known = program_run_once(program, state.values, &value);
    return known && isfinite(value) ? value : otherwise;
}

// ---- Adding what no line of the model draws.

SceneShape *scene_guess_begin(SceneGuess *guess, SceneKind kind, const char *name)
{
    SceneShape *shape = scene_begin(guess->scene, kind, name);
    shape->guessed = true;
    return shape;
}

bool scene_is_linked(const SceneGuess *guess, size_t a, size_t b)
{
    for (size_t i = 0; i < guess->links.count; i++) {
        const SceneLink *link = &guess->links.at[i];
        if ((link->a == a && link->b == b) || (link->a == b && link->b == a))
            return true;
    }
    return false;
}

SceneShape *scene_guess_link(SceneGuess *guess, SceneKind kind, size_t a, size_t b)
{
    if (a == b || scene_is_linked(guess, a, b))
        return NULL;
    array_push(&guess->links, ((SceneLink){.a = a, .b = b}));
    SceneShape *shape = scene_guess_begin(guess, kind, scene_kind_word(kind));
    scene_add_vector(guess->scene, guess->survey->places.at[a].position);
    scene_add_vector(guess->scene, guess->survey->places.at[b].position);
    return shape;
}

void scene_guess_plane(SceneGuess *guess, SceneKind kind, const double n[3], double d)
{
    double scale = guess->survey->size + fabs(d);
    for (size_t i = 0; i < guess->planes.count; i++) {
        const ScenePlane *plane = &guess->planes.at[i];
        double along = plane->n[0] * n[0] + plane->n[1] * n[1] + plane->n[2] * n[2];
        if (fabs(fabs(along) - 1) <= TOL_SMALL &&
            fabs(copysign(plane->d, along * plane->d) - d) <= TOL_SMALL * scale)
            return;
    }
    ScenePlane plane = {.d = d};
    memcpy(plane.n, n, sizeof plane.n);
    array_push(&guess->planes, plane);
    scene_guess_begin(guess, kind, kind == SCENE_GROUND ? "ground" : "wall");
    for (int i = 0; i < 3; i++)
        scene_add_number(guess->scene, n[i]);
    scene_add_number(guess->scene, d);
}

void scene_mesh_clear(SceneMesh *mesh)
{
    array_clear(&mesh->vertices);
    array_clear(&mesh->corners);
}

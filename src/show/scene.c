// scene.c: what a picture shows, as numbers along a run.
//
// The model's `draw` lines, or where there are none what can be guessed: masses, bodies by their
// inertia, named points, traces of the points where bodies roll and the plane they roll on; and
// the reactions as arrows. All of it is one program of the state; a shape says where its numbers
// stand in what that gives.
#include "model/vectors.h"
#include "motion/motion.h"
#include "motion/reactions.h"
#include "show/scene_impl.h"

#include "program/program.h"
#include "show/show.h"

#include <assert.h>
#include <string.h>

struct Scene {
    Motion *motion;
    ARRAY(SceneShape) shapes;
    ARRAY(Expr) values;
    MotionReactions *reactions;
    Program *program;
    double *work;
};

// ---- Adding.

static void add_expr(Scene *scene, Expr e)
{
    array_push(&scene->values, e);
}

static void add_vec(Scene *scene, Vec v)
{
    add_expr(scene, v.x);
    add_expr(scene, v.y);
    add_expr(scene, v.z);
}

static void add_vector(Scene *scene, Vector v)
{
    add_vec(scene, vector_in(scene->motion->model->vectors, v, (Frame){0}));
}

// A unit vector of a frame, along world's axes.
static void add_axis(Scene *scene, Frame frame, int axis)
{
    const Model *model = scene->motion->model;
    Expr unit[3];
    for (int i = 0; i < 3; i++)
        unit[i] = expr_int(model->pool, i == axis);
    add_vector(scene, vector_of(model->vectors, frame, (Vec){unit[0], unit[1], unit[2]}));
}

static void begin(Scene *scene, const char *kind, const char *name)
{
    array_push(&scene->shapes, ((SceneShape){kind, name, scene->values.count}));
}

// The frame that turns with what is at this place: a body there, else world.
static Frame frame_at(const Scene *scene, Vector position)
{
    const Model *model = scene->motion->model;
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (body->has_position &&
            vector_is_zero(model->vectors, vector_sub(model->vectors, position, body->position)))
            return body->frame;
    }
    return (Frame){0};
}

// Two axes determine how something is turned.
static void add_turn(Scene *scene, Frame frame)
{
    add_axis(scene, frame, 0);
    add_axis(scene, frame, 1);
}

// ---- What the model draws.

static void add_plane(Scene *scene, int axis, Expr place)
{
    Expr zero = expr_int(scene->motion->pool, 0), one = expr_int(scene->motion->pool, 1);
    begin(scene, "plane", "plane");
    for (int i = 0; i < 3; i++)
        add_expr(scene, i == axis ? one : zero);
    add_expr(scene, place);
}

static void add_drawn(Scene *scene, const ModelDraw *draw)
{
    if (strcmp(draw->shape, "plane") == 0) {
        add_plane(scene, draw->plane_axis, draw->plane);
        return;
    }
    begin(scene, draw->shape, draw->shape);
    add_vector(scene, draw->first);
    if (strcmp(draw->shape, "line") == 0) {
        add_vector(scene, draw->second);
    } else if (strcmp(draw->shape, "disc") == 0) {
        add_vector(scene, draw->axis);
        add_expr(scene, draw->radius);
        add_turn(scene, frame_at(scene, draw->first));
    } else if (strcmp(draw->shape, "sphere") == 0) {
        add_expr(scene, draw->radius);
        add_turn(scene, frame_at(scene, draw->first));
    } else if (strcmp(draw->shape, "box") == 0) {
        add_turn(scene, draw->frame);
        add_vec(scene, vector_in(scene->motion->model->vectors, draw->size, draw->frame));
    }
}

// ---- What can be guessed.

// The edges of a box with these moments: 6(I_y + I_z − I_x)/m is the square of the one along x.
static void add_edges(Scene *scene, const ModelBody *body)
{
    ExprPool *pool = scene->motion->pool;
    for (int i = 0; i < 3; i++) {
        Expr others = expr_add(pool, body->inertia[(i + 1) % 3], body->inertia[(i + 2) % 3]);
        Expr square = expr_div(pool, expr_sub(pool, others, body->inertia[i]), body->mass);
        square = expr_mul(pool, expr_int(pool, 6), square);
        square = expr_call(pool, EXPR_MAX, square, expr_int(pool, 0));
        add_expr(scene, expr_sqrt(pool, square));
    }
}

static void guess_bodies(Scene *scene)
{
    const Model *model = scene->motion->model;
    for (size_t i = 0; i < model->masses.count; i++) {
        begin(scene, "mass", "mass");
        add_vector(scene, model->masses.at[i].position);
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!body->has_position)
            continue;
        bool sized = body->has_inertia && !expr_is_zero(model->pool, body->mass);
        begin(scene, sized ? "body" : "mass", body->name);
        add_vector(scene, body->position);
        if (sized) {
            add_turn(scene, body->inertia_frame);
            add_edges(scene, body);
            add_turn(scene, body->frame);
        }
    }
}

// Where bodies roll: a trace, and the level floor where the point stays on it.
static void guess_contacts(Scene *scene)
{
    const Model *model = scene->motion->model;
    bool floor = false;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        // The parts of a vector condition have the same places.
        bool repeated = i > 0 && constraint->place_count > 0 &&
                        model->constraints.at[i - 1].places == constraint->places;
        for (size_t j = 0; j < constraint->place_count && !repeated; j++) {
            const ModelPlace *place = &constraint->places[j];
            if (place->kind != PLACE_PARTICLE)
                continue;
            Vec at = vector_in(model->vectors, place->position, (Frame){0});
            begin(scene, "trace", place->name);
            add_vec(scene, at);
            if (expr_is_zero(model->pool, at.z) && !floor)
                add_plane(scene, 2, at.z);
            floor = floor || expr_is_zero(model->pool, at.z);
        }
    }
}

static void guess(Scene *scene)
{
    const Model *model = scene->motion->model;
    guess_bodies(scene);
    for (size_t i = 0; i < model->points.count; i++) {
        begin(scene, "point", model->points.at[i].name);
        add_vector(scene, model->points.at[i].position);
    }
    guess_contacts(scene);
}

static void add_reactions(Scene *scene)
{
    scene->reactions = motion_reactions(scene->motion, NULL);
    for (size_t i = 0; i < scene->reactions->at.count; i++) {
        const MotionReaction *reaction = &scene->reactions->at.at[i];
        if (!reaction->has_force)
            continue;
        begin(scene, "force", reaction->condition);
        add_vector(scene, reaction->position);
        add_vec(scene, reaction->force);
    }
}

// Says where up is.
static void add_gravity(Scene *scene)
{
    const Model *model = scene->motion->model;
    if (vector_is_zero(model->vectors, model->gravity))
        return;
    begin(scene, "gravity", "gravity");
    add_vector(scene, model->gravity);
}

// ---- The whole.

Scene *scene_new(Motion *motion, const Simulation *run)
{
    Scene *scene = base_alloc(sizeof *scene);
    scene->motion = motion;
    const Model *model = motion->model;
    for (size_t i = 0; i < model->draws.count; i++)
        add_drawn(scene, &model->draws.at[i]);
    if (model->draws.count == 0)
        guess(scene);
    add_reactions(scene);
    add_gravity(scene);
    RunState state = run_state(run);
    scene->program = program_new(motion->pool, state.symbols, state.count, scene->values.at,
                                 scene->values.count, NULL);
    size_t registers = scene->program ? program_registers(scene->program) : 0;
    scene->work = base_alloc((registers + 1) * sizeof *scene->work);
    return scene;
}

void scene_free(Scene *scene)
{
    if (!scene)
        return;
    program_free(scene->program);
    motion_reactions_free(scene->reactions);
    array_clear(&scene->shapes);
    array_clear(&scene->values);
    base_free(scene->work);
    base_free(scene);
}

size_t scene_width(const Scene *scene)
{
    return scene->program ? scene->values.count : 0;
}

void scene_evaluate(const Scene *scene, const Simulation *run, double *values)
{
    assert(scene->program);
    program_run_real(scene->program, run_state(run).values, values, scene->work);
}

void scene_json(const Scene *scene, Text *out)
{
    text_add(out, "[");
    for (size_t i = 0; i < scene->shapes.count && scene->program; i++) {
        const SceneShape *shape = &scene->shapes.at[i];
        text_addf(out, "%s{\"kind\":\"%s\",\"name\":", i ? "," : "", shape->kind);
        show_json_string(shape->name, out);
        text_addf(out, ",\"from\":%zu}", shape->from);
    }
    text_add(out, "]");
}

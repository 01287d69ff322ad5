// scene.c: what a picture shows, as numbers along a run.
//
// The model's `draw` lines, what can be guessed besides (scene_guess.c), and the reactions as
// arrows. What changes is one program of the state, what does not another one that runs once.
#include "expr/expr.h"
#include "model/vectors.h"
#include "motion/reactions.h"
#include "program/program.h"
#include "show/scene_impl.h"
#include "show/survey_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// How many points a curve has that stays as it is, and one that moves.
enum { STILL_POINTS = 193, MOVING_POINTS = 49 };

// ---- What the model draws.

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

static void add_plane(Scene *scene, const ModelDraw *draw, SceneKind kind)
{
    const Model *model = scene->motion->model;
    Vec gravity = vector_in(model->vectors, model->gravity, (Frame){0});
    Expr along[] = {gravity.x, gravity.y, gravity.z};
    // The free side is the one from where gravity pulls.
    int sign = scene_number(scene, along[draw->plane_axis], 0) > 0 ? -1 : 1;
    scene_begin(scene, kind, draw_shape_word(draw->shape));
    for (int i = 0; i < 3; i++)
        scene_add_number(scene, i == draw->plane_axis ? sign : 0);
    scene_add_expr(scene, sign < 0 ? expr_neg(model->pool, draw->plane) : draw->plane);
}

static bool is_moving(const Scene *scene, const Expr *values, size_t count)
{
    RunState state = run_state(scene->run);
    size_t params = scene->motion->model->params.count;
    for (size_t i = 0; i < count; i++)
        if (expr_holds_any(scene->motion->pool, values[i], state.symbols + params,
                           state.count - params))
            return true;
    return false;
}

static void add_curve(Scene *scene, const ModelDraw *draw)
{
    ExprPool *pool = scene->motion->pool;
    Vec point = vector_in(scene->motion->model->vectors, draw->first, (Frame){0});
    Expr parts[] = {point.x, point.y, point.z};
    size_t count = is_moving(scene, parts, 3) ? MOVING_POINTS : STILL_POINTS;
    Expr span = expr_sub(pool, draw->high, draw->low);
    scene_begin(scene, SCENE_CURVE, "curve")->count = count;
    for (size_t i = 0; i < count; i++) {
        Expr part = expr_ratio(pool, (int64_t)i, (int64_t)count - 1);
        Expr at = expr_add(pool, draw->low, expr_mul(pool, part, span));
        for (int j = 0; j < 3; j++)
            scene_add_expr(scene, expr_replace(pool, parts[j], &draw->variable, &at, 1));
    }
}

static void add_round(Scene *scene, const ModelDraw *draw, SceneKind kind)
{
    scene_begin(scene, kind, draw_shape_word(draw->shape));
    scene_add_vector(scene, draw->first);
    if (draw->shape != DRAW_SPHERE)
        scene_add_vector(scene, draw->axis);
    scene_add_expr(scene, draw->radius);
    if (!expr_is_none(draw->length))
        scene_add_expr(scene, draw->length);
    scene_add_turn(scene, draw->has_frame ? draw->frame : frame_at(scene, draw->first));
}

static void add_turned(Scene *scene, const ModelDraw *draw, SceneKind kind)
{
    scene_begin(scene, kind, draw_shape_word(draw->shape));
    scene_add_vector(scene, draw->first);
    scene_add_turn(scene, draw->frame);
    if (draw->shape == DRAW_BOX || draw->shape == DRAW_ELLIPSOID)
        scene_add_vec(scene, vector_in(scene->motion->model->vectors, draw->size, (Frame){0}));
    else if (draw->shape == DRAW_AXES)
        scene_add_expr(scene, draw->length);
    else
        scene_add_expr(scene,
                       expr_is_none(draw->scale) ? expr_int(scene->motion->pool, 1) : draw->scale);
}

static void add_points(Scene *scene, const ModelDraw *draw, SceneKind kind)
{
    SceneShape *shape = scene_begin(scene, kind, draw_shape_word(draw->shape));
    shape->turns = scene_number(scene, draw->turns, 8);
    shape->count = kind == SCENE_POLYGON ? draw->point_count : 0;
    for (size_t i = 0; i < draw->point_count; i++)
        scene_add_vector(scene, draw->points[i]);
    if (kind == SCENE_SPRING)
        scene_add_expr(scene, expr_is_none(draw->radius) ? expr_int(scene->motion->pool, 0)
                                                         : draw->radius);
}

static Status add_surface(Scene *scene, const ModelDraw *draw, Diag *diag)
{
    if (draw->text)
        return scene_condition_surface(scene, draw->text)
                   ? STATUS_OK
                   : diag_error(diag, draw->text_place,
                                "'%s' is no condition on the x, y and z of one place, so that it "
                                "has no surface; write 'draw surface' with an equation",
                                draw->text);
    scene_begin(scene, SCENE_SURFACE, "surface");
    SceneSurface surface = {.shape = scene->shapes.count - 1, .residual = draw->residual};
    memcpy(surface.xyz, draw->xyz, sizeof surface.xyz);
    array_push(&scene->surfaces, surface);
    return STATUS_OK;
}

static void add_simple(Scene *scene, const ModelDraw *draw, SceneKind kind)
{
    scene_begin(scene, kind, draw_shape_word(draw->shape))->text = draw->text;
    scene_add_vector(scene, draw->first);
    if (kind == SCENE_ARROW) {
        Vec along = vector_in(scene->motion->model->vectors, draw->axis, (Frame){0});
        scene_add_vec(scene, (Vec){scene_resolve(scene, along.x), scene_resolve(scene, along.y),
                                   scene_resolve(scene, along.z)});
    }
}

static Status add_mesh(Scene *scene, const ModelDraw *draw, Diag *diag)
{
    SceneMesh mesh = {0};
    TRY(scene_mesh_read(draw, diag, &mesh));
    add_turned(scene, draw, SCENE_MESH);
    scene->shapes.at[scene->shapes.count - 1].mesh = scene->meshes.count;
    array_push(&scene->meshes, mesh);
    return STATUS_OK;
}

static Status add_shape(Scene *scene, const ModelDraw *draw, Diag *diag)
{
    switch (draw->shape) {
    case DRAW_PLANE: add_plane(scene, draw, SCENE_PLANE); break;
    case DRAW_GROUND: add_plane(scene, draw, SCENE_GROUND); break;
    case DRAW_TRACE: add_points(scene, draw, SCENE_TRACE); break;
    case DRAW_LINE: add_points(scene, draw, SCENE_LINE); break;
    case DRAW_SPRING: add_points(scene, draw, SCENE_SPRING); break;
    case DRAW_POLYGON: add_points(scene, draw, SCENE_POLYGON); break;
    case DRAW_DISC: add_round(scene, draw, SCENE_DISC); break;
    case DRAW_RING: add_round(scene, draw, SCENE_RING); break;
    case DRAW_CYLINDER: add_round(scene, draw, SCENE_CYLINDER); break;
    case DRAW_CONE: add_round(scene, draw, SCENE_CONE); break;
    case DRAW_SPHERE: add_round(scene, draw, SCENE_SPHERE); break;
    case DRAW_BOX: add_turned(scene, draw, SCENE_BOX); break;
    case DRAW_ELLIPSOID: add_turned(scene, draw, SCENE_ELLIPSOID); break;
    case DRAW_AXES: add_turned(scene, draw, SCENE_AXES); break;
    case DRAW_MESH: return add_mesh(scene, draw, diag);
    case DRAW_CURVE: add_curve(scene, draw); break;
    case DRAW_ARROW: add_simple(scene, draw, SCENE_ARROW); break;
    case DRAW_LABEL: add_simple(scene, draw, SCENE_LABEL); break;
    case DRAW_SURFACE: return add_surface(scene, draw, diag);
    case DRAW_NONE:
    case DRAW_COUNT: break;
    }
    return STATUS_OK;
}

static bool is_solid(DrawShape shape)
{
    return shape == DRAW_DISC || shape == DRAW_RING || shape == DRAW_CYLINDER ||
           shape == DRAW_CONE || shape == DRAW_SPHERE || shape == DRAW_BOX ||
           shape == DRAW_ELLIPSOID || shape == DRAW_MESH || shape == DRAW_POLYGON;
}

// Solids have colours in turn; a trace that of a particle, an arrow that of a load.
static size_t palette_of(DrawShape shape, size_t *solids)
{
    return is_solid(shape) ? (*solids)++ : shape == DRAW_TRACE ? 5 : shape == DRAW_ARROW ? 1 : 6;
}

static Status add_drawn(Scene *scene, const ModelDraw *draw, size_t palette, Diag *diag)
{
    size_t before = scene->shapes.count;
    TRY(add_shape(scene, draw, diag));
    for (size_t i = before; i < scene->shapes.count; i++) {
        SceneShape *shape = &scene->shapes.at[i];
        shape->palette = palette % SCENE_PALETTE;
        shape->has_colour = draw->has_colour;
        shape->colour = draw->colour;
        shape->opacity = fmin(fmax(scene_number(scene, draw->opacity, 1), 0), 1);
        shape->width = fmax(scene_number(scene, draw->width, 1), 0);
        if (!expr_is_none(draw->visible)) {
            shape->visible = scene->values.count;
            scene_add_expr(scene, draw->visible);
        }
    }
    return STATUS_OK;
}

// ---- Reactions and gravity.

static bool is_one_sided(const Model *model, const char *name)
{
    for (size_t i = 0; i < model->constraints.count; i++)
        if (strcmp(model->constraints.at[i].name, name) == 0)
            return model->constraints.at[i].kind == CONSTRAINT_ONE_SIDED;
    return false;
}

// Where the force acts that a condition has at a place: of what pushes a ball, on its surface.
static Vec contact_of(Scene *scene, const MotionReaction *reaction)
{
    ExprPool *pool = scene->motion->pool;
    Vec at = vector_in(scene->motion->model->vectors, reaction->position, (Frame){0});
    Expr radius = {0};
    for (size_t i = 0; i < scene->shapes.count; i++) {
        const SceneShape *shape = &scene->shapes.at[i];
        const Expr *n = scene->values.at + shape->from;
        if ((shape->kind == SCENE_SPHERE || shape->kind == SCENE_DISC) && expr_same(n[0], at.x) &&
            expr_same(n[1], at.y) && expr_same(n[2], at.z))
            radius = n[shape->kind == SCENE_SPHERE ? 3 : 6];
    }
    if (expr_is_none(radius) || !scene_condition_pushes(scene, reaction->condition))
        return at;
    Vec f = reaction->force;
    Expr square = expr_add(pool, expr_mul(pool, f.x, f.x),
                           expr_add(pool, expr_mul(pool, f.y, f.y), expr_mul(pool, f.z, f.z)));
    Expr part = expr_div(pool, radius, expr_sqrt(pool, square));
    return (Vec){expr_sub(pool, at.x, expr_mul(pool, part, f.x)),
                 expr_sub(pool, at.y, expr_mul(pool, part, f.y)),
                 expr_sub(pool, at.z, expr_mul(pool, part, f.z))};
}

static void add_reactions(Scene *scene)
{
    scene->reactions = motion_reactions(scene->motion, NULL);
    for (size_t i = 0; i < scene->reactions->at.count; i++) {
        const MotionReaction *reaction = &scene->reactions->at.at[i];
        if (!reaction->has_force || scene_rubs(scene, reaction->condition))
            continue;
        SceneShape *shape = scene_begin(scene, SCENE_FORCE, reaction->condition);
        shape->one_sided = is_one_sided(scene->motion->model, reaction->condition);
        scene_add_vec(scene, contact_of(scene, reaction));
        scene_add_vec(scene, reaction->force);
    }
}

// Says where up is.
static void add_gravity(Scene *scene)
{
    const Model *model = scene->motion->model;
    if (vector_is_zero(model->vectors, model->gravity))
        return;
    scene_begin(scene, SCENE_GRAVITY, "gravity");
    scene_add_vector(scene, model->gravity);
}

static double spin_of(const Scene *scene, Frame frame)
{
    Vectors *vectors = scene->motion->model->vectors;
    Vec omega = vector_in(vectors, frame_omega(vectors, frame), (Frame){0});
    return hypot(hypot(scene_number(scene, omega.x, 0), scene_number(scene, omega.y, 0)),
                 scene_number(scene, omega.z, 0));
}

static void find_spin(Scene *scene)
{
    const Model *model = scene->motion->model;
    for (size_t i = 0; i < model->bodies.count; i++)
        scene->spin = fmax(scene->spin, spin_of(scene, model->bodies.at[i].frame));
    for (size_t i = 0; i < model->draws.count; i++)
        if (model->draws.at[i].has_frame)
            scene->spin = fmax(scene->spin, spin_of(scene, model->draws.at[i].frame));
}

// ---- Numbers that change stand before those that do not.

typedef enum { STILL, MOVING, UNKNOWN } Change;

// UNKNOWN: it holds symbols that the run does not tell.
static Change change_of(const Scene *scene, const unsigned char *classes, size_t from, size_t to)
{
    ExprList symbols = expr_symbols(scene->motion->pool, scene->values.at + from, to - from);
    Change change = STILL;
    for (size_t i = 0; i < symbols.count; i++) {
        unsigned char class = classes[symbols.at[i]];
        if (class == 0)
            change = UNKNOWN;
        else if (class == 2 && change == STILL)
            change = MOVING;
    }
    expr_list_free(&symbols);
    return change;
}

// By symbol: 1 for parameters, 2 for what changes, 0 for what is not known. Discrete states, which
// are among the parameters, change.
static unsigned char *classify_symbols(const Scene *scene)
{
    RunState state = run_state(scene->run);
    const Model *model = scene->motion->model;
    unsigned char *classes = base_alloc(expr_pool_size(scene->motion->pool) + 1);
    for (size_t i = 0; i < state.count; i++)
        classes[state.symbols[i].at] =
            i < model->params.count && !model->params.at[i].is_state ? 1 : 2;
    for (size_t i = 0; i < scene->columns.count; i++)
        classes[scene->columns.at[i].symbol.at] = 2;
    return classes;
}

static void arrange(Scene *scene)
{
    unsigned char *classes = classify_symbols(scene);
    Expr *values = base_alloc((scene->values.count + 1) * sizeof *values);
    size_t shapes = scene->shapes.count, all = scene->values.count;
    size_t *ends = base_alloc((shapes + 1) * sizeof *ends);
    Change *changes = base_alloc((shapes + 1) * sizeof *changes);
    for (size_t i = 0; i < shapes; i++) {
        ends[i] = i + 1 < shapes ? scene->shapes.at[i + 1].from : all;
        changes[i] = change_of(scene, classes, scene->shapes.at[i].from, ends[i]);
        if (changes[i] == MOVING)
            scene->width += ends[i] - scene->shapes.at[i].from;
    }
    size_t *places = base_alloc((shapes + 1) * sizeof *places);
    size_t next[] = {[STILL] = scene->width, [MOVING] = 0, [UNKNOWN] = 0};
    size_t kept = 0;
    for (size_t i = 0; i < shapes; i++) {
        SceneShape *shape = &scene->shapes.at[i];
        size_t from = shape->from, count = ends[i] - from;
        if (changes[i] == UNKNOWN)
            continue;
        memcpy(values + next[changes[i]], scene->values.at + from, count * sizeof *values);
        shape->from = next[changes[i]];
        if (shape->visible != SCENE_NONE)
            shape->visible = shape->visible - from + shape->from;
        next[changes[i]] += count;
        for (size_t j = 0; j < scene->surfaces.count; j++)
            if (scene->surfaces.at[j].shape == i)
                scene->surfaces.at[j].shape = kept;
        places[i] = kept;
        scene->shapes.at[kept++] = *shape;
    }
    scene->shapes.count = kept;
    for (size_t i = 0; i < kept; i++)
        if (scene->shapes.at[i].mode != SCENE_NONE)
            scene->shapes.at[i].mode = scene->shapes.at[places[scene->shapes.at[i].mode]].from;
    base_free(places);
    scene->still_count = next[STILL] - scene->width;
    if (next[STILL] > 0)
        memcpy(scene->values.at, values, next[STILL] * sizeof *values);
    base_free(values);
    base_free(ends);
    base_free(changes);
    base_free(classes);
}

static void compile(Scene *scene)
{
    RunState state = run_state(scene->run);
    ExprPool *pool = scene->motion->pool;
    size_t count = state.count + scene->columns.count;
    Expr *symbols = base_alloc((count + 1) * sizeof *symbols);
    memcpy(symbols, state.symbols, state.count * sizeof *symbols);
    for (size_t i = 0; i < scene->columns.count; i++)
        symbols[state.count + i] = scene->columns.at[i].symbol;
    scene->program = program_new(pool, symbols, count, scene->values.at, scene->width, NULL);
    base_free(symbols);
    scene->inputs = base_alloc((count + 1) * sizeof *scene->inputs);
    Program *still = program_new(pool, state.symbols, state.count, scene->values.at + scene->width,
                                 scene->still_count, NULL);
    assert(scene->program && still);
    scene->work = base_alloc((program_registers(scene->program) + 1) * sizeof *scene->work);
    scene->still = base_alloc((scene->still_count + 1) * sizeof *scene->still);
    program_run_once(still, state.values, scene->still);
}

// ---- The whole.

Status scene_new(Motion *motion, const Simulation *run, bool forces, Diag *diag, Scene **made)
{
    Scene *scene = base_alloc(sizeof *scene);
    const Model *model = motion->model;
    Status status = STATUS_OK;
    scene->motion = motion;
    scene->run = run;
    scene->survey = base_alloc(sizeof *scene->survey);
    *scene->survey = survey_new(motion, run);
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++)
        scene->xyz[i] = expr_symbol_new(motion->pool, axes[i]);
    size_t solids = 0;
    for (size_t i = 0; i < model->draws.count && status == STATUS_OK; i++) {
        const ModelDraw *draw = &model->draws.at[i];
        status = add_drawn(scene, draw, palette_of(draw->shape, &solids), diag);
    }
    if (status == STATUS_OK && !model->draws_alone)
        scene_guess(scene);
    *made = scene;
    if (status != STATUS_OK) {
        scene_free(scene);
        *made = NULL;
        return status;
    }
    if (forces)
        add_reactions(scene);
    scene_add_frictions(scene);
    add_gravity(scene);
    find_spin(scene);
    arrange(scene);
    compile(scene);
    return STATUS_OK;
}

void scene_free(Scene *scene)
{
    if (!scene)
        return;
    program_free(scene->program);
    survey_clear(scene->survey);
    base_free(scene->survey);
    motion_reactions_free(scene->reactions);
    for (size_t i = 0; i < scene->meshes.count; i++)
        scene_mesh_clear(&scene->meshes.at[i]);
    array_clear(&scene->meshes);
    array_clear(&scene->surfaces);
    array_clear(&scene->shapes);
    array_clear(&scene->values);
    base_free(scene->still);
    base_free(scene->work);
    base_free(scene->inputs);
    array_clear(&scene->columns);
    base_free(scene);
}

size_t scene_width(const Scene *scene)
{
    return scene->width;
}

void scene_evaluate(const Scene *scene, const double *row, double *values)
{
    assert(scene->program && row);
    RunState state = run_state(scene->run);
    memcpy(scene->inputs, state.values, state.count * sizeof *state.values);
    for (size_t i = 0; i < scene->columns.count; i++)
        scene->inputs[state.count + i] = row[scene->columns.at[i].column];
    program_run_real(scene->program, scene->inputs, values, scene->work);
}

// scene_friction.c: dry friction in a picture: the whole reaction where particles meet, the cone
// that it may not leave, whether it sticks or slips, and paths that tell the same.
//
// Which mode a friction is in, and its force, are columns of a row: the scene reads them beside the
// state of the run.
#include "expr/expr.h"
#include "model/friction.h"
#include "model/vectors.h"
#include "motion/frictions.h"
#include "motion/motion_types.h"
#include "show/scene_impl.h"

#include <string.h>

Expr scene_column(Scene *scene, const char *prefix, const char *name, const char *suffix)
{
    ExprPool *pool = scene->motion->pool;
    Text text = {0};
    text_addf(&text, "%s%s%s", prefix, name, suffix);
    Expr symbol = expr_int(pool, 0);
    for (size_t i = 0; i < run_column_count(scene->run); i++)
        if (strcmp(run_column_name(scene->run, i), text.at) == 0) {
            symbol = expr_symbol_new(pool, text.at);
            array_push(&scene->columns, ((SceneColumn){symbol, i}));
            break;
        }
    text_clear(&text);
    return symbol;
}

bool scene_rubs(const Scene *scene, const char *condition)
{
    const Motion *motion = scene->motion;
    for (size_t i = 0; i < motion->friction_count; i++)
        if (motion->frictions[i].constraint &&
            strcmp(motion->frictions[i].friction->name, condition) == 0)
            return true;
    return false;
}

Expr scene_resolve(Scene *scene, Expr e)
{
    const Motion *motion = scene->motion;
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *own = &motion->frictions[i];
        Expr normal = own->friction->normal, slip = own->friction->slip;
        if (own->constraint && expr_holds(pool, e, normal)) {
            Expr force = expr_mul(pool, own->pressure,
                                  expr_call(pool, EXPR_ABS, own->constraint->lambda, (Expr){0}));
            e = expr_replace(pool, e, &normal, &force, 1);
        }
        if (expr_holds(pool, e, slip)) {
            Expr speed = scene_column(scene, "slip.", own->friction->name, "");
            e = expr_replace(pool, e, &slip, &speed, 1);
        }
    }
    return e;
}

static Vec no_vec(ExprPool *pool)
{
    Expr zero = expr_int(pool, 0);
    return (Vec){zero, zero, zero};
}

// The normal force on its body: of a one-sided condition against ∂f/∂q.
static Vec normal_force(const Motion *motion, const MotionFriction *own)
{
    ExprPool *pool = motion->pool;
    if (!own->constraint)
        return no_vec(pool);
    Expr size = expr_mul(pool, own->pressure, own->constraint->lambda);
    return vec_scale(pool, own->side != SIZE_MAX ? expr_neg(pool, size) : size, own->normal);
}

static void add_force(Scene *scene, const MotionFriction *own, Vec force)
{
    SceneShape *shape = scene_begin(scene, SCENE_FORCE, own->friction->name);
    shape->one_sided = own->side != SIZE_MAX;
    scene_add_vec(scene, own->place);
    scene_add_vec(scene, force);
}

static void add_friction(Scene *scene, const MotionFriction *own)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    ExprPool *pool = scene->motion->pool;
    const ModelFriction *friction = own->friction;
    // Of a joint it is a couple, which is no force at a place.
    bool placed = friction->kind == FRICTION_ON_CONDITION || friction->kind == FRICTION_AT;
    Vec normal = normal_force(scene->motion, own), force = no_vec(pool);
    if (placed) {
        force = (Vec){scene_column(scene, "friction.", friction->name, axes[0]),
                      scene_column(scene, "friction.", friction->name, axes[1]),
                      scene_column(scene, "friction.", friction->name, axes[2])};
        Vec whole = vec_plus(pool, normal, force);
        add_force(scene, own, whole);
        if (friction->other != FRICTION_WORLD)
            add_force(scene, own, vec_scale(pool, expr_int(pool, -1), whole));
    }
    scene_begin(scene, SCENE_FRICTION, friction->name)->one_sided = own->constraint != NULL;
    scene_add_vec(scene, own->place);
    scene_add_vec(scene, normal);
    scene_add_expr(scene, scene_resolve(scene, friction->hold));
    scene_add_expr(scene, scene_column(scene, "mode.", friction->name, ""));
    scene_add_expr(scene, friction->kind != FRICTION_AGAINST
                              ? expr_int(pool, 0)
                              : scene_column(scene, "friction.", friction->name, ""));
}

// Whether a path is of what a friction holds: a coordinate moves both.
static bool moves_both(const Scene *scene, const MotionFriction *own, const Expr *path)
{
    const Motion *motion = scene->motion;
    for (size_t nu = 0; nu < motion->n; nu++)
        for (size_t k = 0; k < own->rows; k++)
            if (!expr_is_zero(motion->pool, own->sticks[k].b[nu]) &&
                expr_holds_any(motion->pool, path[0], &motion->q[nu], 1) +
                        expr_holds_any(motion->pool, path[1], &motion->q[nu], 1) +
                        expr_holds_any(motion->pool, path[2], &motion->q[nu], 1) >
                    0)
                return true;
    return false;
}

// The mode of a path: the freest of those that count.
static void mark_path(Scene *scene, size_t trace)
{
    const Motion *motion = scene->motion;
    Expr mode = {0}, path[3];
    memcpy(path, scene->values.at + scene->shapes.at[trace].from, sizeof path);
    for (size_t i = 0; i < motion->friction_count; i++) {
        if (!moves_both(scene, &motion->frictions[i], path))
            continue;
        Expr own = scene_column(scene, "mode.", motion->frictions[i].friction->name, "");
        mode = expr_is_none(mode) ? own : expr_call(motion->pool, EXPR_MAX, mode, own);
    }
    if (expr_is_none(mode))
        return;
    scene->shapes.at[trace].mode = scene->shapes.count;
    scene_begin(scene, SCENE_MODE, "mode");
    scene_add_expr(scene, mode);
}

void scene_add_frictions(Scene *scene)
{
    size_t before = scene->shapes.count;
    for (size_t i = 0; i < before && scene->motion->friction_count > 0; i++)
        if (scene->shapes.at[i].kind == SCENE_TRACE)
            mark_path(scene, i);
    for (size_t i = 0; i < scene->motion->friction_count; i++)
        add_friction(scene, &scene->motion->frictions[i]);
}

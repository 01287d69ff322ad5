// same_model.h: two texts of one system, by what the model holds of it, printed.
#ifndef ZWANG_TESTS_SAME_MODEL_H
#define ZWANG_TESTS_SAME_MODEL_H

#include "reading.h"

#include "model/vectors.h"

static inline void add_expr(const Model *model, const char *what, Expr e, Text *out)
{
    text_addf(out, "%s ", what);
    if (expr_is_none(e))
        text_add(out, "none");
    else
        expr_print(model->pool, e, out);
    text_add(out, "\n");
}

static inline void add_vector(const Model *model, const char *what, Vector v, Text *out)
{
    Vec parts = vector_in(model->vectors, v, (Frame){0});
    add_expr(model, what, parts.x, out);
    add_expr(model, what, parts.y, out);
    add_expr(model, what, parts.z, out);
}

static inline void add_body(const Model *model, const ModelBody *body, Text *out)
{
    add_expr(model, body->name, body->mass, out);
    add_vector(model, "at", body->position, out);
    for (int i = 0; i < 6 && body->has_inertia; i++)
        add_expr(model, "inertia", body->inertia[i], out);
    for (int axis = 0; axis < 3; axis++) {
        Expr one = expr_int(model->pool, 1), zero = expr_int(model->pool, 0);
        Vec unit = {axis == 0 ? one : zero, axis == 1 ? one : zero, axis == 2 ? one : zero};
        add_vector(model, "axis", vector_of(model->vectors, body->frame, unit), out);
    }
}

static inline void add_names(const Model *model, Text *out)
{
    for (size_t i = 0; i < model->params.count; i++)
        add_expr(model, model->params.at[i].name, model->params.at[i].value, out);
    for (size_t i = 0; i < model->coords.count; i++)
        text_addf(out, "coord %s\n", model->coords.at[i].name);
    for (size_t i = 0; i < model->outputs.count; i++)
        add_expr(model, model->outputs.at[i].name, model->outputs.at[i].value, out);
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *start = &model->starts.at[i];
        text_addf(out, "start %d %zu %d", (int)start->of, start->target, (int)start->approx);
        add_expr(model, "", start->value, out);
    }
}

// Everything that moves the system. Points between names are written as lines, so that names of
// parts may be compared with plain ones.
static inline Text printed(const Model *model)
{
    Text out = {0};
    add_names(model, &out);
    for (size_t i = 0; i < model->masses.count; i++) {
        add_expr(model, "mass", model->masses.at[i].mass, &out);
        add_vector(model, "at", model->masses.at[i].position, &out);
    }
    for (size_t i = 0; i < model->bodies.count; i++)
        add_body(model, &model->bodies.at[i], &out);
    for (size_t i = 0; i < model->forces_along.count; i++)
        add_expr(model, "along", model->forces_along.at[i].force, &out);
    for (size_t i = 0; i < model->forces_at.count; i++)
        add_vector(model, "force", model->forces_at.at[i].force, &out);
    for (size_t i = 0; i < model->torques.count; i++)
        add_vector(model, "torque", model->torques.at[i].torque, &out);
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *row = &model->constraints.at[i];
        text_addf(&out, "%s %s %zu", row->name, constraint_kind_name(row->kind), row->place_count);
        add_expr(model, ":", row->residual, &out);
    }
    add_expr(model, "kinetic", model->kinetic, &out);
    add_expr(model, "potential", model->potential, &out);
    add_expr(model, "dissipation", model->dissipation, &out);
    add_vector(model, "gravity", model->gravity, &out);
    for (size_t i = 0; i < out.length; i++)
        if (out.at[i] == '.')
            out.at[i] = '_';
    return out;
}

// Two texts are one model.
static inline void assert_same_models(const char *one, const char *other)
{
    Reading a = read_good(one), b = read_good(other);
    Text first = printed(a.model), second = printed(b.model);
    assert_string_equal(first.at, second.at);
    text_clear(&first);
    text_clear(&second);
    finish(&a);
    finish(&b);
}

#endif

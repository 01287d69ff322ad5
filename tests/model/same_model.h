// same_model.h: two texts of one system, by what the model holds of it, printed.
#ifndef ZWANG_TESTS_SAME_MODEL_H
#define ZWANG_TESTS_SAME_MODEL_H

#include "reading.h"

#include "algebra/algebra.h"
#include "model/vectors.h"

#include <stdlib.h>

static inline void add_expr(const Model *model, const char *what, Expr e, Text *out)
{
    text_addf(out, "%s\t", what);
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
        text_addf(&out, "%s %s", row->name, constraint_kind_name(row->kind));
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

static inline Expr read_printed(ExprPool *pool, Str text)
{
    Diag *diag = diag_new();
    char *copy = strndup(text.at, text.length);
    Source *source = source_new("printed", copy, text.length);
    Expr value;
    assert_int_equal(model_read_expression(pool, source, diag, &value), STATUS_OK);
    source_free(source);
    free(copy);
    diag_free(diag);
    return value;
}

// A line is words, a tab, and an expression: the words are the same, and the difference of the
// expressions is 0, whatever the order of their terms.
static inline bool is_same_line(Algebra *algebra, ExprPool *pool, Str a, Str b)
{
    const char *one = memchr(a.at, '\t', a.length), *other = memchr(b.at, '\t', b.length);
    if (str_equal(a, b))
        return true;
    if (!one || !other || one - a.at != other - b.at ||
        memcmp(a.at, b.at, (size_t)(one - a.at)) != 0)
        return false;
    Expr first = read_printed(pool, (Str){one + 1, a.length - (size_t)(one + 1 - a.at)});
    Expr second = read_printed(pool, (Str){other + 1, b.length - (size_t)(other + 1 - b.at)});
    Verdict verdict = algebra_is_zero(algebra, expr_sub(pool, first, second));
    bool same = verdict.answer == ANSWER_YES;
    verdict_clear(&verdict);
    return same;
}

static inline Str next_line(const char **at)
{
    Str line = {*at, strcspn(*at, "\n")};
    *at += line.length + ((*at)[line.length] == '\n');
    return line;
}

// Two texts are one model.
static inline void assert_same_models(const char *one, const char *other)
{
    Reading a = read_good(one), b = read_good(other);
    Text first = printed(a.model), second = printed(b.model);
    const char *at = first.at, *there = second.at;
    ExprPool *pool = expr_pool_new();
    Algebra *algebra = algebra_new(pool);
    while (*at || *there) {
        Str left = next_line(&at), right = next_line(&there);
        bool same = is_same_line(algebra, pool, left, right);
        if (!same)
            print_message("%.*s\n%.*s\n", (int)left.length, left.at, (int)right.length, right.at);
        assert_true(same);
    }
    algebra_free(algebra);
    expr_pool_free(pool);
    text_clear(&first);
    text_clear(&second);
    finish(&a);
    finish(&b);
}

#endif

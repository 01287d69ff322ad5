// rates_kane.c: Kane's equations for u', as matrix·u' = right.
//
// Bodies are taken together (rates_bodies.c), or each by itself in the frame where its velocity is
// cheap; energies that were given by d/dt ∂E/∂q' − ∂E/∂q; the loads by the columns of B.
#include "dynamics/equations_types.h"
#include "dynamics/rates_impl.h"
#include "dynamics/stop_request.h"
#include "expr/arithmetic.h"
#include "model/model.h"
#include "model/vector_types.h"
#include "model/vectors.h"
#include "motion/given_energy.h"
#include "motion/inertia.h"
#include "motion/spin.h"

#include <assert.h>

typedef struct {
    RatesBuilder *builder;
    ExprRates **along;        // k: forward along the columns of B, of velocities
    ExprRates **along_a;      // and of accelerations
    Expr *partials, *momenta; // k each, of the component in hand
} Kane;

static void add_to(RatesBuilder *builder, Expr *sum, Expr a, Expr b)
{
    *sum = expr_add(builder->pool, *sum, expr_mul(builder->pool, a, b));
}

// Adds factor_α·(∂`momentum`/∂u_β) to the matrix and −factor_α·inertia to the right side.
static void add_products(Kane *kane, const Expr *factors, Expr inertia)
{
    RatesBuilder *builder = kane->builder;
    size_t k = builder->k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        if (expr_is_zero(builder->pool, factors[alpha]))
            continue;
        for (size_t beta = 0; beta <= alpha; beta++)
            add_to(builder, &builder->matrix[alpha * k + beta], factors[alpha],
                   kane->momenta[beta]);
        add_to(builder, &builder->right[alpha], factors[alpha], expr_neg(builder->pool, inertia));
    }
}

static bool goes_on(const RatesBuilder *builder)
{
    return stop_not_requested(builder->recipe.state->stop);
}

// One component of a velocity, of its momentum, and of what its inertia takes for u' = 0.
static void add_component(Kane *kane, Expr velocity, Expr momentum, Expr inertia)
{
    RatesBuilder *builder = kane->builder;
    velocity = builder_fixed(builder, velocity);
    momentum = builder_fixed(builder, momentum);
    inertia = builder_name(builder, builder_reduced(builder, inertia));
    for (size_t alpha = 0; alpha < builder->k; alpha++) {
        kane->partials[alpha] = builder_name(builder, expr_rate(kane->along[alpha], velocity));
        kane->momenta[alpha] = builder_name(builder, expr_rate(kane->along[alpha], momentum));
    }
    add_products(kane, kane->partials, inertia);
}

static void add_vectors(Kane *kane, Vec velocity, Vec momentum, Vec inertia)
{
    add_component(kane, velocity.x, momentum.x, inertia.x);
    add_component(kane, velocity.y, momentum.y, inertia.y);
    add_component(kane, velocity.z, momentum.z, inertia.z);
}

static void add_particle(Kane *kane, Expr mass, Vector position)
{
    Vectors *vectors = kane->builder->motion->model->vectors;
    ExprPool *pool = kane->builder->pool;
    Vector velocity = vector_rate(vectors, position);
    Vector acceleration =
        vector_sub(vectors, vector_rate(vectors, velocity), kane->builder->motion->model->gravity);
    Frame frame =
        frame_join(vectors, vector_home(vectors, velocity), vector_home(vectors, acceleration));
    Vec v = vector_in(vectors, velocity, frame);
    add_vectors(kane, v, vec_scale(pool, mass, v),
                vec_scale(pool, mass, vector_in(vectors, acceleration, frame)));
}

static void add_bodies(Kane *kane)
{
    Motion *motion = kane->builder->motion;
    const Model *model = motion->model;
    for (size_t i = 0; i < model->masses.count && goes_on(kane->builder); i++)
        add_particle(kane, model->masses.at[i].mass, model->masses.at[i].position);
    for (size_t i = 0; i < model->bodies.count && goes_on(kane->builder); i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!expr_is_zero(model->pool, body->mass))
            add_particle(kane, body->mass, body->position);
        if (body->has_inertia) {
            Vec omega, couple;
            motion_spin(motion, body, &omega, &couple);
            add_vectors(kane, omega, motion_inertia_times(motion, body, omega), couple);
        }
    }
}

// d/dt ∂E/∂q'_ν − ∂E/∂q_ν, and what `acceleration_energy` gives beside T, on the virtual
// velocities.
static void add_energy(Kane *kane, Expr energy)
{
    RatesBuilder *builder = kane->builder;
    Motion *motion = builder->motion;
    ExprPool *pool = builder->pool;
    size_t n = builder->n, k = builder->k;
    Expr *momenta = arena_array(builder->arena, Expr, 2 * n), *slopes = momenta + n;
    expr_gradient(pool, energy, motion->v, n, momenta);
    expr_gradient(pool, energy, motion->q, n, slopes);
    for (size_t nu = 0; nu < n && goes_on(builder); nu++) {
        Expr parts[] = {expr_rate(motion->dt, momenta[nu]), expr_neg(pool, slopes[nu]),
                        motion->rest_of_S[nu]};
        Expr inertia = builder_name(builder, builder_reduced(builder, expr_sum(pool, parts, 3)));
        Expr momentum = builder_fixed(builder, momenta[nu]),
             given = builder_fixed(builder, motion->rest_of_S[nu]);
        for (size_t beta = 0; beta < k; beta++)
            kane->momenta[beta] =
                builder_name(builder, expr_add(pool, expr_rate(kane->along[beta], momentum),
                                               expr_rate(kane->along_a[beta], given)));
        add_products(kane, builder->B + nu * k, inertia);
    }
}

static void add_forces(RatesBuilder *builder)
{
    size_t k = builder->k;
    Expr *loads = arena_array(builder->arena, Expr, builder->n);
    motion_loads(builder->motion, loads);
    for (size_t nu = 0; nu < builder->n && goes_on(builder); nu++) {
        Expr force = builder_name(builder, builder_reduced(builder, loads[nu]));
        for (size_t alpha = 0; alpha < k; alpha++)
            add_to(builder, &builder->right[alpha], builder->B[nu * k + alpha], force);
    }
}

bool builder_equations(RatesBuilder *builder, bool together)
{
    assert(builder->B && builder->k <= builder->n);
    Motion *motion = builder->motion;
    ExprPool *pool = builder->pool;
    Arena *arena = builder->arena;
    size_t k = builder->k;
    Kane kane = {.builder = builder,
                 .along = arena_array(arena, ExprRates *, k),
                 .along_a = arena_array(arena, ExprRates *, k),
                 .partials = arena_array(arena, Expr, k),
                 .momenta = arena_array(arena, Expr, k)};
    builder->matrix = arena_array(arena, Expr, k * k + k);
    builder->right = builder->matrix + k * k;
    for (size_t i = 0; i < k * k + k; i++)
        builder->matrix[i] = expr_int(pool, 0);
    for (size_t alpha = 0; alpha < k && goes_on(builder); alpha++) {
        kane.along[alpha] = builder_along(builder, motion->v, alpha);
        kane.along_a[alpha] = builder_along(builder, motion->a, alpha);
    }
    if (goes_on(builder)) {
        if (together)
            builder_add_bodies(builder, kane.along);
        else
            add_bodies(&kane);
        Expr given[] = {motion->model->kinetic, motion->model->lagrangian, motion_T_of_S(motion)};
        add_energy(&kane, expr_sum(pool, given, 3));
        add_forces(builder);
    }
    for (size_t alpha = 0; alpha < k; alpha++) {
        for (size_t beta = 0; beta < alpha; beta++)
            builder->matrix[beta * k + alpha] = builder->matrix[alpha * k + beta];
        expr_rates_free(kane.along[alpha]);
        expr_rates_free(kane.along_a[alpha]);
    }
    return goes_on(builder);
}

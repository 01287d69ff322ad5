// rates_kane.c: Kane's equations for u', as matrix·u' = right.
//
// Bodies are taken together (rates_bodies.c), or each by itself in the frame where its velocity is
// cheap; energies that were given by d/dt ∂E/∂q' − ∂E/∂q; the loads by the columns of B.
#include "run/rates_impl.h"

typedef struct {
    Making *making;
    ExprRates **along;        // k: forward along the columns of B, of velocities
    ExprRates **along_a;      // and of accelerations
    Expr *partials, *momenta; // k each, of the component in hand
} Kane;

static void add_to(Making *making, Expr *sum, Expr a, Expr b)
{
    *sum = expr_add(making->pool, *sum, expr_mul(making->pool, a, b));
}

// Adds factor_α·(∂`momentum`/∂u_β) to the matrix and −factor_α·inertia to the right side.
static void add_products(Kane *kane, const Expr *factors, Expr inertia)
{
    Making *making = kane->making;
    size_t k = making->k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        if (expr_is_zero(making->pool, factors[alpha]))
            continue;
        for (size_t beta = 0; beta <= alpha; beta++)
            add_to(making, &making->matrix[alpha * k + beta], factors[alpha], kane->momenta[beta]);
        add_to(making, &making->right[alpha], factors[alpha], expr_neg(making->pool, inertia));
    }
}

// One component of a velocity, of its momentum, and of what its inertia takes for u' = 0.
static void add_component(Kane *kane, Expr velocity, Expr momentum, Expr inertia)
{
    Making *making = kane->making;
    velocity = making_fixed(making, velocity);
    momentum = making_fixed(making, momentum);
    inertia = making_name(making, making_reduced(making, inertia));
    for (size_t alpha = 0; alpha < making->k; alpha++) {
        kane->partials[alpha] = making_name(making, expr_rate(kane->along[alpha], velocity));
        kane->momenta[alpha] = making_name(making, expr_rate(kane->along[alpha], momentum));
    }
    add_products(kane, kane->partials, inertia);
}

static void add_vectors(Kane *kane, Vec velocity, Vec momentum, Vec inertia)
{
    add_component(kane, velocity.x, momentum.x, inertia.x);
    add_component(kane, velocity.y, momentum.y, inertia.y);
    add_component(kane, velocity.z, momentum.z, inertia.z);
}

static Vec times(ExprPool *pool, Expr factor, Vec v)
{
    return (Vec){expr_mul(pool, factor, v.x), expr_mul(pool, factor, v.y),
                 expr_mul(pool, factor, v.z)};
}

static void add_particle(Kane *kane, Expr mass, Vector position)
{
    Vectors *vectors = kane->making->motion->model->vectors;
    ExprPool *pool = kane->making->pool;
    Vector velocity = vector_rate(vectors, position);
    Vector acceleration =
        vector_sub(vectors, vector_rate(vectors, velocity), kane->making->motion->model->gravity);
    Frame frame =
        frame_join(vectors, vector_home(vectors, velocity), vector_home(vectors, acceleration));
    Vec v = vector_in(vectors, velocity, frame);
    add_vectors(kane, v, times(pool, mass, v),
                times(pool, mass, vector_in(vectors, acceleration, frame)));
}

static void add_bodies(Kane *kane)
{
    Motion *motion = kane->making->motion;
    const Model *model = motion->model;
    for (size_t i = 0; i < model->masses.count; i++)
        add_particle(kane, model->masses.at[i].mass, model->masses.at[i].position);
    for (size_t i = 0; i < model->bodies.count; i++) {
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

// d/dt ∂E/∂q'_ν − ∂E/∂q_ν, and what `acceleration_energy` gives, on the virtual velocities.
static void add_energy(Kane *kane, Expr energy)
{
    Making *making = kane->making;
    Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, k = making->k;
    Expr *momenta = base_alloc((2 * n + 1) * sizeof *momenta), *slopes = momenta + n;
    expr_gradient(pool, energy, motion->v, n, momenta);
    expr_gradient(pool, energy, motion->q, n, slopes);
    for (size_t nu = 0; nu < n; nu++) {
        Expr parts[] = {expr_rate(motion->dt, momenta[nu]), expr_neg(pool, slopes[nu]),
                        motion->dS_da[nu]};
        Expr inertia = making_name(making, making_reduced(making, expr_sum(pool, parts, 3)));
        Expr momentum = making_fixed(making, momenta[nu]),
             given = making_fixed(making, motion->dS_da[nu]);
        for (size_t beta = 0; beta < k; beta++)
            kane->momenta[beta] =
                making_name(making, expr_add(pool, expr_rate(kane->along[beta], momentum),
                                             expr_rate(kane->along_a[beta], given)));
        add_products(kane, making->B + nu * k, inertia);
    }
    base_free(momenta);
}

static void add_forces(Making *making)
{
    size_t k = making->k;
    Expr *loads = base_alloc((making->n + 1) * sizeof *loads);
    motion_loads(making->motion, loads);
    for (size_t nu = 0; nu < making->n; nu++) {
        Expr force = making_name(making, making_reduced(making, loads[nu]));
        for (size_t alpha = 0; alpha < k; alpha++)
            add_to(making, &making->right[alpha], making->B[nu * k + alpha], force);
    }
    base_free(loads);
}

void making_equations(Making *making, bool together)
{
    Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, k = making->k;
    Kane kane = {.making = making};
    kane.along = base_alloc((2 * k + 1) * sizeof(ExprRates *));
    kane.along_a = kane.along + k;
    kane.partials = base_alloc((2 * k + 1) * sizeof(Expr));
    kane.momenta = kane.partials + k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        kane.along[alpha] = expr_rates_new(pool);
        kane.along_a[alpha] = expr_rates_new(pool);
        for (size_t nu = 0; nu < n; nu++) {
            expr_rates_set(kane.along[alpha], motion->v[nu], making->B[nu * k + alpha]);
            expr_rates_set(kane.along_a[alpha], motion->a[nu], making->B[nu * k + alpha]);
        }
    }
    if (together)
        making_add_bodies(making, kane.along);
    else
        add_bodies(&kane);
    add_energy(&kane, expr_add(pool, motion->model->kinetic, motion->model->lagrangian));
    add_forces(making);
    for (size_t alpha = 0; alpha < k; alpha++)
        for (size_t beta = 0; beta < alpha; beta++)
            making->matrix[beta * k + alpha] = making->matrix[alpha * k + beta];
    for (size_t alpha = 0; alpha < 2 * k; alpha++)
        expr_rates_free(kane.along[alpha]);
    base_free(kane.along);
    base_free(kane.partials);
}

// energies.c: T, U, the momenta, the applied forces, and Appell's energy of acceleration.
//
// Derivatives by all coordinates come from one backward sweep, so that a chain of n bodies
// costs n, not n².
#include "motion/motion_impl.h"

static Expr half(ExprPool *pool, Expr e)
{
    return expr_mul(pool, expr_ratio(pool, 1, 2), e);
}

static Expr dot(ExprPool *pool, Vec a, Vec b)
{
    Expr parts[] = {expr_mul(pool, a.x, b.x), expr_mul(pool, a.y, b.y), expr_mul(pool, a.z, b.z)};
    return expr_sum(pool, parts, 3);
}

static Vec rate_of(ExprRates *rates, Vec v)
{
    return (Vec){expr_rate(rates, v.x), expr_rate(rates, v.y), expr_rate(rates, v.z)};
}

static void make_kinetic(Motion *motion)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    array_push(&terms, model->kinetic);
    for (size_t i = 0; i < model->masses.count; i++) {
        const ModelMass *mass = &model->masses.at[i];
        Vec velocity = rate_of(motion->dt, mass->position);
        Expr square = dot(pool, velocity, velocity);
        array_push(&terms, half(pool, expr_mul(pool, mass->mass, square)));
    }
    motion->T = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
}

static void make_potential(Motion *motion)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    array_push(&terms, model->potential);
    for (size_t i = 0; i < model->masses.count; i++) {
        const ModelMass *mass = &model->masses.at[i];
        Expr height = dot(pool, model->gravity, mass->position);
        array_push(&terms, expr_neg(pool, expr_mul(pool, mass->mass, height)));
    }
    motion->U = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
}

// ---- Applied forces: the coefficient of δq_ν in the virtual work.

static void add_force(Motion *motion, size_t nu, Expr force)
{
    motion->K[nu] = expr_add(motion->pool, motion->K[nu], force);
}

static void add_force_at(Motion *motion, const ModelForceAt *load, Expr *partials)
{
    const Expr forces[] = {load->force.x, load->force.y, load->force.z};
    const Expr positions[] = {load->position.x, load->position.y, load->position.z};
    for (int axis = 0; axis < 3; axis++) {
        if (expr_is_zero(motion->pool, forces[axis]))
            continue;
        expr_gradient(motion->pool, positions[axis], motion->q, motion->n, partials);
        for (size_t nu = 0; nu < motion->n; nu++)
            if (!expr_is_zero(motion->pool, partials[nu]))
                add_force(motion, nu, expr_mul(motion->pool, forces[axis], partials[nu]));
    }
}

// A force along a speed works on δϑ = Σ ∂u/∂q'_ν δq_ν.
static void add_force_along(Motion *motion, const ModelForceAlong *load, Expr *partials)
{
    if (!load->on_speed) {
        add_force(motion, load->target, load->force);
        return;
    }
    Expr speed = motion->model->speeds.at[load->target].value;
    expr_gradient(motion->pool, speed, motion->v, motion->n, partials);
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!expr_is_zero(motion->pool, partials[nu]))
            add_force(motion, nu, expr_mul(motion->pool, load->force, partials[nu]));
}

static void make_forces(Motion *motion)
{
    const Model *model = motion->model;
    Expr *partials = base_alloc(motion->n * sizeof *partials);
    expr_gradient(motion->pool, motion->U, motion->q, motion->n, motion->K);
    for (size_t nu = 0; nu < motion->n; nu++)
        motion->K[nu] = expr_neg(motion->pool, motion->K[nu]);
    for (size_t i = 0; i < model->forces_at.count; i++)
        add_force_at(motion, &model->forces_at.at[i], partials);
    for (size_t i = 0; i < model->forces_along.count; i++)
        add_force_along(motion, &model->forces_along.at[i], partials);
    base_free(partials);
}

void motion_make_energies(Motion *motion)
{
    size_t bytes = motion->n * sizeof(Expr);
    motion->p = arena_alloc(motion->arena, bytes);
    motion->dT_dq = arena_alloc(motion->arena, bytes);
    motion->K = arena_alloc(motion->arena, bytes);
    make_kinetic(motion);
    make_potential(motion);
    expr_gradient(motion->pool, motion->T, motion->v, motion->n, motion->p);
    expr_gradient(motion->pool, motion->T, motion->q, motion->n, motion->dT_dq);
    make_forces(motion);
}

// ---- What the forms ask for.

Expr motion_inertia_force(Motion *motion, size_t nu)
{
    Expr rate = expr_rate(motion->dt, motion->p[nu]);
    return expr_sub(motion->pool, rate, motion->dT_dq[nu]);
}

void motion_mass_matrix(Motion *motion, Expr *matrix)
{
    size_t n = motion->n;
    for (size_t mu = 0; mu < n; mu++) {
        ExprRates *by = expr_rates_new(motion->pool);
        expr_rates_set(by, motion->v[mu], expr_int(motion->pool, 1));
        for (size_t nu = 0; nu <= mu; nu++)
            matrix[nu * n + mu] = matrix[mu * n + nu] = expr_rate(by, motion->p[nu]);
        expr_rates_free(by);
    }
}

void motion_bias(Motion *motion, Expr *bias)
{
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr parts[] = {expr_rate(motion->dt_still, motion->p[nu]),
                        expr_neg(motion->pool, motion->dT_dq[nu]),
                        expr_neg(motion->pool, motion->K[nu])};
        bias[nu] = expr_sum(motion->pool, parts, 3);
    }
}

// What `kinetic` lines add to S. With T given and no masses to sum over, Tzénoff's function
// ½(T'' − 3 Σ ∂T/∂q_ν q''_ν) serves: its derivative by q''_ν is d/dt ∂T/∂q'_ν − ∂T/∂q_ν for
// every T(q, q', t), because ∂T''/∂q''_ν = 2 d/dt ∂T/∂q'_ν + ∂T/∂q_ν.
static Expr acceleration_energy_of(Motion *motion, Expr kinetic)
{
    ExprPool *pool = motion->pool;
    Expr second = expr_rate(motion->dt, expr_rate(motion->dt, kinetic));
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    expr_gradient(pool, kinetic, motion->q, motion->n, terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_product(
            pool, (Expr[]){expr_int(pool, -3), terms[nu], motion->a[nu]}, 3);
    terms[motion->n] = second;
    Expr S = half(pool, expr_sum(pool, terms, motion->n + 1));
    base_free(terms);
    return S;
}

Expr motion_acceleration_energy(Motion *motion)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    for (size_t i = 0; i < model->masses.count; i++) {
        const ModelMass *mass = &model->masses.at[i];
        Vec acceleration = rate_of(motion->dt, rate_of(motion->dt, mass->position));
        Expr square = dot(pool, acceleration, acceleration);
        array_push(&terms, half(pool, expr_mul(pool, mass->mass, square)));
    }
    if (!expr_is_zero(pool, model->kinetic))
        array_push(&terms, acceleration_energy_of(motion, model->kinetic));
    Expr S = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
    return S;
}

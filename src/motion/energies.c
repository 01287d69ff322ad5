// energies.c: T, U, the momenta, the applied forces, and Appell's energy of acceleration.
//
// Derivatives by all coordinates come from one backward sweep, so that a chain of n bodies
// costs n, not n².
#include "expr/parity.h"
#include "motion/motion_impl.h"
#include "motion/spin.h"

#include <stdlib.h>

static Expr half(ExprPool *pool, Expr e)
{
    return expr_mul(pool, expr_ratio(pool, 1, 2), e);
}

// ---- Bodies. Angular velocities and inertia meet in the frame that the inertia is given in; it
// need not spin with the body (Appell 10).

static Vec inertia_times(ExprPool *pool, const ModelBody *body, Vec w)
{
    // Rows of the tensor: Ixx Ixy Izx, Ixy Iyy Iyz, Izx Iyz Izz.
    static const int rows[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    const Expr parts[] = {w.x, w.y, w.z};
    Expr out[3];
    for (int i = 0; i < 3; i++) {
        Expr terms[3];
        for (int j = 0; j < 3; j++)
            terms[j] = expr_mul(pool, body->inertia[rows[i][j]], parts[j]);
        out[i] = expr_sum(pool, terms, 3);
    }
    return (Vec){out[0], out[1], out[2]};
}

static Expr half_square(Vectors *vectors, ExprPool *pool, Expr mass, Vector v)
{
    return half(pool, expr_mul(pool, mass, vector_dot(vectors, v, v)));
}

// ½ ω·I·ω
static Expr spin_energy(const Model *model, const ModelBody *body)
{
    Vec w =
        vector_in(model->vectors, frame_omega(model->vectors, body->frame), body->inertia_frame);
    return half(model->pool, vec_dot(model->pool, w, inertia_times(model->pool, body, w)));
}

Vec motion_inertia_times(Motion *motion, const ModelBody *body, Vec w)
{
    return inertia_times(motion->pool, body, w);
}

void motion_spin(Motion *motion, const ModelBody *body, Vec *omega, Vec *couple)
{
    Vectors *vectors = motion->model->vectors;
    ExprPool *pool = motion->pool;
    Vector spin = frame_omega(vectors, body->frame);
    Vec alpha = vector_in(vectors, vector_rate(vectors, spin), body->inertia_frame);
    *omega = vector_in(vectors, spin, body->inertia_frame);
    Vec inertial = inertia_times(pool, body, alpha);
    Vec gyroscopic = vec_cross(pool, *omega, inertia_times(pool, body, *omega));
    *couple =
        (Vec){expr_add(pool, inertial.x, gyroscopic.x), expr_add(pool, inertial.y, gyroscopic.y),
              expr_add(pool, inertial.z, gyroscopic.z)};
}

// ½ α·I·α + α·(ω × I·ω), α the absolute rate of ω: its derivative by α is I·α + ω × I·ω.
static Expr spin_acceleration_energy(const Model *model, const ModelBody *body)
{
    ExprPool *pool = model->pool;
    Vector omega = frame_omega(model->vectors, body->frame);
    Vec w = vector_in(model->vectors, omega, body->inertia_frame);
    Vec alpha = vector_in(model->vectors, vector_rate(model->vectors, omega), body->inertia_frame);
    Vec gyroscopic = vec_cross(pool, w, inertia_times(pool, body, w));
    return expr_add(pool, half(pool, vec_dot(pool, alpha, inertia_times(pool, body, alpha))),
                    vec_dot(pool, alpha, gyroscopic));
}

// ---- Energies.

static void make_kinetic(Motion *motion)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    array_push(&terms, model->kinetic);
    for (size_t i = 0; i < model->masses.count; i++) {
        const ModelMass *mass = &model->masses.at[i];
        Vector velocity = vector_rate(model->vectors, mass->position);
        array_push(&terms, half_square(model->vectors, pool, mass->mass, velocity));
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        Vector velocity = vector_rate(model->vectors, body->position);
        if (!expr_is_zero(pool, body->mass))
            array_push(&terms, half_square(model->vectors, pool, body->mass, velocity));
        if (body->has_inertia)
            array_push(&terms, spin_energy(model, body));
    }
    motion->T = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
}

// Whether a position hangs on a long chain of frames.
static bool is_deep(const Vectors *vectors, Vector position)
{
    enum { LONG_CHAIN = 12 };
    Frame frame = vector_home(vectors, position);
    for (int depth = 0; frame.at != 0; depth++, frame = frame_parent(vectors, frame))
        if (depth == LONG_CHAIN)
            return true;
    return false;
}

// The products of gravity with vectors, each where it is at home, and remembered: in a long chain
// each position is the one before and a part of its own.
typedef ARRAY(Expr) Heights;
static Expr height_of(const Model *model, Heights *heights, Vector v)
{
    Vectors *vectors = model->vectors;
    while (heights->count <= v.at)
        array_push(heights, ((Expr){0}));
    if (!expr_is_none(heights->at[v.at]))
        return heights->at[v.at];
    size_t count = vector_term_count(vectors, v);
    Frame home = vector_home(vectors, v);
    Expr height, *terms = base_alloc((count + 1) * sizeof *terms);
    if (count == 0)
        height = vec_dot(model->pool, vector_in(vectors, model->gravity, home),
                         vector_in(vectors, v, home));
    for (size_t i = 0; i < count; i++) {
        Expr factor;
        Vector term = vector_term(vectors, v, i, &factor);
        terms[i] = expr_mul(model->pool, factor, height_of(model, heights, term));
    }
    if (count > 0)
        height = expr_sum(model->pool, terms, count);
    base_free(terms);
    return heights->at[v.at] = height;
}

// Heights are taken along the axes that the field is given in.
static Expr weight_energy(const Model *model, Heights *heights, Expr mass, Vector position)
{
    Frame frame = vector_home(model->vectors, model->gravity);
    if (is_deep(model->vectors, position))
        return expr_neg(model->pool,
                        expr_mul(model->pool, mass, height_of(model, heights, position)));
    Vec g = vector_in(model->vectors, model->gravity, frame);
    Vec x = vector_in(model->vectors, position, frame);
    return expr_neg(model->pool, expr_mul(model->pool, mass, vec_dot(model->pool, g, x)));
}

static void make_potential(Motion *motion)
{
    const Model *model = motion->model;
    ARRAY(Expr) terms = {0};
    array_push(&terms, model->potential);
    Heights heights = {0};
    bool weighs = !vector_is_zero(model->vectors, model->gravity);
    for (size_t i = 0; i < model->masses.count && weighs; i++)
        array_push(&terms, weight_energy(model, &heights, model->masses.at[i].mass,
                                         model->masses.at[i].position));
    for (size_t i = 0; i < model->bodies.count && weighs; i++)
        array_push(&terms, weight_energy(model, &heights, model->bodies.at[i].mass,
                                         model->bodies.at[i].position));
    array_clear(&heights);
    motion->U = expr_sum(motion->pool, terms.at, terms.count);
    array_clear(&terms);
}

// T + U, and Σ q' ∂L/∂q' − L for a Lagrangian, which joins T from here on.
static void make_total(Motion *motion)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((motion->n + 3) * sizeof *terms);
    expr_gradient(pool, model->lagrangian, motion->v, motion->n, terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(pool, terms[nu], motion->v[nu]);
    terms[motion->n] = expr_neg(pool, model->lagrangian);
    terms[motion->n + 1] = motion->T;
    terms[motion->n + 2] = motion->U;
    motion->energy = expr_sum(pool, terms, motion->n + 3);
    motion->T = expr_add(pool, motion->T, model->lagrangian);
    base_free(terms);
}

// ---- Applied forces: the coefficient of δq_ν in the virtual work, through the partial
// velocities ∂v/∂q'_ν = ∂x/∂q_ν.

static void add_force(Motion *motion, Expr *K, size_t nu, Expr force)
{
    K[nu] = expr_add(motion->pool, K[nu], force);
}

// Adds `factor`·∂e/∂q'_ν.
static void add_partials(Motion *motion, Expr *K, Expr factor, Expr e, Expr *partials)
{
    if (expr_is_zero(motion->pool, factor))
        return;
    expr_gradient(motion->pool, e, motion->v, motion->n, partials);
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!expr_is_zero(motion->pool, partials[nu]))
            add_force(motion, K, nu, expr_mul(motion->pool, factor, partials[nu]));
}

// The work of a force on a velocity, or of a couple on an angular velocity.
void motion_add_work(Motion *motion, Expr *K, Vector force, Vector velocity, Expr *partials)
{
    Vectors *vectors = motion->model->vectors;
    Frame frame = frame_join(vectors, vector_home(vectors, force), vector_home(vectors, velocity));
    Vec f = vector_in(vectors, force, frame), v = vector_in(vectors, velocity, frame);
    add_partials(motion, K, f.x, v.x, partials);
    add_partials(motion, K, f.y, v.y, partials);
    add_partials(motion, K, f.z, v.z, partials);
}

// The part of a force that reverses with the velocities.
static Expr odd_part(const Motion *motion, Expr e)
{
    return expr_odd_part(motion->pool, e, motion->v, motion->n);
}

static Vector odd_vector(const Motion *motion, Vector force)
{
    Vectors *vectors = motion->model->vectors;
    Frame frame = vector_home(vectors, force);
    Vec f = vector_in(vectors, force, frame);
    Vec odd = {odd_part(motion, f.x), odd_part(motion, f.y), odd_part(motion, f.z)};
    return vector_of(vectors, frame, odd);
}

static void add_load(Motion *motion, Expr *K, Vector force, Vector velocity, bool friction)
{
    Expr *partials = base_alloc((motion->n + 1) * sizeof *partials);
    motion_add_work(motion, K, friction ? odd_vector(motion, force) : force, velocity, partials);
    base_free(partials);
}

// A force along a speed works on δϑ = Σ ∂u/∂q'_ν δq_ν.
static void add_force_along(Motion *motion, Expr *K, const ModelForceAlong *load, bool friction)
{
    Expr force = friction ? odd_part(motion, load->force) : load->force;
    Expr *partials = base_alloc((motion->n + 1) * sizeof *partials);
    if (load->on_speed)
        add_partials(motion, K, force, motion->model->speeds.at[load->target].value, partials);
    else
        add_force(motion, K, load->target, force);
    base_free(partials);
}

static void add_dissipation(Motion *motion, Expr *K, bool friction)
{
    Expr *partials = base_alloc((motion->n + 1) * sizeof *partials);
    expr_gradient(motion->pool, motion->model->dissipation, motion->v, motion->n, partials);
    for (size_t nu = 0; nu < motion->n; nu++)
        add_force(motion, K, nu,
                  expr_neg(motion->pool, friction ? odd_part(motion, partials[nu]) : partials[nu]));
    base_free(partials);
}

static void add_loads_on_coordinates(Motion *motion, Expr *K, bool friction)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->forces_along.count; i++)
        add_force_along(motion, K, &model->forces_along.at[i], friction);
    add_dissipation(motion, K, friction);
}

// All that the model's loads do, or their friction alone.
static void add_loads(Motion *motion, Expr *K, bool friction)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->forces_at.count; i++)
        add_load(motion, K, model->forces_at.at[i].force,
                 motion_load_velocity(motion, &model->forces_at.at[i].point), friction);
    for (size_t i = 0; i < model->torques.count; i++)
        add_load(motion, K, model->torques.at[i].torque,
                 frame_omega(model->vectors, model->bodies.at[model->torques.at[i].body].frame),
                 friction);
    for (size_t i = 0; i < model->forces_along.count; i++)
        add_force_along(motion, K, &model->forces_along.at[i], friction);
    add_dissipation(motion, K, friction);
}

static void take_gradient(Motion *motion, Expr potential, Expr *K)
{
    expr_gradient(motion->pool, potential, motion->q, motion->n, K);
    for (size_t nu = 0; nu < motion->n; nu++)
        K[nu] = expr_neg(motion->pool, K[nu]);
}

void motion_coordinate_forces(Motion *motion, Expr potential, Expr *K)
{
    take_gradient(motion, potential, K);
    add_loads_on_coordinates(motion, K, false);
}

void motion_make_forces(Motion *motion, Expr potential, Expr *K)
{
    take_gradient(motion, potential, K);
    add_loads(motion, K, false);
}

void motion_make_friction(Motion *motion, Expr *K)
{
    for (size_t nu = 0; nu < motion->n; nu++)
        K[nu] = expr_int(motion->pool, 0);
    add_loads(motion, K, true);
}

void motion_percussion(Motion *motion, const ModelImpulse *impulse, Expr *parts)
{
    const Model *model = motion->model;
    Expr *partials = base_alloc((motion->n + 1) * sizeof *partials);
    for (size_t nu = 0; nu < motion->n; nu++)
        parts[nu] = expr_int(motion->pool, 0);
    if (!impulse->along)
        motion_add_work(motion, parts, impulse->impulse,
                        motion_load_velocity(motion, &impulse->point), partials);
    else if (impulse->on_speed)
        add_partials(motion, parts, impulse->amount, model->speeds.at[impulse->target].value,
                     partials);
    else
        parts[impulse->target] = impulse->amount;
    base_free(partials);
}

void motion_loads(Motion *motion, Expr *loads)
{
    motion_make_forces(motion, motion->model->potential, loads);
    if (!motion->friction_holds && !motion->model->reactions_act)
        return;
    // What sliding adds, and without reactions: K but for gravity.
    Expr weight = expr_sub(motion->pool, motion->U, motion->model->potential);
    expr_gradient(motion->pool, weight, motion->q, motion->n, loads);
    for (size_t nu = 0; nu < motion->n; nu++)
        loads[nu] = expr_add(motion->pool, loads[nu], motion->K[nu]);
}

void motion_make_energies(Motion *motion)
{
    size_t bytes = motion->n * sizeof(Expr);
    motion->p = arena_alloc(motion->arena, bytes);
    motion->dT_dq = arena_alloc(motion->arena, bytes);
    motion->K = arena_alloc(motion->arena, bytes);
    motion->rest_of_S = arena_alloc(motion->arena, bytes);
    for (size_t nu = 0; nu < motion->n; nu++)
        motion->rest_of_S[nu] = expr_int(motion->pool, 0);
    make_kinetic(motion);
    make_potential(motion);
    make_total(motion);
    expr_gradient(motion->pool, motion->T, motion->v, motion->n, motion->p);
    expr_gradient(motion->pool, motion->T, motion->q, motion->n, motion->dT_dq);
    motion_make_forces(motion, motion->U, motion->K);
}

// ---- What the forms ask for.

Expr motion_inertia_force(Motion *motion, size_t nu)
{
    Expr terms[] = {expr_rate(motion->dt, motion->p[nu]), expr_neg(motion->pool, motion->dT_dq[nu]),
                    motion->rest_of_S[nu]};
    return expr_sum(motion->pool, terms, 3);
}

// Which momenta hold each velocity, rising: from begins[μ] up to begins[μ + 1] among the list.
static size_t *find_holders(const Motion *motion, size_t **list)
{
    size_t n = motion->n;
    size_t *begins = base_alloc((n + 2) * sizeof *begins);
    uint32_t *index = base_alloc((expr_pool_size(motion->pool) + 1) * sizeof *index);
    ARRAY(size_t) held = {0}; // pairs of a velocity and a momentum
    for (size_t mu = 0; mu < n; mu++)
        index[motion->v[mu].at] = (uint32_t)mu + 1;
    for (size_t nu = 0; nu < n; nu++) {
        ExprList found = expr_symbols(motion->pool, &motion->p[nu], 1);
        for (size_t i = 0; i < found.count; i++) {
            size_t mu = index[found.at[i]];
            if (mu == 0)
                continue;
            array_push(&held, mu - 1);
            array_push(&held, nu);
            begins[mu + 1]++;
        }
        expr_list_free(&found);
    }
    // First how many there are before each velocity, one place on; then each moves its own end.
    for (size_t mu = 2; mu <= n + 1; mu++)
        begins[mu] += begins[mu - 1];
    *list = base_alloc((held.count / 2 + 1) * sizeof **list);
    for (size_t i = 0; i < held.count; i += 2)
        (*list)[begins[held.at[i] + 1]++] = held.at[i + 1];
    base_free(index);
    array_clear(&held);
    return begins;
}

static int compare_entries(const void *a, const void *b)
{
    const MotionEntry *first = a, *second = b;
    if (first->row != second->row)
        return first->row < second->row ? -1 : 1;
    return (first->column > second->column) - (first->column < second->column);
}

static void push_entry(Motion *motion, MotionEntries *entries, size_t nu, size_t mu, Expr value)
{
    if (expr_is_zero(motion->pool, value))
        return;
    array_push(entries, ((MotionEntry){nu, mu, value}));
    if (nu != mu)
        array_push(entries, ((MotionEntry){mu, nu, value}));
}

MotionEntries motion_mass_entries(Motion *motion)
{
    size_t n = motion->n, *momenta, *begins = find_holders(motion, &momenta);
    const Expr *given = motion->given ? motion->given->inertia : NULL;
    Expr zero = expr_int(motion->pool, 0);
    MotionEntries entries = {0};
    for (size_t mu = 0; mu < n; mu++) {
        ExprRates *by_v = expr_rates_new(motion->pool);
        expr_rates_set(by_v, motion->v[mu], expr_int(motion->pool, 1));
        // Without a given inertia only those that hold the velocity are looked at.
        size_t end = given ? mu + 1 : begins[mu + 1];
        for (size_t i = given ? 0 : begins[mu]; i < end; i++) {
            size_t nu = given ? i : momenta[i];
            if (nu > mu)
                break;
            Expr of_S = given ? given[nu * n + mu] : zero;
            Expr value = expr_add(motion->pool, expr_rate(by_v, motion->p[nu]), of_S);
            push_entry(motion, &entries, nu, mu, value);
        }
        expr_rates_free(by_v);
    }
    if (entries.count > 0)
        qsort(entries.at, entries.count, sizeof *entries.at, compare_entries);
    base_free(begins);
    base_free(momenta);
    return entries;
}

void motion_mass_matrix(Motion *motion, Expr *matrix)
{
    size_t n = motion->n;
    MotionEntries entries = motion_mass_entries(motion);
    for (size_t i = 0; i < n * n; i++)
        matrix[i] = expr_int(motion->pool, 0);
    for (size_t i = 0; i < entries.count; i++)
        matrix[entries.at[i].row * n + entries.at[i].column] = entries.at[i].value;
    array_clear(&entries);
}

void motion_bias(Motion *motion, Expr *bias)
{
    ExprSubst *at_rest = expr_subst_new(motion->pool);
    for (size_t nu = 0; nu < motion->n; nu++)
        expr_subst_set(at_rest, motion->a[nu], expr_int(motion->pool, 0));
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr parts[] = {
            expr_rate(motion->dt_still, motion->p[nu]), expr_neg(motion->pool, motion->dT_dq[nu]),
            expr_neg(motion->pool, motion->K[nu]), expr_subst(at_rest, motion->rest_of_S[nu])};
        bias[nu] = expr_sum(motion->pool, parts, 4);
    }
    expr_subst_free(at_rest);
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
        terms[nu] = expr_product(pool, (Expr[]){expr_int(pool, -3), terms[nu], motion->a[nu]}, 3);
    terms[motion->n] = second;
    Expr S = half(pool, expr_sum(pool, terms, motion->n + 1));
    base_free(terms);
    return S;
}

Expr motion_centre_acceleration_energy(Motion *motion)
{
    const Model *model = motion->model;
    Vectors *vectors = model->vectors;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    for (size_t i = 0; i < model->masses.count; i++) {
        Vector velocity = vector_rate(vectors, model->masses.at[i].position);
        array_push(&terms, half_square(vectors, pool, model->masses.at[i].mass,
                                       vector_rate(vectors, velocity)));
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        Vector velocity = vector_rate(vectors, body->position);
        if (!expr_is_zero(pool, body->mass))
            array_push(&terms,
                       half_square(vectors, pool, body->mass, vector_rate(vectors, velocity)));
    }
    Expr S = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
    return S;
}

// What masses and bodies give, by their accelerations; what `kinetic` and `lagrangian` give, by
// Tzénoff's function; and what was given as it is.
Expr motion_acceleration_energy(Motion *motion)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    ARRAY(Expr) terms = {0};
    array_push(&terms, motion_centre_acceleration_energy(motion));
    for (size_t i = 0; i < model->bodies.count; i++)
        if (model->bodies.at[i].has_inertia)
            array_push(&terms, spin_acceleration_energy(model, &model->bodies.at[i]));
    Expr given = expr_add(pool, model->kinetic, model->lagrangian);
    if (!expr_is_zero(pool, given))
        array_push(&terms, acceleration_energy_of(motion, given));
    array_push(&terms, model->acceleration_energy);
    Expr S = expr_sum(pool, terms.at, terms.count);
    array_clear(&terms);
    return S;
}

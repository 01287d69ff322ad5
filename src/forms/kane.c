// kane.c: Kane's equations: Appell's, reached through partial velocities.
//
//     Σ m J·∂v/∂u_α + Σ (I·ω' + ω × I·ω)·∂ω/∂u_α = Σ_ν K_ν B_να
//
// Where a servo keeps a condition the partial velocities are Σ_ν (∂v/∂q'_ν) A_να instead: those of
// the displacements on which its force does no work.
//
// over all masses and bodies. What is given as an energy has no partial velocities; it enters
// through its own generalized inertia forces.
#include "forms/steps_impl.h"
#include "model/vectors.h"
#include "motion/spin.h"

typedef struct {
    Motion *motion;
    Expr *partials;    // k
    ExprRates **along; // k: forward along the columns of A; NULL where these are B's
    Expr *left;        // k sums
    Expr *given;       // what is given as energies: inertia forces on the coordinates, n
} Kane;

static void find_partials(Kane *kane, Expr velocity)
{
    Motion *motion = kane->motion;
    if (!kane->along)
        motion_by_speeds(motion, &motion->state, motion_in_speeds(motion, velocity),
                         kane->partials);
    for (size_t alpha = 0; alpha < motion->k && kane->along; alpha++)
        kane->partials[alpha] = motion_in_speeds(motion, expr_rate(kane->along[alpha], velocity));
}

static void begin_along(Kane *kane)
{
    Motion *motion = kane->motion;
    size_t k = motion->k;
    if (!motion->servos)
        return;
    kane->along = base_alloc((k + 1) * sizeof(ExprRates *));
    for (size_t alpha = 0; alpha < k; alpha++) {
        kane->along[alpha] = expr_rates_new(motion->pool);
        for (size_t nu = 0; nu < motion->n; nu++)
            expr_rates_set(kane->along[alpha], motion->v[nu], motion->state.A[nu * k + alpha]);
    }
}

static void end_along(Kane *kane)
{
    for (size_t alpha = 0; alpha < kane->motion->k && kane->along; alpha++)
        expr_rates_free(kane->along[alpha]);
    base_free(kane->along);
}

// Adds `inertia`·∂`velocity`/∂u_α to every equation.
static void add_component(Kane *kane, Expr inertia, Expr velocity)
{
    Motion *motion = kane->motion;
    ExprPool *pool = motion->pool;
    if (expr_is_zero(pool, inertia))
        return;
    inertia = motion_in_speeds(motion, inertia);
    find_partials(kane, velocity);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        kane->left[alpha] =
            expr_add(pool, kane->left[alpha], expr_mul(pool, inertia, kane->partials[alpha]));
}

static void add_vectors(Kane *kane, Expr factor, Vec inertia, Vec velocity)
{
    ExprPool *pool = kane->motion->pool;
    add_component(kane, expr_mul(pool, factor, inertia.x), velocity.x);
    add_component(kane, expr_mul(pool, factor, inertia.y), velocity.y);
    add_component(kane, expr_mul(pool, factor, inertia.z), velocity.z);
}

static void add_particle(Kane *kane, Expr mass, Vector position)
{
    Vectors *vectors = kane->motion->model->vectors;
    Vector velocity = vector_rate(vectors, position);
    Vector acceleration = vector_rate(vectors, velocity);
    Frame frame =
        frame_join(vectors, vector_home(vectors, velocity), vector_home(vectors, acceleration));
    add_vectors(kane, mass, vector_in(vectors, acceleration, frame),
                vector_in(vectors, velocity, frame));
}

static void add_masses(Kane *kane)
{
    const Model *model = kane->motion->model;
    for (size_t i = 0; i < model->masses.count; i++)
        add_particle(kane, model->masses.at[i].mass, model->masses.at[i].position);
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!expr_is_zero(model->pool, body->mass))
            add_particle(kane, body->mass, body->position);
        if (body->has_inertia) {
            Vec omega, couple;
            motion_spin(kane->motion, body, &omega, &couple);
            add_vectors(kane, expr_int(model->pool, 1), couple, omega);
        }
    }
}

// d/dt ∂E/∂q'_ν − ∂E/∂q_ν of the energies given directly, on the virtual velocities.
static void add_given(Kane *kane)
{
    Motion *motion = kane->motion;
    ExprPool *pool = motion->pool;
    Expr energies[] = {motion->model->kinetic, motion->model->lagrangian, motion_T_of_S(motion)};
    Expr given = expr_sum(pool, energies, 3);
    Expr *momenta = base_alloc((motion->n + 1) * sizeof *momenta);
    Expr *slopes = base_alloc((motion->n + 1) * sizeof *slopes);
    expr_gradient(pool, given, motion->v, motion->n, momenta);
    expr_gradient(pool, given, motion->q, motion->n, slopes);
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr parts[] = {expr_rate(motion->dt, momenta[nu]), expr_neg(pool, slopes[nu]),
                        motion->rest_of_S[nu]};
        kane->given[nu] = expr_sum(pool, parts, 3);
        add_component(kane, kane->given[nu], motion->v[nu]);
    }
    base_free(momenta);
    base_free(slopes);
}

static void record_given(const Kane *kane, Form *form)
{
    Motion *motion = kane->motion;
    const Model *model = motion->model;
    if (expr_is_zero(motion->pool, model->kinetic) &&
        expr_is_zero(motion->pool, model->lagrangian) &&
        expr_is_zero(motion->pool, model->acceleration_energy))
        return;
    if (!form_begin_step(form, STEP_GIVEN_INERTIA))
        return;
    for (size_t nu = 0; nu < motion->n; nu++)
        line_named(form, motion_in_speeds(motion, kane->given[nu]), "W_%s",
                   model->coords.at[nu].name);
}

static void record(const Kane *kane, Form *form)
{
    Motion *motion = kane->motion;
    bool masses = has_vectors(motion->model, false), spins = has_vectors(motion->model, true);
    step_in_speeds(form, motion);
    if ((masses || spins) &&
        form_begin_step(form, motion->servos ? STEP_SERVO_VELOCITIES : STEP_VELOCITIES)) {
        // What a servo keeps must still be free where displacements are looked at.
        lines_of_vectors(form, motion, VECTOR_VELOCITY, !motion->servos, false);
        lines_of_vectors(form, motion, VECTOR_SPIN, !motion->servos, false);
    }
    if (motion->servos)
        step_displacements(form, motion);
    else if ((masses || spins) && form_begin_step(form, STEP_PARTIAL_VELOCITIES)) {
        lines_of_vectors(form, motion, VECTOR_VELOCITY, true, true);
        lines_of_vectors(form, motion, VECTOR_SPIN, true, true);
    }
    if ((masses || spins) && form_begin_step(form, STEP_INERTIA_VECTORS)) {
        lines_of_vectors(form, motion, VECTOR_ACCELERATION, true, false);
        lines_of_vectors(form, motion, VECTOR_COUPLE, true, false);
    }
    record_given(kane, form);
    step_speed_forces(form, STEP_SPEED_FORCES, motion);
    step_equations(form, motion->servos ? STEP_SERVO_KANE_EQUATIONS : STEP_KANE_EQUATIONS, 0);
}

void form_kane(Motion *motion, Form *form)
{
    size_t k = motion->k;
    Kane kane = {.motion = motion};
    form->in_speeds = true;
    kane.partials = base_alloc((k + 1) * sizeof(Expr));
    kane.left = base_alloc((k + 1) * sizeof(Expr));
    kane.given = base_alloc((motion->n + 1) * sizeof(Expr));
    for (size_t alpha = 0; alpha < k; alpha++)
        kane.left[alpha] = expr_int(motion->pool, 0);
    begin_along(&kane);
    add_masses(&kane);
    add_given(&kane);
    end_along(&kane);
    for (size_t alpha = 0; alpha < k; alpha++)
        form_add_equation(form, motion->state.varied[alpha].name, kane.left[alpha],
                          motion_force_on(motion, &motion->state, alpha));
    record(&kane, form);
    base_free(kane.given);
    base_free(kane.partials);
    base_free(kane.left);
}

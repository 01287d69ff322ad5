// tzenoff.c: Tzénoff's two forms. With T₀, S₀ unreduced, T⁺ reduced, and T₁, S₁ those functions
// seen as functions of the dependent velocities or accelerations only:
//
//     (11)  d/dt ∂T₀/∂q'_α − ∂T₀/∂q_α + ∂S₁/∂q''_α = Q_α
//     (10)  d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α + ∂T₁/∂q_α − d/dt ∂T₁/∂q'_α + ∂S₁/∂q''_α = Q_α
//
// ∂S₁/∂q''_α = Σ_i [∂S₀/∂q''_{k+i}] a_iα, ∂T₁/∂q'_α = Σ_i [∂T₀/∂q'_{k+i}] a_iα,
// ∂T₁/∂q_α = Σ_i [∂T₀/∂q'_{k+i}] ∂q'_{k+i}/∂q_α.
//
// Where no angular velocity holds a dependent velocity, as with bodies that roll, the motion
// about the centres of mass adds nothing to ∂S₀/∂q''_{k+i}: ½ Σ m J² of the centres is enough
// (end of his § 2), and S₀ need not be worked out.
#include "forms/steps_impl.h"
#include "model/vectors.h"

typedef struct {
    TrueCoordinates in;
    bool at_centres;                  // S is that of the masses at their centres
    Expr S;                           // S₀, or as much of it as S₁ needs
    Expr *dS_da;                      // ∂S₀/∂q''_{k+i}, unreduced, m
    Expr *terms;                      // room for m
    Expr *velocities, *accelerations; // of the dependent coordinates, m symbols each
} Tzenoff;

// ---- Which energy of acceleration is needed.

// Whether a body's angular velocity is the same for all dependent velocities.
static bool spins_freely(const Tzenoff *tzenoff, const ModelBody *body)
{
    Motion *motion = tzenoff->in.motion;
    Vectors *vectors = motion->model->vectors;
    Vec omega = vector_in(vectors, frame_omega(vectors, body->frame), body->inertia_frame);
    const Expr parts[] = {omega.x, omega.y, omega.z};
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < motion->m; i++)
            if (!algebra_vanishes(motion->algebra,
                                  expr_diff(motion->pool, parts[axis], tzenoff->velocities[i])))
                return false;
    return true;
}

// Whether the masses at their centres are enough: there are bodies, all spin freely, and nothing
// that was given as an energy holds a dependent coordinate or its velocity.
static bool needs_centres_only(const Tzenoff *tzenoff)
{
    const Motion *motion = tzenoff->in.motion;
    const Model *model = motion->model;
    Expr given = expr_add(motion->pool, model->kinetic, model->lagrangian);
    bool bodies = false;
    if (!expr_is_zero(motion->pool, model->acceleration_energy))
        return false;
    for (size_t i = 0; i < motion->m; i++)
        if (expr_holds(motion->pool, given, tzenoff->velocities[i]) ||
            expr_holds(motion->pool, given, motion->q[tzenoff->in.dependent[i]]))
            return false;
    for (size_t i = 0; i < model->bodies.count; i++) {
        if (!model->bodies.at[i].has_inertia)
            continue;
        if (!spins_freely(tzenoff, &model->bodies.at[i]))
            return false;
        bodies = true;
    }
    return bodies && motion->m > 0;
}

// ---- Terms.

static Expr sum_over_dependent(Tzenoff *tzenoff, size_t alpha,
                               Expr (*term)(Tzenoff *, size_t i, size_t alpha))
{
    size_t m = tzenoff->in.motion->m;
    for (size_t i = 0; i < m; i++)
        tzenoff->terms[i] = term(tzenoff, i, alpha);
    return expr_sum(tzenoff->in.motion->pool, tzenoff->terms, m);
}

static Expr momentum(Tzenoff *tzenoff, size_t i)
{
    TrueCoordinates *in = &tzenoff->in;
    return true_reduced(in, in->motion->p[in->dependent[i]]);
}

static Expr term_of_S1(Tzenoff *tzenoff, size_t i, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    return expr_mul(in->motion->pool, true_reduced(in, tzenoff->dS_da[i]), true_a(in, i, alpha));
}

static Expr term_of_T1_velocity(Tzenoff *tzenoff, size_t i, size_t alpha)
{
    return expr_mul(tzenoff->in.motion->pool, momentum(tzenoff, i), true_a(&tzenoff->in, i, alpha));
}

static Expr term_of_T1_place(Tzenoff *tzenoff, size_t i, size_t alpha)
{
    return expr_mul(tzenoff->in.motion->pool, momentum(tzenoff, i),
                    true_slope(&tzenoff->in, i, alpha));
}

// [d/dt ∂T₀/∂q'_α] and [∂T₀/∂q_α]: unreduced first, the dependent velocities put in afterwards.
static Expr rate_of_momentum(Tzenoff *tzenoff, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    return true_reduced(in, expr_rate(in->motion->dt, in->motion->p[in->independent[alpha]]));
}

static Expr slope(Tzenoff *tzenoff, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    return true_reduced(in, in->motion->dT_dq[in->independent[alpha]]);
}

// ---- Equations.

static Expr left_of_11(Tzenoff *tzenoff, size_t alpha)
{
    ExprPool *pool = tzenoff->in.motion->pool;
    Expr terms[] = {rate_of_momentum(tzenoff, alpha), expr_neg(pool, slope(tzenoff, alpha)),
                    sum_over_dependent(tzenoff, alpha, term_of_S1)};
    return expr_sum(pool, terms, 3);
}

static Expr left_of_10(Tzenoff *tzenoff, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    ExprPool *pool = in->motion->pool;
    Expr velocity = sum_over_dependent(tzenoff, alpha, term_of_T1_velocity);
    Expr terms[] = {true_lagrange(in, alpha), sum_over_dependent(tzenoff, alpha, term_of_T1_place),
                    expr_neg(pool, true_rate(in, velocity)),
                    sum_over_dependent(tzenoff, alpha, term_of_S1)};
    return expr_sum(pool, terms, 4);
}

// Q_α, and Δ_α of an energy of acceleration that was given: what it is on the dependent coordinates
// S₁ holds already.
static Expr right_of(Tzenoff *tzenoff, size_t alpha)
{
    TrueCoordinates *in = &tzenoff->in;
    Motion *motion = in->motion;
    Expr force = true_force(in, alpha);
    Expr rest = true_reduced(in, motion->rest_of_S[in->independent[alpha]]);
    return expr_sub(motion->pool, force, rest);
}

static void add_set(Tzenoff *tzenoff, Form *form, const char *number,
                    Expr (*left)(Tzenoff *, size_t))
{
    for (size_t alpha = 0; alpha < tzenoff->in.motion->k; alpha++) {
        Text label = {0};
        text_addf(&label, "%s %s", true_name(&tzenoff->in, alpha), number);
        form_add_equation(form, label.at, left(tzenoff, alpha), right_of(tzenoff, alpha));
        text_clear(&label);
    }
}

// ---- What the reader sees.

// e less what it is without these symbols: as much as derivatives by them see.
static Expr part_with(const Motion *motion, Expr e, const Expr *symbols)
{
    Expr *zeros = base_alloc((motion->m + 1) * sizeof *zeros);
    for (size_t i = 0; i < motion->m; i++)
        zeros[i] = expr_int(motion->pool, 0);
    Expr rest = expr_replace(motion->pool, e, symbols, zeros, motion->m);
    base_free(zeros);
    return expr_sub(motion->pool, e, rest);
}

static void add_functions(Tzenoff *tzenoff, Form *form)
{
    const Motion *motion = tzenoff->in.motion;
    form_add_function(form, "T₀", motion->T);
    if (!tzenoff->at_centres)
        form_add_function(form, "S₀", tzenoff->S);
    form_add_function(form, "T⁺", tzenoff->in.T);
    if (motion->m == 0)
        return;
    form_add_function(form, "T₁", part_with(motion, motion->T, tzenoff->velocities));
    form_add_function(form, "S₁", part_with(motion, tzenoff->S, tzenoff->accelerations));
    if (tzenoff->at_centres)
        form_add_note(form, "no angular velocity holds a dependent velocity, so that S₁ is that of "
                            "the masses at their centres (Tzénoff § 2)");
}

// One line for each independent coordinate.
static void lines(Tzenoff *tzenoff, Form *form, FormLine line, bool by_velocity,
                  Expr (*value)(Tzenoff *, size_t alpha))
{
    TrueCoordinates *in = &tzenoff->in;
    for (size_t alpha = 0; alpha < in->motion->k; alpha++) {
        line.by =
            by_velocity ? expr_name(in->motion->pool, in->velocity[alpha]) : true_name(in, alpha);
        line.value = value(tzenoff, alpha);
        form_add_line(form, line);
    }
}

static Expr S1_on(Tzenoff *tzenoff, size_t alpha)
{
    return sum_over_dependent(tzenoff, alpha, term_of_S1);
}

static Expr T1_slope(Tzenoff *tzenoff, size_t alpha)
{
    return sum_over_dependent(tzenoff, alpha, term_of_T1_place);
}

static Expr T1_momentum(Tzenoff *tzenoff, size_t alpha)
{
    return sum_over_dependent(tzenoff, alpha, term_of_T1_velocity);
}

static Expr T1_rate(Tzenoff *tzenoff, size_t alpha)
{
    return true_rate(&tzenoff->in, T1_momentum(tzenoff, alpha));
}

static void record_S1(Tzenoff *tzenoff, Form *form)
{
    TrueCoordinates *in = &tzenoff->in;
    const Motion *motion = in->motion;
    if (motion->m == 0)
        return;
    if (form_begin_step(form, tzenoff->at_centres ? STEP_S1_AT_CENTRES : STEP_S1))
        form_add_line(
            form,
            (FormLine){.of = "S₁", .value = part_with(motion, tzenoff->S, tzenoff->accelerations)});
    if (form_begin_step(form, STEP_S1_PARTIALS))
        for (size_t i = 0; i < motion->m; i++)
            form_add_line(form, (FormLine){.of = "S₁",
                                           .by = expr_name(motion->pool, tzenoff->accelerations[i]),
                                           .brackets = true,
                                           .value = true_reduced(in, tzenoff->dS_da[i])});
    step_coefficients(form, in);
    if (form_begin_step(form, STEP_S1_ON_INDEPENDENT))
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            form_add_line(
                form, (FormLine){.of = "S₁",
                                 .by = expr_name(motion->pool, motion->a[in->independent[alpha]]),
                                 .value = S1_on(tzenoff, alpha)});
}

static void record_T1(Tzenoff *tzenoff, Form *form)
{
    TrueCoordinates *in = &tzenoff->in;
    if (in->motion->m == 0)
        return;
    if (form_begin_step(form, STEP_T1))
        form_add_line(
            form, (FormLine){.of = "T₁",
                             .value = part_with(in->motion, in->motion->T, tzenoff->velocities)});
    step_dependent_momenta(form, in, "T₁");
    if (form_begin_step(form, STEP_T1_SLOPES))
        lines(tzenoff, form, (FormLine){.of = "T₁"}, false, T1_slope);
    if (form_begin_step(form, STEP_T1_MOMENTA))
        lines(tzenoff, form, (FormLine){.of = "T₁"}, true, T1_momentum);
    if (form_begin_step(form, STEP_T1_RATES))
        lines(tzenoff, form, (FormLine){.of = "T₁", .rate = true}, true, T1_rate);
}

// The way to (11), and on to (10).
static void derive(Tzenoff *tzenoff, Form *form)
{
    TrueCoordinates *in = &tzenoff->in;
    step_solved(form, in);
    step_energy(form, STEP_TZENOFF_ENERGY, in->motion, "T₀");
    record_S1(tzenoff, form);
    if (form_begin_step(form, STEP_TZENOFF_MOMENTA)) {
        FormLine line = {.of = "T₀", .brackets = true};
        lines(tzenoff, form, line, false, slope);
        line.rate = true;
        lines(tzenoff, form, line, true, rate_of_momentum);
    }
    step_reduced_forces(form, in);
    add_set(tzenoff, form, "(11)", left_of_11);
    step_equations(form, STEP_TZENOFF_11, 0);
    step_reduced_energy(form, in);
    step_reduced_derivatives(form, in);
    record_T1(tzenoff, form);
    add_set(tzenoff, form, "(10)", left_of_10);
    step_equations(form, STEP_TZENOFF_10, in->motion->k);
    step_road_to_voronets(form, in);
}

void form_tzenoff(Motion *motion, Form *form)
{
    Tzenoff tzenoff = {0};
    if (!form_may_reduce(motion, form))
        return;
    if (!true_init(&tzenoff.in, motion, form))
        return;
    size_t m = motion->m;
    Expr *room = base_alloc((4 * m + 1) * sizeof *room);
    tzenoff.dS_da = room;
    tzenoff.terms = room + m;
    tzenoff.velocities = room + 2 * m;
    tzenoff.accelerations = room + 3 * m;
    for (size_t i = 0; i < m; i++) {
        tzenoff.velocities[i] = motion->v[tzenoff.in.dependent[i]];
        tzenoff.accelerations[i] = motion->a[tzenoff.in.dependent[i]];
    }
    tzenoff.at_centres = needs_centres_only(&tzenoff);
    tzenoff.S = tzenoff.at_centres ? motion_centre_acceleration_energy(motion)
                                   : motion_acceleration_energy(motion);
    expr_gradient(motion->pool, tzenoff.S, tzenoff.accelerations, m, tzenoff.dS_da);
    form->sets = 2;
    if (form->detail >= FORM_TO_READ)
        add_functions(&tzenoff, form);
    derive(&tzenoff, form);
    base_free(room);
    true_clear(&tzenoff.in);
}

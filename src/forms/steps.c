// steps.c: steps that several forms take: the same sentences, the same lines.
#include "forms/steps_impl.h"

static const char *coordinate_name(const Motion *motion, size_t nu)
{
    return motion->model->coords.at[nu].name;
}

static const char *velocity_name(const Motion *motion, size_t nu)
{
    return expr_name(motion->pool, motion->v[nu]);
}

void line_named(Form *form, Expr value, const char *format, ...)
{
    Text name = {0};
    va_list args;
    va_start(args, format);
    text_addv(&name, format, args);
    va_end(args);
    form_add_line(form, (FormLine){.of = name.at, .value = value});
    text_clear(&name);
}

// ---- Before the reduction.

// Whether all inertia comes from an energy of acceleration that no T belongs to.
static bool has_only_S(const Motion *motion)
{
    return motion_no_T(motion) && expr_is_zero(motion->pool, motion->T);
}

void form_add_energies(Form *form, const Motion *motion)
{
    if (!has_only_S(motion))
        form_add_function(form, "T", motion->T);
    if (motion_no_T(motion))
        form_add_function(form, "S", motion_S_without_T(motion));
}

void step_energy(Form *form, FormStepKind kind, const Motion *motion, const char *name)
{
    if (!has_only_S(motion) && form_begin_step(form, kind))
        form_add_line(form, (FormLine){.of = name, .value = motion->T});
}

static bool has_step(const Form *form, FormStepKind kind)
{
    for (size_t i = 0; i < form->steps.count; i++)
        if (form->steps.at[i].kind == kind)
            return true;
    return false;
}

// The T that belongs to the energy of acceleration given, and the Δ_ν; once.
static void step_apparent(Form *form, const Motion *motion)
{
    if (motion_no_T(motion) || expr_is_zero(motion->pool, motion->model->acceleration_energy) ||
        has_step(form, STEP_ENERGY_OF_S))
        return;
    if (form_begin_step(form, STEP_ENERGY_OF_S)) {
        form_add_line(form, (FormLine){.of = "S", .value = motion->model->acceleration_energy});
        form_add_line(form, (FormLine){.of = "phi_1", .value = motion_T_of_S(motion)});
    }
    if (form_begin_step(form, STEP_APPARENT_FORCES))
        for (size_t nu = 0; nu < motion->n; nu++)
            line_named(form, expr_neg(motion->pool, motion->rest_of_S[nu]), "Delta_%s",
                       coordinate_name(motion, nu));
}

static void step_given(Form *form, const Motion *motion)
{
    step_apparent(form, motion);
    if (!motion_no_T(motion) || !form_begin_step(form, STEP_GIVEN_S))
        return;
    form_add_line(form, (FormLine){.of = "S", .value = motion_S_without_T(motion)});
    for (size_t nu = 0; nu < motion->n; nu++)
        form_add_line(form, (FormLine){.of = "S",
                                       .by = expr_name(motion->pool, motion->a[nu]),
                                       .value = motion->rest_of_S[nu]});
}

static void step_forces(Form *form, const Motion *motion)
{
    if (!form_begin_step(form, STEP_FORCES))
        return;
    for (size_t nu = 0; nu < motion->n; nu++)
        line_named(form, motion->K[nu], "K_%s", coordinate_name(motion, nu));
}

// ∂T/∂q', its rate, and ∂T/∂q of every coordinate.
static void step_kinetic(Form *form, Motion *motion)
{
    size_t n = motion->n;
    if (form_begin_step(form, STEP_MOMENTA))
        for (size_t nu = 0; nu < n; nu++)
            form_add_line(
                form,
                (FormLine){.of = "T", .by = velocity_name(motion, nu), .value = motion->p[nu]});
    if (form_begin_step(form, STEP_MOMENTA_RATES))
        for (size_t nu = 0; nu < n; nu++)
            form_add_line(form, (FormLine){.of = "T",
                                           .by = velocity_name(motion, nu),
                                           .rate = true,
                                           .value = expr_rate(motion->dt, motion->p[nu])});
    if (form_begin_step(form, STEP_SLOPES))
        for (size_t nu = 0; nu < n; nu++)
            form_add_line(form, (FormLine){.of = "T",
                                           .by = coordinate_name(motion, nu),
                                           .value = motion->dT_dq[nu]});
}

void step_inertia(Form *form, Motion *motion)
{
    if (!has_only_S(motion))
        step_kinetic(form, motion);
    step_given(form, motion);
    step_forces(form, motion);
}

void step_rest(Form *form, Motion *motion)
{
    if (!form_begin_step(form, STEP_REST))
        return;
    for (size_t nu = 0; nu < motion->n; nu++)
        line_named(form, expr_sub(motion->pool, motion_inertia_force(motion, nu), motion->K[nu]),
                   "rho_%s", coordinate_name(motion, nu));
}

void step_servos(Form *form, const Motion *motion)
{
    if (motion->servos)
        form_add_note(form, "the multiplier of a servo is the factor of its force, whose direction "
                            "was given; its condition has another one");
}

void step_reactions(Form *form, Motion *motion)
{
    if (motion->m == 0 ||
        !form_begin_step(form, motion->servos ? STEP_SERVO_REACTIONS : STEP_REACTIONS))
        return;
    Expr *terms = base_alloc((motion->m + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t mu = 0; mu < motion->m; mu++)
            terms[mu] =
                expr_mul(motion->pool, motion->rows[mu].constraint->lambda, motion->rows[mu].d[nu]);
        line_named(form, expr_sum(motion->pool, terms, motion->m), "Lambda_%s",
                   coordinate_name(motion, nu));
    }
    base_free(terms);
}

// ---- With the state's speeds.

// ∂q'_ν/∂u_α of velocities that are not known as functions, where they do not vanish.
static void open_lines(Form *form, const Motion *motion, const MotionReduction *reduction)
{
    size_t k = motion->k;
    for (size_t i = 0; i < motion->n * k; i++) {
        Expr F = reduction->B[i];
        const char *speed = reduction->speeds[i % k].name;
        bool itself = expr_same(motion->v[i / k], reduction->speeds[i % k].u);
        if (!itself && !expr_is_zero(motion->pool, F))
            form_add_line(form,
                          (FormLine){.of = velocity_name(motion, i / k), .by = speed, .value = F});
    }
}

void step_open(Form *form, const Motion *motion, const MotionReduction *reduction)
{
    if (form_begin_step(form, STEP_CURVED_OPEN))
        open_lines(form, motion, reduction);
}

void step_in_speeds(Form *form, Motion *motion)
{
    const MotionReduction *state = &motion->state;
    if (!state->closed)
        step_open(form, motion, state);
    if (motion->m + motion->model->speeds.count == 0 || !state->closed ||
        !form_begin_step(form, state->linear ? STEP_IN_SPEEDS : STEP_CURVED_IN_SPEEDS))
        return;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr velocity = motion_in_speeds(motion, motion->v[nu]);
        if (!expr_same(velocity, motion->v[nu]))
            form_add_line(form, (FormLine){.of = velocity_name(motion, nu), .value = velocity});
    }
}

void step_displacements(Form *form, const Motion *motion)
{
    if (!form_begin_step(form, motion->servos ? STEP_SERVO_DISPLACEMENTS : STEP_DISPLACEMENTS))
        return;
    for (size_t nu = 0; nu < motion->n; nu++)
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr A = motion->state.A[nu * motion->k + alpha];
            if (!expr_is_zero(motion->pool, A))
                line_named(form, A, motion->servos ? "A_{%s,%s}" : "B_{%s,%s}",
                           motion->model->coords.at[nu].name, motion->state.varied[alpha].name);
        }
}

void step_speed_forces(Form *form, FormStepKind kind, Motion *motion)
{
    if (form->kind != FORM_APPELL && form->kind != FORM_KANE)
        step_apparent(form, motion);
    step_forces(form, motion);
    if (!form_begin_step(form, motion->servos ? STEP_SERVO_FORCES : kind))
        return;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        line_named(form, motion_force_on(motion, &motion->state, alpha), "Q_{%s}",
                   motion->state.varied[alpha].name);
}

// ---- With true coordinates.

void step_solved(Form *form, TrueCoordinates *in)
{
    if (!in->by->closed)
        step_open(form, in->motion, in->by);
    if (in->motion->m == 0 || !in->by->closed ||
        !form_begin_step(form, in->by->linear ? STEP_SOLVED : STEP_CURVED_SOLVED))
        return;
    for (size_t i = 0; i < in->motion->m; i++)
        form_add_line(form, (FormLine){.of = velocity_name(in->motion, in->dependent[i]),
                                       .value = true_velocity(in, i)});
}

void step_reduced_energy(Form *form, TrueCoordinates *in)
{
    if (form_begin_step(form, STEP_REDUCED_ENERGY))
        form_add_line(form, (FormLine){.of = "T⁺", .value = in->T});
}

void step_reduced_derivatives(Form *form, TrueCoordinates *in)
{
    Motion *motion = in->motion;
    size_t k = motion->k;
    if (form_begin_step(form, STEP_REDUCED_MOMENTA))
        for (size_t alpha = 0; alpha < k; alpha++)
            form_add_line(form, (FormLine){.of = "T⁺",
                                           .by = expr_name(motion->pool, in->velocity[alpha]),
                                           .value = in->dT_dv[alpha]});
    if (form_begin_step(form, STEP_REDUCED_RATES))
        for (size_t alpha = 0; alpha < k; alpha++)
            form_add_line(form, (FormLine){.of = "T⁺",
                                           .by = expr_name(motion->pool, in->velocity[alpha]),
                                           .rate = true,
                                           .value = true_rate(in, in->dT_dv[alpha])});
    if (form_begin_step(form, STEP_REDUCED_SLOPES))
        for (size_t alpha = 0; alpha < k; alpha++)
            form_add_line(form, (FormLine){.of = "T⁺",
                                           .by = true_name(in, alpha),
                                           .value = in->dT_dq[in->independent[alpha]]});
}

void step_reduced_forces(Form *form, TrueCoordinates *in)
{
    step_apparent(form, in->motion);
    step_forces(form, in->motion);
    if (!form_begin_step(form, STEP_REDUCED_FORCES))
        return;
    for (size_t alpha = 0; alpha < in->motion->k; alpha++)
        line_named(form, true_force(in, alpha), "Q_%s", true_name(in, alpha));
}

void step_dependent_momenta(Form *form, TrueCoordinates *in, const char *name)
{
    Motion *motion = in->motion;
    if (motion->m == 0 || !form_begin_step(form, STEP_DEPENDENT_MOMENTA))
        return;
    for (size_t i = 0; i < motion->m; i++) {
        size_t nu = in->dependent[i];
        form_add_line(form, (FormLine){.of = name,
                                       .by = velocity_name(motion, nu),
                                       .brackets = true,
                                       .value = true_reduced(in, motion->p[nu])});
    }
}

// One line for each a_iα that does not vanish, or for its rate.
static void coefficient_lines(Form *form, TrueCoordinates *in, bool rates)
{
    const Motion *motion = in->motion;
    for (size_t i = 0; i < motion->m; i++)
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr a = true_a(in, i, alpha);
            if (expr_is_zero(motion->pool, a))
                continue;
            Text name = {0};
            text_addf(&name, "a_{%s,%s}", coordinate_name(motion, in->dependent[i]),
                      true_name(in, alpha));
            form_add_line(
                form,
                (FormLine){.of = name.at, .rate = rates, .value = rates ? true_rate(in, a) : a});
            text_clear(&name);
        }
}

void step_coefficients(Form *form, TrueCoordinates *in)
{
    if (in->motion->m > 0 && form_begin_step(form, STEP_COEFFICIENTS))
        coefficient_lines(form, in, false);
}

// ∂q'_{k+i}/∂q_α, where it does not vanish.
static void velocity_slope_lines(Form *form, TrueCoordinates *in)
{
    Motion *motion = in->motion;
    for (size_t i = 0; i < motion->m; i++)
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr slope = true_slope(in, i, alpha);
            if (!expr_is_zero(motion->pool, slope))
                form_add_line(form, (FormLine){.of = velocity_name(motion, in->dependent[i]),
                                               .by = true_name(in, alpha),
                                               .value = slope});
        }
}

static void dependent_slope_lines(Form *form, TrueCoordinates *in)
{
    Motion *motion = in->motion;
    for (size_t i = 0; i < motion->m; i++) {
        size_t nu = in->dependent[i];
        Expr slope = true_reduced(in, motion->dT_dq[nu]);
        if (!expr_is_zero(motion->pool, slope))
            form_add_line(form, (FormLine){.of = "T",
                                           .by = coordinate_name(motion, nu),
                                           .brackets = true,
                                           .value = slope});
    }
}

void step_correction(Form *form, TrueCoordinates *in)
{
    step_apparent(form, in->motion);
    if (in->motion->m > 0) {
        step_dependent_momenta(form, in, "T");
        if (form_begin_step(form, STEP_DEPENDENT_SLOPES))
            dependent_slope_lines(form, in);
        step_coefficients(form, in);
        if (form_begin_step(form, STEP_COEFFICIENT_RATES))
            coefficient_lines(form, in, true);
        if (form_begin_step(form, STEP_VELOCITY_SLOPES))
            velocity_slope_lines(form, in);
    }
    if (!form_begin_step(form, STEP_CORRECTION))
        return;
    for (size_t alpha = 0; alpha < in->motion->k; alpha++)
        line_named(form, true_correction(in, alpha), "R_%s", true_name(in, alpha));
}

// ---- The end.

void step_equations(Form *form, FormStepKind kind, size_t first)
{
    if (!form_begin_step(form, kind))
        return;
    for (size_t i = first; i < form->equations.count; i++) {
        const FormEquation *equation = &form->equations.at[i];
        form_add_line(
            form,
            (FormLine){.of = equation->label, .left = equation->left, .value = equation->right});
    }
}

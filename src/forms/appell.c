// appell.c: Appell's equations, for true coordinates and for speeds alike.
//
//     ∂S/∂u'_α = Σ_ν K_ν B_να                               (Appell 14; Quanjel 13)
//
// S is the energy of acceleration, reduced: the conditions are put into it before it is
// differentiated, and nothing goes wrong by that, unlike with T. That is so for ideal conditions.
// Where a servo keeps one, its force works on what the condition allows; then S stays unreduced
// until it is differentiated along the displacements on which no reaction works (Béghin):
//
//     Σ_ν (∂S₀/∂q''_ν) A_να = Σ_ν K_ν A_να
#include "forms/steps_impl.h"

// What S is made of, before the reduction.
static void record_accelerations(Form *form, Motion *motion, Expr S)
{
    const Model *model = motion->model;
    Expr given = expr_add(motion->pool, model->kinetic, model->lagrangian);
    if (has_vectors(model, false) && form_begin_step(form, STEP_ACCELERATIONS))
        lines_of_vectors(form, motion, VECTOR_ACCELERATION, false, false);
    if (has_vectors(model, true) && form_begin_step(form, STEP_SPINS)) {
        lines_of_vectors(form, motion, VECTOR_SPIN, false, false);
        lines_of_vectors(form, motion, VECTOR_SPIN_RATE, false, false);
    }
    step_bodies(form, motion);
    if (!expr_is_zero(motion->pool, given) && form_begin_step(form, STEP_GIVEN_ENERGY))
        form_add_line(form, (FormLine){.of = "T", .value = given});
    if (!expr_is_zero(motion->pool, model->acceleration_energy) &&
        form_begin_step(form, STEP_GIVEN_S))
        form_add_line(form, (FormLine){.of = "S", .value = model->acceleration_energy});
    if (form_begin_step(form, STEP_ACCELERATION_ENERGY))
        form_add_line(form, (FormLine){.of = "S₀", .value = S});
}

static void record(Form *form, Motion *motion, Expr S, Expr reduced, const Expr *left)
{
    step_in_speeds(form, motion);
    record_accelerations(form, motion, S);
    if (form_begin_step(form, STEP_REDUCED_ACCELERATION_ENERGY))
        form_add_line(form, (FormLine){.of = "S", .value = reduced});
    if (form_begin_step(form, STEP_ACCELERATION_PARTIALS))
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr rate = motion->state.speeds[alpha].rate;
            form_add_line(
                form,
                (FormLine){.of = "S", .by = expr_name(motion->pool, rate), .value = left[alpha]});
        }
    step_speed_forces(form, STEP_SPEED_FORCES, motion);
    step_equations(form, STEP_APPELL_EQUATIONS, 0);
}

// ∂S₀/∂q''_ν contracted with A, and the conditions put in afterwards.
static void derive_with_servos(Motion *motion, Form *form, Expr S)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    Expr *partials = base_alloc((n + 1) * sizeof *partials);
    form_add_function(form, "S", S);
    form_add_note(form,
                  "S is differentiated before the conditions are put in, along displacements "
                  "on which the reactions and what goes with them (servos, friction) do no work");
    expr_gradient(pool, S, motion->a, n, partials);
    record_accelerations(form, motion, S);
    if (form_begin_step(form, STEP_UNREDUCED_PARTIALS))
        for (size_t nu = 0; nu < n; nu++)
            form_add_line(form, (FormLine){.of = "S₀",
                                           .by = expr_name(pool, motion->a[nu]),
                                           .value = partials[nu]});
    step_displacements(form, motion);
    step_in_speeds(form, motion);
    for (size_t alpha = 0; alpha < k; alpha++) {
        Expr *terms = base_alloc((n + 1) * sizeof *terms);
        for (size_t nu = 0; nu < n; nu++)
            terms[nu] = expr_mul(pool, partials[nu], motion->state.A[nu * k + alpha]);
        form_add_equation(form, motion->state.varied[alpha].name,
                          motion_in_speeds(motion, expr_sum(pool, terms, n)),
                          motion_force_on(motion, &motion->state, alpha));
        base_free(terms);
    }
    step_speed_forces(form, STEP_SPEED_FORCES, motion);
    step_equations(form, STEP_SERVO_APPELL_EQUATIONS, 0);
    base_free(partials);
}

void form_appell(Motion *motion, Form *form)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    if (motion_has_curved_conditions(motion)) {
        form_appell_eliminated(motion, form);
        return;
    }
    form->in_speeds = true;
    Expr unreduced = motion_acceleration_energy(motion);
    if (motion->servos) {
        derive_with_servos(motion, form, unreduced);
        return;
    }
    Expr S = motion_in_speeds(motion, unreduced);
    form_add_function(form, "S", S);
    Expr *rates = base_alloc((k + 1) * sizeof *rates);
    Expr *left = base_alloc((k + 1) * sizeof *left);
    for (size_t alpha = 0; alpha < k; alpha++)
        rates[alpha] = motion->state.speeds[alpha].rate;
    expr_gradient(pool, S, rates, k, left);
    for (size_t alpha = 0; alpha < k; alpha++)
        form_add_equation(form, motion->state.speeds[alpha].name, left[alpha],
                          motion_force_on(motion, &motion->state, alpha));
    record(form, motion, unreduced, S, left);
    base_free(rates);
    base_free(left);
}

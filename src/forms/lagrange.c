// lagrange.c: Lagrange's equations with the correction that non-holonomic systems need.
//
//     d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α = Q_α + R_α         (Quanjel (10), (8); Appell (40)–(42))
//
// T⁺ is reduced. Leaving R out is the classical mistake (Quanjel no. 10, Hamel 229 and 240).
#include "forms/steps_impl.h"

static void record(Form *form, TrueCoordinates *true_)
{
    step_solved(form, true_);
    step_energy(form, STEP_ENERGY, true_->motion, "T");
    step_reduced_energy(form, true_);
    step_reduced_derivatives(form, true_);
    step_correction(form, true_);
    step_gyroscopic(form, true_);
    step_reduced_forces(form, true_);
    step_equations(form, STEP_LAGRANGE_EQUATIONS, 0);
}

void form_lagrange(Motion *motion, Form *form)
{
    TrueCoordinates true_;
    if (!form_may_reduce(motion, form))
        return;
    if (!true_init(&true_, motion, form))
        return;
    form_add_function(form, "T⁺", true_.T);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Text name = {0};
        Expr R = true_correction(&true_, alpha);
        text_addf(&name, "R_%s", true_name(&true_, alpha));
        form_add_function(form, name.at, R);
        text_clear(&name);
        Expr Q = true_force(&true_, alpha);
        form_add_equation(form, true_name(&true_, alpha), true_lagrange(&true_, alpha),
                          expr_add(motion->pool, Q, R));
        form->equations.at[alpha].naive = Q;
    }
    record(form, &true_);
    true_clear(&true_);
}

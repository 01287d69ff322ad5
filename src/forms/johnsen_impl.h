// johnsen_impl.h: speeds that are any functions of the velocities, as both of Hamel's forms for
// them have it (Hamel 247–248, after Johnsen). Never leaves the room.
#ifndef ZWANG_FORMS_JOHNSEN_IMPL_H
#define ZWANG_FORMS_JOHNSEN_IMPL_H

#include "forms/steps_impl.h"

// All n speeds ω_ν = f_ν(q', q, t), the conditions first, q'_ν = F_ν(ω, q, t); P_ν = ∂𝐓/∂ω_ν with
// 𝐓 in all ω, the conditions put in afterwards. Where F is not known in closed form everything
// stays in q', and the derivatives of F are those of the inverse.
typedef struct {
    Motion *motion;
    Form *form;
    Expr *f;     // n, in q, q', t
    Expr *omega; // n symbols
    Expr T;      // 𝐓; none where F is not known
    Expr *P;     // n, reduced
    Expr *slope; // ∂𝐓/∂q_ν with ω fixed, reduced, n
} Johnsen;

// False, and the form is refused, where it does not apply.
bool johnsen_init(Johnsen *johnsen, Motion *motion, Form *form);
void johnsen_clear(Johnsen *johnsen);
// F_{ν,α} = ∂F_ν/∂ω of free speed α, and f_{ρ,ν} = ∂f_ρ/∂q'_ν, both reduced.
Expr johnsen_F(const Johnsen *johnsen, size_t nu, size_t alpha);
Expr johnsen_f(const Johnsen *johnsen, size_t rho, size_t nu);
// The equations dP_μ/dt + Γ_μ − Σ (∂𝐓/∂q_ν) F_{ν,μ} = Q_μ, Γ_μ from the transition terms of the
// form, one for each free speed.
void johnsen_add_equations(Johnsen *johnsen, const Expr *transitions);
// The steps before the transition terms, and those after them.
void johnsen_record_speeds(const Johnsen *johnsen);
void johnsen_record_end(const Johnsen *johnsen, const Expr *transitions, FormStepKind transition,
                        FormStepKind equations);

#endif

// inquiry_impl.h: what the questions share. Never leaves the room.
#ifndef ZWANG_INQUIRY_IMPL_H
#define ZWANG_INQUIRY_IMPL_H

#include "inquiry/inquiry.h"

// ---- agreement.c: a form's equations for what they determine.
// u', then the multipliers where the form has them, then those of conditions on accelerations.
size_t inquiry_unknowns(const Motion *motion, const Form *form, Expr *unknowns);
// What vanishes, in q, u, u', t and the multipliers.
Expr inquiry_residual(Motion *motion, const Form *form, const FormEquation *equation);
// residual = coefficients·unknowns + rest; false where that is not seen.
bool inquiry_affine_parts(Motion *motion, Expr residual, const Expr *unknowns, size_t count,
                          Expr *coefficients, Expr *rest);

// numeric.c: whether both systems have the same u' at random states, to 1e-12.
bool inquiry_agree_numerically(Motion *motion, const InquiryNormal *a, const InquiryNormal *b);

// Why nothing is said of the kind of conditions that hold continuous states.
#define inquiry_rated                                                                              \
    "conditions, speeds or the kinetic energy hold continuous states, which move with the time "   \
    "as it goes on and have no displacements of their own"

// ---- without_states.c: the same motion without continuous states and their rates; itself where it
// has none, NULL where something else holds them. Freed by inquiry_part_free.
Motion *inquiry_without_states(Motion *motion);
void inquiry_part_free(Motion *part, const Motion *motion);

// ---- parameter_values.c: parameters with the values that the model gives them.
// A substitution of every parameter whose value is a rational number. The caller frees it.
ExprSubst *inquiry_values(const Motion *motion);
// The same of every parameter that has a value: also of √2 and π/6.
ExprSubst *inquiry_all_values(const Motion *motion);

// Where something is asked: on the finite conditions, for the values given or for all.
typedef struct {
    ExprSubst *level;  // see level.c
    ExprSubst *values; // NULL: for all values of the parameters
    bool on_level;     // some finite condition is put in
    size_t left;       // finite conditions that are not
} Setting;
static inline Expr setting_put(const Setting *setting, Expr e)
{
    e = expr_subst(setting->level, e);
    return setting->values ? expr_subst(setting->values, e) : e;
}

// ---- ansatz.c: functions of coordinates and time that an unknown function may be made of.
typedef struct {
    Expr *at;
    size_t count;
    size_t degree; // of the monomials that were taken
} Ansatz;
// Monomials in the variables and in the sines, cosines and other functions of them that the
// expressions hold, up to this degree or a lower one with at most `most` of them; for integration
// also logarithms of divisors and angles of two variables. Without the constant 1, simple ones
// first, none a combination of the others with constant coefficients.
typedef struct {
    const Expr *variables;
    size_t variable_count;
    const Expr *exprs; // where functions are looked for
    size_t expr_count;
    size_t degree, most;
    bool integrals;         // also divisors, their logarithms, and angles
    const Setting *setting; // where they are asked; NULL: everywhere
} AnsatzWish;
void ansatz_init(Ansatz *ansatz, Motion *motion, const AnsatzWish *wish);
void ansatz_clear(Ansatz *ansatz);
// Parameters, which count as constants. The caller frees them.
Expr *ansatz_constants(const Motion *motion, size_t *count);
// Σ coefficients·functions for the eye: short, without factors that hold constants only.
Expr ansatz_value(Motion *motion, const Expr *coefficients, const Expr *functions, size_t count);
// The constant factor that such a value has too many.
Expr ansatz_factor(Motion *motion, Expr value);

// ---- closure.c: the involutive closure of a distribution.
// Vector fields over `count` variables, the last of which is time: field by field.
typedef struct {
    size_t variables;
    Expr *symbols;        // the variables, `variables` of them
    ARRAY(Expr) entries;  // fields × variables
    size_t fields;        // how many: those given, then the brackets that lead further
    ARRAY(size_t) growth; // how many after 1, 2, … rounds of brackets
} Closure;
// Takes the given fields, whose symbols and entries are filled in, and adds brackets until
// nothing new comes. False where ranks cannot be decided.
bool closure_grow(Closure *closure, Motion *motion);
// Whether brackets lead nowhere, or a real point shows, for these values, that those which are new
// in a prime field are.
bool closure_is_shown(const Closure *closure, Motion *motion, ExprSubst *values);
void closure_clear(Closure *closure);
// The fields of all (q', 1) that obey the conditions, in a reduction: the one of time first. With
// `parameters` each declared speed of the state is the rate of one more variable, before time.
void closure_of_motion(Closure *closure, Motion *motion, const MotionReduction *reduction,
                       bool parameters, ExprSubst *values);

// ---- level.c: points where the finite conditions hold.
// A substitution of coordinates by functions of free symbols, so that what vanishes after it
// vanishes wherever the finite conditions hold. It knows conditions that are linear in a
// coordinate, and spheres (the unit norm of a quaternion); others stay as they are, and what is
// proved then holds on each of their level sets: `left` counts them. The caller frees it.
ExprSubst *level_of(Motion *motion, bool *any, size_t *left);

// ---- certified_state.c
// What is real at a state of the motion: the velocities, and √(−f) of each one-sided condition
// f ≤ 0 that does not act, where the difference holds coordinates. Their count; at most
// n + side_count.
size_t state_is_real(Motion *motion, Expr difference, Expr *out);
// A real state at which the finite conditions hold and `difference`, in q, u, t and parameters
// without a value, is certainly not 0: its value and the state go to the equation. False where none
// is found.
bool certified_state(Motion *motion, const Setting *setting, Expr difference,
                     InquiryEquation *equation);

// ---- momenta.c: integrals linear in the velocities.
// F = Σ p_ν ξ_ν + η with a virtual displacement ξ(q, t) and a function η(q, t).
typedef struct {
    Motion *motion;
    const Setting *setting;
    Expr *force; // [∂T/∂q_ν + K_ν], in speeds: n
    Expr *p;     // [∂T/∂q'_ν], in speeds: n
    // Directions of impulses that must not change F: ξ is at right angles to them.
    Expr *impulses; // impulse_count × n
    size_t impulse_count;
    bool jumps_move; // T or U jump at a surface that moves, or with the time
} Momenta;
void momenta_init(Momenta *momenta, Motion *motion, const Setting *setting, InquirySpan span);
void momenta_clear(Momenta *momenta);
// d/dt Σ p_ν ξ_ν along the motion, where ξ obeys the conditions: no acceleration is needed.
Expr momenta_rate(const Momenta *momenta, const Expr *field);
// A function that is linear in the speeds, with coefficients that are sums of products of
// coordinates, sines and cosines where the finite conditions hold; itself where that fails.
Expr momenta_polynomial(Motion *motion, const Setting *setting, Expr reduced);
// Looks for all of them up to a degree, each proved; fields and functions go to the list.
void momenta_find(Momenta *momenta, InquiryIntegrals *integrals);

// ---- energy.c
// The energy, or what of it is constant, or why nothing is.
void energy_find(Momenta *momenta, InquiryIntegrals *integrals);

// ---- integrals.c
// Takes an integral into the list where it says something new.
void integrals_take(InquiryIntegrals *integrals, Motion *motion, const Setting *setting,
                    InquiryIntegral integral);

// ---- antiderivative.c
// A function with these partial derivatives by the variables, found among sums of products, their
// logarithms and angles, and proved by differentiating; none where it is not found.
Expr antiderivative(Motion *motion, const Expr *variables, const Expr *partials, size_t count);

// ---- separation.c
// Separates H(q, p) = E, where H holds no time; NULL where that does not go on.
InquirySeparation *separation_of(Motion *motion, Arena *arena, Expr H, const Expr *q, const Expr *p,
                                 size_t count);

// ---- quadratures.c
// The equations of motion of separated coordinates, for a proof.
typedef struct {
    size_t count;
    const Expr *q, *velocity, *acceleration; // symbols
    const Expr *p;                           // symbols of the momenta in H
    const Expr *momenta;                     // what they are in the velocities
    const Expr *residuals;                   // the equations, each 0, in q, q', q''
    Expr H;                                  // completed by φ
    size_t dependent_count;
    const Expr *dependent_q, *dependent_rates; // symbols, and their rates in q, q' and t
} QuadratureSystem;
// ∂V/∂a = b for a separation, and the motion where the quadratures close.
void quadratures_find(Motion *motion, Arena *arena, const QuadratureSystem *system,
                      InquirySeparation *separation);

// ---- finite_relations.c
// Looks for the hidden relations of a kind whose closure is known.
void relations_find(Motion *motion, InquiryKind *kind);

// ---- parameter_values.c
// The first condition for which d'Alembert's principle does not say that the reactions of linear
// conditions do no virtual work: one that is not linear in the velocities, holds accelerations, or
// is kept by a servo.
// NULL where there is none.
const char *inquiry_stranger(const Motion *motion);
// A symbol of this name, or of one with _ after it where the model has that name.
Expr inquiry_symbol(const Motion *motion, const char *name);
// The short form of e, as far as a fixed allowance goes.
Expr inquiry_short(Motion *motion, Expr e);

// Whether this is zero for all values of its symbols; the second: false where it is not known.
Answer inquiry_is_zero(Motion *motion, Expr e);
bool inquiry_vanishes(Motion *motion, Expr e);

#endif

// motion.h: kinematics and energies of a model, and its conditions as rows.
//
// Notation as in the theory page: n coordinates q, m independent conditions, k = n − m
// degrees of freedom. Conditions at the level of velocities are b·q' + c = 0, at the level of
// accelerations b·q'' + γ = 0. The state's speeds u are k independent ones among the declared
// speeds and the velocities; then q' = B·u + C and q'' = B·u' + D.
#ifndef ZWANG_MOTION_H
#define ZWANG_MOTION_H

#include "algebra/algebra.h"
#include "model/model.h"

typedef struct {
    const ModelConstraint *constraint;
    Expr position; // f(q, t) for a finite condition, else none
    Expr velocity; // b·q' + c, the condition itself or its derivative
    Expr *b;       // n coefficients
    Expr c;
    Expr gamma; // in q, q', t
} MotionRow;

typedef struct {
    const char *name; // "v" for a declared speed, "theta'" for a velocity
    Expr u, rate;     // symbols: the speed and its derivative
    Expr value;       // in q, q', t
    bool declared;    // not a velocity: it stands for its value
    bool orthonormal; // made by motion_orthonormal; index means nothing then
    bool chosen;      // by the program; else declared, or named by `independent`
    size_t index;     // among the model's speeds, or its coordinates
    Expr *y;          // value = y·q' + y0
    Expr y0;
} MotionSpeed;

typedef struct {
    const ModelConstraint *constraint;
    bool identity; // it holds by itself; else it follows from the earlier ones
} MotionAside;

// The velocities in k independent speeds: q' = B·u + C, q'' = B·u' + D.
typedef struct {
    MotionSpeed *speeds; // k
    Expr *B;             // n × k, in q, t
    Expr *C;             // n
    Expr *D;             // n, in q, u, t
    ExprSubst *subst;    // q' → B·u + C, q'' → B·u' + D; made on first use
    ExprRates *along;    // d/dt with q' = B·u + C; made on first use
} MotionReduction;

typedef struct Motion {
    Arena *arena;
    const Model *model;
    ExprPool *pool;
    Algebra *algebra;
    size_t n, m, k;
    Expr *q, *v, *a; // n symbols each
    MotionRow *rows; // m
    ARRAY(MotionAside) aside;
    // One-sided conditions f ≤ 0, none set aside: what is written with >= has its sign changed.
    // Constraint and position alone are there until motion_side has been asked for one.
    MotionRow *sides;
    size_t side_count;
    Arena *side_arena;     // of the motion that they were made for
    bool *held;            // those that are rows too, as equations −f = 0; NULL: none of them
    MotionReduction state; // by the state's speeds
    MotionReduction velocities; // by velocities alone; made on first use
    Expr T, U;                  // unreduced; U with gravity, T with what `lagrangian` gives
    Expr energy;                // T + U as far as it is defined; none with `acceleration_energy`
    Expr *p;                    // ∂T/∂q', n
    Expr *dT_dq;                // n
    Expr *dS_da;                // of what `acceleration_energy` gives, by q'', n
    Expr *K;                    // applied generalized forces, n
    ExprRates *dt;              // d/dt with q'' ; third derivatives are 0
    ExprRates *dt_still;        // d/dt with q'' = 0
} Motion;

// Errors (contradictory or non-linear conditions, a singular choice of speeds, …) go to diag.
// The model must outlive the motion.
BASE_MUST_USE Status motion_new(const Model *model, Diag *diag, Motion **motion);
void motion_free(Motion *motion);
// The same motion while these of the one-sided conditions act: they are equations, their λ being
// the told one. They have to be independent of each other and of the equations. The base must
// outlive it.
BASE_MUST_USE Status motion_holding(const Motion *base, const bool *held, Diag *diag,
                                    Motion **motion);

// Whether the masses determine how the free velocities change; an error that names the
// coordinates or speeds without inertia where they do not.
BASE_MUST_USE Status motion_check_inertia(Motion *motion, Diag *diag);

// Puts speeds in the place of the state's in which T⁺ = ½ Σ ω² + a function of q and t (Hamel
// 236). Before anything else is asked of the motion. An error where T is no quadratic function of
// the velocities, or not positive.
BASE_MUST_USE Status motion_orthonormal(Motion *motion, Diag *diag);

// W_ν = d/dt ∂T/∂q'_ν − ∂T/∂q_ν, affine in q''.
Expr motion_inertia_force(Motion *motion, size_t nu);
// The mass matrix ∂W_ν/∂q''_μ, n × n, symmetric; and W_ν − K_ν for q'' = 0.
void motion_mass_matrix(Motion *motion, Expr *matrix);
void motion_bias(Motion *motion, Expr *bias);
// Applied generalized forces without the weights of masses and bodies, n.
void motion_loads(Motion *motion, Expr *loads);
// A body's angular velocity and the couple I·ω' + ω × I·ω that its spin takes, along the axes of
// the frame that its inertia is given in.
void motion_spin(Motion *motion, const ModelBody *body, Vec *omega, Vec *couple);
// I·w, along the same axes.
Vec motion_inertia_times(Motion *motion, const ModelBody *body, Vec w);
// Appell's energy of acceleration, unreduced, up to terms without second derivatives.
Expr motion_acceleration_energy(Motion *motion);
// What of it the masses give, each body's at its centre: ½ Σ m J².
Expr motion_centre_acceleration_energy(Motion *motion);
// The same expression with velocities and accelerations replaced by the state's speeds and
// their rates.
Expr motion_in_speeds(Motion *motion, Expr e);
// The reduction to k independent velocities, for the forms that are written in true coordinates:
// those named by `independent`, else the program's choice. NULL where none is found.
MotionReduction *motion_velocities(Motion *motion);
// e with velocities and accelerations replaced as this reduction says.
Expr motion_reduced(Motion *motion, MotionReduction *reduction, Expr e);
// d/dt of an expression in q, u, t: every coordinate moves as the speeds say.
Expr motion_rate_along(Motion *motion, MotionReduction *reduction, Expr e);
// Σ_ν K_ν B_να, reduced: what the applied forces do on speed α.
Expr motion_force_on(Motion *motion, MotionReduction *reduction, size_t alpha);

// A percussion's generalized impulse on every coordinate, n: its virtual work is Σ I_ν δq_ν.
void motion_percussion(Motion *motion, const ModelImpulse *impulse, Expr *parts);
// Takes those out of `held` (all one-sided conditions) that depend on the equations and on those
// before them, and says so.
void motion_leave_dependent(Motion *motion, bool *held, Diag *diag);
// A one-sided condition as a whole row.
const MotionRow *motion_side(const Motion *motion, size_t index);

// ---- Energy, what changes it, and what stays as it is.
typedef struct {
    Expr energy;   // Σ q'·∂T/∂q' − T + U; none with `acceleration_energy`
    bool is_total; // it is motion->energy
    Expr power;    // its rate along the motion, in q, q', t and the multipliers; 0 where that is
                   // proved
} MotionPower;
MotionPower motion_power(Motion *motion);

// First integrals that are seen without a search: momenta of coordinates that neither T nor a
// force nor a condition knows. At most n; the names live as long as the motion.
typedef struct {
    const char *name; // "momentum of theta"
    Expr value;       // in q, q', t
} MotionIntegral;
size_t motion_integrals(Motion *motion, MotionIntegral *integrals);

// ---- Reactions: what the conditions do to the bodies and particles. All are expressions in q,
// q', q'', t and the multipliers, along world's axes; how each is obtained stands in the manual's
// theory page.
typedef struct {
    const char *condition; // "roll": the parts of a vector condition act together
    const char *at;        // the point, as the model writes it; NULL for a couple alone
    const char *on;        // the body or mass; NULL where it is none of the model's
    Vector position;       // of the point
    Vec force, couple;     // the couple about that point
    bool has_force, has_couple;
    bool balanced; // a part holds by itself and was found from the balance of the whole system
} MotionReaction;

// A condition, or a part of it, without a place in space: λ·b_ν by coordinate.
typedef struct {
    const char *condition;
    Expr *parts; // n
} MotionGeneralized;

// Everything that acts on a mass or body beside its weight and the forces and couples that are
// given at places: m·a − those, and I·ω' + ω × I·ω − those about the centre.
typedef struct {
    const char *on;
    Vector position;
    Vec force, couple;
    bool turns; // it has moments of inertia, so that there is a couple
} MotionTotal;

typedef struct {
    const ModelConstraint *constraint;
    const char *why; // there is no reaction of its own
} MotionUntold;

typedef struct {
    Arena *arena;
    ARRAY(MotionReaction) at;
    ARRAY(MotionGeneralized) generalized;
    ARRAY(MotionTotal) totals;
    ARRAY(MotionUntold) untold;
    struct Carriers *carriers; // whom coordinates move; made on first need
    const char *unplaced;      // "potential, dissipation": loads without a place, which the totals
                               // hold too; NULL where there are none
} MotionReactions;

// `wanted`, one for each one-sided condition, tells which of them count; NULL: all.
MotionReactions *motion_reactions(Motion *motion, const bool *wanted);
void motion_reactions_free(MotionReactions *reactions);

#endif

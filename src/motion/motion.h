// motion.h: kinematics and energies of a model, and its conditions as rows.
//
// Notation as in the theory page: n coordinates q, m independent conditions, k = n − m
// degrees of freedom. Conditions at the level of velocities are b·q' + c = 0, at the level of
// accelerations b·q'' + γ = 0. The state's speeds u are k independent ones among the declared
// speeds and the velocities; then q' = F(u, q, t) and q'' = B·u' + D with B = ∂F/∂u. Where
// conditions and speeds are linear in the velocities, q' = B·u + C.
//
// Conditions and speeds that are not linear (Appell 21–22, Hamel 247) have b and c, y and y0 that
// hold velocities: b·q' + c is the condition, b = ∂f/∂q' its row, and b·δq = 0 are the virtual
// displacements, which are Gauss's.
#ifndef ZWANG_MOTION_H
#define ZWANG_MOTION_H

#include "model/model.h"

typedef struct Algebra Algebra; // algebra.h

typedef struct {
    const ModelConstraint *constraint;
    Expr position; // f(q, t) for a finite condition, else none
    Expr velocity; // b·q' + c, the condition itself or its derivative
    Expr *b;       // n: ∂velocity/∂q', the row of the accelerations
    Expr c;
    Expr gamma; // in q, q', t
    // The reaction on q_ν is λ·d_ν, and d·δq = 0 are the virtual displacements: b itself, but for a
    // servo, whose force has its own direction (in q, q', t).
    Expr *d;
    const ModelServo *servo; // NULL for an ideal condition
    bool linear;             // b and c hold no velocities
} MotionRow;

// A condition of the second class: it holds accelerations, and binds nothing else.
typedef struct {
    MotionRow row; // b = ∂f/∂q'', which holds q'' where f is not affine; γ is f for q'' = 0
    Expr f;        // in q, q', q'', t
    bool affine;   // f = b·q'' + γ
} MotionSecond;

typedef struct {
    const char *name; // "v" for a declared speed, "theta'" for a velocity
    Expr u, rate;     // symbols: the speed and its derivative
    Expr value;       // in q, q', t
    bool declared;    // not a velocity: it stands for its value
    bool orthonormal; // made by motion_orthonormal; index means nothing then
    bool chosen;      // by the program; else declared, or named by `independent`
    size_t index;     // among the model's speeds, or its coordinates
    Expr *y;          // value = y·q' + y0, y = ∂value/∂q'
    Expr y0;
    bool linear; // y and y0 hold no velocities
} MotionSpeed;

typedef struct {
    const ModelConstraint *constraint;
    bool identity; // it holds by itself; else it follows from the earlier ones
} MotionAside;

// The velocities in k independent speeds: q' = F(u, q, t), q'' = B·u' + D.
//
// Where conditions and speeds cannot be solved for the velocities in closed form, these stay in
// all expressions: F_ν is q'_ν itself, B and D hold q', and the velocities are functions of the
// speeds all the same, whose derivatives are known. What is proved of such expressions is proved
// for all q and q': the conditions are used as far as their derivatives go, on every f = const.
typedef struct {
    MotionSpeed *speeds; // k
    bool linear;         // F = B·u + C; else there is no C
    bool closed;         // F is a function of u, q, t
    Expr *F;             // n
    Expr *B;             // n × k, ∂F/∂u, in q, t, and in u or q' where it is not linear
    Expr *C;             // n
    Expr *D;             // n, in q, u, t, or in q, q', t
    // A basis of the virtual displacements, d·A = 0 for all conditions, and whose displacements it
    // is written in: B and the speeds, but where servos are (then in q, q', t).
    Expr *A;             // n × k
    MotionSpeed *varied; // k
    Expr *omega;         // m symbols for the values of the conditions, where closed and not linear:
    Expr *whole;         // n: q' = F(ω, u, q, t) off the conditions, too
    Expr *slope;      // n × n, ∂F_ν/∂q_σ for constant u, where not closed; made on first use
    ExprSubst *subst; // q' → F, q'' → B·u' + D; made on first use
    ExprRates *along; // d/dt along the motion; made on first use
} MotionReduction;

typedef struct Motion {
    Arena *arena;
    const Model *model;
    ExprPool *pool;
    Algebra *algebra;
    size_t n, m, k;
    Expr *q, *v, *a;       // n symbols each
    MotionRow *rows;       // m
    size_t servos;         // how many of them servos keep
    MotionSecond *seconds; // second_count, the affine ones first
    size_t second_count, affine_count;
    // All of these conditions, in the order in which they are told.
    const ModelConstraint **in_force;
    size_t in_force_count;
    ARRAY(MotionAside) aside;
    // One-sided conditions f ≤ 0, none set aside: what is written with >= has its sign changed.
    // Constraint and position alone are there until motion_side has been asked for one.
    MotionRow *sides;
    size_t side_count;
    Arena *side_arena;     // of the motion that they were made for
    bool *held;            // those that are rows too, as equations −f = 0; NULL: none of them
    bool curved;           // a condition, or a speed of the state, is not linear
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

// Errors (contradictory conditions, a singular choice of speeds, …) go to diag.
// The model must outlive the motion.
BASE_MUST_USE Status motion_new(const Model *model, Diag *diag, Motion **motion);
void motion_free(Motion *motion);
// The same motion while these of the one-sided conditions act: they are equations, their λ being
// the told one. They have to be independent of each other and of the equations. The base must
// outlive it.
typedef struct {
    const bool *held;     // of the one-sided conditions
    const bool *left_out; // of the equations: those that follow from others; NULL for none
    bool without_speeds;  // none are chosen, k is 0 and nothing is solved for: for who carries all
                          // velocities
} MotionHold;
BASE_MUST_USE Status motion_holding(const Motion *base, MotionHold hold, Diag *diag,
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
// Derivatives of a reduced expression by the speeds (k), and by the coordinates for constant
// speeds (n).
void motion_by_speeds(Motion *motion, MotionReduction *reduction, Expr e, Expr *partials);
void motion_by_places(Motion *motion, MotionReduction *reduction, Expr e, Expr *partials);
// d/dt of a reduced expression: every coordinate moves as the speeds say.
Expr motion_rate_along(Motion *motion, MotionReduction *reduction, Expr e);
// Σ_ν K_ν A_να, reduced: what the applied forces do on displacement α, that of a speed.
Expr motion_force_on(Motion *motion, MotionReduction *reduction, size_t alpha);

// e = y·q' + y0 with y = ∂e/∂q', n; both hold no velocities where e is linear in them.
void motion_linearize(const Motion *motion, Expr e, Expr *y, Expr *y0);
// Whether the reactions of a condition do no work along the motion: b·q' vanishes where the
// condition holds, as it does where that is homogeneous in the velocities. Proved, or else false.
bool motion_is_workless(Motion *motion, const MotionRow *row);
// What its reactions do in a unit of time, in q, q', t and its multiplier; 0 where that is proved.
Expr motion_reaction_power(Motion *motion, const MotionRow *row);

// Σ_ν g_ν B_να, reduced, for any covector g: what it is on speed α.
Expr motion_on_speed(Motion *motion, MotionReduction *reduction, const Expr *g, size_t alpha);

// A percussion's generalized impulse on every coordinate, n: its virtual work is Σ I_ν δq_ν.
void motion_percussion(Motion *motion, const ModelImpulse *impulse, Expr *parts);
// Takes those out of `held` (all one-sided conditions) that depend on the equations and on those
// before them, and says so.
void motion_leave_dependent(Motion *motion, bool *held, Diag *diag);
// A one-sided condition as a whole row.
const MotionRow *motion_side(const Motion *motion, size_t index);

// The row of a condition in force; NULL where it is none.
const MotionRow *motion_row_of(const Motion *motion, const ModelConstraint *constraint);
// Whether all conditions are affine in the accelerations: then these are determined by linear
// equations.
bool motion_is_affine(const Motion *motion);

// ---- Energy, and what changes it.
typedef struct {
    Expr energy;   // Σ q'·∂T/∂q' − T + U; none with `acceleration_energy`
    bool is_total; // it is motion->energy
    Expr power;    // its rate along the motion, in q, q', t and the multipliers; 0 where that is
                   // proved
} MotionPower;
MotionPower motion_power(Motion *motion);

#endif

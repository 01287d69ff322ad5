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
    bool declared;
    size_t index; // among the model's speeds, or its coordinates
    Expr *y;      // value = y·q' + y0
    Expr y0;
} MotionSpeed;

typedef struct {
    const ModelConstraint *constraint;
    bool identity; // it holds by itself; else it follows from the earlier ones
} MotionAside;

typedef struct Motion {
    Arena *arena;
    const Model *model;
    ExprPool *pool;
    Algebra *algebra;
    size_t n, m, k;
    Expr *q, *v, *a; // n symbols each
    MotionRow *rows; // m
    ARRAY(MotionAside) aside;
    MotionSpeed *speeds; // k
    bool chosen;         // whether the program chose (some of) the independent velocities
    Expr *B;             // n × k, in q, t
    Expr *C;             // n
    Expr *D;             // n, in q, u, t
    Expr T, U;           // unreduced; U with gravity
    Expr *p;             // ∂T/∂q', n
    Expr *dT_dq;         // n
    Expr *K;             // applied generalized forces, n
    ExprRates *dt;       // d/dt with q'' ; third derivatives are 0
    ExprRates *dt_still; // d/dt with q'' = 0
    ExprSubst *to_speeds; // q' → B·u + C, q'' → B·u' + D; made on first use
} Motion;

// Errors (contradictory or non-linear conditions, a singular choice of speeds, …) go to diag.
// The model must outlive the motion.
BASE_MUST_USE Status motion_new(const Model *model, Diag *diag, Motion **motion);
void motion_free(Motion *motion);

// Whether the masses determine how the free velocities change; an error that names the
// coordinates or speeds without inertia where they do not.
BASE_MUST_USE Status motion_check_inertia(Motion *motion, Diag *diag);

// W_ν = d/dt ∂T/∂q'_ν − ∂T/∂q_ν, affine in q''.
Expr motion_inertia_force(Motion *motion, size_t nu);
// The mass matrix ∂W_ν/∂q''_μ, n × n, symmetric; and W_ν − K_ν for q'' = 0.
void motion_mass_matrix(Motion *motion, Expr *matrix);
void motion_bias(Motion *motion, Expr *bias);
// Appell's energy of acceleration, unreduced, up to terms without second derivatives.
Expr motion_acceleration_energy(Motion *motion);
// The same expression with velocities and accelerations replaced by the speeds and their rates.
Expr motion_in_speeds(Motion *motion, Expr e);

#endif

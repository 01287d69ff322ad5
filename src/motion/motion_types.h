// motion_types.h: what a motion consists of.
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
#ifndef ZWANG_MOTION_MOTION_TYPES_H
#define ZWANG_MOTION_MOTION_TYPES_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct Algebra Algebra;                 // algebra.h
typedef struct Model Model;                     // model.h
typedef struct ModelConstraint ModelConstraint; // constraint.h
typedef struct ModelServo ModelServo;
typedef struct MotionGiven MotionGiven;       // given_energy.h
typedef struct MotionFriction MotionFriction; // frictions.h
typedef struct FrictionHold FrictionHold;

typedef struct MotionRow {
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
    bool vanishes; // a finite one: at every position
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
    bool postponed;      // F, B, C, D and A are not there before motion_solve
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
    struct StartQuestions *asked; // what numbers at the start have decided (start_numbers.h)
    const Model *model;
    ExprPool *pool;
    Algebra *algebra;
    size_t n, m, k;
    Expr *q, *v, *a;       // n symbols each
    MotionRow *rows;       // m
    size_t servos;         // how many of them have reactions of another direction: servos, sliding
    MotionSecond *seconds; // second_count, the affine ones first
    size_t second_count, affine_count;
    // All of these conditions, in the order in which they are told.
    const ModelConstraint **in_force;
    size_t in_force_count;
    ARRAY(MotionAside) aside;
    // Of these, where not all are made of the rows with the same numbers everywhere: what may stand
    // for a row where that depends on others.
    MotionRow *spares;
    size_t spare_count;
    // One-sided conditions f ≤ 0, none set aside: what is written with >= has its sign changed.
    // Constraint and position alone are there until motion_side has been asked for one. Behind them
    // two-sided ones that are switched (model_switch_rows).
    MotionRow *sides;
    size_t side_count;
    Arena *side_arena;                // of the motion that they were made for
    struct SideSymbols *side_symbols; // that they hold; NULL before it is asked for (power.c)
    struct PowerFacts *power_facts;   // NULL before something of them is asked for (power.c)
    // Dry friction, and how each of them is in this motion; NULL: none acts.
    MotionFriction *frictions;
    size_t friction_count;
    const FrictionHold *friction_holds;
    // Of what slides without inertia: balances that hold no velocities, as conditions.
    ARRAY(ModelConstraint *) balances;
    bool *held;           // those that are rows too, as equations −f = 0; NULL: none of them
    const size_t *pivots; // rows, and the coordinates that they are solved for (holds.h), or NULL
    bool curved;          // a condition, or a speed of the state, is not linear
    bool regular;         // it was shown that the masses determine the accelerations
    bool to_run, open;    // large ones need not be solved for velocities; nor others in closed form
    MotionReduction state; // by the state's speeds
    // What events keep: these, or those that it would have if the text alone chose them, k.
    MotionSpeed *kept;
    MotionReduction velocities; // by velocities alone; made on first use
    Expr T, U;                  // unreduced; U with gravity, T with what `lagrangian` gives
    Expr energy;                // T + U as far as it is defined; none where no T belongs to S
    Expr *p;                    // ∂T/∂q', n
    Expr *dT_dq;                // n
    // What the inertia forces hold beside T, n: of an energy of acceleration that was given −Δ_ν of
    // Appell (40), or ∂S/∂q''_ν where no T belongs to it.
    Expr *rest_of_S;
    MotionGiven *given;  // of it; NULL where none was given
    Expr *K;             // applied generalized forces, n; what of them goes with λ is in rows' d
    const Expr *whole_K; // the same with all that is given, in λ
    bool bends;          // these are not linear in λ: K is what their tangent is at λ = 0
    // These hold λ of one-sided conditions; and not linearly, so that they bend where these act.
    bool sides_act, sides_bend;
    ExprRates *dt;       // d/dt with q'' ; third derivatives are 0
    ExprRates *dt_still; // d/dt with q'' = 0
} Motion;

// The row of a condition in force; NULL where it is none.
const MotionRow *motion_row_of(const Motion *motion, const ModelConstraint *constraint);
// Whether all conditions are affine in the accelerations, and the energy of acceleration is
// quadratic in them: then they are determined by linear equations.
bool motion_is_affine(const Motion *motion);
// Whether a condition is not affine in the accelerations.
bool motion_has_curved_conditions(const Motion *motion);
// e = y·q' + y0 with y = ∂e/∂q', n; both hold no velocities where e is linear in them.
void motion_linearize(const Motion *motion, Expr e, Expr *y, Expr *y0);

#endif

// many_impl.h: systems of many coordinates and conditions, each of which knows few others. Never
// leaves the room.
#ifndef ZWANG_RUN_MANY_IMPL_H
#define ZWANG_RUN_MANY_IMPL_H

#include "run/numbers_impl.h"

// ---- shapes.c: one-sided conditions that differ only in which coordinates they speak of share
// their programs.
typedef struct {
    Expr position, restitution; // in the shape's own symbols for coordinates
    size_t size;                // coordinates that it knows
    size_t terms;               // that f is a sum of
    Lowered f;                  // f alone
    Lowered row;                // ∂f/∂q (size), f, ∂f/∂t, γ, e, the terms of f
    double *inputs;             // parameters | t | coordinates | velocities
    ARRAY(uint32_t) sides;      // of this shape
    double *lanes, *work;       // for many conditions at once: inputs of f, and room
} Shape;
typedef struct {
    uint32_t shape;
    uint32_t first; // of its coordinates
} ShapedSide;
typedef struct {
    size_t count, params, most; // `most`: coordinates that one condition knows
    ShapedSide *at;
    ARRAY(Shape) shapes;
    ARRAY(uint32_t) coordinates;
    ARRAY(Expr) q; // the shapes' own symbols: coordinates, and velocities
    ARRAY(Expr) v;
} Shapes;
// For the motion's one-sided conditions, with the values of the parameters.
BASE_MUST_USE Status shapes_init(Shapes *shapes, Motion *motion, const double *params, Diag *diag);
void shapes_clear(Shapes *shapes);
// f of every condition.
void shapes_positions(Shapes *shapes, double t, const double *q, double *positions);
// The coordinates that a condition knows; how many.
size_t shapes_coordinates(const Shapes *shapes, size_t side, const uint32_t **coordinates);
typedef struct {
    double f, partial_t, gamma, restitution;
    double rate;            // f'
    const double *gradient; // by its coordinates, until the next is asked for
    const double *terms;    // of f
    size_t term_count;
} ShapeNumbers;
ShapeNumbers shapes_row(Shapes *shapes, size_t side, double t, const double *q, const double *v);

// ---- many.c: the inertia, the forces and the equations as sparse numbers.
//
// The equations are those that are needed, then the affine ones on accelerations; those that servos
// keep come last.
typedef struct {
    Numbers *numbers;
    size_t n, m;
    size_t ideal; // how many of the m, the first ones, no servo keeps
    // Of each: the row of the problem of least constraint that it is (numbers_condition).
    size_t *which;
    // Whether 𝓜 or an ideal row holds velocities, so that it changes while these jump; which rows
    // do.
    bool bent, *bent_rows;
    uint32_t *inertia_first, *inertia_column;     // of 𝓜
    uint32_t *row_first, *row_column;             // of b
    uint32_t *direction_first, *direction_column; // of d, where servos are
    Lowered program;                              // 𝓜, b, d, W − K for q'' = 0, c, γ
    SparseRows inertia, rows;
    SparseRows directions; // its `first` is NULL where no servo is
    const double *bias, *given, *gamma;
    double *c;     // as given; of what holds accelerations: that which keeps b·v as it is
    double *force; // K − W for q'' = 0: −bias
} Many;
BASE_MUST_USE Status many_init(Many *many, Numbers *numbers, Motion *motion, Diag *diag);
void many_clear(Many *many);
// At numbers' t, q and v.
void many_evaluate(Many *many);
// Whether equations may do work in a shock: those that hold velocities or accelerations may.
bool many_works(const Many *many);
// Whose row it is.
const ModelConstraint *many_condition(const Many *many, size_t row);
// b·v of one of the rows; *terms is the sum of what it is a sum of, |c| included.
double many_row_times(const Many *many, size_t row, const double *v, double *terms);
// sum += 𝓜v
void many_add_momentum(const Many *many, const double *v, double *sum);

// ---- ask.c: one-sided conditions that touch, asked together.
typedef struct {
    ARRAY(uint32_t) which; // the conditions, and their ∂f/∂q: rows of few numbers
    ARRAY(uint32_t) first;
    ARRAY(uint32_t) column;
    ARRAY(double) value;
    ARRAY(double) rate; // f', ∂f/∂t, γ and e
    ARRAY(double) partial_t;
    ARRAY(double) gamma;
    ARRAY(double) restitution;
} Asked;
void asked_begin(Asked *asked); // with nobody
void asked_clear(Asked *asked);
// One more, with its numbers at a state.
ShapeNumbers asked_add(Asked *asked, Shapes *shapes, size_t side, double t, const double *q,
                       const double *v);
// One more, as another has it.
void asked_take(Asked *asked, const Asked *from, size_t i);
SparseRows asked_rows(const Asked *asked);
// rest + ∂f/∂q·x of one of them; *terms is the sum of what it is a sum of.
double asked_along(const Asked *asked, size_t i, const double *x, double rest, double *terms);
// Which of them act, at the state where many was evaluated.
ContactProblem asked_problem(const Asked *asked, const Many *many);
// How the velocities jump there by the equations' and conditions' rows as they are before (Moreau's
// rule), servos giving no impulse; `impulse` may be NULL.
ImpactReport asked_shock(const Asked *asked, const Many *many, ContactSolver *gauss,
                         const double *velocities, const double *impulse,
                         const ImpactAnswer *answer);
// Why there is no answer, λ being the report's. Of conditions that exclude each other, a least set:
// "the one-sided constraint 'b' cannot hold together with 'a'".
void asked_add_reason(const Asked *asked, const Many *many, const ContactReport *report,
                      const double *lambda, Text *text);
void asked_add_clash(const Asked *asked, const Numbers *numbers, size_t row, const double *lambda,
                     Text *text);

// ---- jump.c: how velocities jump, by a given impulse and by the conditions that are struck.
typedef enum {
    JUMP_SOLVED,
    JUMP_UNSOLVED, // the shock's report says why
    JUMP_SERVO,    // the condition of a servo, whose force is finite, would be broken
    JUMP_TOGETHER, // several are struck where the order matters
    JUMP_SINGULAR, // ∂f/∂q' of a condition vanishes on the way
    JUMP_FIXED,    // no velocities that the equations allow are slower
    JUMP_LOST,     // the velocities change without bound on the way
    JUMP_SECOND    // a condition that is not affine in the accelerations
} JumpOutcome;
typedef struct {
    JumpOutcome outcome;
    ImpactReport shock;
    const ModelConstraint *condition;      // that stands in the way, where there is one
    const ModelConstraint *struck, *other; // by whom; NULL: by an impulse
} JumpReport;
// At the state where many was evaluated, with the velocities before, and it stays there. `impulse`
// may be NULL, `asked` are those that touch; the answer wants velocities and λ.
JumpReport asked_jump(const Asked *asked, Many *many, ContactSolver *gauss,
                      const double *velocities, const double *impulse, const ImpactAnswer *answer);
// Why there is no answer.
void jump_add_reason(const JumpReport *report, const Asked *asked, const Many *many,
                     const double *lambda, Text *text);

// ---- along.c: the same where 𝓜 or the equations change with the velocities.
JumpReport asked_jump_along(const Asked *asked, Many *many, ContactSolver *gauss,
                            const double *velocities, const double *impulse,
                            const ImpactAnswer *answer);

#endif

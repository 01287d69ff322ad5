// motion_impl.h: the steps of motion_new. Never leaves the room.
#ifndef ZWANG_MOTION_IMPL_H
#define ZWANG_MOTION_IMPL_H

#include "algebra/algebra.h"
#include "model/model.h"
#include "model/vectors.h"
#include "motion/motion.h"
#include "motion/reactions.h"
#include "motion/start_numbers.h"

// ---- speeds.c: what numbers at the start have decided.
struct StartQuestions *start_questions_new(Arena *arena);
void start_questions_clear(struct StartQuestions *asked);

// body_axes.c: an error for each body whose inertia is not constant in it.
BASE_MUST_USE Status motion_check_axes(Motion *motion, Diag *diag);
// load_points.c: refuses forces at points of which it is not clear what they act on.
BASE_MUST_USE Status motion_check_loads(Motion *motion, Diag *diag);
// The velocity of the particle of a body that is at a point now.
Vector motion_particle_velocity(Motion *motion, const ModelBody *body, Vector position);
// That of what a given force at a point acts on: of this particle, or of the point itself.
Vector motion_load_velocity(Motion *motion, const ModelLoadPoint *point);
// energies.c: T, U, p, dT_dq, K.
void motion_make_energies(Motion *motion);
// given_energy.c: what belongs to the energy of acceleration that was given. After the speeds.
void motion_take_given_energy(Motion *motion);
// inertia.c: whether e is positive for positive parameters, to the eye.
bool motion_is_plainly_positive(const Motion *motion, Expr e);
// What this potential energy and the loads do, n.
void motion_make_forces(Motion *motion, Expr potential, Expr *K);
// The same without forces at points and couples: what stands on coordinates.
void motion_coordinate_forces(Motion *motion, Expr potential, Expr *K);
// The part of the loads that reverses with the velocities, n.
void motion_make_friction(Motion *motion, Expr *K);
// rows.c: conditions as rows; those that hold or follow are set aside.
BASE_MUST_USE Status motion_make_rows(Motion *motion, Diag *diag);
// The row of one two-sided condition.
BASE_MUST_USE Status motion_make_row(Motion *motion, const ModelConstraint *constraint, Diag *diag,
                                     MotionRow *row);
// frictions.c: the rows of friction, after all others; an error where one has no place.
BASE_MUST_USE Status motion_make_frictions(Motion *motion, Diag *diag);
// friction_bounds.c: a law whose bound is a multiple of a reaction, or of the length of some, is
// pressed by them.
BASE_MUST_USE Status friction_take_reactions(Motion *motion, MotionFriction *friction, Diag *diag);
// normal(NAME) as ν|λ|.
Expr friction_with_normals(const Motion *motion, Expr e);
// friction_shapes.c: frictions that are alike but for their coordinates. All that the derivation of
// one depends on: the row of the condition (NULL: none), ∂v_K/∂q' (n), and vectors.
typedef struct FrictionShapes FrictionShapes;
typedef struct {
    const Expr *b;
    const Vec *columns;
    const Vec *vectors;
    size_t vector_count;
} FrictionSource;
FrictionShapes *friction_shapes_new(Motion *motion);
void friction_shapes_free(FrictionShapes *shapes);
// Whether such a one was derived before: then its result becomes this one's. Else it is derived,
// and kept before the next one is looked for.
bool friction_shapes_find(FrictionShapes *shapes, const FrictionSource *source,
                          MotionFriction *friction);
void friction_shapes_keep(FrictionShapes *shapes, MotionFriction *friction);
// Given forces, with those of sliding and with reactions in them, as K and the rows' directions.
void motion_take_reactions(Motion *motion, const Expr *forces);
// Conditions of those that stick join the rows.
void motion_add_sticks(Motion *motion);
// Those of what has no inertia are rows of every motion: in the first one, and as it slides.
void motion_add_massless(Motion *motion);
void motion_slide_massless(Motion *motion, MotionRow *row);
// servo.c: the generalized force of a servo for λ = 1, n.
void motion_servo_direction(Motion *motion, const ModelServo *servo, Expr *d);
// The virtual displacements of a reduction whose B is there; an error where the servos' forces are
// not independent.
BASE_MUST_USE Status motion_make_displacements(Motion *motion, MotionReduction *reduction,
                                               Diag *diag);
// Whether the servos can keep their conditions, the inertia being regular; an error where not.
BASE_MUST_USE Status motion_check_servos(Motion *motion, Diag *diag);
// energies.c: adds the virtual work of a force on what has this velocity to K; `partials` is room
// for n.
void motion_add_work(Motion *motion, Expr *K, Vector force, Vector velocity, Expr *partials);
// second_class_conditions.c: conditions of the second class, after the rows; and the list of all
// conditions in force.
BASE_MUST_USE Status motion_make_seconds(Motion *motion, Diag *diag);
void motion_list_conditions(Motion *motion);
// one_sided_conditions.c: one-sided conditions as rows, and the factor of a condition's reaction: λ
// for an equation a = b, whose reaction is λ·∂(a − b)/∂q; so −λ for a <= b.
BASE_MUST_USE Status motion_make_sides(Motion *motion, Diag *diag);
Expr motion_multiplier(const Motion *motion, const ModelConstraint *constraint);
// speeds.c: the state's speeds, and B, C, D.
// Σ_ν a_ν·b_ν over the coordinates.
Expr motion_along(const Motion *motion, const Expr *a, const Expr *b);
// at_start.c: an order of the conditions in which as many as possible of those that come first
// are independent at the start itself; false where the given order is as good.
bool motion_order_at_start(const Motion *motion, const MotionRow *rows, size_t count,
                           size_t generic_rank, size_t *order);
BASE_MUST_USE Status motion_make_speeds(Motion *motion, Diag *diag);
// D of a reduction whose B and C are there.
void motion_make_drift(Motion *motion, MotionReduction *reduction);
// inverse.c: q' from n equations values[i](q, q', t) = symbols[i], where that can be done step by
// step: equations linear in an unknown, quadratic ones, roots, and angles by atan and atan2. Roots
// are taken with the sign that the start has. False where it cannot be done.
bool motion_invert(Motion *motion, const Expr *values, const Expr *symbols, Expr *solution);
// curved.c: the reduction where something is not linear in the velocities: closed where it can be.
BASE_MUST_USE Status motion_reduce_curved(Motion *motion, MotionReduction *reduction, Diag *diag);
// inertia.c: ∂²T⁺/∂u∂u, and ∂²S⁺/∂u'∂u' of an energy of acceleration that was given; k × k.
void motion_reduced_mass_matrix(Motion *motion, Expr *matrix);

// ---- reactions.c, carriers.c, balance.c
// What a condition in force, or one that holds by itself, does for λ = 1 to the whole system:
// a force and its moment about the origin.
typedef struct {
    const ModelConstraint *constraint;
    const MotionRow *row; // NULL for a condition that holds by itself
    Vec force, moment;
    Vec centre;  // where the first of its places is
    bool placed; // all of it has a place
} Wrench;
typedef ARRAY(Wrench) Wrenches;

Vec motion_world(Motion *motion, Vector v);
// ∂v/∂q'_ν along world's axes: n columns.
void motion_jacobian(Motion *motion, Vector velocity, Vec *columns);
bool motion_is_zero(Motion *motion, Expr e);
// Which expressions hold which symbols: count × symbol_count, for base_free.
bool *motion_holds(const Motion *motion, const Expr *exprs, size_t count, const Expr *symbols,
                   size_t symbol_count);
// "the mass at P", "the mass 2".
const char *motion_mass_name(const Motion *motion, Arena *arena, size_t index);

// A row that is written in coordinates as forces on masses and centres, and couples on bodies:
// where each coordinate in it moves one of them alone. False where there is no such way.
bool carriers_find(Motion *motion, MotionReactions *reactions, const ModelConstraint *constraint,
                   const Expr *row, Wrench *wrench);

// Which mass or body a force at a point acts on: the one whose particle goes along with it.
// `along` are the directions that count. NULL where there is none.
const char *owner_of(Motion *motion, Arena *arena, Vector position, const Vec *along, size_t count);

void balance_totals(Motion *motion, MotionReactions *reactions);
// The multipliers of the conditions that hold by themselves, as far as the balance of the whole
// system determines them; none in `values` where it does not.
void balance_solve(Motion *motion, const MotionReactions *reactions, const Wrenches *wrenches,
                   Expr *values);

#endif

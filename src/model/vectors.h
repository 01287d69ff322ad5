// vectors.h: frames as a tree, and vectors that stay in the frame where they are cheap.
//
// A vector is a sum of parts, each with components along the axes of one frame. Nothing is
// turned into other axes before somebody asks for components there; what was asked for once is
// remembered. Derivatives are taken as seen from world: a part's is its components' derivative
// plus ω × part, in its own frame.
#ifndef ZWANG_MODEL_VECTORS_H
#define ZWANG_MODEL_VECTORS_H

#include "base/memory.h"
#include "expr/expr_types.h"
#include "model/vector_types.h"

Expr vec_dot(ExprPool *pool, Vec a, Vec b);
Vec vec_cross(ExprPool *pool, Vec a, Vec b);
Vec vec_scale(ExprPool *pool, Expr factor, Vec v);
Vec vec_plus(ExprPool *pool, Vec a, Vec b);
bool vec_is_zero(const ExprPool *pool, Vec v);

// `dt` gives derivatives of scalars; it must outlive the vectors.
Vectors *vectors_new(ExprPool *pool, ExprRates *dt);
void vectors_free(Vectors *vectors);

// ---- Frames.
// The parent turned right-handedly by an angle about a unit vector in the parent's axes, whose
// components are constant.
Frame frame_turned(Vectors *vectors, Frame parent, Expr angle, Vec axis);
// The parent turned by the quaternion (e0, e1, e2, e3), scalar first. The turn is that of the
// normalized quaternion, whatever its norm: so equations hold on every level set of the norm.
Frame frame_quaternion(Vectors *vectors, Frame parent, const Expr e[4]);
size_t frame_count(const Vectors *vectors); // with world; a parent's number is below its child's
Frame frame_parent(const Vectors *vectors, Frame frame);
// Whether `upper` is an ancestor of `lower`, or the same.
bool frame_is_above(const Vectors *vectors, Frame upper, Frame lower);
// The frame's first name, "world" for the root; NULL for what lies between two named ones. The
// name must outlive the vectors.
const char *frame_name(const Vectors *vectors, Frame frame);
void frame_set_name(Vectors *vectors, Frame frame, const char *name);
// How a frame is turned in its parent. Unit vectors x, y, z to turn about have the axis 0, 1, 2;
// else it is −1, and `columns` are the frame's axes in the parent.
typedef struct {
    int axis;
    Expr angle, cosine, sine; // of a turn about x, y or z
    Vec columns[3];
    Vec relative; // the angular velocity in the parent, along the frame's own axes
} FrameTurn;
FrameTurn frame_turn_in_parent(const Vectors *vectors, Frame frame);
// The angular velocity with respect to world.
Vector frame_omega(Vectors *vectors, Frame frame);

// ---- Vectors.
Vector vector_of(Vectors *vectors, Frame frame, Vec components);
Vector vector_zero(Vectors *vectors);
// An arbitrary vector whose derivative is arbitrary too. Its components along the axes of each
// frame that is asked for are symbols of their own, which are not turned into each other: for
// derivatives by it, which are sums over these frames. The names must outlive the vectors.
Vector vector_arbitrary(Vectors *vectors, const char *name, const char *rate_name);
// What was asked for of a vector so far, the newest first; false where there is no more.
bool vector_known_view(const Vectors *vectors, Vector v, size_t index, Frame *frame, Vec *parts);
bool vector_is_zero(const Vectors *vectors, Vector v); // to the eye
// Σ factors·terms; factors may be NULL (all 1).
Vector vector_sum(Vectors *vectors, const Vector *terms, const Expr *factors, size_t count);
Vector vector_add(Vectors *vectors, Vector a, Vector b);
Vector vector_sub(Vectors *vectors, Vector a, Vector b);
Vector vector_scaled(Vectors *vectors, Expr factor, Vector v);
Vector vector_cross(Vectors *vectors, Vector a, Vector b);
Expr vector_dot(Vectors *vectors, Vector a, Vector b);
// d/dt as seen from world.
Vector vector_rate(Vectors *vectors, Vector v);
// The components along a frame's axes.
Vec vector_in(Vectors *vectors, Vector v, Frame frame);
// The frame in which the components of v are cheapest.
Frame vector_home(const Vectors *vectors, Vector v);
// The terms of a sum; a part, which has components along the axes of its home, has none.
size_t vector_term_count(const Vectors *vectors, Vector v);
Vector vector_term(const Vectors *vectors, Vector v, size_t index, Expr *factor);
// How many turns from a frame to the next were made so far: a measure of work.
size_t vectors_turns(const Vectors *vectors);
// The frame in which both vectors are brought together.
Frame frame_join(const Vectors *vectors, Frame a, Frame b);

#endif

// pose_impl.h: places and directions as numbers. Never leaves this room.
#ifndef ZWANG_ROBOTS_POSE_IMPL_H
#define ZWANG_ROBOTS_POSE_IMPL_H

#include <stdbool.h>

// One of a chain of turns, each about an axis of the frame that the ones before it made.
typedef struct {
    double angle, axis[3];
} Turn;

enum { POSE_MOST_TURNS = 3 };

// Where a frame is and how it is turned, seen from another one. The quaternion is the product of
// the turns: they are kept because right angles in them are exact.
typedef struct {
    double place[3], quaternion[4];
    Turn turns[POSE_MOST_TURNS];
    int turn_count;
} Pose;

// A symmetric tensor: xx, yy, zz, xy, yz, zx.
typedef struct {
    double at[6];
} Tensor;

Pose pose_none(void);
// Turns the frame further about an axis of unit length.
void pose_turn(Pose *pose, double angle, const double axis[3]);
// The least turn that takes the z axis to this direction of unit length.
void pose_turn_z_to(Pose *pose, const double z[3]);
// In place of all turns so far; the quaternion need not have length 1.
void pose_set_quaternion(Pose *pose, const double quaternion[4]);
// By the axes of the new frame in the old one, right-handed and of unit length.
void pose_set_axes(Pose *pose, const double x[3], const double y[3], const double z[3]);
// The pose `inner` in the frame of `outer`, seen from where `outer` is.
Pose pose_compose(const Pose *outer, const Pose *inner);
Pose pose_inverse(const Pose *pose);
void pose_rotate(const Pose *pose, const double v[3], double out[3]);
// A point of the frame, seen from where the pose is.
void pose_point(const Pose *pose, const double v[3], double out[3]);
// The same tensor along the outer axes.
Tensor pose_tensor(const Pose *pose, const Tensor *tensor);
// What a mass at r from the centre adds.
void tensor_add_point(Tensor *tensor, double mass, const double r[3]);

bool triple_is_zero(const double v[3]);
// Makes its length 1; false where it is 0.
bool triple_unit(double v[3]);
void triple_cross(const double a[3], const double b[3], double out[3]);

#endif

// pose.c: turns, quaternions (scalar first) and tensors.
#include "robots/pose_impl.h"

#include <math.h>
#include <string.h>

bool triple_is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

bool triple_unit(double v[3])
{
    double length = hypot(hypot(v[0], v[1]), v[2]);
    for (int i = 0; i < 3 && length > 0; i++)
        v[i] /= length;
    return length > 0;
}

void triple_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    double product[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, product, sizeof product);
}

Pose pose_none(void)
{
    return (Pose){.quaternion = {1, 0, 0, 0}};
}

void pose_turn(Pose *pose, double angle, const double axis[3])
{
    double half = angle / 2, s = sin(half),
           turn[] = {cos(half), s * axis[0], s * axis[1], s * axis[2]};
    double whole[4];
    if (angle == 0)
        return;
    multiply(pose->quaternion, turn, whole);
    if (pose->turn_count == POSE_MOST_TURNS) {
        pose_set_quaternion(pose, whole);
        return;
    }
    memcpy(pose->quaternion, whole, sizeof whole);
    pose->turns[pose->turn_count++] = (Turn){angle, {axis[0], axis[1], axis[2]}};
}

void pose_turn_z_to(Pose *pose, const double z[3])
{
    double axis[3] = {-z[1], z[0], 0}, sine = hypot(z[0], z[1]);
    if (!triple_unit(axis))
        axis[0] = 1;
    pose_turn(pose, atan2(sine, z[2]), axis);
}

void pose_set_quaternion(Pose *pose, const double quaternion[4])
{
    double length = hypot(hypot(quaternion[0], quaternion[1]), hypot(quaternion[2], quaternion[3]));
    Turn turn = {0, {quaternion[1], quaternion[2], quaternion[3]}};
    double sine = hypot(hypot(quaternion[1], quaternion[2]), quaternion[3]);
    turn.angle = 2 * atan2(sine, quaternion[0]);
    for (int i = 0; i < 4; i++)
        pose->quaternion[i] = quaternion[i] / length;
    pose->turn_count = triple_unit(turn.axis) ? 1 : 0;
    pose->turns[0] = turn;
}

void pose_set_axes(Pose *pose, const double x[3], const double y[3], const double z[3])
{
    // Each of the four ways to the quaternion, by the largest component.
    double q[4], trace = x[0] + y[1] + z[2];
    if (trace >= x[0] && trace >= y[1] && trace >= z[2]) {
        double w[] = {1 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0]};
        memcpy(q, w, sizeof q);
    } else if (x[0] >= y[1] && x[0] >= z[2]) {
        double w[] = {y[2] - z[1], 1 + x[0] - y[1] - z[2], x[1] + y[0], x[2] + z[0]};
        memcpy(q, w, sizeof q);
    } else if (y[1] >= z[2]) {
        double w[] = {z[0] - x[2], x[1] + y[0], 1 - x[0] + y[1] - z[2], y[2] + z[1]};
        memcpy(q, w, sizeof q);
    } else {
        double w[] = {x[1] - y[0], x[2] + z[0], y[2] + z[1], 1 - x[0] - y[1] + z[2]};
        memcpy(q, w, sizeof q);
    }
    pose_set_quaternion(pose, q);
}

// v + 2w·(u × v) + 2u × (u × v)
static void rotate(const double q[4], const double v[3], double out[3])
{
    const double *u = q + 1;
    double once[3], twice[3], result[3];
    triple_cross(u, v, once);
    triple_cross(u, once, twice);
    for (int i = 0; i < 3; i++)
        result[i] = v[i] + 2 * (q[0] * once[i] + twice[i]);
    memcpy(out, result, sizeof result);
}

void pose_rotate(const Pose *pose, const double v[3], double out[3])
{
    rotate(pose->quaternion, v, out);
}

void pose_point(const Pose *pose, const double v[3], double out[3])
{
    rotate(pose->quaternion, v, out);
    for (int i = 0; i < 3; i++)
        out[i] += pose->place[i];
}

Pose pose_compose(const Pose *outer, const Pose *inner)
{
    Pose whole = *outer;
    pose_point(outer, inner->place, whole.place);
    if (outer->turn_count == 0) {
        memcpy(whole.quaternion, inner->quaternion, sizeof whole.quaternion);
        memcpy(whole.turns, inner->turns, sizeof whole.turns);
        whole.turn_count = inner->turn_count;
    } else if (inner->turn_count > 0) {
        multiply(outer->quaternion, inner->quaternion, whole.quaternion);
        pose_set_quaternion(&whole, whole.quaternion);
    }
    return whole;
}

Pose pose_inverse(const Pose *pose)
{
    const double *q = pose->quaternion, back[] = {q[0], -q[1], -q[2], -q[3]};
    Pose inverse = pose_none();
    pose_set_quaternion(&inverse, back);
    rotate(back, pose->place, inverse.place);
    for (int i = 0; i < 3; i++)
        inverse.place[i] = -inverse.place[i];
    return inverse;
}

Tensor pose_tensor(const Pose *pose, const Tensor *tensor)
{
    static const int at[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    double columns[3][3], rows[3][3];
    Tensor result;
    for (int i = 0; i < 3; i++) {
        double column[3] = {tensor->at[at[0][i]], tensor->at[at[1][i]], tensor->at[at[2][i]]};
        pose_rotate(pose, column, columns[i]);
    }
    for (int i = 0; i < 3; i++) {
        double row[3] = {columns[0][i], columns[1][i], columns[2][i]};
        pose_rotate(pose, row, rows[i]);
    }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            result.at[at[i][j]] = (rows[i][j] + rows[j][i]) / 2;
    return result;
}

void tensor_add_point(Tensor *tensor, double mass, const double r[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        tensor->at[i] += mass * (r[j] * r[j] + r[k] * r[k]);
        tensor->at[3 + i] -= mass * r[i] * r[j];
    }
}

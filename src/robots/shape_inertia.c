// shape_inertia.c: masses and tensors of plain shapes.
#include "robots/robot_impl.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double shape_volume(const RobotShape *shape)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case SHAPE_BOX: return s[0] * s[1] * s[2];
    case SHAPE_CYLINDER: return pi * s[0] * s[0] * s[1];
    case SHAPE_CAPSULE: return pi * s[0] * s[0] * (s[1] + 4 * s[0] / 3);
    case SHAPE_SPHERE: return 4 * pi * s[0] * s[0] * s[0] / 3;
    case SHAPE_ELLIPSOID: return pi * s[0] * s[1] * s[2] / 6;
    default: return 0;
    }
}

// A cylinder, and two halves of a ball at its ends: 3r/8 beyond them.
static Tensor capsule(double mass, double r, double length)
{
    double ball = mass * (4 * r / 3) / (length + 4 * r / 3), tube = mass - ball;
    double along = tube * r * r / 2 + ball * 2 * r * r / 5;
    double across = tube * (3 * r * r + length * length) / 12 +
                    ball * (2 * r * r / 5 + length * length / 4 + 3 * length * r / 8);
    return (Tensor){{across, across, along}};
}

Tensor shape_inertia(const RobotShape *shape, double mass)
{
    const double *s = shape->size, r = s[0];
    double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
    switch (shape->kind) {
    case SHAPE_BOX:
        return (Tensor){{mass * (y + z) / 12, mass * (z + x) / 12, mass * (x + y) / 12}};
    case SHAPE_CYLINDER:
        return (Tensor){{mass * (3 * x + y) / 12, mass * (3 * x + y) / 12, mass * x / 2}};
    case SHAPE_CAPSULE: return capsule(mass, r, s[1]);
    case SHAPE_SPHERE: return (Tensor){{2 * mass * x / 5, 2 * mass * x / 5, 2 * mass * x / 5}};
    case SHAPE_ELLIPSOID:
        return (Tensor){{mass * (y + z) / 20, mass * (z + x) / 20, mass * (x + y) / 20}};
    default: return (Tensor){{0}};
    }
}

// friction_space.c: the directions in which one contact may begin to slide in space.
//
// That u' is along d is an equation of degree 2 in the cosine and sine of its angle, so that four
// directions at most solve it. They are isolated: an interval is left where the function is too
// large to vanish in it, and ends where the slope is, so that there is one root or none.
#include "contact/friction_impl.h"

#include <assert.h>

typedef struct {
    const double *c;
    double slope, bend; // the first and second derivatives are at most that
    double *angles;
    size_t found, most;
} Roots;

static double value_at(const double *c, double x)
{
    return c[0] + c[1] * cos(x) + c[2] * sin(x) + c[3] * cos(2 * x) + c[4] * sin(2 * x);
}

static double slope_at(const double *c, double x)
{
    return -c[1] * sin(x) + c[2] * cos(x) + 2 * (c[4] * cos(2 * x) - c[3] * sin(2 * x));
}

static void take(Roots *roots, double x)
{
    if (roots->found < roots->most)
        roots->angles[roots->found++] = x;
}

// One root between two ends of different signs, the slope keeping its own.
static double refine(const double *c, double low, double high)
{
    double sign = value_at(c, low) < 0 ? -1 : 1, x = (low + high) / 2;
    for (size_t step = 0; step < LIMIT_SEARCH; step++) {
        double value = value_at(c, x), slope = slope_at(c, x), next = x - value / slope;
        if (value == 0)
            return x;
        if (sign * value > 0)
            low = x;
        else
            high = x;
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (fabs(next - x) <= DBL_EPSILON)
            return next;
        x = next;
    }
    return x;
}

static void isolate(Roots *roots, double low, double high)
{
    double middle = (low + high) / 2, half = (high - low) / 2;
    double value = value_at(roots->c, middle), slope = slope_at(roots->c, middle);
    if (fabs(value) > half * fabs(slope) + half * half / 2 * roots->bend)
        return;
    if (fabs(slope) > half * roots->bend) {
        double left = value_at(roots->c, low), right = value_at(roots->c, high);
        if (left == 0)
            take(roots, low);
        else if (left * right < 0)
            take(roots, refine(roots->c, low, high));
    } else if (half < TOL_REGULARIZATION) {
        take(roots, middle); // a double root
    } else {
        isolate(roots, low, middle);
        isolate(roots, middle, high);
    }
}

size_t friction_trigonometric_roots(const double *c, double *angles, size_t most)
{
    assert(most >= 4);
    Roots roots = {
        .c = c, .bend = hypot(c[1], c[2]) + 4 * hypot(c[3], c[4]), .angles = angles, .most = most};
    if (roots.bend > 0)
        isolate(&roots, -acos(-1), acos(-1));
    return roots.found;
}

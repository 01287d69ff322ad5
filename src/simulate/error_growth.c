// error_growth.c: whether two runs part like a power of the time, as errors of orderly motions do,
// or like an exponential, as those of chaotic and unstable ones.
#include "linalg/tolerances.h"
#include "simulate/run_audit_impl.h"

#include <assert.h>
#include <math.h>

// The line through log d over x by least squares: its slope, and what it misses.
typedef struct {
    double slope, miss;
} Line;

static Line fit(const ErrorGrowthPoint *points, size_t count, bool logarithmic)
{
    double x_mean = 0, y_mean = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < count; i++) {
        x_mean += (logarithmic ? log(points[i].t) : points[i].t) / (double)count;
        y_mean += log(points[i].d) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        double x = (logarithmic ? log(points[i].t) : points[i].t) - x_mean;
        double y = log(points[i].d) - y_mean;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    return (Line){.slope = xy / xx, .miss = yy - xy * xy / xx};
}

ErrorGrowth error_growth_fit(const ErrorGrowthPoint *points, size_t count)
{
    ErrorGrowth growth = {.e_fold = NAN, .power = NAN};
    assert(points || count == 0);
    // The least differences are rounding, the largest have nearly grown out.
    while (count > 0 && points[0].d < TOL_ROUNDING) {
        points++;
        count--;
    }
    while (count > 0 && points[count - 1].d > TOL_POOR)
        count--;
    if (count < 8)
        return growth;
    Line exponential = fit(points, count, false), power = fit(points, count, true);
    // What is called exponential has grown very much, or it could be anything.
    bool much = TOL_COARSE * points[count - 1].d > points[0].d;
    if (much && exponential.miss < power.miss)
        growth.e_fold = 1 / exponential.slope;
    else
        growth.power = power.slope;
    return growth;
}

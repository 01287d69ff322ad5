// hoop_dop853.c: the rolling hoop by a plain DOP853 in C, with its equations solved by hand: what a
// careful person would write for this one system. Needs nothing but the C library.
//
//     hoop_dop853 REPEATS TOLERANCE…
//
// First the end of the motion in long doubles, then a line a tolerance: name, tolerance, the least
// processor seconds over the repeats, steps, and x y θ ψ φ θ′ ψ′ φ′ at t = 100.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PARTS = 8, STAGES = 12 };
#define END 100

#define REAL              double
#define IN(name)          name##_double
#define sin_double        sin
#define cos_double        cos
#define fabs_double       fabs
#define fmax_double(a, b) ((a) > (b) ? (a) : (b))
#define fmin_double(a, b) ((a) < (b) ? (a) : (b))
#define sqrt_double       sqrt
#define pow_double        pow
#include "dop853.h"
#undef REAL
#undef IN
#define REAL            long double
#define IN(name)        name##_long
#define sin_long        sinl
#define cos_long        cosl
#define fabs_long       fabsl
#define fmax_long(a, b) ((a) > (b) ? (a) : (b))
#define fmin_long(a, b) ((a) < (b) ? (a) : (b))
#define sqrt_long       sqrtl
#define pow_long        powl
#include "dop853.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void reference(void)
{
    long double y[PARTS] = {0, 0, 0, 0.2L, 0, 0.3L, 0, 6};
    long steps = integrate_long(y, END, 1e-18L);
    printf("exact 1e-18 0 %ld", steps);
    for (int part = 0; part < PARTS; part++)
        printf(" %.21Lg", y[part]);
    printf("\n");
}

static void measure(double tolerance, int repeats)
{
    double least = INFINITY, y[PARTS];
    long steps = 0;
    for (int i = 0; i < repeats; i++) {
        double from[PARTS] = {0, 0, 0, 0.2, 0, 0.3, 0, 6}, start = now();
        steps = integrate_double(from, END, tolerance);
        least = fmin(least, now() - start);
        for (int part = 0; part < PARTS; part++)
            y[part] = from[part];
    }
    printf("dop853 %g %.6g %ld", tolerance, least, steps);
    for (int part = 0; part < PARTS; part++)
        printf(" %.17g", y[part]);
    printf("\n");
}

int main(int argc, char **argv)
{
    reference();
    for (int i = 2; i < argc; i++)
        measure(atof(argv[i]), atoi(argv[1]));
    return 0;
}

// motion_dop853.c: a motion by a plain DOP853 in C: what a careful person would write for one
// system. Needs nothing but the C library.
//
//     cc -DPARTS=8 '-DRATE="hoop_rate.h"' motion_dop853.c -lm
//     motion_dop853 END REPEATS TOLERANCE… <START
//
// The header RATE has the rates; START are the parts of the state at t = 0. First the end of the
// motion in long doubles (not where REPEATS is negative), then a line a tolerance: name,
// tolerance, the least processor seconds over the repeats, steps, and the state at the end.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STAGES = 12 };

#define REAL              double
#define IN(name)          name##_double
#define sin_double        sin
#define cos_double        cos
#define fabs_double       fabs
#define fmax_double(a, b) ((a) > (b) ? (a) : (b))
#define fmin_double(a, b) ((a) < (b) ? (a) : (b))
#define sqrt_double       sqrt
#define pow_double        pow
#include RATE
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
#include RATE
#include "dop853.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void reference(const long double *start, long double end)
{
    long double y[PARTS];
    for (int part = 0; part < PARTS; part++)
        y[part] = start[part];
    long steps = integrate_long(y, end, 1e-18L);
    printf("exact 1e-18 0 %ld", steps);
    for (int part = 0; part < PARTS; part++)
        printf(" %.21Lg", y[part]);
    printf("\n");
}

static void measure(const long double *start, double end, double tolerance, int repeats)
{
    double least = INFINITY, y[PARTS];
    long steps = 0;
    for (int i = 0; i < repeats; i++) {
        for (int part = 0; part < PARTS; part++)
            y[part] = (double)start[part];
        double begin = now();
        steps = integrate_double(y, end, tolerance);
        least = fmin(least, now() - begin);
    }
    printf("dop853 %g %.6g %ld", tolerance, least, steps);
    for (int part = 0; part < PARTS; part++)
        printf(" %.17g", y[part]);
    printf("\n");
}

int main(int argc, char **argv)
{
    long double start[PARTS], end = argc > 2 ? strtold(argv[1], NULL) : 0;
    int repeats = argc > 2 ? atoi(argv[2]) : 0;
    for (int part = 0; part < PARTS; part++)
        if (scanf("%Lf", &start[part]) != 1 || !(end > 0)) {
            fprintf(stderr, "motion_dop853 END REPEATS TOLERANCE… <START\n");
            return 2;
        }
    if (repeats > 0)
        reference(start, end);
    for (int i = 3; i < argc; i++)
        measure(start, (double)end, atof(argv[i]), abs(repeats));
    return 0;
}

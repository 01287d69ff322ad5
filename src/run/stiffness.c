// stiffness.c: a sign of stiffness, seldom looked for and so nearly free.
//
// An explicit method is held up where a mode that has long died away still limits its steps: the
// spectrum of ∂f/∂y then has a real negative part that the step multiplies to more than a few,
// again and again, while the motion itself would allow longer steps.
#include "run/run_impl.h"

#include <math.h>

// How often in a row a long step is a sign.
#define OFTEN 3

// Spectra of larger Jacobians take longer than many steps do.
#define MOST_COUNT 600

// At 64, 128, 256, … steps: a long run looks a few times more than a short one.
bool stiffness_is_due(size_t steps, size_t count)
{
    return steps >= 64 && (steps & (steps - 1)) == 0 && count <= MOST_COUNT;
}

void stiffness_look(Stiffness *stiffness, double *jacobian, size_t count, double step, double limit,
                    double *room)
{
    double *real = room, *imaginary = room + count, *work = room + 2 * count, none[1];
    lapack_int size = (lapack_int)count;
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', size, jacobian, size, real, imaginary, none,
                           1, none, 1, work, 6 * size) != 0)
        return;
    double fastest = 0;
    for (size_t i = 0; i < count; i++)
        if (-real[i] > fabs(imaginary[i]))
            fastest = fmax(fastest, -real[i]);
    stiffness->looks++;
    stiffness->seen = step * fastest > limit ? stiffness->seen + 1 : 0;
    if (stiffness->seen >= OFTEN) {
        stiffness->stiff = true;
        stiffness->fastest = fastest;
    }
}

// stiffness.c: a sign of stiffness, seldom looked for and so nearly free.
//
// An explicit method is held up where a mode that has long died away still limits its steps: the
// spectrum of ∂f/∂y then has a real negative part that the step multiplies to more than a few,
// again and again, while the solution itself would allow longer steps.
#include "linalg/tolerances.h"
#include "ode/integrator_impl.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>

// At 64, 128, 256, … steps: a long run looks a few times more than a short one, and a spectrum of
// so many parts takes no longer than as many steps.
static bool is_due(size_t steps, size_t count)
{
    return steps > LIMIT_STEPS && (steps & (steps - 1)) == 0 && count > 0 && count <= steps;
}

// The largest decay among the eigenvalues; negative where they cannot be found. Uses the matrix up;
// `work` holds 8·count numbers.
static double fastest_decay(double *matrix, size_t count, double *work)
{
    double *real = work, *imaginary = real + count, none[1], fastest = 0;
    lapack_int size = (lapack_int)count;
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', size, matrix, size, real, imaginary, none, 1,
                           none, 1, imaginary + count, 6 * size) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (-real[i] > fabs(imaginary[i]))
            fastest = fmax(fastest, -real[i]);
    return fastest;
}

void ode_integrator_check_stiffness(OdeIntegrator *integrator, size_t steps, double t,
                                    const double *y)
{
    const OdeProblem *problem = &integrator->problem;
    OdeStatistics *statistics = &integrator->statistics;
    size_t count = problem->count;
    if (!is_due(steps, count))
        return;
    assert(problem->jacobian);
    double *columns = base_alloc((count * count + 8 * count) * sizeof *columns), decay = -1;
    if (problem->jacobian(problem->program, t, y, columns))
        decay = fastest_decay(columns, count, columns + count * count);
    base_free(columns);
    if (decay < 0)
        return;
    bool seen = ode_integrator_next_step(integrator) * decay > integrator->method->stability;
    statistics->stiffness_checks++;
    statistics->stiff_in_a_row = seen ? statistics->stiff_in_a_row + 1 : 0;
    // Three times in a row: a transient is over until then.
    if (statistics->stiff_in_a_row >= 3) {
        statistics->stiff = true;
        statistics->fastest_decay = decay;
    }
}

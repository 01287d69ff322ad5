// conditioning.c: how well the speeds in use determine the velocities, and which would do better.
//
// The blade with x' as its independent velocity has y' = x'·tan θ: nothing is wrong with the
// motion where θ passes 90°, only with the choice. The choice is judged by the reciprocal
// condition of [b; Y], velocities being measured by their inertia so that units do not matter.
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

// Other speeds are taken where their reciprocal condition is this many times better. A change costs
// more than the digit that it saves: a gain near 1 changes at every turn of a ball.
#define GAIN 4
// Inertia this much below the largest one counts as none when velocities are measured by it.
#define NO_INERTIA 1e-12

double conditioning_now(Numbers *numbers)
{
    lapack_int size = (lapack_int)numbers->n;
    double reciprocal = 0;
    // Nothing was solved for; and no better speeds are looked for in large systems, as long as
    // these do.
    if (numbers->whole || numbers->few_in_velocities)
        return 1;
    // The factors are those of the last velocities; rows had a largest entry of 1, so that n
    // bounds the norm.
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', size, numbers->matrix, size, (double)numbers->n,
                        &reciprocal, numbers->work, numbers->columns);
    return reciprocal * (double)numbers->n;
}

void conditioning_measure(Numbers *numbers)
{
    size_t n = numbers->n;
    const double *inertia = numbers->forces.out;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(inertia[i * n + i]));
    for (size_t i = 0; i < n; i++) {
        double own = fabs(inertia[i * n + i]);
        if (own <= NO_INERTIA * most)
            own = most;
        // Powers of two lose no digit.
        numbers->scale[i] = own > 0 && isfinite(own) ? ldexp(1, -ilogb(own) / 2) : 1;
    }
}

// The columns of the scaled rows in the order of a pivoted factorization: the first ones are the
// velocities to solve the rows for.
static void order_columns(Numbers *numbers)
{
    size_t n = numbers->n, m = numbers->needed;
    for (size_t i = 0; i < m; i++) {
        const double *row = numbers->velocities.out + numbers->needed_rows[i] * n;
        double largest = 0;
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(row[j] * numbers->scale[j]));
        for (size_t j = 0; j < n; j++)
            numbers->matrix[j * m + i] = largest > 0 ? row[j] * numbers->scale[j] / largest : 0;
    }
    memset(numbers->columns, 0, n * sizeof *numbers->columns);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, numbers->matrix,
                        (lapack_int)m, numbers->columns, numbers->right, numbers->work,
                        numbers->work_size);
}

// The other coordinates' velocities are independent: the best choice, up to a modest factor.
static void choose_coordinates(Numbers *numbers, size_t *chosen)
{
    size_t n = numbers->n, m = numbers->needed, taken = 0;
    if (m > 0)
        order_columns(numbers);
    for (size_t j = 0; j < n; j++) {
        bool dependent = false;
        for (size_t i = 0; i < m && !dependent; i++)
            dependent = (size_t)numbers->columns[i] - 1 == j;
        if (!dependent)
            chosen[taken++] = j;
    }
}

// How the velocities' equations would be conditioned with the speeds now set; v is kept.
static double try_speeds(Numbers *numbers)
{
    size_t bytes = numbers->n * sizeof(double);
    double *u = numbers->force; // room that is free between evaluations
    memcpy(numbers->kept, numbers->v, bytes);
    numbers_speeds(numbers, u);
    NumbersOutcome outcome = numbers_velocities(numbers, *numbers->t, numbers->q, u);
    memcpy(numbers->v, numbers->kept, bytes);
    return outcome == NUMBERS_FOUND ? conditioning_now(numbers) : 0;
}

bool conditioning_improve(Numbers *numbers, double now)
{
    if (now >= CONDITIONING_POOR || numbers->k == 0 || numbers->whole)
        return false;
    size_t bytes = numbers->k * sizeof *numbers->chosen;
    bool own = numbers->own_speeds;
    size_t *former = numbers->former, *best = numbers->best;
    memcpy(former, numbers->chosen, bytes);
    choose_coordinates(numbers, best);

    numbers->own_speeds = false;
    memcpy(numbers->chosen, best, bytes);
    double coordinates = try_speeds(numbers), declared = 0;
    // The motion's own speeds are for independent conditions.
    if (!own && numbers_can_own(numbers)) {
        numbers->own_speeds = true;
        declared = try_speeds(numbers);
    }
    // The motion's own speeds where they do as well.
    if (declared > GAIN * now && declared >= coordinates) {
        numbers->own_speeds = true;
    } else if (coordinates > GAIN * now) {
        numbers->own_speeds = false;
    } else {
        numbers->own_speeds = own;
        memcpy(numbers->chosen, former, bytes);
        return false;
    }
    return true;
}

// kkt_directed.c: rows that active forces of given directions keep (servo conditions).
//
//     𝓜a − dᵀλ = K − h,   g·a = −γ
//
// With orthonormal axes for each, gᵀ = Q_g R_g and dᵀ = Q_d R_d, the rows fix the part of a that
// lies along them; the rest is found on the displacements on which the forces do no work,
// Z_dᵀ𝓜Z_g z = …, which is regular just where the forces can keep the rows; then λ by back
// substitution.
#include "linalg/dense.h"
#include "linalg/kkt_impl.h"
#include "linalg/tolerances.h"

#include <string.h>

// Z_dᵀ𝓜Z_g z = z, the block at the end of Q_dᵀ𝓜Q_g; false where it is singular.
static bool solve_free(Kkt *kkt, size_t rank, double *z, double *power)
{
    size_t n = kkt->n, size = n - rank;
    lapack_int *pivots = kkt->order;
    double *block = kkt->inertia + rank * (n + 1);
    // What is left of the inertia is measured by the whole of it, all of whose parts are about 1.
    double norm = 1;
    *power = size == 0;
    if (size == 0)
        return true;
    for (size_t k = 0; k < size; k++) {
        double sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += fabs(block[k * n + i]);
        norm = real_max(norm, sum);
    }
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, lapack(size), lapack(size), block, leading(n),
                            pivots) != 0)
        return false;
    lapack_int *whole = pivots + n;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', lapack(size), block, leading(n), norm, power,
                        kkt->work, whole);
    if (!(*power > TOL_SINGULAR))
        return false;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', lapack(size), 1, block, leading(n), pivots, z,
                        lapack(size));
    return true;
}

SolveOutcome kkt_directed(Kkt *kkt, const KktProblem *problem, size_t rank, double *accelerations,
                          double *multipliers, double *power)
{
    size_t n = kkt->n, m = problem->row_count;
    RowFactors *of_rows = &kkt->rows, *of_reactions = &kkt->reactions;
    double *along = kkt->along, *force = kkt->force;
    *power = 0;
    if (!of_reactions->axes)
        kkt_alloc_factors(kkt, of_reactions);
    if (rank < m || kkt_factor_rows(kkt, of_reactions, problem->directions, m) < m)
        return SOLVE_UNCONTROLLABLE;
    // Q_dᵀ𝓜Q_g, and Q_dᵀ(F − 𝓜·what the rows fix).
    kkt_scale_inertia(kkt, problem);
    kkt_turn(kkt, of_rows, 'R', 'N', m, kkt->inertia, n);
    for (size_t j = 0; j < m; j++)
        real_add_times(-along[j], kkt->inertia + j * n, n, force);
    kkt_turn(kkt, of_reactions, 'L', 'T', m, kkt->inertia, n);
    kkt_turn(kkt, of_reactions, 'L', 'T', m, force, 1);
    memcpy(along + m, force + m, (n - m) * sizeof *along);
    if (!solve_free(kkt, m, along + m, power))
        return SOLVE_UNCONTROLLABLE;
    // What the forces must give: R_d λ = Q_dᵀ(𝓜a − F).
    double *reaction = kkt->asked;
    for (size_t i = 0; i < m; i++)
        reaction[i] = -force[i];
    for (size_t k = m; k < n; k++)
        real_add_times(along[k], kkt->inertia + k * n, m, reaction);
    kkt_back_substitute(kkt, of_reactions, 'N', m, reaction, 1);
    for (size_t i = 0; i < m; i++) {
        size_t row = kkt_row_at(kkt, of_reactions, i);
        multipliers[row] = of_reactions->scale[row] * reaction[i];
    }
    kkt_accelerations(kkt, m, accelerations);
    return SOLVE_DONE;
}

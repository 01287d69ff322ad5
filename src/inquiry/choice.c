// choice.c: choices among the unknowns that are made once, in doubles, at the motion found.
#include "inquiry/small_impl.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <math.h>
#include <string.h>

static bool is_speed(const InquirySmall *small, size_t coordinate)
{
    for (size_t alpha = 0; alpha < small->k; alpha++) {
        const MotionSpeed *speed = &small->motion->state.speeds[alpha];
        if (!speed->declared && !speed->orthonormal && speed->index == coordinate)
            return true;
    }
    return false;
}

// Coordinates whose velocities are no speeds of the state are the first to be dependent.
static bool choose_dependent(InquirySmall *small, double apart)
{
    size_t e = small->e, f = small->f, chosen = 0, rest = 0;
    const double *J = small->program.out + small_jacobian_at(small);
    double *column = base_alloc((f + 1) * sizeof *column);
    Basis basis;
    Arena *arena = arena_new();
    basis_init(&basis, arena, f, f);
    bool *taken = base_alloc((e + 1) * sizeof *taken);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < e && chosen < f; i++) {
            if (is_speed(small, small->needed[i]) != (round == 1))
                continue;
            for (size_t row = 0; row < f; row++)
                column[row] = J[row * small->unknowns + i];
            if (basis_take(&basis, column, apart)) {
                small->dependent[chosen++] = i;
                taken[i] = true;
            }
        }
    for (size_t i = 0; i < e; i++)
        if (!taken[i])
            small->independent[rest++] = i;
    arena_free(arena);
    base_free(column);
    base_free(taken);
    return chosen == f;
}

// Row by row, what is held first, each eliminated by those before it, with its largest entry as
// pivot.
static void choose_block(InquirySmall *small)
{
    size_t unknowns = small->unknowns, rows = small->rows;
    const double *J = small->program.out + small_jacobian_at(small);
    double *reduced = base_alloc((rows * unknowns + 1) * sizeof *reduced);
    small->block = 0;
    for (size_t order = 0; order < rows; order++) {
        size_t row = (order + rows - small->held_count) % rows, pivot = 0;
        double *at = reduced + small->block * unknowns, largest = 0;
        for (size_t j = 0; j < unknowns; j++)
            largest = fmax(largest, fabs(J[row * unknowns + j]));
        if (!(largest > 0))
            continue;
        for (size_t j = 0; j < unknowns; j++)
            at[j] = J[row * unknowns + j] / largest;
        for (size_t b = 0; b < small->block; b++) {
            double factor = at[small->block_columns[b]];
            for (size_t j = 0; j < unknowns; j++)
                at[j] -= factor * reduced[b * unknowns + j];
            at[small->block_columns[b]] = 0;
        }
        for (size_t j = 0; j < unknowns; j++)
            pivot = fabs(at[j]) > fabs(at[pivot]) ? j : pivot;
        if (!(fabs(at[pivot]) > TOL_RANK))
            continue;
        double by = at[pivot];
        for (size_t j = 0; j < unknowns; j++)
            at[j] /= by;
        small->block_rows[small->block] = row;
        small->block_columns[small->block++] = pivot;
    }
    base_free(reduced);
}

bool small_choose(InquirySmall *small)
{
    size_t most = small->unknowns + small->rows + 1;
    small->dependent = arena_alloc(small->arena, (small->e + 1) * sizeof(size_t));
    small->independent = arena_alloc(small->arena, (small->e + 1) * sizeof(size_t));
    small->block_rows = arena_alloc(small->arena, most * sizeof(size_t));
    small->block_columns = arena_alloc(small->arena, most * sizeof(size_t));
    choose_block(small);
    return choose_dependent(small, TOL_COARSE) || choose_dependent(small, TOL_RANK);
}

// share.c: reactions where more conditions act than are independent.
//
// A leg holds independent ones alone, and their λ are its own. One of these may become negative
// though nobody lets go, because another takes its part; so what is watched are the λ of least norm
// of all that act. With g_d = Σ c_dh·g_h for those that are not held (and what the equations give
// beside it), the reaction −Σ λ_h g_h is that of λ_h and λ_d = c_d·λ too, where
// (1 + CᵀC)·λ = λ_h: and these are the least that give it.
#include "run/journey_impl.h"

#include <string.h>

void share_clear(Share *share)
{
    array_clear(&share->which);
    array_clear(&share->parts);
    array_clear(&share->normal);
    if (share->basis.n > 0)
        basis_clear(&share->basis);
    base_free(share->row);
    *share = (Share){0};
}

void share_begin(Share *share, const Meeting *meeting)
{
    size_t n = meeting->numbers->n;
    share->shapes = &meeting->sides->shapes;
    share->which.count = 0;
    for (size_t i = 0; i < meeting->contacts->count && meeting->shared; i++)
        if (meeting->acts[i] && !meeting->held[i])
            array_push(&share->which, (uint32_t)i);
    if (meeting->shared && share->basis.n == 0) {
        basis_init(&share->basis, n);
        share->row = base_alloc((n + 1) * sizeof *share->row);
    }
}

static const double *scaled(Share *share, const Numbers *numbers, const double *row)
{
    for (size_t j = 0; j < numbers->n; j++)
        share->row[j] = row[j] * numbers->scale[j];
    return share->row;
}

// c of a condition that is not held, from the rows in the basis: `first` of equations, then those
// of −f for the held ones.
static void find_parts(Share *share, const Numbers *numbers, size_t side, size_t first, size_t held,
                       double *parts)
{
    ShapeNumbers found = shapes_row(share->shapes, side, *numbers->t, numbers->q, numbers->v);
    const uint32_t *coordinates;
    size_t size = shapes_coordinates(share->shapes, side, &coordinates);
    memset(share->row, 0, numbers->n * sizeof *share->row);
    for (size_t k = 0; k < size; k++)
        share->row[coordinates[k]] = found.gradient[k] * numbers->scale[coordinates[k]];
    basis_examine(&share->basis, share->row);
    for (size_t h = 0; h < held; h++)
        parts[h] = -share->basis.parts[first + h];
}

void share_out(Share *share, const Leg *leg, double *lambda)
{
    const Numbers *numbers = leg->numbers;
    size_t n = numbers->n, sides = leg->run->motion->side_count, held = 0, count;
    for (size_t i = 0; i < sides; i++)
        held += leg->held[i];
    // The held conditions are the last of the leg's rows, and all of them are needed.
    size_t first = numbers->needed - held;
    share->basis.count = 0;
    for (size_t i = 0; i < numbers->needed; i++)
        basis_take(&share->basis,
                   scaled(share, numbers, numbers->velocities.out + numbers->needed_rows[i] * n),
                   0);
    count = share->which.count;
    array_reserve(&share->parts, count * held + 1);
    array_reserve(&share->normal, held * (held + 2) + 1);
    double *C = share->parts.at, *least = share->normal.at;
    for (size_t d = 0; d < count; d++)
        find_parts(share, numbers, share->which.at[d], first, held, C + d * held);
    for (size_t i = 0, h = 0; i < sides; i++)
        if (leg->held[i])
            least[h++] = lambda[i];
    least_norm_share(C, count, held, least, least + held);
    for (size_t i = 0, h = 0; i < sides; i++)
        if (leg->held[i])
            lambda[i] = least[h++];
    for (size_t d = 0; d < count; d++)
        lambda[share->which.at[d]] = real_dot(C + d * held, least, held);
}

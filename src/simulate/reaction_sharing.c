// reaction_sharing.c: reactions where more conditions act than are independent.
//
// A mode holds independent ones alone, and their λ are its own. One of these may become negative
// though nobody lets go, because another takes its part; so what is watched are the λ of least norm
// of all that act. With g_d = Σ c_dh·g_h for those that are not held (and what the equations give
// beside it), the reaction −Σ λ_h g_h is that of λ_h and λ_d = c_d·λ too, where
// (1 + CᵀC)·λ = λ_h: and these are the least that give it.
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/dense.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <string.h>

struct ReactionSharing {
    Unilaterals *unilaterals;
    ARRAY(uint32_t) which; // those that act and are not held
    size_t held;           // how many are
    // Workspace.
    ARRAY(double) parts;
    ARRAY(double) normal;
    Basis basis;
    double *row;
};

ReactionSharing *reaction_sharing_new(Arena *arena)
{
    return arena_array(arena, ReactionSharing, 1);
}

void reaction_sharing_clear(ReactionSharing *share)
{
    array_clear(&share->which);
    array_clear(&share->parts);
    array_clear(&share->normal);
    if (share->basis.n > 0)
        basis_clear(&share->basis);
    base_free(share->row);
}

void reaction_sharing_begin(ReactionSharing *share, const ContactEvent *event)
{
    size_t n = event->contacts->matrices->n;
    share->unilaterals = event->contacts->unilaterals;
    share->which.count = share->held = 0;
    for (size_t i = 0; i < event->gaps->count; i++) {
        share->held += event->held[i];
        if (event->shared && event->acts[i] && !event->held[i])
            array_push(&share->which, (uint32_t)i);
    }
    if (event->shared && share->basis.n == 0) {
        basis_init(&share->basis, n);
        share->row = base_alloc((n + 1) * sizeof *share->row);
    }
}

static const double *scaled(ReactionSharing *share, const Equations *eq, const State *state,
                            const double *row)
{
    for (size_t j = 0; j < eq->n; j++)
        share->row[j] = row[j] * state->scale[j];
    return share->row;
}

// c of a condition that is not held, from the rows in the basis: `first` of equations, then those
// of −f for the held ones.
static void find_parts(ReactionSharing *share, const Equations *eq, const State *state, size_t side,
                       size_t first, size_t held, double *parts)
{
    UnilateralRow found = unilaterals_row(share->unilaterals, side, *state->t, state->q, state->v);
    const uint32_t *coordinates;
    size_t size = unilaterals_coordinates(share->unilaterals, side, &coordinates);
    memset(share->row, 0, eq->n * sizeof *share->row);
    for (size_t k = 0; k < size; k++)
        share->row[coordinates[k]] = found.gradient[k] * state->scale[coordinates[k]];
    basis_examine(&share->basis, share->row);
    for (size_t h = 0; h < held; h++)
        parts[h] = -share->basis.parts[first + h];
}

void reaction_sharing_apply(ReactionSharing *share, const ContactMode *mode, double *lambda)
{
    const Equations *eq = mode->eq;
    const State *state = mode->state;
    size_t sides = share->which.count > 0 ? share->unilaterals->count : 0, held = share->held;
    if (sides == 0)
        return;
    // The held conditions are the last of the mode's rows, and all of them are needed.
    assert(held <= eq->independent.count);
    size_t first = eq->independent.count - held, count = share->which.count;
    share->basis.count = 0;
    for (size_t i = 0; i < eq->independent.count; i++) {
        const double *row = state->velocities.out + eq->independent.rows[i] * eq->n;
        basis_take(&share->basis, scaled(share, eq, state, row), 0);
    }
    array_reserve(&share->parts, count * held + 1);
    array_reserve(&share->normal, held * (held + 2) + 1);
    double *C = share->parts.at, *least = share->normal.at;
    for (size_t d = 0; d < count; d++)
        find_parts(share, eq, state, share->which.at[d], first, held, C + d * held);
    for (size_t i = 0, h = 0; i < sides; i++)
        if (mode->held[i])
            least[h++] = lambda[i];
    least_norm_share(C, count, held, least, least + held);
    for (size_t i = 0, h = 0; i < sides; i++)
        if (mode->held[i])
            lambda[i] = least[h++];
    for (size_t d = 0; d < count; d++)
        lambda[share->which.at[d]] = real_dot(C + d * held, least, held);
}

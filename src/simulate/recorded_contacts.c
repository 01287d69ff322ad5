// recorded_contacts.c: contacts as a row shows them: the reactions where more conditions act than
// are independent, and whether gaps are violated.
//
// A mode holds independent ones alone, and their λ are its own. One of these may become negative
// though nobody lets go, because another takes its part; so what is watched are the λ of least norm
// of all that act. With g_d = Σ c_dh·g_h for those that are not held (and what the equations give
// beside it), the reaction −Σ λ_h g_h is that of λ_h and λ_d = c_d·λ too, where
// (1 + CᵀC)·λ = λ_h: and these are the least that give it.
#include "dynamics/condition_multipliers.h"
#include "dynamics/unilaterals.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/run_options.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// c of a condition that is not held, from the rows in the basis: the last `held` of these are of −f
// for the held ones.
static void find_parts(Basis *basis, Unilaterals *unilaterals, const State *state, size_t side,
                       size_t held, double *row, double *parts)
{
    UnilateralRow found = unilaterals_row(unilaterals, side, *state->t, state->q, state->v);
    memset(row, 0, basis->n * sizeof *row);
    for (size_t k = 0; k < found.size; k++)
        row[found.coordinates[k]] = found.gradient[k] * state->scale[found.coordinates[k]];
    basis_examine(basis, row);
    for (size_t h = 0; h < held; h++)
        parts[h] = -basis->parts[basis->count - held + h];
}

void event_share_reactions(const ContactEvent *event, const ContactMode *mode)
{
    const Equations *eq = mode->eq;
    const State *state = mode->state;
    size_t n = eq->n, sides = event->gaps->count, held = 0, count = 0;
    if (event->friction && !mode->made) {
        friction_share(event, mode);
        return;
    }
    if (!event->shared || mode->made)
        return;
    for (size_t i = 0; i < sides; i++)
        held += mode->held[i];
    Arena *arena = arena_new();
    Basis basis;
    basis_init(&basis, arena, n, n);
    double *row = real_alloc(arena, n), *least = real_alloc(arena, held * (held + 2));
    double *C = real_alloc(arena, sides * held);
    // The held conditions are the last of the mode's rows, and all of them are needed.
    for (size_t i = 0; i < eq->independent.count; i++) {
        const double *own = state->velocities.out + eq->independent.rows[i] * n;
        for (size_t j = 0; j < n; j++)
            row[j] = own[j] * state->scale[j];
        basis_take(&basis, row, 0);
    }
    assert(held <= basis.count);
    for (size_t h = 0; h < held; h++)
        least[h] = state->lambda[eq->independent.rows[basis.count - held + h]];
    for (size_t i = 0; i < sides; i++)
        if (event->acts[i] && !mode->held[i])
            find_parts(&basis, event->gaps->unilaterals, state, i, held, row, C + count++ * held);
    least_norm_share(C, count, held, least, least + held);
    for (size_t i = 0, h = 0, d = 0; i < sides; i++)
        if (mode->held[i])
            *dynamics_side_multiplier(eq, state, i) = least[h++];
        else if (event->acts[i])
            *dynamics_side_multiplier(eq, state, i) = real_dot(C + d++ * held, least, held);
    arena_free(arena);
}

// A violation that neither the tolerance nor roundings of the coordinates explain.
bool event_gaps_hold(const ContactEvent *event, const ContactMode *mode)
{
    assert(event->gaps->tolerance > 0);
    const GapFunctions *gaps = event->gaps;
    const State *state = mode->state;
    double part = EVENT_MARGIN * gaps->tolerance;
    bool hold = true, fixed = mode->settings->method == RUN_TIMESTEPPING;
    gaps_evaluate(gaps, *state->t, state->q, gaps->f);
    for (size_t i = 0; i < gaps->count && hold; i++) {
        if (gaps->f[i] <= gaps->band[i] && gaps->f[i] <= TOL_ZERO * gaps->sizes[i])
            continue;
        double here = gaps_size_at(gaps, i, *state->t, state->q);
        // Steps of fixed length go in by a part of their length, but not by a part of the whole.
        double most = fixed ? TOL_POOR * here : fmax(TOL_SMALL, part) * fmin(gaps->sizes[i], here);
        hold = gaps->f[i] <= fmax(most, TOL_ZERO * here);
    }
    return hold;
}

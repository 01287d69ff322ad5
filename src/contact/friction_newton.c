// friction_newton.c: what each contact does, from a guess on.
//
// In the plane this is principal pivoting: the equations of the modes at hand are solved, and those
// that do not fit change, all at once while that makes them fewer, then one at a time. In space
// directions turn along, which makes it Newton's method on the cone (Alart, Curnier, Comput.
// Methods Appl. Mech. Eng. 92 (1991) 353). A guess that is right takes one factorization.
#include "contact/friction_impl.h"

#include <assert.h>

// Directions alone turn as Newton's method says and are no exchange.
static bool is_exchange(const FrictionPiece *from, const FrictionPiece *to)
{
    return from->mode != to->mode || real_dot(from->d, to->d, FRICTION_TANGENTS) < 0 ||
           real_dot(from->e, to->e, 3) < 0;
}

// Which parts do not fit, those that change their mode first in `order`; *modes says how many.
static size_t find_wrong(Friction *friction, const FrictionPiece *pieces, size_t *modes)
{
    size_t wrong = 0;
    *modes = 0;
    for (size_t l = 0; l < friction->count; l++) {
        if (friction_system_fits(friction, l, &pieces[l], &friction->trial[l]))
            continue;
        friction->order[wrong] = l;
        if (is_exchange(&pieces[l], &friction->trial[l])) {
            friction->order[wrong] = friction->order[*modes];
            friction->order[(*modes)++] = l;
        }
        wrong++;
    }
    return wrong;
}

FrictionSearch friction_newton(Friction *friction, FrictionPiece *pieces, size_t rounds)
{
    assert(friction->count > 0);
    size_t best = friction->count + 1, patience = LIMIT_PATIENCE, modes;
    for (size_t round = 0; round < rounds; round++) {
        if (!friction_system_solve(friction, pieces))
            return FRICTION_SINGULAR;
        size_t wrong = find_wrong(friction, pieces, &modes);
        if (wrong == 0)
            return FRICTION_FITS;
        bool whole = modes < best || patience > 0;
        patience = modes < best ? LIMIT_PATIENCE : patience - (patience > 0);
        best = modes < best ? modes : best;
        // The last one by number, so that a search among modes ends (Murty).
        size_t last = 0;
        for (size_t k = 0; k < modes; k++)
            last = friction->order[k] > last ? friction->order[k] : last;
        for (size_t k = 0; k < wrong; k++) {
            size_t l = friction->order[k];
            if (whole || k >= modes || l == last)
                pieces[l] = friction->trial[l];
        }
    }
    return FRICTION_ENDLESS;
}

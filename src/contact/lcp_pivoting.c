// lcp_pivoting.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 by principal pivoting, whatever Φ is kept as.
//
// All conditions that are on the wrong side change sides at once, and the block of those that act
// is factored anew: a handful of factorizations of a part of Φ, whatever the number of conditions.
// Where that stops making progress and Φ is sparse, ½λ·Φλ − λ·Φ⁰ is made less and less under λ ≥ 0:
// towards the λ that belongs to those that push or are about to, and from where one of them would
// pull along the bound. That ends, since each set of them is met once at most. Where Φ is dense,
// one condition changes at a time, the last first, until fewer are wrong than ever before; for a
// positive Φ that ends.
// Sources of the method: Murty, Opsearch 11 (1974) 123; Kostreva, Linear Algebra Appl. 21 (1978)
// 283; Júdice, Pires, Computers & Operations Research 21 (1994) 587; for the descent Bertsekas,
// SIAM J. Control Optim. 20 (1982) 221.
#include "contact/contact_impl.h"

#include <assert.h>
#include <math.h>

static bool is_wrong(const Lcp *lcp, size_t i)
{
    double push = lcp->lambda[i], rate = lcp->rates[i];
    if (!lcp->acts[i])
        return rate > 0 && lcp_exceeds(lcp, i, rate, TOL_SUM);
    return i >= lcp->equations && push < 0 &&
           push * push * lcp->own[i * lcp->stride] > TOL_SUM * TOL_SUM * lcp->square;
}

size_t lcp_count_wrong(Lcp *lcp, size_t *last)
{
    size_t wrong = 0;
    for (size_t i = 0; i < lcp->count; i++) {
        lcp->wrong[i] = is_wrong(lcp, i);
        wrong += lcp->wrong[i];
        *last = lcp->wrong[i] ? i : *last;
    }
    return wrong;
}

// ---- Descent.

// ½λ·Φλ − λ·Φ⁰ + ½δ|λ|², by f'' = Φ⁰ − Φλ.
static double height(const Lcp *lcp)
{
    double sum = 0;
    for (size_t i = 0; i < lcp->count; i++)
        sum += lcp->lambda[i] * (lcp->added * lcp->lambda[i] - lcp->phi0[i] - lcp->rates[i]);
    return sum / 2;
}

// λ on the way from `held` by a part of `towards`, along the bound where there is one.
static void go(Lcp *lcp, const double *held, const double *towards, double part)
{
    for (size_t i = 0; i < lcp->count; i++) {
        double lambda = held[i] + part * towards[i];
        lcp->lambda[i] = i < lcp->equations ? lambda : real_max(lambda, 0);
    }
    lcp->find_rates(lcp);
}

// False where no part of the way goes down by more than rounding.
static bool go_down(Lcp *lcp, const double *held, const double *towards, double *least)
{
    double part = 1;
    for (size_t halvings = 0; halvings < LIMIT_STEPS; halvings++, part /= 2) {
        go(lcp, held, towards, part);
        double now = height(lcp);
        if (now < *least - TOL_SUM * fabs(*least)) {
            *least = now;
            return true;
        }
    }
    return false;
}

static bool descend(Lcp *lcp, size_t rounds)
{
    size_t count = lcp->count, last = 0;
    double *held = lcp->room, *towards = held + count;
    memcpy(held, lcp->lambda, count * sizeof *held);
    memset(towards, 0, count * sizeof *towards);
    go(lcp, held, towards, 0);
    double least = height(lcp);
    for (size_t round = 0; round < rounds; round++) {
        memcpy(held, lcp->lambda, count * sizeof *held);
        for (size_t i = lcp->equations; i < count; i++) {
            double rate = lcp->rates[i];
            lcp->acts[i] = held[i] > 0 || (rate > 0 && lcp_exceeds(lcp, i, rate, TOL_SUM));
        }
        if (!lcp->let_act(lcp))
            return false;
        if (lcp_count_wrong(lcp, &last) == 0)
            return true;
        for (size_t i = 0; i < count; i++)
            towards[i] = lcp->lambda[i] - held[i];
        if (!go_down(lcp, held, towards, &least)) {
            go(lcp, held, towards, 0);
            return false;
        }
    }
    return false;
}

// ---- Exchange.

bool lcp_exchange(Lcp *lcp, size_t rounds)
{
    assert(lcp->let_act && lcp->equations <= lcp->count);
    size_t count = lcp->count, best = count + 1, patience = LIMIT_PATIENCE;
    for (size_t round = 0; round < rounds; round++) {
        if (!lcp->let_act(lcp))
            return false;
        size_t last = count, wrong = lcp_count_wrong(lcp, &last);
        if (wrong == 0)
            return true;
        bool whole = wrong < best || patience > 0;
        if (!whole && lcp->room)
            return descend(lcp, rounds);
        patience = wrong < best ? LIMIT_PATIENCE : patience - (patience > 0);
        best = wrong < best ? wrong : best;
        for (size_t i = whole ? 0 : last; i <= last; i++)
            lcp->acts[i] = lcp->acts[i] != lcp->wrong[i];
    }
    return false;
}

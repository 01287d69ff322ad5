// lcp_proximal.c: ½λ·Φλ − λ·Φ⁰ + ½δ|λ − λ'|² made least under λ ≥ 0, whatever depends on whatever.
//
// With Φ⁰ + δλ' in the place of Φ⁰, and r = Φ⁰ + δλ' − Φμ for any μ, that is the same as to make
// ½μ·Φμ + Σ max(0, r)²/2δ least over all μ, a smooth convex function; λ is max(0, r)/δ there. Where
// those with r > 0 act, it is one of second degree, whose least place is one factorization away:
// Newton's method. Along the way there its slope is Σ r'(max(0, r)/δ − μ), which rises in straight
// pieces, so that the lowest place on the way is found without another product by Φ.
//
// Far from the answer the whole step is nearer to it than the lowest place on the way, which is the
// first kink of many. So a whole step is taken where fewer are on the wrong side than ever before,
// which happens as often as there are conditions at most; between two of these no step goes up, and
// each set of those that act is met at its least place once at most.
// Sources of the method: Rockafellar, SIAM J. Control Optim. 14 (1976) 877; Qi, Sun, Math.
// Program. 58 (1993) 353.
#include "contact/contact_impl.h"

#include <assert.h>
#include <math.h>

static bool acts_at(const Lcp *lcp, size_t l, double rate)
{
    return l < lcp->equations || rate > 0;
}

// The way of a step: from (held, former) to the lcp's λ and f''. Its slope after a part of it, and
// how that rises there.
static double slope(const Lcp *lcp, const double *held, double part, double *rise)
{
    const double *former = held + lcp->count;
    double sum = 0, bend = 0;
    for (size_t l = 0; l < lcp->count; l++) {
        double turn = lcp->rates[l] - former[l], way = lcp->lambda[l] - held[l];
        double rate = former[l] + part * turn, acts = acts_at(lcp, l, rate) ? 1 / lcp->added : 0;
        sum += turn * (acts * rate - held[l] - part * way);
        bend += turn * (acts * turn - way);
    }
    *rise = bend;
    return sum;
}

// The part of the way after which it no longer goes down, by Newton's method between bounds.
static double lowest(const Lcp *lcp, const double *held)
{
    double low = 0, high = 1, part = 1, rise, now = slope(lcp, held, 1, &rise);
    if (!(now > 0))
        return 1;
    for (size_t i = 0; i < LIMIT_STEPS && high - low > TOL_COARSE * high; i++) {
        double former = part;
        part -= now / rise;
        if (!(part > low && part < high))
            part = (low + high) / 2;
        now = slope(lcp, held, part, &rise);
        *(now > 0 ? &high : &low) = part;
        if (fabs(part - former) <= TOL_COARSE * part)
            break;
    }
    return part;
}

bool lcp_proximal(Lcp *lcp)
{
    assert(lcp->added > 0 && lcp->room && lcp->let_act);
    size_t count = lcp->count, best = count + 1, last;
    double *held = lcp->room, *former = held + count;
    lcp->find_rates(lcp);
    for (size_t round = 0; round < LIMIT_SEARCH; round++) {
        memcpy(held, lcp->lambda, count * sizeof *held);
        memcpy(former, lcp->rates, count * sizeof *former);
        for (size_t l = 0; l < count; l++)
            lcp->acts[l] = acts_at(lcp, l, former[l]);
        if (!lcp->let_act(lcp))
            return false;
        size_t wrong = lcp_count_wrong(lcp, &last);
        if (wrong == 0)
            return true;
        double part = wrong < best ? 1 : lowest(lcp, held);
        best = wrong < best ? wrong : best;
        for (size_t l = 0; l < count && part < 1; l++) {
            lcp->lambda[l] = held[l] + part * (lcp->lambda[l] - held[l]);
            lcp->rates[l] = former[l] + part * (lcp->rates[l] - former[l]);
        }
    }
    return false;
}

// lcp_pivoting.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 by principal pivoting, whatever Φ is kept as.
//
// All conditions that are on the wrong side change sides at once, and the block of those that act
// is factored anew: a handful of factorizations of a part of Φ, whatever the number of conditions.
// Where that stops making progress, one condition changes at a time, the last first, until fewer
// are wrong than ever before; for a positive Φ that ends.
// Sources of the method: Murty, Opsearch 11 (1974) 123; Kostreva, Linear Algebra Appl. 21 (1978)
// 283; Júdice, Pires, Computers & Operations Research 21 (1994) 587.
#include "contact/contact_impl.h"

#include <assert.h>

static bool is_wrong(const Lcp *lcp, size_t i)
{
    double push = lcp->lambda[i], rate = lcp->rates[i];
    if (!lcp->acts[i])
        return rate > 0 && lcp_exceeds(lcp, i, rate, TOL_SUM);
    return i >= lcp->equations && push < 0 &&
           push * push * lcp->own[i * lcp->stride] > TOL_SUM * TOL_SUM * lcp->square;
}

bool lcp_exchange(Lcp *lcp, size_t rounds)
{
    assert(lcp->let_act && lcp->equations <= lcp->count);
    size_t count = lcp->count, best = count + 1, patience = LIMIT_PATIENCE;
    for (size_t round = 0; round < rounds; round++) {
        if (!lcp->let_act(lcp))
            return false;
        size_t wrong = 0, last = count;
        for (size_t i = 0; i < count; i++) {
            lcp->wrong[i] = is_wrong(lcp, i);
            wrong += lcp->wrong[i];
            last = lcp->wrong[i] ? i : last;
        }
        if (wrong == 0)
            return true;
        bool whole = wrong < best || patience > 0;
        patience = wrong < best ? LIMIT_PATIENCE : patience - (patience > 0);
        best = wrong < best ? wrong : best;
        for (size_t i = whole ? 0 : last; i <= last; i++)
            lcp->acts[i] = lcp->acts[i] != lcp->wrong[i];
    }
    return false;
}

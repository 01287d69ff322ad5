// lcp_sparse.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 where Φ is sparse, equations among it.
//
// Whole blocks of conditions change sides, as in lcp_dense.c, the part of Φ that acts being
// factored as a sparse matrix. Where that meets conditions that depend on each other, or goes in
// circles, something is added to Φ's diagonal: ½ λ·Φλ − λ·Φ⁰ + ½δ|λ|² has one least place under λ ≥
// 0, and for a small δ that is next to the λ of least norm (Tikhonov 1963). Then what δ falsifies
// is taken back for those that act. Where that leaves somebody on the wrong side, conditions nearly
// depend on each other, and δ was too large.
#include "contact/contact_impl.h"
#include "linalg/sparse.h"

#include <assert.h>

struct LcpSparse {
    SparseCholesky *phi;
    Island *problem; // its conditions, λ and f''
    const double *phi0, *sizes;
    // For each condition:
    const double *own;      // Φ's diagonal
    double *lambda, *rates; // the problem's
    double *held, *turned, *towards, *pushed, *moved, *back;
    bool *kept, *wrong;
    double square; // λ·Φλ
    double added;  // to Φ's diagonal
};

LcpSparse *lcp_sparse_new(Arena *arena, SparseCholesky *phi, size_t most_count)
{
    assert(arena && phi);
    LcpSparse *lcp = arena_alloc(arena, sizeof *lcp);
    lcp->phi = phi;
    double **real[] = {&lcp->held,   &lcp->turned, &lcp->towards,
                       &lcp->pushed, &lcp->moved,  &lcp->back};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        *real[i] = real_alloc(arena, most_count);
    lcp->kept = arena_alloc(arena, most_count * sizeof *lcp->kept);
    lcp->wrong = arena_alloc(arena, most_count * sizeof *lcp->wrong);
    return lcp;
}

// ---- The motion that belongs to those that act.

// Whether x exceeds a part of the terms that f''_l is a sum of.
static bool exceeds(const LcpSparse *lcp, size_t l, double x, double part)
{
    return x > part * lcp->sizes[l] && x * x > part * part * lcp->own[l] * lcp->square;
}

// f'' = Φ⁰ − Φλ, and λ·Φλ.
static void find_rates(LcpSparse *lcp)
{
    size_t count = lcp->problem->count;
    memcpy(lcp->rates, lcp->phi0, count * sizeof *lcp->rates);
    sparse_cholesky_subtract_times(lcp->phi, lcp->lambda, lcp->rates);
    double square = 0;
    for (size_t l = 0; l < count; l++)
        square += lcp->lambda[l] * (lcp->phi0[l] - lcp->rates[l]);
    lcp->square = real_max(square, 0);
}

// Factors of the part of Φ that acts; what did not change since the last ones is kept.
static bool factor(LcpSparse *lcp)
{
    double least = lcp->added > 0 ? 0 : TOL_RANK;
    return sparse_cholesky_factor(lcp->phi, lcp->kept, lcp->added, least);
}

// (Φ + added)⁻¹·x of those that act, 0 of the others.
static void turn(LcpSparse *lcp, const double *x, double *turned)
{
    for (size_t l = 0; l < lcp->problem->count; l++)
        turned[l] = lcp->kept[l] ? x[l] : 0;
    sparse_cholesky_solve(lcp->phi, turned);
}

// λ where those kept act and no others.
static bool let_act(LcpSparse *lcp)
{
    if (!factor(lcp))
        return false;
    turn(lcp, lcp->phi0, lcp->lambda);
    find_rates(lcp);
    return true;
}

// What rounding left is taken off once.
static void refine(LcpSparse *lcp)
{
    turn(lcp, lcp->rates, lcp->turned);
    real_add_times(1, lcp->turned, lcp->problem->count, lcp->lambda);
    find_rates(lcp);
}

// Marks who is on the wrong side, and counts them.
static size_t find_wrong(LcpSparse *lcp)
{
    const double least = TOL_SUM * TOL_SUM * lcp->square;
    size_t wrong = 0;
    for (size_t l = 0; l < lcp->problem->count; l++) {
        double push = lcp->lambda[l], rate = lcp->rates[l];
        bool pulls = lcp->kept[l] && push < 0 && push * push * lcp->own[l] > least;
        bool broken = !lcp->kept[l] && rate > 0 && exceeds(lcp, l, rate, TOL_SUM);
        lcp->wrong[l] = l >= lcp->problem->equations && (pulls || broken);
        wrong += lcp->wrong[l];
    }
    return wrong;
}

// ---- Whole blocks.

// Exchanges blocks; where that stops making progress one condition at a time, the last first, until
// fewer are wrong than ever before. False where conditions that act depend on each other, or that
// does not end.
static bool exchange(LcpSparse *lcp)
{
    size_t count = lcp->problem->count, best = count + 1, patience = LIMIT_PATIENCE;
    for (size_t round = 0; round < LIMIT_STEPS + (lcp->added > 0 ? count : 0); round++) {
        if (!let_act(lcp))
            return false;
        size_t wrong = find_wrong(lcp), last = count;
        if (wrong == 0)
            return true;
        bool whole = wrong < best || patience > 0;
        patience = wrong < best ? LIMIT_PATIENCE : patience - (patience > 0);
        best = wrong < best ? wrong : best;
        while (!whole && !lcp->wrong[--last])
            ;
        for (size_t l = whole ? 0 : last; l < count; l++)
            lcp->kept[l] = lcp->kept[l] != lcp->wrong[l];
    }
    return false;
}

// No negative λ.
static void clip(LcpSparse *lcp)
{
    for (size_t l = lcp->problem->equations; l < lcp->problem->count; l++)
        lcp->lambda[l] = real_max(lcp->lambda[l], 0);
    find_rates(lcp);
}

// ---- Taking back what was added.

// What f''_l and the terms of its motion may be as large as.
static double size_of(const LcpSparse *lcp, size_t l)
{
    return real_max(lcp->sizes[l], sqrt(lcp->own[l] * lcp->square));
}

// How far the motion is from obeying every condition, against the terms of each, at its largest:
// f'' of those that act, what pulls in the place of pushing, and f'' > 0 of the others.
static double miss(const LcpSparse *lcp)
{
    double worst = 0;
    for (size_t l = 0; l < lcp->problem->count; l++) {
        bool pulls = l >= lcp->problem->equations && lcp->lambda[l] < 0;
        double off = lcp->kept[l] ? fabs(lcp->rates[l]) : lcp->rates[l];
        off = pulls ? real_max(off, -lcp->lambda[l] * lcp->own[l]) : off;
        if (off > 0 && off > worst * lcp->sizes[l])
            worst = real_max(worst, off / size_of(lcp, l));
    }
    return worst;
}

// Φλ = Φ⁰ of those that act, by conjugate residuals (Stiefel, Comment. Math. Helv. 29 (1955) 157)
// after the factors at hand, which are right but along what is nearly dependent. Along what is
// dependent nothing but rounding is added, so that the norm stays least; conjugate gradients would
// enlarge that. What is dependent but for rounding makes λ grow without end: before that the best
// so far, in `held`, has to do.
static void take_back(LcpSparse *lcp, double enough)
{
    assert(enough > 0 && lcp->added > 0);
    size_t count = lcp->problem->count, bytes = count * sizeof *lcp->lambda, hope = LIMIT_PATIENCE;
    double *turned = lcp->turned, *towards = lcp->towards, *back = lcp->back;
    double *pushed = lcp->pushed, *moved = lcp->moved, former = 0;
    double best = miss(lcp), most = 8 * real_length(lcp->lambda, count);
    memcpy(lcp->held, lcp->lambda, bytes);
    if (best > enough)
        turn(lcp, lcp->rates, turned);
    for (size_t step = 0; step < LIMIT_STEPS && best > enough && hope > 0; step++) {
        memset(pushed, 0, count * sizeof *pushed);
        sparse_cholesky_subtract_times(lcp->phi, turned, pushed);
        double along = -real_dot(turned, pushed, count), ratio = step > 0 ? along / former : 0;
        for (size_t l = 0; l < count; l++) {
            towards[l] = turned[l] + (step > 0 ? ratio * towards[l] : 0);
            moved[l] = pushed[l] + (step > 0 ? ratio * moved[l] : 0);
        }
        former = along;
        turn(lcp, moved, back);
        double size = real_dot(moved, back, count);
        if (!(along > 0 && size > 0))
            break;
        real_add_times(along / size, towards, count, lcp->lambda);
        real_add_times(along / size, moved, count, lcp->rates);
        real_add_times(along / size, back, count, turned);
        if (!(real_length(lcp->lambda, count) < most))
            break;
        double left = miss(lcp);
        hope = 3 * left < best ? LIMIT_PATIENCE : hope - 1;
        if (left < best)
            memcpy(lcp->held, lcp->lambda, bytes);
        best = fmin(best, left);
    }
    memcpy(lcp->lambda, lcp->held, bytes);
}

// Conditions that depend on each other, or do so nearly: less and less is added.
static bool soften(LcpSparse *lcp)
{
    double most = real_largest(lcp->own, lcp->problem->count);
    for (size_t i = 0, last = LIMIT_PATIENCE - 1; i <= last; i++) {
        lcp->added = pow(TOL_REGULARIZATION, 1 + (double)i / LIMIT_PATIENCE) * most;
        if (!exchange(lcp))
            return false;
        double enough = !lcp->problem->any_lambda ? TOL_ZERO : i < last ? TOL_RATE : TOL_RANK;
        take_back(lcp, TOL_POOR * enough);
        clip(lcp);
        if (miss(lcp) <= enough)
            return true;
    }
    return false;
}

// ---- The whole.

// Whether all conditions with f'' = 0, those that push among them, are independent.
static bool touch_independently(LcpSparse *lcp)
{
    size_t count = lcp->problem->count;
    bool more_touch = false;
    for (size_t l = 0; l < count; l++) {
        double away = -lcp->rates[l];
        lcp->wrong[l] = !lcp->kept[l] && !(away > 0 && exceeds(lcp, l, away, TOL_RATE));
        more_touch = more_touch || lcp->wrong[l];
    }
    for (size_t l = 0; l < count && more_touch; l++)
        lcp->kept[l] = lcp->kept[l] || lcp->wrong[l];
    lcp->added = 0;
    bool independent = factor(lcp);
    for (size_t l = 0; l < count && more_touch; l++)
        lcp->kept[l] = lcp->kept[l] && !lcp->wrong[l];
    return independent;
}

// Φ⁰ where the equations act: the motion that is free of one-sided conditions.
static bool find_free_rates(LcpSparse *lcp, double *phi0)
{
    size_t count = lcp->problem->count, equations = lcp->problem->equations;
    for (size_t l = 0; l < count; l++)
        lcp->kept[l] = l < equations;
    if (equations > 0 && !let_act(lcp))
        return false;
    if (equations > 0)
        refine(lcp);
    memcpy(phi0, equations > 0 ? lcp->rates : lcp->phi0, count * sizeof *phi0);
    return true;
}

// Where nobody is known to act, begins from those that the free motion does not release: a rope
// whose upper end is held would else learn of it string by string.
static void begin(LcpSparse *lcp, const bool *acting, const double *phi0)
{
    size_t count = lcp->problem->count, equations = lcp->problem->equations;
    bool any = false;
    for (size_t l = equations; l < count; l++)
        any = any || acting[l];
    for (size_t l = 0; l < count; l++)
        lcp->kept[l] = l < equations || (any ? acting[l] : phi0[l] >= -TOL_SUM * lcp->sizes[l]);
}

bool lcp_sparse_solve(LcpSparse *lcp, Island *island, const double *phi0, const double *sizes,
                      double *square)
{
    assert(island->equations <= island->count && island->lambda && island->rates);
    lcp->problem = island;
    lcp->phi0 = phi0;
    lcp->sizes = sizes;
    lcp->added = lcp->square = 0;
    lcp->own = sparse_cholesky_diagonal(lcp->phi);
    lcp->lambda = island->lambda;
    lcp->rates = island->rates;
    if (!find_free_rates(lcp, island->free_rates))
        return false;
    begin(lcp, island->acting, island->free_rates);
    bool found = exchange(lcp);
    if (found) {
        refine(lcp);
        clip(lcp);
    } else if (!soften(lcp)) {
        return false;
    }
    island->unique = (found || !island->any_lambda) && touch_independently(lcp);
    *square = lcp->square;
    for (size_t l = 0; l < island->count; l++)
        lcp->rates[l] = lcp->kept[l] ? 0 : lcp->rates[l];
    return true;
}

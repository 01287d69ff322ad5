// lcp_sparse.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 where Φ is sparse, equations among it.
//
// Whole blocks of conditions change sides, as in lcp_pivoting.c, the part of Φ that acts being
// factored as a sparse matrix. Where that meets conditions that depend on each other, or goes in
// circles, something is added to Φ's diagonal: ½ λ·Φλ − λ·Φ⁰ + ½δ|λ|² has one least place under λ ≥
// 0, and for a small δ that is next to the λ of least norm (Tikhonov 1963). It is gone down to step
// by step: to the least place for those that act now, what becomes negative put to 0 where that is
// still lower (Bertsekas, SIAM J. Control Optim. 20 (1982) 221), and else only as far as the first
// that ceases to push. Then what δ falsifies is taken back for those that act. Where that leaves
// somebody on the wrong side, conditions nearly depend on each other, and δ was too large.
#include "contact/contact_impl.h"
#include "linalg/sparse.h"

struct LcpSparse {
    SparseCholesky *phi;
    Island *problem; // its conditions, λ and f''
    const double *phi0, *sizes;
    // For each condition:
    const double *own;      // Φ's diagonal
    double *lambda, *rates; // the problem's
    double *held, *work, *saved;
    double *turned, *towards, *pushed, *moved, *back;
    bool *kept, *wrong;
    double square; // λ·Φλ
    double added;  // to Φ's diagonal
};

LcpSparse *lcp_sparse_new(Arena *arena, SparseCholesky *phi, size_t most_count)
{
    LcpSparse *lcp = arena_alloc(arena, sizeof *lcp);
    lcp->phi = phi;
    double **real[] = {&lcp->held,    &lcp->work,   &lcp->saved, &lcp->turned,
                       &lcp->towards, &lcp->pushed, &lcp->moved, &lcp->back};
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

static void go_to(LcpSparse *lcp, const double *lambda)
{
    memcpy(lcp->lambda, lambda, lcp->problem->count * sizeof *lambda);
    find_rates(lcp);
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
    turn(lcp, lcp->rates, lcp->work);
    real_add_times(1, lcp->work, lcp->problem->count, lcp->lambda);
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

// Exchanges blocks as long as that makes progress. SOLVE_SINGULAR where conditions that act depend
// on each other.
static SolveOutcome exchange(LcpSparse *lcp)
{
    size_t count = lcp->problem->count, best = count + 1, patience = LIMIT_PATIENCE;
    while (true) {
        if (!let_act(lcp))
            return SOLVE_SINGULAR;
        size_t wrong = find_wrong(lcp);
        if (wrong == 0)
            return SOLVE_DONE;
        patience = wrong < best ? LIMIT_PATIENCE : patience - 1;
        best = wrong < best ? wrong : best;
        if (patience == 0)
            return SOLVE_UNDECIDED;
        for (size_t l = 0; l < count; l++)
            lcp->kept[l] = lcp->kept[l] != lcp->wrong[l];
    }
}

// ---- Downwards.

// ½ λ·Φλ − λ·Φ⁰ + ½δ|λ|², its rates being those of λ.
static double height(const LcpSparse *lcp)
{
    const double *lambda = lcp->lambda, *phi0 = lcp->phi0;
    double sum = 0;
    for (size_t l = 0; l < lcp->problem->count; l++)
        sum += lambda[l] * (lcp->added * lambda[l] - phi0[l] - lcp->rates[l]);
    return sum / 2;
}

// Those act that push, or would have to.
static void choose(LcpSparse *lcp)
{
    for (size_t l = lcp->problem->equations; l < lcp->problem->count; l++)
        lcp->kept[l] = lcp->lambda[l] > 0 || exceeds(lcp, l, lcp->rates[l], TOL_SUM);
}

// No negative λ.
static void clip(LcpSparse *lcp)
{
    for (size_t l = lcp->problem->equations; l < lcp->problem->count; l++)
        lcp->lambda[l] = real_max(lcp->lambda[l], 0);
    find_rates(lcp);
}

// From `held` towards λ, the least place for those that act, as far as all still push. Those that
// cease to do so are left out.
static void go_as_far(LcpSparse *lcp)
{
    size_t count = lcp->problem->count;
    double part = 1;
    for (size_t l = 0; l < count; l++)
        if (lcp->wrong[l] && lcp->kept[l])
            part = fmin(part, lcp->held[l] / (lcp->held[l] - lcp->lambda[l]));
    for (size_t l = 0; l < count; l++) {
        double before = lcp->held[l], step = lcp->lambda[l] - before;
        bool ceases = lcp->wrong[l] && lcp->kept[l] && before + part * step <= TOL_RATE * before;
        lcp->held[l] = ceases ? 0 : before + part * step;
        lcp->kept[l] = lcp->kept[l] && !ceases;
        if (l >= lcp->problem->equations)
            lcp->held[l] = real_max(lcp->held[l], 0);
    }
}

// Whether λ without its negative parts is lower than `held`, which was at `from`.
static bool is_lower(LcpSparse *lcp, double from, const double *slope)
{
    clip(lcp);
    double promised = 0;
    for (size_t l = 0; l < lcp->problem->count; l++)
        promised += slope[l] * (lcp->lambda[l] - lcp->held[l]);
    return height(lcp) < from - 1e-4 * fabs(promised);
}

// Goes down from λ, which is ≥ 0, to the least place of all.
static bool descend(LcpSparse *lcp)
{
    size_t count = lcp->problem->count, bytes = count * sizeof *lcp->lambda;
    double *slope = lcp->turned, *least = lcp->towards;
    for (size_t round = 0; round < LIMIT_STEPS + count / 8; round++) {
        double from = height(lcp);
        for (size_t l = 0; l < count; l++)
            slope[l] = lcp->added * lcp->lambda[l] - lcp->rates[l];
        memcpy(lcp->held, lcp->lambda, bytes);
        if (!let_act(lcp))
            return false;
        if (find_wrong(lcp) == 0)
            return true;
        bool stays = true;
        for (size_t l = 0; l < count; l++)
            stays = stays && !(lcp->wrong[l] && lcp->kept[l]);
        memcpy(least, lcp->lambda, bytes);
        if (is_lower(lcp, from, slope) || stays) {
            choose(lcp);
            continue;
        }
        memcpy(lcp->lambda, least, bytes);
        go_as_far(lcp);
        go_to(lcp, lcp->held);
    }
    return false;
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
    size_t count = lcp->problem->count, bytes = count * sizeof *lcp->lambda, hope = LIMIT_PATIENCE;
    double *turned = lcp->turned, *towards = lcp->towards, *back = lcp->back;
    double *pushed = lcp->pushed, *moved = lcp->moved, former = 0;
    double best = miss(lcp), most = 100 * real_dot(lcp->lambda, lcp->lambda, count);
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
        if (!(real_dot(lcp->lambda, lcp->lambda, count) < most))
            break;
        double left = miss(lcp);
        hope = left < 0.3 * best ? LIMIT_PATIENCE : hope - 1;
        if (left < best)
            memcpy(lcp->held, lcp->lambda, bytes);
        best = fmin(best, left);
    }
    memcpy(lcp->lambda, lcp->held, bytes);
}

// Takes back what was added. Whether that leaves no more than may be left.
static bool is_solved(LcpSparse *lcp, double enough)
{
    take_back(lcp, 0.02 * enough);
    clip(lcp);
    return miss(lcp) <= enough;
}

// Lets those that push by no more than rounding, or pull by that, not act; whether the others can
// do without.
static bool leave_idle(LcpSparse *lcp, double enough)
{
    size_t count = lcp->problem->count, idle = 0, bytes = count * sizeof *lcp->lambda;
    for (size_t l = lcp->problem->equations; l < count; l++) {
        lcp->wrong[l] =
            lcp->kept[l] && lcp->lambda[l] * lcp->own[l] <= TOL_AGREEMENT * size_of(lcp, l);
        idle += lcp->wrong[l];
    }
    if (idle == 0)
        return false;
    memcpy(lcp->saved, lcp->lambda, bytes);
    for (size_t l = lcp->problem->equations; l < count; l++)
        lcp->kept[l] = lcp->kept[l] && !lcp->wrong[l];
    if (let_act(lcp) && is_solved(lcp, enough))
        return true;
    for (size_t l = lcp->problem->equations; l < count; l++)
        lcp->kept[l] = lcp->kept[l] || lcp->wrong[l];
    go_to(lcp, lcp->saved);
    return false;
}

// What is added to Φ's diagonal, as a part of its largest entry, one after the other.
static double softness(size_t i)
{
    return TOL_REGULARIZATION / pow(50, (double)i);
}

// With a small δ, the one at `until`, rounding lengthens λ along what is dependent. Those that act
// being known, a larger one leaves it shorter.
static void shorten(LcpSparse *lcp, size_t until, double most, double enough)
{
    size_t bytes = lcp->problem->count * sizeof *lcp->lambda;
    memcpy(lcp->work, lcp->lambda, bytes);
    for (size_t i = 0; i < until; i++) {
        lcp->added = softness(i) * most;
        if (let_act(lcp) && is_solved(lcp, enough))
            return;
    }
    go_to(lcp, lcp->work);
}

// Conditions that depend on each other, or do so nearly.
static bool soften(LcpSparse *lcp)
{
    size_t bytes = lcp->problem->count * sizeof *lcp->lambda;
    double most = real_largest(lcp->own, lcp->problem->count);
    for (size_t i = 0, last = LIMIT_PATIENCE - 1; i <= last; i++) {
        lcp->added = softness(i) * most;
        SolveOutcome search = i == 0 ? exchange(lcp) : SOLVE_UNDECIDED;
        if (search == SOLVE_UNDECIDED) {
            clip(lcp);
            choose(lcp);
            search = descend(lcp) ? SOLVE_DONE : SOLVE_UNDECIDED;
        }
        if (search != SOLVE_DONE)
            return false;
        memcpy(lcp->work, lcp->lambda, bytes);
        double roughly = (i == last ? 1e4 : 1e3) * TOL_SUM;
        double enough = lcp->problem->any_lambda ? roughly : 10 * TOL_SUM;
        bool solved = is_solved(lcp, enough);
        if (!lcp->problem->any_lambda)
            solved = leave_idle(lcp, enough) || solved;
        if (solved && !lcp->problem->any_lambda)
            shorten(lcp, i, most, enough);
        if (solved)
            return true;
        go_to(lcp, lcp->work);
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
    bool found = exchange(lcp) == SOLVE_DONE;
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

// contact_sparse.c: one large island: a rope on pegs, a heap of balls.
//
// The inertia falls into blocks 𝓜 = LLᵀ, so that Φ = WWᵀ with W = gL⁻ᵀ stays sparse. Who
// acts is a linear complementarity problem, 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0, equations among it.
//
// Whole blocks of conditions change sides (lcp_pivoting.c), the part of Φ that acts being factored
// as a sparse matrix. Where that meets conditions that depend on each other, or goes in circles,
// something is added to Φ's diagonal: ½ λ·Φλ − λ·Φ⁰ + ½δ|λ|² has one least place under λ ≥ 0, and
// for a small δ that is next to the λ of least norm (Tikhonov 1963). Then what δ falsifies is taken
// back for those that act. Where that leaves somebody on the wrong side, conditions nearly depend
// on each other, and δ was too large.
#include "contact/contact_impl.h"
#include "contact/delassus_impl.h"
#include "linalg/sparse_cholesky.h"

#include <assert.h>

struct ContactSparse {
    Lcp lcp; // first, so that let_act finds the rest
    SparseCholesky *phi;
    Island *island;
    size_t most_n, most_count;
    Arena *arena;
    Delassus delassus;
    double *pull;
    // For each condition:
    double *phi0, *sizes;
    double *shifted;   // Φ⁰ with what belongs to the λ found before
    double *turned;    // what the factors make of something
    double *residuals; // five vectors, to take back what was added
    bool *acts, *touches;
};

ContactSparse *contact_sparse_new(void)
{
    ContactSparse *sparse = base_alloc(sizeof *sparse);
    sparse->phi = sparse_cholesky_new();
    return sparse;
}

void contact_sparse_free(ContactSparse *sparse)
{
    if (!sparse)
        return;
    delassus_clear(&sparse->delassus);
    sparse_cholesky_free(sparse->phi);
    arena_free(sparse->arena);
    base_free(sparse);
}

static void reserve(ContactSparse *sparse, size_t n, size_t count)
{
    if (n <= sparse->most_n && count <= sparse->most_count)
        return;
    n = sparse->most_n = 2 * (n > sparse->most_n ? n : sparse->most_n);
    count = sparse->most_count = 2 * (count > sparse->most_count ? count : sparse->most_count);
    arena_free(sparse->arena);
    Arena *arena = sparse->arena = arena_new();
    sparse->pull = real_alloc(arena, n);
    real_alloc_each(arena, count, &sparse->phi0, &sparse->sizes, &sparse->turned);
    sparse->residuals = real_alloc(arena, 5 * count);
    sparse->shifted = real_alloc(arena, count);
    sparse->acts = arena_array(arena, bool, count);
    sparse->touches = arena_array(arena, bool, count);
}

// ---- Φ.

static void find_phi(ContactSparse *sparse)
{
    delassus_find(&sparse->delassus, &sparse->island->rows, sparse_cholesky_matrix(sparse->phi));
    sparse_cholesky_analyse(sparse->phi);
}

// ---- The motion that belongs to those that act.

// f'' = Φ⁰ − Φλ, and λ·Φλ.
static void find_rates_of(Lcp *lcp)
{
    const ContactSparse *sparse = (const ContactSparse *)lcp;
    memcpy(lcp->rates, lcp->phi0, lcp->count * sizeof *lcp->rates);
    sparse_cholesky_subtract_times(sparse->phi, lcp->lambda, lcp->rates);
    double square = 0;
    for (size_t l = 0; l < lcp->count; l++)
        square += lcp->lambda[l] * (lcp->phi0[l] - lcp->rates[l]);
    lcp->square = real_max(square, 0);
}

static void find_rates(ContactSparse *sparse)
{
    find_rates_of(&sparse->lcp);
}

// Factors of the part of Φ that acts; what did not change since the last ones is kept.
static bool factor(ContactSparse *sparse, const bool *acts)
{
    double least = sparse->lcp.added > 0 ? 0 : TOL_RANK;
    return sparse_cholesky_factor(sparse->phi, acts, sparse->lcp.added, least);
}

// (Φ + added)⁻¹·x of those that act, 0 of the others.
static void turn(ContactSparse *sparse, const double *x, double *turned)
{
    for (size_t l = 0; l < sparse->lcp.count; l++)
        turned[l] = sparse->acts[l] ? x[l] : 0;
    sparse_cholesky_solve(sparse->phi, turned);
}

static bool let_act(Lcp *lcp)
{
    ContactSparse *sparse = (ContactSparse *)lcp;
    if (!factor(sparse, lcp->acts))
        return false;
    turn(sparse, lcp->phi0, lcp->lambda);
    find_rates(sparse);
    return true;
}

// What rounding left is taken off once.
static void refine(ContactSparse *sparse)
{
    turn(sparse, sparse->lcp.rates, sparse->turned);
    real_add_times(1, sparse->turned, sparse->lcp.count, sparse->lcp.lambda);
    find_rates(sparse);
}

// No negative λ.
static void clip(ContactSparse *sparse)
{
    Lcp *lcp = &sparse->lcp;
    for (size_t l = lcp->equations; l < lcp->count; l++)
        lcp->lambda[l] = real_max(lcp->lambda[l], 0);
    find_rates(sparse);
}

// ---- Taking back what was added.

// How far the motion is from obeying every condition, against the terms of each, at its largest:
// f'' of those that act, what pulls in the place of pushing, and f'' > 0 of the others.
static double miss(const Lcp *lcp)
{
    double worst = 0;
    for (size_t l = 0; l < lcp->count; l++) {
        bool pulls = l >= lcp->equations && lcp->lambda[l] < 0;
        double off = lcp->acts[l] ? fabs(lcp->rates[l]) : lcp->rates[l];
        off = pulls ? real_max(off, -lcp->lambda[l] * lcp->own[l]) : off;
        if (off > 0 && off > worst * lcp->sizes[l])
            worst = real_max(worst, off / real_max(lcp->sizes[l], sqrt(lcp->own[l] * lcp->square)));
    }
    return worst;
}

// Φλ = Φ⁰ of those that act, by conjugate residuals (Stiefel, Comment. Math. Helv. 29 (1955) 157)
// after the factors at hand, which are right but along what is nearly dependent. Along what is
// dependent nothing but rounding is added, so that the norm stays least; conjugate gradients would
// enlarge that. What is dependent but for rounding makes λ grow without end: before that the best
// so far, in `held`, has to do.
static void take_back(ContactSparse *sparse, double enough)
{
    assert(enough > 0 && sparse->lcp.added > 0);
    Lcp *lcp = &sparse->lcp;
    size_t count = lcp->count, bytes = count * sizeof *lcp->lambda, hope = LIMIT_PATIENCE;
    double *turned = sparse->turned, *held = sparse->residuals, *towards = held + count;
    double *pushed = towards + count, *moved = pushed + count, *back = moved + count, former = 0;
    double best = miss(lcp), most = 8 * real_length(lcp->lambda, count);
    memcpy(held, lcp->lambda, bytes);
    if (best > enough)
        turn(sparse, lcp->rates, turned);
    for (size_t step = 0; step < LIMIT_STEPS && best > enough && hope > 0; step++) {
        memset(pushed, 0, count * sizeof *pushed);
        sparse_cholesky_subtract_times(sparse->phi, turned, pushed);
        double along = -real_dot(turned, pushed, count), ratio = step > 0 ? along / former : 0;
        for (size_t l = 0; l < count; l++) {
            towards[l] = turned[l] + (step > 0 ? ratio * towards[l] : 0);
            moved[l] = pushed[l] + (step > 0 ? ratio * moved[l] : 0);
        }
        former = along;
        turn(sparse, moved, back);
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
            memcpy(held, lcp->lambda, bytes);
        best = fmin(best, left);
    }
    memcpy(lcp->lambda, held, bytes);
}

// What δ falsifies, taken back where that makes it better; returns by how much it still is.
static double improve(ContactSparse *sparse, double enough)
{
    Lcp *lcp = &sparse->lcp;
    size_t bytes = lcp->count * sizeof *lcp->lambda;
    lcp->phi0 = sparse->phi0;
    clip(sparse);
    double before = miss(lcp);
    memcpy(sparse->shifted, lcp->lambda, bytes);
    if (before <= enough)
        return before;
    take_back(sparse, TOL_POOR * enough);
    clip(sparse);
    double after = miss(lcp);
    if (after < before)
        return after;
    memcpy(lcp->lambda, sparse->shifted, bytes);
    find_rates(sparse);
    return before;
}

// Φ⁰ with what belongs to the λ at hand.
static void shift(ContactSparse *sparse, double added)
{
    Lcp *lcp = &sparse->lcp;
    for (size_t l = 0; l < lcp->count; l++)
        sparse->shifted[l] = sparse->phi0[l] + added * lcp->lambda[l];
    lcp->phi0 = sparse->shifted;
}

// Conditions that depend on each other, or do so nearly, where any λ will do: ½δ|λ − λ'|² is added,
// λ' being the λ found before. That comes to a λ that δ does not falsify, whatever δ is (the
// proximal point method: Rockafellar, SIAM J. Control Optim. 14 (1976) 877); less of it comes there
// sooner. Begins from the λ at hand, and from those that act.
static bool approach(ContactSparse *sparse, double power, double enough)
{
    Lcp *lcp = &sparse->lcp;
    double most = real_largest(lcp->own, lcp->count), before = INFINITY;
    double part = 1.0 / LIMIT_PATIENCE;
    for (size_t i = 0; i <= LIMIT_STEPS; i++) {
        lcp->added = pow(TOL_REGULARIZATION, power) * most;
        shift(sparse, lcp->added);
        if ((i == 0 && !let_act(lcp)) || !lcp_proximal(lcp))
            return false;
        enough = 2 * i < LIMIT_STEPS ? enough : fmax(enough, TOL_RANK);
        double now = improve(sparse, enough);
        if (now <= enough)
            return true;
        if (LIMIT_PATIENCE * now > before)
            power = fmin(power + part, 1 + 2 * part);
        before = now;
    }
    return false;
}

// The same where it must be the λ of least norm: less and less is added.
static bool soften(ContactSparse *sparse)
{
    Lcp *lcp = &sparse->lcp;
    double most = real_largest(lcp->own, lcp->count);
    for (size_t i = 0; i < LIMIT_PATIENCE; i++) {
        lcp->added = pow(TOL_REGULARIZATION, 1 + (double)i / LIMIT_PATIENCE) * most;
        if (!lcp_exchange(lcp, LIMIT_STEPS + lcp->count))
            return false;
        if (improve(sparse, TOL_ZERO) <= TOL_ZERO)
            return true;
    }
    return false;
}

// ---- Who acts.

// Whether all conditions with f'' = 0, those that push among them, are independent.
static bool touch_independently(ContactSparse *sparse)
{
    const Lcp *lcp = &sparse->lcp;
    for (size_t l = 0; l < lcp->count; l++) {
        double away = -lcp->rates[l];
        sparse->touches[l] = lcp->acts[l] || !(away > 0 && lcp_exceeds(lcp, l, away, TOL_RATE));
    }
    sparse->lcp.added = 0;
    return factor(sparse, sparse->touches);
}

// Φ⁰ where the equations act: the motion that is free of one-sided conditions.
static bool find_free_rates(ContactSparse *sparse)
{
    Lcp *lcp = &sparse->lcp;
    for (size_t l = 0; l < lcp->count; l++)
        lcp->acts[l] = l < lcp->equations;
    memcpy(lcp->rates, lcp->phi0, lcp->count * sizeof *lcp->rates);
    if (lcp->equations > 0 && !let_act(lcp))
        return false;
    if (lcp->equations > 0)
        refine(sparse);
    memcpy(sparse->island->free_rates, lcp->rates, lcp->count * sizeof *lcp->rates);
    return true;
}

// Where nobody is known to act, begins from those that the free motion does not release: a rope
// whose upper end is held would else learn of it string by string.
static void begin(ContactSparse *sparse)
{
    Lcp *lcp = &sparse->lcp;
    const bool *acting = sparse->island->acting;
    const double *phi0 = sparse->island->free_rates;
    bool any = false;
    for (size_t l = lcp->equations; l < lcp->count; l++)
        any = any || acting[l];
    for (size_t l = lcp->equations; l < lcp->count; l++)
        lcp->acts[l] = any ? acting[l] : phi0[l] >= -TOL_SUM * lcp->sizes[l];
}

// Those that act with the λ of a state nearby, and those that they do not hold: what is struck.
static void begin_guessed(ContactSparse *sparse)
{
    Lcp *lcp = &sparse->lcp;
    find_rates(sparse);
    for (size_t l = 0; l < lcp->count; l++)
        lcp->acts[l] = lcp->acts[l] || lcp->rates[l] > 0;
}

// A large island from the λ of a state nearby. Conditions whose f'' is off by a thousandth of the
// motion that they change will do: with the λ of one step as λ' of the next that is taken back in
// the steps that follow, and a heap comes to rest exactly.
static bool follow(ContactSparse *sparse)
{
    const Island *island = sparse->island;
    if (!island->guessed || island->equations > 0 || island->n <= SIZE_SPARSE)
        return false;
    begin_guessed(sparse);
    return approach(sparse, 1 - 1.0 / LIMIT_PATIENCE, TOL_COARSE);
}

// 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0: λ, f'', `free_rates` and `unique` of the island.
static bool find_reactions(ContactSparse *sparse)
{
    Lcp *lcp = &sparse->lcp;
    sparse->lcp.added = 0;
    if (!find_free_rates(sparse))
        return false;
    begin(sparse);
    bool any = sparse->island->any_lambda, found = false;
    bool guessed = follow(sparse);
    lcp->added = 0;
    lcp->phi0 = sparse->phi0;
    if (!guessed && (found = lcp_exchange(lcp, LIMIT_STEPS))) {
        refine(sparse);
        clip(sparse);
    } else if (!guessed && any) {
        memset(lcp->lambda, 0, lcp->count * sizeof *lcp->lambda);
        if (!approach(sparse, 1, TOL_RATE))
            return false;
    } else if (!guessed && !soften(sparse)) {
        return false;
    }
    sparse->island->unique = (found || !any) && touch_independently(sparse);
    for (size_t l = 0; l < lcp->count; l++)
        lcp->rates[l] = lcp->acts[l] ? 0 : lcp->rates[l];
    return true;
}

// ---- The whole.

// Takes rounding off what does not push, and moves by what does.
static void keep_answer(ContactSparse *sparse, Island *island)
{
    const Lcp *lcp = &sparse->lcp;
    memcpy(sparse->pull, island->force, island->n * sizeof *sparse->pull);
    for (size_t l = 0; l < island->count; l++) {
        bool equal = l < island->equations;
        bool pushes = equal ? island->lambda[l] != 0
                            : lcp_exceeds(lcp, l, island->lambda[l] * lcp->own[l], TOL_SUM);
        island->lambda[l] = pushes ? island->lambda[l] : 0;
        if (pushes)
            sparse_row_add(&island->rows, l, -island->lambda[l], sparse->pull);
        island->acting[l] = !equal && pushes;
        island->rates[l] = equal || pushes || island->rates[l] > 0 ? 0 : island->rates[l];
    }
    delassus_accelerations(&sparse->delassus, sparse->pull, island->accelerations);
}

bool contact_sparse_solve(ContactSparse *sparse, Island *island)
{
    assert(island->n > 0 && island->inertia.count == island->n);
    assert(island->rows.count == island->count && island->equations <= island->count);
    reserve(sparse, island->n, island->count);
    sparse->island = island;
    if (!delassus_factor_inertia(&sparse->delassus, &island->inertia))
        return false;
    delassus_accelerations(&sparse->delassus, island->force, island->accelerations);
    find_phi(sparse);
    // Φ⁰ of the motion without any condition, and the terms that it is a sum of.
    for (size_t l = 0; l < island->count; l++)
        sparse->phi0[l] = sparse_row_times(&island->rows, l, island->accelerations,
                                           island->drift[l], &sparse->sizes[l]);
    sparse->lcp = (Lcp){.count = island->count,
                        .equations = island->equations,
                        .phi0 = sparse->phi0,
                        .sizes = sparse->sizes,
                        .own = sparse_cholesky_diagonal(sparse->phi),
                        .stride = 1,
                        .acts = sparse->acts,
                        .wrong = sparse->touches,
                        .lambda = island->lambda,
                        .rates = island->rates,
                        .room = sparse->residuals,
                        .let_act = let_act,
                        .find_rates = find_rates_of};
    if (!find_reactions(sparse))
        return false;
    keep_answer(sparse, island);
    return true;
}

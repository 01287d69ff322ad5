// lcp_dense.c: which unilateral conditions act, and how strongly (Mayer 1899, §§ 1–3).
//
// In axes where the inertia is 1 a condition is f''_l = Φ⁰_l + w_l·y ≤ 0, y the departure from the
// free motion, and the least departure is the point nearest to 0 of a polyhedron.
//
// Principal pivoting is tried first, which is quicker and fails where conditions depend on each
// other. All conditions that are on the wrong side change sides at once, and the block of those
// that act is factored anew: a handful of factorizations of a part of Φ, whatever the number of
// conditions. Where that stops making progress, one condition changes at a time, the last first,
// until fewer are wrong than ever before; for a positive Φ that ends.
// Sources of the method: Murty, Opsearch 11 (1974) 123; Kostreva, Linear Algebra Appl. 21 (1978)
// 283; Júdice, Pires, Computers & Operations Research 21 (1994) 587.
#include "contact/contact_impl.h"

#include <assert.h>

struct LcpDense {
    size_t most_size, most_count, most_acting;
    Arena *arena;
    const LcpProblem *problem;
    bool *acts; // the answer:
    double *lambda, *rates;
    double *y;       // the departure from the free motion
    double square;   // |y|²
    size_t *order;   // which conditions act,
    size_t acting;   // how many
    double softness; // what is added to Φ's diagonal, as a part of it
    double *factor;  // acting × acting: L row after row, its diagonal inverted
    double *solved;  // acting: λ of those that act, or what corrects them
    // Made on first need:
    QpDual *qp;
    LeastMultipliers *least;
};

LcpDense *lcp_dense_new(Arena *arena, size_t most_size, size_t most_count)
{
    assert(arena);
    size_t acting = most_size < most_count ? most_size : most_count;
    LcpDense *lcp = arena_alloc(arena, sizeof *lcp);
    *lcp = (LcpDense){.most_size = most_size,
                      .most_count = most_count,
                      .most_acting = acting,
                      .arena = arena,
                      .y = real_alloc(arena, most_size),
                      .order = arena_alloc(arena, (most_count + 1) * sizeof(size_t)),
                      .factor = real_alloc(arena, acting * acting),
                      .solved = real_alloc(arena, acting)};
    return lcp;
}

static const double *normal_of(const LcpDense *lcp, size_t i)
{
    return lcp->problem->normals + i * lcp->problem->size;
}

// Φ_ii.
static double own_of(const LcpDense *lcp, size_t i)
{
    const LcpProblem *problem = lcp->problem;
    const double *w = normal_of(lcp, i);
    return problem->phi ? problem->phi[i * (problem->count + 1)] : real_dot(w, w, problem->size);
}

// Whether x > 0 exceeds a part of the terms that f''_i is a sum of: those of Φ⁰_i, and |w_i||y|.
// Nobody needs a root for that.
static bool exceeds(const LcpDense *lcp, size_t i, double x, double part)
{
    const LcpProblem *problem = lcp->problem;
    double size = problem->sizes ? problem->sizes[i] : fabs(problem->phi0[i]);
    return x > part * size && x * x > part * part * own_of(lcp, i) * lcp->square;
}

// ---- Principal pivoting, for conditions that are independent.

// Lists those that act and gathers their part of Φ. False where there are more than can be
// independent.
static bool gather(LcpDense *lcp)
{
    const LcpProblem *problem = lcp->problem;
    size_t m = 0, *order = lcp->order;
    for (size_t i = 0; i < problem->count; i++) {
        if (!lcp->acts[i])
            continue;
        if (m == lcp->most_acting || (!problem->phi && m == problem->size))
            return false;
        order[m++] = i;
    }
    lcp->acting = m;
    for (size_t i = 0; i < m; i++) {
        double *row = lcp->factor + i * m;
        if (problem->phi) {
            const double *whole = problem->phi + order[i] * problem->count;
            for (size_t j = 0; j <= i; j++)
                row[j] = whole[order[j]];
        } else {
            const double *w = normal_of(lcp, order[i]);
            for (size_t j = 0; j <= i; j++)
                row[j] = real_dot(w, normal_of(lcp, order[j]), problem->size);
        }
        row[i] *= 1 + lcp->softness;
    }
    return true;
}

// f'' = Φ⁰ − Φλ of all conditions, and |y|² = λ·Φλ.
static void find_rates(LcpDense *lcp)
{
    const LcpProblem *problem = lcp->problem;
    size_t count = problem->count, size = problem->size;
    double square = 0;
    memcpy(lcp->rates, problem->phi0, count * sizeof *lcp->rates);
    if (!problem->phi)
        memset(lcp->y, 0, size * sizeof *lcp->y);
    for (size_t c = 0; c < lcp->acting; c++) {
        size_t i = lcp->order[c];
        double push = lcp->lambda[i];
        if (problem->phi)
            real_add_times(-push, problem->phi + i * count, count, lcp->rates);
        else
            real_add_times(-push, normal_of(lcp, i), size, lcp->y);
        square += push * problem->phi0[i];
    }
    for (size_t i = 0; i < count && !problem->phi; i++)
        lcp->rates[i] += real_dot(normal_of(lcp, i), lcp->y, size);
    lcp->square = problem->phi ? square : real_dot(lcp->y, lcp->y, size);
}

// Adds to λ what the factors make of the numbers in `solved`.
static void add_solved(LcpDense *lcp)
{
    assert(lcp->acting <= lcp->most_acting);
    cholesky_solve(lcp->factor, lcp->acting, lcp->solved);
    for (size_t c = 0; c < lcp->acting; c++)
        lcp->lambda[lcp->order[c]] += lcp->solved[c];
    find_rates(lcp);
}

// λ and f'' where those marked act and no others. False where their block is not safely positive.
static bool let_act(LcpDense *lcp)
{
    memset(lcp->lambda, 0, lcp->problem->count * sizeof *lcp->lambda);
    if (!gather(lcp) || !cholesky_factor(lcp->factor, lcp->acting, lcp->acting, TOL_RANK))
        return false;
    for (size_t c = 0; c < lcp->acting; c++)
        lcp->solved[c] = lcp->problem->phi0[lcp->order[c]];
    add_solved(lcp);
    return true;
}

static bool is_wrong(const LcpDense *lcp, size_t i)
{
    double push = lcp->lambda[i], rate = lcp->rates[i];
    if (lcp->acts[i])
        return push < 0 && push * push * own_of(lcp, i) > TOL_SUM * TOL_SUM * lcp->square;
    return rate > 0 && exceeds(lcp, i, rate, TOL_SUM);
}

// Exchanges blocks until nobody is on the wrong side.
static bool exchange(LcpDense *lcp, double softness)
{
    size_t count = lcp->problem->count, best = count + 1, patience = LIMIT_PATIENCE;
    lcp->softness = softness;
    for (size_t round = 0; round < LIMIT_STEPS; round++) {
        if (!let_act(lcp))
            return false;
        size_t wrong = 0, last = count;
        for (size_t i = 0; i < count; i++)
            if (is_wrong(lcp, i)) {
                wrong++;
                last = i;
            }
        if (wrong == 0)
            return true;
        bool whole = wrong < best || patience > 0;
        patience = wrong < best ? LIMIT_PATIENCE : patience - (patience > 0);
        best = wrong < best ? wrong : best;
        for (size_t i = whole ? 0 : last; i <= last; i++)
            if (is_wrong(lcp, i))
                lcp->acts[i] = !lcp->acts[i];
    }
    return false;
}

// Takes off what rounding left, and puts exact zeros where they belong.
static void polish(LcpDense *lcp)
{
    bool missed = false;
    for (size_t c = 0; c < lcp->acting; c++) {
        size_t i = lcp->order[c];
        lcp->solved[c] = lcp->rates[i];
        missed = missed || exceeds(lcp, i, fabs(lcp->rates[i]), TOL_SUM);
    }
    if (missed)
        add_solved(lcp);
    for (size_t i = 0; i < lcp->problem->count; i++) {
        lcp->lambda[i] = real_max(lcp->lambda[i], 0);
        lcp->rates[i] = lcp->acts[i] ? 0 : lcp->rates[i];
    }
}

// False where a block is singular or the exchanges do not end; the marks are then a guess.
static bool solve_by_pivoting(LcpDense *lcp)
{
    bool solved = exchange(lcp, 0);
    if (!solved && lcp->problem->count > SIZE_SMALL) {
        // Soft conditions are always independent, and nearly the same ones act.
        exchange(lcp, TOL_POOR);
        solved = exchange(lcp, 0);
    }
    if (solved)
        polish(lcp);
    return solved;
}

// ---- Step by step, whatever depends on whatever.

static SolveOutcome solve_carefully(LcpDense *lcp, size_t *row)
{
    const LcpProblem *problem = lcp->problem;
    if (!lcp->qp)
        lcp->qp = qp_dual_new(lcp->arena, lcp->most_size, lcp->most_count);
    QpProblem qp = {.size = problem->size,
                    .count = problem->count,
                    .normals = problem->normals,
                    .offsets = problem->phi0,
                    .sizes = problem->sizes};
    SolveOutcome outcome = qp_dual_solve(lcp->qp, &qp, lcp->acts, lcp->lambda, lcp->y, row);
    for (size_t i = 0; i < problem->count && outcome == SOLVE_DONE; i++) {
        double moved = lcp->acts[i] ? 0 : real_dot(normal_of(lcp, i), lcp->y, problem->size);
        lcp->rates[i] = lcp->acts[i] ? 0 : problem->phi0[i] + moved;
    }
    return outcome;
}

// ---- Multipliers.

// λ·Φλ = λ·Φ⁰, since f'' = 0 wherever λ > 0.
static void find_square(LcpDense *lcp)
{
    lcp->square = real_max(real_dot(lcp->lambda, lcp->problem->phi0, lcp->problem->count), 0);
}

static void take_rounding_off(LcpDense *lcp, size_t i)
{
    if (!exceeds(lcp, i, lcp->lambda[i] * own_of(lcp, i), TOL_SUM))
        lcp->lambda[i] = 0;
}

// Lists the conditions with f'' = 0, who push or could, and takes rounding off what should vanish.
// Returns how many.
static size_t find_touching(LcpDense *lcp)
{
    size_t found = 0;
    find_square(lcp);
    for (size_t i = 0; i < lcp->problem->count; i++) {
        double away = -lcp->rates[i];
        if (!lcp->acts[i] && away > 0 && exceeds(lcp, i, away, TOL_RATE))
            continue;
        take_rounding_off(lcp, i);
        lcp->rates[i] = 0;
        lcp->order[found++] = i;
    }
    return found;
}

// Who pushes, and how, among `touching` conditions that may depend on each other. Returns whether
// there is only one way.
static bool share(LcpDense *lcp, size_t touching)
{
    assert(touching <= lcp->problem->count);
    const LcpProblem *problem = lcp->problem;
    if (!lcp->least)
        lcp->least = least_multipliers_new(lcp->arena, lcp->most_size, lcp->most_count);
    if (problem->phi)
        memset(lcp->y, 0, problem->size * sizeof *lcp->y);
    for (size_t i = 0; i < problem->count && problem->phi; i++)
        real_add_times(-lcp->lambda[i], normal_of(lcp, i), problem->size, lcp->y);
    bool unique = least_multipliers_find(lcp->least, problem->normals, problem->size, lcp->order,
                                         touching, lcp->y, lcp->lambda);
    find_square(lcp);
    for (size_t k = 0; k < touching; k++)
        take_rounding_off(lcp, lcp->order[k]);
    return unique;
}

// ---- The whole.

// Mayer's case r = 1: it acts where Φ⁰ > 0.
static ContactReport solve_one(const LcpProblem *problem, bool *acting, double *lambda,
                               double *rates)
{
    double phi0 = *problem->phi0, size = problem->sizes ? *problem->sizes : fabs(phi0);
    *acting = phi0 > TOL_SUM * size;
    *lambda = *acting ? phi0 / *problem->phi : 0;
    *rates = phi0 < -TOL_RATE * size ? phi0 : 0;
    return (ContactReport){
        .outcome = SOLVE_DONE, .unique = true, .acting = *acting, .constraint = *lambda * phi0 / 2};
}

// Where nobody is known to act, begins from those that the free motion breaks.
static void begin(const LcpProblem *problem, bool *acting)
{
    bool any = false;
    for (size_t i = 0; i < problem->count; i++)
        any = any || acting[i];
    for (size_t i = 0; i < problem->count && !any; i++)
        acting[i] = problem->phi0[i] > 0;
}

ContactReport lcp_dense_solve(LcpDense *lcp, const LcpProblem *problem, bool *acting,
                              double *lambda, double *rates, double **y)
{
    size_t count = problem->count, independent = 0;
    assert(count <= lcp->most_count && problem->size <= lcp->most_size);
    ContactReport report = {.outcome = SOLVE_DONE, .unique = true};
    *y = lcp->y;
    if (!real_all_finite(problem->phi0, count) ||
        !(problem->phi ? real_all_finite(problem->phi, count * count)
                       : real_all_finite(problem->normals, count * problem->size))) {
        report.outcome = SOLVE_NOT_FINITE;
        return report;
    }
    if (count == 1 && problem->phi && *problem->phi > 0)
        return solve_one(problem, acting, lambda, rates);
    lcp->problem = problem;
    lcp->acts = acting;
    lcp->lambda = lambda;
    lcp->rates = rates;
    begin(problem, acting);
    if (!solve_by_pivoting(lcp)) {
        report.outcome = solve_carefully(lcp, &report.row);
        if (report.outcome != SOLVE_DONE)
            return report;
    }
    for (size_t i = 0; i < count; i++)
        independent += acting[i];
    size_t touching = find_touching(lcp);
    if (touching > independent)
        report.unique = share(lcp, touching);
    find_square(lcp);
    report.constraint = lcp->square / 2;
    for (size_t i = 0; i < count; i++) {
        acting[i] = lambda[i] > 0;
        report.acting += acting[i];
    }
    return report;
}

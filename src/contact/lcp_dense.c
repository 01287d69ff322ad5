// lcp_dense.c: which unilateral conditions act, and how strongly (Mayer 1899, §§ 1–3).
//
// In axes where the inertia is 1 a condition is f''_l = Φ⁰_l + w_l·y ≤ 0, y the departure from the
// free motion, and the least departure is the point nearest to 0 of a polyhedron.
//
// Principal pivoting is tried first (lcp_pivoting.c), which is quicker and fails where conditions
// depend on each other.
#include "contact/contact_impl.h"

#include <assert.h>

struct LcpDense {
    Lcp lcp; // first, so that let_act finds the rest
    size_t most_size, most_count, most_acting;
    const LcpProblem *problem;
    const double *phi; // Φ
    double *made;      // Φ where it was not given
    double *y;         // the departure from the free motion
    size_t *order;     // which conditions act,
    size_t acting;     // how many
    bool *wrong;
    double softness; // what is added to Φ's diagonal, as a part of it
    double *factor;  // acting × acting: L row after row, its diagonal inverted
    double *solved;  // acting: λ of those that act, or what corrects them
};

LcpDense *lcp_dense_new(Arena *arena, size_t most_size, size_t most_count)
{
    assert(arena);
    size_t acting = most_size < most_count ? most_size : most_count;
    LcpDense *dense = arena_alloc(arena, sizeof *dense);
    *dense = (LcpDense){.most_size = most_size,
                        .most_count = most_count,
                        .most_acting = acting,
                        .made = real_alloc(arena, most_count * most_count),
                        .y = real_alloc(arena, most_size),
                        .order = arena_alloc(arena, (most_count + 1) * sizeof(size_t)),
                        .wrong = arena_array(arena, bool, most_count),
                        .factor = real_alloc(arena, acting * acting),
                        .solved = real_alloc(arena, acting)};
    return dense;
}

static const double *normal_of(const LcpDense *dense, size_t i)
{
    return dense->problem->normals + i * dense->problem->size;
}

static const double *find_phi(LcpDense *dense)
{
    size_t count = dense->problem->count, size = dense->problem->size;
    double *phi = dense->made;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            phi[i * count + j] = phi[j * count + i] =
                real_dot(normal_of(dense, i), normal_of(dense, j), size);
    return phi;
}

// ---- Principal pivoting, for conditions that are independent.

// Lists those that act and gathers their part of Φ. False where there are more than can be
// independent, unless they are soft.
static bool gather(LcpDense *dense)
{
    size_t count = dense->problem->count, m = 0, *order = dense->order;
    size_t most = dense->softness > 0 ? dense->most_acting : dense->problem->size;
    for (size_t i = 0; i < count; i++) {
        if (!dense->lcp.acts[i])
            continue;
        if (m == most)
            return false;
        order[m++] = i;
    }
    dense->acting = m;
    for (size_t i = 0; i < m; i++) {
        double *row = dense->factor + i * m;
        for (size_t j = 0; j <= i; j++)
            row[j] = dense->phi[order[i] * count + order[j]];
        row[i] *= 1 + dense->softness;
    }
    return true;
}

// Adds to λ what the factors make of the numbers in `solved`; f'' = Φ⁰ − Φλ of all conditions, and
// λ·Φλ.
static void add_solved(LcpDense *dense)
{
    Lcp *lcp = &dense->lcp;
    cholesky_solve(dense->factor, dense->acting, dense->solved);
    memcpy(lcp->rates, lcp->phi0, lcp->count * sizeof *lcp->rates);
    lcp->square = 0;
    for (size_t c = 0; c < dense->acting; c++) {
        size_t i = dense->order[c];
        lcp->lambda[i] += dense->solved[c];
        lcp->square += lcp->lambda[i] * lcp->phi0[i];
        real_add_times(-lcp->lambda[i], dense->phi + i * lcp->count, lcp->count, lcp->rates);
    }
}

static bool let_act(Lcp *lcp)
{
    LcpDense *dense = (LcpDense *)lcp;
    memset(lcp->lambda, 0, lcp->count * sizeof *lcp->lambda);
    if (!gather(dense) || !cholesky_factor(dense->factor, dense->acting, dense->acting, TOL_RANK))
        return false;
    for (size_t c = 0; c < dense->acting; c++)
        dense->solved[c] = lcp->phi0[dense->order[c]];
    add_solved(dense);
    return true;
}

// Takes off what rounding left, and puts exact zeros where they belong.
static void polish(LcpDense *dense)
{
    Lcp *lcp = &dense->lcp;
    bool missed = false;
    for (size_t c = 0; c < dense->acting; c++) {
        size_t i = dense->order[c];
        dense->solved[c] = lcp->rates[i];
        missed = missed || lcp_exceeds(lcp, i, fabs(lcp->rates[i]), TOL_SUM);
    }
    if (missed)
        add_solved(dense);
    for (size_t i = 0; i < lcp->count; i++) {
        lcp->lambda[i] = real_max(lcp->lambda[i], 0);
        lcp->rates[i] = lcp->acts[i] ? 0 : lcp->rates[i];
    }
}

// False where a block is singular or the exchanges do not end; the marks are then a guess.
static bool solve_by_pivoting(LcpDense *dense)
{
    dense->softness = 0;
    bool solved = lcp_exchange(&dense->lcp, LIMIT_STEPS);
    if (!solved && dense->problem->count > SIZE_SMALL) {
        // Soft conditions are always independent, and nearly the same ones act.
        dense->softness = TOL_POOR;
        lcp_exchange(&dense->lcp, LIMIT_STEPS);
        dense->softness = 0;
        solved = lcp_exchange(&dense->lcp, LIMIT_STEPS);
    }
    if (solved)
        polish(dense);
    return solved;
}

static void find_departure(LcpDense *dense)
{
    size_t size = dense->problem->size;
    memset(dense->y, 0, size * sizeof *dense->y);
    for (size_t i = 0; i < dense->lcp.count; i++)
        if (dense->lcp.lambda[i] > 0)
            real_add_times(-dense->lcp.lambda[i], normal_of(dense, i), size, dense->y);
}

// ---- Step by step, whatever depends on whatever.

static SolveOutcome solve_carefully(LcpDense *dense, size_t *row)
{
    const LcpProblem *problem = dense->problem;
    Lcp *lcp = &dense->lcp;
    Arena *arena = arena_new();
    SolveOutcome outcome = qp_dual_solve(arena, problem, lcp->acts, lcp->lambda, dense->y, row);
    arena_free(arena);
    for (size_t i = 0; i < problem->count && outcome == SOLVE_DONE; i++) {
        double moved = lcp->acts[i] ? 0 : real_dot(normal_of(dense, i), dense->y, problem->size);
        lcp->rates[i] = lcp->acts[i] ? 0 : problem->phi0[i] + moved;
    }
    return outcome;
}

// ---- Multipliers.

// λ·Φλ = λ·Φ⁰, since f'' = 0 wherever λ > 0.
static void find_square(Lcp *lcp)
{
    lcp->square = real_max(real_dot(lcp->lambda, lcp->phi0, lcp->count), 0);
}

static void take_rounding_off(Lcp *lcp, size_t i)
{
    if (!lcp_exceeds(lcp, i, lcp->lambda[i] * lcp->own[i * lcp->stride], TOL_SUM))
        lcp->lambda[i] = 0;
}

// Lists the conditions with f'' = 0, who push or could, and takes rounding off what should vanish.
// Returns how many.
static size_t find_touching(LcpDense *dense)
{
    Lcp *lcp = &dense->lcp;
    size_t found = 0;
    find_square(lcp);
    for (size_t i = 0; i < lcp->count; i++) {
        double away = -lcp->rates[i];
        if (!lcp->acts[i] && away > 0 && lcp_exceeds(lcp, i, away, TOL_RATE))
            continue;
        take_rounding_off(lcp, i);
        lcp->rates[i] = 0;
        dense->order[found++] = i;
    }
    return found;
}

// Who pushes, and how, among `touching` conditions that may depend on each other. Returns whether
// there is only one way.
static bool share(LcpDense *dense, size_t touching)
{
    assert(touching <= dense->problem->count);
    bool unique = least_multipliers_find(dense->problem->normals, dense->problem->size,
                                         dense->order, touching, dense->y, dense->lcp.lambda);
    find_square(&dense->lcp);
    for (size_t k = 0; k < touching; k++)
        take_rounding_off(&dense->lcp, dense->order[k]);
    return unique;
}

// ---- The whole.

// Mayer's case r = 1: it acts where Φ⁰ > 0.
static void solve_one(LcpDense *dense, bool departs)
{
    Lcp *lcp = &dense->lcp;
    double phi0 = *lcp->phi0, size = lcp->sizes ? *lcp->sizes : fabs(phi0);
    *lcp->acts = phi0 > TOL_SUM * size;
    *lcp->lambda = *lcp->acts ? phi0 / *dense->phi : 0;
    *lcp->rates = phi0 < -TOL_RATE * size ? phi0 : 0;
    if (departs)
        find_departure(dense);
}

// Where nobody is known to act, begins from those that the free motion breaks.
static void begin(Lcp *lcp)
{
    bool any = false;
    for (size_t i = 0; i < lcp->count; i++)
        any = any || lcp->acts[i];
    for (size_t i = 0; i < lcp->count && !any; i++)
        lcp->acts[i] = lcp->phi0[i] > 0;
}

static SolveOutcome solve(LcpDense *dense, bool departs, ContactReport *report)
{
    Lcp *lcp = &dense->lcp;
    size_t independent = 0;
    begin(lcp);
    bool pivoted = solve_by_pivoting(dense);
    SolveOutcome outcome = pivoted ? SOLVE_DONE : solve_carefully(dense, &report->row);
    if (outcome != SOLVE_DONE)
        return outcome;
    for (size_t i = 0; i < lcp->count; i++)
        independent += lcp->acts[i];
    size_t touching = find_touching(dense);
    if (pivoted && (departs || touching > independent))
        find_departure(dense);
    if (touching > independent)
        report->unique = share(dense, touching);
    return outcome;
}

ContactReport lcp_dense_solve(LcpDense *dense, const LcpProblem *problem, bool *acting,
                              double *lambda, double *rates, double **y)
{
    size_t count = problem->count;
    assert(count <= dense->most_count && problem->size <= dense->most_size);
    ContactReport report = {.outcome = SOLVE_DONE, .unique = true};
    dense->problem = problem;
    dense->phi = problem->phi ? problem->phi : find_phi(dense);
    dense->lcp = (Lcp){.count = count,
                       .phi0 = problem->phi0,
                       .sizes = problem->sizes,
                       .own = dense->phi,
                       .stride = count + 1,
                       .acts = acting,
                       .wrong = dense->wrong,
                       .lambda = lambda,
                       .rates = rates,
                       .let_act = let_act};
    if (!real_all_finite(problem->phi0, count) || !real_all_finite(dense->phi, count * count))
        report.outcome = SOLVE_NOT_FINITE;
    else if (count == 1 && *dense->phi > 0)
        solve_one(dense, y);
    else
        report.outcome = solve(dense, y, &report);
    if (report.outcome != SOLVE_DONE)
        return report;
    if (y)
        *y = dense->y;
    find_square(&dense->lcp);
    report.constraint = dense->lcp.square / 2;
    for (size_t i = 0; i < count; i++) {
        acting[i] = lambda[i] > 0;
        report.acting += acting[i];
    }
    return report;
}

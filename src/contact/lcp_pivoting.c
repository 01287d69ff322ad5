// lcp_pivoting.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 by principal pivoting, whole blocks at a time.
//
// All conditions that are on the wrong side change sides at once, and the block of those that act
// is factored anew: a handful of factorizations of a part of Φ, whatever the number of conditions.
// Where that stops making progress, one condition changes at a time, the last first, until fewer
// are wrong than ever before; for a positive Φ that ends.
// Sources of the method: Murty, Opsearch 11 (1974) 123; Kostreva, Linear Algebra Appl. 21 (1978)
// 283; Júdice, Pires, Computers & Operations Research 21 (1994) 587.
#include "contact/contact_impl.h"

#include <string.h>

struct Pivoting {
    size_t most_acting;
    double *factor;  // acting × acting: L row after row
    double *inverse; // acting: 1 / L's diagonal
    double *solved;  // acting: λ of those that act, or what corrects them
    size_t *order;   // acting: which conditions
    size_t acting;
    double square;   // |y|²
    double softness; // what is added to Φ's diagonal, as a part of it
};

Pivoting *pivoting_new(Arena *arena, size_t most_acting)
{
    Pivoting *pivoting = arena_alloc(arena, sizeof *pivoting);
    pivoting->most_acting = most_acting;
    pivoting->factor = real_alloc(arena, most_acting * most_acting);
    pivoting->inverse = real_alloc(arena, most_acting);
    pivoting->solved = real_alloc(arena, most_acting);
    pivoting->order = arena_alloc(arena, (most_acting + 1) * sizeof *pivoting->order);
    return pivoting;
}

static const double *normal_of(const LcpProblem *problem, size_t i)
{
    return problem->normals + i * problem->size;
}

// ---- The block of those that act.

// Lists them and gathers their part of Φ. False where there are more than can be independent.
static bool gather(Pivoting *pivoting, const LcpProblem *problem, const bool *acting)
{
    size_t m = 0, *order = pivoting->order;
    for (size_t i = 0; i < problem->count; i++) {
        if (!acting[i])
            continue;
        if (m == pivoting->most_acting || (!problem->phi && m == problem->size))
            return false;
        order[m++] = i;
    }
    pivoting->acting = m;
    for (size_t i = 0; i < m; i++) {
        double *row = pivoting->factor + i * m;
        if (problem->phi) {
            const double *whole = problem->phi + order[i] * problem->count;
            for (size_t j = 0; j <= i; j++)
                row[j] = whole[order[j]];
        } else {
            const double *w = normal_of(problem, order[i]);
            for (size_t j = 0; j <= i; j++)
                row[j] = real_dot(w, normal_of(problem, order[j]), problem->size);
        }
        row[i] *= 1 + pivoting->softness;
    }
    return true;
}

static void solve_block(Pivoting *pivoting)
{
    cholesky_solve(pivoting->factor, pivoting->acting, pivoting->inverse, pivoting->solved);
}

// ---- The motion that belongs to λ.

// f'' = Φ⁰ − Φλ of all conditions, and |y|² = λ·Φλ.
static void find_rates(Pivoting *pivoting, const LcpProblem *problem, const double *lambda,
                       double *rates, double *y)
{
    size_t count = problem->count, size = problem->size;
    double square = 0;
    memcpy(rates, problem->phi0, count * sizeof *rates);
    if (problem->phi) {
        for (size_t c = 0; c < pivoting->acting; c++) {
            size_t i = pivoting->order[c];
            real_add_times(-lambda[i], problem->phi + i * count, count, rates);
            square += lambda[i] * problem->phi0[i];
        }
    } else {
        memset(y, 0, size * sizeof *y);
        for (size_t c = 0; c < pivoting->acting; c++) {
            size_t i = pivoting->order[c];
            real_add_times(-lambda[i], normal_of(problem, i), size, y);
        }
        for (size_t i = 0; i < count; i++)
            rates[i] += real_dot(normal_of(problem, i), y, size);
        square = real_dot(y, y, size);
    }
    pivoting->square = square;
}

// λ and f'' where those marked act and no others. False where their block is not safely positive.
static bool let_act(Pivoting *pivoting, const LcpProblem *problem, const bool *acting,
                    double *lambda, double *rates, double *y)
{
    memset(lambda, 0, problem->count * sizeof *lambda);
    if (!gather(pivoting, problem, acting) ||
        !cholesky_factor(pivoting->factor, pivoting->acting, TOL_PIVOT, pivoting->inverse))
        return false;
    for (size_t c = 0; c < pivoting->acting; c++)
        pivoting->solved[c] = problem->phi0[pivoting->order[c]];
    solve_block(pivoting);
    for (size_t c = 0; c < pivoting->acting; c++)
        lambda[pivoting->order[c]] = pivoting->solved[c];
    find_rates(pivoting, problem, lambda, rates, y);
    return true;
}

static bool is_wrong(const Pivoting *pivoting, const LcpProblem *problem, size_t i,
                     const bool *acting, const double *lambda, const double *rates)
{
    const double part = TOL_SUM, square = pivoting->square;
    if (acting[i])
        return lambda[i] < 0 && lambda[i] * lambda[i] * lcp_own(problem, i) > part * part * square;
    return rates[i] > 0 && lcp_exceeds(problem, i, rates[i], part, square);
}

// Takes off what rounding left, and puts exact zeros where they belong.
static void polish(Pivoting *pivoting, const LcpProblem *problem, const bool *acting,
                   double *lambda, double *rates, double *y)
{
    bool missed = false;
    for (size_t c = 0; c < pivoting->acting; c++) {
        size_t i = pivoting->order[c];
        pivoting->solved[c] = rates[i];
        missed = missed || lcp_exceeds(problem, i, fabs(rates[i]), TOL_SUM, pivoting->square);
    }
    if (missed) {
        solve_block(pivoting);
        for (size_t c = 0; c < pivoting->acting; c++)
            lambda[pivoting->order[c]] += pivoting->solved[c];
        find_rates(pivoting, problem, lambda, rates, y);
    }
    for (size_t i = 0; i < problem->count; i++) {
        lambda[i] = real_max(lambda[i], 0);
        rates[i] = acting[i] ? 0 : rates[i];
    }
}

// Exchanges blocks until nobody is on the wrong side.
static bool exchange(Pivoting *pivoting, const LcpProblem *problem, bool *acting, double *lambda,
                     double *rates, double *y)
{
    size_t count = problem->count, best = count + 1, patience = LIMIT_PATIENCE;
    for (size_t round = 0; round < LIMIT_STEPS; round++) {
        if (!let_act(pivoting, problem, acting, lambda, rates, y))
            return false;
        size_t wrong = 0, last = count;
        for (size_t i = 0; i < count; i++)
            if (is_wrong(pivoting, problem, i, acting, lambda, rates)) {
                wrong++;
                last = i;
            }
        if (wrong == 0)
            return true;
        bool whole = wrong < best || patience > 0;
        patience = wrong < best ? LIMIT_PATIENCE : patience - (patience > 0);
        best = wrong < best ? wrong : best;
        if (!whole)
            acting[last] = !acting[last];
        for (size_t i = 0; i < count && whole; i++)
            if (is_wrong(pivoting, problem, i, acting, lambda, rates))
                acting[i] = !acting[i];
    }
    return false;
}

bool pivoting_solve(Pivoting *pivoting, const LcpProblem *problem, bool *acting, double *lambda,
                    double *rates, double *y)
{
    pivoting->softness = 0;
    bool solved = exchange(pivoting, problem, acting, lambda, rates, y);
    if (!solved && problem->count > SIZE_SMALL) {
        // Soft conditions are always independent, and nearly the same ones act.
        pivoting->softness = 1e-2;
        exchange(pivoting, problem, acting, lambda, rates, y);
        pivoting->softness = 0;
        solved = exchange(pivoting, problem, acting, lambda, rates, y);
    }
    if (solved)
        polish(pivoting, problem, acting, lambda, rates, y);
    return solved;
}

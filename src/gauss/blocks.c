// blocks.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 by principal pivoting, whole blocks at a time.
//
// All conditions that are on the wrong side change sides at once, and the block of those that act
// is factored anew: a handful of factorizations of a part of Φ, whatever the number of conditions.
// Where that stops making progress, one condition changes at a time, the last first, until fewer
// are wrong than ever before; for a positive Φ that ends.
// Sources of the method: Murty, Opsearch 11 (1974) 123; Kostreva, Linear Algebra Appl. 21 (1978)
// 283; Júdice, Pires, Computers & Operations Research 21 (1994) 587.
#include "gauss/gauss_impl.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

// So many exchanges of whole blocks may fail to make progress in a row.
#define PATIENCE 8
// So many factorizations, and no more: beyond it the other method is quicker.
#define MOST_ROUNDS 60
// What counts as the wrong side, against the terms at hand.
#define WRONG 4e-14
// Rounding in what should vanish that is worth a correction, against the terms at hand.
#define MISSED 1e-14
// A pivot, against the diagonal that it began as, below which a block is called singular. It is a
// square: conditions that stand off each other by less than its root go the careful way.
#define LEAST_PIVOT 1e-9
// How much softer conditions are made where they depend on each other, to guess which of them act.
#define SOFT 1e-2
// Up to this size plain loops are quicker than LAPACK.
#define FEW 32

struct Blocks {
    size_t most_acting;
    double *factor;   // acting × acting: Lᵀ as LAPACK sees it, L row after row
    double *diagonal; // acting: Φ's, and then 1 / L's
    double *solved;   // acting: λ of those that act, or what corrects them
    double *y;        // the departure from the free motion, where normals are given
    size_t *order;    // acting: which conditions
    size_t acting;
    double square;   // |y|²
    double softness; // what is added to Φ's diagonal, as a part of it
};

Blocks *blocks_new(size_t most_acting, size_t most_size)
{
    size_t most = most_acting + 1;
    Blocks *blocks = base_alloc(sizeof *blocks);
    blocks->most_acting = most_acting;
    blocks->factor = base_alloc(most * most * sizeof(double));
    blocks->diagonal = base_alloc(most * sizeof(double));
    blocks->solved = base_alloc(most * sizeof(double));
    blocks->y = base_alloc((most_size + 1) * sizeof(double));
    blocks->order = base_alloc(most * sizeof *blocks->order);
    return blocks;
}

void blocks_free(Blocks *blocks)
{
    if (!blocks)
        return;
    base_free(blocks->factor);
    base_free(blocks->diagonal);
    base_free(blocks->solved);
    base_free(blocks->y);
    base_free(blocks->order);
    base_free(blocks);
}

static const double *normal_of(const GaussSidesProblem *problem, size_t i)
{
    return problem->normals + i * problem->size;
}

// ---- The block of those that act.

// Lists them and gathers their part of Φ. False where there are more than can be independent.
static bool gather(Blocks *blocks, const GaussSidesProblem *problem, const bool *acting)
{
    size_t m = 0;
    for (size_t i = 0; i < problem->count; i++) {
        if (!acting[i])
            continue;
        if (m == blocks->most_acting || (!problem->phi && m == problem->size))
            return false;
        blocks->order[m++] = i;
    }
    blocks->acting = m;
    for (size_t i = 0; i < m; i++) {
        double *row = blocks->factor + i * m;
        if (problem->phi) {
            const double *whole = problem->phi + blocks->order[i] * problem->count;
            for (size_t j = 0; j <= i; j++)
                row[j] = whole[blocks->order[j]];
        } else {
            const double *w = normal_of(problem, blocks->order[i]);
            for (size_t j = 0; j <= i; j++)
                row[j] = real_dot(w, normal_of(problem, blocks->order[j]), problem->size);
        }
        blocks->diagonal[i] = row[i] *= 1 + blocks->softness;
    }
    return true;
}

// Cholesky's factors of a small block, with 1 / L_ii in `diagonal`.
static bool factor_few(Blocks *blocks)
{
    size_t m = blocks->acting;
    for (size_t i = 0; i < m; i++) {
        double *row = blocks->factor + i * m, pivot = row[i];
        for (size_t j = 0; j < i; j++) {
            const double *other = blocks->factor + j * m;
            row[j] = (row[j] - real_dot(row, other, j)) * blocks->diagonal[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > LEAST_PIVOT * blocks->diagonal[i]))
            return false;
        row[i] = sqrt(pivot);
        blocks->diagonal[i] = 1 / row[i];
    }
    return true;
}

static bool factor_many(Blocks *blocks)
{
    size_t m = blocks->acting;
    lapack_int order = (lapack_int)m;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', order, blocks->factor, order) != 0)
        return false;
    for (size_t i = 0; i < m; i++) {
        double pivot = blocks->factor[i * m + i];
        if (!(pivot * pivot > LEAST_PIVOT * blocks->diagonal[i]))
            return false;
        blocks->diagonal[i] = 1 / pivot;
    }
    return true;
}

// `solved` by the block's factors, in place.
static void solve_block(Blocks *blocks)
{
    size_t m = blocks->acting;
    double *x = blocks->solved;
    for (size_t i = 0; i < m; i++)
        x[i] = (x[i] - real_dot(blocks->factor + i * m, x, i)) * blocks->diagonal[i];
    for (size_t i = m; i-- > 0;) {
        x[i] *= blocks->diagonal[i];
        real_add_times(-x[i], blocks->factor + i * m, i, x);
    }
}

// ---- The motion that belongs to λ.

// f'' = Φ⁰ − Φλ of all conditions, and |y|² = λ·Φλ.
static void find_rates(Blocks *blocks, const GaussSidesProblem *problem, const double *lambda,
                       double *rates)
{
    size_t count = problem->count, size = problem->size;
    double square = 0;
    memcpy(rates, problem->phi0, count * sizeof *rates);
    if (problem->phi) {
        for (size_t c = 0; c < blocks->acting; c++) {
            size_t i = blocks->order[c];
            real_add_times(-lambda[i], problem->phi + i * count, count, rates);
            square += lambda[i] * problem->phi0[i];
        }
    } else {
        memset(blocks->y, 0, size * sizeof *blocks->y);
        for (size_t c = 0; c < blocks->acting; c++)
            real_add_times(-lambda[blocks->order[c]], normal_of(problem, blocks->order[c]), size,
                           blocks->y);
        for (size_t i = 0; i < count; i++)
            rates[i] += real_dot(normal_of(problem, i), blocks->y, size);
        square = real_dot(blocks->y, blocks->y, size);
    }
    blocks->square = square;
}

// λ and f'' where those marked act and no others. False where their block is not safely positive.
static bool let_act(Blocks *blocks, const GaussSidesProblem *problem, const bool *acting,
                    double *lambda, double *rates)
{
    memset(lambda, 0, problem->count * sizeof *lambda);
    if (!gather(blocks, problem, acting) ||
        !(blocks->acting <= FEW ? factor_few(blocks) : factor_many(blocks)))
        return false;
    for (size_t c = 0; c < blocks->acting; c++)
        blocks->solved[c] = problem->phi0[blocks->order[c]];
    solve_block(blocks);
    for (size_t c = 0; c < blocks->acting; c++)
        lambda[blocks->order[c]] = blocks->solved[c];
    find_rates(blocks, problem, lambda, rates);
    return true;
}

static bool is_wrong(const Blocks *blocks, const GaussSidesProblem *problem, size_t i,
                     const bool *acting, const double *lambda, const double *rates)
{
    if (acting[i])
        return lambda[i] < 0 &&
               lambda[i] * lambda[i] * sides_own(problem, i) > WRONG * WRONG * blocks->square;
    return rates[i] > 0 && sides_exceed(problem, i, rates[i], WRONG, blocks->square);
}

// Takes off what rounding left, and puts exact zeros where they belong.
static void polish(Blocks *blocks, const GaussSidesProblem *problem, const bool *acting,
                   double *lambda, double *rates)
{
    bool missed = false;
    for (size_t c = 0; c < blocks->acting; c++) {
        size_t i = blocks->order[c];
        blocks->solved[c] = rates[i];
        missed = missed || sides_exceed(problem, i, fabs(rates[i]), MISSED, blocks->square);
    }
    if (missed) {
        solve_block(blocks);
        for (size_t c = 0; c < blocks->acting; c++)
            lambda[blocks->order[c]] += blocks->solved[c];
        find_rates(blocks, problem, lambda, rates);
    }
    for (size_t i = 0; i < problem->count; i++) {
        lambda[i] = real_max(lambda[i], 0);
        rates[i] = acting[i] ? 0 : rates[i];
    }
}

// Exchanges blocks until nobody is on the wrong side.
static bool exchange(Blocks *blocks, const GaussSidesProblem *problem, bool *acting, double *lambda,
                     double *rates)
{
    size_t count = problem->count, best = count + 1, patience = PATIENCE;
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        if (!let_act(blocks, problem, acting, lambda, rates))
            return false;
        size_t wrong = 0, last = count;
        for (size_t i = 0; i < count; i++)
            if (is_wrong(blocks, problem, i, acting, lambda, rates)) {
                wrong++;
                last = i;
            }
        if (wrong == 0)
            return true;
        bool whole = wrong < best || patience > 0;
        patience = wrong < best ? PATIENCE : patience - (patience > 0);
        best = wrong < best ? wrong : best;
        if (!whole)
            acting[last] = !acting[last];
        for (size_t i = 0; i < count && whole; i++)
            if (is_wrong(blocks, problem, i, acting, lambda, rates))
                acting[i] = !acting[i];
    }
    return false;
}

bool blocks_solve(Blocks *blocks, const GaussSidesProblem *problem, bool *acting, double *lambda,
                  double *rates)
{
    blocks->softness = 0;
    bool solved = exchange(blocks, problem, acting, lambda, rates);
    if (!solved && problem->count > FEW) {
        // Soft conditions are always independent, and nearly the same ones act.
        blocks->softness = SOFT;
        exchange(blocks, problem, acting, lambda, rates);
        blocks->softness = 0;
        solved = exchange(blocks, problem, acting, lambda, rates);
    }
    if (solved)
        polish(blocks, problem, acting, lambda, rates);
    return solved;
}

const double *blocks_departure(const Blocks *blocks)
{
    return blocks->y;
}

// directed_sides.c: one-sided conditions beside equations that active forces keep (servos).
//
//     𝓜a − dᵀμ + gᵀλ = K − h,   b·a = −γ,   0 ≤ λ ⊥ −f'' ≥ 0
//
// The equations are taken first: a push −g_h moves the system by w_h, the servos answering, and
// f'' = Φ⁰ − Φλ with Φ_lh = −g_l·w_h. Nothing is least here, for the answers are no reactions: Φ is
// not symmetric where d is not b. Then there may be one motion, none, or several. Where
// (Φ + Φᵀ)/2 is positive there is one, whatever Φ⁰ is; else all sets of conditions are tried.
#include "gauss/gauss_impl.h"

#include <lapacke.h>
#include <string.h>

// So many are tried in all sets.
#define MOST_TRIED 12
// Of Φ in units of the inertia, what counts as nothing; and of the terms that f'' and λ are made
// of, what is rounding.
#define NOTHING  1e-11
#define ROUNDING 1e-11
// Of the acceleration of the whole, what counts with the terms of f'': what is kept at 0 by servos
// has no other terms than rounding.
#define WHOLE 1e-3
// Motions that differ by no more than this part are the same.
#define SAME 1e-8
// Exchanges, one at a time.
#define MOST_EXCHANGES 10000

typedef struct {
    size_t n, m, s;
    double *inertia, *rows, *directions, *sides; // dense
    double *zeros;
    double *free, *free_mu;     // the motion without the conditions
    double *moved, *moved_mu;   // w and what the equations answer: a row for each condition
    double *unit;               // of each condition: √(g·g) in the inertia of the coordinates
    double *phi, *phi0, *terms; // in these units
    double *lambda, *rates;     // in these units, of the set at hand
    double *found;              // λ of the motion that was found first
    size_t *set;
    double *matrix, *right;
    lapack_int *pivots;
} Sides;

static double *numbers(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

static double *dense(const SparseRows *rows, size_t n)
{
    double *all = numbers(rows->count * n);
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            all[i * n + rows->column[at]] = rows->value[at];
    return all;
}

static void sides_init(Sides *sides, const GaussManyProblem *problem)
{
    size_t n = problem->inertia.count, m = problem->rows.count, s = problem->sides.count;
    *sides = (Sides){.n = n, .m = m, .s = s};
    sides->inertia = dense(&problem->inertia, n);
    sides->rows = dense(&problem->rows, n);
    sides->directions = dense(&problem->directions, n);
    sides->sides = dense(&problem->sides, n);
    sides->zeros = numbers(n + m);
    sides->free = numbers(n);
    sides->free_mu = numbers(m);
    sides->moved = numbers(s * n);
    sides->moved_mu = numbers(s * m);
    sides->unit = numbers(s);
    sides->phi = numbers(s * s);
    sides->phi0 = numbers(s);
    sides->terms = numbers(s);
    sides->lambda = numbers(s);
    sides->rates = numbers(s);
    sides->found = numbers(s);
    sides->set = base_alloc((s + 1) * sizeof *sides->set);
    sides->matrix = numbers((s + n) * s);
    sides->right = numbers(s + n);
    sides->pivots = base_alloc((s + 1) * sizeof *sides->pivots);
}

static void sides_clear(Sides *sides)
{
    double *owned[] = {sides->inertia, sides->rows,     sides->directions, sides->sides,
                       sides->zeros,   sides->free,     sides->free_mu,    sides->moved,
                       sides->unit,    sides->moved_mu, sides->phi,        sides->phi0,
                       sides->terms,   sides->lambda,   sides->rates,      sides->found,
                       sides->matrix,  sides->right};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(sides->set);
    base_free(sides->pivots);
}

// ---- The equations first.

// What a coordinate weighs by itself.
static double weight(const Sides *sides, size_t j)
{
    double own = sides->inertia[j * sides->n + j];
    return own > 0 ? own : 1;
}

static KktReport move(Kkt *gauss, const Sides *sides, const double *force, const double *drift,
                      double *a, double *mu)
{
    KktProblem problem = {.inertia = sides->inertia,
                          .force = force,
                          .rows = sides->rows,
                          .drift = drift,
                          .row_count = sides->m,
                          .directions = sides->directions};
    return kkt_solve(gauss, &problem, a, mu);
}

// The motion without the conditions, and how each of them moves it.
static KktReport find_moves(Sides *sides, const GaussManyProblem *problem)
{
    size_t n = sides->n, m = sides->m;
    Kkt *gauss = kkt_new(n, m);
    double *push = numbers(n);
    KktReport report =
        move(gauss, sides, problem->force, problem->drift, sides->free, sides->free_mu);
    for (size_t l = 0; l < sides->s && report.outcome == SOLVE_DONE; l++) {
        for (size_t j = 0; j < n; j++)
            push[j] = -sides->sides[l * n + j];
        report =
            move(gauss, sides, push, sides->zeros, sides->moved + l * n, sides->moved_mu + l * m);
    }
    base_free(push);
    kkt_free(gauss);
    return report;
}

static bool find_phi(Sides *sides, const double *drift)
{
    size_t n = sides->n, s = sides->s;
    double whole = 0;
    for (size_t j = 0; j < n; j++)
        whole += weight(sides, j) * sides->free[j] * sides->free[j];
    for (size_t l = 0; l < s; l++) {
        const double *g = sides->sides + l * n;
        double square = 0, terms = fabs(drift[l]);
        for (size_t j = 0; j < n; j++) {
            square += g[j] * g[j] / weight(sides, j);
            terms += fabs(g[j] * sides->free[j]);
        }
        sides->unit[l] = square > 0 ? sqrt(square) : 1;
        sides->phi0[l] = (drift[l] + real_dot(g, sides->free, n)) / sides->unit[l];
        sides->terms[l] = terms / sides->unit[l] + WHOLE * sqrt(whole);
    }
    for (size_t l = 0; l < s; l++)
        for (size_t h = 0; h < s; h++)
            sides->phi[l * s + h] = -real_dot(sides->sides + l * n, sides->moved + h * n, n) /
                                    (sides->unit[l] * sides->unit[h]);
    return real_all_finite(sides->phi, s * s) && real_all_finite(sides->phi0, s) &&
           real_all_finite(sides->terms, s);
}

// ---- One set of conditions that act.

// λ on the set with f'' = 0 there; false where that cannot be. *short_of: how many numbers of λ
// remain free.
static bool solve_set(Sides *sides, size_t count, size_t *short_of)
{
    size_t s = sides->s;
    lapack_int rank = 0, size = (lapack_int)count;
    memset(sides->lambda, 0, s * sizeof *sides->lambda);
    *short_of = 0;
    if (count == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        sides->right[i] = sides->phi0[sides->set[i]];
        for (size_t j = 0; j < count; j++)
            sides->matrix[j * count + i] = sides->phi[sides->set[i] * s + sides->set[j]];
    }
    memset(sides->pivots, 0, count * sizeof *sides->pivots);
    // A matrix of rounding is none.
    double most = 0;
    for (size_t i = 0; i < count * count; i++)
        most = real_max(most, fabs(sides->matrix[i]));
    if (most <= NOTHING)
        memset(sides->matrix, 0, count * count * sizeof *sides->matrix);
    if (LAPACKE_dgelsy(LAPACK_COL_MAJOR, size, size, 1, sides->matrix, size, sides->right, size,
                       sides->pivots, NOTHING, &rank) != 0)
        return false;
    *short_of = count - (size_t)rank;
    for (size_t i = 0; i < count; i++)
        sides->lambda[sides->set[i]] = sides->right[i];
    return true;
}

// f'' of all, and the terms that it is made of.
static double rate_of(const Sides *sides, size_t l, double *terms)
{
    double rate = sides->phi0[l];
    *terms = sides->terms[l];
    for (size_t h = 0; h < sides->s; h++) {
        double part = sides->phi[l * sides->s + h] * sides->lambda[h];
        rate -= part;
        *terms += fabs(part);
    }
    return rate;
}

static bool is_in(const Sides *sides, size_t count, size_t l)
{
    for (size_t i = 0; i < count; i++)
        if (sides->set[i] == l)
            return true;
    return false;
}

// Whether λ ≥ 0, f'' = 0 on the set and f'' ≤ 0 off it; *broken is the first condition where it is
// not so. Rounding is taken off.
static bool is_motion(Sides *sides, size_t count, size_t *broken)
{
    double most = 0;
    for (size_t l = 0; l < sides->s; l++)
        most = real_max(most, real_max(sides->terms[l], fabs(sides->lambda[l])));
    for (size_t l = 0; l < sides->s; l++) {
        double terms, rate = rate_of(sides, l, &terms);
        bool in = is_in(sides, count, l);
        *broken = l;
        if (sides->lambda[l] < -ROUNDING * most || rate > ROUNDING * terms ||
            (in && rate < -ROUNDING * terms))
            return false;
        sides->lambda[l] = sides->lambda[l] <= ROUNDING * most ? 0 : sides->lambda[l];
        sides->rates[l] = in || rate > -ROUNDING * terms ? 0 : rate;
    }
    return true;
}

// Whether what remains free of λ moves the system: Φz = 0 on the set, but Σ z·w is not 0.
static bool is_loose(Sides *sides, size_t count, size_t short_of)
{
    size_t n = sides->n, s = sides->s, rows = count + n;
    lapack_int rank = 0;
    if (short_of == 0)
        return false;
    for (size_t j = 0; j < count; j++) {
        size_t h = sides->set[j];
        double *column = sides->matrix + j * rows;
        for (size_t i = 0; i < count; i++)
            column[i] = sides->phi[sides->set[i] * s + h];
        for (size_t i = 0; i < n; i++)
            column[count + i] = sides->moved[h * n + i] * sqrt(weight(sides, i)) / sides->unit[h];
    }
    memset(sides->right, 0, rows * sizeof *sides->right);
    memset(sides->pivots, 0, count * sizeof *sides->pivots);
    double most = 0;
    for (size_t i = 0; i < count * rows; i++)
        most = real_max(most, fabs(sides->matrix[i]));
    if (most <= NOTHING)
        return false;
    LAPACKE_dgelsy(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)count, 1, sides->matrix,
                   (lapack_int)rows, sides->right, (lapack_int)rows, sides->pivots, NOTHING, &rank);
    return (size_t)rank > count - short_of;
}

// Whether λ gives the motion that was found first.
static bool is_same(const Sides *sides)
{
    size_t n = sides->n;
    double off = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
        double difference = 0, terms = fabs(sides->free[j]);
        for (size_t h = 0; h < sides->s; h++) {
            double own = sides->moved[h * n + j] / sides->unit[h];
            difference += own * (sides->lambda[h] - sides->found[h]);
            terms += fabs(own) * (sides->lambda[h] + sides->found[h]);
        }
        off += weight(sides, j) * difference * difference;
        size += weight(sides, j) * terms * terms;
    }
    return off <= SAME * SAME * size;
}

// ---- All sets, or one after the other.

static SolveOutcome try_all(Sides *sides, bool *unique)
{
    size_t s = sides->s, broken, short_of;
    bool any = false;
    for (size_t mask = 0; mask < (size_t)1 << s; mask++) {
        size_t count = 0;
        for (size_t l = 0; l < s; l++)
            if (mask >> l & 1)
                sides->set[count++] = l;
        if (!solve_set(sides, count, &short_of) || !is_motion(sides, count, &broken))
            continue;
        if (is_loose(sides, count, short_of))
            return SOLVE_SEVERAL;
        *unique = *unique && short_of == 0;
        if (any && !is_same(sides))
            return SOLVE_SEVERAL;
        if (!any)
            memcpy(sides->found, sides->lambda, s * sizeof *sides->found);
        any = true;
    }
    return any ? SOLVE_DONE : SOLVE_NO_SOLUTION;
}

// Whether (Φ + Φᵀ)/2 is positive.
static bool is_positive(Sides *sides)
{
    size_t s = sides->s;
    for (size_t l = 0; l < s; l++)
        for (size_t h = 0; h < s; h++)
            sides->matrix[l * s + h] = (sides->phi[l * s + h] + sides->phi[h * s + l]) / 2;
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)s, sides->matrix, (lapack_int)s) != 0)
        return false;
    for (size_t l = 0; l < s; l++)
        if (!(sides->matrix[l * s + l] * sides->matrix[l * s + l] > NOTHING))
            return false;
    return true;
}

// Murty's rule: the first condition that is broken changes sides. It ends where Φ is positive.
static SolveOutcome exchange(Sides *sides, bool *acting)
{
    size_t broken = 0, short_of;
    for (size_t round = 0; round < MOST_EXCHANGES; round++) {
        size_t count = 0;
        for (size_t l = 0; l < sides->s; l++)
            if (acting[l])
                sides->set[count++] = l;
        if (!solve_set(sides, count, &short_of))
            break;
        if (is_motion(sides, count, &broken)) {
            memcpy(sides->found, sides->lambda, sides->s * sizeof *sides->found);
            return SOLVE_DONE;
        }
        acting[broken] = !acting[broken];
    }
    return SOLVE_UNDECIDED;
}

// ---- The whole.

static void put(double *to, size_t at, double value)
{
    if (to)
        to[at] = value;
}

static void keep_answer(Sides *sides, const GaussInstantAnswer *answer, GaussSidesReport *report)
{
    size_t n = sides->n, m = sides->m, s = sides->s, broken;
    size_t count = 0;
    memcpy(sides->lambda, sides->found, s * sizeof *sides->lambda);
    for (size_t l = 0; l < s; l++)
        if (sides->found[l] > 0)
            sides->set[count++] = l;
    // For the rates of this one.
    bool holds = is_motion(sides, count, &broken);
    for (size_t l = 0; l < s; l++) {
        double push = sides->found[l] / sides->unit[l];
        answer->acting[l] = push > 0;
        report->acting += push > 0;
        report->constraint += sides->found[l] * (sides->phi0[l] - sides->rates[l]) / 2;
        put(answer->lambda, l, push);
        put(answer->phi0, l, sides->phi0[l] * sides->unit[l]);
        put(answer->rates, l, holds ? sides->rates[l] * sides->unit[l] : 0);
        real_add_times(push, sides->moved + l * n, n, sides->free);
        real_add_times(push, sides->moved_mu + l * m, m, sides->free_mu);
    }
    for (size_t j = 0; j < n; j++)
        put(answer->accelerations, j, sides->free[j]);
    for (size_t i = 0; i < m; i++)
        put(answer->multipliers, i, sides->free_mu[i]);
}

GaussSidesReport directed_sides(const GaussManyProblem *problem, const GaussInstantAnswer *answer)
{
    Sides sides;
    sides_init(&sides, problem);
    KktReport equal = find_moves(&sides, problem);
    GaussSidesReport report = {.outcome = equal.outcome,
                               .unique = true,
                               .row = equal.row,
                               .row_is_equal = true,
                               .rank = equal.rank};
    if (report.outcome == SOLVE_DONE && !find_phi(&sides, problem->side_drift))
        report.outcome = SOLVE_NOT_FINITE;
    if (report.outcome == SOLVE_DONE) {
        if (sides.s <= MOST_TRIED)
            report.outcome = try_all(&sides, &report.unique);
        else
            report.outcome =
                is_positive(&sides) ? exchange(&sides, answer->acting) : SOLVE_TOO_MANY;
    }
    if (report.outcome == SOLVE_DONE)
        keep_answer(&sides, answer, &report);
    sides_clear(&sides);
    return report;
}

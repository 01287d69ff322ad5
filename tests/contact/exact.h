// exact.h: the other road for unilateral conditions: exact fractions, and every set of conditions
// that could act tried in turn. For integer data, so that degenerate problems are exactly so.
#ifndef ZWANG_TESTS_CONTACT_EXACT_H
#define ZWANG_TESTS_CONTACT_EXACT_H

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "test_size.h"

enum { EXACT_MOST = 20, EXACT_SIDES = 10, EXACT_SIZE = 6 };

// ---- Fractions in lowest terms, the denominator positive.

typedef __int128 Big;
typedef struct {
    Big top, bottom;
} Fraction;

static inline Big big_product(Big a, Big b)
{
    Big product;
    if (__builtin_mul_overflow(a, b, &product))
        fail_msg("an exact fraction grew too large");
    return product;
}

static inline Fraction fraction(Big top, Big bottom)
{
    Big a = top < 0 ? -top : top, b = bottom < 0 ? -bottom : bottom;
    while (b != 0) {
        Big rest = a % b;
        a = b;
        b = rest;
    }
    a = bottom < 0 ? -a : a;
    return (Fraction){top / a, bottom / a};
}

static inline Fraction whole(long value)
{
    return (Fraction){value, 1};
}

static inline Fraction times(Fraction a, Fraction b)
{
    Fraction across = fraction(a.top, b.bottom), other = fraction(b.top, a.bottom);
    return (Fraction){big_product(across.top, other.top), big_product(across.bottom, other.bottom)};
}

static inline Fraction minus(Fraction a, Fraction b)
{
    Big top;
    if (__builtin_sub_overflow(big_product(a.top, b.bottom), big_product(b.top, a.bottom), &top))
        fail_msg("an exact fraction grew too large");
    return fraction(top, big_product(a.bottom, b.bottom));
}

static inline Fraction plus(Fraction a, Fraction b)
{
    return minus(a, (Fraction){-b.top, b.bottom});
}

static inline Fraction over(Fraction a, Fraction b)
{
    return times(a, fraction(b.bottom, b.top));
}

static inline bool is_equal(Fraction a, Fraction b)
{
    return a.top == b.top && a.bottom == b.bottom;
}

static inline double real(Fraction a)
{
    return (double)((long double)a.top / (long double)a.bottom);
}

// ---- Linear equations.

// Rows of numbers with the right side last.
typedef struct {
    size_t rows, unknowns, rank;
    size_t pivots[EXACT_MOST]; // the unknown that each of the first `rank` rows determines
    Fraction at[EXACT_MOST][EXACT_MOST + 1];
} Table;

static inline Table table_of(size_t rows, size_t unknowns)
{
    assert(rows <= EXACT_MOST && unknowns <= EXACT_MOST);
    Table table = {.rows = rows, .unknowns = unknowns};
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j <= unknowns; j++)
            table.at[i][j] = whole(0);
    return table;
}

// Reduces fully. False where the equations contradict each other.
static inline bool table_reduce(Table *table)
{
    table->rank = 0;
    for (size_t column = 0; column < table->unknowns && table->rank < table->rows; column++) {
        size_t row = table->rank, k = table->rank;
        while (row < table->rows && table->at[row][column].top == 0)
            row++;
        if (row == table->rows)
            continue;
        for (size_t j = 0; j <= table->unknowns; j++) {
            Fraction swap = table->at[k][j];
            table->at[k][j] = table->at[row][j];
            table->at[row][j] = swap;
        }
        Fraction pivot = table->at[k][column];
        for (size_t j = 0; j <= table->unknowns; j++)
            table->at[k][j] = over(table->at[k][j], pivot);
        for (size_t i = 0; i < table->rows; i++) {
            Fraction factor = table->at[i][column];
            if (i == k || factor.top == 0)
                continue;
            for (size_t j = 0; j <= table->unknowns; j++)
                table->at[i][j] = minus(table->at[i][j], times(factor, table->at[k][j]));
        }
        table->pivots[table->rank++] = column;
    }
    for (size_t i = table->rank; i < table->rows; i++)
        if (table->at[i][table->unknowns].top != 0)
            return false;
    return true;
}

// A solution, what is free being 0.
static inline void table_solution(const Table *table, Fraction *x)
{
    for (size_t j = 0; j < table->unknowns; j++)
        x[j] = whole(0);
    for (size_t i = 0; i < table->rank; i++)
        x[table->pivots[i]] = table->at[i][table->unknowns];
}

static inline bool is_negative(const Fraction *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (x[i].top < 0)
            return true;
    return false;
}

static inline size_t list_of(unsigned mask, size_t *members)
{
    size_t count = 0;
    for (size_t i = 0; mask >> i; i++)
        if (mask >> i & 1)
            members[count++] = i;
    return count;
}

// ---- Multipliers: λ ≥ 0 with Aλ = b, A of `size` rows.

typedef struct {
    size_t size, count;
    Fraction a[EXACT_MOST][EXACT_SIDES], b[EXACT_MOST];
} Pushes;

// Of least norm: for each support the least solution on it, and the least of all that are ≥ 0.
static inline void least_pushes(const Pushes *pushes, Fraction *lambda)
{
    Fraction best = whole(-1);
    for (unsigned mask = 0; mask < 1u << pushes->count; mask++) {
        size_t members[EXACT_SIDES], count = list_of(mask, members);
        Table table = table_of(pushes->size, pushes->size);
        for (size_t i = 0; i < pushes->size; i++) {
            for (size_t j = 0; j < pushes->size; j++)
                for (size_t k = 0; k < count; k++)
                    table.at[i][j] = plus(
                        table.at[i][j], times(pushes->a[i][members[k]], pushes->a[j][members[k]]));
            table.at[i][pushes->size] = pushes->b[i];
        }
        if (!table_reduce(&table))
            continue;
        Fraction mu[EXACT_MOST], found[EXACT_SIDES], norm = whole(0);
        table_solution(&table, mu);
        for (size_t k = 0; k < pushes->count; k++)
            found[k] = whole(0);
        for (size_t k = 0; k < count; k++) {
            for (size_t i = 0; i < pushes->size; i++)
                found[members[k]] = plus(found[members[k]], times(pushes->a[i][members[k]], mu[i]));
            norm = plus(norm, times(found[members[k]], found[members[k]]));
        }
        if (is_negative(found, pushes->count) || (best.top >= 0 && minus(norm, best).top >= 0))
            continue;
        best = norm;
        memcpy(lambda, found, sizeof found);
    }
    assert_true(best.top >= 0);
}

// Only one: the polyhedron of all λ has one corner, and no direction in which it goes on.
static inline bool has_one_push(const Pushes *pushes)
{
    Fraction first[EXACT_SIDES];
    bool any = false;
    for (unsigned mask = 0; mask < 1u << pushes->count; mask++) {
        size_t members[EXACT_SIDES], count = list_of(mask, members);
        for (int direction = 0; direction < 2; direction++) {
            Table table = table_of(pushes->size + (size_t)direction, count);
            for (size_t k = 0; k < count; k++) {
                for (size_t i = 0; i < pushes->size; i++)
                    table.at[i][k] = pushes->a[i][members[k]];
                if (direction)
                    table.at[pushes->size][k] = whole(1);
            }
            for (size_t i = 0; i < pushes->size && !direction; i++)
                table.at[i][count] = pushes->b[i];
            if (direction)
                table.at[pushes->size][count] = whole(1);
            Fraction x[EXACT_MOST], corner[EXACT_SIDES];
            if (!table_reduce(&table) || table.rank < count)
                continue;
            table_solution(&table, x);
            if (is_negative(x, count))
                continue;
            if (direction)
                return false;
            for (size_t k = 0; k < pushes->count; k++)
                corner[k] = whole(0);
            for (size_t k = 0; k < count; k++)
                corner[members[k]] = x[k];
            for (size_t k = 0; k < pushes->count && any; k++)
                if (!is_equal(corner[k], first[k]))
                    return false;
            any = true;
            memcpy(first, corner, sizeof first);
        }
    }
    return true;
}

// ---- Instants of integer data.

typedef struct {
    size_t n, equations, sides;
    long inertia[EXACT_SIZE][EXACT_SIZE], force[EXACT_SIZE];
    long rows[EXACT_SIZE][EXACT_SIZE], drift[EXACT_SIZE];
    long g[EXACT_SIDES][EXACT_SIZE], side_drift[EXACT_SIDES];
} Whole;

typedef enum { EXACT_FOUND, EXACT_SINGULAR, EXACT_NONE } ExactOutcome;

typedef struct {
    ExactOutcome outcome;
    Fraction a[EXACT_SIZE], phi0[EXACT_SIDES], rates[EXACT_SIDES], lambda[EXACT_SIDES];
    bool unique;
} Exact;

static inline Fraction rate_of(const Whole *whole_problem, size_t l, const Fraction *a)
{
    Fraction sum = whole(whole_problem->side_drift[l]);
    for (size_t j = 0; j < whole_problem->n; j++)
        sum = plus(sum, times(whole(whole_problem->g[l][j]), a[j]));
    return sum;
}

// 𝓜a − bᵀμ + gᵀλ = f with the equations and the conditions in `mask`; x = (a, μ, λ).
// NONE: a contradiction; SINGULAR: the conditions depend on each other or the inertia is singular.
static inline ExactOutcome solve_set(const Whole *w, const size_t *kept, size_t kept_count,
                                     unsigned mask, Fraction *x)
{
    size_t members[EXACT_SIDES], count = list_of(mask, members), n = w->n, m = kept_count;
    Table table = table_of(n + m + count, n + m + count);
    size_t right = n + m + count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            table.at[i][j] = whole(w->inertia[i][j]);
        for (size_t k = 0; k < m; k++) {
            table.at[i][n + k] = whole(-w->rows[kept[k]][i]);
            table.at[n + k][i] = whole(w->rows[kept[k]][i]);
            table.at[n + k][right] = whole(-w->drift[kept[k]]);
        }
        for (size_t k = 0; k < count; k++) {
            table.at[i][n + m + k] = whole(w->g[members[k]][i]);
            table.at[n + m + k][i] = whole(w->g[members[k]][i]);
            table.at[n + m + k][right] = whole(-w->side_drift[members[k]]);
        }
        table.at[i][right] = whole(w->force[i]);
    }
    if (!table_reduce(&table))
        return EXACT_NONE;
    table_solution(&table, x);
    return table.rank == right ? EXACT_FOUND : EXACT_SINGULAR;
}

// The independent ones of the equations. False where they contradict each other.
static inline bool independent_rows(const Whole *w, size_t *kept, size_t *count)
{
    *count = 0;
    for (size_t candidate = 0; candidate < w->equations; candidate++) {
        kept[*count] = candidate;
        Table table = table_of(*count + 1, w->n);
        for (size_t k = 0; k <= *count; k++) {
            for (size_t j = 0; j < w->n; j++)
                table.at[k][j] = whole(w->rows[kept[k]][j]);
            table.at[k][w->n] = whole(-w->drift[kept[k]]);
        }
        if (!table_reduce(&table))
            return false;
        *count += table.rank == *count + 1;
    }
    return true;
}

// What the touching conditions have to push: Z gᵀλ = Z(f − 𝓜a), Z a basis of the velocities that
// the equations leave free.
static inline Pushes pushes_of(const Whole *w, const size_t *kept, size_t kept_count,
                               const Fraction *a, const size_t *touching, size_t count)
{
    Table table = table_of(kept_count, w->n);
    for (size_t k = 0; k < kept_count; k++)
        for (size_t j = 0; j < w->n; j++)
            table.at[k][j] = whole(w->rows[kept[k]][j]);
    table_reduce(&table);
    Pushes pushes = {.count = count};
    for (size_t column = 0; column < w->n; column++) {
        Fraction z[EXACT_SIZE];
        bool is_free = true;
        for (size_t j = 0; j < w->n; j++)
            z[j] = whole(j == column);
        for (size_t i = 0; i < table.rank; i++) {
            is_free = is_free && table.pivots[i] != column;
            z[table.pivots[i]] = minus(whole(0), table.at[i][column]);
        }
        if (!is_free)
            continue;
        size_t row = pushes.size++;
        pushes.b[row] = whole(0);
        for (size_t k = 0; k < count; k++)
            pushes.a[row][k] = whole(0);
        for (size_t j = 0; j < w->n; j++) {
            Fraction lost = whole(w->force[j]);
            for (size_t i = 0; i < w->n; i++)
                lost = minus(lost, times(whole(w->inertia[j][i]), a[i]));
            pushes.b[row] = plus(pushes.b[row], times(z[j], lost));
            for (size_t k = 0; k < count; k++)
                pushes.a[row][k] = plus(pushes.a[row][k], times(z[j], whole(w->g[touching[k]][j])));
        }
    }
    return pushes;
}

// Tries every set of conditions that could act.
static inline Exact exact_solve(const Whole *w)
{
    Exact exact = {.outcome = EXACT_NONE};
    size_t kept[EXACT_SIZE + 1], kept_count;
    Fraction x[EXACT_MOST];
    if (!independent_rows(w, kept, &kept_count))
        return exact;
    if (solve_set(w, kept, kept_count, 0, x) != EXACT_FOUND) {
        exact.outcome = EXACT_SINGULAR;
        return exact;
    }
    for (size_t l = 0; l < w->sides; l++)
        exact.phi0[l] = rate_of(w, l, x);
    for (unsigned mask = 0; mask < 1u << w->sides && exact.outcome == EXACT_NONE; mask++) {
        size_t members[EXACT_SIDES], count = list_of(mask, members);
        if (count + kept_count > w->n || solve_set(w, kept, kept_count, mask, x) != EXACT_FOUND ||
            is_negative(x + w->n + kept_count, count))
            continue;
        bool holds = true;
        for (size_t l = 0; l < w->sides; l++)
            holds = holds && rate_of(w, l, x).top <= 0;
        if (!holds)
            continue;
        exact.outcome = EXACT_FOUND;
        memcpy(exact.a, x, sizeof exact.a);
    }
    if (exact.outcome != EXACT_FOUND)
        return exact;

    size_t touching[EXACT_SIDES], count = 0;
    for (size_t l = 0; l < w->sides; l++) {
        exact.rates[l] = rate_of(w, l, exact.a);
        exact.lambda[l] = whole(0);
        if (exact.rates[l].top == 0)
            touching[count++] = l;
    }
    Fraction least[EXACT_SIDES];
    Pushes pushes = pushes_of(w, kept, kept_count, exact.a, touching, count);
    least_pushes(&pushes, least);
    for (size_t k = 0; k < count; k++)
        exact.lambda[touching[k]] = least[k];
    exact.unique = has_one_push(&pushes);
    return exact;
}

// ---- Random instants, degenerate ones among them.

static inline long random_whole(Random *random, long most)
{
    return (long)random_below(random, (uint64_t)(2 * most + 1)) - most;
}

// A condition: new, zero, or one that depends on those before it, with a drift that agrees or not.
static inline void random_side(Random *random, Whole *w, size_t l)
{
    size_t kind = random_below(random, 10), n = w->n;
    const long *one = NULL, *two = NULL;
    long factor = 1, drift = 0;
    if (kind >= 5 && l > 0) {
        size_t at = random_below(random, l), other = random_below(random, l);
        one = w->g[at];
        drift = w->side_drift[at];
        factor = kind == 5 ? 1 : kind == 6 ? -1 : kind == 7 ? 2 : 1;
        if (kind >= 8) {
            two = w->g[other];
            drift += w->side_drift[other];
        }
    } else if (kind == 9 && w->equations > 0) {
        one = w->rows[0];
        drift = w->drift[0];
    }
    for (size_t j = 0; j < n; j++)
        w->g[l][j] = kind == 4 ? 0
                     : one     ? factor * one[j] + (two ? two[j] : 0)
                               : random_whole(random, 2);
    w->side_drift[l] = one ? factor * drift : random_whole(random, 3);
    if (one && random_below(random, 4) == 0)
        w->side_drift[l] += random_whole(random, 1);
    if (kind == 4)
        w->side_drift[l] = -(long)random_below(random, 3) + (random_below(random, 12) == 0);
}

static inline Whole random_whole_problem(Random *random, size_t most_equations, size_t most_sides)
{
    Whole w = {.n = 1 + random_below(random, 4)};
    w.equations = random_below(random, most_equations + 1);
    w.sides = random_below(random, most_sides + 1);
    long l[EXACT_SIZE][EXACT_SIZE] = {{0}};
    bool thin = random_below(random, 6) == 0;
    for (size_t i = 0; i < w.n; i++)
        for (size_t j = 0; j <= i; j++)
            l[i][j] =
                i == j ? (thin && random_below(random, 2) == 0 ? 0 : 1) : random_whole(random, 1);
    for (size_t i = 0; i < w.n; i++) {
        for (size_t j = 0; j < w.n; j++)
            for (size_t k = 0; k < w.n; k++)
                w.inertia[i][j] += l[i][k] * l[j][k];
        w.force[i] = random_whole(random, 4);
    }
    for (size_t k = 0; k < w.equations; k++) {
        bool copy = k > 0 && random_below(random, 3) == 0;
        for (size_t j = 0; j < w.n; j++)
            w.rows[k][j] = copy ? 2 * w.rows[0][j] : random_whole(random, 2);
        w.drift[k] = copy ? 2 * w.drift[0] : random_whole(random, 2);
    }
    for (size_t k = 0; k < w.sides; k++)
        random_side(random, &w, k);
    return w;
}

#endif

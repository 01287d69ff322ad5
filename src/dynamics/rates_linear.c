// rates_linear.c: linear equations on the graph.
//
// Every number that elimination makes gets a name, so that it is worked out once; what is zero to
// the eye is never touched. General equations take their pivots by the numbers of the present
// state: among entries that are not small in their row the one that touches least. Symmetric
// positive ones need no pivots: LDLᵀ, the sparsest row first.
#include "dynamics/rates_impl.h"

#include <math.h>
#include <string.h>

// An entry may be a pivot that is at least this part of the largest in its row.
#define FAIR_PIVOT 0.1

static bool is_zero(const RatesBuilder *builder, Expr e)
{
    return expr_is_zero(builder->pool, e);
}

// a − factor·b
static Expr less(RatesBuilder *builder, Expr a, Expr factor, Expr b)
{
    return builder_name(builder, expr_sub(builder->pool, a, expr_mul(builder->pool, factor, b)));
}

static Expr inverse_of(RatesBuilder *builder, Expr pivot)
{
    return builder_name(builder, expr_pow_int(builder->pool, pivot, -1));
}

// ---- General equations.

typedef struct {
    RatesBuilder *builder;
    Elimination *elimination;
    const Expr *given;   // the matrix as it was
    const double *scale; // of the unknowns
    double *values;
    bool *row_done, *column_done;
} Pivoting;

static size_t count_row(const Pivoting *pivoting, size_t row)
{
    size_t n = pivoting->elimination->n, count = 0;
    for (size_t j = 0; j < n; j++)
        if (!pivoting->column_done[j] &&
            !is_zero(pivoting->builder, pivoting->elimination->entries[row * n + j]))
            count++;
    return count;
}

static size_t count_column(const Pivoting *pivoting, size_t column)
{
    size_t n = pivoting->elimination->n, count = 0;
    for (size_t i = 0; i < n; i++)
        if (!pivoting->row_done[i] &&
            !is_zero(pivoting->builder, pivoting->elimination->entries[i * n + column]))
            count++;
    return count;
}

static double largest_in_row(const Pivoting *pivoting, size_t row)
{
    size_t n = pivoting->elimination->n;
    double largest = 0;
    for (size_t j = 0; j < n; j++)
        if (!pivoting->column_done[j])
            largest = fmax(largest, fabs(pivoting->values[row * n + j]));
    return largest;
}

// The pivot that touches least; of equals a constant, then the largest in its row.
static bool choose_pivot(const Pivoting *pivoting, size_t *row, size_t *column)
{
    size_t n = pivoting->elimination->n;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (pivoting->row_done[i])
            continue;
        double largest = largest_in_row(pivoting, i);
        size_t in_row = count_row(pivoting, i);
        for (size_t j = 0; j < n; j++) {
            Expr entry = pivoting->elimination->entries[i * n + j];
            double part = fabs(pivoting->values[i * n + j]) / largest;
            if (pivoting->column_done[j] || is_zero(pivoting->builder, entry) ||
                !(part >= FAIR_PIVOT))
                continue;
            double touched = (double)((in_row - 1) * (count_column(pivoting, j) - 1));
            double cost = 2 * touched + !expr_is_number(pivoting->builder->pool, entry) - part / 2;
            if (cost < least) {
                least = cost;
                *row = i;
                *column = j;
            }
        }
    }
    return isfinite(least);
}

// A pivot is watched against the largest entry that its row had.
static void watch_row(const Pivoting *pivoting, size_t row, size_t column)
{
    RatesBuilder *builder = pivoting->builder;
    const Elimination *elimination = pivoting->elimination;
    Expr pivot = elimination->entries[row * elimination->n + column];
    Expr largest = expr_int(builder->pool, 0);
    for (size_t j = 0; j < elimination->n; j++) {
        Expr entry = pivoting->given[row * elimination->n + j];
        if (is_zero(builder, entry))
            continue;
        double scale = pivoting->scale[j] / pivoting->scale[column];
        entry = expr_mul(builder->pool, expr_double(builder->pool, scale), entry);
        entry = expr_call(builder->pool, EXPR_ABS, entry, (Expr){0});
        largest =
            is_zero(builder, largest) ? entry : expr_call(builder->pool, EXPR_MAX, largest, entry);
    }
    if (expr_is_number(builder->pool, pivot) && expr_is_number(builder->pool, largest))
        return;
    array_push(&builder->watched, expr_call(builder->pool, EXPR_ABS, pivot, (Expr){0}));
    array_push(&builder->watched, largest);
}

static void eliminate(const Pivoting *pivoting, size_t row, size_t column, Expr inverse)
{
    RatesBuilder *builder = pivoting->builder;
    size_t n = pivoting->elimination->n;
    Expr *from = pivoting->elimination->entries + row * n;
    const double *values = pivoting->values + row * n;
    for (size_t i = 0; i < n; i++) {
        Expr *entries = pivoting->elimination->entries + i * n;
        if (pivoting->row_done[i] || is_zero(builder, entries[column]))
            continue;
        Expr factor = builder_name(builder, expr_mul(builder->pool, entries[column], inverse));
        double number = pivoting->values[i * n + column] / values[column];
        entries[column] = factor;
        for (size_t j = 0; j < n; j++) {
            if (pivoting->column_done[j] || is_zero(builder, from[j]))
                continue;
            entries[j] = less(builder, entries[j], factor, from[j]);
            pivoting->values[i * n + j] -= number * values[j];
        }
    }
}

bool elimination_init(Elimination *elimination, RatesBuilder *builder, size_t n, const Expr *matrix,
                      const double *scale, double *values)
{
    *elimination = (Elimination){.n = n};
    elimination->entries = base_alloc((n * n + 1) * sizeof *elimination->entries);
    elimination->inverses = base_alloc((n + 1) * sizeof *elimination->inverses);
    elimination->rows = base_alloc((n + 1) * sizeof *elimination->rows);
    elimination->columns = base_alloc((n + 1) * sizeof *elimination->columns);
    memcpy(elimination->entries, matrix, n * n * sizeof *matrix);
    bool *done = base_alloc((2 * n + 1) * sizeof *done);
    Pivoting pivoting = {builder, elimination, matrix, scale, values, done, done + n};
    bool found = true;
    for (size_t s = 0; s < n && found; s++) {
        size_t row = 0, column = 0;
        found = choose_pivot(&pivoting, &row, &column);
        if (!found)
            break;
        watch_row(&pivoting, row, column);
        elimination->rows[s] = row;
        elimination->columns[s] = column;
        elimination->inverses[s] = inverse_of(builder, elimination->entries[row * n + column]);
        done[row] = done[n + column] = true;
        eliminate(&pivoting, row, column, elimination->inverses[s]);
    }
    base_free(done);
    return found;
}

void elimination_clear(Elimination *elimination)
{
    base_free(elimination->entries);
    base_free(elimination->inverses);
    base_free(elimination->rows);
    base_free(elimination->columns);
    *elimination = (Elimination){0};
}

void elimination_solve(const Elimination *elimination, RatesBuilder *builder, const Expr *right,
                       Expr *x)
{
    size_t n = elimination->n;
    Expr *rest = base_alloc((n + 1) * sizeof *rest);
    memcpy(rest, right, n * sizeof *rest);
    for (size_t s = 0; s < n; s++) {
        size_t row = elimination->rows[s];
        for (size_t later = s + 1; later < n; later++) {
            size_t i = elimination->rows[later];
            Expr factor = elimination->entries[i * n + elimination->columns[s]];
            if (!is_zero(builder, factor) && !is_zero(builder, rest[row]))
                rest[i] = less(builder, rest[i], factor, rest[row]);
        }
    }
    for (size_t s = n; s-- > 0;) {
        size_t row = elimination->rows[s];
        Expr sum = rest[row];
        for (size_t later = s + 1; later < n; later++) {
            size_t j = elimination->columns[later];
            Expr term = expr_mul(builder->pool, elimination->entries[row * n + j], x[j]);
            sum = expr_sub(builder->pool, sum, term);
        }
        x[elimination->columns[s]] =
            builder_name(builder, expr_mul(builder->pool, sum, elimination->inverses[s]));
    }
    base_free(rest);
}

// ---- Symmetric positive equations.

static size_t sparsest(const RatesBuilder *builder, const Expr *matrix, size_t size,
                       const bool *done)
{
    size_t best = size, least = SIZE_MAX;
    for (size_t i = 0; i < size; i++) {
        if (done[i])
            continue;
        size_t count = 0;
        for (size_t j = 0; j < size; j++)
            if (!done[j] && !is_zero(builder, matrix[i * size + j]))
                count += 2;
        // A constant pivot is free.
        count -= expr_is_number(builder->pool, matrix[i * size + i]);
        if (count < least) {
            least = count;
            best = i;
        }
    }
    return best;
}

// What remains of the matrix and of the right side without unknown `at`; the multipliers stay in
// its row.
static void leave_out(RatesBuilder *builder, Expr *matrix, Expr *right, size_t size, size_t at,
                      Expr inverse, const bool *done)
{
    for (size_t i = 0; i < size; i++) {
        Expr entry = matrix[i * size + at];
        if (done[i] || is_zero(builder, entry))
            continue;
        Expr factor = builder_name(builder, expr_mul(builder->pool, entry, inverse));
        for (size_t j = i; j < size; j++) {
            if (done[j] || is_zero(builder, matrix[j * size + at]))
                continue;
            matrix[i * size + j] = matrix[j * size + i] =
                less(builder, matrix[i * size + j], factor, matrix[j * size + at]);
        }
        if (!is_zero(builder, right[at]))
            right[i] = less(builder, right[i], factor, right[at]);
        matrix[at * size + i] = factor;
    }
}

void builder_solve_symmetric(RatesBuilder *builder, Expr *matrix, Expr *right, size_t size, Expr *x)
{
    ExprPool *pool = builder->pool;
    bool *done = base_alloc((size + 1) * sizeof *done);
    size_t *order = base_alloc((size + 1) * sizeof *order);
    Expr *inverses = base_alloc((size + 1) * sizeof *inverses);
    Expr *diagonal = base_alloc((size + 1) * sizeof *diagonal);
    for (size_t i = 0; i < size * size; i++)
        matrix[i] = builder_name(builder, matrix[i]);
    for (size_t i = 0; i < size; i++) {
        right[i] = builder_name(builder, right[i]);
        diagonal[i] = matrix[i * size + i];
    }
    for (size_t s = 0; s < size; s++) {
        size_t at = order[s] = sparsest(builder, matrix, size, done);
        done[at] = true;
        // A pivot that is 0 is watched too, so that it is seen.
        if (is_zero(builder, matrix[at * size + at]))
            diagonal[at] = expr_int(pool, 1);
        if (!expr_same(matrix[at * size + at], diagonal[at])) {
            array_push(&builder->watched, matrix[at * size + at]);
            array_push(&builder->watched, diagonal[at]);
        }
        inverses[at] = inverse_of(builder, matrix[at * size + at]);
        leave_out(builder, matrix, right, size, at, inverses[at], done);
    }
    // The unknowns have names in any case: they are outputs, and the others need them.
    for (size_t s = size; s-- > 0;) {
        size_t at = order[s];
        Expr sum = expr_mul(pool, right[at], inverses[at]);
        for (size_t later = s + 1; later < size; later++)
            sum = expr_sub(pool, sum,
                           expr_mul(pool, matrix[at * size + order[later]], x[order[later]]));
        x[at] = builder_name_always(builder, sum);
    }
    base_free(done);
    base_free(order);
    base_free(inverses);
    base_free(diagonal);
}

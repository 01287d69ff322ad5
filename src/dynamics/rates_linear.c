// rates_linear.c: linear equations by formulas.
//
// Every number that elimination makes gets a name, so that it is worked out once; what is zero to
// the eye is never touched. General equations take their pivots by the numbers of the present
// state: among entries that are not small in their row the one that touches least, then a constant.
// Symmetric positive ones need no pivots: LDLᵀ, the sparsest row first.
#include "dynamics/dynamics.h"
#include "dynamics/rates_impl.h"
#include "expr/expr.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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

// How a pivot is seen to become poor: what it is, and what that is measured by.
static void push_pivot(RatesBuilder *builder, Expr pivot, Expr measure)
{
    array_push(&builder->pivots, pivot);
    array_push(&builder->pivots, measure);
}

// How many of `count` entries, `stride` apart, are filled and not done.
static size_t count_filled(const RatesBuilder *builder, const Expr *entries, size_t stride,
                           size_t count, const bool *done)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        filled += !done[i] && !is_zero(builder, entries[i * stride]);
    return filled;
}

// ---- General equations.

// What it costs to take each entry: how much it touches, then whether it moves.
static void find_costs(const Elimination *elimination)
{
    RatesBuilder *builder = elimination->builder;
    const PivotSearch *search = &elimination->search;
    const Expr *entries = elimination->entries;
    size_t n = search->n, count = search->count;
    size_t *in_columns = elimination->in_columns;
    for (size_t j = 0; j < n; j++)
        in_columns[j] = count_filled(builder, entries + j, n, count, search->row_done);
    for (size_t i = 0; i < count; i++) {
        if (search->row_done[i])
            continue;
        size_t in_row = count_filled(builder, entries + i * n, 1, n, search->column_done);
        for (size_t j = 0; j < n; j++) {
            Expr entry = entries[i * n + j];
            search->costs[i * n + j] =
                is_zero(builder, entry) ? INFINITY
                                        : 2 * ((double)in_row - 1) * ((double)in_columns[j] - 1) +
                                              !builder_is_constant(builder, entry);
        }
    }
}

// The typical size of one velocity by that of another.
static Expr builder_scale(const RatesBuilder *builder, size_t one, size_t other)
{
    const double *scale = builder->state->scale;
    return builder->recipe.inputs ? expr_div(builder->pool, builder->parameters.scales[one],
                                             builder->parameters.scales[other])
                                  : expr_double(builder->pool, scale[one] / scale[other]);
}

// A pivot is measured by the largest entry that its row had.
static void measure_pivot(const Elimination *elimination, size_t row, size_t column)
{
    RatesBuilder *builder = elimination->builder;
    ExprPool *pool = builder->pool;
    size_t n = elimination->search.n;
    const double *scale = elimination->scale;
    Expr pivot = elimination->entries[row * n + column], largest = expr_int(pool, 0);
    for (size_t j = 0; j < n; j++) {
        Expr entry = elimination->given[row * n + j];
        if (expr_is_zero(pool, entry))
            continue;
        entry =
            expr_mul(pool, scale ? builder_scale(builder, j, column) : expr_int(pool, 1), entry);
        entry = expr_call(pool, EXPR_ABS, entry, (Expr){0});
        largest = expr_is_zero(pool, largest) ? entry : expr_call(pool, EXPR_MAX, largest, entry);
    }
    if (!builder_is_constant(builder, pivot) || !builder_is_constant(builder, largest))
        push_pivot(builder, expr_call(pool, EXPR_ABS, pivot, (Expr){0}), largest);
}

static void eliminate(Elimination *elimination, size_t row, size_t column, Expr inverse)
{
    RatesBuilder *builder = elimination->builder;
    const PivotSearch *search = &elimination->search;
    size_t n = search->n;
    Expr *from = elimination->entries + row * n;
    pivots_eliminate(search, row, column);
    for (size_t i = 0; i < search->count; i++) {
        Expr *entries = elimination->entries + i * n;
        if (search->row_done[i] || is_zero(builder, entries[column]))
            continue;
        Expr factor = builder_name(builder, expr_mul(builder->pool, entries[column], inverse));
        entries[column] = factor;
        for (size_t j = 0; j < n; j++)
            if (!search->column_done[j] && !is_zero(builder, from[j]))
                entries[j] = less(builder, entries[j], factor, from[j]);
    }
}

// The numbers of the matrix at the present state; a record of decisions keeps their program.
static void find_values(Elimination *elimination, RatesDecisions *decisions)
{
    RatesBuilder *builder = elimination->builder;
    const PivotSearch *search = &elimination->search;
    size_t n = search->n, entries = search->count * n;
    Program *program = builder_lower(builder, elimination->given, entries);
    assert(program);
    double *work = arena_array(builder->arena, double, program_registers(program));
    program_run_real(program, builder_inputs(builder, builder->recipe.symbolic), search->values,
                     work);
    for (size_t i = 0; i < entries && elimination->scale; i++)
        search->values[i] *= elimination->scale[i % n];
    if (decisions)
        decisions_begin_pivots(decisions, program, search->count, n, elimination->scale != NULL);
    else
        program_free(program);
}

bool elimination_init(Elimination *elimination, RatesBuilder *builder, size_t count, size_t n,
                      const Expr *matrix, const double *scale)
{
    Arena *arena = builder->arena;
    RatesDecisions *decisions = builder->recipe.decisions;
    size_t *order = arena_array(arena, size_t, 2 * count + n);
    assert(count <= n && (matrix || count == 0));
    *elimination = (Elimination){.builder = builder,
                                 .given = matrix,
                                 .scale = scale,
                                 .entries = arena_array(arena, Expr, count * n),
                                 .inverses = arena_array(arena, Expr, count),
                                 .rows = order,
                                 .columns = order + count,
                                 .in_columns = order + 2 * count};
    PivotSearch *search = &elimination->search;
    *search = (PivotSearch){.count = count,
                            .n = n,
                            .row_done = arena_array(arena, bool, count),
                            .column_done = arena_array(arena, bool, n),
                            .costs = arena_array(arena, double, count *n),
                            .values = arena_array(arena, double, count *n)};
    memcpy(elimination->entries, matrix, count * n * sizeof *matrix);
    find_values(elimination, decisions);
    for (size_t s = 0; s < count; s++) {
        size_t row = 0, column = 0;
        find_costs(elimination);
        if (!pivots_choose(search, &row, &column)) {
            if (decisions)
                decisions_refuse(decisions);
            return false;
        }
        if (decisions)
            decisions_add_pivot(decisions, search, row, column);
        measure_pivot(elimination, row, column);
        elimination->rows[s] = row;
        elimination->columns[s] = column;
        elimination->inverses[s] = inverse_of(builder, elimination->entries[row * n + column]);
        search->row_done[row] = search->column_done[column] = true;
        eliminate(elimination, row, column, elimination->inverses[s]);
    }
    return true;
}

void elimination_solve(const Elimination *elimination, const Expr *right, Expr *x)
{
    RatesBuilder *builder = elimination->builder;
    size_t n = elimination->search.n, count = elimination->search.count;
    Expr *rest = arena_array(builder->arena, Expr, count);
    memcpy(rest, right, count * sizeof *rest);
    for (size_t s = 0; s < count; s++) {
        size_t row = elimination->rows[s], first = is_zero(builder, rest[row]) ? count : s + 1;
        for (size_t later = first; later < count; later++) {
            size_t i = elimination->rows[later];
            Expr factor = elimination->entries[i * n + elimination->columns[s]];
            if (!is_zero(builder, factor))
                rest[i] = less(builder, rest[i], factor, rest[row]);
        }
    }
    for (size_t s = count; s-- > 0;) {
        size_t row = elimination->rows[s];
        Expr sum = rest[row];
        for (size_t later = s + 1; later < count; later++) {
            size_t j = elimination->columns[later];
            Expr factor = elimination->entries[row * n + j];
            if (!is_zero(builder, factor) && !is_zero(builder, x[j]))
                sum = expr_sub(builder->pool, sum, expr_mul(builder->pool, factor, x[j]));
        }
        x[elimination->columns[s]] =
            builder_name(builder, expr_mul(builder->pool, sum, elimination->inverses[s]));
    }
}

// ---- Symmetric positive equations.

static size_t sparsest(RatesBuilder *builder, const Expr *matrix, size_t size, const bool *done)
{
    size_t best = size, least = SIZE_MAX;
    for (size_t i = 0; i < size; i++) {
        if (done[i])
            continue;
        // A constant pivot is free.
        size_t count = 2 * count_filled(builder, matrix + i * size, 1, size, done) -
                       builder_is_constant(builder, matrix[i * size + i]);
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

void builder_solve_symmetric(RatesBuilder *builder, Expr *x)
{
    assert(builder->matrix && builder->right && x);
    ExprPool *pool = builder->pool;
    Expr *matrix = builder->matrix, *right = builder->right;
    size_t size = builder->k;
    bool *done = arena_array(builder->arena, bool, size);
    size_t *order = arena_array(builder->arena, size_t, size);
    Expr *inverses = arena_array(builder->arena, Expr, 2 * size), *diagonal = inverses + size;
    for (size_t i = 0; i < size * size; i++)
        matrix[i] = builder_name(builder, matrix[i]);
    for (size_t i = 0; i < size; i++) {
        right[i] = builder_name(builder, right[i]);
        diagonal[i] = matrix[i * size + i];
    }
    for (size_t s = 0; s < size; s++) {
        size_t at = order[s] = sparsest(builder, matrix, size, done);
        Expr pivot = matrix[at * size + at];
        done[at] = true;
        // A pivot that is 0 is measured too, so that it is seen.
        if (is_zero(builder, pivot))
            diagonal[at] = expr_int(pool, 1);
        if (!expr_same(pivot, diagonal[at]))
            push_pivot(builder, pivot, diagonal[at]);
        inverses[at] = inverse_of(builder, pivot);
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
}

// rates_mixed.c: the equations for u' where what asks for accelerations is not what gives the
// reactions: under servos (Appell 5), conditions that are not linear in the velocities (Appell
// 21–22) and conditions on accelerations (Hamel 252).
//
// With E the displacements on which no reaction does work (d·E = 0) and q'' = B·u' + D,
//
//     Eᵀ·(𝓜 q'' + h) = 0,   g·q'' + γ = 0 for the conditions that B does not keep by itself,
//
// as many equations as there are speeds. A condition f(q'') = 0 that is not affine gives another
// equation, and its multiplier is another unknown: Eᵀ·(𝓜 q'' + h − Σ λ ∂f/∂q'') = 0. Where all
// multipliers are to be unknown E is everything, and nothing has been divided by.
#include "dynamics/rates_impl.h"

#include <math.h>
#include <string.h>

// Conditions that are affine in q'', those on accelerations last.
static size_t affine_count(const RatesBuilder *builder)
{
    return builder->eq->independent.count + builder->motion->affine_count;
}

static const MotionRow *affine_row(const RatesBuilder *builder, size_t i)
{
    const Equations *eq = builder->eq;
    return i < eq->independent.count ? &builder->motion->rows[eq->independent.rows[i]]
                                     : &builder->motion->seconds[i - eq->independent.count].row;
}

// ---- Displacements.

// Eliminates numbers by complete pivots: which columns are pivots.
static bool choose_columns(double *values, size_t rows, size_t n, bool *taken)
{
    bool *done = base_alloc((rows + 1) * sizeof *done);
    bool whole = true;
    for (size_t s = 0; s < rows && whole; s++) {
        size_t row = 0, column = 0;
        double largest = 0;
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < n && !done[i]; j++)
                if (!taken[j] && fabs(values[i * n + j]) > largest) {
                    largest = fabs(values[i * n + j]);
                    row = i;
                    column = j;
                }
        whole = largest > 0;
        done[row] = taken[column] = whole;
        for (size_t i = 0; i < rows && whole; i++) {
            double factor = values[i * n + column] / values[row * n + column];
            for (size_t j = 0; j < n && !done[i]; j++)
                values[i * n + j] -= factor * values[row * n + j];
        }
    }
    base_free(done);
    return whole;
}

// The directions of all reactions, then a unit row for each displacement that is left free.
static bool make_matrix(RatesBuilder *builder, size_t rows, Expr *matrix, double *values)
{
    size_t n = builder->n;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] =
                builder_name(builder, builder_fixed(builder, affine_row(builder, i)->d[j]));
    builder_values(builder, matrix, rows * n, values);
    for (size_t i = 0; i < rows * n; i++)
        values[i] *= builder->state->scale[i % n];
    bool *taken = base_alloc((n + 1) * sizeof *taken);
    double *used = base_alloc((rows * n + 1) * sizeof *used);
    memcpy(used, values, rows * n * sizeof *used);
    bool whole = choose_columns(used, rows, n, taken);
    for (size_t j = 0, i = rows; j < n && whole; j++) {
        for (size_t other = 0; other < n && !taken[j]; other++) {
            matrix[i * n + other] = expr_int(builder->pool, other == j);
            values[i * n + other] = (other == j) * builder->state->scale[j];
        }
        i += !taken[j];
    }
    base_free(used);
    base_free(taken);
    return whole;
}

static bool make_displacements(RatesBuilder *builder)
{
    size_t n = builder->n, rows = builder->recipe.whole ? 0 : affine_count(builder);
    if (rows > n)
        return false;
    size_t free = builder->free = n - rows;
    Expr *matrix = base_alloc((n * n + 2 * n + 1) * sizeof *matrix);
    Expr *right = matrix + n * n, *x = right + n;
    double *values = base_alloc((n * n + 1) * sizeof *values);
    Elimination elimination = {0};
    builder->E = base_alloc((n * free + 1) * sizeof(Expr));
    bool whole = make_matrix(builder, rows, matrix, values) &&
                 elimination_init(&elimination, builder, n, matrix, builder->state->scale, values);
    for (size_t alpha = 0; alpha < free && whole; alpha++) {
        for (size_t i = 0; i < n; i++)
            right[i] = expr_int(builder->pool, i == rows + alpha);
        elimination_solve(&elimination, builder, right, x);
        for (size_t nu = 0; nu < n; nu++)
            builder->E[nu * free + alpha] = x[nu];
    }
    elimination_clear(&elimination);
    base_free(values);
    base_free(matrix);
    return whole;
}

// ---- Equations: what must vanish, in the symbols of q'' (and of the multipliers of conditions
// that are not affine).

static Expr condition_of(const RatesBuilder *builder, const MotionRow *row)
{
    size_t n = builder->n;
    ExprPool *pool = builder->pool;
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, row->b[nu], builder->motion->a[nu]);
    terms[n] = row->gamma;
    Expr sum = expr_sum(pool, terms, n + 1);
    base_free(terms);
    return sum;
}

// 𝓜 q'' + h − Σ λ d, by coordinates.
static void balances(RatesBuilder *builder, Expr *out)
{
    Motion *motion = builder->motion;
    ExprPool *pool = builder->pool;
    size_t n = builder->n, s = builder->unknown_count;
    Expr *matrix = base_alloc((n * n + 2 * n + s + 1) * sizeof *matrix);
    Expr *bias = matrix + n * n, *terms = bias + n;
    motion_mass_matrix(motion, matrix);
    motion_bias(motion, bias);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t mu = 0; mu < n; mu++) {
            Expr entry = builder_name(builder, builder_fixed(builder, matrix[nu * n + mu]));
            terms[mu] = expr_mul(pool, entry, motion->a[mu]);
        }
        for (size_t i = 0; i < s; i++) {
            Expr along = builder_fixed(builder, builder->unknown[i]->d[nu]);
            Expr lambda = builder->unknown[i]->constraint->lambda;
            terms[n + i] = expr_neg(pool, expr_mul(pool, lambda, along));
        }
        out[nu] = expr_add(pool, builder_name(builder, builder_fixed(builder, bias[nu])),
                           expr_sum(pool, terms, n + s));
    }
    base_free(matrix);
}

// The conditions whose multipliers are unknown: those that are not affine come last.
static void find_unknown(RatesBuilder *builder)
{
    const Motion *motion = builder->motion;
    size_t affine = builder->recipe.whole ? affine_count(builder) : 0;
    size_t curved = motion->second_count - motion->affine_count;
    builder->implicit = curved > 0;
    builder->unknown = base_alloc((affine + curved + 1) * sizeof *builder->unknown);
    for (size_t i = 0; i < affine; i++)
        builder->unknown[builder->unknown_count++] = affine_row(builder, i);
    for (size_t i = 0; i < curved; i++)
        builder->unknown[builder->unknown_count++] = &motion->seconds[motion->affine_count + i].row;
}

// As many as there are unknowns; the conditions stand first.
static void make_all(RatesBuilder *builder, Expr *equations)
{
    const Motion *motion = builder->motion;
    ExprPool *pool = builder->pool;
    size_t n = builder->n, free = builder->free, at = 0;
    size_t first = builder->all ? 0 : builder->eq->independent.count;
    for (size_t i = first; i < affine_count(builder); i++)
        equations[at++] = builder_fixed(builder, condition_of(builder, affine_row(builder, i)));
    for (size_t i = motion->affine_count; i < motion->second_count; i++)
        equations[at++] = builder_fixed(builder, motion->seconds[i].f);
    Expr *balance = base_alloc((2 * n + 1) * sizeof *balance), *terms = balance + n;
    balances(builder, balance);
    for (size_t alpha = 0; alpha < free; alpha++) {
        for (size_t nu = 0; nu < n; nu++)
            terms[nu] = expr_mul(pool, builder->E[nu * free + alpha], balance[nu]);
        equations[at++] = expr_sum(pool, terms, n);
    }
    base_free(balance);
}

// How the equations change with u'.
static void make_slopes(RatesBuilder *builder, const Expr *equations, size_t count, Expr *slopes)
{
    size_t n = builder->n, k = builder->k;
    for (size_t beta = 0; beta < k; beta++) {
        ExprRates *along = expr_rates_new(builder->pool);
        for (size_t nu = 0; nu < n; nu++)
            expr_rates_set(along, builder->motion->a[nu], builder->B[nu * k + beta]);
        for (size_t i = 0; i < count; i++)
            slopes[i * count + beta] = expr_rate(along, equations[i]);
        expr_rates_free(along);
    }
    for (size_t j = 0; j < builder->unknown_count; j++)
        for (size_t i = 0; i < count; i++)
            slopes[i * count + k + j] =
                expr_diff(builder->pool, equations[i], builder->unknown[j]->constraint->lambda);
}

// What is left without the unknowns, with the sign changed. The symbols of q'' stand for what it
// is without u' already.
static Expr rest_of(RatesBuilder *builder, Expr equation)
{
    ExprPool *pool = builder->pool;
    size_t count = builder->unknown_count;
    Expr *symbols = base_alloc((2 * count + 1) * sizeof *symbols), *zeros = symbols + count;
    for (size_t j = 0; j < count; j++) {
        symbols[j] = builder->unknown[j]->constraint->lambda;
        zeros[j] = expr_int(pool, 0);
    }
    Expr rest = expr_replace(pool, equation, symbols, zeros, count);
    base_free(symbols);
    return expr_neg(pool, builder_name(builder, builder_reduced(builder, rest)));
}

bool builder_mixed(RatesBuilder *builder)
{
    find_unknown(builder);
    size_t count = builder->k + builder->unknown_count;
    if (!make_displacements(builder))
        return false;
    base_free(builder->matrix);
    base_free(builder->right);
    builder->matrix = base_alloc((count * count + 1) * sizeof(Expr));
    builder->right = base_alloc((count + 1) * sizeof(Expr));
    make_all(builder, builder->right);
    make_slopes(builder, builder->right, count, builder->matrix);
    for (size_t i = 0; i < count && !builder->implicit; i++) {
        builder->right[i] = rest_of(builder, builder->right[i]);
        for (size_t j = 0; j < count; j++)
            builder->matrix[i * count + j] = builder_name(builder, builder->matrix[i * count + j]);
    }
    return true;
}

bool builder_solve(RatesBuilder *builder, const Expr *matrix, const Expr *right, size_t size,
                   Expr *x)
{
    double *values = base_alloc((size * size + size + 1) * sizeof *values);
    double *scale = values + size * size;
    Elimination elimination;
    builder_values(builder, matrix, size * size, values);
    for (size_t i = 0; i < size; i++)
        scale[i] = 1;
    bool solved = elimination_init(&elimination, builder, size, matrix, scale, values);
    if (solved)
        elimination_solve(&elimination, builder, right, x);
    elimination_clear(&elimination);
    base_free(values);
    return solved;
}

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
#include "run/rates_impl.h"

#include <math.h>
#include <string.h>

// Conditions that are affine in q'', those on accelerations last.
static size_t affine_count(const Making *making)
{
    return making->eq->independent.count + making->motion->affine_count;
}

static const MotionRow *affine_row(const Making *making, size_t i)
{
    const Equations *eq = making->eq;
    return i < eq->independent.count ? &making->motion->rows[eq->independent.rows[i]]
                                     : &making->motion->seconds[i - eq->independent.count].row;
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
static bool make_matrix(Making *making, size_t rows, Expr *matrix, double *values)
{
    size_t n = making->n;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] =
                making_name(making, making_fixed(making, affine_row(making, i)->d[j]));
    making_values(making, matrix, rows * n, values);
    for (size_t i = 0; i < rows * n; i++)
        values[i] *= making->state->scale[i % n];
    bool *taken = base_alloc((n + 1) * sizeof *taken);
    double *used = base_alloc((rows * n + 1) * sizeof *used);
    memcpy(used, values, rows * n * sizeof *used);
    bool whole = choose_columns(used, rows, n, taken);
    for (size_t j = 0, i = rows; j < n && whole; j++) {
        for (size_t other = 0; other < n && !taken[j]; other++) {
            matrix[i * n + other] = expr_int(making->pool, other == j);
            values[i * n + other] = (other == j) * making->state->scale[j];
        }
        i += !taken[j];
    }
    base_free(used);
    base_free(taken);
    return whole;
}

static bool make_displacements(Making *making)
{
    size_t n = making->n, rows = making->recipe.whole ? 0 : affine_count(making);
    if (rows > n)
        return false;
    size_t free = making->free = n - rows;
    Expr *matrix = base_alloc((n * n + 2 * n + 1) * sizeof *matrix);
    Expr *right = matrix + n * n, *x = right + n;
    double *values = base_alloc((n * n + 1) * sizeof *values);
    Elimination elimination = {0};
    making->E = base_alloc((n * free + 1) * sizeof(Expr));
    bool whole = make_matrix(making, rows, matrix, values) &&
                 elimination_init(&elimination, making, n, matrix, making->state->scale, values);
    for (size_t alpha = 0; alpha < free && whole; alpha++) {
        for (size_t i = 0; i < n; i++)
            right[i] = expr_int(making->pool, i == rows + alpha);
        elimination_solve(&elimination, making, right, x);
        for (size_t nu = 0; nu < n; nu++)
            making->E[nu * free + alpha] = x[nu];
    }
    elimination_clear(&elimination);
    base_free(values);
    base_free(matrix);
    return whole;
}

// ---- Equations: what must vanish, in the symbols of q'' (and of the multipliers of conditions
// that are not affine).

static Expr condition_of(const Making *making, const MotionRow *row)
{
    size_t n = making->n;
    ExprPool *pool = making->pool;
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, row->b[nu], making->motion->a[nu]);
    terms[n] = row->gamma;
    Expr sum = expr_sum(pool, terms, n + 1);
    base_free(terms);
    return sum;
}

// 𝓜 q'' + h − Σ λ d, by coordinates.
static void balances(Making *making, Expr *out)
{
    Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, s = making->unknown_count;
    Expr *matrix = base_alloc((n * n + 2 * n + s + 1) * sizeof *matrix);
    Expr *bias = matrix + n * n, *terms = bias + n;
    motion_mass_matrix(motion, matrix);
    motion_bias(motion, bias);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t mu = 0; mu < n; mu++) {
            Expr entry = making_name(making, making_fixed(making, matrix[nu * n + mu]));
            terms[mu] = expr_mul(pool, entry, motion->a[mu]);
        }
        for (size_t i = 0; i < s; i++) {
            Expr along = making_fixed(making, making->unknown[i]->d[nu]);
            Expr lambda = making->unknown[i]->constraint->lambda;
            terms[n + i] = expr_neg(pool, expr_mul(pool, lambda, along));
        }
        out[nu] = expr_add(pool, making_name(making, making_fixed(making, bias[nu])),
                           expr_sum(pool, terms, n + s));
    }
    base_free(matrix);
}

// The conditions whose multipliers are unknown: those that are not affine come last.
static void find_unknown(Making *making)
{
    const Motion *motion = making->motion;
    size_t affine = making->recipe.whole ? affine_count(making) : 0;
    size_t curved = motion->second_count - motion->affine_count;
    making->implicit = curved > 0;
    making->unknown = base_alloc((affine + curved + 1) * sizeof *making->unknown);
    for (size_t i = 0; i < affine; i++)
        making->unknown[making->unknown_count++] = affine_row(making, i);
    for (size_t i = 0; i < curved; i++)
        making->unknown[making->unknown_count++] = &motion->seconds[motion->affine_count + i].row;
}

// As many as there are unknowns; the conditions stand first.
static void make_all(Making *making, Expr *equations)
{
    const Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, free = making->free, at = 0;
    size_t first = making->all ? 0 : making->eq->independent.count;
    for (size_t i = first; i < affine_count(making); i++)
        equations[at++] = making_fixed(making, condition_of(making, affine_row(making, i)));
    for (size_t i = motion->affine_count; i < motion->second_count; i++)
        equations[at++] = making_fixed(making, motion->seconds[i].f);
    Expr *balance = base_alloc((2 * n + 1) * sizeof *balance), *terms = balance + n;
    balances(making, balance);
    for (size_t alpha = 0; alpha < free; alpha++) {
        for (size_t nu = 0; nu < n; nu++)
            terms[nu] = expr_mul(pool, making->E[nu * free + alpha], balance[nu]);
        equations[at++] = expr_sum(pool, terms, n);
    }
    base_free(balance);
}

// How the equations change with u'.
static void make_slopes(Making *making, const Expr *equations, size_t count, Expr *slopes)
{
    size_t n = making->n, k = making->k;
    for (size_t beta = 0; beta < k; beta++) {
        ExprRates *along = expr_rates_new(making->pool);
        for (size_t nu = 0; nu < n; nu++)
            expr_rates_set(along, making->motion->a[nu], making->B[nu * k + beta]);
        for (size_t i = 0; i < count; i++)
            slopes[i * count + beta] = expr_rate(along, equations[i]);
        expr_rates_free(along);
    }
    for (size_t j = 0; j < making->unknown_count; j++)
        for (size_t i = 0; i < count; i++)
            slopes[i * count + k + j] =
                expr_diff(making->pool, equations[i], making->unknown[j]->constraint->lambda);
}

// What is left without the unknowns, with the sign changed. The symbols of q'' stand for what it
// is without u' already.
static Expr rest_of(Making *making, Expr equation)
{
    ExprPool *pool = making->pool;
    size_t count = making->unknown_count;
    Expr *symbols = base_alloc((2 * count + 1) * sizeof *symbols), *zeros = symbols + count;
    for (size_t j = 0; j < count; j++) {
        symbols[j] = making->unknown[j]->constraint->lambda;
        zeros[j] = expr_int(pool, 0);
    }
    Expr rest = expr_replace(pool, equation, symbols, zeros, count);
    base_free(symbols);
    return expr_neg(pool, making_name(making, making_reduced(making, rest)));
}

bool making_mixed(Making *making)
{
    find_unknown(making);
    size_t count = making->k + making->unknown_count;
    if (!make_displacements(making))
        return false;
    base_free(making->matrix);
    base_free(making->right);
    making->matrix = base_alloc((count * count + 1) * sizeof(Expr));
    making->right = base_alloc((count + 1) * sizeof(Expr));
    make_all(making, making->right);
    make_slopes(making, making->right, count, making->matrix);
    for (size_t i = 0; i < count && !making->implicit; i++) {
        making->right[i] = rest_of(making, making->right[i]);
        for (size_t j = 0; j < count; j++)
            making->matrix[i * count + j] = making_name(making, making->matrix[i * count + j]);
    }
    return true;
}

bool making_solve(Making *making, const Expr *matrix, const Expr *right, size_t size, Expr *x)
{
    double *values = base_alloc((size * size + size + 1) * sizeof *values);
    double *scale = values + size * size;
    Elimination elimination;
    making_values(making, matrix, size * size, values);
    for (size_t i = 0; i < size; i++)
        scale[i] = 1;
    bool solved = elimination_init(&elimination, making, size, matrix, scale, values);
    if (solved)
        elimination_solve(&elimination, making, right, x);
    elimination_clear(&elimination);
    base_free(values);
    return solved;
}

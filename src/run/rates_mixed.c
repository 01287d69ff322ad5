// rates_mixed.c: the equations for u' where what asks for accelerations is not what gives the
// reactions: under servos (Appell 5), conditions that are not linear in the velocities (Appell
// 21–22) and conditions on accelerations (Hamel 252).
//
// With E the displacements on which no reaction does work (d·E = 0) and q'' = B·u' + D,
//
//     Eᵀ·(𝓜 q'' + h) = 0,   g·q'' + γ = 0 for the conditions that B does not keep by itself,
//
// as many equations as there are speeds. A condition f(q'') = 0 that is not affine gives another
// equation, and its multiplier is another unknown: Eᵀ·(𝓜 q'' + h − Σ λ ∂f/∂q'') = 0.
#include "run/rates_impl.h"

#include <math.h>
#include <string.h>

// Conditions that are affine in q'', those on accelerations last.
static size_t affine_count(const Making *making)
{
    return making->numbers->needed + making->motion->affine_count;
}

static const MotionRow *affine_row(const Making *making, size_t i)
{
    const Numbers *numbers = making->numbers;
    return i < numbers->needed ? &making->motion->rows[numbers->needed_rows[i]]
                               : &making->motion->seconds[i - numbers->needed].row;
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
        values[i] *= making->numbers->scale[i % n];
    bool *taken = base_alloc((n + 1) * sizeof *taken);
    double *used = base_alloc((rows * n + 1) * sizeof *used);
    memcpy(used, values, rows * n * sizeof *used);
    bool whole = choose_columns(used, rows, n, taken);
    for (size_t j = 0, i = rows; j < n && whole; j++) {
        for (size_t other = 0; other < n && !taken[j]; other++) {
            matrix[i * n + other] = expr_int(making->pool, other == j);
            values[i * n + other] = (other == j) * making->numbers->scale[j];
        }
        i += !taken[j];
    }
    base_free(used);
    base_free(taken);
    return whole;
}

static bool make_displacements(Making *making)
{
    size_t n = making->n, rows = affine_count(making);
    if (rows > n)
        return false;
    size_t free = making->free = n - rows;
    Expr *matrix = base_alloc((n * n + 2 * n + 1) * sizeof *matrix);
    Expr *right = matrix + n * n, *x = right + n;
    double *values = base_alloc((n * n + 1) * sizeof *values);
    Elimination elimination = {0};
    making->E = base_alloc((n * free + 1) * sizeof(Expr));
    bool whole = make_matrix(making, rows, matrix, values) &&
                 elimination_init(&elimination, making, n, matrix, making->numbers->scale, values);
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

// 𝓜 q'' + h − Σ λ ∂f/∂q'', by coordinates.
static void balances(Making *making, Expr *out)
{
    Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, s = making->implicit;
    Expr *matrix = base_alloc((n * n + 2 * n + s + 1) * sizeof *matrix);
    Expr *bias = matrix + n * n, *terms = bias + n;
    motion_mass_matrix(motion, matrix);
    motion_bias(motion, bias);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t mu = 0; mu < n; mu++)
            terms[mu] =
                expr_mul(pool, making_name(making, making_fixed(making, matrix[nu * n + mu])),
                         motion->a[mu]);
        for (size_t i = 0; i < s; i++) {
            const MotionRow *row = &motion->seconds[motion->affine_count + i].row;
            terms[n + i] = expr_neg(
                pool, expr_mul(pool, row->constraint->lambda, making_fixed(making, row->b[nu])));
        }
        out[nu] = expr_add(pool, making_name(making, making_fixed(making, bias[nu])),
                           expr_sum(pool, terms, n + s));
    }
    base_free(matrix);
}

// k + implicit of them; the conditions stand first.
static void make_all(Making *making, Expr *equations)
{
    const Motion *motion = making->motion;
    ExprPool *pool = making->pool;
    size_t n = making->n, free = making->free, at = 0;
    size_t first = making->numbers->curved ? 0 : making->numbers->needed;
    for (size_t i = first; i < affine_count(making); i++)
        equations[at++] = making_fixed(making, condition_of(making, affine_row(making, i)));
    for (size_t i = 0; i < making->implicit; i++)
        equations[at++] = making_fixed(making, motion->seconds[motion->affine_count + i].f);
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
    for (size_t j = 0; j < making->implicit; j++) {
        Expr lambda =
            making->motion->seconds[making->motion->affine_count + j].row.constraint->lambda;
        for (size_t i = 0; i < count; i++)
            slopes[i * count + k + j] = expr_diff(making->pool, equations[i], lambda);
    }
}

bool making_mixed(Making *making)
{
    const Motion *motion = making->motion;
    size_t k = making->k;
    making->implicit = motion->second_count - motion->affine_count;
    size_t count = k + making->implicit;
    if (!make_displacements(making))
        return false;
    base_free(making->matrix);
    base_free(making->right);
    making->matrix = base_alloc((count * count + 1) * sizeof(Expr));
    making->right = base_alloc((count + 1) * sizeof(Expr));
    make_all(making, making->right);
    make_slopes(making, making->right, count, making->matrix);
    // The symbols of q'' stand for what it is without u'.
    for (size_t i = 0; i < count && making->implicit == 0; i++) {
        Expr miss = making_name(making, making_reduced(making, making->right[i]));
        making->right[i] = expr_neg(making->pool, miss);
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

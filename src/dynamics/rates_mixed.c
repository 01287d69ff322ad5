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
// multipliers are to be unknown E is everything, and nothing has been divided by. They are where a
// force holds reactions not linearly, too: h and the d hold λ then (motion/friction_forces.c), and
// the sum is what it has to be.
#include "dynamics/dynamics.h"
#include "dynamics/rates_impl.h"
#include "expr/arithmetic.h"
#include "model/constraint.h"
#include "motion/given_energy.h"
#include "motion/inertia.h"

#include <assert.h>

// Conditions that are affine in q'', those on accelerations last.
static size_t affine_count(const RatesBuilder *builder)
{
    return builder->eq->independent.count + builder->motion->affine_count;
}

// Whether the multipliers of all conditions are unknown: where that is asked for, and where a
// force holds reactions not linearly.
static bool is_open(const RatesBuilder *builder)
{
    return builder->recipe.all_velocities || builder->motion->bends;
}

// ---- Displacements.

// Each displacement that no pivot needs is free: it is 1 in a column of E, where the other free
// ones are 0 and the rows give the rest.
static bool make_displacements(RatesBuilder *builder)
{
    size_t n = builder->n, rows = is_open(builder) ? 0 : affine_count(builder);
    if (rows > n)
        return false;
    size_t free = builder->free = n - rows, at = 0;
    Expr *matrix = arena_array(builder->arena, Expr, rows * n);
    Expr *right = arena_array(builder->arena, Expr, rows + n), *x = right + rows;
    for (size_t i = 0; i < rows * n; i++) {
        Expr along = dynamics_row(builder->eq, i / n)->d[i % n];
        matrix[i] = builder_name(builder, builder_fixed(builder, along));
    }
    Elimination elimination;
    if (!elimination_init(&elimination, builder, rows, n, matrix, builder->state->scale))
        return false;
    builder->E = arena_array(builder->arena, Expr, n * free);
    for (size_t j = 0; j < n; j++) {
        if (elimination.search.column_done[j])
            continue;
        for (size_t nu = 0; nu < n; nu++)
            x[nu] = expr_int(builder->pool, nu == j);
        for (size_t i = 0; i < rows; i++)
            right[i] = expr_neg(builder->pool, matrix[i * n + j]);
        elimination_solve(&elimination, right, x);
        for (size_t nu = 0; nu < n; nu++)
            builder->E[nu * free + at] = x[nu];
        at++;
    }
    return true;
}

// ---- Equations: what must vanish, in the symbols of q'' (and of the multipliers of conditions
// that are not affine).

void rates_balance(Motion *motion, const MotionRow *const *rows, size_t count, Arena *arena,
                   RatesBuilder *builder, Expr *out)
{
    assert(rows || count == 0);
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *matrix = arena_array(arena, Expr, n * n + n), *bias = matrix + n * n;
    motion_mass_matrix(motion, matrix);
    motion_bias(motion, bias);
    // What holds unknown multipliers has no name, because it is differentiated by them.
    for (size_t i = 0; i < n * n + n && builder; i++) {
        matrix[i] = builder_fixed(builder, matrix[i]);
        if (!motion->bends || i < n * n)
            matrix[i] = builder_name(builder, matrix[i]);
    }
    for (size_t nu = 0; nu < n; nu++) {
        out[nu] = sum_affine(pool, matrix + nu * n, motion->a, n, bias[nu]);
        if (motion_dsigma(motion)) {
            Expr own = motion_dsigma(motion)[nu];
            out[nu] = expr_add(pool, out[nu], builder ? builder_fixed(builder, own) : own);
        }
        for (size_t i = 0; i < count; i++) {
            Expr along = builder ? builder_fixed(builder, rows[i]->d[nu]) : rows[i]->d[nu];
            Expr reaction = expr_mul(pool, rows[i]->constraint->lambda, along);
            out[nu] = expr_sub(pool, out[nu], reaction);
        }
    }
}

// The conditions whose multipliers are unknown: those that are not affine come last.
static void find_unknown(RatesBuilder *builder)
{
    const Motion *motion = builder->motion;
    size_t affine = is_open(builder) ? affine_count(builder) : 0;
    size_t curved = motion->second_count - motion->affine_count;
    builder->implicit = !motion_is_affine(motion) || motion->bends;
    builder->unknown = arena_array(builder->arena, const MotionRow *, affine + curved);
    for (size_t i = 0; i < affine; i++)
        builder->unknown[builder->unknown_count++] = dynamics_row(builder->eq, i);
    for (size_t i = 0; i < curved; i++)
        builder->unknown[builder->unknown_count++] = &motion->seconds[motion->affine_count + i].row;
}

// As many as there are unknowns; the conditions stand first.
static void make_all(RatesBuilder *builder, Expr *equations)
{
    const Motion *motion = builder->motion;
    ExprPool *pool = builder->pool;
    size_t n = builder->n, free = builder->free, at = 0;
    size_t first = builder->all_velocities ? 0 : builder->eq->independent.count;
    for (size_t i = first; i < affine_count(builder); i++) {
        const MotionRow *row = dynamics_row(builder->eq, i);
        equations[at++] =
            builder_fixed(builder, sum_affine(pool, row->b, motion->a, n, row->gamma));
    }
    for (size_t i = motion->affine_count; i < motion->second_count; i++)
        equations[at++] = builder_fixed(builder, motion->seconds[i].f);
    Expr *balance = arena_array(builder->arena, Expr, 2 * n), *terms = balance + n;
    rates_balance(builder->motion, builder->unknown, builder->unknown_count, builder->arena,
                  builder, balance);
    for (size_t alpha = 0; alpha < free; alpha++) {
        for (size_t nu = 0; nu < n; nu++)
            terms[nu] = expr_mul(pool, builder->E[nu * free + alpha], balance[nu]);
        equations[at++] = expr_sum(pool, terms, n);
    }
}

// How the equations change with u' and with the unknown multipliers.
static void make_slopes(RatesBuilder *builder, const Expr *equations, size_t count, Expr *slopes)
{
    size_t k = builder->k;
    for (size_t beta = 0; beta < k; beta++) {
        ExprRates *along = builder_along(builder, builder->motion->a, beta);
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
    Expr *symbols = arena_array(builder->arena, Expr, 2 * count), *zeros = symbols + count;
    for (size_t j = 0; j < count; j++) {
        symbols[j] = builder->unknown[j]->constraint->lambda;
        zeros[j] = expr_int(pool, 0);
    }
    Expr rest = expr_replace(pool, equation, symbols, zeros, count);
    return expr_neg(pool, builder_name(builder, builder_reduced(builder, rest)));
}

bool builder_mixed(RatesBuilder *builder)
{
    assert(builder->recipe.mixed && builder->B);
    find_unknown(builder);
    size_t count = builder->k + builder->unknown_count;
    if (!make_displacements(builder))
        return false;
    builder->matrix = arena_array(builder->arena, Expr, count * count + count);
    builder->right = builder->matrix + count * count;
    make_all(builder, builder->right);
    make_slopes(builder, builder->right, count, builder->matrix);
    for (size_t i = 0; i < count && !builder->implicit; i++) {
        builder->right[i] = rest_of(builder, builder->right[i]);
        for (size_t j = 0; j < count; j++)
            builder->matrix[i * count + j] = builder_name(builder, builder->matrix[i * count + j]);
    }
    return true;
}

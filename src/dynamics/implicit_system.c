// implicit_system.c: the linear equations of an implicit step in a large system with few entries.
//
// The rates of such a system are solutions of linear equations, so that their Jacobian is full
// though each of these equations holds few unknowns. So what the rates are made by stays unknown:
// with v, a, λ for the changes of velocities, accelerations and multipliers,
//
//     x_q − γ·v = right,                       x_u − γ·d(Y q'' + w) = right,
//     d([b; Y] q' + [c; y0]) − [0; x_u] = 0,   d(𝓜 q'' + h − dᵀλ) = 0,   d(b·q'' + γ') = 0,
//
// d(…) being linear in x_q, v, a and λ. One program gives all that stands in brackets; what each
// part of it depends on is seen from its instructions, and columns that share no row are
// differentiated together, by one series of order 1 along the sum of their directions (Curtis,
// Powell and Reid, On the estimation of sparse Jacobian matrices, J. Inst. Maths Applics 13, 1974).
#include "dynamics/implicit_system.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/rates_impl.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <assert.h>

// ---- The program.

// u', [b; Y]q' + [c; y0], then these forces, b·q'' + γ'.
static bool make_program(ImplicitSystem *newton, Motion *motion)
{
    const Equations *eq = newton->eq;
    const State *state = newton->state;
    ExprPool *pool = motion->pool;
    size_t n = newton->n, m = newton->m, k = newton->k;
    Expr *outputs = arena_array(newton->arena, Expr, k + 2 * n + m), *velocities = outputs + k;
    for (size_t i = 0; i < k; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        bool own = state->speeds.own;
        size_t chosen = state->speeds.chosen[i];
        outputs[i] = own ? sum_affine(pool, speed->y, motion->a, n,
                                      expr_rate(motion->dt_still, speed->value))
                         : motion->a[chosen];
        velocities[m + i] =
            own ? sum_affine(pool, speed->y, motion->v, n, speed->y0) : motion->v[chosen];
    }
    const MotionRow **rows = arena_array(newton->arena, const MotionRow *, m);
    for (size_t i = 0; i < m; i++) {
        const MotionRow *row = rows[i] = &motion->rows[i];
        velocities[i] = sum_affine(pool, row->b, motion->v, n, row->c);
        velocities[2 * n + i] = sum_affine(pool, row->b, motion->a, n, row->gamma);
    }
    rates_balance(motion, rows, m, newton->arena, NULL, velocities + n);
    Program *program =
        program_new(pool, eq->symbols, eq->input_count, outputs, k + 2 * n + m, NULL);
    if (program)
        evaluator_adopt(&newton->program, program);
    return program != NULL;
}

// ---- The pattern. Columns: x_q (n) | x_u (k) | v (n) | a (n) | λ (m).

static void find_columns(ImplicitSystem *newton, const Motion *motion)
{
    const Equations *eq = newton->eq;
    size_t n = newton->n, k = newton->k, first = eq->params + 1;
    newton->columns = arena_array(newton->arena, size_t, eq->input_count);
    for (size_t i = 0; i < eq->input_count; i++)
        newton->columns[i] = newton->size;
    for (size_t nu = 0; nu < n; nu++) {
        newton->columns[first + nu] = nu;
        newton->columns[first + n + nu] = n + k + nu;
        newton->columns[first + 2 * n + nu] = 2 * n + k + nu;
    }
    for (size_t i = 0; i < newton->m; i++)
        newton->columns[first + 3 * n + dynamics_multiplier_index(eq, motion->rows[i].constraint)] =
            3 * n + k + i;
}

static void push(ImplicitSystem *newton, size_t *count, size_t column, double fixed, double slope)
{
    newton->filled.places[*count] = (uint32_t)column;
    newton->fixed[*count] = fixed;
    newton->slopes[(*count)++] = slope;
}

static void find_rows(ImplicitSystem *newton, const size_t *begins, const size_t *inputs)
{
    size_t n = newton->n, m = newton->m, k = newton->k, outputs = newton->size - n;
    size_t count = 0, most = 2 * n + 2 * k + begins[outputs];
    newton->filled = (Pattern){.rows = newton->size,
                               .begins = arena_array(newton->arena, uint32_t, newton->size + 1),
                               .places = arena_array(newton->arena, uint32_t, most)};
    newton->fixed = arena_array(newton->arena, double, most);
    newton->slopes = arena_array(newton->arena, double, most);
    for (size_t nu = 0; nu < n; nu++) {
        push(newton, &count, nu, 1, 0);
        push(newton, &count, n + k + nu, 0, 1);
        newton->filled.begins[nu + 1] = (uint32_t)count;
    }
    for (size_t i = 0; i < outputs; i++) {
        if (i < k)
            push(newton, &count, n + i, 1, 0);
        if (i >= k + m && i < k + n)
            push(newton, &count, n + i - k - m, -1, 0);
        for (size_t j = begins[i]; j < begins[i + 1]; j++)
            if (newton->columns[inputs[j]] < newton->size)
                push(newton, &count, newton->columns[inputs[j]], 0, 0);
        newton->filled.begins[n + i + 1] = (uint32_t)count;
    }
}

// The first colour that no column before it has which shares a row of the program with it. x_u has
// none.
static void find_colours(ImplicitSystem *newton)
{
    size_t size = newton->size, n = newton->n, k = newton->k;
    const Pattern *filled = &newton->filled;
    Pattern rows; // that hold each column
    pattern_transpose(filled, newton->arena, size, size, &rows);
    // By colour: the column + 1 that meets it last.
    size_t *seen = arena_array(newton->arena, size_t, size + 1);
    newton->colours = arena_array(newton->arena, size_t, size + 1);
    for (size_t j = 0; j < size; j++)
        newton->colours[j] = size;
    for (size_t j = 0; j < size; j++) {
        if (j >= n && j < n + k)
            continue;
        for (size_t l = rows.begins[j]; l < rows.begins[j + 1]; l++) {
            size_t i = rows.places[l];
            for (size_t e = filled->begins[i]; i >= n && e < filled->begins[i + 1]; e++)
                seen[newton->colours[filled->places[e]]] = j + 1;
        }
        size_t colour = 0;
        while (seen[colour] == j + 1)
            colour++;
        newton->colours[j] = colour;
        if (colour >= newton->colour_count)
            newton->colour_count = colour + 1;
    }
}

// ---- Numbers.

static bool linearize(void *context, double t, const double *y)
{
    ImplicitSystem *newton = context;
    const Equations *eq = newton->eq;
    State *state = newton->state;
    const Pattern *filled = &newton->filled;
    size_t n = newton->n, inputs = eq->input_count;
    assert(newton->program.series && y);
    double *rates = newton->program.out; // room that is there already
    if (dynamics_velocities(eq, state, t, y, y + n) != DYNAMICS_FOUND ||
        dynamics_accelerations(eq, state, rates) != DYNAMICS_FOUND)
        return false;
    evaluator_next(&newton->program, 0, state->inputs);
    for (size_t colour = 0; colour < newton->colour_count; colour++) {
        for (size_t i = 0; i < inputs; i++)
            newton->direction[i] =
                newton->columns[i] < newton->size && newton->colours[newton->columns[i]] == colour;
        evaluator_next(&newton->program, 1, newton->direction);
        for (size_t i = n; i < newton->size; i++)
            for (size_t e = filled->begins[i]; e < filled->begins[i + 1]; e++)
                if (newton->colours[filled->places[e]] == colour)
                    newton->slopes[e] = newton->program.out[i - n];
    }
    return real_all_finite(newton->slopes, pattern_count(filled));
}

static void fill(void *context, double gamma, double *entries)
{
    const ImplicitSystem *newton = context;
    size_t count = pattern_count(&newton->filled);
    size_t split = newton->filled.begins[newton->n + newton->k];
    for (size_t e = 0; e < count; e++)
        entries[e] = newton->fixed[e] + (e < split ? -gamma : 1) * newton->slopes[e];
}

// ---- Making.

// Chains of masses with dampers take the same time both ways at about 30 parts of the state, and
// half of it at 60; springs between all of 60 masses, half of the entries being filled, take about
// the same.
static bool applies(const Equations *eq)
{
    return eq->n + eq->k >= 2 * SIZE_SMALL && !eq->all_velocities && equations_are_plain(eq) &&
           eq->independent.count == eq->m;
}

// The pattern and the colours, where these pay: forces may depend on everything though the inertia
// does not.
static bool find_pattern(ImplicitSystem *newton, const Motion *motion)
{
    size_t count = newton->n + newton->k;
    size_t *begins = arena_array(newton->arena, size_t, newton->size + 1);
    size_t *inputs = program_depends(newton->program.program, begins);
    bool pays = 4 * begins[newton->size - newton->n] <= count * count;
    if (pays) {
        find_columns(newton, motion);
        find_rows(newton, begins, inputs);
        find_colours(newton);
    }
    base_free(inputs);
    return pays;
}

ImplicitSystem *implicit_system_new(const Equations *eq, State *state, Motion *motion, size_t id)
{
    assert(id > 0 && motion->n == eq->n);
    if (!applies(eq))
        return NULL;
    size_t size = 3 * eq->n + eq->k + eq->m;
    Arena *arena = arena_new();
    ImplicitSystem *newton = arena_array(arena, ImplicitSystem, 1);
    *newton = (ImplicitSystem){.arena = arena,
                               .eq = eq,
                               .state = state,
                               .n = eq->n,
                               .m = eq->m,
                               .k = eq->k,
                               .size = size,
                               .direction = real_alloc(arena, eq->input_count)};
    if (!make_program(newton, motion) || !find_pattern(newton, motion)) {
        implicit_system_free(newton);
        return NULL;
    }
    evaluator_open_series(&newton->program, eq->params, 1);
    newton->jacobian = (OdeSparseJacobian){.id = id,
                                           .size = size,
                                           .begins = newton->filled.begins,
                                           .columns = newton->filled.places,
                                           .context = newton,
                                           .linearize = linearize,
                                           .fill = fill};
    return newton;
}

void implicit_system_free(ImplicitSystem *newton)
{
    if (!newton)
        return;
    evaluator_clear(&newton->program);
    arena_free(newton->arena);
}

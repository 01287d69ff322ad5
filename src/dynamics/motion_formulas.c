// motion_formulas.c: the motion as formulas with parameters as symbols, for those who take it
// elsewhere.
#include "dynamics/motion_formulas.h"
#include "base/diag.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/rates_impl.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void run_formulas_free(RunFormulasRoom *room)
{
    if (!room)
        return;
    rates_builder_clear(room);
    base_free(room);
}

// u', or symbols for it where the equations are solved in numbers.
static Expr *make_rates(RatesBuilder *builder, const Expr *matrix, const Expr *right, bool *solved)
{
    size_t k = builder->k;
    Expr *rates = arena_array(builder->arena, Expr, k);
    *solved = builder->recipe.solved;
    // That of symmetric ones uses them up.
    if (*solved && builder->recipe.mixed) {
        Elimination elimination;
        *solved = elimination_init(&elimination, builder, k, k, matrix, NULL);
        if (*solved)
            elimination_solve(&elimination, right, rates);
    } else if (*solved)
        builder_solve_symmetric(builder, rates);
    for (size_t alpha = 0; alpha < k && !*solved; alpha++)
        rates[alpha] = expr_symbol_new(builder->pool, "rate");
    return rates;
}

// The speeds, the accelerations and the rows that are kept. Where the motion's symbols of q'' are
// defined as D, q'' = B·u' + D.
static void describe(RatesBuilder *builder, RunFormulas *formulas)
{
    size_t n = builder->n, k = builder->k, count = builder->eq->independent.count;
    Arena *arena = builder->arena;
    Expr *speeds = arena_array(arena, Expr, k + n), *accelerations = speeds + k;
    const char **names = arena_array(arena, const char *, k);
    double *u = arena_array(arena, double, k);
    size_t *kept = arena_array(arena, size_t, count);
    memcpy(kept, builder->eq->independent.rows, count * sizeof *kept);
    for (size_t nu = 0; nu < n; nu++)
        accelerations[nu] = sum_affine(builder->pool, builder->B + nu * k, formulas->rates, k,
                                       builder->motion->a[nu]);
    for (size_t alpha = 0; alpha < k; alpha++) {
        speeds[alpha] = builder_speed(builder, alpha);
        names[alpha] = expr_name(builder->pool, speeds[alpha]);
    }
    builder_speeds(builder, u);
    formulas->speeds = speeds;
    formulas->speed_names = names;
    formulas->u = u;
    formulas->accelerations = accelerations;
    formulas->kept = kept;
    formulas->kept_count = count;
}

// The multipliers that are unknown, and what an iteration begins from.
static Status describe_unknown(RatesBuilder *builder, const Equations *eq, State *state, Diag *diag,
                               RunFormulas *formulas)
{
    size_t k = formulas->k, count = formulas->multiplier_count;
    Expr *multipliers = arena_array(builder->arena, Expr, count);
    double *stationary = arena_array(builder->arena, double, k + count);
    formulas->multipliers = multipliers;
    formulas->conditions = arena_array(builder->arena, const ModelConstraint *, count + 1);
    formulas->stationary = stationary;
    for (size_t i = 0; i < count; i++) {
        formulas->conditions[i] = builder->unknown[i]->constraint;
        multipliers[i] = builder->unknown[i]->constraint->lambda;
    }
    if (!formulas->implicit)
        return STATUS_OK;
    if (dynamics_accelerations(eq, state, stationary) != DYNAMICS_FOUND)
        return diag_error(diag, place_none(), "there are no accelerations at the start");
    if (builder->all_velocities)
        memcpy(stationary, state->a, k * sizeof *stationary);
    for (size_t i = 0; i < count; i++)
        stationary[k + i] =
            state->multipliers[dynamics_multiplier_index(eq, builder->unknown[i]->constraint)];
    return STATUS_OK;
}

// Formulas would fill what is empty in large systems.
static Status refuse_large(const Equations *eq, Diag *diag)
{
    if (!eq->sparse_velocities || eq->motion->m == 0)
        return STATUS_OK;
    return diag_error(diag, place_hint(HINT_VELOCITIES),
                      "the system is too large to be solved for its speeds by formulas: %zu "
                      "coordinates and %zu conditions; with all velocities in the state it is "
                      "written out unsolved",
                      eq->motion->n, eq->motion->m);
}

// How the equations are made; false where there are none.
static bool choose(Recipe *recipe)
{
    const Equations *eq = recipe->eq;
    const Motion *motion = recipe->motion;
    recipe->mixed = recipe->all_velocities || motion->servos > 0 || motion->second_count > 0 ||
                    !motion_is_affine(motion) || motion->bends || eq->nonlinear;
    if (!recipe->mixed)
        return rates_recipe(recipe);
    recipe->effort = NAN;
    recipe->solved = eq->k <= SIZE_UNROLLED && motion_is_affine(motion) && !motion->bends &&
                     !recipe->all_velocities;
    return true;
}

Status motion_formulas(const Equations *eq, State *state, Motion *motion, bool fixed, bool whole,
                       Diag *diag, RunFormulasRoom **out, RunFormulas *formulas)
{
    assert(eq->n == motion->n && out && formulas);
    Recipe recipe = {
        .eq = eq, .state = state, .motion = motion, .symbolic = !fixed, .all_velocities = whole};
    *out = NULL;
    if (!whole)
        TRY(refuse_large(eq, diag));
    bool made = choose(&recipe);
    RatesBuilder *builder = *out = base_alloc(sizeof *builder);
    if (!made || !rates_builder_make(builder, &recipe))
        return diag_error(diag, place_none(),
                          "this motion is no set of formulas: at the start its conditions and "
                          "speeds leave nothing to divide by; start beside this position");
    size_t k = builder->k, size = k + builder->unknown_count;
    Expr *matrix = arena_array(builder->arena, Expr, size * size + size);
    Expr *right = matrix + size * size;
    memcpy(matrix, builder->matrix, size * size * sizeof *matrix);
    memcpy(right, builder->right, size * sizeof *matrix);
    *formulas = (RunFormulas){.n = builder->n,
                              .k = k,
                              .matrix = matrix,
                              .right = right,
                              .basis = builder->B,
                              .displacements = builder->E ? builder->E : builder->B,
                              .free = builder->E ? builder->free : k,
                              .multiplier_count = builder->unknown_count,
                              .implicit = builder->implicit};
    formulas->rates = make_rates(builder, matrix, right, &formulas->solved);
    describe(builder, formulas);
    // With q'' in the place of its symbols, which are defined as what it is without u'.
    for (size_t i = 0; i < size * size + size && formulas->implicit; i++)
        matrix[i] =
            expr_replace(builder->pool, matrix[i], motion->a, formulas->accelerations, eq->n);
    formulas->definitions = builder->definitions.at;
    formulas->definition_count = builder->definitions.count;
    formulas->pivots = builder->pivots.at;
    formulas->pivot_count = builder->pivots.count / 2;
    return describe_unknown(builder, eq, state, diag, formulas);
}

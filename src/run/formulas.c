// formulas.c: the motion as formulas with parameters as symbols, for those who take it elsewhere.
#include "run/rates_impl.h"

#include <math.h>
#include <string.h>

struct RunFormulasRoom {
    Arena *arena;
    Making making;
};

void run_formulas_free(RunFormulasRoom *room)
{
    if (!room)
        return;
    making_clear(&room->making);
    arena_free(room->arena);
    base_free(room);
}

// So many rates are solved for on the graph, where nothing is symmetric.
enum { MOST_UNROLLED = 8 };

// u', or symbols for it where the equations are solved in numbers.
static Expr *make_rates(RunFormulasRoom *room, const Expr *matrix, const Expr *right, bool *solved)
{
    Making *making = &room->making;
    size_t k = making->k;
    Expr *rates = arena_alloc(room->arena, (k + 1) * sizeof *rates);
    *solved = making->recipe.solved;
    // That of symmetric ones uses them up.
    if (*solved && making->recipe.mixed)
        *solved = making_solve(making, matrix, right, k, rates);
    else if (*solved)
        making_solve_symmetric(making, making->matrix, making->right, k, rates);
    for (size_t alpha = 0; alpha < k && !*solved; alpha++)
        rates[alpha] = expr_symbol_new(making->pool, "rate");
    return rates;
}

// q'' = B·u' + D, where the motion's symbols of q'' are defined as D.
static Expr *make_accelerations(RunFormulasRoom *room, const Expr *rates)
{
    const Making *making = &room->making;
    size_t n = making->n, k = making->k;
    Expr *accelerations = arena_alloc(room->arena, (n + 1) * sizeof *accelerations);
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t alpha = 0; alpha < k; alpha++)
            terms[alpha] = expr_mul(making->pool, making->B[nu * k + alpha], rates[alpha]);
        terms[k] = making->motion->a[nu];
        accelerations[nu] = expr_sum(making->pool, terms, k + 1);
    }
    base_free(terms);
    return accelerations;
}

static void describe(RunFormulasRoom *room, RunFormulas *formulas)
{
    const Making *making = &room->making;
    size_t k = making->k;
    Expr *speeds = arena_alloc(room->arena, (k + 1) * sizeof *speeds);
    const char **names = arena_alloc(room->arena, (k + 1) * sizeof *names);
    double *u = arena_alloc(room->arena, (k + 1) * sizeof *u);
    for (size_t alpha = 0; alpha < k; alpha++) {
        speeds[alpha] = making_speed(making, alpha);
        names[alpha] = expr_name(making->pool, speeds[alpha]);
    }
    making_speeds(making, u);
    formulas->speeds = speeds;
    formulas->speed_names = names;
    formulas->u = u;
}

// With q'' in the place of its symbols, which are defined as what it is without u'.
static void put_accelerations(RunFormulasRoom *room, const RunFormulas *formulas, Expr *exprs,
                              size_t count)
{
    const Motion *motion = room->making.motion;
    for (size_t i = 0; i < count; i++)
        exprs[i] =
            expr_replace(motion->pool, exprs[i], motion->a, formulas->accelerations, motion->n);
}

// The multipliers that are unknown, and what an iteration begins from.
static Status describe_unknown(RunFormulasRoom *room, Run *run, Diag *diag, RunFormulas *formulas)
{
    const Motion *motion = run->motion;
    const Making *making = &room->making;
    const Equations *eq = &run->eq;
    State *state = &run->state;
    size_t k = formulas->k, count = formulas->multiplier_count;
    Expr *multipliers = arena_alloc(room->arena, (count + 1) * sizeof *multipliers);
    double *stationary = arena_alloc(room->arena, (k + count + 1) * sizeof *stationary);
    formulas->multipliers = multipliers;
    formulas->stationary = stationary;
    for (size_t i = 0; i < count; i++)
        multipliers[i] = making->unknown[i]->constraint->lambda;
    if (!formulas->implicit)
        return STATUS_OK;
    if (numbers_accelerations(eq, state, stationary) != NUMBERS_FOUND)
        return diag_error(diag, place_none(), "there are no accelerations at the start");
    if (making->all)
        memcpy(stationary, state->a, k * sizeof *stationary);
    for (size_t i = 0; i < count; i++)
        stationary[k + i] =
            state->multipliers[making->unknown[i]->constraint - motion->model->constraints.at];
    return STATUS_OK;
}

static const size_t *kept_rows(RunFormulasRoom *room, const Equations *eq)
{
    size_t *kept = arena_alloc(room->arena, (eq->independent.count + 1) * sizeof *kept);
    memcpy(kept, eq->independent.rows, eq->independent.count * sizeof *kept);
    return kept;
}

// Formulas would fill what is empty in large systems.
static Status refuse_large(const Run *run, Diag *diag)
{
    if (!run->eq.sparse_velocities || run->motion->m == 0)
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the system is too large to be solved for its speeds by formulas: %zu "
                      "coordinates and %zu conditions; '--velocities' writes it out unsolved",
                      run->motion->n, run->motion->m);
}

// How the equations are made; false where there are none.
static bool choose(Run *run, Recipe *recipe)
{
    const Motion *motion = run->motion;
    recipe->mixed =
        recipe->whole || motion->servos > 0 || motion->second_count > 0 || run->eq.nonlinear;
    if (!recipe->mixed)
        return rates_recipe(&run->eq, &run->state, run->motion, recipe);
    recipe->effort = NAN;
    recipe->solved = run->eq.k <= MOST_UNROLLED && motion_is_affine(motion) && !recipe->whole;
    return true;
}

Status run_formulas(Run *run, bool fixed, bool whole, Diag *diag, RunFormulasRoom **out,
                    RunFormulas *formulas)
{
    Recipe recipe = {.symbolic = !fixed, .whole = whole};
    *out = NULL;
    if (!whole)
        TRY(refuse_large(run, diag));
    bool made = choose(run, &recipe);
    RunFormulasRoom *room = *out = base_alloc(sizeof *room);
    room->arena = arena_new();
    if (!made || !making_make(&room->making, &run->eq, &run->state, run->motion, recipe))
        return diag_error(diag, place_none(),
                          "this motion is no set of formulas: at the start its conditions and "
                          "speeds leave nothing to divide by; start beside this position");
    const Making *making = &room->making;
    size_t k = making->k, size = k + making->unknown_count;
    Expr *matrix = arena_alloc(room->arena, (size * size + size + 1) * sizeof *matrix);
    Expr *right = matrix + size * size;
    memcpy(matrix, making->matrix, size * size * sizeof *matrix);
    memcpy(right, making->right, size * sizeof *matrix);
    *formulas = (RunFormulas){.n = making->n,
                              .k = k,
                              .matrix = matrix,
                              .right = right,
                              .basis = making->B,
                              .displacements = making->E ? making->E : making->B,
                              .free = making->E ? making->free : k,
                              .multiplier_count = making->unknown_count,
                              .implicit = making->implicit,
                              .kept = kept_rows(room, &run->eq),
                              .kept_count = run->eq.independent.count};
    formulas->rates = make_rates(room, matrix, right, &formulas->solved);
    formulas->accelerations = make_accelerations(room, formulas->rates);
    if (formulas->implicit)
        put_accelerations(room, formulas, matrix, size * size + size);
    describe(room, formulas);
    formulas->definitions = making->definitions.at;
    formulas->definition_count = making->definitions.count;
    return describe_unknown(room, run, diag, formulas);
}

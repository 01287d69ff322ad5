// rates.c: the motion as y' = f(t, y), y = (q, u), in one program with few operations.
//
// On the graph, parameters being constants whose numbers come last, the velocities are eliminated
// (rates_builder.c): q' = B·u + C and q'' = B·u' + D. Then Kane's equations: partial velocities of
// every body, forward along the columns of B,
//
//     Σ_β [Σ m P_α·P_β + Ω_α·I·Ω_β] u'_β = Σ_ν K_ν B_να − Σ m P_α·J − Ω_α·(I·ω' + ω × I·ω),
//
// J and ω' taken for u' = 0. Of several ways to make them the one with the fewest operations is
// taken.
#include "dynamics/rates.h"
#include "dynamics/equations_types.h"
#include "dynamics/rates_impl.h"
#include "dynamics/stop_request.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "program/native.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- The program.

// The program of the outputs, with what sums share taken out of them where that is shorter.
static Program *lower_shortest(RatesBuilder *builder, const Expr *outputs, size_t count)
{
    ProgramDefinition *definitions = builder->definitions.at;
    size_t names = builder->definitions.count, total = names + count;
    Expr *exprs = arena_array(builder->arena, Expr, 2 * total), *former = exprs + total;
    Program *program = builder_lower(builder, outputs, count);
    if (!program || builder->recipe.brief)
        return program;
    for (size_t i = 0; i < names; i++)
        exprs[i] = former[i] = definitions[i].value;
    memcpy(exprs + names, outputs, count * sizeof *outputs);
    sums_factor(builder->pool, exprs, total);
    for (size_t i = 0; i < names; i++)
        definitions[i].value = exprs[i];
    Program *other = builder_lower(builder, exprs + names, count);
    bool shorter = other && program_operations(other) < program_operations(program);
    for (size_t i = 0; i < names && !shorter; i++)
        definitions[i].value = former[i];
    program_free(shorter ? program : other);
    return shorter ? other : program;
}

// q', then u' or the equations for it.
static bool finish(RatesBuilder *builder, Rates *rates)
{
    size_t n = builder->n, k = builder->k, count = rates->unsolved ? k * k + k : k;
    Expr *outputs = arena_array(builder->arena, Expr, n + count);
    memcpy(outputs, builder->motion->v, n * sizeof *outputs);
    if (rates->unsolved) {
        memcpy(outputs + n, builder->matrix, k * k * sizeof *outputs);
        memcpy(outputs + n + k * k, builder->right, k * sizeof *outputs);
    } else
        builder_solve_symmetric(builder, outputs + n);
    Program *program = lower_shortest(builder, outputs, n + count);
    if (!program)
        return false;
    evaluator_adopt(&rates->program, program);
    evaluator_adopt(&rates->pivots,
                    builder_lower(builder, builder->pivots.at, builder->pivots.count));
    rates->least = rates_least_pivot(rates, builder_inputs(builder, builder->recipe.symbolic));
    return true;
}

// Up to some size the equations for u' are solved by formulas; larger ones where elimination, in
// its own order, leaves no more than four entries in a row.
static bool can_solve(const RatesBuilder *builder)
{
    size_t k = builder->k, filled = 0, most = 4 * k;
    bool *entries = arena_array(builder->arena, bool, k *k);
    if (k <= SIZE_UNROLLED)
        return true;
    for (size_t i = 0; i < k * k; i++)
        entries[i] = !expr_is_zero(builder->pool, builder->matrix[i]);
    for (size_t j = 0; j < k && filled <= most; j++)
        for (size_t i = j + 1; i < k; i++) {
            filled += entries[i * k + j];
            for (size_t l = j + 1; l < k && entries[i * k + j]; l++)
                entries[i * k + l] = entries[i * k + l] || entries[j * k + l];
        }
    return filled <= most;
}

// ---- The shortest of several.

static bool make(Rates *rates, const Recipe *recipe)
{
    const Equations *eq = recipe->eq;
    assert(eq->n == recipe->motion->n && eq->k <= eq->n);
    RatesBuilder builder;
    *rates = (Rates){.n = eq->n, .k = eq->k};
    bool made = rates_builder_make(&builder, recipe);
    bool solved = made && recipe->solved && can_solve(&builder);
    rates->unsolved = solved ? 0 : eq->k;
    made = made && finish(&builder, rates);
    rates_builder_clear(&builder);
    return made;
}

// By another recipe, where that is as short.
static void try(Rates *rates, Recipe other, Recipe *recipe)
{
    Rates made;
    if (make(&made, &other) &&
        program_operations(made.program.program) <= program_operations(rates->program.program)) {
        rates_clear(rates);
        *rates = made;
        *recipe = other;
    } else
        rates_clear(&made);
}

// Bodies together; where there are few, also each by itself, simplified where that is short, else
// with parameters that get their numbers last; and what is shortest.
static bool make_shortest(Rates *rates, bool may_be_late, Recipe *recipe)
{
    const Model *model = recipe->motion->model;
    size_t bodies = model->masses.count + model->bodies.count;
    // One alone has nothing to share.
    recipe->together = !recipe->inputs || bodies != 1;
    recipe->bound_late = false;
    recipe->effort = NAN;
    if (!make(rates, recipe))
        return false;
    if (bodies > SIZE_UNROLLED || recipe->brief)
        return true;
    Recipe other = *recipe;
    other.together = false;
    if (recipe->together)
        try(rates, other, recipe);
    // Speeds that are taken on the way are soon left again.
    if (!recipe->state->speeds.own)
        return true;
    // What velocities are made of depends on both.
    ShorterWays *shorter = recipe->shorter;
    if (program_operations(rates->program.program) <= SIZE_SPARSE) {
        other.effort = COMPILE_EACH;
        other.shorter = NULL;
        try(rates, other, recipe);
    } else if (may_be_late && !recipe->inputs) {
        other = *recipe;
        other.bound_late = true;
        other.shorter = NULL;
        try(rates, other, recipe);
    }
    recipe->shorter = shorter;
    return true;
}

// Solved by formulas where that is short and its pivots are good at the present state.
static bool make_either(Rates *rates, bool may_be_late, Recipe *recipe)
{
    recipe->solved = true;
    if (!make_shortest(rates, may_be_late, recipe))
        return false;
    recipe->solved = rates->unsolved == 0;
    // A pivot that is no more than this part of what it is measured by has lost too many digits.
    if (!recipe->solved || rates->least > TOL_SMALL)
        return true;
    // An inertia that is not positive (it may come from a Lagrangian) wants other pivots.
    if (recipe->decisions)
        decisions_refuse(recipe->decisions);
    rates_clear(rates);
    recipe->solved = false;
    return make_shortest(rates, may_be_late, recipe);
}

// Formulas for u' that are given up for shorter ones: that they were good is a decision.
static void keep_least(Rates *rates, const Recipe *recipe)
{
    if (!recipe->decisions || !rates->pivots.program || rates->unsolved > 0)
        return;
    decisions_add_quotients(recipe->decisions, rates->pivots.program, TOL_SMALL);
    rates->pivots.program = NULL;
}

// By elimination on the definitions, where that takes fewer operations than the rates at hand; in
// systems with many freedoms in any case.
static bool make_linear(Rates *rates, bool at_hand, Recipe *recipe)
{
    Rates other;
    size_t most =
        at_hand && rates->unsolved == 0 ? program_operations(rates->program.program) : SIZE_MAX;
    recipe->effort = NAN;
    recipe->bound_late = false;
    if (!rates_eliminate(&other, recipe, most) ||
        program_operations(other.program.program) >= most) {
        rates_clear(&other);
        return at_hand;
    }
    keep_least(rates, recipe);
    rates_clear(rates);
    *rates = other;
    return true;
}

bool rates_init(Rates *rates, const Equations *eq, State *state, Motion *motion)
{
    return rates_init_as(rates, eq, state, motion, (RatesWish){0});
}

bool rates_init_as(Rates *rates, const Equations *eq, State *state, Motion *motion, RatesWish wish)
{
    assert(eq->motion == motion);
    Recipe recipe = {.eq = eq,
                     .state = state,
                     .motion = motion,
                     .inputs = !wish.fixed,
                     .brief = wish.brief,
                     .series = wish.series && !wish.brief,
                     .decisions = wish.decisions,
                     .shorter = &(ShorterWays){SHORTER_OPEN, SHORTER_OPEN}};
    // Conditions that only follow from each other where the motion goes are no formulas to solve;
    // nor are those that are not linear, whichever velocities they leave.
    if (eq->independent.count < eq->m || eq->nonlinear)
        return false;
    *rates = (Rates){0};
    // In large systems dense formulas fill what has few entries, and take long to make.
    bool few = eq->k <= SIZE_UNROLLED && eq->n < SIZE_SPARSE,
         sparse = eq->sparse_velocities && eq->sparse_forces;
    // Reactions of given directions leave nothing symmetric to solve.
    bool symmetric = motion->servos == 0;
    bool made = few && !sparse && symmetric && make_either(rates, true, &recipe);
    if (!made || !recipe.brief)
        made = make_linear(rates, made, &recipe);
    bool ends = stop_requested(state->stop, 0);
    bool settled = made || few || sparse || ends || !symmetric;
    return settled ? made : make_either(rates, true, &recipe);
}

bool rates_recipe(Recipe *recipe)
{
    Rates rates = {0};
    bool made = make_either(&rates, false, recipe);
    rates_clear(&rates);
    return made;
}

void rates_clear(Rates *rates)
{
    compile_progress_clear(&rates->progress);
    rates_close_series(rates);
    program_native_free(rates->native);
    evaluator_clear(&rates->program);
    evaluator_clear(&rates->pivots);
    program_free(rates->solving);
    *rates = (Rates){0};
}

void rates_set_parameters(Rates *rates, const double *parameters)
{
    assert(rates->program.program && parameters);
    program_set_parameters(rates->program.program, parameters);
    if (rates->pivots.program)
        program_set_parameters(rates->pivots.program, parameters);
    if (rates->solving)
        program_set_parameters(rates->solving, parameters);
    rates_renew_series(rates);
}

double rates_least_pivot(Rates *rates, const double *inputs)
{
    double least = 1;
    assert(rates->pivots.program);
    evaluator_run(&rates->pivots, inputs);
    for (size_t i = 0; i < rates->pivots.outputs; i += 2) {
        double part = rates->pivots.out[i] / rates->pivots.out[i + 1];
        if (!(part >= least))
            least = isfinite(part) ? part : -INFINITY;
    }
    return least;
}

// formulas.c: the motion as formulas with parameters as symbols, for those who take it elsewhere.
#include "run/rates_impl.h"

#include <assert.h>
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

// u', or symbols for it where the equations are solved in numbers.
static Expr *make_rates(RunFormulasRoom *room)
{
    Making *making = &room->making;
    size_t k = making->k;
    Expr *rates = arena_alloc(room->arena, (k + 1) * sizeof *rates);
    if (making->recipe.solved)
        making_solve_symmetric(making, making->matrix, making->right, k, rates);
    for (size_t alpha = 0; alpha < k && !making->recipe.solved; alpha++)
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

static void describe(RunFormulasRoom *room, const Run *run, RunFormulas *formulas)
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
    numbers_speeds(&run->numbers, u);
    formulas->speeds = speeds;
    formulas->speed_names = names;
    formulas->u = u;
}

Status run_formulas(Run *run, bool fixed, Diag *diag, RunFormulasRoom **out, RunFormulas *formulas)
{
    Recipe recipe = {.symbolic = !fixed};
    *out = NULL;
    if (run->numbers.curved)
        return diag_error(diag, place_none(),
                          "this motion is no set of formulas: a condition or a speed is not linear "
                          "in the velocities, which are kept to it in numbers");
    if (run->motion->servos)
        return diag_error(diag, place_none(),
                          "servos keep conditions of this model, which no formulas are made for "
                          "yet; where a servo acts as an ideal reaction, write 'constraint'");
    if (run->numbers.few_in_velocities && run->motion->m > 0)
        return diag_error(diag, place_none(),
                          "the system is too large to be written out as formulas: %zu coordinates "
                          "and %zu conditions",
                          run->motion->n, run->motion->m);
    if (!rates_recipe(&run->numbers, run->motion, &recipe))
        return diag_error(diag, place_none(),
                          "this motion is no set of formulas: conditions that depend on each other "
                          "along it are sorted out in numbers; remove those that are redundant");
    RunFormulasRoom *room = *out = base_alloc(sizeof *room);
    room->arena = arena_new();
    bool made = making_make(&room->making, &run->numbers, run->motion, recipe);
    assert(made && "the recipe has been tried");
    (void)made;
    // Solving uses them up.
    size_t k = room->making.k;
    Expr *matrix = arena_alloc(room->arena, (k * k + k + 1) * sizeof *matrix);
    memcpy(matrix, room->making.matrix, k * k * sizeof *matrix);
    memcpy(matrix + k * k, room->making.right, k * sizeof *matrix);
    Expr *rates = make_rates(room);
    *formulas = (RunFormulas){.n = room->making.n,
                              .k = room->making.k,
                              .solved = recipe.solved,
                              .rates = rates,
                              .matrix = matrix,
                              .right = matrix + k * k,
                              .basis = room->making.B,
                              .accelerations = make_accelerations(room, rates)};
    describe(room, run, formulas);
    formulas->definitions = room->making.definitions.at;
    formulas->definition_count = room->making.definitions.count;
    return STATUS_OK;
}

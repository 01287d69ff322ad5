// evaluator.c: a program together with the room that it needs, so that running it allocates
// nothing. Of many outputs that are 0 but for a few, only these few are run.
#include "dynamics/evaluator.h"
#include "expr/arithmetic.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "program/native.h"

#include <assert.h>

// The outputs that are not 0; how many.
static size_t find_filled(const ExprPool *pool, const Expr *outputs, size_t count, size_t *places)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        if (!expr_is_zero(pool, outputs[i]))
            places[filled++] = i;
    return filled;
}

static Program *lower(Evaluator *evaluator, const ExprPool *pool, const Expr *inputs,
                      size_t input_count, const Expr *outputs, Expr *missing)
{
    if (!evaluator->places)
        return program_new(pool, inputs, input_count, outputs, evaluator->count, missing);
    Expr *filled = base_alloc((evaluator->count + 1) * sizeof *filled);
    for (size_t i = 0; i < evaluator->count; i++)
        filled[i] = outputs[evaluator->places[i]];
    Program *program = program_new(pool, inputs, input_count, filled, evaluator->count, missing);
    base_free(filled);
    return program;
}

bool evaluator_prepare(Evaluator *evaluator, const ExprPool *pool, const Expr *inputs,
                       size_t input_count, const Expr *outputs, size_t output_count, Expr *missing)
{
    *evaluator = (Evaluator){.count = output_count, .outputs = output_count};
    // Many outputs, of which at most a quarter is filled, are worth being spread.
    if (output_count >= 2 * SIZE_SPARSE) {
        evaluator->places = base_alloc(output_count * sizeof *evaluator->places);
        evaluator->count = find_filled(pool, outputs, output_count, evaluator->places);
    }
    if (4 * evaluator->count > output_count) {
        base_free(evaluator->places);
        evaluator->places = NULL;
        evaluator->count = output_count;
    }
    evaluator->program = lower(evaluator, pool, inputs, input_count, outputs, missing);
    if (!evaluator->program)
        evaluator_clear(evaluator);
    else if (evaluator->places)
        evaluator->places =
            base_realloc(evaluator->places, (evaluator->count + 1) * sizeof(size_t));
    return evaluator->program != NULL;
}

bool evaluator_init(Evaluator *evaluator, const ExprPool *pool, const Expr *inputs,
                    size_t input_count, const Expr *outputs, size_t output_count, Expr *missing)
{
    if (!evaluator_prepare(evaluator, pool, inputs, input_count, outputs, output_count, missing))
        return false;
    evaluator_add_workspace(evaluator);
    return true;
}

void evaluator_add_workspace(Evaluator *evaluator)
{
    assert(evaluator->program && !evaluator->out);
    evaluator->out = base_alloc((evaluator->outputs + 1) * sizeof(double));
    evaluator->work = base_alloc((program_registers(evaluator->program) + 1) * sizeof(double));
    if (evaluator->places)
        evaluator->filled = base_alloc((evaluator->count + 1) * sizeof(double));
}

void evaluator_share(const Evaluator *of, Arena *arena, Evaluator *evaluator)
{
    *evaluator = (Evaluator){
        .program = of->program, .outputs = of->outputs, .count = of->count, .places = of->places};
    if (!of->program)
        return;
    evaluator->out = arena_alloc(arena, (of->outputs + 1) * sizeof(double));
    evaluator->work = arena_alloc(arena, (program_registers(of->program) + 1) * sizeof(double));
    if (of->places)
        evaluator->filled = arena_alloc(arena, (of->count + 1) * sizeof(double));
}

void evaluator_clear(Evaluator *evaluator)
{
    program_free(evaluator->program);
    base_free(evaluator->places);
    base_free(evaluator->out);
    base_free(evaluator->work);
    base_free(evaluator->filled);
    *evaluator = (Evaluator){0};
}

void evaluator_scatter(const Evaluator *evaluator, const double *given, double *out)
{
    for (size_t i = 0; i < evaluator->count; i++)
        out[evaluator->places[i]] = given[i];
}

void evaluator_run(Evaluator *evaluator, const double *inputs)
{
    assert(evaluator->out && "a program that others share is run by these");
    double *out = evaluator->places ? evaluator->filled : evaluator->out;
    if (evaluator->native)
        program_native_run(evaluator->native, evaluator->which, inputs, out);
    else
        program_run_real(evaluator->program, inputs, out, evaluator->work);
    if (evaluator->places)
        evaluator_scatter(evaluator, out, evaluator->out);
}

bool evaluator_is_finite(const Evaluator *evaluator)
{
    return real_all_finite(evaluator->places ? evaluator->filled : evaluator->out,
                           evaluator->count);
}

// evaluator.c: a program together with the room that it needs, so that running it allocates
// nothing. Of many outputs that are 0 but for a few, only these few are run.
#include "dynamics/evaluator.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "program/native.h"

#include <assert.h>

// The outputs that the program has: where these are many, and at most a quarter of them is filled,
// those that are not 0.
static const Expr *choose_outputs(Evaluator *evaluator, const ExprPool *pool, const Expr *outputs)
{
    size_t filled = 0;
    for (size_t i = 0; i < evaluator->outputs; i++)
        filled += !expr_is_zero(pool, outputs[i]);
    if (evaluator->outputs < 2 * SIZE_SPARSE || 4 * filled > evaluator->outputs)
        return outputs;
    Expr *chosen = arena_array(evaluator->arena, Expr, filled + 1);
    evaluator->places = arena_array(evaluator->arena, size_t, filled + 1);
    evaluator->count = 0;
    for (size_t i = 0; i < evaluator->outputs; i++)
        if (!expr_is_zero(pool, outputs[i])) {
            chosen[evaluator->count] = outputs[i];
            evaluator->places[evaluator->count++] = i;
        }
    return chosen;
}

static void make_workspace(Evaluator *evaluator, Arena *arena)
{
    evaluator->out = real_alloc(arena, evaluator->outputs);
    evaluator->work = real_alloc(arena, program_registers(evaluator->program));
    if (evaluator->places)
        evaluator->filled = real_alloc(arena, evaluator->count);
}

bool evaluator_prepare(Evaluator *evaluator, const ExprPool *pool, const Expr *inputs,
                       size_t input_count, const Expr *outputs, size_t output_count, Expr *missing)
{
    assert(pool && (outputs || output_count == 0));
    *evaluator = (Evaluator){.arena = arena_new(), .count = output_count, .outputs = output_count};
    outputs = choose_outputs(evaluator, pool, outputs);
    evaluator->program = program_new(pool, inputs, input_count, outputs, evaluator->count, missing);
    if (evaluator->program)
        return true;
    evaluator_clear(evaluator);
    return false;
}

bool evaluator_init(Evaluator *evaluator, const ExprPool *pool, const Expr *inputs,
                    size_t input_count, const Expr *outputs, size_t output_count, Expr *missing)
{
    bool made =
        evaluator_prepare(evaluator, pool, inputs, input_count, outputs, output_count, missing);
    if (made)
        evaluator_add_workspace(evaluator);
    return made;
}

void evaluator_add_workspace(Evaluator *evaluator)
{
    assert(evaluator->program && evaluator->arena && !evaluator->out);
    make_workspace(evaluator, evaluator->arena);
}

void evaluator_adopt(Evaluator *evaluator, Program *program)
{
    assert(program);
    size_t count = program_outputs(program);
    *evaluator =
        (Evaluator){.arena = arena_new(), .program = program, .outputs = count, .count = count};
    evaluator_add_workspace(evaluator);
}

void evaluator_share(const Evaluator *of, Arena *arena, Evaluator *evaluator)
{
    assert(arena && of != evaluator);
    *evaluator = (Evaluator){
        .program = of->program, .outputs = of->outputs, .count = of->count, .places = of->places};
    if (of->program)
        make_workspace(evaluator, arena);
}

void evaluator_clear(Evaluator *evaluator)
{
    program_free(evaluator->program);
    arena_free(evaluator->arena);
    *evaluator = (Evaluator){0};
}

void evaluator_scatter(const Evaluator *evaluator, const double *given, double *out)
{
    assert(evaluator->places && given != out);
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

bool evaluator_has_switches(const Evaluator *evaluator)
{
    return program_has_switches(evaluator->program);
}

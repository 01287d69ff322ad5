// evaluator.c: a program together with the room that it needs, so that running it allocates
// nothing. Of many outputs that are 0 but for a few, only these few are run.
#include "dynamics/evaluator.h"
#include "base/diag.h"
#include "dynamics/equations.h"
#include "dynamics/evaluators_native.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "program/kept.h"

#include <assert.h>
#include <string.h>

// ---- Outputs, of which most may be 0.

void outputs_push(SparseOutputs *outputs, const ExprPool *pool, const Expr *exprs, size_t count)
{
    for (size_t i = 0; i < count; i++, outputs->count++)
        if (!expr_is_zero(pool, exprs[i])) {
            array_push(&outputs->filled, exprs[i]);
            array_push(&outputs->places, outputs->count);
        }
}

void outputs_skip(SparseOutputs *outputs, size_t count)
{
    outputs->count += count;
}

// How many stand before a place.
static size_t count_before(const SparseOutputs *outputs, size_t place)
{
    size_t low = 0, high = outputs->places.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (outputs->places.at[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t outputs_between(const SparseOutputs *outputs, size_t from, size_t to, const Expr **filled)
{
    assert(from <= to && to <= outputs->count);
    size_t first = count_before(outputs, from);
    *filled = outputs->filled.at + first;
    return count_before(outputs, to) - first;
}

void outputs_clear(SparseOutputs *outputs)
{
    array_clear(&outputs->filled);
    array_clear(&outputs->places);
    *outputs = (SparseOutputs){0};
}

// The outputs that the program has: where these are many, and at most a quarter of them is filled,
// those that are not 0.
static const Expr *choose_outputs(Evaluator *evaluator, ExprPool *pool,
                                  const SparseOutputs *outputs)
{
    size_t filled = outputs->filled.count, count = evaluator->outputs;
    bool sparse = count >= 2 * SIZE_SPARSE && filled <= count / 4;
    if (sparse) {
        evaluator->count = filled;
        evaluator->places = arena_array(evaluator->arena, size_t, filled + 1);
        if (filled > 0)
            memcpy(evaluator->places, outputs->places.at, filled * sizeof *outputs->places.at);
        return outputs->filled.at;
    }
    Expr *all = arena_array(evaluator->arena, Expr, count + 1), zero = expr_int(pool, 0);
    for (size_t i = 0; i < count; i++)
        all[i] = zero;
    for (size_t i = 0; i < filled; i++)
        all[outputs->places.at[i]] = outputs->filled.at[i];
    return all;
}

static void make_workspace(Evaluator *evaluator, Arena *arena)
{
    evaluator->out = real_alloc(arena, evaluator->outputs);
    evaluator->work = real_alloc(arena, program_registers(evaluator->program));
    evaluator->filled = evaluator->places ? real_alloc(arena, evaluator->count) : evaluator->out;
}

bool evaluator_init_sparse(Evaluator *evaluator, ExprPool *pool, const Expr *inputs,
                           size_t input_count, const SparseOutputs *outputs, Expr *missing)
{
    assert(pool && outputs);
    *evaluator =
        (Evaluator){.arena = arena_new(), .count = outputs->count, .outputs = outputs->count};
    const Expr *chosen = choose_outputs(evaluator, pool, outputs);
    const ProgramKey key = {inputs, input_count, chosen, evaluator->count, true};
    evaluator->program = program_kept(pool, &key);
    if (evaluator->program)
        return true;
    Expr *bounded = arena_array(evaluator->arena, Expr, evaluator->count + 1);
    expr_bounded(pool, chosen, evaluator->count, bounded);
    evaluator->program = program_new(pool, inputs, input_count, bounded, evaluator->count, missing);
    program_keep(pool, &key, evaluator->program);
    if (evaluator->program)
        return true;
    evaluator_clear(evaluator);
    return false;
}

bool evaluator_init(Evaluator *evaluator, ExprPool *pool, const Expr *inputs, size_t input_count,
                    const Expr *outputs, size_t output_count, Expr *missing)
{
    assert(pool && (outputs || output_count == 0));
    SparseOutputs sparse = {0};
    outputs_push(&sparse, pool, outputs, output_count);
    bool made = evaluator_init_sparse(evaluator, pool, inputs, input_count, &sparse, missing);
    outputs_clear(&sparse);
    return made;
}

void evaluator_adopt(Evaluator *evaluator, Program *program)
{
    assert(program);
    size_t count = program_outputs(program);
    *evaluator =
        (Evaluator){.arena = arena_new(), .program = program, .outputs = count, .count = count};
    make_workspace(evaluator, evaluator->arena);
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
    program_series_free(evaluator->series);
    if (evaluator->arena)
        program_free(evaluator->program);
    arena_free(evaluator->arena);
    *evaluator = (Evaluator){0};
}

// What the program itself gives, into the places of all outputs; those that are 0 are left alone.
static void scatter(Evaluator *evaluator)
{
    for (size_t i = 0; i < evaluator->count && evaluator->places; i++)
        evaluator->out[evaluator->places[i]] = evaluator->filled[i];
}

void evaluator_run(Evaluator *evaluator, const double *inputs)
{
    assert(evaluator->program);
    if (!evaluator->out)
        make_workspace(evaluator, evaluator->arena);
    if (evaluator->native)
        program_native_run(evaluator->native, evaluator->which, inputs, evaluator->filled);
    else
        program_run_real(evaluator->program, inputs, evaluator->filled, evaluator->work);
    scatter(evaluator);
}

void evaluator_open_series(Evaluator *evaluator, size_t constants, size_t most_order)
{
    assert(evaluator->out && !evaluator->series);
    evaluator->series = program_series_new(evaluator->program, constants, most_order);
}

void evaluator_next(Evaluator *evaluator, size_t k, const double *inputs)
{
    assert(evaluator->series);
    program_series_next(evaluator->series, k, inputs, evaluator->filled);
    scatter(evaluator);
}

static const Program **programs_of(Evaluator *const *evaluators, size_t count)
{
    const Program **programs = base_alloc((count + 1) * sizeof *programs);
    for (size_t i = 0; i < count; i++)
        programs[i] = evaluators[i]->program;
    return programs;
}

bool evaluators_start(Evaluator *const *evaluators, size_t count, NativeJobs *jobs)
{
    assert(evaluators && jobs);
    const Program **programs = programs_of(evaluators, count);
    bool started = program_native_start(programs, count, jobs);
    base_free(programs);
    return started;
}

ProgramNative *evaluators_compile(Evaluator *const *evaluators, size_t count, NativeHow how,
                                  Text *why)
{
    assert(evaluators && why);
    const Program **programs = programs_of(evaluators, count);
    ProgramNative *native = program_native_new(programs, count, how, why);
    for (size_t i = 0; i < count && native; i++) {
        evaluators[i]->native = native;
        evaluators[i]->which = i;
    }
    base_free(programs);
    return native;
}

bool evaluator_is_finite(const Evaluator *evaluator)
{
    return real_all_finite(evaluator->filled, evaluator->count);
}

bool evaluator_has_switches(const Evaluator *evaluator)
{
    return program_has_switches(evaluator->program);
}

static Status fail_missing(const Equations *eq, const char *what, Expr missing, Diag *diag)
{
    return diag_error(diag, place_none(), "%s '%s', which has no value in a run", what,
                      expr_name(eq->motion->pool, missing));
}

Status equations_lower(const Equations *eq, const char *what, const Expr *outputs, size_t count,
                       size_t inputs, Diag *diag, Evaluator *evaluator)
{
    assert(inputs <= eq->input_count);
    Expr missing = {0};
    if (evaluator_init(evaluator, eq->motion->pool, eq->symbols, inputs, outputs, count, &missing))
        return STATUS_OK;
    return fail_missing(eq, what, missing, diag);
}

Status equations_lower_sparse(const Equations *eq, const char *what, const SparseOutputs *outputs,
                              size_t inputs, Diag *diag, Evaluator *evaluator)
{
    assert(inputs <= eq->input_count);
    Expr missing = {0};
    if (evaluator_init_sparse(evaluator, eq->motion->pool, eq->symbols, inputs, outputs, &missing))
        return STATUS_OK;
    return fail_missing(eq, what, missing, diag);
}

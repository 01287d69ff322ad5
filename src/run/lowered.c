// lowered.c: a program together with the room that it needs, so that running it allocates
// nothing. Of many outputs that are 0 but for a few, only these few are run.
#include "run/run_impl.h"

// So many outputs, of which at most this part is filled, are worth being spread.
#define MANY_OUTPUTS 256
#define FEW_FILLED   0.25

// The outputs that are not 0; how many.
static size_t find_filled(const ExprPool *pool, const Expr *outputs, size_t count, size_t *places)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; i++)
        if (!expr_is_zero(pool, outputs[i]))
            places[filled++] = i;
    return filled;
}

static Program *lower(Lowered *lowered, const ExprPool *pool, const Expr *inputs,
                      size_t input_count, const Expr *outputs, Expr *missing)
{
    if (!lowered->places)
        return program_new(pool, inputs, input_count, outputs, lowered->count, missing);
    Expr *filled = base_alloc((lowered->count + 1) * sizeof *filled);
    for (size_t i = 0; i < lowered->count; i++)
        filled[i] = outputs[lowered->places[i]];
    Program *program = program_new(pool, inputs, input_count, filled, lowered->count, missing);
    base_free(filled);
    return program;
}

bool lowered_compile(Lowered *lowered, const ExprPool *pool, const Expr *inputs, size_t input_count,
                     const Expr *outputs, size_t output_count, Expr *missing)
{
    *lowered = (Lowered){.count = output_count, .outputs = output_count};
    if (output_count >= MANY_OUTPUTS) {
        lowered->places = base_alloc(output_count * sizeof *lowered->places);
        lowered->count = find_filled(pool, outputs, output_count, lowered->places);
    }
    if ((double)lowered->count > FEW_FILLED * (double)output_count) {
        base_free(lowered->places);
        lowered->places = NULL;
        lowered->count = output_count;
    }
    lowered->program = lower(lowered, pool, inputs, input_count, outputs, missing);
    if (!lowered->program)
        lowered_clear(lowered);
    else if (lowered->places)
        lowered->places = base_realloc(lowered->places, (lowered->count + 1) * sizeof(size_t));
    return lowered->program != NULL;
}

static void make_workspace(Lowered *lowered)
{
    lowered->out = base_alloc((lowered->outputs + 1) * sizeof *lowered->out);
    lowered->work = base_alloc((program_registers(lowered->program) + 1) * sizeof *lowered->work);
    if (lowered->places)
        lowered->filled = base_alloc((lowered->count + 1) * sizeof *lowered->filled);
}

bool lowered_init(Lowered *lowered, const ExprPool *pool, const Expr *inputs, size_t input_count,
                  const Expr *outputs, size_t output_count, Expr *missing)
{
    if (!lowered_compile(lowered, pool, inputs, input_count, outputs, output_count, missing))
        return false;
    make_workspace(lowered);
    return true;
}

void lowered_share(const Lowered *of, Lowered *lowered)
{
    *lowered = (Lowered){.program = of->program,
                         .outputs = of->outputs,
                         .count = of->count,
                         .places = of->places,
                         .shared = true};
    if (of->program)
        make_workspace(lowered);
}

void lowered_clear(Lowered *lowered)
{
    if (!lowered->shared) {
        program_free(lowered->program);
        base_free(lowered->places);
    }
    base_free(lowered->out);
    base_free(lowered->work);
    base_free(lowered->filled);
    *lowered = (Lowered){0};
}

void lowered_spread(const Lowered *lowered, const double *given, double *out)
{
    for (size_t i = 0; i < lowered->count; i++)
        out[lowered->places[i]] = given[i];
}

void lowered_run(Lowered *lowered, const double *inputs)
{
    double *out = lowered->places ? lowered->filled : lowered->out;
    if (lowered->native)
        program_native_run(lowered->native, lowered->which, inputs, out);
    else
        program_run_real(lowered->program, inputs, out, lowered->work);
    if (lowered->places)
        lowered_spread(lowered, out, lowered->out);
}

bool lowered_is_finite(const Lowered *lowered)
{
    return all_finite(lowered->places ? lowered->filled : lowered->out, lowered->count);
}

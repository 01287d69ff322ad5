// lowered.c: a program together with the room that it needs, so that running it allocates
// nothing.
#include "run/run_impl.h"

bool lowered_init(Lowered *lowered, const ExprPool *pool, const Expr *inputs, size_t input_count,
                  const Expr *outputs, size_t output_count, Expr *missing)
{
    lowered->program = program_new(pool, inputs, input_count, outputs, output_count, missing);
    if (!lowered->program)
        return false;
    lowered->out = base_alloc((output_count + 1) * sizeof *lowered->out);
    lowered->work = base_alloc((program_registers(lowered->program) + 1) * sizeof *lowered->work);
    return true;
}

void lowered_clear(Lowered *lowered)
{
    program_free(lowered->program);
    base_free(lowered->out);
    base_free(lowered->work);
    *lowered = (Lowered){0};
}

void lowered_run(Lowered *lowered, const double *inputs)
{
    if (lowered->native)
        program_native_run(lowered->native, lowered->which, inputs, lowered->out);
    else
        program_run_real(lowered->program, inputs, lowered->out, lowered->work);
}

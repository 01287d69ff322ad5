// field.c: a program run in a prime field, where a rational function is zero or is not.
//
// A number n/d enters as n·d⁻¹; a root as either of the two numbers whose square it is, for a
// field has no order that would tell them apart. Which one, is decided by the number under
// the root and a draw for the whole run, so that two ways to write the same root agree.
#include "program/program_impl.h"

#include <flint/nmod.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>

typedef struct {
    nmod_t mod;
    uint64_t signs; // drawn for the run
    bool failed;
} FieldRun;

static ulong field_quotient(FieldRun *run, ulong a, ulong b)
{
    if (b == 0) {
        run->failed = true;
        return 0;
    }
    return nmod_mul(a, n_invmod(b, run->mod.n), run->mod);
}

static ulong field_root(FieldRun *run, ulong a)
{
    if (a == 0)
        return 0;
    ulong root = n_sqrtmod(a, run->mod.n);
    if (root == 0) {
        run->failed = true;
        return 0;
    }
    Random sign = random_seed(run->signs ^ a);
    return random_next(&sign) & 1 ? nmod_neg(root, run->mod) : root;
}

static ulong field_constant(FieldRun *run, const fmpq *value)
{
    ulong num = fmpz_fdiv_ui(&value->num, run->mod.n);
    if (fmpz_is_one(&value->den))
        return num;
    return field_quotient(run, num, fmpz_fdiv_ui(&value->den, run->mod.n));
}

bool program_run_field(const Program *program, uint64_t prime, Random *signs,
                       const uint64_t *inputs, uint64_t *outputs, uint64_t *work)
{
    if (!program->rational)
        return false;
    FieldRun state = {.signs = random_next(signs)}, *run = &state;
    nmod_init(&run->mod, prime);
    for (size_t i = 0; i < program->constant_count; i++)
        work[i] = field_constant(run, program->exact + i);
    for (size_t i = 0; i < program->input_count; i++)
        work[program->constant_count + i] = inputs[i];
    for (size_t i = 0; i < program->code_count && !run->failed; i++) {
        const Instruction *at = program->code + i;
        const ulong a = work[at->a], b = work[at->b], c = work[at->c];
        switch (at->op) {
#define INSTRUCTION(NAME, operands, real_value, field_value, ...)                                  \
    case PROGRAM_##NAME:                                                                           \
        work[at->result] = (field_value);                                                          \
        break;
#include "program/instructions.def"
#undef INSTRUCTION
        default: return false; // kept out by program->rational
        }
    }
    if (run->failed)
        return false;
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = work[program->outputs[i]];
    return true;
}

bool program_is_rational(const Program *program)
{
    return program->rational;
}

bool program_has_roots(const Program *program)
{
    return program->has_roots;
}

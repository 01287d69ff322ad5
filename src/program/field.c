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
    bool circles;   // sines and cosines of inputs are points of the circle, drawn for the run
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

// 2t/(1 + t²) or (1 − t²)/(1 + t²), t drawn for the input that a function is of.
static ulong circle_value(FieldRun *run, const Program *program, const Instruction *at)
{
    size_t input = at->a - program->constant_count;
    Random random = random_seed(run->signs ^ (0x9E3779B97F4A7C15u * (input + 1)));
    ulong t = random_below(&random, run->mod.n), square = nmod_mul(t, t, run->mod);
    run->failed = run->failed || !run->circles || at->a < program->constant_count ||
                  input >= program->input_count;
    ulong above =
        at->op == PROGRAM_CALL_SIN ? nmod_add(t, t, run->mod) : nmod_sub(1, square, run->mod);
    return field_quotient(run, above, nmod_add(1, square, run->mod));
}

static bool run_code(FieldRun *run, const Program *program, const uint64_t *inputs,
                     uint64_t *outputs, uint64_t *work)
{
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
        case PROGRAM_CALL_SIN:
        case PROGRAM_CALL_COS: work[at->result] = circle_value(run, program, at); break;
        default: return false;
        }
    }
    if (run->failed)
        return false;
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = work[program->outputs[i]];
    return true;
}

bool program_run_field(const Program *program, uint64_t prime, Random *signs,
                       const uint64_t *inputs, uint64_t *outputs, uint64_t *work)
{
    FieldRun run = {.signs = random_next(signs)};
    nmod_init(&run.mod, prime);
    return program->rational && run_code(&run, program, inputs, outputs, work);
}

// Coordinates and the sines and cosines of each are related by the circle alone. So a value that is
// not 0 at a point of the field is that of a function that is not 0.
bool program_outputs_are_not_zero(const Program *program)
{
    enum { PRIME = 2305843009213693951 }; // 2^61 − 1
    Random random = random_seed(0x6B7265697365u);
    size_t inputs = program->input_count, outputs = program->output_count;
    FieldRun run = {.signs = random_next(&random), .circles = true};
    uint64_t *values =
        base_alloc((inputs + outputs + program_registers(program) + 1) * sizeof *values);
    nmod_init(&run.mod, PRIME);
    for (size_t i = 0; i < inputs; i++)
        values[i] = random_below(&random, PRIME);
    bool shown = program->pi_at < 0 && !program->has_roots &&
                 run_code(&run, program, values, values + inputs, values + inputs + outputs);
    for (size_t i = 0; i < outputs && shown; i++)
        shown = values[inputs + i] != 0;
    base_free(values);
    return shown;
}

bool program_is_rational(const Program *program)
{
    return program->rational;
}

bool program_has_roots(const Program *program)
{
    return program->has_roots;
}

// periodicity.c: whether an input is an angle of which whole turns do not matter.
//
// Each value of the program is followed: it is the same after a turn, or it has grown by a number
// of turns (the sum of two angles), or nothing is known of it. Sine and cosine forget whole turns.
#include "program/program_impl.h"

#include <math.h>
#include <string.h>

// By how many turns a value has grown; NAN: nothing is known of it. Of a product one factor must be
// a number.
static double product_growth(const Program *program, const double *growth, uint32_t a, uint32_t b)
{
    if (growth[a] == 0 && growth[b] == 0)
        return 0;
    if (a < program->constant_count)
        return program->real[a] * growth[b];
    return b < program->constant_count ? program->real[b] * growth[a] : NAN;
}

static double growth_of(const Program *program, const double *growth, const Instruction *at)
{
    switch (at->op) {
    case PROGRAM_ADD: return growth[at->a] + growth[at->b];
    case PROGRAM_SUB: return growth[at->a] - growth[at->b];
    case PROGRAM_NEG: return -growth[at->a];
    case PROGRAM_MUL: return product_growth(program, growth, at->a, at->b);
    case PROGRAM_MUL_ADD: return product_growth(program, growth, at->a, at->b) + growth[at->c];
    case PROGRAM_MUL_SUB: return product_growth(program, growth, at->a, at->b) - growth[at->c];
    case PROGRAM_SUB_MUL: return growth[at->c] - product_growth(program, growth, at->a, at->b);
    case PROGRAM_CALL_SIN:
    case PROGRAM_CALL_COS: return growth[at->a] == floor(growth[at->a]) ? 0 : NAN;
    default: break;
    }
    const uint32_t operands[] = {at->a, at->b, at->c};
    for (int i = 0; i < program_operands(at->op); i++)
        if (growth[operands[i]] != 0)
            return NAN;
    return 0;
}

bool program_forgets_turns(const Program *program, size_t input)
{
    double *growth = base_alloc((program->register_count + 1) * sizeof *growth);
    bool forgets = true;
    if (input < program->input_count)
        growth[program->constant_count + input] = 1;
    for (size_t i = 0; i < program->code_count; i++)
        growth[program->code[i].result] = growth_of(program, growth, program->code + i);
    for (size_t i = 0; i < program->output_count && forgets; i++)
        forgets = growth[program->outputs[i]] == 0;
    base_free(growth);
    return forgets;
}

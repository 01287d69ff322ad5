// real.c: a program run in doubles. One loop, one switch made from the two tables, no memory.
#include "program/program_impl.h"

#include <math.h>
#include <string.h>

// The value of one instruction, of the operands that it reads.
double program_real_value(const ExprTables *tables, uint32_t op, double a, double b, double c)
{
    switch ((ProgramOp)op) {
#define INSTRUCTION(NAME, operands, value, ...)                                                    \
    case PROGRAM_##NAME:                                                                           \
        return (value);
#include "program/instructions.def"
#undef INSTRUCTION
#define OP(NAME, word, arity, value, ...)                                                          \
    case PROGRAM_CALL_##NAME:                                                                      \
        return (value);
#include "expr/ops.def"
#undef OP
    }
    return NAN;
}

// Sine and cosine of one angle mostly follow each other.
typedef struct {
    double angle, sine, cosine;
} Wave;

static inline const Wave *wave_of(Wave *wave, double angle)
{
    if (angle != wave->angle) {
        wave->angle = angle;
        program_wave(angle, &wave->sine, &wave->cosine);
    }
    return wave;
}
#define program_sine(angle)   wave_of(&wave, angle)->sine
#define program_cosine(angle) wave_of(&wave, angle)->cosine

void program_run_real(const Program *program, const double *inputs, double *outputs, double *work)
{
    Wave wave = {.angle = NAN};
    const ExprTables *tables = program->tables;
    if (program->constant_count)
        memcpy(work, program->real, program->constant_count * sizeof *work);
    if (program->input_count)
        memcpy(work + program->constant_count, inputs, program->input_count * sizeof *work);
    const Instruction *at = program->code;
    for (size_t left = program->code_count; left > 0; left--, at++) {
        switch ((ProgramOp)at->op) {
#define INSTRUCTION(NAME, operands, value, ...)                                                    \
    case PROGRAM_##NAME: {                                                                         \
        const double a = work[at->a], b = work[at->b], c = work[at->c];                            \
        (void)b, (void)c;                                                                          \
        work[at->result] = (value);                                                                \
        break;                                                                                     \
    }
#include "program/instructions.def"
#undef INSTRUCTION
#define OP(NAME, word, arity, value, ...)                                                          \
    case PROGRAM_CALL_##NAME: {                                                                    \
        const double a = work[at->a], b = work[at->b];                                             \
        (void)a, (void)b;                                                                          \
        work[at->result] = (value);                                                                \
        break;                                                                                     \
    }
#include "expr/ops.def"
#undef OP
        }
    }
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = work[program->outputs[i]];
}

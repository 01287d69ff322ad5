// lanes.c: a program run in doubles for many inputs at once. Each instruction is done for all lanes
// before the next is looked at; the values are those of program_run_real, bit for bit.
#include "program/program_impl.h"

#include <math.h>
#include <string.h>

// No turn of the loop that follows depends on another one.
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

enum { LANES = PROGRAM_LANES };

void program_run_lanes(const Program *program, const double *inputs, double *outputs, double *work)
{
    for (size_t i = 0; i < program->constant_count; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            work[i * LANES + lane] = program->real[i];
    if (program->input_count)
        memcpy(work + program->constant_count * LANES, inputs,
               program->input_count * LANES * sizeof *work);
    const Instruction *at = program->code;
    const ExprTables *tables = program->tables;
    for (size_t left = program->code_count; left > 0; left--, at++) {
        const double *of_a = work + (size_t)at->a * LANES, *of_b = work + (size_t)at->b * LANES;
        const double *of_c = work + (size_t)at->c * LANES;
        double *result = work + (size_t)at->result * LANES;
        switch ((ProgramOp)at->op) {
#define INSTRUCTION(NAME, operands, value, ...)                                                    \
    case PROGRAM_##NAME:                                                                           \
        INDEPENDENT for (size_t lane = 0; lane < LANES; lane++)                                    \
        {                                                                                          \
            const double a = of_a[lane], b = of_b[lane], c = of_c[lane];                           \
            (void)b, (void)c;                                                                      \
            result[lane] = (value);                                                                \
        }                                                                                          \
        break;
#include "program/instructions.def"
#undef INSTRUCTION
#define OP(NAME, word, arity, value, ...)                                                          \
    case PROGRAM_CALL_##NAME:                                                                      \
        for (size_t lane = 0; lane < LANES; lane++) {                                              \
            const double a = of_a[lane], b = of_b[lane];                                           \
            (void)a, (void)b;                                                                      \
            result[lane] = (value);                                                                \
        }                                                                                          \
        break;
#include "expr/ops.def"
#undef OP
        }
    }
    for (size_t i = 0; i < program->output_count; i++)
        memcpy(outputs + i * LANES, work + (size_t)program->outputs[i] * LANES,
               LANES * sizeof *outputs);
}

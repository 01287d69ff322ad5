// waves.c: programs whose sines and cosines are worked out several at a time.
#include "program/series_impl.h"

void program_wave(double angle, double *sine, double *cosine)
{
    double x[FLOW_BLOCK] = {angle}, sines[FLOW_BLOCK], cosines[FLOW_BLOCK];
    series_kernels()->waves(x, sines, cosines, 1);
    *sine = sines[0];
    *cosine = cosines[0];
}

double program_sine(double angle)
{
    double sine, cosine;
    program_wave(angle, &sine, &cosine);
    return sine;
}

double program_cosine(double angle)
{
    double sine, cosine;
    program_wave(angle, &sine, &cosine);
    return cosine;
}

void program_batch_waves(Program *program)
{
    for (size_t i = 0; i < program->code_count; i++) {
        Instruction *at = program->code + i;
        at->op = at->op == PROGRAM_CALL_SIN ? PROGRAM_SINE : at->op;
        at->op = at->op == PROGRAM_CALL_COS ? PROGRAM_COSINE : at->op;
    }
}

bool program_has_waves(const Program *program)
{
    for (size_t i = 0; i < program->code_count; i++)
        if (program->code[i].op == PROGRAM_SINE || program->code[i].op == PROGRAM_COSINE)
            return true;
    return false;
}

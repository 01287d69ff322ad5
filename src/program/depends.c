// depends.c: which inputs each output of a program can depend on.
#include "program/program_impl.h"

#include <string.h>

// For each register a row of bits, one for each input: what its present value was made of.
static uint64_t *follow(const Program *program, size_t words)
{
    uint64_t *bits = base_alloc((program->register_count + 1) * words * sizeof *bits);
    uint64_t *sum = base_alloc((words + 1) * sizeof *sum);
    for (size_t i = 0; i < program->input_count; i++)
        bits[(program->constant_count + i) * words + i / 64] = UINT64_C(1) << i % 64;
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *at = program->code + i;
        const uint32_t operands[] = {at->a, at->b, at->c};
        memset(sum, 0, words * sizeof *sum);
        for (int j = 0; j < program_operands(at->op); j++)
            for (size_t word = 0; word < words; word++)
                sum[word] |= bits[operands[j] * words + word];
        memcpy(bits + at->result * words, sum, words * sizeof *sum);
    }
    base_free(sum);
    return bits;
}

size_t *program_depends(const Program *program, size_t *begins)
{
    size_t words = (program->input_count + 63) / 64;
    uint64_t *bits = follow(program, words);
    ARRAY(size_t) inputs = {0};
    array_reserve(&inputs, 1);
    for (size_t i = 0; i < program->output_count; i++) {
        const uint64_t *row = bits + program->outputs[i] * words;
        begins[i] = inputs.count;
        for (size_t j = 0; j < program->input_count; j++)
            if (row[j / 64] >> j % 64 & 1)
                array_push(&inputs, j);
    }
    begins[program->output_count] = inputs.count;
    base_free(bits);
    return inputs.at;
}

bool program_passes(const Program *program, size_t input, size_t output)
{
    size_t place = program->constant_count + input;
    bool passes = program->outputs[output] == place;
    for (size_t i = 0; i < program->code_count && passes; i++)
        passes = program->code[i].result != place;
    return passes;
}

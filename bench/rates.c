// rates.c (bench): how many operations the rates of a model take, and how long.
//
//     rates MODEL.zw…
#include "measure.h"
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "rates: cannot open %s\n", path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = base_alloc((size_t)size + 1);
    text[fread(text, 1, (size_t)size, file)] = '\0';
    fclose(file);
    return text;
}

static void measure(const char *path)
{
    char *text = read_whole(path);
    Diag *diag = diag_new();
    Source *source = source_new(path, text, strlen(text));
    Model *model = NULL;
    Motion *motion = NULL;
    Run *run = NULL;
    RunOptions options = run_options();
    Rates rates = {0};
    if (model_read(source, NULL, 0, diag, &model) == STATUS_OK &&
        motion_new(model, diag, &motion) == STATUS_OK &&
        run_new(motion, &options, diag, &run) == STATUS_OK) {
        Numbers *numbers = &run->numbers;
        double start = measure_now();
        bool made = rates_init(&rates, numbers, motion);
        double making = measure_now() - start;
        if (made) {
            double *in = base_alloc((1 + 2 * rates.n + 1) * sizeof *in);
            double *out = base_alloc((program_outputs(rates.program) + 1) * sizeof *out);
            double *work = base_alloc((program_registers(rates.program) + 1) * sizeof *work);
            memcpy(in + 1, numbers->q, rates.n * sizeof *in);
            numbers_speeds(numbers, in + 1 + rates.n);
            long turns = 0;
            double begin = measure_now(), now = begin;
            for (; now - begin < 0.05; now = measure_now())
                for (int i = 0; i < 100; i++, turns++)
                    program_run_real(rates.program, in, out, work);
            printf("| %s | %zu | %zu | %zu | %zu | %.1f | %.2f |\n", model->name, rates.n, rates.k,
                   rates.unsolved, program_operations(rates.program), 1e3 * making,
                   1e6 * (now - begin) / (double)turns);
            base_free(in);
            base_free(out);
            base_free(work);
        } else {
            printf("| %s | no rates |\n", model->name);
        }
    } else {
        printf("| %s | refused |\n", path);
    }
    rates_clear(&rates);
    run_free(run);
    motion_free(motion);
    model_free(model);
    source_free(source);
    diag_free(diag);
    base_free(text);
}

int main(int count, char **words)
{
    for (int i = 1; i < count; i++)
        measure(words[i]);
    return 0;
}

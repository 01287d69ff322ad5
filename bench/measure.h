// measure.h: what our side of the benchmarks shares: clocks, and a derivation
// from the text of a model to its mass matrix and right-hand side.
#ifndef ZWANG_BENCH_MEASURE_H
#define ZWANG_BENCH_MEASURE_H

#include "base/base.h"
#include "model/model.h"
#include "model/vectors.h"
#include "motion/motion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static inline double measure_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Seconds of the processor that this program has used.
static inline double measure_now(void)
{
    return measure_clock(CLOCK_PROCESS_CPUTIME_ID);
}

// Seconds by the clock of the wall, for the least of many short times: on a virtual processor that
// of the process jumps back by what was stolen.
static inline double measure_wall(void)
{
    return measure_clock(CLOCK_MONOTONIC);
}

// The whole text of a file; ends the program where it cannot be read.
static inline char *measure_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        exit(2);
    }
    Text text = {0};
    for (int c; (c = fgetc(file)) != EOF;)
        text_add_char(&text, (char)c);
    fclose(file);
    return text.at;
}

// Seconds of one derivation; `more` may add to it. Ends the program where the model is refused.
static inline double measure_derivation(const Source *source, void (*more)(Motion *motion))
{
    double start = measure_now();
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    if (model_read(source, NULL, 0, diag, &model) != STATUS_OK ||
        motion_new(model, diag, &motion) != STATUS_OK) {
        Text said = {0};
        diag_render(diag, DIAG_WARNING, &said);
        fprintf(stderr, "%s", said.at ? said.at : "the model was refused\n");
        exit(1);
    }
    Expr *mass = base_alloc(motion->n * motion->n * sizeof *mass);
    Expr *bias = base_alloc(motion->n * sizeof *bias);
    motion_mass_matrix(motion, mass);
    motion_bias(motion, bias);
    if (more)
        more(motion);
    double seconds = measure_now() - start;
    base_free(mass);
    base_free(bias);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    return seconds;
}

// Prints the least seconds of so many derivations, of ten seconds in all, and the MB of memory that
// this program has used.
static inline void measure_derivations(const char *name, const char *text, int repeats,
                                       void (*more)(Motion *motion))
{
    Source *source = source_new(name, text, strlen(text));
    double best = measure_derivation(source, more), total = best;
    for (int i = 1; i < repeats && total < 10; i++) {
        double seconds = measure_derivation(source, more);
        best = seconds < best ? seconds : best;
        total += seconds;
    }
    source_free(source);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.6g %.6g\n", best, (double)usage.ru_maxrss / 1024);
}

#endif

// repeats_zwang MODEL SETTING COUNT TO ENGINE: runs of one model with other parameters, without
// rows between start and end: opened anew for each, and the same model set anew. SETTING is
// NAME=FROM:TO.
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zwang.h>

typedef struct {
    const char *path, *engine;
    char name[64];
    double from, to, end;
    double sum; // of all numbers of all rows
} Work;

static bool add_row(void *context, const double *values, size_t count)
{
    Work *work = context;
    for (size_t i = 0; i < count; i++)
        work->sum += values[i];
    return true;
}

static void check(zw_model *model, zw_status status)
{
    if (status == ZW_DONE)
        return;
    char *text = zw_messages(model, ZW_ERROR);
    fprintf(stderr, "%s", text ? text : "failed\n");
    exit(1);
}

static void run(Work *work, zw_model *model)
{
    zw_run_options options = {0};
    options.to = options.every = work->end;
    options.engine = work->engine;
    options.row = add_row;
    options.context = work;
    check(model, zw_run(model, &options, NULL));
    zw_free(zw_messages(model, ZW_NOTE));
}

static void name_setting(const Work *work, size_t i, size_t count, char *text, size_t size)
{
    double value = work->from + (work->to - work->from) * (double)i / (double)count;
    snprintf(text, size, "%s=%.17g", work->name, value);
}

int main(int count, char **words)
{
    Work work = {0};
    if (count != 6 || sscanf(words[2], "%63[^=]=%lf:%lf", work.name, &work.from, &work.to) != 3) {
        fprintf(stderr, "usage: repeats_zwang MODEL NAME=FROM:TO COUNT END ENGINE\n");
        return 2;
    }
    work.path = words[1];
    size_t runs = strtoul(words[3], NULL, 10);
    work.end = strtod(words[4], NULL);
    work.engine = words[5];
    char text[128];
    const char *setting = text;
    double least[2] = {INFINITY, INFINITY}, sums[2] = {0};
    zw_model *kept, *model;
    zw_status opened = zw_model_open(work.path, NULL, &kept);
    check(kept, opened);
    for (size_t i = 0; i < runs; i++) {
        name_setting(&work, i, runs, text, sizeof text);
        work.sum = 0;
        double begin = measure_now();
        opened = zw_model_open(
            work.path, &(zw_model_options){.settings = &setting, .setting_count = 1}, &model);
        check(model, opened);
        run(&work, model);
        zw_model_free(model);
        least[0] = fmin(least[0], measure_now() - begin);
        sums[0] += work.sum;
        work.sum = 0;
        begin = measure_now();
        check(kept, zw_model_set(kept, &setting, 1));
        run(&work, kept);
        if (i > 0)
            least[1] = fmin(least[1], measure_now() - begin);
        sums[1] += work.sum;
    }
    zw_model_free(kept);
    printf("%.4g %.4g %s\n", 1e3 * least[0], 1e3 * least[1],
           memcmp(&sums[0], &sums[1], sizeof *sums) == 0 ? "same" : "different");
    return 0;
}

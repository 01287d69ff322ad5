// long_run.h: a model of the gallery, run for many steps: the conditions hold in positions and in
// velocities at every row, and memory does not grow. For test_long.c, and for tests/soak.
#ifndef ZWANG_TESTS_LONG_RUN_H
#define ZWANG_TESTS_LONG_RUN_H

#include "files.h"
#include "simulate/run_report.h"

#include "dynamics/projection.h"
#include "model/model.h"
#include "model/vectors.h"
#include "motion/motion.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <math.h>
#include <sys/resource.h>

typedef struct {
    const char *model;
    const char *settings; // as for --set
    double every;         // near the length of a step
    RunMethod method;
    size_t few; // rows of a short run
} LongCase;

typedef struct {
    Simulation *run;
    size_t rows, most_rows;
    double position, velocity; // the largest residuals, of the largest term in each
    long memory, grown;        // kB at a tenth of the way, and what came after
} LongRun;

static inline long long_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static inline void long_position_miss(LongRun *going)
{
    const Equations *eq = going->run->base->eq;
    State *state = going->run->base->state;
    positions_evaluate(state);
    for (size_t i = 0; i < eq->finite; i++) {
        double largest = 0;
        for (size_t j = eq->finite_conditions[i].terms; j < eq->finite_conditions[i + 1].terms; j++)
            largest = fmax(largest, fabs(positions_terms(eq, state)[j]));
        going->position = fmax(going->position, fabs(positions_f(state)[i]) / largest);
    }
}

static inline double long_velocity_miss(const LongRun *going)
{
    const Equations *eq = going->run->base->eq;
    const State *state = going->run->base->state;
    const double *row = state->velocities.out, *rest = row + eq->n * eq->n;
    double miss = 0;
    for (size_t i = 0; i < eq->m; i++, row += eq->n) {
        double sum = rest[i], largest = fabs(sum);
        for (size_t j = 0; j < eq->n; j++) {
            sum += row[j] * state->v[j];
            largest = fmax(largest, fabs(row[j] * state->v[j]));
        }
        miss = fmax(miss, largest > 0 ? fabs(sum) / largest : 0);
    }
    return miss;
}

static inline bool long_row(void *context, const double *values)
{
    LongRun *going = context;
    (void)values;
    long_position_miss(going);
    going->velocity = fmax(going->velocity, long_velocity_miss(going));
    if (++going->rows == going->most_rows / 10)
        going->memory = long_memory();
    going->grown = long_memory() - going->memory;
    return true;
}

// So many rows, near as many steps.
static inline LongRun long_run(const LongCase *kase, size_t rows, RunSummary *summary)
{
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", kase->model, ".zw");
    Source *source = source_new(kase->model, text.at, text.length);
    ModelSetting setting = {source_new("settings", kase->settings, strlen(kase->settings))};
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    RunOptions options = run_options();
    options.every = kase->every;
    options.to = kase->every * (double)rows;
    options.method = kase->method;
    LongRun going = {.most_rows = rows};
    RunListener listener = {.row = long_row, .context = &going};
    assert_int_equal(model_read(source, &setting, kase->settings[0] != 0, diag, &model), STATUS_OK);
    assert_int_equal(motion_new(model, diag, &motion), STATUS_OK);
    assert_int_equal(run_new(motion, &options, diag, &going.run), STATUS_OK);
    assert_int_equal(run_go(going.run, &listener, diag, summary), STATUS_OK);
    run_free(going.run);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    source_free(source);
    source_free((Source *)setting.source);
    text_clear(&text);
    return going;
}

static const LongCase long_cases[] = {
    {"fourbar", "", 0.0085, RUN_TAYLOR, 10000},
    {"slider_crank", "", 0.0090, RUN_TAYLOR, 10000},
    {"squeezer", "mom=0,be'=1000", 0.00042, RUN_TAYLOR, 2000},
};

#endif

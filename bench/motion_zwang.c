// motion_zwang.c (bench): a motion by zwang, from the text of its model to the state at the end.
//
//     motion_zwang MODEL.zw METHOD ENGINE TO REPEATS TOLERANCE…
//
// Prints a line a tolerance: the engine, tolerance, the least processor seconds of an integration
// over so many of them (from the row at the start to the row at the end: deriving and compiling do
// not count; each model is run some times more as it was derived and loaded, as its peers'
// integrators are), steps, the least seconds of the whole from the text on, those of the first one,
// the method, and coordinates and velocities at the end. METHOD may be auto, ENGINE native (by then
// from the cache), interpret or auto.
#include "measure.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

#include <math.h>
#include <string.h>

typedef struct {
    double start, seconds; // of the integration; the least so far
    double row[4096];
    size_t parts;     // coordinates and velocities
    RunMethod method; // that was taken
    RunSummary summary;
} Trip;

// Columns: t; coordinates; their velocities; others.
static bool take_row(void *context, const double *row)
{
    Trip *trip = context;
    if (row[0] == 0) {
        trip->start = measure_wall();
        return true;
    }
    trip->seconds = fmin(trip->seconds, measure_wall() - trip->start);
    memcpy(trip->row, row + 1, trip->parts * sizeof *row);
    return true;
}

static void expect(bool done, const Diag *diag)
{
    if (done)
        return;
    Text said = {0};
    diag_render(diag, DIAG_WARNING, &said);
    fprintf(stderr, "motion_zwang: the run failed\n%s", said.at ? said.at : "");
    exit(1);
}

// As often each model is run again.
enum { RUNS_AGAIN = 5 };

// Seconds of the whole, without the further runs.
static double travel(const Source *source, const RunOptions *options, Trip *trip)
{
    double start = measure_wall();
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunListener listener = {.row = take_row, .context = trip};
    bool opened = model_read(source, NULL, 0, diag, &model) == STATUS_OK &&
                  motion_new(model, diag, &motion) == STATUS_OK &&
                  run_new(motion, options, diag, &run) == STATUS_OK;
    trip->parts = opened && motion->n <= 2048 ? 2 * motion->n : 0;
    expect(opened && run_go(run, &listener, diag, &trip->summary) == STATUS_OK, diag);
    trip->method = run_settings(run).method;
    double seconds = measure_wall() - start;
    for (int i = 0; i < RUNS_AGAIN && run_can_repeat(run); i++) {
        // Some must be derived anew all the same: these have been measured once.
        expect(run_repeat(run, options, diag, &run) == STATUS_OK, diag);
        RunSummary summary;
        bool done = run_go(run, &listener, diag, &summary) == STATUS_OK;
        expect(done || !run_is_served(run), diag);
    }
    run_free(run);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    return seconds;
}

static void measure(const Source *source, const RunOptions *options, const char *engine,
                    int repeats)
{
    double whole = INFINITY, first = 0;
    Trip trip = {.seconds = INFINITY};
    for (int i = 0; i < repeats; i++) {
        double seconds = travel(source, options, &trip);
        first = i == 0 ? seconds : first;
        whole = fmin(whole, seconds);
    }
    printf("%s %g %.6g %zu %.6g %.6g %s", engine, options->tolerance, trip.seconds,
           trip.summary.steps, whole, first, run_method_name(trip.method));
    for (size_t part = 0; part < trip.parts; part++)
        printf(" %.17g", trip.row[part]);
    printf("\n");
}

int main(int count, char **words)
{
    RunOptions options = run_options();
    options.chooses_method = count > 2 && strcmp(words[2], "auto") == 0;
    if (count < 7 ||
        (!options.chooses_method && !run_method_find(str_of(words[2]), &options.method)) ||
        !run_engine_find(str_of(words[3]), &options.engine)) {
        fprintf(stderr, "motion_zwang MODEL.zw METHOD ENGINE TO REPEATS TOLERANCE…\n");
        return 2;
    }
    char *text = measure_read(words[1]);
    Source *source = source_new(words[1], text, strlen(text));
    options.to = options.every = atof(words[4]);
    options.repeats = true;
    if (options.chooses_method)
        options.method = RUN_TAYLOR;
    for (int i = 6; i < count; i++) {
        options.tolerance = atof(words[i]);
        measure(source, &options, words[3], atoi(words[5]));
    }
    source_free(source);
    base_free(text);
    return 0;
}

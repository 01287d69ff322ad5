// The rolling hoop for 100 s by zwang: from the text of its model to the state at the end.
//
//     hoop_zwang MODEL.zw ENGINE REPEATS TOLERANCE…
//
// Prints a line a tolerance: name, tolerance, the least processor seconds of an integration over so
// many of them (from the row at the start to the row at the end: deriving and compiling do not
// count), steps, x y θ ψ φ θ′ ψ′ φ′ at t = 100, and the least seconds of the whole, from the text
// on. ENGINE is native (by then from the cache) or interpret.
#include "measure.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

#include <math.h>
#include <string.h>

enum { PARTS = 8, END = 100 };

typedef struct {
    double start, seconds; // of the integration
    double row[PARTS];
    RunSummary summary;
} Trip;

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "hoop_zwang: cannot open %s\n", path);
        exit(2);
    }
    Text text = {0};
    for (int c; (c = fgetc(file)) != EOF;)
        text_add_char(&text, (char)c);
    fclose(file);
    return text.at;
}

// Columns: t; x, y, θ, ψ, φ; their velocities.
static bool take_row(void *context, const double *row)
{
    Trip *trip = context;
    if (row[0] == 0) {
        trip->start = measure_now();
        return true;
    }
    trip->seconds = measure_now() - trip->start;
    memcpy(trip->row, row + 1, 5 * sizeof *row);
    memcpy(trip->row + 5, row + 8, 3 * sizeof *row);
    return true;
}

// Seconds of the whole.
static double travel(const Source *source, RunEngine engine, double tolerance, Trip *trip)
{
    double start = measure_now();
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunOptions options = run_options();
    options.engine = engine;
    options.tolerance = tolerance;
    options.to = options.every = END;
    RunListener listener = {.row = take_row, .context = trip};
    if (model_read(source, NULL, 0, diag, &model) != STATUS_OK ||
        motion_new(model, diag, &motion) != STATUS_OK ||
        run_new(motion, &options, diag, &run) != STATUS_OK ||
        run_go(run, &listener, diag, &trip->summary) != STATUS_OK) {
        fprintf(stderr, "hoop_zwang: the run failed\n");
        exit(1);
    }
    run_free(run);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    return measure_now() - start;
}

static void measure(const Source *source, RunEngine engine, double tolerance, int repeats)
{
    double least = INFINITY, whole = INFINITY;
    Trip trip = {0};
    for (int i = 0; i < repeats; i++) {
        whole = fmin(whole, travel(source, engine, tolerance, &trip));
        least = fmin(least, trip.seconds);
    }
    printf("%s %g %.6g %zu", engine == RUN_NATIVE ? "native" : "interpreted", tolerance, least,
           trip.summary.steps);
    for (int part = 0; part < PARTS; part++)
        printf(" %.17g", trip.row[part]);
    printf(" %.6g\n", whole);
}

int main(int count, char **words)
{
    RunEngine engine = RUN_NATIVE;
    if (count < 5 || !run_engine_find(str_of(words[2]), &engine)) {
        fprintf(stderr, "hoop_zwang MODEL.zw ENGINE REPEATS TOLERANCE…\n");
        return 2;
    }
    char *text = read_whole(words[1]);
    Source *source = source_new(words[1], text, strlen(text));
    for (int i = 4; i < count; i++)
        measure(source, engine, atof(words[i]), atoi(words[3]));
    source_free(source);
    base_free(text);
    return 0;
}

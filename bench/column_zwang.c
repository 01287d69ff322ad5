// Our side of bench/column. column_zwang N…: a column of N balls falls on a floor and on each
// other, with --method timestepping; for each N a line
//
//     N zwang SECONDS ENERGY
//
// with the processor time of the whole, from the text of the model to the last row, and the energy
// at its end.
#include "measure.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

#include <string.h>

static const char text[] = "param r = 0.05, gap = 0.01, g = 9.81, e = 0.5\n"
                           "coord z[N]\n"
                           "for i in 1..N {\n"
                           "  mass 1 at [0, 0, z[i]]\n"
                           "  initial z[i] = r + gap + (2*r + gap)*(i - 1)\n"
                           "}\n"
                           "gravity [0, 0, -g]\n"
                           "constraint floor: z[1] >= r restitution e\n"
                           "for i in 2..N {\n"
                           "  constraint touch[i]: z[i] - z[i-1] >= 2*r restitution e\n"
                           "}\n"
                           "run to 1 every 1\n";

static bool keep(void *context, const double *row)
{
    // The energy is the last column.
    RunStart *start = context;
    start->row = row;
    return true;
}

static double simulate(const char *count)
{
    Text whole = {0};
    text_addf(&whole, "const N = %s\n%s", count, text);
    Source *source = source_new("column.zw", whole.at, whole.length);
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    options.step = 1e-3;
    RunStart last = {0};
    RunListener listener = {.row = keep, .context = &last};
    if (model_read(source, NULL, 0, diag, &model) != STATUS_OK ||
        motion_new(model, diag, &motion) != STATUS_OK ||
        run_new(motion, &options, diag, &run) != STATUS_OK ||
        run_go(run, &listener, diag, NULL) != STATUS_OK) {
        Text said = {0};
        diag_render(diag, DIAG_WARNING, &said);
        fprintf(stderr, "%s", said.at);
        exit(1);
    }
    size_t energy = 0;
    while (strcmp(run_column_name(run, energy), "energy") != 0)
        energy++;
    double value = last.row[energy];
    run_free(run);
    motion_free(motion);
    model_free(model);
    source_free(source);
    diag_free(diag);
    text_clear(&whole);
    return value;
}

int main(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        double start = measure_now();
        double energy = simulate(words[i]);
        printf("%s zwang %.4g %.9g\n", words[i], measure_now() - start, energy);
        fflush(stdout);
    }
    return 0;
}

// Stiff motions by BDF, its equations solved with the entries that are filled (KLU) and dense.
//
//     stiff_zwang             a line a system: its name, the parts of its state, steps, seconds by
//                             KLU and dense, and the largest difference of a coordinate at the end;
//                             nan where dense equations would take too long
//
// Seconds are those of the run alone, after the derivation. Both ways go in turn, twice; the lesser
// time counts.
#include "measure.h"

#include "dynamics/equations_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <math.h>
#include <string.h>

static const char chain[] =
    "param k = 1e4, d = 100\ncoord x[N]\nfor i in 1..N { kinetic x[i]'^2/2 }\n"
    "for i in 1..N-1 {\n"
    "    potential k*(x[i+1] - x[i])^2/2\n    dissipation d*(x[i+1]' - x[i]')^2/2\n}\n"
    "potential k*x[1]^2/2\ndissipation d*x[1]'^2/2\n"
    "for i in 1..N { initial x[i] = sin(pi*i/(2*N+1)), x[i]' = 0 }\nrun to 10 every 1\n";
static const char bar[] =
    "param k = 1e4, d = 100\ncoord x[N]\n"
    "for i in 1..N-1 {\n    kinetic (x[i]'^2 + x[i]'*x[i+1]' + x[i+1]'^2)/6\n"
    "    potential k*(x[i+1] - x[i])^2/2\n    dissipation d*(x[i+1]' - x[i]')^2/2\n}\n"
    "kinetic x[1]'^2/6\npotential k*x[1]^2/2\ndissipation d*x[1]'^2/2\n"
    "for i in 1..N { initial x[i] = sin(pi*i/(2*N+1)), x[i]' = 0 }\nrun to 10 every 1\n";
static const char reaction[] =
    "param D = 1000, r = 1e4\ncoord c[N]\n"
    "for i in 1..N {\n    constraint s[i]: c[i]' = "
    "D*(c[max(i-1,1)] - 2*c[i] + c[min(i+1,N)]) - r*c[i]^3\n    initial c[i] = 1 + i/N\n}\n"
    "kinetic 0*c[1]'^2\nrun to 1 every 0.1\n";
static const char rods[] = "param d = 500\ncoord x[N], y[N]\n"
                           "mass 1 at [x[1], y[1], 0]\nconstraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
                           "for i in 2..N {\n    mass 1 at [x[i], y[i], 0]\n"
                           "    constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n}\n"
                           "for i in 1..N {\n    dissipation d*(x[i]'^2 + y[i]'^2)/2\n"
                           "    initial x[i] = 0.6*i, y[i] = 0.8*i, x[i]' = 0, y[i]' = 0\n}\n"
                           "gravity [0, -9.81, 0]\nrun to 2 every 0.5\n";

// From so many on it goes by KLU alone.
enum { LARGE = 1000 };

typedef struct {
    const char *name, *text;
    int N;
} System;

typedef struct {
    double seconds;
    size_t parts, steps, coordinates;
    double *last;
} Result;

static bool keep_last(void *context, const double *row)
{
    Result *result = context;
    memcpy(result->last, row + 1, result->coordinates * sizeof *row);
    return true;
}

static void stop(Diag *diag)
{
    Text said = {0};
    diag_render(diag, DIAG_WARNING, &said);
    fprintf(stderr, "%s", said.at ? said.at : "a model was refused\n");
    exit(1);
}

static Result measure(const System *system, bool dense)
{
    Text text = {0};
    text_addf(&text, "const N = %d\n%s", system->N, system->text);
    Source *source = source_new(system->name, text.at, text.length);
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunOptions options = run_options();
    options.method = RUN_BDF;
    options.tolerance = 1e-8;
    if (model_read(source, NULL, 0, diag, &model) != STATUS_OK ||
        motion_new(model, diag, &motion) != STATUS_OK ||
        run_new(motion, &options, diag, &run) != STATUS_OK)
        stop(diag);
    run->settings.dense = dense;
    Result result = {.parts = run->base->eq->n + run->base->eq->k, .coordinates = run->base->eq->n};
    result.last = base_alloc(result.coordinates * sizeof *result.last);
    RunListener listener = {.row = keep_last, .context = &result};
    RunSummary summary;
    double begin = measure_now();
    if (run_go(run, &listener, diag, &summary) != STATUS_OK)
        stop(diag);
    result.seconds = measure_now() - begin;
    result.steps = summary.steps;
    run_free(run);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    source_free(source);
    text_clear(&text);
    return result;
}

static void compare(const System *system)
{
    double least[2] = {INFINITY, INFINITY}, difference = 0;
    Result results[2] = {{0}};
    bool both = system->N < LARGE;
    for (int turn = 0; turn < 4; turn++) {
        if (turn % 2 == 1 && !both)
            continue;
        base_free(results[turn % 2].last);
        results[turn % 2] = measure(system, turn % 2 == 1);
        least[turn % 2] = fmin(least[turn % 2], results[turn % 2].seconds);
    }
    for (size_t i = 0; i < results[0].coordinates && both; i++)
        difference = fmax(difference, fabs(results[0].last[i] - results[1].last[i]));
    printf("%s %d %zu %zu %.4g %.4g %.2g\n", system->name, system->N, results[0].parts,
           results[0].steps, least[0], both ? least[1] : NAN, both ? difference : NAN);
    base_free(results[0].last);
    base_free(results[1].last);
}

int main(void)
{
    static const System systems[] = {
        {"chain", chain, 25},  {"chain", chain, 50},        {"chain", chain, 100},
        {"chain", chain, 200}, {"chain", chain, 300},       {"chain", chain, 1000},
        {"bar", bar, 200},     {"reaction", reaction, 200}, {"rods", rods, 50},
    };
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        compare(&systems[i]);
    return 0;
}

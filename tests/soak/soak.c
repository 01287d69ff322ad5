// soak.c: closed loops over a million steps each, and a ball in a box over 10⁵ impacts. `make soak`
// runs it; it takes minutes. soak [ROWS [MODEL]]
#include "../simulate/long_run.h"

#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool soak(const LongCase *kase, size_t rows)
{
    RunSummary summary;
    double begun = seconds();
    LongRun going = long_run(kase, rows, &summary);
    bool good = going.position < 1e-12 && going.velocity < 1e-12 && going.grown < 1024;
    printf("%-13s %zu steps, %zu rows: positions %.1e, velocities "
           "%.1e of the largest term; memory "
           "%ld kB, then %ld more; energy %.1e; %.0f s: %s\n",
           kase->model, summary.steps, going.rows, going.position, going.velocity, going.memory,
           going.grown, summary.energy_drift, seconds() - begun, good ? "good" : "BAD");
    fflush(stdout);
    return good;
}

// Nothing sinks in, and energy goes only as the shocks say: with e = 1 none, and with the e of the
// roof all that its impacts are told to take.
static bool soak_events(const char *e)
{
    char text[600];
    snprintf(text, sizeof text,
             "coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -9.81]\n"
             "constraint floor: z >= 0 restitution 1\nconstraint roof: z <= 1 restitution %s\n"
             "constraint left: x >= 0 restitution 1\nconstraint right: x <= 1 restitution 1\n"
             "initial x = 0.3, z = 0.4, x' = 31, z' = 50\nrun to 1250 every 1\n",
             e);
    double begun = seconds();
    Diag *diag = diag_new();
    Source *source = source_new("box.zw", text, strlen(text));
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunOptions options = run_options();
    RunSummary summary = {0};
    bool good = model_read(source, NULL, 0, diag, &model) == STATUS_OK &&
                motion_new(model, diag, &motion) == STATUS_OK &&
                run_new(motion, &options, diag, &run) == STATUS_OK &&
                run_go(run, NULL, diag, &summary) == STATUS_OK;
    good = good && summary.deepest < 1e-10 && summary.energy_drift < 1e-8;
    printf(
        "box, e = %s    %zu impacts: sinks in by %.1e, energy %.1e beside the %.6g lost; %.0f s: "
        "%s\n",
        e, summary.events[RUN_IMPACT].count, summary.deepest, summary.energy_drift,
        summary.energy_lost, seconds() - begun, good ? "good" : "BAD");
    run_free(run);
    motion_free(motion);
    model_free(model);
    source_free(source);
    diag_free(diag);
    return good;
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    bool good = soak_events("1") && soak_events("0.9999");
    for (size_t i = 0; i < sizeof long_cases / sizeof *long_cases; i++)
        if (argc < 3 || strcmp(argv[2], long_cases[i].model) == 0)
            good = soak(&long_cases[i], rows) && good;
    return good ? 0 : 1;
}

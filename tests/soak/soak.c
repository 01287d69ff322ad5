// soak.c: closed loops over a million steps each. `make soak` runs it; it takes minutes.
// soak [ROWS [MODEL]]
#include "../run/long_run.h"

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

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    bool good = true;
    for (size_t i = 0; i < sizeof long_cases / sizeof *long_cases; i++)
        if (argc < 3 || strcmp(argv[2], long_cases[i].model) == 0)
            good = soak(&long_cases[i], rows) && good;
    return good ? 0 : 1;
}

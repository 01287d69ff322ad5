// asker.c: whether somebody wants the run to end. It is asked wherever a step may take long, so
// that the answer comes soon, and by the clock, so that asking costs next to nothing.
#include "run/run_impl.h"

#include <time.h>

// How often, in seconds; and after how much work, in operations or so, the clock is looked at.
#define BETWEEN   0.05
#define MUCH_WORK 1e5

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool asker_stops(Asker *asker, double work)
{
    if (!asker || asker->deaf)
        return false;
    asker->work += work;
    if (asker->stopped || asker->work < MUCH_WORK)
        return asker->stopped;
    asker->work = 0;
    double time = now();
    if (time < asker->next)
        return false;
    asker->next = time + BETWEEN;
    const RunListener *listener = asker->listener;
    asker->stopped = listener->progress && !listener->progress(listener->context, asker->t);
    return asker->stopped;
}

bool asker_goes_on(void *asker)
{
    return !asker_stops(asker, MUCH_WORK);
}

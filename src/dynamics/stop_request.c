// stop_request.c: whether somebody wants the run to end. It is asked wherever a step may take long,
// so that the answer comes soon, and by the clock, so that asking costs next to nothing.
#include "dynamics/stop_request.h"

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

bool stop_requested(StopRequest *stop, double work)
{
    if (!stop)
        return false;
    stop->work += work;
    if (stop->stopped || stop->work < MUCH_WORK)
        return stop->stopped;
    stop->work = 0;
    double time = now();
    if (time < stop->next)
        return false;
    stop->next = time + BETWEEN;
    stop->stopped = stop->progress && !stop->progress(stop->context, stop->t);
    return stop->stopped;
}

bool stop_not_requested(void *stop)
{
    return !stop_requested(stop, MUCH_WORK);
}

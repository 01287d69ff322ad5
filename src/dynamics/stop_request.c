// stop_request.c: whether somebody wants the run to end. It is asked wherever a step may take long,
// so that the answer comes soon, and by the work done, so that asking costs next to nothing.
#include "dynamics/stop_request.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <math.h>

bool stop_requested(StopRequest *stop, double work)
{
    assert(work >= 0 && isfinite(work));
    if (!stop)
        return false;
    stop->work += work;
    if (stop->stopped || stop->work < COMPILE_EACH)
        return stop->stopped;
    stop->work = 0;
    stop->stopped = stop->progress && !stop->progress(stop->context, stop->t);
    return stop->stopped;
}

bool stop_not_requested(void *stop)
{
    return !stop_requested(stop, COMPILE_EACH);
}

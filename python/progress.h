// progress.h: what the Python package adds to zwang.h: how far a call is, for another thread to
// read, and a flag by which that thread stops it; and for calls of this thread a pause now and
// then, in which Python sees the signals that have come.
#include <stdbool.h>
#include <time.h>
#include <zwang.h>

typedef struct {
    double part; // of the work, from 0 to 1
    bool stop;
} zwpy_progress;

static bool zwpy_look(void *context, double part)
{
    zwpy_progress *at = context;
    at->part = part;
    return !at->stop;
}

static bool zwpy_signals(void); // in Python

// Asks Python about every 50 ms.
static bool zwpy_may_go_on(void *context, double part)
{
    static _Thread_local double asked; // when, in seconds
    struct timespec now;
    (void)context;
    (void)part;
    timespec_get(&now, TIME_UTC);
    double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (seconds >= asked && seconds - asked < 0.05)
        return true;
    asked = seconds;
    return zwpy_signals();
}

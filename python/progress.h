// progress.h: what the Python package adds to zwang.h: how far a call is, for another thread to
// read, and a flag by which that thread stops it.
#include <stdbool.h>
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

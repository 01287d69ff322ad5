// stop_request.h: whether somebody wants the run to end.
#ifndef ZWANG_DYNAMICS_STOP_REQUEST_H
#define ZWANG_DYNAMICS_STOP_REQUEST_H

#include "base/memory.h"

// ---- stop_request.c: whether somebody wants the run to end.
typedef struct StopRequest {
    bool (*progress)(void *context, double t); // false: it is to end; NULL: nobody wants that
    void *context;
    double t;     // how far the run has come
    double work;  // since somebody was last asked
    bool stopped; // somebody does
} StopRequest;
// Takes note of work of about so many operations, and asks after much of it; NULL: nobody is there.
bool stop_requested(StopRequest *stop, double work);
bool stop_not_requested(void *stop); // the reverse, for who waits

#endif

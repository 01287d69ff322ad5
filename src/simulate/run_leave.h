// run_leave.h: by which of its branches the motion leaves a singular position.
#ifndef ZWANG_SIMULATE_RUN_LEAVE_H
#define ZWANG_SIMULATE_RUN_LEAVE_H

#include <stddef.h>

typedef struct RunLeave {
    double t;      // of the position
    size_t number; // from 1, which is the motion's own branch
} RunLeave;

#endif

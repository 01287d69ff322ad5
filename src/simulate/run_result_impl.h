// run_result_impl.h: how a part of a run ended.
#ifndef ZWANG_SIMULATE_RUN_RESULT_IMPL_H
#define ZWANG_SIMULATE_RUN_RESULT_IMPL_H

typedef enum {
    RESULT_FINISHED,
    RESULT_CONTINUE,
    RESULT_STOPPED,   // the listener asked for it
    RESULT_FAILED,    // the present mode says why
    RESULT_UNDECIDED, // an event has no answer, which was reported
    RESULT_BROKEN     // the machine failed
} RunResult;

#endif

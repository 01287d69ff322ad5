// instant_case.h: the instant at the start of a model from text. For the tests of this room.
#ifndef ZWANG_TESTS_INSTANT_CASE_H
#define ZWANG_TESTS_INSTANT_CASE_H

#include "run_case.h"

typedef struct {
    RunCase kase;
    RunInstantRoom *room;
    RunInstant instant;
    RunStart start;
} Instant;

// Of a model from text, which must be good.
static inline Instant instant_of(const char *text)
{
    RunOptions options = run_options();
    options.instant = true;
    Instant at = {.kase = case_start(text, options)};
    case_expect(&at.kase, STATUS_OK);
    assert_int_equal(run_instant(at.kase.run, at.kase.diag, &at.room, &at.instant), STATUS_OK);
    at.start = run_start(at.kase.run);
    return at;
}

static inline void instant_free(Instant *at)
{
    run_instant_free(at->room);
    case_free(&at->kase);
}

#endif

// event_case.h: a model from text, run to its end, with its rows and events kept.
#ifndef ZWANG_TESTS_EVENT_CASE_H
#define ZWANG_TESTS_EVENT_CASE_H

#include "dynamics/tangent_cone.h"
#include "run_case.h"

typedef struct {
    double t;
    RunEventKind kind;
    char constraint[24];
    double before[8], after[8];
    double impulse, energy_lost;
    bool doubtful;
    double uncertainty;
    double force[3], normal; // of a friction
    size_t branches;         // of a singular position
} KeptEvent;

typedef struct {
    RunCase run;
    ARRAY(KeptEvent) events;
} EventCase;

static inline bool event_case_row(void *context, const double *row)
{
    return case_keep_row(&((EventCase *)context)->run, row);
}

static inline void event_case_event(void *context, const RunEvent *event)
{
    EventCase *kase = context;
    KeptEvent kept = {.t = event->t,
                      .kind = event->kind,
                      .impulse = event->impulse,
                      .energy_lost = event->energy_lost,
                      .doubtful = event->doubtful,
                      .uncertainty = event->uncertainty,
                      .normal = event->friction.normal,
                      .branches = event->cone ? event->cone->found : 0};
    memcpy(kept.force, event->friction.force, sizeof kept.force);
    if (event->constraint)
        snprintf(kept.constraint, sizeof kept.constraint, "%s", event->constraint->name);
    for (size_t i = 0; i < kase->run.motion->n && i < 8; i++) {
        kept.before[i] = event->before[i];
        kept.after[i] = event->after[i];
    }
    array_push(&kase->events, kept);
}

static inline EventCase event_case_with(const char *text, RunOptions options)
{
    EventCase kase = {.run = case_start(text, options)};
    RunListener listener = {.row = event_case_row, .event = event_case_event, .context = &kase};
    if (kase.run.status == STATUS_OK)
        kase.run.status = run_go(kase.run.run, &listener, kase.run.diag, &kase.run.summary);
    return kase;
}

static inline EventCase event_case(const char *text)
{
    EventCase kase = event_case_with(text, run_options());
    case_expect(&kase.run, STATUS_OK);
    return kase;
}

static inline void event_case_free(EventCase *kase)
{
    array_clear(&kase->events);
    case_free(&kase->run);
}

static inline void event_is(const EventCase *kase, size_t at, RunEventKind kind,
                            const char *constraint, double t, double tolerance)
{
    assert_true(at < kase->events.count);
    const KeptEvent *event = &kase->events.at[at];
    assert_string_equal(run_event_name(event->kind), run_event_name(kind));
    assert_string_equal(event->constraint, constraint);
    assert_near(event->t, t, tolerance);
}

#endif

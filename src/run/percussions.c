// percussions.c: given impulses along a run, in the order of their times (Appell 23).
#include "run/journey_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_time(const void *a, const void *b)
{
    double first = ((const Percussion *)a)->t, second = ((const Percussion *)b)->t;
    return (first > second) - (first < second);
}

static Status add(Percussions *percussions, const Equations *eq, const State *state, Motion *motion,
                  const ModelImpulse *impulse, Diag *diag)
{
    size_t n = eq->n;
    Percussion *own = &percussions->at[percussions->count];
    Expr *outputs = base_alloc((n + 1) * sizeof *outputs), missing = {0};
    motion_percussion(motion, impulse, outputs);
    outputs[n] = impulse->when;
    bool lowered = lowered_init(&own->program, motion->pool, eq->symbols, eq->params + 1 + 2 * n,
                                outputs, n + 1, &missing);
    base_free(outputs);
    if (!lowered)
        return diag_error(diag, impulse->place, "this impulse holds '%s', which has no value",
                          expr_name(motion->pool, missing));
    percussions->count++;
    lowered_run(&own->program, state->inputs);
    own->t = own->program.out[n];
    if (!isfinite(own->t))
        return diag_error(diag, impulse->place, "the time of this impulse is no finite number");
    if (own->t < 0)
        diag_add(diag, DIAG_WARNING, impulse->place,
                 "this impulse is at t = %.6g, before the start: it does nothing", own->t);
    return STATUS_OK;
}

Status percussions_init(Percussions *percussions, const Equations *eq, const State *state,
                        Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    *percussions = (Percussions){0};
    percussions->at = base_alloc((model->impulses.count + 1) * sizeof *percussions->at);
    for (size_t i = 0; i < model->impulses.count; i++)
        TRY(add(percussions, eq, state, motion, &model->impulses.at[i], diag));
    if (percussions->count > 0)
        qsort(percussions->at, percussions->count, sizeof *percussions->at, by_time);
    while (percussions->next < percussions->count && percussions->at[percussions->next].t < 0)
        percussions->next++;
    return STATUS_OK;
}

void percussions_clear(Percussions *percussions)
{
    for (size_t i = 0; i < percussions->count; i++)
        lowered_clear(&percussions->at[i].program);
    base_free(percussions->at);
    *percussions = (Percussions){0};
}

double percussions_time(const Percussions *percussions)
{
    return percussions->next < percussions->count ? percussions->at[percussions->next].t : INFINITY;
}

void percussions_take(Percussions *percussions, const Equations *eq, const State *state,
                      double *impulse)
{
    double t = percussions_time(percussions);
    memset(impulse, 0, eq->n * sizeof *impulse);
    for (; percussions_time(percussions) == t; percussions->next++) {
        Percussion *own = &percussions->at[percussions->next];
        lowered_run(&own->program, state->inputs);
        for (size_t j = 0; j < eq->n; j++)
            impulse[j] += own->program.out[j];
    }
}

// given_impulses.c: given impulses along a run, in the order of their times (Appell 23).
#include "dynamics/equations_types.h"
#include "expr/arithmetic.h"
#include "model/model.h"
#include "motion/motion.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct GivenImpulse {
    double t;
    Evaluator program; // n parts, and the time
};

static int by_time(const void *a, const void *b)
{
    double first = ((const GivenImpulse *)a)->t, second = ((const GivenImpulse *)b)->t;
    return (first > second) - (first < second);
}

static Status add(GivenImpulses *impulses, const Equations *eq, const State *state, Motion *motion,
                  const ModelImpulse *impulse, Diag *diag)
{
    size_t n = eq->n;
    GivenImpulse *own = &impulses->at[impulses->count];
    Expr *outputs = base_alloc((n + 1) * sizeof *outputs), missing = {0};
    motion_percussion(motion, impulse, outputs);
    outputs[n] = impulse->when;
    bool known = evaluator_init(&own->program, motion->pool, eq->symbols, eq->params + 1 + 2 * n,
                                outputs, n + 1, &missing);
    base_free(outputs);
    if (!known)
        return diag_error(diag, impulse->place, "this impulse holds '%s', which has no value",
                          expr_name(motion->pool, missing));
    impulses->count++;
    evaluator_run(&own->program, state->inputs);
    own->t = own->program.out[n];
    if (!isfinite(own->t))
        return diag_error(diag, impulse->place, "the time of this impulse is no finite number");
    if (own->t == 0 && !evaluator_is_finite(&own->program))
        return diag_error(diag, impulse->place, "this impulse has no finite value at the start");
    if (own->t < 0)
        diag_add(diag, DIAG_WARNING, impulse->place,
                 "this impulse is at t = %.6g, before the start: it does nothing", own->t);
    return STATUS_OK;
}

Status impulses_init(GivenImpulses *impulses, Arena *arena, const Equations *eq, const State *state,
                     Motion *motion, Diag *diag)
{
    assert(arena && eq && motion);
    const Model *model = motion->model;
    *impulses = (GivenImpulses){.at = arena_array(arena, GivenImpulse, model->impulses.count + 1)};
    for (size_t i = 0; i < model->impulses.count; i++)
        TRY(add(impulses, eq, state, motion, &model->impulses.at[i], diag));
    if (impulses->count > 0)
        qsort(impulses->at, impulses->count, sizeof *impulses->at, by_time);
    double from = *state->t;
    while (impulses_time(impulses) < 0 || (from > 0 && impulses_time(impulses) <= from))
        impulses->next++;
    return STATUS_OK;
}

void impulses_clear(GivenImpulses *impulses)
{
    for (size_t i = 0; i < impulses->count; i++)
        evaluator_clear(&impulses->at[i].program);
    *impulses = (GivenImpulses){0};
}

double impulses_time(const GivenImpulses *impulses)
{
    return impulses->next < impulses->count ? impulses->at[impulses->next].t : INFINITY;
}

const Evaluator *impulses_program(const GivenImpulses *impulses)
{
    assert(impulses->next < impulses->count);
    return &impulses->at[impulses->next].program;
}

bool impulses_are_several(const GivenImpulses *impulses)
{
    size_t next = impulses->next;
    return next + 1 < impulses->count && impulses->at[next + 1].t == impulses->at[next].t;
}

void impulses_take(GivenImpulses *impulses, const Equations *eq, const State *state,
                   double *impulse)
{
    double t = impulses_time(impulses);
    assert(isfinite(t));
    memset(impulse, 0, eq->n * sizeof *impulse);
    for (; impulses_time(impulses) == t; impulses->next++) {
        GivenImpulse *own = &impulses->at[impulses->next];
        evaluator_run(&own->program, state->inputs);
        for (size_t j = 0; j < eq->n; j++)
            impulse[j] += own->program.out[j];
    }
}

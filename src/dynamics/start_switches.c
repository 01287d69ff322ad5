// start_switches.c: a start exactly on a switch of abs, sign, min or max.
#include "base/diag.h"
#include "dynamics/projection.h"
#include "dynamics/start_impl.h"
#include "dynamics/switch_arguments.h"
#include "dynamics/text_domains.h"
#include "linalg/tolerances.h"
#include "model/domains.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The rate of what decides a switch, by the velocities that are given; 0 where it is rounding.
static double rate_of(const Equations *eq, const State *state, const double *slopes)
{
    double rate = slopes[0], size = fabs(rate);
    for (size_t j = 0; j < eq->n; j++) {
        rate += slopes[1 + j] * state->v[j];
        size = fmax(size, fabs(slopes[1 + j] * state->v[j]));
    }
    return fabs(rate) > TOL_ROUNDING * size ? rate : 0;
}

// One of them that is 0 at the start.
static void leave(Start *start, const SwitchArguments *found, size_t which, Evaluator *arguments)
{
    double factor = switch_factor(found, which);
    const Equations *eq = start->eq;
    Evaluator slopes = {0};
    switch_slopes_init(&slopes, eq, found->at[which]);
    evaluator_run(&slopes, start->state->inputs);
    for (size_t i = 0; i < 1 + 2 * eq->n; i++)
        slopes.out[i] *= factor;
    double rate = rate_of(eq, start->state, slopes.out);
    int side = rate > 0 ? 1 : -1;
    // Along the velocities, so that what touches a one-sided condition goes along it; or else by
    // the least.
    if (rate != 0 &&
        (switch_leave(eq, start->state, found, arguments, which, slopes.out, start->state->v,
                      side) ||
         switch_leave(eq, start->state, found, arguments, which, slopes.out, NULL, side)) &&
        !found->tables[which])
        diag_add(start->diag, DIAG_NOTE, place_none(),
                 "start: %s switches exactly there; the side to which the velocities lead is taken",
                 found->names[which]);
    evaluator_clear(&slopes);
}

// Whether a start is beyond where the text has a value, or at its end and goes beyond.
static bool is_beyond(Start *start, const SwitchArguments *found, size_t which, double value)
{
    const Equations *eq = start->eq;
    const State *state = start->state;
    Evaluator slopes = {0};
    switch_slopes_init(&slopes, eq, found->at[which]);
    evaluator_run(&slopes, state->inputs);
    double rate = rate_of(eq, state, slopes.out), size = fabs(slopes.out[0] * *state->t);
    for (size_t j = 0; j < eq->n; j++)
        size += fabs(slopes.out[1 + j] * state->q[j]);
    evaluator_clear(&slopes);
    return value < -TOL_ZERO * size || (value <= TOL_ZERO * size && rate < 0);
}

static Status fail_beyond(Start *start, const ModelDomain *domain)
{
    Text cause = {0};
    domain_tell(start->eq->motion, domain, &cause);
    Status status =
        diag_error(start->diag, domain->place,
                   "the text has no value at the start, or just behind it: %s", cause.at);
    text_clear(&cause);
    return status;
}

Status start_leave_switches(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    Evaluator arguments = {0};
    Expr missing;
    SwitchArguments found = switch_arguments(start->arena, eq->motion);
    if (found.count == 0 ||
        !evaluator_init(&arguments, eq->motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n,
                        found.at, found.count, &missing))
        return STATUS_OK;
    memset(state->v, 0, eq->n * sizeof *state->v);
    for (size_t i = 0; i < start->model->starts.count; i++)
        if (start->model->starts.at[i].of == START_VELOCITY)
            state->v[start->model->starts.at[i].target] = start->values[i];
    positions_free_all(eq, state);
    switch_values(&found, &arguments, state->inputs);
    switch_hold(&found);
    const double *values = switch_values(&found, &arguments, state->inputs);
    size_t beyond = SIZE_MAX;
    for (size_t i = 0; i < found.count; i++)
        if (found.domains[i]) {
            beyond = is_beyond(start, &found, i, values[i]) ? i : beyond;
        } else if (values[i] == 0) {
            leave(start, &found, i, &arguments);
            values = switch_values(&found, &arguments, state->inputs);
        }
    evaluator_clear(&arguments);
    return beyond < found.count ? fail_beyond(start, found.domains[beyond]) : STATUS_OK;
}

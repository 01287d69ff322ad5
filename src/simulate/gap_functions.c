// gap_functions.c: the one-sided conditions along a run, as numbers: f of all of them at once, and
// ∂f/∂q, ∂f/∂t, γ and e of those that touch.
#include "linalg/tolerances.h"
#include "motion/motion.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Methods that know the inside of their steps no better than their tolerance: f counts as 0 up to
// so many tolerances.
#define TOLERANCES 100

static Status lower(const GapFunctions *gaps, size_t inputs, const Expr *outputs, size_t count,
                    Diag *diag, Evaluator *evaluator)
{
    const Equations *eq = gaps->eq;
    Expr missing = {0};
    if (evaluator_init(evaluator, eq->motion->pool, eq->symbols, inputs, outputs, count, &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "a one-sided condition holds '%s', which has no value in a run",
                      expr_name(eq->motion->pool, missing));
}

// ---- Making.

// How far f comes, by f' and f'': to the turning point of a flight, or from a row to the next.
static double reach(double rate, double acceleration, double interval)
{
    double turn = acceleration != 0 ? fabs(rate / acceleration) : interval;
    return fabs(rate) * fmin(turn, interval);
}

static void set_size(GapFunctions *gaps, size_t i, double size)
{
    gaps->sizes[i] = size;
    gaps->band[i] = fmax(gaps->tolerance * size, DBL_MIN);
    gaps->slow[i] = gaps->band[i] / gaps->interval;
}

// The largest coordinate, or how far one comes from a row to the next.
static double largest_coordinate(const Run *run, double interval)
{
    double most = 0;
    for (size_t j = 0; j < run->start.n; j++) {
        double way = interval * (fabs(run->start.v[j]) + interval * fabs(run->start.a[j]) / 2);
        most = fmax(most, fmax(fabs(run->start.q[j]), way));
    }
    return most;
}

// Several terms measure f by the largest of them. One term, or terms that are all 0, say nothing of
// what a motion comes to: there f is measured by how far it comes, and at rest by how far it would
// fall; `length` is what the coordinates come to, whose rounding it shows at least.
static void measure(GapFunctions *gaps, const Run *run, size_t i, double length)
{
    const StartContacts *contacts = run->contacts;
    const RunSide *side = &contacts->at[i];
    double unread, gamma = contacts->all.gamma.at[i], size = contacts->sizes[i];
    gaps->by_motion[i] = size == 0 || unilaterals_term_count(&contacts->unilaterals, i) == 1;
    if (gaps->by_motion[i]) {
        double second = contact_set_rate(&contacts->all, i, run->start.a, gamma, &unread);
        size = side->touches ? 0 : size;
        size = fmax(size, reach(side->before, second, gaps->interval));
        size = fmax(size, reach(side->rate, second, gaps->interval));
        second = fmax(fabs(second), fabs(side->phi0));
        if (size == 0)
            size = second * gaps->interval * gaps->interval / 2;
        size = fmax(size, TOL_ROUNDING / TOL_ZERO * contact_set_slope(&contacts->all, i) * length);
    }
    set_size(gaps, i, size);
}

void gaps_note_motion(GapFunctions *gaps, size_t i, double rate, double acceleration)
{
    double size = reach(rate, acceleration, gaps->interval);
    if (gaps->by_motion[i] && size > gaps->sizes[i])
        set_size(gaps, i, size);
}

Status gaps_init(GapFunctions *gaps, const Run *run, Diag *diag)
{
    const Equations *eq = run->base->eq;
    const State *state = run->base->state;
    RunMethod method = run->settings.method;
    double rough = fmax(TOL_ZERO, TOLERANCES * run->settings.tolerance);
    const Motion *motion = eq->motion;
    size_t n = eq->n, count = motion->side_count, inputs = eq->params + 1 + n;
    *gaps = (GapFunctions){.eq = eq, .state = state, .n = n, .count = count};
    gaps->tolerance = method == RUN_TAYLOR || method == RUN_TIMESTEPPING ? TOL_ZERO : rough;
    gaps->interval = fmin(run->settings.every, run->settings.to);
    if (count == 0)
        return STATUS_OK;
    gaps->inputs = base_alloc(inputs * sizeof(double));
    gaps->sizes = base_alloc(3 * count * sizeof(double));
    gaps->band = gaps->sizes + count;
    gaps->slow = gaps->band + count;
    gaps->by_motion = base_alloc(count * sizeof *gaps->by_motion);
    memcpy(gaps->inputs, state->inputs, inputs * sizeof(double));
    Expr *outputs = base_alloc(count * sizeof *outputs);
    for (size_t i = 0; i < count; i++)
        outputs[i] = motion->sides[i].position;
    Status status = lower(gaps, eq->params + 1 + n, outputs, count, diag, &gaps->positions);
    base_free(outputs);
    if (status != STATUS_OK)
        return status;
    gaps->f = gaps->positions.out;
    double length = largest_coordinate(run, gaps->interval);
    for (size_t i = 0; i < count; i++)
        measure(gaps, run, i, length);
    return STATUS_OK;
}

void gaps_clear(GapFunctions *gaps)
{
    evaluator_clear(&gaps->positions);
    base_free(gaps->inputs);
    base_free(gaps->sizes);
    base_free(gaps->by_motion);
    *gaps = (GapFunctions){0};
}

// ---- Numbers.

void gaps_evaluate(GapFunctions *gaps, double t, const double *q)
{
    double *at = gaps->inputs + gaps->eq->params;
    at[0] = t;
    memcpy(at + 1, q, gaps->n * sizeof *q);
    evaluator_run(&gaps->positions, gaps->inputs);
}

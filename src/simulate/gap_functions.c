// gap_functions.c: the one-sided conditions along a run, as numbers: f of all of them at once, and
// ∂f/∂q, ∂f/∂t, γ and e of those that touch.
#include "motion/motion.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/simulation_impl.h"

#include <math.h>
#include <string.h>

// f counts as 0 up to this part of its largest term at the start, or so many tolerances where a
// method knows the inside of its steps no better. A condition of one term, such as
// x >= 0, has nothing to be measured by; there it is this much, or this part of how far it is.
#define BAND       1e-12
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

// How much f may be off, from the terms of all conditions at the start.
static Status measure(GapFunctions *gaps, double band, Diag *diag)
{
    const Motion *motion = gaps->eq->motion;
    size_t total = 0, params = gaps->eq->params;
    for (size_t i = 0; i < gaps->count; i++)
        total += equations_terms(motion->pool, motion->sides[i].position, NULL);
    Expr *terms = base_alloc((total + 1) * sizeof *terms);
    size_t at = 0;
    for (size_t i = 0; i < gaps->count; i++)
        at += equations_terms(motion->pool, motion->sides[i].position, terms + at);
    Evaluator evaluator = {0};
    Status status = lower(gaps, params + 1 + gaps->n, terms, total, diag, &evaluator);
    base_free(terms);
    if (status == STATUS_OK) {
        evaluator_run(&evaluator, gaps->inputs);
        at = 0;
        for (size_t i = 0; i < gaps->count; i++) {
            size_t count = equations_terms(motion->pool, motion->sides[i].position, NULL);
            double most = count == 1;
            for (size_t j = 0; j < count; j++)
                most = fmax(most, fabs(evaluator.out[at + j]));
            gaps->sizes[i] = most > 0 ? most : 1;
            gaps->band[i] = band * gaps->sizes[i];
            at += count;
        }
    }
    evaluator_clear(&evaluator);
    return status;
}

Status gaps_init(GapFunctions *gaps, const Run *run, Diag *diag)
{
    const Equations *eq = run->base->eq;
    const State *state = run->base->state;
    RunMethod method = run->settings.method;
    double rough = fmax(BAND, TOLERANCES * run->settings.tolerance);
    double band = method == RUN_TAYLOR || method == RUN_TIMESTEPPING ? BAND : rough;
    const Motion *motion = eq->motion;
    size_t n = eq->n, count = motion->side_count, inputs = eq->params + 1 + n;
    *gaps = (GapFunctions){.eq = eq, .state = state, .n = n, .count = count};
    if (count == 0)
        return STATUS_OK;
    gaps->inputs = base_alloc(inputs * sizeof(double));
    gaps->sizes = base_alloc(3 * count * sizeof(double));
    gaps->band = gaps->sizes + count;
    gaps->slow = gaps->band + count;
    memcpy(gaps->inputs, state->inputs, inputs * sizeof(double));
    Expr *outputs = base_alloc(count * sizeof *outputs);
    for (size_t i = 0; i < count; i++)
        outputs[i] = motion->sides[i].position;
    Status status = lower(gaps, eq->params + 1 + n, outputs, count, diag, &gaps->positions);
    base_free(outputs);
    if (status != STATUS_OK)
        return status;
    gaps->f = gaps->positions.out;
    TRY(measure(gaps, band, diag));
    for (size_t i = 0; i < count; i++)
        gaps->slow[i] = gaps->band[i] / fmin(run->settings.every, run->settings.to);
    return STATUS_OK;
}

void gaps_clear(GapFunctions *gaps)
{
    evaluator_clear(&gaps->positions);
    base_free(gaps->inputs);
    base_free(gaps->sizes);
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

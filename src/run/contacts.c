// contacts.c: the one-sided conditions along a run, as numbers: f of all of them at once, and
// ∂f/∂q, ∂f/∂t, γ and e of those that touch.
#include "run/journey_impl.h"

#include <math.h>
#include <string.h>

// f counts as 0 up to this part of its largest term at the start, or so many tolerances where a
// method knows the inside of its steps no better. A condition of one term, such as
// x >= 0, has nothing to be measured by; there it is this much, or this part of how far it is.
#define BAND       1e-12
#define TOLERANCES 100

static Status lower(const Contacts *contacts, size_t inputs, const Expr *outputs, size_t count,
                    Diag *diag, Lowered *lowered)
{
    const Equations *eq = contacts->eq;
    Expr missing = {0};
    if (lowered_init(lowered, eq->motion->pool, eq->symbols, inputs, outputs, count, &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "a one-sided condition holds '%s', which has no value in a run",
                      expr_name(eq->motion->pool, missing));
}

// ---- Making.

// How much f may be off, from the terms of all conditions at the start.
static Status measure(Contacts *contacts, double band, Diag *diag)
{
    const Motion *motion = contacts->eq->motion;
    size_t total = 0, params = contacts->eq->params;
    for (size_t i = 0; i < contacts->count; i++)
        total += numbers_terms(motion->pool, motion->sides[i].position, NULL);
    Expr *terms = base_alloc((total + 1) * sizeof *terms);
    size_t at = 0;
    for (size_t i = 0; i < contacts->count; i++)
        at += numbers_terms(motion->pool, motion->sides[i].position, terms + at);
    Lowered lowered = {0};
    Status status = lower(contacts, params + 1 + contacts->n, terms, total, diag, &lowered);
    base_free(terms);
    if (status == STATUS_OK) {
        lowered_run(&lowered, contacts->inputs);
        at = 0;
        for (size_t i = 0; i < contacts->count; i++) {
            size_t count = numbers_terms(motion->pool, motion->sides[i].position, NULL);
            double most = count == 1;
            for (size_t j = 0; j < count; j++)
                most = fmax(most, fabs(lowered.out[at + j]));
            contacts->sizes[i] = most > 0 ? most : 1;
            contacts->band[i] = band * contacts->sizes[i];
            at += count;
        }
    }
    lowered_clear(&lowered);
    return status;
}

Status contacts_init(Contacts *contacts, const Run *run, Diag *diag)
{
    const Equations *eq = &run->eq;
    const State *state = &run->state;
    RunMethod method = run->settings.method;
    double rough = fmax(BAND, TOLERANCES * run->settings.tolerance);
    double band = method == RUN_TAYLOR || method == RUN_TIMESTEPPING ? BAND : rough;
    const Motion *motion = eq->motion;
    size_t n = eq->n, count = motion->side_count, inputs = eq->params + 1 + n;
    *contacts = (Contacts){.eq = eq, .state = state, .n = n, .count = count};
    if (count == 0)
        return STATUS_OK;
    contacts->inputs = base_alloc(inputs * sizeof(double));
    contacts->sizes = base_alloc(3 * count * sizeof(double));
    contacts->band = contacts->sizes + count;
    contacts->slow = contacts->band + count;
    memcpy(contacts->inputs, state->inputs, inputs * sizeof(double));
    Expr *outputs = base_alloc(count * sizeof *outputs);
    for (size_t i = 0; i < count; i++)
        outputs[i] = motion->sides[i].position;
    Status status = lower(contacts, eq->params + 1 + n, outputs, count, diag, &contacts->positions);
    base_free(outputs);
    if (status != STATUS_OK)
        return status;
    contacts->f = contacts->positions.out;
    TRY(measure(contacts, band, diag));
    for (size_t i = 0; i < count; i++)
        contacts->slow[i] = contacts->band[i] / fmin(run->settings.every, run->settings.to);
    return STATUS_OK;
}

void contacts_clear(Contacts *contacts)
{
    lowered_clear(&contacts->positions);
    base_free(contacts->inputs);
    base_free(contacts->sizes);
    *contacts = (Contacts){0};
}

// ---- Numbers.

void contacts_positions(Contacts *contacts, double t, const double *q)
{
    double *at = contacts->inputs + contacts->eq->params;
    at[0] = t;
    memcpy(at + 1, q, contacts->n * sizeof *q);
    lowered_run(&contacts->positions, contacts->inputs);
}

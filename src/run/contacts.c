// contacts.c: the one-sided conditions along a run, as numbers: f of all of them at once, and
// ∂f/∂q, ∂f/∂t, γ and e of those that touch.
#include "run/journey_impl.h"

#include <math.h>
#include <string.h>

// f counts as 0 up to this part of its largest term at the start, or so many tolerances where a
// method knows the inside of its steps no better. A condition of one term, such as
// x >= 0, has nothing to be measured by; there it is this much, or this part of how far it is.
#define BAND       1e-11
#define TOLERANCES 100

static Status lower(const Contacts *contacts, size_t inputs, const Expr *outputs, size_t count,
                    Diag *diag, Lowered *lowered)
{
    const Numbers *numbers = contacts->numbers;
    Expr missing = {0};
    if (lowered_init(lowered, numbers->motion->pool, numbers->symbols, inputs, outputs, count,
                     &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "a one-sided condition holds '%s', which has no value in a run",
                      expr_name(numbers->motion->pool, missing));
}

// ---- Making.

// How much f may be off, from the terms of all conditions at the start.
static Status measure(Contacts *contacts, double band, Diag *diag)
{
    const Motion *motion = contacts->numbers->motion;
    size_t total = 0, params = contacts->numbers->params;
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
    const Numbers *numbers = &run->numbers;
    RunMethod method = run->settings.method;
    double rough = fmax(BAND, TOLERANCES * run->settings.tolerance);
    double band = method == RUN_TAYLOR || method == RUN_TIMESTEPPING ? BAND : rough;
    const Motion *motion = numbers->motion;
    size_t n = numbers->n, count = motion->side_count, inputs = numbers->params + 1 + 2 * n;
    *contacts = (Contacts){.numbers = numbers, .n = n, .count = count};
    if (count == 0)
        return STATUS_OK;
    contacts->rows = base_alloc(count * sizeof *contacts->rows);
    contacts->inputs = base_alloc(inputs * sizeof(double));
    contacts->sizes = base_alloc(2 * count * sizeof(double));
    contacts->band = contacts->sizes + count;
    memcpy(contacts->inputs, numbers->inputs, inputs * sizeof(double));
    Expr *outputs = base_alloc(count * sizeof *outputs);
    for (size_t i = 0; i < count; i++)
        outputs[i] = motion->sides[i].position;
    Status status =
        lower(contacts, numbers->params + 1 + n, outputs, count, diag, &contacts->positions);
    base_free(outputs);
    if (status != STATUS_OK)
        return status;
    contacts->f = contacts->positions.out;
    return measure(contacts, band, diag);
}

void contacts_clear(Contacts *contacts)
{
    for (size_t i = 0; i < contacts->count && contacts->rows; i++) {
        lowered_clear(&contacts->rows[i].program);
        base_free(contacts->rows[i].which);
    }
    lowered_clear(&contacts->positions);
    base_free(contacts->rows);
    base_free(contacts->inputs);
    base_free(contacts->sizes);
    *contacts = (Contacts){0};
}

// ---- Numbers.

static void go_to(Contacts *contacts, double t, const double *q, const double *v)
{
    double *at = contacts->inputs + contacts->numbers->params;
    at[0] = t;
    memcpy(at + 1, q, contacts->n * sizeof *q);
    if (v)
        memcpy(at + 1 + contacts->n, v, contacts->n * sizeof *v);
}

void contacts_positions(Contacts *contacts, double t, const double *q)
{
    go_to(contacts, t, q, NULL);
    lowered_run(&contacts->positions, contacts->inputs);
}

// f, ∂f/∂t, γ, e, then what is not 0 of ∂f/∂q.
static void make_row(Contacts *contacts, size_t index)
{
    const Motion *motion = contacts->numbers->motion;
    const MotionRow *side = motion_side(motion, index);
    ContactRow *row = &contacts->rows[index];
    size_t n = contacts->n;
    Expr *outputs = base_alloc((4 + n) * sizeof *outputs);
    row->which = base_alloc((n + 1) * sizeof *row->which);
    outputs[0] = side->position;
    outputs[1] = side->c;
    outputs[2] = side->gamma;
    outputs[3] = side->constraint->restitution;
    for (size_t j = 0; j < n; j++)
        if (!expr_is_zero(motion->pool, side->b[j])) {
            outputs[4 + row->count] = side->b[j];
            row->which[row->count++] = j;
        }
    // The start has seen that everything in it has a value.
    Diag *unheard = diag_new();
    Status status = lower(contacts, contacts->numbers->params + 1 + 2 * n, outputs, 4 + row->count,
                          unheard, &row->program);
    (void)status;
    diag_free(unheard);
    base_free(outputs);
}

ContactNumbers contacts_row(Contacts *contacts, size_t index, double t, const double *q,
                            const double *v, double *gradient)
{
    ContactRow *row = &contacts->rows[index];
    if (!row->program.program)
        make_row(contacts, index);
    go_to(contacts, t, q, v);
    lowered_run(&row->program, contacts->inputs);
    const double *out = row->program.out;
    ContactNumbers found = {
        .f = out[0], .rate = out[1], .partial_t = out[1], .gamma = out[2], .restitution = out[3]};
    memset(gradient, 0, contacts->n * sizeof *gradient);
    for (size_t j = 0; j < row->count; j++) {
        gradient[row->which[j]] = out[4 + j];
        found.rate += out[4 + j] * v[row->which[j]];
    }
    return found;
}

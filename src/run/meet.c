// meet.c: what happens at an event: the conditions that touch are asked together, by the shock and
// by the instant (Mayer 1899, § 4).
#include "run/journey_impl.h"

#include <math.h>
#include <string.h>

// f' and f'' are 0 below this part of their terms, and λ below this part of what would make it so.
#define STILL 1e-9

void meeting_init(Meeting *meeting, Contacts *contacts, Numbers *numbers)
{
    size_t n = numbers->n;
    *meeting = (Meeting){.contacts = contacts, .numbers = numbers};
    meeting->q = base_alloc((3 * n + 1) * sizeof(double));
    meeting->before = meeting->q + n;
    meeting->after = meeting->before + n;
    meeting->held = base_alloc((contacts->count + 1) * sizeof *meeting->held);
}

void meeting_clear(Meeting *meeting)
{
    gauss_instant_free(meeting->instant);
    gauss_shock_free(meeting->strike);
    base_free(meeting->q);
    base_free(meeting->held);
    base_free(meeting->acting);
    base_free(meeting->at);
    base_free(meeting->rows);
    base_free(meeting->room);
    *meeting = (Meeting){0};
}

// ---- Who is there.

void meeting_begin(Meeting *meeting, double t, const double *q, const double *v)
{
    size_t bytes = meeting->numbers->n * sizeof *q;
    meeting->t = t;
    memmove(meeting->q, q, bytes);
    memmove(meeting->before, v, bytes);
    memcpy(meeting->after, meeting->before, bytes);
    meeting->count = 0;
    meeting->shock = false;
    meeting->energy_lost = 0;
}

Touch *meeting_find(const Meeting *meeting, size_t index)
{
    for (size_t i = 0; i < meeting->count; i++)
        if (meeting->at[i].index == index)
            return &meeting->at[i];
    return NULL;
}

Touch *meeting_add(Meeting *meeting, size_t index)
{
    size_t n = meeting->numbers->n;
    Touch *known = meeting_find(meeting, index);
    if (known)
        return known;
    if (meeting->count == meeting->capacity) {
        meeting->capacity = 2 * meeting->capacity + 8;
        meeting->at = base_realloc(meeting->at, meeting->capacity * sizeof *meeting->at);
        meeting->rows = base_realloc(meeting->rows, meeting->capacity * (n + 1) * sizeof(double));
    }
    Touch *touch = &meeting->at[meeting->count];
    *touch = (Touch){.index = index};
    touch->numbers = contacts_row(meeting->contacts, index, meeting->t, meeting->q, meeting->before,
                                  meeting->rows + meeting->count++ * n);
    touch->after = touch->numbers.rate;
    return touch;
}

// Room for so many numbers, and for solvers of so many conditions.
static double *room_for(Meeting *meeting, size_t numbers)
{
    const Numbers *base = meeting->numbers;
    if (numbers > meeting->room_size) {
        meeting->room_size = 2 * numbers;
        base_free(meeting->room);
        meeting->room = base_alloc(meeting->room_size * sizeof(double));
    }
    if (meeting->count > meeting->most || !meeting->instant) {
        meeting->most = 2 * meeting->count + 4;
        gauss_instant_free(meeting->instant);
        gauss_shock_free(meeting->strike);
        meeting->acting = base_realloc(meeting->acting, meeting->most * sizeof *meeting->acting);
        meeting->instant = gauss_instant_new(base->n, base->m, meeting->most);
        meeting->strike = gauss_shock_new(base->n, base->m, meeting->most);
    }
    return meeting->room;
}

// Brings the run's own numbers to the state, with these velocities.
static void go_there(const Meeting *meeting, const double *v)
{
    Numbers *numbers = meeting->numbers;
    size_t n = numbers->n;
    *numbers->t = meeting->t;
    memcpy(numbers->q, meeting->q, n * sizeof(double));
    memcpy(numbers->v, v, n * sizeof(double));
    lowered_run(&numbers->velocities, numbers->inputs);
    lowered_run(&numbers->forces, numbers->inputs);
    for (size_t i = 0; i < n; i++)
        numbers->force[i] = -numbers->forces.out[n * n + i];
}

// The equations that are needed, b·(velocity or acceleration) + drift = 0.
static GaussProblem equations(Numbers *numbers, const double *drift)
{
    GaussProblem problem = {.inertia = numbers->forces.out,
                            .force = numbers->force,
                            .rows = numbers->velocities.out,
                            .drift = drift,
                            .row_count = numbers->needed};
    if (numbers->needed < numbers->m) {
        needed_pack(numbers, problem.rows, problem.drift);
        problem.rows = numbers->packed;
        problem.drift = numbers->packed + numbers->needed * numbers->n;
    }
    return problem;
}

// ---- The shock.

bool meeting_shock(Meeting *meeting, const double *impulse)
{
    Numbers *numbers = meeting->numbers;
    size_t n = numbers->n, count = meeting->count;
    double *room = room_for(meeting, 5 * count + 1);
    double *partial_t = room, *e = room + count, *lambda = room + 2 * count;
    double *before = room + 3 * count, *after = room + 4 * count;
    for (size_t i = 0; i < count; i++) {
        partial_t[i] = meeting->at[i].numbers.partial_t;
        e[i] = meeting->at[i].numbers.restitution;
    }
    go_there(meeting, meeting->before);
    GaussProblem equal = equations(numbers, numbers->velocities.out + n * n);
    GaussShockProblem problem = {.inertia = equal.inertia,
                                 .velocities = meeting->before,
                                 .impulse = impulse,
                                 .rows = equal.rows,
                                 .drift = equal.drift,
                                 .row_count = equal.row_count,
                                 .sides = meeting->rows,
                                 .side_drift = partial_t,
                                 .restitution = e,
                                 .side_count = count};
    GaussShockAnswer answer = {.velocities = meeting->after,
                               .lambda = lambda,
                               .rates_before = before,
                               .rates_after = after};
    GaussShockReport report = gauss_shock_solve(meeting->strike, &problem, &answer);
    meeting->report = report.sides;
    if (report.sides.outcome != GAUSS_SOLVED)
        return false;
    meeting->shock = true;
    meeting->energy_lost = report.energy_lost;
    for (size_t i = 0; i < count; i++) {
        meeting->at[i].impulse = lambda[i];
        meeting->at[i].after = after[i];
    }
    return true;
}

// ---- The instant.

// How large the terms of f' are, or of f'' with accelerations.
static double terms_of(const double *row, const double *v, size_t n, double rest)
{
    double sum = fabs(rest);
    for (size_t j = 0; j < n; j++)
        sum += fabs(row[j] * v[j]);
    return sum;
}

// λ·Φ, Φ as it would be without couplings, against the terms of f''.
static bool is_small(const Numbers *numbers, const double *row, double lambda, double terms)
{
    size_t n = numbers->n;
    double phi = 0;
    for (size_t j = 0; j < n; j++) {
        double own = numbers->forces.out[j * n + j];
        phi += own > 0 ? row[j] * row[j] / own : 0;
    }
    return lambda * phi <= STILL * terms;
}

// f'' needs γ after the shock.
static size_t keep(Meeting *meeting, double *rows, double *gamma)
{
    size_t n = meeting->numbers->n, kept = 0;
    for (size_t i = 0; i < meeting->count; i++) {
        Touch *touch = &meeting->at[i];
        const double *row = meeting->rows + i * n;
        double terms = terms_of(row, meeting->after, n, touch->numbers.partial_t);
        touch->kept = fabs(touch->after) <= STILL * terms;
        if (!touch->kept)
            continue;
        gamma[kept] = contacts_row(meeting->contacts, touch->index, meeting->t, meeting->q,
                                   meeting->after, rows + kept * n)
                          .gamma;
        kept++;
    }
    return kept;
}

bool meeting_decide(Meeting *meeting)
{
    Numbers *numbers = meeting->numbers;
    size_t n = numbers->n, count = meeting->count;
    double *room = room_for(meeting, (count + 1) * (n + 3) + n);
    double *rows = room, *gamma = rows + count * n, *lambda = gamma + count;
    double *rates = lambda + count, *a = rates + count;
    memset(meeting->acting, 0, count * sizeof *meeting->acting);
    go_there(meeting, meeting->after);
    size_t kept = keep(meeting, rows, gamma);
    if (kept == 0)
        return true;
    GaussInstantProblem problem = {.equal = equations(numbers, numbers->forces.out + n * n + n),
                                   .sides = rows,
                                   .side_drift = gamma,
                                   .side_count = kept};
    GaussInstantAnswer answer = {
        .accelerations = a, .lambda = lambda, .rates = rates, .acting = meeting->acting};
    meeting->report = gauss_instant_solve(meeting->instant, &problem, &answer);
    if (meeting->report.outcome != GAUSS_SOLVED)
        return false;
    for (size_t i = 0, at = 0; i < count; i++) {
        Touch *touch = &meeting->at[i];
        if (!touch->kept)
            continue;
        const double *row = rows + at * n;
        double terms = terms_of(row, a, n, gamma[at]);
        touch->lambda = lambda[at];
        touch->acceleration = rates[at++];
        // An own acceleration of 0 may be the sum of forces that cancel.
        for (size_t j = 0; j < n; j++) {
            double own = numbers->forces.out[j * n + j];
            terms += own > 0 ? fabs(row[j] * numbers->force[j] / own) : 0;
        }
        touch->tie =
            is_small(numbers, row, touch->lambda, terms) && touch->acceleration >= -STILL * terms;
    }
    return true;
}

// ---- Which of them are held.

// The rows of the equations, then those of conditions as they come, as far as they are independent.
static bool take(Meeting *meeting, const double *row)
{
    Numbers *numbers = meeting->numbers;
    for (size_t j = 0; j < numbers->n; j++)
        numbers->kept[j] = row[j] * numbers->scale[j];
    return basis_take(&numbers->basis, numbers->kept, INDEPENDENT);
}

void meeting_hold(Meeting *meeting, const bool *also)
{
    Numbers *numbers = meeting->numbers;
    size_t n = numbers->n;
    memset(meeting->held, 0, meeting->contacts->count * sizeof *meeting->held);
    meeting->shared = false;
    numbers->basis.count = 0;
    for (size_t i = 0; i < numbers->needed; i++)
        take(meeting, numbers->velocities.out + numbers->needed_rows[i] * n);
    for (size_t i = 0; i < meeting->count; i++) {
        const Touch *touch = &meeting->at[i];
        bool acts = touch->kept && touch->lambda > 0 && !touch->tie;
        if (!acts && !(also && touch->kept && also[touch->index]))
            continue;
        meeting->held[touch->index] = take(meeting, meeting->rows + i * n);
        meeting->shared = meeting->shared || !meeting->held[touch->index];
    }
}

// ---- Why there is no answer.

void meeting_add_reason(const Meeting *meeting, Text *text)
{
    const Motion *motion = meeting->numbers->motion;
    switch (meeting->report.outcome) {
    case GAUSS_CONTRADICTION:
        text_add(text, "the conditions that touch there exclude each other:");
        for (size_t i = 0; i < meeting->count; i++)
            text_addf(text, "%s '%s'", i ? "," : "",
                      motion->sides[meeting->at[i].index].constraint->name);
        if (motion->m > 0)
            text_add(text, " and the equations");
        return;
    case GAUSS_NO_MINIMUM:
    case GAUSS_SINGULAR:
        text_add(text, "which one-sided conditions act cannot be decided, because the inertia is "
                       "not positive on the velocities that the equations leave free");
        return;
    case GAUSS_UNDECIDED:
        text_add(text, "which one-sided conditions act is hidden by rounding; some of them say "
                       "almost the same");
        return;
    case GAUSS_POWERLESS: // no servo stands beside a one-sided condition
    case GAUSS_SOLVED:
    case GAUSS_NOT_FINITE: break;
    }
    text_add(text, "something in a one-sided condition has no finite value");
}

// contact_event.c: what happens at an event: the conditions that touch are asked together, by the
// shock and by the instant (Mayer 1899, § 4).
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// f' and f'' are 0 below this part of their terms, and λ below this part of what would make it so.
#define STILL 1e-9
// f' is 0 below this part of the velocities of all that the condition is tied to.
#define STILL_AMONG 1e-13
// And this part of its terms is rounding.
#define ROUNDING 1e-15
// Reactions are found together: roundings of each are as if it were this part of the largest.
#define FELT 1e-4

void event_init(ContactEvent *event, GapFunctions *gaps, Run *run)
{
    size_t n = run->motion->n;
    *event = (ContactEvent){
        .gaps = gaps, .eq = run->base->eq, .state = run->base->state, .contacts = run->contacts};
    event->q = base_alloc((7 * n + 1) * sizeof(double));
    event->before = event->q + n;
    event->after = event->before + n;
    event->accelerations = event->after + n;
    event->own = event->accelerations + n;
    event->pull = event->own + n;
    event->sizes = event->pull + n;
    event->held = base_alloc((gaps->count + 1) * sizeof *event->held);
    event->acts = base_alloc((gaps->count + 1) * sizeof *event->acts);
    islands_init(&event->ties, n);
}

void event_clear(ContactEvent *event)
{
    base_free(event->q);
    base_free(event->held);
    base_free(event->acts);
    contact_set_clear(&event->candidates);
    contact_set_clear(&event->kept);
    array_clear(&event->at);
    array_clear(&event->lambda);
    array_clear(&event->rates);
    array_clear(&event->acting);
    islands_clear(&event->ties);
    *event = (ContactEvent){0};
}

// ---- Who is there.

void event_begin(ContactEvent *event, double t, const double *q, const double *v)
{
    size_t bytes = event->eq->n * sizeof *q;
    event->t = t;
    memmove(event->q, q, bytes);
    memmove(event->before, v, bytes);
    memcpy(event->after, event->before, bytes);
    event->at.count = 0;
    event->shock = event->inner = false;
    event->jump = (JumpReport){0};
    event->energy_lost = 0;
    contact_set_begin(&event->candidates);
}

void event_add(ContactEvent *event, size_t index)
{
    UnilateralRow found = contact_set_add(&event->candidates, &event->contacts->unilaterals, index,
                                          event->t, event->q, event->before);
    array_push(&event->at,
               ((TouchingContact){.index = index, .before = found.rate, .after = found.rate}));
}

// Brings the run's own numbers to the state, with these velocities.
static void go_there(const ContactEvent *event, const double *v)
{
    const Equations *eq = event->eq;
    State *state = event->state;
    *state->t = event->t;
    memcpy(state->q, event->q, eq->n * sizeof(double));
    memcpy(state->v, v, eq->n * sizeof(double));
    matrices_evaluate(&event->contacts->matrices);
}

static void make_room(ContactEvent *event)
{
    size_t count = event->at.count + 1;
    array_reserve(&event->lambda, count);
    array_reserve(&event->rates, 2 * count);
    array_reserve(&event->acting, count);
}

// ---- The shock.

bool event_impact(ContactEvent *event, const double *impulse)
{
    size_t count = event->at.count;
    make_room(event);
    go_there(event, event->before);
    double *after = event->rates.at + count;
    ImpactAnswer answer = {.velocities = event->after,
                           .lambda = event->lambda.at,
                           .rates_before = event->rates.at,
                           .rates_after = after};
    event->jump = contact_set_jump(&event->candidates, &event->contacts->matrices,
                                   event->contacts->gauss, event->before, impulse, &answer);
    event->report = event->jump.shock.contact;
    event->stop = &event->candidates;
    if (event->jump.outcome != JUMP_SOLVED)
        return false;
    event->shock = true;
    event->energy_lost = event->jump.shock.energy_lost;
    for (size_t i = 0; i < count; i++) {
        event->at.at[i].impulse = event->lambda.at[i];
        event->at.at[i].after = after[i];
    }
    return true;
}

void event_evaluate_before(ContactEvent *event)
{
    go_there(event, event->before);
}

void event_jump_to(ContactEvent *event, const double *velocities)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    size_t n = matrices->n;
    memcpy(event->after, velocities, n * sizeof *velocities);
    event->shock = true;
    for (size_t i = 0; i < event->at.count; i++) {
        double terms;
        event->at.at[i].after = contact_set_rate(&event->candidates, i, event->after,
                                                 event->candidates.partial_t.at[i], &terms);
    }
    // 𝓜(v + v⁺)·(v − v⁺)/2.
    memset(event->pull, 0, n * sizeof *event->pull);
    matrices_add_momentum(matrices, event->before, event->pull);
    matrices_add_momentum(matrices, event->after, event->pull);
    event->energy_lost = 0;
    for (size_t j = 0; j < n; j++)
        event->energy_lost += event->pull[j] * (event->before[j] - event->after[j]) / 2;
}

// ---- How large things are.

// Also what is tied by a 0 that is one only here: rounding goes from one to the other.
static void tie(Islands *ties, const SparseRows *rows, bool own)
{
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            islands_tie(ties, own ? i : rows->column[rows->first[i]], rows->column[at]);
}

// What is tied together by the inertia, by equations and by touching.
static void find_ties(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    SparseRows touching = contact_set_rows(&event->candidates);
    islands_part(&event->ties, matrices->n);
    tie(&event->ties, &matrices->inertia, true);
    tie(&event->ties, &matrices->rows, false);
    tie(&event->ties, &touching, false);
    islands_number(&event->ties);
    for (size_t i = 0; i < matrices->n; i++) {
        event->own[i] = 0;
        for (uint32_t at = matrices->inertia.first[i]; at < matrices->inertia.first[i + 1]; at++)
            if (matrices->inertia.column[at] == i)
                event->own[i] = fmax(matrices->inertia.value[at], 0);
    }
}

// Φ of one condition, as it would be without couplings.
static double own_phi(const ContactEvent *event, const ContactSet *candidates, size_t i)
{
    double phi = 0;
    for (uint32_t at = candidates->first.at[i]; at < candidates->first.at[i + 1]; at++) {
        double own = event->own[candidates->column.at[at]], value = candidates->value.at[at];
        phi += own > 0 ? value * value / own : 0;
    }
    return phi;
}

// What a rate of the condition is as large as where all that it is tied to is, in `sizes`.
static double among(const ContactEvent *event, const ContactSet *candidates, size_t i, double phi)
{
    if (candidates->first.at[i] == candidates->first.at[i + 1])
        return 0;
    uint32_t island = event->ties.of[candidates->column.at[candidates->first.at[i]]];
    return sqrt(phi * event->sizes[island]);
}

// Σ 𝓜v² of each island, before the shock or after it, whichever is more.
static void measure_velocities(ContactEvent *event)
{
    size_t n = event->eq->n;
    memset(event->sizes, 0, n * sizeof *event->sizes);
    for (size_t j = 0; j < n; j++) {
        double v = fmax(fabs(event->before[j]), fabs(event->after[j]));
        event->sizes[event->ties.of[j]] += event->own[j] * v * v;
    }
}

// Σ 𝓜⁻¹F² of each island, F being the given forces and those of the conditions.
static void measure_forces(ContactEvent *event)
{
    size_t n = event->eq->n;
    const ContactSet *kept = &event->kept;
    memset(event->pull, 0, n * sizeof *event->pull);
    memset(event->sizes, 0, n * sizeof *event->sizes);
    for (size_t i = 0; i < kept->which.count; i++)
        for (uint32_t at = kept->first.at[i]; at < kept->first.at[i + 1]; at++)
            event->pull[kept->column.at[at]] += event->lambda.at[i] * kept->value.at[at];
    for (size_t j = 0; j < n; j++) {
        double force = event->contacts->matrices.force[j], pull = event->pull[j];
        if (event->own[j] > 0)
            event->sizes[event->ties.of[j]] += (force * force + pull * pull) / event->own[j];
    }
}

// ---- The instant.

// It opens, but where something presses it comes back from a depth that is rounding, or, in an
// event that is itself within what counts as 0, no more than that.
static bool is_fleeting(const ContactEvent *event, const TouchingContact *contact)
{
    const GapFunctions *gaps = event->gaps;
    double depth =
        event->inner ? gaps->band[contact->index] : DBL_EPSILON * gaps->sizes[contact->index];
    return contact->after < 0 && contact->after * contact->after <= 2 * contact->terms * depth;
}

// Those with f' = 0, or all; f'' needs γ after the shock.
static void keep(ContactEvent *event, bool all)
{
    find_ties(event);
    contact_set_begin(&event->kept);
    measure_forces(event);
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        contact->phi = own_phi(event, &event->candidates, i);
        contact->terms = among(event, &event->candidates, i, contact->phi);
    }
    measure_velocities(event);
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        double terms, slow = event->gaps->slow[contact->index];
        contact_set_rate(&event->candidates, i, event->after, event->candidates.partial_t.at[i],
                         &terms);
        double still = fmax(STILL * terms, slow);
        still = fmax(still, STILL_AMONG * among(event, &event->candidates, i, contact->phi));
        contact->fleeting = fabs(contact->after) > still && is_fleeting(event, contact);
        contact->kept = all || contact->stays || contact->fleeting || fabs(contact->after) <= still;
        if (contact->kept)
            contact_set_add(&event->kept, &event->contacts->unilaterals, contact->index, event->t,
                            event->q, event->after);
    }
}

// λ and f'' of one that was kept, and whether they tell anything.
static void judge(const ContactEvent *event, size_t at, TouchingContact *contact)
{
    double terms;
    contact_set_rate(&event->kept, at, event->accelerations, event->kept.gamma.at[at], &terms);
    contact->terms = fmax(terms, contact->terms);
    contact->lambda = event->lambda.at[at];
    contact->acceleration = event->rates.at[at];
    contact->tie = contact->lambda * contact->phi <= STILL * contact->terms &&
                   contact->acceleration >= -STILL * contact->terms;
}

static bool solve(ContactEvent *event)
{
    memset(event->acting.at, 0, event->kept.which.count * sizeof *event->acting.at);
    ContactProblem problem = contact_set_problem(&event->kept, &event->contacts->matrices);
    ContactAnswer answer = {.accelerations = event->accelerations,
                            .lambda = event->lambda.at,
                            .rates = event->rates.at,
                            .acting = event->acting.at};
    event->report = contact_accelerations(event->contacts->gauss, &problem, &answer);
    event->stop = &event->kept;
    return event->report.outcome == SOLVE_DONE;
}

bool event_decide(ContactEvent *event, bool all)
{
    make_room(event);
    go_there(event, event->after);
    keep(event, all);
    if (event->kept.which.count > 0 && !solve(event))
        return false;
    measure_forces(event);
    for (size_t i = 0, at = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        contact->terms = among(event, &event->candidates, i, contact->phi);
        if (contact->kept)
            judge(event, at++, contact);
    }
    return true;
}

double event_gap_acceleration(ContactEvent *event, size_t i, const double *accelerations)
{
    double terms;
    size_t index = event->at.at[i].index;
    UnilateralRow found =
        unilaterals_row(&event->contacts->unilaterals, index, event->t, event->q, event->after);
    return contact_set_rate(&event->candidates, i, accelerations, found.gamma, &terms);
}

double event_reaction_size(const ContactEvent *event, const TouchingContact *contact)
{
    double largest = 0;
    for (size_t j = 0; j < event->eq->n; j++)
        largest = fmax(largest, event->sizes[j]);
    return contact->phi > 0
               ? fmax(contact->terms, FELT * sqrt(contact->phi * largest)) / contact->phi
               : 0;
}

// ---- Which of them are held.

// Whether a row of few numbers stands off those before it; it is then taken.
static bool take(ContactEvent *event, Echelon *echelon, const SparseRows *rows, size_t i)
{
    const Equations *eq = event->eq;
    const State *state = event->state;
    double *row = event->pull, miss;
    memset(row, 0, eq->n * sizeof *row);
    for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
        row[rows->column[at]] = rows->value[at] * state->scale[rows->column[at]];
    return echelon_take(echelon, row, 0, &miss);
}

void event_hold(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    SparseRows touching = contact_set_rows(&event->candidates);
    size_t bytes = event->gaps->count * sizeof *event->held;
    bool led = matrices->directions.first != NULL;
    Echelon echelon, directions;
    echelon_init(&echelon, matrices->n);
    echelon_init(&directions, matrices->n);
    memset(event->held, 0, bytes);
    memset(event->acts, 0, bytes);
    event->shared = false;
    for (size_t i = 0; i < matrices->m; i++) {
        take(event, &echelon, &matrices->rows, i);
        if (led)
            take(event, &directions, &matrices->directions, i);
    }
    // First those that push; what only rests is held where it does not follow from them.
    for (int resting = 0; resting < 2; resting++)
        for (size_t i = 0; i < event->at.count; i++) {
            const TouchingContact *contact = &event->at.at[i];
            bool pushes =
                contact->kept && (contact->tie ? contact->will_push : contact->lambda > 0);
            bool rests = contact->kept && contact->tie && contact->will_rest;
            if (!(resting ? rests && !pushes : pushes))
                continue;
            // Beside servos it must stand off their forces too, or nothing tells them apart.
            bool held = (!led || take(event, &directions, &touching, i)) &&
                        take(event, &echelon, &touching, i);
            event->held[contact->index] = held;
            event->acts[contact->index] = held || pushes;
            event->shared = event->shared || (pushes && !held);
        }
    echelon_clear(&echelon);
    echelon_clear(&directions);
}

// ---- Velocities that counted as 0.

static void put_rows(ContactSet *candidates, const SparseRows *rows, size_t i, double drift)
{
    for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++) {
        array_push(&candidates->column, rows->column[at]);
        array_push(&candidates->value, rows->value[at]);
    }
    array_push(&candidates->first, (uint32_t)candidates->column.count);
    array_push(&candidates->which, (uint32_t)i);
    array_push(&candidates->partial_t, drift);
}

// The equations and the held conditions, in `kept`; whether f' of a held one is not 0.
static bool list_held(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    SparseRows touching = contact_set_rows(&event->candidates);
    bool any = false;
    contact_set_begin(&event->kept);
    for (size_t i = 0; i < matrices->m; i++)
        put_rows(&event->kept, &matrices->rows, i, matrices->c[i]);
    for (size_t i = 0; i < event->at.count; i++) {
        double terms, partial_t = event->candidates.partial_t.at[i];
        if (!event->held[event->at.at[i].index])
            continue;
        put_rows(&event->kept, &touching, i, partial_t);
        double rate = contact_set_rate(&event->candidates, i, event->after, partial_t, &terms);
        any = any || fabs(rate) > ROUNDING * terms;
    }
    return any;
}

bool event_stop_held(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    size_t n = matrices->n;
    if (!list_held(event))
        return true;
    bool nobody[1] = {false};
    memset(event->pull, 0, n * sizeof *event->pull);
    matrices_add_momentum(matrices, event->after, event->pull);
    ContactProblem problem = {.inertia = matrices->inertia,
                              .force = event->pull,
                              .equations = contact_set_rows(&event->kept),
                              .equation_drift = event->kept.partial_t.at,
                              .unilateral = {.first = event->kept.first.at}};
    ContactAnswer answer = {.accelerations = event->own, .acting = nobody};
    event->report = contact_accelerations(event->contacts->gauss, &problem, &answer);
    event->stop = &event->candidates;
    if (event->report.outcome != SOLVE_DONE)
        return false;
    // 𝓜(v + v⁺)·(v − v⁺)/2.
    matrices_add_momentum(matrices, event->own, event->pull);
    for (size_t j = 0; j < n; j++) {
        event->energy_lost += event->pull[j] * (event->after[j] - event->own[j]) / 2;
        event->after[j] = event->own[j];
    }
    return true;
}

// ---- Why there is no answer.

void event_add_reason(const ContactEvent *event, Text *text)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    if (event->jump.outcome != JUMP_SOLVED)
        jump_add_reason(&event->jump, event->stop, matrices, event->lambda.at, text);
    else
        contact_set_add_reason(event->stop, matrices, &event->report, event->lambda.at, text);
}

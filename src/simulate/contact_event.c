// contact_event.c: what happens where unilateral conditions touch, all of them together: the
// impact, and which of them act after it (Mayer 1899, § 4). The start, the events of a run and
// bounces that accumulate ask here.
#include "linalg/sparse.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void event_init(ContactEvent *event, Arena *arena, StartContacts *contacts, GapFunctions *gaps)
{
    size_t n = contacts->matrices.n, count = gaps->count;
    *event = (ContactEvent){.contacts = contacts,
                            .gaps = gaps,
                            .q = arena_array(arena, double, 7 * n),
                            .held = arena_array(arena, bool, count + 1),
                            .acts = arena_array(arena, bool, count + 1)};
    event->before = event->q + n;
    event->after = event->before + n;
    event->accelerations = event->after + n;
    event->own = event->accelerations + n;
    event->pull = event->own + n;
    event->sizes = event->pull + n;
    islands_init(&event->islands, n);
}

void event_clear(ContactEvent *event)
{
    if (!event->contacts)
        return;
    contact_set_clear(&event->touching);
    contact_set_clear(&event->kept);
    array_clear(&event->at);
    array_clear(&event->lambda);
    array_clear(&event->rates);
    array_clear(&event->acting);
    islands_clear(&event->islands);
    *event = (ContactEvent){0};
}

// ---- Which conditions touch.

void event_begin(ContactEvent *event, double t, const double *q, const double *v)
{
    size_t bytes = event->contacts->matrices.n * sizeof *q;
    event->t = t;
    memmove(event->q, q, bytes);
    memmove(event->before, v, bytes);
    memcpy(event->after, event->before, bytes);
    event->at.count = 0;
    event->impact = event->inner = event->keep_all = false;
    event->jump = (VelocityJump){.solved = true};
    event->energy_lost = 0;
    contact_set_begin(&event->touching);
}

void event_add(ContactEvent *event, size_t index)
{
    assert(event->at.count == 0 || event->at.at[event->at.count - 1].index < index);
    UnilateralRow found = contact_set_add(&event->touching, &event->contacts->unilaterals, index,
                                          event->t, event->q, event->before);
    array_push(&event->at,
               ((TouchingContact){.index = index, .before = found.rate, .after = found.rate}));
}

// Brings the matrices to the event, with these velocities.
static void evaluate_at(const ContactEvent *event, const double *v)
{
    SystemMatrices *matrices = &event->contacts->matrices;
    State *state = matrices->state;
    *state->t = event->t;
    memcpy(state->q, event->q, matrices->n * sizeof(double));
    memcpy(state->v, v, matrices->n * sizeof(double));
    matrices_evaluate(matrices);
}

void event_evaluate_before(ContactEvent *event)
{
    evaluate_at(event, event->before);
}

// ---- The impact.

static bool solve_impact(ContactEvent *event, const double *impulse)
{
    size_t count = event->at.count;
    double *after = event->rates.at + count;
    evaluate_at(event, event->before);
    JumpProblem problem = {.touching = &event->touching,
                           .matrices = &event->contacts->matrices,
                           .solver = event->contacts->solver,
                           .velocities = event->before,
                           .impulse = impulse,
                           .answer = {.velocities = event->after,
                                      .lambda = event->lambda.at,
                                      .rates_before = event->rates.at,
                                      .rates_after = after}};
    event->jump = impact_solve(&problem);
    event->asked = &event->touching;
    if (!event->jump.solved)
        return false;
    event->impact = true;
    event->energy_lost = event->jump.impact.energy_lost;
    for (size_t i = 0; i < count; i++) {
        event->at.at[i].impulse = event->lambda.at[i];
        event->at.at[i].before = event->rates.at[i];
        event->at.at[i].after = after[i];
    }
    return true;
}

void event_set_after(ContactEvent *event, const double *velocities)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    size_t n = matrices->n;
    memcpy(event->after, velocities, n * sizeof *velocities);
    event->impact = true;
    for (size_t i = 0; i < event->at.count; i++) {
        double terms;
        event->at.at[i].after = contact_set_rate(&event->touching, i, event->after,
                                                 event->touching.partial_t.at[i], &terms);
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

// Also what is coupled by a 0 that is one only here: rounding goes from one to the other.
static void couple(Islands *islands, const SparseRows *rows, bool matrix)
{
    for (size_t i = 0; i < rows->count; i++)
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            islands_tie(islands, matrix ? i : rows->column[rows->first[i]], rows->column[at]);
}

// What is coupled by the inertia, by equations and by contact.
static void find_islands(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    SparseRows touching = contact_set_rows(&event->touching);
    islands_part(&event->islands, matrices->n);
    couple(&event->islands, &matrices->inertia, true);
    couple(&event->islands, &matrices->rows, false);
    couple(&event->islands, &touching, false);
    islands_number(&event->islands);
    for (size_t i = 0; i < matrices->n; i++) {
        event->own[i] = 0;
        for (uint32_t at = matrices->inertia.first[i]; at < matrices->inertia.first[i + 1]; at++)
            if (matrices->inertia.column[at] == i)
                event->own[i] = fmax(matrices->inertia.value[at], 0);
    }
}

// Φ of one condition, as it would be without couplings.
static double own_phi(const ContactEvent *event, size_t i)
{
    const ContactSet *touching = &event->touching;
    double phi = 0;
    for (uint32_t at = touching->first.at[i]; at < touching->first.at[i + 1]; at++) {
        double own = event->own[touching->column.at[at]], value = touching->value.at[at];
        phi += own > 0 ? value * value / own : 0;
    }
    return phi;
}

// How large a rate of the condition is where all that it is coupled to counts, in `sizes`.
static double coupled_size(const ContactEvent *event, size_t i)
{
    const ContactSet *touching = &event->touching;
    if (touching->first.at[i] == touching->first.at[i + 1])
        return 0;
    uint32_t island = event->islands.of[touching->column.at[touching->first.at[i]]];
    return sqrt(event->at.at[i].phi * event->sizes[island]);
}

// Σ 𝓜v² of each island, before the impact or after it, whichever is more.
static void measure_velocities(ContactEvent *event)
{
    size_t n = event->contacts->matrices.n;
    memset(event->sizes, 0, n * sizeof *event->sizes);
    for (size_t j = 0; j < n; j++) {
        double v = fmax(fabs(event->before[j]), fabs(event->after[j]));
        event->sizes[event->islands.of[j]] += event->own[j] * v * v;
    }
}

// Σ 𝓜⁻¹F² of each island, F being the given forces and those of the conditions; f'' of each
// condition is measured by it.
static void measure_forces(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    const ContactSet *kept = &event->kept;
    size_t bytes = matrices->n * sizeof *event->pull;
    memset(event->pull, 0, bytes);
    memset(event->sizes, 0, bytes);
    for (size_t i = 0; i < kept->which.count; i++)
        for (uint32_t at = kept->first.at[i]; at < kept->first.at[i + 1]; at++)
            event->pull[kept->column.at[at]] += event->lambda.at[i] * kept->value.at[at];
    for (size_t j = 0; j < matrices->n; j++) {
        double force = matrices->force[j], pull = event->pull[j];
        if (event->own[j] > 0)
            event->sizes[event->islands.of[j]] += (force * force + pull * pull) / event->own[j];
    }
    for (size_t i = 0; i < event->at.count; i++)
        event->at.at[i].terms = coupled_size(event, i);
}

// ---- Which of them act.

// It opens, but where something presses it comes back from a depth that is rounding, or, in an
// event that is itself within what counts as 0, no more than that.
static bool is_fleeting(const ContactEvent *event, const TouchingContact *contact)
{
    const GapFunctions *gaps = event->gaps;
    double depth =
        event->inner ? gaps->band[contact->index] : DBL_EPSILON * gaps->sizes[contact->index];
    return contact->after < 0 && contact->after * contact->after <= 2 * contact->terms * depth;
}

// Those with f' = 0, or all; f'' needs γ after the impact.
static void find_kept(ContactEvent *event)
{
    find_islands(event);
    contact_set_begin(&event->kept);
    for (size_t i = 0; i < event->at.count; i++)
        event->at.at[i].phi = own_phi(event, i);
    measure_forces(event);
    measure_velocities(event);
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        double terms, slow = event->gaps->slow[contact->index];
        contact_set_rate(&event->touching, i, event->after, event->touching.partial_t.at[i],
                         &terms);
        double still =
            fmax(fmax(TOL_CONDITION * terms, slow), TOL_ROUNDING * coupled_size(event, i));
        contact->fleeting = fabs(contact->after) > still && is_fleeting(event, contact);
        contact->kept =
            event->keep_all || contact->stays || contact->fleeting || fabs(contact->after) <= still;
        if (contact->kept)
            contact_set_add(&event->kept, &event->contacts->unilaterals, contact->index, event->t,
                            event->q, event->after);
    }
}

// λ and f'' of one that was kept, and whether they are more than rounding.
static void judge(const ContactEvent *event, size_t at, TouchingContact *contact)
{
    double terms;
    contact_set_rate(&event->kept, at, event->accelerations, event->kept.gamma.at[at], &terms);
    contact->terms = fmax(terms, contact->terms);
    contact->lambda = event->lambda.at[at];
    contact->acceleration = event->rates.at[at];
    contact->degenerate = contact->lambda * contact->phi <= TOL_CONDITION * contact->terms &&
                          contact->acceleration >= -TOL_CONDITION * contact->terms;
}

static bool solve_accelerations(ContactEvent *event)
{
    memset(event->acting.at, 0, event->kept.which.count * sizeof *event->acting.at);
    ContactProblem problem = contact_set_problem(&event->kept, &event->contacts->matrices);
    ContactAnswer answer = {.accelerations = event->accelerations,
                            .multipliers = event->multipliers,
                            .free_rates = event->phi0,
                            .lambda = event->lambda.at,
                            .rates = event->rates.at,
                            .acting = event->acting.at};
    event->report = contact_accelerations(event->contacts->solver, &problem, &answer);
    event->asked = &event->kept;
    return event->report.outcome == SOLVE_DONE;
}

static bool decide(ContactEvent *event)
{
    evaluate_at(event, event->after);
    find_kept(event);
    if (event->kept.which.count > 0 && !solve_accelerations(event))
        return false;
    measure_forces(event);
    for (size_t i = 0, at = 0; i < event->at.count; i++)
        if (event->at.at[i].kept)
            judge(event, at++, &event->at.at[i]);
    return true;
}

bool contact_event(ContactEvent *event, bool strikes, const double *impulse)
{
    assert(strikes || !impulse);
    size_t count = event->at.count + 1;
    array_reserve(&event->lambda, count);
    array_reserve(&event->rates, 2 * count);
    array_reserve(&event->acting, count);
    return (!strikes || solve_impact(event, impulse)) && decide(event);
}

double event_gap_acceleration(ContactEvent *event, size_t i, const double *accelerations)
{
    double terms;
    size_t index = event->at.at[i].index;
    UnilateralRow found =
        unilaterals_row(&event->contacts->unilaterals, index, event->t, event->q, event->after);
    return contact_set_rate(&event->touching, i, accelerations, found.gamma, &terms);
}

// Reactions are found together: roundings of each are as if it were a part of the largest.
double event_reaction_size(const ContactEvent *event, const TouchingContact *contact)
{
    double largest = 0;
    for (size_t j = 0; j < event->contacts->matrices.n; j++)
        largest = fmax(largest, event->sizes[j]);
    double felt = TOL_COARSE * sqrt(contact->phi * largest);
    return contact->phi > 0 ? fmax(contact->terms, felt) / contact->phi : 0;
}

// ---- Which of them are held.

// Whether a sparse row is independent of those before it; it is then taken.
static bool take(ContactEvent *event, Echelon *echelon, const SparseRows *rows, size_t i)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    double *row = event->pull, miss;
    memset(row, 0, matrices->n * sizeof *row);
    for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
        row[rows->column[at]] = rows->value[at] * matrices->state->scale[rows->column[at]];
    return echelon_take(echelon, row, 0, &miss);
}

void event_hold(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    SparseRows touching = contact_set_rows(&event->touching);
    size_t bytes = event->gaps->count * sizeof *event->held;
    // Where equations are kept in other directions than their own, a held condition must be
    // independent of these too, or nothing tells their forces apart.
    bool directed = matrices->directions.first != NULL;
    Echelon echelon, directions;
    echelon_init(&echelon, matrices->n);
    echelon_init(&directions, matrices->n);
    memset(event->held, 0, bytes);
    memset(event->acts, 0, bytes);
    event->shared = false;
    for (size_t i = 0; i < matrices->m; i++) {
        take(event, &echelon, &matrices->rows, i);
        if (directed)
            take(event, &directions, &matrices->directions, i);
    }
    // First those that push; what only rests is held where it does not follow from them.
    for (int resting = 0; resting < 2; resting++)
        for (size_t i = 0; i < event->at.count; i++) {
            const TouchingContact *contact = &event->at.at[i];
            bool pushes = contact->kept &&
                          (contact->degenerate ? contact->pushes_later : contact->lambda > 0);
            bool rests = contact->kept && contact->degenerate && contact->rests_later;
            if (!(resting ? rests && !pushes : pushes))
                continue;
            bool held = (!directed || take(event, &directions, &touching, i)) &&
                        take(event, &echelon, &touching, i);
            event->held[contact->index] = held;
            event->acts[contact->index] = held || pushes;
            event->shared = event->shared || (pushes && !held);
        }
    echelon_clear(&echelon);
    echelon_clear(&directions);
}

// ---- Velocities that counted as 0.

// The equations and the held conditions, in `kept`; whether f' of a held one is not 0.
static bool list_held(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    bool any = false;
    contact_set_begin(&event->kept);
    for (size_t i = 0; i < matrices->m; i++)
        contact_set_add_row(&event->kept, &matrices->rows, i, matrices->c[i]);
    for (size_t i = 0; i < event->at.count; i++) {
        if (!event->held[event->at.at[i].index])
            continue;
        double terms, partial_t = event->touching.partial_t.at[i];
        contact_set_copy(&event->kept, &event->touching, i);
        double rate = contact_set_rate(&event->touching, i, event->after, partial_t, &terms);
        any = any || fabs(rate) > DBL_EPSILON * terms;
    }
    return any;
}

bool event_stop_held(ContactEvent *event)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    size_t n = matrices->n;
    if (!list_held(event))
        return true;
    memset(event->pull, 0, n * sizeof *event->pull);
    matrices_add_momentum(matrices, event->after, event->pull);
    SparseRows rows = contact_set_rows(&event->kept);
    event->report = contact_set_project(&rows, event->kept.partial_t.at, matrices,
                                        event->contacts->solver, event->pull, event->own);
    event->asked = &event->touching;
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

// ---- Why there is no solution.

void event_add_reason(const ContactEvent *event, Text *text)
{
    const SystemMatrices *matrices = &event->contacts->matrices;
    if (!event->jump.solved)
        impact_add_reason(&event->jump, event->asked, matrices, event->lambda.at, text);
    else
        contact_set_add_reason(event->asked, matrices, &event->report, event->lambda.at, text);
}

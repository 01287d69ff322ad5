// contact_event.c: what happens where unilateral conditions touch, all of them together: the
// impact, and which of them act after it (Mayer 1899, § 4). The start, the events of a run and
// bounces that accumulate ask here.
#include "contact/contact.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/echelon.h"
#include "linalg/islands.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_event_parts_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

ContactEvent *event_new(Arena *arena, StartContacts *contacts, GapFunctions *gaps)
{
    assert(contacts->matrices && gaps);
    size_t n = contacts->matrices->n, count = gaps->room + 1;
    ContactEvent *event = arena_array(arena, ContactEvent, 1);
    event->contacts = contacts;
    event->gaps = gaps;
    event->report = arena_array(arena, ContactReport, 1);
    event->answer = arena_array(arena, ContactAnswer, 1);
    *event->answer = (ContactAnswer){.lambda = arena_array(arena, double, count),
                                     .rates = arena_array(arena, double, 2 * count),
                                     .acting = arena_array(arena, bool, count)};
    real_alloc_each(arena, n, &event->q, &event->before, &event->after, &event->own, &event->pull,
                    &event->sizes, &event->answer->accelerations);
    event->jump = arena_array(arena, VelocityJump, 1);
    event->held = arena_array(arena, bool, count);
    event->acts = arena_array(arena, bool, count);
    event->islands = arena_array(arena, Islands, 1);
    event->friction = friction_event_new(arena, contacts->friction);
    return event;
}

void event_clear(ContactEvent *event)
{
    contact_set_clear(&event->touching);
    contact_set_clear(&event->kept);
    array_clear(&event->at);
    text_clear(&event->jump->reason);
    islands_clear(event->islands);
    friction_event_clear(event->friction);
}

const ModelConstraint *event_constraint(const ContactEvent *event, size_t side)
{
    assert(side < event->gaps->count);
    return unilaterals_condition(event->contacts->unilaterals, side);
}

// ---- Which conditions touch.

void event_begin(ContactEvent *event, double t, const double *q, const double *v)
{
    assert(isfinite(t));
    size_t bytes = event->contacts->matrices->n * sizeof *q;
    event->t = t;
    memmove(event->q, q, bytes);
    memmove(event->before, v, bytes);
    memcpy(event->after, event->before, bytes);
    event->at.count = 0;
    event->impact = event->inner = event->keep_all = false;
    text_clear(&event->jump->reason);
    *event->jump = (VelocityJump){.solved = true};
    event->energy_lost = 0;
    contact_set_begin(&event->touching);
}

void event_add(ContactEvent *event, size_t index)
{
    assert(event->at.count == 0 || event->at.at[event->at.count - 1].index != index);
    UnilateralRow found = contact_set_add(&event->touching, event->contacts->unilaterals, index,
                                          event->t, event->q, event->before);
    array_push(&event->at, ((TouchingContact){.index = index,
                                              .before = found.rate,
                                              .after = found.rate,
                                              .acted = event->acts[index]}));
}

void event_evaluate(const ContactEvent *event, const double *v)
{
    SystemMatrices *matrices = event->contacts->matrices;
    State *state = matrices->state;
    *state->t = event->t;
    memcpy(state->q, event->q, matrices->n * sizeof(double));
    memcpy(state->v, v, matrices->n * sizeof(double));
    matrices_evaluate(matrices);
}

// ---- The impact.

// 𝓜(v + v⁺)·(v − v⁺)/2.
static double energy_between(const ContactEvent *event, const double *v, const double *after)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    double *momentum = event->pull, lost = 0;
    memset(momentum, 0, matrices->n * sizeof *momentum);
    matrices_add_momentum(matrices, v, momentum);
    matrices_add_momentum(matrices, after, momentum);
    for (size_t j = 0; j < matrices->n; j++)
        lost += momentum[j] * (v[j] - after[j]) / 2;
    return lost;
}

void event_set_after(ContactEvent *event, const double *velocities)
{
    memcpy(event->after, velocities, event->contacts->matrices->n * sizeof *velocities);
    event->impact = true;
    for (size_t i = 0; i < event->at.count; i++)
        event->at.at[i].after = contact_set_rate(&event->touching, i, event->after, NULL);
    event->energy_lost = energy_between(event, event->before, event->after);
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
    const SystemMatrices *matrices = event->contacts->matrices;
    SparseRows touching = sparse_store_rows(&event->touching.rows);
    islands_part(event->islands, matrices->n);
    couple(event->islands, &matrices->inertia, true);
    couple(event->islands, &matrices->rows, false);
    couple(event->islands, &touching, false);
    islands_number(event->islands);
}

void event_find_inertia(ContactEvent *event)
{
    const SparseRows *inertia = &event->contacts->matrices->inertia;
    sparse_rows_diagonal(inertia, event->own);
    for (size_t i = 0; i < inertia->count; i++)
        event->own[i] = fmax(event->own[i], 0);
}

double event_phi(const ContactEvent *event, size_t i)
{
    SparseRows rows = sparse_store_rows(&event->touching.rows);
    double phi = 0;
    for (uint32_t at = rows.first[i]; at < rows.first[i + 1]; at++) {
        double own = event->own[rows.column[at]];
        phi += own > 0 ? rows.value[at] * rows.value[at] / own : 0;
    }
    return phi;
}

size_t event_island(const ContactEvent *event, size_t i)
{
    SparseRows rows = sparse_store_rows(&event->touching.rows);
    assert(i < rows.count);
    return event->islands->of[rows.column[rows.first[i]]];
}

// How large a rate of the condition is where all that it is coupled to counts, in `sizes`.
static double coupled_size(const ContactEvent *event, size_t i)
{
    const uint32_t *first = event->touching.rows.first.at;
    bool is_empty = first[i] == first[i + 1];
    return is_empty ? 0 : sqrt(event->at.at[i].phi * event->sizes[event_island(event, i)]);
}

// Σ 𝓜v² of each island, before the impact or after it, whichever is more.
static void measure_velocities(ContactEvent *event)
{
    size_t n = event->contacts->matrices->n;
    memset(event->sizes, 0, n * sizeof *event->sizes);
    for (size_t j = 0; j < n; j++) {
        double v = fmax(fabs(event->before[j]), fabs(event->after[j]));
        event->sizes[event->islands->of[j]] += event->own[j] * v * v;
    }
}

// Σ 𝓜⁻¹F² of each island, F being the given forces and those of the conditions; f'' of each
// condition is measured by it.
static void measure_forces(ContactEvent *event)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    SparseRows kept = sparse_store_rows(&event->kept.rows);
    size_t bytes = matrices->n * sizeof *event->pull;
    memset(event->pull, 0, bytes);
    memset(event->sizes, 0, bytes);
    for (size_t i = 0; i < kept.count; i++)
        sparse_row_add(&kept, i, event->answer->lambda[i], event->pull);
    for (size_t j = 0; j < matrices->n; j++) {
        double force = matrices->force[j], pull = event->pull[j];
        if (event->own[j] > 0)
            event->sizes[event->islands->of[j]] += (force * force + pull * pull) / event->own[j];
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
    event_find_inertia(event);
    contact_set_begin(&event->kept);
    for (size_t i = 0; i < event->at.count; i++)
        event->at.at[i].phi = event_phi(event, i);
    measure_forces(event);
    measure_velocities(event);
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        double terms;
        contact_set_rate(&event->touching, i, event->after, &terms);
        // An impact leaves so much of the velocities.
        double still = fmax(4 * TOL_RATE * terms, TOL_ROUNDING * coupled_size(event, i));
        contact->fleeting =
            !contact->stays && fabs(contact->after) > still && is_fleeting(event, contact);
        contact->kept =
            event->keep_all || contact->stays || contact->fleeting || fabs(contact->after) <= still;
        if (contact->kept)
            contact_set_add(&event->kept, event->contacts->unilaterals, contact->index, event->t,
                            event->q, event->after);
    }
}

// λ and f'' of one that was kept, and whether they are more than rounding.
static void judge(const ContactEvent *event, size_t at, TouchingContact *contact)
{
    double terms;
    contact_set_acceleration(&event->kept, at, event->answer->accelerations, &terms);
    contact->terms = fmax(terms, contact->terms);
    contact->lambda = event->answer->lambda[at];
    contact->acceleration = event->answer->rates[at];
    bool degenerate = contact->lambda * contact->phi <= TOL_CONDITION * contact->terms &&
                      contact->acceleration >= -TOL_CONDITION * contact->terms;
    contact->outcome = degenerate            ? CONTACT_RESTS
                       : contact->lambda > 0 ? CONTACT_PUSHES
                                             : CONTACT_OPENS;
}

bool event_solve_kept(ContactEvent *event)
{
    const ContactSet *kept = event->asked = &event->kept;
    memset(event->answer->acting, 0, kept->which.count * sizeof *event->answer->acting);
    ContactProblem problem = contact_set_problem(kept, event->contacts->matrices);
    *event->report = contact_accelerations(event->contacts->solver, &problem, event->answer);
    return event->report->outcome == SOLVE_DONE;
}

static bool decide(ContactEvent *event)
{
    event_evaluate(event, event->after);
    find_kept(event);
    if (event->friction ? !friction_decide(event)
                        : event->kept.which.count > 0 && !event_solve_kept(event))
        return false;
    measure_forces(event);
    for (size_t i = 0, at = 0; i < event->at.count; i++) {
        event->at.at[i].outcome = CONTACT_OPENS;
        if (event->at.at[i].kept)
            judge(event, at++, &event->at.at[i]);
    }
    return true;
}

bool contact_event(ContactEvent *event, bool strikes, const double *impulse)
{
    assert(event->touching.rows.first.count > 0 && (strikes || !impulse));
    if (strikes && !impact_solve(event, impulse))
        return false;
    // Where no contact forces exist the velocities may jump, once.
    return decide(event) ||
           (event->friction && event->friction->paradox && event->friction->contacts->jumps &&
            friction_jump(event) && decide(event));
}

void event_keep_multipliers(const ContactEvent *event, double h)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    const Equations *eq = matrices->eq;
    State *state = matrices->state;
    assert(h > 0 && event->answer->multipliers);
    // Those of conditions that are not affine stay.
    dynamics_collect_multipliers(eq, state);
    for (size_t i = 0; i < matrices->m; i++)
        state->lambda[matrices->which[i]] = event->answer->multipliers[i] / h;
    dynamics_hand_out_multipliers(eq, state, true);
    dynamics_clear_reactions(eq, state);
    // Pairs that are kept together have no multiplier of their own.
    for (size_t k = 0; k < event->asked->which.count; k++)
        if (event->asked->which.at[k] < event->contacts->unilaterals->single)
            *dynamics_side_multiplier(eq, state, event->asked->which.at[k]) =
                event->answer->lambda[k] / h;
}

// Reactions are found together: roundings of each are as if it were a part of the largest.
double event_reaction_size(const ContactEvent *event, const TouchingContact *contact)
{
    assert(contact->phi >= 0);
    double largest = 0;
    for (size_t j = 0; j < event->contacts->matrices->n; j++)
        largest = fmax(largest, event->sizes[j]);
    double felt = TOL_COARSE * sqrt(contact->phi * largest);
    return contact->phi > 0 ? fmax(contact->terms, felt) / contact->phi : 0;
}

// ---- Which of them are held.

// Whether a sparse row is independent of those before it; it is then taken.
static bool take(ContactEvent *event, Echelon *echelon, const SparseRows *rows, size_t i)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    double *row = event->pull, miss;
    memset(row, 0, matrices->n * sizeof *row);
    for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
        row[rows->column[at]] = rows->value[at] * matrices->state->scale[rows->column[at]];
    return echelon_take(echelon, row, 0, &miss);
}

void event_hold(ContactEvent *event)
{
    assert(event->acts && event->held);
    const SystemMatrices *matrices = event->contacts->matrices;
    SparseRows touching = sparse_store_rows(&event->touching.rows);
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
    for (ContactOutcome outcome = CONTACT_PUSHES; outcome <= CONTACT_RESTS; outcome++)
        for (size_t i = 0; i < event->at.count; i++) {
            const TouchingContact *contact = &event->at.at[i];
            bool pushes = outcome == CONTACT_PUSHES;
            if (contact->outcome != outcome)
                continue;
            bool held = (!directed || take(event, &directions, &touching, i)) &&
                        take(event, &echelon, &touching, i);
            event->held[contact->index] = held;
            event->acts[contact->index] = held || pushes;
            event->shared = event->shared || (pushes && !held);
        }
    if (event->friction)
        friction_hold_rows(event, &echelon);
    echelon_clear(&echelon);
    echelon_clear(&directions);
}

// ---- Velocities that counted as 0.

bool event_project(ContactEvent *event, const SparseRows *rows, const double *drift,
                   double *velocities)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    bool nobody[1] = {false};
    assert(rows->count == 0 || (drift && velocities != event->pull));
    memset(event->pull, 0, matrices->n * sizeof *event->pull);
    matrices_add_momentum(matrices, velocities, event->pull);
    ContactProblem problem = {.inertia = matrices->inertia,
                              .force = event->pull,
                              .equations = *rows,
                              .equation_drift = drift,
                              .unilateral = {.first = rows->first}};
    ContactAnswer answer = {.accelerations = velocities, .acting = nobody};
    *event->report = contact_accelerations(event->contacts->solver, &problem, &answer);
    return event->report->outcome == SOLVE_DONE;
}

bool event_stop_held(ContactEvent *event)
{
    assert(event->gaps && event->after);
    const SystemMatrices *matrices = event->contacts->matrices;
    SparseStore *rows = &event->kept.rows;
    SparseRows touching = sparse_store_rows(&event->touching.rows);
    bool moves = false;
    contact_set_begin(&event->kept);
    for (size_t i = 0; i < matrices->m; i++) {
        if (event->friction &&
            massless_of_row(event->friction->contacts, matrices_condition(matrices, i)) != SIZE_MAX)
            continue;
        sparse_store_take(rows, &matrices->rows, i);
        array_push(&event->kept.partial_t, matrices->c[i]);
    }
    for (size_t i = 0; i < event->at.count; i++) {
        double terms, rate = contact_set_rate(&event->touching, i, event->after, &terms);
        if (!event->held[event->at.at[i].index])
            continue;
        sparse_store_take(rows, &touching, i);
        array_push(&event->kept.partial_t, event->touching.partial_t.at[i]);
        moves = moves || fabs(rate) > DBL_EPSILON * terms;
    }
    if (event->friction)
        moves = friction_stop_rows(event) || moves;
    if (!moves)
        return true;
    SparseRows all = sparse_store_rows(rows);
    event->asked = &event->touching;
    memcpy(event->own, event->after, matrices->n * sizeof *event->own);
    if (!event_project(event, &all, event->kept.partial_t.at, event->own))
        return false;
    event->energy_lost += energy_between(event, event->after, event->own);
    memcpy(event->after, event->own, matrices->n * sizeof *event->own);
    return true;
}

// ---- Why there is no solution.

// Whether Σ λ·∂f/∂q of those that exclude each other is not 0 by itself, so that the equations have
// their part in it.
static bool needs_equations(const ContactSet *set, const double *lambda, size_t n)
{
    double *sum = base_alloc((2 * n + 1) * sizeof *sum), *terms = sum + n, most = 0, left = 0;
    SparseRows rows = sparse_store_rows(&set->rows);
    for (size_t i = 0; i < rows.count; i++)
        for (uint32_t at = rows.first[i]; at < rows.first[i + 1]; at++) {
            sum[rows.column[at]] += lambda[i] * rows.value[at];
            terms[rows.column[at]] += fabs(lambda[i] * rows.value[at]);
        }
    for (size_t j = 0; j < n; j++) {
        most = fmax(most, terms[j]);
        left = fmax(left, fabs(sum[j]));
    }
    base_free(sum);
    return left > TOL_CONDITION * most;
}

// Of conditions that exclude each other.
static void add_clash(const ContactEvent *event, size_t row, const double *lambda, Text *text)
{
    const Unilaterals *unilaterals = event->contacts->unilaterals;
    const ContactSet *set = event->asked;
    assert(row < set->which.count);
    text_addf(text, "the one-sided constraint '%s' cannot hold together with ",
              unilaterals_condition(unilaterals, set->which.at[row])->name);
    bool any = false;
    for (size_t i = 0; i < set->which.count; i++)
        if (lambda[i] > 0 && i != row) {
            text_addf(text, "%s'%s'", any ? ", " : "",
                      unilaterals_condition(unilaterals, set->which.at[i])->name);
            any = true;
        }
    if (!any || needs_equations(set, lambda, event->contacts->matrices->n))
        text_addf(text, "%sthe equations", any ? " and " : "");
}

static void add_reason(const ContactEvent *event, const ContactReport *report, Text *text)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    switch (report->outcome) {
    case SOLVE_CONTRADICTION:
        if (report->row_is_equation)
            text_addf(text, "the constraint '%s' comes to contradict the constraints before it",
                      matrices_condition(matrices, report->row)->name);
        else
            add_clash(event, report->row, event->answer->lambda, text);
        return;
    case SOLVE_NO_MINIMUM:
    case SOLVE_SINGULAR:
        text_add(text, "which one-sided conditions act cannot be decided, because the inertia is "
                       "not positive on the velocities that the equations leave free");
        return;
    case SOLVE_UNDECIDED:
        text_add(text, "which one-sided conditions act is hidden by rounding; some of them say "
                       "almost the same");
        return;
    case SOLVE_UNCONTROLLABLE:
    case SOLVE_NO_SOLUTION:
    case SOLVE_SEVERAL:
    case SOLVE_TOO_MANY: servo_add_contact_reason(event, report, text); return;
    case SOLVE_DONE:
    case SOLVE_NOT_FINITE: break;
    }
    text_add(text, "something in a one-sided condition has no finite value");
}

void event_add_reason(const ContactEvent *event, Text *text)
{
    const VelocityJump *jump = event->jump;
    if (jump->reason.length > 0)
        text_add(text, jump->reason.at);
    else if (event->friction && event->friction->reason->length > 0)
        text_add(text, event->friction->reason->at);
    else
        add_reason(event, jump->solved ? event->report : &jump->impact.contact, text);
}

Place event_hint(const ContactEvent *event)
{
    return event->friction && event->friction->paradox ? place_hint(HINT_PARADOX) : place_none();
}

bool event_may_do_work(const ContactEvent *event)
{
    return matrices_do_work(event->contacts->matrices);
}

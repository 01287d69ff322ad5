// friction_heap.c: a step of fixed length with very many contacts that rub: the sparse problem of
// contact/friction_step.h, begun from the forces of the step before.
//
// Here what is struck rebounds within the step, f'⁺ = −e f'⁻ (Moreau, Jean). Where that would add
// energy the step is taken without rebound.
#include "contact/contact.h"
#include "contact/friction_step.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct {
    Arena *arena;
    SparseStore sliding;
    FrictionStepProblem problem;
    double *impulse, *drift, *mu;      // n; a row w each; a contact each
    double *guess, *lambda, *friction; // F; λ and F of the answer
    size_t *which;                     // of each contact: its friction; SIZE_MAX for none
} Heap;

bool friction_is_heap(const ContactEvent *event)
{
    const FrictionEvent *friction = event->friction;
    if (!friction || event->at.count <= SIZE_SMALL)
        return false;
    return friction->contacts->alike;
}

double friction_missed(const ContactEvent *event)
{
    return event->friction->missed;
}

// ---- The problem.

// The rows w of one contact, as they are at the end of the step where it acted before.
static void add_contact(Heap *heap, const ContactEvent *event, size_t k, double h)
{
    const FrictionEvent *friction = event->friction;
    FrictionContacts *contacts = friction->contacts;
    size_t i = heap->which[k] = friction_of_side(contacts, event->touching.which.at[k]);
    size_t tangents = heap->problem.tangents;
    SparseRows rows = sparse_store_rows(&contacts->rows);
    if (i != SIZE_MAX)
        friction_contacts_evaluate_one(contacts, event->contacts->matrices->state, i);
    heap->mu[k] = 0;
    for (size_t t = 0; t < tangents; t++) {
        size_t row = k * tangents + t;
        heap->drift[row] = heap->guess[row] = 0;
        if (i == SIZE_MAX) {
            sparse_store_end_row(&heap->sliding);
            continue;
        }
        const FrictionNumbers *numbers = &contacts->at[i];
        sparse_store_take(&heap->sliding, &rows, contacts->row_at[i] + t);
        heap->drift[row] = numbers->c[t] + (event->at.at[k].acted ? h / 2 * numbers->eta[t] : 0);
        heap->guess[row] = h * friction->force[FRICTION_MOST * i + t];
    }
    if (i == SIZE_MAX)
        return;
    bool sticks = friction->before[i].mode == HOLD_STICKS;
    heap->mu[k] =
        contacts->at[i].pressure * (sticks ? fmax(contacts->at[i].sticking, contacts->at[i].sliding)
                                           : contacts->at[i].sliding);
}

static void gather(Heap *heap, ContactEvent *event, double h, const double *drift)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    size_t count = event->at.count, n = matrices->n;
    size_t tangents = event->friction->contacts->motion->frictions[0].rows, rows = count * tangents;
    Arena *arena = heap->arena = arena_new();
    heap->impulse = real_alloc(arena, n);
    real_alloc_each(arena, count, &heap->mu, &heap->lambda);
    real_alloc_each(arena, rows, &heap->drift, &heap->guess, &heap->friction);
    heap->which = arena_array(arena, size_t, count + 1);
    heap->problem.tangents = tangents;
    sparse_store_begin(&heap->sliding);
    for (size_t k = 0; k < count; k++)
        add_contact(heap, event, k, h);
    memset(heap->impulse, 0, n * sizeof *heap->impulse);
    real_add_times(h, matrices->force, n, heap->impulse);
    matrices_add_momentum(matrices, event->before, heap->impulse);
    heap->problem = (FrictionStepProblem){.inertia = matrices->inertia,
                                          .impulse = heap->impulse,
                                          .equations = matrices->rows,
                                          .equation_drift = drift,
                                          .contacts = count,
                                          .normals = sparse_store_rows(&event->touching.rows),
                                          .normal_drift = event->touching.gamma.at,
                                          .tangents = tangents,
                                          .sliding = sparse_store_rows(&heap->sliding),
                                          .sliding_drift = heap->drift,
                                          .friction = heap->mu,
                                          .lambda_guess = event->answer->lambda,
                                          .friction_guess = heap->guess,
                                          .accuracy = event->friction->accuracy};
}

// ---- Solving it.

static FrictionStepReport solve(Heap *heap, ContactEvent *event)
{
    FrictionStepAnswer answer = {.velocities = event->after,
                                 .multipliers = event->answer->multipliers,
                                 .lambda = heap->lambda,
                                 .friction = heap->friction};
    return friction_step(&heap->problem, &answer);
}

static double length_of(const double *vector, size_t count)
{
    return count == 1 ? fabs(vector[0]) : real_length(vector, count);
}

// What was held by μ_s alone and has slid: from then on by μ. True where there is such a one.
static bool let_slide(Heap *heap, const ContactEvent *event)
{
    const FrictionContacts *contacts = event->friction->contacts;
    size_t tangents = heap->problem.tangents;
    bool any = false;
    for (size_t k = 0; k < heap->problem.contacts; k++) {
        if (heap->which[k] == SIZE_MAX)
            continue;
        const FrictionNumbers *numbers = &contacts->at[heap->which[k]];
        double slides = numbers->pressure * numbers->sliding;
        double force = length_of(heap->friction + k * tangents, tangents);
        if (heap->mu[k] <= slides || force < (1 - TOL_SMALL) * heap->mu[k] * heap->lambda[k])
            continue;
        heap->mu[k] = slides;
        any = true;
    }
    return any;
}

// ½ Σ [−λ(f'⁻ + f'⁺) + F·(u⁻ + u⁺)], what contacts add to the energy; of what moves by itself
// without that.
static double work_of(const Heap *heap, const ContactEvent *event)
{
    size_t tangents = heap->problem.tangents;
    double work = 0;
    for (size_t k = 0; k < heap->problem.contacts; k++) {
        const SparseRows *normals = &heap->problem.normals, *sliding = &heap->problem.sliding;
        work -= heap->lambda[k] * (sparse_row_times(normals, k, event->before, 0, NULL) +
                                   sparse_row_times(normals, k, event->after, 0, NULL));
        for (size_t row = k * tangents; row < (k + 1) * tangents; row++)
            work += heap->friction[row] * (sparse_row_times(sliding, row, event->before, 0, NULL) +
                                           sparse_row_times(sliding, row, event->after, 0, NULL));
    }
    return work / 2;
}

// Takes the rebound out of the drifts. False where there is none.
static bool stop_rebound(const ContactEvent *event)
{
    bool any = false;
    for (size_t k = 0; k < event->at.count; k++) {
        double rebound = event->touching.restitution.at[k] * event->at.at[k].before;
        if (event->at.at[k].acted || !(rebound > 0))
            continue;
        event->touching.gamma.at[k] -= rebound;
        any = true;
    }
    return any;
}

// ---- The answer.

static void keep_answer(const Heap *heap, ContactEvent *event, double h)
{
    FrictionEvent *friction = event->friction;
    size_t tangents = heap->problem.tangents;
    for (size_t i = 0; i < friction->count; i++) {
        friction->holds[i] = (FrictionHold){.mode = HOLD_OPEN};
        friction->normal[i] = 0;
        for (size_t t = 0; t < tangents; t++)
            friction->force[FRICTION_MOST * i + t] = friction->slip[FRICTION_MOST * i + t] = 0;
    }
    for (size_t k = 0; k < heap->problem.contacts; k++) {
        size_t i = heap->which[k];
        const double *force = heap->friction + k * tangents;
        event->answer->lambda[k] = heap->lambda[k];
        if (i == SIZE_MAX || !(heap->lambda[k] > 0))
            continue;
        bool slides = length_of(force, tangents) >= (1 - TOL_ZERO) * heap->mu[k] * heap->lambda[k];
        friction->holds[i].mode = (unsigned char)(!slides        ? HOLD_STICKS
                                                  : tangents > 1 ? HOLD_TURNS
                                                  : force[0] < 0 ? HOLD_FORWARD
                                                                 : HOLD_BACKWARD);
        friction->normal[i] = friction->contacts->at[i].pressure * heap->lambda[k] / h;
        for (size_t t = 0; t < tangents; t++) {
            size_t row = k * tangents + t;
            friction->force[FRICTION_MOST * i + t] = force[t] / h;
            friction->slip[FRICTION_MOST * i + t] =
                sparse_row_times(&heap->problem.sliding, row, event->after, heap->drift[row], NULL);
        }
    }
}

SolveOutcome friction_heap_step(ContactEvent *event, double h, const double *drift)
{
    FrictionEvent *friction = event->friction;
    Heap heap = {0};
    assert(h > 0 && friction_is_heap(event));
    gather(&heap, event, h, drift);
    FrictionStepReport report = solve(&heap, event);
    for (size_t pass = 0; pass < LIMIT_PATIENCE && report.outcome == SOLVE_DONE; pass++) {
        if (!let_slide(&heap, event))
            break;
        report = solve(&heap, event);
    }
    if (report.outcome == SOLVE_DONE && work_of(&heap, event) > 0 && stop_rebound(event))
        report = solve(&heap, event);
    friction->missed = fmax(friction->missed, report.accuracy);
    if (report.outcome == SOLVE_DONE)
        keep_answer(&heap, event, h);
    sparse_store_clear(&heap.sliding);
    arena_free(heap.arena);
    return report.outcome;
}

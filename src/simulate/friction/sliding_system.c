// sliding_system.c: the contacts of an instant, or of a shock, as a problem in plain numbers: rows
// in axes where the inertia of the velocities that the equations leave free is 1.
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/sliding_system_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void prepare(SlidingSystem *system, const FrictionContacts *owner,
                    const SystemMatrices *matrices)
{
    size_t n = owner->n, m = matrices->m;
    if (system->arena)
        return;
    Arena *arena = system->arena = arena_new();
    system->owner = owner;
    system->n = n;
    system->kkt = kkt_new(arena, n, m);
    system->whose = arena_array(arena, size_t, m + 1);
    real_alloc_each(arena, n, &system->row, &system->accelerations, &system->momentum);
    system->rows = real_alloc(arena, m * n + 1);
    system->drift = real_alloc(arena, m + 1);
    system->multipliers = real_alloc(arena, m + 1);
    system->pressing = real_alloc(arena, FRICTION_NORMALS * owner->count * n + 1);
    system->pressing_drift = real_alloc(arena, FRICTION_NORMALS * owner->count + 1);
}

// Where the row of this two-sided condition is in `pressing`; SIZE_MAX: it presses on no friction.
static size_t pressing_of(const FrictionContacts *owner, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < owner->count; i++)
        for (size_t k = 0; k < FRICTION_NORMALS; k++)
            if (motion_friction_presses(&owner->motion->frictions[i], k) == constraint)
                return FRICTION_NORMALS * i + k;
    return SIZE_MAX;
}

// The equations without those that press; these apart.
static void take_equations(SlidingSystem *system, const SystemMatrices *matrices,
                           const double *given)
{
    size_t n = system->n;
    system->m = 0;
    for (size_t i = 0; i < matrices->m; i++) {
        size_t place = pressing_of(system->owner, matrices_condition(matrices, i));
        double drift = given[i];
        double *row =
            place == SIZE_MAX ? system->rows + system->m * n : system->pressing + place * n;
        memset(row, 0, n * sizeof *row);
        sparse_row_add(&matrices->rows, i, 1, row);
        if (place == SIZE_MAX) {
            system->whose[system->m] = i;
            system->drift[system->m++] = drift;
        } else {
            system->pressing_drift[place] = drift;
        }
    }
}

// What is fixed only by conditions that press may have no inertia. As they are kept, g·x + γ = 0,
// any multiple of g·(g·x + γ) may be added to the equations: no acceleration, velocity or reaction
// changes. False where nothing presses.
static bool add_pressing_inertia(const SlidingSystem *system, double *inertia, double *force)
{
    size_t n = system->n, places = FRICTION_NORMALS * system->owner->count;
    double scale = 0, largest = 0;
    for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(inertia[i * n + i]));
    for (size_t k = 0; k < places * n; k++)
        largest = fmax(largest, fabs(system->pressing[k]));
    if (!(largest > 0))
        return false;
    scale /= largest * largest;
    for (size_t k = 0; k < places; k++) {
        const double *g = system->pressing + k * n;
        real_add_times(-scale * system->pressing_drift[k], g, n, force);
        for (size_t i = 0; i < n; i++)
            real_add_times(scale * g[i], g, n, inertia + i * n);
    }
    return true;
}

bool sliding_system_begin(SlidingSystem *system, const FrictionContacts *owner,
                          const SystemMatrices *matrices, const double *velocities,
                          const double *impulse, const double *given_drift)
{
    prepare(system, owner, matrices);
    size_t n = system->n;
    system->matrices = matrices;
    system->contacts.count = system->which.count = system->begins.count = 0;
    system->dense.count = system->drifts.count = 0;
    system->row_count = 0;
    const double *drift = velocities ? matrices->c : matrices->gamma;
    take_equations(system, matrices, given_drift ? given_drift : drift);
    const double *force = matrices->force;
    if (velocities) {
        memset(system->momentum, 0, n * sizeof *system->momentum);
        matrices_add_momentum(matrices, velocities, system->momentum);
        if (impulse)
            real_add_times(1, impulse, n, system->momentum);
        force = system->momentum;
    }
    double *inertia = base_alloc((n * n + 1) * sizeof *inertia);
    sparse_rows_expand(&matrices->inertia, 0, n, n, inertia);
    KktProblem problem = {.inertia = inertia,
                          .force = force,
                          .rows = system->rows,
                          .drift = system->drift,
                          .row_count = system->m};
    KktReport report = kkt_move(system->kkt, &problem);
    if (report.outcome != SOLVE_DONE || !report.positive) {
        memcpy(system->row, force, n * sizeof *force);
        problem.force = system->row;
        if (add_pressing_inertia(system, inertia, system->row))
            report = kkt_move(system->kkt, &problem);
    }
    base_free(inertia);
    system->free = n - report.rank;
    if (report.outcome != SOLVE_DONE || !report.positive)
        return false;
    kkt_accelerations(system->kkt, system->accelerations);
    return true;
}

void sliding_system_clear(SlidingSystem *system)
{
    if (!system->arena)
        return;
    array_clear(&system->contacts);
    array_clear(&system->which);
    array_clear(&system->begins);
    array_clear(&system->dense);
    array_clear(&system->drifts);
    array_clear(&system->normals);
    array_clear(&system->sizes);
    array_clear(&system->free_rates);
    array_clear(&system->states);
    array_clear(&system->forces);
    array_clear(&system->rates);
    array_clear(&system->departure);
    arena_free(system->arena);
    *system = (SlidingSystem){0};
}

void sliding_system_add_row(SlidingSystem *system, const double *row, double drift)
{
    for (size_t j = 0; j < system->n; j++)
        array_push(&system->dense, row[j]);
    array_push(&system->drifts, drift);
    system->row_count++;
}

void sliding_system_add(SlidingSystem *system, FrictionContact contact, size_t which)
{
    size_t rows = (size_t)contact.normals + contact.tangents;
    assert(rows <= system->row_count);
    array_push(&system->contacts, contact);
    array_push(&system->which, which);
    array_push(&system->begins, system->row_count - rows);
}

void sliding_system_add_friction(SlidingSystem *system, size_t friction, FrictionContact *contact,
                                 bool shock)
{
    if (friction == SIZE_MAX)
        return;
    const FrictionNumbers *numbers = &system->owner->at[friction];
    const MotionFriction *own = &system->owner->motion->frictions[friction];
    double scale = own->constraint ? numbers->pressure : 1;
    contact->tangents = (uint8_t)own->rows;
    // What is none (friction_is_lawful) ends the run elsewhere.
    contact->sliding = scale * fmax(numbers->sliding, 0);
    contact->sticking = fmax(scale * numbers->sticking, contact->sliding);
    for (size_t k = 0; k < own->rows; k++)
        sliding_system_add_row(system, numbers->w + k * system->n,
                               shock ? numbers->c[k] : numbers->eta[k]);
}

void sliding_system_add_pressing(SlidingSystem *system, size_t friction, FrictionContact *contact)
{
    assert(friction < system->owner->count);
    const MotionFriction *own = &system->owner->motion->frictions[friction];
    contact->normals = 0;
    for (size_t k = 0; motion_friction_presses(own, k) && k < FRICTION_NORMALS; k++) {
        size_t place = FRICTION_NORMALS * friction + k;
        sliding_system_add_row(system, system->pressing + place * system->n,
                               system->pressing_drift[place]);
        contact->normals++;
    }
}

FrictionProblem sliding_system_problem(SlidingSystem *system)
{
    size_t rows = system->row_count, n = system->n, count = system->contacts.count;
    array_reserve(&system->normals, rows * system->free + 1);
    array_reserve(&system->sizes, rows + 1);
    array_reserve(&system->free_rates, rows + 1);
    array_reserve(&system->forces, rows + 1);
    array_reserve(&system->rates, rows + 1);
    array_reserve(&system->departure, system->free + 1);
    array_reserve(&system->states, count + 1);
    if (rows > 0)
        kkt_normals(system->kkt, system->dense.at, rows, system->normals.at, system->sizes.at);
    for (size_t i = 0; i < rows; i++)
        system->free_rates.at[i] =
            real_dot(system->dense.at + i * n, system->accelerations, n) + system->drifts.at[i];
    memset(system->states.at, 0, count * sizeof *system->states.at);
    return (FrictionProblem){.count = count,
                             .contacts = system->contacts.at,
                             .size = system->free,
                             .rows = system->normals.at,
                             .free_rates = system->free_rates.at,
                             .sizes = system->sizes.at};
}

FrictionReport sliding_system_solve(SlidingSystem *system, FrictionSolver *solver, bool all)
{
    FrictionProblem problem = sliding_system_problem(system);
    problem.count_all = all;
    FrictionAnswer answer = {.states = system->states.at,
                             .forces = system->forces.at,
                             .rates = system->rates.at,
                             .departure = system->departure.at};
    return friction_instant(solver, &problem, &answer);
}

// Σ of the forces, with their signs: the departure is made by −pull.
static void add_pull(const SlidingSystem *system, double *pull)
{
    for (size_t at = 0; at < system->contacts.count; at++) {
        const FrictionContact *contact = &system->contacts.at[at];
        size_t row = system->begins.at[at], end = row + contact->normals + contact->tangents;
        for (size_t k = row; k < end; k++) {
            bool pushes = contact->law == FRICTION_ONE_SIDED && k == row;
            real_add_times(pushes ? system->forces.at[k] : -system->forces.at[k],
                           system->dense.at + k * system->n, system->n, pull);
        }
    }
}

void sliding_system_motion(SlidingSystem *system, double *accelerations, double *multipliers)
{
    double *pull = base_alloc((system->n + 1) * sizeof *pull);
    add_pull(system, pull);
    kkt_depart(system->kkt, system->departure.at, pull);
    base_free(pull);
    kkt_accelerations(system->kkt, accelerations);
    if (!multipliers)
        return;
    kkt_multipliers(system->kkt, system->multipliers);
    memset(multipliers, 0, system->matrices->m * sizeof *multipliers);
    for (size_t i = 0; i < system->m; i++)
        multipliers[system->whose[i]] = system->multipliers[i];
    for (size_t at = 0; at < system->contacts.count; at++) {
        size_t friction = system->which.at[at];
        if (system->contacts.at[at].law != FRICTION_TWO_SIDED)
            continue;
        const MotionFriction *own = &system->owner->motion->frictions[friction];
        for (size_t i = 0; i < system->matrices->m; i++)
            for (size_t k = 0; k <= own->also_count; k++)
                if (matrices_condition(system->matrices, i) == motion_friction_presses(own, k))
                    multipliers[i] = system->forces.at[system->begins.at[at] + k];
    }
}

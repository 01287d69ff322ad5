// sliding_directions.c: an instant with reactions of other directions than their rows: servos, and
// forces that hold reactions.
//
// With N = WWᵀ of the other equations, rows b and directions d of those that are kept so, and s for
// b·a + γ without their reactions, these are −(bNdᵀ)⁻¹(s + bN·(forces of contacts)). A force of 1
// in the direction p then departs by
//
//     y = W(p) − W(d)ᵀ(bNdᵀ)⁻¹ W(b)W(p),
//
// and the rate of a row w changes by W(w)·y, which is not symmetric.
#include "dynamics/system_matrices.h"
#include "linalg/dense_factors.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/friction/sliding_system_impl.h"

#include <assert.h>
#include <string.h>

// y −= W(d)ᵀ·x, x having one number for each equation.
static void subtract(const SlidingSystem *system, const double *x, double *y)
{
    const SlidingDirections *own = &system->directions;
    for (size_t i = 0; i < own->kept.count; i++)
        real_add_times(-x[i], own->normals + i * system->free, system->free, y);
}

bool sliding_directions_factor(SlidingSystem *system)
{
    SlidingDirections *own = &system->directions;
    SlidingEquations *kept = &own->kept;
    size_t count = kept->count, free = system->free, n = system->n;
    if (count == 0)
        return true;
    double *sizes = real_alloc(system->arena, count);
    kkt_normals(system->kkt, kept->rows, count, own->row_normals, sizes);
    kkt_normals(system->kkt, kept->directions, count, own->normals, sizes);
    for (size_t i = 0; i < count; i++) {
        const double *row = own->row_normals + i * free;
        double most = 0;
        own->free[i] = real_dot(kept->rows + i * n, system->accelerations, n) + kept->drift[i];
        for (size_t k = 0; k < count; k++) {
            const double *direction = own->normals + k * free;
            double size = real_length(row, free) * real_length(direction, free);
            double entry = own->matrix[k * count + i] = real_dot(row, direction, free);
            most = real_max(most, size > 0 ? fabs(entry) / size : 0);
        }
        if (!(most > TOL_RANK))
            return false;
    }
    return lu_factor(count, own->matrix, count, own->pivots);
}

// How all that is kept answers to a departure: y becomes the whole.
static void answer(const SlidingSystem *system, double *x, double *y)
{
    const SlidingDirections *own = &system->directions;
    size_t count = own->kept.count;
    for (size_t i = 0; i < count; i++)
        x[i] = real_dot(own->row_normals + i * system->free, y, system->free);
    lu_solve(false, count, own->matrix, count, own->pivots, x);
    subtract(system, x, y);
}

// The departure that they make without contacts; x becomes minus their reactions.
static void begin(const SlidingSystem *system, double *x, double *y)
{
    const SlidingDirections *own = &system->directions;
    size_t count = own->kept.count;
    memcpy(x, own->free, count * sizeof *x);
    lu_solve(false, count, own->matrix, count, own->pivots, x);
    memset(y, 0, system->free * sizeof *y);
    subtract(system, x, y);
}

void sliding_directions_problem(SlidingSystem *system, FrictionProblem *problem)
{
    SlidingDirections *own = &system->directions;
    SlidingNumbers *numbers = &system->numbers;
    size_t rows = system->row_count, free = system->free, count = own->kept.count;
    assert(own->any && own->pushes.count == system->dense.count);
    array_reserve(&own->departs, rows * free + 1);
    array_reserve(&own->answers, rows * count + 1);
    array_reserve(&own->delassus, rows * rows + 1);
    double *sizes = base_alloc((rows + free + 1) * sizeof *sizes), *y = sizes + rows;
    if (rows > 0)
        kkt_normals(system->kkt, own->pushes.at, rows, own->departs.at, sizes);
    begin(system, own->kept.multipliers, y);
    for (size_t i = 0; i < rows; i++) {
        const double *normal = numbers->normals.at + i * free;
        numbers->free_rates.at[i] += real_dot(normal, y, free);
        numbers->sizes.at[i] += real_length(normal, free) * real_length(y, free);
    }
    for (size_t k = 0; k < rows; k++) {
        double *departs = own->departs.at + k * free;
        answer(system, own->answers.at + k * count, departs);
        for (size_t i = 0; i < rows; i++)
            own->delassus.at[k * rows + i] =
                real_dot(numbers->normals.at + i * free, departs, free);
    }
    base_free(sizes);
    problem->delassus = own->delassus.at;
}

void sliding_directions_depart(SlidingSystem *system)
{
    SlidingDirections *own = &system->directions;
    size_t count = own->kept.count, free = system->free;
    double *reactions = own->kept.multipliers;
    begin(system, reactions, system->departure.at);
    for (size_t at = 0; at < system->contacts.count; at++) {
        const FrictionContact *contact = &system->contacts.at[at];
        size_t row = system->begins.at[at], end = row + contact->normals + contact->tangents;
        for (size_t k = row; k < end; k++) {
            bool pushes = contact->law == FRICTION_ONE_SIDED && k == row;
            double force = pushes ? -system->forces.at[k] : system->forces.at[k];
            real_add_times(force, own->departs.at + k * free, free, system->departure.at);
            real_add_times(force, own->answers.at + k * count, count, reactions);
        }
    }
    for (size_t i = 0; i < count; i++)
        reactions[i] = -reactions[i];
}

// held_reactions.c: velocities that jump while a force holds the reaction of an equation, as
// `force -mu*lambda.rail along x` does. Such a force grows with the reaction, and has a percussion
// of its own where that has one. Laws of jumps take reactions along their rows, so that these jumps
// are refused; what leaves such equations alone is not.
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_set_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/start_contacts_impl.h"

#include <math.h>
#include <string.h>

// Takes the parts along the rows in the basis, each of length 1, from a vector, twice because of
// rounding.
static void reduce(const double *basis, size_t count, size_t n, double *vector)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            real_add_times(-real_dot(basis + i * n, vector, n), basis + i * n, n, vector);
}

// One more row, in units of the inertia, where it is independent.
static size_t add_row(const SystemMatrices *matrices, const SparseRows *rows, size_t i,
                      double *basis, size_t count)
{
    size_t n = matrices->n;
    double *row = basis + count * n, before, left;
    memset(row, 0, n * sizeof *row);
    sparse_row_add(rows, i, 1, row);
    for (size_t j = 0; j < n; j++)
        row[j] *= matrices->state->scale[j];
    before = sqrt(real_dot(row, row, n));
    reduce(basis, count, n, row);
    left = sqrt(real_dot(row, row, n));
    if (!(left > TOL_SMALL * before))
        return count;
    for (size_t j = 0; j < n; j++)
        row[j] /= left;
    return count + 1;
}

// In units of the inertia.
static double length_of(const SystemMatrices *matrices, double *momenta)
{
    for (size_t j = 0; j < matrices->n; j++)
        momenta[j] *= matrices->state->scale[j];
    return sqrt(real_dot(momenta, momenta, matrices->n));
}

// Whether a change of the momenta, beside what the other equations and the one-sided conditions
// make, needs such a reaction; both are measured by the velocities' part and the impulse.
static bool is_needed(const ContactEvent *event, double *change, double size)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    size_t n = matrices->n, count = 0, sides = event->touching.which.count;
    double *basis = base_alloc((matrices->m + sides + 1) * n * sizeof *basis);
    SparseRows touching = sparse_store_rows(&event->touching.rows);
    for (size_t i = 0; i < matrices->m; i++)
        if (i < matrices->plain || i >= matrices->ideal)
            count = add_row(matrices, &matrices->rows, i, basis, count);
    for (size_t i = 0; i < sides; i++)
        count = add_row(matrices, &touching, i, basis, count);
    reduce(basis, count, n, change);
    base_free(basis);
    return sqrt(real_dot(change, change, n)) > TOL_SMALL * size;
}

static bool applies(const SystemMatrices *matrices)
{
    return matrices->plain < matrices->ideal;
}

static void revise(ContactEvent *event, const double *impulse)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    size_t n = matrices->n;
    if (!event->jump->solved)
        return;
    double *difference = base_alloc(3 * n * sizeof *difference), *change = difference + n,
           *given = change + n;
    memset(change, 0, n * sizeof *change);
    for (size_t j = 0; j < n; j++) {
        difference[j] = event->after[j] - event->before[j];
        given[j] = impulse ? impulse[j] : 0;
    }
    matrices_add_momentum(matrices, difference, change);
    double size = length_of(matrices, change) + length_of(matrices, given);
    real_add_times(-1, given, n, change);
    const ModelConstraint *held =
        is_needed(event, change, size) ? matrices_condition(matrices, matrices->plain) : NULL;
    base_free(difference);
    if (held)
        text_addf(impact_refuse(event, held, NULL),
                  " makes a percussion of '%s', whose reaction a force holds, and what that force "
                  "does in an impact is not known; let it hold no reaction, or write 'friction'",
                  held->name);
}

const ImpactModule impact_held_reactions = {applies, revise};

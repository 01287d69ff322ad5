// contact_set.c: the rows of unilateral conditions that touch, and the contact problem that they
// make with the equations of motion (Mayer 1899). The start, the events of a run and the steps of
// fixed length solve it.
#include "contact/contact.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "simulate/contact_set_impl.h"

#include <assert.h>

// ---- Rows.

void contact_set_begin(ContactSet *set)
{
    set->which.count = 0;
    set->partial_t.count = set->gamma.count = set->restitution.count = 0;
    sparse_store_begin(&set->rows);
}

void contact_set_clear(ContactSet *set)
{
    array_clear(&set->which);
    sparse_store_clear(&set->rows);
    array_clear(&set->partial_t);
    array_clear(&set->gamma);
    array_clear(&set->restitution);
}

UnilateralRow contact_set_add(ContactSet *set, Unilaterals *unilaterals, size_t side, double t,
                              const double *q, const double *v)
{
    assert(set->rows.first.count > 0 && side < unilaterals->count);
    UnilateralRow found = unilaterals_row(unilaterals, side, t, q, v);
    for (size_t k = 0; k < found.size; k++)
        sparse_store_push(&set->rows, found.coordinates[k], found.gradient[k]);
    sparse_store_end_row(&set->rows);
    array_push(&set->which, (uint32_t)side);
    array_push(&set->partial_t, found.partial_t);
    array_push(&set->gamma, found.gamma);
    array_push(&set->restitution, found.restitution);
    return found;
}

void contact_set_copy(ContactSet *set, const ContactSet *from, size_t i)
{
    assert(i < from->which.count && set != from);
    SparseRows rows = sparse_store_rows(&from->rows);
    sparse_store_take(&set->rows, &rows, i);
    array_push(&set->which, from->which.at[i]);
    array_push(&set->partial_t, from->partial_t.at[i]);
    array_push(&set->gamma, from->gamma.at[i]);
    array_push(&set->restitution, from->restitution.at[i]);
}

double contact_set_rate(const ContactSet *set, size_t i, const double *v, double *terms)
{
    SparseRows rows = sparse_store_rows(&set->rows);
    return sparse_row_times(&rows, i, v, set->partial_t.at[i], terms);
}

double contact_set_acceleration(const ContactSet *set, size_t i, const double *a, double *terms)
{
    SparseRows rows = sparse_store_rows(&set->rows);
    return sparse_row_times(&rows, i, a, set->gamma.at[i], terms);
}

// ---- The contact problem.

ContactProblem contact_set_problem(const ContactSet *set, const SystemMatrices *matrices)
{
    return (ContactProblem){.inertia = matrices->inertia,
                            .force = matrices->force,
                            .equations = matrices->rows,
                            .equation_drift = matrices->gamma,
                            .directions = matrices->directions,
                            .unilateral = sparse_store_rows(&set->rows),
                            .unilateral_drift = set->gamma.at};
}

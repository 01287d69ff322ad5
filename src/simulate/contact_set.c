// contact_set.c: the rows of unilateral conditions that touch, and the contact problem that they
// make with the equations of motion (Mayer 1899). The start, the events of a run and the steps of
// fixed length solve it.
#include "base/strings.h"
#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_set_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Rows.

void contact_set_begin(ContactSet *set)
{
    set->which.count = 0;
    set->rate.count = set->partial_t.count = set->gamma.count = set->restitution.count = 0;
    sparse_store_begin(&set->rows);
}

void contact_set_clear(ContactSet *set)
{
    array_clear(&set->which);
    sparse_store_clear(&set->rows);
    array_clear(&set->rate);
    array_clear(&set->partial_t);
    array_clear(&set->gamma);
    array_clear(&set->restitution);
}

// The numbers of a condition whose row was added.
static void add_numbers(ContactSet *set, size_t which, const UnilateralRow *numbers)
{
    array_push(&set->which, (uint32_t)which);
    array_push(&set->rate, numbers->rate);
    array_push(&set->partial_t, numbers->partial_t);
    array_push(&set->gamma, numbers->gamma);
    array_push(&set->restitution, numbers->restitution);
}

UnilateralRow contact_set_add(ContactSet *set, Unilaterals *unilaterals, size_t side, double t,
                              const double *q, const double *v)
{
    assert(set->rows.first.count > 0 && side < unilaterals->count);
    UnilateralRow found = unilaterals_row(unilaterals, side, t, q, v);
    for (size_t k = 0; k < found.size; k++)
        sparse_store_push(&set->rows, found.coordinates[k], found.gradient[k]);
    sparse_store_end_row(&set->rows);
    add_numbers(set, side, &found);
    return found;
}

void contact_set_copy(ContactSet *set, const ContactSet *from, size_t i)
{
    assert(i < from->which.count && set != from);
    SparseRows rows = sparse_store_rows(&from->rows);
    sparse_store_take(&set->rows, &rows, i);
    add_numbers(set, from->which.at[i],
                &(UnilateralRow){.rate = from->rate.at[i],
                                 .partial_t = from->partial_t.at[i],
                                 .gamma = from->gamma.at[i],
                                 .restitution = from->restitution.at[i]});
}

void contact_set_add_row(ContactSet *set, const SparseRows *rows, size_t row, double partial_t)
{
    assert(row < rows->count);
    sparse_store_take(&set->rows, rows, row);
    add_numbers(set, row, &(UnilateralRow){.partial_t = partial_t});
}

double contact_set_rate(const ContactSet *set, size_t i, const double *x, double rest,
                        double *terms)
{
    SparseRows rows = sparse_store_rows(&set->rows);
    assert(i < rows.count);
    return sparse_row_times(&rows, i, x, rest, terms);
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

ImpactReport contact_set_impact(const ContactSet *set, const SystemMatrices *matrices,
                                ContactSolver *solver, const double *velocities,
                                const double *impulse, const ImpactAnswer *answer)
{
    ImpactProblem problem = {.system = contact_set_problem(set, matrices),
                             .velocities = velocities,
                             .impulse = impulse,
                             .restitution = set->restitution.at};
    problem.system.equations.count = matrices->ideal;
    problem.system.directions = (SparseRows){0};
    problem.system.equation_drift = matrices->c;
    problem.system.unilateral_drift = set->partial_t.at;
    return contact_impact(solver, &problem, answer);
}

ContactReport contact_set_project(const SparseRows *rows, const double *drift,
                                  const SystemMatrices *matrices, ContactSolver *solver,
                                  double *momentum, double *velocities)
{
    bool nobody[1] = {false};
    memset(momentum, 0, matrices->n * sizeof *momentum);
    matrices_add_momentum(matrices, velocities, momentum);
    ContactProblem problem = {.inertia = matrices->inertia,
                              .force = momentum,
                              .equations = *rows,
                              .equation_drift = drift,
                              .unilateral = {.first = rows->first}};
    ContactAnswer answer = {.accelerations = velocities, .acting = nobody};
    return contact_accelerations(solver, &problem, &answer);
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
static void add_clash(const ContactSet *set, const Equations *eq, size_t row, const double *lambda,
                      Text *text)
{
    assert(row < set->which.count);
    const MotionRow *sides = eq->motion->sides;
    text_addf(text, "the one-sided constraint '%s' cannot hold together with ",
              sides[set->which.at[row]].constraint->name);
    bool any = false;
    for (size_t i = 0; i < set->which.count; i++)
        if (lambda[i] > 0 && i != row) {
            text_addf(text, "%s'%s'", any ? ", " : "", sides[set->which.at[i]].constraint->name);
            any = true;
        }
    if (!any || needs_equations(set, lambda, eq->n))
        text_addf(text, "%sthe equations", any ? " and " : "");
}

void contact_set_add_reason(const ContactSet *set, const SystemMatrices *matrices,
                            const ContactReport *report, const double *lambda, Text *text)
{
    switch (report->outcome) {
    case SOLVE_CONTRADICTION:
        if (report->row_is_equation)
            text_addf(text, "the constraint '%s' comes to contradict the constraints before it",
                      matrices_condition(matrices, report->row)->name);
        else
            add_clash(set, matrices->eq, report->row, lambda, text);
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
    case SOLVE_TOO_MANY: servo_add_contact_reason(set, matrices, report, text); return;
    case SOLVE_DONE:
    case SOLVE_NOT_FINITE: break;
    }
    text_add(text, "something in a one-sided condition has no finite value");
}

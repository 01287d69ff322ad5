// contact_set.c: one-sided conditions that touch, asked together: how the velocities jump, and
// which of them act (Mayer 1899). The start, the events of a run and the steps of fixed length ask
// here.
#include "dynamics/start.h"
#include "simulate/contact_set_impl.h"

#include <math.h>

// What of its terms is left of a sum that is 0.
#define NOTHING 1e-9

// ---- Who is asked.

void contact_set_begin(ContactSet *candidates)
{
    candidates->which.count = candidates->first.count = candidates->column.count =
        candidates->value.count = 0;
    candidates->rate.count = candidates->partial_t.count = candidates->gamma.count = 0;
    candidates->restitution.count = 0;
    array_push(&candidates->first, 0);
}

void contact_set_clear(ContactSet *candidates)
{
    array_clear(&candidates->which);
    array_clear(&candidates->first);
    array_clear(&candidates->column);
    array_clear(&candidates->value);
    array_clear(&candidates->rate);
    array_clear(&candidates->partial_t);
    array_clear(&candidates->gamma);
    array_clear(&candidates->restitution);
}

UnilateralRow contact_set_add(ContactSet *candidates, Unilaterals *unilaterals, size_t side,
                              double t, const double *q, const double *v)
{
    UnilateralRow found = unilaterals_row(unilaterals, side, t, q, v);
    const uint32_t *coordinates;
    size_t size = unilaterals_coordinates(unilaterals, side, &coordinates);
    for (size_t k = 0; k < size; k++) {
        array_push(&candidates->column, coordinates[k]);
        array_push(&candidates->value, found.gradient[k]);
    }
    array_push(&candidates->first, (uint32_t)candidates->column.count);
    array_push(&candidates->which, (uint32_t)side);
    array_push(&candidates->rate, found.rate);
    array_push(&candidates->partial_t, found.partial_t);
    array_push(&candidates->gamma, found.gamma);
    array_push(&candidates->restitution, found.restitution);
    return found;
}

void contact_set_copy(ContactSet *candidates, const ContactSet *from, size_t i)
{
    for (uint32_t at = from->first.at[i]; at < from->first.at[i + 1]; at++) {
        array_push(&candidates->column, from->column.at[at]);
        array_push(&candidates->value, from->value.at[at]);
    }
    array_push(&candidates->first, (uint32_t)candidates->column.count);
    array_push(&candidates->which, from->which.at[i]);
    array_push(&candidates->rate, from->rate.at[i]);
    array_push(&candidates->partial_t, from->partial_t.at[i]);
    array_push(&candidates->gamma, from->gamma.at[i]);
    array_push(&candidates->restitution, from->restitution.at[i]);
}

SparseRows contact_set_rows(const ContactSet *candidates)
{
    return (SparseRows){candidates->which.count, candidates->first.at, candidates->column.at,
                        candidates->value.at};
}

double contact_set_rate(const ContactSet *candidates, size_t i, const double *x, double rest,
                        double *terms)
{
    double sum = rest;
    *terms = fabs(rest);
    for (uint32_t at = candidates->first.at[i]; at < candidates->first.at[i + 1]; at++) {
        double term = candidates->value.at[at] * x[candidates->column.at[at]];
        sum += term;
        *terms += fabs(term);
    }
    return sum;
}

double contact_set_slope(const ContactSet *candidates, size_t i)
{
    double sum = 0;
    for (uint32_t at = candidates->first.at[i]; at < candidates->first.at[i + 1]; at++)
        sum += fabs(candidates->value.at[at]);
    return sum;
}

// ---- The questions.

ContactProblem contact_set_problem(const ContactSet *candidates, const SystemMatrices *matrices)
{
    return (ContactProblem){.inertia = matrices->inertia,
                            .force = matrices->force,
                            .equations = matrices->rows,
                            .equation_drift = matrices->gamma,
                            .directions = matrices->directions,
                            .unilateral = contact_set_rows(candidates),
                            .unilateral_drift = candidates->gamma.at};
}

ImpactReport contact_set_impact(const ContactSet *candidates, const SystemMatrices *matrices,
                                ContactSolver *gauss, const double *velocities,
                                const double *impulse, const ImpactAnswer *answer)
{
    ImpactProblem problem = {.system = contact_set_problem(candidates, matrices),
                             .velocities = velocities,
                             .impulse = impulse,
                             .restitution = candidates->restitution.at};
    problem.system.equations.count = matrices->ideal;
    problem.system.directions = (SparseRows){0};
    problem.system.equation_drift = matrices->c;
    problem.system.unilateral_drift = candidates->partial_t.at;
    return contact_impact(gauss, &problem, answer);
}

// ---- Why there is no answer.

// Whether Σ λ·∂f/∂q of those that exclude each other is not 0 by itself, so that the equations have
// their part in it.
static bool needs_equations(const ContactSet *candidates, const double *lambda, size_t n)
{
    double *sum = base_alloc((2 * n + 1) * sizeof *sum), *terms = sum + n, most = 0, left = 0;
    for (size_t i = 0; i < candidates->which.count; i++)
        for (uint32_t at = candidates->first.at[i]; at < candidates->first.at[i + 1]; at++) {
            sum[candidates->column.at[at]] += lambda[i] * candidates->value.at[at];
            terms[candidates->column.at[at]] += fabs(lambda[i] * candidates->value.at[at]);
        }
    for (size_t j = 0; j < n; j++) {
        most = fmax(most, terms[j]);
        left = fmax(left, fabs(sum[j]));
    }
    base_free(sum);
    return left > NOTHING * most;
}

void contact_set_add_clash(const ContactSet *candidates, const Equations *eq, size_t row,
                           const double *lambda, Text *text)
{
    const MotionRow *sides = eq->motion->sides;
    text_addf(text, "the one-sided constraint '%s' cannot hold together with ",
              sides[candidates->which.at[row]].constraint->name);
    bool any = false;
    for (size_t i = 0; i < candidates->which.count; i++)
        if (lambda[i] > 0 && i != row) {
            text_addf(text, "%s'%s'", any ? ", " : "",
                      sides[candidates->which.at[i]].constraint->name);
            any = true;
        }
    if (!any || needs_equations(candidates, lambda, eq->n))
        text_addf(text, "%sthe equations", any ? " and " : "");
}

// "while 'a', 'b' touch "
static void add_touching(const ContactSet *candidates, const Equations *eq, Text *text)
{
    text_add(text, "while ");
    for (size_t i = 0; i < candidates->which.count; i++)
        text_addf(text, "%s'%s'", i > 0 ? ", " : "",
                  eq->motion->sides[candidates->which.at[i]].constraint->name);
    text_add(text, candidates->which.count == 1 ? " touches " : " touch ");
}

void contact_set_add_reason(const ContactSet *candidates, const SystemMatrices *matrices,
                            const ContactReport *report, const double *lambda, Text *text)
{
    const Equations *eq = matrices->eq;
    const State *state = matrices->state;
    switch (report->outcome) {
    case SOLVE_CONTRADICTION:
        if (!report->row_is_equation) {
            contact_set_add_clash(candidates, eq, report->row, lambda, text);
            return;
        }
        text_addf(text, "the constraint '%s' comes to contradict the constraints before it",
                  matrices_condition(matrices, report->row)->name);
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
    case SOLVE_UNCONTROLLABLE: servos_add_reason(eq, state, text); return;
    case SOLVE_NO_SOLUTION:
        add_touching(candidates, eq, text);
        text_add(text, "no motion is possible: to every push the servos answer so that it is in "
                       "vain, or that somebody would have to pull");
        return;
    case SOLVE_SEVERAL:
        add_touching(candidates, eq, text);
        text_add(text, "more than one motion is possible: the servos answer a push so that it "
                       "calls for itself, and nothing says whether it is there");
        return;
    case SOLVE_TOO_MANY:
        text_addf(text,
                  "%zu one-sided conditions touch at once beside servos, which are too many "
                  "to try which of them act",
                  candidates->which.count);
        return;
    case SOLVE_DONE:
    case SOLVE_NOT_FINITE: break;
    }
    text_add(text, "something in a one-sided condition has no finite value");
}

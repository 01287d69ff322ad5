// ask.c: one-sided conditions that touch, asked together: how the velocities jump, and which of
// them act (Mayer 1899). The start, the events of a run and the steps of fixed length ask here.
#include "run/run_impl.h"

#include <math.h>

// What of its terms is left of a sum that is 0.
#define NOTHING 1e-9

// ---- Who is asked.

void asked_begin(Asked *asked)
{
    asked->which.count = asked->first.count = asked->column.count = asked->value.count = 0;
    asked->rate.count = asked->partial_t.count = asked->gamma.count = 0;
    asked->restitution.count = 0;
    array_push(&asked->first, 0);
}

void asked_clear(Asked *asked)
{
    array_clear(&asked->which);
    array_clear(&asked->first);
    array_clear(&asked->column);
    array_clear(&asked->value);
    array_clear(&asked->rate);
    array_clear(&asked->partial_t);
    array_clear(&asked->gamma);
    array_clear(&asked->restitution);
}

ShapeNumbers asked_add(Asked *asked, Shapes *shapes, size_t side, double t, const double *q,
                       const double *v)
{
    ShapeNumbers found = shapes_row(shapes, side, t, q, v);
    const uint32_t *coordinates;
    size_t size = shapes_coordinates(shapes, side, &coordinates);
    for (size_t k = 0; k < size; k++) {
        array_push(&asked->column, coordinates[k]);
        array_push(&asked->value, found.gradient[k]);
    }
    array_push(&asked->first, (uint32_t)asked->column.count);
    array_push(&asked->which, (uint32_t)side);
    array_push(&asked->rate, found.rate);
    array_push(&asked->partial_t, found.partial_t);
    array_push(&asked->gamma, found.gamma);
    array_push(&asked->restitution, found.restitution);
    return found;
}

void asked_take(Asked *asked, const Asked *from, size_t i)
{
    for (uint32_t at = from->first.at[i]; at < from->first.at[i + 1]; at++) {
        array_push(&asked->column, from->column.at[at]);
        array_push(&asked->value, from->value.at[at]);
    }
    array_push(&asked->first, (uint32_t)asked->column.count);
    array_push(&asked->which, from->which.at[i]);
    array_push(&asked->rate, from->rate.at[i]);
    array_push(&asked->partial_t, from->partial_t.at[i]);
    array_push(&asked->gamma, from->gamma.at[i]);
    array_push(&asked->restitution, from->restitution.at[i]);
}

SparseRows asked_rows(const Asked *asked)
{
    return (SparseRows){asked->which.count, asked->first.at, asked->column.at, asked->value.at};
}

double asked_along(const Asked *asked, size_t i, const double *x, double rest, double *terms)
{
    double sum = rest;
    *terms = fabs(rest);
    for (uint32_t at = asked->first.at[i]; at < asked->first.at[i + 1]; at++) {
        double term = asked->value.at[at] * x[asked->column.at[at]];
        sum += term;
        *terms += fabs(term);
    }
    return sum;
}

// ---- The questions.

ContactProblem asked_problem(const Asked *asked, const Many *many)
{
    return (ContactProblem){.inertia = many->inertia,
                            .force = many->force,
                            .equations = many->rows,
                            .equation_drift = many->gamma,
                            .directions = many->directions,
                            .unilateral = asked_rows(asked),
                            .unilateral_drift = asked->gamma.at};
}

ImpactReport asked_shock(const Asked *asked, const Many *many, ContactSolver *gauss,
                         const double *velocities, const double *impulse,
                         const ImpactAnswer *answer)
{
    ImpactProblem problem = {.system = asked_problem(asked, many),
                             .velocities = velocities,
                             .impulse = impulse,
                             .restitution = asked->restitution.at};
    problem.system.equations.count = many->ideal;
    problem.system.directions = (SparseRows){0};
    problem.system.equation_drift = many->c;
    problem.system.unilateral_drift = asked->partial_t.at;
    return contact_impact(gauss, &problem, answer);
}

// ---- Why there is no answer.

// Whether Σ λ·∂f/∂q of those that exclude each other is not 0 by itself, so that the equations have
// their part in it.
static bool needs_equations(const Asked *asked, const double *lambda, size_t n)
{
    double *sum = base_alloc((2 * n + 1) * sizeof *sum), *terms = sum + n, most = 0, left = 0;
    for (size_t i = 0; i < asked->which.count; i++)
        for (uint32_t at = asked->first.at[i]; at < asked->first.at[i + 1]; at++) {
            sum[asked->column.at[at]] += lambda[i] * asked->value.at[at];
            terms[asked->column.at[at]] += fabs(lambda[i] * asked->value.at[at]);
        }
    for (size_t j = 0; j < n; j++) {
        most = fmax(most, terms[j]);
        left = fmax(left, fabs(sum[j]));
    }
    base_free(sum);
    return left > NOTHING * most;
}

void asked_add_clash(const Asked *asked, const Numbers *numbers, size_t row, const double *lambda,
                     Text *text)
{
    const MotionRow *sides = numbers->motion->sides;
    text_addf(text, "the one-sided constraint '%s' cannot hold together with ",
              sides[asked->which.at[row]].constraint->name);
    bool any = false;
    for (size_t i = 0; i < asked->which.count; i++)
        if (lambda[i] > 0 && i != row) {
            text_addf(text, "%s'%s'", any ? ", " : "", sides[asked->which.at[i]].constraint->name);
            any = true;
        }
    if (!any || needs_equations(asked, lambda, numbers->n))
        text_addf(text, "%sthe equations", any ? " and " : "");
}

// "while 'a', 'b' touch "
static void add_touching(const Asked *asked, const Numbers *numbers, Text *text)
{
    text_add(text, "while ");
    for (size_t i = 0; i < asked->which.count; i++)
        text_addf(text, "%s'%s'", i > 0 ? ", " : "",
                  numbers->motion->sides[asked->which.at[i]].constraint->name);
    text_add(text, asked->which.count == 1 ? " touches " : " touch ");
}

void asked_add_reason(const Asked *asked, const Many *many, const ContactReport *report,
                      const double *lambda, Text *text)
{
    const Numbers *numbers = many->numbers;
    switch (report->outcome) {
    case SOLVE_CONTRADICTION:
        if (!report->row_is_equation) {
            asked_add_clash(asked, numbers, report->row, lambda, text);
            return;
        }
        text_addf(text, "the constraint '%s' comes to contradict the constraints before it",
                  many_condition(many, report->row)->name);
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
    case SOLVE_UNCONTROLLABLE: servos_add_reason(numbers, text); return;
    case SOLVE_NO_SOLUTION:
        add_touching(asked, numbers, text);
        text_add(text, "no motion is possible: to every push the servos answer so that it is in "
                       "vain, or that somebody would have to pull");
        return;
    case SOLVE_SEVERAL:
        add_touching(asked, numbers, text);
        text_add(text, "more than one motion is possible: the servos answer a push so that it "
                       "calls for itself, and nothing says whether it is there");
        return;
    case SOLVE_TOO_MANY:
        text_addf(text,
                  "%zu one-sided conditions touch at once beside servos, which are too many "
                  "to try which of them act",
                  asked->which.count);
        return;
    case SOLVE_DONE:
    case SOLVE_NOT_FINITE: break;
    }
    text_add(text, "something in a one-sided condition has no finite value");
}

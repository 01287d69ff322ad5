// singular_start.c: the first step from a state at which the rate is not defined.
//
// Collocation (Radau IIA; Hairer and Wanner, Solving Ordinary Differential Equations II, section
// IV.5): y(θ) = y0 + h·∫ f, f being the polynomial through the rates at the nodes, found by
// Newton's method. No node is at the beginning, and what decays ever faster towards it, as the
// direction of a sliding does, needs no short steps.
#include "ode/singular_start.h"
#include "linalg/dense_factors.h"
#include "linalg/tolerances.h"
#include "ode/singular_start_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NODES = ODE_START_NODES };

// ---- Legendre's polynomials on [0, 1].

static void legendre(double theta, size_t count, double *values)
{
    double x = 2 * theta - 1;
    values[0] = 1;
    values[1] = x;
    for (size_t k = 1; k + 1 < count; k++)
        values[k + 1] =
            ((double)(2 * k + 1) * x * values[k] - (double)k * values[k - 1]) / (double)(k + 1);
}

// ∫ of each from 0 on.
static void integrals(double theta, double *values)
{
    double own[NODES + 1];
    legendre(theta, NODES + 1, own);
    values[0] = theta;
    for (size_t k = 1; k < NODES; k++)
        values[k] = (own[k + 1] - own[k - 1]) / (double)(2 * (2 * k + 1));
}

static double radau(double theta)
{
    double own[NODES + 1];
    legendre(theta, NODES + 1, own);
    return own[NODES] - own[NODES - 1];
}

// The nodes; the values of the polynomials and of their integrals there, node after node; and the
// matrix that makes integrals up to the nodes from values at them.
typedef struct {
    double at[NODES];
    double values[NODES * NODES], integrals[NODES * NODES], weights[NODES * NODES];
} Rule;

static void find_nodes(double *at)
{
    enum { PARTS = 1000 };
    size_t count = 0;
    for (size_t i = 0; i < PARTS && count < NODES - 1; i++) {
        double low = (double)i / PARTS, high = (double)(i + 1) / PARTS;
        bool rises = radau(low) < 0;
        if (rises != (radau(high) > 0) || i + 1 == PARTS)
            continue;
        for (double middle; (middle = low + (high - low) / 2) > low && middle < high;)
            *((radau(middle) < 0) == rises ? &low : &high) = middle;
        at[count++] = high;
    }
    at[count++] = 1;
    assert(count == NODES);
}

static bool solve(double *matrix, size_t size, double *right, size_t columns)
{
    int *pivots = base_alloc(size * sizeof *pivots);
    bool regular = lu_factor(size, matrix, size, pivots);
    for (size_t j = 0; j < columns && regular; j++)
        lu_solve(false, size, matrix, size, pivots, right + j * size);
    base_free(pivots);
    return regular;
}

static void make_rule(Rule *rule)
{
    double transposed[NODES * NODES];
    find_nodes(rule->at);
    for (size_t j = 0; j < NODES; j++) {
        legendre(rule->at[j], NODES, rule->values + j * NODES);
        integrals(rule->at[j], rule->integrals + j * NODES);
    }
    // weights·values = integrals; row after row this is the transposed system by columns.
    memcpy(transposed, rule->values, sizeof transposed);
    memcpy(rule->weights, rule->integrals, sizeof rule->weights);
    bool regular = solve(transposed, NODES, rule->weights, NODES);
    assert(regular);
    (void)regular;
}

// ---- Newton's method.

typedef struct {
    OdeIntegrator *integrator;
    const OdeSingularStart *start;
    const Rule *rule;
    size_t count;
    double t, length;
    const double *y0;
    double *states, *rates; // NODES × count
    double *slopes;         // likewise: coefficients
    double *sizes;          // of each node
    double *matrix, *right, *jacobian, *moved, *back;
} Collocation;

static bool rate_at(const Collocation *c, size_t node, const double *y, double *rate)
{
    const OdeProblem *problem = &c->integrator->problem;
    if (!problem->rate(problem->context, c->t + c->rule->at[node] * c->length, y, rate))
        return false;
    for (size_t i = 0; i < c->count; i++)
        if (!isfinite(rate[i]))
            return false;
    return true;
}

// The coefficients of the rates from their values.
static bool find_slopes(Collocation *c)
{
    double values[NODES * NODES];
    double *columns = base_alloc(NODES * c->count * sizeof *columns);
    for (size_t j = 0; j < NODES; j++) {
        for (size_t k = 0; k < NODES; k++)
            values[k * NODES + j] = c->rule->values[j * NODES + k];
        for (size_t i = 0; i < c->count; i++)
            columns[i * NODES + j] = c->rates[j * c->count + i];
    }
    bool found = solve(values, NODES, columns, c->count);
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < NODES; k++)
            c->slopes[k * c->count + i] = columns[i * NODES + k];
    base_free(columns);
    return found;
}

// y0 + h·∫ of the polynomial up to a part of the step.
static void integrate(const Collocation *c, const double *parts, double *y)
{
    memcpy(y, c->y0, c->count * sizeof *y);
    for (size_t k = 0; k < NODES; k++)
        for (size_t i = 0; i < c->count; i++)
            y[i] += c->length * parts[k] * c->slopes[k * c->count + i];
}

// ∂f/∂y at a node, column after column; where nobody knows it by differences that are small against
// what the rate depends on.
static bool linearize(Collocation *c, size_t node, double *columns)
{
    const OdeProblem *problem = &c->integrator->problem;
    const double *y = c->states + node * c->count;
    double step = sqrt(TOL_AGREEMENT) * c->sizes[node], sum = 0;
    if (problem->jacobian &&
        problem->jacobian(problem->program, c->t + c->rule->at[node] * c->length, y, columns)) {
        for (size_t i = 0; i < c->count * c->count; i++)
            sum += columns[i];
        return isfinite(sum);
    }
    memcpy(c->moved, y, c->count * sizeof *y);
    for (size_t i = 0; i < c->count; i++) {
        double *column = columns + i * c->count, *back = c->back;
        double high = y[i] + step, low = y[i] - step;
        c->moved[i] = high;
        bool found = high > low && rate_at(c, node, c->moved, column);
        c->moved[i] = low;
        if (!found || !rate_at(c, node, c->moved, back))
            return false;
        for (size_t k = 0; k < c->count; k++)
            column[k] = (column[k] - back[k]) / (high - low);
        c->moved[i] = y[i];
    }
    return true;
}

// The matrix 1 − h·(weights ⊗ J), column after column.
static bool assemble(Collocation *c)
{
    size_t n = c->count, size = NODES * n;
    memset(c->matrix, 0, size * size * sizeof *c->matrix);
    for (size_t j = 0; j < NODES; j++) {
        if (!linearize(c, j, c->jacobian))
            return false;
        for (size_t b = 0; b < n; b++) {
            double *column = c->matrix + (j * n + b) * size;
            for (size_t i = 0; i < NODES; i++)
                for (size_t a = 0; a < n; a++)
                    column[i * n + a] =
                        -c->length * c->rule->weights[i * NODES + j] * c->jacobian[b * n + a];
            column[j * n + b] += 1;
        }
    }
    return true;
}

// The rates at the states of all nodes, and how far these are from what their integrals say.
static bool find_residuals(Collocation *c)
{
    for (size_t j = 0; j < NODES; j++)
        if (!rate_at(c, j, c->states + j * c->count, c->rates + j * c->count))
            return false;
    if (!find_slopes(c))
        return false;
    for (size_t j = 0; j < NODES; j++) {
        double *right = c->right + j * c->count;
        integrate(c, c->rule->integrals + j * NODES, right);
        for (size_t i = 0; i < c->count; i++)
            right[i] -= c->states[j * c->count + i];
    }
    return true;
}

// The largest change, of each node's as a part of what the rate depends on there.
static double largest_change(const Collocation *c)
{
    double most = 0;
    for (size_t j = 0; j < NODES; j++)
        for (size_t i = 0; i < c->count; i++)
            most = fmax(most, fabs(c->right[j * c->count + i]) / c->sizes[j]);
    return most;
}

// From the states at the nodes as they are. What is left are roundings where a change is no smaller
// than the one before.
static bool iterate(Collocation *c)
{
    double before = INFINITY;
    for (int i = 0; i < LIMIT_STEPS; i++) {
        if (!find_residuals(c) || !assemble(c) || !solve(c->matrix, NODES * c->count, c->right, 1))
            return false;
        double change = largest_change(c);
        if (!isfinite(change) || (i > LIMIT_PATIENCE && change > before && change > TOL_COARSE))
            return false;
        for (size_t k = 0; k < NODES * c->count; k++)
            c->states[k] += c->right[k];
        if (change <= TOL_RATE || (change <= TOL_SMALL && 2 * change > before))
            return find_residuals(c);
        before = change;
    }
    return before <= TOL_SMALL && find_residuals(c);
}

// ---- How long the step is.

// By the last coefficients, over what the tolerance allows.
static double error_of(const Collocation *c)
{
    double most = 0, change = 0, tolerance = c->integrator->problem.tolerance;
    const double *last = c->slopes + (NODES - 1) * c->count, *before = last - c->count;
    const double *end = c->states + (NODES - 1) * c->count;
    for (size_t i = 0; i < c->count; i++)
        change = fmax(change, fabs(end[i] - c->y0[i]));
    for (size_t i = 0; i < c->count; i++) {
        double own = c->length * fmax(fabs(last[i]), fabs(before[i]) / NODES) / (2 * NODES);
        most = fmax(most, own / (tolerance * fmax(fabs(end[i]), change)));
    }
    return most;
}

static bool guess_all(Collocation *c)
{
    for (size_t j = 0; j < NODES; j++)
        if (!c->start->guess(c->start->context, c->length, c->rule->at[j] * c->length,
                             c->states + j * c->count, &c->sizes[j]) ||
            !(c->sizes[j] > 0))
            return false;
    return true;
}

// Twice as long, from the polynomial of the shorter one and the sizes as they grow.
static void lengthen(Collocation *c)
{
    double parts[NODES], first = c->sizes[NODES - 1] / c->sizes[NODES - 2];
    double power = log(first) / log(c->rule->at[NODES - 1] / c->rule->at[NODES - 2]);
    double *states = base_alloc(NODES * c->count * sizeof *states);
    for (size_t j = 0; j < NODES; j++) {
        integrals(2 * c->rule->at[j], parts);
        integrate(c, parts, states + j * c->count);
        c->sizes[j] *= pow(2, fmax(power, 1));
    }
    memcpy(c->states, states, NODES * c->count * sizeof *states);
    base_free(states);
    c->length *= 2;
}

static void keep(const Collocation *c, struct OdeFirstStep *first)
{
    first->length = c->length;
    memcpy(first->slopes, c->slopes, NODES * c->count * sizeof *c->slopes);
}

// The longest of doubled steps that is good. Short ones are lost in roundings.
static bool find_step(Collocation *c, double longest, struct OdeFirstStep *first)
{
    bool found = false;
    c->length = longest / 16;
    for (int i = 0; i < LIMIT_STEPS && !found; i++) {
        found = guess_all(c) && iterate(c) && error_of(c) <= 1;
        if (!found)
            c->length /= 2;
    }
    if (!found)
        return false;
    keep(c, first);
    while (2 * c->length <= longest) {
        lengthen(c);
        if (!iterate(c) || error_of(c) > 1)
            break;
        keep(c, first);
    }
    return true;
}

static struct OdeFirstStep *first_step_of(OdeIntegrator *integrator)
{
    if (!integrator->first) {
        size_t count = integrator->problem.count;
        integrator->first = arena_alloc(integrator->arena, sizeof *integrator->first);
        *integrator->first =
            (struct OdeFirstStep){.y0 = integrator_numbers(integrator, count),
                                  .slopes = integrator_numbers(integrator, NODES * count)};
    }
    return integrator->first;
}

bool ode_integrator_start_singular(OdeIntegrator *integrator, double t, const double *y,
                                   double longest, const OdeSingularStart *start)
{
    struct OdeFirstStep *first = first_step_of(integrator);
    size_t count = integrator->problem.count, size = NODES * count;
    assert(isfinite(t) && longest > 0 && integrator->problem.rate);
    if (size > LIMIT_START) {
        first->pending = first->taken = false;
        return false;
    }
    Rule rule;
    make_rule(&rule);
    double *numbers =
        base_alloc((size * size + 4 * size + count * count + 2 * count + NODES) * sizeof *numbers);
    Collocation c = {.integrator = integrator,
                     .start = start,
                     .rule = &rule,
                     .count = count,
                     .t = t,
                     .y0 = y,
                     .matrix = numbers,
                     .right = numbers + size * size,
                     .states = numbers + size * size + size,
                     .rates = numbers + size * size + 2 * size,
                     .slopes = numbers + size * size + 3 * size,
                     .jacobian = numbers + size * size + 4 * size,
                     .moved = numbers + size * size + 4 * size + count * count};
    c.back = c.moved + count;
    c.sizes = c.back + count;
    bool found = find_step(&c, longest, first);
    base_free(numbers);
    first->taken = false;
    first->pending = found;
    first->from = integrator->t = t;
    memcpy(first->y0, y, count * sizeof *y);
    integrator->skipped = 0;
    integrator->message[0] = '\0';
    return found;
}

// ---- The step.

bool ode_integrator_is_singular_start(const OdeIntegrator *integrator)
{
    return integrator->first && (integrator->first->pending || integrator->first->taken);
}

void ode_integrator_start_node(const OdeIntegrator *integrator, size_t node, double *t, double *y)
{
    double at[NODES];
    assert(ode_integrator_is_singular_start(integrator) && node < NODES);
    find_nodes(at);
    *t = integrator->first->from + at[node] * integrator->first->length;
    first_step_interpolate(integrator, *t, y, NULL);
}

void first_step_interpolate(const OdeIntegrator *integrator, double t, double *y, double *rate)
{
    const struct OdeFirstStep *first = integrator->first;
    double theta = (t - first->from) / first->length, parts[NODES], values[NODES];
    size_t count = integrator->problem.count;
    integrals(theta, parts);
    legendre(theta, NODES, values);
    for (size_t i = 0; i < count; i++) {
        double sum = 0, slope = 0;
        for (size_t k = 0; k < NODES; k++) {
            sum += parts[k] * first->slopes[k * count + i];
            slope += values[k] * first->slopes[k * count + i];
        }
        if (y)
            y[i] = first->y0[i] + first->length * sum;
        if (rate)
            rate[i] = slope;
    }
}

size_t first_step_expand(const OdeIntegrator *integrator, double *rows)
{
    const struct OdeFirstStep *first = integrator->first;
    size_t count = integrator->problem.count;
    // Coefficients of Legendre's polynomials in powers of θ.
    double powers[NODES][NODES] = {{1}, {-1, 2}};
    for (size_t k = 1; k + 1 < NODES; k++)
        for (size_t i = 0; i <= k + 1; i++)
            powers[k + 1][i] = ((double)(2 * k + 1) * ((i > 0 ? 2 * powers[k][i - 1] : 0) -
                                                       (i <= k ? powers[k][i] : 0)) -
                                (double)k * powers[k - 1][i]) /
                               (double)(k + 1);
    memset(rows, 0, (NODES + 1) * count * sizeof *rows);
    memcpy(rows, first->y0, count * sizeof *rows);
    double scale = 1;
    for (size_t i = 0; i < NODES; i++) {
        for (size_t k = i; k < NODES; k++)
            for (size_t j = 0; j < count; j++)
                rows[(i + 1) * count + j] +=
                    powers[k][i] * first->slopes[k * count + j] / (scale * (double)(i + 1));
        scale *= first->length;
    }
    return NODES;
}

OdeOutcome first_step_take(OdeIntegrator *integrator, double until, double *t, double *y)
{
    struct OdeFirstStep *first = integrator->first;
    const OdeProblem *problem = &integrator->problem;
    double end = fmin(first->from + first->length, until);
    first_step_interpolate(integrator, end, y, NULL);
    if (problem->project && !problem->project(problem->context, end, y))
        return ODE_NO_RATE;
    first->pending = false;
    first->taken = true;
    integrator->t = *t = end;
    integrator->statistics.steps++;
    return integrator->method->start(integrator, end, y, 0) ? ODE_STEPPED : ODE_NO_RATE;
}

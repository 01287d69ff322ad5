// integrator.c: one interface, several methods of integration; and a sign of stiffness.
#include "linalg/lapack.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "ode/singular_start_impl.h"
#include "ode/step_polynomial.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *word;
    const IntegratorMethod *method;
} methods[] = {
#define METHOD(NAME, word, method) {word, &method},
#include "ode/integrators.def"
#undef METHOD
};

const char *ode_method_name(OdeMethod method)
{
    assert(method < ODE_METHOD_COUNT);
    return methods[method].word;
}

OdeIntegrator *ode_integrator_new(OdeMethod method, const OdeProblem *problem)
{
    assert(method < ODE_METHOD_COUNT && problem->error_scale);
    Arena *arena = arena_new();
    OdeIntegrator *integrator = arena_alloc(arena, methods[method].method->bytes);
    integrator->method = methods[method].method;
    integrator->arena = arena;
    integrator->problem = *problem;
    if (integrator->method->init(integrator))
        return integrator;
    ode_integrator_free(integrator);
    return NULL;
}

void ode_integrator_free(OdeIntegrator *integrator)
{
    if (!integrator)
        return;
    if (integrator->method->clear)
        integrator->method->clear(integrator);
    arena_free(integrator->arena);
}

bool ode_integrator_start(OdeIntegrator *integrator, double t, const double *y, double step)
{
    assert(isfinite(t) && step >= 0);
    integrator->t = t;
    integrator->skipped = 0;
    integrator->dense = false;
    integrator->message[0] = '\0';
    struct OdeFirstStep *first = integrator->first;
    if (first) {
        // The same once more, from where no rate is defined.
        first->pending = (first->taken || first->pending) && first->from == t &&
                         memcmp(first->y0, y, integrator->problem.count * sizeof *y) == 0;
        first->taken = false;
        if (first->pending)
            return true;
    }
    return integrator->method->start(integrator, t, y, step);
}

// Where nothing is left but rounding of the time, the state stays as it is; not again and again,
// for then it would fall behind. Too many short steps in a row lead nowhere: once the method begins
// anew, for what it knows of the steps before may have become rounding.
OdeOutcome ode_integrator_step(OdeIntegrator *integrator, double until, double *t, double *y)
{
    double from = integrator->t;
    assert(*t == from && until >= from);
    if (integrator->first && integrator->first->pending && until > from) {
        OdeOutcome outcome = first_step_take(integrator, until, t, y);
        integrator->dense = outcome == ODE_STEPPED;
        return outcome;
    }
    if (integrator->first && integrator->first->taken)
        integrator->first->taken = integrator->dense = false;
    if (until - from <= TOL_STATE * real_max(fabs(from), fabs(until))) {
        *t = integrator->t = until;
        integrator->skipped += until > from;
        return integrator->skipped < LIMIT_STEPS ? ODE_STEPPED : ODE_STEP_UNDERFLOW;
    }
    integrator->skipped = 0;
    if (integrator->short_steps == LIMIT_STEPS) {
        if (integrator->begun_anew || !integrator->method->start(integrator, from, y, 0))
            return ODE_STEP_UNDERFLOW;
        integrator->short_steps = 0;
        integrator->begun_anew = true;
        integrator->dense = false;
    }
    OdeOutcome outcome = integrator->method->step(integrator, until, t, y);
    if (outcome != ODE_STEPPED)
        return outcome;
    integrator->t = *t;
    integrator->dense = true;
    bool is_short = integrator_is_short(*t - from, from) && *t < until;
    integrator->short_steps = is_short ? integrator->short_steps + 1 : 0;
    integrator->begun_anew = integrator->begun_anew && is_short;
    return ODE_STEPPED;
}

bool ode_integrator_is_dense(const OdeIntegrator *integrator)
{
    return integrator->dense;
}

OdeOutcome ode_integrator_step_across(OdeIntegrator *integrator, double until, double *t, double *y)
{
    integrator->across = true;
    OdeOutcome outcome = ode_integrator_step(integrator, until, t, y);
    integrator->across = false;
    return outcome;
}

void ode_integrator_interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    assert(y != rate);
    if (integrator->first && integrator->first->taken)
        first_step_interpolate(integrator, t, y, rate);
    else
        integrator->method->interpolate(integrator, t, y, rate);
}

const double *ode_integrator_begin(const OdeIntegrator *integrator, double t)
{
    bool first = integrator->first && integrator->first->taken;
    return !first && integrator->method->begin ? integrator->method->begin(integrator, t) : NULL;
}

void ode_integrator_places(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    bool first = integrator->first && integrator->first->taken;
    if (first || !integrator->method->places || !integrator->method->places(integrator, t, y))
        ode_integrator_interpolate(integrator, t, y, rate);
}

size_t ode_integrator_polynomial(OdeIntegrator *integrator, double from, double length,
                                 double *rows)
{
    size_t count = integrator->problem.count;
    double about = from, unit = 1, power = 1;
    bool first = integrator->first && integrator->first->taken;
    if (first)
        about = integrator->first->from;
    size_t degree = first ? first_step_expand(integrator, rows)
                          : integrator->method->expand(integrator, &about, &unit, rows);
    assert(degree <= ODE_MAX_ORDER);
    for (size_t i = 0; i < degree && from != about; i++)
        for (size_t k = degree; k-- > i;)
            for (size_t j = 0; j < count; j++)
                rows[k * count + j] += (from - about) / unit * rows[(k + 1) * count + j];
    for (size_t k = 1; k <= degree; k++) {
        power *= length / unit;
        for (size_t j = 0; j < count; j++)
            rows[k * count + j] *= power;
    }
    return degree;
}

bool ode_integrator_bends(const OdeIntegrator *integrator, double from, double length, size_t count,
                          double *bends)
{
    assert(count <= integrator->problem.count);
    return integrator->method->bends && !(integrator->first && integrator->first->taken) &&
           integrator->method->bends(integrator, from, length, count, bends);
}

double ode_integrator_next_step(const OdeIntegrator *integrator)
{
    return integrator->first && integrator->first->pending
               ? integrator->first->length
               : integrator->method->next_step(integrator);
}

OdeStatistics ode_integrator_statistics(const OdeIntegrator *integrator)
{
    return integrator->statistics;
}

const char *ode_integrator_message(const OdeIntegrator *integrator)
{
    return integrator->message;
}

// ---- For the methods.

double *integrator_numbers(const OdeIntegrator *integrator, size_t count)
{
    return arena_alloc(integrator->arena, count * sizeof(double));
}

bool integrator_is_short(double step, double t)
{
    return step <= TOL_STATE * fabs(t);
}

double integrator_step_to_double(double step, double t)
{
    return (t + step) - t;
}

// ---- A sign of stiffness, seldom looked for and so nearly free.
//
// An explicit method is held up where a mode that has long died away still limits its steps: the
// spectrum of ∂f/∂y then has a real negative part that the step multiplies to more than a few,
// again and again, while the solution itself would allow longer steps.

// At 64, 128, 256, … steps: a long run looks a few times more than a short one, and a spectrum of
// so many parts takes no longer than as many steps.
static bool is_due(size_t steps, size_t count)
{
    return steps > LIMIT_STEPS && (steps & (steps - 1)) == 0 && count > 0 && count <= steps;
}

// The largest decay among the eigenvalues; negative where they cannot be found. Uses the matrix up;
// `work` holds 8·count numbers.
static double fastest_decay(double *matrix, size_t count, double *work)
{
    double *real = work, *imaginary = real + count, none[1], fastest = 0;
    lapack_int size = (lapack_int)count;
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', size, matrix, size, real, imaginary, none, 1,
                           none, 1, imaginary + count, 6 * size) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (-real[i] > fabs(imaginary[i]))
            fastest = fmax(fastest, -real[i]);
    return fastest;
}

// Whether the step was held up there; false in *known where that cannot be told.
static bool is_held_up(OdeIntegrator *integrator, const StiffnessLook *look, bool *known)
{
    const OdeProblem *problem = &integrator->problem;
    size_t count = problem->count;
    double *columns = base_alloc((count * count + 8 * count) * sizeof *columns), decay = -1;
    assert(problem->jacobian);
    if (problem->jacobian(problem->program, look->t, look->y, columns))
        decay = fastest_decay(columns, count, columns + count * count);
    base_free(columns);
    *known = decay >= 0;
    integrator->fastest_decay = decay;
    return look->step * decay > integrator->method->stability;
}

static void postpone(OdeIntegrator *integrator, const StiffnessLook *look)
{
    size_t count = integrator->problem.count;
    StiffnessLook *kept = &integrator->postponed[integrator->postponed_count++];
    double *y = kept->y ? kept->y : integrator_numbers(integrator, count);
    memcpy(y, look->y, count * sizeof *y);
    *kept = (StiffnessLook){look->t, look->step, y};
}

void ode_integrator_other_speeds(OdeIntegrator *integrator)
{
    integrator->postponed_count = 0;
}

// Three times in a row: a transient is over until then. So the first two of them are looked at
// where the third is one.
void ode_integrator_check_stiffness(OdeIntegrator *integrator, size_t steps, double t,
                                    const double *y)
{
    OdeStatistics *statistics = &integrator->statistics;
    bool known, seen;
    if (integrator->problem.undamped || !is_due(steps, integrator->problem.count))
        return;
    StiffnessLook look = {t, ode_integrator_next_step(integrator), (double *)y};
    statistics->stiffness_checks++;
    if (statistics->stiff_in_a_row + integrator->postponed_count < STIFF_LOOKS - 1) {
        postpone(integrator, &look);
        return;
    }
    seen = is_held_up(integrator, &look, &known);
    if (!known)
        return;
    double decay = integrator->fastest_decay;
    size_t before = seen ? statistics->stiff_in_a_row : 0, since = seen;
    while (seen && integrator->postponed_count > 0) {
        seen =
            is_held_up(integrator, &integrator->postponed[--integrator->postponed_count], &known);
        since += seen;
        seen = seen || !known;
    }
    statistics->stiff_in_a_row = since + (seen ? before : 0);
    integrator->postponed_count = 0;
    if (statistics->stiff_in_a_row >= STIFF_LOOKS) {
        statistics->stiff = true;
        statistics->fastest_decay = decay;
    }
}

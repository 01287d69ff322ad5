// gap_bounds.c: gaps bounded on the polynomial of a step (program, curve_bounds.c): between all
// samples, so that no post is too thin to be struck.
#include "simulate/gap_bounds_impl.h"

#include "dynamics/equations_types.h"
#include "dynamics/unilaterals.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "ode/step_polynomial.h"
#include "program/curve_bounds.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/mode_stepping_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Up to this f counts as 0. What the last digits of the time made of it at the last event is on its
// way out.
static double level_of(const EventDetector *detector, size_t i, double rounding)
{
    const GapFunctions *gaps = detector->event->gaps;
    double now = detector->sides[i].touching ? 2 * gaps->f[i] : 0;
    return fmax(fmax(EVENT_MARGIN * gaps->band[i], now), rounding);
}

// The polynomials of the time and of the coordinates of a condition, from the rows of all parts.
static void set_coefficients(const uint32_t *which, size_t size, size_t degree, const double *rows,
                             size_t width, double *coefficients)
{
    for (size_t j = 0; j < size; j++)
        for (size_t k = 0; k <= degree; k++)
            coefficients[(1 + j) * (degree + 1) + k] = rows[k * width + which[j]];
}

// The place of a curve at x: the coordinates of one condition among all of them.
static double place_at(const ProgramCurve *curve, double x, const uint32_t *which, double *q)
{
    double t = 0;
    for (size_t j = 0; j < curve->count; j++) {
        double value = 0;
        for (size_t k = curve->degree + 1; k-- > 0;)
            value = value * x + curve->coefficients[j * (curve->degree + 1) + k];
        *(j == 0 ? &t : &q[which[j - 1]]) = value;
    }
    return t;
}

// Whether f of a condition stays below what counts as 0. Where it comes above 0 within what counts
// as 0 by its size elsewhere, it is measured there.
static CurveAnswer bound_one(EventDetector *detector, size_t i, const ProgramCurve *curve,
                             double *q, double rounding, double *x)
{
    const GapFunctions *gaps = detector->event->gaps;
    const Unilaterals *unilaterals = gaps->unilaterals;
    const Program *program = unilaterals_shape(unilaterals, i)->f.program;
    double level = level_of(detector, i, rounding), highest = -INFINITY, unused = -INFINITY;
    CurveAnswer answer = curve_stays_below(program, curve, level, &highest, x);
    detector->bounded = fmax(detector->bounded, highest);
    if (answer != CURVE_BELOW || highest <= 0 || detector->sides[i].touching ||
        curve_stays_clearly_below(program, curve, 0, x) == CURVE_BELOW)
        return answer;
    const uint32_t *which = unilaterals->coordinates.at + unilaterals->at.at[i].first;
    double t = place_at(curve, *x, which, q);
    double own = EVENT_MARGIN * gaps->tolerance * gaps_size_at(gaps, i, t, q);
    return own < TOL_COARSE * level ? curve_stays_below(program, curve, own, &unused, x) : answer;
}

// All conditions that do not act on a curve of the coordinates, from a time on for a length.
static GapAnswer bound_all(EventDetector *detector, double from, double length, const double *rows,
                           size_t n, size_t width, size_t degree, size_t *which, double *t)
{
    static const GapAnswer answers[] = {[CURVE_BELOW] = GAPS_HOLD,
                                        [CURVE_ABOVE] = GAPS_VIOLATED,
                                        [CURVE_UNDECIDED] = GAPS_UNDECIDED};
    GapFunctions *gaps = detector->event->gaps;
    const Unilaterals *unilaterals = gaps->unilaterals;
    GapAnswer found = GAPS_HOLD;
    double *coefficients = base_alloc(((n + 1) * (ODE_MAX_ORDER + 1) + n) * sizeof *coefficients);
    double *q = coefficients + (n + 1) * (ODE_MAX_ORDER + 1), first = 1;
    coefficients[0] = from;
    coefficients[1] = length;
    gaps_evaluate(gaps, from, rows, gaps->f);
    double largest = real_largest(rows, n);
    // What begins at the origin, at rest, is measured by how far it comes.
    for (size_t k = 1; k <= degree && largest == 0; k++)
        largest = real_largest(rows + k * width, n);
    double rounding = TOL_ZERO * largest;
    gaps->length = fmax(gaps->length, largest);
    for (size_t i = 0; i < gaps->count; i++) {
        const UnilateralShape *shape = unilaterals_shape(unilaterals, i);
        if (detector->event->acts[i] || shape->f.program == NULL)
            continue;
        set_coefficients(unilaterals->coordinates.at + unilaterals->at.at[i].first, shape->size,
                         degree, rows, width, coefficients);
        ProgramCurve curve = {.constant_count = unilaterals->params,
                              .count = 1 + shape->size,
                              .constants = shape->inputs,
                              .coefficients = coefficients,
                              .degree = degree,
                              .resolution =
                                  TOL_STATE / 2 * fmax(fabs(from + length), length) / length};
        double x;
        CurveAnswer answer = bound_one(detector, i, &curve, q, rounding, &x);
        if (answer == CURVE_BELOW || (found != GAPS_HOLD && x >= first))
            continue;
        found = answers[answer];
        first = x;
        *which = i;
    }
    *t = from + first * length;
    base_free(coefficients);
    return found;
}

GapAnswer gaps_bound(EventDetector *detector, ContactMode *mode, double from, double to,
                     size_t *which, double *t)
{
    size_t n = mode->eq->n, width = n + mode->eq->k;
    assert(mode->from <= from && from < to && to <= mode->t);
    double *rows = base_alloc((ODE_MAX_ORDER + 1) * width * sizeof *rows);
    size_t degree = ode_integrator_polynomial(mode->integrator, from, to - from, rows);
    GapAnswer found =
        bound_all(detector, from, to - from, rows, n, width, degree > 0 ? degree : 1, which, t);
    *t = fmin(*t, to);
    base_free(rows);
    return found;
}

GapAnswer gaps_bound_line(EventDetector *detector, double from, const double *q, double to,
                          const double *q_to, size_t n, size_t *which)
{
    assert(from <= to && n > 0);
    double *rows = base_alloc(2 * n * sizeof *rows), t;
    memcpy(rows, q, n * sizeof *rows);
    for (size_t j = 0; j < n; j++)
        rows[n + j] = q_to[j] - q[j];
    GapAnswer found =
        from < to ? bound_all(detector, from, to - from, rows, n, n, 1, which, &t) : GAPS_HOLD;
    base_free(rows);
    return found;
}

// ---- Between neighbouring times.

// A condition where the motion is some time later, or before.
static UnilateralRow row_beside(EventDetector *detector, const State *state, size_t side,
                                double later, double *q, size_t n)
{
    for (size_t j = 0; j < n; j++)
        q[j] = state->q[j] + later * state->v[j];
    return unilaterals_row(detector->event->gaps->unilaterals, side, *state->t + later, q,
                           state->v);
}

// What f is measured by where it turns: an error along the motion moves the turn in time only. So
// what counts is the gradient between those of both sides whose rate is 0.
static double size_between(const GapFunctions *gaps, const UnilateralRow *left,
                           const double *gradient, const UnilateralRow *right)
{
    double part = left->rate / (left->rate - right->rate), slope = 0;
    for (size_t k = 0; k < right->size; k++)
        slope += fabs((1 - part) * gradient[k] + part * right->gradient[k]);
    double roundings = TOL_ROUNDING * real_largest(right->terms, right->term_count);
    return fmax(slope * gaps->length, roundings / gaps->tolerance);
}

bool gaps_turn(EventDetector *detector, ContactMode *mode, size_t side, double t, GapTurn *turn)
{
    const GapFunctions *gaps = detector->event->gaps;
    double step = TOL_STATE * fmax(fabs(t), t - mode->from), noise = 0;
    assert(mode->from <= t && t <= mode->t);
    if (!mode_evaluate(mode, t))
        return false;
    size_t n = mode->eq->n;
    double *q = base_alloc(2 * n * sizeof *q), *gradient = q + n;
    UnilateralRow left = row_beside(detector, mode->state, side, -step, q, n);
    memcpy(gradient, left.gradient, left.size * sizeof *gradient);
    UnilateralRow right = row_beside(detector, mode->state, side, step, q, n);
    *turn = (GapTurn){.rises = left.rate > 0 && right.rate > 0,
                      .turns = left.rate > 0 && right.rate < 0};
    if (turn->turns) {
        for (size_t k = 0; k < right.size; k++)
            noise += DBL_EPSILON * fabs(q[right.coordinates[k]]) *
                     (fabs(gradient[k]) + fabs(right.gradient[k]));
        double meet = (right.f - left.f - 2 * right.rate * step) / (left.rate - right.rate);
        turn->tangents = left.f + left.rate * fmin(fmax(meet, 0), 2 * step) + noise;
        turn->most = fmax(left.f, right.f);
        turn->size = size_between(gaps, &left, gradient, &right);
    }
    base_free(q);
    return true;
}

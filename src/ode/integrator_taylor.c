// integrator_taylor.c: the default integrator: the state as a Taylor series, summed up to where its
// last terms are as large as the error that is allowed.
//
// The order follows from the tolerance and the step from the last two terms (Jorba and Zou, A
// software package for the numerical integration of ODEs by means of high-order Taylor methods,
// Experimental Mathematics 14, 2005): with p = −½·ln ε the step is near e⁻² of the radius of
// convergence, where p²/h, the work for a stretch of time, is least; a little more than that pays
// where an order costs more than its products. That the sum is a solution is then seen from its
// defect at the end of the step, which costs nothing: the rate there begins the next series. So a
// pole inside a step does not go unnoticed. A step that would pass a switch of abs, sign, min or
// max ends just beyond it.
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "ode/integrator_impl.h"
#include "program/native.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    OdeIntegrator base;
    size_t order, expand_order, usable; // wanted; and how many the last series has
    double *ty;                         // the coefficients: t | y of order 0, of order 1, …
    double *now;                        // t | y reached last
    double *next;                       // t | y tried
    double *rate;                       // at `next`, and so at `now` where `fresh`
    double *sums, *slopes;              // t | y: from `now` to `next`, and of the series at `next`
    double *inside, *inside_slopes;     // the same to a state between them
    double *weights;                    // 1 over what error is allowed
    double *lost;                       // what rounding has cut off `now`
    bool fresh;                         // the problem's series stand at `now`, order 0
    bool projected;                     // `next` is on the conditions
    bool behind;                        // `now` is some roundings of the time behind a switch
    double from, step;     // where the last series begin, and how far the last step went
    double unit, per_unit; // of the time in these: a power of two; and 1 over it
    double least_unit;     // that may be taken
    double noise;          // of the defect, where it was seen lately
} Taylor;

// The last terms may be TOL_COARSE of the error that is allowed in a step: errors add up over many
// steps, and what a smaller part costs is one order more for a factor of e².
static double order_of_least_products(double tolerance)
{
    assert(tolerance > 0 && tolerance <= 1);
    return 1 - log(TOL_COARSE * tolerance) / 2;
}

size_t ode_taylor_order(double tolerance)
{
    return (size_t)ceil(ODE_ORDER_FACTOR * order_of_least_products(tolerance));
}

size_t ode_taylor_block_order(double tolerance, bool watched)
{
    double order = ceil(2 * order_of_least_products(tolerance));
    size_t most = watched ? ode_taylor_order(tolerance) : (size_t)fmin(order, ODE_MAX_ORDER);
    return program_flow_rows(most) - 1;
}

// ---- Making and starting.

static bool init(OdeIntegrator *integrator)
{
    Taylor *taylor = (Taylor *)integrator;
    const OdeProblem *problem = &integrator->problem;
    size_t width = problem->count + 1;
    assert(problem->series && problem->switch_distance && problem->order > 0);
    taylor->order = integrator->statistics.order = problem->order;
    taylor->unit = taylor->per_unit = 1;
    taylor->least_unit = ldexp(problem->span, -ODE_UNIT_RANGE);
    taylor->expand_order = problem->expand_order ? problem->expand_order : problem->order;
    size_t most = taylor->order > taylor->expand_order ? taylor->order : taylor->expand_order;
    double **const arrays[] = {&taylor->now,           &taylor->next,    &taylor->rate,
                               &taylor->sums,          &taylor->slopes,  &taylor->inside,
                               &taylor->inside_slopes, &taylor->weights, &taylor->lost};
    // Vectors may reach beyond the last row.
    taylor->ty = integrator_numbers(integrator, (program_flow_rows(most) + 1) * width + 3);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = integrator_numbers(integrator, width);
    return true;
}

static bool start(OdeIntegrator *integrator, double t, const double *y, double step)
{
    Taylor *taylor = (Taylor *)integrator;
    size_t bytes = integrator->problem.count * sizeof *y;
    taylor->now[0] = t;
    memmove(taylor->now + 1, y, bytes);
    memset(taylor->lost, 0, bytes);
    taylor->step = step;
    taylor->fresh = false;
    return true;
}

static double next_step(const OdeIntegrator *integrator)
{
    return ((const Taylor *)integrator)->step;
}

// ---- The series.

static double *coefficient(const Taylor *taylor, size_t k)
{
    return taylor->ty + k * (taylor->base.problem.count + 1);
}

// Expands the state about `now`; false where it has no rate there.
static bool expand(Taylor *taylor)
{
    const OdeProblem *problem = &taylor->base.problem;
    size_t count = problem->count;
    memcpy(taylor->ty, taylor->now, (count + 1) * sizeof(double));
    taylor->from = taylor->now[0];
    taylor->usable = problem->expand ? problem->expand(problem->program, taylor->expand_order,
                                                       taylor->unit, taylor->ty)
                                     : 0;
    taylor->base.statistics.order = taylor->usable > 0 ? taylor->expand_order : taylor->order;
    for (size_t k = 0; k < taylor->order && taylor->usable <= k; k++) {
        if (!(k == 0 && taylor->fresh) &&
            !problem->series(problem->context, k, coefficient(taylor, k), taylor->rate)) {
            taylor->usable = k;
            break;
        }
        double *following = coefficient(taylor, k + 1);
        following[0] = k == 0 ? taylor->unit : 0;
        for (size_t i = 0; i < count; i++)
            following[1 + i] = taylor->rate[i] * taylor->unit / (double)(k + 1);
        taylor->usable = k + 1;
    }
    taylor->fresh = false;
    return taylor->usable > 0;
}

// The largest part of a term, in units of what error is allowed; 0 for no number.
static double norm(const Taylor *taylor, size_t k)
{
    const double *term = coefficient(taylor, k) + 1;
    double largest = 0;
    for (size_t i = 0; i < taylor->base.problem.count; i++) {
        double part = fabs(term[i]) * taylor->weights[i];
        largest = part > largest ? part : largest;
    }
    return largest;
}

// The binary logarithm of 0 < x, to 2e-5, and its inverse, to three digits: for the length of a
// step these are enough, and the functions of the library would take as long as many an order. The
// sum of the series waits for them, so that they have no quotients, and their terms wait for few
// others.
typedef union {
    double value;
    uint64_t bits;
} Bits;

static double rough_log2(double x)
{
    Bits m = {x < DBL_MAX ? x : DBL_MAX};
    int exponent = (int)(m.bits >> 52) - 1023;
    m.bits = (m.bits & (UINT64_MAX >> 12)) | UINT64_C(1023) << 52;
    // Exact at both ends of 0 ≤ z ≤ 1; between them all extrema of the error are of one size.
    double z = m.value - 1, square = z * z;
    double q = (0.44191691 - 0.26717833 * z) + square * (0.14842427 - 0.04514751 * z);
    return (exponent + z) + (z - square) * q;
}

static double rough_exp2(double x)
{
    int whole = (int)real_min(real_max(x, DBL_MIN_EXP), DBL_MAX_EXP - 1);
    double z = (x - whole) * (log(2) / 2), half = (1 + z) + z * z * (1.0 / 2 + z * (1.0 / 6));
    Bits power = {.bits = (uint64_t)(whole + 1023) << 52};
    return half * half * power.value;
}

// How far the last two terms stay within the error that is allowed. One of them may vanish by
// symmetry; where both do, the series is a polynomial as far as it can tell, and its defect must
// show how far.
static double reach(const Taylor *taylor)
{
    double least = INFINITY;
    for (size_t back = 0; back < 2 && back < taylor->usable; back++) {
        size_t k = taylor->usable - back;
        double size = norm(taylor, k), left = log2(TOL_COARSE) - rough_log2(size);
        double length = size > 0 ? left * (1 / (double)k) : INFINITY;
        least = length < least ? length : least;
    }
    return isinf(least) ? INFINITY : rough_exp2(least) * taylor->unit;
}

// The binary exponent of a normal number.
static int exponent_of(double x)
{
    Bits number = {x};
    return (int)(number.bits >> 52) - 1023;
}

static void choose_unit(Taylor *taylor, double length)
{
    int exponent = length > 0 && length <= DBL_MAX ? exponent_of(length) : 0;
    double unit = abs(exponent) > ODE_UNIT_RANGE ? ldexp(1, exponent) : 1;
    if (unit == taylor->unit)
        return;
    taylor->unit = unit;
    taylor->per_unit = 1 / unit;
}

// Whether powers of the length, in the unit, are numbers.
static bool fits(const Taylor *taylor, double length)
{
    int most = taylor->unit == 1 ? ODE_UNIT_RANGE : ODE_UNIT_RANGE / 2;
    return !(length > 0) || abs(exponent_of(length * taylor->per_unit)) <= most;
}

// Expands in a unit of time that the step is not far from, where its powers would overflow or
// vanish: motions of atoms or galaxies in seconds. That a step is short beside the whole motion has
// other reasons. `step` is a guess, 0 for none, and then how far the series reach.
static bool expand_for_step(Taylor *taylor, double left, double *step)
{
    double least = taylor->least_unit, length = real_max(*step > 0 ? *step : left, least);
    for (int tries = 0; tries == 0 || (tries < LIMIT_PATIENCE && !fits(taylor, length)); tries++) {
        choose_unit(taylor, length);
        if (!expand(taylor))
            return false;
        *step = reach(taylor);
        length = real_max(*step <= DBL_MAX ? *step : left, least);
    }
    return true;
}

// Columns by Horner's rule, two at a time, or two equal ones.
typedef double Pair __attribute__((vector_size(2 * sizeof(double))));
static inline Pair load(const double *at, size_t count)
{
    return (Pair){at[0], at[count - 1]};
}

static inline void sum_columns(const Taylor *taylor, double s, size_t first, size_t count,
                               double *restrict sums, double *restrict slopes)
{
    size_t width = taylor->base.problem.count + 1;
    const double *term = coefficient(taylor, taylor->usable) + first;
    Pair sum = load(term, count), slope = {0};
    for (size_t k = taylor->usable - 1; k > 0; k--) {
        slope = slope * s + sum;
        sum = sum * s + load(term -= width, count);
    }
    slope = slope * s + sum;
    sum = sum * s;
    for (size_t i = 0; i < count; i++) {
        slopes[i] = slope[i];
        sums[i] = sum[i];
    }
}

static void sum_all_columns(const Taylor *taylor, double s, double *sums, double *slopes)
{
    size_t width = taylor->base.problem.count + 1, i = 0;
    for (; i + 2 <= width; i += 2)
        sum_columns(taylor, s, i, 2, sums + i, slopes + i);
    if (i < width)
        sum_columns(taylor, s, i, 1, sums + i, slopes + i);
}

// For s = length/unit: Σ y_k·s^k for 1 ≤ k, and the slopes Σ k·y_k·s^(k−1)/unit, of all parts.
static void sum_up(const Taylor *taylor, double length, double *sums, double *slopes)
{
    const OdeProblem *problem = &taylor->base.problem;
    double s = length * taylor->per_unit;
    if (!problem->sum ||
        !problem->sum(problem->program, taylor->usable, taylor->ty, s, sums, slopes))
        sum_all_columns(taylor, s, sums, slopes);
    for (size_t i = 0; i <= problem->count && taylor->unit != 1; i++)
        slopes[i] *= taylor->per_unit;
}

static void interpolate(OdeIntegrator *integrator, double t, double *y, double *rate)
{
    const Taylor *taylor = (const Taylor *)integrator;
    sum_up(taylor, t - taylor->from, taylor->inside, taylor->inside_slopes);
    for (size_t i = 0; i < taylor->base.problem.count; i++) {
        y[i] = taylor->ty[1 + i] + taylor->inside[1 + i];
        rate[i] = taylor->inside_slopes[1 + i];
    }
}

static size_t expand_dense(OdeIntegrator *integrator, double *about, double *unit, double *rows)
{
    const Taylor *taylor = (const Taylor *)integrator;
    size_t count = integrator->problem.count;
    *about = taylor->from;
    *unit = taylor->unit;
    for (size_t k = 0; k <= taylor->usable; k++)
        memcpy(rows + k * count, coefficient(taylor, k) + 1, count * sizeof *rows);
    return taylor->usable;
}

static bool bends(const OdeIntegrator *integrator, double from, double length, size_t count,
                  double *most)
{
    const Taylor *taylor = (const Taylor *)integrator;
    if (from != taylor->from)
        return false;
    program_bends(taylor->ty + 1, integrator->problem.count + 1, count, taylor->usable,
                  length * taylor->per_unit, most);
    return true;
}

// What the sum misses of being a solution at the end of the step, over the step, in units of what
// error is allowed: p + 1 times the first term left out, where the terms decrease as they should.
static double defect(const Taylor *taylor, double step)
{
    size_t count = taylor->base.problem.count;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double miss = fabs(taylor->rate[i] - taylor->slopes[1 + i]) * taylor->weights[i];
        if (!(miss <= largest))
            largest = miss;
    }
    return largest * step;
}

// ---- Stepping.

// The state at the end of a step by the sums.
static void sum_step(Taylor *taylor, double step)
{
    double *increment = taylor->sums + 1;
    sum_up(taylor, step, taylor->sums, taylor->slopes);
    for (size_t i = 0; i < taylor->base.problem.count; i++) {
        increment[i] += taylor->lost[i];
        taylor->next[1 + i] = taylor->now[1 + i] + increment[i];
    }
}

// The same state as it is taken over, with its rate; false where there is none.
static bool end_step(Taylor *taylor, double t)
{
    const OdeProblem *problem = &taylor->base.problem;
    taylor->next[0] = t;
    taylor->projected =
        !problem->project || problem->project(problem->context, t, taylor->next + 1);
    return taylor->projected && problem->series(problem->context, 0, taylor->next, taylor->rate);
}

static bool try_step(Taylor *taylor, double step, double t)
{
    sum_step(taylor, step);
    return end_step(taylor, t);
}

// Takes over what was tried; what rounding has cut off is added to the next increment.
static void accept(Taylor *taylor, double step, bool has_rate)
{
    size_t count = taylor->base.problem.count;
    // A state that was projected is where it should be.
    for (size_t i = 0; i < count && !taylor->base.problem.project; i++)
        taylor->lost[i] = taylor->sums[1 + i] - (taylor->next[1 + i] - taylor->now[1 + i]);
    double *reached = taylor->next;
    taylor->next = taylor->now;
    taylor->now = reached;
    taylor->fresh = has_rate;
    taylor->step = step;
    taylor->base.statistics.steps++;
}

// Whether the defect says that the step is good enough; `former` is the one of a longer step, or
// infinite. What does not shrink to an eighth with the step is rounding in the rates, as long as it
// moves no part by much in a step.
static bool is_small(Taylor *taylor, double miss, double step, double former, double former_step)
{
    double limit = (double)taylor->usable + 1;
    if (miss <= limit) {
        taylor->noise /= 2;
        return true;
    }
    if (miss / step <= taylor->noise)
        return true;
    bool stays = miss / step > former / former_step / 8;
    if (stays && miss * taylor->base.problem.tolerance <= TOL_CONDITION) {
        taylor->noise = 2 * miss / step;
        return true;
    }
    return false;
}

// The first of the points that part the step equally where the sum is no solution; infinite where
// there is none.
static double first_flaw(Taylor *taylor, double step, size_t parts)
{
    for (size_t i = 1; i < parts; i++) {
        double at = integrator_step_to_double(step * (double)i / (double)parts, taylor->now[0]);
        double t = taylor->now[0] + at;
        if (integrator_is_short(at, t))
            continue;
        if (!try_step(taylor, at, t))
            return at;
        double miss = defect(taylor, at), limit = (double)taylor->usable + 1;
        if (!(miss <= fmax(limit, taylor->noise * at)))
            return at;
    }
    return INFINITY;
}

// A step of some roundings of the time by the rate at its beginning, where series reach no further:
// just behind a switch, as that of max(0, x)^(6/5). 0 where the rate changes by more than is
// nothing.
static double crawl(Taylor *taylor, bool *has_rate)
{
    double t = taylor->now[0], step = integrator_step_to_double(TOL_STATE * fabs(t), t);
    for (size_t i = 1; i <= taylor->base.problem.count; i++) {
        taylor->slopes[i] = coefficient(taylor, 1)[i] * taylor->per_unit;
        taylor->sums[i] = taylor->slopes[i] * step + taylor->lost[i - 1];
        taylor->next[i] = taylor->now[i] + taylor->sums[i];
    }
    taylor->usable = 1;
    taylor->behind = true;
    *has_rate = end_step(taylor, t + step);
    return *has_rate && defect(taylor, step) <= TOL_COARSE ? step : 0;
}

// Tries shorter and shorter steps until one is good; returns how long it was,
// or 0 for none.
static double find_step(Taylor *taylor, double step, double until, bool *has_rate)
{
    const OdeProblem *problem = &taylor->base.problem;
    double t = taylor->now[0], left = until - t;
    double former = INFINITY, former_step = INFINITY, most = step;
    step = real_min(step, left);
    double distance = taylor->unit * problem->switch_distance(problem->program, taylor->usable - 1,
                                                              step * taylor->per_unit);
    // A step that ends just beyond a switch: the rate there is not the one of its series. Where
    // this does not reach so far, as that of abs(x)^(1/2), its sum would be anything.
    // By some roundings of the time: from within those of a switch, as that of max(0, x)^(3/2), a
    // series leads nowhere.
    double beyond = real_min(distance + TOL_STATE * fabs(t), most);
    bool lands = distance < step && distance < most, behind = taylor->behind;
    taylor->behind = lands;
    if (distance < step)
        step = lands ? beyond : distance;
    step = integrator_step_to_double(step, t);
    // The end of such a step shows nothing; and a leap may pass over something, a force that acts
    // for a while or somewhere, of which its series knew nothing yet: unless it is known that there
    // is nothing.
    bool leaps = step > 2 * taylor->step, clear = false;
    if (!lands && problem->is_clear && isfinite(step)) {
        sum_step(taylor, step);
        clear = problem->is_clear(problem->context, t, step, taylor->next + 1);
    }
    double flaw = clear ? INFINITY : first_flaw(taylor, step, leaps ? ODE_MAX_ORDER : 3);
    lands = lands && isinf(flaw);
    step = real_min(step, flaw);
    *has_rate = true;
    for (bool whole = step >= left, summed = clear;; whole = lands = summed = false) {
        if (whole)
            step = left;
        if (!whole && !lands && integrator_is_short(step, t))
            return behind ? crawl(taylor, has_rate) : 0;
        double cut = 8;
        if (!summed)
            sum_step(taylor, step);
        *has_rate = end_step(taylor, whole ? until : t + step);
        // Beyond a switch a state may need other speeds.
        if (lands && !*has_rate && taylor->projected)
            return step;
        if (*has_rate) {
            double miss = defect(taylor, step);
            if (lands || is_small(taylor, miss, step, former, former_step))
                return step;
            // So far that a defect falls to TOL_COARSE of it, unless it is rounding.
            double fall = fmax(miss / (double)(taylor->usable + 1), 1 / TOL_COARSE);
            cut = fmin(pow(fall, 1 / (double)taylor->usable), 8);
            former = miss;
            former_step = step;
        }
        taylor->base.statistics.rejected++;
        step = integrator_step_to_double(step / cut, t);
    }
}

// The whole step to `until`; 0 where its end has no rate.
static double find_whole_step(Taylor *taylor, double until, bool *has_rate)
{
    double step = until - taylor->now[0];
    *has_rate = try_step(taylor, step, until);
    return *has_rate ? step : 0;
}

static OdeOutcome advance(OdeIntegrator *integrator, double until, double *t, double *y)
{
    Taylor *taylor = (Taylor *)integrator;
    const OdeProblem *problem = &integrator->problem;
    taylor->fresh = taylor->fresh && taylor->now[0] == integrator->t;
    taylor->now[0] = integrator->t;
    problem->error_scale(problem->context, taylor->now + 1, taylor->weights);
    for (size_t i = 0; i < problem->count; i++)
        taylor->weights[i] = 1 / taylor->weights[i];
    double left = until - taylor->now[0], step = taylor->step;
    if (!expand_for_step(taylor, left, &step))
        return ODE_NO_RATE;
    bool has_rate;
    step = integrator->across ? find_whole_step(taylor, until, &has_rate)
                              : find_step(taylor, step, until, &has_rate);
    if (step == 0)
        return has_rate ? ODE_STEP_UNDERFLOW : ODE_NO_RATE;
    accept(taylor, step, has_rate);
    *t = taylor->now[0];
    memcpy(y, taylor->now + 1, problem->count * sizeof *y);
    return ODE_STEPPED;
}

const IntegratorMethod integrator_taylor = {sizeof(Taylor), init,        NULL,      start,
                                            advance,        interpolate, next_step, expand_dense,
                                            bends,          NULL,        2.5,       NULL};

// integrate_taylor.c: the default integrator: the state as a Taylor series, summed up to where its
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
#include "run/run_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// The last terms may be this part of the error that is allowed in a step: errors add up over many
// steps, and what a smaller part costs is one order more for a factor of e².
#define PART 0.001
// By how much the order is above the one of least products, and its bounds.
#define MORE_ORDERS   1.1
#define MORE_COMPILED 2.0
#define LEAST_ORDER   4
#define MOST_ORDER    32
// A step of this many roundings of t leads nowhere; so many of them in a row end the run. A step
// onto a switch is not shorter than the last number.
#define SHORT_STEP  8
#define SHORT_STEPS 20
#define LEAST_STEP  4
// What a step shrinks to where the rate could not be evaluated, and the bounds of what it shrinks
// to where its defect is too large.
#define SHRINK      0.1
#define LEAST_RATIO 0.1
#define MOST_RATIO  0.7
// A step this much longer than the one before it is looked at inside, at the ends of so many parts.
#define LEAP       2
#define LEAP_PARTS 32
// A defect that a shorter step does not make smaller by this factor is rounding in the rates, as
// long as it moves no part by more than this much of its size in a step.
#define NO_GAIN    8
#define MOST_NOISE 1e-9
#define LN2        0.69314718055994531

typedef struct {
    IntegratorProblem problem;
    size_t order, expand_order, usable; // wanted; and how many the last series has
    double *ty;                         // the coefficients: t | y of order 0, of order 1, …
    double *now;                        // t | y reached last
    double *next;                       // t | y tried
    double *rate;                       // at `next`, and so at `now` where `fresh`
    double *sums, *slopes;              // t | y: from `now` to `next`, and of the series at `next`
    double *allowance;                  // 1 over what error is allowed
    double *lost, t_lost;               // what rounding has cut off `now`
    bool fresh;                         // the problem's series stand at `now`, order 0
    double from, step;  // where the last series begin, and how far the last step went
    double noise;       // of the defect, where it was seen lately
    size_t short_steps; // in a row
    IntegratorCounts counts;
} Taylor;

static size_t order_for(double tolerance, double more)
{
    double order = ceil(more * (1 - log(PART * tolerance) / 2));
    return (size_t)fmin(fmax(order, LEAST_ORDER), MOST_ORDER);
}

size_t taylor_order(double tolerance)
{
    return order_for(tolerance, MORE_ORDERS);
}

size_t taylor_compiled_order(double tolerance)
{
    return program_flow_rows(order_for(tolerance, MORE_COMPILED)) - 1;
}

// ---- Making and starting.

static void *create(const IntegratorProblem *problem)
{
    size_t count = problem->count;
    Taylor *taylor = base_alloc(sizeof *taylor);
    taylor->problem = *problem;
    taylor->order = problem->order;
    taylor->counts.order = problem->order;
    taylor->expand_order = problem->expand_order ? problem->expand_order : problem->order;
    size_t most = taylor->order > taylor->expand_order ? taylor->order : taylor->expand_order;
    taylor->ty = base_alloc(program_flow_rows(most) * (count + 1) * sizeof(double));
    taylor->now = base_alloc((count + 1) * sizeof(double));
    taylor->next = base_alloc((count + 1) * sizeof(double));
    taylor->rate = base_alloc((count + 1) * sizeof(double));
    taylor->sums = base_alloc((count + 1) * sizeof(double));
    taylor->slopes = base_alloc((count + 1) * sizeof(double));
    taylor->allowance = base_alloc((count + 1) * sizeof(double));
    taylor->lost = base_alloc((count + 1) * sizeof(double));
    return taylor;
}

static void destroy(void *self)
{
    Taylor *taylor = self;
    base_free(taylor->ty);
    base_free(taylor->now);
    base_free(taylor->next);
    base_free(taylor->rate);
    base_free(taylor->sums);
    base_free(taylor->slopes);
    base_free(taylor->allowance);
    base_free(taylor->lost);
    base_free(taylor);
}

static bool start(void *self, double t, const double *y, double step)
{
    Taylor *taylor = self;
    size_t count = taylor->problem.count;
    taylor->now[0] = taylor->from = t;
    memmove(taylor->now + 1, y, count * sizeof *y);
    memset(taylor->lost, 0, count * sizeof *taylor->lost);
    taylor->t_lost = 0;
    taylor->step = step;
    taylor->fresh = false;
    return true;
}

static double next_step(const void *self)
{
    return ((const Taylor *)self)->step;
}

static IntegratorCounts counts_of(const void *self)
{
    return ((const Taylor *)self)->counts;
}

static const char *message_of(const void *self)
{
    (void)self;
    return "";
}

// ---- The series.

static double *coefficient(const Taylor *taylor, size_t k)
{
    return taylor->ty + k * (taylor->problem.count + 1);
}

// Expands the state about `now`; false where it has no rate there.
static bool expand(Taylor *taylor)
{
    const IntegratorProblem *problem = &taylor->problem;
    size_t count = problem->count;
    memcpy(taylor->ty, taylor->now, (count + 1) * sizeof(double));
    taylor->from = taylor->now[0];
    taylor->usable =
        problem->expand ? problem->expand(problem->context, taylor->expand_order, taylor->ty) : 0;
    taylor->counts.order = taylor->usable > 0 ? taylor->expand_order : taylor->order;
    for (size_t k = 0; k < taylor->order && taylor->usable <= k; k++) {
        if (!(k == 0 && taylor->fresh) &&
            !problem->series(problem->context, k, coefficient(taylor, k), taylor->rate)) {
            taylor->usable = k;
            break;
        }
        double *following = coefficient(taylor, k + 1);
        following[0] = k == 0;
        for (size_t i = 0; i < count; i++)
            following[1 + i] = taylor->rate[i] / (double)(k + 1);
        taylor->usable = k + 1;
    }
    taylor->fresh = false;
    return taylor->usable > 0;
}

// The largest part of a term, in units of what error is allowed; 0 for no number.
static double norm(const Taylor *taylor, size_t k)
{
    const double *term = coefficient(taylor, k) + 1, *allowance = taylor->allowance;
    size_t count = taylor->problem.count, i = 0;
    // Two, so that none waits for the one before it.
    double even = 0, odd = 0;
    for (; i + 2 <= count; i += 2) {
        even = greater(even, fabs(term[i]) * allowance[i]);
        odd = greater(odd, fabs(term[i + 1]) * allowance[i + 1]);
    }
    if (i < count)
        even = greater(even, fabs(term[i]) * allowance[i]);
    return greater(even, odd);
}

// The binary logarithm of 0 < x, and its inverse, to three digits: for the length of a step these
// are enough, and the functions of the library would take as long as many an order.
static double rough_log2(double x)
{
    uint64_t bits;
    x = x < DBL_MAX ? x : DBL_MAX;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & (UINT64_MAX >> 12)) | UINT64_C(1023) << 52;
    memcpy(&x, &bits, sizeof x);
    // ln m = 2·artanh((m − 1)/(m + 1)), 1 ≤ m < 2.
    double z = (x - 1) / (x + 1), square = z * z;
    return exponent + 2 / LN2 * z * (1 + square * (1.0 / 3 + square * (1.0 / 5)));
}

static double rough_exp2(double x)
{
    int whole = (int)(x < -1000 ? -1000 : x > 1000 ? 1000 : x);
    double z = (x - whole) * (LN2 / 2), half = 1 + z * (1 + z * (1.0 / 2 + z * (1.0 / 6)));
    uint64_t bits = (uint64_t)(whole + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return half * half * power;
}

// How far the last two terms stay within the allowance. One of them may vanish by symmetry; where
// both do, the series is a polynomial as far as it can tell, and its defect must show how far.
static double reach(const Taylor *taylor)
{
    double least = INFINITY;
    for (size_t back = 0; back < 2 && back < taylor->usable; back++) {
        size_t k = taylor->usable - back;
        double size = norm(taylor, k);
        if (size > 0)
            least = lesser(least, rough_log2(PART / size) / (double)k);
    }
    return isinf(least) ? INFINITY : rough_exp2(least);
}

// Σ y_k·s^k for 1 ≤ k, and the slopes Σ k·y_k·s^(k−1), of so many parts at once.
enum { TOGETHER = 4 };

static inline void sum_up_some(const Taylor *taylor, double s, size_t from, size_t some,
                               double *restrict sums, double *restrict slopes)
{
    size_t width = taylor->problem.count + 1;
    const double *term = coefficient(taylor, taylor->usable) + from;
    double sum[TOGETHER] = {0}, slope[TOGETHER] = {0};
    for (size_t i = 0; i < some; i++)
        sum[i] = term[i];
    for (size_t k = taylor->usable - 1; k > 0; k--) {
        term -= width;
        for (size_t i = 0; i < TOGETHER; i++)
            slope[i] = slope[i] * s + sum[i];
        for (size_t i = 0; i < some; i++)
            sum[i] = sum[i] * s + term[i];
    }
    for (size_t i = 0; i < some; i++) {
        slopes[from + i] = slope[i] * s + sum[i];
        sums[from + i] = sum[i] * s;
    }
}

// The same of all.
static void sum_up(const Taylor *taylor, double s, double *sums, double *slopes)
{
    const IntegratorProblem *problem = &taylor->problem;
    size_t width = problem->count + 1, i = 0;
    if (problem->sum && problem->sum(problem->context, taylor->usable, taylor->ty, s, sums, slopes))
        return;
    // With a number that the compiler knows the sums stay in registers.
    for (; i + TOGETHER <= width; i += TOGETHER)
        sum_up_some(taylor, s, i, TOGETHER, sums, slopes);
    if (i < width)
        sum_up_some(taylor, s, i, width - i, sums, slopes);
}

static void between(const void *self, double t, double *y, double *rate)
{
    const Taylor *taylor = self;
    sum_up(taylor, t - taylor->from, taylor->sums, taylor->slopes);
    for (size_t i = 0; i < taylor->problem.count; i++) {
        y[i] = taylor->ty[1 + i] + taylor->sums[1 + i];
        rate[i] = taylor->slopes[1 + i];
    }
}

// What the sum misses of being a solution at the end of the step, over the step, in units of what
// error is allowed: p + 1 times the first term left out, where the terms decrease as they should.
static double defect(const Taylor *taylor, double step)
{
    size_t count = taylor->problem.count;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double miss = fabs(taylor->rate[i] - taylor->slopes[1 + i]) * taylor->allowance[i];
        if (!(miss <= largest))
            largest = miss;
    }
    return largest * step;
}

// ---- Stepping.

static double roundings(double t, double count)
{
    return count * DBL_EPSILON * fabs(t);
}

// The state at the end of the step, with its rate; false where there is none.
static bool try_step(Taylor *taylor, double step, double t)
{
    const IntegratorProblem *problem = &taylor->problem;
    double *y = taylor->next + 1;
    double *increment = taylor->sums + 1;
    sum_up(taylor, step, taylor->sums, taylor->slopes);
    for (size_t i = 0; i < problem->count; i++) {
        increment[i] += taylor->lost[i];
        y[i] = taylor->now[1 + i] + increment[i];
    }
    taylor->next[0] = t;
    return (!problem->settle || problem->settle(problem->context, t, y)) &&
           problem->series(problem->context, 0, taylor->next, taylor->rate);
}

// Takes over what was tried; what rounding has cut off is added to the next increment.
static void accept(Taylor *taylor, double step)
{
    size_t count = taylor->problem.count;
    taylor->t_lost += step - (taylor->next[0] - taylor->now[0]);
    // A state that was settled is where it should be.
    for (size_t i = 0; i < count && !taylor->problem.settle; i++)
        taylor->lost[i] = taylor->sums[1 + i] - (taylor->next[1 + i] - taylor->now[1 + i]);
    memcpy(taylor->now, taylor->next, (count + 1) * sizeof(double));
    taylor->fresh = true;
    taylor->step = step;
    taylor->counts.steps++;
}

// Whether the defect says that the step is good enough; `former` is the one of a longer step, or
// infinite.
static bool is_small(Taylor *taylor, double miss, double step, double former, double former_step)
{
    double limit = (double)taylor->usable + 1;
    if (miss <= limit) {
        taylor->noise /= 2;
        return true;
    }
    if (miss / step <= taylor->noise)
        return true;
    bool stays = miss / step > former / former_step / NO_GAIN;
    if (stays && miss * taylor->problem.tolerance <= MOST_NOISE) {
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
        double at = step * (double)i / (double)parts, t = taylor->now[0] + at;
        if (at <= roundings(t, SHORT_STEP))
            continue;
        if (!try_step(taylor, at, t))
            return at;
        double miss = defect(taylor, at), limit = (double)taylor->usable + 1;
        if (!(miss <= fmax(limit, taylor->noise * at)))
            return at;
    }
    return INFINITY;
}

// In how many parts a step is looked at inside. The end of one onto a switch shows nothing; and a
// leap may pass over something, a force that acts for a while or somewhere, of which its series
// knew nothing yet.
static size_t parts_of(const Taylor *taylor, double step, bool lands)
{
    return step > LEAP * taylor->step ? LEAP_PARTS : lands ? 2 : 1;
}

// Tries shorter and shorter steps until one is good; returns how long it was, or 0 for none.
static double find_step(Taylor *taylor, double step, double until, bool *has_rate)
{
    const IntegratorProblem *problem = &taylor->problem;
    double t = taylor->now[0], left = until - t - taylor->t_lost;
    double former = INFINITY, former_step = INFINITY;
    double clear = problem->clear(problem->context, taylor->usable - 1, fmin(step, left));
    // A step that ends just beyond a switch: the rate there is not the one of its series.
    bool lands = clear < fmin(step, left);
    step = lands ? fmax(clear, roundings(t, LEAST_STEP)) : fmin(step, left);
    double flaw = first_flaw(taylor, step, parts_of(taylor, step, lands));
    lands = lands && isinf(flaw);
    step = fmin(step, flaw);
    *has_rate = true;
    for (bool whole = step >= left;; whole = lands = false) {
        if (whole)
            step = left;
        if (!whole && !lands && step <= roundings(t, SHORT_STEP))
            return 0;
        double ratio = SHRINK;
        *has_rate = try_step(taylor, step, whole ? until : t + (step + taylor->t_lost));
        if (*has_rate) {
            double miss = defect(taylor, step);
            if (lands || is_small(taylor, miss, step, former, former_step))
                return step;
            double wish = pow((double)(taylor->usable + 1) / miss, 1 / (double)taylor->usable);
            ratio = fmin(fmax(wish, LEAST_RATIO), MOST_RATIO);
            former = miss;
            former_step = step;
        }
        taylor->counts.rejected++;
        step *= ratio;
    }
}

static IntegratorOutcome advance(void *self, double until, double *t, double *y)
{
    Taylor *taylor = self;
    const IntegratorProblem *problem = &taylor->problem;
    double from = taylor->now[0];
    if (until - from <= roundings(until, 2)) {
        *t = taylor->now[0] = until;
        taylor->fresh = false;
        return INTEGRATOR_STEPPED;
    }
    problem->allowance(problem->context, taylor->now + 1, taylor->allowance);
    for (size_t i = 0; i < problem->count; i++)
        taylor->allowance[i] = 1 / taylor->allowance[i];
    if (!expand(taylor))
        return INTEGRATOR_RATE;
    bool has_rate;
    double step = find_step(taylor, reach(taylor), until, &has_rate);
    if (step == 0) {
        taylor->fresh = false;
        return has_rate ? INTEGRATOR_VANISHED : INTEGRATOR_RATE;
    }
    accept(taylor, step);
    *t = taylor->now[0];
    memcpy(y, taylor->now + 1, problem->count * sizeof *y);
    bool is_short = step <= roundings(from, SHORT_STEP) && *t < until;
    taylor->short_steps = is_short ? taylor->short_steps + 1 : 0;
    return taylor->short_steps >= SHORT_STEPS ? INTEGRATOR_VANISHED : INTEGRATOR_STEPPED;
}

const IntegratorMethod integrator_taylor = {.create = create,
                                            .destroy = destroy,
                                            .start = start,
                                            .step = advance,
                                            .between = between,
                                            .next_step = next_step,
                                            .counts = counts_of,
                                            .message = message_of};

// impact_path.c: velocities that jump where the inertia or the equations change with them.
//
// In a shock positions stay, and the motion under growing forces is a way through the velocities,
//
//     𝓜(v)·dv = dI − Σ g·dλ + Σ b(v)·dμ,   b(v)·dv = 0,
//
// along which the conditions are kept, since b = ∂f/∂q' (Appell 23 leaves his corrections out
// because they hold no accelerations; those of such conditions do). A given impulse acts in
// proportion, all of it together. Of conditions one is struck, f' > 0: its own direction stays, so
// that the way is the same for every law of force. It is compressed until f' = 0, and e² of the
// work of the compression, Σ f'·dλ, is given back: where nothing changes with the velocities that
// is f'⁺ = −e f'⁻. The others that touch stay closed. With several struck at once the end would
// depend on which of them gives way first.
#include "linalg/dense.h"
#include "ode/ode.h"
#include "simulate/impact_law_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The error of a whole way, of the velocities.
#define TOLERANCE 1e-13
// f' counts as 0 up to this part of the terms that it is a sum of.
#define STILL 1e-11
// A row may turn from a step to the next: its least cosine; and what is left of it.
#define TURNS    0.1
#define VANISHED 1e-9
// Of |g|², what counts as nothing where velocities can no longer be followed.
#define NOTHING_LEFT 1e-5
// So many blows one after the other, and then those without rebound.
#define MOST_BLOWS 100
#define MOST_LOOKS 60
// A way begins here, so that roundings of its parameter are not 0; and goes so far at most.
#define BEGIN 1.0
#define FAR   1e9

typedef struct {
    SystemMatrices *matrices;
    ContactSolver *gauss;
    const ContactSet *candidates; // those that touch, s of them
    size_t n, s, count;           // v | λ of each | work of the struck one | energy lost
    double *y, *y_at, *rate_at;
    // The blow at hand.
    const double *force; // n: what acts over a unit of the way
    ptrdiff_t struck;    // -1: an impulse
    double approach;     // f' that a unit of the way takes away; 0: it pushes by `force`,
    double push;         // which is so much of λ
    bool *closed;        // of each: it touches and f' = 0
    // Room for the question at a point of the way: the equations and the one that is struck.
    ARRAY(uint32_t) first;
    ARRAY(uint32_t) column;
    ARRAY(double) value;
    ContactSet sides; // those that are closed
    ARRAY(double) lambda;
    ARRAY(bool) acting;
    double *zeros, *drift, *mu, *a;
    double *own; // the inertia of each coordinate by itself
    // The rows at the last state that was kept, and how long each has been.
    double *former, *largest;
    bool has_former;
    double speed; // √(Σ 𝓜v²) of the whole
    JumpOutcome why;
    size_t why_row;
    ContactReport report; // of a point without an answer
} Along;

// ---- Making.

static double *numbers_for(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

static void along_init(Along *along, const ContactSet *candidates, SystemMatrices *matrices,
                       ContactSolver *gauss)
{
    size_t n = matrices->n, s = candidates->which.count;
    *along =
        (Along){.matrices = matrices, .gauss = gauss, .candidates = candidates, .n = n, .s = s};
    along->count = n + s + 2;
    along->y = numbers_for(along->count);
    along->y_at = numbers_for(along->count);
    along->rate_at = numbers_for(along->count);
    along->zeros = numbers_for(n + s);
    along->drift = numbers_for(matrices->ideal + 1);
    along->mu = numbers_for(matrices->ideal + 1);
    along->a = numbers_for(n);
    along->own = numbers_for(n);
    along->former = numbers_for(matrices->rows.first[matrices->m]);
    along->largest = numbers_for(matrices->m);
    along->closed = base_alloc((s + 1) * sizeof *along->closed);
    array_reserve(&along->lambda, s + 1);
    array_reserve(&along->acting, s + 1);
}

static void along_clear(Along *along)
{
    double *owned[] = {along->y,  along->y_at, along->rate_at, along->zeros,  along->drift,
                       along->mu, along->a,    along->own,     along->former, along->largest};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    base_free(along->closed);
    array_clear(&along->first);
    array_clear(&along->column);
    array_clear(&along->value);
    contact_set_clear(&along->sides);
    array_clear(&along->lambda);
    array_clear(&along->acting);
}

static void go_to(const Along *along, const double *v)
{
    memcpy(along->matrices->state->v, v, along->n * sizeof *v);
    matrices_evaluate(along->matrices);
}

// How large velocities are that matter, by the inertia of each coordinate.
static void measure(Along *along, const double *impulse)
{
    const SparseRows *inertia = &along->matrices->inertia;
    double most = 0, square = 0;
    for (size_t i = 0; i < along->n; i++)
        for (uint32_t at = inertia->first[i]; at < inertia->first[i + 1]; at++)
            if (inertia->column[at] == i)
                along->own[i] = fmax(inertia->value[at], 0);
    for (size_t i = 0; i < along->n; i++)
        most = fmax(most, along->own[i]);
    for (size_t i = 0; i < along->n; i++) {
        along->own[i] = along->own[i] > 0 ? along->own[i] : most > 0 ? most : 1;
        square += along->own[i] * along->y[i] * along->y[i];
        square += impulse ? impulse[i] * impulse[i] / along->own[i] : 0;
    }
    along->speed = sqrt(square);
}

// |g| of a condition that touches, in that measure.
static double length_of(const Along *along, size_t i)
{
    const ContactSet *candidates = along->candidates;
    double square = 0;
    for (uint32_t at = candidates->first.at[i]; at < candidates->first.at[i + 1]; at++)
        square += candidates->value.at[at] * candidates->value.at[at] /
                  along->own[candidates->column.at[at]];
    return sqrt(square);
}

// f' of one of them; *still is what counts as 0.
static double rate_of(const Along *along, size_t i, const double *v, double *still)
{
    double terms, partial_t = along->candidates->partial_t.at[i];
    double rate = contact_set_rate(along->candidates, i, v, partial_t, &terms);
    *still = STILL * (fabs(partial_t) + length_of(along, i) * along->speed);
    return rate;
}

// ---- A point of the way.

// The equations, and as the last of them the condition that is struck where it has to slow down.
static SparseRows equations(Along *along)
{
    const SparseRows *rows = &along->matrices->rows;
    const ContactSet *candidates = along->candidates;
    size_t count = along->matrices->ideal;
    along->first.count = along->column.count = along->value.count = 0;
    for (size_t i = 0; i <= count; i++)
        array_push(&along->first, rows->first[i]);
    for (uint32_t at = 0; at < rows->first[count]; at++) {
        array_push(&along->column, rows->column[at]);
        array_push(&along->value, rows->value[at]);
    }
    if (along->approach > 0) {
        size_t i = (size_t)along->struck;
        for (uint32_t at = candidates->first.at[i]; at < candidates->first.at[i + 1]; at++) {
            array_push(&along->column, candidates->column.at[at]);
            array_push(&along->value, candidates->value.at[at]);
        }
        array_push(&along->first, (uint32_t)along->column.count);
        along->drift[count++] = along->approach;
    }
    return (SparseRows){count, along->first.at, along->column.at, along->value.at};
}

static bool solve(Along *along)
{
    ContactProblem problem = contact_set_problem(&along->sides, along->matrices);
    problem.equations = equations(along);
    problem.equation_drift = along->drift;
    problem.directions = (SparseRows){0};
    problem.force = along->force;
    problem.unilateral_drift = along->zeros;
    memset(along->acting.at, 0, along->s * sizeof *along->acting.at);
    ContactAnswer answer = {.accelerations = along->a,
                            .multipliers = along->mu,
                            .lambda = along->lambda.at,
                            .acting = along->acting.at};
    ContactReport report = contact_accelerations(along->gauss, &problem, &answer);
    if (report.outcome != SOLVE_DONE) {
        bool fixed = report.outcome == SOLVE_CONTRADICTION && along->approach > 0;
        along->why = fixed ? JUMP_FIXED : JUMP_UNSOLVED;
        along->report = report;
    }
    return report.outcome == SOLVE_DONE;
}

// The rate of λ of the one that is struck.
static double own_push(const Along *along)
{
    return along->approach > 0 ? -along->mu[along->matrices->ideal] : along->push;
}

static bool rate(void *context, double t, const double *y, double *out)
{
    (void)t;
    Along *along = context;
    size_t n = along->n, s = along->s;
    if (!real_all_finite(y, along->count))
        return false;
    go_to(along, y);
    if (!solve(along))
        return false;
    memset(out, 0, along->count * sizeof *out);
    memcpy(out, along->a, n * sizeof *out);
    for (size_t i = 0, k = 0; i < s; i++) {
        bool own = along->struck == (ptrdiff_t)i;
        double still, push = own ? own_push(along) : along->closed[i] ? along->lambda.at[k++] : 0;
        double speed = rate_of(along, i, y, &still);
        out[n + i] = push;
        out[n + s] += own ? push * speed : 0;
        out[n + s + 1] += push * (speed - along->candidates->partial_t.at[i]);
    }
    return real_all_finite(out, along->count);
}

static void allowance(void *context, const double *y, double *out)
{
    (void)y;
    const Along *along = context;
    double speed = TOLERANCE * along->speed;
    for (size_t j = 0; j < along->n; j++)
        out[j] = speed / sqrt(along->own[j]);
    for (size_t i = 0; i < along->s; i++)
        out[along->n + i] = speed / length_of(along, i);
    out[along->n + along->s] = out[along->n + along->s + 1] = speed * along->speed;
}

// ---- Keeping to the conditions.

// The least change of the velocities that takes away what is left of b·v + c; at the end of a
// compression, of f' too.
static bool keep(Along *along, double *v, bool stopped)
{
    const SystemMatrices *matrices = along->matrices;
    size_t n = along->n, m = matrices->ideal;
    double *momentum = numbers_for(n + m + 1), *drift = momentum + n;
    bool nobody[1] = {false};
    go_to(along, v);
    matrices_add_momentum(matrices, v, momentum);
    memcpy(drift, matrices->c, m * sizeof *drift);
    ContactProblem problem = {.inertia = matrices->inertia,
                              .force = momentum,
                              .equations = matrices->rows,
                              .equation_drift = drift,
                              .unilateral = {.first = matrices->rows.first}};
    problem.equations.count = m;
    if (stopped) {
        problem.equations = equations(along);
        drift[m] = along->candidates->partial_t.at[along->struck];
    }
    ContactAnswer answer = {.accelerations = v, .acting = nobody};
    bool kept = contact_accelerations(along->gauss, &problem, &answer).outcome == SOLVE_DONE;
    base_free(momentum);
    return kept;
}

// Whether a row has vanished, or turned so far that it may have on the way.
static bool is_lost(Along *along, size_t row)
{
    const SparseRows *rows = &along->matrices->rows;
    double now = 0, before = 0, both = 0;
    for (uint32_t at = rows->first[row]; at < rows->first[row + 1]; at++) {
        double weight = along->own[rows->column[at]], x = rows->value[at], y = along->former[at];
        now += x * x / weight;
        before += y * y / weight;
        both += x * y / weight;
    }
    along->largest[row] = fmax(along->largest[row], sqrt(now));
    return !(sqrt(now) > VANISHED * along->largest[row]) ||
           (along->has_former && !(both > TURNS * sqrt(now * before)));
}

static bool settle(void *context, double t, double *y)
{
    (void)t;
    Along *along = context;
    const SystemMatrices *matrices = along->matrices;
    if (matrices->ideal > 0 && !keep(along, y, false))
        return false;
    go_to(along, y);
    for (size_t i = 0; i < matrices->ideal; i++)
        if (is_lost(along, i)) {
            along->why = JUMP_SINGULAR;
            along->why_row = i;
            return false;
        }
    memcpy(along->former, matrices->rows.value,
           matrices->rows.first[matrices->m] * sizeof *along->former);
    along->has_former = true;
    return true;
}

// ---- One way.

static void list_closed(Along *along)
{
    contact_set_begin(&along->sides);
    for (size_t i = 0; i < along->s; i++)
        if (along->closed[i])
            contact_set_copy(&along->sides, along->candidates, i);
}

// Who else touches and has f' = 0.
static void find_closed(Along *along)
{
    double still;
    for (size_t i = 0; i < along->s; i++)
        along->closed[i] = along->struck >= 0 && along->struck != (ptrdiff_t)i &&
                           fabs(rate_of(along, i, along->y, &still)) <= still;
    list_closed(along);
}

// What must not become positive: the work that is left, or f' of one that is open.
static double level(const Along *along, ptrdiff_t who, double left, const double *y)
{
    double still;
    return who < 0 ? left + y[along->n + along->s] : rate_of(along, (size_t)who, y, &still);
}

// Its rate there.
static double slope(const Along *along, ptrdiff_t who, const double *rates)
{
    double terms;
    return who < 0 ? rates[along->n + along->s]
                   : contact_set_rate(along->candidates, (size_t)who, rates, 0, &terms);
}

// Where it was 0 within the last step, from `from` to `to`, by Newton's steps or halving; y_at is
// the state there.
static double locate(Along *along, OdeIntegrator *integrator, ptrdiff_t who, double left,
                     double from, double to)
{
    int sign = who < 0 ? -1 : 1;
    double t = from + (to - from) / 2;
    for (size_t i = 0; i < MOST_LOOKS; i++) {
        ode_integrator_interpolate(integrator, t, along->y_at, along->rate_at);
        double now = level(along, who, left, along->y_at);
        if (sign * now > 0)
            to = t;
        else
            from = t;
        double next = t - now / slope(along, who, along->rate_at);
        if (!(next > from && next < to))
            next = from + (to - from) / 2;
        if (fabs(next - t) <= DBL_EPSILON * t)
            break;
        t = next;
    }
    return t;
}

// Those of the closed ones that have opened at the end of a step.
static bool see_opened(Along *along)
{
    bool any = false;
    for (size_t i = 0; i < along->s; i++) {
        double still;
        if (!along->closed[i] || rate_of(along, i, along->y, &still) >= -still)
            continue;
        along->closed[i] = false;
        any = true;
    }
    return any;
}

// The first of the open ones that is closed within a step; y and t are then there.
static bool see_closed(Along *along, OdeIntegrator *integrator, double from, double *t)
{
    ptrdiff_t first = -1;
    double when = *t;
    for (size_t i = 0; i < along->s && along->struck >= 0; i++) {
        double still;
        if (along->struck == (ptrdiff_t)i || along->closed[i] ||
            rate_of(along, i, along->y, &still) <= still)
            continue;
        double own = locate(along, integrator, (ptrdiff_t)i, 0, from, *t);
        first = own < when || first < 0 ? (ptrdiff_t)i : first;
        when = fmin(when, own);
    }
    if (first < 0)
        return false;
    ode_integrator_interpolate(integrator, when, along->y, along->rate_at);
    along->closed[first] = true;
    *t = when;
    return true;
}

// From y along the way to `until`, or, where `left` is not negative, until so much work is given
// back. y is then the end.
static bool follow(Along *along, OdeIntegrator *integrator, double until, double left)
{
    double t = BEGIN;
    bool whole = false;
    find_closed(along);
    along->has_former = false;
    if (!settle(along, t, along->y) || !ode_integrator_start(integrator, t, along->y, 0))
        return false;
    while (!whole && t < until) {
        double from = t;
        if (ode_integrator_step(integrator, until, &t, along->y) != ODE_STEPPED)
            return false;
        // What failed on trial was not in the way.
        along->why = JUMP_SOLVED;
        whole = left >= 0 && level(along, -1, left, along->y) < 0;
        if (whole) {
            t = locate(along, integrator, -1, left, from, t);
            memcpy(along->y, along->y_at, along->count * sizeof *along->y);
        }
        bool closed = see_closed(along, integrator, from, &t);
        bool opened = see_opened(along);
        whole = whole && !closed;
        if (whole || !(closed || opened))
            continue;
        list_closed(along);
        if (!settle(along, t, along->y) || !ode_integrator_start(integrator, t, along->y, 0))
            return false;
    }
    return settle(along, t, along->y);
}

static bool go(Along *along, double until, double left)
{
    OdeProblem problem = {.count = along->count,
                          .tolerance = TOLERANCE,
                          .max_step = until < FAR ? until - BEGIN : FAR,
                          .context = along,
                          .rate = rate,
                          .project = settle,
                          .error_scale = allowance};
    OdeIntegrator *integrator = ode_integrator_new(ODE_ERK, &problem);
    bool gone = integrator && follow(along, integrator, until, left);
    ode_integrator_free(integrator);
    return gone;
}

// ---- Blows.

static bool be_struck(Along *along, size_t who, double approach, double e)
{
    size_t n = along->n, s = along->s;
    const ContactSet *candidates = along->candidates;
    double before = along->y[n + who];
    along->struck = (ptrdiff_t)who;
    along->approach = approach;
    along->force = along->zeros;
    along->y[n + s] = 0;
    if (!go(along, BEGIN + 1, -1) || !keep(along, along->y, true))
        return false;
    double work = along->y[n + s], push = along->y[n + who] - before;
    if (!(e > 0 && work > 0))
        return true;
    double *force = numbers_for(n), share = e * e * work;
    for (uint32_t at = candidates->first.at[who]; at < candidates->first.at[who + 1]; at++)
        force[candidates->column.at[at]] = -push * candidates->value.at[at];
    along->push = push;
    along->approach = 0;
    along->force = force;
    along->y[n + s] = 0;
    bool gone = go(along, FAR, share);
    base_free(force);
    return gone;
}

// Blows until nobody is struck any more. False, with the reason, where there is no end.
static bool strike(Along *along, JumpReport *report)
{
    const MotionRow *sides = along->matrices->eq->motion->sides;
    for (;;) {
        ptrdiff_t who = -1;
        double approach = 0;
        for (size_t i = 0; i < along->s; i++) {
            double still, now = rate_of(along, i, along->y, &still);
            if (!(now > still))
                continue;
            const ModelConstraint *own = sides[along->candidates->which.at[i]].constraint;
            if (who >= 0) {
                report->other = own;
                along->why = JUMP_TOGETHER;
                return false;
            }
            report->struck = own;
            who = (ptrdiff_t)i;
            approach = now;
        }
        if (who < 0)
            return true;
        report->shock.ended = report->shock.passes < MOST_BLOWS;
        double e = report->shock.ended ? along->candidates->restitution.at[who] : 0;
        if (!be_struck(along, (size_t)who, approach, e))
            return false;
        report->shock.passes++;
        report->shock.energy_lost = along->y[along->n + along->s + 1];
    }
}

// Whether a compression went as far as it can: what the equations leave of g is as good as nothing
// where it ended, so that no push makes f' less.
static bool is_fixed(Along *along)
{
    if (along->why != JUMP_SOLVED || !(along->approach > 0) ||
        !rate(along, BEGIN, along->y, along->rate_at))
        return false;
    size_t who = (size_t)along->struck;
    double length = length_of(along, who), push = along->rate_at[along->n + who];
    return along->approach <= NOTHING_LEFT * push * length * length;
}

// The first condition that changes with the velocities; NULL where it is the inertia.
static const ModelConstraint *bent_condition(const Along *along)
{
    const SystemMatrices *matrices = along->matrices;
    for (size_t i = 0; i < matrices->ideal; i++)
        if (matrices->bent_rows[i])
            return matrices_condition(matrices, i);
    return NULL;
}

static void keep_answer(const Along *along, const ImpactAnswer *answer, JumpReport *report)
{
    size_t n = along->n;
    if (answer->velocities)
        memcpy(answer->velocities, along->y, n * sizeof *along->y);
    for (size_t i = 0; i < along->s; i++) {
        double still, now = rate_of(along, i, along->y, &still);
        double push = fmax(along->y[n + i], 0);
        report->shock.contact.acting += push > 0;
        if (answer->lambda)
            answer->lambda[i] = push;
        if (answer->rates_after)
            answer->rates_after[i] = fabs(now) <= still ? 0 : now;
    }
}

static void see_before(const Along *along, const ImpactAnswer *answer)
{
    for (size_t i = 0; i < along->s && answer->rates_before; i++) {
        double still, now = rate_of(along, i, along->y, &still);
        answer->rates_before[i] = fabs(now) <= still ? 0 : now;
    }
}

JumpReport contact_set_jump_path(const ContactSet *candidates, SystemMatrices *matrices,
                                 ContactSolver *gauss, const double *velocities,
                                 const double *impulse, const ImpactAnswer *answer)
{
    Along along;
    JumpReport report = {
        .shock = {.contact = {.outcome = SOLVE_DONE, .unique = true}, .ended = true}};
    along_init(&along, candidates, matrices, gauss);
    memcpy(along.y, velocities, along.n * sizeof *velocities);
    go_to(&along, velocities);
    measure(&along, impulse);
    see_before(&along, answer);
    along.struck = -1;
    along.force = impulse;
    bool gone = (!impulse || go(&along, BEGIN + 1, -1)) && strike(&along, &report);
    if (gone) {
        keep_answer(&along, answer, &report);
    } else {
        along.why = is_fixed(&along) ? JUMP_FIXED : along.why;
        report.outcome = along.why == JUMP_SOLVED ? JUMP_LOST : along.why;
        report.condition = along.why == JUMP_SINGULAR ? matrices_condition(matrices, along.why_row)
                                                      : bent_condition(&along);
        if (along.why == JUMP_UNSOLVED)
            report.shock.contact = along.report;
    }
    along_clear(&along);
    go_to(&(Along){.matrices = matrices, .n = matrices->n}, velocities);
    return report;
}

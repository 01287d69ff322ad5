// impact_path.c: impacts where the inertia or the equations change with the velocities.
//
// In an impact positions stay, and the motion under growing forces is a path through the
// velocities,
//
//     𝓜(v)·dv = dI − Σ g·dλ + Σ b(v)·dμ,   b(v)·dv = 0,
//
// along which the conditions are kept, since b = ∂f/∂q' (Appell 23 leaves his corrections out
// because they hold no accelerations; those of such conditions do). A given impulse acts in
// proportion, all of it together. Of conditions one is struck, f' > 0: its own direction stays, so
// that the path is the same for every law of force. It is compressed until f' = 0, and e² of the
// work of the compression, Σ f'·dλ, is given back: where nothing changes with the velocities that
// is f'⁺ = −e f'⁻. The others that touch stay closed. With several struck at once the end would
// depend on which of them gives way first.
#include "dynamics/system_matrices.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "ode/interpolant.h"
#include "ode/ode.h"
#include "simulate/impact_law_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Why a path has no end.
typedef enum {
    PATH_FOUND,
    PATH_UNSOLVED, // the report of the contact problem says why
    PATH_TOGETHER, // several are struck where the order matters
    PATH_SINGULAR, // ∂f/∂q' of a condition vanishes on the path
    PATH_FIXED,    // no velocities that the equations allow are slower
    PATH_LOST      // the velocities change without bound on the path
} PathOutcome;

// A path begins here, so that roundings of its parameter are not 0.
#define BEGIN 1.0

typedef struct {
    const JumpProblem *problem;
    SystemMatrices *matrices;
    const ContactSet *touching;
    size_t n, s, count; // y: v | λ of each that touches, s | work of the struck one | energy lost
    Arena *arena;
    double *y, *y_at, *rate_at;
    // The part of the path at hand.
    const double *force; // n: what acts over a unit of the path
    ptrdiff_t struck;    // -1: an impulse
    double approach;     // f' that a unit of the path takes away; 0: it pushes by `force`,
    double push;         // which is so much of λ
    bool *closed;        // of each: it touches and f' = 0
    // At a point of the path: the equations, the struck condition as the last of them where it has
    // to slow down, and the conditions that are closed.
    ContactSet equations, sides;
    double *zeros, *mu, *a, *lambda;
    bool *acting;
    double *own; // the inertia of each coordinate by itself
    // The rows at the last state that was kept, and how long each has been.
    double *former, *largest;
    bool has_former;
    double speed; // √(Σ 𝓜v²) of the whole
    PathOutcome why;
    size_t why_row;
    ContactReport report; // of a point without a solution
} ImpactPath;

static void path_init(ImpactPath *path, const JumpProblem *problem)
{
    SystemMatrices *matrices = problem->matrices;
    size_t n = matrices->n, s = problem->touching->which.count, count = n + s + 2;
    Arena *arena = arena_new();
    *path =
        (ImpactPath){.problem = problem,
                     .matrices = matrices,
                     .touching = problem->touching,
                     .n = n,
                     .s = s,
                     .count = count,
                     .arena = arena,
                     .struck = -1,
                     .y = arena_array(arena, double, count),
                     .y_at = arena_array(arena, double, count),
                     .rate_at = arena_array(arena, double, count),
                     .closed = arena_array(arena, bool, s + 1),
                     .zeros = arena_array(arena, double, n + s + 1),
                     .mu = arena_array(arena, double, matrices->ideal + 1),
                     .a = arena_array(arena, double, n),
                     .lambda = arena_array(arena, double, s + 1),
                     .acting = arena_array(arena, bool, s + 1),
                     .own = arena_array(arena, double, n),
                     .former = arena_array(arena, double, matrices->rows.first[matrices->m] + 1),
                     .largest = arena_array(arena, double, matrices->m + 1)};
}

static void path_clear(ImpactPath *path)
{
    contact_set_clear(&path->equations);
    contact_set_clear(&path->sides);
    arena_free(path->arena);
}

static void evaluate_at(SystemMatrices *matrices, const double *v)
{
    memcpy(matrices->state->v, v, matrices->n * sizeof *v);
    matrices_evaluate(matrices);
}

// ---- How large things are.

// How large velocities are that matter, by the inertia of each coordinate.
static void measure(ImpactPath *path)
{
    const SparseRows *inertia = &path->matrices->inertia;
    const double *impulse = path->problem->impulse;
    double most = 0, square = 0;
    for (size_t i = 0; i < path->n; i++)
        for (uint32_t at = inertia->first[i]; at < inertia->first[i + 1]; at++)
            if (inertia->column[at] == i)
                path->own[i] = fmax(inertia->value[at], 0);
    for (size_t i = 0; i < path->n; i++)
        most = fmax(most, path->own[i]);
    for (size_t i = 0; i < path->n; i++) {
        path->own[i] = path->own[i] > 0 ? path->own[i] : most > 0 ? most : 1;
        square += path->own[i] * path->y[i] * path->y[i];
        square += impulse ? impulse[i] * impulse[i] / path->own[i] : 0;
    }
    path->speed = sqrt(square);
}

// |g| of a condition that touches, in that measure.
static double length_of(const ImpactPath *path, size_t i)
{
    SparseRows rows = contact_set_rows(path->touching);
    double square = 0;
    for (uint32_t at = rows.first[i]; at < rows.first[i + 1]; at++)
        square += rows.value[at] * rows.value[at] / path->own[rows.column[at]];
    return sqrt(square);
}

// f' of one of them; *still is what counts as 0.
static double rate_of(const ImpactPath *path, size_t i, const double *v, double *still)
{
    double terms, partial_t = path->touching->partial_t.at[i];
    *still = TOL_ZERO * (fabs(partial_t) + length_of(path, i) * path->speed);
    return contact_set_rate(path->touching, i, v, partial_t, &terms);
}

static double clean_rate(const ImpactPath *path, size_t i)
{
    double still, rate = rate_of(path, i, path->y, &still);
    return fabs(rate) <= still ? 0 : rate;
}

// ---- A point of the path.

static void list_equations(ImpactPath *path, bool with_struck, double drift)
{
    contact_set_begin(&path->equations);
    for (size_t i = 0; i < path->matrices->ideal; i++)
        contact_set_add_row(&path->equations, &path->matrices->rows, i, 0);
    if (!with_struck)
        return;
    contact_set_copy(&path->equations, path->touching, (size_t)path->struck);
    path->equations.partial_t.at[path->matrices->ideal] = drift;
}

static bool solve(ImpactPath *path)
{
    list_equations(path, path->approach > 0, path->approach);
    ContactProblem problem = contact_set_problem(&path->sides, path->matrices);
    problem.equations = contact_set_rows(&path->equations);
    problem.equation_drift = path->equations.partial_t.at;
    problem.directions = (SparseRows){0};
    problem.force = path->force;
    problem.unilateral_drift = path->zeros;
    memset(path->acting, 0, path->s * sizeof *path->acting);
    ContactAnswer answer = {.accelerations = path->a,
                            .multipliers = path->mu,
                            .lambda = path->lambda,
                            .acting = path->acting};
    path->report = contact_accelerations(path->problem->solver, &problem, &answer);
    if (path->report.outcome == SOLVE_DONE)
        return true;
    bool fixed = path->report.outcome == SOLVE_CONTRADICTION && path->approach > 0;
    path->why = fixed ? PATH_FIXED : PATH_UNSOLVED;
    return false;
}

static bool rate(void *context, double t, const double *y, double *out)
{
    (void)t;
    ImpactPath *path = context;
    size_t n = path->n, s = path->s;
    if (!real_all_finite(y, path->count))
        return false;
    evaluate_at(path->matrices, y);
    if (!solve(path))
        return false;
    memset(out, 0, path->count * sizeof *out);
    memcpy(out, path->a, n * sizeof *out);
    double own_push = path->approach > 0 ? -path->mu[path->matrices->ideal] : path->push;
    for (size_t i = 0, k = 0; i < s; i++) {
        bool own = path->struck == (ptrdiff_t)i;
        double still, push = own ? own_push : path->closed[i] ? path->lambda[k++] : 0;
        double speed = rate_of(path, i, y, &still);
        out[n + i] = push;
        out[n + s] += own ? push * speed : 0;
        out[n + s + 1] += push * (speed - path->touching->partial_t.at[i]);
    }
    return real_all_finite(out, path->count);
}

static void error_scale(void *context, const double *y, double *out)
{
    (void)y;
    const ImpactPath *path = context;
    double speed = TOL_ROUNDING * path->speed;
    for (size_t j = 0; j < path->n; j++)
        out[j] = speed / sqrt(path->own[j]);
    for (size_t i = 0; i < path->s; i++)
        out[path->n + i] = speed / length_of(path, i);
    out[path->n + path->s] = out[path->n + path->s + 1] = speed * path->speed;
}

// ---- Projection onto the conditions.

// The least change of the velocities that takes away what is left of b·v + c; at the end of a
// compression, of f' too.
static bool project_velocities(ImpactPath *path, double *v, bool stopped)
{
    const SystemMatrices *matrices = path->matrices;
    double *momentum = path->a;
    evaluate_at(path->matrices, v);
    memset(momentum, 0, path->n * sizeof *momentum);
    matrices_add_momentum(matrices, v, momentum);
    double drift = stopped ? path->touching->partial_t.at[path->struck] : 0;
    list_equations(path, stopped, drift);
    memcpy(path->equations.partial_t.at, matrices->c, matrices->ideal * sizeof *matrices->c);
    SparseRows rows = contact_set_rows(&path->equations);
    return contact_set_project(&rows, path->equations.partial_t.at, matrices, path->problem->solver,
                               momentum, v)
               .outcome == SOLVE_DONE;
}

// Whether a row has vanished, or turned so far that it may have on the path.
static bool is_lost(ImpactPath *path, size_t row)
{
    const SparseRows *rows = &path->matrices->rows;
    double now = 0, before = 0, both = 0;
    for (uint32_t at = rows->first[row]; at < rows->first[row + 1]; at++) {
        double weight = path->own[rows->column[at]], x = rows->value[at], y = path->former[at];
        now += x * x / weight;
        before += y * y / weight;
        both += x * y / weight;
    }
    path->largest[row] = fmax(path->largest[row], sqrt(now));
    return !(sqrt(now) > TOL_RANK * path->largest[row]) ||
           (path->has_former && !(both > TOL_POOR * sqrt(now * before)));
}

static bool project(void *context, double t, double *y)
{
    (void)t;
    ImpactPath *path = context;
    const SystemMatrices *matrices = path->matrices;
    if (matrices->ideal > 0 && !project_velocities(path, y, false))
        return false;
    evaluate_at(path->matrices, y);
    for (size_t i = 0; i < matrices->ideal; i++)
        if (is_lost(path, i)) {
            path->why = PATH_SINGULAR;
            path->why_row = i;
            return false;
        }
    memcpy(path->former, matrices->rows.value,
           matrices->rows.first[matrices->m] * sizeof *path->former);
    path->has_former = true;
    return true;
}

// ---- One part of the path.

static void list_closed(ImpactPath *path)
{
    contact_set_begin(&path->sides);
    for (size_t i = 0; i < path->s; i++)
        if (path->closed[i])
            contact_set_copy(&path->sides, path->touching, i);
}

// Who else touches and has f' = 0.
static void find_closed(ImpactPath *path)
{
    for (size_t i = 0; i < path->s; i++)
        path->closed[i] =
            path->struck >= 0 && path->struck != (ptrdiff_t)i && clean_rate(path, i) == 0;
    list_closed(path);
}

// Of the state at a time inside the last step: the work that is left, or f' of one that is open.
static double level(const ImpactPath *path, ptrdiff_t who, double left, const double *y)
{
    double still;
    return who < 0 ? left + y[path->n + path->s] : rate_of(path, (size_t)who, y, &still);
}

// Where that was 0 first within the last step.
static double locate(ImpactPath *path, OdeIntegrator *integrator, ptrdiff_t who, double left,
                     double from, double to)
{
    OdeInterpolantBasis basis;
    double samples[ODE_INTERPOLANT_SAMPLES];
    ode_interpolant_basis_init(&basis);
    for (size_t i = 0; i < ODE_INTERPOLANT_SAMPLES; i++) {
        double t = from + basis.at[i] * (to - from);
        ode_integrator_interpolate(integrator, t, path->y_at, path->rate_at);
        samples[i] = level(path, who, left, path->y_at);
    }
    OdeInterpolant fit = ode_interpolant_fit(&basis, from, to - from, samples, 0);
    return fmin(ode_interpolant_first_crossing(&fit, from, 0, who < 0 ? -1 : 1), to);
}

// Those of the closed ones that have opened at the end of a step.
static bool see_opened(ImpactPath *path)
{
    bool any = false;
    for (size_t i = 0; i < path->s; i++)
        if (path->closed[i] && clean_rate(path, i) < 0) {
            path->closed[i] = false;
            any = true;
        }
    return any;
}

// The first of the open ones that is closed within a step; y and t are then there.
static bool see_closed(ImpactPath *path, OdeIntegrator *integrator, double from, double *t)
{
    ptrdiff_t first = -1;
    double when = *t;
    for (size_t i = 0; i < path->s && path->struck >= 0; i++) {
        if (path->struck == (ptrdiff_t)i || path->closed[i] || clean_rate(path, i) <= 0)
            continue;
        double own = locate(path, integrator, (ptrdiff_t)i, 0, from, *t);
        first = own < when || first < 0 ? (ptrdiff_t)i : first;
        when = fmin(when, own);
    }
    if (first < 0)
        return false;
    ode_integrator_interpolate(integrator, when, path->y, path->rate_at);
    path->closed[first] = true;
    *t = when;
    return true;
}

// From y along the path to `until`, or, where `left` is not negative, until so much work is given
// back. y is then the end.
static bool follow_steps(ImpactPath *path, OdeIntegrator *integrator, double until, double left)
{
    double t = BEGIN;
    bool whole = false;
    find_closed(path);
    path->has_former = false;
    if (!project(path, t, path->y) || !ode_integrator_start(integrator, t, path->y, 0))
        return false;
    while (!whole && t < until) {
        double from = t;
        if (ode_integrator_step(integrator, until, &t, path->y) != ODE_STEPPED)
            return false;
        // What failed on trial was not on the path.
        path->why = PATH_FOUND;
        whole = left >= 0 && level(path, -1, left, path->y) < 0;
        if (whole) {
            t = locate(path, integrator, -1, left, from, t);
            ode_integrator_interpolate(integrator, t, path->y, path->rate_at);
        }
        bool closed = see_closed(path, integrator, from, &t);
        bool opened = see_opened(path);
        whole = whole && !closed;
        if (whole || !(closed || opened))
            continue;
        list_closed(path);
        if (!project(path, t, path->y) || !ode_integrator_start(integrator, t, path->y, 0))
            return false;
    }
    return project(path, t, path->y);
}

static bool follow(ImpactPath *path, double until, double left)
{
    OdeProblem problem = {.count = path->count,
                          .tolerance = TOL_ROUNDING,
                          .max_step = until - BEGIN,
                          .context = path,
                          .rate = rate,
                          .project = project,
                          .error_scale = error_scale};
    OdeIntegrator *integrator = ode_integrator_new(ODE_ERK, &problem);
    bool followed = integrator && follow_steps(path, integrator, until, left);
    ode_integrator_free(integrator);
    return followed;
}

// ---- Impacts one after the other.

// Compression of one condition, and what it gives back.
static bool strike_one(ImpactPath *path, size_t who, double approach, double e)
{
    size_t n = path->n, s = path->s;
    const ContactSet *touching = path->touching;
    double before = path->y[n + who];
    path->struck = (ptrdiff_t)who;
    path->approach = approach;
    path->force = path->zeros;
    path->y[n + s] = 0;
    if (!follow(path, BEGIN + 1, -1) || !project_velocities(path, path->y, true))
        return false;
    double work = path->y[n + s], push = path->y[n + who] - before;
    if (!(e > 0 && work > 0))
        return true;
    double *force = arena_array(path->arena, double, n);
    SparseRows rows = contact_set_rows(touching);
    sparse_row_add(&rows, who, -push, force);
    path->push = push;
    path->approach = 0;
    path->force = force;
    path->y[n + s] = 0;
    return follow(path, BEGIN / TOL_CONDITION, e * e * work);
}

// Impacts until none is struck any more. False, with the reason, where there is no end.
static bool strike(ImpactPath *path, VelocityJump *jump)
{
    const MotionRow *sides = path->matrices->eq->motion->sides;
    for (;;) {
        ptrdiff_t who = -1;
        double approach = 0;
        for (size_t i = 0; i < path->s; i++) {
            double now = clean_rate(path, i);
            if (!(now > 0))
                continue;
            const ModelConstraint *own = sides[path->touching->which.at[i]].constraint;
            if (who >= 0) {
                jump->other = own;
                path->why = PATH_TOGETHER;
                return false;
            }
            jump->struck = own;
            who = (ptrdiff_t)i;
            approach = now;
        }
        if (who < 0)
            return true;
        // The last ones are without rebound.
        jump->impact.ended = jump->impact.passes < LIMIT_STEPS;
        double e = jump->impact.ended ? path->touching->restitution.at[who] : 0;
        if (!strike_one(path, (size_t)who, approach, e))
            return false;
        jump->impact.passes++;
        jump->impact.energy_lost = path->y[path->n + path->s + 1];
    }
}

// Whether a compression went as far as it can: what the equations leave of g is as good as nothing
// where it ended, so that no push makes f' less.
static bool is_fixed(ImpactPath *path)
{
    if (path->why != PATH_FOUND || !(path->approach > 0) ||
        !rate(path, BEGIN, path->y, path->rate_at))
        return false;
    size_t who = (size_t)path->struck;
    double length = length_of(path, who), push = path->rate_at[path->n + who];
    return path->approach <= TOL_SMALL * push * length * length;
}

// The first condition that changes with the velocities; NULL where it is the inertia.
static const ModelConstraint *bent_condition(const SystemMatrices *matrices)
{
    for (size_t i = 0; i < matrices->ideal; i++)
        if (matrices->bent_rows[i])
            return matrices_condition(matrices, i);
    return NULL;
}

static void keep_answer(const ImpactPath *path, VelocityJump *jump)
{
    const ImpactAnswer *answer = &path->problem->answer;
    memcpy(answer->velocities, path->y, path->n * sizeof *path->y);
    for (size_t i = 0; i < path->s; i++) {
        answer->lambda[i] = fmax(path->y[path->n + i], 0);
        jump->impact.contact.acting += answer->lambda[i] > 0;
        if (answer->rates_after)
            answer->rates_after[i] = clean_rate(path, i);
    }
}

static void fail(ImpactPath *path, VelocityJump *jump)
{
    path->why = is_fixed(path) ? PATH_FIXED : path->why;
    path->why = path->why == PATH_FOUND ? PATH_LOST : path->why;
    jump->solved = false;
    jump->why = (int)path->why;
    if (path->why == PATH_UNSOLVED) {
        jump->impact.contact = path->report;
        return;
    }
    jump->module = &impact_nonlinear;
    jump->condition = path->why == PATH_SINGULAR ? matrices_condition(path->matrices, path->why_row)
                                                 : bent_condition(path->matrices);
}

static void follow_path(const JumpProblem *problem, VelocityJump *jump)
{
    ImpactPath path;
    const ImpactAnswer *answer = &problem->answer;
    *jump = (VelocityJump){
        .solved = true,
        .impact = {.contact = {.outcome = SOLVE_DONE, .unique = true}, .ended = true}};
    path_init(&path, problem);
    memcpy(path.y, problem->velocities, path.n * sizeof *path.y);
    evaluate_at(path.matrices, path.y);
    measure(&path);
    for (size_t i = 0; i < path.s && answer->rates_before; i++)
        answer->rates_before[i] = clean_rate(&path, i);
    path.force = problem->impulse;
    if ((!problem->impulse || follow(&path, BEGIN + 1, -1)) && strike(&path, jump))
        keep_answer(&path, jump);
    else
        fail(&path, jump);
    path_clear(&path);
    evaluate_at(problem->matrices, problem->velocities);
}

// ---- The module.

static bool applies(const SystemMatrices *matrices)
{
    return matrices->bent;
}

static bool are_same(const double *now, const double *before, size_t count)
{
    double most = 0, off = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(before[i]));
        off = fmax(off, fabs(now[i] - before[i]));
    }
    return off <= TOL_ZERO * most;
}

// Whether rows and inertia are the same from the velocities before to those after.
static bool is_straight(const JumpProblem *problem)
{
    static const double parts[] = {0.2, 0.4, 0.6, 0.8, 1};
    SystemMatrices *matrices = problem->matrices;
    const double *before = problem->velocities, *after = problem->answer.velocities;
    size_t n = matrices->n, inertia = matrices->inertia.first[n],
           rows = matrices->rows.first[matrices->ideal];
    double *former = base_alloc((inertia + rows + n + 1) * sizeof *former);
    double *v = former + inertia + rows;
    memcpy(former, matrices->inertia.value, inertia * sizeof *former);
    memcpy(former + inertia, matrices->rows.value, rows * sizeof *former);
    bool same = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && same; i++) {
        for (size_t j = 0; j < n; j++)
            v[j] = before[j] + parts[i] * (after[j] - before[j]);
        evaluate_at(matrices, v);
        same = are_same(matrices->inertia.value, former, inertia) &&
               are_same(matrices->rows.value, former + inertia, rows);
    }
    evaluate_at(matrices, before);
    base_free(former);
    return same;
}

static void revise(const JumpProblem *problem, VelocityJump *jump)
{
    assert(problem->matrices->bent);
    if (!(jump->solved && is_straight(problem)))
        follow_path(problem, jump);
}

static void add_reason(const VelocityJump *jump, Text *text)
{
    const char *name = jump->condition ? jump->condition->name : "";
    switch ((PathOutcome)jump->why) {
    case PATH_TOGETHER:
        text_addf(text, "'%s' and '%s' are struck at once, and ", jump->struck->name,
                  jump->other->name);
        if (jump->condition)
            text_addf(text, "with '%s', which is not linear in the velocities,", name);
        else
            text_add(text, "where the inertia changes with the velocities");
        text_add(text, " it matters which of them gives way first");
        return;
    case PATH_SINGULAR:
        impact_add_cause(jump, text);
        text_addf(text,
                  " leads to where the derivatives of '%s' by the velocities vanish, so that it "
                  "no longer says how these may change",
                  name);
        return;
    case PATH_FIXED:
        text_addf(text, "nothing stops what strikes '%s': ", jump->struck->name);
        if (jump->condition)
            text_addf(text, "'%s' allows", name);
        else
            text_add(text, "the others that touch allow");
        text_add(text, " no velocities near these that are slower");
        return;
    case PATH_FOUND:
    case PATH_UNSOLVED:
    case PATH_LOST: break;
    }
    impact_add_cause(jump, text);
    text_add(text, " cannot be followed: the velocities change without bound on the way");
}

const ImpactModule impact_nonlinear = {applies, revise, add_reason};

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
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "ode/ode.h"
#include "ode/problem.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_event_parts_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Why a path has no end.
typedef enum {
    PATH_LOST,     // the velocities change without bound on the path
    PATH_UNSOLVED, // the report of the contact problem says why
    PATH_TOGETHER, // several are struck where the order matters
    PATH_SINGULAR, // ∂f/∂q' of a condition vanishes on the path
    PATH_FIXED     // no velocities that the equations allow are slower
} PathOutcome;

typedef struct {
    ContactEvent *event; // `kept` are closed, f' = 0; `own` is the inertia that measures
    VelocityJump *jump;  // of the event
    PathOutcome why;     // there is no end
    const ModelConstraint *hit, *other; // who is struck, and who else; NULL for an impulse
    const ModelConstraint *condition;   // that is singular; NULL for none
    const double *impulse;              // NULL for none
    const SystemMatrices *matrices;
    OdeIntegrator *integrator;
    size_t n, s, count; // y: v | λ of each that touches, s | work of the struck one | energy lost
    double *y, *y_at, *rate_at;
    // The part of the path at hand.
    double *force;    // n: what acts over a unit of the path
    ptrdiff_t struck; // -1: an impulse
    double push;      // λ of the struck one over a unit of the path
    double left;      // of its work to be given back; NAN: it is compressed
    double *zeros;
    // The rows at the last state that was kept, all 0 where there is none; how long each has been.
    double *former, *largest;
    double speed; // √(Σ 𝓜v²) of the whole
} ImpactPath;

static bool fail(ImpactPath *path, PathOutcome why)
{
    path->why = why;
    return false;
}

// ---- How large things are.

// How large velocities are that matter, by the inertia of each coordinate.
static void measure(ImpactPath *path)
{
    double *own = path->event->own, square = 0;
    event_find_inertia(path->event);
    double most = real_largest(own, path->n);
    for (size_t i = 0; i < path->n; i++) {
        own[i] = own[i] > 0 ? own[i] : most > 0 ? most : 1;
        square += own[i] * path->y[i] * path->y[i];
        square += path->impulse ? path->impulse[i] * path->impulse[i] / own[i] : 0;
    }
    path->speed = sqrt(square);
}

// |g| of a condition that touches, in that measure.
static double length_of(const ImpactPath *path, size_t i)
{
    return sqrt(event_phi(path->event, i));
}

// f' of one of them at y, 0 where it counts as 0.
static double clean_rate(const ImpactPath *path, size_t i)
{
    const ContactSet *touching = &path->event->touching;
    double rate = contact_set_rate(touching, i, path->y, NULL);
    double size = fabs(touching->partial_t.at[i]) + length_of(path, i) * path->speed;
    return fabs(rate) <= TOL_ZERO * size ? 0 : rate;
}

// ---- A point of the path.

static bool rate(void *context, double t, const double *y, double *out)
{
    (void)t;
    ImpactPath *path = context;
    const ContactAnswer *own = path->event->answer;
    size_t n = path->n, s = path->s;
    if (!real_all_finite(y, path->count))
        return false;
    event_evaluate(path->event, y);
    ContactProblem problem = contact_set_problem(&path->event->kept, path->matrices);
    problem.equations.count = path->matrices->ideal;
    problem.directions = (SparseRows){0};
    problem.force = path->force;
    problem.equation_drift = problem.unilateral_drift = path->zeros;
    memset(own->acting, 0, s * sizeof *own->acting);
    memset(out, 0, path->count * sizeof *out);
    ContactAnswer answer = {.accelerations = out, .lambda = own->lambda, .acting = own->acting};
    ContactReport report = contact_accelerations(path->event->contacts->solver, &problem, &answer);
    if (report.outcome != SOLVE_DONE) {
        path->jump->impact.contact = report;
        return fail(path, PATH_UNSOLVED);
    }
    for (size_t i = 0, k = 0; i < s; i++) {
        bool struck = path->struck == (ptrdiff_t)i;
        double push = struck ? path->push : path->event->at.at[i].kept ? own->lambda[k++] : 0;
        double speed = contact_set_rate(&path->event->touching, i, y, NULL);
        out[n + i] = push;
        out[n + s] += struck ? push * speed : 0;
        out[n + s + 1] += push * (speed - path->event->touching.partial_t.at[i]);
    }
    return real_all_finite(out, path->count);
}

static void error_scale(void *context, const double *y, double *out)
{
    (void)y;
    const ImpactPath *path = context;
    double speed = TOL_ROUNDING * path->speed;
    for (size_t j = 0; j < path->n; j++)
        out[j] = speed / sqrt(path->event->own[j]);
    for (size_t i = 0; i < path->s; i++)
        out[path->n + i] = speed / length_of(path, i);
    out[path->n + path->s] = out[path->n + path->s + 1] = speed * path->speed;
}

// ---- Projection onto the conditions.

// Whether a row has vanished, or turned so far that it may have on the path.
static bool is_lost(ImpactPath *path, size_t row)
{
    const SparseRows *rows = &path->matrices->rows;
    double now = 0, before = 0, both = 0;
    for (uint32_t at = rows->first[row]; at < rows->first[row + 1]; at++) {
        double weight = path->event->own[rows->column[at]], x = rows->value[at],
               y = path->former[at];
        now += x * x / weight;
        before += y * y / weight;
        both += x * y / weight;
    }
    path->largest[row] = fmax(path->largest[row], sqrt(now));
    return !(sqrt(now) > TOL_RANK * path->largest[row]) ||
           (before > 0 && !(both > TOL_POOR * sqrt(now * before)));
}

// By the least change of the velocities that takes away what is left of b·v + c.
static bool project(void *context, double t, double *y)
{
    (void)t;
    ImpactPath *path = context;
    const SystemMatrices *matrices = path->matrices;
    SparseRows rows = matrices->rows;
    rows.count = matrices->ideal;
    event_evaluate(path->event, y);
    if (rows.count > 0 && !event_project(path->event, &rows, matrices->c, y))
        return false;
    event_evaluate(path->event, y);
    for (size_t i = 0; i < matrices->ideal; i++)
        if (is_lost(path, i)) {
            path->condition = matrices_condition(matrices, i);
            return fail(path, PATH_SINGULAR);
        }
    memcpy(path->former, matrices->rows.value, matrices->rows.first[matrices->m] * sizeof(double));
    return true;
}

// ---- One part of the path.

// Takes note of who touches and has f' = 0: of each anew, or as it was found in the last step.
static void list_closed(ImpactPath *path, bool anew)
{
    ContactEvent *event = path->event;
    contact_set_begin(&event->kept);
    for (size_t i = 0; i < path->s; i++) {
        TouchingContact *contact = &event->at.at[i];
        if (anew)
            contact->kept =
                path->struck >= 0 && path->struck != (ptrdiff_t)i && clean_rate(path, i) == 0;
        if (contact->kept)
            contact_set_copy(&event->kept, &event->touching, i);
    }
}

// What falls to 0 at a state on the path: −f' of one that is open; f' of the struck one, or what is
// left of the work that it gives back.
static double level(const ImpactPath *path, size_t who, const double *y)
{
    bool struck = path->struck == (ptrdiff_t)who;
    double above = struck && !isnan(path->left)
                       ? path->left + y[path->n + path->s]
                       : contact_set_rate(&path->event->touching, who, y, NULL);
    return struck ? above : -above;
}

// Where it has done so within the last step.
static double locate(ImpactPath *path, size_t who, double from, double to)
{
    assert(from < to && who < path->s);
    for (double middle; middle = from + (to - from) / 2, middle > from && middle < to;) {
        ode_integrator_interpolate(path->integrator, middle, path->y_at, path->rate_at);
        if (level(path, who, path->y_at) > 0)
            from = middle;
        else
            to = middle;
    }
    return to;
}

// The first event in a step that has ended at *t: the struck one is through with this part (true),
// or an open one closes, or closed ones have opened. y and t are then there.
static bool find_event(ImpactPath *path, double from, double *t, bool *changed)
{
    size_t first = path->s;
    double when = *t;
    *changed = false;
    for (size_t i = 0; i < path->s && path->struck >= 0; i++) {
        bool own = path->struck == (ptrdiff_t)i;
        if (own ? level(path, i, path->y) > 0
                : path->event->at.at[i].kept || !(clean_rate(path, i) > 0))
            continue;
        double at = locate(path, i, from, *t);
        if (first == path->s || at < when) {
            first = i;
            when = at;
        }
    }
    if (first < path->s)
        ode_integrator_interpolate(path->integrator, when, path->y, path->rate_at);
    for (size_t i = 0; i < path->s; i++) {
        bool *closed = &path->event->at.at[i].kept;
        bool closes = first == i && path->struck != (ptrdiff_t)i;
        bool opens = *closed && clean_rate(path, i) < 0;
        *changed = *changed || closes || opens;
        *closed = closes || (*closed && !opens);
    }
    *t = when;
    return first < path->s && path->struck == (ptrdiff_t)first;
}

static bool begin_at(ImpactPath *path, double t, bool anew)
{
    list_closed(path, anew);
    return project(path, t, path->y) && ode_integrator_start(path->integrator, t, path->y, 0);
}

// From y to the end of this part: that of the impulse, or where the struck one is through. y is
// then the end. False, with the reason, where it is not reached within `length`.
static bool follow(ImpactPath *path, double length)
{
    // It begins at 1, so that roundings of the parameter are not 0.
    double t = 1, until = t + length;
    bool over = false, changed;
    assert(length >= 1);
    memset(path->former, 0, path->matrices->rows.first[path->matrices->m] * sizeof(double));
    if (!begin_at(path, t, true))
        return false;
    while (!over && t < until) {
        double from = t;
        if (ode_integrator_step(path->integrator, until, &t, path->y) != ODE_STEPPED)
            return false;
        // What failed on trial was not on the path.
        fail(path, PATH_LOST);
        over = find_event(path, from, &t, &changed);
        if (changed && !over && !begin_at(path, t, false))
            return false;
    }
    return (over || path->struck < 0) && project(path, t, path->y);
}

// ---- Impacts one after the other.

// From here on a unit of the path is so much λ of the struck one.
static void set_push(ImpactPath *path, double push)
{
    SparseRows rows = sparse_store_rows(&path->event->touching.rows);
    assert(path->struck >= 0 && push > 0);
    path->push = push;
    memset(path->force, 0, path->n * sizeof *path->force);
    sparse_row_add(&rows, (size_t)path->struck, -push, path->force);
}

// How much f' of the struck one falls over a unit of the path; NAN where there is no solution.
static double fall(ImpactPath *path)
{
    SparseRows rows = sparse_store_rows(&path->event->touching.rows);
    bool found = rate(path, 1, path->y, path->rate_at);
    return found ? -sparse_row_times(&rows, (size_t)path->struck, path->rate_at, 0, NULL) : NAN;
}

// Compression of one condition, and what it gives back. What the equations leave of g may be as
// good as nothing, so that no push makes f' less.
static bool strike_one(ImpactPath *path, size_t who, double approach, double e)
{
    size_t n = path->n, s = path->s;
    double before = path->y[n + who], length = length_of(path, who);
    path->struck = (ptrdiff_t)who;
    path->left = NAN;
    path->y[n + s] = 0;
    list_closed(path, true);
    set_push(path, 1);
    double slower = fall(path);
    if (isnan(slower))
        return false;
    if (slower <= TOL_SMALL * length * length)
        return fail(path, PATH_FIXED);
    set_push(path, approach / slower);
    if (!follow(path, LIMIT_SEARCH)) {
        if (path->why == PATH_LOST && fall(path) <= TOL_POOR * approach)
            fail(path, PATH_FIXED);
        return false;
    }
    double work = path->y[n + s];
    if (!(e > 0 && work > 0))
        return true;
    set_push(path, path->y[n + who] - before);
    path->left = e * e * work;
    path->y[n + s] = 0;
    return follow(path, LIMIT_SEARCH);
}

// Impacts until none is struck any more. False, with the reason, where there is no end.
static bool strike(ImpactPath *path)
{
    const ContactEvent *event = path->event;
    VelocityJump *jump = path->jump;
    for (;;) {
        size_t who = 0, struck = 0;
        for (size_t i = path->s; i-- > 0;)
            if (clean_rate(path, i) > 0) {
                path->other = path->hit;
                path->hit = event_constraint(event, event->at.at[i].index);
                who = i;
                struck++;
            }
        if (struck != 1)
            return struck == 0 || fail(path, PATH_TOGETHER);
        // The last ones are without rebound.
        jump->impact.ended = jump->impact.passes < LIMIT_STEPS;
        double e = jump->impact.ended ? event->touching.restitution.at[who] : 0;
        if (!strike_one(path, who, clean_rate(path, who), e))
            return false;
        jump->impact.passes++;
        jump->impact.energy_lost = path->y[path->n + path->s + 1];
    }
}

// The first condition that changes with the velocities; NULL where it is the inertia.
static const ModelConstraint *bent_condition(const SystemMatrices *matrices)
{
    for (size_t i = 0; i < matrices->ideal; i++)
        if (matrices->bent_rows[i])
            return matrices_condition(matrices, i);
    return NULL;
}

static void refuse(const ImpactPath *path)
{
    const ModelConstraint *condition =
        path->why == PATH_SINGULAR ? path->condition : bent_condition(path->matrices);
    const char *name = condition ? condition->name : "", *hit = path->hit ? path->hit->name : "";
    Text *text = impact_refuse(path->event, condition, path->hit);
    switch (path->why) {
    case PATH_TOGETHER:
        text_clear(text);
        text_addf(text, "'%s' and '%s' are struck at once, and ", hit, path->other->name);
        if (condition)
            text_addf(text, "with '%s', which is not linear in the velocities,", name);
        else
            text_add(text, "where the inertia changes with the velocities");
        text_add(text, " it matters which of them gives way first");
        break;
    case PATH_SINGULAR:
        text_addf(text,
                  " leads to where the derivatives of '%s' by the velocities vanish, so that it "
                  "no longer says how these may change",
                  name);
        break;
    case PATH_FIXED:
        text_clear(text);
        text_addf(text, "nothing stops what strikes '%s': ", hit);
        if (condition)
            text_addf(text, "'%s' allows", name);
        else
            text_add(text, "the others that touch allow");
        text_add(text, " no velocities near these that are slower");
        break;
    case PATH_UNSOLVED: text_clear(text); break;
    case PATH_LOST:
        text_add(text, " cannot be followed: the velocities change without bound on the way");
        break;
    }
}

// All of it, from the velocities before, into the event.
static void follow_all(ImpactPath *path)
{
    ContactEvent *event = path->event;
    VelocityJump *jump = path->jump;
    memcpy(path->y, event->before, path->n * sizeof *path->y);
    event_evaluate(event, path->y);
    measure(path);
    for (size_t i = 0; i < path->s; i++)
        event->at.at[i].before = clean_rate(path, i);
    if (path->impulse)
        memcpy(path->force, path->impulse, path->n * sizeof *path->force);
    jump->impact = (ImpactReport){.ended = true};
    jump->solved = path->integrator && (!path->impulse || follow(path, 1)) && strike(path);
    if (!jump->solved) {
        refuse(path);
        return;
    }
    jump->impact.contact = (ContactReport){.outcome = SOLVE_DONE, .unique = true};
    memcpy(event->after, path->y, path->n * sizeof *path->y);
    for (size_t i = 0; i < path->s; i++) {
        event->at.at[i].impulse = fmax(path->y[path->n + i], 0);
        event->at.at[i].after = clean_rate(path, i);
    }
}

static void follow_path(ContactEvent *event, const double *impulse)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    size_t n = matrices->n, m = matrices->m, s = event->at.count, count = n + s + 2;
    Arena *arena = arena_new();
    ImpactPath path = {.event = event,
                       .jump = event->jump,
                       .why = PATH_LOST,
                       .impulse = impulse,
                       .matrices = matrices,
                       .n = n,
                       .s = s,
                       .count = count,
                       .force = real_alloc(arena, n),
                       .struck = -1,
                       .zeros = real_alloc(arena, m + s),
                       .former = real_alloc(arena, matrices->rows.first[m]),
                       .largest = real_alloc(arena, m)};
    real_alloc_each(arena, count, &path.y, &path.y_at, &path.rate_at);
    OdeProblem motion = {.count = count,
                         .tolerance = TOL_ROUNDING,
                         .max_step = 1,
                         .context = &path,
                         .rate = rate,
                         .project = project,
                         .error_scale = error_scale};
    path.integrator = ode_integrator_new(ODE_ERK, &motion);
    follow_all(&path);
    ode_integrator_free(path.integrator);
    arena_free(arena);
}

// ---- The module.

static bool applies(const SystemMatrices *matrices)
{
    return matrices->bent;
}

static bool are_same(const double *now, const double *before, size_t count)
{
    double most = real_largest(before, count);
    size_t i = 0;
    while (i < count && fabs(now[i] - before[i]) <= TOL_ZERO * most)
        i++;
    return i == count;
}

// Whether rows and inertia are the same from the velocities before to those after.
static bool is_straight(const ContactEvent *event)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    size_t n = matrices->n, inertia = matrices->inertia.first[n],
           rows = matrices->rows.first[matrices->ideal];
    double *former = base_alloc((inertia + rows + n + 1) * sizeof *former);
    double *v = former + inertia + rows;
    memcpy(former, matrices->inertia.value, inertia * sizeof *former);
    memcpy(former + inertia, matrices->rows.value, rows * sizeof *former);
    bool same = true;
    for (double part = 1; part <= 5 && same; part++) {
        for (size_t j = 0; j < n; j++)
            v[j] = event->before[j] + part / 5 * (event->after[j] - event->before[j]);
        event_evaluate(event, v);
        same = are_same(matrices->inertia.value, former, inertia) &&
               are_same(matrices->rows.value, former + inertia, rows);
    }
    base_free(former);
    return same;
}

static void revise(ContactEvent *event, const double *impulse)
{
    assert(event->contacts->matrices->bent);
    if (!(event->jump->solved && is_straight(event)))
        follow_path(event, impulse);
    event_evaluate(event, event->before);
}

const ImpactModule impact_nonlinear = {applies, revise};

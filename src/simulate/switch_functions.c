// switch_functions.c: abs, sign, min and max in the equations, and whether one of them has
// switched.
//
// A step of a series ends just beyond the first switch, so that whatever has another sign at the
// end of a step than before has switched there. Other methods step over it; the event detector
// finds it inside the step.
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "ode/ode.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What decides a function's branch: its argument, or the difference of both; none where it has no
// branches.
static Expr decides(ExprPool *pool, Expr e)
{
    switch (expr_op(pool, e)) {
    case EXPR_ABS:
    case EXPR_SIGN: return expr_arg(pool, e, 0);
    case EXPR_MIN:
    case EXPR_MAX: return expr_sub(pool, expr_arg(pool, e, 0), expr_arg(pool, e, 1));
    default: return (Expr){0};
    }
}

static bool is_known(const Expr *all, size_t count, Expr e)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].at == e.at)
            return true;
    return false;
}

static bool is_node(const ExprList *nodes, uint32_t node)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->at[i] == node)
            return true;
    return false;
}

// All expressions of the equations; the caller frees them.
static Expr *all_roots(const Motion *motion, size_t *root_count)
{
    size_t count = 0;
    size_t most = motion->n + 2 + 2 * motion->m + motion->side_count;
    Expr *roots = base_alloc(most * sizeof *roots);
    for (size_t i = 0; i < motion->n; i++)
        roots[count++] = motion->K[i];
    roots[count++] = motion->T;
    if (!expr_is_none(motion->U))
        roots[count++] = motion->U;
    for (size_t i = 0; i < motion->m; i++) {
        roots[count++] = motion->rows[i].velocity;
        if (!expr_is_none(motion->rows[i].position))
            roots[count++] = motion->rows[i].position;
    }
    for (size_t i = 0; i < motion->side_count; i++)
        roots[count++] = motion->sides[i].position;
    *root_count = count;
    return roots;
}

static const char *name_of(Arena *arena, const ExprPool *pool, Expr e)
{
    Text text = {0};
    expr_print(pool, e, &text);
    const char *name = arena_copy_text(arena, text.at, text.length);
    text_clear(&text);
    return name;
}

static void find_time_functions(Switches *switches, const Simulation *sim, const Expr *roots,
                                size_t count)
{
    const RunOptions *settings = &sim->settings;
    const Equations *eq = sim->base->eq;
    size_t order = ode_taylor_order(settings->tolerance);
    size_t compiled = ode_taylor_compiled_order(settings->tolerance);
    switches->time =
        time_bounds_new(sim->motion->pool, roots, count, eq->symbols, sim->base->state->inputs,
                        eq->params, settings->to, order > compiled ? order : compiled);
    switches_advance(switches);
}

Switches *switches_new(Arena *arena, const Simulation *sim)
{
    assert(arena && sim->base);
    const Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    Switches *switches = arena_array(arena, Switches, 1);
    size_t root_count;
    Expr *roots = all_roots(motion, &root_count);
    ExprList nodes = expr_nodes(motion->pool, roots, root_count);
    find_time_functions(switches, sim, roots, root_count);
    switches->narrow = narrow_new(arena, motion->pool, roots, root_count, eq, sim->base->state);
    // A series ends a step at what its rates hold. That is all forces, but no unilateral condition
    // that does not act; and an inertia where nothing accelerates is not among them.
    ExprList in_rates = expr_nodes(motion->pool, motion->K, motion->n);
    bool series = sim->settings.method == RUN_TAYLOR;
    Expr *arguments = arena_array(arena, Expr, nodes.count + 1), missing;
    switches->names = arena_array(arena, const char *, nodes.count + 1);
    switches->inside = arena_array(arena, bool, nodes.count + 1);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr argument = decides(motion->pool, (Expr){nodes.at[i]});
        if (expr_is_none(argument) || is_known(arguments, switches->count, argument))
            continue;
        switches->names[switches->count] = name_of(arena, motion->pool, (Expr){nodes.at[i]});
        switches->inside[switches->count] = !series || !is_node(&in_rates, nodes.at[i]);
        arguments[switches->count++] = argument;
    }
    expr_list_free(&nodes);
    expr_list_free(&in_rates);
    base_free(roots);
    switches->arguments = arena_array(arena, Evaluator, 1);
    if (switches->count > 0 &&
        !evaluator_init(switches->arguments, motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n,
                        arguments, switches->count, &missing))
        switches->count = 0;
    switches->signs = arena_array(arena, int, switches->count + 1);
    switches->slopes = arena_array(arena, Evaluator, switches->count + 1);
    switches->eq = eq;
    switches->jumped = -INFINITY;
    switches->decides = arguments;
    return switches;
}

void switches_clear(Switches *switches)
{
    for (size_t i = 0; i < switches->count; i++)
        evaluator_clear(&switches->slopes[i]);
    evaluator_clear(switches->arguments);
    time_bounds_free(switches->time);
    narrow_clear(switches->narrow);
}

const double *switches_values(Switches *switches, const State *state)
{
    assert(switches->count > 0);
    evaluator_run(switches->arguments, state->inputs);
    return switches->arguments->out;
}

const double *switches_slopes(Switches *switches, const State *state, size_t which)
{
    const Equations *eq = switches->eq;
    Evaluator *slopes = &switches->slopes[which];
    size_t count = 1 + 2 * eq->n;
    ExprPool *pool = eq->motion->pool;
    assert(which < switches->count);
    if (!slopes->program) {
        Expr *partials = base_alloc(count * sizeof *partials), missing;
        expr_gradient(pool, switches->decides[which], eq->symbols + eq->params, count, partials);
        bool lowered = evaluator_init(slopes, pool, eq->symbols, eq->params + count, partials,
                                      count, &missing);
        base_free(partials);
        assert(lowered);
    }
    evaluator_run(slopes, state->inputs);
    return slopes->out;
}

bool switches_touch(Switches *switches, const State *state)
{
    size_t n = switches->eq->n;
    const double *values = switches->count > 0 ? switches_values(switches, state) : NULL;
    for (size_t i = 0; i < switches->count; i++) {
        int sign = (values[i] > 0) - (values[i] < 0);
        if (sign != 0 && sign == switches->signs[i])
            continue;
        const double *slopes = switches_slopes(switches, state, i);
        double t = *state->t, size = fabs(slopes[0] * t);
        for (size_t j = 0; j < n; j++)
            size += fabs(slopes[1 + j]) * (fabs(state->q[j]) + fabs(state->v[j] * t)) +
                    fabs(slopes[1 + n + j] * state->v[j]);
        if (fabs(values[i]) <= TOL_ZERO * size)
            return true;
    }
    return false;
}

bool switches_turn_back(Switches *switches, const State *state, size_t which)
{
    size_t n = switches->eq->n;
    const double *slopes = switches_slopes(switches, state, which);
    double rate = slopes[0], size = fabs(rate), by_velocity = 0;
    for (size_t i = 0; i < n; i++) {
        double part = slopes[1 + i] * state->v[i], other = slopes[1 + n + i] * state->a[i];
        rate += part + other;
        size = fmax(size, fmax(fabs(part), fabs(other)));
        by_velocity = fmax(by_velocity, fabs(slopes[1 + n + i]));
    }
    return by_velocity > 0 && rate * switches->signs[which] < -TOL_SMALL * size;
}

bool switches_look(Switches *switches, const State *state, size_t *which)
{
    bool found = false;
    if (switches->count == 0)
        return false;
    const double *values = switches_values(switches, state);
    for (size_t i = 0; i < switches->count; i++) {
        int sign = (values[i] > 0) - (values[i] < 0);
        if (sign == 0 || sign == switches->signs[i])
            continue;
        if (!found && switches->signs[i] != 0) {
            found = true;
            if (which)
                *which = i;
        }
        switches->signs[i] = sign;
    }
    return found;
}

bool switches_are_unknown(const Switches *switches)
{
    for (size_t i = 0; i < switches->count; i++)
        if (switches->signs[i] == 0)
            return true;
    return false;
}

// ---- Functions of the time alone.

void switches_advance(Switches *switches)
{
    TimeSwitch none = {INFINITY, INFINITY, INFINITY};
    switches->last = switches->next;
    if (!switches->time ||
        !time_bounds_next_switch(switches->time, switches->last.after, &switches->next))
        switches->next = none;
}

double switches_shown_time(const Switches *switches, double t)
{
    const TimeSwitch *last = &switches->last;
    return last->before <= t && t <= last->after ? last->at : t;
}

double switches_step_end(Switches *switches, const ContactMode *mode, double until)
{
    const RunOptions *settings = mode->settings;
    double t = mode->t;
    assert(until >= t);
    if (!switches->time || until == t)
        return until;
    // A series must be the function; other methods see it where it is a smooth curve.
    bool series = settings->method == RUN_TAYLOR;
    size_t order = ode_integrator_statistics(mode->integrator).order;
    double reach = time_bounds_reach(switches->time, t, until - t, order > 0 ? order : 1,
                                     series ? settings->tolerance : TOL_COARSE);
    // What is left must be long enough for a step.
    return t + reach < until - TOL_ROUNDING * fabs(until) ? t + reach : until;
}

void switches_add_reason(const Switches *switches, const ExprPool *pool, Text *text)
{
    assert(switches->time);
    double shortest;
    size_t count = time_bounds_count(switches->time, &shortest);
    expr_print(pool, time_bounds_narrow(switches->time), text);
    text_addf(text, " changes faster there than can be resolved (%zu subdivisions)", count);
}

// switch_functions.c: abs, sign, min and max in the equations, and whether one of them has
// switched.
//
// A step of a series ends just beyond the first switch, so that whatever has another sign at the
// end of a step than before has switched there. Other methods step over it; the event detector
// finds it inside the step.
#include "base/text_builder.h"
#include "dynamics/equations_types.h"
#include "dynamics/pattern.h"
#include "dynamics/switch_arguments.h"
#include "expr/expr.h"
#include "expr/open_functions.h"
#include "expr/tables.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/events.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/motion.h"
#include "motion/motion_types.h"
#include "ode/ode.h"
#include "program/time_bounds.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_node(const ExprList *nodes, uint32_t node)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->at[i] == node)
            return true;
    return false;
}

static void find_time_functions(Switches *switches, const Simulation *sim, const Expr *roots,
                                size_t count)
{
    const RunOptions *settings = &sim->settings;
    const Equations *eq = sim->base->eq;
    size_t order = settings->method == RUN_TIMESTEPPING ? TIME_BOUNDS_MIDDLE : ODE_DEGREE;
    if (settings->method == RUN_TAYLOR) {
        size_t blocks = ode_taylor_block_order(settings->tolerance, sim->motion->side_count > 0);
        order = ode_taylor_order(settings->tolerance);
        order = order > blocks ? order : blocks;
    }
    switches->time = time_bounds_new(sim->motion->pool, roots, count, eq->symbols,
                                     sim->base->state->inputs, eq->params, settings->to, order);
    do
        switches_advance(switches);
    while (switches->next.before < settings->from);
}

// ---- Tables.

bool switches_is_smooth(const Switches *switches, size_t which)
{
    const ExprTable *table = switches->found.tables[which];
    if (!table)
        return false;
    int continuous =
        expr_table_continuity(table, switches->found.pieces[which], switches->found.raw[which]);
    return switches->orders[which] <= continuous;
}

const ExprTable *switches_beyond(Switches *switches, const State *state, double *at)
{
    if (switches->count == 0)
        return NULL;
    switches_values(switches, state);
    for (size_t i = 0; i < switches->count; i++) {
        const ExprTable *table = switches->found.tables[i];
        *at = switches->found.raw[i];
        if (table && isfinite(*at) && isnan(expr_table_piece(table, *at)))
            return table;
    }
    return NULL;
}

// Adds the trigger of an event, if it is one of the state: no step may pass what is narrow in it.
static void add_trigger(const Simulation *sim, const ModelEvent *event, Expr *roots, size_t *count)
{
    const Equations *eq = sim->base->eq;
    Evaluator evaluator = {0};
    Expr missing;
    if ((event->trigger == TRIGGER_CROSSES || event->trigger == TRIGGER_BECOMES) &&
        evaluator_init(&evaluator, sim->motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n,
                       &event->value, 1, &missing))
        roots[(*count)++] = event->value;
    evaluator_clear(&evaluator);
}

static Expr *with_triggers(Arena *arena, const Simulation *sim, const Expr *roots, size_t *count)
{
    const Model *model = sim->motion->model;
    size_t most = *count + model->events.count + model->domains.count + 1;
    for (size_t i = 0; i < model->whiles.count; i++)
        most += model->whiles.at[i].switch_count;
    Expr *all = arena_array(arena, Expr, most);
    memcpy(all, roots, *count * sizeof *all);
    for (size_t i = 0; i < model->events.count; i++)
        add_trigger(sim, &model->events.at[i], all, count);
    if (sim->settings.until)
        add_trigger(sim, sim->settings.until, all, count);
    // Steps of fixed length end where the time begins or ends something; others find that.
    for (size_t i = 0; i < model->whiles.count && sim->settings.method == RUN_TIMESTEPPING; i++)
        for (size_t k = 0; k < model->whiles.at[i].switch_count; k++)
            all[(*count)++] = expr_call(sim->motion->pool, EXPR_SIGN,
                                        model->whiles.at[i].switches[k].value, (Expr){0});
    return all;
}

// Whether sign, of an argument of the state, jumps in what gives velocities and energies.
static bool jumps_in(const Motion *motion, const ExprList *nodes, Expr argument)
{
    bool found = false;
    for (size_t i = 0; i < nodes->count && !found; i++) {
        Expr node = {nodes->at[i]};
        found = expr_op(motion->pool, node) == EXPR_SIGN &&
                expr_same(expr_arg(motion->pool, node, 0), argument);
    }
    return found;
}

// Whether an argument decides the branches of a declared speed of the state.
static bool is_of_speeds(const Motion *motion, Expr argument)
{
    ExprPool *pool = motion->pool;
    bool found = false;
    for (size_t k = 0; k < motion->k && motion->state.speeds && !found; k++) {
        if (!motion->state.speeds[k].declared)
            continue;
        ExprList nodes = expr_nodes(pool, &motion->state.speeds[k].value, 1);
        for (size_t i = 0; i < nodes.count && !found; i++) {
            Expr node = {nodes.at[i]};
            found = expr_same(expr_table_of(pool, node) ? expr_arg(pool, node, 0)
                                                        : expr_switch_argument(pool, node),
                              argument);
        }
        expr_list_free(&nodes);
    }
    return found;
}

// Whether a speed has a pole at a known time, by what it is divided by: it is no longer in use
// then, as with a pole at a place, and no step has to find that time.
static bool divides_by_time(const Simulation *sim, Expr speed)
{
    ExprPool *pool = sim->motion->pool;
    const Equations *eq = sim->base->eq;
    ExprList nodes = expr_nodes(pool, &speed, 1);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++) {
        Expr node = {nodes.at[i]};
        size_t count = expr_op(pool, node) == EXPR_PRODUCT ? expr_arg_count(pool, node) : 0;
        for (size_t k = 0; k < count && !found; k++) {
            Expr base = expr_arg(pool, node, k);
            found = fmpq_sgn(expr_arg_weight(pool, node, k)) < 0 &&
                    expr_holds(pool, base, sim->motion->model->t) &&
                    !equations_hold_any(pool, &base, 1, eq->symbols + eq->params + 1, 2 * eq->n);
        }
    }
    expr_list_free(&nodes);
    return found;
}

// What the equations hold that may switch or be narrow.
static void find_functions(Arena *arena, const Simulation *sim, Switches *switches)
{
    const Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    size_t forces, root_count;
    Expr *roots = motion_roots(arena, motion, &forces, &root_count), missing;
    SwitchArguments found = switch_arguments(arena, motion);
    ExprList in_state = expr_nodes(motion->pool, roots + forces, root_count - forces);
    size_t without_sides = root_count - motion->side_count;
    roots = motion_roots_with_pairs(arena, motion, roots, &root_count);
    roots = with_triggers(arena, sim, roots, &root_count);
    for (size_t i = 0; i < found.count; i++)
        if (found.domains[i])
            roots[root_count++] = found.functions[i];
    size_t all_count = root_count;
    Expr *all = motion_roots_with_speeds(arena, motion, roots, &all_count);
    Expr *timed = arena_array(arena, Expr, all_count + 1);
    size_t timed_count = root_count;
    memcpy(timed, all, root_count * sizeof *timed);
    for (size_t i = root_count; i < all_count; i++)
        if (!divides_by_time(sim, all[i]))
            timed[timed_count++] = all[i];
    find_time_functions(switches, sim, timed, timed_count);
    // Steps of fixed length do not follow gaps, and have no speeds.
    bool fixed = sim->settings.method == RUN_TIMESTEPPING;
    switches->narrow = narrow_new(arena, motion->pool, all, fixed ? without_sides : all_count,
                                  fixed ? 0 : all_count - root_count, eq, sim->base->state);
    // A series ends a step at what its rates hold. That is all forces where no condition takes one
    // of them out, nor a friction that sticks, but no unilateral condition that does not act; and
    // an inertia where nothing accelerates is not among them.
    ExprList in_rates = expr_nodes(motion->pool, motion->K, motion->n);
    ExprList in_equations = expr_nodes(motion->pool, roots, without_sides);
    bool series = sim->settings.method == RUN_TAYLOR &&
                  motion->m + motion->side_count + motion->friction_count == 0;
    switches->inside = arena_array(arena, bool, 5 * found.count + 1);
    switches->of_time = switches->inside + found.count;
    switches->of_gaps = switches->of_time + found.count;
    switches->hides_energy = switches->of_gaps + found.count;
    switches->of_speeds = switches->hides_energy + found.count;
    for (size_t i = 0; i < found.count; i++) {
        switches->inside[i] = !series || !is_node(&in_rates, found.functions[i].at);
        switches->of_time[i] = !equations_hold_any(motion->pool, &found.at[i], 1,
                                                   eq->symbols + eq->params + 1, 2 * eq->n);
    }
    for (size_t i = 0; i < found.count; i++)
        switches->of_speeds[i] = is_of_speeds(motion, found.at[i]);
    for (size_t i = 0; i < found.count; i++)
        switches->of_gaps[i] = !is_node(&in_equations, found.functions[i].at);
    for (size_t i = 0; i < found.count; i++)
        switches->hides_energy[i] =
            !switches->of_time[i] && (found.tables[i] || jumps_in(motion, &in_state, found.at[i]));
    expr_list_free(&in_state);
    expr_list_free(&in_rates);
    expr_list_free(&in_equations);
    switches->arguments = arena_array(arena, Evaluator, 1);
    if (found.count > 0 &&
        evaluator_init(switches->arguments, motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n,
                       found.at, found.count, &missing))
        switches->count = found.count;
    switches->found = found;
    switches->orders = arena_array(arena, int, found.count + 1);
    for (size_t i = 0; i < found.count; i++)
        switches->orders[i] = motion_table_order(motion, found.at[i], found.tables[i]);
    // Where the expressions hold nothing of all that, those of the next run do not either.
    sim->base->is_plain = found.count == 0 && !switches->narrow && !switches->time &&
                          sim->settings.method != RUN_TIMESTEPPING &&
                          !equations_hold_any(motion->pool, all, all_count, &motion->model->t, 1);
}

Switches *switches_new(Arena *arena, const Simulation *sim)
{
    assert(arena && sim->base);
    Switches *switches = arena_array(arena, Switches, 1);
    if (!sim->base->is_plain)
        find_functions(arena, sim, switches);
    else {
        switches->arguments = arena_array(arena, Evaluator, 1);
        switches_advance(switches);
    }
    switches->signs = arena_array(arena, int, 2 * switches->count + 2);
    switches->former = switches->signs + switches->count + 1;
    for (size_t i = 0; i < switches->count; i++)
        switches->signs[i] = switches->found.domains[i] != NULL;
    switches->slopes = arena_array(arena, Evaluator, switches->count + 1);
    switches->eq = sim->base->eq;
    switches->jumped = switches->met = -INFINITY;
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

bool switches_hold(const Switches *switches, const ExprPool *pool, Expr symbol)
{
    return switches->time && time_bounds_hold(switches->time, pool, symbol);
}

void switches_put(Switches *switches, size_t param, double value)
{
    if (switches->narrow)
        narrow_put(switches->narrow, param, value);
}

const double *switches_values(Switches *switches, const State *state)
{
    assert(switches->count > 0);
    return switch_values(&switches->found, switches->arguments, state->inputs);
}

const double *switches_slopes(Switches *switches, const State *state, size_t which)
{
    Evaluator *slopes = &switches->slopes[which];
    assert(which < switches->count);
    if (!slopes->program)
        switch_slopes_init(slopes, switches->eq, switches->found.at[which]);
    evaluator_run(slopes, state->inputs);
    if (switches->found.tables[which]) {
        switches_values(switches, state);
        double factor = switch_factor(&switches->found, which);
        for (size_t i = 0; i < 1 + 2 * switches->eq->n; i++)
            slopes->out[i] *= factor;
    }
    return slopes->out;
}

bool switches_is_rounding(Switches *switches, const State *state, size_t which, double value)
{
    const double *slopes = switches_slopes(switches, state, which);
    double t = *state->t, size = fabs(slopes[0] * t);
    for (size_t j = 0; j < switches->eq->n; j++)
        size += fabs(slopes[1 + j]) * (fabs(state->q[j]) + fabs(state->v[j] * t));
    return fabs(value) <= TOL_ROUNDING * size;
}

bool switches_are_any_zero(Switches *switches, const State *state)
{
    const double *values = switches_values(switches, state);
    bool any = false;
    for (size_t i = 0; i < switches->count && !any; i++)
        any = switches_is_rounding(switches, state, i, values[i]);
    return any;
}

static bool touches(Switches *switches, const State *state, size_t which, double value)
{
    size_t n = switches->eq->n;
    const double *slopes = switches_slopes(switches, state, which);
    double t = *state->t, size = fabs(slopes[0] * t);
    for (size_t j = 0; j < n; j++)
        size += fabs(slopes[1 + j]) * (fabs(state->q[j]) + fabs(state->v[j] * t)) +
                fabs(slopes[1 + n + j] * state->v[j]);
    return fabs(value) <= TOL_ZERO * size;
}

bool switches_touch(Switches *switches, const State *state)
{
    const double *values = switches->count > 0 ? switches_values(switches, state) : NULL;
    bool found = false;
    for (size_t i = 0; i < switches->count && !found; i++)
        found = touches(switches, state, i, values[i]);
    return found;
}

SwitchTouch switches_touch_newly(Switches *switches, const State *state)
{
    const double *values = switches->count > 0 ? switches_values(switches, state) : NULL;
    SwitchTouch found = TOUCHES_NONE;
    for (size_t i = 0; i < switches->count && found < TOUCHES_ENERGY; i++) {
        int sign = (values[i] > 0) - (values[i] < 0);
        if ((sign != 0 && sign == switches->signs[i]) || !touches(switches, state, i, values[i]))
            continue;
        bool hidden = switches->hides_energy[i] && !switches_is_smooth(switches, i);
        found = hidden ? TOUCHES_ENERGY : TOUCHES_ANY;
    }
    return found;
}

bool switches_is_domain(const Switches *switches, size_t which)
{
    return switches->found.domains[which] != NULL;
}

bool switches_graze(Switches *switches, const State *state, size_t which)
{
    size_t n = switches->eq->n;
    const double *slopes = switches_slopes(switches, state, which);
    double rate = slopes[0], size = fabs(rate);
    for (size_t j = 0; j < n; j++) {
        rate += slopes[1 + j] * state->v[j] + slopes[1 + n + j] * state->a[j];
        size += fabs(slopes[1 + j] * state->v[j]) + fabs(slopes[1 + n + j] * state->a[j]);
    }
    return fabs(rate) <= TOL_SMALL * size;
}

// Whether the argument of one is 0 at a state that is about to pass it; on finite conditions, which
// may turn there, but for rounding.
static bool is_passed_next(Switches *switches, const ContactMode *mode, size_t which, double value)
{
    const State *state = mode->state;
    const double *slopes = switches_slopes(switches, state, which);
    double rate = slopes[0] + real_dot(slopes + 1, state->v, mode->eq->n);
    return value == 0 || (mode->eq->finite > 0 && value * rate < 0 &&
                          switches_is_rounding(switches, state, which, value));
}

bool switches_leave(Switches *switches, ContactMode *mode, const double *reached, size_t but)
{
    State *state = mode->state;
    size_t n = mode->eq->n;
    bool left = false;
    double *q = base_alloc(n * sizeof *q);
    for (size_t i = 0; i < switches->count; i++) {
        int sign = switches->signs[i];
        double value = switches_values(switches, state)[i];
        memcpy(q, state->q, n * sizeof *q);
        memcpy(state->q, reached, n * sizeof *q);
        bool passed = sign * value > 0 && sign * switches_values(switches, state)[i] < 0;
        memcpy(state->q, q, n * sizeof *q);
        if (i != but && sign != 0 && sign * value >= 0 &&
            (passed || is_passed_next(switches, mode, i, value))) {
            const double *slopes = switches_slopes(switches, state, i);
            left = switch_leave(mode->eq, state, &switches->found, switches->arguments, i, slopes,
                                NULL, -sign) ||
                   left;
        }
    }
    base_free(q);
    return left;
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

bool switches_are_ahead(Switches *switches, const State *state, size_t *which)
{
    size_t n = switches->eq->n;
    for (size_t i = 0; i < switches->count; i++) {
        double value = switches_values(switches, state)[i];
        if (switches->signs[i] == 0 || !switches->inside[i] || value * switches->signs[i] < 0 ||
            !touches(switches, state, i, value))
            continue;
        const double *slopes = switches_slopes(switches, state, i);
        double rate =
            slopes[0] + real_dot(slopes + 1, state->v, n) + real_dot(slopes + 1 + n, state->a, n);
        *which = i;
        if (rate * switches->signs[i] < 0)
            return true;
    }
    return false;
}

// Whether a table is in another piece than that which is held, which is held from now on. *sign is
// the one that its value has in it.
static bool look_at_piece(Switches *switches, size_t which, int *sign)
{
    SwitchArguments *found = &switches->found;
    if (!found->tables[which])
        return false;
    double former = found->pieces[which];
    switch_hold_piece(found, which);
    if (found->pieces[which] == former && switches->signs[which] != 0)
        return false;
    *sign = fmod(found->pieces[which], 2) == 0 ? 1 : -1;
    return true;
}

bool switches_look(Switches *switches, const State *state, size_t *which)
{
    assert(switches->count == 0 || switches->signs);
    size_t first = SIZE_MAX;
    switches->mixed = false;
    if (switches->count == 0)
        return false;
    const double *values = switches_values(switches, state);
    for (size_t i = 0; i < switches->count; i++) {
        int sign = (values[i] > 0) - (values[i] < 0), former = switches->signs[i];
        bool knot = look_at_piece(switches, i, &sign);
        // The inside of a domain is one side, which is left by more than roundings.
        if (switches->found.domains[i] && (!which || touches(switches, state, i, values[i])))
            continue;
        if (sign == 0 || (sign == former && !knot))
            continue;
        switches->signs[i] = sign;
        if (former == 0)
            continue;
        first = first == SIZE_MAX ? i : first;
        switches->mixed = switches->mixed || switches->of_time[i] != switches->of_time[first];
    }
    if (first != SIZE_MAX && which)
        *which = first;
    return first != SIZE_MAX;
}

bool switches_take_passed(Switches *switches, const State *state, size_t *which)
{
    if (switches->count == 0)
        return false;
    size_t n = switches->eq->n;
    for (*which = 0; *which < switches->count; ++*which) {
        int sign = switches->signs[*which];
        if (sign * switches_values(switches, state)[*which] >= 0 ||
            switches->found.domains[*which] || switches->found.tables[*which] ||
            switches->of_time[*which] || switches->of_gaps[*which] ||
            real_largest(switches_slopes(switches, state, *which) + 1 + n, n) > 0)
            continue;
        switches->signs[*which] = -sign;
        return true;
    }
    return false;
}

void switches_carry(Switches *switches, const State *state, const double *before)
{
    const double *values = switches->count > 0 ? switches_values(switches, state) : NULL;
    for (size_t i = 0; i < switches->count; i++) {
        int sign = (values[i] > 0) - (values[i] < 0);
        if (sign == 0 || before[i] * switches->signs[i] <= 0 || switches->found.domains[i])
            continue;
        look_at_piece(switches, i, &sign);
        switches->signs[i] = sign;
    }
}

void switches_begin_step(Switches *switches)
{
    assert(switches->former);
    memcpy(switches->former, switches->signs, switches->count * sizeof *switches->signs);
}

bool switches_are_passed(Switches *switches, const State *state)
{
    if (switches->count == 0)
        return false;
    const double *values = switches_values(switches, state);
    for (size_t i = 0; i < switches->count; i++)
        if (switches->former[i] != 0 && switches->former[i] * values[i] <= 0)
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
    double tolerance = settings->method == RUN_TAYLOR ? settings->tolerance : TOL_COARSE;
    size_t order = TIME_BOUNDS_MIDDLE;
    // Parts of fixed steps become shorter with them, so that two lengths compared show their error.
    if (mode->integrator)
        order = ode_integrator_statistics(mode->integrator).order;
    else
        tolerance *= fmin(pow(settings->step / settings->every, 2), 1);
    double reach =
        time_bounds_reach(switches->time, t, until - t, order > 0 ? order : 1, tolerance);
    // What is left must be long enough for a step.
    return t + reach < until - TOL_ROUNDING * fabs(until) ? t + reach : until;
}

bool switches_stop_steps(Switches *switches, const ContactMode *mode)
{
    double last = mode->t - mode->from;
    double ahead = mode->t + fmax(TOL_SMALL * mode->settings->every, 2 * last);
    double until = real_min(ahead, mode->settings->to);
    return switches_step_end(switches, mode, until) < until;
}

void switches_measure_unit(Switches *switches, ContactMode *mode)
{
    size_t count = time_bounds_functions(switches->time);
    double unit = 0, lasting;
    for (size_t i = 0; i < count && error_scale_is_unknown(mode->scale); i++) {
        double peak = time_bounds_peak(switches->time, i, &lasting);
        unit = fmax(unit, mode_reach(mode, peak, lasting));
    }
    if (unit > 0)
        error_scale_set_unit(mode->scale, unit);
}

void switches_add_counts(const Switches *switches, RunSummary *summary)
{
    double shortest;
    if (!switches->time)
        return;
    // A run may consist of several passes.
    bool first = summary->input_pieces == 0;
    summary->input_pieces += time_bounds_count(switches->time, &shortest);
    summary->input_shortest = first ? shortest : fmin(summary->input_shortest, shortest);
}

Expr switches_narrow(const Switches *switches)
{
    assert(switches->time);
    return time_bounds_narrow(switches->time);
}

void switches_add_reason(const Switches *switches, const ExprPool *pool, Text *text)
{
    assert(switches->time);
    double shortest;
    size_t count = time_bounds_count(switches->time, &shortest);
    expr_print(pool, switches_narrow(switches), text);
    text_addf(text, " changes faster there than can be resolved (%zu subdivisions)", count);
}

// event_reset.c: what an event sets, and what follows from it.
//
// What is set is kept, and so are the other coordinates and the speeds of the motion. Velocities
// that conditions and what is set determine follow. The rows of the conditions, then those that are
// set, then those of the speeds are made orthonormal one after the other; each brings what the
// velocities are along it. What is not linear in the velocities is so to first order, and all is
// done again about the velocities found (Newton).
#include "simulate/events/event_reset_impl.h"

#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/projection.h"
#include "dynamics/unilaterals.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/events.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/gap_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Velocities along rows.

typedef struct {
    size_t n, count;
    double *rows;   // orthonormal, n each
    double *values; // of the velocities along them
    double *work;   // n
} RowBasis;

// What of a row, in `work`, the first so many do not tell, as a part of its length; *right becomes
// what the velocities are along that, *miss the same against the largest part of it.
static double basis_reduce(RowBasis *basis, size_t count, const double *row, double *right,
                           double *miss)
{
    size_t n = basis->n;
    double length = 0, left = 0, size = fabs(*right), *rest = basis->work;
    memcpy(rest, row, n * sizeof *rest);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const double *other = basis->rows + i * n;
            double along = real_dot(rest, other, n), part = along * basis->values[i];
            *right -= part;
            size = fmax(size, fabs(part));
            for (size_t j = 0; j < n; j++)
                rest[j] -= along * other[j];
        }
    for (size_t j = 0; j < n; j++) {
        length = hypot(length, row[j]);
        left = hypot(left, rest[j]);
    }
    *miss = size > 0 ? fabs(*right) / size : 0;
    return length > 0 ? left / length : 0;
}

// Takes a row in; false where the ones before it determine what it is, and by how much it differs
// from that.
static bool basis_add(RowBasis *basis, const double *row, double right, double *miss)
{
    size_t n = basis->n;
    if (!(basis_reduce(basis, basis->count, row, &right, miss) > TOL_RANK))
        return false;
    assert(basis->count < n);
    double left = 0;
    for (size_t j = 0; j < n; j++)
        left = hypot(left, basis->work[j]);
    for (size_t j = 0; j < n; j++)
        basis->rows[basis->count * n + j] = basis->work[j] / left;
    basis->values[basis->count++] = right / left;
    return true;
}

static void basis_velocities(const RowBasis *basis, double *v)
{
    memset(v, 0, basis->n * sizeof *v);
    for (size_t i = 0; i < basis->count; i++)
        for (size_t j = 0; j < basis->n; j++)
            v[j] += basis->values[i] * basis->rows[i * basis->n + j];
}

// ---- Positions.

static bool reset_positions(const Equations *eq, State *state, const GapFunctions *gaps,
                            const ResetValues *reset, Text *reason)
{
    bool any = false;
    for (size_t i = 0; i < reset->action->set_count; i++)
        if (reset->action->sets[i].of == SET_COORD) {
            state->q[reset->action->sets[i].target] = reset->values[i];
            any = true;
        }
    if (!any)
        return true;
    size_t worst = 0;
    positions_evaluate(state);
    double miss = eq->finite > 0 ? positions_miss(eq, state, &worst) : 0;
    if (!(miss <= TOL_CONDITION)) {
        text_addf(reason,
                  " contradicts the constraint '%s': its residual is %.6g; set the other "
                  "coordinates in it too",
                  eq->finite_conditions[worst].constraint->name, positions_f(state)[worst]);
        return false;
    }
    if (miss > 0)
        positions_project(eq, state, LIMIT_STEPS);
    gaps_evaluate(gaps, *state->t, state->q, gaps->f);
    for (size_t i = 0; i < gaps->count; i++)
        if (gaps->f[i] > EVENT_MARGIN * gaps->band[i]) {
            text_addf(reason,
                      " contradicts the constraint '%s': it is violated by %.6g; set the "
                      "coordinates in it otherwise",
                      unilaterals_condition(gaps->unilaterals, i)->name, gaps->f[i]);
            return false;
        }
    return true;
}

// ---- Velocities.

static bool is_set(const ResetValues *reset, SetOf of, size_t target)
{
    for (size_t i = 0; i < reset->action->set_count; i++)
        if (reset->action->sets[i].of == of && reset->action->sets[i].target == target)
            return true;
    return false;
}

static void set_given(State *state, const ResetValues *reset)
{
    for (size_t i = 0; i < reset->action->set_count; i++)
        if (reset->action->sets[i].of == SET_VELOCITY)
            state->v[reset->action->sets[i].target] = reset->values[i];
}

// Which condition what is set contradicts: the one that it misses most, with all else as it was.
static void add_contradiction(const Equations *eq, State *state, const ResetValues *reset,
                              Text *reason)
{
    size_t n = eq->n, worst = 0, other = n;
    const double *out = state->velocities.out;
    double most = -1, residual = 0;
    double *v = state->v;
    set_given(state, reset);
    evaluator_run(&state->velocities, state->inputs);
    for (size_t i = 0; i < eq->m; i++) {
        double f = real_dot(out + i * n, v, n) + out[n * n + i], size = fabs(out[n * n + i]);
        for (size_t j = 0; j < n; j++)
            size = fmax(size, fabs(out[i * n + j] * v[j]));
        if (size > 0 && fabs(f) / size > most) {
            most = fabs(f) / size;
            residual = f;
            worst = i;
        }
    }
    for (size_t j = n; j-- > 0;)
        if (out[worst * n + j] != 0 && !is_set(reset, SET_VELOCITY, j))
            other = j;
    text_addf(reason, " contradicts the constraint '%s': its residual is %.6g; ",
              eq->m > 0 ? eq->motion->rows[worst].constraint->name : "", residual);
    if (other < n)
        text_addf(reason, "set %s too, or ", expr_name(eq->motion->pool, eq->motion->v[other]));
    text_add(reason, "use 'impulse'");
}

// The row and the constant of a speed that is kept, as they were evaluated last; its name.
static const char *kept_speed(const Equations *eq, const State *state, const ResetValues *reset,
                              size_t i, double *row, double *rest)
{
    size_t n = eq->n, at = eq->m + i;
    const double *out = state->velocities.out;
    *rest = 0;
    if (eq->all_velocities) {
        memset(row, 0, n * sizeof *row);
        row[i] = 1;
        return expr_name(eq->motion->pool, eq->motion->v[i]);
    }
    memcpy(row, reset->kept ? reset->kept->out + i * (n + 1) : out + at * n, n * sizeof *row);
    *rest = reset->kept ? reset->kept->out[i * (n + 1) + n] : out[n * n + at];
    return eq->motion->kept[i].name;
}

static void evaluate_kept(const Equations *eq, State *state, const ResetValues *reset)
{
    evaluator_run(&state->velocities, state->inputs);
    if (reset->kept && !eq->all_velocities)
        evaluator_run(reset->kept, state->inputs);
}

// The speeds keep their values. One that conditions and what is set determine gives way, and a
// velocity too that these and declared speeds determine; where only others like it determine it as
// well, one of several might.
static bool keep_speeds(const Equations *eq, const State *state, const double *speeds,
                        const ResetValues *reset, RowBasis *basis, Text *reason)
{
    size_t n = eq->n, count = eq->all_velocities ? n : eq->motion->k, given = basis->count,
           before = given;
    double *row = base_alloc(n * sizeof *row), miss, rest;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        if (eq->all_velocities && eq->motion->model->coords.at[i].is_state)
            continue;
        const char *name = kept_speed(eq, state, reset, i, row, &rest);
        double right = speeds[i] - rest, along = right;
        bool declared = !eq->all_velocities && eq->motion->kept[i].declared;
        if (basis_reduce(basis, declared ? given : before, row, &along, &miss) > TOL_RANK &&
            !basis_add(basis, row, right, &miss) && miss > TOL_CONDITION) {
            text_addf(reason,
                      " does not say which speeds keep their values: %s is one of several that "
                      "could give way; set it too, or use 'impulse'",
                      name);
            good = false;
        }
        before = declared ? basis->count : before;
    }
    base_free(row);
    return good;
}

// What tells what is set, at the state, with what it sets of discrete states.
static const double *given_rows(const Equations *eq, const State *state, const ResetValues *reset)
{
    const ModelAction *action = reset->action;
    double *inputs = base_alloc(eq->input_count * sizeof *inputs);
    memcpy(inputs, state->inputs, eq->input_count * sizeof *inputs);
    for (size_t i = 0; i < action->set_count; i++)
        if (action->sets[i].of == SET_STATE)
            inputs[action->sets[i].target] = reset->values[i];
    evaluator_run(reset->numbers, inputs);
    base_free(inputs);
    return reset->numbers->out + action->set_count;
}

// As all is to first order about the state's velocities, which are moved.
static bool solve_velocities(const Equations *eq, State *state, const double *speeds,
                             const ResetValues *reset, Text *reason)
{
    size_t n = eq->n;
    const double *out = state->velocities.out;
    double *room = base_alloc((n * n + 2 * n + 1) * sizeof *room), miss;
    RowBasis basis = {.n = n, .rows = room, .values = room + n * n, .work = room + n * n + n};
    bool good = true;
    evaluate_kept(eq, state, reset);
    const double *rows = given_rows(eq, state, reset);
    for (size_t i = 0; i < eq->m; i++)
        basis_add(&basis, out + i * n, -out[n * n + i], &miss);
    for (size_t i = 0; i < reset->action->set_count && good; i++) {
        const double *row = rows + i * (n + 1);
        SetOf of = reset->action->sets[i].of;
        bool sets = of == SET_VELOCITY || of == SET_SPEED;
        good = !sets || basis_add(&basis, row, reset->values[i] - row[n], &miss) ||
               miss <= TOL_CONDITION;
        if (!good)
            add_contradiction(eq, state, reset, reason);
    }
    good = good && keep_speeds(eq, state, speeds, reset, &basis, reason);
    if (good)
        basis_velocities(&basis, state->v);
    base_free(room);
    return good;
}

static bool reset_velocities(const Equations *eq, State *state, const double *speeds,
                             const ResetValues *reset, Text *reason)
{
    size_t n = eq->n;
    double *was = base_alloc(2 * n * sizeof *was), *former = was + n;
    bool good = true, found = false;
    memcpy(was, state->v, n * sizeof *was);
    set_given(state, reset);
    for (size_t i = 0; i < LIMIT_STEPS && good && !found; i++) {
        memcpy(former, state->v, n * sizeof *former);
        good = solve_velocities(eq, state, speeds, reset, reason);
        if (!good || !real_all_finite(state->v, n))
            break;
        real_add_times(-1, state->v, n, former);
        found = real_largest(former, n) <= TOL_SUM * real_largest(state->v, n);
    }
    if (good && !(found && (!eq->nonlinear || velocities_project(eq, state)))) {
        memcpy(state->v, was, n * sizeof *was);
        add_contradiction(eq, state, reset, reason);
        good = false;
    }
    base_free(was);
    return good;
}

bool reset_apply(const Equations *eq, State *state, const GapFunctions *gaps,
                 const ResetValues *reset, Text *reason)
{
    assert(reset->action->kind == ACTION_SET && reset->values);
    size_t n = eq->n;
    double *speeds = base_alloc((2 * n + 1) * sizeof *speeds), *row = speeds + n, rest;
    evaluate_kept(eq, state, reset);
    for (size_t i = 0; i < (eq->all_velocities ? n : eq->motion->k); i++) {
        kept_speed(eq, state, reset, i, row, &rest);
        speeds[i] = real_dot(row, state->v, n) + rest;
    }
    bool good = reset_positions(eq, state, gaps, reset, reason);
    good = good && reset_velocities(eq, state, speeds, reset, reason);
    if (good)
        velocities_follow_states(eq, state);
    base_free(speeds);
    return good;
}

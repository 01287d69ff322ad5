// start_position.c: positions at t = 0, and what a start says of itself.
//
// Given coordinates are held; the others start from 0 or from their `approx` values and go to
// the nearest point that meets the finite conditions: Gauss–Newton steps of least norm reach a
// point, then the tangential part of the way back is taken off it until none is left.
#include "base/base.h"
#include "dynamics/projection.h"
#include "dynamics/start.h"
#include "expr/expr.h"
#include "model/model.h"
#include "motion/motion_types.h"

#include <math.h>
#include <string.h>

// Conditions are met below this miss (of the largest term); given values that miss them by less
// than the second number are moved, as the language says.
#define MET          1e-12
#define SMALL        1e-9
#define MOST_NEWTON  100
#define MOST_NEAREST 300
// Searches from different places.
#define MOST_SEARCHES 12
// The part of the way back that counts as none.
#define TANGENT 1e-13
// Against the largest of its kind: what is smaller is rounding, and is said to be 0.
#define NOTHING 1e-15
// How many names a note lists.
#define MOST_NAMES 12

// ---- What is said.

double start_largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

void start_say_zero(Start *start, const char *name)
{
    if (++start->zero_count > MOST_NAMES)
        return;
    if (start->zeros.length > 0)
        text_add(&start->zeros, ", ");
    text_add(&start->zeros, name);
}

void start_say_follows(Start *start, const char *name, double value)
{
    if (++start->follow_count > MOST_NAMES)
        return;
    if (start->follows.length > 0)
        text_add(&start->follows, ", ");
    text_addf(&start->follows, "%s = %.6g", name,
              fabs(value) <= NOTHING * start->size ? 0.0 : value);
}

static void say_note(Start *start)
{
    Text note = {0};
    if (start->zeros.length > 0)
        text_addf(&note, "not given, so 0: %s", start->zeros.at);
    if (start->zero_count > MOST_NAMES)
        text_addf(&note, " and %zu more", start->zero_count - MOST_NAMES);
    if (start->follows.length > 0)
        text_addf(&note, "%sfound from the rest: %s", note.length > 0 ? "; " : "",
                  start->follows.at);
    if (start->follow_count > MOST_NAMES)
        text_addf(&note, " and %zu more", start->follow_count - MOST_NAMES);
    if (start->branch)
        text_addf(&note,
                  "%sof several velocities that the constraints may allow these are the "
                  "nearest to a guess, and 'initial approx' chooses others",
                  note.length > 0 ? "; " : "");
    if (note.length > 0)
        diag_add(start->diag, DIAG_NOTE, place_none(), "start: %s", note.at);
    text_clear(&note);
}

static const char *start_name(const Model *model, const ModelStart *given)
{
    switch (given->of) {
    case START_COORD: return model->coords.at[given->target].name;
    case START_VELOCITY: return expr_name(model->pool, model->coords.at[given->target].v);
    case START_SPEED: return model->speeds.at[given->target].name;
    }
    return "";
}

void start_print_given(const Start *start, size_t index, Text *out)
{
    const ModelStart *given = &start->model->starts.at[index];
    text_addf(out, "%s = %.10g", start_name(start->model, given), start->values[index]);
}

// ---- Values.

static Status evaluate_values(Start *start)
{
    const Model *model = start->model;
    size_t count = model->starts.count;
    Expr *values = base_alloc((count + 1) * sizeof *values), missing = {0};
    Evaluator evaluator = {0};
    for (size_t i = 0; i < count; i++)
        values[i] = model->starts.at[i].value;
    bool known = evaluator_init(&evaluator, model->pool, start->eq->symbols, start->eq->params,
                                values, count, &missing);
    base_free(values);
    if (!known)
        return diag_error(start->diag, place_none(),
                          "an initial value holds '%s'; only parameters and numbers may stand "
                          "there",
                          expr_name(model->pool, missing));
    evaluator_run(&evaluator, start->state->inputs);
    Status status = STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        start->values[i] = evaluator.out[i];
        if (!isfinite(evaluator.out[i]))
            status = diag_error(start->diag, model->starts.at[i].place,
                                "the initial value of %s is not a finite number",
                                start_name(model, &model->starts.at[i]));
    }
    evaluator_clear(&evaluator);
    return status;
}

static void place_coordinates(Start *start)
{
    const Model *model = start->model;
    size_t n = start->eq->n;
    memset(start->state->q, 0, n * sizeof(double));
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *given = &model->starts.at[i];
        if (given->of != START_COORD)
            continue;
        start->state->q[given->target] = start->values[i];
        start->held[given->target] = !given->approx;
    }
    positions_free_all(start->eq, start->state);
    for (size_t j = 0; j < n; j++)
        if (start->held[j])
            positions_hold(start->state, j);
    memcpy(start->candidates, start->state->q, n * sizeof(double));
}

// ---- Meeting the conditions.

double start_search(Start *start)
{
    positions_search(start->eq, start->state);
    return positions_project(start->eq, start->state, MOST_NEWTON);
}

// Where the search begins: where it was asked to, and aside of it, a different way for each
// coordinate and each try, and the same in each run. At a point where the conditions do not change
// to first order (the middle of a circle) no step leads anywhere.
static void begin_search(Start *start, size_t attempt)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    memcpy(state->q, start->candidates, eq->n * sizeof(double));
    if (attempt == 0)
        return;
    double aside = fmin(1e-3 * pow(10, (double)(attempt - 1)), 1 + (double)attempt / 4);
    for (size_t j = 0, free = 0; j < eq->n; j++) {
        bool back = attempt > 4 && (free + attempt) % 3 == 0;
        if (!start->held[j])
            state->q[j] += (back ? -aside : aside) / (1 + 0.5 * (double)free++);
    }
}

// Newton's steps first, then searches; where none arrives, the nearest that one came.
static double meet(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    size_t bytes = eq->n * sizeof(double), free = 0;
    double miss = positions_project(eq, state, MOST_NEWTON);
    for (size_t j = 0; j < eq->n; j++)
        free += !start->held[j];
    if (miss <= MET || free == 0)
        return miss;
    double *best = base_alloc(bytes), least = INFINITY;
    memcpy(best, start->candidates, bytes);
    for (size_t attempt = 0; !(least <= MET) && attempt < MOST_SEARCHES; attempt++) {
        begin_search(start, attempt);
        miss = start_search(start);
        if (miss < least) {
            least = miss;
            memcpy(best, state->q, bytes);
        }
    }
    memcpy(state->q, best, bytes);
    positions_evaluate(state);
    base_free(best);
    return positions_miss(eq, state, NULL);
}

// The tangential part, at the present point, of the way from where the coordinates were asked to
// be; returns its length.
static double way_back(Start *start, double *tangent)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    size_t n = eq->n;
    double *residuals = base_alloc((eq->finite + n + 1) * sizeof *residuals);
    double *normal = residuals + eq->finite, square = 0;
    for (size_t i = 0; i < eq->finite; i++)
        for (size_t j = 0; j < n; j++)
            if (!start->held[j])
                residuals[i] +=
                    positions_jacobian(eq, state)[i * n + j] * (state->q[j] - start->candidates[j]);
    positions_least_change(eq, state, residuals, normal);
    for (size_t j = 0; j < n; j++) {
        tangent[j] = start->held[j] ? 0 : state->q[j] - start->candidates[j] - normal[j];
        square += tangent[j] * tangent[j];
    }
    base_free(residuals);
    return sqrt(square);
}

static double distance(const Start *start)
{
    double square = 0;
    for (size_t j = 0; j < start->eq->n; j++)
        square += pow(start->state->q[j] - start->candidates[j], 2);
    return sqrt(square);
}

// One step along the tangent and back onto the conditions; false where no part of it helps.
static bool step_nearer(Start *start, const double *from, double *tangent, double *length)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    size_t n = eq->n;
    double old_length = *length, old_distance = distance(start);
    double *aside = base_alloc(n * sizeof *aside);
    memcpy(aside, tangent, n * sizeof *aside);
    bool nearer = false;
    for (double part = 1; part > 1e-6 && !nearer; part /= 2) {
        for (size_t j = 0; j < n; j++)
            state->q[j] = from[j] - part * aside[j];
        if (!(positions_project(eq, state, MOST_NEWTON) <= MET))
            continue;
        *length = way_back(start, tangent);
        // Near the end the distance no longer tells, but the tangent does.
        double gain = old_distance - distance(start);
        nearer =
            gain > 1e-9 * old_distance || (gain > -1e-9 * old_distance && *length < old_length);
    }
    base_free(aside);
    return nearer;
}

static void go_nearest(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    size_t n = eq->n;
    double *from = base_alloc(2 * n * sizeof *from), *tangent = from + n;
    double length = way_back(start, tangent);
    for (size_t step = 0; step < MOST_NEAREST && length > TANGENT * distance(start); step++) {
        memcpy(from, state->q, n * sizeof *from);
        if (!step_nearer(start, from, tangent, &length)) {
            memcpy(state->q, from, n * sizeof *from);
            positions_project(eq, state, MOST_NEWTON);
            break;
        }
    }
    base_free(from);
}

// Whether what is left of the residuals is a rounding of the given values.
static bool is_small(Start *start)
{
    for (size_t i = 0; i < start->eq->finite; i++) {
        double scale = positions_scale(start->eq, start->state, i);
        if (!(fabs(positions_f(start->state)[i]) <= SMALL * fmax(1, scale)))
            return false;
    }
    return true;
}

static Status complete_positions(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    *state->t = 0;
    place_coordinates(start);
    if (eq->finite > 0) {
        double miss = meet(start);
        if (!(miss <= MET)) {
            bool small = is_small(start);
            if (small) {
                positions_free_all(eq, state);
                miss = positions_project(eq, state, MOST_NEWTON);
            }
            if (!small || !(miss <= MET))
                return start_contradiction(start);
        } else {
            go_nearest(start);
        }
    }
    start->size = start_largest(state->q, eq->n);
    for (size_t j = 0; j < eq->n; j++) {
        const char *name = start->model->coords.at[j].name;
        if (start->held[j])
            continue;
        if (state->q[j] != start->candidates[j])
            start_say_follows(start, name, state->q[j]);
        else if (state->q[j] == 0)
            start_say_zero(start, name);
    }
    return STATUS_OK;
}

Status start_complete(const Equations *eq, State *state, Diag *diag)
{
    const Model *model = eq->motion->model;
    size_t n = eq->n;
    Start start = {.eq = eq, .state = state, .model = model, .diag = diag};
    start.values = base_alloc((model->starts.count + 1) * sizeof(double));
    start.held = base_alloc((n + 1) * sizeof(bool));
    start.said = base_alloc((n + 1) * sizeof(bool));
    start.candidates = base_alloc((n + 1) * sizeof(double));
    Status status = evaluate_values(&start);
    if (status == STATUS_OK)
        status = complete_positions(&start);
    if (status == STATUS_OK)
        status = start_velocities(&start);
    if (status == STATUS_OK)
        say_note(&start);
    positions_free_all(eq, state);
    base_free(start.values);
    base_free(start.held);
    base_free(start.said);
    base_free(start.candidates);
    text_clear(&start.zeros);
    text_clear(&start.follows);
    return status;
}

// start_position.c: positions where a run begins, and what a start says of itself.
//
// Given coordinates are held; the others start from 0 or from their `approx` values and go to
// the nearest point that meets the finite conditions: Gauss–Newton steps of least norm reach a
// point, then the tangential part of the way back is taken off it until none is left.
//
// Newton's steps of least change are for the last part of the way. Before it the sum of the squared
// residuals, each measured by the largest term of its condition, is brought down by Levenberg's and
// Marquardt's steps, the least squares of J·dq = −f and √(μ·diag JᵀJ)·dq = 0, μ growing until a
// step helps. They stand conditions that follow from each other at the goal, and lead around where
// J loses rank.
#include "base/diag.h"
#include "dynamics/equations.h"
#include "dynamics/projection.h"
#include "dynamics/start_impl.h"
#include "expr/arithmetic.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

// ---- What is said.

void name_list_add(NameList *list, const char *format, ...)
{
    if (++list->count > LIMIT_SETS)
        return;
    if (list->count > 1)
        text_add(&list->text, ", ");
    va_list args;
    va_start(args, format);
    text_addv(&list->text, format, args);
    va_end(args);
}

const char *name_list_end(NameList *list)
{
    if (list->count > LIMIT_SETS)
        text_addf(&list->text, " and %zu more", list->count - LIMIT_SETS);
    return list->count > 0 ? list->text.at : "";
}

void start_say_follows(Start *start, const char *name, double value, double size)
{
    assert(fabs(value) <= size);
    name_list_add(&start->follows, "%s = %.6g", name,
                  fabs(value) <= TOL_ROUNDING * size ? 0.0 : value);
}

void start_say_moved(Start *start, size_t index, double value, double size)
{
    assert(index < start->model->starts.count);
    const ModelStart *given = &start->model->starts.at[index];
    if (fabs(value - start->values[index]) > TOL_ROUNDING * size)
        name_list_add(&start->moved, "%s = %.15g became %.15g",
                      start_name(start->model, given->of, given->target), start->values[index],
                      value);
}

static void say_note(Start *start)
{
    Text note = {0};
    if (start->moved.count > 0)
        diag_add(start->diag, DIAG_NOTE, place_none(), START_MOVED "%s",
                 name_list_end(&start->moved));
    if (start->zeros.count > 0)
        text_addf(&note, "not given, so 0: %s", name_list_end(&start->zeros));
    if (start->follows.count > 0)
        text_addf(&note, "%sfound from the rest: %s", note.length > 0 ? "; " : "",
                  name_list_end(&start->follows));
    if (start->branch)
        text_addf(&note,
                  "%sof several velocities that the constraints may allow these are the "
                  "nearest to a guess, and 'initial approx' chooses others",
                  note.length > 0 ? "; " : "");
    if (note.length > 0)
        diag_add(start->diag, DIAG_NOTE, place_none(), "start: %s", note.at);
    text_clear(&note);
}

const char *start_name(const Model *model, StartOf of, size_t target)
{
    switch (of) {
    case START_COORD: return model->coords.at[target].name;
    case START_VELOCITY: return expr_name(model->pool, model->coords.at[target].v);
    case START_SPEED: return model->speeds.at[target].name;
    }
    return "";
}

void start_list_given(const Start *start, size_t index, NameList *list)
{
    assert(index < start->model->starts.count);
    const ModelStart *given = &start->model->starts.at[index];
    name_list_add(list, "%s = %.10g", start_name(start->model, given->of, given->target),
                  start->values[index]);
}

// ---- Values.

bool start_evaluate(const Equations *eq, const State *state, const Expr *exprs, size_t count,
                    size_t inputs, double *values, Expr *missing)
{
    assert(inputs <= eq->input_count);
    Evaluator evaluator = {0};
    bool known =
        evaluator_init(&evaluator, eq->motion->pool, eq->symbols, inputs, exprs, count, missing);
    if (known) {
        evaluator_run(&evaluator, state->inputs);
        memcpy(values, evaluator.out, count * sizeof *values);
    }
    evaluator_clear(&evaluator);
    return known;
}

static Status evaluate_values(Start *start)
{
    const Model *model = start->model;
    size_t count = model->starts.count;
    Expr *values = arena_array(start->arena, Expr, count + 1), missing = {0};
    for (size_t i = 0; i < count; i++)
        values[i] = model->starts.at[i].value;
    if (!start_evaluate(start->eq, start->state, values, count, start->eq->params, start->values,
                        &missing))
        return diag_error(start->diag, place_none(),
                          "an initial value holds '%s'; only parameters and numbers may stand "
                          "there",
                          expr_name(model->pool, missing));
    Status status = STATUS_OK;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(start->values[i]))
            status =
                diag_error(start->diag, model->starts.at[i].place,
                           "the initial value of %s is not a finite number",
                           start_name(model, model->starts.at[i].of, model->starts.at[i].target));
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
    for (size_t j = 0; j < n; j++)
        positions_moves(start->state)[j] = !start->held[j];
    memcpy(start->candidates, start->state->q, n * sizeof(double));
}

// ---- From far away.

typedef struct {
    const Equations *eq;
    State *state;
    double *scale;  // finite: of the conditions, where a step begins
    double *matrix; // n columns: J in these units, below it the damping
    double *step;   // n; before, the residuals
    double *from;
} Search;

static double merit(const Search *search)
{
    double sum = 0;
    for (size_t i = 0; i < search->eq->finite; i++)
        sum += pow(positions_f(search->state)[i] / search->scale[i], 2);
    return sum;
}

// Coordinates that are held have no column. One that no condition feels is held by a small part of
// the others.
static void find_step(Search *search, double damping)
{
    const State *state = search->state;
    size_t n = search->eq->n, finite = search->eq->finite, rows = finite + n;
    const double *jacobian = positions_jacobian(search->eq, state);
    double most = 0;
    memset(search->matrix, 0, rows * n * sizeof(double));
    memset(search->step, 0, rows * sizeof(double));
    for (size_t i = 0; i < finite; i++)
        search->step[i] = positions_f(state)[i] / search->scale[i];
    for (size_t j = 0; j < n; j++) {
        double *column = search->matrix + j * rows, moves = positions_moves(search->state)[j];
        for (size_t i = 0; i < finite; i++)
            column[i] = moves != 0 ? jacobian[i * n + j] / search->scale[i] : 0;
        column[finite + j] = real_length(column, finite);
        most = fmax(most, column[finite + j]);
    }
    for (size_t j = 0; j < n; j++) {
        double *own = &search->matrix[j * rows + finite + j];
        *own = sqrt(damping) * fmax(*own, sqrt(TOL_ZERO) * most);
    }
    least_squares(search->matrix, rows, n, 0, search->step);
}

// One step that helps; false where there is none.
static bool improve(Search *search, double *damping)
{
    const Equations *eq = search->eq;
    State *state = search->state;
    memcpy(search->from, state->q, eq->n * sizeof(double));
    for (size_t i = 0; i < eq->finite; i++) {
        double scale = positions_scale(eq, state, i);
        search->scale[i] = scale > 0 && isfinite(scale) ? scale : 1;
    }
    double before = merit(search);
    for (; *damping < 1 / TOL_ZERO; *damping *= 4) {
        find_step(search, *damping);
        real_add_times(-1, search->step, eq->n, state->q);
        positions_evaluate(state);
        if (merit(search) < before * (1 - DBL_EPSILON)) {
            *damping = fmax(*damping / 5, DBL_EPSILON);
            return true;
        }
        memcpy(state->q, search->from, eq->n * sizeof(double));
        positions_evaluate(state);
    }
    return false;
}

double positions_search(const Equations *eq, State *state, bool gently)
{
    size_t n = eq->n, rows = eq->finite + n;
    assert(n > 0 && eq->finite > 0);
    Arena *arena = arena_new();
    Search search = {.eq = eq,
                     .state = state,
                     .scale = real_alloc(arena, eq->finite),
                     .matrix = real_alloc(arena, rows * n),
                     .step = real_alloc(arena, rows),
                     .from = real_alloc(arena, n)};
    double damping = gently ? 1 / TOL_CONDITION : TOL_COARSE;
    positions_evaluate(state);
    // Nearer than that Newton takes over.
    for (size_t i = 0; i < LIMIT_SEARCH && positions_miss(eq, state, NULL) > TOL_COARSE; i++)
        if (!improve(&search, &damping))
            break;
    arena_free(arena);
    return positions_project(eq, state, LIMIT_STEPS);
}

// ---- Meeting the conditions.

size_t start_place(const Start *start, size_t coordinate)
{
    const Model *model = start->model;
    const char *name = model->coords.at[coordinate].name;
    size_t place = 0;
    assert(coordinate < start->eq->n);
    for (size_t j = 0; j < start->eq->n; j++)
        place += start->held[j] == start->held[coordinate]
                     ? strcmp(model->coords.at[j].name, name) < 0
                     : start->held[coordinate];
    return place;
}

// Where the search begins: where it was asked to, and aside of it, a different way for each
// coordinate and each try, and the same in each run. At a point where the conditions do not change
// to first order (the middle of a circle) no step leads anywhere.
static void begin_search(Start *start, size_t attempt)
{
    size_t n = start->eq->n;
    double *q = start->state->q;
    memcpy(q, start->candidates, n * sizeof *q);
    if (attempt == 0)
        return;
    double aside = fmin(TOL_COARSE * pow(8, (double)(attempt - 1)), 1 + (double)attempt / 4);
    for (size_t j = 0; j < n; j++) {
        size_t place = start_place(start, j);
        bool back = attempt > 4 && (place + attempt) % 3 == 0;
        if (!start->held[j])
            q[j] += (back ? -aside : aside) / (1 + 0.5 * (double)place);
    }
}

static double way_gone(const Start *start)
{
    double sum = 0;
    for (size_t j = 0; j < start->eq->n; j++)
        sum += pow(start->state->q[j] - start->candidates[j], 2);
    return sqrt(sum);
}

// Where the conditions hardly change at first, a step may lead far away, over many turns of an
// angle: what was found gives way to what small steps find at less than half the way.
static void come_nearer(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    double *best = real_alloc(start->arena, eq->n), shortest = way_gone(start);
    memcpy(best, state->q, eq->n * sizeof *best);
    for (size_t attempt = 1; attempt < LIMIT_SETS; attempt++) {
        begin_search(start, attempt);
        if (!(positions_search(eq, state, true) <= TOL_ZERO) || !(way_gone(start) < shortest / 2))
            continue;
        shortest = way_gone(start);
        memcpy(best, state->q, eq->n * sizeof *best);
    }
    memcpy(state->q, best, eq->n * sizeof *best);
    positions_evaluate(state);
}

// Newton's steps first, then searches; where none arrives, the nearest that one came.
static double meet(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    double *best = real_alloc(start->arena, eq->n), least = INFINITY;
    double miss = positions_project(eq, state, LIMIT_STEPS);
    memcpy(best, start->candidates, eq->n * sizeof *best);
    for (size_t attempt = 0; !(miss <= TOL_ZERO) && attempt < LIMIT_SETS; attempt++) {
        begin_search(start, attempt);
        miss = positions_search(eq, state, false);
        if (miss <= TOL_ZERO && attempt > 0)
            come_nearer(start);
        if (miss < least) {
            least = miss;
            memcpy(best, state->q, eq->n * sizeof *best);
        }
    }
    if (miss <= TOL_ZERO)
        return miss;
    memcpy(state->q, best, eq->n * sizeof *best);
    positions_evaluate(state);
    return positions_miss(eq, state, NULL);
}

// What has no inertia goes where the forces on it are in balance, and leaves the rest where it is.
// False where there is nothing such, or that is not enough.
static bool meet_balance(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    double *moves = positions_moves(state);
    bool any = false;
    for (size_t j = 0; j < eq->n; j++)
        moves[j] = 0;
    for (size_t i = 0; i < eq->finite; i++) {
        const ModelHidden *hidden = eq->finite_conditions[i].constraint->hidden;
        if (!hidden || hidden->servo_count > 0 || start->held[hidden->coordinate])
            continue;
        moves[hidden->coordinate] = 1;
        any = true;
    }
    bool met = any && positions_project(eq, state, LIMIT_STEPS) <= TOL_ZERO;
    for (size_t j = 0; j < eq->n; j++)
        moves[j] = !start->held[j];
    if (!met)
        memcpy(state->q, start->candidates, eq->n * sizeof *state->q);
    return met;
}

// ---- The nearest point.

// What of the way from the candidates to the present position is tangential to the conditions, 0
// for coordinates that are held; its length. `work` is for n + finite numbers.
static double find_tangent(const Start *start, double *work, double *tangent, double *distance)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    size_t n = eq->n;
    double *whole = work, *residuals = work + n;
    for (size_t j = 0; j < n; j++)
        whole[j] = state->q[j] - start->candidates[j];
    for (size_t i = 0; i < eq->finite; i++)
        residuals[i] = real_dot(positions_jacobian(eq, state) + i * n, whole, n);
    positions_least_change(eq, state, residuals, positions_moves(state), tangent);
    for (size_t j = 0; j < n; j++)
        tangent[j] = whole[j] - tangent[j];
    *distance = real_length(whole, n);
    return real_length(tangent, n);
}

// Steps back along the tangent and onto the conditions, halved until they help.
static void go_nearest(Start *start)
{
    const Equations *eq = start->eq;
    size_t n = eq->n, bytes = n * sizeof(double);
    double *q = start->state->q, *work = real_alloc(start->arena, n + eq->finite);
    double *tangent = real_alloc(start->arena, n), *step = real_alloc(start->arena, n);
    double *best = real_alloc(start->arena, n), now, least, part = 1;
    double length = find_tangent(start, work, step, &least);
    memcpy(best, q, bytes);
    for (size_t i = 0; i < LIMIT_SEARCH && part > TOL_SMALL && length > TOL_SUM * least; i++) {
        for (size_t j = 0; j < n; j++)
            q[j] = best[j] - part * step[j];
        bool met = positions_project(eq, start->state, LIMIT_STEPS) <= TOL_ZERO;
        double left = met ? find_tangent(start, work, tangent, &now) : length;
        // Near the end the distance no longer tells, but the tangent does.
        double gain = met ? (least - now) / least : -1;
        part /= 2;
        if (gain > TOL_CONDITION || (gain > -TOL_CONDITION && left < length)) {
            length = left;
            least = now;
            part = 1;
            memcpy(best, q, bytes);
            memcpy(step, tangent, bytes);
        }
    }
    if (part < 1) {
        memcpy(q, best, bytes);
        positions_project(eq, start->state, LIMIT_STEPS);
    }
}

// ---- All of it.

static Status complete_positions(Start *start)
{
    const Equations *eq = start->eq;
    State *state = start->state;
    place_coordinates(start);
    bool balanced = meet_balance(start);
    double miss = !balanced && eq->finite > 0 ? meet(start) : 0;
    if (balanced) {
        positions_evaluate(state);
    } else if (miss <= TOL_ZERO) {
        go_nearest(start);
    } else if (miss <= TOL_CONDITION) {
        // What is left is a rounding of the given values, which may move by that.
        positions_free_all(eq, state);
        miss = positions_project(eq, state, LIMIT_STEPS);
    }
    if (!(miss <= TOL_ZERO))
        return start_contradiction(start);
    double size = real_largest(state->q, eq->n);
    for (size_t i = 0; i < start->model->starts.count; i++) {
        const ModelStart *given = &start->model->starts.at[i];
        if (given->of == START_COORD && !given->approx)
            start_say_moved(start, i, state->q[given->target], 0);
    }
    for (size_t j = 0; j < eq->n; j++) {
        const char *name = start->model->coords.at[j].name;
        if (start->held[j])
            continue;
        if (state->q[j] != start->candidates[j])
            start_say_follows(start, name, state->q[j], size);
        else if (state->q[j] == 0)
            name_list_add(&start->zeros, "%s", name);
    }
    return STATUS_OK;
}

Status start_complete(const Equations *eq, State *state, Diag *diag)
{
    return start_complete_moved(eq, state, SIZE_MAX, 0, diag);
}

Status start_complete_moved(const Equations *eq, State *state, size_t moved, double by, Diag *diag)
{
    const Model *model = eq->motion->model;
    Start start = {.eq = eq, .state = state, .model = model, .diag = diag, .arena = arena_new()};
    start.values = real_alloc(start.arena, model->starts.count);
    start.held = arena_array(start.arena, bool, eq->n + 1);
    start.candidates = real_alloc(start.arena, eq->n);
    Status status = evaluate_values(&start);
    if (moved < model->starts.count)
        start.values[moved] += by;
    if (status == STATUS_OK)
        status = complete_positions(&start);
    if (status == STATUS_OK)
        status = start_leave_switches(&start);
    if (status == STATUS_OK)
        status = start_velocities(&start);
    if (status == STATUS_OK)
        say_note(&start);
    positions_free_all(eq, state);
    text_clear(&start.zeros.text);
    text_clear(&start.moved.text);
    text_clear(&start.follows.text);
    arena_free(start.arena);
    return status;
}

// start_velocity.c: velocities at t = 0, as a sequence of linear equations in them.
//
// First the conditions, then what is given, then `approx` values, then zeros in the order that
// the language fixes: declared speeds, independent velocities, coordinates. An equation that
// depends on those before it adds nothing; where it disagrees with them, and is a given one, the
// start contradicts itself. Each kept equation stands as a unit vector orthogonal to the others,
// together with the combination of original equations that made it, so that the clash is named. In
// large systems with few entries the equations are eliminated one after the other instead; where
// they clash there, they are gone through again to say why.
//
// Conditions and speeds that are not linear in the velocities are linear in them to first order:
// the sequence is solved again and again, each time about the last velocities (Newton), from what
// is given and from a few guesses of the rest in turn.
#include "base/base.h"
#include "dynamics/projection.h"
#include "dynamics/start.h"
#include "expr/expr.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "model/constraint.h"
#include "model/model.h"
#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What must stand off the equations before it, of a unit row, for independence.
#define RANK 1e-9
// A given value may miss by this much; it is then moved onto the conditions.
#define SMALL 1e-9

typedef enum { FROM_CONDITION, FROM_GIVEN, FROM_ZERO } EquationFrom;
typedef struct {
    EquationFrom from;
    size_t index; // among the motion's rows, or the model's starts
} EquationOrigin;

typedef struct {
    Start *start;
    size_t n, count;         // unknowns, equations kept
    double *units;           // n × n, a unit vector a row
    double *values;          // n: unit·q' = value
    double *made_of;         // n × n: unit i = Σ made_of[i][j]·equation j
    double *rights;          // n: right sides of the equations kept
    EquationOrigin *origins; // n: of the equations kept
    size_t *from, *to;       // n each: where a unit's numbers begin and end that are not 0
    double *rest, *parts;    // n each, of the equation being added
    Evaluator speeds;        // rows and constants of all declared speeds
    bool quiet;              // nothing is said: this is one turn of several
    bool clashes;            // an equation disagreed with those before it, in a quiet turn
    bool near;               // what is free stays as it is, instead of being 0
    Echelon *echelon;        // of a large system; NULL: all of the above
    bool clashed;            // in a large system
} System;

typedef enum { ADDED, FOLLOWS, CLASHES } Addition;

// What an equation adds to those kept. `rest` is left as what stands off them, `parts` as how
// the remainder is made of the equations kept; *miss is by how much the value differs.
static Addition examine(System *system, const double *row, double right, double *miss)
{
    size_t n = system->n;
    double length = 0, size = fabs(right), off = 0;
    memcpy(system->rest, row, n * sizeof *row);
    memset(system->parts, 0, n * sizeof *row);
    for (size_t j = 0; j < n; j++)
        length = fmax(length, fabs(row[j]));
    *miss = right;
    // Twice, so that the vectors stay orthogonal to rounding.
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < system->count; i++) {
            const double *unit = system->units + i * n;
            double along = 0;
            for (size_t j = system->from[i]; j < system->to[i]; j++)
                along += unit[j] * system->rest[j];
            if (along == 0)
                continue;
            for (size_t j = system->from[i]; j < system->to[i]; j++)
                system->rest[j] -= along * unit[j];
            for (size_t j = 0; j < system->count; j++)
                system->parts[j] += along * system->made_of[i * n + j];
            *miss -= along * system->values[i];
            size = fmax(size, fabs(along * system->values[i]));
        }
    for (size_t j = 0; j < n; j++)
        off = fmax(off, fabs(system->rest[j]));
    if (off > RANK * length)
        return ADDED;
    return fabs(*miss) <= SMALL * fmax(1, size) ? FOLLOWS : CLASHES;
}

static Addition add_to_echelon(System *system, const double *row, double right, double *miss)
{
    if (echelon_take(system->echelon, row, right, miss)) {
        system->count++;
        return ADDED;
    }
    return fabs(*miss) <= SMALL * fmax(1, fabs(right)) ? FOLLOWS : CLASHES;
}

static Addition add(System *system, const double *row, double right, EquationOrigin origin,
                    double *miss)
{
    if (system->echelon)
        return add_to_echelon(system, row, right, miss);
    size_t n = system->n, at = system->count;
    Addition addition = examine(system, row, right, miss);
    if (addition != ADDED)
        return addition;
    double square = 0;
    for (size_t j = 0; j < n; j++)
        square += system->rest[j] * system->rest[j];
    double length = sqrt(square);
    system->from[at] = n;
    for (size_t j = 0; j < n; j++) {
        if (system->rest[j] != 0) {
            system->from[at] = system->from[at] < j ? system->from[at] : j;
            system->to[at] = j + 1;
        }
        system->units[at * n + j] = system->rest[j] / length;
        system->made_of[at * n + j] = -system->parts[j] / length;
    }
    system->made_of[at * n + at] = 1 / length;
    system->values[at] = *miss / length;
    system->rights[at] = right;
    system->origins[at] = origin;
    system->count++;
    return ADDED;
}

// ---- Clashes.

// Lists the equations of one kind that the last one examined is made of; returns how many.
static size_t list_clash(const System *system, EquationFrom from, Text *out)
{
    const Equations *eq = system->start->eq;
    size_t count = 0;
    for (size_t i = 0; i < system->count; i++) {
        if (system->origins[i].from != from || fabs(system->parts[i]) <= RANK)
            continue;
        if (count++ > 0)
            text_add(out, ", ");
        if (from == FROM_CONDITION)
            text_addf(out, "'%s'", eq->motion->rows[system->origins[i].index].constraint->name);
        else
            start_print_given(system->start, system->origins[i].index, out);
    }
    return count;
}

// The condition that weighs most among the clashing ones, and its residual with the values given.
static const ModelConstraint *heaviest(const System *system, double miss, double *residual)
{
    const ModelConstraint *constraint = NULL;
    double weight = RANK;
    for (size_t i = 0; i < system->count; i++)
        if (system->origins[i].from == FROM_CONDITION && fabs(system->parts[i]) > weight) {
            weight = fabs(system->parts[i]);
            constraint = system->start->eq->motion->rows[system->origins[i].index].constraint;
            *residual = miss / system->parts[i];
        }
    return constraint;
}

static Status given_clashes(const System *system, size_t index, double right, double miss)
{
    Start *start = system->start;
    Place place = start->model->starts.at[index].place;
    Text own = {0}, conditions = {0}, others = {0};
    double residual = 0;
    start_print_given(start, index, &own);
    size_t condition_count = list_clash(system, FROM_CONDITION, &conditions);
    size_t other_count = list_clash(system, FROM_GIVEN, &others);
    const ModelConstraint *constraint = heaviest(system, miss, &residual);
    if (constraint && constraint->kind == CONSTRAINT_NONLINEAR)
        diag_error(start->diag, place,
                   "the initial value %s contradicts the constraint%s %s%s%s, which no velocities "
                   "near those given meet; change or remove a value",
                   own.at, condition_count > 1 ? "s" : "", conditions.at,
                   other_count > 0 ? " together with " : "", other_count > 0 ? others.at : "");
    else if (constraint)
        diag_error(start->diag, place,
                   "the initial value %s contradicts the constraint%s %s%s%s: with %s the %s of "
                   "'%s' is %.3g; change or remove a value",
                   own.at, condition_count > 1 ? "s" : "", conditions.at,
                   other_count > 0 ? " together with " : "", other_count > 0 ? others.at : "",
                   other_count > 0 ? "them" : "it",
                   constraint->keeps == CONSTRAINT_FINITE ? "derivative of the residual"
                                                          : "residual",
                   constraint->name, residual);
    else if (other_count > 0)
        diag_error(
            start->diag, place,
            "the initial value %s contradicts %s, from which %.10g follows; change or remove "
            "a value",
            own.at, others.at, right - miss);
    else
        diag_error(start->diag, place,
                   "the initial value %s is impossible: at the initial position it is %.10g, "
                   "whatever the velocities are",
                   own.at, right - miss);
    text_clear(&own);
    text_clear(&conditions);
    text_clear(&others);
    return STATUS_WRONG;
}

// ---- The equations in their order.

static Status clash_later(System *system)
{
    system->clashed = true;
    return STATUS_WRONG;
}

static Status add_conditions(System *system)
{
    Start *start = system->start;
    const Equations *eq = start->eq;
    const State *state = start->state;
    const double *rows = state->velocities.out, *rest = rows + system->n * system->n;
    for (size_t i = 0; i < eq->m; i++) {
        const ModelConstraint *constraint = eq->motion->rows[i].constraint;
        double miss = 0;
        EquationOrigin origin = {FROM_CONDITION, i};
        Addition addition = add(system, rows + i * system->n, -rest[i], origin, &miss);
        if (addition == CLASHES && system->echelon)
            return clash_later(system);
        if (addition == CLASHES && system->quiet)
            system->clashes = true;
        else if (addition == CLASHES)
            return diag_error(start->diag, constraint->place,
                              "at the initial position the constraint '%s' cannot be met by any "
                              "velocities together with the constraints before it: its residual "
                              "is %.3g",
                              constraint->name, -miss);
    }
    return STATUS_OK;
}

// The row and constant of a coordinate's velocity or of a declared speed.
static double equation_of(System *system, StartOf of, size_t target, double *row)
{
    size_t n = system->n;
    if (of == START_SPEED) {
        const double *speed = system->speeds.out + target * (n + 1);
        memcpy(row, speed, n * sizeof *row);
        return speed[n];
    }
    memset(row, 0, n * sizeof *row);
    row[target] = 1;
    return 0;
}

// Given values, or those that may be moved.
static Status add_given(System *system, bool approx, double *row)
{
    const Start *start = system->start;
    Status status = STATUS_OK;
    for (size_t i = 0; i < start->model->starts.count; i++) {
        const ModelStart *given = &start->model->starts.at[i];
        if (given->of == START_COORD || given->approx != approx)
            continue;
        double miss = 0, constant = equation_of(system, given->of, given->target, row);
        double right = start->values[i] - constant;
        EquationOrigin origin = {FROM_GIVEN, i};
        Addition addition = add(system, row, right, origin, &miss);
        if (given->of == START_VELOCITY && (!approx || addition == ADDED))
            start->said[given->target] = true;
        if (addition == CLASHES && !approx && system->echelon)
            return clash_later(system);
        if (addition == CLASHES && !approx && system->quiet)
            system->clashes = true;
        else if (addition == CLASHES && !approx)
            status = given_clashes(system, i, start->values[i], miss);
    }
    return status;
}

static void add_zero(System *system, StartOf of, size_t target, double *row)
{
    Start *start = system->start;
    if (system->count == system->n)
        return;
    double miss = 0, constant = equation_of(system, of, target, row);
    EquationOrigin origin = {FROM_ZERO, target};
    if (add(system, row, -constant, origin, &miss) != ADDED || system->quiet)
        return;
    if (of == START_SPEED) {
        start_say_zero(start, start->model->speeds.at[target].name);
    } else {
        start_say_zero(start, expr_name(start->model->pool, start->model->coords.at[target].v));
        start->said[target] = true;
    }
}

// Velocities that nothing fixes stay where they are.
static void keep_free(System *system, double *row)
{
    const State *state = system->start->state;
    for (size_t j = 0; j < system->n && system->count < system->n; j++) {
        double miss = 0;
        EquationOrigin origin = {FROM_ZERO, j};
        equation_of(system, START_VELOCITY, j, row);
        add(system, row, state->v[j], origin, &miss);
    }
}

static void add_zeros(System *system, double *row)
{
    const Motion *motion = system->start->eq->motion;
    if (system->near) {
        keep_free(system, row);
        return;
    }
    for (size_t i = 0; i < motion->model->speeds.count; i++)
        add_zero(system, START_SPEED, i, row);
    for (size_t i = 0; i < motion->k; i++)
        if (!motion->state.speeds[i].declared)
            add_zero(system, START_VELOCITY, motion->state.speeds[i].index, row);
    for (size_t i = 0; i < motion->n; i++)
        add_zero(system, START_VELOCITY, i, row);
}

static Status solve(System *system)
{
    Start *start = system->start;
    size_t n = system->n;
    double *row = base_alloc((n + 1) * sizeof *row);
    system->count = 0;
    system->clashes = false;
    Status status = add_conditions(system);
    if (status == STATUS_OK)
        status = add_given(system, false, row);
    if (status == STATUS_OK)
        status = add_given(system, true, row);
    if (status == STATUS_OK)
        add_zeros(system, row);
    base_free(row);
    if (status != STATUS_OK)
        return status;
    if (system->echelon)
        echelon_solve(system->echelon, start->state->v);
    for (size_t j = 0; j < n && !system->echelon; j++) {
        double sum = 0;
        for (size_t i = 0; i < system->count; i++)
            sum += system->values[i] * system->units[i * n + j];
        start->state->v[j] = sum;
    }
    if (system->quiet)
        return STATUS_OK;
    start->size = start_largest(start->state->v, n);
    for (size_t j = 0; j < n; j++)
        if (!start->said[j])
            start_say_follows(start, expr_name(start->model->pool, start->model->coords.at[j].v),
                              start->state->v[j]);
    return STATUS_OK;
}

// ---- Newton's iteration, where something is not linear in the velocities.

// What has changed by less, of the largest velocity, is found.
#define FOUND       1e-13
#define MOST_NEWTON 60
// Guesses of the velocities that are not given: 0, then all of one size with these signs.
enum { GUESSES = 5 };

// Velocities that are given, approximately too, are as given.
static void guess(System *system, size_t turn, double *v)
{
    const Start *start = system->start;
    size_t n = system->n;
    double size = 0;
    bool *given = base_alloc((n + 1) * sizeof *given);
    for (size_t i = 0; i < start->model->starts.count; i++)
        if (start->model->starts.at[i].of == START_VELOCITY) {
            v[start->model->starts.at[i].target] = start->values[i];
            given[start->model->starts.at[i].target] = true;
            size = fmax(size, fabs(start->values[i]));
        }
    if (size == 0)
        size = 1;
    for (size_t j = 0; j < n; j++) {
        double sign = turn == 1 ? 1 : turn == 2 ? -1 : (j + turn) % 2 ? 1 : -1;
        // No two alike: a guess on an axis of symmetry may stay there.
        if (!given[j])
            v[j] = turn == 0 ? 0 : sign * size * (1 + 0.1 * (double)j / (double)n);
    }
    base_free(given);
}

// About numbers' velocities, whose equations are then evaluated there.
static void linearize(System *system)
{
    evaluator_run(&system->start->state->velocities, system->start->state->inputs);
    evaluator_run(&system->speeds, system->start->state->inputs);
}

// From a guess, in quiet turns; false where they do not come to rest, or an equation is not met.
static bool iterate(System *system, size_t turn)
{
    const Equations *eq = system->start->eq;
    State *state = system->start->state;
    size_t n = system->n;
    double *former = base_alloc((n + 1) * sizeof *former);
    bool found = false;
    guess(system, turn, state->v);
    for (size_t i = 0; i < MOST_NEWTON && !found; i++) {
        memcpy(former, state->v, n * sizeof *former);
        linearize(system);
        if (solve(system) != STATUS_OK || !real_all_finite(state->v, n))
            break;
        double change = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            change = fmax(change, fabs(state->v[j] - former[j]));
            size = fmax(size, fabs(state->v[j]));
        }
        found = change <= FOUND * fmax(size, DBL_MIN) || change == 0;
    }
    base_free(former);
    return found && !system->clashes && velocities_project(eq, state);
}

static Status none_found(const System *system)
{
    const Motion *motion = system->start->eq->motion;
    for (size_t i = 0; i < motion->m; i++)
        if (!motion->rows[i].linear)
            return diag_error(system->start->diag, motion->rows[i].constraint->place,
                              "no velocities were found that meet the constraint '%s' together "
                              "with the others and with what is given; give velocities near such "
                              "ones by 'initial approx'",
                              motion->rows[i].constraint->name);
    return diag_error(system->start->diag, place_none(),
                      "no velocities were found that give the declared speeds their initial "
                      "values; give velocities near such ones by 'initial approx'");
}

static Status solve_curved(System *system)
{
    Start *start = system->start;
    size_t n = system->n, turn = 0;
    system->quiet = true;
    // Where there is nothing with a free velocity at 0, near the guesses.
    for (; turn < 2 * GUESSES; turn++) {
        system->near = turn >= GUESSES;
        if (iterate(system, turn % GUESSES))
            break;
    }
    bool found = turn < 2 * GUESSES;
    system->quiet = false;
    memset(start->said, 0, n * sizeof *start->said);
    // Where none was found, what clashes with what is given says so.
    if (!found)
        guess(system, 1, start->state->v);
    linearize(system);
    TRY(solve(system));
    start->branch = turn > 0;
    return found ? STATUS_OK : none_found(system);
}

// ---- Rows of all declared speeds, the surplus ones too.

static bool lower_speeds(System *system)
{
    const Equations *eq = system->start->eq;
    const State *state = system->start->state;
    const Model *model = system->start->model;
    size_t n = system->n, count = model->speeds.count * (n + 1);
    Expr *outputs = base_alloc((count + 1) * sizeof *outputs);
    for (size_t i = 0; i < model->speeds.count; i++)
        motion_linearize(eq->motion, model->speeds.at[i].value, outputs + i * (n + 1),
                         outputs + i * (n + 1) + n);
    bool evaluator = evaluator_init(&system->speeds, model->pool, eq->symbols,
                                    eq->params + 1 + 2 * n, outputs, count, NULL);
    base_free(outputs);
    if (evaluator)
        evaluator_run(&system->speeds, state->inputs);
    return evaluator;
}

static Status solve_large(System *system)
{
    Echelon echelon;
    echelon_init(&echelon, system->n);
    system->echelon = &echelon;
    Status status = solve(system);
    echelon_clear(&echelon);
    system->echelon = NULL;
    system->count = 0;
    return status;
}

static Status solve_small(System *system)
{
    size_t n = system->n;
    double *room = base_alloc((2 * n * n + 4 * n + 1) * sizeof *room);
    system->units = room;
    system->made_of = room + n * n;
    system->values = room + 2 * n * n;
    system->rights = system->values + n;
    system->rest = system->rights + n;
    system->parts = system->rest + n;
    system->origins = base_alloc((n + 1) * sizeof *system->origins);
    system->from = base_alloc((n + 1) * sizeof *system->from);
    system->to = base_alloc((n + 1) * sizeof *system->to);
    Status status = system->start->eq->nonlinear ? solve_curved(system) : solve(system);
    base_free(system->origins);
    base_free(system->from);
    base_free(system->to);
    base_free(room);
    return status;
}

Status start_velocities(Start *start)
{
    System system = {.start = start, .n = start->eq->n};
    evaluator_run(&start->state->velocities, start->state->inputs);
    bool large = start->eq->sparse_velocities, evaluator = lower_speeds(&system);
    Status status = STATUS_OK;
    if (!evaluator)
        status = diag_error(start->diag, place_none(),
                            "a declared speed holds a symbol that has no value");
    if (evaluator && large)
        status = solve_large(&system);
    if (evaluator && (!large || system.clashed))
        status = solve_small(&system);
    evaluator_clear(&system.speeds);
    return status;
}

// start_velocity.c: velocities where a run begins, as a sequence of linear equations in them.
//
// First the conditions, then what is given, then what is wished: `approx` values, then zeros. An
// equation that depends on those before it adds nothing; where it disagrees with them, and is a
// given one, the start contradicts itself. The equations are eliminated one after the other; the
// one that clashes is then written as a combination of those kept, so that these are named.
//
// Wishes come in groups. Where those of a group exclude each other they are met as nearly as can
// be, in the sum of the squares of √𝓜_νν·(miss of q'_ν): each coordinate's own kinetic energy. So
// neither units nor the order of the declarations nor the choice of speeds matter, and a coordinate
// that nothing sets in motion is at rest.
//
// Conditions and speeds that are not linear in the velocities are linear in them to first order:
// the sequence is solved again and again, each time about the last velocities (Newton), from what
// is given and from a few guesses of the rest in turn.
#include "base/diag.h"
#include "dynamics/projection.h"
#include "dynamics/start_impl.h"
#include "dynamics/system_matrices.h"
#include "linalg/dense.h"
#include "linalg/echelon.h"
#include "linalg/sparse_rows.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef enum { FROM_CONDITION, FROM_GIVEN, FROM_WISH } EquationFrom;
typedef struct {
    EquationFrom from;
    size_t index;  // among the motion's rows or the model's starts
    StartOf of;    // where it is no condition: of which velocity
    size_t target; // or speed
} EquationOrigin;

// A value that a velocity or a speed is to have if nothing else speaks against it.
typedef struct {
    EquationOrigin origin;
    double value, weight;
} Wish;

typedef struct {
    Start *start;
    size_t n;                // unknowns
    Echelon echelon;         // the equations kept, reduced
    EquationOrigin *origins; // n: of these
    double *row;             // n: of the equation last added
    double miss;             // by how much its right side differs from what follows from the others
    Evaluator speeds;        // rows and constants of all declared speeds
    double speed;            // up to TOL_CONDITION of it, velocities come from rounded positions
    bool quiet;              // no clash is told: this is one turn of several
    bool clashes;            // an equation disagreed with those before it
    bool near;               // what is free stays as it is, instead of being 0
    bool *rests;             // n, then the declared speeds: free, and 0
} System;

// What a condition, a coordinate's velocity or a declared speed is: row·q' + the constant returned.
static double find_row(const System *system, EquationOrigin origin, double *row)
{
    size_t n = system->n;
    const double *conditions = system->start->state->velocities.out;
    const double *speed = system->speeds.out + origin.target * (n + 1);
    assert(origin.from == FROM_CONDITION || origin.of != START_COORD);
    memset(row, 0, n * sizeof *row);
    if (origin.from == FROM_CONDITION) {
        memcpy(row, conditions + origin.index * n, n * sizeof *row);
        return conditions[n * n + origin.index];
    }
    if (origin.of == START_SPEED) {
        memcpy(row, speed, n * sizeof *row);
        return speed[n];
    }
    row[origin.target] = 1;
    return 0;
}

// It is to have this value; it is kept where it stands off those before it. False where it clashes
// with them.
static bool add(System *system, double value, EquationOrigin origin)
{
    Echelon *echelon = &system->echelon;
    bool unit = origin.from != FROM_CONDITION && origin.of == START_VELOCITY;
    if (unit && isfinite(value) && echelon_take_apart(echelon, origin.target, value)) {
        system->miss = value;
        system->origins[echelon->count - 1] = origin;
        return true;
    }
    double constant = find_row(system, origin, system->row), right = value - constant;
    double length = real_length(system->row, system->n);
    system->miss = right;
    if (isfinite(length) && isfinite(right) &&
        echelon_take(echelon, system->row, right, &system->miss)) {
        system->origins[echelon->count - 1] = origin;
        return true;
    }
    // A given value may miss by this much; it is then moved onto the conditions.
    double size = fmax(fmax(fabs(value), fabs(constant)), fabs(right - system->miss));
    double rounding = TOL_ROUNDING * length * real_largest(echelon->rights, echelon->count);
    return fabs(system->miss) <= fmax(TOL_CONDITION * fmax(size, length * system->speed), rounding);
}

// ---- Clashes.

// The row last added as a combination of those kept: its parts, and how much each weighs in it, 0
// where only rounding does.
static void find_parts(const System *system, double *parts, double *weights)
{
    size_t n = system->n, count = system->echelon.count;
    double least = TOL_RANK * real_length(system->row, n);
    double *row = real_alloc(system->start->arena, n);
    Basis basis;
    basis_init(&basis, system->start->arena, n, n);
    for (size_t i = 0; i < count; i++) {
        find_row(system, system->origins[i], row);
        weights[i] = real_length(row, n);
        basis_take(&basis, row, 0);
    }
    assert(basis.count == count);
    basis_examine(&basis, system->row);
    memcpy(parts, basis.parts, count * sizeof *parts);
    for (size_t i = 0; i < count; i++) {
        weights[i] *= fabs(parts[i]);
        weights[i] = weights[i] > least ? weights[i] : 0;
    }
}

// Lists the equations of one kind that have a weight; returns the one that weighs most, the number
// of all where there is none.
static size_t list_clash(const System *system, EquationFrom from, const double *weights,
                         NameList *list)
{
    const MotionRow *rows = system->start->eq->motion->rows;
    size_t count = system->echelon.count, heaviest = count;
    for (size_t i = 0; i < count; i++) {
        size_t index = system->origins[i].index;
        if (system->origins[i].from != from || weights[i] == 0)
            continue;
        if (heaviest == count || weights[i] > weights[heaviest])
            heaviest = i;
        if (from == FROM_CONDITION)
            name_list_add(list, "'%s'", rows[index].constraint->name);
        else
            start_list_given(system->start, index, list);
    }
    return heaviest;
}

static Status given_clashes(const System *system, size_t index)
{
    const Start *start = system->start;
    NameList own = {0}, conditions = {0}, others = {0};
    Text *what = &own.text;
    text_add(what, "the initial value ");
    double follows = start->values[index] - system->miss;
    start_list_given(start, index, &own);
    double *parts = real_alloc(start->arena, system->n);
    double *weights = real_alloc(start->arena, system->n);
    find_parts(system, parts, weights);
    size_t heaviest = list_clash(system, FROM_CONDITION, weights, &conditions);
    list_clash(system, FROM_GIVEN, weights, &others);
    bool more = others.count > 0;
    const ModelConstraint *constraint = NULL;
    if (heaviest < system->echelon.count)
        constraint = start->eq->motion->rows[system->origins[heaviest].index].constraint;
    if (constraint)
        text_addf(what, " contradicts the constraint%s %s%s%s", conditions.count > 1 ? "s" : "",
                  name_list_end(&conditions), more ? " together with " : "",
                  name_list_end(&others));
    if (constraint && constraint->kind == CONSTRAINT_NONLINEAR)
        text_add(what, ", which no velocities near those given meet; change or remove a value");
    else if (constraint)
        text_addf(what, ": with %s the %s of '%s' is %.3g; change or remove a value",
                  more ? "them" : "it",
                  constraint->keeps == CONSTRAINT_FINITE ? "derivative of the residual"
                                                         : "residual",
                  constraint->name, system->miss / parts[heaviest]);
    else if (more)
        text_addf(what, " contradicts %s, from which %.10g follows; change or remove a value",
                  name_list_end(&others), follows);
    else
        text_addf(what,
                  " is impossible: at the initial position it is %.10g, whatever the velocities "
                  "are",
                  follows);
    diag_error(start->diag, start->model->starts.at[index].place, "%s", what->at);
    text_clear(what);
    text_clear(&conditions.text);
    text_clear(&others.text);
    return STATUS_WRONG;
}

// ---- The equations in their order.

static Status add_conditions(System *system)
{
    const Start *start = system->start;
    for (size_t i = 0; i < start->eq->m; i++) {
        const ModelConstraint *constraint = start->eq->motion->rows[i].constraint;
        if (add(system, 0, (EquationOrigin){.from = FROM_CONDITION, .index = i}))
            continue;
        system->clashes = true;
        if (!system->quiet && !isfinite(system->miss))
            return diag_error(start->diag, constraint->place,
                              "at the initial position the constraint '%s' has no finite value",
                              constraint->name);
        if (!system->quiet)
            return diag_error(start->diag, constraint->place,
                              "at the initial position the constraint '%s' cannot be met by any "
                              "velocities together with the constraints before it: its residual "
                              "is %.3g",
                              constraint->name, -system->miss);
    }
    return STATUS_OK;
}

static Status add_given(System *system)
{
    const Start *start = system->start;
    Status status = STATUS_OK;
    for (size_t i = 0; i < start->model->starts.count; i++) {
        const ModelStart *given = &start->model->starts.at[i];
        if (given->of == START_COORD || given->approx)
            continue;
        EquationOrigin origin = {FROM_GIVEN, i, given->of, given->target};
        if (add(system, start->values[i], origin))
            continue;
        system->clashes = true;
        if (!system->quiet)
            status = given_clashes(system, i);
    }
    return status;
}

// ---- Wishes.

// Those that the equations so far leave open come first; how many.
static size_t find_open(System *system, Wish *wishes, size_t count)
{
    size_t taken = system->echelon.count, open = 0;
    for (size_t i = 0; i < count && taken < system->n; i++) {
        Wish wish = wishes[i];
        add(system, wish.value, wish.origin);
        if (system->echelon.count == taken)
            continue;
        echelon_truncate(&system->echelon, taken);
        wishes[i] = wishes[open];
        wishes[open++] = wish;
    }
    return open;
}

// Adds them all; false where they exclude each other.
static bool add_all(System *system, const Wish *wishes, size_t count)
{
    bool met = true;
    for (size_t i = 0; i < count; i++)
        met = add(system, wishes[i].value, wishes[i].origin) && met;
    for (size_t i = 0; i < count && met; i++) {
        EquationOrigin origin = wishes[i].origin;
        system->rests[(origin.of == START_SPEED ? system->n : 0) + origin.target] =
            wishes[i].value == 0;
    }
    return met;
}

// Changes the values of wishes that exclude each other as little as possible; those that can be met
// keep theirs, to the last digit.
static void reconcile(const System *system, Wish *wishes, size_t count)
{
    size_t n = system->n;
    Arena *arena = arena_new();
    double *rows = real_alloc(arena, count * n), most = 0;
    double *weights, *values, *constants;
    real_alloc_each(arena, count, &weights, &values, &constants);
    for (size_t i = 0; i < count; i++) {
        constants[i] = find_row(system, wishes[i].origin, rows + i * n);
        weights[i] = wishes[i].weight;
        values[i] = wishes[i].value - constants[i];
    }
    echelon_fit(&system->echelon, rows, weights, count, values);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, weights[i] * fabs(values[i] + constants[i] - wishes[i].value));
    for (size_t i = 0; i < count; i++)
        if (weights[i] * fabs(values[i] + constants[i] - wishes[i].value) > TOL_ZERO * most)
            wishes[i].value = values[i] + constants[i];
    arena_free(arena);
}

// Adds wishes as far as they can be met; false, with nothing added, where they exclude each other
// and must be met `whole`.
static bool add_wishes(System *system, Wish *wishes, size_t count, bool whole)
{
    size_t taken = system->echelon.count, open = find_open(system, wishes, count);
    if (open == 0 || add_all(system, wishes, open))
        return true;
    echelon_truncate(&system->echelon, taken);
    if (whole)
        return false;
    reconcile(system, wishes, open);
    add_all(system, wishes, open);
    return true;
}

// The diagonal of the inertia where the state is; 0 for what has none.
static void find_inertia(const System *system, double *inertia)
{
    SystemMatrices matrices = {0};
    matrices_init(&matrices, system->start->eq, system->start->state);
    matrices_evaluate(&matrices);
    sparse_rows_diagonal(&matrices.inertia, inertia);
    matrices_clear(&matrices);
    for (size_t j = 0; j < system->n; j++)
        inertia[j] = isfinite(inertia[j]) ? fabs(inertia[j]) : 0;
}

static Wish wish_velocity(const System *system, size_t target, double inertia)
{
    return (Wish){.origin = {.from = FROM_WISH, .of = START_VELOCITY, .target = target},
                  .value = system->near ? system->start->state->v[target] : 0,
                  .weight = inertia > 0 ? sqrt(inertia) : 1};
}

// At rest, or where they are, if that can be; else first those with inertia, then those without,
// last those that a condition is written for.
static void add_velocities(System *system, Wish *wishes)
{
    size_t n = system->n, count = 0;
    for (size_t j = 0; j < n; j++)
        wishes[j] = wish_velocity(system, j, 1);
    if (add_wishes(system, wishes, n, true))
        return;
    double *inertia = real_alloc(system->start->arena, n);
    bool *dependent = arena_array(system->start->arena, bool, n);
    find_inertia(system, inertia);
    start_find_dependent(system->start->eq->motion, dependent);
    for (int level = 0; level < 3; level++, count = 0) {
        for (size_t j = 0; j < n; j++)
            if (level == (dependent[j] ? 2 : inertia[j] == 0))
                wishes[count++] = wish_velocity(system, j, inertia[j]);
        add_wishes(system, wishes, count, false);
    }
}

// What is not given: `approx` values; where a declared speed is given, the other ones are 0; then
// the velocities.
static void add_free(System *system)
{
    const Model *model = system->start->model;
    size_t starts = model->starts.count, speeds = model->speeds.count, count = 0;
    Wish *wishes = arena_array(system->start->arena, Wish, starts + speeds + system->n);
    bool given = false;
    for (size_t i = 0; i < starts; i++) {
        const ModelStart *start = &model->starts.at[i];
        given = given || start->of == START_SPEED;
        if (start->of != START_COORD && start->approx)
            wishes[count++] =
                (Wish){{FROM_GIVEN, i, start->of, start->target}, system->start->values[i], 1};
    }
    add_wishes(system, wishes, count, false);
    for (count = 0; count < speeds && given && !system->near; count++)
        wishes[count] = (Wish){{FROM_WISH, 0, START_SPEED, count}, 0, 1};
    add_wishes(system, wishes, count, false);
    add_velocities(system, wishes);
}

// About the state's velocities, where not all is linear in them.
static void linearize(System *system)
{
    evaluator_run(&system->start->state->velocities, system->start->state->inputs);
    evaluator_run(&system->speeds, system->start->state->inputs);
}

// All equations as they were linearized last; the velocities that they have.
static Status solve(System *system)
{
    echelon_clear(&system->echelon);
    echelon_init(&system->echelon, system->n);
    system->clashes = false;
    TRY(add_conditions(system));
    TRY(add_given(system));
    memset(system->rests, 0, system->n + system->start->model->speeds.count);
    add_free(system);
    echelon_solve(&system->echelon, system->start->state->v);
    return STATUS_OK;
}

// Given values that rounding alone has changed are as given; others that were changed are told.
static void tell_moved(const System *system)
{
    Start *start = system->start;
    double *v = start->state->v, *row = real_alloc(start->arena, system->n);
    for (size_t i = 0; i < start->model->starts.count; i++) {
        const ModelStart *given = &start->model->starts.at[i];
        if (given->of == START_COORD || given->approx)
            continue;
        EquationOrigin origin = {FROM_GIVEN, i, given->of, given->target};
        double constant = find_row(system, origin, row);
        double size = fabs(constant) + real_length(row, system->n) * real_largest(v, system->n);
        start_say_moved(start, i, constant + real_dot(row, v, system->n), size);
        if (given->of == START_VELOCITY &&
            fabs(v[given->target] - start->values[i]) <= TOL_ROUNDING * size)
            v[given->target] = start->values[i];
    }
}

// What became 0, and what follows from the rest.
static void tell(const System *system)
{
    Start *start = system->start;
    const Model *model = start->model;
    const double *v = start->state->v;
    double size = real_largest(v, system->n);
    bool *told = arena_array(start->arena, bool, system->n + 1);
    for (size_t i = 0; i < model->starts.count; i++)
        if (model->starts.at[i].of == START_VELOCITY && !model->starts.at[i].approx)
            told[model->starts.at[i].target] = true;
    for (size_t i = 0; i < model->speeds.count; i++)
        if (system->rests[system->n + i])
            name_list_add(&start->zeros, "%s", start_name(model, START_SPEED, i));
    for (size_t j = 0; j + model->rated_count < system->n; j++)
        if (system->rests[j] && !told[j])
            name_list_add(&start->zeros, "%s", start_name(model, START_VELOCITY, j));
        else if (!told[j])
            start_say_follows(start, start_name(model, START_VELOCITY, j), v[j], size);
}

// ---- Newton's iteration, where something is not linear in the velocities.

// Velocities that are given, approximately too, are as given; the others are 0, in later turns all
// of one size with different signs.
static void guess(System *system, size_t turn, double *v)
{
    const Start *start = system->start;
    const ModelStart *given = start->model->starts.at;
    size_t n = system->n, count = start->model->starts.count;
    double size = 0;
    for (size_t i = 0; i < count; i++)
        if (given[i].of == START_VELOCITY)
            size = fmax(size, fabs(start->values[i]));
    for (size_t j = 0; j < n; j++) {
        size_t place = start_place(start, j);
        double sign = turn == 1 ? 1 : turn == 2 ? -1 : (place + turn) % 2 ? 1 : -1;
        // No two alike: a guess on an axis of symmetry may stay there.
        double different = 1 + TOL_POOR * (double)place / (double)n;
        v[j] = turn == 0 ? 0 : sign * (size > 0 ? size : 1) * different;
    }
    for (size_t i = 0; i < count; i++)
        if (given[i].of == START_VELOCITY)
            v[given[i].target] = start->values[i];
}

// From a guess, in quiet turns; false where they do not come to rest, or an equation is not met.
static bool iterate(System *system, size_t turn)
{
    const Equations *eq = system->start->eq;
    State *state = system->start->state;
    size_t n = system->n;
    double *former = real_alloc(system->start->arena, n);
    bool found = false;
    guess(system, turn, state->v);
    for (size_t i = 0; i < LIMIT_STEPS && !found; i++) {
        memcpy(former, state->v, n * sizeof *former);
        linearize(system);
        if (solve(system) != STATUS_OK || !real_all_finite(state->v, n))
            break;
        real_add_times(-1, state->v, n, former);
        found = real_largest(former, n) <= TOL_SUM * real_largest(state->v, n);
    }
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

static Status solve_nonlinear(System *system)
{
    // Where there is nothing with a free velocity at 0, near the guesses.
    size_t guesses = LIMIT_PATIENCE + 1, turn = 0;
    bool found = false;
    system->quiet = true;
    for (; turn < 2 * guesses && !found; turn++) {
        system->near = turn >= guesses;
        found = iterate(system, turn % guesses);
    }
    system->quiet = false;
    // Where none was found, what clashes with what is given says so.
    if (!found)
        guess(system, 1, system->start->state->v);
    linearize(system);
    TRY(solve(system));
    system->start->branch = turn > 1;
    return found ? STATUS_OK : none_found(system);
}

// ---- Rows of all declared speeds, the surplus ones too.

static Status lower_speeds(System *system)
{
    const Equations *eq = system->start->eq;
    const Model *model = system->start->model;
    size_t n = system->n, count = model->speeds.count * (n + 1);
    Expr *outputs = arena_array(system->start->arena, Expr, count + 1);
    for (size_t i = 0; i < model->speeds.count; i++)
        motion_linearize(eq->motion, model->speeds.at[i].value, outputs + i * (n + 1),
                         outputs + i * (n + 1) + n);
    if (evaluator_init(&system->speeds, model->pool, eq->symbols, eq->params + 1 + 2 * n, outputs,
                       count, NULL))
        return STATUS_OK;
    return diag_error(system->start->diag, place_none(),
                      "a declared speed holds a symbol that has no value");
}

// The velocities, over TOL_CONDITION, that the conditions make of positions that are off by
// TOL_CONDITION of their size.
static double speed_of_rounding(const System *system)
{
    State *state = system->start->state;
    size_t n = system->n;
    const double *rows = state->velocities.out, *rest = rows + n * n;
    double *q = real_alloc(system->start->arena, n), *former = real_alloc(system->start->arena, n);
    double size = real_largest(state->q, n), most = 0;
    memcpy(q, state->q, n * sizeof *q);
    memcpy(former, rest, n * sizeof *former);
    for (size_t j = 0; j < n; j++)
        state->q[j] += TOL_CONDITION * (size > 0 ? size : 1);
    evaluator_run(&state->velocities, state->inputs);
    for (size_t i = 0; i < system->start->eq->m; i++) {
        double length = real_length(rows + i * n, n);
        if (length > 0)
            most = fmax(most, fabs(rest[i] - former[i]) / length);
    }
    memcpy(state->q, q, n * sizeof *q);
    return most / TOL_CONDITION;
}

static Status solve_all(System *system)
{
    TRY(lower_speeds(system));
    linearize(system);
    system->speed = speed_of_rounding(system);
    linearize(system);
    return system->start->eq->nonlinear ? solve_nonlinear(system) : solve(system);
}

Status start_velocities(Start *start)
{
    size_t n = start->eq->n;
    assert(n > 0 && start->arena);
    System system = {.start = start,
                     .n = n,
                     .origins = arena_array(start->arena, EquationOrigin, n + 1),
                     .row = real_alloc(start->arena, n),
                     .rests = arena_array(start->arena, bool, n + start->model->speeds.count)};
    Status status = solve_all(&system);
    if (status == STATUS_OK) {
        tell_moved(&system);
        tell(&system);
    }
    echelon_clear(&system.echelon);
    evaluator_clear(&system.speeds);
    return status;
}

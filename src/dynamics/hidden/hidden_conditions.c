// hidden_conditions.c: adds hidden conditions to a model until its equations are regular.
//
// One pass looks at E = [𝓜 −dᵀ; b 0], of generic rank below its size. For every row that depends
// on those before it, z is the left null vector with 1 in its place, and ψ = z·r. The velocities
// that the conditions fix are put into ψ:
//
//     ψ = 0                 nothing determines something: an error
//     ψ holds velocities    a condition on them
//     ψ(q, t)               a finite condition, unless its derivative holds no free velocity: then
//                           it asks something of t alone, an error
//
// A hidden condition has a row and a multiplier as any other. The multiplier is 0 wherever the
// hidden conditions hold, whatever its direction, if the equations are regular. That is so for the
// direction z itself, because z·z > 0: the other equations are blind for it. Where forces on
// something without inertia are in balance, ψ's own gradient does as well and keeps the equations
// symmetric, unless it has no part along z.
#include "dynamics/hidden/hidden_conditions.h"
#include "algebra/algebra.h"
#include "algebra/one_fraction.h"
#include "base/diag.h"
#include "dynamics/hidden/hidden_impl.h"
#include "dynamics/inertia_regular.h"
#include "expr/arithmetic.h"
#include "model/model.h"
#include "motion/motion.h"

#include <assert.h>
#include <string.h>

// ---- E and r.

static void fill_dynamics(Motion *motion, HiddenSystem *system)
{
    size_t n = motion->n, size = system->size;
    ExprPool *pool = motion->pool;
    Expr *mass = base_alloc((n * n + n + 1) * sizeof *mass), *bias = mass + n * n;
    motion_mass_matrix(motion, mass);
    motion_bias(motion, bias);
    for (size_t nu = 0; nu < n; nu++) {
        memcpy(system->matrix + nu * size, mass + nu * n, n * sizeof *mass);
        system->right[nu] = expr_neg(pool, bias[nu]);
    }
    base_free(mass);
}

static void fill_row(Motion *motion, HiddenSystem *system, size_t at, const MotionRow *row)
{
    size_t n = motion->n, size = system->size;
    for (size_t nu = 0; nu < n; nu++) {
        system->matrix[at * size + nu] = row->b[nu];
        system->matrix[nu * size + at] = expr_neg(motion->pool, row->d[nu]);
    }
    system->right[at] = expr_neg(motion->pool, row->gamma);
    system->conditions[at] = (size_t)(row->constraint - motion->model->constraints.at);
}

HiddenSystem hidden_system(Motion *motion, Arena *arena)
{
    size_t n = motion->n, size = n + motion->m + motion->affine_count, at = n;
    HiddenSystem system = {.size = size};
    system.matrix = arena_alloc(arena, (size * size + 1) * sizeof(Expr));
    system.right = arena_alloc(arena, (size + 1) * sizeof(Expr));
    system.conditions = arena_alloc(arena, (size + 1) * sizeof *system.conditions);
    for (size_t i = 0; i < size * size; i++)
        system.matrix[i] = expr_int(motion->pool, 0);
    fill_dynamics(motion, &system);
    // Servos come last, so that a row that depends on others is one of theirs where it can be.
    for (size_t i = 0; i < motion->m; i++)
        if (!motion->rows[i].servo)
            fill_row(motion, &system, at++, &motion->rows[i]);
    for (size_t i = 0; i < motion->affine_count; i++)
        fill_row(motion, &system, at++, &motion->seconds[i].row);
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].servo)
            fill_row(motion, &system, at++, &motion->rows[i]);
    assert(at == size);
    return system;
}

// ---- z and ψ.

// Without denominators that hold coordinates or velocities: these are 0 somewhere, z is not.
static void clear_denominators(Motion *motion, size_t size, Expr *z)
{
    Expr of_q = algebra_common_denominator(motion->algebra, z, size, motion->q, motion->n);
    for (size_t i = 0; i < size; i++)
        z[i] = algebra_simplify(motion->algebra, expr_mul(motion->pool, z[i], of_q));
    Expr of_v = algebra_common_denominator(motion->algebra, z, size, motion->v, motion->n);
    for (size_t i = 0; i < size; i++)
        z[i] = algebra_simplify(motion->algebra, expr_mul(motion->pool, z[i], of_v));
}

// z of the row `at`, that depends on the independent ones: Σ_i z_i E_i = 0 with z_at = 1.
static bool solve_null_vector(Motion *motion, const HiddenSystem *system, const HiddenRank *rank,
                              size_t at, Expr *z)
{
    size_t size = system->size, count = 0, *rows = base_alloc((size + 1) * sizeof *rows);
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < at; i++)
        if (rank->independent[i])
            rows[count++] = i;
    // Columns that make the rows before `at` regular: algebra_rank gives one for each, in order.
    Expr *matrix = base_alloc((count * count + 2 * count + 1) * sizeof *matrix);
    Expr *right = matrix + count * count, *solution = right + count;
    for (size_t j = 0; j < count; j++) {
        for (size_t i = 0; i < count; i++)
            matrix[j * count + i] = system->matrix[rows[i] * size + rank->columns[j]];
        right[j] = expr_neg(pool, system->matrix[at * size + rank->columns[j]]);
    }
    bool solved = count == 0 || algebra_solve(motion->algebra, matrix, right, count, 1, solution);
    for (size_t i = 0; i < size; i++)
        z[i] = expr_int(pool, i == at);
    for (size_t i = 0; i < count && solved; i++)
        z[rows[i]] = algebra_vanishes(motion->algebra, solution[i])
                         ? expr_int(pool, 0)
                         : algebra_simplify(motion->algebra, solution[i]);
    clear_denominators(motion, size, z);
    base_free(matrix);
    base_free(rows);
    return solved;
}

static bool holds_speeds(Motion *motion, Expr e)
{
    size_t k = motion->k;
    bool holds = false;
    if (!motion->state.closed) {
        // The velocities stay: what the rows do not fix of them is free.
        Expr *matrix = base_alloc(((motion->m + 1) * motion->n + 1) * sizeof *matrix);
        for (size_t i = 0; i < motion->m; i++)
            memcpy(matrix + i * motion->n, motion->rows[i].b, motion->n * sizeof *matrix);
        expr_gradient(motion->pool, e, motion->v, motion->n, matrix + motion->m * motion->n);
        holds = algebra_rank(motion->algebra, matrix, motion->m + 1, motion->n, NULL, NULL, NULL) >
                (ptrdiff_t)motion->m;
        base_free(matrix);
        return holds;
    }
    for (size_t alpha = 0; alpha < k && !holds; alpha++) {
        Expr u = motion->state.speeds[alpha].u;
        holds = expr_holds(motion->pool, e, u) &&
                !algebra_vanishes(motion->algebra, expr_diff(motion->pool, e, u));
    }
    return holds;
}

// With speeds replaced by what they stand for, or by 0.
static Expr without_speeds(Motion *motion, Expr e, bool by_zero)
{
    size_t k = motion->k;
    Expr *from = base_alloc((2 * k + 1) * sizeof *from), *to = from + k;
    for (size_t alpha = 0; alpha < k; alpha++) {
        from[alpha] = motion->state.speeds[alpha].u;
        to[alpha] = by_zero ? expr_int(motion->pool, 0) : motion->state.speeds[alpha].value;
    }
    e = expr_replace(motion->pool, e, from, to, k);
    base_free(from);
    return e;
}

// ψ = z·r on the conditions.
static HiddenCondition find_condition(Motion *motion, const HiddenSystem *system, size_t at,
                                      const Expr *z)
{
    ExprPool *pool = motion->pool;
    HiddenCondition found = {.at = at};
    Expr *terms = base_alloc((system->size + 1) * sizeof *terms);
    for (size_t i = 0; i < system->size; i++)
        terms[i] = expr_is_zero(pool, z[i]) ? z[i] : expr_mul(pool, z[i], system->right[i]);
    Expr psi = motion_in_speeds(motion, expr_sum(pool, terms, system->size));
    base_free(terms);
    psi = algebra_simplify(motion->algebra, psi);
    if (algebra_vanishes(motion->algebra, psi)) {
        found.outcome = HIDDEN_NOTHING;
        return found;
    }
    bool velocities = holds_speeds(motion, psi);
    found.outcome = velocities ? HIDDEN_VELOCITY : HIDDEN_FINITE;
    found.psi = algebra_simplify(motion->algebra, without_speeds(motion, psi, !velocities));
    if (velocities)
        return found;
    Expr rate = motion_in_speeds(motion, expr_rate(motion->dt_still, found.psi));
    if (!holds_speeds(motion, rate))
        found.outcome = algebra_vanishes(motion->algebra, rate) &&
                                expr_holds_any(pool, found.psi, motion->q, motion->n)
                            ? HIDDEN_NOTHING
                            : HIDDEN_IMPOSSIBLE;
    return found;
}

// ---- Into the model.

// ψ's own gradient may be its direction where it has a part along z, and no servo is in it.
static bool may_be_ideal(Motion *motion, const HiddenCondition *found, const Expr *z)
{
    ExprPool *pool = motion->pool;
    Expr *gradient = base_alloc((2 * motion->n + 1) * sizeof *gradient);
    Expr *terms = gradient + motion->n;
    expr_gradient(pool, found->psi, found->outcome == HIDDEN_FINITE ? motion->q : motion->v,
                  motion->n, gradient);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(pool, z[nu], gradient[nu]);
    bool along = !algebra_vanishes(motion->algebra, expr_sum(pool, terms, motion->n));
    base_free(gradient);
    return along;
}

// Which servos are in it: those whose conditions, or what these hide, are in z.
static void name_servos(const Model *model, const HiddenSystem *system, size_t n, const Expr *z,
                        ModelHidden *hidden)
{
    size_t *servos = arena_alloc(model->arena, (model->constraints.count + 1) * sizeof *servos);
    bool *in = base_alloc((model->constraints.count + 1) * sizeof *in);
    memset(in, 0, (model->constraints.count + 1) * sizeof *in);
    for (size_t i = n; i < system->size; i++) {
        const ModelConstraint *constraint = &model->constraints.at[system->conditions[i]];
        // What a balance hides in its turn is about the same coordinate.
        if (!expr_is_zero(model->pool, z[i]) && constraint->hidden &&
            constraint->hidden->servo_count == 0)
            hidden->coordinate = constraint->hidden->coordinate;
        if (expr_is_zero(model->pool, z[i]) || constraint->kind != CONSTRAINT_SERVO)
            continue;
        const ModelHidden *before = constraint->hidden;
        for (size_t j = 0; before && j < before->servo_count; j++)
            in[before->servos[j]] = true;
        if (!before)
            in[system->conditions[i]] = true;
    }
    hidden->servos = servos;
    for (size_t i = 0; i < model->constraints.count; i++)
        if (in[i])
            servos[hidden->servo_count++] = i;
    base_free(in);
}

static bool name_is_taken(const Model *model, const char *name)
{
    for (size_t i = 0; i < model->constraints.count; i++)
        if (strcmp(model->constraints.at[i].name, name) == 0)
            return true;
    return false;
}

// "pull.hidden", "pull.hidden2"; "u.balance".
static void name_condition(const Model *model, ModelConstraint *row)
{
    const ModelHidden *hidden = row->hidden;
    const char *of = hidden->servo_count ? model->constraints.at[hidden->servos[0]].name
                                         : model->coords.at[hidden->coordinate].name;
    Text text = {0};
    for (size_t count = 1; count == 1 || name_is_taken(model, text.at); count++) {
        text_clear(&text);
        text_addf(&text, "%s.%s", of, hidden->servo_count ? "hidden" : "balance");
        if (count > 1)
            text_addf(&text, "%zu", count);
    }
    row->name = arena_copy_text(model->arena, text.at, text.length);
    text_clear(&text);
    text_addf(&text, "lambda.%s", row->name);
    row->lambda = expr_symbol(model->pool, text.at);
    text_clear(&text);
}

// ψ in units of a coordinate, or of a velocity, that it holds with a constant factor: derivatives
// of conditions bring powers of stiffness over mass.
static Expr in_plain_units(Motion *motion, const HiddenCondition *found)
{
    ExprPool *pool = motion->pool;
    Expr unit = {0}, *gradient = base_alloc((motion->n + 1) * sizeof *gradient);
    expr_gradient(pool, found->psi, found->outcome == HIDDEN_FINITE ? motion->q : motion->v,
                  motion->n, gradient);
    for (size_t nu = 0; nu < motion->n && expr_is_none(unit); nu++) {
        Expr factor = algebra_simplify(motion->algebra, gradient[nu]);
        bool constant = !expr_holds_any(pool, factor, motion->q, motion->n) &&
                        !expr_holds_any(pool, factor, motion->v, motion->n) &&
                        !expr_holds(pool, factor, motion->model->t);
        if (constant && !expr_is_zero(pool, factor) && expr_op(pool, factor) != EXPR_SUM)
            unit = factor;
    }
    base_free(gradient);
    return expr_is_none(unit) ? found->psi
                              : algebra_simplify(motion->algebra, expr_div(pool, found->psi, unit));
}

static void add_condition(Model *model, Motion *motion, const HiddenSystem *system,
                          const HiddenCondition *found, const Expr *z)
{
    ExprPool *pool = model->pool;
    size_t n = motion->n;
    ModelHidden *hidden = arena_alloc(model->arena, sizeof *hidden);
    *hidden = (ModelHidden){.orders = found->outcome == HIDDEN_FINITE ? 2 : 1,
                            .coordinate = hidden_coordinate(motion, found->at, z)};
    name_servos(model, system, n, z, hidden);
    Expr psi = hidden->servo_count > 0 ? in_plain_units(motion, found) : found->psi;
    ModelConstraint row = {.left = psi,
                           .right = expr_int(pool, 0),
                           .residual = psi,
                           .silent = true,
                           .hidden = hidden,
                           .restitution = {0}};
    row.place = hidden->servo_count ? model->constraints.at[hidden->servos[0]].place
                                    : model->coords.at[hidden->coordinate].place;
    Expr *rest = base_alloc((n + 2) * sizeof *rest);
    row.keeps = found->outcome == HIDDEN_FINITE ? CONSTRAINT_FINITE
                : expr_linear(pool, found->psi, motion->v, n, rest, rest + n)
                    ? CONSTRAINT_LINEAR
                    : CONSTRAINT_NONLINEAR;
    base_free(rest);
    row.kind = row.keeps;
    name_condition(model, &row);
    if (hidden->servo_count > 0 || !may_be_ideal(motion, found, z)) {
        Expr *parts = arena_alloc(model->arena, (n + 1) * sizeof *parts);
        memcpy(parts, z, n * sizeof *parts);
        ModelServo servo = {
            .constraint = model->constraints.count, .by = SERVO_PARTS, .parts = parts};
        row.kind = CONSTRAINT_SERVO;
        array_push(&model->servos, servo);
    }
    array_push(&model->constraints, row);
}

// ---- One pass.

static Status find_vectors(Motion *motion, const HiddenSystem *system, const HiddenRank *rank,
                           Arena *arena, Diag *diag, Pending *pending, size_t *count)
{
    for (size_t at = 0; at < system->size; at++) {
        if (rank->independent[at])
            continue;
        Pending *next = &pending[(*count)++];
        next->found.at = at;
        next->z = arena_alloc(arena, (system->size + 1) * sizeof(Expr));
        if (!solve_null_vector(motion, system, rank, at, next->z))
            return hidden_undecided(motion, diag);
    }
    return STATUS_OK;
}

// What friction leaves; those that it took are gone from the list.
static Status find_conditions(Motion *motion, const HiddenSystem *system, Diag *diag,
                              Pending *pending, size_t *count)
{
    Status status = STATUS_OK;
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        Pending *next = &pending[i];
        if (next->taken)
            continue;
        next->found = find_condition(motion, system, next->found.at, next->z);
        bool usable =
            next->found.outcome == HIDDEN_FINITE || next->found.outcome == HIDDEN_VELOCITY;
        if (!usable)
            status = hidden_refuse(motion, system, &next->found, next->z, diag);
        else if (hidden_refuse_multiplier(motion, system, &next->found, diag) != STATUS_OK)
            status = STATUS_WRONG;
        pending[kept++] = *next;
    }
    *count = kept;
    return status;
}

// Adds them but for those whose rows depend on the motion's and on those before them: two ends of
// one damper are in balance by one velocity. What is hidden behind that is found by the next pass.
static void add_independent(Model *model, Motion *motion, const HiddenSystem *system,
                            const Pending *pending, size_t count)
{
    size_t n = motion->n, rows = motion->m;
    Expr *matrix = base_alloc(((rows + count) * n + 1) * sizeof *matrix);
    for (size_t i = 0; i < rows; i++)
        memcpy(matrix + i * n, motion->rows[i].b, n * sizeof *matrix);
    for (size_t i = 0; i < count; i++) {
        const HiddenCondition *found = &pending[i].found;
        expr_gradient(motion->pool, found->psi,
                      found->outcome == HIDDEN_FINITE ? motion->q : motion->v, n,
                      matrix + rows * n);
        ptrdiff_t rank = i == 0
                             ? (ptrdiff_t)rows + 1
                             : algebra_rank(motion->algebra, matrix, rows + 1, n, NULL, NULL, NULL);
        if (rank >= 0 && rank <= (ptrdiff_t)rows)
            continue;
        rows++;
        add_condition(model, motion, system, found, pending[i].z);
    }
    base_free(matrix);
}

static Status add_all(Model *model, Motion *motion, Diag *diag)
{
    Arena *arena = arena_new();
    HiddenSystem system = hidden_system(motion, arena);
    HiddenRank rank = {.independent = arena_alloc(arena, system.size + 1),
                       .columns = arena_alloc(arena, (system.size + 1) * sizeof(size_t))};
    Pending *pending = arena_alloc(arena, (system.size + 1) * sizeof *pending);
    size_t count = 0;
    ptrdiff_t found = algebra_rank(motion->algebra, system.matrix, system.size, system.size, NULL,
                                   rank.independent, rank.columns);
    Status status = found < 0 || found == (ptrdiff_t)system.size
                        ? hidden_undecided(motion, diag)
                        : find_vectors(motion, &system, &rank, arena, diag, pending, &count);
    if (status == STATUS_OK)
        status = hidden_take_friction(model, motion, &system, pending, count, diag);
    if (status == STATUS_OK)
        status = find_conditions(motion, &system, diag, pending, &count);
    if (status == STATUS_OK)
        add_independent(model, motion, &system, pending, count);
    arena_free(arena);
    return status;
}

static Status make(Model *model, bool to_run, Diag *diag, Motion **motion)
{
    return (to_run ? motion_new_to_run : motion_new)(model, diag, motion);
}

Status hidden_motion_new(Model *model, bool to_run, Diag *diag, Motion **motion)
{
    assert(model && motion);
    TRY(make(model, to_run, diag, motion));
    Diag *unheard = diag_new();
    Status status = inertia_check_regular(*motion, unheard);
    // Every pass adds a row to at most n.
    for (size_t pass = 0; status != STATUS_OK && pass <= (*motion)->n; pass++) {
        size_t rows = (*motion)->m;
        if ((*motion)->second_count > (*motion)->affine_count) {
            status = motion_check_inertia(*motion, diag);
            break;
        }
        status = add_all(model, *motion, diag);
        if (status != STATUS_OK)
            break;
        motion_free(*motion);
        *motion = NULL;
        status = make(model, to_run, unheard, motion);
        if (status != STATUS_OK || (*motion)->m == rows) {
            status = hidden_fruitless(model, diag);
            break;
        }
        status = inertia_check_regular(*motion, unheard);
    }
    diag_free(unheard);
    if (status != STATUS_OK) {
        motion_free(*motion);
        *motion = NULL;
    }
    return status;
}

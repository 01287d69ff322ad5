// rows.c: every condition that is an equation becomes a row b·q' + c = 0, b·q'' + γ = 0.
//
// A condition f(q, q', t) = 0 that is not linear in the velocities has b = ∂f/∂q' (Appell 21–22,
// Hamel 247), which holds velocities, and c = f − b·q', so that both lines are true of it too.
//
// Conditions that hold by themselves or follow from earlier ones are set aside. Dependence is
// decided exactly, by generic rank: of b for the directions, of (b, c) for what they demand.
#include "linalg/tolerances.h"
#include "model/whiles.h"
#include "motion/definitions.h"
#include "motion/motion_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Up to this many nodes a coefficient is put in its short form. Above it that costs more than
// everything that is made of it later, and only what vanishes is looked for.
enum { SHORT_NODES = 24 };

static bool vanishes(Motion *motion, Expr e)
{
    Verdict zero = algebra_is_zero_modular(motion->algebra, e);
    Answer answer = zero.answer;
    verdict_clear(&zero);
    return answer == ANSWER_YES;
}

Expr motion_shortened(Motion *motion, Expr e)
{
    if (expr_is_number(motion->pool, e))
        return e;
    ExprList nodes = expr_nodes(motion->pool, &e, 1);
    bool small = nodes.count <= SHORT_NODES;
    expr_list_free(&nodes);
    double endless = INFINITY;
    if (small)
        return algebra_simplify_numeric(motion->algebra, e, &endless);
    return vanishes(motion, e) ? expr_int(motion->pool, 0) : e;
}

// Of a large system that is to run, a condition on velocities of points and frames that holds many
// coordinates: these are found from the points, and nothing is made of its coefficients.
static bool stays_long(const Motion *motion, const MotionRow *row)
{
    size_t held = 0;
    for (size_t nu = 0; nu < motion->n; nu++)
        held += !expr_is_zero(motion->pool, row->b[nu]);
    return motion->to_run && motion->n >= SIZE_SPARSE && row->constraint->velocity_count > 0 &&
           held > SIZE_UNROLLED;
}

// Vectors that were turned into world's axes leave much that cancels; what is small is put in
// its short form, before anything is differentiated.
static void simplify_row(Motion *motion, MotionRow *row)
{
    bool stays = stays_long(motion, row);
    for (size_t nu = 0; nu < motion->n && !stays; nu++)
        row->b[nu] = motion_shortened(motion, row->b[nu]);
    row->c = motion_shortened(motion, row->c);
    Expr along = motion_along(motion, row->b, motion->v);
    row->velocity = expr_add(motion->pool, along, row->c);
}

// b = ∂f/∂q', c = f − b·q'; the condition itself stays as it is written.
static void make_curved_row(Motion *motion, MotionRow *row)
{
    motion_linearize(motion, row->velocity, row->b, &row->c);
    for (size_t nu = 0; nu < motion->n; nu++)
        row->b[nu] = motion_shortened(motion, row->b[nu]);
    row->c = motion_shortened(motion, row->c);
}

static const ModelServo *servo_of(const Model *model, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < model->servos.count; i++)
        if (&model->constraints.at[model->servos.at[i].constraint] == constraint)
            return &model->servos.at[i];
    return NULL;
}

// What keeps the condition: its own direction, or that of a servo's force.
static void direct_row(Motion *motion, MotionRow *row)
{
    row->d = row->b;
    row->servo = servo_of(motion->model, row->constraint);
    if (row->servo) {
        row->d = arena_alloc(motion->arena, motion->n * sizeof(Expr));
        motion_servo_direction(motion, row->servo, row->d);
    }
}

Status motion_make_row(Motion *motion, const ModelConstraint *constraint, Diag *diag,
                       MotionRow *row)
{
    *row = (MotionRow){.constraint = constraint, .velocity = constraint->residual};
    if (constraint->keeps == CONSTRAINT_FINITE) {
        row->position = constraint->residual;
        row->velocity = expr_rate(motion->dt_still, constraint->residual);
    } else if (constraint->keeps == CONSTRAINT_SECOND_CLASS) {
        return diag_error(diag, constraint->place,
                          "the servo '%s' keeps a condition on accelerations, which this version "
                          "cannot use; a servo can keep positions and velocities",
                          constraint->name);
    }
    row->b = row->d = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    row->linear = expr_linear(motion->pool, row->velocity, motion->v, motion->n, row->b, &row->c);
    if (row->linear)
        simplify_row(motion, row);
    else
        make_curved_row(motion, row);
    row->gamma = expr_rate(motion->dt_still, row->velocity);
    direct_row(motion, row);
    return STATUS_OK;
}

// The matrix of b's of all rows, with c as a last column where asked for.
static Expr *row_matrix(const Motion *motion, const MotionRow *rows, size_t count, bool with_c)
{
    size_t columns = motion->n + with_c;
    Expr *matrix = base_alloc((count * columns + 1) * sizeof *matrix);
    for (size_t i = 0; i < count; i++) {
        for (size_t nu = 0; nu < motion->n; nu++)
            matrix[i * columns + nu] = rows[i].b[nu];
        if (with_c)
            matrix[i * columns + motion->n] = rows[i].c;
    }
    return matrix;
}

static bool find_independent(Motion *motion, const MotionRow *rows, size_t count, bool with_c,
                             bool *independent)
{
    Expr *matrix = row_matrix(motion, rows, count, with_c);
    ptrdiff_t rank =
        algebra_rank(motion->algebra, matrix, count, motion->n + with_c, NULL, independent, NULL);
    base_free(matrix);
    return rank >= 0;
}

// Which rows demand something that those before them do not: where (b, c) is independent of them.
// Where functions in c may be related, only what a real point shows counts.
static bool find_demanding(Motion *motion, const MotionRow *rows, size_t count,
                           const bool *independent, bool *demanding)
{
    size_t columns = motion->n + 1, kept = 0;
    if (!find_independent(motion, rows, count, true, demanding))
        return false;
    Expr *matrix = row_matrix(motion, rows, count, true);
    for (size_t i = 0; i < count; i++) {
        memmove(matrix + kept * columns, matrix + i * columns, columns * sizeof *matrix);
        if (independent[i])
            kept++;
        else if (demanding[i])
            demanding[i] = algebra_shows_independent(motion->algebra, matrix, kept + 1, columns);
    }
    base_free(matrix);
    return true;
}

static Status contradiction(const MotionRow *row, Diag *diag)
{
    return diag_error(diag, row->constraint->place,
                      "the constraint '%s' contradicts the ones before it: it fixes what they "
                      "fix already, to another value; remove one of them",
                      row->constraint->name);
}

// Whether a finite condition differs from an earlier one by a constant only: both cannot hold.
static bool clashes(Motion *motion, const MotionRow *row, const MotionRow *earlier)
{
    if (expr_is_none(row->position) || expr_is_none(earlier->position))
        return false;
    for (int sign = -1; sign <= 1; sign += 2) {
        Expr other = expr_mul(motion->pool, expr_int(motion->pool, sign), earlier->position);
        Expr sum = expr_add(motion->pool, row->position, other);
        if (!vanishes(motion, expr_rate(motion->dt_still, sum)))
            continue;
        sum = algebra_simplify(motion->algebra, sum);
        if (expr_is_number(motion->pool, sum) && !expr_is_zero(motion->pool, sum))
            return true;
    }
    return false;
}

// Whether row i demands nothing at all.
static bool is_identity(const Motion *motion, const MotionRow *row)
{
    bool identity = expr_is_zero(motion->pool, row->c);
    for (size_t nu = 0; nu < motion->n && identity; nu++)
        identity = expr_is_zero(motion->pool, row->b[nu]);
    return identity;
}

// Whether a finite condition that demands nothing holds: it is a constant, which no point shows to
// be another than 0.
static bool is_never_broken(Motion *motion, const MotionRow *row)
{
    if (expr_is_none(row->position))
        return false;
    Verdict zero = algebra_is_zero(motion->algebra, row->position);
    Answer answer = zero.answer;
    verdict_clear(&zero);
    return answer != ANSWER_NO;
}

static bool clashes_with_any(Motion *motion, const MotionRow *row, const MotionRow *all,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (clashes(motion, row, &all[i]))
            return true;
    return false;
}

static Status keep_independent(Motion *motion, Diag *diag, MotionRow *all, size_t count,
                               const bool *independent, const bool *demanding)
{
    Status status = STATUS_OK;
    motion->rows = arena_alloc(motion->arena, count * sizeof *motion->rows);
    for (size_t i = 0; i < count; i++) {
        if (independent[i]) {
            motion->rows[motion->m++] = all[i];
        } else if (demanding[i] || clashes_with_any(motion, &all[i], all, i)) {
            status = contradiction(&all[i], diag);
        } else {
            MotionAside aside = {all[i].constraint, is_identity(motion, &all[i]), false};
            aside.vanishes = aside.identity && is_never_broken(motion, &all[i]);
            array_push(&motion->aside, aside);
            if (all[i].servo)
                diag_add(diag, DIAG_NOTE, aside.constraint->place,
                         "the servo '%s' has nothing to keep: its condition follows from the "
                         "others, and it is set aside",
                         aside.constraint->name);
        }
    }
    return status;
}

// Conditions that are independent everywhere but at the start would leave the start without some
// of them; there others take their place, which elsewhere follow. False where nothing changes.
static bool reorder(const Motion *motion, MotionRow *rows, size_t count, const bool *independent)
{
    size_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += independent[i];
    size_t *order = base_alloc((count + 1) * sizeof *order);
    bool better = rank < count && motion_order_at_start(motion, rows, count, rank, order);
    if (better) {
        MotionRow *former = base_alloc(count * sizeof *former);
        memcpy(former, rows, count * sizeof *former);
        for (size_t i = 0; i < count; i++)
            rows[i] = former[order[i]];
        base_free(former);
    }
    base_free(order);
    return better;
}

// Ideal conditions come first, so that a servo is set aside where both ask for the same.
static Status make_all(Motion *motion, Diag *diag, MotionRow *all, size_t *count)
{
    const Model *model = motion->model;
    Status status = STATUS_OK;
    for (int servos = 0; servos < 2; servos++)
        for (size_t i = 0; i < model->constraints.count; i++) {
            const ModelConstraint *constraint = &model->constraints.at[i];
            if (model_binds(model, constraint) && constraint->kind != CONSTRAINT_ONE_SIDED &&
                constraint->kind != CONSTRAINT_SECOND_CLASS &&
                (constraint->kind == CONSTRAINT_SERVO) == (servos == 1) &&
                motion_make_row(motion, constraint, diag, &all[(*count)++]) != STATUS_OK)
                status = STATUS_WRONG;
        }
    return status;
}

static int by_declaration(const void *a, const void *b)
{
    const ModelConstraint *first = ((const MotionRow *)a)->constraint;
    const ModelConstraint *second = ((const MotionRow *)b)->constraint;
    return (first > second) - (first < second);
}

static void count_servos(Motion *motion)
{
    for (size_t i = 0; i < motion->m; i++)
        motion->servos += motion->rows[i].servo != NULL;
    if (motion->servos)
        qsort(motion->rows, motion->m, sizeof *motion->rows, by_declaration);
}

// Whether conditions that are set aside are made of the others with coefficients that depend on the
// position: then the others may become dependent where all of them are not. With fixed ones they
// are also those of each row followed by itself at a shifted position.
static bool aside_varies(Motion *motion, const MotionRow *all, size_t count)
{
    size_t n = motion->n;
    ExprPool *pool = motion->pool;
    Expr *symbols = base_alloc(2 * (n + 1) * sizeof *symbols), *values = symbols + n + 1;
    for (size_t nu = 0; nu <= n; nu++) {
        symbols[nu] = nu < n ? motion->q[nu] : motion->model->t;
        values[nu] = expr_add(pool, symbols[nu],
                              expr_div(pool, expr_int(pool, (int64_t)(2 * nu + 3)),
                                       expr_int(pool, (int64_t)(4 * nu + 7))));
    }
    Expr *matrix = base_alloc((2 * count * n + 1) * sizeof *matrix);
    for (size_t i = 0; i < count; i++)
        for (size_t nu = 0; nu < n; nu++) {
            matrix[2 * i * n + nu] = all[i].b[nu];
            matrix[(2 * i + 1) * n + nu] = expr_replace(pool, all[i].b[nu], symbols, values, n + 1);
        }
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, count, 2 * n, NULL, NULL, NULL);
    base_free(matrix);
    base_free(symbols);
    return rank < 0 || (size_t)rank > motion->m;
}

static void keep_spares(Motion *motion, const MotionRow *all, size_t count, const bool *independent)
{
    motion->spares = arena_alloc(motion->arena, count * sizeof *motion->spares);
    for (size_t i = 0; i < count; i++)
        if (!independent[i] && all[i].linear && !is_identity(motion, &all[i]))
            motion->spares[motion->spare_count++] = all[i];
}

Status motion_make_rows(Motion *motion, Diag *diag)
{
    size_t most = motion->model->constraints.count, count = 0;
    MotionRow *all = base_alloc((most + 1) * sizeof *all);
    bool *flags = base_alloc(2 * most * sizeof *flags + 1);
    Status status = make_all(motion, diag, all, &count);
    if (status == STATUS_OK && count > 0) {
        bool decided = find_independent(motion, all, count, false, flags);
        if (decided && reorder(motion, all, count, flags))
            decided = find_independent(motion, all, count, false, flags);
        decided = decided && find_demanding(motion, all, count, flags, flags + count);
        status = decided ? keep_independent(motion, diag, all, count, flags, flags + count)
                         : diag_error(diag, all[0].constraint->place,
                                      "the constraints cannot be evaluated exactly, so that "
                                      "their independence cannot be decided");
        if (status == STATUS_OK && motion->m < count && aside_varies(motion, all, count))
            keep_spares(motion, all, count, flags);
    }
    base_free(flags);
    base_free(all);
    count_servos(motion);
    return status;
}

bool motion_shows_rows(Motion *motion)
{
    Expr *matrix = row_matrix(motion, motion->rows, motion->m, false);
    bool shown = algebra_shows_independent(motion->algebra, matrix, motion->m, motion->n);
    base_free(matrix);
    return shown;
}

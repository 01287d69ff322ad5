// second_class_conditions.c: conditions of the second class, f(q, q', q'', t) = 0 (Hamel 252).
//
// They restrict no velocity and no position: the state stays (q, u) with all speeds that the other
// conditions leave free, and only u' is bound. Where f = g·q'' + γ it is a row like any other at
// the level of accelerations; else g = ∂f/∂q'' holds the accelerations themselves. Either way the
// virtual displacements are those with g·δq = 0 and the reaction is λg.
#include "model/whiles.h"
#include "motion/motion_impl.h"

// g, without accelerations, and γ; false where f is not affine in q''.
static bool find_affine(Motion *motion, MotionSecond *second)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    MotionRow *row = &second->row;
    if (expr_linear(pool, second->f, motion->a, n, row->b, &row->gamma))
        return true;
    Expr *slopes = base_alloc((2 * n + 1) * sizeof *slopes), *zeros = slopes + n;
    bool affine = true;
    expr_gradient(pool, second->f, motion->a, n, row->b);
    for (size_t nu = 0; nu < n && affine; nu++) {
        expr_gradient(pool, row->b[nu], motion->a, n, slopes);
        for (size_t mu = 0; mu < n && affine; mu++)
            affine = motion_is_zero(motion, slopes[mu]);
    }
    for (size_t nu = 0; nu < n; nu++)
        zeros[nu] = expr_int(pool, 0);
    for (size_t nu = 0; nu < n && affine; nu++)
        row->b[nu] = expr_replace(pool, row->b[nu], motion->a, zeros, n);
    row->gamma = expr_replace(pool, second->f, motion->a, zeros, n);
    base_free(slopes);
    return affine;
}

static MotionSecond make_second(Motion *motion, const ModelConstraint *constraint)
{
    MotionSecond second = {.row = {.constraint = constraint}, .f = constraint->residual};
    second.row.b = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    second.row.c = expr_int(motion->pool, 0);
    second.row.d = second.row.b;
    second.affine = find_affine(motion, &second);
    return second;
}

// Which affine ones are independent of the rows and of those before them; with what they ask for
// as a last column, `demanding`. False where it cannot be decided.
static bool find_independent(Motion *motion, const MotionSecond *seconds, size_t count,
                             bool demanding, bool *independent)
{
    size_t n = motion->n, m = motion->m, columns = n + demanding;
    Expr *matrix = base_alloc(((m + count) * columns + 1) * sizeof *matrix);
    bool *flags = base_alloc((m + count + 1) * sizeof *flags);
    for (size_t i = 0; i < m + count; i++) {
        const MotionRow *row = i < m ? &motion->rows[i] : &seconds[i - m].row;
        for (size_t nu = 0; nu < n; nu++)
            matrix[i * columns + nu] = row->b[nu];
        if (demanding)
            matrix[i * columns + n] = row->gamma;
    }
    bool decided =
        algebra_rank(motion->algebra, matrix, m + count, columns, NULL, flags, NULL) >= 0;
    for (size_t i = 0; i < count; i++)
        independent[i] = flags[m + i];
    base_free(matrix);
    base_free(flags);
    return decided;
}

static Status keep_affine(Motion *motion, const MotionSecond *seconds, size_t count, Diag *diag)
{
    bool *independent = base_alloc((2 * count + 1) * sizeof *independent);
    bool *demanding = independent + count;
    Status status = STATUS_OK;
    if (!find_independent(motion, seconds, count, false, independent) ||
        !find_independent(motion, seconds, count, true, demanding))
        // What cannot be decided exactly is decided at the state.
        for (size_t i = 0; i < count; i++)
            independent[i] = true;
    for (size_t i = 0; i < count; i++) {
        const ModelConstraint *constraint = seconds[i].row.constraint;
        if (independent[i]) {
            motion->seconds[motion->second_count++] = seconds[i];
        } else if (demanding[i]) {
            status = diag_error(diag, constraint->place,
                                "the constraint '%s' contradicts the ones before it: it asks for "
                                "another acceleration than they do; remove one of them",
                                constraint->name);
        } else {
            array_push(&motion->aside, ((MotionAside){.constraint = constraint}));
        }
    }
    base_free(independent);
    return status;
}

// Where a condition is not affine, Gauss's principle alone says which displacements are virtual. A
// servo's force is no reaction of least constraint; and of one-sided conditions the set that acts
// would have to be found for each stationary point, and followed with it.
static Status refuse_mixture(const Model *model, const MotionSecond *second, Diag *diag)
{
    for (size_t i = 0; i < model->constraints.count && !second->affine; i++) {
        const ModelConstraint *other = &model->constraints.at[i];
        bool servo = other->kind == CONSTRAINT_SERVO;
        if (servo || other->kind == CONSTRAINT_ONE_SIDED)
            return diag_error(
                diag, second->row.constraint->place,
                "this version cannot use the constraint '%s', which is not affine in the "
                "accelerations, together with a %s one ('%s'): %s",
                second->row.constraint->name, servo ? "servo's" : "one-sided", other->name,
                servo ? "it is left to Gauss's principle, and a servo's force is no reaction of "
                        "least constraint"
                      : "which conditions act would be another question at each of its stationary "
                        "points");
    }
    return STATUS_OK;
}

Status motion_make_seconds(Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    size_t most = model->constraints.count, affine = 0, others = 0;
    MotionSecond *all = base_alloc(2 * (most + 1) * sizeof *all), *rest = all + most + 1;
    Status status = STATUS_OK;
    for (size_t i = 0; i < most; i++) {
        if (model->constraints.at[i].kind != CONSTRAINT_SECOND_CLASS ||
            !model_binds(model, &model->constraints.at[i]))
            continue;
        MotionSecond second = make_second(motion, &model->constraints.at[i]);
        if (refuse_mixture(model, &second, diag) != STATUS_OK)
            status = STATUS_WRONG;
        if (second.affine)
            all[affine++] = second;
        else
            rest[others++] = second;
    }
    motion->seconds = arena_alloc(motion->arena, (affine + others + 1) * sizeof *motion->seconds);
    if (affine > 0 && status == STATUS_OK)
        status = keep_affine(motion, all, affine, diag);
    motion->affine_count = motion->second_count;
    for (size_t i = 0; i < others; i++)
        motion->seconds[motion->second_count++] = rest[i];
    base_free(all);
    return status;
}

// ---- All conditions in force.

static void insert(Motion *motion, const ModelConstraint *constraint)
{
    size_t at = motion->in_force_count++;
    for (; at > 0 && motion->in_force[at - 1] > constraint; at--)
        motion->in_force[at] = motion->in_force[at - 1];
    motion->in_force[at] = constraint;
}

void motion_list_conditions(Motion *motion)
{
    size_t count = motion->m + motion->second_count;
    motion->in_force = arena_alloc(motion->arena, (count + 1) * sizeof *motion->in_force);
    for (size_t i = 0; i < motion->m; i++)
        motion->in_force[motion->in_force_count++] = motion->rows[i].constraint;
    for (size_t i = 0; i < motion->second_count; i++)
        insert(motion, motion->seconds[i].row.constraint);
}

const MotionRow *motion_row_of(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].constraint == constraint)
            return &motion->rows[i];
    for (size_t i = 0; i < motion->second_count; i++)
        if (motion->seconds[i].row.constraint == constraint)
            return &motion->seconds[i].row;
    return NULL;
}

bool motion_has_curved_conditions(const Motion *motion)
{
    return motion->affine_count < motion->second_count;
}

bool motion_is_affine(const Motion *motion)
{
    return !motion_has_curved_conditions(motion) && !motion_dsigma(motion);
}

// frictions.c: where friction acts, and its rows.
//
// The reaction of a condition must be a force at the point: its row is w·∂v_K/∂q' for a vector w,
// which is shown exactly. Then n = w/|w|, the normal force is |λ|·|w|, and what is left of v_K
// across n is the sliding velocity.
#include "motion/frictions.h"
#include "model/whiles.h"
#include "motion/definitions.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

// ---- Vectors along world's axes.

static Expr part_of(Vec v, size_t axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static Vec unit_axis(const Motion *motion, size_t axis)
{
    return (Vec){expr_int(motion->pool, axis == 0), expr_int(motion->pool, axis == 1),
                 expr_int(motion->pool, axis == 2)};
}

static Vec shortened(Motion *motion, Vec v)
{
    return (Vec){motion_shortened(motion, v.x), motion_shortened(motion, v.y),
                 motion_shortened(motion, v.z)};
}

static Expr length_of(Motion *motion, Vec v)
{
    Expr square = algebra_simplify(motion->algebra, vec_dot(motion->pool, v, v));
    return algebra_simplify(motion->algebra, expr_sqrt(motion->pool, square));
}

static Vec unit(Motion *motion, Vec v)
{
    Expr length = length_of(motion, v);
    return shortened(motion, vec_scale(motion->pool, expr_pow_int(motion->pool, length, -1), v));
}

// ---- The particles.

static Vector velocity_of(Motion *motion, const ModelFriction *friction, size_t body, Vector place)
{
    const Model *model = motion->model;
    if (body == FRICTION_WORLD)
        return vector_zero(model->vectors);
    if (body == FRICTION_POINT)
        return vector_rate(model->vectors, place);
    return motion_particle_velocity(motion, &model->bodies.at[body], friction->position);
}

// v_K, and ∂v_K/∂q', n.
static Vec sliding_velocity(Motion *motion, const ModelFriction *friction, Vec *columns)
{
    Vector v = vector_sub(motion->model->vectors,
                          velocity_of(motion, friction, friction->body, friction->position),
                          velocity_of(motion, friction, friction->other, friction->other_position));
    motion_jacobian(motion, v, columns);
    return motion_world(motion, v);
}

// ---- The normal.

// The coordinate on which the reaction does other work than w at the point; n where it does none.
static size_t other_work(Motion *motion, const Expr *b, Vec w, const Vec *columns)
{
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr rest = expr_sub(motion->pool, b[nu], vec_dot(motion->pool, w, columns[nu]));
        if (!motion_is_zero(motion, rest))
            return nu;
    }
    return motion->n;
}

// As the condition itself says it where it names the point.
static bool named_normal(Motion *motion, const ModelFriction *friction, const Expr *b,
                         const Vec *columns, Vec *w)
{
    const ModelConstraint *constraint = &motion->model->constraints.at[friction->constraint];
    for (size_t i = 0; i < constraint->place_count; i++) {
        const ModelPlace *place = &constraint->places[i];
        if (place->kind == PLACE_FRAME)
            continue;
        Vec along = motion_world(motion, place->along);
        for (int sign = 1; sign >= -1; sign -= 2) {
            *w = vec_scale(motion->pool, expr_int(motion->pool, sign), along);
            if (!vec_is_zero(motion->pool, *w) && other_work(motion, b, *w, columns) == motion->n)
                return true;
        }
    }
    return false;
}

// The least w with w·columns = b as far as `rank` independent columns go: w = C·y, CᵀC·y = b.
static bool least_normal(Motion *motion, const Expr *b, const Vec *columns, Vec *w)
{
    size_t n = motion->n;
    ExprPool *pool = motion->pool;
    Expr *matrix = base_alloc((3 * n + 1) * sizeof *matrix);
    size_t pivots[3];
    for (size_t nu = 0; nu < n; nu++)
        for (size_t axis = 0; axis < 3; axis++)
            matrix[axis * n + nu] = part_of(columns[nu], axis);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, 3, n, NULL, NULL, pivots);
    base_free(matrix);
    if (rank <= 0)
        return false;
    Expr square[9], right[3], y[3];
    size_t size = (size_t)rank;
    for (size_t i = 0; i < size; i++) {
        right[i] = b[pivots[i]];
        for (size_t j = 0; j < size; j++)
            square[i * size + j] = algebra_simplify(
                motion->algebra, vec_dot(pool, columns[pivots[i]], columns[pivots[j]]));
    }
    if (!algebra_solve(motion->algebra, square, right, size, 1, y))
        return false;
    *w = (Vec){expr_int(pool, 0), expr_int(pool, 0), expr_int(pool, 0)};
    for (size_t i = 0; i < size; i++)
        *w = vec_plus(pool, *w, vec_scale(pool, y[i], columns[pivots[i]]));
    *w = (Vec){algebra_simplify(motion->algebra, w->x), algebra_simplify(motion->algebra, w->y),
               algebra_simplify(motion->algebra, w->z)};
    return true;
}

static Status find_normal(Motion *motion, const ModelFriction *friction, const Expr *b,
                          const Vec *columns, Diag *diag, Vec *w)
{
    const Model *model = motion->model;
    if (named_normal(motion, friction, b, columns, w))
        return STATUS_OK;
    size_t other = 0;
    if (least_normal(motion, b, columns, w))
        other = other_work(motion, b, *w, columns);
    if (other == motion->n)
        return STATUS_OK;
    bool point = friction->body == FRICTION_POINT || friction->body == FRICTION_WORLD;
    return diag_error(diag, friction->at,
                      "the reaction of '%s' is no force at %s%s%s: on %s it does other work; name "
                      "the point where it touches",
                      friction->name, friction->point, point ? "" : " on ",
                      point ? "" : model->bodies.at[friction->body].name,
                      model->coords.at[other].name);
}

// ---- The tangents.

// How many of the world's axes a set of vectors has parts along, and which.
static size_t used_axes(Motion *motion, const Vec *columns, size_t *axes)
{
    size_t count = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        bool used = false;
        for (size_t nu = 0; nu < motion->n && !used; nu++)
            used = !motion_is_zero(motion, part_of(columns[nu], axis));
        if (used)
            axes[count++] = axis;
    }
    return count;
}

static ptrdiff_t rank_of(Motion *motion, const Vec *columns, size_t *pivots)
{
    size_t n = motion->n;
    Expr *matrix = base_alloc((3 * n + 1) * sizeof *matrix);
    for (size_t nu = 0; nu < n; nu++)
        for (size_t axis = 0; axis < 3; axis++)
            matrix[nu * 3 + axis] = part_of(columns[nu], axis);
    bool *independent = base_alloc(n + 1);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, n, 3, NULL, independent, NULL);
    for (size_t nu = 0, at = 0; nu < n && rank >= 0; nu++)
        if (independent[nu])
            pivots[at++] = nu;
    base_free(independent);
    base_free(matrix);
    return rank;
}

// An axis of the world that a normal is far from: one that it has no part along, else any that it
// is not.
static size_t far_axis(Motion *motion, Vec normal)
{
    for (size_t axis = 0; axis < 3; axis++)
        if (motion_is_zero(motion, part_of(normal, axis)))
            return axis;
    return 1;
}

// In two dimensions: the world's axis that neither the normal nor the displacements have a part
// along; SIZE_MAX in space.
static size_t plane_axis(Motion *motion, const Vec *columns, const Vec *normal)
{
    for (size_t axis = 0; axis < 3; axis++) {
        bool flat = !normal || motion_is_zero(motion, part_of(*normal, axis));
        for (size_t nu = 0; nu < motion->n && flat; nu++)
            flat = motion_is_zero(motion, part_of(columns[nu], axis));
        if (flat)
            return axis;
    }
    return SIZE_MAX;
}

// Orthonormal vectors that span the displacements across a normal (NULL: all of them); how many,
// −1 where that cannot be decided.
static ptrdiff_t find_tangents(Motion *motion, const Vec *columns, const Vec *normal, Vec *axes)
{
    size_t n = motion->n, pivots[3], used[3];
    ExprPool *pool = motion->pool;
    Vec *across = base_alloc((n + 1) * sizeof *across);
    for (size_t nu = 0; nu < n; nu++) {
        across[nu] = columns[nu];
        if (normal) {
            Expr along = expr_neg(pool, vec_dot(pool, *normal, columns[nu]));
            across[nu] =
                shortened(motion, vec_plus(pool, columns[nu], vec_scale(pool, along, *normal)));
        }
    }
    size_t flat = plane_axis(motion, columns, normal), count = used_axes(motion, across, used);
    ptrdiff_t rank = rank_of(motion, across, pivots);
    if (rank == (ptrdiff_t)count) {
        for (size_t i = 0; i < count; i++)
            axes[i] = unit_axis(motion, used[i]);
    } else if (rank == 1 && normal && flat != SIZE_MAX) {
        axes[0] = shortened(motion, vec_cross(pool, unit_axis(motion, flat), *normal));
    } else if (rank == 1) {
        axes[0] = unit(motion, across[pivots[0]]);
    } else if (rank == 2) {
        Vec first = normal ? vec_cross(pool, unit_axis(motion, far_axis(motion, *normal)), *normal)
                           : across[pivots[0]];
        axes[0] = unit(motion, first);
        Vec third = normal ? *normal : vec_cross(pool, axes[0], across[pivots[1]]);
        axes[1] = unit(motion, vec_cross(pool, third, axes[0]));
    }
    base_free(across);
    return rank;
}

// ---- Rows.

static void make_stick(Motion *motion, const ModelFriction *friction, size_t index, Expr velocity,
                       MotionRow *row)
{
    const Model *model = motion->model;
    *row = (MotionRow){.constraint = &model->sticks.at[friction->stick + index],
                       .velocity = velocity,
                       .linear = true};
    row->b = row->d = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    motion_linearize(motion, velocity, row->b, &row->c);
    for (size_t nu = 0; nu < motion->n; nu++)
        row->b[nu] = motion_shortened(motion, row->b[nu]);
    row->c = motion_shortened(motion, row->c);
    row->velocity = expr_add(motion->pool, motion_along(motion, row->b, motion->v), row->c);
    row->gamma = expr_rate(motion->dt_still, row->velocity);
}

static void make_placed_rows(Motion *motion, const ModelFriction *friction, Vec velocity,
                             MotionFriction *out)
{
    for (size_t i = 0; i < out->rows; i++)
        make_stick(motion, friction, i, vec_dot(motion->pool, out->axes[i], velocity),
                   &out->sticks[i]);
}

// The row of the condition that presses, whose side is told where it is one-sided.
static Status find_pressing(Motion *motion, const ModelFriction *friction, Diag *diag,
                            MotionFriction *out, const Expr **b)
{
    const ModelConstraint *constraint = out->constraint =
        &motion->model->constraints.at[friction->constraint];
    for (size_t i = 0; i < motion->side_count; i++)
        if (motion->sides[i].constraint == constraint) {
            out->side = i;
            *b = motion_side(motion, i)->b;
            return STATUS_OK;
        }
    const MotionRow *row = motion_row_of(motion, constraint);
    if (!row)
        return diag_error(diag, constraint->place,
                          "'%s' follows from the other constraints, so that its normal force is "
                          "not determined; leave out its friction, or the others",
                          constraint->name);
    *b = row->b;
    return STATUS_OK;
}

// From what it is derived from to the rows.
static Status derive_placed(Motion *motion, const ModelFriction *friction,
                            const FrictionSource *source, Vec *columns, Diag *diag,
                            MotionFriction *out)
{
    Vec w = {0};
    for (size_t nu = 0; nu < motion->n; nu++)
        columns[nu] = shortened(motion, columns[nu]);
    if (source->b) {
        TRY(find_normal(motion, friction, source->b, columns, diag, &w));
        out->pressure = length_of(motion, w);
        out->normal = unit(motion, w);
    }
    ptrdiff_t rows = find_tangents(motion, columns, source->b ? &out->normal : NULL, out->axes);
    if (rows <= 0)
        return diag_error(diag, friction->at,
                          rows < 0 ? "it cannot be decided exactly how %s slides there"
                                   : "nothing slides at %s: its particles have no velocity "
                                     "across the normal; leave out the friction",
                          friction->point);
    out->rows = (size_t)rows;
    make_placed_rows(motion, friction, source->vectors[0], out);
    return STATUS_OK;
}

static Status make_placed(Motion *motion, const ModelFriction *friction, FrictionShapes *shapes,
                          Diag *diag, MotionFriction *out)
{
    bool presses = friction->kind == FRICTION_ON_CONDITION;
    FrictionSource source = {0};
    if (presses)
        TRY(find_pressing(motion, friction, diag, out, &source.b));
    size_t places = presses ? out->constraint->place_count : 0;
    Vec *columns = base_alloc((motion->n + 2 + places + 1) * sizeof *columns);
    Vec *vectors = columns + motion->n;
    vectors[0] = sliding_velocity(motion, friction, columns);
    vectors[1] = out->place = motion_world(motion, friction->position);
    for (size_t i = 0; i < places; i++)
        vectors[2 + i] = out->constraint->places[i].kind == PLACE_FRAME
                             ? vectors[0]
                             : motion_world(motion, out->constraint->places[i].along);
    source.columns = columns;
    source.vectors = vectors;
    source.vector_count = 2 + places;
    Status status = STATUS_OK;
    if (!friction_shapes_find(shapes, &source, out)) {
        status = derive_placed(motion, friction, &source, columns, diag, out);
        if (status == STATUS_OK)
            friction_shapes_keep(shapes, out);
    }
    base_free(columns);
    return status;
}

static Status make_friction(Motion *motion, const ModelFriction *friction, FrictionShapes *shapes,
                            Diag *diag, MotionFriction *out)
{
    *out = (MotionFriction){.friction = friction,
                            .side = SIZE_MAX,
                            .rows = 1,
                            .sticks = arena_array(motion->arena, MotionRow, FRICTION_ROWS),
                            .axes = arena_array(motion->arena, Vec, FRICTION_ROWS),
                            .pressure = expr_int(motion->pool, 1)};
    Expr zero = expr_int(motion->pool, 0);
    out->normal = out->place = (Vec){zero, zero, zero};
    for (size_t i = 0; i < FRICTION_ROWS; i++)
        out->axes[i] = out->normal;
    if (friction->against_count == 0)
        return make_placed(motion, friction, shapes, diag, out);
    out->rows = friction->against_count;
    for (size_t i = 0; i < out->rows; i++)
        make_stick(motion, friction, i, friction->against[i], &out->sticks[i]);
    if (friction->kind != FRICTION_IN_JOINT)
        return STATUS_OK;
    out->place = motion_world(motion, friction->position);
    for (size_t i = 0; i < out->rows; i++)
        out->axes[i] = shortened(motion, motion_world(motion, friction->axes[i]));
    return STATUS_OK;
}

Status motion_make_frictions(Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    Status status = STATUS_OK;
    motion->frictions = arena_array(motion->arena, MotionFriction, model->frictions.count + 1);
    FrictionShapes *shapes = friction_shapes_new(motion);
    for (size_t i = 0; i < model->frictions.count; i++)
        if (model_acts(model, model->frictions.at[i].waits) &&
            make_friction(motion, &model->frictions.at[i], shapes, diag,
                          &motion->frictions[motion->friction_count++]) != STATUS_OK)
            status = STATUS_WRONG;
    size_t count = motion->friction_count;
    friction_shapes_free(shapes);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = friction_take_reactions(motion, &motion->frictions[i], diag);
    return status;
}

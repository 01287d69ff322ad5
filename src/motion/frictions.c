// frictions.c: where friction acts, and its rows.
//
// The reaction of a condition must be a force at the point: its row is w·∂v_K/∂q' for a vector w,
// which is shown exactly. Then n = w/|w|, the normal force is |λ|·|w|, and what is left of v_K
// across n is the sliding velocity.
#include "motion/frictions.h"
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
        for (int sign = 1; sign >= -1; sign -= 2) {
            *w = vec_scale(motion->pool, expr_int(motion->pool, sign), place->along);
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
                             : out->constraint->places[i].along;
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
    if (friction->kind != FRICTION_AGAINST)
        return make_placed(motion, friction, shapes, diag, out);
    make_stick(motion, friction, 0, friction->against, &out->sticks[0]);
    return STATUS_OK;
}

// ---- Reactions in bounds.

// normal(NAME) as ν|λ|.
static Expr with_normals(const Motion *motion, Expr e)
{
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    for (size_t k = 0; k < symbols.count; k++)
        for (size_t i = 0; i < motion->friction_count; i++) {
            const MotionFriction *friction = &motion->frictions[i];
            Expr symbol = friction->friction->normal;
            if (friction->friction->kind != FRICTION_ON_CONDITION || symbol.at != symbols.at[k])
                continue;
            Expr size = expr_call(motion->pool, EXPR_ABS, friction->constraint->lambda, (Expr){0});
            Expr value = expr_mul(motion->pool, friction->pressure, size);
            e = expr_replace(motion->pool, e, &symbol, &value, 1);
        }
    expr_list_free(&symbols);
    return e;
}

// The conditions whose reactions an expression holds; how many, or more than there is room for.
static size_t find_reactions(const Motion *motion, Expr e, const ModelConstraint **found)
{
    const Model *model = motion->model;
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    size_t count = 0;
    for (size_t i = 0; i < model->constraints.count; i++)
        for (size_t k = 0; k < symbols.count; k++)
            if (model->constraints.at[i].lambda.at == symbols.at[k]) {
                if (count < FRICTION_NORMALS)
                    found[count] = &model->constraints.at[i];
                count++;
            }
    expr_list_free(&symbols);
    return count;
}

// The factor of |λ| in a bound, λ being the reactions of all that press: of one that is one-sided
// λ itself may stand, as it is 0 or more. False where it has another form.
static bool find_factor(Motion *motion, const MotionFriction *out, Expr e, Expr *factor)
{
    ExprPool *pool = motion->pool;
    const ModelConstraint *first = out->constraint;
    Expr lambda = first->lambda, length = out->friction->normal, rest;
    if (out->also_count == 0) {
        Expr size = expr_call(pool, EXPR_ABS, lambda, (Expr){0});
        e = expr_replace(pool, e, &size, &length, 1);
        if (out->side != SIZE_MAX)
            e = expr_replace(pool, e, &lambda, &length, 1);
        return expr_linear(pool, e, &length, 1, factor, &rest) && motion_is_zero(motion, rest) &&
               !expr_holds(pool, *factor, lambda) && !expr_holds(pool, *factor, length);
    }
    // E² = factor²·(λ₁² + …): it is compared with that.
    Expr one = expr_int(pool, 1), zero = expr_int(pool, 0), squares[FRICTION_NORMALS];
    *factor = expr_replace(pool, e, &lambda, &one, 1);
    squares[0] = expr_pow_int(pool, lambda, 2);
    for (size_t i = 0; i < out->also_count; i++) {
        *factor = expr_replace(pool, *factor, &out->also[i]->lambda, &zero, 1);
        squares[i + 1] = expr_pow_int(pool, out->also[i]->lambda, 2);
    }
    *factor = algebra_simplify(motion->algebra, *factor);
    Expr length2 = expr_sum(pool, squares, out->also_count + 1);
    Expr square = expr_mul(pool, expr_pow_int(pool, *factor, 2), length2);
    return motion_is_zero(motion, expr_sub(pool, expr_pow_int(pool, e, 2), square));
}

static Status refuse_bound(const MotionFriction *out, const char *why, Diag *diag)
{
    return diag_error(diag, out->friction->bound_place, "the bound of '%s' %s", out->friction->name,
                      why);
}

static Status find_sides(Motion *motion, MotionFriction *out, Diag *diag)
{
    for (size_t k = 0; k <= out->also_count; k++) {
        const ModelConstraint *constraint = motion_friction_presses(out, k);
        for (size_t i = 0; i < motion->side_count; i++)
            if (motion->sides[i].constraint == constraint)
                out->side = i;
        bool two_sided = motion_row_of(motion, constraint);
        if (out->also_count > 0 && !two_sided)
            return refuse_bound(out,
                                "holds reactions of several conditions, which have to be "
                                "equations that do not follow from each other",
                                diag);
        if (out->side == SIZE_MAX && !two_sided)
            return refuse_bound(out,
                                "holds the reaction of a condition that follows from the "
                                "others, so that it is not determined",
                                diag);
    }
    return STATUS_OK;
}

// Whether a condition presses on another friction too.
static bool presses_twice(const Motion *motion, const MotionFriction *out)
{
    for (size_t i = 0; i < motion->friction_count; i++)
        for (size_t k = 0; k < FRICTION_NORMALS; k++)
            for (size_t h = 0; h < FRICTION_NORMALS; h++) {
                const ModelConstraint *own = motion_friction_presses(out, k);
                if (&motion->frictions[i] != out && own &&
                    own == motion_friction_presses(&motion->frictions[i], h))
                    return true;
            }
    return false;
}

// A law whose bound is a multiple of a reaction, or of the length of some, is pressed by them.
static Status take_reactions(Motion *motion, MotionFriction *out, Diag *diag)
{
    const ModelConstraint *found[FRICTION_NORMALS];
    // Most are like the one before.
    const MotionFriction *last = out > motion->frictions ? out - 1 : NULL;
    if (last && last->free && expr_same(last->friction->bound, out->friction->bound) &&
        expr_same(last->friction->hold, out->friction->hold)) {
        out->bound = out->friction->bound;
        out->hold = out->friction->hold;
        out->free = true;
        return STATUS_OK;
    }
    Expr slide = with_normals(motion, out->friction->bound),
         stick = with_normals(motion, out->friction->hold);
    size_t count = find_reactions(motion, expr_add(motion->pool, slide, stick), found);
    out->bound = slide;
    out->hold = stick;
    out->free = count == 0;
    if (out->free)
        return STATUS_OK;
    if (out->friction->kind == FRICTION_ON_CONDITION)
        return refuse_bound(out, "is a coefficient, which may not hold reactions", diag);
    if (count > FRICTION_NORMALS || (count > 1 && out->rows > 1))
        return refuse_bound(out,
                            "holds the reactions of too many conditions; three at most, and "
                            "one alone where it acts in two directions",
                            diag);
    out->constraint = found[0];
    out->also_count = count - 1;
    for (size_t i = 1; i < count; i++)
        out->also[i - 1] = found[i];
    TRY(find_sides(motion, out, diag));
    if (presses_twice(motion, out))
        return refuse_bound(out,
                            "holds a reaction that presses on another friction too; this "
                            "version solves one friction for each reaction",
                            diag);
    if (!find_factor(motion, out, slide, &out->bound) ||
        !find_factor(motion, out, stick, &out->hold))
        return refuse_bound(out,
                            "holds reactions in another way than as a multiple of abs(lambda."
                            "NAME), or of sqrt(lambda.A^2 + lambda.B^2) with one factor",
                            diag);
    return STATUS_OK;
}

const ModelConstraint *motion_friction_presses(const MotionFriction *friction, size_t which)
{
    if (which == 0)
        return friction->constraint;
    return which <= friction->also_count ? friction->also[which - 1] : NULL;
}

bool motion_friction_has_norm(const MotionFriction *friction, FrictionHold state)
{
    return friction->also_count > 0 && state.mode >= HOLD_FORWARD;
}

bool motion_slides_by_norm(const Motion *motion)
{
    bool any = false;
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds && !any; i++)
        any = motion_friction_has_norm(&motion->frictions[i], motion->friction_holds[i]);
    return any;
}

Status motion_make_frictions(Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    Status status = STATUS_OK;
    size_t count = motion->friction_count = model->frictions.count;
    motion->frictions = arena_array(motion->arena, MotionFriction, count + 1);
    FrictionShapes *shapes = friction_shapes_new(motion);
    for (size_t i = 0; i < count; i++)
        if (make_friction(motion, &model->frictions.at[i], shapes, diag, &motion->frictions[i]) !=
            STATUS_OK)
            status = STATUS_WRONG;
    friction_shapes_free(shapes);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = take_reactions(motion, &motion->frictions[i], diag);
    return status;
}

// ---- What it does in a contact mode.

Expr motion_friction_speed(const Motion *motion, const MotionFriction *friction, FrictionHold state)
{
    ExprPool *pool = motion->pool;
    if (friction->rows == 1)
        return state.mode == HOLD_BACKWARD ? expr_neg(pool, friction->sticks[0].velocity)
                                           : friction->sticks[0].velocity;
    Expr squares[FRICTION_ROWS];
    for (size_t i = 0; i < friction->rows; i++)
        squares[i] = expr_pow_int(pool, friction->sticks[i].velocity, 2);
    return expr_sqrt(pool, expr_sum(pool, squares, friction->rows));
}

// ν|λ| of a condition with friction.
static Expr normal_force(const Motion *motion, const MotionFriction *friction, FrictionHold state)
{
    Expr lambda = friction->constraint->lambda;
    if (friction->also_count > 0) {
        Expr parts[FRICTION_NORMALS];
        for (size_t i = 0; i <= friction->also_count; i++)
            parts[i] = expr_mul(motion->pool,
                                motion->model->sticks.at[friction->friction->stick + i].lambda,
                                motion_friction_presses(friction, i)->lambda);
        lambda = expr_sum(motion->pool, parts, friction->also_count + 1);
        return expr_mul(motion->pool, friction->pressure, lambda);
    }
    if (state.pulls)
        lambda = expr_neg(motion->pool, lambda);
    return expr_mul(motion->pool, friction->pressure, lambda);
}

// slip.NAME of the friction itself as it moves in the state; at rest 0.
static Expr with_slip(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                      Expr e)
{
    Expr symbol = friction->friction->slip, speed = expr_int(motion->pool, 0);
    if (!expr_holds(motion->pool, e, symbol))
        return e;
    if (state.mode >= HOLD_FORWARD)
        speed = motion_friction_speed(motion, friction, state);
    return expr_replace(motion->pool, e, &symbol, &speed, 1);
}

Expr motion_friction_bound(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                           bool sticks)
{
    Expr bound = with_slip(motion, friction, state, sticks ? friction->hold : friction->bound);
    if (friction->constraint)
        bound = expr_mul(motion->pool, bound, normal_force(motion, friction, state));
    return bound;
}

void motion_friction_force(const Motion *motion, const MotionFriction *friction, FrictionHold state,
                           Expr *force)
{
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < friction->rows; i++)
        force[i] =
            state.mode == HOLD_STICKS ? friction->sticks[i].constraint->lambda : expr_int(pool, 0);
    if (state.mode < HOLD_FORWARD)
        return;
    Expr bound = expr_neg(pool, motion_friction_bound(motion, friction, state, false));
    if (friction->rows == 1) {
        force[0] = state.mode == HOLD_BACKWARD ? expr_neg(pool, bound) : bound;
        return;
    }
    Expr scale = expr_div(pool, bound, motion_friction_speed(motion, friction, state));
    for (size_t i = 0; i < friction->rows; i++)
        force[i] = expr_mul(pool, scale, friction->sticks[i].velocity);
}

// ---- Forces that hold reactions.

// normal(NAME) as λ; λ of conditions that do not act here as 0.
static void resolve_reactions(const Motion *motion, Expr *K)
{
    const Model *model = motion->model;
    size_t most = model->constraints.count + motion->friction_count;
    Expr *symbols = base_alloc(2 * (most + 1) * sizeof *symbols), *values = symbols + most + 1;
    size_t count = 0;
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        if (!friction->constraint)
            continue;
        bool acts = motion_row_of(motion, friction->constraint);
        FrictionHold state = motion->friction_holds ? motion->friction_holds[i] : (FrictionHold){0};
        symbols[count] = friction->friction->normal;
        values[count++] = acts ? normal_force(motion, friction, state) : expr_int(motion->pool, 0);
    }
    for (size_t i = 0; i < motion->side_count; i++) {
        bool held = motion->held && motion->held[i];
        if (held)
            continue;
        symbols[count] = motion->sides[i].constraint->lambda;
        values[count++] = expr_int(motion->pool, 0);
    }
    for (size_t nu = 0; nu < motion->n && count > 0; nu++)
        K[nu] = expr_replace(motion->pool, K[nu], symbols, values, count);
    base_free(symbols);
}

// Adds a part of the forces that goes with λ of a row to its direction.
static void turn_row(Motion *motion, MotionRow *row, size_t nu, Expr part)
{
    if (row->d == row->b) {
        row->d = arena_alloc(motion->arena, motion->n * sizeof(Expr));
        memcpy(row->d, row->b, motion->n * sizeof(Expr));
        motion->servos += row->servo == NULL;
    }
    row->d[nu] = expr_add(motion->pool, row->d[nu], part);
}

static Status not_linear(const Motion *motion, size_t nu, Diag *diag)
{
    return diag_error(diag, place_none(),
                      "a force on %s holds a reaction in another way than as a factor; this "
                      "version solves forces that are linear in reactions (abs, norms and powers "
                      "of them are not)",
                      motion->model->coords.at[nu].name);
}

// K without reactions; what goes with λ of a condition joins the direction of its reaction.
static Status split_reactions(Motion *motion, Expr *K, Diag *diag)
{
    size_t m = motion->m, n = motion->n;
    Expr *symbols = base_alloc(2 * (m + 1) * sizeof *symbols), *parts = symbols + m + 1;
    Status status = STATUS_OK;
    resolve_reactions(motion, K);
    for (size_t i = 0; i < m; i++)
        symbols[i] = motion->rows[i].constraint->lambda;
    for (size_t nu = 0; nu < n; nu++) {
        Expr rest;
        if (!expr_holds_any(motion->pool, K[nu], symbols, m))
            continue;
        bool linear = expr_linear(motion->pool, K[nu], symbols, m, parts, &rest);
        for (size_t i = 0; i < m && linear; i++)
            linear = !expr_holds_any(motion->pool, parts[i], symbols, m);
        if (!linear) {
            status = not_linear(motion, nu, diag);
            continue;
        }
        K[nu] = rest;
        for (size_t i = 0; i < m; i++)
            if (!expr_is_zero(motion->pool, parts[i]))
                turn_row(motion, &motion->rows[i], nu, parts[i]);
    }
    base_free(symbols);
    return status;
}

Status motion_take_reactions(Motion *motion, const Expr *forces, Diag *diag)
{
    ExprPool *pool = motion->pool;
    motion->whole_K = forces;
    if (motion->friction_count == 0 && !motion->model->reactions_act) {
        motion->K = (Expr *)forces;
        return STATUS_OK;
    }
    Expr *K = motion->K = arena_alloc(motion->arena, (motion->n + 1) * sizeof *K);
    memcpy(K, forces, motion->n * sizeof *K);
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        FrictionHold state = motion->friction_holds[i];
        Expr force[FRICTION_ROWS];
        if (state.mode < HOLD_FORWARD)
            continue;
        motion_friction_force(motion, friction, state, force);
        for (size_t k = 0; k < friction->rows; k++)
            for (size_t nu = 0; nu < motion->n; nu++)
                K[nu] = expr_add(pool, K[nu], expr_mul(pool, force[k], friction->sticks[k].b[nu]));
    }
    return split_reactions(motion, K, diag);
}

void motion_leave_sticks(const Motion *motion, const bool *held, FrictionHold *friction)
{
    size_t n = motion->n, count = motion->m, last = 0;
    size_t most = motion->m + motion->side_count + FRICTION_ROWS * motion->friction_count;
    Expr *matrix = base_alloc((most * n + 1) * sizeof *matrix);
    bool *independent = base_alloc((most + 1) * sizeof *independent);
    for (size_t i = 0; i < motion->m; i++)
        memcpy(matrix + i * n, motion->rows[i].b, n * sizeof *matrix);
    for (size_t i = 0; i < motion->side_count; i++)
        if (held[i])
            memcpy(matrix + count++ * n, motion_side(motion, i)->b, n * sizeof *matrix);
    last = count;
    for (size_t i = 0; i < motion->friction_count; i++)
        for (size_t k = 0; k < motion->frictions[i].rows && friction[i].mode == HOLD_STICKS; k++)
            memcpy(matrix + count++ * n, motion->frictions[i].sticks[k].b, n * sizeof *matrix);
    bool decided = count > last &&
                   algebra_rank(motion->algebra, matrix, count, n, NULL, independent, NULL) >= 0;
    for (size_t i = 0; i < motion->friction_count && decided; i++)
        for (size_t k = 0; k < motion->frictions[i].rows && friction[i].mode == HOLD_STICKS; k++)
            if (!independent[last++])
                friction[i].without |= (unsigned char)(1u << k);
    base_free(independent);
    base_free(matrix);
}

// The rows of those that stick, behind all others.
void motion_add_sticks(Motion *motion)
{
    for (size_t i = 0; i < motion->friction_count && motion->friction_holds; i++) {
        FrictionHold state = motion->friction_holds[i];
        for (size_t k = 0; k < motion->frictions[i].rows; k++)
            if (state.mode == HOLD_STICKS && !(state.without >> k & 1))
                motion->rows[motion->m++] = motion->frictions[i].sticks[k];
    }
}

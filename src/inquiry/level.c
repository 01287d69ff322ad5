// level.c: coordinates that obey the finite conditions, by free symbols.
//
// A sphere Σ q² = r² is q₀ = r(1 − w²)/(1 + w²), q_i = 2r·w_i/(1 + w²), from one pole: all of it
// but a point. So a rational function that vanishes for all w vanishes on the sphere.
#include "inquiry/inquiry_impl.h"

typedef ARRAY(Expr) ExprArray;

typedef struct {
    Motion *motion;
    ExprSubst *subst;
    bool *taken; // coordinates that are replaced, or stand in what replaces another
} Level;

// Coordinates that a condition holds; false where one of them is taken already.
static bool coordinates_of(const Level *level, Expr f, size_t *held, size_t *count)
{
    *count = 0;
    for (size_t nu = 0; nu < level->motion->n; nu++) {
        if (!expr_holds(level->motion->pool, f, level->motion->q[nu]))
            continue;
        if (level->taken[nu])
            return false;
        held[(*count)++] = nu;
    }
    return *count > 0;
}

static void take(Level *level, const size_t *held, size_t count)
{
    for (size_t i = 0; i < count; i++)
        level->taken[held[i]] = true;
}

// ---- Linear in one coordinate.

static bool take_linear(Level *level, Expr f, const size_t *held, size_t count)
{
    Motion *motion = level->motion;
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < count; i++) {
        Expr q = motion->q[held[i]], factor, rest;
        if (!expr_linear(pool, f, &q, 1, &factor, &rest) ||
            expr_holds_any(pool, factor, motion->q, motion->n) ||
            expr_holds(pool, factor, motion->model->t) || expr_is_zero(pool, factor))
            continue;
        expr_subst_set(level->subst, q, expr_neg(pool, expr_div(pool, rest, factor)));
        take(level, held, count);
        return true;
    }
    return false;
}

// ---- Spheres.

// A root of e that needs no root sign: even powers only. False where there is none.
static bool plain_root(ExprPool *pool, Expr e, Expr *root)
{
    *root = expr_sqrt(pool, e);
    if (expr_is_number(pool, *root))
        return true;
    if (expr_op(pool, e) != EXPR_PRODUCT)
        return false;
    Expr number = expr_sqrt(pool, expr_number(pool, expr_value(pool, e)));
    *root = number;
    bool even = expr_is_number(pool, number);
    fmpq_t half;
    fmpq_init(half);
    for (size_t i = 0; i < expr_arg_count(pool, e) && even; i++) {
        fmpq_div_2exp(half, expr_arg_weight(pool, e, i), 1);
        even = fmpz_is_one(fmpq_denref(half));
        *root =
            expr_mul(pool, *root, expr_pow(pool, expr_arg(pool, e, i), expr_number(pool, half)));
    }
    fmpq_clear(half);
    return even;
}

// f = c·(Σ q² − r²) with numbers c; what remains of f is −c·r².
static bool sphere_radius(Level *level, Expr f, const size_t *held, size_t count, Expr *radius)
{
    Motion *motion = level->motion;
    ExprPool *pool = motion->pool;
    Expr zero = expr_int(pool, 0), rest = f, squares = zero;
    Expr first = motion->q[held[0]];
    Expr c =
        expr_mul(pool, expr_ratio(pool, 1, 2), expr_diff(pool, expr_diff(pool, f, first), first));
    if (!expr_is_number(pool, c) || expr_is_zero(pool, c))
        return false;
    for (size_t i = 0; i < count; i++) {
        Expr q = motion->q[held[i]];
        rest = expr_replace(pool, rest, &q, &zero, 1);
        squares = expr_add(pool, squares, expr_pow_int(pool, q, 2));
    }
    Expr sphere = expr_add(pool, expr_mul(pool, c, squares), rest);
    return inquiry_vanishes(motion, expr_sub(pool, f, sphere)) &&
           plain_root(pool, expr_neg(pool, expr_div(pool, rest, c)), radius);
}

static bool take_sphere(Level *level, Expr f, const size_t *held, size_t count)
{
    Motion *motion = level->motion;
    ExprPool *pool = motion->pool;
    Expr radius, sum = expr_int(pool, 1);
    if (count < 2 || !sphere_radius(level, f, held, count, &radius))
        return false;
    ExprArray free_ = {0};
    for (size_t i = 1; i < count; i++) {
        array_push(&free_, expr_symbol_new(pool, "w"));
        sum = expr_add(pool, sum, expr_pow_int(pool, free_.at[i - 1], 2));
    }
    Expr scale = expr_div(pool, radius, sum), two = expr_int(pool, 2);
    expr_subst_set(level->subst, motion->q[held[0]],
                   expr_mul(pool, scale, expr_sub(pool, two, sum)));
    for (size_t i = 1; i < count; i++)
        expr_subst_set(level->subst, motion->q[held[i]],
                       expr_product(pool, (Expr[]){two, scale, free_.at[i - 1]}, 3));
    array_clear(&free_);
    take(level, held, count);
    return true;
}

ExprSubst *level_of(Motion *motion, bool *any, size_t *left)
{
    *any = false;
    *left = 0;
    Level level = {.motion = motion, .subst = expr_subst_new(motion->pool)};
    level.taken = base_alloc((motion->n + 1) * sizeof *level.taken);
    size_t *held = base_alloc((motion->n + 1) * sizeof *held), count;
    for (size_t i = 0; i < motion->m; i++) {
        Expr f = motion->rows[i].position;
        if (expr_is_none(f))
            continue;
        if (coordinates_of(&level, f, held, &count) &&
            (take_sphere(&level, f, held, count) || take_linear(&level, f, held, count)))
            *any = true;
        else
            ++*left;
    }
    base_free(held);
    base_free(level.taken);
    return level.subst;
}

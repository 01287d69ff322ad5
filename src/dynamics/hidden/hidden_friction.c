// hidden_friction.c: dry friction on what has no inertia (a slider between springs, Jenkins 1962;
// Iwan 1966).
//
// Along z, a displacement without inertia, the forces are in balance: z·r + F·(z·w) = 0. So the
// friction F is known from the state alone. It holds as long as |F| is within its bound; while it
// slides |F| is the bound, which is a condition on the state, and gives the velocity.
#include "algebra/algebra.h"
#include "base/diag.h"
#include "dynamics/hidden/hidden_impl.h"
#include "expr/arithmetic.h"
#include "model/friction.h"
#include "model/model.h"
#include "motion/frictions.h"
#include "motion/motion_types.h"

#include <string.h>

// z·w of one row of a friction; 0 where it vanishes.
static Expr work_of(Motion *motion, const MotionRow *row, const Expr *z)
{
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(pool, z[nu], row->b[nu]);
    Expr sum = expr_sum(pool, terms, motion->n);
    base_free(terms);
    return algebra_vanishes(motion->algebra, sum) ? expr_int(pool, 0)
                                                  : algebra_simplify(motion->algebra, sum);
}

// The first of the vectors, not taken yet, along which it does work; SIZE_MAX for none.
static size_t find_vector(Motion *motion, const MotionFriction *friction, const Pending *pending,
                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < friction->rows && !pending[i].taken; k++)
            if (!expr_is_zero(motion->pool, work_of(motion, &friction->sticks[k], pending[i].z)))
                return i;
    return SIZE_MAX;
}

// z of the vector becomes one of work 1, and the others such of work 0.
static void take_vector(Motion *motion, const HiddenSystem *system, const MotionRow *row,
                        Pending *pending, size_t count, size_t which)
{
    ExprPool *pool = motion->pool;
    Expr work = work_of(motion, row, pending[which].z), *own = pending[which].z;
    for (size_t i = 0; i < system->size; i++)
        own[i] = algebra_simplify(motion->algebra, expr_div(pool, own[i], work));
    for (size_t k = 0; k < count; k++) {
        Expr part = k == which ? expr_int(pool, 0) : work_of(motion, row, pending[k].z);
        for (size_t i = 0; i < system->size && !expr_is_zero(pool, part); i++)
            pending[k].z[i] = algebra_simplify(
                motion->algebra, expr_sub(pool, pending[k].z[i], expr_mul(pool, part, own[i])));
    }
    pending[which].taken = true;
}

// F = −z·r.
static Expr balance_of(const Motion *motion, const HiddenSystem *system, const Expr *z)
{
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((system->size + 1) * sizeof *terms);
    for (size_t i = 0; i < system->size; i++)
        terms[i] = expr_is_zero(pool, z[i]) ? z[i] : expr_mul(pool, z[i], system->right[i]);
    Expr sum = algebra_simplify(motion->algebra, expr_sum(pool, terms, system->size));
    base_free(terms);
    return expr_neg(pool, sum);
}

static Status refuse(const MotionFriction *friction, const Motion *motion, size_t nu,
                     const char *why, Diag *diag)
{
    return diag_error(diag, friction->friction->place,
                      "the friction '%s' acts on %s, which has no inertia, %s",
                      friction->friction->name, motion->model->coords.at[nu].name, why);
}

// Whether the balance tells how it slides: it changes with what slides.
static bool is_determined(Motion *motion, Expr balance, bool finite, const Expr *z)
{
    ExprPool *pool = motion->pool;
    Expr *gradient = base_alloc((motion->n + 1) * sizeof *gradient);
    MotionRow row = {.b = gradient};
    expr_gradient(pool, balance, finite ? motion->q : motion->v, motion->n, gradient);
    bool determined = !expr_is_zero(pool, work_of(motion, &row, z));
    base_free(gradient);
    return determined;
}

static bool is_linear(const Motion *motion, Expr e)
{
    Expr *parts = base_alloc((motion->n + 1) * sizeof *parts), rest;
    bool linear = expr_linear(motion->pool, e, motion->v, motion->n, parts, &rest);
    for (size_t nu = 0; nu < motion->n && linear; nu++)
        linear = !expr_holds_any(motion->pool, parts[nu], motion->v, motion->n);
    base_free(parts);
    return linear;
}

static Status check(Motion *motion, const MotionFriction *friction, Expr balance, const Expr *z,
                    size_t nu, Diag *diag)
{
    ExprPool *pool = motion->pool;
    bool slip = expr_holds(pool, friction->bound, friction->friction->slip);
    bool finite = !slip && !expr_holds_any(pool, balance, motion->v, motion->n) &&
                  !expr_holds_any(pool, friction->bound, motion->v, motion->n);
    if (!is_linear(motion, balance) || !is_linear(motion, friction->bound))
        return refuse(friction, motion, nu,
                      "and the forces on it hold velocities not linearly, which this version "
                      "cannot follow while it slides",
                      diag);
    if (!slip && !is_determined(motion, balance, finite, z))
        return refuse(friction, motion, nu,
                      "and nothing determines how it slides: the forces on it do not change with "
                      "it; let a spring or a damper act on it, or give it a mass",
                      diag);
    if (finite && !expr_same(friction->bound, friction->hold))
        return refuse(friction, motion, nu,
                      "and would jump where it begins to slide, because its force falls there from "
                      "the static bound; leave out 'static', give it a mass or let a damper act on "
                      "it",
                      diag);
    return STATUS_OK;
}

static Status take(Motion *motion, const HiddenSystem *system, size_t which, Pending *pending,
                   size_t count, size_t vector, Diag *diag)
{
    const MotionFriction *friction = &motion->frictions[which];
    const Expr *z = pending[vector].z;
    size_t nu = hidden_coordinate(motion, pending[vector].found.at, z);
    const ModelConstraint *servo = hidden_servo_in(motion, system, z);
    if (servo)
        return diag_error(diag, friction->friction->place,
                          "the force of the servo '%s' reaches its condition by way of what the "
                          "friction '%s' acts on: where that changes between sticking and sliding, "
                          "the positions that the servo needs would jump, and no motion can; keep "
                          "something that the force reaches without it, or leave out the friction",
                          servo->name, friction->friction->name);
    if (friction->rows > 1 || motion_friction_is_pressed(friction))
        return refuse(friction, motion, nu,
                      motion_friction_is_pressed(friction)
                          ? "and its bound holds a reaction, which this version cannot follow there"
                          : "in several directions, which this version cannot follow",
                      diag);
    take_vector(motion, system, &friction->sticks[0], pending, count, vector);
    pending[vector].by = which;
    return STATUS_OK;
}

// No other friction does work along what one has taken.
static Status check_alone(Motion *motion, const Pending *taken, size_t nu, Diag *diag)
{
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        for (size_t k = 0; k < friction->rows && i != taken->by; k++)
            if (!expr_is_zero(motion->pool, work_of(motion, &friction->sticks[k], taken->z)))
                return refuse(friction, motion, nu,
                              "and so does another friction, so that the forces of the two are not "
                              "determined; put them together",
                              diag);
    }
    return STATUS_OK;
}

Status hidden_take_friction(Model *model, Motion *motion, const HiddenSystem *system,
                            Pending *pending, size_t count, Diag *diag)
{
    for (size_t i = 0; i < motion->friction_count; i++) {
        size_t vector = find_vector(motion, &motion->frictions[i], pending, count);
        if (vector != SIZE_MAX)
            TRY(take(motion, system, i, pending, count, vector, diag));
    }
    for (size_t k = 0; k < count; k++) {
        const Expr *z = pending[k].z;
        size_t nu = hidden_coordinate(motion, pending[k].found.at, z);
        if (!pending[k].taken)
            continue;
        Expr balance = balance_of(motion, system, z);
        TRY(check_alone(motion, &pending[k], nu, diag));
        TRY(check(motion, &motion->frictions[pending[k].by], balance, z, nu, diag));
        Expr *own = arena_alloc(model->arena, (motion->n + 1) * sizeof *own);
        memcpy(own, z, motion->n * sizeof *own);
        // Those that do not act for the while are not among the motion's.
        const ModelFriction *friction = motion->frictions[pending[k].by].friction;
        model->frictions.at[friction - model->frictions.at].balance = balance;
        model->frictions.at[friction - model->frictions.at].massless = own;
    }
    return STATUS_OK;
}

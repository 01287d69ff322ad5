// start_dependent.c: which velocities the conditions are written for.
//
// A condition `z' = y*x'` says what z' is, and one in which a single velocity has a constant factor
// and the others have factors that depend on the position, as the velocity of the centre in the
// condition of rolling (Chaplygin 1897), can be read in one way only. Where such a velocity is
// known from another condition, those that are left over are looked at again.
#include "dynamics/start_impl.h"
#include "expr/arithmetic.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>

// Whether one side of the condition is this coordinate or velocity, and the other does not hold it.
static bool is_written_for(const Motion *motion, const ModelConstraint *constraint, Expr symbol)
{
    Expr left = constraint->left, right = constraint->right;
    return (expr_same(left, symbol) && !expr_holds(motion->pool, right, symbol)) ||
           (expr_same(right, symbol) && !expr_holds(motion->pool, left, symbol));
}

// Whether q'_ν has a constant factor, and the condition does not depend on q_ν otherwise.
static bool has_constant_factor(const Motion *motion, const MotionRow *row, size_t nu)
{
    const ExprPool *pool = motion->pool;
    if (!row->linear || expr_is_zero(pool, row->b[nu]) ||
        expr_holds_any(pool, row->b[nu], motion->q, motion->n) ||
        expr_holds(pool, row->b[nu], motion->model->t) || expr_holds(pool, row->c, motion->q[nu]))
        return false;
    for (size_t mu = 0; mu < motion->n; mu++)
        if (!expr_is_zero(pool, row->b[mu]) && expr_holds(pool, row->b[mu], motion->q[nu]))
            return false;
    return true;
}

// The only velocity that the condition may say, those aside that are known already; n for none.
static size_t find_only(const Motion *motion, const MotionRow *row, const bool *dependent)
{
    size_t n = motion->n, only = n, count = 0;
    for (size_t nu = 0; nu < n; nu++)
        if (is_written_for(motion, row->constraint, motion->q[nu]) ||
            is_written_for(motion, row->constraint, motion->v[nu]))
            return dependent[nu] ? n : nu;
    for (size_t nu = 0; nu < n; nu++) {
        if (dependent[nu] || !has_constant_factor(motion, row, nu))
            continue;
        only = nu;
        count++;
    }
    return count == 1 ? only : n;
}

void start_find_dependent(const Motion *motion, bool *dependent)
{
    assert(motion && dependent);
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < motion->m; i++) {
            size_t only = find_only(motion, &motion->rows[i], dependent);
            if (only == motion->n)
                continue;
            dependent[only] = true;
            found = true;
        }
    }
}

// at_start.c: which conditions are independent at the start itself.
//
// A ball rolling in a cylinder: of the three conditions of rolling one follows from the others and
// from the wall, and which one may be left out depends on where the ball is. Independence is
// decided exactly elsewhere; here only the order in which it is asked for is chosen.
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "motion/motion_impl.h"

#include <math.h>
#include <string.h>

// A finite condition that the start misses by more says that the start is not complete yet.
#define MET 1e-6

static bool start_meets(const Motion *motion, const MotionRow *rows, size_t count)
{
    Expr *exprs = base_alloc((count + 1) * sizeof *exprs);
    double *residuals = base_alloc((count + 1) * sizeof *residuals);
    size_t finite = 0;
    for (size_t i = 0; i < count; i++)
        if (!expr_is_none(rows[i].position))
            exprs[finite++] = rows[i].position;
    bool met = motion_numbers_at_start(motion, exprs, finite, residuals);
    for (size_t i = 0; i < finite; i++)
        met = met && fabs(residuals[i]) <= MET;
    base_free(exprs);
    base_free(residuals);
    return met;
}

// Rows of numbers are as independent at the start as anywhere.
static bool are_constant(const Motion *motion, const MotionRow *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < motion->n; j++)
            if (!expr_is_number(motion->pool, rows[i].b[j]))
                return false;
    return true;
}

bool motion_order_at_start(const Motion *motion, const MotionRow *rows, size_t count,
                           size_t generic_rank, size_t *order)
{
    size_t n = motion->n, kept = 0, late = 0;
    if (are_constant(motion, rows, count))
        return false;
    Expr *exprs = base_alloc((count * n + 1) * sizeof *exprs);
    double *numbers = base_alloc((count * n + 1) * sizeof *numbers);
    Basis basis;
    Arena *arena = arena_new();
    basis_init(&basis, arena, n, n);
    size_t *later = base_alloc((count + 1) * sizeof *later);
    for (size_t i = 0; i < count; i++)
        memcpy(exprs + i * n, rows[i].b, n * sizeof *exprs);
    bool known = motion_numbers_at_start(motion, exprs, count * n, numbers) &&
                 start_meets(motion, rows, count);
    bool changed = false;
    for (size_t i = 0; i < count && known; i++) {
        if (basis_take(&basis, numbers + i * n, TOL_COARSE)) {
            changed = changed || late > 0;
            order[kept++] = i;
        } else {
            later[late++] = i;
        }
    }
    for (size_t i = 0; i < late; i++)
        order[kept + i] = later[i];
    base_free(exprs);
    base_free(numbers);
    arena_free(arena);
    base_free(later);
    return known && changed && kept == generic_rank;
}

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

static void look_for_miss(size_t n, size_t count, double *residuals, size_t *missed)
{
    (void)n;
    for (size_t i = 0; i < count; i++)
        *missed = *missed || !(fabs(residuals[i]) <= MET);
}

static bool start_meets(const Motion *motion, const MotionRow *rows, size_t count)
{
    Expr *exprs = base_alloc((count + 1) * sizeof *exprs);
    size_t finite = 0, missed;
    for (size_t i = 0; i < count; i++)
        if (!expr_is_none(rows[i].position))
            exprs[finite++] = rows[i].position;
    bool known = motion_decide_at_start(motion, exprs, finite, look_for_miss, &missed, 1);
    base_free(exprs);
    return known && !missed;
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

// How many rows are independent of those before them; whether others stand between them; first
// these, then the others.
static void order_rows(size_t n, size_t count, double *numbers, size_t *outcome)
{
    size_t rows = count / n, kept = 0, late = 0, *order = outcome + 2;
    Basis basis;
    Arena *arena = arena_new();
    basis_init(&basis, arena, n, n);
    size_t *later = base_alloc((rows + 1) * sizeof *later);
    for (size_t i = 0; i < rows; i++) {
        if (basis_take(&basis, numbers + i * n, TOL_COARSE)) {
            outcome[1] = outcome[1] || late > 0;
            order[kept++] = i;
        } else {
            later[late++] = i;
        }
    }
    outcome[0] = kept;
    for (size_t i = 0; i < late; i++)
        order[kept + i] = later[i];
    arena_free(arena);
    base_free(later);
}

bool motion_order_at_start(const Motion *motion, const MotionRow *rows, size_t count,
                           size_t generic_rank, size_t *order)
{
    size_t n = motion->n;
    if (are_constant(motion, rows, count))
        return false;
    Expr *exprs = base_alloc((count * n + 1) * sizeof *exprs);
    size_t *outcome = base_alloc((count + 2) * sizeof *outcome);
    for (size_t i = 0; i < count; i++)
        memcpy(exprs + i * n, rows[i].b, n * sizeof *exprs);
    bool known = motion_decide_at_start(motion, exprs, count * n, order_rows, outcome, count + 2) &&
                 start_meets(motion, rows, count);
    bool wanted = known && outcome[1] > 0 && outcome[0] == generic_rank;
    if (known)
        memcpy(order, outcome + 2, count * sizeof *order);
    base_free(exprs);
    base_free(outcome);
    return wanted;
}

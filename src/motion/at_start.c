// at_start.c: which conditions are independent at the start itself.
//
// A ball rolling in a cylinder: of the three conditions of rolling one follows from the others and
// from the wall, and which one may be left out depends on where the ball is. Independence is
// decided exactly elsewhere; here only the order in which it is asked for is chosen.
#include "motion/motion_impl.h"

#include <math.h>
#include <string.h>

// Of a unit row, what must stand off the rows before it for it to be a good one.
#define STANDS_OFF 1e-3
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

// Whether a row stands off the `kept` unit rows before it; it is then made one of them.
static bool stands_off(double *units, size_t kept, size_t n, const double *row)
{
    double *rest = units + kept * n, length = 0, square = 0;
    memcpy(rest, row, n * sizeof *rest);
    for (size_t j = 0; j < n; j++)
        length += row[j] * row[j];
    // Twice, so that the rows stay orthogonal to rounding.
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < kept; i++) {
            double along = 0;
            for (size_t j = 0; j < n; j++)
                along += units[i * n + j] * rest[j];
            for (size_t j = 0; j < n; j++)
                rest[j] -= along * units[i * n + j];
        }
    for (size_t j = 0; j < n; j++)
        square += rest[j] * rest[j];
    if (!(sqrt(square) > STANDS_OFF * sqrt(length)))
        return false;
    for (size_t j = 0; j < n; j++)
        rest[j] /= sqrt(square);
    return true;
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
    double *units = base_alloc(((count + 1) * n + 1) * sizeof *units);
    size_t *later = base_alloc((count + 1) * sizeof *later);
    for (size_t i = 0; i < count; i++)
        memcpy(exprs + i * n, rows[i].b, n * sizeof *exprs);
    bool known = motion_numbers_at_start(motion, exprs, count * n, numbers) &&
                 start_meets(motion, rows, count);
    bool changed = false;
    for (size_t i = 0; i < count && known; i++) {
        if (kept < n && stands_off(units, kept, n, numbers + i * n)) {
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
    base_free(units);
    base_free(later);
    return known && changed && kept == generic_rank;
}

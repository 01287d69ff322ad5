// speed_choice_limit.c: where the speeds of exported code cease to determine the velocities.
//
// A run takes other speeds there; exported code has those of its start. With the rows b of the
// conditions and y of the speeds, b·q' + c = 0 and y·q' + y0 = u, that is where the determinant of
// these n rows vanishes. A step may leap over such a place with errors that no estimate sees, but
// then the determinant has another sign than at the start.
#include "export/export_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 24 }; // without numbers for pivots: what is larger is not looked at

// A square matrix on its way to triangular form: the first `size` rows and columns are left.
typedef struct {
    const Exported *exported;
    StartValuesFn *values;
    size_t size, width;
    Expr *at;
} Elimination;

static Expr *entry(const Elimination *left, size_t i, size_t j)
{
    return &left->at[i * left->width + j];
}

static void swap(Expr *a, Expr *b)
{
    Expr kept = *a;
    *a = *b;
    *b = kept;
}

// In how many places a row is not 0.
static size_t filled(const Elimination *left, size_t row)
{
    size_t count = 0;
    for (size_t j = 0; j < left->size; j++)
        count += !expr_is_zero(left->exported->motion->pool, *entry(left, row, j));
    return count;
}

// A number, in the row with the fewest entries.
static bool find_number(const Elimination *left, size_t *row, size_t *column)
{
    const ExprPool *pool = left->exported->motion->pool;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < left->size; i++)
        for (size_t j = 0; j < left->size; j++) {
            Expr e = *entry(left, i, j);
            if (!expr_is_number(pool, e) || expr_is_zero(pool, e) || filled(left, i) >= least)
                continue;
            least = filled(left, i);
            *row = i;
            *column = j;
        }
    return least < SIZE_MAX;
}

// What is largest at the start.
static bool find_largest(const Elimination *left, size_t *row, size_t *column)
{
    size_t size = left->size;
    ExprRow entries = {0};
    double *values = base_alloc((size * size + 1) * sizeof *values), most = 0;
    for (size_t i = 0; i < size * size; i++)
        array_push(&entries, *entry(left, i / size, i % size));
    left->values(left->exported, &entries, values);
    for (size_t i = 0; i < size * size; i++)
        if (fabs(values[i]) > most) {
            most = fabs(values[i]);
            *row = i / size;
            *column = i % size;
        }
    base_free(values);
    array_clear(&entries);
    return most > 0;
}

// The pivot's row and column leave. What the determinant has from them, with its sign.
static Expr eliminate(Elimination *left, size_t row, size_t column)
{
    ExprPool *pool = left->exported->motion->pool;
    size_t last = --left->size;
    bool turns = (row != last) != (column != last);
    for (size_t j = 0; j <= last; j++)
        swap(entry(left, row, j), entry(left, last, j));
    for (size_t i = 0; i <= last; i++)
        swap(entry(left, i, column), entry(left, i, last));
    Expr pivot = *entry(left, last, last);
    for (size_t i = 0; i < last; i++) {
        Expr factor = expr_div(pool, *entry(left, i, last), pivot);
        for (size_t j = 0; j < last && !expr_is_zero(pool, factor); j++)
            *entry(left, i, j) =
                expr_sub(pool, *entry(left, i, j), expr_mul(pool, factor, *entry(left, last, j)));
    }
    return turns ? expr_neg(pool, pivot) : pivot;
}

static Expr determinant(Elimination *left)
{
    ExprPool *pool = left->exported->motion->pool;
    Expr product = expr_int(pool, 1);
    size_t row = 0, column = 0;
    while (left->size > 0 && find_number(left, &row, &column))
        product = expr_mul(pool, product, eliminate(left, row, column));
    if (left->size > MOST_ROWS)
        return expr_int(pool, 0);
    while (left->size > 0) {
        if (!find_largest(left, &row, &column))
            return expr_int(pool, 0);
        product = expr_mul(pool, product, eliminate(left, row, column));
    }
    return product;
}

Expr speed_choice_limit(const Exported *exported, StartValuesFn *values)
{
    const Motion *motion = exported->motion;
    size_t n = exported->n, rows = 0;
    Expr *at = base_alloc((n * n + 1) * sizeof *at), none = expr_int(motion->pool, 0);
    bool linear = !exported->all && motion->k == exported->k;
    for (size_t i = 0; i < exported->m && linear; i++) {
        const MotionRow *row = exported->conditions[i];
        linear = row->linear && rows <= n;
        if (linear && exported->kept[i] && rows < n)
            memcpy(at + rows++ * n, row->b, n * sizeof *at);
    }
    for (size_t i = 0; i < motion->k && linear; i++, rows++) {
        linear = motion->state.speeds[i].linear && rows < n;
        if (linear)
            memcpy(at + rows * n, motion->state.speeds[i].y, n * sizeof *at);
    }
    Elimination left = {exported, values, n, n, at};
    Expr limit = linear && rows == n ? determinant(&left) : none;
    base_free(at);
    bool moves = expr_holds(motion->pool, limit, exported->model->t) ||
                 expr_holds_any(motion->pool, limit, motion->q, n);
    return moves ? limit : none;
}

// least_norm.c: the shortest x with J·x = f.
//
// Rows are measured by their largest entries. A small J, or one whose rows nearly depend on each
// other, is factored as a whole. Where J is large and has few entries, x + Jᵀμ = 0 stands beside
// J·x = f, so that the factors are sparse and μ comes along.
// Where that is singular, rows depend on others. Then a small δ stands beside the rows,
// J·x − δμ = f, whose x = Jᵀ(J·Jᵀ + δ)⁻¹f is off by δ/(σ² + δ) of its part along each singular
// value σ of J. What is left of f goes through the same factors again until nothing moves: that
// leads to the shortest x of least residuals (Riley 1955; iterated Tikhonov regularization).
#include "linalg/least_norm.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <string.h>

void least_norm_clear(LeastNorm *norm)
{
    sparse_store_clear(&norm->rows);
    sparse_store_clear(&norm->turned);
    sparse_lu_clear(&norm->lu);
    array_clear(&norm->right);
    *norm = (LeastNorm){0};
}

// ---- Rows.

void least_norm_begin(LeastNorm *norm, size_t columns, bool few)
{
    norm->columns = columns;
    norm->few = few;
    norm->right.count = 0;
    array_reserve(&norm->right, 1);
    sparse_store_begin(&norm->rows);
}

void least_norm_push(LeastNorm *norm, size_t column, double value)
{
    assert(column < norm->columns);
    sparse_store_push(&norm->rows, column, value);
}

void least_norm_end_row(LeastNorm *norm, double right)
{
    assert(norm->rows.first.count > 0);
    SparseStore *rows = &norm->rows;
    size_t first = rows->first.at[rows->first.count - 1], count = rows->value.count - first;
    double *row = rows->value.at + first, largest = real_largest(row, count);
    if (!(largest > 0)) {
        rows->column.count = rows->value.count = first;
        return;
    }
    // A power of two loses no digit.
    double unit = isfinite(largest) ? ldexp(1, -ilogb(largest)) : 1;
    for (size_t l = 0; l < count; l++)
        row[l] *= unit;
    array_push(&norm->right, unit * right);
    sparse_store_end_row(rows);
}

// ---- Factors and solutions.

// Of x + Jᵀμ = …, J·x − δμ = …; false where it is singular, or rows stand off each other so little
// that too many digits are lost: by no more than the root of the pivots.
static bool factor(LeastNorm *norm, const SparseRows *rows, double delta)
{
    size_t columns = norm->columns, size = columns + rows->count;
    if (norm->lu.size != size) {
        sparse_lu_clear(&norm->lu);
        sparse_lu_init(&norm->lu, size);
    }
    SparseStore *matrix = &norm->lu.matrix;
    sparse_store_transpose(&norm->turned, rows, columns);
    SparseRows turned = sparse_store_rows(&norm->turned);
    sparse_store_begin(matrix);
    for (size_t j = 0; j < columns; j++) {
        sparse_store_push(matrix, j, 1);
        for (uint32_t at = turned.first[j]; at < turned.first[j + 1]; at++)
            sparse_store_push(matrix, columns + turned.column[at], turned.value[at]);
        sparse_store_end_row(matrix);
    }
    for (size_t i = 0; i < rows->count; i++) {
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            sparse_store_push(matrix, rows->column[at], rows->value[at]);
        if (delta > 0)
            sparse_store_push(matrix, columns + i, -delta);
        sparse_store_end_row(matrix);
    }
    return sparse_lu_factor(&norm->lu, TOL_SUM);
}

// x, from what is left of the right sides again and again, until they are met or x stays; false
// where it does not.
static bool find_shortest(LeastNorm *norm, Arena *arena, const SparseRows *rows, double *x)
{
    size_t columns = norm->columns, count = rows->count;
    double *both = real_alloc(arena, columns + count), *rest = real_alloc(arena, count);
    const double *right = norm->right.at;
    double largest = real_largest(right, count), left = largest;
    memset(x, 0, columns * sizeof *x);
    memcpy(rest, right, count * sizeof *rest);
    for (int round = 0; left > TOL_RANK * largest; round++) {
        if (round == LIMIT_STEPS || !(left < INFINITY))
            return false;
        memset(both, 0, columns * sizeof *both);
        memcpy(both + columns, rest, count * sizeof *both);
        sparse_lu_solve(&norm->lu, both);
        real_add_times(1, both, columns, x);
        for (size_t i = 0; i < count; i++)
            rest[i] = right[i] - sparse_row_times(rows, i, x, 0, NULL);
        left = real_largest(rest, count);
        if (real_largest(both, columns) <= TOL_AGREEMENT * real_largest(x, columns))
            return true;
    }
    return true;
}

// By the factors of the whole; rows that follow from others do no harm.
static void solve_whole(LeastNorm *norm, Arena *arena, const SparseRows *rows, double *x)
{
    size_t columns = norm->columns, count = rows->count;
    double *matrix = real_alloc(arena, columns * count), *both = real_alloc(arena, columns + count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            matrix[rows->column[at] * count + i] = rows->value[at];
    memcpy(both, norm->right.at, count * sizeof *both);
    least_squares(matrix, count, columns, TOL_RANK, both);
    memcpy(x, both, columns * sizeof *x);
}

bool least_norm_solve(LeastNorm *norm, double *x)
{
    SparseRows rows = sparse_store_rows(&norm->rows);
    assert(norm->right.count == rows.count);
    memset(x, 0, norm->columns * sizeof *x);
    if (!real_all_finite(rows.value, rows.first[rows.count]) ||
        !real_all_finite(norm->right.at, rows.count))
        return false;
    Arena *arena = arena_new();
    bool sparse = norm->few && (factor(norm, &rows, 0) || factor(norm, &rows, TOL_REGULARIZATION));
    if (rows.count > 0 && !(sparse && find_shortest(norm, arena, &rows, x)))
        solve_whole(norm, arena, &rows, x);
    arena_free(arena);
    return true;
}

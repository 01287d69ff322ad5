// least_norm.c: the shortest x with J·x = f, where J is large and has few entries.
//
// Rows are made units. With x + Jᵀμ = 0 beside J·x = f the factors are sparse and μ comes along.
// Where that is singular, rows depend on others: these are found by elimination, J = (B; D·B) with
// independent B, and the x of least residuals has
//
//     B·x = f_B + Dᵀ(1 + D·Dᵀ)⁻¹(f_D − D·f_B),
//
// which is f_B where the residuals agree with each other. Row d of D is the μ of Bᵀμ = (row d of
// J), by the same factors; what must be solved beside them is as large as there are rows in D.
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "linalg/tolerances.h"

#include <string.h>

void least_norm_clear(LeastNorm *norm)
{
    sparse_store_clear(&norm->rows);
    array_clear(&norm->right);
    sparse_store_clear(&norm->kept);
    sparse_store_clear(&norm->turned);
    sparse_lu_clear(&norm->lu);
    array_clear(&norm->others);
    array_clear(&norm->both);
    array_clear(&norm->aims);
    *norm = (LeastNorm){0};
}

// ---- Rows.

void least_norm_begin(LeastNorm *norm, size_t columns)
{
    norm->columns = columns;
    norm->right.count = 0;
    array_reserve(&norm->right, 1);
    sparse_store_begin(&norm->rows);
}

void least_norm_push(LeastNorm *norm, size_t column, double value)
{
    sparse_store_push(&norm->rows, column, value);
}

void least_norm_end_row(LeastNorm *norm, double right)
{
    SparseStore *rows = &norm->rows;
    size_t first = rows->first.at[rows->first.count - 1], count = rows->value.count - first;
    double *row = rows->value.at + first, largest = real_largest(row, count), square = 0;
    if (!(largest > 0)) {
        rows->column.count = rows->value.count = first;
        return;
    }
    for (size_t l = 0; l < count; l++)
        square += pow(row[l] / largest, 2);
    double length = largest * sqrt(square);
    for (size_t l = 0; l < count; l++)
        row[l] /= length;
    array_push(&norm->right, right / length);
    sparse_store_end_row(rows);
}

// ---- Factors.

// Of x + Bᵀμ = …, B·x = …; false where it is singular, or rows stand off each other so little that
// too many digits are lost: by no more than the root of the pivots.
static bool factor(LeastNorm *norm, const SparseRows *kept)
{
    size_t columns = norm->columns, size = columns + kept->count;
    if (norm->lu.size != size) {
        sparse_lu_clear(&norm->lu);
        sparse_lu_init(&norm->lu, size);
    }
    SparseStore *matrix = &norm->lu.matrix;
    sparse_store_transpose(&norm->turned, kept, columns);
    SparseRows turned = sparse_store_rows(&norm->turned);
    sparse_store_begin(matrix);
    for (size_t j = 0; j < columns; j++) {
        sparse_store_push(matrix, j, 1);
        for (uint32_t at = turned.first[j]; at < turned.first[j + 1]; at++)
            sparse_store_push(matrix, columns + turned.column[at], turned.value[at]);
        sparse_store_end_row(matrix);
    }
    for (size_t i = 0; i < kept->count; i++)
        sparse_store_take(matrix, kept, i);
    return sparse_lu_factor(&norm->lu, TOL_SUM);
}

// ---- Solutions.

// Adds the shortest x with B·x = right to x.
static void add_shortest(LeastNorm *norm, const double *right, size_t count, double *x)
{
    size_t columns = norm->columns;
    double *both = norm->both.at;
    memset(both, 0, columns * sizeof *both);
    memcpy(both + columns, right, count * sizeof *both);
    sparse_lu_solve(&norm->lu, both);
    real_add_times(1, both, columns, x);
}

// The same, seen to be one: what is left is taken away again, as long as there is something.
static bool find_shortest(LeastNorm *norm, const SparseRows *kept, const double *right,
                          double *rest, double *x)
{
    double largest = real_largest(right, kept->count), left = largest;
    if (!(largest < INFINITY))
        return false;
    memset(x, 0, norm->columns * sizeof *x);
    memcpy(rest, right, kept->count * sizeof *rest);
    for (int round = 0; round < LIMIT_PATIENCE && left > TOL_RANK * largest; round++) {
        add_shortest(norm, rest, kept->count, x);
        for (size_t i = 0; i < kept->count; i++)
            rest[i] = right[i] - sparse_row_times(kept, i, x, 0, NULL);
        left = real_largest(rest, kept->count);
    }
    return left <= TOL_RANK * largest;
}

// ---- Rows that depend on others.

// Parts the rows into independent ones, in `kept`, and others; aims are the right sides of the
// former.
static void part(LeastNorm *norm, const SparseRows *rows)
{
    double *row = base_alloc((norm->columns + 1) * sizeof *row), miss;
    Echelon echelon;
    echelon_init(&echelon, norm->columns);
    sparse_store_begin(&norm->kept);
    norm->aims.count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        sparse_rows_expand(rows, i, 1, norm->columns, row);
        if (echelon_take(&echelon, row, 0, &miss)) {
            sparse_store_take(&norm->kept, rows, i);
            array_push(&norm->aims, norm->right.at[i]);
        } else {
            array_push(&norm->others, (uint32_t)i);
        }
    }
    echelon_clear(&echelon);
    base_free(row);
}

// Row d of D, a column of what is given; false where the row is none of the combinations of B.
static bool combine(LeastNorm *norm, const SparseRows *rows, size_t row, size_t count, double *D,
                    size_t d)
{
    size_t columns = norm->columns;
    double *both = norm->both.at;
    memset(both, 0, (columns + count) * sizeof *both);
    sparse_row_add(rows, row, 1, both);
    sparse_lu_solve(&norm->lu, both);
    for (size_t i = 0; i < count; i++)
        D[i * norm->others.count + d] = both[columns + i];
    return real_largest(both, columns) <= TOL_RANK;
}

// f_B + Dᵀ(1 + D·Dᵀ)⁻¹(f_D − D·f_B) in `right`; false where it cannot be had.
static bool reconcile(LeastNorm *norm, const SparseRows *rows, size_t count, double *right)
{
    size_t others = norm->others.count;
    double *D = base_alloc((others * (count + others + 2) + 1) * sizeof *D); // transposed
    double *gap = D + others * count, *work = gap + others;
    bool found = true;
    for (size_t d = 0; d < others && found; d++) {
        size_t row = norm->others.at[d];
        found = combine(norm, rows, row, count, D, d);
        gap[d] = norm->right.at[row];
        for (size_t i = 0; i < count; i++)
            gap[d] -= D[i * others + d] * right[i];
    }
    if (found)
        least_norm_share(D, count, others, gap, work);
    for (size_t i = 0; i < count && found; i++)
        right[i] += real_dot(D + i * others, gap, others);
    base_free(D);
    return found;
}

bool least_norm_solve(LeastNorm *norm, double *x)
{
    SparseRows rows = sparse_store_rows(&norm->rows), kept = rows;
    size_t size = norm->columns + rows.count;
    if (!real_all_finite(rows.value, rows.first[rows.count]) ||
        !real_all_finite(norm->right.at, rows.count))
        return false;
    norm->others.count = 0;
    array_reserve(&norm->both, size + 1);
    array_reserve(&norm->aims, 2 * rows.count + 1);
    memcpy(norm->aims.at, norm->right.at, rows.count * sizeof(double));
    if (!factor(norm, &rows)) {
        part(norm, &rows);
        kept = sparse_store_rows(&norm->kept);
        if (norm->others.count == 0 || norm->others.count > SIZE_SPARSE || !factor(norm, &kept) ||
            !reconcile(norm, &rows, kept.count, norm->aims.at))
            return false;
    }
    return find_shortest(norm, &kept, norm->aims.at, norm->aims.at + rows.count, x);
}

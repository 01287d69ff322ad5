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

#include <lapacke.h>
#include <math.h>
#include <string.h>

// Unit rows whose pivots are smaller than this stand off each other by no more than its root; then
// too many digits are lost.
#define SMALL_PIVOT 1e-14
// Of a unit row, what must stand off those before it so that it is none of their combinations.
#define STANDS_OFF 1e-7
// A combination of others is one but for this.
#define COMBINED 1e-9
// What may be left of the residuals, against the largest.
#define LEFT        1e-9
#define MOST_ROUNDS 4
// So many rows in D, at most.
#define MOST_DEPENDENT 200

void least_norm_clear(LeastNorm *change)
{
    array_clear(&change->begins);
    array_clear(&change->places);
    array_clear(&change->values);
    array_clear(&change->right);
    array_clear(&change->both);
    array_clear(&change->rest);
    array_clear(&change->kept);
    array_clear(&change->others);
    array_clear(&change->turned);
    array_clear(&change->in_rows);
    sparse_lu_clear(&change->sparse);
    *change = (LeastNorm){0};
}

// ---- Rows.

void least_norm_begin(LeastNorm *change, size_t columns)
{
    change->columns = columns;
    change->begins.count = change->places.count = change->values.count = change->right.count = 0;
    array_push(&change->begins, 0);
}

void least_norm_push(LeastNorm *change, size_t column, double value)
{
    array_push(&change->places, column);
    array_push(&change->values, value);
}

void least_norm_end_row(LeastNorm *change, double right)
{
    size_t first = change->begins.at[change->begins.count - 1];
    double largest = 0, square = 0;
    for (size_t l = first; l < change->values.count; l++)
        largest = fmax(largest, fabs(change->values.at[l]));
    for (size_t l = first; l < change->values.count; l++)
        square += pow(change->values.at[l] / largest, 2);
    double length = largest * sqrt(square);
    if (!(largest > 0)) {
        change->places.count = change->values.count = first;
        return;
    }
    for (size_t l = first; l < change->values.count; l++)
        change->values.at[l] /= length;
    array_push(&change->right, right / length);
    array_push(&change->begins, change->values.count);
}

static double along(const LeastNorm *change, size_t row, const double *x)
{
    double sum = 0;
    for (size_t l = change->begins.at[row]; l < change->begins.at[row + 1]; l++)
        sum += change->values.at[l] * x[change->places.at[l]];
    return sum;
}

// ---- Factors.

// Who of the rows kept stands in each column, and with which entry.
static void turn(LeastNorm *change)
{
    size_t columns = change->columns;
    change->turned.count = change->in_rows.count = 0;
    array_reserve(&change->turned, columns + 2);
    array_reserve(&change->in_rows, 2 * change->values.count + 1);
    size_t *ends = change->turned.at, *in = change->in_rows.at;
    memset(ends, 0, (columns + 2) * sizeof *ends);
    for (size_t i = 0; i < change->kept.count; i++)
        for (size_t l = change->begins.at[change->kept.at[i]];
             l < change->begins.at[change->kept.at[i] + 1]; l++)
            ends[change->places.at[l] + 2]++;
    for (size_t j = 2; j <= columns; j++)
        ends[j] += ends[j - 1];
    for (size_t i = 0; i < change->kept.count; i++)
        for (size_t l = change->begins.at[change->kept.at[i]];
             l < change->begins.at[change->kept.at[i] + 1]; l++) {
            size_t at = ends[change->places.at[l] + 1]++;
            in[2 * at] = i;
            in[2 * at + 1] = l;
        }
}

// Of x + Bᵀμ = …, B·x = …; false where it is singular or nearly so.
static bool factor(LeastNorm *change)
{
    size_t columns = change->columns, size = columns + change->kept.count;
    SparseLu *sparse = &change->sparse;
    if (sparse->size != size) {
        sparse_lu_clear(sparse);
        sparse_lu_init(sparse, size);
    }
    array_reserve(&change->both, size + 1);
    turn(change);
    sparse_lu_begin(sparse);
    for (size_t j = 0; j < columns; j++) {
        sparse_lu_push(sparse, j, 1);
        for (size_t at = change->turned.at[j]; at < change->turned.at[j + 1]; at++)
            sparse_lu_push(sparse, columns + change->in_rows.at[2 * at],
                           change->values.at[change->in_rows.at[2 * at + 1]]);
        sparse_lu_end_row(sparse);
    }
    for (size_t i = 0; i < change->kept.count; i++) {
        size_t row = change->kept.at[i];
        for (size_t l = change->begins.at[row]; l < change->begins.at[row + 1]; l++)
            sparse_lu_push(sparse, change->places.at[l], change->values.at[l]);
        sparse_lu_end_row(sparse);
    }
    return sparse_lu_factor(sparse) && sparse_lu_least_pivot(sparse) > SMALL_PIVOT;
}

// ---- Solutions.

// Adds the shortest x with B·x = right to x.
static void add_shortest(LeastNorm *change, const double *right, double *x)
{
    size_t columns = change->columns;
    double *both = change->both.at;
    memset(both, 0, columns * sizeof *both);
    memcpy(both + columns, right, change->kept.count * sizeof *both);
    sparse_lu_solve(&change->sparse, both);
    for (size_t j = 0; j < columns; j++)
        x[j] += both[j];
}

// The same, seen to be one: what is left is taken away again, as long as there is something.
static bool find_shortest(LeastNorm *change, double *right, double *x)
{
    size_t count = change->kept.count;
    double largest = 0, left = INFINITY;
    memset(x, 0, change->columns * sizeof *x);
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(right[i]));
    if (!(largest < INFINITY))
        return false;
    array_reserve(&change->rest, count + 1);
    double *rest = change->rest.at;
    for (int round = 0; round < MOST_ROUNDS && left > LEFT * largest; round++) {
        for (size_t i = 0; i < count; i++)
            rest[i] = right[i] - along(change, change->kept.at[i], x);
        add_shortest(change, rest, x);
        left = 0;
        for (size_t i = 0; i < count; i++)
            left = fmax(left, fabs(right[i] - along(change, change->kept.at[i], x)));
    }
    return left <= LEFT * largest;
}

// ---- Rows that depend on others.

// Parts the rows into independent ones and others.
static void part(LeastNorm *change)
{
    size_t rows = change->begins.count - 1;
    double *row = base_alloc((change->columns + 1) * sizeof *row), miss;
    Echelon echelon;
    echelon_init(&echelon, change->columns);
    change->kept.count = change->others.count = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t l = change->begins.at[i]; l < change->begins.at[i + 1]; l++)
            row[change->places.at[l]] = change->values.at[l];
        if (echelon_take(&echelon, row, 0, STANDS_OFF, &miss))
            array_push(&change->kept, i);
        else
            array_push(&change->others, i);
        for (size_t l = change->begins.at[i]; l < change->begins.at[i + 1]; l++)
            row[change->places.at[l]] = 0;
    }
    echelon_clear(&echelon);
    base_free(row);
}

// Row d of D; false where the row is none of the combinations of B.
static bool combine(LeastNorm *change, size_t row, double *d)
{
    size_t columns = change->columns;
    double *both = change->both.at, apart = 0;
    memset(both, 0, (columns + change->kept.count) * sizeof *both);
    for (size_t l = change->begins.at[row]; l < change->begins.at[row + 1]; l++)
        both[change->places.at[l]] = change->values.at[l];
    sparse_lu_solve(&change->sparse, both);
    memcpy(d, both + columns, change->kept.count * sizeof *d);
    for (size_t j = 0; j < columns; j++)
        apart = fmax(apart, fabs(both[j]));
    return apart <= COMBINED;
}

// f_B + Dᵀ(1 + D·Dᵀ)⁻¹(f_D − D·f_B) in `right`; false where it cannot be had.
static bool reconcile(LeastNorm *change, double *right)
{
    size_t count = change->kept.count, others = change->others.count;
    double *D = base_alloc((others * (count + others + 1) + 1) * sizeof *D);
    double *normal = D + others * count, *gap = normal + others * others;
    bool found = true;
    for (size_t d = 0; d < others && found; d++)
        found = combine(change, change->others.at[d], D + d * count);
    for (size_t d = 0; d < others && found; d++) {
        gap[d] = change->right.at[change->others.at[d]];
        for (size_t i = 0; i < count; i++)
            gap[d] -= D[d * count + i] * right[i];
        for (size_t e = 0; e < others; e++) {
            double sum = d == e;
            for (size_t i = 0; i < count; i++)
                sum += D[d * count + i] * D[e * count + i];
            normal[d * others + e] = sum;
        }
    }
    lapack_int size = (lapack_int)others;
    found =
        found && LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', size, 1, normal, size, gap, size) == 0;
    for (size_t d = 0; d < others && found; d++)
        for (size_t i = 0; i < count; i++)
            right[i] += D[d * count + i] * gap[d];
    base_free(D);
    return found;
}

static void keep_all(LeastNorm *change)
{
    change->kept.count = change->others.count = 0;
    for (size_t i = 0; i + 1 < change->begins.count; i++)
        array_push(&change->kept, i);
}

bool least_norm_solve(LeastNorm *change, double *x)
{
    if (!real_all_finite(change->values.at, change->values.count) ||
        !real_all_finite(change->right.at, change->right.count))
        return false;
    keep_all(change);
    if (!factor(change)) {
        part(change);
        if (change->others.count == 0 || change->others.count > MOST_DEPENDENT || !factor(change))
            return false;
    }
    double *right = base_alloc((change->kept.count + 1) * sizeof *right);
    for (size_t i = 0; i < change->kept.count; i++)
        right[i] = change->right.at[change->kept.at[i]];
    bool found =
        (change->others.count == 0 || reconcile(change, right)) && find_shortest(change, right, x);
    base_free(right);
    return found;
}

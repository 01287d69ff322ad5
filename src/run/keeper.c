// keeper.c: all velocities, kept to the conditions.
//
// Where a condition or a speed is not linear in the velocities, and in large systems, a run carries
// all velocities, and the accelerations keep f' = 0. What rounding and the method leave of f is
// taken away after every step: Newton's iteration by least changes, b·dv = −f, velocities measured
// by their inertia.
//
// Where ∂f/∂q' vanishes, at the vertex of a cone of velocities, the condition no longer says how
// the velocities may change, and there is no motion beyond. A step must not pass over such a
// place: the row may turn, from a step to the next, by less than a right angle.
#include "run/run_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What of a condition may be left, of its largest part; and of a row's turn, its least cosine.
#define KEPT      1e-9
#define ROUNDINGS 8
// A condition all of whose parts are as good as 0 is measured by this part of what they would be at
// the speed of the whole: x' = 0 is never off by less than all of x'.
#define SLOW        1e-6
#define TURNS       0.1
#define MOST_NEWTON 8
// Directions in which the conditions change less than this part do not count for a step.
#define RANK 1e-12
// A row below this part of what it has come to is none; and below the other one, at the start.
#define VANISHED 1e-12
#define NOTHING  1e-30
// A motion that goes no further with a row below this part has come to such a place.
#define VANISHING 1e-7

struct Keeper {
    double *matrix, *right, *work; // m × n, max(m, n)
    double *former;                // m × n: rows of the last state that was kept
    bool has_former;
    double *largest; // m: what the entries of each row have come to
    lapack_int *pivots, work_size;
    LeastNorm few; // of conditions that are linear, with few entries
};

// Room for LAPACK; a large system has none before it needs some.
static void need_matrix(Keeper *keeper, const Numbers *numbers)
{
    size_t n = numbers->n, m = numbers->m, most = (n > m ? n : m) + 1;
    if (keeper->matrix)
        return;
    keeper->matrix = base_alloc((2 * m * n + m + most) * sizeof(double));
    keeper->former = keeper->matrix + m * n;
    keeper->largest = keeper->former + m * n;
    keeper->right = keeper->largest + m;
    keeper->pivots = base_alloc((n + 1) * sizeof *keeper->pivots);
    double wish = 0;
    lapack_int rank = 0, rows = (lapack_int)(m > 0 ? m : 1), columns = (lapack_int)n;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, rows, columns, 1, keeper->matrix, rows, keeper->right,
                        (lapack_int)most, keeper->pivots, RANK, &rank, &wish, -1);
    keeper->work_size = (lapack_int)wish;
    keeper->work = base_alloc(((size_t)wish + 1) * sizeof(double));
}

Keeper *keeper_new(const Numbers *numbers)
{
    Keeper *keeper = base_alloc(sizeof *keeper);
    if (numbers->curved)
        need_matrix(keeper, numbers);
    return keeper;
}

void keeper_free(Keeper *keeper)
{
    if (!keeper)
        return;
    least_norm_clear(&keeper->few);
    base_free(keeper->matrix);
    base_free(keeper->pivots);
    base_free(keeper->work);
    base_free(keeper);
}

// ---- Newton's iteration.

static double residual(const Numbers *numbers, size_t i)
{
    const Filled *filled = &numbers->in_velocities;
    const double *row = numbers->velocities.out + i * numbers->n;
    double sum = numbers->velocities.out[numbers->n * numbers->n + i];
    for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
        sum += row[filled->places[l]] * numbers->v[filled->places[l]];
    return sum;
}

static double fastest(const Numbers *numbers)
{
    double most = 0;
    for (size_t j = 0; j < numbers->n; j++)
        most = fmax(most, fabs(numbers->v[j]) / numbers->scale[j]);
    return most;
}

// The largest residual, each against the largest part of b·q' + c.
static double miss(const Numbers *numbers, double speed)
{
    size_t n = numbers->n;
    const Filled *filled = &numbers->in_velocities;
    double worst = 0;
    for (size_t i = 0; i < numbers->m; i++) {
        const double *row = numbers->velocities.out + i * n;
        double off = fabs(residual(numbers, i)), size = fabs(numbers->velocities.out[n * n + i]);
        for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++) {
            size_t j = filled->places[l];
            size = fmax(size, fabs(row[j] * numbers->v[j]));
            size = fmax(size, SLOW * fabs(row[j]) * numbers->scale[j] * speed);
        }
        double own = off > 0 ? off / size : 0;
        // Not a number counts as a miss, too.
        if (!(own <= worst))
            worst = isfinite(own) ? own : INFINITY;
    }
    return worst;
}

// The same where few entries are filled; false where conditions nearly depend on each other.
static bool few_step(Keeper *keeper, Numbers *numbers)
{
    size_t n = numbers->n;
    const Filled *filled = &numbers->in_velocities;
    double *change = numbers->right;
    least_norm_begin(&keeper->few, n);
    for (size_t l = 0; l < numbers->needed; l++) {
        size_t i = numbers->needed_rows[l];
        for (size_t at = filled->begins[i]; at < filled->begins[i + 1]; at++) {
            size_t j = filled->places[at];
            least_norm_push(&keeper->few, j,
                            numbers->velocities.out[i * n + j] * numbers->scale[j]);
        }
        least_norm_end_row(&keeper->few, residual(numbers, i));
    }
    if (!least_norm_solve(&keeper->few, change))
        return false;
    for (size_t j = 0; j < n; j++)
        numbers->v[j] -= numbers->scale[j] * change[j];
    return true;
}

static void newton_step(Keeper *keeper, Numbers *numbers)
{
    size_t n = numbers->n, m = numbers->m, most = n > m ? n : m;
    if (numbers->few_in_velocities && !numbers->curved && few_step(keeper, numbers))
        return;
    need_matrix(keeper, numbers);
    memset(keeper->right, 0, most * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        const double *row = numbers->velocities.out + i * n;
        for (size_t j = 0; j < n; j++)
            keeper->matrix[j * m + i] = row[j] * numbers->scale[j];
        keeper->right[i] = residual(numbers, i);
    }
    memset(keeper->pivots, 0, n * sizeof *keeper->pivots);
    lapack_int rank = 0;
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)n, 1, keeper->matrix,
                        (lapack_int)m, keeper->right, (lapack_int)most, keeper->pivots, RANK, &rank,
                        keeper->work, keeper->work_size);
    for (size_t j = 0; j < n; j++)
        numbers->v[j] -= numbers->scale[j] * keeper->right[j];
}

// After a change of velocities; rows that are linear do not feel it.
static void evaluate_rows(Numbers *numbers)
{
    if (numbers->curved)
        lowered_run(&numbers->velocities, numbers->inputs);
}

bool keeper_meet(Numbers *numbers)
{
    if (numbers->m == 0)
        return true;
    lowered_run(&numbers->velocities, numbers->inputs);
    // Where nothing is free the velocities become 0: what is left is measured by what they were.
    double before = numbers->curved ? 0 : fastest(numbers);
    double now = miss(numbers, fastest(numbers));
    for (size_t i = 0; i < MOST_NEWTON && now > ROUNDINGS * DBL_EPSILON && isfinite(now); i++) {
        memcpy(numbers->kept, numbers->v, numbers->n * sizeof(double));
        newton_step(numbers->keeper, numbers);
        evaluate_rows(numbers);
        double next = miss(numbers, fmax(before, fastest(numbers)));
        if (!(next < now)) {
            memcpy(numbers->v, numbers->kept, numbers->n * sizeof(double));
            evaluate_rows(numbers);
            break;
        }
        now = next;
    }
    return now <= KEPT;
}

// ---- Rows that vanish.

static double cosine(const double *a, const double *b, const double *scale, size_t n)
{
    double aa = 0, bb = 0, ab = 0;
    for (size_t j = 0; j < n; j++) {
        double x = a[j] * scale[j], y = b[j] * scale[j];
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

bool keeper_turns(Numbers *numbers)
{
    Keeper *keeper = numbers->keeper;
    size_t n = numbers->n;
    for (size_t i = 0; i < numbers->m && keeper->has_former; i++) {
        if (numbers->motion->rows[i].linear)
            continue;
        double turned =
            cosine(numbers->velocities.out + i * n, keeper->former + i * n, numbers->scale, n);
        if (!(turned > TURNS)) {
            numbers->singular_row = i;
            return true;
        }
    }
    memcpy(keeper->former, numbers->velocities.out, numbers->m * n * sizeof(double));
    keeper->has_former = true;
    return false;
}

void keeper_begin(Numbers *numbers)
{
    numbers->keeper->has_former = false;
    memset(numbers->keeper->largest, 0, numbers->m * sizeof(double));
}

static bool find_below(Numbers *numbers, double part)
{
    size_t n = numbers->n;
    for (size_t i = 0; i < numbers->m; i++) {
        double largest = 0, *most = &numbers->keeper->largest[i];
        for (size_t j = 0; j < n; j++)
            largest = fmax(largest, fabs(numbers->velocities.out[i * n + j]));
        if (!numbers->motion->rows[i].linear && !(largest > fmax(part * *most, NOTHING))) {
            numbers->singular_row = i;
            return true;
        }
        *most = fmax(*most, largest);
    }
    return false;
}

bool keeper_find_singular(Numbers *numbers)
{
    return find_below(numbers, VANISHED);
}

bool keeper_find_vanishing(Numbers *numbers)
{
    return find_below(numbers, VANISHING);
}

void keeper_add_state(const Numbers *numbers, Text *text)
{
    singular_add_state(numbers, numbers->motion->rows[numbers->singular_row].b, text);
}

// sparse_cholesky.c: Cholesky's factors of a sparse positive matrix, some of its rows and columns
// left out.
//
// Columns that are eliminated one after the other and know nearly the same rows make a front: a
// dense panel of L, and what eliminating it takes off the rows below, which the front above adds
// to its own. The order of elimination is of approximately minimum degree; it and the fronts are
// found once for all matrices with the same places of numbers. A row that is left out stays as one
// of the identity; where few rows come or go, only the fronts on their way up are made anew.
// Sources of the method: Duff, Reid, ACM Trans. Math. Softw. 9 (1983) 302; Liu, SIAM Review 34
// (1992) 82; for fronts that hold some zeros Ashcraft, Grimes, ACM Trans. Math. Softw. 15 (1989)
// 291.
#include "linalg/sparse_cholesky.h"
#include "linalg/lapack.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"

#include <amd.h>
#include <assert.h>
#include <ldl.h>
#include <string.h>

typedef struct {
    uint32_t column, width; // its first column, in the order of elimination; how many
    uint32_t below, height; // where its rows below begin in `rows`; of the whole panel
    size_t panel, rest;     // where its panel begins, and what it takes off the rows below
    uint32_t child, next;   // the fronts that add to it; NOBODY ends such a list
    uint32_t parent;
} Front;

#define NOBODY UINT32_MAX

struct SparseCholesky {
    size_t order;
    SparseStore matrix; // both halves
    SparseStore known;  // the places that the fronts were found for
    ARRAY(Front) fronts;
    ARRAY(size_t) filled; // the numbers of each front that are not 0
    ARRAY(int) integers;  // what follows from these places, and what finds it
    ARRAY(int) graph;
    ARRAY(uint32_t) rows; // below each front, upwards
    ARRAY(bool) flags;
    ARRAY(double) numbers;
    // The elimination: which row comes when, and when each row comes.
    int *sequence, *place;
    uint32_t *front_of; // each column's
    uint32_t *at_row;   // where the front at hand has each of its rows
    uint32_t *at_child; // and each of those below a front that adds to it
    // Of what is kept:
    bool has_factors;
    double added;
    bool *stale;      // each front: it is no longer that of the mask
    double *diagonal; // of the matrix
    double *mask;     // 1 or 0
    double *solved, *below;
    double *panels, *rests;
};

SparseCholesky *sparse_cholesky_new(void)
{
    return base_alloc(sizeof(SparseCholesky));
}

void sparse_cholesky_free(SparseCholesky *cholesky)
{
    if (!cholesky)
        return;
    sparse_store_clear(&cholesky->matrix);
    sparse_store_clear(&cholesky->known);
    array_clear(&cholesky->fronts);
    array_clear(&cholesky->filled);
    array_clear(&cholesky->integers);
    array_clear(&cholesky->graph);
    array_clear(&cholesky->rows);
    array_clear(&cholesky->flags);
    array_clear(&cholesky->numbers);
    base_free(cholesky);
}

// ---- The whole matrix.

SparseStore *sparse_cholesky_matrix(SparseCholesky *cholesky)
{
    sparse_store_begin(&cholesky->matrix);
    return &cholesky->matrix;
}

const double *sparse_cholesky_diagonal(const SparseCholesky *cholesky)
{
    return cholesky->diagonal;
}

void sparse_cholesky_subtract_times(const SparseCholesky *cholesky, const double *x, double *y)
{
    const uint32_t *first = cholesky->matrix.first.at, *column = cholesky->matrix.column.at;
    const double *value = cholesky->matrix.value.at;
    for (size_t i = 0; i < cholesky->order; i++) {
        double sum = 0;
        for (uint32_t at = first[i]; at < first[i + 1]; at++)
            sum += value[at] * x[column[at]];
        y[i] -= sum;
    }
}

// ---- The fronts.

// Joins columns to fronts: each with the next one if that is its parent in the tree of the
// elimination, as far as it pays; `counts` are the numbers below the diagonal in each column of L.
static void find_fronts(SparseCholesky *cholesky, const int *parents, const int *counts)
{
    cholesky->fronts.count = cholesky->filled.count = 0;
    for (size_t j = 0; j < cholesky->order; j++) {
        Front own = {.column = (uint32_t)j, .width = 1, .height = 1 + (uint32_t)counts[j]};
        size_t numbers = 1 + (size_t)counts[j];
        while (cholesky->fronts.count > 0) {
            const Front *last = &cholesky->fronts.at[cholesky->fronts.count - 1];
            size_t end = last->column + last->width, width = last->width + own.width;
            size_t below = own.height - own.width,
                   before = cholesky->filled.at[cholesky->filled.count - 1];
            size_t both = width * (width + 1) / 2 + width * below;
            // One front in the place of two may hold an eighth of zeros.
            if (parents[end - 1] != (int)own.column || (both - before - numbers) * 8 >= both)
                break;
            own.column = last->column;
            own.width = (uint32_t)width;
            own.height = (uint32_t)(width + below);
            numbers += before;
            cholesky->fronts.count--;
            cholesky->filled.count--;
        }
        array_push(&cholesky->fronts, own);
        array_push(&cholesky->filled, numbers);
    }
}

// The tree of the fronts, and where each has its rows and numbers.
static void find_tree(SparseCholesky *cholesky, const int *parents)
{
    size_t rows = 0, panels = 0, rests = 0, most_below = 0;
    for (uint32_t s = 0; s < cholesky->fronts.count; s++) {
        Front *front = &cholesky->fronts.at[s];
        size_t below = front->height - front->width;
        front->child = front->next = NOBODY;
        front->below = (uint32_t)rows;
        front->panel = panels;
        front->rest = rests;
        rows += below;
        panels += (size_t)front->height * front->width;
        rests += below * below;
        most_below = below > most_below ? below : most_below;
    }
    array_reserve(&cholesky->rows, rows + 1);
    array_reserve(&cholesky->numbers, 3 * cholesky->order + most_below + panels + rests + 1);
    cholesky->diagonal = cholesky->numbers.at;
    cholesky->mask = cholesky->diagonal + cholesky->order;
    cholesky->solved = cholesky->mask + cholesky->order;
    cholesky->below = cholesky->solved + cholesky->order;
    cholesky->panels = cholesky->below + most_below;
    cholesky->rests = cholesky->panels + panels;
    for (uint32_t s = 0; s < cholesky->fronts.count; s++)
        for (uint32_t k = 0; k < cholesky->fronts.at[s].width; k++)
            cholesky->front_of[cholesky->fronts.at[s].column + k] = s;
    for (uint32_t s = (uint32_t)cholesky->fronts.count; s-- > 0;) {
        Front *front = &cholesky->fronts.at[s];
        int above = parents[front->column + front->width - 1];
        front->parent = above < 0 ? NOBODY : cholesky->front_of[above];
        if (front->parent == NOBODY)
            continue;
        front->next = cholesky->fronts.at[front->parent].child;
        cholesky->fronts.at[front->parent].child = s;
    }
}

// The rows below each front: those that know something at or under it. Going upwards through the
// rows, each list comes in order.
static void find_rows(SparseCholesky *cholesky, uint32_t *seen, uint32_t *filled)
{
    const SparseStore *matrix = &cholesky->matrix;
    memset(seen, 0, cholesky->fronts.count * sizeof *seen);
    memset(filled, 0, cholesky->fronts.count * sizeof *filled);
    for (uint32_t i = 0; i < cholesky->order; i++) {
        int row = cholesky->sequence[i];
        for (uint32_t at = matrix->first.at[row]; at < matrix->first.at[row + 1]; at++) {
            int k = cholesky->place[matrix->column.at[at]];
            if (k >= (int)i)
                continue;
            for (uint32_t s = cholesky->front_of[k];; s = cholesky->fronts.at[s].parent) {
                const Front *front = &cholesky->fronts.at[s];
                if (front->column + front->width > i || seen[s] == i + 1)
                    break;
                seen[s] = i + 1;
                cholesky->rows.at[front->below + filled[s]++] = i;
            }
        }
    }
}

// The order of elimination, of approximately minimum degree; `room` is for five numbers of each
// row. (The routine that would check the graph first, and copy it twice, takes as long again.)
static void find_sequence(SparseCholesky *cholesky, int *room)
{
    const SparseStore *matrix = &cholesky->matrix;
    size_t order = cholesky->order, most = 2 * (matrix->column.count + order);
    array_reserve(&cholesky->graph, most + 2 * order);
    int *first = cholesky->graph.at, *lengths = first + order, *others = lengths + order, end = 0;
    for (size_t i = 0; i < order; i++) {
        first[i] = end;
        for (uint32_t at = matrix->first.at[i]; at < matrix->first.at[i + 1]; at++)
            if (matrix->column.at[at] != i)
                others[end++] = (int)matrix->column.at[at];
        lengths[i] = end - first[i];
    }
    assert(end >= 0 && (size_t)end <= matrix->column.count);
    if (order > 0)
        amd_2((int)order, first, others, lengths, (int)most, end, room, cholesky->place,
              cholesky->sequence, room + order, room + 2 * order, room + 3 * order,
              room + 4 * order, NULL, NULL);
}

// The order of elimination and all that follows from it.
static void find_elimination(SparseCholesky *cholesky)
{
    size_t order = cholesky->order;
    array_reserve(&cholesky->integers, 10 * order + 1);
    int *sequence = cholesky->sequence = cholesky->integers.at;
    int *place = cholesky->place = sequence + order, *room = place + order;
    cholesky->front_of = (uint32_t *)(room + 5 * order);
    cholesky->at_row = cholesky->front_of + order;
    cholesky->at_child = cholesky->at_row + order;
    array_reserve(&cholesky->flags, order + 1);
    cholesky->stale = cholesky->flags.at;
    find_sequence(cholesky, room);
    // LDL counts in int; the same memory is read.
    int *first = (int *)cholesky->matrix.first.at, *column = (int *)cholesky->matrix.column.at;
    int *parents = room, *counts = parents + order, *sums = counts + 2 * order;
    ldl_symbolic((int)order, first, column, sums, parents, counts, counts + order, sequence, place);
    find_fronts(cholesky, parents, counts);
    find_tree(cholesky, parents);
    find_rows(cholesky, (uint32_t *)room, (uint32_t *)counts);
}

void sparse_cholesky_analyse(SparseCholesky *cholesky)
{
    SparseRows rows = sparse_store_rows(&cholesky->matrix);
    cholesky->order = rows.count;
    cholesky->has_factors = false;
    if (!sparse_store_has_places_of(&cholesky->known, &cholesky->matrix)) {
        find_elimination(cholesky);
        sparse_store_copy(&cholesky->known, &cholesky->matrix);
    }
    sparse_rows_diagonal(&rows, cholesky->diagonal);
}

// ---- Factors of what is kept.

// Whatever the compiler was told to assume of the processor, it does two or four at once.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

#define FOUR(at) (*(const Four *)(at))

// sum −= Σ_k factors[k·step]·column_k, of `count` numbers each; columns are `stride` apart. Four
// columns at once.
static inline void take_off(double *restrict sum, const double *restrict columns, size_t stride,
                            const double *factors, size_t step, size_t many, size_t count)
{
    size_t k = 0;
    for (; k + 4 <= many; k += 4) {
        const double *a = columns + k * stride, *b = a + stride, *c = b + stride, *d = c + stride;
        const double *f = factors + k * step;
        double fa = f[0], fb = f[step], fc = f[2 * step], fd = f[3 * step];
        size_t i = 0;
        for (; i + 4 <= count; i += 4)
            *(Four *)(sum + i) -=
                fa * FOUR(a + i) + fb * FOUR(b + i) + (fc * FOUR(c + i) + fd * FOUR(d + i));
        for (; i < count; i++)
            sum[i] -= fa * a[i] + fb * b[i] + (fc * c[i] + fd * d[i]);
    }
    for (; k < many; k++)
        real_add_times(-factors[k * step], columns + k * stride, count, sum);
}

// The matrix's numbers of a panel. Notes where the front has its rows.
static void fill_panel(SparseCholesky *cholesky, const Front *front, double added, double *panel)
{
    const SparseStore *matrix = &cholesky->matrix;
    const double *mask = cholesky->mask;
    uint32_t width = front->width, height = front->height, *at_row = cholesky->at_row;
    for (uint32_t k = 0; k < width; k++)
        at_row[front->column + k] = k;
    for (uint32_t k = width; k < height; k++)
        at_row[cholesky->rows.at[front->below + k - width]] = k;
    memset(panel, 0, (size_t)height * width * sizeof *panel);
    for (uint32_t k = 0; k < width; k++, panel += height) {
        int row = cholesky->sequence[front->column + k];
        panel[k] = mask[row] != 0 ? cholesky->diagonal[row] + added : 1;
        for (uint32_t at = matrix->first.at[row]; at < matrix->first.at[row + 1]; at++) {
            uint32_t other = matrix->column.at[at];
            int place = cholesky->place[other];
            if (place > (int)(front->column + k))
                panel[at_row[place]] = mask[other] * mask[row] * matrix->value.at[at];
        }
    }
}

// Adds what a front below takes off: a square, of which the lower half counts.
static void add_child(SparseCholesky *cholesky, const Front *front, const Front *child,
                      double *panel, double *rest)
{
    size_t size = child->height - child->width, width = front->width, height = front->height;
    const double *from = cholesky->rests + child->rest;
    uint32_t *to = cholesky->at_child;
    for (size_t k = 0; k < size; k++)
        to[k] = cholesky->at_row[cholesky->rows.at[child->below + k]];
    for (size_t k = 0; k < size; k++) {
        double *own = to[k] < width ? panel + to[k] * height
                                    : rest + (to[k] - width) * (height - width) - width;
        for (size_t i = k; i < size; i++)
            own[to[i]] += from[k * size + i];
    }
}

// The panel's columns within its own rows and, unless they come later, those below. The diagonal
// becomes 1/L. False where a pivot is too small.
static bool factor_columns(SparseCholesky *cholesky, const Front *front, size_t rows, double added,
                           double least)
{
    size_t height = front->height;
    double *panel = cholesky->panels + front->panel;
    for (size_t k = 0; k < front->width; k++) {
        double *own = panel + k * height;
        take_off(own + k, panel + k, height, panel + k, height, k, rows - k);
        int row = cholesky->sequence[front->column + k];
        double from = cholesky->mask[row] != 0 ? cholesky->diagonal[row] + added : 1;
        if (!(own[k] > least * from && own[k] > 0))
            return false;
        own[k] = 1 / sqrt(own[k]);
        for (size_t i = k + 1; i < rows; i++)
            own[i] *= own[k];
    }
    return true;
}

// What the front takes off the rows below it, onto `rest`.
static void eliminate(const SparseCholesky *cholesky, const Front *front, double *rest)
{
    size_t height = front->height, width = front->width, below = height - width;
    const double *panel = cholesky->panels + front->panel + width;
    for (size_t k = 0; k < below; k++)
        take_off(rest + k * below + k, panel + k, height, panel + k, height, width, below - k);
}

static bool factor_front(SparseCholesky *cholesky, const Front *front, double added, double least,
                         double *rest)
{
    size_t height = front->height, width = front->width, below = height - width;
    if (width < SIZE_SMALL || width * below < SIZE_SMALL * SIZE_SPARSE) {
        if (!factor_columns(cholesky, front, height, added, least))
            return false;
        eliminate(cholesky, front, rest);
        return true;
    }
    double *panel = cholesky->panels + front->panel;
    if (!factor_columns(cholesky, front, width, added, least))
        return false;
    for (size_t k = 0; k < width; k++)
        panel[k * height + k] = 1 / panel[k * height + k];
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)below,
                (int)width, 1, panel, (int)height, panel + width, (int)height);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)below, (int)width, -1, panel + width,
                (int)height, 1, rest, (int)below);
    for (size_t k = 0; k < width; k++)
        panel[k * height + k] = 1 / panel[k * height + k];
    return true;
}

// Notes what is kept now, and which fronts that changes: all that hold a number of its row.
static void keep(SparseCholesky *cholesky, const bool *kept)
{
    const SparseStore *matrix = &cholesky->matrix;
    for (size_t l = 0; l < cholesky->order; l++) {
        if (cholesky->mask[l] == kept[l])
            continue;
        cholesky->mask[l] = kept[l];
        for (uint32_t at = matrix->first.at[l]; at < matrix->first.at[l + 1]; at++) {
            int other = cholesky->place[matrix->column.at[at]], own = cholesky->place[l];
            cholesky->stale[cholesky->front_of[other < own ? other : own]] = true;
        }
    }
}

static bool renew(SparseCholesky *cholesky, uint32_t s, double added, double least_pivot)
{
    const Front *front = &cholesky->fronts.at[s];
    size_t below = front->height - front->width;
    double *panel = cholesky->panels + front->panel, *rest = cholesky->rests + front->rest;
    memset(rest, 0, below * below * sizeof *rest);
    fill_panel(cholesky, front, added, panel);
    for (uint32_t c = front->child; c != NOBODY; c = cholesky->fronts.at[c].next)
        add_child(cholesky, front, &cholesky->fronts.at[c], panel, rest);
    return factor_front(cholesky, front, added, least_pivot, rest);
}

bool sparse_cholesky_factor(SparseCholesky *cholesky, const bool *kept, double added,
                            double least_pivot)
{
    assert(cholesky->integers.at && added >= 0 && least_pivot >= 0);
    size_t count = cholesky->fronts.count;
    bool all = !cholesky->has_factors || cholesky->added != added;
    memset(cholesky->stale, all, count * sizeof *cholesky->stale);
    for (size_t l = 0; l < cholesky->order && all; l++)
        cholesky->mask[l] = kept[l];
    keep(cholesky, kept);
    cholesky->has_factors = false;
    cholesky->added = added;
    // Each front after those that add to it; with one of these it is made anew.
    for (uint32_t s = 0; s < count; s++) {
        if (!cholesky->stale[s])
            continue;
        if (!renew(cholesky, s, added, least_pivot))
            return false;
        if (cholesky->fronts.at[s].parent != NOBODY)
            cholesky->stale[cholesky->fronts.at[s].parent] = true;
    }
    cholesky->has_factors = true;
    return true;
}

// ---- Solving.

static void solve_down(SparseCholesky *cholesky, const Front *front, double *x)
{
    size_t height = front->height, width = front->width, below = height - width;
    const double *panel = cholesky->panels + front->panel;
    const uint32_t *rows = cholesky->rows.at + front->below;
    double *own = x + front->column, *off = cholesky->below;
    for (size_t k = 0; k < width; k++) {
        const double *column = panel + k * height;
        own[k] *= column[k];
        for (size_t i = k + 1; i < width; i++)
            own[i] -= own[k] * column[i];
    }
    memset(off, 0, below * sizeof *off);
    take_off(off, panel + width, height, own, 1, width, below);
    for (size_t i = 0; i < below; i++)
        x[rows[i]] += off[i];
}

static void solve_up(SparseCholesky *cholesky, const Front *front, double *x)
{
    size_t height = front->height, width = front->width, below = height - width;
    const double *panel = cholesky->panels + front->panel;
    const uint32_t *rows = cholesky->rows.at + front->below;
    double *own = x + front->column, *under = cholesky->below;
    for (size_t i = 0; i < below; i++)
        under[i] = x[rows[i]];
    for (size_t k = 0; k < width; k++)
        own[k] -= real_dot(panel + k * height + width, under, below);
    for (size_t k = width; k-- > 0;) {
        const double *column = panel + k * height;
        own[k] = (own[k] - real_dot(column + k + 1, own + k + 1, width - k - 1)) * column[k];
    }
}

void sparse_cholesky_solve(SparseCholesky *cholesky, double *x)
{
    assert(cholesky->has_factors);
    double *solved = cholesky->solved;
    for (size_t k = 0; k < cholesky->order; k++) {
        int row = cholesky->sequence[k];
        solved[k] = cholesky->mask[row] != 0 ? x[row] : 0;
    }
    for (size_t s = 0; s < cholesky->fronts.count; s++)
        solve_down(cholesky, &cholesky->fronts.at[s], solved);
    for (size_t s = cholesky->fronts.count; s-- > 0;)
        solve_up(cholesky, &cholesky->fronts.at[s], solved);
    for (size_t k = 0; k < cholesky->order; k++) {
        int row = cholesky->sequence[k];
        if (cholesky->mask[row] != 0)
            x[row] = solved[k];
    }
}

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
#include "linalg/dense.h"
#include "linalg/sparse.h"

#include <amd.h>
#include <cblas.h>
#include <lapacke.h>
#include <ldl.h>
#include <math.h>
#include <string.h>

// From so many columns, and numbers below them, on BLAS is quicker than plain loops.
#define WIDE  16
#define LARGE 2048

// A number of the matrix and where its panel has it.
typedef struct {
    uint32_t from, row, column;
    uint32_t to; // from the panel's begin
} Put;

typedef struct {
    uint32_t column, width; // its first column, in the order of elimination; how many
    uint32_t below, height; // where its rows below begin in `rows`; of the whole panel
    size_t panel, rest;     // where its panel begins, and what it takes off the rows below
    uint32_t put;           // where its numbers of the matrix begin
    uint32_t child, next;   // the fronts that add to it; NOBODY ends such a list
    uint32_t parent;
} Front;

#define NOBODY UINT32_MAX

struct SparseCholesky {
    size_t order;
    ARRAY(int) first; // the matrix, both halves
    ARRAY(int) column;
    ARRAY(double) value;
    ARRAY(double) diagonal;
    // The places that the fronts were found for.
    size_t known_order;
    ARRAY(int) known_first;
    ARRAY(int) known_column;
    // The elimination: which row comes when, and when each row comes.
    ARRAY(int) sequence;
    ARRAY(int) place;
    ARRAY(int) work; // for LDL's symbolic elimination
    ARRAY(Front) fronts;
    ARRAY(uint32_t) front_of; // each column's
    ARRAY(uint32_t) rows;     // below each front, upwards
    ARRAY(uint32_t) relative; // where the front above has each of these
    ARRAY(Put) puts;
    size_t panel_numbers, rest_numbers, most_below;
    // Of what is kept:
    bool has_factors;
    double added;
    ARRAY(double) mask; // 1 or 0
    ARRAY(bool) stale;  // each front: it is no longer that of the mask
    ARRAY(double) panels;
    ARRAY(double) rests;
    ARRAY(double) solved;
    ARRAY(double) below;
};

SparseCholesky *sparse_cholesky_new(void)
{
    return base_alloc(sizeof(SparseCholesky));
}

void sparse_cholesky_free(SparseCholesky *fronts)
{
    if (!fronts)
        return;
    array_clear(&fronts->first);
    array_clear(&fronts->column);
    array_clear(&fronts->value);
    array_clear(&fronts->diagonal);
    array_clear(&fronts->known_first);
    array_clear(&fronts->known_column);
    array_clear(&fronts->sequence);
    array_clear(&fronts->place);
    array_clear(&fronts->work);
    array_clear(&fronts->fronts);
    array_clear(&fronts->front_of);
    array_clear(&fronts->rows);
    array_clear(&fronts->relative);
    array_clear(&fronts->puts);
    array_clear(&fronts->mask);
    array_clear(&fronts->panels);
    array_clear(&fronts->stale);
    array_clear(&fronts->rests);
    array_clear(&fronts->solved);
    array_clear(&fronts->below);
    base_free(fronts);
}

// ---- The whole matrix.

SparseMatrix sparse_cholesky_rows(SparseCholesky *fronts, size_t order, size_t entries)
{
    fronts->order = order;
    array_reserve(&fronts->first, order + 1);
    array_reserve(&fronts->column, entries + 1);
    array_reserve(&fronts->value, entries + 1);
    return (SparseMatrix){fronts->first.at, fronts->column.at, fronts->value.at};
}

double sparse_cholesky_diagonal(const SparseCholesky *fronts, size_t row)
{
    return fronts->diagonal.at[row];
}

void sparse_cholesky_subtract_times(const SparseCholesky *fronts, const double *x, double *y)
{
    const int *first = fronts->first.at, *column = fronts->column.at;
    const double *value = fronts->value.at;
    for (size_t i = 0; i < fronts->order; i++) {
        double sum = 0;
        for (int at = first[i]; at < first[i + 1]; at++)
            sum += value[at] * x[column[at]];
        y[i] -= sum;
    }
}

// ---- The fronts.

// Whether a front with these columns in the place of two, one on top of the other, holds few
// enough zeros. `below` and `above` are the numbers in their panels, `both` in that of one.
static bool worth_joining(size_t width, size_t below, size_t above, size_t both)
{
    double zeros = (double)(both - below - above) / (double)both;
    return zeros < (width <= 16 ? 0.1 : 0.05);
}

static size_t panel_of(size_t width, size_t below)
{
    return width * (width + 1) / 2 + width * below;
}

// Joins columns to fronts: each with the next one if that is its parent in the tree of the
// elimination, as far as it pays; `counts` are the numbers below the diagonal in each column of L.
static void find_fronts(SparseCholesky *fronts, const int *parents, const int *counts)
{
    size_t order = fronts->order;
    ARRAY(size_t) filled = {0}; // the numbers of each front that are not 0
    fronts->fronts.count = 0;
    for (size_t j = 0; j < order; j++) {
        Front own = {.column = (uint32_t)j, .width = 1, .height = 1 + (uint32_t)counts[j]};
        size_t numbers = 1 + (size_t)counts[j];
        while (fronts->fronts.count > 0) {
            const Front *last = &fronts->fronts.at[fronts->fronts.count - 1];
            size_t end = last->column + last->width, width = last->width + own.width;
            size_t below = own.height - own.width, before = filled.at[filled.count - 1];
            if (parents[end - 1] != (int)own.column ||
                !worth_joining(width, before, numbers, panel_of(width, below)))
                break;
            own.column = last->column;
            own.width = (uint32_t)width;
            own.height = (uint32_t)(width + below);
            numbers += before;
            fronts->fronts.count--;
            filled.count--;
        }
        array_push(&fronts->fronts, own);
        array_push(&filled, numbers);
    }
    array_clear(&filled);
    array_reserve(&fronts->front_of, order + 1);
    for (uint32_t s = 0; s < fronts->fronts.count; s++)
        for (uint32_t k = 0; k < fronts->fronts.at[s].width; k++)
            fronts->front_of.at[fronts->fronts.at[s].column + k] = s;
}

static void find_tree(SparseCholesky *fronts, const int *parents)
{
    size_t rows = 0, panels = 0, rests = 0;
    for (uint32_t s = 0; s < fronts->fronts.count; s++) {
        Front *front = &fronts->fronts.at[s];
        int above = parents[front->column + front->width - 1];
        front->parent = above < 0 ? NOBODY : fronts->front_of.at[above];
        front->child = front->next = NOBODY;
        front->below = (uint32_t)rows;
        front->panel = panels;
        front->rest = rests;
        size_t below = front->height - front->width;
        rows += below;
        panels += (size_t)front->height * front->width;
        rests += below * below;
    }
    fronts->panel_numbers = panels;
    fronts->rest_numbers = rests;
    array_reserve(&fronts->rows, rows + 1);
    array_reserve(&fronts->relative, rows + 1);
    for (uint32_t s = (uint32_t)fronts->fronts.count; s-- > 0;) {
        Front *front = &fronts->fronts.at[s];
        if (front->parent == NOBODY)
            continue;
        front->next = fronts->fronts.at[front->parent].child;
        fronts->fronts.at[front->parent].child = s;
    }
}

// The rows below each front: those that know something at or under it. Going upwards through the
// rows, each list comes in order.
static void find_rows(SparseCholesky *fronts, uint32_t *seen, uint32_t *filled)
{
    memset(seen, 0, fronts->fronts.count * sizeof *seen);
    memset(filled, 0, fronts->fronts.count * sizeof *filled);
    for (uint32_t i = 0; i < fronts->order; i++) {
        int row = fronts->sequence.at[i];
        for (int at = fronts->first.at[row]; at < fronts->first.at[row + 1]; at++) {
            int k = fronts->place.at[fronts->column.at[at]];
            if (k >= (int)i)
                continue;
            for (uint32_t s = fronts->front_of.at[k];; s = fronts->fronts.at[s].parent) {
                const Front *front = &fronts->fronts.at[s];
                if (front->column + front->width > i || seen[s] == i + 1)
                    break;
                seen[s] = i + 1;
                fronts->rows.at[front->below + filled[s]++] = i;
            }
        }
    }
}

// Where the front above has the rows below this one.
static void find_relative(SparseCholesky *fronts)
{
    fronts->most_below = 0;
    for (uint32_t s = 0; s < fronts->fronts.count; s++) {
        const Front *front = &fronts->fronts.at[s];
        uint32_t below = front->height - front->width;
        fronts->most_below = below > fronts->most_below ? below : fronts->most_below;
        if (front->parent == NOBODY)
            continue;
        const Front *above = &fronts->fronts.at[front->parent];
        const uint32_t *rows = fronts->rows.at + above->below;
        uint32_t end = above->column + above->width, at = 0;
        for (uint32_t k = front->below; k < front->below + below; k++) {
            uint32_t row = fronts->rows.at[k];
            while (row >= end && rows[at] != row)
                at++;
            fronts->relative.at[k] = row < end ? row - above->column : above->width + at;
        }
    }
}

// Which number of the matrix goes where.
static void find_puts(SparseCholesky *fronts, uint32_t *at_row)
{
    fronts->puts.count = 0;
    array_reserve(&fronts->puts, (size_t)fronts->first.at[fronts->order] + 1);
    for (uint32_t s = 0; s < fronts->fronts.count; s++) {
        Front *front = &fronts->fronts.at[s];
        front->put = (uint32_t)fronts->puts.count;
        for (uint32_t k = 0; k < front->width; k++)
            at_row[front->column + k] = k;
        for (uint32_t k = front->width; k < front->height; k++)
            at_row[fronts->rows.at[front->below + k - front->width]] = k;
        for (uint32_t k = 0; k < front->width; k++) {
            int own = fronts->sequence.at[front->column + k];
            for (int at = fronts->first.at[own]; at < fronts->first.at[own + 1]; at++) {
                int other = fronts->column.at[at], i = fronts->place.at[other];
                if (i > (int)(front->column + k))
                    fronts->puts.at[fronts->puts.count++] =
                        (Put){(uint32_t)at, (uint32_t)other, (uint32_t)own,
                              k * front->height + at_row[i]};
            }
        }
    }
}

// False where no order of elimination is found.
static bool analyse(SparseCholesky *fronts)
{
    size_t order = fronts->order;
    array_reserve(&fronts->sequence, order + 1);
    array_reserve(&fronts->place, order + 1);
    array_reserve(&fronts->work, 4 * (order + 1));
    if (amd_order((int)order, fronts->first.at, fronts->column.at, fronts->sequence.at, NULL,
                  NULL) < AMD_OK)
        return false;
    int *parents = fronts->work.at, *counts = parents + order + 1;
    int *flag = counts + order + 1, *sums = flag + order + 1;
    ldl_symbolic((int)order, fronts->first.at, fronts->column.at, sums, parents, counts, flag,
                 fronts->sequence.at, fronts->place.at);
    find_fronts(fronts, parents, counts);
    find_tree(fronts, parents);
    uint32_t *room = base_alloc(2 * (order + 1) * sizeof *room);
    find_rows(fronts, room, room + order + 1);
    find_relative(fronts);
    find_puts(fronts, room);
    base_free(room);
    return true;
}

bool sparse_cholesky_begin(SparseCholesky *fronts)
{
    size_t order = fronts->order, entries = (size_t)fronts->first.at[order];
    fronts->has_factors = false;
    array_reserve(&fronts->diagonal, order + 1);
    for (size_t i = 0; i < order; i++)
        for (int at = fronts->first.at[i]; at < fronts->first.at[i + 1]; at++)
            if (fronts->column.at[at] == (int)i)
                fronts->diagonal.at[i] = fronts->value.at[at];
    if (fronts->known_order == order &&
        memcmp(fronts->known_first.at, fronts->first.at, (order + 1) * sizeof(int)) == 0 &&
        memcmp(fronts->known_column.at, fronts->column.at, entries * sizeof(int)) == 0)
        return true;
    fronts->known_order = 0;
    if (!analyse(fronts))
        return false;
    fronts->known_order = order;
    array_reserve(&fronts->known_first, order + 1);
    array_reserve(&fronts->known_column, entries + 1);
    memcpy(fronts->known_first.at, fronts->first.at, (order + 1) * sizeof(int));
    memcpy(fronts->known_column.at, fronts->column.at, entries * sizeof(int));
    return true;
}

// ---- Factors of what is kept.

// Whatever the compiler was told to assume of the processor, it does two or four at once.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

#define FOUR(at) (*(const Four *)(at))

// sum −= Σ_k factors[k·stride]·column_k, of `count` numbers each; columns are `stride` apart.
static void take_off(double *sum, const double *columns, const double *factors, size_t stride,
                     size_t many, size_t count)
{
    size_t k = 0;
    for (; k + 4 <= many; k += 4) {
        const double *a = columns + k * stride, *b = a + stride, *c = b + stride, *d = c + stride;
        const double *f = factors + k * stride;
        double fa = f[0], fb = f[stride], fc = f[2 * stride], fd = f[3 * stride];
        size_t i = 0;
        for (; i + 4 <= count; i += 4)
            *(Four *)(sum + i) -=
                fa * FOUR(a + i) + fb * FOUR(b + i) + (fc * FOUR(c + i) + fd * FOUR(d + i));
        for (; i < count; i++)
            sum[i] -= fa * a[i] + fb * b[i] + (fc * c[i] + fd * d[i]);
    }
    for (; k < many; k++) {
        const double *a = columns + k * stride;
        double f = factors[k * stride];
        size_t i = 0;
        for (; i + 4 <= count; i += 4)
            *(Four *)(sum + i) -= f * FOUR(a + i);
        for (; i < count; i++)
            sum[i] -= f * a[i];
    }
}

// The matrix's numbers of a panel.
static void fill_panel(SparseCholesky *fronts, uint32_t s, double added)
{
    const Front *front = &fronts->fronts.at[s];
    double *panel = fronts->panels.at + front->panel;
    const double *mask = fronts->mask.at;
    memset(panel, 0, (size_t)front->height * front->width * sizeof *panel);
    uint32_t end =
        s + 1 < fronts->fronts.count ? fronts->fronts.at[s + 1].put : (uint32_t)fronts->puts.count;
    for (uint32_t k = front->put; k < end; k++) {
        Put put = fronts->puts.at[k];
        panel[put.to] = mask[put.row] * mask[put.column] * fronts->value.at[put.from];
    }
    for (uint32_t k = 0; k < front->width; k++) {
        int row = fronts->sequence.at[front->column + k];
        panel[k * front->height + k] = mask[row] != 0 ? fronts->diagonal.at[row] + added : 1;
    }
}

// Adds what a front below takes off: `from` is its square, of which the lower half counts.
static void add_child(SparseCholesky *fronts, const Front *front, const Front *child,
                      const double *from, double *panel, double *rest)
{
    size_t size = child->height - child->width, width = front->width, height = front->height;
    const uint32_t *to = fronts->relative.at + child->below;
    for (size_t k = 0; k < size; k++) {
        double *own = to[k] < width ? panel + to[k] * height
                                    : rest + (to[k] - width) * (height - width) - width;
        for (size_t i = k; i < size; i++)
            own[to[i]] += from[k * size + i];
    }
}

// The panel's columns within its own rows and, unless they come later, those below. The diagonal
// becomes 1/L. False where a pivot is too small.
static bool factor_columns(SparseCholesky *fronts, const Front *front, size_t rows, double added,
                           double least)
{
    size_t height = front->height;
    double *panel = fronts->panels.at + front->panel;
    for (size_t k = 0; k < front->width; k++) {
        double *own = panel + k * height;
        take_off(own + k, panel + k, panel + k, height, k, rows - k);
        int row = fronts->sequence.at[front->column + k];
        double from = fronts->mask.at[row] != 0 ? fronts->diagonal.at[row] + added : 1;
        if (!(own[k] > least * from && own[k] > 0))
            return false;
        own[k] = 1 / sqrt(own[k]);
        for (size_t i = k + 1; i < rows; i++)
            own[i] *= own[k];
    }
    return true;
}

// What the front takes off the rows below it, onto `rest`.
static void eliminate(const SparseCholesky *fronts, const Front *front, double *rest)
{
    size_t height = front->height, width = front->width, below = height - width;
    const double *panel = fronts->panels.at + front->panel + width;
    for (size_t k = 0; k < below; k++)
        take_off(rest + k * below + k, panel + k, panel + k, height, width, below - k);
}

static bool factor_front(SparseCholesky *fronts, const Front *front, double added, double least,
                         double *rest)
{
    size_t height = front->height, width = front->width, below = height - width;
    if (width < WIDE || width * below < LARGE) {
        if (!factor_columns(fronts, front, height, added, least))
            return false;
        eliminate(fronts, front, rest);
        return true;
    }
    double *panel = fronts->panels.at + front->panel;
    if (!factor_columns(fronts, front, width, added, least))
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
static void keep(SparseCholesky *fronts, const bool *kept)
{
    for (size_t l = 0; l < fronts->order; l++) {
        if (fronts->mask.at[l] == kept[l])
            continue;
        fronts->mask.at[l] = kept[l];
        for (int at = fronts->first.at[l]; at < fronts->first.at[l + 1]; at++) {
            int other = fronts->place.at[fronts->column.at[at]], own = fronts->place.at[l];
            fronts->stale.at[fronts->front_of.at[other < own ? other : own]] = true;
        }
    }
}

static bool renew(SparseCholesky *fronts, uint32_t s, double added, double least_pivot)
{
    const Front *front = &fronts->fronts.at[s];
    size_t below = front->height - front->width;
    double *panel = fronts->panels.at + front->panel, *rest = fronts->rests.at + front->rest;
    memset(rest, 0, below * below * sizeof *rest);
    fill_panel(fronts, s, added);
    for (uint32_t c = front->child; c != NOBODY; c = fronts->fronts.at[c].next) {
        const Front *child = &fronts->fronts.at[c];
        add_child(fronts, front, child, fronts->rests.at + child->rest, panel, rest);
    }
    return factor_front(fronts, front, added, least_pivot, rest);
}

bool sparse_cholesky_factor(SparseCholesky *fronts, const bool *kept, double added,
                            double least_pivot)
{
    size_t count = fronts->fronts.count;
    array_reserve(&fronts->mask, fronts->order + 1);
    array_reserve(&fronts->stale, count + 1);
    array_reserve(&fronts->panels, fronts->panel_numbers + 1);
    array_reserve(&fronts->rests, fronts->rest_numbers + 1);
    bool all = !fronts->has_factors || fronts->added != added;
    memset(fronts->stale.at, all, count * sizeof *fronts->stale.at);
    for (size_t l = 0; l < fronts->order && all; l++)
        fronts->mask.at[l] = kept[l];
    keep(fronts, kept);
    fronts->has_factors = false;
    fronts->added = added;
    // Each front after those that add to it; with one of these it is made anew.
    for (uint32_t s = 0; s < count; s++) {
        if (!fronts->stale.at[s])
            continue;
        if (!renew(fronts, s, added, least_pivot))
            return false;
        if (fronts->fronts.at[s].parent != NOBODY)
            fronts->stale.at[fronts->fronts.at[s].parent] = true;
    }
    fronts->has_factors = true;
    return true;
}

// ---- Solving.

// Each of four columns times a vector.
static void four_dots(const double *columns, size_t stride, const double *x, size_t count,
                      double *sums)
{
    Four sum[4] = {{0}};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        Four own = FOUR(x + i);
        for (size_t k = 0; k < 4; k++)
            sum[k] += FOUR(columns + k * stride + i) * own;
    }
    for (size_t k = 0; k < 4; k++) {
        double whole = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
        for (size_t j = i; j < count; j++)
            whole += columns[k * stride + j] * x[j];
        sums[k] -= whole;
    }
}

static void solve_down(SparseCholesky *fronts, const Front *front, double *x)
{
    size_t height = front->height, width = front->width, below = height - width;
    const double *panel = fronts->panels.at + front->panel;
    const uint32_t *rows = fronts->rows.at + front->below;
    double *own = x + front->column, *off = fronts->below.at;
    for (size_t k = 0; k < width; k++) {
        const double *column = panel + k * height;
        own[k] *= column[k];
        for (size_t i = k + 1; i < width; i++)
            own[i] -= own[k] * column[i];
    }
    memset(off, 0, below * sizeof *off);
    size_t k = 0;
    for (; k + 4 <= width; k += 4) {
        const double *a = panel + k * height + width, *b = a + height, *c = b + height,
                     *d = c + height;
        size_t i = 0;
        for (; i + 4 <= below; i += 4)
            *(Four *)(off + i) += own[k] * FOUR(a + i) + own[k + 1] * FOUR(b + i) +
                                  (own[k + 2] * FOUR(c + i) + own[k + 3] * FOUR(d + i));
        for (; i < below; i++)
            off[i] += own[k] * a[i] + own[k + 1] * b[i] + (own[k + 2] * c[i] + own[k + 3] * d[i]);
    }
    for (; k < width; k++)
        real_add_times(own[k], panel + k * height + width, below, off);
    for (size_t i = 0; i < below; i++)
        x[rows[i]] -= off[i];
}

static void solve_up(SparseCholesky *fronts, const Front *front, double *x)
{
    size_t height = front->height, width = front->width, below = height - width;
    const double *panel = fronts->panels.at + front->panel;
    const uint32_t *rows = fronts->rows.at + front->below;
    double *own = x + front->column, *under = fronts->below.at;
    for (size_t i = 0; i < below; i++)
        under[i] = x[rows[i]];
    size_t k = 0;
    for (; k + 4 <= width; k += 4)
        four_dots(panel + k * height + width, height, under, below, own + k);
    for (; k < width; k++)
        own[k] -= real_dot(panel + k * height + width, under, below);
    for (k = width; k-- > 0;) {
        const double *column = panel + k * height;
        own[k] = (own[k] - real_dot(column + k + 1, own + k + 1, width - k - 1)) * column[k];
    }
}

void sparse_cholesky_solve(SparseCholesky *fronts, double *x)
{
    array_reserve(&fronts->solved, fronts->order + 1);
    array_reserve(&fronts->below, fronts->most_below + 1);
    double *solved = fronts->solved.at;
    for (size_t k = 0; k < fronts->order; k++) {
        int row = fronts->sequence.at[k];
        solved[k] = fronts->mask.at[row] != 0 ? x[row] : 0;
    }
    for (size_t s = 0; s < fronts->fronts.count; s++)
        solve_down(fronts, &fronts->fronts.at[s], solved);
    for (size_t s = fronts->fronts.count; s-- > 0;)
        solve_up(fronts, &fronts->fronts.at[s], solved);
    for (size_t k = 0; k < fronts->order; k++) {
        int row = fronts->sequence.at[k];
        if (fronts->mask.at[row] != 0)
            x[row] = solved[k];
    }
}

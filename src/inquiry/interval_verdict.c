// interval_verdict.c: stability for all values of parameters that are given by intervals.
//
// The steady motion is enclosed by Newton's operator in balls for all values of a box at once, then
// the matrix A, its characteristic polynomial and Hurwitz' determinants, whose signs tell how many
// eigenvalues grow. A box where a sign is not certain is halved.
#include "inquiry/small_impl.h"

#include "model/model_equation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A box whose sides are 2^-LEAST_BITS of all values is not halved; so many of these are left open.
enum { MOST_BOXES = 1 << 14, MOST_DEGREE = 24, LEAST_BITS = 20, MOST_LEFT = 32 };

// Whether the chosen block of equations has all others as its consequences: one motion for each
// value. Left out may be the rates of coordinates that the finite conditions determine.
static bool is_one_motion(const InquirySmall *small)
{
    if (small->block != small->unknowns || small->held_count > 0 || small->family > 0 ||
        !expr_is_none(small->varied) || (small->f > 0 && small->e == small->f))
        return false;
    for (size_t row = 0; row < small->rows; row++) {
        bool taken = false;
        for (size_t i = 0; i < small->block; i++)
            taken = taken || small->block_rows[i] == row;
        bool follows = false;
        for (size_t i = 0; i < small->f; i++)
            follows = follows || row == small->f + small->dependent[i];
        if (!taken && !follows)
            return false;
    }
    return true;
}

// How many eigenvalues grow for all values of a box; -1: not certain.
static int growing_in(const InquirySmall *box, const double *low, const double *high)
{
    AlgebraMatrix *A = small_enclose_box(box, box->state, low, high);
    if (!A)
        return -1;
    int growing = algebra_matrix_growing(A);
    if (growing < 0) { // where modes coincide
        AlgebraMatrix *essential = small_essential(box, A);
        growing = hurwitz_growing(essential, box->size);
        algebra_matrix_free(essential);
    }
    algebra_matrix_free(A);
    return growing;
}

// The side of a box that is longest beside that of all values.
static size_t longest(const InquiryIntervals *all, const double *low, const double *high)
{
    size_t best = 0;
    double most = -1;
    for (size_t i = 0; i < all->count; i++) {
        double part = (high[i] - low[i]) / (all->high[i] - all->low[i]);
        if (part > most) {
            most = part;
            best = i;
        }
    }
    return best;
}

// The corners of all values, where these are few, show whether they differ.
static void try_corners(const InquirySmall *box, const InquiryIntervals *all, size_t *stable,
                        size_t *unstable)
{
    enum { MOST_SIDES = 6 };
    double corner[MOST_SIDES];
    for (size_t i = 0; all->count <= MOST_SIDES && i >> all->count == 0; i++) {
        for (size_t j = 0; j < all->count; j++)
            corner[j] = i >> j & 1 ? all->high[j] : all->low[j];
        int growing = growing_in(box, corner, corner);
        *stable += growing == 0;
        *unstable += growing > 0;
    }
}

static void decide(const InquirySmall *box, InquiryIntervals *all)
{
    size_t m = all->count, open = 1, stable = 0, unstable = 0, left = 0;
    try_corners(box, all, &stable, &unstable);
    bool differ = stable > 0 && unstable > 0;
    double *boxes = base_alloc((LEAST_BITS * m + 2) * 2 * m * sizeof *boxes);
    memcpy(boxes, all->low, m * sizeof *boxes);
    memcpy(boxes + m, all->high, m * sizeof *boxes);
    for (all->boxes = 0; !differ && open > 0 && left < MOST_LEFT && all->boxes < MOST_BOXES;
         all->boxes++) {
        double *low = boxes + --open * 2 * m, *high = low + m, *other = high + m;
        int growing = growing_in(box, low, high);
        stable += growing == 0;
        unstable += growing > 0;
        if (growing >= 0)
            continue;
        size_t side = longest(all, low, high);
        double middle = low[side] + (high[side] - low[side]) / 2;
        if (high[side] - low[side] < ldexp(all->high[side] - all->low[side], -LEAST_BITS + 1)) {
            left++;
            continue;
        }
        memcpy(other, low, 2 * m * sizeof *other);
        high[side] = other[side] = middle;
        open += 2;
    }
    base_free(boxes);
    if (stable > 0 && unstable > 0)
        all->verdict = INQUIRY_ALL_DIFFER;
    else if (open + left == 0)
        all->verdict = stable > 0 ? INQUIRY_ALL_STABLE : INQUIRY_ALL_UNSTABLE;
    else
        all->verdict = INQUIRY_ALL_UNDECIDED;
}

bool inquiry_small_intervals(InquirySmall *small, InquiryIntervals *intervals)
{
    const Model *model = small->motion->model;
    size_t *params = arena_array(small->arena, size_t, model->params.count + 1);
    double *low = arena_array(small->arena, double, 2 * model->params.count + 1);
    double *high = low + model->params.count;
    *intervals = (InquiryIntervals){.params = params, .low = low, .high = high};
    for (size_t i = 0; i < model->params.count; i++) {
        double a, b;
        if (!model_interval(model, str_of(model->params.at[i].name), &a, &b) || a == b)
            continue;
        params[intervals->count] = i;
        double rounding = 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
        low[intervals->count] = a - rounding;
        high[intervals->count++] = b + rounding;
    }
    InquirySmall box;
    if (intervals->count == 0 || model->tables.count > 0 || small->options.multipliers ||
        small->size > MOST_DEGREE || !is_one_motion(small))
        return false;
    if (!small_box_new(small, params, intervals->count, &box))
        return false;
    decide(&box, intervals);
    small_clear_program(&box.program);
    return true;
}

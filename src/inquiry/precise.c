// precise.c: the steady motion and the linearized equations to many digits, in balls.
//
// A regular block of ∂G/∂y is chosen in doubles; Newton's iteration on it, with the other unknowns
// kept, finds the motion to all bits. Where it must be certain, the interval Newton operator maps a
// small ball around it into itself, so that there is one and only one solution in it.
#include "inquiry/small_impl.h"

#include <math.h>

enum {
    MOST_STEPS = 12,
    SETTLED_BITS = 300, // a step below 2^-300 ends the iteration
    BALL_BITS = 200     // of the ball that must map into itself
};

// A block of numbers of the program's outputs.
static AlgebraMatrix *block_of(const InquirySmall *small, const AlgebraMatrix *outputs)
{
    AlgebraMatrix *block = algebra_matrix_new(small->block, small->block);
    for (size_t i = 0; i < small->block; i++)
        for (size_t j = 0; j < small->block; j++)
            algebra_matrix_copy(block, i, j, outputs,
                                small_jacobian_at(small) + small->block_rows[i] * small->unknowns +
                                    small->block_columns[j],
                                0);
    return block;
}

static AlgebraMatrix *residuals_of(const InquirySmall *small, const AlgebraMatrix *outputs)
{
    AlgebraMatrix *residuals = algebra_matrix_new(small->block, 1);
    for (size_t i = 0; i < small->block; i++)
        algebra_matrix_copy(residuals, i, 0, outputs, small->block_rows[i], 0);
    return residuals;
}

static void block_unknowns(const InquirySmall *small, const AlgebraMatrix *inputs,
                           AlgebraMatrix *unknowns)
{
    for (size_t j = 0; j < small->block; j++)
        algebra_matrix_copy(unknowns, j, 0, inputs, small->block_columns[j], 0);
}

static void put_unknowns(const InquirySmall *small, const AlgebraMatrix *unknowns,
                         AlgebraMatrix *inputs)
{
    for (size_t j = 0; j < small->block; j++)
        algebra_matrix_copy(inputs, small->block_columns[j], 0, unknowns, j, 0);
}

// One step from the middle of the inputs; with `at` the derivatives are taken there. Returns its
// size, or NAN.
static double newton_step(const InquirySmall *small, AlgebraMatrix *inputs, const AlgebraMatrix *at,
                          AlgebraMatrix *unknowns)
{
    AlgebraMatrix *outputs = algebra_matrix_new(small_output_count(small), 1);
    AlgebraMatrix *step = algebra_matrix_new(small->block, 1);
    algebra_matrix_run(small->program.program, inputs, outputs);
    AlgebraMatrix *residuals = residuals_of(small, outputs);
    if (at)
        algebra_matrix_run(small->program.program, at, outputs);
    AlgebraMatrix *block = block_of(small, outputs);
    double size = NAN;
    block_unknowns(small, inputs, unknowns);
    if (algebra_matrix_solve(step, block, residuals)) {
        algebra_matrix_subtract(unknowns, step);
        size = 0;
        for (size_t i = 0; i < small->block; i++)
            size = fmax(size, fabs(algebra_matrix_get(step, i, 0)));
    }
    algebra_matrix_free(outputs);
    algebra_matrix_free(step);
    algebra_matrix_free(residuals);
    algebra_matrix_free(block);
    return size;
}

// Refines the inputs; false where the iteration does not settle.
static bool refine(const InquirySmall *small, AlgebraMatrix *inputs, bool certain)
{
    AlgebraMatrix *unknowns = algebra_matrix_new(small->block, 1);
    bool settled = small->block == 0;
    for (size_t step = 0; step < MOST_STEPS && !settled; step++) {
        double size = newton_step(small, inputs, NULL, unknowns);
        if (!(size < 1))
            break;
        settled = size < ldexp(1, -SETTLED_BITS);
        algebra_matrix_middle(unknowns);
        put_unknowns(small, unknowns, inputs);
    }
    if (settled && certain && small->block > 0) {
        AlgebraMatrix *ball = algebra_matrix_new(small->block, 1);
        AlgebraMatrix *around = algebra_matrix_new(small->unknowns + 1, 1);
        for (size_t i = 0; i <= small->unknowns; i++)
            algebra_matrix_copy(around, i, 0, inputs, i, 0);
        block_unknowns(small, inputs, ball);
        algebra_matrix_widen(ball, BALL_BITS);
        put_unknowns(small, ball, around);
        settled = !isnan(newton_step(small, inputs, around, unknowns)) &&
                  algebra_matrix_within(unknowns, ball);
        put_unknowns(small, unknowns, inputs);
        algebra_matrix_free(ball);
        algebra_matrix_free(around);
    }
    algebra_matrix_free(unknowns);
    return settled;
}

// δq of all needed coordinates by the independent ones; NULL where that is singular.
static AlgebraMatrix *tangents(const InquirySmall *small, const AlgebraMatrix *outputs)
{
    size_t f = small->f, free = small->e - f, first = small_jacobian_at(small);
    AlgebraMatrix *matrix = algebra_matrix_new(f, f), *right = algebra_matrix_new(f, free);
    AlgebraMatrix *solution = algebra_matrix_new(f, free);
    AlgebraMatrix *T = algebra_matrix_new(small->e, free);
    for (size_t i = 0; i < f; i++) {
        size_t row = first + i * small->unknowns;
        for (size_t j = 0; j < f; j++)
            algebra_matrix_copy(matrix, i, j, outputs, row + small->dependent[j], 0);
        for (size_t j = 0; j < free; j++)
            algebra_matrix_copy(right, i, j, outputs, row + small->independent[j], 0);
    }
    bool good = free == 0 || algebra_matrix_solve(solution, matrix, right);
    AlgebraMatrix *negative = algebra_matrix_new(f, free);
    algebra_matrix_subtract(negative, solution);
    for (size_t j = 0; j < free; j++) {
        algebra_matrix_set(T, small->independent[j], j, 1);
        for (size_t i = 0; i < f; i++)
            algebra_matrix_copy(T, small->dependent[i], j, negative, i, j);
    }
    algebra_matrix_free(matrix);
    algebra_matrix_free(right);
    algebra_matrix_free(solution);
    algebra_matrix_free(negative);
    if (!good) {
        algebra_matrix_free(T);
        T = NULL;
    }
    return T;
}

// The derivatives of the rates of the independent coordinates (forces: of the forces) by (q, u).
static AlgebraMatrix *reduced_rows(const InquirySmall *small, const AlgebraMatrix *outputs,
                                   const AlgebraMatrix *T, bool forces)
{
    size_t e = small->e, free = e - small->f, rows = forces ? small->k : free;
    AlgebraMatrix *by_q = algebra_matrix_new(rows, e), *product = algebra_matrix_new(rows, free);
    AlgebraMatrix *reduced = algebra_matrix_new(rows, small->size);
    for (size_t i = 0; i < rows; i++) {
        size_t row = small->f + (forces ? e + i : small->independent[i]);
        size_t at = small_jacobian_at(small) + row * small->unknowns;
        for (size_t j = 0; j < e; j++)
            algebra_matrix_copy(by_q, i, j, outputs, at + j, 0);
        for (size_t j = 0; j < small->k; j++)
            algebra_matrix_copy(reduced, i, free + j, outputs, at + e + j, 0);
    }
    algebra_matrix_multiply(product, by_q, T);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < free; j++)
            algebra_matrix_copy(reduced, i, j, product, i, j);
    algebra_matrix_free(by_q);
    algebra_matrix_free(product);
    return reduced;
}

static AlgebraMatrix *reduce(const InquirySmall *small, const AlgebraMatrix *outputs)
{
    size_t free = small->e - small->f, k = small->k, size = small->size;
    AlgebraMatrix *T = tangents(small, outputs);
    if (!T)
        return NULL;
    AlgebraMatrix *top = reduced_rows(small, outputs, T, false);
    AlgebraMatrix *right = reduced_rows(small, outputs, T, true);
    AlgebraMatrix *matrix = algebra_matrix_new(k, k), *bottom = algebra_matrix_new(k, size);
    AlgebraMatrix *A = algebra_matrix_new(size, size);
    for (size_t i = 0; i < k * k; i++)
        algebra_matrix_copy(matrix, i / k, i % k, outputs, small_matrix_at(small) + i, 0);
    bool good = algebra_matrix_solve(bottom, matrix, right);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            algebra_matrix_copy(A, i, j, i < free ? top : bottom, i < free ? i : i - free, j);
    algebra_matrix_free(T);
    algebra_matrix_free(top);
    algebra_matrix_free(right);
    algebra_matrix_free(matrix);
    algebra_matrix_free(bottom);
    if (good)
        return A;
    algebra_matrix_free(A);
    return NULL;
}

AlgebraMatrix *small_precise(InquirySmall *small, const double *y, double varied, bool certain)
{
    AlgebraMatrix *inputs = algebra_matrix_new(small->unknowns + 1, 1), *A = NULL;
    for (size_t i = 0; i < small->unknowns; i++)
        algebra_matrix_set(inputs, i, 0, y[i]);
    algebra_matrix_set(inputs, small->unknowns, 0, varied);
    if (refine(small, inputs, certain)) {
        AlgebraMatrix *outputs = algebra_matrix_new(small_output_count(small), 1);
        algebra_matrix_run(small->program.program, inputs, outputs);
        A = reduce(small, outputs);
        algebra_matrix_free(outputs);
    }
    algebra_matrix_free(inputs);
    return A;
}

// ---- All values of parameters at once.

// Newton's operator in balls, for every value of the parameters in the inputs: where the balls that
// it gives lie inside those that it was given, each value has one and only one solution there.
static bool enclose_motion(const InquirySmall *box, AlgebraMatrix *inputs)
{
    enum { TRIES = 3 };
    size_t all = box->unknowns + 1 + box->boxed_count;
    AlgebraMatrix *next = algebra_matrix_new(box->block, 1),
                  *ball = algebra_matrix_new(box->block, 1);
    AlgebraMatrix *around = algebra_matrix_new(all, 1);
    bool proved = false;
    bool good = !isnan(newton_step(box, inputs, NULL, next));
    for (unsigned i = 1; i <= TRIES && good && !proved; i++) {
        for (size_t j = 0; j < all; j++)
            algebra_matrix_copy(around, j, 0, inputs, j, 0);
        block_unknowns(box, inputs, ball);
        algebra_matrix_reach(ball, next, 2 * i);
        put_unknowns(box, ball, around);
        good = !isnan(newton_step(box, inputs, around, next));
        proved = good && algebra_matrix_within(next, ball);
    }
    if (proved)
        put_unknowns(box, next, inputs);
    algebra_matrix_free(next);
    algebra_matrix_free(ball);
    algebra_matrix_free(around);
    return proved;
}

AlgebraMatrix *small_enclose_box(const InquirySmall *box, const double *y, const double *low,
                                 const double *high)
{
    size_t first = box->unknowns + 1;
    AlgebraMatrix *inputs = algebra_matrix_new(first + box->boxed_count, 1), *A = NULL;
    for (size_t i = 0; i < box->unknowns; i++)
        algebra_matrix_set(inputs, i, 0, y[i]);
    algebra_matrix_set(inputs, box->unknowns, 0, box->base);
    for (size_t i = 0; i < box->boxed_count; i++)
        algebra_matrix_set(inputs, first + i, 0, low[i] + (high[i] - low[i]) / 2);
    if (refine(box, inputs, false)) {
        for (size_t i = 0; i < box->boxed_count; i++)
            algebra_matrix_set_interval(inputs, first + i, 0, low[i], high[i]);
        if (enclose_motion(box, inputs)) {
            AlgebraMatrix *outputs = algebra_matrix_new(small_output_count(box), 1);
            algebra_matrix_run(box->program.program, inputs, outputs);
            A = reduce(box, outputs);
            algebra_matrix_free(outputs);
        }
    }
    algebra_matrix_free(inputs);
    return A;
}

AlgebraMatrix *small_essential(const InquirySmall *small, const AlgebraMatrix *A)
{
    size_t size = small->size, degree = size - small->family;
    AlgebraMatrix *whole = algebra_matrix_new(size + 1, 1);
    AlgebraMatrix *essential = algebra_matrix_new(degree + 1, 1);
    algebra_matrix_polynomial(A, whole);
    for (size_t i = 0; i <= degree; i++)
        algebra_matrix_copy(essential, i, 0, whole, i + small->family, 0);
    algebra_matrix_free(whole);
    return essential;
}

bool inquiry_small_enclose(InquirySmall *small, size_t digits, InquiryEnclosed *eigenvalues)
{
    AlgebraMatrix *A = small_precise(small, small->state, small->base, true);
    if (!A)
        return false;
    size_t count = small->size - small->family;
    Text *re = base_alloc((count + 1) * sizeof *re), *im = base_alloc((count + 1) * sizeof *im);
    AlgebraMatrix *essential = small_essential(small, A);
    bool good = algebra_matrix_roots(essential, digits, re, im);
    for (size_t i = 0; i < small->family && good; i++) {
        text_add(&eigenvalues[i].re, "0");
        text_add(&eigenvalues[i].im, "0");
    }
    for (size_t i = 0; i < count; i++) {
        if (good) {
            eigenvalues[small->family + i] = (InquiryEnclosed){re[i], im[i]};
        } else {
            text_clear(&re[i]);
            text_clear(&im[i]);
        }
    }
    base_free(re);
    base_free(im);
    algebra_matrix_free(essential);
    algebra_matrix_free(A);
    return good;
}

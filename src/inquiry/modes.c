// modes.c: the linearized equations in numbers, their eigenvalues and modes.
//
// With finite conditions f(q) = 0 between the needed coordinates, the dependent ones follow:
// δq_D = −(f_D)⁻¹ f_I δq_I. So A acts on (q_I, u) and knows nothing of motions that would break a
// condition. The zeros that belong to the family are split off before LAPACK sees the rest: A has
// their tangents as kernel, and acts on what is orthogonal to them.
#include "inquiry/small_impl.h"
#include "linalg/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SPLIT = 24 }; // variables whose modes are found one by one

// A matrix whose condition number is above the reciprocal of this is singular.
#define SINGULAR 1e-14

// δq of all needed coordinates by the independent ones: e × (e − f).
static bool tangents(const InquirySmall *small, const double *J, double *T)
{
    size_t e = small->e, f = small->f, free = e - f;
    double *matrix = base_alloc((f * f + 1) * sizeof *matrix);
    double *right = base_alloc((f * free + 1) * sizeof *right);
    for (size_t i = 0; i < f; i++) {
        for (size_t j = 0; j < f; j++)
            matrix[i * f + j] = J[i * small->unknowns + small->dependent[j]];
        for (size_t j = 0; j < free; j++)
            right[i * free + j] = -J[i * small->unknowns + small->independent[j]];
    }
    bool good = lapack_solve(f, free, matrix, right, SINGULAR);
    memset(T, 0, e * free * sizeof *T);
    for (size_t j = 0; j < free; j++) {
        T[small->independent[j] * free + j] = 1;
        for (size_t i = 0; i < f; i++)
            T[small->dependent[i] * free + j] = right[i * free + j];
    }
    base_free(matrix);
    base_free(right);
    return good;
}

// A row of derivatives by y, as one by the variables (q_I, u).
static void reduce_row(const InquirySmall *small, const double *row, const double *T, double *out)
{
    size_t free = small->e - small->f;
    for (size_t j = 0; j < free; j++) {
        out[j] = 0;
        for (size_t i = 0; i < small->e; i++)
            out[j] += row[i] * T[i * free + j];
    }
    memcpy(out + free, row + small->e, small->k * sizeof *out);
}

bool small_reduce(const InquirySmall *small, const double *out, double *A, double *K,
                  double *B_state)
{
    size_t e = small->e, f = small->f, k = small->k, free = e - f, size = small->size;
    size_t inputs = small->input_count, columns = size + inputs;
    const double *J = out + small_jacobian_at(small), *by_inputs = out + small_inputs_at(small);
    double *T = base_alloc((e * free + 1) * sizeof *T);
    double *matrix = base_alloc((k * k + 1) * sizeof *matrix);
    double *right = base_alloc((k * columns + 1) * sizeof *right);
    bool good = tangents(small, J, T);
    for (size_t j = 0; j < free && good; j++) {
        reduce_row(small, J + (f + small->independent[j]) * small->unknowns, T, A + j * size);
        for (size_t p = 0; p < inputs && B_state; p++)
            B_state[j * inputs + p] = by_inputs[small->independent[j] * inputs + p];
    }
    memcpy(matrix, out + small_matrix_at(small), k * k * sizeof *matrix);
    for (size_t alpha = 0; alpha < k && good; alpha++) {
        double *row = right + alpha * columns;
        reduce_row(small, J + (f + e + alpha) * small->unknowns, T, row);
        for (size_t j = 0; j < free && K; j++)
            K[alpha * free + j] = -row[j];
        for (size_t p = 0; p < inputs; p++)
            row[size + p] = by_inputs[(e + alpha) * inputs + p];
    }
    good = good && lapack_solve(k, columns, matrix, right, SINGULAR);
    for (size_t alpha = 0; alpha < k && good; alpha++) {
        memcpy(A + (free + alpha) * size, right + alpha * columns, size * sizeof *A);
        for (size_t p = 0; p < inputs && B_state; p++)
            B_state[(free + alpha) * inputs + p] = right[alpha * columns + size + p];
    }
    base_free(T);
    base_free(matrix);
    base_free(right);
    return good;
}

// ---- Eigenvalues.

typedef struct {
    double re, im;
} Eigen;

// Pairs stand together: parts that differ by rounding alone are the same.
static int by_falling_part(const void *a, const void *b)
{
    const Eigen *left = a, *right = b;
    double size = fmax(hypot(left->re, left->im), hypot(right->re, right->im));
    if (fabs(left->re - right->re) > 1e-12 * size)
        return left->re > right->re ? -1 : 1;
    if (fabs(fabs(left->im) - fabs(right->im)) > 1e-12 * size)
        return fabs(left->im) > fabs(right->im) ? -1 : 1;
    return (left->im < right->im) - (left->im > right->im);
}

// The columns of V: an orthonormal basis whose first `family` columns span the kernel of A.
static void kernel_first(const double *A, size_t size, size_t family, double *V)
{
    double *copy = base_alloc((size * size + 1) * sizeof *copy);
    double *values = base_alloc((size + 1) * sizeof *values);
    double *rows = base_alloc((size * size + 1) * sizeof *rows);
    memcpy(copy, A, size * size * sizeof *copy);
    lapack_axes(size, size, copy, values, rows);
    // The least singular values come last.
    for (size_t j = 0; j < size; j++) {
        size_t from = j < family ? size - 1 - j : j - family;
        for (size_t i = 0; i < size; i++)
            V[i * size + j] = rows[from * size + i];
    }
    base_free(copy);
    base_free(values);
    base_free(rows);
}

// VᵀAV, the part below and beside the kernel.
static void quotient(const double *A, const double *V, size_t size, size_t family, double *rest)
{
    size_t left = size - family;
    double *AV = base_alloc((size * left + 1) * sizeof *AV);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < left; j++)
            for (size_t l = 0; l < size; l++)
                AV[i * left + j] += A[i * size + l] * V[l * size + family + j];
    memset(rest, 0, left * left * sizeof *rest);
    for (size_t i = 0; i < left; i++)
        for (size_t j = 0; j < left; j++)
            for (size_t l = 0; l < size; l++)
                rest[i * left + j] += V[l * size + family + i] * AV[l * left + j];
    base_free(AV);
}

// By falling real part; of equal pairs, which then stand as + + − −, each beside its conjugate.
static void sort_pairs(Eigen *eigen, size_t count)
{
    Eigen *sorted = base_alloc((count + 1) * sizeof *sorted);
    qsort(eigen, count, sizeof *eigen, by_falling_part);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count; end++) {
            Eigen mirrored = {eigen[end].re, fabs(eigen[end].im)};
            if (by_falling_part(&(Eigen){eigen[i].re, fabs(eigen[i].im)}, &mirrored) != 0)
                break;
        }
        size_t half = (end - i) / 2;
        bool pairs = eigen[i].im > 0 && (end - i) % 2 == 0 && eigen[i + half].im < 0;
        for (size_t j = i; j < end; j++)
            sorted[pairs ? i + 2 * ((j - i) % half) + (j - i) / half : j] = eigen[j];
    }
    memcpy(eigen, sorted, count * sizeof *eigen);
    base_free(sorted);
}

void small_sort(double *re, double *im, size_t count)
{
    Eigen *eigen = base_alloc((count + 1) * sizeof *eigen);
    for (size_t i = 0; i < count; i++)
        eigen[i] = (Eigen){re[i], im[i]};
    sort_pairs(eigen, count);
    for (size_t i = 0; i < count; i++) {
        re[i] = eigen[i].re;
        im[i] = eigen[i].im;
    }
    base_free(eigen);
}

static void eigenvalues_of(double *matrix, size_t size, Eigen *eigen)
{
    double *re = base_alloc((2 * size + 1) * sizeof *re), *im = re + size;
    lapack_eigenvalues(size, matrix, re, im, NULL);
    for (size_t i = 0; i < size; i++)
        eigen[i] = (Eigen){re[i], im[i]};
    base_free(re);
    sort_pairs(eigen, size);
}

// A − λ as U·Σ·V*: the singular values, falling, and the rows of V*.
static void split(const double *A, size_t size, double re, double im, double *values,
                  lapack_complex_double *rows)
{
    lapack_complex_double *matrix = base_alloc((size * size + 1) * sizeof *matrix);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            matrix[i * size + j] =
                lapack_make_complex_double(A[i * size + j] - (i == j ? re : 0), i == j ? -im : 0);
    lapack_complex_axes(size, matrix, values, rows);
    base_free(matrix);
}

size_t small_mode_count(const double *A, size_t size, double frequency)
{
    lapack_complex_double *rows = base_alloc((size * size + 1) * sizeof *rows);
    double *values = base_alloc((size + 1) * sizeof *values);
    size_t count = 0;
    split(A, size, 0, frequency, values, rows);
    for (size_t i = 0; i < size; i++)
        count += values[i] <= 1e-9 * values[0];
    base_free(rows);
    base_free(values);
    return count;
}

// Scales a vector so that its largest part is 1; of parts that are alike the first counts, whatever
// rounding says.
static void make_unit(double *re, double *im, size_t size, size_t stride)
{
    double largest = 0, a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        double x = re[i * stride], y = im[i * stride];
        if (hypot(x, y) > 1.000001 * largest) {
            largest = hypot(x, y);
            a = x;
            b = y;
        }
    }
    for (size_t i = 0; i < size; i++) {
        double x = re[i * stride], y = im[i * stride], square = a * a + b * b;
        double r = (x * a + y * b) / square, s = (y * a - x * b) / square;
        re[i * stride] = fabs(r) < 1e-14 ? 0 : r;
        im[i * stride] = fabs(s) < 1e-14 ? 0 : s;
    }
}

// The same for many variables: LAPACK's own vectors, each for the nearest of its eigenvalues. Those
// of equal eigenvalues need not be independent.
static void many_modes(const double *A, size_t size, const double *re, const double *im,
                       double *mode_re, double *mode_im)
{
    double *matrix = base_alloc(2 * size * size * sizeof *matrix), *vectors = matrix + size * size;
    double *its_re = base_alloc(2 * size * sizeof *its_re), *its_im = its_re + size;
    bool *taken = base_alloc(size * sizeof *taken);
    memcpy(matrix, A, size * size * sizeof *matrix);
    lapack_eigenvalues(size, matrix, its_re, its_im, vectors);
    for (size_t j = 0; j < size; j++) {
        size_t best = size;
        for (size_t l = 0; l < size; l++)
            if (!taken[l] &&
                (best == size || hypot(its_re[l] - re[j], its_im[l] - im[j]) <
                                     hypot(its_re[best] - re[j], its_im[best] - im[j])))
                best = l;
        taken[best] = true;
        // Of a pair the first column is the real part, the second the imaginary one.
        size_t first = its_im[best] < 0 ? best - 1 : best;
        for (size_t i = 0; i < size; i++) {
            mode_re[i * size + j] = vectors[i * size + first];
            mode_im[i * size + j] =
                its_im[best] == 0 ? 0 : (its_im[best] > 0 ? 1 : -1) * vectors[i * size + first + 1];
        }
        make_unit(mode_re + j, mode_im + j, size, size);
    }
    base_free(matrix);
    base_free(its_re);
    base_free(taken);
}

void small_modes(const double *A, size_t size, size_t family, const double *re, const double *im,
                 double *mode_re, double *mode_im)
{
    if (size > MOST_SPLIT) {
        many_modes(A, size, re, im, mode_re, mode_im);
        return;
    }
    lapack_complex_double *rows = base_alloc((size * size + 1) * sizeof *rows);
    double *values = base_alloc((size + 1) * sizeof *values);
    for (size_t j = 0; j < size; j++) {
        // Of equal eigenvalues each takes a vector of its own.
        size_t equal = 0;
        for (size_t i = j < family ? 0 : family; i < j; i++)
            equal += hypot(re[i] - re[j], im[i] - im[j]) <= 1e-12 * hypot(re[j], im[j]);
        split(A, size, re[j], im[j], values, rows);
        // The last rows are conjugates of the vectors that A − λ makes least.
        const lapack_complex_double *row = rows + (size - 1 - equal) * size;
        for (size_t i = 0; i < size; i++) {
            mode_re[i * size + j] = lapack_complex_double_real(row[i]);
            mode_im[i * size + j] = -lapack_complex_double_imag(row[i]);
        }
        make_unit(mode_re + j, mode_im + j, size, size);
    }
    base_free(rows);
    base_free(values);
}

void small_eigen(const double *A, size_t size, size_t family, double *re, double *im)
{
    double *V = base_alloc((size * size + 1) * sizeof *V);
    double *rest = base_alloc((size * size + 1) * sizeof *rest);
    Eigen *eigen = base_alloc((size + 1) * sizeof *eigen);
    for (size_t i = 0; i < size && family == 0; i++)
        V[i * size + i] = 1;
    if (family > 0)
        kernel_first(A, size, family, V);
    quotient(A, V, size, family, rest);
    eigenvalues_of(rest, size - family, eigen);
    for (size_t i = 0; i < size; i++) {
        re[i] = i < family ? 0 : eigen[i - family].re;
        im[i] = i < family ? 0 : eigen[i - family].im;
    }
    base_free(V);
    base_free(rest);
    base_free(eigen);
}

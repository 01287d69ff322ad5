// hurwitz.c: what vanishes where an eigenvalue passes the imaginary axis.
//
// For p(λ) = Σ c_i λ^i of degree n: c_0 where a real eigenvalue passes 0; Hurwitz' determinant of
// order n − 1, which is the product of all sums of two eigenvalues but for a factor (Orlando 1911),
// where a pair passes. Where p holds only even powers, as for systems that can run backwards, that
// determinant is 0 throughout; there λ² = μ is a root of g(μ) = p(√μ), and a pair can leave the
// axis only where two μ meet: where the discriminant of g vanishes.
#include "inquiry/small_impl.h"

#include <math.h>

// Against the size that a coefficient has by the eigenvalues: below it is 0.
static const double NOTHING = 0x1p-120;

// The size of the eigenvalues: the largest |c_i|^(1/(n−i)).
static double size_of(const AlgebraMatrix *p, size_t degree)
{
    double size = 0;
    for (size_t i = 0; i < degree; i++)
        size = fmax(size, pow(fabs(algebra_matrix_get(p, i, 0)), 1.0 / (double)(degree - i)));
    return size;
}

static bool is_nothing(const AlgebraMatrix *p, size_t degree, size_t i, double size)
{
    return !(fabs(algebra_matrix_get(p, i, 0)) > NOTHING * pow(size, (double)(degree - i)));
}

bool hurwitz_is_even(const AlgebraMatrix *p, size_t degree)
{
    double size = size_of(p, degree);
    for (size_t i = 0; i < degree; i++)
        if ((degree - i) % 2 == 1 && !is_nothing(p, degree, i, size))
            return false;
    return degree % 2 == 0;
}

static double determinant_of(AlgebraMatrix *matrix)
{
    AlgebraMatrix *value = algebra_matrix_new(1, 1);
    algebra_matrix_determinant(matrix, value);
    double number = algebra_matrix_sign(value, 0, 0) == 0 ? 0 : algebra_matrix_get(value, 0, 0);
    algebra_matrix_free(value);
    algebra_matrix_free(matrix);
    return number;
}

// Row i, column j, from 1: a_{2j−i} with a_0 = 1 the leading coefficient.
static AlgebraMatrix *hurwitz_matrix(const AlgebraMatrix *p, size_t degree)
{
    AlgebraMatrix *matrix = algebra_matrix_new(degree - 1, degree - 1);
    for (size_t i = 1; i < degree; i++)
        for (size_t j = 1; j < degree; j++)
            if (2 * j >= i && 2 * j - i <= degree)
                algebra_matrix_copy(matrix, i - 1, j - 1, p, degree - (2 * j - i), 0);
    return matrix;
}

// Sylvester's matrix of g and its derivative, g of degree d = n/2: d − 1 rows of g, d of g'.
static AlgebraMatrix *sylvester_matrix(const AlgebraMatrix *p, size_t degree)
{
    size_t d = degree / 2, size = 2 * d - 1;
    AlgebraMatrix *matrix = algebra_matrix_new(size, size);
    AlgebraMatrix *factor = algebra_matrix_new(1, 1), *one = algebra_matrix_new(1, 1);
    AlgebraMatrix *product = algebra_matrix_new(1, 1);
    for (size_t row = 0; row + 1 < d; row++)
        for (size_t i = 0; i <= d; i++)
            algebra_matrix_copy(matrix, row, row + i, p, degree - 2 * i, 0);
    for (size_t row = 0; row < d; row++)
        for (size_t i = 0; i < d; i++) {
            algebra_matrix_set(factor, 0, 0, (double)(d - i));
            algebra_matrix_copy(one, 0, 0, p, degree - 2 * i, 0);
            algebra_matrix_multiply(product, factor, one);
            algebra_matrix_copy(matrix, d - 1 + row, row + i, product, 0, 0);
        }
    algebra_matrix_free(factor);
    algebra_matrix_free(one);
    algebra_matrix_free(product);
    return matrix;
}

double hurwitz_value(HurwitzKind kind, const AlgebraMatrix *p, size_t degree)
{
    if (kind == HURWITZ_CONSTANT)
        return is_nothing(p, degree, 0, size_of(p, degree)) ? 0 : algebra_matrix_get(p, 0, 0);
    if (kind == HURWITZ_DETERMINANT)
        return determinant_of(hurwitz_matrix(p, degree));
    return determinant_of(sylvester_matrix(p, degree));
}

// Gantmacher, Matrizentheorie II, 15: of the minors 1, Δ_1, Δ_2/Δ_1, …, Δ_n/Δ_{n−1} as many pairs
// of neighbours differ in sign.
int hurwitz_growing(const AlgebraMatrix *p, size_t degree)
{
    int growing = 0, last = 1, ratio_before = 1;
    AlgebraMatrix *value = algebra_matrix_new(1, 1);
    AlgebraMatrix *whole = degree > 1 ? hurwitz_matrix(p, degree) : NULL;
    bool certain = true;
    for (size_t order = 1; order < degree && certain; order++) {
        AlgebraMatrix *minor = algebra_matrix_new(order, order);
        for (size_t i = 0; i < order * order; i++)
            algebra_matrix_copy(minor, i / order, i % order, whole, i / order, i % order);
        algebra_matrix_determinant(minor, value);
        int sign = algebra_matrix_sign(value, 0, 0), ratio = sign * last;
        certain = sign != 0;
        growing += ratio != ratio_before;
        ratio_before = ratio;
        last = sign;
        algebra_matrix_free(minor);
    }
    // Δ_n is Δ_{n−1} times the constant coefficient.
    int ratio = algebra_matrix_sign(p, 0, 0);
    growing += ratio != ratio_before;
    certain = certain && ratio != 0;
    algebra_matrix_free(whole);
    algebra_matrix_free(value);
    return certain ? growing : -1;
}

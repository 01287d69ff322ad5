// test_matrix.c: matrices of balls against exact values, and polynomials in one symbol against
// their factors multiplied out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "algebra/algebra.h"
#include "base/strings.h"

#include <flint/flint.h>

static AlgebraMatrix *matrix_of(size_t rows, size_t columns, const double *entries)
{
    AlgebraMatrix *matrix = algebra_matrix_new(rows, columns);
    for (size_t i = 0; i < rows * columns; i++)
        algebra_matrix_set(matrix, i / columns, i % columns, entries[i]);
    return matrix;
}

// (λ − 1)(λ + 2)(λ² + 9) as a companion matrix.
static const double companion[] = {0, 0, 0, 18, 1, 0, 0, -9, 0, 1, 0, -7, 0, 0, 1, -1};

static void test_polynomial_and_eigenvalues(void **state)
{
    (void)state;
    static const double expected[] = {-18, 9, 7, 1, 1};
    AlgebraMatrix *a = matrix_of(4, 4, companion), *p = algebra_matrix_new(5, 1);
    AlgebraMatrix *d = algebra_matrix_new(1, 1);
    algebra_matrix_polynomial(a, p);
    for (size_t i = 0; i < 5; i++)
        assert_true(algebra_matrix_get(p, i, 0) == expected[i]);
    algebra_matrix_determinant(a, d);
    assert_true(algebra_matrix_get(d, 0, 0) == -18);
    assert_int_equal(algebra_matrix_sign(d, 0, 0), -1);
    double re[4], im[4];
    assert_true(algebra_matrix_eigenvalues(a, re, im));
    size_t found = 0;
    for (size_t i = 0; i < 4; i++) {
        // To the last digit, and exactly real or imaginary.
        found += re[i] == 1 && im[i] == 0;
        found += re[i] == -2 && im[i] == 0;
        found += re[i] == 0 && fabs(im[i]) == 3;
    }
    assert_int_equal(found, 4);
    algebra_matrix_free(a);
    algebra_matrix_free(p);
    algebra_matrix_free(d);
}

// A Jordan block of order three: its eigenvalue is known to a third of the bits, and still whole.
static void test_defective(void **state)
{
    (void)state;
    static const double block[] = {0, 1, 0, 0, 0, 1, 0, 0, 0};
    AlgebraMatrix *a = matrix_of(3, 3, block);
    double re[3], im[3];
    assert_true(algebra_matrix_eigenvalues(a, re, im));
    for (size_t i = 0; i < 3; i++)
        assert_true(re[i] == 0 && im[i] == 0);
    algebra_matrix_free(a);
}

static void clear_texts(Text *re, Text *im, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_clear(&re[i]);
        text_clear(&im[i]);
    }
}

static void test_roots(void **state)
{
    (void)state;
    // λ³ − 2: a real root and a pair.
    static const double cube[] = {-2, 0, 0, 1}, square[] = {2, 0, 1}, twice[] = {1, -2, 1};
    Text re[3] = {0}, im[3] = {0};
    AlgebraMatrix *p = matrix_of(4, 1, cube);
    assert_true(algebra_matrix_roots(p, 30, re, im));
    assert_string_equal(re[0].at, "1.25992104989487316476721060728");
    assert_string_equal(im[0].at, "0");
    assert_string_equal(re[1].at, "-0.629960524947436582383605303639");
    assert_string_equal(im[1].at, "1.09112363597172140356007261419");
    algebra_matrix_free(p);
    clear_texts(re, im, 3);
    // λ² + 2: imaginary, and that is certain.
    p = matrix_of(3, 1, square);
    assert_true(algebra_matrix_roots(p, 10, re, im));
    assert_string_equal(re[0].at, "0");
    assert_string_equal(im[0].at, "1.414213562");
    algebra_matrix_free(p);
    clear_texts(re, im, 3);
    // A double root cannot be enclosed.
    p = matrix_of(3, 1, twice);
    assert_false(algebra_matrix_roots(p, 10, re, im));
    algebra_matrix_free(p);
    clear_texts(re, im, 3);
}

static void test_balls(void **state)
{
    (void)state;
    static const double third[] = {3}, one[] = {1}, none[] = {0};
    AlgebraMatrix *a = matrix_of(1, 1, third), *b = matrix_of(1, 1, one);
    AlgebraMatrix *x = algebra_matrix_new(1, 1), *wide = algebra_matrix_new(1, 1);
    assert_true(algebra_matrix_solve(x, a, b));
    assert_true(algebra_matrix_get(x, 0, 0) == 1.0 / 3);
    algebra_matrix_copy(wide, 0, 0, x, 0, 0);
    algebra_matrix_widen(wide, 100);
    assert_true(algebra_matrix_within(x, wide));
    assert_false(algebra_matrix_within(wide, x));
    algebra_matrix_subtract(x, wide);
    assert_int_equal(algebra_matrix_sign(x, 0, 0), 0);
    AlgebraMatrix *singular = matrix_of(1, 1, none);
    assert_false(algebra_matrix_solve(x, singular, b));
    algebra_matrix_free(singular);
    algebra_matrix_free(a);
    algebra_matrix_free(b);
    algebra_matrix_free(x);
    algebra_matrix_free(wide);
}

// ---- Polynomials in one symbol.

static void test_factors(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Algebra *algebra = algebra_new(pool);
    Expr x = expr_symbol(pool, "x"), a = expr_symbol(pool, "a"), b = expr_symbol(pool, "b");
    Expr s = expr_call(pool, EXPR_SIN, a, (Expr){0});
    // (a x² − b)·(x + sin a)²·b/(1 + x²)
    Expr first = expr_sub(pool, expr_mul(pool, a, expr_mul(pool, x, x)), b);
    Expr second = expr_add(pool, x, s);
    Expr below = expr_add(pool, expr_int(pool, 1), expr_mul(pool, x, x));
    Expr e = expr_div(pool, expr_product(pool, (Expr[]){first, second, second, b}, 4), below);
    AlgebraFactors factors;
    assert_true(algebra_factors(algebra, e, x, &factors));
    assert_int_equal(factors.count, 2);
    size_t linear = factors.factors[0].degree == 1 ? 0 : 1;
    const AlgebraFactor *one = &factors.factors[linear], *two = &factors.factors[1 - linear];
    assert_int_equal(one->degree, 1);
    assert_int_equal(two->degree, 2);
    // −c₀/c₁ = −sin a, −c₀/c₂ = b/a, and nothing between.
    Expr root = expr_div(pool, one->coefficients[0], one->coefficients[1]);
    Expr square = expr_div(pool, two->coefficients[0], two->coefficients[2]);
    Verdict verdict = algebra_is_zero(algebra, expr_sub(pool, root, s));
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
    verdict = algebra_is_zero(algebra, expr_add(pool, square, expr_div(pool, b, a)));
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
    assert_true(expr_is_zero(pool, two->coefficients[1]));
    algebra_factors_clear(&factors);
    // Nothing to solve for, and nothing that could be.
    assert_true(algebra_factors(algebra, a, x, &factors));
    assert_int_equal(factors.count, 0);
    algebra_factors_clear(&factors);
    assert_false(algebra_factors(algebra, expr_call(pool, EXPR_SIN, x, (Expr){0}), x, &factors));
    algebra_factors_clear(&factors);
    algebra_free(algebra);
    expr_pool_free(pool);
}

static int clean_flint(void **state)
{
    (void)state;
    flint_cleanup();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomial_and_eigenvalues),
        cmocka_unit_test(test_defective),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_factors),
    };
    return cmocka_run_group_tests(tests, NULL, clean_flint);
}

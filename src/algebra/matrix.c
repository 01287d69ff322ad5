// matrix.c: matrices of balls for rooms that do not know Arb.
#include "algebra/algebra_impl.h"
#include "algebra/flint_impl.h"

#include <math.h>
#include <string.h>

// Of the QR iteration for one eigenvalue: it is slow where several share a mode.
enum { MOST_TURNS = 10000 };

struct AlgebraMatrix {
    arb_mat_t at;
};

static arb_ptr entry(const AlgebraMatrix *matrix, size_t row, size_t column)
{
    return arb_mat_entry(matrix->at, (slong)row, (slong)column);
}

static slong rows_of(const AlgebraMatrix *matrix)
{
    return arb_mat_nrows(matrix->at);
}

static slong columns_of(const AlgebraMatrix *matrix)
{
    return arb_mat_ncols(matrix->at);
}

AlgebraMatrix *algebra_matrix_new(size_t rows, size_t columns)
{
    AlgebraMatrix *matrix = base_alloc(sizeof *matrix);
    arb_mat_init(matrix->at, (slong)rows, (slong)columns);
    return matrix;
}

void algebra_matrix_free(AlgebraMatrix *matrix)
{
    if (!matrix)
        return;
    arb_mat_clear(matrix->at);
    base_free(matrix);
}

// ---- Entries.

void algebra_matrix_set(AlgebraMatrix *matrix, size_t row, size_t column, double value)
{
    arb_set_d(entry(matrix, row, column), value);
}

double algebra_matrix_get(const AlgebraMatrix *matrix, size_t row, size_t column)
{
    return arf_get_d(arb_midref(entry(matrix, row, column)), ARF_RND_NEAR);
}

int algebra_matrix_sign(const AlgebraMatrix *matrix, size_t row, size_t column)
{
    arb_srcptr value = entry(matrix, row, column);
    return arb_is_positive(value) ? 1 : arb_is_negative(value) ? -1 : 0;
}

void algebra_matrix_copy(AlgebraMatrix *to, size_t row, size_t column, const AlgebraMatrix *from,
                         size_t from_row, size_t from_column)
{
    arb_set(entry(to, row, column), entry(from, from_row, from_column));
}

void algebra_matrix_middle(AlgebraMatrix *matrix)
{
    arb_mat_get_mid(matrix->at, matrix->at);
}

void algebra_matrix_widen(AlgebraMatrix *matrix, size_t bits)
{
    for (slong i = 0; i < rows_of(matrix); i++)
        for (slong j = 0; j < columns_of(matrix); j++) {
            arb_ptr at = arb_mat_entry(matrix->at, i, j);
            mag_t size, least;
            mag_init(size);
            mag_init(least);
            arb_get_mag(size, at);
            mag_one(least); // so that a ball around 0 has a radius too
            mag_max(size, size, least);
            mag_mul_2exp_si(size, size, -(slong)bits);
            arb_add_error_mag(at, size);
            mag_clear(size);
            mag_clear(least);
        }
}

void algebra_matrix_set_interval(AlgebraMatrix *matrix, size_t row, size_t column, double low,
                                 double high)
{
    arf_t a, b;
    arf_init(a);
    arf_init(b);
    arf_set_d(a, low);
    arf_set_d(b, high);
    arb_set_interval_arf(entry(matrix, row, column), a, b, ALGEBRA_BITS);
    arf_clear(a);
    arf_clear(b);
}

void algebra_matrix_reach(AlgebraMatrix *middle, const AlgebraMatrix *ball, unsigned factor)
{
    arb_t apart;
    mag_t reach;
    arb_init(apart);
    mag_init(reach);
    algebra_matrix_middle(middle);
    for (slong i = 0; i < rows_of(middle); i++)
        for (slong j = 0; j < columns_of(middle); j++) {
            arb_ptr at = arb_mat_entry(middle->at, i, j);
            arb_sub(apart, arb_mat_entry(ball->at, i, j), at, ALGEBRA_BITS);
            arb_get_mag(reach, apart);
            mag_mul_ui(reach, reach, factor);
            arb_add_error_mag(at, reach);
        }
    algebra_matrix_widen(middle, ALGEBRA_BITS / 2); // where nothing moves, too
    arb_clear(apart);
    mag_clear(reach);
}

bool algebra_matrix_within(const AlgebraMatrix *inner, const AlgebraMatrix *outer)
{
    return arb_mat_contains(outer->at, inner->at);
}

// ---- Arithmetic.

void algebra_matrix_subtract(AlgebraMatrix *a, const AlgebraMatrix *b)
{
    arb_mat_sub(a->at, a->at, b->at, ALGEBRA_BITS);
}

void algebra_matrix_multiply(AlgebraMatrix *product, const AlgebraMatrix *a, const AlgebraMatrix *b)
{
    arb_mat_mul(product->at, a->at, b->at, ALGEBRA_BITS);
}

bool algebra_matrix_solve(AlgebraMatrix *x, const AlgebraMatrix *a, const AlgebraMatrix *b)
{
    if (rows_of(a) == 0)
        return true;
    return arb_mat_solve(x->at, a->at, b->at, ALGEBRA_BITS);
}

void algebra_matrix_run(const Program *program, const AlgebraMatrix *inputs, AlgebraMatrix *outputs)
{
    // A column's entries lie one behind the other.
    arb_srcptr from = rows_of(inputs) > 0 ? arb_mat_entry(inputs->at, 0, 0) : NULL;
    program_run_ball(program, ALGEBRA_BITS, from, arb_mat_entry(outputs->at, 0, 0));
}

void algebra_matrix_polynomial(const AlgebraMatrix *a, AlgebraMatrix *coefficients)
{
    arb_poly_t polynomial;
    arb_poly_init(polynomial);
    arb_mat_charpoly(polynomial, a->at, ALGEBRA_BITS);
    for (slong i = 0; i < rows_of(coefficients); i++)
        arb_poly_get_coeff_arb(arb_mat_entry(coefficients->at, i, 0), polynomial, i);
    arb_poly_clear(polynomial);
}

void algebra_matrix_determinant(const AlgebraMatrix *a, AlgebraMatrix *value)
{
    arb_mat_det(entry(value, 0, 0), a->at, ALGEBRA_BITS);
}

// ---- Eigenvalues and roots.

// What is nothing beside the size becomes 0.
static double cleaned(const arf_t value, double size)
{
    double number = arf_get_d(value, ARF_RND_NEAR);
    return fabs(number) <= ldexp(size, -ALGEBRA_BITS / 5) ? 0 : number;
}

// Adds to `reach` how far the entry (i, j) of inverse·a·modes, or the real part of one on the
// diagonal, moves with the radii of a: each has its own factor, whose phase is kept.
static void add_reach(const AlgebraMatrix *a, const acb_mat_t inverse, const acb_mat_t modes,
                      slong i, slong j, mag_t reach)
{
    acb_t factor;
    mag_t one;
    acb_init(factor);
    mag_init(one);
    for (slong k = 0; k < rows_of(a); k++)
        for (slong l = 0; l < rows_of(a); l++) {
            mag_srcptr radius = arb_radref(arb_mat_entry(a->at, k, l));
            if (mag_is_zero(radius))
                continue;
            acb_mul(factor, acb_mat_entry(inverse, i, k), acb_mat_entry(modes, l, j), MAG_BITS * 2);
            if (i == j)
                arb_get_mag(one, acb_realref(factor));
            else
                acb_get_mag(one, factor);
            mag_addmul(reach, one, radius);
        }
    acb_clear(factor);
    mag_clear(one);
}

// How many of Gershgorin's discs lie right of the imaginary axis, all others left; -1 where one may
// meet it. `middle` is inverse·a·modes for the middle of a.
static int discs_right(const AlgebraMatrix *a, const acb_mat_t inverse, const acb_mat_t modes,
                       const acb_mat_t middle)
{
    slong n = rows_of(a);
    int right = 0;
    arb_t part;
    mag_t reach, one;
    arb_init(part);
    mag_init(reach);
    mag_init(one);
    for (slong i = 0; i < n && right >= 0; i++) {
        mag_zero(reach);
        for (slong j = 0; j < n; j++) {
            add_reach(a, inverse, modes, i, j, reach);
            acb_get_mag(one, acb_mat_entry(middle, i, j));
            if (j != i)
                mag_add(reach, reach, one);
        }
        arb_set(part, acb_realref(acb_mat_entry(middle, i, i)));
        arb_add_error_mag(part, reach);
        right = arb_is_positive(part) ? right + 1 : arb_is_negative(part) ? right : -1;
    }
    arb_clear(part);
    mag_clear(reach);
    mag_clear(one);
    return right;
}

int algebra_matrix_growing(const AlgebraMatrix *a)
{
    slong n = rows_of(a), bits = ALGEBRA_BITS / 3;
    acb_mat_t middle, modes, inverse;
    acb_ptr values = _acb_vec_init(n);
    acb_mat_init(middle, n, n);
    acb_mat_init(modes, n, n);
    acb_mat_init(inverse, n, n);
    acb_mat_set_arb_mat(middle, a->at);
    acb_mat_get_mid(middle, middle);
    int growing = -1;
    if (acb_mat_approx_eig_qr(values, NULL, modes, middle, NULL, 0, bits)) {
        acb_mat_get_mid(modes, modes); // any numbers will do
        if (acb_mat_inv(inverse, modes, bits)) {
            acb_mat_mul(middle, middle, modes, bits);
            acb_mat_mul(middle, inverse, middle, bits);
            growing = discs_right(a, inverse, modes, middle);
        }
    }
    _acb_vec_clear(values, n);
    acb_mat_clear(middle);
    acb_mat_clear(modes);
    acb_mat_clear(inverse);
    return growing;
}

bool algebra_matrix_eigenvalues(const AlgebraMatrix *a, double *re, double *im)
{
    slong n = rows_of(a);
    acb_mat_t matrix;
    acb_mat_init(matrix, n, n);
    acb_mat_set_arb_mat(matrix, a->at);
    acb_ptr values = _acb_vec_init(n);
    bool found = acb_mat_approx_eig_qr(values, NULL, NULL, matrix, NULL, MOST_TURNS, ALGEBRA_BITS);
    double size = 0;
    for (slong i = 0; i < n; i++)
        size = fmax(size, hypot(arf_get_d(arb_midref(acb_realref(values + i)), ARF_RND_NEAR),
                                arf_get_d(arb_midref(acb_imagref(values + i)), ARF_RND_NEAR)));
    for (slong i = 0; i < n; i++) {
        re[i] = cleaned(arb_midref(acb_realref(values + i)), size);
        im[i] = cleaned(arb_midref(acb_imagref(values + i)), size);
    }
    _acb_vec_clear(values, n);
    acb_mat_clear(matrix);
    return found;
}

static int by_falling_part(const void *a, const void *b)
{
    const acb_struct *const *first = a, *const *second = b;
    arb_srcptr parts[2][2] = {{acb_realref(*first), acb_realref(*second)},
                              {acb_imagref(*first), acb_imagref(*second)}};
    for (int i = 0; i < 2; i++)
        if (!arb_overlaps(parts[i][0], parts[i][1]))
            return arb_gt(parts[i][0], parts[i][1]) ? -1 : 1;
    return 0;
}

// The number with so many digits, all certain; false where they are not. A part that is known to
// vanish is 0.
static bool write_digits(const arb_t value, bool vanishes, size_t digits, Text *out)
{
    if (vanishes) {
        text_add(out, "0");
        return true;
    }
    if (arb_contains_zero(value) || arb_rel_accuracy_bits(value) < 4 + (slong)digits * 10 / 3)
        return false;
    char *text = arb_get_str(value, (slong)digits, ARB_STR_NO_RADIUS);
    text_add(out, text);
    flint_free(text);
    return true;
}

bool algebra_matrix_roots(const AlgebraMatrix *coefficients, size_t digits, Text *re, Text *im)
{
    slong degree = rows_of(coefficients) - 1;
    acb_poly_t polynomial;
    acb_poly_init(polynomial);
    bool odd = false, even = false; // whether there are such coefficients
    for (slong i = 0; i <= degree; i++) {
        arb_srcptr coefficient = arb_mat_entry(coefficients->at, i, 0);
        if (i % 2 == 0)
            even = even || !arb_contains_zero(coefficient);
        else
            odd = odd || !arb_contains_zero(coefficient);
        acb_t number;
        acb_init(number);
        acb_set_arb(number, coefficient);
        acb_poly_set_coeff_acb(polynomial, i, number);
        acb_clear(number);
    }
    acb_ptr roots = _acb_vec_init(degree + 1);
    acb_ptr *order = base_alloc(((size_t)degree + 1) * sizeof *order);
    bool good =
        degree == 0 || acb_poly_find_roots(roots, polynomial, NULL, 0, 2 * ALGEBRA_BITS) == degree;
    bool real =
        good && (degree == 0 || acb_poly_validate_real_roots(roots, polynomial, 2 * ALGEBRA_BITS));
    for (slong i = 0; i < degree; i++)
        order[i] = roots + i;
    qsort(order, (size_t)degree, sizeof *order, by_falling_part);
    good = real;
    for (slong i = 0; i < degree && good; i++) {
        // A root of a real polynomial whose ball meets the real axis, and no other, is real; one
        // of an even polynomial whose square is so, and negative, is imaginary.
        bool is_real = arb_contains_zero(acb_imagref(order[i]));
        bool is_imaginary = !(odd && even) && arb_contains_zero(acb_realref(order[i]));
        good = write_digits(acb_realref(order[i]), is_imaginary, digits, &re[i]) &&
               write_digits(acb_imagref(order[i]), is_real, digits, &im[i]);
    }
    base_free(order);
    _acb_vec_clear(roots, degree + 1);
    acb_poly_clear(polynomial);
    return good;
}

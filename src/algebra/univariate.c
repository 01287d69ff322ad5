// univariate.c: the points of an ideal of dimension 0, as polynomials of one algebraic number.
//
// The residues of all polynomials are a space of finite dimension, with the monomials below the
// leading ones as a basis. Multiplying by unknown i is a matrix there, and its characteristic
// polynomial vanishes for the value of the unknown at every point. Their squarefree parts make the
// ideal radical (Seidenberg's lemma); then the dimension is the number of points. A combination u
// of the unknowns that tells all points apart has a squarefree characteristic polynomial of that
// degree, 1, u, u² … are a basis as well, and every unknown is a combination of them.
#include "algebra/ideal_impl.h"

#include <string.h>

enum { MOST_POINTS = 96, MOST_COMBINATIONS = 40, FIRST_PRECISION = 128, MOST_PRECISION = 1 << 16 };

// ---- The space of residues.

typedef struct {
    const fmpz_mpoly_ctx_struct *ctx;
    slong unknowns, size;
    ulong *monomials;       // size × unknowns
    fmpq_mat_struct *times; // by unknown i: column j is what becomes of monomial j
} Residues;

static bool divides(const ulong *a, const ulong *b, slong unknowns)
{
    for (slong i = 0; i < unknowns; i++)
        if (a[i] > b[i])
            return false;
    return true;
}

// The exponents of all leading monomials.
static ulong *leading_monomials(const fmpz_mpoly_vec_t basis, const fmpz_mpoly_ctx_t ctx)
{
    slong unknowns = fmpz_mpoly_ctx_nvars(ctx);
    ulong *leading = base_alloc((size_t)(basis->length * unknowns + 1) * sizeof *leading);
    for (slong i = 0; i < basis->length; i++)
        fmpz_mpoly_get_term_exp_ui(leading + i * unknowns, basis->p + i, 0, ctx);
    return leading;
}

static bool is_below(const ulong *monomial, const ulong *leading, slong count, slong unknowns)
{
    for (slong i = 0; i < count; i++)
        if (divides(leading + i * unknowns, monomial, unknowns))
            return false;
    return true;
}

static slong index_of(const Residues *residues, const ulong *monomial)
{
    for (slong i = 0; i < residues->size; i++)
        if (memcmp(residues->monomials + i * residues->unknowns, monomial,
                   (size_t)residues->unknowns * sizeof *monomial) == 0)
            return i;
    return -1;
}

// Each is an earlier one times an unknown, the first is 1. False where there are too many.
static bool find_monomials(Residues *residues, const fmpz_mpoly_vec_t basis)
{
    slong unknowns = residues->unknowns;
    ulong *leading = leading_monomials(basis, residues->ctx), next[IDEAL_MOST_UNKNOWNS] = {0};
    residues->monomials =
        base_alloc((size_t)((MOST_POINTS + 1) * unknowns + 1) * sizeof *residues->monomials);
    residues->size = 1;
    bool fits = true;
    for (slong i = 0; i < residues->size && fits; i++)
        for (slong j = 0; j < unknowns && fits; j++) {
            memcpy(next, residues->monomials + i * unknowns, (size_t)unknowns * sizeof *next);
            next[j]++;
            if (!is_below(next, leading, basis->length, unknowns) || index_of(residues, next) >= 0)
                continue;
            memcpy(residues->monomials + residues->size * unknowns, next,
                   (size_t)unknowns * sizeof *next);
            residues->size++;
            fits = residues->size <= MOST_POINTS;
        }
    base_free(leading);
    return fits;
}

// Column `column` of a matrix: the residue of a polynomial.
static void put_residue(const Residues *residues, const fmpz_mpoly_vec_t basis,
                        const fmpz_mpoly_t polynomial, fmpq_mat_struct *matrix, slong column)
{
    const fmpz_mpoly_ctx_struct *ctx = residues->ctx;
    size_t count = (size_t)basis->length;
    fmpz_mpoly_struct *quotients = ideal_matrix(count, ctx);
    fmpz_mpoly_struct **quotient = base_alloc((count + 1) * sizeof *quotient);
    fmpz_mpoly_struct **divisor = base_alloc((count + 1) * sizeof *divisor);
    fmpz_mpoly_t rest;
    fmpz_t scale, coefficient;
    fmpz_mpoly_init(rest, ctx);
    fmpz_init(scale);
    fmpz_init(coefficient);
    for (size_t i = 0; i < count; i++) {
        quotient[i] = quotients + i;
        divisor[i] = basis->p + i;
    }
    fmpz_mpoly_quasidivrem_ideal(scale, quotient, rest, polynomial, divisor, (slong)count, ctx);
    for (slong i = 0; i < fmpz_mpoly_length(rest, ctx); i++) {
        ulong exponents[IDEAL_MOST_UNKNOWNS];
        fmpz_mpoly_get_term_exp_ui(exponents, rest, i, ctx);
        fmpz_mpoly_get_term_coeff_fmpz(coefficient, rest, i, ctx);
        fmpq_set_fmpz_frac(fmpq_mat_entry(matrix, index_of(residues, exponents), column),
                           coefficient, scale);
    }
    fmpz_clear(scale);
    fmpz_clear(coefficient);
    fmpz_mpoly_clear(rest, ctx);
    base_free(quotient);
    base_free(divisor);
    ideal_matrix_free(quotients, count, ctx);
}

static bool residues_init(Residues *residues, const fmpz_mpoly_vec_t basis,
                          const fmpz_mpoly_ctx_t ctx)
{
    *residues = (Residues){.ctx = ctx, .unknowns = fmpz_mpoly_ctx_nvars(ctx)};
    if (!find_monomials(residues, basis))
        return false;
    residues->times = base_alloc((size_t)residues->unknowns * sizeof *residues->times);
    fmpz_mpoly_t product;
    fmpz_mpoly_init(product, ctx);
    for (slong i = 0; i < residues->unknowns; i++) {
        fmpq_mat_init(residues->times + i, residues->size, residues->size);
        for (slong j = 0; j < residues->size; j++) {
            ulong exponents[IDEAL_MOST_UNKNOWNS];
            memcpy(exponents, residues->monomials + j * residues->unknowns,
                   (size_t)residues->unknowns * sizeof *exponents);
            exponents[i]++;
            fmpz_mpoly_zero(product, ctx);
            fmpz_mpoly_push_term_ui_ui(product, 1, exponents, ctx);
            put_residue(residues, basis, product, residues->times + i, j);
        }
    }
    fmpz_mpoly_clear(product, ctx);
    return true;
}

static void residues_clear(Residues *residues)
{
    for (slong i = 0; residues->times && i < residues->unknowns; i++)
        fmpq_mat_clear(residues->times + i);
    base_free(residues->times);
    base_free(residues->monomials);
}

// ---- The radical.

// The squarefree part of a polynomial with rational coefficients, with integer ones.
static void squarefree_part(fmpz_poly_t part, const fmpq_poly_t polynomial)
{
    fmpz_poly_t slope, common;
    fmpz_poly_init(slope);
    fmpz_poly_init(common);
    fmpq_poly_get_numerator(part, polynomial);
    fmpz_poly_derivative(slope, part);
    fmpz_poly_gcd(common, part, slope);
    fmpz_poly_div(part, part, common);
    fmpz_poly_primitive_part(part, part);
    fmpz_poly_clear(slope);
    fmpz_poly_clear(common);
}

static void in_unknown(fmpz_mpoly_t polynomial, const fmpz_poly_t univariate, slong unknown,
                       const fmpz_mpoly_ctx_t ctx)
{
    fmpz_mpoly_zero(polynomial, ctx);
    for (slong k = fmpz_poly_degree(univariate); k >= 0; k--) {
        ulong exponents[IDEAL_MOST_UNKNOWNS] = {0};
        exponents[unknown] = (ulong)k;
        if (!fmpz_is_zero(fmpz_poly_get_coeff_ptr(univariate, k)))
            fmpz_mpoly_push_term_fmpz_ui(polynomial, fmpz_poly_get_coeff_ptr(univariate, k),
                                         exponents, ctx);
    }
}

// A basis of the radical; false where it becomes too large.
static bool make_radical(fmpz_mpoly_vec_t radical, const fmpz_mpoly_vec_t basis,
                         const fmpz_mpoly_ctx_t ctx)
{
    Residues residues;
    fmpz_mpoly_vec_t system;
    fmpz_mpoly_t more;
    fmpz_poly_t part;
    fmpq_poly_t characteristic;
    fmpz_mpoly_vec_init(system, 0, ctx);
    fmpz_mpoly_init(more, ctx);
    fmpz_poly_init(part);
    fmpq_poly_init(characteristic);
    fmpz_mpoly_vec_set(system, basis, ctx);
    bool found = residues_init(&residues, basis, ctx), is_radical = false;
    for (slong i = 0; i < residues.unknowns && found && !is_radical; i++) {
        fmpq_mat_charpoly(characteristic, residues.times + i);
        squarefree_part(part, characteristic);
        // As many points as the dimension allows.
        is_radical = fmpz_poly_degree(part) == residues.size;
        in_unknown(more, part, i, ctx);
        fmpz_mpoly_vec_append(system, more, ctx);
    }
    if (is_radical)
        fmpz_mpoly_vec_set(radical, basis, ctx);
    else
        found = found && ideal_basis(radical, system, ctx);
    residues_clear(&residues);
    fmpz_mpoly_vec_clear(system, ctx);
    fmpz_mpoly_clear(more, ctx);
    fmpz_poly_clear(part);
    fmpq_poly_clear(characteristic);
    return found;
}

// ---- One number for all.

// Combination `which` of the unknowns: each alone, then Σ which^i·(unknown i).
static void combine(fmpq_mat_t matrix, const Residues *residues, slong which)
{
    fmpq_mat_t term;
    fmpq_mat_init(term, residues->size, residues->size);
    fmpq_mat_zero(matrix);
    fmpz_t factor;
    fmpz_init_set_si(factor, 1);
    for (slong i = 0; i < residues->unknowns; i++) {
        bool alone = which < residues->unknowns;
        if (alone && i != which)
            continue;
        fmpq_mat_scalar_mul_fmpz(term, residues->times + i, factor);
        fmpq_mat_add(matrix, matrix, term);
        if (!alone)
            fmpz_mul_si(factor, factor, which - residues->unknowns + 2);
    }
    fmpz_clear(factor);
    fmpq_mat_clear(term);
}

// The unknowns in powers of u, by what u^k and the unknowns are in the basis of monomials.
static void solve_for_unknowns(Points *points, const Residues *residues, const fmpq_mat_t u)
{
    slong size = residues->size, unknowns = residues->unknowns;
    fmpq_mat_t powers, power, next, right, solution;
    fmpq_mat_init(powers, size, size);
    fmpq_mat_init(power, size, 1);
    fmpq_mat_init(next, size, 1);
    fmpq_mat_init(right, size, unknowns);
    fmpq_mat_init(solution, size, unknowns);
    fmpq_one(fmpq_mat_entry(power, 0, 0));
    for (slong k = 0; k < size; k++) {
        for (slong i = 0; i < size; i++)
            fmpq_set(fmpq_mat_entry(powers, i, k), fmpq_mat_entry(power, i, 0));
        fmpq_mat_mul(next, u, power);
        fmpq_mat_swap(next, power);
    }
    for (slong j = 0; j < unknowns; j++)
        for (slong i = 0; i < size; i++)
            fmpq_set(fmpq_mat_entry(right, i, j), fmpq_mat_entry(residues->times + j, i, 0));
    fmpq_mat_solve(solution, powers, right);
    for (slong j = 0; j < unknowns; j++)
        for (slong k = 0; k < size; k++)
            fmpq_poly_set_coeff_fmpq(points->part + j, k, fmpq_mat_entry(solution, k, j));
    fmpq_mat_clear(powers);
    fmpq_mat_clear(power);
    fmpq_mat_clear(next);
    fmpq_mat_clear(right);
    fmpq_mat_clear(solution);
}

static bool find_number(Points *points, const Residues *residues)
{
    fmpq_mat_t u;
    fmpq_poly_t characteristic;
    fmpq_mat_init(u, residues->size, residues->size);
    fmpq_poly_init(characteristic);
    bool found = false;
    for (slong which = 0; which < residues->unknowns + MOST_COMBINATIONS && !found; which++) {
        combine(u, residues, which);
        fmpq_mat_charpoly(characteristic, u);
        squarefree_part(points->roots, characteristic);
        found = fmpz_poly_degree(points->roots) == residues->size;
    }
    if (found)
        solve_for_unknowns(points, residues, u);
    fmpq_poly_clear(characteristic);
    fmpq_mat_clear(u);
    return found;
}

// ---- Its real roots.

static void find_roots(Points *points, slong precision)
{
    slong degree = fmpz_poly_degree(points->roots), real = 0;
    acb_ptr all = _acb_vec_init(degree);
    if (degree > 0)
        arb_fmpz_poly_complex_roots(all, points->roots, 0, precision);
    while (real < degree && arb_is_zero(acb_imagref(all + real)))
        real++;
    if (!points->real)
        points->real = _arb_vec_init(real);
    for (slong i = 0; i < real; i++)
        arb_set(points->real + i, acb_realref(all + i));
    points->real_count = real;
    points->precision = precision;
    _acb_vec_clear(all, degree);
}

bool points_init(Points *points, const Component *component, const fmpz_mpoly_ctx_t ctx)
{
    fmpz_mpoly_vec_t radical;
    Residues residues = {0};
    slong unknowns = fmpz_mpoly_ctx_nvars(ctx);
    *points = (Points){.unknowns = unknowns};
    fmpz_poly_init(points->roots);
    points->part = base_alloc((size_t)unknowns * sizeof *points->part);
    for (slong i = 0; i < unknowns; i++)
        fmpq_poly_init(points->part + i);
    fmpz_mpoly_vec_init(radical, 0, ctx);
    bool found = make_radical(radical, component->basis, ctx) &&
                 residues_init(&residues, radical, ctx) && find_number(points, &residues);
    if (found)
        find_roots(points, FIRST_PRECISION);
    residues_clear(&residues);
    fmpz_mpoly_vec_clear(radical, ctx);
    return found;
}

void points_clear(Points *points)
{
    for (slong i = 0; i < points->unknowns; i++)
        fmpq_poly_clear(points->part + i);
    base_free(points->part);
    fmpz_poly_clear(points->roots);
    if (points->real)
        _arb_vec_clear(points->real, points->real_count);
    *points = (Points){0};
}

static void evaluate(arb_t value, const fmpq_poly_t polynomial, const arb_t at, slong precision)
{
    arb_poly_t balls;
    arb_poly_init(balls);
    arb_poly_set_fmpq_poly(balls, polynomial, precision);
    arb_poly_evaluate(value, balls, at, precision);
    arb_poly_clear(balls);
}

void points_at(Points *points, slong index, slong bits, arb_ptr values)
{
    for (slong precision = points->precision;; precision *= 2) {
        if (precision > points->precision)
            find_roots(points, precision);
        bool fine = true;
        mag_t most, radius;
        mag_init(most);
        mag_init(radius);
        for (slong i = 0; i < points->unknowns; i++) {
            evaluate(values + i, points->part + i, points->real + index, 2 * precision);
            arb_get_mag(radius, values + i);
            mag_max(most, most, radius);
        }
        mag_mul_2exp_si(most, most, -bits);
        for (slong i = 0; i < points->unknowns; i++)
            fine = fine && (mag_cmp(arb_radref(values + i), most) <= 0 ||
                            mag_cmp_2exp_si(arb_radref(values + i), -4 * bits) <= 0);
        mag_clear(most);
        mag_clear(radius);
        if (fine || precision > MOST_PRECISION)
            return;
    }
}

// A polynomial at the points, as a polynomial of their number below its degree.
static void in_number(fmpq_poly_t value, const Points *points, const fmpz_mpoly_t polynomial,
                      const fmpz_mpoly_ctx_t ctx)
{
    fmpq_poly_t modulus, term;
    fmpz_t coefficient;
    fmpq_poly_init(modulus);
    fmpq_poly_init(term);
    fmpz_init(coefficient);
    fmpq_poly_set_fmpz_poly(modulus, points->roots);
    fmpq_poly_zero(value);
    for (slong i = 0; i < fmpz_mpoly_length(polynomial, ctx); i++) {
        ulong exponents[IDEAL_MOST_UNKNOWNS];
        fmpz_mpoly_get_term_exp_ui(exponents, polynomial, i, ctx);
        fmpz_mpoly_get_term_coeff_fmpz(coefficient, polynomial, i, ctx);
        fmpq_poly_set_fmpz(term, coefficient);
        for (slong j = 0; j < points->unknowns; j++)
            for (ulong k = 0; k < exponents[j]; k++) {
                fmpq_poly_mul(term, term, points->part + j);
                fmpq_poly_rem(term, term, modulus);
            }
        fmpq_poly_add(value, value, term);
    }
    fmpz_clear(coefficient);
    fmpq_poly_clear(modulus);
    fmpq_poly_clear(term);
}

bool points_vanishes(Points *points, slong index, const fmpz_mpoly_t polynomial,
                     const fmpz_mpoly_ctx_t ctx)
{
    fmpq_poly_t value, modulus, common, other;
    arb_t ball;
    fmpq_poly_init(value);
    fmpq_poly_init(modulus);
    fmpq_poly_init(common);
    fmpq_poly_init(other);
    arb_init(ball);
    in_number(value, points, polynomial, ctx);
    fmpq_poly_set_fmpz_poly(modulus, points->roots);
    fmpq_poly_gcd(common, value, modulus);
    fmpq_poly_div(other, modulus, common);
    // A root of one of the two factors, and not of both.
    bool decided = false, vanishes = false;
    for (slong precision = points->precision; !decided; precision *= 2) {
        if (precision > points->precision)
            find_roots(points, precision);
        evaluate(ball, other, points->real + index, 2 * precision);
        vanishes = !arb_contains_zero(ball);
        evaluate(ball, common, points->real + index, 2 * precision);
        decided = vanishes || !arb_contains_zero(ball) || precision > MOST_PRECISION;
    }
    arb_clear(ball);
    fmpq_poly_clear(value);
    fmpq_poly_clear(modulus);
    fmpq_poly_clear(common);
    fmpq_poly_clear(other);
    return vanishes;
}

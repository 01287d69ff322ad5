// stationary_equations.c: the polynomials whose common zeros are the stationary points.
//
// The linear part of Gauss's problem is solved exactly for the accelerations that occur in the
// conditions; conditions, energy and gradients are then polynomials in an independent part of
// these.
#include "algebra/stationary_impl.h"

#include <math.h>
#include <string.h>

// ---- Linear algebra, exactly.

static bool occurs_in(const AlgebraPolynomial *polynomial, size_t unknowns, size_t i)
{
    for (size_t k = 0; k < polynomial->count; k++)
        if (polynomial->coefficients[k] != 0 && polynomial->exponents[k * unknowns + i] > 0)
            return true;
    return false;
}

static void find_occurring(StationarySearch *search)
{
    const StationaryProblem *problem = search->problem;
    search->occurring = base_alloc((search->n + 1) * sizeof *search->occurring);
    for (size_t i = 0; i < search->n; i++) {
        bool occurs = problem->energy && occurs_in(problem->energy, search->n, i);
        for (size_t j = 0; j < search->s && !occurs; j++)
            occurs = occurs_in(&problem->conditions[j], search->n, i);
        if (occurs)
            search->occurring[search->occurring_count++] = i;
    }
}

static void set_double(fmpq *value, double number)
{
    arf_t exact;
    arf_init(exact);
    arf_set_d(exact, number);
    arf_get_fmpq(value, exact);
    arf_clear(exact);
}

// [𝓜 −rowsᵀ; rows 0] with (F; −drift) and unit forces on what occurs as right sides; false where
// it is singular.
static bool solve_linear(StationarySearch *search, fmpq_mat_t solution)
{
    const StationaryProblem *problem = search->problem;
    slong n = (slong)search->n, m = (slong)problem->row_count;
    fmpq_mat_t matrix, right;
    fmpq_mat_init(matrix, n + m, n + m);
    fmpq_mat_init(right, n + m, 1 + (slong)search->occurring_count);
    for (slong i = 0; i < n; i++) {
        for (slong j = 0; j < n; j++)
            set_double(fmpq_mat_entry(matrix, i, j), problem->inertia[i * n + j]);
        set_double(fmpq_mat_entry(right, i, 0), problem->force[i]);
    }
    for (slong i = 0; i < m; i++) {
        for (slong j = 0; j < n; j++) {
            fmpq *entry = fmpq_mat_entry(matrix, n + i, j);
            set_double(entry, problem->rows[i * n + j]);
            fmpq_neg(fmpq_mat_entry(matrix, j, n + i), entry);
        }
        set_double(fmpq_mat_entry(right, n + i, 0), -problem->drift[i]);
    }
    for (size_t i = 0; i < search->occurring_count; i++)
        fmpq_one(fmpq_mat_entry(right, (slong)search->occurring[i], 1 + (slong)i));
    bool solved = fmpq_mat_solve(solution, matrix, right);
    fmpq_mat_clear(matrix);
    fmpq_mat_clear(right);
    return solved;
}

// Takes those that are independent of the ones before.
static void choose(StationarySearch *search, const fmpq_mat_t solution)
{
    size_t count = search->occurring_count;
    fmpq_mat_t block;
    search->chosen = base_alloc((count + 1) * sizeof *search->chosen);
    size_t *at = base_alloc((count + 1) * sizeof *at);
    for (size_t i = 0; i < count; i++) {
        slong size = (slong)search->p + 1;
        at[search->p] = i;
        fmpq_mat_init(block, size, size);
        for (slong a = 0; a < size; a++)
            for (slong b = 0; b < size; b++)
                fmpq_set(
                    fmpq_mat_entry(block, a, b),
                    fmpq_mat_entry(solution, (slong)search->occurring[at[a]], 1 + (slong)at[b]));
        fmpq_t determinant;
        fmpq_init(determinant);
        fmpq_mat_det(determinant, block);
        if (!fmpq_is_zero(determinant))
            search->chosen[search->p++] = search->occurring[i];
        else
            at[search->p] = 0;
        fmpq_clear(determinant);
        fmpq_mat_clear(block);
    }
    fmpq_mat_init(search->push, (slong)search->n, (slong)search->p);
    for (size_t b = 0; b < search->p; b++)
        for (size_t i = 0; i < search->n; i++)
            fmpq_set(fmpq_mat_entry(search->push, (slong)i, (slong)b),
                     fmpq_mat_entry(solution, (slong)i, 1 + (slong)at[b]));
    base_free(at);
}

static void make_lead(StationarySearch *search, const fmpq_mat_t solution)
{
    slong n = (slong)search->n, p = (slong)search->p;
    fmpq_mat_init(search->free, n, 1);
    fmpq_mat_init(search->stiff, p, p);
    fmpq_mat_init(search->lead, n, p);
    for (slong i = 0; i < n; i++)
        fmpq_set(fmpq_mat_entry(search->free, i, 0), fmpq_mat_entry(solution, i, 0));
    for (slong a = 0; a < p; a++)
        for (slong b = 0; b < p; b++)
            fmpq_set(fmpq_mat_entry(search->stiff, a, b),
                     fmpq_mat_entry(search->push, (slong)search->chosen[a], b));
    if (p > 0)
        fmpq_mat_inv(search->stiff, search->stiff);
    fmpq_mat_mul(search->lead, search->push, search->stiff);
}

// ---- Polynomials.

// a_i = a₀ + lead·(w − w₀) as a polynomial in w.
static void acceleration_of(fmpq_mpoly_struct *value, const StationarySearch *search, size_t i,
                            const fmpq_mpoly_ctx_t ctx)
{
    fmpq_t constant, part;
    fmpq_mpoly_t unknown;
    fmpq_init(constant);
    fmpq_init(part);
    fmpq_mpoly_init(unknown, ctx);
    fmpq_mpoly_zero(value, ctx);
    fmpq_set(constant, fmpq_mat_entry(search->free, (slong)i, 0));
    for (size_t j = 0; j < search->p; j++) {
        const fmpq *factor = fmpq_mat_entry(search->lead, (slong)i, (slong)j);
        fmpq_mul(part, factor, fmpq_mat_entry(search->free, (slong)search->chosen[j], 0));
        fmpq_sub(constant, constant, part);
        fmpq_mpoly_gen(unknown, (slong)j, ctx);
        fmpq_mpoly_scalar_mul_fmpq(unknown, unknown, factor, ctx);
        fmpq_mpoly_add(value, value, unknown, ctx);
    }
    fmpq_mpoly_add_fmpq(value, value, constant, ctx);
    fmpq_clear(constant);
    fmpq_clear(part);
    fmpq_mpoly_clear(unknown, ctx);
}

// A polynomial in the accelerations as one in w.
static void polynomial_of(fmpq_mpoly_struct *sum, const StationarySearch *search,
                          const AlgebraPolynomial *given, const fmpq_mpoly_struct *accelerations)
{
    const fmpq_mpoly_ctx_struct *ctx = search->rational;
    fmpq_mpoly_t term, power;
    fmpq_t coefficient;
    fmpq_mpoly_init(term, ctx);
    fmpq_mpoly_init(power, ctx);
    fmpq_init(coefficient);
    for (size_t k = 0; k < given->count; k++) {
        set_double(coefficient, given->coefficients[k]);
        fmpq_mpoly_set_fmpq(term, coefficient, ctx);
        for (size_t i = 0; i < search->n; i++) {
            uint8_t exponent = given->exponents[k * search->n + i];
            if (exponent == 0 || given->coefficients[k] == 0)
                continue;
            fmpq_mpoly_pow_ui(power, accelerations + i, exponent, ctx);
            fmpq_mpoly_mul(term, term, power, ctx);
        }
        fmpq_mpoly_add(sum, sum, term, ctx);
    }
    fmpq_mpoly_clear(term, ctx);
    fmpq_mpoly_clear(power, ctx);
    fmpq_clear(coefficient);
}

static void make_polynomials(StationarySearch *search)
{
    const StationaryProblem *problem = search->problem;
    fmpq_mpoly_struct *accelerations = base_alloc((search->n + 1) * sizeof *accelerations);
    for (size_t i = 0; i < search->n; i++) {
        fmpq_mpoly_init(accelerations + i, search->rational);
        acceleration_of(accelerations + i, search, i, search->rational);
    }
    search->f = ideal_matrix(search->s, search->ctx);
    for (size_t i = 0; i < search->s; i++) {
        fmpq_mpoly_t f;
        fmpq_mpoly_init(f, search->rational);
        polynomial_of(f, search, &problem->conditions[i], accelerations);
        fmpz_mpoly_set(search->f + i, f->zpoly, search->ctx);
        fmpq_mpoly_clear(f, search->rational);
    }
    if (problem->energy)
        polynomial_of(search->energy, search, problem->energy, accelerations);
    for (size_t i = 0; i < search->n; i++)
        fmpq_mpoly_clear(accelerations + i, search->rational);
    base_free(accelerations);
}

// ∂σ/∂w_a, times a number that leaves no denominator; the number is made so first, from all of
// them, where `sum` is NULL.
static void add_slope(const StationarySearch *search, slong a, fmpz_t common,
                      fmpz_mpoly_struct *sum)
{
    fmpq_mpoly_t slope;
    fmpq_t factor;
    fmpz_mpoly_t whole;
    fmpq_mpoly_init(slope, search->rational);
    fmpq_init(factor);
    fmpz_mpoly_init(whole, search->ctx);
    fmpq_mpoly_derivative(slope, search->energy, a, search->rational);
    if (sum) {
        fmpq_mul_fmpz(factor, slope->content, common);
        fmpz_mpoly_scalar_mul_fmpz(whole, slope->zpoly, fmpq_numref(factor), search->ctx);
        fmpz_mpoly_add(sum, sum, whole, search->ctx);
    } else {
        fmpz_lcm(common, common, fmpq_denref(slope->content));
    }
    fmpq_mpoly_clear(slope, search->rational);
    fmpq_clear(factor);
    fmpz_mpoly_clear(whole, search->ctx);
}

// R_JJ⁻¹(w − w₀) + ∂σ/∂w, without denominators.
static void make_departure(StationarySearch *search)
{
    slong p = (slong)search->p;
    fmpz_t common;
    fmpq_t constant, part;
    fmpz_mpoly_t unknown;
    fmpz_init_set_ui(common, 1);
    fmpq_init(constant);
    fmpq_init(part);
    fmpz_mpoly_init(unknown, search->ctx);
    for (slong a = 0; a < p; a++) {
        for (slong b = 0; b < p; b++)
            fmpz_lcm(common, common, fmpq_mat_entry_den(search->stiff, a, b));
        fmpz_lcm(common, common, fmpq_mat_entry_den(search->free, (slong)search->chosen[a], 0));
        add_slope(search, a, common, NULL);
    }
    // Constants are products of two of them.
    fmpz_mul(common, common, common);
    for (slong a = 0; a < p; a++) {
        fmpz_mpoly_struct *entry = search->jacobian + a;
        fmpq_zero(constant);
        for (slong b = 0; b < p; b++) {
            const fmpq *factor = fmpq_mat_entry(search->stiff, a, b);
            fmpq_mul(part, factor, fmpq_mat_entry(search->free, (slong)search->chosen[b], 0));
            fmpq_sub(constant, constant, part);
            fmpq_mul_fmpz(part, factor, common);
            fmpz_mpoly_gen(unknown, b, search->ctx);
            fmpz_mpoly_scalar_mul_fmpz(unknown, unknown, fmpq_numref(part), search->ctx);
            fmpz_mpoly_add(entry, entry, unknown, search->ctx);
        }
        fmpq_mul_fmpz(constant, constant, common);
        fmpz_mpoly_add_fmpz(entry, entry, fmpq_numref(constant), search->ctx);
        add_slope(search, a, common, entry);
    }
    fmpz_clear(common);
    fmpq_clear(constant);
    fmpq_clear(part);
    fmpz_mpoly_clear(unknown, search->ctx);
}

static void make_jacobian(StationarySearch *search)
{
    size_t p = search->p;
    search->jacobian = ideal_matrix((search->s + 1) * p, search->ctx);
    make_departure(search);
    for (size_t i = 0; i < search->s; i++)
        for (size_t j = 0; j < p; j++)
            fmpz_mpoly_derivative(search->jacobian + (i + 1) * p + j, search->f + i, (slong)j,
                                  search->ctx);
}

// ---- The whole.

bool stationary_choose(StationarySearch *search)
{
    fmpq_mat_t solution;
    find_occurring(search);
    fmpq_mat_init(solution, (slong)(search->n + search->problem->row_count),
                  1 + (slong)search->occurring_count);
    bool solved = solve_linear(search, solution);
    if (solved) {
        choose(search, solution);
        make_lead(search, solution);
    }
    fmpq_mat_clear(solution);
    return solved;
}

void stationary_make_polynomials(StationarySearch *search)
{
    fmpz_mpoly_ctx_init(search->ctx, (slong)search->p, ORD_DEGREVLEX);
    fmpq_mpoly_ctx_init(search->rational, (slong)search->p, ORD_DEGREVLEX);
    fmpq_mpoly_init(search->energy, search->rational);
    make_polynomials(search);
    make_jacobian(search);
}

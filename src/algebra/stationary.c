// stationary.c: all stationary points of Gauss's function on polynomial conditions (Hamel 252).
//
// Only the accelerations that occur in the conditions count: with 𝓜a = F + rowsᵀμ + φ, φ what the
// conditions do, a = a₀ + Rφ, and on an independent part J of those that occur φ = R_JJ⁻¹(a − a₀).
// A point of f = 0 is stationary, or singular, exactly where R_JJ⁻¹(a − a₀) and the gradients of f
// depend on each other (John's form of Lagrange's rule): minors that vanish, polynomials again.
// Where f = 0 has a real point the function has a least value on it, which is one of these; so
// where there are none, the conditions have no real solution. A σ in the accelerations that occur
// adds its gradient to R_JJ⁻¹(a − a₀); then the least value need not exist.
#include "algebra/ideal_impl.h"

#include <math.h>
#include <string.h>

// What a point is worked out to, in bits; and what counts as the same then.
enum { BITS = 160, SAME_BITS = 120 };

typedef struct {
    const StationaryProblem *problem;
    size_t n, s, p;    // unknowns, conditions, independent accelerations that occur
    size_t *occurring; // those that do, I
    size_t occurring_count;
    size_t *chosen;   // p of them, J
    fmpq_mat_t free;  // a₀, n × 1
    fmpq_mat_t push;  // R for forces on the chosen, n × p
    fmpq_mat_t stiff; // R_JJ⁻¹, p × p
    fmpq_mat_t lead;  // R_:J R_JJ⁻¹, n × p: a = a₀ + lead·(w − w₀)
    fmpz_mpoly_ctx_t ctx;
    fmpz_mpoly_struct *f;        // s
    fmpq_mpoly_ctx_t rational;   // the same unknowns
    fmpq_mpoly_t energy;         // σ in them
    fmpz_mpoly_struct *jacobian; // (s + 1) × p: R_JJ⁻¹(w − w₀), then the gradients of f
    bool whole;                  // nothing became too large
    ARRAY(StationaryPoint) found;
    arb_ptr places; // p of each of them
    Arena *arena;
} Search;

// ---- Linear algebra, exactly.

static bool occurs_in(const AlgebraPolynomial *polynomial, size_t unknowns, size_t i)
{
    for (size_t k = 0; k < polynomial->count; k++)
        if (polynomial->coefficients[k] != 0 && polynomial->exponents[k * unknowns + i] > 0)
            return true;
    return false;
}

static void find_occurring(Search *search)
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
static bool solve_linear(Search *search, fmpq_mat_t solution)
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
static void choose(Search *search, const fmpq_mat_t solution)
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

static void make_lead(Search *search, const fmpq_mat_t solution)
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
static void acceleration_of(fmpq_mpoly_t value, const Search *search, size_t i,
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
static void polynomial_of(fmpq_mpoly_t sum, const Search *search, const AlgebraPolynomial *given,
                          const fmpq_mpoly_struct *accelerations)
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

static void make_polynomials(Search *search)
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
static void add_slope(const Search *search, slong a, fmpz_t common, fmpz_mpoly_struct *sum)
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
static void make_departure(Search *search)
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

static void make_jacobian(Search *search)
{
    size_t p = search->p;
    search->jacobian = ideal_matrix((search->s + 1) * p, search->ctx);
    make_departure(search);
    for (size_t i = 0; i < search->s; i++)
        for (size_t j = 0; j < p; j++)
            fmpz_mpoly_derivative(search->jacobian + (i + 1) * p + j, search->f + i, (slong)j,
                                  search->ctx);
}

// ---- What is found.

// Adds σ at the accelerations a.
static void add_energy(const Search *search, arb_srcptr a, arb_t measure)
{
    const AlgebraPolynomial *energy = search->problem->energy;
    slong precision = 4 * BITS;
    arb_t term, power;
    arb_init(term);
    arb_init(power);
    for (size_t k = 0; energy && k < energy->count; k++) {
        arb_set_d(term, energy->coefficients[k]);
        for (size_t i = 0; i < search->n; i++) {
            arb_pow_ui(power, a + i, energy->exponents[k * search->n + i], precision);
            arb_mul(term, term, power, precision);
        }
        arb_add(measure, measure, term, precision);
    }
    arb_clear(term);
    arb_clear(power);
}

// ½(w − w₀)·R_JJ⁻¹(w − w₀) + σ, and a.
static void complete(const Search *search, arb_srcptr w, arb_t measure, arb_ptr a)
{
    slong n = (slong)search->n, p = (slong)search->p, precision = 4 * BITS;
    arb_ptr apart = _arb_vec_init(p);
    arb_t part;
    arb_init(part);
    arb_zero(measure);
    for (slong i = 0; i < p; i++) {
        arb_set_fmpq(part, fmpq_mat_entry(search->free, (slong)search->chosen[i], 0), precision);
        arb_sub(apart + i, w + i, part, precision);
    }
    for (slong i = 0; i < p; i++)
        for (slong j = 0; j < p; j++) {
            arb_set_fmpq(part, fmpq_mat_entry(search->stiff, i, j), precision);
            arb_mul(part, part, apart + i, precision);
            arb_addmul(measure, part, apart + j, precision);
        }
    arb_mul_2exp_si(measure, measure, -1);
    for (slong i = 0; i < n; i++) {
        arb_set_fmpq(a + i, fmpq_mat_entry(search->free, i, 0), precision);
        for (slong j = 0; j < p; j++) {
            arb_set_fmpq(part, fmpq_mat_entry(search->lead, i, j), precision);
            arb_addmul(a + i, part, apart + j, precision);
        }
    }
    add_energy(search, a, measure);
    arb_clear(part);
    _arb_vec_clear(apart, p);
}

static double nearest(const arb_t ball)
{
    return arf_get_d(arb_midref(ball), ARF_RND_NEAR);
}

// How far a double may be from what a ball holds.
static double distance(const arb_t ball, double number)
{
    arb_t apart;
    arf_t exact;
    mag_t most;
    arb_init(apart);
    arf_init(exact);
    mag_init(most);
    arf_set_d(exact, number);
    arb_sub_arf(apart, ball, exact, 4 * BITS);
    arb_get_mag(most, apart);
    double bound = mag_get_d(most);
    arb_clear(apart);
    arf_clear(exact);
    mag_clear(most);
    return bound;
}

// Whether two places are one as far as they are worked out.
static bool same_place(const Search *search, arb_srcptr a, arb_srcptr b)
{
    arb_t apart;
    mag_t size, bound;
    arb_init(apart);
    mag_init(size);
    mag_init(bound);
    bool same = true;
    for (size_t i = 0; i < search->p; i++) {
        arb_get_mag(bound, a + i);
        mag_max(size, size, bound);
    }
    mag_mul_2exp_si(size, size, -SAME_BITS);
    for (size_t i = 0; i < search->p && same; i++) {
        arb_sub(apart, a + i, b + i, 4 * BITS);
        arb_get_mag(bound, apart);
        same = mag_cmp(bound, size) <= 0 || mag_cmp_2exp_si(bound, -4 * SAME_BITS) <= 0;
    }
    arb_clear(apart);
    mag_clear(size);
    mag_clear(bound);
    return same;
}

static bool is_known(const Search *search, arb_srcptr w, StationaryKind kind, double measure)
{
    for (size_t i = 0; i < search->found.count; i++) {
        const StationaryPoint *point = &search->found.at[i];
        bool family = kind == STATIONARY_CONTINUUM;
        if (family != (point->kind == STATIONARY_CONTINUUM))
            continue;
        if (family ? stationary_ties(point->measure, measure)
                   : same_place(search, search->places + i * search->p, w))
            return true;
    }
    return false;
}

static void add_point(Search *search, arb_srcptr w, StationaryKind kind, slong freedom)
{
    size_t n = search->n, count = search->found.count;
    StationaryPoint point = {.kind = kind, .freedom = (size_t)freedom};
    arb_ptr a = _arb_vec_init((slong)n);
    arb_t measure;
    arb_init(measure);
    complete(search, w, measure, a);
    point.measure = search->problem->energy ? nearest(measure) : fmax(nearest(measure), 0);
    if (!is_known(search, w, kind, point.measure)) {
        point.a = arena_alloc(search->arena, (n + 1) * sizeof *point.a);
        for (size_t i = 0; i < n; i++) {
            point.a[i] = nearest(a + i);
            point.error = fmax(point.error, distance(a + i, point.a[i]));
        }
        array_push(&search->found, point);
        search->places = base_realloc(search->places, (count + 1) * search->p * sizeof(arb_struct));
        for (size_t i = 0; i < search->p; i++) {
            arb_init(search->places + count * search->p + i);
            arb_set(search->places + count * search->p + i, w + i);
        }
    }
    arb_clear(measure);
    _arb_vec_clear(a, (slong)n);
}

// Whether all minors of this size of a matrix vanish at a point.
static bool rank_is_below(const Search *search, Points *points, slong index,
                          const fmpz_mpoly_struct *matrix, size_t rows, size_t size)
{
    fmpz_mpoly_vec_t minors;
    fmpz_mpoly_vec_init(minors, 0, search->ctx);
    ideal_add_minors(minors, matrix, rows, search->p, size, search->ctx);
    bool below = true;
    for (slong i = 0; i < minors->length && below; i++)
        below = points_vanishes(points, index, minors->p + i, search->ctx);
    fmpz_mpoly_vec_clear(minors, search->ctx);
    return below;
}

// Whether the gradients of f depend on each other at a point.
static bool gradients_depend(const Search *search, Points *points, slong index)
{
    size_t s = search->s;
    return s > 0 && rank_is_below(search, points, index, search->jacobian + search->p, s, s);
}

static bool lies_on(const Search *search, Points *points, slong index, const Component *component)
{
    for (slong i = 0; i < component->basis->length; i++)
        if (!points_vanishes(points, index, component->basis->p + i, search->ctx))
            return false;
    return true;
}

// The gradients of a component's basis, with room for one row more.
static fmpz_mpoly_struct *basis_jacobian(const Search *search, const Component *component)
{
    size_t count = (size_t)component->basis->length, p = search->p;
    fmpz_mpoly_struct *matrix = ideal_matrix((count + 1) * p, search->ctx);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < p; j++)
            fmpz_mpoly_derivative(matrix + i * p + j, component->basis->p + i, (slong)j,
                                  search->ctx);
    return matrix;
}

static void add_points(Search *search, Points *points, const Components *among)
{
    arb_ptr w = _arb_vec_init((slong)search->p);
    for (slong i = 0; i < points->real_count; i++) {
        bool isolated = true;
        for (size_t j = 0; j < among->count && isolated; j++)
            isolated = among->at[j].dimension == 0 || !lies_on(search, points, i, &among->at[j]);
        if (!isolated)
            continue;
        bool singular = gradients_depend(search, points, i);
        points_at(points, i, BITS, w);
        add_point(search, w, singular ? STATIONARY_SINGULAR : STATIONARY_REGULAR, 0);
    }
    _arb_vec_clear(w, (slong)search->p);
}

// ---- A continuum.

// Where the distance to a point that lies nowhere in particular is stationary, or the continuum
// singular. A real closed set has a point nearest to it.
static void nearest_points(const Search *search, const Component *component,
                           fmpz_mpoly_struct *jacobian, fmpz_mpoly_vec_t system)
{
    size_t count = (size_t)component->basis->length, p = search->p;
    for (size_t j = 0; j < p; j++) {
        fmpz_mpoly_struct *entry = jacobian + count * p + j;
        slong away = 17 + 14 * (slong)(j * j) + 5 * (slong)j;
        fmpz_mpoly_gen(entry, (slong)j, search->ctx);
        fmpz_mpoly_scalar_mul_si(entry, entry, 7, search->ctx);
        fmpz_mpoly_add_si(entry, entry, j % 2 ? away : -away, search->ctx);
    }
    fmpz_mpoly_vec_set(system, component->basis, search->ctx);
    ideal_add_minors(system, jacobian, count + 1, p, p - (size_t)component->dimension + 1,
                     search->ctx);
}

static void add_samples(Search *search, Points *points, const Component *component,
                        const fmpz_mpoly_struct *jacobian)
{
    size_t codimension = search->p - (size_t)component->dimension;
    arb_ptr w = _arb_vec_init((slong)search->p);
    for (slong i = 0; i < points->real_count; i++) {
        // Where it is smooth it is a real continuum; a point where it is not may be alone.
        bool rough = rank_is_below(search, points, i, jacobian, (size_t)component->basis->length,
                                   codimension);
        bool singular = gradients_depend(search, points, i);
        points_at(points, i, BITS, w);
        if (!rough)
            add_point(search, w, STATIONARY_CONTINUUM, component->dimension);
        else
            add_point(search, w, singular ? STATIONARY_SINGULAR : STATIONARY_REGULAR, 0);
    }
    _arb_vec_clear(w, (slong)search->p);
}

static void sample_continuum(Search *search, const Component *component)
{
    size_t rows = (size_t)component->basis->length + 1;
    fmpz_mpoly_struct *jacobian = basis_jacobian(search, component);
    fmpz_mpoly_vec_t system;
    Components parts;
    fmpz_mpoly_vec_init(system, 0, search->ctx);
    nearest_points(search, component, jacobian, system);
    components_of(system, search->ctx, &parts);
    search->whole = search->whole && parts.whole;
    for (size_t i = 0; i < parts.count && search->whole; i++) {
        Points points;
        search->whole = parts.at[i].dimension == 0;
        if (!search->whole)
            continue;
        search->whole = points_init(&points, &parts.at[i], search->ctx);
        if (search->whole)
            add_samples(search, &points, component, jacobian);
        points_clear(&points);
    }
    components_clear(&parts, search->ctx);
    fmpz_mpoly_vec_clear(system, search->ctx);
    ideal_matrix_free(jacobian, rows * search->p, search->ctx);
}

// ---- The whole.

static void search_all(Search *search)
{
    fmpz_mpoly_vec_t system;
    Components components;
    fmpz_mpoly_vec_init(system, 0, search->ctx);
    for (size_t i = 0; i < search->s; i++)
        fmpz_mpoly_vec_append(system, search->f + i, search->ctx);
    ideal_add_minors(system, search->jacobian, search->s + 1, search->p, search->s + 1,
                     search->ctx);
    components_of(system, search->ctx, &components);
    search->whole = components.whole;
    for (size_t i = 0; i < components.count && search->whole; i++) {
        if (components.at[i].dimension > 0) {
            sample_continuum(search, &components.at[i]);
            continue;
        }
        Points points;
        search->whole = points_init(&points, &components.at[i], search->ctx);
        if (search->whole)
            add_points(search, &points, &components);
        points_clear(&points);
    }
    components_clear(&components, search->ctx);
    fmpz_mpoly_vec_clear(system, search->ctx);
}

static void search_clear(Search *search, bool made)
{
    for (size_t i = 0; i < search->found.count * search->p; i++)
        arb_clear(search->places + i);
    base_free(search->places);
    array_clear(&search->found);
    if (made) {
        fmpq_mpoly_clear(search->energy, search->rational);
        fmpq_mpoly_ctx_clear(search->rational);
        ideal_matrix_free(search->f, search->s, search->ctx);
        ideal_matrix_free(search->jacobian, (search->s + 1) * search->p, search->ctx);
        fmpz_mpoly_ctx_clear(search->ctx);
    }
    fmpq_mat_clear(search->push);
    fmpq_mat_clear(search->free);
    fmpq_mat_clear(search->stiff);
    fmpq_mat_clear(search->lead);
    base_free(search->occurring);
    base_free(search->chosen);
}

bool stationary_ties(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

int stationary_order(const StationaryPoint *a, const StationaryPoint *b, size_t unknowns)
{
    if (!stationary_ties(a->measure, b->measure))
        return a->measure < b->measure ? -1 : 1;
    double size = 0;
    for (size_t i = 0; i < unknowns; i++)
        size = fmax(size, fmax(fabs(a->a[i]), fabs(b->a[i])));
    for (size_t i = 0; i < unknowns; i++)
        if (fabs(a->a[i] - b->a[i]) > 1e-9 * size)
            return a->a[i] > b->a[i] ? -1 : 1;
    return 0;
}

// By insertion: there are few.
static void take(const Search *search, Stationary *stationary)
{
    size_t count = search->found.count;
    stationary->at = arena_alloc(search->arena, (count + 1) * sizeof *stationary->at);
    for (size_t i = 0; i < count; i++) {
        size_t at = stationary->count++;
        for (; at > 0 &&
               stationary_order(&search->found.at[i], &stationary->at[at - 1], search->n) < 0;
             at--)
            stationary->at[at] = stationary->at[at - 1];
        stationary->at[at] = search->found.at[i];
    }
}

static bool all_numbers(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static bool is_finite(const StationaryProblem *problem)
{
    size_t n = problem->unknowns, m = problem->row_count;
    bool finite = all_numbers(problem->inertia, n * n) && all_numbers(problem->force, n) &&
                  all_numbers(problem->rows, m * n) && all_numbers(problem->drift, m);
    for (size_t i = 0; i < problem->condition_count; i++)
        finite = finite &&
                 all_numbers(problem->conditions[i].coefficients, problem->conditions[i].count);
    return finite &&
           (!problem->energy || all_numbers(problem->energy->coefficients, problem->energy->count));
}

Answer algebra_stationary(const StationaryProblem *problem, Stationary *stationary)
{
    Search search = {
        .problem = problem, .n = problem->unknowns, .s = problem->condition_count, .whole = true};
    fmpq_mat_t solution;
    *stationary = (Stationary){.arena = arena_new()};
    search.arena = stationary->arena;
    if (!is_finite(problem))
        return ANSWER_UNKNOWN;
    find_occurring(&search);
    fmpq_mat_init(solution, (slong)(search.n + problem->row_count),
                  1 + (slong)search.occurring_count);
    search.whole = solve_linear(&search, solution);
    if (search.whole) {
        choose(&search, solution);
        make_lead(&search, solution);
    }
    fmpq_mat_clear(solution);
    bool made = search.whole && search.p > 0 && search.p <= IDEAL_MOST_UNKNOWNS &&
                search.s < IDEAL_MOST_UNKNOWNS;
    search.whole = made;
    if (made) {
        fmpz_mpoly_ctx_init(search.ctx, (slong)search.p, ORD_DEGREVLEX);
        fmpq_mpoly_ctx_init(search.rational, (slong)search.p, ORD_DEGREVLEX);
        fmpq_mpoly_init(search.energy, search.rational);
        make_polynomials(&search);
        make_jacobian(&search);
        search_all(&search);
    }
    if (search.whole)
        take(&search, stationary);
    Answer answer = search.whole ? ANSWER_YES : ANSWER_UNKNOWN;
    search_clear(&search, made);
    return answer;
}

void stationary_clear(Stationary *stationary)
{
    arena_free(stationary->arena);
    *stationary = (Stationary){0};
}

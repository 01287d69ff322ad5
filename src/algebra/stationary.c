// stationary.c: all stationary points of Gauss's function on polynomial conditions (Hamel 252).
//
// Only the accelerations that occur in the conditions count: with 𝓜a = F + rowsᵀμ + φ, φ what the
// conditions do, a = a₀ + Rφ, and on an independent part J of those that occur φ = R_JJ⁻¹(a − a₀).
// A point of f = 0 is stationary, or singular, exactly where R_JJ⁻¹(a − a₀) and the gradients of f
// depend on each other (John's form of Lagrange's rule): minors that vanish, polynomials again.
// Where f = 0 has a real point the function has a least value on it, which is one of these; so
// where there are none, the conditions have no real solution. A σ in the accelerations that occur
// adds its gradient to R_JJ⁻¹(a − a₀); then the least value need not exist.
#include "algebra/stationary_impl.h"

#include <math.h>
#include <string.h>

// What a point is worked out to, in bits; and what counts as the same then.
enum { BITS = 160, SAME_BITS = 120 };

// ---- What is found.

// Adds σ at the accelerations a.
static void add_energy(const StationarySearch *search, arb_srcptr a, arb_t measure)
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
static void complete(const StationarySearch *search, arb_srcptr w, arb_t measure, arb_ptr a)
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
static bool same_place(const StationarySearch *search, arb_srcptr a, arb_srcptr b)
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

static bool is_known(const StationarySearch *search, arb_srcptr w, StationaryKind kind,
                     double measure)
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

static void add_point(StationarySearch *search, arb_srcptr w, StationaryKind kind, slong freedom)
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
static bool rank_is_below(const StationarySearch *search, Points *points, slong index,
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
static bool gradients_depend(const StationarySearch *search, Points *points, slong index)
{
    size_t s = search->s;
    return s > 0 && rank_is_below(search, points, index, search->jacobian + search->p, s, s);
}

static bool lies_on(const StationarySearch *search, Points *points, slong index,
                    const Component *component)
{
    for (slong i = 0; i < component->basis->length; i++)
        if (!points_vanishes(points, index, component->basis->p + i, search->ctx))
            return false;
    return true;
}

// The gradients of a component's basis, with room for one row more.
static fmpz_mpoly_struct *basis_jacobian(const StationarySearch *search, const Component *component)
{
    size_t count = (size_t)component->basis->length, p = search->p;
    fmpz_mpoly_struct *matrix = ideal_matrix((count + 1) * p, search->ctx);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < p; j++)
            fmpz_mpoly_derivative(matrix + i * p + j, component->basis->p + i, (slong)j,
                                  search->ctx);
    return matrix;
}

static void add_points(StationarySearch *search, Points *points, const Components *among)
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
static void nearest_points(const StationarySearch *search, const Component *component,
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

static void add_samples(StationarySearch *search, Points *points, const Component *component,
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

static void sample_continuum(StationarySearch *search, const Component *component)
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

static void search_all(StationarySearch *search)
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

static void search_clear(StationarySearch *search, bool made)
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
static void take(const StationarySearch *search, Stationary *stationary)
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
    StationarySearch search = {
        .problem = problem, .n = problem->unknowns, .s = problem->condition_count, .whole = true};
    *stationary = (Stationary){.arena = arena_new()};
    search.arena = stationary->arena;
    if (!is_finite(problem))
        return ANSWER_UNKNOWN;
    search.whole = stationary_choose(&search);
    bool made = search.whole && search.p > 0 && search.p <= IDEAL_MOST_UNKNOWNS &&
                search.s < IDEAL_MOST_UNKNOWNS;
    search.whole = made;
    if (made) {
        stationary_make_polynomials(&search);
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

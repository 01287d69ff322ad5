// tangent_cone.c: the tangent cone at a position where conditions depend on each other.
//
// With w for the combinations w·b = 0 of the rows b·v + c = 0 there, a motion through the position
// meets b·v + c = 0 and, its derivative being b·a + γ(v) = 0, also w·γ(v) = 0: as many equations of
// degree 2 as the rank has lost, and the cone is what they leave. (The same are the first terms of
// the finite conditions in a power series of the motion.) Where loops lie flat, each equation is a
// product of two linear ones, and a branch is a choice of one of these for each of them: N loops
// have up to 2^N branches (N + 1 where all links are equal). From B(x, e), the bilinear form of γ,
// for two vectors x a product is known, and a third one tells whether it is one.
//
// Unknowns are coefficients of velocities that the rows allow. Where the time enters, its rate is
// one more, and 1.
#include "dynamics/tangent_cone.h"
#include "dynamics/dynamics.h"
#include "dynamics/independent_rows.h"
#include "dynamics/pattern.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// One equation of degree 2.
typedef enum {
    QUADRIC_EMPTY,    // it vanishes: terms of higher order decide
    QUADRIC_PAIR,     // a product of two linear forms
    QUADRIC_SQUARE,   // of one with itself
    QUADRIC_DEFINITE, // a sum of two squares: both vanish
    QUADRIC_CURVED
} QuadricKind;
typedef struct {
    QuadricKind kind;
    double *weights;      // w, of all rows
    double *forms[2];     // of the unknowns
    double value, terms;  // as it was evaluated last; the largest sum of its terms so far
    double *gradients[3]; // B(x, e)
} Quadric;

typedef struct {
    const Equations *eq;
    State *state;
    Arena *arena;
    const double *v;
    Quadric *quadrics;
    size_t lost, unknowns; // quadrics; unknowns
    bool timed;
    double *velocities; // unknowns × n
    double *points[3];  // x
    double *velocity;
    double *spare_rows, *drift; // of conditions that were set aside; γ of all
    double *inertia;            // n × n
    Basis forms;                // room
    TangentCone *cone;
} Search;

static double *row_of(Search *search, size_t i, double *row)
{
    const Equations *eq = search->eq;
    const double *from = search->state->velocities.out + i * eq->n;
    for (size_t j = 0; j < eq->n; j++)
        row[j] = from[j] * search->state->scale[j];
    return row;
}

// ---- The equations.

// Those by which the motion goes, then those that were left out.
static void order_rows(const Equations *eq, size_t *order)
{
    size_t next = eq->independent.count;
    memcpy(order, eq->independent.rows, next * sizeof *order);
    for (size_t i = 0; i < eq->m; i++)
        if (eq->independent.place[i] >= eq->m)
            order[next++] = i;
    assert(next == eq->m);
}

// All rows in one order: those by which the motion goes, those left out, and behind all of them
// those of conditions that were set aside.
typedef struct {
    const double *longest, *spares; // sizes, of `count` rows and of those set aside
    size_t count;
    size_t *taken;
} Ranking;

// Takes a row into the basis, or finds the combination that vanishes.
static void rank_row(Search *search, const Ranking *ranking, size_t which, const double *row,
                     double size, Basis *basis)
{
    size_t n = search->eq->n, all = search->eq->m + search->eq->motion->spare_count;
    basis_examine(basis, row);
    if (real_largest(basis->rest, n) > TOL_SMALL * size) {
        ranking->taken[basis->count] = which;
        basis_take_examined(basis);
        return;
    }
    Quadric *quadric = &search->quadrics[search->lost++];
    quadric->weights = real_alloc(search->arena, all);
    quadric->weights[which] = 1;
    for (size_t j = 0; j < basis->count; j++)
        quadric->weights[ranking->taken[j]] = -basis->parts[j];
}

// The rank and the combinations; the velocities that the rows allow are behind those of the basis.
static void find_rank(Search *search, Ranking ranking, Basis *basis)
{
    const Equations *eq = search->eq;
    size_t n = eq->n, m = eq->m, spares = eq->motion->spare_count, all = m + spares,
           *order = arena_array(search->arena, size_t, m + 1);
    double *row = real_alloc(search->arena, n);
    search->spare_rows = real_alloc(search->arena, spares * (n + 2));
    search->drift = real_alloc(search->arena, all);
    search->quadrics = arena_array(search->arena, Quadric, all + 1);
    ranking.taken = arena_array(search->arena, size_t, all + 1);
    evaluator_run(&search->state->velocities, search->state->inputs);
    order_rows(eq, order);
    for (size_t i = 0; i < m; i++) {
        row_of(search, order[i], row);
        rank_row(search, &ranking, order[i], row,
                 i < ranking.count ? ranking.longest[i] : real_largest(row, n), basis);
    }
    if (spares > 0)
        spare_rows_evaluate(eq, search->state, search->spare_rows);
    for (size_t i = 0; i < spares; i++)
        rank_row(search, &ranking, m + i, search->spare_rows + i * (n + 2), ranking.spares[i],
                 basis);
    search->cone->before = eq->independent.count;
    search->cone->at = basis->count;
}

static void evaluate_at(Search *search, const double *v)
{
    State *state = search->state;
    const Equations *eq = search->eq;
    size_t n = eq->n, spares = eq->motion->spare_count, all = eq->m + spares;
    memcpy(state->v, v, n * sizeof *v);
    memcpy(search->drift, state_forces(eq, state) + n * n + n, eq->m * sizeof *v);
    if (spares > 0)
        spare_rows_evaluate(eq, state, search->spare_rows);
    for (size_t i = 0; i < spares; i++)
        search->drift[eq->m + i] = search->spare_rows[i * (n + 2) + n + 1];
    for (size_t l = 0; l < search->lost; l++) {
        Quadric *quadric = &search->quadrics[l];
        double terms = 0;
        for (size_t i = 0; i < all; i++)
            terms += fabs(quadric->weights[i] * search->drift[i]);
        quadric->value = real_dot(quadric->weights, search->drift, all);
        quadric->terms = fmax(quadric->terms, terms);
    }
}

static bool holds_time(const Equations *eq)
{
    const Motion *motion = eq->motion;
    const Expr *t = eq->symbols + eq->params;
    bool holds = false;
    for (size_t i = 0; i < eq->m && !holds; i++)
        holds = equations_hold_any(motion->pool, motion->rows[i].b, eq->n, t, 1) ||
                equations_hold_any(motion->pool, &motion->rows[i].c, 1, t, 1);
    return holds;
}

// The velocity of an unknown, and of unknowns.
static void choose_unknowns(Search *search, Basis *basis)
{
    size_t n = search->eq->n, kernel = n - basis->count;
    search->timed = holds_time(search->eq);
    search->unknowns = kernel + search->timed;
    search->velocities = real_alloc(search->arena, search->unknowns * n);
    size_t first = basis->count;
    basis_complete(basis);
    for (size_t i = 0; i < kernel; i++)
        for (size_t j = 0; j < n; j++)
            search->velocities[i * n + j] =
                search->state->scale[j] * basis->units[(first + i) * n + j];
    if (search->timed)
        memcpy(search->velocities + kernel * n, search->v, n * sizeof *search->v);
}

static double *velocity_of(Search *search, const double *x)
{
    size_t n = search->eq->n;
    memset(search->velocity, 0, n * sizeof *search->velocity);
    for (size_t i = 0; i < search->unknowns; i++)
        real_add_times(x[i], search->velocities + i * n, n, search->velocity);
    return search->velocity;
}

static void evaluate(Search *search, double *x, size_t unknown, double change)
{
    double kept = x[unknown];
    x[unknown] += change;
    evaluate_at(search, velocity_of(search, x));
    x[unknown] = kept;
}

// B(x, e) for all e, of every equation. The rate of the time stays 1: its part follows from the
// others and B(x, x).
static void find_gradients(Search *search, size_t round)
{
    size_t free = search->unknowns - search->timed, last = search->unknowns - 1;
    double *x = search->points[round] = real_alloc(search->arena, search->unknowns);
    for (size_t i = 0; i < search->unknowns; i++)
        x[i] = i < free ? cos((double)((round + 1) * (i + 1))) : 1;
    for (size_t l = 0; l < search->lost; l++)
        search->quadrics[l].gradients[round] = real_alloc(search->arena, search->unknowns);
    for (size_t i = 0; i < free; i++)
        for (int side = -1; side <= 1; side += 2) {
            evaluate(search, x, i, side);
            for (size_t l = 0; l < search->lost; l++)
                search->quadrics[l].gradients[round][i] += side * search->quadrics[l].value / 4;
        }
    evaluate(search, x, 0, 0);
    for (size_t l = 0; l < search->lost && search->timed; l++) {
        double *gradient = search->quadrics[l].gradients[round];
        gradient[last] = search->quadrics[l].value - real_dot(gradient, x, last);
    }
}

// Whether B is made of the first two of the gradients, so that the third one follows: with C for
// the products of these with their points, B = Σ C⁻¹ g·g.
static bool is_product(const Search *search, const Quadric *quadric, double a, double b, double c)
{
    double *const *g = quadric->gradients, det = a * c - b * b, most = 0;
    double first = real_dot(g[0], search->points[2], search->unknowns),
           second = real_dot(g[1], search->points[2], search->unknowns);
    double alone = fabs(a) >= fabs(c) ? first / a : second / c;
    const double *longer = fabs(a) >= fabs(c) ? g[0] : g[1];
    bool square = quadric->kind == QUADRIC_SQUARE;
    for (size_t i = 0; i < search->unknowns; i++) {
        double follows =
            square
                ? alone * longer[i]
                : ((c * first - b * second) * g[0][i] + (a * second - b * first) * g[1][i]) / det;
        most = fmax(most, fabs(follows - g[2][i]));
    }
    return most <= TOL_SMALL * quadric->terms;
}

static double *mixture(const Search *search, const Quadric *quadric, double first, double second)
{
    double *form = real_alloc(search->arena, search->unknowns);
    real_add_times(first, quadric->gradients[0], search->unknowns, form);
    real_add_times(second, quadric->gradients[1], search->unknowns, form);
    return form;
}

// Its linear forms: c·z₁² − 2b·z₁·z₂ + a·z₂² of the values z of the gradients is a product.
static void split(const Search *search, Quadric *quadric)
{
    size_t count = search->unknowns;
    double *const *g = quadric->gradients;
    double a = real_dot(g[0], search->points[0], count),
           b = real_dot(g[0], search->points[1], count),
           c = real_dot(g[1], search->points[1], count),
           size = fmax(fabs(a), fmax(fabs(b), fabs(c)));
    double det = a * c - b * b, q = b + copysign(sqrt(fmax(-det, 0)), b);
    double longest = fmax(real_largest(g[0], count), real_largest(g[1], count));
    quadric->kind = longest <= TOL_SMALL * quadric->terms ? QUADRIC_EMPTY
                    : fabs(det) <= TOL_RANK * size * size ? QUADRIC_SQUARE
                    : det > 0                             ? QUADRIC_DEFINITE
                                                          : QUADRIC_PAIR;
    if (quadric->kind == QUADRIC_EMPTY)
        return;
    if (!is_product(search, quadric, a, b, c)) {
        quadric->kind = QUADRIC_CURVED;
        return;
    }
    bool pair = quadric->kind == QUADRIC_PAIR;
    quadric->forms[0] = pair ? mixture(search, quadric, c, -q) : mixture(search, quadric, 1, 0);
    quadric->forms[1] = pair ? mixture(search, quadric, 1, -a / q) : mixture(search, quadric, 0, 1);
}

// ---- The branches.

static double product(const Search *search, const double *v, const double *w)
{
    size_t n = search->eq->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * real_dot(search->inertia + i * n, w, n);
    return sum;
}

// Of the velocities p + Σ c·d the one nearest to that of the motion, measured by the inertia.
static void take_nearest(const Search *search, double *p, const double *d, size_t count)
{
    size_t n = search->eq->n;
    double *gram = base_alloc((count * count + 1) * sizeof *gram);
    double *c = base_alloc((count + 1) * sizeof *c), *off = base_alloc((n + 1) * sizeof *off);
    memcpy(off, search->v, n * sizeof *off);
    real_add_times(-1, p, n, off);
    for (size_t i = 0; i < count; i++) {
        c[i] = product(search, off, d + i * n);
        for (size_t j = 0; j < count; j++)
            gram[i * count + j] = product(search, d + i * n, d + j * n);
    }
    least_squares(gram, count, count, TOL_ZERO, c);
    for (size_t i = 0; i < count; i++)
        real_add_times(c[i], d + i * n, n, p);
    base_free(gram);
    base_free(c);
    base_free(off);
}

// With the kinetic energy of the motion. What stands across it has no direction nearest to it: then
// its largest part is positive.
static void keep_energy(const Search *search, double *v, const double *other)
{
    size_t n = search->eq->n, most = 0;
    double wanted = product(search, search->v, search->v), sign = 1;
    for (size_t j = 1; j < n; j++)
        most = fabs(other[j]) > fabs(other[most]) ? j : most;
    if (product(search, v, v) <= TOL_RANK * wanted) {
        memcpy(v, other, n * sizeof *v);
        sign = copysign(1, other[most]);
    }
    double found = product(search, v, v), factor = found > 0 ? sign * sqrt(wanted / found) : 1;
    for (size_t j = 0; j < n; j++)
        v[j] *= factor;
}

// The first one is that of the motion.
static void add_branch(Search *search, const double *v)
{
    TangentCone *cone = search->cone;
    size_t n = search->eq->n;
    bool known = cone->found > 0;
    for (size_t j = 0; j < n && known; j++)
        known = fabs(v[j] - search->v[j]) <= TOL_SMALL * search->state->scale[j];
    if (!known)
        memcpy(cone->branches + cone->found++ * n, v, n * sizeof *v);
}

// Some linear forms, of equations in turn.
typedef struct Choice {
    const struct Choice *before; // NULL: none
    double *unit;                // the last one, without those before it
    double *shadow;              // what they leave of a certain vector: the same for the same space
} Choice;
typedef ARRAY(const Choice *) Choices;

// Vectors of unknowns at which all the forms chosen vanish, as velocities d; their number.
static size_t find_space(Search *search, const Choice *choice, double *d, double *rates)
{
    size_t n = search->eq->n, size = search->unknowns, first = 0;
    Basis *basis = &search->forms;
    basis->count = 0;
    for (const Choice *c = choice; c->before; c = c->before)
        first++;
    // A single direction is that of the shadow.
    if (first + 1 == size)
        memcpy(basis->units + first * size, choice->shadow, size * sizeof *d);
    for (const Choice *c = choice; c->before && first + 1 < size; c = c->before)
        basis_take(basis, c->unit, TOL_SMALL);
    if (first + 1 < size)
        basis_complete(basis);
    for (size_t i = first; i < size; i++) {
        const double *x = basis->units + i * size;
        rates[i - first] = search->timed ? x[size - 1] : 0;
        memcpy(d + (i - first) * n, velocity_of(search, x), n * sizeof *d);
    }
    return size - first;
}

// The velocity with which a motion leaves by this choice: the nearest to its own.
static void find_branch(Search *search, const Choice *choice)
{
    size_t n = search->eq->n, size = search->unknowns;
    double *d = base_alloc((size + 2) * (n + 1) * sizeof *d), *p = d + size * n, *rates = p + n;
    size_t count = find_space(search, choice, d, rates);
    double length = real_dot(rates, rates, count);
    memset(p, 0, n * sizeof *p);
    // Where the time enters, its rate is 1.
    bool some = count > 0 && (!search->timed || length > TOL_SMALL * TOL_SMALL);
    for (size_t i = 0; i < count && search->timed && some; i++)
        real_add_times(rates[i] / length, d + i * n, n, p);
    for (size_t i = 0; i < count && search->timed && some; i++)
        real_add_times(-rates[i], p, n, d + i * n);
    if (some) {
        take_nearest(search, p, d, count);
        if (!search->timed)
            keep_energy(search, p, d);
        add_branch(search, p);
        if (search->cone->dimension < count - search->timed)
            search->cone->dimension = count - search->timed;
    }
    base_free(d);
}

// What a form is without those chosen; NULL where nothing is left of it: then it vanishes with
// them.
static double *rest_of(Search *search, const Choice *choice, const double *form)
{
    size_t size = search->unknowns;
    double *rest = memcpy(real_alloc(search->arena, size), form, size * sizeof *form);
    for (int round = 0; round < 2; round++)
        for (const Choice *c = choice; c->before; c = c->before)
            real_add_times(-real_dot(c->unit, rest, size), c->unit, size, rest);
    double length = real_length(rest, size);
    if (!(length > TOL_SMALL * real_length(form, size)))
        return NULL;
    for (size_t i = 0; i < size; i++)
        rest[i] /= length;
    return rest;
}

static const Choice *with(Search *search, const Choice *choice, double *unit)
{
    size_t size = search->unknowns;
    Choice *next = arena_array(search->arena, Choice, 1);
    if (!unit)
        return choice;
    *next = (Choice){choice, unit, real_alloc(search->arena, size)};
    memcpy(next->shadow, choice->shadow, size * sizeof *unit);
    real_add_times(-real_dot(unit, next->shadow, size), unit, size, next->shadow);
    return next;
}

static void push(const Search *search, Choices *choices, const Choice *choice)
{
    bool known = false;
    for (size_t i = 0; i < choices->count && !known; i++) {
        known = true;
        for (size_t j = 0; j < search->unknowns && known; j++)
            known = fabs(choices->at[i]->shadow[j] - choice->shadow[j]) <= TOL_ZERO;
    }
    if (!known)
        array_push(choices, choice);
}

// The same with one form more, or two, by an equation.
static void choose_of(Search *search, const Quadric *quadric, const Choice *choice, Choices *next)
{
    double *first = rest_of(search, choice, quadric->forms[0]);
    double *second =
        quadric->kind == QUADRIC_PAIR ? rest_of(search, choice, quadric->forms[1]) : NULL;
    if (quadric->kind == QUADRIC_DEFINITE) {
        choice = with(search, choice, first);
        push(search, next, with(search, choice, rest_of(search, choice, quadric->forms[1])));
        return;
    }
    // Where one of them vanishes, their product does.
    bool none = !first || (quadric->kind == QUADRIC_PAIR && !second);
    push(search, next, none ? choice : with(search, choice, first));
    if (!none && second)
        push(search, next, with(search, choice, second));
}

// A form of each equation, in all ways, or in some of them. False where there are more.
static bool choose(Search *search, size_t limit)
{
    Choice start = {.shadow = real_alloc(search->arena, search->unknowns)};
    Choices choices = {0};
    bool all = true;
    for (size_t i = 0; i < search->unknowns; i++)
        start.shadow[i] = cos((double)(4 * i + 4));
    array_push(&choices, &start);
    for (size_t l = 0; l < search->lost; l++) {
        Choices next = {0};
        for (size_t i = 0; i < choices.count && next.count < limit; i++) {
            choose_of(search, &search->quadrics[l], choices.at[i], &next);
            all = all && (next.count < limit || (i + 1 == choices.count && next.count == limit));
        }
        array_clear(&choices);
        choices = next;
    }
    search->cone->branches = real_alloc(search->arena, (choices.count + 1) * search->eq->n);
    search->cone->found = search->cone->dimension = 0;
    add_branch(search, search->v);
    for (size_t i = 0; i < choices.count; i++)
        find_branch(search, choices.at[i]);
    array_clear(&choices);
    return all;
}

// The dimension beside the motion, where the equations are no products: by the rank of their
// derivatives there.
static size_t dimension_beside(Search *search)
{
    size_t n = search->eq->n, free = search->unknowns - search->timed;
    double *gradients = real_alloc(search->arena, search->lost * free);
    double *v = real_alloc(search->arena, n);
    for (size_t i = 0; i < free; i++)
        for (int side = -1; side <= 1; side += 2) {
            memcpy(v, search->v, n * sizeof *v);
            real_add_times(side, search->velocities + i * n, n, v);
            evaluate_at(search, v);
            for (size_t l = 0; l < search->lost; l++)
                gradients[l * free + i] += side * search->quadrics[l].value / 2;
        }
    Basis basis;
    basis_init(&basis, search->arena, free, free);
    for (size_t l = 0; l < search->lost; l++) {
        basis_examine(&basis, gradients + l * free);
        if (real_largest(basis.rest, free) > TOL_SMALL * search->quadrics[l].terms)
            basis_take_examined(&basis);
    }
    return free - basis.count;
}

// With conditions that were set aside there are more equations than the rank has lost: those that
// stand off each other most are kept, the others follow from these.
static void keep_independent(Search *search)
{
    size_t count = search->lost, size = search->unknowns, lost = search->cone->before;
    lost = lost > search->cone->at ? lost - search->cone->at : count;
    if (count <= lost)
        return;
    double *matrix = real_alloc(search->arena, count * 3 * size),
           *sizes = real_alloc(search->arena, count);
    size_t *chosen = arena_array(search->arena, size_t, count);
    for (size_t l = 0; l < count; l++) {
        for (size_t round = 0; round < 3; round++)
            memcpy(matrix + (3 * l + round) * size, search->quadrics[l].gradients[round],
                   size * sizeof *matrix);
        sizes[l] = search->quadrics[l].terms;
    }
    if (!rows_choose(matrix, count, 3 * size, sizes, lost, TOL_COARSE, chosen))
        return;
    for (size_t l = 0; l < lost; l++)
        search->quadrics[l] = search->quadrics[chosen[l]];
    search->lost = lost;
}

// The equations as products of linear forms; false where they are not.
static bool find_products(Search *search)
{
    bool products = true;
    for (size_t round = 0; round < 3; round++)
        find_gradients(search, round);
    keep_independent(search);
    for (size_t l = 0; l < search->lost; l++) {
        split(search, &search->quadrics[l]);
        products = products && search->quadrics[l].kind != QUADRIC_EMPTY &&
                   search->quadrics[l].kind != QUADRIC_CURVED;
    }
    return products;
}

void tangent_cone_find(const Equations *eq, State *state, const double *v, const double *longest,
                       size_t count, const double *spares, Arena *arena, TangentCone *cone)
{
    size_t n = eq->n;
    Search search = {.eq = eq, .state = state, .arena = arena, .v = v, .cone = cone};
    Basis basis;
    assert(v && longest && count <= eq->m);
    *cone = (TangentCone){.found = 1, .most = INFINITY};
    cone->branches = memcpy(real_alloc(arena, n), v, n * sizeof *v);
    basis_init(&basis, arena, n, n);
    find_rank(&search, (Ranking){longest, spares, count, NULL}, &basis);
    cone->dimension = n - cone->at;
    // Of conditions that are not linear in the velocities only the rank is known.
    if (eq->nonlinear || search.lost == 0)
        return;
    choose_unknowns(&search, &basis);
    search.velocity = real_alloc(arena, n);
    bool products = find_products(&search), few = search.lost <= LIMIT_SETS;
    search.inertia = memcpy(real_alloc(arena, n * n), state_forces(eq, state), n * n * sizeof *v);
    basis_init(&search.forms, arena, search.unknowns, search.unknowns);
    if (!products)
        cone->dimension = dimension_beside(&search);
    else if (choose(&search, few ? (size_t)1 << search.lost : LIMIT_PATIENCE))
        cone->most = (double)cone->found;
    else
        cone->most = pow(2, (double)search.lost);
}

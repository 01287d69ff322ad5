// inverse.c: velocities from equations that are not linear in them, step by step, in closed form.
//
// An equation is taken at a time, solved for an unknown, and put into the others: one that is
// linear in it first, then one that can be peeled (its terms, factors, powers and functions undone
// from the outside), then a quadratic one. atan2(a, b) = w is taken as a = r·sin w, b = r·cos w
// with r > 0 as one more unknown, which is the sources' own way (Hamel 249). A root has the sign
// that the start gives its velocity; + where it gives none.
#include "motion/motion_impl.h"

#include <math.h>

typedef struct {
    Motion *motion;
    ExprPool *pool;
    Expr *equations; // each is to vanish; none where it was used
    size_t equation_count;
    Expr *unknowns; // symbols: the velocities, then lengths r
    Expr *solution; // of each; none while it is not known; may hold unknowns solved later
    size_t unknown_count, solved;
    size_t *order; // in which they were solved
} Inverse;

static bool is_open(const Inverse *inverse, size_t j)
{
    return expr_is_none(inverse->solution[j]);
}

// How many open unknowns e holds; *last is one of them.
static size_t open_in(const Inverse *inverse, Expr e, size_t *last)
{
    size_t count = 0;
    for (size_t j = 0; j < inverse->unknown_count; j++)
        if (is_open(inverse, j) && expr_holds(inverse->pool, e, inverse->unknowns[j])) {
            count++;
            if (last)
                *last = j;
        }
    return count;
}

static Expr tidy(const Inverse *inverse, Expr e)
{
    return algebra_simplify(inverse->motion->algebra, e);
}

// Takes equation i as the one that gives unknown j.
static void settle(Inverse *inverse, size_t i, size_t j, Expr value)
{
    inverse->equations[i] = (Expr){0};
    inverse->solution[j] = value;
    inverse->order[inverse->solved++] = j;
    for (size_t other = 0; other < inverse->equation_count; other++) {
        Expr *equation = &inverse->equations[other];
        if (!expr_is_none(*equation) && expr_holds(inverse->pool, *equation, inverse->unknowns[j]))
            *equation = tidy(
                inverse, expr_replace(inverse->pool, *equation, &inverse->unknowns[j], &value, 1));
    }
}

// The sign that the start gives an unknown: 1 or −1.
static int sign_at_start(const Inverse *inverse, size_t j)
{
    double value = 0;
    if (j >= inverse->motion->n ||
        !motion_numbers_at_start(inverse->motion, &inverse->unknowns[j], 1, &value))
        return 1;
    return value < 0 ? -1 : 1;
}

// ---- Linear in an unknown.

static bool solve_linear(Inverse *inverse, size_t i, size_t j)
{
    Expr coefficient, rest, e = inverse->equations[i];
    if (!expr_linear(inverse->pool, e, &inverse->unknowns[j], 1, &coefficient, &rest) ||
        expr_is_zero(inverse->pool, coefficient) || open_in(inverse, coefficient, NULL) > 0)
        return false;
    settle(inverse, i, j,
           tidy(inverse, expr_neg(inverse->pool, expr_div(inverse->pool, rest, coefficient))));
    return true;
}

// ---- Quadratic in an unknown: c₂·x² + c₁·x + c₀.

static bool solve_quadratic(Inverse *inverse, size_t i, size_t j)
{
    ExprPool *pool = inverse->pool;
    Expr e = inverse->equations[i], x = inverse->unknowns[j], zero = expr_int(pool, 0);
    Expr slope = expr_diff(pool, e, x);
    Expr c2 = tidy(inverse, expr_mul(pool, expr_ratio(pool, 1, 2), expr_diff(pool, slope, x)));
    if (expr_is_zero(pool, c2) || open_in(inverse, c2, NULL) > 0)
        return false;
    Expr c1 = tidy(inverse, expr_replace(pool, slope, &x, &zero, 1));
    Expr c0 = expr_replace(pool, e, &x, &zero, 1);
    // With another unknown in c₁ the root would hide it from all further steps.
    if (open_in(inverse, c1, NULL) > 0)
        return false;
    Expr square = expr_sub(pool, expr_pow_int(pool, c1, 2),
                           expr_product(pool, (Expr[]){expr_int(pool, 4), c2, c0}, 3));
    Expr twice = expr_mul(pool, expr_int(pool, 2), c2);
    Expr under = tidy(inverse, expr_div(pool, square, expr_pow_int(pool, twice, 2)));
    Expr root = expr_mul(pool, expr_int(pool, sign_at_start(inverse, j)), expr_sqrt(pool, under));
    settle(inverse, i, j, tidy(inverse, expr_sub(pool, root, expr_div(pool, c1, twice))));
    return true;
}

// ---- Peeling: what stands around the unknowns is undone.

typedef struct {
    Expr core, value; // core = value
} Peel;

// The only argument that holds open unknowns; −1 where there are several.
static ptrdiff_t only_argument(const Inverse *inverse, Expr e)
{
    ptrdiff_t only = -1;
    for (size_t i = 0; i < expr_arg_count(inverse->pool, e); i++)
        if (open_in(inverse, expr_arg(inverse->pool, e, i), NULL) > 0) {
            if (only >= 0)
                return -1;
            only = (ptrdiff_t)i;
        }
    return only;
}

// The terms of a sum that hold no unknown go to the other side; the factor of a single one, too.
static bool peel_sum(const Inverse *inverse, Peel *peel)
{
    ExprPool *pool = inverse->pool;
    size_t count = expr_arg_count(pool, peel->core), kept = 0;
    Expr *stay = base_alloc((2 * count + 2) * sizeof *stay), *go = stay + count + 1;
    size_t gone = 0;
    Expr single = {0}, weight = {0};
    for (size_t i = 0; i < count; i++) {
        Expr arg = expr_arg(pool, peel->core, i);
        Expr factor = expr_number(pool, expr_arg_weight(pool, peel->core, i));
        Expr term = expr_mul(pool, factor, arg);
        if (open_in(inverse, arg, NULL) == 0) {
            go[gone++] = term;
            continue;
        }
        stay[kept++] = term;
        single = arg;
        weight = factor;
    }
    go[gone++] = expr_number(pool, expr_value(pool, peel->core));
    Expr rest = expr_sum(pool, go, gone);
    bool moved = kept == 1 || !expr_is_zero(pool, rest);
    peel->value = expr_sub(pool, peel->value, rest);
    peel->core = expr_sum(pool, stay, kept);
    if (kept == 1) {
        peel->value = expr_div(pool, peel->value, weight);
        peel->core = single;
    }
    base_free(stay);
    return moved;
}

// The power of an only base: an odd or broken exponent is undone, an even one with a sign.
static bool peel_product(const Inverse *inverse, Peel *peel)
{
    ExprPool *pool = inverse->pool;
    ptrdiff_t only = only_argument(inverse, peel->core);
    if (only < 0)
        return false;
    Expr base = expr_arg(pool, peel->core, (size_t)only);
    Expr exponent = expr_number(pool, expr_arg_weight(pool, peel->core, (size_t)only));
    Expr others = expr_div(pool, peel->core, expr_pow(pool, base, exponent));
    Expr value = tidy(inverse, expr_div(pool, peel->value, others));
    int64_t whole = 0;
    bool even = expr_get_int(pool, exponent, &whole) && whole % 2 == 0;
    bool odd = expr_get_int(pool, exponent, &whole) && whole % 2 != 0;
    // A real odd root of what may be negative is no power of the language.
    if (odd && whole != 1 && whole != -1)
        return false;
    value = expr_pow(pool, value, expr_div(pool, expr_int(pool, 1), exponent));
    // Only a velocity itself has a sign at the start.
    size_t j = 0;
    if (even && (open_in(inverse, base, &j) != 1 || !expr_same(base, inverse->unknowns[j])))
        return false;
    if (even && sign_at_start(inverse, j) < 0)
        value = expr_neg(pool, value);
    peel->value = value;
    peel->core = base;
    return true;
}

static bool peel_function(const Inverse *inverse, Peel *peel)
{
    ExprPool *pool = inverse->pool;
    Expr w = peel->value, none = {0};
    switch (expr_op(pool, peel->core)) {
    case EXPR_EXP: w = expr_call(pool, EXPR_LOG, w, none); break;
    case EXPR_LOG: w = expr_call(pool, EXPR_EXP, w, none); break;
    case EXPR_ATAN: w = expr_call(pool, EXPR_TAN, w, none); break;
    case EXPR_ASIN: w = expr_call(pool, EXPR_SIN, w, none); break;
    case EXPR_ACOS: w = expr_call(pool, EXPR_COS, w, none); break;
    default: return false;
    }
    peel->core = expr_arg(pool, peel->core, 0);
    peel->value = w;
    return true;
}

static bool peel_once(const Inverse *inverse, Peel *peel)
{
    switch (expr_op(inverse->pool, peel->core)) {
    case EXPR_SUM: return peel_sum(inverse, peel);
    case EXPR_PRODUCT: return peel_product(inverse, peel);
    default: return peel_function(inverse, peel);
    }
}

// atan2(a, b) = w: a = r·sin w, b = r·cos w.
static void split_angle(Inverse *inverse, size_t i, Expr angle, Expr w)
{
    ExprPool *pool = inverse->pool;
    Expr r = expr_symbol_new(pool, "length"), none = {0};
    size_t at = inverse->equation_count++;
    inverse->unknowns[inverse->unknown_count] = r;
    inverse->solution[inverse->unknown_count++] = none;
    inverse->equations[i] = expr_sub(pool, expr_arg(pool, angle, 0),
                                     expr_mul(pool, r, expr_call(pool, EXPR_SIN, w, none)));
    inverse->equations[at] = expr_sub(pool, expr_arg(pool, angle, 1),
                                      expr_mul(pool, r, expr_call(pool, EXPR_COS, w, none)));
}

// ---- Denominators.

// A power below a term of the sum that holds unknowns; false where there is none.
static bool find_denominator(const Inverse *inverse, Expr sum, Expr *power)
{
    ExprPool *pool = inverse->pool;
    bool one = expr_op(pool, sum) != EXPR_SUM;
    size_t count = one ? 1 : expr_arg_count(pool, sum);
    for (size_t i = 0; i < count; i++) {
        Expr term = one ? sum : expr_arg(pool, sum, i);
        if (expr_op(pool, term) != EXPR_PRODUCT)
            continue;
        for (size_t j = 0; j < expr_arg_count(pool, term); j++) {
            const fmpq *weight = expr_arg_weight(pool, term, j);
            Expr base = expr_arg(pool, term, j);
            if (fmpq_sgn(weight) >= 0 || open_in(inverse, base, NULL) == 0)
                continue;
            *power =
                expr_div(pool, expr_int(pool, 1), expr_pow(pool, base, expr_number(pool, weight)));
            return true;
        }
    }
    return false;
}

// Multiplies equation i by what its terms are divided by.
static bool clear_denominator(Inverse *inverse, size_t i, size_t j)
{
    (void)j;
    ExprPool *pool = inverse->pool;
    Expr power, sum = inverse->equations[i];
    if (!find_denominator(inverse, sum, &power))
        return false;
    size_t count = expr_op(pool, sum) == EXPR_SUM ? expr_arg_count(pool, sum) : 0;
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    for (size_t k = 0; k < count; k++)
        terms[k] = expr_product(pool,
                                (Expr[]){expr_number(pool, expr_arg_weight(pool, sum, k)),
                                         expr_arg(pool, sum, k), power},
                                3);
    terms[count] = expr_mul(pool, count ? expr_number(pool, expr_value(pool, sum)) : sum, power);
    inverse->equations[i] = expr_sum(pool, terms, count + 1);
    base_free(terms);
    return true;
}

// ---- One step after the other.

// Solves equation i, or brings it nearer to being solved; false where nothing changes.
static bool peel_equation(Inverse *inverse, size_t i)
{
    ExprPool *pool = inverse->pool;
    Peel peel = {.core = inverse->equations[i], .value = expr_int(pool, 0)};
    bool undone = false;
    for (bool first = true; peel_once(inverse, &peel); first = false) {
        // Terms on the other side alone are no step.
        bool sum = first && expr_op(pool, peel.core) == EXPR_SUM;
        undone = undone || !sum;
    }
    if (expr_op(pool, peel.core) == EXPR_ATAN2) {
        split_angle(inverse, i, peel.core, peel.value);
        return true;
    }
    size_t j = 0;
    if (open_in(inverse, peel.core, &j) == 1 && expr_same(peel.core, inverse->unknowns[j])) {
        settle(inverse, i, j, tidy(inverse, peel.value));
        return true;
    }
    Expr changed = tidy(inverse, expr_sub(pool, peel.core, peel.value));
    if (!undone || expr_same(changed, inverse->equations[i]))
        return false;
    inverse->equations[i] = changed;
    return true;
}

typedef bool (*Solve)(Inverse *inverse, size_t i, size_t j);

// Tries equations with few unknowns first.
static bool try_all(Inverse *inverse, Solve solve)
{
    for (size_t most = 1; most <= inverse->unknown_count; most++)
        for (size_t i = 0; i < inverse->equation_count; i++) {
            if (expr_is_none(inverse->equations[i]) ||
                open_in(inverse, inverse->equations[i], NULL) != most)
                continue;
            for (size_t j = 0; j < inverse->unknown_count; j++)
                if (is_open(inverse, j) &&
                    expr_holds(inverse->pool, inverse->equations[i], inverse->unknowns[j]) &&
                    solve(inverse, i, j))
                    return true;
        }
    return false;
}

static bool peel_any(Inverse *inverse, size_t i, size_t j)
{
    (void)j;
    return peel_equation(inverse, i);
}

static bool solve_all(Inverse *inverse)
{
    // An equation may be brought nearer a few times before it is solved.
    size_t most = 8 * inverse->unknown_count + 8;
    for (size_t step = 0; step < most && inverse->solved < inverse->unknown_count; step++)
        if (!try_all(inverse, solve_linear) && !try_all(inverse, clear_denominator) &&
            !try_all(inverse, peel_any) && !try_all(inverse, solve_quadratic))
            return false;
    return inverse->solved == inverse->unknown_count;
}

// Unknowns that were solved later go into those before them.
static void put_back(Inverse *inverse)
{
    for (size_t i = inverse->unknown_count; i-- > 0;)
        for (size_t later = i + 1; later < inverse->unknown_count; later++) {
            Expr *value = &inverse->solution[inverse->order[i]];
            size_t j = inverse->order[later];
            if (expr_holds(inverse->pool, *value, inverse->unknowns[j]))
                *value = expr_replace(inverse->pool, *value, &inverse->unknowns[j],
                                      &inverse->solution[j], 1);
        }
}

bool motion_invert(Motion *motion, const Expr *values, const Expr *symbols, Expr *solution)
{
    size_t n = motion->n, most = 2 * n + 1;
    Inverse inverse = {.motion = motion, .pool = motion->pool};
    Expr *room = base_alloc(3 * most * sizeof *room);
    inverse.equations = room;
    inverse.unknowns = room + most;
    inverse.solution = room + 2 * most;
    inverse.order = base_alloc(most * sizeof *inverse.order);
    inverse.equation_count = inverse.unknown_count = n;
    for (size_t i = 0; i < n; i++) {
        inverse.equations[i] = expr_sub(motion->pool, values[i], symbols[i]);
        inverse.unknowns[i] = motion->v[i];
    }
    bool found = solve_all(&inverse);
    if (found)
        put_back(&inverse);
    for (size_t nu = 0; nu < n && found; nu++)
        solution[nu] = algebra_simplify(motion->algebra, inverse.solution[nu]);
    base_free(room);
    base_free(inverse.order);
    return found;
}

// exponentials.c: products of exponentials written so that no factor overflows where the product
// does not.
//
// exp(u)/(1 + exp(u))² is at most 1/4 and 0/0 in doubles at u = 1000. With L = 1/(1 + exp(−v)) and
// M = 1/(1 + exp(v)) = 1 − L, which lie between 0 and 1, exp(v) = L/M. Where all exponents are
// whole multiples of v, a sum of exponentials is Σ cᵢ·L^lᵢ·M^mᵢ, and with the least exponents l and
// m
//
//     L^l·M^m·Σ cᵢ·L^(lᵢ − l)·M^(mᵢ − m).
//
// So a product of powers of such sums has powers of L and M before it that are small where it is.
// sinh is taken as tanh·cosh, which loses no digits near 0. Sums as 1 + tanh(u), which cancel where
// they are small, are written by L and M too.
#include "expr/expr_impl.h"

#include <assert.h>
#include <string.h>

// Generators in one product, terms in one of its sums, and bits of a multiple of v, at most.
enum { MOST_GENERATORS = 3, MOST_TERMS = 24, MULTIPLE_BITS = 6 };

// Of L and of M.
typedef struct {
    int l, m;
} Powers;

// c·Π L^l·M^m.
typedef struct {
    Expr c;
    Powers of[MOST_GENERATORS];
} Term;

typedef struct {
    Term at[MOST_TERMS];
    size_t count;
} Terms;

// v, and by which part of it exponents are counted.
typedef struct {
    Expr unit;    // an exponent that was met
    fmpz_t parts; // v is the unit divided by these
    bool mixed;   // whether a sum has several powers of its L and M, or one of them stands alone
    int64_t l, m; // of L and of M before the product
} Generator;

typedef struct {
    ExprPool *pool;
    Generator generators[MOST_GENERATORS];
    size_t count;
    bool fails;
} Search;

static bool is_exponential(ExprOp op)
{
    return op == EXPR_EXP || op == EXPR_COSH || op == EXPR_SINH;
}

// ---- Generators.

// a/unit, where that is a number.
static bool ratio_to(ExprPool *pool, Expr a, Expr unit, fmpq_t ratio)
{
    fmpq_t of_unit;
    fmpq_init(of_unit);
    bool same = expr_same(expr_strip(pool, a, ratio), expr_strip(pool, unit, of_unit));
    if (same)
        fmpq_div(ratio, ratio, of_unit);
    fmpq_clear(of_unit);
    return same;
}

// The number of the generator that `a` is a multiple of; a new one where it is of none.
static size_t generator_of(Search *search, Expr a, fmpq_t ratio)
{
    for (size_t g = 0; g < search->count; g++)
        if (ratio_to(search->pool, a, search->generators[g].unit, ratio))
            return g;
    if (search->count == MOST_GENERATORS) {
        search->fails = true;
        return 0;
    }
    fmpq_one(ratio);
    search->generators[search->count].unit = a;
    return search->count++;
}

// Notes an exponent that is raised to a power.
static void meet_exponent(Search *search, Expr a, const fmpq_t power)
{
    fmpq_t ratio;
    fmpq_init(ratio);
    Generator *generator = &search->generators[generator_of(search, a, ratio)];
    fmpz_lcm(generator->parts, generator->parts, fmpq_denref(ratio));
    fmpz_t parts;
    fmpz_init(parts);
    fmpz_mul(parts, fmpq_denref(ratio), fmpq_denref(power));
    fmpz_lcm(generator->parts, generator->parts, parts);
    fmpz_clear(parts);
    fmpq_clear(ratio);
}

// How many times v is `a`? 0 where that is no small number.
static int multiple_of(Search *search, Expr a, size_t g)
{
    const Generator *generator = &search->generators[g];
    fmpq_t ratio;
    fmpq_init(ratio);
    int n = 0;
    if (ratio_to(search->pool, a, generator->unit, ratio)) {
        fmpq_mul_fmpz(ratio, ratio, generator->parts);
        if (fmpz_is_one(fmpq_denref(ratio)) && fmpz_bits(fmpq_numref(ratio)) <= MULTIPLE_BITS)
            n = (int)fmpz_get_si(fmpq_numref(ratio));
    }
    fmpq_clear(ratio);
    return n;
}

// The term times exp(k·a).
static void multiply_exp(Search *search, Expr a, int k, Term *term)
{
    for (size_t g = 0; g < search->count; g++) {
        int n = multiple_of(search, a, g);
        term->of[g].l += k * n;
        term->of[g].m -= k * n;
        if (n != 0)
            return;
    }
    search->fails = true;
}

// The term times L^k of the argument a; false where a is neither v nor −v.
static bool multiply_logistic(Search *search, Expr a, int k, Term *term)
{
    for (size_t g = 0; g < search->count; g++) {
        int n = multiple_of(search, a, g);
        if (n != 1 && n != -1)
            continue;
        *(n > 0 ? &term->of[g].l : &term->of[g].m) += k;
        search->generators[g].mixed = true;
        return true;
    }
    return false;
}

// ---- Sums of exponentials.

static void push_term(Search *search, Terms *terms, const Term *term)
{
    if (terms->count == MOST_TERMS)
        search->fails = true;
    else
        terms->at[terms->count++] = *term;
}

// terms times cosh(a) or sinh(a).
static void multiply_hyperbolic(Search *search, ExprOp op, Expr a, Terms *terms)
{
    ExprPool *pool = search->pool;
    Terms before = *terms;
    Expr factor = expr_ratio(pool, 1, 2);
    if (op == EXPR_SINH)
        factor = expr_mul(pool, factor, expr_call(pool, EXPR_TANH, a, (Expr){0}));
    terms->count = 0;
    for (size_t i = 0; i < before.count; i++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            Term term = before.at[i];
            term.c = expr_mul(pool, term.c, factor);
            multiply_exp(search, a, sign, &term);
            push_term(search, terms, &term);
        }
}

// A term times what is no sum of exponentials, to a power; k is that power, or 0.
static void multiply_term(Search *search, Expr base, const fmpq_t power, int k, Term *term)
{
    ExprPool *pool = search->pool;
    ExprOp op = expr_op(pool, base);
    if (op == EXPR_EXP && k != 0)
        multiply_exp(search, expr_arg(pool, base, 0), k, term);
    else if (op != EXPR_LOGISTIC || k == 0 ||
             !multiply_logistic(search, expr_arg(pool, base, 0), k, term))
        term->c = expr_mul(pool, term->c, expr_pow(pool, base, expr_number(pool, power)));
}

// terms times base^power.
static void multiply_power(Search *search, Expr base, const fmpq_t power, Terms *terms)
{
    ExprPool *pool = search->pool;
    ExprOp op = expr_op(pool, base);
    bool whole = fmpz_is_one(fmpq_denref(power)) && fmpz_bits(fmpq_numref(power)) <= MULTIPLE_BITS;
    int k = whole ? (int)fmpz_get_si(fmpq_numref(power)) : 0;
    bool hyperbolic = (op == EXPR_COSH || op == EXPR_SINH) && k > 0;
    for (; hyperbolic && k > 0 && !search->fails; k--)
        multiply_hyperbolic(search, op, expr_arg(pool, base, 0), terms);
    for (size_t i = 0; i < terms->count && !hyperbolic; i++)
        multiply_term(search, base, power, k, &terms->at[i]);
}

// A term of a sum, or a factor that is no sum: `flat` where a product in it is one factor.
static void expand(Search *search, Expr e, bool flat, Terms *terms)
{
    ExprPool *pool = search->pool;
    bool product = expr_op(pool, e) == EXPR_PRODUCT && !flat;
    Expr c = product ? expr_number(pool, expr_value(pool, e)) : expr_int(pool, 1);
    *terms = (Terms){.at = {{.c = c}}, .count = 1};
    for (size_t i = 0; product && i < expr_arg_count(pool, e) && !search->fails; i++)
        multiply_power(search, expr_arg(pool, e, i), expr_arg_weight(pool, e, i), terms);
    if (!product) {
        fmpq_t one;
        fmpq_init(one);
        fmpq_one(one);
        multiply_power(search, e, one, terms);
        fmpq_clear(one);
    }
}

static void add_terms(Search *search, Terms *sum, const Terms *terms, Expr factor)
{
    for (size_t i = 0; i < terms->count && !search->fails; i++) {
        Term term = terms->at[i];
        size_t same = 0;
        term.c = expr_mul(search->pool, term.c, factor);
        while (same < sum->count && memcmp(sum->at[same].of, term.of, sizeof term.of) != 0)
            same++;
        if (same < sum->count)
            sum->at[same].c = expr_add(search->pool, sum->at[same].c, term.c);
        else
            push_term(search, sum, &term);
    }
}

// A factor of the product as a sum of exponentials.
static void expand_factor(Search *search, Expr e, Terms *sum)
{
    ExprPool *pool = search->pool;
    Terms terms;
    Expr one = expr_int(pool, 1);
    sum->count = 0;
    if (expr_op(pool, e) != EXPR_SUM) {
        expand(search, e, true, &terms);
        add_terms(search, sum, &terms, one);
        return;
    }
    Expr constant = expr_number(pool, expr_value(pool, e));
    terms = (Terms){.at = {{.c = constant}}, .count = !expr_is_zero(pool, constant)};
    add_terms(search, sum, &terms, one);
    for (size_t i = 0; i < expr_arg_count(pool, e) && !search->fails; i++) {
        expand(search, expr_arg(pool, e, i), false, &terms);
        add_terms(search, sum, &terms, expr_number(pool, expr_arg_weight(pool, e, i)));
    }
}

// ---- Products.

// Notes the exponents of exponentials in a factor, and in the terms and factors of a sum.
static bool meet_factor(Search *search, Expr e, const fmpq_t power, int depth)
{
    ExprPool *pool = search->pool;
    ExprOp op = expr_op(pool, e);
    if (is_exponential(op)) {
        meet_exponent(search, expr_arg(pool, e, 0), power);
        return true;
    }
    bool found = false;
    if ((op == EXPR_SUM && depth == 0) || (op == EXPR_PRODUCT && depth == 1))
        for (size_t i = 0; i < expr_arg_count(pool, e); i++)
            found = meet_factor(search, expr_arg(pool, e, i), power, depth + 1) || found;
    return found;
}

// The least powers in the terms; whether these have several.
static Powers least_powers(const Terms *terms, size_t g, bool *several)
{
    Powers least = terms->count > 0 ? terms->at[0].of[g] : (Powers){0};
    *several = false;
    for (size_t i = 1; i < terms->count; i++) {
        Powers own = terms->at[i].of[g];
        *several = *several || own.l != terms->at[0].of[g].l || own.m != terms->at[0].of[g].m;
        least.l = own.l < least.l ? own.l : least.l;
        least.m = own.m < least.m ? own.m : least.m;
    }
    return least;
}

// n·power, which must be whole.
static int64_t times_power(Search *search, int n, const fmpq_t power)
{
    fmpq_t both;
    fmpq_init(both);
    fmpq_mul_si(both, power, n);
    int64_t product = fmpz_get_si(fmpq_numref(both));
    search->fails = search->fails || !fmpz_is_one(fmpq_denref(both));
    fmpq_clear(both);
    return product;
}

// What a factor adds to the powers before the product.
static void count_factor(Search *search, const Terms *terms, const fmpq_t power)
{
    for (size_t g = 0; g < search->count; g++) {
        Generator *generator = &search->generators[g];
        bool several;
        Powers least = least_powers(terms, g, &several);
        generator->mixed = generator->mixed || several;
        generator->l += times_power(search, least.l, power);
        generator->m += times_power(search, least.m, power);
    }
}

// L for side 1, M for side −1.
static Expr side_of(Search *search, size_t g, int side)
{
    ExprPool *pool = search->pool;
    const Generator *generator = &search->generators[g];
    fmpq_t part;
    fmpq_init(part);
    fmpq_set_si(part, side, 1);
    fmpq_div_fmpz(part, part, generator->parts);
    Expr v = expr_mul(pool, expr_number(pool, part), generator->unit);
    fmpq_clear(part);
    return expr_call(pool, EXPR_LOGISTIC, v, (Expr){0});
}

static Expr side_power(Search *search, size_t g, int64_t of_l, int64_t of_m)
{
    Expr l = expr_pow_int(search->pool, side_of(search, g, 1), of_l);
    return expr_mul(search->pool, l, expr_pow_int(search->pool, side_of(search, g, -1), of_m));
}

// Σ cᵢ·L^(lᵢ − l)·M^(mᵢ − m); a generator that is not mixed stays an exponential.
static Expr sum_of(Search *search, const Terms *terms)
{
    ExprPool *pool = search->pool;
    Expr sum = expr_int(pool, 0);
    for (size_t i = 0; i < terms->count; i++) {
        Expr term = terms->at[i].c;
        for (size_t g = 0; g < search->count; g++) {
            bool several;
            Powers own = terms->at[i].of[g], least = least_powers(terms, g, &several);
            if (search->generators[g].mixed)
                term =
                    expr_mul(pool, term, side_power(search, g, own.l - least.l, own.m - least.m));
        }
        sum = expr_add(pool, sum, term);
    }
    return sum;
}

static Expr plain_power(Search *search, size_t g)
{
    ExprPool *pool = search->pool;
    const Generator *generator = &search->generators[g];
    fmpq_t factor;
    fmpq_init(factor);
    fmpq_set_si(factor, generator->l, 1);
    fmpq_div_fmpz(factor, factor, generator->parts);
    Expr exponent = expr_mul(pool, expr_number(pool, factor), generator->unit);
    fmpq_clear(factor);
    return expr_call(pool, EXPR_EXP, exponent, (Expr){0});
}

// Whether the product is small on one side at least, and holds a sum of exponentials.
static bool is_worth_it(const Search *search)
{
    bool worth = false;
    for (size_t g = 0; g < search->count; g++) {
        const Generator *generator = &search->generators[g];
        worth = worth || (generator->mixed && (generator->l >= 0 || generator->m >= 0));
    }
    return worth && !search->fails;
}

static Expr rewrite(Search *search, Expr e)
{
    ExprPool *pool = search->pool;
    size_t count = expr_arg_count(pool, e);
    Terms *factors = base_alloc((count + 1) * sizeof *factors);
    for (size_t i = 0; i < count && !search->fails; i++) {
        expand_factor(search, expr_arg(pool, e, i), &factors[i]);
        count_factor(search, &factors[i], expr_arg_weight(pool, e, i));
    }
    if (is_worth_it(search)) {
        Expr product = expr_number(pool, expr_value(pool, e));
        for (size_t i = 0; i < count; i++) {
            Expr power = expr_number(pool, expr_arg_weight(pool, e, i));
            Expr base = sum_of(search, &factors[i]);
            product = expr_mul(pool, product, expr_pow(pool, base, power));
        }
        for (size_t g = 0; g < search->count; g++) {
            const Generator *generator = &search->generators[g];
            Expr before = generator->mixed ? side_power(search, g, generator->l, generator->m)
                                           : plain_power(search, g);
            product = expr_mul(pool, product, before);
        }
        e = product;
    }
    base_free(factors);
    return e;
}

// exp(a)^p·exp(b)^q as exp(p·a + q·b): sqrt(exp(−u²)) has a slope wherever exp(−u²) is 0 in
// doubles, and exp(2000)·exp(−3000) a value.
static Expr one_exponential(ExprPool *pool, Expr e)
{
    size_t count = expr_arg_count(pool, e), exponentials = 0;
    bool powers = false;
    for (size_t i = 0; i < count; i++)
        if (expr_op(pool, expr_arg(pool, e, i)) == EXPR_EXP) {
            powers = powers || !fmpq_is_one(expr_arg_weight(pool, e, i));
            exponentials++;
        }
    if (!powers && exponentials < 2)
        return e;
    Expr rest = expr_number(pool, expr_value(pool, e)), exponent = expr_int(pool, 0);
    for (size_t i = 0; i < count; i++) {
        Expr base = expr_arg(pool, e, i), power = expr_number(pool, expr_arg_weight(pool, e, i));
        if (expr_op(pool, base) == EXPR_EXP)
            exponent = expr_add(pool, exponent, expr_mul(pool, power, expr_arg(pool, base, 0)));
        else
            rest = expr_mul(pool, rest, expr_pow(pool, base, power));
    }
    return expr_mul(pool, rest, expr_call(pool, EXPR_EXP, exponent, (Expr){0}));
}

// Sums under roots that are squares are written as such.
static Expr with_squares(ExprPool *pool, Expr e)
{
    for (size_t i = 0; expr_op(pool, e) == EXPR_PRODUCT && i < expr_arg_count(pool, e); i++) {
        Expr base = expr_arg(pool, e, i);
        if (!expr_arg_is_rooted(pool, e, i) || expr_op(pool, base) != EXPR_SUM)
            continue;
        Expr square = expr_square_of_two(pool, base);
        if (expr_same(square, base))
            square = expr_square_of_wave(pool, base);
        if (expr_same(square, base))
            continue;
        Expr exponent = expr_number(pool, expr_arg_weight(pool, e, i));
        Expr others = expr_div(pool, e, expr_pow(pool, base, exponent));
        return with_squares(pool, expr_mul(pool, others, expr_pow(pool, square, exponent)));
    }
    return e;
}

static Expr bounded_product(ExprPool *pool, Expr e)
{
    e = with_squares(pool, one_exponential(pool, e));
    if (expr_op(pool, e) != EXPR_PRODUCT)
        return e;
    Search search = {.pool = pool};
    for (size_t g = 0; g < MOST_GENERATORS; g++)
        fmpz_init_set_ui(search.generators[g].parts, 1);
    bool found = false;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++)
        found = meet_factor(&search, expr_arg(pool, e, i), expr_arg_weight(pool, e, i), 0) || found;
    if (found && !search.fails)
        e = rewrite(&search, e);
    for (size_t g = 0; g < MOST_GENERATORS; g++)
        fmpz_clear(search.generators[g].parts);
    return e;
}

// ---- Sums of tanh that cancel far from its step.

// The argument of tanh^power; none for what is something else.
static Expr tanh_argument(const ExprPool *pool, Expr e, int64_t power)
{
    if (expr_op(pool, e) == EXPR_PRODUCT && expr_arg_count(pool, e) == 1 && power != 1 &&
        fmpq_is_one(expr_value(pool, e)) && fmpq_cmp_si(expr_arg_weight(pool, e, 0), power) == 0)
        e = expr_arg(pool, e, 0);
    else if (power != 1)
        return (Expr){0};
    return expr_op(pool, e) == EXPR_TANH ? expr_arg(pool, e, 0) : (Expr){0};
}

// 1/(1 + exp(∓2a)).
static Expr half_step(ExprPool *pool, Expr a, int side)
{
    Expr twice = expr_mul(pool, expr_int(pool, 2 * side), a);
    return expr_call(pool, EXPR_LOGISTIC, twice, (Expr){0});
}

// 1 ± tanh(a) = 2·L(±2a); 1 − tanh²(a) = 4·L(2a)·L(−2a).
static Expr bounded_step(ExprPool *pool, Expr e)
{
    const fmpq *c = expr_value(pool, e), *k = expr_arg_weight(pool, e, 0);
    bool same = fmpq_equal(c, k);
    Expr of = tanh_argument(pool, expr_arg(pool, e, 0), 1), size = expr_number(pool, c);
    Expr of_square = tanh_argument(pool, expr_arg(pool, e, 0), 2), step = e;
    fmpq_t opposite;
    fmpq_init(opposite);
    fmpq_neg(opposite, c);
    bool other = fmpq_equal(opposite, k);
    fmpq_clear(opposite);
    if (!expr_is_none(of) && (same || other))
        step = expr_mul(pool, expr_mul(pool, expr_int(pool, 2), size),
                        half_step(pool, of, same ? 1 : -1));
    if (!expr_is_none(of_square) && other)
        step =
            expr_mul(pool, expr_mul(pool, expr_int(pool, 4), size),
                     expr_mul(pool, half_step(pool, of_square, 1), half_step(pool, of_square, -1)));
    return step;
}

// tanh(a) − tanh(b) = 2·(L(2a)·L(−2b) − L(−2a)·L(2b)).
static Expr bounded_difference(ExprPool *pool, Expr e)
{
    Expr a = tanh_argument(pool, expr_arg(pool, e, 0), 1);
    Expr b = tanh_argument(pool, expr_arg(pool, e, 1), 1);
    const fmpq *k = expr_arg_weight(pool, e, 0);
    Expr size = expr_number(pool, k);
    fmpq_t sum;
    fmpq_init(sum);
    fmpq_add(sum, k, expr_arg_weight(pool, e, 1));
    bool opposite = fmpq_is_zero(sum);
    fmpq_clear(sum);
    if (expr_is_none(a) || expr_is_none(b) || !opposite)
        return e;
    Expr up = expr_mul(pool, half_step(pool, a, 1), half_step(pool, b, -1));
    Expr down = expr_mul(pool, half_step(pool, a, -1), half_step(pool, b, 1));
    return expr_mul(pool, expr_mul(pool, expr_int(pool, 2), size), expr_sub(pool, up, down));
}

Expr expr_bounded_node(ExprPool *pool, Expr e)
{
    ExprOp op = expr_op(pool, e);
    size_t count = expr_arg_count(pool, e);
    bool constant = op == EXPR_SUM && !fmpq_is_zero(expr_value(pool, e));
    if (op == EXPR_PRODUCT)
        return bounded_product(pool, e);
    if (constant && count == 1)
        return bounded_step(pool, e);
    return op == EXPR_SUM && !constant && count == 2 ? bounded_difference(pool, e) : e;
}

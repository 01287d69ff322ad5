// ansatz.c: which functions an unknown function may be made of.
//
// An unknown integral, relation or potential is sought as a sum of monomials with constant
// coefficients; what it can be made of is seen from the functions that stand in the question.
#include "inquiry/inquiry_impl.h"

#include <string.h>

typedef struct {
    Expr e;
    unsigned most_power; // 1 for a cosine, whose square is 1 − sin²
    bool alone;          // a logarithm or an angle: not multiplied by anything
} Generator;

typedef struct {
    Motion *motion;
    const AnsatzWish *wish;
    ARRAY(Generator) generators;
    ARRAY(Expr) monomials;
} Maker;

static bool is_known(const Maker *maker, Expr e)
{
    for (size_t i = 0; i < maker->generators.count; i++)
        if (expr_same(maker->generators.at[i].e, e))
            return true;
    return false;
}

static void add_generator(Maker *maker, Expr e, unsigned most_power, bool alone)
{
    if (!is_known(maker, e))
        array_push(&maker->generators, ((Generator){e, most_power, alone}));
}

static bool holds_variables(const Maker *maker, Expr e)
{
    return expr_holds_any(maker->motion->pool, e, maker->wish->variables,
                          maker->wish->variable_count);
}

// ---- Divisors and what integrates them.

static size_t variables_in(const Maker *maker, Expr e, Expr *first, Expr *second)
{
    size_t count = 0;
    for (size_t i = 0; i < maker->wish->variable_count; i++) {
        Expr variable = maker->wish->variables[i];
        if (!expr_holds(maker->motion->pool, e, variable))
            continue;
        if (count < 2)
            *(count ? second : first) = variable;
        count++;
    }
    return count;
}

static void add_logarithm(Maker *maker, Expr factor)
{
    if (maker->wish->integrals)
        add_generator(maker, expr_call(maker->motion->pool, EXPR_LOG, factor, (Expr){0}), 1, true);
}

static void add_divisor(Maker *maker, Expr divisor)
{
    ExprPool *pool = maker->motion->pool;
    Expr first, second;
    add_generator(maker, expr_pow_int(pool, divisor, -1), 2, false);
    add_logarithm(maker, divisor);
    if (variables_in(maker, divisor, &first, &second) == 2)
        add_generator(maker, expr_call(pool, EXPR_ATAN2, second, first), 1, true);
}

// ---- Functions in the question.

static void look_at(Maker *maker, Expr e)
{
    ExprPool *pool = maker->motion->pool;
    ExprOp op = expr_op(pool, e);
    if (op == EXPR_SIN || op == EXPR_COS || op == EXPR_TAN) {
        Expr angle = expr_arg(pool, e, 0);
        Expr cosine = expr_call(pool, EXPR_COS, angle, (Expr){0});
        add_generator(maker, expr_call(pool, EXPR_SIN, angle, (Expr){0}), 8, false);
        add_generator(maker, cosine, 1, false);
        if (op == EXPR_TAN && maker->wish->integrals)
            add_divisor(maker, cosine);
    } else if (op == EXPR_PRODUCT) {
        for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
            Expr base = expr_arg(pool, e, i);
            const fmpq *power = expr_arg_weight(pool, e, i);
            if (!holds_variables(maker, base))
                continue;
            if (!fmpz_is_one(&power->den))
                add_generator(maker, expr_sqrt(pool, base), 1, false);
            if (fmpq_sgn(power) < 0 && maker->wish->integrals)
                add_divisor(maker, base);
            else
                add_logarithm(maker, base);
        }
    } else if (op != EXPR_SUM && op != EXPR_SYMBOL && op != EXPR_NUMBER && op != EXPR_PI) {
        add_generator(maker, e, 2, false);
    }
}

// Whether a variable stands under a sine or cosine; then its own powers are not wanted.
static bool is_angle(const ExprPool *pool, const ExprList *nodes, Expr variable)
{
    for (size_t i = 0; i < nodes->count; i++) {
        Expr e = {nodes->at[i]};
        ExprOp op = expr_op(pool, e);
        if ((op == EXPR_SIN || op == EXPR_COS || op == EXPR_TAN) &&
            expr_holds(pool, expr_arg(pool, e, 0), variable))
            return true;
    }
    return false;
}

static void find_generators(Maker *maker)
{
    const AnsatzWish *wish = maker->wish;
    ExprList nodes = expr_nodes(maker->motion->pool, wish->exprs, wish->expr_count);
    for (size_t i = 0; i < wish->variable_count; i++) {
        Expr variable = wish->variables[i];
        add_generator(maker, variable, 8,
                      !wish->integrals && is_angle(maker->motion->pool, &nodes, variable));
    }
    for (size_t i = 0; i < nodes.count; i++)
        if (holds_variables(maker, (Expr){nodes.at[i]}))
            look_at(maker, (Expr){nodes.at[i]});
    expr_list_free(&nodes);
    // What stands alone may be a divisor of the rest: x' = x·y'.
    for (size_t i = 0; i < wish->expr_count; i++)
        if (holds_variables(maker, wish->exprs[i]))
            add_logarithm(maker, wish->exprs[i]);
}

// ---- Monomials, by degree.

// Monomials of exactly this degree in the generators from `first` on. False where there are too
// many.
static bool add_monomials(Maker *maker, Expr so_far, size_t first, size_t degree)
{
    if (degree == 0) {
        array_push(&maker->monomials, so_far);
        return maker->monomials.count <= maker->wish->most;
    }
    for (size_t g = first; g < maker->generators.count; g++) {
        const Generator *generator = &maker->generators.at[g];
        if (generator->alone)
            continue;
        Expr power = so_far;
        for (unsigned p = 1; p <= generator->most_power && p <= degree; p++) {
            power = expr_mul(maker->motion->pool, power, generator->e);
            if (!add_monomials(maker, power, g + 1, degree - p))
                return false;
        }
    }
    return true;
}

// All monomials up to the highest degree that is asked for and not too many; the degree.
static size_t make_monomials(Maker *maker)
{
    size_t degree = 0;
    while (degree < maker->wish->degree) {
        size_t before = maker->monomials.count;
        Expr one = expr_int(maker->motion->pool, 1);
        if (!add_monomials(maker, one, 0, degree + 1)) {
            maker->monomials.count = before;
            break;
        }
        degree++;
        for (size_t g = 0; g < maker->generators.count && degree == 1; g++)
            if (maker->generators.at[g].alone)
                array_push(&maker->monomials, maker->generators.at[g].e);
    }
    return degree;
}

Expr *ansatz_constants(const Motion *motion, size_t *count)
{
    *count = motion->model->params.count;
    Expr *constants = base_alloc((*count + 1) * sizeof *constants);
    for (size_t i = 0; i < *count; i++)
        constants[i] = motion->model->params.at[i].symbol;
    return constants;
}

// Leaves out what is a combination of simpler ones: sin(a + b) beside products of sines. The
// constant stands first, so that what is constant goes too.
static void keep_independent(Maker *maker)
{
    size_t count = maker->monomials.count, kept = 0, constant_count;
    Expr *row = base_alloc((count + 1) * sizeof *row);
    bool *independent = base_alloc((count + 2) * sizeof *independent);
    Expr *constants = ansatz_constants(maker->motion, &constant_count);
    row[0] = expr_int(maker->motion->pool, 1);
    for (size_t i = 0; i < count; i++)
        row[i + 1] = maker->wish->setting
                         ? setting_put(maker->wish->setting, maker->monomials.at[i])
                         : maker->monomials.at[i];
    bool known = algebra_constant_rank(maker->motion->algebra, row, 1, count + 1, constants,
                                       constant_count, independent);
    for (size_t i = 0; i < count && known; i++)
        if (independent[i + 1])
            maker->monomials.at[kept++] = maker->monomials.at[i];
    maker->monomials.count = kept;
    base_free(row);
    base_free(independent);
    base_free(constants);
}

void ansatz_init(Ansatz *ansatz, Motion *motion, const AnsatzWish *wish)
{
    Maker maker = {.motion = motion, .wish = wish};
    find_generators(&maker);
    size_t degree = make_monomials(&maker);
    keep_independent(&maker);
    *ansatz = (Ansatz){maker.monomials.at, maker.monomials.count, degree};
    array_clear(&maker.generators);
}

void ansatz_clear(Ansatz *ansatz)
{
    base_free(ansatz->at);
    *ansatz = (Ansatz){0};
}

// ---- For the eye.

static bool is_constant(const ExprPool *pool, Expr e, const Expr *constants, size_t count)
{
    ExprList symbols = expr_symbols(pool, &e, 1);
    bool constant = true;
    for (size_t s = 0; s < symbols.count && constant; s++) {
        constant = false;
        for (size_t k = 0; k < count && !constant; k++)
            constant = symbols.at[s] == constants[k].at;
    }
    expr_list_free(&symbols);
    return constant;
}

// A power of a constant in e: which, and what to multiply by so that it goes away.
static bool constant_power(ExprPool *pool, Expr e, bool divisors_only, const Expr *constants,
                           size_t count, Expr *opposite)
{
    if (expr_op(pool, e) != EXPR_PRODUCT)
        return false;
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        Expr base = expr_arg(pool, e, i);
        const fmpq *weight = expr_arg_weight(pool, e, i);
        if ((divisors_only && fmpq_sgn(weight) > 0) || !is_constant(pool, base, constants, count))
            continue;
        fmpq_t power;
        fmpq_init(power);
        fmpq_neg(power, weight);
        *opposite = expr_pow(pool, base, expr_number(pool, power));
        fmpq_clear(power);
        return true;
    }
    return false;
}

// The coefficients, all multiplied by what any of them is divided by.
static void clear_divisors(Motion *motion, Expr *coefficients, size_t count, const Expr *constants,
                           size_t constant_count)
{
    enum { MOST_ROUNDS = 32 };
    ExprPool *pool = motion->pool;
    bool found = true;
    for (int round = 0; round < MOST_ROUNDS && found; round++) {
        found = false;
        for (size_t i = 0; i < count && !found; i++) {
            Expr factor;
            found = constant_power(pool, coefficients[i], true, constants, constant_count, &factor);
            for (size_t j = 0; j < count && found; j++)
                coefficients[j] =
                    algebra_simplify(motion->algebra, expr_mul(pool, coefficients[j], factor));
        }
    }
}

static bool is_negative(ExprPool *pool, Expr e)
{
    fmpq_t factor;
    fmpq_init(factor);
    expr_strip(pool, e, factor);
    bool negative = fmpq_sgn(factor) < 0;
    fmpq_clear(factor);
    return negative;
}

Expr ansatz_value(Motion *motion, const Expr *coefficients, const Expr *functions, size_t count)
{
    ExprPool *pool = motion->pool;
    size_t constant_count, first = 0;
    Expr *constants = ansatz_constants(motion, &constant_count);
    Expr *scaled = base_alloc((2 * count + 1) * sizeof *scaled), *terms = scaled + count;
    for (size_t i = 0; i < count; i++)
        scaled[i] = coefficients[i];
    clear_divisors(motion, scaled, count, constants, constant_count);
    while (first < count && expr_is_zero(pool, scaled[first]))
        first++;
    Expr sign = expr_int(pool, first < count && is_negative(pool, scaled[first]) ? -1 : 1);
    for (size_t i = 0; i < count; i++)
        terms[i] = expr_product(pool, (Expr[]){sign, scaled[i], functions[i]}, 3);
    Expr sum = algebra_simplify(motion->algebra, expr_sum(pool, terms, count));
    base_free(scaled);
    base_free(constants);
    return expr_div(pool, sum, ansatz_factor(motion, sum));
}

Expr ansatz_factor(Motion *motion, Expr value)
{
    ExprPool *pool = motion->pool;
    size_t constant_count;
    Expr *constants = ansatz_constants(motion, &constant_count);
    Expr rest = value, opposite, all = expr_int(pool, 1);
    while (constant_power(pool, rest, false, constants, constant_count, &opposite)) {
        rest = expr_mul(pool, rest, opposite);
        all = expr_div(pool, all, opposite);
    }
    fmpq_t number;
    fmpq_init(number);
    expr_strip(pool, rest, number);
    all = expr_mul(pool, all, expr_number(pool, number));
    fmpq_clear(number);
    base_free(constants);
    return all;
}

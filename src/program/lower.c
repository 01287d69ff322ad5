// lower.c: expressions become instructions.
//
// The nodes are visited children first, each once, so that what outputs share is computed
// once; instructions are interned besides, which shares what nodes do not show (the square
// inside x²·y and x²·z). A sum becomes a chain of additions, its factors multiplied in; a
// product multiplies powers made by repeated squaring, those first that other products multiply
// too, and divides once, by everything that has a negative exponent.
#include "expr/open_functions.h"
#include "linalg/tolerances.h"
#include "program/program_impl.h"

#include <math.h>
#include <string.h>

enum {
    NO_VALUE = UINT32_MAX,
    MOST_BELOW = 8, // powers beyond it are powers of the inverse, which does not overflow
};

typedef struct {
    const ExprPool *pool;
    Builder builder;
    uint32_t *values; // of every node, by its index
    uint32_t *reads;  // how often nodes read it; NULL where that is not known
    Pairs pairs;
} Lowering;

// What a product multiplies: values, and the nodes that they are of, NO_VALUE for powers and for
// what was multiplied already.
typedef struct {
    uint32_t value, node;
} Factor;
typedef ARRAY(Factor) Factors;

// ---- Sums.

static uint32_t lower_scaled_term(Lowering *low, Expr e, const fmpq *number);

static uint32_t add(Lowering *low, uint32_t sum, uint32_t term, bool minus)
{
    return builder_emit(&low->builder, minus ? PROGRAM_SUB : PROGRAM_ADD, sum, term);
}

static bool is_switch(const Lowering *low, Expr e)
{
    ExprOp op = expr_op(low->pool, e);
    return op == EXPR_SIGN || op == EXPR_ABS || op == EXPR_MIN || op == EXPR_MAX;
}

// Whether terms i and j are switches with the same factor but for its sign.
static bool are_partners(const Lowering *low, Expr e, size_t i, size_t j)
{
    const fmpq *a = expr_arg_weight(low->pool, e, i), *b = expr_arg_weight(low->pool, e, j);
    return is_switch(low, expr_arg(low->pool, e, i)) && is_switch(low, expr_arg(low->pool, e, j)) &&
           fmpz_cmpabs(fmpq_numref(a), fmpq_numref(b)) == 0 &&
           fmpz_equal(fmpq_denref(a), fmpq_denref(b));
}

// Whether term i goes with an earlier one. Switches with the same factor are added before they are
// multiplied: what is switched off, as k·(sign(a) − sign(b)), is then 0 and not a rounding.
static bool is_taken(const Lowering *low, Expr e, size_t i)
{
    bool taken = false;
    for (size_t j = 0; is_switch(low, expr_arg(low->pool, e, i)) && j < i && !taken; j++)
        taken = are_partners(low, e, i, j);
    return taken;
}

// Term i with those that go with it, without the size of its factor.
static uint32_t lower_term(Lowering *low, Expr e, size_t i)
{
    uint32_t term = low->values[expr_arg(low->pool, e, i).at];
    int sign = fmpq_sgn(expr_arg_weight(low->pool, e, i));
    bool alone = !is_switch(low, expr_arg(low->pool, e, i));
    for (size_t j = i + 1; !alone && j < expr_arg_count(low->pool, e); j++)
        if (are_partners(low, e, i, j))
            term = add(low, term, low->values[expr_arg(low->pool, e, j).at],
                       fmpq_sgn(expr_arg_weight(low->pool, e, j)) != sign);
    return term;
}

// The term that a sum without a constant, times a number of this sign, begins with: one without
// minus, so that no negation is spent, or the last.
static size_t first_term(const Lowering *low, Expr e, int sign)
{
    size_t last = expr_arg_count(low->pool, e) - 1;
    while (is_taken(low, e, last))
        last--;
    for (size_t i = 0; i < last; i++)
        if (sign * fmpq_sgn(expr_arg_weight(low->pool, e, i)) > 0 && !is_taken(low, e, i))
            return i;
    return last;
}

// Term i times the size of the weight.
static uint32_t lower_weighted_term(Lowering *low, Expr e, size_t i, const fmpq *weight)
{
    fmpq_t size;
    fmpq_init(size);
    fmpq_abs(size, weight);
    uint32_t term = NO_VALUE;
    if (!fmpq_is_one(size))
        term = lower_scaled_term(low, expr_arg(low->pool, e, i), size);
    if (term == NO_VALUE) {
        term = lower_term(low, e, i);
        if (!fmpq_is_one(size))
            term = builder_emit(&low->builder, PROGRAM_MUL, builder_constant(&low->builder, size),
                                term);
    }
    fmpq_clear(size);
    return term;
}

// factor·(c + Σ kᵢ·tᵢ).
static uint32_t lower_scaled_sum(Lowering *low, Expr e, const fmpq *factor)
{
    size_t count = expr_arg_count(low->pool, e), first = count;
    uint32_t sum = NO_VALUE;
    fmpq_t weight;
    fmpq_init(weight);
    if (!fmpq_is_zero(expr_value(low->pool, e))) {
        fmpq_mul(weight, factor, expr_value(low->pool, e));
        sum = builder_constant(&low->builder, weight);
    } else {
        first = first_term(low, e, fmpq_sgn(factor));
        fmpq_mul(weight, factor, expr_arg_weight(low->pool, e, first));
        sum = fmpq_is_one(weight) ? NO_VALUE
                                  : lower_scaled_term(low, expr_arg(low->pool, e, first), weight);
        if (sum == NO_VALUE)
            sum = lower_term(low, e, first);
        else
            fmpq_one(weight);
        if (!fmpq_is_one(weight))
            sum = builder_emit(&low->builder, PROGRAM_MUL, builder_constant(&low->builder, weight),
                               sum);
    }
    for (size_t i = 0; i < count; i++) {
        if (i == first || is_taken(low, e, i))
            continue;
        fmpq_mul(weight, factor, expr_arg_weight(low->pool, e, i));
        uint32_t term = lower_weighted_term(low, e, i, weight);
        sum = add(low, sum, term, fmpq_sgn(weight) < 0);
    }
    fmpq_clear(weight);
    return sum;
}

static bool is_power_of_two(const fmpq *x)
{
    fmpz_t size;
    fmpz_init(size);
    fmpz_abs(size, fmpq_numref(x));
    fmpz_mul(size, size, fmpq_denref(x)); // one of them is 1
    bool is = fmpz_sgn(size) > 0 && fmpz_val2(size) + 1 == fmpz_bits(size);
    fmpz_clear(size);
    return is;
}

// Whether all terms are symbols times ±k, k·x is rounded, and there is no constant c or a large
// one. Then k·(c/k + x) has more digits than c + k·x where these cancel, as in tanh((t
// - 3.7)/1e-5): x + c/k is exact there.
static bool has_common_factor(const Lowering *low, Expr e)
{
    const fmpq *k = expr_arg_weight(low->pool, e, 0);
    double c = fabs(program_nearest_real(expr_value(low->pool, e)));
    bool common = !fmpq_is_pm1(k) && (c == 0 || TOL_COARSE * c > 1);
    for (size_t i = 0; i < expr_arg_count(low->pool, e) && common; i++) {
        const fmpq *own = expr_arg_weight(low->pool, e, i);
        common = expr_op(low->pool, expr_arg(low->pool, e, i)) == EXPR_SYMBOL &&
                 fmpz_cmpabs(fmpq_numref(own), fmpq_numref(k)) == 0 &&
                 fmpz_equal(fmpq_denref(own), fmpq_denref(k));
    }
    return common && !is_power_of_two(k);
}

// c + Σ kᵢ·tᵢ.
static uint32_t lower_sum(Lowering *low, Expr e)
{
    fmpq_t one, factor;
    fmpq_init(one);
    fmpq_init(factor);
    fmpq_one(one);
    bool common = has_common_factor(low, e);
    if (common)
        fmpq_pow_si(one, expr_arg_weight(low->pool, e, 0), -1);
    uint32_t sum = lower_scaled_sum(low, e, one);
    if (common) {
        fmpq_pow_si(factor, one, -1);
        sum =
            builder_emit(&low->builder, PROGRAM_MUL, builder_constant(&low->builder, factor), sum);
    }
    fmpq_clear(factor);
    fmpq_clear(one);
    return sum;
}

// Whether a product with this number is none where the sum takes it over: its factors are no more
// often other than ±1 than before. No digit is lost by that: the number is a power of two, or takes
// the same factor from all terms.
static bool takes_over(const Lowering *low, Expr e, const fmpq *number)
{
    size_t count = expr_arg_count(low->pool, e), before = 0, after = 0;
    fmpq_t weight;
    fmpq_init(weight);
    for (size_t i = 0; i < count; i++) {
        const fmpq *own = expr_arg_weight(low->pool, e, i);
        fmpq_mul(weight, number, own);
        before += !fmpq_is_pm1(own);
        after += !fmpq_is_pm1(weight);
    }
    fmpq_clear(weight);
    return after <= before && (after == 0 || is_power_of_two(number));
}

// ---- Products.

// base^exponent for exponent > 0, by the binary digits from the top.
static uint32_t lower_power(Lowering *low, uint32_t base, const fmpz_t exponent)
{
    uint32_t power = base;
    for (ulong bit = fmpz_bits(exponent) - 1; bit-- > 0;) {
        power = builder_emit(&low->builder, PROGRAM_MUL, power, power);
        if (fmpz_tstbit(exponent, bit))
            power = builder_emit(&low->builder, PROGRAM_MUL, power, base);
    }
    return power;
}

// base^|exponent|.
static uint32_t lower_factor(Lowering *low, uint32_t base, const fmpq *exponent)
{
    fmpq_t size;
    fmpq_init(size);
    fmpq_abs(size, exponent);
    uint32_t factor;
    if (fmpz_is_one(fmpq_denref(size))) {
        factor = lower_power(low, base, fmpq_numref(size));
    } else if (fmpz_equal_ui(fmpq_denref(size), 2)) {
        factor = builder_emit(&low->builder, PROGRAM_SQRT, base, 0);
        fmpz_fdiv_q_2exp(fmpq_numref(size), fmpq_numref(size), 1);
        if (!fmpz_is_zero(fmpq_numref(size))) {
            uint32_t whole = lower_power(low, base, fmpq_numref(size));
            factor = builder_emit(&low->builder, PROGRAM_MUL, whole, factor);
        }
    } else {
        factor = builder_emit(&low->builder, PROGRAM_CALL_POW, base,
                              builder_constant(&low->builder, size));
    }
    fmpq_clear(size);
    return factor;
}

static uint32_t lower_inverse(Lowering *low, uint32_t base)
{
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    uint32_t above = builder_constant(&low->builder, one);
    fmpq_clear(one);
    return builder_emit(&low->builder, PROGRAM_DIV, above, base);
}

// The two factors that stand side by side most often; false where no other product has them.
static bool find_pair(const Lowering *low, const Factors *factors, size_t *one, size_t *other)
{
    uint32_t most = 1;
    for (size_t i = 1; i < factors->count; i++)
        for (size_t j = 0; j < i; j++) {
            uint32_t a = factors->at[j].node, b = factors->at[i].node;
            uint32_t times = a == NO_VALUE || b == NO_VALUE ? 0 : pairs_times(&low->pairs, a, b);
            if (times > most) {
                most = times;
                *one = j;
                *other = i;
            }
        }
    return most > 1;
}

// Their product; NO_VALUE for none.
static uint32_t multiply(Lowering *low, Factors *factors)
{
    for (size_t one, other; factors->count > 2 && find_pair(low, factors, &one, &other);) {
        uint32_t both = builder_emit(&low->builder, PROGRAM_MUL, factors->at[one].value,
                                     factors->at[other].value);
        factors->at[one] = (Factor){both, NO_VALUE};
        factors->at[other] = factors->at[--factors->count];
    }
    uint32_t product = NO_VALUE;
    for (size_t i = 0; i < factors->count; i++) {
        uint32_t factor = factors->at[i].value;
        product = i == 0 ? factor : builder_emit(&low->builder, PROGRAM_MUL, product, factor);
    }
    return product;
}

// The factor that takes the product's number over: a sum that nobody else reads; as many as there
// are factors for none.
static size_t find_taker(const Lowering *low, Expr e, const fmpq *number)
{
    size_t count = expr_arg_count(low->pool, e), i = low->reads && !fmpq_is_pm1(number) ? 0 : count;
    for (; i < count; i++) {
        Expr factor = expr_arg(low->pool, e, i);
        if (expr_op(low->pool, factor) == EXPR_SUM && low->reads[factor.at] == 1 &&
            fmpq_is_one(expr_arg_weight(low->pool, e, i)) && takes_over(low, factor, number))
            break;
    }
    return i;
}

// number·Π bᵢ^eᵢ.
static uint32_t lower_scaled_product(Lowering *low, Expr e, const fmpq *value)
{
    Factors sides[2] = {{0}, {0}}; // above and below the line
    size_t count = expr_arg_count(low->pool, e), taker = find_taker(low, e, value);
    for (size_t i = 0; i < count; i++) {
        const fmpq *exponent = expr_arg_weight(low->pool, e, i);
        uint32_t node = expr_arg(low->pool, e, i).at, base = low->values[node];
        if (i == taker)
            base = low->values[node] = lower_scaled_sum(low, (Expr){node}, value);
        bool below = fmpq_sgn(exponent) < 0;
        // b^|e| may be too large for a double where b^e is as good as 0.
        if (below && fmpq_cmp_si(exponent, -MOST_BELOW) < 0) {
            base = lower_inverse(low, base);
            below = false;
        }
        Factor factor = {lower_factor(low, base, exponent),
                         fmpq_is_pm1(exponent) ? node : NO_VALUE};
        array_push(&sides[below], factor);
    }
    uint32_t above = multiply(low, &sides[0]), below = multiply(low, &sides[1]);
    array_clear(&sides[0]);
    array_clear(&sides[1]);
    if (above == NO_VALUE)
        above = builder_constant(&low->builder, value);
    else if (fmpq_is_pm1(value) && fmpq_sgn(value) < 0)
        above = builder_emit(&low->builder, PROGRAM_NEG, above, 0);
    else if (!fmpq_is_one(value) && taker == count)
        above =
            builder_emit(&low->builder, PROGRAM_MUL, builder_constant(&low->builder, value), above);
    return below == NO_VALUE ? above : builder_emit(&low->builder, PROGRAM_DIV, above, below);
}

static uint32_t lower_product(Lowering *low, Expr e)
{
    return lower_scaled_product(low, e, expr_value(low->pool, e));
}

// A sum's term times a number: where it is a product that nobody else reads, and one of its factors
// takes the number over. NO_VALUE where not.
static uint32_t lower_scaled_term(Lowering *low, Expr e, const fmpq *number)
{
    uint32_t term = NO_VALUE;
    if (expr_op(low->pool, e) != EXPR_PRODUCT || !low->reads || low->reads[e.at] != 1)
        return term;
    fmpq_t all;
    fmpq_init(all);
    fmpq_mul(all, expr_value(low->pool, e), number);
    if (find_taker(low, e, all) < expr_arg_count(low->pool, e))
        term = lower_scaled_product(low, e, all);
    fmpq_clear(all);
    return term;
}

// ---- Tables.

static uint32_t whole_number(Lowering *low, size_t number)
{
    fmpq_t value;
    fmpq_init(value);
    fmpq_set_si(value, (slong)number, 1);
    uint32_t constant = builder_constant(&low->builder, value);
    fmpq_clear(value);
    return constant;
}

static uint32_t lower_column(Lowering *low, const ExprTable *table, uint32_t piece, int column)
{
    size_t number = table->number * TABLE_COLUMNS + (size_t)column;
    return builder_emit(&low->builder, PROGRAM_COLUMN, piece, whole_number(low, number));
}

// A table or a derivative of it: Σ c_j·j!/(j − order)!·(u − start)^(j − order), by Horner's rule.
static uint32_t lower_table(Lowering *low, Expr e)
{
    const ExprTable *table = expr_table_of(low->pool, e);
    Builder *builder = &low->builder;
    uint32_t u = low->values[expr_arg(low->pool, e, 0).at];
    int degree = expr_table_degree(table), order = (int)expr_open_of(low->pool, e)->order;
    if (order > degree)
        return whole_number(low, 0);
    uint32_t piece = builder_emit(builder, PROGRAM_PIECE, u, whole_number(low, table->pieces));
    uint32_t past =
        builder_emit(builder, PROGRAM_SUB, u, lower_column(low, table, piece, TABLE_START));
    uint32_t sum = NO_VALUE;
    for (int j = degree; j >= order; j--) {
        uint32_t term = lower_column(low, table, piece, j);
        size_t factor = 1;
        for (int k = 0; k < order; k++)
            factor *= (size_t)(j - k);
        if (factor > 1)
            term = builder_emit(builder, PROGRAM_MUL, whole_number(low, factor), term);
        if (sum != NO_VALUE)
            term = builder_emit(builder, PROGRAM_ADD, builder_emit(builder, PROGRAM_MUL, sum, past),
                                term);
        sum = term;
    }
    return sum;
}

static uint32_t lower_node(Lowering *low, Expr e)
{
    ExprOp op = expr_op(low->pool, e);
    switch (op) {
    case EXPR_NUMBER: return builder_constant(&low->builder, expr_value(low->pool, e));
    case EXPR_PI: return builder_pi(&low->builder);
    case EXPR_SUM: return lower_sum(low, e);
    case EXPR_PRODUCT: return lower_product(low, e);
    case EXPR_OPEN: return lower_table(low, e);
    default: break;
    }
    uint32_t a = low->values[expr_arg(low->pool, e, 0).at];
    uint32_t b = expr_op_arity(op) == 2 ? low->values[expr_arg(low->pool, e, 1).at] : 0;
    return builder_emit(&low->builder, (uint32_t)PROGRAM_FUNCTIONS + (uint32_t)op, a, b);
}

// ---- Programs.

// Gives every node a value; false, and which, where a symbol or an open function has none.
static bool lower_nodes(Lowering *low, const ExprList *nodes, Expr *missing)
{
    for (size_t i = 0; i < nodes->count; i++) {
        Expr e = {nodes->at[i]};
        if (low->values[e.at] != NO_VALUE)
            continue;
        if (!expr_is_symbol(low->pool, e) &&
            (expr_op(low->pool, e) != EXPR_OPEN || expr_table_of(low->pool, e))) {
            low->values[e.at] = lower_node(low, e);
        } else {
            if (missing)
                *missing = e;
            return false;
        }
    }
    return true;
}

static void count_reads(Lowering *low, const ProgramDefinition *definitions,
                        size_t definition_count, const Expr *outputs, size_t output_count)
{
    size_t count = definition_count + output_count;
    Expr *roots = base_alloc((count + 1) * sizeof *roots);
    for (size_t i = 0; i < count; i++)
        roots[i] = i < definition_count ? definitions[i].value : outputs[i - definition_count];
    ExprList nodes = expr_nodes(low->pool, roots, count);
    pairs_count(&low->pairs, low->pool, &nodes);
    for (size_t i = 0; i < nodes.count; i++)
        for (size_t j = 0; j < expr_arg_count(low->pool, (Expr){nodes.at[i]}); j++)
            low->reads[expr_arg(low->pool, (Expr){nodes.at[i]}, j).at]++;
    // What is given out is read beside.
    for (size_t i = 0; i < count; i++)
        low->reads[roots[i].at]++;
    expr_list_free(&nodes);
    base_free(roots);
}

// Gives a value to everything that `e` is made of and does not have one yet.
static bool lower_all(Lowering *low, const Expr *roots, size_t count, Expr *missing)
{
    ExprList nodes = expr_nodes(low->pool, roots, count);
    bool whole = lower_nodes(low, &nodes, missing);
    expr_list_free(&nodes);
    return whole;
}

bool program_lower(const ExprPool *pool, Builder *builder, uint32_t *values, Expr e)
{
    if (values[e.at] != NO_VALUE)
        return true;
    Lowering low = {.pool = pool, .builder = *builder, .values = values};
    bool whole = lower_all(&low, &e, 1, NULL);
    *builder = low.builder;
    return whole;
}

static Program *finish(Lowering *low, size_t input_count, const Expr *outputs, size_t output_count)
{
    uint32_t *values = base_alloc((output_count + 1) * sizeof *values);
    for (size_t i = 0; i < output_count; i++)
        values[i] = low->values[outputs[i].at];
    Program *program = builder_finish(&low->builder, input_count, values, output_count);
    base_free(values);
    return program;
}

Program *program_new(const ExprPool *pool, const Expr *inputs, size_t input_count,
                     const Expr *outputs, size_t output_count, Expr *missing)
{
    return program_new_defined(pool, inputs, input_count, NULL, 0, outputs, output_count, missing);
}

Program *program_new_defined(const ExprPool *pool, const Expr *inputs, size_t input_count,
                             const ProgramDefinition *definitions, size_t definition_count,
                             const Expr *outputs, size_t output_count, Expr *missing)
{
    Lowering low = {.pool = pool, .builder = {.pi_at = -1, .tables = expr_tables(pool)}};
    size_t node_count = expr_pool_size(pool) + 1;
    low.values = base_alloc(node_count * sizeof *low.values);
    memset(low.values, 0xFF, node_count * sizeof *low.values);
    for (size_t i = 0; i < input_count; i++)
        low.values[inputs[i].at] = VALUE_INPUT | (uint32_t)i;
    low.reads = base_alloc(node_count * sizeof *low.reads);
    count_reads(&low, definitions, definition_count, outputs, output_count);
    bool whole = true;
    for (size_t i = 0; i < definition_count && whole; i++) {
        whole = lower_all(&low, &definitions[i].value, 1, missing);
        if (whole)
            low.values[definitions[i].symbol.at] = low.values[definitions[i].value.at];
    }
    Program *program = NULL;
    if (whole && lower_all(&low, outputs, output_count, missing))
        program = finish(&low, input_count, outputs, output_count);
    builder_clear(&low.builder);
    pairs_clear(&low.pairs);
    base_free(low.reads);
    base_free(low.values);
    return program;
}

// build.c: canonical sums, products and powers.
//
// A sum is put together in rounds: like terms are collected, then sums among the terms are
// merged if the whole stays within MERGE_LIMIT parts, until nothing is left to merge; sums of
// one part lengthen nothing and are always merged. The rule looks only at what is collected,
// never at the order of the terms, so that building a node again from its own parts gives the
// same node. Products likewise.
#include "expr/expr_impl.h"

#include <assert.h>
#include <stdlib.h>

static int link_order(const void *a, const void *b)
{
    const Link *left = a, *right = b;
    return (left->arg > right->arg) - (left->arg < right->arg);
}

static void sort_links(Link *links, size_t count)
{
    // Short lists are the rule, and insertion beats a call for them.
    if (count > 16) {
        qsort(links, count, sizeof *links, link_order);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        Link link = links[i];
        size_t j = i;
        for (; j > 0 && links[j - 1].arg > link.arg; j--)
            links[j] = links[j - 1];
        links[j] = link;
    }
}

// Adds the weights of equal args and drops those that vanish.
static void collect(ExprPool *pool, Gather *gather)
{
    Link *parts = gather->parts.at;
    size_t count = gather->parts.count, kept = 0;
    sort_links(parts, count);
    for (size_t i = 0; i < count;) {
        Link link = parts[i++];
        while (i < count && parts[i].arg == link.arg)
            link.weight = number_add(pool, link.weight, parts[i++].weight);
        if (link.weight != NUMBER_ZERO)
            parts[kept++] = link;
    }
    gather->parts.count = kept;
}

// Builders are nested nowhere, so that one gathering place serves them all; it is handed out
// empty and must be given back.
static Gather gather_take(ExprPool *pool, uint32_t value)
{
    Gather gather = pool->gather;
    pool->gather = (Gather){0};
    gather.parts.count = 0;
    gather.value = value;
    return gather;
}

static void gather_give(ExprPool *pool, Gather *gather)
{
    array_clear(&pool->gather.parts);
    pool->gather = *gather;
}

// Whether the part is a node of the operation itself, of at most this many parts.
static bool part_merges(const ExprPool *pool, ExprOp op, Link part, size_t most)
{
    const Node *node = node_of(pool, (Expr){part.arg});
    return node->op == op && node->count <= most &&
           (op == EXPR_SUM || number_is_integer(pool, part.weight));
}

// The largest inner nodes to be merged now, in parts; 0 where none is.
static size_t merge_bound(const ExprPool *pool, const Gather *gather, ExprOp op)
{
    size_t size = 0, least = SIZE_MAX;
    for (size_t i = 0; i < gather->parts.count; i++) {
        Link part = gather->parts.at[i];
        bool inner = part_merges(pool, op, part, SIZE_MAX);
        size_t count = inner ? expr_arg_count(pool, (Expr){part.arg}) : 1;
        size += count;
        if (inner && count < least)
            least = count;
    }
    if (least == SIZE_MAX)
        return 0;
    return size <= MERGE_LIMIT ? MERGE_LIMIT : least == 1;
}

static void product_take_number(ExprPool *pool, Gather *gather, uint32_t base, uint32_t exponent);

// Puts the parts of inner nodes in their place, with what they are added or multiplied by.
static void merge_inner(ExprPool *pool, Gather *gather, ExprOp op, size_t most)
{
    size_t outer = gather->parts.count, kept = 0;
    for (size_t i = 0; i < outer; i++) {
        Link part = gather->parts.at[i];
        const Node node = *node_of(pool, (Expr){part.arg});
        if (!part_merges(pool, op, part, most)) {
            gather->parts.at[kept++] = part;
            continue;
        }
        if (op == EXPR_SUM)
            gather->value =
                number_add(pool, gather->value, number_mul(pool, node.value, part.weight));
        else if (node.value != NUMBER_ONE)
            product_take_number(pool, gather, node.value, part.weight);
        for (size_t j = 0; j < node.count; j++) {
            Link inner = pool->links.at[node.first + j];
            inner.weight = number_mul(pool, inner.weight, part.weight);
            array_push(&gather->parts, inner);
        }
    }
    // What was merged in stands behind the outer parts.
    size_t total = gather->parts.count;
    for (size_t i = outer; i < total; i++)
        gather->parts.at[kept++] = gather->parts.at[i];
    gather->parts.count = kept;
}

// ---- Sums.

static void sum_take_term(ExprPool *pool, Gather *gather, Expr term, uint32_t weight)
{
    const Node *node = node_of(pool, term);
    if (node->op == EXPR_NUMBER) {
        uint32_t value = number_mul(pool, node->value, weight);
        gather->value = number_add(pool, gather->value, value);
    } else if (node->op == EXPR_PRODUCT && node->value != NUMBER_ONE) {
        weight = number_mul(pool, node->value, weight);
        // The product without its coefficient; its links move when the pool grows.
        size_t count = node->count;
        const Link *links = links_of(pool, term);
        Expr rest = count == 1 && links[0].weight == NUMBER_ONE ? (Expr){links[0].arg} : (Expr){0};
        if (expr_is_none(rest)) {
            array_reserve(&pool->merged, count);
            for (size_t i = 0; i < count; i++)
                pool->merged.at[i] = links[i];
            rest = node_intern(pool, EXPR_PRODUCT, NUMBER_ONE, pool->merged.at, count);
        }
        array_push(&gather->parts, ((Link){rest.at, weight}));
    } else {
        array_push(&gather->parts, ((Link){term.at, weight}));
    }
}

static Expr sum_finish(ExprPool *pool, Gather *gather)
{
    for (;;) {
        collect(pool, gather);
        size_t count = gather->parts.count;
        if (count == 0)
            return node_intern(pool, EXPR_NUMBER, gather->value, NULL, 0);
        if (count == 1 && gather->value == NUMBER_ZERO)
            return build_scaled(pool, gather->parts.at[0].weight, (Expr){gather->parts.at[0].arg});
        size_t most = merge_bound(pool, gather, EXPR_SUM);
        if (most == 0)
            return node_intern(pool, EXPR_SUM, gather->value, gather->parts.at, count);
        merge_inner(pool, gather, EXPR_SUM, most);
    }
}

Expr build_sum(ExprPool *pool, uint32_t constant, const Link *terms, size_t count)
{
    Gather gather = gather_take(pool, constant);
    for (size_t i = 0; i < count; i++)
        sum_take_term(pool, &gather, (Expr){terms[i].arg}, terms[i].weight);
    Expr sum = sum_finish(pool, &gather);
    gather_give(pool, &gather);
    return sum;
}

Expr expr_sum(ExprPool *pool, const Expr *terms, size_t count)
{
    Gather gather = gather_take(pool, NUMBER_ZERO);
    for (size_t i = 0; i < count; i++)
        sum_take_term(pool, &gather, terms[i], NUMBER_ONE);
    Expr sum = sum_finish(pool, &gather);
    gather_give(pool, &gather);
    return sum;
}

Expr expr_add(ExprPool *pool, Expr a, Expr b)
{
    if (expr_is_zero(pool, a))
        return b;
    if (expr_is_zero(pool, b))
        return a;
    return expr_sum(pool, (Expr[]){a, b}, 2);
}

Expr expr_sub(ExprPool *pool, Expr a, Expr b)
{
    if (expr_same(a, b))
        return expr_int(pool, 0);
    Link terms[] = {{a.at, NUMBER_ONE}, {b.at, NUMBER_MINUS_ONE}};
    return build_sum(pool, NUMBER_ZERO, terms, 2);
}

Expr expr_neg(ExprPool *pool, Expr a)
{
    return build_scaled(pool, NUMBER_MINUS_ONE, a);
}

Expr build_negated_sum(ExprPool *pool, Expr e)
{
    assert(expr_op(pool, e) == EXPR_SUM);
    const Node node = *node_of(pool, e);
    Link *terms = base_alloc(node.count * sizeof *terms);
    for (size_t i = 0; i < node.count; i++) {
        terms[i] = pool->links.at[node.first + i];
        terms[i].weight = number_mul(pool, terms[i].weight, NUMBER_MINUS_ONE);
    }
    uint32_t constant = number_mul(pool, node.value, NUMBER_MINUS_ONE);
    Expr negated = build_sum(pool, constant, terms, node.count);
    base_free(terms);
    return negated;
}

// ---- Products.

// value^exponent for exponents that stay within this many bits are worked out.
enum { LARGEST_POWER_BITS = 1 << 16 };

static bool power_is_small(const fmpq_t base, const fmpz_t exponent)
{
    if (!fmpz_fits_si(exponent))
        return false;
    slong power = fmpz_get_si(exponent);
    ulong bits = (ulong)fmpz_bits(fmpq_numref(base)) + (ulong)fmpz_bits(fmpq_denref(base));
    ulong size = power < 0 ? (ulong)-power : (ulong)power;
    return bits <= 2 || size <= LARGEST_POWER_BITS / bits;
}

// base^(p/q) exactly, where base > 0 and the root is rational.
static bool exact_root(fmpq_t root, const fmpq_t base, const fmpz_t q)
{
    if (fmpq_sgn(base) <= 0 || fmpz_cmp_ui(q, 64) > 0)
        return false;
    slong degree = fmpz_get_si(q);
    fmpz_root(fmpq_numref(root), fmpq_numref(base), degree);
    fmpz_root(fmpq_denref(root), fmpq_denref(base), degree);
    fmpq_t back;
    fmpq_init(back);
    fmpq_pow_si(back, root, degree);
    bool exact = fmpq_equal(back, base);
    fmpq_clear(back);
    return exact;
}

// Works the power of a number out as far as it is rational. What is left is a number with an
// exponent between 0 and 1, or one that is too large to be worked out: *rest, where *left.
static void number_power(const fmpq_t base, const fmpq_t exponent, fmpq_t value, fmpq_t rest,
                         bool *left)
{
    fmpz_t whole;
    fmpz_init(whole);
    fmpz_fdiv_q(whole, fmpq_numref(exponent), fmpq_denref(exponent));
    fmpq_one(value);
    fmpq_set(rest, exponent);
    *left = true;
    if (fmpq_is_one(base)) {
        *left = false;
    } else if (fmpq_is_zero(base)) {
        if (fmpq_sgn(exponent) > 0) {
            fmpq_zero(value);
            *left = false;
        }
    } else if (power_is_small(base, whole)) {
        fmpq_pow_si(value, base, fmpz_get_si(whole));
        fmpq_sub_fmpz(rest, exponent, whole);
        *left = !fmpq_is_zero(rest);
        fmpq_t root;
        fmpq_init(root);
        if (*left && exact_root(root, base, fmpq_denref(rest))) {
            fmpq_pow_si(root, root, fmpz_get_si(fmpq_numref(rest)));
            fmpq_mul(value, value, root);
            *left = false;
        }
        fmpq_clear(root);
    }
    fmpz_clear(whole);
}

static void product_take_number(ExprPool *pool, Gather *gather, uint32_t base, uint32_t exponent)
{
    fmpq_t value, rest;
    fmpq_init(value);
    fmpq_init(rest);
    bool left;
    number_power(number_value(pool, base), number_value(pool, exponent), value, rest, &left);
    gather->value = number_mul(pool, gather->value, number_intern(pool, value));
    if (left) {
        Expr number = node_intern(pool, EXPR_NUMBER, base, NULL, 0);
        array_push(&gather->parts, ((Link){number.at, number_intern(pool, rest)}));
    }
    fmpq_clear(value);
    fmpq_clear(rest);
}

// A product's coefficient is carried out of it where that is allowed: (c·p)^e = c^e·p^e for
// whole e, or for c > 0.
static void product_take_factor(ExprPool *pool, Gather *gather, Expr factor, uint32_t exponent)
{
    const Node node = *node_of(pool, factor);
    if (node.op == EXPR_NUMBER) {
        product_take_number(pool, gather, node.value, exponent);
        return;
    }
    if (node.op == EXPR_PRODUCT && node.value != NUMBER_ONE &&
        (number_is_integer(pool, exponent) || number_sign(pool, node.value) > 0)) {
        product_take_number(pool, gather, node.value, exponent);
        Gather inner = gather_take(pool, NUMBER_ZERO);
        sum_take_term(pool, &inner, factor, NUMBER_ONE);
        factor = (Expr){inner.parts.at[0].arg};
        gather_give(pool, &inner);
    }
    array_push(&gather->parts, ((Link){factor.at, exponent}));
}

// Powers of numbers that have become rational after collecting, and coefficients that a root
// kept inside a product and that may come out now. True where something was folded.
static bool product_fold_numbers(ExprPool *pool, Gather *gather)
{
    bool folded = false;
    size_t count = gather->parts.count;
    for (size_t i = 0; i < count; i++) {
        Link part = gather->parts.at[i];
        const Node node = *node_of(pool, (Expr){part.arg});
        bool number = node.op == EXPR_NUMBER;
        if (!number && (node.op != EXPR_PRODUCT || node.value == NUMBER_ONE))
            continue;
        // What comes out stands behind the parts until one of it takes this place.
        size_t before = gather->parts.count;
        uint32_t value = gather->value;
        gather->parts.at[i].weight = NUMBER_ZERO;
        product_take_factor(pool, gather, (Expr){part.arg}, part.weight);
        size_t out = gather->parts.count - before;
        Link last = out ? gather->parts.at[gather->parts.count - 1] : gather->parts.at[i];
        if (out) {
            gather->parts.at[i] = last;
            gather->parts.count--;
        }
        folded = folded || out != 1 || gather->value != value || last.arg != part.arg ||
                 last.weight != part.weight;
    }
    return folded;
}

// 1/0, or what was made of it.
static bool is_pole(const ExprPool *pool, Expr e)
{
    return expr_is_zero(pool, e) || (expr_op(pool, e) == EXPR_PRODUCT &&
                                     expr_is_zero(pool, (Expr){links_of(pool, e)[0].arg}));
}

static bool divides_by_zero(const ExprPool *pool, const Gather *gather)
{
    for (size_t i = 0; i < gather->parts.count; i++)
        if (is_pole(pool, (Expr){gather->parts.at[i].arg}))
            return true;
    return false;
}

// c·Π. A coefficient stands before a long product as before one factor, so that splitting it
// off (for a sum's term) and putting it back gives the same node.
static Expr product_intern(ExprPool *pool, const Gather *gather)
{
    size_t count = gather->parts.count;
    if (count <= MERGE_LIMIT || gather->value == NUMBER_ONE)
        return node_intern(pool, EXPR_PRODUCT, gather->value, gather->parts.at, count);
    Expr plain = node_intern(pool, EXPR_PRODUCT, NUMBER_ONE, gather->parts.at, count);
    Link link = {plain.at, NUMBER_ONE};
    return node_intern(pool, EXPR_PRODUCT, gather->value, &link, 1);
}

// A short product inside a long one carries its power within, as it does where it stands alone:
// (x·y)² is x²·y² in both places. True where something changed.
static bool product_settle_powers(ExprPool *pool, Gather *gather)
{
    size_t outer = gather->parts.count, kept = 0;
    for (size_t i = 0; i < outer; i++) {
        Link part = gather->parts.at[i];
        if (part.weight == NUMBER_ONE || !part_merges(pool, EXPR_PRODUCT, part, MERGE_LIMIT))
            gather->parts.at[kept++] = part;
        else
            product_take_factor(pool, gather, build_product(pool, NUMBER_ONE, &part, 1),
                                NUMBER_ONE);
    }
    bool changed = kept < outer;
    size_t total = gather->parts.count;
    for (size_t i = outer; i < total; i++)
        gather->parts.at[kept++] = gather->parts.at[i];
    gather->parts.count = kept;
    return changed;
}

static Expr product_finish(ExprPool *pool, Gather *gather)
{
    for (;;) {
        do
            collect(pool, gather);
        while (product_fold_numbers(pool, gather));
        // 1/0 is kept as it is written, whatever it is multiplied by: evaluation meets it.
        if (divides_by_zero(pool, gather)) {
            Link zero = {expr_int(pool, 0).at, NUMBER_MINUS_ONE};
            return node_intern(pool, EXPR_PRODUCT, NUMBER_ONE, &zero, 1);
        }
        size_t count = gather->parts.count;
        if (count == 0 || gather->value == NUMBER_ZERO)
            return node_intern(pool, EXPR_NUMBER, gather->value, NULL, 0);
        if (count == 1 && gather->value == NUMBER_ONE && gather->parts.at[0].weight == NUMBER_ONE)
            return (Expr){gather->parts.at[0].arg};
        size_t most = merge_bound(pool, gather, EXPR_PRODUCT);
        if (most > 0)
            merge_inner(pool, gather, EXPR_PRODUCT, most);
        else if (!product_settle_powers(pool, gather))
            return product_intern(pool, gather);
    }
}

Expr build_product(ExprPool *pool, uint32_t coefficient, const Link *factors, size_t count)
{
    Gather gather = gather_take(pool, coefficient);
    for (size_t i = 0; i < count; i++)
        product_take_factor(pool, &gather, (Expr){factors[i].arg}, factors[i].weight);
    Expr product = product_finish(pool, &gather);
    gather_give(pool, &gather);
    return product;
}

Expr expr_product(ExprPool *pool, const Expr *factors, size_t count)
{
    Gather gather = gather_take(pool, NUMBER_ONE);
    for (size_t i = 0; i < count; i++)
        product_take_factor(pool, &gather, factors[i], NUMBER_ONE);
    Expr product = product_finish(pool, &gather);
    gather_give(pool, &gather);
    return product;
}

Expr build_scaled(ExprPool *pool, uint32_t number, Expr e)
{
    if (number == NUMBER_ONE)
        return e;
    Link factor = {e.at, NUMBER_ONE};
    return build_product(pool, number, &factor, 1);
}

Expr expr_mul(ExprPool *pool, Expr a, Expr b)
{
    // Most coefficients of most symbols are 0.
    if (expr_is_zero(pool, a) && expr_is_symbol(pool, b))
        return a;
    if (expr_is_one(pool, a))
        return b;
    if (expr_is_one(pool, b))
        return a;
    return expr_product(pool, (Expr[]){a, b}, 2);
}

Expr expr_div(ExprPool *pool, Expr a, Expr b)
{
    if (expr_is_zero(pool, a) && !expr_is_zero(pool, b))
        return a;
    Link factors[] = {{a.at, NUMBER_ONE}, {b.at, NUMBER_MINUS_ONE}};
    return build_product(pool, NUMBER_ONE, factors, 2);
}

Expr expr_pow(ExprPool *pool, Expr base, Expr exponent)
{
    if (expr_is_number(pool, exponent)) {
        if (expr_is_zero(pool, exponent))
            return expr_int(pool, 1);
        Link factor = {base.at, node_of(pool, exponent)->value};
        return build_product(pool, NUMBER_ONE, &factor, 1);
    }
    if (expr_is_one(pool, base))
        return base;
    Link links[] = {{base.at, 0}, {exponent.at, 0}};
    return node_intern(pool, EXPR_POW, 0, links, 2);
}

Expr expr_pow_int(ExprPool *pool, Expr base, int64_t exponent)
{
    return expr_pow(pool, base, expr_int(pool, exponent));
}

Expr expr_sqrt(ExprPool *pool, Expr a)
{
    return expr_pow(pool, a, expr_ratio(pool, 1, 2));
}

Expr expr_strip(ExprPool *pool, Expr e, fmpq_t factor)
{
    if (expr_is_number(pool, e)) {
        fmpq_set(factor, expr_value(pool, e));
        return expr_int(pool, 1);
    }
    Gather gather = gather_take(pool, NUMBER_ZERO);
    sum_take_term(pool, &gather, e, NUMBER_ONE);
    Expr rest = {gather.parts.at[0].arg};
    fmpq_set(factor, number_value(pool, gather.parts.at[0].weight));
    gather_give(pool, &gather);
    return rest;
}

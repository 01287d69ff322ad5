// pairs.c: which factors stand side by side in many products.
//
// A product of three factors is two multiplications in any order; in the order whose first one
// other products need too it is one more, not two. So every pair of factors is counted over all
// products, and a product begins with its commonest pair.
#include "program/program_impl.h"

#include <string.h>

// Of a product with more factors than this no pairs are counted: there would be too many.
enum { MOST_FACTORS = 24 };

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// Where a pair is, or the empty place where it would be. No key is 0: a pair has two nodes.
static Pair *find(const Pairs *pairs, uint64_t key)
{
    size_t mask = pairs->room - 1, at = (size_t)hash_mix(0, key) & mask;
    while (pairs->at[at].key != 0 && pairs->at[at].key != key)
        at = (at + 1) & mask;
    return pairs->at + at;
}

static void grow(Pairs *pairs)
{
    Pairs larger = {.room = pairs->room ? 2 * pairs->room : 256, .count = pairs->count};
    larger.at = base_alloc(larger.room * sizeof *larger.at);
    for (size_t i = 0; i < pairs->room; i++)
        if (pairs->at[i].key != 0)
            *find(&larger, pairs->at[i].key) = pairs->at[i];
    base_free(pairs->at);
    *pairs = larger;
}

static void count_pair(Pairs *pairs, uint32_t a, uint32_t b)
{
    if (2 * (pairs->count + 1) > pairs->room)
        grow(pairs);
    Pair *pair = find(pairs, key_of(a, b));
    pairs->count += pair->key == 0;
    pair->key = key_of(a, b);
    pair->times++;
}

// Powers of their own make no pairs. Factors pair on their own side of the fraction line.
static void count_product(Pairs *pairs, const ExprPool *pool, Expr product)
{
    size_t count = expr_arg_count(pool, product);
    for (size_t i = 0; i < count && count <= MOST_FACTORS; i++) {
        const fmpq *exponent = expr_arg_weight(pool, product, i);
        if (!fmpq_is_pm1(exponent))
            continue;
        for (size_t j = 0; j < i; j++)
            if (fmpq_equal(exponent, expr_arg_weight(pool, product, j)))
                count_pair(pairs, expr_arg(pool, product, i).at, expr_arg(pool, product, j).at);
    }
}

void pairs_count(Pairs *pairs, const ExprPool *pool, const ExprList *nodes)
{
    for (size_t i = 0; i < nodes->count; i++) {
        Expr e = {nodes->at[i]};
        if (expr_op(pool, e) == EXPR_PRODUCT)
            count_product(pairs, pool, e);
    }
}

uint32_t pairs_times(const Pairs *pairs, uint32_t a, uint32_t b)
{
    return pairs->count > 0 ? find(pairs, key_of(a, b))->times : 0;
}

void pairs_clear(Pairs *pairs)
{
    base_free(pairs->at);
    *pairs = (Pairs){0};
}

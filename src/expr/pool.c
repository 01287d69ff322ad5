// pool.c: the pool itself. Interns nodes and numbers, hands out scratch memory, and answers
// what a node is.
#include "expr/attachment.h"
#include "expr/expr_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FREE_NUMBER_SLOT = UINT32_MAX };

ExprPool *expr_pool_new(void)
{
    ExprPool *pool = base_alloc(sizeof *pool);
    pool->arena = arena_new();
    pool->symbols = name_map_new();
    pool->open_spellings = name_map_new();
    pool->idle = base_alloc(sizeof *pool->idle);
    pool->node_slot_count = 1024;
    pool->node_slots = base_alloc(pool->node_slot_count * sizeof *pool->node_slots);
    pool->number_slot_count = 64;
    size_t bytes = pool->number_slot_count * sizeof *pool->number_slots;
    pool->number_slots = base_alloc(bytes);
    memset(pool->number_slots, 0xFF, bytes);
    array_push(&pool->nodes, ((Node){EXPR_NONE, 0, 0, 0}));
    array_reserve(&pool->links, 1); // so that the links of a leaf have an address
    fmpq_t value;
    fmpq_init(value);
    static const slong fixed[NUMBER_FIXED_COUNT] = {0, 1, -1};
    for (uint32_t i = 0; i < NUMBER_FIXED_COUNT; i++) {
        fmpq_set_si(value, fixed[i], 1);
        uint32_t number = number_intern(pool, value);
        assert(number == i);
        (void)number;
    }
    fmpq_clear(value);
    return pool;
}

void expr_pool_free(ExprPool *pool)
{
    if (!pool)
        return;
    if (pool->attached)
        pool->release(pool->attached);
    for (size_t i = 0; i < pool->numbers.count; i++)
        fmpq_clear(pool->numbers.at[i]);
    for (Scratch *scratch = *pool->idle, *next; scratch; scratch = next) {
        next = scratch->next;
        base_free(scratch->stamp);
        base_free(scratch->value);
        base_free(scratch);
    }
    base_free(pool->idle);
    array_clear(&pool->nodes);
    array_clear(&pool->links);
    array_clear(&pool->names);
    array_clear(&pool->numbers);
    array_clear(&pool->open);
    array_clear(&pool->tables.all);
    array_clear(&pool->gather.parts);
    array_clear(&pool->merged);
    base_free(pool->node_slots);
    base_free(pool->number_slots);
    name_map_free(pool->symbols);
    name_map_free(pool->open_spellings);
    arena_free(pool->arena);
    base_free(pool);
}

size_t expr_pool_size(const ExprPool *pool)
{
    return pool->nodes.count - 1;
}

void *expr_pool_attached(const ExprPool *pool)
{
    return pool->attached;
}

void expr_pool_attach(ExprPool *pool, void *object, void (*release)(void *object))
{
    assert(!pool->attached && object && release);
    pool->attached = object;
    pool->release = release;
}

size_t expr_pool_bytes(const ExprPool *pool)
{
    size_t bytes = pool->nodes.capacity * sizeof(Node) + pool->links.capacity * sizeof(Link) +
                   pool->node_slot_count * sizeof(uint32_t) +
                   pool->number_slot_count * sizeof(uint32_t) +
                   pool->numbers.count * (sizeof(fmpq) + sizeof(fmpq *));
    for (const Scratch *scratch = *pool->idle; scratch; scratch = scratch->next)
        bytes += scratch->capacity * 2 * sizeof(uint32_t);
    return bytes;
}

// ---- Numbers.

static uint64_t number_hash(const fmpq_t value)
{
    uint64_t hash = 7;
    const fmpz *parts[2] = {fmpq_numref(value), fmpq_denref(value)};
    for (int i = 0; i < 2; i++) {
        if (fmpz_fits_si(parts[i])) {
            hash = hash_mix(hash, (uint64_t)fmpz_get_si(parts[i]));
        } else {
            hash = hash_mix(hash, fmpz_fdiv_ui(parts[i], 0xFFFFFFFFFFFFFFC5u));
            hash = hash_mix(hash, (uint64_t)fmpz_sgn(parts[i]));
        }
    }
    return hash;
}

static void number_slots_double(ExprPool *pool)
{
    pool->number_slot_count *= 2;
    size_t bytes = pool->number_slot_count * sizeof *pool->number_slots;
    pool->number_slots = base_realloc(pool->number_slots, bytes);
    memset(pool->number_slots, 0xFF, bytes);
    size_t mask = pool->number_slot_count - 1;
    for (uint32_t i = 0; i < pool->numbers.count; i++) {
        size_t slot = (size_t)number_hash(pool->numbers.at[i]) & mask;
        while (pool->number_slots[slot] != FREE_NUMBER_SLOT)
            slot = (slot + 1) & mask;
        pool->number_slots[slot] = i;
    }
}

uint32_t number_intern(ExprPool *pool, const fmpq_t value)
{
    size_t mask = pool->number_slot_count - 1;
    size_t slot = (size_t)number_hash(value) & mask;
    while (pool->number_slots[slot] != FREE_NUMBER_SLOT) {
        uint32_t number = pool->number_slots[slot];
        if (fmpq_equal(pool->numbers.at[number], value))
            return number;
        slot = (slot + 1) & mask;
    }
    uint32_t number = (uint32_t)pool->numbers.count;
    pool->number_slots[slot] = number;
    fmpq *kept = arena_alloc(pool->arena, sizeof *kept);
    fmpq_init(kept);
    fmpq_set(kept, value);
    array_push(&pool->numbers, kept);
    if (pool->numbers.count * 2 > pool->number_slot_count)
        number_slots_double(pool);
    return number;
}

uint32_t number_add(ExprPool *pool, uint32_t a, uint32_t b)
{
    if (a == NUMBER_ZERO)
        return b;
    if (b == NUMBER_ZERO)
        return a;
    fmpq_t value;
    fmpq_init(value);
    fmpq_add(value, number_value(pool, a), number_value(pool, b));
    uint32_t number = number_intern(pool, value);
    fmpq_clear(value);
    return number;
}

uint32_t number_mul(ExprPool *pool, uint32_t a, uint32_t b)
{
    if (a == NUMBER_ONE || b == NUMBER_ZERO)
        return b;
    if (b == NUMBER_ONE || a == NUMBER_ZERO)
        return a;
    fmpq_t value;
    fmpq_init(value);
    fmpq_mul(value, number_value(pool, a), number_value(pool, b));
    uint32_t number = number_intern(pool, value);
    fmpq_clear(value);
    return number;
}

bool number_is_integer(const ExprPool *pool, uint32_t number)
{
    return fmpz_is_one(fmpq_denref(number_value(pool, number)));
}

int number_sign(const ExprPool *pool, uint32_t number)
{
    return fmpq_sgn(number_value(pool, number));
}

// ---- Nodes.

static uint64_t node_hash(ExprOp op, uint32_t value, const Link *links, size_t count)
{
    uint64_t hash = hash_mix((uint64_t)op, value);
    for (size_t i = 0; i < count; i++)
        hash = hash_mix(hash, (uint64_t)links[i].arg << 32 | links[i].weight);
    return hash;
}

static bool node_equals(const ExprPool *pool, uint32_t index, ExprOp op, uint32_t value,
                        const Link *links, size_t count)
{
    const Node *node = &pool->nodes.at[index];
    if (node->op != op || node->value != value || node->count != count)
        return false;
    return count == 0 || memcmp(pool->links.at + node->first, links, count * sizeof *links) == 0;
}

static void node_slots_double(ExprPool *pool)
{
    pool->node_slot_count *= 2;
    base_free(pool->node_slots);
    pool->node_slots = base_alloc(pool->node_slot_count * sizeof *pool->node_slots);
    size_t mask = pool->node_slot_count - 1;
    for (uint32_t i = 1; i < pool->nodes.count; i++) {
        const Node *node = &pool->nodes.at[i];
        size_t slot =
            (size_t)node_hash(node->op, node->value, pool->links.at + node->first, node->count) &
            mask;
        while (pool->node_slots[slot])
            slot = (slot + 1) & mask;
        pool->node_slots[slot] = i;
    }
}

Expr node_intern(ExprPool *pool, ExprOp op, uint32_t value, const Link *links, size_t count)
{
    size_t mask = pool->node_slot_count - 1;
    size_t slot = (size_t)node_hash(op, value, links, count) & mask;
    while (pool->node_slots[slot]) {
        if (node_equals(pool, pool->node_slots[slot], op, value, links, count))
            return (Expr){pool->node_slots[slot]};
        slot = (slot + 1) & mask;
    }
    uint32_t index = (uint32_t)pool->nodes.count;
    assert(pool->nodes.count < UINT32_MAX && pool->links.count + count < UINT32_MAX);
    Node node = {(uint8_t)op, value, (uint32_t)pool->links.count, (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        assert(links[i].arg > 0 && links[i].arg < index);
        array_push(&pool->links, links[i]);
    }
    array_push(&pool->nodes, node);
    pool->node_slots[slot] = index;
    if (pool->nodes.count * 2 > pool->node_slot_count)
        node_slots_double(pool);
    return (Expr){index};
}

// ---- Leaves.

Expr expr_number(ExprPool *pool, const fmpq_t value)
{
    return node_intern(pool, EXPR_NUMBER, number_intern(pool, value), NULL, 0);
}

// 0, 1 and −1 are asked for more often than all others together.
static Expr fixed_number(ExprPool *pool, uint32_t number)
{
    if (expr_is_none(pool->fixed[number]))
        pool->fixed[number] = node_intern(pool, EXPR_NUMBER, number, NULL, 0);
    return pool->fixed[number];
}

Expr expr_ratio(ExprPool *pool, int64_t numerator, int64_t denominator)
{
    assert(denominator > 0);
    if (numerator == 0)
        return fixed_number(pool, NUMBER_ZERO);
    if (denominator == 1 && (numerator == 1 || numerator == -1))
        return fixed_number(pool, numerator == 1 ? NUMBER_ONE : NUMBER_MINUS_ONE);
    fmpq_t value;
    fmpq_init(value);
    fmpq_set_si(value, numerator, (ulong)denominator);
    Expr e = expr_number(pool, value);
    fmpq_clear(value);
    return e;
}

Expr expr_double(ExprPool *pool, double value)
{
    assert(isfinite(value));
    int exponent = 0;
    double fraction = frexp(value, &exponent);
    fmpq_t exact;
    fmpq_init(exact);
    fmpz_set_d(fmpq_numref(exact), ldexp(fraction, DBL_MANT_DIG));
    exponent -= DBL_MANT_DIG;
    if (exponent > 0)
        fmpq_mul_2exp(exact, exact, (ulong)exponent);
    else
        fmpq_div_2exp(exact, exact, (ulong)-exponent);
    Expr e = expr_number(pool, exact);
    fmpq_clear(exact);
    return e;
}

Expr expr_int(ExprPool *pool, int64_t value)
{
    return expr_ratio(pool, value, 1);
}

static Expr new_symbol(ExprPool *pool, const char *name)
{
    array_push(&pool->names, arena_copy_text(pool->arena, name, strlen(name)));
    return node_intern(pool, EXPR_SYMBOL, (uint32_t)pool->names.count - 1, NULL, 0);
}

Expr expr_symbol(ExprPool *pool, const char *name)
{
    uint32_t index;
    if (name_map_get(pool->symbols, str_of(name), &index))
        return (Expr){index};
    Expr symbol = new_symbol(pool, name);
    name_map_put(pool->symbols, str_of(name), symbol.at);
    return symbol;
}

Expr expr_symbol_new(ExprPool *pool, const char *name)
{
    return new_symbol(pool, name);
}

Expr expr_placeholder(ExprPool *pool, char letter, size_t number)
{
    char name[32];
    // No name of a text begins with a space.
    snprintf(name, sizeof name, " %c%zu", letter, number);
    return expr_symbol(pool, name);
}

Expr expr_pi(ExprPool *pool)
{
    return node_intern(pool, EXPR_PI, 0, NULL, 0);
}

// ---- Looking.

ExprOp expr_op(const ExprPool *pool, Expr e)
{
    return (ExprOp)node_of(pool, e)->op;
}

static const struct {
    const char *word;
    int arity;
} operations[] = {
#define OP(NAME, word, arity, ...) {word, arity},
#include "expr/ops.def"
#undef OP
};

const char *expr_op_name(ExprOp op)
{
    return operations[op].word;
}

int expr_op_arity(ExprOp op)
{
    return operations[op].arity;
}

bool expr_op_find(Str name, ExprOp *op)
{
    for (int i = 0; i < EXPR_OP_COUNT; i++) {
        bool word =
            operations[i].arity >= 1 && i != EXPR_POW && i != EXPR_OPEN && i != EXPR_LOGISTIC;
        if (!word || !str_is(name, operations[i].word))
            continue;
        *op = (ExprOp)i;
        return true;
    }
    return false;
}

size_t expr_arg_count(const ExprPool *pool, Expr e)
{
    return node_of(pool, e)->count;
}

Expr expr_arg(const ExprPool *pool, Expr e, size_t index)
{
    assert(index < node_of(pool, e)->count);
    return (Expr){links_of(pool, e)[index].arg};
}

const fmpq *expr_arg_weight(const ExprPool *pool, Expr e, size_t index)
{
    return number_value(pool, links_of(pool, e)[index].weight);
}

bool expr_arg_is_rooted(const ExprPool *pool, Expr e, size_t index)
{
    return expr_op(pool, e) == EXPR_PRODUCT &&
           !fmpz_is_one(fmpq_denref(expr_arg_weight(pool, e, index)));
}

const fmpq *expr_value(const ExprPool *pool, Expr e)
{
    assert(!expr_is_symbol(pool, e) && expr_op(pool, e) != EXPR_OPEN);
    return number_value(pool, node_of(pool, e)->value);
}

const char *expr_name(const ExprPool *pool, Expr symbol)
{
    assert(expr_is_symbol(pool, symbol));
    return pool->names.at[node_of(pool, symbol)->value];
}

bool expr_is_number(const ExprPool *pool, Expr e)
{
    return node_of(pool, e)->op == EXPR_NUMBER;
}

bool expr_is_symbol(const ExprPool *pool, Expr e)
{
    return node_of(pool, e)->op == EXPR_SYMBOL;
}

bool expr_is_zero(const ExprPool *pool, Expr e)
{
    const Node *node = node_of(pool, e);
    return node->op == EXPR_NUMBER && node->value == NUMBER_ZERO;
}

bool expr_is_one(const ExprPool *pool, Expr e)
{
    return expr_is_number(pool, e) && node_of(pool, e)->value == NUMBER_ONE;
}

bool expr_get_int(const ExprPool *pool, Expr e, int64_t *value)
{
    if (!expr_is_number(pool, e))
        return false;
    const fmpq *number = expr_value(pool, e);
    if (!fmpz_is_one(fmpq_denref(number)) || !fmpz_fits_si(fmpq_numref(number)))
        return false;
    *value = fmpz_get_si(fmpq_numref(number));
    return true;
}

// ---- Scratch memory.

Scratch *scratch_take(const ExprPool *pool)
{
    Scratch *scratch = *pool->idle;
    if (scratch)
        *pool->idle = scratch->next;
    else
        scratch = base_alloc(sizeof *scratch);
    // After 2^32 uses an old stamp could look new.
    if (++scratch->epoch == 0) {
        memset(scratch->stamp, 0, scratch->capacity * sizeof *scratch->stamp);
        scratch->epoch = 1;
    }
    scratch_reserve(scratch, pool->nodes.count);
    return scratch;
}

void scratch_give(const ExprPool *pool, Scratch *scratch)
{
    scratch->next = *pool->idle;
    *pool->idle = scratch;
}

void scratch_reserve(Scratch *scratch, size_t nodes)
{
    if (nodes <= scratch->capacity)
        return;
    size_t grown = scratch->capacity + scratch->capacity / 2;
    if (grown < nodes + 256)
        grown = nodes + 256;
    scratch->stamp = base_realloc(scratch->stamp, grown * sizeof *scratch->stamp);
    scratch->value = base_realloc(scratch->value, grown * sizeof *scratch->value);
    memset(scratch->stamp + scratch->capacity, 0,
           (grown - scratch->capacity) * sizeof *scratch->stamp);
    scratch->capacity = grown;
}

// algebra.c: what the room remembers of a pool: atoms and forms that were found.
#include "algebra/algebra_impl.h"

#include <math.h>

// ---- A map by open addressing; the key 0 marks a free slot.

static size_t slot_of(const IndexMap *map, uint32_t key)
{
    size_t mask = map->slot_count - 1;
    size_t slot = (size_t)hash_mix(key, 0) & mask;
    while (map->keys[slot] && map->keys[slot] != key)
        slot = (slot + 1) & mask;
    return slot;
}

bool index_map_get(const IndexMap *map, uint32_t key, uint32_t *value)
{
    if (map->slot_count == 0)
        return false;
    size_t slot = slot_of(map, key);
    if (map->keys[slot] != key)
        return false;
    *value = map->values[slot];
    return true;
}

static void index_map_grow(IndexMap *map)
{
    IndexMap old = *map;
    map->slot_count = old.slot_count ? 2 * old.slot_count : 32;
    map->keys = base_alloc(map->slot_count * sizeof *map->keys);
    map->values = base_alloc(map->slot_count * sizeof *map->values);
    for (size_t i = 0; i < old.slot_count; i++) {
        if (!old.keys[i])
            continue;
        size_t slot = slot_of(map, old.keys[i]);
        map->keys[slot] = old.keys[i];
        map->values[slot] = old.values[i];
    }
    base_free(old.keys);
    base_free(old.values);
}

void index_map_put(IndexMap *map, uint32_t key, uint32_t value)
{
    if (2 * (map->count + 1) > map->slot_count)
        index_map_grow(map);
    size_t slot = slot_of(map, key);
    if (!map->keys[slot])
        map->count++;
    map->keys[slot] = key;
    map->values[slot] = value;
}

void index_map_clear(IndexMap *map)
{
    base_free(map->keys);
    base_free(map->values);
    *map = (IndexMap){0};
}

// ---- The room's memory.

Algebra *algebra_new(ExprPool *pool)
{
    Algebra *algebra = base_alloc(sizeof *algebra);
    algebra->pool = pool;
    algebra->effort = HUGE_VAL;
    return algebra;
}

void algebra_free(Algebra *algebra)
{
    if (!algebra)
        return;
    array_clear(&algebra->circles);
    array_clear(&algebra->atoms);
    index_map_clear(&algebra->circle_of_angle);
    index_map_clear(&algebra->circle_of_symbol);
    index_map_clear(&algebra->atom_of_meaning);
    index_map_clear(&algebra->atom_of_symbol);
    index_map_clear(&algebra->canonical);
    index_map_clear(&algebra->simplified);
    base_free(algebra);
}

bool algebra_spend(Algebra *algebra, double work)
{
    algebra->effort -= work;
    return algebra->effort > 0;
}

size_t algebra_nodes(const Algebra *algebra, Expr e)
{
    ExprList nodes = expr_nodes(algebra->pool, &e, 1);
    size_t count = nodes.count;
    expr_list_free(&nodes);
    return count;
}

// ---- Verdicts.

Verdict verdict_yes(ProofKind proof, double log2_error)
{
    return (Verdict){.answer = ANSWER_YES, .proof = proof, .log2_error = log2_error};
}

Verdict verdict_no(ProofKind proof, char *witness)
{
    return (Verdict){.answer = ANSWER_NO, .proof = proof, .witness = witness};
}

Verdict verdict_unknown(const char *reason)
{
    return (Verdict){.answer = ANSWER_UNKNOWN, .proof = PROOF_NONE, .reason = reason};
}

void verdict_clear(Verdict *verdict)
{
    base_free(verdict->witness);
    *verdict = (Verdict){0};
}

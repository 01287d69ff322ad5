// kept.c: programs that are asked for again, kept with the pool of their expressions. Runs of one
// model with other numbers ask for the same ones every time.
#include "program/kept.h"
#include "base/strings.h"
#include "expr/attachment.h"
#include "expr/expr.h"
#include "program/program_impl.h"

#include <assert.h>
#include <string.h>

// Beyond so many no more are kept: whoever asks for more does not ask for them again.
enum { MOST_KEPT = 4096, SLOTS = 2 * MOST_KEPT };

typedef struct {
    uint64_t hash;
    Expr *exprs; // inputs, then outputs
    size_t inputs, outputs;
    bool bounded;
    Program *program;
} KeptProgram;

typedef struct {
    ARRAY(KeptProgram) at;
    uint16_t slots[SLOTS]; // of the programs, from 1; 0 is free
} KeptPrograms;

static void release(void *object)
{
    KeptPrograms *kept = object;
    for (size_t i = 0; i < kept->at.count; i++) {
        base_free(kept->at.at[i].exprs);
        program_free(kept->at.at[i].program);
    }
    array_clear(&kept->at);
    base_free(kept);
}

static uint64_t hash_of(const ProgramKey *key)
{
    uint64_t hash = hash_mix(key->input_count, key->bounded);
    hash = hash_bytes(key->inputs, key->input_count * sizeof *key->inputs, hash);
    return hash_bytes(key->outputs, key->output_count * sizeof *key->outputs, hash);
}

static bool is_meant(const KeptProgram *kept, const ProgramKey *key)
{
    size_t inputs = key->input_count, outputs = key->output_count;
    return kept->inputs == inputs && kept->outputs == outputs && kept->bounded == key->bounded &&
           (inputs == 0 || memcmp(kept->exprs, key->inputs, inputs * sizeof *key->inputs) == 0) &&
           (outputs == 0 ||
            memcmp(kept->exprs + inputs, key->outputs, outputs * sizeof *key->outputs) == 0);
}

// The place of a program, or the free one where it belongs.
static uint16_t *find_slot(KeptPrograms *kept, uint64_t hash, const ProgramKey *key)
{
    size_t slot = (size_t)hash % SLOTS;
    while (kept->slots[slot]) {
        const KeptProgram *at = &kept->at.at[kept->slots[slot] - 1];
        if (at->hash == hash && is_meant(at, key))
            break;
        slot = (slot + 1) % SLOTS;
    }
    return &kept->slots[slot];
}

Program *program_kept(const ExprPool *pool, const ProgramKey *key)
{
    KeptPrograms *kept = expr_pool_attached(pool);
    uint16_t at = kept ? *find_slot(kept, hash_of(key), key) : 0;
    if (at == 0)
        return NULL;
    Program *program = kept->at.at[at - 1].program;
    program->shares++;
    return program;
}

void program_keep(ExprPool *pool, const ProgramKey *key, Program *program)
{
    KeptPrograms *kept = expr_pool_attached(pool);
    if (!program || (kept && kept->at.count == MOST_KEPT))
        return;
    if (!kept) {
        kept = base_alloc(sizeof *kept);
        expr_pool_attach(pool, kept, release);
    }
    uint64_t hash = hash_of(key);
    uint16_t *slot = find_slot(kept, hash, key);
    assert(*slot == 0);
    KeptProgram entry = {.hash = hash,
                         .inputs = key->input_count,
                         .outputs = key->output_count,
                         .bounded = key->bounded,
                         .program = program};
    entry.exprs = base_alloc((entry.inputs + entry.outputs + 1) * sizeof *entry.exprs);
    if (entry.inputs > 0)
        memcpy(entry.exprs, key->inputs, entry.inputs * sizeof *entry.exprs);
    if (entry.outputs > 0)
        memcpy(entry.exprs + entry.inputs, key->outputs, entry.outputs * sizeof *entry.exprs);
    program->shares++;
    array_push(&kept->at, entry);
    *slot = (uint16_t)kept->at.count;
}

Program *program_new_kept(ExprPool *pool, const Expr *inputs, size_t input_count,
                          const Expr *outputs, size_t output_count, Expr *missing)
{
    const ProgramKey key = {inputs, input_count, outputs, output_count, false};
    Program *program = program_kept(pool, &key);
    if (program)
        return program;
    program = program_new(pool, inputs, input_count, outputs, output_count, missing);
    program_keep(pool, &key, program);
    return program;
}

bool program_number(const ExprPool *pool, Expr e, double *number)
{
    if (expr_op(pool, e) != EXPR_NUMBER)
        return false;
    *number = program_real_of(expr_value(pool, e));
    return true;
}

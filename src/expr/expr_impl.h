// expr_impl.h: the pool from inside. Never leaves the room.
#ifndef ZWANG_EXPR_IMPL_H
#define ZWANG_EXPR_IMPL_H

#include "base/base.h"
#include "expr/expr.h"
#include "expr/open_functions.h"
#include "expr/tables.h"

// Numbers are interned too: equal values have the same index.
enum { NUMBER_ZERO, NUMBER_ONE, NUMBER_MINUS_ONE, NUMBER_FIXED_COUNT };

// Sums inside sums and products inside products are merged up to this many parts.
enum { MERGE_LIMIT = 8 };

typedef struct {
    uint32_t arg;    // a node
    uint32_t weight; // a number: factor of a term, exponent of a base; 0 for arguments
} Link;

typedef struct {
    uint8_t op;
    uint32_t value; // a number (NUMBER, SUM, PRODUCT), a name (SYMBOL) or a function (OPEN)
    uint32_t first; // links
    uint32_t count;
} Node;

// A memory from node to number that is emptied in one step, by moving to the next epoch.
typedef struct Scratch {
    struct Scratch *next;
    uint32_t *stamp, *value;
    size_t capacity;
    uint32_t epoch;
} Scratch;

typedef struct {
    ARRAY(Link) parts;
    uint32_t value; // the constant, or the coefficient
} Gather;

struct ExprTables {
    ARRAY(ExprTable *) all;
};

struct ExprPool {
    ARRAY(Node) nodes;
    ARRAY(Link) links;
    ARRAY(const char *) names;
    Arena *arena; // names and numbers
    ARRAY(fmpq *) numbers;
    uint32_t *node_slots, *number_slots; // hash tables of indices, 0 and UINT32_MAX are free
    size_t node_slot_count, number_slot_count;
    NameMap *symbols;
    ARRAY(ExprOpen *) open; // functions left open and their derivatives
    NameMap *open_spellings;
    ExprTables tables;
    Scratch **idle; // scratches waiting to be used again; behind a pointer, so that walks
                    // over a const pool can borrow one
    Gather gather;  // where sums and products are put together
    Expr fixed[NUMBER_FIXED_COUNT]; // the fixed numbers as expressions, once they are made
    ARRAY(Link) merged;
    void *attached;
    void (*release)(void *attached);
};

// ---- pool.c
Expr node_intern(ExprPool *pool, ExprOp op, uint32_t value, const Link *links, size_t count);
uint32_t number_intern(ExprPool *pool, const fmpq_t value);
uint32_t number_add(ExprPool *pool, uint32_t a, uint32_t b);
uint32_t number_mul(ExprPool *pool, uint32_t a, uint32_t b);
bool number_is_integer(const ExprPool *pool, uint32_t number);
int number_sign(const ExprPool *pool, uint32_t number);

static inline const Node *node_of(const ExprPool *pool, Expr e)
{
    return &pool->nodes.at[e.at];
}
static inline const Link *links_of(const ExprPool *pool, Expr e)
{
    return pool->links.at + pool->nodes.at[e.at].first;
}
static inline const fmpq *number_value(const ExprPool *pool, uint32_t number)
{
    return pool->numbers.at[number];
}

Scratch *scratch_take(const ExprPool *pool);
void scratch_give(const ExprPool *pool, Scratch *scratch);
void scratch_reserve(Scratch *scratch, size_t nodes);
static inline bool scratch_has(const Scratch *scratch, uint32_t node)
{
    return node < scratch->capacity && scratch->stamp[node] == scratch->epoch;
}
static inline void scratch_set(Scratch *scratch, uint32_t node, uint32_t value)
{
    scratch_reserve(scratch, (size_t)node + 1);
    scratch->stamp[node] = scratch->epoch;
    scratch->value[node] = value;
}

// ---- build.c
// c·e with c a number.
Expr build_scaled(ExprPool *pool, uint32_t number, Expr e);
// A product of nodes with rational exponents and a coefficient.
Expr build_product(ExprPool *pool, uint32_t coefficient, const Link *factors, size_t count);
Expr build_sum(ExprPool *pool, uint32_t constant, const Link *terms, size_t count);
// −e with the sign carried into a sum's terms.
Expr build_negated_sum(ExprPool *pool, Expr e);

// ---- inverse_sines.c
// A sine or a cosine, or its negative; sums of products that are one, too.
typedef struct {
    bool found, negative, sine;
    Expr of;
} ExprWave;
ExprWave expr_wave(ExprPool *pool, Expr e);
// r/s where e = n/s and s² − n² = r²; none where that is not seen.
Expr expr_other_side(ExprPool *pool, Expr e);

// ---- squares.c
// A sum that is (a ± b)² multiplied out, as that; e where it is not seen to be one.
Expr expr_square_of_two(ExprPool *pool, Expr e);
// r with r² = e; none where that is not seen.
Expr expr_root_of_square(ExprPool *pool, Expr e);

// ---- wave_squares.c
// A sum p ± p·cos u, likewise with sin u, or p − p·cos²u, as p times a square; e where it is none.
Expr expr_square_of_wave(ExprPool *pool, Expr e);

// ---- exponentials.c
// The same where no factor of a product overflows unless it does; e where there is nothing to do.
Expr expr_bounded_node(ExprPool *pool, Expr e);

// ---- open.c
// ∂/∂(argument `by`) of an open function.
Expr open_partial(ExprPool *pool, Expr e, size_t by);
// Gives the function of this name and of one argument, before it is called, a table.
void open_bind(ExprPool *pool, const char *name, const ExprTable *table);
// The same function of other arguments.
Expr open_rebuild(ExprPool *pool, Expr e, const Expr *args);

// ---- walk.c
// Visits what e is made of, children first, skipping nodes that `done` holds already; `visit`
// gives the value that is stored in `done`.
typedef uint32_t (*NodeVisit)(void *context, uint32_t node);
void walk_children_first(const ExprPool *pool, Scratch *done, Expr root, NodeVisit visit,
                         void *context);

#endif

// expr.h: immutable, interned expressions. Knows algebra, knows no mechanics.
//
// A pool owns every node. Two equal expressions have the same index, and a
// child's index is below its parent's, so a pass over a graph is a plain loop
// and no function here recurses on depth.
//
// What is canonical on construction: numbers are exact rationals; a sum is
// c + Σ kᵢ·tᵢ with like terms collected; a product is c·Π bᵢ^eᵢ (eᵢ rational)
// with like bases collected, so that a power is a product of one factor.
// Sums inside sums (and products inside products) are merged as long as the
// result stays short, and left nested above that: merging without a bound
// would make graphs quadratic. What needs a decision (sin² + cos² = 1,
// expanding, common denominators) belongs to the algebra room.
#ifndef ZWANG_EXPR_H
#define ZWANG_EXPR_H

#include "base/memory.h"
#include "expr/arithmetic.h"

#include <flint/fmpq.h>

typedef struct Str Str; // strings.h

typedef enum {
#define OP(NAME, name, arity, ...) EXPR_##NAME,
#include "expr/ops.def"
#undef OP
    EXPR_OP_COUNT
} ExprOp;

ExprPool *expr_pool_new(void);
void expr_pool_free(ExprPool *pool);
size_t expr_pool_size(const ExprPool *pool);  // nodes
size_t expr_pool_bytes(const ExprPool *pool); // memory held

// ---- Numbers.
Expr expr_number(ExprPool *pool, const fmpq_t value);
// A number as the language writes it: digits[.digits][e±digits], exactly. False where it is
// none, or where its exponent is too large to be held.
bool expr_number_read(ExprPool *pool, Str digits, Expr *number);
// ---- Functions.
// A function of the language (sin … max) by its operation; `b` is none for functions of one.
Expr expr_call(ExprPool *pool, ExprOp op, Expr a, Expr b);
// Builds the node again over other children, in the order that expr_arg counts them.
Expr expr_rebuild(ExprPool *pool, Expr e, const Expr *args);
// What decides the branch of abs, sign, min or max: the argument, or the difference of both; none
// for other nodes.
Expr expr_switch_argument(ExprPool *pool, Expr e);

// Whether it is never negative where it has a value, as sums of squares are, to the eye.
bool expr_is_never_negative(ExprPool *pool, Expr e);

// ---- Looking at a node.
ExprOp expr_op(const ExprPool *pool, Expr e);
const char *expr_op_name(ExprOp op); // "sin"; the word of the language
int expr_op_arity(ExprOp op);        // -1 for sums and products
// The operation of a function name of the language; false where there is none.
bool expr_op_find(Str name, ExprOp *op);
// Children that are expressions: the terms of a sum, the bases of a product, arguments.
size_t expr_arg_count(const ExprPool *pool, Expr e);
Expr expr_arg(const ExprPool *pool, Expr e, size_t index);
// For a sum the factor of term `index`, for a product the exponent of base `index`.
// The value lives as long as the pool.
const fmpq *expr_arg_weight(const ExprPool *pool, Expr e, size_t index);
// Whether the base `index` of a product stands under a root: its exponent is not whole.
bool expr_arg_is_rooted(const ExprPool *pool, Expr e, size_t index);
// A number's value; the constant of a sum; the coefficient of a product.
const fmpq *expr_value(const ExprPool *pool, Expr e);
// The value of a number that is whole and fits; false where it is not.
bool expr_get_int(const ExprPool *pool, Expr e, int64_t *value);
// Splits off the rational factor: e = factor·rest.
Expr expr_strip(ExprPool *pool, Expr e, fmpq_t factor);

// ---- Walking. The nodes that the roots are made of, children before parents, each once.
typedef struct {
    uint32_t *at; // indices, as in Expr
    size_t count;
} ExprList;
ExprList expr_nodes(const ExprPool *pool, const Expr *roots, size_t count);
void expr_list_free(ExprList *list);
// The symbols in e, in the order they were made. The caller frees the list.
ExprList expr_symbols(const ExprPool *pool, const Expr *roots, size_t count);

// ---- Coefficients, on the graph, without expanding.
// e = Σ coefficients[i]·symbols[i] + rest; false where e is not of that form to the eye
// (some coefficient still holds one of the symbols).
bool expr_linear(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *coefficients,
                 Expr *rest);

#endif

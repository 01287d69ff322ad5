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

#include "base/base.h"
#include "expr/expr_types.h"

#include <flint/fmpq.h>

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

// ---- Leaves.
Expr expr_int(ExprPool *pool, int64_t value);
Expr expr_ratio(ExprPool *pool, int64_t numerator, int64_t denominator);
Expr expr_number(ExprPool *pool, const fmpq_t value);
Expr expr_double(ExprPool *pool, double value); // exactly; finite
// A number as the language writes it: digits[.digits][e±digits], exactly. False where it is
// none, or where its exponent is too large to be held.
bool expr_number_read(ExprPool *pool, Str digits, Expr *number);
// The symbol of this name, the same for the same name. Names are the English spelling.
Expr expr_symbol(ExprPool *pool, const char *name);
// A symbol like no other, whatever its name.
Expr expr_symbol_new(ExprPool *pool, const char *name);
Expr expr_pi(ExprPool *pool);

// ---- Canonical constructors.
Expr expr_sum(ExprPool *pool, const Expr *terms, size_t count);
Expr expr_product(ExprPool *pool, const Expr *factors, size_t count);
Expr expr_add(ExprPool *pool, Expr a, Expr b);
Expr expr_sub(ExprPool *pool, Expr a, Expr b);
Expr expr_neg(ExprPool *pool, Expr a);
Expr expr_mul(ExprPool *pool, Expr a, Expr b);
Expr expr_div(ExprPool *pool, Expr a, Expr b); // a/0 stays as it is written
Expr expr_pow(ExprPool *pool, Expr base, Expr exponent);
Expr expr_pow_int(ExprPool *pool, Expr base, int64_t exponent);
Expr expr_sqrt(ExprPool *pool, Expr a);
// A function of the language (sin … max) by its operation; `b` is none for functions of one.
Expr expr_call(ExprPool *pool, ExprOp op, Expr a, Expr b);
// Builds the node again over other children, in the order that expr_arg counts them.
Expr expr_rebuild(ExprPool *pool, Expr e, const Expr *args);

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
// A number's value; the constant of a sum; the coefficient of a product.
const fmpq *expr_value(const ExprPool *pool, Expr e);
const char *expr_name(const ExprPool *pool, Expr symbol);
bool expr_is_number(const ExprPool *pool, Expr e);
bool expr_is_symbol(const ExprPool *pool, Expr e);
bool expr_is_zero(const ExprPool *pool, Expr e); // the number 0, no more than that
bool expr_is_one(const ExprPool *pool, Expr e);
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
bool expr_holds(const ExprPool *pool, Expr e, Expr symbol);
// Whether e holds any of these.
bool expr_holds_any(const ExprPool *pool, Expr e, const Expr *symbols, size_t count);
// The symbols in e, in the order they were made. The caller frees the list.
ExprList expr_symbols(const ExprPool *pool, const Expr *roots, size_t count);

// ---- Calculus. Every derivative visits a node once.
//
// A directional derivative: each symbol has a rate (none means 0). One object remembers
// what it has differentiated, so that asking for many expressions costs their union.
ExprRates *expr_rates_new(ExprPool *pool);
void expr_rates_free(ExprRates *rates);
void expr_rates_set(ExprRates *rates, Expr symbol, Expr rate); // before the first derivative
Expr expr_rate(ExprRates *rates, Expr e);

// Partial derivative of e by the symbol x, all other symbols held fixed.
Expr expr_diff(ExprPool *pool, Expr e, Expr x);
// All partial derivatives by `symbols` in one backward sweep over e.
void expr_gradient(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *partials);

// ---- Substitution: all at once, each symbol replaced where it stands.
ExprSubst *expr_subst_new(ExprPool *pool);
void expr_subst_free(ExprSubst *subst);
void expr_subst_set(ExprSubst *subst, Expr symbol, Expr value); // before the first use
Expr expr_subst(ExprSubst *subst, Expr e);
Expr expr_replace(ExprPool *pool, Expr e, const Expr *symbols, const Expr *values, size_t count);

// ---- Coefficients, on the graph, without expanding.
// e = Σ coefficients[i]·symbols[i] + rest; false where e is not of that form to the eye
// (some coefficient still holds one of the symbols).
bool expr_linear(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *coefficients,
                 Expr *rest);

// ---- Text in the language's own spelling: what is printed is read back as the same index.
void expr_print(const ExprPool *pool, Expr e, Text *out);

#endif

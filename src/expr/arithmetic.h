// arithmetic.h: expressions built from others, their derivatives and what they hold, for those who
// look at no nodes. expr.h has the rest.
#ifndef ZWANG_EXPR_ARITHMETIC_H
#define ZWANG_EXPR_ARITHMETIC_H

#include "expr/expr_types.h"

#include <stddef.h>

typedef struct Text Text; // strings.h

// ---- Leaves.
Expr expr_int(ExprPool *pool, int64_t value);
Expr expr_ratio(ExprPool *pool, int64_t numerator, int64_t denominator);
Expr expr_double(ExprPool *pool, double value); // exactly; finite
// The symbol of this name, the same for the same name. Names are the English spelling.
Expr expr_symbol(ExprPool *pool, const char *name);
// A symbol like no other, whatever its name.
Expr expr_symbol_new(ExprPool *pool, const char *name);
// What stands for something in a shape: the same symbol whenever it is asked for, so that what is
// derived again is the same expression.
Expr expr_placeholder(ExprPool *pool, char letter, size_t number);
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

// ---- What an expression is.
const char *expr_name(const ExprPool *pool, Expr symbol);
bool expr_is_number(const ExprPool *pool, Expr e);
bool expr_is_symbol(const ExprPool *pool, Expr e);
bool expr_is_zero(const ExprPool *pool, Expr e); // the number 0, no more than that
bool expr_is_one(const ExprPool *pool, Expr e);
bool expr_holds(const ExprPool *pool, Expr e, Expr symbol);
// Whether e holds any of these.
bool expr_holds_any(const ExprPool *pool, Expr e, const Expr *symbols, size_t count);

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
// A symbol, or any part, before the first use.
void expr_subst_set(ExprSubst *subst, Expr part, Expr value);
// From here on products of exponentials are written so that no factor overflows where the product
// does not: exp(u)/(1 + exp(u))^2.
void expr_subst_bound(ExprSubst *subst);
Expr expr_subst(ExprSubst *subst, Expr e);
// The same for several, with nothing replaced; from and to may be the same.
void expr_bounded(ExprPool *pool, const Expr *from, size_t count, Expr *to);
Expr expr_replace(ExprPool *pool, Expr e, const Expr *symbols, const Expr *values, size_t count);
// Whether e jumps where the argument of a sign in it, which holds one of the symbols, is 0, and
// that sign. What is solved for none of them counts as a jump; x*sign(x) does not jump.
bool expr_jumps(ExprPool *pool, Expr e, const Expr *symbols, size_t count, Expr *call);

// ---- Text in the language's own spelling: what is printed is read back as the same index.
void expr_print(const ExprPool *pool, Expr e, Text *out);
// Whether that is at most about a million symbols, numbers and operations: what is shared is
// printed wherever it stands, and may fill any memory.
bool expr_is_printable(const ExprPool *pool, Expr e);

#endif

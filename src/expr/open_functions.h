// open_functions.h: functions left open: smooth, and otherwise unknown.
#ifndef ZWANG_EXPR_OPEN_FUNCTIONS_H
#define ZWANG_EXPR_OPEN_FUNCTIONS_H

#include "expr/expr_types.h"

#include <stddef.h>

// A function or a derivative of one, which is another.
typedef struct {
    const char *name;             // "U"
    const char *spelling;         // "U'[1,2]", "f''": what stands before its arguments
    const char *const *arguments; // their names, NULL where nobody has declared them
    uint32_t arity;
    const struct ExprTable *table; // that gives its values (tables.h); NULL for none
    uint32_t order;                // how many derivatives,
    const uint32_t *by;            // by which arguments, counted from 0, ascending
} ExprOpen;
// Gives the arguments of a function their names, for those who print ∂U/∂x.
void expr_open_declare(ExprPool *pool, const char *name, const char *const *arguments,
                       size_t arity);
// The derivative of the function `name` by the arguments `by`, in any order, at `args`.
Expr expr_open(ExprPool *pool, const char *name, const uint32_t *by, size_t order, const Expr *args,
               size_t arity);
// What an EXPR_OPEN node is a value of; lives as long as the pool.
const ExprOpen *expr_open_of(const ExprPool *pool, Expr e);
// The first open function without a table in these, or none.
Expr expr_find_open(const ExprPool *pool, const Expr *roots, size_t count);

#endif

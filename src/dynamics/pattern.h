// pattern.h: sparsity patterns of matrices of expressions.
#ifndef ZWANG_DYNAMICS_PATTERN_H
#define ZWANG_DYNAMICS_PATTERN_H

#include "expr/expr.h"

// ---- pattern.c: which entries of a matrix of expressions are not 0 everywhere.
typedef struct {
    size_t rows;
    size_t *begins; // rows + 1
    size_t *places; // the columns of the entries, row after row
} Pattern;
void pattern_init(Pattern *filled, const ExprPool *pool, const Expr *matrix, size_t rows,
                  size_t columns);
void pattern_clear(Pattern *filled);
size_t pattern_count(const Pattern *filled);
// The first `rows` rows of it, column after column: who stands in each of so many columns.
void pattern_transpose(const Pattern *filled, size_t rows, size_t columns, Pattern *turned);

// Of a unit row, what must stand off the rows before it so that it is independent of them.
#define INDEPENDENT 1e-9

#endif

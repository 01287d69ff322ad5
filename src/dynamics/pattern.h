// pattern.h: sparsity patterns of matrices of expressions.
#ifndef ZWANG_DYNAMICS_PATTERN_H
#define ZWANG_DYNAMICS_PATTERN_H

#include "dynamics/evaluator.h"

// ---- pattern.c: which entries of a matrix of expressions are not 0 everywhere. Places are those
// of SparseRows.
typedef struct {
    size_t rows;
    uint32_t *begins; // rows + 1
    uint32_t *places; // the columns of the entries, row after row
} Pattern;
// Of a matrix, row after row; in an arena.
void pattern_init(Pattern *filled, Arena *arena, const ExprPool *pool, const Expr *matrix,
                  size_t rows, size_t columns);
// Of a matrix that stands among outputs from some place on.
void pattern_of_outputs(Pattern *filled, Arena *arena, const SparseOutputs *outputs, size_t from,
                        size_t rows, size_t columns);
size_t pattern_count(const Pattern *filled);
// The first `rows` rows of it, column after column: who stands in each of so many columns.
void pattern_transpose(const Pattern *filled, Arena *arena, size_t rows, size_t columns,
                       Pattern *turned);

// What is filled of ∂f/∂q, of [b; Y], of 𝓜, and for each coordinate, which rows push along it.
typedef struct EquationPatterns {
    Pattern position, velocity, inertia, reaction;
    bool inertia_holds_velocities; // 𝓜 changes with them
    bool forces_hold_velocities;   // K − W for q'' = 0 does
    bool forces_hold_time;         // it changes with the time
    // m: of each row a column whose entry is constant and by which it stands off the others at
    // every position (lasting_rows.c); NULL: not all rows have one.
    const size_t *lasting_columns;
} EquationPatterns;

// The terms that a condition is a sum of, by the largest of which its residual is measured; how
// many there are. `terms` may be NULL.
size_t equations_terms(ExprPool *pool, Expr sum, Expr *terms);
// How many of so many symbols each of as many expressions holds, all together; SIZE_MAX where they
// share so much that finding out would take far longer than to look at every expression once.
size_t equations_count_held(const ExprPool *pool, const Expr *exprs, size_t count,
                            const Expr *symbols);
// Whether one of these holds one of the symbols.
bool equations_hold_any(const ExprPool *pool, const Expr *exprs, size_t count, const Expr *symbols,
                        size_t symbol_count);

#endif

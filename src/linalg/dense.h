// dense.h: vectors, orthogonal bases, Cholesky's factors. Knows no expressions and no mechanics.
#ifndef ZWANG_LINALG_DENSE_H
#define ZWANG_LINALG_DENSE_H

#include "linalg/real.h"

// ---- Bases: rows one after the other, made orthogonal (Gram and Schmidt). Whether a row is
// independent of those before it is decided here, for dense rows, and in echelon.c for sparse ones.

typedef struct {
    size_t n, most, count;
    double *units;   // most × n: the rows taken, made orthogonal
    double *made_of; // most × most: unit i = Σ made_of[i][j]·(row j of those taken), j ≤ i
    double *rest;    // n: what of the row last seen stands off them
    double *parts;   // most: the remainder of it is Σ parts[j]·(row j of those taken)
    double *along;   // most: the same in units
} Basis;
// Rows of n numbers, of which up to `most` are taken, no more than n.
void basis_init(Basis *basis, Arena *arena, size_t n, size_t most);
// Which part of a row stands off those taken; leaves rest and parts.
double basis_examine(Basis *basis, const double *row);
// Takes the row last examined, of which something stands off.
void basis_take_examined(Basis *basis);
// Examines a row and takes it where more than `least`, usually TOL_RANK, stands off; else false.
bool basis_take(Basis *basis, const double *row, double least);
// Lets the row go that was taken at this place; those behind it move up.
void basis_drop(Basis *basis, size_t at);
// Takes unit vectors behind the rows taken, until there are n.
void basis_complete(Basis *basis);
// The `count` of so many rows that stand off each other most, one after the other, as parts of
// their sizes, in rising order; false where there are not as many of which more than `least` does.
// The rows are overwritten.
bool rows_choose(double *matrix, size_t rows, size_t n, const double *sizes, size_t count,
                 double least, size_t *chosen);

// ---- Cholesky: 𝓜 = LLᵀ, the lower half of 𝓜 and then L row after row, each `stride` numbers
// behind the one before; in the place of its diagonal stand the reciprocals.

// False where a pivot is not above this part of the diagonal that it began as.
bool cholesky_factor(double *matrix, size_t size, size_t stride, double least_pivot);
// L⁻¹x, L⁻ᵀx, and, rows following each other, 𝓜⁻¹x, in place.
void cholesky_solve_lower(const double *factor, size_t size, size_t stride, double *x);
void cholesky_solve_upper(const double *factor, size_t size, size_t stride, double *x);
void cholesky_solve(const double *factor, size_t size, double *x);

// ---- Least squares and least norm.

// The shortest x of all with the least residuals |A·x − b|, A of rows × columns, column after
// column, and overwritten; b has max(rows, columns) numbers and becomes x. Returns the rank: axes
// along which A has less than `least` of its largest, or of 1, are none.
size_t least_squares(double *A, size_t rows, size_t columns, double least, double *b);

// (I + CᵀC)x = x in place, C of `rows` × `columns`; `work` is columns·(columns + 1) numbers.
//
// Where dependent rows are d = C·b, b independent, the reaction bᵀμ is that of λ and ν = C·λ too,
// if λ + Cᵀν = μ; those of least norm have (I + CᵀC)λ = μ.
void least_norm_share(const double *C, size_t rows, size_t columns, double *x, double *work);

#endif

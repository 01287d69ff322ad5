// dense_factors.h: LU and pivoted QR factors of dense matrices, column after column, laid out as
// LAPACK does: by plain loops where a matrix is small, else by LAPACK. `lead` is the distance of
// columns.
#ifndef ZWANG_LINALG_DENSE_FACTORS_H
#define ZWANG_LINALG_DENSE_FACTORS_H

#include <stdbool.h>
#include <stddef.h>

// ---- PA = LU.
// False where a pivot is 0.
bool lu_factor(size_t size, double *matrix, size_t lead, int *pivots);
// x = A⁻¹x, or A⁻ᵀx.
void lu_solve(bool transposed, size_t size, const double *factors, size_t lead, const int *pivots,
              double *x);
// 1/(norm·|A⁻¹|₁), the last of which is estimated from below; `work` is 4·size numbers, `order`
// size.
double lu_reciprocal_condition(size_t size, const double *factors, size_t lead, double norm,
                               double *work, int *order);

// |A⁻¹|₁ from above, in far fewer operations; `work` is size numbers.
double lu_inverse_bound(size_t size, const double *factors, size_t lead, double *work);

// ---- AP = QR: reflectors below the diagonal, their factors in tau. Columns of the largest rest
// come first; order[i], from 1, is which one stands at place i.
// How many numbers `work` of the functions below holds, for matrices of up to rows × columns and
// what is multiplied by their Q.
size_t qr_workspace(size_t rows, size_t columns);
void qr_factor(size_t rows, size_t columns, double *matrix, size_t lead, int *order, double *tau,
               double *work, size_t work_size);
// The factors of the first `rank` columns, and what they do: a matrix times Q (or Qᵀ), from the
// left or from the right, in place. Both have the same lead.
typedef struct {
    const double *factors, *tau;
    size_t lead, rank;
} QrFactors;
void qr_times(const QrFactors *qr, bool left, bool transposed, size_t rows, size_t columns,
              double *matrix, double *work, size_t work_size);
// R₁₁⁻¹X or R₁₁⁻ᵀX in place, X of rank × columns.
void qr_solve_upper(const QrFactors *qr, bool transposed, double *x, size_t columns);

// ---- The eigenvalues of a small symmetric matrix, which is used up, rising.
void symmetric_eigenvalues(size_t size, double *matrix, double *values);

#endif

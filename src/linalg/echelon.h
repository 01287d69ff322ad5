// echelon.h: equations taken one after the other, for small dense systems.
#ifndef ZWANG_LINALG_ECHELON_H
#define ZWANG_LINALG_ECHELON_H

#include "linalg/sparse_rows.h"

// ---- echelon.c: equations row·x = right, one after the other, each reduced by those before it.
typedef struct Echelon {
    size_t n, count;
    SparseStore rows; // that were taken, reduced; 1 at the pivot
    size_t *pivots;   // n: their columns
    double *rights;   // n
    double *work;     // n
    uint32_t *held;   // n: how many rows hold each column
    // Of each row that is tried, its pivot of another time and 1, or 0: it stays the pivot as long
    // as it is no small part, so that what is left of rows that change does not jump. NULL: none.
    size_t *usual;
} Echelon;
void echelon_init(Echelon *echelon, size_t n);
void echelon_clear(Echelon *echelon);
// Whether the row stands off those before it, by more than TOL_RANK of its largest entry; it is
// taken then. *miss is by how much its right side differs from what follows from them.
bool echelon_take(Echelon *echelon, const double *row, double right, double *miss);
// The same of x_column = right, at no cost to speak of, where no row holds that column; false where
// one does.
bool echelon_take_apart(Echelon *echelon, size_t column, double right);
// Lets the equations go that were taken behind the first `count`.
void echelon_truncate(Echelon *echelon, size_t count);
// x by the equations taken; entries that are no pivot stay as they are.
void echelon_solve(const Echelon *echelon, double *x);
// Of all x that meet the equations, those that take row·x nearest to the values wanted, in the sum
// of the squares of weight·(row·x − wanted): `values` are those wanted, and become those of row·x.
void echelon_fit(const Echelon *echelon, const double *rows, const double *weights, size_t count,
                 double *values);

#endif

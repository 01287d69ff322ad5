// ideal_impl.h: common zeros of polynomials with integer coefficients, exactly. Never leaves the
// room.
//
// A system is split into components by factoring the elements of its Gröbner bases, each component
// being the zeros of an ideal of its own; together they have the zeros of the system and no others.
// A component of dimension 0 has finitely many points, and all of them are polynomials of one
// algebraic number (Rouillier, Solving zero-dimensional systems through the rational univariate
// representation, 1999; here the ideal is made radical first, so that no traces are needed).
// A component of higher dimension is a continuum over the complex numbers; whether it has real
// points is seen from those that are nearest to a given one.
#ifndef ZWANG_ALGEBRA_IDEAL_IMPL_H
#define ZWANG_ALGEBRA_IDEAL_IMPL_H

#include "algebra/algebra_impl.h"
#include "algebra/flint_impl.h"

enum { IDEAL_MOST_UNKNOWNS = 8 };

// ---- ideal.c
typedef struct {
    fmpz_mpoly_vec_t basis; // a reduced Gröbner basis
    slong dimension;        // over the complex numbers
} Component;

typedef struct {
    Component *at;
    size_t count;
    bool whole; // nothing became too large: these are all
} Components;
void components_of(const fmpz_mpoly_vec_t system, const fmpz_mpoly_ctx_t ctx,
                   Components *components);
void components_clear(Components *components, const fmpz_mpoly_ctx_t ctx);
// The basis of an ideal, reduced; false where it becomes too large.
bool ideal_basis(fmpz_mpoly_vec_t basis, const fmpz_mpoly_vec_t system, const fmpz_mpoly_ctx_t ctx);
bool ideal_is_whole_ring(const fmpz_mpoly_vec_t basis, const fmpz_mpoly_ctx_t ctx);
// Adds all minors of this size of a rows × columns matrix of polynomials.
void ideal_add_minors(fmpz_mpoly_vec_t system, const fmpz_mpoly_struct *matrix, size_t rows,
                      size_t columns, size_t size, const fmpz_mpoly_ctx_t ctx);
// A matrix of polynomials, zeros.
fmpz_mpoly_struct *ideal_matrix(size_t count, const fmpz_mpoly_ctx_t ctx);
void ideal_matrix_free(fmpz_mpoly_struct *matrix, size_t count, const fmpz_mpoly_ctx_t ctx);

// ---- univariate.c: the points of a component of dimension 0.
typedef struct {
    slong unknowns;
    fmpz_poly_t roots;      // squarefree: a point for each of its roots
    fmpq_poly_struct *part; // unknown i at a root r is part[i](r)
    arb_ptr real;           // its real roots, the least first
    slong real_count;
    slong precision; // of these
} Points;
// False where something becomes too large.
bool points_init(Points *points, const Component *component, const fmpz_mpoly_ctx_t ctx);
void points_clear(Points *points);
// The unknowns at real root `index`, to `bits` of the largest of them.
void points_at(Points *points, slong index, slong bits, arb_ptr values);
// Whether a polynomial vanishes there: exactly.
bool points_vanishes(Points *points, slong index, const fmpz_mpoly_t polynomial,
                     const fmpz_mpoly_ctx_t ctx);

#endif

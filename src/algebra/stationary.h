// stationary.h: stationary points of Gauss's function, exactly. Knows no expressions.
#ifndef ZWANG_ALGEBRA_STATIONARY_H
#define ZWANG_ALGEBRA_STATIONARY_H

#include "base/memory.h"

// ---- Gauss's function where conditions are polynomials in the accelerations (Hamel 252).
//
// Among the a with rows·a + drift = 0 and f(a) = 0, where is ½(a − a₀)·𝓜(a − a₀) + σ(a) stationary,
// a₀ being what the rows alone give without σ? The numbers are taken as the rationals that they
// are, so that the answer is exact for them: elimination by Gröbner bases, real roots by isolation.
typedef struct {
    size_t count;
    const uint8_t *exponents; // of all unknowns, term after term
    const double *coefficients;
} AlgebraPolynomial;

typedef struct {
    size_t unknowns;
    const double *inertia; // 𝓜, unknowns × unknowns, symmetric
    const double *force;   // 𝓜a₀ = force + rowsᵀμ
    size_t row_count;
    const double *rows; // independent
    const double *drift;
    size_t condition_count;
    const AlgebraPolynomial *conditions; // f
    const AlgebraPolynomial *energy;     // σ; NULL: 0
} StationaryProblem;

typedef enum {
    STATIONARY_REGULAR,  // an isolated point where the gradients of f are independent
    STATIONARY_SINGULAR, // one where they depend on each other: Lagrange's rule says nothing there
    STATIONARY_CONTINUUM // a whole family, on which the function has one value
} StationaryKind;

typedef struct {
    StationaryKind kind;
    double *a;      // unknowns; of a continuum: one point of it
    double error;   // no part of a is further from the exact one
    double measure; // ½(a − a₀)·𝓜(a − a₀) + σ(a)
    size_t freedom; // of a continuum: its dimension
} StationaryPoint;

typedef struct {
    Arena *arena;
    StationaryPoint *at; // the least measure first; where it is the same the greater a first
    size_t count;
} Stationary;

// YES: these are all, real and certified. UNKNOWN: it becomes too large; then none is told.
Answer algebra_stationary(const StationaryProblem *problem, Stationary *stationary);
void stationary_clear(Stationary *stationary);
// Two measures that are the same up to the rounding of a state.
bool stationary_ties(double a, double b);
// The order of the points.
int stationary_order(const StationaryPoint *a, const StationaryPoint *b, size_t unknowns);

#endif

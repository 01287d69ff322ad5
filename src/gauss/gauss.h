// gauss.h: the least-constraint solver. Plain numbers in, plain numbers out.
//
// Among the accelerations that the constraints allow, the true one departs least from the free
// motion (Gauss 1829): ½(a − a°)·𝓜(a − a°) is least under g·a = −γ, which is the same as
//
//     𝓜a − gᵀλ = K − h,   g·a = −γ.
//
// The inertia 𝓜 is symmetric and may be singular; only on the velocities that the rows leave
// free it has to be regular. Rows may depend on each other; then the multipliers are those of
// least norm.
#ifndef ZWANG_GAUSS_H
#define ZWANG_GAUSS_H

#include "linalg/kkt.h"
#include "linalg/sparse.h"

// ---- One-sided conditions that touch (Mayer 1899, §§ 1–3): f'' ≤ 0.
//
// Φ⁰ is f'' for the motion that is free of them; then f'' = Φ⁰ − Φλ, and
//
//     0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0.
//
// The motion is unique. Where conditions depend on each other λ may not be; then it is the λ of
// least norm, and the report says so.
typedef struct GaussSides GaussSides;

// Room for conditions whose normals have up to most_size numbers (whose Φ has up to that rank).
// Some of it is made when it is first needed; then no solve allocates. One thread at a time.
GaussSides *gauss_sides_new(size_t most_size, size_t most_count);
void gauss_sides_free(GaussSides *sides);

typedef struct {
    size_t count;          // conditions
    const double *phi;     // Φ, count × count, symmetric; NULL where normals are given
    const double *normals; // or W with Φ = WWᵀ: the conditions' normals, one after the other,
    size_t size;           // of this many numbers, in axes where the inertia is 1
    const double *phi0;    // Φ⁰, count
    const double *sizes;   // of the terms that Φ⁰ are sums of, for rounding; NULL: |Φ⁰|
} GaussSidesProblem;

typedef struct {
    SolveOutcome outcome;
    size_t acting;     // how many push: λ > 0
    bool unique;       // no other λ gives the same motion
    double constraint; // ½ λ·Φλ, Gauss's measure of the departure that the conditions cause
    size_t row;        // for a contradiction: a condition that others exclude
    bool row_is_equal; // `row` counts the equations, not the one-sided conditions
    size_t rank;       // of the equations
} GaussSidesReport;

// λ and f'' (count each; unspecified unless solved) and who pushes. The search begins from the
// conditions marked in `acting`: those of a state nearby, or none. For a contradiction λ says how
// the others exclude the row: λ ≥ 0 with Σ λ·(normal) = 0 but Σ λΦ⁰ > 0.
BASE_MUST_USE GaussSidesReport gauss_sides_solve(GaussSides *sides,
                                                 const GaussSidesProblem *problem, bool *acting,
                                                 double *lambda, double *rates);

// ---- The instant: equations and one-sided conditions together.
//
//     𝓜a − bᵀμ + gᵀλ = K − h,   b·a = −γ,   0 ≤ λ ⊥ −f'' ≥ 0,   f'' = g·a + γ of their own.
typedef struct GaussInstant GaussInstant;
GaussInstant *gauss_instant_new(size_t coordinates, size_t most_rows, size_t most_sides);
void gauss_instant_free(GaussInstant *instant);
// What solves its equations: for kkt_witness and kkt_gauss_measure.
Kkt *gauss_instant_equations(GaussInstant *instant);

typedef struct {
    KktProblem equal;         // inertia, force and the equations
    const double *sides;      // g, side_count × n, a row after the other
    const double *side_drift; // what of f'' is free of accelerations, side_count
    size_t side_count;
} GaussInstantProblem;

// Where the answer goes; any but `acting` may be NULL.
typedef struct {
    double *accelerations; // n
    double *multipliers;   // μ of the equations: of least norm for this λ
    double *lambda;        // of the one-sided conditions, as in gauss_sides_solve
    double *phi0;          // f'' in the motion that only the equations restrict
    double *rates;         // f''
    bool *acting;          // in: where to begin; out: who pushes
} GaussInstantAnswer;

BASE_MUST_USE GaussSidesReport gauss_instant_solve(GaussInstant *instant,
                                                   const GaussInstantProblem *problem,
                                                   const GaussInstantAnswer *answer);

// Ostrogradsky's rule, which Mayer refutes: the conditions with Φ⁰ > 0 act, as equations, and no
// others. To be asked after gauss_instant_solve of the same problem; λ may be negative here, f''
// positive, and there may be a contradiction. *differs says whether its accelerations are not the
// true ones.
BASE_MUST_USE GaussSidesReport gauss_instant_ostrogradsky(GaussInstant *instant,
                                                          const GaussInstantProblem *problem,
                                                          const GaussInstantAnswer *answer,
                                                          bool *differs);

// ---- Many: the same question where every row knows few coordinates.
//
// Coordinates that no inertia and no condition ties together are islands apart; a small one is an
// instant as above, in a large one the inertia and Φ stay sparse. The cost grows with the numbers
// that are given, and with the fill of Φ's factors.
typedef struct GaussMany GaussMany;
GaussMany *gauss_many_new(size_t coordinates);
void gauss_many_free(GaussMany *many);

typedef struct {
    SparseRows inertia; // 𝓜, n rows, both halves
    const double *force;
    SparseRows rows; // the equations
    const double *drift;
    // d of each equation, where active forces keep some: their reactions are dᵀμ, and the motion is
    // no least one. `first` is NULL where all are ideal.
    SparseRows directions;
    SparseRows sides; // the conditions that touch
    const double *side_drift;
    // Where λ is not unique, one that is nearly of least norm will do, and f'' to 1e-10 of its
    // terms (1e-9 where conditions are dependent but for their last digits); then `unique` may be
    // false where it is not known.
    bool any_lambda;
} GaussManyProblem;

// As gauss_instant_solve. Where a large island's conditions depend on each other, λ is of least
// norm up to about a millionth of it.
BASE_MUST_USE GaussSidesReport gauss_many_solve(GaussMany *many, const GaussManyProblem *problem,
                                                const GaussInstantAnswer *answer);
// As gauss_instant_ostrogradsky; `actual` are the true accelerations.
BASE_MUST_USE GaussSidesReport gauss_many_ostrogradsky(GaussMany *many,
                                                       const GaussManyProblem *problem,
                                                       const double *actual,
                                                       const GaussInstantAnswer *answer,
                                                       bool *differs);
// How many islands the last solve had, and how many of them were solved as sparse ones.
size_t gauss_many_islands(const GaussMany *many, size_t *sparse);

// ---- Shocks and percussions: velocities jump (Mayer § 4, Appell 23, Moreau).
//
// First the given impulse I acts, the equations b·v + c = 0 being kept. Then, while a touching
// condition has f' > 0, ½(v⁺ − v⁻)·𝓜(v⁺ − v⁻) is made least under them and f'⁺ ≤ −e f'⁻. Where that
// does not end, or several e exclude each other, the last pass is with e = 0.
typedef struct GaussShock GaussShock;
GaussShock *gauss_shock_new(size_t coordinates, size_t most_rows, size_t most_sides);
void gauss_shock_free(GaussShock *shock);
Kkt *gauss_shock_equations(GaussShock *shock); // for kkt_witness

typedef struct {
    const double *inertia;    // 𝓜, n × n
    const double *velocities; // v⁻, n
    const double *impulse;    // I, n, or NULL
    const double *rows;       // b, row_count × n
    const double *drift;      // c
    size_t row_count;
    const double *sides;       // ∂f/∂q of the conditions that touch, side_count × n
    const double *side_drift;  // ∂f/∂t
    const double *restitution; // e, side_count, each within [0, 1]
    size_t side_count;
} GaussShockProblem;

// Where the answer goes; any may be NULL.
typedef struct {
    double *velocities;  // v⁺
    double *multipliers; // impulses of the equations, +μb
    double *lambda; // impulses of the conditions, −λ ∂f/∂q; for a contradiction that is not
                    // one of the equations: λ ≥ 0 with Σ λ·(normal) = 0 but Σ λ ∂f/∂t > 0
    double *rates_before; // f'⁻, before the given impulse
    double *rates_after;  // f'⁺
} GaussShockAnswer;

typedef struct {
    GaussSidesReport sides; // of the last pass; `acting`: how many have pushed in some pass
    size_t passes;          // 0: nothing was struck, the given impulse at most acted
    bool ended;             // false: the last pass had to be with e = 0
    double energy_lost; // in the shock: Σ over the passes of ½ Σ λ(f'⁻ + f'⁺ − 2 ∂f/∂t) + Σ μc
} GaussShockReport;

BASE_MUST_USE GaussShockReport gauss_shock_solve(GaussShock *shock,
                                                 const GaussShockProblem *problem,
                                                 const GaussShockAnswer *answer);

// The same where every row knows few coordinates.
typedef struct {
    GaussManyProblem system; // its force is not looked at
    const double *velocities, *impulse, *restitution;
} GaussManyShockProblem;

BASE_MUST_USE GaussShockReport gauss_many_shock(GaussMany *many,
                                                const GaussManyShockProblem *problem,
                                                const GaussShockAnswer *answer);

#endif

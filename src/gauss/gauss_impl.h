// gauss_impl.h: what the files of this room share. Never leaves it.
#ifndef ZWANG_GAUSS_IMPL_H
#define ZWANG_GAUSS_IMPL_H

#include "gauss/gauss.h"
#include "linalg/dense.h"

#include <math.h>

// A normal of which no more than this part stands off others depends on them.
// Larger: nearly parallel conditions are taken for one. Smaller: rounding passes for a direction.
#define STANDS_OFF 1e-11

// ---- Conditions.

// Φ_ii.
static inline double sides_own(const GaussSidesProblem *problem, size_t i)
{
    if (problem->phi)
        return problem->phi[i * problem->count + i];
    const double *w = problem->normals + i * problem->size;
    return real_dot(w, w, problem->size);
}

// Whether x > 0 exceeds a part of the terms that f''_i is a sum of: those of Φ⁰_i, and |w_i||y|,
// `square` being |y|². Nobody needs a root for that.
static inline bool sides_exceed(const GaussSidesProblem *problem, size_t i, double x, double part,
                                double square)
{
    double size = problem->sizes ? problem->sizes[i] : fabs(problem->phi0[i]);
    return x > part * size && x * x > part * part * sides_own(problem, i) * square;
}

// ---- directed_sides.c: the same beside one-sided conditions; as gauss_many_solve.
GaussSidesReport directed_sides(const GaussManyProblem *problem, const GaussInstantAnswer *answer);

// ---- nearest.c: the point nearest to 0 of a polyhedron.
//
// ½|y|² is least under s_l = o_l + w_l·y ≤ 0, and = 0 for the first `equations` of them; then
// y = −Σ λ_l w_l with λ_l ≥ 0 for the inequalities, and λ_l s_l = 0.
typedef struct {
    size_t size;           // numbers in y
    size_t count;          // conditions
    size_t equations;      // how many of them, the first ones, are equations
    const double *normals; // w: `size` numbers for each condition
    const double *offsets; // o
    const double *sizes;   // of the terms that o is a sum of; NULL: |o|
} NearestProblem;

typedef enum {
    NEAREST_FOUND,
    NEAREST_NONE, // no point meets the conditions
    NEAREST_LOST  // rounding made the search go in circles
} NearestOutcome;

// Room for problems up to a size and a count; nothing is allocated later.
typedef struct Nearest Nearest;
Nearest *nearest_new(size_t most_size, size_t most_count);
void nearest_free(Nearest *nearest);
// Begins from the conditions marked in `acting`, which need not be right; on return it marks those
// that act, which are independent of each other. y may be NULL. Where there is no such point, *row
// is a condition that others exclude, and λ says how: |λ_row| = 1, Σ λw = 0 but Σ λo > 0.
NearestOutcome nearest_solve(Nearest *nearest, const NearestProblem *problem, bool *acting,
                             double *lambda, double *y, size_t *row);

// ---- blocks.c: principal pivoting by whole blocks, for conditions that are independent.
//
// True with λ and f'' = Φ⁰ − Φλ, and the marks of those that act. False where a block is singular
// or the exchanges do not end; the marks are then a guess from which nearest.c may begin.
typedef struct Blocks Blocks;
Blocks *blocks_new(size_t most_acting, size_t most_size);
void blocks_free(Blocks *blocks);
bool blocks_solve(Blocks *blocks, const GaussSidesProblem *problem, bool *acting, double *lambda,
                  double *rates);
// The departure y of the motion that was found; where normals were given.
const double *blocks_departure(const Blocks *blocks);

// ---- least.c: where several λ ≥ 0 give the same reaction.
typedef struct Least Least;
Least *least_new(size_t most_size, size_t most_count);
void least_free(Least *least);
// λ over the conditions `touching`, y = −Σ λ_l w_l: in one that gives it, out the least. Returns
// whether no other gives it.
bool least_multipliers(Least *least, const double *normals, size_t size, const size_t *touching,
                       size_t count, const double *y, double *lambda);

// ---- heap.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 where Φ is sparse, equations among it.
typedef struct {
    size_t count;
    size_t equations; // how many of the conditions, the first ones, are equations
    const double *phi0, *sizes;
    bool rough; // as in PileProblem; then it may say that λ is not unique where it is
} HeapProblem;
typedef struct {
    double *lambda, *rates;
    double *phi0; // where only the equations act
    bool *acting; // in: where to begin
    bool unique;
    double square; // λ·Φλ
} HeapAnswer;
typedef struct Heap Heap;
Heap *heap_new(void);
void heap_free(Heap *heap);
SparseCholesky *heap_phi(Heap *heap); // to be written before each solve
bool heap_solve(Heap *heap, const HeapProblem *problem, HeapAnswer *answer);

// ---- pile.c: many conditions at once on many coordinates, each on few of them.
typedef struct {
    size_t n, count;     // coordinates, conditions
    size_t equations;    // how many of these, the first ones, are equations
    SparseRows inertia;  // 𝓜, both halves
    SparseRows rows;     // count
    const double *force; // K − h
    const double *drift; // count
    bool rough;          // f'' to 1e-10 of its terms will do where conditions depend on each other
} PileProblem;
typedef struct {
    double *accelerations; // n
    // One for each condition, the equations included; every reaction is −λ·row here.
    double *lambda, *phi0, *rates;
    bool *acting; // in: where to begin; out: who pushes
    bool unique;
} PileAnswer;
typedef struct Pile Pile;
Pile *pile_new(void);
void pile_free(Pile *pile);
// False where this way does not lead to an answer: the inertia is not positive, equations depend on
// each other, the conditions exclude each other, or rounding hides who acts.
bool pile_solve(Pile *pile, const PileProblem *problem, PileAnswer *answer);

// ---- shock.c: the passes of a shock, whoever answers for each of them.
typedef struct {
    const double *all; // whole rows, or NULL:
    SparseRows some;   // the numbers that are not 0
} StruckRows;
typedef struct {
    StruckRows inertia, sides;
    const double *velocities, *impulse, *row_drift, *side_drift, *restitution;
    size_t row_count, side_count;
    // The velocities, for 𝓜v⁻ + I as the force and for the first side_count conditions.
    GaussSidesReport (*solve)(void *context, const double *force, const double *side_drift,
                              size_t side_count, const GaussInstantAnswer *answer);
    void *context;
} Struck;
typedef struct Passes Passes;
Passes *passes_new(size_t coordinates, size_t most_rows, size_t most_sides);
void passes_free(Passes *passes);
bool passes_fit(const Passes *passes, const Struck *struck); // false for NULL
GaussShockReport passes_go(Passes *passes, const Struck *struck, const GaussShockAnswer *answer);

// ---- sides.c: for those who gave normals, the departure y of the last solve. It is more exact
// than Σ λ_l w_l where the λ are large and take each other off.
const double *sides_departure(const GaussSides *sides);

#endif

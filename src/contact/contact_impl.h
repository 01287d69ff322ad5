// contact_impl.h: the backends of the unilateral problem. Never leaves the room.
#ifndef ZWANG_CONTACT_IMPL_H
#define ZWANG_CONTACT_IMPL_H

#include "contact/contact.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <string.h>

// Into what may be NULL.
static inline void contact_copy(double *to, const double *from, size_t count)
{
    if (to && count > 0)
        memcpy(to, from, count * sizeof *to);
}

// ---- qp_dual.c: the point nearest to 0 of a polyhedron.
//
// ½|y|² is least under f''_l = Φ⁰_l + w_l·y ≤ 0, and = 0 for the first `equations` of them; then
// y = −Σ λ_l w_l with λ_l ≥ 0 for the inequalities, and λ_l f''_l = 0: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 with
// Φ = WWᵀ.
typedef struct {
    size_t size;           // numbers in y, in axes where the inertia is 1
    size_t count;          // conditions
    size_t equations;      // how many of them, the first ones, are equations; none in lcp_dense.c
    const double *normals; // W: `size` numbers for each condition
    const double *phi0;    // Φ⁰
    const double *sizes;   // of the terms that Φ⁰ are sums of, for rounding; NULL: |Φ⁰|
    const double *phi;     // Φ, count × count, for lcp_dense.c; NULL: it is made of the normals
} LcpProblem;
// Begins from the conditions marked in `acting`, which need not be right; on return it marks those
// that act, which are independent of each other. SOLVE_CONTRADICTION where there is no such point:
// *row is then a condition that others exclude, and λ says how: |λ_row| = 1, Σ λw = 0 but Σ λΦ⁰ >
// 0. SOLVE_UNDECIDED where rounding made the search go in circles.
SolveOutcome qp_dual_solve(Arena *arena, const LcpProblem *problem, bool *acting, double *lambda,
                           double *y, size_t *row);

// ---- least_multipliers.c: where several λ ≥ 0 give the same reaction.
// λ over the conditions `touching`, y = −Σ λ_l w_l: in one that gives it, out the least. Returns
// whether no other gives it.
bool least_multipliers_find(const double *normals, size_t size, const size_t *touching,
                            size_t count, const double *y, double *lambda);

// ---- lcp_pivoting.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0, for conditions that are independent.
typedef struct Lcp {
    size_t count;        // conditions
    size_t equations;    // how many of them, the first ones, are equations: these act always
    const double *phi0;  // Φ⁰
    const double *sizes; // of the terms that Φ⁰ are sums of, for rounding; NULL: |Φ⁰|
    const double *own;   // Φ's diagonal,
    size_t stride;       // its numbers so far apart
    bool *acts;          // in: where to begin; out: the answer, with λ and f''
    double *lambda, *rates;
    bool *wrong;   // workspace
    double square; // λ·Φλ
    double added;  // to Φ's diagonal where those that act are found
    double *room;  // workspace, two vectors; NULL: no descent
    // λ, f'' and λ·Φλ where those marked act and no others. False where their block of Φ is not
    // safely positive.
    bool (*let_act)(struct Lcp *lcp);
    void (*find_rates)(struct Lcp *lcp); // f'' and λ·Φλ for the λ that is there
} Lcp;
// Exchanges blocks until nobody is on the wrong side. False where conditions that act depend on
// each other, or that does not end.
bool lcp_exchange(Lcp *lcp, size_t rounds);
// How many are on the wrong side, marked in `wrong`, and the last of them.
size_t lcp_count_wrong(Lcp *lcp, size_t *last);
// Whether x > 0 exceeds a part of the terms that f''_i is a sum of: those of Φ⁰_i, and |w_i||y|.
// Nobody needs a root for that.
static inline bool lcp_exceeds(const Lcp *lcp, size_t i, double x, double part)
{
    double size = lcp->sizes ? lcp->sizes[i] : fabs(lcp->phi0[i]);
    return x > part * size && x * x > part * part * lcp->own[i * lcp->stride] * lcp->square;
}

// ---- lcp_proximal.c: the same with `added` > 0, from any λ on. False where rounding hides who
// acts.
bool lcp_proximal(Lcp *lcp);

// ---- lcp_dense.c: the same where Φ = WWᵀ is dense, whatever depends on whatever.
typedef struct LcpDense LcpDense;
LcpDense *lcp_dense_new(Arena *arena, size_t most_size, size_t most_count);
// λ, f'' (count each; unspecified unless solved), who pushes, and, unless it is NULL, the departure
// y = −Wᵀλ: more exact than that sum where the λ are large and take each other off.
ContactReport lcp_dense_solve(LcpDense *lcp, const LcpProblem *problem, bool *acting,
                              double *lambda, double *rates, double **y);

// ---- One island: equations and conditions on coordinates of its own.
typedef struct {
    size_t n, count;  // coordinates, conditions
    size_t equations; // how many of these, the first ones, are equations
    // In the numbers of the whole: coordinates, and behind these equations and conditions.
    const uint32_t *coordinates, *order;
    SparseRows inertia;       // 𝓜, both halves
    SparseRows rows;          // count
    double *force;            // K − h
    double *drift;            // count
    bool any_lambda, guessed; // the latter: λ is one of a state nearby
    double *accelerations;    // n
    // One for each condition, the equations included; every reaction is −λ·row here.
    double *lambda, *free_rates, *rates;
    bool *acting; // in: where to begin; out: who pushes
    bool unique;
} Island;

// ---- contact_dense.c: a small island, by dense factors.
typedef struct ContactDense ContactDense;
ContactDense *contact_dense_new(void);
void contact_dense_free(ContactDense *dense);
// As contact_accelerations; the island's inertia and rows are given row after row, n numbers each,
// in the place of its sparse ones.
ContactReport contact_dense_solve(ContactDense *dense, const double *inertia, const double *rows,
                                  Island *island);

// ---- contact_sparse.c: a large island.
typedef struct ContactSparse ContactSparse;
ContactSparse *contact_sparse_new(void);
void contact_sparse_free(ContactSparse *sparse);
// False where this way does not lead to an answer: the inertia is not positive, equations depend on
// each other, the conditions exclude each other, or rounding hides who acts.
bool contact_sparse_solve(ContactSparse *sparse, Island *island);

// ---- contact_servo.c: beside equations that active forces keep; as contact_accelerations.
ContactReport contact_servo_solve(const ContactProblem *problem, const ContactAnswer *answer);

#endif
